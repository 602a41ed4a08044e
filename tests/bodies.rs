//! Stories about bodies and hands: off they leave no trace, on they are three tables that agree with those of faces.

use std::collections::{BTreeMap, BTreeSet};

use crate::stage::{Stage, table};

const TABLES: [&str; 3] = ["bodies", "hands", "turn_bodies"];
const CUES: &str = "1\n00:00:00,000 --> 00:00:01,500\nANNA: and so we began\n\n2\n00:00:01,500 --> 00:00:02,750\nANNA: to look at it again\n";

/// The tables and their files.
fn names(stage: &Stage, folder: &str) -> BTreeSet<String> {
    stage.files(folder).into_keys().collect()
}

/// What is told of the turns is made anew from bodies that were kept: no model is asked, and the bytes are a fresh run's.
fn kept_results_give_the_same(stage: &Stage) {
    let run = |out: &str, more: &[&str]| {
        let other = ["--set", "body.rate_hz=4", "--set", "turns.body.touch_secs=0.75"];
        let told = stage.run(&[&["extract", "in/corpus.csv", "--out", out, "--jobs", "2"], &other[..], more].concat());
        assert_eq!(told.code, 0, "{}", told.err);
    };
    let asked = |out: &str| -> BTreeSet<String> {
        let text = std::fs::read_to_string(stage.path(out).join("timings/a.json")).unwrap();
        let record: serde_json::Value = serde_json::from_str(&text).unwrap();
        record["models"].as_object().unwrap().keys().cloned().collect()
    };
    assert!(asked("one").iter().any(|name| name.contains("pose") || name.contains("body")), "{:?}", asked("one"));
    run("one", &[]);
    run("fresh", &["--no-cache"]);
    assert_eq!(asked("one"), BTreeSet::new());
    let (ours, fresh) = (stage.files("one"), stage.files("fresh"));
    assert_eq!(ours.keys().collect::<Vec<_>>(), fresh.keys().collect::<Vec<_>>());
    for (name, bytes) in &fresh {
        assert!(ours[name] == *bytes, "{name} is not that of a fresh run");
    }
    // Looked at otherwise they are not what was kept.
    run("one", &["--set", "body.presence=0.6"]);
    assert!(!asked("one").is_empty());
}

#[test]
fn off_they_leave_no_trace_and_on_they_are_the_same_bytes_for_any_number_of_jobs() {
    let stage = Stage::new();
    stage.cut("in/a.mp4", "43", "3", &[]);
    stage.cut("in/b.mp4", "44", "2", &["-an"]);
    stage.write("in/cues.srt", CUES);
    stage.write("in/corpus.csv", "interview_id,media,transcript\na,a.mp4,cues.srt\nb,b.mp4,cues.srt\n");
    let run = |out: &str, rate: &str, jobs: &str| {
        let rate = format!("body.rate_hz={rate}");
        let told = stage.run(&["extract", "in/corpus.csv", "--out", out, "--jobs", jobs, "--set", &rate]);
        assert_eq!(told.code, 0, "{}", told.err);
    };
    run("off", "0", "2");
    run("one", "4", "1");
    run("two", "4", "2");
    let (one, two) = (stage.files("one"), stage.files("two"));
    assert_eq!(one.keys().collect::<Vec<_>>(), two.keys().collect::<Vec<_>>());
    for (name, bytes) in &one {
        assert!(two[name] == *bytes, "{name}");
    }
    kept_results_give_the_same(&stage);
    let of_bodies = |name: &&String| TABLES.iter().any(|t| name.starts_with(&format!("{t}/")));
    let without: BTreeSet<String> = one.keys().filter(|n| !of_bodies(n)).cloned().collect();
    assert_eq!(names(&stage, "off"), without, "nothing of bodies, and all else");
    assert!(one.keys().filter(of_bodies).count() >= 4, "{:?}", one.keys());
    // What is told of faces is the same.
    let (faces, before) = (table(&stage, "one/faces/a.parquet"), table(&stage, "off/faces/a.parquet"));
    assert_eq!(faces.rows(), before.rows());
    for row in 0..faces.rows() {
        let same = |name: &str| faces.number(name, row) == before.number(name, row);
        assert!(same("pts_secs") && same("head_yaw_deg") && same("blendshape_jawOpen"));
    }
}

#[test]
fn bodies_carry_the_persons_of_their_faces_and_hands_those_of_their_bodies() {
    let stage = Stage::new();
    // The speaker from near, with both hands.
    stage.cut("a.mp4", "43", "3", &[]);
    stage.write("cues.srt", CUES);
    let told = stage.run(&["extract", "a.mp4", "--transcript", "cues.srt", "--out", "out", "--set", "body.rate_hz=4"]);
    assert_eq!(told.code, 0, "{}", told.err);
    let (faces, bodies) = (table(&stage, "out/faces/a.parquet"), table(&stage, "out/bodies/a.parquet"));
    let key = |t: &turnwise::store::read::StoredTable, column: &str, row: usize| {
        (t.number("pts_secs", row).unwrap().to_bits(), t.number(column, row).unwrap() as i64)
    };
    let by_track: BTreeMap<_, _> =
        (0..faces.rows()).map(|r| (key(&faces, "track_id", r), faces.text("person", r))).collect();
    let mut by_body = BTreeMap::new();
    let mut with_face = 0;
    for row in 0..bodies.rows() {
        let person = bodies.text("person", row);
        by_body.insert(key(&bodies, "body_id", row), person);
        if bodies.number("track_id", row).is_some() {
            with_face += 1;
            assert_eq!(by_track[&key(&bodies, "track_id", row)], person, "the face seen with it decides");
        }
        assert!(bodies.number("presence", row).unwrap() >= 0.5 && bodies.number("nose_x_px", row).is_some());
    }
    // Three seconds, four looks each.
    assert!(bodies.rows() >= 10 && with_face >= 8, "{} bodies, {with_face} with a face", bodies.rows());
    if stage.path("out/hands/a.parquet").exists() {
        let hands = table(&stage, "out/hands/a.parquet");
        for row in 0..hands.rows() {
            assert_eq!(by_body[&key(&hands, "body_id", row)], hands.text("person", row));
            assert!(matches!(hands.text("side", row), Some("left" | "right")));
        }
    }
    let turns = table(&stage, "out/turn_bodies/a.parquet");
    assert!(turns.rows() >= 1);
    for row in 0..turns.rows() {
        let told = turns.number("body_still_share", row).is_some() || turns.number("body_looks", row) == Some(1.0);
        assert_eq!(told, turns.text("body_missing", row).is_none(), "null has its reason");
    }
}
