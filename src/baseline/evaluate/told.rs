//! What an evaluation leaves: a text for people, and JSON with the parts that the benchmark's result files have.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::Unanswered;
use super::answers::{Matched, Oddities};
use super::labels::Labels;
use crate::baseline::metrics::ModelAnswer;
use crate::baseline::models::Prediction;
use crate::baseline::question::{Question, Shape};
use crate::baseline::report::{estimate_json, rounded, with_interval};
use crate::baseline::scored::Outcome;
use crate::tasks::RuleSpec;

/// Ids that are told by name.
const NAMED: usize = 3;

/// Predictions scored.
pub(super) struct Evaluation {
    pub(super) task: String,
    pub(super) rule: &'static RuleSpec,
    /// Instances there are.
    pub(super) count: usize,
    pub(super) unanswered: Unanswered,
    /// The files, the one that the difference is from first.
    pub(super) names: Vec<String>,
    /// By file.
    pub(super) odd: Vec<Oddities>,
    /// By part, then file.
    pub(super) outcomes: Vec<Outcome>,
    pub(super) notes: Vec<String>,
    /// One an instance.
    pub(super) details: Vec<Value>,
}

impl Oddities {
    /// Each kind that occurs: its name, in words, and the ids.
    fn kinds(&self, unanswered: Unanswered) -> Vec<(&'static str, String, &[String])> {
        let counted = match unanswered {
            Unanswered::Wrong => "have no prediction and count as wrong",
            Unanswered::LeftOut => "have no prediction and are left out",
        };
        let all: [(&'static str, &str, &[String]); 5] = [
            ("missing", counted, &self.missing),
            ("doubled", "are predicted more than once, and the first counts", &self.doubled),
            ("unknown", "are predicted and no instance of the task", &self.unknown),
            ("empty", "are predicted with nothing in it, as if they had no prediction", &self.empty),
            ("outside", "answers are outside of the closed set, or no number, and passed over", &self.outside),
        ];
        all.into_iter()
            .filter(|(.., ids)| !ids.is_empty())
            .map(|(kind, what, ids)| (kind, what.to_owned(), ids))
            .collect()
    }
}

impl Evaluation {
    /// Every part's metrics with intervals; of two files how far the first is from the second.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |what: String| {
            // Writing into a String cannot fail.
            let _ = writeln!(text, "{}", what.trim_end());
        };
        line(format!("{}: {} instances", self.task, self.count));
        for (name, odd) in self.names.iter().zip(&self.odd) {
            line(format!("  {name}: {} with a prediction", self.count - odd.missing.len()));
            for (_, what, ids) in odd.kinds(self.unanswered) {
                let some = ids[..ids.len().min(NAMED)].join(", ");
                let more = if ids.len() > NAMED { ", …" } else { "" };
                line(format!("    {} {what}: {some}{more}", ids.len()));
            }
        }
        for own in self.outcomes.iter().filter(|o| o.model == "predictions" && o.instances > 0) {
            line(format!("  {}: {} instances of {} groups", own.part, own.instances, own.groups));
            let other = self.outcomes.iter().find(|o| o.part == own.part && o.model == "against");
            if other.is_some() {
                line(format!("    {:<22} {:<24} {:<24} better by", "metric", "predictions", "against"));
            }
            for e in &own.metrics {
                let mark = if self.rule.paper.contains(&e.name.as_str()) { "*" } else { "" };
                let theirs = other.and_then(|o| o.metrics.iter().find(|m| m.name == e.name));
                let theirs = theirs.map(|m| with_interval(m.value, m.interval)).unwrap_or_default();
                let apart = own.differences.iter().find(|d| d.metric == e.name);
                let apart = apart.map(|d| with_interval(Some(d.better_by), Some(d.interval))).unwrap_or_default();
                let value = with_interval(e.value, e.interval);
                line(format!("    {:<22} {value:<24} {theirs:<24} {apart}", format!("{}{mark}", e.name)));
            }
            if let Some(table) = &own.breakdown.confusion {
                line(format!("    labels by answers: {}", table.answers.join(", ")));
                for (label, counts) in table.labels.iter().zip(&table.counts) {
                    let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
                    line(format!("      {label:<28} {}", counts.join(" ")));
                }
            }
        }
        if !self.rule.paper.is_empty() {
            line("  * the metric that the benchmark's paper gives".into());
        }
        self.notes.iter().for_each(|n| line(format!("  note: {n}")));
        text
    }

    /// The same and what is behind it.
    pub(super) fn json(&self) -> Value {
        let files = self.names.iter().zip(&self.odd).map(|(name, odd)| {
            let kinds = odd.kinds(self.unanswered).into_iter().map(|(kind, _, ids)| (kind.to_owned(), json!(ids)));
            // The name alone: where a file lies is nobody's business.
            let (file, with) = (crate::file::without_place(name), self.count - odd.missing.len());
            json!({"file": file, "with_prediction": with, "odd": Map::from_iter(kinds)})
        });
        let own = || self.outcomes.iter().filter(|o| o.model == "predictions" && o.instances > 0);
        let by_part = |what: &dyn Fn(&Outcome) -> Value| -> Value {
            Value::Object(own().map(|o| (o.part.clone(), what(o))).collect())
        };
        let behind = |key: &str| by_part(&|o| o.breakdown.json().get(key).cloned().unwrap_or_default());
        json!({
            "task": self.task, "rule": self.rule.name, "instances": self.count, "files": files.collect::<Vec<_>>(),
            "unanswered": if self.unanswered == Unanswered::Wrong { "wrong" } else { "left_out" },
            "overall": by_part(&|o| self.overall(o)),
            "couples": behind("couples"), "samples": behind("samples"), "confusions": behind("confusion"),
            "details": self.details, "notes": self.notes,
        })
    }

    fn overall(&self, own: &Outcome) -> Value {
        let metrics: Map<String, Value> =
            own.metrics.iter().map(|e| (e.name.clone(), estimate_json(e, self.rule.paper))).collect();
        let apart = own.differences.iter().map(|d| {
            let told =
                json!({"value": rounded(d.better_by), "low": rounded(d.interval.0), "high": rounded(d.interval.1)});
            (d.metric.clone(), told)
        });
        let mut told = json!({"instances": own.instances, "groups": own.groups, "metrics": metrics});
        if let (Some(told), true) = (told.as_object_mut(), self.names.len() > 1) {
            told.insert("better_than_against_by".into(), Value::Object(apart.collect()));
        }
        told
    }
}

