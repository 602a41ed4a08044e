//! The tasks' metrics, each a function of sums over instances: a group's sums can be added up again, which is what a
//! bootstrap does.
//!
//! Precision, recall and F1 are 0 where their denominator is 0. Macro means run over the classes that occur as label or
//! answer (scikit-learn's definition), for a ranking over its whole closed set, states that never occur counting 0
//! (the benchmark's); balanced accuracy runs over the classes that occur as label. Quadratic weighted kappa is Cohen's
//! (1968). Recall@k and MRR are the benchmark's, of a list of three: 1/rank for ranks 1 to 3 and 0 beyond; so is the
//! intensity match `max(1, 5 - |d|)`. The pairs score 0 to 2 of viewpoints is told there by its range alone; here 2 =
//! all pairs and no other, 1 = at least one, 0 = none.

use super::confusion::{Confusion, ratio};

/// A name and its value; `None` = undefined.
pub type Metric = (String, Option<f64>);

/// What an instance's right answer is.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth {
    /// A place in the closed set; `None` = the label is outside.
    Class(Option<usize>),
    /// A number.
    Number(f64),
    /// Places in the closed set, and how many right answers lie outside.
    Several(Vec<usize>, usize),
}

/// What a model answers.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelAnswer {
    /// Places in the closed set, best first.
    Ranking(Vec<usize>),
    /// A number.
    Number(f64),
    /// Places in the closed set; those past its end are answers outside.
    Several(Vec<usize>),
    /// How near a text is to the right one, by each measure, 0 to 1.
    Compared(Vec<f64>),
    /// Nothing, which is never right.
    Nothing,
}

/// Which metrics.
#[derive(Clone, Debug, PartialEq)]
pub enum Scoring {
    /// One class of few: precision, recall and F1 of each and the accuracies.
    Classes(Vec<String>),
    /// A ranking of one closed set: recall@k, MRR, macro precision, recall and F1 of the first.
    Ranking(usize),
    /// A ranking of each instance's own candidates: recall@k, MRR.
    Candidates,
    /// The level of an ordered set: quadratic weighted kappa, mean absolute error, accuracy.
    Levels(usize),
    /// Levels, and the benchmark's intensity match.
    Intensity(usize),
    /// A number: errors, R², Pearson's r.
    Regression,
    /// Pairs: the score 0 to 2, and precision, recall and F1 over all pairs.
    Pairs,
    /// Texts that were compared one by one: the mean of each measure that is named.
    Texts(Vec<String>),
}

/// Ranks that recall is told at.
const RANKS: usize = 3;

impl Scoring {
    /// The metric that stands for the task, and whether more of it is better.
    pub fn primary(&self) -> (&'static str, bool) {
        match self {
            Scoring::Classes(_) => ("balanced_accuracy", true),
            Scoring::Ranking(_) | Scoring::Candidates => ("mrr", true),
            Scoring::Levels(_) => ("qwk", true),
            Scoring::Intensity(_) => ("intensity_match", true),
            Scoring::Regression => ("mae", false),
            Scoring::Pairs => ("pairs_score", true),
            Scoring::Texts(_) => ("text_token_f1", true),
        }
    }

    /// The number of sums.
    pub fn len(&self) -> usize {
        match self {
            Scoring::Classes(c) => (c.len() + 1) * (c.len() + 1),
            Scoring::Ranking(k) => 5 + (k + 1) * (k + 1),
            Scoring::Candidates => 5,
            Scoring::Levels(k) => 2 + k * k,
            Scoring::Intensity(k) => 4 + k * k,
            Scoring::Regression => 8,
            Scoring::Pairs => 5,
            Scoring::Texts(measures) => 1 + measures.len(),
        }
    }

