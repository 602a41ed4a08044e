//! What a page draws over time: turns, voices, overlaps, marks of the floor, who is seen, signals, and bands where
//! something is missing.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::report::source::{Source, cell, flag, rounded};
use crate::report::strip::{Strip, spans};
use crate::store::read::StoredTable;

/// Values that the signals of one page hold together: with them a page of two people stays below 2 MB, and a bin is
/// no wider than a point of a screen where the whole recording is shown.
const VALUES: usize = 200_000;
/// Bins of a signal at least and at most.
const BINS: (usize, usize) = (300, 4000);
/// Persons whose signals are drawn, those seen most.
const PERSONS: usize = 12;

/// A signal of faces: what it is called, and the columns whose mean it is.
pub type FaceSignal = (&'static str, &'static [&'static str]);

/// The signals of each person.
pub const FACE_SIGNALS: [FaceSignal; 9] = [
    ("Smile (mouth corners)", &["blendshape_mouthSmileLeft", "blendshape_mouthSmileRight"]),
    ("Happiness", &["expression_happy"]),
    ("Brows raised", &["blendshape_browInnerUp"]),
    ("Brows lowered", &["blendshape_browDownLeft", "blendshape_browDownRight"]),
    ("Gaze, sideways", &["gaze_camera_yaw_deg"]),
    ("Gaze, up and down", &["gaze_camera_pitch_deg"]),
    ("Head turned", &["head_yaw_deg"]),
    ("Head up and down", &["head_pitch_deg"]),
    ("Mouth opening", &["mouth_opening"]),
];

/// The columns of blendshapes and expressions among [`FACE_SIGNALS`]: of the many in `faces`, only these are read.
pub const FACE_COLUMNS: [&str; 6] = [
    "blendshape_mouthSmileLeft",
    "blendshape_mouthSmileRight",
    "expression_happy",
    "blendshape_browInnerUp",
    "blendshape_browDownLeft",
    "blendshape_browDownRight",
];

/// The signals of the recording.
const VOICE_SIGNALS: [(&str, &str); 2] = [("Pitch", "pitch_hz"), ("Level", "level_db")];

/// True for a frame-level column that a page draws.
pub fn shows(column: &str) -> bool {
    VOICE_SIGNALS.iter().any(|(_, c)| *c == column) || FACE_SIGNALS.iter().any(|(_, cs)| cs.contains(&column))
}

/// A signal over time.
#[derive(Debug, Serialize)]
pub struct Signal {
    title: &'static str,
    /// `P1`; none for the recording's sound.
    person: Option<String>,
    /// `table.column` of each column whose mean is drawn.
    columns: Vec<String>,
    strip: Strip,
}

/// A person on the screen.
#[derive(Debug, Serialize)]
pub struct Person {
    name: String,
    /// The label in turns, or the voice, of whom the cast says that it is this person.
    speaker: Option<String>,
    confidence: Option<f64>,
    /// Spans in which the face is followed.
    seen: Vec<[f64; 2]>,
    /// False where signals are left out because there are too many persons.
    drawn: bool,
}

/// A stretch of time with a text.
#[derive(Debug, Serialize)]
pub struct Band {
    start: f64,
    end: f64,
    /// Of whom, where that is told.
    who: Option<String>,
    text: String,
    value: Option<f64>,
}

/// Something that happens between two.
#[derive(Debug, Serialize)]
pub struct Mark {
    /// `gap`, `overlap`, `touch`, `interruption` or `backchannel`.
    kind: String,
    /// `turns` or `voices`: what it is told from.
    by: &'static str,
    /// Who takes the floor, interrupts or says `mhm`.
    who: String,
    whom: String,
    start: f64,
    end: f64,
    /// Seconds of the floor-transfer offset; how many backchannels.
    value: Option<f64>,
    turn: Option<i64>,
}

/// All of it.
#[derive(Debug, Default, Serialize)]
pub struct Timeline {
    speech: Vec<Band>,
    overlaps: Vec<[f64; 2]>,
    marks: Vec<Mark>,
    persons: Vec<Person>,
    smiles: Vec<Band>,
    events: Vec<Band>,
    annotations: BTreeMap<String, Vec<Band>>,
    /// By `table.column`.
    missing: BTreeMap<String, Vec<Band>>,
    signals: Vec<Signal>,
}

/// Gathers what is there; `duration` is the timeline's length in seconds.
pub fn timeline(source: &Source, duration: f64) -> Timeline {
    let speech = source.table("speech").map(|t| bands(t, "speaker", None, Some("overlap_secs"))).unwrap_or_default();
    let persons = persons(source);
    Timeline {
        overlaps: overlaps(&speech),
        marks: marks(source),
        smiles: smiles(source),
        events: source.table("events").map(|t| bands(t, "event", Some("speaker"), None)).unwrap_or_default(),
        annotations: annotations(source),
        missing: missing(source),
        signals: signals(source, &persons, duration),
        speech,
        persons,
    }
}

fn bands(table: &StoredTable, text: &str, who: Option<&str>, value: Option<&str>) -> Vec<Band> {
    let band = |row: usize| {
        let start = cell(table, "start_secs", row)?;
        Some(Band {
            start,
            end: cell(table, "end_secs", row).unwrap_or(start),
            who: who.and_then(|who| table.text(who, row)).map(str::to_owned),
            text: table.text(text, row).unwrap_or_default().to_owned(),
            value: value.and_then(|value| cell(table, value, row)),
        })
    };
    (0..table.rows()).filter_map(band).collect()
}

/// Spans in which two or more rows of the table `speech` run.
pub fn overlaps_of(speech: &StoredTable) -> Vec<[f64; 2]> {
    overlaps(&bands(speech, "speaker", None, None))
}

/// Spans in which two or more rows of speech run.
fn overlaps(speech: &[Band]) -> Vec<[f64; 2]> {
    let mut edges: Vec<(f64, i32)> = speech.iter().flat_map(|b| [(b.start, 1), (b.end, -1)]).collect();
    edges.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut running, mut since, mut spans) = (0, 0.0, Vec::new());
    for (at, step) in edges {
        running += step;
        match (step, running) {
            (1, 2) => since = at,
            (-1, 1) if at > since => spans.push([since, at]),
            _ => {}
        }
    }
    spans
}

fn smiles(source: &Source) -> Vec<Band> {
    let Some(table) = source.table("smiles") else { return Vec::new() };
    let smile = |row| {
        let start = cell(table, "onset_secs", row)?;
        Some(Band {
            start,
            end: cell(table, "end_secs", row).unwrap_or(start),
            who: table.text("person", row).map(str::to_owned),
            text: "smile".into(),
            value: cell(table, "peak", row),
        })
    };
    (0..table.rows()).filter_map(smile).collect()
}

fn annotations(source: &Source) -> BTreeMap<String, Vec<Band>> {
    let mut tiers: BTreeMap<String, Vec<Band>> = BTreeMap::new();
    if let Some(table) = source.table("annotations") {
        for row in 0..table.rows() {
            let Some(start) = cell(table, "start_secs", row) else { continue };
            tiers.entry(table.text("tier", row).unwrap_or_default().to_owned()).or_default().push(Band {
                start,
                end: cell(table, "end_secs", row).unwrap_or(start),
                who: table.text("person", row).map(str::to_owned),
                text: table.text("value", row).unwrap_or_default().to_owned(),
                value: None,
            });
        }
    }
    tiers
}

/// Start and end of each turn by its index.
fn turn_times(source: &Source) -> BTreeMap<i64, (f64, f64)> {
    let Some(turns) = source.table("turns") else { return BTreeMap::new() };
    let times = |row| {
        let start = cell(turns, "start_secs", row)?;
        let index = turns.number("turn_index", row)? as i64;
        Some((index, (start, cell(turns, "end_secs", row).unwrap_or(start))))
    };
    (0..turns.rows()).filter_map(times).collect()
}

fn marks(source: &Source) -> Vec<Mark> {
    let Some(dyads) = source.table("dyads") else { return Vec::new() };
    let times = turn_times(source);
    let mut marks = Vec::new();
    for row in 0..dyads.rows() {
        let index = dyads.number("turn_index", row).map(|x| x as i64);
        let Some(&(start, end)) = index.and_then(|i| times.get(&i)) else { continue };
        let name = |column| dyads.text(column, row).unwrap_or_default().to_owned();
        let mut mark = |kind: &str, by, span: (f64, f64), value| {
            let said_by_listener = kind == "backchannel" && by == "voices";
            let (who, whom) = if said_by_listener { ("listener", "speaker") } else { ("speaker", "listener") };
            let (who, whom) = (name(who), name(whom));
            marks.push(Mark { kind: kind.into(), by, who, whom, start: span.0, end: span.1, value, turn: index });
        };
        if let (Some(kind), Some(offset)) = (dyads.text("floor_transfer", row), cell(dyads, "floor_offset_secs", row)) {
            let other = rounded(start - offset).unwrap_or(start);
            mark(kind, "turns", (start.min(other), start.max(other)), Some(offset));
        }
        if flag(dyads, "interrupts", row) == Some(true) {
            mark("interruption", "turns", (start, end), None);
        }
        if flag(dyads, "speech_interrupts", row) == Some(true) {
            let begun = cell(dyads, "speech_start_secs", row).unwrap_or(start);
            mark("interruption", "voices", (begun, begun), None);
        }
        if flag(dyads, "backchannel", row) == Some(true) {
            mark("backchannel", "turns", (start, end), None);
        }
        if let Some(first) = cell(dyads, "speech_first_backchannel_secs", row) {
            mark("backchannel", "voices", (first, first), cell(dyads, "speech_backchannels", row));
        }
    }
    marks
}

/// Each person's observations, by row of `faces`, those seen most first.
pub fn observations(faces: &StoredTable) -> Vec<(String, Vec<usize>)> {
    let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for row in 0..faces.rows() {
        if let (Some(person), Some(_)) = (faces.text("person", row), faces.number("pts_secs", row)) {
            rows.entry(person).or_default().push(row);
        }
    }
    let mut rows: Vec<(String, Vec<usize>)> = rows.into_iter().map(|(p, r)| (p.to_owned(), r)).collect();
    rows.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(&b.0)));
    rows
}

