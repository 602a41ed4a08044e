//! An interview into the output folder: every table whole or not at all, the `interviews` row after them, so that its presence means that
//! they are there, and last what is kept of all of them, by which a later run knows that they still are.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Interview, Models, Request, done, interview, told};
use crate::error::{Error, Result};
use crate::inference::{ModelSet, Registry};
use crate::output::parquet::{self, FileMetadata};
use crate::output::{paths, rttm};
use crate::recipe::Recipe;

/// Version of the tables' contract: raised when a column changes its meaning or goes.
const SCHEMA_VERSION: &str = "1";

/// What every file tells of its making: the recipe with the contents of its enrolment for the places where they lie.
///
/// # Errors
/// Those of [`Recipe::canonical_json`] and [`Registry::model`].
pub fn file_metadata(recipe: &Recipe, registry: &Registry) -> Result<FileMetadata> {
    let mut models = BTreeMap::new();
    for name in Models::names(registry, recipe)? {
        let sha256 = registry.model(&name)?.sha256.clone();
        models.insert(name, sha256);
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

/// Writes all tables, the RTTM, the row of `interviews`, and last what is kept to know them again.
///
/// # Errors
/// [`Error::Write`]; nothing half-written stays under a final name.
pub fn write(out: &Path, made: &Interview, recipe: &Recipe, registry: &Registry) -> Result<()> {
    let id = &made.request.interview_id;
    let metadata = file_metadata(recipe, registry)?;
    let row = paths::table_path(out, "interviews", id)?;
    done::forget(out, id)?;
    // An older row would vouch for tables that are being replaced.
    if row.exists() {
        std::fs::remove_file(&row).map_err(|e| Error::write(&row, e))?;
    }
    // A table that this run has no rows for (words) must not stay from an earlier one.
    for name in super::schemas(recipe).iter().map(|s| s.name).filter(|n| made.tables.iter().all(|t| t.schema().name != *n)) {
        let stale = paths::table_path(out, name, id)?;
        if stale.exists() {
            std::fs::remove_file(&stale).map_err(|e| Error::write(&stale, e))?;
        }
    }
    for table in &made.tables {
        parquet::write(&paths::table_path(out, table.schema().name, id)?, table, &metadata)?;
    }
    rttm::write_rttm(&paths::rttm_path(out, id)?, &rttm::uri_for(id), &made.annotation)?;
    parquet::write(&row, &made.row, &metadata)?;
    let names: Vec<&str> = made.tables.iter().map(|t| t.schema().name).chain(["interviews"]).collect();
    done::keep(out, id, &made.timings, &made.inputs, &names)
}

/// Writes the row of an interview that failed.
///
/// # Errors
/// [`Error::Write`].
pub fn write_failure(out: &Path, request: &Request, recipe: &Recipe, registry: &Registry, error: &Error) -> Result<()> {
    let path = paths::table_path(out, "interviews", &request.interview_id)?;
    done::forget(out, &request.interview_id)?;
    parquet::write(&path, &interview::failure(request, recipe, error)?, &file_metadata(recipe, registry)?)
}
