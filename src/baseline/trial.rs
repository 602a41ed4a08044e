//! One task tried: every model over every fold, its metrics with intervals, and how far it is from the majority.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::folds::folds;
use super::instances::{Ablation, TaskTable, read_instances};
use super::interval::{Estimate, Resamples, interval};
use super::metrics::Scoring;
use super::models::{BaselineModel, Fold, Prediction};
use super::notes::Notes;
use super::question::{Question, questions};
use crate::error::{Error, Result};
use crate::table::Modality;
use crate::tasks::{Candidates, RuleSpec};

/// How a trial is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Folds asked for.
    pub folds: usize,
    /// Of folds, draws and resamples.
    pub seed: u64,
    /// Resamples of the groups.
    pub resamples: usize,
}

/// How much better than majority a model is, resample by resample.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The metric that stands for the task.
    pub metric: &'static str,
    /// Above 0 = better, also where less of the metric is better.
    pub better_by: f64,
    /// 95 % interval; clear of the majority when 0 is outside.
    pub interval: (f64, f64),
}

/// A model's outcome in a part of the instances.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// couple, family, or all.
    pub part: String,
    /// majority, prior, or linear_ and the modality.
    pub model: String,
    /// TaskTable answered.
    pub instances: usize,
    /// Couples or families.
    pub groups: usize,
    /// The task's metrics.
    pub metrics: Vec<Estimate>,
    /// `None` of the majority itself and where the metric is undefined.
    pub difference: Option<Difference>,
}

/// A task's outcome.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Name of the table.
    pub task: String,
    /// How it was made.
    pub settings: Settings,
    /// By part, then model.
    pub results: Vec<Outcome>,
    /// What did not go as one would expect.
    pub notes: Vec<String>,
    /// Number of features that each ablation looks at.
    pub features: Vec<(Ablation, usize)>,
    pub(super) instances: TaskTable,
    pub(super) questions: Vec<Question>,
    /// By question and model.
    pub(super) predictions: Vec<(usize, BaselineModel, Vec<Prediction>)>,
}

/// Tries the models on a task table.
///
/// # Errors
/// [`Error::Read`], [`Error::Parse`]; [`Error::Usage`] where there is nothing to try: no instances, all of one group,
/// free text.
pub fn trial(path: &Path, settings: Settings) -> Result<Trial> {
    let task = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let instances = read_instances(path)?;
    let fail = |what: String, hint: &str| Error::Usage { what: format!("task {task}: {what}"), hint: hint.into() };
    let mut notes = Notes::default();
    let mut asked = questions(&instances, &mut notes).map_err(|what| fail(what, "name another task"))?;
    asked.retain(|q| {
        let groups = groups_of(q, &instances).len();
        if groups == 1 {
            notes.add(format!("{}: all {} instances are of one group, none can be held out", q.part, q.members.len()));
        } else if groups == 0 {
            notes.add(format!("{}: no instances", q.part));
        } else if groups < settings.folds {
            notes.add(format!("{}: {groups} groups make {groups} folds, not {}", q.part, settings.folds));
        }
        groups > 1
    });
    if asked.is_empty() {
        let what = notes.lines().join("; ");
        return Err(fail(what, "folds need instances of two couples or families"));
    }
    let count = |a: Ablation| {
        instances.features.iter().filter(|f| a == Ablation::All || !f.given && a.shows(f.modality)).count()
    };
    let features: Vec<(Ablation, usize)> = Ablation::each().map(|a| (a, count(a))).collect();
    let models = models(&instances, &features, &mut notes);
    let mut predictions = Vec::new();
    for (i, question) in asked.iter().enumerate() {
        for model in &models {
            predictions.push((i, *model, answered(&instances, question, *model, settings, &mut notes)));
        }
    }
    let mut results = Vec::new();
    for (i, question) in asked.iter().enumerate() {
        let own: Vec<_> =
            predictions.iter().filter(|(q, ..)| *q == i).map(|(_, m, p)| (*m, vec![(question, p)])).collect();
        results.extend(scored(&question.part, &question.scoring, &instances, &own, settings));
    }
    if asked.len() > 1 {
        // Ranks can be put together where the sets differ; classes cannot.
        let own: Vec<_> = models
            .iter()
            .map(|m| (*m, predictions.iter().filter(|(_, o, _)| o == m).map(|(q, _, p)| (&asked[*q], p)).collect()))
            .collect();
        results.extend(scored("all", &Scoring::Candidates, &instances, &own, settings));
    }
    let notes = notes.lines();
    Ok(Trial { task, settings, results, notes, features, instances, questions: asked, predictions })
}

