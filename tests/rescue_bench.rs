//! The layout that the benchmark's scripts read: every JSON file below the data root is a sample and none is anything
//! else, clips are found from the folder that the scripts run in, and er.jsonl and vp.jsonl are read back; samples can be
//! chosen by a list and a cap.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::made::Corpus;
use serde_json::{Value, json};
use turnwise::tasks::{Clips, Evidence, RuleSpec, Task, instances, read_released};
use turnwise::transcript::rescue::read_samples;

/// A made corpus, extracted, in a folder of its own.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(samples: usize) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        Corpus { samples, samples_each: 2, rows: 12, more: 0, planted: 0.5, wide: false, seed: 9 }
            .write(&folder.at("out"), &folder.at("annotations"));
        folder
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn turnwise(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_turnwise")).current_dir(self.0.path()).args(args).output().unwrap()
    }

    #[track_caller]
    fn run(&self, args: &[&str]) -> String {
        let done = self.turnwise(args);
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }

    #[track_caller]
    fn refused(&self, args: &[&str]) -> String {
        let done = self.turnwise(args);
        assert_eq!(done.status.code(), Some(2), "{args:?}");
        String::from_utf8(done.stderr).unwrap()
    }

    /// What a reader that follows the benchmark's rules finds.
    fn found(&self, bench: &str) -> Value {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rescue_loader.py");
        let run = Command::new("python3").arg(script).arg("--bench").arg(self.at(bench)).output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        serde_json::from_slice(&run.stdout).unwrap()
    }
}

const EXPORT: [&str; 5] = ["export", "rescue", "out", "--annotations", "annotations"];

#[test]
fn the_scripts_find_every_clip_and_no_sample_that_is_none() {
    let folder = Folder::new(8);
    let film = folder.at("film.mp4");
    let made = Command::new("ffmpeg")
        .args(["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=70", "-f", "lavfi", "-i"])
        .args(["sine=duration=70", "-c:v", "mpeg4", "-c:a", "aac", "-shortest"])
        .arg(&film)
        .status()
        .unwrap();
    assert!(made.success());
    let samples = read_samples(&folder.at("annotations")).unwrap();
    // The last two have no film.
    let lines: String = samples[..6].iter().map(|s| format!("{},film.mp4\n", s.id)).collect();
    std::fs::write(folder.at("corpus.csv"), format!("interview_id,media\n{lines}")).unwrap();
    let told = folder.run(&[&EXPORT[..], &["--bench", "bench", "--clips", "corpus.csv"]].concat());
    assert!(told.contains("8 samples in bench, 8 of them with measurements"), "{told}");

    let found = folder.found("bench");
    assert_eq!(found.as_object().unwrap().len(), 8);
    let mut clips = 0;
    for (i, sample) in samples.iter().enumerate() {
        let own = &found[&sample.id];
        assert_eq!(own["rows"], 12);
        let there = own["clips"].as_object().unwrap();
        let within = sample.rows.iter().filter(|r| r.segment.start().get() < 69.9).count();
        assert!(if i < 6 { there.len() >= within && within > 5 } else { there.is_empty() }, "{}: {own}", sample.id);
        clips += there.len();
    }
    assert!(told.contains(&format!("{clips} row clips")), "{told}");
    // Beside the data root the released files, whose clips are those of the manifests.
    for name in ["er", "vp"] {
        let lines = std::fs::read_to_string(folder.at(&format!("bench/{name}.jsonl"))).unwrap();
        let read = read_released(&folder.at(&format!("bench/{name}.jsonl"))).unwrap();
        let own = instances(&samples, &Task::of(RuleSpec::named(name).unwrap()));
        assert_eq!(read.len(), own.len());
        let ids = |list: &mut Vec<String>| {
            list.sort();
            list.join(" ")
        };
        let mut theirs: Vec<String> = read.iter().map(|r| r.instance_id.clone()).collect();
        let mut ours: Vec<String> = own.iter().map(|o| o.id.clone()).collect();
        assert_eq!(ids(&mut theirs), ids(&mut ours));
        let mut with_clip = 0;
        for line in lines.lines() {
            let one: Value = serde_json::from_str(line).unwrap();
            let clip = &found[one["sample_id"].as_str().unwrap()]["clips"][one["row_index"].to_string()];
            assert_eq!(&one["clip_duration_sec"], clip);
            with_clip += usize::from(one["clip_path"].is_string());
            assert!(!line.contains("\"even\"") && !line.contains("calm"), "what people wrote is shown: {line}");
        }
        assert!(with_clip > 0);
        // Its labels are those of the task's own table.
        let columns = if name == "er" { "id,intensity" } else { "id,target" };
        let cell = if name == "er" { "5" } else { "Ann" };
        std::fs::write(folder.at("p.csv"), format!("{columns}\n{},{cell}\n", read[0].instance_id)).unwrap();
        let told = folder.run(&["evaluate", &format!("bench/{name}.jsonl"), "--task", name, "--predictions", "p.csv"]);
        assert!(
            told.contains(&format!("{name}: {} instances", own.len())) && told.contains("1 with a prediction"),
            "{told}"
        );
    }
    // Again over itself, and never among other files.
    folder.run(&[&EXPORT[..], &["--bench", "bench"]].concat());
    std::fs::write(folder.at("bench/data/notes.txt"), "x").unwrap();
    let told = folder.refused(&[&EXPORT[..], &["--bench", "bench"]].concat());
    assert!(told.contains("1 files that are not of this export") && told.contains("notes.txt"), "{told}");
    std::fs::remove_file(folder.at("bench/data/notes.txt")).unwrap();
    let first = &samples[0].id;
    std::fs::write(folder.at("one.txt"), first).unwrap();
    let told = folder.refused(&[&EXPORT[..], &["--bench", "bench", "--samples", "one.txt"]].concat());
    assert!(told.contains("7 files that are not of this export"), "{told}");
    folder.run(&[&EXPORT[..], &["--bench", "one", "--samples", "one.txt"]].concat());
    assert_eq!(folder.found("one").as_object().unwrap().keys().collect::<Vec<_>>(), [first]);
}

