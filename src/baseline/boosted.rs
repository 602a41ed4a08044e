//! The boosted trees of a fold: how deep and how many is chosen inside the training groups, and whether trees are worth
//! growing at all.

use std::collections::BTreeMap;

use super::importance::{Shuffled, shuffled};
use super::instances::Ablation;
use super::learners::{failed, learnable};
use super::models::{BaselineModel, Fold, Told};
use super::notes::Notes;
use super::problem::{Goal, Outputs, Problem, log_loss};
use super::trees::{Growth, ROUNDS, Sheet, Trees};

/// Depths tried.
const DEPTHS: [usize; 2] = [2, 4];

/// A column that trees look at.
pub(super) struct Input<'a> {
    pub(super) name: &'a str,
    /// By row of the problem; NaN = missing.
    pub(super) values: Vec<f64>,
}

/// Trees for each thing to be learnt: of classes one against the rest, each with its place.
pub(super) struct Forest {
    pub(super) trees: Vec<(usize, Trees)>,
    goal: Goal,
}

impl Forest {
    /// Outputs for the rows of a sheet.
    pub(super) fn outputs(&self, sheet: &Sheet) -> Outputs {
        let each: Vec<(usize, Vec<f64>)> = self.trees.iter().map(|(place, t)| (*place, t.predict(sheet))).collect();
        let rows = each.first().map_or(0, |(_, v)| v.len());
        let row = |r: usize| match (self.goal, &each[..]) {
            (Goal::Classes(2), [(yes, p)]) => {
                let mut both = vec![0.0; 2];
                (both[*yes], both[1 - *yes]) = (p[r], 1.0 - p[r]);
                both
            }
            (Goal::Classes(size) | Goal::Levels(size), _) => {
                let mut all = vec![0.0; size];
                each.iter().for_each(|(place, p)| all[*place] = p[r]);
                let total: f64 = all.iter().sum();
                all.iter().map(|p| if total > 0.0 { p / total } else { 0.0 }).collect()
            }
            (Goal::Number | Goal::Member, _) => vec![each[0].1[r]],
        };
        (0..rows).map(row).collect()
    }
}

/// The answers to the test instances, and what they come to where an input is shuffled; as majority, with a note, where
/// nothing can be learnt.
pub(super) fn boosted(fold: &Fold<'_>, notes: &mut Notes) -> (Vec<Told>, Shuffled) {
    let problem = Problem::new(fold, false);
    let fit = problem.labelled(&fold.train);
    let inputs = inputs(&problem, &fit);
    let as_majority = || {
        let told = fold.frequent(false);
        let sums = Shuffled::of(fold, &told);
        (told, sums)
    };
    if !learnable(fold, (problem.varied(&fit), !inputs.is_empty()), BaselineModel::Boosted, notes) {
        return as_majority();
    }
    let Some(plan) = plan(&problem, &inputs) else {
        let what = "no trees answer other training groups better than the frequencies do, by more than two \
                    standard errors: boosted_all answers as majority";
        notes.add_in_fold(&fold.question.part, fold.index, what.into());
        return as_majority();
    };
    match grown(&problem, &inputs, &fit, &plan) {
        Ok(forest) => {
            let told = problem.answers(&forest.outputs(&sheet(&inputs, &problem.rows_of(&fold.test))));
            let found = shuffled(&problem, &forest, &inputs, &told);
            (told, found)
        }
        Err(what) => {
            failed(fold, &what, BaselineModel::Boosted, notes);
            as_majority()
        }
    }
}

