//! What a table declares of a column reaches task tables and baselines as it was declared, and what is not declared is
//! refused.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use turnwise::store::parquet::{self, FileMetadata};
use turnwise::store::paths::table_path;
use turnwise::store::read::{read, read_metadata};
use turnwise::table::{ColumnSpec, CutOff, Kind, Modality, TableBuilder, TableSchema};
use turnwise::tasks::{LabelUnit, RULES};

const INTERVIEWS: [&str; 8] = ["a/1", "a/2", "b/1", "b/2", "c/1", "c/2", "d/1", "d/2"];
const ROWS: i64 = 9;

/// One column of each sense, one of none, and one in standard deviations.
fn columns() -> Vec<ColumnSpec> {
    let number = |name: &'static str, unit: &'static str| {
        ColumnSpec::new(name, Kind::F64, unit, "A made column.").until(CutOff::TurnEnd)
    };
    vec![
        number("duration_secs", "s").of(Modality::Timing),
        // By its name it could be anything.
        number("level_speaker_z", "sd").of(Modality::Voice),
        number("sway", "furlong").of(Modality::Face),
        number("weather", "").of(Modality::None),
    ]
}

struct Folder {
    root: tempfile::TempDir,
}

impl Folder {
    /// `turns` tables with these columns beside their keys, a task file, and samples of which each third row is the
    /// therapist's.
    fn new(columns: &[ColumnSpec]) -> Self {
        let folder = Folder { root: tempfile::tempdir().unwrap() };
        for (place, id) in INTERVIEWS.into_iter().enumerate() {
            folder.turns(id, columns, place as f64, "1.0");
            folder.sample(id, &json!({}));
        }
        let task = "[[task]]\nname = \"when\"\nrule = \"itp\"\ncontext_size = 2\nfeatures = [\"turns.*\"]\nexclude = [\"turns.end_secs\"]\n";
        std::fs::write(folder.at("tasks.toml"), task).unwrap();
        folder
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn turns(&self, id: &str, columns: &[ColumnSpec], seed: f64, version: &str) {
        let key = |name: &'static str, kind| ColumnSpec::new(name, kind, "", "").until(CutOff::None);
        let mut all = vec![key("interview_id", Kind::Str), key("turn_index", Kind::I64), key("speaker", Kind::Str)];
        all.extend(
            ["start_secs", "end_secs"].map(|name| ColumnSpec::new(name, Kind::F64, "s", "").until(CutOff::TurnEnd)),
        );
        all[3] = key("start_secs", Kind::F64);
        all.extend(columns.iter().cloned());
        let mut table = TableBuilder::new(TableSchema { name: "turns", description: "", columns: all });
        for row in 1..=ROWS {
            let (end, speaker) = (row as f64, if row % 3 == 0 { "Therapist" } else { "Ann" });
            table.row().set("interview_id", id).set("turn_index", row).set("speaker", speaker);
            table.set("start_secs", end - 1.0).set("end_secs", end);
            for (place, column) in columns.iter().enumerate() {
                table.set(&column.name, (seed + end * (place + 2) as f64).sin());
            }
        }
        let metadata =
            FileMetadata { tool_version: version.into(), recipe_hash: "r".into(), ..FileMetadata::default() };
        parquet::write(&table_path(&self.at("out"), "turns", id).unwrap(), &table.finish().unwrap(), &metadata)
            .unwrap();
    }

    fn sample(&self, id: &str, more: &Value) {
        let row = |i: i64| {
            let mut row = json!({"start_time": i - 1, "end_time": i, "primary_speaker": if i % 3 == 0 { "Therapist" } else { "Ann" },
                "target": ["Bo"], "dialogue_cleaned": "well"});
            row.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            row
        };
        let path = self.at("annotations").join(format!("{id}.json"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, json!({"rows": (1..=ROWS).map(row).collect::<Vec<_>>()}).to_string()).unwrap();
    }

    /// Exit code and both streams.
    fn run(&self, args: &[&str]) -> (bool, String) {
        let run =
            Command::new(env!("CARGO_BIN_EXE_turnwise")).current_dir(self.root.path()).args(args).output().unwrap();
        (
            run.status.success(),
            String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr),
        )
    }

    fn tasks(&self, more: &[&str]) -> (bool, String) {
        self.run(&[&["tasks", "out", "--annotations", "annotations", "--tasks", "tasks.toml"], more].concat())
    }
}

#[test]
fn unit_cut_off_and_sense_of_a_column_reach_task_tables_and_ablations() {
    let folder = Folder::new(&columns());
    let (done, told) = folder.tasks(&[]);
    assert!(done, "{told}");
    let table = read(&folder.at("out/tasks/when.parquet")).unwrap();
    for column in columns() {
        for which in ["0", "mean"] {
            let name = format!("turns.{}@{which}", column.name);
            let spec = table.schema().columns.iter().find(|c| c.name == name).unwrap();
            assert_eq!(
                (&spec.unit, spec.cut_off, spec.modality),
                (&column.unit, column.cut_off, column.modality),
                "{name}"
            );
        }
    }
    let (done, told) = folder.run(&["baseline", "out/tasks", "--task", "when", "--folds", "2", "--resamples", "100"]);
    assert!(done && told.contains("features: timing 2, voice 2, face 2, dyad 0, words 0, all 10\n"), "{told}");
    assert!(["linear_timing", "linear_voice", "linear_face", "linear_all"].iter().all(|m| told.contains(m)), "{told}");
    assert!(!told.contains("linear_dyad") && !told.contains("linear_words") && !told.contains("linear_none"), "{told}");
}

#[test]
fn a_column_that_does_not_say_how_far_it_looked_is_refused_everywhere() {
    let mut columns = columns();
    columns[1].cut_off = CutOff::Untold;
    let folder = Folder::new(&columns);
    let (done, told) = folder.tasks(&[]);
    assert!(
        !done && told.contains("turns.level_speaker_z (cut-off not told)") && !told.contains("turns.sway"),
        "{told}"
    );
    // A whole interview may look at everything, but must say so too.
    let labels = "[[task]]\nname = \"end\"\nfeatures = [\"turns.level_*\"]\n[task.labels]\nunit = \"interview\"\nkind = \"regression\"\n";
    std::fs::write(folder.at("tasks.toml"), format!("{labels}file = \"l.csv\"\n")).unwrap();
    std::fs::write(folder.at("l.csv"), "interview_id,label\na/1,1\nb/1,2\n").unwrap();
    let (done, told) = folder.run(&["tasks", "out", "--tasks", "tasks.toml"]);
    assert!(!done && told.contains("turns.level_speaker_z (cut-off not told)"), "{told}");
    for unit in ["turn", "dyad", "interview", ""] {
        let (done, told) = baseline_of(&folder, unit, columns[1].clone());
        assert!(!done && told.contains("turns.x@0 (cut-off not told)"), "{unit}: {told}");
    }
}

#[test]
fn tables_that_do_not_tell_senses_are_told_to_be_made_again() {
    let mut columns = columns();
    columns[2].modality = Modality::Untold;
    let folder = Folder::new(&columns);
    let (done, told) = folder.tasks(&[]);
    assert!(
        !done && told.contains("an older version: turns.sway") && told.contains("extract the interviews again"),
        "{told}"
    );
    // Where it is no feature, nobody asks for its sense.
    let task = std::fs::read_to_string(folder.at("tasks.toml")).unwrap();
    std::fs::write(
        folder.at("tasks.toml"),
        task.replace("[\"turns.end_secs\"]", "[\"turns.end_secs\", \"turns.sway\"]"),
    )
    .unwrap();
    assert!(folder.tasks(&[]).0);
    let (done, told) = baseline_of(&folder, "turn", columns[2].clone());
    assert!(!done && told.contains("written by an older version") && told.contains("turns.x@0"), "{told}");
}

/// A baseline of a made task table with one feature that is declared like `like`.
fn baseline_of(folder: &Folder, unit: &str, like: ColumnSpec) -> (bool, String) {
    let text = |name: &'static str| ColumnSpec::new(name, Kind::Str, "", "").until(CutOff::None);
    let keys = ["interview_id", "instance_id", "split_group", "rule", "kind", "unit", "label"];
    let mut columns: Vec<ColumnSpec> = keys.map(text).into();
    columns.push(ColumnSpec::new("label_value", Kind::F64, "", ""));
    columns.push(ColumnSpec { name: "turns.x@0".into(), ..like });
    let mut table = TableBuilder::new(TableSchema { name: "labels", description: "", columns });
    for (i, id) in INTERVIEWS.into_iter().enumerate() {
        table.row().set("interview_id", id).set("instance_id", id).set("split_group", &id[..1]).set("rule", "labels");
        table.set("kind", "regression").set("label", "1").set("label_value", i as f64).set("turns.x@0", i as f64);
        if !unit.is_empty() {
            table.set("unit", unit);
        }
    }
    let path = folder.at("made/one.parquet");
    parquet::write(&path, &table.finish().unwrap(), &FileMetadata::default()).unwrap();
    folder.run(&["baseline", "made", "--task", "one"])
}

#[test]
fn a_task_of_interviews_made_in_several_ways_says_mixed() {
    let folder = Folder::new(&columns());
    // Not the first one: it is not the first one's making that counts.
    folder.turns("d/2", &columns(), 1.0, "2.0");
    let (done, told) = folder.tasks(&[]);
    assert!(!done && told.contains("version of turnwise: 1.0 | 2.0"), "{told}");
    assert!(folder.tasks(&["--mixed"]).0);
    let made = read_metadata(&folder.at("out/tasks/when.parquet")).unwrap().metadata;
    assert_eq!((made.tool_version.as_str(), made.recipe_hash.as_str()), ("mixed", "r"));
}

#[test]
fn tasks_shows_what_the_reader_of_samples_has_to_say() {
    let folder = Folder::new(&columns());
    folder.sample("b/1", &json!({"mood_of_the_dog": "fair"}));
    let (done, told) = folder.tasks(&[]);
    assert!(
        done && told.contains("b/1.json: ")
            && told.contains("keys of rows that are not read: mood_of_the_dog (9, first: row 1)"),
        "{told}"
    );
}

/// A name that is compared where it is not declared would have to be changed there too.
#[test]
fn no_rule_unit_or_sense_is_compared_by_name_outside_its_home() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let quoted = |name: &str| format!("\"{name}\"");
    let rules: Vec<String> = RULES.iter().map(|r| quoted(r.name)).collect();
    // Units and senses are also words of other languages, as keys of JSON: of them no comparison is allowed.
    let compared = |name: &str| {
        ["== NAME", "!= NAME", "NAME =>", "NAME |", "| NAME"].map(|form| form.replace("NAME", &quoted(name)))
    };
    let units: Vec<String> = LabelUnit::ALL.iter().flat_map(|u| compared(u.name())).collect();
    let senses: Vec<String> = Modality::ALL.iter().flat_map(|m| compared(m.name())).collect();
    let mut looked_at = 0;
    for room in ["tasks", "baseline", "export", "commands"] {
        let mut files = Vec::new();
        rust_files(&root.join(room), &mut files);
        for path in files {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            let place = path.strip_prefix(&root).unwrap().display().to_string();
            let strangers = |names: &[String], home: &str| {
                let there = names.iter().filter(|n| !place.starts_with(home) && code.contains(n.as_str()));
                assert_eq!(there.collect::<Vec<_>>(), Vec::<&String>::new(), "{place}");
            };
            strangers(&rules, "tasks/rule");
            strangers(&units, "tasks/settings.rs");
            strangers(&senses, "table/schema.rs");
            looked_at += 1;
        }
    }
    assert!(looked_at > 40, "{looked_at}");
    // Each rule is declared in its own file, once.
    let declared = |name: &String| {
        let mut files = Vec::new();
        rust_files(&root.join("tasks/rule"), &mut files);
        let texts = files.iter().map(|f| std::fs::read_to_string(f).unwrap());
        texts.map(|t| t.matches(&format!("name: {name},")).count()).sum::<usize>()
    };
    assert!(rules.iter().all(|name| declared(name) == 1));
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}
