//! What was seen: one face in one frame, the tracks observations form, and the persons tracks belong to.

use super::layout::Shot;
use super::observations::Observations;
use crate::error::Result;
use crate::time::Seconds;
use crate::warning::Warning;

/// Landmarks of a face: 468 of the mesh, then 5 of each iris.
pub const LANDMARKS: usize = 478;

/// x, y in image px and z in the same scale (smaller = nearer), MediaPipe's order.
pub type Landmarks = [[f32; 3]; LANDMARKS];

/// ARKit's names of the blendshapes in the model's order; the first is the model's rest.
pub const BLENDSHAPES: [&str; 52] = [
    "neutral",
    "browDownLeft",
    "browDownRight",
    "browInnerUp",
    "browOuterUpLeft",
    "browOuterUpRight",
    "cheekPuff",
    "cheekSquintLeft",
    "cheekSquintRight",
    "eyeBlinkLeft",
    "eyeBlinkRight",
    "eyeLookDownLeft",
    "eyeLookDownRight",
    "eyeLookInLeft",
    "eyeLookInRight",
    "eyeLookOutLeft",
    "eyeLookOutRight",
    "eyeLookUpLeft",
    "eyeLookUpRight",
    "eyeSquintLeft",
    "eyeSquintRight",
    "eyeWideLeft",
    "eyeWideRight",
    "jawForward",
    "jawLeft",
    "jawOpen",
    "jawRight",
    "mouthClose",
    "mouthDimpleLeft",
    "mouthDimpleRight",
    "mouthFrownLeft",
    "mouthFrownRight",
    "mouthFunnel",
    "mouthLeft",
    "mouthLowerDownLeft",
    "mouthLowerDownRight",
    "mouthPressLeft",
    "mouthPressRight",
    "mouthPucker",
    "mouthRight",
    "mouthRollLower",
    "mouthRollUpper",
    "mouthShrugLower",
    "mouthShrugUpper",
    "mouthSmileLeft",
    "mouthSmileRight",
    "mouthStretchLeft",
    "mouthStretchRight",
    "mouthUpperUpLeft",
    "mouthUpperUpRight",
    "noseSneerLeft",
    "noseSneerRight",
];

/// Classes of the expression model in its order.
pub const EXPRESSIONS: [&str; 7] = ["neutral", "happy", "sad", "angry", "fearful", "disgusted", "surprised"];

/// An upright box in image px; may reach past the picture's edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BoundingBox {
    /// Left edge.
    pub left: f32,
    /// Top edge.
    pub top: f32,
    /// Width, never negative.
    pub width: f32,
    /// Height, never negative.
    pub height: f32,
}

impl BoundingBox {
    /// From two corners.
    pub fn from_corners(left: f32, top: f32, right: f32, bottom: f32) -> Self {
        BoundingBox { left, top, width: (right - left).max(0.0), height: (bottom - top).max(0.0) }
    }

    /// The smallest box around points; empty at the origin for none.
    pub fn around(points: &[[f32; 3]]) -> Self {
        let mut b = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
        for p in points {
            b = [b[0].min(p[0]), b[1].min(p[1]), b[2].max(p[0]), b[3].max(p[1])];
        }
        if b[0] > b[2] { BoundingBox::default() } else { Self::from_corners(b[0], b[1], b[2], b[3]) }
    }

    /// Right edge.
    pub fn right(self) -> f32 {
        self.left + self.width
    }

    /// Bottom edge.
    pub fn bottom(self) -> f32 {
        self.top + self.height
    }

    /// Area in px².
    pub fn area(self) -> f32 {
        self.width * self.height
    }

    /// Centre (x, y).
    pub fn centre(self) -> (f32, f32) {
        (self.left + 0.5 * self.width, self.top + 0.5 * self.height)
    }

    /// Geometric mean of the sides in px.
    pub fn size(self) -> f32 {
        self.area().sqrt()
    }

    /// Shared area in px².
    pub fn intersection(self, other: BoundingBox) -> f32 {
        let w = self.right().min(other.right()) - self.left.max(other.left);
        let h = self.bottom().min(other.bottom()) - self.top.max(other.top);
        w.max(0.0) * h.max(0.0)
    }

    /// Intersection over union, 0 to 1.
    pub fn iou(self, other: BoundingBox) -> f32 {
        let shared = self.intersection(other);
        let union = self.area() + other.area() - shared;
        if union > 0.0 { shared / union } else { 0.0 }
    }
}

