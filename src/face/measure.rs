//! Measures of one face in one frame: what a sighting becomes in the tables, but for what [`super::describe`] adds.

use image::RgbImage;

use super::crop::Roi;
use super::expression::{Framing, Planes};
use super::landmark::Mesh;
use super::sighting::Sighting;
use super::track::Live;
use super::{FaceConfig, Observation, gaze, identity, pose, quality, still};
use crate::time::Seconds;

/// Larger faces tell no more of identity, px.
const LARGE_PX: f32 = 60.0;
/// What a profile's look counts, or one without a mesh, of a frontal one.
const PROFILE: f32 = 0.1;

/// A face in one frame, and what models are still to be asked of it.
#[derive(Debug)]
pub(super) struct Measured {
    pub observation: Observation,
    pub mesh: Option<Mesh>,
    /// Cut out for the expression model, where the recipe asks it now.
    pub expression: Option<Planes>,
}

/// Measures faces, as often as the recipe asks.
pub(super) struct Measurer {
    expression_hz: f64,
    looks_per_track: usize,
    framing: Framing,
}

impl Measurer {
    /// Before the first frame; `framing` is the expression model's.
    pub fn new(config: &FaceConfig, framing: Framing) -> Self {
        Measurer { expression_hz: config.expression_hz, looks_per_track: config.embeddings_per_track, framing }
    }

    /// Measures a face, and tells its track where it is and what it looks like.
    pub fn observe(&self, track: &mut Live, sighting: Sighting, picture: &RgbImage, now: Seconds) -> Measured {
        let (width, height) = picture.dimensions();
        let square = sighting.square(track.framing);
        let mut o = Observation {
            score: track.score,
            presence: sighting.presence,
            picture_change: still::change(&mut track.patch, picture, sighting.bounds, now),
            quality: quality::of_box(sighting.bounds, sighting.sharpness, width, height),
            ..Observation::bare(now, track.id, sighting.bounds)
        };
        track.see(sighting.bounds, o.quality.in_frame, now);
        let Some(mesh) = sighting.mesh else {
            self.keep_look(track, &o, &square, picture);
            return Measured { observation: o, mesh: None, expression: None };
        };
        track.roi = mesh.roi();
        o.quality = quality::of_mesh(&mesh.points, sighting.bounds, sighting.sharpness, width, height);
        let rotation = pose::rotation(&mesh.points, width, height);
        o.pose = rotation.as_ref().map(pose::angles);
        o.gaze = rotation.and_then(|r| gaze::gaze(&mesh.points, &r, width, height));
        (o.eye_opening_left, o.eye_opening_right) = gaze::eye_openings(&mesh.points);
        o.mouth_opening = gaze::mouth_opening(&mesh.points);
        o.lip_corner_lift = gaze::lip_corner_lift(&mesh.points);
        self.keep_look(track, &o, &square, picture);
        let expression = (now.get() + 1e-6 >= track.next_expression).then(|| {
            track.next_expression = now.get() + if self.expression_hz > 0.0 { 1.0 / self.expression_hz } else { 0.0 };
            self.framing.cut(picture, &expression_region(&mesh))
        });
        Measured { observation: o, mesh: Some(mesh), expression }
    }

    /// Keeps a picture of a face whose identity is not in doubt, when it is the best of its time.
    fn keep_look(&self, track: &mut Live, o: &Observation, square: &Roi, picture: &RgbImage) {
        let (worth, most) = (worth(o), self.looks_per_track);
        if !track.unsure && track.looks.wants(o.pts, worth, o.quality.size_px, most) {
            track.looks.keep(o.pts, worth, identity::chip(picture, square), most);
        }
    }
}

/// How much an observation tells of identity, 0 to 1 for a face of ordinary sharpness: large, frontal, sharp and whole.
fn worth(o: &Observation) -> f32 {
    let frontal = o.pose.map_or(PROFILE, |p| p.yaw_deg.to_radians().cos().powi(2).max(PROFILE));
    (o.quality.size_px / LARGE_PX).min(1.0) * frontal * o.quality.sharpness.max(0.0).sqrt() * o.quality.in_frame
}

/// The face's box made square, turned upright.
fn expression_region(mesh: &Mesh) -> Roi {
    let roi = mesh.roi();
    Roi { side: roi.side / 1.5 * 1.1, ..roi }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::{BoundingBox, HeadPose, Quality};

    #[test]
    fn large_frontal_sharp_and_whole_faces_tell_most_of_identity() {
        let face = |yaw_deg: f32, size_px: f32, sharpness: f32, in_frame: f32| {
            worth(&Observation {
                pose: Some(HeadPose { yaw_deg, ..HeadPose::default() }),
                quality: Quality { size_px, sharpness, in_frame },
                ..Observation::bare(Seconds::ZERO, 1, BoundingBox::default())
            })
        };
        let best = face(0.0, 60.0, 1.0, 1.0);
        assert!((best - 1.0).abs() < 1e-6, "{best}");
        assert!((face(0.0, 900.0, 1.0, 1.0) - best).abs() < 1e-6, "more pixels tell no more");
        assert!((face(45.0, 60.0, 1.0, 1.0) - 0.5).abs() < 1e-3);
        assert!((face(-90.0, 60.0, 1.0, 1.0) - 0.1).abs() < 1e-3, "a profile still tells a little");
        assert!((face(0.0, 30.0, 0.25, 0.5) - 0.125).abs() < 1e-3);
    }
}
