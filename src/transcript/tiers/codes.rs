//! Codes: what tiers hold beside the speech, kept with its times for the table `annotations`.

use super::{Layer, Tier, names};
use crate::annotation::{TierCode, Turn};
use crate::transcript::draft::{Draft, short};
use crate::transcript::markup;

/// Keeps what a tier holds that became no turn and no word. What has no usable time is told.
pub(super) fn keep(tier: &Tier, draft: &mut Draft) {
    let mut without_time = 0;
    for interval in tier.intervals.iter().filter(|i| !i.text.trim().is_empty()) {
        let Ok(segment) = &interval.span else {
            without_time += 1;
            continue;
        };
        draft.codes.push(TierCode {
            tier: names::coded(&tier.name).to_owned(),
            person: tier.participant.clone(),
            start: segment.start(),
            end: (tier.layer != Layer::Points).then(|| segment.end()),
            value: markup::squeeze(&interval.text),
        });
    }
    if without_time > 0 {
        let name = short(&tier.name);
        draft.warn(format!("tier {name:?}: {without_time} codes without a usable time are left out"));
    }
}

/// Sorts codes by time, and finds in the names of their tiers the speakers whom they are about.
pub(in crate::transcript) fn finish(codes: &mut [TierCode], turns: &[Turn]) {
    codes.sort_by_key(|c| (c.start, c.end));
    let mut speakers: Vec<&str> = turns.iter().filter_map(|t| t.speaker.as_deref()).collect();
    speakers.sort_unstable();
    speakers.dedup();
    for code in codes.iter_mut().filter(|c| c.person.is_none()) {
        let parts = names::parts(&code.tier);
        let named = |s: &&str| parts.iter().any(|p| p.to_lowercase() == s.to_lowercase());
        code.person = speakers
            .iter()
            .copied()
            .find(|s| *s == code.tier)
            .or_else(|| speakers.iter().copied().find(named))
            .map(str::to_owned);
    }
}
