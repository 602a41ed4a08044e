//! A real transform of 512 points in single precision, in a fixed order of operations: the split-radix scheme of
//! Ooura's general purpose package `fftsg` (T. Ooura, 1996-2001, <https://www.kurims.kyoto-u.ac.jp/~ooura/fft.html>),
//! which openSMILE uses.
//!
//! Why not the transform of [`crate::audio::spectrum`]: openSMILE's formants are roots of a polynomial that is fitted
//! to a signal without energy above 3.4 kHz, an ill-conditioned problem. There the rounding of the single precision
//! sums decides whether an extra root appears, and only the same order of additions gives the same formants.
//!
//! The points are transformed as 256 complex pairs. A block is split into quarters by butterflies that come in two
//! kinds, plain and turned (by an eighth); the quarters of a plain block are plain, turned, plain, plain, those of a
//! turned one plain, turned, plain, turned.

use std::f64::consts::FRAC_PI_4;

/// Points transformed.
pub(super) const LEN: usize = 512;
/// Bins of the result.
pub(super) const BINS: usize = LEN / 2 + 1;
/// Pairs of points, transformed as complex numbers.
const PAIRS: usize = LEN / 2;

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

type Pair = (f32, f32);

/// Rotations of a plain block with quarters of `M` pairs.
#[derive(Debug)]
struct Plain<const M: usize> {
    first: [Pair; M],
    third: [Pair; M],
}

/// Rotations of a turned block with quarters of `M` pairs.
#[derive(Debug)]
struct Turned<const M: usize> {
    first: [Pair; M],
    second: [Pair; M],
    third: [Pair; M],
    fourth: [Pair; M],
}

/// Tables and buffers of the transform.
#[derive(Debug)]
pub(super) struct FixedDft {
    plain_64: Plain<64>,
    plain_16: Plain<16>,
    turned_16: Turned<16>,
    plain_4: Plain<4>,
    turned_4: Turned<4>,
    eighth: f32,
    /// Rotations of the step from pairs to points.
    halves: [Pair; PAIRS / 2],
    re: [f32; PAIRS],
    im: [f32; PAIRS],
}

/// Multiples of the step of angle, 1/512 of a turn times 4/4: single precision products, as in the package.
fn angle(j: usize) -> f64 {
    f64::from(FRAC_PI_4 as f32 / 64.0 * j as f32)
}

/// Cosine and sine.
fn once(j: usize) -> Pair {
    (angle(j).cos() as f32, angle(j).sin() as f32)
}

/// Cosine and negative sine of three times the angle.
fn thrice(j: usize) -> Pair {
    let a = f64::from(3.0 * (FRAC_PI_4 as f32 / 64.0) * j as f32);
    (a.cos() as f32, -(a.sin() as f32))
}

fn swap(p: Pair) -> Pair {
    (p.1, p.0)
}

impl<const M: usize> Plain<M> {
    /// From the rotations of the pairs 1 up to the middle; the others mirror them.
    fn new(rotation: impl Fn(usize) -> (Pair, Pair)) -> Self {
        let at = |j: usize| match j {
            0 => ((1.0, 0.0), (1.0, 0.0)),
            j if 2 * j == M => Default::default(),
            j if 2 * j < M => rotation(j),
            j => {
                let (first, third) = rotation(M - j);
                (swap(first), swap(third))
            }
        };
        Plain { first: std::array::from_fn(|j| at(j).0), third: std::array::from_fn(|j| at(j).1) }
    }
}

impl<const M: usize> Turned<M> {
    /// From the rotation of the middle pair and those of the pairs 1 up to it.
    fn new(middle: Pair, rotation: impl Fn(usize) -> [Pair; 4]) -> Self {
        let at = |j: usize| match j {
            0 => Default::default(),
            j if 2 * j == M => [middle, swap(middle), (middle.1, -middle.0), (-middle.0, middle.1)],
            j if 2 * j < M => rotation(j),
            j => {
                let [first, second, third, fourth] = rotation(M - j);
                [swap(second), swap(first), swap(fourth), swap(third)]
            }
        };
        let pick = |k: usize| std::array::from_fn(|j| at(j)[k]);
        Turned { first: pick(0), second: pick(1), third: pick(2), fourth: pick(3) }
    }
}

