//! What lies behind a container's own end: a second recording (`cat a.mp4 b.mp4`), which FFmpeg does not come to and
//! says nothing of. Tags, padding and chunks of the format's own are nothing to tell of.

use super::bytes::Bytes;
use super::films;
use crate::warning::Warning;

/// Fewer bytes than this of no known kind are no sound worth telling of.
const LEAST_UNKNOWN_BYTES: u64 = 4096;
/// Chunks, tags and blocks walked over at most.
const MOST_PIECES: usize = 20_000_000;
/// Bytes read at once in search of the end of padding.
const WINDOW: usize = 1 << 16;
/// Bytes of the parts of tags that are looked at.
const LYRICS_BYTES: usize = 1 << 20;
/// The header object of ASF.
const ASF_HEADER: [u8; 16] =
    [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C];
/// Samples of a frame of TTA: 256 / 245 of a second.
const TTA_FRAME: (u64, u64) = (256, 245);

/// Bytes that belong to no part of the first recording.
#[derive(Debug, PartialEq)]
pub(super) struct Rest {
    pub(super) at: u64,
    /// What they begin as, where that is known.
    pub(super) kind: Option<&'static str>,
    /// Seconds they tell of themselves.
    pub(super) secs: Option<f64>,
    /// The recording before is a film in fragments, which FFmpeg would read on from.
    pub(super) fragmented: bool,
}

/// What is told of a file of `container` (FFmpeg's name) that FFmpeg takes for `whole_secs` long.
pub(super) fn warning(file: &Bytes, container: &str, whole_secs: Option<f64>) -> Option<Warning> {
    let rest = match container {
        "mov,mp4,m4a,3gp,3g2,mj2" => films::rest(file),
        "flv" => flv(file),
        "asf" => asf(file),
        "aiff" => aiff(file),
        "caf" => caf(file),
        "tta" => tta(file),
        "wv" => wavpack(file),
        "au" => return au(file),
        _ => None,
    }?;
    let from = whole_secs.map_or_else(String::new, |secs| format!(" ({secs:.3} s)"));
    let what = rest.kind.map_or_else(|| "of no kind that is known".to_owned(), |kind| format!("another {kind} file"));
    let length = rest.secs.map_or_else(String::new, |secs| format!(" of {secs:.3} s"));
    let (bytes, at) = (file.len - rest.at, rest.at);
    let what = format!("behind the recording's end{from}, {bytes} bytes from byte {at} on are {what}{length}");
    Some(Warning::RecordingBehind { what })
}

/// What stands at `end`, behind tags and padding.
pub(super) fn behind(file: &Bytes, end: u64) -> Option<Rest> {
    let at = after_tags(file, end);
    // The zeros before a box of MP4 are the upper bytes of its size.
    let known = (at.saturating_sub(3).max(end)..=at).find_map(|at| Some((at, signature(file, at)?)));
    if let Some((at, kind)) = known {
        return Some(Rest { at, kind: Some(kind), secs: None, fragmented: false });
    }
    (file.len.saturating_sub(at) >= LEAST_UNKNOWN_BYTES).then_some(Rest {
        at,
        kind: None,
        secs: None,
        fragmented: false,
    })
}

/// The same where only another recording counts: what else follows is damage, which is told otherwise.
fn recording_behind(file: &Bytes, end: u64) -> Option<Rest> {
    behind(file, end).filter(|rest| rest.kind.is_some())
}

/// What kind of recording begins at `at`.
pub(super) fn signature(file: &Bytes, at: u64) -> Option<&'static str> {
    let head = file.piece(at, 16);
    let (first, second, third) =
        (head.get(..4)?, head.get(4..8).unwrap_or_default(), head.get(8..12).unwrap_or_default());
    match (first, second, third) {
        (b"RIFF" | b"RF64", _, b"WAVE") => Some("WAV"),
        (b"RIFF", _, b"AVI ") => Some("AVI"),
        (b"FORM", _, b"AIFF" | b"AIFC") => Some("AIFF"),
        (b"caff", [0, 1, 0, 0], _) => Some("CAF"),
        (b"FLV\x01", _, _) => Some("FLV"),
        (b"TTA1" | b"TTA2", _, _) => Some("TTA"),
        (b"wvpk", _, _) => Some("WavPack"),
        (b"fLaC", _, _) => Some("FLAC"),
        (b"OggS", [0, ..], _) => Some("Ogg"),
        (b".snd", _, _) => Some("AU"),
        ([0x1A, 0x45, 0xDF, 0xA3], _, _) => Some("Matroska"),
        (_, b"ftyp" | b"moov", _) => Some("MP4 or MOV"),
        _ => (head == ASF_HEADER).then_some("ASF"),
    }
}

