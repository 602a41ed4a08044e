//! Bodies: persons and their 33 landmarks, hands and their 21, followed from picture to picture.
//!
//! ```text
//! VideoFrame ─ due? ─ tracker ─┬─ person (detector) ─ region ─┐
//!  heads (faces of the frame) ─┘   or the last landmarks' ────┴─ landmark ─ BodyObservation
//!                                  palm (detector) or the last hand's region ─ hand ─ HandObservation
//! ```
//!
//! The models are MediaPipe's, and so are the regions, the sampling and the decoding: on the same picture the landmarks
//! are its own. A [`BodyTracker`] is shown frames in order together with the faces seen in them, and holds none of them.

mod anchors;
mod config;
#[cfg(test)]
mod golden;
mod hand;
mod landmark;
mod models;
mod observation;
mod palm;
mod person;
mod table;
mod tracker;
mod view;
mod wrists;

pub use config::BodyConfig;
pub use models::BodyModels;
pub use observation::{
    BODY_POINTS, Bodies, BodyObservation, BodyPoint, HAND_POINTS, HandObservation, Head, Side, body_point,
};
pub use table::{BodyRow, HandRow, bodies_layout, bodies_table, hands_layout, hands_table};
pub use tracker::BodyTracker;
