//! Known voices from where the recipe says: a folder of named recordings, or a Parquet file of named embeddings.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::media::{self, StreamPick};
use crate::speaker::{self, KnownVoice, RATE_HZ, SpeakerConfig, SpeakerModels};
use crate::store::read;
use crate::table::ColumnData;

/// The voices of `config`'s enrolment, sorted by name; none when there is no enrolment.
///
/// # Errors
/// [`Error::Read`] for a path that cannot be read, [`Error::Usage`] for names that cannot be used and recordings
/// without speech,
/// [`Error::Parse`] for a Parquet file without the columns.
pub fn known_voices(config: &SpeakerConfig, models: &mut SpeakerModels) -> Result<Vec<KnownVoice>> {
    let path = Path::new(&config.enrolment.voices);
    if path.as_os_str().is_empty() {
        return Ok(Vec::new());
    }
    let voices = if path.is_dir() {
        recordings(path)?.iter().map(|file| recorded(file, models, config)).collect::<Result<Vec<_>>>()?
    } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("parquet")) {
        stored(path)?
    } else {
        vec![recorded(path, models, config)?]
    };
    Ok(speaker::merge_voices(voices))
}

/// The folder's files in order of their names, hidden ones left out.
fn recordings(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in crate::file::listed(folder)? {
        let hidden = path.file_name().is_none_or(|n| n.to_string_lossy().starts_with('.'));
        if !path.is_dir() && !hidden {
            // A pipe among them is an error, not a voice less.
            crate::file::check(&path)?;
            files.push(path);
        }
    }
    Ok(files)
}

fn recorded(file: &Path, models: &mut SpeakerModels, config: &SpeakerConfig) -> Result<KnownVoice> {
    let name = file.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let audio = media::audio(file, RATE_HZ, StreamPick::default())?.buffer;
    let embedding = speaker::voice_of(&audio, models, config)?.unwrap_or_default();
    KnownVoice::new(&name, &embedding)
}

fn stored(path: &Path) -> Result<Vec<KnownVoice>> {
    let table = read::read(path)?;
    let Some(ColumnData::F32List(embeddings)) = table.column("embedding") else {
        return Err(Error::parse(
            path,
            0,
            "no column \"embedding\" of lists of numbers",
            "give the columns name and embedding",
        ));
    };
    let mut voices = Vec::new();
    for (row, embedding) in embeddings.iter().enumerate() {
        // Also a `speakers` table: its labels, where a transcript named the voices, else names that were enrolled
        // before.
        let enrolled = || table.text("speaker", row).filter(|s| !s.starts_with("SPEAKER_"));
        let name = table.text("name", row).or_else(|| table.text("label", row)).or_else(enrolled);
        if let (Some(name), Some(embedding)) = (name, embedding) {
            voices.push(KnownVoice::new(name, embedding)?);
        }
    }
    if voices.is_empty() {
        return Err(Error::parse(path, 0, "no voice with a name", "give the columns name and embedding"));
    }
    Ok(voices)
}
