//! The columns of `turn_bodies`.

use super::look::FaceRegion;
use super::{BodyTurn, HandsOfTurn, Posture, more_columns};
use crate::annotation::Turn;
use crate::error::Result;
use crate::table::{Column, CutOff, Layout, Modality, Table, TableSchema, all_until};
use crate::turns::{measured, role};

const HANDS: &str = "Mehrabian 1972; Zhang et al. 2020";
const POSTURE: &str = "Mehrabian 1972; Bazarevsky et al. 2020";

/// One visible person during one turn.
struct Row<'a> {
    interview_id: &'a str,
    turn_index: u32,
    role: &'static str,
    body: &'a BodyTurn,
}

fn posture(
    name: &'static str,
    unit: &'static str,
    description: impl Into<std::borrow::Cow<'static, str>>,
    value: fn(&Posture) -> Option<f64>,
) -> Column<BodyTurn> {
    Column::float(name, unit, description, move |b: &BodyTurn| value(&b.posture)).from_source(POSTURE)
}

fn hands(
    name: &'static str,
    unit: &'static str,
    description: &'static str,
    value: fn(&HandsOfTurn) -> Option<f64>,
) -> Column<BodyTurn> {
    Column::float(name, unit, description, move |b: &BodyTurn| value(&b.hands)).from_source(HANDS)
}

/// How often the body is seen.
fn seen_columns() -> Vec<Column<BodyTurn>> {
    let counts = "A look counts when both shoulders have a visibility of at least {turns.body.visibility} and are at \
                  least {turns.body.min_shoulder_px} px apart.";
    vec![
        Column::float(
            "body_presence_share",
            "1",
            "Share of the turn's looks at bodies in which the person's body is seen, 0 to 1; persons whose body and \
             face are both seen in less than {turns.min_presence_share} have no row.",
            |b: &BodyTurn| b.presence_share,
        ),
        Column::int("body_looks", "", format!("Looks that count. {counts}"), |b: &BodyTurn| b.looks),
        Column::text(
            "body_missing",
            "Why the columns of the body are null: no_body (the face is seen, no body is found with it), low_quality \
             (no look counts). In turns, whose row is of the speaker's own body, also off_screen (the speaker's person \
             is not seen), not_cast (which of those seen speaks is not known), and what face_missing says.",
            |b: &BodyTurn| b.missing,
        ),
    ]
}

/// Angles of shoulders and trunk.
fn angle_columns() -> Vec<Column<BodyTurn>> {
    vec![
        posture(
            "shoulder_tilt_deg_mean",
            "deg",
            "Mean tilt of the shoulder line, positive = clockwise as the viewer sees it.",
            |p| p.shoulder_tilt_deg,
        ),
        posture(
            "shoulder_turn_deg_mean",
            "deg",
            "Mean turn of the shoulders by the landmark model's depths, positive = towards the image's right; rough.",
            |p| p.shoulder_turn_deg,
        ),
        posture(
            "lean_side_deg_mean",
            "deg",
            "Mean angle of the trunk from the vertical through the hips, positive = to the image's right; null where \
             the hips are not seen.",
            |p| p.lean_side_deg,
        ),
        posture(
            "lean_forward_deg_mean",
            "deg",
            "Mean lean of the trunk towards the camera by the landmark model's depths of shoulders and hips; null \
             where the hips are not seen; rough.",
            |p| p.lean_forward_deg,
        ),
    ]
}

