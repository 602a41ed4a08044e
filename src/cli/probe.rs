//! `turnwise probe`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::RecipeArgs;

/// `turnwise probe`.
#[derive(Debug, Args)]
pub struct Probe {
    /// A recording or a transcript; its content decides which.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub input: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Decode a recording of more than a minute too: durations, rates and counts as they are, beside those declared.
    #[arg(long)]
    pub decode: bool,
    /// Which sample of a RESCUE-bench file of several.
    #[arg(long, value_name = "ID")]
    pub sample_id: Option<String>,
    /// How streams are chosen and transcripts read: the recipe's section `input`.
    #[command(flatten)]
    pub recipe: RecipeArgs,
}
