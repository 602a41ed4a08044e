//! The film with what was measured drawn on it, and its sound.

use std::path::Path;

use super::painter::{Extent, Painter};
use super::{Drawn, Overlay, ROUNDING_SECS, telling};
use crate::error::{Error, Result};
use crate::media::{DecodeThreads, SoundRequest, SoundTrack, Video, VideoReport, VideoWriter, Wanted, video_of};
use crate::signal::VideoFrame;
use crate::store::whole::write_by_path;
use crate::time::Seconds;

/// Endings of containers that keep each picture's own time; AVI has a rate only.
const ENDINGS: [&str; 5] = ["mp4", "m4v", "mov", "mkv", "webm"];
/// Progress is told as often, in seconds of film.
const TOLD_SECS: f64 = 60.0;

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmTold {
    /// Pictures.
    pub pictures: u64,
    /// From the first to the end of the last.
    pub secs: f64,
    /// FFmpeg's name of the encoder of pictures.
    pub encoder: String,
    /// `copied`, or FFmpeg's name of the encoder of sound; `None` = there is none.
    pub sound: Option<String>,
}

/// Draws every picture of the film, and writes it to `to`.
///
/// # Errors
/// [`Error::Usage`] for an ending that is no film's and a stretch without pictures; those of reading and writing.
pub(super) fn draw(overlay: &Overlay<'_>, to: &Path) -> Result<Drawn<FilmTold>> {
    let ending = to.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !ENDINGS.contains(&ending.as_str()) {
        let what = format!("{} does not end as a film that keeps its pictures' times", to.display());
        return Err(Error::Usage { what, hint: "name it .mp4, .mkv, .mov or .webm".into() });
    }
    let mut painter = overlay.painter()?;
    let told = write_by_path(to, |unfinished| write(overlay, &mut painter, unfinished))?;
    Ok(Drawn { told, missing: painter.letters.missing().clone() })
}

fn write(overlay: &Overlay<'_>, painter: &mut Painter, to: &Path) -> Result<FilmTold> {
    let pick = overlay.interview.pick();
    let request = SoundRequest {
        source: overlay.sound.unwrap_or(overlay.media),
        pick,
        from: overlay.from,
        until: overlay.until,
        as_heard: overlay.interview.has_broken_clock(),
    };
    let mut sound = SoundTrack::open(&request, to)?;
    let sound_told = sound.as_ref().map(|s| s.told().to_owned());
    let mut frames = video_of(overlay.media, Wanted::From(overlay.from), threads(), pick)?;
    let mut film: Option<VideoWriter> = None;
    let (mut pictures, mut last, mut next_told) = (0, Seconds::ZERO, TOLD_SECS);
    let mut reached_end = true;
    for frame in frames.by_ref() {
        let VideoFrame { pts, mut image, .. } = frame?;
        if overlay.until.is_some_and(|until| pts.get() + ROUNDING_SECS >= until.get()) {
            reached_end = false;
            break;
        }
        if film.is_none() {
            overlay.check_size(image.dimensions());
            film = Some(VideoWriter::with_track(to, image.width(), image.height(), sound.take())?);
        }
        painter.paint(&mut image, pts, 1.0, Extent::Film)?;
        if let Some(film) = &mut film {
            film.push(&image, pts - overlay.from)?;
        }
        (pictures, last) = (pictures + 1, pts);
        if (pts - overlay.from).get() >= next_told {
            tracing::info!("drawn up to {:.0} s", pts.get());
            next_told += TOLD_SECS;
        }
    }
    let report = end_of(frames)?;
    let Some(film) = film else { return Err(overlay.no_pictures(report.end)) };
    let end = if reached_end { report.end } else { overlay.until };
    let (encoder, secs) = (film.encoder().to_owned(), (end.unwrap_or(last) - overlay.from).get());
    film.finish(end.map(|end| end - overlay.from))?;
    Ok(FilmTold { pictures, secs, encoder, sound: sound_told })
}

/// What became of the stream; what a user should know of it is told.
pub(super) fn end_of(frames: Video) -> Result<VideoReport> {
    let report = frames.finish()?;
    for warning in &report.warnings {
        telling(&warning.to_string());
    }
    Ok(report)
}

/// The pictures are the same whatever their number.
pub(super) fn threads() -> DecodeThreads {
    DecodeThreads(std::thread::available_parallelism().map_or(1, |n| n.get().min(4)))
}
