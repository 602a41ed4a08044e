//! Tracks: one face followed through a shot, and the best looks at it that tell who it is.

use image::RgbImage;

use super::BoundingBox;
use super::crop::Roi;
use super::landmark::Mesh;
use super::still::Patch;
use crate::error::Result;
use crate::time::Seconds;

/// Looks at one face lie at least this far apart, so that they differ.
const BETWEEN_LOOKS_SECS: f64 = 0.5;
/// Faces smaller than this tell nobody apart, px.
const LEAST_LOOK_PX: f32 = 16.0;

/// An aligned picture of a face and how good it is.
#[derive(Clone, Debug)]
pub(super) struct Glance {
    /// 150 x 150 px.
    pub chip: RgbImage,
    pub quality: f32,
    pts: Seconds,
    embedding: Option<Vec<f32>>,
}

/// The best glances at one face, a bounded number of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Looks {
    best: Vec<Glance>,
}

impl Looks {
    /// Whether a glance of this quality would be kept; asked before its picture is made.
    pub fn wants(&self, pts: Seconds, quality: f32, size_px: f32, most: usize) -> bool {
        if most == 0 || size_px < LEAST_LOOK_PX {
            return false;
        }
        match self.near(pts) {
            Some(i) => quality > 1.1 * self.best[i].quality,
            None => self.best.len() < most || self.best.iter().any(|g| g.quality < quality),
        }
    }

    /// Keeps a glance that [`Looks::wants`]: in place of one near in time, else of the worst when there are enough.
    pub fn keep(&mut self, pts: Seconds, quality: f32, chip: RgbImage, most: usize) {
        let glance = Glance { chip, quality, pts, embedding: None };
        if let Some(i) = self.near(pts) {
            self.best[i] = glance;
            return;
        }
        self.best.push(glance);
        if self.best.len() > most {
            // The first of equals goes, so the order of frames decides.
            if let Some((i, _)) = self.best.iter().enumerate().min_by(|a, b| a.1.quality.total_cmp(&b.1.quality)) {
                self.best.remove(i);
            }
        }
    }

    /// The embeddings of all kept pictures; each is made once.
    ///
    /// # Errors
    /// Those of `embed`.
    pub fn embeddings(&mut self, mut embed: impl FnMut(&RgbImage) -> Result<Vec<f32>>) -> Result<Vec<Vec<f32>>> {
        let mut all = Vec::with_capacity(self.best.len());
        for glance in &mut self.best {
            let made = match glance.embedding.take() {
                Some(e) => e,
                None => embed(&glance.chip)?,
            };
            all.push(made.clone());
            glance.embedding = Some(made);
        }
        Ok(all)
    }

    /// The best picture; the first of equals.
    pub fn best(&self) -> Option<&RgbImage> {
        self.best.iter().rev().max_by(|a, b| a.quality.total_cmp(&b.quality)).map(|g| &g.chip)
    }

    fn near(&self, pts: Seconds) -> Option<usize> {
        self.best.iter().position(|g| (pts - g.pts).get().abs() < BETWEEN_LOOKS_SECS)
    }
}

/// A face that is being followed.
#[derive(Clone, Debug)]
pub(super) struct Live {
    /// Number in the order of creation.
    pub id: u32,
    /// Where to look next.
    pub roi: Roi,
    /// Where it was last.
    pub bounds: BoundingBox,
    /// Where it was first, and in which shot.
    pub start: BoundingBox,
    pub shot: usize,
    /// Score of the last detection.
    pub score: f32,
    /// The best score so far.
    pub best_score: f32,
    pub first: Seconds,
    pub last: Seconds,
    pub observations: usize,
    pub size_sum: f64,
    pub looks: Looks,
    /// When expressions are next looked at.
    pub next_expression: f64,
    /// Full detections in a row that did not confirm the mesh.
    pub unconfirmed: u32,
    /// The same over the whole track.
    pub refused: u32,
    /// It touched another face, or the picture changed under it, since its identity was last sure.
    pub unsure: bool,
    /// When it last touched another face.
    pub touched: Option<Seconds>,
    /// Sum and number of the detector's scores.
    pub scores: (f64, u32),
    /// What the face looked like, to tell a still picture.
    pub patch: Option<Patch>,
}

impl Live {
    /// A new face.
    pub fn new(id: u32, pts: Seconds, start: BoundingBox, shot: usize) -> Self {
        Live {
            id,
            roi: Roi::default(),
            bounds: start,
            start,
            shot,
            score: 0.0,
            best_score: 0.0,
            first: pts,
            last: pts,
            observations: 0,
            size_sum: 0.0,
            looks: Looks::default(),
            next_expression: f64::NEG_INFINITY,
            unconfirmed: 0,
            refused: 0,
            unsure: false,
            touched: None,
            scores: (0.0, 0),
            patch: None,
        }
    }

    /// The full detector sees it.
    pub fn confirm(&mut self, score: f32) {
        self.score = score;
        self.best_score = self.best_score.max(score);
        self.scores = (self.scores.0 + f64::from(score), self.scores.1 + 1);
        self.unconfirmed = 0;
    }

    /// It is seen here.
    pub fn see(&mut self, bounds: BoundingBox, now: Seconds) {
        self.bounds = bounds;
        self.last = now;
        self.observations += 1;
        self.size_sum += f64::from(bounds.size());
    }

    /// Seconds since it was last seen.
    pub fn unseen(&self, now: Seconds) -> f64 {
        (now - self.last).get()
    }
}

