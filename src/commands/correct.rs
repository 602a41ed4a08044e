//! `turnwise correct`: what somebody who looked knows better, looked over, listed and added.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use anyhow::Result;
use turnwise::error::Error;
use turnwise::inspect::grid::{Grid, Lean};
use turnwise::pipeline::Request;
use turnwise::pipeline::corrections::{COLUMNS, Correction, CorrectionStanding, Corrections, FILE, Kind, Known};
use turnwise::spelling::meant;
use turnwise::store::interview_files::InterviewFiles;
use turnwise::store::whole::write_text;
use turnwise::text::counted;

use super::{given, must_be_there, print};
use crate::cli;

/// Turns of an interview that are listed.
const LISTED: usize = 400;

/// Gives requests the corrections of their interviews, and tells of lines about others.
///
/// # Errors
/// Those of reading the file.
pub fn give(args: &cli::Extract, mut requests: Vec<Request>) -> Result<Vec<Request>> {
    let corrections = match &args.corrections {
        Some(path) => {
            given(path)?;
            turnwise::file::check(path)?;
            Corrections::read(path)?
        }
        None => Corrections::of_folder(&args.out)?,
    };
    // Which interviews there are is looked up only where a line may name none of them.
    if corrections.lines().len() == 0 {
        return Ok(requests);
    }
    corrections.give(&mut requests);
    let there = if args.out.is_dir() { interviews(&args.out)? } else { Vec::new() };
    let asked = requests.iter().map(|r| r.interview_id.as_str());
    let known: Vec<&str> = asked.chain(there.iter().map(String::as_str)).collect();
    if let Some(error) = corrections.unknown(&known) {
        tracing::warn!("{error}");
    }
    Ok(requests)
}

fn interviews(out: &Path) -> Result<Vec<String>> {
    Ok(InterviewFiles { out, tables: &["interviews"] }.interviews()?)
}

/// Looks over the file, lists what there is, or adds lines.
///
/// # Errors
/// A line that is about nothing there is, after all lines were told.
pub fn run(args: &cli::Correct) -> Result<()> {
    must_be_there(&args.out)?;
    if args.list {
        return print(&list(args)?);
    }
    if !args.add.is_empty() {
        return print(&add(args)?);
    }
    look_over(&args.out)
}

/// The tables of interviews, each read once.
struct Tables<'a> {
    out: &'a Path,
    ids: Vec<String>,
    known: BTreeMap<String, Known>,
}

impl<'a> Tables<'a> {
    fn new(out: &'a Path) -> Result<Self> {
        Ok(Tables { out, ids: interviews(out)?, known: BTreeMap::new() })
    }

    /// What an interview holds, or what is wrong with its name.
    fn of(&mut self, id: &str) -> Result<std::result::Result<&Known, (String, String)>> {
        if !self.ids.iter().any(|known| known == id) {
            let near = meant(id, self.ids.iter().map(String::as_str));
            let hint = "give the id as the column interview_id of the tables writes it".to_owned();
            return Ok(Err((format!("no interview \"{id}\" in {}{near}", self.out.display()), hint)));
        }
        if !self.known.contains_key(id) {
            self.known.insert(id.to_owned(), Known::read(self.out, id)?);
        }
        Ok(self.known.get(id).ok_or_else(|| (format!("no interview \"{id}\""), String::new())))
    }
}

