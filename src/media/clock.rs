//! Video clocks that start again: recordings joined into one file, as [`super::placing`] has it for sound.

use super::placing::{NEW_CLOCK_SECS, RESTART_SECS};
use crate::time::Segment;
use crate::warning::Warning;

/// So many frames of one time are no broken time but a clock that stands.
const STANDING_FRAMES: u32 = 3;

/// A clock that stands still, behind the end of an index: frames are placed one after the other by their durations.
#[derive(Debug, Default)]
pub(super) struct Standing {
    stamp: Option<f64>,
    same: u32,
    placed: u64,
    from: f64,
    to: f64,
}

impl Standing {
    /// True where the frame at `stamp` goes to `follows` instead: it is at least the third of its time. `duration`
    /// seconds are told of the one before.
    pub(super) fn stands(&mut self, stamp: f64, follows: f64, duration: f64) -> bool {
        let same = self.stamp.replace(stamp).is_some_and(|last| (last - stamp).abs() < 1e-9);
        self.same = if same { self.same + 1 } else { 1 };
        let stands = self.same >= STANDING_FRAMES && duration > 0.0;
        if stands {
            self.from = if self.placed == 0 { follows } else { self.from };
            self.to = follows + duration;
            self.placed += 1;
        }
        stands
    }

    /// How many were placed so, and where.
    pub(super) fn warning(&self) -> Option<Warning> {
        let span = Segment::from_secs(self.from, self.to).filter(|_| self.placed > 0)?;
        Some(Warning::VideoClockStands { frames: self.placed as usize, span })
    }
}

/// Watches one stream's presentation times.
#[derive(Debug, Default)]
pub(super) struct Restart {
    /// Time of the frame before, where it lay behind the last.
    behind: Option<f64>,
}

impl Restart {
    /// Where a frame at `secs` goes instead, in seconds, when its clock is a new one: `last` is the latest time so far,
    /// `follows` where the next frame is due, and nothing after `limit` is believed.
    ///
    /// A step of more than 10 s is a new clock at once. One of more than half a second back is when the next frame goes
    /// on from there: one frame alone is a broken time, and shifts nothing.
    pub(super) fn onto(&mut self, secs: f64, last: Option<f64>, follows: f64, limit: f64) -> Option<f64> {
        let forward = secs > limit && last.is_none_or(|last| secs > last + NEW_CLOCK_SECS);
        let back = last.map_or(0.0, |last| last - secs);
        let before = self.behind.take().filter(|&before| secs >= before);
        if forward || back > NEW_CLOCK_SECS {
            return Some(follows);
        }
        if back <= RESTART_SECS {
            return None;
        }
        if let Some(before) = before {
            return Some(follows + secs - before);
        }
        self.behind = Some(secs);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_frames_behind_are_a_new_clock_and_one_is_not() {
        let mut r = Restart::default();
        assert_eq!(r.onto(3.96, Some(3.92), 3.96, 100.0), None);
        assert_eq!(r.onto(0.0, Some(3.96), 4.0, 100.0), None);
        assert_eq!(r.onto(0.04, Some(3.96), 4.0, 100.0), Some(4.04));
        // One alone, then on as before.
        assert_eq!(r.onto(1.0, Some(4.04), 4.08, 100.0), None);
        assert_eq!(r.onto(4.12, Some(4.04), 4.08, 100.0), None);
        assert_eq!(r.onto(1.0, Some(4.12), 4.16, 100.0), None);
        // Far steps at once.
        assert_eq!(r.onto(0.0, Some(20.0), 20.04, 100.0), Some(20.04));
        assert_eq!(r.onto(200.0, Some(20.0), 20.04, 100.0), Some(20.04));
        assert_eq!(r.onto(60.0, Some(20.0), 20.04, 100.0), None);
    }
}
