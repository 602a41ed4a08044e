//! A real transform of 512 points in single precision, in a fixed order of operations: radix 4, decimation in time, as in Ooura's general purpose
//! package `fft4g` (T. Ooura, 1996-2001, <https://www.kurims.kyoto-u.ac.jp/~ooura/fft.html>), which openSMILE uses.
//!
//! Why not the transform of [`crate::audio::spectrum`]: openSMILE's formants are roots of a polynomial that is fitted to a signal without energy
//! above 3.4 kHz, an ill-conditioned problem. There the rounding of the single precision sums decides whether an extra root appears, and only the
//! same order of additions gives the same formants.

use std::f64::consts::FRAC_PI_4;

/// Points transformed.
pub(super) const LEN: usize = 512;
/// Bins of the result.
pub(super) const BINS: usize = LEN / 2 + 1;
/// Pairs of points, transformed as complex numbers.
const PAIRS: usize = LEN / 2;
/// Entries of the table of rotations.
const ROTATIONS: usize = PAIRS / 4;

/// Real and imaginary parts of the bins; the imaginary part is the sum of `x[j] sin(2 pi j k / 512)`, with a plus.
#[derive(Clone, Debug)]
pub(super) struct Spectrum {
    pub(super) re: [f32; BINS],
    pub(super) im: [f32; BINS],
}

impl Default for Spectrum {
    fn default() -> Self {
        Spectrum { re: [0.0; BINS], im: [0.0; BINS] }
    }
}

impl Spectrum {
    /// Magnitudes of the bins.
    pub(super) fn magnitudes(&self) -> [f32; BINS] {
        std::array::from_fn(|k| (self.re[k] * self.re[k] + self.im[k] * self.im[k]).sqrt())
    }
}

/// The three rotations of one block of a stage.
#[derive(Clone, Copy, Debug)]
struct Rotation {
    first: (f32, f32),
    second: (f32, f32),
    third: (f32, f32),
}

/// Tables of the transform.
#[derive(Debug)]
pub(super) struct FixedDft {
    reversed: [u8; PAIRS],
    rotations: [Rotation; ROTATIONS],
    /// Half cosines and sines for the step from complex to real.
    halves: [(f32, f32); PAIRS / 2],
    re: [f32; PAIRS],
    im: [f32; PAIRS],
}

impl FixedDft {
    pub(super) fn new() -> Self {
        // Angles are single precision products, as in the package.
        let angle = |j: usize| f64::from((FRAC_PI_4 / ROTATIONS as f64) as f32 * j as f32);
        let ascending = |q: usize| -> (f32, f32) {
            let (cos, sin) = (|j| angle(j).cos() as f32, |j| angle(j).sin() as f32);
            match q {
                0 => (1.0, 0.0),
                q if q < ROTATIONS / 2 => (cos(2 * q), sin(2 * q)),
                q if q == ROTATIONS / 2 => (cos(ROTATIONS), cos(ROTATIONS)),
                q => (sin(2 * (ROTATIONS - q)), cos(2 * (ROTATIONS - q))),
            }
        };
        let table = |b: usize| ascending((b as u8).reverse_bits() as usize >> 2);
        let rotations = std::array::from_fn(|b| {
            let first = table(b);
            let (c, s) = table(b / 2);
            let second = if b % 2 == 0 { (c, s) } else { (-s, c) };
            let third = (first.0 - 2.0 * second.1 * first.1, 2.0 * second.1 * first.0 - first.1);
            Rotation { first, second, third }
        });
        // half(k): half the cosine below the middle of the table, half the sine above it.
        let count = 2 * ROTATIONS;
        let half = |k: usize| -> f32 {
            if k <= ROTATIONS { (0.5 * angle(k).cos()) as f32 } else { (0.5 * angle(count - k).sin()) as f32 }
        };
        FixedDft {
            reversed: std::array::from_fn(|i| (i as u8).reverse_bits()),
            rotations,
            halves: std::array::from_fn(|k| if k == 0 { (0.0, 0.0) } else { (0.5 - half(count - k), half(k)) }),
            re: [0.0; PAIRS],
            im: [0.0; PAIRS],
        }
    }

