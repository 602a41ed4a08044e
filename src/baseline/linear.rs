//! Regularised linear models, by linfa: multinomial logistic regression with L2, and the elastic net for numbers.

use linfa::DatasetBase;
use linfa::traits::{Fit, Predict};
use linfa_elasticnet::ElasticNet;
use linfa_logistic::MultiLogisticRegression;
use linfa_ndarray::{Array1, Array2};

/// Penalties tried, for each training row; the one that answers a held-out fold of the training groups best is taken.
pub(super) const PENALTIES: [f64; 3] = [0.02, 0.2, 2.0];

/// Penalties of the elastic net tried, for numbers of spread 1.
pub(super) const NET_PENALTIES: [f64; 3] = [0.03, 0.1, 0.3];

/// Without inner folds (a single group) the middle one is taken.
pub(super) const MIDDLE: usize = 1;

/// Share of the penalty that is L1: mostly ridge, with enough L1 for coordinate descent to know when it is done. A
/// choice.
const L1_SHARE: f64 = 0.1;

/// L-BFGS steps at most: with these penalties it is done after about 20.
const STEPS: u64 = 60;

/// Steps end when no coordinate of the gradient, summed over the rows, is above this share of a row.
const GRADIENT_OF_ROW: f64 = 1e-4;

/// Probabilities of `classes` classes for the rows of `ask`; classes that are not in `y` get 0. What fails is told in
/// words.
pub(super) fn classify(
    x: &Array2<f64>,
    y: &[usize],
    classes: usize,
    penalty: f64,
    ask: &Array2<f64>,
) -> Result<Vec<Vec<f64>>, String> {
    let rows = y.len() as f64;
    let data = DatasetBase::new(x.view(), Array1::from_vec(y.to_vec()));
    let fitted = MultiLogisticRegression::default()
        .alpha(penalty * rows)
        .max_iterations(STEPS)
        .gradient_tolerance(GRADIENT_OF_ROW * rows)
        .fit(&data)
        .map_err(|e| e.to_string())?;
    let found = fitted.predict_probabilities(ask);
    if found.iter().any(|p| !p.is_finite()) {
        return Err("the probabilities are not finite".into());
    }
    let spread = |row: linfa_ndarray::ArrayView1<'_, f64>| {
        let mut all = vec![0.0; classes];
        fitted.classes().iter().zip(row).for_each(|(class, p)| all[*class] = *p);
        all
    };
    Ok(found.rows().into_iter().map(spread).collect())
}

/// Numbers for the rows of `ask`.
pub(super) fn regress(x: &Array2<f64>, y: &[f64], penalty: f64, ask: &Array2<f64>) -> Result<Vec<f64>, String> {
    let n = y.len() as f64;
    let mean = y.iter().sum::<f64>() / n;
    let sd = (y.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    if sd <= f64::MIN_POSITIVE || !sd.is_finite() {
        return Ok(vec![mean; ask.nrows()]);
    }
    let scaled: Array1<f64> = y.iter().map(|v| (v - mean) / sd).collect();
    let data = DatasetBase::new(x.view(), scaled);
    let fitted = ElasticNet::params()
        .penalty(penalty)
        .l1_ratio(L1_SHARE)
        .max_iterations(200)
        .fit(&data)
        .map_err(|e| e.to_string())?;
    let found: Vec<f64> = fitted.predict(ask).iter().map(|v| mean + sd * v).collect();
    if found.iter().any(|p| !p.is_finite()) {
        return Err("the predictions are not finite".into());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(n: usize) -> Array2<f64> {
        Array2::from_shape_fn((n, 3), |(r, c)| (((r * 7919 + c * 104_729) % 1009) as f64 / 504.5 - 1.0) * 1.7)
    }

    #[test]
    fn classes_along_a_column_are_told_apart_and_unseen_ones_get_nothing() {
        let x = rows(120);
        let y: Vec<usize> = x
            .column(1)
            .iter()
            .map(|v| {
                if *v < -0.5 {
                    0
                } else if *v < 0.5 {
                    3
                } else {
                    1
                }
            })
            .collect();
        let found = classify(&x, &y, 4, 0.002, &x).unwrap();
        let best = |p: &Vec<f64>| (0..4).max_by(|a, b| p[*a].total_cmp(&p[*b])).unwrap();
        let right = found.iter().zip(&y).filter(|(p, y)| best(p) == **y).count();
        assert!(right > 110, "{right}");
        assert!(found.iter().all(|p| p[2] < 1e-300 && (p.iter().sum::<f64>() - 1.0).abs() < 1e-9));
    }

    #[test]
    fn a_line_is_found_and_a_constant_stays() {
        let x = rows(100);
        let y: Vec<f64> = x.rows().into_iter().map(|r| 4.0 + 2.0 * r[0] - r[2]).collect();
        let found = regress(&x, &y, 0.001, &x).unwrap();
        let worst = found.iter().zip(&y).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 0.1, "{worst}");
        assert!(regress(&x, &[3.0; 100], 0.1, &x).unwrap().iter().all(|v| (v - 3.0).abs() < 1e-12));
    }
}
