//! Local speakers: pyannote segmentation-3.0 over sliding 10 s windows, its powerset classes decoded.
//!
//! Source: Plaquet and Bredin, "Powerset multi-class cross entropy loss for neural speaker diarization", Interspeech 2023.

use ndarray::Array3;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::inference::{Input, Registry, Runtime, Session};
use crate::signal::Sound;
use crate::time::FrameGrid;

/// Registry name of the model.
pub const MODEL: &str = "segmentation";

/// Frames of a whole recording: 61.9 ms every 16.875 ms. Windows start on a hop, so all share this grid.
pub const FRAMES: FrameGrid = FrameGrid::new(16_000, 991, 270);

/// Speakers the model tells apart in a window.
pub const LOCAL_SPEAKERS: usize = 3;

/// Samples a window: 10 s.
const WINDOW: usize = 160_000;

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

/// The loaded model.
#[derive(Debug)]
pub struct Segmenter {
    session: Session,
}

impl Segmenter {
    /// Loads [`MODEL`].
    ///
    /// # Errors
    /// What [`Session::load`] says.
    pub fn load(registry: &Registry, runtime: Runtime) -> Result<Self> {
        Ok(Segmenter { session: Session::load(registry, MODEL, runtime)? })
    }

    pub(super) fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Local speakers of every window of `sound` at 16 kHz, windows `step_frames` apart, the last one filled with zeros.
    /// Windows of silence are empty of speakers.
    ///
    /// # Errors
    /// [`Error::Model`], [`Error::Shape`] when the model gives another number of classes, and what [`Sound::piece`] says.
    pub fn windows(&mut self, sound: &impl Sound, step_frames: usize) -> Result<Vec<LocalWindow>> {
        let mut windows = Vec::new();
        let mut input = Array3::<f32>::zeros((1, 1, WINDOW)).into_dyn();
        let mut first_frame = 0;
        loop {
            let start = first_frame * FRAMES.hop();
            let there = sound.piece(start..start + WINDOW)?;
            if there.iter().all(|s| s.abs() < SILENT_PEAK) {
                windows.push(LocalWindow { first_frame, active: vec![0; FRAMES.whole_frames(WINDOW)] });
            } else {
                for (slot, sample) in input.iter_mut().zip(there.iter().chain(std::iter::repeat(&0.0))) {
                    *slot = *sample;
                }
                let outputs = self.session.run(&[("input_values", Input::F32(input.view()))])?;
                let logits = outputs.first().and_then(|o| o.as_slice()).unwrap_or_default();
                if logits.is_empty() || logits.len() % CLASSES.len() != 0 {
                    let expected = format!("frames of {} classes", CLASSES.len());
                    return Err(Error::Shape { what: "segmentation output", expected, got: format!("{} values", logits.len()) });
                }
                windows.push(LocalWindow { first_frame, active: logits.chunks_exact(CLASSES.len()).map(decode).collect() });
            }
            if start + WINDOW >= sound.count() {
                return Ok(windows);
            }
            first_frame += step_frames;
        }
    }
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
