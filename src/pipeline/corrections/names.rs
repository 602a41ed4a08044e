//! Names that lines give: which voice or person ends up with which.

use std::collections::BTreeMap;

use super::Kind;
use super::apply::Problem;
use crate::spelling::meant;

/// A line that gives a name: its place among the corrections, what it was found to be about, and its value.
pub(super) type Given<'a> = (usize, String, &'a str);

/// The new name of each of `known` that a line renames, and what is wrong with the lines that cannot hold.
///
/// A value that is another one's name joins the two. Where that other one is itself given a name, the joined ones get
/// it where the value is a number of the program's (`SPEAKER_00`), which is no name; else the value is a name, so that
/// two names that were mixed up can be exchanged.
pub(super) fn names(
    kind: Kind,
    given: &[Given<'_>],
    known: &[&str],
) -> (BTreeMap<String, String>, Vec<(usize, Problem)>) {
    let mut problems = Vec::new();
    let mut said: BTreeMap<&str, &str> = BTreeMap::new();
    for (line, base, value) in given {
        let others = given.iter().filter(|(_, b, v)| b == base && v != value);
        if let Some((.., other)) = others.into_iter().next() {
            problems.push((*line, Problem::conflict(format!("{base} is said to be {value} and {other}"))));
        } else if kind.is_numbered(value) && !known.contains(value) {
            let near = meant(value, known.iter().copied());
            problems.push((*line, Problem::not_found(format!("there is no {value}{near}"))));
        } else {
            said.insert(base, value);
        }
    }
    let mut named = BTreeMap::new();
    for (line, base, _) in given {
        if let Some(name) = said.get(base.as_str()).map(|value| followed(kind, base, value, &said)) {
            match name {
                Some(name) => drop(named.insert(base.clone(), name)),
                None => {
                    let what = format!("{base} is said to be one with itself, over others");
                    problems.push((*line, Problem::conflict(what)));
                }
            }
        }
    }
    (named, problems)
}

/// The last name of a chain of numbers; `None` for a ring.
fn followed(kind: Kind, base: &str, value: &str, said: &BTreeMap<&str, &str>) -> Option<String> {
    let mut at = value;
    for _ in 0..=said.len() {
        match said.get(at).filter(|_| kind.is_numbered(at)) {
            Some(_) if at == base => return None,
            Some(next) => at = next,
            None => return Some(at.to_owned()),
        }
    }
    None
}
