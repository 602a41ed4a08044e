//! Annotations: who, when. Turns come from a transcript, speech turns from diarization.

use std::collections::BTreeMap;
use std::sync::OnceLock;

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

/// What a transcript describes as heard and not said: laughter, music, a pause.
#[derive(Clone, Debug, PartialEq)]
pub struct SoundEvent {
    /// The time of the cue in which it stands: of the event itself, where the cue holds nothing else.
    pub segment: Segment,
    /// Whose cue it stands in; `None` where nobody is named.
    pub speaker: Option<String>,
    /// As written, without the brackets.
    pub what: String,
    /// True where words stand in the same cue.
    pub in_turn: bool,
}

/// A code: what a tier beside the speech says of a stretch or an instant, such as a smile or a rating.
#[derive(Clone, Debug, PartialEq)]
pub struct TierCode {
    /// The tier's name, as written.
    pub tier: String,
    /// Whom it is about: the tier's participant, or the speaker whom its name holds; `None` where it tells nobody.
    pub person: Option<String>,
    /// Start, or the instant.
    pub start: Seconds,
    /// End; `None` for an instant.
    pub end: Option<Seconds>,
    /// As written.
    pub value: String,
}

/// A speech turn: segment and speaker found by diarization; one RTTM line.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SpeechTurn {
    /// Never empty inside an [`Annotation`].
    pub segment: Segment,
    /// Speaker label without white space.
    pub speaker: String,
}

/// All speech turns of one recording, sorted by start, end, speaker; overlap allowed, empty segments dropped.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Annotation {
    turns: Vec<SpeechTurn>,
    #[serde(skip)]
    index: Lazy,
}

/// Made when it is first asked for; says nothing that the turns do not.
#[derive(Clone, Debug, Default)]
struct Lazy(OnceLock<SegmentIndex>);

impl PartialEq for Lazy {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Annotation {
    /// Sorts, and drops empty segments.
    pub fn new(mut turns: Vec<SpeechTurn>) -> Self {
        turns.retain(|t| !t.segment.is_empty());
        turns.sort_by(|a, b| a.segment.cmp(&b.segment).then_with(|| a.speaker.cmp(&b.speaker)));
        Annotation { turns, index: Lazy::default() }
    }

    /// The speech turns in order.
    pub fn turns(&self) -> &[SpeechTurn] {
        &self.turns
    }

