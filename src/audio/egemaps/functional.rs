//! The 88 functionals: statistics of the contours of a whole signal.

use crate::table::Missing;

use super::extremum::course;
use super::names::FUNCTIONAL_COUNT;
use super::smooth::{sma3, sma3nz};
use super::{Contours, Functionals, column};

/// Seconds a frame.
const FRAME_SECS: f32 = 0.01;
/// Frames a voiced or unvoiced run must have, and frames of the other kind that end it.
const SHORTEST_RUN: usize = 3;
const SHORTEST_PAUSE: usize = 2;
/// Mean square below this is told as -120 dB.
const ENERGY_FLOOR: f64 = 1e-12;

/// Describes the contours before they are smoothed.
pub(super) fn functionals(contours: &Contours) -> Functionals {
    let mut list = List { values: [0.0; FUNCTIONAL_COUNT], filled: 0 };
    let decided = contours.decided;
    let voiced: Vec<bool> = contours.columns[column::PITCH].iter().map(|&p| p > 0.0).collect();
    let pitch = voice_contour(&contours.columns[column::PITCH], decided);
    let loudness = whole_contour(&contours.columns[column::LOUDNESS]);

    list.ten(&without_zeros(&pitch));
    list.ten(&loudness);
    for c in [column::FLUX, column::MFCC, column::MFCC + 1, column::MFCC + 2, column::MFCC + 3] {
        list.two(&whole_contour(&contours.columns[c]));
    }
    for c in column::JITTER..=column::LAST {
        let mut contour = contours.columns[c].clone();
        // Formant frequencies and bandwidths count where there is a voice; the others are zero elsewhere, or NO_LEVEL.
        if column::is_formant(c) {
            mask(&mut contour, &voiced, true);
        }
        // Of these openSMILE does not look ahead of the last decided frame.
        contour.truncate(decided);
        list.two(&without_zeros(&voice_contour(&contour, decided)));
    }
    let balance = [column::ALPHA, column::HAMMARBERG, column::SLOPE, column::SLOPE + 1, column::FLUX];
    let cepstra = [column::MFCC, column::MFCC + 1, column::MFCC + 2, column::MFCC + 3];
    for c in balance.into_iter().chain(cepstra) {
        list.two(&masked(&contours.columns[c], &voiced, true, decided));
    }
    for c in balance {
        list.mean(&masked(&contours.columns[c], &voiced, false, decided));
    }
    list.push(course(&loudness).peaks as f32 / (loudness.len() as f32 * FRAME_SECS));
    let voiced_runs = runs(&pitch, |p| p != 0.0);
    list.push(voiced_runs.len() as f32 / (FRAME_SECS * pitch.len() as f32));
    list.lengths(&voiced_runs);
    list.lengths(&runs(&pitch, |p| p == 0.0));
    list.values[list.filled] = 10.0 * contours.mean_energy.max(ENERGY_FLOOR).log10();
    list.filled += 1;
    debug_assert_eq!(list.filled, FUNCTIONAL_COUNT);
    Functionals { values: list.values.map(Some), missing: None }
}

/// Values in the order of the functionals.
struct List {
    values: [f64; FUNCTIONAL_COUNT],
    filled: usize,
}

impl List {
    fn push(&mut self, value: f32) {
        self.values[self.filled] = f64::from(value);
        self.filled += 1;
    }

    fn mean(&mut self, x: &[f32]) {
        self.push(moments(x).0);
    }

    fn two(&mut self, x: &[f32]) {
        let (mean, spread) = moments(x);
        self.push(mean);
        self.push(spread);
    }

    fn ten(&mut self, x: &[f32]) {
        self.two(x);
        let mut sorted = x.to_vec();
        sorted.sort_unstable_by(f32::total_cmp);
        let [low, middle, high] = [0.2, 0.5, 0.8].map(|p| percentile(&sorted, p));
        for v in [low, middle, high, (high - low).abs()] {
            self.push(v);
        }
        let c = course(x);
        for v in [c.rising.0, c.rising.1, c.falling.0, c.falling.1] {
            self.push(v);
        }
    }

    /// Mean and standard deviation of the lengths of runs, in seconds.
    fn lengths(&mut self, runs: &[i64]) {
        let count = runs.len().max(1) as f32;
        let mean = runs.iter().sum::<i64>() as f32 / count;
        let squares: f32 = runs.iter().map(|&r| (r as f32 - mean) * (r as f32 - mean)).sum();
        self.push(mean * FRAME_SECS);
        self.push(if runs.len() > 1 { (squares / count).sqrt() * FRAME_SECS } else { 0.0 });
    }
}

