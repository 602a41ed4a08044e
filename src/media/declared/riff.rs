//! WAV and its 64-bit kin (RF64, BW64, Sony Wave64): what the header says of format and length.

use super::bytes::Bytes;

/// Chunks looked at in search of one.
const MOST_CHUNKS: usize = 10_000;
/// WAVE_FORMAT_ADPCM and _DVI_ADPCM: blocks of so many samples.
const ADPCM: [u16; 2] = [2, 0x11];
/// WAVE_FORMAT_PCM, _IEEE_FLOAT and _EXTENSIBLE.
const PCM: u16 = 1;
const FLOAT: u16 = 3;
const EXTENSIBLE: u16 = 0xFFFE;

/// A WAV header.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Wav {
    /// Format tag; in the extensible form the sub-format's.
    tag: u16,
    channels: u16,
    rate_hz: u32,
    bytes_a_second: u32,
    block_bytes: u16,
    /// Samples of each channel in a block, and in the file, where the header tells them.
    block_samples: Option<u16>,
    samples: Option<u32>,
    /// Where the samples begin.
    data_at: u64,
    /// How many bytes of them there are by the header; `None` where it was written before anyone knew.
    data_bytes: Option<u64>,
}

impl Wav {
    /// Reads RIFF, RF64 and BW64.
    pub(super) fn read(file: &Bytes) -> Option<Self> {
        let long = match &file.at::<4>(0)? {
            b"RIFF" => false,
            b"RF64" | b"BW64" => true,
            _ => return None,
        };
        let mut wav = Wav::default();
        let mut long_bytes = None;
        let mut at = 12;
        for _ in 0..MOST_CHUNKS {
            let (name, size) = (file.at::<4>(at)?, file.u32_le(at + 4)?);
            match &name {
                b"ds64" => long_bytes = file.u64_le(at + 16),
                b"fmt " => wav.format(&file.piece(at + 8, (size as usize).min(64)))?,
                b"fact" => wav.samples = file.u32_le(at + 8).filter(|&n| n > 0 && n < u32::MAX),
                b"data" => {
                    wav.data_at = at + 8;
                    wav.data_bytes = if long && size == u32::MAX { long_bytes } else { known(size) };
                    wav.data_bytes = wav.data_bytes.filter(|&n| n > 0 && n < u64::MAX / 2);
                    return (wav.rate_hz > 0 && wav.block_bytes > 0).then_some(wav);
                }
                _ => {}
            }
            at += 8 + u64::from(size) + u64::from(size & 1);
        }
        None
    }

    /// Reads Sony Wave64: names of 16 bytes, sizes of 8 that count the 24 of both, all of it on multiples of 8.
    pub(super) fn read_wave64(file: &Bytes) -> Option<Self> {
        if &file.at::<4>(0)? != b"riff" {
            return None;
        }
        let mut wav = Wav::default();
        let mut at = 40;
        for _ in 0..MOST_CHUNKS {
            let (name, size) = (file.at::<4>(at)?, file.u64_le(at + 16)?);
            let size = size.checked_sub(24)?;
            match &name {
                b"fmt " => wav.format(&file.piece(at + 24, 64.min(size as usize)))?,
                b"data" => {
                    (wav.data_at, wav.data_bytes) = (at + 24, Some(size).filter(|&n| n > 0 && n < u64::MAX / 2));
                    return (wav.rate_hz > 0 && wav.block_bytes > 0).then_some(wav);
                }
                _ => {}
            }
            at = at.checked_add((size + 24).checked_next_multiple_of(8)?)?;
        }
        None
    }

    fn format(&mut self, chunk: &[u8]) -> Option<()> {
        let u16_at = |at: usize| Some(u16::from_le_bytes(chunk.get(at..at + 2)?.try_into().ok()?));
        let u32_at = |at: usize| Some(u32::from_le_bytes(chunk.get(at..at + 4)?.try_into().ok()?));
        self.tag = u16_at(0)?;
        if self.tag == EXTENSIBLE {
            self.tag = u16_at(24)?;
        }
        (self.channels, self.rate_hz, self.bytes_a_second) = (u16_at(2)?, u32_at(4)?, u32_at(8)?);
        self.block_bytes = u16_at(12)?;
        self.block_samples = ADPCM.contains(&self.tag).then(|| u16_at(18)).flatten().filter(|&n| n > 0);
        Some(())
    }

