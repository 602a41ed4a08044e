//! Opening a file: FFmpeg's start-up, the container's streams and origin, and FFmpeg's failures in our words.

use std::ffi::{CStr, CString, c_char};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Once;

use ffmpeg_next::{self as ffmpeg, ffi, format};

use super::bounds;
use super::declared;
use super::foreign;
use super::log;
use super::orientation::Orientation;
use super::pick::{self, StreamPick};
use super::probe::{AudioInfo, Probe, StreamInfo, StreamKind, VideoInfo};
use super::riff;
use crate::error::{Error, Result};
use crate::time::Seconds;
use crate::warning::Warning;

/// FFmpeg's score up to which it would rather read more (AVPROBE_SCORE_RETRY, 25) plus what a bare pattern earns.
const DOUBTFUL_SCORE: i32 = 26;

/// An open container with what it declares.
pub(super) struct OpenMedia {
    pub(super) input: format::context::Input,
    pub(super) probe: Probe,
}

impl OpenMedia {
    /// Opens and lists; see [`super::probe::probe`] for the errors.
    pub(super) fn open(path: &Path, pick: StreamPick) -> Result<Self> {
        start();
        // The system's own words for a file that is not there or not readable.
        let file = crate::file::open(path)?;
        if file.metadata().is_ok_and(|m| m.len() == 0) {
            return Err(Error::media(path, "the file is empty (0 bytes): was it copied whole?"));
        }
        let input = open_container(path, file, None).or_else(|e| open_cut(path, e))?;
        let by_ffmpeg = declared::is_matroska_of_ffmpeg(path);
        let complaint = log::take().into_iter().next();
        let mut streams: Vec<StreamInfo> =
            (0..input.nb_streams() as usize).filter_map(|i| stream_info(&input, i, by_ffmpeg)).collect();
        let container = input.format().name().to_owned();
        let mut declared_secs = container_secs(&input);
        let mut ending = declared::amend(path, &container, &mut declared_secs, &mut streams);
        let audio = pick::choose(&streams, StreamKind::Audio, pick.audio, path)?;
        let video = pick::choose(&streams, StreamKind::Video, pick.video, path)?;
        let origin = declared::origin_before_damage(&container, origin(&input), complaint, &mut ending);
        let probe = Probe {
            path: path.to_path_buf(),
            container,
            declared_secs,
            origin,
            streams,
            audio,
            video,
            warnings: doubt(&input, path).into_iter().chain(ending.warnings.iter().cloned()).collect(),
            ending,
        };
        Ok(OpenMedia { input, probe })
    }
}

/// The version of the FFmpeg libraries in use.
pub fn ffmpeg_version() -> String {
    // SAFETY: a constant string of the library.
    let version = unsafe { ffi::av_version_info() };
    if version.is_null() {
        return String::new();
    }
    // SAFETY: not null, NUL-terminated and static.
    unsafe { CStr::from_ptr(version) }.to_string_lossy().into_owned()
}

/// FFmpeg's failure with the newest line of its log, which tells the cause ("moov atom not found") where the code does
/// not.
pub(super) fn failure(path: &Path, doing: &str, error: ffmpeg::Error) -> Error {
    let text = match log::take().pop() {
        Some(line) => format!("{doing}: {line} ({error})"),
        None => format!("{doing}: {error}"),
    };
    Error::media(path, text)
}

/// A frame's presentation time in ticks: FFmpeg's best effort (PTS, else DTS, made monotone where a container breaks
/// them).
pub(super) fn ticks(frame: &ffmpeg::Frame) -> Option<i64> {
    frame.timestamp().or(frame.pts()).or_else(|| Some(frame.packet().dts).filter(|&dts| dts != ffi::AV_NOPTS_VALUE))
}

/// Ticks of a stream's time base since the common origin.
pub(super) fn since_origin(ticks: i64, time_base: ffmpeg::Rational, origin: Seconds) -> Seconds {
    Seconds::from_ticks(ticks, time_base.numerator(), time_base.denominator().max(1)) - origin
}

/// FFmpeg made ready, its log collected.
pub(super) fn start() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Nothing to fail since FFmpeg 4: registration is static.
        let _ = ffmpeg::init();
        log::install();
    });
    log::take();
}

