//! Columns of what hands do besides gestures, how a person stands to the other, and what is taken over from the other.

use super::BodyTurn;
use super::more::More;
use crate::table::Column;

fn told(
    name: &'static str,
    unit: &'static str,
    description: &'static str,
    value: fn(&More) -> Option<f64>,
) -> Column<BodyTurn> {
    Column::float(name, unit, description, move |b: &BodyTurn| value(&b.more))
}

fn counted(name: &'static str, description: &'static str, value: fn(&More) -> Option<usize>) -> Column<BodyTurn> {
    Column::int(name, "", description, move |b: &BodyTurn| value(&b.more))
}

/// Rest, fidgeting and the size of strokes; null as the columns of hands are.
pub(super) fn hand_columns() -> Vec<Column<BodyTurn>> {
    vec![
        told(
            "hands_at_rest_share",
            "1",
            "Share of the steps between looks in which a hand is seen and none is as fast as {turns.body.still_speed} \
             shoulder widths a second; of steps with a hand.",
            |m| m.at_rest_share,
        )
        .from_source("Mehrabian 1972"),
        told(
            "hands_fidget_share",
            "1",
            "Share of these steps with small movements at rest: a hand is at least as fast as {turns.body.still_speed} \
             and slower than {turns.body.gesture_speed} shoulder widths a second, within {turns.body.fidget_reach} \
             shoulder widths of its mean place in the turn. Unchecked against labels.",
            |m| m.fidget_share,
        )
        .from_source("Mehrabian 1972"),
        told(
            "gesture_size_mean",
            "1",
            "Mean way of the faster hand in the steps that gesture_strokes_per_min counts, in shoulder widths; null \
             without one.",
            |m| m.stroke_size,
        )
        .from_source("Mehrabian 1972"),
    ]
}

/// Touches of the own body besides the face.
pub(super) fn touch_columns() -> Vec<Column<BodyTurn>> {
    let all = vec![
        told(
            "head_on_hand_share",
            "1",
            "Share of looks in which the head rests on a hand: one has been at the chin or cheek for \
             {turns.body.rest_secs} s.",
            |m| m.head_on_hand_share,
        ),
        told(
            "hand_at_hair_share",
            "1",
            "Share of looks with a hand at the hair: at least {turns.body.face_points} fingertips and knuckles above \
             the face's box by up to 0.6 of its height or beside its upper part by up to a quarter of its width, and \
             no hand at the face. Unchecked against labels.",
            |m| m.hair_share,
        ),
        told(
            "hand_at_neck_share",
            "1",
            "Likewise of the neck: below the face's box by 0.05 to 0.5 of its height. A hand held before it counts too. \
             Unchecked against labels.",
            |m| m.neck_share,
        ),
        told(
            "hand_at_arm_share",
            "1",
            "Share of looks with a hand at the other arm: its middle knuckle within {turns.body.arm_reach} shoulder \
             widths of the line from that arm's shoulder over the elbow to the wrist, and the hands not together. Null \
             where no hand is found, or the other arm is not seen. Unchecked against labels.",
            |m| m.arm_share,
        ),
    ];
    all.into_iter().map(|c| c.from_source("Ekman & Friesen 1969")).collect()
}

/// Standing up and sitting down.
pub(super) fn rise_columns() -> Vec<Column<BodyTurn>> {
    vec![
        counted(
            "stands_up_events",
            "Times at which the middle of the shoulders has risen in the picture by {turns.body.rise_reach} shoulder \
             widths within {turns.body.rise_secs} s. A camera that tilts moves it too. Unchecked against labels.",
            |m| m.rises,
        ),
        counted(
            "sits_down_events",
            "Likewise times at which it has fallen by so much. Unchecked against labels.",
            |m| m.falls,
        ),
    ]
}

/// To the other, and after the other.
pub(super) fn other_columns() -> Vec<Column<BodyTurn>> {
    vec![
        told(
            "turned_to_other_share",
            "1",
            "Share of looks, of those that see another in the same camera's picture, in which the shoulders are \
             turned by at least {turns.body.turned_deg} degrees to the nearest other's side; rough. Null as \
             other_distance_mean.",
            |m| m.to_other_share,
        )
        .from_source("Mehrabian 1972"),
        told(
            "turned_from_other_share",
            "1",
            "Likewise away from that side.",
            |m| m.from_other_share,
        )
        .from_source("Mehrabian 1972"),
        told(
            "touches_other_share",
            "1",
            "Share of these looks in which a middle knuckle of the person's lies on the nearest other's face, or \
             between the other's shoulders down to a shoulder width below; depth is not seen. Null also where no hand is found. \
             Unchecked against labels.",
            |m| m.touches_other_share,
        )
        .from_source("Hall 1966"),
        counted(
            "lean_mirrored_events",
            "Leans, forward or back as in lean_forward_share, that begin in the turn within {turns.body.mirror_secs} s \
             after another's lean in the same direction; null where nobody else has a body. What chance alone gives is \
             not taken off.",
            |m| m.mirrored_leans,
        )
        .from_source("Chartrand & Bargh 1999"),
        counted(
            "self_touch_mirrored_events",
            "Touches of the own face, as in hand_at_face_events, within {turns.body.mirror_secs} s after another's; \
             likewise.",
            |m| m.mirrored_touches,
        )
        .from_source("Chartrand & Bargh 1999"),
    ]
}
