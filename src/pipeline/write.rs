//! An interview into the output folder: every table whole or not at all, the `interviews` row last, so that its presence means "done".

use std::collections::BTreeMap;
use std::path::Path;

use super::{Interview, Models, Request, Timings, interview, told};
use crate::error::{Error, Result};
use crate::inference::{Registry, file_sha256};
use crate::output::atomic::write_text;
use crate::output::parquet::{self, FileMetadata};
use crate::output::{paths, read, rttm};
use crate::recipe::{Recipe, short_hash};

/// Version of the tables' contract: raised when a column changes its meaning or goes.
const SCHEMA_VERSION: &str = "1";

/// What every file tells of its making: the recipe with the contents of its enrolment for the places where they lie.
///
/// # Errors
/// Those of [`Recipe::canonical_json`] and [`Registry::model`].
pub fn file_metadata(recipe: &Recipe, registry: &Registry) -> Result<FileMetadata> {
    let mut models = BTreeMap::new();
    for name in Models::names(recipe) {
        models.insert(name.to_owned(), registry.model(name)?.sha256.clone());
    }
    let recipe = told::recipe(recipe);
    Ok(FileMetadata {
        schema_version: SCHEMA_VERSION.into(),
        tool_version: env!("CARGO_PKG_VERSION").into(),
        recipe: recipe.canonical_json()?,
        recipe_hash: recipe.hash()?,
        models,
    })
}

/// Of the inputs: sizes of the media, contents of transcript, RTTM and enrolment, speaker bounds and the rest of the request but not where
/// it lies.
pub(super) fn request_hash(request: &Request, recipe: &Recipe) -> Result<String> {
    let size = |path: &Option<std::path::PathBuf>| -> Result<Option<u64>> {
        path.as_ref().map(|p| std::fs::metadata(p).map(|m| m.len()).map_err(|source| Error::Read { path: p.clone(), source })).transpose()
    };
    let content = |path: &Option<std::path::PathBuf>| path.as_ref().map(|p| file_sha256(p)).transpose();
    let parts = (
        &request.interview_id,
        &request.media_name,
        size(&request.media)?,
        size(&request.audio)?,
        content(&request.transcript)?,
        content(&request.rttm)?,
        &request.sample_id,
        &request.group,
        &request.bounds,
        contents(Path::new(&recipe.face.enrolment))?,
        contents(Path::new(&recipe.speaker.enrolment.voices))?,
    );
    let text = serde_json::to_string(&parts).map_err(|e| Error::write(&request.interview_id, e))?;
    Ok(short_hash(text.as_bytes()))
}

/// Name and hash of a file, or of every file in a folder, below it in order; none for an empty path.
pub(super) fn contents(path: &Path) -> Result<Vec<(String, String)>> {
    if path.as_os_str().is_empty() {
        return Ok(Vec::new());
    }
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    if !path.is_dir() {
        return Ok(vec![(name, file_sha256(path)?)]);
    }
    let fail = |source| Error::Read { path: path.to_owned(), source };
    let entries = std::fs::read_dir(path).map_err(fail)?.map(|e| e.map(|e| e.path()));
    let mut below = entries.collect::<std::io::Result<Vec<_>>>().map_err(fail)?;
    below.sort();
    let mut all = Vec::new();
    for path in below {
        all.extend(contents(&path)?.into_iter().map(|(below, hash)| (format!("{name}/{below}"), hash)));
    }
    Ok(all)
}

/// True when the folder holds this interview, done from the same inputs with the same recipe and models.
pub fn is_done(out: &Path, request: &Request, recipe: &Recipe, registry: &Registry) -> bool {
    let matches = || -> Result<bool> {
        let path = paths::table_path(out, "interviews", &request.interview_id)?;
        if !path.is_file() {
            return Ok(false);
        }
        let stored = read::read(&path)?;
        // A table that was damaged since must not pass for done.
        let whole = |table: &str| {
            let path = paths::table_path(out, table, &request.interview_id);
            path.is_ok_and(|p| if p.is_file() { read::read_metadata(&p).is_ok() } else { table == "words" })
        };
        Ok(stored.text("status", 0) == Some("done")
            && stored.text("request_hash", 0) == Some(request_hash(request, recipe)?.as_str())
            && stored.schema().metadata == file_metadata(recipe, registry)?
            && super::schemas(recipe).iter().all(|s| whole(s.name)))
    };
    // What cannot be read is not done: it is made anew.
    matches().unwrap_or(false)
}

/// Writes all tables, the RTTM, and last the row of `interviews`.
///
/// # Errors
/// [`Error::Write`]; nothing half-written stays under a final name.
pub fn write(out: &Path, done: &Interview, recipe: &Recipe, registry: &Registry) -> Result<()> {
    let id = &done.request.interview_id;
    let metadata = file_metadata(recipe, registry)?;
    let row = paths::table_path(out, "interviews", id)?;
    // An older row would vouch for tables that are being replaced.
    if row.exists() {
        std::fs::remove_file(&row).map_err(|e| Error::write(&row, e))?;
    }
    // A table that this run has no rows for (words) must not stay from an earlier one.
    for name in super::schemas(recipe).iter().map(|s| s.name).filter(|n| done.tables.iter().all(|t| t.schema().name != *n)) {
        let stale = paths::table_path(out, name, id)?;
        if stale.exists() {
            std::fs::remove_file(&stale).map_err(|e| Error::write(&stale, e))?;
        }
    }
    for table in &done.tables {
        parquet::write(&paths::table_path(out, table.schema().name, id)?, table, &metadata)?;
    }
    rttm::write_rttm(&paths::rttm_path(out, id)?, &rttm::uri_for(id), &done.annotation)?;
    write_timings(out, id, &done.timings)?;
    parquet::write(&row, &done.row, &metadata)
}

/// Writes the row of an interview that failed.
///
/// # Errors
/// [`Error::Write`].
pub fn write_failure(out: &Path, request: &Request, recipe: &Recipe, registry: &Registry, error: &Error) -> Result<()> {
    let path = paths::table_path(out, "interviews", &request.interview_id)?;
    parquet::write(&path, &interview::failure(request, recipe, error)?, &file_metadata(recipe, registry)?)
}

/// Wall-clock times go beside the data, never into it.
fn write_timings(out: &Path, id: &str, timings: &Timings) -> Result<()> {
    let path = paths::timings_path(out, id)?;
    let text = serde_json::to_string_pretty(timings).map_err(|e| Error::write(&path, e))?;
    write_text(&path, &(text + "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_enrolment_picture_is_another_input() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("anna")).unwrap();
        std::fs::write(folder.path().join("anna/1.png"), "one").unwrap();
        let mut recipe = Recipe::default();
        recipe.face.enrolment = folder.path().to_str().unwrap().into();
        let hash = |recipe: &Recipe| request_hash(&Request::default(), recipe).unwrap();
        let first = hash(&recipe);
        assert_eq!(first, hash(&recipe));
        std::fs::write(folder.path().join("anna/1.png"), "two").unwrap();
        let second = hash(&recipe);
        std::fs::rename(folder.path().join("anna"), folder.path().join("berta")).unwrap();
        assert!(first != second && second != hash(&recipe) && first != hash(&Recipe::default()));
        recipe.face.enrolment += "/none";
        assert!(request_hash(&Request::default(), &recipe).is_err());
    }
}
