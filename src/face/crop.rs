//! Crops: square regions of a picture, rotated, sampled into a model's input.
//!
//! The sampling is MediaPipe's on the CPU: crop pixel (i, j) of n x n lies at (i / n, j / n) of the region, counted in pixel
//! indices (no half-pixel shift), bilinear, and the picture's edge is repeated.

use image::RgbImage;

/// A square region of a picture that may be rotated and reach past the edges.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Roi {
    /// Centre in px.
    pub x: f32,
    /// Centre in px.
    pub y: f32,
    /// Length of a side in px.
    pub side: f32,
    /// Direction of the region's own x axis, radians, clockwise as seen.
    pub angle: f32,
}

impl Roi {
    /// The map from pixels of an n x n crop to the picture.
    pub fn map(&self, n: usize) -> Affine {
        let step = self.side / n as f32;
        let (sin, cos) = self.angle.sin_cos();
        let (c, s) = (cos * step, sin * step);
        let h = 0.5 * n as f32;
        Affine { xx: c, xy: -s, x0: self.x - h * c + h * s, yx: s, yy: c, y0: self.y - h * s - h * c }
    }
}

/// x' = xx x + xy y + x0, y' = yx x + yy y + y0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Affine {
    pub xx: f32,
    pub xy: f32,
    pub x0: f32,
    pub yx: f32,
    pub yy: f32,
    pub y0: f32,
}

impl Affine {
    /// Enlarges without rotation: what resizing to another size does.
    pub fn scale(x: f32, y: f32) -> Self {
        Affine { xx: x, xy: 0.0, x0: 0.0, yx: 0.0, yy: y, y0: 0.0 }
    }

    /// Where a point goes.
    pub fn apply(&self, x: f32, y: f32) -> (f32, f32) {
        (self.xx * x + self.xy * y + self.x0, self.yx * x + self.yy * y + self.y0)
    }

    /// The rotation, scale and shift that bring `from` nearest to `to` (least squares); `None` when the points coincide.
    pub fn similarity(from: &[(f32, f32)], to: &[(f32, f32)]) -> Option<Self> {
        let n = from.len().min(to.len()) as f64;
        let mean = |p: &[(f32, f32)]| {
            let s = p.iter().fold((0.0, 0.0), |a, q| (a.0 + f64::from(q.0), a.1 + f64::from(q.1)));
            (s.0 / n, s.1 / n)
        };
        let (f0, t0) = (mean(from), mean(to));
        let (mut dot, mut cross, mut square) = (0.0, 0.0, 0.0);
        for (f, t) in from.iter().zip(to) {
            let (fx, fy) = (f64::from(f.0) - f0.0, f64::from(f.1) - f0.1);
            let (tx, ty) = (f64::from(t.0) - t0.0, f64::from(t.1) - t0.1);
            dot += fx * tx + fy * ty;
            cross += fx * ty - fy * tx;
            square += fx * fx + fy * fy;
        }
        if square <= 1e-9 || !square.is_finite() {
            return None;
        }
        let (c, s) = (dot / square, cross / square);
        Some(Affine {
            xx: c as f32,
            xy: -s as f32,
            x0: (t0.0 - c * f0.0 + s * f0.1) as f32,
            yx: s as f32,
            yy: c as f32,
            y0: (t0.1 - s * f0.0 - c * f0.1) as f32,
        })
    }
}

