//! Pitch candidates by sub-harmonic summation: the magnitude spectrum on an octave scale is shifted by the harmonics'
//! distances and summed, and the peaks of the sum are the candidates (Hermes, "Measurement of pitch by subharmonic
//! summation", JASA 83(1), 1988).

use super::parabola;

/// Bins of the magnitude spectrum: 1024 points at 16 kHz, 15.625 Hz apart. The octave scale has as many points.
pub(super) const BINS: usize = 513;
/// Distance of the bins.
pub(super) const BIN_HZ: f64 = 15.625;
/// Candidates of a frame.
pub(super) const CANDIDATES: usize = 6;

const LOWEST_HZ: f64 = 25.0;
const RANGE_HZ: std::ops::RangeInclusive<f32> = 55.0..=1000.0;
const HARMONICS: usize = 15;
const COMPRESSION: f32 = 0.85;

/// What a frame offers: frequencies in Hz and how voiced each is (0 to 1), the best first; 0 Hz where there are fewer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Candidates {
    pub(super) hz: [f32; CANDIDATES],
    pub(super) voicing: [f32; CANDIDATES],
}

/// Tables of the octave scale and its cubic spline.
#[derive(Debug)]
pub(super) struct PitchAnalyser {
    /// Rows of the tridiagonal system of the second derivatives.
    spline: Vec<Row>,
    /// For each point of the octave scale, where it lies between bins.
    points: Vec<Point>,
    /// How far each harmonic lies above the fundamental, in points.
    shifts: [usize; HARMONICS],
    first_octave: f32,
    octave_step: f32,
    spectrum: Vec<f64>,
    curvature: Vec<f64>,
    octave: Vec<f32>,
    sum: Vec<f32>,
}

/// One row of the factorised tridiagonal system.
#[derive(Clone, Copy, Debug)]
struct Row {
    below: f64,
    pivot: f64,
    right_scale: f64,
    left_scale: f64,
    back: f64,
}

/// Interpolation at one point of the octave scale.
#[derive(Clone, Copy, Debug)]
struct Point {
    bin: usize,
    left: f64,
    left_curvature: f64,
    right_curvature: f64,
    weight: f64,
}

impl PitchAnalyser {
    pub(super) fn new() -> Self {
        // Octaves of the bins; bin 0 is put one step below bin 1.
        let mut octaves: Vec<f64> = (0..BINS).map(|i| (i as f64 * BIN_HZ).log2()).collect();
        octaves[0] = 2.0 * octaves[1] - octaves[2];
        let highest = BIN_HZ * (BINS - 1) as f64;
        let (first, last) = (LOWEST_HZ.log2(), highest.log2());
        let step = (last - first) / (BINS - 1) as f64;
        let per_octave = BINS as f64 / (highest / LOWEST_HZ).log2();
        // The ear's selectivity at low frequencies.
        let knee = per_octave * (65.0f64 / 50.0).log2() - 1.0;
        let weight = |i: usize| 0.5 + (3.0 * (i as f64 + 1.0 - knee) / per_octave).atan() / std::f64::consts::PI;
        let points = (0..BINS)
            .map(|i| {
                let x = first + i as f64 * step;
                let bin = octaves.partition_point(|&o| o < x).clamp(1, BINS - 1) - 1;
                let width = octaves[bin + 1] - octaves[bin];
                let left = (octaves[bin + 1] - x) / width;
                let cubic = |a: f64| (a * a * a - a) * width * width / 6.0;
                Point { bin, left, left_curvature: cubic(left), right_curvature: cubic(1.0 - left), weight: weight(i) }
            })
            .collect();
        let shifts = std::array::from_fn(|h| (f64::from(per_octave as f32) * ((h + 1) as f64).log2()).floor() as usize);
        PitchAnalyser {
            spline: factorise(&octaves),
            points,
            shifts,
            first_octave: first as f32,
            octave_step: (last as f32 - first as f32) / (BINS - 1) as f32,
            spectrum: vec![0.0; BINS],
            curvature: vec![0.0; BINS],
            octave: vec![0.0; BINS],
            sum: vec![0.0; BINS],
        }
    }

    /// The candidates of a frame, from its magnitude spectrum.
    pub(super) fn candidates(&mut self, magnitude: &[f32]) -> Candidates {
        for (s, &m) in self.spectrum.iter_mut().zip(magnitude) {
            *s = f64::from(m);
        }
        keep_peaks(&mut self.spectrum);
        blur(&mut self.spectrum);
        self.rescale();
        self.sum_harmonics();
        self.pick()
    }

    /// Natural cubic spline through the bins, read at the points of the octave scale; negative swings are cut.
    fn rescale(&mut self) {
        let (y, c) = (&self.spectrum, &mut self.curvature);
        c[0] = 0.0;
        for i in 1..BINS - 1 {
            let row = &self.spline[i];
            let bend = (y[i + 1] - y[i]) * row.right_scale - (y[i] - y[i - 1]) * row.left_scale;
            c[i] = row.pivot * (bend - row.below * c[i - 1]);
        }
        c[BINS - 1] = 0.0;
        for i in (0..BINS - 1).rev() {
            c[i] += self.spline[i].back * c[i + 1];
        }
        for (out, p) in self.octave.iter_mut().zip(&self.points) {
            let value = p.left * y[p.bin]
                + (1.0 - p.left) * y[p.bin + 1]
                + p.left_curvature * c[p.bin]
                + p.right_curvature * c[p.bin + 1];
            let value = value as f32;
            *out = if value > 0.0 { (f64::from(value) * p.weight) as f32 } else { 0.0 };
        }
    }

