//! Jitter and shimmer as Praat defines them, on glottal periods found by cross-correlation.
//!
//! Praat manual, "Sound & Pitch: To PointProcess (cc)", "PointProcess: Get jitter (local)...", "PointProcess & Sound:
//! Get shimmer (local)...", "... (local_dB)...". In each voiced stretch the search starts at the largest deflection
//! within half a period of the middle and walks both ways: the next mark is where one period's length of sound around
//! the last mark correlates best, 0.8 to 1.25 periods on. Pitch comes from the voice grid. Praat's standard limits
//! hold: periods of 0.1 to 20 ms, neighbours within a factor 1.3, amplitudes 1.6.

use super::pauses::runs;
use super::{GRID, SAMPLE_RATE_HZ};
use crate::time::Segment;

/// Where the next mark may lie, in periods.
const NEAREST: f64 = 0.8;
const FARTHEST: f64 = 1.25;

/// Least correlation with the last period.
const MIN_CORRELATION: f64 = 0.3;

/// Least deflection around a mark, as a share of the stretch's largest.
const MIN_PEAK_SHARE: f32 = 0.01;

/// Limits on what is compared.
const SHORTEST_SECS: f64 = 1e-4;
const LONGEST_SECS: f64 = 0.02;
const MAX_PERIOD_FACTOR: f64 = 1.3;
const MAX_AMPLITUDE_FACTOR: f64 = 1.6;

/// Fewest comparisons a mean is taken of.
const MIN_PAIRS: usize = 3;

/// Half width of the window a mark's amplitude is measured in, in periods.
const AMPLITUDE_REACH: f64 = 0.2;

/// One unbroken train of glottal periods.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Train {
    /// Lengths in samples, between each two marks.
    pub periods: Vec<f64>,
    /// Amplitude at each mark that has a period on both sides.
    pub amplitudes: Vec<f64>,
}

/// The period trains of a turn: `samples` of `segment`, `pitch` (NaN = unvoiced) of its frames from `first_frame` of
/// the grid on.
pub(super) fn periods(samples: &[f32], segment: Segment, pitch: &[f32], first_frame: usize) -> Vec<Train> {
    let origin = segment.start().to_sample(SAMPLE_RATE_HZ) as f64;
    let centre = |frame: usize| ((first_frame + frame) * GRID.hop() + GRID.window() / 2) as f64 - origin;
    let voiced: Vec<bool> = pitch.iter().map(|p| p.is_finite()).collect();
    let mut trains = Vec::new();
    for run in runs(&voiced) {
        let half = GRID.hop() as f64 / 2.0;
        let stretch = Stretch {
            samples,
            from: (centre(run.start) - half).max(0.0),
            to: (centre(run.end - 1) + half).min(samples.len() as f64),
            first_centre: centre(run.start),
            pitch: &pitch[run],
        };
        trains.extend(stretch.trains());
    }
    trains
}

/// One voiced stretch; places are in samples of the turn.
struct Stretch<'a> {
    samples: &'a [f32],
    from: f64,
    to: f64,
    first_centre: f64,
    pitch: &'a [f32],
}