/// What each instance was answered by the predictions, in the table's order: they can be read as predictions again.
pub(super) fn details(
    labels: &Labels,
    asked: &[Question],
    said: &[Vec<Vec<Prediction>>],
    files: &[Matched],
) -> Vec<Value> {
    let Some(own) = files.len().checked_sub(1) else { return Vec::new() };
    let mut taken: Vec<Option<(&Question, &ModelAnswer)>> = vec![None; labels.table.rows.len()];
    for (question, answers) in asked.iter().zip(said) {
        answers[own].iter().for_each(|one| taken[one.instance] = Some((question, &one.answer)));
    }
    let one = |(i, row): (usize, &crate::baseline::instances::TaskRow)| {
        let answer = match (taken[i], &files[own].said[i]) {
            (Some((question, ModelAnswer::Ranking(places))), _) => {
                let set = if question.shape == Shape::Classes { &question.classes } else { &row.candidates };
                json!({"top3": places.iter().filter_map(|p| set.get(*p)).collect::<Vec<_>>()})
            }
            (_, None) => Value::Null,
            (Some((question, _)), Some(said)) if question.shape == Shape::Pairs => json!({"viewpoints": said.views}),
            (_, Some(said)) => match (&said.text, said.number) {
                (Some(text), Some(number)) => json!({"emotion": text, "intensity": number}),
                (None, Some(number)) => json!(number),
                (text, None) => json!(text),
            },
        };
        json!({
            "sample_id": row.interview_id, "instance_id": row.id, "group": row.group, "split_group": row.split_group,
            "label": row.label, "label_value": row.value, "label_viewpoints": labels.views[i], "prediction": answer,
        })
    };
    labels.table.rows.iter().enumerate().map(one).collect()
}
