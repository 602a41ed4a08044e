//! Posture, gesture and self-touch of each visible person during each turn: the `turn_bodies` table.
//!
//! What is told of a turn looks no further than the turn's end: a person's own median is that of all looks so far, and a
//! touch counts in the turn in which it has lasted long enough to be one.

mod columns;
mod config;
mod events;
mod listener;
mod look;
mod more;
mod more_columns;
mod motion;
mod touches;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use columns::body_columns;
pub(super) use listener::{listener_columns, of_listener};
pub(super) use motion::BodyMotion;
#[cfg(test)]
pub(super) use tests::body as made_body;

pub use columns::{turn_bodies_schema, turn_bodies_table};
pub use config::PostureConfig;

use self::events::Events;
use self::look::{FaceRegion, Look};
use self::more::More;
use super::TurnsConfig;
use crate::annotation::Turn;
use crate::body::{Bodies, Side};
use crate::face::{Faces, ShotLayout};
use crate::table::Missing;
use crate::time::Segment;

/// One person's body during one turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyTurn {
    /// Position of the turn in the list given.
    pub turn: usize,
    /// The person.
    pub person: String,
    /// Looks of the turn in which the person's body is seen, over all of them, 0 to 1.
    presence_share: Option<f64>,
    /// Looks that count.
    looks: Option<usize>,
    missing: Option<Missing>,
    hands_missing: Option<Missing>,
    distance_missing: Option<Missing>,
    posture: Posture,
    hands: HandsOfTurn,
    touch: Touch,
    /// Mean distance to the nearest other, and its change a second, in shoulder widths.
    distance: Option<f64>,
    approach: Option<f64>,
    more: More,
}

#[cfg(test)]
impl BodyTurn {
    pub(in crate::turns) fn hand_speed(&self) -> Option<f64> {
        self.hands.speed
    }
}

impl BodyTurn {
    /// The row of a body of which nothing is known.
    pub fn without(why: Missing) -> Self {
        let why = Some(why);
        BodyTurn { missing: why, hands_missing: why, distance_missing: why, ..BodyTurn::default() }
    }

    /// The speaker's own body in a turn: `there` are those of the turn, `person` is the speaker's, where it is seen, and
    /// `face_missing` why it is not.
    pub fn of_speaker(there: &[BodyTurn], person: Option<&str>, face_missing: Option<Missing>) -> Self {
        match person {
            Some(name) => {
                let own = there.iter().find(|b| b.person == name);
                own.cloned().unwrap_or_else(|| BodyTurn::without(Missing::NoBody))
            }
            // A face without a known speaker is the only one seen, and may be the listener's.
            None => BodyTurn::without(face_missing.unwrap_or(Missing::NotCast)),
        }
    }
}

