//! The numbers of one interview's page.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::report::pairs::{self, Matrix, Synchrony};
use crate::report::source::{ColumnTold, Source, cell, flag};
use crate::report::spread::{self, Spread};
use crate::report::timeline::{self, Timeline};
use crate::store::read::StoredTable;

/// Stands for a turn without a label.
const UNLABELLED: &str = "(no label)";

/// The columns of `turns` that the transcript tells beside the words.
const TOLD: [&str; 6] = ["diarized_speaker", "matched_speaker", "person", "speaker_role", "layout", "face_missing"];

/// All that a page carries.
#[derive(Debug, Serialize)]
pub struct Interview {
    pub id: String,
    /// `../` as often as leads to the index.
    pub up: String,
    pub status: String,
    error: Option<String>,
    error_kind: Option<String>,
    media: Option<String>,
    /// From the page to the media; null where it was not found.
    pub media_url: Option<String>,
    /// Length of the timeline in seconds.
    duration: f64,
    /// Each value of the interview's row.
    facts: Vec<Fact>,
    made: Vec<(String, String)>,
    warnings: Vec<Warned>,
    /// Tables that cannot be read.
    faults: Vec<String>,
    /// Speakers of turns, in the order in which they begin.
    speakers: Vec<String>,
    voices: Vec<Voice>,
    turns: Vec<Turn>,
    /// Names of the turns' values.
    turn_columns: Vec<String>,
    timeline: Timeline,
    matrices: Vec<Matrix>,
    synchrony: Vec<Synchrony>,
    spreads: Vec<Spread>,
    /// What each column says of itself, by `table.column`.
    columns: BTreeMap<String, ColumnTold>,
}

/// A value of the interview's row.
#[derive(Debug, Serialize)]
pub struct Fact {
    name: String,
    value: String,
}

/// A warning, and the stretches of the recording that it names.
#[derive(Debug, PartialEq, Serialize)]
pub struct Warned {
    code: String,
    text: String,
    spans: Vec<[f64; 2]>,
}

/// A row of `speakers`.
#[derive(Debug, Serialize)]
struct Voice {
    speaker: Option<String>,
    label: Option<String>,
    person: Option<String>,
    person_confidence: Option<f64>,
    match_share: Option<f64>,
    speech_secs: Option<f64>,
    speech_share: Option<f64>,
}

/// A row of `turns`.
#[derive(Debug, Serialize)]
struct Turn {
    index: Option<i64>,
    start: f64,
    end: f64,
    speaker: String,
    text: String,
    contradicts: Option<bool>,
    /// What [`TOLD`] holds of it.
    told: BTreeMap<&'static str, String>,
    values: Vec<Option<f64>>,
}

/// The speaker of a turn as pages name it.
pub fn label(turns: &StoredTable, row: usize) -> String {
    turns.text("speaker", row).unwrap_or(UNLABELLED).to_owned()
}

/// Puts together what a page carries; where it lies is not known yet.
pub fn interview(source: &Source) -> Interview {
    let row = &source.row;
    let turns = turns(source);
    let mut speakers: Vec<String> = Vec::new();
    for turn in &turns {
        if !speakers.contains(&turn.speaker) {
            speakers.push(turn.speaker.clone());
        }
    }
    let spoken =
        source.table("speech").map(|t| (0..t.rows()).filter_map(|r| cell(t, "end_secs", r)).fold(0.0, f64::max));
    let ends = turns.iter().map(|t| t.end).chain(spoken).chain(row.number("duration_secs"));
    let duration = ends.fold(0.0, f64::max);
    Interview {
        id: row.id.clone(),
        up: String::new(),
        status: row.status().to_owned(),
        error: row.error.clone().or_else(|| row.text("error").map(str::to_owned)),
        error_kind: row.text("error_kind").map(str::to_owned),
        media: row.text("media").map(str::to_owned),
        media_url: None,
        duration,
        facts: row.facts().into_iter().map(|(name, value)| Fact { name, value }).collect(),
        made: row.made(),
        warnings: row.warnings().iter().map(|text| warned(text)).collect(),
        faults: source.faults.clone(),
        voices: voices(source),
        turn_columns: turn_columns(source).iter().map(|c| format!("turns.{c}")).collect(),
        timeline: timeline::timeline(source, duration),
        matrices: pairs::matrices(source),
        synchrony: pairs::synchrony(source),
        spreads: spread::spreads(source, &speakers),
        columns: columns(source),
        turns,
        speakers,
    }
}

