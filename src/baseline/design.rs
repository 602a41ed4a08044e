//! From features to a matrix, everything fitted on the training rows alone: medians for what is missing with a column
//! that tells where, mean 0 and spread 1, and the columns that are most associated with the answer.

use std::collections::BTreeSet;

use linfa_ndarray::Array2;

use super::instances::Feature;

/// So many columns are kept at most, the most associated ones: a choice. Task tables have about as many columns as
/// instances, and what a linear model can learn from those left out it does not make up for by their noise.
pub(super) const KEPT_COLUMNS: usize = 200;

/// Values further out are drawn in: a choice, against single wild measurements.
const FURTHEST_SDS: f64 = 5.0;

/// Spreads below this share of a column's size are rounding.
const CONSTANT: f64 = 1e-9;

/// A column over all rows, standardised by the training rows.
pub(super) type Column = Vec<f64>;

/// What the association of columns is measured with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target<'a> {
    /// One-way analysis of variance.
    Classes(&'a [usize], usize),
    /// Squared correlation.
    Numbers(&'a [f64]),
}

/// The features as standardised columns over all rows; those without a value or without spread in the training rows are
/// dropped.
pub(super) fn columns<'a>(features: impl Iterator<Item = &'a Feature>, train: &[usize]) -> Vec<Column> {
    let mut found = Vec::new();
    let mut gaps: BTreeSet<Vec<bool>> = BTreeSet::new();
    for feature in features {
        let mut known: Vec<f64> = train.iter().map(|i| feature.values[*i]).filter(|v| v.is_finite()).collect();
        if known.is_empty() {
            continue;
        }
        let is_missing: Vec<bool> = feature.values.iter().map(|v| !v.is_finite()).collect();
        let median = median(&mut known);
        let filled = feature.values.iter().map(|v| if v.is_finite() { *v } else { median }).collect();
        found.extend(standardised(filled, train));
        // Where all columns of a camera or a microphone are missing together, one column tells it.
        if is_missing.contains(&true) && gaps.insert(is_missing.clone()) {
            found.extend(standardised(is_missing.iter().map(|m| f64::from(u8::from(*m))).collect(), train));
        }
    }
    found
}

fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    if below.len() == middle && values.len().is_multiple_of(2) {
        let lower = values[..middle].iter().copied().fold(f64::MIN, f64::max);
        return f64::midpoint(lower, upper);
    }
    upper
}

/// `None` without spread in the training rows.
pub(super) fn standardised(mut column: Column, train: &[usize]) -> Option<Column> {
    let n = train.len() as f64;
    let mean = train.iter().map(|i| column[*i]).sum::<f64>() / n;
    let sd = (train.iter().map(|i| (column[*i] - mean).powi(2)).sum::<f64>() / n).sqrt();
    let size = train.iter().map(|i| column[*i].abs()).fold(0.0, f64::max);
    if !sd.is_finite() || sd <= CONSTANT * size || sd <= f64::MIN_POSITIVE {
        return None;
    }
    for value in &mut column {
        *value = ((*value - mean) / sd).clamp(-FURTHEST_SDS, FURTHEST_SDS);
    }
    Some(column)
}

/// The most associated columns over `train`, in their order.
pub(super) fn kept(columns: Vec<Column>, train: &[usize], target: Target<'_>) -> Vec<Column> {
    if columns.len() <= KEPT_COLUMNS {
        return columns;
    }
    let mut order: Vec<(usize, f64)> = columns.iter().map(|c| association(c, train, target)).enumerate().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let chosen: BTreeSet<usize> = order.into_iter().take(KEPT_COLUMNS).map(|(i, _)| i).collect();
    columns.into_iter().enumerate().filter(|(i, _)| chosen.contains(i)).map(|(_, c)| c).collect()
}

