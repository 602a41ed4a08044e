//! The tracker: takes frames in order, keeps none, and gives all that was seen.
//!
//! Every frame: MediaPipe's short-range detector, and for every face followed the landmark model where that detector sees the face,
//! else where the last mesh was. The full detector sees the whole picture on the first frame, at cuts, when an unknown face appears and
//! at least every `detect_every_secs`; the surroundings of a face that was lost at every frame until it is back or given up.

use std::path::Path;

use image::RgbImage;

use super::crop::Roi;
use super::detect::{self, Detection, Detector, MOST_FACES, Settings};
use super::enrolment::{self, Enrolled};
use super::landmark::{Mesh, Mesher, SIDE};
use super::short_range::{Near, ShortRange};
use super::shot::{Shot, Shots};
use super::track::{self, Live, Past};
use super::{BoundingBox, FaceConfig, FaceModels, Faces, Observation, blendshape, gaze, identity, pose, quality, summary};
use crate::error::Result;
use crate::signal::VideoFrame;
use crate::time::Seconds;

/// A lost face is looked for this long, then its track ends.
const GRACE_SECS: f64 = 0.6;
/// The detector searches around a lost face for this long, and for at most so many faces at once before the whole picture is cheaper.
const SEARCH_SECS: f64 = 0.45;
const MOST_SEARCHES: usize = 4;
/// When this share of the picture has changed, somebody may have come in: the detector looks after 0.4 of its interval.
const CHANGED_SHARE: f32 = 0.04;
/// When this share has changed between two looks of the detector, identities are looked at again.
const UNSURE_SHARE: f32 = 0.5;
/// A followed face that is this far from what it was is another person's.
const OTHER_PERSON: f64 = 0.65;
/// A face that touched another is watched this long while the other is not to be seen.
const HIDING_SECS: f64 = 2.0;
/// Looks at the whole picture are at full size at least this often, in intervals of the recipe.
const FULL_SIZE_EVERY: f64 = 4.0;
/// Faces smaller than this in what the detector saw cannot be expected of it, px.
const EXPECTED_PX: f32 = 24.0;
/// Cuts nearer than this are one transition.
const TRANSITION_SECS: f64 = 0.45;
/// An unknown face of the short-range detector calls the full one, but not more often than this.
const BETWEEN_CALLS_SECS: f64 = 0.15;
/// Detector score that makes a face without the landmark model's agreement.
const SURE_SCORE: f32 = 0.75;
/// Full detections in a row that may miss a face the landmark model sees.
const MOST_UNCONFIRMED: u32 = 3;
/// Tracks held over a cut that may turn out to be a flash.
const FLASH_SECS: f64 = 0.5;
/// Identities are exchanged when that brings embeddings nearer by this much.
const CLEAR_GAIN: f64 = 0.1;

/// A face found in the frame at hand.
struct Seen {
    /// Index among the live tracks.
    track: usize,
    bounds: BoundingBox,
    presence: f32,
    sharpness: f32,
    mesh: Option<Mesh>,
    confirmed: bool,
}

/// Follows all faces of one video.
pub struct FaceTracker<'a> {
    models: &'a mut FaceModels,
    config: FaceConfig,
    shots: Shots,
    detector: Detector,
    short_range: ShortRange,
    mesher: Mesher,
    planes: Vec<f32>,
    live: Vec<Live>,
    /// Tracks of the shot before, while the cut may be a flash.
    held: Vec<Live>,
    past: Vec<Past>,
    next_id: u32,
    last_detection: Option<Seconds>,
    /// When the detector last saw the picture at full size.
    last_full: Option<Seconds>,
    /// Number of the shot, and of the one before a cut that may be a flash.
    shot: usize,
    shot_before: usize,
    last_cut: Option<Seconds>,
    last_slot: Option<i64>,
    observations: Vec<Observation>,
    sampled: Vec<Seconds>,
    cuts: Vec<Seconds>,
    /// Read before the first frame, so that a bad folder is told at once.
    enrolled: Option<Vec<Enrolled>>,
    crops: bool,
    /// Frames with more faces than are looked at.
    crowded_frames: u32,
}

impl std::fmt::Debug for FaceTracker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FaceTracker at frame {}, following {}", self.sampled.len(), self.live.len())
    }
}

