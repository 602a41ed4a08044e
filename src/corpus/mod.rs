//! The corpus: its manifest, and the workers that go through it.
//!
//! An interview is extracted alone, in a process of its own worker, so that a decoder that crashes, hangs or eats
//! memory costs that interview only.

mod failure;
mod manifest;
mod missing;
mod names;
mod place;
mod plan;
mod removed;
mod run;
mod watch;
mod worker;

pub use manifest::{is_manifest, read_manifest};
pub use missing::find_files;
pub use plan::{Left, Plan, only, plan};
pub use removed::Unlisted;
pub use run::{Event, Outcome, RunSettings, Summary, Update, run};
pub use watch::{Limits, default_memory_limit};
pub use worker::serve;
