//! Tasks: the instances of RESCUE-bench's six tasks and of tasks with a table of labels, their tables with our
//! features, and the check of an annotation set.
//!
//! ```text
//! Sample ─┬─ check: what the annotations hold, and what is wrong with them
//!         └─ rule: instances ───┬─ table: labels, candidates, evidence, context, features up to the cut-off
//!              turns, dyads … ──┼─ features: globs, the leak check
//!              tiers ─── coded ─┤
//! CSV, Parquet, tiers ── labels ───────┴─ labelled: the same for turns, ordered dyads, interviews, windows and pairs of
//! sliders ── ratings: lag, windows ──┘              any corpus; sides: features of people
//! ```
//!
//! Label fields of the annotations become labels and nothing else; features come from the tables of an output folder
//! alone.

mod agreement_of_raters;
mod candidate_facts;
mod check;
mod choices;
mod clips;
mod coded;
mod definitions;
mod evidence;
mod features;
mod label_settings;
mod labelled;
mod labels;
mod lag;
mod levels;
mod ratings;
mod released;
mod rescue;
mod rule;
mod run;
mod sampling;
mod schemas;
mod selection;
mod settings;
mod sides;
mod table;
mod target;
mod tier_labels;

pub use agreement_of_raters::{Agreement, agreement};
pub use check::{Findings, Media, check};
pub use choices::{DialogueWords, Taxonomy};
pub use clips::{Clips, RowClip};
pub use definitions::Definitions;
pub use evidence::Evidence;
pub use features::{FeatureSet, FeatureTable, SampleFeatures};
pub use ratings::Windows;
pub use released::{Released, read_released, released_line};
pub use rescue::{GoldViewpoint, Instance, KnownEmotion, group_of, instances};
pub use rule::{AnswerKind, Candidates, LABELS, Metrics, PAIRS, RULES, Reply, ReplyAnswer, RuleSpec, released_rules};
pub use run::{TaskRequest, write_task_tables};
pub use schemas::schemas;
pub use selection::Selection;
pub use settings::{LabelUnit, Labels, Task, Whose, read_tasks};
pub use table::task_table;
