//! What begins at one instant: leans, touches of one's own face, standing up and sitting down; and whether another did
//! the same shortly before.

use std::collections::BTreeMap;

use super::look::{FaceRegion, Look};
use super::touches::Touches;
use super::{PostureConfig, Usual, median};
use crate::time::{Segment, TOLERANCE_SECS};

/// What begins in the looks of one person, in order; each time is the one at which it was sure, so that nothing later
/// is looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Events {
    touches: Touches,
    forward: Vec<f64>,
    back: Vec<f64>,
    rises: Vec<f64>,
    falls: Vec<f64>,
    /// Looks at which the head rests on a hand.
    resting: Vec<f64>,
}

fn within(times: &[f64], segment: Segment) -> impl Iterator<Item = f64> {
    let (start, end) = (segment.start().get(), segment.end().get());
    times.iter().copied().filter(move |t| *t >= start && *t < end)
}

impl Events {
    pub(super) fn new(looks: &[Look<'_>], config: &PostureConfig) -> Self {
        let mut events = Events { touches: Touches::new(looks, config), ..Events::default() };
        events.resting = resting(looks, config);
        (events.forward, events.back) = leans(looks, config);
        (events.rises, events.falls) = rises(looks, config);
        events
    }

    pub(super) fn touches(&self, segment: Segment) -> usize {
        self.touches.in_segment(segment).count()
    }

    pub(super) fn rises(&self, segment: Segment) -> usize {
        within(&self.rises, segment).count()
    }

    pub(super) fn falls(&self, segment: Segment) -> usize {
        within(&self.falls, segment).count()
    }

    /// Whether the head rests on a hand at this look.
    pub(super) fn rests(&self, at: f64) -> bool {
        self.resting.binary_search_by(|t| t.total_cmp(&at)).is_ok()
    }

    /// Leans of the segment in whose direction another began to lean shortly before.
    pub(super) fn mirrored_leans(&self, others: &[&Events], segment: Segment, config: &PostureConfig) -> usize {
        let of = |own: &[f64], theirs: fn(&Events) -> &[f64]| {
            within(own, segment).filter(|t| others.iter().any(|o| just_before(theirs(o), *t, config))).count()
        };
        of(&self.forward, |e| &e.forward) + of(&self.back, |e| &e.back)
    }

    /// The same of touches of the own face.
    pub(super) fn mirrored_touches(&self, others: &[&Events], segment: Segment, config: &PostureConfig) -> usize {
        let mirrors = |t: &f64| others.iter().any(|o| just_before(o.touches.times(), *t, config));
        self.touches.in_segment(segment).filter(mirrors).count()
    }
}

/// Whether one of the times lies before `t`, by no more than the recipe has it.
fn just_before(times: &[f64], t: f64, config: &PostureConfig) -> bool {
    times.iter().any(|other| *other < t && t - other <= config.mirror_secs + TOLERANCE_SECS)
}

/// Whether a look goes on where the last one was.
fn goes_on(last: Option<&Look<'_>>, look: &Look<'_>, config: &PostureConfig) -> bool {
    last.is_some_and(|l| l.body.body == look.body.body && look.at() - l.at() <= config.longest_step_secs)
}

/// When a lean forward and one back have lasted so long that they are no touch of the measure's noise.
fn leans(looks: &[Look<'_>], config: &PostureConfig) -> (Vec<f64>, Vec<f64>) {
    let mut usual = Usual::default();
    let mut sure: BTreeMap<i8, Vec<f64>> = BTreeMap::new();
    let (mut state, mut since, mut told) = (0i8, 0.0, false);
    let mut last: Option<&Look<'_>> = None;
    for look in looks {
        usual.take(look, config);
        let Some(size) = look.head_size(config) else { continue };
        let Some(middle) = median(&usual.head_sizes, config.baseline_looks) else { continue };
        let now = match size / middle - 1.0 {
            v if v > config.lean_share => 1,
            v if v < -config.lean_share => -1,
            _ => 0,
        };
        if now != state || !goes_on(last, look, config) {
            (state, since, told) = (now, look.at(), false);
        }
        if state != 0 && !told && look.at() - since >= config.touch_secs - TOLERANCE_SECS {
            sure.entry(state).or_default().push(look.at());
            told = true;
        }
        last = Some(look);
    }
    (sure.remove(&1).unwrap_or_default(), sure.remove(&-1).unwrap_or_default())
}

/// When the shoulders have risen, and when they have fallen, by so much in so short a time.
fn rises(looks: &[Look<'_>], config: &PostureConfig) -> (Vec<f64>, Vec<f64>) {
    let (mut up, mut down) = (Vec::new(), Vec::new());
    // What is before the last event belongs to it.
    let mut from = 0;
    for (i, look) in looks.iter().enumerate() {
        let Some(width) = look.width(config) else { continue };
        if i > 0 && !goes_on(looks.get(i - 1), look, config) {
            from = i;
        }
        let y = |l: &Look<'_>| l.trunk().1;
        let near =
            looks[from..i].iter().filter(|l| look.at() - l.at() <= config.rise_secs && l.width(config).is_some());
        let (low, high) = near.fold((0.0f64, 0.0f64), |(low, high), l| {
            let moved = (y(l) - y(look)) / width;
            (low.min(moved), high.max(moved))
        });
        if high >= config.rise_reach {
            up.push(look.at());
            from = i;
        } else if -low >= config.rise_reach {
            down.push(look.at());
            from = i;
        }
    }
    (up, down)
}

/// Looks at which a hand has been at the chin or cheek for so long.
fn resting(looks: &[Look<'_>], config: &PostureConfig) -> Vec<f64> {
    let (mut since, mut last): (Option<f64>, Option<&Look<'_>>) = (None, None);
    let mut rests = Vec::new();
    for look in looks {
        if !goes_on(last, look, config) {
            since = None;
        }
        last = Some(look);
        let at = look.hand_at_face(config).flatten();
        if !matches!(at, Some(FaceRegion::Chin | FaceRegion::Cheek)) {
            since = None;
            continue;
        }
        let begun = *since.get_or_insert(look.at());
        if look.at() - begun >= config.rest_secs - TOLERANCE_SECS {
            rests.push(look.at());
        }
    }
    rests
}
