//! `turnwise pack`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// `turnwise pack`.
#[derive(Debug, Args)]
pub struct Pack {
    /// The folder that extract wrote. Packed are interviews that are done; the card lists those that failed.
    #[arg(value_name = "OUT", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// The data set's folder, not there yet or empty.
    #[arg(long, value_name = "DATASET", value_hint = ValueHint::DirPath)]
    pub to: PathBuf,
    /// A folder for each group below each table's, `turns/group-NAME/`.
    #[arg(long)]
    pub by_group: bool,
    /// Share of the interviews for validation. Couples and families stay together.
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    pub validation: f64,
    /// Share of the interviews for the test.
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    pub test: f64,
    /// Seed of the splits: the same seed gives the same bytes.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Go on where interviews were made by different recipes, models or versions.
    #[arg(long)]
    pub mixed: bool,
}
