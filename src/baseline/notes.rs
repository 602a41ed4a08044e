//! Notes: what did not go as one would expect, each told once, with all the folds it happened in.

use std::collections::{BTreeMap, BTreeSet};

/// Collected while a trial is made.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Notes {
    plain: BTreeSet<String>,
    /// By part and what happened: folds from 1.
    folds: BTreeMap<(String, String), BTreeSet<usize>>,
}

impl Notes {
    /// Of the task.
    pub(super) fn add(&mut self, what: String) {
        self.plain.insert(what);
    }

    /// Of one fold, counted from 0.
    pub(super) fn add_in_fold(&mut self, part: &str, fold: usize, what: String) {
        self.folds.entry((part.to_owned(), what)).or_default().insert(fold + 1);
    }

    /// All of another's too.
    pub(super) fn extend(&mut self, more: Notes) {
        self.plain.extend(more.plain);
        more.folds.into_iter().for_each(|(what, folds)| self.folds.entry(what).or_default().extend(folds));
    }

    /// In words, the task's first.
    pub(super) fn lines(self) -> Vec<String> {
        let told = |((part, what), folds): ((String, String), BTreeSet<usize>)| {
            let list = folds.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            format!("{part}, fold{} {list}: {what}", if folds.len() > 1 { "s" } else { "" })
        };
        self.plain.into_iter().chain(self.folds.into_iter().map(told)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_in_several_folds_is_told_once() {
        let mut notes = Notes::default();
        for fold in [2, 0, 2] {
            notes.add_in_fold("couple", fold, "nothing to learn".into());
        }
        notes.add_in_fold("family", 1, "nothing to learn".into());
        notes.add("2 groups".into());
        assert_eq!(
            notes.lines(),
            ["2 groups", "couple, folds 1, 3: nothing to learn", "family, fold 2: nothing to learn"]
        );
    }
}
