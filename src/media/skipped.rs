//! Bytes passed over between the packets of bare MP3 and AAC: such files hold no time stamps, FFmpeg counts packets,
//! and what follows a damaged stretch would be told too early by all that was lost in it.
//!
//! A packet is whole where its header tells its own size. From one whole packet to the next, bytes that belong to
//! neither are as many packets as their mean size makes of them: exact at a constant bit rate, near it otherwise.

use std::path::PathBuf;

use super::declared;
use super::probe::Probe;

/// kbit/s of MPEG 1 layer 3 and of MPEG 2 layer 3, by the number in the header.
const MPEG_1: [usize; 15] = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG_2: [usize; 15] = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const RATES_HZ: [usize; 3] = [44_100, 48_000, 32_000];
/// Packets that the mean size is taken of before it is believed.
const LEAST_PACKETS: u64 = 8;
/// Bytes of a packet in which the header of a whole file of MP3 stands.
const XING_BYTES: usize = 64;

/// Watches the packets of one stream.
pub(super) struct Skipped {
    path: PathBuf,
    length: fn(&[u8]) -> Option<usize>,
    /// Behind the last whole packet: byte, and time by count.
    last: Option<(u64, f64)>,
    packets: u64,
    bytes: u64,
    late_secs: f64,
}

impl Skipped {
    /// `None` where packets have time stamps.
    pub(super) fn of(probe: &Probe) -> Option<Self> {
        let length = match probe.container.as_str() {
            "mp3" => mp3_bytes,
            "aac" => adts_bytes,
            _ => return None,
        };
        Some(Skipped { path: probe.path.clone(), length, last: None, packets: 0, bytes: 0, late_secs: 0.0 })
    }

    /// Seconds by which the packets from the last one on are later than they are counted.
    pub(super) fn late_secs(&self) -> f64 {
        self.late_secs
    }

    /// Takes the packet at byte `position`, which by count begins at `start` and lasts `duration` seconds. In words,
    /// what was passed over before it.
    pub(super) fn take(&mut self, position: isize, data: &[u8], start: f64, duration: f64) -> Option<String> {
        let position = u64::try_from(position).ok()?;
        // The last packet before tags or damage holds their first bytes too.
        let length = (self.length)(data).filter(|&length| length <= data.len() && duration > 0.0)?;
        let last = self.last.replace((position + length as u64, start + duration));
        if length == data.len() {
            self.packets += 1;
            self.bytes += data.len() as u64;
        }
        let (end, due) = last.filter(|&(end, _)| position > end)?;
        let (after_tags, head) = declared::after_tags(&self.path, end, XING_BYTES).unwrap_or((end, Vec::new()));
        let lost = position - after_tags.min(position);
        if lost == 0 || self.packets < LEAST_PACKETS || begins_a_file(data) || begins_a_file(&head) {
            return None;
        }
        let packets = (lost as f64 * self.packets as f64 / self.bytes as f64).round();
        let late = packets * duration - (start - due);
        if late < duration / 2.0 {
            return None;
        }
        self.late_secs += late;
        Some(format!("{lost} bytes from byte {end} on are no packets; what follows is placed by its place in the file"))
    }
}

/// True where another recording begins, joined to the one before.
fn begins_a_file(data: &[u8]) -> bool {
    let head = &data[..data.len().min(XING_BYTES)];
    head.windows(4).any(|w| matches!(w, b"Xing" | b"Info" | b"VBRI"))
}

/// Bytes of a frame of MPEG layer 3 by its header.
fn mp3_bytes(data: &[u8]) -> Option<usize> {
    let &[0xFF, version, numbers, ..] = data else { return None };
    if version & 0xE6 != 0xE2 {
        return None;
    }
    let kbits = usize::from(numbers >> 4);
    let rate_hz = RATES_HZ.get(usize::from(numbers >> 2 & 3))?;
    let padding = usize::from(numbers >> 1 & 1);
    let (kbits, slots, rate_hz) = match version >> 3 & 3 {
        3 => (MPEG_1.get(kbits)?, 144, *rate_hz),
        2 => (MPEG_2.get(kbits)?, 72, rate_hz / 2),
        0 => (MPEG_2.get(kbits)?, 72, rate_hz / 4),
        _ => return None,
    };
    (*kbits > 0).then(|| slots * kbits * 1000 / rate_hz + padding)
}