    /// Never.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an instance to sums of length [`Scoring::len`].
    pub fn add(&self, sums: &mut [f64], truth: &Truth, answer: &ModelAnswer) {
        match (self, truth, answer) {
            (Scoring::Texts(_), _, ModelAnswer::Nothing) => sums[0] += 1.0,
            (_, Truth::Class(_), ModelAnswer::Nothing) => self.add(sums, truth, &ModelAnswer::Ranking(Vec::new())),
            (_, Truth::Several(..), ModelAnswer::Nothing) => self.add(sums, truth, &ModelAnswer::Several(Vec::new())),
            // The floor of the match; an error or a correlation of nothing there is not.
            (Scoring::Intensity(_), Truth::Number(_), ModelAnswer::Nothing) => {
                sums[2] += 1.0;
                sums[3] += 1.0;
            }
            (Scoring::Classes(classes), Truth::Class(t), ModelAnswer::Ranking(a)) => {
                count(sums, classes.len(), *t, a.first());
            }
            (Scoring::Ranking(k), Truth::Class(t), ModelAnswer::Ranking(a)) => {
                ranks(sums, *t, a);
                count(&mut sums[5..], *k, *t, a.first());
            }
            (Scoring::Candidates, Truth::Class(t), ModelAnswer::Ranking(a)) => ranks(sums, *t, a),
            (Scoring::Levels(k), Truth::Number(t), ModelAnswer::Number(a)) => levels(sums, *k, 2, *t, *a),
            (Scoring::Intensity(k), Truth::Number(t), ModelAnswer::Number(a)) => {
                sums[2] += 1.0;
                sums[3] += (5.0 - (t - a).abs()).max(1.0);
                levels(sums, *k, 4, *t, *a);
            }
            (Scoring::Regression, Truth::Number(t), ModelAnswer::Number(a)) => {
                let all = [1.0, (t - a).abs(), (t - a).powi(2), *t, t * t, *a, a * a, t * a];
                sums.iter_mut().zip(all).for_each(|(s, x)| *s += x);
            }
            (Scoring::Pairs, Truth::Several(t, outside), ModelAnswer::Several(a)) => {
                let hits = a.iter().filter(|p| t.contains(p)).count();
                let gold = t.len() + outside;
                let score = if hits == gold && hits == a.len() { 2.0 } else { f64::from(u8::from(hits > 0)) };
                let all = [1.0, score, hits as f64, a.len() as f64, gold as f64];
                sums.iter_mut().zip(all).for_each(|(s, x)| *s += x);
            }
            (Scoring::Texts(_), _, ModelAnswer::Compared(measures)) => {
                sums[0] += 1.0;
                sums[1..].iter_mut().zip(measures).for_each(|(s, x)| *s += x);
            }
            // A truth of another kind than the scoring's is made nowhere.
            _ => {}
        }
    }

    /// The metrics of the sums.
    pub fn metrics(&self, sums: &[f64]) -> Vec<Metric> {
        let named = |list: Vec<(&str, Option<f64>)>| list.into_iter().map(|(n, v)| (n.to_owned(), v)).collect();
        match self {
            Scoring::Classes(classes) => {
                let table = Confusion { counts: sums, size: classes.len() + 1 };
                let mut found: Vec<Metric> = Vec::new();
                for (i, class) in classes.iter().enumerate() {
                    let (p, r, f) = table.precision_recall_f1(i);
                    let any = table.total() > 0.0;
                    found.extend(
                        [("precision", p), ("recall", r), ("f1", f)]
                            .map(|(n, v)| (format!("{n}_{class}"), any.then_some(v))),
                    );
                }
                found.extend([
                    ("accuracy".into(), table.accuracy()),
                    ("balanced_accuracy".into(), table.balanced_accuracy()),
                ]);
                found.push(("macro_f1".into(), table.macro_of_those_seen(classes.len()).map(|m| m[2])));
                found
            }
            Scoring::Ranking(k) => {
                let mut found = ranking_metrics(sums);
                let macros = Confusion { counts: &sums[5..], size: k + 1 }.macro_of_all(*k);
                found.extend(
                    ["macro_precision", "macro_recall", "macro_f1"]
                        .iter()
                        .enumerate()
                        .map(|(i, n)| ((*n).to_owned(), macros.map(|m| m[i]))),
                );
                found
            }
            Scoring::Candidates => ranking_metrics(sums),
            Scoring::Texts(measures) => {
                measures.iter().zip(&sums[1..]).map(|(name, sum)| (name.clone(), ratio(*sum, sums[0]))).collect()
            }
            Scoring::Levels(k) => {
                let table = Confusion { counts: &sums[2..], size: *k };
                named(vec![
                    ("qwk", table.quadratic_weighted_kappa()),
                    ("mae", ratio(sums[1], sums[0])),
                    ("accuracy", table.accuracy()),
                ])
            }
            Scoring::Intensity(k) => named(vec![
                ("intensity_match", ratio(sums[3], sums[2])),
                ("mae", ratio(sums[1], sums[0])),
                ("qwk", Confusion { counts: &sums[4..], size: *k }.quadratic_weighted_kappa()),
            ]),
            Scoring::Regression => {
                let [n, absolute, squared, t, tt, a, aa, ta] = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| sums[i]);
                let spread = |x: f64, xx: f64| (xx - x * x / n).max(0.0);
                let (st, sa) = (spread(t, tt), spread(a, aa));
                // Below this share of the sum of squares a spread is rounding.
                let real = |s: f64, xx: f64| s > 1e-12 * xx.max(1e-300);
                let r = (n > 1.0 && real(st, tt) && real(sa, aa))
                    .then(|| ((ta - t * a / n) / (st * sa).sqrt()).clamp(-1.0, 1.0));
                let r2 = (n > 1.0 && real(st, tt)).then(|| 1.0 - squared / st);
                named(vec![
                    ("mae", ratio(absolute, n)),
                    ("rmse", ratio(squared, n).map(f64::sqrt)),
                    ("r2", r2),
                    ("pearson_r", r),
                ])
            }
            Scoring::Pairs => {
                let (hits, answered, gold) = (sums[2], sums[3], sums[4]);
                let or_zero = |a, b| if b > 0.0 { a / b } else { 0.0 };
                let any = |v| (sums[0] > 0.0).then_some(v);
                named(vec![
                    ("pairs_score", ratio(sums[1], sums[0])),
                    ("pairs_precision", any(or_zero(hits, answered))),
                    ("pairs_recall", any(or_zero(hits, gold))),
                    ("pairs_f1", any(or_zero(2.0 * hits, answered + gold))),
                ])
            }
        }
    }
}

