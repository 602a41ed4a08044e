//! The listener while the speaker talks: nods, shakes, stillness, and smiles that answer the speaker's.
//!
//! Mimicry: a listener's smile (brow) that rises within 2 s after the speaker's own. Faces answer faces within a second
//! (Dimberg, Thunberg and Elmehed 2000, "Unconscious facial reactions to emotional facial expressions"; in conversation
//! Riehle, Kempkensteffen and Lincoln 2017, "Quantifying facial expression synchrony in face-to-face dyadic
//! interactions"); the second one is for what is seen of them at ten pictures a second. One rise answers one. A rise
//! belongs to the turn in which it is sure, so that no later picture is needed.

use std::collections::BTreeSet;

use super::TurnsConfig;
use super::watched::{Person, Rise};
use crate::face::{Faces, GestureKind, Observation, head_gestures};
use crate::table::{Column, CutOff, all_until};
use crate::time::{Segment, TOLERANCE_SECS};

/// Fewest instants that a share is made of: half a second at ten pictures a second; a choice.
const MIN_INSTANTS: usize = 5;

/// What one listener does during one turn; `None` where it cannot be told.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Listening {
    /// Nods and shakes; `None` where unseen or looked at too seldom.
    gestures: Option<(usize, usize)>,
    /// Mean speed of the head, and the share of time in which it is still.
    head: Option<(f64, f64)>,
    /// The speaker's smiles, and how many of them are answered.
    smiles: Option<(usize, usize)>,
    /// The same of raised brows.
    brows: Option<(usize, usize)>,
}

/// The columns, all up to the turn's end.
pub(super) fn columns() -> Vec<Column<Listening>> {
    let mut columns = vec![
        Column::int(
            "listener_nods",
            "",
            "Nods of the listener inside the turn, as head_nods of turns; null where unseen or looked at too seldom \
             to see one.",
            |l: &Listening| l.gestures.map(|g| g.0),
        ),
        Column::int(
            "listener_shakes",
            "",
            "Shakes of the listener's head inside the turn; null as listener_nods.",
            |l: &Listening| l.gestures.map(|g| g.1),
        ),
        Column::float(
            "listener_head_speed_deg_per_sec",
            "deg/s",
            "Mean speed of the listener's head; a resting one measures 2 to 5.",
            |l: &Listening| l.head.map(|h| h.0),
        ),
        Column::float(
            "listener_head_still_share",
            "1",
            "Share of the time seen during which the listener's head is slower than {turns.still_below_deg_per_sec} \
             deg/s.",
            |l: &Listening| l.head.map(|h| h.1),
        ),
    ];
    columns.extend(mimicry_columns(
        "smile",
        "Smiles of the speaker (as speaker_smile) that rise to {turns.smile_above} from at least 0.5 s of rest and \
         stay for 0.5 s, sure by the turn's end; null where unseen.",
        "Of those, the ones after which the listener's smile rises within {turns.mimicry_within_secs} s and by the \
         turn's end.",
        "The second over the first; null when the speaker's smile never rises.",
        |l| l.smiles,
    ));
    columns.extend(mimicry_columns(
        "brow",
        "Times the speaker raises the inner brows in the turn; null where unseen.",
        "Of those, the ones after which the listener's rise within {turns.mimicry_within_secs} s and by the turn's \
         end.",
        "The second over the first; null when the speaker's brows never rise.",
        |l| l.brows,
    ));
    all_until(CutOff::TurnEnd, columns)
}

/// Rises of the speaker's face, answers of the listener's, and their share, each with its description.
fn mimicry_columns(
    name: &str,
    rises: &'static str,
    answered: &'static str,
    share: &'static str,
    counts: fn(&Listening) -> Option<(usize, usize)>,
) -> [Column<Listening>; 3] {
    [
        Column::int(format!("speaker_{name}_rises"), "", rises, move |l| counts(l).map(|c| c.0)),
        Column::int(format!("listener_{name}_mimicry"), "", answered, move |l| counts(l).map(|c| c.1)),
        Column::float(format!("listener_{name}_mimicry_share"), "1", share, move |l| {
            counts(l).filter(|c| c.0 > 0).map(|(rises, answered)| answered as f64 / rises as f64)
        }),
    ]
}

/// What a listener who is on the screen does. `gestures`: nods and shakes; `None` where looked at too seldom.
pub(super) fn listening(
    segment: Segment,
    speaker: Option<&Person>,
    listener: &Person,
    gestures: Option<(usize, usize)>,
    config: &TurnsConfig,
) -> Listening {
    let both_smile = speaker.filter(|s| s.smiles_seen(segment) && listener.smiles_seen(segment));
    let within = config.mimicry_within_secs;
    Listening {
        gestures,
        head: head(listener, segment, config.still_below_deg_per_sec),
        smiles: both_smile.map(|s| mimicry(&s.smile_rises, &listener.smile_rises, segment, within)),
        brows: both_smile.map(|s| mimicry(&s.brow_rises, &listener.brow_rises, segment, within)),
    }
}

