//! Targets: from the list in a row to the one label, and the closed set of a sample's targets.

use crate::transcript::rescue::{Row, Sample, Strategy, THERAPIST};

/// What stands for a sample without any target.
const EMPTY: &str = "__empty__";

/// Empty names and the therapist dropped: one left = that name, several = the group label, none = no target.
pub(super) fn label<'a>(list: &'a [String], group_label: &'a str) -> Option<&'a str> {
    let mut left = list.iter().map(|n| n.trim()).filter(|n| !n.is_empty() && *n != THERAPIST);
    let first = left.next()?;
    Some(if left.next().is_some() { group_label } else { first })
}

/// A therapist row's first strategy and its target: the strategy's own, else the row's. `None` without type or target.
pub(super) fn supported<'a>(row: &'a Row, group_label: &'a str) -> Option<(&'a Strategy, &'a str)> {
    if row.primary_speaker != THERAPIST {
        return None;
    }
    let strategy = row.support_strategy.first().filter(|s| !s.strategy_type.is_empty())?;
    let target = label(&strategy.target, group_label).or_else(|| label(&row.target, group_label))?;
    Some((strategy, target))
}

/// The participants, the group label, then the targets of therapist rows and of their strategies, without repeats.
pub(super) fn candidates(sample: &Sample) -> Vec<String> {
    let group_label = sample.group_mode.label();
    let mut found: Vec<String> = Vec::new();
    let mut add = |list: &[String]| {
        if let Some(name) = label(list, group_label)
            && !found.iter().any(|f| f == name)
        {
            found.push(name.to_owned());
        }
    };
    for name in &sample.participants {
        add(std::slice::from_ref(name));
    }
    add(&[group_label.to_owned()]);
    for row in sample.rows.iter().filter(|r| r.primary_speaker == THERAPIST) {
        add(&row.target);
        row.support_strategy.iter().for_each(|s| add(&s.target));
    }
    if found.is_empty() { vec![EMPTY.to_owned()] } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_becomes_one_label() {
        let list = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let told = |names: &[&str]| label(&list(names), "Couple").map(str::to_owned);
        assert_eq!(told(&["Therapist", " Ann ", ""]).as_deref(), Some("Ann"));
        assert_eq!(told(&["Ann", "Bo"]).as_deref(), Some("Couple"));
        assert_eq!(told(&["Therapist", ""]), None);
        assert_eq!(told(&[]), None);
    }
}
