//! Permutation importance (Breiman 2001; Fisher et al. 2019): how much worse the boosted trees answer the groups they
//! were not fitted on when a column's values are dealt out anew among their instances.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::boosted::{Forest, Input, sheet};
use super::instances::TaskTable;
use super::models::{Fold, Told};
use super::problem::Problem;
use super::question::Question;
use super::report::rounded;
use super::scored::less_is_better;
use crate::random::Random;

/// Times that a column is dealt out anew in each fold.
const DEALS: usize = 5;

/// Columns of a fold that are tried, those whose splits gained most; the others count as if nothing changed.
const TRIED: usize = 40;

/// Sums of the task's metrics over a fold's test instances, as answered and with each column dealt out anew.
#[derive(Clone, Debug, Default)]
pub(super) struct Shuffled {
    plain: Vec<f64>,
    /// By name of the column, then deal.
    dealt: BTreeMap<String, Vec<Vec<f64>>>,
}

impl Shuffled {
    /// Of a model that looks at no column.
    pub(super) fn of(fold: &Fold<'_>, told: &[Told]) -> Self {
        Shuffled { plain: sums(fold, told), dealt: BTreeMap::new() }
    }
}

fn sums(fold: &Fold<'_>, told: &[Told]) -> Vec<f64> {
    let mut sums = vec![0.0; fold.question.scoring.len()];
    for (instance, told) in fold.test.iter().zip(told) {
        fold.question.scoring.add(&mut sums, &fold.question.truths[*instance], &told.answer);
    }
    sums
}

/// Deals out anew the columns that the trees ask most.
pub(super) fn shuffled(problem: &Problem<'_>, forest: &Forest, inputs: &[Input<'_>], told: &[Told]) -> Shuffled {
    let fold = problem.fold;
    let mut gains: BTreeMap<usize, f64> = BTreeMap::new();
    for (column, gain) in forest.trees.iter().flat_map(|(_, trees)| trees.asked()) {
        *gains.entry(column).or_default() += gain;
    }
    let mut order: Vec<(usize, f64)> = gains.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let rows = problem.rows_of(&fold.test);
    let mut asked = sheet(inputs, &rows);
    let mut found = Shuffled::of(fold, told);
    for (column, _) in order.into_iter().take(TRIED) {
        let input = &inputs[column];
        let own: Vec<f64> = rows.iter().map(|r| input.values[*r]).collect();
        for deal in 0..DEALS {
            let purpose = format!("deal {deal} of {} in fold {} of {}", input.name, fold.index, fold.question.part);
            let dealt = dealt(problem, &rows, &own, &mut Random::new(fold.seed, &purpose));
            asked.column_mut(column).copy_from_slice(&dealt);
            let told = problem.answers(&forest.outputs(&asked));
            found.dealt.entry(input.name.to_owned()).or_default().push(sums(fold, &told));
        }
        asked.column_mut(column).copy_from_slice(&own);
    }
    found
}

/// The values in another order: those of an instance's candidates stay together where they are one value.
fn dealt(problem: &Problem<'_>, rows: &[usize], own: &[f64], random: &mut Random) -> Vec<f64> {
    let mut first: BTreeMap<usize, f64> = BTreeMap::new();
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits();
    let whole = rows.iter().zip(own).all(|(r, v)| {
        let known = first.entry(problem.rows[*r].instance).or_insert(*v);
        same(*known, *v)
    });
    if whole {
        let mut values: Vec<f64> = first.values().copied().collect();
        random.shuffle(&mut values);
        let new: BTreeMap<usize, f64> = first.keys().copied().zip(values).collect();
        return rows.iter().map(|r| new[&problem.rows[*r].instance]).collect();
    }
    let mut values = own.to_vec();
    random.shuffle(&mut values);
    values
}

/// How much a column matters to the boosted trees.
#[derive(Clone, Debug, PartialEq)]
pub struct Importance {
    /// couple, family, or all.
    pub part: String,
    /// The column of the task's table.
    pub column: String,
    /// Its unit, as the table tells it.
    pub unit: String,
    /// What it is, as the table tells it.
    pub description: String,
    /// The sense it is of.
    pub modality: &'static str,
    /// The metric that stands for the task.
    pub metric: &'static str,
    /// How much worse it becomes, in the mean over the deals.
    pub worse_by: f64,
    /// Standard deviation over the deals.
    pub spread: f64,
}

/// Of all columns that the trees of any fold ask, the most important first.
pub(super) fn importance(question: &Question, all: &TaskTable, folds: &[&Shuffled]) -> Vec<Importance> {
    let scoring = &question.scoring;
    let (metric, _) = scoring.primary();
    let value = |sums: &[f64]| scoring.metrics(sums).into_iter().find(|(name, _)| name == metric).and_then(|(_, v)| v);
    let total = |deal: &dyn Fn(&Shuffled) -> Vec<f64>| {
        let mut sums = vec![0.0; scoring.len()];
        folds.iter().for_each(|f| sums.iter_mut().zip(deal(f)).for_each(|(s, x)| *s += x));
        sums
    };
    let Some(plain) = value(&total(&|f: &Shuffled| f.plain.clone())) else { return Vec::new() };
    let sign = if less_is_better(metric) { -1.0 } else { 1.0 };
    let mut names: Vec<&String> = folds.iter().flat_map(|f| f.dealt.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let one = |name: &&String| {
        let of = |deal: usize| {
            value(&total(&|f: &Shuffled| {
                f.dealt.get(*name).map_or_else(|| f.plain.clone(), |deals| deals[deal].clone())
            }))
        };
        let worse: Vec<f64> = (0..DEALS).filter_map(|d| Some(sign * (plain - of(d)?))).collect();
        let n = worse.len() as f64;
        let mean = worse.iter().sum::<f64>() / n;
        let spread = (worse.iter().map(|w| (w - mean).powi(2)).sum::<f64>() / n).sqrt();
        let about = all.about.get(*name).cloned().unwrap_or_default();
        let (column, part) = ((*name).clone(), question.part.clone());
        let (unit, description, modality) = (about.unit, about.description, about.modality.name());
        Importance { part, column, unit, description, modality, metric, worse_by: mean + 0.0, spread }
    };
    let mut found: Vec<Importance> = names.iter().map(one).filter(|i| i.worse_by.is_finite()).collect();
    found.sort_by(|a, b| b.worse_by.total_cmp(&a.worse_by).then(a.column.cmp(&b.column)));
    found
}

impl Importance {
    /// As JSON; numbers to 9 decimals.
    pub(super) fn json(&self) -> Value {
        json!({
            "part": self.part, "model": "boosted_all", "column": self.column, "unit": self.unit,
            "description": self.description, "modality": self.modality, "metric": self.metric,
            "worse_by": rounded(self.worse_by), "spread": rounded(self.spread),
        })
    }
}