impl<'a> FaceTracker<'a> {
    /// An empty tracker over loaded models.
    pub fn new(models: &'a mut FaceModels, config: &FaceConfig) -> Self {
        FaceTracker {
            models,
            config: config.clone(),
            shots: Shots::new(config.cut_threshold),
            detector: Detector::default(),
            short_range: ShortRange::default(),
            mesher: Mesher::default(),
            planes: Vec::new(),
            live: Vec::new(),
            held: Vec::new(),
            past: Vec::new(),
            next_id: 1,
            last_detection: None,
            last_full: None,
            shot: 0,
            shot_before: 0,
            last_cut: None,
            last_slot: None,
            observations: Vec::new(),
            sampled: Vec::new(),
            cuts: Vec::new(),
            enrolled: None,
            crops: false,
            crowded_frames: 0,
        }
    }

    /// Keeps the best look at each track ([`super::Track::crop`]), for checking by eye.
    #[must_use]
    pub fn keep_crops(mut self, keep: bool) -> Self {
        self.crops = keep;
        self
    }

    /// Reads the recipe's enrolment folder, once.
    fn enrol(&mut self) -> Result<()> {
        if self.enrolled.is_none() {
            let folder = Path::new(&self.config.enrolment);
            let read = if self.config.enrolment.is_empty() { Vec::new() } else { enrolment::read(self.models, folder)? };
            self.enrolled = Some(read);
        }
        Ok(())
    }

    /// Whether a frame of this time is due: the first one in each interval of 1 / `rate_hz`. For sources that give every frame.
    pub fn wants(&self, pts: Seconds) -> bool {
        self.config.rate_hz <= 0.0 || self.last_slot.is_none_or(|last| self.slot(pts) > last)
    }

    fn slot(&self, pts: Seconds) -> i64 {
        // A frame a hair before the interval belongs to it.
        (pts.get() * self.config.rate_hz + 1e-6).floor() as i64
    }

    /// Looks at a frame; times must rise.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`] when a model fails; a frame without a face is no error. The first call also reads the recipe's
    /// enrolment folder and tells what is wrong with it.
    pub fn push(&mut self, frame: &VideoFrame) -> Result<()> {
        self.enrol()?;
        let (picture, now) = (&frame.image, frame.pts);
        self.last_slot = Some(self.slot(now));
        self.sampled.push(now);
        let cut = self.follow_shot(picture, now)?;
        let near = self.short_range.detect(&mut self.models.short_range, picture)?;
        let mut seen = self.follow(picture, &near)?;
        self.drop_doubles(&mut seen);
        if cut || self.detection_is_due(&seen, &near, (picture.width(), picture.height()), now) {
            let settings = self.settings(cut, now);
            self.last_detection = Some(now);
            if self.shots.changed(&[]) > UNSURE_SHARE {
                // A dissolve may have put another person where one was.
                self.live.iter_mut().for_each(|t| t.unsure = true);
            }
            self.shots.mark();
            let found = self.detector.detect(&mut self.models.detector, picture, settings)?;
            self.crowded_frames += u32::from(found.len() == MOST_FACES);
            let scale = self.models.detector.scale_of(picture, settings);
            self.confirm(&mut seen, &found, Some(scale), &near, picture, now)?;
        } else {
            let found = self.search(&seen, picture, now)?;
            self.confirm(&mut seen, &found, None, &near, picture, now)?;
        }
        self.sort_out_identities(&mut seen, picture, now)?;
        seen.sort_by_key(|s| self.live[s.track].id);
        for s in seen {
            self.observe(s, picture, now)?;
        }
        self.end_lost(now)
    }

    fn settings(&mut self, cut: bool, now: Seconds) -> Settings {
        let c = &self.config;
        let stale = |last: Seconds| (now - last).get() + 1e-6 >= FULL_SIZE_EVERY * c.detect_every_secs;
        let (side_px, enlarge) = if cut || self.last_full.is_none_or(stale) {
            self.last_full = Some(now);
            (c.detect_side_px, detect::ENLARGE)
        } else {
            (c.confirm_side_px.min(c.detect_side_px), 1.0)
        };
        Settings { side_px, enlarge, score: c.detect_score, iou: c.nms_iou, min_size_px: c.min_size_px }
    }

    /// Looks around the places where faces were a moment ago.
    fn search(&mut self, seen: &[Seen], picture: &RgbImage, now: Seconds) -> Result<Vec<Detection>> {
        let c = &self.config;
        let settings = Settings {
            side_px: c.detect_side_px,
            enlarge: detect::ENLARGE,
            score: c.search_score,
            iou: c.nms_iou,
            min_size_px: c.min_size_px,
        };
        let mut found = Vec::new();
        for i in lost(&self.live, seen, now) {
            found.extend(self.detector.search(&mut self.models.detector, picture, self.live[i].bounds, settings)?);
        }
        Ok(detect::suppress(found, settings.iou))
    }

