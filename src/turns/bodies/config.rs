//! `[turns.body]` of a recipe: thresholds of posture, gesture and self-touch.

/// When posture, gesture and self-touch are told of a body; lengths are in shoulder widths of the person.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PostureConfig {
    /// A landmark counts from this visibility on, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub visibility: f64,
    /// A wrist at which no hand is found counts as a hand that is seen from this visibility on, 0 to 1: below, the
    /// landmark model mostly guesses at hands under a table or behind somebody.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub wrist_alone: f64,
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
    /// A hand is at the face when enough of its fingertips and knuckles lie in the face's box, enlarged by this.
    #[schemars(range(min = 0.5, max = 2.0))]
    pub face_enlarge: f64,
    /// So many are enough, of 15.
    #[schemars(range(min = 1, max = 15))]
    pub face_points: usize,
    /// Hands are together when the wrists or middle knuckles are this near.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub together_reach: f64,
    /// A touch is one when it lasts so long: what only passes does not count.
    #[schemars(range(min = 0.0))]
    pub touch_secs: f64,
    /// A stroke of a gesture is a peak of a hand's speed against the trunk of at least this, in shoulder widths a
    /// second.
    #[schemars(range(min = 0.0))]
    pub gesture_speed: f64,
    /// Hands fidget where they move slower than a gesture, but are not still, within this of their mean place in the
    /// turn.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub fidget_reach: f64,
    /// A hand is at the other arm when its middle knuckle is this near to the line from that arm's shoulder over the
    /// elbow to the wrist.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub arm_reach: f64,
    /// A head rests on a hand that has been at its chin or cheek for so long, in seconds.
    #[schemars(range(min = 0.0))]
    pub rest_secs: f64,
    /// Shoulders are turned to or away from the other from this angle on, in degrees.
    #[schemars(range(min = 0.0, max = 90.0))]
    pub turned_deg: f64,
    /// A person stands up or sits down when the middle of the shoulders rises or falls by so much within `rise_secs`.
    #[schemars(range(min = 0.1, max = 10.0))]
    pub rise_reach: f64,
    /// See `rise_reach`, in seconds.
    #[schemars(range(min = 0.1, max = 30.0))]
    pub rise_secs: f64,
    /// A lean or a touch of the own face mirrors another's that began at most so long before, in seconds (Chartrand and
    /// Bargh 1999 of gestures taken over).
    #[schemars(range(min = 0.0, max = 60.0))]
    pub mirror_secs: f64,
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
            wrist_alone: 0.8,
            min_shoulder_px: 20.0,
            lean_share: 0.1,
            raise_share: 0.15,
            baseline_looks: 20,
            crossed_reach: 0.8,
            face_enlarge: 1.1,
            face_points: 2,
            together_reach: 0.4,
            touch_secs: 0.5,
            gesture_speed: 0.55,
            fidget_reach: 0.25,
            arm_reach: 0.15,
            rest_secs: 2.0,
            turned_deg: 15.0,
            rise_reach: 1.0,
            rise_secs: 2.0,
            mirror_secs: 4.0,
            still_speed: 0.15,
            longest_step_secs: 0.6,
        }
    }
}
