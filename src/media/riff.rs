//! WAV files FFmpeg and hound misread or read in part: fewer valid bits than the container holds, and several files
//! joined into one.
//!
//! `WAVE_FORMAT_EXTENSIBLE` puts the valid bits of an integer at the top of its container, so that full scale is the
//! container's; some writers put them at the bottom. The samples tell: low bytes all zero, or high bits all copies of
//! the sign. Parts of a joined file follow each other, each with its own rate and channels.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::downmix::AudioPiece;
use super::intake::Intake;
use super::probe::Probe;
use crate::error::{Error, Result};
use crate::warning::Warning;

/// Instants read at once.
const PIECE: usize = 1 << 16;
const PCM: u16 = 1;
const FLOAT: u16 = 3;
const EXTENSIBLE: u16 = 0xFFFE;
/// Parts of one file at most: beyond it is no recording.
const MOST_PARTS: usize = 10_000;

/// WAV files in one file, each of integers or floats.
pub(super) struct RiffParts {
    path: PathBuf,
    file: File,
    parts: Vec<WavePart>,
    /// Bytes behind the last part that are another WAV, but not one that can be read here.
    unread: u64,
}

/// One `fmt ` with its `data`.
#[derive(Clone, Debug, PartialEq)]
struct WavePart {
    float: bool,
    channels: usize,
    rate_hz: u32,
    /// Bytes a sample.
    width: usize,
    valid_bits: u32,
    /// Integers by their tag, in a container wider than they are: an old editor wrote floats so.
    doubtful: bool,
    begin: u64,
    /// Bytes of sound there are.
    bytes: u64,
    /// Bytes of sound the header tells.
    told: u64,
}

impl RiffParts {
    /// `None` where the file is no WAV, or one the usual way reads right: all bits valid, and nothing behind it.
    pub(super) fn open(path: &Path, probe: &Probe) -> Result<Option<Self>> {
        if probe.container != "wav" {
            return Ok(None);
        }
        let unreadable = |source| Error::Read { path: path.to_path_buf(), source };
        let mut file = File::open(path).map_err(unreadable)?;
        let end = file.metadata().map_err(unreadable)?.len();
        let mut parts = Vec::new();
        let mut at = 0;
        while parts.len() < MOST_PARTS
            && let Some((part, next)) = part(&mut file, at, end).map_err(unreadable)?
        {
            // Behind sound that cannot be read here nothing is; what is before it stays.
            if part.is_empty() {
                at = if parts.is_empty() { next } else { at };
                break;
            }
            at = next;
            parts.extend(part);
        }
        let narrow = |p: &WavePart| !p.float && p.valid_bits < 8 * p.width as u32;
        let ours = parts.len() > 1 || parts.first().is_some_and(narrow);
        let behind = at > 0 && starts_riff(&mut file, at, end).map_err(unreadable)?;
        let unread = if behind { end - at } else { 0 };
        Ok((ours || behind).then(|| RiffParts { path: path.to_path_buf(), file, parts, unread }))
    }

    /// False where all there is to do is to warn.
    pub(super) fn is_readable(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Seconds of sound in all parts, as their headers tell.
    pub(super) fn declared_secs(&self) -> f64 {
        self.parts.iter().map(|p| (p.told / (p.width * p.channels) as u64) as f64 / f64::from(p.rate_hz)).sum()
    }

    /// What there is to warn of.
    pub(super) fn warnings(&self) -> Vec<Warning> {
        let joined = (self.parts.len() > 1).then_some(Warning::WavJoined { files: self.parts.len() });
        let unread = (self.unread > 0).then_some(Warning::WavUnread { bytes: self.unread });
        joined.into_iter().chain(unread).collect()
    }

    /// Reads everything into `intake`.
    pub(super) fn read_into(mut self, intake: &mut Intake) -> Result<()> {
        self.parts.iter().try_for_each(|part| read(&mut self.file, part, intake, &self.path))
    }
}

/// True for a WAV whose header tells integers and whose samples are floats, or that holds neither: not to be read as
/// integers.
pub(super) fn holds_no_integers(path: &Path) -> bool {
    let look = || -> std::io::Result<bool> {
        let mut file = File::open(path)?;
        let end = file.metadata()?.len();
        Ok(part(&mut file, 0, end)?.is_some_and(|(parts, _)| parts.is_empty()))
    };
    look().unwrap_or(false)
}

fn starts_riff(file: &mut File, at: u64, end: u64) -> std::io::Result<bool> {
    if at.saturating_add(12) > end {
        return Ok(false);
    }
    let mut head = [0; 12];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut head)?;
    Ok(&head[..4] == b"RIFF" && &head[8..] == b"WAVE")
}

