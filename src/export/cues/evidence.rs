//! What a cue finds in the tables: a value, and of whom. What was not seen or heard of that person is not found:
//! values are null with their reason there, and here the labels are held against the voices and faces.

use std::collections::BTreeMap;

use super::spec::{Cue, Who};
use super::{CueField, CueTable};
use crate::store::read::StoredTable;
use crate::table::ColumnData;

/// The tables of one interview that cues are taken from.
#[derive(Clone, Copy, Debug)]
pub struct CueTables<'a> {
    /// One row a turn.
    pub turns: &'a StoredTable,
    /// One row a turn and listener.
    pub dyads: &'a StoredTable,
    /// One row a turn and body; without rows where bodies were not looked for.
    pub bodies: &'a StoredTable,
}

impl<'a> CueTables<'a> {
    pub(super) fn of(&self, table: CueTable) -> &'a StoredTable {
        match table {
            CueTable::Turns => self.turns,
            CueTable::Dyads => self.dyads,
            CueTable::TurnBodies => self.bodies,
        }
    }
}

/// A value of a cue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seen<'a> {
    pub(super) turn: u32,
    /// When the turn ends.
    pub(super) end: f64,
    pub(super) who: &'a str,
    /// The other one; empty where there is none.
    pub(super) other: &'a str,
    /// What is usual is another thing when listening to this one, when listening, when speaking.
    pub(super) setting: &'a str,
    pub(super) value: f64,
    /// The row has what the bands need.
    pub(super) plain: bool,
}

struct Turn<'a> {
    end: f64,
    speaker: Option<&'a str>,
    /// The face that the row describes.
    face: Option<&'a str>,
    /// That face is the speaker's by the cast.
    is_own_face: bool,
    /// A voice was found, and not another one than the label's.
    is_own_voice: bool,
}

/// The tables, and who is who in each turn.
pub(super) struct Evidence<'a> {
    tables: CueTables<'a>,
    turns: BTreeMap<u32, Turn<'a>>,
    /// The listener whose face a person of a turn has; `None` where it is several listeners'.
    listeners: BTreeMap<(u32, &'a str), Option<&'a str>>,
    /// Rows of `turn_bodies` by turn.
    bodies: BTreeMap<u32, Vec<usize>>,
}

impl<'a> Evidence<'a> {
    /// `least_speech`: a turn with a smaller share of speech has no voice to tell of.
    pub(super) fn new(tables: CueTables<'a>, least_speech: f64) -> Self {
        let CueTables { turns, dyads, .. } = tables;
        let turn = |row: usize| {
            let own = Turn {
                end: turns.number("end_secs", row)?,
                speaker: turns.text("speaker", row),
                face: turns.text("face_person", row),
                is_own_face: turns.text("face_source", row) == Some("cast"),
                is_own_voice: value(turns, "speaker_contradicts", row) != Some(1.0)
                    && turns.number("speech_share", row).is_none_or(|s| s >= least_speech),
            };
            Some((index(turns, row)?, own))
        };
        let mut listeners: BTreeMap<(u32, &str), Option<&str>> = BTreeMap::new();
        for row in 0..dyads.rows() {
            let person = dyads.text("listener_person", row);
            let Some(((turn, person), name)) = index(dyads, row).zip(person).zip(dyads.text("listener", row)) else {
                continue;
            };
            let is_other = |known: &mut Option<&str>| *known = known.filter(|k| *k == name);
            listeners.entry((turn, person)).and_modify(is_other).or_insert(Some(name));
        }
        let mut bodies: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for row in 0..tables.bodies.rows() {
            bodies.entry(index(tables.bodies, row).unwrap_or_default()).or_default().push(row);
        }
        Evidence { tables, turns: (0..turns.rows()).filter_map(turn).collect(), listeners, bodies }
    }

