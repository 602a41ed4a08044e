//! Baselines on made corpora: what is planted is found and what is not is not, no fold parts a couple, and odd tables
//! are told, not panicked on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::made::{self, Chance, Corpus, TASKS, run, text};
use serde_json::Value;
use turnwise::store::parquet::{self, FileMetadata};
use turnwise::store::read::read;
use turnwise::table::{ColumnSpec, CutOff, Kind, TableBuilder, TableSchema};

/// The line on standard error of a run that must fail.
#[track_caller]
fn refused(args: &[&str]) -> String {
    let told = made::refused(args);
    assert_eq!(told.lines().count(), 1, "{told}");
    told
}

/// Task tables of a made corpus; `planted` of the labels follow the features.
fn task_tables(folder: &Path, planted: f64) -> PathBuf {
    let (out, annotations, tasks) = (folder.join("out"), folder.join("annotations"), folder.join("tasks.toml"));
    Corpus { samples: 60, samples_each: 2, rows: 30, more: 0, planted, wide: false, seed: 5 }.write(&out, &annotations);
    let one = |name: &&str| {
        format!(
            "[[task]]\nname = \"{name}\"\nrule = \"{name}\"\ncontext_size = 6\nlags = 2\nfeatures = [\"turns.*\", \"dyads.overlap_secs\"]\n\
             exclude = [\"turns.end_secs\"]\n"
        )
    };
    std::fs::write(&tasks, TASKS.iter().map(one).collect::<String>()).unwrap();
    run(&["tasks", text(&out), "--annotations", text(&annotations), "--tasks", text(&tasks)]);
    out.join("tasks")
}

fn metrics(folder: &Path, task: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join(task).join("metrics.json")).unwrap()).unwrap()
}

/// How much better than majority a model is in each part, with the interval.
fn better(metrics: &Value, model: &str) -> BTreeMap<String, [f64; 3]> {
    let results = metrics["results"].as_array().unwrap().iter().filter(|r| r["model"] == model);
    let apart = |r: &Value| ["value", "low", "high"].map(|k| r["better_than_majority_by"][k].as_f64().unwrap());
    let parts: BTreeMap<_, _> = results.map(|r| (r["part"].as_str().unwrap().to_owned(), apart(r))).collect();
    assert!(!parts.is_empty(), "no results of {model}");
    parts
}

#[test]
fn a_planted_relation_is_found_and_labels_without_one_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = task_tables(&folder.path().join("planted"), 0.9);
    let told = run(&["baseline", text(&tasks), "--task", "all"]);
    let out = tasks.parent().unwrap().join("baseline");
    for task in TASKS {
        let found = metrics(&out, task);
        for (part, [value, low, _]) in better(&found, "linear_all") {
            assert!(value > 0.05 && low > 0.0, "{task} {part}: better by {value}, from {low}\n{told}");
        }
        assert!(found.to_string().len() > 1000 && !found.to_string().contains("NaN"), "{task}");
    }
    // The planted column of each task decides which ablation finds it.
    assert!(better(&metrics(&out, "rpp"), "linear_voice")["couple"][1] > 0.0);
    assert!(better(&metrics(&out, "rpp"), "linear_face")["couple"][1] <= 0.0);
    assert!(better(&metrics(&out, "ssp"), "linear_timing")["couple"][1] > 0.0);
    assert!(better(&metrics(&out, "stp"), "linear_face")["all"][1] > 0.0);

    let tasks = task_tables(&folder.path().join("shuffled"), 0.0);
    let told = run(&["baseline", text(&tasks), "--task", "all"]);
    let out = tasks.parent().unwrap().join("baseline");
    for task in TASKS {
        for (part, [value, low, _]) in better(&metrics(&out, task), "linear_all") {
            assert!(low <= 0.0, "{task} {part}: better by {value}, from {low}\n{told}");
        }
    }
}