/// Means over the looks of a turn.
#[derive(Clone, Debug, Default, PartialEq)]
struct Posture {
    shoulder_tilt_deg: Option<f64>,
    shoulder_turn_deg: Option<f64>,
    lean_side_deg: Option<f64>,
    lean_forward_deg: Option<f64>,
    head_size: Option<f64>,
    neck: Option<f64>,
    forward_share: Option<f64>,
    back_share: Option<f64>,
    raised_share: Option<f64>,
    crossed_share: Option<f64>,
    trunk_speed: Option<f64>,
    still_share: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct HandsOfTurn {
    visible_share: Option<f64>,
    both_share: Option<f64>,
    together_share: Option<f64>,
    speed: Option<f64>,
    peak_speed: Option<f64>,
    strokes_per_min: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Touch {
    face_share: Option<f64>,
    face_events: Option<usize>,
    region: Option<FaceRegion>,
}

/// The looks of one person, in order of time.
type Series<'a> = Vec<Look<'a>>;

/// Every person whose body or face is seen in at least the recipe's share of a turn's looks at bodies, by turn, then
/// person. Nothing where bodies are not looked at.
pub fn body_turns(turns: &[Turn], bodies: &Bodies, faces: &Faces, config: &TurnsConfig) -> Vec<BodyTurn> {
    let persons = series(bodies);
    let events: BTreeMap<&str, Events> =
        persons.iter().map(|(name, looks)| (*name, Events::new(looks, &config.body))).collect();
    let mut order: Vec<usize> = (0..turns.len()).collect();
    order.sort_by(|&a, &b| turns[a].segment.end().cmp(&turns[b].segment.end()));
    let mut usual: BTreeMap<&str, Usual> = BTreeMap::new();
    let mut rows = Vec::new();
    for turn in order {
        let segment = turns[turn].segment;
        let sampled = segment.part_of(&bodies.sampled, |t| t.get()).len();
        if sampled == 0 {
            continue;
        }
        let with_face = faces_in(faces, segment);
        let names: BTreeSet<&str> = persons.keys().copied().chain(with_face.keys().copied()).collect();
        for name in names {
            let looks = persons.get(name).map_or(&[][..], |all| segment.part_of(all, Look::at));
            let share = looks.len() as f64 / sampled as f64;
            let face_share = with_face.get(name).copied().unwrap_or(0.0);
            if share.max(face_share) < config.min_presence_share {
                continue;
            }
            let so_far = usual.entry(name).or_default();
            if let Some(all) = persons.get(name) {
                so_far.learn(all, segment.end().get(), &config.body);
            }
            let told = Told { turn, name, looks, share, so_far, config: &config.body };
            let mut row = told.row(events.get(name), segment);
            distances(&mut row, looks, &persons, faces, &config.body);
            more::tell(&mut row, (looks, segment), (&persons, &events), faces, &config.body);
            rows.push(row);
        }
    }
    rows.sort_by(|a, b| (a.turn, &a.person).cmp(&(b.turn, &b.person)));
    rows
}

/// All looks, in the order of the bodies.
fn looks_of(bodies: &Bodies) -> Vec<Look<'_>> {
    let mut all = Vec::new();
    let mut rest = &bodies.hands[..];
    for frame in bodies.observations.chunk_by(|a, b| a.pts == b.pts) {
        let pts = frame[0].pts;
        rest = &rest[rest.partition_point(|h| h.pts < pts)..];
        let here = &rest[..rest.partition_point(|h| h.pts <= pts)];
        for body in frame {
            let of = |side: Side| here.iter().find(|h| h.body == body.body && h.side == side);
            let taken = |side: Side| here.iter().any(|h| h.body != body.body && look::is_at_wrist(h, body, side));
            all.push(Look { body, hands: Side::BOTH.map(of), taken: Side::BOTH.map(taken) });
        }
    }
    all
}

/// The looks of each person.
fn series(bodies: &Bodies) -> BTreeMap<&str, Series<'_>> {
    let mut persons: BTreeMap<&str, Series<'_>> = BTreeMap::new();
    for look in looks_of(bodies) {
        if let Some(person) = look.body.person.as_deref() {
            persons.entry(person).or_default().push(look);
        }
    }
    persons
}

/// Every person's motions over the interview.
pub(super) fn body_motions(bodies: &Bodies, config: &PostureConfig) -> BTreeMap<String, Vec<BodyMotion>> {
    let persons = series(bodies);
    persons.into_iter().map(|(name, looks)| (name.to_owned(), motion::motions(&looks, config))).collect()
}

/// Persons whose face is seen in the segment, and in what share of its looked-at frames.
fn faces_in(faces: &Faces, segment: Segment) -> BTreeMap<&str, f64> {
    let frames = segment.part_of(&faces.sampled, |t| t.get()).len().max(1) as f64;
    let mut seen: BTreeMap<&str, f64> = BTreeMap::new();
    for place in segment.part_of(faces.observations.places(), |p| p.pts.get()) {
        if let Some(person) = faces.person_of(place.track) {
            *seen.entry(person).or_default() += 1.0 / frames;
        }
    }
    seen
}

/// What is usual for a person so far: values of all looks up to a time, sorted.
#[derive(Debug, Default)]
struct Usual {
    taken: usize,
    head_sizes: Vec<f64>,
    necks: Vec<f64>,
}