    /// All values of a cue, by turn.
    pub(super) fn seen(&self, cue: &Cue) -> Vec<Seen<'a>> {
        let table = self.tables.of(cue.table);
        let mut found: Vec<Seen<'a>> = (0..table.rows()).filter_map(|row| self.one(cue, table, row)).collect();
        found.sort_by_key(|seen| seen.turn);
        found
    }

    fn one(&self, cue: &Cue, table: &'a StoredTable, row: usize) -> Option<Seen<'a>> {
        let holds = |needs: &BTreeMap<String, f64>| {
            needs.iter().all(|(name, least)| value(table, name, row).is_some_and(|v| v >= *least))
        };
        let index = index(table, row)?;
        let turn = self.turns.get(&index)?;
        let value = value(table, &cue.column, row).filter(|_| holds(&cue.needs))?;
        let (who, other, setting) = match cue.table {
            CueTable::Turns => self.of_turn(cue, turn)?,
            CueTable::Dyads => of_dyad(cue, turn, table, row)?,
            CueTable::TurnBodies => self.of_body(cue, (index, turn), table, row)?,
        };
        (!other.is_empty() || !cue.is_of_two()).then(|| Seen {
            turn: index,
            end: turn.end,
            who,
            other,
            setting,
            value,
            plain: holds(&cue.plain_needs),
        })
    }

    /// The one face in the picture may be the listener's, and the voice another's than the label says: only the
    /// speaker's own is put into words.
    fn of_turn(&self, cue: &Cue, turn: &Turn<'a>) -> Option<(&'a str, &'a str, &'a str)> {
        let is_own = if cue.field == CueField::ToneOfVoice { turn.is_own_voice } else { turn.is_own_face };
        turn.speaker.filter(|_| is_own).map(|speaker| (speaker, "", ""))
    }

    /// A body belongs to the speaker by the cast, or to the listener whose face it is with.
    fn of_body(
        &self,
        cue: &Cue,
        (index, turn): (u32, &Turn<'a>),
        table: &'a StoredTable,
        row: usize,
    ) -> Option<(&'a str, &'a str, &'a str)> {
        let speaks = table.text("role", row) == Some("speaker");
        if cue.who.is_some_and(|who| (who == Who::Speaker) != speaks) {
            return None;
        }
        let who = self.body_of(index, turn, table, row)?;
        // Who is the nearest is sure only where two are seen in all.
        let other = match self.bodies.get(&index).map(Vec::as_slice) {
            Some(&[a, b]) => {
                let one = if a == row { b } else { a };
                self.body_of(index, turn, table, one).filter(|o| *o != who).unwrap_or_default()
            }
            _ => "",
        };
        Some((who, other, if speaks { "speaks" } else { "listens" }))
    }

    fn body_of(&self, index: u32, turn: &Turn<'a>, table: &'a StoredTable, row: usize) -> Option<&'a str> {
        let person = table.text("person", row)?;
        if table.text("role", row) == Some("speaker") {
            return turn.speaker;
        }
        // One face is not two people.
        self.listeners.get(&(index, person)).copied().flatten().filter(|_| turn.face != Some(person))
    }
}

/// What is usual for a person when that person speaks to, or listens to, this other one.
fn of_dyad<'a>(cue: &Cue, turn: &Turn<'a>, table: &'a StoredTable, row: usize) -> Option<(&'a str, &'a str, &'a str)> {
    let (speaker, listener) = (table.text("speaker", row)?, table.text("listener", row)?);
    if cue.who != Some(Who::Listener) {
        return Some((speaker, listener, listener));
    }
    // One face is not two people: where labels contradict the voices it may have come to stand for both.
    let twice = turn.face.is_some() && table.text("listener_person", row) == turn.face;
    (!twice).then_some((listener, speaker, speaker))
}

fn index(table: &StoredTable, row: usize) -> Option<u32> {
    table.number("turn_index", row).filter(|t| *t >= 0.0 && *t <= f64::from(u32::MAX)).map(|t| t as u32)
}

/// A number; true is 1.
pub(super) fn value(table: &StoredTable, column: &str, row: usize) -> Option<f64> {
    match table.column(column)? {
        ColumnData::Bool(v) => v.get(row).copied().flatten().map(|b| f64::from(u8::from(b))),
        _ => table.number(column, row),
    }
}
