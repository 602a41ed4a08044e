//! Cues: measurements of a turn in plain words. Most tell how far a person is from what is usual for them in their
//! earlier turns, some tell that something happened. None looks at anything later than the end of its turn.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::instances::placeholders;
use crate::error::{Error, Result};
use crate::store::read::StoredTable;
use crate::table::{ColumnData, CutOff};

/// The wording that comes with the program.
const SHIPPED: &str = include_str!("../../data/cues.toml");

/// Stands for the other person's name in the words of a cue.
const OTHER: &str = "{other}";

/// A field of a RESCUE-bench row that measurements can fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CueField {
    /// One text, of the speaker.
    ToneOfVoice,
    /// A list of person and description.
    FacialExpressions,
    /// A list of person and description.
    BodyPosture,
    /// A list of person and description.
    SelfDirectedBehavior,
    /// A list of initiator, targets and description.
    InteractionBehavior,
}

/// Whose behaviour a cue tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Who {
    #[default]
    Speaker,
    Listener,
}

/// Where the value is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CueTable {
    /// One row per turn.
    #[default]
    Turns,
    /// One row per turn and listener.
    Dyads,
}

impl CueTable {
    /// All.
    pub const ALL: [CueTable; 2] = [CueTable::Turns, CueTable::Dyads];

    /// Table and folder name.
    pub fn name(self) -> &'static str {
        match self {
            CueTable::Turns => "turns",
            CueTable::Dyads => "dyads",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cue {
    field: CueField,
    #[serde(default)]
    table: CueTable,
    column: String,
    #[serde(default)]
    who: Who,
    /// Told when the value is so many standard deviations from the person's usual.
    z: Option<f64>,
    /// Told when the value itself is at least this; true counts as 1.
    at_least: Option<f64>,
    #[serde(default)]
    high: String,
    #[serde(default)]
    low: String,
}

/// Thresholds and words: `data/cues.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wording {
    min_turns: usize,
    cue: Vec<Cue>,
}

/// What is told of one turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// Of the speaker's voice.
    pub tone: Vec<String>,
    /// Of a person's face, posture and self-directed behaviour, in the wording's order.
    pub people: BTreeMap<(CueField, String), Vec<String>>,
    /// What an initiator does to a target.
    pub interactions: BTreeMap<(String, String), Vec<String>>,
}

impl Wording {
    /// The shipped wording, or that of a file.
    ///
    /// # Errors
    /// [`Error::Read`]; [`Error::Recipe`] for what is not understood or has no meaning.
    pub fn load(path: Option<&Path>) -> Result<Self> {
        let (text, place) = match path {
            None => (SHIPPED.to_owned(), "data/cues.toml".to_owned()),
            Some(path) => {
                let text = crate::file::read_text(path)?;
                (text, path.display().to_string())
            }
        };
        let wording: Wording =
            toml::from_str(&text).map_err(|e| Error::Recipe { place: place.clone(), what: e.to_string() })?;
        for cue in &wording.cue {
            if let Some(what) = cue.fault() {
                return Err(Error::Recipe { place, what: format!("the cue of \"{}\" {what}", cue.column) });
            }
        }
        Ok(wording)
    }

    /// Table and column of each cue.
    pub fn sources(&self) -> impl Iterator<Item = (CueTable, &str)> {
        self.cue.iter().map(|c| (c.table, c.column.as_str()))
    }

    /// Columns of `turns` that are looked at.
    pub fn turn_columns(&self) -> Vec<&str> {
        self.columns(CueTable::Turns, &["turn_index", "speaker", "face_source", "face_person"])
    }

    /// Columns of `dyads` that are looked at.
    pub fn dyad_columns(&self) -> Vec<&str> {
        self.columns(CueTable::Dyads, &["turn_index", "speaker", "listener", "listener_person"])
    }

