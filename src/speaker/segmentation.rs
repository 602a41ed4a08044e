//! Local speakers: pyannote segmentation-3.0 over sliding 10 s windows, its powerset classes decoded.
//!
//! Windows overlap, and the network's first layer, a bank of linear filters, is nearly the same work for a sample in
//! each: it is done once for the recording, and brought to each window's mean and scale. That and two windows a call
//! take the CPU time of a window, at the default step, from 36 to 24 ms; the classes stay the same.
//!
//! Source: Plaquet and Bredin, "Powerset multi-class cross entropy loss for neural speaker diarization", Interspeech
//! 2023.

use std::ops::Range;

use ndarray::{Array3, ArrayView3, ArrayView4, ArrayViewMut2, Axis, Slice};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::inference::{Input, Loader, Session};
use crate::signal::{SILENT_PEAK, Sound};
use crate::time::FrameGrid;

/// Registry name of the network's first layer.
pub const FILTER_MODEL: &str = "segmentation_filters";

/// Registry name of the rest of the network.
pub const WINDOW_MODEL: &str = "segmentation_windows";

/// Frames of a whole recording: 61.9 ms every 16.875 ms. Windows start on a hop, so all share this grid.
pub const FRAMES: FrameGrid = FrameGrid::new(16_000, 991, 270);

/// Speakers the model tells apart in a window.
pub const LOCAL_SPEAKERS: usize = 3;

/// Samples of a window.
const WINDOW: usize = 160_000;

/// Length of a window.
const WINDOW_SECS: f64 = 10.0;

/// Windows a call. One alone takes a quarter more time, four gain nothing.
const WINDOWS_A_CALL: usize = 2;

/// Windows kept back until a call is full: a long silence may come between.
const MOST_WAITING: usize = 16;

/// Values of the filters: three neighbours' extremes, 271 samples wide. A frame's hop is nine of their hops.
const STEPS: FrameGrid = FrameGrid::new(16_000, 271, 30);

/// Filters of the first layer.
const FILTERS: usize = 80;

/// Added to a window's variance.
const EPSILON: f64 = 1e-5;

/// Active local speakers of each powerset class, speaker `k` in bit `k`.
const CLASSES: [u8; 7] = [0b000, 0b001, 0b010, 0b100, 0b011, 0b101, 0b110];

/// Segmentation parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SegmentationConfig {
    /// Distance of windows, rounded to whole frames of 16.875 ms; 10 s windows overlap the more the smaller it is.
    #[schemars(range(max = WINDOW_SECS), extend("exclusiveMinimum" = 0), extend("x-reason" = "a longer step would \
                                                                                              leave speech unheard"))]
    pub step_secs: f64,
    /// Local speakers of neighbouring windows are one person where they share at least this part of their joint time, 0
    /// to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_agreement: f64,
    /// What a window says counts the less the nearer it is to the window's edge, where the model hears but one side of
    /// it: a tenth at the edge itself, all from this many seconds on.
    #[schemars(range(min = 0.0))]
    pub edge_secs: f64,
    /// Two speak at once where somebody speaks and the windows give two at once more than this probability, 0 to 1. A
    /// quiet voice beneath another seldom reaches a half: 0.4 gains 0.9 points of DER on the seven `ami_trn` development
    /// cuts and costs up to 0.4 on clips of two and three speakers who take turns.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub overlap_probability: f32,
}

