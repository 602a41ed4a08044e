//! Roots of real polynomials by Laguerre's method with deflation.

/// A complex number in double precision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Root {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Root {
    fn new(re: f64, im: f64) -> Self {
        Root { re, im }
    }

    fn plus(self, o: Root) -> Root {
        Root::new(self.re + o.re, self.im + o.im)
    }

    fn minus(self, o: Root) -> Root {
        Root::new(self.re - o.re, self.im - o.im)
    }

    fn times(self, o: Root) -> Root {
        Root::new(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)
    }

    fn scaled(self, k: f64) -> Root {
        Root::new(self.re * k, self.im * k)
    }

    fn norm(self) -> f64 {
        self.re * self.re + self.im * self.im
    }

    /// Sum of the parts' sizes: a bound that costs no root.
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }

    fn over(self, o: Root) -> Root {
        self.times(Root::new(o.re, -o.im)).scaled(1.0 / o.norm())
    }

    fn square_root(self) -> Root {
        let size = self.norm().sqrt();
        let re = ((size + self.re) / 2.0).max(0.0).sqrt();
        let im = ((size - self.re) / 2.0).max(0.0).sqrt();
        Root::new(re, if self.im < 0.0 { -im } else { im })
    }
}

/// Steps after which a root is taken as it is.
const MOST_STEPS: usize = 40;

/// The `N` roots of `z^N + a[0] z^(N-1) + … + a[N-1]`; complex ones in pairs of conjugates.
pub(super) fn roots<const N: usize>(a: &[f64; N]) -> [Root; N] {
    let mut found = [Root::default(); N];
    let mut rest = *a;
    let mut degree = N;
    let mut start = Root::new(0.6, 0.6);
    while degree > 0 {
        let root = approach(&rest[..degree], start);
        // Polished on the whole polynomial, so that errors of the division do not add up.
        let root = approach(a, root);
        if degree > 1 && root.im.abs() > 1e-9 * root.re.abs().max(1e-3) {
            let root = Root::new(root.re, root.im.abs());
            found[degree - 1] = root;
            found[degree - 2] = Root::new(root.re, -root.im);
            divide_pair(&mut rest[..degree], root);
            degree -= 2;
            start = root;
        } else {
            found[degree - 1] = Root::new(root.re, 0.0);
            divide_real(&mut rest[..degree], root.re);
            degree -= 1;
        }
    }
    found
}

/// Laguerre's steps from `start` to a root of the monic polynomial with the coefficients `a`.
fn approach(a: &[f64], start: Root) -> Root {
    let n = a.len() as f64;
    let mut z = start;
    for step in 0..MOST_STEPS {
        // The polynomial, its derivative and half its second derivative.
        let (mut p, mut d, mut s) = (Root::new(1.0, 0.0), Root::default(), Root::default());
        let size = z.norm().sqrt();
        let mut error = 1.0;
        for &c in a {
            s = s.times(z).plus(d);
            d = d.times(z).plus(p);
            p = p.times(z).plus(Root::new(c, 0.0));
            error = error * size + p.size();
        }
        if p.size() <= 1e-15 * error {
            break;
        }
        let g = d.over(p);
        let g2 = g.times(g);
        let h = g2.minus(s.over(p).scaled(2.0));
        let root = h.scaled(n).minus(g2).scaled(n - 1.0).square_root();
        let (sum, difference) = (g.plus(root), g.minus(root));
        let divisor = if sum.norm() >= difference.norm() { sum } else { difference };
        // At a point where all derivatives vanish, or in a cycle, a step aside.
        let change =
            if divisor.norm() > 0.0 && step % 10 != 9 { Root::new(n, 0.0).over(divisor) } else { Root::new(0.1 + 0.3 * size, 0.07) };
        let next = z.minus(change);
        if !(next.re.is_finite() && next.im.is_finite()) {
            break;
        }
        let still = change.norm() <= 1e-30 * z.norm();
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
fn divide_pair(a: &mut [f64], root: Root) {
    let (b, c) = (2.0 * root.re, -root.norm());
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
