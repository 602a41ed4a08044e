//! Scoring: diarization error rate with its parts, and Jaccard error rate, by pyannote.metrics' definitions.
//!
//! Exact on segment boundaries, no grid. Overlapped reference speech counts once per speaker. Speakers are mapped one
//! to one so that they share the most time. Sources: pyannote-metrics reference (pyannote.github.io/pyannote-metrics);
//! DIHARD II evaluation plan for JER.

use pathfinding::prelude::{Matrix, kuhn_munkres};

use crate::annotation::Annotation;
use crate::time::Segment;

/// What is scored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreOptions {
    /// Total width left out around each boundary of the reference, pyannote's meaning: 0.5 leaves out 0.25 s on either
    /// side, which NIST and many papers call a collar of 0.25.
    pub collar_secs: f64,
    /// Leaves out the time in which the reference has more than one speaker.
    pub skip_overlap: bool,
    /// The parts of the recording that are scored; `None` = all.
    pub uem: Option<Vec<Segment>>,
}

/// Errors in seconds of speaker time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// Reference speech, overlap counted once per speaker.
    pub total_secs: f64,
    /// Speech of the hypothesis where the reference has less.
    pub false_alarm_secs: f64,
    /// Speech of the reference the hypothesis has not.
    pub missed_secs: f64,
    /// Speech given to another speaker.
    pub confusion_secs: f64,
    /// Speech given to the right speaker.
    pub correct_secs: f64,
    /// `(hypothesis, reference)` speakers taken for one another, by the hypothesis' name.
    pub mapping: Vec<(String, String)>,
    /// Jaccard error of each reference speaker, 0 to 1, by name.
    pub jaccard: Vec<(String, f64)>,
}

impl Score {
    /// Diarization error rate: false alarm + missed + confusion over total, may exceed 1; `None` when the reference has
    /// no speech.
    pub fn der(&self) -> Option<f64> {
        (self.total_secs > 0.0)
            .then(|| (self.false_alarm_secs + self.missed_secs + self.confusion_secs) / self.total_secs)
    }

    /// Jaccard error rate: mean over the reference's speakers, 0 to 1; `None` when it has none.
    pub fn jer(&self) -> Option<f64> {
        (!self.jaccard.is_empty()).then(|| self.jaccard.iter().map(|(_, e)| e).sum::<f64>() / self.jaccard.len() as f64)
    }
}

/// What begins or ends at an instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Scored,
    Collar,
    Reference(usize),
    Hypothesis(usize),
}

/// The events of both annotations in time.
struct Timeline {
    events: Vec<(f64, Event, i32)>,
    skip_overlap: bool,
    speakers: (usize, usize),
}

/// Scores `hypothesis` against `reference`.
pub fn score(reference: &Annotation, hypothesis: &Annotation, options: &ScoreOptions) -> Score {
    let (references, hypotheses) = (reference.speakers(), hypothesis.speakers());
    let timeline = Timeline::new(reference, hypothesis, options);

    let mut shared = vec![vec![0.0f64; hypotheses.len()]; references.len()];
    let mut heard = vec![0.0f64; references.len()];
    timeline.walk(|secs, r, h| {
        for (k, &a) in r.iter().enumerate().filter(|(_, a)| **a > 0) {
            heard[k] += secs;
            for (l, &b) in h.iter().enumerate() {
                shared[k][l] += secs * f64::from(a * b);
            }
        }
    });
    let partner = best_mapping(&shared, hypotheses.len());

    let mut result = Score::default();
    let (mut wrong, mut either) = (vec![0.0f64; references.len()], vec![0.0f64; references.len()]);
    timeline.walk(|secs, r, h| {
        let (spoken, found): (i32, i32) = (r.iter().sum(), h.iter().sum());
        let mut right = 0;
        for (k, &a) in r.iter().enumerate() {
            let b = partner[k].map_or(0, |l| h[l]);
            right += a.min(b);
            if a > 0 || b > 0 {
                either[k] += secs;
                if a == 0 || b == 0 {
                    wrong[k] += secs;
                }
            }
        }
        result.total_secs += secs * f64::from(spoken);
        result.missed_secs += secs * f64::from((spoken - found).max(0));
        result.false_alarm_secs += secs * f64::from((found - spoken).max(0));
        result.correct_secs += secs * f64::from(right);
        result.confusion_secs += secs * f64::from(spoken.min(found) - right);
    });
    for (k, name) in references.iter().enumerate().filter(|(k, _)| heard[*k] > 0.0) {
        let error = if partner[k].is_some() { wrong[k] / either[k] } else { 1.0 };
        result.jaccard.push(((*name).to_owned(), error));
        if let Some(l) = partner[k] {
            result.mapping.push((hypotheses[l].to_owned(), (*name).to_owned()));
        }
    }
    result.mapping.sort();
    result
}

