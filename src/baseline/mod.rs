//! Baselines: how far simple models get on a task's table, by the task's own metrics; folds part no couple or family.
//!
//! ```text
//! task table ── instances ── question: closed set, right answers, metrics, in parts with sets of their own
//!                                │  folds by group
//!                  models: majority · prior · linear for each modality ── design, fitted in the fold ── linear (linfa)
//!                                │
//!       evaluate: predictions read ──┐
//!                  metrics by group ── interval: bootstrap over groups ── report: text, metrics.json, predictions
//! ```
//!
//! Everything is decided by the seed; the same table and seed give the same bytes.

mod breakdown;
mod confusion;
mod design;
mod evaluate;
mod folds;
mod instances;
mod interval;
mod linear;
mod metrics;
mod models;
mod notes;
mod question;
mod report;
mod run;
mod scored;
mod trial;

pub use breakdown::{Breakdown, ConfusionTable, Share};
pub use evaluate::{EvaluateRequest, Unanswered, chrf, evaluation_outcomes, token_f1, write_evaluation};
pub use instances::Ablation;
pub use interval::{Estimate, Resampling};
pub use metrics::{Metric, ModelAnswer, Scoring, Truth};
pub use report::predictions_schema;
pub use run::{BaselineRequest, write_baselines};
pub use scored::{Difference, Outcome};
pub use trial::{Settings, Trial, trial};