    fn columns<'a>(&'a self, table: CueTable, keys: &[&'a str]) -> Vec<&'a str> {
        keys.iter().copied().chain(self.cue.iter().filter(|c| c.table == table).map(|c| c.column.as_str())).collect()
    }

    /// What is told of each turn, by its index. Rows come in the tables' order, and none looks at a later one.
    ///
    /// # Errors
    /// [`Error::Usage`] for a column that looks past the end of its turn: a reader of the cues would know what comes
    /// next.
    pub fn cues(&self, turns: &StoredTable, dyads: &StoredTable) -> Result<BTreeMap<u32, Told>> {
        let mut told = BTreeMap::new();
        let face = |row| Some((turns.number("turn_index", row)? as u32, turns.text("face_person", row)?));
        let faces: BTreeMap<u32, &str> = (0..turns.rows()).filter_map(face).collect();
        for cue in &self.cue {
            let table = match cue.table {
                CueTable::Turns => turns,
                CueTable::Dyads => dyads,
            };
            cue.check_cut_off(table)?;
            self.tell(cue, table, &faces, &mut told);
        }
        Ok(told)
    }

    fn tell(&self, cue: &Cue, table: &StoredTable, faces: &BTreeMap<u32, &str>, told: &mut BTreeMap<u32, Told>) {
        // What is usual for a person when that person speaks to, or listens to, this other one.
        let mut earlier: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
        for row in 0..table.rows() {
            let (Some(speaker), Some(index)) = (table.text("speaker", row), table.number("turn_index", row)) else {
                continue;
            };
            let Some(value) = value(table, &cue.column, row) else { continue };
            // The one face in the picture may be the listener's: only the speaker's own by the cast is put into words.
            let of_face = !matches!(cue.field, CueField::ToneOfVoice | CueField::InteractionBehavior);
            if cue.table == CueTable::Turns && of_face && table.text("face_source", row) != Some("cast") {
                continue;
            }
            let listener = table.text("listener", row).unwrap_or_default();
            // One face is not two people: where labels contradict the voices it may have come to stand for both.
            let face = faces.get(&(index as u32));
            if cue.who == Who::Listener && face.is_some() && table.text("listener_person", row) == face.copied() {
                continue;
            }
            let (who, other) = match cue.who {
                Who::Speaker => (speaker, listener),
                Who::Listener => (listener, speaker),
            };
            let before = earlier.entry((who, other)).or_default();
            let words = match (cue.at_least, cue.z, deviation(before, value, self.min_turns)) {
                (Some(least), ..) if value >= least => cue.high.as_str(),
                (None, Some(least), Some(z)) if z >= least => cue.high.as_str(),
                (None, Some(least), Some(z)) if z <= -least => cue.low.as_str(),
                _ => "",
            };
            before.push(value);
            if words.is_empty() {
                continue;
            }
            let words = words.replace(OTHER, other);
            let turn = told.entry(index as u32).or_default();
            match cue.field {
                CueField::ToneOfVoice => turn.tone.push(words),
                CueField::InteractionBehavior => {
                    turn.interactions.entry((who.to_owned(), other.to_owned())).or_default().push(words)
                }
                field => turn.people.entry((field, who.to_owned())).or_default().push(words),
            }
        }
    }
}

impl Cue {
    /// Why the cue has no meaning.
    fn fault(&self) -> Option<String> {
        if self.z.is_some() == self.at_least.is_some() {
            return Some("needs either z or at_least".into());
        }
        if self.high.is_empty() && self.low.is_empty() {
            return Some("has no words".into());
        }
        if let Some(unknown) =
            [&self.high, &self.low].into_iter().flat_map(|words| placeholders(words)).find(|p| *p != OTHER)
        {
            return Some(format!("holds {unknown}; known is {OTHER}"));
        }
        if self.at_least.is_some() && !self.low.is_empty() {
            return Some("has words for a low value, but at_least tells high ones only".into());
        }
        let needs_other = self.who == Who::Listener || self.field == CueField::InteractionBehavior;
        let names_other = self.high.contains(OTHER) || self.low.contains(OTHER);
        if self.table == CueTable::Turns && (needs_other || names_other) {
            return Some(format!("tells of two people: take it from table = \"dyads\" ({:?})", self.field));
        }
        (self.field == CueField::ToneOfVoice && self.who == Who::Listener)
            .then(|| "tells the tone of one who does not speak".into())
    }

