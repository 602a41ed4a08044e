//! Identities: whether two faces that touched were exchanged, and whether a face has become another person's.

use std::path::Path;

use image::RgbImage;

use super::enrolment::{self, Enrolled};
use super::roster::Roster;
use super::sighting::Sighting;
use super::track::Live;
use super::{FaceConfig, detect, identity};
use crate::error::Result;
use crate::time::Seconds;

/// A followed face that is this far from what it was is another person's.
const OTHER_PERSON: f64 = 1.1;
/// A face that touched another is watched this long while the other is not to be seen.
const HIDING_SECS: f64 = 2.0;
/// Identities are exchanged when that brings embeddings nearer by this much.
const CLEAR_GAIN: f64 = 0.15;
/// Faces that share more than this part of the smaller one touch.
const TOUCHING_SHARE: f32 = 0.1;

/// The frame at hand.
pub(super) struct Moment<'a> {
    pub picture: &'a RgbImage,
    pub now: Seconds,
    /// Number of the shot.
    pub shot: usize,
}

/// What a doubtful face looks like now, and what its track looked like before.
#[derive(Clone, Debug, PartialEq)]
struct Comparison {
    now: Vec<f32>,
    before: Vec<f32>,
}

/// Who the followed faces are.
#[derive(Debug)]
pub(super) struct Identities {
    enrolment: String,
    /// Read before the first frame, so that a bad folder is told at once.
    enrolled: Option<Vec<Enrolled>>,
}

impl Identities {
    /// Before the first frame.
    pub fn new(config: &FaceConfig) -> Self {
        Identities { enrolment: config.enrolment.clone(), enrolled: None }
    }

    /// Reads the recipe's enrolment folder, once.
    ///
    /// # Errors
    /// Those of [`enrolment::read`].
    pub fn enrol(&mut self, detector: &mut detect::Model, recognition: &identity::Model) -> Result<()> {
        if self.enrolled.is_none() {
            let (empty, folder) = (self.enrolment.is_empty(), Path::new(&self.enrolment));
            self.enrolled = Some(if empty { Vec::new() } else { enrolment::read((detector, recognition), folder)? });
        }
        Ok(())
    }

    /// Faces that touched may have been exchanged: once they are apart, their embeddings decide. A face that has become
    /// another person's begins a track of its own; the tracks it had are over.
    ///
    /// # Errors
    /// Those of `embed`, which gives the embedding of an aligned picture.
    pub fn sort_out(
        &mut self,
        roster: &mut Roster,
        seen: &mut [Sighting],
        moment: &Moment<'_>,
        embed: &mut dyn FnMut(&RgbImage) -> Result<Vec<f32>>,
    ) -> Result<Vec<Live>> {
        touch(roster, seen, moment.now);
        let apart = doubtful(roster, seen);
        let mut comparisons = Vec::with_capacity(apart.len());
        for &i in &apart {
            comparisons.push(compare(&mut roster.live[seen[i].track], &seen[i], moment.picture, embed)?);
        }
        exchange(seen, &apart, &mut comparisons);
        Ok(settle(roster, seen, &apart, &comparisons, moment))
    }

    /// The people who have names.
    pub fn finish(self) -> Vec<Enrolled> {
        self.enrolled.unwrap_or_default()
    }
}

/// Marks the tracks of faces that touch.
fn touch(roster: &mut Roster, seen: &[Sighting], now: Seconds) {
    for (i, a) in seen.iter().enumerate() {
        for b in &seen[..i] {
            if a.bounds.intersection(b.bounds) > TOUCHING_SHARE * a.bounds.area().min(b.bounds.area()) {
                for k in [a.track, b.track] {
                    (roster.live[k].unsure, roster.live[k].touched) = (true, Some(now));
                }
            }
        }
    }
}

/// Indices of the faces that are unsure, and now apart from all others.
fn doubtful(roster: &Roster, seen: &[Sighting]) -> Vec<usize> {
    let alone = |i: usize| !(0..seen.len()).any(|k| k != i && seen[i].bounds.intersection(seen[k].bounds) > 0.0);
    (0..seen.len()).filter(|&i| roster.live[seen[i].track].unsure && alone(i)).collect()
}

/// `None` when its track has no looks.
fn compare(
    track: &mut Live,
    sighting: &Sighting,
    picture: &RgbImage,
    embed: &mut dyn FnMut(&RgbImage) -> Result<Vec<f32>>,
) -> Result<Option<Comparison>> {
    let Some(before) = identity::pooled(&track.looks.embeddings(&mut *embed)?) else { return Ok(None) };
    let now = embed(&identity::chip(picture, &sighting.square(track.framing)))?;
    Ok(Some(Comparison { now, before }))
}

/// Exchanges the tracks of two faces where that fits their looks clearly better. `apart` are indices into `seen`, one
/// for each comparison.
fn exchange(seen: &mut [Sighting], apart: &[usize], comparisons: &mut [Option<Comparison>]) {
    for x in 0..apart.len() {
        for y in 0..x {
            let (earlier, later) = comparisons.split_at_mut(x);
            let (Some(a), Some(b)) = (&mut later[0], &mut earlier[y]) else { continue };
            let kept = identity::distance(&a.now, &a.before) + identity::distance(&b.now, &b.before);
            let swapped = identity::distance(&a.now, &b.before) + identity::distance(&b.now, &a.before);
            if swapped + CLEAR_GAIN < kept {
                std::mem::swap(&mut a.before, &mut b.before);
                let (i, k) = (apart[x], apart[y]);
                (seen[i].track, seen[k].track) = (seen[k].track, seen[i].track);
            }
        }
    }
}