/// Share of the column's variance that the target explains, 0 to 1: it orders columns as the F statistic does.
fn association(column: &[f64], train: &[usize], target: Target<'_>) -> f64 {
    let n = train.len() as f64;
    let mean = train.iter().map(|i| column[*i]).sum::<f64>() / n;
    let total: f64 = train.iter().map(|i| (column[*i] - mean).powi(2)).sum();
    if total <= 0.0 {
        return 0.0;
    }
    match target {
        Target::Classes(classes, size) => {
            let mut sums = vec![(0.0, 0.0); size];
            for i in train {
                let cell = &mut sums[classes[*i]];
                *cell = (cell.0 + column[*i] - mean, cell.1 + 1.0);
            }
            sums.iter().filter(|(_, n)| *n > 0.0).map(|(s, n)| s * s / n).sum::<f64>() / total
        }
        Target::Numbers(numbers) => {
            let middle = train.iter().map(|i| numbers[*i]).sum::<f64>() / n;
            let (mut both, mut own) = (0.0, 0.0);
            for i in train {
                both += (column[*i] - mean) * (numbers[*i] - middle);
                own += (numbers[*i] - middle).powi(2);
            }
            if own > 0.0 { both * both / (own * total) } else { 0.0 }
        }
    }
}

/// Rows of columns as a matrix.
pub(super) fn matrix(columns: &[Column], rows: &[usize]) -> Array2<f64> {
    Array2::from_shape_fn((rows.len(), columns.len()), |(r, c)| columns[c][rows[r]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Modality;

    fn feature(values: &[f64]) -> Feature {
        Feature { name: "turns.x@0".into(), modality: Modality::None, given: false, values: values.to_vec() }
    }

    #[test]
    fn what_is_fitted_sees_the_training_rows_alone() {
        let nan = f64::NAN;
        let all = [feature(&[1.0, 3.0, nan, 1000.0, nan])];
        let found = columns(all.iter(), &[0, 1, 2]);
        // Median 2 fills the gap; mean 2, sd sqrt(2/3); the wild test row is drawn in.
        let sd = (2.0_f64 / 3.0).sqrt();
        for (value, expected) in found[0].iter().zip([-1.0 / sd, 1.0 / sd, 0.0, 5.0, 0.0]) {
            assert!((value - expected).abs() < 1e-12, "{value} {expected}");
        }
        assert_eq!(found.len(), 2);
        assert!(found[1][2] > 0.0 && found[1][0] < 0.0 && (found[1][2] - found[1][4]).abs() < 1e-12);
    }

    #[test]
    fn columns_without_value_or_spread_are_dropped() {
        let nan = f64::NAN;
        let all = [
            feature(&[nan, nan, 5.0]),
            feature(&[4.0, 4.0, 5.0]),
            feature(&[0.1 + 0.2, 0.3, 9.0]),
            feature(&[nan, 7.0, nan]),
        ];
        // Of the last the gap itself is left: it differs in the training rows.
        assert_eq!(columns(all.iter(), &[0, 1]).len(), 1);
    }

    #[test]
    fn one_column_tells_of_gaps_in_the_same_rows() {
        let nan = f64::NAN;
        let all = [feature(&[1.0, 2.0, nan, 4.0]), feature(&[3.0, 1.0, nan, 2.0])];
        assert_eq!(columns(all.iter(), &[0, 1, 2, 3]).len(), 3);
    }

    #[test]
    fn the_most_associated_columns_stay() {
        let classes: Vec<usize> = (0..40).map(|i| i % 2).collect();
        let noise = |seed: usize| (0..40).map(|i| ((i * 7919 + seed * 104_729) % 97) as f64).collect::<Column>();
        let mut all: Vec<Column> = (0..KEPT_COLUMNS + 50).map(noise).collect();
        all[133] = classes.iter().map(|c| *c as f64).collect();
        let train: Vec<usize> = (0..40).collect();
        let left = kept(all.clone(), &train, Target::Classes(&classes, 2));
        assert_eq!(left.len(), KEPT_COLUMNS);
        assert!(left.contains(&all[133]));
        let numbers: Vec<f64> = classes.iter().map(|c| *c as f64).collect();
        assert!((association(&all[133], &train, Target::Numbers(&numbers)) - 1.0).abs() < 1e-12);
        assert!((association(&all[133], &train, Target::Classes(&classes, 2)) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn medians_of_even_and_odd_lists() {
        assert!((median(&mut [4.0, 1.0, 3.0, 2.0]) - 2.5).abs() < 1e-12);
        assert!((median(&mut [4.0, 1.0, 3.0]) - 3.0).abs() < 1e-12);
    }
}
