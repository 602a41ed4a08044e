//! What a trial leaves: a text for people, `metrics.json`, a table of predictions, and predictions by instance id for
//! the benchmark's scripts.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::calibration::Calibration;
use super::importance::Importance;
use super::instances::TaskRow;
use super::interval::Estimate;
use super::metrics::{ModelAnswer, Scoring, Truth};
use super::models::Prediction;
use super::question::{Question, Shape};
use super::scored::Outcome;
use super::trial::Trial;
use crate::error::Result;
use crate::table::{ColumnSpec, Kind, Table, TableBuilder, TableSchema};
use crate::tasks::RuleSpec;

/// Places of a ranking that are written, and that count.
pub(super) const TOP: usize = 3;

/// Columns that the text tells of; importance.json has them all.
const TOLD_COLUMNS: usize = 5;

impl Trial {
    /// Every model's metrics, one line a model: the metric that stands for the task with its interval and how far it is
    /// from majority.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |what: String| {
            // Writing into a String cannot fail.
            let _ = writeln!(text, "{}", what.trim_end());
        };
        let (folds, seed) = (self.settings.folds, self.settings.seed);
        line(format!("{}: {} instances, {folds} folds by group, seed {seed}", self.task, self.instances.rows.len()));
        let features: Vec<String> = self.features.iter().map(|(m, n)| format!("{} {n}", m.name())).collect();
        line(format!("  features: {}", features.join(", ")));
        let mut part = None;
        for result in &self.results {
            let primary = self.primary(result);
            if part != Some(&result.part) {
                part = Some(&result.part);
                line(format!("  {}: {} instances of {} groups", result.part, result.instances, result.groups));
                let mut others = others(result, primary).map(|e| format!("{:>11}", short(&e.name))).collect::<String>();
                others.push_str("      Brier        ECE");
                line(format!("    {:<14} {primary:<24} {:<26}{others}", "model", "better than majority by"));
            }
            let own = result.metrics.iter().find(|e| e.name == primary);
            let apart = result
                .difference
                .as_ref()
                .map(|d| with_interval(Some(d.better_by), Some(d.interval)))
                .unwrap_or_default();
            let mut others = others(result, primary).map(|e| format!("{:>11}", number(e.value))).collect::<String>();
            let tested = self.calibrations.iter().find(|c| c.part == result.part && c.model == result.model);
            let _ = write!(others, "{:>11}{:>11}", number(tested.map(|c| c.brier)), number(tested.map(|c| c.ece)));
            let own = own.map(|e| with_interval(e.value, e.interval)).unwrap_or_default();
            line(format!("    {:<14} {own:<24} {apart:<26}{others}", result.model));
        }
        for part in self.questions.iter().map(|q| &q.part) {
            let own = self.importances.iter().filter(|i| i.part == *part && i.worse_by > 0.0).take(TOLD_COLUMNS);
            for (place, i) in own.enumerate() {
                if place == 0 {
                    line(format!(
                        "  {part}: {} of boosted_all is worse by, where a column is dealt out anew",
                        i.metric
                    ));
                }
                line(format!("    {} +- {}  {}: {}", three(i.worse_by), three(i.spread), i.column, i.description));
            }
        }
        if !self.paper().is_empty() {
            line(format!("  the benchmark's paper gives: {}", self.paper().join(", ")));
        }
        self.notes.iter().for_each(|n| line(format!("  note: {n}")));
        text
    }

    fn primary(&self, result: &Outcome) -> &'static str {
        let own = self.questions.iter().find(|q| q.part == result.part);
        own.map_or(Scoring::Candidates.primary().0, |q| q.scoring.primary().0)
    }

    /// All metrics with intervals, as JSON; numbers to 9 decimals.
    pub fn metrics_json(&self) -> Value {
        let result = |r: &Outcome| {
            let metrics: Map<String, Value> =
                r.metrics.iter().map(|e| (e.name.clone(), estimate_json(e, self.paper()))).collect();
            let apart = r.difference.as_ref().map(|d| {
                let (low, high) = (rounded(d.interval.0), rounded(d.interval.1));
                json!({"metric": d.metric, "value": rounded(d.better_by), "low": low, "high": high})
            });
            json!({
                "part": r.part, "model": r.model, "instances": r.instances, "groups": r.groups,
                "metrics": metrics, "better_than_majority_by": apart,
            })
        };
        let features: Map<String, Value> = self.features.iter().map(|(m, n)| (m.name().to_owned(), json!(n))).collect();
        json!({
            "task": self.task, "rule": self.instances.rule, "kind": self.instances.kind,
            "instances": self.instances.rows.len(), "folds": self.settings.folds, "seed": self.settings.seed,
            "resamples": self.settings.resamples, "features": features,
            "results": self.results.iter().map(result).collect::<Vec<_>>(), "notes": self.notes,
        })
    }

    /// The calibration of each part and model that tells probabilities, as JSON.
    pub fn calibration_json(&self) -> Value {
        json!({"task": self.task, "results": self.calibrations.iter().map(Calibration::json).collect::<Vec<_>>()})
    }

    /// What the boosted trees of each part go by, as JSON.
    pub fn importance_json(&self) -> Value {
        json!({"task": self.task, "results": self.importances.iter().map(Importance::json).collect::<Vec<_>>()})
    }

    /// The metrics that the benchmark's paper gives for the task.
    fn paper(&self) -> &'static [&'static str] {
        RuleSpec::named(&self.instances.rule).map_or(&[], |rule| rule.paper)
    }

    /// What is behind the figures of each part and model, as JSON: each couple or family, each sample, each class.
    pub fn breakdown_json(&self) -> Value {
        let one = |r: &Outcome| {
            let mut told = json!({"part": r.part, "model": r.model});
            if let (Some(told), Value::Object(more)) = (told.as_object_mut(), r.breakdown.json()) {
                told.extend(more);
            }
            told
        };
        json!({"task": self.task, "results": self.results.iter().map(one).collect::<Vec<_>>()})
    }

    /// One row a model and instance.
    ///
    /// # Errors
    /// [`crate::error::Error::Shape`] when a value does not fit.
    pub fn predictions(&self) -> Result<Table> {
        let mut table = TableBuilder::new(predictions_schema());
        for (q, model, predictions) in &self.predictions {
            let question = &self.questions[*q];
            for one in predictions {
                let row = &self.instances.rows[one.instance];
                let label = if question.shape == Shape::Pairs { row.targets.join(", ") } else { row.label.clone() };
                let rank = match (&one.answer, &question.truths[one.instance]) {
                    (ModelAnswer::Ranking(order), Truth::Class(Some(t))) => {
                        order.iter().position(|a| a == t).map(|r| r + 1)
                    }
                    _ => None,
                };
                table
                    .row()
                    .set("model", model.name())
                    .set("interview_id", row.interview_id.as_str())
                    .set("instance_id", row.id.as_str())
                    .set("part", question.part.as_str())
                    .set("split_group", row.split_group.as_str())
                    .set("fold", one.fold + 1)
                    .set("label", Some(label).filter(|l| !l.is_empty()))
                    .set("label_value", row.value)
                    .set("answers", names(question, row, one))
                    .set("answer_value", value(one))
                    .set("probability", one.score)
                    .set("label_rank", rank);
            }
        }
        table.finish()
    }

    /// For each model its file name and JSON lines, one an instance in the table's order: `instance_id`, `sample_id`
    /// and `prediction`: yes or no; the ranked `top3`, padded with "" ; an `intensity`; viewpoint `pairs` of source and
    /// target; a label; or a number.
    ///
    /// Only the ids, the closed sets, the padding and the ranges are told by the benchmark's description; the field
    /// names are ours.
    pub fn benchmark_lines(&self) -> Vec<(String, String)> {
        let mut files: Vec<(String, Vec<(usize, String)>)> = Vec::new();
        for (q, model, predictions) in &self.predictions {
            let name = format!("{}.jsonl", model.name());
            if !files.iter().any(|(n, _)| *n == name) {
                files.push((name.clone(), Vec::new()));
            }
            let Some((_, lines)) = files.iter_mut().find(|(n, _)| *n == name) else { continue };
            for one in predictions {
                let row = &self.instances.rows[one.instance];
                let answer = self.answer(&self.questions[*q], row, one);
                let told = json!({"instance_id": row.id, "sample_id": row.interview_id, "prediction": answer});
                lines.push((one.instance, told.to_string()));
            }
        }
        let joined = |(name, mut lines): (String, Vec<(usize, String)>)| {
            lines.sort();
            (name, lines.into_iter().map(|(_, l)| l + "\n").collect::<String>())
        };
        files.into_iter().map(joined).collect()
    }

    fn answer(&self, question: &Question, row: &TaskRow, one: &Prediction) -> Value {
        let names = names(question, row, one).unwrap_or_default();
        match (&question.scoring, question.shape) {
            (Scoring::Ranking(_) | Scoring::Candidates, _) => {
                let mut top = names;
                top.resize(TOP, String::new());
                json!({ "top3": top })
            }
            (Scoring::Intensity(_), _) => json!({"intensity": value(one).map(|v| v as i64)}),
            (_, Shape::Pairs) => {
                json!({"pairs": names.iter().map(|t| json!({"source": row.speaker, "target": t})).collect::<Vec<_>>()})
            }
            (_, Shape::Number) => json!(value(one).map(rounded)),
            _ => json!(names.first()),
        }
    }
}

