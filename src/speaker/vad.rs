//! Voice activity: Silero VAD's speech probability of every 32 ms, and speech segments by hysteresis.
//!
//! Source: Silero VAD 6.2 (github.com/snakers4/silero-vad); its sequence model gives the chunk-wise model's numbers,
//! many chunks a call.

use ndarray::{Array2, Array3};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::inference::{Input, Loader, Session};
use crate::signal::Sound;
use crate::time::{FrameGrid, Segment};

/// Registry name of the model.
pub const MODEL: &str = "silero_vad_16k_sequence";

/// One probability a chunk of 512 samples at 16 kHz.
pub const CHUNKS: FrameGrid = FrameGrid::new(16_000, 512, 512);

/// Samples of the chunk before that the model sees ahead of each chunk.
const CONTEXT: usize = 64;

/// Width of the recurrent state.
const STATE: usize = 128;

/// Chunks a call (about half a minute): bounds memory, changes no number.
const CHUNKS_A_CALL: usize = 1000;

/// Voice activity parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VadConfig {
    /// Speech begins where the probability reaches this, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub onset_probability: f64,
    /// Speech ends where it falls below this, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub offset_probability: f64,
    /// Gaps shorter than this are filled.
    #[schemars(range(min = 0.0))]
    pub min_silence_secs: f64,
    /// Segments shorter than this are dropped.
    #[schemars(range(min = 0.0))]
    pub min_speech_secs: f64,
}

impl Default for VadConfig {
    fn default() -> Self {
        VadConfig { onset_probability: 0.5, offset_probability: 0.35, min_silence_secs: 0.1, min_speech_secs: 0.1 }
    }
}

/// The loaded model.
#[derive(Debug)]
pub struct Vad {
    session: Session,
}

impl Vad {
    /// [`MODEL`].
    ///
    /// # Errors
    /// What [`Loader::session`] says.
    pub fn open(loader: &mut Loader<'_>) -> Result<Self> {
        Ok(Vad { session: loader.session_without_arena(MODEL)? })
    }

    /// Speech probability, 0 to 1, of each started 512 samples of 16 kHz audio; the last chunk is filled with zeros.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`], and what [`Sound::piece`] says.
    pub fn probabilities(&mut self, sound: &impl Sound) -> Result<Vec<f32>> {
        let hop = CHUNKS.hop();
        let count = sound.count().div_ceil(hop);
        let mut result = Vec::with_capacity(count);
        let mut h = Array3::<f32>::zeros((1, 1, STATE)).into_dyn();
        let mut c = h.clone();
        for first in (0..count).step_by(CHUNKS_A_CALL) {
            let chunks = CHUNKS_A_CALL.min(count - first);
            let mut input = Array2::<f32>::zeros((chunks, CONTEXT + hop));
            let begin = (first * hop).saturating_sub(CONTEXT);
            let samples = sound.piece(begin..(first + chunks) * hop)?;
            for (row, mut chunk) in input.rows_mut().into_iter().enumerate() {
                let at = (first + row) * hop;
                for (i, value) in chunk.iter_mut().enumerate() {
                    if let Some(sample) = (at + i).checked_sub(CONTEXT + begin).and_then(|k| samples.get(k)) {
                        *value = *sample;
                    }
                }
            }
            let input = input.into_dyn();
            let mut outputs = self.session.run(&[
                ("input", Input::F32(input.view())),
                ("h", Input::F32(h.view())),
                ("c", Input::F32(c.view())),
            ])?;
            if let (Some(next_c), Some(next_h), Some(probabilities)) = (outputs.pop(), outputs.pop(), outputs.pop()) {
                result.extend(probabilities.iter().map(|p| if p.is_finite() { p.clamp(0.0, 1.0) } else { 0.0 }));
                (h, c) = (next_h, next_c);
            }
        }
        Ok(result)
    }
}

/// Speech segments of a probability curve (one value a chunk of [`CHUNKS`]), cut to `duration_secs`.
pub fn segments(probability: &[f32], config: &VadConfig, duration_secs: f64) -> Vec<Segment> {
    let mut spans: Vec<(f64, f64)> = Vec::new();
    let mut start = None;
    for (i, &p) in probability.iter().enumerate() {
        let p = f64::from(p);
        match start {
            None if p >= config.onset_probability => start = Some(i),
            Some(first) if p < config.offset_probability => {
                spans.push((first as f64 * CHUNKS.hop_secs(), i as f64 * CHUNKS.hop_secs()));
                start = None;
            }
            _ => {}
        }
    }
    if let Some(first) = start {
        spans.push((first as f64 * CHUNKS.hop_secs(), probability.len() as f64 * CHUNKS.hop_secs()));
    }
    let mut joined: Vec<(f64, f64)> = Vec::new();
    for (start, end) in spans {
        match joined.last_mut() {
            Some(last) if start - last.1 < config.min_silence_secs => last.1 = end,
            _ => joined.push((start, end)),
        }
    }
    joined
        .into_iter()
        .filter(|(start, end)| end - start >= config.min_speech_secs)
        .filter_map(|(start, end)| Segment::from_secs(start, end.min(duration_secs)))
        .filter(|s| !s.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::Runtime;
    use crate::speaker::fixture;

    #[test]
    fn hysteresis_fills_short_gaps_and_drops_short_bursts() {
        let config = VadConfig { min_silence_secs: 0.05, min_speech_secs: 0.06, ..VadConfig::default() };
        // A burst of one chunk (32 ms, dropped); then speech of which one chunk dips under the offset (filled) and one
        // only under the onset.
        let p = [0.9, 0.0, 0.0, 0.6, 0.4, 0.9, 0.1, 0.9, 0.0, 0.0];
        let found = segments(&p, &config, 10.0);
        assert_eq!(found.len(), 1);
        assert!(
            (found[0].start().get() - 3.0 * 0.032).abs() < 1e-12 && (found[0].end().get() - 8.0 * 0.032).abs() < 1e-12
        );
        // The end is cut to the recording.
        assert!((segments(&[1.0; 4], &config, 0.1)[0].end().get() - 0.1).abs() < 1e-12);
        assert!(segments(&[], &config, 0.0).is_empty());
    }

    #[test]
    #[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
    fn probabilities_equal_the_reference() {
        let shared = crate::reference::folder();
        let mut vad = Vad::open(&mut Loader::new(&fixture::registry(), Runtime::default())).expect("run make models");
        for clip in ["pyannote_sample", "dual_speaker", "three_speakers", "ami_dev00"] {
            let audio = fixture::clip(&shared, clip);
            let reference = fixture::gzip_csv(&shared.join(format!("reference/{clip}/silero_vad.csv.gz")));
            let got = vad.probabilities(&audio).unwrap();
            // The reference drops the chunk that is not whole.
            assert!(got.len() - reference.len() <= 1, "{clip}: {} and {}", got.len(), reference.len());
            for (row, p) in reference.iter().zip(&got) {
                assert!((row[1] - f64::from(*p)).abs() < 1e-3, "{clip} at {} s: {} and {p}", row[0], row[1]);
            }
        }
    }
}
