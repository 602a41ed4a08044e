//! Who says what when: the tables of an interview that are short enough to be held whole.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::error::Result;
use crate::store::read::{StoredTable, read_columns};

/// A turn of the transcript.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    pub index: i64,
    pub start: f64,
    pub end: f64,
    pub speaker: String,
    pub text: String,
    pub person: Option<String>,
    /// The cast says that nobody in the picture is the speaker.
    pub unseen: bool,
    /// When words begin, and where in the text, as far as both are known.
    words: Vec<(f64, usize)>,
}

/// Somebody talks.
#[derive(Clone, Debug, PartialEq)]
struct Span {
    start: f64,
    end: f64,
    person: Option<String>,
}

/// All that is said in an interview.
#[derive(Clone, Debug, Default)]
pub struct Talk {
    /// By their start.
    pub turns: Vec<Turn>,
    /// `None` where there is no such table: then turns tell who speaks.
    speech: Option<Vec<Span>>,
    smiles: Vec<Span>,
    /// What a person is called.
    names: BTreeMap<String, String>,
    /// Persons in the order of their colours.
    persons: Vec<String>,
}

/// The tables that are read here.
pub const TABLES: [&str; 6] = ["turns", "speech", "speakers", "smiles", "words", "tracks"];

impl Talk {
    /// Reads what is there of [`TABLES`].
    ///
    /// # Errors
    /// As [`read_columns`].
    pub fn read(tables: &BTreeMap<&str, PathBuf>) -> Result<Self> {
        let table = |name: &str, columns: &[&str]| tables.get(name).map(|p| read_columns(p, columns)).transpose();
        let named = ["turn_index", "start_secs", "end_secs", "speaker", "text", "person", "person_probability"];
        let mut talk = Talk::default();
        if let Some(turns) = table("turns", &named)? {
            talk.turns = (0..turns.rows()).filter_map(|row| turn(&turns, row)).collect();
            talk.turns.sort_by(|a, b| a.start.total_cmp(&b.start).then(a.index.cmp(&b.index)));
        }
        let of = |t: &StoredTable, start: &str| (0..t.rows()).filter_map(|row| span(t, start, row)).collect::<Vec<_>>();
        talk.speech = table("speech", &["start_secs", "end_secs", "person"])?.map(|t| of(&t, "start_secs"));
        if let Some(smiles) = table("smiles", &["onset_secs", "end_secs", "person"])? {
            talk.smiles = of(&smiles, "onset_secs");
        }
        if let Some(tracks) = table("tracks", &["person"])? {
            let persons = (0..tracks.rows()).filter_map(|row| tracks.text("person", row));
            let persons: BTreeSet<(usize, &str)> = persons.map(|p| (p.len(), p)).collect();
            talk.persons = persons.into_iter().map(|(_, person)| person.to_owned()).collect();
        }
        if let Some(speakers) = table("speakers", &["speaker", "label", "person", "person_confidence"])? {
            talk.names = names(&speakers);
        }
        if let Some(words) = table("words", &["turn_index", "word_index", "word", "start_secs"])? {
            talk.place_words(&words);
        }
        Ok(talk)
    }

    /// The place of each word in its turn's text; those not found there in order are passed over.
    fn place_words(&mut self, words: &StoredTable) {
        let mut turns: BTreeMap<i64, &mut Turn> = self.turns.iter_mut().map(|t| (t.index, t)).collect();
        for row in 0..words.rows() {
            let index = words.number("turn_index", row).map(|x| x as i64);
            let Some(turn) = index.and_then(|i| turns.get_mut(&i)) else { continue };
            let (Some(word), Some(start)) = (words.text("word", row), words.number("start_secs", row)) else {
                continue;
            };
            let behind = turn.words.last().map_or(0, |w| w.1);
            if let Some(at) = turn.text.get(behind..).and_then(|rest| rest.find(word)) {
                turn.words.push((start, behind + at));
            }
        }
    }

    /// The turns that run at `secs`.
    pub fn turns_at(&self, secs: f64) -> impl Iterator<Item = &Turn> {
        self.turns.iter().take_while(move |t| t.start <= secs).filter(move |t| secs < t.end)
    }

    /// The persons who speak at `secs`: by the voices, and by the turns where voices are not told apart.
    pub fn speaking(&self, secs: f64) -> BTreeSet<&str> {
        match &self.speech {
            Some(speech) => running(speech, secs).filter_map(|s| s.person.as_deref()).collect(),
            None => self.turns_at(secs).filter_map(|t| t.person.as_deref()).collect(),
        }
    }

