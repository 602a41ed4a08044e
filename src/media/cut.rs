//! Files cut short and damaged, made on the spot: what is missing is told, with its range, and of a sound file nothing
//! is.

use std::path::Path;

use super::clips::{Clips, hear, watched};
use super::*;
use crate::time::Segment;
use crate::warning::Warning;

const EVERY: Sampling = Sampling { rate_hz: 1.0, threads: DecodeThreads(1), ahead: 4 };
const SECS: f64 = 8.0;
const TONE: &str = "-f lavfi -i sine=frequency=220:sample_rate=44100:duration=8";
const FILM: &str =
    "-f lavfi -i testsrc=size=64x48:rate=25:duration=8 -f lavfi -i sine=frequency=220:sample_rate=44100:duration=8";
const H264: &str = "-c:v libx264 -preset ultrafast -threads 1 -g 25 -pix_fmt yuv420p";

fn watch(path: &Path) -> VideoReport {
    watched(path, EVERY)
}

/// What tells of loss.
fn losses(warnings: &[Warning]) -> Vec<&Warning> {
    let codes = [
        "shortfall",
        "truncated",
        "frames_missing",
        "video_gap",
        "decode_error",
        "gap_filled",
        "timestamp_jump",
        "bytes_unread",
    ];
    warnings.iter().filter(|w| codes.contains(&w.code().as_str())).collect()
}

fn shortfall(warnings: &[Warning]) -> Option<Segment> {
    let all: Vec<Segment> = warnings
        .iter()
        .filter_map(|w| if let Warning::Shortfall { span, .. } = w { Some(*span) } else { None })
        .collect();
    assert!(all.len() <= 1, "{warnings:?}");
    all.first().copied()
}

fn cut(clips: &Clips, path: &Path, share: f64) -> std::path::PathBuf {
    let bytes = std::fs::read(path).unwrap();
    let name = format!("cut_{}", path.file_name().unwrap().to_string_lossy());
    let path = clips.path(&name);
    std::fs::write(&path, &bytes[..(bytes.len() as f64 * share) as usize]).unwrap();
    path
}

/// Hands over the file cut at several shares of its bytes.
fn each_cut(clips: &Clips, path: &Path, mut check: impl FnMut(f64, &Path)) {
    for share in [0.6, 0.7] {
        check(share, &cut(clips, path, share));
    }
}

/// Nothing told of the whole file; of the file cut at `share` the range from about there to the end.
fn assert_range(name: &str, share: f64, end: f64, warnings: &[Warning], slack: f64) {
    let span =
        shortfall(warnings).unwrap_or_else(|| panic!("{name}: nothing is told of what is missing: {warnings:?}"));
    assert!((span.start().get() - end).abs() < 1e-3, "{name}: {span} but decoded up to {end}");
    assert!((span.start().get() - SECS * share).abs() < slack, "{name}: {span} for a cut at {share}");
    assert!((span.end().get() - SECS).abs() < 0.13, "{name}: {span}");
}

#[test]
fn sound_cut_short_is_told_with_its_range() {
    let clips = Clips::new();
    for (name, options, slack) in [
        ("a.wav", "", 0.01),
        ("float.wav", "-c:a pcm_f32le", 0.01),
        ("rf64.wav", "-rf64 always", 0.01),
        ("packed.wav", "-c:a adpcm_ima_wav", 0.1),
        ("mp3.wav", "-c:a libmp3lame", 0.15),
        ("a.w64", "", 0.01),
        ("a.aiff", "", 0.1),
        ("a.caf", "", 0.1),
        ("a.au", "", 0.1),
        ("a.flac", "", 0.4),
        ("a.tta", "", 1.1),
        ("a.wv", "", 1.1),
        ("a.mp3", "-c:a libmp3lame -b:a 128k", 0.1),
        ("a.m4a", "-c:a aac -movflags +faststart", 0.6),
        ("a.mka", "-c:a aac", 0.6),
        ("a.webm", "-c:a libopus", 0.6),
        ("a.wma", "-c:a wmav2", 0.6),
        ("a.flv", "-c:a aac", 0.6),
    ] {
        let path = clips.make(name, &format!("{TONE} {options}"));
        let whole = hear(&path);
        assert!(losses(&whole.warnings).is_empty(), "{name}: {:?}", whole.warnings);
        each_cut(&clips, &path, |share, short| {
            let short = hear(short);
            eprintln!("{name} {share}: {:?}", short.warnings);
            assert_range(name, share, short.report.end_secs, &short.warnings, slack);
        });
    }
}

