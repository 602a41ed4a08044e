//! Interviews that are in the folder and no longer in the manifest.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::pipeline::{self, Request};
use crate::recipe::Recipe;
use crate::spelling::folded;
use crate::store::interview_files::InterviewFiles;

/// What is done about interviews that are in the folder and not in the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unlisted {
    /// Nothing: the run was given one file, and says nothing of the others.
    #[default]
    Ignored,
    /// They are told.
    Told,
    /// Their files are removed.
    Pruned,
}

/// Interviews that are in the folder and not in the run, sorted; files that this program did not make are none.
///
/// # Errors
/// [`Error::Read`] for a folder that cannot be listed.
pub(super) fn unlisted(out: &Path, requests: &[Request], recipe: &Recipe) -> Result<Vec<String>> {
    // As a disk may have written them: nobody's tables go because their accents came back in another form.
    let listed: BTreeSet<String> = requests.iter().map(|r| folded(&r.interview_id)).collect();
    let mut there = InterviewFiles { out, tables: &pipeline::table_names(recipe) }.interviews()?;
    there.retain(|id| !listed.contains(&folded(id)));
    let files = InterviewFiles { out, tables: &pipeline::table_names(recipe) };
    let mut ours = Vec::new();
    for id in there {
        if files.are_ours(&id)? {
            ours.push(id);
        } else {
            tracing::warn!(
                "{}: the files called {id} were not made by this program; they are left alone",
                out.display()
            );
        }
    }
    Ok(ours)
}

/// Refuses a run that would remove what it is made from.
///
/// # Errors
/// [`Error::Usage`] naming the file.
pub(super) fn keep_needed(out: &Path, requests: &[Request], recipe: &Recipe) -> Result<()> {
    let tables = pipeline::table_names(recipe);
    let files = InterviewFiles { out, tables: &tables };
    let needed: BTreeSet<PathBuf> =
        requests.iter().flat_map(Request::files).filter_map(|(_, p)| p.canonicalize().ok()).collect();
    for id in unlisted(out, requests, recipe)? {
        if let Some(input) =
            files.places(&id)?.into_iter().find(|p| p.canonicalize().is_ok_and(|p| needed.contains(&p)))
        {
            let what = format!(
                "{} belongs to {id}, which is not in the manifest, and is an input of one that is",
                input.display()
            );
            return Err(Error::Usage { what, hint: "copy the file out of the output folder before --prune".into() });
        }
    }
    Ok(())
}

/// Removes all files of interviews; other files are not touched.
///
/// # Errors
/// [`Error::Write`] for one that cannot be removed.
pub(super) fn prune(out: &Path, ids: &[String], recipe: &Recipe) -> Result<()> {
    let tables = pipeline::table_names(recipe);
    ids.iter().try_for_each(|id| InterviewFiles { out, tables: &tables }.remove(id).map(|_| ()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_in_the_run_goes_and_nothing_of_others() {
        let root = tempfile::tempdir().unwrap();
        let (out, recipe) = (root.path(), Recipe::default());
        let files = [
            "interviews/a.parquet",
            "turns/a.parquet",
            "turns/b/c.parquet",
            "timings/b/c.json",
            "rttm/d.rttm",
            "timings/d.json",
            "turns/all.parquet",
            "rttm/hand.rttm",
            "tasks/t.parquet",
            "mine/e.parquet",
        ];
        for file in files {
            std::fs::create_dir_all(out.join(file).parent().unwrap()).unwrap();
            std::fs::write(out.join(file), "x").unwrap();
        }
        let mut requests =
            vec![Request { interview_id: "a".into(), rttm: Some(out.join("rttm/d.rttm")), ..Request::default() }];
        let ids = unlisted(out, &requests, &recipe).unwrap();
        assert_eq!(ids, ["b/c", "d"]);
        let e = keep_needed(out, &requests, &recipe).unwrap_err().to_string();
        assert!(e.contains("d.rttm belongs to d"), "{e}");
        requests[0].rttm = None;
        keep_needed(out, &requests, &recipe).unwrap();
        prune(out, &ids, &recipe).unwrap();
        let left: Vec<&str> = files.into_iter().filter(|f| out.join(f).exists()).collect();
        let of_others = ["turns/all.parquet", "rttm/hand.rttm", "tasks/t.parquet", "mine/e.parquet"];
        assert_eq!(left[..2], ["interviews/a.parquet", "turns/a.parquet"]);
        assert_eq!(left[2..], of_others);
        assert!(unlisted(out, &requests, &recipe).unwrap().is_empty());
    }
}
