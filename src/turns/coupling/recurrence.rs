//! Cross-recurrence quantification: Marwan, Romano, Thiel and Kurths 2007 ("Recurrence plots for the analysis of
//! complex systems", Physics Reports 438:237) define recurrence rate and determinism; Coco and Dale 2014
//! ("Cross-recurrence quantification analysis of categorical and continuous time series: an R package", Frontiers in
//! Psychology 5:510) the diagonal profile, windowed, for two people.
//!
//! Not embedded: dimension 1, delay 0. Points of the band are looked at in which the second is behind by 0 to the
//! longest lag; each window is standardised, so that the radius is in its own standard deviations.

use super::chance::{Measure, tested};
use super::windows::Windows;
use super::{CouplingSettings, MeasureKind, Measured};

struct Recurrence<'a> {
    windows: &'a Windows,
    settings: &'a CouplingSettings,
}

/// Recurrence rate, peak of the diagonal profile and determinism.
pub(super) fn recurrence(windows: &Windows, settings: &CouplingSettings) -> Vec<Measured> {
    let n = windows.len();
    let mut measure = Recurrence { windows, settings };
    let (sums, found) = tested(&mut measure, n, settings.chance);
    let profile = measure.profile(&sums, n);
    let kinds = [MeasureKind::RecurrenceRate, MeasureKind::RecurrencePeak, MeasureKind::Determinism];
    let mut all: Vec<Measured> = kinds
        .into_iter()
        .zip(found)
        .filter(|(_, (value, _))| value.is_finite())
        .map(|(kind, (value, standing))| Measured::new(kind, value, standing, n))
        .collect();
    if let Some(peak) = all.iter_mut().find(|m| m.kind == MeasureKind::RecurrencePeak) {
        peak.lag = profile.iter().position(|v| *v >= peak.value);
        peak.profile = Some(profile);
    }
    all
}

impl Recurrence<'_> {
    fn profile(&self, sums: &[f64], n: usize) -> Vec<f64> {
        sums.iter().take(self.settings.max_lag + 1).map(|s| s / n as f64).collect()
    }
}

impl Measure for Recurrence<'_> {
    /// The share of recurrent points at each lag, then all recurrent points, those in lines, and all points.
    fn of_pair(&mut self, i: usize, j: usize) -> Vec<f64> {
        let (a, b) = (&self.windows.coarse[0][i], &self.windows.coarse[1][j]);
        let radius = self.settings.radius;
        let mut parts = Vec::with_capacity(self.settings.max_lag + 4);
        let (mut points, mut in_lines, mut all) = (0u32, 0usize, 0usize);
        for lag in 0..=self.settings.max_lag {
            let (mut here, mut line) = (0u32, 0usize);
            let later = b.get(lag..).unwrap_or_default();
            for recurs in a.iter().zip(later).map(|(x, y)| (x - y).abs() < radius) {
                if recurs {
                    here += 1;
                    line += 1;
                } else {
                    in_lines += if line >= self.settings.min_line { line } else { 0 };
                    line = 0;
                }
            }
            in_lines += if line >= self.settings.min_line { line } else { 0 };
            parts.push(f64::from(here) / later.len().max(1) as f64);
            points += here;
            all += later.len();
        }
        parts.extend([f64::from(points), in_lines as f64, all as f64]);
        parts
    }

    fn statistics(&self, sums: &[f64], n: usize) -> Vec<f64> {
        let peak = self.profile(sums, n).into_iter().fold(f64::NAN, f64::max);
        let [.., points, in_lines, all] = sums else { return vec![f64::NAN; 3] };
        // 0 / 0 of no recurrent point is no determinism.
        vec![points / all, peak, in_lines / points]
    }
}
