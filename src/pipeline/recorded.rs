//! Whether a file is the one that an interview was extracted from.

use std::path::Path;

use super::done::read_record;
use crate::error::Result;

/// What an interview's record says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// Its content is that of the input.
    Same,
    /// The input was another.
    Other,
    /// There was no such input, or nothing is kept of it.
    Nothing,
}

/// Compares `file` with the input `role` (`media`, `audio`, …) of the interview `id`, wherever it lay then: by its
/// size, and by its content where a time differs.
///
/// # Errors
/// [`crate::error::Error::Read`] for the file, or the record.
pub fn recorded(out: &Path, id: &str, role: &str, file: &Path) -> Result<Recorded> {
    let record = read_record(out, id)?;
    let Some(mark) = record.and_then(|r| r.inputs?.get(role).cloned()) else { return Ok(Recorded::Nothing) };
    Ok(if mark.still(file, false)?.is_some() { Recorded::Same } else { Recorded::Other })
}