/// Lean and shoulders against what is usual for the person.
fn lean_columns() -> Vec<Column<BodyTurn>> {
    let far = "against the person's own median of the interview so far; null before {turns.body.baseline_looks} looks";
    vec![
        posture(
            "head_over_shoulders_mean",
            "1",
            "Mean size of the face (geometric mean of its box's sides) over the shoulder width: larger when the head \
             comes nearer to the camera than the trunk, as in leaning forward; also when the shoulders turn aside. \
             Null where no face is seen.",
            |p| p.head_size,
        ),
        posture(
            "lean_forward_share",
            "1",
            format!(
                "Share of looks in which head_over_shoulders is more than {{turns.body.lean_share}} of itself above, \
                 {far}."
            ),
            |p| p.forward_share,
        ),
        posture(
            "lean_back_share",
            "1",
            format!("Share of looks in which it is more than {{turns.body.lean_share}} of itself below, {far}."),
            |p| p.back_share,
        ),
        posture(
            "ears_over_shoulders_mean",
            "1",
            "Mean height of the ears over the shoulders in shoulder widths: smaller when the shoulders are raised, or \
             the head is bowed.",
            |p| p.neck,
        ),
        posture(
            "shoulders_raised_share",
            "1",
            format!("Share of looks in which that height is {{turns.body.raise_share}} of itself lower, {far}."),
            |p| p.raised_share,
        ),
    ]
}

fn stillness_columns() -> Vec<Column<BodyTurn>> {
    vec![
        posture(
            "arms_crossed_share",
            "1",
            "Share of looks with crossed arms: each wrist on the other side of the body, below the shoulders and \
             within {turns.body.crossed_reach} shoulder widths of the other arm's elbow. Of looks in which wrists and \
             elbows are seen; null without one.",
            |p| p.crossed_share,
        ),
        posture(
            "trunk_speed_mean",
            "1/s",
            "Mean speed of the middle of the shoulders in the picture, in shoulder widths a second, between looks at \
             most {turns.body.longest_step_secs} s apart. A moving camera moves it too.",
            |p| p.trunk_speed,
        ),
        posture(
            "body_still_share",
            "1",
            "Share of the steps between looks in which hands, head and trunk are all slower than \
             {turns.body.still_speed} shoulder widths a second; hands that are not seen are taken for still.",
            |p| p.still_share,
        ),
    ]
}

fn hand_columns() -> Vec<Column<BodyTurn>> {
    vec![
        Column::text(
            "hands_missing",
            "Why the columns of hands are null: as body_missing, or hands_out_of_picture (no wrist is seen in any \
             look).",
            |b: &BodyTurn| b.hands_missing,
        ),
        hands(
            "hands_visible_share",
            "1",
            "Share of looks in which a hand is found, or a wrist in the picture (the tile, where it is divided) has a \
             visibility of at least {turns.body.wrist_alone}.",
            |h| h.visible_share,
        ),
        hands("both_hands_visible_share", "1", "The same of both hands.", |h| h.both_share),
        hands(
            "hands_together_share",
            "1",
            "Share of looks, of those in which both are seen, with wrists or middle knuckles at most \
             {turns.body.together_reach} shoulder widths apart.",
            |h| h.together_share,
        ),
        hands(
            "hand_speed_mean",
            "1/s",
            "Movement energy of the hands: mean speed of the hands that are seen (base of the middle finger, else the \
             body's own knuckle), against the middle of the shoulders, in shoulder widths a second, between looks at \
             most {turns.body.longest_step_secs} s apart. At {body.rate_hz} looks a second what goes there and back \
             between two looks is lost.",
            |h| h.speed,
        ),
        hands("hand_speed_peak", "1/s", "Largest speed of a hand in the turn, likewise.", |h| h.peak_speed),
        hands(
            "gesture_strokes_per_min",
            "1/min",
            "Strokes a minute of time in which a hand is seen: a hand is as fast as {turns.body.gesture_speed} \
             shoulder widths a second, and faster than in the steps before and after; both hands at once are one. At \
             most half as many a second as there are looks ({body.rate_hz}).",
            |h| h.strokes_per_min,
        ),
    ]
}

