//! How near one text is to another, by the words and by the letters they share. Neither is the judge of the benchmark's
//! paper, which grades meaning: these tell of wording alone.

use std::collections::BTreeMap;

use crate::text::tokens;

/// Longest letter n-gram, and how much more recall weighs than precision: chrF2 with the values of its author.
const CHRF_ORDER: usize = 6;
const CHRF_BETA: f64 = 2.0;

/// F1 of the words that two texts share, each as often as both have it, in lower case (Rajpurkar et al. 2016, without
/// leaving out articles); of writing without spaces each character is a word. Two texts without words are equal.
pub fn token_f1(gold: &str, said: &str) -> f64 {
    let of = |text: &str| tokens(&text.to_lowercase()).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let (gold, said) = (of(gold), of(said));
    if gold.is_empty() && said.is_empty() {
        return 1.0;
    }
    let common = common(&counts(gold.iter().cloned()), &counts(said.iter().cloned()));
    2.0 * common as f64 / (gold.len() + said.len()) as f64
}

/// Letter n-gram F-score (Popović 2015) of one text: the mean precision and recall over n = 1 to 6, white space left
/// out, of those n for which both texts have any; 0 to 1.
pub fn chrf(gold: &str, said: &str) -> f64 {
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<Vec<char>>();
    let (gold, said) = (letters(gold), letters(said));
    if gold.is_empty() && said.is_empty() {
        return 1.0;
    }
    let (mut precision, mut recall, mut orders) = (0.0, 0.0, 0.0);
    for n in (1..=CHRF_ORDER).take_while(|n| gold.len() >= *n && said.len() >= *n) {
        let grams = |letters: &[char]| counts(letters.windows(n).map(<[char]>::to_vec));
        let common = common(&grams(&gold), &grams(&said)) as f64;
        precision += common / (said.len() + 1 - n) as f64;
        recall += common / (gold.len() + 1 - n) as f64;
        orders += 1.0;
    }
    if orders == 0.0 || precision + recall == 0.0 {
        return 0.0;
    }
    let (precision, recall, weight) = (precision / orders, recall / orders, CHRF_BETA * CHRF_BETA);
    (1.0 + weight) * precision * recall / (weight * precision + recall)
}

fn counts<T: Ord>(items: impl Iterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    items.for_each(|item| *counts.entry(item).or_default() += 1);
    counts
}

fn common<T: Ord>(a: &BTreeMap<T, usize>, b: &BTreeMap<T, usize>) -> usize {
    a.iter().map(|(item, n)| (*n).min(b.get(item).copied().unwrap_or(0))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn words_and_letters_are_counted_as_often_as_both_have_them() {
        near(token_f1("a quiet, quiet worry", "Quiet worry and worry"), 2.0 * 2.0 / 8.0);
        near(token_f1("我很难过", "我难过"), 2.0 * 3.0 / 7.0);
        near(token_f1("", "…"), 1.0);
        near(token_f1("hurt", ""), 0.0);
        near(chrf("hurt", "hurt"), 1.0);
        near(chrf("hurt", "xyz"), 0.0);
        near(chrf("", "x"), 0.0);
        // n = 1: 2 of 3 and 2 of 2; n = 2: 1 of 2 and 1 of 1.
        let (p, r) = ((2.0 / 3.0 + 0.5) / 2.0, 1.0);
        near(chrf("a b", "a b c"), 5.0 * p * r / (4.0 * p + r));
    }
}
