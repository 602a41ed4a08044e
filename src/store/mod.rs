//! The one door to polars: tables and RTTM, written whole or not at all.
//!
//! A [`Writer`] writes tables in a [`Format`], `parquet` as Parquet, `read` gets them back, `parts` some rows at a
//! time, `interviews` joins the
//! one-row tables of a corpus, `rttm` speaks RTTM and UEM, `paths`, `folder` and `interview_files` know where things
//! lie in an output folder, `provenance` how they were made, `sweep` takes away what a killed run left, `finished` says
//! which tables may be taken, and taken together, `holdings` all that a folder has of them, `row_groups` writes those
//! of several interviews into one file, `agreement` whether annotations are of the same turns.

pub mod agreement;
pub mod finished;
pub mod folder;
mod format;
pub mod holdings;
pub mod interview_files;
pub mod interviews;
pub mod joined;
mod known_schema;
pub mod parquet;
mod parts;
pub mod paths;
pub mod provenance;
pub mod read;
mod rejoined;
pub mod row_groups;
mod rows;
pub mod rttm;
mod seal;
mod small;
pub mod sweep;
pub mod whole;

pub use format::{Format, Writer, remove_table};
pub use parts::read_parts;
pub use rows::MakeRows;
