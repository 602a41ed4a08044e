//! Floors, and who takes them from whom: told once, null with a reason where there is nothing to tell, and right by
//! ear.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::stage::Stage;
use turnwise::store::read::{StoredTable, read};
use turnwise::table::ColumnData;

/// The conversation's cues, by people.
const CONVERSATION: &str = "sample 1 Diane 6.68 7.16 Hello?\nsample 1 Sheila 7.634 8.155 Hello?\n\
    sample 1 Diane 8.436 8.876 Oh, hello.\nsample 1 Diane 8.916 9.798 I didn't know you were there.\n\
    sample 1 Sheila 9.838 10.78 Neither did I.\nsample 1 Diane 10.78 12.54 Okay, then I thought.\n\
    sample 1 Diane 12.542 14.184 This is Diane.\nsample 1 Sheila 14.444 17.769 And I'm Sheila.\n\
    sample 1 Diane 17.789 20.113 Oh, I'm from Chicago also.\nsample 1 Diane 20.173 21.475 I'm in New Jersey now.\n\
    sample 1 Sheila 21.935 23.978 Well.\nsample 1 Sheila 24.058 28.425 At least they call me a Yankee.\n\
    sample 1 Diane 28.445 29.987 Oh, I don't hear that.\n";

/// Tables of a transcript alone.
fn told(transcript: (&str, &str), columns: (&str, &str), more: &[&str]) -> (StoredTable, StoredTable, String) {
    let stage = Stage::new();
    stage.write(transcript.0, transcript.1);
    let manifest = format!("interview_id,media,transcript{}\ntalk,,{}{}\n", columns.0, transcript.0, columns.1);
    stage.write("corpus.csv", &manifest);
    let mut args = vec!["extract", "corpus.csv", "--out", "out"];
    args.extend(more);
    let run = stage.run(&args);
    assert_eq!(run.code, 0, "{}", run.err);
    let table = |name: &str| read(&stage.path(&format!("out/{name}/talk.parquet"))).unwrap();
    (table("turns"), table("dyads"), run.err)
}

fn numbers(table: &StoredTable, name: &str) -> Vec<Option<f64>> {
    (0..table.rows()).map(|r| table.number(name, r)).collect()
}

fn flag(table: &StoredTable, name: &str, row: usize) -> bool {
    match table.column(name) {
        Some(ColumnData::Bool(values)) => values[row] == Some(true),
        other => panic!("{name}: {other:?}"),
    }
}

fn texts<'t>(table: &'t StoredTable, name: &str) -> Vec<Option<&'t str>> {
    (0..table.rows()).map(|r| table.text(name, r)).collect()
}

#[test]
fn a_turn_that_goes_on_answers_nobody() {
    let (turns, dyads, _) = told(("talk.stm", CONVERSATION), ("", ""), &[]);
    let latency = numbers(&dyads, "response_latency_secs");
    let known: Vec<f64> = latency.iter().flatten().copied().collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    assert!(known.len() == 8 && (mean - 0.194_375).abs() < 1e-6, "{mean} of {}", known.len());
    let why = texts(&dyads, "response_latency_missing");
    assert!(why.iter().zip(&latency).all(|(why, secs)| why.is_none() == secs.is_some()));
    let same = Some("same_floor");
    assert_eq!((why[0], why[3], why[6], why[9], why[11]), (Some("first_floor"), same, same, same, same));
    let floors = numbers(&turns, "floor_index");
    let expected = [1, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8, 8, 9].map(|n| Some(f64::from(n)));
    assert_eq!(floors, expected);
    assert_eq!(numbers(&turns, "floor_position")[5..7], [Some(1.0), Some(2.0)]);
    assert_eq!(numbers(&turns, "floor_start_secs")[6], Some(10.78));
    assert_eq!(numbers(&turns, "floor_end_secs")[5], Some(14.184));
}

#[test]
fn across_a_dropped_cue_nothing_is_measured() {
    let cue = |n: usize, from: &str, to: &str, text: &str| format!("{n}\n00:00:{from} --> 00:00:{to}\n{text}\n\n");
    let srt = [
        cue(1, "00,000", "02,000", "ANN: one"),
        cue(2, "02,500", "04,000", "BEN: two"),
        cue(3, "09,000", "05,000", "BEN: reversed"),
        cue(4, "06,000", "08,000", "ANN: four"),
        cue(5, "08,500", "09,000", "BEN: five"),
    ]
    .concat();
    let (turns, dyads, _) = told(("talk.srt", &srt), ("", ""), &["--lenient"]);
    assert_eq!(turns.rows(), 4);
    assert_eq!(numbers(&dyads, "floor_offset_secs"), [None, Some(0.5), None, Some(0.5)]);
    assert_eq!(texts(&dyads, "floor_missing"), [Some("first_floor"), None, Some("dropped_cue"), None]);
    assert_eq!(texts(&dyads, "response_latency_missing")[2], Some("dropped_cue"));
    assert_eq!(numbers(&dyads, "turns_since_listener"), [None, Some(0.0), None, Some(0.0)]);
}

#[test]
fn two_who_begin_together_have_no_offset() {
    let text = "speaker,start,end,text\nA,0,8.1,one\nB,0,9,two\nA,9.5,11,three\n";
    let (_, dyads, _) = told(("talk.csv", text), ("", ""), &[]);
    assert_eq!(numbers(&dyads, "floor_offset_secs"), [None, None, Some(0.5)]);
    assert_eq!(texts(&dyads, "floor_missing")[1], Some("simultaneous"));
}