    /// Ends all tracks at a cut; holds them back for a moment, in case it is a flash.
    fn follow_shot(&mut self, picture: &RgbImage, now: Seconds) -> Result<bool> {
        match self.shots.observe(picture) {
            Shot::Cut => {
                self.end_held()?;
                self.held = std::mem::take(&mut self.live);
                if self.last_cut.is_some_and(|last| (now - last).get() < TRANSITION_SECS) {
                    // Still the same transition: the new shot begins where it ends.
                    self.cuts.pop();
                }
                self.cuts.push(now);
                (self.shot_before, self.shot) = (self.shot, self.shot + 1);
                self.last_cut = Some(now);
                Ok(true)
            }
            Shot::Back => {
                self.cuts.pop();
                self.shot = self.shot_before;
                let during = std::mem::replace(&mut self.live, std::mem::take(&mut self.held));
                for track in during {
                    self.end(track)?;
                }
                Ok(true)
            }
            Shot::Same => {
                if self.last_cut.is_some_and(|cut| (now - cut).get() > FLASH_SECS) {
                    self.end_held()?;
                }
                Ok(self.sampled.len() == 1)
            }
        }
    }

    /// Looks for every live face where it should be.
    fn follow(&mut self, picture: &RgbImage, near: &[Near]) -> Result<Vec<Seen>> {
        let mut seen = Vec::new();
        for i in 0..self.live.len() {
            let (own, before) = (self.live[i].roi, self.live[i].bounds);
            let others: Vec<BoundingBox> = (0..self.live.len()).filter(|&k| k != i).map(|k| self.live[k].bounds).collect();
            for (roi, confirmed) in near_rois(near, before, &others).into_iter().map(|r| (r, true)).chain([(own, false)]) {
                let mesh = self.mesher.look(&mut self.models.landmarks, picture, &roi)?;
                if mesh.presence >= self.config.presence && track::believable(&mesh, before, picture.width(), picture.height()) {
                    seen.push(self.seen(i, mesh, confirmed));
                    break;
                }
            }
        }
        Ok(seen)
    }

    /// What the last look of the mesher gave.
    fn seen(&self, track: usize, mesh: Mesh, confirmed: bool) -> Seen {
        let sharpness = quality::sharpness(self.mesher.crop(), SIDE);
        Seen { track, bounds: mesh.bounds(), presence: mesh.presence, sharpness, mesh: Some(mesh), confirmed }
    }

    /// Two tracks on one face: the one that has been followed longer keeps it.
    fn drop_doubles(&self, seen: &mut Vec<Seen>) {
        seen.sort_by_key(|s| (std::cmp::Reverse(self.live[s.track].observations), self.live[s.track].id));
        let mut kept: Vec<Seen> = Vec::new();
        for s in seen.drain(..) {
            if !kept.iter().any(|k| track::same_face(k.bounds, s.bounds)) {
                kept.push(s);
            }
        }
        *seen = kept;
    }

    fn detection_is_due(&self, seen: &[Seen], near: &[Near], size: (u32, u32), now: Seconds) -> bool {
        let Some(last) = self.last_detection else { return true };
        let since = (now - last).get();
        let every = self.config.detect_every_secs;
        if since + 1e-6 >= every || (since + 1e-6 >= 0.4 * every && self.shots.changed(&self.known(seen, size)) > CHANGED_SHARE) {
            return true;
        }
        if lost(&self.live, seen, now).count() > MOST_SEARCHES {
            return true;
        }
        let unknown = |n: &Near| !seen.iter().any(|s| track::likeness(s.bounds, n.bounds) > 0.0 || track::same_face(s.bounds, n.bounds));
        since >= BETWEEN_CALLS_SECS && near.iter().any(unknown)
    }

    /// Where followed people move their heads, shoulders and hands: no reason to look for new ones. In shares of the picture.
    fn known(&self, seen: &[Seen], (width, height): (u32, u32)) -> Vec<[f32; 4]> {
        let (w, h) = (width.max(1) as f32, height.max(1) as f32);
        let around = |b: BoundingBox| {
            let (aside, down) = (1.25 * b.width, 4.0 * b.height);
            [(b.left - aside) / w, (b.top - 0.5 * b.height) / h, (b.right() + aside) / w, (b.bottom() + down) / h]
        };
        seen.iter().map(|s| around(s.bounds)).collect()
    }

