//! Train, validation and test: interviews of one couple or family are never parted.

use std::collections::BTreeMap;

use super::Shares;
use crate::random::Random;
use crate::store::holdings::Held;
use crate::tasks::group_of;
use crate::transcript::rescue::GroupMode;

/// A part of the data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Split {
    Train,
    Validation,
    Test,
}

impl Split {
    pub(super) const ALL: [Split; 3] = [Split::Train, Split::Validation, Split::Test];

    /// As Hugging Face calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Split::Train => "train",
            Split::Validation => "validation",
            Split::Test => "test",
        }
    }
}

/// Where an interview is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    /// What no split parts.
    pub(super) unit: String,
    pub(super) split: Split,
}

/// The place of each interview, in their order.
pub(super) fn places(interviews: &[Held], shares: Shares) -> Vec<Place> {
    let units = units(interviews);
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for unit in &units {
        *sizes.entry(unit).or_default() += 1;
    }
    let mut order: Vec<(&str, usize)> = sizes.into_iter().collect();
    Random::new(shares.seed, "splits").shuffle(&mut order);
    // Large ones first: the small ones even out what is left.
    order.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    let wanted = [1.0 - shares.validation - shares.test, shares.validation, shares.test];
    let mut have = [0_usize; 3];
    let mut of: BTreeMap<&str, Split> = BTreeMap::new();
    for (at, (unit, size)) in order.iter().enumerate() {
        let empty = |split: usize| wanted[split] > 0.0 && have[split] == 0;
        let empties = (0..3).filter(|s| empty(*s)).count();
        // Nobody goes without where there are groups enough.
        let must_fill = order.len() >= (0..3).filter(|s| wanted[*s] > 0.0).count() && order.len() - at <= empties;
        let lacking = |split: usize| wanted[split] * interviews.len() as f64 - have[split] as f64;
        let open = (0..3).filter(|s| wanted[*s] > 0.0 && (!must_fill || empty(*s)));
        let best = open.reduce(|best, s| if lacking(s) > lacking(best) { s } else { best }).unwrap_or(0);
        have[best] += size;
        of.insert(unit, Split::ALL[best]);
    }
    units.iter().map(|unit| Place { unit: unit.clone(), split: of[unit.as_str()] }).collect()
}

/// What no split may part: interviews that have a folder of their ids in common (as tasks take it), or the manifest's
/// group. The kinds of group that the benchmark tells are no group: all couples are not one couple.
fn units(interviews: &[Held]) -> Vec<String> {
    let names: Vec<(&str, Option<&str>)> = interviews
        .iter()
        .map(|i| {
            let kinds = [GroupMode::Couple.name(), GroupMode::Family.name()];
            (group_of(&i.id), i.group.as_deref().filter(|g| !kinds.contains(g)))
        })
        .collect();
    let mut above: BTreeMap<&str, &str> = BTreeMap::new();
    fn top<'a>(above: &BTreeMap<&'a str, &'a str>, mut name: &'a str) -> &'a str {
        while let Some(next) = above.get(name) {
            name = next;
        }
        name
    }
    for (folder, group) in &names {
        let Some(group) = group else { continue };
        let (one, other) = (top(&above, folder), top(&above, group));
        if one != other {
            above.insert(one.max(other), one.min(other));
        }
    }
    names.iter().map(|(folder, _)| top(&above, folder).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(id: &str, group: Option<&str>) -> Held {
        Held { id: id.into(), group: group.map(ToOwned::to_owned), duration_secs: None }
    }

    fn shares(validation: f64, test: f64, seed: u64) -> Shares {
        Shares { validation, test, seed }
    }

    fn many() -> Vec<Held> {
        (0..191).map(|i| held(&format!("g{:02}/{i}", i * 7 % 40), None)).collect()
    }

    fn counts(places: &[Place]) -> [usize; 3] {
        Split::ALL.map(|s| places.iter().filter(|p| p.split == s).count())
    }

    #[test]
    fn no_group_is_parted_and_the_shares_hold() {
        let all = many();
        for seed in 0..20 {
            let places = places(&all, shares(0.1, 0.2, seed));
            let mut of = BTreeMap::new();
            for (held, place) in all.iter().zip(&places) {
                assert_eq!(*of.entry(group_of(&held.id)).or_insert(place.split), place.split);
            }
            let [train, validation, test] = counts(&places);
            assert!(
                train.abs_diff(134) <= 5 && validation.abs_diff(19) <= 5 && test.abs_diff(38) <= 5,
                "{train} {test}"
            );
        }
        let by = |seed| places(&many(), shares(0.1, 0.1, seed));
        assert_eq!(by(1), by(1));
        assert_ne!(by(1), by(2));
        assert_eq!(counts(&places(&all, shares(0.0, 0.0, 1))), [191, 0, 0]);
    }

    #[test]
    fn groups_of_the_manifest_join_folders_and_kinds_of_group_do_not() {
        let all = [
            held("a/1", Some("couple")),
            held("b/1", Some("couple")),
            held("c/1", Some("smith")),
            held("d/1", Some("smith")),
            held("d/2", None),
            held("e", Some("family")),
            held("f", Some("z")),
            held("g", Some("y")),
            held("h", Some("z")),
            held("h/2", Some("y")),
        ];
        let units = units(&all);
        assert_eq!(units[..2], ["a", "b"]);
        assert!(units[2] == units[3] && units[3] == units[4] && units[2] != units[0]);
        assert!(units[5] == "e" && units[6] == units[8]);
        // The folder h is the interview h too.
        assert!(units[9] == units[8] && units[7] == units[6]);
    }

    #[test]
    fn few_groups_leave_no_split_empty_where_that_can_be() {
        let all: Vec<Held> =
            ["a/1", "a/2", "a/3", "b/1", "b/2", "b/3", "c/1", "c/2", "c/3"].map(|id| held(id, None)).into();
        assert_eq!(counts(&places(&all, shares(0.1, 0.1, 0))), [3, 3, 3]);
        // Two cannot fill three: the shares alone decide.
        assert_eq!(counts(&places(&all[..6], shares(0.1, 0.1, 0)))[0], 6);
        assert_eq!(counts(&places(&all[..3], shares(0.1, 0.1, 0))), [3, 0, 0]);
    }
}