/// The WAV that begins at `at`, as a part for each chunk of sound, and where it ends; there is none where it has no
/// sound that can be read here.
fn part(file: &mut File, at: u64, end: u64) -> std::io::Result<Option<(Vec<WavePart>, u64)>> {
    if !starts_riff(file, at, end)? {
        return Ok(None);
    }
    let mut format: Option<WavePart> = None;
    let mut parts: Vec<WavePart> = Vec::new();
    let mut chunk = at + 12;
    while chunk + 8 <= end {
        let mut head = [0; 8];
        file.seek(SeekFrom::Start(chunk))?;
        file.read_exact(&mut head)?;
        let size = u64::from(u32::from_le_bytes([head[4], head[5], head[6], head[7]]));
        let body = chunk + 8;
        match &head[..4] {
            b"RIFF" => break,
            b"fmt " => {
                let mut bytes = vec![0; size.min(40).min(end - body) as usize];
                file.read_exact(&mut bytes)?;
                refuse_less_than_a_byte(&bytes)?;
                format = parse_format(&bytes);
            }
            // Written to a pipe, or cut short: the usual way reads it.
            b"data" if at == 0 && parts.is_empty() && (size == 0 || body + size > end) => return Ok(None),
            b"data" => {
                if let Some(part) = format.as_mut() {
                    let piped = size == 0 || size >= u64::from(u32::MAX) - 0xFF;
                    let bytes = if piped { end - body } else { size.min(end - body) };
                    (part.begin, part.bytes, part.told) = (body, bytes, if piped { bytes } else { size });
                    if part.doubtful && parts.is_empty() && floats(file, part)? {
                        format = None;
                    }
                    parts.extend(format.clone());
                    if piped {
                        return Ok(Some((parts, end)));
                    }
                }
            }
            _ => {}
        }
        chunk = body + size;
        // A chunk of odd length is padded, but not by every writer.
        if size % 2 == 1 && !starts_riff(file, chunk, end)? {
            chunk += 1;
        }
    }
    Ok(Some((parts, chunk.min(end))))
}

/// FFmpeg reads integers of less than a byte as bytes: noise where there may have been speech.
fn refuse_less_than_a_byte(bytes: &[u8]) -> std::io::Result<()> {
    let word = |at: usize| bytes.get(at..at + 2).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]));
    let (tag, channels, align, bits) = (word(0), word(2), word(12), word(14));
    if tag == PCM && bits > 0 && bits < 8 && align < channels {
        let what = format!(
            "its header tells samples of {bits} bits in blocks of {align} bytes, which no recorder writes: convert it \
             anew"
        );
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, what));
    }
    Ok(())
}

