//! What moves from look to look: wrists against the trunk, head and trunk in the picture.

use super::PostureConfig;
use super::look::{Look, Place};
use crate::body::Side;

/// A stroke begins anew when the speed has fallen below this share of its threshold.
const RELEASE_SHARE: f64 = 0.5;

/// Speeds between two looks of one body, shoulder widths a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) secs: f64,
    /// Mean and largest of the wrists that are seen in both looks, against the trunk.
    pub(super) hands: Option<(f64, f64)>,
    pub(super) trunk: f64,
    pub(super) head: Option<f64>,
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
    let wrist = |side: Side| {
        let (a, b) = (was.wrist(side, config)?, now.wrist(side, config)?);
        Some(per_sec(against(a, was.trunk()), against(b, now.trunk())))
    };
    let speeds: Vec<f64> = Side::BOTH.into_iter().filter_map(wrist).collect();
    let most = speeds.iter().copied().fold(0.0, f64::max);
    let mean = speeds.iter().sum::<f64>() / speeds.len().max(1) as f64;
    Some(Step {
        secs,
        hands: (!speeds.is_empty()).then_some((mean, most)),
        trunk: per_sec(was.trunk(), now.trunk()),
        head: was.nose(config).zip(now.nose(config)).map(|(a, b)| per_sec(a, b)),
    })
}

/// Strokes: speeds of at least the threshold, with a fall below half of it between two.
pub(super) fn strokes(steps: &[Option<Step>], config: &PostureConfig) -> usize {
    let (mut count, mut up) = (0, false);
    for step in steps {
        match step.and_then(|s| s.hands) {
            Some((_, most)) if most >= config.gesture_speed => {
                count += usize::from(!up);
                up = true;
            }
            Some((_, most)) if most < RELEASE_SHARE * config.gesture_speed => up = false,
            Some(_) => {}
            None => up = false,
        }
    }
    count
}

/// Whether nothing that is seen moves; the hands need not be seen.
pub(super) fn is_still(step: &Step, config: &PostureConfig) -> bool {
    let hands = step.hands.map_or(0.0, |h| h.1);
    [hands, step.trunk, step.head.unwrap_or(0.0)].into_iter().all(|v| v < config.still_speed)
}
