//! Head pose: the rotation that brings a metric canonical face onto the landmarks, as MediaPipe's face geometry module
//! finds it.
//!
//! Landmarks are projected on the near plane of a camera with a vertical field of view of 63°, the canonical face is
//! fitted by the weighted orthogonal Procrustes problem (Akca 2003, "Generalized Procrustes analysis and its
//! applications in photogrammetry"), its scale unprojects the landmarks, and the fit is repeated twice. Vertices and
//! weights are those of MediaPipe's `geometry_pipeline_metadata_landmarks.pbtxt` (Apache-2.0), in cm, x right, y up, z
//! towards the camera.

use nalgebra::{Matrix3, Vector3};

use super::{HeadPose, Landmarks};

/// MediaPipe's default vertical field of view.
const FIELD_OF_VIEW_DEG: f64 = 63.0;
/// Points of the mesh without the irises; their mean depth is the face's.
const MESH: usize = 468;

/// (landmark, its mirror image, weight of each, x, y, z of the first in cm); on the middle line both are the same.
const BASIS: [(usize, usize, f64, [f64; 3]); 18] = [
    (4, 4, 0.070_909_939_706_326, [0.0, -0.463_170, 7.586_580]),
    (6, 6, 0.032_100_144_773_722, [0.0, 2.473_255, 5.788_627]),
    (10, 10, 0.008_446_550_928_056, [0.0, 8.261_778, 4.481_535]),
    (33, 263, 0.058_724_168_688_059, [-4.445_859, 2.663_991, 3.173_422]),
    (54, 284, 0.007_667_080_033_571, [-6.279_331, 6.615_427, 1.425_850]),
    (67, 297, 0.009_078_059_345_484, [-3.523_964, 8.005_976, 3.729_163]),
    (117, 346, 0.009_791_937_656_701, [-5.258_659, 0.945_811, 2.974_312]),
    (119, 348, 0.014_565_368_182_957, [-3.300_681, 0.861_641, 3.872_784]),
    (121, 350, 0.018_591_361_120_343, [-1.820_731, 1.467_954, 4.224_124]),
    (127, 356, 0.005_197_994_410_992, [-7.743_095, 2.364_999, -2.005_167]),
    (129, 358, 0.120_625_205_338_001, [-1.785_794, -0.978_284, 4.850_470]),
    (132, 361, 0.005_560_018_587_857, [-7.270_895, -2.890_917, -2.252_455]),
    (133, 362, 0.053_286_183_625_46, [-1.856_432, 2.585_245, 3.757_904]),
    (136, 365, 0.066_890_455_782_413, [-5.085_276, -7.178_590, 0.714_711]),
    (143, 372, 0.014_816_547_743_976, [-6.407_571, 2.236_021, 1.560_843]),
    (147, 376, 0.014_262_833_632_529, [-6.234_883, -1.944_430, 1.663_542]),
    (198, 420, 0.025_462_191_551_924, [-1.246_815, 0.230_297, 5.681_036]),
    (205, 425, 0.047_252_278_774_977, [-3.832_928, -1.537_326, 4.137_731]),
];

/// Focal length in heights of the picture.
pub(super) fn focal_heights() -> f64 {
    0.5 / (0.5 * FIELD_OF_VIEW_DEG.to_radians()).tan()
}

/// The head's rotation; x right, y down, z away from the camera; the identity looks straight along the camera's axis.
///
/// `None` when the points coincide or are not finite.
pub(super) fn rotation(landmarks: &Landmarks, width: u32, height: u32) -> Option<Matrix3<f64>> {
    if width == 0 || height == 0 {
        return None;
    }
    // On the near plane at distance 1: y up, and z still grows away from the camera.
    let per_px = 1.0 / (focal_heights() * f64::from(height));
    let (cx, cy) = (0.5 * f64::from(width), 0.5 * f64::from(height));
    let project = |p: &[f32; 3]| {
        Vector3::new((f64::from(p[0]) - cx) * per_px, (cy - f64::from(p[1])) * per_px, f64::from(p[2]) * per_px)
    };
    let depth = landmarks[..MESH].iter().map(|p| f64::from(p[2]) * per_px).sum::<f64>() / MESH as f64;
    let mut sources = Vec::with_capacity(2 * BASIS.len());
    let mut screen = Vec::with_capacity(2 * BASIS.len());
    for &(left, right, weight, [x, y, z]) in &BASIS {
        sources.push((weight, Vector3::new(x, y, z)));
        screen.push(project(&landmarks[left]));
        if right != left {
            sources.push((weight, Vector3::new(-x, y, z)));
            screen.push(project(&landmarks[right]));
        }
    }
    let flat: Vec<_> = screen.iter().map(|p| Vector3::new(p.x, p.y, -p.z)).collect();
    let first = procrustes(&sources, &flat)?.1;
    let unproject = |scale: f64| -> Vec<Vector3<f64>> {
        screen
            .iter()
            .map(|p| {
                let z = (p.z - depth + 1.0) / scale;
                Vector3::new(p.x * z, p.y * z, -z)
            })
            .collect()
    };
    let second = procrustes(&sources, &unproject(first))?.1;
    let (rotation, _) = procrustes(&sources, &unproject(first * second))?;
    // From y up and z to the viewer to y down and z away.
    let flip = Matrix3::from_diagonal(&Vector3::new(1.0, -1.0, -1.0));
    Some(flip * rotation * flip)
}

