//! ASF (WMV, WMA): the file properties object. FFmpeg leaves its duration out where the file's size is another than the
//! object tells.

use super::bytes::Bytes;

const FILE_PROPERTIES: [u8; 16] =
    [0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11, 0x8E, 0xE4, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65];
/// Bytes of headers read.
const MOST_HEADER: usize = 1 << 20;
/// The flag of a file that was written while it was sent: its numbers mean nothing.
const BROADCAST: u32 = 1;

/// Seconds the header tells, where the file is shorter than the header tells.
pub(super) fn of_a_cut_file(file: &Bytes) -> Option<f64> {
    let header = file.piece(0, MOST_HEADER);
    let at = header.windows(16).position(|w| w == FILE_PROPERTIES)?;
    let number = |offset: usize| Some(u64::from_le_bytes(header.get(at + offset..at + offset + 8)?.try_into().ok()?));
    let (file_bytes, play_100ns, preroll_ms) = (number(40)?, number(64)?, number(80)?);
    let flags = number(88)? as u32;
    let secs = play_100ns as f64 / 1e7 - preroll_ms as f64 / 1e3;
    (flags & BROADCAST == 0 && file_bytes > file.len && secs > 0.0).then_some(secs)
}
