//! Samples of a frame as floats, channel by channel, with the mean of all channels: whatever the sample format.

use ffmpeg_next::ffi::AVSampleFormat as Format;
use ffmpeg_next::{self as ffmpeg};

use super::notes::{Note, NoteKind};

/// +20 dBFS: a float source may go beyond full scale, but not by this much; a wrong format or scale does.
pub(super) const FAR_ABOVE_FULL_SCALE: f64 = 10.0;

/// +200 dBFS: floats scaled to 32-bit integers stay below it. What is beyond is no sound, and its square leaves single
/// precision.
const NO_SOUND: f64 = 1e10;

/// A run of samples as they came out of the decoder.
#[derive(Clone, Debug, Default)]
pub(super) struct AudioPiece {
    /// Presentation time of the first sample since the origin; `None`: it follows on.
    pub(super) secs: Option<f64>,
    /// Samples a second.
    pub(super) rate_hz: u32,
    /// The mean of all channels, full scale 1.
    pub(super) mean: Vec<f32>,
    /// Each channel's samples; empty where there is but one.
    pub(super) channels: Vec<Vec<f32>>,
    /// Samples that are no numbers, or too large for sound.
    pub(super) not_finite: Odd,
    /// Samples more than 20 dB above full scale.
    pub(super) loud: Odd,
    /// What there is to tell already.
    pub(super) notes: Vec<Note>,
}

/// Where something odd was seen in a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Odd {
    /// How many samples.
    pub(super) count: u64,
    /// Index of the first.
    pub(super) first: usize,
    /// Index of the last.
    pub(super) last: usize,
    /// The largest magnitude.
    pub(super) peak: f64,
}

impl Odd {
    fn add(&mut self, at: usize, magnitude: f64) {
        if self.count == 0 {
            self.first = at;
        }
        self.count += 1;
        self.last = at;
        self.peak = self.peak.max(magnitude);
    }
}

impl AudioPiece {
    /// Empty, with room for `samples` instants of `channels`.
    pub(super) fn new(secs: Option<f64>, rate_hz: u32, channels: usize, samples: usize) -> Self {
        let channels = if channels > 1 { channels } else { 0 };
        let channels = (0..channels).map(|_| Vec::with_capacity(samples)).collect();
        AudioPiece { secs, rate_hz, mean: Vec::with_capacity(samples), channels, ..AudioPiece::default() }
    }

    /// All there is to tell of the piece.
    pub(super) fn all_notes(&self) -> Vec<Note> {
        let note = |odd: Odd, kind| {
            (odd.count > 0).then_some(Note { from: odd.first, to: odd.last + 1, count: odd.count, kind })
        };
        let odd = [
            note(self.not_finite, NoteKind::NotFinite),
            note(self.loud, NoteKind::AboveFullScale { peak: self.loud.peak }),
        ];
        self.notes.iter().cloned().chain(odd.into_iter().flatten()).collect()
    }

    /// Adds one instant: one value a channel, in order.
    pub(super) fn push(&mut self, instant: impl Iterator<Item = f64>) {
        let at = self.mean.len();
        let (mut sum, mut count) = (0.0, 0_usize);
        for value in instant {
            let magnitude = value.abs();
            let sound = magnitude <= NO_SOUND;
            if magnitude > FAR_ABOVE_FULL_SCALE && sound {
                self.loud.add(at, magnitude);
            } else if !sound {
                self.not_finite.add(at, magnitude);
            }
            if let Some(channel) = self.channels.get_mut(count) {
                channel.push(if sound { value as f32 } else { 0.0 });
            }
            sum += if sound { value } else { f64::NAN };
            count += 1;
        }
        self.mean.push(finite_mean(sum, count));
    }
}

/// The sum is exact enough in double precision to be the same whatever the order. What is not a number becomes silence
/// here, before a resampler would spread it.
fn finite_mean(sum: f64, count: usize) -> f32 {
    let mean = (sum / count as f64) as f32;
    if mean.is_finite() { mean } else { 0.0 }
}

