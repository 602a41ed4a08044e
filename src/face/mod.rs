//! Faces: detection, landmarks, blendshapes, head pose, gaze, identity and tracks.
//!
//! ```text
//! VideoFrame ─ shot ── cut? ─┐
//!            └ detect ───────┴─ track ─ landmark ─ blendshape · pose · gaze · expression · quality ─ Observation
//!                                         └ identity (a few good looks a track) ─ person ─ Track ─ Faces
//! ```
//!
//! A [`FaceTracker`] is fed frames in order and holds none of them; [`FaceTracker::finish`] gives [`Faces`].

mod blendshape;
#[cfg(test)]
mod clips;
mod config;
mod crop;
mod detect;
mod enrolment;
mod expression;
mod gaze;
mod gesture;
#[cfg(test)]
mod golden;
mod identity;
mod landmark;
mod models;
mod observation;
mod overlay;
mod person;
mod pose;
mod quality;
mod short_range;
mod shot;
mod summary;
mod table;
mod track;
mod tracker;
mod watch;

pub use config::FaceConfig;
pub use detect::MOST_FACES;
pub use gesture::{GestureKind, HeadGesture, head_gestures};
pub use models::FaceModels;
pub use observation::{BLENDSHAPES, BoundingBox, EXPRESSIONS, Faces, Gaze, HeadPose, LANDMARKS, Landmarks, Observation, Quality, Track};
pub use overlay::draw;
pub use table::{FaceRow, TrackRow, faces_layout, faces_table, tracks_layout, tracks_table};
pub use tracker::FaceTracker;
pub use watch::watch;
