//! Motion: by how much the whole picture moved since the frame before, as it does under a shaking or panning camera. Faces
//! that are followed are looked for where it took them.
//!
//! Block matching of grey thumbnails, coarse then fine (Jain & Jain 1981): the shift whose mean difference, cut off so that
//! what moves by itself counts little, is least; none where it explains hardly more than standing still does.

use image::RgbImage;

/// Cells across the fine thumbnail; the coarse one has a third of them.
const FINE: usize = 96;
const COARSER: usize = 3;
/// Largest shift, in shares of the picture's width and height.
const REACH: f32 = 0.2;
/// Grey differences count up to this, 0 to 1.
const MOST: f32 = 0.12;
/// A shift must explain the picture so much better than none.
const BETTER: f32 = 0.8;
/// Mean difference below which nothing moved.
const STILL: f32 = 0.004;

/// A grey picture of few cells.
#[derive(Clone, Debug, PartialEq)]
struct Grey {
    width: usize,
    height: usize,
    cells: Vec<f32>,
}

impl Grey {
    fn of(picture: &RgbImage) -> Self {
        let (w, h) = (picture.width() as usize, picture.height() as usize);
        let width = FINE.min(w);
        let height = (width * h).checked_div(w).map_or(0, |height| height.min(h));
        let mut cells = vec![0.0f32; width * height];
        let pixels = picture.as_raw();
        for (j, row) in cells.chunks_exact_mut(width.max(1)).enumerate() {
            let (top, bottom) = (j * h / height, ((j + 1) * h / height).max(j * h / height + 1));
            for (i, cell) in row.iter_mut().enumerate() {
                let (left, right) = (i * w / width, ((i + 1) * w / width).max(i * w / width + 1));
                // At most 3 x 3 pixels of a cell are enough.
                let (down, along) = (((bottom - top) / 3).max(1), ((right - left) / 3).max(1));
                let (mut sum, mut count) = (0.0f32, 0.0f32);
                for y in (top..bottom.min(h)).step_by(down) {
                    for x in (left..right.min(w)).step_by(along) {
                        let Some(p) = pixels.get(3 * (y * w + x)..3 * (y * w + x) + 3) else { continue };
                        sum += 0.299 * f32::from(p[0]) + 0.587 * f32::from(p[1]) + 0.114 * f32::from(p[2]);
                        count += 255.0;
                    }
                }
                *cell = sum / count.max(1.0);
            }
        }
        Grey { width, height, cells }
    }

    fn coarser(&self) -> Self {
        let (width, height) = (self.width / COARSER, self.height / COARSER);
        let mean = |i: usize| {
            let (x, y) = (i % width * COARSER, i / width * COARSER);
            let rows = (y..y + COARSER).map(|r| self.cells[r * self.width + x..][..COARSER].iter().sum::<f32>());
            rows.sum::<f32>() / (COARSER * COARSER) as f32
        };
        Grey { width, height, cells: (0..width * height).map(mean).collect() }
    }

    /// Mean difference where `self`, moved by so many cells, lies on `other`.
    fn difference(&self, other: &Grey, dx: isize, dy: isize) -> f32 {
        let span = |d: isize, n: usize| (d.max(0) as usize, (n as isize + d.min(0)).max(0) as usize);
        let ((left, right), (top, bottom)) = (span(dx, self.width), span(dy, self.height));
        let count = right.saturating_sub(left) * bottom.saturating_sub(top);
        if count == 0 {
            return f32::INFINITY;
        }
        let mut sum = 0.0;
        for y in top..bottom {
            let from = (y as isize - dy) as usize * self.width + (left as isize - dx) as usize;
            let (a, b) =
                (&self.cells[from..from + right - left], &other.cells[y * self.width + left..y * self.width + right]);
            sum += a.iter().zip(b).map(|(a, b)| (a - b).abs().min(MOST)).sum::<f32>();
        }
        sum / count as f32
    }

    /// The best shift within `reach` cells of `about`, the first of equals nearest to the top left.
    fn best(&self, other: &Grey, about: (isize, isize), reach: (isize, isize)) -> (isize, isize) {
        let mut best = (self.difference(other, about.0, about.1), about);
        for dy in about.1 - reach.1..=about.1 + reach.1 {
            for dx in about.0 - reach.0..=about.0 + reach.0 {
                let d = self.difference(other, dx, dy);
                if d < best.0 {
                    best = (d, (dx, dy));
                }
            }
        }
        best.1
    }
}

/// Follows the camera.
#[derive(Debug, Default)]
pub(super) struct Camera {
    last: Option<Grey>,
}

impl Camera {
    /// How far the picture moved since the frame before, px right and down; 0 at the first frame and at cuts.
    pub fn shift(&mut self, picture: &RgbImage, cut: bool) -> (f32, f32) {
        let now = Grey::of(picture);
        let before = self.last.replace(now.clone()).filter(|b| !cut && (b.width, b.height) == (now.width, now.height));
        let Some(before) = before else { return (0.0, 0.0) };
        let standing = before.difference(&now, 0, 0);
        if standing < STILL || now.width < 2 * COARSER || now.height < 2 * COARSER {
            return (0.0, 0.0);
        }
        let (then, here) = (before.coarser(), now.coarser());
        let reach = ((REACH * then.width as f32) as isize, (REACH * then.height as f32) as isize);
        let (x, y) = then.best(&here, (0, 0), reach);
        let near = COARSER as isize;
        let (dx, dy) = before.best(&now, (near * x, near * y), (near, near));
        if before.difference(&now, dx, dy) > BETTER * standing {
            return (0.0, 0.0);
        }
        let cell = picture.width() as f32 / now.width as f32;
        (dx as f32 * cell, dy as f32 * picture.height() as f32 / now.height as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A textured wall seen from `(x, y)`, and a dark square of its own before it.
    fn view(x: i32, y: i32, square: i32) -> RgbImage {
        RgbImage::from_fn(320, 180, |i, j| {
            let (i, j) = (i as i32, j as i32);
            if (square..square + 40).contains(&i) && (70..110).contains(&j) {
                return image::Rgb([20, 20, 20]);
            }
            let (u, v) = ((i + x) as f32 * 0.05, (j + y) as f32 * 0.07);
            image::Rgb([(128.0 + 60.0 * u.sin() * v.cos() + 40.0 * (0.37 * u + v).sin()) as u8; 3])
        })
    }

    #[test]
    fn the_cameras_shift_is_told_and_not_that_of_what_moves_before_it() {
        let mut camera = Camera::default();
        assert_eq!(camera.shift(&view(0, 0, 100), false), (0.0, 0.0), "the first frame");
        let (dx, dy) = camera.shift(&view(-30, 12, 130), false);
        assert!((dx - 30.0).abs() < 4.0 && (dy + 12.0).abs() < 4.0, "{dx} {dy}");
        assert_eq!(camera.shift(&view(-30, 12, 160), false), (0.0, 0.0), "only the square moved");
        assert_eq!(camera.shift(&view(0, 0, 160), true), (0.0, 0.0), "a cut");
    }

    #[test]
    fn pictures_without_structure_or_pixels_do_not_move() {
        for picture in [RgbImage::new(0, 0), RgbImage::new(3, 3), RgbImage::from_pixel(64, 64, image::Rgb([9, 9, 9]))] {
            let mut camera = Camera::default();
            camera.shift(&picture, false);
            assert_eq!(camera.shift(&picture, false), (0.0, 0.0));
        }
    }
}
