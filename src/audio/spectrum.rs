//! Windows and magnitudes of real signals; the transform itself is the `dft` door's.

pub use crate::dft::{Complex32 as Complex, InverseRealDft, RealDft};

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
        assert!(
            (g[2] - 1.0).abs() < 1e-6 && (g[0] - (-0.5f32 * 6.25).exp()).abs() < 1e-6 && (g[0] - g[4]).abs() < 1e-7
        );
    }
}
