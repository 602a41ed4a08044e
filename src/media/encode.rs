//! Video out: pictures with their own presentation times, and sound beside them, into a film to look at: H.264 where
//! libx264 is there, else VP9, else MPEG-4 part 2; in WebM VP9 or VP8.

use std::path::{Path, PathBuf};

use ffmpeg_next::format::Pixel;
use ffmpeg_next::software::scaling;
use ffmpeg_next::{self as ffmpeg, ChannelLayout, Dictionary, Packet, Rational, codec, color, encoder, format, frame};
use image::RgbImage;

use super::input;
use super::sound_track::{SoundTrack, local};
use crate::error::{Error, Result};
use crate::time::Seconds;

/// Ticks a second: the most that MPEG-4 part 2 can count is 65535.
const TICKS: i32 = 60_000;
/// How long the last picture stays.
const LAST_TICKS: i64 = 2400;
/// Bits a second where the encoder knows no constant quality.
const BIT_RATE: usize = 4_000_000;

/// Bits a second of one channel of speech.
pub(super) const SOUND_BIT_RATE: usize = 96_000;
/// Threads of the encoder: what H.264 becomes depends on their number, so it is the same on every machine.
const THREADS: &str = "4";

/// Encoders in the order in which they are taken, first those that browsers play everywhere.
const ENCODERS: [&str; 3] = ["libx264", "libvpx-vp9", "mpeg4"];
/// Those that WebM takes.
const WEBM_ENCODERS: [&str; 2] = ["libvpx-vp9", "libvpx"];

/// The encoders that a container of this ending takes, the best first.
fn encoders(path: &Path) -> &'static [&'static str] {
    let is_webm = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("webm"));
    if is_webm { &WEBM_ENCODERS } else { &ENCODERS }
}

/// What an encoder is told, so that it is quick and looks good.
fn options(encoder: &str) -> Dictionary<'static> {
    let settings: &[(&str, &str)] = match encoder {
        "libx264" => &[("preset", "veryfast"), ("crf", "20"), ("threads", THREADS)],
        // Nothing looked at ahead: pictures leave in the order in which they come.
        "libvpx-vp9" => &[
            ("deadline", "realtime"),
            ("cpu-used", "7"),
            ("crf", "30"),
            ("lag-in-frames", "0"),
            ("auto-alt-ref", "0"),
            ("threads", THREADS),
        ],
        "libvpx" => &[("deadline", "realtime"), ("cpu-used", "6"), ("crf", "10"), ("lag-in-frames", "0")],
        _ => &[],
    };
    let mut options = Dictionary::new();
    for (name, value) in settings {
        options.set(name, value);
    }
    options
}

/// Writes one video stream, and one audio stream where there is sound. Its size is that of the first picture, less a
/// line or column where a side is odd.
pub struct VideoWriter {
    path: PathBuf,
    output: format::context::Output,
    encoder: encoder::Video,
    scaler: scaling::Context,
    rgb: frame::Video,
    yuv: frame::Video,
    last: Option<i64>,
    /// How long the last picture stays.
    last_ticks: i64,
    /// Sound that is written on the way.
    track: Option<SoundTrack>,
    name: String,
}

/// The sound of a film that is written.
enum Beside<'a> {
    Nothing,
    /// All of it, encoded at once.
    Whole(&'a [f32], u32),
    /// As the pictures go on.
    Track(SoundTrack),
}

impl std::fmt::Debug for VideoWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "VideoWriter to {}", self.path.display())
    }
}

impl VideoWriter {
    /// Begins a video of this size; the ending of `path` chooses the container. `sound`: all of its mono samples and
    /// their rate in Hz.
    ///
    /// # Errors
    /// [`Error::Write`] when the file, the container or an encoder cannot be had.
    pub fn create(path: &Path, width: u32, height: u32, sound: Option<(&[f32], u32)>) -> Result<Self> {
        let beside = sound.map_or(Beside::Nothing, |(samples, rate_hz)| Beside::Whole(samples, rate_hz));
        Self::begin(path, (width, height), beside, encoders(path))
    }

