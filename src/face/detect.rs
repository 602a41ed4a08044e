//! Detection: RetinaFace (Deng et al. 2019, arXiv 1905.00641) with MobileNetV1 0.25, for faces from about 16 px, unless
//! the recipe names another detector.

use fast_image_resize as resize;
use image::RgbImage;
use ndarray::ArrayViewD;

use super::crop::Roi;
use super::{BoundingBox, real, track};
use crate::error::{Error, Result};
use crate::inference::{Colour, Input, Loader, OutputKind, PictureSpec, Session, TensorSpec};

/// (stride, sizes of its two anchors), px.
const LEVELS: [(usize, [f32; 2]); 3] = [(8, [16.0, 32.0]), (16, [64.0, 128.0]), (32, [256.0, 512.0])];
/// Scales of the regressions: centre and size.
const VARIANCES: [f32; 2] = [0.1, 0.2];
/// The pyramid doubles the coarser level, so sides must divide by the coarsest stride.
const MULTIPLE: usize = 32;

/// A loaded detector and what its registry entry says of it.
#[derive(Debug)]
pub(super) struct Model {
    pub session: Session,
    input: String,
    picture: PictureSpec,
    answer: OutputKind,
    /// Width and height where the model takes one size only.
    fixed: Option<(usize, usize)>,
}

impl Model {
    /// A registered model by its name.
    ///
    /// # Errors
    /// Those of [`Loader::session`]; [`Error::ModelContract`] when the entry is not one of a face detector.
    pub fn open(loader: &mut Loader<'_>, name: &str) -> Result<Self> {
        let entry = loader.entry(name)?;
        let wrong = |expected: &str, got: String| entry.unfit("a face detector", expected, got);
        let (Some(picture), Some(answer @ (OutputKind::Retinaface | OutputKind::Boxes))) =
            (&entry.picture, entry.answer)
        else {
            return Err(wrong("picture, and answer = \"retinaface\" or \"boxes\"", entry.usage()));
        };
        let dims = entry.inputs.first().map(TensorSpec::dims).unwrap_or_default();
        let (Some(input), [_, Some(3), height, width]) = (entry.inputs.first(), dims.as_slice()) else {
            return Err(wrong("one input [batch, 3, height, width]", format!("{dims:?}")));
        };
        let fixed = match (width, height) {
            (Some(w), Some(h)) if *w > 0 && *h > 0 => Some((*w as usize, *h as usize)),
            (None, None) => None,
            _ => return Err(wrong("both height and width free, or both fixed", format!("{dims:?}"))),
        };
        let session = loader.session(name)?;
        Ok(Model { session, input: input.name.clone(), picture: picture.clone(), answer, fixed })
    }

    /// Scale at which the whole of a picture is seen.
    pub fn scale_of(&self, picture: &RgbImage, settings: Settings) -> f32 {
        self.scale(picture.width(), picture.height(), settings.scale(picture.width(), picture.height()))
    }

    /// Scale at which a picture, or a part of one, of this size is seen when asked to see it at `wanted`.
    fn scale(&self, width: u32, height: u32, wanted: f32) -> f32 {
        let fits = |(w, h): (usize, usize)| (w as f32 / width.max(1) as f32).min(h as f32 / height.max(1) as f32);
        self.fixed.map_or(wanted, fits)
    }
}

/// A face the detector sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Detection {
    /// Tight box, hair line to chin.
    pub bounds: BoundingBox,
    /// Eye, eye, nose tip, mouth corner, mouth corner; the image's left first, px.
    pub keypoints: [(f32, f32); 5],
    /// 0 to 1.
    pub score: f32,
}

impl Detection {
    /// The region for the landmark model: upright by the eye line, about MediaPipe's own detector's box enlarged 1.5
    /// times.
    pub fn roi(&self) -> Roi {
        let [(lx, ly), (rx, ry), ..] = self.keypoints;
        let (x, y) = self.bounds.centre();
        let long = self.bounds.width.max(self.bounds.height);
        let angle = (ry - ly).atan2(rx - lx);
        // Down the face, which is not down the picture when the head is tilted.
        let (sin, cos) = angle.sin_cos();
        Roi { x: x - ROI_DOWN * long * sin, y: y + ROI_DOWN * long * cos, side: ROI_SCALE * long, angle }
    }
}

/// Side of MediaPipe's landmark region over the longer side of this detector's box, and how far down the face its
/// centre lies, in longer sides: the means over the reference frames where both detectors see the face.
const ROI_SCALE: f32 = 1.25;
const ROI_DOWN: f32 = 0.1;