/// Bytes of a frame of AAC in ADTS by its header.
fn adts_bytes(data: &[u8]) -> Option<usize> {
    let &[0xFF, sync, _, a, b, c, ..] = data else { return None };
    let bytes = usize::from(a & 3) << 11 | usize::from(b) << 3 | usize::from(c >> 5);
    (sync & 0xF6 == 0xF0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::media::clips::Clips;
    use crate::media::{StreamPick, audio};

    #[test]
    fn headers_tell_the_size() {
        assert_eq!(mp3_bytes(&[0xFF, 0xFB, 0x90, 0]), Some(417));
        assert_eq!(mp3_bytes(&[0xFF, 0xFB, 0x92, 0]), Some(418));
        assert_eq!(mp3_bytes(&[0xFF, 0xF3, 0x38, 0]), Some(108));
        assert_eq!(mp3_bytes(&[0x00, 0xFB, 0x92, 0]), None);
        assert_eq!(adts_bytes(&[0xFF, 0xF1, 0x50, 0x80, 0x1A, 0x3F]), Some(209));
    }

    /// Seconds of the first sample in the second half of the file louder than a twentieth of full scale.
    fn onset(path: &Path) -> (f64, Vec<String>) {
        let a = audio(path, 16_000, StreamPick::default()).unwrap();
        let samples = a.buffer.samples();
        let at = (5 * 16_000..samples.len()).find(|&i| samples[i].abs() > 0.05).unwrap_or(0);
        (at as f64 / 16_000.0, a.warnings.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn sound_behind_a_spoilt_stretch_keeps_its_time() {
        let clips = Clips::new();
        // Noise up to 3 s and from 6 s on; what is spoilt lies in the silence between.
        let source = "-f lavfi -i \"aevalsrc='if(between(t,3,6),0,0.5*(2*random(0)-1))':s=16000:d=8\"";
        for (name, options, slack) in [
            ("cbr.mp3", "-c:a libmp3lame -b:a 24k", 0.04),
            ("cbr44.mp3", "-c:a libmp3lame -ar 44100 -b:a 64k", 0.04),
            ("a.mp3", "-q:a 4", 0.5),
        ] {
            let path = clips.make(name, &format!("{source} {options}"));
            let (whole, told) = onset(&path);
            assert!((whole - 6.0).abs() < 0.1 && told.is_empty(), "{name}: {whole} {told:?}");
            let mut bytes = std::fs::read(&path).unwrap();
            let (from, to) = (bytes.len() * 42 / 100, bytes.len() * 55 / 100);
            let from = if name == "a.mp3" { bytes.len() * 46 / 100 } else { from };
            bytes[from..if name == "a.mp3" { from + 1500 } else { to }].fill(0x55);
            std::fs::write(&path, &bytes).unwrap();
            let (spoilt, told) = onset(&path);
            assert!((spoilt - whole).abs() < slack, "{name}: {spoilt} instead of {whole}: {told:?}");
            let named = |w: &String| w.starts_with("decode_error") || w.starts_with("gap_filled");
            assert!(told.iter().any(named), "{name}: {told:?}");
            if name != "a.mp3" {
                assert!(!told.iter().any(|w| w.starts_with("shortfall")), "{name}: {told:?}");
            }
        }
    }

    #[test]
    fn joined_files_and_their_tags_leave_no_gap() {
        let clips = Clips::new();
        let path = clips.make("a.mp3", "-f lavfi -i sine=frequency=220:sample_rate=44100:duration=3 -b:a 64k");
        let whole = std::fs::read(&path).unwrap();
        let one = audio(&path, 16_000, StreamPick::default()).unwrap().report.decoded_secs;
        let tag = [b"ID3\x04\0\0\0\0\x7F\0".as_slice(), &[b'x'; 127 * 128]].concat();
        for (between, from) in
            [(Vec::new(), 45), (Vec::new(), 0), (tag, 45), ([b"TAG".as_slice(), &[b'y'; 125]].concat(), 0)]
        {
            std::fs::write(&path, [whole.as_slice(), &between, &whole[from..]].concat()).unwrap();
            let a = audio(&path, 16_000, StreamPick::default()).unwrap();
            assert!((a.report.end_secs - 2.0 * one).abs() < 0.25, "{:?} {:?}", a.report, a.warnings);
            assert!(a.report.gaps.is_empty(), "{:?}", a.report);
            let told: Vec<String> = a.warnings.iter().map(ToString::to_string).collect();
            assert!(!told.iter().any(|w| w.contains("are no packets")), "{told:?}");
        }
    }

    #[test]
    fn what_was_cut_out_of_the_middle_is_told_where_it_was() {
        let clips = Clips::new();
        let path = clips.make("a.mp3", "-f lavfi -i sine=frequency=220:sample_rate=16000:duration=8 -b:a 24k");
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&whole[..10_000], &whole[14_050..]].concat()).unwrap();
        let (_, told) = onset(&path);
        assert!(told.iter().any(|w| w.starts_with("times_early: sound was lost at 3.")), "{told:?}");
    }
}
