//! The tracker: takes frames in order, keeps none, and gives all that was seen.
//!
//! Every frame: MediaPipe's short-range detector, and for every face followed the landmark model where that detector
//! sees the face, else where the last mesh was. The full detector sees the whole picture on the first frame, at cuts,
//! when an unknown face appears and at least every `detect_every_secs`; the surroundings of a face that was lost at
//! every frame until it is back or given up.
//!
//! Its parts decide, it only tells them of each other: [`ShotSequence`] what belongs to one shot, [`Schedule`] when the
//! detector looks, [`Finder`] where the models look, [`Roster`] which face is which track, [`Identities`] who that is,
//! [`Measurer`] what is written down. What goes before and after them depends on one frame or track alone: [`Scout`]
//! looks at pictures ahead of the [`Follower`], [`Describer`] describes faces behind it.

use image::RgbImage;

use super::describe::{Describer, Followed};
use super::detect::{Detection, MOST_FACES, Settings};
use super::finder::{Finder, FindingModels, Glanced, Scout};
use super::identities::{Identities, Moment};
use super::layout::{self, LayoutSeeker};
use super::measure::Measurer;
use super::motion::Camera;
use super::observations::Recorder;
use super::roster::{Roster, is_full};
use super::schedule::{Schedule, Situation, occupied};
use super::sequence::{Change, ShotSequence};
use super::short_range::Near;
use super::sighting::Sighting;
use super::track::{Live, Past};
use super::{BoundingBox, FaceConfig, FaceModels, Faces, expression, identity, real, summary, track};
use crate::error::Result;
use crate::signal::VideoFrame;
use crate::time::Seconds;

/// When this share has changed between two looks of the detector, identities are looked at again.
const UNSURE_SHARE: f32 = 0.5;

/// A face that is seen further than this from where it was looked for, in its own sizes, is compared with what it was.
const JUMP_SIZES: f32 = 0.6;

/// Follows all faces of one video.
pub struct FaceTracker<'a> {
    pub(super) scout: Scout<'a>,
    pub(super) follower: Follower<'a>,
    pub(super) describer: Describer<'a>,
}

impl std::fmt::Debug for FaceTracker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Follower { sampled, roster, .. } = &self.follower;
        write!(f, "FaceTracker at frame {}, following {}", sampled.len(), roster.live.len())
    }
}

impl<'a> FaceTracker<'a> {
    /// An empty tracker over loaded models.
    pub fn new(models: &'a mut FaceModels, config: &FaceConfig) -> Self {
        let FaceModels { detector, short_range, landmarks, blendshapes, recognition, expression } = models;
        let framing = expression.framing();
        let recognition = &*recognition;
        FaceTracker {
            scout: Scout::new(short_range),
            follower: Follower::new(FindingModels { detector, landmarks }, recognition, framing, config),
            describer: Describer::new(blendshapes, expression, recognition, config),
        }
    }

    /// Keeps the best look at each track ([`super::Track::crop`]), for checking by eye.
    #[must_use]
    pub fn keep_crops(mut self, keep: bool) -> Self {
        self.describer.keep_crops(keep);
        self
    }

    /// Whether a frame of this time is due: the first one in each interval of 1 / `rate_hz`. For sources that give
    /// every frame.
    pub fn wants(&self, pts: Seconds) -> bool {
        self.follower.schedule.wants(pts)
    }

    /// Looks at a frame; times must rise. [`super::watch()`] does the same with the steps of following frames beside
    /// each other.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`] when a model fails; a frame without a face is no error. The first call also reads
    /// the recipe's enrolment folder and tells what is wrong with it.
    pub fn push(&mut self, frame: &VideoFrame) -> Result<()> {
        let near = self.scout.look(&frame.image)?;
        let followed = self.follower.push(frame, near)?;
        self.describer.take(followed)
    }

    /// Joins tracks into persons and gives all that was seen.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`] when the identity model fails, and those of reading the observations back.
    pub fn finish(mut self) -> Result<Faces> {
        let over = std::mem::take(&mut self.follower.roster).into_tracks().collect();
        self.describer.take(Followed { over, ..Followed::default() })?;
        let (past, observations) = self.describer.finish();
        self.follower.finish(past, observations)
    }
}

