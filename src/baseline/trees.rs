//! Gradient-boosted trees by forust, the only door to it: log loss or squares, a missing value goes down the better
//! branch of each split (Chen & Guestrin 2016). No rows or columns are drawn, so there is no chance in it, and one
//! thread grows the trees.

use std::collections::BTreeMap;

use forust_ml::gradientbooster::{GradientBooster, ImportanceMethod};
use forust_ml::metric::Metric;
use forust_ml::objective::ObjectiveType;

use forust_ml::Matrix;

/// Trees at most, and how many more are grown after the held-out loss was least.
pub(super) const ROUNDS: usize = 120;
const PATIENCE: usize = 12;

/// A tree's share of the answer: a choice, as the number of trees is chosen to it.
const LEARNING_RATE: f32 = 0.1;

/// Bins of a feature's values: a choice; finer cuts than these are noise in a few hundred rows.
const BINS: u16 = 32;

/// Least rows of a leaf of squares, and least sum of p(1-p) of one of log loss: choices.
const LEAST_ROWS: f32 = 8.0;
const LEAST_WEIGHT: f32 = 2.0;

/// Penalty of a leaf's value: a choice.
const L2: f32 = 1.0;

/// Columns, each over the same rows.
pub(super) struct Sheet {
    data: Vec<f64>,
    rows: usize,
    columns: usize,
}

impl Sheet {
    /// The rows `rows` of these columns.
    pub(super) fn new<'a>(columns: impl Iterator<Item = &'a [f64]>, rows: &[usize]) -> Self {
        let (mut data, mut count) = (Vec::new(), 0);
        for column in columns {
            data.extend(rows.iter().map(|r| column[*r]));
            count += 1;
        }
        Sheet { data, rows: rows.len(), columns: count }
    }

    fn matrix(&self) -> Matrix<'_, f64> {
        Matrix::new(&self.data, self.rows, self.columns)
    }

    /// A column's values, to be changed.
    pub(super) fn column_mut(&mut self, place: usize) -> &mut [f64] {
        &mut self.data[place * self.rows..(place + 1) * self.rows]
    }
}

/// What is learnt, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Growth {
    /// Yes or no, by log loss; else numbers, by squares.
    pub(super) logistic: bool,
    /// Splits from root to leaf at most.
    pub(super) depth: usize,
    /// Trees.
    pub(super) rounds: usize,
}

/// Trees that were grown.
pub(super) struct Trees {
    booster: GradientBooster,
    logistic: bool,
    /// Numbers are learnt with mean 0 and spread 1.
    scale: (f64, f64),
}