fn look_over(out: &Path) -> Result<()> {
    let corrections = Corrections::of_folder(out)?;
    let path = corrections.path().to_owned();
    if corrections.lines().len() == 0 {
        return print(&format!(
            "no line in {}; `turnwise correct {} --list` tells what there is to correct\n",
            path.display(),
            out.display()
        ));
    }
    let mut tables = Tables::new(out)?;
    let mut grid = Grid::new([(Lean::Right, 6), (Lean::Left, 40), (Lean::Left, 60), (Lean::Left, 90)]);
    grid.row(["line", "interview", "correction", ""]);
    let (mut first, mut waiting) = (None, 0);
    for (line, id, correction) in corrections.lines() {
        let wrong = |what: String, hint: String| (format!("wrong: {what}"), Some((line, what, hint)));
        let (told, error) = match tables.of(id)? {
            Err((what, hint)) => wrong(what, hint),
            Ok(known) => match known.standing(correction) {
                CorrectionStanding::Applied(found) => (format!("applied to {found}"), None),
                CorrectionStanding::NotApplied(why) => {
                    (format!("not applied: {why}; its interview's warnings tell more"), None)
                }
                CorrectionStanding::Waits => {
                    waiting += 1;
                    ("waits for extract".to_owned(), None)
                }
                CorrectionStanding::Wrong(what, hint) => wrong(what, hint),
            },
        };
        first = first.or(error);
        grid.row([line.to_string(), id.to_owned(), correction.to_string(), told]);
    }
    print(&grid.render(""))?;
    if waiting > 0 {
        super::say(&format!("{} for the next `turnwise extract --out {}`", counted(waiting, "line"), out.display()));
    }
    match first {
        Some((line, what, hint)) => Err(Error::parse(&path, line, what, hint).into()),
        None => Ok(()),
    }
}

fn add(args: &cli::Correct) -> Result<String> {
    let corrections = Corrections::of_folder(&args.out)?;
    let mut tables = Tables::new(&args.out)?;
    let mut lines: Vec<(String, Correction)> = Vec::new();
    for added in args.add.chunks(4) {
        let [id, kind, subject, value] = added else { continue };
        let fail = |(what, hint): (String, String)| Error::Usage { what, hint };
        let known = tables.of(id)?.map_err(fail)?;
        for subject in numbers(kind, subject) {
            let mut line = Correction::parse(kind, &subject, value, args.note.as_deref()).map_err(fail)?;
            if let CorrectionStanding::Wrong(what, hint) = known.standing(&line) {
                return Err(fail((format!("{id}: {what}"), hint)).into());
            }
            line.subject = known.pinned(&line)?;
            let same = |other: &Correction| other.kind == line.kind && other.subject.name == line.subject.name;
            let there = corrections.lines().find(|(_, of, other)| of == id && same(other));
            if let Some((at, ..)) = there {
                let what = format!("line {at} of {} corrects {} {} already", FILE, line.kind.name(), line.subject);
                return Err(fail((what, "change that line in an editor".into())).into());
            }
            if lines.iter().any(|(of, other)| of == id && same(other)) {
                let what = format!("{} {} is corrected twice", line.kind.name(), line.subject);
                return Err(fail((what, "say it once".into())).into());
            }
            lines.push((id.clone(), line));
        }
    }
    append(corrections.path(), &lines)?;
    // What was written is read, as extract will read it.
    Corrections::of_folder(&args.out)?;
    let mut text = String::new();
    for (id, line) in &lines {
        let _ = writeln!(text, "{id}  {line}");
    }
    let _ = writeln!(
        text,
        "{} added to {}; run the same `turnwise extract` again to apply them",
        counted(lines.len(), "line"),
        corrections.path().display()
    );
    Ok(text)
}

/// Each turn of `12-15`.
fn numbers(kind: &str, subject: &str) -> Vec<String> {
    let range = || {
        let (first, last) = subject.split_once('-')?;
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        (kind == Kind::Turn.name() && first <= last).then(|| (first..=last).map(|n| n.to_string()).collect())
    };
    range().unwrap_or_else(|| vec![subject.to_owned()])
}

