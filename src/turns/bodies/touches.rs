//! Touches of one's own face: when a hand is there for long enough.

use super::PostureConfig;
use super::look::Look;
use crate::time::{Segment, TOLERANCE_SECS};

/// When each touch of a person has lasted long enough to be one, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Touches {
    sure: Vec<f64>,
}

impl Touches {
    /// A gap in the looks, another body, or a look at which the hand is not there ends a touch.
    pub(super) fn new(looks: &[Look<'_>], config: &PostureConfig) -> Self {
        let mut sure = Vec::new();
        let mut since: Option<f64> = None;
        let mut told = false;
        let mut last: Option<&Look<'_>> = None;
        for look in looks {
            let goes_on =
                last.is_some_and(|l| l.body.body == look.body.body && look.at() - l.at() <= config.longest_step_secs);
            if !goes_on {
                (since, told) = (None, false);
            }
            last = Some(look);
            match look.hand_at_face(config) {
                Some(Some(_)) => {
                    let begun = *since.get_or_insert(look.at());
                    if !told && look.at() - begun >= config.touch_secs - TOLERANCE_SECS {
                        sure.push(look.at());
                        told = true;
                    }
                }
                _ => (since, told) = (None, false),
            }
        }
        Touches { sure }
    }

    /// All of them.
    pub(super) fn times(&self) -> &[f64] {
        &self.sure
    }

    /// Those of a segment.
    pub(super) fn in_segment(&self, segment: Segment) -> impl Iterator<Item = f64> {
        let (start, end) = (segment.start().get(), segment.end().get());
        self.sure.iter().copied().filter(move |t| *t >= start && *t < end)
    }
}
