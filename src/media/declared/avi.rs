//! AVI: the lengths in the stream headers, and whether the RIFF chunks reach past the file's end.

use super::bytes::Bytes;

/// Bytes of headers read.
const MOST_HEADER: usize = 1 << 20;
/// RIFF chunks of a long file, a gigabyte each.
const MOST_PARTS: usize = 100_000;

/// Seconds each stream's header tells, in order; `None` where it tells none. Empty where the file is whole: its index
/// is then there,
/// and FFmpeg goes by it.
pub(super) fn of_a_cut_file(file: &Bytes) -> Vec<Option<f64>> {
    if is_cut(file) { stream_secs(&file.piece(0, MOST_HEADER)) } else { Vec::new() }
}

fn is_cut(file: &Bytes) -> bool {
    let mut at = 0_u64;
    for _ in 0..MOST_PARTS {
        let (Some(name), Some(size)) = (file.at::<4>(at), file.u32_le(at + 4)) else { return false };
        if &name != b"RIFF" || matches!(size, 0 | u32::MAX) {
            return false;
        }
        at += 8 + u64::from(size);
        if at > file.len {
            return true;
        }
    }
    false
}

/// Every `strh` in `header`, which is the beginning of the file.
fn stream_secs(header: &[u8]) -> Vec<Option<f64>> {
    let end = header.windows(4).position(|w| w == b"movi").unwrap_or(header.len());
    let header = &header[..end];
    let places = header.windows(4).enumerate().filter(|(_, w)| *w == b"strh").map(|(i, _)| i + 8);
    places.map(|at| secs(header, at)).collect()
}

/// Start and length in units of scale / rate.
fn secs(header: &[u8], at: usize) -> Option<f64> {
    let number = |offset: usize| {
        let bytes = header.get(at + offset..at + offset + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let (scale, rate, length) = (number(20)?, number(24)?, number(32)?);
    (scale > 0 && rate > 0 && length > 0).then(|| f64::from(length) * f64::from(scale) / f64::from(rate))
}
