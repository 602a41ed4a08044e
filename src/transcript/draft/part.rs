//! Who says it, what overlaps it and what is heard with it, out of the words of the turns.

use super::super::label::turns::relabel;
use super::super::{events, markup, overlap, people};
use super::Draft;
use crate::annotation::{SoundEvent, Turn};
use crate::error::Result;

impl Draft<'_> {
    /// The persons that are named beside the turns.
    pub(in crate::transcript) fn persons(&mut self) -> impl Iterator<Item = &mut Option<String>> {
        self.sounds.iter_mut().map(|s| &mut s.speaker).chain(self.codes.iter_mut().map(|c| &mut c.person))
    }

    /// Takes off tags of captions (`<i>…</i>`) in formats that have none, where nothing says who speaks: tables and tiers
    /// with speakers are no captions, and hold what was written into them.
    fn take_off_looks(&mut self, turns: &mut [Turn]) {
        if self.has_tiers || turns.iter().any(|t| t.speaker.is_some()) {
            return;
        }
        let mut count = 0;
        for turn in turns {
            let Some(text) = markup::without_looks(&turn.text) else { continue };
            turn.text = markup::squeeze(&text);
            for word in &mut turn.words {
                if let Some(bare) = markup::without_looks(&word.text) {
                    word.text = markup::squeeze(&bare);
                }
            }
            count += 1;
        }
        if count > 0 {
            self.warn(format!("{count} turns hold tags of captions, such as <i>; they are not read as words"));
        }
    }

    /// Who says it, what overlaps it and what is heard with it, out of the words of the turns. Samples are told row by
    /// row, as they are.
    pub(super) fn part(&mut self) -> Result<Vec<SoundEvent>> {
        let mut turns = std::mem::take(&mut self.turns);
        let mut dropped = std::mem::take(&mut self.dropped);
        if !self.looks_settled {
            self.take_off_looks(&mut turns);
        }
        if !self.labels_settled {
            relabel(&mut turns, &dropped, self.labels, self);
        }
        let overlaps = overlap::of_turns(&mut turns, &mut dropped);
        if overlaps > 0 {
            self.warn(format!("{overlaps} stretches marked as another's became turns with the times of the whole cue"));
        }
        people::settle(&mut turns, self);
        let mut events = events::of_turns(&mut turns, &mut dropped);
        if !self.sounds.is_empty() {
            events.append(&mut self.sounds);
            events.sort_by_key(|e| e.segment);
        }
        if turns.is_empty() {
            let what = format!("no cues: all {} describe sounds, and nothing is said", events.len());
            return Err(self.fail(0, what, "leave the transcript out to work without one"));
        }
        if !events.is_empty() {
            let alone = events.iter().filter(|e| !e.in_turn).count();
            let inside = events.len() - alone;
            self.warn(format!(
                "{} descriptions of sounds are events and no words: {alone} cues of nothing else, {inside} beside \
                 words",
                events.len()
            ));
        }
        for (turn, index) in turns.iter_mut().zip(1..) {
            turn.index = index;
        }
        (self.turns, self.dropped) = (turns, dropped);
        Ok(events)
    }
}
