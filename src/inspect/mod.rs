//! Tables told to people: `table` and `folder` are the terminal pages of one table and of a whole output folder,
//! `schema_doc` is SCHEMA.md, `grid` aligns text in columns.

mod folder;
pub mod grid;
pub mod schema_doc;
mod table;

#[cfg(test)]
pub(crate) use folder::columns_looked_for;
pub use table::{InspectOptions, inspect};
