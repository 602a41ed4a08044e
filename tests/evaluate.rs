//! Predictions scored: the figures are those of an independent copy of the benchmark's metric rules in Python, those of
//! the baselines for the baselines' own answers, and what is missing, doubled or unknown is told.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::made::{Chance, Corpus, TASKS, run, text, turnwise};
use serde_json::{Value, json};
use turnwise::baseline::{EvaluateRequest, Resampling, Unanswered, evaluation_outcomes};
use turnwise::store::parquet::{self, FileMetadata};
use turnwise::table::{ColumnSpec, CutOff, Kind, TableBuilder, TableSchema};

/// Random cases of each task.
const CASES: usize = 500;

fn pick<'a>(chance: &mut Chance, list: &[&'a str]) -> &'a str {
    list[chance.below(list.len())]
}

fn words(chance: &mut Chance) -> String {
    const WORDS: [&str; 9] = ["hurt", "Hurt", "quiet", "don't", "a", "hope", "我难", "过", "…"];
    (0..chance.below(5)).map(|_| pick(chance, &WORDS)).collect::<Vec<_>>().join(" ")
}

/// Instances of a task with what is right.
fn rows(task: &str, chance: &mut Chance) -> Vec<Value> {
    let people = ["Ann", "Bo", "Cleo", "Therapist", "Couple"];
    let states = [["attack", "pursue", "soften", "withdraw"], ["escalate", "pursue", "soften", "ally"]];
    let both = chance.unit() < 0.6;
    let sizes = [2 + chance.below(3), 2 + chance.below(3)];
    let one = |i: usize, chance: &mut Chance| {
        let family = both && chance.unit() < 0.4;
        let mode = usize::from(family);
        let sample = format!("g{}/s{}", chance.below(3), chance.below(2));
        let candidates: Vec<&str> = match task {
            "itp" => vec!["yes", "no"],
            "rpp" | "ssp" => states[mode][..sizes[mode]].to_vec(),
            "vp" => people[..4].to_vec(),
            "stp" => people[..1 + chance.below(5)].to_vec(),
            _ => Vec::new(),
        };
        let label = match task {
            "er" => words(chance) + "x",
            "vp" => String::new(),
            // Now and then a label outside of the closed set.
            "rpp" if chance.unit() < 0.05 => "elsewhere".into(),
            _ => pick(chance, &candidates).to_owned(),
        };
        let view = |chance: &mut Chance| json!({"source": "Ann", "target": pick(chance, &people), "viewpoint": words(chance) + "v", "attitude": words(chance)});
        let views: Vec<Value> =
            if task == "vp" { (0..1 + chance.below(3)).map(|_| view(chance)).collect() } else { Vec::new() };
        json!({"id": format!("{task}__row{i}"), "sample": sample, "split": sample[..2], "group": if family { "family" } else { "couple" },
            "label": label, "candidates": candidates, "value": if task == "er" { json!(chance.below(11)) } else { Value::Null },
            "speaker": "Ann", "views": views})
    };
    (0..1 + chance.below(24)).map(|i| one(i, chance)).collect()
}

