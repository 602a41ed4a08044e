//! Which frames are sampled: the first at or after each instant of a regular grid, by presentation time.

/// Half a microsecond: the rounding of time stamps must not turn a frame on the grid into one just before it.
const ROUNDING_SECS: f64 = 0.5e-6;

/// Grid instants are n / rate; rate 0 takes every frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct SamplingGrid {
    rate_hz: f64,
    due: f64,
}

impl SamplingGrid {
    pub(super) fn new(rate_hz: f64) -> Self {
        SamplingGrid { rate_hz, due: 0.0 }
    }

    /// True when the frame at `secs` is the first at or after the next instant due. Several instants passed at once (a
    /// rate above the frame rate, a hole) give one frame.
    pub(super) fn takes(&mut self, secs: f64) -> bool {
        if self.rate_hz <= 0.0 {
            return true;
        }
        if secs + ROUNDING_SECS < self.due / self.rate_hz {
            return false;
        }
        // From the instant itself, not by adding steps: no drift however long the recording.
        self.due = ((secs + ROUNDING_SECS) * self.rate_hz).floor() + 1.0;
        true
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