#[test]
fn close_cues_are_one_turn_when_the_recipe_says_so() {
    let (turns, _, err) = told(("talk.stm", CONVERSATION), ("", ""), &["--set", "turns.floor.merge_cues_secs=0.1"]);
    assert_eq!(numbers(&turns, "turn_index"), [1, 2, 3, 5, 6, 8, 9, 11, 13].map(|n| Some(f64::from(n))), "{err}");
    assert_eq!(turns.text("text", 2), Some("Oh, hello. I didn't know you were there."));
    assert_eq!(turns.number("end_secs", 2), Some(9.798));
}

#[test]
fn turns_and_dyads_say_the_group_and_the_roles() {
    let text = "speaker,start,end,text\nAnn,0,2,我喜欢吃苹果\nBo,3,4,so it is\n";
    let (turns, dyads, _) = told(("talk.csv", text), (",group,roles", ",pair 7,Ann=therapist; Bo=client"), &[]);
    assert_eq!(texts(&turns, "group"), [Some("pair 7"); 2]);
    assert_eq!(texts(&turns, "speaker_role"), [Some("therapist"), Some("client")]);
    assert_eq!(texts(&dyads, "group"), [Some("pair 7"); 2]);
    assert_eq!(texts(&dyads, "listener_role"), [Some("client"), Some("therapist")]);
    // A sentence without spaces is not one word.
    assert_eq!(numbers(&turns, "words"), [None, Some(3.0)]);
    assert_eq!(texts(&turns, "words_missing"), [Some("no_spaces"), None]);
    assert_eq!(numbers(&turns, "speaking_rate_words_per_sec")[0], None);
}

/// What the diarization of the conversation gets wrong by more than the tolerance. The list only shrinks.
const LEFT: [&str; 1] = ["start of floor 1"];

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn floors_of_the_conversation_are_those_that_people_heard() {
    const TOLERANCE_SECS: f64 = 0.2;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let audio = std::env::var_os("TURNWISE_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let clip = |end: &str| audio.join(format!("media/audio/pyannote_sample.{end}")).display().to_string();
    let truth = Command::new("python3")
        .arg(root.join("tests/floor_truth.py"))
        .args([&clip("rttm"), "1.0", "0.2", "0.12"])
        .output()
        .unwrap();
    assert!(truth.status.success(), "{}", String::from_utf8_lossy(&truth.stderr));
    let truth: serde_json::Value = serde_json::from_slice(&truth.stdout).unwrap();
    let stage = Stage::new();
    let run = stage.run(&["extract", &clip("wav"), "--transcript", &clip("stm"), "--out", "out"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let table = |name: &str| read(&stage.path(&format!("out/{name}/pyannote_sample.parquet"))).unwrap();
    let (turns, dyads) = (table("turns"), table("dyads"));
    let list = |name: &str| truth[name].as_array().unwrap().clone();
    let secs = |v: &serde_json::Value| v.as_f64().unwrap();
    let mut wrong: Vec<String> = Vec::new();
    let mut hold = |what: String, found: f64, expected: f64, tolerance: f64| {
        eprintln!("{what}: {found:.3} for {expected:.3}, {:+.3}", found - expected);
        if (found - expected).abs() > tolerance {
            wrong.push(what);
        }
    };

    let mut floors: Vec<(f64, f64)> = Vec::new();
    for r in (0..turns.rows()).filter(|&r| turns.number("floor_position", r) == Some(1.0)) {
        let at = |name: &str| turns.number(name, r).unwrap();
        floors.push((at("speech_floor_start_secs"), at("speech_floor_end_secs")));
    }
    let expected = list("floors");
    assert_eq!(floors.len(), expected.len());
    for (i, ((start, end), truth)) in floors.iter().zip(&expected).enumerate() {
        hold(format!("start of floor {}", i + 1), *start, secs(&truth[1]), TOLERANCE_SECS);
        hold(format!("end of floor {}", i + 1), *end, secs(&truth[2]), TOLERANCE_SECS);
    }

    // When each event is told, and what of it.
    let rows = |is: &dyn Fn(usize) -> bool, at: &str| -> Vec<(f64, usize)> {
        (0..dyads.rows()).filter(|&r| is(r)).map(|r| (dyads.number(at, r).unwrap(), r)).collect()
    };
    let transfers = rows(&|r| dyads.number("speech_floor_offset_secs", r).is_some(), "speech_start_secs");
    let interruptions = rows(&|r| flag(&dyads, "speech_interrupts", r), "speech_start_secs");
    let some = |r: usize| dyads.number("speech_backchannels", r).is_some_and(|n| n > 0.0);
    let backchannels = rows(&some, "speech_first_backchannel_secs");
    let counted: f64 = numbers(&dyads, "speech_backchannels").iter().flatten().sum();
    assert_eq!(counted as usize, backchannels.len(), "one in a turn");
    for (name, found) in [("interruptions", &interruptions), ("backchannels", &backchannels)] {
        let expected = list(name);
        let told: Vec<f64> = found.iter().map(|f| f.0).collect();
        assert_eq!(told.len(), expected.len(), "{name}: {told:?} for {expected:?}");
        told.iter().zip(&expected).for_each(|(f, e)| hold(format!("{name} at {e}"), *f, secs(e), TOLERANCE_SECS));
    }
    let expected = list("transfers");
    assert_eq!(transfers.len(), expected.len());
    for ((start, row), truth) in transfers.iter().zip(&expected) {
        hold(format!("transfer at {}", truth[0]), *start, secs(&truth[0]), TOLERANCE_SECS);
        // An offset has two ends, and where both talk the level tells neither.
        let offset = dyads.number("speech_floor_offset_secs", *row).unwrap();
        hold(format!("offset at {}", truth[0]), offset, secs(&truth[1]), 0.25);
    }
    wrong.retain(|what| !LEFT.contains(&what.as_str()));
    assert!(wrong.is_empty(), "{wrong:#?}");
}