    /// Begins a video of this size whose sound is written as the pictures go on, so that nothing is held of either.
    ///
    /// # Errors
    /// As [`VideoWriter::create`].
    pub fn with_track(path: &Path, width: u32, height: u32, track: Option<SoundTrack>) -> Result<Self> {
        Self::begin(path, (width, height), track.map_or(Beside::Nothing, Beside::Track), encoders(path))
    }

    /// FFmpeg's name of the encoder of pictures.
    pub fn encoder(&self) -> &str {
        &self.name
    }

    fn begin(path: &Path, size: (u32, u32), beside: Beside<'_>, encoders: &[&str]) -> Result<Self> {
        input::start();
        Self::opened(path, (size.0 & !1, size.1 & !1), beside, encoders).map_err(|e| match e {
            ffmpeg::Error::MuxerNotFound => {
                Error::write(path, "no video container is known by this ending; name it .mp4 or .mkv")
            }
            ffmpeg::Error::EncoderNotFound => {
                let tried = encoders.join(", ");
                Error::write(
                    path,
                    format!("this FFmpeg has no encoder for it (of pictures {tried}); try another ending"),
                )
            }
            other => Error::write(path, other),
        })
    }

    fn opened(
        path: &Path,
        (width, height): (u32, u32),
        beside: Beside<'_>,
        encoders: &[&str],
    ) -> std::result::Result<Self, ffmpeg::Error> {
        // FFmpeg's own word for it is "invalid argument".
        let mut output = format::output(&local(path)).map_err(|e| match e {
            ffmpeg::Error::Other { errno: libc::EINVAL } => ffmpeg::Error::MuxerNotFound,
            other => other,
        })?;
        let codec = encoders.iter().find_map(|name| encoder::find_by_name(name));
        let codec = codec.ok_or(ffmpeg::Error::EncoderNotFound)?;
        let header = output.format().flags().contains(format::Flags::GLOBAL_HEADER);
        let mut settings = codec::context::Context::new_with_codec(codec).encoder().video()?;
        settings.set_width(width);
        settings.set_height(height);
        settings.set_format(Pixel::YUV420P);
        settings.set_time_base(Rational(1, TICKS));
        // What swscale makes of RGB, told to players, which guess another matrix for large pictures.
        settings.set_colorspace(color::Space::SMPTE170M);
        settings.set_color_range(color::Range::MPEG);
        // Without pictures sent out of order the first one is at its own time in any player.
        settings.set_max_b_frames(0);
        settings.set_bit_rate(if matches!(codec.name(), "libx264" | "libvpx-vp9") { 0 } else { BIT_RATE });
        if header {
            settings.set_flags(codec::Flags::GLOBAL_HEADER);
        }
        let encoder = settings.open_with(options(codec.name()))?;
        let mut stream = output.add_stream(codec)?;
        stream.set_time_base(Rational(1, TICKS));
        stream.set_parameters(&encoder);
        let (mut whole, mut track) = (None, None);
        match beside {
            Beside::Nothing => {}
            Beside::Whole(samples, rate_hz) => whole = Some(Sound::encode(&mut output, samples, rate_hz)?),
            Beside::Track(mut begun) => {
                begun.join(&mut output)?;
                track = Some(begun);
            }
        }
        output.write_header()?;
        if let Some(sound) = whole {
            sound.write(&mut output)?;
        }
        let scaler =
            scaling::Context::get(Pixel::RGB24, width, height, Pixel::YUV420P, width, height, scaling::Flags::BICUBIC)?;
        let (rgb, yuv) =
            (frame::Video::new(Pixel::RGB24, width, height), frame::Video::new(Pixel::YUV420P, width, height));
        let (path, name) = (path.to_owned(), codec.name().to_owned());
        Ok(VideoWriter { path, output, encoder, scaler, rgb, yuv, last: None, last_ticks: LAST_TICKS, track, name })
    }

