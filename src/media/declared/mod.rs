//! What the file itself tells of its length, where FFmpeg does not say it as it is told.
//!
//! FFmpeg cuts some declared lengths down to the file it finds, so that nothing seems to be missing of a file that was
//! cut short. Here
//! they are read from the container:
//!
//! ```text
//! WAV, RF64, Wave64   size of the data chunk by bytes a sample            riff.rs
//! CAF                 size of the data chunk                              caf.rs
//! AVI                 lengths in stream headers, where RIFF runs past the end of the file   avi.rs
//! ASF                 play duration, where the file is shorter than its header tells        asf.rs
//! Matroska            the DURATION tag, an end or a length by who wrote it                  here
//! Ogg, FLV, MPEG-TS   no length that survives cutting: only whether the end is one          tail.rs
//! GIF                 no length; whether its blocks lead to its trailer                     gif.rs
//! MP4, MOV            nothing more, but why one cannot be opened; in fragments, that it breaks off   atoms.rs
//! MP4, FLV, ASF, AIFF, CAF, TTA, WavPack, AU   a second recording behind the end of the first  behind.rs, films.rs
//! MP4, AIFF, AU, FLAC, TTA, WavPack, MP3 with a Xing header: FFmpeg tells what is declared, however short the file
//! ```

mod asf;
mod atoms;
mod avi;
mod behind;
mod bytes;
mod caf;
mod films;
mod gif;
mod riff;
mod tail;

use std::path::Path;

use ffmpeg_next::codec;

use self::bytes::Bytes;
use self::riff::Wav;
use super::probe::StreamInfo;
use crate::time::Seconds;
use crate::warning::Warning;

/// Less than this behind the samples is no sound worth telling of.
const UNCOUNTED_SECS: f64 = 0.1;
/// First bytes of Matroska.
const EBML: [u8; 4] = [0x1A, 0x45, 0xDF, 0xA3];
/// Pages of Ogg last a second or two; a file that begins later than some of them began so.
const LONGEST_HEAD_SECS: f64 = 10.0;

/// What is known of a file's end besides the streams' declared durations.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ending {
    /// Declared durations are exact to the sample.
    pub(super) exact: bool,
    /// Seconds of a packet, where declared durations count the last one as whole though less of it is sound.
    pub(super) packet_secs: Option<f64>,
    /// Declared durations are read off the last bytes of the file, so that they cannot show that it was cut.
    pub(super) by_the_file: bool,
    /// Why the file is known to break off, in words, where how much is missing is told nowhere.
    pub(super) broken_off: Option<String>,
    /// What FFmpeg complained of before the first packet, where that tells of lost sound.
    pub(super) lost_head: Option<String>,
    /// Bytes that nothing counts.
    pub(super) warnings: Vec<Warning>,
}

/// Puts what the file tells in place of what FFmpeg makes of it: the container's duration (seconds) and those of the
/// streams.
pub(super) fn amend(path: &Path, container: &str, whole_secs: &mut Option<f64>, streams: &mut [StreamInfo]) -> Ending {
    let mut ending = Ending::default();
    let Some(file) = Bytes::open(path) else { return ending };
    match container {
        "wav" => amend_wav(Wav::read(&file), &file, whole_secs, streams, &mut ending),
        "w64" => amend_wav(Wav::read_wave64(&file), &file, whole_secs, streams, &mut ending),
        "caf" => {
            ending.packet_secs = caf::packet_secs(&file);
            if let Some((secs, cut)) = caf::read(&file) {
                ending.exact = streams.iter().all(|s| s.codec.starts_with("pcm_"));
                if cut {
                    set(secs, whole_secs, streams);
                }
            }
        }
        "avi" => {
            let told = avi::of_a_cut_file(&file);
            for (stream, secs) in streams.iter_mut().zip(&told) {
                stream.declared_secs = secs.or(stream.declared_secs);
            }
            *whole_secs = told.into_iter().flatten().chain(*whole_secs).reduce(f64::max);
        }
        "asf" => {
            if let Some(secs) = asf::of_a_cut_file(&file) {
                *whole_secs = Some(secs);
                streams.iter_mut().for_each(|s| s.declared_secs = None);
            }
        }
        "ogg" => (ending.by_the_file, ending.broken_off) = (true, tail::ogg(&file)),
        "mpeg" => ending.by_the_file = true,
        "mpegts" => (ending.by_the_file, ending.broken_off) = (true, tail::ts(&file)),
        "mov,mp4,m4a,3gp,3g2,mj2" => {
            let told = atoms::read(&file);
            if told.fragmented && told.cut.is_some() {
                // Only the fragments that FFmpeg has come to are counted in its durations.
                ending.broken_off = told.cut;
                *whole_secs = None;
                streams.iter_mut().for_each(|s| s.declared_secs = None);
            }
        }
        "flv" if whole_secs.is_none() => ending.broken_off = tail::flv(&file),
        "gif" => ending.broken_off = gif::broken_off(&file),
        _ => {}
    }
    ending.warnings.extend(behind::warning(&file, container, *whole_secs));
    ending
}

