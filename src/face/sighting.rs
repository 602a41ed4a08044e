//! A face found in the frame at hand, before it is measured.

use super::BoundingBox;
use super::landmark::Mesh;

/// A face found in the frame at hand.
#[derive(Debug)]
pub(super) struct Sighting {
    /// Index among the followed faces; see [`super::roster::Roster::live`].
    pub track: usize,
    /// Box around the mesh, or the detector's where there is no mesh.
    pub bounds: BoundingBox,
    /// The landmark model's certainty, 0 to 1; 0 without a mesh.
    pub presence: f32,
    /// See [`super::quality::sharpness`].
    pub sharpness: f32,
    /// `None` when only the detector sees the face.
    pub mesh: Option<Mesh>,
    /// A detector sees it too.
    pub confirmed: bool,
}
