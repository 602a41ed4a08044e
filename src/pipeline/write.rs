//! An interview into the output folder: every table whole or not at all, the `interviews` row after them, so that its
//! presence means that they are there, and last what is kept of all of them, by which a later run knows that they still
//! are.

use std::collections::BTreeMap;

use super::tables::MadeTable;
use super::{Interview, Models, Request, done, interview, told};
use crate::error::{Error, Result};
use crate::inference::{ModelSet, Registry};
use crate::recipe::Recipe;
use crate::store::folder::Target;
use crate::store::parquet::FileMetadata;
use crate::store::{paths, remove_table, rttm};

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
pub fn write(target: Target<'_>, made: &Interview, recipe: &Recipe, registry: &Registry) -> Result<()> {
    let (id, out, writer) = (&made.request.interview_id, target.out, target.writer);
    let metadata = file_metadata(recipe, registry)?;
    let row = target.table_path("interviews", id)?;
    done::forget(out, id)?;
    // An older row would vouch for tables that are being replaced.
    remove_table(&row)?;
    // A table that this run has no rows for (words) must not stay from an earlier one.
    let written: Vec<&str> = made.tables.iter().map(|table| table.name(recipe)).collect();
    for name in super::table_names(recipe).into_iter().filter(|name| !written.contains(name)) {
        remove_table(&target.table_path(name, id)?)?;
    }
    let frames = made.frames(recipe);
    for (table, name) in made.tables.iter().zip(&written) {
        let path = target.table_path(name, id)?;
        match table {
            MadeTable::Whole(table) => {
                let table = table.table()?;
                writer.write(&path, &table, &metadata)?;
            }
            MadeTable::Frames(table) => {
                let (schema, make) = (table.told_schema(recipe), |rows| (table.part)(&frames, rows));
                writer.write_made(&path, (&schema, (table.rows)(&frames)), &make, &metadata)?;
            }
        }
    }
    rttm::write_rttm(&paths::rttm_path(out, id)?, &rttm::uri_for(id), &made.annotation)?;
    writer.write(&row, &made.row, &metadata)?;
    done::keep(out, made, &metadata, &[written.as_slice(), &["interviews"]].concat())
}

/// Writes the row of an interview that failed.
///
/// # Errors
/// [`Error::Write`].
pub fn write_failure(
    target: Target<'_>,
    request: &Request,
    recipe: &Recipe,
    registry: &Registry,
    error: &Error,
) -> Result<()> {
    let path = target.table_path("interviews", &request.interview_id)?;
    done::forget(target.out, &request.interview_id)?;
    target.writer.write(&path, &interview::failure(request, recipe, error)?, &file_metadata(recipe, registry)?)
}