/// Mean, and standard deviation over mean; zeros when there is nothing.
fn moments(x: &[f32]) -> (f32, f32) {
    if x.is_empty() {
        return (0.0, 0.0);
    }
    let n = x.len() as f64;
    let mean = (x.iter().map(|&v| f64::from(v)).sum::<f64>() / n) as f32;
    let m = f64::from(mean);
    let variance = x.iter().map(|&v| (f64::from(v) - m) * (f64::from(v) - m)).sum::<f64>() / n;
    if variance > 0.0 { (mean, (variance.sqrt() / if mean == 0.0 { 1.0 } else { m }) as f32) } else { (mean, 0.0) }
}

/// Percentile of sorted values, between two of them by their distance.
fn percentile(sorted: &[f32], p: f64) -> f32 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = p * last as f64;
    let (below, above) = (place.floor() as usize, (place.ceil() as usize).min(last));
    if below == above {
        return sorted[below];
    }
    sorted[below] * (above as f64 - place) as f32 + sorted[above] * (place - below as f64) as f32
}

fn without_zeros(x: &[f32]) -> Vec<f32> {
    x.iter().copied().filter(|&v| v != 0.0).collect()
}

fn mask(contour: &mut [f32], voiced: &[bool], wanted: bool) {
    for (v, &is) in contour.iter_mut().zip(voiced) {
        if is != wanted {
            *v = 0.0;
        }
    }
}

/// The contour over the voiced (or unvoiced) frames, smoothed, without the others.
fn masked(contour: &[f32], voiced: &[bool], wanted: bool, decided: usize) -> Vec<f32> {
    let mut contour = contour[..voiced.len()].to_vec();
    mask(&mut contour, voiced, wanted);
    without_zeros(&voice_contour(&contour, decided))
}

/// A smoothed contour of the short window, as long as before.
fn whole_contour(raw: &[f32]) -> Vec<f32> {
    let mut contour = raw.to_vec();
    sma3(&mut contour);
    contour.truncate(raw.len());
    contour
}

/// A smoothed contour of the long window up to the last frame whose pitch was decided before the end was known: openSMILE describes no more.
fn voice_contour(raw: &[f32], decided: usize) -> Vec<f32> {
    let mut contour = raw[..raw.len().min(decided + 1)].to_vec();
    sma3nz(&mut contour);
    contour.truncate(decided);
    contour
}

/// Lengths of the runs of frames of a kind: at least three such frames, with at most one other between two of them. A run that others end is
/// told one frame too short, as in openSMILE.
fn runs(x: &[f32], is: impl Fn(f32) -> bool) -> Vec<i64> {
    let mut out = Vec::new();
    let (mut start, mut inside, mut outside) = (0, 0, 0);
    let mut open = false;
    for (i, &v) in x.iter().enumerate() {
        if is(v) {
            if inside == 0 && !open {
                start = i;
            }
            inside += 1;
            outside = 0;
            open |= inside >= SHORTEST_RUN;
        } else if open || inside > 0 {
            outside += 1;
            if outside >= SHORTEST_PAUSE {
                if open {
                    out.push((i - outside) as i64 - start as i64);
                }
                (inside, outside, open) = (0, 0, false);
            }
        }
    }
    if open {
        out.push(x.len() as i64 - (outside as i64 + 1) - start as i64);
    }
    out
}

/// Nothing is defined: too short or silent.
pub(super) fn undefined(reason: Missing) -> Functionals {
    Functionals { values: [None; FUNCTIONAL_COUNT], missing: Some(reason) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_lie_between_values() {
        let x = [1.0, 2.0, 3.0, 4.0];
        assert!((percentile(&x, 0.5) - 2.5).abs() < 1e-6 && (percentile(&x, 0.2) - 1.6).abs() < 1e-6);
        assert!(percentile(&[], 0.5).abs() < 1e-9);
    }

    #[test]
    fn the_spread_keeps_the_sign_of_the_mean() {
        assert_eq!(moments(&[-1.0, -3.0]), (-2.0, -0.5));
        assert_eq!(moments(&[]), (0.0, 0.0));
    }

    #[test]
    fn runs_are_three_frames_and_bridge_one() {
        let voiced = |x: &[f32]| runs(x, |v| v != 0.0);
        assert!(voiced(&[1.0, 1.0, 0.0, 0.0]).is_empty());
        // Frames 1 to 5 with a gap of one; ended by two zeros: 6 - 1 - 1.
        assert_eq!(voiced(&[0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0]), [4]);
        // To the end: 4 frames less the one.
        assert_eq!(voiced(&[1.0, 1.0, 1.0, 1.0]), [3]);
    }
}
