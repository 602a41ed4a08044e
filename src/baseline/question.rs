//! What is asked of a task's instances: the closed set, the right answers, and the metrics; in parts where a part has a
//! set of its own.

use std::collections::BTreeMap;

use super::instances::{TaskRow, TaskTable};
use super::metrics::{Scoring, Truth};
use super::notes::Notes;
use crate::tasks::{AnswerKind, Candidates, Metrics, RuleSpec};

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

/// TaskTable that are asked the same thing.
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
pub(super) fn questions(all: &TaskTable, notes: &mut Notes) -> Result<Vec<Question>, String> {
    if all.rows.is_empty() {
        return Err("no instances: the annotations or labels have none for this task".into());
    }
    let (rule, metrics) = asked(all)?;
    if all.labels_seen {
        let what = "the closed set is the labels seen, and macro means run over them: for the benchmark's figures name \
                    its taxonomy in the task file";
        notes.add(what.into());
    }
    let shape = match metrics {
        Metrics::Classes | Metrics::Ranking => Shape::Classes,
        Metrics::OwnCandidates => Shape::Candidates,
        Metrics::Pairs => Shape::Pairs,
        Metrics::Levels | Metrics::Intensity => Shape::Levels,
        Metrics::Number => Shape::Number,
        Metrics::JudgedElsewhere => return Err("free text has no baseline: it is judged elsewhere".into()),
    };
    let parts = match rule.candidates {
        // The benchmark runs these for couples and families apart: each has a set of its own.
        Candidates::SetPerGroupMode => by_group(&all.rows),
        Candidates::OneSet | Candidates::People => vec![("all".to_owned(), (0..all.rows.len()).collect::<Vec<_>>())],
    };
    let found: Vec<Question> =
        parts.into_iter().map(|(part, members)| question(all, (part, members), shape, metrics, notes)).collect();
    match found.iter().find(|q| matches!(shape, Shape::Classes | Shape::Levels) && q.classes.is_empty()) {
        Some(without) => {
            Err(format!("{}: the table tells no candidates, so there is nothing to choose from", without.part))
        }
        None => Ok(found),
    }
}

/// The rule that made the instances, and what its answers are measured by.
fn asked(all: &TaskTable) -> Result<(&'static RuleSpec, Metrics), String> {
    let (rule, kind) = (RuleSpec::named(&all.rule), AnswerKind::from_name(&all.kind));
    match (rule, kind) {
        (Some(rule), Some(kind)) => Ok((rule, rule.metrics(kind))),
        _ => Err(format!("no baseline for rule {:?} with answers of kind {:?}", all.rule, all.kind)),
    }
}

fn by_group(rows: &[TaskRow]) -> Vec<(String, Vec<usize>)> {
    let mut parts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, row) in rows.iter().enumerate() {
        parts.entry(&row.group).or_default().push(i);
    }
    parts.into_iter().map(|(part, members)| (part.to_owned(), members)).collect()
}

fn question(
    all: &TaskTable,
    part: (String, Vec<usize>),
    shape: Shape,
    metrics: Metrics,
    notes: &mut Notes,
) -> Question {
    let (part, members) = part;
    let mut classes: Vec<String> = Vec::new();
    if matches!(shape, Shape::Classes | Shape::Levels) {
        for candidate in members.iter().flat_map(|i| &all.rows[*i].candidates) {
            if !classes.contains(candidate) {
                classes.push(candidate.clone());
            }
        }
    }
    if metrics == Metrics::Intensity {
        classes = (0..INTENSITIES).map(|i| i.to_string()).collect();
    }
    let truths: Vec<Truth> = all.rows.iter().map(|row| truth(row, shape, &classes)).collect();
    let outside = members.iter().filter(|i| truths[**i] == Truth::Class(None)).count();
    if outside > 0 {
        notes
            .add(format!("{part}: {outside} labels are outside of the closed set, and no answer to them can be right"));
    }
    let has_answer = |i: &usize| match &truths[*i] {
        Truth::Number(n) => n.is_finite(),
        Truth::Class(_) => true,
        Truth::Several(found, outside) => !found.is_empty() || *outside > 0,
    };
    let (members, without): (Vec<usize>, Vec<usize>) = members.into_iter().partition(has_answer);
    if !without.is_empty() {
        notes.add(format!("{} instances without a label are left out", without.len()));
    }
    let scoring = match metrics {
        Metrics::Ranking => Scoring::Ranking(classes.len()),
        Metrics::Intensity => Scoring::Intensity(INTENSITIES),
        Metrics::Classes => Scoring::Classes(classes.clone()),
        Metrics::OwnCandidates => Scoring::Candidates,
        Metrics::Pairs => Scoring::Pairs,
        Metrics::Levels => Scoring::Levels(classes.len()),
        Metrics::Number | Metrics::JudgedElsewhere => Scoring::Regression,
    };
    Question { part, shape, scoring, classes, members, truths }
}

fn truth(row: &TaskRow, shape: Shape, classes: &[String]) -> Truth {
    match shape {
        Shape::Classes => Truth::Class(classes.iter().position(|c| *c == row.label)),
        Shape::Candidates => Truth::Class(row.candidates.iter().position(|c| *c == row.label)),
        Shape::Levels | Shape::Number => Truth::Number(row.value.unwrap_or(f64::NAN)),
        Shape::Pairs => {
            let places: Vec<usize> =
                row.targets.iter().filter_map(|t| row.candidates.iter().position(|c| c == t)).collect();
            let outside = row.targets.len() - places.len();
            Truth::Several(places, outside)
        }
    }
}
