//! A table of labels by answers, and the figures that it gives.

/// A share; `None` of nothing.
pub(super) fn ratio(a: f64, n: f64) -> Option<f64> {
    (n > 0.0).then(|| a / n)
}

/// Counts by label (row) and answer (column).
pub(super) struct Confusion<'a> {
    pub(super) counts: &'a [f64],
    pub(super) size: usize,
}

impl Confusion<'_> {
    pub(super) fn total(&self) -> f64 {
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

    pub(super) fn precision_recall_f1(&self, i: usize) -> (f64, f64, f64) {
        let or_zero = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
        let (right, labels, answers) = (self.right(i), self.row(i), self.column(i));
        (or_zero(right, answers), or_zero(right, labels), or_zero(2.0 * right, labels + answers))
    }

    pub(super) fn accuracy(&self) -> Option<f64> {
        ratio((0..self.size).map(|i| self.right(i)).sum(), self.total())
    }

    pub(super) fn balanced_accuracy(&self) -> Option<f64> {
        let recalls: Vec<f64> =
            (0..self.size).filter(|i| self.row(*i) > 0.0).map(|i| self.right(i) / self.row(i)).collect();
        ratio(recalls.iter().sum(), recalls.len() as f64)
    }

    /// Over those of the first `classes` that occur as label or as answer.
    pub(super) fn macro_of_those_seen(&self, classes: usize) -> Option<[f64; 3]> {
        self.macro_means((0..classes).filter(|i| self.row(*i) > 0.0 || self.column(*i) > 0.0))
    }

    /// Over all of the first `classes`; `None` without instances.
    pub(super) fn macro_of_all(&self, classes: usize) -> Option<[f64; 3]> {
        self.macro_means((0..classes).filter(|_| self.total() > 0.0))
    }

    fn macro_means(&self, classes: impl Iterator<Item = usize>) -> Option<[f64; 3]> {
        let each: Vec<_> = classes.map(|i| self.precision_recall_f1(i)).collect();
        let n = each.len() as f64;
        (n > 0.0).then(|| {
            let sum = each.iter().fold((0.0, 0.0, 0.0), |s, e| (s.0 + e.0, s.1 + e.1, s.2 + e.2));
            [sum.0 / n, sum.1 / n, sum.2 / n]
        })
    }

    /// `None` when labels and answers are all of one and the same level: chance explains everything.
    pub(super) fn quadratic_weighted_kappa(&self) -> Option<f64> {
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
