//! What there is to correct in an interview that was extracted: its tables, looked at by name and moment.

use std::path::{Path, PathBuf};

use super::{Correction, Kind, Moment, Subject};
use crate::error::Result;
use crate::spelling::meant;
use crate::store::finished::own_tables;
use crate::store::read::{StoredTable, read_columns};
use crate::time::Seconds;

/// A voice of an interview.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownVoice {
    /// As the tables call it.
    pub name: String,
    /// The transcript's label for it.
    pub label: Option<String>,
    /// The person on the screen.
    pub person: Option<String>,
    /// Seconds spoken.
    pub secs: f64,
    /// Speech turns.
    pub turns: usize,
}

/// A face track of an interview.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownTrack {
    /// Its number.
    pub id: u32,
    /// Whose it is; `None` = nobody's.
    pub person: Option<String>,
    /// First and last time it is seen.
    pub span: (f64, f64),
}

/// A turn of an interview.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownTurn {
    /// Its number.
    pub index: u32,
    /// Start and end.
    pub span: (f64, f64),
    /// Who speaks.
    pub speaker: Option<String>,
    /// What is said.
    pub text: String,
}

/// A line that the tables were made with.
#[derive(Clone, Debug, PartialEq)]
struct Applied {
    kind: String,
    subject: String,
    value: String,
    found: Option<String>,
    problem: Option<String>,
}

/// How a line of the file stands to the tables.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// The tables were made with it: to what it was applied.
    Applied(String),
    /// The tables were made with it, and it was not applied: the code of the reason.
    NotApplied(String),
    /// The next extraction will look for what it is about.
    Waits,
    /// There is nothing of that name: what is wrong, and what is right.
    Wrong(String, String),
}

/// What there is to correct.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Voices by name.
    pub voices: Vec<KnownVoice>,
    /// Tracks by number.
    pub tracks: Vec<KnownTrack>,
    /// Turns in order.
    pub turns: Vec<KnownTurn>,
    applied: Vec<Applied>,
    /// Tables of moments, looked at when one is asked for.
    speech: Option<PathBuf>,
    faces: Option<PathBuf>,
    /// The turns were moved away from the transcript's own times.
    moved: bool,
}

impl Known {
    /// Reads the tables of an interview; empty where it was not extracted or failed.
    ///
    /// # Errors
    /// Those of reading tables.
    pub fn read(out: &Path, interview_id: &str) -> Result<Self> {
        let file = |name: &str| -> Result<Option<PathBuf>> {
            Ok(own_tables(out, interview_id, &[name])?.into_iter().next().map(|(_, path)| path))
        };
        let columns = |name: &str, columns: &[&str]| match file(name)? {
            Some(path) => read_columns(&path, columns),
            None => Ok(StoredTable::default()),
        };
        Ok(Known {
            voices: voices(&columns("speakers", &VOICE)?),
            tracks: tracks(&columns("tracks", &TRACK)?),
            turns: turns(&columns("turns", &TURN)?),
            applied: applied(&columns("corrections", &APPLIED)?),
            moved: truth(&columns("interviews", &[MOVED])?, MOVED),
            speech: file("speech")?,
            faces: file("faces")?,
        })
    }

    /// Persons in the order of their first appearance, with their tracks and seconds seen.
    pub fn persons(&self) -> Vec<(String, usize, f64)> {
        let mut persons: Vec<(String, usize, f64)> = Vec::new();
        for track in &self.tracks {
            let Some(name) = &track.person else { continue };
            let secs = track.span.1 - track.span.0;
            match persons.iter_mut().find(|(n, ..)| n == name) {
                Some((_, tracks, seen)) => (*tracks, *seen) = (*tracks + 1, *seen + secs),
                None => persons.push((name.clone(), 1, secs)),
            }
        }
        persons
    }

    /// How a line stands to the tables.
    pub fn standing(&self, line: &Correction) -> Standing {
        let subject = line.subject.to_string();
        let same = |a: &&Applied| a.kind == line.kind.name() && a.subject == subject && a.value == line.value;
        match self.applied.iter().find(same) {
            Some(Applied { found: Some(found), .. }) => return Standing::Applied(found.clone()),
            Some(Applied { problem, .. }) => return Standing::NotApplied(problem.clone().unwrap_or_default()),
            None => {}
        }
        let there = self.names(line.kind);
        let name = line.subject.name.as_str();
        let kind = line.kind.name();
        if line.subject.moment.is_none() && !there.iter().any(|t| t == name) {
            let near = meant(name, there.iter().map(String::as_str));
            return Standing::Wrong(format!("there is no {kind} {name}{near}"), self.told(line.kind, name));
        }
        let of_value = if line.kind == Kind::Track { Kind::Person } else { line.kind };
        let values = self.names(of_value);
        if line.kind.is_numbered(&line.value) && !values.contains(&line.value) {
            let near = meant(&line.value, values.iter().map(String::as_str));
            let what = format!("there is no {} {}{near}", of_value.name(), line.value);
            return Standing::Wrong(what, self.told(of_value, &line.value));
        }
        Standing::Waits
    }

