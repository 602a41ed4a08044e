//! Turnwise: interview videos and transcripts in, Parquet tables of faces, voices and turns out.
//!
//! Data flows down one staircase; imports point only downwards (`tests/layers.rs` holds it true):
//!
//! ```text
//! shell        main, cli, commands
//! corpus       manifest, run (workers, resume, isolation)
//! composition  pipeline: extract() = hear ‖ watch → align → relate → write; recipe
//! meaning      turns · tasks · baseline · export
//! analysis     audio · speaker · face · body · transcript
//! pages        inspect: tables and folders told on a terminal, SCHEMA.md · report: the same in a browser
//! doors        media (ffmpeg-next, hound) · inference (ort) · store (polars, RTTM, whole files) · dft (realfft)
//! words        error, warning, time, signal, annotation, table, text, file, spelling, sheet, pulse, limits, random,
//!              statistics, packed, scratch
//! ```

pub mod annotation;
pub mod audio;
pub mod baseline;
pub mod body;
pub mod corpus;
pub mod dft;
pub mod error;
pub mod export;
pub mod face;
pub mod file;
pub mod inference;
pub mod inspect;
pub mod limits;
pub mod media;
pub mod overlay;
pub mod packed;
pub mod pipeline;
pub mod pulse;
pub mod random;
pub mod recipe;
#[cfg(test)]
mod reference;
pub mod report;
pub mod scratch;
pub mod sheet;
pub mod signal;
pub mod speaker;
pub mod spelling;
pub mod statistics;
pub mod store;
pub mod table;
pub mod tasks;
pub mod text;
pub mod time;
pub mod transcript;
pub mod turns;
pub mod warning;
