//! `turnwise check` and `turnwise tasks`: an annotation set and what is made from it.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use turnwise::corpus;
use turnwise::export;
use turnwise::store::folder::OutputFolder;
use turnwise::store::read::read_columns;
use turnwise::tasks::{self, Media, Selection, TaskRequest, write_task_tables};
use turnwise::transcript::rescue::read_samples_leniently;

use super::{SOME_FAILED, must_be_there, print};
use crate::cli::{Check, Samples, Tasks};

/// Checks annotations; exit 1 when something is to be corrected.
pub fn check(args: &Check) -> Result<ExitCode> {
    let (samples, dropped) = read_samples_leniently(&args.annotations)?;
    let samples = selection(&args.samples)?.apply(samples)?;
    let media = args.media.as_deref().map(media).transpose()?;
    let findings = tasks::check(&samples, &dropped, media.as_ref());
    let mut text = findings.text;
    if let Some(out) = args.media.as_deref().filter(|path| path.is_dir()) {
        text.push_str(&export::cue_counts(out, &samples)?);
    }
    print(&text)?;
    Ok(if findings.problems == 0 { ExitCode::SUCCESS } else { ExitCode::from(SOME_FAILED) })
}

/// The samples that were asked for.
pub fn selection(args: &Samples) -> Result<Selection> {
    Ok(Selection::new(args.samples.as_deref(), args.max_samples.map(|n| n as usize))?)
}

/// The interviews with media, of a manifest or of an output folder.
fn media(path: &Path) -> Result<Media> {
    if corpus::is_manifest(path) {
        let requests = corpus::read_manifest(path)?;
        let there = |file: &Option<std::path::PathBuf>| file.as_ref().is_some_and(|f| f.is_file());
        for request in requests.iter().filter(|r| r.media.is_some() && !there(&r.media)) {
            tracing::warn!("{}: the manifest names {}, which is not there", request.interview_id, request.media_name);
        }
        return Ok(requests
            .into_iter()
            .filter(|r| there(&r.media) || there(&r.audio))
            .map(|r| (r.interview_id, None))
            .collect());
    }
    let mut media = Media::new();
    for file in OutputFolder::new(path).files("interviews")? {
        let row = read_columns(&file.path, &["status", "duration_secs"])?;
        // An interview without a decoded second was made from its transcript alone.
        if let Some(duration) = row.number("duration_secs", 0).filter(|_| row.text("status", 0) == Some("done")) {
            media.insert(file.name, Some(duration));
        }
    }
    Ok(media)
}

/// Writes the task tables; tells how many instances each has.
pub fn tasks(args: &Tasks) -> Result<String> {
    must_be_there(&args.out)?;
    let selection = selection(&args.samples)?;
    let request = TaskRequest {
        out: &args.out,
        tasks: &args.tasks,
        annotations: args.annotations.as_deref(),
        selection: &selection,
        clips: args.clips.as_deref(),
        lenient: args.lenient,
        mixed: args.mixed,
        writer: args.tables.writer(),
    };
    Ok(write_task_tables(&request)?)
}