    fn check_cut_off(&self, table: &StoredTable) -> Result<()> {
        match table.schema().columns.iter().find(|c| c.name == self.column) {
            Some(c) if c.cut_off.leaks_past(CutOff::TurnEnd) => Err(Error::Usage {
                what: format!("the cue of \"{}\" would look past its turn (cut-off {})", self.column, c.cut_off),
                hint: "cues tell only what is known when the turn ends; take another column".into(),
            }),
            _ => Ok(()),
        }
    }
}

/// A number; true is 1.
fn value(table: &StoredTable, column: &str, row: usize) -> Option<f64> {
    match table.column(column)? {
        ColumnData::Bool(v) => v.get(row).copied().flatten().map(|b| f64::from(u8::from(b))),
        _ => table.number(column, row),
    }
}

/// How many standard deviations a value is from the earlier ones; `None` with too few or without spread.
fn deviation(before: &[f64], value: f64, min_turns: usize) -> Option<f64> {
    let n = before.len();
    if n < min_turns.max(2) {
        return None;
    }
    let mean = before.iter().sum::<f64>() / n as f64;
    let sd = (before.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n as f64 - 1.0)).sqrt();
    (sd > 1e-9).then(|| (value - mean) / sd)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::parquet::{self, FileMetadata};
    use crate::store::read::read as read_table;
    use crate::table::{ColumnSpec, Kind, TableBuilder, TableSchema};

    fn read(text: &str) -> Result<Wording> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cues.toml");
        std::fs::write(&path, text).unwrap();
        Wording::load(Some(&path))
    }

    #[test]
    fn usual_needs_enough_turns_and_a_spread() {
        assert_eq!(deviation(&[1.0, 2.0], 9.0, 3), None);
        assert_eq!(deviation(&[1.0, 1.0, 1.0], 9.0, 3), None);
        assert!((deviation(&[1.0, 2.0, 3.0], 4.0, 3).unwrap() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_cue_without_a_meaning_is_refused() {
        for (cue, told) in [
            ("field = \"tone_of_voice\"\ncolumn = \"x\"\nhigh = \"a\"", "either z or at_least"),
            ("field = \"tone_of_voice\"\ncolumn = \"x\"\nz = 1.0", "no words"),
            (
                "field = \"tone_of_voice\"\ncolumn = \"x\"\nz = 1.0\nhigh = \"louder than {othr}\"",
                "holds {othr}; known is {other}",
            ),
            ("field = \"interaction_behavior\"\ncolumn = \"x\"\nz = 1.0\nhigh = \"a\"", "two people"),
            ("field = \"body_posture\"\ncolumn = \"x\"\nz = 1.0\nhigh = \"beside {other}\"", "two people"),
            (
                "field = \"tone_of_voice\"\ntable = \"dyads\"\nwho = \"listener\"\ncolumn = \"x\"\nz = 1.0\nhigh = \"a\"",
                "does not speak",
            ),
        ] {
            let e = read(&format!("min_turns = 3\n[[cue]]\n{cue}\n")).unwrap_err().to_string();
            assert!(e.contains(told), "{e}");
        }
    }

    #[test]
    fn a_cue_of_a_column_that_looked_too_far_or_does_not_say_how_far_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let wording =
            read("min_turns = 3\n[[cue]]\nfield = \"tone_of_voice\"\ncolumn = \"x\"\nz = 1.0\nhigh = \"a\"\n").unwrap();
        let refused = |cut_off| {
            let columns = vec![ColumnSpec::new("x", Kind::F64, "", "").until(cut_off)];
            let schema = TableSchema { name: "turns", description: "", columns };
            let path = folder.path().join("turns.parquet");
            parquet::write(&path, &TableBuilder::new(schema).finish().unwrap(), &FileMetadata::default()).unwrap();
            wording.cues(&read_table(&path).unwrap(), &StoredTable::default()).err().map(|e| e.to_string())
        };
        assert_eq!((refused(CutOff::TurnStart), refused(CutOff::TurnEnd)), (None, None));
        for (cut_off, told) in
            [(CutOff::NextTurn, "next_turn"), (CutOff::Interview, "interview"), (CutOff::Untold, "not told")]
        {
            let e = refused(cut_off).unwrap();
            assert!(e.contains(&format!("cue of \"x\" would look past its turn (cut-off {told})")), "{e}");
        }
    }
}