#[test]
fn folds_part_no_couple_and_the_seed_decides_every_byte() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = task_tables(folder.path(), 0.5);
    let outs: Vec<PathBuf> = ["a", "b", "c"].iter().map(|n| folder.path().join(n)).collect();
    for (out, seed) in outs.iter().zip(["3", "3", "4"]) {
        run(&["baseline", text(&tasks), "--task", "all", "--out", text(out), "--seed", seed]);
    }
    let bytes = |out: &Path, file: &str| std::fs::read(out.join("rpp").join(file)).unwrap();
    for file in ["predictions.parquet", "metrics.json", "benchmark/linear_all.jsonl", "benchmark/prior.jsonl"] {
        assert_eq!(bytes(&outs[0], file), bytes(&outs[1], file), "{file}");
        assert_ne!(bytes(&outs[0], file), bytes(&outs[2], file), "{file}");
    }
    for task in TASKS {
        let table = read(&outs[0].join(task).join("predictions.parquet")).unwrap();
        let instances = read(&tasks.join(format!("{task}.parquet"))).unwrap().rows();
        let mut folds: BTreeMap<String, i64> = BTreeMap::new();
        let mut models: BTreeMap<String, usize> = BTreeMap::new();
        for row in 0..table.rows() {
            let [group, part, model] = ["split_group", "part", "model"].map(|n| table.text(n, row).unwrap().to_owned());
            let fold = table.number("fold", row).unwrap() as i64;
            assert_eq!(
                *folds.entry(format!("{part} {group}")).or_insert(fold),
                fold,
                "{task}: {group} is in two folds"
            );
            *models.entry(model).or_default() += 1;
        }
        assert_eq!(folds.values().collect::<std::collections::BTreeSet<_>>().len(), 5, "{task}");
        assert!(
            models.len() >= 6 && models.values().all(|n| *n == instances),
            "{task}: {models:?}, {instances} instances"
        );
    }
}

#[test]
fn predictions_have_the_benchmark_s_shape() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = task_tables(folder.path(), 0.5);
    let out = folder.path().join("b");
    run(&["baseline", text(&tasks), "--task", "all", "--out", text(&out)]);
    for task in TASKS {
        let table = read(&tasks.join(format!("{task}.parquet"))).unwrap();
        for model in ["majority", "prior", "linear_all"] {
            let lines = std::fs::read_to_string(out.join(task).join(format!("benchmark/{model}.jsonl"))).unwrap();
            assert!(table.rows() > 10, "{task}");
            assert_eq!(lines.lines().count(), table.rows());
            for (row, line) in lines.lines().enumerate() {
                let told: Value = serde_json::from_str(line).unwrap();
                assert_eq!(told["instance_id"].as_str(), table.text("instance_id", row));
                let said = &told["prediction"];
                let set = table.texts("candidates", row).unwrap_or_default();
                let known = |name: &Value| set.iter().any(|c| name == c);
                match task {
                    "itp" => assert!(said == "yes" || said == "no"),
                    "er" => assert!((0..=10).contains(&said["intensity"].as_i64().unwrap())),
                    "vp" => {
                        let pairs = said["pairs"].as_array().unwrap();
                        assert!(
                            !pairs.is_empty()
                                && pairs.iter().all(|p| known(&p["target"]) && p["target"] != p["source"]),
                            "{line}"
                        );
                        assert!(pairs.iter().all(|p| p["source"].as_str() == table.text("speaker", row)));
                    }
                    _ => {
                        let top = said["top3"].as_array().unwrap();
                        let named: Vec<&Value> = top.iter().filter(|n| **n != "").collect();
                        assert!(
                            top.len() == 3 && named.len() == set.len().min(3) && named.iter().all(|n| known(n)),
                            "{line}"
                        );
                        assert!((0..named.len()).all(|i| !named[..i].contains(&named[i])), "{line}");
                    }
                }
            }
        }
    }
}

