//! The tables of faces: one row an observation, one row a track.

use super::{BLENDSHAPES, EXPRESSIONS, FaceConfig, Faces};
use crate::error::Result;
use crate::table::{Cell, ColumnSpec, CutOff, Kind, Table, TableBuilder, TableSchema};

fn key(name: &'static str, kind: Kind, unit: &'static str, description: &'static str) -> ColumnSpec {
    ColumnSpec::new(name, kind, unit, description).until(CutOff::None)
}

/// `mouthSmileLeft` becomes `blendshape_mouthSmileLeft`.
fn prefixed<'a>(prefix: &'a str, names: &'a [&'a str]) -> impl Iterator<Item = String> + 'a {
    names.iter().map(move |n| format!("{prefix}_{n}"))
}

/// Contract of the `faces` table; sorted by time, then track.
pub fn faces_schema(config: &FaceConfig) -> TableSchema {
    let float = |name: &'static str, unit: &'static str, description: &'static str| ColumnSpec::new(name, Kind::F32, unit, description);
    let mut columns = vec![
        key("interview_id", Kind::Str, "", "Interview the row belongs to."),
        ColumnSpec::new("pts_secs", Kind::F64, "s", "Presentation time of the frame since the recording's origin."),
        ColumnSpec::new("track_id", Kind::I64, "", "Track the observation belongs to, from 1 by first appearance."),
        ColumnSpec::new(
            "person",
            Kind::Str,
            "",
            "Person the track belongs to, from P1 by first appearance, or a name of the enrolment folder; null = seen too little to be a person.",
        ),
        float("box_left_px", "px", "Left edge of the box around the face mesh."),
        float("box_top_px", "px", "Top edge of the box around the face mesh."),
        float("box_width_px", "px", "Width of the box around the face mesh."),
        float("box_height_px", "px", "Height of the box around the face mesh."),
        float("score", "1", "Detector score of the track's last detection, 0 to 1."),
        float("presence", "1", "Landmark model's certainty that there is a face, 0 to 1."),
        float("head_yaw_deg", "deg", "Head turned about the vertical axis; positive = towards the image's right."),
        float("head_pitch_deg", "deg", "Head turned about the axis through the ears; positive = chin up."),
        float("head_roll_deg", "deg", "Head tilted in the image plane; positive = clockwise as the viewer sees it."),
        float("gaze_head_yaw_deg", "deg", "Gaze against the head's forward direction; positive = towards the image's right."),
        float("gaze_head_pitch_deg", "deg", "Gaze against the head's forward direction; positive = up."),
        float("gaze_camera_yaw_deg", "deg", "Gaze against the line to the camera; positive = towards the image's right."),
        float("gaze_camera_pitch_deg", "deg", "Gaze against the line to the camera; positive = up."),
        float("eye_opening_left", "1", "Height over width of the eye on the image's left."),
        float("eye_opening_right", "1", "Height over width of the eye on the image's right."),
        float("mouth_opening", "1", "Distance of the inner lips over the distance of the outer eye corners."),
        float("size_px", "px", "Geometric mean of the box's sides."),
        float("sharpness", "1", "Variance of the Laplacian of the aligned grey face, times 1000; higher is sharper."),
        float("in_frame", "1", "Share of the landmarks inside the picture, 0 to 1."),
    ];
    columns.extend(prefixed("blendshape", &BLENDSHAPES).map(|name| {
        let description = format!("MediaPipe's coefficient of the ARKit blendshape {}, 0 to 1.", &name["blendshape_".len()..]);
        ColumnSpec::new(name, Kind::F32, "1", description)
    }));
    columns.extend(prefixed("expression", &EXPRESSIONS).map(|name| {
        let description =
            format!("Probability of the expression {}, 0 to 1; null where it was not looked at.", &name["expression_".len()..]);
        ColumnSpec::new(name, Kind::F32, "1", description)
    }));
    if config.landmarks {
        columns.push(ColumnSpec::new("landmarks_px", Kind::F32List, "px", "x, y, z of the 478 landmarks in turn; z in the scale of x."));
    }
    TableSchema { name: "faces", description: "One face seen in one video frame.", columns }
}

/// Contract of the `tracks` table; sorted by track.
pub fn tracks_schema(config: &FaceConfig) -> TableSchema {
    let mut columns = vec![
        key("interview_id", Kind::Str, "", "Interview the row belongs to."),
        ColumnSpec::new("track_id", Kind::I64, "", "Track, from 1 by first appearance."),
        ColumnSpec::new(
            "person",
            Kind::Str,
            "",
            "Person the track belongs to; null for a face seen too small, too doubtfully or too shortly to be a person of the interview.",
        ),
        ColumnSpec::new("first_pts_secs", Kind::F64, "s", "Time of the first observation."),
        ColumnSpec::new("last_pts_secs", Kind::F64, "s", "Time of the last observation."),
        ColumnSpec::new("observations", Kind::I64, "", "Number of observations."),
        ColumnSpec::new("mean_size_px", Kind::F32, "px", "Mean size of the face."),
        ColumnSpec::new("mean_score", Kind::F32, "1", "Mean detector score, 0 to 1."),
    ];
    if config.embeddings {
        columns.push(ColumnSpec::new(
            "embedding",
            Kind::F32List,
            "",
            "Mean identity embedding, 128 values; compare by Euclidean distance.",
        ));
    }
    TableSchema { name: "tracks", description: "Observations of one face, unbroken within a shot.", columns }
}

