//! Nods and shakes: short runs of head swings to and fro.
//!
//! A head that nods or shakes passes extremes of its angle between two rests (Kawato and Ohya 2000, "Real-time
//! detection of nodding and head-shaking by directly detecting and tracking the between-eyes", FG 2000). Here a swing
//! is a change of pitch (nod) or yaw (shake) of at least so many degrees from one extreme to the next within
//! [`LONGEST_SWING_SECS`]: a cycle of at least 0.8 Hz, below which are turns of posture (Hadar, Steiner, Grant and Rose
//! 1983: ordinary movements 1.8 to 3.7 Hz, rapid ones above). Two swings in a row that go and come back are a nod; a
//! shake needs three, as a glance aside and back is none. The angle must swing further than the other one.

use std::collections::BTreeMap;

use super::Observation;
use crate::time::Segment;

/// One swing takes at most this long.
pub const LONGEST_SWING_SECS: f64 = 0.6;
/// The head rests at most this long between swings of one gesture.
pub const LONGEST_REST_SECS: f64 = 0.3;
/// Observations further apart than this belong to different movements.
const LONGEST_STEP_SECS: f64 = 0.35;
/// A swing has begun when this share of it is done, and has ended when only this share is left: the head may rest at an
/// extreme.
const REST_SHARE: f64 = 0.15;
/// Fewest swings of a nod.
pub const NOD_SWINGS: usize = 2;
/// Fewest swings of a shake.
pub const SHAKE_SWINGS: usize = 3;

/// Which gesture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GestureKind {
    /// Up and down.
    Nod,
    /// From side to side.
    Shake,
}

/// A nod or shake of one face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadGesture {
    /// Which.
    pub kind: GestureKind,
    /// The track that makes it.
    pub track: u32,
    /// From the start of the first swing to the end of the last.
    pub segment: Segment,
    /// Swings one way or the other.
    pub swings: usize,
    /// Mean extent of the swings, degrees.
    pub extent_deg: f64,
}

/// All nods and shakes of what is seen, in order of time; by track, nods first. `nod_deg` and `shake_deg`: least extent
/// of a swing.
///
/// The pose must be seen about 8 times per second or more; slower recordings hide gestures.
pub fn head_gestures(seen: &[Observation], nod_deg: f64, shake_deg: f64) -> Vec<HeadGesture> {
    let mut found = Vec::new();
    let mut poses_of: BTreeMap<u32, Vec<[f64; 3]>> = BTreeMap::new();
    for (track, pose) in seen.iter().filter_map(|o| Some((o.track, pose(o)?))) {
        poses_of.entry(track).or_default().push(pose);
    }
    for (track, poses) in poses_of {
        for run in poses.chunk_by(|a, b| b[0] - a[0] <= LONGEST_STEP_SECS) {
            for (kind, own, least, fewest) in
                [(GestureKind::Nod, 1, nod_deg, NOD_SWINGS), (GestureKind::Shake, 2, shake_deg, SHAKE_SWINGS)]
            {
                for swings in gestures(&swings(run, own, least)).into_iter().filter(|s| s.len() >= fewest) {
                    let (first, last) = (swings[0], swings[swings.len() - 1]);
                    let (from, to) =
                        (run.partition_point(|p| p[0] < first.start), run.partition_point(|p| p[0] <= last.end));
                    let during = || run[from..to.max(from)].iter();
                    let inside = Segment::from_secs(first.start, last.end)
                        .filter(|_| range(during(), own) > range(during(), 3 - own));
                    let extent_deg = swings.iter().map(|s| s.extent.abs()).sum::<f64>() / swings.len() as f64;
                    found.extend(inside.map(|segment| HeadGesture {
                        kind,
                        track,
                        segment,
                        swings: swings.len(),
                        extent_deg,
                    }));
                }
            }
        }
    }
    found
}

/// Time, pitch, yaw.
fn pose(o: &Observation) -> Option<[f64; 3]> {
    o.pose.map(|p| [o.pts.get(), f64::from(p.pitch_deg), f64::from(p.yaw_deg)])
}

fn range<'a>(points: impl Iterator<Item = &'a [f64; 3]>, axis: usize) -> f64 {
    let (low, high) = points.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p[axis]), h.max(p[axis])));
    (high - low).max(0.0)
}

/// From one extreme to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Swing {
    start: f64,
    end: f64,
    /// Positive upwards or to the image's right.
    extent: f64,
}

