//! The exported samples in a reader that follows the benchmark's rules: our cues are there, and not a word of the
//! annotators'.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::made::TASKS;
use serde_json::Value;
use turnwise::export::{CueTable, Wording};
use turnwise::pipeline::schemas;
use turnwise::recipe::Recipe;
use turnwise::store::parquet::{self, FileMetadata};
use turnwise::store::paths::table_path;
use turnwise::table::TableBuilder;
use turnwise::transcript::rescue::{Sample, read_samples};

const MODES: [&str; 4] = ["dialogue", "audio", "visual", "audiovisual"];
const LISTS: [&str; 4] = ["body_posture", "facial_expressions", "self_directed_behavior", "interaction_behavior"];

fn tests_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn builder(table: &str) -> TableBuilder {
    TableBuilder::new(schemas(&Recipe::default()).into_iter().find(|s| s.name == table).unwrap())
}

/// Measurements as extract would have written them: everything usual for a while, then one turn that is not.
fn measure(sample: &Sample, out: &Path) {
    let (mut turns, mut dyads) = (builder("turns"), builder("dyads"));
    let speakers: BTreeSet<&str> =
        sample.rows.iter().map(|r| r.primary_speaker.as_str()).filter(|s| !s.is_empty()).collect();
    for (i, row) in sample.rows.iter().enumerate() {
        let odd = i % 9 == 8;
        let small = (i % 4) as f64 * 0.1;
        turns
            .row()
            .set("interview_id", sample.id.as_str())
            .set("turn_index", i64::from(row.row_index))
            .set("speaker", row.primary_speaker.as_str())
            .set("start_secs", row.segment.start())
            .set("end_secs", row.segment.end())
            .set("face_source", if i % 2 == 0 { "cast" } else { "only" })
            .set("pitch_mean_semitones", 20.0 + small + if odd { 9.0 } else { 0.0 })
            .set("level_mean_db", -30.0 + small + if odd { 9.0 } else { 0.0 })
            .set("blendshape_mouthPressLeft_mean", 0.1 * small + if odd { 0.7 } else { 0.0 });
        for listener in speakers.iter().filter(|s| **s != row.primary_speaker && !row.primary_speaker.is_empty()) {
            dyads
                .row()
                .set("interview_id", sample.id.as_str())
                .set("turn_index", i64::from(row.row_index))
                .set("speaker", row.primary_speaker.as_str())
                .set("listener", *listener)
                .set("interrupts", i % 7 == 3)
                .set("listener_smile", 0.1 * small + if odd { 0.8 } else { 0.0 });
        }
    }
    for (name, table) in [("turns", turns), ("dyads", dyads), ("turn_faces", builder("turn_faces"))] {
        parquet::write(&table_path(out, name, &sample.id).unwrap(), &table.finish().unwrap(), &FileMetadata::default())
            .unwrap();
    }
}

fn export(out: &Path, annotations: &Path, to: &Path) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_turnwise"));
    let run = program
        .args(["export", "rescue"])
        .arg(out)
        .arg("--annotations")
        .arg(annotations)
        .arg("--to")
        .arg(to)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

fn load(data: &Path) -> Value {
    let run = Command::new("python3").arg(tests_folder().join("rescue_loader.py")).arg(data).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    serde_json::from_slice(&run.stdout).unwrap()
}

/// All texts below a value, trimmed, in lower case.
fn texts(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::String(s) => drop(into.insert(s.trim().to_lowercase())),
        Value::Array(items) => items.iter().for_each(|v| texts(v, into)),
        Value::Object(map) => map.values().for_each(|v| texts(v, into)),
        _ => {}
    }
}

/// What people wrote of the samples: cues, and labels.
fn written_by_people(samples: &[Sample], annotations: &Path) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut human, mut labels) = (BTreeSet::new(), BTreeSet::new());
    for file in samples.iter().map(|s| annotations.join(format!("{}.json", s.id))) {
        let sample: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        for row in sample["rows"].as_array().unwrap() {
            texts(&row["tone_of_voice"], &mut human);
            for list in LISTS {
                // Names are no annotation.
                let items = row[list].as_array().cloned().unwrap_or_else(|| vec![row[list].clone()]);
                items.iter().for_each(|i| texts(i.get("description").unwrap_or(i), &mut human));
            }
            for emotion in row["internal_emotion"].as_array().into_iter().flatten() {
                texts(&emotion["emotion_description"], &mut labels);
            }
            for view in row["viewpoints_attitudes"].as_array().into_iter().flatten() {
                ["viewpoint", "attitude"].iter().for_each(|k| texts(&view[k], &mut labels));
            }
            for strategy in row["support_strategy"].as_array().into_iter().flatten() {
                ["strategy_type", "strategy_content"].iter().for_each(|k| texts(&strategy[k], &mut labels));
            }
            let fields = [
                "relation_cycle_state",
                "relation_cycle_reason",
                "relation_pattern",
                "relation_pattern_reason",
                "utterance_type",
            ];
            fields.iter().for_each(|k| texts(&row[k], &mut labels));
        }
    }
    // One letter is in every sentence.
    human.retain(|s| s.len() > 1);
    labels.retain(|s| s.len() > 1);
    (human, labels)
}

