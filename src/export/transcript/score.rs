//! What the tables of an interview say that is written: turns, words, voices and stretches of measurements.

use std::collections::BTreeMap;
use std::path::Path;

use crate::annotation::{Annotation, SpeechTurn, Turn, Word};
use crate::error::Result;
use crate::store::finished::own_tables;
use crate::store::read::{StoredTable, read_columns};
use crate::time::Segment;

/// Declares [`Part`] and its names from one list.
macro_rules! parts {
    ($($(#[$doc:meta])* $part:ident = $name:literal;)*) => {
        /// What stands beside the turns, each as tiers of their own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Part { $($(#[$doc])* $part,)* }

        impl Part {
            /// All of them, in the order of the tiers.
            pub const ALL: &'static [Part] = &[$(Part::$part),*];

            /// As the command line and the tiers' names write it.
            pub fn name(self) -> &'static str {
                match self { $(Part::$part => $name,)* }
            }
        }
    };
}

parts! {
    /// Words with their times.
    Words = "words";
    /// Speech turns of the voices.
    Diarized = "diarized";
    /// Smiles from onset to end, their largest value.
    Smile = "smile";
    /// Mean level of each turn in dBFS.
    Level = "level";
    /// Turns that interrupt, and whom.
    Interruption = "interruption";
    /// Turns that are backchannels, and to whom.
    Backchannel = "backchannel";
    /// Sounds that the transcript describes.
    Event = "event";
    /// Tiers that the transcript had beside the speech, under their own names.
    Annotations = "annotations";
}

impl Part {
    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|p| p.name() == name)
    }
}

/// A stretch or point of a tier beside the turns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stretch {
    pub(super) part: Part,
    /// The tier's own name; `None`: made of person and part.
    pub(super) tier: Option<String>,
    pub(super) person: Option<String>,
    pub(super) segment: Segment,
    /// True for an instant.
    pub(super) point: bool,
    pub(super) value: String,
}

/// One interview as it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Score {
    pub(super) interview_id: String,
    /// The media as the manifest names them.
    pub(super) media: Option<String>,
    /// Length of the recording in seconds; 0 where it is not known.
    pub(super) media_secs: f64,
    /// In the transcript's order.
    pub(super) turns: Vec<Turn>,
    pub(super) speech: Annotation,
    /// By part, then in the tables' order.
    pub(super) stretches: Vec<Stretch>,
}

impl Score {
    /// From the tables of a finished interview; `None` where it is none.
    ///
    /// # Errors
    /// As [`read_columns`].
    pub(super) fn read(out: &Path, id: &str) -> Result<Option<Self>> {
        let table = |name: &str, columns: &[&str]| -> Result<Option<StoredTable>> {
            own_tables(out, id, &[name])?.pop().map(|(_, path)| read_columns(&path, columns)).transpose()
        };
        let turn_columns = ["turn_index", "start_secs", "end_secs", "speaker", "text", "level_mean_db"];
        let Some(turns) = table("turns", &turn_columns)? else { return Ok(None) };
        let mut score = Score { interview_id: id.to_owned(), turns: turns_of(&turns), ..Score::default() };
        if let Some(row) = table("interviews", &["media", "duration_secs"])? {
            score.media = row.text("media", 0).filter(|m| !m.is_empty()).map(str::to_owned);
            score.media_secs = row.number("duration_secs", 0).unwrap_or(0.0);
        }
        if let Some(words) = table("words", &["turn_index", "word", "start_secs", "end_secs", "speaker"])? {
            add_words(&mut score.turns, &words);
        }
        if let Some(speech) = table("speech", &["start_secs", "end_secs", "speaker"])? {
            score.speech = speech_of(&speech);
        }
        score.add_voices();
        if let Some(smiles) = table("smiles", &["person", "speaker", "onset_secs", "end_secs", "peak"])? {
            score.add_smiles(&smiles);
        }
        score.add_levels(&turns);
        if let Some(dyads) = table("dyads", &["turn_index", "listener", "interrupts", "backchannel"])? {
            score.add_floor_events(&dyads, Part::Interruption, "interrupts");
            score.add_floor_events(&dyads, Part::Backchannel, "backchannel");
        }
        if let Some(events) = table("events", &["event", "speaker", "start_secs", "end_secs"])? {
            for row in 0..events.rows() {
                let person = events.text("speaker", row).map(str::to_owned);
                score.add(&events, row, Part::Event, (None, person), "event");
            }
        }
        if let Some(codes) = table("annotations", &["tier", "person", "start_secs", "end_secs", "value"])? {
            for row in 0..codes.rows() {
                let person = codes.text("person", row).map(str::to_owned);
                let tier = codes.text("tier", row).map(str::to_owned);
                score.add(&codes, row, Part::Annotations, (tier, person), "value");
            }
        }
        Ok(Some(score))
    }

