//! Tasks: the instances of RESCUE-bench's six tasks and of tasks with a table of labels, their tables with our
//! features, and the check of an annotation set.
//!
//! ```text
//! Sample ─┬─ check: what the annotations hold, and what is wrong with them
//!         └─ rule: instances ───┬─ table: labels, candidates, evidence, context, features up to the cut-off
//!              turns, dyads … ──┼─ features: globs, the leak check
//!              tiers ─── coded ─┤
//! CSV, Parquet, tiers ── labels ───────┴─ labelled: the same for turns, ordered dyads and interviews of any corpus
//! ```
//!
//! Label fields of the annotations become labels and nothing else; features come from the tables of an output folder
//! alone.

mod candidate_facts;
mod check;
mod choices;
mod clips;
mod coded;
mod definitions;
mod evidence;
mod features;
mod labelled;
mod labels;
mod levels;
mod released;
mod rescue;
mod rule;
mod run;
mod sampling;
mod schemas;
mod selection;
mod settings;
mod table;
mod target;
mod tier_labels;

pub use check::{Findings, Media, check};
pub use choices::{DialogueWords, Taxonomy};
pub use clips::{Clips, RowClip};
pub use definitions::Definitions;
pub use evidence::Evidence;
pub use features::{FeatureSet, FeatureTable, SampleFeatures};
pub use released::{Released, read_released, released_line};
pub use rescue::{GoldViewpoint, Instance, KnownEmotion, group_of, instances};
pub use rule::{AnswerKind, Candidates, LABELS, Metrics, RULES, RuleSpec, released_rules};
pub use run::{TaskRequest, write_task_tables};
pub use schemas::schemas;
pub use selection::Selection;
pub use settings::{LabelUnit, Labels, Task, Whose, read_tasks};
pub use table::task_table;
