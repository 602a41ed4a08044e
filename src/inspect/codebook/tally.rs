//! What is seen of one column over many tables, in memory that does not grow with them: how often it is filled,
//! smallest, median and largest number, distinct texts.
//!
//! Everything counted is a sum, a smallest or a largest, so that the order in which tables are read changes no digit.

use std::collections::BTreeMap;

use crate::table::{Cell, ColumnData};

/// Numbers that are kept one by one; of more, only how many fall between neighbouring values of 9 binary digits.
const EXACT: usize = 4096;

/// Digits of a double's 52 that are left out then.
const ROUNDED_BITS: u32 = 44;

/// Texts that are told apart; of more, only that there are more.
const MOST_TEXTS: usize = 1000;

/// Texts that are few enough to be told, and not too long for it.
const FEW_TEXTS: usize = 12;
const LONGEST_TEXT: usize = 60;

/// What is seen of a column's values, rows counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// Rows of the tables that have the column.
    pub(super) rows: u64,
    /// Rows with a value.
    pub(super) filled: u64,
    /// Numbers, or the lengths of lists.
    pub(super) numbers: Numbers,
    /// Texts, and true or false.
    pub(super) texts: Texts,
}

impl Tally {
    /// Counts the values of some rows.
    pub(super) fn add(&mut self, data: &ColumnData) {
        self.rows += data.len() as u64;
        match data {
            ColumnData::F32(v) => v.iter().filter(|x| x.is_finite()).for_each(|x| self.number(f64::from(*x))),
            ColumnData::F64(v) => v.iter().filter(|x| x.is_finite()).for_each(|x| self.number(*x)),
            ColumnData::I64(v) => v.iter().flatten().for_each(|x| self.number(*x as f64)),
            ColumnData::Bool(v) => v.iter().flatten().for_each(|x| self.text(if *x { "true" } else { "false" })),
            // An empty text says nothing, and CSV writes it as it writes none.
            ColumnData::Str(v) => v.iter().flatten().filter(|x| !x.is_empty()).for_each(|x| self.text(x)),
            ColumnData::F32List(v) => v.iter().flatten().for_each(|x| self.number(x.len() as f64)),
            ColumnData::StrList(v) => v.iter().flatten().for_each(|x| self.number(x.len() as f64)),
        }
    }

    fn number(&mut self, x: f64) {
        self.filled += 1;
        self.numbers.add(x);
    }

    fn text(&mut self, text: &str) {
        self.filled += 1;
        self.texts.add(text);
    }

    /// Share of the rows with a value; `None` without rows.
    pub(super) fn filled_share(&self) -> Option<f64> {
        (self.rows > 0).then(|| self.filled as f64 / self.rows as f64)
    }
}

/// Numbers: smallest, largest, median.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    count: u64,
    range: Option<(f64, f64)>,
    /// While there are few.
    each: Vec<f64>,
    /// How many numbers share their first digits, by those digits; in order of size.
    rounded: BTreeMap<u64, u64>,
}

impl Numbers {
    fn add(&mut self, x: f64) {
        self.count += 1;
        self.range = Some(self.range.map_or((x, x), |(low, high)| (low.min(x), high.max(x))));
        if self.rounded.is_empty() && self.each.len() < EXACT {
            self.each.push(x);
            return;
        }
        for x in self.each.drain(..).chain([x]) {
            *self.rounded.entry(digits(x)).or_default() += 1;
        }
    }

    /// Smallest and largest.
    pub(super) fn range(&self) -> Option<(f64, f64)> {
        self.range
    }

    /// The median: of up to 4096 numbers itself, of more rounded towards zero by less than 0.4 %; of two middle ones
    /// their mean.
    pub(super) fn median(&self) -> Option<f64> {
        let (low, high) = (self.ranked(self.count.checked_sub(1)? / 2)?, self.ranked(self.count / 2)?);
        let (least, most) = self.range?;
        Some((low + (high - low) / 2.0).clamp(least, most))
    }

    /// The number of that rank, from 0.
    fn ranked(&self, rank: u64) -> Option<f64> {
        if self.rounded.is_empty() {
            let mut each = self.each.clone();
            each.sort_unstable_by(f64::total_cmp);
            return each.get(rank as usize).copied();
        }
        let mut before = 0;
        self.rounded.iter().find_map(|(digits, count)| {
            before += count;
            (before > rank).then(|| number(*digits))
        })
    }
}

/// The first digits of a number; larger numbers have larger ones.
fn digits(x: f64) -> u64 {
    // Zero has one sign.
    let bits = (x + 0.0).to_bits() >> ROUNDED_BITS;
    let sign = 1 << (63 - ROUNDED_BITS);
    if bits & sign == 0 { bits | sign } else { !bits & (2 * sign - 1) }
}

/// The number of those digits that is nearest to zero.
fn number(digits: u64) -> f64 {
    let sign = 1 << (63 - ROUNDED_BITS);
    let bits = if digits & sign == 0 { !digits & (2 * sign - 1) } else { digits & !sign };
    f64::from_bits(bits << ROUNDED_BITS)
}

/// Texts: how many distinct ones, and how often each of few is seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    counts: BTreeMap<String, u64>,
    too_many: bool,
}

impl Texts {
    fn add(&mut self, text: &str) {
        if self.too_many {
            return;
        }
        if let Some(count) = self.counts.get_mut(text) {
            *count += 1;
        } else if self.counts.len() == MOST_TEXTS {
            self.too_many = true;
            self.counts.clear();
        } else {
            self.counts.insert(text.to_owned(), 1);
        }
    }