#[test]
fn film_cut_short_is_told_with_its_range_for_sound_and_picture() {
    let clips = Clips::new();
    for (name, options) in [
        ("fast.mp4", format!("{H264} -c:a aac -movflags +faststart")),
        ("a.mkv", format!("{H264} -c:a aac")),
        ("untagged.mkv", format!("{H264} -c:a aac -map_metadata -1 -fflags +bitexact")),
        ("a.webm", "-c:v libvpx -deadline realtime -threads 1 -b:v 200k -c:a libopus".to_owned()),
        ("mp3.avi", "-c:v mpeg4 -threads 1 -c:a libmp3lame".to_owned()),
        ("pcm.avi", "-c:v mjpeg -threads 1 -c:a pcm_s16le".to_owned()),
        ("a.flv", format!("{H264} -c:a aac")),
        ("a.wmv", "-c:v wmv2 -threads 1 -c:a wmav2".to_owned()),
    ] {
        let path = clips.make(name, &format!("{FILM} {options}"));
        let (heard, seen) = (hear(&path), watch(&path));
        assert!(
            losses(&heard.warnings).is_empty() && losses(&seen.warnings).is_empty(),
            "{name}: {:?} {:?}",
            heard.warnings,
            seen.warnings
        );
        each_cut(&clips, &path, |share, short| {
            let (heard, seen) = (hear(short), watch(short));
            eprintln!("{name} {share}: {:?} {:?}", heard.warnings, seen.warnings);
            assert_range(name, share, heard.report.end_secs, &heard.warnings, 0.9);
            assert_range(name, share, seen.end.unwrap().get(), &seen.warnings, 0.9);
        });
    }
}

#[test]
fn containers_that_tell_no_length_say_that_they_break_off() {
    let clips = Clips::new();
    for (name, options) in [
        ("a.ogg", format!("{TONE} -c:a libvorbis")),
        ("opus.ogg", format!("{TONE} -c:a libopus -page_duration 200000")),
        ("live.mkv", format!("{TONE} -c:a aac -live 1")),
        ("parts.mp4", format!("{FILM} {H264} -c:a aac -movflags +frag_keyframe+empty_moov")),
        ("dash.mp4", format!("{FILM} {H264} -c:a aac -movflags +dash+frag_keyframe+default_base_moof")),
        ("a.ts", format!("{TONE} -c:a aac")),
        ("film.ts", format!("{FILM} {H264} -c:a aac")),
    ] {
        let path = clips.make(name, &options);
        let whole = hear(&path);
        assert!(losses(&whole.warnings).is_empty(), "{name}: {:?}", whole.warnings);
        // Not on a packet's edge.
        let short = hear(&cut(&clips, &path, 0.6123));
        let end = short.report.end_secs;
        assert!(end < 0.75 * SECS && end > 0.2 * SECS, "{name}: {end}");
        let told =
            short.warnings.iter().any(|w| matches!(w, Warning::Truncated { at, .. } if (at.get() - end).abs() < 1e-3));
        assert!(told, "{name}: {:?}", short.warnings);
    }
}

#[test]
fn a_flipped_bit_in_ogg_is_told_wherever_it_is() {
    let clips = Clips::new();
    let path = clips.make("a.ogg", &format!("{TONE} -c:a libvorbis"));
    let bytes = std::fs::read(&path).unwrap();
    let whole = hear(&path).report.decoded_secs;
    let bad = clips.path("flipped.ogg");
    let mut lost = 0;
    // Behind the three headers, every few hundred bytes to the end.
    for at in (5000..bytes.len()).step_by(331) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 4;
        std::fs::write(&bad, flipped).unwrap();
        let a = hear(&bad);
        let told = losses(&a.warnings);
        if whole - a.report.decoded_secs > 0.05 {
            lost += 1;
            assert!(!told.is_empty(), "bit at {at}: {} of {whole} s and not a word", a.report.decoded_secs);
        }
        let spans: f64 = a.report.gaps.iter().chain(shortfall(&a.warnings).iter()).map(|s| s.duration()).sum();
        let head =
            told.iter().any(|w| matches!(w, Warning::DecodeError { span: Some(s), .. } if s.start().get() < 1e-9));
        let spans = spans + if head { a.report.start_secs } else { 0.0 };
        let broken_off = told.iter().any(|w| matches!(w, Warning::Truncated { .. }));
        assert!(
            broken_off || (whole - a.report.decoded_secs - spans).abs() < 0.13,
            "bit at {at}: {:?} {:?}",
            a.report,
            a.warnings
        );
    }
    assert!(lost > 3, "{lost}");
}

