//! `turnwise export jsonl`: the instances of task tables for any evaluator; and what both exports take from tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use super::cues::{CueTable, CueTables, Wording};
use super::instances::{Measured, Said, lines};
use super::questions::Questions;
use crate::error::{Error, Result};
use crate::spelling::meant;
use crate::store::finished::{own_tables, refuse_mixed, tell_unfinished};
use crate::store::folder::{OutputFolder, StoredFile};
use crate::store::provenance::Makings;
use crate::store::read::{StoredTable, read_column_names, read_columns, read_metadata};
use crate::store::whole::write_text;
use crate::table::TableSchema;

/// What both exports are made from.
#[derive(Clone, Copy, Debug)]
pub struct ExportRequest<'a> {
    /// The folder that `extract` wrote.
    pub out: &'a Path,
    /// The folder that the export goes to.
    pub to: &'a Path,
    /// A wording of cues other than the shipped one.
    pub cues: Option<&'a Path>,
    /// Go on where interviews were made by different recipes, models or versions.
    pub mixed: bool,
    /// The tables that `extract` writes, by which the columns of cues are checked.
    pub schemas: &'a [TableSchema],
}

/// The wording, its columns looked for: a cue of a column that is nowhere would never be told.
pub(super) fn wording(request: &ExportRequest<'_>) -> Result<Wording> {
    let wording = Wording::load(request.cues)?;
    let Some(path) = request.cues else { return Ok(wording) };
    for (table, column) in wording.sources() {
        let columns = request.schemas.iter().filter(|s| s.name == table.name()).flat_map(|s| &s.columns);
        let mut known: Vec<String> = columns.map(|c| c.name.to_string()).collect();
        if known.iter().any(|k| k == column) {
            continue;
        }
        // Another recipe has other columns.
        for file in OutputFolder::new(request.out).files(table.name())? {
            known.extend(read_column_names(&file.path)?);
        }
        if !known.iter().any(|k| k == column) {
            let what =
                format!("{} has no column {column:?}{}", table.name(), meant(column, known.iter().map(String::as_str)));
            return Err(Error::Recipe { place: path.display().to_string(), what });
        }
    }
    Ok(wording)
}

/// Takes in how an interview's tables were made, as far as cues are taken from them.
pub(super) fn add_makings(out: &Path, id: &str, makings: &mut Makings) -> Result<()> {
    tell_unfinished(out, id)?;
    for (_, path) in own_tables(out, id, &CueTable::ALL.map(CueTable::name))? {
        makings.add(&read_metadata(&path)?.metadata, id);
    }
    Ok(())
}

/// Columns of a task's table that are told.
const TASK_COLUMNS: [&str; 23] = [
    "interview_id",
    "instance_id",
    "split_group",
    "rule",
    "turn_index",
    "speaker",
    "label",
    "label_value",
    "label_intensity",
    "label_viewpoints",
    "candidates",
    "definitions",
    "known_support_target",
    "known_emotion",
    "known_emotion_intensity",
    "kind",
    "evidence",
    "evidence_rows",
    "unit",
    "source",
    "target",
    "context_first_row",
    "context_last_row",
];

/// Writes one file of instances per task, those named or all; tells how many each has. `questions`: over the shipped
/// ones.
///
/// # Errors
/// [`Error::Usage`] for a task without a table, or made in several ways or in another than its interviews;
/// [`Error::Recipe`] for cues or questions; [`Error::Read`] or [`Error::Parse`] for a table; [`Error::Write`].
pub fn export_instances(request: &ExportRequest<'_>, tasks: &[String], questions: Option<&Path>) -> Result<String> {
    let (wording, questions) = (wording(request)?, Questions::load(questions)?);
    let there = OutputFolder::new(request.out).files("tasks")?;
    let known: Vec<&str> = there.iter().map(|f| f.name.as_str()).collect();
    let out = request.out.display();
    if let Some(unknown) = tasks.iter().find(|t| !known.contains(&t.as_str())) {
        let what = format!("{out} has no table of the task {unknown}; there are: {}", known.join(", "));
        return Err(Error::Usage { what, hint: "name one of them, or make it with turnwise tasks".into() });
    }
    if known.is_empty() {
        let what = format!("{out} has no task tables");
        return Err(Error::Usage { what, hint: "make them with turnwise tasks".into() });
    }
    questions.allow_only(&known)?;
    let chosen: Vec<&StoredFile> = there.iter().filter(|f| tasks.is_empty() || tasks.contains(&f.name)).collect();
    chosen.iter().try_for_each(|file| made_alike(request, file))?;
    let mut report = String::new();
    // Tasks are mostly of the same interviews.
    let mut measured: BTreeMap<String, Measured> = BTreeMap::new();
    for file in chosen {
        let table = read_columns(&file.path, &TASK_COLUMNS)?;
        for id in (0..table.rows()).filter_map(|row| table.text("interview_id", row)) {
            if !measured.contains_key(id) {
                measured.insert(id.to_owned(), measured_in(&wording, request.out, id)?.unwrap_or_default());
            }
        }
        let instances = lines(&file.name, &table, &questions, &measured)?;
        let target = request.to.join(format!("{}.jsonl", file.name));
        write_text(&target, &instances.iter().map(|l| format!("{l}\n")).collect::<String>())?;
        // Writing into a String cannot fail.
        let _ = writeln!(report, "{}: {} instances", target.display(), instances.len());
    }
    Ok(report)
}

/// Refuses a task's table whose interviews were made in several ways, or in another one than the table itself: one made
/// before they were extracted again is of other turns.
fn made_alike(request: &ExportRequest<'_>, file: &StoredFile) -> Result<()> {
    let mut makings = Makings::default();
    makings.add(&read_metadata(&file.path)?.metadata, &format!("(the table of task {})", file.name));
    let ids = read_columns(&file.path, &["interview_id"])?;
    let ids: BTreeSet<&str> = (0..ids.rows()).filter_map(|row| ids.text("interview_id", row)).collect();
    ids.into_iter().try_for_each(|id| add_makings(request.out, id, &mut makings))?;
    refuse_mixed(&makings, request.mixed, &format!("the export of task {}", file.name))
}

/// What the tables tell of an interview's turns; `None` when it was not extracted.
pub(super) fn measured_in(wording: &Wording, out: &Path, id: &str) -> Result<Option<Measured>> {
    let table = |table: CueTable, columns: &[&str]| -> Result<Option<StoredTable>> {
        let path = own_tables(out, id, &[table.name()])?.pop();
        path.map(|(_, path)| read_columns(&path, columns)).transpose()
    };
    let mut columns = wording.columns(CueTable::Turns);
    columns.push("text");
    let Some(turns) = table(CueTable::Turns, &columns)? else { return Ok(None) };
    let of = |name: CueTable| Ok(table(name, &wording.columns(name))?.unwrap_or_default());
    let (dyads, bodies): (StoredTable, StoredTable) = (of(CueTable::Dyads)?, of(CueTable::TurnBodies)?);
    let text = |name: &str, row| turns.text(name, row).map(ToOwned::to_owned);
    let index = |row| turns.number("turn_index", row).map(|index| index as u32);
    let said = |row| Some((index(row)?, Said { speaker: text("speaker", row), text: text("text", row) }));
    let end = |row| Some((index(row)?, turns.number("end_secs", row)?));
    Ok(Some(Measured {
        cues: wording.cues(CueTables { turns: &turns, dyads: &dyads, bodies: &bodies })?,
        said: (0..turns.rows()).filter_map(said).collect(),
        ends: (0..turns.rows()).filter_map(end).collect(),
    }))
}
