//! Where speech begins and ends, to about 10 ms: the edges that diarization tells, moved to where the level rises and falls.
//!
//! Diarization decides a 17 ms frame at a time, and its model was taught with edges drawn by hand, so that an edge lies up to a quarter of
//! a second beside the sound. A floor-transfer offset needs better. Near each edge that nobody else's speech covers, the edge goes to
//! where the level (20 ms windows, every 10 ms) crosses a threshold between the quiet beside and the speech inside, as endpoint detectors
//! do (Rabiner and Sambur 1975, "An algorithm for determining the endpoints of isolated utterances"). Under another's speech, or where
//! speech and quiet are less than 15 dB apart, the level tells nothing and the edge stays. The tables `speech` and RTTM keep the model's.

use crate::annotation::{Annotation, SpeechTurn};
use crate::audio::{Acoustics, GRID};
use crate::time::{Seconds, Segment};

/// How far an edge moves at most, and how far beyond that quiet is looked for; choices.
const REACH_SECS: f64 = 0.25;
const QUIET_SECS: f64 = 0.75;

/// Stretch of speech behind an edge whose loudest frame is its level; a choice.
const SPEECH_SECS: f64 = 0.6;

/// The threshold lies at this share of the way from quiet to loud in dB, at least 6 dB above the quiet; below 15 dB there is none. Choices.
const THRESHOLD_SHARE: f64 = 0.3;
const MIN_RISE_DB: f64 = 6.0;
const MIN_RANGE_DB: f64 = 15.0;

/// Level of digital silence.
const NOTHING_DB: f64 = -100.0;

/// The annotation with its edges on the sound; speech turns keep their number, speakers and order of starts as far as edges allow.
pub(super) fn on_the_sound(annotation: &Annotation, acoustics: &Acoustics) -> Annotation {
    if acoustics.is_empty() {
        return annotation.clone();
    }
    let all = annotation.turns();
    let moved = all.iter().enumerate().map(|(i, turn)| {
        let here = turn.segment;
        let near = |s: Segment| {
            s.end().get() > here.start().get() - REACH_SECS - QUIET_SECS && s.start().get() < here.end().get() + REACH_SECS + QUIET_SECS
        };
        let others: Vec<Segment> = all.iter().enumerate().filter(|(j, o)| *j != i && near(o.segment)).map(|(_, o)| o.segment).collect();
        let start = edge(here, true, &others, acoustics).unwrap_or(here.start().get());
        let end = edge(here, false, &others, acoustics).unwrap_or(here.end().get());
        let segment = Segment::from_secs(start, end).filter(|s| !s.is_empty()).unwrap_or(here);
        SpeechTurn { segment, speaker: turn.speaker.clone() }
    });
    Annotation::new(moved.collect())
}

/// The sound's edge near the start (or end) of `here`; `None` where the level tells nothing.
fn edge(here: Segment, is_start: bool, others: &[Segment], acoustics: &Acoustics) -> Option<f64> {
    let at = if is_start { here.start().get() } else { here.end().get() };
    // Outwards is the way to the quiet.
    let out = if is_start { -1.0 } else { 1.0 };
    if others.iter().any(|o| o.start().get() < at + 0.02 && o.end().get() > at - 0.02) {
        return None;
    }
    // The nearest speech of anybody on the way out bounds the quiet; on the way in, somebody else's bounds the speech.
    let bound = |way: f64, far: f64| {
        let gaps = others.iter().map(|o| ((o.start().get() - at) * way).min((o.end().get() - at) * way)).filter(|d| *d > 0.0);
        gaps.fold(far, f64::min)
    };
    let free_out = bound(out, REACH_SECS + QUIET_SECS);
    let free_in = bound(-out, SPEECH_SECS).min(here.duration());
    let level = |i: usize| acoustics.level_db.get(i).copied().map_or(NOTHING_DB, |x| if x.is_finite() { f64::from(x) } else { NOTHING_DB });
    let frames = |a: f64, b: f64| {
        let whole = Segment::from_secs(a.min(b).max(0.0), a.max(b).max(0.0));
        whole.map_or(0..0, |s| GRID.indices(s, acoustics.len()))
    };
    let loud = frames(at, at - out * free_in).map(level).fold(NOTHING_DB, f64::max);
    let mut around: Vec<f64> = frames(at - out * free_in.min(REACH_SECS), at + out * free_out).map(level).collect();
    around.sort_by(f64::total_cmp);
    let quiet = *around.get(around.len() / 10)?;
    if loud - quiet < MIN_RANGE_DB {
        return None;
    }
    let threshold = quiet + (THRESHOLD_SHARE * (loud - quiet)).max(MIN_RISE_DB);
    let reach_out = free_out.min(REACH_SECS);
    let reach_in = free_in.min(REACH_SECS);
    let on = |i: usize| level(i) >= threshold;
    let step = |i: usize, way: f64| if way < 0.0 { i.checked_sub(1) } else { Some(i + 1) };
    let centre = |i: usize| GRID.centre(i).get();
    let first = frames(at, at + 1.0).start.min(acoustics.len().checked_sub(1)?);
    let mut i = first;
    if on(i) {
        // Out of the speech, frame by frame, to the last one that is loud.
        loop {
            let next = step(i, out).filter(|&n| n < acoustics.len())?;
            if (centre(next) - at).abs() > reach_out {
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
            i = step(i, -out).filter(|&n| n < acoustics.len())?;
            if (centre(i) - at).abs() > reach_in {
                return None;
            }
        }
    }
    // A window of 20 ms is loud as soon as it reaches a few ms into the sound: the sound begins 5 ms behind its centre on the average.
    Some((centre(i) - out * 0.005).max(Seconds::ZERO.get()))
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
                (turn.segment.start().get() - truth.0).abs() <= 0.0101 && (turn.segment.end().get() - truth.1).abs() <= 0.0101,
                "{turn:?}"
            );
        }
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
