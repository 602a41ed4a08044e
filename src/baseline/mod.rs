//! Baselines: how far simple models get on a task's table, by the task's own metrics; folds part no couple or family.
//!
//! ```text
//! task table ── instances ── question: closed set, right answers, metrics, in parts with sets of their own
//!                                │  folds by group, trial: folds by jobs
//!          models: majority · prior · learners: linear for each modality, ordinal ── design, fitted in the fold
//!                │  boosted: trees (forust) · fusion of the modalities      │ problem: rows and targets of a fold
//!                │                                              linear (linfa), ordinal (cumulative logit)
//!       evaluate: predictions read ──┐
//!                  metrics by group ── interval: bootstrap over groups ── report: text, metrics.json, predictions
//!                  calibration · importance of columns to the trees ── scripts: the benchmark's replies
//! ```
//!
//! Everything is decided by the seed; the same table and seed give the same bytes.

mod boosted;
mod breakdown;
mod calibration;
mod confusion;
mod design;
mod evaluate;
mod folds;
mod fusion;
#[cfg(test)]
mod held_out;
mod importance;
mod instances;
mod interval;
mod learners;
mod linear;
mod metrics;
mod models;
mod notes;
mod ordinal;
mod problem;
mod question;
mod report;
mod run;
mod scored;
mod scripts;
mod trees;
mod trial;

pub use breakdown::{Breakdown, ConfusionTable, Share};
pub use calibration::{Calibration, ReliabilityBin};
pub use evaluate::{EvaluateRequest, Unanswered, chrf, evaluation_outcomes, token_f1, write_evaluation};
pub use importance::Importance;
pub use instances::Ablation;
pub use interval::{Estimate, Resampling};
pub use metrics::{Metric, ModelAnswer, Scoring, Truth};
pub use report::predictions_schema;
pub use run::{BaselineRequest, write_baselines};
pub use scored::{Difference, Outcome};
pub use trial::{Settings, Trial, trial};
