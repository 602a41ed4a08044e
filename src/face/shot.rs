//! Shots: where a picture is followed by one of another camera. Cheap: a colour histogram and a thumbnail of every
//! frame looked at.
//!
//! A cut changes both the colours and the picture's structure. Movement changes structure but keeps colours, light
//! changes colours but keeps structure. A flash changes both and comes back: [`Shots::observe`] tells when it does.

use image::RgbImage;

/// Thumbnail cells across and down.
const ACROSS: usize = 32;
const DOWN: usize = 18;
const CELLS: usize = ACROSS * DOWN;
/// Histogram bins per channel.
const BINS: usize = 16;
/// A picture that is back within this many looked-at frames was a flash.
const FLASH_FRAMES: usize = 3;
/// Share of the threshold below which two pictures are the same shot.
const SAME: f32 = 0.6;

/// Grey difference of a thumbnail cell that something moved in.
const CHANGED_GREY: f32 = 0.08;

/// What a frame is to the frames before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shot {
    /// The same shot.
    Same,
    /// The first frame of another shot.
    Cut,
    /// The shot before the last cut is back: that cut was a flash.
    Back,
}

/// A frame's small trace.
#[derive(Clone, Debug, PartialEq)]
struct Trace {
    grey: [f32; CELLS],
    bins: [f32; 3 * BINS],
}

impl Trace {
    fn of(picture: &RgbImage) -> Self {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let mut grey = [0.0f32; CELLS];
        let mut counts = [0.0f32; CELLS];
        let mut bins = [0.0f32; 3 * BINS];
        // About 160 x 90 pixels of any picture are enough.
        let (step_x, step_y) = ((width / 160).max(1), (height / 90).max(1));
        let mut total = 0.0f32;
        let pixels = picture.as_raw();
        for y in (0..height).step_by(step_y) {
            for x in (0..width).step_by(step_x) {
                let at = 3 * (y * width + x);
                let Some(p) = pixels.get(at..at + 3) else { continue };
                let cell = (y * DOWN / height) * ACROSS + x * ACROSS / width;
                grey[cell] += 0.299 * f32::from(p[0]) + 0.587 * f32::from(p[1]) + 0.114 * f32::from(p[2]);
                counts[cell] += 1.0;
                for (k, v) in p.iter().enumerate() {
                    bins[k * BINS + usize::from(*v) * BINS / 256] += 1.0;
                }
                total += 1.0;
            }
        }
        for (g, c) in grey.iter_mut().zip(counts) {
            *g /= c.max(1.0) * 255.0;
        }
        for b in &mut bins {
            *b /= total.max(1.0);
        }
        Trace { grey, bins }
    }

    /// 0 = the same, 1 = nothing in common: the geometric mean of the difference of colours and that of structure.
    fn difference(&self, other: &Trace) -> f32 {
        let colours = self.bins.iter().zip(&other.bins).map(|(a, b)| (a - b).abs()).sum::<f32>() / 6.0;
        (colours * self.structure(other)).sqrt()
    }

    /// Half of one minus the correlation of the thumbnails, where there is structure; the grey difference is a floor
    /// for flat pictures.
    fn structure(&self, other: &Trace) -> f32 {
        let n = CELLS as f32;
        let (ma, mb) = (self.grey.iter().sum::<f32>() / n, other.grey.iter().sum::<f32>() / n);
        let (mut ab, mut aa, mut bb, mut apart) = (0.0f32, 0.0f32, 0.0f32, 0.0f32);
        for (a, b) in self.grey.iter().zip(&other.grey) {
            ab += (a - ma) * (b - mb);
            aa += (a - ma) * (a - ma);
            bb += (b - mb) * (b - mb);
            apart += (a - b).abs();
        }
        // Noise of a nearly flat picture is no structure.
        let floor = n * 1e-4;
        let correlation =
            if aa < floor && bb < floor { 1.0 } else { (ab / (aa.max(floor) * bb.max(floor)).sqrt()).clamp(-1.0, 1.0) };
        (1.0 - correlation).min(1.0).max((apart / n).min(1.0))
    }
}

/// Follows the shots of a video.
#[derive(Debug)]
pub(super) struct Shots {
    threshold: f32,
    last: Option<Trace>,
    /// The last frame before the last cut, and how many frames ago that cut was.
    before: Option<(Trace, usize)>,
    /// Grey thumbnail when the detector last saw the whole picture.
    marked: Option<[f32; CELLS]>,
}

