//! Palms: MediaPipe's detector (Zhang et al. 2020, arXiv 2006.10214).

use super::anchors::{Detection, Detector};
use super::view::{Region, Scale};

/// The detector.
pub(super) const DETECTOR: Detector =
    Detector { model: "palm_detector", side: 192, levels: &[(24, 2), (12, 6)], points: 7, scale: Scale::UNIT };

/// The wrist and the base of the middle finger among the points.
const WRIST: usize = 0;
const MIDDLE: usize = 2;
/// The palm's box is enlarged by this, and moved by this share of its height, for the landmark model.
const ENLARGE: f32 = 2.6;
const SHIFT: f32 = 0.5;

/// The region of the hand with this palm; `None` where the palm has no size.
pub(super) fn region_of(palm: &Detection) -> Option<Region> {
    let (&wrist, &middle) = (palm.points.get(WRIST)?, palm.points.get(MIDDLE)?);
    let [left, top, right, bottom] = palm.bounds;
    hand_region([left, top, right, bottom], Region::upright(wrist, middle), SHIFT, ENLARGE)
}

/// The square region of a hand: its box moved towards the fingers by a share of its height, and enlarged.
pub(super) fn hand_region(bounds: [f32; 4], angle: f32, shift: f32, enlarge: f32) -> Option<Region> {
    let [left, top, right, bottom] = bounds;
    let (width, height) = (right - left, bottom - top);
    let (sin, cos) = angle.sin_cos();
    let x = 0.5 * (left + right) + shift * height * sin;
    let y = 0.5 * (top + bottom) - shift * height * cos;
    let region = Region { x, y, side: enlarge * width.max(height), angle };
    (region.side > 1.0).then_some(region)
}