impl Usual {
    /// Takes the looks up to `end` that are not taken yet.
    fn learn(&mut self, looks: &[Look<'_>], end: f64, config: &PostureConfig) {
        while let Some(look) = looks.get(self.taken).filter(|l| l.at() < end) {
            self.take(look, config);
            self.taken += 1;
        }
    }

    /// Takes one look.
    fn take(&mut self, look: &Look<'_>, config: &PostureConfig) {
        let put = |sorted: &mut Vec<f64>, value: Option<f64>| {
            if let Some(value) = value {
                sorted.insert(sorted.partition_point(|v| *v < value), value);
            }
        };
        put(&mut self.head_sizes, look.head_size(config));
        put(&mut self.necks, look.neck(config));
    }
}

/// The median of sorted values, of at least so many.
fn median(sorted: &[f64], least: usize) -> Option<f64> {
    let n = sorted.len();
    (n >= least.max(1)).then(|| 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]))
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0usize), |(sum, n), v| (sum + v, n + 1));
    (n > 0).then(|| sum / n as f64)
}

fn share(values: impl Iterator<Item = bool>) -> Option<f64> {
    mean(values.map(|v| if v { 1.0 } else { 0.0 }))
}

/// What a person's row of a turn is made from.
struct Told<'t, 'a> {
    turn: usize,
    name: &'t str,
    looks: &'t [Look<'a>],
    share: f64,
    so_far: &'t Usual,
    config: &'t PostureConfig,
}

impl Told<'_, '_> {
    fn row(&self, events: Option<&Events>, segment: Segment) -> BodyTurn {
        let c = self.config;
        let good: Vec<Look<'_>> = self.looks.iter().filter(|l| l.width(c).is_some()).cloned().collect();
        let missing = match (self.looks.len(), good.len()) {
            (0, _) => Some(Missing::NoBody),
            (_, 0) => Some(Missing::LowQuality),
            _ => None,
        };
        let hands_seen = good.iter().any(|l| l.hands_seen(c) > 0);
        let row = BodyTurn {
            turn: self.turn,
            person: self.name.to_owned(),
            presence_share: Some(self.share),
            looks: Some(good.len()),
            missing,
            hands_missing: missing.or((!hands_seen).then_some(Missing::HandsOutOfPicture)),
            ..BodyTurn::default()
        };
        if missing.is_some() {
            return row;
        }
        let steps = motion::steps(&good, c);
        BodyTurn {
            posture: self.posture(&good, &steps),
            hands: self.hands(&good, &steps, hands_seen),
            touch: Touch {
                face_share: share(good.iter().filter_map(|l| l.hand_at_face(c)).map(|at| at.is_some())),
                face_events: events.map(|e| e.touches(segment)),
                region: most(good.iter().filter_map(|l| l.hand_at_face(c).flatten())),
            },
            ..row
        }
    }