/// Touches of the own face.
fn touch_columns() -> Vec<Column<BodyTurn>> {
    vec![
        Column::float(
            "hand_at_face_share",
            "1",
            "Share of looks with a hand at the face: at least {turns.body.face_points} fingertips and knuckles in the \
             face's box, enlarged {turns.body.face_enlarge} times. A hand held between camera and face counts too.",
            |b: &BodyTurn| b.touch.face_share,
        )
        .from_source("Ekman & Friesen 1969; Zhang et al. 2020"),
        Column::int(
            "hand_at_face_events",
            "",
            "Touches that have lasted {turns.body.touch_secs} s in the turn, each counted once, in the turn in which \
             it has lasted so long.",
            |b: &BodyTurn| b.touch.face_events,
        )
        .from_source("Ekman & Friesen 1969"),
        Column::text(
            "hand_at_face_region",
            "Where the hand is at the face in most of these looks, by thirds of its box: forehead, cheek, mouth or \
             chin; null = never at the face.",
            |b: &BodyTurn| b.touch.region.map(FaceRegion::name),
        ),
    ]
}

fn distance_columns() -> Vec<Column<BodyTurn>> {
    vec![
        Column::float(
            "other_distance_mean",
            "1",
            "Mean distance in the picture to the nearest other person, middle of the shoulders to middle of the \
             shoulders, over the mean of both shoulder widths; depth is not seen.",
            |b: &BodyTurn| b.distance,
        )
        .from_source("Hall 1966"),
        Column::float(
            "other_approach_per_sec",
            "1/s",
            "How much that distance falls a second, by least squares over the turn.",
            |b: &BodyTurn| b.approach,
        )
        .from_source("Hall 1966"),
        Column::text(
            "other_distance_missing",
            "Why the distance is null: as body_missing, not_together (nobody else is seen in the same picture), \
             split_screen (the others are in tiles of their own).",
            |b: &BodyTurn| b.distance_missing,
        ),
    ]
}

/// The columns that `turns` and `turn_bodies` share.
pub(in crate::turns) fn body_columns() -> Vec<Column<BodyTurn>> {
    let posture = seen_columns().into_iter().chain(angle_columns()).chain(lean_columns()).chain(stillness_columns());
    let posture = posture.chain(more_columns::rise_columns());
    let hands = hand_columns().into_iter().chain(more_columns::hand_columns());
    let touches = touch_columns().into_iter().chain(more_columns::touch_columns());
    let others = distance_columns().into_iter().chain(more_columns::other_columns());
    let all = posture.chain(hands).chain(touches).chain(others);
    measured(Modality::Face, all_until(CutOff::TurnEnd, all))
}

/// Columns of the `turn_bodies` table.
fn layout<'a>() -> Layout<Row<'a>> {
    let mut columns = vec![
        Column::text("interview_id", "Interview the row belongs to.", |r: &Row<'a>| r.interview_id).until(CutOff::None),
        Column::int("turn_index", "", "Turn.", |r: &Row<'a>| r.turn_index).until(CutOff::None),
        Column::text("person", "Person on the screen, as in turn_faces.", |r: &Row<'a>| r.body.person.as_str()),
        Column::text(
            "role",
            "speaker = the turn's speaker by the cast, listener = somebody else, unknown = the turn's speaker has no \
             person.",
            |r: &Row<'a>| r.role,
        ),
    ];
    columns.extend(body_columns().into_iter().map(|c| c.within(|r: &Row<'a>| Some(r.body))));
    Layout { name: "turn_bodies", description: "The body of one visible person during one turn.", columns }
}

/// Contract of the `turn_bodies` table.
pub fn turn_bodies_schema() -> TableSchema {
    layout().schema()
}

/// Rows of `turn_bodies`, by turn, then person. `speaker_person` gives the turn's speaker on the screen by position of
/// the turn.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn turn_bodies_table<'a>(
    interview_id: &'a str,
    turns: &[Turn],
    bodies: &'a [BodyTurn],
    speaker_person: impl Fn(usize) -> Option<&'a str>,
) -> Result<Table> {
    layout().table(bodies.iter().map(|body| {
        let role = role(&body.person, speaker_person(body.turn));
        Row { interview_id, turn_index: turns[body.turn].index, role, body }
    }))
}
