//! `[turns.body]` of a recipe: thresholds of posture, gesture and self-touch.

/// When posture, gesture and self-touch are told of a body; lengths are in shoulder widths of the person.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PostureConfig {
    /// A landmark counts from this visibility on, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub visibility: f64,
    /// A look at a body counts when its shoulders are seen and at least so far apart in the picture, in px.
    #[schemars(range(min = 1.0))]
    pub min_shoulder_px: f64,
    /// A head leans forward or back when it looks larger or smaller, against the shoulders, by this share of the
    /// person's own median so far.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub lean_share: f64,
    /// Shoulders are raised when they stand nearer to the ears by this share of the person's own median so far.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub raise_share: f64,
    /// The person's own median needs so many looks.
    #[schemars(range(min = 1))]
    pub baseline_looks: usize,
    /// Arms are crossed when each wrist lies on the other side of the body and within this of the other arm's elbow.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub crossed_reach: f64,
    /// A hand is at the face when one of its fingertips or knuckles lies in the face's box, enlarged by this.
    #[schemars(range(min = 0.5, max = 2.0))]
    pub face_enlarge: f64,
    /// Hands are together when the wrists or middle knuckles are this near.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub together_reach: f64,
    /// A touch is one when it lasts so long: what only passes does not count.
    #[schemars(range(min = 0.0))]
    pub touch_secs: f64,
    /// A stroke of a gesture is a peak of a wrist's speed against the trunk of at least this, in shoulder widths a
    /// second.
    #[schemars(range(min = 0.0))]
    pub gesture_speed: f64,
    /// A person is still while wrists, head and trunk are all slower than this, in shoulder widths a second.
    #[schemars(range(min = 0.0))]
    pub still_speed: f64,
    /// Looks further apart than this belong to different movements, in seconds.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub longest_step_secs: f64,
}

impl Default for PostureConfig {
    fn default() -> Self {
        PostureConfig {
            visibility: 0.5,
            min_shoulder_px: 20.0,
            lean_share: 0.1,
            raise_share: 0.15,
            baseline_looks: 20,
            crossed_reach: 0.8,
            face_enlarge: 1.1,
            together_reach: 0.4,
            touch_secs: 0.5,
            gesture_speed: 1.0,
            still_speed: 0.15,
            longest_step_secs: 0.6,
        }
    }
}
