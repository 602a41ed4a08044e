//! What is told of decoded sound, with its time ranges: stretches near each other are one, and there are few of them.

use super::decoding::LEAST_TOLD_SECS;
use crate::time::Segment;
use crate::warning::Warning;

/// Stretches of one kind closer than this are told as one.
const JOIN_SECS: f64 = 1.0;
/// Stretches told one by one; what comes after joins the last.
const MOST_STRETCHES: usize = 20;

/// A stretch of a piece's samples that there is something to tell of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Note {
    /// Index of the first sample.
    pub(super) from: usize,
    /// Index after the last.
    pub(super) to: usize,
    /// How many samples of the stretch are meant, where not all.
    pub(super) count: u64,
    /// What it is.
    pub(super) kind: NoteKind,
}

/// What there is to tell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NoteKind {
    /// Channels cancel each other; only these are taken, counted from 0.
    Cancels { taken: Vec<usize> },
    /// Samples are no numbers, or too large for sound.
    NotFinite,
    /// Samples lie more than 20 dB above full scale; the largest magnitude.
    AboveFullScale { peak: f64 },
    /// Rate and channels change with the first sample.
    FormatChange { from: (u32, u32), to: (u32, u32) },
}

impl NoteKind {
    /// Whether `other` may be told in the same words; takes the larger of two peaks.
    fn joins(&mut self, other: &NoteKind) -> bool {
        match (self, other) {
            (NoteKind::AboveFullScale { peak }, NoteKind::AboveFullScale { peak: theirs }) => {
                *peak = peak.max(*theirs);
                true
            }
            (NoteKind::FormatChange { .. }, NoteKind::FormatChange { .. }) => false,
            (ours, theirs) => ours == theirs,
        }
    }

    /// A place for each kind.
    fn group(&self) -> usize {
        match self {
            NoteKind::Cancels { .. } => 0,
            NoteKind::NotFinite => 1,
            NoteKind::AboveFullScale { .. } => 2,
            NoteKind::FormatChange { .. } => 3,
        }
    }
}

/// Stretches of a stream by kind.
#[derive(Debug, Default)]
pub(super) struct Notes {
    groups: [Vec<Stretch>; 4],
}

#[derive(Debug)]
struct Stretch {
    start: f64,
    end: f64,
    count: u64,
    kind: NoteKind,
}

impl Notes {
    /// Adds `note` of a piece that begins at `start` seconds since the origin.
    pub(super) fn add(&mut self, note: &Note, start: f64, rate_hz: u32) {
        let secs = |index: usize| start + index as f64 / f64::from(rate_hz.max(1));
        let (from, to) = (secs(note.from).max(0.0), secs(note.to));
        if to <= 0.0 {
            return;
        }
        let stretches = &mut self.groups[note.kind.group()];
        let full = stretches.len() >= MOST_STRETCHES;
        if let Some(last) = stretches.last_mut()
            && (full || from <= last.end + JOIN_SECS)
            && (last.kind.joins(&note.kind) || full)
        {
            last.end = last.end.max(to);
            last.count += note.count;
            return;
        }
        stretches.push(Stretch { start: from, end: to, count: note.count, kind: note.kind.clone() });
    }

    /// As warnings, in order of time within each kind.
    pub(super) fn warnings(&self) -> Vec<Warning> {
        let told = |s: &Stretch| {
            let span = Segment::from_secs(s.start, s.end.max(s.start + LEAST_TOLD_SECS))?;
            Some(match &s.kind {
                NoteKind::Cancels { taken } => Warning::ChannelsCancel { span, taken: taken.clone() },
                NoteKind::NotFinite => Warning::NotSound { span, count: s.count },
                NoteKind::AboveFullScale { peak } => {
                    Warning::AboveFullScale { span, count: s.count, peak_db: 20.0 * peak.log10() }
                }
                &NoteKind::FormatChange { from, to } => Warning::FormatChange { at_secs: s.start, from, to },
            })
        };
        self.groups.iter().flatten().filter_map(told).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_near_each_other_are_one_and_few_are_told() {
        let mut notes = Notes::default();
        let note = |kind| Note { from: 0, to: 1000, count: 3, kind };
        let taken = || NoteKind::Cancels { taken: vec![1] };
        notes.add(&note(taken()), 0.0, 1000);
        notes.add(&note(taken()), 1.5, 1000);
        notes.add(&note(NoteKind::Cancels { taken: vec![0] }), 2.5, 1000);
        notes.add(&note(taken()), -5.0, 1000);
        notes.add(&note(NoteKind::AboveFullScale { peak: 100.0 }), 0.0, 1000);
        notes.add(&note(NoteKind::AboveFullScale { peak: 1000.0 }), 1.0, 1000);
        let span = |a, b| Segment::from_secs(a, b).unwrap();
        assert_eq!(
            notes.warnings(),
            [
                Warning::ChannelsCancel { span: span(0.0, 2.5), taken: vec![1] },
                Warning::ChannelsCancel { span: span(2.5, 3.5), taken: vec![0] },
                Warning::AboveFullScale { span: span(0.0, 2.0), count: 6, peak_db: 60.0 },
            ]
        );
        for i in 0..100 {
            notes.add(&note(NoteKind::NotFinite), f64::from(i) * 10.0, 1000);
        }
        let told = notes.warnings();
        assert_eq!(told.iter().filter(|w| w.code() == "not_sound").count(), MOST_STRETCHES);
        assert!(told.contains(&Warning::NotSound { span: span(190.0, 991.0), count: 81 * 3 }));
    }
}
