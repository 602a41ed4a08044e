//! Predictions joined to the instances they are of, and made answers to what is asked of them.

use std::collections::BTreeMap;

use super::labels::Labels;
use super::replies::{Reply, Said};
use super::texts::{chrf, token_f1};
use crate::baseline::instances::TaskRow;
use crate::baseline::metrics::{ModelAnswer, Scoring, Truth};
use crate::baseline::models::Prediction;
use crate::baseline::question::{Question, Shape};
use crate::baseline::report::TOP;
use crate::error::{Error, Result};
use crate::tasks::GoldViewpoint;

/// What did not go as one would expect with a file of predictions; ids, in the order of the file or of the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Oddities {
    /// Instances without a prediction.
    pub(super) missing: Vec<String>,
    /// Instances with several: the first counts.
    pub(super) doubled: Vec<String>,
    /// Predictions of no instance.
    pub(super) unknown: Vec<String>,
    /// Predictions that hold nothing.
    pub(super) empty: Vec<String>,
    /// Answers outside of the closed set, which are none, with the id.
    pub(super) outside: Vec<String>,
}

/// A file of predictions, by instance.
pub(super) struct Matched {
    pub(super) said: Vec<Option<Said>>,
    pub(super) odd: Oddities,
}

/// Finds the instance of each reply.
///
/// # Errors
/// [`Error::Usage`] where an id is of instances of several samples and the reply does not say which, or where no reply
/// is of any instance.
pub(super) fn matched(labels: &Labels, replies: Vec<Reply>, file: &str) -> Result<Matched> {
    let rows = &labels.table.rows;
    let mut by_id: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    // As they were shown too, where that is another id.
    let shown: Vec<String> = rows.iter().map(|row| (labels.rule.shown_id)(&row.id)).collect();
    for (i, (row, shown)) in rows.iter().zip(&shown).enumerate() {
        by_id.entry(&row.id).or_default().push(i);
        if *shown != row.id {
            by_id.entry(shown).or_default().push(i);
        }
    }
    let mut said: Vec<Option<Option<Said>>> = vec![None; rows.len()];
    let mut odd = Oddities::default();
    let count = replies.len();
    for reply in replies {
        let there = by_id.get(reply.id.as_str()).map_or(&[][..], Vec::as_slice);
        let own: Vec<usize> = match &reply.sample {
            Some(sample) => there.iter().copied().filter(|i| rows[*i].interview_id == *sample).collect(),
            None => there.to_vec(),
        };
        let instance = match own[..] {
            [one] => one,
            [] => {
                odd.unknown.push(called(&reply));
                continue;
            }
            [one, other, ..] => {
                let samples = [one, other].map(|i| rows[i].interview_id.as_str()).join(" and ");
                let what = format!("{file}: the id {} is of instances of {samples}", reply.id);
                return Err(Error::Usage { what, hint: "give each prediction its sample_id too".into() });
            }
        };
        if said[instance].is_some() {
            odd.doubled.push(reply.id);
            continue;
        }
        if reply.said.is_none() {
            odd.empty.push(reply.id);
        }
        said[instance] = Some(reply.said);
    }
    if odd.unknown.len() == count {
        let first = odd.unknown.first().cloned().unwrap_or_default();
        let what = format!("{file}: none of its {count} ids is an instance's, such as {first}");
        return Err(Error::Usage { what, hint: "name the task and the labels that the predictions are of".into() });
    }
    odd.missing = rows.iter().zip(&said).filter(|(_, s)| s.is_none()).map(|(r, _)| r.id.clone()).collect();
    Ok(Matched { said: said.into_iter().map(Option::flatten).collect(), odd })
}

fn called(reply: &Reply) -> String {
    match &reply.sample {
        Some(sample) => format!("{} of {sample}", reply.id),
        None => reply.id.clone(),
    }
}

/// The distinct pairs of source and target; who says nothing of the source means the speaker.
fn pairs<'a>(views: &'a [GoldViewpoint], speaker: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut found: Vec<(&str, &str)> = Vec::new();
    for view in views.iter().filter(|v| !v.target.is_empty()) {
        let pair = (if view.source.is_empty() { speaker } else { &view.source }, view.target.as_str());
        if !found.contains(&pair) {
            found.push(pair);
        }
    }
    found
}

/// Sets the right answers of a question of pairs to the pairs themselves, each with a place of its own.
pub(super) fn set_pairs(question: &mut Question, labels: &Labels) {
    for (i, row) in labels.table.rows.iter().enumerate() {
        question.truths[i] = Truth::Several((0..pairs(&labels.views[i], &row.speaker).len()).collect(), 0);
    }
}

/// The answers to a question's instances, in their order.
pub(super) fn answers(question: &Question, labels: &Labels, matched: &mut Matched) -> Vec<Prediction> {
    let mut found = Vec::with_capacity(question.members.len());
    for &instance in &question.members {
        let row = &labels.table.rows[instance];
        let answer = match &matched.said[instance] {
            Some(said) => {
                let (answer, outside) = answer(question, labels, instance, said);
                matched.odd.outside.extend(outside.into_iter().map(|name| format!("{name:?} of {}", row.id)));
                answer
            }
            None => ModelAnswer::Nothing,
        };
        found.push(Prediction { instance, fold: 0, answer, score: None, probabilities: Vec::new() });
    }
    found
}

