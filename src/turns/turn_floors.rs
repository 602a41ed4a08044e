//! The floor a turn is of, for the `turns` table: its number, its times by the transcript and by voices, and the turn's
//! position in it.

use std::collections::{BTreeMap, BTreeSet};

use super::Relations;
use super::conversation::Conversation;
use super::floors::Span;
use crate::table::{Column, CutOff, Missing, Modality, all_of, all_until};
use crate::time::Segment;

/// Where a turn stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TurnInFloor {
    place: Result<(usize, usize), Missing>,
    span: Option<Span>,
    /// By voices: from the first utterance that belongs to the floor's turns to the end of the last.
    heard: Option<Segment>,
}

/// One for each turn.
pub(super) fn turn_floors(relations: &Relations<'_>) -> Vec<TurnInFloor> {
    let Conversation { floors, begun, in_doubt, .. } = Conversation::of(relations);
    let mut doubtful = BTreeSet::new();
    let mut heard: BTreeMap<usize, Segment> = BTreeMap::new();
    for (at, floor) in floors.of.iter().enumerate() {
        let Ok(place) = floor.place else { continue };
        if in_doubt[at] {
            doubtful.insert(place.floor);
        }
        for said in begun.in_turn(at) {
            let whole = heard.entry(place.floor).or_insert(*said);
            *whole = Segment::new(whole.start().min(said.start()), whole.end().max(said.end())).unwrap_or(*whole);
        }
    }
    // Whose voice is not the label's says nothing of when the label's floor was.
    heard.retain(|floor, _| !doubtful.contains(floor));
    let turn = |floor: &super::floors::TurnFloor| TurnInFloor {
        place: floor.place.map(|p| (p.floor, p.position)),
        span: floor.place.ok().and_then(|p| floors.spans.get(p.floor - 1).copied()),
        heard: floor.place.ok().and_then(|p| heard.get(&p.floor).copied()),
    };
    floors.of.iter().map(turn).collect()
}

/// Floors of some turns told of all, each at its place among those; a turn without one is no speech.
pub(super) fn among_all(floors: &[TurnInFloor], places: &[Option<usize>]) -> Vec<TurnInFloor> {
    let none = || TurnInFloor { place: Err(Missing::NotSpeech), span: None, heard: None };
    places.iter().map(|place| place.and_then(|at| floors.get(at).cloned()).unwrap_or_else(none)).collect()
}

/// The columns.
pub(super) fn columns() -> Vec<Column<TurnInFloor>> {
    let known = [
        Column::int(
            "floor_index",
            "",
            "Floor the turn is of, from 1: consecutive turns of one speaker, nobody else holding the floor in \
             between (Sacks, Schegloff and Jefferson 1974); null with floor_missing.",
            |t: &TurnInFloor| t.place.ok().map(|p| p.0),
        ),
        Column::int("floor_position", "", "Which of the floor's turns it is, from 1.", |t: &TurnInFloor| {
            t.place.ok().map(|p| p.1)
        }),
        Column::float("floor_start_secs", "s", "Start of the floor: of its first turn.", |t: &TurnInFloor| {
            t.span.map(|s| s.segment.start())
        }),
    ];
    let missing = Column::text(
        "floor_missing",
        "Why the turn is of no floor: backchannel, inside_another (longer, wholly inside another's turn), no_label, \
         not_speech (a correction says so).",
        |t: &TurnInFloor| t.place.err(),
    );
    let later = [
        Column::float("floor_end_secs", "s", "End of the floor: the latest of its turns'.", |t: &TurnInFloor| {
            t.span.map(|s| s.segment.end())
        }),
        Column::int("floor_turns", "", "Turns of the floor.", |t: &TurnInFloor| t.span.map(|s| s.turns)),
        Column::float(
            "speech_floor_start_secs",
            "s",
            "By voices: start of the first utterance that belongs to the floor's turns, edges moved to where the \
             level rises; null where none does, and where the voice of a turn of the floor contradicts its label.",
            |t: &TurnInFloor| t.heard.map(|s| s.start()),
        ),
        Column::float(
            "speech_floor_end_secs",
            "s",
            "By voices: the latest end of those utterances.",
            |t: &TurnInFloor| t.heard.map(|s| s.end()),
        ),
    ];
    let mut columns = all_of(Modality::Timing, all_until(CutOff::TurnEnd, known));
    columns.push(missing.until(CutOff::TurnEnd));
    columns.extend(all_of(Modality::Timing, all_until(CutOff::Interview, later)));
    columns
}
