//! `turnwise faces`: the faces of one video, without sound or turns; and, where asked for, pictures to check them by.

use std::io::{Cursor, Write};
use std::path::Path;

use anyhow::{Context, Result};
use turnwise::error::Error;
use turnwise::face::{self, FaceConfig, FaceModels, FaceTracker, Observation, faces_table, tracks_table};
use turnwise::inference::{ModelSet, Registry, Runtime};
use turnwise::media::{self, Sampling, StreamPick, VideoWriter};
use turnwise::output::atomic::write_whole;
use turnwise::output::parquet;
use turnwise::pipeline::{Request, file_metadata};
use turnwise::text::clean;

use super::{keep_apart, recipe};
use crate::cli::Faces;

/// A face is drawn on the frames after it for at most this long, in looked-at intervals.
const SHOWN_INTERVALS: f64 = 1.5;

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
    FaceModels::check(registry, &recipe.face)?;
    let metadata = file_metadata(&recipe, registry)?;
    let id = clean(&Request::of_file(&args.video)?.interview_id).into_owned();
    let pick = StreamPick { video: recipe.input.video_stream.index(), ..StreamPick::default() };
    let mut models = FaceModels::load(registry, &recipe.face, Runtime::default())?;
    // The mesh is drawn, whether the tables hold it or not.
    let config = FaceConfig { landmarks: recipe.face.landmarks || args.overlay.is_some(), ..recipe.face.clone() };
    let tracker = FaceTracker::new(&mut models, &config).keep_crops(args.crops.is_some());
    let (faces, report) = face::watch(&args.video, pick, config.rate_hz, tracker, |_| {})?;
    for warning in report.warnings.into_iter().chain(faces.warning()) {
        tracing::warn!("{warning}");
    }
    parquet::write(&args.out.join("faces.parquet"), &faces_table(&id, &faces, &recipe.face)?, &metadata)?;
    parquet::write(&args.out.join("tracks.parquet"), &tracks_table(&id, &faces, &recipe.face)?, &metadata)?;
    tracing::info!("{} observations of {} persons in {}", faces.observations.len(), faces.persons.len(), args.out.display());
    if let Some(folder) = &args.crops {
        write_crops(&faces, folder)?;
    }
    if let Some(path) = &args.overlay {
        draw(&args.video, pick, &faces, path)?;
    }
    Ok(())
}

/// One aligned picture a track that was seen well enough: `0003_P1.png`.
fn write_crops(faces: &face::Faces, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|e| Error::write(folder, e))?;
    for track in &faces.tracks {
        let Some(crop) = &track.crop else { continue };
        // An enrolled name may hold anything a file's name may.
        let path = folder.join(format!("{:04}_{}.png", track.id, track.person.as_deref().unwrap_or("nobody")));
        let mut png = Cursor::new(Vec::new());
        crop.write_to(&mut png, image::ImageFormat::Png).map_err(|e| Error::write(&path, e))?;
        write_whole(&path, |file| Ok(file.write_all(png.get_ref())?))?;
    }
    Ok(())
}

/// Decodes the video again and draws on every frame what was last seen.
fn draw(video: &Path, pick: StreamPick, faces: &face::Faces, path: &Path) -> Result<()> {
    if let Some(parent) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        std::fs::create_dir_all(parent).map_err(|e| Error::write(parent, e))?;
    }
    let longest = faces.sampled.windows(2).map(|w| (w[1] - w[0]).get()).fold(0.1, f64::max).min(1.0) * SHOWN_INTERVALS;
    let mut writer: Option<VideoWriter> = None;
    for frame in media::video(video, Sampling { rate_hz: 0.0, ..Sampling::default() }, pick)? {
        let mut frame = frame?;
        let looked = faces.sampled.partition_point(|t| *t <= frame.pts).checked_sub(1).map(|i| faces.sampled[i]);
        if let Some(then) = looked.filter(|t| (frame.pts - *t).get() <= longest) {
            let from = faces.observations.partition_point(|o| o.pts < then);
            for o in faces.observations[from..].iter().take_while(|o| o.pts == then) {
                face::draw(&mut frame.image, o, named(faces, o));
            }
        }
        let writer = match &mut writer {
            Some(writer) => writer,
            none => none.insert(VideoWriter::create(path, frame.image.width(), frame.image.height(), None)?),
        };
        writer.push(&frame.image, frame.pts)?;
    }
    writer.map_or(Ok(()), |w| w.finish(None))?;
    Ok(())
}

fn named<'a>(faces: &'a face::Faces, o: &Observation) -> Option<(&'a str, usize)> {
    let person = faces.person_of(o.track)?;
    Some((person, faces.persons.iter().position(|p| p == person)?))
}
