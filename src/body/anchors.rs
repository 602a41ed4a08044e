//! Detectors with anchors, as MediaPipe decodes them: each anchor has a score, a box and a few points, and overlapping
//! boxes are averaged by score (Bazarevsky et al. 2019, arXiv 1907.05047).

use ndarray::ArrayViewD;

use super::view::{Edge, Scale, View};
use crate::error::{Error, Result};
use crate::inference::{Input, Session};

/// MediaPipe's: boxes of a lower score are none, and from this overlap on two are one.
const LEAST_SCORE: f32 = 0.5;
const SAME_IOU: f32 = 0.3;

/// What is known of a detector.
#[derive(Debug)]
pub(super) struct Detector {
    /// Registry name.
    pub model: &'static str,
    /// Side of the input, px.
    pub side: usize,
    /// (cells per side, anchors per cell).
    pub levels: &'static [(usize, usize)],
    /// Points beside the box.
    pub points: usize,
    /// How bytes become its input.
    pub scale: Scale,
}

/// Something detected, px of the picture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Detection {
    /// 0 to 1.
    pub score: f32,
    /// Left, top, right, bottom.
    pub bounds: [f32; 4],
    /// The model's points.
    pub points: Vec<(f32, f32)>,
}

/// Score, and the box's corners and the points in shares of the input.
type Anchor = (f32, Vec<f32>);

impl Detector {
    fn anchors(&self) -> usize {
        self.levels.iter().map(|(side, each)| side * side * each).sum()
    }

    /// All there are in the view, best first. `input` is the buffer kept between pictures.
    ///
    /// # Errors
    /// [`Error::Model`].
    pub fn detect(&self, session: &mut Session, view: &View<'_>, input: &mut Vec<f32>) -> Result<Vec<Detection>> {
        let n = self.side;
        input.resize(3 * n * n, 0.0);
        let square = view.square();
        view.sample(&square, n, Edge::Black, self.scale, input);
        let array =
            ArrayViewD::from_shape(vec![1, 3, n, n], input.as_slice()).map_err(|e| Error::model(self.model, e))?;
        let outputs = session.run(&[("image", Input::F32(array))])?;
        let flat: Vec<&[f32]> = outputs.iter().filter_map(|o| o.as_slice()).collect();
        let [boxes, logits] = flat[..] else {
            return Err(self.misshapen(format!("{} outputs", flat.len())));
        };
        let place = |v: &[f32]| square.place(n, v[0] * n as f32, v[1] * n as f32);
        let detection = |(score, values): Anchor| {
            let ((left, top), (right, bottom)) = (place(&values[..2]), place(&values[2..4]));
            let points = values[4..].chunks_exact(2).map(place).collect();
            Detection { score, bounds: [left, top, right, bottom], points }
        };
        Ok(merge(self.decode(boxes, logits)?).into_iter().map(detection).collect())
    }

    fn misshapen(&self, got: String) -> Error {
        Error::Shape { what: "outputs of a detector", expected: format!("{} of {}", self.anchors(), self.model), got }
    }

    /// Anchors at or above the least score, best first.
    fn decode(&self, boxes: &[f32], logits: &[f32]) -> Result<Vec<Anchor>> {
        let (count, values) = (self.anchors(), 4 + 2 * self.points);
        if logits.len() != count || boxes.len() != values * count {
            return Err(self.misshapen(format!("{} scores, {} box values", logits.len(), boxes.len())));
        }
        let cells = self.levels.iter().flat_map(|&(side, each)| {
            (0..side * side * each).map(move |i| {
                let cell = i / each;
                (((cell % side) as f32 + 0.5) / side as f32, ((cell / side) as f32 + 0.5) / side as f32)
            })
        });
        let n = self.side as f32;
        let mut found: Vec<Anchor> = Vec::new();
        for (((column, row), b), &logit) in cells.zip(boxes.chunks_exact(values)).zip(logits) {
            let score = 1.0 / (1.0 + (-logit.clamp(-100.0, 100.0)).exp());
            if score.is_nan() || score < LEAST_SCORE {
                continue;
            }
            let (x, y) = (b[0] / n + column, b[1] / n + row);
            let (w, h) = (0.5 * b[2] / n, 0.5 * b[3] / n);
            let mut anchor = vec![x - w, y - h, x + w, y + h];
            anchor.extend(b[4..].chunks_exact(2).flat_map(|p| [p[0] / n + column, p[1] / n + row]));
            if anchor.iter().all(|v| v.is_finite()) {
                found.push((score, anchor));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(found)
    }
}

/// Intersection over union of two boxes told by their corners, 0 to 1.
pub(super) fn iou(a: &[f32], b: &[f32]) -> f32 {
    let side = |low: usize| (a[low + 2].min(b[low + 2]) - a[low].max(b[low])).max(0.0);
    let area = |c: &[f32]| (c[2] - c[0]).max(0.0) * (c[3] - c[1]).max(0.0);
    let shared = side(0) * side(1);
    let union = area(a) + area(b) - shared;
    if union > 0.0 { shared / union } else { 0.0 }
}

/// Weighted non-maximum suppression.
fn merge(mut rest: Vec<Anchor>) -> Vec<Anchor> {
    let mut merged = Vec::new();
    while let Some((score, best)) = rest.first().cloned() {
        let (group, others): (Vec<Anchor>, Vec<Anchor>) = rest.into_iter().partition(|(_, a)| iou(a, &best) > SAME_IOU);
        // A box without area overlaps nothing, not even itself.
        if group.is_empty() {
            rest = others.into_iter().skip(1).collect();
            continue;
        }
        let total: f32 = group.iter().map(|(s, _)| s).sum();
        let mean = (0..best.len()).map(|k| group.iter().map(|(s, a)| s * a[k]).sum::<f32>() / total).collect();
        merged.push((score, mean));
        rest = others;
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    const TINY: Detector =
        Detector { model: "tiny", side: 8, levels: &[(2, 1), (1, 2)], points: 1, scale: Scale::UNIT };

    #[test]
    fn anchors_are_decoded_around_their_cells() {
        let mut logits = vec![-100.0; 6];
        let mut boxes = vec![0.0; 36];
        // The second anchor: cell (1, 0) of 2, centre at 0.75, 0.25.
        logits[1] = 3.0;
        boxes[6..12].copy_from_slice(&[0.8, 0.0, 4.0, 2.0, -0.8, 1.6]);
        let found = TINY.decode(&boxes, &logits).unwrap();
        assert_eq!(found.len(), 1);
        let wanted = [0.6, 0.125, 1.1, 0.375, 0.65, 0.45];
        assert!(found[0].1.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
        assert!(TINY.decode(&boxes, &logits[1..]).is_err());
    }

    #[test]
    fn overlapping_boxes_are_averaged_by_score() {
        let a = |left: f32| vec![left, 0.0, left + 1.0, 1.0, left, 0.0];
        let merged = merge(vec![(0.9, a(0.0)), (0.6, a(0.3)), (0.5, a(5.0)), (0.5, vec![9.0; 6])]);
        assert_eq!(merged.len(), 2, "two; a box without area is none");
        assert!((merged[0].1[0] - 0.12).abs() < 1e-6 && (merged[0].0 - 0.9).abs() < 1e-6, "{merged:?}");
    }
}