impl Shots {
    /// `threshold`: least difference (0 to 1) of a cut.
    pub fn new(threshold: f32) -> Self {
        Shots { threshold, last: None, before: None, marked: None }
    }

    /// Remembers the frame at hand for [`Shots::changed`].
    pub fn mark(&mut self) {
        self.marked = self.last.as_ref().map(|t| t.grey);
    }

    /// Share of the picture that is not as it was at the last mark, 0 to 1; the boxes (in shares of the picture: left,
    /// top, right, bottom) are left out.
    pub fn changed(&self, known: &[[f32; 4]]) -> f32 {
        let (Some(now), Some(then)) = (&self.last, &self.marked) else { return 1.0 };
        let apart = now.grey.iter().zip(then).map(|(a, b)| (a - b).abs() > CHANGED_GREY);
        let open = |&(i, _): &(usize, bool)| {
            let (x, y) = (((i % ACROSS) as f32 + 0.5) / ACROSS as f32, ((i / ACROSS) as f32 + 0.5) / DOWN as f32);
            !known.iter().any(|b| x >= b[0] && y >= b[1] && x <= b[2] && y <= b[3])
        };
        apart.enumerate().filter(open).filter(|&(_, changed)| changed).count() as f32 / CELLS as f32
    }

    /// Takes the next frame.
    pub fn observe(&mut self, picture: &RgbImage) -> Shot {
        let trace = Trace::of(picture);
        let Some(last) = self.last.replace(trace.clone()) else { return Shot::Same };
        let cut = trace.difference(&last) > self.threshold;
        let back = self.before.take_if(|(before, _)| cut && trace.difference(before) < SAME * self.threshold).is_some();
        if back {
            return Shot::Back;
        }
        if cut {
            self.before = Some((last, 0));
            return Shot::Cut;
        }
        if let Some((_, age)) = &mut self.before {
            *age += 1;
        }
        self.before.take_if(|(_, age)| *age >= FLASH_FRAMES);
        Shot::Same
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stripes of one colour on black; `phase` moves them.
    fn stripes(colour: [u8; 3], phase: u32, down: bool) -> RgbImage {
        RgbImage::from_fn(64, 36, |x, y| {
            let along = if down { y } else { x };
            image::Rgb(if ((along + phase) / 8).is_multiple_of(2) { colour } else { [10, 10, 10] })
        })
    }

    #[test]
    fn another_picture_is_a_cut_and_a_moved_or_a_brighter_one_is_not() {
        let mut shots = Shots::new(0.3);
        assert_eq!(shots.observe(&stripes([200, 60, 60], 0, false)), Shot::Same);
        assert_eq!(shots.observe(&stripes([200, 60, 60], 2, false)), Shot::Same, "moved");
        assert_eq!(shots.observe(&stripes([250, 110, 110], 2, false)), Shot::Same, "brighter");
        assert_eq!(shots.observe(&stripes([40, 200, 40], 0, true)), Shot::Cut);
        assert_eq!(shots.observe(&stripes([40, 200, 40], 1, true)), Shot::Same);
    }

    #[test]
    fn a_flash_comes_back() {
        let mut shots = Shots::new(0.3);
        let scene = stripes([200, 60, 60], 0, false);
        assert_eq!(shots.observe(&scene), Shot::Same);
        assert_eq!(shots.observe(&RgbImage::from_pixel(64, 36, image::Rgb([255, 255, 255]))), Shot::Cut);
        assert_eq!(shots.observe(&scene), Shot::Back);
        assert_eq!(shots.observe(&scene), Shot::Same);
    }

    #[test]
    fn something_that_comes_in_is_a_change_of_its_part_of_the_picture() {
        let mut shots = Shots::new(0.3);
        let mut picture = RgbImage::from_pixel(64, 36, image::Rgb([50, 50, 50]));
        shots.observe(&picture);
        shots.mark();
        assert!(shots.changed(&[]).abs() < 1e-6);
        for y in 0..36 {
            for x in 0..16 {
                picture.put_pixel(x, y, image::Rgb([90, 90, 90]));
            }
        }
        shots.observe(&picture);
        assert!((shots.changed(&[]) - 0.25).abs() < 1e-6, "{}", shots.changed(&[]));
        assert!((shots.changed(&[[0.0, 0.0, 0.25, 0.5]]) - 0.125).abs() < 1e-6, "half of it is known");
    }

    #[test]
    fn empty_pictures_do_no_harm() {
        assert_eq!(Shots::new(0.3).observe(&RgbImage::new(0, 0)), Shot::Same);
    }
}