    /// What lies inside `stretches`, which may overlap each other.
    pub fn within(&self, stretches: &[Segment]) -> Self {
        let joined = union(stretches.iter().copied());
        let inside = |t: &SpeechTurn| {
            let first = joined.partition_point(|s| s.end() <= t.segment.start());
            let near = joined[first..].iter().take_while(|s| s.start() < t.segment.end());
            let parts = near.filter_map(|s| t.segment.intersection(*s));
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

    /// What of the speech turns lies inside `segment`, with the speaker, in the order of the speech turns.
    pub fn inside(&self, segment: Segment) -> Vec<(Segment, &str)> {
        let index = self.index.0.get_or_init(|| SegmentIndex::new(self.turns.iter().map(|t| t.segment)));
        let found = index.overlapping(segment.start(), segment.end()).into_iter();
        found
            .filter_map(|i| Some((self.turns[i].segment.intersection(segment)?, self.turns[i].speaker.as_str())))
            .collect()
    }

    /// Seconds of `segment` during which each of those who talk in it does (own overlapping turns counted once), sorted
    /// by name.
    pub fn times_in(&self, segment: Segment) -> Vec<(&str, f64)> {
        let mut parts: BTreeMap<&str, Vec<Segment>> = BTreeMap::new();
        for (part, speaker) in self.inside(segment) {
            parts.entry(speaker).or_default().push(part);
        }
        parts.into_iter().map(|(speaker, parts)| (speaker, union_secs(parts))).collect()
    }

    /// Seconds of `segment` during which `speaker` talks (own overlapping turns counted once).
    pub fn speaker_time_in(&self, speaker: &str, segment: Segment) -> f64 {
        union_secs(self.inside(segment).into_iter().filter(|(_, s)| *s == speaker).map(|(part, _)| part))
    }
}

/// Finds, among many segments, those that share time with a given one, without looking at the others.
///
/// Sorted by start, with the latest end of each half, quarter, … of them: a stretch in which nothing lasts long enough
/// is passed over at once. A look-up takes the logarithm of their number for each one found.
#[derive(Clone, Debug, Default)]
pub struct SegmentIndex {
    /// Start, end and place in the order given, sorted.
    sorted: Vec<(Seconds, Seconds, usize)>,
    /// Latest ends: node 1 is the whole, nodes 2 i and 2 i + 1 are the halves of node i, the leaves begin at half the
    /// length.
    latest: Vec<Seconds>,
}

impl SegmentIndex {
    /// Of segments in any order.
    pub fn new(segments: impl IntoIterator<Item = Segment>) -> Self {
        let mut sorted: Vec<_> = segments.into_iter().enumerate().map(|(i, s)| (s.start(), s.end(), i)).collect();
        sorted.sort_unstable();
        let leaves = sorted.len().next_power_of_two();
        let mut latest = vec![Seconds::of(f64::MIN); 2 * leaves];
        for (leaf, (_, end, _)) in latest[leaves..].iter_mut().zip(&sorted) {
            *leaf = *end;
        }
        for node in (1..leaves).rev() {
            latest[node] = latest[2 * node].max(latest[2 * node + 1]);
        }
        SegmentIndex { sorted, latest }
    }

    /// Places, ascending, of the segments that start before `to` and end after `from`.
    pub fn overlapping(&self, from: Seconds, to: Seconds) -> Vec<usize> {
        let before = self.sorted.partition_point(|(start, ..)| *start < to);
        let leaves = self.latest.len() / 2;
        let mut found = Vec::new();
        // Node, first leaf and number of leaves.
        let mut open = vec![(1, 0, leaves)];
        while let Some((node, first, count)) = open.pop() {
            if first >= before || self.latest[node] <= from {
                continue;
            }
            if count == 1 {
                found.push(self.sorted[first].2);
            } else {
                let half = count / 2;
                open.push((2 * node + 1, first + half, half));
                open.push((2 * node, first, half));
            }
        }
        found.sort_unstable();
        found
    }
}

/// The union of segments given in any order: those that overlap or touch are one.
pub fn union(segments: impl IntoIterator<Item = Segment>) -> Vec<Segment> {
    let mut sorted: Vec<Segment> = segments.into_iter().collect();
    sorted.sort();
    let mut joined: Vec<Segment> = Vec::new();
    for segment in sorted {
        match joined.last_mut().filter(|last| last.end() >= segment.start()) {
            Some(last) => *last = Segment::new(last.start(), last.end().max(segment.end())).unwrap_or(*last),
            None => joined.push(segment),
        }
    }
    joined
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
    fn an_index_finds_what_a_look_at_all_finds() {
        let mut random = crate::random::Random::seeded(7);
        let mut draw = |n: usize| random.below(n);
        for count in [0, 1, 2, 3, 7, 64, 100] {
            let all: Vec<Segment> = (0..count)
                .map(|i| {
                    let (start, length) = (draw(200) as f64, if i % 17 == 0 { draw(150) } else { draw(5) } as f64);
                    Segment::from_secs(start, start + length).unwrap()
                })
                .collect();
            let index = SegmentIndex::new(all.iter().copied());
            for _ in 0..200 {
                let from = draw(210) as f64;
                let asked = Segment::from_secs(from, from + draw(20) as f64).unwrap();
                let plain: Vec<usize> =
                    (0..all.len()).filter(|&i| all[i].start() < asked.end() && all[i].end() > asked.start()).collect();
                assert_eq!(index.overlapping(asked.start(), asked.end()), plain, "{asked} of {count}");
            }
        }
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
