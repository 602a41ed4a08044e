//! The models that learn, on made tables in which it is known what there is to learn: trees find what lines cannot and
//! tie where lines are right, nobody finds anything in labels that were dealt out, and each sense counts once.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::made::{Chance, Corpus, TASKS, run, text};
use serde_json::{Value, json};
use turnwise::baseline::{Estimate, Settings, Trial, trial};
use turnwise::store::parquet::{self, FileMetadata};
use turnwise::store::read::read;
use turnwise::table::{ColumnSpec, CutOff, Kind, Modality, TableBuilder, TableSchema};

const SETTINGS: Settings = Settings { folds: 5, seed: 0, resamples: 500, lags: None, jobs: 1 };

/// A table of a task with labels: groups of equal size, features by name and sense.
struct Made {
    kind: &'static str,
    groups: usize,
    labels: Vec<String>,
    levels: Vec<&'static str>,
    features: Vec<(&'static str, Modality, Vec<f64>)>,
}

impl Made {
    fn write(&self, path: &Path) {
        let text = |name: &'static str| ColumnSpec::new(name, Kind::Str, "", "").until(CutOff::None);
        let mut columns: Vec<ColumnSpec> =
            ["interview_id", "instance_id", "split_group", "rule", "kind", "unit", "label"].map(text).into();
        columns.push(ColumnSpec::new("label_value", Kind::F64, "", ""));
        columns.push(ColumnSpec::new("candidates", Kind::StrList, "", ""));
        for (name, modality, _) in &self.features {
            let spec = ColumnSpec::new(*name, Kind::F64, "dB", format!("What {name} is.")).of(*modality);
            columns.push(spec.until(CutOff::TurnEnd));
        }
        let mut table = TableBuilder::new(TableSchema { name: "labels", description: "", columns });
        for (i, label) in self.labels.iter().enumerate() {
            let group = format!("g{}", i % self.groups);
            table.row().set("interview_id", format!("{group}/i")).set("instance_id", i.to_string());
            table.set("split_group", group).set("rule", "labels").set("kind", self.kind).set("unit", "turn");
            let place = self.levels.iter().position(|l| l == label);
            let value = if self.kind == "regression" { label.parse().ok() } else { place.map(|p| p as f64) };
            table.set("label", label.as_str()).set("label_value", value);
            table.set("candidates", self.levels.iter().map(|l| (*l).to_owned()).collect::<Vec<_>>());
            self.features.iter().for_each(|(name, _, values)| {
                table.set(name, values[i]);
            });
        }
        parquet::write(path, &table.finish().unwrap(), &FileMetadata::default()).unwrap();
    }

    fn tried(&self, settings: Settings) -> Trial {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made.parquet");
        self.write(&path);
        trial(&path, settings).unwrap()
    }
}

fn noise(n: usize, seed: u64) -> Vec<f64> {
    let mut chance = Chance::new(seed);
    (0..n).map(|_| chance.noise()).collect()
}

fn named(yes: bool) -> String {
    if yes { "yes" } else { "no" }.to_owned()
}

/// Features of noise, two of each sense.
fn features(n: usize, seed: u64) -> Vec<(&'static str, Modality, Vec<f64>)> {
    let names = [
        ("turns.a@0", Modality::Voice),
        ("turns.b@0", Modality::Face),
        ("turns.c@0", Modality::Voice),
        ("turns.d@0", Modality::Face),
        ("turns.e@0", Modality::Timing),
        ("turns.f@0", Modality::Timing),
    ];
    names.into_iter().zip(1..).map(|((name, of), k)| (name, of, noise(n, 100 * seed + k))).collect()
}

fn metric<'a>(tried: &'a Trial, model: &str, name: &str) -> &'a Estimate {
    let own = tried.results.iter().find(|r| r.part == "all" && r.model == model);
    let own = own.unwrap_or_else(|| panic!("no {model}: {:?}", tried.notes));
    own.metrics.iter().find(|m| m.name == name).unwrap()
}

/// How much better than majority a model is, from and to.
fn better(tried: &Trial, model: &str) -> (f64, f64, f64) {
    let own = tried.results.iter().find(|r| r.part == "all" && r.model == model).unwrap();
    let apart = own.difference.as_ref().unwrap();
    (apart.better_by, apart.interval.0, apart.interval.1)
}

