//! The 33 landmarks of a body: BlazePose GHUM, full (Bazarevsky et al. 2020, arXiv 2006.10204).

use ndarray::ArrayViewD;

use super::observation::BODY_POINTS;
use super::person;
use super::view::{Edge, Region, Scale, View};
use crate::error::{Error, Result};
use crate::inference::{Input, Session};

/// Registry name.
pub(super) const MODEL: &str = "body_landmarks";

/// Side of the input, px.
const SIDE: usize = 256;
/// Points the model gives; the last six are for the next look.
const POINTS: usize = 39;
/// Values of a point: x, y, z, visibility, presence.
const VALUES: usize = 5;
/// The middle of the body and a point on the circle about it.
const ALIGNMENT: (usize, usize) = (33, 34);
/// Side of the map of each point.
const CELLS: usize = 64;
/// MediaPipe moves a point to the mean of its map over so many cells to each side, where the map is sure of it.
const REACH: usize = 4;
const SURE: f32 = 0.5;

/// A body in the picture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Body {
    /// x, y in px of the picture, z in the same scale, smaller = nearer than the hips.
    pub points: [[f32; 3]; BODY_POINTS],
    /// 0 to 1: the point is seen, neither hidden nor outside of the picture.
    pub visibility: [f32; BODY_POINTS],
    /// The model's certainty that there is a body, 0 to 1.
    pub presence: f32,
    /// Where to look next.
    pub next: Region,
}

fn sigmoid(v: f32) -> f32 {
    1.0 / (1.0 + (-v).exp())
}

/// Looks for a body in `region` of the view. `input` is the buffer kept between looks.
///
/// # Errors
/// [`Error::Model`]; [`Error::Shape`] for outputs that are no points.
pub(super) fn look(session: &mut Session, view: &View<'_>, region: &Region, input: &mut Vec<f32>) -> Result<Body> {
    input.resize(3 * SIDE * SIDE, 0.0);
    view.sample(region, SIDE, Edge::Repeat, Scale::UNIT, input);
    let array = ArrayViewD::from_shape(vec![1, 3, SIDE, SIDE], input.as_slice()).map_err(|e| Error::model(MODEL, e))?;
    let outputs = session.run(&[("image", Input::F32(array))])?;
    let flat: Vec<&[f32]> = outputs.iter().filter_map(|o| o.as_slice()).collect();
    let (Some(raw), Some(&&[presence]), Some(heat)) = (flat.first(), flat.get(1), flat.get(2)) else {
        return Err(misshapen(format!("{:?}", flat.iter().map(|f| f.len()).collect::<Vec<_>>())));
    };
    let sizes = raw.len() == POINTS * VALUES && heat.len() == POINTS * CELLS * CELLS;
    if !sizes || raw.iter().any(|v| !v.is_finite()) || !presence.is_finite() {
        return Err(misshapen(format!("{} values, {} cells", raw.len(), heat.len())));
    }
    let gain = region.step(SIDE);
    let place = |k: usize| {
        let p = &raw[k * VALUES..(k + 1) * VALUES];
        let map = &heat[k * CELLS * CELLS..(k + 1) * CELLS * CELLS];
        let (x, y) = refined(p[0] / SIDE as f32, p[1] / SIDE as f32, map);
        let (x, y) = region.place(SIDE, x * SIDE as f32, y * SIDE as f32);
        [x, y, p[2] * gain]
    };
    let ([mx, my, _], [cx, cy, _]) = (place(ALIGNMENT.0), place(ALIGNMENT.1));
    Ok(Body {
        points: std::array::from_fn(place),
        visibility: std::array::from_fn(|k| sigmoid(raw[k * VALUES + 3])),
        presence,
        next: person::region((mx, my), (cx, cy)),
    })
}

fn misshapen(got: String) -> Error {
    let expected = format!("{POINTS} finite points of {VALUES} values, a presence and maps of {CELLS} x {CELLS}");
    Error::Shape { what: "outputs of body_landmarks", expected, got }
}

/// A point in shares of the crop, moved to the mean place of its map's cells about it.
fn refined(x: f32, y: f32, map: &[f32]) -> (f32, f32) {
    let (column, row) = ((x * CELLS as f32).floor(), (y * CELLS as f32).floor());
    let inside = |v: f32| v >= 0.0 && v < CELLS as f32;
    if !inside(column) || !inside(row) {
        return (x, y);
    }
    let about = |v: f32| (v as usize).saturating_sub(REACH)..(v as usize + REACH + 1).min(CELLS);
    let (mut sum, mut along, mut down, mut most) = (0.0f32, 0.0f32, 0.0f32, 0.0f32);
    for r in about(row) {
        for c in about(column) {
            let weight = sigmoid(map[r * CELLS + c]);
            sum += weight;
            most = most.max(weight);
            along += weight * c as f32;
            down += weight * r as f32;
        }
    }
    if most >= SURE && sum > 0.0 { (along / CELLS as f32 / sum, down / CELLS as f32 / sum) } else { (x, y) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_moves_to_the_mean_of_its_map_where_that_is_sure() {
        let mut map = vec![-100.0; CELLS * CELLS];
        let at = (10.2 / CELLS as f32, 20.7 / CELLS as f32);
        assert_eq!(refined(at.0, at.1, &map), at, "nothing is sure");
        map[21 * CELLS + 11] = 100.0;
        map[21 * CELLS + 13] = 100.0;
        map[21 * CELLS + 60] = 100.0;
        let (x, y) = refined(at.0, at.1, &map);
        assert!((x * CELLS as f32 - 12.0).abs() < 1e-3 && (y * CELLS as f32 - 21.0).abs() < 1e-3, "{x} {y}");
        assert_eq!(refined(-0.1, 0.5, &map), (-0.1, 0.5), "outside of the crop");
    }
}
