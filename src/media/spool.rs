//! Spooled sound: decoded samples put aside, so that memory does not grow with the recording.

use std::borrow::Cow;
use std::ops::Range;

use crate::error::Result;
use crate::scratch::Scratch;
use crate::signal::Sound;

/// Samples written at once: 4 s at 16 kHz.
const PIECE: usize = 1 << 16;

/// Samples that may still be taken back: what the resampler's last block holds too many.
const KEPT: usize = 1 << 14;

/// Mono samples of a recording, those of more than a minute in a temporary file; 4 bytes a sample, exact.
#[derive(Debug, Default)]
pub struct SpooledAudio {
    samples: Scratch,
    count: usize,
    rate_hz: u32,
}

impl SpooledAudio {
    /// Empty.
    pub(super) fn new(rate_hz: u32) -> Self {
        SpooledAudio { rate_hz, ..SpooledAudio::default() }
    }

    /// Moves the front of `waiting` into the file once there is enough of it.
    pub(super) fn take(&mut self, waiting: &mut Vec<f32>) -> Result<()> {
        if waiting.len() < PIECE + KEPT {
            return Ok(());
        }
        let ready = waiting.len() - KEPT;
        self.append(&waiting[..ready])?;
        waiting.drain(..ready);
        Ok(())
    }

    /// Writes `samples` behind what there is; as in an [`crate::signal::AudioBuffer`], NaN and infinite ones become 0.
    pub(super) fn append(&mut self, samples: &[f32]) -> Result<()> {
        self.samples.append_floats(samples.iter().map(|s| if s.is_finite() { *s } else { 0.0 }))?;
        self.count += samples.len();
        Ok(())
    }
}

impl Sound for SpooledAudio {
    fn rate_hz(&self) -> u32 {
        self.rate_hz
    }

    fn count(&self) -> usize {
        self.count
    }

    fn piece(&self, range: Range<usize>) -> Result<Cow<'_, [f32]>> {
        let end = range.end.min(self.count);
        let start = range.start.min(end);
        Ok(Cow::Owned(self.samples.floats(start..end)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_back_as_they_went_in() {
        let mut sound = SpooledAudio::new(16_000);
        let all: Vec<f32> = (0..200_000).map(|i| i as f32 * 1e-6 - 0.1).collect();
        let mut waiting = Vec::new();
        for part in all.chunks(30_011) {
            waiting.extend_from_slice(part);
            sound.take(&mut waiting).unwrap();
            assert!(waiting.len() < PIECE + KEPT);
        }
        assert!(sound.count() > 0);
        sound.append(&waiting).unwrap();
        sound.append(&[f32::NAN]).unwrap();
        assert_eq!(sound.count(), 200_001);
        assert_eq!(sound.piece(123_456..123_460).unwrap().as_ref(), &all[123_456..123_460]);
        assert_eq!(sound.piece(199_999..300_000).unwrap().as_ref(), [all[199_999], 0.0]);
        assert!(sound.piece(300_000..400_000).unwrap().is_empty());
    }
}
