//! Who leads by Granger's test: whether the first's past tells of the second what the second's own past does not
//! (Granger 1969, "Investigating causal relations by econometric models and cross-spectral methods", Econometrica
//! 37:424), as an F test of nested regressions, with Geweke's measure of the gain (1982, J. American Statistical
//! Association 77:304).
//!
//! Both pasts reach as far back as the settings say and no order is chosen by looking, so that the p value stays what
//! it is called. It leans on residuals of one spread; what both follow (a third person, the camera) is in it as well.

use std::ops::Range;

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use crate::statistics::Spread;
use crate::table::Missing;

/// Terms of the regressions, in samples.
#[derive(Clone, Debug, PartialEq)]
pub struct GrangerSettings {
    /// The second's own values up to so many samples ago.
    pub own: usize,
    /// The first's values so many samples ago.
    pub leader: Range<usize>,
    /// Fewer instants for each coefficient give no value.
    pub rows_per_coefficient: f64,
}

/// Granger's test of one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Granger {
    /// Logarithm of the residual variances' ratio, without and with the first's past; 0 = it tells nothing.
    pub gain: f64,
    /// F of the first's coefficients.
    pub f: f64,
    /// Of that F.
    pub p: f64,
    /// Instants used.
    pub rows: usize,
}

/// A term that others tell to so small a part of its variance is no term of its own.
const MIN_PIVOT: f64 = 1e-9;

/// Whether the past of `first` tells of `second`; NaN is a gap, and an instant counts where all its terms are known.
///
/// # Errors
/// [`Missing::TooShort`] with too few instants, [`Missing::Constant`] where a series does not move by itself.
pub(super) fn granger(first: &[f64], second: &[f64], settings: &GrangerSettings) -> Result<Granger, Missing> {
    let (x, y) = (standard(first)?, standard(second)?);
    let reach = settings.own.max(settings.leader.end.saturating_sub(1));
    let terms = 2 + settings.own + settings.leader.len();
    let mut products = Products::new(terms);
    let mut row = vec![0.0; terms];
    let len = x.len().min(y.len());
    let own = 0..settings.own + 1;
    for t in reach..len {
        if !(known(&y, t, &own) && known(&x, t, &settings.leader)) {
            continue;
        }
        row[0] = 1.0;
        (1..=settings.own).for_each(|k| row[k] = y[t - k]);
        settings.leader.clone().enumerate().for_each(|(i, k)| row[1 + settings.own + i] = x[t - k]);
        row[terms - 1] = y[t];
        products.add(&row);
    }
    let rows = products.rows;
    let coefficients = terms - 1;
    if (rows as f64) < settings.rows_per_coefficient * coefficients as f64 || rows <= coefficients {
        return Err(Missing::TooShort);
    }
    let own: Vec<usize> = (0..=settings.own).chain([terms - 1]).collect();
    let all: Vec<usize> = (0..terms).collect();
    let without = products.residual(&own).ok_or(Missing::Constant)?;
    let with = products.residual(&all).ok_or(Missing::Constant)?;
    let (added, left) = (settings.leader.len() as f64, (rows - coefficients) as f64);
    let f = ((without - with) / added / (with / left)).max(0.0);
    let p = FisherSnedecor::new(added, left).map_err(|_| Missing::TooShort)?.sf(f);
    Ok(Granger { gain: (without / with).ln().max(0.0), f, p, rows })
}

/// True where the values so many samples before `t` are known.
fn known(series: &[f64], t: usize, lags: &Range<usize>) -> bool {
    series[t + 1 - lags.end..t + 1 - lags.start].iter().all(|v| v.is_finite())
}

/// Mean 0 and standard deviation 1 over what is known.
fn standard(series: &[f64]) -> Result<Vec<f64>, Missing> {
    let known: Vec<f64> = series.iter().copied().filter(|v| v.is_finite()).collect();
    let spread = Spread::of(&known).ok_or(Missing::TooShort)?;
    if spread.sd < 1e-6 {
        return Err(Missing::Constant);
    }
    Ok(series.iter().map(|v| (v - spread.mean) / spread.sd).collect())
}

/// Sums of products of the terms of a regression, the told value last.
struct Products {
    terms: usize,
    rows: usize,
    sums: Vec<f64>,
}

impl Products {
    fn new(terms: usize) -> Self {
        Products { terms, rows: 0, sums: vec![0.0; terms * terms] }
    }

    fn add(&mut self, row: &[f64]) {
        self.rows += 1;
        for (i, a) in row.iter().enumerate() {
            let sums = &mut self.sums[i * self.terms..i * self.terms + i + 1];
            sums.iter_mut().zip(row).for_each(|(sum, b)| *sum += a * b);
        }
    }

    /// Sum of squares left of the last of these terms after regression on the others: the last pivot of Cholesky's
    /// factor, squared. `None` where terms tell each other wholly.
    fn residual(&self, terms: &[usize]) -> Option<f64> {
        crate::pulse::beat();
        let n = terms.len();
        let mut factor = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let dot: f64 = (0..j).map(|k| factor[i * n + k] * factor[j * n + k]).sum();
                let left = self.sums[terms[i] * self.terms + terms[j]] - dot;
                factor[i * n + j] = if i > j {
                    left / factor[j * n + j]
                } else if left > MIN_PIVOT * self.rows as f64 {
                    left.sqrt()
                } else {
                    return None;
                };
            }
        }
        Some(factor[n * n - 1].powi(2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_residual_is_that_of_a_regression_by_hand() {
        // y = 1, 2, 4 on x = 0, 1, 2: slope 1.5, intercept 5/6, residuals 1/6, -1/3, 1/6.
        let mut products = Products::new(3);
        [(0.0, 1.0), (1.0, 2.0), (2.0, 4.0)].iter().for_each(|(x, y)| products.add(&[1.0, *x, *y]));
        assert!((products.residual(&[0, 1, 2]).unwrap() - 1.0 / 6.0).abs() < 1e-12);
        // On the constant alone: the variance around 7/3.
        assert!((products.residual(&[0, 2]).unwrap() - 14.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn f_has_its_published_quantiles() {
        // The 5 % points of F(1, 10), F(4, 20): 4.965, 2.866 (tables of any textbook).
        for (added, left, f) in [(1.0, 10.0, 4.965), (4.0, 20.0, 2.866)] {
            let p = FisherSnedecor::new(added, left).unwrap().sf(f);
            assert!((p - 0.05).abs() < 5e-5, "{p}");
        }
    }
}
