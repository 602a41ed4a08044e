//! The tasks' metrics, each a function of sums over instances: a group's sums can be added up again, which is what a
//! bootstrap does.
//!
//! Precision, recall and F1 are 0 where their denominator is 0, macro means run over the classes that occur as label or
//! answer, balanced accuracy over the classes that occur as label: scikit-learn's definitions. Quadratic weighted kappa
//! is Cohen's (1968). Recall@k, MRR and the intensity match `max(1, 5 - |d|)` are the benchmark's. The pairs score 0 to
//! 2 of viewpoints is told there by its range alone; here 2 = all pairs and no other, 1 = at least one, 0 = none.

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
    /// Places in the closed set.
    Several(Vec<usize>),
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
        }
    }

    /// The number of sums.
    pub fn len(&self) -> usize {
        match self {
            Scoring::Classes(c) => c.len() * c.len(),
            Scoring::Ranking(k) => 5 + (k + 1) * (k + 1),
            Scoring::Candidates => 5,
            Scoring::Levels(k) => 2 + k * k,
            Scoring::Intensity(k) => 3 + k * k,
            Scoring::Regression => 8,
            Scoring::Pairs => 5,
        }
    }

    /// Never.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an instance to sums of length [`Scoring::len`].
    pub fn add(&self, sums: &mut [f64], truth: &Truth, answer: &ModelAnswer) {
        match (self, truth, answer) {
            (Scoring::Classes(classes), Truth::Class(Some(t)), ModelAnswer::Ranking(a)) => {
                if let Some(a) = a.first() {
                    sums[t * classes.len() + a] += 1.0;
                }
            }
            (Scoring::Ranking(k), Truth::Class(t), ModelAnswer::Ranking(a)) => {
                ranks(sums, *t, a);
                // One more place than classes: a label outside the set, or no answer at all.
                sums[5 + t.unwrap_or(*k) * (k + 1) + a.first().unwrap_or(k)] += 1.0;
            }
            (Scoring::Candidates, Truth::Class(t), ModelAnswer::Ranking(a)) => ranks(sums, *t, a),
            (Scoring::Levels(k), Truth::Number(t), ModelAnswer::Number(a)) => levels(sums, *k, 2, *t, *a),
            (Scoring::Intensity(k), Truth::Number(t), ModelAnswer::Number(a)) => {
                sums[2] += (5.0 - (t - a).abs()).max(1.0);
                levels(sums, *k, 3, *t, *a);
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
            // A truth of another kind than the scoring's is made nowhere.
            _ => {}
        }
    }

    /// The metrics of the sums.
    pub fn metrics(&self, sums: &[f64]) -> Vec<Metric> {
        let named = |list: Vec<(&str, Option<f64>)>| list.into_iter().map(|(n, v)| (n.to_owned(), v)).collect();
        match self {
            Scoring::Classes(classes) => {
                let table = Confusion { counts: sums, size: classes.len() };
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
                found.push(("macro_f1".into(), table.macro_means(classes.len()).map(|m| m[2])));
                found
            }
            Scoring::Ranking(k) => {
                let mut found = ranking_metrics(sums);
                let macros = Confusion { counts: &sums[5..], size: k + 1 }.macro_means(*k);
                found.extend(
                    ["macro_precision", "macro_recall", "macro_f1"]
                        .iter()
                        .enumerate()
                        .map(|(i, n)| ((*n).to_owned(), macros.map(|m| m[i]))),
                );
                found
            }
            Scoring::Candidates => ranking_metrics(sums),
            Scoring::Levels(k) => {
                let table = Confusion { counts: &sums[2..], size: *k };
                named(vec![
                    ("qwk", table.quadratic_weighted_kappa()),
                    ("mae", ratio(sums[1], sums[0])),
                    ("accuracy", table.accuracy()),
                ])
            }
            Scoring::Intensity(k) => named(vec![
                ("intensity_match", ratio(sums[2], sums[0])),
                ("mae", ratio(sums[1], sums[0])),
                ("qwk", Confusion { counts: &sums[3..], size: *k }.quadratic_weighted_kappa()),
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

fn ratio(a: f64, n: f64) -> Option<f64> {
    (n > 0.0).then(|| a / n)
}

/// Number, hits at rank 1 to 3, reciprocal rank.
fn ranks(sums: &mut [f64], truth: Option<usize>, answer: &[usize]) {
    sums[0] += 1.0;
    let Some(rank) = truth.and_then(|t| answer.iter().position(|a| *a == t)) else { return };
    for hit in &mut sums[1..=RANKS][rank.min(RANKS)..] {
        *hit += 1.0;
    }
    sums[1 + RANKS] += 1.0 / (rank + 1) as f64;
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

/// Counts by label (row) and answer (column).
struct Confusion<'a> {
    counts: &'a [f64],
    size: usize,
}

impl Confusion<'_> {
    fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    fn row(&self, i: usize) -> f64 {
        self.counts[i * self.size..(i + 1) * self.size].iter().sum()
    }

    fn column(&self, i: usize) -> f64 {
        (0..self.size).map(|r| self.counts[r * self.size + i]).sum()
    }

    fn right(&self, i: usize) -> f64 {
        self.counts[i * self.size + i]
    }

    fn precision_recall_f1(&self, i: usize) -> (f64, f64, f64) {
        let or_zero = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
        let (right, labels, answers) = (self.right(i), self.row(i), self.column(i));
        (or_zero(right, answers), or_zero(right, labels), or_zero(2.0 * right, labels + answers))
    }

    fn accuracy(&self) -> Option<f64> {
        ratio((0..self.size).map(|i| self.right(i)).sum(), self.total())
    }

    fn balanced_accuracy(&self) -> Option<f64> {
        let recalls: Vec<f64> =
            (0..self.size).filter(|i| self.row(*i) > 0.0).map(|i| self.right(i) / self.row(i)).collect();
        ratio(recalls.iter().sum(), recalls.len() as f64)
    }

    /// Over the classes that occur as label, or as answer where they are among the first `answers`.
    fn macro_means(&self, answers: usize) -> Option<[f64; 3]> {
        let there = |i: &usize| self.row(*i) > 0.0 || (*i < answers && self.column(*i) > 0.0);
        let each: Vec<_> = (0..self.size).filter(there).map(|i| self.precision_recall_f1(i)).collect();
        let n = each.len() as f64;
        (n > 0.0).then(|| {
            let sum = each.iter().fold((0.0, 0.0, 0.0), |s, e| (s.0 + e.0, s.1 + e.1, s.2 + e.2));
            [sum.0 / n, sum.1 / n, sum.2 / n]
        })
    }

    /// `None` when labels and answers are all of one and the same level: chance explains everything.
    fn quadratic_weighted_kappa(&self) -> Option<f64> {
        let n = self.total();
        let (rows, columns): (Vec<f64>, Vec<f64>) = (0..self.size).map(|i| (self.row(i), self.column(i))).unzip();
        let (mut seen, mut expected) = (0.0, 0.0);
        for (i, row) in rows.iter().enumerate() {
            for (j, column) in columns.iter().enumerate() {
                let weight = (i as f64 - j as f64).powi(2);
                seen += weight * self.counts[i * self.size + j];
                expected += weight * row * column / n.max(1.0);
            }
        }
        (expected > 0.0).then(|| 1.0 - seen / expected)
    }
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
            for name in ["recall_at_1", "recall_at_2", "recall_at_3", "mrr"] {
                case.holds(&Scoring::Ranking(k), &ranked, name, told(name));
                case.holds(&Scoring::Candidates, &ranked, name, told(name));
            }
            for name in ["macro_precision", "macro_recall", "macro_f1"] {
                case.holds(&Scoring::Ranking(k), &ranked, name, told(name));
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
        }
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
        ] {
            assert!(scoring.metrics(&vec![0.0; scoring.len()]).iter().all(|(_, v)| v.is_none()), "{scoring:?}");
        }
        let one = [(Truth::Number(1.0), ModelAnswer::Number(1.0)), (Truth::Number(1.0), ModelAnswer::Number(1.0))];
        assert_eq!(value(&Scoring::Levels(3), &one, "qwk"), None);
        assert_eq!(value(&Scoring::Regression, &one, "r2"), None);
        assert_eq!(value(&Scoring::Regression, &one, "pearson_r"), None);
    }
}