#[test]
fn video_mode_leaves_rows_without_a_clip_out_before_it_samples() {
    let folder = Folder::new(6);
    let samples = read_samples(&folder.at("annotations")).unwrap();
    // Every other row of all but the last sample has a clip.
    let mut rows = serde_json::Map::new();
    for sample in &samples[..5] {
        let assets = folder.at("bench/manual_review_system/review_assets").join(&sample.id);
        std::fs::create_dir_all(assets.join("clips")).unwrap();
        let of = |i: u32| format!("manual_review_system/review_assets/{}/clips/{i:03}.mp4", sample.id);
        let indices: Vec<u32> = sample.rows.iter().map(|r| r.row_index).filter(|i| i % 2 == 0).collect();
        indices.iter().for_each(|i| std::fs::write(folder.at("bench").join(of(*i)), "x").unwrap());
        let listed: Vec<Value> =
            indices.iter().map(|i| json!({"index": i, "clip_path": of(*i), "duration_sec": 1.0})).collect();
        std::fs::write(assets.join("manifest.json"), json!({ "rows": listed }).to_string()).unwrap();
        rows.insert(sample.id.clone(), json!(indices));
    }
    let options = json!({"clips": rows, "max_per_sample": 3, "context_size": 1}).to_string();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rescue_rules.py");
    let done =
        Command::new("python3").arg(script).arg(folder.at("annotations/samples.jsonl")).arg(&options).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let theirs: Value = serde_json::from_slice(&done.stdout).unwrap();
    let clips = Clips::read(&folder.at("bench"), samples.iter().map(|s| s.id.as_str())).unwrap();
    for (name, fewer) in [("er", true), ("vp", true), ("ssp", true), ("stp", false), ("itp", false)] {
        let rule = RuleSpec::named(name).unwrap();
        let plain = Task { max_per_sample: 3, context_size: 1, ..Task::of(rule) };
        let task = Task { evidence: Evidence::TurnVideoAudio, clips: Some(clips.clone()), ..plain.clone() };
        let ours = instances(&samples, &task);
        assert_eq!(serde_json::to_value(&ours).unwrap(), theirs[name], "{name}");
        let all = instances(&samples, &plain);
        assert_eq!(ours == all, !fewer, "{name}: {} of {}", ours.len(), all.len());
        assert!(ours.len() > 3, "{name}");
    }
    // The program itself: with the clips named, and told where they are not.
    let one = "[[task]]\nname = \"er\"\nrule = \"er\"\nmax_per_sample = 3\nevidence = \"turn_video_audio\"\n";
    std::fs::write(folder.at("t.toml"), one).unwrap();
    let tasks = ["tasks", "out", "--annotations", "annotations", "--tasks", "t.toml"];
    let done = folder.turnwise(&tasks);
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success() && told.contains("nobody says which have one"), "{told}");
    let told = folder.run(&[&tasks[..], &["--clips", "bench"]].concat());
    assert!(told.contains(&format!("{} instances", theirs["er"].as_array().unwrap().len())), "{told}");
}