fn turn_columns(source: &Source) -> Vec<&'static str> {
    let Some(turns) = source.table("turns") else { return Vec::new() };
    spread::COLUMNS.iter().map(|(column, _)| *column).filter(|c| turns.column(c).is_some()).collect()
}

fn turns(source: &Source) -> Vec<Turn> {
    let Some(table) = source.table("turns") else { return Vec::new() };
    let columns = turn_columns(source);
    let turn = |row| {
        let start = cell(table, "start_secs", row)?;
        Some(Turn {
            index: table.number("turn_index", row).map(|x| x as i64),
            start,
            end: cell(table, "end_secs", row).unwrap_or(start),
            speaker: label(table, row),
            text: table.text("text", row).unwrap_or_default().to_owned(),
            contradicts: flag(table, "speaker_contradicts", row),
            told: TOLD.iter().filter_map(|c| Some((*c, table.text(c, row)?.to_owned()))).collect(),
            values: columns.iter().map(|c| cell(table, c, row)).collect(),
        })
    };
    (0..table.rows()).filter_map(turn).collect()
}

fn voices(source: &Source) -> Vec<Voice> {
    let Some(table) = source.table("speakers") else { return Vec::new() };
    let text = |name, row| table.text(name, row).map(str::to_owned);
    let voice = |row| Voice {
        speaker: text("speaker", row),
        label: text("label", row),
        person: text("person", row),
        person_confidence: cell(table, "person_confidence", row),
        match_share: cell(table, "match_share", row),
        speech_secs: cell(table, "speech_secs", row),
        speech_share: cell(table, "speech_share", row),
    };
    (0..table.rows()).map(voice).collect()
}

/// Whether a column of a table is shown.
type Shows<'a> = &'a dyn Fn(&str) -> bool;

/// Every column of the tables that are shown, and of the interview's row.
fn columns(source: &Source) -> BTreeMap<String, ColumnTold> {
    let of_turns = |column: &str| {
        spread::COLUMNS.iter().any(|(c, _)| *c == column) || column.ends_with("_missing") || column == "person"
    };
    let shown: [(&str, Shows<'_>); 10] = [
        ("turns", &of_turns),
        ("dyads", &pairs::shows),
        ("synchrony", &|_| true),
        ("smiles", &|_| true),
        ("events", &|_| true),
        ("speech", &|_| true),
        ("speakers", &|_| true),
        ("voice", &timeline::shows),
        ("faces", &timeline::shows),
        ("turn_faces", &|column| column.ends_with("_missing")),
    ];
    let mut told = BTreeMap::new();
    for (table, shows) in shown {
        let Some(stored) = source.table(table) else { continue };
        for column in stored.schema().columns.iter().filter(|c| shows(&c.name)) {
            told.extend(source.told(table, &column.name).map(|t| (format!("{table}.{}", column.name), t)));
        }
    }
    for column in &source.row.table.schema().columns {
        told.insert(format!("interviews.{}", column.name), column.into());
    }
    told
}

/// Takes a warning's text apart: its code, and each `[1.000, 2.000) s` in it.
fn warned(text: &str) -> Warned {
    let code = text.split_once(':').map_or(text, |(code, _)| code).to_owned();
    let mut spans = Vec::new();
    for part in text.split('[').skip(1) {
        let Some((inside, rest)) = part.split_once(')') else { continue };
        let ends: Vec<f64> = inside.split(", ").filter_map(|x| x.parse().ok()).collect();
        if let [start, end] = ends[..]
            && rest.starts_with(" s")
            && start <= end
        {
            spans.push([start, end]);
        }
    }
    Warned { code, text: text.to_owned(), spans }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{Seconds, Segment};

    #[test]
    fn the_stretches_of_warnings_are_those_that_segments_are_written_as() {
        let segment = Segment::new(Seconds::new(1.5).unwrap(), Seconds::new(20.25).unwrap()).unwrap();
        let told = warned(&format!("video_gap: nothing in {segment}, [laughter] and [a, b) s; also [3.000, 4.000) s"));
        assert_eq!(told.code, "video_gap");
        assert_eq!(told.spans, [[1.5, 20.25], [3.0, 4.0]]);
        assert!(warned("speaker_match: none").spans.is_empty());
    }
}
