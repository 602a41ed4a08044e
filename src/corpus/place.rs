//! The output folder before a run: swept, and looked at for whether the run's interviews can be written into it.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::lock::LOCK;
use super::names::Names;
use crate::error::{Error, Result};
use crate::pipeline::{self, Request};
use crate::recipe::Recipe;
use crate::store::Writer;
use crate::store::interview_files::{InterviewFiles, SUPERSEDED};
use crate::store::paths::STAGES;
use crate::store::sweep::sweep;

/// Longest path that Linux takes, and what the names of unfinished and superseded files need beside a table's.
const PATH_BYTES: usize = 4095;
const ROOM_BYTES: usize = 64;

/// Ids told of several.
const NAMED: usize = 5;

/// To be called under the folder's lock, before any work: removes what a killed run left unfinished, and refuses what
/// could only go wrong.
///
/// # Errors
/// [`Error::Usage`] for a folder of tables in another format, an id that differs from one in the folder in case alone,
/// a path too long for the system, an input that this run would write over; [`Error::Read`] and [`Error::Write`] for
/// the folder.
pub(super) fn prepare(out: &Path, requests: &[Request], recipe: &Recipe, writer: Writer) -> Result<()> {
    let tables = pipeline::table_names(recipe);
    let folders: Vec<&str> = tables.iter().copied().chain(["rttm", "timings", "tasks", SUPERSEDED, STAGES]).collect();
    let swept = sweep(out, &folders)?;
    if swept > 0 {
        tracing::info!("{}: {swept} unfinished files of a run that was ended are gone", out.display());
    }
    let files = InterviewFiles { out, tables: &tables };
    files.refuse_other_formats(writer.format())?;
    beside_the_others(&files, requests)?;
    short_enough(&files, requests)?;
    keep_inputs(&files, requests)?;
    tell_shared_media(requests);
    Ok(())
}

/// Interviews of earlier runs stay in the folder: a new one must not differ from one of them in case alone.
fn beside_the_others(files: &InterviewFiles<'_>, requests: &[Request]) -> Result<()> {
    let stored = files.interviews()?;
    let mut names = Names::default();
    for id in &stored {
        // The folder's own state is not this run's fault.
        let _ = names.add(id, "already in the folder");
    }
    for request in requests.iter().filter(|r| stored.binary_search(&r.interview_id).is_err()) {
        names.add(&request.interview_id, "in this run").map_err(|what| Error::Usage {
            what: format!("{what}, in {}", files.out.display()),
            hint: "write the id as it is there, or name another output folder".into(),
        })?;
    }
    Ok(())
}

fn short_enough(files: &InterviewFiles<'_>, requests: &[Request]) -> Result<()> {
    let out = std::path::absolute(files.out).map_err(|source| Error::Read { path: files.out.to_owned(), source })?;
    let whole = InterviewFiles { out: &out, tables: files.tables };
    // Paths are as much longer as ids are.
    if let Some(request) = requests.iter().max_by_key(|r| r.interview_id.len()) {
        let longest =
            whole.places(&request.interview_id)?.iter().map(|p| p.as_os_str().len()).max().unwrap_or_default();
        if longest + ROOM_BYTES > PATH_BYTES {
            let what = format!(
                "the files of {} in {} would have paths of {longest} bytes",
                request.interview_id,
                out.display()
            );
            let hint = format!("at most {} fit: name an output folder with a shorter path", PATH_BYTES - ROOM_BYTES);
            return Err(Error::Usage { what, hint });
        }
    }
    Ok(())
}