impl Default for SegmentationConfig {
    fn default() -> Self {
        SegmentationConfig { step_secs: 1.6, min_agreement: 0.6, edge_secs: 4.0, overlap_probability: 0.5 }
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
    /// Probability that each local speaker speaks, 0 to 1, frame by frame.
    pub probability: Vec<[f32; LOCAL_SPEAKERS]>,
    /// Probability that two speak at once, 0 to 1, frame by frame.
    pub overlap: Vec<f32>,
}

impl LocalWindow {
    fn silent(first_frame: usize) -> Self {
        let frames = FRAMES.whole_frames(WINDOW);
        let probability = vec![[0.0; LOCAL_SPEAKERS]; frames];
        LocalWindow { first_frame, active: vec![0; frames], probability, overlap: vec![0.0; frames] }
    }
}

/// The loaded networks.
#[derive(Debug)]
pub struct Segmenter {
    filters: Session,
    windows: Session,
    /// What the filters say of zeros: highest and lowest, which are the same.
    at_zero: Vec<f32>,
    /// What they say of ones, beyond that.
    response: Vec<f32>,
}

impl Segmenter {
    /// [`FILTER_MODEL`] and [`WINDOW_MODEL`].
    ///
    /// # Errors
    /// What [`Loader::session`] says; [`Error::Shape`] when the filters' answer is not what it should be.
    pub fn open(loader: &mut Loader<'_>) -> Result<Self> {
        let mut filters = loader.session_without_arena(FILTER_MODEL)?;
        let windows = loader.session_without_arena(WINDOW_MODEL)?;
        if !loader.loads() {
            return Ok(Segmenter { filters, windows, at_zero: Vec::new(), response: Vec::new() });
        }
        let mut answer = |level: f32| Ok(filter(&mut filters, &[level; STEPS.window()])?.0);
        let at_zero = answer(0.0)?;
        let response = answer(1.0)?.iter().zip(&at_zero).map(|(one, zero)| one - zero).collect();
        Ok(Segmenter { filters, windows, at_zero, response })
    }

    /// Gives `each` the local speakers of every window of `sound` at 16 kHz in turn, windows `step_frames` apart, the
    /// last one filled with zeros. Windows of silence are empty of speakers. Memory holds a few windows, whatever the
    /// length.
    ///
    /// # Errors
    /// [`Error::Model`], [`Error::Shape`] when a model gives another number of values, and what [`Sound::piece`] says.
    pub fn windows(&mut self, sound: &impl Sound, step_frames: usize, mut each: impl FnMut(LocalWindow)) -> Result<()> {
        let steps = STEPS.whole_frames(WINDOW);
        let mut filtered = Filtered::default();
        let mut input = Array3::<f32>::zeros((WINDOWS_A_CALL, FILTERS, steps));
        // Windows that wait for a call to be full, and those of silence between them.
        let mut waiting: Vec<(LocalWindow, Option<usize>)> = Vec::new();
        let mut filled = 0;
        let mut first_frame = 0;
        loop {
            let start = first_frame * FRAMES.hop();
            let there = sound.piece(start..start + WINDOW)?;
            let mut slot = None;
            if there.iter().any(|s| s.abs() >= SILENT_PEAK) {
                let (mean, deviation) = level(&there, WINDOW);
                drop(there);
                let first = start / STEPS.hop();
                filtered.extend((&mut self.filters, &self.at_zero), sound, first..first + steps)?;
                self.magnitudes(&filtered, first, (mean, deviation), input.index_axis_mut(Axis(0), filled));
                slot = Some(filled);
                filled += 1;
            }
            waiting.push((LocalWindow::silent(first_frame), slot));
            let done = start + WINDOW >= sound.count();
            if filled == WINDOWS_A_CALL || filled == 0 || waiting.len() == MOST_WAITING || done {
                let logits = if filled > 0 {
                    self.logits(input.slice_axis(Axis(0), Slice::from(..filled)))?
                } else {
                    Vec::new()
                };
                let size = logits.len() / filled.max(1);
                for (mut window, slot) in waiting.drain(..) {
                    if let Some(logits) = slot.and_then(|slot| logits.get(slot * size..(slot + 1) * size)) {
                        (window.active, window.probability) =
                            logits.chunks_exact(CLASSES.len()).map(|l| (decode(l), probability(l))).unzip();
                        window.overlap = logits.chunks_exact(CLASSES.len()).map(overlap).collect();
                    }
                    each(window);
                }
                filled = 0;
            }
            if done {
                return Ok(());
            }
            first_frame += step_frames;
        }
    }