/// Rows of the `faces` table.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn faces_table(interview_id: &str, faces: &Faces, config: &FaceConfig) -> Result<Table> {
    let blendshapes: Vec<String> = prefixed("blendshape", &BLENDSHAPES).collect();
    let expressions: Vec<String> = prefixed("expression", &EXPRESSIONS).collect();
    let mut table = TableBuilder::new(faces_schema(config));
    for o in &faces.observations {
        table
            .row()
            .set("interview_id", interview_id)
            .set("pts_secs", o.pts)
            .set("track_id", o.track)
            .set("person", faces.person_of(o.track))
            .set("box_left_px", o.bounds.left)
            .set("box_top_px", o.bounds.top)
            .set("box_width_px", o.bounds.width)
            .set("box_height_px", o.bounds.height)
            .set("score", o.score)
            .set("presence", o.presence)
            .set("head_yaw_deg", o.pose.map(|p| p.yaw_deg))
            .set("head_pitch_deg", o.pose.map(|p| p.pitch_deg))
            .set("head_roll_deg", o.pose.map(|p| p.roll_deg))
            .set("gaze_head_yaw_deg", o.gaze.map(|g| g.head_yaw_deg))
            .set("gaze_head_pitch_deg", o.gaze.map(|g| g.head_pitch_deg))
            .set("gaze_camera_yaw_deg", o.gaze.map(|g| g.camera_yaw_deg))
            .set("gaze_camera_pitch_deg", o.gaze.map(|g| g.camera_pitch_deg))
            .set("eye_opening_left", o.eye_opening_left)
            .set("eye_opening_right", o.eye_opening_right)
            .set("mouth_opening", o.mouth_opening)
            .set("size_px", o.quality.size_px)
            .set("sharpness", o.quality.sharpness)
            .set("in_frame", o.quality.in_frame);
        for (name, &x) in blendshapes.iter().zip(o.blendshapes.iter().flatten()) {
            table.set(name, x);
        }
        for (name, &x) in expressions.iter().zip(o.expression.iter().flatten()) {
            table.set(name, x);
        }
        if config.landmarks {
            table.set("landmarks_px", o.landmarks.as_ref().map_or(Cell::Missing, |l| Cell::from(l.as_flattened().to_vec())));
        }
    }
    table.finish()
}

/// Rows of the `tracks` table.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn tracks_table(interview_id: &str, faces: &Faces, config: &FaceConfig) -> Result<Table> {
    let mut table = TableBuilder::new(tracks_schema(config));
    for t in &faces.tracks {
        table
            .row()
            .set("interview_id", interview_id)
            .set("track_id", t.id)
            .set("person", t.person.as_deref())
            .set("first_pts_secs", t.first_pts)
            .set("last_pts_secs", t.last_pts)
            .set("observations", t.observations)
            .set("mean_size_px", t.mean_size_px)
            .set("mean_score", t.mean_score);
        if config.embeddings {
            table.set("embedding", t.embedding.clone());
        }
    }
    table.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::{BoundingBox, Observation, Track};
    use crate::table::ColumnData;
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
            }],
            tracks: vec![Track {
                id: 1,
                person: Some("P1".into()),
                first_pts: pts,
                last_pts: pts,
                observations: 1,
                mean_size_px: 10.0,
                mean_score: 0.9,
                embedding: None,
                crop: None,
            }],
            ..Faces::default()
        };
        let config = FaceConfig { landmarks: true, embeddings: true, ..FaceConfig::default() };
        let table = faces_table("a", &faces, &config).unwrap();
        assert_eq!(table.rows(), 1);
        assert_eq!(table.column("person"), Some(&ColumnData::Str(vec![Some("P1".into())])));
        assert_eq!(table.column("blendshape_mouthSmileLeft"), Some(&ColumnData::F32(vec![0.5])));
        assert!(matches!(table.column("head_yaw_deg"), Some(ColumnData::F32(v)) if v[0].is_nan()));
        assert!(matches!(table.column("expression_happy"), Some(ColumnData::F32(v)) if v[0].is_nan()));
        assert_eq!(table.column("landmarks_px"), Some(&ColumnData::F32List(vec![None])));
        assert_eq!(tracks_table("a", &faces, &config).unwrap().rows(), 1);
    }
}
