//! `turnwise probe`: what is understood of a file, as a page and as JSON whose names stay.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

fn probe(args: &[&str], file: &Path) -> (i32, String, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_turnwise")).arg("probe").args(args).arg(file).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (run.status.code().unwrap(), text(run.stdout), text(run.stderr))
}

fn told(args: &[&str], file: &Path) -> Value {
    let (code, out, err) = probe(&[&["--json"], args].concat(), file);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

fn ffmpeg(args: &[&str], to: &Path) {
    let run = Command::new("ffmpeg").args(["-v", "error", "-y"]).args(args).arg(to).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

/// Colour bars at 25 pictures a second, and a tone in two channels that begins half a second later.
fn bars(dir: &Path) -> std::path::PathBuf {
    let path = dir.join("bars.mkv");
    let source = ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=25:duration=2", "-itsoffset", "0.5"];
    let tone = ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=1.5", "-ac", "2"];
    ffmpeg(&[&source[..], &tone, &["-c:v", "libx264", "-c:a", "pcm_s16le"]].concat(), &path);
    path
}

#[test]
fn a_recording_tells_its_streams_what_is_declared_and_what_was_decoded() {
    let dir = tempfile::tempdir().unwrap();
    let all = told(&[], &bars(dir.path()));
    let names: Vec<&String> = all.as_object().unwrap().keys().collect();
    let expected = [
        "audio_stream",
        "container",
        "declared_secs",
        "decoded",
        "decoded_secs",
        "file",
        "kind",
        "origin_secs",
        "streams",
        "video_after_audio_secs",
        "video_stream",
        "warnings",
    ];
    assert_eq!(names, expected, "scripts read these");
    assert_eq!(all["kind"], "recording");
    assert_eq!((&all["video_stream"], &all["audio_stream"], &all["decoded"]), (&json!(0), &json!(1), &json!(true)));
    assert!((all["video_after_audio_secs"].as_f64().unwrap() + 0.5).abs() < 0.03, "{all:#}");
    let (video, audio) = (&all["streams"][0], &all["streams"][1]);
    assert_eq!((&video["kind"], &video["codec"]), (&json!("video"), &json!("h264")));
    assert_eq!(
        (&video["decoded_frames"], &video["width_px"], &video["rotation_deg"]),
        (&json!(50), &json!(64), &json!(0))
    );
    assert_eq!(video["declared_rate_hz"], 25.0);
    assert!((video["measured_rate_hz"].as_f64().unwrap() - 25.0).abs() < 0.1, "{video:#}");
    assert_eq!((&audio["channels"], &audio["declared_rate_hz"]), (&json!(2), &json!(48_000.0)));
    assert!((audio["decoded_secs"].as_f64().unwrap() - 1.5).abs() < 0.03, "{audio:#}");
    assert_eq!(audio["decoded_frames"], Value::Null, "what is not known is null");
}

#[test]
fn a_longer_recording_is_decoded_when_asked() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("long.wav");
    ffmpeg(&["-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono", "-t", "70"], &path);
    assert_eq!(told(&[], &path)["decoded_secs"], Value::Null);
    assert_eq!(told(&["--decode"], &path)["decoded_secs"], 70.0);
}

const TALK: &str = "WEBVTT\n\n00:01.000 --> 00:02.500\n<v Mara>Good morning to you.\n\n\
                    00:03.000 --> 00:04.000\n<v Wei>Morning.\n\n00:05.000 --> 00:06.250\n<v Mara>How are you?\n";

#[test]
fn a_transcript_tells_its_format_labels_and_counts() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("talk.vtt");
    std::fs::write(&path, TALK).unwrap();
    let expected = json!({
        "kind": "transcript",
        "file": "talk.vtt",
        "format": "WebVTT",
        "encoding": "UTF-8",
        "language": null,
        "unit": "seconds",
        "turns": 3,
        "turns_without_label": 0,
        "turns_without_length": 0,
        "events": 0,
        "dropped_before_turns": 0,
        "words": 8,
        "words_timed": 0,
        "first_secs": 1.0,
        "last_secs": 6.25,
        "labels": [
            { "label": "Mara", "turns": 2, "words": 7, "secs": 2.75 },
            { "label": "Wei", "turns": 1, "words": 1, "secs": 1.0 },
        ],
        "warnings": [],
    });
    assert_eq!(told(&[], &path), expected);
    let (_, page, _) = probe(&[], &path);
    let line = |name: &str| page.lines().find(|l| l.trim_start().starts_with(name)).unwrap().to_owned();
    assert_eq!(line("format").find("WebVTT"), line("turns ").find('3'), "values stand below each other:\n{page}");
    let end = |name: &str| line(name).len();
    assert!(end("label ") == end("Mara") && end("Mara") == end("Wei"), "numbers end below each other:\n{page}");
    // UTF-16 without a mark is full of zeros, and text all the same.
    let wide: Vec<u8> = TALK.encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(&path, wide).unwrap();
    assert_eq!(told(&[], &path)["turns"], 3);
}

#[test]
fn repairs_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("talk.vtt");
    std::fs::write(&path, format!("{TALK}\n00:09.000 --> 00:08.000\n<v Wei>Backwards.\n")).unwrap();
    let (code, _, err) = probe(&[], &path);
    assert!(code == 2 && err.contains("talk.vtt"), "{code} {err}");
    let kept = told(&["--set", "input.lenient=true"], &path);
    assert_eq!(kept["turns"], 3);
    assert!(kept["warnings"][0].as_str().unwrap().starts_with("transcript:"), "{kept:#}");
}

#[test]
fn what_is_no_recording_and_no_transcript_gets_the_error_of_extract() {
    let dir = tempfile::tempdir().unwrap();
    let noise: Vec<u8> = (0..5000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for (name, bytes) in
        [("noise.mp4", noise), ("empty.srt", Vec::new()), ("letter.txt", b"Dear Wei,\nthank you.\n".to_vec())]
    {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let (code, out, err) = probe(&["--json"], &path);
        assert!(code != 0 && out.is_empty() && err.contains(name) && !err.contains("panicked"), "{name}: {code} {err}");
    }
    let (code, _, err) = probe(&[], &dir.path().join("gone.mp4"));
    assert!(code != 0 && err.contains("gone.mp4"), "{err}");
}
