//! Stories about corrections: said once, looked over, followed by the next extraction from what is kept of the models,
//! to the bytes of a fresh run; what matches nothing is told.

use std::collections::BTreeSet;
use std::path::Path;

use turnwise::store::read::{StoredTable, read};

use crate::stage::{Stage, row, table};

const CUES: &str =
    "1\n00:00:00,200 --> 00:00:01,400\nANNA: and so we began\n\n2\n00:00:01,500 --> 00:00:02,800\nBEN: to look at it\n";

/// `a` with speech turns given, `b` without a transcript.
fn corpus() -> Stage {
    let stage = Stage::new();
    stage.cut("a.mp4", "30", "4", &[]);
    stage.write("cues.srt", CUES);
    let line = |start: &str, secs: &str, who: &str| format!("SPEAKER a 1 {start} {secs} <NA> <NA> {who} <NA> <NA>\n");
    let speech = [line("0.200", "1.200", "SPEAKER_00"), line("1.500", "1.300", "SPEAKER_01")].concat();
    stage.write("a.rttm", &speech);
    let other = line("0.200", "1.000", "SPEAKER_00").replace("SPEAKER a", "SPEAKER b");
    let more = line("1.600", "1.000", "SPEAKER_00").replace("SPEAKER a", "SPEAKER b");
    stage.write("b.rttm", &[other, more].concat());
    stage.write("corpus.csv", "interview_id,media,transcript,rttm\na,a.mp4,cues.srt,a.rttm\nb,a.mp4,,b.rttm\n");
    stage
}

fn extract(stage: &Stage, out: &str, options: &[&str]) -> String {
    let mut arguments = vec!["extract", "corpus.csv", "--out", out, "--jobs", "1"];
    arguments.extend(options);
    let told = stage.run(&arguments);
    assert_eq!(told.code, 0, "{}", told.err);
    told.err
}

fn correct(stage: &Stage, options: &[&str]) -> (i32, String, String) {
    let told = stage.run(&[&["correct", "out"], options].concat());
    (told.code, told.out, told.err)
}

#[track_caller]
fn done(told: &str, part: &str) {
    assert!(told.contains(part), "no {part:?} in\n{told}");
}

/// The models that were asked in the last run of an interview.
fn asked(stage: &Stage, id: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(stage.path(&format!("out/timings/{id}.json"))).unwrap();
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    record["models"].as_object().unwrap().keys().cloned().collect()
}

fn texts(table: &StoredTable, column: &str) -> Vec<Option<String>> {
    (0..table.rows()).map(|at| table.text(column, at).map(ToOwned::to_owned)).collect()
}

fn some(texts: &[&str]) -> Vec<Option<String>> {
    texts.iter().map(|t| Some((*t).to_owned())).collect()
}

fn warnings(stage: &Stage, id: &str) -> Vec<String> {
    let table = table(stage, "out/interviews.parquet");
    table.texts("warnings", row(&table, id)).unwrap().to_vec()
}

/// The tables of a run that keeps and uses nothing, with the same corrections.
#[track_caller]
fn must_be_fresh(stage: &Stage, what: &str) {
    let fresh = stage.path("fresh");
    if fresh.exists() {
        std::fs::remove_dir_all(&fresh).unwrap();
    }
    extract(stage, "fresh", &["--no-cache", "--corrections", "out/corrections.csv"]);
    let (mut ours, theirs) = (stage.files("out"), stage.files("fresh"));
    assert!(ours.remove("corrections.csv").is_some());
    assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>(), "{what}");
    for (name, bytes) in &theirs {
        assert!(ours[name] == *bytes, "{what}: {name} is not that of a fresh run");
    }
}

fn read_out(stage: &Stage, name: &str) -> StoredTable {
    read(Path::new(&stage.path("out").join(name))).unwrap()
}

