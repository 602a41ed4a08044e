//! Correlation of two curves of which each is known on its own stretch only, over all lags at once.
//!
//! Masked normalised cross-correlation (Padfield 2012, "Masked object registration in the Fourier domain"): at each lag
//! Pearson's correlation over what the two share, so that what lies outside a transcript counts as unknown, not as
//! silence.

use crate::dft::{Complex32, InverseRealDft, RealDft};

/// Of what both share, a curve that varies less than this (its variance) has no pattern.
const LEAST_VARIANCE: f64 = 0.01;

/// Where two curves fit best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Peak {
    /// Fisher's transform of the correlation times the root of what is shared, in steps: 0 where nothing fits.
    pub(super) score: f64,
    /// Place of the pattern's first value on the other curve, in steps.
    pub(super) lag: isize,
    /// Pearson's correlation there.
    pub(super) correlation: f64,
}

/// A curve to lay patterns over.
pub(super) struct Curve {
    sums: Sums,
    spectrum: Vec<Complex32>,
    forward: RealDft,
    inverse: InverseRealDft,
}

/// Sums of the first values and of their squares.
struct Sums(Vec<(f64, f64)>);

impl Sums {
    fn new(values: &[f64]) -> Self {
        let mut all = Vec::with_capacity(values.len() + 1);
        let mut sum = (0.0, 0.0);
        all.push(sum);
        for v in values {
            sum = (sum.0 + v, sum.1 + v * v);
            all.push(sum);
        }
        Sums(all)
    }

    fn len(&self) -> usize {
        self.0.len() - 1
    }

    /// Of values `from` to `to`.
    fn between(&self, from: usize, to: usize) -> (f64, f64) {
        let ((a, aa), (b, bb)) = (self.0[from], self.0[to]);
        (b - a, bb - aa)
    }
}

/// About their mean: single precision of the transform then loses nothing that matters.
fn centred(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter().map(|v| v - mean).collect()
}

impl Curve {
    /// Values 0 to 1; patterns may be as long as `longest`.
    pub(super) fn new(values: &[f64], longest: usize) -> Self {
        let len = (values.len() + longest + 1).next_power_of_two();
        let values = centred(values);
        let mut forward = RealDft::new(len);
        let spectrum = transformed(&mut forward, &values);
        Curve { sums: Sums::new(&values), spectrum, forward, inverse: InverseRealDft::new(len) }
    }

    /// Where `pattern` fits best, within each of `ranges` of lags (both ends inside), where they share at least `least`
    /// values.
    pub(super) fn best(&mut self, pattern: &[f64], least: usize, ranges: &[(isize, isize)]) -> Vec<Peak> {
        let pattern = centred(pattern);
        let products = self.products(&pattern);
        let own = Sums::new(&pattern);
        let (n, m) = (self.sums.len() as isize, pattern.len() as isize);
        let mut best = vec![Peak { score: 0.0, lag: 0, correlation: 0.0 }; ranges.len()];
        for lag in 1 - m..n {
            let (from, to) = (lag.max(0), n.min(lag + m));
            let shared = (to - from) as f64;
            if to - from < least as isize || !ranges.iter().any(|r| r.0 <= lag && lag <= r.1) {
                continue;
            }
            let (a, aa) = self.sums.between(from as usize, to as usize);
            let (b, bb) = own.between((from - lag) as usize, (to - lag) as usize);
            let (of_a, of_b) = (aa - a * a / shared, bb - b * b / shared);
            if of_a < LEAST_VARIANCE * shared || of_b < LEAST_VARIANCE * shared {
                continue;
            }
            let product = f64::from(products[lag.rem_euclid(products.len() as isize) as usize]);
            let correlation = ((product - a * b / shared) / (of_a * of_b).sqrt()).clamp(-0.999, 0.999);
            let score = correlation.atanh() * shared.sqrt();
            for (peak, range) in best.iter_mut().zip(ranges) {
                if range.0 <= lag && lag <= range.1 && score > peak.score {
                    *peak = Peak { score, lag, correlation };
                }
            }
        }
        best
    }

    /// Sum of products at each lag, negative ones at the end.
    fn products(&mut self, pattern: &[f64]) -> Vec<f32> {
        let mut bins = transformed(&mut self.forward, pattern);
        for (p, s) in bins.iter_mut().zip(&self.spectrum) {
            *p = s * p.conj();
        }
        // What rounding leaves there, the inverse would refuse.
        if let [first, .., last] = bins.as_mut_slice() {
            (first.im, last.im) = (0.0, 0.0);
        }
        let len = self.forward.frame_len();
        let mut products = vec![0.0; len];
        self.inverse.transform(&mut bins, &mut products);
        products.iter_mut().for_each(|x| *x /= len as f32);
        products
    }
}

fn transformed(dft: &mut RealDft, values: &[f64]) -> Vec<Complex32> {
    let mut samples = vec![0.0; dft.frame_len()];
    for (sample, value) in samples.iter_mut().zip(values) {
        *sample = *value as f32;
    }
    let mut bins = vec![Complex32::default(); dft.bins()];
    dft.transform(&mut samples, &mut bins);
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_found_where_it_lies_and_where_only_its_end_does() {
        let values: Vec<f64> =
            (0..400_u32).map(|i| f64::from((i / 7 * 2_654_435_761_u32.wrapping_shr(3)) >> 5 & 1)).collect();
        let all = [(isize::MIN, isize::MAX)];
        let inside = Curve::new(&values, 100).best(&values[120..220], 50, &all)[0];
        assert!(inside.lag == 120 && inside.correlation > 0.99, "{inside:?}");
        let cut = Curve::new(&values[100..], 400).best(&values, 50, &all)[0];
        assert!(cut.lag == -100 && cut.correlation > 0.99, "{cut:?}");
        let near = Curve::new(&values, 100).best(&values[120..220], 50, &[(-5, 5)])[0];
        assert!(near.lag.abs() <= 5 && near.correlation < 0.99, "{near:?}");
        let silence = Curve::new(&[0.0; 300], 100).best(&values[..100], 50, &all)[0];
        assert!(silence.score.abs() < 1e-12, "silence fits nothing: {silence:?}");
    }
}