#[test]
fn samples_are_chosen_by_a_list_and_a_cap_and_the_check_tells_what_differs() {
    let folder = Folder::new(6);
    let samples = read_samples(&folder.at("annotations")).unwrap();
    std::fs::write(folder.at("t.toml"), "[[task]]\nname = \"rpp\"\nrule = \"rpp\"\n").unwrap();
    let tasks = ["tasks", "out", "--annotations", "annotations", "--tasks", "t.toml"];
    let done = folder.turnwise(&tasks);
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success() && told.contains("task rpp, couple: the closed set is the 4 labels seen"), "{told}");
    let told = folder.run(&[&tasks[..], &["--max-samples", "2"]].concat());
    assert!(told.contains("2 of 2 interviews with tables"), "{told}");
    std::fs::write(folder.at("ids.txt"), format!("# held out\n{}\n", samples[3].id)).unwrap();
    assert!(folder.run(&[&tasks[..], &["--samples", "ids.txt"]].concat()).contains("1 of 1 interviews with tables"));
    std::fs::write(folder.at("ids.txt"), "group_000/000_maed\n").unwrap();
    let told = folder.refused(&[&tasks[..], &["--samples", "ids.txt"]].concat());
    assert!(told.contains("did you mean \"group_000/000_made\"?"), "{told}");
    // A taxonomy that lacks a label: that label is told, and no answer to it can be right.
    let short = "[[task]]\nname = \"rpp\"\nrule = \"rpp\"\ntaxonomy = { couple = [\"attack_attack\", \"other\"] }\n";
    std::fs::write(folder.at("t.toml"), short).unwrap();
    let done = folder.turnwise(&tasks);
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(told.contains("labels are outside of the taxonomy, no answer can be right"), "{told}");

    let row = |i: usize, words: &str| {
        json!({"start_time": i, "end_time": i + 1, "primary_speaker": if i % 3 == 2 { "Therapist" } else { "Ann" }, "target": ["Bo"],
            "dialogue_cleaned": words, "row_index": i + 3, "relation_cycle_state": if i % 3 == 2 { "x" } else { "" },
            "internal_emotion": [{"person": "Ann", "emotion_description": "f", "intensity": 3}]})
    };
    let rows: Vec<Value> = (0..9).map(|i| row(i, "我很难过因为他")).collect();
    std::fs::create_dir(folder.at("chinese")).unwrap();
    std::fs::write(folder.at("chinese/a.json"), json!({"sample_id": "b", "rows": rows}).to_string()).unwrap();
    let done = folder.turnwise(&["check", "chinese"]);
    let told = String::from_utf8_lossy(&done.stdout).into_owned();
    for expected in [
        "6 rows have under 5 words in ASCII letters",
        "dialogue_words = \"any_script\"",
        "RPP, couple: without a taxonomy in the task file its states are the 1 seen",
        "not read: row_index of 9 rows is not their position",
        "not read: its sample_id \"b\" is not read",
        "ER: 0 instances",
    ] {
        assert!(told.contains(expected), "{expected}\n{told}");
    }
    let done = folder.turnwise(&["check", "annotations"]);
    let told = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(told.contains("6 samples are several in one file"), "{told}");
}
