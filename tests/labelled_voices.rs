//! A transcript's labels as evidence of voices, seen from outside: `diarize --transcript` and the tables of `extract`.

use std::path::PathBuf;

use crate::stage::{Stage, sample};

/// `(start, end, speaker)` of an RTTM's lines.
fn turns(stage: &Stage, rttm: &str) -> Vec<(f64, f64, String)> {
    let text = std::fs::read_to_string(stage.path(rttm)).unwrap();
    let line = |l: &str| {
        let fields: Vec<&str> = l.split(' ').collect();
        let (start, secs) = (fields[3].parse::<f64>().unwrap(), fields[4].parse::<f64>().unwrap());
        (start, start + secs, fields[7].to_owned())
    };
    text.lines().map(line).collect()
}

/// Seconds of each speaker inside a stretch, by name.
fn inside(turns: &[(f64, f64, String)], (from, to): (f64, f64)) -> Vec<(String, f64)> {
    let mut names: Vec<&String> = turns.iter().map(|t| &t.2).collect();
    names.sort();
    names.dedup();
    let secs = |name: &String| {
        let own = turns.iter().filter(|t| t.2 == *name);
        own.map(|t| (t.1.min(to) - t.0.max(from)).max(0.0)).sum::<f64>()
    };
    names.into_iter().map(|n| (n.clone(), secs(n))).collect()
}

fn vtt(turns: &[(f64, f64, &str)]) -> String {
    let time = |t: f64| format!("00:00:{:06.3}", t);
    let cue = |&(a, b, who): &(f64, f64, &str)| format!("{} --> {}\n<v {who}>so\n\n", time(a), time(b));
    std::iter::once("WEBVTT\n\n".to_owned()).chain(turns.iter().map(cue)).collect()
}

/// Who talks in `two_women_portrait`, to a few tenths of a second, where five clusters agree on it; 38 to 45 s are left
/// out.
const TWO_WOMEN: [(f64, f64, &str); 9] = [
    (1.8, 4.0, "A"),
    (4.4, 10.5, "B"),
    (11.1, 13.9, "A"),
    (14.7, 21.4, "B"),
    (21.6, 26.5, "A"),
    (26.5, 31.0, "B"),
    (32.1, 33.4, "A"),
    (33.9, 38.2, "B"),
    (45.1, 49.2, "B"),
];

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn two_women_are_two_voices_where_their_labels_say_so() {
    let shared = std::env::var_os("TURNWISE_SHARED").map_or_else(|| PathBuf::from("../shared"), PathBuf::from);
    let media = std::fs::canonicalize(shared.join("media/video/two_women_portrait.mp4")).unwrap();
    let stage = Stage::new();
    stage.write("two.vtt", &vtt(&TWO_WOMEN));
    let heard = |rttm: &str, extra: &[&str]| {
        let args = ["diarize", media.to_str().unwrap(), "--rttm", rttm, "--speakers", "2"];
        let told = stage.run(&[&args[..], extra].concat());
        assert_eq!(told.code, 0, "{}", told.err);
        turns(&stage, rttm)
    };
    let without = heard("without.rttm", &[]);
    let ignored = heard("ignored.rttm", &["--transcript", "two.vtt", "--set", "speaker.labels=ignore"]);
    assert_eq!(without, ignored);
    for mode in ["evidence", "trust"] {
        let set = format!("speaker.labels={mode}");
        let found = heard("with.rttm", &["--transcript", "two.vtt", "--set", &set]);
        let (first, second) = (inside(&found, (21.6, 26.5)), inside(&found, (26.5, 31.0)));
        eprintln!("{mode}: 21.6 to 26.5 s {first:?}, 26.5 to 31.0 s {second:?}");
        let most = |x: &[(String, f64)]| x.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().clone();
        assert_ne!(most(&first).0, most(&second).0, "{mode}");
        assert!(most(&first).1 > 3.9 && most(&second).1 > 3.5, "{mode}");
    }
}

#[test]
fn labels_that_are_ignored_change_nothing_and_a_label_for_all_tells_nothing() {
    let stage = Stage::new();
    let media = sample("conversation.wav");
    let all: Vec<(f64, f64, &str)> = (0..14).map(|i| (2.0 * f64::from(i), 2.0 * f64::from(i) + 1.9, "Both")).collect();
    stage.write("all.vtt", &vtt(&all));
    let heard = |rttm: &str, extra: &[&str]| {
        let told = stage.run(&[&["diarize", media.to_str().unwrap(), "--rttm", rttm], extra].concat());
        assert_eq!(told.code, 0, "{}", told.err);
        std::fs::read(stage.path(rttm)).unwrap()
    };
    let without = heard("without.rttm", &[]);
    assert_eq!(without, heard("a.rttm", &["--transcript", "all.vtt", "--set", "speaker.labels=ignore"]));
    heard("b.rttm", &["--transcript", "all.vtt"]);
    let names = |rttm: &str| inside(&turns(&stage, rttm), (0.0, 60.0)).len();
    assert_eq!((names("without.rttm"), names("b.rttm")), (2, 2));
}