/// `None` for what are neither integers nor floats.
fn parse_format(bytes: &[u8]) -> Option<WavePart> {
    let word = |at: usize| Some(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
    let (tag, channels, align, bits) = (word(0)?, word(2)?, word(12)?, word(14)?);
    let rate_hz = u32::from_le_bytes(bytes.get(4..8)?.try_into().ok()?);
    let tag_in_guid = if tag == EXTENSIBLE { word(24)? } else { tag };
    let valid = if tag == EXTENSIBLE { word(18).filter(|&v| v > 0 && v <= bits)? } else { bits };
    let width = usize::from(align.checked_div(channels)?);
    let float = tag_in_guid == FLOAT;
    let sane = if float { matches!(width, 4 | 8) } else { tag_in_guid == PCM && (1..=4).contains(&width) };
    let whole = width * usize::from(channels) == usize::from(align) && rate_hz > 0 && usize::from(bits) <= 8 * width;
    (sane && whole).then(|| WavePart {
        float,
        channels: usize::from(channels),
        rate_hz,
        width,
        valid_bits: u32::from(valid),
        doubtful: tag == PCM && width == 4 && bits <= 24,
        begin: 0,
        bytes: 0,
        told: 0,
    })
}

/// True where the sound of `part` makes sense as floats scaled to integers, as Adobe Audition wrote them: FFmpeg reads
/// those.
fn floats(file: &mut File, part: &WavePart) -> std::io::Result<bool> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(part.begin))?;
    file.take(part.bytes.min(4 * PIECE as u64)).read_to_end(&mut bytes)?;
    let samples: Vec<f64> =
        bytes.chunks_exact(4).map(|b| value(b, true, 0).abs()).filter(|s| *s > 0.0 || s.is_nan()).collect();
    // Integers taken for floats are next to nothing, or beyond all bounds.
    let sensible = samples.iter().filter(|s| **s > 1e-3).count();
    Ok(2 * sensible > samples.len() && samples.iter().all(|s| *s <= 4.0 * 16_777_216.0))
}

fn read(file: &mut File, part: &WavePart, intake: &mut Intake, path: &Path) -> Result<()> {
    let unreadable = |source| Error::Read { path: path.to_path_buf(), source };
    file.seek(SeekFrom::Start(part.begin)).map_err(unreadable)?;
    let instant_bytes = part.width * part.channels;
    let mut left = part.bytes / instant_bytes as u64;
    let mut reader = BufReader::new(file);
    let mut shift = None;
    let mut bytes = Vec::new();
    while left > 0 {
        let now = left.min(PIECE as u64) as usize;
        bytes.resize(now * instant_bytes, 0);
        reader.read_exact(&mut bytes).map_err(unreadable)?;
        shift = shift.or_else(|| low_bits(part, &bytes));
        let mut piece = AudioPiece::new(None, part.rate_hz, part.channels, now);
        for instant in bytes.chunks_exact(instant_bytes) {
            piece.push(instant.chunks_exact(part.width).map(|b| value(b, part.float, shift.unwrap_or(0))));
        }
        intake.take(piece)?;
        left -= now as u64;
    }
    Ok(())
}

/// How far integers must be shifted up to fill their container; `None` as long as there is only silence to tell it
/// from.
fn low_bits(part: &WavePart, bytes: &[u8]) -> Option<u32> {
    let spare =
        (8 * part.width as u32).checked_sub(part.valid_bits).filter(|&s| s > 0 && !part.float && part.width > 1)?;
    let mut samples = bytes.chunks_exact(part.width).map(integer).filter(|&s| s != 0).peekable();
    samples.peek()?;
    // In 32 bits, what lies in the low `valid` bits is left as it is by this.
    let unused = 32 - 8 * part.width as u32;
    let (mut high, mut low) = (true, true);
    for sample in samples {
        let own = sample >> unused;
        high &= own & ((1 << spare) - 1) == 0;
        low &= (sample << spare) >> spare == sample;
    }
    Some(if low && !high { spare } else { 0 })
}

/// The sample at the top of 32 bits.
fn integer(bytes: &[u8]) -> i32 {
    let mut word = [0; 4];
    word[4 - bytes.len()..].copy_from_slice(bytes);
    i32::from_le_bytes(word)
}

/// Full scale 1; as in FFmpeg, that of integers is the most negative one.
fn value(bytes: &[u8], float: bool, shift: u32) -> f64 {
    match (float, bytes) {
        (true, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
        (true, &[a, b, c, d, e, f, g, h]) => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
        (false, &[byte]) => (f64::from(byte) - 128.0) / 128.0,
        _ => f64::from(integer(bytes) << shift) / 2_147_483_648.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_less_than_a_byte_are_refused() {
        let format = |bits: u8, align: u8| [1, 0, 1, 0, 0x80, 0x3e, 0, 0, 0, 0, 0, 0, align, 0, bits, 0];
        assert!(refuse_less_than_a_byte(&format(1, 0)).unwrap_err().to_string().contains("1 bits"));
        refuse_less_than_a_byte(&format(16, 2)).unwrap();
        refuse_less_than_a_byte(&format(4, 1)).unwrap();
    }
}
