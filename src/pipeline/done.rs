//! Whether an interview is done, and what is kept to know it: `timings/<interview_id>.json`, beside the data, written
//! last of all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::fingerprint::FileMark;
use super::glance::{Kept, Making, media_bytes};
use super::{Interview, Request, Timings, corrections, inputs};
use crate::error::{Error, Result};
use crate::recipe::{Recipe, short_hash};
use crate::store::parquet::FileMetadata;
use crate::store::{Format, paths, read, whole};
use crate::table::ColumnData;

/// Name of the speech turns among the outputs; the others have their table's.
pub(super) const RTTM: &str = "rttm";

/// What is kept of an interview that was written: the time it took, and every file that was read or written for it.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Record {
    #[serde(flatten)]
    timings: Timings,
    pub(super) interview_id: String,
    /// Recipe, models and version; `None` in records of versions that did not keep it.
    #[serde(default)]
    pub(super) made: Option<Making>,
    /// As in the interview's row.
    #[serde(default)]
    media_secs: Option<f64>,
    /// As in the interview's row.
    pub(super) request_hash: String,
    /// Of the names of the files that were asked for; see [`has_record`].
    #[serde(default)]
    names_hash: String,
    /// Of its corrections; empty where there were none.
    #[serde(default)]
    pub(super) corrections: String,
    /// By role: `media`, `transcript`, … `None` where one of them was a pipe.
    pub(super) inputs: Option<BTreeMap<String, FileMark>>,
    /// By table, `interviews` and `rttm` among them.
    pub(super) outputs: BTreeMap<String, FileMark>,
    /// Of the results that its stages keep; these may go at any time.
    #[serde(default)]
    stage_bytes: u64,
}

impl Record {
    /// What it tells of lengths, sizes and time.
    pub(super) fn kept(&self) -> Kept {
        Kept {
            media_secs: self.media_secs,
            spent_secs: self.timings.total_secs,
            media_bytes: media_bytes(self.inputs.as_ref()),
            written_bytes: self.outputs.values().map(|mark| mark.bytes).sum::<u64>() + self.stage_bytes,
        }
    }
}

/// Where the record lies. What a record says differs between machines and runs: it is no data.
fn record_path(out: &Path, id: &str) -> Result<PathBuf> {
    paths::timings_path(out, id)
}

/// The files of the output `name`, each with the name it is kept under: its own, and with an ending where a format
/// writes a second file.
pub(super) fn output_files(out: &Path, name: &str, id: &str) -> Result<Vec<(String, PathBuf)>> {
    if name == RTTM {
        return Ok(vec![(RTTM.to_owned(), paths::rttm_path(out, id)?)]);
    }
    let files = Format::files_of(&paths::table_path(out, name, id)?);
    let named = |(i, path)| (if i == 0 { name.to_owned() } else { format!("{name} ({i})") }, path);
    Ok(files.into_iter().enumerate().map(named).collect())
}

/// Keeps what was written under `names` (tables), and the RTTM.
///
/// # Errors
/// [`Error::Read`] for a file that is gone already, [`Error::Write`].
pub(super) fn keep(out: &Path, made: &Interview, metadata: &FileMetadata, names: &[&str]) -> Result<()> {
    let Interview { request, inputs, timings, .. } = made;
    let id = &request.interview_id;
    let mut outputs = BTreeMap::new();
    for name in names.iter().copied().chain([RTTM]) {
        let files = output_files(out, name, id)?;
        // What is not there any more must not be left out of what is looked for later.
        if files.is_empty() {
            let what = "the table was deleted while its interview was being written; run again";
            return Err(Error::write(out.join(name).join(id), what));
        }
        for (name, path) in files {
            outputs.insert(name, FileMark::written(&path)?);
        }
    }
    let media_secs = match made.row.column("duration_secs") {
        Some(ColumnData::F64(secs)) => secs.first().copied().filter(|secs| secs.is_finite()),
        _ => None,
    };
    let record = Record {
        timings: timings.clone(),
        interview_id: id.clone(),
        made: Some(Making::of(metadata)),
        media_secs,
        request_hash: inputs.request_hash().to_owned(),
        names_hash: names_hash(request),
        corrections: corrections::hash(&request.corrections),
        inputs: inputs.marks(),
        outputs,
        stage_bytes: made.stage_bytes,
    };
    write(out, &record)
}

