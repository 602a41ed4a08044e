//! Descriptors of the harmonics of a voiced frame: harmonics-to-noise ratio, harmonic differences and the levels at the
//! formants.

use crate::audio::spectrum::{Complex, InverseRealDft};

use super::parabola;
use super::pitch::{BIN_HZ, BINS};

/// Harmonics looked for, the fundamental included.
const HARMONICS: usize = 100;
/// What stands for "no level" in openSMILE's numbers.
pub(super) const NO_LEVEL: f32 = -201.0;
/// Floor of the levels that are defined.
const LEVEL_FLOOR: f32 = -200.0;

/// What is measured on one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HarmonicMeasures {
    /// Harmonics-to-noise ratio in dB, 0 where unvoiced.
    pub(super) hnr_db: f32,
    /// H1 - H2 in dB, 0 where unvoiced. As in openSMILE the fundamental counts as H0.
    pub(super) h1_h2_db: f32,
    /// H1 - A3 in dB, 0 where unvoiced.
    pub(super) h1_a3_db: f32,
    /// Level of the strongest harmonic near each of the three formants relative to the fundamental, [`NO_LEVEL`] where
    /// unvoiced, 0 where there is no such formant or harmonic.
    pub(super) formant_levels_db: [f32; 3],
}

impl HarmonicMeasures {
    /// Those of an unvoiced frame.
    pub(super) const UNVOICED: HarmonicMeasures =
        HarmonicMeasures { hnr_db: 0.0, h1_h2_db: 0.0, h1_a3_db: 0.0, formant_levels_db: [NO_LEVEL; 3] };
}

/// One harmonic found in the spectrum; zeros when its peak was not found.
#[derive(Clone, Copy, Debug, Default)]
struct Harmonic {
    bin: usize,
    hz: f32,
    magnitude: f32,
    peak: f32,
    level_db: f32,
}

/// Buffers of the measurement.
#[derive(Debug)]
pub(super) struct HarmonicAnalyser {
    inverse: InverseRealDft,
    power: Vec<Complex>,
    autocorrelation: Vec<f32>,
    harmonics: [Harmonic; HARMONICS],
}

impl HarmonicAnalyser {
    pub(super) fn new() -> Self {
        let len = 2 * (BINS - 1);
        HarmonicAnalyser {
            inverse: InverseRealDft::new(len),
            power: vec![Complex::default(); BINS],
            autocorrelation: vec![0.0; len],
            harmonics: [Harmonic::default(); HARMONICS],
        }
    }

    /// Measures a voiced frame by its magnitude spectrum, pitch and formant frequencies (0 for none).
    pub(super) fn measure(&mut self, magnitude: &[f32], hz: f32, formants_hz: [f32; 3]) -> HarmonicMeasures {
        let hnr_db = self.noise_ratio(magnitude, hz);
        self.find(magnitude, hz);
        self.relate();
        let strongest = formants_hz.map(|f| self.strongest_near(f));
        let level = |h: Option<usize>| h.map(|h| self.harmonics[h].level_db);
        let first = self.harmonics[1].level_db;
        HarmonicMeasures {
            hnr_db,
            h1_h2_db: (first - self.harmonics[2].level_db).clamp(NO_LEVEL, -NO_LEVEL),
            h1_a3_db: level(strongest[2]).map_or(first + NO_LEVEL, |a3| first - a3).clamp(NO_LEVEL, -NO_LEVEL),
            formant_levels_db: strongest.map(|h| level(h).unwrap_or(0.0)),
        }
    }

    /// Autocorrelation at the period against what is missing to its value at 0, in dB.
    fn noise_ratio(&mut self, magnitude: &[f32], hz: f32) -> f32 {
        for (p, m) in self.power.iter_mut().zip(magnitude) {
            *p = Complex::new(m * m, 0.0);
        }
        self.inverse.transform(&mut self.power, &mut self.autocorrelation);
        let r = &mut self.autocorrelation[..BINS];
        for v in r.iter_mut() {
            *v = v.abs();
        }
        let period = (16_000.0 / f64::from(hz)).floor() as usize;
        let at = closest_peak(r, period.min(BINS - 1));
        if at == 0 {
            return 0.0;
        }
        let noise = r[0] - r[at];
        let ratio = if noise == 0.0 { 1e11 } else { f64::from(r[at]) / f64::from(noise) };
        (10.0 * ratio.clamp(1e-9, 1e11).log10()) as f32
    }

