//! The tables of faces: one row per observation, one row per track.

use std::ops::Range;

use super::{
    BLENDSHAPES, EXPRESSIONS, FaceConfig, Faces, Gaze, HeadPose, Nobody, Observation, Shot, ShotLayout, Track,
};
use crate::error::Result;
use crate::table::{Column, ColumnSpec, CutOff, Kind, Layout, Modality, Table, all_from, all_of};

/// What `layout` says, wherever it stands.
pub(crate) const LAYOUT: &str = "Layout of the shot: one_camera, split_screen (faces in two tiles) or gallery (more \
                                 tiles), divided by straight edges that stand still through the shot (in a share of \
                                 {face.layout_still_share} of its pictures, with a contrast of at least \
                                 {face.layout_contrast}), run along a face from above the head to below the shoulders \
                                 and end at the picture's border or in a corner. A wall's seam that does so and that \
                                 nobody crosses reads as a divide too. Null = too few pictures of the shot to tell.";

/// A face in a frame, on its way into the `faces` table.
#[derive(Clone, Copy, Debug)]
pub struct FaceRow<'a> {
    /// Interview the video belongs to.
    pub interview_id: &'a str,
    /// Person the track belongs to.
    pub person: Option<&'a str>,
    /// What was seen.
    pub observation: &'a Observation,
}

/// A track on its way into the `tracks` table.
#[derive(Clone, Copy, Debug)]
pub struct TrackRow<'a> {
    /// Interview the video belongs to.
    pub interview_id: &'a str,
    /// The track.
    pub track: &'a Track,
    /// The shot it is in.
    pub shot: Option<&'a Shot>,
}

/// A measure of one face in one frame.
fn measure<'a>(
    name: &'static str,
    unit: &'static str,
    description: &'static str,
    value: fn(&Observation) -> f32,
) -> Column<FaceRow<'a>> {
    Column::new(ColumnSpec::new(name, Kind::F32, unit, description), move |r: &FaceRow<'a>| value(r.observation))
}

/// A measure that not every face has.
fn maybe<'a>(
    name: &'static str,
    unit: &'static str,
    description: &'static str,
    value: fn(&Observation) -> Option<f32>,
) -> Column<FaceRow<'a>> {
    Column::new(ColumnSpec::new(name, Kind::F32, unit, description), move |r: &FaceRow<'a>| value(r.observation))
}

