//! Down-mix: the mean of all channels as floats, whatever the sample format.

use ffmpeg_next::ffi::AVSampleFormat as Format;
use ffmpeg_next::{self as ffmpeg};

/// Appends `frame`'s samples to `out`, one a sampling instant: the plain mean over channels, full scale 1. FFmpeg's own down-mix
/// weights channels by their place in the room, so that a voice in one channel would change level with the layout's name.
///
/// False when the sample format is none of FFmpeg's audio formats.
pub(super) fn append_mean(frame: &ffmpeg::frame::Audio, out: &mut Vec<f32>) -> bool {
    // SAFETY: a decoded frame; `format` was written by the decoder and is read as a plain number.
    let (format, channels, samples) = unsafe {
        let raw = frame.as_ptr();
        ((*raw).format, usize::try_from((*raw).channels).unwrap_or(0), usize::try_from((*raw).nb_samples).unwrap_or(0))
    };
    if channels == 0 {
        return false;
    }
    let is = |f: Format| format == f as i32;
    if is(Format::AV_SAMPLE_FMT_U8) || is(Format::AV_SAMPLE_FMT_U8P) {
        mix::<u8>(frame, channels, samples, is(Format::AV_SAMPLE_FMT_U8P), out, |s| (f64::from(s) - 128.0) / 128.0);
    } else if is(Format::AV_SAMPLE_FMT_S16) || is(Format::AV_SAMPLE_FMT_S16P) {
        mix::<i16>(frame, channels, samples, is(Format::AV_SAMPLE_FMT_S16P), out, |s| f64::from(s) / 32_768.0);
    } else if is(Format::AV_SAMPLE_FMT_S32) || is(Format::AV_SAMPLE_FMT_S32P) {
        mix::<i32>(frame, channels, samples, is(Format::AV_SAMPLE_FMT_S32P), out, |s| f64::from(s) / 2_147_483_648.0);
    } else if is(Format::AV_SAMPLE_FMT_S64) || is(Format::AV_SAMPLE_FMT_S64P) {
        mix::<i64>(frame, channels, samples, is(Format::AV_SAMPLE_FMT_S64P), out, |s| s as f64 / 9_223_372_036_854_775_808.0);
    } else if is(Format::AV_SAMPLE_FMT_FLT) || is(Format::AV_SAMPLE_FMT_FLTP) {
        mix::<f32>(frame, channels, samples, is(Format::AV_SAMPLE_FMT_FLTP), out, f64::from);
    } else if is(Format::AV_SAMPLE_FMT_DBL) || is(Format::AV_SAMPLE_FMT_DBLP) {
        mix::<f64>(frame, channels, samples, is(Format::AV_SAMPLE_FMT_DBLP), out, |s| s);
    } else {
        return false;
    }
    true
}

/// The mean of one instant's channels; the sum is exact enough in double precision to be the same whatever the order. What is not
/// a number becomes silence here, before a resampler would spread it.
pub(super) fn mean(channels: impl Iterator<Item = f64>) -> f32 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in channels {
        sum += value;
        count += 1.0;
    }
    let mean = (sum / count) as f32;
    if mean.is_finite() { mean } else { 0.0 }
}

fn mix<T: Copy>(frame: &ffmpeg::frame::Audio, channels: usize, samples: usize, planar: bool, out: &mut Vec<f32>, scale: impl Fn(T) -> f64) {
    let planes = if planar { channels } else { 1 };
    let per_plane = if planar { samples } else { samples * channels };
    // SAFETY: a decoded audio frame of this format holds `planes` planes (all of them in `extended_data`) of `per_plane` samples,
    // aligned by FFmpeg's allocator; they live as long as the frame, which is borrowed.
    let planes: Vec<&[T]> = unsafe {
        let data = (*frame.as_ptr()).extended_data;
        (0..planes).map(|p| std::slice::from_raw_parts((*data.add(p)).cast::<T>(), per_plane)).collect()
    };
    out.reserve(samples);
    if planar {
        for i in 0..samples {
            out.push(mean(planes.iter().map(|p| scale(p[i]))));
        }
    } else {
        for instant in planes[0].chunks_exact(channels) {
            out.push(mean(instant.iter().map(|&s| scale(s))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_plain_and_never_nan() {
        assert_eq!(mean([0.5, -0.25].into_iter()).to_bits(), 0.125_f32.to_bits());
        assert_eq!(mean([f64::NAN, 1.0].into_iter()).to_bits(), 0.0_f32.to_bits());
        assert_eq!(mean(std::iter::empty()).to_bits(), 0.0_f32.to_bits());
    }

    #[test]
    fn packed_samples_of_a_frame() {
        let mut frame =
            ffmpeg::frame::Audio::new(ffmpeg::format::Sample::I16(ffmpeg::format::sample::Type::Packed), 2, ffmpeg::ChannelLayout::STEREO);
        frame.set_channels(2);
        frame.plane_mut::<(i16, i16)>(0).copy_from_slice(&[(-32768, -32768), (16384, 0)]);
        let mut out = Vec::new();
        assert!(append_mean(&frame, &mut out));
        assert_eq!(out, [-1.0, 0.25]);
    }
}
