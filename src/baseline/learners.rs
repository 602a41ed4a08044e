//! The models that learn weights of standardised columns: linear, and ordinal where labels are levels. The penalty is
//! chosen inside the training groups.

use linfa_ndarray::Array2;

use super::design::{Column, matrix};
use super::instances::Ablation;
use super::linear::{MIDDLE, NET_PENALTIES, PENALTIES, classify, regress};
use super::models::{BaselineModel, Fold, Told};
use super::notes::Notes;
use super::ordinal::{ORDINAL_PENALTIES, cumulative_logit};
use super::problem::{Goal, Outputs, Problem};

/// Which weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Learner {
    /// See [`super::linear`].
    Linear,
    /// See [`super::ordinal`].
    Ordinal,
}

/// A model that was fitted on what an ablation sees, and what it put out for the test rows.
#[derive(Clone, Debug)]
pub(super) struct Sense {
    pub(super) ablation: Ablation,
    /// Place of the penalty that was chosen.
    pub(super) penalty: usize,
    pub(super) outputs: Outputs,
}

/// The answers to the test instances, and what they come from; as majority, with a note, where nothing can be learnt.
pub(super) fn learned(
    fold: &Fold<'_>,
    (learner, ablation): (Learner, Ablation),
    model: BaselineModel,
    notes: &mut Notes,
) -> (Vec<Told>, Option<Sense>) {
    let problem = Problem::new(fold, learner == Learner::Ordinal);
    let fit = problem.labelled(&fold.train);
    let varied = problem.varied(&fit);
    let columns = if varied { problem.design(ablation, &fold.train) } else { Vec::new() };
    if !learnable(fold, (varied, !columns.is_empty()), model, notes) {
        return (fold.frequent(false), None);
    }
    let penalty = chosen(&problem, learner, ablation);
    match solve(&problem, learner, (&columns, penalty), &fit, &problem.rows_of(&fold.test)) {
        Ok(outputs) => (problem.answers(&outputs), Some(Sense { ablation, penalty, outputs })),
        Err(what) => {
            failed(fold, &what, model, notes);
            (fold.frequent(false), None)
        }
    }
}

/// Whether there is anything to fit: targets that differ, and columns; tells why not.
pub(super) fn learnable(
    fold: &Fold<'_>,
    (varied, columns): (bool, bool),
    model: BaselineModel,
    notes: &mut Notes,
) -> bool {
    let model = model.name();
    if !varied {
        let what = format!("all training labels are the same, {model} answers with them");
        notes.add_in_fold(&fold.question.part, fold.index, what);
    } else if !columns {
        let what = format!("no feature has values that differ, {model} answers as majority");
        notes.add_in_fold(&fold.question.part, fold.index, what);
    }
    varied && columns
}

/// Notes that a model answers as majority because its fit failed.
pub(super) fn failed(fold: &Fold<'_>, what: &str, model: BaselineModel, notes: &mut Notes) {
    let what = format!("{} could not be fitted ({what}), it answers as majority", model.name());
    notes.add_in_fold(&fold.question.part, fold.index, what);
}

/// Place of the penalty with the least loss on a held-out fold of the training groups; the middle one where they are of
/// one group.
fn chosen(problem: &Problem<'_>, learner: Learner, ablation: Ablation) -> usize {
    let Some((fit, held)) = problem.inner().into_iter().next() else { return MIDDLE };
    let (rows, asked) = (problem.labelled(&fit), problem.labelled(&held));
    if !problem.varied(&rows) || asked.is_empty() {
        return MIDDLE;
    }
    let columns = problem.design(ablation, &fit);
    if columns.is_empty() {
        return MIDDLE;
    }
    let loss = |penalty: usize| {
        let found = solve(problem, learner, (&columns, penalty), &rows, &asked).ok()?;
        Some(asked.iter().zip(&found).map(|(r, o)| problem.loss(*r, o)).sum::<f64>())
    };
    let losses: Vec<f64> = (0..PENALTIES.len()).map(|p| loss(p).unwrap_or(f64::INFINITY)).collect();
    (0..losses.len()).min_by(|a, b| losses[*a].total_cmp(&losses[*b])).unwrap_or(MIDDLE)
}

/// Fits on `fit` with the penalty at that place and tells the outputs for `ask`; what fails is told in words.
pub(super) fn solve(
    problem: &Problem<'_>,
    learner: Learner,
    (columns, penalty): (&[Column], usize),
    fit: &[usize],
    ask: &[usize],
) -> Result<Outputs, String> {
    let (x, asked) = (matrix(columns, fit), matrix(columns, ask));
    match (learner, problem.goal) {
        (Learner::Ordinal, Goal::Levels(size)) => {
            cumulative_logit(&x, &problem.places(fit), size, ORDINAL_PENALTIES[penalty], &asked)
        }
        _ => linear(problem, (&x, fit), penalty, &asked),
    }
}

/// The outputs for `asked` of the linear model of a problem's goal, fitted on `x`, whose rows are those of `fit`.
pub(super) fn linear(
    problem: &Problem<'_>,
    (x, fit): (&Array2<f64>, &[usize]),
    penalty: usize,
    asked: &Array2<f64>,
) -> Result<Outputs, String> {
    let classified = |size: usize| classify(x, &problem.places(fit), size, PENALTIES[penalty], asked);
    match problem.goal {
        Goal::Classes(size) | Goal::Levels(size) => classified(size),
        Goal::Member => Ok(classified(2)?.into_iter().map(|p| vec![p[1]]).collect()),
        Goal::Number => {
            let y: Vec<f64> = fit.iter().map(|r| problem.targets[*r]).collect();
            let found = regress(x, &y, NET_PENALTIES[penalty], asked)?;
            Ok(found.into_iter().map(|v| vec![v]).collect())
        }
    }
}
