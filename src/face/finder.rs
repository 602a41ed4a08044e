//! The finder: looks for faces in one frame, with the full detector and the landmark model, and its scout, with the
//! short-range detector.

use std::sync::atomic::{AtomicUsize, Ordering};

use image::RgbImage;

use super::crop::Roi;
use super::detect::{self, Detection, Detector, Settings};
use super::landmark::{Mesh, Mesher, SIDE};
use super::roster::SURE_SCORE;
use super::short_range::{Near, ShortRange};
use super::sighting::Sighting;
use super::track::{self, Live};
use super::{BoundingBox, FaceConfig, quality, real};
use crate::error::Result;
use crate::inference::Session;
use crate::time::Seconds;

/// Lower scores of a face seen again are none.
const AGAIN_SCORE: f32 = 0.05;

/// A picture and what the short-range detector sees in it.
pub(super) struct Glanced<'a> {
    pub picture: &'a RgbImage,
    pub near: Vec<Near>,
}

/// Runs the short-range detector, whose answer depends on the picture alone: it may look at pictures that the tracker
/// comes to later.
pub(super) struct Scout<'a> {
    session: &'a mut Session,
    short_range: ShortRange,
}

impl<'a> Scout<'a> {
    /// Before the first frame.
    pub fn new(session: &'a mut Session) -> Self {
        Scout { session, short_range: ShortRange::default() }
    }

    /// Near faces, best first.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`].
    pub fn look(&mut self, picture: &RgbImage) -> Result<Vec<Near>> {
        self.short_range.detect(self.session, picture)
    }
}

/// The models that look for faces.
pub(super) struct FindingModels<'a> {
    pub detector: &'a mut detect::Model,
    /// The same model twice.
    pub landmarks: &'a mut [Session; 2],
}

/// The full detector's and the landmark model's buffers, kept between frames.
pub(super) struct Finder {
    detector: Detector,
    /// One for each session.
    meshers: [Mesher; 2],
    least_presence: f32,
    least_score: f32,
}

/// The followed faces that are seen again, and what the full detector sees, where it looked.
pub(super) type Found = (Vec<Sighting>, Option<Vec<Detection>>);

impl Finder {
    /// Before the first frame.
    pub fn new(config: &FaceConfig) -> Self {
        Finder {
            detector: Detector::default(),
            meshers: Default::default(),
            least_presence: config.presence,
            least_score: config.detect_score,
        }
    }

    /// Looks for every followed face where it should be, and for all faces of the whole picture where that is asked:
    /// the one beside the other. Faces and detector know nothing of each other here, so that it makes no difference
    /// which is done first.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`].
    pub fn follow(
        &mut self,
        models: &mut FindingModels<'_>,
        frame: &Glanced<'_>,
        live: &[Live],
        now: Seconds,
        whole: Option<Settings>,
    ) -> Result<Found> {
        let (detector, model, least_presence) = (&mut self.detector, &mut *models.detector, self.least_presence);
        let (meshers, sessions) = (&mut self.meshers, &mut *models.landmarks);
        let around = Around { frame, live, now, least_presence };
        let (seen, found) = match whole {
            None => (around.all(meshers, sessions), None),
            Some(settings) => {
                let detect = || detector.detect(model, frame.picture, settings);
                let (seen, found) = rayon::join(|| around.all(meshers, sessions), detect);
                (seen, Some(found))
            }
        };
        Ok((seen?, found.transpose()?))
    }

    /// All faces of the whole picture.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`].
    pub fn detect(
        &mut self,
        models: &mut FindingModels<'_>,
        picture: &RgbImage,
        settings: Settings,
    ) -> Result<Vec<Detection>> {
        self.detector.detect(models.detector, picture, settings)
    }

    /// The faces around the places where some were a moment ago.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`].
    pub fn search(
        &mut self,
        models: &mut FindingModels<'_>,
        picture: &RgbImage,
        places: impl IntoIterator<Item = BoundingBox>,
        settings: Settings,
    ) -> Result<Vec<Detection>> {
        let mut found = Vec::new();
        for place in places {
            found.extend(self.detector.search(models.detector, picture, place, settings)?);
        }
        Ok(detect::suppress(found, settings.iou))
    }

    /// The least score of a face that is seen again at three sizes.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`].
    pub fn again(
        &mut self,
        models: &mut FindingModels<'_>,
        picture: &RgbImage,
        bounds: BoundingBox,
        settings: Settings,
    ) -> Result<f32> {
        let mut least = 1.0f32;
        for px in real::SIDES_PX {
            if least <= 0.0 {
                // Not seen at one size: no other size makes it less.
                break;
            }
            let settings = Settings { score: AGAIN_SCORE, min_size_px: 0.0, ..settings };
            least = least.min(self.detector.score_at(models.detector, picture, bounds, px, settings)?);
        }
        Ok(least)
    }

