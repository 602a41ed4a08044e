//! The one door to the fast Fourier transform of real frames.

use std::sync::Arc;

use realfft::{RealFftPlanner, RealToComplex};
pub use rustfft::num_complex::Complex32;

/// A planned transform of real frames of one length; spectra are unscaled, `X[k] = Σ x[n]·exp(-2πi·kn/len)`.
pub struct RealDft {
    plan: Arc<dyn RealToComplex<f32>>,
    input: Vec<f32>,
    spectrum: Vec<Complex32>,
    scratch: Vec<Complex32>,
}

impl std::fmt::Debug for RealDft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RealDft of {}", self.input.len())
    }
}

impl RealDft {
    /// Plans a transform of `len` samples.
    pub fn new(len: usize) -> Self {
        let plan = RealFftPlanner::new().plan_fft_forward(len);
        RealDft { input: plan.make_input_vec(), spectrum: plan.make_output_vec(), scratch: plan.make_scratch_vec(), plan }
    }

    /// Samples a frame.
    pub fn frame_len(&self) -> usize {
        self.input.len()
    }

    /// Values of a spectrum: `len / 2 + 1`.
    pub fn bins(&self) -> usize {
        self.spectrum.len()
    }

    /// The complex spectrum of `frame` (zero-padded or cut to the planned length), bins 0 to `len / 2`, into `out`.
    pub fn complex(&mut self, frame: &[f32], out: &mut [Complex32]) {
        self.transform(frame);
        for (o, x) in out.iter_mut().zip(&self.spectrum) {
            *o = *x;
        }
    }

    /// The power spectrum `|X|²` of `frame`, likewise.
    pub fn power(&mut self, frame: &[f32], out: &mut [f32]) {
        self.transform(frame);
        for (o, x) in out.iter_mut().zip(&self.spectrum) {
            *o = x.norm_sqr();
        }
    }

    fn transform(&mut self, frame: &[f32]) {
        let n = frame.len().min(self.input.len());
        self.input[..n].copy_from_slice(&frame[..n]);
        self.input[n..].fill(0.0);
        // All lengths are the plan's own, the one thing it can refuse.
        let done = self.plan.process_with_scratch(&mut self.input, &mut self.spectrum, &mut self.scratch);
        debug_assert!(done.is_ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cosine_of_two_periods_falls_into_bin_two() {
        let frame: Vec<f32> = (0..8).map(|n| (std::f32::consts::TAU * 2.0 * n as f32 / 8.0).cos()).collect();
        let mut dft = RealDft::new(8);
        let mut power = vec![0.0; dft.bins()];
        dft.power(&frame, &mut power);
        for (bin, value) in power.iter().enumerate() {
            let expected = if bin == 2 { 16.0 } else { 0.0 };
            assert!((value - expected).abs() < 1e-4, "bin {bin}: {value}");
        }
        // A short frame is padded with zeros: a unit impulse has a flat spectrum.
        let mut spectrum = vec![Complex32::default(); dft.bins()];
        dft.complex(&[1.0], &mut spectrum);
        assert!(spectrum.iter().all(|x| (x.re - 1.0).abs() < 1e-6 && x.im.abs() < 1e-6));
    }
}
