//! Holes in video: frames missing in the middle of a stream whose frames otherwise come at a steady distance.
//!
//! A long distance alone is none: recordings of screens and slides have a frame where something changes. It is one
//! where the container
//! gives the frame before it no such duration, and where all other frames keep their distance.

use crate::time::Segment;
use crate::warning::Warning;

/// Shorter ones are dropped frames.
const LEAST_SECS: f64 = 0.5;
/// Frames are steady where no other distance is more than so many times the shortest: two frames dropped in a row.
const STEADY: f64 = 3.2;
/// Holes are told of a stream that has at most one in so many frames.
const FRAMES_A_HOLE: u64 = 50;
/// Told one by one, and kept.
const MOST_TOLD: usize = 20;

/// Distances between frames.
#[derive(Debug, Default)]
pub(super) struct Holes {
    found: Vec<Segment>,
    count: u64,
    steps: u64,
    shortest: f64,
    longest_other: f64,
}

impl Holes {
    /// Takes the `step` from one frame to the next; `duration` seconds were declared of the first, 0 where none were.
    pub(super) fn take(&mut self, step: Segment, duration: f64) {
        let secs = step.duration();
        self.steps += 1;
        self.shortest = if self.steps == 1 { secs } else { self.shortest.min(secs) };
        if secs - duration < LEAST_SECS {
            self.longest_other = self.longest_other.max(secs);
            return;
        }
        self.count += 1;
        if self.found.len() < MOST_TOLD
            && let Some(hole) = Segment::new(step.start() + crate::time::Seconds::of(duration.max(0.0)), step.end())
        {
            self.found.push(hole);
        }
    }

    /// The holes of a steady stream, those left out that `told` covers.
    pub(super) fn warnings(&self, told: impl Fn(Segment) -> bool) -> Vec<Warning> {
        let steady =
            self.longest_other <= STEADY * self.shortest && self.count * FRAMES_A_HOLE <= self.steps.max(FRAMES_A_HOLE);
        if !steady || self.steps < 2 {
            return Vec::new();
        }
        self.found.iter().filter(|&&hole| !told(hole)).map(|&span| Warning::VideoGap { span }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(times: impl IntoIterator<Item = f64>, duration: f64) -> Vec<Warning> {
        let times: Vec<f64> = times.into_iter().collect();
        let mut holes = Holes::default();
        times.windows(2).for_each(|w| holes.take(Segment::from_secs(w[0], w[1]).unwrap(), duration));
        holes.warnings(|_| false)
    }

    #[test]
    fn a_hole_is_told_of_steady_frames_only() {
        let steady = |i: u32| f64::from(i) * 0.04 + if i >= 100 { 2.0 } else { 0.0 };
        let all = told((0..200).map(steady), 0.04);
        assert_eq!(all.len(), 1);
        assert!(
            matches!(all[0], Warning::VideoGap { span } if (span.start().get() - 4.0).abs() < 1e-9 && (span.end().get() - 6.0).abs() < 1e-9)
        );
        assert!(told((0..200).map(|i| f64::from(i) * 0.04), 0.04).is_empty());
        // Slides, and a screen: a frame where something changes.
        assert!(told((0..50).map(|i| f64::from(i) * 5.0), 0.04).is_empty());
        assert!(told((0..200).map(|i| f64::from(i * i) * 0.01), 0.01).is_empty());
        // The container says that a frame stands so long.
        assert!(told((0..200).map(steady), 2.04).is_empty());
    }
}
