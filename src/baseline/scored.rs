//! Answers scored: the metrics of every model over the same resamples, how far each is from the first, and what is
//! behind the figures: each sample, each couple or family, each class.

use std::collections::BTreeMap;

use super::breakdown::Breakdown;
use super::instances::TaskTable;
use super::interval::{Course, Estimate, Resamples, Resampling, interval};
use super::metrics::Scoring;
use super::models::Prediction;
use super::question::Question;

/// How much better than another one a model is, resample by resample.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Name of the metric.
    pub metric: String,
    /// Above 0 = better, also where less of the metric is better.
    pub better_by: f64,
    /// 95 % interval; clear of the other when 0 is outside.
    pub interval: (f64, f64),
}

/// A model's outcome in a part of the instances.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// couple, family, or all.
    pub part: String,
    /// majority, prior, linear_ and the modality, ordinal_all, boosted_all, fusion_mean or fusion_stacked; of
    /// predictions read their file.
    pub model: String,
    /// Instances answered.
    pub instances: usize,
    /// Couples or families.
    pub groups: usize,
    /// The task's metrics.
    pub metrics: Vec<Estimate>,
    /// In the metric that stands for the task, from the first model. `None` of that itself and where the metric is
    /// undefined.
    pub difference: Option<Difference>,
    /// In every metric that is defined for both; empty of the first model itself.
    pub differences: Vec<Difference>,
    /// What is behind the figures.
    pub breakdown: Breakdown,
}

/// A model, and what it answered to each of some questions.
pub(super) struct Answered<'a> {
    pub(super) model: String,
    pub(super) said: Vec<(&'a Question, &'a [Prediction])>,
}

/// The metrics of every model over the same resamples, and how far each is from the first.
pub(super) fn scored(
    part: &str,
    scoring: &Scoring,
    all: &TaskTable,
    models: &[Answered<'_>],
    resampling: Resampling,
) -> Vec<Outcome> {
    let mut found: Vec<Outcome> = Vec::new();
    let mut first: Vec<Course> = Vec::new();
    for answered in models {
        let mut groups: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        let mut instances = 0;
        for (question, predictions) in &answered.said {
            for one in *predictions {
                let sums =
                    groups.entry(&all.rows[one.instance].split_group).or_insert_with(|| vec![0.0; scoring.len()]);
                scoring.add(sums, &question.truths[one.instance], &one.answer);
                instances += 1;
            }
        }
        let groups: Vec<Vec<f64>> = groups.into_values().collect();
        let resamples = Resamples::new(groups.len(), resampling.resamples, resampling.seed);
        let (metrics, courses) = resamples.estimates(scoring, &groups);
        let differences = match found.first() {
            None => {
                first = courses;
                Vec::new()
            }
            Some(other) => differences((&other.metrics, &first), (&metrics, &courses)),
        };
        found.push(Outcome {
            part: part.to_owned(),
            model: answered.model.clone(),
            instances,
            groups: groups.len(),
            metrics,
            difference: differences.iter().find(|d| d.metric == scoring.primary().0).cloned(),
            differences,
            breakdown: Breakdown::of(scoring, all, &answered.said),
        });
    }
    found
}

/// True for what is better where there is less of it.
pub(super) fn less_is_better(metric: &str) -> bool {
    ["mae", "rmse"].contains(&metric)
}

/// Of the second from the first, metric by metric; both have the same ones in the same order.
fn differences(from: (&[Estimate], &[Course]), of: (&[Estimate], &[Course])) -> Vec<Difference> {
    let one = |i: usize| {
        let metric = of.0[i].name.clone();
        let sign = if less_is_better(&metric) { -1.0 } else { 1.0 };
        // Adding 0 makes of -0 a 0.
        let better_by = sign * (of.0[i].value? - from.0.get(i)?.value?) + 0.0;
        let both = from.1.get(i)?.iter().zip(of.1.get(i)?);
        let mut drawn: Vec<f64> = both.filter_map(|(a, b)| Some(sign * ((*b)? - (*a)?))).collect();
        Some(Difference { metric, better_by, interval: interval(&mut drawn)? })
    };
    (0..of.0.len()).filter_map(one).collect()
}