/// Takes the doubt from the compared faces and gives another person's face a track of its own; the tracks it had are
/// over.
fn settle(
    roster: &mut Roster,
    seen: &[Sighting],
    apart: &[usize],
    comparisons: &[Option<Comparison>],
    moment: &Moment<'_>,
) -> Vec<Live> {
    let mut over = Vec::new();
    for (&i, comparison) in apart.iter().zip(comparisons) {
        let k = seen[i].track;
        // One face may still hide the other and take it up when it comes out.
        let hiding = roster.live[k].touched.is_some_and(|t| (moment.now - t).get() < HIDING_SECS) && apart.len() < 2;
        roster.live[k].unsure = hiding;
        if comparison.as_ref().is_some_and(|c| identity::distance(&c.now, &c.before) > OTHER_PERSON) {
            let mut other = roster.new_track(moment.now, seen[i].bounds, moment.shot);
            other.confirm(roster.live[k].score);
            over.push(std::mem::replace(&mut roster.live[k], other));
        }
    }
    over
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::landmark::Mesh;
    use crate::face::{BoundingBox, LANDMARKS};

    fn at(left: f32) -> BoundingBox {
        BoundingBox::from_corners(left, 0.0, left + 40.0, 40.0)
    }

    fn sighting(track: usize, left: f32) -> Sighting {
        let mesh = Mesh { points: Box::new([[0.0; 3]; LANDMARKS]), presence: 1.0 };
        Sighting {
            track,
            bounds: at(left),
            presence: 1.0,
            sharpness: 1.0,
            mesh: Some(mesh),
            confirmed: true,
            detected: None,
        }
    }

    fn roster(lefts: &[f32]) -> Roster {
        let mut roster = Roster::default();
        for &left in lefts {
            roster.start(Seconds::ZERO, at(left), 0);
        }
        roster
    }

    /// Looks of one dimension are enough to tell people apart.
    fn comparison(now: f32, before: f32) -> Option<Comparison> {
        Some(Comparison { now: vec![now], before: vec![before] })
    }

    #[test]
    fn faces_that_touch_are_unsure_until_they_are_apart() {
        let mut roster = roster(&[0.0, 30.0, 100.0]);
        let touching = [sighting(0, 0.0), sighting(1, 30.0), sighting(2, 100.0)];
        touch(&mut roster, &touching, Seconds::of(1.0));
        assert_eq!(roster.live.iter().map(|t| t.unsure).collect::<Vec<_>>(), [true, true, false]);
        assert_eq!(roster.live[0].touched, Some(Seconds::of(1.0)));
        assert!(doubtful(&roster, &touching).is_empty(), "they still touch");
        let apart = [sighting(0, 0.0), sighting(1, 50.0), sighting(2, 100.0)];
        assert_eq!(doubtful(&roster, &apart), [0, 1]);
        let hidden = [Sighting { mesh: None, ..sighting(0, 0.0) }, sighting(1, 50.0)];
        assert_eq!(doubtful(&roster, &hidden), [0, 1], "one without a mesh too");
        // A twentieth of the smaller one is no touch.
        let mut other = self::roster(&[0.0, 38.0]);
        touch(&mut other, &[sighting(0, 0.0), sighting(1, 38.0)], Seconds::ZERO);
        assert!(!other.live[0].unsure);
    }

    #[test]
    fn faces_are_exchanged_when_that_fits_clearly_better() {
        let exchanged = |mut comparisons: Vec<Option<Comparison>>| {
            let mut seen = [sighting(0, 0.0), sighting(1, 50.0)];
            exchange(&mut seen, &[0, 1], &mut comparisons);
            (seen.map(|s| s.track), comparisons)
        };
        let (tracks, comparisons) = exchanged(vec![comparison(0.0, 1.0), comparison(1.0, 0.1)]);
        assert_eq!((tracks, comparisons), ([1, 0], vec![comparison(0.0, 0.1), comparison(1.0, 1.0)]));
        assert_eq!(exchanged(vec![comparison(0.0, 0.0), comparison(1.0, 1.0)]).0, [0, 1]);
        assert_eq!(exchanged(vec![comparison(0.0, 0.04), comparison(0.04, 0.0)]).0, [0, 1], "hardly better");
        assert_eq!(exchanged(vec![comparison(0.0, 1.0), None]).0, [0, 1]);
    }

    #[test]
    fn another_persons_face_begins_a_track_and_ends_the_one_it_was_on() {
        let mut roster = roster(&[0.0, 50.0]);
        roster.live.iter_mut().for_each(|t| t.unsure = true);
        roster.live[0].score = 0.9;
        let seen = [sighting(0, 0.0), sighting(1, 50.0)];
        let moment = Moment { picture: &RgbImage::new(1, 1), now: Seconds::of(3.0), shot: 4 };
        let over = settle(&mut roster, &seen, &[0, 1], &[comparison(0.0, 1.2), comparison(0.0, 1.0)], &moment);
        assert_eq!(over.iter().map(|t| t.id).collect::<Vec<_>>(), [1]);
        let new = &roster.live[0];
        assert_eq!((new.id, new.shot, new.first, new.score), (3, 4, Seconds::of(3.0), 0.9));
        assert_eq!((roster.live[1].id, roster.live[1].unsure), (2, false));
    }

    #[test]
    fn a_face_stays_unsure_while_another_may_hide_behind_it() {
        let unsure_after = |t: f64| {
            let mut roster = roster(&[0.0]);
            touch(&mut roster, &[sighting(0, 0.0), sighting(0, 0.0)], Seconds::ZERO);
            let moment = Moment { picture: &RgbImage::new(1, 1), now: Seconds::of(t), shot: 0 };
            settle(&mut roster, &[sighting(0, 0.0)], &[0], &[None], &moment);
            roster.live[0].unsure
        };
        assert!(unsure_after(1.9) && !unsure_after(2.0));
    }
}
