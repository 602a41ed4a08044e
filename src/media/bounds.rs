//! Bounds: what a header may claim before anything is made room for. They lie well beyond recordings and cameras of
//! today, and well
//! below what fills a machine.

use std::ops::RangeInclusive;
use std::path::Path;

use ffmpeg_next::{self as ffmpeg, ffi, format};

use super::probe::{StreamInfo, StreamKind};
use crate::error::{Error, Result};

/// Sampling rates of sound: from below the telephone's to DSD's as FFmpeg hands it out.
pub(super) const RATES_HZ: RangeInclusive<u32> = 1_000..=1_536_000;
/// Channels of sound: more than any array of microphones in one file.
const MOST_CHANNELS: u32 = 256;
/// Pixels of a picture, coded or made square: a little more than 8K. One is 113 MB as RGB, and a few are in work at
/// once.
pub(super) const MOST_PIXELS: u64 = 8192 * 4608;
/// No recording is believed to be longer: two days.
const LONGEST_SECS: f64 = 48.0 * 3600.0;
/// Seconds any file may hold, however small.
const SHORT_SECS: f64 = 3600.0;
/// Bits a second below which a longer recording is not believed: Opus that sends nothing but its pauses needs as many.
const LEAST_BIT_RATE: f64 = 400.0;
/// How many times as much as is believed of time stamps may come out of the decoder: sound of nothing but zeros packs
/// well.
const MOST_DECODED: f64 = 4.0;

/// The last time, in seconds since the origin, that is believed of a time stamp or a declared duration in a file of
/// this size: an hour,
/// and more where the file has the bytes for it. The size of what is not a regular file is not known, and any length
/// believed.
pub(super) fn longest_secs(path: &Path) -> f64 {
    match std::fs::metadata(path) {
        Ok(file) if file.is_file() => longest_secs_of(file.len()),
        _ => LONGEST_SECS,
    }
}

fn longest_secs_of(bytes: u64) -> f64 {
    (SHORT_SECS + bytes as f64 * 8.0 / LEAST_BIT_RATE).min(LONGEST_SECS)
}

/// Where decoding is given up, in seconds since the origin, for a file whose time stamps are believed up to
/// `longest_secs`.
pub(super) fn most_decoded_secs(longest_secs: f64) -> f64 {
    (MOST_DECODED * longest_secs).min(LONGEST_SECS)
}

/// Refuses what no recording is.
///
/// # Errors
/// [`Error::Media`] with what the header claims and what is accepted.
pub(super) fn check(path: &Path, stream: &StreamInfo) -> Result<()> {
    let refuse = |claim: String, accepted: String| {
        let what = format!("{} stream {} declares {claim}; {accepted} are accepted", stream.kind.name(), stream.index);
        Err(Error::media(
            path,
            format!("{what}: is the header damaged? converting the file with ffmpeg shows what is in it"),
        ))
    };
    if let (StreamKind::Audio, Some(audio)) = (stream.kind, &stream.audio) {
        if !RATES_HZ.contains(&audio.rate_hz) {
            return refuse(
                format!("{} samples a second", audio.rate_hz),
                format!("{} to {}", RATES_HZ.start(), RATES_HZ.end()),
            );
        }
        if audio.channels > MOST_CHANNELS {
            return refuse(format!("{} channels", audio.channels), format!("up to {MOST_CHANNELS}"));
        }
    }
    if let (StreamKind::Video, Some(video)) = (stream.kind, &stream.video)
        && u64::from(video.width) * u64::from(video.height) > MOST_PIXELS
    {
        let claim = format!("pictures of {}x{} pixels", video.width, video.height);
        return refuse(claim, format!("up to {MOST_PIXELS} pixels (8192x4608)"));
    }
    Ok(())
}

/// Looks into the streams, with no decoder making room for a larger picture than is accepted. The size a header tells
/// is kept where
/// FFmpeg puts none in its place, so that it can be told.
pub(super) fn find_stream_info(input: &mut format::context::Input) -> std::result::Result<(), ffmpeg::Error> {
    let mut options: Vec<*mut ffi::AVDictionary> = (0..input.nb_streams())
        .map(|_| {
            let mut one = ffmpeg::Dictionary::new();
            one.set("max_pixels", &MOST_PIXELS.to_string());
            // SAFETY: the dictionary is given away here and freed below.
            unsafe { one.disown() }
        })
        .collect();
    let told: Vec<(i32, i32)> = parameters(input).map(|par| (par.width, par.height)).collect();
    // SAFETY: an open context; one dictionary for each of its streams, as FFmpeg asks for, which it may replace but not
    // free.
    let code = unsafe { ffi::avformat_find_stream_info(input.as_mut_ptr(), options.as_mut_ptr()) };
    for one in &mut options {
        // SAFETY: null or a dictionary of ours.
        unsafe { ffi::av_dict_free(std::ptr::from_mut(one)) };
    }
    for (par, (width, height)) in parameters(input).zip(told) {
        if par.width == 0 && i64::from(width) * i64::from(height) > MOST_PIXELS.cast_signed() {
            (par.width, par.height, par.format) = (width, height, par.format.max(0));
        }
    }
    if code < 0 { Err(ffmpeg::Error::from(code)) } else { Ok(()) }
}

fn parameters(input: &mut format::context::Input) -> impl Iterator<Item = &mut ffi::AVCodecParameters> {
    // SAFETY: a stream of an open context has parameters, which live as long as it does; each is handed out once.
    input.streams_mut().map(|mut s| unsafe { &mut *(*s.as_mut_ptr()).codecpar })
}

/// The same for the decoder.
pub(super) fn limit_pictures(context: &mut ffmpeg::codec::Context) {
    // SAFETY: a context of ours; a plain number that is read when pictures are made.
    unsafe { (*context.as_mut_ptr()).max_pixels = MOST_PIXELS.cast_signed() };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_hours_are_believed_where_there_are_bytes_for_them() {
        // Eight hours of speech in Opus at 16 kbit/s, and a day in AMR.
        assert!(longest_secs_of(8 * 3600 * 2000) > 8.0 * 3600.0);
        assert!(longest_secs_of(24 * 3600 * 600) > 24.0 * 3600.0);
        assert!(longest_secs_of(64 * 1024) < 1.4 * 3600.0);
        assert!(longest_secs_of(u64::MAX) <= LONGEST_SECS && most_decoded_secs(LONGEST_SECS) <= LONGEST_SECS);
    }
}