/// Samples of one signal in order of time.
pub fn samples(
    table: &StoredTable,
    time: &str,
    columns: &[&str],
    rows: impl Iterator<Item = usize>,
) -> Vec<(f64, f64)> {
    let value = |row| columns.iter().map(|c| table.number(c, row).unwrap_or(f64::NAN)).sum::<f64>();
    let mut samples: Vec<(f64, f64)> =
        rows.filter_map(|row| Some((table.number(time, row)?, value(row) / columns.len() as f64))).collect();
    samples.sort_by(|a, b| a.0.total_cmp(&b.0));
    samples
}

fn persons(source: &Source) -> Vec<Person> {
    let Some(faces) = source.table("faces") else { return Vec::new() };
    let speakers = source.table("speakers");
    let person = |(place, (name, rows)): (usize, (String, Vec<usize>))| {
        let cast = speakers.and_then(|t| (0..t.rows()).find(|&row| t.text("person", row) == Some(&name)).zip(Some(t)));
        Person {
            speaker: cast.and_then(|(row, t)| t.text("label", row).or(t.text("speaker", row))).map(str::to_owned),
            confidence: cast.and_then(|(row, t)| cell(t, "person_confidence", row)),
            seen: spans(&samples(faces, "pts_secs", &[], rows.into_iter()))
                .into_iter()
                .map(|[a, b]| [rounded(a).unwrap_or(a), rounded(b).unwrap_or(b)])
                .collect(),
            drawn: place < PERSONS,
            name,
        }
    };
    let mut persons: Vec<Person> = observations(faces).into_iter().enumerate().map(person).collect();
    // P2 before P10.
    persons.sort_by(|a, b| a.name.len().cmp(&b.name.len()).then_with(|| a.name.cmp(&b.name)));
    persons
}

