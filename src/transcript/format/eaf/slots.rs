//! Times of ELAN's time slots: written ones, and those between them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Document, Time};
use crate::transcript::draft::Draft;

/// Milliseconds of the slots, for those that have any. A slot without a time lies evenly between its neighbours among
/// the slots of its tier, as ELAN shows it; others' slots in between say nothing of it. How many there are is told.
pub(super) fn times<'d>(document: &'d Document, draft: &mut Draft) -> BTreeMap<&'d str, f64> {
    let mut known: BTreeMap<&str, f64> =
        document.slots.iter().filter_map(|(id, time)| Some((id.as_str(), (*time)?))).collect();
    let place: BTreeMap<&str, usize> = document.slots.iter().zip(0..).map(|((id, _), at)| (id.as_str(), at)).collect();
    let written = known.len();
    for tier in &document.tiers {
        let ids = tier.annotations.iter().filter_map(|a| match &a.time {
            Time::Slots(start, end) => Some([start.as_str(), end.as_str()]),
            Time::Of(_) => None,
        });
        let own: BTreeSet<(usize, &str)> =
            ids.flatten().filter_map(|id| place.get_key_value(id)).map(|(i, p)| (*p, *i)).collect();
        let own: Vec<&str> = own.into_iter().map(|(_, id)| id).collect();
        spread(&own, &mut known);
    }
    let untimed = known.len() - written;
    if untimed > 0 {
        draft.warn(format!(
            "{untimed} time slots have no time; they lie evenly between their neighbours, as ELAN shows them"
        ));
    }
    known
}

/// Gives those of `slots` without a time one between their neighbours'.
fn spread<'d>(slots: &[&'d str], known: &mut BTreeMap<&'d str, f64>) {
    let mut last: Option<(usize, f64)> = None;
    for (i, id) in slots.iter().enumerate() {
        let Some(time) = known.get(id).copied() else { continue };
        if let Some((j, before)) = last {
            for (k, between) in slots[j + 1..i].iter().enumerate() {
                known.insert(between, before + (time - before) * (k + 1) as f64 / (i - j) as f64);
            }
        }
        last = Some((i, time));
    }
}
