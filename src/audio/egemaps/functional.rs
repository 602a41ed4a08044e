//! The 88 functionals: statistics of the contours of a whole signal.
//!
//! openSMILE tells 0 where there is nothing to describe (no voiced frame, no rising slope), counts the -201 dB of
//! unvoiced frames in the means of the formants' levels, and describes a contour only as far as its pitch was decided
//! when the signal ended. The last is kept; of the first two both views are given: [`Functionals::opensmile`] has its
//! numbers, [`Functionals::values`] leaves undefined what is undefined.

use std::borrow::Cow;

use crate::table::Missing;

use super::extremum::{Course, course};
use super::harmonic::NO_LEVEL;
use super::names::FUNCTIONAL_COUNT;
use super::smooth::{sma3, sma3nz, sma3nz_blind_from};
use super::{Functionals, column};

/// Seconds per frame.
const FRAME_SECS: f32 = 0.01;
/// Frames a voiced or unvoiced run must have, and frames of the other kind that end it.
const SHORTEST_RUN: usize = 3;
const SHORTEST_PAUSE: usize = 2;
/// Mean square below this is told as -120 dB.
const ENERGY_FLOOR: f64 = 1e-12;

/// Nothing is defined: the signal is shorter than one long window.
pub(super) fn undefined() -> Functionals {
    Functionals {
        values: [None; FUNCTIONAL_COUNT],
        opensmile: [None; FUNCTIONAL_COUNT],
        missing: Some(Missing::TooShort),
    }
}

/// What is known of the contours beside themselves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// [`super::Contours::decided`].
    pub(super) decided: usize,
    /// [`super::Contours::mean_energy`].
    pub(super) mean_energy: f64,
}

/// Describes the contours before they are smoothed, one after the other: `column` gives each when it is looked at.
///
/// # Errors
/// What `column` gives.
pub(super) fn functionals<'a, E>(
    extent: Extent,
    column: impl Fn(usize) -> Result<Cow<'a, [f32]>, E>,
) -> Result<Functionals, E> {
    let voice = Voice::new(&column(column::PITCH)?, extent.decided);
    let mut list = List::new();
    let pitch = voice.contour(&column(column::PITCH)?);
    let loudness = whole_contour(&column(column::LOUDNESS)?);

    list.ten(&without_zeros(&pitch));
    list.ten(&loudness);
    for c in [column::FLUX, column::MFCC, column::MFCC + 1, column::MFCC + 2, column::MFCC + 3] {
        list.two(&whole_contour(&column(c)?));
    }
    for c in column::JITTER..=column::LAST {
        let contour = column(c)?;
        list.two(&voice.harmonic_contour(&contour, column::is_formant(c)));
        if column::is_formant_level(c) {
            let masked: Vec<f32> = contour.iter().map(|&l| if l == NO_LEVEL { 0.0 } else { l }).collect();
            list.replace_two(&voice.harmonic_contour(&masked, false));
        }
    }
    let balance = [column::ALPHA, column::HAMMARBERG, column::SLOPE, column::SLOPE + 1, column::FLUX];
    let cepstra = [column::MFCC, column::MFCC + 1, column::MFCC + 2, column::MFCC + 3];
    for c in balance.into_iter().chain(cepstra) {
        list.two(&voice.voiced_contour(&column(c)?));
    }
    for c in balance {
        list.mean(&voice.unvoiced_contour(&column(c)?));
    }
    list.push(Some(course(&loudness).peaks as f32 / (loudness.len() as f32 * FRAME_SECS)));
    // Of fewer frames than a run must have there is no telling.
    let tellable = pitch.len() >= SHORTEST_RUN;
    let voiced_runs = runs(&pitch, |p| p != 0.0);
    list.push_or(voiced_runs.len() as f32 / (FRAME_SECS * pitch.len() as f32), tellable);
    list.lengths(&voiced_runs);
    list.lengths(&runs(&pitch, |p| p == 0.0));
    list.level(10.0 * extent.mean_energy.max(ENERGY_FLOOR).log10());

    let missing = if extent.mean_energy == 0.0 {
        list.values = [None; FUNCTIONAL_COUNT];
        Some(Missing::Silent)
    } else {
        pitch.iter().all(|&p| p == 0.0).then_some(Missing::Unvoiced)
    };
    Ok(Functionals { values: list.values, opensmile: list.opensmile, missing })
}

