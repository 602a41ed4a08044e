//! The faces section of a recipe: everything here changes results.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::limits;

/// `[face]` of a recipe.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FaceConfig {
    /// Registry name of the detector that sees the whole picture: any model whose entry in a `models.toml` has
    /// `picture` and `answer` (see onnx/README.md).
    pub detector: String,
    /// Registry name of the expression model, likewise; its labels must be among the columns' expressions, others are
    /// left out.
    pub expression: String,
    /// Frames looked at a second, by their own time; 0 = every frame.
    #[schemars(range(min = 0.0))]
    pub rate_hz: f64,
    /// The detector looks at the whole picture at least this often, in seconds; cuts and unknown faces call it at once.
    #[schemars(range(min = 0.0))]
    pub detect_every_secs: f64,
    /// Longer side of the picture the detector sees at cuts and after four such intervals, in px; smaller pictures are
    /// enlarged to it, but at most twice.
    #[schemars(range(min = 64))]
    pub detect_side_px: u32,
    /// The same at the times between, when it mostly confirms what is followed.
    #[schemars(range(min = 64))]
    pub confirm_side_px: u32,
    /// Least detector score of a face, 0 to 1.
    #[schemars(range(min = 0.05, max = 1.0), extend("x-reason" = "below, a face is seen everywhere"))]
    pub detect_score: f32,
    /// Tracks whose best detector score stays below this, or their mean below `detect_score`, are dropped as false
    /// alarms, and so are those that the detector missed more often than it saw them.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub track_score: f32,
    /// Two detections that share more than this intersection over union are one face.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub nms_iou: f32,
    /// Faces smaller than this (geometric mean of the box's sides) are left out, in px.
    #[schemars(range(min = 0.0))]
    pub min_size_px: f32,
    /// Least detector score of a face that was seen a moment ago and is searched for, 0 to 1.
    #[schemars(range(min = 0.05, max = 1.0), extend("x-reason" = "below, a face is seen everywhere"))]
    pub search_score: f32,
    /// A followed face whose landmark presence falls below this is lost, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub presence: f32,
    /// Expression probabilities are taken this often for each face, in Hz; 0 = at every observation.
    #[schemars(range(min = 0.0))]
    pub expression_hz: f64,
    /// Difference of two frames' thumbnails above which the shot changes, 0 to 1.
    #[schemars(range(min = 0.0))]
    pub cut_threshold: f32,
    /// Least difference of the two sides of an edge that may divide tiles of a split screen, 0 to 1 in any colour.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub layout_contrast: f32,
    /// Such an edge is at its place in at least this share of a shot's pictures.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub layout_still_share: f64,
    /// At most so many looks a track are embedded for identity, and at least half as many of a long one: the best of
    /// each part of it.
    #[schemars(range(min = 1))]
    pub embeddings_per_track: usize,
    /// Groups of tracks whose embeddings lie closer than this Euclidean distance, on average over all pairs, are one
    /// person; the embeddings are unit vectors, so 2 is the largest distance. 0.06 more where one of two faces is below
    /// 30 px. Chosen on the reference clips, where 0.88 to 0.98 give the persons counted by eye in nearly all.
    #[schemars(range(min = 0.0))]
    pub same_person_distance: f64,
    /// A track makes a person of its own only when its faces have at least this mean size, in px. Smaller ones still
    /// belong to a person they look like.
    #[schemars(range(min = 0.0))]
    pub person_size_px: f32,
    /// … when the detector's mean score is at least this, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub person_score: f32,
    /// … when it is seen for at least this time between its first and its last observation, in seconds.
    #[schemars(range(min = 0.0))]
    pub person_secs: f64,
    /// … when at least this share of it lies inside the picture on average, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub person_in_frame: f32,
    /// … when the detector, which sees it again with 40, 64 and 96 px, gives it at least this score each time, 0 to 1:
    /// a lamp or a pattern looks like a face at some size only.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub person_seen_again: f32,
    /// … and when the eyes, the nose tip and the mouth corners of mesh and detector lie at most this far apart, in
    /// sizes of the face, unless the detector is sure of it at all three sizes.
    #[schemars(range(min = 0.0))]
    pub person_keypoints_apart: f32,
    /// At most this many persons: the nearest ones are joined, and where people seen together stand against that, those
    /// seen most are kept and the others are nobody's; 0 = no limit.
    #[schemars(range(min = 0))]
    pub persons_max: usize,
    /// At least this many persons: joining stops there, and faces too small or doubtful for a person of their own
    /// become one, those seen most first; 0 = no limit.
    #[schemars(range(min = 0))]
    pub persons_min: usize,
    /// Folder of pictures that name people, across interviews too: `anna.jpg` names Anna, as does every picture in a
    /// folder `anna`. Empty = nobody is named.
    pub enrolment: String,
    /// A person has an enrolled name when its embedding (a unit vector) lies nearer to that picture's than this
    /// Euclidean distance.
    #[schemars(range(min = 0.0))]
    pub enrolment_distance: f64,
    /// Tracks with fewer observations are dropped as false alarms.
    #[schemars(range(min = 0))]
    pub min_track_observations: usize,
    /// Write identity embeddings to the tracks table.
    pub embeddings: bool,
    /// Keep and write the 478 landmarks of every observation.
    pub landmarks: bool,
}

impl Default for FaceConfig {
    fn default() -> Self {
        FaceConfig {
            detector: "retinaface".into(),
            expression: "face_expression".into(),
            rate_hz: 10.0,
            detect_every_secs: 0.5,
            detect_side_px: 1280,
            confirm_side_px: 640,
            detect_score: 0.6,
            search_score: 0.4,
            track_score: 0.75,
            nms_iou: 0.4,
            min_size_px: 16.0,
            presence: 0.5,
            expression_hz: 2.0,
            cut_threshold: 0.3,
            layout_contrast: 0.03,
            layout_still_share: 0.9,
            embeddings_per_track: 8,
            same_person_distance: 0.94,
            person_size_px: 18.0,
            person_score: 0.8,
            person_secs: 0.4,
            person_in_frame: 0.85,
            person_seen_again: 0.3,
            person_keypoints_apart: 0.2,
            persons_max: 0,
            persons_min: 0,
            enrolment: String::new(),
            enrolment_distance: 0.95,
            min_track_observations: 2,
            embeddings: false,
            landmarks: false,
        }
    }
}

impl FaceConfig {
    /// Checks that the values mean something, each and together.
    ///
    /// # Errors
    /// [`Error::Recipe`] with the key that is wrong, its value and what is accepted.
    pub fn check(&self) -> Result<()> {
        limits::check(self, "face")?;
        let (least, most) = (self.persons_min, self.persons_max);
        if most > 0 && least > most {
            let what = format!("at least {least} and at most {most} persons");
            return Err(Error::Recipe { place: "face.persons_min, face.persons_max".into(), what });
        }
        Ok(())
    }
}
