//! Jitter and shimmer: the periods of the waveform are followed by cross-correlation around the pitch, and their
//! lengths and amplitudes compared.

use std::ops::Range;

use super::{heard, parabola};

/// Samples a frame moves on.
const STEP: usize = 160;
/// Samples of a pitch frame: no more are looked at.
const WINDOW: usize = 960;
/// How far a period may differ from the pitch's.
const SEARCH: f64 = 0.1;
/// Periods less alike than this do not count.
const LEAST_CORRELATION: f64 = 0.5;
/// Longest period: 55 Hz and the search range.
const LONGEST: usize = 330;

/// Follows the periods from frame to frame.
#[derive(Debug, Default)]
pub(super) struct PeriodFollower {
    frame: usize,
    /// Where the next period starts, and how many samples that is before the frame.
    next: usize,
    behind: usize,
    last_period: f32,
    jitter: f32,
    shimmer: f32,
    /// The samples looked at, and their running sums and sums of squares.
    samples: Vec<f32>,
    sums: Vec<f64>,
    squares: Vec<f64>,
    correlation: Vec<f64>,
}

/// Sums over the periods of one frame.
#[derive(Debug, Default)]
struct Tally {
    periods: f32,
    period_sum: f32,
    differences: f32,
    difference_sum: f32,
    amplitude_sum: f32,
    amplitude_difference_sum: f32,
}

impl PeriodFollower {
    /// Starts anew.
    pub(super) fn restart(&mut self) {
        self.frame = 0;
        self.next = 0;
        self.behind = 0;
        self.last_period = 0.0;
        self.jitter = 0.0;
        self.shimmer = 0.0;
    }

    /// The first sample that the next frame may look at.
    pub(super) fn needs_from(&self) -> usize {
        self.next
    }

    /// Local jitter (ratio) and shimmer (dB) of the next frame of a signal, whose pitch is `hz`; both 0 where it is
    /// unvoiced. Of the signal that part is given which begins at a sample, to the frame's end at least.
    pub(super) fn follow(&mut self, (first, signal): (usize, &[f32]), hz: f32) -> (f32, f32) {
        let start = self.frame * STEP;
        self.frame += 1;
        let due = STEP + self.behind;
        if hz <= 0.0 {
            self.next = start + STEP;
            self.behind = 0;
            self.last_period = 0.0;
            self.jitter = 0.0;
            self.shimmer = 0.0;
            return (0.0, 0.0);
        }
        let period = 16_000.0 / f64::from(hz);
        let expected = period.round() as usize;
        let search = ((1.0 - SEARCH) * period).floor() as usize..((1.0 + SEARCH) * period).ceil() as usize + 1;
        let longest = search.end - 1;
        let wanted = due.max(2 * longest + 2).min(WINDOW + self.behind);
        let from = (self.next - first).min(signal.len());
        self.prepare(&signal[from..(from + wanted).min(signal.len())]);
        let samples = std::mem::take(&mut self.samples);

        let mut tally = Tally::default();
        let (mut at, mut passed) = (0, 0);
        while at + 2 * longest + 1 < samples.len() {
            at += match self.best_lag(&samples, at, &search) {
                Some((lag, exact, correlation)) => {
                    if correlation > LEAST_CORRELATION {
                        self.count(
                            &mut tally,
                            (exact / 16_000.0) as f32,
                            &samples[at..at + lag],
                            &samples[at + lag..at + 2 * lag],
                        );
                    }
                    lag
                }
                None => expected,
            };
            if at + 1 < due {
                passed = at;
            }
        }
        self.samples = samples;
        self.behind = due - passed;
        self.next += passed;
        self.conclude(&tally)
    }

    fn prepare(&mut self, samples: &[f32]) {
        self.samples.clear();
        self.samples.extend(samples.iter().map(|&x| heard(x)));
        self.sums.clear();
        self.squares.clear();
        let (mut sum, mut square) = (0.0, 0.0);
        self.sums.push(sum);
        self.squares.push(square);
        for &x in &self.samples {
            let x = f64::from(x);
            sum += x;
            square += x * x;
            self.sums.push(sum);
            self.squares.push(square);
        }
    }

    /// The lag at which the two periods from `at` are most alike: in samples, between samples, and how alike.
    fn best_lag(&mut self, samples: &[f32], at: usize, search: &Range<usize>) -> Option<(usize, f64, f64)> {
        self.correlation.clear();
        for lag in search.clone() {
            let r = self.correlate(samples, at, lag);
            self.correlation.push(r);
        }
        let r = &self.correlation;
        let mut best: Option<usize> = None;
        // The last inner lag is left out, as in openSMILE.
        for i in 1..r.len().saturating_sub(2) {
            if r[i - 1] < r[i] && r[i] > r[i + 1] && best.is_none_or(|b| r[i] > r[b]) {
                best = Some(i);
            }
        }
        let i = best?;
        let (exact, height) = parabola::vertex([i as f64 - 1.0, i as f64, i as f64 + 1.0], [r[i - 1], r[i], r[i + 1]]);
        Some((search.start + i, (search.start as f64 + exact).abs(), height))
    }