/// A second try at what did not open: fragments of MP4 are played up to where the file ends; of others it is told how
/// they end.
fn open_cut(path: &Path, error: Error) -> Result<format::context::Input> {
    let (Some((what, fragmented)), Error::Media { source, .. }) = (declared::cut_atom(path), &error) else {
        return Err(error);
    };
    let told = Error::media(path, format!("{source}; {what}"));
    if fragmented {
        open_container(path, crate::file::open(path)?, Some("+ignidx")).map_err(|_| told)
    } else {
        Err(told)
    }
}

/// FFmpeg reads from `file`, which is open, and from nothing else: no protocol is left to it by which a demuxer could
/// open what a playlist, a script or a reference names.
fn open_container(path: &Path, file: std::fs::File, fflags: Option<&str>) -> Result<format::context::Input> {
    // "file:" keeps a colon in a name from being read as a protocol. The name serves for guesses by its ending.
    let mut url = b"file:".to_vec();
    url.extend_from_slice(path.as_os_str().as_bytes());
    let url = CString::new(url).map_err(|e| Error::media(path, e))?;
    let no_container = |code| failure(path, "no media container", ffmpeg::Error::from(code));
    let io = match declared::readable_bytes(path) {
        Some(len) => format::context::StreamIo::from_read_seek(FirstBytes { file, len }),
        None => format::context::StreamIo::from_read_seek(file),
    };
    let mut io = io.map_err(|e| Error::media(path, e))?;
    let mut demuxer = std::ptr::null();
    // SAFETY: `io` and `url` live through the call; `demuxer` becomes a static description or stays null.
    let score = unsafe {
        ffi::av_probe_input_buffer2(io.as_mut_ptr(), &raw mut demuxer, url.as_ptr(), std::ptr::null_mut(), 0, 0)
    };
    if score < 0 || demuxer.is_null() {
        return Err(no_container(score));
    }
    // SAFETY: not null, static.
    let (name, flags) = unsafe { (text((*demuxer).name), (*demuxer).flags) };
    if let Some(what) = foreign::opens_others(&name, flags) {
        let told = format!(
            "FFmpeg would read it as {what} ({name}), and only files that are named are read: give the recording itself"
        );
        return Err(Error::media(path, told));
    }
    let mut options = ffmpeg::Dictionary::new();
    options.set("protocol_whitelist", foreign::NO_PROTOCOL);
    if let Some(fflags) = fflags {
        options.set("fflags", fflags);
    }
    // SAFETY: `url` and `io` live through the call; on failure FFmpeg frees the context, but never `io`; the options
    // come back to be freed by their owner.
    let (context, code) = unsafe {
        let mut context = ffi::avformat_alloc_context();
        if context.is_null() {
            return Err(no_container(ffi::AVERROR(libc::ENOMEM)));
        }
        (*context).pb = io.as_mut_ptr();
        let mut raw = options.disown();
        let code = ffi::avformat_open_input(&raw mut context, url.as_ptr(), demuxer, &raw mut raw);
        drop(ffmpeg::Dictionary::own(raw));
        (context, code)
    };
    if code < 0 {
        return Err(no_container(code));
    }
    // SAFETY: an open context, owned from here by `input` together with what it reads from. The score is FFmpeg's own,
    // which it does not note where the demuxer is given.
    let mut input = unsafe {
        (*context).probe_score = score;
        format::context::Input::wrap_with_custom_io(context, io)
    };
    read_integers_whole(&mut input, path);
    bounds::find_stream_info(&mut input).map_err(|e| failure(path, "no stream information", e))?;
    Ok(input)
}

/// The first `len` bytes of a file, as if there were no more.
struct FirstBytes {
    file: std::fs::File,
    len: u64,
}

impl Read for FirstBytes {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let left = self.len.saturating_sub(self.file.stream_position()?);
        let count = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        self.file.read(&mut buffer[..count])
    }
}

impl Seek for FirstBytes {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let to = match to {
            SeekFrom::End(offset) => SeekFrom::Start(self.len.saturating_add_signed(offset)),
            other => other,
        };
        self.file.seek(to)
    }
}

/// Integer samples that do not fill their bytes are decoded by their bytes.
fn read_integers_whole(input: &mut format::context::Input, path: &Path) {
    let container = input.format().name().to_owned();
    if container == "wav" && riff::holds_no_integers(path) {
        return;
    }
    for mut stream in input.streams_mut() {
        // SAFETY: the stream belongs to the open context and has parameters.
        let par = unsafe { &mut *(*stream.as_mut_ptr()).codecpar };
        if let Some(codec) = declared::integer_codec(path, &container, par.codec_id.into()) {
            par.codec_id = codec.into();
            // SAFETY: any codec may be asked for.
            par.bits_per_coded_sample = unsafe { ffi::av_get_bits_per_sample(par.codec_id) };
        }
    }
}

