//! An output folder in a form a person likes to read: its tables, its interviews, and what each interview has to say.
//!
//! Columns are taken when they are there; a folder of another version is told as far as it goes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::inspect::grid::{Grid, Lean, bytes, clock, percent, wrap};
#[cfg(test)]
use crate::inspect::table::KEY_COLUMNS;
use crate::inspect::table::{InspectOptions, WIDTH, made_by, shown};
use crate::store::folder::{OutputFolder, TableFiles};
use crate::store::interviews::read_interviews;
use crate::store::paths::table_path;
use crate::store::provenance::{Makings, is_mixed};
use crate::store::read::{StoredTable, read, read_columns, read_metadata};
use crate::text::counted;

/// Interviews told in words unless all are asked for; failed ones and those with warnings come first.
const TOLD: usize = 20;

/// Interviews in the list unless all are asked for.
const LISTED: usize = 60;

/// The columns that are looked for, by table.
#[cfg(test)]
const INTERVIEWS: [&str; 11] = [
    "interview_id",
    "status",
    "error",
    "error_kind",
    "media",
    "duration_secs",
    "turns",
    "speakers",
    "persons",
    "warnings",
    SAMPLED,
];
const SPEAKERS: [&str; 5] = ["speaker", "label", "match_share", "speech_secs", "person"];
const FACES: [&str; 2] = [INSTANT, "person"];

/// Names the picture a face was seen in.
const INSTANT: &str = "pts_secs";
/// How many pictures of an interview were looked at.
const SAMPLED: &str = "video_frames_sampled";