/// The part that goes from frame to frame: where the faces are, and which of them is which track.
pub(super) struct Follower<'a> {
    models: FindingModels<'a>,
    recognition: &'a identity::Model,
    config: FaceConfig,
    sequence: ShotSequence,
    layouts: LayoutSeeker,
    schedule: Schedule,
    camera: Camera,
    finder: Finder,
    roster: Roster,
    identities: Identities,
    measurer: Measurer,
    sampled: Vec<Seconds>,
    /// Frames with more faces than are looked at.
    crowded_frames: u32,
}

impl<'a> Follower<'a> {
    fn new(
        models: FindingModels<'a>,
        recognition: &'a identity::Model,
        framing: expression::Framing,
        config: &FaceConfig,
    ) -> Self {
        Follower {
            models,
            recognition,
            config: config.clone(),
            sequence: ShotSequence::new(config.cut_threshold),
            layouts: LayoutSeeker::new(config.layout_contrast, config.layout_still_share),
            schedule: Schedule::new(config),
            camera: Camera::default(),
            finder: Finder::new(config),
            roster: Roster::default(),
            identities: Identities::new(config),
            measurer: Measurer::new(config, framing),
            sampled: Vec::new(),
            crowded_frames: 0,
        }
    }

    /// Finds the faces of a frame, in which the scout saw those `near`.
    ///
    /// # Errors
    /// As [`FaceTracker::push`].
    pub fn push(&mut self, frame: &VideoFrame, near: Vec<Near>) -> Result<Followed> {
        self.identities.enrol(self.models.detector, self.recognition)?;
        let (picture, now) = (&frame.image, frame.pts);
        self.schedule.sample(now);
        self.sampled.push(now);
        let (cut, mut over) = self.follow_shot(picture, now);
        let shift = self.camera.shift(picture, cut);
        self.roster.live.iter_mut().for_each(|t| t.carry(shift, now));
        self.layouts.take(picture, now);
        let glanced = Glanced { picture, near };
        // Where the detector looks whatever is to be seen, it need not wait for the faces that are followed.
        let mut whole = (cut || self.schedule.interval_is_over(now)).then(|| self.whole_picture(cut, now));
        let (mut seen, mut found) = self.finder.follow(&mut self.models, &glanced, &self.roster.live, now, whole)?;
        self.roster.drop_doubles(&mut seen);
        if whole.is_none() && self.detection_is_due(&seen, &glanced, now) {
            let settings = *whole.insert(self.whole_picture(false, now));
            found = Some(self.finder.detect(&mut self.models, picture, settings)?);
        }
        let (found, scale) = match (found, whole) {
            (Some(found), Some(settings)) => {
                self.crowded_frames += u32::from(found.len() == MOST_FACES);
                (found, Some(self.models.detector.scale_of(picture, settings)))
            }
            _ => {
                let places = self.roster.lost(&seen, now).map(|i| self.roster.live[i].bounds);
                (self.finder.search(&mut self.models, picture, places, self.schedule.search())?, None)
            }
        };
        let open = self.roster.confirm(&mut seen, &found, scale);
        self.take_up(&found, &open, &mut seen, &glanced, now)?;
        self.doubt_jumps(&seen);
        let mut embed = |chip: &RgbImage| self.recognition.embed(chip);
        let moment = Moment { picture, now, shot: self.sequence.number() };
        over.extend(self.identities.sort_out(&mut self.roster, &mut seen, &moment, &mut embed)?);
        self.look_again(&seen, picture, now)?;
        seen.sort_by_key(|s| self.roster.live[s.track].id);
        let observe = |s: Sighting| self.measurer.observe(&mut self.roster.live[s.track], s, picture, now);
        let seen = seen.into_iter().map(observe).collect();
        over.extend(self.roster.give_up(now));
        Ok(Followed { seen, over })
    }

    /// Number of the shot that the last frame belongs to; one that turns out to be a flash has a number of its own.
    pub fn shot(&self) -> usize {
        self.sequence.number()
    }

