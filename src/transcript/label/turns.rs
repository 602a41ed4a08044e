//! Labels at the beginning of the words of turns, in formats that have a place for speakers and were given none, or not
//! all.

use std::collections::BTreeSet;

use super::super::draft::Draft;
use super::super::events;
use super::{Carry, Labels, Who, believed, beside};
use crate::annotation::Turn;

/// Gives `turns` the speakers that their words begin with; `dropped` are places of turns behind a dropped cue.
pub(in super::super) fn relabel(turns: &mut [Turn], dropped: &[usize], labels: Labels, draft: &mut Draft) {
    let dropped: BTreeSet<usize> = dropped.iter().copied().collect();
    if labels == Labels::Never {
        return;
    }
    if turns.iter().any(|t| t.speaker.is_some()) {
        beside::settle(turns, &dropped, labels, draft);
        return;
    }
    let cues: Vec<Vec<String>> = turns.iter().map(|t| vec![t.text.clone()]).collect();
    let believed = believed(&cues, labels);
    let mut carry = Carry::new(&believed);
    for (at, (turn, lines)) in turns.iter_mut().zip(&cues).enumerate() {
        if dropped.contains(&at) {
            carry.interrupt();
        }
        let Some((who, text)) = lines.first().and_then(|line| believed.whole(line)) else { continue };
        if who == Who::Same && (text.trim().is_empty() || events::take(&text).1.is_empty()) {
            continue;
        }
        turn.speaker = carry.speaker(who);
        if text != turn.text {
            events::keep_words(turn, &text);
            turn.text = text;
        }
    }
    carry.tell(draft);
    believed.tell(&cues, draft);
}