#[test]
fn every_evidence_mode_shows_our_cues_and_no_human_annotation() {
    let annotations = tests_folder().join("fixtures/rescue/json");
    let samples = read_samples(&annotations).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (out, to) = (folder.path().join("out"), folder.path().join("to"));
    samples.iter().for_each(|s| measure(s, &out));
    let told = export(&out, &annotations, &to);
    assert!(
        told.contains(&format!("{0} samples in", samples.len()))
            && told.contains(&format!("{} of them with", samples.len())),
        "{told}"
    );

    let (human, labels) = written_by_people(&samples, &annotations);
    assert!(human.len() > 5 && labels.len() > 10, "{human:?} {labels:?}");

    let read = load(&to);
    assert_eq!(read.as_object().unwrap().len(), samples.len());
    let mut fields_seen = BTreeSet::new();
    for sample in &samples {
        let rows = &read[&sample.id];
        assert_eq!(rows.as_object().unwrap().len(), sample.rows.len(), "{}", sample.id);
        for row in &sample.rows {
            let own = &rows[row.row_index.to_string()];
            for mode in MODES {
                let evidence = own[mode].as_object().unwrap();
                let (audio, visual) = (mode.starts_with("audio"), mode.ends_with("visual"));
                let mut cues = BTreeSet::new();
                for (field, value) in evidence {
                    if field == "tone_of_voice" || LISTS.contains(&field.as_str()) {
                        fields_seen.insert(field.clone());
                        assert!(if field == "tone_of_voice" { audio } else { visual }, "{field} in mode {mode}");
                        texts(value, &mut cues);
                    }
                }
                for cue in &cues {
                    assert!(
                        !human.iter().chain(&labels).any(|h| cue.contains(h.as_str()) && !is_name(h, sample)),
                        "{}: {cue}",
                        sample.id
                    );
                }
                assert_eq!(evidence.get("text").and_then(Value::as_str).unwrap_or_default(), row.dialogue_cleaned);
            }
        }
    }
    assert_eq!(fields_seen.len(), 5 - 1, "posture has no measurement in this test: {fields_seen:?}");
}

#[test]
fn the_rest_of_a_sample_is_as_it_was_and_twice_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (out, to) = (folder.path().join("out"), folder.path().join("to"));
    let lines = tests_folder().join("fixtures/rescue/samples.jsonl");
    read_samples(&lines).unwrap().iter().for_each(|s| measure(s, &out));
    export(&out, &lines, &to);
    let (before, after) =
        (std::fs::read_to_string(&lines).unwrap(), std::fs::read_to_string(to.join("samples.jsonl")).unwrap());
    let strip = |line: &str| {
        let mut sample: Value = serde_json::from_str(line).unwrap();
        for row in sample["rows"].as_array_mut().unwrap() {
            let row = row.as_object_mut().unwrap();
            LISTS.iter().chain(&["tone_of_voice"]).for_each(|f| drop(row.remove(*f)));
        }
        sample
    };
    let pairs: Vec<_> = before.lines().filter(|l| !l.trim().is_empty()).zip(after.lines()).collect();
    assert_eq!(pairs.len(), after.lines().count());
    assert!(pairs.iter().all(|(a, b)| strip(a) == strip(b)));
    export(&out, &lines, &to);
    assert_eq!(after, std::fs::read_to_string(to.join("samples.jsonl")).unwrap());
}

