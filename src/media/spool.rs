//! Spooled sound: decoded samples in a nameless temporary file, so that memory does not grow with the recording.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;

use crate::error::{Error, Result};
use crate::signal::Sound;

/// Bytes a sample.
const WIDTH: usize = size_of::<f32>();

/// Samples written at once: 4 s at 16 kHz.
const PIECE: usize = 1 << 16;

/// Samples that may still be taken back: what the resampler's last block holds too many.
const KEPT: usize = 1 << 14;

/// Mono samples of a recording in a file of the system's temporary folder, which vanishes with the value; 4 bytes a
/// sample, exact.
#[derive(Debug)]
pub struct SpooledAudio {
    file: File,
    count: usize,
    rate_hz: u32,
}

impl SpooledAudio {
    /// Empty.
    pub(super) fn new(rate_hz: u32) -> Result<Self> {
        Ok(SpooledAudio { file: tempfile::tempfile().map_err(unwritable)?, count: 0, rate_hz })
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
        let finite = samples.iter().map(|s| if s.is_finite() { *s } else { 0.0 });
        let bytes: Vec<u8> = finite.flat_map(f32::to_le_bytes).collect();
        self.file.write_all(&bytes).map_err(unwritable)?;
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
        let mut bytes = vec![0; (end - start) * WIDTH];
        let mut file = &self.file;
        file.seek(SeekFrom::Start((start * WIDTH) as u64))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(unreadable)?;
        Ok(Cow::Owned(bytes.chunks_exact(WIDTH).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()))
    }
}

fn unwritable(e: std::io::Error) -> Error {
    Error::Write { path: std::env::temp_dir(), source: e.into() }
}

fn unreadable(source: std::io::Error) -> Error {
    Error::Read { path: std::env::temp_dir(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_back_as_they_went_in() {
        let mut sound = SpooledAudio::new(16_000).unwrap();
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