/// Told where FFmpeg only guessed the format from a little of the data, and the file's name says another: noise decodes
/// as something, and would pass for speech.
fn doubt(input: &format::context::Input, path: &Path) -> Option<Warning> {
    let score = input.probe_score();
    if score > DOUBTFUL_SCORE {
        return None;
    }
    let name = input.format().name().to_owned();
    // SAFETY: the demuxer is static; its list of extensions is a string or null.
    let extensions = unsafe { text((*(*input.as_ptr()).iformat).extensions) };
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    if extensions.split(',').chain(name.split(',')).any(|e| e == extension) {
        return None;
    }
    Some(Warning::ContainerDoubtful { format: name, score, extension })
}

fn origin(input: &format::context::Input) -> Seconds {
    // SAFETY: an open context.
    let start = unsafe { (*input.as_ptr()).start_time };
    if start == ffi::AV_NOPTS_VALUE { Seconds::ZERO } else { Seconds::from_ticks(start, 1, ffi::AV_TIME_BASE) }
}

fn guessed_from_bit_rate(input: &format::context::Input) -> bool {
    // SAFETY: an open context.
    unsafe {
        (*input.as_ptr()).duration_estimation_method == ffi::AVDurationEstimationMethod::AVFMT_DURATION_FROM_BITRATE
    }
}

fn container_secs(input: &format::context::Input) -> Option<f64> {
    // SAFETY: an open context.
    let duration = unsafe { (*input.as_ptr()).duration };
    (duration > 0 && !guessed_from_bit_rate(input)).then(|| duration as f64 / f64::from(ffi::AV_TIME_BASE))
}

/// `by_ffmpeg`: FFmpeg wrote the file, if it is Matroska.
fn stream_info(input: &format::context::Input, index: usize, by_ffmpeg: bool) -> Option<StreamInfo> {
    let stream = input.stream(index)?;
    let base = stream.time_base();
    let secs = |ticks: i64| Seconds::from_ticks(ticks, base.numerator(), base.denominator().max(1)).get();
    let metadata = stream.metadata();
    let declared_secs = match stream.duration() {
        d if d > 0 && !guessed_from_bit_rate(input) => Some(secs(d)),
        _ => {
            let told = metadata.get("DURATION").or_else(|| metadata.get("DURATION-eng")).and_then(clock_secs);
            // FFmpeg writes where the track ends, mkvtoolnix how long it is. Its name stays in a file that FFmpeg
            // copied.
            let is_length = !by_ffmpeg && metadata.iter().any(|(name, _)| name.starts_with("_STATISTICS_WRITING_APP"));
            let start = if is_length || stream.start_time() == ffi::AV_NOPTS_VALUE {
                0.0
            } else {
                secs(stream.start_time()).max(0.0)
            };
            told.map(|end| end - start).filter(|&length| length > 0.0)
        }
    };
    // SAFETY: the stream and its parameters live as long as the context.
    let (par, avg_rate, sar) = unsafe {
        let raw = stream.as_ptr();
        // FFmpeg asks for mutable pointers but only reads.
        let sar = ffi::av_guess_sample_aspect_ratio(input.as_ptr().cast_mut(), raw.cast_mut(), std::ptr::null_mut());
        (&*(*raw).codecpar, (*raw).avg_frame_rate, sar)
    };
    let kind = match par.codec_type {
        ffi::AVMediaType::AVMEDIA_TYPE_AUDIO => StreamKind::Audio,
        ffi::AVMediaType::AVMEDIA_TYPE_VIDEO => StreamKind::Video,
        ffi::AVMediaType::AVMEDIA_TYPE_SUBTITLE => StreamKind::Subtitle,
        _ => StreamKind::Data,
    };
    // SAFETY: both take a codec id and give static data or null.
    let (codec, decoder) =
        unsafe { (text(ffi::avcodec_get_name(par.codec_id)), ffi::avcodec_find_decoder(par.codec_id)) };
    let channels = u32::try_from(par.channels).unwrap_or(0);
    let (width, height) = (u32::try_from(par.width).unwrap_or(0), u32::try_from(par.height).unwrap_or(0));
    let rate_hz = u32::try_from(par.sample_rate).unwrap_or(0);
    let decodable = !decoder.is_null()
        && match kind {
            StreamKind::Audio => rate_hz > 0 && channels > 0,
            StreamKind::Video => width > 0 && height > 0 && par.format >= 0,
            StreamKind::Subtitle | StreamKind::Data => true,
        };
    let disposition = stream.disposition();
    Some(StreamInfo {
        index,
        kind,
        codec,
        language: metadata.get("language").map(str::to_owned),
        default: disposition.contains(format::stream::Disposition::DEFAULT),
        attached_picture: disposition.contains(format::stream::Disposition::ATTACHED_PIC),
        decodable,
        start_secs: (stream.start_time() != ffi::AV_NOPTS_VALUE).then(|| secs(stream.start_time())),
        declared_secs,
        declared_frames: u64::try_from(stream.frames()).ok().filter(|&n| n > 0),
        video: (kind == StreamKind::Video).then(|| VideoInfo {
            width,
            height,
            orientation: matrix(&stream).map(Orientation::from_matrix).unwrap_or_default(),
            sar: ratio(sar).unwrap_or(1.0),
            pixel_format: pixel_format(par.format),
            interlaced: !matches!(
                par.field_order,
                ffi::AVFieldOrder::AV_FIELD_UNKNOWN | ffi::AVFieldOrder::AV_FIELD_PROGRESSIVE
            ),
            avg_rate_hz: ratio(avg_rate),
        }),
        audio: (kind == StreamKind::Audio).then_some(AudioInfo { rate_hz, channels }),
    })
}

