//! Arguments of `turnwise report`.

use super::*;

/// `turnwise report`.
#[derive(Debug, Args)]
pub struct Report {
    /// The folder that extract wrote.
    #[arg(value_name = "OUT", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Folder for index.html and one page an interview, `interviews/<interview>.html`. Default: OUT/report.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub to: Option<PathBuf>,
    /// Where the media lie, by the names that the manifest gave them: pages then play turns. Pages name them by the way
    /// from page to file, never by their place on this machine. Default: beside index.html.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub media: Option<PathBuf>,
}
