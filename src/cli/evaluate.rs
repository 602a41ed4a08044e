//! The grammar of `turnwise evaluate`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// `turnwise evaluate`.
#[derive(Debug, Args)]
pub struct Evaluate {
    /// The labels: the folder of task tables, which is the subfolder tasks of what extract wrote, or the benchmark's
    /// er.jsonl or vp.jsonl.
    #[arg(value_name = "OUT/tasks", value_hint = ValueHint::AnyPath)]
    pub labels: PathBuf,
    /// Name of a task table; er or vp for the benchmark's files.
    #[arg(long, value_name = "NAME")]
    pub task: String,
    /// The predictions: replies or result files of the benchmark's scripts (JSON, JSONL), a folder of them, lines of
    /// export jsonl with a field answer, what baseline wrote, or CSV with the columns id and label.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub predictions: PathBuf,
    /// Other predictions: tell by how much the first are better, over the same instances and resamples.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub against: Option<PathBuf>,
    /// What an instance without a prediction counts as.
    #[arg(long, value_name = "HOW", value_enum, default_value = "wrong")]
    pub unanswered: Unanswered,
    /// Resamples of the groups for the 95 % intervals.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(100..=100_000))]
    pub resamples: u32,
    /// Seed of the resamples: the same seed gives the same bytes.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Folder for evaluation.json: the figures overall and of each part, couple or family and sample, the confusion
    /// tables, and what was answered to each instance. Without it nothing is written.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub to: Option<PathBuf>,
}

/// What an instance without a prediction counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Unanswered {
    /// Answered wrongly; of numbers the lowest score of the intensity match, and left out of errors and correlations.
    Wrong,
    /// Nothing: the metrics are of the answered instances alone.
    LeftOut,
}
