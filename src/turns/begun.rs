//! Which turn an utterance belongs to: an event belongs to the turn in which it begins, once.
//!
//! Cues and voices do not begin at the same instant, and one utterance runs through several cues. An utterance of a
//! turn's speaker belongs to the first of the speaker's turns that shares time with it; one that shares time with none
//! belongs to no turn. What another says while the speaker talks belongs to the speaker's turn in which it begins, else
//! to the turn last begun before it of those that the speaker's utterance runs through.

use std::collections::BTreeMap;

use super::Relations;
use super::voices::VoiceIndex;
use crate::annotation::SegmentIndex;
use crate::time::{Seconds, Segment};

/// The turns of one speaker, sorted by time.
#[derive(Debug, Default)]
struct Own {
    /// With its place in the transcript.
    turns: Vec<(Segment, usize)>,
    index: SegmentIndex,
}

impl Own {
    /// The first turn that shares time with a segment.
    fn first_sharing(&self, segment: Segment) -> Option<usize> {
        let found = self.index.overlapping(segment.start(), segment.end());
        found.into_iter().map(|i| self.turns[i]).find(|(t, _)| t.intersection(segment).is_some()).map(|(_, at)| at)
    }
}

/// The utterances that begin in each turn.
#[derive(Debug, Default)]
pub(super) struct Begun {
    /// By the turn's place; sorted by start.
    utterances: Vec<Vec<Segment>>,
    /// By the speaker's number.
    own: Vec<Own>,
}

impl Begun {
    /// `speaker_of` holds the number of each turn's speaker among `labels`.
    pub(super) fn new(
        relations: &Relations<'_>,
        labels: &[&str],
        speaker_of: &[Option<usize>],
        voices: &BTreeMap<String, VoiceIndex>,
    ) -> Self {
        let mut own: Vec<Own> = labels.iter().map(|_| Own::default()).collect();
        for (at, (turn, speaker)) in relations.turns.iter().zip(speaker_of).enumerate() {
            speaker.iter().for_each(|&s| own[s].turns.push((turn.segment, at)));
        }
        let mut utterances = vec![Vec::new(); relations.turns.len()];
        for (label, own) in labels.iter().zip(&mut own) {
            own.turns.sort();
            own.index = SegmentIndex::new(own.turns.iter().map(|t| t.0));
            for &said in relations.voice(label).and_then(|v| voices.get(v)).map_or(&[][..], VoiceIndex::speech) {
                own.first_sharing(said).into_iter().for_each(|at| utterances[at].push(said));
            }
        }
        Begun { utterances, own }
    }

    /// The utterances of its speaker that belong to a turn.
    pub(super) fn in_turn(&self, at: usize) -> &[Segment] {
        &self.utterances[at]
    }

    /// The turn of `speaker` to which something belongs that another says at `instant` while the speaker says
    /// `meanwhile`.
    pub(super) fn turn_of(&self, speaker: usize, instant: Seconds, meanwhile: Segment) -> Option<usize> {
        let own = &self.own[speaker];
        let found = own.index.overlapping(meanwhile.start(), meanwhile.end());
        let sharing = || found.iter().map(|&i| own.turns[i]);
        let holding = sharing().find(|(t, _)| t.contains(instant));
        let before = || sharing().rfind(|(t, _)| t.start() <= instant);
        holding.or_else(before).or_else(|| sharing().next()).map(|(_, at)| at)
    }
}
