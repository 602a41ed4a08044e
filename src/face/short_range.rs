//! MediaPipe's short-range detector (BlazeFace, Bazarevsky et al. 2019, arXiv 1907.05047): fast, for faces that fill a
//! fifth of the picture or more. Its box decides what MediaPipe's landmark model sees, so looking where it looks gives
//! MediaPipe's numbers.

use image::RgbImage;
use ndarray::ArrayViewD;

use super::BoundingBox;
use super::crop::{self, Roi};
use crate::error::{Error, Result};
use crate::inference::{Input, Session};

/// Registry name.
pub(super) const MODEL: &str = "face_detector";

/// Side of the model's input, px.
const SIDE: usize = 128;
/// (cells per side, anchors per cell).
const LEVELS: [(usize, usize); 2] = [(16, 2), (8, 6)];
const ANCHORS: usize = 896;
/// Values per anchor: box, then six keypoints.
const VALUES: usize = 16;
/// What MediaPipe's face landmarker uses: least score, and the overlap from which boxes are averaged.
const LEAST_SCORE: f32 = 0.5;
const SAME_IOU: f32 = 0.5;
/// MediaPipe enlarges the box by this for the landmark model.
const ENLARGE: f32 = 1.5;

/// A face the short-range detector sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Near {
    /// Square box from the brows to the chin, px.
    pub bounds: BoundingBox,
    /// The region for the landmark model.
    pub roi: Roi,
    /// 0 to 1.
    pub score: f32,
}

/// The detector's buffer, kept between frames.
pub(super) struct ShortRange {
    input: Vec<f32>,
}

impl Default for ShortRange {
    fn default() -> Self {
        ShortRange { input: vec![0.0; 3 * SIDE * SIDE] }
    }
}

/// Left, top, right, bottom, then the eyes' x, y; in shares of the input.
type Anchor = [f32; 8];

impl ShortRange {
    /// All near faces, best first.
    ///
    /// # Errors
    /// [`Error::Model`].
    pub fn detect(&mut self, session: &mut Session, picture: &RgbImage) -> Result<Vec<Near>> {
        let (width, height) = (picture.width() as f32, picture.height() as f32);
        let longest = width.max(height);
        let region = Roi { x: 0.5 * width, y: 0.5 * height, side: longest, angle: 0.0 };
        let map = region.map(SIDE);
        crop::sample(picture, &map, SIDE, 2.0 / 255.0, &mut self.input);
        for plane in self.input.chunks_exact_mut(SIDE * SIDE) {
            for (j, row) in plane.chunks_exact_mut(SIDE).enumerate() {
                for (i, v) in row.iter_mut().enumerate() {
                    // The bars beside the picture are black.
                    let (x, y) = map.apply(i as f32, j as f32);
                    let inside = x >= 0.0 && y >= 0.0 && x <= width - 1.0 && y <= height - 1.0;
                    *v = if inside { *v - 1.0 } else { -1.0 };
                }
            }
        }
        let view = ArrayViewD::from_shape(vec![1, 3, SIDE, SIDE], &self.input).map_err(|e| Error::model(MODEL, e))?;
        let outputs = session.run(&[("image", Input::F32(view))])?;
        let flat: Vec<&[f32]> = outputs.iter().filter_map(|o| o.as_slice()).collect();
        let [boxes, logits] = flat[..] else {
            return Err(Error::Shape {
                what: "outputs of face_detector",
                expected: "boxes, scores".into(),
                got: outputs.len().to_string(),
            });
        };
        let n = SIDE as f32;
        let near = merge(decode(boxes, logits)?).into_iter().map(|(score, a)| {
            let at = |x: f32, y: f32| map.apply(x * n, y * n);
            let ((left, top), (right, bottom)) = (at(a[0], a[1]), at(a[2], a[3]));
            let ((lx, ly), (rx, ry)) = (at(a[4], a[5]), at(a[6], a[7]));
            let bounds = BoundingBox::from_corners(left, top, right, bottom);
            let (x, y) = bounds.centre();
            let side = ENLARGE * 0.5 * (bounds.width + bounds.height);
            Near { bounds, roi: Roi { x, y, side, angle: (ry - ly).atan2(rx - lx) }, score }
        });
        Ok(near.filter(|d| d.roi.side > 1.0).collect())
    }
}