    fn sum_harmonics(&mut self) {
        self.sum.copy_from_slice(&self.octave);
        let mut scale = COMPRESSION;
        for &shift in &self.shifts[1..] {
            for (s, o) in self.sum.iter_mut().zip(&self.octave[shift..]) {
                *s += o * scale;
            }
            scale *= COMPRESSION;
        }
        for s in &mut self.sum {
            *s /= HARMONICS as f32;
        }
    }

    fn pick(&self) -> Candidates {
        let sum = &self.sum;
        // The highest peaks, best first; of equal ones the lower in pitch.
        let mut peaks = [(0usize, 0.0f32); CANDIDATES];
        let mut found = 0;
        for i in 1..BINS - 1 {
            if sum[i - 1] < sum[i]
                && sum[i] > sum[i + 1]
                && let Some(place) = peaks.iter().position(|&(_, height)| height < sum[i])
            {
                peaks.copy_within(place..CANDIDATES - 1, place + 1);
                peaks[place] = (i, sum[i]);
                found = (found + 1).min(CANDIDATES);
            }
        }
        let mean = sum.iter().map(|&s| f64::from(s)).sum::<f64>() / BINS as f64;
        let mut out = Candidates::default();
        let mut heights = [0.0f32; CANDIDATES];
        let mut kept = 0;
        for &(i, _) in &peaks[..found] {
            let at = |k: usize| f64::from(k as f32 * self.octave_step + self.first_octave);
            let y = [i - 1, i, i + 1].map(|k| f64::from(sum[k]));
            let (octave, height) = parabola::vertex([at(i - 1), at(i), at(i + 1)], y);
            let hz = octave.exp2() as f32;
            if RANGE_HZ.contains(&hz) {
                out.hz[kept] = hz;
                out.voicing[kept] = if height > 0.0 && height > mean { (1.0 - mean / height) as f32 } else { 0.0 };
                heights[kept] = height as f32;
                kept += 1;
            }
        }
        // Interpolation may have changed which is highest.
        let best = (1..CANDIDATES).fold(0, |best, i| if heights[i] > heights[best] { i } else { best });
        out.hz.swap(0, best);
        out.voicing.swap(0, best);
        out
    }
}

/// Solves the natural spline's system once for all right sides: forward by `pivot` and `below`, backward by `back`.
fn factorise(x: &[f64]) -> Vec<Row> {
    let mut rows = vec![Row { below: 0.0, pivot: 0.0, right_scale: 0.0, left_scale: 0.0, back: 0.0 }; x.len()];
    for i in 1..x.len() - 1 {
        let (left, right, both) = (x[i] - x[i - 1], x[i + 1] - x[i], x[i + 1] - x[i - 1]);
        let below = left / both;
        let pivot = 1.0 / (below * rows[i - 1].back + 2.0);
        rows[i] = Row {
            below,
            pivot,
            right_scale: 6.0 / (right * both),
            left_scale: 6.0 / (left * both),
            back: (below - 1.0) * pivot,
        };
    }
    rows
}

/// Sets everything between two neighbouring peaks to 0 but two bins around each.
fn keep_peaks(spectrum: &mut [f64]) {
    let n = spectrum.len();
    let mut previous: Option<usize> = None;
    let mut count = 0;
    for i in 0..n {
        let is_peak = if i == 0 {
            spectrum[0] > spectrum[1]
        } else if i == n - 1 {
            spectrum[i] > spectrum[i - 1]
        } else {
            spectrum[i] > spectrum[i - 1] && spectrum[i] >= spectrum[i + 1]
        };
        if is_peak {
            count += 1;
            if let Some(p) = previous {
                // What is zeroed lies at least 3 bins before this peak, so the search ahead is not disturbed.
                for s in spectrum.iter_mut().take((i + 1).saturating_sub(3)).skip(p + 3) {
                    *s = 0.0;
                }
            }
            previous = Some(i);
        }
    }
    // A lone peak: openSMILE keeps the first three bins, wherever the peak is.
    if count == 1 {
        spectrum[3..].fill(0.0);
    }
}

/// Smooths with the weights 1/4, 1/2, 1/4; the last bin is left.
fn blur(spectrum: &mut [f64]) {
    let mut before = 0.0;
    for i in 0..spectrum.len() - 1 {
        let here = spectrum[i];
        spectrum[i] = (before + 2.0 * here + spectrum[i + 1]) / 4.0;
        before = here;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_keep_two_bins_around_them() {
        let mut s = vec![0.0, 9.0, 1.0, 1.1, 1.2, 1.0, 1.0, 9.0, 0.0, 0.0];
        // Peaks at 1, 4 and 7.
        keep_peaks(&mut s);
        assert_eq!(s, [0.0, 9.0, 1.0, 1.1, 1.2, 1.0, 1.0, 9.0, 0.0, 0.0]);
        let mut s = vec![0.0, 9.0, 7.0, 6.0, 5.0, 4.0, 6.0, 7.0, 9.0, 0.0];
        keep_peaks(&mut s);
        assert_eq!(s, [0.0, 9.0, 7.0, 6.0, 0.0, 0.0, 6.0, 7.0, 9.0, 0.0]);
    }

    #[test]
    fn a_harmonic_series_gives_its_fundamental() {
        let mut m = vec![0.001f32; BINS];
        for h in 1..=10 {
            let at = 200.0 * h as f64 / BIN_HZ;
            for (k, m) in m.iter_mut().enumerate() {
                *m += (-(k as f64 - at).powi(2)).exp() as f32;
            }
        }
        let c = PitchAnalyser::new().candidates(&m);
        assert!((c.hz[0] - 200.0).abs() < 3.0 && c.voicing[0] > 0.7, "{c:?}");
    }

    #[test]
    fn silence_has_no_candidate() {
        assert_eq!(PitchAnalyser::new().candidates(&[0.0; BINS]), Candidates::default());
    }
}