/// Values in the order of the functionals, in both views.
struct List {
    values: [Option<f64>; FUNCTIONAL_COUNT],
    opensmile: [Option<f64>; FUNCTIONAL_COUNT],
    filled: usize,
}

impl List {
    fn new() -> Self {
        List { values: [None; FUNCTIONAL_COUNT], opensmile: [None; FUNCTIONAL_COUNT], filled: 0 }
    }

    /// A value that openSMILE tells as 0 when it is undefined.
    fn push(&mut self, value: Option<f32>) {
        self.push_or(value.unwrap_or(0.0), value.is_some());
    }

    fn push_or(&mut self, value: f32, defined: bool) {
        self.opensmile[self.filled] = Some(f64::from(value));
        self.values[self.filled] = defined.then_some(f64::from(value));
        self.filled += 1;
    }

    fn mean(&mut self, x: &[f32]) {
        self.push(moments(x).map(|m| m.0));
    }

    fn two(&mut self, x: &[f32]) {
        let m = moments(x);
        self.push(m.map(|m| m.0));
        self.push(m.map(|m| m.1));
    }

    /// Puts other values than openSMILE's in place of the last two.
    fn replace_two(&mut self, x: &[f32]) {
        let m = moments(x);
        self.values[self.filled - 2] = m.map(|m| f64::from(m.0));
        self.values[self.filled - 1] = m.map(|m| f64::from(m.1));
    }

    fn ten(&mut self, x: &[f32]) {
        self.two(x);
        let mut sorted = x.to_vec();
        sorted.sort_unstable_by(f32::total_cmp);
        let [low, middle, high] = [0.2, 0.5, 0.8].map(|p| percentile(&sorted, p));
        self.push(low);
        self.push(middle);
        self.push(high);
        self.push(low.zip(high).map(|(l, h)| (h - l).abs()));
        let Course { rising, falling, .. } = course(x);
        for slopes in [rising, falling] {
            self.push(slopes.map(|s| s.0));
            self.push(slopes.map(|s| s.1));
        }
    }

    /// Mean and standard deviation of the lengths of runs, in seconds.
    fn lengths(&mut self, runs: &[i64]) {
        let count = runs.len().max(1) as f32;
        let mean = runs.iter().sum::<i64>() as f32 / count;
        let squares: f32 = runs.iter().map(|&r| (r as f32 - mean) * (r as f32 - mean)).sum();
        let spread = if runs.len() > 1 { (squares / count).sqrt() } else { 0.0 };
        self.push_or(mean * FRAME_SECS, !runs.is_empty());
        self.push_or(spread * FRAME_SECS, !runs.is_empty());
    }

    fn level(&mut self, db: f64) {
        self.values[self.filled] = Some(db);
        self.opensmile[self.filled] = Some(db);
        self.filled += 1;
        debug_assert_eq!(self.filled, FUNCTIONAL_COUNT);
    }
}

/// Which frames are voiced, and how many are described.
struct Voice {
    voiced: Vec<bool>,
    decided: usize,
}

impl Voice {
    fn new(pitch: &[f32], decided: usize) -> Self {
        Voice { voiced: pitch.iter().map(|&p| p > 0.0).collect(), decided }
    }

    /// The pitch contour and those of unvoiced frames: up to the last frame whose pitch was decided before the end was
    /// known, smoothed with a look at the next. When none was, the first frame alone.
    fn contour(&self, raw: &[f32]) -> Vec<f32> {
        let mut contour = raw[..raw.len().min(self.decided + 1)].to_vec();
        sma3nz(&mut contour);
        contour.truncate(self.decided.max(1));
        contour
    }