fn signals(source: &Source, persons: &[Person], duration: f64) -> Vec<Signal> {
    let drawn: BTreeSet<&str> = persons.iter().filter(|p| p.drawn).map(|p| p.name.as_str()).collect();
    let count = VOICE_SIGNALS.len() + drawn.len() * FACE_SIGNALS.len();
    // Two values a bin.
    let bins = (VALUES / 2 / count).clamp(BINS.0, BINS.1);
    let mut signals = Vec::new();
    if let Some(voice) = source.table("voice") {
        for (title, column) in VOICE_SIGNALS.iter().filter(|(_, c)| voice.column(c).is_some()) {
            let strip = Strip::of(&samples(voice, "time_secs", &[column], 0..voice.rows()), duration, bins);
            signals.push(Signal { title, person: None, columns: vec![format!("voice.{column}")], strip });
        }
    }
    let Some(faces) = source.table("faces") else { return signals };
    let observations: BTreeMap<String, Vec<usize>> = observations(faces).into_iter().collect();
    for (title, columns) in FACE_SIGNALS.iter().filter(|(_, cs)| cs.iter().all(|c| faces.column(c).is_some())) {
        for person in persons.iter().filter(|p| p.drawn) {
            let rows = observations.get(&person.name).cloned().unwrap_or_default();
            let strip = Strip::of(&samples(faces, "pts_secs", columns, rows.into_iter()), duration, bins);
            let columns = columns.iter().map(|c| format!("faces.{c}")).collect();
            signals.push(Signal { title, person: Some(person.name.clone()), columns, strip });
        }
    }
    signals
}

