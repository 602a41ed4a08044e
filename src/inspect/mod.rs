//! Tables told to people: `table` and `folder` are the terminal pages of one table and of a whole output folder, `schema_doc` is SCHEMA.md,
//! `grid` aligns text in columns.

mod folder;
mod grid;
pub mod schema_doc;
mod table;

pub use table::{InspectOptions, inspect};
