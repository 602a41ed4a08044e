//! Sound as users have it: a cable soldered the wrong way round, and a recorder that keeps a track for each speaker.

use std::process::{Command, Stdio};

use crate::stage::{Stage, sample};
use turnwise::store::read::read;

/// Seconds of `conversation.wav` less [`FROM`] that are the first speaker's and the second's.
const TIMES: [&[(f64, f64)]; 2] = [&[(0.0, 4.22), (7.9, 11.65), (17.8, 20.0)], &[(4.22, 7.9), (11.65, 17.8)]];
const FROM: &str = "10";
const SECS: &str = "20";

/// `ffmpeg -i <part of the conversation> <args> name`.
fn make(stage: &Stage, name: &str, args: &[&str]) {
    let mut ffmpeg = Command::new("ffmpeg");
    ffmpeg
        .args(["-v", "error", "-y", "-ss", FROM, "-t", SECS, "-i"])
        .arg(sample("conversation.wav"))
        .args(args)
        .arg(stage.path(name));
    assert!(ffmpeg.stdin(Stdio::null()).status().expect("ffmpeg is needed: make apt").success());
}

/// Start, end and speaker of each line.
fn turns(stage: &Stage, rttm: &str) -> Vec<(f64, f64, String)> {
    let text = std::fs::read_to_string(stage.path(rttm)).unwrap();
    let turn = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let (start, secs): (f64, f64) = (words[3].parse().unwrap(), words[4].parse().unwrap());
        (start, start + secs, words[7].to_owned())
    };
    text.lines().map(turn).collect()
}

#[test]
fn a_channel_the_wrong_way_round_changes_nothing_and_is_told() {
    let stage = Stage::new();
    make(&stage, "c.wav", &[]);
    std::fs::create_dir(stage.path("wrong")).unwrap();
    make(&stage, "wrong/c.wav", &["-af", "pan=stereo|c0=c0|c1=-1*c0"]);
    let extract = |media: &str, out: &str| {
        let told = stage.run(&["extract", media, "--out", out]);
        assert_eq!(told.code, 0, "{}", told.err);
        let row = read(&stage.path(&format!("{out}/interviews/c.parquet"))).unwrap();
        row.texts("warnings", 0).unwrap_or_default().join("\n")
    };
    assert!(!extract("c.wav", "right").contains("channels_cancel"));
    let told = extract("wrong/c.wav", "out");
    assert!(
        told.contains("channels_cancel: channels cancel each other in [0.000, 20.000) s; of them channel 0 is taken"),
        "{told}"
    );
    for table in ["voice", "speech", "rttm"] {
        let end = if table == "rttm" { "rttm" } else { "parquet" };
        let bytes = |out: &str| std::fs::read(stage.path(&format!("{out}/{table}/c.{end}"))).unwrap();
        assert!(bytes("out") == bytes("right"), "{table}");
    }
}

#[test]
fn tracks_name_their_speakers_and_crosstalk_is_nobodys() {
    let stage = Stage::new();
    // Each microphone hears the other speaker 20 dB down.
    let filter = |track: usize| {
        let own: Vec<String> = TIMES[track].iter().map(|(a, b)| format!("between(t\\,{a}\\,{b})")).collect();
        format!("[0]volume=0.1+0.9*({}):eval=frame[t{track}]", own.join("+"))
    };
    let filters = format!("{};{}", filter(0), filter(1));
    let args = ["-filter_complex", &filters, "-map", "[t0]", "-map", "[t1]"];
    let titles = ["-metadata:s:0", "title=Jane Doe", "-metadata:s:1", "title=Mary", "-c:a", "flac"];
    make(&stage, "two.mka", &[&args[..], &titles].concat());

    // What a track hears of the other is nobody's.
    let by_track = ["--set", "input.track_speakers=true"];
    let told = stage.run(&[&["diarize", "two.mka", "--rttm", "x.rttm"], &by_track[..]].concat());
    assert_eq!(told.code, 0, "{}", told.err);
    told.line("tracks_mixed: audio streams 0, 1 are mixed");
    let found = turns(&stage, "x.rttm");
    for (name, times) in ["Jane_Doe", "Mary"].iter().zip(TIMES) {
        let own: Vec<_> = found.iter().filter(|t| t.2 == *name).collect();
        assert!(own.iter().map(|t| t.1 - t.0).sum::<f64>() > 4.0, "{name}: {found:?}");
        for turn in own {
            assert!(times.iter().any(|t| turn.0 > t.0 - 0.25 && turn.1 < t.1 + 0.25), "{name}: {turn:?} of {found:?}");
        }
    }
    assert!(found.iter().all(|t| t.2 == "Jane_Doe" || t.2 == "Mary"), "{found:?}");

    let told = stage.run(&[&["extract", "two.mka", "--out", "out"], &by_track[..]].concat());
    assert_eq!(told.code, 0, "{}", told.err);
    assert_eq!(turns(&stage, "out/rttm/two.rttm"), found);
    let speakers = read(&stage.path("out/speakers/two.parquet")).unwrap();
    let names: Vec<_> = (0..speakers.rows()).map(|r| speakers.text("speaker", r).unwrap().to_owned()).collect();
    assert_eq!(names, ["Jane_Doe", "Mary"]);

    // Two answers to one question are a mistake.
    let told = stage.run(&[&["diarize", "two.mka", "--rttm", "y.rttm", "--speakers", "2"], &by_track[..]].concat());
    assert!(told.code != 0 && told.err.contains("tracks that are one speaker each"), "{}", told.err);
}
