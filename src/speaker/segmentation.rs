//! Local speakers: pyannote segmentation-3.0 over sliding 10 s windows, its powerset classes decoded.
//!
//! Windows overlap, and the network's first layer, a bank of linear filters, is nearly the same work for a sample in each: it is done once
//! for the recording, and brought to each window's mean and scale. That and two windows a call take the CPU time of a window, at the
//! default step, from 36 to 24 ms; the classes stay the same.
//!
//! Source: Plaquet and Bredin, "Powerset multi-class cross entropy loss for neural speaker diarization", Interspeech 2023.

use std::ops::Range;

use ndarray::{Array3, ArrayView4, Axis, Slice};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::inference::{Input, Registry, Runtime, Session};
use crate::signal::Sound;
use crate::time::FrameGrid;

/// Registry name of the network's first layer.
pub const FILTER_MODEL: &str = "segmentation_filters";

/// Registry name of the rest of the network.
pub const WINDOW_MODEL: &str = "segmentation_windows";

/// Frames of a whole recording: 61.9 ms every 16.875 ms. Windows start on a hop, so all share this grid.
pub const FRAMES: FrameGrid = FrameGrid::new(16_000, 991, 270);

/// Speakers the model tells apart in a window.
pub const LOCAL_SPEAKERS: usize = 3;

/// Samples a window: 10 s.
const WINDOW: usize = 160_000;

/// Windows a call. One alone takes a quarter more time, four gain nothing.
const WINDOWS_A_CALL: usize = 2;

/// Values of the filters: three neighbours' extremes, 271 samples wide. A frame's hop is nine of their hops.
const STEPS: FrameGrid = FrameGrid::new(16_000, 271, 30);

/// Filters of the first layer.
const FILTERS: usize = 80;

/// Added to a window's variance.
const EPSILON: f64 = 1e-5;

/// Active local speakers of each powerset class, speaker `k` in bit `k`.
const CLASSES: [u8; 7] = [0b000, 0b001, 0b010, 0b100, 0b011, 0b101, 0b110];

/// A window whose loudest sample is below this (-80 dBFS) is not shown to the model.
const SILENT_PEAK: f32 = 1e-4;

/// Segmentation parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SegmentationConfig {
    /// Distance of windows, rounded to whole frames of 16.875 ms; 10 s windows overlap the more the smaller it is.
    pub step_secs: f64,
    /// Local speakers of neighbouring windows are one person where they share at least this part of their joint time, 0 to 1.
    pub min_agreement: f64,
}

impl Default for SegmentationConfig {
    fn default() -> Self {
        SegmentationConfig { step_secs: 1.6, min_agreement: 0.6 }
    }
}

impl SegmentationConfig {
    /// The step in frames, at least one and at most half a window.
    pub fn step_frames(&self) -> usize {
        ((self.step_secs / FRAMES.hop_secs()).round().max(1.0) as usize).min(WINDOW / FRAMES.hop() / 2)
    }
}

/// What the model says of one window.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalWindow {
    /// Recording frame of the window's first frame.
    pub first_frame: usize,
    /// Active local speakers of each frame, speaker `k` in bit `k`.
    pub active: Vec<u8>,
}

/// The loaded networks.
#[derive(Debug)]
pub struct Segmenter {
    filters: Session,
    windows: Session,
    /// What the filters say of zeros.
    at_zero: Vec<f32>,
    /// What they say of ones, beyond that.
    response: Vec<f32>,
}

impl Segmenter {
    /// Loads [`FILTER_MODEL`] and [`WINDOW_MODEL`].
    ///
    /// # Errors
    /// What [`Session::load`] says; [`Error::Shape`] when the filters' answer is not what it should be.
    pub fn load(registry: &Registry, runtime: Runtime) -> Result<Self> {
        let mut filters = Session::load(registry, FILTER_MODEL, runtime)?;
        let windows = Session::load(registry, WINDOW_MODEL, runtime)?;
        let mut answer = |level: f32| Ok(filter(&mut filters, &[level; STEPS.window()])?.0);
        let at_zero = answer(0.0)?;
        let response = answer(1.0)?.iter().zip(&at_zero).map(|(one, zero)| one - zero).collect();
        Ok(Segmenter { filters, windows, at_zero, response })
    }

