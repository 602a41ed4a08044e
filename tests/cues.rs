//! Cues and questions as an evaluator sees them: every row with evidence shows some, nothing that was not seen or heard,
//! nothing past the prompt's end, and no word of the labels.

use crate::rig::{Rig, Turn, builder};
use serde_json::{Value, json};
use turnwise::export::{CueField, CueTable, Hidden, Wording};

fn rule(name: &str, rest: &str) -> String {
    format!("[[task]]\nname = \"{name}\"\nrule = \"{name}\"\n{rest}\n")
}

/// The row's cues of a prompt, as text; empty where there is none.
fn cue(prompt: &Value, row: u64) -> String {
    let all = prompt["cues"].as_array().unwrap();
    all.iter().find(|c| c["row"] == row).map(Value::to_string).unwrap_or_default()
}

/// The last prompt that shows all rows before the last.
fn whole(rig: &Rig) -> Value {
    rig.prompts(&rule("rpp", "context_size = -1"), "rpp").pop().unwrap()
}

#[test]
fn rows_before_there_is_a_usual_are_told_plainly_or_against_the_others() {
    let rig = Rig::new();
    let rate = "articulation_rate_syllables_per_sec";
    rig.interview(
        "a",
        &[
            ("Ann", 0.0, 2.0, &[(rate, 6.5), ("level_mean_db", -30.0)]),
            ("Ann", 2.0, 4.0, &[(rate, 5.0), ("level_mean_db", -31.0), ("smile_share", 0.7), ("smile_mean", 0.4)]),
            ("Ann", 4.0, 6.0, &[("level_mean_db", -29.0), ("gaze_camera_pitch_deg_mean", -24.0), ("head_nods", 2.0)]),
            ("Bo", 6.0, 8.0, &[(rate, 2.0), ("level_mean_db", -20.0), ("pause_longest_secs", 1.2)]),
            ("Ann", 8.0, 10.0, &[(rate, 5.1), ("level_mean_db", -30.1)]),
            ("Ann", 10.0, 12.0, &[("level_mean_db", -20.0), ("smile_peak", 0.1)]),
            ("Ann", 12.0, 12.4, &[(rate, 9.0)]),
            ("Therapist", 13.0, 14.0, &[]),
        ],
    );
    let prompt = whole(&rig);
    for (row, told) in [
        (1, &["speaks fast"][..]),
        (2, &["speaks at a middling pace", "smiles most of the time"]),
        (3, &["looks down", "\"nods\""]),
        (4, &["louder than the others so far", "speaks slowly", "pauses for a second or longer"]),
        (5, &["about as loud as usual"]),
        (6, &["louder than usual", "does not smile"]),
    ] {
        told.iter()
            .for_each(|words| assert!(cue(&prompt, row).contains(words), "{row}: {words}: {}", cue(&prompt, row)));
    }
    // What is usual stays quiet where something else is told, and a short turn has no pace.
    assert!(!cue(&prompt, 6).contains("about as loud"), "{prompt}");
    assert_eq!(cue(&prompt, 7), "", "{prompt}");
    // Check counts the same.
    let (code, told, err) = rig.turnwise(&["check", "ann", "--media", "out"]);
    assert!(code.is_some(), "{err}");
    let line =
        |part: &str| told.lines().find(|l| l.contains(part)).unwrap_or_else(|| panic!("{part}: {told}")).to_owned();
    assert!(
        line("of 8 rows: ").contains(
            "6 of 8 rows: tone_of_voice 5, body_posture 1, facial_expressions 2, self_directed_behavior 1, \
         interaction_behavior 0"
        ),
        "{told}"
    );
    assert!(line("RPP: 1 of 1 prompts").contains("(audio 1, visual 1, audiovisual 1)"), "{told}");
}

