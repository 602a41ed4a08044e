//! Export: measurements in the form that other programs read.

mod cues;
mod rescue;

pub use cues::{CueField, Wording};
pub use rescue::rewrite;
