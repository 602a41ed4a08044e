//! The `events` table: what a transcript says is heard and not said.

use super::measured;
use crate::annotation::{SoundEvent, Turn};
use crate::error::Result;
use crate::table::{Column, CutOff, Layout, Modality, Table, TableSchema, all_until};

/// One sound, and the turn whose words stand beside it.
struct EventRow<'a> {
    interview_id: &'a str,
    event_index: i64,
    turn_index: Option<i64>,
    event: &'a SoundEvent,
}

fn layout<'a>() -> Layout<EventRow<'a>> {
    let keys = [
        Column::text("interview_id", "Interview the row belongs to.", |r: &EventRow<'a>| r.interview_id),
        Column::int("event_index", "", "Position among the sounds of the interview, from 1.", |r: &EventRow<'a>| {
            r.event_index
        }),
        Column::int(
            "turn_index",
            "",
            "The turn in which it begins, the last begun of several; null = between turns.",
            |r: &EventRow<'a>| r.turn_index,
        ),
    ];
    let told = [
        Column::text(
            "event",
            "What is heard, as the transcript writes it in brackets or behind a note: laughter, music, a pause. No \
             word of a turn.",
            |r: &EventRow<'a>| r.event.what.as_str(),
        ),
        Column::text("speaker", "Label of the cue in which it stands; null = nobody is named.", |r: &EventRow<'a>| {
            r.event.speaker.as_deref()
        }),
        Column::float("start_secs", "s", "Start of the cue in which it stands.", |r: &EventRow<'a>| {
            r.event.segment.start()
        }),
        Column::float("end_secs", "s", "End of the cue in which it stands.", |r: &EventRow<'a>| r.event.segment.end()),
        Column::bool(
            "with_words",
            "True where words stand in the same cue: the sound is somewhere in it; false: start and end are its own.",
            |r: &EventRow<'a>| r.event.in_turn,
        ),
    ];
    let mut columns = all_until(CutOff::None, keys);
    columns.extend(measured(Modality::Timing, all_until(CutOff::TurnEnd, told)));
    Layout { name: "events", description: "One sound that the transcript describes.", columns }
}

/// Contract of the `events` table.
pub fn events_schema() -> TableSchema {
    layout().schema()
}

/// Rows of the `events` table, in the order of the transcript.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn events_table(interview_id: &str, turns: &[Turn], events: &[SoundEvent]) -> Result<Table> {
    let turn = |event: &SoundEvent| {
        let start = event.segment.start();
        let holds = |t: &&Turn| t.segment.contains(start) || event.in_turn && t.segment == event.segment;
        turns.iter().filter(holds).max_by_key(|t| t.segment.start()).map(|t| i64::from(t.index))
    };
    let row = |(event, event_index)| EventRow { interview_id, event_index, turn_index: turn(event), event };
    layout().table(events.iter().zip(1..).map(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ColumnData;
    use crate::time::Segment;

    #[test]
    fn a_sound_is_of_the_turn_in_which_it_begins() {
        let segment = |a, b| Segment::from_secs(a, b).unwrap();
        let turn = |index, a, b| Turn {
            index,
            segment: segment(a, b),
            speaker: Some("A".into()),
            text: "so".into(),
            words: Vec::new(),
        };
        let event =
            |a, b, in_turn| SoundEvent { segment: segment(a, b), speaker: None, what: "laughs".into(), in_turn };
        let turns = [turn(1, 0.0, 2.0), turn(2, 3.0, 5.0)];
        let events = [event(1.0, 1.5, false), event(2.0, 3.0, false), event(3.0, 5.0, true)];
        let table = events_table("a", &turns, &events).unwrap();
        let Some(ColumnData::I64(turn)) = table.column("turn_index") else { panic!() };
        assert_eq!(*turn, [Some(1), None, Some(2)]);
        let Some(ColumnData::Str(what)) = table.column("event") else { panic!() };
        assert!(what.iter().all(|w| w.as_deref() == Some("laughs")));
    }
}