    /// The number of distinct texts; of more than 1000 only that.
    pub(super) fn distinct(&self) -> Option<String> {
        match self.counts.len() {
            _ if self.too_many => Some(format!("over {MOST_TEXTS}")),
            0 => None,
            n => Some(n.to_string()),
        }
    }

    /// Each text with its count, the most frequent first, where at most 12 are seen, none of them is longer than 60
    /// characters, and some are seen twice: what people said or are called by once is nobody's to be listed.
    pub(super) fn frequent(&self) -> Option<String> {
        let told = (1..=FEW_TEXTS).contains(&self.counts.len())
            && self.counts.values().any(|n| *n > 1)
            && self.counts.keys().all(|t| t.chars().count() <= LONGEST_TEXT);
        let mut all: Vec<(&String, &u64)> = self.counts.iter().collect();
        all.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        told.then(|| all.iter().map(|(text, n)| format!("{text} ({n})")).collect::<Vec<_>>().join(", "))
    }
}

/// A text for a cell of the codebook.
pub(super) fn text(text: Option<String>) -> Cell {
    text.filter(|t| !t.is_empty()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn numbers(all: &[f64]) -> Numbers {
        let mut found = Numbers::default();
        all.iter().for_each(|x| found.add(*x));
        found
    }

    fn median(all: &[f64]) -> f64 {
        let mut sorted = all.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2])
    }

    #[test]
    fn few_numbers_have_their_own_median_and_many_one_within_a_250th() {
        let mut random = Random::seeded(7);
        let draw = |random: &mut Random| (random.unit() - 0.4) * 10f64.powi(random.below(7) as i32 - 3);
        for n in [1, 2, 5, EXACT, EXACT + 1, 50_000] {
            let mut all: Vec<f64> = (0..n).map(|_| draw(&mut random)).collect();
            let found = numbers(&all);
            let (truth, told) = (median(&all), found.median().unwrap());
            let allowed = if n <= EXACT { 1e-15 } else { truth.abs() / 250.0 };
            assert!((told - truth).abs() <= allowed, "{n}: {told} for {truth}");
            let extremes = (all.iter().copied().fold(f64::MAX, f64::min), all.iter().copied().fold(f64::MIN, f64::max));
            assert_eq!(found.range(), Some(extremes));
            // The order in which they come changes nothing.
            all.reverse();
            assert_eq!(numbers(&all).median().map(f64::to_bits), Some(told.to_bits()));
        }
        assert_eq!((numbers(&[]).median(), numbers(&[]).range()), (None, None));
    }

    #[test]
    fn counts_and_zeros_of_many_rows_are_exact() {
        let counts: Vec<f64> = (0..100_000).map(|i| f64::from(i % 301)).collect();
        assert_eq!(numbers(&counts).median(), Some(150.0));
        let zeros: Vec<f64> = (0..9000).map(|i| if i % 3 == 0 { -1.0 } else { -0.0 }).collect();
        assert_eq!(numbers(&zeros).median().map(f64::to_bits), Some(0.0_f64.to_bits()));
        for x in [-3.5, -1e-300, 0.0, 1e-300, 0.125, 511.0, 1e300] {
            assert!((number(digits(x)) - x).abs() <= x.abs() / 250.0, "{x}");
        }
        assert!(digits(-2.0) < digits(-1.0) && digits(-1.0) < digits(0.0) && digits(0.0) < digits(1e-9));
    }

    #[test]
    fn texts_are_listed_when_they_are_few_and_seen_again() {
        let texts = |all: &[&str]| {
            let mut found = Texts::default();
            all.iter().for_each(|t| found.add(t));
            (found.distinct(), found.frequent())
        };
        assert_eq!(texts(&["gap", "overlap", "gap"]), (Some("2".into()), Some("gap (2), overlap (1)".into())));
        assert_eq!(texts(&["I was sad.", "So was I."]), (Some("2".into()), None), "said once");
        assert_eq!(texts(&[]), (None, None));
        let many: Vec<String> = (0..=MOST_TEXTS).map(|i| i.to_string()).collect();
        assert_eq!(texts(&many.iter().map(String::as_str).collect::<Vec<_>>()), (Some("over 1000".into()), None));
    }

    #[test]
    fn every_kind_is_counted_and_what_is_missing_is_not() {
        let tally = |data: ColumnData| {
            let mut tally = Tally::default();
            tally.add(&data);
            tally
        };
        let found = tally(ColumnData::F64(vec![2.0, f64::NAN, f64::INFINITY, 4.0]));
        assert_eq!((found.filled_share(), found.numbers.median()), (Some(0.5), Some(3.0)));
        let found = tally(ColumnData::Bool(vec![Some(true), None, Some(true), Some(false)]));
        assert_eq!((found.filled, found.texts.frequent()), (3, Some("true (2), false (1)".into())));
        let found = tally(ColumnData::StrList(vec![Some(vec!["a".into(), "b".into()]), None, Some(vec![])]));
        assert_eq!((found.filled, found.numbers.range()), (2, Some((0.0, 2.0))));
        let found = tally(ColumnData::Str(vec![Some("a".into()), Some(String::new()), None]));
        assert_eq!((found.rows, found.filled), (3, 1));
        assert_eq!(Tally::default().filled_share(), None);
    }
}