/// Yes where `score` is above 0, a tenth of them turned round.
fn labels(features: &[(&'static str, Modality, Vec<f64>)], seed: u64, score: impl Fn(&[f64]) -> f64) -> Vec<String> {
    let mut chance = Chance::new(seed);
    let n = features[0].2.len();
    let row = |i: usize| features.iter().map(|f| f.2[i]).collect::<Vec<f64>>();
    (0..n).map(|i| named((score(&row(i)) > 0.0) != (chance.unit() < 0.1))).collect()
}

fn binary(features: Vec<(&'static str, Modality, Vec<f64>)>, labels: Vec<String>) -> Made {
    Made { kind: "binary", groups: 24, labels, levels: vec!["no", "yes"], features }
}

#[test]
fn trees_find_an_interaction_that_no_line_can_and_name_its_columns() {
    let features = features(720, 1);
    let labels = labels(&features, 2, |x| x[0] * x[1]);
    let tried = binary(features, labels).tried(SETTINGS);
    let accuracy = |model| metric(&tried, model, "balanced_accuracy");
    let (trees, line) = (accuracy("boosted_all"), accuracy("linear_all"));
    assert!(trees.value.unwrap() > 0.75, "{}", tried.text());
    assert!(trees.interval.unwrap().0 > line.interval.unwrap().1, "{}", tried.text());
    // And the two columns are what they go by, told with what they are.
    let [first, second, third] = &tried.importances[..3] else { panic!("{:?}", tried.importances) };
    let mut two = [first.column.as_str(), second.column.as_str()];
    two.sort_unstable();
    assert_eq!(two, ["turns.a@0", "turns.b@0"]);
    assert!(second.worse_by > 0.2 && second.worse_by > 5.0 * third.worse_by.abs(), "{:?}", tried.importances);
    assert_eq!((first.unit.as_str(), first.metric), ("dB", "balanced_accuracy"));
    assert_eq!(first.description, format!("What {} is.", first.column));
    let text = tried.text();
    assert!(text.contains(&format!("{}: What {} is.", first.column, first.column)), "{text}");
}

#[test]
fn trees_tie_with_lines_where_lines_are_right() {
    let mut apart = Vec::new();
    for seed in 1..4 {
        let features = features(720, seed);
        let labels = labels(&features, seed + 50, |x| x[0] - x[1] + 0.5 * x[2]);
        let tried = binary(features, labels).tried(SETTINGS);
        let value = |model| metric(&tried, model, "balanced_accuracy").value.unwrap();
        assert!(better(&tried, "boosted_all").1 > 0.2 && better(&tried, "linear_all").1 > 0.2, "{}", tried.text());
        apart.push(value("boosted_all") - value("linear_all"));
    }
    assert!(apart.iter().sum::<f64>().abs() / 3.0 < 0.05 && apart.iter().all(|d| d.abs() < 0.08), "{apart:?}");
}

#[test]
fn trees_never_beat_majority_on_labels_that_were_dealt_out() {
    let mut grown = 0;
    for seed in 0..20 {
        let features = features(360, 200 + seed);
        let mut chance = Chance::new(900 + seed);
        let labels = (0..360).map(|_| named(chance.unit() < 0.4)).collect();
        let tried = binary(features, labels).tried(Settings { seed, ..SETTINGS });
        let (by, from, _) = better(&tried, "boosted_all");
        assert!(from <= 0.0, "seed {seed}: better by {by}, from {from}\n{}", tried.text());
        grown += usize::from(by.abs() > 0.0);
    }
    println!("trees were grown in some fold of {grown} of 20");
}

#[test]
fn levels_and_numbers_and_gaps_are_learnt() {
    let n = 720;
    let mut features = features(n, 7);
    let score: Vec<f64> = (0..n).map(|i| 1.5 * features[0].2[i] - features[1].2[i]).collect();
    let draw = noise(n, 8);
    let cuts = [-2.0, 0.0, 0.7];
    let levels = vec!["never", "seldom", "often", "always"];
    let level = |i: usize| cuts.iter().filter(|c| score[i] + draw[i] > **c).count();
    let labels: Vec<String> = (0..n).map(|i| levels[level(i)].to_owned()).collect();
    // A third of a column is missing.
    (0..n).step_by(3).for_each(|i| features[0].2[i] = f64::NAN);
    let tried = Made { kind: "ordinal", groups: 24, labels, levels: levels.clone(), features: features.clone() }
        .tried(SETTINGS);
    for model in ["ordinal_all", "boosted_all", "linear_all"] {
        assert!(better(&tried, model).1 > 0.2, "{model}\n{}", tried.text());
    }
    let qwk = |model| metric(&tried, model, "qwk").value.unwrap();
    assert!((qwk("ordinal_all") - qwk("linear_all")).abs() < 0.06, "{}", tried.text());
    // It alone tells probabilities of levels, and they hold.
    let own = tried.calibrations.iter().filter(|c| c.part == "all").collect::<Vec<_>>();
    assert_eq!(own.iter().map(|c| c.model.as_str()).collect::<Vec<_>>(), ["ordinal_all"]);
    assert!(own[0].ece < 0.08 && own[0].instances == n, "{:?}", own[0]);

    let labels: Vec<String> = (0..n).map(|i| format!("{:.3}", score[i].abs() + 0.3 * draw[i])).collect();
    let tried = Made { kind: "regression", groups: 24, labels, levels: vec![], features }.tried(SETTINGS);
    let mae = |model| metric(&tried, model, "mae");
    assert!(mae("boosted_all").interval.unwrap().1 < mae("linear_all").interval.unwrap().0, "{}", tried.text());
}

#[test]
fn senses_put_together_are_better_than_each_alone_and_a_useless_one_is_not_believed() {
    let mut features = features(720, 11);
    let made = labels(&features, 12, |x| x[0] + x[1] + x[4]);
    let tried = binary(features.clone(), made).tried(SETTINGS);
    let value = |tried: &Trial, model: &str| metric(tried, model, "balanced_accuracy").value.unwrap();
    for fused in ["fusion_mean", "fusion_stacked"] {
        for alone in ["linear_voice", "linear_face", "linear_timing"] {
            assert!(value(&tried, fused) > value(&tried, alone) + 0.05, "{fused} {alone}\n{}", tried.text());
        }
    }
    // The mean of three that know a third each is not sure enough; stacking them mends most of it.
    let ece = |model: &str| tried.calibrations.iter().find(|c| c.model == model).unwrap().ece;
    assert!(ece("fusion_stacked") < 0.7 * ece("fusion_mean"), "{}", tried.text());
    // Only the voice knows: stacked weights find it, and two useless senses do not pull it down.
    features.truncate(4);
    let made = labels(&features, 13, |x| x[0]);
    let tried = binary(features, made).tried(SETTINGS);
    assert!(value(&tried, "fusion_stacked") > value(&tried, "linear_voice") - 0.02, "{}", tried.text());
}

#[test]
fn lags_are_looked_at_as_far_as_asked() {
    let mut features = features(720, 21);
    let made = labels(&features, 22, |x| x[2]);
    for (feature, name) in features.iter_mut().zip(["turns.a@0", "turns.a@1", "turns.a@2", "turns.a@mean"]) {
        feature.0 = name;
    }
    let made = binary(features, made);
    let all = made.tried(SETTINGS);
    let two = made.tried(Settings { lags: Some(2), ..SETTINGS });
    for model in ["linear_all", "boosted_all"] {
        assert!(better(&all, model).1 > 0.2 && better(&two, model).1 <= 0.0, "{}\n{}", all.text(), two.text());
    }
    assert_eq!((all.features.last().unwrap().1, two.features.last().unwrap().1), (6, 5));
}

#[test]
fn intervals_over_few_groups_say_what_they_are_worth() {
    let features = features(200, 31);
    let made = labels(&features, 32, |x| x[0]);
    let few = Made { groups: 4, ..binary(features, made) };
    let told = few.tried(SETTINGS).text();
    assert!(told.contains("all: 4 groups: the interval is of so few that it is too narrow"), "{told}");
    assert!(told.contains("of 100 such intervals about 79 would hold the true value, not 95"), "{told}");
    assert!(!Made { groups: 10, ..few }.tried(SETTINGS).text().contains("too narrow"));
}

/// Task tables of a made corpus, by the benchmark's rules.
fn task_tables(folder: &Path, samples: usize) -> PathBuf {
    let (out, annotations) = (folder.join("out"), folder.join("annotations"));
    Corpus { samples, samples_each: 2, rows: 30, more: 0, planted: 0.8, wide: false, seed: 5 }
        .write(&out, &annotations);
    let one = |name: &&str| {
        format!(
            "[[task]]\nname = \"{name}\"\nrule = \"{name}\"\ncontext_size = 3\nlags = 2\nfeatures = [\"turns.*\"]\nexclude = [\"turns.end_secs\"]\n"
        )
    };
    let tasks = folder.join("tasks.toml");
    std::fs::write(&tasks, TASKS.iter().map(one).collect::<String>()).unwrap();
    run(&["tasks", text(&out), "--annotations", text(&annotations), "--tasks", text(&tasks)]);
    out.join("tasks")
}

/// All files below a folder, with their bytes.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push((path.strip_prefix(folder).unwrap().to_owned(), std::fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn any_number_of_jobs_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = task_tables(folder.path(), 24);
    let of = |jobs: &str| {
        let out = folder.path().join(format!("b{jobs}"));
        run(&["baseline", text(&tasks), "--task", "all", "--out", text(&out), "--resamples", "100", "--jobs", jobs]);
        files(&out)
    };
    let one = of("1");
    assert!(one.len() > 6 * 20, "{}", one.len());
    for jobs in ["2", "5"] {
        let other = of(jobs);
        assert_eq!(one.len(), other.len());
        for (a, b) in one.iter().zip(&other) {
            assert!(a == b, "{} with {jobs} jobs", a.0.display());
        }
    }
}

/// Instances as the second implementation of the metrics reads them.
fn cases(table: &Path, task: &str) -> Vec<Value> {
    let table = read(table).unwrap();
    let text = |name: &str, row: usize| table.text(name, row).unwrap_or_default().to_owned();
    let one = |row: usize| {
        let views = table.texts("label_viewpoints", row).unwrap_or_default();
        let views: Vec<Value> = views.iter().map(|v| serde_json::from_str(v).unwrap()).collect();
        json!({
            "id": text("instance_id", row), "sample": text("interview_id", row), "group": text("group", row),
            "label": text("label", row), "speaker": text("speaker", row), "views": views,
            "value": table.number("label_intensity", row).filter(|_| task == "er"),
            "candidates": table.texts("candidates", row).unwrap_or_default(),
        })
    };
    (0..table.rows()).map(one).collect()
}

#[test]
fn predictions_are_the_scripts_replies_and_their_metrics_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = task_tables(folder.path(), 24);
    let out = folder.path().join("b");
    run(&["baseline", text(&tasks), "--task", "all", "--out", text(&out), "--resamples", "100"]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rescue_metrics.py");
    let mut compared = 0;
    for task in TASKS {
        let told: Value =
            serde_json::from_str(&std::fs::read_to_string(out.join(task).join("metrics.json")).unwrap()).unwrap();
        let rows = cases(&tasks.join(format!("{task}.parquet")), task);
        for model in ["majority", "prior", "linear_all", "boosted_all", "fusion_stacked"] {
            let path = out.join(task).join(format!("replies/{model}.jsonl"));
            let lines = std::fs::read_to_string(&path).unwrap();
            let replies: Vec<Value> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
            let answered = replies.iter().map(|r| r["predictions"].as_array().unwrap().len()).sum::<usize>();
            assert_eq!(answered, rows.len(), "{task} {model}");
            let cases_path = folder.path().join("cases.json");
            let case = json!([{"task": task, "rows": rows, "replies": replies}]);
            std::fs::write(&cases_path, case.to_string()).unwrap();
            let done = Command::new("python3").arg(&script).arg(&cases_path).output().unwrap();
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            let theirs: Value = serde_json::from_slice(&done.stdout).unwrap();
            let to = folder.path().join("e").join(task).join(model);
            let args = ["evaluate", text(&tasks), "--task", task, "--predictions", text(&path), "--to", text(&to)];
            run(&[&args[..], &["--resamples", "100"]].concat());
            let ours: Value =
                serde_json::from_str(&std::fs::read_to_string(to.join("evaluation.json")).unwrap()).unwrap();
            for result in told["results"].as_array().unwrap().iter().filter(|r| r["model"] == model) {
                let part = result["part"].as_str().unwrap();
                assert_eq!(ours["overall"][part]["metrics"], result["metrics"], "{task} {model}");
                for (name, own) in result["metrics"].as_object().unwrap() {
                    let other = &theirs[0][part][name];
                    let (own, other) = (own["value"].as_f64(), other.as_f64());
                    let near = own.zip(other).map_or(own == other, |(a, b)| (a - b).abs() < 1e-8);
                    assert!(near, "{task} {model} {part} {name}: {own:?} {other:?}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 200, "{compared}");
}
