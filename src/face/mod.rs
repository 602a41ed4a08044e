//! Faces: detection, landmarks, blendshapes, head pose, gaze, identity and tracks.
//!
//! ```text
//! VideoFrame ─ sequence (shots) ── cut? ─ schedule ── due? ─┐
//!     scout (short_range) ─ finder (detect, landmark) ──────┴─ roster (track) ─ identities ─ measure ─┐
//!                                    describe (blendshape, expression) ─ Observation ─────────────────┤
//!                                    identity (a few looks per track) ─ person ─ Track ───────────────┘
//! ```
//!
//! [`watch()`] has the scout look ahead and the rest described behind, each on a thread of its own.
//!
//! A [`FaceTracker`] is fed frames in order and holds none of them; [`FaceTracker::finish`] gives [`Faces`].

mod blendshape;
#[cfg(test)]
mod clips;
mod config;
mod corrected;
mod crop;
mod describe;
mod detect;
mod enrolment;
mod expression;
mod finder;
mod gaze;
mod gesture;
#[cfg(test)]
mod golden;
mod identities;
mod identity;
mod landmark;
mod layout;
mod measure;
mod models;
mod motion;
mod observation;
mod observations;
mod overlay;
mod person;
#[cfg(test)]
mod persons_clips;
mod pictures;
mod pose;
mod quality;
mod real;
mod roster;
mod schedule;
mod sequence;
mod short_range;
mod shot;
mod sighting;
mod still;
mod summary;
mod table;
mod track;
mod tracker;
mod watch;

pub use config::FaceConfig;
pub use detect::MOST_FACES;
pub use gesture::{
    GestureKind, HeadGesture, LONGEST_REST_SECS, LONGEST_SWING_SECS, NOD_SWINGS, SHAKE_SWINGS, head_gestures,
};
pub use layout::{Line, Shot, ShotLayout};
pub use models::FaceModels;
pub use observation::{
    BLENDSHAPES, BoundingBox, EXPRESSIONS, Faces, Gaze, HeadPose, LANDMARKS, Landmarks, Observation, Quality, Track,
};
pub use observations::{Observations, Place};
pub use overlay::draw;
pub use pictures::{draw_video, write_crops};
pub use real::{FaceCheck, Nobody};
pub(crate) use table::LAYOUT;
pub use table::{FaceRow, TrackRow, faces_layout, faces_table, tracks_layout, tracks_table};
pub use tracker::FaceTracker;
pub use watch::{Watched, watch};
