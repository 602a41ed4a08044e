//! Two voices around a turn: what diarization tells of gaps, overlaps, interruptions and backchannels.

use std::collections::BTreeMap;

use super::dyads::{MAX_BACKCHANNEL_SECS, takes_floor};
use crate::annotation::{Annotation, SegmentIndex, union_secs};
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

    /// The speech that shares time with a segment.
    pub(super) fn sharing(&self, segment: Segment) -> Vec<Segment> {
        let found = self.index.overlapping(segment.start(), segment.end()).into_iter().map(|i| self.speech[i]);
        found.filter(|s| s.intersection(segment).is_some()).collect()
    }
}

/// Two voices around one turn.
pub(super) struct Voices<'a> {
    pub(super) segment: Segment,
    /// Speech of the turn's speaker that shares time with the turn.
    pub(super) own: Vec<Segment>,
    /// The other.
    pub(super) other: &'a VoiceIndex,
}

impl Voices<'_> {
    pub(super) fn offset(&self) -> Option<f64> {
        let first = self.own.first()?.start();
        let begun = self.other.speech.partition_point(|s| s.start() < first);
        let end = *self.other.reached.get(begun.checked_sub(1)?)?;
        Some((first - end).get())
    }

    pub(super) fn overlap(&self) -> f64 {
        let both = self.own.iter().filter_map(|a| a.intersection(self.segment));
        let both = both.flat_map(|a| self.other.sharing(a).into_iter().filter_map(move |b| a.intersection(b)));
        union_secs(both)
    }

    pub(super) fn interrupts(&self) -> bool {
        self.own.first().is_some_and(|first| self.other.sharing(*first).into_iter().any(|o| takes_floor(*first, o)))
    }

    pub(super) fn backchannels(&self) -> usize {
        let (Some(first), Some(last)) = (self.own.first(), self.own.iter().map(|s| s.end()).max()) else { return 0 };
        let begun = self.other.speech.partition_point(|s| s.start() < self.segment.start());
        let within = self.other.speech[begun..].iter().take_while(|o| o.start() < self.segment.end());
        within.filter(|o| o.duration() <= MAX_BACKCHANNEL_SECS && first.start() < o.start() && o.end() < last).count()
    }
}