    /// What the rest of the network begins with: the filters' magnitudes, from step `first`, in a window of this mean
    /// and deviation.
    fn magnitudes(
        &self,
        filtered: &Filtered,
        first: usize,
        (mean, deviation): (f64, f64),
        mut slot: ArrayViewMut2<'_, f32>,
    ) {
        for (filter, mut row) in slot.rows_mut().into_iter().enumerate() {
            // The filters are affine: another mean and scale of the samples are another offset and scale of what they
            // say.
            let (zero, scale) = (f64::from(self.at_zero[filter]), deviation.recip());
            let offset = zero - (zero + f64::from(self.response[filter]) * mean) * scale;
            let (scale, offset) = (scale as f32, offset as f32);
            let (highest, lowest) = filtered.rows(filter, first, row.len());
            for ((slot, high), low) in row.iter_mut().zip(highest).zip(lowest) {
                *slot = (high * scale + offset).max(-(low * scale + offset));
            }
        }
    }

    /// The classes' log-probabilities, `[window, frame, class]`.
    fn logits(&mut self, magnitudes: ArrayView3<'_, f32>) -> Result<Vec<f32>> {
        let expected = magnitudes.len_of(Axis(0)) * FRAMES.whole_frames(WINDOW) * CLASSES.len();
        let outputs = self.windows.run(&[("magnitudes", Input::F32(magnitudes.into_dyn()))])?;
        let logits = outputs.into_iter().next().map(|o| o.into_raw_vec_and_offset().0).unwrap_or_default();
        if logits.len() == expected {
            return Ok(logits);
        }
        Err(Error::Shape {
            what: "segmentation output",
            expected: format!("{expected} values"),
            got: format!("{} values", logits.len()),
        })
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
    /// Makes `steps` be held, and lets go of long gone ones. Beyond the end of `sound` there are zeros, of which the
    /// model is not asked again: a clip of a third of a second has 10 s of them.
    fn extend(
        &mut self,
        (session, at_zero): (&mut Session, &[f32]),
        sound: &impl Sound,
        steps: Range<usize>,
    ) -> Result<()> {
        let held = self.highest.first().map_or(0, Vec::len);
        if held == 0 || self.first + held < steps.start {
            *self =
                Filtered { first: steps.start, highest: vec![Vec::new(); FILTERS], lowest: vec![Vec::new(); FILTERS] };
        } else if self.first + steps.len() <= steps.start {
            // Once a window's length, as what is kept has to be moved.
            let gone = steps.start - self.first;
            self.highest.iter_mut().chain(&mut self.lowest).for_each(|row| drop(row.drain(..gone)));
            self.first = steps.start;
        }
        let next = self.first + self.highest.first().map_or(0, Vec::len);
        // Up to here a step has a sample in its window.
        let end = steps.end.min(sound.count().div_ceil(STEPS.hop())).max(next);
        if next < end {
            let start = next * STEPS.hop();
            let length = (end - 1 - next) * STEPS.hop() + STEPS.window();
            let mut samples = sound.piece(start..start + length)?.into_owned();
            samples.resize(length, 0.0);
            let (highest, lowest) = filter(session, &samples)?;
            for (rows, values) in [(&mut self.highest, highest), (&mut self.lowest, lowest)] {
                rows.iter_mut()
                    .zip(values.chunks_exact(end - next))
                    .for_each(|(row, values)| row.extend_from_slice(values));
            }
        }
        for rows in [&mut self.highest, &mut self.lowest] {
            rows.iter_mut()
                .zip(at_zero)
                .for_each(|(row, zero)| row.resize((steps.end - self.first).max(row.len()), *zero));
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

/// Mean and standard deviation of `samples` filled with zeros to `count`, as the network's first normalisation has
/// them.
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

/// The probability of each local speaker: of all classes with it. A frame of which the model gives no number has
/// nobody.
fn probability(logits: &[f32]) -> [f32; LOCAL_SPEAKERS] {
    let mut sums = [0.0; LOCAL_SPEAKERS];
    for (class, value) in CLASSES.iter().zip(logits).filter(|(_, v)| v.is_finite()) {
        for (k, sum) in sums.iter_mut().enumerate() {
            *sum += if class >> k & 1 == 1 { value.exp() } else { 0.0 };
        }
    }
    sums
}

/// The probability of all classes with two speakers.
fn overlap(logits: &[f32]) -> f32 {
    let both = CLASSES.iter().zip(logits).filter(|(class, v)| class.count_ones() > 1 && v.is_finite());
    both.map(|(_, v)| v.exp()).sum()
}

#[cfg(test)]
mod tests;
