//! Views of a picture and the sampling of square regions into a model's input.
//!
//! MediaPipe samples with OpenCV's `warpPerspective`: places rounded to 1/32 px, values rounded to whole bytes. These
//! models see the difference (0.5 % of the shoulder width in the median without the rounding, 0.004 % with it), so it is
//! done as there, in whole numbers.

use image::RgbImage;

/// Places are rounded to this part of a pixel: so many bits behind the point.
const BITS: u32 = 5;
const PARTS: i64 = 1 << BITS;
/// A number of this size plus a smaller one has a mantissa that counts in ones: added, it rounds halves to even, which
/// without SSE4.1 is else a call of a function for each place.
const ONES: f64 = 6_755_399_441_055_744.0;
/// Regions beyond this many px are none.
const FARTHEST: f32 = 1e6;

/// A square region of a picture that may be turned and reach past the edges.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Region {
    /// Centre, px of the picture.
    pub x: f32,
    /// Centre, px of the picture.
    pub y: f32,
    /// Length of a side, px.
    pub side: f32,
    /// Direction of the region's own x axis, radians, clockwise as seen.
    pub angle: f32,
}

impl Region {
    /// Where a point of an n x n crop lies in the picture.
    pub fn place(&self, n: usize, x: f32, y: f32) -> (f32, f32) {
        let step = self.step(n);
        let half = 0.5 * n as f32;
        let (sin, cos) = self.angle.sin_cos();
        let (dx, dy) = ((x - half) * step, (y - half) * step);
        (self.x + cos * dx - sin * dy, self.y + sin * dx + cos * dy)
    }

    /// Pixels of the picture to a pixel of an n x n crop: what depths grow by, too.
    pub fn step(&self, n: usize) -> f32 {
        self.side / n as f32
    }

    /// The turn that puts `to` above `from`: 0 where it lies there already.
    pub fn upright(from: (f32, f32), to: (f32, f32)) -> f32 {
        let turn = std::f32::consts::FRAC_PI_2 - (from.1 - to.1).atan2(to.0 - from.0);
        turn - std::f32::consts::TAU * ((turn + std::f32::consts::PI) / std::f32::consts::TAU).floor()
    }
}

/// What lies past the edge of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// The last row and column again.
    Repeat,
    /// Black.
    Black,
}

/// How bytes become a model's input: `value * gain + shift`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    /// Factor.
    pub gain: f32,
    /// Added afterwards.
    pub shift: f32,
}

impl Scale {
    /// 0 to 1.
    pub const UNIT: Scale = Scale { gain: 1.0 / 255.0, shift: 0.0 };
    /// -1 to 1.
    pub const SIGNED: Scale = Scale { gain: 2.0 / 255.0, shift: -1.0 };
}

/// A rectangle of a picture: what lies outside of it is not seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    picture: &'a RgbImage,
    left: i64,
    top: i64,
    /// One past the last column and row.
    right: i64,
    bottom: i64,
}

impl<'a> View<'a> {
    /// All of it.
    pub fn whole(picture: &'a RgbImage) -> Self {
        View { picture, left: 0, top: 0, right: picture.width().into(), bottom: picture.height().into() }
    }

    /// Left, top, right, bottom in px, cut at the picture's edges; `None` where nothing is left.
    pub fn part(picture: &'a RgbImage, [left, top, right, bottom]: [f32; 4]) -> Option<Self> {
        let whole = View::whole(picture);
        let view = View {
            left: (left as i64).max(0),
            top: (top as i64).max(0),
            right: (right as i64).min(whole.right),
            bottom: (bottom as i64).min(whole.bottom),
            ..whole
        };
        (view.left + 1 < view.right && view.top + 1 < view.bottom).then_some(view)
    }

    /// px.
    pub fn width(&self) -> f32 {
        (self.right - self.left) as f32
    }

    /// px.
    pub fn height(&self) -> f32 {
        (self.bottom - self.top) as f32
    }

    /// The square about all of it.
    pub fn square(&self) -> Region {
        let middle = |a: i64, b: i64| 0.5 * (a + b) as f32;
        Region {
            x: middle(self.left, self.right),
            y: middle(self.top, self.bottom),
            side: self.width().max(self.height()),
            angle: 0.0,
        }
    }