/// Of the names of the request's files, without the folders they lie in.
fn names_hash(request: &Request) -> String {
    let names = request.files().map(|(column, path)| format!("{column}\0{}\n", super::told::file_name(path)));
    short_hash(names.collect::<String>().as_bytes())
}

/// True where the folder holds the record of an interview that was done from files of these names, whatever has become
/// of them since.
pub fn has_record(out: &Path, request: &Request) -> bool {
    // What cannot be read is no record.
    let record = read_record(out, &request.interview_id).ok().flatten();
    record.is_some_and(|record| record.names_hash == names_hash(request))
}

/// `None` where nothing was done yet.
pub(super) fn read_record(out: &Path, id: &str) -> Result<Option<Record>> {
    let path = record_path(out, id)?;
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::Read { path, source }),
    };
    let bad = |e: serde_json::Error| Error::parse(&path, e.line(), e.to_string(), "it is made anew");
    serde_json::from_slice(&text).map(Some).map_err(bad)
}

/// Makes an interview count as not done, before its tables are replaced.
///
/// # Errors
/// [`Error::Write`].
pub(super) fn forget(out: &Path, id: &str) -> Result<()> {
    let path = record_path(out, id)?;
    match std::fs::remove_file(&path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::write(path, e)),
        _ => Ok(()),
    }
}

fn write(out: &Path, record: &Record) -> Result<()> {
    let path = record_path(out, &record.interview_id)?;
    let text = serde_json::to_string_pretty(record).map_err(|e| Error::write(&path, e))?;
    whole::write_text(&path, &format!("{text}\n"))
}

/// True when the folder holds this interview: made from inputs of the same content with the same recipe, models and
/// version of the program, and every file that was written is there and what it was.
///
/// Sizes, times and both ends of long files are looked at, all of short inputs, and all of whatever has another time
/// than it had; with `verify` all of everything (see [`super::fingerprint`]).
pub fn is_done(out: &Path, request: &Request, recipe: &Recipe, metadata: &FileMetadata, verify: bool) -> bool {
    match why_not(out, request, recipe, metadata, verify) {
        Ok(None) => true,
        Ok(Some(why)) => {
            tracing::info!("{}: {why}", request.interview_id);
            false
        }
        // What cannot be read is not done: it is made anew.
        Err(e) => {
            tracing::info!("{}: {}", request.interview_id, e.chain());
            false
        }
    }
}

fn why_not(
    out: &Path,
    request: &Request,
    recipe: &Recipe,
    metadata: &FileMetadata,
    verify: bool,
) -> Result<Option<String>> {
    let id = &request.interview_id;
    let Some(mut record) = read_record(out, id)? else { return Ok(Some("not done yet".into())) };
    let row = read::read(&paths::table_path(out, "interviews", id)?)?;
    if record.interview_id != *id || row.text("interview_id", 0) != Some(id.as_str()) {
        return Ok(Some("what is there is another interview's".into()));
    }
    if row.text("status", 0) != Some("done") || row.text("request_hash", 0) != Some(record.request_hash.as_str()) {
        return Ok(Some("its row is not that of its tables".into()));
    }
    if row.schema().metadata != *metadata {
        return Ok(Some("it was done with another recipe, other models or another version".into()));
    }
    let mut outputs = BTreeMap::new();
    let mut names = super::table_names(recipe);
    names.push(RTTM);
    let mut files = Vec::new();
    for name in names {
        files.extend(output_files(out, name, id)?);
    }
    for (name, path) in files {
        let same = match record.outputs.get(&name) {
            Some(mark) if path.exists() => mark.still(&path, verify)?,
            Some(_) => return Ok(Some(format!("{} is gone", path.display()))),
            None if path.exists() => None,
            // A table there were no rows for.
            None => continue,
        };
        let Some(mark) = same else { return Ok(Some(format!("{} is not what was written", path.display()))) };
        outputs.insert(name, mark);
    }
    let Some(known) = &record.inputs else { return Ok(Some("an input was no file".into())) };
    let inputs = match inputs::still(known, request, recipe, verify)? {
        Some((marks, hash)) if hash == record.request_hash => Some(marks),
        _ => return Ok(Some("its inputs are others".into())),
    };
    let made = Some(Making::of(metadata));
    if inputs != record.inputs || outputs != record.outputs || made != record.made {
        // Files of the content known, with other times: next time they need not be read again.
        (record.inputs, record.outputs, record.made) = (inputs, outputs, made);
        if let Err(e) = write(out, &record) {
            tracing::debug!("{}", e.chain());
        }
    }
    Ok(None)
}
