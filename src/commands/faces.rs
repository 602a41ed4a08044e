//! `turnwise faces`: the faces of one video, without sound or turns; and, where asked for, pictures to check them by.

use anyhow::{Context, Result};
use turnwise::face::{self, FaceConfig, FaceModels, FaceTracker, faces_table, tracks_table};
use turnwise::inference::{ModelSet, Registry, Runtime};
use turnwise::media::StreamPick;
use turnwise::pipeline::{Request, file_metadata, with_values};
use turnwise::store::whole::write_by_path;
use turnwise::text::clean;

use super::{keep_apart, recipe};
use crate::cli::Faces;

/// Writes the tables faces and tracks; crops and an overlay where asked for.
pub fn run(args: &Faces, registry: &Registry) -> Result<()> {
    let mut recipe = recipe(&args.recipe)?;
    if let Some(folder) = &args.enrol {
        recipe.face.enrolment =
            folder.to_str().with_context(|| format!("{} is not UTF-8", folder.display()))?.to_owned();
    }
    turnwise::file::check(&args.video)?;
    let writer = args.tables.writer();
    let paths = ["faces", "tracks"].map(|name| writer.path(&args.out, name));
    for output in args.overlay.iter().chain(&paths) {
        keep_apart(&args.video, output)?;
    }
    paths.iter().try_for_each(|path| writer.check(path))?;
    FaceModels::check(registry, &recipe.face)?;
    let metadata = file_metadata(&recipe, registry)?;
    let id = clean(&Request::of_file(&args.video)?.interview_id).into_owned();
    let pick = StreamPick { video: recipe.input.video_stream.index(), ..StreamPick::default() };
    let mut models = FaceModels::load(registry, &recipe.face, Runtime::default())?;
    // The mesh is drawn, whether the tables hold it or not.
    let config = FaceConfig { landmarks: recipe.face.landmarks || args.overlay.is_some(), ..recipe.face.clone() };
    let tracker = FaceTracker::new(&mut models, &config).keep_crops(args.crops.is_some());
    let (faces, report) = face::watch(&args.video, pick, config.rate_hz, tracker, |_| Ok(()))?;
    for warning in report.warnings.into_iter().chain(faces.warning()) {
        tracing::warn!("{warning}");
    }
    let tables = [
        faces_table(&id, &faces, 0..faces.observations.len(), &recipe.face)?,
        tracks_table(&id, &faces, &recipe.face)?,
    ];
    for (path, table) in paths.iter().zip(tables) {
        writer.write(path, &with_values(table, &recipe), &metadata)?;
    }
    tracing::info!(
        "{} observations of {} persons in {}",
        faces.observations.len(),
        faces.persons.len(),
        args.out.display()
    );
    if let Some(folder) = &args.crops {
        face::write_crops(&faces, folder)?;
    }
    if let Some(path) = &args.overlay {
        write_by_path(path, |unfinished| face::draw_video(&args.video, pick, &faces, unfinished))?;
    }
    Ok(())
}
