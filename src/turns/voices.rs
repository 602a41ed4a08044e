//! Two voices around a turn: what diarization tells of gaps, overlaps, interruptions and backchannels.

use std::collections::BTreeMap;

use super::FloorConfig;
use super::begun::Begun;
use super::floors::{is_backchannel, takes_floor};
use crate::annotation::{Annotation, SegmentIndex, union_secs};
use crate::table::Missing;
use crate::time::{Seconds, Segment};

/// All speech of one voice, to be looked into.
#[derive(Debug, Default)]
pub(super) struct VoiceIndex {
    /// Sorted by start.
    speech: Vec<Segment>,
    /// The latest end of each and those before it.
    reached: Vec<Seconds>,
    index: SegmentIndex,
}

impl VoiceIndex {
    pub(super) fn of_all(annotation: &Annotation) -> BTreeMap<String, VoiceIndex> {
        let mut all: BTreeMap<String, VoiceIndex> = BTreeMap::new();
        for turn in annotation.turns() {
            if !all.contains_key(&turn.speaker) {
                all.insert(turn.speaker.clone(), VoiceIndex::default());
            }
            all.get_mut(&turn.speaker).into_iter().for_each(|v| v.speech.push(turn.segment));
        }
        for voice in all.values_mut() {
            voice.index = SegmentIndex::new(voice.speech.iter().copied());
            let ends = voice.speech.iter().scan(Seconds::ZERO, |reached, s| {
                *reached = (*reached).max(s.end());
                Some(*reached)
            });
            voice.reached = ends.collect();
        }
        all
    }

    /// All of it, sorted by start.
    pub(super) fn speech(&self) -> &[Segment] {
        &self.speech
    }

    /// The speech that shares time with a segment.
    pub(super) fn sharing(&self, segment: Segment) -> Vec<Segment> {
        let found = self.index.overlapping(segment.start(), segment.end()).into_iter().map(|i| self.speech[i]);
        found.filter(|s| s.intersection(segment).is_some()).collect()
    }
}

/// Two voices around one turn.
pub(super) struct Voices<'a> {
    pub(super) segment: Segment,
    /// The turn's place, and the number of its speaker.
    pub(super) turn: (usize, usize),
    /// Speech of the turn's speaker that shares time with the turn.
    pub(super) own: Vec<Segment>,
    /// The other.
    pub(super) other: &'a VoiceIndex,
    /// Which utterances belong to which turn.
    pub(super) begun: &'a Begun,
    pub(super) config: &'a FloorConfig,
}

impl Voices<'_> {
    /// What the speaker says in the turn, not begun in an earlier one.
    fn begun(&self) -> &[Segment] {
        self.begun.in_turn(self.turn.0)
    }

    /// Where the speaker begins.
    pub(super) fn start(&self) -> Option<Seconds> {
        self.begun().first().map(|s| s.start())
    }

    /// From the end of what the other said before, backchannels left out, to where the speaker begins.
    pub(super) fn offset(&self) -> Result<f64, Missing> {
        let first = self.begun().first().ok_or(Missing::NoSpeech)?.start();
        let begun = self.other.speech.partition_point(|s| s.start() < first);
        let last = begun.checked_sub(1).ok_or(Missing::NoSpeech)?;
        let end = self.other.reached[last];
        let running = self.other.speech[last];
        if running.end() > first && (first - running.start()).get() < self.config.simultaneous_secs {
            return Err(Missing::Simultaneous);
        }
        Ok((first - end).get())
    }

    pub(super) fn overlap(&self) -> f64 {
        let both = self.own.iter().filter_map(|a| a.intersection(self.segment));
        let both = both.flat_map(|a| self.other.sharing(a).into_iter().filter_map(move |b| a.intersection(b)));
        union_secs(both)
    }

    /// When the speaker begins, in this turn, to interrupt the other.
    pub(super) fn interrupts(&self) -> bool {
        self.begun().iter().any(|own| {
            let theirs = self.other.sharing(*own);
            // A pause of the speaker's over the other's backchannel is none of the other's floor.
            theirs.into_iter().any(|o| takes_floor(*own, o, self.config) && !self.is_within_the_turn(o))
        })
    }

    /// Short, while the speaker talks before and after within the turn.
    fn is_within_the_turn(&self, other: Segment) -> bool {
        let (Some(first), Some(last)) = (self.own.first(), self.own.iter().map(|s| s.end()).max()) else {
            return false;
        };
        self.segment.contains(other.start())
            && other.duration() <= self.config.max_backchannel_secs
            && first.start() < other.start()
            && other.end() < last
    }

    /// When the other's backchannels begin that belong to this turn.
    pub(super) fn backchannels(&self) -> Vec<Seconds> {
        let (at, speaker) = self.turn;
        let belongs = |o: &Segment, meanwhile: Segment| self.begun.turn_of(speaker, o.start(), meanwhile) == Some(at);
        let around = self.own.iter().flat_map(|w| self.other.sharing(*w).into_iter().map(move |o| (o, *w)));
        let inside = around.filter(|(o, w)| is_backchannel(*o, *w, self.config.max_backchannel_secs));
        let mut starts: Vec<Seconds> = inside.filter(|(o, w)| belongs(o, *w)).map(|(o, _)| o.start()).collect();
        let begun = self.other.speech.partition_point(|s| s.start() < self.segment.start());
        let within = self.other.speech[begun..].iter().take_while(|o| o.start() < self.segment.end());
        let paused = within.filter(|o| self.is_within_the_turn(**o) && belongs(o, self.segment));
        starts.extend(paused.map(|o| o.start()));
        starts.sort_unstable();
        starts.dedup();
        starts
    }
}
