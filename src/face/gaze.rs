//! Gaze, eye opening and mouth opening from the mesh's geometry.
//!
//! An eye is a ball of 12 mm radius behind a lid opening of 28 mm between its corners (Bekerman et al. 2014,
//! "Variations in eyeball diameters of the healthy adults"; corner distance as in the canonical face). The ball's
//! centre lies behind the middle of the corners along the head's own axis, the iris on its surface; the iris' offset
//! from that middle, in corner distances, gives the direction. Both eyes are averaged.

use nalgebra::{Matrix3, Vector3};

use super::{Gaze, Landmarks, pose};

/// Radius of the eyeball over the distance of the eye's corners.
const RADIUS: f64 = 0.43;
/// Depth of the ball's centre behind the middle of the corners, over the distance of the corners.
const SET_BACK: f64 = 0.2;
/// An iris at rest lies this far above the middle of the corners, over their distance: the mean over faces before
/// webcams.
const REST_UP: f64 = 0.06;
/// An eye opened less than this (height over width) shows no direction.
const LEAST_OPENING: f32 = 0.12;

/// Landmarks of an eye: outer corner, inner corner, iris centre, and three pairs of upper and lower lid.
struct Eye {
    outer: usize,
    inner: usize,
    iris: usize,
    lids: [(usize, usize); 3],
}

/// The eye on the image's left, which is the person's right one.
const LEFT: Eye = Eye { outer: 33, inner: 133, iris: 468, lids: [(159, 145), (158, 153), (160, 144)] };
/// The eye on the image's right.
const RIGHT: Eye = Eye { outer: 263, inner: 362, iris: 473, lids: [(386, 374), (385, 380), (387, 373)] };

/// Inner lips, upper and lower.
const LIPS: (usize, usize) = (13, 14);
/// Corners of the mouth, middle of the forehead at the hair, chin.
const LIP_CORNERS: (usize, usize) = (61, 291);
const FOREHEAD: usize = 10;
const CHIN: usize = 152;

fn distance(l: &Landmarks, a: usize, b: usize) -> f32 {
    let d = |k: usize| l[a][k] - l[b][k];
    (d(0) * d(0) + d(1) * d(1) + d(2) * d(2)).sqrt()
}

impl Eye {
    fn opening(&self, l: &Landmarks) -> Option<f32> {
        let width = distance(l, self.outer, self.inner);
        let height = self.lids.iter().map(|&(a, b)| distance(l, a, b)).sum::<f32>() / 3.0;
        (width > f32::EPSILON).then(|| height / width)
    }

    /// Iris against the middle of the corners in corner distances, (x right, y down).
    fn offset(&self, l: &Landmarks) -> Option<(f64, f64)> {
        let width = f64::from(distance(l, self.outer, self.inner));
        let middle = |k: usize| 0.5 * (f64::from(l[self.outer][k]) + f64::from(l[self.inner][k]));
        let iris = l[self.iris];
        (width > 1e-6)
            .then(|| ((f64::from(iris[0]) - middle(0)) / width, (f64::from(iris[1]) - middle(1)) / width + REST_UP))
    }
}

/// Height over width of the eye on the image's left and on its right.
pub(super) fn eye_openings(landmarks: &Landmarks) -> (Option<f32>, Option<f32>) {
    (LEFT.opening(landmarks), RIGHT.opening(landmarks))
}

/// Distance of the inner lips over the distance of the outer eye corners.
pub(super) fn mouth_opening(landmarks: &Landmarks) -> Option<f32> {
    let eyes = distance(landmarks, LEFT.outer, RIGHT.outer);
    (eyes > f32::EPSILON).then(|| distance(landmarks, LIPS.0, LIPS.1) / eyes)
}

/// How far the corners of the lips stand above the middle of the mouth's opening, along the face's own upright, over
/// the distance of the outer eye corners: below zero at rest, 0.05 and more in a smile.
pub(super) fn lip_corner_lift(landmarks: &Landmarks) -> Option<f32> {
    let point = |i: usize| Vector3::from(landmarks[i]);
    let middle = |a: usize, b: usize| 0.5 * (point(a) + point(b));
    let level = point(RIGHT.outer) - point(LEFT.outer);
    let eyes = level.norm();
    let across = level.try_normalize(f32::EPSILON)?;
    let down = point(CHIN) - point(FOREHEAD);
    let down = (down - across * across.dot(&down)).try_normalize(f32::EPSILON)?;
    let lift = -(middle(LIP_CORNERS.0, LIP_CORNERS.1) - middle(LIPS.0, LIPS.1)).dot(&down) / eyes;
    lift.is_finite().then_some(lift)
}

