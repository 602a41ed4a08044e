//! One task tried: every model over every fold, its metrics with intervals, and how far it is from the majority.

use std::collections::BTreeSet;
use std::path::Path;

use super::folds::folds;
use super::instances::{Ablation, TaskTable, read_instances};
use super::interval::Resampling;
use super::metrics::Scoring;
use super::models::{BaselineModel, Fold, Prediction};
use super::notes::Notes;
use super::question::{Question, questions};
use super::scored::{Answered, Outcome, scored};
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
        let own: Vec<Answered<'_>> = predictions
            .iter()
            .filter(|(q, ..)| *q == i)
            .map(|(_, m, p)| Answered { model: m.name(), said: vec![(question, p.as_slice())] })
            .collect();
        results.extend(scored(&question.part, &question.scoring, &instances, &own, settings.resampling()));
    }
    if asked.len() > 1 {
        // Ranks can be put together where the sets differ; classes cannot.
        let said = |m: &BaselineModel| {
            predictions.iter().filter(|(_, o, _)| o == m).map(|(q, _, p)| (&asked[*q], p.as_slice())).collect()
        };
        let own: Vec<Answered<'_>> = models.iter().map(|m| Answered { model: m.name(), said: said(m) }).collect();
        results.extend(scored("all", &Scoring::Candidates, &instances, &own, settings.resampling()));
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