/// Tables with a row for each turn, and the columns that say whose values are missing.
const WHOSE: [(&str, &[&str]); 3] =
    [("turns", &["speaker"]), ("dyads", &["speaker", "listener"]), ("turn_faces", &["person"])];

/// A band for each reason that a turn's columns give for being empty.
fn missing(source: &Source) -> BTreeMap<String, Vec<Band>> {
    let times = turn_times(source);
    let mut found: BTreeMap<String, Vec<Band>> = BTreeMap::new();
    for (name, who) in WHOSE {
        let Some(table) = source.table(name) else { continue };
        for column in table.schema().columns.iter().filter(|c| c.name.ends_with("_missing")) {
            let mut bands = Vec::new();
            for row in 0..table.rows() {
                let turn = table.number("turn_index", row).map(|x| x as i64);
                if let (Some(reason), Some(&(start, end))) =
                    (table.text(&column.name, row), turn.and_then(|t| times.get(&t)))
                {
                    let who: Vec<&str> = who.iter().filter_map(|who| table.text(who, row)).collect();
                    let who = (!who.is_empty()).then(|| who.join(" to "));
                    bands.push(Band { start, end, who, text: reason.to_owned(), value: None });
                }
            }
            if !bands.is_empty() {
                found.insert(format!("{name}.{}", column.name), bands);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speech(spans: &[(f64, f64)]) -> Vec<Band> {
        let band = |&(start, end): &(f64, f64)| Band { start, end, who: None, text: String::new(), value: None };
        spans.iter().map(band).collect()
    }

    #[test]
    fn overlaps_are_where_two_or_more_talk_and_touching_is_none() {
        assert_eq!(overlaps(&speech(&[(0.0, 4.0), (1.0, 2.0), (1.5, 3.0), (4.0, 5.0)])), [[1.0, 3.0]]);
        assert!(overlaps(&speech(&[(0.0, 1.0), (1.0, 2.0)])).is_empty());
    }

    #[test]
    fn every_blendshape_and_expression_that_is_drawn_is_read() {
        let drawn: BTreeSet<&str> = FACE_SIGNALS
            .iter()
            .flat_map(|(_, columns)| columns.iter().copied())
            .filter(|c| c.starts_with("blendshape_") || c.starts_with("expression_"))
            .collect();
        assert_eq!(drawn, FACE_COLUMNS.into_iter().collect());
    }
}