    /// Ends all tracks at a cut; holds them back for a moment, in case it is a flash. True where another shot begins or
    /// comes back; with the tracks that are over.
    fn follow_shot(&mut self, picture: &RgbImage, now: Seconds) -> (bool, Vec<Live>) {
        let change = self.sequence.observe(picture, now);
        let (over, another) = match change {
            Change::Same => return (false, Vec::new()),
            Change::Settled => (self.roster.release(), false),
            Change::Cut => (self.roster.hold(), true),
            Change::Back => (self.roster.restore(), true),
        };
        self.layouts.follow(change);
        (another, over)
    }

    fn detection_is_due(&self, seen: &[Sighting], glanced: &Glanced<'_>, now: Seconds) -> bool {
        let followed: Vec<BoundingBox> = seen.iter().map(|s| s.bounds).collect();
        let near: Vec<BoundingBox> = glanced.near.iter().map(|n| n.bounds).collect();
        let situation = Situation { followed: &followed, near: &near, lost: self.roster.lost(seen, now).count() };
        let changed = || self.sequence.changed(&occupied(&followed, glanced.picture.dimensions()));
        self.schedule.detection_is_due(now, &situation, changed)
    }

    /// Notes that the full detector looks at the whole picture now, and how.
    fn whole_picture(&mut self, cut: bool, now: Seconds) -> Settings {
        let settings = self.schedule.whole_picture(cut, now);
        if self.sequence.changed(&[]) > UNSURE_SHARE {
            // A dissolve may have put another person where one was.
            self.roster.live.iter_mut().for_each(|t| t.unsure = true);
        }
        self.sequence.mark();
        settings
    }

    /// Detections nobody follows, by their index: old faces found again, and new ones.
    fn take_up(
        &mut self,
        found: &[Detection],
        open: &[usize],
        seen: &mut Vec<Sighting>,
        glanced: &Glanced<'_>,
        now: Seconds,
    ) -> Result<()> {
        let again = self.roster.rejoin(seen, found, open, now);
        for (detection, back) in open.iter().map(|&j| &found[j]).zip(again) {
            if is_full(seen) {
                break;
            }
            let Some(sighting) = self.finder.look_at(&mut self.models, glanced, detection, back.is_some(), seen)?
            else {
                continue;
            };
            let bounds = sighting.bounds;
            let track = back.unwrap_or_else(|| self.roster.start(now, bounds, self.sequence.number()));
            let live = &mut self.roster.live[track];
            live.detected(detection, sighting.mesh.as_ref());
            if sighting.mesh.is_none() {
                live.roi = detection.roi();
            }
            seen.push(Sighting { track, ..sighting });
        }
        Ok(())
    }

    /// A face that is not where it was going may be another's.
    fn doubt_jumps(&mut self, seen: &[Sighting]) {
        for s in seen {
            let track = &mut self.roster.live[s.track];
            if track.observations > 0 && track::apart(track.bounds, s.bounds) > JUMP_SIZES {
                track.unsure = true;
            }
        }
    }

    /// Sees faces that could be persons' again at other sizes.
    fn look_again(&mut self, seen: &[Sighting], picture: &RgbImage, now: Seconds) -> Result<()> {
        for s in seen {
            let track = &mut self.roster.live[s.track];
            if real::is_due(track, now, &self.config) {
                let bounds = s.detected.map_or(s.bounds, |d| d.bounds);
                let score = self.finder.again(&mut self.models, picture, bounds, self.schedule.search())?;
                track.check.saw_again(score, now);
            }
        }
        Ok(())
    }

    fn finish(self, past: Vec<Past>, observations: Recorder) -> Result<Faces> {
        let (enrolled, cuts) = (self.identities.finish(), self.sequence.into_cuts());
        let faces = summary::gather(past, observations, self.sampled, cuts, &self.config, &enrolled);
        let shots = layout::arranged(self.layouts.finish(), &faces)?;
        Ok(Faces { crowded_frames: self.crowded_frames, shots, ..faces })
    }
}
