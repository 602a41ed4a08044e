//! The listener's body during a turn, as `dyads` tells it.

use super::{BodyTurn, body_columns};
use crate::table::{Column, Missing};
use crate::turns::of_turn;

/// The columns of `turn_bodies` that are told of a listener too.
const TOLD: [&str; 16] = [
    "body_presence_share",
    "body_missing",
    "lean_forward_deg_mean",
    "lean_side_deg_mean",
    "lean_forward_share",
    "lean_back_share",
    "arms_crossed_share",
    "body_still_share",
    "hand_speed_mean",
    "gesture_strokes_per_min",
    "hands_fidget_share",
    "hands_missing",
    "hand_at_face_share",
    "turned_to_other_share",
    "lean_mirrored_events",
    "self_touch_mirrored_events",
];

/// The body of `person` in the turn at a position; a row without values where no person is known to be the listener, or
/// the person's body is not seen.
pub(in crate::turns) fn of_listener(turns: &[BodyTurn], turn: usize, person: Option<&str>) -> BodyTurn {
    let there = of_turn(turns, turn, |b| b.turn);
    BodyTurn::of_speaker(there, person, Some(Missing::NotCast))
}

/// `listener_lean_forward_share` and the like: columns of `turn_bodies`, of the listener.
pub(in crate::turns) fn listener_columns() -> Vec<Column<BodyTurn>> {
    let all = body_columns().into_iter().filter(|c| TOLD.contains(&c.spec().name.as_ref()));
    all.map(|c| c.of_another("listener_", "The listener's, as in turn_bodies: ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_that_is_told_of_listeners_is_there() {
        let names: Vec<String> = listener_columns().iter().map(|c| c.spec().name.to_string()).collect();
        assert_eq!(names.len(), TOLD.len(), "{names:?}");
    }

    #[test]
    fn a_listener_without_a_person_has_a_reason() {
        let value = |body: &BodyTurn| {
            let columns = listener_columns();
            let missing = columns.iter().find(|c| c.spec().name == "listener_body_missing").unwrap();
            format!("{:?}", missing.value(body))
        };
        assert!(value(&of_listener(&[], 0, None)).contains("not_cast"));
        assert!(value(&of_listener(&[], 0, Some("P1"))).contains("no_body"));
    }
}
