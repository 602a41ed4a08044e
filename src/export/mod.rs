//! Export: measurements in the form that other programs read.

mod bench;
mod clips;
mod cues;
mod hidden;
mod instances;
mod pack;
mod questions;
mod rescue;
mod review;
mod run;
mod transcript;

pub use bench::{RescueLayout, RescueRequest, export_rescue};
pub use clips::ClipSource;
pub use cues::{CueField, CueTable, CueTables, Phrase, Told, Wording, cue_counts};
pub use hidden::Hidden;
pub use instances::{Measured, Said, lines};
pub use pack::{PackRequest, Shares, pack};
pub use questions::Questions;
pub use rescue::rewrite;
pub use review::{ReviewClip, cut};
pub use run::{ExportRequest, export_instances};
pub use transcript::{Part, TranscriptFormat, TranscriptRequest, export_transcripts};
