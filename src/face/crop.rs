//! Crops: square regions of a picture, rotated, sampled into a model's input.
//!
//! The sampling is MediaPipe's on the CPU: crop pixel (i, j) of n x n lies at (i / n, j / n) of the region, counted in
//! pixel indices (no half-pixel shift), bilinear, and the picture's edge is repeated.

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
    #[cfg(test)]
    pub fn scale(x: f32, y: f32) -> Self {
        Affine { xx: x, xy: 0.0, x0: 0.0, yx: 0.0, yy: y, y0: 0.0 }
    }

    /// Where a point goes.
    pub fn apply(&self, x: f32, y: f32) -> (f32, f32) {
        (self.xx * x + self.xy * y + self.x0, self.yx * x + self.yy * y + self.y0)
    }
}

/// Samples an n x n crop into `out`, three planes (R, G, B) of n², every value times `gain`.
///
/// A picture without pixels, or a map that is not finite, gives zeros.
pub(super) fn sample(picture: &RgbImage, map: &Affine, n: usize, gain: f32, out: &mut [f32]) {
    let finite = [map.xx, map.xy, map.x0, map.yx, map.yy, map.y0].iter().all(|v| v.is_finite());
    if picture.width() == 0 || picture.height() == 0 || out.len() < 3 * n * n || !finite {
        out.fill(0.0);
        return;
    }
    let source = PictureBytes::of(picture);
    let (red, rest) = out.split_at_mut(n * n);
    let (green, blue) = rest.split_at_mut(n * n);
    let rows = red.chunks_exact_mut(n).zip(green.chunks_exact_mut(n)).zip(blue.chunks_exact_mut(n)).take(n);
    for (j, ((red, green), blue)) in rows.enumerate() {
        let line = SampledRow { start: map.apply(0.0, j as f32), step: (map.xx, map.yx), gain };
        let done = wide::sample_row(&source, &line, red, green, blue);
        for i in done..n {
            [red[i], green[i], blue[i]] = source.sample(&line, i);
        }
    }
}

/// A picture's bytes.
struct PictureBytes<'a> {
    pixels: &'a [u8],
    stride: usize,
    /// The last column and row.
    last: (f32, f32),
    height: usize,
}

/// One row of a crop: where its first pixel lies, what each one adds, and the factor of all values.
struct SampledRow {
    start: (f32, f32),
    step: (f32, f32),
    gain: f32,
}

impl<'a> PictureBytes<'a> {
    fn of(picture: &'a RgbImage) -> Self {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        PictureBytes {
            pixels: picture.as_raw(),
            stride: 3 * width,
            last: ((width - 1) as f32, (height - 1) as f32),
            height,
        }
    }

    /// R, G, B of a pixel. Clamping the position repeats the edge: at the last column the right neighbour's weight is
    /// 0, at the last row the lower one's.
    fn sample(&self, line: &SampledRow, i: usize) -> [f32; 3] {
        let x = (line.start.0 + line.step.0 * i as f32).clamp(0.0, self.last.0);
        let y = (line.start.1 + line.step.1 * i as f32).clamp(0.0, self.last.1);
        let (left, top) = (x as usize, y as usize);
        let (fx, fy) = (x - left as f32, y - top as f32);
        let upper = top * self.stride + 3 * left;
        let lower = if top + 1 < self.height { upper + self.stride } else { upper };
        let [w00, w01, w10, w11] =
            [(1.0 - fx) * (1.0 - fy), fx * (1.0 - fy), (1.0 - fx) * fy, fx * fy].map(|w| w * line.gain);
        let value = |at: usize| f32::from(self.pixels.get(at).copied().unwrap_or(0));
        [0, 1, 2].map(|k| {
            value(upper + k) * w00 + value(upper + k + 3) * w01 + value(lower + k) * w10 + value(lower + k + 3) * w11
        })
    }
}