/// What a model would write of an instance, right or wrong, or broken.
fn reply(task: &str, row: &Value, chance: &mut Chance) -> Value {
    let names: Vec<&str> = row["candidates"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
    let names = [&names[..], &["", "nobody", " Ann ", "SOFTEN"]].concat();
    let label = row["label"].as_str().unwrap();
    let mut list: Vec<String> = (0..chance.below(6)).map(|_| pick(chance, &names).to_owned()).collect();
    if chance.unit() < 0.4 {
        list.insert(0, label.to_owned());
    }
    let id = &row["id"];
    match task {
        "itp" => {
            json!({"candidate_id": id, "should_speak": pick(chance, &["yes", "no", "Yes", " no ", "maybe", ""]), "confidence": 0.5, "reason": "x"})
        }
        "rpp" => json!({"turn_id": id, "relation_top3": if chance.unit() < 0.05 { Value::Null } else { json!(list) }}),
        "stp" => json!({"turn_id": id, "target_top3": list}),
        "ssp" => json!({"turn_id": id, "strategy_top3": list}),
        "er" => {
            let said = match chance.below(5) {
                0 => json!(format!(" {} ", chance.below(11))),
                1 => json!(chance.unit() * 14.0 - 2.0),
                2 => Value::Null,
                _ => json!(chance.below(11)),
            };
            let felt = if chance.unit() < 0.5 { words(chance) } else { label.to_owned() };
            json!({"checkpoint_id": id, "predicted_internal_emotion": felt, "predicted_intensity_score": said})
        }
        _ => {
            let mut views: Vec<Value> =
                row["views"].as_array().unwrap().iter().filter(|_| chance.unit() < 0.7).cloned().collect();
            for _ in 0..chance.below(3) {
                views.push(json!({"source": pick(chance, &["Ann", "Bo", ""]), "target": pick(chance, &["Ann", "Bo", "Couple", ""]), "viewpoint": words(chance)}));
            }
            json!({"checkpoint_id": id, "predicted_viewpoints": views})
        }
    }
}

/// Replies by sample; some instances have none, some two, some ids are nobody's.
fn replies(task: &str, rows: &[Value], chance: &mut Chance) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        // At least one is answered.
        let times = if i == 0 { 1 } else { [0, 1, 1, 1, 1, 1, 1, 2][chance.below(8)] };
        let items: Vec<Value> = (0..times).map(|_| reply(task, row, chance)).collect();
        all.push(json!({"sample_id": row["sample"], "predictions": items}));
    }
    if chance.unit() < 0.2 {
        let other = json!({"id": "nobody", "label": "x", "candidates": ["x"], "views": []});
        all.push(json!({"sample_id": "elsewhere", "predictions": [reply(task, &other, chance)]}));
    }
    all
}

fn write_table(path: &Path, task: &str, kind: &str, rows: &[Value]) {
    let key = |name: &'static str, kind| ColumnSpec::new(name, kind, "", "").until(CutOff::None);
    let texts = ["interview_id", "instance_id", "group", "split_group", "rule", "kind", "speaker", "label"];
    let mut columns: Vec<ColumnSpec> = texts.into_iter().map(|name| key(name, Kind::Str)).collect();
    columns.extend([
        key("label_intensity", Kind::I64),
        key("label_viewpoints", Kind::StrList),
        key("candidates", Kind::StrList),
    ]);
    let mut table = TableBuilder::new(TableSchema { name: "t", description: "", columns });
    for row in rows {
        let told = |key: &str| row[key].as_str().unwrap().to_owned();
        let list: Vec<String> =
            row["candidates"].as_array().unwrap().iter().map(|c| c.as_str().unwrap().to_owned()).collect();
        let views: Vec<String> = row["views"].as_array().unwrap().iter().map(Value::to_string).collect();
        table
            .row()
            .set("interview_id", told("sample"))
            .set("instance_id", told("id"))
            .set("group", told("group"))
            .set("split_group", told("split"))
            .set("rule", task)
            .set("kind", kind)
            .set("speaker", told("speaker"))
            .set("label", told("label"))
            .set("label_intensity", row["value"].as_i64())
            .set("label_viewpoints", Some(views).filter(|v| !v.is_empty()))
            .set("candidates", list);
    }
    parquet::write(path, &table.finish().unwrap(), &FileMetadata::default()).unwrap();
}