#[test]
fn what_is_corrected_is_followed_everywhere_without_asking_a_model() {
    let stage = corpus();
    done(&extract(&stage, "out", &[]), "2 done");
    let (code, listed, _) = correct(&stage, &["--list", "--interview", "a"]);
    assert_eq!(code, 0);
    for part in ["voices", "SPEAKER_01", "1.3 s", "label BEN", "persons", "P1", "2 tracks", "turns", "to look at it"] {
        assert!(listed.contains(part), "no {part} in\n{listed}");
    }

    let said = ["a", "voice", "SPEAKER_00", "ANNA", "--add", "a", "person", "P1", "李安", "--add", "a", "turn", "2"];
    let options = [&["--add"], &said[..], &["not_speech", "--note", "a \"jingle\", no talk"]].concat();
    let (code, told, errors) = correct(&stage, &options);
    assert_eq!(code, 0, "{errors}");
    done(&told, "voice SPEAKER_00@0.8 = ANNA");
    done(&told, "3 lines added");
    let (code, told, _) = correct(&stage, &[]);
    assert_eq!((code, told.matches("waits for extract").count()), (0, 3), "{told}");

    // Its corrections are new: stale, with a manifest and without.
    for arguments in [&["status", "out", "corpus.csv"][..], &["status", "out"]] {
        let told = stage.run(arguments);
        assert_eq!(told.code, 0, "{}", told.err);
        let words: Vec<&str> = told.out.split_whitespace().collect();
        done(&words.join(" "), "corrections changed 1 a");
    }
    done(&extract(&stage, "out", &[]), "1 done, 1 already done");
    assert_eq!(asked(&stage, "a"), BTreeSet::new(), "a model was asked");
    must_be_fresh(&stage, "three corrections");
    assert!(stage.run(&["status", "out", "corpus.csv"]).out.contains("stale          0"));

    let corrections = read_out(&stage, "corrections/a.parquet");
    assert_eq!(texts(&corrections, "found"), some(&["SPEAKER_00", "P1", "2"]));
    assert_eq!(texts(&corrections, "note")[0].as_deref(), Some("a \"jingle\", no talk"));
    assert!(!stage.path("out/corrections/b.parquet").exists());
    let row_of = |id: &str, column: &str| {
        let table = table(&stage, "out/interviews.parquet");
        table.number(column, row(&table, id))
    };
    assert_eq!((row_of("a", "corrections"), row_of("a", "corrections_applied")), (Some(3.0), Some(3.0)));
    assert_eq!(row_of("b", "corrections"), Some(0.0));

    assert_eq!(texts(&read_out(&stage, "speech/a.parquet"), "speaker"), some(&["ANNA", "SPEAKER_01"]));
    assert!(std::fs::read_to_string(stage.path("out/rttm/a.rttm")).unwrap().contains(" ANNA "));
    let turns = read_out(&stage, "turns/a.parquet");
    assert_eq!(texts(&turns, "voice_missing")[1].as_deref(), Some("not_speech"));
    assert_eq!(texts(&turns, "egemaps_missing")[1].as_deref(), Some("not_speech"));
    assert_eq!(texts(&turns, "floor_missing"), [None, Some("not_speech".to_owned())]);
    assert!(turns.number("level_mean_db", 0).is_some() && turns.number("level_mean_db", 1).is_none());
    assert_eq!(texts(&turns, "text").len(), 2);
    // Who says nothing takes no floor, and has no row with anybody.
    let dyads = read_out(&stage, "dyads/a.parquet");
    assert!((0..dyads.rows()).all(|at| dyads.number("turn_index", at) == Some(1.0)));
    for name in ["tracks", "faces", "turn_faces"] {
        let persons: BTreeSet<_> =
            texts(&read_out(&stage, &format!("{name}/a.parquet")), "person").into_iter().collect();
        assert!(persons.contains(&Some("李安".to_owned())) && !persons.contains(&Some("P1".to_owned())), "{persons:?}");
    }
    let (code, told, _) = correct(&stage, &[]);
    assert_eq!((code, told.matches("applied to").count()), (0, 3), "{told}");
}

#[test]
fn without_a_transcript_a_speech_turn_that_is_none_keeps_its_row_alone() {
    let stage = corpus();
    extract(&stage, "out", &[]);
    let (code, _, errors) = correct(&stage, &["--add", "b", "turn", "1-2", "not_speech"]);
    assert_eq!(code, 0, "{errors}");
    done(&extract(&stage, "out", &[]), "1 done, 1 already done");
    assert_eq!(asked(&stage, "b"), BTreeSet::new());
    must_be_fresh(&stage, "no speech");
    let turns = read_out(&stage, "turns/b.parquet");
    assert_eq!(texts(&turns, "voice_missing"), some(&["not_speech", "not_speech"]));
    assert_eq!(read_out(&stage, "speech/b.parquet").rows(), 0);
}

#[test]
fn a_laugh_stays_in_the_row_of_its_turn_where_a_turn_before_it_is_no_speech() {
    let stage = corpus();
    stage.write("cues.srt", &format!("{CUES}\n3\n00:00:02,900 --> 00:00:03,600\nANNA: [laughs] we did\n"));
    extract(&stage, "out", &[]);
    let laughs = |turns: &StoredTable| (0..turns.rows()).map(|at| turns.number("laughs", at)).collect::<Vec<_>>();
    assert_eq!(laughs(&read_out(&stage, "turns/a.parquet")), [Some(0.0), Some(0.0), Some(1.0)]);
    let (code, _, errors) = correct(&stage, &["--add", "a", "turn", "1", "not_speech"]);
    assert_eq!(code, 0, "{errors}");
    extract(&stage, "out", &[]);
    let turns = read_out(&stage, "turns/a.parquet");
    assert_eq!(laughs(&turns), [None, Some(0.0), Some(1.0)]);
    assert_eq!(texts(&turns, "laughter_missing"), [Some("not_speech".to_owned()), None, None]);
    assert_eq!(read_out(&stage, "laughter/a.parquet").number("turn_index", 0), Some(3.0));
}