impl Stretch<'_> {
    /// Period in samples at `place`, linear between frames.
    fn period(&self, place: f64) -> f64 {
        let last = self.pitch.len() - 1;
        let x = ((place - self.first_centre) / GRID.hop() as f64).clamp(0.0, last as f64);
        let (low, part) = (x as usize, x.fract());
        let high = (low + 1).min(last);
        let hz = f64::from(self.pitch[low]) * (1.0 - part) + f64::from(self.pitch[high]) * part;
        f64::from(SAMPLE_RATE_HZ) / hz
    }

    fn trains(&self) -> Vec<Train> {
        let middle = 0.5 * (self.from + self.to);
        let reach = 0.5 * self.period(middle);
        let (Some(start), Some(loudest)) =
            (self.extremum(middle - reach, middle + reach), self.extremum(self.from, self.to))
        else {
            return Vec::new();
        };
        let floor = MIN_PEAK_SHARE * self.samples[loudest].abs();
        let mut marks: Vec<Vec<f64>> = self.walk(start as f64, -1.0, floor);
        // The two walks meet in the start: its left part is turned round and the right part goes on from it.
        for part in &mut marks {
            part.reverse();
        }
        marks.reverse();
        let right = self.walk(start as f64, 1.0, floor);
        for (i, part) in right.into_iter().enumerate() {
            match marks.last_mut() {
                Some(last) if i == 0 => last.extend(&part[1..]),
                _ => marks.push(part),
            }
        }
        marks.iter().filter(|m| m.len() > 2).map(|m| self.train(m)).collect()
    }

    /// Marks from `start` on in one direction, a new list after each break; the first list begins with `start`.
    fn walk(&self, start: f64, direction: f64, floor: f32) -> Vec<Vec<f64>> {
        let mut lists = vec![vec![start]];
        let mut at = start;
        loop {
            let period = self.period(at);
            let next = self.next_mark(at, direction, period).filter(|(_, r)| *r >= MIN_CORRELATION);
            let good = next.filter(|&(place, _)| {
                let half = 0.5 * period;
                self.extremum(place - half, place + half).is_some_and(|i| self.samples[i].abs() >= floor)
            });
            at = good.map_or(at + direction * period, |(place, _)| place);
            if at < self.from || at >= self.to {
                return lists;
            }
            match (good, lists.last_mut()) {
                (Some(_), Some(list)) if !list.is_empty() => list.push(at),
                // A mark after a break begins a list of its own.
                (Some(_), Some(list)) => *list = vec![at],
                (None, Some(list)) if !list.is_empty() => lists.push(Vec::new()),
                _ => {}
            }
        }
    }

    /// Sample of the largest deflection in [from, to).
    fn extremum(&self, from: f64, to: f64) -> Option<usize> {
        let from = from.max(0.0).round() as usize;
        let to = (to.max(0.0).round() as usize).min(self.samples.len());
        (from..to).max_by(|&a, &b| self.samples[a].abs().total_cmp(&self.samples[b].abs()).then(b.cmp(&a)))
    }

    /// The place 0.8 to 1.25 periods on whose surroundings correlate best with those of `at`, and the correlation.
    fn next_mark(&self, at: f64, direction: f64, period: f64) -> Option<(f64, f64)> {
        crate::pulse::beat();
        let half = (0.5 * period).round() as i64;
        let centre = at.round() as i64;
        let (near, far) = ((NEAREST * period).floor() as i64, (FARTHEST * period).ceil() as i64);
        let step = direction as i64;
        let piece = |middle: i64| {
            let from = usize::try_from(middle - half).ok()?;
            self.samples.get(from..from + (2 * half + 1) as usize)
        };
        let own = piece(centre)?;
        // One lag more on both sides, for the parabola through the best three.
        let correlations: Vec<f64> = (near - 1..=far + 1)
            .map(|lag| piece(centre + step * lag).map_or(f64::NAN, |other| correlation(own, other)))
            .collect();
        let inner = 1..correlations.len() - 1;
        let best = inner
            .filter(|&i| correlations[i].is_finite())
            .max_by(|&a, &b| correlations[a].total_cmp(&correlations[b]))?;
        let (before, peak, after) = (correlations[best - 1], correlations[best], correlations[best + 1]);
        let bend = before - 2.0 * peak + after;
        let shift = if bend < 0.0 { (0.5 * (before - after) / bend).clamp(-0.5, 0.5) } else { 0.0 };
        let lag = (near - 1 + best as i64) as f64 + shift;
        Some((at + direction * lag, peak))
    }

    fn train(&self, marks: &[f64]) -> Train {
        let periods: Vec<f64> = marks.windows(2).map(|m| m[1] - m[0]).collect();
        let amplitudes =
            periods.windows(2).zip(&marks[1..]).map(|(p, &mark)| self.amplitude(mark, p[0], p[1])).collect();
        Train { periods, amplitudes }
    }

    /// Root mean square around a mark under a Hann window that reaches 0.2 of the period on either side.
    fn amplitude(&self, mark: f64, period_before: f64, period_after: f64) -> f64 {
        let (left, right) = (AMPLITUDE_REACH * period_before, AMPLITUDE_REACH * period_after);
        let from = (mark - left).max(0.0).ceil() as usize;
        let to = ((mark + right).floor() as usize + 1).min(self.samples.len());
        let (mut power, mut weights) = (0.0, 0.0);
        for i in from..to {
            let away = i as f64 - mark;
            let reach = if away < 0.0 { left } else { right };
            let weight = (0.5 + 0.5 * (std::f64::consts::PI * away / reach).cos()).powi(2);
            power += weight * f64::from(self.samples[i]).powi(2);
            weights += weight;
        }
        if weights > 0.0 { (power / weights).sqrt() } else { 0.0 }
    }
}

