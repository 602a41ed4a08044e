//! What is told of a value: how far it is from the person's usual; before there is a usual, how far from what others did
//! so far; before that, or where no usual is asked for, the value itself.
//!
//! "Before" means turns with a smaller number that have ended when this one ends: a cue looks at nothing later, however
//! turns overlap and in whatever order they are written.

use std::collections::BTreeMap;

use super::evidence::Seen;
use super::spec::Cue;
use crate::time::TOLERANCE_SECS;

/// So many of the others' last values are what they did so far.
const OTHERS: usize = 100;

/// So many earlier values are looked through for them.
const LOOKED_THROUGH: usize = 1000;

/// The words for a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Says<'a> {
    pub(super) words: &'a str,
    /// Only where nothing else is told of the field.
    pub(super) quiet: bool,
}

fn loud(words: &str) -> Option<Says<'_>> {
    (!words.is_empty()).then_some(Says { words, quiet: false })
}

/// The words for each value that there are any for, in the order of `seen`, which is by turn.
pub(super) fn say<'c, 's>(cue: &'c Cue, seen: &'s [Seen<'s>], min_turns: usize) -> Vec<(&'s Seen<'s>, Says<'c>)> {
    let mut own: BTreeMap<(&str, &str), Vec<&Seen<'_>>> = BTreeMap::new();
    let mut found = Vec::new();
    for (at, one) in seen.iter().enumerate() {
        let usual = own.entry((one.who, one.setting)).or_default();
        let before = |b: &&Seen<'_>| b.turn < one.turn && b.end <= one.end + TOLERANCE_SECS;
        let values: Vec<f64> = usual.iter().copied().filter(before).map(|b| b.value).collect();
        usual.push(one);
        let others = || {
            let last = seen[..at].iter().rev().take(LOOKED_THROUGH);
            let of_others: Vec<f64> =
                last.filter(before).filter(|b| b.who != one.who).take(OTHERS).map(|b| b.value).collect();
            deviation(&of_others, one.value, min_turns)
        };
        if let Some(says) = cue.says(one, deviation(&values, one.value, min_turns), others) {
            found.push((one, says));
        }
    }
    found
}

impl Cue {
    fn says(&self, one: &Seen<'_>, own: Option<f64>, others: impl Fn() -> Option<f64>) -> Option<Says<'_>> {
        if let Some(least) = self.at_least {
            return loud(&self.high).filter(|_| one.value >= least);
        }
        if let Some((least, z)) = self.z.zip(own) {
            return match z {
                _ if z >= least => loud(&self.high),
                _ if z <= -least => loud(&self.low),
                _ => loud(&self.same).map(|s| Says { quiet: true, ..s }),
            };
        }
        let against_others = self.group.as_ref().zip(others()).and_then(|(group, z)| match z {
            _ if z >= group.z => loud(&group.high),
            _ if z <= -group.z => loud(&group.low),
            _ => None,
        });
        let band = || self.plain.iter().find(|b| one.plain && b.holds(one.value));
        against_others.or_else(|| band().map(|b| Says { words: &b.words, quiet: b.quiet }))
    }
}

/// How many standard deviations a value is from the earlier ones; `None` with too few or without spread.
fn deviation(before: &[f64], value: f64, min_turns: usize) -> Option<f64> {
    let n = before.len();
    if n < min_turns.max(2) {
        return None;
    }
    let mean = before.iter().sum::<f64>() / n as f64;
    let sd = (before.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n as f64 - 1.0)).sqrt();
    (sd > 1e-9).then(|| (value - mean) / sd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_needs_enough_turns_and_a_spread() {
        assert_eq!(deviation(&[1.0, 2.0], 9.0, 3), None);
        assert_eq!(deviation(&[1.0, 1.0, 1.0], 9.0, 3), None);
        assert!((deviation(&[1.0, 2.0, 3.0], 4.0, 3).unwrap() - 2.0).abs() < 1e-9);
    }

    fn cue() -> Cue {
        let text = "field = \"tone_of_voice\"\ncolumn = \"x\"\nz = 1.0\nhigh = \"own+\"\nlow = \"own-\"\nsame = \"own=\"\n\
                    group = { z = 1.0, high = \"others+\" }\nsource = \"s\"\n\
                    plain = [{ at_least = 8.0, words = \"plain+\" }, { words = \"plain=\", quiet = true }]\n";
        let cue: Cue = toml::from_str(text).unwrap();
        assert_eq!(cue.fault(), None);
        cue
    }

    /// Who, value, end of each turn, numbered from 1.
    fn told(turns: &[(&str, f64, f64)]) -> Vec<String> {
        let cue = cue();
        let seen: Vec<Seen<'_>> = turns
            .iter()
            .zip(1..)
            .map(|(&(who, value, end), turn)| Seen { turn, end, who, other: "", setting: "", value, plain: true })
            .collect();
        let says = say(&cue, &seen, 3);
        let of = |turn: u32| says.iter().find(|(s, _)| s.turn == turn).map(|(_, s)| s.words).unwrap_or_default();
        (1..=turns.len() as u32).map(|turn| of(turn).to_owned()).collect()
    }

    #[test]
    fn plainly_first_then_against_the_others_then_against_the_usual() {
        let found = told(&[
            ("Ann", 9.0, 1.0),
            ("Ann", 1.0, 2.0),
            ("Ann", 2.0, 3.0),
            ("Bo", 30.0, 4.0),
            ("Bo", 4.0, 5.0),
            ("Ann", 40.0, 6.0),
            ("Ann", 5.0, 7.0),
            ("Ann", -90.0, 8.0),
        ]);
        assert_eq!(found, ["plain+", "plain=", "plain=", "others+", "plain=", "own+", "own=", "own-"]);
    }

    #[test]
    fn what_ends_later_or_is_numbered_later_is_not_before() {
        // The third turn runs on past the fourth, so that the fourth has no usual yet.
        let found = told(&[("Ann", 1.0, 1.0), ("Ann", 2.0, 2.0), ("Ann", 3.0, 9.0), ("Ann", 50.0, 4.0)]);
        assert_eq!(found[3], "plain+");
        let found = told(&[("Ann", 1.0, 1.0), ("Ann", 2.0, 2.0), ("Ann", 3.0, 3.0), ("Ann", 50.0, 4.0)]);
        assert_eq!(found[3], "own+");
        // A later turn, however early it lies, changes nothing.
        let more = told(&[
            ("Ann", 1.0, 1.0),
            ("Ann", 2.0, 2.0),
            ("Ann", 3.0, 3.0),
            ("Ann", 50.0, 4.0),
            ("Ann", 50.0, 0.5),
            ("Ann", 50.0, 0.6),
        ]);
        assert_eq!(more[..4], found[..]);
    }

    #[test]
    fn bands_wait_for_what_they_need() {
        let cue = cue();
        let one = Seen { turn: 1, end: 1.0, who: "Ann", other: "", setting: "", value: 9.0, plain: false };
        assert_eq!(say(&cue, &[one], 3), []);
    }
}
