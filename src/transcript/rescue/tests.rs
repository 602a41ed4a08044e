//! Samples read from text and from folders.

use std::path::Path;

use super::*;
use crate::transcript::Format;
use crate::transcript::ReadOptions;
use crate::transcript::read_bytes;
use crate::transcript::tests::{LENIENT, complaint, parse, told, warned};

/// Every field, and every trap of the format: no row_index in part, plain strings, nulls, white space, a target as a
/// string.
pub(crate) const SAMPLE: &str = r#"{"rows": [
 {"start_time": 0, "end_time": 1.5, "primary_speaker": " Therapist ", "target": ["Dale", " India ", ""], "dialogue_cleaned": " Hi  both. ",
  "utterance_type": "request", "background_dialogue": [{"speaker": "Dale", "target": ["Therapist"], "content": "Hm."}],
  "tone_of_voice": "warm", "body_posture": [{"person": "Dale", "description": "leans back"}, "all sit", null, ""],
  "facial_expressions": ["a smile"], "self_directed_behavior": [], "interaction_behavior": [{"initiator": "India", "target": ["Dale"], "description": "looks"}],
  "internal_emotion": [], "viewpoints_attitudes": null,
  "support_strategy": [{"provider": "Therapist", "target": ["Dale", "Uma"], "strategy_type": " join ", "strategy_content": "c"}],
  "relation_cycle_state": "pursue_withdraw", "relation_cycle_reason": "r", "relation_cycle_evidence_rows": [1, "2", 3.0, null],
  "relation_pattern": null, "row_index": 1},
 {"start_time": 1.5, "end_time": "2.25", "primary_speaker": "Dale", "target": "Therapist", "dialogue_cleaned": "No.", "row_index": null,
  "internal_emotion": [{"person": "Dale", "emotion_description": "sad", "intensity": 7}, {"person": "Dale", "emotion_description": "x", "intensity": "6.5"}, {"person": "Dale"}],
  "viewpoints_attitudes": [{"source": "Dale", "target": "India", "viewpoint": "v", "attitude": "a"}],
  "relation_pattern": "withdraw", "relation_pattern_reason": "q", "relation_pattern_evidence_rows": [1]},
 {"start_time": 2.25, "end_time": 2.25, "primary_speaker": "", "target": ["Couple"], "dialogue_cleaned": "", "row_index": 5}
]}"#;