/// An input that is an output, of this interview or another one, would be lost or read half-way through.
fn keep_inputs(files: &InterviewFiles<'_>, requests: &[Request]) -> Result<()> {
    let Ok(out) = files.out.canonicalize() else { return Ok(()) };
    let whole = InterviewFiles { out: &out, tables: files.tables };
    let real = |request: &Request| request.files().filter_map(|(_, input)| input.canonicalize().ok()).collect();
    let inputs: Vec<Vec<PathBuf>> = requests.par_iter().map(real).collect();
    if !inputs.iter().flatten().any(|input| input.starts_with(&out)) {
        return Ok(());
    }
    let mut written: HashMap<PathBuf, &str> = HashMap::new();
    for request in requests {
        written.extend(whole.places(&request.interview_id)?.into_iter().map(|p| (p, request.interview_id.as_str())));
    }
    for (request, inputs) in requests.iter().zip(inputs) {
        for input in inputs {
            if let Some(id) = written.get(&input) {
                let what = format!(
                    "{} is an input of {} and would be written over by {id}",
                    input.display(),
                    request.interview_id
                );
                return Err(Error::Usage {
                    what,
                    hint: "name another output folder, or copy the file out of it".into(),
                });
            }
        }
    }
    Ok(())
}

/// One film under two ids is one couple in two folds, or a slip in the manifest.
fn tell_shared_media(requests: &[Request]) {
    let mut by_file: BTreeMap<PathBuf, Vec<&str>> = BTreeMap::new();
    for request in requests {
        if let Some(file) = request.media.as_ref().and_then(|m| m.canonicalize().ok()) {
            by_file.entry(file).or_default().push(&request.interview_id);
        }
    }
    for (file, ids) in by_file.iter().filter(|(_, ids)| ids.len() > 1) {
        let more = if ids.len() > NAMED { ", …" } else { "" };
        tracing::warn!(
            "{} is the media of {} interviews: {}{more}",
            file.display(),
            ids.len(),
            ids[..ids.len().min(NAMED)].join(", ")
        );
    }
}

/// False once the output folder was moved, deleted or unmounted: a file written there now would make another folder of
/// its name.
pub(super) fn is_there(out: &Path) -> bool {
    out.join(LOCK).is_file()
}

/// What is told then.
pub(super) fn gone(out: &Path) -> Error {
    Error::write(out, "the folder is no longer there: it was moved, deleted or unmounted while the run wrote into it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(id: &str) -> Request {
        Request { interview_id: id.into(), ..Request::default() }
    }

    fn put(out: &Path, name: &str) -> PathBuf {
        let path = out.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "x").unwrap();
        path
    }

    #[test]
    fn what_could_only_go_wrong_is_refused_before_any_work() {
        let root = tempfile::tempdir().unwrap();
        let out = root.path();
        put(out, "turns/Ann.parquet");
        let unfinished = put(out, "turns/.turnwise-a1B2c3.tmp");
        let rttm = put(out, "rttm/ben.rttm");
        let told = |requests: &[Request]| {
            prepare(out, requests, &Recipe::default(), Writer::default()).unwrap_err().to_string()
        };
        assert!(told(&[request("ann")]).contains("\"ann\" differs from \"Ann\" (already in the folder) only in case"));
        assert!(!unfinished.exists());
        let other = Request { rttm: Some(rttm), ..request("carl") };
        assert!(
            told(&[other.clone(), request("ben")]).contains("is an input of carl and would be written over by ben")
        );
        // A file of an interview that is not of this run stays as it is, and may be read.
        prepare(out, &[other, request("Ann"), request("Ann/b")], &Recipe::default(), Writer::default()).unwrap();

        let deep = out.join(["d".repeat(200).as_str(); 18].join("/"));
        std::fs::create_dir_all(&deep).unwrap();
        let long = [["i".repeat(199).as_str(); 2].join("/"), "j".repeat(150)].join("/");
        let e = prepare(&deep, &[request(&long)], &Recipe::default(), Writer::default()).unwrap_err().to_string();
        assert!(e.contains("would have paths of 4") && e.contains("a shorter path"), "{e}");
        prepare(&deep, &[request("short")], &Recipe::default(), Writer::default()).unwrap();
    }
}