    fn posture(&self, looks: &[Look<'_>], steps: &[Option<motion::Step>]) -> Posture {
        let c = self.config;
        let over = |value: &dyn Fn(&Look<'_>) -> Option<f64>| mean(looks.iter().filter_map(value));
        let head = median(&self.so_far.head_sizes, c.baseline_looks);
        let neck = median(&self.so_far.necks, c.baseline_looks);
        let sizes = || looks.iter().filter_map(move |l| l.head_size(c));
        let moving = || steps.iter().flatten();
        Posture {
            shoulder_tilt_deg: over(&|l| l.shoulder_tilt_deg(c)),
            shoulder_turn_deg: over(&|l| l.shoulder_turn_deg(c)),
            lean_side_deg: over(&|l| l.lean_side_deg(c)),
            lean_forward_deg: over(&|l| l.lean_forward_deg(c)),
            head_size: over(&|l| l.head_size(c)),
            neck: over(&|l| l.neck(c)),
            forward_share: head.and_then(|m| share(sizes().map(|v| v > m * (1.0 + c.lean_share)))),
            back_share: head.and_then(|m| share(sizes().map(|v| v < m * (1.0 - c.lean_share)))),
            raised_share: neck
                .and_then(|m| share(looks.iter().filter_map(|l| l.neck(c)).map(|v| v < m * (1.0 - c.raise_share)))),
            crossed_share: share(looks.iter().filter_map(|l| l.arms_crossed(c))),
            trunk_speed: mean(moving().map(|s| s.trunk)),
            still_share: share(moving().map(|s| motion::is_still(s, c))),
        }
    }

    fn hands(&self, looks: &[Look<'_>], steps: &[Option<motion::Step>], seen: bool) -> HandsOfTurn {
        let c = self.config;
        let shown = |least: usize| share(looks.iter().map(|l| l.hands_seen(c) >= least));
        let with_hands = || steps.iter().flatten().filter_map(|s| Some((s.secs, s.mean_hand()?, s.fastest_hand()?)));
        let secs: f64 = with_hands().map(|(secs, ..)| secs).sum();
        let moved = seen && secs > 0.0;
        HandsOfTurn {
            visible_share: shown(1),
            both_share: shown(2),
            together_share: share(looks.iter().filter_map(|l| l.hands_together(c))),
            speed: mean(with_hands().map(|(_, mean, _)| mean)),
            peak_speed: with_hands().map(|(.., most)| most).max_by(f64::total_cmp),
            strokes_per_min: moved.then(|| 60.0 * motion::peaks(steps, c).count() as f64 / secs),
        }
    }
}

/// The most frequent, of two the first.
fn most(regions: impl Iterator<Item = FaceRegion>) -> Option<FaceRegion> {
    let mut counts: BTreeMap<FaceRegion, usize> = BTreeMap::new();
    regions.for_each(|r| *counts.entry(r).or_default() += 1);
    counts.into_iter().rev().max_by_key(|(_, n)| *n).map(|(r, _)| r)
}

/// Distance to the nearest other person in the same picture, where one camera shows both.
fn distances(
    row: &mut BodyTurn,
    looks: &[Look<'_>],
    persons: &BTreeMap<&str, Series<'_>>,
    faces: &Faces,
    config: &PostureConfig,
) {
    let (mut found, mut tiles) = (Vec::new(), false);
    for look in looks {
        let Some(width) = look.width(config) else { continue };
        let split = faces.shot_at(look.body.pts).and_then(|s| s.layout).is_some_and(|l| l != ShotLayout::OneCamera);
        let others = persons.iter().filter(|(name, _)| **name != row.person).filter_map(|(_, looks)| {
            let other = &looks[looks.binary_search_by(|l| l.body.pts.cmp(&look.body.pts)).ok()?];
            let ((ax, ay), (bx, by)) = (look.trunk(), other.trunk());
            Some((ax - bx).hypot(ay - by) / (0.5 * (width + other.width(config)?)))
        });
        let nearest = others.min_by(f64::total_cmp);
        tiles |= split && nearest.is_some();
        if let Some(nearest) = nearest.filter(|_| !split) {
            found.push((look.at(), nearest));
        }
    }
    row.distance = mean(found.iter().map(|f| f.1));
    row.approach = slope(&found).map(|s| -s);
    row.distance_missing = match (row.missing, found.is_empty()) {
        (Some(why), _) => Some(why),
        (None, true) => Some(if tiles { Missing::SplitScreen } else { Missing::NotTogether }),
        (None, false) => None,
    };
}

/// Least-squares slope a second.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let (t, v) = (mean(points.iter().map(|p| p.0))?, mean(points.iter().map(|p| p.1))?);
    let spread: f64 = points.iter().map(|p| (p.0 - t).powi(2)).sum();
    (spread > 1e-9).then(|| points.iter().map(|p| (p.0 - t) * (p.1 - v)).sum::<f64>() / spread)
}

#[cfg(test)]
mod more_tests;
#[cfg(test)]
pub(crate) mod told;

#[cfg(test)]
mod tests;
