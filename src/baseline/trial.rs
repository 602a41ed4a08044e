//! One task tried: every model over every fold, its metrics with intervals, how far it is from the majority, how well it
//! is calibrated, and what the boosted trees go by.

use std::collections::BTreeSet;
use std::path::Path;

use rayon::prelude::*;

use super::calibration::{Calibration, calibration};
use super::folds::parted;
use super::fusion::Fusion;
use super::importance::{Importance, importance};
use super::instances::{Ablation, TaskTable, read_instances};
use super::interval::{Resampling, worth};
use super::metrics::Scoring;
use super::models::{BaselineModel, Fold, FoldOutcome, Prediction};
use super::notes::Notes;
use super::question::{Question, Shape, questions};
use super::scored::{Answered, Outcome, scored};
use crate::error::{Error, Result};
use crate::tasks::{Candidates, PAIRS, RuleSpec};

/// How a trial is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Folds asked for.
    pub folds: usize,
    /// Of folds, draws and resamples.
    pub seed: u64,
    /// Resamples of the groups.
    pub resamples: usize,
    /// So many last context rows are looked at one by one, of those that the table has; `None` = all.
    pub lags: Option<usize>,
    /// Folds worked on at the same time; the results are the same for any number.
    pub jobs: usize,
}

impl Settings {
    /// How intervals are made.
    fn resampling(self) -> Resampling {
        Resampling { seed: self.seed, resamples: self.resamples }
    }
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
    /// By part, then model: of those that tell probabilities.
    pub calibrations: Vec<Calibration>,
    /// By part, the columns that matter most to the boosted trees first.
    pub importances: Vec<Importance>,
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
/// free text; or where no threads can be had.
pub fn trial(path: &Path, settings: Settings) -> Result<Trial> {
    let task = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let mut instances = read_instances(path)?;
    let fail = |what: String, hint: &str| Error::Usage { what: format!("task {task}: {what}"), hint: hint.into() };
    let mut notes = Notes::default();
    if let Some(lags) = settings.lags {
        instances.features.retain(|f| lag_of(&f.name).is_none_or(|lag| lag < lags));
    }
    let mut asked = questions(&instances, &mut notes).map_err(|what| fail(what, "name another task"))?;
    asked.retain(|q| is_to_be_tried(q, &instances, settings, &mut notes));
    if asked.is_empty() {
        let what = notes.lines().join("; ");
        return Err(fail(what, "folds need instances of two couples or families"));
    }
    let count = |a: Ablation| {
        let facts = instances.facts.iter().filter(|f| instances.shows_fact(a, f)).count();
        instances.features.iter().filter(|f| a == Ablation::All || !f.given && a.shows(f.modality)).count()
            + if instances.rule == PAIRS.name { facts } else { 0 }
    };
    let features: Vec<(Ablation, usize)> = Ablation::each().map(|a| (a, count(a))).collect();
    let models = models(&instances, asked[0].shape, &features, &mut notes);
    let outcomes = outcomes(&instances, &asked, &models, settings)?;
    let mut predictions = Vec::new();
    let mut importances = Vec::new();
    for (i, (question, outcomes)) in asked.iter().zip(&outcomes).enumerate() {
        for (m, model) in models.iter().enumerate() {
            let mut own: Vec<Prediction> = outcomes.iter().flat_map(|o| o.predictions[m].iter().cloned()).collect();
            own.sort_by_key(|p| p.instance);
            predictions.push((i, *model, own));
        }
        outcomes.iter().for_each(|o| notes.extend(o.notes.clone()));
        let shuffled: Vec<_> = outcomes.iter().filter_map(|o| o.shuffled.as_ref()).collect();
        importances.extend(importance(question, &instances, &shuffled));
    }
    let (results, calibrations) = told(&instances, &asked, &models, &predictions, settings);
    let parts: BTreeSet<(&str, usize)> = results.iter().map(|r: &Outcome| (r.part.as_str(), r.groups)).collect();
    parts.into_iter().filter_map(|(part, groups)| worth(part, groups)).for_each(|what| notes.add(what));
    let notes = notes.lines();
    let questions = asked;
    Ok(Trial { task, settings, results, calibrations, importances, notes, features, instances, questions, predictions })
}

/// Of a column of one row its place before the last, from 0.
fn lag_of(name: &str) -> Option<usize> {
    name.rsplit_once('@')?.1.parse().ok()
}

/// Whether a part has groups to hold out; tells where it has few or none.
fn is_to_be_tried(question: &Question, all: &TaskTable, settings: Settings, notes: &mut Notes) -> bool {
    let groups = groups_of(question, all).len();
    let part = &question.part;
    if groups == 1 {
        notes.add(format!("{part}: all {} instances are of one group, none can be held out", question.members.len()));
    } else if groups == 0 {
        notes.add(format!("{part}: no instances"));
    } else if groups < settings.folds {
        notes.add(format!("{part}: {groups} groups make {groups} folds, not {}", settings.folds));
    }
    groups > 1
}

/// By part and model: the metrics over the same resamples, and the calibration.
fn told(
    instances: &TaskTable,
    asked: &[Question],
    models: &[BaselineModel],
    predictions: &[(usize, BaselineModel, Vec<Prediction>)],
    settings: Settings,
) -> (Vec<Outcome>, Vec<Calibration>) {
    let (mut results, mut calibrations) = (Vec::new(), Vec::new());
    let mut add = |part: &str, scoring: &Scoring, questions: &[usize]| {
        let said = |model: &BaselineModel| {
            let own = predictions.iter().filter(|(q, m, _)| m == model && questions.contains(q));
            own.map(|(q, _, p)| (&asked[*q], p.as_slice())).collect::<Vec<_>>()
        };
        let own: Vec<Answered<'_>> = models.iter().map(|m| Answered { model: m.name(), said: said(m) }).collect();
        results.extend(scored(part, scoring, instances, &own, settings.resampling()));
        calibrations.extend(own.iter().filter_map(|a| calibration(part, &a.model, &a.said)));
    };
    for (i, question) in asked.iter().enumerate() {
        add(&question.part, &question.scoring, &[i]);
    }
    if asked.len() > 1 {
        // Ranks can be put together where the sets differ; classes cannot.
        add("all", &Scoring::Candidates, &(0..asked.len()).collect::<Vec<_>>());
    }
    (results, calibrations)
}

fn groups_of<'a>(question: &Question, all: &'a TaskTable) -> BTreeSet<&'a str> {
    question.members.iter().map(|i| all.rows[*i].split_group.as_str()).collect()
}

