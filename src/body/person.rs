//! Persons: BlazePose's detector (Bazarevsky et al. 2020, arXiv 2006.10204). It sees the face, and two points that say
//! where the whole body is, how large and how turned.

use super::anchors::{Detection, Detector};
use super::view::{Region, Scale};

/// The detector.
pub(super) const DETECTOR: Detector = Detector {
    model: "person_detector",
    side: 224,
    levels: &[(28, 2), (14, 2), (7, 6)],
    points: 4,
    scale: Scale::SIGNED,
};

/// The circle about the body is enlarged by this for the landmark model.
const ENLARGE: f32 = 1.25;

/// The region of the body whose middle and whose point on the circle about it are given.
pub(super) fn region(middle: (f32, f32), circle: (f32, f32)) -> Region {
    let radius = (circle.0 - middle.0).hypot(circle.1 - middle.1);
    Region { x: middle.0, y: middle.1, side: 2.0 * ENLARGE * radius, angle: Region::upright(middle, circle) }
}

/// The region of a detected person; `None` where its points coincide.
pub(super) fn region_of(person: &Detection) -> Option<Region> {
    let &[middle, circle, ..] = person.points.as_slice() else { return None };
    Some(region(middle, circle)).filter(|r| r.side > 1.0)
}
