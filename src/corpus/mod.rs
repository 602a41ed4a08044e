//! The corpus: its manifest, and the workers that go through it.
//!
//! An interview is extracted alone, in a process of its own worker, so that a decoder that crashes, hangs or eats
//! memory costs that interview only.

mod failure;
mod lock;
mod manifest;
mod matched;
mod missing;
mod names;
mod pace;
mod place;
mod plan;
mod process;
mod removed;
mod run;
mod runs;
mod selection;
mod shard;
mod status;
mod watch;
mod worker;

pub use manifest::{is_manifest, read_manifest};
pub use matched::{Matched, Pair, Wanted, matched};
pub use missing::find_files;
pub use pace::{Estimate, Left, Pace, words_of_bytes, words_of_secs};
pub use plan::{Plan, Planned, only, plan};
pub use removed::Unlisted;
pub use run::{Event, Outcome, RunSettings, Summary, Update, run};
pub use runs::{RunOutcome, RunRecord, last_run, utc};
pub use selection::within_minutes;
pub use shard::Shard;
pub use status::{Counts, Found, State, Status, failed, media_bytes, status};
pub use watch::{Limits, default_memory_limit};
pub use worker::{Service, serve};