/// Majority, prior, and where there is something to look at: a linear model for each modality and for all, an ordinal
/// one of levels, boosted trees, and the modalities' models put together.
fn models(all: &TaskTable, shape: Shape, features: &[(Ablation, usize)], notes: &mut Notes) -> Vec<BaselineModel> {
    let told = all.features.iter().any(|f| f.given);
    let has = |a: Ablation, n: usize| {
        n > 0 || asks_candidates(all) && all.facts.iter().any(|f| all.shows_fact(a, f)) || told && a == Ablation::All
    };
    let seen: Vec<Ablation> = features.iter().filter(|(a, n)| has(*a, *n)).map(|(a, _)| *a).collect();
    let mut models = vec![BaselineModel::Majority, BaselineModel::Prior];
    models.extend(seen.iter().map(|a| BaselineModel::Linear(*a)));
    if seen.is_empty() {
        notes.add("the table has no features: no linear model and no trees".into());
        return models;
    }
    if shape == Shape::Levels {
        models.push(BaselineModel::Ordinal);
    }
    models.push(BaselineModel::Boosted);
    if seen.iter().filter(|a| **a != Ablation::All).count() > 1 {
        models.extend([Fusion::Mean, Fusion::Stacked].map(BaselineModel::Fused));
    }
    models
}

fn asks_candidates(all: &TaskTable) -> bool {
    RuleSpec::named(&all.rule).is_some_and(|rule| rule.candidates == Candidates::People)
}

/// By question, then fold: every member is answered once, by models that were fitted without its group.
fn outcomes(
    all: &TaskTable,
    asked: &[Question],
    models: &[BaselineModel],
    settings: Settings,
) -> Result<Vec<Vec<FoldOutcome>>> {
    let mut work: Vec<(usize, Fold<'_>)> = Vec::new();
    for (q, question) in asked.iter().enumerate() {
        let groups: Vec<&str> = question.members.iter().map(|i| all.rows[*i].split_group.as_str()).collect();
        let parts = parted(&question.members, &groups, settings.folds, settings.seed);
        for (index, (train, test)) in parts.into_iter().enumerate() {
            work.push((q, Fold { all, question, index, train, test, seed: settings.seed }));
        }
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.jobs.max(1)).build().map_err(|e| Error::Usage {
        what: format!("no threads for {} jobs: {e}", settings.jobs),
        hint: "give a smaller number with --jobs".into(),
    })?;
    let done: Vec<(usize, FoldOutcome)> =
        pool.install(|| work.par_iter().map(|(q, fold)| (*q, fold.outcome(models))).collect());
    let mut found: Vec<Vec<FoldOutcome>> = vec![Vec::new(); asked.len()];
    done.into_iter().for_each(|(q, outcome)| found[q].push(outcome));
    Ok(found)
}
