//! What is left of an interview that failed: its row, which says why, and nothing that would pass for its tables.

use std::path::Path;

use super::run::Outcome;
use crate::error::Error;
use crate::inference::Registry;
use crate::pipeline::{self, Request};
use crate::recipe::Recipe;
use crate::store::folder::Target;
use crate::store::interview_files::{InterviewFiles, SUPERSEDED};

/// Sets aside what an earlier run left of the interview and writes its row. Where even that cannot be done (a path that
/// is taken, a disk that is full), the outcome says so: other interviews may still have a place.
///
/// Of an interview that was done, and of which a file cannot be reached now (a share that is not mounted, a disk that
/// is not plugged in), everything stays as it is: nothing says that the file has changed.
pub(super) fn record_failure(
    target: Target<'_>,
    request: &Request,
    recipe: &Recipe,
    registry: &Registry,
    error: &Error,
) -> Outcome {
    let (tables, out) = (pipeline::table_names(recipe), target.out);
    if is_out_of_reach(request, error) && pipeline::has_record(out, request) {
        let error_text = format!("{}; its tables of an earlier run were left as they are", error.chain());
        return Outcome::Failed { kind: error.kind().into(), error: error_text };
    }
    let aside = InterviewFiles { out, tables: &tables }.set_aside(&request.interview_id);
    let written = pipeline::write_failure(target, request, recipe, registry, error);
    let mut text = error.chain();
    if matches!(aside, Ok(true)) {
        text += &format!("; its tables of an earlier run are kept in {}", out.join(SUPERSEDED).display());
    }
    for (part, result) in [("its earlier tables", aside.map(|_| ())), ("its row", written)] {
        if let Err(e) = result {
            text += &format!("; and {part}: {}", e.chain());
        }
    }
    Outcome::Failed { kind: error.kind().into(), error: text }
}

/// True where a file of the request could not be read at all.
fn is_out_of_reach(request: &Request, error: &Error) -> bool {
    let Error::Read { path, .. } = error else { return false };
    request.files().any(|(_, file)| file == path)
}

/// Removes what was set aside of an interview that is done now.
pub(super) fn forget_failure(out: &Path, request: &Request, recipe: &Recipe) {
    // What stays is hidden and in nobody's way: no reason to fail an interview whose tables are written.
    if let Err(error) = (InterviewFiles { out, tables: &pipeline::table_names(recipe) }).forget(&request.interview_id) {
        tracing::warn!("{}: what an earlier failure set aside is still there: {}", request.interview_id, error.chain());
    }
}

/// Removes the folders of what was set aside that are empty now; at the end of a run, when nobody sets anything aside.
pub(super) fn tidy(out: &Path, recipe: &Recipe) {
    InterviewFiles { out, tables: &pipeline::table_names(recipe) }.tidy();
}