/// The `faces` table; sorted by time, then track.
pub fn faces_layout<'a>(config: &FaceConfig) -> Layout<FaceRow<'a>> {
    let interview = |r: &FaceRow<'a>| r.interview_id;
    let time = "Presentation time of the frame since the recording's origin.";
    let track = "Track the observation belongs to, from 1 by first appearance.";
    let person = "Person the track belongs to, from P1 by first appearance, or a name of the enrolment folder; tracks \
                  whose embeddings lie closer than {face.same_person_distance} on average are one; null = nobody's, \
                  for the reason in tracks.";
    let mut columns = vec![
        Column::text("interview_id", "Interview the row belongs to.", interview).until(CutOff::None),
        Column::float("pts_secs", "s", time, |r: &FaceRow<'a>| r.observation.pts),
        Column::int("track_id", "", track, |r: &FaceRow<'a>| r.observation.track),
        Column::text("person", person, |r: &FaceRow<'a>| r.person),
    ];
    let seen = box_columns()
        .into_iter()
        .chain(all_from("MediaPipe", pose_columns()))
        .chain(all_from("Bekerman et al. 2014; MediaPipe", gaze_columns()))
        .chain(all_from("MediaPipe", opening_columns()))
        .chain(quality_columns());
    let expressions = all_from("face-api", expression_columns());
    let expressive = all_from("MediaPipe", blendshape_columns()).into_iter().chain(expressions);
    columns.extend(all_of(
        Modality::Face,
        seen.chain(expressive)
            .chain(config.landmarks.then(landmark_column).map(|c| c.from_source("Grishchenko et al. 2020; MediaPipe"))),
    ));
    Layout { name: "faces", description: "One face seen in one video frame.", columns }
}

fn box_columns<'a>() -> Vec<Column<FaceRow<'a>>> {
    vec![
        measure("box_left_px", "px", "Left edge of the box around the face mesh.", |o| o.bounds.left),
        measure("box_top_px", "px", "Top edge of the box around the face mesh.", |o| o.bounds.top),
        measure("box_width_px", "px", "Width of the box around the face mesh.", |o| o.bounds.width),
        measure("box_height_px", "px", "Height of the box around the face mesh.", |o| o.bounds.height),
        measure(
            "score",
            "1",
            "Detector score of the track's last detection, 0 to 1; a face has at least {face.detect_score}, one that \
             is searched for {face.search_score}.",
            |o| o.score,
        ),
        measure(
            "presence",
            "1",
            "Landmark model's certainty that there is a face, 0 to 1; followed from {face.presence} on.",
            |o| o.presence,
        ),
    ]
}

fn pose_columns<'a>() -> Vec<Column<FaceRow<'a>>> {
    fn angle<'a>(name: &'static str, description: &'static str, value: fn(HeadPose) -> f32) -> Column<FaceRow<'a>> {
        let spec = ColumnSpec::new(name, Kind::F32, "deg", description);
        Column::new(spec, move |r: &FaceRow<'a>| r.observation.pose.map(value))
    }
    vec![
        angle("head_yaw_deg", "Head turned about the vertical axis; positive = towards the image's right.", |p| {
            p.yaw_deg
        }),
        angle("head_pitch_deg", "Head turned about the axis through the ears; positive = chin up.", |p| p.pitch_deg),
        angle("head_roll_deg", "Head tilted in the image plane; positive = clockwise as the viewer sees it.", |p| {
            p.roll_deg
        }),
    ]
}

fn gaze_columns<'a>() -> Vec<Column<FaceRow<'a>>> {
    fn angle<'a>(name: &'static str, description: &'static str, value: fn(Gaze) -> f32) -> Column<FaceRow<'a>> {
        let spec = ColumnSpec::new(name, Kind::F32, "deg", description);
        Column::new(spec, move |r: &FaceRow<'a>| r.observation.gaze.map(value))
    }
    let head_yaw = "Gaze against the head's forward direction; positive = towards the image's right.";
    let camera_yaw = "Gaze against the line to the camera; positive = towards the image's right. From the place of the \
                      iris between the corners of the eye, the mean of both eyes (of one where the other is closed), \
                      on an eyeball whose centre is set back along the head's own direction. Errs by about 10 deg. \
                      Null where both eyes are nearly closed.";
    vec![
        angle("gaze_head_yaw_deg", head_yaw, |g| g.head_yaw_deg),
        angle("gaze_head_pitch_deg", "Gaze against the head's forward direction; positive = up.", |g| g.head_pitch_deg),
        angle("gaze_camera_yaw_deg", camera_yaw, |g| g.camera_yaw_deg),
        angle("gaze_camera_pitch_deg", "Gaze against the line to the camera; positive = up.", |g| g.camera_pitch_deg),
    ]
}

fn opening_columns<'a>() -> Vec<Column<FaceRow<'a>>> {
    let corners = "How far the corners of the lips stand above the middle of the mouth's opening, along the face's \
                   own upright, over the distance of the outer eye corners; below 0 at rest.";
    let mouth = "Distance of the inner lips over the distance of the outer eye corners.";
    vec![
        maybe("eye_opening_left", "1", "Height over width of the eye on the image's left.", |o| o.eye_opening_left),
        maybe("eye_opening_right", "1", "Height over width of the eye on the image's right.", |o| o.eye_opening_right),
        maybe("mouth_opening", "1", mouth, |o| o.mouth_opening),
        maybe("lip_corner_lift", "1", corners, |o| o.lip_corner_lift),
    ]
}

fn quality_columns<'a>() -> Vec<Column<FaceRow<'a>>> {
    let change = "Mean change of the most lively tenth of the face's picture since a look 0.1 s or more before, 0 to \
                  1; 1 where the face moved away, null at the first look. A photo changes by what the codec adds, \
                  below 0.008; a living face hardly ever stays below that for half a second.";
    let sharpness = "Variance of the Laplacian of the aligned grey face, times 1000; higher is sharper.";
    vec![
        measure("size_px", "px", "Geometric mean of the box's sides.", |o| o.quality.size_px),
        measure("sharpness", "1", sharpness, |o| o.quality.sharpness),
        measure("in_frame", "1", "Share of the landmarks inside the picture, 0 to 1.", |o| o.quality.in_frame),
        maybe("picture_change", "1", change, |o| o.picture_change),
    ]
}

/// `mouthSmileLeft` becomes `blendshape_mouthSmileLeft`.
fn blendshape_columns<'a>() -> Vec<Column<FaceRow<'a>>> {
    let column = |(i, name): (usize, &&str)| {
        let description = format!("MediaPipe's coefficient of the ARKit blendshape {name}, 0 to 1.");
        let spec = ColumnSpec::new(format!("blendshape_{name}"), Kind::F32, "1", description);
        Column::new(spec, move |r: &FaceRow<'a>| r.observation.blendshapes.as_ref().map(|b| b[i]))
    };
    BLENDSHAPES.iter().enumerate().map(column).collect()
}

fn expression_columns<'a>() -> Vec<Column<FaceRow<'a>>> {
    let column = |(i, name): (usize, &&str)| {
        let description = format!(
            "Probability of the expression {name} by the network {{face.expression}}, 0 to 1; null where it was not \
             looked at."
        );
        let spec = ColumnSpec::new(format!("expression_{name}"), Kind::F32, "1", description);
        Column::new(spec, move |r: &FaceRow<'a>| r.observation.expression.map(|e| e[i]))
    };
    EXPRESSIONS.iter().enumerate().map(column).collect()
}

fn landmark_column<'a>() -> Column<FaceRow<'a>> {
    let description = "x, y, z of the 478 landmarks in turn; z in the scale of x.";
    let spec = ColumnSpec::new("landmarks_px", Kind::F32List, "px", description);
    Column::new(spec, |r: &FaceRow<'a>| r.observation.landmarks.as_ref().map(|l| l.as_flattened().to_vec()))
}

/// The `tracks` table; sorted by track.
pub fn tracks_layout<'a>(config: &FaceConfig) -> Layout<TrackRow<'a>> {
    let interview = |r: &TrackRow<'a>| r.interview_id;
    let person = "Person the track belongs to; null = nobody's, see person_missing.";
    let nobody = "Why the track is nobody's: false_face (a score below {face.person_seen_again} seen again, or \
        keypoints more than {face.person_keypoints_apart} apart), or, where it is like no person, too_small (mean \
        below {face.person_size_px} px), too_doubtful (mean score below {face.person_score}, or seen again below \
        0.6), too_short (below {face.person_secs} s), out_of_picture (less than {face.person_in_frame} of it inside) \
        or too_many (face.persons_max); or corrected (corrections.csv says so).";
    let again = "Least detector score of the face seen again with 40, 64 and 96 px a side amid six sizes of its \
                 surroundings, mean over up to three looks, 0 to 1; null = not looked at, as it is too small, doubtful \
                 or short. Of a wall lamp 0.18, of people 0.52 and more.";
    let apart = "Mean distance of the mesh's eyes, nose tip and mouth corners from the detector's, over the face's \
                 size; null = never seen by both at once. Of a wall lamp 0.31, of people up to 0.11.";
    let size = ColumnSpec::new("mean_size_px", Kind::F32, "px", "Mean size of the face.");
    let score = ColumnSpec::new("mean_score", Kind::F32, "1", "Mean detector score, 0 to 1.");
    let mut columns = vec![
        Column::text("interview_id", "Interview the row belongs to.", interview).until(CutOff::None),
        Column::int("track_id", "", "Track, from 1 by first appearance.", |r: &TrackRow<'a>| r.track.id),
        Column::text("person", person, |r: &TrackRow<'a>| r.track.person.as_deref()),
        Column::text("person_missing", nobody, |r: &TrackRow<'a>| r.track.nobody.map(Nobody::name)),
        Column::text("layout", LAYOUT, |r: &TrackRow<'a>| r.shot?.layout.map(ShotLayout::name)),
    ];
    let mut seen = vec![
        Column::float("first_pts_secs", "s", "Time of the first observation.", |r: &TrackRow<'a>| r.track.first_pts),
        Column::float("last_pts_secs", "s", "Time of the last observation.", |r: &TrackRow<'a>| r.track.last_pts),
        Column::int("observations", "", "Number of observations.", |r: &TrackRow<'a>| r.track.observations),
        Column::new(size, |r: &TrackRow<'a>| r.track.mean_size_px),
        Column::new(score, |r: &TrackRow<'a>| r.track.mean_score),
        Column::new(ColumnSpec::new("seen_again_score", Kind::F32, "1", again), |r: &TrackRow<'a>| {
            r.track.check.seen_again
        }),
        Column::new(ColumnSpec::new("keypoints_apart", Kind::F32, "1", apart), |r: &TrackRow<'a>| {
            r.track.check.keypoints_apart
        }),
    ];
    if config.embeddings {
        let description = "Identity embedding of the face, a unit vector of 1024 values pooled over up to \
                           {face.embeddings_per_track} looks; compare by Euclidean distance.";
        let spec = ColumnSpec::new("embedding", Kind::F32List, "", description).from_source("Savchenko 2019");
        seen.push(Column::new(spec, |r: &TrackRow<'a>| r.track.embedding.clone()));
    }
    columns.extend(all_of(Modality::Face, seen));
    Layout { name: "tracks", description: "Observations of one face, unbroken within a shot.", columns }
}

/// Rows of the `faces` table: a row an observation.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit its column, [`crate::error::Error::Read`] where they cannot
/// be read back.
pub fn faces_table(interview_id: &str, faces: &Faces, rows: Range<usize>, config: &FaceConfig) -> Result<Table> {
    let part = faces.observations.part(rows)?;
    let rows = part.iter().map(|o| FaceRow { interview_id, person: faces.person_of(o.track), observation: o });
    faces_layout(config).table(rows)
}

/// Rows of the `tracks` table.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit its column.
pub fn tracks_table(interview_id: &str, faces: &Faces, config: &FaceConfig) -> Result<Table> {
    tracks_layout(config).table(faces.tracks.iter().map(|track| {
        let shot = faces.shot_at(track.first_pts);
        TrackRow { interview_id, track, shot }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::BoundingBox;
    use crate::table::{Cell, ColumnData};
    use crate::time::Seconds;

    #[test]
    fn an_observation_becomes_a_row_and_what_was_not_looked_at_is_missing() {
        let mut blendshapes = [0.0; 52];
        blendshapes[44] = 0.5;
        let pts = Seconds::of(1.5);
        let faces = Faces {
            observations: vec![Observation {
                score: 0.9,
                presence: 0.8,
                blendshapes: Some(blendshapes),
                eye_opening_left: Some(0.3),
                mouth_opening: Some(0.1),
                ..Observation::bare(pts, 1, BoundingBox::from_corners(1.0, 2.0, 11.0, 12.0))
            }]
            .into(),
            tracks: vec![Track { mean_size_px: 10.0, mean_score: 0.9, ..Track::bare(1, Some("P1"), (pts, pts), 1) }],
            ..Faces::default()
        };
        let config = FaceConfig { landmarks: true, embeddings: true, ..FaceConfig::default() };
        let table = faces_table("a", &faces, 0..1, &config).unwrap();
        assert_eq!(table.rows(), 1);
        assert_eq!(table.column("person"), Some(&ColumnData::Str(vec![Some("P1".into())])));
        assert_eq!(table.column("blendshape_mouthSmileLeft"), Some(&ColumnData::F32(vec![0.5])));
        assert!(matches!(table.column("head_yaw_deg"), Some(ColumnData::F32(v)) if v[0].is_nan()));
        assert!(matches!(table.column("expression_happy"), Some(ColumnData::F32(v)) if v[0].is_nan()));
        assert_eq!(table.column("landmarks_px"), Some(&ColumnData::F32List(vec![None])));
        assert_eq!(tracks_table("a", &faces, &config).unwrap().rows(), 1);
    }

    #[test]
    fn keys_are_of_no_sense_and_all_else_is_of_the_face() {
        let config = FaceConfig { landmarks: true, embeddings: true, ..FaceConfig::default() };
        let keys = ["interview_id", "pts_secs", "track_id", "person", "person_missing", "layout"];
        for schema in [faces_layout(&config).schema(), tracks_layout(&config).schema()] {
            for column in &schema.columns {
                let expected = if keys.contains(&&*column.name) { Modality::None } else { Modality::Face };
                assert_eq!(column.modality, expected, "{}.{}", schema.name, column.name);
            }
        }
        assert_eq!(faces_layout(&config).columns.len(), 4 + 21 + 52 + 7 + 1);
        assert_eq!(faces_layout(&FaceConfig::default()).columns.len(), 4 + 21 + 52 + 7);
    }

    #[test]
    fn each_field_has_a_column_of_its_own() {
        let observation = Observation {
            score: 5.0,
            presence: 6.0,
            pose: Some(HeadPose { yaw_deg: 7.0, pitch_deg: 8.0, roll_deg: 9.0 }),
            gaze: Some(Gaze { head_yaw_deg: 10.0, head_pitch_deg: 11.0, camera_yaw_deg: 12.0, camera_pitch_deg: 13.0 }),
            eye_opening_left: Some(14.0),
            eye_opening_right: Some(15.0),
            mouth_opening: Some(16.0),
            lip_corner_lift: Some(17.0),
            quality: crate::face::Quality { size_px: 18.0, sharpness: 19.0, in_frame: 20.0 },
            picture_change: Some(21.0),
            blendshapes: Some(std::array::from_fn(|i| 22.0 + i as f32)),
            expression: Some(std::array::from_fn(|i| 74.0 + i as f32)),
            ..Observation::bare(Seconds::ZERO, 1, BoundingBox { left: 1.0, top: 2.0, width: 3.0, height: 4.0 })
        };
        let row = FaceRow { interview_id: "a", person: Some("P1"), observation: &observation };
        let columns = faces_layout(&FaceConfig::default()).columns;
        let values: Vec<Cell> = columns[4..].iter().map(|c| c.value(&row)).collect();
        let expected: Vec<Cell> = (1..81).map(|i| Cell::Float(f64::from(i))).collect();
        assert_eq!(values, expected);
        let names: Vec<&str> = columns[4..28].iter().map(|c| &*c.spec().name).collect();
        assert_eq!(
            (names[0], names[6], names[9], names[13], names[19]),
            ("box_left_px", "head_yaw_deg", "gaze_head_yaw_deg", "eye_opening_left", "in_frame")
        );
        assert_eq!((names[21], names[22]), ("blendshape_neutral", "blendshape_browDownLeft"));
    }
}
