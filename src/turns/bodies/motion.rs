//! What moves from look to look: hands against the trunk, head and trunk in the picture.

use super::PostureConfig;
use super::look::{Look, Place};
use crate::body::Side;

/// Speeds between two looks of one body, shoulder widths a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) secs: f64,
    /// Of the left and right hand, where it is seen in both looks, against the trunk.
    pub(super) hands: [Option<f64>; 2],
    pub(super) trunk: f64,
    pub(super) head: Option<f64>,
}

impl Step {
    /// Mean of the hands that are seen.
    pub(super) fn mean_hand(&self) -> Option<f64> {
        let seen = self.hands.iter().flatten();
        (seen.clone().count() > 0).then(|| seen.clone().sum::<f64>() / seen.count() as f64)
    }

    /// The faster of the hands that are seen.
    pub(super) fn fastest_hand(&self) -> Option<f64> {
        self.hands.iter().flatten().copied().max_by(f64::total_cmp)
    }
}

impl Step {
    /// Speed of the middle of the shoulders, and on top of it the mean of the hands that are seen, against it: hands
    /// that are not seen are taken for at rest.
    pub(super) fn whole_body(&self) -> f64 {
        self.trunk + self.mean_hand().unwrap_or(0.0)
    }
}

/// Speed of a whole body from one look to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::turns) struct BodyMotion {
    pub(in crate::turns) from: f64,
    pub(in crate::turns) to: f64,
    /// Shoulder widths a second.
    pub(in crate::turns) speed: f64,
}

/// The motions of one person, in order of time; none over steps that do not count.
pub(super) fn motions(looks: &[Look<'_>], config: &PostureConfig) -> Vec<BodyMotion> {
    let ends = looks.windows(2).map(|pair| (pair[0].at(), pair[1].at()));
    let all = ends.zip(steps(looks, config));
    all.filter_map(|((from, to), step)| Some(BodyMotion { from, to, speed: step?.whole_body() })).collect()
}

/// The steps between looks of one body that are near enough in time and count.
pub(super) fn steps(looks: &[Look<'_>], config: &PostureConfig) -> Vec<Option<Step>> {
    looks.windows(2).map(|pair| step(&pair[0], &pair[1], config)).collect()
}

fn step(was: &Look<'_>, now: &Look<'_>, config: &PostureConfig) -> Option<Step> {
    let secs = now.at() - was.at();
    if was.body.body != now.body.body || secs <= 1e-3 || secs > config.longest_step_secs {
        return None;
    }
    let width = 0.5 * (was.width(config)? + now.width(config)?);
    let per_sec = |a: Place, b: Place| (a.0 - b.0).hypot(a.1 - b.1) / width / secs;
    let against = |p: Place, (x, y): Place| (p.0 - x, p.1 - y);
    let hand = |side: Side| {
        let (a, b) = was.moved_hand(now, side, config)?;
        Some(per_sec(against(a, was.trunk()), against(b, now.trunk())))
    };
    Some(Step {
        secs,
        hands: Side::BOTH.map(hand),
        trunk: per_sec(was.trunk(), now.trunk()),
        head: was.nose(config).zip(now.nose(config)).map(|(a, b)| per_sec(a, b)),
    })
}

/// Strokes: steps in which a hand is as fast as the threshold, and faster than it is before and after. What both hands
/// do in one step is one.
pub(super) fn peaks<'s>(steps: &'s [Option<Step>], config: &'s PostureConfig) -> impl Iterator<Item = usize> + 's {
    let speed = |i: usize, side: usize| steps.get(i).copied().flatten().and_then(|s| s.hands[side]).unwrap_or(0.0);
    let is_peak = move |i: usize, side: usize| {
        let before = if i == 0 { 0.0 } else { speed(i - 1, side) };
        let v = speed(i, side);
        v >= config.gesture_speed && v >= before && v > speed(i + 1, side)
    };
    (0..steps.len()).filter(move |&i| is_peak(i, 0) || is_peak(i, 1))
}

/// Whether nothing that is seen moves; the hands need not be seen.
pub(super) fn is_still(step: &Step, config: &PostureConfig) -> bool {
    [step.fastest_hand().unwrap_or(0.0), step.trunk, step.head.unwrap_or(0.0)]
        .into_iter()
        .all(|v| v < config.still_speed)
}