    /// What there is of a kind, in words; where the name is one that a line gave, which.
    fn told(&self, kind: Kind, name: &str) -> String {
        if let Some(line) = self.applied.iter().find(|a| a.kind == kind.name() && a.value == name) {
            return format!("{name} is the name that the line for {} gives: change that line", line.subject);
        }
        match kind {
            Kind::Turn | Kind::Track => {
                let names = self.names(kind);
                let ends = names.first().zip(names.last());
                ends.map_or_else(|| "there is none".into(), |(a, b)| format!("they go from {a} to {b}"))
            }
            _ if self.names(kind).is_empty() => "there is none".into(),
            _ => format!("there: {}", self.names(kind).join(", ")),
        }
    }

    /// The names of a kind as they are without corrections.
    fn names(&self, kind: Kind) -> Vec<String> {
        let now: Vec<String> = match kind {
            Kind::Voice => self.voices.iter().map(|v| v.name.clone()).collect(),
            Kind::Person => self.persons().into_iter().map(|p| p.0).collect(),
            Kind::Track => return self.tracks.iter().map(|t| t.id.to_string()).collect(),
            Kind::Turn => return self.turns.iter().map(|t| t.index.to_string()).collect(),
        };
        let own: Vec<&Applied> = self.applied.iter().filter(|a| a.kind == kind.name() && a.found.is_some()).collect();
        let was = own.iter().filter_map(|a| a.found.clone());
        let mut all: Vec<String> = now.into_iter().filter(|n| !own.iter().any(|a| a.value == *n)).chain(was).collect();
        // A number that others were joined with is its own name.
        all.extend(own.iter().map(|a| a.value.clone()).filter(|v| kind.is_numbered(v)));
        all.sort();
        all.dedup();
        all
    }

    /// The subject of a line, pinned to a moment at which it can be told; as it is where it is pinned, or no moment
    /// tells it from others.
    ///
    /// # Errors
    /// Those of reading tables.
    pub fn pinned(&self, line: &Correction) -> Result<Subject> {
        let subject = &line.subject;
        if subject.moment.is_some() {
            return Ok(subject.clone());
        }
        let moment = match line.kind {
            Kind::Voice => self.heard(&subject.name)?,
            Kind::Person => self.seen(&|table, row| table.text("person", row) == Some(&subject.name))?,
            Kind::Track => {
                let number = subject.number().map(f64::from);
                self.seen(&|table, row| table.number("track_id", row) == number)?
            }
            // Where all were moved, a turn's time in the tables is not the transcript's.
            Kind::Turn if self.moved => None,
            Kind::Turn => {
                let turn = self.turns.iter().find(|t| Some(t.index) == subject.number());
                turn.map(|t| Moment { at: Seconds::of(t.span.0), place: None })
            }
        };
        Ok(moment.map_or_else(|| subject.clone(), |moment| subject.at(moment)))
    }

    /// The middle of the longest stretch in which the voice is heard alone.
    fn heard(&self, name: &str) -> Result<Option<Moment>> {
        let Some(path) = &self.speech else { return Ok(None) };
        let table = read_columns(path, &["speaker", "start_secs", "end_secs"])?;
        let span = |row: usize| Some((table.number("start_secs", row)?, table.number("end_secs", row)?));
        let all = (0..table.rows()).filter_map(|row| Some((table.text("speaker", row)?, span(row)?)));
        let (own, others): (Vec<_>, Vec<_>) = all.partition(|(speaker, _)| *speaker == name);
        let others: Vec<(f64, f64)> = others.into_iter().map(|(_, span)| span).collect();
        let alone = own.iter().flat_map(|(_, span)| alone(*span, &others));
        let longest =
            alone.max_by(|x, y| (x.1 - x.0).total_cmp(&(y.1 - y.0))).filter(|x| x.1 - x.0 >= LEAST_ALONE_SECS);
        let middle = |(a, b): (f64, f64)| ((0.5 * (a + b)) * 1e3).round() / 1e3;
        Ok(longest.map(|span| Moment { at: Seconds::of(middle(span)), place: None }))
    }

