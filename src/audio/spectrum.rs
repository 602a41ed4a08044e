//! Fourier transforms and windows of real signals: the one place of this room that knows the transform's crate.

use std::fmt;
use std::sync::Arc;

use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};

/// A complex value of a spectrum.
pub type Complex = realfft::num_complex::Complex<f32>;

/// Forward transform of `len` real samples to `len / 2 + 1` bins, not normalised: bin `k` is the sum of `x[j] exp(-2 pi i j k / len)`.
pub struct RealDft {
    plan: Arc<dyn RealToComplex<f32>>,
    scratch: Vec<Complex>,
}

impl RealDft {
    /// Plans a transform of an even number of samples.
    pub fn new(len: usize) -> Self {
        let plan = RealFftPlanner::<f32>::new().plan_fft_forward(len);
        let scratch = plan.make_scratch_vec();
        RealDft { plan, scratch }
    }

    /// Number of bins.
    pub fn bins(&self) -> usize {
        self.plan.len() / 2 + 1
    }

    /// Transforms `samples` (which are used up) into `bins`. Buffers of another size than planned leave the bins 0.
    pub fn transform(&mut self, samples: &mut [f32], bins: &mut [Complex]) {
        if self.plan.process_with_scratch(samples, bins, &mut self.scratch).is_err() {
            debug_assert!(false, "{} samples and {} bins for {self:?}", samples.len(), bins.len());
            bins.fill(Complex::default());
        }
    }
}

impl fmt::Debug for RealDft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RealDft of {} samples", self.plan.len())
    }
}

/// Inverse of [`RealDft`], not normalised: a round trip multiplies by `len`.
pub struct InverseRealDft {
    plan: Arc<dyn ComplexToReal<f32>>,
    scratch: Vec<Complex>,
}

impl InverseRealDft {
    /// Plans a transform to an even number of samples.
    pub fn new(len: usize) -> Self {
        let plan = RealFftPlanner::<f32>::new().plan_fft_inverse(len);
        let scratch = plan.make_scratch_vec();
        InverseRealDft { plan, scratch }
    }

    /// Number of bins.
    pub fn bins(&self) -> usize {
        self.plan.len() / 2 + 1
    }

    /// Transforms `bins` (which are used up; the first and last must be real) into `samples`. Buffers of another size than planned leave the
    /// samples 0.
    pub fn transform(&mut self, bins: &mut [Complex], samples: &mut [f32]) {
        if self.plan.process_with_scratch(bins, samples, &mut self.scratch).is_err() {
            debug_assert!(false, "{} bins and {} samples for {self:?}", bins.len(), samples.len());
            samples.fill(0.0);
        }
    }
}

impl fmt::Debug for InverseRealDft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InverseRealDft of {} samples", self.plan.len())
    }
}

/// Hamming window of `len` points, symmetric.
pub fn hamming(len: usize) -> Vec<f32> {
    let last = len.saturating_sub(1).max(1) as f64;
    (0..len).map(|i| (0.54 - 0.46 * (std::f64::consts::TAU * i as f64 / last).cos()) as f32).collect()
}

/// Gaussian window of `len` points, symmetric; `sigma` is relative to half the window.
pub fn gauss(len: usize, sigma: f64) -> Vec<f32> {
    let half = len.saturating_sub(1).max(1) as f64 / 2.0;
    (0..len)
        .map(|i| {
            let x = (i as f64 - half) / (sigma * half);
            (-0.5 * x * x).exp() as f32
        })
        .collect()
}

/// Magnitudes of `bins`.
pub fn magnitudes(bins: &[Complex], out: &mut [f32]) {
    for (m, b) in out.iter_mut().zip(bins) {
        *m = (b.re * b.re + b.im * b.im).sqrt();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cosine_fills_its_own_bin_and_comes_back() {
        let wave: Vec<f32> = (0..16).map(|i| (std::f32::consts::TAU * 3.0 * i as f32 / 16.0).cos()).collect();
        let mut forward = RealDft::new(16);
        let mut bins = vec![Complex::default(); forward.bins()];
        forward.transform(&mut wave.clone(), &mut bins);
        let mut m = vec![0.0; 9];
        magnitudes(&bins, &mut m);
        for (k, m) in m.iter().enumerate() {
            assert!((m - if k == 3 { 8.0 } else { 0.0 }).abs() < 1e-5, "bin {k}: {m}");
        }
        let mut back = vec![0.0; 16];
        InverseRealDft::new(16).transform(&mut bins, &mut back);
        for (a, b) in wave.iter().zip(&back) {
            assert!((16.0 * a - b).abs() < 1e-4);
        }
    }

    #[test]
    fn windows_are_symmetric_with_known_ends() {
        let h = hamming(5);
        assert!((h[0] - 0.08).abs() < 1e-6 && (h[2] - 1.0).abs() < 1e-6 && (h[1] - h[3]).abs() < 1e-6);
        let g = gauss(5, 0.4);
        assert!((g[2] - 1.0).abs() < 1e-6 && (g[0] - (-0.5f32 * 6.25).exp()).abs() < 1e-6 && (g[0] - g[4]).abs() < 1e-7);
    }
}
