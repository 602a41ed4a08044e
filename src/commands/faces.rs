//! `turnwise faces`: the faces of one video, without sound or turns.

use anyhow::Result;
use turnwise::face::{self, FaceModels, FaceTracker, faces_table, tracks_table};
use turnwise::inference::{Registry, Runtime};
use turnwise::media::{self, Sampling, StreamPick};
use turnwise::output::parquet;
use turnwise::pipeline::{Request, file_metadata};

use super::recipe;
use crate::cli::Faces;

/// Writes faces.parquet and tracks.parquet.
pub fn run(args: &Faces, registry: &Registry) -> Result<()> {
    let recipe = recipe(&args.recipe)?;
    registry.verify(face::MODELS.iter().copied())?;
    let metadata = file_metadata(&recipe, registry)?;
    let id = Request::of_file(&args.video)?.interview_id;
    let pick = StreamPick { audio: None, video: recipe.input.video_stream.index() };
    let mut frames = media::video(&args.video, Sampling { rate_hz: recipe.face.rate_hz, ..Sampling::default() }, pick)?;
    let mut models = FaceModels::load(registry, Runtime::default())?;
    let mut tracker = FaceTracker::new(&mut models, &recipe.face);
    for frame in frames.by_ref() {
        tracker.push(&frame?)?;
    }
    let faces = tracker.finish()?;
    for warning in frames.finish()?.warnings {
        tracing::warn!("{warning}");
    }
    parquet::write(&args.out.join("faces.parquet"), &faces_table(&id, &faces, &recipe.face)?, &metadata)?;
    parquet::write(&args.out.join("tracks.parquet"), &tracks_table(&id, &faces, &recipe.face)?, &metadata)?;
    tracing::info!("{} observations of {} persons in {}", faces.observations.len(), faces.persons.len(), args.out.display());
    Ok(())
}