/// Where the eyes look; `None` when both are nearly closed. `rotation` is [`pose::rotation`]'s.
pub(super) fn gaze(landmarks: &Landmarks, rotation: &Matrix3<f64>, width: u32, height: u32) -> Option<Gaze> {
    let (left, right) = eye_openings(landmarks);
    let open = |o: Option<f32>| o.is_some_and(|o| o >= LEAST_OPENING);
    let eyes: Vec<&Eye> =
        [(&LEFT, left), (&RIGHT, right)].into_iter().filter(|&(_, o)| open(o)).map(|(e, _)| e).collect();
    let offsets: Vec<(f64, f64)> = eyes.iter().filter_map(|e| e.offset(landmarks)).collect();
    if offsets.is_empty() {
        return None;
    }
    let n = offsets.len() as f64;
    let (dx, dy) = offsets.iter().fold((0.0, 0.0), |a, o| (a.0 + o.0 / n, a.1 + o.1 / n));
    // A frame whose axis runs through the face: what it shows is nearly parallel projection.
    let centre = (
        0.5 * (landmarks[LEFT.outer][0] + landmarks[RIGHT.outer][0]),
        0.5 * (landmarks[LEFT.outer][1] + landmarks[RIGHT.outer][1]),
    );
    let focal = pose::focal_heights() * f64::from(height);
    let ray = Vector3::new(
        (f64::from(centre.0) - 0.5 * f64::from(width)) / focal,
        (f64::from(centre.1) - 0.5 * f64::from(height)) / focal,
        1.0,
    );
    let camera_from_face = nalgebra::Rotation3::rotation_between(&Vector3::z(), &ray)?.into_inner();
    let forward = camera_from_face.transpose() * rotation * Vector3::new(0.0, 0.0, -1.0);
    let (mut x, mut y) = ((dx + SET_BACK * forward.x) / RADIUS, (dy + SET_BACK * forward.y) / RADIUS);
    let sideways = x.hypot(y);
    if sideways > 0.98 {
        (x, y) = (x * 0.98 / sideways, y * 0.98 / sideways);
    }
    let look = Vector3::new(x, y, -(1.0 - x * x - y * y).max(0.0).sqrt());
    let (camera_yaw_deg, camera_pitch_deg) = pose::direction(&look);
    let (head_yaw_deg, head_pitch_deg) = pose::direction(&(rotation.transpose() * camera_from_face * look));
    let gaze = Gaze { head_yaw_deg, head_pitch_deg, camera_yaw_deg, camera_pitch_deg };
    [head_yaw_deg, head_pitch_deg, camera_yaw_deg, camera_pitch_deg].iter().all(|v| v.is_finite()).then_some(gaze)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::LANDMARKS;

    /// Two open eyes 100 px apart in the middle of 1000x1000, irises moved by (x, y) px.
    fn eyes(x: f32, y: f32, opening: f32) -> Landmarks {
        let mut l = [[500.0, 500.0, 0.0]; LANDMARKS];
        for (eye, centre, outwards) in [(LEFT, 450.0, -1.0), (RIGHT, 550.0, 1.0)] {
            l[eye.outer] = [centre + 15.0 * outwards, 500.0, 0.0];
            l[eye.inner] = [centre - 15.0 * outwards, 500.0, 0.0];
            l[eye.iris] = [centre + x, 500.0 + y, 0.0];
            for (up, down) in eye.lids {
                l[up] = [centre, 500.0 - 15.0 * opening, 0.0];
                l[down] = [centre, 500.0 + 15.0 * opening, 0.0];
            }
        }
        l[LIPS.0] = [500.0, 590.0, 0.0];
        l[LIPS.1] = [500.0, 603.0, 0.0];
        l
    }

    #[test]
    fn irises_to_the_right_look_right_and_up_is_up() {
        let straight = gaze(&eyes(0.0, -1.8, 0.3), &Matrix3::identity(), 1000, 1000).unwrap();
        assert!(straight.head_yaw_deg.abs() < 1e-3 && straight.camera_pitch_deg.abs() < 1e-3, "{straight:?}");
        let right = gaze(&eyes(6.45, -4.8, 0.3), &Matrix3::identity(), 1000, 1000).unwrap();
        // 6.45 px of 30 are half the ball's radius: 30 degrees on the equator.
        assert!((right.head_yaw_deg - 30.0).abs() < 1.5 && right.head_pitch_deg > 10.0, "{right:?}");
    }

    #[test]
    fn lifted_corners_are_a_share_of_the_eyes_distance_however_the_head_is_tilted() {
        let mut l = eyes(0.0, 0.0, 0.3);
        (l[FOREHEAD], l[CHIN]) = ([500.0, 440.0, 0.0], [500.0, 640.0, 0.0]);
        // The lips' middle is at 596.5; the outer eye corners are 130 px apart.
        (l[LIP_CORNERS.0], l[LIP_CORNERS.1]) = ([470.0, 590.0, 5.0], [530.0, 590.0, 5.0]);
        assert!((lip_corner_lift(&l).unwrap() - 0.05).abs() < 1e-4);
        let turned = l.map(|[x, y, z]| [500.0 - (y - 500.0), 500.0 + (x - 500.0), z]);
        assert!((lip_corner_lift(&turned).unwrap() - 0.05).abs() < 1e-4);
        assert!(lip_corner_lift(&[[3.0; 3]; LANDMARKS]).is_none());
    }

    #[test]
    fn closed_eyes_look_nowhere_and_openings_are_shares() {
        assert!(gaze(&eyes(0.0, 0.0, 0.05), &Matrix3::identity(), 1000, 1000).is_none());
        let l = eyes(0.0, 0.0, 0.3);
        assert!((eye_openings(&l).0.unwrap() - 0.3).abs() < 1e-5);
        assert!((mouth_opening(&l).unwrap() - 0.1).abs() < 1e-5);
    }
}
