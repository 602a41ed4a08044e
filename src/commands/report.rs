//! `turnwise report`: pages of an output folder.

use anyhow::Result;
use turnwise::report::{ReportRequest, compare, write_report};

use super::must_be_there;
use crate::cli::Report;

/// Writes the pages, and tells where the index is; or tells how two runs differ.
pub fn run(args: &Report) -> Result<String> {
    if let [first, second] = args.compare.as_slice() {
        must_be_there(first)?;
        must_be_there(second)?;
        return Ok(compare(first, second)?);
    }
    let out = args.out.clone().unwrap_or_default();
    must_be_there(&out)?;
    let to = args.to.clone().unwrap_or_else(|| out.join("report"));
    Ok(write_report(&ReportRequest { out: &out, to: &to, media: args.media.as_deref() })?)
}
