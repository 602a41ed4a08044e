//! `turnwise faces`: the faces of one video, without sound or turns; and, where asked for, pictures to check them by.

use anyhow::{Context, Result};
use turnwise::face::{self, FaceConfig, FaceModels, FaceTracker, faces_table, tracks_table};
use turnwise::inference::{Registry, Runtime};
use turnwise::media::{self, Sampling, StreamPick};
use turnwise::output::parquet;
use turnwise::pipeline::{Request, file_metadata};
use turnwise::text::clean;

use super::{keep_apart, recipe};
use crate::cli::Faces;

/// Writes faces.parquet and tracks.parquet; crops and an overlay where asked for.
pub fn run(args: &Faces, registry: &Registry) -> Result<()> {
    let mut recipe = recipe(&args.recipe)?;
    if let Some(folder) = &args.enrol {
        recipe.face.enrolment = folder.to_str().with_context(|| format!("{} is not UTF-8", folder.display()))?.to_owned();
    }
    turnwise::file::check(&args.video)?;
    for output in args.overlay.iter().chain([&args.out.join("faces.parquet"), &args.out.join("tracks.parquet")]) {
        keep_apart(&args.video, output)?;
    }
    registry.verify(face::models(&recipe.face))?;
    let metadata = file_metadata(&recipe, registry)?;
    let id = clean(&Request::of_file(&args.video)?.interview_id).into_owned();
    let pick = StreamPick { video: recipe.input.video_stream.index(), ..StreamPick::default() };
    let mut frames = media::video(&args.video, Sampling { rate_hz: recipe.face.rate_hz, ..Sampling::default() }, pick)?;
    let mut models = FaceModels::load(registry, &recipe.face, Runtime::default())?;
    // The mesh is drawn, whether the tables hold it or not.
    let config = FaceConfig { landmarks: recipe.face.landmarks || args.overlay.is_some(), ..recipe.face.clone() };
    let mut tracker = FaceTracker::new(&mut models, &config).keep_crops(args.crops.is_some());
    for frame in frames.by_ref() {
        tracker.push(&frame?)?;
    }
    let faces = tracker.finish()?;
    for warning in frames.finish()?.warnings.into_iter().chain(faces.warning()) {
        tracing::warn!("{warning}");
    }
    parquet::write(&args.out.join("faces.parquet"), &faces_table(&id, &faces, &recipe.face)?, &metadata)?;
    parquet::write(&args.out.join("tracks.parquet"), &tracks_table(&id, &faces, &recipe.face)?, &metadata)?;
    tracing::info!("{} observations of {} persons in {}", faces.observations.len(), faces.persons.len(), args.out.display());
    if let Some(folder) = &args.crops {
        face::write_crops(&faces, folder)?;
    }
    if let Some(path) = &args.overlay {
        face::draw_video(&args.video, pick, &faces, path)?;
    }
    Ok(())
}
