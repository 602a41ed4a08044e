//! Cues: measurements of a turn in plain words. Most tell how far a person is from what is usual for them in their
//! earlier turns, or before that is known from what others did, or what the value is; some tell that something happened.
//! None looks at anything later than the end of its turn.
//!
//! ```text
//! tables ── evidence: a value, and whose it is ── telling: compared with earlier ones ── Told, by turn
//! data/cues.toml ── spec ──────────┘──────────────────────┘
//! ```

mod counts;
mod evidence;
mod spec;
mod telling;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

pub use counts::cue_counts;
pub use evidence::CueTables;
use evidence::Evidence;
use spec::Cue;
use telling::say;

use super::hidden::Hidden;
use crate::error::{Error, Result};
use crate::store::read::StoredTable;
use crate::table::CutOff;
use crate::tasks::Evidence as Mode;

/// The wording that comes with the program.
const SHIPPED: &str = include_str!("../../../data/cues.toml");

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

impl CueField {
    /// All, in the benchmark's order.
    pub const ALL: [CueField; 5] = [
        CueField::ToneOfVoice,
        CueField::BodyPosture,
        CueField::FacialExpressions,
        CueField::SelfDirectedBehavior,
        CueField::InteractionBehavior,
    ];

    /// As in a RESCUE-bench row.
    pub fn name(self) -> &'static str {
        match self {
            CueField::ToneOfVoice => "tone_of_voice",
            CueField::FacialExpressions => "facial_expressions",
            CueField::BodyPosture => "body_posture",
            CueField::SelfDirectedBehavior => "self_directed_behavior",
            CueField::InteractionBehavior => "interaction_behavior",
        }
    }

    /// True where the evidence mode shows it.
    pub fn is_shown_in(self, mode: Mode) -> bool {
        let is_heard = self == CueField::ToneOfVoice;
        match mode {
            Mode::Dialogue | Mode::TurnVideoAudio => false,
            Mode::Audio => is_heard,
            Mode::Visual => !is_heard,
            Mode::Audiovisual => true,
        }
    }
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
    /// One row per turn and body; there when bodies were looked for.
    TurnBodies,
}

impl CueTable {
    /// All.
    pub const ALL: [CueTable; 3] = [CueTable::Turns, CueTable::Dyads, CueTable::TurnBodies];

    /// Table and folder name.
    pub fn name(self) -> &'static str {
        match self {
            CueTable::Turns => "turns",
            CueTable::Dyads => "dyads",
            CueTable::TurnBodies => "turn_bodies",
        }
    }
}

/// Thresholds and words: `data/cues.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wording {
    min_turns: usize,
    /// A turn with a smaller share of speech has no voice to tell of.
    #[serde(default = "least_speech")]
    min_speech_share: f64,
    cue: Vec<Cue>,
}

fn least_speech() -> f64 {
    0.1
}

/// Some words about somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// As they are shown.
    pub words: String,
    /// Without anybody's name.
    pub pattern: String,
}

/// What is told of one turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// Of the speaker's voice.
    pub tone: Vec<Phrase>,
    /// Of a person's face, posture and self-directed behaviour, in the wording's order.
    pub people: BTreeMap<(CueField, String), Vec<Phrase>>,
    /// What an initiator does to a target.
    pub interactions: BTreeMap<(String, String), Vec<Phrase>>,
}

impl Told {
    fn add(&mut self, field: CueField, (who, other): (&str, &str), words: &str) {
        let phrase = Phrase { words: words.replace(OTHER, other), pattern: words.replace(OTHER, " ") };
        match field {
            CueField::ToneOfVoice => self.tone.push(phrase),
            CueField::InteractionBehavior => {
                self.interactions.entry((who.to_owned(), other.to_owned())).or_default().push(phrase);
            }
            field => self.people.entry((field, who.to_owned())).or_default().push(phrase),
        }
    }

    /// Takes in what is told quietly of a field and person that nothing is told of.
    fn take_quiet(&mut self, quiet: Told) {
        if self.tone.is_empty() {
            self.tone = quiet.tone;
        }
        for (key, words) in quiet.people {
            self.people.entry(key).or_insert(words);
        }
        for (key, words) in quiet.interactions {
            self.interactions.entry(key).or_insert(words);
        }
    }

