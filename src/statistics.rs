//! Mean, spread, percentiles and correlation of a few values.

/// How values are spread. Standard deviation is the population's; percentiles interpolate between order statistics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation (division by n).
    pub sd: f64,
    /// Smallest value.
    pub min: f64,
    /// 50th percentile.
    pub median: f64,
    /// Largest value.
    pub max: f64,
    /// 95th percentile minus 5th.
    pub range: f64,
}

impl Spread {
    /// `None` without values; all must be finite.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mean = mean(values)?;
        let sd = (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt();
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Some(Spread {
            mean,
            sd,
            min: sorted[0],
            median: percentile(&sorted, 50.0)?,
            max: sorted[sorted.len() - 1],
            range: percentile(&sorted, 95.0)? - percentile(&sorted, 5.0)?,
        })
    }
}

/// Arithmetic mean, `None` without values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The `p`-th percentile (0 to 100) of ascending values, linear between neighbours; `None` without values.
pub fn percentile(sorted: &[f64], p: f64) -> Option<f64> {
    at_rank(sorted, sorted.len().checked_sub(1)? as f64 * p / 100.0)
}

/// The value at a rank from 0 on among ascending values, linear between neighbours, the last beyond; `None` without
/// values.
pub fn at_rank(sorted: &[f64], rank: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let (low, part) = ((rank.floor() as usize).min(last), rank.fract());
    let high = (low + 1).min(last);
    Some(sorted[low] + part * (sorted[high] - sorted[low]))
}

/// Pearson's correlation; `None` for fewer than 3 pairs and where either side is constant.
pub fn pearson(pairs: &[(f64, f64)]) -> Option<f64> {
    let n = pairs.len() as f64;
    let (x, y) = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
    let sum = |f: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(f).sum::<f64>();
    let (xx, yy, xy) = (sum(&|p| (p.0 - x).powi(2)), sum(&|p| (p.1 - y).powi(2)), sum(&|p| (p.0 - x) * (p.1 - y)));
    (pairs.len() > 2 && xx > 1e-12 && yy > 1e-12).then(|| xy / (xx * yy).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_lie_between_values_and_end_with_them() {
        let values = [1.0, 2.0, 4.0];
        assert_eq!([0.0, 0.5, 1.25, 2.0, 7.0].map(|rank| at_rank(&values, rank)), [1.0, 1.5, 2.5, 4.0, 4.0].map(Some));
        assert_eq!((at_rank(&[], 0.0), percentile(&[], 50.0)), (None, None));
    }

    #[test]
    fn correlation_of_a_line_and_of_what_does_not_move() {
        let near = |a: Option<f64>, b: f64| a.is_some_and(|a| (a - b).abs() < 1e-12);
        assert!(near(pearson(&[(0.0, 3.0), (1.0, 1.0), (2.0, -1.0)]), -1.0));
        // Of (-1, 0), (0, 1), (1, -1) around the means: -1 over the root of 2 times 2.
        assert!(near(pearson(&[(0.0, 1.0), (1.0, 2.0), (2.0, 0.0)]), -0.5));
        assert_eq!((pearson(&[(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)]), pearson(&[(0.0, 1.0), (1.0, 2.0)])), (None, None));
    }

    #[test]
    fn the_spread_of_five_numbers() {
        let s = Spread::of(&[4.0, 1.0, 3.0, 2.0, 5.0]).unwrap();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(s.mean, 3.0) && near(s.median, 3.0) && near(s.min, 1.0) && near(s.max, 5.0), "{s:?}");
        // Percentiles 5 and 95 of 1..5 are 1.2 and 4.8.
        assert!(near(s.sd, 2.0f64.sqrt()) && near(s.range, 3.6), "{s:?}");
        assert!(Spread::of(&[]).is_none() && mean(&[]).is_none());
        assert!(near(Spread::of(&[7.0]).unwrap().range, 0.0));
    }
}
