//! Magnitude-squared coherence by band: |mean of X·conj(Y)|² over the windows, divided by both mean powers, averaged
//! over the bins of a band (Welch 1967, "The use of fast Fourier transform for the estimation of power spectra";
//! Carter, Knapp and Nuttall 1973; for two people Schmidt et al. 2012, "Measuring the dynamics of interactional
//! synchrony", J. Nonverbal Behavior 36:263). Windows have a Hann taper and do not overlap. It does not mind a constant
//! lag that is short against the window, and K unrelated windows give about 1 / K.

use super::chance::{Measure, tested};
use super::windows::Windows;
use super::{CouplingSettings, MeasureKind, Measured};
use crate::dft::{Complex32, RealDft};

struct Coherence<'a> {
    /// Each window's spectrum.
    spectra: [Vec<Vec<Complex32>>; 2],
    /// Sum of both powers over the windows, by bin.
    powers: [Vec<f64>; 2],
    settings: &'a CouplingSettings,
}

/// One value for each band.
pub(super) fn coherence(windows: &Windows, settings: &CouplingSettings) -> Vec<Measured> {
    let n = windows.len();
    let mut dft = RealDft::new(settings.window);
    let taper: Vec<f64> = (0..settings.window)
        .map(|i| 0.5 - 0.5 * (std::f64::consts::TAU * (i as f64 + 0.5) / settings.window as f64).cos())
        .collect();
    let spectra = windows.fine.each_ref().map(|list| {
        let spectrum = |window: &Vec<f64>| {
            let mut samples: Vec<f32> = window.iter().zip(&taper).map(|(x, w)| (x * w) as f32).collect();
            let mut bins = vec![Complex32::default(); dft.bins()];
            dft.transform(&mut samples, &mut bins);
            bins
        };
        list.iter().map(spectrum).collect::<Vec<_>>()
    });
    let power = |list: &Vec<Vec<Complex32>>| {
        (0..settings.window / 2 + 1).map(|k| list.iter().map(|s| f64::from(s[k].norm_sqr())).sum()).collect()
    };
    let powers = spectra.each_ref().map(power);
    let mut measure = Coherence { spectra, powers, settings };
    let (_, found) = tested(&mut measure, n, settings.chance);
    let kinds = [MeasureKind::CoherenceLow, MeasureKind::CoherenceMid, MeasureKind::CoherenceHigh];
    kinds
        .into_iter()
        .zip(found)
        .filter(|(_, (value, _))| value.is_finite())
        .map(|(kind, (value, standing))| Measured::new(kind, value, standing, n))
        .collect()
}

impl Coherence<'_> {
    /// From the first bin of the low band to the last of the high one.
    fn bins(&self) -> std::ops::Range<usize> {
        self.settings.bands[0].start..self.settings.bands[2].end
    }
}

impl Measure for Coherence<'_> {
    /// The cross-spectrum, real and imaginary parts.
    fn of_pair(&mut self, i: usize, j: usize) -> Vec<f64> {
        let (x, y) = (&self.spectra[0][i], &self.spectra[1][j]);
        self.bins()
            .flat_map(|k| {
                let cross = x[k] * y[k].conj();
                [f64::from(cross.re), f64::from(cross.im)]
            })
            .collect()
    }

    fn statistics(&self, sums: &[f64], _: usize) -> Vec<f64> {
        let first = self.bins().start;
        let coherence = |k: usize| {
            let cross = sums[2 * (k - first)].powi(2) + sums[2 * (k - first) + 1].powi(2);
            cross / (self.powers[0][k] * self.powers[1][k])
        };
        let band = |bins: &std::ops::Range<usize>| bins.clone().map(coherence).sum::<f64>() / bins.len() as f64;
        self.settings.bands.iter().map(band).collect()
    }
}