/// A task table of one's own: group, label, value, and features by name.
struct Odd {
    kind: &'static str,
    rows: Vec<(String, &'static str, Option<f64>)>,
    features: Vec<(&'static str, CutOff, Vec<f64>)>,
}

impl Odd {
    fn write(&self, folder: &Path, name: &str) {
        let text = |name: &'static str| ColumnSpec::new(name, Kind::Str, "", "").until(CutOff::None);
        let mut columns: Vec<ColumnSpec> =
            ["interview_id", "instance_id", "split_group", "rule", "kind", "unit", "label"]
                .into_iter()
                .map(text)
                .collect();
        columns.push(ColumnSpec::new("label_value", Kind::F64, "", ""));
        columns.push(ColumnSpec::new("candidates", Kind::StrList, "", ""));
        columns.extend(
            self.features.iter().map(|(name, cut_off, _)| ColumnSpec::new(*name, Kind::F64, "", "").until(*cut_off)),
        );
        let mut table = TableBuilder::new(TableSchema { name: "labels", description: "", columns });
        let mut levels: Vec<String> = self.rows.iter().map(|r| r.1.to_owned()).collect();
        levels.sort();
        levels.dedup();
        for (i, (group, label, value)) in self.rows.iter().enumerate() {
            table
                .row()
                .set("interview_id", format!("{group}/i"))
                .set("instance_id", i.to_string())
                .set("split_group", group.as_str());
            table
                .set("rule", "labels")
                .set("kind", self.kind)
                .set("unit", "turn")
                .set("label", *label)
                .set("label_value", *value);
            table.set("candidates", levels.clone());
            for (name, _, values) in &self.features {
                table.set(name, values[i]);
            }
        }
        parquet::write(&folder.join(format!("{name}.parquet")), &table.finish().unwrap(), &FileMetadata::default())
            .unwrap();
    }
}

fn groups(n: usize) -> impl Iterator<Item = String> {
    (0..n).map(|i| format!("g{}", i / 4))
}

#[test]
fn odd_tables_are_answered_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = folder.path().join("tasks");
    let mut chance = Chance::new(1);
    let mut noise = |n: usize| (0..n).map(|_| chance.noise()).collect::<Vec<f64>>();
    let two = |i: usize| if i.is_multiple_of(2) { "a" } else { "b" };
    let rows = |n: usize, label: &dyn Fn(usize) -> &'static str| {
        groups(n).enumerate().map(|(i, g)| (g, label(i), Some(i as f64))).collect::<Vec<_>>()
    };
    let nan = f64::NAN;
    Odd { kind: "binary", rows: rows(24, &|_| "a"), features: vec![("turns.x@0", CutOff::TurnEnd, noise(24))] }
        .write(&tasks, "one_class");
    Odd { kind: "multiclass", rows: rows(24, &two), features: vec![] }.write(&tasks, "no_features");
    let dull = vec![("turns.x@0", CutOff::TurnEnd, vec![nan; 24]), ("turns.pause@0", CutOff::TurnEnd, vec![3.25; 24])];
    Odd { kind: "ordinal", rows: rows(24, &two), features: dull }.write(&tasks, "dull");
    Odd { kind: "regression", rows: rows(8, &two), features: vec![("dyads.x@0", CutOff::TurnEnd, noise(8))] }
        .write(&tasks, "two_groups");
    let huge = noise(24).iter().map(|x| x * 1e300).collect();
    Odd { kind: "ranking", rows: rows(24, &two), features: vec![("turns.x@0", CutOff::None, huge)] }
        .write(&tasks, "huge");
    Odd { kind: "binary", rows: vec![("g".into(), "a", None); 6], features: vec![] }.write(&tasks, "one_group");
    Odd { kind: "binary", rows: vec![], features: vec![] }.write(&tasks, "nothing");
    Odd { kind: "text", rows: rows(8, &two), features: vec![] }.write(&tasks, "words");
    let told = run(&["baseline", text(&tasks), "--task", "all"]);
    for expected in [
        "all training labels are the same",
        "the table has no features: no linear model",
        "no feature has values that differ, linear_all answers as majority",
        "2 groups make 2 folds, not 5",
        "task one_group: all: all 6 instances are of one group, none can be held out",
        "task nothing: no instances",
        "task words: free text has no baseline",
    ] {
        assert!(told.contains(expected), "{expected}\n{told}");
    }
    assert!(!told.contains("NaN") && !told.contains("could not be fitted"), "{told}");
    let one = |name: &str| refused(&["baseline", text(&tasks), "--task", name]);
    assert!(one("nothing").contains("no instances"));
    assert!(one("one_group").contains("of one group"));
    assert!(one("words").contains("free text"));
    assert!(one("rpp").contains("no task table \"rpp\"") && one("rpp").contains("dull, huge, no_features"));
    assert!(refused(&["baseline", text(&folder.path().join("none")), "--task", "rpp"]).contains("none"));
    std::fs::write(tasks.join("bad.parquet"), "x").unwrap();
    assert!(one("bad").contains("bad.parquet"));
}

