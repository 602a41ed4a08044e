//! Tables told to people: `table` and `folder` are the terminal pages of one table and of a whole output folder,
//! `schema_doc` is SCHEMA.md, `codebook` tells what a folder's columns mean and hold, `grid` aligns text in columns.

mod codebook;
mod folder;
pub mod grid;
pub mod schema_doc;
mod table;

pub use codebook::{Codebook, first_columns};
#[cfg(test)]
pub(crate) use folder::columns_looked_for;
pub use table::{InspectOptions, inspect};
