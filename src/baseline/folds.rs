//! Folds that part no couple or family: every group lies in one fold, the folds as equal in size as that allows.

use std::collections::BTreeMap;

use crate::random::Random;

/// The fold of each instance, 0 up; at most `folds` of them, never more than groups.
///
/// Groups come in an order drawn by the seed, largest first, each to the fold with the fewest instances so far.
pub(super) fn folds(groups: &[&str], folds: usize, seed: u64) -> Vec<usize> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for group in groups {
        *sizes.entry(group).or_default() += 1;
    }
    let mut order: Vec<(&str, usize)> = sizes.into_iter().collect();
    Random::new(seed, "folds").shuffle(&mut order);
    order.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    let mut filled = vec![0; folds.clamp(1, order.len().max(1))];
    let mut place: BTreeMap<&str, usize> = BTreeMap::new();
    for (group, size) in order {
        let fewest = (0..filled.len()).min_by_key(|i| filled[*i]).unwrap_or(0);
        filled[fewest] += size;
        place.insert(group, fewest);
    }
    groups.iter().map(|g| place[g]).collect()
}

/// `items` parted by the [`folds`] of their groups: each time those of the other folds, and those held out.
pub(super) fn parted(items: &[usize], groups: &[&str], count: usize, seed: u64) -> Vec<(Vec<usize>, Vec<usize>)> {
    let place = folds(groups, count, seed);
    let part = |index: usize, held: bool| {
        items.iter().zip(&place).filter(|(_, fold)| (**fold == index) == held).map(|(item, _)| *item).collect()
    };
    (0..place.iter().max().map_or(0, |m| m + 1)).map(|index| (part(index, false), part(index, true))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_group_is_parted_and_folds_are_even() {
        let names: Vec<String> = (0..40).flat_map(|g| vec![format!("g{g}"); 1 + g % 7]).collect();
        let groups: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = folds(&groups, 5, 1);
        let mut of: BTreeMap<&str, usize> = BTreeMap::new();
        let mut sizes = [0; 5];
        for (group, fold) in groups.iter().zip(&found) {
            assert_eq!(of.entry(group).or_insert(*fold), fold, "{group}");
            sizes[*fold] += 1;
        }
        assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 2, "{sizes:?}");
        assert_eq!(found, folds(&groups, 5, 1));
        assert_ne!(found, folds(&groups, 5, 2));
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { cases: 64, failure_persistence: None, ..Default::default() })]

        #[test]
        fn folds_share_no_group_and_none_is_empty(of in proptest::collection::vec(0_usize..12, 1..60), count in 1_usize..8, seed in 0_u64..1000) {
            let names: Vec<String> = of.iter().map(|g| format!("g{g}")).collect();
            let groups: Vec<&str> = names.iter().map(String::as_str).collect();
            let placed = folds(&groups, count, seed);
            let mut fold_of: BTreeMap<&str, usize> = BTreeMap::new();
            for (group, fold) in groups.iter().zip(&placed) {
                proptest::prop_assert_eq!(fold_of.entry(group).or_insert(*fold), fold);
            }
            let used: std::collections::BTreeSet<usize> = placed.iter().copied().collect();
            proptest::prop_assert_eq!(used.into_iter().collect::<Vec<_>>(), (0..count.min(fold_of.len())).collect::<Vec<_>>());
        }
    }

    #[test]
    fn never_more_folds_than_groups() {
        assert_eq!(folds(&["a", "a", "a"], 5, 0), [0, 0, 0]);
        let mut two = folds(&["a", "b", "b"], 5, 0);
        two.dedup();
        assert_eq!(two.len(), 2);
        assert!(folds(&[], 5, 0).is_empty());
    }
}
