//! Arguments of `turnwise report`.

use super::*;

/// `turnwise report`.
#[derive(Debug, Args)]
pub struct Report {
    /// The folder that extract wrote.
    #[arg(value_name = "OUT", value_hint = ValueHint::DirPath, required_unless_present = "compare")]
    pub out: Option<PathBuf>,
    /// Write no page, but tell how a second run differs from a first one of the same corpus (another recipe, version or
    /// model): what changed by column and interview, largest first.
    #[arg(long, num_args = 2, value_names = ["FIRST", "SECOND"], value_hint = ValueHint::DirPath, conflicts_with_all = ["out", "to", "media"])]
    pub compare: Vec<PathBuf>,
    /// Folder for index.html and one page an interview, `interviews/<interview>.html`. Default: OUT/report.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub to: Option<PathBuf>,
    /// Where the media lie, by the names that the manifest gave them: pages then play turns. Pages name them by the way
    /// from page to file, never by their place on this machine. Default: beside index.html.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub media: Option<PathBuf>,
}
