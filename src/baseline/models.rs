//! The models: majority, prior, and a linear model for each sense; each answers instances it was not fitted on.

use std::collections::BTreeSet;

use super::design::{Column, KEPT_COLUMNS, Target, columns, kept, matrix, standardised};
use super::folds::folds;
use super::instances::{Ablation, Feature, TaskTable};
use super::linear::{MIDDLE, NET_PENALTIES, PENALTIES, classify, regress};
use super::metrics::{ModelAnswer, Truth};
use super::notes::Notes;
use super::question::{Question, Shape};
use crate::random::Random;
use crate::table::Modality;

/// Inner folds of the training groups; the first is held out to choose the penalty.
const INNER_FOLDS: usize = 4;

/// Viewpoints: a candidate at least so probable is answered; where none is, the most probable one.
const PAIR_PROBABILITY: f64 = 0.5;

/// A model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BaselineModel {
    /// Always the most frequent answer of the training groups, then the next; of numbers and levels the median. Of
    /// candidates those of the most frequent kind (group label, therapist, one person), in their order.
    Majority,
    /// Answers drawn with the training groups' frequencies.
    Prior,
    /// See [`super::linear`].
    Linear(Ablation),
}

impl BaselineModel {
    /// As written in reports.
    pub(super) fn name(self) -> String {
        match self {
            BaselineModel::Majority => "majority".into(),
            BaselineModel::Prior => "prior".into(),
            BaselineModel::Linear(ablation) => format!("linear_{}", ablation.name()),
        }
    }
}

/// What a model says of an instance.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Prediction {
    /// Place among the task's instances.
    pub(super) instance: usize,
    /// The fold it was held out in.
    pub(super) fold: usize,
    pub(super) answer: ModelAnswer,
    /// Probability of the first answer, where the model has one.
    pub(super) score: Option<f64>,
}

/// One fold of a question.
pub(super) struct Fold<'a> {
    pub(super) all: &'a TaskTable,
    pub(super) question: &'a Question,
    pub(super) index: usize,
    /// Places among the task's instances.
    pub(super) train: Vec<usize>,
    pub(super) test: Vec<usize>,
    pub(super) seed: u64,
}

/// A candidate of an instance: a row of the candidates' matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CandidateRow {
    instance: usize,
    candidate: usize,
}

