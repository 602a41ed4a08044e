//! What the models of a fold learn: rows, which are instances or their candidates, with a target each; and the answers
//! that outputs for rows come to.

use std::collections::BTreeSet;

use super::design::{Column, KEPT_COLUMNS, Target, columns, kept, standardised};
use super::folds::parted;
use super::instances::{Ablation, Feature};
use super::metrics::ModelAnswer;
use super::models::{CandidateRow, Fold, Told, best_first};
use super::question::Shape;

/// Inner folds of the training groups, for choices that are made inside them.
const INNER_FOLDS: usize = 4;

/// Viewpoints: a candidate at least so probable is answered; where none is, the most probable one.
const PAIR_PROBABILITY: f64 = 0.5;

/// What a model puts out for each row: probabilities by class or level, the probability of being the answer, or a
/// number.
pub(super) type Outputs = Vec<Vec<f64>>;

/// What a row's target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// A class of so many.
    Classes(usize),
    /// A level of so many, told by the probabilities of all.
    Levels(usize),
    /// A number, or a level as a number.
    Number,
    /// Whether a candidate is an answer: 1 or 0.
    Member,
}

/// A fold's problem.
pub(super) struct Problem<'a> {
    pub(super) fold: &'a Fold<'a>,
    pub(super) goal: Goal,
    /// Of all members, held out or not. Where rows are instances their places are those of the task's instances.
    pub(super) rows: Vec<CandidateRow>,
    /// By row; NaN where the label is outside of the closed set.
    pub(super) targets: Vec<f64>,
}

impl<'a> Problem<'a> {
    /// `ordered` = levels as probabilities, instead of one number.
    pub(super) fn new(fold: &'a Fold<'a>, ordered: bool) -> Self {
        let size = fold.question.classes.len();
        let goal = match fold.question.shape {
            Shape::Classes => Goal::Classes(size),
            Shape::Levels if ordered => Goal::Levels(size),
            Shape::Levels | Shape::Number => Goal::Number,
            Shape::Candidates | Shape::Pairs => Goal::Member,
        };
        let instance = |instance| CandidateRow { instance, candidate: 0 };
        let rows: Vec<CandidateRow> = match goal {
            Goal::Member => fold.question.members.iter().flat_map(|i| fold.units(*i)).collect(),
            _ => (0..fold.all.rows.len()).map(instance).collect(),
        };
        let target = |row: &CandidateRow| match goal {
            Goal::Classes(_) => fold.class(row.instance).map_or(f64::NAN, |c| c as f64),
            Goal::Levels(_) | Goal::Number => fold.number(row.instance),
            Goal::Member => f64::from(u8::from(fold.is_answer(*row))),
        };
        let targets = rows.iter().map(target).collect();
        Problem { fold, goal, rows, targets }
    }

    /// The rows of these instances.
    pub(super) fn rows_of(&self, instances: &[usize]) -> Vec<usize> {
        if self.goal != Goal::Member {
            return instances.to_vec();
        }
        let wanted: BTreeSet<usize> = instances.iter().copied().collect();
        (0..self.rows.len()).filter(|r| wanted.contains(&self.rows[*r].instance)).collect()
    }

    /// The rows of these instances that have a target.
    pub(super) fn labelled(&self, instances: &[usize]) -> Vec<usize> {
        self.rows_of(instances).into_iter().filter(|r| self.targets[*r].is_finite()).collect()
    }

    /// True where not all targets are the same.
    pub(super) fn varied(&self, rows: &[usize]) -> bool {
        rows.windows(2).any(|w| (self.targets[w[0]] - self.targets[w[1]]).abs() > 0.0)
    }

    /// Targets as places, for classes, levels and members; 0 where there is none.
    pub(super) fn places(&self, rows: &[usize]) -> Vec<usize> {
        rows.iter().map(|r| if self.targets[*r] > 0.0 { self.targets[*r] as usize } else { 0 }).collect()
    }

    /// How far an output is from a row's target: log loss, or the square of the difference.
    pub(super) fn loss(&self, row: usize, output: &[f64]) -> f64 {
        let target = self.targets[row];
        match self.goal {
            Goal::Classes(_) | Goal::Levels(_) => log_loss(output[target as usize]),
            Goal::Member => log_loss(if target > 0.5 { output[0] } else { 1.0 - output[0] }),
            Goal::Number => (output[0] - target).powi(2),
        }
    }

    /// The training instances parted into inner folds of their groups, each time those fitted on and those held out;
    /// none where they are of one group.
    pub(super) fn inner(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        let fold = self.fold;
        let groups: Vec<&str> = fold.train.iter().map(|i| fold.all.rows[*i].split_group.as_str()).collect();
        let parts = parted(&fold.train, &groups, INNER_FOLDS, fold.seed);
        parts.into_iter().filter(|(fit, held)| !fit.is_empty() && !held.is_empty()).collect()
    }