/// The partner of each row so that the most time is shared; pairs that share none are no pairs.
fn best_mapping(shared: &[Vec<f64>], columns: usize) -> Vec<Option<usize>> {
    if shared.is_empty() || columns == 0 {
        return vec![None; shared.len()];
    }
    // The solver wants whole numbers and no more rows than columns: nanoseconds, and empty columns.
    let nanoseconds = shared.iter().map(|row| {
        let padding = shared.len().saturating_sub(columns);
        row.iter().map(|s| (s * 1e9).round() as i64).chain(std::iter::repeat_n(0, padding)).collect::<Vec<i64>>()
    });
    let Ok(matrix) = Matrix::from_rows(nanoseconds) else { return vec![None; shared.len()] };
    let (_, assigned) = kuhn_munkres(&matrix);
    assigned.into_iter().zip(shared).map(|(l, row)| (row.get(l).is_some_and(|s| *s > 0.0)).then_some(l)).collect()
}

impl Timeline {
    fn new(reference: &Annotation, hypothesis: &Annotation, options: &ScoreOptions) -> Self {
        let (references, hypotheses) = (reference.speakers(), hypothesis.speakers());
        let mut events = Vec::new();
        let mut span = |start: f64, end: f64, event: Event| {
            if start < end {
                events.push((start, event, 1));
                events.push((end, event, -1));
            }
        };
        for turn in reference.turns() {
            let (start, end) = (turn.segment.start().get(), turn.segment.end().get());
            span(start, end, Event::Reference(references.binary_search(&turn.speaker.as_str()).unwrap_or(0)));
            let half = 0.5 * options.collar_secs;
            span(start - half, start + half, Event::Collar);
            span(end - half, end + half, Event::Collar);
        }
        for turn in hypothesis.turns() {
            let speaker = hypotheses.binary_search(&turn.speaker.as_str()).unwrap_or(0);
            span(turn.segment.start().get(), turn.segment.end().get(), Event::Hypothesis(speaker));
        }
        match &options.uem {
            Some(segments) => segments.iter().for_each(|s| span(s.start().get(), s.end().get(), Event::Scored)),
            None => span(f64::MIN, f64::MAX, Event::Scored),
        }
        events.sort_by(|a, b| a.0.total_cmp(&b.0));
        Timeline { events, skip_overlap: options.skip_overlap, speakers: (references.len(), hypotheses.len()) }
    }