/// Rotation and scale that bring weighted sources nearest to the targets.
fn procrustes(sources: &[(f64, Vector3<f64>)], targets: &[Vector3<f64>]) -> Option<(Matrix3<f64>, f64)> {
    let total: f64 = sources.iter().map(|(w, _)| w).sum();
    let centre: Vector3<f64> = sources.iter().map(|(w, s)| s * *w).sum::<Vector3<f64>>() / total;
    let mut design = Matrix3::zeros();
    let mut spread = 0.0;
    for ((w, s), t) in sources.iter().zip(targets) {
        let centred = s - centre;
        design += t * centred.transpose() * *w;
        spread += w * centred.dot(s);
    }
    if !design.iter().all(|v| v.is_finite()) || design.norm() < 1e-12 {
        return None;
    }
    let svd = design.svd(true, true);
    let (mut u, v_t) = (svd.u?, svd.v_t?);
    if u.determinant() * v_t.determinant() < 0.0 {
        // A mirror image is no rotation: turn the least singular direction.
        let least = svd.singular_values.imin();
        u.column_mut(least).neg_mut();
    }
    let rotation = u * v_t;
    let numerator: f64 = sources.iter().zip(targets).map(|((w, s), t)| w * (rotation * (s - centre)).dot(t)).sum();
    let scale = numerator / spread;
    (scale > 1e-12).then_some((rotation, scale))
}

/// Angles of a rotation that is roll first, then pitch, then yaw.
pub(super) fn angles(rotation: &Matrix3<f64>) -> HeadPose {
    let (yaw, pitch) = direction(&(rotation * Vector3::new(0.0, 0.0, -1.0)));
    let roll = rotation[(1, 0)].atan2(rotation[(1, 1)]);
    HeadPose { yaw_deg: yaw, pitch_deg: pitch, roll_deg: roll.to_degrees() as f32 }
}

/// (yaw, pitch) in degrees of a direction towards the viewer: right and up are positive.
pub(super) fn direction(look: &Vector3<f64>) -> (f32, f32) {
    let yaw = look.x.atan2(-look.z).to_degrees();
    let pitch = (-look.y).atan2(look.x.hypot(look.z)).to_degrees();
    (yaw as f32, pitch as f32)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::face::LANDMARKS;

    /// The canonical face's basis seen by the module's camera; the other landmarks lie at its centre.
    pub fn seen(rotation: &Matrix3<f64>, shift: Vector3<f64>, width: u32, height: u32) -> Landmarks {
        let focal = focal_heights() * f64::from(height);
        let place = |x: f64, y: f64, z: f64| {
            let p = rotation * Vector3::new(x, -y, -z) + shift;
            // z in the scale of x at the face's distance.
            [
                (p.x / p.z * focal + 0.5 * f64::from(width)) as f32,
                (p.y / p.z * focal + 0.5 * f64::from(height)) as f32,
                ((p.z - shift.z) / shift.z * focal) as f32,
            ]
        };
        let mut points = [place(0.0, 0.0, 0.0); LANDMARKS];
        for (l, r, _, [x, y, z]) in BASIS {
            points[l] = place(x, y, z);
            points[r] = place(-x, y, z);
        }
        points
    }

    fn turned(yaw: f64, pitch: f64, roll: f64) -> Matrix3<f64> {
        // About the axes of (x right, y down, z away): positive yaw moves a look along -z to +x.
        let y = nalgebra::Rotation3::from_axis_angle(&Vector3::y_axis(), -yaw.to_radians());
        let x = nalgebra::Rotation3::from_axis_angle(&Vector3::x_axis(), -pitch.to_radians());
        let z = nalgebra::Rotation3::from_axis_angle(&Vector3::z_axis(), roll.to_radians());
        (y * x * z).into_inner()
    }

    #[test]
    fn the_signs_are_those_of_the_design() {
        let pose = angles(&turned(20.0, 10.0, 5.0));
        assert!(
            (pose.yaw_deg - 20.0).abs() < 1e-3
                && (pose.pitch_deg - 10.0).abs() < 1e-3
                && (pose.roll_deg - 5.0).abs() < 1e-3,
            "{pose:?}"
        );
        // A face turned to the image's right shows its nose right of the middle between the eyes; chin up raises it;
        // roll lowers the right eye.
        let nose_of = |r: Matrix3<f64>| {
            let l = seen(&r, Vector3::new(0.0, 0.0, 60.0), 1280, 720);
            (l[4][0] - 0.5 * (l[33][0] + l[263][0]), l[263][1] - l[33][1], l[4][1])
        };
        assert!(nose_of(turned(20.0, 0.0, 0.0)).0 > 5.0);
        assert!(nose_of(turned(0.0, 20.0, 0.0)).2 < nose_of(turned(0.0, 0.0, 0.0)).2);
        assert!(nose_of(turned(0.0, 0.0, 10.0)).1 > 5.0);
    }

    #[test]
    fn a_turned_canonical_face_is_found_again() {
        for (yaw, pitch, roll) in [(0.0, 0.0, 0.0), (30.0, -10.0, 5.0), (-40.0, 15.0, -20.0)] {
            let landmarks = seen(&turned(yaw, pitch, roll), Vector3::new(2.0, -1.0, 50.0), 1280, 720);
            let pose = angles(&rotation(&landmarks, 1280, 720).unwrap());
            let off = (f64::from(pose.yaw_deg) - yaw)
                .abs()
                .max((f64::from(pose.pitch_deg) - pitch).abs())
                .max((f64::from(pose.roll_deg) - roll).abs());
            assert!(off < 2.5, "{pose:?} for {yaw} {pitch} {roll}");
        }
        assert!(rotation(&[[5.0, 5.0, 0.0]; LANDMARKS], 1280, 720).is_none_or(|r| r.iter().all(|v| v.is_finite())));
    }
}