/// All changes of at least `least` between neighbouring extremes.
fn swings(points: &[[f64; 3]], axis: usize, least: f64) -> Vec<Swing> {
    let value = |i: usize| points[i][axis];
    // Extremes by index: a turn counts once the value has come back by `least`.
    let mut extremes: Vec<usize> = Vec::new();
    let (mut low, mut high) = (0, 0);
    let mut rising: Option<bool> = None;
    for i in 1..points.len() {
        if value(i) > value(high) {
            high = i;
        }
        if value(i) < value(low) {
            low = i;
        }
        if rising != Some(true) && value(i) - value(low) >= least {
            extremes.push(low);
            (rising, high) = (Some(true), i);
        } else if rising != Some(false) && value(high) - value(i) >= least {
            extremes.push(high);
            (rising, low) = (Some(false), i);
        }
    }
    extremes.extend(rising.map(|up| if up { high } else { low }));
    let mut all = Vec::new();
    for pair in extremes.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let extent = value(b) - value(a);
        let near = |i: usize, to: usize| (value(i) - value(to)).abs() <= REST_SHARE * extent.abs();
        let start = (a..=b).take_while(|&i| near(i, a)).last().unwrap_or(a);
        let end = (start..=b).find(|&i| near(i, b)).unwrap_or(b);
        all.push(Swing { start: points[start][0], end: points[end][0], extent });
    }
    all
}

/// Runs of quick swings without a rest.
fn gestures(swings: &[Swing]) -> Vec<Vec<Swing>> {
    let mut runs: Vec<Vec<Swing>> = Vec::new();
    for part in swings.split(|s| s.end - s.start > LONGEST_SWING_SECS) {
        runs.extend(part.chunk_by(|a, b| b.start - a.end <= LONGEST_REST_SECS).map(<[Swing]>::to_vec));
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::{BoundingBox, HeadPose};
    use crate::time::Seconds;

    /// One face at 10 Hz whose head moves as told.
    fn moving(secs: f64, angles: impl Fn(f64) -> (f64, f64)) -> Vec<Observation> {
        let times = (0..(secs * 10.0) as usize).map(|i| i as f64 / 10.0);
        let seen = times.map(|t| {
            let (pitch, yaw) = angles(t);
            Observation {
                pose: Some(HeadPose { yaw_deg: yaw as f32, pitch_deg: pitch as f32, roll_deg: 0.0 }),
                ..Observation::bare(Seconds::of(t), 1, BoundingBox::default())
            }
        });
        seen.collect()
    }

    /// A wave of 1.5 Hz between `from` and `to`, rest before and after.
    fn wave(t: f64, from: f64, to: f64) -> f64 {
        if t < from || t > to { 0.0 } else { ((t - from) * 1.5 * std::f64::consts::TAU).sin() }
    }

    #[test]
    fn two_cycles_of_pitch_are_one_nod_and_of_yaw_one_shake() {
        let nods = head_gestures(&moving(6.0, |t| (5.0 * wave(t, 2.0, 3.34), 0.5 * wave(t, 2.0, 3.34))), 4.0, 5.0);
        assert_eq!(nods.len(), 1, "{nods:?}");
        assert_eq!(nods[0].kind, GestureKind::Nod);
        assert!(nods[0].segment.start().get() >= 1.9 && nods[0].segment.end().get() <= 3.5, "{nods:?}");
        assert!(nods[0].extent_deg > 4.0 && nods[0].extent_deg < 10.1);
        let shakes = head_gestures(&moving(6.0, |t| (0.0, 8.0 * wave(t, 2.0, 3.34))), 4.0, 5.0);
        assert_eq!(shakes.iter().map(|g| g.kind).collect::<Vec<_>>(), [GestureKind::Shake]);
    }

    #[test]
    fn a_slow_turn_a_glance_aside_and_a_trembling_are_nothing() {
        let slow = |t: f64| (12.0 * (t * 0.3 * std::f64::consts::TAU).sin(), 0.0);
        assert!(head_gestures(&moving(8.0, slow), 4.0, 5.0).is_empty());
        let aside = |t: f64| (0.0, if (2.0..3.5).contains(&t) { 20.0 } else { 0.0 });
        assert!(head_gestures(&moving(6.0, aside), 4.0, 5.0).is_empty());
        let trembling = |t: f64| ((t * 17.0).sin(), (t * 23.0).sin());
        assert!(head_gestures(&moving(6.0, trembling), 4.0, 5.0).is_empty());
        assert!(head_gestures(&[], 4.0, 5.0).is_empty());
    }
}