    /// Where the face is largest.
    fn seen(&self, is_it: &dyn Fn(&StoredTable, usize) -> bool) -> Result<Option<Moment>> {
        let Some(path) = &self.faces else { return Ok(None) };
        let table = read_columns(path, &FACE)?;
        let face = |row: usize| {
            let value = |name: &str| table.number(name, row);
            let (left, top) = (value("box_left_px")?, value("box_top_px")?);
            let (width, height) = (value("box_width_px")?, value("box_height_px")?);
            let place = ((left + 0.5 * width) as f32, (top + 0.5 * height) as f32);
            let moment = Moment { at: Seconds::of(value("pts_secs")?), place: Some(place) };
            (place.0 >= 0.0 && place.1 >= 0.0).then_some((width * height, moment))
        };
        let own = (0..table.rows()).filter(|row| is_it(&table, *row)).filter_map(face);
        Ok(own.reduce(|best, one| if one.0 > best.0 { one } else { best }).map(|(_, moment)| moment))
    }
}

/// A shorter stretch tells no voice from another.
const LEAST_ALONE_SECS: f64 = 0.05;

/// What of a span no other covers; others are sorted by their starts.
fn alone(span: (f64, f64), others: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut free = Vec::new();
    let mut from = span.0;
    for other in others.iter().filter(|o| o.0 < span.1 && o.1 > span.0) {
        if other.0 > from {
            free.push((from, other.0));
        }
        from = from.max(other.1);
    }
    if from < span.1 {
        free.push((from, span.1));
    }
    free
}

const MOVED: &str = "transcript_moved";
const VOICE: [&str; 5] = ["speaker", "label", "person", "speech_secs", "speech_turns"];
const TRACK: [&str; 4] = ["track_id", "person", "first_pts_secs", "last_pts_secs"];
const TURN: [&str; 5] = ["turn_index", "speaker", "start_secs", "end_secs", "text"];
const APPLIED: [&str; 5] = ["kind", "subject", "value", "found", "problem"];
const FACE: [&str; 7] =
    ["pts_secs", "track_id", "person", "box_left_px", "box_top_px", "box_width_px", "box_height_px"];

fn truth(table: &StoredTable, name: &str) -> bool {
    matches!(table.column(name), Some(crate::table::ColumnData::Bool(v)) if v.first().copied().flatten() == Some(true))
}

fn owned(table: &StoredTable, name: &str, row: usize) -> Option<String> {
    table.text(name, row).map(ToOwned::to_owned)
}

fn voices(table: &StoredTable) -> Vec<KnownVoice> {
    let voice = |row: usize| {
        Some(KnownVoice {
            name: owned(table, "speaker", row)?,
            label: owned(table, "label", row),
            person: owned(table, "person", row),
            secs: table.number("speech_secs", row).unwrap_or(0.0),
            turns: table.number("speech_turns", row).unwrap_or(0.0) as usize,
        })
    };
    (0..table.rows()).filter_map(voice).collect()
}

fn tracks(table: &StoredTable) -> Vec<KnownTrack> {
    let track = |row: usize| {
        Some(KnownTrack {
            id: table.number("track_id", row)? as u32,
            person: owned(table, "person", row),
            span: (table.number("first_pts_secs", row)?, table.number("last_pts_secs", row)?),
        })
    };
    (0..table.rows()).filter_map(track).collect()
}

fn turns(table: &StoredTable) -> Vec<KnownTurn> {
    let turn = |row: usize| {
        Some(KnownTurn {
            index: table.number("turn_index", row)? as u32,
            span: (table.number("start_secs", row)?, table.number("end_secs", row)?),
            speaker: owned(table, "speaker", row),
            text: owned(table, "text", row).unwrap_or_default(),
        })
    };
    (0..table.rows()).filter_map(turn).collect()
}

fn applied(table: &StoredTable) -> Vec<Applied> {
    let text = |name: &str, row: usize| owned(table, name, row).unwrap_or_default();
    let line = |row: usize| Applied {
        kind: text("kind", row),
        subject: text("subject", row),
        value: text("value", row),
        found: owned(table, "found", row),
        problem: owned(table, "problem", row),
    };
    (0..table.rows()).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_voice_is_alone_where_no_other_is() {
        assert_eq!(alone((0.0, 10.0), &[(-1.0, 1.0), (2.0, 5.0), (3.0, 4.0), (9.0, 12.0)]), [(1.0, 2.0), (5.0, 9.0)]);
        assert_eq!(alone((0.0, 1.0), &[(2.0, 3.0)]), [(0.0, 1.0)]);
        assert!(alone((1.0, 2.0), &[(0.0, 3.0)]).is_empty());
    }
}