/// Where tags and padding end that begin at `at`.
pub(super) fn after_tags(file: &Bytes, mut at: u64) -> u64 {
    // Tags may be written from the end of the file backwards, so that their beginning need not show what they are.
    let foot = |before: u64| {
        file.len.checked_sub(before).filter(|&at| file.at(at) == Some(*b"APETAGEX")).and_then(|at| file.u32_le(at + 12))
    };
    let feet = [32, 160].map(|before| foot(before).map(|size| (u64::from(size), before - 32)));
    for _ in 0..MOST_PIECES {
        let begin = at;
        if let Some((size, _)) = feet.iter().flatten().find(|(size, after)| at + size + after == file.len) {
            at += size;
        }
        let head = file.piece(at, 32);
        at += match head.as_slice() {
            [b'T', b'A', b'G', b'+', ..] => 227,
            [b'T', b'A', b'G', ..] => 128,
            [b'I', b'D', b'3', _, _, flags, a, b, c, d, ..] if (a | b | c | d) & 0x80 == 0 => {
                let size = [a, b, c, d].iter().fold(0_u64, |size, &&byte| (size << 7) | u64::from(byte));
                10 + size + if flags & 0x10 == 0 { 0 } else { 10 }
            }
            [b'A', b'P', b'E', b'T', b'A', b'G', b'E', b'X', ..] => ape_bytes(&head),
            [b'L', b'Y', b'R', b'I', b'C', b'S', b'B', ..] => {
                let lyrics = file.piece(at, LYRICS_BYTES);
                lyrics.windows(9).position(|w| w == b"LYRICS200" || w == b"LYRICSEND").map_or(0, |end| end as u64 + 9)
            }
            // XMP stands in a packet of its own at the end of some files.
            _ if head.starts_with(b"<?xpacket") || head.starts_with(b"<x:xmpmeta") => file.len.saturating_sub(at),
            [0, ..] => zeros(file, at),
            _ => 0,
        };
        if at <= begin || at >= file.len {
            break;
        }
    }
    at.min(file.len)
}

/// Bytes of an APE tag that begins with its header, or of its end alone.
fn ape_bytes(head: &[u8]) -> u64 {
    const IS_HEADER: u32 = 1 << 29;
    let number = |at: usize| head.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    32 + if number(20) & IS_HEADER == 0 { 0 } else { u64::from(number(12)) }
}

fn zeros(file: &Bytes, begin: u64) -> u64 {
    let mut at = begin;
    loop {
        let piece = file.piece(at, WINDOW);
        match piece.iter().position(|&b| b != 0) {
            Some(count) => return at + count as u64 - begin,
            None if piece.is_empty() => return at - begin,
            None => at += piece.len() as u64,
        }
    }
}

fn is_name(name: &[u8; 4]) -> bool {
    name.iter().all(|c| (0x20..0x7f).contains(c))
}

/// Tags one after the other, each with its size behind it.
fn flv(file: &Bytes) -> Option<Rest> {
    const KINDS: [u8; 3] = [8, 9, 18];
    let mut at = u64::from(u32::from_be_bytes(file.at(5)?)) + 4;
    for _ in 0..MOST_PIECES {
        let [kind, a, b, c] = file.at(at)?;
        if !KINDS.contains(&(kind & 0x1f)) {
            return recording_behind(file, at);
        }
        at += 11 + u64::from(u32::from_be_bytes([0, a, b, c])) + 4;
    }
    None
}