/// Mean speed of the head, and the share of time in which it is slower than `still`.
fn head(listener: &Person, segment: Segment, still: f64) -> Option<(f64, f64)> {
    let inside = segment.part_of(&listener.motions, |m| m.from);
    let inside: Vec<_> = inside.iter().filter(|m| m.to < segment.end().get()).collect();
    let secs = |m: &super::watched::HeadMotion| m.to - m.from;
    let all: f64 = inside.iter().map(|m| secs(m)).sum();
    let turned: f64 = inside.iter().map(|m| m.deg_per_sec * secs(m)).sum();
    let rest: f64 = inside.iter().filter(|m| m.deg_per_sec < still).map(|m| secs(m)).sum();
    (inside.len() >= MIN_INSTANTS).then(|| (turned / all, rest / all))
}

/// The speaker's rises in the turn, and how many of them the listener answers in it within so many seconds.
fn mimicry(own: &[Rise], other: &[Rise], turn: Segment, within_secs: f64) -> (usize, usize) {
    let rises = turn.part_of(own, |r| r.sure);
    let answers = turn.part_of(other, |r| r.sure);
    let mut used = vec![false; rises.len()];
    for answer in answers {
        // The last rise before it that has no answer yet.
        let place = rises.iter().enumerate().rev().find(|(i, r)| {
            !used[*i]
                && answer.onset > r.onset + TOLERANCE_SECS
                && answer.onset <= r.onset + within_secs + TOLERANCE_SECS
        });
        if let Some((i, _)) = place {
            used[i] = true;
        }
    }
    (rises.len(), used.iter().filter(|u| **u).count())
}

/// Nods and shakes that each person makes by what is seen in `inside` alone, all observations of a stretch of time:
/// (person, nods, shakes).
pub(super) fn gestures_within(
    faces: &Faces,
    inside: &[Observation],
    config: &TurnsConfig,
) -> Vec<(String, usize, usize)> {
    let ids: BTreeSet<u32> = inside.iter().map(|o| o.track).collect();
    let place = |id: &u32| faces.tracks.binary_search_by_key(id, |t| t.id).ok();
    let gestures = head_gestures(inside, config.nod_deg, config.shake_deg);
    let mut persons: Vec<&str> = ids.iter().filter_map(|id| faces.tracks[place(id)?].person.as_deref()).collect();
    persons.sort_unstable();
    persons.dedup();
    let count = |person: &str, kind: GestureKind| {
        gestures.iter().filter(|g| g.kind == kind && faces.person_of(g.track) == Some(person)).count()
    };
    persons.into_iter().map(|p| (p.to_owned(), count(p, GestureKind::Nod), count(p, GestureKind::Shake))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::watched::HeadMotion;

    fn turn(a: f64, b: f64) -> Segment {
        Segment::from_secs(a, b).unwrap()
    }

    #[test]
    fn one_rise_answers_one_and_only_in_time() {
        let rise = |onset: f64| Rise { onset, sure: onset + 0.5 };
        let own = [rise(1.0), rise(2.0), rise(8.0)];
        assert_eq!(mimicry(&own, &[rise(2.4)], turn(0.0, 10.0), 2.0), (3, 1));
        assert_eq!(mimicry(&own, &[rise(2.4), rise(2.8)], turn(0.0, 10.0), 2.0), (3, 2));
        assert_eq!(mimicry(&own, &[rise(4.2), rise(0.5)], turn(0.0, 10.0), 2.0), (3, 0));
        assert_eq!(mimicry(&own, &[rise(4.2), rise(0.5)], turn(0.0, 10.0), 2.5), (3, 1), "as long as the recipe says");
        assert_eq!(mimicry(&own, &[rise(9.4)], turn(0.0, 9.8), 2.0), (3, 0), "not sure by the turn's end");
        assert_eq!(mimicry(&own, &[rise(8.0)], turn(0.0, 10.0), 2.0), (3, 0), "at once is no answer");
    }

    #[test]
    fn stillness_is_a_share_of_time() {
        let motion = |i: usize| HeadMotion {
            from: 0.1 * i as f64,
            to: 0.1 * (i + 1) as f64,
            deg_per_sec: if i < 30 { 2.0 } else { 20.0 },
        };
        let listener = Person { motions: (0..40).map(motion).collect(), ..Person::default() };
        let (speed, still) = head(&listener, turn(0.0, 4.05), 6.0).unwrap();
        assert!((speed - 6.5).abs() < 1e-9 && (still - 0.75).abs() < 1e-9, "{speed} {still}");
        assert!(head(&listener, turn(0.0, 0.3), 6.0).is_none());
    }
}