impl Trees {
    /// Grows trees on targets that are not all the same; with held-out rows the growth ends when they gain no more.
    ///
    /// What fails is told in words.
    pub(super) fn grow(growth: Growth, x: &Sheet, y: &[f64], held: Option<(&Sheet, &[f64])>) -> Result<Self, String> {
        let n = y.len() as f64;
        let mean = y.iter().sum::<f64>() / n;
        let sd = (y.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
        if sd <= f64::MIN_POSITIVE || !sd.is_finite() {
            return Err("the targets do not differ".into());
        }
        let scale = if growth.logistic { (0.0, 1.0) } else { (mean, sd) };
        let scaled = |y: &[f64]| y.iter().map(|v| (v - scale.0) / scale.1).collect::<Vec<f64>>();
        let base = if growth.logistic { (mean / (1.0 - mean)).ln() } else { 0.0 };
        let objective = if growth.logistic { ObjectiveType::LogLoss } else { ObjectiveType::SquaredLoss };
        let metric = if growth.logistic { Metric::LogLoss } else { Metric::RootMeanSquaredError };
        let mut booster = GradientBooster::default()
            .set_objective_type(objective)
            .set_iterations(growth.rounds)
            .set_learning_rate(LEARNING_RATE)
            .set_max_depth(growth.depth)
            .set_nbins(BINS)
            .set_l2(L2)
            .set_min_leaf_weight(if growth.logistic { LEAST_WEIGHT } else { LEAST_ROWS })
            .set_initialize_base_score(false)
            .set_base_score(base)
            .set_parallel(false)
            .set_evaluation_metric(Some(metric))
            .set_early_stopping_rounds(held.as_ref().map(|_| PATIENCE));
        let own = scaled(y);
        let (matrix, theirs) = (x.matrix(), held.as_ref().map(|(_, y)| scaled(y)));
        let weights = vec![1.0; theirs.as_ref().map_or(0, Vec::len)];
        let others = match (&held, &theirs) {
            (Some((sheet, _)), Some(y)) => Some(vec![(sheet.matrix(), y.as_slice(), weights.as_slice())]),
            _ => None,
        };
        booster.fit_unweighted(&matrix, &own, others).map_err(|e| e.to_string())?;
        let trees = Trees { booster, logistic: growth.logistic, scale };
        if trees.predict(x).iter().any(|v| !v.is_finite()) {
            return Err("the predictions are not finite".into());
        }
        Ok(trees)
    }

    /// The held-out loss after each tree, a mean over rows, in the targets' own units.
    pub(super) fn course(&self) -> Vec<f64> {
        let Some(history) = &self.booster.evaluation_history else { return Vec::new() };
        let told = |m: f64| if self.logistic { m } else { (m * self.scale.1).powi(2) };
        (0..history.rows).map(|i| told(*history.get(i, 0))).collect()
    }

    /// Probabilities, or numbers.
    pub(super) fn predict(&self, ask: &Sheet) -> Vec<f64> {
        let found = self.booster.predict(&ask.matrix(), false);
        let told = |v: f64| if self.logistic { 1.0 / (1.0 + (-v).exp()) } else { self.scale.0 + self.scale.1 * v };
        found.into_iter().map(told).collect()
    }

    /// The same trees, the first so many of them; all where there are not so many.
    pub(super) fn first(mut self, rounds: usize) -> Self {
        // The crate's setter takes the place of the last tree, not their number.
        self.booster.prediction_iteration = Some(rounds.min(self.booster.trees.len()));
        self
    }

    /// The columns that any split asks, each with what its splits gained.
    pub(super) fn asked(&self) -> BTreeMap<usize, f64> {
        let gains = self.booster.calculate_feature_importance(ImportanceMethod::TotalGain, false);
        gains.into_iter().map(|(column, gain)| (column, f64::from(gain))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_step_with_gaps_is_learnt_and_the_gaps_tell_too() {
        let mut random = Random::seeded(1);
        let n = 400;
        let x: Vec<f64> = (0..n).map(|i| if i % 4 == 0 { f64::NAN } else { random.signed() }).collect();
        // Missing means yes, and so does above a half.
        let y: Vec<f64> = x.iter().map(|v| f64::from(u8::from(v.is_nan() || *v > 0.5))).collect();
        let rows: Vec<usize> = (0..n).collect();
        let sheet = Sheet::new([x.as_slice()].into_iter(), &rows);
        let growth = Growth { logistic: true, depth: 2, rounds: 40 };
        let found = Trees::grow(growth, &sheet, &y, None).unwrap().predict(&sheet);
        let wrong = found.iter().zip(&y).filter(|(p, y)| (**p - **y).abs() > 0.3).count();
        assert!(wrong <= 4, "{wrong} of {n}");
    }

    #[test]
    fn numbers_keep_their_units_and_the_course_is_their_squares() {
        let mut random = Random::seeded(2);
        let x: Vec<f64> = (0..600).map(|_| random.signed()).collect();
        let y: Vec<f64> = x.iter().map(|v| 1000.0 + 50.0 * v.abs()).collect();
        let (fit, held): (Vec<usize>, Vec<usize>) = (0..600).partition(|i| i % 3 > 0);
        let sheet = |rows: &[usize]| Sheet::new([x.as_slice()].into_iter(), rows);
        let of = |rows: &[usize]| rows.iter().map(|r| y[*r]).collect::<Vec<f64>>();
        let growth = Growth { logistic: false, depth: 4, rounds: ROUNDS };
        let trees = Trees::grow(growth, &sheet(&fit), &of(&fit), Some((&sheet(&held), &of(&held)))).unwrap();
        let course = trees.course();
        let at = (0..course.len()).min_by(|a, b| course[*a].total_cmp(&course[*b])).unwrap();
        let found = trees.first(at + 1).predict(&sheet(&held));
        let squares = found.iter().zip(of(&held)).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / held.len() as f64;
        assert!((squares - course[at]).abs() < 1e-6 * course[at] && squares < 25.0, "{squares} {}", course[at]);
    }
}
