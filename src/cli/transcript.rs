//! Arguments of `turnwise export transcript`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use turnwise::export::{Part, TranscriptFormat};

use super::*;

/// `turnwise export transcript`.
#[derive(Debug, Args)]
pub struct ExportTranscript {
    /// The folder that extract wrote.
    #[arg(value_name = "OUT", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// srt, vtt, csv: turns; textgrid, eaf: turns, and what --with names in tiers of its own; rttm: diarized speech.
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub format: TranscriptFormat,
    /// Folder for one file an interview, `<interview>.<suffix>`.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub to: PathBuf,
    /// Only this interview; may be repeated. Without it all that are there.
    #[arg(long, value_name = "ID")]
    pub interview: Vec<String>,
    /// What stands beside the turns in textgrid and eaf. Default: all of it that there is.
    #[arg(long, value_name = "PART", value_delimiter = ',', value_parser = parts())]
    pub with: Vec<Part>,
    /// Write over files that are there and hold something else: corrections made in them are lost.
    #[arg(long)]
    pub overwrite: bool,
}

fn formats() -> impl TypedValueParser<Value = TranscriptFormat> {
    let known = PossibleValuesParser::new(TranscriptFormat::ALL.iter().map(|f| f.name()));
    known.map(|name| TranscriptFormat::named(&name).unwrap_or(TranscriptFormat::Eaf))
}

fn parts() -> impl TypedValueParser<Value = Part> {
    let known = PossibleValuesParser::new(Part::ALL.iter().map(|p| p.name()));
    known.map(|name| Part::named(&name).unwrap_or(Part::Words))
}