    pub(super) fn sessions(&mut self) -> [&mut Session; 2] {
        [&mut self.filters, &mut self.windows]
    }

    /// Local speakers of every window of `sound` at 16 kHz, windows `step_frames` apart, the last one filled with zeros.
    /// Windows of silence are empty of speakers.
    ///
    /// # Errors
    /// [`Error::Model`], [`Error::Shape`] when a model gives another number of values, and what [`Sound::piece`] says.
    pub fn windows(&mut self, sound: &impl Sound, step_frames: usize) -> Result<Vec<LocalWindow>> {
        let steps = STEPS.whole_frames(WINDOW);
        let mut windows: Vec<LocalWindow> = Vec::new();
        let mut filtered = Filtered::default();
        let mut input = Array3::<f32>::zeros((WINDOWS_A_CALL, FILTERS, steps));
        let mut waiting: Vec<usize> = Vec::with_capacity(WINDOWS_A_CALL);
        let mut first_frame = 0;
        loop {
            let start = first_frame * FRAMES.hop();
            let there = sound.piece(start..start + WINDOW)?;
            windows.push(LocalWindow { first_frame, active: vec![0; FRAMES.whole_frames(WINDOW)] });
            if there.iter().any(|s| s.abs() >= SILENT_PEAK) {
                let (mean, deviation) = level(&there, WINDOW);
                drop(there);
                let first = start / STEPS.hop();
                filtered.extend(&mut self.filters, sound, first..first + steps)?;
                let mut slot = input.index_axis_mut(Axis(0), waiting.len());
                for (filter, mut row) in slot.rows_mut().into_iter().enumerate() {
                    // The filters are affine: another mean and scale of the samples are another offset and scale of what they say.
                    let (zero, scale) = (f64::from(self.at_zero[filter]), deviation.recip());
                    let offset = zero - (zero + f64::from(self.response[filter]) * mean) * scale;
                    let (scale, offset) = (scale as f32, offset as f32);
                    let (highest, lowest) = filtered.rows(filter, first, steps);
                    for ((slot, high), low) in row.iter_mut().zip(highest).zip(lowest) {
                        *slot = (high * scale + offset).max(-(low * scale + offset));
                    }
                }
                waiting.push(windows.len() - 1);
            }
            let done = start + WINDOW >= sound.count();
            if waiting.len() == WINDOWS_A_CALL || (done && !waiting.is_empty()) {
                let batch = input.slice_axis(Axis(0), Slice::from(..waiting.len())).into_dyn();
                let outputs = self.windows.run(&[("magnitudes", Input::F32(batch))])?;
                let logits = outputs.first().and_then(|o| o.as_slice()).unwrap_or_default();
                let frames = logits.len() / waiting.len() / CLASSES.len();
                if frames == 0 || logits.len() != frames * waiting.len() * CLASSES.len() {
                    let expected = format!("frames of {} classes for {} windows", CLASSES.len(), waiting.len());
                    return Err(Error::Shape { what: "segmentation output", expected, got: format!("{} values", logits.len()) });
                }
                for (window, logits) in waiting.drain(..).zip(logits.chunks_exact(frames * CLASSES.len())) {
                    windows[window].active = logits.chunks_exact(CLASSES.len()).map(decode).collect();
                }
            }
            if done {
                return Ok(windows);
            }
            first_frame += step_frames;
        }
    }
}

/// What the filters say of a stretch of the recording, whatever window it is in.
#[derive(Default)]
struct Filtered {
    /// Step of the first values held.
    first: usize,
    /// Highest and lowest values of each filter, `[filter][step]`.
    highest: Vec<Vec<f32>>,
    lowest: Vec<Vec<f32>>,
}

