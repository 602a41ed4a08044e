//! Expression: probabilities of seven expressions (face-api's network) from the face's box.

use image::RgbImage;
use ndarray::ArrayViewD;

use super::crop::{self, Affine, Roi};
use crate::error::{Error, Result};
use crate::inference::{Input, Session};

/// Registry name.
pub(super) const MODEL: &str = "face_expression";

/// Side of the model's input, px.
const SIDE: usize = 112;

/// Probabilities in the order of [`super::EXPRESSIONS`] of the face in a region.
///
/// # Errors
/// [`Error::Model`].
pub(super) fn of_region(session: &mut Session, picture: &RgbImage, roi: &Roi, planes: &mut Vec<f32>) -> Result<[f32; 7]> {
    run(session, picture, &roi.map(SIDE), planes)
}

/// Probabilities of a picture that is one face.
#[cfg(test)]
pub(super) fn of_picture(session: &mut Session, picture: &RgbImage) -> Result<[f32; 7]> {
    let scale = |side: u32| side as f32 / SIDE as f32;
    run(session, picture, &Affine::scale(scale(picture.width()), scale(picture.height())), &mut Vec::new())
}

fn run(session: &mut Session, picture: &RgbImage, map: &Affine, planes: &mut Vec<f32>) -> Result<[f32; 7]> {
    planes.resize(3 * SIDE * SIDE, 0.0);
    crop::sample(picture, map, SIDE, 1.0, planes);
    let view = ArrayViewD::from_shape(vec![1, 3, SIDE, SIDE], planes.as_slice()).map_err(|e| Error::model(MODEL, e))?;
    let outputs = session.run(&[("image", Input::F32(view))])?;
    let values = outputs.first().and_then(|o| o.as_slice()).unwrap_or_default();
    values.try_into().map_err(|_| Error::Shape { what: "expression probabilities", expected: "7".into(), got: values.len().to_string() })
}