    /// Brings the full detector's faces and the followed ones together. `scale`: how it saw the whole picture; `None` for a search.
    fn confirm(
        &mut self,
        seen: &mut Vec<Seen>,
        found: &[Detection],
        scale: Option<f32>,
        near: &[Near],
        picture: &RgbImage,
        now: Seconds,
    ) -> Result<()> {
        let boxes: Vec<BoundingBox> = found.iter().map(|d| d.bounds).collect();
        let mut free = vec![true; found.len()];
        let seen_boxes: Vec<BoundingBox> = seen.iter().map(|s| s.bounds).collect();
        for (i, j) in track::pair(&seen_boxes, &boxes) {
            free[j] = false;
            seen[i].confirmed = true;
            self.live[seen[i].track].confirm(found[j].score);
        }
        for s in seen.iter().filter(|s| !s.confirmed && scale.is_some_and(|scale| scale * s.bounds.size() >= EXPECTED_PX)) {
            self.live[s.track].unconfirmed += 1;
            self.live[s.track].refused += 1;
        }
        seen.retain(|s| self.live[s.track].unconfirmed < MOST_UNCONFIRMED);

        let lost: Vec<usize> = (0..self.live.len()).filter(|&i| !seen.iter().any(|s| s.track == i)).collect();
        let lost_boxes: Vec<BoundingBox> = lost.iter().map(|&i| self.live[i].bounds).collect();
        let open: Vec<usize> = (0..found.len()).filter(|&j| free[j]).collect();
        let open_boxes: Vec<BoundingBox> = open.iter().map(|&j| boxes[j]).collect();
        let mut again = track::pair(&lost_boxes, &open_boxes);
        // A face that moved fast, where there is no doubt which.
        for o in (0..open.len()).filter(|&o| found[open[o]].score >= SURE_SCORE) {
            let reach = |&l: &usize| track::within_reach(lost_boxes[l], open_boxes[o], self.live[lost[l]].unseen(now));
            let near: Vec<usize> = (0..lost.len()).filter(reach).collect();
            let rivals = |l: usize| (0..open.len()).filter(|&k| track::within_reach(lost_boxes[l], open_boxes[k], 1.0)).count();
            if let [l] = near[..]
                && rivals(l) == 1
                && !again.iter().any(|&(a, b)| a == l || b == o)
            {
                again.push((l, o));
            }
        }
        for (j, d) in open.iter().map(|&j| (j, &found[j])) {
            if seen.len() >= MOST_FACES {
                break;
            }
            // New faces must be plain; those seen a moment ago need not.
            let back = again.iter().find(|&&(_, o)| open[o] == j).map(|&(l, _)| lost[l]);
            self.take(d, back, seen, near, picture, now)?;
        }
        Ok(())
    }

    /// A detection nobody follows: an old face found again (`back`), or a new one.
    fn take(
        &mut self,
        d: &Detection,
        back: Option<usize>,
        seen: &mut Vec<Seen>,
        near: &[Near],
        picture: &RgbImage,
        now: Seconds,
    ) -> Result<()> {
        let known = seen.iter().any(|s| track::same_face(s.bounds, d.bounds));
        if known || (back.is_none() && d.score < self.config.detect_score) {
            return Ok(());
        }
        let others: Vec<BoundingBox> = seen.iter().map(|s| s.bounds).collect();
        let mut meshed = None;
        for roi in near_rois(near, d.bounds, &others).into_iter().chain([d.roi()]) {
            let mesh = self.mesher.look(&mut self.models.landmarks, picture, &roi)?;
            if mesh.presence >= self.config.presence && track::likeness(mesh.bounds(), d.bounds) > 0.0 {
                meshed = Some(self.seen(usize::MAX, mesh, true));
                break;
            }
        }
        let mut s = match meshed {
            Some(s) if seen.iter().any(|k| track::same_face(k.bounds, s.bounds)) => return Ok(()),
            Some(s) => s,
            None if d.score < SURE_SCORE && back.is_none() => return Ok(()),
            None => {
                let sharpness = quality::sharpness(self.mesher.crop(), SIDE);
                Seen { track: usize::MAX, bounds: d.bounds, presence: 0.0, sharpness, mesh: None, confirmed: true }
            }
        };
        s.track = back.unwrap_or_else(|| {
            self.live.push(Live::new(self.next_id, now, s.bounds, self.shot));
            self.next_id += 1;
            self.live.len() - 1
        });
        let track = &mut self.live[s.track];
        track.confirm(d.score);
        if s.mesh.is_none() {
            track.roi = d.roi();
        }
        seen.push(s);
        Ok(())
    }

