//! Roots of real polynomials by Laguerre's method with deflation.

use crate::dft::Complex64;

/// Sum of the parts' sizes: a bound that costs no root.
fn size(z: Complex64) -> f64 {
    z.re.abs() + z.im.abs()
}

/// `a / b` by the reciprocal of |b|²: one division for num-complex's two. The roots are so ill-conditioned that values
/// hang on it.
fn over(a: Complex64, b: Complex64) -> Complex64 {
    (a * b.conj()).scale(1.0 / b.norm_sqr())
}

/// The square root with a real part of 0 or more, by the half-angle: three real roots instead of num-complex's way over
/// the angle.
fn square_root(z: Complex64) -> Complex64 {
    let size = z.norm_sqr().sqrt();
    let half = |x: f64| (x / 2.0).max(0.0).sqrt();
    let im = half(size - z.re);
    Complex64::new(half(size + z.re), if z.im < 0.0 { -im } else { im })
}

/// Steps after which a root is taken as it is.
const MOST_STEPS: usize = 40;

/// The `N` roots of `z^N + a[0] z^(N-1) + … + a[N-1]`; complex ones in pairs of conjugates.
pub(super) fn roots<const N: usize>(a: &[f64; N]) -> [Complex64; N] {
    let mut found = [Complex64::ZERO; N];
    let mut rest = *a;
    let mut degree = N;
    let mut start = Complex64::new(0.6, 0.6);
    while degree > 0 {
        let root = approach(&rest[..degree], start);
        // Polished on the whole polynomial, so that errors of the division do not add up.
        let root = approach(a, root);
        if degree > 1 && root.im.abs() > 1e-9 * root.re.abs().max(1e-3) {
            let root = Complex64::new(root.re, root.im.abs());
            found[degree - 1] = root;
            found[degree - 2] = Complex64::new(root.re, -root.im);
            divide_pair(&mut rest[..degree], root);
            degree -= 2;
            start = root;
        } else {
            found[degree - 1] = Complex64::new(root.re, 0.0);
            divide_real(&mut rest[..degree], root.re);
            degree -= 1;
        }
    }
    found
}

/// Laguerre's steps from `start` to a root of the monic polynomial with the coefficients `a`.
fn approach(a: &[f64], start: Complex64) -> Complex64 {
    let n = a.len() as f64;
    let mut z = start;
    for step in 0..MOST_STEPS {
        // The polynomial, its derivative and half its second derivative.
        let (mut p, mut d, mut s) = (Complex64::new(1.0, 0.0), Complex64::ZERO, Complex64::ZERO);
        let size_of_z = z.norm_sqr().sqrt();
        let mut error = 1.0;
        for &c in a {
            s = s * z + d;
            d = d * z + p;
            p = p * z + c;
            error = error * size_of_z + size(p);
        }
        if size(p) <= 1e-15 * error {
            break;
        }
        let g = over(d, p);
        let g2 = g * g;
        let h = g2 - over(s, p) * 2.0;
        let root = square_root((h * n - g2) * (n - 1.0));
        let (sum, difference) = (g + root, g - root);
        let divisor = if sum.norm_sqr() >= difference.norm_sqr() { sum } else { difference };
        // At a point where all derivatives vanish, or in a cycle, a step aside.
        let change = if divisor.norm_sqr() > 0.0 && step % 10 != 9 {
            over(n.into(), divisor)
        } else {
            Complex64::new(0.1 + 0.3 * size_of_z, 0.07)
        };
        let next = z - change;
        if !(next.re.is_finite() && next.im.is_finite()) {
            break;
        }
        let still = change.norm_sqr() <= 1e-30 * z.norm_sqr();
        z = next;
        if still {
            break;
        }
    }
    z
}

fn divide_real(a: &mut [f64], root: f64) {
    let mut carry = 1.0;
    for c in a.iter_mut() {
        let next = *c + carry * root;
        *c = next;
        carry = next;
    }
}

/// Divides by `z^2 - 2 re z + |z|^2`.
fn divide_pair(a: &mut [f64], root: Complex64) {
    let (b, c) = (2.0 * root.re, -root.norm_sqr());
    let (mut before, mut carry) = (0.0, 1.0);
    for x in a.iter_mut() {
        let next = *x + carry * b + before * c;
        *x = next;
        before = carry;
        carry = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_a_product_come_back() {
        // (z - 0.5)(z^2 - 2·0.3 z + 0.25)(z^2 + 2·0.6 z + 0.85)
        let pairs = [(-0.6, 0.25), (1.2, 0.85)];
        let mut poly = vec![1.0, -0.5];
        for (b, c) in pairs {
            let mut next = vec![0.0; poly.len() + 2];
            for (i, p) in poly.iter().enumerate() {
                next[i] += p;
                next[i + 1] += p * b;
                next[i + 2] += p * c;
            }
            poly = next;
        }
        let a: [f64; 5] = poly[1..].try_into().unwrap();
        let mut r = roots(&a).to_vec();
        r.sort_by(|x, y| x.re.total_cmp(&y.re).then(x.im.total_cmp(&y.im)));
        let want = [(-0.6, -0.7), (-0.6, 0.7), (0.3, -0.4), (0.3, 0.4), (0.5, 0.0)];
        for (r, w) in r.iter().zip(want) {
            assert!((r.re - w.0).abs() < 1e-10 && (r.im - w.1).abs() < 1e-10, "{r:?} {w:?}");
        }
    }

    #[test]
    fn zeros_are_roots_too() {
        assert!(roots(&[0.0; 11]).iter().all(|r| r.re.abs() < 1e-6 && r.im.abs() < 1e-6));
    }
}
