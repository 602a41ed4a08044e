//! Formants by linear prediction: the spectrum of the 20 ms frame is resampled to 11 kHz, an all-pole model of order 11
//! is fitted by the autocorrelation method, and roots of its polynomial give frequencies and bandwidths by their angles
//! and radii (after Markel & Gray, "Linear Prediction of Speech", Springer 1976).
//!
//! Peculiarities of openSMILE are kept so that its numbers come out, and are told where they are. Sums run in single
//! precision and in openSMILE's order: the problem is so ill-conditioned that rounding decides (see [`super::radix`]).

use super::radix::Spectrum;
use super::root;

/// Order of the model.
const ORDER: usize = 11;
/// Rate the frame is resampled to.
const RATE_HZ: f64 = 11_000.0;
/// Length of the padded frame (512 samples at 16 kHz) at that rate.
const PADDED: usize = 352;
/// Samples taken of it: as many as the frame without padding has. They start with the padding and so miss the frame's
/// end.
const TAKEN: usize = 220;
/// Bins that are kept, DC included: fewer than the rate would allow, up to 3.4 kHz.
const KEPT: usize = 110;
const RANGE_HZ: std::ops::RangeInclusive<f64> = 50.0..=5450.0;
const MOST: usize = 5;

/// Frequency and bandwidth in Hz of one formant; zeros when there is none.
pub(super) type Formant = (f32, f32);

/// Tables of the resampling: for each kept bin above DC a row of cosines and one of sines.
#[derive(Debug)]
pub(super) struct FormantAnalyser {
    cosines: Vec<[f32; TAKEN]>,
    sines: Vec<[f32; TAKEN]>,
}

impl FormantAnalyser {
    pub(super) fn new() -> Self {
        let angle = |bin: usize, i: usize| std::f64::consts::TAU * (bin * i) as f64 / PADDED as f64;
        let rows = |f: fn(f64) -> f64| (1..KEPT).map(|bin| std::array::from_fn(|i| f(angle(bin, i)) as f32)).collect();
        FormantAnalyser { cosines: rows(f64::cos), sines: rows(f64::sin) }
    }

    /// The first three formants by the spectrum of a frame that was padded with 96 zeros at either side.
    pub(super) fn formants(&self, spectrum: &Spectrum) -> [Formant; 3] {
        let Some(model) = predict(&autocorrelate(&self.resample(spectrum))) else { return [(0.0, 0.0); 3] };
        let mut found = [(f64::INFINITY, 0.0); MOST];
        let mut count = 0;
        // openSMILE looks for the roots with the coefficients' signs turned, which moves them.
        for pole in root::roots(&model.map(|c| f64::from(-c))) {
            let (re, im) = (pole.re, pole.im);
            if im < 0.0 || count == MOST {
                continue;
            }
            let hz = im.atan2(re).abs() * RATE_HZ / std::f64::consts::TAU;
            if RANGE_HZ.contains(&hz) {
                // A root outside the unit circle is mirrored inside.
                found[count] = (hz, (re * re + im * im).sqrt().ln().abs() * RATE_HZ / std::f64::consts::PI);
                count += 1;
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        std::array::from_fn(|i| if i < count { (found[i].0 as f32, found[i].1 as f32) } else { (0.0, 0.0) })
    }

    /// Inverse transform at the new rate. DC counts twice.
    fn resample(&self, spectrum: &Spectrum) -> [f32; TAKEN] {
        let mut out = [spectrum.re[0]; TAKEN];
        for (bin, (cosines, sines)) in self.cosines.iter().zip(&self.sines).enumerate() {
            let (re, im) = (spectrum.re[bin + 1], spectrum.im[bin + 1]);
            for ((o, c), s) in out.iter_mut().zip(cosines).zip(sines) {
                *o += re * c;
                *o += im * s;
            }
        }
        out.map(|o| o / 256.0)
    }
}

fn autocorrelate(x: &[f32; TAKEN]) -> [f32; ORDER + 1] {
    // Zeros before the start, so that all lags can be summed side by side; they add nothing.
    let mut padded = [0.0f32; TAKEN + ORDER];
    padded[ORDER..].copy_from_slice(x);
    let mut sums = [0.0f32; ORDER + 1];
    for (window, &now) in padded.windows(ORDER + 1).zip(x) {
        for (sum, before) in sums.iter_mut().zip(window) {
            *sum += now * before;
        }
    }
    sums.reverse();
    sums
}

/// Levinson-Durbin recursion: the coefficients `a` of `z^11 + a[0] z^10 + … + a[10]`; `None` for silence.
fn predict(r: &[f32; ORDER + 1]) -> Option<[f32; ORDER]> {
    let mut a = [0.0f32; ORDER];
    let mut error = r[0];
    if error == 0.0 {
        return None;
    }
    for m in 0..ORDER {
        let mut sum = r[m + 1];
        for i in 0..m {
            sum += a[i] * r[m - i];
        }
        let reflection = -1.0 / error * sum;
        let before = a;
        for i in 0..m {
            a[i] += reflection * before[m - 1 - i];
        }
        a[m] = reflection;
        error *= 1.0 - reflection * reflection;
        if error == 0.0 {
            break;
        }
    }
    a.iter().all(|c| c.is_finite()).then_some(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_has_none() {
        assert_eq!(FormantAnalyser::new().formants(&Spectrum::default()), [(0.0, 0.0); 3]);
    }

    #[test]
    fn resampling_keeps_a_tone() {
        // 1 kHz is bin 32 of the padded frame.
        let mut s = Spectrum::default();
        s.re[32] = 256.0;
        let x = FormantAnalyser::new().resample(&s);
        for (i, x) in x.iter().enumerate() {
            let want = (std::f64::consts::TAU * 1000.0 * i as f64 / 11_000.0).cos() as f32;
            assert!((x - want).abs() < 1e-5, "sample {i}: {x} for {want}");
        }
    }

    #[test]
    fn the_recursion_finds_a_first_order_model() {
        // r[k] = 0.9^k belongs to x[n] = 0.9 x[n - 1] + e.
        let a = predict(&std::array::from_fn(|k| 0.9f32.powi(k as i32))).unwrap();
        assert!((a[0] + 0.9).abs() < 1e-5 && a[1..].iter().all(|c| c.abs() < 1e-4), "{a:?}");
    }
}