/// Normalised cross-correlation of two pieces of equal length; 0 when one is silent.
fn correlation(a: &[f32], b: &[f32]) -> f64 {
    let mut sums = [[0f32; 8]; 3];
    for (x, y) in a.chunks(8).zip(b.chunks(8)) {
        for (lane, (&x, &y)) in x.iter().zip(y).enumerate() {
            sums[0][lane] += x * y;
            sums[1][lane] += x * x;
            sums[2][lane] += y * y;
        }
    }
    let [ab, aa, bb] = sums.map(|s| s.iter().map(|&x| f64::from(x)).sum::<f64>());
    if aa * bb > 0.0 { ab / (aa * bb).sqrt() } else { 0.0 }
}

/// True when two neighbours may be compared.
fn comparable(a: f64, b: f64, largest_factor: f64) -> bool {
    a > 0.0 && b > 0.0 && (a / b).max(b / a) <= largest_factor
}

fn period_fits(period: f64) -> bool {
    let secs = period / f64::from(SAMPLE_RATE_HZ);
    (SHORTEST_SECS..=LONGEST_SECS).contains(&secs)
}

/// Mean absolute difference of consecutive periods over the mean period; `None` with fewer than three comparisons.
pub(super) fn jitter_local(trains: &[Train]) -> Option<f64> {
    let fits = |p: &[f64]| period_fits(p[0]) && period_fits(p[1]) && comparable(p[0], p[1], MAX_PERIOD_FACTOR);
    relative_difference(trains.iter().map(|t| t.periods.as_slice()), fits)
}

/// Mean absolute difference of consecutive amplitudes over the mean amplitude; `None` with fewer than three
/// comparisons.
pub(super) fn shimmer_local(trains: &[Train]) -> Option<f64> {
    relative_difference(trains.iter().map(|t| t.amplitudes.as_slice()), |a| {
        comparable(a[0], a[1], MAX_AMPLITUDE_FACTOR)
    })
}

/// Mean absolute value of 20 log10 of the ratio of consecutive amplitudes; `None` with fewer than three comparisons.
pub(super) fn shimmer_local_db(trains: &[Train]) -> Option<f64> {
    let steps: Vec<f64> = trains
        .iter()
        .flat_map(|t| t.amplitudes.windows(2))
        .filter(|a| comparable(a[0], a[1], MAX_AMPLITUDE_FACTOR))
        .map(|a| (20.0 * (a[1] / a[0]).log10()).abs())
        .collect();
    (steps.len() >= MIN_PAIRS).then(|| steps.iter().sum::<f64>() / steps.len() as f64)
}