#[test]
fn a_rescue_sample_with_every_field() {
    let t = parse("s/004_x.json", SAMPLE);
    assert_eq!(t.format, Format::Rescue);
    assert_eq!(told(&t), ["0-1.5 Therapist: Hi  both.", "1.5-2.25 Dale: No.", "2.25-2.25 "]);
    assert_eq!(t.turns.iter().map(|t| t.index).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(warned(&t).contains("row_index of 1 rows is not their position, which counts (first: row 3)"));
    assert_eq!(t.turns[2].speaker, None);
    let s = t.sample.unwrap();
    assert_eq!((s.id.as_str(), s.scenario.as_str(), s.group_mode), ("004_x", "", GroupMode::Couple));
    assert_eq!(s.participants, ["Dale", "India", "Uma"]);
    let r = &s.rows[0];
    assert_eq!(r.target, ["Dale", "India"]);
    assert_eq!(
        r.background_dialogue,
        [BackgroundDialogue { speaker: "Dale".into(), target: vec!["Therapist".into()], content: "Hm.".into() }]
    );
    let seen = |person: &str, description: &str| Description { person: person.into(), description: description.into() };
    assert_eq!(r.body_posture, [seen("Dale", "leans back"), seen("", "all sit")]);
    assert_eq!(r.facial_expressions, [seen("", "a smile")]);
    assert_eq!(
        r.interaction_behavior,
        [Interaction { initiator: "India".into(), target: vec!["Dale".into()], description: "looks".into() }]
    );
    assert_eq!(r.support_strategy[0].strategy_type, "join");
    assert_eq!(
        (r.relation_cycle_state.as_str(), r.relation_cycle_evidence_rows.as_slice()),
        ("pursue_withdraw", &[1_i64, 2, 3][..])
    );
    assert_eq!(r.relation_pattern, "");
    assert!(r.internal_emotion.is_empty() && r.viewpoints_attitudes.is_empty() && r.self_directed_behavior.is_empty());
    let r = &s.rows[1];
    assert_eq!((r.row_index, r.target.as_slice()), (2, &["Therapist".to_owned()][..]));
    assert_eq!(r.internal_emotion.iter().map(|e| e.intensity).collect::<Vec<_>>(), [Some(7.0), Some(6.5), None]);
    assert_eq!(
        r.viewpoints_attitudes,
        [Viewpoint { source: "Dale".into(), target: "India".into(), viewpoint: "v".into(), attitude: "a".into() }]
    );
    assert_eq!((r.relation_pattern.as_str(), r.relation_pattern_evidence_rows.as_slice()), ("withdraw", &[1_i64][..]));
}

#[test]
fn rows_are_counted_by_position() {
    let rows = |a: &str, b: &str| {
        format!(
            r#"{{"rows": [{{"start_time": 0, "end_time": 1, "row_index": {a}}}, {{"start_time": 1, "end_time": 2, "row_index": {b}}}]}}"#
        )
    };
    for (a, b, first) in [("2", "2", 1), ("3", "1", 1), ("0", "1", 1), ("\"1\"", "7", 2)] {
        let t = parse("a.json", &rows(a, b));
        assert_eq!(t.turns.iter().map(|t| t.index).collect::<Vec<_>>(), [1, 2]);
        assert!(warned(&t).contains("is not their position, which counts"), "{a} {b}");
        assert!(warned(&t).contains(&format!("first: row {first}")), "{a} {b}");
    }
    assert!(!warned(&parse("a.json", &rows("1", "2.0"))).contains("position"));
    assert!(complaint("a.json", r#"{"rows": [{"end_time": 1}]}"#).contains("row 1: start_time is missing"));
    assert!(
        complaint("a.json", r#"{"rows": [{"start_time": 2, "end_time": 1}]}"#).contains("end 1 s before start 2 s")
    );
    assert!(complaint("a.json", r#"{"rows": [3]}"#).contains("row 1: not an object"));
    assert!(complaint("a.json", r#"{"rows": []}"#).contains("no cues (RESCUE-bench)"));
    let bad = r#"{"rows": [{"start_time": 2, "end_time": 1}, {"start_time": 2, "end_time": 3}]}"#;
    let t = read_bytes(bad.as_bytes(), Path::new("a.json"), &LENIENT).unwrap();
    assert_eq!((t.turns.len(), t.sample.unwrap().rows[0].row_index), (1, 2));
}

#[test]
fn a_jsonl_file_holds_many_samples() {
    let line = |id: &str, speaker: &str| {
        format!(
            r#"{{"sample_id": "{id}", "scenario": "family", "participants": ["Z"], "source_file": "f.json", "rows": [{{"start_time": 0, "end_time": 1, "primary_speaker": "{speaker}"}}]}}"#
        )
    };
    let text = format!("{}\n\n{}\n", line("a/1", "Ann"), line("a/2", "Family"));
    let pick = |id| {
        read_bytes(
            text.as_bytes(),
            Path::new("all.jsonl"),
            &ReadOptions { lenient: false, sample_id: id, ..ReadOptions::default() },
        )
    };
    let t = pick(Some("a/2")).unwrap();
    let s = t.sample.clone().unwrap();
    assert_eq!(
        (s.id.as_str(), s.group_mode, s.participants.as_slice(), s.source_file.as_str()),
        ("a/2", GroupMode::Family, &[][..], "f.json")
    );
    assert!(warned(&pick(Some("a/1")).unwrap()).contains("scenario is \"family\""));
    let e = pick(None).unwrap_err().to_string();
    assert!(e.contains("2 samples in one file") && e.contains("a/1, a/2"), "{e}");
    assert!(pick(Some("b")).unwrap_err().to_string().contains("no sample \"b\" among 2"));
}

#[test]
fn samples_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (name, text) in
        [("family_therapy/b.json", SAMPLE), ("a.json", SAMPLE), ("a/manifest.json", "{}"), ("notes.txt", "x")]
    {
        std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        std::fs::write(root.join(name), text).unwrap();
    }
    let samples = read_samples(root).unwrap();
    let told: Vec<(&str, GroupMode)> = samples.iter().map(|s| (s.id.as_str(), s.group_mode)).collect();
    assert_eq!(told, [("a", GroupMode::Couple), ("family_therapy/b", GroupMode::Family)]);
    assert_eq!(read_samples(&root.join("a.json")).unwrap()[0].id, "a");
    // What a file says of its id is not read; only the folder itself makes a family.
    let own = SAMPLE.replacen("{\"rows\"", "{\"sample_id\": \"other/x\", \"participants\": [\"Zoe\"], \"rows\"", 1);
    for name in ["b/own.json", "b/Family_Therapy/c.json", "b/no_family_therapy/d.json"] {
        std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        std::fs::write(root.join(name), &own).unwrap();
    }
    let told: Vec<_> = read_samples(&root.join("b")).unwrap();
    assert_eq!(
        told.iter().map(|s| s.id.as_str()).collect::<Vec<_>>(),
        ["Family_Therapy/c", "no_family_therapy/d", "own"]
    );
    let modes: Vec<GroupMode> = told.iter().map(|s| s.group_mode).collect();
    assert_eq!(modes, [GroupMode::Family, GroupMode::Couple, GroupMode::Couple]);
    assert!(told[2].unread[1].contains("its sample_id \"other/x\" is not read"), "{:?}", told[2].unread);
    assert_eq!((&told[2].participants[0], &told[2].named_participants[0]), (&"Dale".to_owned(), &"Zoe".to_owned()));
    std::fs::remove_dir_all(root.join("b")).unwrap();
    assert!(read_samples(&root.join("a")).unwrap_err().to_string().contains("no RESCUE-bench sample"));
    std::fs::write(root.join("bad.json"), r#"{"rows": [{"start_time": "x", "end_time": 1}]}"#).unwrap();
    let e = read_samples(root).unwrap_err().to_string();
    assert!(e.contains("bad.json") && e.contains("row 1: start_time"), "{e}");
}
