//! What a run would do, for schedulers that spread it over machines.

use std::path::PathBuf;

use super::lock::lock;
use super::place::prepare;
use super::run::{RunSettings, already};
use super::status::media_bytes;
use crate::error::{Error, Result};
use crate::inference::Registry;
use crate::pipeline::{self, Request};
use crate::recipe::Recipe;

/// What a run would do.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Plan {
    /// Names of the tables of an interview, whether it has rows for them or not; folders of the output folder.
    pub tables: Vec<&'static str>,
    /// Ids of the interviews that are done and would be skipped, in the manifest's order.
    pub done: Vec<String>,
    /// Those that would be worked on, in the manifest's order.
    pub left: Vec<Planned>,
}

/// An interview that a run would work on.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Planned {
    /// Key of the tables.
    pub interview_id: String,
    /// Bytes of its media and its sound; 0 where they are not there.
    pub bytes: u64,
    /// Its input files, as this machine reaches them.
    pub files: Vec<PathBuf>,
}

/// Looks at an output folder as a run does before its work, and does none of it.
///
/// # Errors
/// Those of [`super::run`] before any work: a folder that another run writes into, or that the interviews cannot be
/// written into.
pub fn plan(requests: &[Request], recipe: &Recipe, registry: &Registry, settings: &RunSettings<'_>) -> Result<Plan> {
    std::fs::create_dir_all(settings.out).map_err(|e| Error::write(settings.out, e))?;
    let _alone = lock(settings.out, settings.shard)?;
    let metadata = pipeline::file_metadata(recipe, registry)?;
    prepare(settings.out, requests, recipe, settings.writer)?;
    let mut plan = Plan { tables: pipeline::table_names(recipe), ..Plan::default() };
    for (request, seen) in requests.iter().zip(already(requests, recipe, &metadata, settings)) {
        let id = request.interview_id.clone();
        let is_done = || pipeline::is_done(settings.out, request, recipe, &metadata, settings.verify);
        if seen.is_some() || !settings.force && is_done() {
            plan.done.push(id);
        } else {
            let files = request.files().map(|(_, path)| path.clone()).collect();
            plan.left.push(Planned { interview_id: id, bytes: media_bytes(request), files });
        }
    }
    Ok(plan)
}

/// The interviews of these ids, in the manifest's order.
///
/// # Errors
/// [`Error::Usage`] for an id that the manifest does not have.
pub fn only(mut requests: Vec<Request>, ids: &[String]) -> Result<Vec<Request>> {
    let wanted: std::collections::HashSet<&str> = ids.iter().map(String::as_str).collect();
    let known: std::collections::HashSet<&str> = requests.iter().map(|r| r.interview_id.as_str()).collect();
    if let Some(unknown) = ids.iter().find(|id| !known.contains(id.as_str())) {
        let near = crate::spelling::meant(unknown, known.iter().copied());
        return Err(Error::Usage {
            what: format!("the manifest has no interview {unknown:?}{near}"),
            hint: "give ids as the column interview_id writes them".into(),
        });
    }
    requests.retain(|r| wanted.contains(r.interview_id.as_str()));
    Ok(requests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_are_not_in_the_manifest_are_refused() {
        let all = || ["a", "b", "c"].map(|id| Request { interview_id: id.into(), ..Request::default() }).to_vec();
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let kept = only(all(), &ids(&["c", "a"])).unwrap();
        assert_eq!(kept.iter().map(|r| r.interview_id.as_str()).collect::<Vec<_>>(), ["a", "c"]);
        let e = only(all(), &ids(&["a", "d"])).unwrap_err().to_string();
        assert!(e.contains("no interview \"d\""), "{e}");
    }
}