#[test]
fn instances_for_any_evaluator_hold_what_was_said_and_measured_before_them() {
    let annotations = tests_folder().join("fixtures/rescue/json");
    let samples = read_samples(&annotations).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (out, to) = (folder.path().join("out"), folder.path().join("to"));
    samples.iter().for_each(|s| measure(s, &out));
    let run = |arguments: &[&std::ffi::OsStr]| {
        let run = Command::new(env!("CARGO_BIN_EXE_turnwise")).args(arguments).output().unwrap();
        (run.status.code(), String::from_utf8(run.stderr).unwrap())
    };
    let tasks = Path::new(env!("CARGO_MANIFEST_DIR")).join("pipelines/tasks/rescue.toml");
    let made = run(&[
        "tasks".as_ref(),
        out.as_os_str(),
        "--annotations".as_ref(),
        annotations.as_os_str(),
        "--tasks".as_ref(),
        tasks.as_os_str(),
    ]);
    assert_eq!(made.0, Some(0), "{}", made.1);
    let made = run(&["export".as_ref(), "jsonl".as_ref(), out.as_os_str(), "--to".as_ref(), to.as_os_str()]);
    assert_eq!(made.0, Some(0), "{}", made.1);
    let mut with_cues = 0;
    for task in TASKS {
        let text = std::fs::read_to_string(to.join(format!("{task}.jsonl"))).unwrap();
        let table = turnwise::store::read::read(&table_path(&out, "tasks", task).unwrap()).unwrap();
        assert_eq!(text.lines().count(), table.rows(), "{task}");
        for (row, line) in text.lines().enumerate() {
            let instance: Value = serde_json::from_str(line).unwrap();
            let id = table.text("instance_id", row).unwrap();
            // The benchmark's ids of this task tell the answer.
            assert_eq!(instance["id"], id.replace("__pos_after", "__after").replace("__neg_after", "__after"));
            let question = instance["question"].as_str().unwrap();
            assert!(question.len() > 20 && !question.contains('{'), "{question}");
            let rows =
                |list: &Value| list.as_array().unwrap().iter().map(|r| r["row"].as_u64().unwrap()).collect::<Vec<_>>();
            let (context, cues) = (rows(&instance["context"]), rows(&instance["cues"]));
            assert!(cues.iter().all(|r| context.contains(r)), "{task}: cues {cues:?} of context {context:?}");
            let turn = instance["turn"].as_u64().unwrap();
            assert!(context.iter().all(|&r| if ["rpp", "stp", "ssp"].contains(&task) { r < turn } else { r <= turn }));
            with_cues += cues.len();
            assert!(
                !line.contains("HUMAN")
                    && instance["context"].as_array().unwrap().iter().all(|r| r.get("tone_of_voice").is_none())
            );
            match task {
                "itp" => assert!(["yes", "no"].contains(&instance["label"].as_str().unwrap())),
                "er" => assert!(
                    instance["label"]["intensity"].as_f64().unwrap() <= 10.0
                        && question.contains(table.text("speaker", row).unwrap())
                ),
                "vp" => assert!(instance["label"][0]["viewpoint"].is_string()),
                "ssp" => assert!(question.contains(table.text("known_support_target", row).unwrap())),
                _ => assert!(instance["options"].as_array().unwrap().contains(&instance["label"])),
            }
        }
    }
    assert!(with_cues > 20, "{with_cues}");
    let unknown = run(&[
        "export".as_ref(),
        "jsonl".as_ref(),
        out.as_os_str(),
        "--to".as_ref(),
        to.as_os_str(),
        "--task".as_ref(),
        "x".as_ref(),
    ]);
    assert!(unknown.0 != Some(0) && unknown.1.contains("itp, rpp"), "{}", unknown.1);
}

#[test]
fn annotations_other_than_those_extracted_are_refused_by_row() {
    let samples = read_samples(&tests_folder().join("fixtures/rescue/json")).unwrap();
    let sample = samples.iter().find(|s| s.rows.len() > 20).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (out, file) = (folder.path().join("out"), folder.path().join("ann").join(format!("{}.json", sample.id)));
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    measure(sample, &out);
    let rows = |keep: &dyn Fn(usize) -> bool, later: f64| {
        let kept = sample.rows.iter().enumerate().filter(|(i, _)| keep(*i)).map(|(_, r)| r);
        let rows: Vec<Value> = kept
            .zip(1..)
            .map(|(r, n)| {
                serde_json::json!({"row_index": n, "primary_speaker": r.primary_speaker, "start_time": r.segment.start().get() + later,
                    "end_time": r.segment.end().get() + later})
            })
            .collect();
        std::fs::write(&file, serde_json::json!({ "rows": rows }).to_string()).unwrap();
    };
    let run = |arguments: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_turnwise"));
        let run = program.current_dir(folder.path()).args(arguments).output().unwrap();
        (run.status.success(), String::from_utf8(run.stderr).unwrap())
    };
    let export = ["export", "rescue", "out", "--annotations", "ann", "--to", "to"];
    let tasks_file = Path::new(env!("CARGO_MANIFEST_DIR")).join("pipelines/tasks/rescue.toml");
    let tasks = ["tasks", "out", "--annotations", "ann", "--tasks", tasks_file.to_str().unwrap()];
    rows(&|_| true, 0.0);
    assert!(run(&export).0 && run(&tasks).0);
    rows(&|_| true, 3.0);
    assert!(run(&export).0, "all times later by the same: a shifted transcript");
    // A row taken out and the others numbered anew: they would be joined to their neighbours' measurements.
    rows(&|i| i != 5, 0.0);
    for command in [&export[..], &tasks[..]] {
        let (done, told) = run(command);
        assert!(!done && told.contains(&sample.id) && told.contains("row 6"), "{told}");
    }
}

