//! Bytes put aside: in memory while they are few, in a nameless temporary file from then on, so that what is held does
//! not grow with the length of a recording.

use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use tempfile::SpooledTempFile;

use crate::error::{Error, Result};

/// Bytes kept in memory: a minute of sound at 16 kHz. A short clip makes no file.
const IN_MEMORY: usize = 4 << 20;

/// Bytes that are written once, one after the other, and read anywhere. The file is in the system's temporary folder
/// and vanishes with the value.
pub struct Scratch {
    file: Mutex<SpooledTempFile>,
    bytes: u64,
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch { file: Mutex::new(tempfile::spooled_tempfile(IN_MEMORY)), bytes: 0 }
    }
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scratch of {} bytes", self.bytes)
    }
}

impl Scratch {
    /// How many bytes there are.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes `more` behind what there is.
    ///
    /// # Errors
    /// [`Error::Write`] when the temporary folder cannot hold it.
    pub fn append(&mut self, more: &[u8]) -> Result<()> {
        let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
        let written = file.seek(SeekFrom::Start(self.bytes)).and_then(|_| file.write_all(more));
        written.map_err(|e| Error::Write { path: std::env::temp_dir(), source: e.into() })?;
        self.bytes += more.len() as u64;
        Ok(())
    }

    /// The bytes of `range`.
    ///
    /// # Errors
    /// [`Error::Read`] when they cannot be read back, or when there are fewer.
    pub fn read(&self, range: Range<u64>) -> Result<Vec<u8>> {
        let mut bytes = vec![0; range.end.saturating_sub(range.start) as usize];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let read = file.seek(SeekFrom::Start(range.start)).and_then(|_| file.read_exact(&mut bytes));
        read.map_err(|source| Error::Read { path: std::env::temp_dir(), source })?;
        Ok(bytes)
    }

    /// The 32-bit floats, 4 bytes each, at the places `range`.
    ///
    /// # Errors
    /// As [`Scratch::read`].
    pub fn floats(&self, range: Range<usize>) -> Result<Vec<f32>> {
        let bytes = self.read(4 * range.start as u64..4 * range.end as u64)?;
        Ok(bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    }

    /// Appends floats as [`Scratch::floats`] reads them, every bit of them.
    ///
    /// # Errors
    /// As [`Scratch::append`].
    pub fn append_floats(&mut self, floats: impl Iterator<Item = f32>) -> Result<()> {
        let bytes: Vec<u8> = floats.flat_map(f32::to_le_bytes).collect();
        self.append(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_aside_comes_back_from_memory_and_from_a_file() {
        let mut scratch = Scratch::default();
        let part: Vec<f32> = (0..300_000).map(|i| i as f32).collect();
        for k in 0..5 {
            scratch.append_floats(part.iter().map(|x| x + k as f32)).unwrap();
            // Reading moves no place where the next bytes go.
            assert_eq!(scratch.floats(0..2).unwrap(), [0.0, 1.0]);
        }
        assert!(scratch.bytes() as usize > IN_MEMORY, "the test must reach the file");
        assert_eq!(scratch.floats(299_999..300_001).unwrap(), [299_999.0, 1.0]);
        assert_eq!(scratch.floats(1_499_999..1_500_000).unwrap(), [300_003.0]);
        assert!(scratch.floats(7..7).unwrap().is_empty());
        assert_eq!(scratch.floats(1_499_999..1_500_001).unwrap_err().kind(), "read");
        let odd = f32::from_bits(0x7fc0_1234);
        scratch.append_floats([odd].into_iter()).unwrap();
        assert_eq!(scratch.floats(1_500_000..1_500_001).unwrap()[0].to_bits(), odd.to_bits());
    }
}