/// Rotation of the head against a face that looks straight into the camera; x right, y down, z forward (away from the
/// camera).
///
/// Angles are intrinsic, in the order yaw (about y), pitch (about x), roll (about z).
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HeadPose {
    /// Positive = turned to the image's right, degrees.
    pub yaw_deg: f32,
    /// Positive = chin up, looking upwards, degrees.
    pub pitch_deg: f32,
    /// Positive = head tilted clockwise as the viewer sees it (towards the image's right), degrees.
    pub roll_deg: f32,
}

/// Where the eyes look, mean of both eyes; signs as in [`HeadPose`].
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Gaze {
    /// Against the head's own forward direction, positive = towards the image's right, degrees.
    pub head_yaw_deg: f32,
    /// Against the head's own forward direction, positive = up, degrees.
    pub head_pitch_deg: f32,
    /// Against the line to the camera: 0 = into the camera, positive = towards the image's right, degrees.
    pub camera_yaw_deg: f32,
    /// Against the line to the camera: positive = up, degrees.
    pub camera_pitch_deg: f32,
}

/// How far an observation can be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Quality {
    /// Geometric mean of the box's sides, px.
    pub size_px: f32,
    /// Variance of the Laplacian of the grey aligned face (values 0 to 1, times 1000); higher is sharper.
    pub sharpness: f32,
    /// Share of the landmarks inside the picture, 0 to 1.
    pub in_frame: f32,
}

/// One face seen in one video frame.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Observation {
    /// Time of the frame.
    pub pts: Seconds,
    /// The track it belongs to, from 1.
    pub track: u32,
    /// Box around the face mesh, or the detector's where there is no mesh.
    pub bounds: BoundingBox,
    /// Score of the track's last detection, 0 to 1.
    pub score: f32,
    /// The landmark model's certainty that there is a face, 0 to 1.
    pub presence: f32,
    /// In the order of [`BLENDSHAPES`], 0 to 1; `None` when only the detector sees the face (far profiles, hands before
    /// it).
    #[serde(with = "crate::packed")]
    pub blendshapes: Option<[f32; 52]>,
    /// `None` when the landmarks allow no pose.
    pub pose: Option<HeadPose>,
    /// `None` when the eyes are too closed or too small.
    pub gaze: Option<Gaze>,
    /// In the order of [`EXPRESSIONS`], not a number where the recipe's model has no such class; `None` where it was
    /// not looked at (see `expression_hz`).
    #[serde(with = "crate::packed")]
    pub expression: Option<[f32; 7]>,
    /// Height over width of the eye on the image's left, 0.3 open, 0.1 closed.
    pub eye_opening_left: Option<f32>,
    /// The same of the eye on the image's right.
    pub eye_opening_right: Option<f32>,
    /// Distance of the inner lips over the distance of the outer eye corners.
    pub mouth_opening: Option<f32>,
    /// How far the lip corners stand above the middle of the mouth's opening, over the distance of the outer eye
    /// corners.
    pub lip_corner_lift: Option<f32>,
    /// Mean change of the most lively tenth of the face's picture since a look 0.1 s or more before, 0 to 1: 1 where it
    /// moved away; `None` at the first look. A photo changes by what the codec adds.
    pub picture_change: Option<f32>,
    /// Trust.
    pub quality: Quality,
    /// Only when the recipe asks for them.
    #[serde(with = "crate::packed")]
    pub landmarks: Option<Box<Landmarks>>,
}

impl Observation {
    /// A face of which only the place is known: certain to be there, everything else undefined.
    pub fn bare(pts: Seconds, track: u32, bounds: BoundingBox) -> Self {
        Observation {
            pts,
            track,
            bounds,
            score: 1.0,
            presence: 1.0,
            blendshapes: None,
            pose: None,
            gaze: None,
            expression: None,
            eye_opening_left: None,
            eye_opening_right: None,
            mouth_opening: None,
            lip_corner_lift: None,
            picture_change: None,
            quality: Quality::default(),
            landmarks: None,
        }
    }
}