/// A metric with its interval as JSON, marked where the benchmark's paper gives it; numbers to 9 decimals.
pub(super) fn estimate_json(e: &Estimate, paper: &[&str]) -> Value {
    let (low, high) = (e.interval.map(|i| rounded(i.0)), e.interval.map(|i| rounded(i.1)));
    let mut told = json!({"value": e.value.map(rounded), "low": low, "high": high});
    if let (Some(told), true) = (told.as_object_mut(), paper.contains(&e.name.as_str())) {
        told.insert("paper".into(), json!(true));
    }
    told
}

/// The table of predictions.
pub fn predictions_schema() -> TableSchema {
    let text = |name: &'static str, about: &'static str| ColumnSpec::new(name, Kind::Str, "", about);
    let columns = vec![
        text(
            "model",
            "majority, prior, linear_ and the modality it looks at, ordinal_all, boosted_all, fusion_mean or \
             fusion_stacked.",
        ),
        text("interview_id", "Interview the instance is of."),
        text("instance_id", "The instance."),
        text("part", "Instances that have their closed set in common: couple, family, or all."),
        text("split_group", "What no fold parts."),
        ColumnSpec::new("fold", Kind::I64, "", "Fold the instance was held out in, from 1."),
        text("label", "Label: the right answer; of viewpoints the targets."),
        ColumnSpec::new("label_value", Kind::F64, "", "Label: the level from 0, or the number."),
        ColumnSpec::new(
            "answers",
            Kind::StrList,
            "",
            "The model's answers, best first, three at most; of viewpoints all targets.",
        ),
        ColumnSpec::new("answer_value", Kind::F64, "", "The model's level from 0, or number."),
        ColumnSpec::new("probability", Kind::F64, "1", "Of the first answer, 0 to 1; null where the model has none."),
        ColumnSpec::new(
            "label_rank",
            Kind::I64,
            "",
            "Place of the right answer in the model's ranking, from 1; null where it is not in it.",
        ),
    ];
    TableSchema {
        name: "predictions",
        description: "One model's answer to one instance it was not fitted on.",
        columns,
    }
}