#[test]
fn a_film_that_cannot_be_cut_costs_its_own_clips_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("ann")).unwrap();
    for id in ["heard", "gone"] {
        let row = serde_json::json!({"row_index": 1, "primary_speaker": "Ann", "start_time": 0.0, "end_time": 0.5});
        std::fs::write(at("ann").join(format!("{id}.json")), serde_json::json!({"rows": [row]}).to_string()).unwrap();
    }
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 16_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut writer = hound::WavWriter::create(at("heard.wav"), spec).unwrap();
    (0..16_000).for_each(|_| writer.write_sample(0_i16).unwrap());
    writer.finalize().unwrap();
    std::fs::write(at("corpus.csv"), "interview_id,media\nheard,heard.wav\ngone,gone.mp4\n").unwrap();
    std::fs::create_dir(at("out")).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_turnwise"));
    program.current_dir(folder.path()).args([
        "export",
        "rescue",
        "out",
        "--annotations",
        "ann",
        "--to",
        "to",
        "--clips",
        "corpus.csv",
    ]);
    let run = program.output().unwrap();
    let told = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success() && told.contains("heard: no clips") && told.contains("gone: no clips"), "{told}");
    assert!(at("to/heard.json").is_file() && at("to/gone.json").is_file());
}

/// A participant's name is in a cue because it is about that participant.
fn is_name(text: &str, sample: &Sample) -> bool {
    sample.rows.iter().any(|r| r.primary_speaker.to_lowercase() == text)
}

#[test]
fn the_shipped_cues_tell_columns_that_are_known_when_the_turn_ends() {
    let wording = Wording::load(None).unwrap();
    for table in CueTable::ALL {
        let (table, columns) = (table.name(), wording.columns(table));
        let schema = schemas(&Recipe::default()).into_iter().find(|s| s.name == table).unwrap();
        for name in columns {
            let column = schema
                .columns
                .iter()
                .find(|c| c.name == name)
                .unwrap_or_else(|| panic!("{name} is no column of {table}"));
            // Whose face it is, is known from the whole interview: a key like the speaker's name.
            let key = [
                "face_source",
                "face_person",
                "listener_person",
                "speaker_contradicts",
                "speech_share",
                "person",
                "role",
            ]
            .contains(&name);
            assert!(key || !["next_turn", "interview"].contains(&column.cut_off.name()), "{name} looks past its turn");
        }
    }
}

#[test]
fn a_cue_that_looks_past_its_turn_is_refused_by_name() {
    let annotations = tests_folder().join("fixtures/rescue/json");
    let folder = tempfile::tempdir().unwrap();
    let samples = read_samples(&annotations).unwrap();
    measure(&samples[0], folder.path());
    let cues = folder.path().join("cues.toml");
    let text = "min_turns = 3\n[[cue]]\nfield = \"interaction_behavior\"\ntable = \"dyads\"\ncolumn = \"backchannels_received\"\nat_least = 1.0\nhigh = \"x\"\n";
    std::fs::write(&cues, text).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_turnwise"));
    program.args(["export", "rescue"]).arg(folder.path()).arg("--annotations").arg(&annotations);
    let run = program.arg("--to").arg(folder.path().join("to")).arg("--cues").arg(&cues).output().unwrap();
    let told = String::from_utf8(run.stderr).unwrap();
    assert!(
        run.status.code() != Some(0) && told.contains("backchannels_received") && told.contains("past its turn"),
        "{told}"
    );
}