/// Observations of one face, unbroken within a shot.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Track {
    /// From 1, by first appearance.
    pub id: u32,
    /// "P1", "P2", … by first appearance, or a name of the enrolment folder; `None` for a face that was seen too small,
    /// too doubtfully or too shortly to be counted as a person of the interview and is like none of them.
    pub person: Option<String>,
    /// First observation.
    pub first_pts: Seconds,
    /// Last observation.
    pub last_pts: Seconds,
    /// How many observations.
    pub observations: usize,
    /// Mean of the observations' sizes, px.
    pub mean_size_px: f32,
    /// Mean of the detector's scores, 0 to 1.
    pub mean_score: f32,
    /// Why it is nobody's; `None` for a person's.
    pub nobody: Option<super::Nobody>,
    /// What tells a person's face from something that looks like one.
    pub check: super::FaceCheck,
    /// Identity embedding pooled over its looks (1024 values, a unit vector), `None` when no look was good enough.
    #[serde(with = "crate::packed")]
    pub embedding: Option<Vec<f32>>,
    /// The best look at it, upright, 224 x 224 px; only when asked for ([`super::FaceTracker::keep_crops`]), never
    /// written by itself.
    #[serde(skip)]
    pub crop: Option<image::RgbImage>,
}

#[cfg(test)]
impl Track {
    /// A person's, of faces 100 px wide.
    pub(crate) fn bare(id: u32, person: Option<&str>, (first, last): (Seconds, Seconds), observations: usize) -> Self {
        Track {
            id,
            person: person.map(ToOwned::to_owned),
            first_pts: first,
            last_pts: last,
            observations,
            mean_size_px: 100.0,
            mean_score: 1.0,
            nobody: None,
            check: super::FaceCheck::default(),
            embedding: None,
            crop: None,
        }
    }
}

/// All that was seen in one video.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Faces {
    /// Sorted by time, then track.
    pub observations: Observations,
    /// Sorted by id.
    pub tracks: Vec<Track>,
    /// Names of the persons in the order of their first appearance.
    pub persons: Vec<String>,
    /// Times of all frames looked at, with or without a face.
    pub sampled: Vec<Seconds>,
    /// Number of faces in each of them.
    pub faces_per_frame: Vec<u32>,
    /// Times of the first frame of each shot but the first.
    pub cuts: Vec<Seconds>,
    /// The shots in order, with what each shows; none where no picture was looked at.
    pub shots: Vec<Shot>,
    /// Looks at a whole picture that found [`super::MOST_FACES`] faces; there may have been more, which were left out.
    pub crowded_frames: u32,
}

impl Faces {
    /// What a user should know of all frames together.
    pub fn warning(&self) -> Option<Warning> {
        let (frames, most) = (self.crowded_frames, super::MOST_FACES);
        (frames > 0).then_some(Warning::CrowdedPicture { frames, most })
    }

    /// The person of a track; `None` for an unknown track and for one that is nobody's.
    pub fn person_of(&self, track: u32) -> Option<&str> {
        let i = self.tracks.binary_search_by_key(&track, |t| t.id).ok()?;
        self.tracks[i].person.as_deref()
    }

    /// The shot that is shown at a time.
    pub fn shot_at(&self, pts: Seconds) -> Option<&Shot> {
        self.shots[..self.shots.partition_point(|s| s.first_pts <= pts)].last()
    }

    /// Observations of one person in order of time.
    ///
    /// # Errors
    /// Each may fail as [`Observations::part`] does.
    pub fn of_person<'a>(&'a self, person: &'a str) -> impl Iterator<Item = Result<Observation>> {
        let is_own = move |o: &Observation| self.person_of(o.track) == Some(person);
        self.observations.iter().filter(move |o| o.as_ref().map_or(true, is_own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_share_what_they_share() {
        let a = BoundingBox::from_corners(0.0, 0.0, 2.0, 2.0);
        let b = BoundingBox::from_corners(1.0, 0.0, 3.0, 2.0);
        assert!((a.iou(b) - 1.0 / 3.0).abs() < 1e-6);
        assert!(a.iou(BoundingBox::from_corners(5.0, 5.0, 6.0, 6.0)).abs() < 1e-6);
        assert_eq!(
            BoundingBox::around(&[[1.0, 5.0, 0.0], [3.0, 2.0, 9.0]]),
            BoundingBox::from_corners(1.0, 2.0, 3.0, 5.0)
        );
        assert_eq!(BoundingBox::around(&[]), BoundingBox::default());
    }
}