/// A positive ratio as a number.
pub(super) fn ratio(r: ffi::AVRational) -> Option<f64> {
    (r.num > 0 && r.den > 0).then(|| f64::from(r.num) / f64::from(r.den))
}

/// Nine little numbers out of side data.
pub(super) fn matrix_of(bytes: &[u8]) -> Option<[i32; 9]> {
    let mut matrix = [0; 9];
    let words = bytes.get(..36)?.chunks_exact(4);
    for (m, word) in matrix.iter_mut().zip(words) {
        *m = i32::from_ne_bytes(word.try_into().ok()?);
    }
    Some(matrix)
}

fn matrix(stream: &format::stream::Stream<'_>) -> Option<[i32; 9]> {
    let data = stream.side_data().find(|d| d.kind() == ffmpeg::codec::packet::side_data::Type::DisplayMatrix)?;
    matrix_of(data.data())
}

fn pixel_format(raw: i32) -> String {
    // SAFETY: any number may be asked for; null when unknown. The value came from the same library as the enumeration.
    unsafe { text(ffi::av_get_pix_fmt_name(std::mem::transmute::<i32, ffi::AVPixelFormat>(raw))) }
}

fn text(raw: *const c_char) -> String {
    if raw.is_null() {
        return String::new();
    }
    // SAFETY: callers pass static NUL-terminated names of the library.
    unsafe { CStr::from_ptr(raw) }.to_string_lossy().into_owned()
}

/// "HH:MM:SS.fraction", as Matroska's DURATION tag has it.
fn clock_secs(text: &str) -> Option<f64> {
    let mut parts = text.trim().split(':');
    let (h, m, s) = (parts.next()?, parts.next()?, parts.next()?);
    let secs = 3600.0 * h.parse::<f64>().ok()? + 60.0 * m.parse::<f64>().ok()? + s.parse::<f64>().ok()?;
    (secs.is_finite() && secs > 0.0 && parts.next().is_none()).then_some(secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_of_matroska() {
        let secs = clock_secs("01:02:03.500000000").unwrap();
        assert!((secs - 3723.5).abs() < 1e-9);
        assert!(clock_secs("12").is_none() && clock_secs("NaN:00:00").is_none());
    }

    #[test]
    fn the_version_is_told() {
        assert!(!ffmpeg_version().is_empty());
    }

    #[test]
    fn a_missing_file_and_a_file_of_text_are_clear_errors() {
        let e = OpenMedia::open(Path::new("no such file.mp4"), StreamPick::default()).err().unwrap();
        assert!(matches!(e, Error::Read { .. }), "{e:?}");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("not: media.mp4");
        std::fs::write(&path, "hello").unwrap();
        let e = OpenMedia::open(&path, StreamPick::default()).err().unwrap();
        assert!(matches!(e, Error::Media { .. }), "{e:?}");
        assert!(e.chain().contains("no media container"), "{}", e.chain());
    }
}
