//! Bootstrap intervals: groups are drawn with replacement, as whole couples or families are what another corpus would
//! have other ones of.

use super::metrics::Scoring;
use crate::random::Random;
use crate::statistics::at_rank;

/// A metric with its 95 % interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Name of the metric.
    pub name: String,
    /// Over all instances; `None` = undefined.
    pub value: Option<f64>,
    /// 2.5th and 97.5th percentile over the resamples in which it is defined.
    pub interval: Option<(f64, f64)>,
}

/// A metric in each resample.
pub(super) type Course = Vec<Option<f64>>;

/// How intervals are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resampling {
    /// Of the draws.
    pub seed: u64,
    /// Resamples of the groups.
    pub resamples: usize,
}

/// How often each group is in each resample; the same for all models of a part, so that differences are paired.
pub(super) struct Resamples {
    counts: Vec<Vec<u32>>,
}

impl Resamples {
    /// `n` resamples of `groups` groups.
    pub(super) fn new(groups: usize, n: usize, seed: u64) -> Self {
        let mut random = Random::new(seed, "bootstrap");
        let one = |_| {
            let mut counts = vec![0; groups];
            (0..groups).for_each(|_| counts[random.below(groups)] += 1);
            counts
        };
        Resamples { counts: (0..n).map(one).collect() }
    }

    /// The metrics of a model by the sums of each group, and each metric in each resample.
    pub(super) fn estimates(&self, scoring: &Scoring, groups: &[Vec<f64>]) -> (Vec<Estimate>, Vec<Course>) {
        let total = summed(scoring, groups.iter().map(|g| (g, 1)));
        let all = scoring.metrics(&total);
        let mut courses: Vec<Course> = vec![Vec::with_capacity(self.counts.len()); all.len()];
        for counts in &self.counts {
            let sums = summed(scoring, groups.iter().zip(counts.iter().copied()));
            let metrics = scoring.metrics(&sums);
            for (course, (_, value)) in courses.iter_mut().zip(&metrics) {
                course.push(*value);
            }
        }
        let estimate = |((name, value), course): (_, &Course)| {
            let mut drawn: Vec<f64> = course.iter().flatten().copied().collect();
            Estimate { name, value, interval: interval(&mut drawn) }
        };
        (all.into_iter().zip(&courses).map(estimate).collect(), courses)
    }
}

fn summed<'a>(scoring: &Scoring, groups: impl Iterator<Item = (&'a Vec<f64>, u32)>) -> Vec<f64> {
    let mut sums = vec![0.0; scoring.len()];
    for (group, count) in groups.filter(|(_, c)| *c > 0) {
        sums.iter_mut().zip(group).for_each(|(s, x)| *s += f64::from(count) * x);
    }
    sums
}

/// 2.5th and 97.5th percentile, between ranks linearly; `None` of nothing.
pub(super) fn interval(values: &mut [f64]) -> Option<(f64, f64)> {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| at_rank(values, share * values.len().saturating_sub(1) as f64);
    at(0.025).zip(at(0.975))
}

/// Groups below which an interval over them is told with what it is worth.
const FEW_GROUPS: usize = 10;

/// How many of 100 intervals hold the true value, by the number of groups from 2 to 9: simulated for the mean of normal
/// groups (a test does it again). Skewed metrics do worse.
const HOLD: [usize; FEW_GROUPS - 2] = [48, 74, 79, 83, 84, 87, 88, 90];

/// What an interval over so few groups is worth, in words; `None` where they are enough.
pub(super) fn worth(part: &str, groups: usize) -> Option<String> {
    let hold = HOLD.get(groups.max(2) - 2)?;
    Some(format!(
        "{part}: {groups} groups: the interval is of so few that it is too narrow, and says little of other couples or \
         families: of 100 such intervals about {hold} would hold the true value, not 95"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::metrics::{ModelAnswer, Truth};

    #[test]
    fn percentiles_lie_between_ranks() {
        let mut values: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        let (low, high) = interval(&mut values).unwrap();
        assert!((low - 2.5).abs() < 1e-12 && (high - 97.5).abs() < 1e-12);
        assert_eq!(interval(&mut []), None);
    }

    #[test]
    fn intervals_of_few_groups_hold_the_true_value_as_seldom_as_told() {
        let mut random = Random::seeded(9);
        let mut normal = || (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
        for (groups, hold) in (2..).zip(HOLD) {
            let rounds = 600;
            let holds = (0..rounds).filter(|round| {
                let values: Vec<f64> = (0..groups).map(|_| normal()).collect();
                let resamples = Resamples::new(groups, 300, *round);
                let mean = |counts: &Vec<u32>| counts.iter().zip(&values).map(|(c, v)| f64::from(*c) * v).sum::<f64>();
                let (low, high) = interval(&mut resamples.counts.iter().map(mean).collect::<Vec<_>>()).unwrap();
                low <= 0.0 && high >= 0.0
            });
            let share = 100.0 * holds.count() as f64 / f64::from(u32::try_from(rounds).unwrap());
            assert!((share - hold as f64).abs() < 6.0, "{groups} groups: {share}, told {hold}");
        }
        assert!(worth("all", 9).unwrap().contains("9 groups") && worth("all", 10).is_none());
        assert_eq!(worth("all", 2), worth("all", 2));
        assert!(worth("all", 0).is_some() && worth("all", 1).is_some());
    }

    #[test]
    fn the_interval_of_a_mean_is_as_wide_as_its_error() {
        // 100 groups of one instance, half of them right: standard error 0.05.
        let scoring = Scoring::Candidates;
        let groups: Vec<Vec<f64>> = (0..100)
            .map(|i| {
                let mut sums = vec![0.0; scoring.len()];
                scoring.add(&mut sums, &Truth::Class(Some(i % 2)), &ModelAnswer::Ranking(vec![0, 1]));
                sums
            })
            .collect();
        let (found, courses) = Resamples::new(100, 2000, 7).estimates(&scoring, &groups);
        let (low, high) = found[0].interval.unwrap();
        assert!((low - 0.4).abs() <= 0.021 && (high - 0.6).abs() <= 0.021, "{low} {high}");
        assert_eq!((found[0].name.as_str(), found[0].value, courses[0].len()), ("recall_at_1", Some(0.5), 2000));
    }
}