/// What was said as an answer, and names that are in no closed set.
fn answer(question: &Question, labels: &Labels, instance: usize, said: &Said) -> (ModelAnswer, Vec<String>) {
    let row = &labels.table.rows[instance];
    match question.shape {
        Shape::Classes | Shape::Candidates => {
            let set = if question.shape == Shape::Classes { &question.classes } else { &row.candidates };
            let (mut places, outside) = places(set, &said.ranking);
            let ranks = matches!(question.scoring, Scoring::Ranking(_) | Scoring::Candidates);
            if ranks && labels.rule.pads_rankings {
                let more: Vec<usize> = (0..set.len()).filter(|i| !places.contains(i)).collect();
                places.extend(more);
            }
            places.truncate(if ranks { TOP } else { 1 });
            let nothing = places.is_empty();
            (if nothing { ModelAnswer::Nothing } else { ModelAnswer::Ranking(places) }, outside)
        }
        Shape::Pairs => {
            let gold = pairs(&labels.views[instance], &row.speaker);
            let all = pairs(&said.views, &row.speaker);
            let place =
                |(i, pair): (usize, &(&str, &str))| gold.iter().position(|g| g == pair).unwrap_or(gold.len() + i);
            (ModelAnswer::Several(all.iter().enumerate().map(place).collect()), Vec::new())
        }
        Shape::Levels if matches!(question.scoring, Scoring::Levels(_)) => {
            let (places, outside) = places(&question.classes, &said.ranking);
            (places.first().map_or(ModelAnswer::Nothing, |p| ModelAnswer::Number(*p as f64)), outside)
        }
        Shape::Levels | Shape::Number => match said.number {
            Some(number) => (ModelAnswer::Number(number), Vec::new()),
            // What is no number is no answer, and told.
            None => (ModelAnswer::Nothing, said.text.iter().chain(said.ranking.first()).take(1).cloned().collect()),
        },
    }
}

/// The places of the names in a set, each once, and names that are not in it. Case is passed over where the set has no
/// two names that differ by it alone.
fn places(set: &[String], names: &[String]) -> (Vec<usize>, Vec<String>) {
    let (mut found, mut outside) = (Vec::new(), Vec::new());
    for name in names.iter().filter(|n| !n.is_empty()) {
        let exact = set.iter().position(|s| s == name);
        let alike = || {
            let mut alike = (0..set.len()).filter(|i| set[*i].to_lowercase() == name.to_lowercase());
            alike.next().filter(|_| alike.next().is_none())
        };
        match exact.or_else(alike) {
            Some(place) if !found.contains(&place) => found.push(place),
            Some(_) => {}
            None => outside.push(name.clone()),
        }
    }
    (found, outside)
}

/// The measures by which texts of a task are compared; empty where its answers hold none.
pub(super) fn text_measures(labels: &Labels, files: &[Matched]) -> Vec<String> {
    let says = |any: fn(&Said) -> bool| files.iter().flat_map(|f| f.said.iter().flatten()).any(any);
    let of_views = labels.views.iter().any(|v| !v.is_empty());
    let named: &[&str] = if of_views && says(|s| s.views.iter().any(|v| !v.viewpoint.is_empty())) {
        &["viewpoint_token_f1", "viewpoint_chrf", "attitude_token_f1", "attitude_chrf"]
    } else if labels.has_texts() && says(|s| s.text.is_some()) {
        &["text_token_f1", "text_chrf"]
    } else {
        &[]
    };
    named.iter().map(|m| (*m).to_owned()).collect()
}

/// How near the texts of one file are to the right ones, in the order of `members`.
pub(super) fn compared(labels: &Labels, matched: &Matched, members: &[usize]) -> Vec<Prediction> {
    let of = |instance: &usize| {
        let row = &labels.table.rows[*instance];
        let answer = match &matched.said[*instance] {
            None => ModelAnswer::Nothing,
            Some(said) if labels.has_texts() => {
                let text = said.text.as_deref().unwrap_or_default();
                ModelAnswer::Compared(vec![token_f1(&row.label, text), chrf(&row.label, text)])
            }
            Some(said) => ModelAnswer::Compared(views_compared(row, &labels.views[*instance], said)),
        };
        Prediction { instance: *instance, fold: 0, answer, score: None, probabilities: Vec::new() }
    };
    members.iter().map(of).collect()
}

/// Each right viewpoint with that of the same pair whose words are nearest; 0 where there is none. Means over the right
/// ones.
fn views_compared(row: &TaskRow, gold: &[GoldViewpoint], said: &Said) -> Vec<f64> {
    let source = |v: &GoldViewpoint| if v.source.is_empty() { row.speaker.clone() } else { v.source.clone() };
    let mut sums = [0.0; 4];
    for right in gold {
        let same = said.views.iter().filter(|v| source(v) == source(right) && v.target == right.target);
        let nearest = same.max_by(|a, b| {
            let near = |v: &GoldViewpoint| token_f1(&right.viewpoint, &v.viewpoint);
            // Of equals the first.
            near(a).total_cmp(&near(b)).then(std::cmp::Ordering::Greater)
        });
        if let Some(v) = nearest {
            let all = [
                token_f1(&right.viewpoint, &v.viewpoint),
                chrf(&right.viewpoint, &v.viewpoint),
                token_f1(&right.attitude, &v.attitude),
                chrf(&right.attitude, &v.attitude),
            ];
            sums.iter_mut().zip(all).for_each(|(s, x)| *s += x);
        }
    }
    sums.iter().map(|s| s / gold.len().max(1) as f64).collect()
}