#[test]
fn a_header_that_tells_of_ten_times_the_sound() {
    let clips = Clips::new();
    let path = clips.make("a.wav", "-f lavfi -i sine=frequency=220:sample_rate=16000:duration=2");
    let mut bytes = std::fs::read(&path).unwrap();
    let data = bytes.windows(4).position(|w| w == b"data").unwrap();
    bytes[data + 4..data + 8].copy_from_slice(&640_000_u32.to_le_bytes());
    std::fs::write(&path, &bytes).unwrap();
    let a = hear(&path);
    assert_eq!(shortfall(&a.warnings), Segment::from_secs(2.0, 20.0), "{:?}", a.warnings);
    assert_eq!(a.report.declared_secs, Some(20.0));
    // And of a tenth: what is behind is no sound by the header, and told.
    bytes[data + 4..data + 8].copy_from_slice(&6_400_u32.to_le_bytes());
    bytes[data + 8 + 6_400..data + 8 + 6_404].copy_from_slice(&[1, 0, 2, 0]);
    std::fs::write(&path, &bytes).unwrap();
    let a = hear(&path);
    assert!(a.warnings.iter().any(|w| w.code() == "bytes_unread"), "{:?}", a.warnings);
}

/// A WAV header in the extensible form, with samples of 4 bytes.
fn extensible(rate_hz: u32, valid_bits: u16, samples: &[i32]) -> Vec<u8> {
    let mut fmt = Vec::new();
    for word in [0xFFFE, 1] {
        fmt.extend(u16::to_le_bytes(word));
    }
    fmt.extend([rate_hz.to_le_bytes(), (4 * rate_hz).to_le_bytes()].concat());
    for word in [4, 32, 22, valid_bits] {
        fmt.extend(u16::to_le_bytes(word));
    }
    fmt.extend(4_u32.to_le_bytes());
    fmt.extend([1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]);
    let data: Vec<u8> = samples.iter().flat_map(|s| s.to_le_bytes()).collect();
    let body =
        [b"WAVEfmt ".as_slice(), &40_u32.to_le_bytes(), &fmt, b"data", &(data.len() as u32).to_le_bytes(), &data]
            .concat();
    [b"RIFF".as_slice(), &(body.len() as u32).to_le_bytes(), &body].concat()
}

#[test]
fn bits_that_do_not_fill_their_bytes_are_read_by_the_bytes() {
    let clips = Clips::new();
    let path = clips.path("24in32.wav");
    for valid in [24, 20, 16] {
        let step = 1_i32 << (32 - valid);
        let samples: Vec<i32> = (0..32_000).map(|i| ((f64::from(i) * 0.01).sin() * 1e9) as i32 / step * step).collect();
        std::fs::write(&path, extensible(16_000, valid, &samples)).unwrap();
        let a = hear(&path);
        assert!(losses(&a.warnings).is_empty(), "{valid} bits: {:?}", a.warnings);
        assert_eq!((a.report.declared_secs, a.buffer.samples().len()), (Some(2.0), 32_000), "{valid} bits");
        for (ours, theirs) in a.buffer.samples().iter().zip(&samples) {
            assert!((f64::from(*ours) - f64::from(*theirs) / 2_147_483_648.0).abs() < 1e-6, "{valid} bits");
        }
    }
}