/// Every column that the pages look for, by table; none by name alone for the first rows of any table.
#[cfg(test)]
pub(crate) fn columns_looked_for() -> Vec<(Option<&'static str>, &'static str)> {
    let of = |table, columns: &[&'static str]| columns.iter().map(|c| (table, *c)).collect::<Vec<_>>();
    let named = [of(Some("interviews"), &INTERVIEWS), of(Some("speakers"), &SPEAKERS), of(Some("faces"), &FACES)];
    named.into_iter().chain([of(None, &KEY_COLUMNS)]).flatten().collect()
}

pub(super) fn overview(root: &Path, options: &InspectOptions) -> Result<String> {
    let folder = OutputFolder::new(root);
    let tables = folder.tables()?;
    let interviews = interviews_table(&folder)?;
    if tables.is_empty() && interviews.is_none() {
        return Err(Error::Usage {
            what: format!("{} holds no tables", root.display()),
            hint: "name the file of a table or a folder that `turnwise extract --out` wrote".into(),
        });
    }
    let mut text = format!("{}\n", root.display());
    if let Some(interviews) = &interviews {
        text += &counts(interviews);
        text += &made_by(&interviews.schema().metadata, &InspectOptions::default());
        text += &ways(&folder, interviews)?;
    }
    text += "\n";
    text += &tables_text(&folder, &tables)?;
    if let Some(interviews) = &interviews {
        text += &list(interviews, options);
        text += &blocks(root, interviews, options)?;
    }
    Ok(text)
}

/// The joined table, or the one-row tables when a run has not come to joining them.
fn interviews_table(folder: &OutputFolder) -> Result<Option<StoredTable>> {
    if let Some(path) = folder.interviews_file() {
        return read(&path).map(Some);
    }
    let parts: Vec<PathBuf> = folder.files("interviews")?.into_iter().map(|f| f.path).collect();
    if parts.is_empty() { Ok(None) } else { read_interviews(&parts).map(Some) }
}

/// Which interviews were made how, where they were not all made the same way.
fn ways(folder: &OutputFolder, interviews: &StoredTable) -> Result<String> {
    // The joined table says that there are several ways; only the interviews' own rows say which.
    if !is_mixed(&interviews.schema().metadata) {
        return Ok(String::new());
    }
    let row = |id: &str| (0..interviews.rows()).find(|&row| interviews.text("interview_id", row) == Some(id));
    let mut makings = Makings::default();
    for file in folder.files("interviews")? {
        if row(&file.name).is_some_and(|row| !failed(interviews, row)) {
            makings.add(&read_metadata(&file.path)?.metadata, &file.name);
        }
    }
    let told = makings.text();
    Ok(if told.is_empty() { told } else { format!("The interviews were not all made the same way:\n{told}") })
}

/// `3 interviews: 2 done, 1 failed`.
fn counts(interviews: &StoredTable) -> String {
    let mut by_status: BTreeMap<&str, usize> = BTreeMap::new();
    for row in 0..interviews.rows() {
        *by_status.entry(interviews.text("status", row).unwrap_or("unknown")).or_default() += 1;
    }
    let told: Vec<String> = by_status.iter().map(|(status, n)| format!("{n} {status}")).collect();
    format!("{}: {}\n", counted(interviews.rows(), "interview"), told.join(", "))
}

fn tables_text(folder: &OutputFolder, tables: &[TableFiles]) -> Result<String> {
    let right = (Lean::Right, 14);
    let mut grid = Grid::new([(Lean::Left, 32), right, right, right, right, (Lean::Left, 60)]);
    grid.row(["table", "files", "rows", "columns", "size", "one row is"]);
    let mut line = |name: &str, paths: &[&Path]| -> Result<()> {
        let (mut rows, mut size, mut widths, mut description) = (0, 0, BTreeSet::new(), String::new());
        for path in paths {
            let schema = read_metadata(path)?;
            rows += schema.rows;
            size += std::fs::metadata(path).map_or(0, |m| m.len());
            widths.insert(schema.columns.len());
            if description.is_empty() {
                description = schema.description;
            }
        }
        let columns = match (widths.first(), widths.last()) {
            (Some(a), Some(b)) if a != b => format!("{a}–{b}"),
            (Some(a), _) => a.to_string(),
            _ => String::new(),
        };
        grid.row([name.to_owned(), paths.len().to_string(), rows.to_string(), columns, bytes(size), description]);
        Ok(())
    };
    if let Some(path) = folder.interviews_file() {
        line("interviews", &[&path])?;
    }
    // The one-row tables behind the joined table are no table of their own.
    for table in tables.iter().filter(|t| t.table != "interviews" || folder.interviews_file().is_none()) {
        line(&table.table, &table.files.iter().map(|f| f.path.as_path()).collect::<Vec<_>>())?;
    }
    Ok(grid.render(""))
}

fn list(interviews: &StoredTable, options: &InspectOptions) -> String {
    let right = (Lean::Right, 10);
    let mut grid = Grid::new([(Lean::Left, 44), (Lean::Left, 10), right, right, right, right, right]);
    // A column the table does not have is no column here: the grid leaves empty ones out.
    let title = |name, title| if interviews.column(name).is_some() { title } else { "" };
    grid.row([
        "interview",
        title("status", "status"),
        title("duration_secs", "duration"),
        title("turns", "turns"),
        title("speakers", "speakers"),
        title("persons", "persons"),
        title("warnings", "warnings"),
    ]);
    let shown_rows = if options.all { interviews.rows() } else { interviews.rows().min(LISTED) };
    for row in 0..shown_rows {
        let cell = |name| shown(interviews, name, row).unwrap_or_default();
        let duration = interviews.number("duration_secs", row).map(clock).unwrap_or_default();
        let warnings = interviews.texts("warnings", row).map(|w| w.len().to_string()).unwrap_or_default();
        grid.row([
            cell("interview_id"),
            cell("status"),
            duration,
            cell("turns"),
            cell("speakers"),
            cell("persons"),
            warnings,
        ]);
    }
    format!("\n{}{}", grid.render(""), more(interviews.rows() - shown_rows))
}

fn more(count: usize) -> String {
    if count == 0 { String::new() } else { format!("… and {count} more; --all tells them\n") }
}

fn blocks(root: &Path, interviews: &StoredTable, options: &InspectOptions) -> Result<String> {
    let mut rows: Vec<usize> = (0..interviews.rows()).collect();
    if !options.all && rows.len() > TOLD {
        rows.sort_by_key(|&r| {
            (!failed(interviews, r), interviews.texts("warnings", r).is_none_or(<[String]>::is_empty), r)
        });
        rows.truncate(TOLD);
        rows.sort_unstable();
    }
    let mut text = String::new();
    for &row in &rows {
        text += "\n";
        text += &block(root, interviews, row)?;
    }
    Ok(text + &more(interviews.rows() - rows.len()))
}

fn failed(interviews: &StoredTable, row: usize) -> bool {
    interviews.text("status", row) == Some("failed")
}

/// What one interview has to say: the error, who speaks, who is seen, warnings.
fn block(root: &Path, interviews: &StoredTable, row: usize) -> Result<String> {
    let id = interviews.text("interview_id", row).unwrap_or("(no id)");
    let media = interviews.text("media", row).map(|m| format!(" · {m}")).unwrap_or_default();
    let mut told: Vec<(&str, Vec<String>)> = Vec::new();
    if let Some(error) = interviews.text("error", row) {
        let kind = interviews.text("error_kind", row).map(|k| format!("{k}: ")).unwrap_or_default();
        told.push(("error", vec![format!("{kind}{error}")]));
    }
    // What may lie there of a failed interview is not of this row.
    let part = |table: &str| table_path(root, table, id).ok().filter(|p| !failed(interviews, row) && p.is_file());
    if let Some(path) = part("speakers") {
        told.push(("speakers", speakers(&read_columns(&path, &SPEAKERS)?)));
    }
    if let Some(path) = part("faces") {
        told.push(("faces", faces(&read_columns(&path, &FACES)?, interviews.number(SAMPLED, row))));
    }
    told.push(("warnings", interviews.texts("warnings", row).unwrap_or_default().to_vec()));
    let mut text = format!("{id}{media}\n");
    for (title, lines) in told {
        for (i, line) in lines.iter().enumerate() {
            let head = if i == 0 { title } else { "" };
            text += &format!("  {head:<9} {}\n", wrap(line, &" ".repeat(12), WIDTH));
        }
    }
    Ok(text)
}

/// `Diane = SPEAKER_00, 97 % of the time shared, speaks 12.3 s`.
fn speakers(table: &StoredTable) -> Vec<String> {
    (0..table.rows())
        .map(|row| {
            let speaker = shown(table, "speaker", row);
            let mut said = match (shown(table, "label", row), speaker) {
                (Some(label), Some(speaker)) if label == speaker => label,
                (Some(label), Some(speaker)) => format!("{label} = {speaker}"),
                (Some(label), None) => format!("{label}, matched to no voice"),
                (None, Some(speaker)) if table.column("label").is_some() => format!("{speaker}, matched to no label"),
                (None, Some(speaker)) => speaker,
                (None, None) => "(unnamed)".into(),
            };
            if let Some(share) = table.number("match_share", row) {
                said += &format!(", {} of the time shared", percent(share, 1.0));
            }
            if let Some(secs) = table.number("speech_secs", row) {
                said += &format!(", speaks {secs:.1} s");
            }
            if let Some(person) = shown(table, "person", row) {
                said += &format!(", person {person}");
            }
            said
        })
        .collect()
}

/// `person 1 in 93 % of 617 sampled frames`; without a count of sampled frames, of the frames with any face.
fn faces(table: &StoredTable, sampled: Option<f64>) -> Vec<String> {
    let mut all: BTreeSet<String> = BTreeSet::new();
    // Numbers sort as numbers, names after them.
    let mut persons: BTreeMap<(Option<i64>, String), BTreeSet<String>> = BTreeMap::new();
    for row in 0..table.rows() {
        let at = shown(table, INSTANT, row).unwrap_or_else(|| row.to_string());
        let person = shown(table, "person", row).unwrap_or_else(|| "unknown".into());
        persons.entry((person.parse().ok(), person)).or_default().insert(at.clone());
        all.insert(at);
    }
    let (whole, of) = match sampled {
        Some(n) if n >= all.len() as f64 => (n, format!("{n:.0} sampled frames")),
        _ => (all.len() as f64, format!("{} with a face", counted(all.len(), "frame"))),
    };
    if persons.is_empty() {
        return vec![sampled.map_or_else(|| "none".into(), |n| format!("none in {n:.0} sampled frames"))];
    }
    persons
        .iter()
        .map(|((_, person), seen)| format!("person {person} in {} of {of}", percent(seen.len() as f64, whole)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_tables_is_a_clear_error() {
        let folder = tempfile::tempdir().unwrap();
        let e = overview(folder.path(), &InspectOptions::default()).unwrap_err();
        assert!(e.kind() == "usage" && e.to_string().contains("holds no tables"), "{e}");
    }
}