fn amend_wav(
    wav: Option<Wav>,
    file: &Bytes,
    whole_secs: &mut Option<f64>,
    streams: &mut [StreamInfo],
    ending: &mut Ending,
) {
    let Some(wav) = wav else { return };
    ending.exact = wav.is_pcm();
    match wav.secs() {
        Some(secs) if wav.is_pcm() || wav.is_cut(file.len) => set(secs, whole_secs, streams),
        // The size is a placeholder, and what FFmpeg tells is the file's own length.
        None => ending.exact = false,
        Some(_) => {}
    }
    let bytes = wav.more_sound_bytes(file);
    if bytes > 0 {
        ending.warnings.push(Warning::ChunksUnread { bytes });
    }
    if let Some(rest_secs) = wav.uncounted_secs(file).filter(|&secs| secs > UNCOUNTED_SECS) {
        let declared_secs = wav.secs().unwrap_or(0.0);
        ending.warnings.push(Warning::BytesUnread { declared_secs, rest_secs });
    }
}

fn set(secs: f64, whole_secs: &mut Option<f64>, streams: &mut [StreamInfo]) {
    *whole_secs = Some(secs);
    streams.iter_mut().for_each(|s| s.declared_secs = Some(secs));
}

/// The origin of an Ogg file whose first pages are damaged (`complaint`): what FFmpeg finds is the time of the first
/// page that is left,
/// and everything would be told too early by what was lost. `start` is FFmpeg's, in seconds.
pub(super) fn origin_before_damage(
    container: &str,
    start: Seconds,
    complaint: Option<String>,
    ending: &mut Ending,
) -> Seconds {
    if container != "ogg" || complaint.is_none() || !(0.0..LONGEST_HEAD_SECS).contains(&start.get()) {
        return start;
    }
    ending.lost_head = complaint;
    Seconds::ZERO
}

/// How many bytes of a file FFmpeg may be given, where not all: it would misread a second film in fragments.
pub(super) fn readable_bytes(path: &Path) -> Option<u64> {
    films::readable_bytes(&Bytes::open(path)?)
}

/// True for a WAV whose sound is there as its header tells.
pub(super) fn is_whole_wav(path: &Path) -> bool {
    let look = || -> Option<bool> {
        let file = Bytes::open(path)?;
        Some(!Wav::read(&file)?.is_cut(file.len))
    };
    look().unwrap_or(false)
}

/// Where tags and padding end that begin at byte `at`, and up to `count` bytes from there on.
pub(super) fn after_tags(path: &Path, at: u64, count: usize) -> Option<(u64, Vec<u8>)> {
    let file = Bytes::open(path)?;
    let end = behind::after_tags(&file, at);
    Some((end, file.piece(end, count)))
}

/// Why a file that begins as MP4 or MOV may not open, and whether it can be played up to where it breaks off.
pub(super) fn cut_atom(path: &Path) -> Option<(String, bool)> {
    let told = atoms::read(&Bytes::open(path)?);
    Some((told.cut?, told.fragmented))
}

/// True where the element MuxingApp at the beginning of a Matroska file names FFmpeg. Its ENCODER tag tells less:
/// others copy it.
pub(super) fn is_matroska_of_ffmpeg(path: &Path) -> bool {
    const HEAD: usize = 1 << 16;
    let Some(head) = Bytes::open(path).filter(|f| f.at(0) == Some(EBML)).map(|f| f.piece(0, HEAD)) else {
        return false;
    };
    // The element's number, one byte of size, and the name.
    head.windows(7).any(|w| w[..2] == [0x4D, 0x80] && &w[3..] == b"Lavf")
}

/// The codec of integer samples in a WAV file by the bytes they take, where FFmpeg goes by the bits of them that are
/// used: it would
/// read 24 bits in 32 as floats, and 16 in 32 as twice as many samples.
pub(super) fn integer_codec(path: &Path, container: &str, codec: codec::Id) -> Option<codec::Id> {
    let file = Bytes::open(path)?;
    let wav = match container {
        "wav" => Wav::read(&file)?,
        "w64" => Wav::read_wave64(&file)?,
        _ => return None,
    };
    let by_bytes = match wav.integer_bytes()? {
        1 => codec::Id::PCM_U8,
        2 => codec::Id::PCM_S16LE,
        3 => codec::Id::PCM_S24LE,
        4 => codec::Id::PCM_S32LE,
        _ => return None,
    };
    let integers =
        [codec::Id::PCM_U8, codec::Id::PCM_S16LE, codec::Id::PCM_S24LE, codec::Id::PCM_S32LE, codec::Id::PCM_F24LE];
    (codec != by_bytes && integers.contains(&codec)).then_some(by_bytes)
}