#[test]
fn a_late_track_of_matroska_is_whole_and_its_cut_end_is_told() {
    let clips = Clips::new();
    let path = clips.make("late.mkv", &format!("{FILM} -itsoffset 3 {TONE} -map 0:v -map 2:a {H264} -c:a aac -t 8"));
    let (heard, seen) = (hear(&path), watch(&path));
    assert!(
        losses(&heard.warnings).is_empty() && losses(&seen.warnings).is_empty(),
        "{:?} {:?}",
        heard.warnings,
        seen.warnings
    );
    assert!((heard.report.declared_secs.unwrap() - 5.0).abs() < 0.1, "a length, not an end: {:?}", heard.report);
    // As mkvtoolnix writes it: the length, in a tag beside its name, and FFmpeg is not who wrote the file.
    let tags = "-map_metadata 0 -metadata:s:a _STATISTICS_WRITING_APP=mkvmerge -fflags +bitexact";
    let other = clips.make("stats.mkv", &format!("-i late.mkv -c copy {tags}"));
    let mut bytes = std::fs::read(&other).unwrap();
    let places: Vec<usize> = bytes.windows(4).enumerate().filter(|(_, w)| *w == b"Lavf").map(|(i, _)| i).collect();
    places.into_iter().for_each(|at| bytes[at..at + 4].copy_from_slice(b"lieb"));
    let ends: Vec<usize> =
        bytes.windows(12).enumerate().filter(|(_, w)| w.starts_with(b"00:00:08.0")).map(|(i, _)| i).collect();
    assert!(!ends.is_empty());
    ends.into_iter().for_each(|at| bytes[at + 7] = b'5');
    std::fs::write(&other, bytes).unwrap();
    let a = hear(&other);
    assert!(
        (a.report.declared_secs.unwrap() - 5.0).abs() < 0.1 && losses(&a.warnings).is_empty(),
        "{:?} {:?}",
        a.report,
        a.warnings
    );
    let short = hear(&cut(&clips, &path, 0.7));
    let span = shortfall(&short.warnings).unwrap();
    assert!(
        (span.start().get() - short.report.end_secs).abs() < 1e-3 && (span.end().get() - 8.0).abs() < 0.1,
        "{span}"
    );
}

#[test]
fn a_stream_that_ends_before_the_others_misses_nothing() {
    let clips = Clips::new();
    clips.make("four.wav", "-f lavfi -i sine=duration=4");
    for (name, codecs) in
        [("short.mkv", "-c:a aac -fflags +bitexact"), ("short.flv", "-c:a aac"), ("short.avi", "-c:a libmp3lame")]
    {
        let video = if name.ends_with("avi") { "-c:v mpeg4 -threads 1" } else { H264 };
        let path = clips.make(name, &format!("{FILM} -i four.wav -map 0:v -map 2:a {video} {codecs}"));
        let (heard, seen) = (hear(&path), watch(&path));
        assert!(
            losses(&heard.warnings).is_empty() && losses(&seen.warnings).is_empty(),
            "{name}: {:?} {:?}",
            heard.warnings,
            seen.warnings
        );
    }
}

#[test]
fn packets_lost_in_the_middle_are_told_where_they_were() {
    let clips = Clips::new();
    for (name, options) in [
        ("a.mkv", format!("{H264} -c:a aac -cluster_time_limit 500")),
        ("a.ts", format!("{H264} -c:a aac")),
        ("a.mpg", "-c:v mpeg2video -c:a mp2".to_owned()),
    ] {
        let path = clips.make(name, &format!("{FILM} {options}"));
        assert!(losses(&watch(&path).warnings).is_empty(), "{name}: {:?}", watch(&path).warnings);
        let mut bytes = std::fs::read(&path).unwrap();
        let (from, to) = (bytes.len() / 2, bytes.len() * 6 / 10);
        bytes[from..to].fill(0);
        let bad = clips.path(&format!("hole_{name}"));
        std::fs::write(&bad, bytes).unwrap();
        let (heard, seen) = (hear(&bad), watch(&bad));
        eprintln!("{name}: {:?} {:?}", heard.warnings, seen.warnings);
        let near = |span: &Segment| span.end().get() > 3.0 && span.start().get() < 6.0;
        assert!(heard.report.gaps.iter().any(near), "{name}: {:?}", heard.warnings);
        let told = |s: &Segment| near(s) && s.duration() > 0.5;
        let told = seen.warnings.iter().any(|w| match w {
            Warning::DecodeError { span: Some(s), .. } | Warning::VideoGap { span: s } => told(s),
            _ => false,
        });
        assert!(told, "{name}: {:?}", seen.warnings);
    }
}