    /// Adds a picture; times must rise. A picture of another size is cut or bordered with black.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn push(&mut self, picture: &RgbImage, pts: Seconds) -> Result<()> {
        if let Some(track) = &mut self.track {
            track.write_until(&mut self.output, pts.get())?;
        }
        self.encode(picture, pts).map_err(|e| Error::write(&self.path, e))
    }

    fn encode(&mut self, picture: &RgbImage, pts: Seconds) -> std::result::Result<(), ffmpeg::Error> {
        let stride = self.rgb.stride(0);
        let row = 3 * self.rgb.width() as usize;
        let own = 3 * picture.width() as usize;
        let mut lines = picture.as_raw().chunks_exact(own.max(1));
        for line in self.rgb.data_mut(0).chunks_mut(stride) {
            let source = lines.next().unwrap_or(&[]);
            let n = row.min(own).min(source.len()).min(line.len());
            line.fill(0);
            line[..n].copy_from_slice(&source[..n]);
        }
        self.scaler.run(&self.rgb, &mut self.yuv)?;
        let ticks = (pts.get() * f64::from(TICKS)).round() as i64;
        // Two pictures of one tick: the second comes a tick later.
        let ticks = self.last.map_or(ticks, |last| ticks.max(last + 1));
        self.last = Some(ticks);
        self.yuv.set_pts(Some(ticks));
        self.encoder.send_frame(&self.yuv)?;
        self.drain()
    }

    fn drain(&mut self) -> std::result::Result<(), ffmpeg::Error> {
        let base = self.output.stream(0).map_or(Rational(1, TICKS), |s| s.time_base());
        let mut packet = Packet::empty();
        while self.encoder.receive_packet(&mut packet).is_ok() {
            packet.set_stream(0);
            if packet.duration() == 0 {
                // A last picture without a duration ends as it begins, and players leave it out.
                packet.set_duration(self.last_ticks);
            }
            packet.rescale_ts(Rational(1, TICKS), base);
            packet.write_interleaved(&mut self.output)?;
        }
        Ok(())
    }

    /// Ends the file; `end`: until when the last picture stays, else for a moment.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn finish(mut self, end: Option<Seconds>) -> Result<()> {
        let path = self.path.clone();
        if let (Some(end), Some(last)) = (end, self.last) {
            self.last_ticks = ((end.get() * f64::from(TICKS)).round() as i64 - last).max(1);
        }
        if let Some(mut track) = self.track.take() {
            track.write_until(&mut self.output, f64::INFINITY)?;
        }
        let end = |w: &mut Self| {
            w.encoder.send_eof()?;
            w.drain()?;
            w.output.write_trailer()
        };
        end(&mut self).map_err(|e| Error::write(path, e))
    }
}

/// A whole sound, encoded before the first picture comes.
struct Sound {
    stream: usize,
    base: Rational,
    packets: Vec<Packet>,
}

impl Sound {
    fn encode(
        output: &mut format::context::Output,
        samples: &[f32],
        rate_hz: u32,
    ) -> std::result::Result<Self, ffmpeg::Error> {
        let codec = encoder::find(codec::Id::AAC).ok_or(ffmpeg::Error::EncoderNotFound)?;
        let header = output.format().flags().contains(format::Flags::GLOBAL_HEADER);
        let planar = format::Sample::F32(format::sample::Type::Planar);
        let base = Rational(1, rate_hz as i32);
        let mut settings = codec::context::Context::new_with_codec(codec).encoder().audio()?;
        settings.set_rate(rate_hz as i32);
        settings.set_format(planar);
        settings.set_channel_layout(ChannelLayout::MONO);
        settings.set_time_base(base);
        settings.set_bit_rate(SOUND_BIT_RATE);
        if header {
            settings.set_flags(codec::Flags::GLOBAL_HEADER);
        }
        let mut encoder = settings.open_as(codec)?;
        let mut stream = output.add_stream(codec)?;
        stream.set_time_base(base);
        stream.set_parameters(&encoder);
        let mut sound = Sound { stream: stream.index(), base, packets: Vec::new() };
        let most = (encoder.frame_size() as usize).max(1);
        for (i, chunk) in samples.chunks(most).enumerate() {
            let mut frame = frame::Audio::new(planar, chunk.len(), ChannelLayout::MONO);
            frame.set_rate(rate_hz);
            frame.plane_mut::<f32>(0).copy_from_slice(chunk);
            frame.set_pts(Some((i * most) as i64));
            encoder.send_frame(&frame)?;
            sound.drain(&mut encoder);
        }
        encoder.send_eof()?;
        sound.drain(&mut encoder);
        Ok(sound)
    }