impl FixedDft {
    pub(super) fn new() -> Self {
        let eighth = once(64).0;
        // Of the largest block every second rotation is in the package's table, those between are their means.
        let (scale, scale3) = ((0.5 / angle(2).cos()) as f32, (0.5 / angle(6).cos()) as f32);
        let largest = |j: usize| -> (Pair, Pair) {
            if j.is_multiple_of(2) {
                return (once(2 * j), thrice(2 * j));
            }
            let (low, low3) = if j == 1 { ((1.0, 0.0), (1.0, 0.0)) } else { (once(2 * j - 2), thrice(2 * j - 2)) };
            let (high, high3) =
                if j == 31 { ((eighth, eighth), (-eighth, -eighth)) } else { (once(2 * j + 2), thrice(2 * j + 2)) };
            (
                (scale * (low.0 + high.0), scale * (low.1 + high.1)),
                (scale3 * (low3.0 + high3.0), scale3 * (low3.1 + high3.1)),
            )
        };
        let small = once(32);
        let (narrow, wide) = (once(16), thrice(16));
        let half = |k: usize| -> f32 {
            if k <= 64 { (0.5 * angle(k).cos()) as f32 } else { (0.5 * angle(128 - k).sin()) as f32 }
        };
        FixedDft {
            plain_64: Plain::new(largest),
            plain_16: Plain::new(|j| (once(8 * j), thrice(8 * j))),
            turned_16: Turned::new(once(32), |j| {
                [once(4 * j), swap(once(64 - 4 * j)), thrice(4 * j), swap(thrice(64 - 4 * j))]
            }),
            plain_4: Plain::new(|_| (small, (small.1, -small.0))),
            turned_4: Turned::new(small, |_| [narrow, (-wide.1, wide.0), wide, (-narrow.0, -narrow.1)]),
            eighth,
            halves: std::array::from_fn(|k| if k == 0 { (0.0, 0.0) } else { (0.5 - half(128 - k), half(k)) }),
            re: [0.0; PAIRS],
            im: [0.0; PAIRS],
        }
    }

    /// Transforms `samples`.
    pub(super) fn transform(&mut self, samples: &[f32; LEN], out: &mut Spectrum) {
        for (i, pair) in samples.chunks_exact(2).enumerate() {
            self.re[i] = pair[0];
            self.im[i] = pair[1];
        }
        let (mut re, mut im) = (self.re, self.im);
        plain(&mut re, &mut im, &self.plain_64, self.eighth);
        for (q, (re, im)) in re.chunks_exact_mut(64).zip(im.chunks_exact_mut(64)).enumerate() {
            self.split_64(re, im, q == 1);
        }
        // The results lie in bit-reversed order.
        for i in 0..PAIRS {
            let from = usize::from((i as u8).reverse_bits());
            self.re[i] = re[from];
            self.im[i] = im[from];
        }
        self.separate(out);
    }

    fn split_64(&self, re: &mut [f32], im: &mut [f32], is_turned: bool) {
        if is_turned {
            turned(re, im, &self.turned_16, self.eighth);
        } else {
            plain(re, im, &self.plain_16, self.eighth);
        }
        for (q, (re, im)) in re.chunks_exact_mut(16).zip(im.chunks_exact_mut(16)).enumerate() {
            self.split_16(re, im, q == 1 || is_turned && q == 3);
        }
    }

    fn split_16(&self, re: &mut [f32], im: &mut [f32], is_turned: bool) {
        if is_turned {
            turned(re, im, &self.turned_4, self.eighth);
        } else {
            plain(re, im, &self.plain_4, self.eighth);
        }
        for (q, (re, im)) in re.chunks_exact_mut(4).zip(im.chunks_exact_mut(4)).enumerate() {
            let x = [0, 1, 2, 3].map(|i| (re[i], im[i]));
            let y = if q == 1 || is_turned && q == 3 { turned_first(x, self.eighth) } else { plain_first(x) };
            for i in 0..4 {
                (re[i], im[i]) = y[i];
            }
        }
    }

    /// From the transform of the pairs to that of the points.
    fn separate(&self, out: &mut Spectrum) {
        let (re, im) = (&self.re, &self.im);
        for j in 1..PAIRS / 2 {
            let k = PAIRS - j;
            let y = rotate(self.halves[j], (re[j] - re[k], im[j] + im[k]));
            (out.re[j], out.im[j]) = (re[j] - y.0, im[j] - y.1);
            (out.re[k], out.im[k]) = (re[k] + y.0, im[k] - y.1);
        }
        (out.re[PAIRS / 2], out.im[PAIRS / 2]) = (re[PAIRS / 2], im[PAIRS / 2]);
        (out.re[0], out.im[0]) = (re[0] + im[0], 0.0);
        (out.re[PAIRS], out.im[PAIRS]) = (re[0] - im[0], 0.0);
    }
}

fn plus(a: Pair, b: Pair) -> Pair {
    (a.0 + b.0, a.1 + b.1)
}

fn minus(a: Pair, b: Pair) -> Pair {
    (a.0 - b.0, a.1 - b.1)
}