    /// Contours of the harmonics and formants, without zeros: the same frames, but the last without a look ahead; all
    /// of them when none was decided.
    fn harmonic_contour(&self, raw: &[f32], of_voiced: bool) -> Vec<f32> {
        let frames = if self.decided == 0 { raw.len() } else { self.decided };
        let mut contour = raw[..frames].to_vec();
        if of_voiced {
            self.mask(&mut contour, true);
        }
        sma3nz(&mut contour);
        contour.truncate(frames);
        without_zeros(&contour)
    }

    /// A contour of the short window over voiced frames: as the pitch contour; but when none was decided all frames,
    /// each smoothed with itself in place of the next.
    fn voiced_contour(&self, raw: &[f32]) -> Vec<f32> {
        let mut contour = raw[..self.voiced.len()].to_vec();
        self.mask(&mut contour, true);
        if self.decided > 0 {
            return without_zeros(&self.contour(&contour));
        }
        sma3nz_blind_from(0, &mut contour);
        contour.truncate(self.voiced.len());
        without_zeros(&contour)
    }

    /// A contour of the short window over unvoiced frames.
    fn unvoiced_contour(&self, raw: &[f32]) -> Vec<f32> {
        let mut contour = raw[..self.voiced.len()].to_vec();
        self.mask(&mut contour, false);
        without_zeros(&self.contour(&contour))
    }

    fn mask(&self, contour: &mut [f32], wanted: bool) {
        for (v, &is) in contour.iter_mut().zip(&self.voiced) {
            if is != wanted {
                *v = 0.0;
            }
        }
    }
}

/// A smoothed contour of the short window, as long as before.
fn whole_contour(raw: &[f32]) -> Vec<f32> {
    let mut contour = raw.to_vec();
    sma3(&mut contour);
    contour.truncate(raw.len());
    contour
}

fn without_zeros(x: &[f32]) -> Vec<f32> {
    x.iter().copied().filter(|&v| v != 0.0).collect()
}

/// Mean, and standard deviation over mean (signed).
fn moments(x: &[f32]) -> Option<(f32, f32)> {
    if x.is_empty() {
        return None;
    }
    let n = x.len() as f64;
    let mean = (x.iter().map(|&v| f64::from(v)).sum::<f64>() / n) as f32;
    let m = f64::from(mean);
    let variance = x.iter().map(|&v| (f64::from(v) - m) * (f64::from(v) - m)).sum::<f64>() / n;
    Some(if variance > 0.0 {
        (mean, (variance.sqrt() / if mean == 0.0 { 1.0 } else { m }) as f32)
    } else {
        (mean, 0.0)
    })
}

/// Percentile of sorted values, between two of them by their distance.
fn percentile(sorted: &[f32], p: f64) -> Option<f32> {
    let last = sorted.len().checked_sub(1)?;
    let place = p * last as f64;
    let (below, above) = (place.floor() as usize, (place.ceil() as usize).min(last));
    if below == above {
        return Some(sorted[below]);
    }
    Some(sorted[below] * (above as f64 - place) as f32 + sorted[above] * (place - below as f64) as f32)
}

/// Lengths of the runs of frames of a kind: at least three such frames, with at most one other between two of them. A
/// run that others end is told one frame too short, as in openSMILE; of how many there are there is no limit, where
/// openSMILE counts a thousand.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_lie_between_values() {
        let x = [1.0, 2.0, 3.0, 4.0];
        assert!((percentile(&x, 0.5).unwrap() - 2.5).abs() < 1e-6 && (percentile(&x, 0.2).unwrap() - 1.6).abs() < 1e-6);
        assert!(percentile(&[], 0.5).is_none());
    }

    #[test]
    fn the_spread_keeps_the_sign_of_the_mean() {
        assert_eq!(moments(&[-1.0, -3.0]), Some((-2.0, -0.5)));
        assert_eq!(moments(&[]), None);
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