    /// Calls `visit(seconds, turns of each reference speaker, turns of each hypothesis speaker)` for each scored
    /// stretch without change.
    fn walk(&self, mut visit: impl FnMut(f64, &[i32], &[i32])) {
        let (mut r, mut h) = (vec![0; self.speakers.0], vec![0; self.speakers.1]);
        let (mut scored, mut collar, mut speaking) = (0, 0, 0);
        for (i, &(time, event, change)) in self.events.iter().enumerate() {
            match event {
                Event::Scored => scored += change,
                Event::Collar => collar += change,
                Event::Reference(k) => {
                    r[k] += change;
                    speaking += change;
                }
                Event::Hypothesis(l) => h[l] += change,
            }
            let Some(next) = self.events.get(i + 1) else { break };
            let silent = speaking == 0 && h.iter().all(|b| *b == 0);
            if next.0 > time && scored > 0 && collar == 0 && !silent && !(self.skip_overlap && speaking > 1) {
                visit(next.0 - time, &r, &h);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotation::SpeechTurn;

    fn annotation(turns: &[(f64, f64, &str)]) -> Annotation {
        let turn = |&(start, end, speaker): &(f64, f64, &str)| SpeechTurn {
            segment: Segment::from_secs(start, end).unwrap(),
            speaker: speaker.into(),
        };
        Annotation::new(turns.iter().map(turn).collect())
    }

    #[test]
    fn the_parts_add_up() {
        // The system misses 1 s of a, invents 1 s after b, gives 2 s of b to the speaker it takes for a.
        let reference = annotation(&[(0.0, 10.0, "a"), (10.0, 20.0, "b")]);
        let system = annotation(&[(1.0, 12.0, "x"), (12.0, 21.0, "y")]);
        let s = score(&reference, &system, &ScoreOptions::default());
        for (got, expected) in [
            (s.total_secs, 20.0),
            (s.missed_secs, 1.0),
            (s.false_alarm_secs, 1.0),
            (s.confusion_secs, 2.0),
            (s.correct_secs, 17.0),
            (s.der().unwrap(), 0.2),
            // a: 1 s missed and 2 s too many of 12 s; b: 2 s missed and 1 s too many of 11 s.
            (s.jer().unwrap(), 0.5 * (3.0 / 12.0 + 3.0 / 11.0)),
        ] {
            assert!((got - expected).abs() < 1e-12, "{got} and {expected}");
        }
        assert_eq!(s.mapping, [("x".to_owned(), "a".to_owned()), ("y".to_owned(), "b".to_owned())]);
    }

    #[test]
    fn collar_is_the_whole_width_and_overlap_can_be_left_out() {
        let reference = annotation(&[(0.0, 10.0, "a"), (8.0, 12.0, "b")]);
        let nothing = Annotation::default();
        let total = |collar_secs, skip_overlap| {
            score(&reference, &nothing, &ScoreOptions { collar_secs, skip_overlap, uem: None }).total_secs
        };
        assert!((total(0.0, false) - 14.0).abs() < 1e-12);
        // 0.5 s at the start, 1 s of two at 8, of two at 10 (half a second before and after), 0.5 s at the end.
        assert!((total(1.0, false) - (14.0 - 0.5 - 1.5 - 1.5 - 0.5)).abs() < 1e-12, "{}", total(1.0, false));
        assert!((total(0.0, true) - 10.0).abs() < 1e-12);
        let uem = Some(vec![Segment::from_secs(9.0, 11.0).unwrap()]);
        assert!(
            (score(&reference, &nothing, &ScoreOptions { uem, ..Default::default() }).total_secs - 3.0).abs() < 1e-12
        );
        assert_eq!(score(&nothing, &reference, &ScoreOptions::default()).der(), None);
    }

    #[test]
    fn twenty_pairs_score_as_in_pyannote_metrics() {
        let file: serde_json::Value =
            serde_json::from_str(include_str!("../../tests/fixtures/der_pairs.json")).unwrap();
        let secs = |v: &serde_json::Value| v.as_f64().unwrap() / 1000.0;
        let read = |rows: &serde_json::Value| {
            let rows = rows.as_array().unwrap();
            let turns: Vec<(f64, f64, &str)> =
                rows.iter().map(|r| (secs(&r[0]), secs(&r[1]), r[2].as_str().unwrap())).collect();
            annotation(&turns)
        };
        let pairs = file["pairs"].as_array().unwrap();
        assert_eq!(pairs.len(), 20);
        for (number, pair) in pairs.iter().enumerate() {
            let (reference, system) = (read(&pair["reference"]), read(&pair["hypothesis"]));
            let uem: Vec<Segment> = pair["uem"]
                .as_array()
                .unwrap()
                .iter()
                .map(|s| Segment::from_secs(secs(&s[0]), secs(&s[1])).unwrap())
                .collect();
            for expected in pair["results"].as_array().unwrap() {
                let options = ScoreOptions {
                    collar_secs: expected["collar_secs"].as_f64().unwrap(),
                    skip_overlap: expected["skip_overlap"].as_bool().unwrap(),
                    uem: Some(uem.clone()),
                };
                let s = score(&reference, &system, &options);
                for (key, got) in [
                    ("total", s.total_secs),
                    ("false_alarm", s.false_alarm_secs),
                    ("missed", s.missed_secs),
                    ("confusion", s.confusion_secs),
                    ("correct", s.correct_secs),
                    ("der", s.der().unwrap()),
                    ("jer", s.jer().unwrap()),
                ] {
                    let want = expected[key].as_f64().unwrap();
                    assert!(
                        (got - want).abs() < 1e-6,
                        "pair {number}, {options:?}: {key} is {got}, pyannote.metrics has {want}"
                    );
                }
            }
        }
    }
}
