//! Damaged and chained files made on the spot: every range told is where something is lost, and nothing is told of what
//! is whole.

use std::path::Path;

use super::clips::{Clips, hear, watched};
use super::*;
use crate::error::Error;
use crate::time::Segment;
use crate::warning::Warning;

const TONE: &str = "-f lavfi -i sine=frequency=220:sample_rate=16000:duration=6";
const EVERY: Sampling = Sampling { rate_hz: 0.0, threads: DecodeThreads(1), ahead: 4 };

fn watch(path: &Path) -> VideoReport {
    watched(path, EVERY)
}

/// `parts` one after the other as `name`.
fn join(clips: &Clips, name: &str, parts: &[&[u8]]) -> std::path::PathBuf {
    std::fs::write(clips.path(name), parts.concat()).unwrap();
    clips.path(name)
}

fn decode_errors(warnings: &[Warning]) -> Vec<Segment> {
    warnings.iter().filter_map(|w| if let Warning::DecodeError { span, .. } = w { *span } else { None }).collect()
}

#[test]
fn chained_opus_loses_nothing() {
    let clips = Clips::new();
    let bytes = std::fs::read(clips.make("a.opus", &format!("{TONE} -c:a libopus"))).unwrap();
    let a = hear(&join(&clips, "twice.opus", &[&bytes, &bytes]));
    assert!((a.report.end_secs - 12.0).abs() < 0.05 && a.report.decode_errors == 0, "{:?} {:?}", a.report, a.warnings);
}

#[test]
fn chained_ogg_of_two_rates_misses_nothing() {
    let clips = Clips::new();
    let low = std::fs::read(clips.make("low.ogg", &format!("{TONE} -c:a libvorbis"))).unwrap();
    let high = std::fs::read(clips.make("high.ogg", &format!("{TONE} -ar 44100 -c:a libvorbis"))).unwrap();
    for (name, parts) in [("up.ogg", [low.as_slice(), &high]), ("down.ogg", [high.as_slice(), &low])] {
        let a = hear(&join(&clips, name, &parts));
        assert!((a.report.end_secs - 12.0).abs() < 0.1, "{name}: {:?}", a.report);
        assert!(a.warnings.iter().all(|w| w.code() == "audio_format_change"), "{name}: {:?}", a.warnings);
        assert_eq!(a.report.declared_secs, None, "{name}");
        let whole = parts.concat();
        let cut = hear(&join(&clips, "cut.ogg", &[&whole[..whole.len() - 9000]]));
        assert!(cut.warnings.iter().any(|w| w.code() == "truncated"), "{name}: {:?}", cut.warnings);
    }
}

#[test]
fn every_data_chunk_of_a_wav_is_read() {
    let clips = Clips::new();
    let plain = clips.make("a.wav", &format!("{TONE} -bitexact"));
    let whole = std::fs::read(&plain).unwrap();
    let data = whole.windows(4).position(|w| w == b"data").unwrap();
    let (head, sound) = (&whole[..data], &whole[data + 8..]);
    let chunk = |sound: &[u8]| [b"data".as_slice(), &(sound.len() as u32).to_le_bytes(), sound].concat();
    let expected = hear(&plain);
    let parts = |cut: usize| [head, &chunk(&sound[..cut]), b"LIST\x04\0\0\0INFO", &chunk(&sound[cut..])].concat();
    let a = hear(&join(&clips, "two.wav", &[&parts(96_000)]));
    assert!((a.report.end_secs - 6.0).abs() < 1e-6 && a.buffer == expected.buffer, "{:?} {:?}", a.report, a.warnings);
    assert!(a.warnings.iter().all(|w| w.code() == "wav_joined") && !a.warnings.is_empty(), "{:?}", a.warnings);
    // The second cut short: what is missing is told.
    let two = parts(96_000);
    let a = hear(&join(&clips, "two.wav", &[&two[..two.len() - 32_000]]));
    assert!(
        a.warnings.contains(&Warning::Shortfall { stream: "audio", span: Segment::from_secs(5.0, 6.0).unwrap() }),
        "{:?}",
        a.warnings
    );
    // Of a codec that is not read here, it is told.
    let packed = std::fs::read(clips.make("packed.wav", &format!("{TONE} -c:a adpcm_ima_wav"))).unwrap();
    let data = packed.windows(4).position(|w| w == b"data").unwrap();
    let a = hear(&join(&clips, "two.wav", &[&packed, &packed[data..]]));
    assert!(a.warnings.iter().any(|w| w.code() == "bytes_unread"), "{:?}", a.warnings);
}

