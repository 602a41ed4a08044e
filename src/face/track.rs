//! Tracks: one face followed through a shot, and the looks at it that tell who it is.

use image::RgbImage;

use super::crop::Roi;
use super::detect::Detection;
use super::identity::Framing;
use super::landmark::Mesh;
use super::real::Check;
use super::still::Patch;
use super::{BoundingBox, FaceCheck, FaceConfig};
use crate::error::Result;
use crate::time::Seconds;

/// The first looks at one face lie this far apart, seconds; on longer tracks further, so that they are spread over it.
const BETWEEN_LOOKS_SECS: f64 = 0.4;
/// Faces smaller than this tell nobody apart, px.
const LEAST_LOOK_PX: f32 = 16.0;

/// A picture of a face and how much it tells.
#[derive(Clone, Debug)]
pub(super) struct Glance {
    /// See [`super::identity::chip`].
    pub chip: RgbImage,
    pub weight: f32,
    pts: Seconds,
    embedding: Option<Vec<f32>>,
}

/// Looks at one face, spread over its track, a bounded number of them: the best one of each interval. When they become
/// too many the intervals are doubled.
#[derive(Clone, Debug, Default)]
pub(super) struct Looks {
    /// In order of time.
    all: Vec<Glance>,
    /// Times the interval was doubled.
    doubled: i32,
}

impl Looks {
    /// Whether a glance of this weight would be kept; asked before its picture is made.
    pub fn wants(&self, pts: Seconds, weight: f32, size_px: f32, most: usize) -> bool {
        if most == 0 || size_px < LEAST_LOOK_PX || weight <= 0.0 {
            return false;
        }
        self.in_interval(pts).is_none_or(|i| weight > 1.1 * self.all[i].weight)
    }

    /// Keeps a glance that [`Looks::wants`], in place of the one of its interval.
    pub fn keep(&mut self, pts: Seconds, weight: f32, chip: RgbImage, most: usize) {
        let glance = Glance { chip, weight, pts, embedding: None };
        match self.in_interval(pts) {
            Some(i) => self.all[i] = glance,
            None => self.all.push(glance),
        }
        while self.all.len() > most.max(1) {
            self.doubled += 1;
            for glance in std::mem::take(&mut self.all) {
                match self.in_interval(glance.pts) {
                    Some(i) if self.all[i].weight < glance.weight => self.all[i] = glance,
                    Some(_) => {}
                    None => self.all.push(glance),
                }
            }
        }
    }

    /// The embeddings of all kept pictures with their weights; each is made once.
    ///
    /// # Errors
    /// Those of `embed`.
    pub fn embeddings(&mut self, mut embed: impl FnMut(&RgbImage) -> Result<Vec<f32>>) -> Result<Vec<(Vec<f32>, f32)>> {
        let mut all = Vec::with_capacity(self.all.len());
        for glance in &mut self.all {
            let made = match glance.embedding.take() {
                Some(e) => e,
                None => embed(&glance.chip)?,
            };
            all.push((made.clone(), glance.weight));
            glance.embedding = Some(made);
        }
        Ok(all)
    }

    /// The best picture; the first of equals.
    pub fn best(&self) -> Option<&RgbImage> {
        self.all.iter().rev().max_by(|a, b| a.weight.total_cmp(&b.weight)).map(|g| &g.chip)
    }

