//! How loud each frame is beside the rest of its recording: pauses, in which the edges of turns lie, are told by it
//! where neither segmentation nor voice activity is that sharp.

use super::super::segmentation::FRAMES;
use crate::error::Result;
use crate::signal::Sound;

/// Shares of the frames that are quieter than the recording's floor, and than its loudest speech.
const RANGE: (f64, f64) = (0.05, 0.95);

/// A recording's range is never taken for less: silence with a click in it has no loud half.
const LEAST_RANGE_DB: f64 = 6.0;

/// Added to the mean square, which is then never 0.
const LEAST_POWER: f64 = 1e-9;

/// Frames read at once.
const PIECE: usize = 1 << 10;

/// The level of each segmentation frame, -1 at the recording's floor to 1 at its loudest.
pub(in crate::speaker) struct Level(Vec<f64>);

impl Level {
    /// Of the first `frames` frames of `audio`.
    ///
    /// # Errors
    /// What [`Sound::piece`] says.
    pub(in crate::speaker) fn new(audio: &impl Sound, frames: usize) -> Result<Self> {
        Ok(Level(scaled(decibels(audio, frames)?)))
    }

    pub(super) fn frames(&self) -> &[f64] {
        &self.0
    }

    #[cfg(test)]
    pub(super) fn of(frames: Vec<f64>) -> Self {
        Level(frames)
    }
}

fn decibels(audio: &impl Sound, frames: usize) -> Result<Vec<f64>> {
    let hop = FRAMES.hop();
    // The hop of samples on either side of a frame's centre: shorter than the frame, whose edges would be blurred.
    let first_sample = (FRAMES.centre(0).get() * f64::from(super::super::RATE_HZ)) as usize;
    let mut db = Vec::with_capacity(frames);
    for from in (0..frames).step_by(PIECE) {
        let past = frames.min(from + PIECE);
        let start = (first_sample + from * hop).saturating_sub(hop);
        let end = (first_sample + past * hop).min(audio.count());
        let samples = audio.piece(start.min(end)..end)?;
        for frame in from..past {
            let centre = first_sample + frame * hop;
            let at = |sample: usize| sample.saturating_sub(start).min(samples.len());
            let own = &samples[at(centre.saturating_sub(hop))..at(centre + hop)];
            let power = own.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>() / own.len().max(1) as f64;
            db.push(10.0 * (power + LEAST_POWER).log10());
        }
    }
    Ok(db)
}

/// Levels in decibel to -1 to 1.
fn scaled(mut db: Vec<f64>) -> Vec<f64> {
    let mut sorted = db.clone();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted.get((share * sorted.len().saturating_sub(1) as f64).round() as usize).copied();
    let (low, high) = (at(RANGE.0).unwrap_or(0.0), at(RANGE.1).unwrap_or(0.0));
    let range = (high - low).max(LEAST_RANGE_DB);
    db.iter_mut().for_each(|level| *level = 2.0 * ((*level - low) / range).clamp(0.0, 1.0) - 1.0);
    db
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::AudioBuffer;

    #[test]
    fn a_pause_is_low_and_speech_is_high_whatever_the_recordings_gain() {
        for gain in [0.01, 0.5] {
            // Two seconds of tone and two of a hundredth of it, twice.
            let loud = |i: usize| (i / 32_000).is_multiple_of(2);
            let sample = |i: usize| (0.3 * i as f32).sin() * gain * if loud(i) { 1.0 } else { 0.01 };
            let audio = AudioBuffer::new((0..128_000).map(sample).collect(), 16_000);
            let frames = audio.count().div_ceil(FRAMES.hop());
            let found = Level::new(&audio, frames).unwrap().0;
            assert_eq!(found.len(), frames);
            let at = |secs: f64| found[((secs - 0.031) / FRAMES.hop_secs()) as usize];
            assert!(at(1.0) > 0.9 && at(5.0) > 0.9 && at(3.0) < -0.9, "{} {} {}", at(1.0), at(5.0), at(3.0));
            // Sharper than a frame is long.
            assert!(at(1.95) > 0.9 && at(2.05) < -0.9, "{} {}", at(1.95), at(2.05));
        }
        assert!(scaled(Vec::new()).is_empty());
        assert!(scaled(vec![-90.0; 9]).iter().all(|level| *level <= -1.0));
    }
}
