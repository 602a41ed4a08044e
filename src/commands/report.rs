//! `turnwise report`: pages of an output folder; `turnwise plot`: one figure of an interview.

use anyhow::Result;
use turnwise::report::{self, Figure, PlotRequest, ReportRequest, compare, write_report};

use super::{must_be_there, print};
use crate::cli::{self, Report};

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

/// Draws a figure, and tells on standard error what is to be known of it besides.
pub fn plot(args: &cli::Plot) -> Result<()> {
    must_be_there(&args.out)?;
    let figure = match args.what {
        cli::What::Timeline => Figure::Timeline,
        cli::What::Dyads => Figure::Dyads,
        cli::What::Synchrony => Figure::Synchrony,
    };
    let request = PlotRequest { out: &args.out, interview: &args.interview, figure, to: &args.to };
    for told in report::plot(&request)? {
        tracing::warn!("{told}");
    }
    print(&format!("{}\n", args.to.display()))
}