    /// The look of the interval that a time lies in; intervals are counted from the recording's start.
    fn in_interval(&self, pts: Seconds) -> Option<usize> {
        let number = |t: Seconds| (t.get() / (BETWEEN_LOOKS_SECS * 2f64.powi(self.doubled)) + 1e-6).floor() as i64;
        self.all.iter().rposition(|g| number(g.pts) == number(pts))
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
    /// Sum of the shares of the face inside the picture.
    pub in_frame_sum: f64,
    pub looks: Looks,
    /// How the detector's box lies about the mesh's.
    pub framing: Framing,
    /// What tells a person's face from a lamp's.
    pub check: Check,
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
    /// Its own motion, px a second right and down, the camera's left out.
    velocity: (f32, f32),
    /// Where it was when last seen, moved with the camera since.
    carried: BoundingBox,
    /// When it was last carried.
    at: Seconds,
}

/// Heads turn back as soon as they have moved: a velocity fades to this part in a tenth of a second.
const FADES_TO: f32 = 0.6;
/// A face is looked for at most this far from where the camera took it, in its own sizes.
const MOST_AHEAD: f32 = 0.5;

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
            in_frame_sum: 0.0,
            looks: Looks::default(),
            framing: Framing::default(),
            check: Check::default(),
            next_expression: f64::NEG_INFINITY,
            unconfirmed: 0,
            refused: 0,
            unsure: false,
            touched: None,
            scores: (0.0, 0),
            patch: None,
            velocity: (0.0, 0.0),
            carried: start,
            at: pts,
        }
    }

    /// The full detector sees it.
    pub fn confirm(&mut self, score: f32) {
        self.score = score;
        self.best_score = self.best_score.max(score);
        self.scores = (self.scores.0 + f64::from(score), self.scores.1 + 1);
        self.unconfirmed = 0;
    }

    /// The full detector sees it, and this is its mesh, if it has one.
    pub fn detected(&mut self, detection: &Detection, mesh: Option<&Mesh>) {
        self.confirm(detection.score);
        if let Some(mesh) = mesh {
            self.framing = Framing::between(mesh.bounds(), detection.bounds);
            self.check.compare(mesh, detection);
        }
    }

    /// Moves the place where it is looked for by the camera's shift and its own motion.
    pub fn carry(&mut self, (dx, dy): (f32, f32), now: Seconds) {
        let secs = (now - self.at).get().max(0.0) as f32;
        self.at = now;
        self.carried = moved(self.carried, dx, dy);
        // The way that is left of a fading motion.
        let fading = FADES_TO.powf(10.0 * secs);
        let reach = MOST_AHEAD * self.bounds.size();
        let way = |v: f32| (v * secs * fading).clamp(-reach, reach);
        let (x, y) = (dx + way(self.velocity.0), dy + way(self.velocity.1));
        self.velocity = (self.velocity.0 * fading, self.velocity.1 * fading);
        self.bounds = moved(self.bounds, x, y);
        self.roi = Roi { x: self.roi.x + x, y: self.roi.y + y, ..self.roi };
    }

    /// It is seen here, with this share inside the picture.
    pub fn see(&mut self, bounds: BoundingBox, in_frame: f32, now: Seconds) {
        let secs = (now - self.last).get() as f32;
        if self.observations > 0 && secs > 1e-3 {
            let ((ax, ay), (bx, by)) = (self.carried.centre(), bounds.centre());
            self.velocity = ((bx - ax) / secs, (by - ay) / secs);
        }
        self.bounds = bounds;
        (self.carried, self.at) = (bounds, now);
        self.last = now;
        self.observations += 1;
        self.size_sum += f64::from(bounds.size());
        self.in_frame_sum += f64::from(in_frame);
    }

    /// Mean size, px.
    pub fn size(&self) -> f32 {
        (self.size_sum / self.observations.max(1) as f64) as f32
    }

    /// Mean of the detector's scores.
    pub fn mean_score(&self) -> f32 {
        (self.scores.0 / f64::from(self.scores.1.max(1))) as f32
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
    /// Mean share of the face inside the picture.
    pub in_frame: f32,
    pub best_score: f32,
    pub mean_score: f32,
    /// What tells a person's face from a lamp's.
    pub check: FaceCheck,
    /// The detector saw it at least as often as it missed it.
    pub confirmed: bool,
    pub shot: usize,
    /// Where it was first and last.
    pub ends: (BoundingBox, BoundingBox),
    /// With their weights.
    pub embeddings: Vec<(Vec<f32>, f32)>,
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

    /// False for a false alarm, which is dropped.
    pub fn is_real(&self, config: &FaceConfig) -> bool {
        let (least, sure, mean) = (config.min_track_observations.max(1), config.track_score, config.detect_score);
        self.observations >= least && self.confirmed && self.best_score >= sure && self.mean_score >= mean
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

/// Distance of the centres in sizes of the first.
pub(super) fn apart(a: BoundingBox, b: BoundingBox) -> f32 {
    let ((ax, ay), (bx, by)) = (a.centre(), b.centre());
    (ax - bx).hypot(ay - by) / a.size().max(1e-3)
}

fn moved(b: BoundingBox, x: f32, y: f32) -> BoundingBox {
    BoundingBox { left: b.left + x, top: b.top + y, ..b }
}

/// Two meshes of one face.
pub(super) fn same_face(a: BoundingBox, b: BoundingBox) -> bool {
    a.iou(b) > 0.45 || a.intersection(b) > 0.75 * a.area().min(b.area())
}

/// Whether a mesh is a believable next position of a face, `secs` after it was seen `before`.
pub(super) fn believable(mesh: &Mesh, before: BoundingBox, secs: f64, (width, height): (u32, u32)) -> bool {
    let now = mesh.bounds();
    let (x, y) = now.centre();
    let ratio = now.size() / before.size().max(1e-3);
    now.size().is_finite()
        && (0.5..2.0).contains(&ratio)
        && within_reach(before, now, secs)
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
    fn a_face_is_looked_for_where_the_camera_and_its_own_way_take_it() {
        let mut track = Live::new(1, Seconds::ZERO, at(0.0), 0);
        track.see(at(0.0), 1.0, Seconds::ZERO);
        track.carry((30.0, -5.0), Seconds::of(0.1));
        assert_eq!(track.bounds, BoundingBox::from_corners(30.0, -5.0, 40.0, 5.0), "with the camera");
        // It went 2 px on its own way, and will go on, but less.
        track.see(moved(at(32.0), 0.0, -5.0), 1.0, Seconds::of(0.1));
        track.carry((0.0, 0.0), Seconds::of(0.2));
        assert!((track.bounds.left - 33.2).abs() < 1e-3, "{:?}", track.bounds);
        for i in 3..20 {
            track.carry((0.0, 0.0), Seconds::of(0.1 * f64::from(i)));
        }
        assert!(track.bounds.left < 36.0, "it comes to rest: {:?}", track.bounds);
        assert!(apart(at(0.0), at(6.0)) > 0.59 && apart(at(0.0), at(6.0)) < 0.61);
    }

    #[test]
    fn looks_are_few_good_and_spread_over_the_track() {
        let mut looks = Looks::default();
        let mut look = |t: f64, weight: f32| {
            if looks.wants(Seconds::of(t), weight, 50.0, 4) {
                looks.keep(Seconds::of(t), weight, RgbImage::new(1, 1), 4);
            }
            looks.all.iter().map(|g| g.weight).collect::<Vec<f32>>()
        };
        assert_eq!(look(0.0, 1.0), [1.0]);
        assert_eq!(look(0.1, 1.05), [1.0], "too near and hardly better");
        assert_eq!(look(0.2, 2.0), [2.0]);
        look(0.4, 3.0);
        look(0.8, 0.5);
        assert_eq!(look(1.2, 0.1), [2.0, 3.0, 0.5, 0.1]);
        assert_eq!(look(1.6, 0.2), [3.0, 0.5, 0.2], "the interval is doubled, its best stay");
        for i in 0..80 {
            look(2.4 + 0.4 * f64::from(i), 0.3);
        }
        let times: Vec<f64> = looks.all.iter().map(|g| g.pts.get()).collect();
        assert!(times.len() >= 2 && times.len() <= 4 && times[times.len() - 1] > 20.0, "{times:?}");
        assert!(!looks.wants(Seconds::of(90.0), 9.0, 10.0, 2), "too small");
    }
}
