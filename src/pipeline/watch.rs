//! Watching: the picture of one interview, frame by frame, shown to everything that looks at it.

use std::path::Path;
use std::time::Instant;

use super::stages::{Stage, Stages};
use super::{Inputs, Progress, Work, told};
use crate::body::{Bodies, BodyModels, BodyTracker, Head};
use crate::error::{Error, Result};
use crate::face::{self, BoundingBox, FaceModels, FaceTracker, Faces, Watched};
use crate::media::{self, StreamPick, VideoReport};
use crate::warning::{Warning, Warnings};

/// What was seen.
#[derive(Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Seen {
    pub(crate) faces: Faces,
    pub(crate) bodies: Bodies,
    pub(crate) report: Option<VideoReport>,
}

/// All that was seen, bodies under the names of their faces.
fn together(faces: Faces, mut bodies: Bodies, warnings: &Warnings) -> Result<Seen> {
    faces.warning().into_iter().for_each(|w| warnings.push(w));
    bodies.settle(|pts| Ok(faces.observations.at(pts)?.iter().map(|o| head_of(o.track, o.bounds)).collect()))?;
    bodies.name(|track| faces.person_of(track));
    bodies.keep_within(|pts, [left, top, right, bottom]| {
        Some(faces.shot_at(pts)?.tile(BoundingBox::from_corners(left, top, right, bottom)))
    });
    Ok(Seen { faces, bodies, report: None })
}

fn head_of(track: u32, b: BoundingBox) -> Head {
    Head { track, bounds: [b.left, b.top, b.right(), b.bottom()] }
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
    let mut bodies = body.map(|models| BodyTracker::new(models, &recipe.body));
    let show = |Watched { frame, faces, shot }: Watched| {
        if let Some(bodies) = bodies.as_mut().filter(|b| b.wants(frame.pts)) {
            let heads: Vec<Head> = faces.into_iter().map(|(track, bounds)| head_of(track, bounds)).collect();
            bodies.push(&frame, &heads, shot)?;
        }
        progress(Progress::Watching { video_secs: frame.pts.get(), total_secs });
        Ok(())
    };
    let tracker = FaceTracker::new(models, &recipe.face);
    let (faces, mut report) = match face::watch(path, pick, recipe.face.rate_hz, tracker, show) {
        Ok(watched) => watched,
        Err(Error::NoStream { undecodable, .. }) => {
            warnings.push(Warning::NoStream { stream: "video", undecodable });
            return Ok(Seen::default());
        }
        Err(e) => return Err(e),
    };
    let seen = together(faces, bodies.map(BodyTracker::finish).unwrap_or_default(), warnings)?;
    // Told once, and kept as they are told.
    report.warnings.drain(..).for_each(|w| warnings.push(w));
    Ok(Seen { report: Some(report), ..seen })
}