/// The columns that have two values or gaps among the rows fitted on; facts about candidates first.
fn inputs<'a>(problem: &Problem<'a>, fit: &[usize]) -> Vec<Input<'a>> {
    let all = problem.fold.all;
    let mut found: Vec<Input<'a>> = Vec::new();
    let mut add = |name: &'a str, values: Vec<f64>| {
        let first = fit.iter().map(|r| values[*r]).find(|v| v.is_finite());
        let differs = |v: f64| v.is_finite() && first.is_some_and(|f| (v - f).abs() > 0.0);
        let several = fit.iter().any(|r| differs(values[*r]));
        let gaps = first.is_some() && fit.iter().any(|r| !values[*r].is_finite());
        if several {
            found.push(Input { name, values });
        } else if gaps {
            // Of one value and gaps what tells is where the gaps are.
            let known = values.iter().map(|v| f64::from(u8::from(v.is_finite()))).collect();
            found.push(Input { name, values: known });
        }
    };
    if problem.goal == Goal::Member {
        all.facts.iter().enumerate().for_each(|(place, name)| add(name, problem.fact(place)));
    }
    for feature in problem.features(Ablation::All) {
        add(&feature.name, problem.rows.iter().map(|u| feature.values[u.instance]).collect());
    }
    found
}

pub(super) fn sheet(inputs: &[Input<'_>], rows: &[usize]) -> Sheet {
    Sheet::new(inputs.iter().map(|i| i.values.as_slice()), rows)
}

/// How deep the trees are, and how many there are for each thing to be learnt.
struct Plan {
    depth: usize,
    rounds: BTreeMap<usize, usize>,
}

/// What is to be learnt of these rows: places of classes, or one thing.
fn things(problem: &Problem<'_>, rows: &[usize]) -> Vec<usize> {
    let Goal::Classes(size) = problem.goal else { return vec![0] };
    let mut seen = problem.places(rows);
    seen.sort_unstable();
    seen.dedup();
    // Of two classes one decides.
    if size == 2 && seen.len() == 2 { vec![1] } else { seen }
}

/// Targets of rows for one of the things to be learnt.
fn targets(problem: &Problem<'_>, thing: usize, rows: &[usize]) -> Vec<f64> {
    match problem.goal {
        Goal::Classes(_) => problem.places(rows).into_iter().map(|place| f64::from(u8::from(place == thing))).collect(),
        _ => rows.iter().map(|r| problem.targets[*r]).collect(),
    }
}

fn growth(problem: &Problem<'_>, depth: usize, rounds: usize) -> Growth {
    Growth { logistic: problem.goal != Goal::Number, depth, rounds }
}

fn differ(y: &[f64]) -> bool {
    y.windows(2).any(|w| (w[0] - w[1]).abs() > 0.0)
}

fn grown(problem: &Problem<'_>, inputs: &[Input<'_>], fit: &[usize], plan: &Plan) -> Result<Forest, String> {
    let x = sheet(inputs, fit);
    let mut trees = Vec::new();
    for thing in things(problem, fit) {
        // A thing that no inner fold could learn has the frequency alone.
        let rounds = plan.rounds.get(&thing).copied().unwrap_or(0);
        let y = targets(problem, thing, fit);
        trees.push((thing, Trees::grow(growth(problem, plan.depth, rounds.max(1)), &x, &y, None)?.first(rounds)));
    }
    Ok(Forest { trees, goal: problem.goal })
}

/// An inner fold's trees for one thing at one depth.
struct Tried {
    thing: usize,
    trees: Trees,
    /// Rows held out, with their targets.
    held: Vec<usize>,
    y: Vec<f64>,
    x: usize,
    /// Of the frequency, or the mean, alone.
    base: f64,
}