/// `frame`'s samples: the plain mean over channels, and the channels. FFmpeg's own down-mix weights channels by their
/// place in the room, so that a voice in one channel would change level with the layout's name.
///
/// `None` when the sample format is none of FFmpeg's audio formats.
pub(super) fn piece(frame: &ffmpeg::frame::Audio, secs: Option<f64>) -> Option<AudioPiece> {
    // SAFETY: a decoded frame; `format` was written by the decoder and is read as a plain number.
    let (format, channels, samples) = unsafe {
        let raw = frame.as_ptr();
        ((*raw).format, usize::try_from((*raw).channels).unwrap_or(0), usize::try_from((*raw).nb_samples).unwrap_or(0))
    };
    if channels == 0 {
        return None;
    }
    let is = |f: Format| format == f as i32;
    let mut out = AudioPiece::new(secs, frame.rate(), channels, samples);
    let shape = |planar| Shape { channels, samples, planar };
    if is(Format::AV_SAMPLE_FMT_U8) || is(Format::AV_SAMPLE_FMT_U8P) {
        mix::<u8>(frame, &shape(is(Format::AV_SAMPLE_FMT_U8P)), &mut out, |s| (f64::from(s) - 128.0) / 128.0);
    } else if is(Format::AV_SAMPLE_FMT_S16) || is(Format::AV_SAMPLE_FMT_S16P) {
        mix::<i16>(frame, &shape(is(Format::AV_SAMPLE_FMT_S16P)), &mut out, |s| f64::from(s) / 32_768.0);
    } else if is(Format::AV_SAMPLE_FMT_S32) || is(Format::AV_SAMPLE_FMT_S32P) {
        mix::<i32>(frame, &shape(is(Format::AV_SAMPLE_FMT_S32P)), &mut out, |s| f64::from(s) / 2_147_483_648.0);
    } else if is(Format::AV_SAMPLE_FMT_S64) || is(Format::AV_SAMPLE_FMT_S64P) {
        mix::<i64>(frame, &shape(is(Format::AV_SAMPLE_FMT_S64P)), &mut out, |s| s as f64 / 9_223_372_036_854_775_808.0);
    } else if is(Format::AV_SAMPLE_FMT_FLT) || is(Format::AV_SAMPLE_FMT_FLTP) {
        mix::<f32>(frame, &shape(is(Format::AV_SAMPLE_FMT_FLTP)), &mut out, f64::from);
    } else if is(Format::AV_SAMPLE_FMT_DBL) || is(Format::AV_SAMPLE_FMT_DBLP) {
        mix::<f64>(frame, &shape(is(Format::AV_SAMPLE_FMT_DBLP)), &mut out, |s| s);
    } else {
        return None;
    }
    Some(out)
}

/// How a frame's samples lie in memory.
struct Shape {
    channels: usize,
    samples: usize,
    planar: bool,
}

fn mix<T: Copy>(frame: &ffmpeg::frame::Audio, shape: &Shape, out: &mut AudioPiece, scale: impl Fn(T) -> f64) {
    let &Shape { channels, samples, planar } = shape;
    let planes = if planar { channels } else { 1 };
    let per_plane = if planar { samples } else { samples * channels };
    // SAFETY: a decoded audio frame of this format holds `planes` planes (all of them in `extended_data`) of
    // `per_plane` samples, aligned by FFmpeg's allocator; they live as long as the frame, which is borrowed.
    let planes: Vec<&[T]> = unsafe {
        let data = (*frame.as_ptr()).extended_data;
        (0..planes).map(|p| std::slice::from_raw_parts((*data.add(p)).cast::<T>(), per_plane)).collect()
    };
    if planar {
        for i in 0..samples {
            out.push(planes.iter().map(|p| scale(p[i])));
        }
    } else {
        for instant in planes[0].chunks_exact(channels) {
            out.push(instant.iter().map(|&s| scale(s)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_plain_and_never_nan() {
        let mut p = AudioPiece::new(None, 8000, 2, 4);
        p.push([0.5, -0.25].into_iter());
        p.push([f64::NAN, 1.0].into_iter());
        p.push([-32_768.0, 0.0].into_iter());
        p.push([f64::INFINITY, 0.0].into_iter());
        p.push([0.0, 1e30].into_iter());
        assert_eq!(
            p.mean.iter().map(|s| s.to_bits()).collect::<Vec<_>>(),
            [0.125_f32, 0.0, -16_384.0, 0.0, 0.0].map(f32::to_bits)
        );
        assert_eq!(
            p.channels[1].iter().map(|s| s.to_bits()).collect::<Vec<_>>(),
            [-0.25_f32, 1.0, 0.0, 0.0, 0.0].map(f32::to_bits)
        );
        assert_eq!((p.not_finite.count, p.not_finite.first, p.not_finite.last), (3, 1, 4));
        assert_eq!(p.loud, Odd { count: 1, first: 2, last: 2, peak: 32_768.0 });
        assert_eq!(finite_mean(0.0, 0).to_bits(), 0.0_f32.to_bits());
    }

    #[test]
    fn packed_samples_of_a_frame() {
        let mut frame = ffmpeg::frame::Audio::new(
            ffmpeg::format::Sample::I16(ffmpeg::format::sample::Type::Packed),
            2,
            ffmpeg::ChannelLayout::STEREO,
        );
        frame.set_channels(2);
        frame.plane_mut::<(i16, i16)>(0).copy_from_slice(&[(-32768, -32768), (16384, 0)]);
        let p = piece(&frame, None).unwrap();
        assert_eq!(p.mean, [-1.0, 0.25]);
        assert_eq!(p.channels, [[-1.0, 0.5], [-1.0, 0.0]]);
    }
}
