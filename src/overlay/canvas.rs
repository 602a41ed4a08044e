//! Plain shapes on a picture, blended by how much of each pixel they cover. Nothing depends on the machine.

use image::{Rgb, RgbImage};

/// A colour.
pub type Colour = [u8; 3];

/// Around lines, so that they are seen on bright pictures too.
const HALO: Colour = [0, 0, 0];
const HALO_ALPHA: f32 = 0.55;

/// An upright rectangle in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    pub left: f32,
    pub top: f32,
    pub width: f32,
    pub height: f32,
}

impl Area {
    pub fn right(&self) -> f32 {
        self.left + self.width
    }

    pub fn bottom(&self) -> f32 {
        self.top + self.height
    }

    /// True where they share more than an edge.
    pub fn overlaps(&self, other: &Area) -> bool {
        self.left < other.right() && other.left < self.right() && self.top < other.bottom() && other.top < self.bottom()
    }

    /// True where it lies in a picture of this size.
    pub fn is_within(&self, width: f32, height: f32) -> bool {
        self.left >= 0.0 && self.top >= 0.0 && self.right() <= width && self.bottom() <= height
    }
}

/// Mixes a colour into a pixel, `alpha` of it, 0 to 1; outside of the picture nothing.
pub fn blend(picture: &mut RgbImage, x: i32, y: i32, colour: Colour, alpha: f32) {
    let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
    if let Some(Rgb(pixel)) = picture.get_pixel_mut_checked(x, y) {
        let alpha = alpha.clamp(0.0, 1.0);
        for (own, new) in pixel.iter_mut().zip(colour) {
            *own = (f32::from(*own) + alpha * (f32::from(new) - f32::from(*own))).round() as u8;
        }
    }
}

/// The whole pixels from one place to another, cut to the picture.
fn pixels(from: f32, to: f32, size: u32) -> std::ops::Range<i32> {
    let most = size.min(1 << 20) as f32;
    (from.floor().clamp(0.0, most) as i32)..(to.ceil().clamp(0.0, most) as i32)
}

/// Fills a rectangle; edges between pixels are rounded to them.
pub fn fill(picture: &mut RgbImage, area: Area, colour: Colour, alpha: f32) {
    let rows = pixels(area.top.round(), area.bottom().round(), picture.height());
    let columns = pixels(area.left.round(), area.right().round(), picture.width());
    for y in rows {
        for x in columns.clone() {
            blend(picture, x, y, colour, alpha);
        }
    }
}

/// The edge of a rectangle, inside of which nothing is drawn, with a halo.
pub fn frame(picture: &mut RgbImage, area: Area, thick: f32, colour: Colour) {
    let halo = (thick / 2.0).clamp(1.0, 3.0).round();
    let around = Area {
        left: area.left - halo,
        top: area.top - halo,
        width: area.width + 2.0 * halo,
        height: area.height + 2.0 * halo,
    };
    edges(picture, around, thick + 2.0 * halo, HALO, HALO_ALPHA);
    edges(picture, area, thick, colour, 1.0);
}

fn edges(picture: &mut RgbImage, area: Area, thick: f32, colour: Colour, alpha: f32) {
    let Area { left, top, width, height } = area;
    let inner = (height - 2.0 * thick).max(0.0);
    fill(picture, Area { height: thick.min(height), ..area }, colour, alpha);
    fill(picture, Area { top: top + height - thick, height: thick.min(height), ..area }, colour, alpha);
    fill(picture, Area { top: top + thick, width: thick.min(width), height: inner, ..area }, colour, alpha);
    let right = left + width - thick;
    fill(picture, Area { left: right, top: top + thick, width: thick.min(width), height: inner }, colour, alpha);
}

/// A line with round ends and a halo; a dot where both ends are one place.
pub fn line(picture: &mut RgbImage, from: [f32; 2], to: [f32; 2], thick: f32, colour: Colour) {
    strokes(picture, &[(from, to, thick)], colour);
}

/// Several lines, each with its width: all halos first, so that none darkens another line.
pub fn strokes(picture: &mut RgbImage, lines: &[([f32; 2], [f32; 2], f32)], colour: Colour) {
    for (from, to, thick) in lines {
        capsule(picture, (*from, *to), thick + 2.0, HALO, HALO_ALPHA);
    }
    for (from, to, thick) in lines {
        capsule(picture, (*from, *to), *thick, colour, 1.0);
    }
}

/// A dot without a halo, for what comes by the hundred.
pub fn dot(picture: &mut RgbImage, at: [f32; 2], thick: f32, colour: Colour) {
    capsule(picture, (at, at), thick, colour, 0.85);
}

fn capsule(picture: &mut RgbImage, (a, b): ([f32; 2], [f32; 2]), thick: f32, colour: Colour, alpha: f32) {
    if ![a, b].iter().flatten().all(|x| x.is_finite()) {
        return;
    }
    let reach = thick / 2.0 + 1.0;
    let rows = pixels(a[1].min(b[1]) - reach, a[1].max(b[1]) + reach, picture.height());
    let columns = pixels(a[0].min(b[0]) - reach, a[0].max(b[0]) + reach, picture.width());
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let square = dx * dx + dy * dy;
    for y in rows {
        for x in columns.clone() {
            // The middle of a pixel, from the line's beginning.
            let (px, py) = (x as f32 + 0.5 - a[0], y as f32 + 0.5 - a[1]);
            let along = if square > 0.0 { ((px * dx + py * dy) / square).clamp(0.0, 1.0) } else { 0.0 };
            let off = (px - along * dx).hypot(py - along * dy);
            let covered = (thick / 2.0 + 0.5 - off).clamp(0.0, 1.0);
            if covered > 0.0 {
                blend(picture, x, y, colour, covered * alpha);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_cover_their_pixels_and_are_cut_at_the_picture() {
        let mut picture = RgbImage::new(20, 10);
        fill(&mut picture, Area { left: 2.0, top: 3.0, width: 4.0, height: 2.0 }, [200, 100, 0], 0.5);
        assert_eq!((picture.get_pixel(2, 3).0, picture.get_pixel(5, 4).0), ([100, 50, 0], [100, 50, 0]));
        assert_eq!((picture.get_pixel(6, 3).0, picture.get_pixel(2, 5).0), ([0; 3], [0; 3]));
        let mut picture = RgbImage::from_pixel(20, 10, Rgb([255; 3]));
        line(&mut picture, [-500.0, 5.0], [500.0, 5.0], 2.0, [255, 0, 0]);
        assert_eq!(picture.get_pixel(0, 4).0, [255, 0, 0]);
        assert!(picture.get_pixel(0, 3).0[0] < 140, "a halo on a bright picture");
        assert_eq!(picture.get_pixel(0, 8).0, [255; 3]);
        line(&mut picture, [f32::NAN, 5.0], [9.0, 5.0], 2.0, [0; 3]);
    }

    #[test]
    fn a_frame_leaves_its_middle_as_it_was() {
        let mut picture = RgbImage::from_pixel(40, 40, Rgb([255; 3]));
        frame(&mut picture, Area { left: 10.0, top: 10.0, width: 20.0, height: 20.0 }, 2.0, [0, 0, 255]);
        assert_eq!((picture.get_pixel(10, 15).0, picture.get_pixel(29, 29).0), ([0, 0, 255], [0, 0, 255]));
        assert_eq!(picture.get_pixel(20, 20).0, [255; 3]);
        assert!(picture.get_pixel(9, 15).0[0] < 140);
        frame(&mut picture, Area { left: -90.0, top: -90.0, width: 500.0, height: 500.0 }, 2.0, [0, 0, 255]);
    }
}