/// Anchors at or above the least score, best first.
fn decode(boxes: &[f32], logits: &[f32]) -> Result<Vec<(f32, Anchor)>> {
    if logits.len() != ANCHORS || boxes.len() != VALUES * ANCHORS {
        return Err(Error::Shape {
            what: "anchors of face_detector",
            expected: ANCHORS.to_string(),
            got: format!("{} scores, {} box values", logits.len(), boxes.len()),
        });
    }
    let cells = LEVELS.into_iter().flat_map(|(side, each)| {
        (0..side * side * each).map(move |i| {
            let cell = i / each;
            ((cell % side) as f32 + 0.5, (cell / side) as f32 + 0.5, side as f32)
        })
    });
    let mut found: Vec<(f32, Anchor)> = Vec::new();
    for (((column, row, side), b), &logit) in cells.zip(boxes.chunks_exact(VALUES)).zip(logits) {
        let score = 1.0 / (1.0 + (-logit.clamp(-100.0, 100.0)).exp());
        if score.is_nan() || score < LEAST_SCORE {
            continue;
        }
        let place = |v: f32, along: f32| v / SIDE as f32 + along / side;
        let (x, y) = (place(b[0], column), place(b[1], row));
        let (w, h) = (0.5 * b[2] / SIDE as f32, 0.5 * b[3] / SIDE as f32);
        found.push((
            score,
            [x - w, y - h, x + w, y + h, place(b[4], column), place(b[5], row), place(b[6], column), place(b[7], row)],
        ));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(found)
}

/// Weighted non-maximum suppression: boxes that overlap the best one are averaged by score.
fn merge(mut rest: Vec<(f32, Anchor)>) -> Vec<(f32, Anchor)> {
    let bounds = |a: &Anchor| BoundingBox::from_corners(a[0], a[1], a[2], a[3]);
    let mut merged = Vec::new();
    while let Some(&(score, best)) = rest.first() {
        let (group, others): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|(_, a)| bounds(a).iou(bounds(&best)) > SAME_IOU);
        let total: f32 = group.iter().map(|(s, _)| s).sum();
        let mean = std::array::from_fn(|k| group.iter().map(|(s, a)| s * a[k]).sum::<f32>() / total);
        // A box without area overlaps nothing, not even itself.
        if !group.is_empty() {
            merged.push((score, mean));
        }
        rest = if group.is_empty() { others.into_iter().skip(1).collect() } else { others };
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_decoded_around_their_cells() {
        let mut logits = vec![-100.0; ANCHORS];
        let mut boxes = vec![0.0; VALUES * ANCHORS];
        // The first anchor of the coarse level: cell (0, 0) of 8, centre 1/16.
        logits[512] = 100.0;
        boxes[512 * VALUES] = 12.8;
        boxes[512 * VALUES + 2] = 64.0;
        boxes[512 * VALUES + 3] = 32.0;
        let found = decode(&boxes, &logits).unwrap();
        assert_eq!(found.len(), 1);
        let a = found[0].1;
        assert!((a[0] - (0.1625 - 0.25)).abs() < 1e-6 && (a[3] - (0.0625 + 0.125)).abs() < 1e-6, "{a:?}");
        assert!(decode(&boxes, &logits[1..]).is_err());
    }

    #[test]
    fn overlapping_boxes_are_averaged_by_score() {
        let a = |left: f32| [left, 0.0, left + 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let merged = merge(vec![(0.9, a(0.0)), (0.6, a(0.3)), (0.5, a(5.0)), (0.5, [9.0; 8])]);
        assert_eq!(merged.len(), 2, "two faces; a box without area is none");
        assert!((merged[0].1[0] - 0.12).abs() < 1e-6, "{merged:?}");
    }
}
