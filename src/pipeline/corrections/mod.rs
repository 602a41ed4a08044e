//! Corrections: what somebody who looked knows better than models. A line names an interview and something of it (a
//! voice, a person, a face track, a turn), and says what it is. They lie in `corrections.csv` beside the tables, go into
//! the next extraction where names are given ([`apply`]), and are told in the table `corrections` with what became of
//! each.
//!
//! Names that diarization and tracking give are numbers, and another recipe numbers otherwise. So a subject may be
//! pinned to a moment: `SPEAKER_01@12.5` is the voice heard alone at 12.5 s, `P2@12.5:640x360` the face at that place of
//! the picture then. The moment decides, and the number is only for reading.

mod apply;
mod known;
mod names;
mod subject;
mod table;

pub(crate) use apply::{Corrected, correct_faces, correct_speech, correct_transcript};
pub use known::{Known, Standing as CorrectionStanding};
pub use subject::{Moment, Subject};
pub(super) use table::{corrections_schema, corrections_table};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Request;
use crate::error::{Error, Result};
use crate::recipe::short_hash;
use crate::sheet::{Row, Sheet};
use crate::spelling::meant;
use crate::text::steers;

/// Name of the file in an output folder.
pub const FILE: &str = "corrections.csv";

/// The columns of the file.
pub const COLUMNS: [&str; 5] = ["interview_id", "kind", "subject", "value", "note"];

/// The value of a face that is no person of the interview.
pub const NOBODY: &str = "nobody";

/// The value of a turn in which nobody speaks.
pub const NOT_SPEECH: &str = "not_speech";

/// What a correction is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A voice told apart by diarization: the value is its name, or the voice it is one with.
    Voice,
    /// A person on the screen: the value is a name, the person it is one with, or `nobody`.
    Person,
    /// A face track: the value is whose it is, or `nobody`.
    Track,
    /// A turn: the value is `not_speech`.
    Turn,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Voice, Kind::Person, Kind::Track, Kind::Turn];

    /// As the file has it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Voice => "voice",
            Kind::Person => "person",
            Kind::Track => "track",
            Kind::Turn => "turn",
        }
    }

    /// What its subjects and values are.
    fn expected(self) -> &'static str {
        match self {
            Kind::Voice => "the subject is a voice (SPEAKER_00), the value a name or the voice it is one with",
            Kind::Person => "the subject is a person (P1), the value a name, the person it is one with, or nobody",
            Kind::Track => "the subject is a track's number (17), the value a person, a name, or nobody",
            Kind::Turn => "the subject is a turn's number (12), the value not_speech",
        }
    }

    /// True for names that the program gives itself: they must be there.
    fn is_numbered(self, name: &str) -> bool {
        let digits = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
        match self {
            Kind::Voice => name.starts_with("SPEAKER_"),
            Kind::Person | Kind::Track => name.strip_prefix('P').is_some_and(digits),
            Kind::Turn => false,
        }
    }
}

/// One line of the file.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Correction {
    /// What it is about.
    pub kind: Kind,
    /// Which of them.
    pub subject: Subject,
    /// What it is.
    pub value: String,
    /// Why, for people.
    pub note: Option<String>,
}

impl Correction {
    /// From the texts of its cells.
    ///
    /// # Errors
    /// What is wrong and what is expected, in words.
    pub fn parse(
        kind: &str,
        subject: &str,
        value: &str,
        note: Option<&str>,
    ) -> std::result::Result<Self, (String, String)> {
        let names = Kind::ALL.map(Kind::name);
        let Some(kind) = Kind::ALL.into_iter().find(|k| k.name() == kind) else {
            let what = format!("the kind \"{kind}\"{}", meant(kind, names));
            return Err((what, format!("kinds are {}", names.join(", "))));
        };
        let wrong = |what: String| Err((what, kind.expected().to_owned()));
        let Some(subject) = Subject::parse(subject) else { return wrong("no subject".into()) };
        if matches!(kind, Kind::Track | Kind::Turn) && subject.number().is_none() {
            return wrong(format!("the {} \"{subject}\"", kind.name()));
        }
        if value.is_empty() {
            return wrong(format!("no value for {} {subject}", kind.name()));
        }
        if value.contains(steers) || note.is_some_and(|n| n.contains(steers)) {
            return wrong(format!("control characters in what is said of {} {subject}", kind.name()));
        }
        match kind {
            Kind::Turn if value != NOT_SPEECH => {
                wrong(format!("the value \"{value}\" for a turn{}", meant(value, [NOT_SPEECH])))
            }
            Kind::Voice if value == NOBODY => {
                let hint = "say of the turns that they are not_speech, or give the voice a name such as noise";
                Err((format!("voice {subject} = {NOBODY}: each voice is somebody's"), hint.into()))
            }
            Kind::Voice if value.contains(char::is_whitespace) => {
                let hint = "RTTM splits at white space: write `_` for each space";
                Err((format!("the name \"{value}\" for a voice"), hint.into()))
            }
            _ if *value == subject.name => wrong(format!("{} {subject} is said to be itself", kind.name())),
            _ => Ok(Correction { kind, subject, value: value.into(), note: note.map(Into::into) }),
        }
    }

