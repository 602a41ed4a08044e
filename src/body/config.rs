//! The body section of a recipe: everything here changes results.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::limits;

/// `[body]` of a recipe.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BodyConfig {
    /// Looks at bodies and hands a second, by the frames' own time, among the frames that faces are looked for in
    /// (`face.rate_hz`); 0 = bodies are left out, and nothing else changes.
    #[schemars(range(min = 0.0))]
    pub rate_hz: f64,
    /// A body is one from this certainty of the landmark model on, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub presence: f32,
    /// Bodies are looked for about faces of at least this size (geometric mean of the box's sides), in px.
    #[schemars(range(min = 0.0))]
    pub min_face_size_px: f32,
    /// The person detector sees the whole picture this often, in seconds, for people whose face is not seen; and so
    /// often it looks again about a face without a body.
    #[schemars(range(min = 0.0))]
    pub detect_every_secs: f64,
    /// Hands are looked for where a wrist is in the picture with at least this visibility, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub wrist_visibility: f32,
    /// A hand is one from this certainty of the landmark model on, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub hand_presence: f32,
    /// A hand is a person's when it begins at most so far from the wrist, in shoulder widths.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub hand_reach: f32,
    /// Write all landmarks of bodies and hands.
    pub landmarks: bool,
}

impl Default for BodyConfig {
    fn default() -> Self {
        BodyConfig {
            rate_hz: 0.0,
            presence: 0.5,
            min_face_size_px: 24.0,
            detect_every_secs: 1.0,
            wrist_visibility: 0.5,
            hand_presence: 0.5,
            hand_reach: 0.45,
            landmarks: false,
        }
    }
}

impl BodyConfig {
    /// Whether bodies are looked at.
    pub fn is_on(&self) -> bool {
        self.rate_hz > 0.0
    }

    /// Checks that the values mean something.
    ///
    /// # Errors
    /// [`crate::error::Error::Recipe`] with the key that is wrong, its value and what is accepted.
    pub fn check(&self) -> Result<()> {
        limits::check(self, "body")
    }
}