#[test]
fn a_name_is_evidence_for_labels_and_what_matches_nothing_is_told() {
    let stage = corpus();
    extract(&stage, "out", &[]);
    let lines =
        "interview_id,kind,subject,value,note\na,voice,SPEAKER_00,BEN,\na,voice,SPEAKER_01@2.9,Ann,\na,person,P7,P1,\n";
    stage.write("out/corrections.csv", lines);
    extract(&stage, "out", &[]);
    must_be_fresh(&stage, "lines that match nothing");
    // The voice that the transcript's times speak against.
    let speakers = read_out(&stage, "speakers/a.parquet");
    let voice = (0..speakers.rows()).find(|&at| speakers.text("speaker", at) == Some("BEN")).unwrap();
    assert_eq!(speakers.text("label", voice), Some("BEN"));
    let told = warnings(&stage, "a");
    let of = |part: &str| told.iter().filter(|w| w.starts_with("correction: ") && w.contains(part)).count();
    assert_eq!(of("voice SPEAKER_01@2.9 = Ann is not applied: nobody speaks at 2.900 s"), 1, "{told:?}");
    assert_eq!(of("person P7 = P1 is not applied: there is no P7; did you mean \"P1\"?; there: P1"), 1, "{told:?}");
    let corrections = read_out(&stage, "corrections/a.parquet");
    let problems = [None, Some("not_then".to_owned()), Some("not_found".to_owned())];
    assert_eq!(texts(&corrections, "problem"), problems);
    let table = table(&stage, "out/interviews.parquet");
    assert_eq!(table.number("corrections_applied", row(&table, "a")), Some(1.0));
    let (_, looked, _) = correct(&stage, &[]);
    assert_eq!(looked.matches("not applied: not_").count(), 2, "{looked}");
}

#[test]
fn lines_about_nothing_there_is_are_refused_by_name() {
    let stage = corpus();
    extract(&stage, "out", &["--only", "a"]);
    let head = "interview_id,kind,subject,value,note\n";
    for (line, parts) in [
        ("a,voice,SPEAKER_10,Ann,", &["corrections.csv:2:", "no voice SPEAKER_10", "did you mean \"SPEAKER_0"][..]),
        ("a,person,P4,P1,", &["corrections.csv:2:", "no person P4", "there: P1"]),
        ("a,person,P1,P4,", &["corrections.csv:2:", "no person P4"]),
        ("a,track,99,nobody,", &["corrections.csv:2:", "no track 99", "from 1 to"]),
        ("a,turn,3,not_speech,", &["corrections.csv:2:", "no turn 3", "from 1 to 2"]),
        ("aa,turn,1,not_speech,", &["corrections.csv:2:", "no interview \"aa\"", "did you mean \"a\""]),
    ] {
        stage.write("out/corrections.csv", &format!("{head}{line}\n"));
        let (code, told, errors) = correct(&stage, &[]);
        assert_eq!(code, 2, "{line}: {told}{errors}");
        assert!(parts.iter().all(|part| errors.contains(part)), "{line}: {errors}");
        std::fs::remove_file(stage.path("out/corrections.csv")).unwrap();
        let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.contains("corrections.csv")).collect();
        let cells: Vec<&str> = line.split(',').take(4).collect();
        let (code, _, errors) = correct(&stage, &[&["--add"], &cells[..]].concat());
        assert_eq!(code, 2, "{line}: {errors}");
        assert!(parts.iter().all(|part| errors.contains(part)), "{line}: {errors}");
        assert!(!stage.path("out/corrections.csv").exists(), "{line}");
    }
    // What is no correction at all ends a run before it begins.
    stage.write("out/corrections.csv", &format!("{head}a,voise,SPEAKER_00,Ann,\n"));
    let told = stage.run(&["extract", "corpus.csv", "--out", "out"]);
    assert_eq!(told.code, 2);
    assert!(told.err.contains("corrections.csv:2:") && told.err.contains("did you mean \"voice\""), "{}", told.err);
    assert_eq!(stage.run(&["status", "out"]).code, 2);

    // A file of another shape keeps it, and its own lines.
    stage.write("out/corrections.csv", "note;value;subject;kind;interview_id\r\nmine;Ann;SPEAKER_00;voice;a\r\n");
    let (code, _, errors) = correct(&stage, &["--add", "a", "voice", "SPEAKER_00", "Ben"]);
    assert!(code == 2 && errors.contains("line 2"), "{errors}");
    let (code, _, errors) = correct(&stage, &["--add", "a", "voice", "SPEAKER_01", "Ben", "--note", "a; b"]);
    assert_eq!(code, 0, "{errors}");
    let text = std::fs::read_to_string(stage.path("out/corrections.csv")).unwrap();
    assert!(text.ends_with("mine;Ann;SPEAKER_00;voice;a\n\"a; b\";Ben;SPEAKER_01@2.15;voice;a\n"), "{text}");
    // A name that a line gave is no name of the models'.
    done(&extract(&stage, "out", &["--only", "a"]), "1 done");
    let (code, _, errors) = correct(&stage, &["--add", "a", "voice", "Ben", "Cleo"]);
    assert!(code == 2 && errors.contains("the line for SPEAKER_01@2.15 gives"), "{errors}");
}