#[test]
fn a_leak_planted_in_a_task_table_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let rows = groups(8).map(|g| (g, "a", Some(1.0))).collect();
    let features = vec![
        ("turns.gap_to_next_secs@0", CutOff::NextTurn, vec![0.0; 8]),
        ("turns.x@0", CutOff::TurnEnd, vec![0.0; 8]),
    ];
    Odd { kind: "regression", rows, features }.write(folder.path(), "leaky");
    let told = refused(&["baseline", text(folder.path()), "--task", "leaky"]);
    assert!(told.contains("turns.gap_to_next_secs@0 (cut-off next_turn)") && !told.contains("turns.x"), "{told}");
}

/// A measurement: `cargo test --release --test all baseline:: -- --ignored --nocapture`, best with `taskset -c 0` and the
/// crate at opt-level 3.
#[test]
#[ignore = "a measurement of some minutes"]
fn the_whole_benchmark_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let (out, annotations) = (folder.path().join("out"), folder.path().join("annotations"));
    // As many samples and turns as RESCUE-bench: 191 and 7,079.
    Corpus { samples: 191, samples_each: 4, rows: 37, more: 12, planted: 0.3, wide: true, seed: 1 }
        .write(&out, &annotations);
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("pipelines/tasks/rescue.toml");
    let secs = |args: &[&str]| {
        let start = std::time::Instant::now();
        let told = run(args);
        println!("{told}{args:?}: {:.1} s\n", start.elapsed().as_secs_f64());
        start.elapsed().as_secs_f64()
    };
    let tasks = secs(&["tasks", text(&out), "--annotations", text(&annotations), "--tasks", text(&shipped)]);
    let export = secs(&[
        "export",
        "rescue",
        text(&out),
        "--annotations",
        text(&annotations),
        "--to",
        text(&folder.path().join("fed")),
    ]);
    let jsonl = secs(&["export", "jsonl", text(&out), "--to", text(&folder.path().join("instances"))]);
    let baseline = secs(&["baseline", text(&out.join("tasks")), "--task", "all"]);
    println!("tasks {tasks:.1} s, export rescue {export:.1} s, export jsonl {jsonl:.1} s, baseline {baseline:.1} s");
    assert!(tasks + export < 60.0 && baseline < 300.0);
}

#[test]
fn the_three_examples_go_from_transcripts_to_metrics() {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = folder.path().join("out");
    run(&["extract", text(&root.join("data/sample/relations/corpus.csv")), "--out", text(&out)]);
    for (file, task, unit, instances) in [
        ("relations", "dominance", "dyad", 48),
        ("trust", "trust", "turn", 336),
        ("sessions", "alliance", "interview", 24),
    ] {
        let file = root.join(format!("pipelines/tasks/{file}.toml"));
        let told = run(&["tasks", text(&out), "--tasks", text(&file)]);
        assert!(told.contains(&format!("{instances} instances, 24 of 24 interviews with tables")), "{told}");
        let table = read(&out.join(format!("tasks/{task}.parquet"))).unwrap();
        assert_eq!((table.rows(), table.text("unit", 0)), (instances, Some(unit)));
        let told = run(&["baseline", text(&out.join("tasks")), "--task", task]);
        let found = metrics(&out.join("baseline"), task);
        let metric = if task == "alliance" { "mae" } else { "qwk" };
        assert!(found["results"][0]["metrics"][metric].is_object(), "{told}");
        // The ablations without sound and picture have nothing to go by and say so.
        assert!(told.contains("linear_voice answers as majority"), "{told}");
        if task == "trust" {
            assert!(better(&found, "linear_timing")["all"][1] > 0.0, "{told}");
        }
    }
    // Any evaluator can ask the same: who towards whom, and what was said.
    let to = folder.path().join("instances");
    run(&["export", "jsonl", text(&out), "--to", text(&to)]);
    let first = |task: &str| -> Value {
        serde_json::from_str(std::fs::read_to_string(to.join(format!("{task}.jsonl"))).unwrap().lines().next().unwrap())
            .unwrap()
    };
    let (dominance, alliance, trust) = (first("dominance"), first("alliance"), first("trust"));
    assert_eq!(
        dominance["question"].as_str().unwrap().split(". ").next(),
        Some("People labelled how Ann is towards Bo, for \"dominance\"")
    );
    assert!(alliance["context"].as_array().unwrap().len() > 5 && alliance["label"]["value"].is_number(), "{alliance}");
    assert!(
        trust["context"]
            .as_array()
            .unwrap()
            .iter()
            .all(|r| r["text"].is_string() && r["row"].as_u64() <= trust["turn"].as_u64())
    );
    // What a dyad has is its source's and its target's: the shares of the floor of two people.
    let table = read(&out.join("tasks/dominance.parquet")).unwrap();
    let number = |name: &str, row| table.number(name, row).unwrap();
    assert_eq!((table.text("source", 0), table.text("source", 1)), (Some("Ann"), Some("Bo")));
    for (one, other) in [
        ("turns.words@source", "turns.words@target"),
        ("dyads.floor_offset_secs@source_to_target", "dyads.floor_offset_secs@target_to_source"),
    ] {
        assert!(
            (number(one, 0) - number(other, 1)).abs() < 1e-12 && (number(one, 0) - number(one, 1)).abs() > 1e-6,
            "{one}"
        );
    }
}