/// The depth and numbers of trees whose held-out loss over all inner folds is least. `None` where that is not less than
/// that of no trees by more than two standard errors over groups: Breiman et al. 1984 take one for the simpler model, and
/// the best of many sizes and depths is looked at here.
fn plan(problem: &Problem<'_>, inputs: &[Input<'_>]) -> Option<Plan> {
    let inner = problem.inner();
    let parts: Vec<(Vec<usize>, Vec<usize>)> =
        inner.iter().map(|(fit, held)| (problem.labelled(fit), problem.labelled(held))).collect();
    let sheets: Vec<(Sheet, Sheet)> =
        parts.iter().map(|(fit, held)| (sheet(inputs, fit), sheet(inputs, held))).collect();
    let mut best: Option<(f64, Plan, Vec<Tried>)> = None;
    for depth in DEPTHS {
        let mut tried: Vec<Tried> = Vec::new();
        for (x, ((fit, held), (own, theirs))) in parts.iter().zip(&sheets).enumerate() {
            for thing in things(problem, fit) {
                let (y, held_y) = (targets(problem, thing, fit), targets(problem, thing, held));
                if held.is_empty() || !differ(&y) {
                    continue;
                }
                let base = y.iter().sum::<f64>() / y.len() as f64;
                let grown = Trees::grow(growth(problem, depth, ROUNDS), own, &y, Some((theirs, &held_y)));
                tried.extend(grown.ok().map(|trees| Tried { thing, trees, held: held.clone(), y: held_y, x, base }));
            }
        }
        let (loss, rounds) = least(problem, &tried);
        if best.as_ref().is_none_or(|(least, ..)| loss < *least) {
            best = Some((loss, Plan { depth, rounds }, tried));
        }
    }
    let (_, plan, tried) = best?;
    gains(problem, &plan, tried, &sheets).then_some(plan)
}

fn one_loss(problem: &Problem<'_>, said: f64, y: f64) -> f64 {
    if problem.goal == Goal::Number { (said - y).powi(2) } else { log_loss(if y > 0.5 { said } else { 1.0 - said }) }
}

/// The least sum of losses over the inner folds, with the number of trees of each thing that gives it.
fn least(problem: &Problem<'_>, tried: &[Tried]) -> (f64, BTreeMap<usize, usize>) {
    // By thing and number of trees, from none.
    let mut sums: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for one in tried {
        let none = one.y.iter().map(|y| one_loss(problem, one.base, *y)).sum::<f64>();
        let course: Vec<f64> = one.trees.course().iter().map(|mean| mean * one.y.len() as f64).collect();
        let own = sums.entry(one.thing).or_insert_with(|| vec![0.0; ROUNDS + 1]);
        for (rounds, sum) in own.iter_mut().enumerate() {
            // Past the end of the growth the loss is taken to stay.
            let told = rounds.checked_sub(1).and_then(|r| course.get(r).or(course.last()));
            *sum += told.copied().unwrap_or(none);
        }
    }
    let best = |losses: &Vec<f64>| (0..losses.len()).min_by(|a, b| losses[*a].total_cmp(&losses[*b])).unwrap_or(0);
    let rounds: BTreeMap<usize, usize> = sums.iter().map(|(thing, losses)| (*thing, best(losses))).collect();
    (sums.iter().map(|(thing, losses)| losses[rounds[thing]]).sum(), rounds)
}

/// Whether the trees of a plan answer the held-out groups better than frequencies, by more than two standard errors.
fn gains(problem: &Problem<'_>, plan: &Plan, tried: Vec<Tried>, sheets: &[(Sheet, Sheet)]) -> bool {
    let mut by_group: BTreeMap<&str, f64> = BTreeMap::new();
    for one in tried {
        let rounds = plan.rounds.get(&one.thing).copied().unwrap_or(0);
        let found = one.trees.first(rounds).predict(&sheets[one.x].1);
        for ((row, y), said) in one.held.iter().zip(&one.y).zip(found) {
            let group = problem.fold.all.rows[problem.rows[*row].instance].split_group.as_str();
            *by_group.entry(group).or_default() += one_loss(problem, one.base, *y) - one_loss(problem, said, *y);
        }
    }
    let n = by_group.len() as f64;
    let total: f64 = by_group.values().sum();
    let spread: f64 = by_group.values().map(|g| (g - total / n).powi(2)).sum();
    total > 0.0 && total > 2.0 * (spread * n / (n - 1.0).max(1.0)).sqrt()
}
