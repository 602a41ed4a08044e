//! The 21 landmarks of a hand: MediaPipe's, full (Zhang et al. 2020, arXiv 2006.10214).

use ndarray::ArrayViewD;

use super::observation::HAND_POINTS;
use super::palm::hand_region;
use super::view::{Edge, Region, Scale, View};
use crate::error::{Error, Result};
use crate::inference::{Input, Session};

/// Registry name.
pub(super) const MODEL: &str = "hand_landmarks";

/// Side of the input, px.
const SIDE: usize = 224;
/// MediaPipe divides depths by this.
const DEPTH: f32 = 0.4;
/// The wrist, and the bases of the index, middle and ring finger.
const WRIST: usize = 0;
const BASES: [usize; 3] = [5, 9, 13];
/// Wrist, thumb and bases of fingers: what moves least, and tells of the next region.
const STEADY: [usize; 12] = [0, 1, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18];
/// The next region is the box about them, moved by this share of its height, enlarged by this.
const SHIFT: f32 = 0.1;
const ENLARGE: f32 = 2.0;

/// A hand in the picture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hand {
    /// x, y in px of the picture, z in the same scale, smaller = nearer than the wrist.
    pub points: [[f32; 3]; HAND_POINTS],
    /// The model's certainty that there is a hand, 0 to 1.
    pub presence: f32,
    /// Probability that it is the right hand of the person, in a picture that is no mirror.
    pub right: f32,
}

impl Hand {
    /// Where to look next.
    pub fn next(&self) -> Option<Region> {
        let at = |k: usize| (self.points[k][0], self.points[k][1]);
        let [index, middle, ring] = BASES.map(at);
        // MediaPipe's direction: halfway between index and ring, then halfway to the middle finger.
        let mean = |a: (f32, f32), b: (f32, f32)| (0.5 * (a.0 + b.0), 0.5 * (a.1 + b.1));
        let angle = Region::upright(at(WRIST), mean(mean(index, ring), middle));
        // The box is taken along the hand's own axes.
        let (sin, cos) = angle.sin_cos();
        let mut along = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
        for (x, y) in STEADY.map(at) {
            let (u, v) = (cos * x + sin * y, cos * y - sin * x);
            along = [along[0].min(u), along[1].min(v), along[2].max(u), along[3].max(v)];
        }
        let (u, v) = (0.5 * (along[0] + along[2]), 0.5 * (along[1] + along[3]));
        let (x, y) = (cos * u - sin * v, sin * u + cos * v);
        let (w, h) = (0.5 * (along[2] - along[0]), 0.5 * (along[3] - along[1]));
        hand_region([x - w, y - h, x + w, y + h], angle, SHIFT, ENLARGE)
    }
}

/// Looks for a hand in `region` of the view. `input` is the buffer kept between looks.
///
/// # Errors
/// [`Error::Model`]; [`Error::Shape`] for outputs that are no points.
pub(super) fn look(session: &mut Session, view: &View<'_>, region: &Region, input: &mut Vec<f32>) -> Result<Hand> {
    input.resize(3 * SIDE * SIDE, 0.0);
    view.sample(region, SIDE, Edge::Repeat, Scale::UNIT, input);
    let array = ArrayViewD::from_shape(vec![1, 3, SIDE, SIDE], input.as_slice()).map_err(|e| Error::model(MODEL, e))?;
    let outputs = session.run(&[("image", Input::F32(array))])?;
    let flat: Vec<&[f32]> = outputs.iter().filter_map(|o| o.as_slice()).collect();
    let (Some(raw), Some(&&[presence]), Some(&&[right])) = (flat.first(), flat.get(1), flat.get(2)) else {
        return Err(misshapen(format!("{:?}", flat.iter().map(|f| f.len()).collect::<Vec<_>>())));
    };
    if raw.len() != 3 * HAND_POINTS || raw.iter().chain([&presence, &right]).any(|v| !v.is_finite()) {
        return Err(misshapen(format!("{} values", raw.len())));
    }
    let gain = region.step(SIDE) / DEPTH;
    let points = std::array::from_fn(|k| {
        let (x, y) = region.place(SIDE, raw[3 * k], raw[3 * k + 1]);
        [x, y, raw[3 * k + 2] * gain]
    });
    Ok(Hand { points, presence, right })
}

fn misshapen(got: String) -> Error {
    let expected = format!("{HAND_POINTS} finite points, a presence and a side");
    Error::Shape { what: "outputs of hand_landmarks", expected, got }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_region_lies_along_the_hand() {
        // Wrist at the left, fingers to the right.
        let mut points = [[50.0, 50.0, 0.0]; HAND_POINTS];
        points[0] = [10.0, 50.0, 0.0];
        points[5] = [50.0, 40.0, 0.0];
        points[13] = [50.0, 60.0, 0.0];
        let next = Hand { points, presence: 1.0, right: 1.0 }.next().unwrap();
        assert!((next.angle - std::f32::consts::FRAC_PI_2).abs() < 1e-5, "{next:?}");
        assert!((next.x - 34.0).abs() < 1e-3 && (next.y - 50.0).abs() < 1e-3 && (next.side - 80.0).abs() < 1e-3);
        assert!(Hand { points: [[3.0; 3]; HAND_POINTS], presence: 1.0, right: 1.0 }.next().is_none());
    }
}