    /// The face of a detection nobody follows; `None` when it is no face, or one of those `seen`. New faces must be
    /// plain; one that was seen a moment ago (`known`) need not.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`].
    pub fn look_at(
        &mut self,
        models: &mut FindingModels<'_>,
        frame: &Glanced<'_>,
        detection: &Detection,
        known: bool,
        seen: &[Sighting],
    ) -> Result<Option<Sighting>> {
        let is_seen = |bounds: BoundingBox| seen.iter().any(|s| track::same_face(s.bounds, bounds));
        if is_seen(detection.bounds) || (!known && detection.score < self.least_score) {
            return Ok(None);
        }
        let others: Vec<BoundingBox> = seen.iter().map(|s| s.bounds).collect();
        let (mesher, session) = (&mut self.meshers[0], &mut models.landmarks[0]);
        for roi in near_rois(&frame.near, detection.bounds, &others).into_iter().chain([detection.roi()]) {
            let mesh = mesher.look(session, frame.picture, &roi)?;
            if mesh.presence >= self.least_presence && track::likeness(mesh.bounds(), detection.bounds) > 0.0 {
                let sighting = sighting(mesher, mesh);
                let sighting = Sighting { detected: Some(*detection), ..sighting };
                return Ok((!is_seen(sighting.bounds)).then_some(sighting));
            }
        }
        if detection.score < SURE_SCORE && !known {
            return Ok(None);
        }
        let sharpness = quality::sharpness(mesher.crop(), SIDE);
        Ok(Some(Sighting {
            track: usize::MAX,
            bounds: detection.bounds,
            presence: 0.0,
            sharpness,
            mesh: None,
            confirmed: true,
            detected: Some(*detection),
        }))
    }
}

/// The followed faces of one picture.
#[derive(Clone, Copy)]
struct Around<'a> {
    frame: &'a Glanced<'a>,
    live: &'a [Live],
    now: Seconds,
    least_presence: f32,
}

impl Around<'_> {
    /// Those seen again, in their order. Each session takes the next face that nobody has taken; which one it is makes
    /// no difference to what it sees.
    fn all(&self, meshers: &mut [Mesher; 2], sessions: &mut [Session; 2]) -> Result<Vec<Sighting>> {
        let next = AtomicUsize::new(0);
        let share = |mesher: &mut Mesher, session: &mut Session| {
            let mut seen = Vec::new();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= self.live.len() {
                    return seen;
                }
                seen.push((i, self.one(i, mesher, session)));
                if matches!(seen.last(), Some((_, Err(_)))) {
                    return seen;
                }
            }
        };
        let ([first, second], [one, two]) = (meshers, sessions);
        let mut seen = match self.live.len() {
            0 | 1 => share(first, one),
            _ => {
                let (mut seen, others) = rayon::join(|| share(first, one), || share(second, two));
                seen.extend(others);
                seen
            }
        };
        seen.sort_by_key(|(i, _)| *i);
        seen.into_iter().filter_map(|(_, sighting)| sighting.transpose()).collect()
    }

    /// The face of a track; `None` where it is not to be seen.
    fn one(&self, i: usize, mesher: &mut Mesher, session: &mut Session) -> Result<Option<Sighting>> {
        let Around { frame, live, now, least_presence } = *self;
        let (track, size) = (&live[i], frame.picture.dimensions());
        let secs = track.unseen(now);
        let others: Vec<BoundingBox> = (0..live.len()).filter(|&k| k != i).map(|k| live[k].bounds).collect();
        let near = near_rois(&frame.near, track.bounds, &others).into_iter().map(|roi| (roi, true));
        for (roi, confirmed) in near.chain([(track.roi, false)]) {
            let mesh = mesher.look(session, frame.picture, &roi)?;
            if mesh.presence >= least_presence && track::believable(&mesh, track.bounds, secs, size) {
                return Ok(Some(Sighting { track: i, confirmed, ..sighting(mesher, mesh) }));
            }
        }
        Ok(None)
    }
}

/// What the last look of a mesher gave, of no track yet.
fn sighting(mesher: &Mesher, mesh: Mesh) -> Sighting {
    let sharpness = quality::sharpness(mesher.crop(), SIDE);
    let (bounds, presence) = (mesh.bounds(), mesh.presence);
    Sighting { track: usize::MAX, bounds, presence, sharpness, mesh: Some(mesh), confirmed: true, detected: None }
}

/// Regions in which the short-range detector sees the face of `bounds` rather than one of the `others`, best first. It
/// may see one face twice when it is hardly sure; MediaPipe tries both.
fn near_rois(near: &[Near], bounds: BoundingBox, others: &[BoundingBox]) -> Vec<Roi> {
    let is_its = |n: &&Near| {
        let like = track::likeness(n.bounds, bounds);
        like > 0.0 && others.iter().all(|&o| track::likeness(n.bounds, o) < like)
    };
    near.iter().filter(is_its).map(|n| n.roi).take(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_face_is_looked_at_for_the_followed_face_it_fits_best() {
        let at = |left: f32| BoundingBox::from_corners(left, 0.0, left + 40.0, 40.0);
        let near = |left: f32| Near { bounds: at(left), roi: Roi { x: left, ..Roi::default() }, score: 0.9 };
        let all = [near(0.0), near(30.0), near(2.0), near(4.0)];
        let lefts = |rois: Vec<Roi>| rois.iter().map(|r| r.x).collect::<Vec<_>>();
        assert_eq!(lefts(near_rois(&all, at(1.0), &[])), [0.0, 2.0], "two at most, in the detector's order");
        assert_eq!(lefts(near_rois(&all, at(1.0), &[at(3.0)])), [0.0]);
        assert!(near_rois(&all, at(200.0), &[]).is_empty());
    }
}
