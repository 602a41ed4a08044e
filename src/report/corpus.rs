//! The rows of `interviews`, and the index made of them and of what the pages have read.

use std::rc::Rc;

use serde::Serialize;

use crate::error::Result;
use crate::report::source::{Source, cell, rounded, without};
use crate::report::spread::quantile;
use crate::store::folder::OutputFolder;
use crate::store::read::{StoredTable, read};
use crate::table::ColumnData;

/// Columns of the row that pages tell in another place, or that say nothing to a reader.
const NOT_FACTS: [&str; 6] = ["interview_id", "status", "error", "error_kind", "warnings", "request_hash"];

/// An interview's row.
pub struct Row {
    /// The interview.
    pub id: String,
    /// Why its row cannot be read.
    pub error: Option<String>,
    /// The table that holds the row; empty where it cannot be read.
    pub table: Rc<StoredTable>,
    row: usize,
}

impl Row {
    /// A text of the row.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.table.text(name, self.row)
    }

    /// A number of the row.
    pub fn number(&self, name: &str) -> Option<f64> {
        cell(&self.table, name, self.row)
    }

    /// `done`, `failed` as the row says, or `unreadable`.
    pub fn status(&self) -> &str {
        if self.error.is_some() { "unreadable" } else { self.text("status").unwrap_or("unknown") }
    }

    /// The warnings.
    pub fn warnings(&self) -> &[String] {
        self.table.texts("warnings", self.row).unwrap_or_default()
    }

    /// Each value of the row that is there, as text, in the order of its columns.
    pub fn facts(&self) -> Vec<(String, String)> {
        let schema = self.table.schema();
        let told = schema.columns.iter().zip(self.table.columns()).filter(|(c, _)| !NOT_FACTS.contains(&&*c.name));
        told.filter_map(|(spec, data)| Some((spec.name.to_string(), told_value(data, self.row)?))).collect()
    }

    /// What the row was made by.
    pub fn made(&self) -> Vec<(String, String)> {
        let made = &self.table.schema().metadata;
        let named = [("turnwise", &made.tool_version), ("schema", &made.schema_version), ("recipe", &made.recipe_hash)];
        let named = named.into_iter().filter(|(_, v)| !v.is_empty()).map(|(n, v)| (n.to_owned(), v.clone()));
        named.chain(made.models.iter().map(|(model, hash)| (format!("model {model}"), hash.clone()))).collect()
    }
}

fn told_value(data: &ColumnData, row: usize) -> Option<String> {
    match data {
        ColumnData::F32(v) => rounded(f64::from(*v.get(row)?)).map(|x| x.to_string()),
        ColumnData::F64(v) => rounded(*v.get(row)?).map(|x| x.to_string()),
        ColumnData::I64(v) => (*v.get(row)?).map(|x| x.to_string()),
        ColumnData::Bool(v) => (*v.get(row)?).map(|x| x.to_string()),
        ColumnData::Str(v) => v.get(row)?.clone(),
        ColumnData::F32List(_) => None,
        ColumnData::StrList(v) => v.get(row)?.as_ref().map(|list| list.join(", ")),
    }
}

/// The row of each interview, sorted by name. The interviews' own rows are taken where they are there: a run that is
/// going on has not joined them yet.
pub fn rows(folder: &OutputFolder) -> Result<Vec<Row>> {
    let parts = folder.files("interviews")?;
    let mut rows = Vec::new();
    for part in parts {
        let (table, error) = match read(&part.path) {
            Ok(table) => (table, None),
            Err(e) => (StoredTable::default(), Some(without(folder.root(), &e.to_string()))),
        };
        rows.push(Row { id: part.name, error, table: Rc::new(table), row: 0 });
    }
    if let Some(path) = folder.interviews_file().filter(|_| rows.is_empty()) {
        let table = Rc::new(read(&path)?);
        let ids = (0..table.rows()).filter_map(|row| Some((table.text("interview_id", row)?.to_owned(), row)));
        rows.extend(ids.map(|(id, row)| Row { id, error: None, table: Rc::clone(&table), row }));
    }
    rows.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(rows)
}

/// An interview in the index.
#[derive(Debug, PartialEq, Serialize)]
pub struct Told {
    id: String,
    pub status: String,
    error: Option<String>,
    error_kind: Option<String>,
    media: Option<String>,
    group: Option<String>,
    duration: Option<f64>,
    turns: Option<f64>,
    speakers: Option<f64>,
    persons: Option<f64>,
    /// Mean of `turns.speaker_purity`, each turn weighed by its time; null without one.
    purity: Option<f64>,
    /// `interviews.face_share`.
    face_share: Option<f64>,
    /// Median of `turns.snr_db`.
    snr: Option<f64>,
    warnings: Vec<String>,
    /// Tables that cannot be read.
    faults: usize,
    recipe: String,
}

/// What the index tells of an interview.
pub fn told(source: &Source) -> Told {
    let row = &source.row;
    let text = |name| row.text(name).map(str::to_owned);
    Told {
        id: row.id.clone(),
        status: row.status().to_owned(),
        error: row.error.clone().or_else(|| text("error")),
        error_kind: text("error_kind"),
        media: text("media"),
        group: text("group"),
        duration: row.number("duration_secs"),
        turns: row.number("turns"),
        speakers: row.number("speakers"),
        persons: row.number("persons"),
        purity: purity(source),
        face_share: row.number("face_share"),
        snr: snr(source),
        warnings: row.warnings().to_vec(),
        faults: source.faults.len(),
        recipe: row.table.schema().metadata.recipe_hash.chars().take(8).collect(),
    }
}

fn purity(source: &Source) -> Option<f64> {
    let turns = source.table("turns")?;
    let (mut sum, mut weight) = (0.0, 0.0);
    for row in 0..turns.rows() {
        if let (Some(purity), Some(secs)) = (turns.number("speaker_purity", row), turns.number("duration_secs", row)) {
            sum += purity * secs;
            weight += secs;
        }
    }
    if weight > 0.0 { rounded(sum / weight) } else { None }
}

fn snr(source: &Source) -> Option<f64> {
    let turns = source.table("turns")?;
    let mut values: Vec<f64> = (0..turns.rows()).filter_map(|row| turns.number("snr_db", row)).collect();
    quantile(&mut values, 0.5).and_then(rounded)
}
