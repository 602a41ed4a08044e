//! Annotations: who, when. Turns come from a transcript, speech turns from diarization.

use crate::time::{Seconds, Segment};

/// A word of a transcript with its time, where the transcript tells one.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// As written.
    pub text: String,
    /// `None` where the source gives no time (numerals in WhisperX output).
    pub segment: Option<Segment>,
    /// The word's own speaker label, where the source has one.
    pub speaker: Option<String>,
}

/// A turn: segment, speaker and text from the transcript; the unit of the tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// 1-based position in the transcript (RESCUE-bench's `row_index`); the key of the tables.
    pub index: u32,
    /// Seconds from the start of the media; may be empty, overlap others or run past the media.
    pub segment: Segment,
    /// Label as in the transcript; `None` where it names nobody.
    pub speaker: Option<String>,
    /// The words said, without markup.
    pub text: String,
    /// Word times, empty where the transcript has none.
    pub words: Vec<Word>,
}

/// A speech turn: segment and speaker found by diarization; one RTTM line.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeechTurn {
    /// Never empty inside an [`Annotation`].
    pub segment: Segment,
    /// Speaker label without white space.
    pub speaker: String,
}

/// All speech turns of one recording, sorted by start, end, speaker; overlap allowed, empty segments dropped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotation {
    turns: Vec<SpeechTurn>,
}

impl Annotation {
    /// Sorts, and drops empty segments.
    pub fn new(mut turns: Vec<SpeechTurn>) -> Self {
        turns.retain(|t| !t.segment.is_empty());
        turns.sort_by(|a, b| a.segment.cmp(&b.segment).then_with(|| a.speaker.cmp(&b.speaker)));
        Annotation { turns }
    }

    /// The speech turns in order.
    pub fn turns(&self) -> &[SpeechTurn] {
        &self.turns
    }

    /// What lies inside `stretches`, which may overlap each other.
    pub fn within(&self, stretches: &[Segment]) -> Self {
        let mut sorted = stretches.to_vec();
        sorted.sort();
        let mut joined: Vec<Segment> = Vec::new();
        for stretch in sorted {
            match joined.last_mut().filter(|last| last.end() >= stretch.start()) {
                Some(last) => *last = Segment::new(last.start(), last.end().max(stretch.end())).unwrap_or(*last),
                None => joined.push(stretch),
            }
        }
        let inside = |t: &SpeechTurn| {
            let parts = joined.iter().filter_map(|s| t.segment.intersection(*s));
            parts.map(|segment| SpeechTurn { segment, speaker: t.speaker.clone() }).collect::<Vec<_>>()
        };
        Annotation::new(self.turns.iter().flat_map(inside).collect())
    }

    /// Distinct speakers, sorted by name.
    pub fn speakers(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.turns.iter().map(|t| t.speaker.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// End of the last speech turn.
    pub fn end(&self) -> Seconds {
        self.turns.iter().map(|t| t.segment.end()).max().unwrap_or(Seconds::ZERO)
    }

    /// Seconds of `segment` during which `speaker` talks (own overlapping turns counted once).
    pub fn speaker_time_in(&self, speaker: &str, segment: Segment) -> f64 {
        union_secs(self.turns.iter().filter(|t| t.speaker == speaker).filter_map(|t| t.segment.intersection(segment)))
    }
}

/// Total length of the union of segments given in any order.
pub fn union_secs(segments: impl IntoIterator<Item = Segment>) -> f64 {
    let mut all: Vec<Segment> = segments.into_iter().collect();
    all.sort();
    let mut total = 0.0;
    let mut reached = f64::NEG_INFINITY;
    for s in all {
        let start = s.start().get().max(reached);
        total += (s.end().get() - start).max(0.0);
        reached = reached.max(s.end().get());
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speech(start: f64, end: f64, speaker: &str) -> SpeechTurn {
        SpeechTurn { segment: Segment::from_secs(start, end).unwrap(), speaker: speaker.into() }
    }

    #[test]
    fn an_annotation_is_sorted_and_has_no_empty_turn() {
        let a = Annotation::new(vec![speech(2.0, 3.0, "b"), speech(1.0, 1.0, "a"), speech(0.0, 2.5, "a")]);
        assert_eq!(a.turns().len(), 2);
        assert_eq!(a.turns()[0].speaker, "a");
        assert_eq!(a.speakers(), ["a", "b"]);
    }

    #[test]
    fn what_lies_outside_of_stretches_is_cut_off() {
        let segment = |start, end| Segment::from_secs(start, end).unwrap();
        let turn = |start, end, speaker: &str| SpeechTurn { segment: segment(start, end), speaker: speaker.into() };
        let all = Annotation::new(vec![turn(0.0, 4.0, "a"), turn(3.0, 9.0, "b"), turn(20.0, 21.0, "a")]);
        // Two stretches that overlap are one: no turn is cut inside.
        let kept = all.within(&[segment(8.5, 12.0), segment(1.0, 3.5), segment(3.0, 5.0)]);
        assert_eq!(kept.turns(), [turn(1.0, 4.0, "a"), turn(3.0, 5.0, "b"), turn(8.5, 9.0, "b")]);
        assert!(all.within(&[]).turns().is_empty());
    }

    #[test]
    fn overlapping_turns_of_one_speaker_count_once() {
        let a = Annotation::new(vec![speech(0.0, 2.0, "a"), speech(1.0, 3.0, "a"), speech(0.0, 9.0, "b")]);
        let t = a.speaker_time_in("a", Segment::from_secs(0.5, 10.0).unwrap());
        assert!((t - 2.5).abs() < 1e-12, "{t}");
    }
}
