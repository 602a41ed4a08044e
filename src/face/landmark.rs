//! Landmarks: MediaPipe's attention mesh (Grishchenko et al. 2020, arXiv 2006.10962): 468 points of the face, 5 of each
//! iris.

use image::RgbImage;
use ndarray::ArrayViewD;

use super::crop::{self, Roi};
use super::{BoundingBox, LANDMARKS, Landmarks};
use crate::error::{Error, Result};
use crate::inference::{Input, Session};

/// Registry name.
pub(super) const MODEL: &str = "face_landmarks";

/// Side of the model's input, px.
pub(super) const SIDE: usize = 256;
/// MediaPipe enlarges the box around a mesh by this for the next look.
const ENLARGE: f32 = 1.5;
/// Outer eye corners: the image's left (the person's right), then right.
const OUTER: (usize, usize) = (33, 263);

/// A face mesh in the picture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mesh {
    /// px; z as MediaPipe scales it, smaller = nearer.
    pub points: Box<Landmarks>,
    /// 0 to 1.
    pub presence: f32,
}

impl Mesh {
    /// Box around all points.
    pub fn bounds(&self) -> BoundingBox {
        BoundingBox::around(&self.points[..])
    }

    /// The region to look at next: the mesh's box, made square by its longer side, enlarged 1.5 times, turned along the
    /// eye line.
    pub fn roi(&self) -> Roi {
        let b = self.bounds();
        let (x, y) = b.centre();
        let ([lx, ly, _], [rx, ry, _]) = (self.points[OUTER.0], self.points[OUTER.1]);
        Roi { x, y, side: ENLARGE * b.width.max(b.height), angle: (ry - ly).atan2(rx - lx) }
    }
}

/// The model's buffer, kept between faces; after a look it holds the crop, values 0 to 1, three planes.
pub(super) struct Mesher {
    input: Vec<f32>,
}

impl Default for Mesher {
    fn default() -> Self {
        Mesher { input: vec![0.0; 3 * SIDE * SIDE] }
    }
}

impl Mesher {
    /// The crop of the last look.
    pub fn crop(&self) -> &[f32] {
        &self.input
    }

    /// Looks for a face in `roi`.
    ///
    /// # Errors
    /// [`Error::Model`].
    pub fn look(&mut self, session: &mut Session, picture: &RgbImage, roi: &Roi) -> Result<Mesh> {
        let map = roi.map(SIDE);
        crop::sample(picture, &map, SIDE, 1.0 / 255.0, &mut self.input);
        let view = ArrayViewD::from_shape(vec![1, 3, SIDE, SIDE], &self.input).map_err(|e| Error::model(MODEL, e))?;
        let outputs = session.run(&[("image", Input::F32(view))])?;
        let flat: Vec<&[f32]> = outputs.iter().filter_map(|o| o.as_slice()).collect();
        let (Some(raw), Some(&[logit])) = (flat.first(), flat.get(1)) else {
            return Err(Error::Shape {
                what: "outputs of face_landmarks",
                expected: format!("{LANDMARKS} points and one presence"),
                got: format!("{:?}", flat.iter().map(|f| f.len()).collect::<Vec<_>>()),
            });
        };
        if raw.len() != 3 * LANDMARKS || raw.iter().any(|v| !v.is_finite()) {
            return Err(Error::Shape {
                what: "landmarks",
                expected: format!("{LANDMARKS} finite points"),
                got: format!("{} values", raw.len()),
            });
        }
        let step = roi.side / SIDE as f32 * depth_gain(roi.angle, picture.width(), picture.height());
        let mut points = Box::new([[0.0; 3]; LANDMARKS]);
        for (p, r) in points.iter_mut().zip(raw.chunks_exact(3)) {
            let (x, y) = map.apply(r[0], r[1]);
            *p = [x, y, r[2] * step];
        }
        Ok(Mesh { points, presence: 1.0 / (1.0 + (-logit).exp()) })
    }
}

/// MediaPipe scales depth by the length of the region's x axis where the picture's width and height both count as 1: in
/// a picture that is no square, a tilted face comes out deeper (1.16 times at 23° in 16:9). Its head pose is found from
/// such depths, so ours is too.
fn depth_gain(angle: f32, width: u32, height: u32) -> f32 {
    let (sin, cos) = angle.sin_cos();
    let aspect = width as f32 / height.max(1) as f32;
    (cos * cos + sin * sin * aspect * aspect).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upright_face_keeps_its_depth_and_a_tilted_one_in_a_wide_picture_gains() {
        assert!((depth_gain(0.0, 1280, 720) - 1.0).abs() < 1e-6 && (depth_gain(0.7, 500, 500) - 1.0).abs() < 1e-6);
        assert!((depth_gain(-0.408, 1280, 720) - 1.1576).abs() < 1e-3, "{}", depth_gain(-0.408, 1280, 720));
    }

    #[test]
    fn the_next_region_is_the_meshs_box_made_square_and_half_as_large_again() {
        let mut points = Box::new([[5.0, 10.0, 0.0]; LANDMARKS]);
        points[OUTER.0] = [0.0, 0.0, 0.0];
        points[OUTER.1] = [10.0, 10.0, 0.0];
        points[7] = [5.0, 20.0, 0.0];
        let roi = Mesh { points, presence: 1.0 }.roi();
        assert!((roi.x - 5.0).abs() < 1e-5 && (roi.y - 10.0).abs() < 1e-5 && (roi.side - 30.0).abs() < 1e-5, "{roi:?}");
        assert!((roi.angle - std::f32::consts::FRAC_PI_4).abs() < 1e-5);
    }
}
