//! Tiers of single words: whose turns they are words of, and turns made of them where there are no others.

use std::collections::BTreeSet;

use super::{Interval, PAUSE_SECS, Tier, bad, silence};
use crate::annotation::{Turn, Word};
use crate::error::Result;
use crate::time::{Seconds, Segment};
use crate::transcript::draft::{Draft, short};
use crate::transcript::markup;

/// A word without the punctuation around it, in small letters.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// A tier of words while they are given to turns.
pub(super) struct WordTier<'t> {
    pub(super) tier: &'t Tier,
    words: Vec<Word>,
    /// Middles of the words that have a time, sorted, and their places.
    by_middle: Vec<(Seconds, usize)>,
    /// Which words a turn has taken.
    taken: Vec<bool>,
    /// True when a turn's tier was of the same person.
    asked: bool,
}

impl<'t> WordTier<'t> {
    /// How many of its words lie in one of a tier's turns whose text holds them: the tier they are of has most.
    pub(super) fn agreement(&self, turns: &Tier) -> usize {
        let agrees = |turn: &Interval| {
            let Ok(segment) = &turn.span else { return 0 };
            let said: BTreeSet<String> = markup::squeeze(&turn.text).split(' ').map(bare).collect();
            let inside = segment.part_of(&self.by_middle, |(middle, _)| middle.get());
            inside.iter().filter(|(_, i)| said.contains(&bare(&self.words[*i].text))).count()
        };
        turns.intervals.iter().map(agrees).sum()
    }

    /// True where at least half of its words are those of a tier's turns.
    pub(super) fn is_of(&self, turns: &Tier) -> bool {
        !self.words.is_empty() && self.agreement(turns) * 2 >= self.words.len()
    }

    pub(super) fn new(tier: &'t Tier) -> Self {
        let said = tier.intervals.iter().filter(|i| !silence(&i.text));
        let words: Vec<Word> = said
            .map(|i| Word { text: markup::squeeze(&i.text), segment: i.span.clone().ok(), speaker: None })
            .collect();
        let mut by_middle: Vec<(Seconds, usize)> =
            words.iter().enumerate().filter_map(|(i, w)| Some((w.segment?.middle(), i))).collect();
        by_middle.sort_unstable();
        let taken = vec![false; words.len()];
        WordTier { tier, words, by_middle, taken, asked: false }
    }

    /// True when turns of its person, or with its words, have asked for them.
    pub(super) fn is_asked(&self) -> bool {
        self.asked
    }

    /// The words whose middle lies in a turn, in the tier's order.
    pub(super) fn inside(&mut self, turn: Segment) -> Vec<Word> {
        self.asked = true;
        let inside = turn.part_of(&self.by_middle, |(middle, _)| middle.get());
        let mut places: Vec<usize> = inside.iter().map(|(_, i)| *i).collect();
        places.sort_unstable();
        places.iter().for_each(|&i| self.taken[i] = true);
        places.into_iter().map(|i| self.words[i].clone()).collect()
    }

    /// Tells words that became nobody's.
    pub(super) fn tell_left_out(&self, draft: &mut Draft) {
        let name = short(&self.tier.name);
        let count = self.words.len();
        if !self.asked {
            draft.warn(format!(
                "tier {name:?}: {count} words left out, no tier of turns is of the same person or it has words already"
            ));
            return;
        }
        let lost = || self.words.iter().zip(&self.taken).filter(|(_, taken)| !**taken).map(|(word, _)| word);
        if let Some(first) = lost().next() {
            let at = first.segment.map_or("without a usable time".into(), |s| format!("at {}", s.start()));
            draft.warn(format!(
                "tier {name:?}: {} of {count} words lie in no turn and are left out (first: {:?} {at})",
                lost().count(),
                short(&first.text)
            ));
        }
    }
}

/// Turns of words that lie less than [`PAUSE_SECS`] apart.
pub(super) fn join_words(tier: &Tier, person: Option<&str>, draft: &mut Draft) -> Result<()> {
    let mut turn: Option<(Turn, bool)> = None;
    let close = |turn: Option<(Turn, bool)>, draft: &mut Draft| {
        if let Some((t, after_dropped)) = turn {
            // What was dropped since it began is before the next.
            let lost = draft.take_lost();
            if after_dropped {
                draft.lose();
            }
            draft.push(t.segment, person, t.text, t.words);
            if lost {
                draft.lose();
            }
        }
    };
    for interval in tier.intervals.iter().filter(|i| !silence(&i.text)) {
        let segment = match &interval.span {
            Ok(segment) => *segment,
            Err(what) => {
                bad(tier, interval, what, draft)?;
                continue;
            }
        };
        let text = markup::squeeze(&interval.text);
        let word = Word { text: text.clone(), segment: Some(segment), speaker: None };
        match turn
            .as_mut()
            .map(|(t, _)| t)
            .filter(|t| t.segment.gap(segment) < PAUSE_SECS && segment.start() >= t.segment.start())
        {
            Some(t) => {
                t.segment = Segment::new(t.segment.start(), t.segment.end().max(segment.end())).unwrap_or(t.segment);
                t.text.push(' ');
                t.text.push_str(&text);
                t.words.push(word);
            }
            None => {
                close(turn.take(), draft);
                turn = Some((Turn { index: 0, segment, speaker: None, text, words: vec![word] }, draft.take_lost()));
            }
        }
    }
    close(turn, draft);
    Ok(())
}
