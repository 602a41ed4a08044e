//! Where speech begins and ends, to about 10 ms: the edges that diarization tells, moved to where the level rises and
//! falls.
//!
//! Diarization decides a 17 ms frame at a time, and its model was taught with edges drawn by hand, so that an edge lies
//! up to a quarter of a second beside the sound. A floor-transfer offset needs better. Near each edge that nobody
//! else's speech covers, the edge goes to where the level (20 ms windows, every 10 ms) crosses a threshold between the
//! quiet beside and the speech inside, as endpoint detectors do (Rabiner and Sambur 1975, "An algorithm for determining
//! the endpoints of isolated utterances"). Where one voice takes over from another and the model lets them touch or
//! overlap by at most 0.1 s, a quiet stretch right there is the gap between them. Under another's speech, or where
//! speech and quiet are less than 15 dB apart, the level tells nothing and the edge stays. The tables `speech` and RTTM
//! keep the model's.

use crate::annotation::{Annotation, SegmentIndex, SpeechTurn};
use crate::audio::{Acoustics, GRID};
use crate::time::{Seconds, Segment};

/// How far an edge moves at most, and how far beyond that quiet is looked for; choices.
const REACH_SECS: f64 = 0.25;
const QUIET_SECS: f64 = 0.75;

/// Stretch of speech behind an edge whose loudest frame is its level; a choice.
const SPEECH_SECS: f64 = 0.6;

/// The threshold lies at this share of the way from quiet to loud in dB, at least 6 dB above the quiet; below 15 dB
/// there is none. Choices.
const THRESHOLD_SHARE: f64 = 0.3;
const MIN_RISE_DB: f64 = 6.0;
const MIN_RANGE_DB: f64 = 15.0;

/// Two voices that overlap by no more may have a gap instead, if there is a quiet stretch at least so long within so
/// much of their edges; shorter ones are closures of plosives. Choices.
const MAX_DOUBT_SECS: f64 = 0.1;
const MIN_GAP_SECS: f64 = 0.06;
const GAP_REACH_SECS: f64 = 0.2;

/// Share of frames around an edge that are taken for quiet; the shortest gap alone is 4 of 100 frames around it.
/// Choices.
const QUIET_SHARE: f64 = 0.1;
const GAP_SHARE: f64 = 0.03;

/// Level of digital silence.
const NOTHING_DB: f64 = -100.0;

/// The annotation with its edges on the sound; speech turns keep their number, speakers and order of starts as far as
/// edges allow.
pub(super) fn on_the_sound(annotation: &Annotation, acoustics: &Acoustics) -> Annotation {
    if acoustics.is_empty() {
        return annotation.clone();
    }
    let all = annotation.turns();
    let index = SegmentIndex::new(all.iter().map(|t| t.segment));
    let moved = all.iter().enumerate().map(|(i, turn)| {
        let here = turn.segment;
        let reach = REACH_SECS + QUIET_SECS;
        let near = index.overlapping(Seconds::of(here.start().get() - reach), Seconds::of(here.end().get() + reach));
        let others: Vec<Segment> = near.into_iter().filter(|&j| j != i).map(|j| all[j].segment).collect();
        let level = Level { acoustics };
        let start = level.edge(here, true, &others).unwrap_or(here.start().get());
        let end = level.edge(here, false, &others).unwrap_or(here.end().get());
        let segment = Segment::from_secs(start, end).filter(|s| !s.is_empty()).unwrap_or(here);
        SpeechTurn { segment, speaker: turn.speaker.clone() }
    });
    Annotation::new(moved.collect())
}

/// The level of the recording.
#[derive(Clone, Copy)]
struct Level<'a> {
    acoustics: &'a Acoustics,
}

