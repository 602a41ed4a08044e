//! What is said of faces once they are followed: blendshapes, expressions, and who a track is at its end. Nothing of it
//! decides where faces are looked for next, so that it may be done while the next frames are followed.

use image::RgbImage;

use super::landmark::Mesh;
use super::measure::Measured;
use super::observations::Recorder;
use super::track::{Live, Past};
use super::{FaceConfig, blendshape, expression, identity};
use crate::error::Result;
use crate::inference::Session;

/// What the tracker leaves of one frame.
#[derive(Debug, Default)]
pub(super) struct Followed {
    /// The faces in it, by their tracks.
    pub seen: Vec<Measured>,
    /// Tracks that are over.
    pub over: Vec<Live>,
}

/// Runs the models that describe, and keeps what they say.
pub(super) struct Describer<'a> {
    blendshapes: &'a mut Session,
    expression: &'a mut expression::Model,
    recognition: &'a identity::Model,
    keep_landmarks: bool,
    endings: Endings,
    observations: Recorder,
}

impl<'a> Describer<'a> {
    /// Before the first frame.
    pub fn new(
        blendshapes: &'a mut Session,
        expression: &'a mut expression::Model,
        recognition: &'a identity::Model,
        config: &FaceConfig,
    ) -> Self {
        let (endings, observations) = (Endings::new(config), Recorder::default());
        let keep_landmarks = config.landmarks;
        Describer { blendshapes, expression, recognition, keep_landmarks, endings, observations }
    }

    /// Whether the best look at each track is kept.
    pub fn keep_crops(&mut self, keep: bool) {
        self.endings.keep_crops = keep;
    }

    /// Describes the faces of a frame, and tells who the tracks are that are over; frames come in order.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`], and [`crate::error::Error::Write`] where observations cannot be put aside.
    pub fn take(&mut self, followed: Followed) -> Result<()> {
        for track in followed.over {
            self.endings.end(track, &mut |chip| self.recognition.embed(chip))?;
        }
        for Measured { mut observation, mesh, expression } in followed.seen {
            if let Some(Mesh { points, .. }) = mesh {
                observation.blendshapes = Some(blendshape::blendshapes(self.blendshapes, &points)?);
                observation.expression = expression.map(|planes| self.expression.of(planes)).transpose()?;
                observation.landmarks = self.keep_landmarks.then_some(points);
            }
            self.observations.push(&observation)?;
        }
        Ok(())
    }

    /// The ended tracks, and all observations.
    pub fn finish(self) -> (Vec<Past>, Recorder) {
        (self.endings.past, self.observations)
    }
}

/// Tells who a track is, and lets its pictures go.
#[derive(Debug)]
struct Endings {
    config: FaceConfig,
    keep_crops: bool,
    past: Vec<Past>,
}

impl Endings {
    fn new(config: &FaceConfig) -> Self {
        Endings { config: config.clone(), keep_crops: false, past: Vec::new() }
    }

    /// The embeddings are those of `embed`, which is given aligned pictures; a track that is dropped has none.
    fn end(&mut self, mut track: Live, embed: &mut dyn FnMut(&RgbImage) -> Result<Vec<f32>>) -> Result<()> {
        let mut past = Past {
            id: track.id,
            first: track.first,
            last: track.last,
            observations: track.observations,
            size_sum: track.size_sum,
            best_score: track.best_score,
            confirmed: track.scores.1 >= track.refused,
            mean_score: track.mean_score(),
            in_frame: (track.in_frame_sum / track.observations.max(1) as f64) as f32,
            check: track.check.told(),
            shot: track.shot,
            ends: (track.start, track.bounds),
            embeddings: Vec::new(),
            crop: self.keep_crops.then(|| track.looks.best().cloned()).flatten(),
        };
        if past.is_real(&self.config) {
            past.embeddings = track.looks.embeddings(embed)?;
        }
        self.past.push(past);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::BoundingBox;
    use crate::time::Seconds;

    #[test]
    fn a_track_ends_with_its_embeddings_unless_it_is_dropped() {
        let config = FaceConfig { min_track_observations: 2, ..FaceConfig::default() };
        let mut endings = Endings { keep_crops: true, ..Endings::new(&config) };
        // Hardly seen; seen, though missed as often; missed more often than seen.
        for (observations, refused) in [(1, 0), (2, 1), (2, 2)] {
            let bounds = BoundingBox::from_corners(0.0, 0.0, 40.0, 40.0);
            let mut track = Live::new(observations as u32, Seconds::ZERO, bounds, 0);
            track.observations = observations;
            track.confirm(0.8);
            track.refused = refused;
            track.looks.keep(Seconds::ZERO, 1.0, RgbImage::new(1, 1), 5);
            endings.end(track, &mut |_| Ok(vec![7.0])).unwrap();
        }
        let past = endings.past;
        assert_eq!(past.iter().map(|t| t.embeddings.len()).collect::<Vec<_>>(), [0, 1, 0]);
        assert_eq!(past.iter().map(|t| t.confirmed).collect::<Vec<_>>(), [true, true, false]);
        assert!(past.iter().all(|t| t.crop.is_some() && (t.mean_score - 0.8).abs() < 1e-6));
    }
}
