//! The tables of bodies: one row per body and frame, one row per hand and frame.

use std::ops::Range;

use super::observation::body_point::{EARS, ELBOWS, HIPS, INDEXES, NOSE, SHOULDERS, WRISTS};
use super::{Bodies, BodyConfig, BodyObservation, BodyPoint, HandObservation};
use crate::error::Result;
use crate::table::{Column, ColumnSpec, CutOff, Kind, Layout, Modality, Table, all_from, all_of};

const BODY_SOURCE: &str = "Bazarevsky et al. 2020";
const HAND_SOURCE: &str = "Zhang et al. 2020";

/// Landmarks with columns of their own; left and right are the person's.
const NAMED: [(&str, usize, &str); 13] = [
    ("nose", NOSE, "the tip of the nose"),
    ("left_ear", EARS[0], "the left ear"),
    ("right_ear", EARS[1], "the right ear"),
    ("left_shoulder", SHOULDERS[0], "the left shoulder"),
    ("right_shoulder", SHOULDERS[1], "the right shoulder"),
    ("left_elbow", ELBOWS[0], "the left elbow"),
    ("right_elbow", ELBOWS[1], "the right elbow"),
    ("left_wrist", WRISTS[0], "the left wrist"),
    ("right_wrist", WRISTS[1], "the right wrist"),
    ("left_index", INDEXES[0], "the left index finger's knuckle"),
    ("right_index", INDEXES[1], "the right index finger's knuckle"),
    ("left_hip", HIPS[0], "the left hip"),
    ("right_hip", HIPS[1], "the right hip"),
];

/// Landmarks of a hand with columns of their own.
const HAND_NAMED: [(&str, usize, &str); 4] = [
    ("wrist", 0, "the wrist"),
    ("thumb_tip", 4, "the tip of the thumb"),
    ("index_tip", 8, "the tip of the index finger"),
    ("middle_base", 9, "the base of the middle finger"),
];

/// A body in a frame, on its way into the `bodies` table.
#[derive(Clone, Copy, Debug)]
pub struct BodyRow<'a> {
    /// Interview the video belongs to.
    pub interview_id: &'a str,
    /// What was seen.
    pub body: &'a BodyObservation,
}

/// A hand in a frame, on its way into the `hands` table.
#[derive(Clone, Copy, Debug)]
pub struct HandRow<'a> {
    /// Interview the video belongs to.
    pub interview_id: &'a str,
    /// What was seen.
    pub hand: &'a HandObservation,
}

fn measure<'a>(
    name: impl Into<std::borrow::Cow<'static, str>>,
    unit: &'static str,
    description: impl Into<std::borrow::Cow<'static, str>>,
    value: impl Fn(&BodyObservation) -> f32 + 'static,
) -> Column<BodyRow<'a>> {
    Column::new(ColumnSpec::new(name, Kind::F32, unit, description), move |r: &BodyRow<'a>| value(r.body))
}

fn of_hand<'a>(
    name: impl Into<std::borrow::Cow<'static, str>>,
    unit: &'static str,
    description: impl Into<std::borrow::Cow<'static, str>>,
    value: impl Fn(&HandObservation) -> f32 + 'static,
) -> Column<HandRow<'a>> {
    Column::new(ColumnSpec::new(name, Kind::F32, unit, description), move |r: &HandRow<'a>| value(r.hand))
}