    /// Samples an n x n crop of `region` into `out`, three planes (R, G, B) of n². A view without pixels or a region
    /// that is no number gives black.
    pub fn sample(&self, region: &Region, n: usize, edge: Edge, scale: Scale, out: &mut [f32]) {
        let finite = [region.x, region.y, region.side, region.angle].iter().all(|v| v.abs() <= FARTHEST);
        if self.right <= self.left || self.bottom <= self.top || out.len() < 3 * n * n || !finite {
            out.fill(scale.shift);
            return;
        }
        let (red, rest) = out.split_at_mut(n * n);
        let (green, blue) = rest.split_at_mut(n * n);
        let step = f64::from(region.side) / n as f64;
        let (sin, cos) = f64::from(region.angle).sin_cos();
        let half = 0.5 * n as f64;
        let parts = |v: f64| (v * PARTS as f64 + ONES).to_bits() as i64 - ONES.to_bits() as i64;
        for j in 0..n {
            let dy = (j as f64 - half) * step;
            for i in 0..n {
                let dx = (i as f64 - half) * step;
                let x = parts(f64::from(region.x) + cos * dx - sin * dy);
                let y = parts(f64::from(region.y) + sin * dx + cos * dy);
                let at = j * n + i;
                let rgb = self.mixed(x, y, edge);
                [red[at], green[at], blue[at]] = rgb.map(|v| v as f32 * scale.gain + scale.shift);
            }
        }
    }

    /// The value at a place told in parts of a pixel, rounded to whole bytes.
    fn mixed(&self, x: i64, y: i64, edge: Edge) -> [u32; 3] {
        let (column, row) = (x >> BITS, y >> BITS);
        let (fx, fy) = ((x & (PARTS - 1)) as u32, (y & (PARTS - 1)) as u32);
        let whole = PARTS as u32;
        let weights = [(whole - fx) * (whole - fy), fx * (whole - fy), (whole - fx) * fy, fx * fy];
        let rounded = |sum: u32| (sum + whole * whole / 2) >> (2 * BITS);
        if let Some((upper, lower)) = self.inside(column, row) {
            let [a, b, c, d] = weights;
            let of = |byte: u8| u32::from(byte);
            return [0, 1, 2]
                .map(|k| rounded(a * of(upper[k]) + b * of(upper[k + 3]) + c * of(lower[k]) + d * of(lower[k + 3])));
        }
        let corners = [(column, row), (column + 1, row), (column, row + 1), (column + 1, row + 1)];
        let mut sum = [0u32; 3];
        for ((c, r), w) in corners.into_iter().zip(weights) {
            if w > 0
                && let Some(rgb) = self.pixel(c, r, edge)
            {
                sum.iter_mut().zip(rgb).for_each(|(s, v)| *s += w * u32::from(*v));
            }
        }
        sum.map(rounded)
    }

    /// Two pixels beside each other and the two below, where all four lie inside of the view.
    fn inside(&self, column: i64, row: i64) -> Option<(&'a [u8; 6], &'a [u8; 6])> {
        let all = column >= self.left && column + 1 < self.right && row >= self.top && row + 1 < self.bottom;
        if !all {
            return None;
        }
        let (raw, width) = (self.picture.as_raw(), self.picture.width() as usize);
        let at = 3 * (row as usize * width + column as usize);
        Some((raw.get(at..)?.first_chunk()?, raw.get(at + 3 * width..)?.first_chunk()?))
    }