    /// The instances' features that an ablation looks at.
    pub(super) fn features(&self, ablation: Ablation) -> impl Iterator<Item = &'a Feature> {
        self.fold.all.features.iter().filter(move |f| f.given || ablation.shows(f.modality))
    }

    /// Standardised columns over all rows, fitted on the rows of `instances` that have a target.
    pub(super) fn design(&self, ablation: Ablation, instances: &[usize]) -> Vec<Column> {
        let fit = self.labelled(instances);
        let classes = self.places(&(0..self.rows.len()).collect::<Vec<_>>());
        let target = match self.goal {
            Goal::Classes(size) => Target::Classes(&classes, size),
            Goal::Member => Target::Classes(&classes, 2),
            Goal::Levels(_) | Goal::Number => Target::Numbers(&self.targets),
        };
        if self.goal == Goal::Member {
            return self.candidate_columns(ablation, instances, &fit, target);
        }
        kept(columns(self.features(ablation), &fit), &fit, target)
    }

    /// Columns over candidates. An instance's features are the same for all of its candidates and tell them apart only
    /// together with what a candidate is: the group label or the therapist, and who spoke or was spoken to last. Those
    /// two marks are in every ablation; the other facts about candidates are timing.
    fn candidate_columns(
        &self,
        ablation: Ablation,
        instances: &[usize],
        fit: &[usize],
        target: Target<'_>,
    ) -> Vec<Column> {
        let all = self.fold.all;
        let marks = self.marks();
        let wanted = |name: &str| all.shows_fact(ablation, name) || marks.contains(&name);
        let facts = all.facts.iter().enumerate().filter(|(_, name)| wanted(name));
        let mut found: Vec<Column> = facts.filter_map(|(f, _)| standardised(self.known_fact(f), fit)).collect();
        let marks: Vec<Column> =
            marks.iter().filter_map(|m| Some(self.known_fact(all.facts.iter().position(|f| f == m)?))).collect();
        for column in columns(self.features(ablation), instances) {
            for mark in &marks {
                let both = self.rows.iter().zip(mark).map(|(u, m)| m * column[u.instance]).collect();
                found.extend(standardised(both, fit));
            }
            // Not all of them at once: there are twice as many as features, each as long as there are candidates.
            if found.len() > 2 * KEPT_COLUMNS {
                found = kept(found, fit, target);
            }
        }
        kept(found, fit, target)
    }

    fn marks(&self) -> [&'static str; 2] {
        match self.fold.question.shape {
            Shape::Pairs => ["candidates_is_therapist", "candidates_named_last"],
            _ => ["candidates_is_group", "candidates_spoke_last"],
        }
    }

    /// A fact about candidates, by row; 0 where it is not known: that of two people none is more.
    fn known_fact(&self, place: usize) -> Column {
        self.fact(place).into_iter().map(|x| if x.is_finite() { x } else { 0.0 }).collect()
    }

    /// A fact about candidates, by row; NaN = missing.
    pub(super) fn fact(&self, place: usize) -> Column {
        self.rows.iter().map(|u| self.fold.all.rows[u.instance].facts[u.candidate][place]).collect()
    }

    /// The answers to the test instances, in their order, by the outputs for their rows.
    pub(super) fn answers(&self, outputs: &Outputs) -> Vec<Told> {
        match self.goal {
            Goal::Classes(_) => outputs.iter().map(|p| ranked(p.clone())).collect(),
            Goal::Levels(_) => outputs.iter().map(|p| self.expected(p)).collect(),
            Goal::Number => outputs.iter().map(|x| Told::of(ModelAnswer::Number(self.level(x[0])))).collect(),
            Goal::Member => self.chosen_candidates(outputs),
        }
    }

    /// A number as an answer: of levels the nearest.
    fn level(&self, x: f64) -> f64 {
        let top = self.fold.question.classes.len().saturating_sub(1) as f64;
        if self.fold.question.shape == Shape::Levels { x.round_ties_even().clamp(0.0, top) } else { x }
    }

    /// The level nearest to the mean of the levels' probabilities.
    fn expected(&self, probabilities: &[f64]) -> Told {
        let level = self.level(probabilities.iter().enumerate().map(|(k, p)| k as f64 * p).sum());
        let score = probabilities.get(level as usize).copied();
        Told { answer: ModelAnswer::Number(level), score, probabilities: probabilities.to_vec() }
    }

    fn chosen_candidates(&self, outputs: &Outputs) -> Vec<Told> {
        let rows = self.rows_of(&self.fold.test);
        let answer = |i: &usize| {
            let own: Vec<(usize, f64)> = rows
                .iter()
                .zip(outputs)
                .filter(|(u, _)| self.rows[**u].instance == *i)
                .map(|(u, p)| (self.rows[*u].candidate, p[0]))
                .collect();
            let order = best_first(&own.iter().map(|(_, p)| *p).collect::<Vec<_>>());
            let mut probabilities = vec![0.0; self.fold.all.rows[*i].candidates.len()];
            own.iter().for_each(|(c, p)| probabilities[*c] = *p);
            let answer = match self.fold.question.shape {
                Shape::Pairs => {
                    let sure = order.iter().filter(|o| own[**o].1 >= PAIR_PROBABILITY).count().max(1);
                    ModelAnswer::Several(order.iter().take(sure).map(|o| own[*o].0).collect())
                }
                _ => ModelAnswer::Ranking(order.iter().map(|o| own[*o].0).collect()),
            };
            Told { answer, score: order.first().map(|o| own[*o].1), probabilities }
        };
        self.fold.test.iter().map(answer).collect()
    }
}

fn ranked(probabilities: Vec<f64>) -> Told {
    let order = best_first(&probabilities);
    let score = order.first().map(|c| probabilities[*c]);
    Told { answer: ModelAnswer::Ranking(order), score, probabilities }
}

/// Of a probability; bounded, so that one sure mistake does not decide everything.
pub(super) fn log_loss(p: f64) -> f64 {
    -p.max(1e-6).ln()
}
