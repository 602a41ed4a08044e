//! Late fusion: what the linear models of each sense say, put together by their mean, or by a model that learns how far
//! to believe each (stacking, Wolpert 1992) from answers to training groups that they were not fitted on.

use super::design::{Column, matrix, standardised};
use super::learners::{Learner, Sense, linear, solve};
use super::linear::MIDDLE;
use super::models::{BaselineModel, Fold, Told};
use super::notes::Notes;
use super::problem::{Goal, Outputs, Problem};

/// How.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fusion {
    /// The mean.
    Mean,
    /// By learnt weights.
    Stacked,
}

/// Probabilities nearer to 0 or 1 are drawn in before their logarithm is taken.
const LEAST: f64 = 1e-4;

/// The answers to the test instances; as majority, with a note, where no sense has a model.
pub(super) fn fused(fold: &Fold<'_>, fusion: Fusion, senses: &[Sense], notes: &mut Notes) -> Vec<Told> {
    let problem = Problem::new(fold, false);
    let mut note = |what: String| {
        notes.add_in_fold(&fold.question.part, fold.index, format!("{}: {what}", BaselineModel::Fused(fusion).name()));
    };
    if senses.is_empty() {
        note("no sense has a model, it answers as majority".into());
        return fold.frequent(false);
    }
    let outputs = match fusion {
        Fusion::Mean => mean(senses),
        Fusion::Stacked => stacked(&problem, senses).unwrap_or_else(|what| {
            note(format!("{what}, it answers as fusion_mean"));
            mean(senses)
        }),
    };
    problem.answers(&outputs)
}

fn mean(senses: &[Sense]) -> Outputs {
    let count = senses.len() as f64;
    let mut sums = senses[0].outputs.clone();
    for sense in &senses[1..] {
        for (sum, more) in sums.iter_mut().zip(&sense.outputs) {
            sum.iter_mut().zip(more).for_each(|(s, x)| *s += x);
        }
    }
    sums.iter_mut().flatten().for_each(|s| *s /= count);
    sums
}

/// What the stacked model sees of an output: log odds, or the number.
fn seen(goal: Goal, output: &[f64]) -> Vec<f64> {
    let odds = |p: f64| {
        let p = p.clamp(LEAST, 1.0 - LEAST);
        (p / (1.0 - p)).ln()
    };
    if goal == Goal::Number { output.to_vec() } else { output.iter().map(|p| odds(*p)).collect() }
}

fn stacked(problem: &Problem<'_>, senses: &[Sense]) -> Result<Outputs, String> {
    let fold = problem.fold;
    let inner = problem.inner();
    if inner.is_empty() {
        return Err("all training instances are of one group".into());
    }
    let (mut rows, mut table): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    for (fit, held) in &inner {
        let (fitted, asked) = (problem.labelled(fit), problem.labelled(held));
        if !problem.varied(&fitted) || asked.is_empty() {
            return Err("training groups apart have labels that are all the same".into());
        }
        let mut told = vec![Vec::new(); asked.len()];
        for sense in senses {
            let columns = problem.design(sense.ablation, fit);
            if columns.is_empty() {
                return Err("training groups apart have no feature that differs".into());
            }
            let found = solve(problem, Learner::Linear, (&columns, sense.penalty), &fitted, &asked)?;
            told.iter_mut().zip(&found).for_each(|(t, o)| t.extend(seen(problem.goal, o)));
        }
        rows.extend(asked);
        table.extend(told);
    }
    let fit: Vec<usize> = (0..rows.len()).collect();
    let ask: Vec<usize> = (0..problem.rows_of(&fold.test).len()).map(|row| rows.len() + row).collect();
    for row in 0..ask.len() {
        table.push(senses.iter().flat_map(|s| seen(problem.goal, &s.outputs[row])).collect());
    }
    let width = table[0].len();
    let columns: Vec<Column> =
        (0..width).filter_map(|c| standardised(table.iter().map(|row| row[c]).collect(), &fit)).collect();
    if columns.is_empty() {
        return Err("what the senses say does not differ".into());
    }
    let (x, asked) = (matrix(&columns, &fit), matrix(&columns, &ask));
    let penalty = if problem.goal == Goal::Number { 0 } else { MIDDLE };
    linear(problem, (&x, &rows), penalty, &asked)
}