    fn add(
        &mut self,
        table: &StoredTable,
        row: usize,
        part: Part,
        (tier, person): (Option<String>, Option<String>),
        value: &str,
    ) {
        let start = table.number("start_secs", row);
        let end = table.number("end_secs", row);
        let segment = start.and_then(|start| Segment::from_secs(start, end.unwrap_or(start)));
        if let (Some(segment), Some(value)) = (segment, table.text(value, row)) {
            self.stretches.push(Stretch { part, tier, person, segment, point: end.is_none(), value: value.to_owned() });
        }
    }

    fn push(&mut self, part: Part, person: Option<&str>, segment: Segment, value: String) {
        let person = person.map(str::to_owned);
        self.stretches.push(Stretch { part, tier: None, person, segment, point: false, value });
    }

    fn add_voices(&mut self) {
        let voices: Vec<SpeechTurn> = self.speech.turns().to_vec();
        voices.iter().for_each(|v| self.push(Part::Diarized, Some(&v.speaker), v.segment, v.speaker.clone()));
    }

    fn add_smiles(&mut self, smiles: &StoredTable) {
        for row in 0..smiles.rows() {
            let span = smiles.number("onset_secs", row).zip(smiles.number("end_secs", row));
            if let Some(segment) = span.and_then(|(from, to)| Segment::from_secs(from, to)) {
                let peak = smiles.number("peak", row).map_or_else(|| "smile".into(), |p| format!("{p:.2}"));
                let person = smiles.text("speaker", row).or_else(|| smiles.text("person", row));
                self.push(Part::Smile, person, segment, peak);
            }
        }
    }

    fn add_levels(&mut self, turns: &StoredTable) {
        for row in 0..turns.rows() {
            let known = turns.number("level_mean_db", row).zip(span(turns, row));
            if let Some((level, segment)) = known {
                self.push(Part::Level, turns.text("speaker", row), segment, format!("{level:.1}"));
            }
        }
    }

    /// The turns of which a column of `dyads` is true, with the listeners.
    fn add_floor_events(&mut self, dyads: &StoredTable, part: Part, column: &str) {
        let mut listeners: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
        for row in 0..dyads.rows() {
            let index = dyads.number("turn_index", row).map(|i| i as u32);
            if let (Some(index), Some(1.0)) = (index, dyads.number(column, row)) {
                listeners.entry(index).or_default().push(dyads.text("listener", row).unwrap_or_default());
            }
        }
        let found: Vec<(Option<String>, Segment, String)> = self
            .turns
            .iter()
            .filter_map(|t| Some((t.speaker.clone(), t.segment, listeners.get(&t.index)?.join(", "))))
            .collect();
        found.into_iter().for_each(|(person, segment, value)| self.push(part, person.as_deref(), segment, value));
    }
}

fn span(table: &StoredTable, row: usize) -> Option<Segment> {
    Segment::from_secs(table.number("start_secs", row)?, table.number("end_secs", row)?)
}

fn turns_of(table: &StoredTable) -> Vec<Turn> {
    let turn = |row: usize| {
        Some(Turn {
            index: table.number("turn_index", row)? as u32,
            segment: span(table, row)?,
            speaker: table.text("speaker", row).map(str::to_owned),
            text: table.text("text", row).unwrap_or_default().to_owned(),
            words: Vec::new(),
        })
    };
    (0..table.rows()).filter_map(turn).collect()
}

fn add_words(turns: &mut [Turn], words: &StoredTable) {
    let places: BTreeMap<u32, usize> = turns.iter().enumerate().map(|(i, t)| (t.index, i)).collect();
    for row in 0..words.rows() {
        let place = words.number("turn_index", row).and_then(|i| places.get(&(i as u32)));
        if let (Some(place), Some(text)) = (place, words.text("word", row)) {
            let speaker = words.text("speaker", row).map(str::to_owned);
            turns[*place].words.push(Word { text: text.to_owned(), segment: span(words, row), speaker });
        }
    }
}

fn speech_of(table: &StoredTable) -> Annotation {
    let turn =
        |row: usize| Some(SpeechTurn { segment: span(table, row)?, speaker: table.text("speaker", row)?.to_owned() });
    Annotation::new((0..table.rows()).filter_map(turn).collect())
}
