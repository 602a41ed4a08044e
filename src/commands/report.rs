//! `turnwise report`: pages of an output folder.

use anyhow::Result;
use turnwise::report::{ReportRequest, write_report};

use super::must_be_there;
use crate::cli::Report;

/// Writes the pages; tells where the index is.
pub fn run(args: &Report) -> Result<String> {
    must_be_there(&args.out)?;
    let to = args.to.clone().unwrap_or_else(|| args.out.join("report"));
    Ok(write_report(&ReportRequest { out: &args.out, to: &to, media: args.media.as_deref() })?)
}
