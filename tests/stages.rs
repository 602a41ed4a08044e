//! Stories about results of stages that are kept: a recipe or a transcript that is changed redoes only what it touches,
//! and the tables are those of a fresh run.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::stage::{Stage, fifo};

const CUES: &str =
    "1\n00:00:00,200 --> 00:00:01,400\nANNA: and so we began\n\n2\n00:00:01,500 --> 00:00:02,800\nBEN: to look at it\n";
const CORRECTED: &str =
    "1\n00:00:00,300 --> 00:00:01,900\nBEN: and then we began\n\n2\n00:00:02,000 --> 00:00:02,900\nANNA: to see it\n";

/// Three seconds of picture and sound, and who says what.
fn corpus() -> Stage {
    let stage = Stage::new();
    stage.clip("a.mp4");
    stage.write("cues.srt", CUES);
    stage.write("corpus.csv", "interview_id,media,transcript\na,a.mp4,cues.srt\n");
    stage
}

#[track_caller]
fn extract(stage: &Stage, out: &str, options: &[&str]) {
    let mut arguments = vec!["extract", "corpus.csv", "--out", out, "--jobs", "1"];
    arguments.extend(options);
    stage.run(&arguments).line("1 done, 0 already done, 0 failed");
}

/// The models that were asked in the last run of the interview.
fn asked(stage: &Stage, out: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(stage.path(out).join("timings/a.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    record["models"].as_object().unwrap().keys().cloned().collect()
}

fn kept(stage: &Stage, out: &str) -> Vec<PathBuf> {
    ["voice", "speakers", "faces"].map(|name| stage.path(out).join(format!(".stages/{name}/a.stage"))).to_vec()
}

/// The tables of a run that keeps and uses nothing.
#[track_caller]
fn must_be_fresh(stage: &Stage, options: &[&str], what: &str) {
    let fresh = stage.path("fresh");
    if fresh.exists() {
        std::fs::remove_dir_all(&fresh).unwrap();
    }
    extract(stage, "fresh", &[options, &["--no-cache"]].concat());
    assert!(!fresh.join(".stages").exists());
    let (ours, theirs) = (stage.files("out"), stage.files("fresh"));
    assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>(), "{what}");
    for (name, bytes) in &theirs {
        assert!(ours[name] == *bytes, "{what}: {name} is not that of a fresh run");
    }
}

#[test]
fn what_is_changed_redoes_what_it_touches_and_the_tables_are_those_of_a_fresh_run() {
    let stage = corpus();
    extract(&stage, "out", &[]);
    let all = asked(&stage, "out");
    assert!(all.len() > 5, "{all:?}");
    assert!(kept(&stage, "out").iter().all(|path| path.is_file()));
    must_be_fresh(&stage, &[], "the first run");
    assert_eq!(asked(&stage, "fresh"), all);

    // Later stages: no model is asked, and no picture is decoded, for each picture that is looked at asks one.
    let turns = ["--set", "turns.nod_deg=6", "--set", "turns.speaker_embeddings=true"];
    extract(&stage, "out", &turns);
    assert_eq!(asked(&stage, "out"), BTreeSet::new());
    must_be_fresh(&stage, &turns, "turns.*");
    let labels = ["--set", "speaker.labels=trust", "--set", "speaker.label_evidence.edge_secs=0.5"];
    extract(&stage, "out", &labels);
    assert_eq!(asked(&stage, "out"), BTreeSet::new());
    must_be_fresh(&stage, &labels, "how labels count");
    stage.write("cues.srt", CORRECTED);
    extract(&stage, "out", &[]);
    assert_eq!(asked(&stage, "out"), BTreeSet::new());
    must_be_fresh(&stage, &[], "a corrected transcript");
    extract(&stage, "out", &["--speakers", "2"]);
    assert_eq!(asked(&stage, "out"), BTreeSet::new());
    must_be_fresh(&stage, &["--speakers", "2"], "how many speak");

    // Earlier ones: their own models, and no others.
    let voice = ["--set", "voice.pitch_min_hz=80"];
    extract(&stage, "out", &voice);
    assert_eq!(asked(&stage, "out"), BTreeSet::from(["swift_f0".to_owned()]));
    must_be_fresh(&stage, &voice, "voice.*");
    let faces = ["--set", "face.rate_hz=2"];
    extract(&stage, "out", &faces);
    let of_faces = asked(&stage, "out");
    let is_sound = |name: &str| ["vad", "segmentation", "campplus"].iter().any(|part| name.contains(part));
    assert!(!of_faces.is_empty() && !of_faces.iter().any(|name| is_sound(name)), "{of_faces:?}");
    must_be_fresh(&stage, &faces, "face.*");
}

#[test]
fn another_file_or_speech_turns_given_are_other_inputs() {
    let stage = corpus();
    extract(&stage, "out", &[]);
    stage.cut("a.mp4", "30", "3", &[]);
    extract(&stage, "out", &[]);
    assert!(asked(&stage, "out").len() > 5);
    must_be_fresh(&stage, &[], "another recording of the same name");
    stage.write("turns.rttm", "SPEAKER a 1 0.200 1.100 <NA> <NA> anna <NA> <NA>\n");
    stage.write("corpus.csv", "interview_id,media,transcript,rttm\na,a.mp4,cues.srt,turns.rttm\n");
    extract(&stage, "out", &[]);
    must_be_fresh(&stage, &[], "speech turns given");
    extract(&stage, "out", &["--set", "turns.nod_deg=6"]);
    assert_eq!(asked(&stage, "out"), BTreeSet::new());
    must_be_fresh(&stage, &["--set", "turns.nod_deg=6"], "speech turns given, and turns.*");
    stage.write("turns.rttm", "SPEAKER a 1 0.900 1.100 <NA> <NA> anna <NA> <NA>\n");
    extract(&stage, "out", &[]);
    must_be_fresh(&stage, &[], "other speech turns given");
}

#[test]
fn what_is_damaged_or_foreign_is_made_anew_and_costs_no_interview() {
    let stage = corpus();
    extract(&stage, "out", &[]);
    let all = asked(&stage, "out");
    let turns = |n: u32| format!("turns.nod_deg={n}");
    for (n, path) in kept(&stage, "out").iter().enumerate() {
        let good = std::fs::read(path).unwrap();
        let mut bytes = good.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(path, if n == 1 { &good[..middle] } else { &bytes }).unwrap();
        let set = turns(6 + n as u32);
        let told = stage.run(&["extract", "corpus.csv", "--out", "out", "--jobs", "1", "-v", "--set", &set]);
        told.line("1 done, 0 already done, 0 failed");
        told.line("is not used and is made anew");
        assert!(!asked(&stage, "out").is_empty());
        assert!(std::fs::read(path).unwrap() == good, "it is what it was");
    }
    must_be_fresh(&stage, &["--set", &turns(8)], "damaged results");
    // Pipes in their places, a place that is no folder, and results of another program.
    for path in kept(&stage, "out") {
        std::fs::remove_file(&path).unwrap();
        fifo(&path);
    }
    extract(&stage, "out", &["--set", &turns(9)]);
    assert_eq!(asked(&stage, "out"), all);
    must_be_fresh(&stage, &["--set", &turns(9)], "pipes");
    std::fs::remove_dir_all(stage.path("out/.stages")).unwrap();
    stage.write("out/.stages", "no folder");
    extract(&stage, "out", &["--set", &turns(10)]);
    assert_eq!(asked(&stage, "out"), all);
    must_be_fresh(&stage, &["--set", &turns(10)], "no folder");
}

#[test]
fn results_are_left_alone_where_that_is_asked_for_and_go_with_their_interview() {
    let stage = corpus();
    extract(&stage, "out", &[]);
    let all = asked(&stage, "out");
    extract(&stage, "out", &["--force"]);
    assert_eq!(asked(&stage, "out"), all, "all of it again");
    extract(&stage, "out", &["--no-cache", "--set", "turns.nod_deg=6"]);
    assert_eq!(asked(&stage, "out"), all);
    assert!(kept(&stage, "out").iter().all(|path| path.is_file()));
    // Nobody but the owner reads them, as of tables.
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(kept(&stage, "out")[0].clone()), mode(stage.path("out/turns/a.parquet")));
    assert_eq!(mode(stage.path("out/.stages")), mode(stage.path("out/turns")));
    stage.clip("b.mp4");
    stage.write("corpus.csv", "interview_id,media\nb,b.mp4\n");
    extract(&stage, "out", &["--prune"]);
    assert!(!kept(&stage, "out").iter().any(|path| path.exists()));
    assert!(stage.path("out/.stages/faces/b.stage").is_file());
}
