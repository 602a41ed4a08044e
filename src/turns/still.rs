//! People whose camera shows a still picture: a photo in place of a face has no behaviour.
//!
//! A track's picture is still over a stretch in which it changes by no more than a codec does, from look to look
//! (`picture_change` of `faces`), for long enough. What is still is told over the whole interview, as who is who is.

use std::collections::BTreeMap;

use super::TurnsConfig;
use crate::error::Result;
use crate::face::{Faces, Observation};
use crate::time::{Seconds, TOLERANCE_SECS};

/// The stretches in which each track shows a still picture, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Stills {
    by_track: BTreeMap<u32, Vec<(Seconds, Seconds)>>,
}

impl Stills {
    pub(super) fn new(faces: &Faces, config: &TurnsConfig) -> Result<Self> {
        let mut by_track: BTreeMap<u32, Vec<(Seconds, Seconds)>> = BTreeMap::new();
        for o in faces.observations.iter() {
            let o = o?;
            let stretches = by_track.entry(o.track).or_default();
            let still = o.picture_change.is_some_and(|c| f64::from(c) <= config.still_picture_change);
            match stretches.last_mut() {
                Some((_, last)) if still => *last = o.pts,
                // What a picture looks like from now on may be still.
                _ => stretches.push((o.pts, o.pts)),
            }
        }
        for stretches in by_track.values_mut() {
            stretches.retain(|(a, b)| (*b - *a).get() >= config.still_picture_secs - TOLERANCE_SECS);
        }
        Ok(Stills { by_track })
    }

    /// True when what is seen is a still picture.
    pub(super) fn holds(&self, o: &Observation) -> bool {
        let Some(stretches) = self.by_track.get(&o.track) else { return false };
        let at = stretches.partition_point(|(first, _)| *first <= o.pts);
        at > 0 && o.pts <= stretches[at - 1].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::BoundingBox;

    #[test]
    fn a_photo_is_still_and_a_face_that_rests_for_a_moment_is_not() {
        // A photo with a jump of the codec's at 3 s; a face that rests from 1 to 2 s.
        let seen = |i: usize, track: u32, change: f32| Observation {
            picture_change: (i > 0).then_some(change),
            ..Observation::bare(Seconds::of(0.1 * i as f64), track, BoundingBox::default())
        };
        let photo = |i: usize| if i == 30 { 0.02 } else { 0.001 };
        let face = |i: usize| if (10..20).contains(&i) { 0.003 } else { 0.05 };
        let observations = (0..60).flat_map(|i| [seen(i, 1, photo(i)), seen(i, 2, face(i))]).collect();
        let faces = Faces { observations, ..Faces::default() };
        let stills = Stills::new(&faces, &TurnsConfig::default()).unwrap();
        assert!(faces.observations.all().iter().all(|o| stills.holds(o) == (o.track == 1)));
    }
}
