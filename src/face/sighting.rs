//! A face found in the frame at hand, before it is measured.

use super::crop::Roi;
use super::detect::Detection;
use super::identity::Framing;
use super::landmark::Mesh;
use super::{BoundingBox, identity};

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
    /// What the full detector sees, where it looked.
    pub detected: Option<Detection>,
}

impl Sighting {
    /// What the identity model sees of it. `framing` is its track's.
    pub fn square(&self, framing: Framing) -> Roi {
        match &self.detected {
            Some(detection) => identity::square(detection.bounds),
            None if self.mesh.is_some() => framing.square(self.bounds),
            None => identity::square(self.bounds),
        }
    }
}