#[test]
fn what_was_not_seen_or_heard_of_the_speaker_is_not_told() {
    let rig = Rig::new();
    let told = [("articulation_rate_syllables_per_sec", 7.0), ("head_nods", 1.0)];
    let with = |more: &[(&'static str, f64)]| [&told[..], more].concat();
    let (contradicted, silent, other) =
        (with(&[("speaker_contradicts", 1.0)]), with(&[("speech_share", 0.02)]), with(&[("face_source", 0.0)]));
    rig.interview(
        "a",
        &[
            ("Ann", 0.0, 2.0, &contradicted),
            ("Ann", 2.0, 4.0, &silent),
            ("Ann", 4.0, 6.0, &other),
            ("Ann", 6.0, 8.0, &told),
            ("Therapist", 8.0, 9.0, &[]),
        ],
    );
    let prompt = whole(&rig);
    let says = |row| [cue(&prompt, row).contains("speaks fast"), cue(&prompt, row).contains("nods")];
    assert_eq!([says(1), says(2), says(3), says(4)], [[false, true], [false, true], [true, false], [true, true]]);
}

#[test]
fn bodies_are_told_by_name_where_they_were_looked_for() {
    let rig = Rig::new();
    let mut turns: Vec<Turn<'_>> = (0..8)
        .map(|i| (if i % 2 == 0 { "Ann" } else { "Bo" }, 2.0 * f64::from(i), 2.0 * f64::from(i) + 2.0, &[][..]))
        .collect();
    turns.push(("Therapist", 16.0, 17.0, &[]));
    rig.interview("a", &turns);
    assert!(whole(&rig)["cues"].as_array().unwrap().is_empty(), "no bodies, no cues of them");
    let (mut dyads, mut bodies) = (builder("dyads"), builder("turn_bodies"));
    for (i, (speaker, ..)) in turns[..8].iter().enumerate() {
        let listener = if *speaker == "Ann" { "Bo" } else { "Ann" };
        dyads.row().set("interview_id", "a").set("turn_index", i + 1).set("speaker", *speaker);
        dyads.set("listener", listener).set("listener_person", if listener == "Ann" { "P1" } else { "P2" });
        for (name, person) in [("Ann", "P1"), ("Bo", "P2")] {
            let speaks = name == *speaker;
            bodies.row().set("interview_id", "a").set("turn_index", i + 1).set("person", person);
            bodies.set("role", if speaks { "speaker" } else { "listener" });
            bodies.set("other_distance_mean", if i == 6 { 1.0 } else { 3.0 + 0.1 * i as f64 });
            if speaks && i < 2 {
                bodies.set("lean_forward_share", 0.8).set("hand_at_face_events", 1_i64);
            } else if i == 2 && speaks {
                bodies.set("body_missing", "low_quality").set("hands_missing", "hands_out_of_picture");
            } else if i == 3 {
                bodies.set("arms_crossed_share", if speaks { 0.0 } else { 1.0 });
            }
        }
    }
    // A third person whose name nobody knows: who is nearest is not told there.
    bodies.row().set("interview_id", "a").set("turn_index", 4).set("person", "P9").set("role", "listener");
    bodies.set("hand_at_face_events", 3_i64);
    rig.table("a", "dyads", dyads);
    rig.table("a", "turn_bodies", bodies);
    let prompt = whole(&rig);
    let item = |row: u64, field: &str| -> Value {
        let all = prompt["cues"].as_array().unwrap();
        all.iter().find(|c| c["row"] == row).map(|c| c[field].clone()).unwrap_or_default()
    };
    let leans = |who: &str| json!([{"person": who, "description": "leans forward more than usual"}]);
    let touches = |who: &str| json!([{"person": who, "description": "a hand goes to the face"}]);
    assert_eq!([item(1, "body_posture"), item(2, "body_posture")], [leans("Ann"), leans("Bo")]);
    assert_eq!([item(1, "self_directed_behavior"), item(2, "self_directed_behavior")], [touches("Ann"), touches("Bo")]);
    assert_eq!(item(3, "body_posture"), Value::Null);
    assert_eq!(item(4, "body_posture"), json!([{"person": "Ann", "description": "the arms are crossed"}]));
    assert_eq!((item(4, "interaction_behavior"), item(4, "self_directed_behavior")), (Value::Null, Value::Null));
    let nearer = |who: &str, other: &str| json!({"initiator": who, "target": [other], "description": format!("is nearer to {other} than usual")});
    assert_eq!(item(7, "interaction_behavior"), json!([nearer("Ann", "Bo"), nearer("Bo", "Ann")]));
}

#[test]
fn a_row_that_runs_on_past_the_prompt_s_end_shows_nothing_yet() {
    let rig = Rig::new();
    let fast: &[(&str, f64)] = &[("articulation_rate_syllables_per_sec", 7.0)];
    rig.interview(
        "a",
        &[
            ("Ann", 0.0, 9.0, fast),
            ("Bo", 3.0, 5.0, fast),
            ("Therapist", 5.0, 6.0, &[]),
            ("Ann", 10.0, 11.0, &[]),
            ("Therapist", 12.0, 13.0, &[]),
        ],
    );
    let prompts = rig.prompts(&rule("rpp", ""), "rpp");
    assert_eq!((cue(&prompts[0], 1).as_str(), cue(&prompts[0], 2).is_empty()), ("", false));
    assert!(cue(&prompts[1], 1).contains("speaks fast"), "{}", prompts[1]);
    // Rows in another order than they are numbered in: the first row lies after what is asked.
    let rig = Rig::new();
    rig.interview(
        "a",
        &[("Ann", 50.0, 52.0, fast), ("Bo", 3.0, 5.0, fast), ("Therapist", 5.0, 6.0, &[]), ("Ann", 7.0, 8.0, &[])],
    );
    let prompts = rig.prompts(&rule("rpp", ""), "rpp");
    assert_eq!((cue(&prompts[0], 1).as_str(), cue(&prompts[0], 2).is_empty()), ("", false), "{}", prompts[0]);
}

#[test]
fn a_mode_shows_its_own_cues_alone_and_no_id_tells_the_answer() {
    let rig = Rig::new();
    let both: &[(&str, f64)] = &[("articulation_rate_syllables_per_sec", 7.0), ("head_nods", 1.0)];
    rig.interview("a", &[("Ann", 0.0, 2.0, both), ("Bo", 2.0, 4.0, both), ("Therapist", 4.0, 5.0, &[])]);
    for (mode, tone, posture) in [
        ("dialogue", false, false),
        ("audio", true, false),
        ("visual", false, true),
        ("audiovisual", true, true),
        ("turn_video_audio", false, false),
    ] {
        let prompts = rig.prompts(&rule("itp", &format!("evidence = \"{mode}\"")), "itp");
        let has = |field: &str| prompts.iter().any(|p| p["cues"].to_string().contains(field));
        assert_eq!((has("tone_of_voice"), has("body_posture")), (tone, posture), "{mode}");
        let ids: Vec<&str> = prompts.iter().map(|p| p["id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["a__after_row1", "a__after_row2"]);
    }
    // Answers by these ids, and by the benchmark's own, are scored alike.
    rig.write("shown.csv", "id,label\na__after_row1,no\na__after_row2,yes\n");
    rig.write("own.csv", "id,label\na__neg_after_row1,no\na__pos_after_row2,yes\n");
    let score = |file| rig.run(&["evaluate", "out/tasks", "--task", "itp", "--predictions", file]).0;
    let scored = |file| score(file).lines().filter(|l| !l.contains(file)).map(ToOwned::to_owned).collect::<Vec<_>>();
    assert_eq!(scored("shown.csv"), scored("own.csv"));
    assert!(score("shown.csv").contains("2 with a prediction"), "{}", score("shown.csv"));
}

/// A task with labels of its own for the turns of interview a.
fn labelled(rig: &Rig, name: &str, labels: &[&str], rest: &str) -> Vec<Value> {
    let lines: String = labels.iter().enumerate().map(|(i, l)| format!("a,{},\"{l}\"\n", i + 1)).collect();
    rig.write("labels.csv", &format!("interview_id,turn_index,label\n{lines}"));
    let task = format!(
        "[[task]]\nname = \"{name}\"\n{rest}\n[task.labels]\nunit = \"turn\"\nkind = \"multiclass\"\nfile = \"labels.csv\"\n"
    );
    rig.prompts(&task, name)
}

#[test]
fn no_cue_shows_a_word_of_the_labels_in_whatever_form_they_are_written() {
    let rig = Rig::new();
    let all: &[(&str, f64)] = &[
        ("articulation_rate_syllables_per_sec", 7.0),
        ("head_nods", 1.0),
        ("smile_share", 0.9),
        ("gaze_camera_pitch_deg_mean", -30.0),
    ];
    rig.interview("a", &[("Ann", 0.0, 2.0, all), ("Bo", 2.0, 4.0, all), ("Ann", 4.0, 6.0, all)]);
    let every = "include_current = true";
    for (task, labels, gone) in [
        ("x", ["fast", "slow", "fast"], "speaks fast"),
        ("x", ["Nodding", "none", "none"], "nods"),
        ("x", ["smile", "neutral", "smile"], "smiles"),
        ("x", ["lookDown", "look_up", "x"], "looks down"),
        ("smiling", ["1", "0", "1"], "smiles"),
    ] {
        let prompts = labelled(&rig, task, &labels, every);
        let shown: String = prompts.iter().map(|p| p["cues"].to_string()).collect();
        assert!(!shown.contains(gone) && shown.len() > 100, "{labels:?}: {shown}");
        // Alike for all instances, whatever their own label is.
        assert_eq!(cue(&prompts[0], 1), cue(&prompts[1], 1));
    }
    let (_, told) = rig.run(&["export", "jsonl", "out", "--to", "lines"]);
    assert!(
        told.contains("task smiling: cues that hold a word of its labels or its name are not shown: smiles"),
        "{told}"
    );
    let shown = labelled(&rig, "x", &["warm", "微笑", "Ann"], every)[2]["cues"].to_string();
    ["speaks fast", "nods", "smiles", "looks down", "Ann"].iter().for_each(|w| assert!(shown.contains(w), "{shown}"));
    // The benchmark's own samples hide the words of all their labels.
    let sample = std::fs::read_to_string(rig.at("ann/a.json")).unwrap().replace("\"sad\"", "\"fast\"");
    rig.write("ann/a.json", &sample);
    rig.run(&["export", "rescue", "out", "--annotations", "ann", "--to", "again", "-q"]);
    let again = std::fs::read_to_string(rig.at("again/a.json")).unwrap();
    assert!(!again.contains("speaks fast") && again.contains("nods"), "{again}");
}

#[test]
fn a_question_asks_about_the_turn_that_the_label_is_of() {
    let rig = Rig::new();
    rig.interview("a", &[("Ann", 0.0, 2.0, &[]), ("Bo", 2.0, 4.0, &[]), ("Ann", 4.0, 6.0, &[])]);
    for (rest, expected) in [
        ("include_current = true", ["the last turn shown", "the last turn shown", "the last turn shown"]),
        ("", ["the first turn", "the turn that comes next", "the turn that comes next"]),
    ] {
        let prompts = labelled(&rig, "working_alliance", &["a", "b", "a"], rest);
        for (prompt, turn) in prompts.iter().zip(expected) {
            let asked = format!(
                "People labelled {turn} for \"working alliance\". Which of the options is the label they gave?"
            );
            assert_eq!(prompt["question"], asked);
        }
    }
    // A label that the shown row itself tells is no task.
    rig.write(
        "t.toml",
        "[[task]]\nname = \"who\"\ninclude_current = true\n[task.labels]\nunit = \"turn\"\nkind = \"multiclass\"\n\
         field = \"primary_speaker\"\n",
    );
    let (code, _, err) = rig.turnwise(&["tasks", "out", "--annotations", "ann", "--tasks", "t.toml"]);
    assert!(code == Some(2) && err.contains("primary_speaker is shown with the row itself"), "{err}");
}

#[test]
fn definitions_of_the_task_file_go_with_the_options() {
    let rig = Rig::new();
    rig.interview("a", &[("Ann", 0.0, 2.0, &[]), ("Bo", 2.0, 4.0, &[]), ("Therapist", 4.0, 5.0, &[])]);
    let defined =
        "[task.definitions]\njoin = { couple = \"comes in\", family = \"sits with them\" }\ntrack = \"follows\"\n";
    let prompt = rig.prompts(&rule("ssp", defined), "ssp").remove(0);
    assert_eq!(prompt["definitions"], json!({"join": "comes in", "track": "follows"}));
    assert!(rig.prompts(&rule("ssp", ""), "ssp")[0].get("definitions").is_none());
    let prompts = labelled(&rig, "x", &["a, b", "c", "c"], "[task.definitions]\n\"a, b\" = \"both\"\nd = \"no label\"");
    assert_eq!(prompts[0]["definitions"], json!({"a, b": "both"}));
    let (_, err) = rig.run(&["tasks", "out", "--annotations", "ann", "--tasks", "t.toml"]);
    assert!(err.contains("what is no label here: d") && err.contains("labels without a definition: c"), "{err}");
    for (task, told) in [
        (rule("stp", defined), "\"stp\" has no option definitions"),
        (rule("ssp", "[task.definitions]\njoin = \" \"\n"), "\"join\" says nothing"),
        (
            "[[task]]\nname = \"x\"\n[task.definitions]\na = \"b\"\n[task.labels]\nunit = \"turn\"\nkind = \"text\"\nfile = \"l\"\n"
                .into(),
            "no labels to define",
        ),
    ] {
        rig.write("t.toml", &task);
        let (code, _, err) = rig.turnwise(&["tasks", "out", "--annotations", "ann", "--tasks", "t.toml"]);
        assert!(code == Some(2) && err.contains(told), "{told}: {err}");
    }
}

#[test]
fn the_shipped_cues_name_no_label_of_the_benchmark_s_and_every_field_has_some() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/data/cues.toml")).unwrap();
    let table: toml::Table = toml::from_str(&text).unwrap();
    let labels = [
        "attack_attack",
        "pursue_withdraw",
        "withdraw_withdraw",
        "mixed_transition",
        "repair_softening",
        "constructive_alignment",
        "escalation_conflict",
        "cooperative_family_alliance",
        "counterbalance",
        "safeguard",
        "goal_align",
        "track",
        "reframe",
        "evoke",
        "enact",
        "join",
        "detach",
        "repair",
        "boundary",
        "disclosure",
        "accusation",
        "defense",
        "validation",
        "reflection",
        "recollection",
        "request",
        "happy",
        "sad",
        "angry",
        "fearful",
        "disgusted",
        "surprised",
        "neutral",
        "yes",
        "no",
    ];
    let hidden = Hidden::of(labels);
    let mut fields = std::collections::BTreeSet::new();
    for cue in table["cue"].as_array().unwrap() {
        fields.insert(cue["field"].as_str().unwrap());
        let words = |v: &toml::Value, key: &str| v.get(key).and_then(|w| w.as_str()).unwrap_or_default().to_owned();
        let bands = cue.get("plain").and_then(|p| p.as_array()).into_iter().flatten().map(|b| words(b, "words"));
        let group = cue.get("group").map(|g| words(g, "high") + " " + &words(g, "low")).unwrap_or_default();
        let own = ["high", "low", "same"].map(|key| words(cue, key)).join(" ");
        let all = bands.chain([group, own]).collect::<Vec<_>>().join(" ");
        assert!(!hidden.is_in(&all), "{all}");
        let plain = cue.get("plain").is_some() || cue.get("at_least").is_some();
        assert!(!plain || !words(cue, "source").is_empty(), "where does the threshold come from: {all}");
    }
    assert_eq!(fields.len(), CueField::ALL.len());
    let wording = Wording::load(None).unwrap();
    assert!(CueTable::ALL.into_iter().all(|table| wording.columns(table).len() > 8));
}