impl Fold<'_> {
    /// The answers for the test instances, in their order. What does not go as planned is told in `notes`.
    pub(super) fn answers(&self, model: BaselineModel, notes: &mut Notes) -> Vec<Prediction> {
        let answers = match (model, self.question.shape) {
            (BaselineModel::Linear(ablation), Shape::Classes) => self.linear_classes(ablation, notes),
            (BaselineModel::Linear(ablation), Shape::Levels | Shape::Number) => self.linear_numbers(ablation, notes),
            (BaselineModel::Linear(ablation), Shape::Candidates | Shape::Pairs) => {
                self.linear_candidates(ablation, notes)
            }
            (_, Shape::Classes) => self.frequent_classes(model == BaselineModel::Prior),
            (_, Shape::Levels | Shape::Number) => self.frequent_numbers(model == BaselineModel::Prior),
            (_, Shape::Candidates | Shape::Pairs) => self.frequent_candidates(model == BaselineModel::Prior),
        };
        let prediction =
            |(i, (answer, score)): (&usize, _)| Prediction { instance: *i, fold: self.index, answer, score };
        self.test.iter().zip(answers).map(prediction).collect()
    }

    fn chance(&self, instance: usize) -> Random {
        Random::new(self.seed, &format!("prior {}", self.all.rows[instance].id))
    }

    fn class(&self, instance: usize) -> Option<usize> {
        match self.question.truths[instance] {
            Truth::Class(place) => place,
            _ => None,
        }
    }

    fn number(&self, instance: usize) -> f64 {
        match self.question.truths[instance] {
            Truth::Number(n) => n,
            _ => f64::NAN,
        }
    }

    fn is_answer(&self, unit: CandidateRow) -> bool {
        match &self.question.truths[unit.instance] {
            Truth::Class(place) => *place == Some(unit.candidate),
            Truth::Several(places, _) => places.contains(&unit.candidate),
            Truth::Number(_) => false,
        }
    }

    fn class_counts(&self, train: &[usize]) -> Vec<f64> {
        let mut counts = vec![0.0; self.question.classes.len()];
        train.iter().filter_map(|i| self.class(*i)).for_each(|c| counts[c] += 1.0);
        counts
    }

    fn frequent_classes(&self, draw: bool) -> Vec<(ModelAnswer, Option<f64>)> {
        let counts = self.class_counts(&self.train);
        let total: f64 = counts.iter().sum();
        let answer = |i: &usize| {
            let order = if draw {
                completed(self.chance(*i).weighted_order(&counts), counts.len())
            } else {
                best_first(&counts)
            };
            let share = order.first().filter(|_| total > 0.0).map(|c| counts[*c] / total);
            (ModelAnswer::Ranking(order), share)
        };
        self.test.iter().map(answer).collect()
    }

    fn frequent_numbers(&self, draw: bool) -> Vec<(ModelAnswer, Option<f64>)> {
        let mut known: Vec<f64> = self.train.iter().map(|i| self.number(*i)).collect();
        known.sort_by(f64::total_cmp);
        let Some(median) = known.get(known.len().saturating_sub(1) / 2).copied() else {
            return self.test.iter().map(|_| (ModelAnswer::Number(0.0), None)).collect();
        };
        let answer = |i: &usize| {
            (ModelAnswer::Number(if draw { known[self.chance(*i).below(known.len())] } else { median }), None)
        };
        self.test.iter().map(answer).collect()
    }

    /// Group label, therapist, or one person.
    fn role(&self, unit: CandidateRow) -> usize {
        let fact = |name: &str| {
            let place = self.all.facts.iter().position(|f| f == name);
            place.is_some_and(|f| self.all.rows[unit.instance].facts[unit.candidate][f] > 0.5)
        };
        if fact("candidates_is_group") { 0 } else { 1 + usize::from(fact("candidates_is_therapist")) }
    }

    /// The candidates of an instance; of pairs all but the speaker.
    fn units(&self, instance: usize) -> impl Iterator<Item = CandidateRow> {
        let row = &self.all.rows[instance];
        let is_pairs = self.question.shape == Shape::Pairs;
        (0..row.candidates.len())
            .filter(move |c| !(is_pairs && row.candidates[*c] == row.speaker))
            .map(move |candidate| CandidateRow { instance, candidate })
    }

    fn frequent_candidates(&self, draw: bool) -> Vec<(ModelAnswer, Option<f64>)> {
        let mut counts = [0.0; 3];
        for unit in self.train.iter().flat_map(|i| self.units(*i)).filter(|u| self.is_answer(*u)) {
            counts[self.role(unit)] += 1.0;
        }
        let answer = |i: &usize| {
            let units: Vec<CandidateRow> = self.units(*i).collect();
            let roles: Vec<usize> = units.iter().map(|u| self.role(*u)).collect();
            let order = if draw {
                let weights: Vec<f64> =
                    roles.iter().map(|r| counts[*r] / roles.iter().filter(|o| *o == r).count() as f64).collect();
                completed(self.chance(*i).weighted_order(&weights), units.len())
            } else {
                best_first(&roles.iter().map(|r| counts[*r]).collect::<Vec<_>>())
            };
            let order: Vec<usize> = order.into_iter().map(|u| units[u].candidate).collect();
            match self.question.shape {
                Shape::Pairs => (ModelAnswer::Several(order.into_iter().take(1).collect()), None),
                _ => (ModelAnswer::Ranking(order), None),
            }
        };
        self.test.iter().map(answer).collect()
    }

    fn features(&self, ablation: Ablation) -> impl Iterator<Item = &Feature> {
        self.all.features.iter().filter(move |f| f.given || ablation.shows(f.modality))
    }

    fn groups(&self, instances: &[usize]) -> Vec<&str> {
        instances.iter().map(|i| self.all.rows[*i].split_group.as_str()).collect()
    }

    /// The training instances in two, a fold of their groups held out; `None` where they are of one group.
    fn inner(&self) -> Option<(Vec<usize>, Vec<usize>)> {
        let place = folds(&self.groups(&self.train), INNER_FOLDS, self.seed);
        let half = |held: bool| {
            self.train.iter().zip(&place).filter(|(_, f)| (**f == 0) == held).map(|(i, _)| *i).collect::<Vec<_>>()
        };
        let (fit, held) = (half(false), half(true));
        (!fit.is_empty() && !held.is_empty()).then_some((fit, held))
    }

    /// The penalty with the least loss on the held-out training groups, by `loss(penalty, fit, held)`.
    fn penalty(&self, tried: [f64; 3], mut losses: impl FnMut(&[usize], &[usize]) -> Option<[f64; 3]>) -> f64 {
        let found = self.inner().and_then(|(fit, held)| losses(&fit, &held));
        let best = found.map_or(MIDDLE, |l| (0..l.len()).min_by(|a, b| l[*a].total_cmp(&l[*b])).unwrap_or(MIDDLE));
        tried[best]
    }

    fn linear_classes(&self, ablation: Ablation, notes: &mut Notes) -> Vec<(ModelAnswer, Option<f64>)> {
        let classes = self.question.classes.len();
        let targets: Vec<usize> = (0..self.all.rows.len()).map(|i| self.class(i).unwrap_or(0)).collect();
        let labelled = |list: &[usize]| list.iter().copied().filter(|i| self.class(*i).is_some()).collect::<Vec<_>>();
        let train = labelled(&self.train);
        let several = |list: &[usize]| list.windows(2).any(|w| targets[w[0]] != targets[w[1]]);
        let design =
            |fit: &[usize]| kept(columns(self.features(ablation), fit), fit, Target::Classes(&targets, classes));
        let solve = |columns: &[Column], fit: &[usize], penalty: f64, ask: &[usize]| {
            let y: Vec<usize> = fit.iter().map(|i| targets[*i]).collect();
            classify(&matrix(columns, fit), &y, classes, penalty, &matrix(columns, ask))
        };
        let loss = |fit: &[usize], held: &[usize]| {
            let (fit, held) = (labelled(fit), labelled(held));
            let columns = design(&fit);
            if columns.is_empty() || !several(&fit) || held.is_empty() {
                return None;
            }
            let one = |penalty| {
                let found = solve(&columns, &fit, penalty, &held).ok()?;
                Some(held.iter().zip(found).map(|(i, p)| log_loss(p[targets[*i]])).sum::<f64>())
            };
            Some(PENALTIES.map(|p| one(p).unwrap_or(f64::INFINITY)))
        };
        let columns = if several(&train) { design(&train) } else { Vec::new() };
        if !self.learnable(&columns, several(&train), ablation, notes) {
            return self.frequent_classes(false);
        }
        match solve(&columns, &train, self.penalty(PENALTIES, loss), &self.test) {
            Ok(found) => {
                let answer = |p: Vec<f64>| {
                    let order = best_first(&p);
                    let first = order.first().map(|c| p[*c]);
                    (ModelAnswer::Ranking(order), first)
                };
                found.into_iter().map(answer).collect()
            }
            Err(what) => self.failed(&what, ablation, notes, self.frequent_classes(false)),
        }
    }

    fn linear_numbers(&self, ablation: Ablation, notes: &mut Notes) -> Vec<(ModelAnswer, Option<f64>)> {
        let targets: Vec<f64> = (0..self.all.rows.len()).map(|i| self.number(i)).collect();
        let several = |list: &[usize]| list.windows(2).any(|w| (targets[w[0]] - targets[w[1]]).abs() > 0.0);
        let design = |fit: &[usize]| kept(columns(self.features(ablation), fit), fit, Target::Numbers(&targets));
        let solve = |columns: &[Column], fit: &[usize], penalty: f64, ask: &[usize]| {
            let y: Vec<f64> = fit.iter().map(|i| targets[*i]).collect();
            regress(&matrix(columns, fit), &y, penalty, &matrix(columns, ask))
        };
        let loss = |fit: &[usize], held: &[usize]| {
            let columns = design(fit);
            if columns.is_empty() || !several(fit) {
                return None;
            }
            let one = |penalty| {
                let found = solve(&columns, fit, penalty, held).ok()?;
                Some(held.iter().zip(found).map(|(i, p)| (p - targets[*i]).powi(2)).sum::<f64>())
            };
            Some(NET_PENALTIES.map(|p| one(p).unwrap_or(f64::INFINITY)))
        };
        let columns = if several(&self.train) { design(&self.train) } else { Vec::new() };
        if !self.learnable(&columns, several(&self.train), ablation, notes) {
            return self.frequent_numbers(false);
        }
        let top = self.question.classes.len().saturating_sub(1) as f64;
        let level = |x: f64| if self.question.shape == Shape::Levels { x.round_ties_even().clamp(0.0, top) } else { x };
        match solve(&columns, &self.train, self.penalty(NET_PENALTIES, loss), &self.test) {
            Ok(found) => found.into_iter().map(|x| (ModelAnswer::Number(level(x)), None)).collect(),
            Err(what) => self.failed(&what, ablation, notes, self.frequent_numbers(false)),
        }
    }

    fn linear_candidates(&self, ablation: Ablation, notes: &mut Notes) -> Vec<(ModelAnswer, Option<f64>)> {
        let units: Vec<CandidateRow> = self.question.members.iter().flat_map(|i| self.units(*i)).collect();
        let targets: Vec<usize> = units.iter().map(|u| usize::from(self.is_answer(*u))).collect();
        let rows_of = |list: &[usize]| {
            let wanted: BTreeSet<usize> = list.iter().copied().collect();
            (0..units.len()).filter(|u| wanted.contains(&units[*u].instance)).collect::<Vec<_>>()
        };
        let several = |rows: &[usize]| rows.windows(2).any(|w| targets[w[0]] != targets[w[1]]);
        let solve = |columns: &[Column], fit: &[usize], penalty: f64, ask: &[usize]| {
            let y: Vec<usize> = fit.iter().map(|u| targets[*u]).collect();
            classify(&matrix(columns, fit), &y, 2, penalty, &matrix(columns, ask))
        };
        let loss = |fit: &[usize], held: &[usize]| {
            let (rows, asked) = (rows_of(fit), rows_of(held));
            if !several(&rows) || asked.is_empty() {
                return None;
            }
            let columns = self.candidate_columns(ablation, &units, &targets, fit, &rows);
            if columns.is_empty() {
                return None;
            }
            let one = |penalty| {
                let found = solve(&columns, &rows, penalty, &asked).ok()?;
                Some(asked.iter().zip(found).map(|(u, p)| log_loss(p[targets[*u]])).sum::<f64>())
            };
            Some(PENALTIES.map(|p| one(p).unwrap_or(f64::INFINITY)))
        };
        let (train, test) = (rows_of(&self.train), rows_of(&self.test));
        let columns = if several(&train) {
            self.candidate_columns(ablation, &units, &targets, &self.train, &train)
        } else {
            Vec::new()
        };
        if !self.learnable(&columns, several(&train), ablation, notes) {
            return self.frequent_candidates(false);
        }
        let found = match solve(&columns, &train, self.penalty(PENALTIES, loss), &test) {
            Ok(found) => found,
            Err(what) => return self.failed(&what, ablation, notes, self.frequent_candidates(false)),
        };
        let answer = |i: &usize| {
            let own: Vec<(usize, f64)> = test
                .iter()
                .zip(&found)
                .filter(|(u, _)| units[**u].instance == *i)
                .map(|(u, p)| (units[*u].candidate, p[1]))
                .collect();
            let order = best_first(&own.iter().map(|(_, p)| *p).collect::<Vec<_>>());
            let first = order.first().map(|o| own[*o].1);
            let answer = match self.question.shape {
                Shape::Pairs => {
                    let sure = order.iter().filter(|o| own[**o].1 >= PAIR_PROBABILITY).count().max(1);
                    ModelAnswer::Several(order.iter().take(sure).map(|o| own[*o].0).collect())
                }
                _ => ModelAnswer::Ranking(order.iter().map(|o| own[*o].0).collect()),
            };
            (answer, first)
        };
        self.test.iter().map(answer).collect()
    }

    /// Columns over candidates. An instance's features are the same for all of its candidates and tell them apart only
    /// together with what a candidate is: the group label or the therapist, and who spoke or was spoken to last. Those
    /// two marks are in every ablation; the other facts about candidates are timing.
    fn candidate_columns(
        &self,
        ablation: Ablation,
        units: &[CandidateRow],
        targets: &[usize],
        fit: &[usize],
        rows: &[usize],
    ) -> Vec<Column> {
        let marks: [&str; 2] = match self.question.shape {
            Shape::Pairs => ["candidates_is_therapist", "candidates_named_last"],
            _ => ["candidates_is_group", "candidates_spoke_last"],
        };
        let fact = |f: usize| units.iter().map(|u| self.all.rows[u.instance].facts[u.candidate][f]).collect::<Column>();
        let with_facts = ablation.shows(Modality::Timing);
        let wanted = |name: &str| with_facts || marks.contains(&name);
        let facts = self.all.facts.iter().enumerate().filter(|(_, name)| wanted(name));
        let mut found: Vec<Column> = facts.filter_map(|(f, _)| standardised(fact(f), rows)).collect();
        let marks: Vec<Column> =
            marks.iter().filter_map(|m| Some(fact(self.all.facts.iter().position(|f| f == m)?))).collect();
        let target = Target::Classes(targets, 2);
        for column in columns(self.features(ablation), fit) {
            for mark in &marks {
                let both = units.iter().zip(mark).map(|(u, m)| m * column[u.instance]).collect();
                found.extend(standardised(both, rows));
            }
            // Not all of them at once: there are twice as many as features, each as long as there are candidates.
            if found.len() > 2 * KEPT_COLUMNS {
                found = kept(found, rows, target);
            }
        }
        kept(found, rows, target)
    }

    /// Whether there is anything to fit; tells why not.
    fn learnable(&self, columns: &[Column], several: bool, ablation: Ablation, notes: &mut Notes) -> bool {
        let model = BaselineModel::Linear(ablation).name();
        if !several {
            let what = format!("all training labels are the same, {model} answers with them");
            notes.add_in_fold(&self.question.part, self.index, what);
        } else if columns.is_empty() {
            let what = format!("no feature has values that differ, {model} answers as majority");
            notes.add_in_fold(&self.question.part, self.index, what);
        }
        several && !columns.is_empty()
    }

    fn failed<T>(&self, what: &str, ablation: Ablation, notes: &mut Notes, instead: T) -> T {
        let what =
            format!("{} could not be fitted ({what}), it answers as majority", BaselineModel::Linear(ablation).name());
        notes.add_in_fold(&self.question.part, self.index, what);
        instead
    }
}

/// Of a probability; bounded, so that one sure mistake does not decide everything.
fn log_loss(p: f64) -> f64 {
    -p.max(1e-6).ln()
}

/// Places by value, largest first, ties in order.
fn best_first(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
    order
}

/// The order, then the places it lacks.
fn completed(mut order: Vec<usize>, n: usize) -> Vec<usize> {
    let missing: Vec<usize> = (0..n).filter(|i| !order.contains(i)).collect();
    order.extend(missing);
    order
}