#[test]
fn the_figures_are_those_of_a_second_implementation_in_every_metric_of_every_task() {
    // Thousands of small tables, each synced to the disk: in memory where that can be.
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    let kinds = ["binary", "ranking", "ranking", "ranking", "ordinal", "text"];
    for (place, (task, kind)) in TASKS.into_iter().zip(kinds).enumerate() {
        let mut cases = Vec::new();
        for at in 0..CASES {
            let mut chance = Chance::new((1000 * place + at) as u64);
            let rows = rows(task, &mut chance);
            let replies = replies(task, &rows, &mut chance);
            cases.push(json!({"task": task, "rows": rows, "replies": replies}));
        }
        let path = folder.path().join("cases.json");
        std::fs::write(&path, json!(cases).to_string()).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rescue_metrics.py");
        let done = Command::new("python3").arg(script).arg(&path).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let expected: Vec<Value> = serde_json::from_slice(&done.stdout).unwrap();
        let (mut compared, mut largest) = (0, 0.0_f64);
        for (case, expected) in cases.iter().zip(&expected) {
            let (table, predictions) = (folder.path().join(format!("{task}.parquet")), folder.path().join("p.json"));
            write_table(&table, task, kind, case["rows"].as_array().unwrap());
            std::fs::write(&predictions, case["replies"].to_string()).unwrap();
            let request = EvaluateRequest {
                labels: &table,
                task,
                predictions: &predictions,
                against: None,
                unanswered: Unanswered::Wrong,
                resampling: Resampling { seed: 0, resamples: 2 },
                to: None,
            };
            let outcomes = evaluation_outcomes(&request).unwrap();
            assert_eq!(outcomes.len(), expected.as_object().unwrap().len(), "{case}");
            for outcome in &outcomes {
                let theirs = expected[&outcome.part].as_object().unwrap();
                let names: Vec<&str> = outcome.metrics.iter().map(|m| m.name.as_str()).collect();
                assert_eq!(names.len(), theirs.len(), "{names:?} {theirs:?}");
                for metric in &outcome.metrics {
                    let (ours, theirs) = (metric.value, theirs[&metric.name].as_f64());
                    let apart = match (ours, theirs) {
                        (Some(a), Some(b)) => (a - b).abs(),
                        (None, None) => 0.0,
                        _ => f64::INFINITY,
                    };
                    assert!(
                        apart <= 1e-8,
                        "{task} {} {}: {ours:?}, theirs {theirs:?}\n{case}",
                        outcome.part,
                        metric.name
                    );
                    (compared, largest) = (compared + 1, largest.max(apart));
                }
            }
        }
        println!("{task}: {CASES} cases, {compared} figures compared, largest difference {largest:.1e}");
        assert!(compared > 3 * CASES, "{task}: {compared}");
    }
}

/// Task tables of a made corpus.
fn task_tables(folder: &Path, samples: usize) -> (PathBuf, PathBuf) {
    let (out, annotations) = (folder.join("out"), folder.join("annotations"));
    Corpus { samples, samples_each: 2, rows: 30, more: 0, planted: 0.6, wide: false, seed: 5 }
        .write(&out, &annotations);
    let one = |name: &&str| {
        let lags = if *name == "vp" { 1 } else { 2 };
        format!(
            "[[task]]\nname = \"{name}\"\nrule = \"{name}\"\nlags = {lags}\nfeatures = [\"turns.*\"]\nexclude = [\"turns.end_secs\"]\n"
        )
    };
    let tasks = folder.join("tasks.toml");
    std::fs::write(&tasks, TASKS.iter().map(one).collect::<String>()).unwrap();
    run(&["tasks", text(&out), "--annotations", text(&annotations), "--tasks", text(&tasks)]);
    (out.join("tasks"), annotations)
}

