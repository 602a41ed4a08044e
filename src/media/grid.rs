//! Which frames are sampled: the first at or after each instant of a regular grid or of a list, by presentation time.

use std::collections::VecDeque;

/// Half a microsecond: the rounding of time stamps must not turn a frame on the grid into one just before it.
const ROUNDING_SECS: f64 = 0.5e-6;

/// Grid instants are n / rate; rate 0 takes every frame.
#[derive(Clone, Debug)]
pub(super) enum SamplingGrid {
    /// The first frame at or after each instant n / `rate_hz`, `due` being the next n.
    Regular { rate_hz: f64, due: f64 },
    /// Every frame from there on.
    From(f64),
    /// The first frame at or after each of these, in their order.
    At(VecDeque<f64>),
}

impl SamplingGrid {
    pub(super) fn new(rate_hz: f64) -> Self {
        SamplingGrid::Regular { rate_hz, due: 0.0 }
    }

    /// True when the frame at `secs` is the first at or after the next instant due. Several instants passed at once (a
    /// rate above the frame rate, a hole) give one frame.
    pub(super) fn takes(&mut self, secs: f64) -> bool {
        let secs = secs + ROUNDING_SECS;
        match self {
            SamplingGrid::Regular { rate_hz, .. } if *rate_hz <= 0.0 => true,
            SamplingGrid::Regular { rate_hz, due } => {
                let is_due = secs >= *due / *rate_hz;
                if is_due {
                    // From the instant itself, not by adding steps: no drift however long the recording.
                    *due = (secs * *rate_hz).floor() + 1.0;
                }
                is_due
            }
            SamplingGrid::From(start) => secs >= *start,
            SamplingGrid::At(instants) => {
                let before = instants.len();
                while instants.front().is_some_and(|due| secs >= *due) {
                    instants.pop_front();
                }
                instants.len() < before
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(rate_hz: f64, times: impl IntoIterator<Item = f64>) -> Vec<usize> {
        let mut grid = SamplingGrid::new(rate_hz);
        times.into_iter().enumerate().filter(|&(_, t)| grid.takes(t)).map(|(i, _)| i).collect()
    }

    #[test]
    fn the_first_frame_at_or_after_each_instant() {
        // 25 Hz at 10 Hz: instants 0, 0.1, 0.2, … meet frames 0, 0.12, 0.2, 0.32, 0.4.
        assert_eq!(taken(10.0, (0..11).map(|i| f64::from(i) * 0.04)), [0, 3, 5, 8, 10]);
        assert_eq!(taken(0.0, [0.0, 0.1, 0.1]), [0, 1, 2]);
        // A rate above the frame rate takes every frame once.
        assert_eq!(taken(100.0, [0.0, 0.1, 0.2]), [0, 1, 2]);
        // A hole costs no extra frame afterwards.
        assert_eq!(taken(10.0, [0.0, 5.03, 5.06, 5.11]), [0, 1, 3]);
    }

    #[test]
    fn from_an_instant_on_and_at_instants_of_a_list() {
        let times = || (0..8).map(|i| f64::from(i) * 0.04);
        let taken = |mut grid: SamplingGrid| times().map(|t| grid.takes(t)).collect::<Vec<bool>>();
        assert_eq!(taken(SamplingGrid::From(0.2)), [false, false, false, false, false, true, true, true]);
        // Two instants before one frame give it once; one past the end gives none.
        let at = SamplingGrid::At([0.0, 0.09, 0.1, 0.24, 9.0].into());
        assert_eq!(taken(at), [true, false, false, true, false, false, true, false]);
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { cases: 64, failure_persistence: None, ..Default::default() })]

        /// Every frame taken is the first at or after some instant of the grid, and no instant is left out while frames
        /// come.
        #[test]
        fn each_instant_has_its_frame_and_each_frame_its_instant(rate in 1_u32..60, steps in proptest::collection::vec(1_u32..400, 1..80)) {
            let rate = f64::from(rate);
            let times: Vec<f64> = steps.iter().scan(0, |at, step| { *at += step; Some(f64::from(*at) / 1e3) }).collect();
            let reached = |t: f64| ((t + ROUNDING_SECS) * rate).floor();
            let want: Vec<usize> =
                (0..times.len()).filter(|&i| i == 0 || reached(times[i]) > reached(times[i - 1])).collect();
            proptest::prop_assert_eq!(taken(rate, times.iter().copied()), want);
        }
    }

    #[test]
    fn no_drift_in_three_hours() {
        let frames = (0..3 * 3600 * 30).map(|i| f64::from(i) / 30.0);
        assert_eq!(taken(10.0, frames).len(), 3 * 3600 * 10);
    }
}