/// Objects one after the other: header, data, indices.
fn asf(file: &Bytes) -> Option<Rest> {
    const DATA: [u8; 4] = [0x36, 0x26, 0xB2, 0x75];
    /// First bytes of the indices: simple, by objects, by media objects, by time codes.
    const INDICES: [[u8; 4]; 4] =
        [[0x90, 0x08, 0x00, 0x33], [0xD3, 0x29, 0xE2, 0xD6], [0xF8, 0x03, 0xB1, 0xFE], [0xD0, 0x3F, 0xB7, 0x3C]];
    let mut at = file.u64_le(16).filter(|_| file.at(0) == Some(ASF_HEADER))?;
    for _ in 0..MOST_PIECES {
        let (name, size) = (file.at::<4>(at)?, file.u64_le(at + 16)?);
        if name != DATA && !INDICES.contains(&name) {
            return behind(file, at);
        }
        // Without a size it was sent as it was made.
        at = at.checked_add(size).filter(|_| size >= 24)?;
    }
    None
}

/// Chunks of IFF: a size that tells of all of them may never have been written.
fn aiff(file: &Bytes) -> Option<Rest> {
    let mut at = 12;
    let mut sound = false;
    for _ in 0..MOST_PIECES {
        let head = file.at::<4>(at);
        let size = u64::from(u32::from_be_bytes(file.at(at + 4).unwrap_or_default()));
        let Some(name) =
            head.filter(|name| is_name(name) && signature(file, at).is_none() && at + 8 + size <= file.len)
        else {
            return behind(file, at).filter(|_| sound);
        };
        // A size of 0 is one that was not known; FFmpeg reads to the end.
        if &name == b"SSND" && size == 0 {
            return None;
        }
        sound |= &name == b"SSND";
        at += 8 + size;
        // Not every writer pads.
        at += u64::from(size % 2 == 1 && signature(file, at).is_none());
    }
    None
}

fn caf(file: &Bytes) -> Option<Rest> {
    let mut at = 8_u64;
    let mut sound = false;
    for _ in 0..MOST_PIECES {
        let head = file.at::<4>(at);
        let size = i64::from_be_bytes(file.at(at + 4).unwrap_or_default());
        let Some(name) = head.filter(|name| is_name(name) && signature(file, at).is_none()) else {
            return behind(file, at).filter(|_| sound);
        };
        sound |= &name == b"data";
        // Left open, the sound goes to the end.
        at = at.checked_add(12)?.checked_add(u64::try_from(size).ok()?)?;
    }
    None
}

/// A table of the frames' sizes stands at the beginning.
fn tta(file: &Bytes) -> Option<Rest> {
    let begin = after_tags(file, 0);
    if file.at::<4>(begin)? != *b"TTA1" {
        return None;
    }
    let (rate_hz, samples) = (u64::from(file.u32_le(begin + 10)?), u64::from(file.u32_le(begin + 14)?));
    let frame = (rate_hz * TTA_FRAME.0 / TTA_FRAME.1).max(1);
    let frames = samples.div_ceil(frame);
    let table = file.piece(begin + 22, usize::try_from(4 * frames).ok()?);
    let sound: u64 = table.chunks_exact(4).map(|b| u64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))).sum();
    behind(file, begin + 22 + 4 * frames + 4 + sound)
}

/// Blocks, each with the number of its first sample.
fn wavpack(file: &Bytes) -> Option<Rest> {
    let mut at = after_tags(file, 0);
    let mut begun = false;
    for _ in 0..MOST_PIECES {
        if file.at::<4>(at)? != *b"wvpk" {
            return recording_behind(file, at);
        }
        let (size, samples, index) = (file.u32_le(at + 4)?, file.u32_le(at + 20)?, file.u32_le(at + 16)?);
        if begun && samples > 0 && index == 0 {
            return recording_behind(file, at);
        }
        begun |= index > 0;
        at += 8 + u64::from(size);
    }
    None
}

/// FFmpeg reads on to the end of the file, the header of another recording included.
fn au(file: &Bytes) -> Option<Warning> {
    let (begin, size) = (u32::from_be_bytes(file.at(4)?), u32::from_be_bytes(file.at(8)?));
    let end = (size < u32::MAX).then(|| u64::from(begin) + u64::from(size))?;
    let rest = recording_behind(file, end)?;
    let (kind, bytes) = (rest.kind?, file.len - rest.at);
    Some(Warning::ReadAsSound { bytes, kind })
}

#[cfg(test)]
#[path = "behind_tests.rs"]
mod tests;
