//! Who speaks on the screen, frame by frame, against what is seen and heard on the reference clips, wherever they begin.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::stage::{Stage, table};

/// Where the speaker is in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Left,
    Right,
}

/// Speech of somebody in the picture: clip, from, to (seconds of the whole clip), and where that person is, by eye and ear.
const SPOKEN: [(&str, f64, f64, Place); 4] = [
    ("dev/statement_two_men.mp4", 0.0, 8.7, Place::Right),
    ("dev/home_low_light.mp4", 0.75, 1.71, Place::Left),
    ("video/debate_cuts.mp4", 1.92, 2.92, Place::Right),
    ("video/debate_cuts.mp4", 3.86, 4.96, Place::Right),
];

fn shared() -> PathBuf {
    let folder = std::env::var_os("TURNWISE_SHARED").map_or_else(|| PathBuf::from("../shared"), PathBuf::from);
    assert!(folder.join("media").is_dir(), "{} does not hold the reference clips", folder.display());
    std::fs::canonicalize(folder).unwrap()
}

/// The clip begun so late, as a file of its own.
fn begun(stage: &Stage, clip: &str, late: f64) -> PathBuf {
    let source = shared().join("media").join(clip);
    if late <= 0.0 {
        return source;
    }
    let path = stage.path("late.mp4");
    let mut ffmpeg = Command::new("ffmpeg");
    ffmpeg.args(["-v", "error", "-y", "-ss", &late.to_string(), "-i"]).arg(source);
    ffmpeg.args(["-c:v", "libx264", "-preset", "ultrafast", "-crf", "14", "-c:a", "aac"]).arg(&path);
    assert!(ffmpeg.stdin(Stdio::null()).status().expect("ffmpeg is needed: make apt").success());
    path
}

/// Of the speech found between two times, the seconds whose person is where the speaker is, and all seconds.
fn right_secs(stage: &Stage, from: f64, to: f64, place: Place) -> (f64, f64) {
    let (speech, faces) = (table(stage, "out/speech/a.parquet"), table(stage, "out/faces/a.parquet"));
    // The person who is seen furthest on that side on average.
    let mut middles: std::collections::BTreeMap<String, (f64, u32)> = std::collections::BTreeMap::new();
    for r in 0..faces.rows() {
        let Some(person) = faces.text("person", r) else { continue };
        let middle = faces.number("box_left_px", r).unwrap() + 0.5 * faces.number("box_width_px", r).unwrap();
        let sum = middles.entry(person.to_owned()).or_default();
        *sum = (sum.0 + middle, sum.1 + 1);
    }
    let mean = |m: &(&String, &(f64, u32))| m.1.0 / f64::from(m.1.1);
    let order = |a: &(&String, &(f64, u32)), b: &(&String, &(f64, u32))| mean(a).total_cmp(&mean(b));
    let speaker = if place == Place::Left { middles.iter().min_by(order) } else { middles.iter().max_by(order) };
    let speaker = speaker.unwrap().0.as_str();
    let (mut right, mut all) = (0.0, 0.0);
    for r in 0..speech.rows() {
        let start = speech.number("start_secs", r).unwrap().max(from);
        let secs = (speech.number("end_secs", r).unwrap().min(to) - start).max(0.0);
        all += secs;
        right += if speech.text("person", r) == Some(speaker) { secs } else { 0.0 };
    }
    (right, all)
}

fn judge(late: f64) {
    let (mut right, mut all) = (0.0, 0.0);
    for (clip, from, to, place) in SPOKEN {
        let from = from.max(late);
        if to - from < 0.5 {
            continue;
        }
        let stage = Stage::new();
        let media = begun(&stage, clip, late);
        let told = stage.run(&["extract", media.to_str().unwrap(), "--id", "a", "--out", "out"]);
        assert_eq!(told.code, 0, "{}", told.err);
        let (r, a) = right_secs(&stage, from - late, to - late, place);
        eprintln!("{clip} from {late} s, {from} to {to} s: {r:.2} of {a:.2} s of speech by the right person");
        (right, all) = (right + r, all + a);
    }
    assert!(all > 0.5 && right >= 0.9 * all, "{right:.2} of {all:.2} s from {late} s");
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn the_one_whose_mouth_moves_speaks() {
    judge(0.0);
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn the_one_whose_mouth_moves_speaks_wherever_the_clip_begins() {
    judge(0.7);
    judge(1.3);
}