/// Four pixels at a time where the processor can (AVX2): the same products and sums in the same order, so the same
/// bits.
#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;

    use super::{PictureBytes, SampledRow};

    /// Samples the start of a row; returns how many pixels it did.
    pub(super) fn sample_row(
        source: &PictureBytes<'_>,
        line: &SampledRow,
        red: &mut [f32],
        green: &mut [f32],
        blue: &mut [f32],
    ) -> usize {
        if !is_x86_feature_detected!("avx2") || i32::try_from(source.pixels.len()).is_err() {
            return 0;
        }
        // SAFETY: the processor has AVX2.
        unsafe { fours(source, line, red, green, blue) }
    }

    /// No closures in here: one that is handed to a function of the library is compiled without AVX2 around it, and
    /// called for each value.
    #[target_feature(enable = "avx2")]
    fn fours(
        source: &PictureBytes<'_>,
        line: &SampledRow,
        red: &mut [f32],
        green: &mut [f32],
        blue: &mut [f32],
    ) -> usize {
        let (zero, one, gain) = (_mm_setzero_ps(), _mm_set1_ps(1.0), _mm_set1_ps(line.gain));
        let (x0, y0) = (_mm_set1_ps(line.start.0), _mm_set1_ps(line.start.1));
        let (dx, dy) = (_mm_set1_ps(line.step.0), _mm_set1_ps(line.step.1));
        let (right, bottom) = (_mm_set1_ps(source.last.0), _mm_set1_ps(source.last.1));
        let (stride, last) = (_mm_set1_epi32(source.stride as i32), _mm_set1_epi32(source.height as i32 - 1));
        let mut done = 0;
        let outs =
            red.as_chunks_mut::<4>().0.iter_mut().zip(green.as_chunks_mut::<4>().0).zip(blue.as_chunks_mut::<4>().0);
        for ((red, green), blue) in outs {
            let at = _mm_cvtepi32_ps(_mm_add_epi32(_mm_set1_epi32(done as i32), _mm_setr_epi32(0, 1, 2, 3)));
            let x = _mm_min_ps(_mm_max_ps(_mm_add_ps(x0, _mm_mul_ps(dx, at)), zero), right);
            let y = _mm_min_ps(_mm_max_ps(_mm_add_ps(y0, _mm_mul_ps(dy, at)), zero), bottom);
            let (left, top) = (_mm_cvttps_epi32(x), _mm_cvttps_epi32(y));
            let (fx, fy) = (_mm_sub_ps(x, _mm_cvtepi32_ps(left)), _mm_sub_ps(y, _mm_cvtepi32_ps(top)));
            let (gx, gy) = (_mm_sub_ps(one, fx), _mm_sub_ps(one, fy));
            let upper = _mm_add_epi32(_mm_mullo_epi32(top, stride), _mm_add_epi32(left, _mm_add_epi32(left, left)));
            let lower = _mm_add_epi32(upper, _mm_and_si128(stride, _mm_cmpgt_epi32(last, top)));
            let weights = [
                _mm_mul_ps(_mm_mul_ps(gx, gy), gain),
                _mm_mul_ps(_mm_mul_ps(fx, gy), gain),
                _mm_mul_ps(_mm_mul_ps(gx, fy), gain),
                _mm_mul_ps(_mm_mul_ps(fx, fy), gain),
            ];
            let ab = [
                _mm_extract_epi32::<0>(upper),
                _mm_extract_epi32::<1>(upper),
                _mm_extract_epi32::<0>(lower),
                _mm_extract_epi32::<1>(lower),
            ];
            let cd = [
                _mm_extract_epi32::<2>(upper),
                _mm_extract_epi32::<3>(upper),
                _mm_extract_epi32::<2>(lower),
                _mm_extract_epi32::<3>(lower),
            ];
            let Some(ab) = two(source, ab, weights, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1)) else { return done };
            let Some(cd) = two(source, cd, weights, _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3)) else { return done };
            let (a, b) = (_mm256_castps256_ps128(ab), _mm256_extractf128_ps::<1>(ab));
            let (c, d) = (_mm256_castps256_ps128(cd), _mm256_extractf128_ps::<1>(cd));
            let (ab, cd) = (_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d));
            let (ab_blue, cd_blue) = (_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
            *red = floats(_mm_movelh_ps(ab, cd));
            *green = floats(_mm_movehl_ps(cd, ab));
            *blue = floats(_mm_movelh_ps(ab_blue, cd_blue));
            done += 4;
        }
        done
    }

    /// R, G, B and a fourth value without meaning of two pixels, whose weights are those at `which`; their bytes begin
    /// at `[upper, upper, lower, lower]`. `None` where eight bytes at a time would pass the picture's end.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn two(source: &PictureBytes<'_>, at: [i32; 4], weights: [__m128; 4], which: __m256i) -> Option<__m256> {
        let upper = _mm_set_epi64x(eight(source.pixels, at[1])?, eight(source.pixels, at[0])?);
        let lower = _mm_set_epi64x(eight(source.pixels, at[3])?, eight(source.pixels, at[2])?);
        // Four bytes of each left neighbour, then four of each right one.
        let order = _mm_setr_epi8(0, 1, 2, 3, 8, 9, 10, 11, 3, 4, 5, 6, 11, 12, 13, 14);
        let (upper, lower) = (_mm_shuffle_epi8(upper, order), _mm_shuffle_epi8(lower, order));
        let sum = weighted(upper, weights[0], which);
        let sum = _mm256_add_ps(sum, weighted(_mm_srli_si128::<8>(upper), weights[1], which));
        let sum = _mm256_add_ps(sum, weighted(lower, weights[2], which));
        Some(_mm256_add_ps(sum, weighted(_mm_srli_si128::<8>(lower), weights[3], which)))
    }

    /// The first eight bytes times the weights at `which`.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn weighted(bytes: __m128i, weights: __m128, which: __m256i) -> __m256 {
        let weights = _mm256_permutevar8x32_ps(_mm256_castps128_ps256(weights), which);
        _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes)), weights)
    }

    #[inline(always)]
    fn eight(pixels: &[u8], at: i32) -> Option<i64> {
        pixels.get(at as usize..)?.first_chunk::<8>().map(|b| i64::from_le_bytes(*b))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn floats(v: __m128) -> [f32; 4] {
        // SAFETY: both are four floats without padding.
        unsafe { std::mem::transmute::<__m128, [f32; 4]>(v) }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod wide {
    use super::{PictureBytes, SampledRow};

    /// Nothing: every pixel is left to the plain way.
    pub(super) fn sample_row(
        _: &PictureBytes<'_>,
        _: &SampledRow,
        _: &mut [f32],
        _: &mut [f32],
        _: &mut [f32],
    ) -> usize {
        0
    }
}

/// Three planes of values 0 to 255 as one picture; zero where a plane is too short.
pub(super) fn picture(planes: &[f32], n: usize) -> RgbImage {
    let mut picture = RgbImage::new(n as u32, n as u32);
    for (k, plane) in planes.chunks(n.max(1) * n.max(1)).take(3).enumerate() {
        for (pixel, value) in picture.as_chunks_mut::<3>().0.iter_mut().zip(plane) {
            pixel[k] = rounded(*value);
        }
    }
    picture
}

/// The nearest byte, halves up: what is left behind the point is exact, where adding a half would round. No number is
/// 0.
fn rounded(value: f32) -> u8 {
    let value = value.clamp(0.0, 255.0);
    let whole = value as u8;
    whole + u8::from(value - f32::from(whole) >= 0.5)
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
    fn four_pixels_at_a_time_are_the_same_bits_as_one() {
        let picture = RgbImage::from_fn(23, 17, |x, y| {
            image::Rgb([(x * 37 + y * 11) as u8, (x * x + 3 * y) as u8, (x ^ (5 * y)) as u8])
        });
        for (angle, side) in [(0.0, 17.0), (0.3, 9.5), (-2.0, 60.0), (1.5, 0.0)] {
            let n = 22;
            let map = Roi { x: 14.0, y: 9.0, side, angle }.map(n);
            let mut out = vec![f32::NAN; 3 * n * n];
            sample(&picture, &map, n, 1.0 / 255.0, &mut out);
            for (j, i) in (0..n).flat_map(|j| (0..n).map(move |i| (j, i))) {
                let line = SampledRow { start: map.apply(0.0, j as f32), step: (map.xx, map.yx), gain: 1.0 / 255.0 };
                let plain = PictureBytes::of(&picture).sample(&line, i);
                let got = [0, 1, 2].map(|k| out[k * n * n + j * n + i]);
                assert_eq!(got.map(f32::to_bits), plain.map(f32::to_bits), "pixel {i}, {j} at {angle}");
            }
        }
        let mut out = [1.0; 12];
        sample(&picture, &Roi { x: f32::NAN, y: 0.0, side: 1.0, angle: 0.0 }.map(2), 2, 1.0, &mut out);
        assert!(out.iter().all(|v: &f32| v.abs() < 1e-12), "a map that is no number");
    }

    #[test]
    fn values_become_the_nearest_bytes() {
        let values = [0.499_999_97, 0.5, 254.499_98, 254.5, 255.0, 300.0, -0.7, -9.0, f32::NAN, 1.5, 2.5, 7.0];
        for value in values {
            assert_eq!(rounded(value), value.round().clamp(0.0, 255.0) as u8, "{value}");
        }
        let planes: Vec<f32> = values.to_vec();
        let expected = [[0, 255, 0], [1, 255, 2], [254, 0, 3], [255, 0, 7]];
        assert_eq!(picture(&planes, 2).pixels().map(|p| p.0).collect::<Vec<_>>(), expected);
        assert_eq!(picture(&planes[..5], 2).get_pixel(0, 0).0, [0, 255, 0], "the planes end early");
    }

    #[test]
    fn a_quarter_turn_puts_down_to_the_right() {
        let roi = Roi { x: 4.0, y: 4.0, side: 4.0, angle: std::f32::consts::FRAC_PI_2 };
        let (x, y) = roi.map(4).apply(4.0, 2.0);
        assert!((x - 4.0).abs() < 1e-4 && (y - 6.0).abs() < 1e-4, "{x} {y}");
    }
}
