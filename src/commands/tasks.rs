//! `turnwise check`: an annotation set and what is made from it.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use turnwise::corpus;
use turnwise::output::folder::OutputFolder;
use turnwise::output::read::read_columns;
use turnwise::tasks::{self, Media};
use turnwise::transcript::rescue::read_samples_leniently;

use super::{SOME_FAILED, print};
use crate::cli::Check;

/// Checks annotations; exit 1 when something is to be corrected.
pub fn check(args: &Check) -> Result<ExitCode> {
    let (samples, dropped) = read_samples_leniently(&args.annotations)?;
    let media = args.media.as_deref().map(media).transpose()?;
    let found = tasks::check(&samples, &dropped, media.as_ref());
    print(&found.text)?;
    Ok(if found.problems == 0 { ExitCode::SUCCESS } else { ExitCode::from(SOME_FAILED) })
}

/// The interviews with media, of a manifest or of an output folder.
fn media(path: &Path) -> Result<Media> {
    if corpus::is_manifest(path) {
        let requests = corpus::read_manifest(path)?;
        let there = |file: &Option<std::path::PathBuf>| file.as_ref().is_some_and(|f| f.is_file());
        return Ok(requests.into_iter().filter(|r| there(&r.media) || there(&r.audio)).map(|r| (r.interview_id, None)).collect());
    }
    let mut media = Media::new();
    for file in OutputFolder::new(path).files("interviews")? {
        let row = read_columns(&file.path, &["status", "duration_secs"])?;
        // An interview without a decoded second was made from its transcript alone.
        if let Some(duration) = row.number("duration_secs", 0).filter(|_| row.text("status", 0) == Some("done")) {
            media.insert(file.interview_id, Some(duration));
        }
    }
    Ok(media)
}