    /// Pearson's correlation of the `lag` samples from `at` and the `lag` samples after them.
    fn correlate(&self, samples: &[f32], at: usize, lag: usize) -> f64 {
        let (x, y) = (&samples[at..at + lag], &samples[at + lag..at + 2 * lag]);
        let n = lag as f64;
        let over = |running: &[f64], from: usize| running[from + lag] - running[from];
        let (sx, sy) = (over(&self.sums, at), over(&self.sums, at + lag));
        let xx = over(&self.squares, at) - sx * sx / n;
        let yy = over(&self.squares, at + lag) - sy * sy / n;
        let xy = dot(x, y) - sx * sy / n;
        xy / (xx.max(0.0).sqrt() * yy.max(0.0).sqrt())
    }

    fn count(&mut self, tally: &mut Tally, period: f32, here: &[f32], after: &[f32]) {
        tally.period_sum += period;
        tally.periods += 1.0;
        if self.last_period > 0.0 {
            tally.difference_sum += (self.last_period - period).abs();
            tally.differences += 1.0;
        }
        self.last_period = period;
        let (a, b) = (peak_to_peak(here), peak_to_peak(after));
        tally.amplitude_sum += (a + b) / 2.0;
        tally.amplitude_difference_sum += (a - b).abs();
    }

    fn conclude(&mut self, tally: &Tally) -> (f32, f32) {
        let held = tally.periods == 0.0;
        if tally.periods > 0.0 && tally.differences > 0.0 {
            self.jitter = ((tally.difference_sum / tally.differences) / (tally.period_sum / tally.periods)).min(1.0);
        }
        if tally.periods > 0.0 {
            self.shimmer = if tally.amplitude_sum > 0.0 {
                (tally.amplitude_difference_sum / tally.amplitude_sum).min(1.0)
            } else {
                0.0
            };
        }
        // A voiced frame without a period of its own repeats the one before.
        let jitter = if held || tally.differences > 0.0 { self.jitter } else { 0.0 };
        (jitter, (20.0 * (f64::from(self.shimmer) + 1.0).log10()) as f32)
    }
}

/// Peak-to-peak amplitude; the first and last sample are left out.
fn peak_to_peak(x: &[f32]) -> f32 {
    let inner = &x[1..x.len() - 1];
    let (low, high) = inner.iter().fold((inner[0], inner[0]), |(l, h), &v| (l.min(v), h.max(v)));
    high - low
}

/// Sum of products, in eight lanes so that the compiler can use vectors.
fn dot(x: &[f32], y: &[f32]) -> f64 {
    let mut lanes = [0.0f64; 8];
    let (xc, yc) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest: f64 = xc.remainder().iter().zip(yc.remainder()).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
    for (a, b) in xc.zip(yc) {
        for i in 0..8 {
            lanes[i] += f64::from(a[i]) * f64::from(b[i]);
        }
    }
    lanes.iter().sum::<f64>() + rest
}

const _: () = assert!(2 * LONGEST + 2 <= WINDOW, "two of the longest periods fit into a frame");

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(amplitude: impl Fn(usize) -> f32) -> Vec<f32> {
        (0..16_000).map(|i| amplitude(i) * (std::f32::consts::TAU * i as f32 / 100.0).sin()).collect()
    }

    #[test]
    fn a_steady_tone_has_neither_jitter_nor_shimmer() {
        let x = tone(|_| 0.5);
        let mut p = PeriodFollower::default();
        for _ in 0..90 {
            let (j, s) = p.follow((0, &x), 160.0);
            assert!(j < 1e-4 && s < 1e-3, "{j} {s}");
        }
    }

    #[test]
    fn alternating_amplitudes_are_shimmer() {
        let x = tone(|i| if (i / 100) % 2 == 0 { 0.55 } else { 0.45 });
        let mut p = PeriodFollower::default();
        let s = (0..50).map(|_| p.follow((0, &x), 160.0).1).last().unwrap();
        // 0.1 of 0.5: 20 log10(1.2).
        assert!((s - 1.5836).abs() < 0.02, "{s}");
    }

    #[test]
    fn unvoiced_frames_are_zero() {
        assert_eq!(PeriodFollower::default().follow((0, &[0.1; 1000]), 0.0), (0.0, 0.0));
    }
}
