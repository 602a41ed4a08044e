//! Tasks: the instances of RESCUE-bench's six tasks, their tables with our features, and the check of an annotation set.
//!
//! ```text
//! Sample ─┬─ check: what the annotations hold, and what is wrong with them
//!         └─ rescue: instances ─┬─ table: labels, candidates, context, features up to the cut-off
//!              turns, dyads … ──┴─ features: globs, the leak check
//! ```
//!
//! Label fields of the annotations become labels and nothing else; features come from the tables of an output folder alone.

mod check;
mod emotion;
mod features;
mod intervention;
mod relation;
mod rescue;
mod sampling;
mod settings;
mod support;
mod table;
mod target;
mod viewpoint;

pub use check::{Findings, Media, check};
pub use features::{FeatureSet, SampleFeatures, TABLES};
pub use rescue::{Emotion, Instance, Viewpoint, instances};
pub use settings::{Evidence, Rule, Task, read_tasks};
pub use table::task_table;