/// The answers as names: the first of a ranking, the level, the targets.
pub(super) fn names(question: &Question, row: &TaskRow, one: &Prediction) -> Option<Vec<String>> {
    let own = matches!(question.shape, Shape::Candidates | Shape::Pairs);
    let name = |place: &usize| (if own { &row.candidates } else { &question.classes }).get(*place).cloned();
    match &one.answer {
        ModelAnswer::Ranking(order) => Some(order.iter().take(TOP).filter_map(name).collect()),
        ModelAnswer::Several(places) => Some(places.iter().filter_map(name).collect()),
        ModelAnswer::Number(x) if question.shape == Shape::Levels => {
            Some(vec![question.classes.get(*x as usize)?.clone()])
        }
        ModelAnswer::Number(_) | ModelAnswer::Compared(_) | ModelAnswer::Nothing => None,
    }
}

pub(super) fn value(one: &Prediction) -> Option<f64> {
    match one.answer {
        ModelAnswer::Number(x) => Some(x),
        _ => None,
    }
}

fn others<'a>(result: &'a Outcome, primary: &'a str) -> impl Iterator<Item = &'a Estimate> {
    result.metrics.iter().filter(move |e| e.name != primary)
}

/// Metric names that fit a column.
fn short(name: &str) -> String {
    let mut short = name.to_owned();
    for (long, brief) in [("precision", "P"), ("recall_at_", "R@"), ("recall", "R"), ("f1", "F1"), ("pearson_r", "r")] {
        short = short.replace(long, brief);
    }
    short.replace('_', " ").chars().take(10).collect()
}

fn number(x: Option<f64>) -> String {
    x.map_or("-".into(), three)
}

/// Three decimals, and no minus before nothing.
fn three(x: f64) -> String {
    let told = format!("{x:.3}");
    if told == "-0.000" { "0.000".into() } else { told }
}

pub(super) fn with_interval(x: Option<f64>, interval: Option<(f64, f64)>) -> String {
    match interval {
        Some((low, high)) => format!("{} [{}, {}]", number(x), three(low), three(high)),
        None => number(x),
    }
}

/// Nine decimals: more are rounding, and what is not finite is never written.
pub(super) fn rounded(x: f64) -> Option<f64> {
    x.is_finite().then(|| (x * 1e9).round() / 1e9 + 0.0)
}
