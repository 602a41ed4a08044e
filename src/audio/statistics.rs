//! Mean, spread and percentiles of the values of one turn.

/// How a turn's values are spread. Standard deviation is the population's; percentiles interpolate between order statistics.
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
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The `p`-th percentile (0 to 100) of ascending values, linear between neighbours; `None` without values.
pub(super) fn percentile(sorted: &[f64], p: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = last as f64 * p / 100.0;
    let (low, part) = (place.floor() as usize, place.fract());
    let high = (low + 1).min(last);
    Some(sorted[low] + part * (sorted[high] - sorted[low]))
}

#[cfg(test)]
mod tests {
    use super::*;

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
