//! The sound of a film that is written: the packets of the recording's own stream, copied, where the container takes
//! them and players know them; else the sound as it was heard (mono, placed by its time stamps), encoded.
//!
//! Nothing is held of it but what is on its way: packets are read, and pieces of a temporary file encoded, as far as
//! the pictures have got.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use ffmpeg_next::{self as ffmpeg, ChannelLayout, Packet, Rational, codec, encoder, ffi, format, frame};

use super::audio::audio_spooled;
use super::decoding::MOST_READ_FAILURES;
use super::encode::SOUND_BIT_RATE;
use super::input::{self, OpenMedia};
use super::pick::{AudioMix, StreamPick};
use super::probe::StreamKind;
use super::seek::STEADY;
use super::spool::SpooledAudio;
use crate::error::{Error, Result};
use crate::signal::Sound;
use crate::time::Seconds;

/// Codecs that browsers and players know inside MP4.
const IN_MP4: [&str; 7] = ["aac", "mp3", "opus", "flac", "ac3", "eac3", "alac"];
/// Codecs of WebM.
const IN_WEBM: [&str; 2] = ["opus", "vorbis"];
/// Rates that every encoder of sound takes.
const WEBM_RATE_HZ: u32 = 48_000;
/// Rates of AAC up to that of discs and films.
const AAC_RATES_HZ: [u32; 9] = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];
/// Sound is written so far ahead of the pictures.
const AHEAD_SECS: f64 = 0.5;

/// Which sound goes into a film.
#[derive(Clone, Copy, Debug)]
pub struct SoundRequest<'a> {
    /// The file that holds it.
    pub source: &'a Path,
    /// Its stream, or all of them.
    pub pick: StreamPick,
    /// The film begins here in the recording.
    pub from: Seconds,
    /// The film ends here; `None` = where the sound does.
    pub until: Option<Seconds>,
    /// Encoded in any case: the recording's time stamps are known not to be one clock.
    pub as_heard: bool,
}

/// A stream of sound on its way into a film.
pub struct SoundTrack {
    path: PathBuf,
    from: f64,
    until: f64,
    out: usize,
    base: Rational,
    way: Way,
}

enum Way {
    Copied(Box<Copied>),
    Encoded(Box<Encoded>),
}

/// A demuxer of its own beside that of the pictures.
struct Copied {
    source: OpenMedia,
    index: usize,
    base: Rational,
    /// A packet that is not due yet.
    waiting: Option<Packet>,
    ended: bool,
    failures: u32,
    last_dts: Option<i64>,
}

struct Encoded {
    sound: SpooledAudio,
    name: &'static str,
    encoder: Option<encoder::Audio>,
    /// The next sample, and the one behind the last.
    next: usize,
    first: usize,
    end: usize,
    ended: bool,
}

impl std::fmt::Debug for SoundTrack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SoundTrack of {}, {}", self.path.display(), self.told())
    }
}

/// A name that FFmpeg reads as a file's: one with a colon would pass for a protocol, some of which are networks.
pub(super) fn local(path: &Path) -> OsString {
    let mut local = OsString::from("file:");
    local.push(path);
    local
}

