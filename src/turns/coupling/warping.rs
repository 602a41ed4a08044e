//! Dynamic time warping: the least mean distance of two windows when each may run ahead of the other, by no more than
//! the longest lag (Sakoe and Chiba 1978, "Dynamic programming algorithm optimization for spoken word recognition",
//! IEEE Transactions on Acoustics, Speech, and Signal Processing 26:43: symmetric steps, a diagonal one counted twice,
//! divided by both lengths; the band is theirs).

use super::chance::{Measure, tested};
use super::windows::Windows;
use super::{CouplingSettings, MeasureKind, Measured};

struct Warping<'a> {
    windows: &'a Windows,
    band: usize,
    /// Two rows of the table of least sums.
    rows: [Vec<f64>; 2],
}

/// The mean distance, in standard deviations.
pub(super) fn warping(windows: &Windows, settings: &CouplingSettings) -> Vec<Measured> {
    let n = windows.len();
    let mut measure = Warping { windows, band: settings.max_lag, rows: Default::default() };
    let (_, found) = tested(&mut measure, n, settings.chance);
    // Nearness is what is tested, distance what is told.
    found.into_iter().map(|(near, standing)| Measured::new(MeasureKind::Warping, -near, standing, n)).collect()
}

impl Measure for Warping<'_> {
    fn of_pair(&mut self, i: usize, j: usize) -> Vec<f64> {
        vec![distance(&self.windows.coarse[0][i], &self.windows.coarse[1][j], self.band, &mut self.rows)]
    }

    fn statistics(&self, sums: &[f64], n: usize) -> Vec<f64> {
        sums.iter().map(|s| -s / n as f64).collect()
    }
}

fn distance(a: &[f64], b: &[f64], band: usize, [above, here]: &mut [Vec<f64>; 2]) -> f64 {
    // Column 0 stands before the first value.
    for row in [&mut *above, &mut *here] {
        row.clear();
        row.resize(b.len() + 1, f64::INFINITY);
    }
    above[0] = 0.0;
    for (i, x) in a.iter().enumerate() {
        let (first, last) = (i.saturating_sub(band), (i + band + 1).min(b.len()));
        here[first] = f64::INFINITY;
        for (j, y) in b.iter().enumerate().take(last).skip(first) {
            let apart = (x - y).abs();
            let (diagonal, up, left) = (above[j] + 2.0 * apart, above[j + 1] + apart, here[j] + apart);
            here[j + 1] = diagonal.min(up).min(left);
        }
        if let Some(beyond) = here.get_mut(last + 1) {
            *beyond = f64::INFINITY;
        }
        std::mem::swap(above, here);
    }
    above[b.len()] / (a.len() + b.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_late_within_the_band_is_near_and_beyond_it_is_not() {
        let shape = |late: usize| (0..12).map(|t| if t == 3 + late { 1.0 } else { 0.0 }).collect::<Vec<_>>();
        let apart = |late, band| distance(&shape(0), &shape(late), band, &mut Default::default());
        assert!(apart(0, 2).abs() < 1e-12 && apart(2, 2).abs() < 1e-12);
        // Both peaks meet zeros, each once diagonally (twice its height) or twice: 4 over 24 at most.
        assert!(apart(3, 2) > 0.05 && apart(1, 0) > 0.15, "{} {}", apart(3, 2), apart(1, 0));
        // (0 1) to (0 0): the diagonal's 2 or two straight steps, over 4.
        assert!((distance(&[0.0, 1.0], &[0.0, 0.0], 1, &mut Default::default()) - 0.25).abs() < 1e-12);
    }
}