/// A search looks at a square of this many sizes of the face it looks for, shrunk or enlarged until that face has about
/// this many px.
const SEARCH_SIZES: f32 = 4.0;
const SEARCH_FACE_PX: f32 = 64.0;

/// Faces under 32 px are seen far better at twice their size (scores of 0.3 to 0.9 become 0.9 to 0.99), and no better
/// at more.
pub(super) const ENLARGE: f32 = 2.0;

/// Faces of one picture that are looked at, the best first. A threshold near 0 makes thousands of boxes, and each costs
/// more than finding it.
pub const MOST_FACES: usize = 64;

/// Settings of one call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// Longest side the model sees.
    pub side_px: u32,
    /// Small pictures are enlarged by this at most.
    pub enlarge: f32,
    /// Least score.
    pub score: f32,
    /// Boxes that overlap more are one face.
    pub iou: f32,
    /// Least size, px of the picture.
    pub min_size_px: f32,
}

impl Settings {
    /// Scale at which the whole of a picture is to be seen.
    fn scale(&self, width: u32, height: u32) -> f32 {
        (self.side_px as f32 / width.max(height).max(1) as f32).min(self.enlarge)
    }
}

/// The detector's buffers, kept between frames.
#[derive(Default)]
pub(super) struct Detector {
    resizer: resize::Resizer,
    small: Vec<u8>,
    input: Vec<f32>,
}

impl Detector {
    /// All faces of the picture, best first; seen at the scale of the settings.
    ///
    /// # Errors
    /// [`Error::Model`].
    pub fn detect(&mut self, model: &mut Model, picture: &RgbImage, settings: Settings) -> Result<Vec<Detection>> {
        let (width, height) = (picture.width(), picture.height());
        let scale = settings.scale(width, height);
        let found = self.run(model, picture, Region { left: 0, top: 0, width, height }, scale, settings)?;
        Ok(suppress(found, settings.iou))
    }

    /// The faces near where one was a moment ago: a few times cheaper than the whole picture.
    ///
    /// # Errors
    /// [`Error::Model`].
    pub fn search(
        &mut self,
        model: &mut Model,
        picture: &RgbImage,
        around: BoundingBox,
        settings: Settings,
    ) -> Result<Vec<Detection>> {
        let size = around.size().max(16.0);
        let ((x, y), reach) = (around.centre(), 0.5 * SEARCH_SIZES * size);
        let cut = |v: f32, most: u32| (v.max(0.0) as u32).min(most);
        let (left, top) = (cut(x - reach, picture.width()), cut(y - reach, picture.height()));
        let (right, bottom) = (cut(x + reach, picture.width()), cut(y + reach, picture.height()));
        let region = Region { left, top, width: right - left.min(right), height: bottom - top.min(bottom) };
        let found = self.run(model, picture, region, (SEARCH_FACE_PX / size).min(ENLARGE), settings)?;
        Ok(suppress(found, settings.iou))
    }

    /// The score of the face of `bounds` where it is seen with `px` pixels a side amid its surroundings; 0 = it is not
    /// seen.
    ///
    /// # Errors
    /// [`Error::Model`].
    pub fn score_at(
        &mut self,
        model: &mut Model,
        picture: &RgbImage,
        bounds: BoundingBox,
        px: f32,
        settings: Settings,
    ) -> Result<f32> {
        let around = real::surroundings(bounds);
        let cut = |v: f32, most: u32| (v.max(0.0) as u32).min(most);
        let (left, top) = (cut(around.left, picture.width()), cut(around.top, picture.height()));
        let (right, bottom) = (cut(around.right(), picture.width()), cut(around.bottom(), picture.height()));
        let region = Region { left, top, width: right - left.min(right), height: bottom - top.min(bottom) };
        let found = self.run(model, picture, region, px / bounds.size().max(1.0), settings)?;
        let its = found.iter().filter(|d| track::likeness(d.bounds, bounds) > 0.0);
        Ok(its.map(|d| d.score).fold(0.0, f32::max))
    }