    /// What an evidence mode shows of it, without phrases that hold a hidden word.
    #[must_use]
    pub fn shown(&self, mode: Mode, hidden: &Hidden) -> Told {
        let keep = |field: CueField, phrases: &[Phrase]| -> Vec<Phrase> {
            let shown = phrases.iter().filter(|p| field.is_shown_in(mode) && !hidden.is_in(&p.pattern));
            shown.cloned().collect()
        };
        let people = self.people.iter().map(|(key, words)| (key.clone(), keep(key.0, words)));
        let pairs = self.interactions.iter().map(|(key, w)| (key.clone(), keep(CueField::InteractionBehavior, w)));
        Told {
            tone: keep(CueField::ToneOfVoice, &self.tone),
            people: people.filter(|(_, words)| !words.is_empty()).collect(),
            interactions: pairs.filter(|(_, words)| !words.is_empty()).collect(),
        }
    }

    /// The words, without names, that an evidence mode would show but for a hidden word in them.
    pub fn withheld<'a>(&'a self, mode: Mode, hidden: &'a Hidden) -> impl Iterator<Item = &'a str> {
        let people = self.people.iter().map(|((field, _), words)| (*field, words));
        let pairs = self.interactions.values().map(|words| (CueField::InteractionBehavior, words));
        let all = std::iter::once((CueField::ToneOfVoice, &self.tone)).chain(people).chain(pairs);
        let shown = all.filter(move |(field, _)| field.is_shown_in(mode)).flat_map(|(_, words)| words);
        shown.map(|p| p.pattern.trim()).filter(move |pattern| hidden.is_in(pattern))
    }

    /// The fields that something is told of.
    pub fn fields(&self) -> impl Iterator<Item = CueField> + '_ {
        CueField::ALL.into_iter().filter(|field| match field {
            CueField::ToneOfVoice => !self.tone.is_empty(),
            CueField::InteractionBehavior => !self.interactions.is_empty(),
            field => self.people.keys().any(|(f, _)| f == field),
        })
    }
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
        self.cue.iter().flat_map(|c| c.columns().map(|column| (c.table, column)))
    }

    /// Columns of a table that are looked at: those of its cues, and those that say whose it is.
    pub fn columns(&self, table: CueTable) -> Vec<&str> {
        let keys: &[&str] = match table {
            CueTable::Turns => KEYS_OF_TURNS,
            CueTable::Dyads => &["turn_index", "speaker", "listener", "listener_person"],
            CueTable::TurnBodies => &["turn_index", "person", "role"],
        };
        keys.iter().copied().chain(self.sources().filter(|(t, _)| *t == table).map(|(_, column)| column)).collect()
    }

    /// What is told of each turn, by its index. None of it looks at a later one.
    ///
    /// # Errors
    /// [`Error::Usage`] for a column that looks past the end of its turn: a reader of the cues would know what comes
    /// next.
    pub fn cues(&self, tables: CueTables<'_>) -> Result<BTreeMap<u32, Told>> {
        self.cue.iter().try_for_each(|cue| check_cut_off(cue, tables.of(cue.table)))?;
        let evidence = Evidence::new(tables, self.min_speech_share);
        let mut told: BTreeMap<u32, Told> = BTreeMap::new();
        let mut quiet: BTreeMap<u32, Told> = BTreeMap::new();
        for cue in &self.cue {
            let seen = evidence.seen(cue);
            for (one, says) in say(cue, &seen, self.min_turns) {
                let into = if says.quiet { &mut quiet } else { &mut told };
                into.entry(one.turn).or_default().add(cue.field, (one.who, one.other), says.words);
            }
        }
        quiet.into_iter().for_each(|(turn, quiet)| told.entry(turn).or_default().take_quiet(quiet));
        Ok(told)
    }
}

/// Columns of `turns` that say who is heard and seen in a turn. Whose voice and face it is, is known from the whole
/// interview, as the speaker's name is.
const KEYS_OF_TURNS: &[&str] =
    &["turn_index", "end_secs", "speaker", "face_source", "face_person", "speaker_contradicts", "speech_share"];

fn check_cut_off(cue: &Cue, table: &StoredTable) -> Result<()> {
    let looked_at = |name: &str| cue.columns().any(|column| column == name);
    let late = table.schema().columns.iter().find(|c| looked_at(&c.name) && c.cut_off.leaks_past(CutOff::TurnEnd));
    late.map_or(Ok(()), |c| {
        Err(Error::Usage {
            what: format!("the cue of \"{}\" would look past its turn (cut-off {})", c.name, c.cut_off),
            hint: "cues tell only what is known when the turn ends; take another column".into(),
        })
    })
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
    fn a_cue_without_a_meaning_is_refused() {
        for (cue, told) in [
            ("field = \"tone_of_voice\"\ncolumn = \"x\"\nhigh = \"a\"", "one of z, at_least and plain"),
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
            let none = StoredTable::default();
            let turns = read_table(&path).unwrap();
            wording.cues(CueTables { turns: &turns, dyads: &none, bodies: &none }).err().map(|e| e.to_string())
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
