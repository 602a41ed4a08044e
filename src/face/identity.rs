//! Identity: 128 values per face, of dlib's ResNet (King 2017, "High quality face recognition with deep metric
//! learning"), in face-api's conversion. Two faces nearer than about 0.6 (Euclidean) are one person.

use image::RgbImage;
use ndarray::ArrayViewD;

use super::Landmarks;
use super::crop::{self, Affine};
use crate::error::{Error, Result};
use crate::inference::{Input, Session};

/// Registry name.
pub(super) const MODEL: &str = "face_recognition";

/// Side of the model's input, px.
pub(super) const SIDE: usize = 150;
/// Values of an embedding.
pub(super) const DIMENSIONS: usize = 128;

/// Where landmarks lie in dlib's aligned chip (its mean face shape with a padding of 0.25): eye corners, nose tip,
/// below the nose, mouth corners; in shares of the face.
const TEMPLATE: [(usize, (f32, f32)); 8] = [
    (33, (0.121_737, 0.216_423)),
    (133, (0.334_606, 0.231_733)),
    (362, (0.645_647, 0.231_733)),
    (263, (0.858_516, 0.216_423)),
    (4, (0.490_127, 0.515_625)),
    (2, (0.490_127, 0.628_106)),
    (61, (0.254_149, 0.780_233)),
    (291, (0.726_104, 0.780_233)),
];
const PADDING: f32 = 0.25;

/// The aligned 150x150 picture of a face; `None` when the landmarks coincide.
pub(super) fn chip(picture: &RgbImage, landmarks: &Landmarks) -> Option<RgbImage> {
    let in_chip = TEMPLATE.map(|(_, (x, y))| {
        ((PADDING + x) / (1.0 + 2.0 * PADDING) * SIDE as f32, (PADDING + y) / (1.0 + 2.0 * PADDING) * SIDE as f32)
    });
    let in_picture = TEMPLATE.map(|(i, _)| (landmarks[i][0], landmarks[i][1]));
    let map = Affine::similarity(&in_chip, &in_picture)?;
    let mut planes = vec![0.0; 3 * SIDE * SIDE];
    crop::sample(picture, &map, SIDE, 1.0, &mut planes);
    Some(crop::picture(&planes, SIDE))
}

/// The embedding of an aligned 150x150 picture.
///
/// # Errors
/// [`Error::Model`].
pub(super) fn embed(session: &mut Session, chip: &RgbImage) -> Result<Vec<f32>> {
    let mut planes = vec![0.0; 3 * SIDE * SIDE];
    let scale = |side: u32| side as f32 / SIDE as f32;
    crop::sample(chip, &Affine::scale(scale(chip.width()), scale(chip.height())), SIDE, 1.0, &mut planes);
    let view = ArrayViewD::from_shape(vec![1, 3, SIDE, SIDE], &planes).map_err(|e| Error::model(MODEL, e))?;
    let outputs = session.run(&[("image", Input::F32(view))])?;
    let values = outputs.first().and_then(|o| o.as_slice()).unwrap_or_default();
    if values.len() != DIMENSIONS || values.iter().any(|v| !v.is_finite()) {
        return Err(Error::Shape {
            what: "identity embedding",
            expected: format!("{DIMENSIONS} finite values"),
            got: values.len().to_string(),
        });
    }
    Ok(values.to_vec())
}

/// Euclidean distance.
pub(super) fn distance(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(x, y)| f64::from(x - y).powi(2)).sum::<f64>().sqrt()
}

/// The mean of embeddings, `None` for none.
pub(super) fn mean(all: &[Vec<f32>]) -> Option<Vec<f32>> {
    let first = all.first()?;
    let n = all.len() as f64;
    Some((0..first.len()).map(|k| (all.iter().map(|e| f64::from(e[k])).sum::<f64>() / n) as f32).collect())
}
