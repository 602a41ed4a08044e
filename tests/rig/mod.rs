//! A made interview: tables as `extract` would write them and annotations in the benchmark's format, of the same turns.

#![allow(dead_code, reason = "not every test uses all of it")]

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use turnwise::pipeline::schemas;
use turnwise::recipe::Recipe;
use turnwise::store::parquet::{self, FileMetadata};
use turnwise::store::paths::table_path;
use turnwise::table::TableBuilder;

/// A turn: who, start, end, and numbers of its row in `turns`.
pub type Turn<'a> = (&'a str, f64, f64, &'a [(&'a str, f64)]);

/// A folder with made tables and annotations of the same turns, and the program run in it.
pub struct Rig(tempfile::TempDir);

pub fn builder(table: &str) -> TableBuilder {
    TableBuilder::new(schemas(&Recipe::default()).into_iter().find(|s| s.name == table).unwrap())
}

impl Rig {
    pub fn new() -> Self {
        Rig(tempfile::tempdir().unwrap())
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        std::fs::write(self.at(name), text).unwrap();
    }

    pub fn table(&self, id: &str, name: &str, table: TableBuilder) {
        let path = table_path(&self.at("out"), name, id).unwrap();
        parquet::write(&path, &table.finish().unwrap(), &FileMetadata::default()).unwrap();
    }

    /// The turns of an interview, each with its speaker's own face and voice, as tables and as annotations.
    pub fn interview(&self, id: &str, turns: &[Turn<'_>]) {
        let (mut table, mut rows) = (builder("turns"), Vec::new());
        let mut order: Vec<usize> = (0..turns.len()).collect();
        order.sort_by(|a, b| turns[*a].1.total_cmp(&turns[*b].1));
        for i in order {
            let (who, start, end, numbers) = turns[i];
            table.row().set("interview_id", id).set("turn_index", i + 1).set("speaker", who).set("text", "So it was.");
            table.set("start_secs", start).set("end_secs", end).set("duration_secs", end - start);
            table.set("face_source", "cast").set("voiced_share", 0.6).set("snr_db", 30.0).set("speech_share", 0.9);
            for (name, value) in numbers {
                match *name {
                    "speaker_contradicts" => table.set(name, *value > 0.0),
                    "face_source" => table.set(name, "only_visible"),
                    "head_nods" => table.set(name, *value as i64),
                    _ => table.set(name, *value),
                };
            }
        }
        for (who, start, end, _) in turns {
            let mut row = json!({"start_time": start, "end_time": end, "primary_speaker": who, "target": ["Bo"],
                "dialogue_cleaned": "So it was then and so it is now."});
            if *who == "Therapist" {
                row["relation_cycle_state"] = json!("pursue_withdraw");
                row["support_strategy"] = json!([{"strategy_type": "join", "target": ["Ann"]}]);
            } else {
                row["internal_emotion"] = json!([{"person": who, "emotion_description": "sad", "intensity": 3}]);
            }
            rows.push(row);
        }
        self.table(id, "turns", table);
        self.write(&format!("ann/{id}.json"), &json!({ "rows": rows }).to_string());
    }

    pub fn turnwise(&self, args: &[&str]) -> (Option<i32>, String, String) {
        let run = Command::new(env!("CARGO_BIN_EXE_turnwise")).current_dir(self.0.path()).args(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (run.status.code(), text(run.stdout), text(run.stderr))
    }

    #[track_caller]
    pub fn run(&self, args: &[&str]) -> (String, String) {
        let (code, out, err) = self.turnwise(args);
        assert_eq!(code, Some(0), "{args:?}: {err}");
        (out, err)
    }

    /// The instances of a task file, by task.
    #[track_caller]
    pub fn prompts(&self, tasks: &str, task: &str) -> Vec<Value> {
        self.write("t.toml", tasks);
        self.run(&["tasks", "out", "--annotations", "ann", "--tasks", "t.toml", "-q"]);
        self.run(&["export", "jsonl", "out", "--to", "lines", "--task", task, "-q"]);
        let text = std::fs::read_to_string(self.at(&format!("lines/{task}.jsonl"))).unwrap();
        text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
    }
}