impl Filtered {
    /// Makes `steps` be held, and lets go of long gone ones. Beyond the end of `sound` there are zeros.
    fn extend(&mut self, session: &mut Session, sound: &impl Sound, steps: Range<usize>) -> Result<()> {
        let held = self.highest.first().map_or(0, Vec::len);
        if held == 0 || self.first + held < steps.start {
            *self = Filtered { first: steps.start, highest: vec![Vec::new(); FILTERS], lowest: vec![Vec::new(); FILTERS] };
        } else if self.first + steps.len() <= steps.start {
            // Once a window's length, as what is kept has to be moved.
            let gone = steps.start - self.first;
            self.highest.iter_mut().chain(&mut self.lowest).for_each(|row| drop(row.drain(..gone)));
            self.first = steps.start;
        }
        let next = self.first + self.highest.first().map_or(0, Vec::len);
        if next < steps.end {
            let start = next * STEPS.hop();
            let length = (steps.end - 1 - next) * STEPS.hop() + STEPS.window();
            let mut samples = sound.piece(start..start + length)?.into_owned();
            samples.resize(length, 0.0);
            let (highest, lowest) = filter(session, &samples)?;
            for (rows, values) in [(&mut self.highest, highest), (&mut self.lowest, lowest)] {
                rows.iter_mut().zip(values.chunks_exact(steps.end - next)).for_each(|(row, values)| row.extend_from_slice(values));
            }
        }
        Ok(())
    }

    /// Highest and lowest values of `filter`, `count` from step `first`.
    fn rows(&self, filter: usize, first: usize, count: usize) -> (&[f32], &[f32]) {
        let range = first - self.first..first - self.first + count;
        (&self.highest[filter][range.clone()], &self.lowest[filter][range])
    }
}

/// Highest and lowest values `[filter, step]` of every step that lies whole within `samples`.
fn filter(session: &mut Session, samples: &[f32]) -> Result<(Vec<f32>, Vec<f32>)> {
    let input = ArrayView4::from_shape((1, 1, 1, samples.len()), samples).map_err(|e| Error::model(FILTER_MODEL, e))?;
    let outputs = session.run(&[("samples", Input::F32(input.into_dyn()))])?;
    let values = FILTERS * STEPS.whole_frames(samples.len());
    let mut outputs = outputs.into_iter().map(|o| o.into_raw_vec_and_offset().0);
    match (outputs.next(), outputs.next()) {
        (Some(highest), Some(lowest)) if highest.len() == values && lowest.len() == values => Ok((highest, lowest)),
        (highest, lowest) => {
            let got = format!("{} and {}", highest.map_or(0, |v| v.len()), lowest.map_or(0, |v| v.len()));
            Err(Error::Shape { what: "segmentation filters' output", expected: format!("twice {values} values"), got })
        }
    }
}

/// Mean and standard deviation of `samples` filled with zeros to `count`, as the network's first normalisation has them.
fn level(samples: &[f32], count: usize) -> (f64, f64) {
    let mean = lanes(samples, f64::from) / count as f64;
    let squares = lanes(samples, |x| (f64::from(x) - mean).powi(2)) + (count - samples.len()) as f64 * mean * mean;
    (mean, (squares / count as f64 + EPSILON).sqrt())
}

/// The sum of `value` of each sample. Eight running sums, which the processor adds side by side.
fn lanes(samples: &[f32], value: impl Fn(f32) -> f64) -> f64 {
    let mut sums = [0.0; 8];
    let chunks = samples.chunks_exact(sums.len());
    let rest: f64 = chunks.remainder().iter().map(|&x| value(x)).sum();
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, &x)| *sum += value(x));
    }
    sums.iter().sum::<f64>() + rest
}

/// The speakers of the likeliest class; the first of equals, nobody where the model gives no number.
fn decode(logits: &[f32]) -> u8 {
    let mut best = (0, f32::NEG_INFINITY);
    for (class, &value) in logits.iter().enumerate() {
        if value > best.1 {
            best = (class, value);
        }
    }
    CLASSES.get(best.0).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_decode_to_speakers() {
        let one_hot = |class: usize| std::array::from_fn::<f32, 7, _>(|i| if i == class { 0.0 } else { -5.0 });
        assert_eq!(decode(&one_hot(0)), 0b000);
        assert_eq!(decode(&one_hot(2)), 0b010);
        assert_eq!(decode(&one_hot(5)), 0b101);
        assert_eq!(decode(&[f32::NAN; 7]), 0b000);
    }

    #[test]
    fn a_window_has_589_frames_and_steps_are_whole_frames() {
        assert_eq!(FRAMES.whole_frames(WINDOW), 589);
        assert_eq!(SegmentationConfig { step_secs: 1.5, ..Default::default() }.step_frames(), 89);
        assert_eq!(SegmentationConfig { step_secs: 0.0, ..Default::default() }.step_frames(), 1);
        assert_eq!(SegmentationConfig { step_secs: 60.0, ..Default::default() }.step_frames(), 296);
    }
}
