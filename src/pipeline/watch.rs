//! Watching: the picture of one interview, frame by frame, shown to everything that looks at it.

use std::path::Path;
use std::time::Instant;

use super::stages::{Stage, Stages};
use super::{Inputs, Progress, Work, told};
use crate::body::{Bodies, BodyModels, BodyTracker, Head};
use crate::error::{Error, Result};
use crate::face::{BoundingBox, FaceModels, FaceTracker, Faces, Observation};
use crate::media::{self, StreamPick, VideoReport};
use crate::recipe::Recipe;
use crate::signal::VideoFrame;
use crate::warning::{Warning, Warnings};

/// What was seen.
#[derive(Default, serde::Serialize, serde::Deserialize)]
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
        let heads: Vec<Head> = self.faces.latest().iter().map(head_of).collect();
        bodies.push(frame, &heads, self.faces.shot())
    }

    fn finish(self, warnings: &Warnings) -> Result<Seen> {
        let faces = self.faces.finish()?;
        faces.warning().into_iter().for_each(|w| warnings.push(w));
        let mut bodies = self.bodies.map(BodyTracker::finish).unwrap_or_default();
        bodies.settle(|pts, head| {
            let there = faces.observations.at(pts)?;
            let is_own = |own: &Head| Head { track: head.track, ..*own } == head;
            Ok(there.iter().map(head_of).find(is_own).map(|own| own.track))
        })?;
        bodies.name(|track| faces.person_of(track));
        bodies.keep_within(|pts, [left, top, right, bottom]| {
            Some(faces.shot_at(pts)?.tile(BoundingBox::from_corners(left, top, right, bottom)))
        });
        Ok(Seen { faces, bodies, report: None })
    }
}

fn head_of(o: &Observation) -> Head {
    let b = o.bounds;
    Head { track: o.track, bounds: [b.left, b.top, b.right(), b.bottom()] }
}

/// Looks at the picture, frame by frame, at the recipe's rate, or takes what was seen before. Gives the seconds it took
/// besides.
pub(super) fn watch(
    work: Work<'_>,
    models: Option<&mut FaceModels>,
    body: Option<&mut BodyModels>,
    (stages, inputs): (&Stages<'_>, &Inputs),
) -> Result<(Seen, f64)> {
    let Work { request, warnings, .. } = work;
    let begun = Instant::now();
    let (Some(path), Some(models)) = (&request.media, models) else { return Ok((Seen::default(), 0.0)) };
    // Nothing else of the recipe can be read, so that nothing else can matter.
    let recipe = &work.recipe.of_watching();
    // Warnings tell the file by its name; known faces count by what they are, not by where they lie.
    let name = told::name(request, path);
    let by_contents = recipe.told(String::new(), String::new(), String::new());
    let on = inputs.sha256("media").map(|media| (media, &name, by_contents, inputs.contents("faces")));
    let (seen, texts) = stages.result(Stage::Faces, on.as_ref(), || {
        let own = Warnings::default();
        let seen = look(Work { recipe, warnings: &own, ..work }, path, models, body)?;
        let told = |text: &String| told::told_text(request, recipe, text);
        Ok((seen, own.into_sorted().iter().map(told).collect::<Vec<String>>()))
    })?;
    texts.into_iter().for_each(|text| warnings.push(Warning::Earlier { text }));
    Ok((seen, begun.elapsed().as_secs_f64()))
}

/// The same, done in any case.
pub(super) fn look(
    work: Work<'_>,
    path: &Path,
    models: &mut FaceModels,
    body: Option<&mut BodyModels>,
) -> Result<Seen> {
    let Work { recipe, warnings, progress, .. } = work;
    let pick = StreamPick { video: recipe.input.video_stream.index(), ..StreamPick::default() };
    let total_secs = media::probe(path, pick)?.declared_secs.unwrap_or(0.0);
    let mut watchers = Watchers::new(models, body, recipe);
    let show = |frame: &VideoFrame| {
        watchers.push(frame)?;
        progress(Progress::Watching { video_secs: frame.pts.get(), total_secs });
        Ok(())
    };
    let mut report = match media::each_frame(path, pick, recipe.face.rate_hz, show) {
        Ok(report) => report,
        Err(Error::NoStream { undecodable, .. }) => {
            warnings.push(Warning::NoStream { stream: "video", undecodable });
            return Ok(Seen::default());
        }
        Err(e) => return Err(e),
    };
    let seen = watchers.finish(warnings)?;
    // Told once, and kept as they are told.
    report.warnings.drain(..).for_each(|w| warnings.push(w));
    Ok(Seen { report: Some(report), ..seen })
}
