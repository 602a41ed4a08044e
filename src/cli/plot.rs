//! Arguments of `turnwise plot`.

use super::*;

/// `turnwise plot`.
#[derive(Debug, Args)]
pub struct Plot {
    /// The folder that extract wrote.
    #[arg(value_name = "OUT", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Which interview.
    #[arg(long, value_name = "ID")]
    pub interview: String,
    /// Which figure.
    #[arg(long, value_enum)]
    pub what: What,
    /// The file that is written: .svg, with text as text, or .png, in the fonts that this machine has. What has no value
    /// is hatched grey, and never drawn as 0; colours are told apart by the colour-blind. The same tables give the same
    /// file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub to: PathBuf,
}

/// A figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum What {
    /// Turns by speaker, voices, overlaps, pitch, level, and the smile of each person, over time.
    Timeline,
    /// Matrices of who takes the turn after whom, interrupts and smiles at whom, with the number of turns.
    Dyads,
    /// Correlation of two people's signals by lag, with what 95 of 100 surrogates lie between.
    Synchrony,
}