    fn read(row: Row<'_>) -> Result<(String, Self)> {
        let cell = |name: &str| row.cell(name).unwrap_or_default();
        let id = row.cell("interview_id").ok_or_else(|| row.fail("no interview_id", "name the interview"))?;
        let parsed = Correction::parse(cell("kind"), cell("subject"), cell("value"), row.cell("note"));
        parsed.map(|c| (id.to_owned(), c)).map_err(|(what, hint)| row.fail(what, hint))
    }
}

impl std::fmt::Display for Correction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} = {}", self.kind.name(), self.subject, self.value)
    }
}

/// All corrections of an output folder.
#[derive(Clone, Debug, Default)]
pub struct Corrections {
    path: PathBuf,
    /// Line, interview, correction; in the order of the file.
    lines: Vec<(usize, String, Correction)>,
}

impl Corrections {
    /// Reads a file; none where there is no such file.
    ///
    /// # Errors
    /// [`Error::Read`]; [`Error::Parse`] naming the line, what is wrong in it and what is expected.
    pub fn read(path: &Path) -> Result<Self> {
        let mut lines: Vec<(usize, String, Correction)> = Vec::new();
        if path.symlink_metadata().is_err() {
            return Ok(Corrections { path: path.to_owned(), lines });
        }
        let sheet = Sheet::read(path)?;
        sheet.require(&COLUMNS[..4], &format!("the columns are {}", COLUMNS.join(",")))?;
        sheet.allow_only(&COLUMNS)?;
        for row in sheet.rows() {
            let (id, correction) = Correction::read(row)?;
            let same = |c: &Correction| c.kind == correction.kind && c.subject == correction.subject;
            if let Some((line, ..)) = lines.iter().find(|(_, other, c)| *other == id && same(c)) {
                let what = format!("{} {} of {id} is corrected twice", correction.kind.name(), correction.subject);
                return Err(row.fail(what, format!("line {line} does so too: keep one of them")));
            }
            lines.push((row.line(), id, correction));
        }
        Ok(Corrections { path: path.to_owned(), lines })
    }

    /// Those of an output folder.
    ///
    /// # Errors
    /// As [`Corrections::read`].
    pub fn of_folder(out: &Path) -> Result<Self> {
        Self::read(&out.join(FILE))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Line, interview and correction, in the order of the file.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = (usize, &str, &Correction)> {
        self.lines.iter().map(|(line, id, correction)| (*line, id.as_str(), correction))
    }

    /// Those of one interview.
    pub fn of(&self, interview_id: &str) -> Vec<Correction> {
        self.lines.iter().filter(|(_, id, _)| id == interview_id).map(|(.., c)| c.clone()).collect()
    }

    /// Gives each request its own.
    pub fn give(&self, requests: &mut [Request]) {
        let mut all: BTreeMap<&str, Vec<Correction>> = BTreeMap::new();
        for (_, id, correction) in &self.lines {
            all.entry(id).or_default().push(correction.clone());
        }
        for request in requests {
            request.corrections = all.get(request.interview_id.as_str()).cloned().unwrap_or_default();
        }
    }

    /// The first line about an interview that is not among those known, as an error that names the nearest.
    pub fn unknown(&self, known: &[&str]) -> Option<Error> {
        let (line, id, _) = self.lines.iter().find(|(_, id, _)| !known.contains(&id.as_str()))?;
        let what = format!("no interview \"{id}\"{}", meant(id, known.iter().copied()));
        Some(Error::parse(&self.path, *line, what, "give the id as the column interview_id of the tables writes it"))
    }
}

/// Of what corrections say, in their order; empty where there are none.
pub(super) fn hash(corrections: &[Correction]) -> String {
    if corrections.is_empty() {
        return String::new();
    }
    let told = |c: &Correction| format!("{c}\0{}\n", c.note.as_deref().unwrap_or_default());
    short_hash(corrections.iter().map(told).collect::<String>().as_bytes())
}

#[cfg(test)]
mod tests;