    /// True while this person smiles, by the table `smiles`.
    pub fn smiles(&self, person: &str, secs: f64) -> bool {
        running(&self.smiles, secs).any(|s| s.person.as_deref() == Some(person))
    }

    /// What a person is called: the transcript's name for the voice with the person's own, else this alone.
    pub fn name<'a>(&'a self, person: &'a str) -> &'a str {
        self.names.get(person).map_or(person, String::as_str)
    }

    /// The position of a person among all, for its colour.
    pub fn position(&self, person: &str) -> Option<usize> {
        self.persons.iter().position(|p| p == person)
    }

    /// True where anybody is followed in the picture.
    pub fn has_persons(&self) -> bool {
        !self.persons.is_empty()
    }
}

impl Turn {
    /// How far in the text the talk has got: the place of the word that is said, else by the share of the time.
    pub fn reached(&self, secs: f64) -> usize {
        match self.words.iter().rev().find(|w| w.0 <= secs) {
            Some((_, at)) => *at,
            None if !self.words.is_empty() => 0,
            None => {
                let share = ((secs - self.start) / (self.end - self.start).max(1e-3)).clamp(0.0, 1.0);
                (share * self.text.len() as f64) as usize
            }
        }
    }
}

fn running(spans: &[Span], secs: f64) -> impl Iterator<Item = &Span> {
    spans.iter().filter(move |s| s.start <= secs && secs < s.end)
}

fn turn(table: &StoredTable, row: usize) -> Option<Turn> {
    let text = |name: &str| table.text(name, row).unwrap_or_default().to_owned();
    let person = table.text("person", row).map(str::to_owned);
    Some(Turn {
        index: table.number("turn_index", row)? as i64,
        start: table.number("start_secs", row)?,
        end: table.number("end_secs", row)?,
        speaker: text("speaker"),
        text: text("text").split_whitespace().collect::<Vec<_>>().join(" "),
        unseen: person.is_none() && table.number("person_probability", row).is_some(),
        person,
        words: Vec::new(),
    })
}

fn span(table: &StoredTable, start: &str, row: usize) -> Option<Span> {
    Some(Span {
        start: table.number(start, row)?,
        end: table.number("end_secs", row)?,
        person: table.text("person", row).map(str::to_owned),
    })
}

/// Of a person with several voices the surest one's.
fn names(speakers: &StoredTable) -> BTreeMap<String, String> {
    let mut surest: BTreeMap<String, (f64, String)> = BTreeMap::new();
    for row in 0..speakers.rows() {
        let Some(person) = speakers.text("person", row) else { continue };
        let Some(name) = speakers.text("label", row).or(speakers.text("speaker", row)) else { continue };
        let sure = speakers.number("person_confidence", row).unwrap_or(0.0);
        if surest.get(person).is_none_or(|known| sure > known.0) {
            let name = if name == person { name.to_owned() } else { format!("{name} ({person})") };
            surest.insert(person.to_owned(), (sure, name));
        }
    }
    surest.into_iter().map(|(person, (_, name))| (person, name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_the_talk_has_got_is_told_by_words_else_by_time() {
        let mut turn = Turn { start: 10.0, end: 20.0, text: "one two three four".into(), ..Turn::default() };
        assert_eq!((turn.reached(10.0), turn.reached(15.0), turn.reached(99.0)), (0, 9, 18));
        turn.words = vec![(11.0, 0), (12.0, 4), (18.0, 8)];
        assert_eq!((turn.reached(10.0), turn.reached(12.5), turn.reached(19.0)), (0, 4, 8));
    }

    #[test]
    fn who_speaks_is_told_by_voices_and_by_turns_only_without_them() {
        let said = |start, end, person: Option<&str>| Turn {
            start,
            end,
            person: person.map(str::to_owned),
            ..Turn::default()
        };
        let mut talk = Talk { turns: vec![said(0.0, 5.0, Some("P1")), said(4.0, 9.0, Some("P2"))], ..Talk::default() };
        assert_eq!(talk.speaking(4.5).into_iter().collect::<Vec<_>>(), ["P1", "P2"]);
        assert!(talk.speaking(9.0).is_empty());
        talk.speech = Some(vec![Span { start: 1.0, end: 2.0, person: Some("P2".into()) }]);
        assert_eq!(talk.speaking(1.5).into_iter().collect::<Vec<_>>(), ["P2"]);
        assert!(talk.speaking(4.5).is_empty());
        assert_eq!((talk.name("P2"), talk.position("P2")), ("P2", None));
    }
}
