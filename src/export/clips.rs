//! The clips of a sample's rows, and the manifest that lists them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::rescue::rows_of;
use super::review::{ReviewClip, cut};
use crate::error::{Error, Result};
use crate::media::StreamPick;
use crate::store::paths::table_path;
use crate::store::whole::write_text;
use crate::time::Segment;

/// A clip this much shorter than its row is told.
const SHORTENED_SECS: f64 = 0.05;

/// The files of an interview that clips are cut from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipSource {
    /// The video; `None` = no clips.
    pub media: Option<PathBuf>,
    /// Its sound, where that is another file.
    pub audio: Option<PathBuf>,
}

/// Cuts a sample's row clips and writes their manifest below `assets`, in which paths are relative to `to`; tells how
/// many.
///
/// # Errors
/// Those of [`cut`]; [`Error::Write`] for the manifest.
pub(super) fn review(sample: &Value, source: &ClipSource, id: &str, (assets, to): (&Path, &Path)) -> Result<usize> {
    let Some(video) = &source.media else {
        tracing::warn!("{id}: the manifest names no media; no clips");
        return Ok(0);
    };
    let mut rows = Vec::new();
    for row in rows_of(sample) {
        match row.span.and_then(|(start, end)| Segment::from_secs(start, end)) {
            Some(span) => rows.push((row.index, span)),
            None => tracing::warn!("{id}: row {} has no times in order; no clip", row.index),
        }
    }
    let assets = table_path(assets, "review_assets", id)?.with_extension("");
    let folder = assets.join("clips");
    std::fs::create_dir_all(&folder).map_err(|e| Error::write(&folder, e))?;
    let clips = cut(video, source.audio.as_ref().unwrap_or(video), StreamPick::default(), &rows, &folder)?;
    let has_clip = |index: u32| clips.iter().any(|c| c.index == index);
    let missing: Vec<u32> = rows.iter().map(|r| r.0).filter(|i| !has_clip(*i)).collect();
    let shortened =
        |c: &&ReviewClip| rows.iter().any(|(i, s)| *i == c.index && s.duration() - c.duration_secs > SHORTENED_SECS);
    let short: Vec<u32> = clips.iter().filter(shortened).map(|c| c.index).collect();
    if clips.len() < rows.len() || !short.is_empty() {
        let end = "past the end of the media or without length";
        tracing::warn!("{id}: no clips of rows {missing:?} ({end}), cut short by the media's end {short:?}");
    }
    let listed: Vec<Value> = clips.iter().map(|clip| entry(clip, to)).collect();
    let manifest = assets.join("manifest.json");
    let content = json!({"rows": listed, "rows_without_clip": missing, "rows_cut_short": short});
    let text = serde_json::to_string_pretty(&content).map_err(|e| Error::write(&manifest, e))?;
    write_text(&manifest, &(text + "\n"))?;
    Ok(clips.len())
}

/// A clip in the manifest; its path is relative to the export's folder, so that it can be moved as a whole.
fn entry(clip: &ReviewClip, to: &Path) -> Value {
    let path = clip.path.strip_prefix(to).unwrap_or(&clip.path).to_string_lossy();
    json!({"index": clip.index, "clip_path": path, "duration_sec": (clip.duration_secs * 1000.0).round() / 1000.0})
}
