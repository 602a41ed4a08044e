//! Watching: the picture of one interview, frame by frame, shown to everything that looks at it.

use std::time::Instant;

use super::{Progress, Work};
use crate::body::{Bodies, BodyModels, BodyTracker, Head};
use crate::error::{Error, Result};
use crate::face::{FaceModels, FaceTracker, Faces, Observation};
use crate::media::{self, StreamPick, VideoReport};
use crate::recipe::Recipe;
use crate::signal::VideoFrame;
use crate::warning::{Warning, Warnings};

/// What was seen.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) faces: Faces,
    pub(crate) bodies: Bodies,
    pub(crate) report: Option<VideoReport>,
}

/// All that look at the picture: each is shown every frame, and leaves its part of [`Seen`].
struct Watchers<'a> {
    faces: FaceTracker<'a>,
    /// `None` where the recipe leaves bodies out.
    bodies: Option<BodyTracker<'a>>,
}

impl<'a> Watchers<'a> {
    fn new(models: &'a mut FaceModels, body: Option<&'a mut BodyModels>, recipe: &'a Recipe) -> Self {
        Watchers {
            faces: FaceTracker::new(models, &recipe.face),
            bodies: body.map(|models| BodyTracker::new(models, &recipe.body)),
        }
    }

    fn push(&mut self, frame: &VideoFrame) -> Result<()> {
        self.faces.push(frame)?;
        let Some(bodies) = self.bodies.as_mut().filter(|b| b.wants(frame.pts)) else { return Ok(()) };
        let head = |o: &Observation| {
            let b = o.bounds;
            Head { track: o.track, bounds: [b.left, b.top, b.right(), b.bottom()] }
        };
        let heads: Vec<Head> = self.faces.latest().iter().map(head).collect();
        bodies.push(frame, &heads, self.faces.shot())
    }

    fn finish(self, warnings: &Warnings) -> Result<Seen> {
        let faces = self.faces.finish()?;
        faces.warning().into_iter().for_each(|w| warnings.push(w));
        let mut bodies = self.bodies.map(BodyTracker::finish).unwrap_or_default();
        bodies.name(|track| faces.person_of(track));
        Ok(Seen { faces, bodies, report: None })
    }
}

/// Looks at the picture, frame by frame, at the recipe's rate. Gives the seconds it took besides.
pub(super) fn watch(
    work: Work<'_>,
    models: Option<&mut FaceModels>,
    body: Option<&mut BodyModels>,
) -> Result<(Seen, f64)> {
    let Work { request, recipe, warnings, progress } = work;
    let begun = Instant::now();
    let (Some(path), Some(models)) = (&request.media, models) else { return Ok((Seen::default(), 0.0)) };
    let pick = StreamPick { video: recipe.input.video_stream.index(), ..StreamPick::default() };
    let total_secs = media::probe(path, pick)?.declared_secs.unwrap_or(0.0);
    let mut watchers = Watchers::new(models, body, recipe);
    let show = |frame: &VideoFrame| {
        watchers.push(frame)?;
        progress(Progress::Watching { video_secs: frame.pts.get(), total_secs });
        Ok(())
    };
    let report = match media::each_frame(path, pick, recipe.face.rate_hz, show) {
        Ok(report) => report,
        Err(Error::NoStream { undecodable, .. }) => {
            warnings.push(Warning::NoStream { stream: "video", undecodable });
            return Ok((Seen::default(), 0.0));
        }
        Err(e) => return Err(e),
    };
    let seen = watchers.finish(warnings)?;
    report.warnings.iter().for_each(|w| warnings.push(w.clone()));
    Ok((Seen { report: Some(report), ..seen }, begun.elapsed().as_secs_f64()))
}
