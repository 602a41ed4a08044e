//! Claims no recording makes, in files of a few bytes: told, in bounded time and memory.

use std::path::Path;
use std::time::{Duration, Instant};

use super::clips::Clips;
use super::*;
use crate::error::Error;
use crate::warning::Warning;

fn pcm(rate_hz: u32, channels: u16, data: &[u8]) -> Vec<u8> {
    let bytes = rate_hz.wrapping_mul(2).wrapping_mul(u32::from(channels));
    let fmt = [
        1_u16.to_le_bytes().as_slice(),
        &channels.to_le_bytes(),
        &rate_hz.to_le_bytes(),
        &bytes.to_le_bytes(),
        &channels.wrapping_mul(2).to_le_bytes(),
        &16_u16.to_le_bytes(),
    ]
    .concat();
    let body = [b"WAVEfmt ".as_slice(), &16_u32.to_le_bytes(), &fmt, b"data", &(data.len() as u32).to_le_bytes(), data]
        .concat();
    [b"RIFF".as_slice(), &(body.len() as u32).to_le_bytes(), &body].concat()
}

fn refused(path: &Path, part: &str) {
    let begun = Instant::now();
    let e = audio(path, 16_000, StreamPick::default()).unwrap_err();
    assert!(matches!(e, Error::Media { .. }) && e.chain().contains(part), "{}", e.chain());
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn rates_and_channels_that_no_recording_has() {
    let clips = Clips::new();
    let path = clips.path("claim.wav");
    for rate_hz in [1, 999, 2_000_000, 100_000_000, 0x7FFF_FFFF] {
        std::fs::write(&path, pcm(rate_hz, 1, &[1; 65_536])).unwrap();
        refused(&path, &format!("{rate_hz} samples a second"));
    }
    std::fs::write(&path, pcm(16_000, 30_000, &[1; 65_536])).unwrap();
    refused(&path, "30000 channels");
    std::fs::write(&path, pcm(8_000, 8, &[1; 65_536])).unwrap();
    assert_eq!(audio(&path, 16_000, StreamPick::default()).unwrap().report.channels, 8);
}

#[test]
fn a_time_stamp_far_away_asks_for_no_silence() {
    let clips = Clips::new();
    for (name, codec, secs) in
        [("day.mka", "pcm_s16le", 190_000_u64), ("year.mka", "pcm_s16le", 31_536_000), ("hours.mka", "aac", 40_000)]
    {
        let shift = format!("asetpts='PTS+gte(N*1024\\,32000)*{secs}*16000'");
        let path =
            clips.make(name, &format!("-f lavfi -i sine=sample_rate=16000:duration=4 -af \"{shift}\" -c:a {codec}"));
        let a = audio(&path, 16_000, StreamPick::default()).unwrap();
        eprintln!("{name}: {:?}", a.warnings);
        assert!(a.buffer.samples().len() < 5 * 16_000, "{name}: {} samples", a.buffer.samples().len());
        let told = |code: &str| a.warnings.iter().any(|w| w.code() == code);
        assert!(told("timestamp_jump") && told("duration_doubtful"), "{name}: {:?}", a.warnings);
    }
    // Where the bytes are there, hours may pass.
    let path = clips.make(
        "pause.mka",
        "-f lavfi -i anoisesrc=sample_rate=16000:duration=20 -af \"asetpts='PTS+gte(N*1024\\,160000)*5000*16000'\" \
         -c:a pcm_s16le",
    );
    let a = audio(&path, 16_000, StreamPick::default()).unwrap();
    assert!((a.report.end_secs - 5020.0).abs() < 1.0, "{:?} {:?}", a.report.end_secs, a.warnings);
    assert_eq!(a.report.gaps.len(), 1);
}

#[test]
fn pictures_of_any_size_a_header_can_name() {
    let clips = Clips::new();
    let path = clips.make("a.avi", "-f lavfi -i testsrc=size=64x48:rate=5:duration=1 -c:v rawvideo -pix_fmt bgr24");
    let bytes = std::fs::read(&path).unwrap();
    let strf = bytes.windows(4).position(|w| w == b"strf").unwrap() + 8;
    for side in [8_000_u32, 16_000, 30_000, 60_000] {
        let mut large = bytes.clone();
        large[strf + 4..strf + 8].copy_from_slice(&side.to_le_bytes());
        large[strf + 8..strf + 12].copy_from_slice(&side.to_le_bytes());
        std::fs::write(&path, large).unwrap();
        let begun = Instant::now();
        let e = video(&path, Sampling::default(), StreamPick::default()).map(|_| ()).unwrap_err();
        assert!(matches!(e, Error::Media { .. } | Error::NoStream { .. }), "{side}: {}", e.chain());
        assert!(begun.elapsed() < Duration::from_secs(5), "{side}: {:?}", begun.elapsed());
    }
    // A decoder that meets such a size in the stream makes no room for it.
    let path = clips.make("large.mkv", "-f lavfi -i color=size=8200x8200:rate=1:duration=1 -c:v png -threads 1");
    let e = video(&path, Sampling::default(), StreamPick::default()).map(|_| ()).unwrap_err();
    assert!(e.chain().contains("8200x8200") || matches!(e, Error::NoStream { .. }), "{}", e.chain());
}

#[test]
fn a_frame_that_stands_for_a_century() {
    let clips = Clips::new();
    let path = clips.make("slow.avi", "-f lavfi -i testsrc=size=64x48:rate=25:duration=1 -c:v mjpeg");
    let mut bytes = std::fs::read(&path).unwrap();
    let scale = bytes.windows(4).position(|w| w == b"vids").unwrap() + 20;
    bytes[scale..scale + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    bytes[scale + 4..scale + 8].copy_from_slice(&1_u32.to_le_bytes());
    std::fs::write(&path, bytes).unwrap();
    let mut film = video(&path, Sampling { rate_hz: 0.0, ..Sampling::default() }, StreamPick::default()).unwrap();
    let last = film.by_ref().map(|frame| frame.unwrap().pts.get()).fold(0.0, f64::max);
    let report = film.finish().unwrap();
    assert!(last < 3600.0 && report.end.unwrap().get() < 3600.0, "{last} {report:?}");
    let codes: Vec<_> = report.warnings.iter().map(Warning::code).collect();
    assert!(
        codes.iter().any(|c| c == "duration_doubtful") && codes.iter().any(|c| c == "video_time_order"),
        "{:?}",
        report.warnings
    );
}
