//! What is asked of a task's instances: the closed set, the right answers, and the metrics; in parts where a part has a set of its own.

use std::collections::BTreeMap;

use super::instances::{Instance, Instances};
use super::metrics::{Scoring, Truth};
use super::notes::Notes;

/// What an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A class of one set for all.
    Classes,
    /// One of the instance's own candidates.
    Candidates,
    /// Some of the instance's own candidates.
    Pairs,
    /// A level of an ordered set, counted from 0.
    Levels,
    /// A number.
    Number,
}

/// Instances that are asked the same thing.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Question {
    /// couple, family, or all.
    pub(super) part: String,
    pub(super) shape: Shape,
    pub(super) scoring: Scoring,
    /// Classes or levels; empty where every instance has its own, and for numbers.
    pub(super) classes: Vec<String>,
    /// Places among the task's instances.
    pub(super) members: Vec<usize>,
    /// By place among the task's instances.
    pub(super) truths: Vec<Truth>,
}

/// The benchmark's intensities are 0 to 10.
const INTENSITIES: usize = 11;

/// The questions of a task, or why there are none, in words; what is left out is noted.
pub(super) fn questions(all: &Instances, notes: &mut Notes) -> Result<Vec<Question>, String> {
    if all.rows.is_empty() {
        return Err("no instances: the annotations or labels have none for this task".into());
    }
    let everything = || vec![("all".to_owned(), (0..all.rows.len()).collect::<Vec<_>>())];
    let (shape, parts) = match (all.rule.as_str(), all.kind.as_str()) {
        ("itp", _) | ("labels", "binary" | "multiclass" | "ranking") => (Shape::Classes, everything()),
        // The benchmark runs these for couples and families apart: each has a set of its own.
        ("rpp" | "ssp", _) => (Shape::Classes, by_group(&all.rows)),
        ("stp", _) => (Shape::Candidates, everything()),
        ("vp", _) => (Shape::Pairs, everything()),
        ("er", _) | ("labels", "ordinal") => (Shape::Levels, everything()),
        ("labels", "regression") => (Shape::Number, everything()),
        ("labels", "text") => return Err("free text has no baseline: it is judged elsewhere".into()),
        (rule, kind) => return Err(format!("no baseline for rule {rule:?} with answers of kind {kind:?}")),
    };
    let found: Vec<Question> = parts.into_iter().map(|(part, members)| question(all, part, shape, members, notes)).collect();
    match found.iter().find(|q| matches!(shape, Shape::Classes | Shape::Levels) && q.classes.is_empty()) {
        Some(without) => Err(format!("{}: the table tells no candidates, so there is nothing to choose from", without.part)),
        None => Ok(found),
    }
}

fn by_group(rows: &[Instance]) -> Vec<(String, Vec<usize>)> {
    let mut parts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, row) in rows.iter().enumerate() {
        parts.entry(&row.group).or_default().push(i);
    }
    parts.into_iter().map(|(part, members)| (part.to_owned(), members)).collect()
}

fn question(all: &Instances, part: String, shape: Shape, members: Vec<usize>, notes: &mut Notes) -> Question {
    let mut classes: Vec<String> = Vec::new();
    if matches!(shape, Shape::Classes | Shape::Levels) {
        for candidate in members.iter().flat_map(|i| &all.rows[*i].candidates) {
            if !classes.contains(candidate) {
                classes.push(candidate.clone());
            }
        }
    }
    if all.rule == "er" {
        classes = (0..INTENSITIES).map(|i| i.to_string()).collect();
    }
    let truths: Vec<Truth> = all.rows.iter().map(|row| truth(row, shape, &classes)).collect();
    let has_answer = |i: &usize| match &truths[*i] {
        Truth::Number(n) => n.is_finite(),
        Truth::Class(_) => true,
        Truth::Several(found, outside) => !found.is_empty() || *outside > 0,
    };
    let (members, without): (Vec<usize>, Vec<usize>) = members.into_iter().partition(has_answer);
    if !without.is_empty() {
        notes.add(format!("{} instances without a label are left out", without.len()));
    }
    let scoring = match (all.rule.as_str(), all.kind.as_str(), shape) {
        ("rpp" | "ssp", ..) | ("labels", "ranking", _) => Scoring::Ranking(classes.len()),
        ("er", ..) => Scoring::Intensity(INTENSITIES),
        (_, _, Shape::Classes) => Scoring::Classes(classes.clone()),
        (_, _, Shape::Candidates) => Scoring::Candidates,
        (_, _, Shape::Pairs) => Scoring::Pairs,
        (_, _, Shape::Levels) => Scoring::Levels(classes.len()),
        (_, _, Shape::Number) => Scoring::Regression,
    };
    Question { part, shape, scoring, classes, members, truths }
}

fn truth(row: &Instance, shape: Shape, classes: &[String]) -> Truth {
    match shape {
        Shape::Classes => Truth::Class(classes.iter().position(|c| *c == row.label)),
        Shape::Candidates => Truth::Class(row.candidates.iter().position(|c| *c == row.label)),
        Shape::Levels | Shape::Number => Truth::Number(row.value.unwrap_or(f64::NAN)),
        Shape::Pairs => {
            let places: Vec<usize> = row.targets.iter().filter_map(|t| row.candidates.iter().position(|c| c == t)).collect();
            let outside = row.targets.len() - places.len();
            Truth::Several(places, outside)
        }
    }
}