#[test]
fn tasks_with_labels_are_checked_for_leaks_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let (out, annotations) = (folder.path().join("out"), folder.path().join("annotations"));
    Corpus { samples: 4, samples_each: 2, rows: 12, more: 0, planted: 0.5, wide: true, seed: 2 }
        .write(&out, &annotations);
    let tasks = folder.path().join("tasks.toml");
    let labels = |rows: &[&str]| std::fs::write(folder.path().join("l.csv"), rows.join("\n")).unwrap();
    let write = |unit: &str, context: i64, feature: &str| {
        let source = "file = \"l.csv\"\nkind = \"regression\"\n";
        let text = format!(
            "[[task]]\nname = \"t\"\ncontext_size = {context}\nfeatures = [\"{feature}\"]\n[task.labels]\nunit = \"{unit}\"\n{source}"
        );
        std::fs::write(&tasks, text).unwrap();
    };
    let args = ["tasks", text(&out), "--tasks", text(&tasks)];
    labels(&["interview_id,turn_index,label", "group_000/000_made,3,1"]);
    write("turn", -1, "dyads.speech_overlap_secs");
    assert!(refused(&args).contains("look past the instance's cut-off: dyads.speech_overlap_secs (cut-off interview)"));
    labels(&["interview_id,label", "group_000/000_made,1"]);
    write("interview", 5, "dyads.speech_overlap_secs");
    assert!(refused(&args).contains("dyads.speech_overlap_secs (cut-off interview)"));
    write("interview", -1, "dyads.speech_overlap_secs");
    run(&args);
    write("interview", 5, "turns.level_mean_db");
    run(&args);
    let table = read(&out.join("tasks/t.parquet")).unwrap();
    assert_eq!((table.number("context_last_row", 0), table.number("context_rows", 0)), (Some(5.0), Some(5.0)));
    // The mean over the first five turns is theirs alone.
    let turns = read(&out.join("turns/group_000/000_made.parquet")).unwrap();
    let known: Vec<f64> = (0..5).filter_map(|r| turns.number("level_mean_db", r)).collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    assert!((table.number("turns.level_mean_db@mean", 0).unwrap() - mean).abs() < 1e-9);
    labels(&["interview_id,turn_index,label", "group_000/000_made,99,1"]);
    write("turn", -1, "turns.level_mean_db");
    assert!(refused(&args).contains("label of group_000/000_made, turn 99: the interview has no such turn"));
    labels(&["interview_id,source,target,label", "group_000/000_made,Ann,Nobody,1"]);
    write("dyad", -1, "turns.level_mean_db");
    assert!(refused(&args).contains("has no speaker \"Nobody\""));
    // A field of the annotations as label; without them it cannot be.
    std::fs::write(
        &tasks,
        "[[task]]\nname = \"t\"\n[task.labels]\nunit = \"turn\"\nkind = \"multiclass\"\nfield = \"primary_speaker\"\n",
    )
    .unwrap();
    assert!(refused(&args).contains("name them with --annotations"));
    let told = run(&[&args[..], &["--annotations", text(&annotations)]].concat());
    assert!(told.contains("48 instances"), "{told}");
    std::fs::write(
        &tasks,
        "[[task]]\nname = \"t\"\n[task.labels]\nunit = \"turn\"\nkind = \"multiclass\"\nfield = \"mood\"\n",
    )
    .unwrap();
    assert!(
        refused(&[&args[..], &["--annotations", text(&annotations)]].concat()).contains("no annotation field \"mood\"")
    );
}
