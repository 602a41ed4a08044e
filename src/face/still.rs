//! Still pictures: how much the picture of a face changes from look to look. A photo in a person's tile, or a picture
//! that hangs, changes by nothing but what the codec adds; a living face never stops.

use image::RgbImage;

use super::BoundingBox;
use crate::time::Seconds;

/// Cells of a patch across and down, and pixels read in each of them, across and down.
const CELLS: usize = 24;
const READ: usize = 3;
/// Two looks are compared when they lie at least so far apart (a hair less than 0.1 s: times are rounded), however many
/// are taken a second: between two frames at 60 Hz a living face moves as little as a photo.
const APART_SECS: f64 = 0.095;
/// While the face's box shares so much with the patch (intersection over union), the patch stays in its place.
const SAME_PLACE: f32 = 0.7;
/// The share of the cells that counts, those that changed most: eyes and lips are a tenth of a face.
const LIVELY_SHARE: f64 = 0.1;

/// The grey picture of a face at one place, and how much it changed last.
#[derive(Clone, Debug)]
pub(super) struct Patch {
    bounds: BoundingBox,
    grey: [f32; CELLS * CELLS],
    at: Seconds,
    change: Option<f32>,
}

impl Patch {
    fn of(picture: &RgbImage, bounds: BoundingBox, at: Seconds) -> Self {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let place = |start: f32, side: f32, i: usize, most: usize| {
            let share = (i as f32 + 0.5) / (CELLS * READ) as f32;
            ((start + share * side).max(0.0) as usize).min(most.saturating_sub(1))
        };
        let columns: [usize; CELLS * READ] = std::array::from_fn(|i| place(bounds.left, bounds.width, i, width));
        let mut grey = [0.0f32; CELLS * CELLS];
        let pixels = picture.as_raw();
        for i in 0..CELLS * READ {
            let row = place(bounds.top, bounds.height, i, height) * width;
            for (j, column) in columns.iter().enumerate() {
                let Some(p) = pixels.get(3 * (row + column)..3 * (row + column) + 3) else { continue };
                let value = 0.299 * f32::from(p[0]) + 0.587 * f32::from(p[1]) + 0.114 * f32::from(p[2]);
                grey[(i / READ) * CELLS + j / READ] += value / (255.0 * (READ * READ) as f32);
            }
        }
        Patch { bounds, grey, at, change: None }
    }

    /// Mean difference of the cells that differ most, 0 to 1.
    fn difference(&self, other: &Patch) -> f32 {
        let mut apart: Vec<f32> = self.grey.iter().zip(&other.grey).map(|(a, b)| (a - b).abs()).collect();
        apart.sort_by(|a, b| b.total_cmp(a));
        let most = ((LIVELY_SHARE * apart.len() as f64).round() as usize).max(1);
        apart.iter().take(most).sum::<f32>() / most as f32
    }
}

/// How much the face's picture has changed since the look before, 0 to 1: 1 where the face has moved away from its
/// place, `None` at the first look. `patch` is what the track remembers.
pub(super) fn change(patch: &mut Option<Patch>, picture: &RgbImage, bounds: BoundingBox, now: Seconds) -> Option<f32> {
    let Some(before) = patch else {
        *patch = Some(Patch::of(picture, bounds, now));
        return None;
    };
    if (now - before.at).get() < APART_SECS {
        return before.change;
    }
    let stays = before.bounds.iou(bounds) >= SAME_PLACE;
    let mut after = Patch::of(picture, if stays { before.bounds } else { bounds }, now);
    after.change = Some(if stays { after.difference(before) } else { 1.0 });
    let change = after.change;
    *patch = Some(after);
    change
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACE: BoundingBox = BoundingBox { left: 20.0, top: 10.0, width: 48.0, height: 48.0 };

    /// A textured picture, with an eye that is open or shut.
    fn picture(noise: u8, open: bool) -> RgbImage {
        RgbImage::from_fn(100, 80, |x, y| {
            let eye = (30..42).contains(&x) && (24..30).contains(&y);
            let base = if eye && open { 20 } else { 100 + ((x * 7 + y * 13) % 50) as u8 };
            image::Rgb([base.saturating_add(noise * ((x + y) % 2) as u8); 3])
        })
    }

    #[test]
    fn a_photo_changes_by_the_codecs_noise_and_a_blink_by_much_more() {
        let mut patch = None;
        assert_eq!(change(&mut patch, &picture(0, true), FACE, Seconds::ZERO), None);
        assert_eq!(change(&mut patch, &picture(0, true), FACE, Seconds::of(0.1)), Some(0.0));
        let noise = change(&mut patch, &picture(2, true), FACE, Seconds::of(0.2)).unwrap();
        assert!(noise < 0.008, "{noise}");
        let blink = change(&mut patch, &picture(2, false), FACE, Seconds::of(0.3)).unwrap();
        assert!(blink > 0.05, "{blink}");
    }

    #[test]
    fn looks_that_follow_closely_are_compared_with_one_a_tenth_of_a_second_before() {
        let mut patch = None;
        change(&mut patch, &picture(0, true), FACE, Seconds::ZERO);
        assert_eq!(change(&mut patch, &picture(0, false), FACE, Seconds::of(0.02)), None);
        assert!(change(&mut patch, &picture(0, false), FACE, Seconds::of(0.1)).unwrap() > 0.05);
    }

    #[test]
    fn a_face_that_moves_away_is_not_still() {
        let mut patch = None;
        change(&mut patch, &picture(0, true), FACE, Seconds::ZERO);
        let elsewhere = BoundingBox { left: 45.0, ..FACE };
        assert_eq!(change(&mut patch, &picture(0, true), elsewhere, Seconds::of(0.1)), Some(1.0));
        assert_eq!(change(&mut patch, &picture(0, true), elsewhere, Seconds::of(0.2)), Some(0.0));
    }
}
