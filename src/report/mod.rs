//! `turnwise report`: an output folder as pages that a browser opens from a file, without a network.
//!
//! ```text
//! tables ── source ─┬─ timeline ── strip (frame-level signals)   ┐
//!                   ├─ pairs (dyads, synchrony)                  ├─ interview ── page: interviews/<id>.html
//!                   └─ spread (turns by speaker)                 ┘
//! rows of `interviews` ── corpus ── page: index.html
//! two folders ── compare ── lines of text
//! ```
//!
//! A page carries its numbers as JSON and is drawn in the browser by `assets/` with uPlot, which lies in `vendor/` with
//! its licence. Nothing of a table becomes markup: names and words are set as text, and the page's own policy
//! (Content-Security-Policy) lets no script run but its own and nothing be fetched.

mod compare;
mod corpus;
mod interview;
mod media;
mod page;
mod pairs;
mod plot;
mod source;
mod spread;
mod strip;
mod timeline;

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::store::folder::OutputFolder;
use crate::store::paths::check_interview_id;
use crate::store::whole::write_text;
use crate::text::counted;

pub use compare::compare;
use corpus::Row;
pub use plot::{Figure, PlotRequest, plot};
use source::Source;

/// What is to be told, and where.
#[derive(Clone, Copy, Debug)]
pub struct ReportRequest<'a> {
    /// The folder that extract wrote.
    pub out: &'a Path,
    /// Folder for `index.html` and `interviews/<id>.html`.
    pub to: &'a Path,
    /// Where the media lie whose names the tables tell; without it they are looked for beside the pages.
    pub media: Option<&'a Path>,
}

/// Writes a page for each interview and the index; tells where it is and how many there are.
///
/// What one interview lacks (a failure, a damaged table) is told on its page and in the index, and costs no other page.
///
/// # Errors
/// [`Error::Usage`] for a folder without interviews, [`Error::Read`] for one that cannot be listed, [`Error::Write`] for
/// a page.
pub fn write_report(request: &ReportRequest<'_>) -> Result<String> {
    let rows = corpus::rows(&OutputFolder::new(request.out))?;
    if rows.is_empty() {
        return Err(Error::Usage {
            what: format!("{} holds no interviews", request.out.display()),
            hint: "name a folder that `turnwise extract --out` wrote".into(),
        });
    }
    let mut told = Vec::with_capacity(rows.len());
    for row in rows {
        told.push(write_interview(request, row)?);
    }
    let index = request.to.join("index.html");
    write_text(&index, &page::index(&told)?)?;
    let failed = told.iter().filter(|t| t.status != "done").count();
    let failed = if failed == 0 { String::new() } else { format!(", {failed} of them not done") };
    Ok(format!("{}\n{}{failed}\n", index.display(), counted(told.len(), "interview")))
}

fn write_interview(request: &ReportRequest<'_>, row: Row) -> Result<corpus::Told> {
    let page = page_path(request.to, &row.id)?;
    let source = Source::read(request.out, row)?;
    let mut interview = interview::interview(&source);
    interview.up = "../".repeat(row_depth(&source.row.id));
    interview.media_url = media::url(source.row.text("media"), &page, request);
    let text = page::interview(&interview)?;
    write_text(&page, &text)?;
    Ok(corpus::told(&source))
}

/// Folders between a page and the index.
fn row_depth(id: &str) -> usize {
    1 + id.matches('/').count()
}

/// `to/interviews/<id>.html`: in a folder of its own, as an interview may be called `index`.
fn page_path(to: &Path, id: &str) -> Result<PathBuf> {
    check_interview_id(id)?;
    let mut path = to.join("interviews");
    path.extend(id.split('/'));
    let mut whole = path.into_os_string();
    whole.push(".html");
    Ok(PathBuf::from(whole))
}