/// `a + i b`.
fn plus_i(a: Pair, b: Pair) -> Pair {
    (a.0 - b.1, a.1 + b.0)
}

/// `a - i b`.
fn minus_i(a: Pair, b: Pair) -> Pair {
    (a.0 + b.1, a.1 - b.0)
}

fn rotate(w: Pair, x: Pair) -> Pair {
    (w.0 * x.0 - w.1 * x.1, w.0 * x.1 + w.1 * x.0)
}

/// Rotation by the conjugate.
fn rotate_back(w: Pair, x: Pair) -> Pair {
    (w.0 * x.0 + w.1 * x.1, w.0 * x.1 - w.1 * x.0)
}

/// Rotation by an eighth turn, whose cosine and sine are `c`.
fn rotate_eighth(c: f32, x: Pair) -> Pair {
    (c * (x.0 - x.1), c * (x.1 + x.0))
}

/// The plain butterfly without rotations.
fn plain_first(x: [Pair; 4]) -> [Pair; 4] {
    let (sum, difference) = (plus(x[0], x[2]), minus(x[0], x[2]));
    let (sum2, difference2) = (plus(x[1], x[3]), minus(x[1], x[3]));
    [plus(sum, sum2), minus(sum, sum2), plus_i(difference, difference2), minus_i(difference, difference2)]
}

/// The turned butterfly of a block's first pair.
fn turned_first(x: [Pair; 4], eighth: f32) -> [Pair; 4] {
    let (sum, difference) = (plus_i(x[0], x[2]), minus_i(x[0], x[2]));
    let sum2 = rotate_eighth(eighth, plus_i(x[1], x[3]));
    let difference2 = rotate_eighth(eighth, minus_i(x[1], x[3]));
    [plus(sum, sum2), minus(sum, sum2), plus_i(difference, difference2), minus_i(difference, difference2)]
}

/// The four pairs of a butterfly.
struct Quarters<'a, const M: usize> {
    re: [&'a mut [f32; M]; 4],
    im: [&'a mut [f32; M]; 4],
}

impl<'a, const M: usize> Quarters<'a, M> {
    fn new(re: &'a mut [f32], im: &'a mut [f32]) -> Option<Self> {
        Some(Quarters { re: quarters(re)?, im: quarters(im)? })
    }

    fn get(&self, j: usize) -> [Pair; 4] {
        std::array::from_fn(|q| (self.re[q][j], self.im[q][j]))
    }

    fn set(&mut self, j: usize, y: [Pair; 4]) {
        for (q, y) in y.into_iter().enumerate() {
            (self.re[q][j], self.im[q][j]) = y;
        }
    }
}

fn quarters<const M: usize>(x: &mut [f32]) -> Option<[&mut [f32; M]; 4]> {
    let (a, x) = x.split_first_chunk_mut()?;
    let (b, x) = x.split_first_chunk_mut()?;
    let (c, x) = x.split_first_chunk_mut()?;
    Some([a, b, c, x.first_chunk_mut()?])
}

fn plain<const M: usize>(re: &mut [f32], im: &mut [f32], w: &Plain<M>, eighth: f32) {
    let Some(mut block) = Quarters::<M>::new(re, im) else { return };
    let middle = plain_first(block.get(M / 2));
    for j in 0..M {
        let [a, b, c, d] = plain_first(block.get(j));
        block.set(j, [a, b, rotate(w.first[j], c), rotate_back(w.third[j], d)]);
    }
    let [a, b, c, d] = middle;
    block.set(M / 2, [a, b, rotate_eighth(eighth, c), (-eighth * (d.0 + d.1), -eighth * (d.1 - d.0))]);
}

fn turned<const M: usize>(re: &mut [f32], im: &mut [f32], w: &Turned<M>, eighth: f32) {
    let Some(mut block) = Quarters::<M>::new(re, im) else { return };
    let first = turned_first(block.get(0), eighth);
    for j in 0..M {
        let x = block.get(j);
        let (sum, difference) = (plus_i(x[0], x[2]), minus_i(x[0], x[2]));
        let (sum2, difference2) = (plus_i(x[1], x[3]), minus_i(x[1], x[3]));
        let (a, b) = (rotate(w.first[j], sum), rotate(w.second[j], sum2));
        let (c, d) = (rotate_back(w.third[j], difference), rotate_back(w.fourth[j], difference2));
        block.set(j, [plus(a, b), minus(a, b), plus(c, d), minus(c, d)]);
    }
    block.set(0, first);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::spectrum::{Complex, RealDft};
    use crate::random::Random;

    #[test]
    fn it_agrees_with_the_other_transform() {
        let mut random = Random::seeded(1);
        let samples: [f32; LEN] = std::array::from_fn(|_| random.signed() as f32);
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
