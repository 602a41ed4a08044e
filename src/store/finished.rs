//! Tables are read only where they are of a finished extraction, and taken together only where they were made the same
//! way.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::store::folder::OutputFolder;
use crate::store::paths::table_path;
use crate::store::provenance::Makings;

/// Those of the named tables that an interview has; none where it was not extracted, failed, or is half written.
///
/// # Errors
/// [`Error::Usage`] for a name that is no interview's; [`Error::Read`] or [`Error::Parse`] for its row.
pub fn own_tables<'a>(out: &Path, id: &str, names: &[&'a str]) -> Result<Vec<(&'a str, PathBuf)>> {
    let mut tables = Vec::new();
    for name in names {
        let path = table_path(out, name, id)?;
        if path.is_file() {
            tables.push((*name, path));
        }
    }
    if !tables.is_empty() && !OutputFolder::new(out).is_current(id)? {
        tables.clear();
    }
    Ok(tables)
}

/// Tells of an interview whose tables [`own_tables`] passes over.
///
/// # Errors
/// As [`own_tables`].
pub fn tell_unfinished(out: &Path, id: &str) -> Result<()> {
    if table_path(out, "turns", id)?.is_file() && !OutputFolder::new(out).is_current(id)? {
        tracing::warn!("{id}: what lies in {} is not of a finished extraction, and is not taken", out.display());
    }
    Ok(())
}

/// Refuses interviews that were made in several ways, unless the user allows it: differences between recipes would pass
/// for differences between people.
///
/// # Errors
/// [`Error::Usage`] with the ways and their interviews; `what` is what would mix them.
pub fn refuse_mixed(makings: &Makings, allowed: bool, what: &str) -> Result<()> {
    if allowed || !makings.is_mixed() {
        return Ok(());
    }
    let told = makings.text();
    let told = if told.is_empty() { "  its own making says \"mixed\"\n".to_owned() } else { told };
    let what = format!("{what} would mix interviews that were not made the same way:\n{}\n", told.trim_end());
    Err(Error::Usage {
        what,
        hint: "extract them again with one recipe, or give --mixed to take them as they are".into(),
    })
}