    /// Faces that touched may have been exchanged: once they are apart, their identities decide.
    fn sort_out_identities(&mut self, seen: &mut [Seen], picture: &RgbImage, now: Seconds) -> Result<()> {
        for a in 0..seen.len() {
            for b in 0..a {
                if seen[a].bounds.intersection(seen[b].bounds) > 0.1 * seen[a].bounds.area().min(seen[b].bounds.area()) {
                    for k in [seen[a].track, seen[b].track] {
                        (self.live[k].unsure, self.live[k].touched) = (true, Some(now));
                    }
                }
            }
        }
        let apart: Vec<usize> = (0..seen.len())
            .filter(|&i| self.live[seen[i].track].unsure && seen[i].mesh.is_some())
            .filter(|&i| !(0..seen.len()).any(|k| k != i && seen[i].bounds.intersection(seen[k].bounds) > 0.0))
            .collect();
        let mut faces: Vec<Option<(Vec<f32>, Vec<f32>)>> = Vec::new();
        for &i in &apart {
            let chip = seen[i].mesh.as_ref().and_then(|m| identity::chip(picture, &m.points));
            let is = chip.map(|c| identity::embed(&mut self.models.recognition, &c)).transpose()?;
            let models = &mut *self.models;
            let was = self.live[seen[i].track].looks.embeddings(|c| identity::embed(&mut models.recognition, c))?;
            faces.push(is.zip(identity::mean(&was)));
        }
        for x in 0..apart.len() {
            for y in 0..x {
                let (Some((is_x, was_x)), Some((is_y, was_y))) = (&faces[x], &faces[y]) else { continue };
                let kept = identity::distance(is_x, was_x) + identity::distance(is_y, was_y);
                let swapped = identity::distance(is_x, was_y) + identity::distance(is_y, was_x);
                if swapped + CLEAR_GAIN < kept {
                    let (a, b) = (seen[apart[x]].track, seen[apart[y]].track);
                    (seen[apart[x]].track, seen[apart[y]].track) = (b, a);
                    let (was_x, was_y) = (was_x.clone(), was_y.clone());
                    if let Some(f) = &mut faces[x] {
                        f.1 = was_y;
                    }
                    if let Some(f) = &mut faces[y] {
                        f.1 = was_x;
                    }
                }
            }
        }
        for (&i, face) in apart.iter().zip(&faces) {
            let k = seen[i].track;
            // One face may still hide the other and take it up when it comes out.
            let hiding = self.live[k].touched.is_some_and(|t| (now - t).get() < HIDING_SECS) && apart.len() < 2;
            self.live[k].unsure = hiding;
            if face.as_ref().is_some_and(|(is, was)| identity::distance(is, was) > OTHER_PERSON) {
                let mut other = Live::new(self.next_id, now, seen[i].bounds, self.shot);
                self.next_id += 1;
                other.confirm(self.live[k].score);
                let old = std::mem::replace(&mut self.live[k], other);
                self.end(old)?;
            }
        }
        Ok(())
    }

    /// Writes down a face of this frame.
    fn observe(&mut self, s: Seen, picture: &RgbImage, now: Seconds) -> Result<()> {
        let (width, height) = (picture.width(), picture.height());
        let track = &mut self.live[s.track];
        track.bounds = s.bounds;
        track.last = now;
        track.observations += 1;
        track.size_sum += f64::from(s.bounds.size());
        let mut o = Observation {
            score: track.score,
            presence: s.presence,
            quality: quality::of_box(s.bounds, s.sharpness, width, height),
            ..Observation::bare(now, track.id, s.bounds)
        };
        if let Some(mesh) = s.mesh {
            track.roi = mesh.roi();
            o.quality = quality::of_mesh(&mesh.points, s.bounds, s.sharpness, width, height);
            let rotation = pose::rotation(&mesh.points, width, height);
            o.pose = rotation.as_ref().map(pose::angles);
            o.gaze = rotation.and_then(|r| gaze::gaze(&mesh.points, &r, width, height));
            (o.eye_opening_left, o.eye_opening_right) = gaze::eye_openings(&mesh.points);
            o.mouth_opening = gaze::mouth_opening(&mesh.points);
            o.blendshapes = Some(blendshape::blendshapes(&mut self.models.blendshapes, &mesh.points)?);
            let most = self.config.embeddings_per_track;
            let worth = worth(&o);
            if !track.unsure
                && track.looks.wants(now, worth, o.quality.size_px, most)
                && let Some(chip) = identity::chip(picture, &mesh.points)
            {
                track.looks.keep(now, worth, chip, most);
            }
            if now.get() + 1e-6 >= track.next_expression {
                let roi = expression_region(&mesh);
                o.expression = Some(self.models.expression.of_region(picture, &roi, &mut self.planes)?);
                track.next_expression = now.get() + if self.config.expression_hz > 0.0 { 1.0 / self.config.expression_hz } else { 0.0 };
            }
            if self.config.landmarks {
                o.landmarks = Some(mesh.points);
            }
        }
        self.observations.push(o);
        Ok(())
    }

