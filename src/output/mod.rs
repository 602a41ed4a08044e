//! The one door to polars: Parquet tables and RTTM, written whole or not at all.
//!
//! `parquet` writes tables, `read` gets them back, `interviews` joins the one-row tables of a corpus, `rttm` speaks RTTM and UEM,
//! `paths` and `folder` know where things lie in an output folder, `schema_doc` and `inspect` tell people what is in it.

pub mod atomic;
pub mod folder;
mod grid;
pub mod inspect;
pub mod interviews;
mod overview;
pub mod parquet;
pub mod paths;
pub mod read;
pub mod rttm;
pub mod schema_doc;
