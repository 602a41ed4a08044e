//! What the pages are made from: the columns they need of an interview's tables, read through `store`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::error::Result;
use crate::report::corpus::Row;
use crate::store::finished::own_tables;
use crate::store::read::{StoredTable, read_columns, read_metadata};
use crate::table::{ColumnData, ColumnSpec};

/// The tables that a page looks at. Frame-level ones are read in a few columns only.
const TABLES: [&str; 12] = [
    "turns",
    "dyads",
    "synchrony",
    "smiles",
    "events",
    "annotations",
    "speech",
    "speakers",
    "voice",
    "faces",
    "tracks",
    "turn_faces",
];

/// What a column says of itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnTold {
    unit: String,
    text: String,
    cut_off: String,
    source: String,
}

impl From<&ColumnSpec> for ColumnTold {
    fn from(spec: &ColumnSpec) -> Self {
        ColumnTold {
            unit: spec.unit.to_string(),
            text: spec.description.to_string(),
            cut_off: spec.cut_off.name().to_owned(),
            source: spec.source.to_string(),
        }
    }
}

/// One interview's row and tables.
pub struct Source {
    /// Its row in `interviews`.
    pub row: Row,
    /// Its tables by name; none where the interview is not done.
    tables: BTreeMap<&'static str, StoredTable>,
    /// Tables that cannot be read, and why.
    pub faults: Vec<String>,
}

impl Source {
    /// Reads what is there. A table that cannot be read is told in `faults`.
    pub fn read(out: &Path, row: Row) -> Result<Self> {
        let (mut tables, mut faults) = (BTreeMap::new(), Vec::new());
        let is_done = row.text("status") == Some("done");
        for (name, path) in own_tables(out, &row.id, &TABLES)?.into_iter().filter(|_| is_done) {
            match read_table(&path) {
                Ok(table) => {
                    tables.insert(name, table);
                }
                Err(e) => faults.push(format!("{name}: {}", without(out, &e.to_string()))),
            }
        }
        Ok(Source { row, tables, faults })
    }

    /// A table, if it is there and can be read.
    pub fn table(&self, name: &str) -> Option<&StoredTable> {
        self.tables.get(name)
    }

    /// What a column of a table says of itself.
    pub fn told(&self, table: &str, column: &str) -> Option<ColumnTold> {
        let schema = self.table(table)?.schema();
        schema.columns.iter().find(|c| c.name == column).map(ColumnTold::from)
    }
}

/// A message without the place of the output folder.
pub fn without(out: &Path, message: &str) -> String {
    let root = out.display().to_string();
    message.replace(&format!("{}/", root.trim_end_matches('/')), "")
}

/// All columns but lists of floats (embeddings, landmarks; a profile of lags stays) and eGeMAPS, of which pages show
/// nothing.
fn read_table(path: &Path) -> Result<StoredTable> {
    let schema = read_metadata(path)?;
    let shown = |name: &str| {
        let of_face = ["blendshape_", "expression_"].iter().any(|p| name.starts_with(p));
        let is_needed = super::timeline::FACE_COLUMNS.contains(&name);
        !name.starts_with("egemaps_") && !["embedding", "landmarks_px"].contains(&name) && (!of_face || is_needed)
    };
    let names: Vec<&str> = schema.columns.iter().map(|c| c.name.as_ref()).filter(|name| shown(name)).collect();
    read_columns(path, &names)
}

/// A truth value; `None` when null or when there is no such column.
pub fn flag(table: &StoredTable, name: &str, row: usize) -> Option<bool> {
    match table.column(name)? {
        ColumnData::Bool(v) => v.get(row).copied().flatten(),
        _ => None,
    }
}

/// A list of numbers; `None` when null or when there is no such column.
pub fn floats<'a>(table: &'a StoredTable, name: &str, row: usize) -> Option<&'a [f32]> {
    match table.column(name)? {
        ColumnData::F32List(v) => v.get(row)?.as_deref(),
        _ => None,
    }
}

/// Rounded to seven significant digits, which is more than any unit here is measured to, and shorter as text.
pub fn rounded(x: f64) -> Option<f64> {
    if !x.is_finite() {
        return None;
    }
    format!("{x:.6e}").parse().ok()
}

/// [`rounded`] of a cell.
pub fn cell(table: &StoredTable, name: &str, row: usize) -> Option<f64> {
    table.number(name, row).and_then(rounded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_seven_digits_and_what_is_none_stays_none() {
        assert_eq!(rounded(1.234_567_891), Some(1.234_568));
        assert_eq!(rounded(-0.000_012_345_678_9), Some(-0.000_012_345_68));
        assert_eq!(rounded(f64::NAN), None);
        assert_eq!(rounded(f64::INFINITY), None);
    }

    #[test]
    fn messages_do_not_say_where_the_folder_lies() {
        assert_eq!(without(Path::new("/home/ann/out/"), "/home/ann/out/faces/a.parquet: bad"), "faces/a.parquet: bad");
    }
}
