//! Blendshapes: MediaPipe's 52 coefficients from 146 of the landmarks.

use ndarray::ArrayViewD;

use super::Landmarks;
use crate::error::{Error, Result};
use crate::inference::{Input, Session};

/// Registry name.
pub(super) const MODEL: &str = "face_blendshapes";

/// The landmarks the model takes, in its order (MediaPipe, face_blendshapes_graph.cc).
const SUBSET: [u16; 146] = [
    0, 1, 4, 5, 6, 7, 8, 10, 13, 14, 17, 21, 33, 37, 39, 40, 46, 52, 53, 54, 55, 58, 61, 63, 65, 66, 67, 70, 78, 80,
    81, 82, 84, 87, 88, 91, 93, 95, 103, 105, 107, 109, 127, 132, 133, 136, 144, 145, 146, 148, 149, 150, 152, 153,
    154, 155, 157, 158, 159, 160, 161, 162, 163, 168, 172, 173, 176, 178, 181, 185, 191, 195, 197, 234, 246, 249, 251,
    263, 267, 269, 270, 276, 282, 283, 284, 285, 288, 291, 293, 295, 296, 297, 300, 308, 310, 311, 312, 314, 317, 318,
    321, 323, 324, 332, 334, 336, 338, 356, 361, 362, 365, 373, 374, 375, 377, 378, 379, 380, 381, 382, 384, 385, 386,
    387, 388, 389, 390, 397, 398, 400, 402, 405, 409, 415, 454, 466, 468, 469, 470, 471, 472, 473, 474, 475, 476, 477,
];

/// The coefficients in the order of [`super::BLENDSHAPES`].
///
/// # Errors
/// [`Error::Model`].
pub(super) fn blendshapes(session: &mut Session, landmarks: &Landmarks) -> Result<[f32; 52]> {
    let mut points = [0.0f32; 2 * SUBSET.len()];
    for (pair, &i) in points.chunks_exact_mut(2).zip(&SUBSET) {
        let [x, y, _] = landmarks[usize::from(i)];
        pair.copy_from_slice(&[x, y]);
    }
    let view = ArrayViewD::from_shape(vec![1, SUBSET.len(), 2], &points).map_err(|e| Error::model(MODEL, e))?;
    let outputs = session.run(&[("points", Input::F32(view))])?;
    let values = outputs.first().and_then(|o| o.as_slice()).unwrap_or_default();
    values.try_into().map_err(|_| Error::Shape {
        what: "blendshapes",
        expected: "52".into(),
        got: values.len().to_string(),
    })
}