    /// Transforms `samples`.
    pub(super) fn transform(&mut self, samples: &[f32; LEN], out: &mut Spectrum) {
        for (i, &r) in self.reversed.iter().enumerate() {
            self.re[i] = samples[2 * usize::from(r)];
            self.im[i] = samples[2 * usize::from(r) + 1];
        }
        for stride in [1, 4, 16, 64] {
            self.stage(stride);
        }
        self.separate(out);
    }

    fn stage(&mut self, stride: usize) {
        let blocks = self.re.chunks_exact_mut(4 * stride).zip(self.im.chunks_exact_mut(4 * stride));
        for (b, (re, im)) in blocks.enumerate() {
            let (r0, re) = re.split_at_mut(stride);
            let (r1, re) = re.split_at_mut(stride);
            let (r2, r3) = re.split_at_mut(stride);
            let (i0, im) = im.split_at_mut(stride);
            let (i1, im) = im.split_at_mut(stride);
            let (i2, i3) = im.split_at_mut(stride);
            let w = self.rotations[b];
            for j in 0..stride {
                let sum = (r0[j] + r1[j], i0[j] + i1[j]);
                let difference = (r0[j] - r1[j], i0[j] - i1[j]);
                let sum2 = (r2[j] + r3[j], i2[j] + i3[j]);
                let difference2 = (r2[j] - r3[j], i2[j] - i3[j]);
                (r0[j], i0[j]) = (sum.0 + sum2.0, sum.1 + sum2.1);
                let second = (sum.0 - sum2.0, sum.1 - sum2.1);
                let first = (difference.0 - difference2.1, difference.1 + difference2.0);
                let third = (difference.0 + difference2.1, difference.1 - difference2.0);
                match b {
                    0 => {
                        (r2[j], i2[j]) = second;
                        (r1[j], i1[j]) = first;
                        (r3[j], i3[j]) = third;
                    }
                    1 => {
                        let c = w.first.0;
                        (r2[j], i2[j]) = (-second.1, second.0);
                        (r1[j], i1[j]) = (c * (first.0 - first.1), c * (first.0 + first.1));
                        (r3[j], i3[j]) = (c * (-third.1 - third.0), c * (third.0 - third.1));
                    }
                    _ => {
                        (r2[j], i2[j]) = rotate(second, w.second);
                        (r1[j], i1[j]) = rotate(first, w.first);
                        (r3[j], i3[j]) = rotate(third, w.third);
                    }
                }
            }
        }
    }

    /// From the transform of the pairs to that of the points.
    fn separate(&self, out: &mut Spectrum) {
        let (re, im) = (&self.re, &self.im);
        for j in 1..PAIRS / 2 {
            let k = PAIRS - j;
            let w = self.halves[j];
            let x = (re[j] - re[k], im[j] + im[k]);
            let y = rotate(x, w);
            (out.re[j], out.im[j]) = (re[j] - y.0, im[j] - y.1);
            (out.re[k], out.im[k]) = (re[k] + y.0, im[k] - y.1);
        }
        (out.re[PAIRS / 2], out.im[PAIRS / 2]) = (re[PAIRS / 2], im[PAIRS / 2]);
        (out.re[0], out.im[0]) = (re[0] + im[0], 0.0);
        (out.re[PAIRS], out.im[PAIRS]) = (re[0] - im[0], 0.0);
    }
}

fn rotate(x: (f32, f32), w: (f32, f32)) -> (f32, f32) {
    (w.0 * x.0 - w.1 * x.1, w.0 * x.1 + w.1 * x.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::spectrum::{Complex, RealDft};

    #[test]
    fn it_agrees_with_the_other_transform() {
        let mut seed = 1u32;
        let samples: [f32; LEN] = std::array::from_fn(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / 8_388_608.0 - 1.0
        });
        let mut mine = Spectrum::default();
        FixedDft::new().transform(&samples, &mut mine);
        let mut other = RealDft::new(LEN);
        let mut bins = vec![Complex::default(); BINS];
        other.transform(&mut samples.to_vec(), &mut bins);
        for (k, bin) in bins.iter().enumerate() {
            assert!((mine.re[k] - bin.re).abs() < 1e-4 && (mine.im[k] + bin.im).abs() < 1e-4, "bin {k}");
        }
    }
}
