//! Core Audio Format: the length of the data chunk, where packets all have one size.

use super::bytes::Bytes;

/// Chunks looked at in search of one.
const MOST_CHUNKS: usize = 10_000;

/// Seconds the header tells, and whether the file ends before them; `None` where packets vary or the length was left
/// open.
pub(super) fn read(file: &Bytes) -> Option<(f64, bool)> {
    if &file.at::<4>(0)? != b"caff" {
        return None;
    }
    let mut frames_a_byte = None;
    let mut at = 8_u64;
    for _ in 0..MOST_CHUNKS {
        let (name, size) = (file.at::<4>(at)?, i64::from_be_bytes(file.at(at + 4)?));
        let size = u64::try_from(size).ok()?;
        match &name {
            b"desc" => {
                let rate_hz = f64::from_be_bytes(file.at(at + 12)?);
                let packet_bytes = u32::from_be_bytes(file.at(at + 28)?);
                let packet_frames = u32::from_be_bytes(file.at(at + 32)?);
                let constant = packet_bytes > 0 && packet_frames > 0 && rate_hz > 0.0;
                frames_a_byte = constant.then(|| f64::from(packet_frames) / f64::from(packet_bytes) / rate_hz);
            }
            b"data" => {
                // The first four bytes count edits.
                let secs = size.checked_sub(4)? as f64 * frames_a_byte?;
                return Some((secs, at.saturating_add(12).saturating_add(size) > file.len));
            }
            _ => {}
        }
        at = at.checked_add(12)?.checked_add(size)?;
    }
    None
}

/// Seconds of a packet, where each has as many frames. Some writers count the last one as whole, though less of it is
/// sound.
pub(super) fn packet_secs(file: &Bytes) -> Option<f64> {
    // The description is the first chunk.
    if &file.at::<4>(0)? != b"caff" || &file.at::<4>(8)? != b"desc" {
        return None;
    }
    let (rate_hz, frames) = (f64::from_be_bytes(file.at(20)?), u32::from_be_bytes(file.at(40)?));
    (rate_hz > 0.0 && frames > 1).then(|| f64::from(frames) / rate_hz)
}
