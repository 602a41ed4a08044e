//! Tasks: the instances of RESCUE-bench's six tasks and of tasks with a table of labels, their tables with our features, and the check of an
//! annotation set.
//!
//! ```text
//! Sample ─┬─ check: what the annotations hold, and what is wrong with them
//!         └─ rescue: instances ─┬─ table: labels, candidates, evidence, context, features up to the cut-off
//!              turns, dyads … ──┼─ features: globs, the leak check
//! CSV, Parquet ── labels ───────┴─ labelled: the same for turns, ordered dyads and interviews of any corpus
//! ```
//!
//! Label fields of the annotations become labels and nothing else; features come from the tables of an output folder alone.

mod candidate_facts;
mod check;
mod emotion;
mod evidence;
mod features;
mod intervention;
mod labelled;
mod labels;
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
pub use labelled::{Interview, labelled_table};
pub use labels::{LabelTable, field_labels, read_labels};
pub use rescue::{Emotion, Instance, Viewpoint, instances};
pub use settings::{Answer, Evidence, Labels, Rule, Task, Unit, read_tasks};
pub use table::task_table;