    fn pixel(&self, column: i64, row: i64, edge: Edge) -> Option<&'a [u8]> {
        let (c, r) = (column.clamp(self.left, self.right - 1), row.clamp(self.top, self.bottom - 1));
        if edge == Edge::Black && (c, r) != (column, row) {
            return None;
        }
        let at = 3 * (r as usize * self.picture.width() as usize + c as usize);
        self.picture.as_raw().get(at..at + 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red = 10 x, green = 10 y.
    fn ramp() -> RgbImage {
        RgbImage::from_fn(8, 8, |x, y| image::Rgb([10 * x as u8, 10 * y as u8, 7]))
    }

    const BYTES: Scale = Scale { gain: 1.0, shift: 0.0 };

    #[test]
    fn a_region_is_sampled_between_pixels_and_its_edge_repeated_or_black() {
        let picture = ramp();
        let region = Region { x: 4.0, y: 4.0, side: 8.0, angle: 0.0 };
        let mut out = vec![0.0; 3 * 16 * 16];
        View::whole(&picture).sample(&region, 16, Edge::Repeat, BYTES, &mut out);
        assert!((out[1] - 5.0).abs() < 1e-6 && (out[15] - 70.0).abs() < 1e-6, "{} {}", out[1], out[15]);
        assert!((out[256 + 16 * 3] - 15.0).abs() < 1e-6 && (out[512] - 7.0).abs() < 1e-6);
        View::whole(&picture).sample(&region, 16, Edge::Black, BYTES, &mut out);
        assert!((out[15] - 35.0).abs() < 1e-6, "half of the last pixel lies outside: {}", out[15]);
    }

    #[test]
    fn places_are_rounded_to_even_parts_and_inside_is_as_at_the_edge() {
        let parts = |v: f64| (v * PARTS as f64 + ONES).to_bits() as i64 - ONES.to_bits() as i64;
        for v in [0.0, 1.0 / 64.0, 3.0 / 64.0, -1.0 / 64.0, -3.0 / 64.0, 1234.567, -98.76, 1e6, -1e6] {
            assert_eq!(parts(v), (v * PARTS as f64).round_ties_even() as i64, "{v}");
        }
        // A wider picture has the same pixels inside, where the narrow one is at its edge.
        let wide = RgbImage::from_fn(12, 12, |x, y| image::Rgb([(17 * x + 31 * y) as u8, (x * y) as u8, 200]));
        let part = View::part(&wide, [2.0, 2.0, 9.0, 9.0]).unwrap();
        for place in 0..9 * PARTS * 9 {
            let (x, y) = (64 + place % (7 * PARTS), 64 + (place * 7) % (7 * PARTS));
            let (column, row) = (x >> BITS, y >> BITS);
            let (fx, fy) = ((x & 31) as u32, (y & 31) as u32);
            let of = |c: i64, r: i64| u32::from(wide.get_pixel(c.min(8) as u32, r.min(8) as u32).0[0]);
            let sum = (32 - fx) * (32 - fy) * of(column, row)
                + fx * (32 - fy) * of(column + 1, row)
                + (32 - fx) * fy * of(column, row + 1)
                + fx * fy * of(column + 1, row + 1);
            assert_eq!(part.mixed(x, y, Edge::Repeat)[0], (sum + 512) / 1024, "{x} {y}");
        }
    }

    #[test]
    fn what_lies_outside_a_view_is_not_seen() {
        let picture = ramp();
        let view = View::part(&picture, [2.0, 2.0, 6.0, 6.0]).unwrap();
        let mut out = vec![0.0; 3 * 8 * 8];
        view.sample(&Region { x: 4.0, y: 4.0, side: 8.0, angle: 0.0 }, 8, Edge::Repeat, BYTES, &mut out);
        assert!((out[0] - 20.0).abs() < 1e-6 && (out[7] - 50.0).abs() < 1e-6, "{} {}", out[0], out[7]);
        assert!(View::part(&picture, [9.0, 0.0, 20.0, 5.0]).is_none());
        view.sample(&Region { x: f32::NAN, ..Region::default() }, 8, Edge::Repeat, Scale::SIGNED, &mut out);
        assert!(out.iter().all(|v| (v + 1.0).abs() < 1e-6), "a region that is no number is black");
    }

    #[test]
    fn points_of_a_turned_crop_find_their_place_again() {
        let region = Region { x: 4.0, y: 4.0, side: 4.0, angle: std::f32::consts::FRAC_PI_2 };
        let (x, y) = region.place(4, 4.0, 2.0);
        assert!((x - 4.0).abs() < 1e-4 && (y - 6.0).abs() < 1e-4, "{x} {y}");
        assert!(Region::upright((3.0, 9.0), (3.0, 1.0)).abs() < 1e-6);
        let right = Region::upright((0.0, 0.0), (5.0, 0.0));
        assert!((right - std::f32::consts::FRAC_PI_2).abs() < 1e-6, "the head lies to the right: {right}");
    }
}