/// Over all neighbours that fit: mean absolute difference by mean value, each pair giving the mean of its two.
fn relative_difference<'a>(lists: impl Iterator<Item = &'a [f64]>, fits: impl Fn(&[f64]) -> bool) -> Option<f64> {
    let (mut differences, mut values, mut pairs) = (0.0, 0.0, 0);
    for pair in lists.flat_map(|l| l.windows(2)).filter(|p| fits(p)) {
        differences += (pair[1] - pair[0]).abs();
        values += 0.5 * (pair[0] + pair[1]);
        pairs += 1;
    }
    (pairs >= MIN_PAIRS && values > 0.0).then(|| differences / values)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A train of damped resonances (F1 600 Hz) whose pulses lie at fractional places: `period(i)` samples apart,
    /// `amplitude(i)` high.
    fn voice(period: impl Fn(usize) -> f64, amplitude: impl Fn(usize) -> f64, count: usize) -> Vec<f32> {
        let mut out = vec![0f32; (0..count).map(&period).sum::<f64>() as usize + 200];
        let mut at = 20.0;
        for pulse in 0..count {
            for (i, x) in out.iter_mut().enumerate().skip(f64::ceil(at) as usize).take(1200) {
                let t = (i as f64 - at) / 16_000.0;
                // The attack is smooth, so that the train is band-limited enough for 16 kHz.
                let attack = 1.0 - (-t * 6000.0).exp();
                *x += (0.3
                    * amplitude(pulse)
                    * attack
                    * attack
                    * (-t * 500.0).exp()
                    * (std::f64::consts::TAU * 600.0 * t).sin()) as f32;
            }
            at += period(pulse);
        }
        out
    }

    fn measured(samples: &[f32], hz: f32) -> Vec<Train> {
        let segment = Segment::from_secs(0.0, samples.len() as f64 / 16_000.0).unwrap();
        let frames = GRID.whole_frames(samples.len());
        periods(samples, segment, &vec![hz; frames], 0)
    }

    #[test]
    fn a_steady_train_has_neither_jitter_nor_shimmer() {
        // 128.3 samples: pulses between the samples.
        let trains = measured(&voice(|_| 128.3, |_| 1.0, 100), 124.7);
        let jitter = jitter_local(&trains).unwrap();
        let shimmer = shimmer_local(&trains).unwrap();
        println!("steady: jitter {jitter:.5}, shimmer {shimmer:.5}");
        assert!(jitter < 1e-3 && shimmer < 5e-3, "{jitter} {shimmer}");
        assert!(trains.iter().map(|t| t.periods.len()).sum::<usize>() >= 95);
    }

    #[test]
    fn jitter_of_known_size_is_found() {
        // Periods alternate by +-x / 2, so each differs from the next by x.
        for x in [0.01, 0.02, 0.04] {
            let trains =
                measured(&voice(|i| 128.0 * (1.0 + if i % 2 == 0 { 0.5 * x } else { -0.5 * x }), |_| 1.0, 120), 125.0);
            let got = jitter_local(&trains).unwrap();
            println!("jitter {x}: {got:.5}");
            assert!((got - x).abs() < 0.05 * x, "{got} for {x}");
        }
    }

    #[test]
    fn alternating_amplitude_is_shimmer() {
        // 1 and 1 - x: Praat's shimmer is x / (1 - x / 2), in dB -20 log10(1 - x); the last pulse's tail in the window
        // takes a little off.
        for x in [0.1, 0.2] {
            let trains = measured(&voice(|_| 128.0, |i| if i % 2 == 0 { 1.0 } else { 1.0 - x }, 120), 125.0);
            let (ratio, db) = (shimmer_local(&trains).unwrap(), shimmer_local_db(&trains).unwrap());
            println!("shimmer {x}: {ratio:.5}, {db:.4} dB");
            assert!((ratio - x / (1.0 - 0.5 * x)).abs() < 0.05 * x, "{ratio} for {x}");
            assert!((db + 20.0 * (1.0 - x).log10()).abs() < 0.1, "{db} for {x}");
        }
    }

    #[test]
    fn nothing_voiced_gives_nothing() {
        assert!(measured(&[0.1; 4000], f32::NAN).is_empty());
        assert!(jitter_local(&[]).is_none() && shimmer_local(&[]).is_none() && shimmer_local_db(&[]).is_none());
        // Digital silence that somebody calls voiced correlates with nothing.
        assert!(measured(&[0.0; 4000], 100.0).is_empty());
        assert!(measured(&[0.0; 10], 100.0).is_empty());
    }
}