/// Adds lines to a file, whose own stay as they are; its columns may be in any order.
fn append(path: &Path, lines: &[(String, Correction)]) -> Result<()> {
    let before =
        if path.symlink_metadata().is_ok() { String::from_utf8(turnwise::file::read(path)?)? } else { String::new() };
    let mut text = before.trim_end_matches(['\n', '\r']).to_owned();
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        text = COLUMNS.join(",");
    }
    let header = text.trim_start_matches(['\u{feff}', '\n', '\r']).lines().next().unwrap_or_default().to_owned();
    // As it is read: semicolons or tabs where the header has no comma.
    let separators = [',', ';', '\t'];
    let separator = separators.into_iter().find(|c| header.contains(*c)).unwrap_or(',');
    let columns: Vec<String> = header.split(separator).map(|c| c.trim().trim_matches('"').to_owned()).collect();
    let mut sheet = csv::WriterBuilder::new().delimiter(u8::try_from(separator)?).from_writer(Vec::new());
    for (id, line) in lines {
        let subject = line.subject.to_string();
        let cell = |column: &String| match column.as_str() {
            "interview_id" => id.as_str(),
            "kind" => line.kind.name(),
            "subject" => subject.as_str(),
            "value" => line.value.as_str(),
            "note" => line.note.as_deref().unwrap_or_default(),
            _ => "",
        };
        sheet.write_record(columns.iter().map(cell))?;
    }
    let added = String::from_utf8(sheet.into_inner().map_err(|e| e.into_error())?)?;
    Ok(write_text(path, &format!("{text}\n{added}"))?)
}

fn list(args: &cli::Correct) -> Result<String> {
    let mut tables = Tables::new(&args.out)?;
    let ids = if args.interview.is_empty() { tables.ids.clone() } else { args.interview.clone() };
    let mut text = String::new();
    for id in ids {
        let known = tables.of(&id)?.map_err(|(what, hint)| Error::Usage { what, hint })?;
        let _ = writeln!(text, "{id}");
        text.push_str(&one(known, !args.interview.is_empty()));
    }
    if text.is_empty() {
        text = format!("{} holds no interviews\n", args.out.display());
    }
    Ok(text)
}

/// What there is of one interview; its turns where it was asked for by name.
fn one(known: &Known, turns: bool) -> String {
    let mut text = String::new();
    let secs = |secs: f64| format!("{secs:.1} s");
    let or = |name: &Option<String>, none: &str| name.clone().unwrap_or_else(|| none.to_owned());
    let mut voices =
        Grid::new([(Lean::Left, 40), (Lean::Right, 12), (Lean::Right, 20), (Lean::Left, 40), (Lean::Left, 40)]);
    for voice in &known.voices {
        let turns = counted(voice.turns, "speech turn");
        let label = voice.label.as_ref().map_or_else(|| "no label".to_owned(), |l| format!("label {l}"));
        voices.row([voice.name.clone(), secs(voice.secs), turns, label, or(&voice.person, "off screen")]);
    }
    let mut persons = Grid::new([(Lean::Left, 40), (Lean::Right, 12), (Lean::Right, 12), (Lean::Left, 60)]);
    for (name, tracks, seen) in known.persons() {
        let own = known.voices.iter().filter(|v| v.person.as_deref() == Some(&name)).map(|v| v.name.as_str());
        let own: Vec<&str> = own.collect();
        let voice = if own.is_empty() { "no voice".to_owned() } else { format!("voice {}", own.join(", ")) };
        persons.row([name, secs(seen), counted(tracks, "track"), voice]);
    }
    let mut tracks = Grid::new([(Lean::Right, 8), (Lean::Left, 40), (Lean::Left, 40)]);
    for track in known.tracks.iter().filter(|t| turns || t.person.is_none()) {
        let span = format!("{:.2} to {:.2} s", track.span.0, track.span.1);
        tracks.row([track.id.to_string(), span, or(&track.person, "nobody's")]);
    }
    let mut said = Grid::new([(Lean::Right, 8), (Lean::Left, 24), (Lean::Left, 30), (Lean::Left, 60)]);
    for turn in known.turns.iter().filter(|_| turns).take(LISTED) {
        let span = format!("{:.2} to {:.2} s", turn.span.0, turn.span.1);
        said.row([turn.index.to_string(), span, or(&turn.speaker, "?"), turn.text.clone()]);
    }
    for (title, grid) in [("voices", voices), ("persons", persons), ("tracks", tracks), ("turns", said)] {
        let rows = grid.render("    ");
        if !rows.is_empty() {
            let _ = write!(text, "  {title}\n{rows}");
        }
    }
    if turns && known.turns.len() > LISTED {
        let _ = writeln!(text, "    and {} more: turnwise inspect tells them", known.turns.len() - LISTED);
    }
    if text.is_empty() {
        text.push_str("  not extracted\n");
    }
    text
}