/// Samples an n x n crop into `out`, three planes (R, G, B) of n², every value times `gain`.
///
/// A picture without pixels gives zeros.
pub(super) fn sample(picture: &RgbImage, map: &Affine, n: usize, gain: f32, out: &mut [f32]) {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let pixels = picture.as_raw().as_slice();
    if width == 0 || height == 0 || out.len() < 3 * n * n {
        out.fill(0.0);
        return;
    }
    let (red, rest) = out.split_at_mut(n * n);
    let (green, blue) = rest.split_at_mut(n * n);
    let rows = red.chunks_exact_mut(n).zip(green.chunks_exact_mut(n)).zip(blue.chunks_exact_mut(n)).take(n);
    let (right, bottom) = ((width - 1) as f32, (height - 1) as f32);
    let stride = 3 * width;
    for (j, ((red, green), blue)) in rows.enumerate() {
        let (x0, y0) = map.apply(0.0, j as f32);
        for (i, ((r, g), b)) in red.iter_mut().zip(green.iter_mut()).zip(blue.iter_mut()).enumerate() {
            // Clamping the position repeats the edge: at the last column the right neighbour's weight is 0.
            let x = (x0 + map.xx * i as f32).clamp(0.0, right);
            let y = (y0 + map.yx * i as f32).clamp(0.0, bottom);
            let (left, top) = (x as usize, y as usize);
            let (fx, fy) = (x - left as f32, y - top as f32);
            let at = top * stride + 3 * left;
            let below = if top + 1 < height { at + stride } else { at };
            let next = if left + 1 < width { 3 } else { 0 };
            let (w00, w01) = ((1.0 - fx) * (1.0 - fy) * gain, fx * (1.0 - fy) * gain);
            let (w10, w11) = ((1.0 - fx) * fy * gain, fx * fy * gain);
            let (Some(p00), Some(p01)) = (pixels.get(at..at + 3), pixels.get(at + next..at + next + 3)) else { continue };
            let (Some(p10), Some(p11)) = (pixels.get(below..below + 3), pixels.get(below + next..below + next + 3)) else { continue };
            let mix = |k: usize| f32::from(p00[k]) * w00 + f32::from(p01[k]) * w01 + f32::from(p10[k]) * w10 + f32::from(p11[k]) * w11;
            *r = mix(0);
            *g = mix(1);
            *b = mix(2);
        }
    }
}

/// Three planes of values 0 to 255 as one picture.
pub(super) fn picture(planes: &[f32], n: usize) -> RgbImage {
    RgbImage::from_fn(n as u32, n as u32, |x, y| {
        let at = y as usize * n + x as usize;
        image::Rgb([0, 1, 2].map(|k| planes.get(k * n * n + at).map_or(0, |v| v.round().clamp(0.0, 255.0) as u8)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red = 10 x, green = 10 y.
    fn ramp() -> RgbImage {
        RgbImage::from_fn(8, 8, |x, y| image::Rgb([10 * x as u8, 10 * y as u8, 7]))
    }

    #[test]
    fn an_upright_region_is_sampled_between_pixels_and_its_edge_repeated() {
        let roi = Roi { x: 4.0, y: 4.0, side: 8.0, angle: 0.0 };
        let mut out = vec![0.0; 3 * 16 * 16];
        sample(&ramp(), &roi.map(16), 16, 1.0, &mut out);
        assert!((out[1] - 5.0).abs() < 1e-4, "half a pixel along x: {}", out[1]);
        assert!((out[15] - 70.0).abs() < 1e-4, "7.5 px is past the last column: {}", out[15]);
        assert!((out[256 + 16 * 3] - 15.0).abs() < 1e-4, "1.5 px down");
        assert!((out[512] - 7.0).abs() < 1e-4);
    }

    #[test]
    fn a_quarter_turn_puts_down_to_the_right() {
        let roi = Roi { x: 4.0, y: 4.0, side: 4.0, angle: std::f32::consts::FRAC_PI_2 };
        let (x, y) = roi.map(4).apply(4.0, 2.0);
        assert!((x - 4.0).abs() < 1e-4 && (y - 6.0).abs() < 1e-4, "{x} {y}");
    }

    #[test]
    fn a_similarity_is_found_again() {
        let truth = Roi { x: 50.0, y: 60.0, side: 30.0, angle: 0.4 }.map(10);
        let from = [(0.0, 0.0), (10.0, 0.0), (3.0, 7.0)];
        let to = from.map(|(x, y)| truth.apply(x, y));
        let found = Affine::similarity(&from, &to).unwrap();
        let (x, y) = found.apply(5.0, 5.0);
        assert!((x - 50.0).abs() < 1e-3 && (y - 60.0).abs() < 1e-3, "{x} {y}");
        assert!(Affine::similarity(&[(1.0, 1.0); 3], &to).is_none());
    }
}