/// The `bodies` table; sorted by time, then body.
pub fn bodies_layout<'a>(config: &BodyConfig) -> Layout<BodyRow<'a>> {
    let person = "Person of the face seen with the body, else of the last face it had in the shot, else of the next; \
                  null = its face was never seen, or is nobody's.";
    let face = "Track of the face seen with the body in this frame; null = no face is seen.";
    let mut columns = vec![
        Column::text("interview_id", "Interview the row belongs to.", |r: &BodyRow<'a>| r.interview_id)
            .until(CutOff::None),
        Column::float(
            "pts_secs",
            "s",
            "Presentation time of the frame since the recording's origin.",
            |r: &BodyRow<'a>| r.body.pts,
        ),
        Column::int(
            "body_id",
            "",
            "The body followed within a shot, from 1 by first appearance.",
            |r: &BodyRow<'a>| r.body.body,
        ),
        Column::text("person", person, |r: &BodyRow<'a>| r.body.person.as_deref()),
        Column::int("track_id", "", face, |r: &BodyRow<'a>| r.body.head.map(|h| h.track)),
    ];
    let presence = "Landmark model's certainty that there is a body, 0 to 1; at least {body.presence}.";
    let width = "Distance of the shoulders in the picture.";
    let mut seen = vec![
        measure("presence", "1", presence, |o| o.presence),
        measure("shoulder_width_px", "px", width, BodyObservation::shoulder_width),
        measure("in_frame", "1", "Share of the 33 landmarks inside the picture, 0 to 1.", |o| o.in_frame),
        measure("region_x_px", "px", "Middle of the square that was looked at.", |o| o.region[0]),
        measure("region_y_px", "px", "Middle of the square that was looked at.", |o| o.region[1]),
        measure("region_side_px", "px", "Side of the square that was looked at.", |o| o.region[2]),
        measure("region_turn_deg", "deg", "Turn of that square, positive = clockwise as the viewer sees it.", |o| {
            o.region[3].to_degrees()
        }),
    ];
    for (name, k, what) in NAMED {
        let visible = format!("Visibility of {what}, 0 to 1: seen, neither hidden nor outside of the picture.");
        let guess = "where its visibility is low, a guess";
        seen.extend([
            measure(format!("{name}_x_px"), "px", format!("Place of {what} from the left; {guess}."), move |o| {
                o.points[k].x
            }),
            measure(format!("{name}_y_px"), "px", format!("Place of {what} from the top; {guess}."), move |o| {
                o.points[k].y
            }),
            measure(format!("{name}_visibility"), "1", visible, move |o| o.points[k].visibility),
        ]);
    }
    if config.landmarks {
        let all = "x, y, z of the 33 landmarks in turn, in MediaPipe's order; z in the scale of x, smaller = nearer \
                   than the hips.";
        let flat = |r: &BodyRow<'a>| r.body.points.iter().flat_map(|p| [p.x, p.y, p.z]).collect::<Vec<f32>>();
        let visible = |r: &BodyRow<'a>| r.body.points.iter().map(|p: &BodyPoint| p.visibility).collect::<Vec<f32>>();
        seen.push(Column::new(ColumnSpec::new("landmarks_px", Kind::F32List, "px", all), flat));
        let spec = ColumnSpec::new("visibility", Kind::F32List, "1", "Visibility of each of the 33 landmarks, 0 to 1.");
        seen.push(Column::new(spec, visible));
    }
    columns.extend(all_of(Modality::Face, all_from(BODY_SOURCE, seen)));
    Layout { name: "bodies", description: "One body seen in one video frame.", columns }
}

/// The `hands` table; sorted by time, then body, then side.
pub fn hands_layout<'a>(config: &BodyConfig) -> Layout<HandRow<'a>> {
    let side = "Side of the person whose wrist the hand continues: left or right, the person's own. A hand begins at \
                most {body.hand_reach} shoulder widths from its wrist; others are nobody's and left out.";
    let agrees = "Probability, from the hand's looks alone, that it is of this side, 0 to 1.";
    let mut columns = vec![
        Column::text("interview_id", "Interview the row belongs to.", |r: &HandRow<'a>| r.interview_id)
            .until(CutOff::None),
        Column::float(
            "pts_secs",
            "s",
            "Presentation time of the frame since the recording's origin.",
            |r: &HandRow<'a>| r.hand.pts,
        ),
        Column::int("body_id", "", "Body of the hand; see the bodies table.", |r: &HandRow<'a>| r.hand.body),
        Column::text("person", "Person of the body.", |r: &HandRow<'a>| r.hand.person.as_deref()),
        Column::text("side", side, |r: &HandRow<'a>| r.hand.side.name()),
    ];
    let presence = "Landmark model's certainty that there is a hand, 0 to 1; at least {body.hand_presence}.";
    let mut seen =
        vec![of_hand("presence", "1", presence, |h| h.presence), of_hand("side_score", "1", agrees, |h| h.side_score)];
    for (name, k, what) in HAND_NAMED {
        seen.extend([
            of_hand(format!("{name}_x_px"), "px", format!("Place of {what} from the left."), move |h| h.points[k][0]),
            of_hand(format!("{name}_y_px"), "px", format!("Place of {what} from the top."), move |h| h.points[k][1]),
        ]);
    }
    if config.landmarks {
        let all = "x, y, z of the 21 landmarks in turn, in MediaPipe's order; z in the scale of x, smaller = nearer \
                   than the wrist.";
        let spec = ColumnSpec::new("landmarks_px", Kind::F32List, "px", all);
        seen.push(Column::new(spec, |r: &HandRow<'a>| r.hand.points.as_flattened().to_vec()));
    }
    columns.extend(all_of(Modality::Face, all_from(HAND_SOURCE, seen)));
    Layout { name: "hands", description: "One hand seen in one video frame.", columns }
}

/// Rows of the `bodies` table: a row an observation.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit its column.
pub fn bodies_table(interview_id: &str, bodies: &Bodies, rows: Range<usize>, config: &BodyConfig) -> Result<Table> {
    bodies_layout(config).table(bodies.observations[rows].iter().map(|body| BodyRow { interview_id, body }))
}

/// Rows of the `hands` table: a row a hand.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit its column.
pub fn hands_table(interview_id: &str, bodies: &Bodies, rows: Range<usize>, config: &BodyConfig) -> Result<Table> {
    hands_layout(config).table(bodies.hands[rows].iter().map(|hand| HandRow { interview_id, hand }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::observation::bare;
    use crate::body::{HAND_POINTS, Side};
    use crate::table::ColumnData;
    use crate::time::Seconds;

    #[test]
    fn a_body_and_a_hand_become_rows() {
        let mut body = bare(1.5, 3, Some(7));
        body.person = Some("P1".into());
        body.points[SHOULDERS[0]] = BodyPoint { x: 30.0, y: 4.0, z: 0.0, visibility: 0.9 };
        body.points[SHOULDERS[1]] = BodyPoint { x: 0.0, y: 44.0, z: 0.0, visibility: 0.8 };
        let hand = HandObservation {
            pts: Seconds::of(1.5),
            body: 3,
            person: None,
            side: Side::Right,
            presence: 0.7,
            side_score: 0.6,
            points: [[1.0, 2.0, 3.0]; HAND_POINTS],
        };
        let bodies = Bodies { observations: vec![body], hands: vec![hand], sampled: Vec::new() };
        let config = BodyConfig { landmarks: true, ..BodyConfig::default() };
        let table = bodies_table("a", &bodies, 0..1, &config).unwrap();
        assert_eq!(table.column("track_id"), Some(&ColumnData::I64(vec![Some(7)])));
        assert_eq!(table.column("shoulder_width_px"), Some(&ColumnData::F32(vec![50.0])));
        assert_eq!(table.column("right_shoulder_y_px"), Some(&ColumnData::F32(vec![44.0])));
        let Some(ColumnData::F32List(lists)) = table.column("landmarks_px") else { panic!("no landmarks") };
        assert_eq!(lists[0].as_ref().map(Vec::len), Some(99));
        let table = hands_table("a", &bodies, 0..1, &config).unwrap();
        assert_eq!(table.column("side"), Some(&ColumnData::Str(vec![Some("right".into())])));
        assert_eq!(table.column("person"), Some(&ColumnData::Str(vec![None])));
        assert_eq!(table.column("middle_base_y_px"), Some(&ColumnData::F32(vec![2.0])));
        assert!(bodies_layout(&BodyConfig::default()).columns.iter().all(|c| c.spec().name != "landmarks_px"));
    }
}