impl Level<'_> {
    fn at(self, frame: usize) -> f64 {
        self.acoustics
            .level_db
            .get(frame)
            .copied()
            .map_or(NOTHING_DB, |x| if x.is_finite() { f64::from(x) } else { NOTHING_DB })
    }

    fn frames(self, a: f64, b: f64) -> std::ops::Range<usize> {
        let whole = Segment::from_secs(a.min(b).max(0.0), a.max(b).max(0.0));
        whole.map_or(0..0, |s| GRID.indices(s, self.acoustics.len()))
    }

    fn loudest(self, a: f64, b: f64) -> f64 {
        self.frames(a, b).map(|i| self.at(i)).fold(NOTHING_DB, f64::max)
    }

    /// The level that parts speech from quiet, which is the lowest `share` of the frames between `a` and `b`; `None`
    /// where they are too near.
    fn threshold(self, loud: f64, a: f64, b: f64, share: f64) -> Option<f64> {
        let mut around: Vec<f64> = self.frames(a, b).map(|i| self.at(i)).collect();
        around.sort_by(f64::total_cmp);
        let quiet = *around.get((around.len() as f64 * share) as usize)?;
        (loud - quiet >= MIN_RANGE_DB).then(|| quiet + (THRESHOLD_SHARE * (loud - quiet)).max(MIN_RISE_DB))
    }

    /// The sound's edge near the start (or end) of `here`; `None` where the level tells nothing.
    fn edge(self, here: Segment, is_start: bool, others: &[Segment]) -> Option<f64> {
        let at = if is_start { here.start().get() } else { here.end().get() };
        // Outwards is the way to the quiet.
        let out = if is_start { -1.0 } else { 1.0 };
        let beside = at + 0.05 * out;
        if let Some(other) = others.iter().find(|o| o.start().get() < beside && o.end().get() > beside) {
            return self.gap(here, *other, is_start);
        }
        // The nearest speech of anybody on the way out bounds the quiet.
        let gaps =
            others.iter().map(|o| ((o.start().get() - at) * out).min((o.end().get() - at) * out)).filter(|d| *d > 0.0);
        let free = gaps.fold(REACH_SECS + QUIET_SECS, f64::min);
        let inside = here.duration().min(SPEECH_SECS);
        let loud = self.loudest(at, at - out * inside);
        let threshold = self.threshold(loud, at - out * inside.min(REACH_SECS), at + out * free, QUIET_SHARE)?;
        let count = self.acoustics.len();
        let on = |i: usize| self.at(i) >= threshold;
        let step = |i: usize, way: f64| if way < 0.0 { i.checked_sub(1) } else { Some(i + 1).filter(|&n| n < count) };
        let centre = |i: usize| GRID.centre(i).get();
        let mut i = self.frames(at, at + 1.0).start.min(count.checked_sub(1)?);
        if on(i) {
            // Out of the speech, frame by frame, to the last one that is loud.
            loop {
                let next = step(i, out)?;
                if (centre(next) - at).abs() > free.min(REACH_SECS) {
                    return None;
                }
                if !on(next) {
                    break;
                }
                i = next;
            }
        } else {
            // Into it, to the first.
            while !on(i) {
                i = step(i, -out)?;
                if (centre(i) - at).abs() > inside.min(REACH_SECS) {
                    return None;
                }
            }
        }
        // A window of 20 ms is loud as soon as it reaches a few ms into the sound: the sound begins 5 ms behind its
        // centre on the average.
        Some((centre(i) - out * 0.005).max(0.0))
    }

    /// The edge of `here` at the quiet stretch between it and a voice that it takes over from (or that takes over from
    /// it).
    fn gap(self, here: Segment, other: Segment, is_start: bool) -> Option<f64> {
        let (first, second) = if is_start { (other, here) } else { (here, other) };
        let overlap = -first.gap(second);
        let takes_over = first.start() < second.start() && first.end() < second.end();
        if !takes_over || overlap > MAX_DOUBT_SECS {
            return None;
        }
        let (a, b) = (second.start().get().min(first.end().get()), second.start().get().max(first.end().get()));
        let (from, to) = ((a - GAP_REACH_SECS).max(first.start().get()), (b + GAP_REACH_SECS).min(second.end().get()));
        let loud = self.loudest(from, to);
        let threshold = self.threshold(loud, a - QUIET_SECS, b + QUIET_SECS, GAP_SHARE)?;
        let quiet: Vec<usize> = self.frames(from, to).filter(|&i| self.at(i) < threshold).collect();
        let longest = quiet
            .chunk_by(|i, j| i + 1 == *j)
            .fold(&quiet[..0], |best, run| if run.len() > best.len() { run } else { best });
        let (start, end) = (GRID.centre(*longest.first()?).get() - 0.005, GRID.centre(*longest.last()?).get() + 0.005);
        // A stretch that runs out of reach is no gap between these two.
        let inside = start > from + 0.01 && end < to - 0.01;
        (inside && end - start >= MIN_GAP_SECS).then_some(if is_start { end } else { start })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Speech at -20 dB in the stretches given, quiet at -70 dB elsewhere.
    fn sound(speech: &[(f64, f64)]) -> Acoustics {
        let level = |i: usize| {
            let t = GRID.centre(i).get();
            if speech.iter().any(|s| t > s.0 - 0.005 && t < s.1 + 0.005) { -20.0 } else { -70.0 }
        };
        Acoustics { level_db: (0..1000).map(level).collect(), voiced: vec![false; 1000], ..Acoustics::default() }
    }

    fn voice(a: f64, b: f64, s: &str) -> SpeechTurn {
        SpeechTurn { segment: Segment::from_secs(a, b).unwrap(), speaker: s.into() }
    }

    #[test]
    fn edges_go_to_the_sound_both_ways() {
        let a = sound(&[(1.0, 3.0), (3.5, 5.0)]);
        let told = Annotation::new(vec![voice(0.9, 3.12, "S0"), voice(3.6, 4.9, "S1")]);
        let moved = on_the_sound(&told, &a);
        for (turn, truth) in moved.turns().iter().zip([(1.0, 3.0), (3.5, 5.0)]) {
            assert!(
                (turn.segment.start().get() - truth.0).abs() <= 0.0101
                    && (turn.segment.end().get() - truth.1).abs() <= 0.0101,
                "{turn:?}"
            );
        }
    }

    #[test]
    fn a_quiet_stretch_between_two_voices_is_their_gap() {
        let told = Annotation::new(vec![voice(1.0, 3.05, "S0"), voice(3.04, 5.0, "S1")]);
        let edges = |sound: &[(f64, f64)]| {
            let moved = on_the_sound(&told, &self::sound(sound));
            (moved.turns()[0].segment.end().get(), moved.turns()[1].segment.start().get())
        };
        let (end, start) = edges(&[(1.0, 3.0), (3.12, 5.0)]);
        assert!((end - 3.0).abs() <= 0.0101 && (start - 3.12).abs() <= 0.0101, "{end} {start}");
        // Talking on without a pause, and a closure of 40 ms, move nothing.
        assert_eq!(edges(&[(1.0, 5.0)]), (3.05, 3.04));
        assert_eq!(edges(&[(1.0, 3.0), (3.04, 5.0)]), (3.05, 3.04));
    }

    #[test]
    fn under_anothers_speech_or_far_from_the_sound_the_edge_stays() {
        let a = sound(&[(1.0, 5.0)]);
        let told = Annotation::new(vec![voice(1.0, 4.0, "S0"), voice(3.0, 4.5, "S1")]);
        let moved = on_the_sound(&told, &a);
        assert_eq!(moved.turns()[0].segment.end(), Seconds::of(4.0));
        assert_eq!(moved.turns()[1].segment, Segment::from_secs(3.0, 4.5).unwrap());
        let told = Annotation::new(vec![voice(2.0, 4.0, "S0")]);
        assert_eq!(on_the_sound(&told, &a), told, "the sound goes on");
        assert_eq!(on_the_sound(&told, &Acoustics::default()), told);
    }
}