    fn end_lost(&mut self, now: Seconds) -> Result<()> {
        let (kept, lost): (Vec<Live>, Vec<Live>) = std::mem::take(&mut self.live).into_iter().partition(|t| t.unseen(now) < GRACE_SECS);
        self.live = kept;
        for track in lost {
            self.end(track)?;
        }
        Ok(())
    }

    fn end_held(&mut self) -> Result<()> {
        for track in std::mem::take(&mut self.held) {
            self.end(track)?;
        }
        Ok(())
    }

    /// Tells who a track is and lets its pictures go.
    fn end(&mut self, mut track: Live) -> Result<()> {
        let enough = track.observations >= self.config.min_track_observations;
        let embeddings = if enough {
            let models = &mut *self.models;
            track.looks.embeddings(|c| identity::embed(&mut models.recognition, c))?
        } else {
            Vec::new()
        };
        self.past.push(Past {
            id: track.id,
            first: track.first,
            last: track.last,
            observations: track.observations,
            size_sum: track.size_sum,
            best_score: track.best_score,
            confirmed: track.scores.1 >= track.refused,
            mean_score: (track.scores.0 / f64::from(track.scores.1.max(1))) as f32,
            shot: track.shot,
            ends: (track.start, track.bounds),
            embeddings,
            crop: self.crops.then(|| track.looks.best().cloned()).flatten(),
        });
        Ok(())
    }

    /// Joins tracks into persons and gives all that was seen.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`] when the identity model fails.
    pub fn finish(mut self) -> Result<Faces> {
        self.end_held()?;
        for track in std::mem::take(&mut self.live) {
            self.end(track)?;
        }
        let enrolled = self.enrolled.unwrap_or_default();
        let faces = summary::gather(self.past, self.observations, self.sampled, self.cuts, &self.config, &enrolled);
        Ok(Faces { crowded_frames: self.crowded_frames, ..faces })
    }
}

/// Live tracks that were not found in this frame but a moment ago.
fn lost<'a>(live: &'a [Live], seen: &'a [Seen], now: Seconds) -> impl Iterator<Item = usize> + 'a {
    (0..live.len()).filter(move |&i| live[i].unseen(now) < SEARCH_SECS && !seen.iter().any(|s| s.track == i))
}

/// Regions in which the short-range detector sees the face of `bounds` rather than one of the `others`, best first. It may see one
/// face twice when it is hardly sure; MediaPipe tries both.
fn near_rois(near: &[Near], bounds: BoundingBox, others: &[BoundingBox]) -> Vec<Roi> {
    let own = |n: &&Near| {
        let like = track::likeness(n.bounds, bounds);
        like > 0.0 && others.iter().all(|&o| track::likeness(n.bounds, o) < like)
    };
    near.iter().filter(own).map(|n| n.roi).take(2).collect()
}

/// How much an observation tells of identity: large, frontal, whole and sure.
fn worth(o: &Observation) -> f32 {
    let frontal = o.pose.map_or(0.2, |p| (1.0 - (p.yaw_deg.abs() / 60.0).powi(2) - (p.pitch_deg.abs() / 60.0).powi(2)).max(0.05));
    o.quality.size_px.min(150.0) * frontal * o.presence * o.quality.in_frame * (0.3 + o.quality.sharpness.min(1.0))
}

/// The face's box made square, turned upright.
fn expression_region(mesh: &Mesh) -> Roi {
    let roi = mesh.roi();
    Roi { side: roi.side / 1.5 * 1.1, ..roi }
}
