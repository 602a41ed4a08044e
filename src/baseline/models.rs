//! The models: majority and prior here, those that learn in [`super::learners`], [`super::boosted`] and
//! [`super::fusion`]; each answers instances it was not fitted on.

use super::boosted::boosted;
use super::fusion::{Fusion, fused};
use super::importance::Shuffled;
use super::instances::{Ablation, TaskTable};
use super::learners::{Learner, Sense, learned};
use super::metrics::{ModelAnswer, Truth};
use super::notes::Notes;
use super::question::{Question, Shape};
use crate::random::Random;

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
    /// Of levels: see [`super::ordinal`].
    Ordinal,
    /// See [`super::boosted`].
    Boosted,
    /// The linear models of each sense put together, see [`super::fusion`].
    Fused(Fusion),
}

impl BaselineModel {
    /// As written in reports.
    pub(super) fn name(self) -> String {
        match self {
            BaselineModel::Majority => "majority".into(),
            BaselineModel::Prior => "prior".into(),
            BaselineModel::Linear(ablation) => format!("linear_{}", ablation.name()),
            BaselineModel::Ordinal => "ordinal_all".into(),
            BaselineModel::Boosted => "boosted_all".into(),
            BaselineModel::Fused(Fusion::Mean) => "fusion_mean".into(),
            BaselineModel::Fused(Fusion::Stacked) => "fusion_stacked".into(),
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
    /// Of each class, level or candidate, by its place; empty where the model has none.
    pub(super) probabilities: Vec<f64>,
}

/// An answer to one instance.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Told {
    pub(super) answer: ModelAnswer,
    pub(super) score: Option<f64>,
    pub(super) probabilities: Vec<f64>,
}

impl Told {
    pub(super) fn of(answer: ModelAnswer) -> Self {
        Told { answer, score: None, probabilities: Vec::new() }
    }
}

/// What the models of a fold came to.
#[derive(Clone, Debug, Default)]
pub(super) struct FoldOutcome {
    /// By model, in the order asked for.
    pub(super) predictions: Vec<Vec<Prediction>>,
    /// Of the boosted trees, where they are among the models.
    pub(super) shuffled: Option<Shuffled>,
    pub(super) notes: Notes,
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
pub(super) struct CandidateRow {
    pub(super) instance: usize,
    pub(super) candidate: usize,
}

impl Fold<'_> {
    /// The answers of each model for the test instances, in their order. What does not go as planned is told in the
    /// notes.
    pub(super) fn outcome(&self, models: &[BaselineModel]) -> FoldOutcome {
        let mut found = FoldOutcome::default();
        // The senses' own models are what is fused: they are fitted once.
        let mut senses: Vec<Sense> = Vec::new();
        for model in models {
            let told = match model {
                BaselineModel::Majority | BaselineModel::Prior => self.frequent(*model == BaselineModel::Prior),
                BaselineModel::Linear(ablation) => {
                    let (told, sense) = learned(self, (Learner::Linear, *ablation), *model, &mut found.notes);
                    senses.extend(sense.filter(|_| *ablation != Ablation::All));
                    told
                }
                BaselineModel::Ordinal => learned(self, (Learner::Ordinal, Ablation::All), *model, &mut found.notes).0,
                BaselineModel::Boosted => {
                    let (told, shuffled) = boosted(self, &mut found.notes);
                    found.shuffled = Some(shuffled);
                    told
                }
                BaselineModel::Fused(fusion) => fused(self, *fusion, &senses, &mut found.notes),
            };
            let prediction = |(i, told): (&usize, Told)| Prediction {
                instance: *i,
                fold: self.index,
                answer: told.answer,
                score: told.score,
                probabilities: told.probabilities,
            };
            found.predictions.push(self.test.iter().zip(told).map(prediction).collect());
        }
        found
    }

    /// The most frequent answers, or such drawn by frequency.
    pub(super) fn frequent(&self, draw: bool) -> Vec<Told> {
        match self.question.shape {
            Shape::Classes => self.frequent_classes(draw),
            Shape::Levels | Shape::Number => self.frequent_numbers(draw),
            Shape::Candidates | Shape::Pairs => self.frequent_candidates(draw),
        }
    }

    fn chance(&self, instance: usize) -> Random {
        Random::new(self.seed, &format!("prior {}", self.all.rows[instance].id))
    }

    pub(super) fn class(&self, instance: usize) -> Option<usize> {
        match self.question.truths[instance] {
            Truth::Class(place) => place,
            _ => None,
        }
    }

    pub(super) fn number(&self, instance: usize) -> f64 {
        match self.question.truths[instance] {
            Truth::Number(n) => n,
            _ => f64::NAN,
        }
    }

    pub(super) fn is_answer(&self, unit: CandidateRow) -> bool {
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

    fn frequent_classes(&self, draw: bool) -> Vec<Told> {
        let counts = self.class_counts(&self.train);
        let total: f64 = counts.iter().sum();
        let answer = |i: &usize| {
            let order = if draw {
                completed(self.chance(*i).weighted_order(&counts), counts.len())
            } else {
                best_first(&counts)
            };
            let shares: Vec<f64> = counts.iter().filter(|_| total > 0.0).map(|c| c / total).collect();
            let score = order.first().and_then(|c| shares.get(*c).copied());
            Told { answer: ModelAnswer::Ranking(order), score, probabilities: shares }
        };
        self.test.iter().map(answer).collect()
    }

    fn frequent_numbers(&self, draw: bool) -> Vec<Told> {
        let mut known: Vec<f64> = self.train.iter().map(|i| self.number(*i)).collect();
        known.sort_by(f64::total_cmp);
        let Some(median) = known.get(known.len().saturating_sub(1) / 2).copied() else {
            return self.test.iter().map(|_| Told::of(ModelAnswer::Number(0.0))).collect();
        };
        let answer = |i: &usize| {
            Told::of(ModelAnswer::Number(if draw { known[self.chance(*i).below(known.len())] } else { median }))
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
    pub(super) fn units(&self, instance: usize) -> impl Iterator<Item = CandidateRow> {
        let row = &self.all.rows[instance];
        let is_pairs = self.question.shape == Shape::Pairs;
        (0..row.candidates.len())
            .filter(move |c| !(is_pairs && row.candidates[*c] == row.speaker))
            .map(move |candidate| CandidateRow { instance, candidate })
    }

    fn frequent_candidates(&self, draw: bool) -> Vec<Told> {
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
            Told::of(match self.question.shape {
                Shape::Pairs => ModelAnswer::Several(order.into_iter().take(1).collect()),
                _ => ModelAnswer::Ranking(order),
            })
        };
        self.test.iter().map(answer).collect()
    }
}

/// Places by value, largest first, ties in order.
pub(super) fn best_first(values: &[f64]) -> Vec<usize> {
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
