//! A frame-level signal as a screen shows it: each value where there are few, else the smallest and largest of each bin
//! of time, so that no peak is lost.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

/// A step longer than so many usual steps is a gap: nothing is drawn across it. Below 2, so that one value left out is
/// one; above 1.5, as pictures of 25 a second looked at 10 times a second lie 0.08 or 0.12 s apart.
const GAP_STEPS: f64 = 1.9;

/// What is drawn of a signal. Numbers are base64 of little-endian 32-bit floats, NaN where there is no value: exact, and
/// no longer than as text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Strip {
    /// Every value.
    Each {
        /// Times, in seconds.
        t: String,
        /// Values, NaN in a gap.
        v: String,
    },
    /// Bins of equal length from 0 on.
    Bins {
        /// Length of a bin, in seconds.
        step: f64,
        /// Smallest value of each bin.
        min: String,
        /// Largest value of each bin.
        max: String,
    },
}

impl Strip {
    /// Draws samples (seconds, value; NaN where null) in order of time with at most `bins` bins over `duration` seconds.
    /// What is null is left out: where a column is measured in every third picture, its step is three pictures.
    pub fn of(samples: &[(f64, f64)], duration: f64, bins: usize) -> Strip {
        let samples: Vec<(f64, f64)> = samples.iter().copied().filter(|(_, v)| v.is_finite()).collect();
        let usual = usual_step(&samples);
        if samples.len() <= bins {
            return each(&samples, usual);
        }
        // Two usual steps at least: a bin without a value is then a gap and no accident of the grid.
        let step = (duration / bins as f64).max(usual * 2.0);
        let count = (duration / step).ceil().max(1.0) as usize;
        let (mut min, mut max) = (vec![f32::NAN; count], vec![f32::NAN; count]);
        for &(t, v) in samples.iter().filter(|(t, _)| *t >= 0.0) {
            let bin = ((t / step) as usize).min(count - 1);
            // `f32::min` passes over NaN.
            min[bin] = min[bin].min(v as f32);
            max[bin] = max[bin].max(v as f32);
        }
        Strip::Bins { step, min: encoded(&min), max: encoded(&max) }
    }
}

fn each(samples: &[(f64, f64)], usual: f64) -> Strip {
    let (mut t, mut v) = (Vec::with_capacity(samples.len()), Vec::with_capacity(samples.len()));
    for (i, &(at, value)) in samples.iter().enumerate() {
        if let Some((before, _)) = i.checked_sub(1).map(|i| samples[i])
            && at - before > usual * GAP_STEPS
        {
            t.push(((before + at) / 2.0) as f32);
            v.push(f32::NAN);
        }
        t.push(at as f32);
        v.push(value as f32);
    }
    Strip::Each { t: encoded(&t), v: encoded(&v) }
}

/// The median time between samples; 0 with fewer than two.
pub fn usual_step(samples: &[(f64, f64)]) -> f64 {
    let mut steps: Vec<f64> = samples.windows(2).map(|w| w[1].0 - w[0].0).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or(0.0)
}

/// The spans of time in which samples follow each other without a gap.
pub fn spans(times: &[(f64, f64)]) -> Vec<[f64; 2]> {
    let usual = usual_step(times);
    let mut spans: Vec<[f64; 2]> = Vec::new();
    for &(t, _) in times {
        match spans.last_mut() {
            Some(last) if t - last[1] <= usual * GAP_STEPS => last[1] = t,
            _ => spans.push([t, t]),
        }
    }
    spans
}

fn encoded(values: &[f32]) -> String {
    STANDARD.encode(values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> Vec<f32> {
        let bytes = STANDARD.decode(text).unwrap();
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    }

    #[test]
    fn no_peak_is_lost_however_few_bins_there_are() {
        let mut samples: Vec<(f64, f64)> = (0..60_000).map(|i| (f64::from(i) * 0.01, 0.5)).collect();
        samples[41_237].1 = 9.0;
        samples[12_345].1 = -9.0;
        for bins in [100, 997, 4000] {
            let Strip::Bins { step, min, max } = Strip::of(&samples, 600.0, bins) else { panic!("few enough") };
            let (min, max) = (decoded(&min), decoded(&max));
            assert!(min.len() <= bins && min.len() == max.len());
            assert!((max[(412.37 / step) as usize] - 9.0).abs() < 1e-6);
            assert!((min[(123.45 / step) as usize] + 9.0).abs() < 1e-6);
        }
    }

    #[test]
    fn what_is_not_there_is_a_gap_in_bins_and_in_values() {
        let seen = |t: f64| !(20.0..40.0).contains(&t);
        let samples: Vec<(f64, f64)> =
            (0..6000).map(|i| f64::from(i) * 0.01).filter(|t| seen(*t)).map(|t| (t, 1.0)).collect();
        let Strip::Bins { step, max, .. } = Strip::of(&samples, 60.0, 600) else { panic!("few enough") };
        let max = decoded(&max);
        assert!(max[(30.0 / step) as usize].is_nan());
        assert_eq!(max.iter().filter(|x| x.is_nan()).count(), (20.0 / step).round() as usize);
        let Strip::Each { t, v } = Strip::of(&samples, 60.0, 6000) else { panic!("every value is wanted") };
        let (t, v) = (decoded(&t), decoded(&v));
        let gap = v.iter().position(|x| x.is_nan()).unwrap();
        assert!((t[gap] - 30.0).abs() < 0.1 && v.iter().filter(|x| x.is_nan()).count() == 1);
        let spans = spans(&samples);
        assert_eq!(spans.len(), 2);
        assert!((spans[0][1] - 19.99).abs() < 1e-6 && (spans[1][0] - 40.0).abs() < 1e-6);
    }

    #[test]
    fn nulls_are_gaps_where_they_are_no_rhythm_and_nothing_at_all_is_empty() {
        let values = |samples: &[(f64, f64)]| match Strip::of(samples, 1.0, 100) {
            Strip::Each { v, .. } => decoded(&v),
            Strip::Bins { .. } => panic!("few values are told each"),
        };
        let tenths = |null: fn(usize) -> bool| -> Vec<(f64, f64)> {
            (0..20).map(|i| (i as f64 / 10.0, if null(i) { f64::NAN } else { 1.0 })).collect()
        };
        assert_eq!(values(&tenths(|i| i == 7)).iter().filter(|x| x.is_nan()).count(), 1);
        assert!(values(&tenths(|i| i % 3 != 0)).iter().all(|x| x.is_finite()));
        assert!(values(&tenths(|_| true)).is_empty());
        assert_eq!(Strip::of(&[], 10.0, 10), Strip::Each { t: String::new(), v: String::new() });
    }
}
