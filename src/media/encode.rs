//! Video out: pictures with their own presentation times, and sound beside them, into an MP4 to look at; H.264 where
//! libx264 is there, else MPEG-4 part 2; AAC.

use std::path::{Path, PathBuf};

use ffmpeg_next::format::Pixel;
use ffmpeg_next::software::scaling;
use ffmpeg_next::{self as ffmpeg, ChannelLayout, Dictionary, Packet, Rational, codec, encoder, format, frame};
use image::RgbImage;

use super::input;
use crate::error::{Error, Result};
use crate::time::Seconds;

/// Ticks a second: the most that MPEG-4 part 2 can count is 65535.
const TICKS: i32 = 60_000;
/// How long the last picture stays.
const LAST_TICKS: i64 = 2400;
/// Bits a second where the encoder knows no constant quality.
const BIT_RATE: usize = 4_000_000;

/// Bits a second of one channel of speech.
const SOUND_BIT_RATE: usize = 96_000;

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
        input::start();
        Self::begin(path, width & !1, height & !1, sound).map_err(|e| match e {
            ffmpeg::Error::MuxerNotFound => {
                Error::write(path, "no video container is known by this ending; name it .mp4 or .mkv")
            }
            other => Error::write(path, other),
        })
    }

    fn begin(
        path: &Path,
        width: u32,
        height: u32,
        sound: Option<(&[f32], u32)>,
    ) -> std::result::Result<Self, ffmpeg::Error> {
        // FFmpeg's own word for it is "invalid argument".
        // "file:" keeps a name with a colon from being read as a protocol, some of which are networks.
        let mut local = std::ffi::OsString::from("file:");
        local.push(path);
        let mut output = format::output(&local).map_err(|e| match e {
            ffmpeg::Error::Other { errno: libc::EINVAL } => ffmpeg::Error::MuxerNotFound,
            other => other,
        })?;
        let codec = encoder::find_by_name("libx264")
            .or_else(|| encoder::find(codec::Id::MPEG4))
            .ok_or(ffmpeg::Error::EncoderNotFound)?;
        let header = output.format().flags().contains(format::Flags::GLOBAL_HEADER);
        let mut settings = codec::context::Context::new_with_codec(codec).encoder().video()?;
        settings.set_width(width);
        settings.set_height(height);
        settings.set_format(Pixel::YUV420P);
        settings.set_time_base(Rational(1, TICKS));
        // Without pictures sent out of order the first one is at its own time in any player.
        settings.set_max_b_frames(0);
        settings.set_bit_rate(if codec.name() == "libx264" { 0 } else { BIT_RATE });
        if header {
            settings.set_flags(codec::Flags::GLOBAL_HEADER);
        }
        let mut options = Dictionary::new();
        if codec.name() == "libx264" {
            options.set("preset", "veryfast");
            options.set("crf", "20");
        }
        let encoder = settings.open_with(options)?;
        let mut stream = output.add_stream(codec)?;
        stream.set_time_base(Rational(1, TICKS));
        stream.set_parameters(&encoder);
        let sound = sound.map(|(samples, rate_hz)| Sound::encode(&mut output, samples, rate_hz)).transpose()?;
        output.write_header()?;
        if let Some(sound) = sound {
            sound.write(&mut output)?;
        }
        let scaler =
            scaling::Context::get(Pixel::RGB24, width, height, Pixel::YUV420P, width, height, scaling::Flags::BICUBIC)?;
        let (rgb, yuv) =
            (frame::Video::new(Pixel::RGB24, width, height), frame::Video::new(Pixel::YUV420P, width, height));
        Ok(VideoWriter { path: path.to_owned(), output, encoder, scaler, rgb, yuv, last: None, last_ticks: LAST_TICKS })
    }

    /// Adds a picture; times must rise. A picture of another size is cut or bordered with black.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn push(&mut self, picture: &RgbImage, pts: Seconds) -> Result<()> {
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