fn groups_of<'a>(question: &Question, all: &'a TaskTable) -> BTreeSet<&'a str> {
    question.members.iter().map(|i| all.rows[*i].split_group.as_str()).collect()
}

/// Majority, prior, and a linear model for each modality that has something to look at.
fn models(all: &TaskTable, features: &[(Ablation, usize)], notes: &mut Notes) -> Vec<BaselineModel> {
    let told = all.features.iter().any(|f| f.given);
    let has = |a: Ablation, n: usize| {
        n > 0
            || (!all.facts.is_empty() && asks_candidates(all) && a.shows(Modality::Timing))
            || told && a == Ablation::All
    };
    let linear: Vec<BaselineModel> =
        features.iter().filter(|(a, n)| has(*a, *n)).map(|(a, _)| BaselineModel::Linear(*a)).collect();
    if linear.is_empty() {
        notes.add("the table has no features: no linear model".into());
    }
    [BaselineModel::Majority, BaselineModel::Prior].into_iter().chain(linear).collect()
}

fn asks_candidates(all: &TaskTable) -> bool {
    RuleSpec::named(&all.rule).is_some_and(|rule| rule.candidates == Candidates::People)
}

/// Every member answered once, by the model that was fitted without its group; in the members' order.
fn answered(
    all: &TaskTable,
    question: &Question,
    model: BaselineModel,
    settings: Settings,
    notes: &mut Notes,
) -> Vec<Prediction> {
    let groups: Vec<&str> = question.members.iter().map(|i| all.rows[*i].split_group.as_str()).collect();
    let place = folds(&groups, settings.folds, settings.seed);
    let mut found = Vec::new();
    for index in 0..place.iter().max().map_or(0, |m| m + 1) {
        let part = |held: bool| {
            question.members.iter().zip(&place).filter(|(_, f)| (**f == index) == held).map(|(i, _)| *i).collect()
        };
        let fold = Fold { all, question, index, train: part(false), test: part(true), seed: settings.seed };
        found.extend(fold.answers(model, notes));
    }
    found.sort_by_key(|p| p.instance);
    found
}

/// A model, and what it answered to each of some questions.
type Answered<'a> = (BaselineModel, Vec<(&'a Question, &'a Vec<Prediction>)>);

/// The metrics of every model over the same resamples.
fn scored(part: &str, scoring: &Scoring, all: &TaskTable, models: &[Answered<'_>], settings: Settings) -> Vec<Outcome> {
    let mut found: Vec<Outcome> = Vec::new();
    let mut majority: Vec<Option<f64>> = Vec::new();
    for (model, answered) in models {
        let mut groups: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        let mut instances = 0;
        for (question, predictions) in answered {
            for one in *predictions {
                let sums =
                    groups.entry(&all.rows[one.instance].split_group).or_insert_with(|| vec![0.0; scoring.len()]);
                scoring.add(sums, &question.truths[one.instance], &one.answer);
                instances += 1;
            }
        }
        let groups: Vec<Vec<f64>> = groups.into_values().collect();
        let (metrics, course) =
            Resamples::new(groups.len(), settings.resamples, settings.seed).estimates(scoring, &groups);
        let difference = match found.first() {
            None => {
                majority = course;
                None
            }
            Some(first) => difference(scoring, (&first.metrics, &majority), (&metrics, &course)),
        };
        found.push(Outcome {
            part: part.to_owned(),
            model: model.name(),
            instances,
            groups: groups.len(),
            metrics,
            difference,
        });
    }
    found
}

/// Of the second from the first.
fn difference(
    scoring: &Scoring,
    from: (&[Estimate], &[Option<f64>]),
    of: (&[Estimate], &[Option<f64>]),
) -> Option<Difference> {
    let (metric, more_is_better) = scoring.primary();
    let sign = if more_is_better { 1.0 } else { -1.0 };
    let value = |list: &[Estimate]| list.iter().find(|e| e.name == metric)?.value;
    // Adding 0 makes of -0 a 0.
    let better_by = sign * (value(of.0)? - value(from.0)?) + 0.0;
    let mut drawn: Vec<f64> = from.1.iter().zip(of.1).filter_map(|(a, b)| Some(sign * ((*b)? - (*a)?))).collect();
    Some(Difference { metric, better_by, interval: interval(&mut drawn)? })
}
