//! Labels that count turns: `I1:`, `B2:`, `I3:` are two people's, and so are `INT-1:`, `MARA-1:`, `INT-2:`.

use std::collections::{BTreeMap, BTreeSet};

use super::lists::stem;

/// Fewest turns of a person of which the numbers are seen to count turns.
const LEAST: usize = 3;

/// Where every label comes once, each with a number that goes up, and several names come again and again without it:
/// gives each label that name, and tells how many there are.
pub(super) fn take_off<'u>(names: impl Iterator<Item = &'u str>, spelled: &mut BTreeMap<String, String>) -> usize {
    let names: Vec<&str> = names.filter(|n| spelled.contains_key(&n.to_lowercase())).collect();
    let distinct: BTreeSet<String> = names.iter().map(|n| n.to_lowercase()).collect();
    if distinct.len() < names.len() {
        return 0;
    }
    let mut people: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for name in &names {
        let Some((stem, number)) = stem(name) else { return 0 };
        people.entry(stem).or_default().push(number);
    }
    let counts = |all: &Vec<u32>| all.len() >= LEAST && all.windows(2).all(|w| w[0] < w[1]);
    if people.len() < 2 || !people.values().all(counts) {
        return 0;
    }
    for name in &names {
        if let Some((stem, _)) = stem(name) {
            spelled.insert(name.to_lowercase(), stem.to_owned());
        }
    }
    names.len()
}