    /// True where every sample takes the same bytes, so that bytes tell the time exactly.
    pub(super) fn is_pcm(&self) -> bool {
        matches!(self.tag, PCM | FLOAT)
    }

    /// Bytes of one sample of one channel of integer PCM; samples of fewer bits are the upper ones of them.
    pub(super) fn integer_bytes(&self) -> Option<u16> {
        let whole = self.tag == PCM && self.channels > 0 && self.block_bytes.is_multiple_of(self.channels);
        whole.then(|| self.block_bytes / self.channels)
    }

    /// The length the header tells, in seconds; where samples are packed by its blocks, its count or its mean rate.
    pub(super) fn secs(&self) -> Option<f64> {
        let bytes = self.data_bytes?;
        if self.is_pcm() {
            return Some((bytes / u64::from(self.block_bytes)) as f64 / f64::from(self.rate_hz));
        }
        let by_blocks = self.block_samples.map(|n| (bytes / u64::from(self.block_bytes)) as f64 * f64::from(n));
        if let Some(samples) = by_blocks.or(self.samples.map(f64::from)) {
            return Some(samples / f64::from(self.rate_hz));
        }
        (self.bytes_a_second > 0).then(|| bytes as f64 / f64::from(self.bytes_a_second))
    }

    /// True where the file ends before the samples the header tells of.
    pub(super) fn is_cut(&self, file_bytes: u64) -> bool {
        self.data_bytes.is_some_and(|n| self.data_at.saturating_add(n) > file_bytes)
    }

    /// Bytes of sound in data chunks behind the first, up to where another file begins.
    pub(super) fn more_sound_bytes(&self, file: &Bytes) -> u64 {
        let Some(mut at) = self.data_bytes.and_then(|bytes| self.data_at.checked_add(bytes + (bytes & 1))) else {
            return 0;
        };
        let mut more = 0;
        for _ in 0..MOST_CHUNKS {
            let (Some(name), Some(size)) = (file.at::<4>(at), file.u32_le(at + 4)) else { break };
            let size = u64::from(size);
            match &name {
                b"RIFF" | b"RF64" => break,
                b"data" => more += size.min(file.len - at - 8),
                name if !name.iter().all(|c| (0x20..0x7f).contains(c)) => break,
                _ => {}
            }
            at += 8 + size + (size & 1);
        }
        more
    }

    /// Seconds of what lies behind the samples the header tells of and is no chunk of the format: a header that was not
    /// brought up to
    /// date, as recorders that lose power leave it.
    pub(super) fn uncounted_secs(&self, file: &Bytes) -> Option<f64> {
        let end = self.data_at.checked_add(self.data_bytes?)?;
        let end = end + (end & 1);
        let rest = file.len.checked_sub(end).filter(|&n| n > 8)?;
        let (name, size) = (file.at::<4>(end)?, file.u32_le(end + 4)?);
        let is_chunk = name.iter().all(|c| (0x20..0x7f).contains(c)) && u64::from(size) <= rest;
        let blank = file.piece(end, 4096).iter().all(|&b| b == 0);
        let secs = rest as f64 / f64::from(self.bytes_a_second.max(1));
        (self.is_pcm() && !is_chunk && !blank).then_some(secs)
    }
}

/// Writers to a pipe leave 0, all ones, or the most a signed number holds (less a header, or rounded down to a page) as
/// the size.
fn known(size: u32) -> Option<u64> {
    let placeholder = size == 0 || size >= 0xFFFF_F000 || (0x7FFF_F000..=0x8000_0100).contains(&size);
    (!placeholder).then_some(u64::from(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_pipes_are_no_sizes() {
        for size in [0, u32::MAX, u32::MAX - 36, 0x7FFF_FFFF, 0x7FFF_F000, 0x8000_0000] {
            assert_eq!(known(size), None, "{size:#x}");
        }
        assert_eq!(known(640_000), Some(640_000));
    }
}