/// A face that is no longer followed.
#[derive(Clone, Debug)]
pub(super) struct Past {
    pub id: u32,
    pub first: Seconds,
    pub last: Seconds,
    pub observations: usize,
    pub size_sum: f64,
    pub best_score: f32,
    pub mean_score: f32,
    /// The detector saw it at least as often as it missed it.
    pub confirmed: bool,
    pub shot: usize,
    /// Where it was first and last.
    pub ends: (BoundingBox, BoundingBox),
    pub embeddings: Vec<Vec<f32>>,
    /// The best look, when crops are kept.
    pub crop: Option<RgbImage>,
}

/// A face lost and found again within this time at the same place of the same shot is one face.
const SAME_PLACE_SECS: f64 = 1.5;

impl Past {
    /// Mean size, px.
    pub fn size(&self) -> f32 {
        (self.size_sum / self.observations.max(1) as f64) as f32
    }

    /// Whether `self` goes on where `earlier` ended.
    pub fn continues(&self, earlier: &Past) -> bool {
        let gap = (self.first - earlier.last).get();
        self.shot == earlier.shot
            && gap > 0.0
            && gap <= SAME_PLACE_SECS
            && within_reach(self.ends.0, earlier.ends.1, gap)
    }
}

/// Sizes of its own that a face may move in a second, and at most.
const SIZES_A_SECOND: f64 = 4.0;
const MOST_SIZES: f64 = 1.5;

/// Whether a face could have moved from one box to the other in this time.
pub(super) fn within_reach(a: BoundingBox, b: BoundingBox, secs: f64) -> bool {
    let ((ax, ay), (bx, by)) = (a.centre(), b.centre());
    let size = f64::from(a.size().max(b.size())).max(1e-3);
    let apart = f64::from(ax - bx).hypot(f64::from(ay - by)) / size;
    let alike = f64::from(a.size().min(b.size())) / size > 0.5;
    likeness(a, b) > 0.0 || (alike && apart <= (0.5 + SIZES_A_SECOND * secs).min(MOST_SIZES))
}

/// How well two boxes show one face: intersection over union, or for boxes of different shape how near their centres
/// are; 0 = not the same.
pub(super) fn likeness(a: BoundingBox, b: BoundingBox) -> f32 {
    let iou = a.iou(b);
    let ((ax, ay), (bx, by)) = (a.centre(), b.centre());
    let size = 0.5 * (a.size() + b.size());
    if size <= 0.0 {
        return 0.0;
    }
    let ratio = a.size().min(b.size()) / a.size().max(b.size());
    let apart = ((ax - bx).powi(2) + (ay - by).powi(2)).sqrt() / size;
    let near = if ratio > 0.5 && apart < 0.5 { 0.5 * (1.0 - apart) } else { 0.0 };
    if iou > 0.2 { iou.max(near) } else { near }
}

/// Pairs (left, right) by falling likeness, each used once; ties keep their order.
pub(super) fn pair(left: &[BoundingBox], right: &[BoundingBox]) -> Vec<(usize, usize)> {
    let mut all: Vec<(f32, usize, usize)> = Vec::new();
    for (i, a) in left.iter().enumerate() {
        for (j, b) in right.iter().enumerate() {
            let l = likeness(*a, *b);
            if l > 0.0 {
                all.push((l, i, j));
            }
        }
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let (mut used_left, mut used_right) = (vec![false; left.len()], vec![false; right.len()]);
    let mut pairs = Vec::new();
    for (_, i, j) in all {
        if !used_left[i] && !used_right[j] {
            (used_left[i], used_right[j]) = (true, true);
            pairs.push((i, j));
        }
    }
    pairs
}

/// Two meshes of one face.
pub(super) fn same_face(a: BoundingBox, b: BoundingBox) -> bool {
    a.iou(b) > 0.45 || a.intersection(b) > 0.75 * a.area().min(b.area())
}

/// Whether a mesh is a believable next position of a face.
pub(super) fn believable(mesh: &Mesh, before: BoundingBox, width: u32, height: u32) -> bool {
    let now = mesh.bounds();
    let (x, y) = now.centre();
    let ratio = now.size() / before.size().max(1e-3);
    now.size().is_finite()
        && (0.5..2.0).contains(&ratio)
        && x >= 0.0
        && y >= 0.0
        && x < width as f32
        && y < height as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(left: f32) -> BoundingBox {
        BoundingBox::from_corners(left, 0.0, left + 10.0, 10.0)
    }

    #[test]
    fn the_likeliest_pairs_come_first_and_far_boxes_stay_alone() {
        assert_eq!(pair(&[at(0.0), at(20.0), at(50.0)], &[at(21.0), at(2.0), at(90.0)]), [(1, 0), (0, 1)]);
        assert!(pair(&[at(0.0)], &[at(9.0)]).is_empty());
    }

    #[test]
    fn a_face_reaches_further_the_longer_it_was_unseen() {
        assert!(
            within_reach(at(0.0), at(4.0), 0.0)
                && !within_reach(at(0.0), at(9.0), 0.04)
                && within_reach(at(0.0), at(9.0), 0.2)
        );
        assert!(!within_reach(at(0.0), at(30.0), 9.0));
    }

    #[test]
    fn looks_are_few_good_and_apart() {
        let mut looks = Looks::default();
        let chip = || RgbImage::new(1, 1);
        for (t, q) in [(0.0, 1.0), (0.1, 1.05), (0.2, 2.0), (1.0, 0.5), (2.0, 3.0), (3.0, 0.1)] {
            if looks.wants(Seconds::of(t), q, 50.0, 2) {
                looks.keep(Seconds::of(t), q, chip(), 2);
            }
        }
        let kept: Vec<f32> = looks.best.iter().map(|g| g.quality).collect();
        assert_eq!(
            kept,
            [2.0, 3.0],
            "0.1 s is too near and hardly better, 0.2 s replaces it, 1 s is replaced, 3 s is worse"
        );
        assert!(!looks.wants(Seconds::of(9.0), 9.0, 10.0, 2), "too small");
    }
}
