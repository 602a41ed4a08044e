//! The one door to the fast Fourier transform of real signals (realfft over rustfft).

use std::fmt;
use std::sync::Arc;

use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
pub use rustfft::num_complex::{Complex32, Complex64};

/// Forward transform of `len` real samples to `len / 2 + 1` bins, not normalised: bin `k` is the sum of
/// `x[n]·exp(-2πi·kn/len)`.
pub struct RealDft {
    plan: Arc<dyn RealToComplex<f32>>,
    input: Vec<f32>,
    spectrum: Vec<Complex32>,
    scratch: Vec<Complex32>,
}

impl fmt::Debug for RealDft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RealDft of {}", self.frame_len())
    }
}

impl RealDft {
    /// Plans a transform of `len` samples.
    pub fn new(len: usize) -> Self {
        let plan = RealFftPlanner::new().plan_fft_forward(len);
        RealDft {
            input: plan.make_input_vec(),
            spectrum: plan.make_output_vec(),
            scratch: plan.make_scratch_vec(),
            plan,
        }
    }

    /// Samples a frame.
    pub fn frame_len(&self) -> usize {
        self.plan.len()
    }

    /// Values of a spectrum: `len / 2 + 1`.
    pub fn bins(&self) -> usize {
        self.plan.len() / 2 + 1
    }

    /// Transforms `samples` (which are used up) into `bins`. Buffers of another size than planned leave the bins 0.
    pub fn transform(&mut self, samples: &mut [f32], bins: &mut [Complex32]) {
        crate::pulse::beat();
        if self.plan.process_with_scratch(samples, bins, &mut self.scratch).is_err() {
            debug_assert!(false, "{} samples and {} bins for {self:?}", samples.len(), bins.len());
            bins.fill(Complex32::default());
        }
    }

    /// The power spectrum `|X|²` of `frame` (zero-padded or cut to the planned length) into `out`.
    pub fn power(&mut self, frame: &[f32], out: &mut [f32]) {
        self.keep(frame);
        for (o, x) in out.iter_mut().zip(&self.spectrum) {
            *o = x.norm_sqr();
        }
    }

    fn keep(&mut self, frame: &[f32]) {
        crate::pulse::beat();
        let n = frame.len().min(self.input.len());
        self.input[..n].copy_from_slice(&frame[..n]);
        self.input[n..].fill(0.0);
        // All lengths are the plan's own, the one thing it can refuse.
        let done = self.plan.process_with_scratch(&mut self.input, &mut self.spectrum, &mut self.scratch);
        debug_assert!(done.is_ok());
    }
}

/// Inverse of [`RealDft`], not normalised: a round trip multiplies by `len`.
pub struct InverseRealDft {
    plan: Arc<dyn ComplexToReal<f32>>,
    scratch: Vec<Complex32>,
}

impl fmt::Debug for InverseRealDft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InverseRealDft of {}", self.plan.len())
    }
}

impl InverseRealDft {
    /// Plans a transform to `len` samples.
    pub fn new(len: usize) -> Self {
        let plan = RealFftPlanner::new().plan_fft_inverse(len);
        InverseRealDft { scratch: plan.make_scratch_vec(), plan }
    }

    /// Values of a spectrum: `len / 2 + 1`.
    pub fn bins(&self) -> usize {
        self.plan.len() / 2 + 1
    }

    /// Transforms `bins` (which are used up; the first and last must be real) into `samples`. Buffers of another size
    /// than planned leave the samples 0.
    pub fn transform(&mut self, bins: &mut [Complex32], samples: &mut [f32]) {
        crate::pulse::beat();
        if self.plan.process_with_scratch(bins, samples, &mut self.scratch).is_err() {
            debug_assert!(false, "{} bins and {} samples for {self:?}", bins.len(), samples.len());
            samples.fill(0.0);
        }
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
        dft.power(&[1.0], &mut power);
        assert!(power.iter().all(|x| (x - 1.0).abs() < 1e-6));
    }
}