    /// Finds the spectral peak nearest to each multiple of the pitch.
    fn find(&mut self, magnitude: &[f32], hz: f32) {
        self.harmonics = [Harmonic::default(); HARMONICS];
        // 0 where the frequency lies past the last bin.
        let bin_of = |f: f32| {
            let b = (f64::from(f) / BIN_HZ).floor() as usize + 1;
            if b >= BINS {
                0
            } else if b as f64 * BIN_HZ - f64::from(f) > f64::from(f) - (b - 1) as f64 * BIN_HZ {
                b - 1
            } else {
                b
            }
        };
        let first_bin = bin_of(0.5 * hz);
        for (i, harmonic) in self.harmonics.iter_mut().enumerate() {
            let expected = bin_of((i + 1) as f32 * hz);
            harmonic.bin = expected;
            if expected == 0 {
                // This and all above lie past the spectrum.
                break;
            }
            let (low, high) = (bin_of((i as f32 + 0.5) * hz), bin_of((i as f32 + 1.5) * hz));
            let Some(peak) = search_peak(magnitude, expected, low, high) else { continue };
            if peak < first_bin || peak + 1 >= BINS || peak == 0 {
                continue;
            }
            let x = [peak - 1, peak, peak + 1];
            let (f, height) = parabola::vertex(x.map(|b| b as f64 * BIN_HZ), x.map(|b| f64::from(magnitude[b])));
            *harmonic =
                Harmonic { bin: peak, hz: f as f32, magnitude: magnitude[peak], peak: height as f32, level_db: 0.0 };
        }
    }

    /// Levels relative to the fundamental; a peak found twice counts once.
    fn relate(&mut self) {
        let fundamental = self.harmonics[0].magnitude;
        self.harmonics[0].level_db = 0.0;
        for i in 1..HARMONICS {
            let before = self.harmonics[i - 1].bin;
            let h = &mut self.harmonics[i];
            h.level_db = if fundamental == 0.0 {
                NO_LEVEL
            } else if h.peak > 0.0 {
                (20.0 * (f64::from(h.peak).log10() - f64::from(fundamental.log10()))).max(f64::from(LEVEL_FLOOR)) as f32
            } else {
                LEVEL_FLOOR
            };
            if h.bin == before {
                *h = Harmonic { level_db: NO_LEVEL, ..Harmonic::default() };
            }
        }
    }

    /// The strongest harmonic within a fifth of `formant_hz`.
    fn strongest_near(&self, formant_hz: f32) -> Option<usize> {
        let near = 0.8 * formant_hz..=1.2 * formant_hz;
        let mut best: Option<usize> = None;
        let mut most = 0.0;
        for (i, h) in self.harmonics.iter().enumerate() {
            if near.contains(&h.hz) && h.magnitude > most {
                best = Some(i);
                most = h.magnitude;
            }
        }
        best
    }
}

/// The peak nearest to `expected` from `low` to `high`, the upper side first.
fn search_peak(x: &[f32], expected: usize, low: usize, high: usize) -> Option<usize> {
    if is_peak(x, expected) {
        return Some(expected);
    }
    let farthest = expected.saturating_sub(low).max(high.saturating_sub(expected));
    for away in 1..=farthest {
        if expected + away <= high && is_peak(x, expected + away) {
            return Some(expected + away);
        }
        if expected >= low + away && is_peak(x, expected - away) {
            return Some(expected - away);
        }
    }
    None
}

/// The peak nearest to `at` in the whole of `x`, the lower side first; an end when there is none but it is higher.
fn closest_peak(x: &[f32], at: usize) -> usize {
    if is_peak(x, at) {
        return at;
    }
    let last = x.len() - 1;
    for away in 1..=last {
        if at > away && is_peak(x, at - away) {
            return at - away;
        }
        if at + away < last && is_peak(x, at + away) {
            return at + away;
        }
    }
    match (x[0] > x[at], x[last] > x[at]) {
        (true, false) => 0,
        (false, true) => last,
        (true, true) => {
            if at < x.len() / 2 {
                0
            } else {
                last
            }
        }
        (false, false) => at,
    }
}

fn is_peak(x: &[f32], i: usize) -> bool {
    let above_left = i == 0 || x[i] > x[i - 1];
    let above_right = i + 1 >= x.len() || x[i] > x[i + 1];
    i < x.len() && above_left && above_right
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Harmonics of 250 Hz (bin 16) with the levels given in dB.
    fn comb(levels_db: &[f32]) -> Vec<f32> {
        let mut m = vec![1e-4f32; BINS];
        for (h, db) in levels_db.iter().enumerate() {
            let a = 10f32.powf(db / 20.0);
            let bin = 16 * (h + 1);
            m[bin] = a;
            m[bin - 1] = 0.5 * a;
            m[bin + 1] = 0.5 * a;
        }
        m
    }

    #[test]
    fn levels_are_those_of_the_comb() {
        let m = comb(&[0.0, -6.0, -12.0, -20.0, -30.0]);
        let r = HarmonicAnalyser::new().measure(&m, 250.0, [500.0, 1000.0, 5000.0]);
        assert!((r.h1_h2_db - 6.0).abs() < 1e-3, "{r:?}");
        assert!((r.formant_levels_db[0] + 6.0).abs() < 1e-3 && (r.formant_levels_db[1] + 20.0).abs() < 1e-3, "{r:?}");
        assert!(r.hnr_db > 10.0, "{r:?}");
        // Nothing near 5 kHz but the floor's flat bins: no harmonic there.
        assert!(
            r.formant_levels_db[2].abs() < 1e-9 && (r.h1_a3_db - (-6.0 - 201.0f32).max(-201.0)).abs() < 1e-3,
            "{r:?}"
        );
    }
}
