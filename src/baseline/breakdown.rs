//! What is behind a model's figures: the metrics of each sample and of each couple or family, and which answer each
//! class got.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::instances::{TaskRow, TaskTable};
use super::metrics::{Metric, ModelAnswer, Scoring, Truth};
use super::models::Prediction;
use super::question::{Question, Shape};
use super::report::rounded;
use crate::transcript::rescue::{COUPLE, FAMILY};

/// Name of the column of a confusion table for no answer, or one outside of the set.
const NONE: &str = "none";

/// A sample's, or a couple's or family's, own metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// The sample's id, or that of the couple or family.
    pub name: String,
    /// Instances of it.
    pub instances: usize,
    /// The task's metrics over them.
    pub metrics: Vec<Metric>,
}

/// How often which answer was given to which class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConfusionTable {
    /// The classes: labels.
    pub labels: Vec<String>,
    /// The classes that were answered, `none` among them where there was no answer.
    pub answers: Vec<String>,
    /// Counts by label, then answer.
    pub counts: Vec<Vec<usize>>,
}

/// What is behind a model's figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Breakdown {
    /// By id.
    pub samples: Vec<Share>,
    /// By the id of the couple or family.
    pub couples: Vec<Share>,
    /// Of classes and levels; of an instance's own candidates by kind: the group, the right person, another one.
    pub confusion: Option<ConfusionTable>,
}

impl Breakdown {
    /// Of what was said to some questions.
    pub(super) fn of(scoring: &Scoring, all: &TaskTable, said: &[(&Question, &[Prediction])]) -> Self {
        let shares = |name: fn(&TaskRow) -> &str| {
            let mut sums: BTreeMap<&str, (usize, Vec<f64>)> = BTreeMap::new();
            for (question, one) in said.iter().flat_map(|(q, list)| list.iter().map(move |one| (q, one))) {
                let own = name(&all.rows[one.instance]);
                let (count, own) = sums.entry(own).or_insert_with(|| (0, vec![0.0; scoring.len()]));
                *count += 1;
                scoring.add(own, &question.truths[one.instance], &one.answer);
            }
            let share = |(name, (instances, sums)): (&str, (usize, Vec<f64>))| Share {
                name: name.to_owned(),
                instances,
                metrics: scoring.metrics(&sums),
            };
            sums.into_iter().map(share).collect()
        };
        Breakdown {
            samples: shares(|row| &row.interview_id),
            couples: shares(|row| &row.split_group),
            confusion: confusion(all, said),
        }
    }

    /// As JSON, called as the benchmark's result files call them; numbers to 9 decimals.
    pub fn json(&self) -> Value {
        let share = |s: &Share| {
            let metrics: Map<String, Value> =
                s.metrics.iter().map(|(name, value)| (name.clone(), json!(value.map(rounded)))).collect();
            (s.name.clone(), json!({"instances": s.instances, "metrics": metrics}))
        };
        let shares = |list: &[Share]| Value::Object(list.iter().map(share).collect());
        let confusion =
            self.confusion.as_ref().map(|t| json!({"labels": t.labels, "answers": t.answers, "counts": t.counts}));
        json!({"couples": shares(&self.couples), "samples": shares(&self.samples), "confusion": confusion})
    }
}

/// One table over all that was said; `None` where there are no classes.
fn confusion(all: &TaskTable, said: &[(&Question, &[Prediction])]) -> Option<ConfusionTable> {
    let mut table = ConfusionTable::default();
    for (question, list) in said {
        // The closed set whole and in its order, answered or not.
        for class in &question.classes {
            place(&mut table, class, class);
        }
        for one in *list {
            let (label, answer) = called(question, &all.rows[one.instance], one)?;
            let (row, column) = place(&mut table, &label, &answer);
            table.counts[row][column] += 1;
        }
    }
    (!table.labels.is_empty()).then_some(table)
}

/// Row and column of a label and an answer, made where they are not there.
fn place(table: &mut ConfusionTable, label: &str, answer: &str) -> (usize, usize) {
    let at = |list: &mut Vec<String>, name: &str| {
        list.iter().position(|n| n == name).unwrap_or_else(|| {
            list.push(name.to_owned());
            list.len() - 1
        })
    };
    let (row, column) = (at(&mut table.labels, label), at(&mut table.answers, answer));
    let width = table.answers.len();
    table.counts.resize(table.labels.len(), Vec::new());
    table.counts.iter_mut().for_each(|counts| counts.resize(width, 0));
    (row, column)
}

/// What label and answer are called in the table.
fn called(question: &Question, row: &TaskRow, one: &Prediction) -> Option<(String, String)> {
    let first = match &one.answer {
        ModelAnswer::Ranking(order) => order.first(),
        _ => None,
    };
    let none = || NONE.to_owned();
    match (question.shape, &question.truths[one.instance]) {
        (Shape::Classes, Truth::Class(_)) => {
            let answer = first.and_then(|a| question.classes.get(*a));
            Some((row.label.clone(), answer.cloned().unwrap_or_else(none)))
        }
        (Shape::Candidates, Truth::Class(truth)) => {
            let is_group = |name: &str| name == COUPLE || name == FAMILY;
            let answer = first.and_then(|a| Some((*a, row.candidates.get(*a)?)));
            let answer = match answer {
                None => none(),
                Some((_, name)) if is_group(name) => "the group".into(),
                Some((place, _)) if Some(place) == *truth => "the right person".into(),
                Some(_) => "another person".into(),
            };
            Some((if is_group(&row.label) { "the group".into() } else { "one person".into() }, answer))
        }
        (Shape::Levels, Truth::Number(truth)) => {
            let name = |x: f64| question.classes.get(x.round_ties_even().max(0.0) as usize).cloned();
            let answer = match one.answer {
                ModelAnswer::Number(x) => name(x).unwrap_or_else(none),
                _ => none(),
            };
            Some((name(*truth)?, answer))
        }
        _ => None,
    }
}
