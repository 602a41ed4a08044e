//! Bytes at a place of a file, never more of it than asked for.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// An open file and its length.
pub(super) struct Bytes {
    file: File,
    pub(super) len: u64,
}

impl Bytes {
    /// `None` where the path is no regular file: a pipe has no length, and reading it would take bytes from FFmpeg.
    pub(super) fn open(path: &Path) -> Option<Self> {
        if !std::fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let file = File::open(path).ok()?;
        let len = file.metadata().ok()?.len();
        Some(Bytes { file, len })
    }

    /// `N` bytes at `at`; `None` past the end.
    pub(super) fn at<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.file.read_exact_at(&mut bytes, at).ok()?;
        Some(bytes)
    }

    /// Up to `count` bytes at `at`, fewer at the end.
    pub(super) fn piece(&self, at: u64, count: usize) -> Vec<u8> {
        let there = usize::try_from(self.len.saturating_sub(at)).unwrap_or(usize::MAX).min(count);
        let mut bytes = vec![0; there];
        match self.file.read_exact_at(&mut bytes, at) {
            Ok(()) => bytes,
            Err(_) => Vec::new(),
        }
    }

    /// A little-endian number.
    pub(super) fn u32_le(&self, at: u64) -> Option<u32> {
        self.at(at).map(u32::from_le_bytes)
    }

    /// A little-endian number.
    pub(super) fn u64_le(&self, at: u64) -> Option<u64> {
        self.at(at).map(u64::from_le_bytes)
    }
}