#[test]
fn errors_are_told_where_the_sound_is_missing() {
    let clips = Clips::new();
    // A byte that is no sample.
    let wav = std::fs::read(clips.make("a.wav", TONE)).unwrap();
    let odd = hear(&join(&clips, "odd.wav", &[&wav[..wav.len() - 1]]));
    for span in decode_errors(&odd.warnings) {
        assert!((span.start().get() - 6.0).abs() < 0.001, "{:?}", odd.warnings);
    }
    assert!((odd.report.end_secs - 6.0).abs() < 0.001 && !odd.warnings.is_empty(), "{:?}", odd.warnings);
    // The end of a file cut short lies behind what was decoded.
    let wv = std::fs::read(clips.make("a.wv", TONE)).unwrap();
    let short = hear(&join(&clips, "cut.wv", &[&wv[..wv.len() / 2]]));
    for span in decode_errors(&short.warnings) {
        assert!((span.start().get() - short.report.end_secs).abs() < 0.002, "{:?} {:?}", short.report, short.warnings);
    }
    // Damage in the middle lies where the gap is.
    let mut flac = std::fs::read(clips.make("a.flac", "-f lavfi -i anoisesrc=r=16000:d=6:a=0.3:seed=3")).unwrap();
    let middle = flac.len() / 2;
    flac[middle..middle + 12_000].fill(0x5A);
    let a = hear(&join(&clips, "bad.flac", &[&flac]));
    let (gap, spans) = (a.report.gaps[0], decode_errors(&a.warnings));
    let near = |s: &Segment| {
        (s.start().get() - gap.start().get()).abs() < 0.15 && (s.end().get() - gap.end().get()).abs() < 0.3
    };
    assert!(spans.len() == 1 && near(&spans[0]), "{:?}", a.warnings);
}

#[test]
fn padding_of_the_last_packet_in_caf_is_no_loss() {
    let clips = Clips::new();
    for rate_hz in [8_000, 16_000, 44_100] {
        let a = hear(&clips.make("a.caf", &format!("{TONE} -ar {rate_hz} -c:a alac")));
        assert!(
            (a.report.end_secs - 6.0).abs() < 0.01 && a.warnings.is_empty(),
            "{rate_hz}: {:?} {:?}",
            a.report,
            a.warnings
        );
    }
}

#[test]
fn frames_behind_the_index_of_a_joined_mxf_are_placed() {
    let clips = Clips::new();
    let film = "-f lavfi -i testsrc=size=160x120:rate=25:duration=3 -c:v mpeg2video -threads 1";
    let bytes = std::fs::read(clips.make("a.mxf", film)).unwrap();
    let report = watch(&join(&clips, "twice.mxf", &[&bytes, &bytes]));
    assert!((report.end.unwrap().get() - 6.0).abs() < 0.2, "{report:?}");
    assert!(
        report.warnings.iter().any(|w| matches!(w.code().as_str(), "video_clock" | "timestamp_jump")),
        "{:?}",
        report.warnings
    );
}

#[test]
fn a_stream_that_cannot_be_decoded_is_named() {
    let clips = Clips::new();
    let path =
        clips.make("a.mkv", &format!("-f lavfi -i testsrc=size=64x48:rate=5:duration=2 {TONE} -c:v libx264 -c:a aac"));
    let mut bytes = std::fs::read(&path).unwrap();
    for (name, other) in [("V_MPEG4/ISO/AVC", "V_MPEG4/ISO/XYZ"), ("A_AAC", "A_XYZ")] {
        let at = bytes.windows(name.len()).position(|w| w == name.as_bytes()).unwrap();
        bytes[at..at + name.len()].copy_from_slice(other.as_bytes());
    }
    std::fs::write(&path, bytes).unwrap();
    let pictures = video(&path, EVERY, StreamPick::default()).err().unwrap();
    let sound = audio(&path, 16_000, StreamPick::default()).unwrap_err();
    for e in [pictures, sound] {
        let Error::NoStream { undecodable: Some(what), .. } = &e else { panic!("{e:?}") };
        assert!(what.contains("stream") && e.to_string().contains(what.as_str()), "{e}");
    }
    let none = audio(
        &clips.make("silent.mkv", "-f lavfi -i testsrc=size=64x48:rate=5:duration=2 -c:v libx264"),
        16_000,
        StreamPick::default(),
    )
    .unwrap_err();
    assert!(matches!(none, Error::NoStream { undecodable: None, .. }), "{none:?}");
}
