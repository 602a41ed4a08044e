//! Arguments of `turnwise init`.

use super::*;

/// `turnwise init`.
#[derive(Debug, Args)]
pub struct Init {
    /// Folder of recordings and transcripts; the folders in it are looked into.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Where the manifest is written; a file that is there is never written over. Default: DIR/corpus.csv.
    #[arg(long, value_name = "FILE.csv", value_hint = ValueHint::FilePath)]
    pub to: Option<PathBuf>,
    /// Take only files of these suffixes for transcripts (srt,eaf), where several lie beside each recording.
    #[arg(long, value_name = "SUFFIX", value_delimiter = ',')]
    pub transcripts: Vec<String>,
    /// Take only files of these suffixes for recordings (mp4,wav), where several lie beside each other.
    #[arg(long, value_name = "SUFFIX", value_delimiter = ',')]
    pub media: Vec<String>,
    /// Show what would be written, and write nothing.
    #[arg(long)]
    pub preview: bool,
}
