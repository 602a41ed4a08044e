//! The finder: looks for faces in one frame, with both detectors and the landmark model.

use image::RgbImage;

use super::crop::Roi;
use super::detect::{self, Detection, Detector, Settings};
use super::landmark::{Mesh, Mesher, SIDE};
use super::roster::SURE_SCORE;
use super::short_range::{Near, ShortRange};
use super::sighting::Sighting;
use super::track::{self, Live};
use super::{BoundingBox, FaceConfig, FaceModels, quality, real};
use crate::error::Result;
use crate::time::Seconds;

/// Lower scores of a face seen again are none.
const AGAIN_SCORE: f32 = 0.05;

/// A picture and what the short-range detector sees in it.
pub(super) struct Glanced<'a> {
    pub picture: &'a RgbImage,
    pub near: Vec<Near>,
}

/// The detectors' and the landmark model's buffers, kept between frames.
pub(super) struct Finder {
    detector: Detector,
    short_range: ShortRange,
    mesher: Mesher,
    least_presence: f32,
    least_score: f32,
}

impl Finder {
    /// Before the first frame.
    pub fn new(config: &FaceConfig) -> Self {
        Finder {
            detector: Detector::default(),
            short_range: ShortRange::default(),
            mesher: Mesher::default(),
            least_presence: config.presence,
            least_score: config.detect_score,
        }
    }

    /// Runs the short-range detector.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`].
    pub fn glance<'a>(&mut self, models: &mut FaceModels, picture: &'a RgbImage) -> Result<Glanced<'a>> {
        Ok(Glanced { picture, near: self.short_range.detect(&mut models.short_range, picture)? })
    }

    /// Looks for every followed face where it should be.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`].
    pub fn follow(
        &mut self,
        models: &mut FaceModels,
        frame: &Glanced<'_>,
        live: &[Live],
        now: Seconds,
    ) -> Result<Vec<Sighting>> {
        let size = frame.picture.dimensions();
        let mut seen = Vec::new();
        for (i, track) in live.iter().enumerate() {
            let secs = track.unseen(now);
            let others: Vec<BoundingBox> = (0..live.len()).filter(|&k| k != i).map(|k| live[k].bounds).collect();
            let near = near_rois(&frame.near, track.bounds, &others).into_iter().map(|roi| (roi, true));
            for (roi, confirmed) in near.chain([(track.roi, false)]) {
                let mesh = self.mesher.look(&mut models.landmarks, frame.picture, &roi)?;
                if mesh.presence >= self.least_presence && track::believable(&mesh, track.bounds, secs, size) {
                    seen.push(Sighting { track: i, confirmed, ..self.sighting(mesh) });
                    break;
                }
            }
        }
        Ok(seen)
    }

    /// What the last look of the mesher gave, of no track yet.
    fn sighting(&self, mesh: Mesh) -> Sighting {
        let sharpness = quality::sharpness(self.mesher.crop(), SIDE);
        let (bounds, presence) = (mesh.bounds(), mesh.presence);
        Sighting { track: usize::MAX, bounds, presence, sharpness, mesh: Some(mesh), confirmed: true, detected: None }
    }

    /// All faces of the whole picture, and the scale at which the detector saw it.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`].
    pub fn detect(
        &mut self,
        models: &mut FaceModels,
        picture: &RgbImage,
        settings: Settings,
    ) -> Result<(Vec<Detection>, f32)> {
        let found = self.detector.detect(&mut models.detector, picture, settings)?;
        Ok((found, models.detector.scale_of(picture, settings)))
    }

    /// The faces around the places where some were a moment ago.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`].
    pub fn search(
        &mut self,
        models: &mut FaceModels,
        picture: &RgbImage,
        places: impl IntoIterator<Item = BoundingBox>,
        settings: Settings,
    ) -> Result<Vec<Detection>> {
        let mut found = Vec::new();
        for place in places {
            found.extend(self.detector.search(&mut models.detector, picture, place, settings)?);
        }
        Ok(detect::suppress(found, settings.iou))
    }

    /// The least score of a face that is seen again at three sizes.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`].
    pub fn again(
        &mut self,
        models: &mut FaceModels,
        picture: &RgbImage,
        bounds: BoundingBox,
        settings: Settings,
    ) -> Result<f32> {
        let mut least = 1.0f32;
        for px in real::SIDES_PX {
            let settings = Settings { score: AGAIN_SCORE, min_size_px: 0.0, ..settings };
            least = least.min(self.detector.score_at(&mut models.detector, picture, bounds, px, settings)?);
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
        models: &mut FaceModels,
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
        for roi in near_rois(&frame.near, detection.bounds, &others).into_iter().chain([detection.roi()]) {
            let mesh = self.mesher.look(&mut models.landmarks, frame.picture, &roi)?;
            if mesh.presence >= self.least_presence && track::likeness(mesh.bounds(), detection.bounds) > 0.0 {
                let sighting = self.sighting(mesh);
                let sighting = Sighting { detected: Some(*detection), ..sighting };
                return Ok((!is_seen(sighting.bounds)).then_some(sighting));
            }
        }
        if detection.score < SURE_SCORE && !known {
            return Ok(None);
        }
        let sharpness = quality::sharpness(self.mesher.crop(), SIDE);
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
