//! Export: measurements in the form that other programs read.

mod cues;
mod instances;
mod rescue;
mod review;

pub use cues::{CueField, Told, Wording};
pub use instances::{Measured, Questions, Said, lines};
pub use rescue::rewrite;
pub use review::{ReviewClip, cut};