#[test]
fn baseline_s_own_predictions_have_baseline_s_own_figures() {
    let folder = tempfile::tempdir().unwrap();
    let (tasks, _) = task_tables(folder.path(), 40);
    let out = folder.path().join("b");
    run(&["baseline", text(&tasks), "--task", "all", "--out", text(&out), "--resamples", "200", "--seed", "3"]);
    let mut compared = 0;
    for task in TASKS {
        let told: Value =
            serde_json::from_str(&std::fs::read_to_string(out.join(task).join("metrics.json")).unwrap()).unwrap();
        for model in ["majority", "prior", "linear_all"] {
            let predictions = out.join(task).join(format!("benchmark/{model}.jsonl"));
            let to = folder.path().join("e").join(task).join(model);
            let said = run(&[
                "evaluate",
                text(&tasks),
                "--task",
                task,
                "--predictions",
                text(&predictions),
                "--to",
                text(&to),
                "--resamples",
                "200",
                "--seed",
                "3",
            ]);
            assert!(!said.contains("no instance") && !said.contains("count as wrong"), "{said}");
            let path = to.join("evaluation.json");
            let found: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            for result in told["results"].as_array().unwrap().iter().filter(|r| r["model"] == model) {
                let own = &found["overall"][result["part"].as_str().unwrap()];
                assert_eq!(own["metrics"], result["metrics"], "{task} {model}");
                assert_eq!((&own["instances"], &own["groups"]), (&result["instances"], &result["groups"]));
                compared += own["metrics"].as_object().unwrap().len();
            }
            // What it wrote can be read again, and is the same.
            let again = run(&[
                "evaluate",
                text(&tasks),
                "--task",
                task,
                "--predictions",
                text(&path),
                "--against",
                text(&predictions),
                "--resamples",
                "200",
                "--seed",
                "3",
            ]);
            assert!(again.contains("better by") && again.contains("0.000 [0.000, 0.000]"), "{again}");
        }
        let breakdown: Value =
            serde_json::from_str(&std::fs::read_to_string(out.join(task).join("breakdown.json")).unwrap()).unwrap();
        let first = &breakdown["results"][0];
        assert!(first["samples"].as_object().unwrap().len() > 5 && first["couples"].as_object().unwrap().len() > 3);
        assert_eq!(first["confusion"].is_null(), task == "vp", "{task}");
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn missing_doubled_and_unknown_ids_are_told_and_the_difference_is_paired() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("tasks")).unwrap();
    let rows: Vec<Value> = (0..40)
        .map(|i| {
            json!({"id": format!("i{i}"), "sample": format!("g{}/s", i / 2), "split": format!("g{}", i / 2), "group": "couple", "speaker": "Ann",
                "label": if i % 2 == 0 { "yes" } else { "no" }, "candidates": ["yes", "no"], "value": null, "views": []})
        })
        .collect();
    write_table(&at("tasks/itp.parquet"), "itp", "binary", &rows);
    let lines = |right: usize, count: usize| {
        let label = |i: usize| if i.is_multiple_of(2) == (i < right) { "yes" } else { "no" };
        "id,label\n".to_owned() + &(0..count).map(|i| format!("i{i},{}\n", label(i))).collect::<String>()
    };
    std::fs::write(at("good.csv"), lines(30, 40)).unwrap();
    std::fs::write(at("bad.csv"), lines(20, 38) + "i3,yes\nx9,no\ni5,maybe\n").unwrap();
    let args = ["evaluate", text(&at("tasks")).to_owned().leak(), "--task", "itp", "--predictions"];
    let (good, bad) = (at("good.csv"), at("bad.csv"));
    let told = run(&[&args[..], &[text(&bad)]].concat());
    for expected in [
        "38 with a prediction",
        "2 have no prediction and count as wrong: i38, i39",
        "2 are predicted more than once, and the first counts: i3, i5",
        "1 are predicted and no instance of the task: x9",
        "accuracy               0.500",
        "f1_yes*",
        "labels by answers: yes, no, none",
    ] {
        assert!(told.contains(expected), "{expected}\n{told}");
    }
    let told = run(&[&args[..], &[text(&bad), "--unanswered", "left-out"]].concat());
    assert!(told.contains("all: 38 instances of 19 groups") && told.contains("accuracy               0.526"), "{told}");
    let told = run(&[&args[..], &[text(&good), "--against", text(&bad)]].concat());
    assert!(told.contains("accuracy               0.750") && told.contains("0.250 ["), "{told}");
    std::fs::write(at("none.csv"), "id,label\nz,yes\n").unwrap();
    let done = turnwise(&[&args[..], &[text(&at("none.csv"))]].concat());
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.code() == Some(2) && said.contains("none of its 1 ids is an instance's, such as z"), "{said}");
}
