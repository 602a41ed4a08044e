//! Export: measurements in the form that other programs read.

mod bench;
mod clips;
mod cues;
mod instances;
mod pack;
mod rescue;
mod review;
mod run;
mod transcript;

pub use bench::{RescueLayout, RescueRequest, export_rescue};
pub use clips::ClipSource;
pub use cues::{CueField, CueTable, Told, Wording};
pub use instances::{Measured, Questions, Said, lines};
pub use pack::{PackRequest, Shares, pack};
pub use rescue::rewrite;
pub use review::{ReviewClip, cut};
pub use run::{ExportRequest, export_instances};
pub use transcript::{Part, TranscriptFormat, TranscriptRequest, export_transcripts};