fn ending(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// True where a stream of this codec is put into the film as it is.
fn is_taken(codec: &str, film: &Path) -> bool {
    match ending(film).as_str() {
        "webm" => IN_WEBM.contains(&codec),
        "mkv" => IN_MP4.contains(&codec) || IN_WEBM.contains(&codec),
        _ => IN_MP4.contains(&codec),
    }
}

impl SoundTrack {
    /// Opens the sound for `film`; `None` where the recording has none.
    ///
    /// # Errors
    /// As [`super::audio`]; [`Error::Write`] where the sound must be encoded and there is no encoder.
    pub fn open(request: &SoundRequest<'_>, film: &Path) -> Result<Option<Self>> {
        let source = OpenMedia::open(request.source, request.pick)?;
        let Ok((stream, _)) = source.probe.chosen(StreamKind::Audio) else { return Ok(None) };
        let (from, until) = (request.from.get(), request.until.map_or(f64::INFINITY, Seconds::get));
        let base = source.input.stream(stream.index).map_or(Rational(1, 1000), |s| s.time_base());
        // Clocks of other containers may begin anew, which only decoding mends.
        let copies = !request.as_heard
            && request.pick.mix == AudioMix::One
            && STEADY.contains(&source.probe.container.as_str())
            && is_taken(&stream.codec, film);
        let (index, rate_hz) = (stream.index, stream.audio.as_ref().map_or(0, |a| a.rate_hz));
        let way = if copies {
            let mut source = source;
            for mut other in source.input.streams_mut().filter(|s| s.index() != index) {
                // SAFETY: the stream belongs to the open context; `discard` is a plain setting read by the demuxer.
                unsafe { (*other.as_mut_ptr()).discard = ffi::AVDiscard::AVDISCARD_ALL };
            }
            let (waiting, ended, failures, last_dts) = (None, false, 0, None);
            Way::Copied(Box::new(Copied { source, index, base, waiting, ended, failures, last_dts }))
        } else {
            drop(source);
            Way::Encoded(Box::new(Encoded::open(request, film, rate_hz)?))
        };
        Ok(Some(SoundTrack { path: film.to_owned(), from, until, out: 0, base, way }))
    }

    /// `copied`, or the name of the encoder.
    pub fn told(&self) -> &str {
        match &self.way {
            Way::Copied(_) => "copied",
            Way::Encoded(e) => e.name,
        }
    }

    /// Makes its stream, before the film's header is written.
    pub(super) fn join(&mut self, output: &mut format::context::Output) -> std::result::Result<(), ffmpeg::Error> {
        match &mut self.way {
            Way::Copied(copied) => {
                let from = copied.source.input.stream(copied.index).ok_or(ffmpeg::Error::StreamNotFound)?;
                let mut stream = output.add_stream(encoder::find(codec::Id::None))?;
                stream.set_parameters(from.parameters());
                stream.set_time_base(copied.base);
                // SAFETY: the stream is the output's own; a tag of the other container would be refused.
                unsafe { (*(*stream.as_mut_ptr()).codecpar).codec_tag = 0 };
                self.out = stream.index();
            }
            Way::Encoded(encoded) => {
                let (stream, base) = encoded.join(output)?;
                (self.out, self.base) = (stream, base);
            }
        }
        Ok(())
    }

    /// Writes what is heard up to `secs` of the film, and a little more, so that players find both together.
    pub(super) fn write_until(&mut self, output: &mut format::context::Output, secs: f64) -> Result<()> {
        let due = secs + AHEAD_SECS;
        let out = (self.out, output.stream(self.out).map_or(self.base, |s| s.time_base()));
        let failed = |e: ffmpeg::Error| Error::write(&self.path, e);
        match &mut self.way {
            Way::Copied(copied) => copied.write(output, out, (self.from, self.until), due).map_err(failed),
            Way::Encoded(encoded) => {
                while let Some(piece) = encoded.piece(due)? {
                    encoded.encode(&piece).and_then(|()| encoded.drain(output, out, self.base)).map_err(failed)?;
                }
                if encoded.ends() {
                    encoded.end().and_then(|()| encoded.drain(output, out, self.base)).map_err(failed)?;
                }
                Ok(())
            }
        }
    }
}

impl Copied {
    fn write(
        &mut self,
        output: &mut format::context::Output,
        (out, out_base): (usize, Rational),
        (from, until): (f64, f64),
        due: f64,
    ) -> std::result::Result<(), ffmpeg::Error> {
        let origin = self.source.probe.origin;
        // The film's beginning in the stream's own ticks: one number for all packets keeps their distances.
        let (num, den) = (f64::from(self.base.numerator()), f64::from(self.base.denominator().max(1)));
        let zero = ((origin.get() + from) * den / num).round() as i64;
        while let Some(mut packet) = self.next() {
            let Some(ticks) = packet.pts().or(packet.dts()) else { continue };
            let secs = input::since_origin(ticks, self.base, origin).get();
            // What lies before the film's beginning is left out; before the recording's it primes the decoder.
            if from > 0.0 && secs < from {
                continue;
            }
            if secs >= until {
                self.ended = true;
                break;
            }
            if secs - from > due {
                self.waiting = Some(packet);
                break;
            }
            // A clock that stands still or goes back is refused by muxers.
            let dts = packet.dts().unwrap_or(ticks);
            if self.last_dts.is_some_and(|last| dts <= last) {
                continue;
            }
            self.last_dts = Some(dts);
            packet.set_pts(Some(ticks - zero));
            packet.set_dts(Some(dts - zero));
            packet.set_stream(out);
            packet.set_position(-1);
            packet.rescale_ts(self.base, out_base);
            packet.write_interleaved(output)?;
        }
        Ok(())
    }

    fn next(&mut self) -> Option<Packet> {
        if let Some(packet) = self.waiting.take() {
            return Some(packet);
        }
        while !self.ended {
            let mut packet = Packet::empty();
            match packet.read(&mut self.source.input) {
                Ok(()) if packet.stream() == self.index => {
                    self.failures = 0;
                    return Some(packet);
                }
                Ok(()) => {}
                Err(ffmpeg::Error::InvalidData) if self.failures < MOST_READ_FAILURES => self.failures += 1,
                Err(_) => self.ended = true,
            }
        }
        None
    }
}

impl Encoded {
    fn open(request: &SoundRequest<'_>, film: &Path, rate_hz: u32) -> Result<Self> {
        let is_webm = ending(film) == "webm";
        let name = if is_webm { "libopus" } else { "aac" };
        if encoder::find_by_name(name).is_none() {
            let what = format!("this FFmpeg has no encoder {name} for the sound; try .mp4");
            return Err(Error::write(film, what));
        }
        let keeps = !is_webm && AAC_RATES_HZ.contains(&rate_hz);
        let rate_hz = if keeps { rate_hz } else { WEBM_RATE_HZ };
        let sound = audio_spooled(request.source, rate_hz, request.pick)?.buffer;
        let at = |secs: f64| (secs * f64::from(rate_hz)).round().max(0.0) as usize;
        let first = at(request.from.get()).min(sound.count());
        let end = request.until.map_or(sound.count(), |until| at(until.get()).clamp(first, sound.count()));
        Ok(Encoded { sound, name, encoder: None, next: first, first, end, ended: false })
    }

    fn join(&mut self, output: &mut format::context::Output) -> std::result::Result<(usize, Rational), ffmpeg::Error> {
        let codec = encoder::find_by_name(self.name).ok_or(ffmpeg::Error::EncoderNotFound)?;
        let header = output.format().flags().contains(format::Flags::GLOBAL_HEADER);
        let base = Rational(1, self.sound.rate_hz() as i32);
        let mut settings = codec::context::Context::new_with_codec(codec).encoder().audio()?;
        settings.set_rate(self.sound.rate_hz() as i32);
        settings.set_format(self.format());
        settings.set_channel_layout(ChannelLayout::MONO);
        settings.set_time_base(base);
        settings.set_bit_rate(SOUND_BIT_RATE);
        if header {
            settings.set_flags(codec::Flags::GLOBAL_HEADER);
        }
        let encoder = settings.open_as(codec)?;
        let mut stream = output.add_stream(codec)?;
        stream.set_time_base(base);
        stream.set_parameters(&encoder);
        let index = stream.index();
        self.encoder = Some(encoder);
        Ok((index, base))
    }

    /// One channel lies in memory alike in both.
    fn format(&self) -> format::Sample {
        let kind = if self.name == "aac" { format::sample::Type::Planar } else { format::sample::Type::Packed };
        format::Sample::F32(kind)
    }

    /// The samples of the next packet, if they are due.
    fn piece(&self, due: f64) -> Result<Option<Vec<f32>>> {
        let most = self.encoder.as_ref().map_or(0, |e| (e.frame_size() as usize).max(1));
        let written = (self.next - self.first) as f64;
        if self.next >= self.end || written >= due * f64::from(self.sound.rate_hz()) {
            return Ok(None);
        }
        let piece = self.sound.piece(self.next..(self.next + most).min(self.end))?;
        Ok(Some(piece.into_owned()).filter(|piece| !piece.is_empty()))
    }

    fn encode(&mut self, piece: &[f32]) -> std::result::Result<(), ffmpeg::Error> {
        let mut frame = frame::Audio::new(self.format(), piece.len(), ChannelLayout::MONO);
        frame.set_rate(self.sound.rate_hz());
        frame.plane_mut::<f32>(0).copy_from_slice(piece);
        frame.set_pts(Some((self.next - self.first) as i64));
        self.next += piece.len();
        self.encoder.as_mut().map_or(Ok(()), |encoder| encoder.send_frame(&frame))
    }

    /// True once, when all samples are sent.
    fn ends(&mut self) -> bool {
        self.next >= self.end && !std::mem::replace(&mut self.ended, self.next >= self.end)
    }

    fn end(&mut self) -> std::result::Result<(), ffmpeg::Error> {
        self.encoder.as_mut().map_or(Ok(()), |encoder| encoder.send_eof())
    }

    fn drain(
        &mut self,
        output: &mut format::context::Output,
        (out, out_base): (usize, Rational),
        base: Rational,
    ) -> std::result::Result<(), ffmpeg::Error> {
        let Some(encoder) = &mut self.encoder else { return Ok(()) };
        let mut packet = Packet::empty();
        while encoder.receive_packet(&mut packet).is_ok() {
            packet.set_stream(out);
            packet.rescale_ts(base, out_base);
            packet.write_interleaved(output)?;
        }
        Ok(())
    }
}