    fn run(
        &mut self,
        model: &mut Model,
        picture: &RgbImage,
        region: Region,
        scale: f32,
        settings: Settings,
    ) -> Result<Vec<Detection>> {
        if region.width == 0 || region.height == 0 {
            return Ok(Vec::new());
        }
        let scale = model.scale(region.width, region.height, scale);
        let (w, h) = (scaled(region.width, scale), scaled(region.height, scale));
        let whole = (region.width, region.height) == picture.dimensions();
        let pixels = if whole && (w, h) == (picture.width() as usize, picture.height() as usize) {
            picture.as_raw().as_slice()
        } else {
            self.shrink(picture, region, w, h)?;
            self.small.as_slice()
        };
        let padded = model.fixed.unwrap_or((w.next_multiple_of(MULTIPLE), h.next_multiple_of(MULTIPLE)));
        fill(pixels, (w, h), padded, &model.picture, &mut self.input);
        let shape = vec![1, 3, padded.1, padded.0];
        let view = ArrayViewD::from_shape(shape, &self.input).map_err(|e| Error::model(model.session.name(), e))?;
        let outputs = model.session.run(&[(model.input.as_str(), Input::F32(view))])?;
        let flat: Vec<&[f32]> = outputs.iter().filter_map(|o| o.as_slice()).collect();
        let found = match (model.answer, flat.as_slice()) {
            (OutputKind::Retinaface, [boxes, scores, keypoints]) => {
                decode(boxes, scores, keypoints, padded, settings.score)?
            }
            (OutputKind::Boxes, [boxes, scores, rest @ ..]) => {
                plain(boxes, scores, rest.first().copied(), settings.score)?
            }
            _ => {
                return Err(Error::Shape {
                    what: "outputs of the face detector",
                    expected: "boxes, scores, keypoints".into(),
                    got: outputs.len().to_string(),
                });
            }
        };
        let (sx, sy) = (region.width as f32 / w as f32, region.height as f32 / h as f32);
        let place = |d| moved(d, (sx, sy), (region.left as f32, region.top as f32));
        Ok(found.into_iter().map(place).filter(|d| d.bounds.size() >= settings.min_size_px).collect())
    }

    fn shrink(&mut self, picture: &RgbImage, region: Region, w: usize, h: usize) -> Result<()> {
        let fail =
            |what: String| Error::Shape { what: "picture to shrink", expected: format!("{w}x{h} RGB"), got: what };
        self.small.resize(3 * w * h, 0);
        let source =
            resize::images::ImageRef::new(picture.width(), picture.height(), picture.as_raw(), resize::PixelType::U8x3)
                .map_err(|e| fail(e.to_string()))?;
        let mut target =
            resize::images::Image::from_slice_u8(w as u32, h as u32, &mut self.small, resize::PixelType::U8x3)
                .map_err(|e| fail(e.to_string()))?;
        let r = region;
        let options = resize::ResizeOptions::new()
            .resize_alg(resize::ResizeAlg::Convolution(resize::FilterType::Bilinear))
            .crop(f64::from(r.left), f64::from(r.top), f64::from(r.width), f64::from(r.height));
        self.resizer.resize(&source, &mut target, &options).map_err(|e| fail(e.to_string()))
    }
}

/// A part of a picture, px.
#[derive(Clone, Copy, Debug)]
struct Region {
    left: u32,
    top: u32,
    width: u32,
    height: u32,
}

fn scaled(side: u32, scale: f32) -> usize {
    ((side as f32 * scale).round() as usize).max(1)
}

/// The model's planes; zero beyond the picture.
fn fill(
    pixels: &[u8],
    (w, h): (usize, usize),
    (padded_w, padded_h): (usize, usize),
    spec: &PictureSpec,
    out: &mut Vec<f32>,
) {
    out.resize(3 * padded_w * padded_h, 0.0);
    for (k, plane) in out.chunks_exact_mut(padded_w * padded_h).enumerate() {
        let from = if spec.colour == Colour::Bgr { 2 - k } else { k };
        // A byte has so few values that looking them up is cheaper than dividing.
        let values: [f32; 256] = std::array::from_fn(|byte| (byte as f32 - spec.mean[k]) / spec.std[k]);
        let mut lines = plane.chunks_exact_mut(padded_w);
        // Rows first: the lines below the last one are still there afterwards.
        for (row, line) in pixels.chunks_exact(3 * w).take(h).zip(lines.by_ref()) {
            let (inside, beyond) = line.split_at_mut(w.min(padded_w));
            for (value, pixel) in inside.iter_mut().zip(row.as_chunks::<3>().0) {
                *value = values[usize::from(pixel[from])];
            }
            beyond.fill(0.0);
        }
        lines.for_each(|line| line.fill(0.0));
    }
}