/// Number, hits at rank 1 to 3, reciprocal rank.
fn ranks(sums: &mut [f64], truth: Option<usize>, answer: &[usize]) {
    sums[0] += 1.0;
    let top = &answer[..answer.len().min(RANKS)];
    let Some(rank) = truth.and_then(|t| top.iter().position(|a| *a == t)) else { return };
    for hit in &mut sums[1..=RANKS][rank..] {
        *hit += 1.0;
    }
    sums[1 + RANKS] += 1.0 / (rank + 1) as f64;
}

/// Counts label and first answer in a table with one more place than classes: a label outside the set, or no answer.
fn count(sums: &mut [f64], classes: usize, truth: Option<usize>, answer: Option<&usize>) {
    sums[truth.unwrap_or(classes) * (classes + 1) + answer.unwrap_or(&classes)] += 1.0;
}

fn ranking_metrics(sums: &[f64]) -> Vec<Metric> {
    let mut found: Vec<Metric> = (1..=RANKS).map(|k| (format!("recall_at_{k}"), ratio(sums[k], sums[0]))).collect();
    found.push(("mrr".into(), ratio(sums[1 + RANKS], sums[0])));
    found
}

fn levels(sums: &mut [f64], size: usize, from: usize, truth: f64, answer: f64) {
    sums[0] += 1.0;
    sums[1] += (truth - answer).abs();
    let place = |x: f64| x.round_ties_even().clamp(0.0, (size.max(1) - 1) as f64) as usize;
    sums[from + place(truth) * size + place(answer)] += 1.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(scoring: &Scoring, pairs: &[(Truth, ModelAnswer)], name: &str) -> Option<f64> {
        let mut sums = vec![0.0; scoring.len()];
        pairs.iter().for_each(|(t, a)| scoring.add(&mut sums, t, a));
        scoring.metrics(&sums).into_iter().find(|(n, _)| n == name).unwrap().1
    }

    fn near(found: Option<f64>, expected: f64) {
        assert!(found.is_some_and(|f| (f - expected).abs() < 1e-12), "{found:?} {expected}");
    }

    /// One of scikit-learn's cases, see `tests/fixtures/make_metrics.py`.
    #[derive(serde::Deserialize)]
    struct Case {
        classes: usize,
        truth: Vec<usize>,
        rankings: Vec<Vec<usize>>,
        numbers: Vec<f64>,
        expected: std::collections::BTreeMap<String, serde_json::Value>,
    }

    impl Case {
        /// The metric of a scoring equals the case's; both undefined is equal.
        fn holds(&self, scoring: &Scoring, pairs: &[(Truth, ModelAnswer)], name: &str, expected: &serde_json::Value) {
            let found = value(scoring, pairs, name);
            let equal = match (found, expected.as_f64()) {
                (Some(a), Some(b)) => (a - b).abs() < 1e-9,
                (a, b) => a.is_none() && b.is_none(),
            };
            assert!(equal, "{name} of {scoring:?}: {found:?}, expected {expected}");
        }
    }

    #[test]
    fn twenty_cases_equal_scikit_learn() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/metrics.json");
        let cases: Vec<Case> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(cases.len(), 20);
        for case in &cases {
            let k = case.classes;
            let ranked: Vec<(Truth, ModelAnswer)> = case
                .truth
                .iter()
                .zip(&case.rankings)
                .map(|(t, r)| (Truth::Class(Some(*t)), ModelAnswer::Ranking(r.clone())))
                .collect();
            let levels: Vec<(Truth, ModelAnswer)> = case
                .truth
                .iter()
                .zip(&case.rankings)
                .map(|(t, r)| (Truth::Number(*t as f64), ModelAnswer::Number(r[0] as f64)))
                .collect();
            let numbers: Vec<(Truth, ModelAnswer)> = case
                .truth
                .iter()
                .zip(&case.numbers)
                .map(|(t, x)| (Truth::Number(*t as f64), ModelAnswer::Number(*x)))
                .collect();
            let classes = Scoring::Classes((0..k).map(|i| i.to_string()).collect());
            let told = |name: &str| &case.expected[name];
            let of_three = |(t, r): (&usize, &Vec<usize>)| {
                r[..r.len().min(RANKS)].iter().position(|a| a == t).map_or(0.0, |rank| 1.0 / (rank + 1) as f64)
            };
            let mrr = case.truth.iter().zip(&case.rankings).map(of_three).sum::<f64>() / case.truth.len() as f64;
            for (name, expected) in [
                ("recall_at_1", told("recall_at_1")),
                ("recall_at_2", told("recall_at_2")),
                ("recall_at_3", told("recall_at_3")),
                ("mrr", &mrr.into()),
            ] {
                case.holds(&Scoring::Ranking(k), &ranked, name, expected);
                case.holds(&Scoring::Candidates, &ranked, name, expected);
            }
            for name in ["precision", "recall", "f1"] {
                let each: Vec<f64> = told(name).as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
                let mean = each.iter().sum::<f64>() / k as f64;
                case.holds(&Scoring::Ranking(k), &ranked, &format!("macro_{name}"), &mean.into());
            }
            for name in ["accuracy", "balanced_accuracy", "macro_f1"] {
                case.holds(&classes, &ranked, name, told(name));
            }
            for (i, name) in (0..k).flat_map(|i| ["precision", "recall", "f1"].map(|n| (i, n))) {
                case.holds(&classes, &ranked, &format!("{name}_{i}"), &told(name)[i]);
            }
            case.holds(&Scoring::Levels(k), &levels, "qwk", told("qwk"));
            case.holds(&Scoring::Intensity(k), &levels, "qwk", told("qwk"));
            case.holds(&Scoring::Levels(k), &levels, "mae", told("level_mae"));
            for name in ["mae", "rmse", "r2"] {
                case.holds(&Scoring::Regression, &numbers, name, told(name));
            }
        }
    }

    #[test]
    fn ranks_count_down() {
        let one = |t: usize, a: &[usize]| (Truth::Class(Some(t)), ModelAnswer::Ranking(a.to_vec()));
        let all = [one(0, &[0, 1, 2]), one(1, &[0, 1, 2]), one(2, &[0, 1, 2]), one(3, &[0, 1, 2])];
        for scoring in [Scoring::Ranking(4), Scoring::Candidates] {
            near(value(&scoring, &all, "recall_at_1"), 0.25);
            near(value(&scoring, &all, "recall_at_2"), 0.5);
            near(value(&scoring, &all, "recall_at_3"), 0.75);
            near(value(&scoring, &all, "mrr"), (1.0 + 0.5 + 1.0 / 3.0) / 4.0);
            // A right answer in the fourth place is none: the list has three.
            near(value(&scoring, &[one(3, &[0, 1, 2, 3])], "mrr"), 0.0);
        }
    }

    #[test]
    fn macro_means_of_a_ranking_run_over_the_whole_set() {
        let one = |t, a: &[usize]| (Truth::Class(t), ModelAnswer::Ranking(a.to_vec()));
        // Four states, of which two never occur; a label outside is wrong and no state of its own.
        let all = [one(Some(0), &[0]), one(Some(1), &[0]), one(None, &[1])];
        near(value(&Scoring::Ranking(4), &all, "macro_precision"), 0.5 / 4.0);
        near(value(&Scoring::Ranking(4), &all, "macro_recall"), 1.0 / 4.0);
        near(value(&Scoring::Ranking(4), &all, "recall_at_1"), 1.0 / 3.0);
    }

    #[test]
    fn no_answer_is_wrong_and_has_no_error() {
        let classes = Scoring::Classes(vec!["yes".into(), "no".into()]);
        let said = [
            (Truth::Class(Some(0)), ModelAnswer::Ranking(vec![0])),
            (Truth::Class(Some(0)), ModelAnswer::Nothing),
            (Truth::Class(Some(1)), ModelAnswer::Ranking(vec![1])),
        ];
        near(value(&classes, &said, "recall_yes"), 0.5);
        near(value(&classes, &said, "precision_yes"), 1.0);
        near(value(&classes, &said, "accuracy"), 2.0 / 3.0);
        near(value(&Scoring::Candidates, &said, "mrr"), 2.0 / 3.0);
        let felt = [(Truth::Number(7.0), ModelAnswer::Number(6.0)), (Truth::Number(7.0), ModelAnswer::Nothing)];
        near(value(&Scoring::Intensity(11), &felt, "intensity_match"), 2.5);
        near(value(&Scoring::Intensity(11), &felt, "mae"), 1.0);
        near(value(&Scoring::Pairs, &[(Truth::Several(vec![0], 0), ModelAnswer::Nothing)], "pairs_recall"), 0.0);
    }

    #[test]
    fn intensity_falls_to_one_and_no_further() {
        let one = |t, a| (Truth::Number(t), ModelAnswer::Number(a));
        near(value(&Scoring::Intensity(11), &[one(7.0, 7.0), one(7.0, 5.0), one(10.0, 0.0)], "intensity_match"), 3.0);
    }

    #[test]
    fn pairs_are_all_some_or_none() {
        let one =
            |t: &[usize], outside, a: &[usize]| (Truth::Several(t.to_vec(), outside), ModelAnswer::Several(a.to_vec()));
        let all = [one(&[1, 2], 0, &[2, 1]), one(&[1], 1, &[1]), one(&[1], 0, &[1, 2]), one(&[1], 0, &[0])];
        near(value(&Scoring::Pairs, &all, "pairs_score"), 1.0);
        near(value(&Scoring::Pairs, &all, "pairs_recall"), 4.0 / 6.0);
        near(value(&Scoring::Pairs, &all, "pairs_precision"), 4.0 / 6.0);
    }

    #[test]
    fn what_is_undefined_is_none_and_never_nan() {
        for scoring in [
            Scoring::Classes(vec!["yes".into(), "no".into()]),
            Scoring::Ranking(3),
            Scoring::Candidates,
            Scoring::Levels(3),
            Scoring::Intensity(11),
            Scoring::Regression,
            Scoring::Pairs,
            Scoring::Texts(vec!["text_token_f1".into()]),
        ] {
            assert!(scoring.metrics(&vec![0.0; scoring.len()]).iter().all(|(_, v)| v.is_none()), "{scoring:?}");
        }
        let one = [(Truth::Number(1.0), ModelAnswer::Number(1.0)), (Truth::Number(1.0), ModelAnswer::Number(1.0))];
        assert_eq!(value(&Scoring::Levels(3), &one, "qwk"), None);
        assert_eq!(value(&Scoring::Regression, &one, "r2"), None);
        assert_eq!(value(&Scoring::Regression, &one, "pearson_r"), None);
    }
}