    fn drain(&mut self, encoder: &mut encoder::Audio) {
        let mut packet = Packet::empty();
        while encoder.receive_packet(&mut packet).is_ok() {
            self.packets.push(std::mem::replace(&mut packet, Packet::empty()));
        }
    }

    fn write(self, output: &mut format::context::Output) -> std::result::Result<(), ffmpeg::Error> {
        let base = output.stream(self.stream).map_or(self.base, |s| s.time_base());
        for mut packet in self.packets {
            packet.set_stream(self.stream);
            packet.rescale_ts(self.base, base);
            packet.write_interleaved(output)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::{self, Sampling, StreamPick};

    #[test]
    fn an_ending_that_is_no_containers_is_told_in_words() {
        let folder = tempfile::tempdir().unwrap();
        let e = VideoWriter::create(&folder.path().join("a.txt"), 64, 48, None).unwrap_err().to_string();
        let chain = VideoWriter::create(&folder.path().join("a.txt"), 64, 48, None).unwrap_err().chain();
        assert!(e.contains("a.txt") && chain.contains(".mp4 or .mkv"), "{chain}");
    }

    /// Without libx264 (packages carry an FFmpeg under the LGPL) the next one is taken; pictures keep their times.
    #[test]
    fn every_encoder_that_may_be_taken_writes_pictures_at_their_times() {
        let folder = tempfile::tempdir().unwrap();
        for (name, encoders) in [
            ("a.mp4", &["none", "mpeg4"][..]),
            ("b.mp4", &["libvpx-vp9"]),
            ("c.mkv", &["mpeg4"]),
            ("d.webm", &WEBM_ENCODERS),
            ("e.webm", &["libvpx"]),
        ] {
            let path = folder.path().join(name);
            let mut writer = VideoWriter::begin(&path, (64, 48), Beside::Nothing, encoders).unwrap();
            assert!(encoders.contains(&writer.encoder()));
            let times = [0.0, 0.04, 0.1, 0.5, 0.52];
            for t in times {
                let bright = (400.0 * t) as u8;
                writer.push(&RgbImage::from_pixel(64, 48, image::Rgb([bright; 3])), Seconds::of(t)).unwrap();
            }
            writer.finish(Some(Seconds::of(0.6))).unwrap();
            let every = Sampling { rate_hz: 0.0, ..Sampling::default() };
            let frames: Vec<_> =
                media::video(&path, every, StreamPick::default()).unwrap().map(|f| f.unwrap()).collect();
            assert_eq!(frames.len(), times.len(), "{name}");
            for (frame, t) in frames.iter().zip(times) {
                // Matroska counts in milliseconds.
                assert!((frame.pts.get() - t).abs() < 6e-4, "{name}: {} {t}", frame.pts);
                assert!(frame.image.get_pixel(30, 20)[0].abs_diff((400.0 * t) as u8) < 12, "{name}");
            }
        }
        let e = VideoWriter::begin(&folder.path().join("f.mp4"), (64, 48), Beside::Nothing, &["none"]).unwrap_err();
        assert!(e.chain().contains("no encoder for it (of pictures none)"), "{}", e.chain());
    }

    #[test]
    fn pictures_come_back_at_their_times() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mp4");
        let mut writer = VideoWriter::create(&path, 65, 49, None).unwrap();
        let times = [0.0, 0.04, 0.1, 0.5, 0.52];
        for (i, t) in times.into_iter().enumerate() {
            writer.push(&RgbImage::from_pixel(65, 49, image::Rgb([40 * i as u8, 100, 200])), Seconds::of(t)).unwrap();
        }
        writer.finish(None).unwrap();
        let frames: Vec<_> =
            media::video(&path, Sampling { rate_hz: 0.0, ..Sampling::default() }, StreamPick::default())
                .unwrap()
                .map(|f| f.unwrap())
                .collect();
        assert_eq!(frames.len(), times.len());
        for (frame, (i, t)) in frames.iter().zip(times.into_iter().enumerate()) {
            assert!((frame.pts.get() - t).abs() < 1e-4, "{} {t}", frame.pts);
            assert_eq!((frame.image.width(), frame.image.height()), (64, 48));
            assert!(frame.image.get_pixel(30, 20)[0].abs_diff(40 * i as u8) < 8);
        }
    }
}