/// Boxes as they are: left, top, right, bottom. Without keypoints the face is taken as upright, its features where they
/// mostly are.
fn plain(boxes: &[f32], scores: &[f32], keypoints: Option<&[f32]>, least: f32) -> Result<Vec<Detection>> {
    let n = scores.len();
    if boxes.len() != 4 * n || keypoints.is_some_and(|k| k.len() != 10 * n) {
        return Err(Error::Shape {
            what: "outputs of the face detector",
            expected: format!("{n} boxes of 4 values and as many times 10 for keypoints"),
            got: format!("{} box and {} keypoint values", boxes.len(), keypoints.map_or(0, <[f32]>::len)),
        });
    }
    let mut found = Vec::new();
    for (i, (corners, &score)) in boxes.chunks_exact(4).zip(scores).enumerate() {
        let bounds = BoundingBox::from_corners(corners[0], corners[1], corners[2], corners[3]);
        if score.is_nan() || score < least || !(bounds.area().is_finite() && bounds.area() > 0.0) {
            continue;
        }
        let usual = USUAL_KEYPOINTS.map(|(x, y)| (bounds.left + x * bounds.width, bounds.top + y * bounds.height));
        let given = |k: &[f32]| [0, 1, 2, 3, 4].map(|p| (k[10 * i + 2 * p], k[10 * i + 2 * p + 1]));
        found.push(Detection { bounds, keypoints: keypoints.map_or(usual, given), score });
    }
    Ok(found)
}

/// Eyes, nose tip and mouth corners in an upright face's box, in shares of it.
const USUAL_KEYPOINTS: [(f32, f32); 5] = [(0.3, 0.4), (0.7, 0.4), (0.5, 0.6), (0.35, 0.8), (0.65, 0.8)];

/// Anchors above `least`, in px of the padded picture.
fn decode(
    boxes: &[f32],
    scores: &[f32],
    keypoints: &[f32],
    (w, h): (usize, usize),
    least: f32,
) -> Result<Vec<Detection>> {
    let anchors: usize = LEVELS.iter().map(|(stride, sizes)| (w / stride) * (h / stride) * sizes.len()).sum();
    if scores.len() != anchors || boxes.len() != 4 * anchors || keypoints.len() != 10 * anchors {
        return Err(Error::Shape {
            what: "anchors of retinaface",
            expected: anchors.to_string(),
            got: format!("{} scores, {} box and {} keypoint values", scores.len(), boxes.len(), keypoints.len()),
        });
    }
    let mut found = Vec::new();
    let mut index = 0;
    for (stride, sizes) in LEVELS {
        for row in 0..h / stride {
            for column in 0..w / stride {
                for size in sizes {
                    let i = index;
                    index += 1;
                    if scores[i] < least || scores[i].is_nan() {
                        continue;
                    }
                    let (ax, ay) = ((column as f32 + 0.5) * stride as f32, (row as f32 + 0.5) * stride as f32);
                    let b = &boxes[4 * i..4 * i + 4];
                    let (cx, cy) = (ax + b[0] * VARIANCES[0] * size, ay + b[1] * VARIANCES[0] * size);
                    let (bw, bh) = (size * (b[2] * VARIANCES[1]).exp(), size * (b[3] * VARIANCES[1]).exp());
                    let mut points = [(0.0, 0.0); 5];
                    for (p, k) in points.iter_mut().zip(keypoints[10 * i..10 * i + 10].chunks_exact(2)) {
                        *p = (ax + k[0] * VARIANCES[0] * size, ay + k[1] * VARIANCES[0] * size);
                    }
                    found.push(Detection {
                        bounds: BoundingBox { left: cx - 0.5 * bw, top: cy - 0.5 * bh, width: bw, height: bh },
                        keypoints: points,
                        score: scores[i],
                    });
                }
            }
        }
    }
    Ok(found)
}

/// From px of the shrunk region to px of the picture.
fn moved(d: Detection, (sx, sy): (f32, f32), (x0, y0): (f32, f32)) -> Detection {
    let b = d.bounds;
    Detection {
        bounds: BoundingBox {
            left: b.left * sx + x0,
            top: b.top * sy + y0,
            width: b.width * sx,
            height: b.height * sy,
        },
        keypoints: d.keypoints.map(|(x, y)| (x * sx + x0, y * sy + y0)),
        score: d.score,
    }
}

/// Greedy non-maximum suppression; a box that lies nearly whole inside a better one is the same face too. Ends at
/// [`MOST_FACES`].
pub(super) fn suppress(mut found: Vec<Detection>, iou: f32) -> Vec<Detection> {
    // A stable sort keeps anchors of equal score in their order.
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut kept: Vec<Detection> = Vec::new();
    for d in found {
        let same = |k: &Detection| {
            let smaller = k.bounds.area().min(d.bounds.area());
            k.bounds.iou(d.bounds) > iou || k.bounds.intersection(d.bounds) > 0.8 * smaller
        };
        if kept.len() == MOST_FACES {
            break;
        }
        if !kept.iter().any(same) {
            kept.push(d);
        }
    }
    kept
}

#[cfg(test)]
mod tests;
