//! The table of all interviews, joined from the one-row tables that each interview leaves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::output::parquet::{FileMetadata, write_table};
use crate::output::read::{StoredColumn, StoredSchema, StoredTable, read};
use crate::table::{ColumnData, Kind};

/// The column that names an interview.
const KEY: &str = "interview_id";

/// Joins the tables in `parts` into one at `target`, sorted by `interview_id`; returns the number of rows. Without parts nothing is written.
///
/// Parts written by different recipes or versions may differ in columns: what a part lacks is null, and file metadata
/// on which the parts disagree reads `mixed`. The order of `parts` does not matter.
///
/// # Errors
/// [`Error::Read`] or [`Error::Parse`] for a part, [`Error::Usage`] for a part without `interview_id`, an interview told twice, or a column
/// whose kinds differ, [`Error::Write`] for the target.
pub fn merge_interviews(parts: &[PathBuf], target: &Path) -> Result<usize> {
    if parts.is_empty() {
        return Ok(0);
    }
    let merged = read_interviews(parts)?;
    write_table(target, &merged.out(), &merged.schema.metadata)?;
    Ok(merged.rows())
}

/// What [`merge_interviews`] would write.
///
/// # Errors
/// As [`merge_interviews`], but for the target.
pub fn read_interviews(parts: &[PathBuf]) -> Result<StoredTable> {
    let mut parts: Vec<&PathBuf> = parts.iter().collect();
    parts.sort();
    let tables = parts.into_iter().map(|p| Ok((p.as_path(), read(p)?))).collect::<Result<Vec<_>>>()?;
    concat(&tables)
}

/// One table of the rows of all, sorted by `interview_id`; the columns are the union, in order of first appearance.
fn concat(tables: &[(&Path, StoredTable)]) -> Result<StoredTable> {
    let columns = union(tables)?;
    // Where each row is to be found, by its id.
    let mut rows: BTreeMap<&str, (&Path, usize, usize)> = BTreeMap::new();
    for (t, (path, table)) in tables.iter().enumerate() {
        for row in 0..table.rows() {
            let id = table.text(KEY, row).ok_or_else(|| Error::Usage {
                what: format!("{} has no {KEY} in row {row}", path.display()),
                hint: "extract that interview again".into(),
            })?;
            if let Some((other, ..)) = rows.insert(id, (path, t, row)) {
                return Err(Error::Usage {
                    what: format!("interview {id:?} is told by {} and by {}", other.display(), path.display()),
                    hint: "delete one of them".into(),
                });
            }
        }
    }
    let order: Vec<(usize, usize)> = rows.values().map(|&(_, t, row)| (t, row)).collect();
    let data = columns.iter().map(|c| gather(c, tables, &order)).collect();
    let first = tables.first().map(|(_, t)| &t.schema);
    let schema = StoredSchema {
        table: first.map_or("interviews", |s| &s.table).to_owned(),
        description: first.map_or("", |s| &s.description).to_owned(),
        columns,
        rows: order.len(),
        metadata: common_metadata(tables),
    };
    Ok(StoredTable { schema, columns: data })
}

fn union(tables: &[(&Path, StoredTable)]) -> Result<Vec<StoredColumn>> {
    let mut columns: Vec<StoredColumn> = Vec::new();
    for (path, table) in tables {
        for column in &table.schema.columns {
            match columns.iter().find(|c| c.name == column.name) {
                Some(known) if known.kind != column.kind => {
                    return Err(Error::Usage {
                        what: format!(
                            "column {} is {} in {} and {} in others",
                            column.name,
                            column.kind.name(),
                            path.display(),
                            known.kind.name()
                        ),
                        hint: "extract the interviews of the older version again".into(),
                    });
                }
                Some(_) => {}
                None => columns.push(column.clone()),
            }
        }
    }
    Ok(columns)
}

fn gather(column: &StoredColumn, tables: &[(&Path, StoredTable)], order: &[(usize, usize)]) -> ColumnData {
    let sources: Vec<Option<&ColumnData>> = tables.iter().map(|(_, t)| t.column(&column.name)).collect();
    macro_rules! pick {
        ($variant:ident, $missing:expr) => {
            ColumnData::$variant(
                order
                    .iter()
                    .map(|&(t, row)| match sources[t] {
                        Some(ColumnData::$variant(v)) => v[row].clone(),
                        _ => $missing,
                    })
                    .collect(),
            )
        };
    }
    match column.kind {
        Kind::F32 => pick!(F32, f32::NAN),
        Kind::F64 => pick!(F64, f64::NAN),
        Kind::I64 => pick!(I64, None),
        Kind::Str => pick!(Str, None),
        Kind::Bool => pick!(Bool, None),
        Kind::F32List => pick!(F32List, None),
        Kind::StrList => pick!(StrList, None),
    }
}

fn common_metadata(tables: &[(&Path, StoredTable)]) -> FileMetadata {
    let agreed = |part: fn(&FileMetadata) -> &String| {
        let mut values = tables.iter().map(|(_, t)| part(&t.schema.metadata));
        let Some(first) = values.next() else { return String::new() };
        if values.all(|v| v == first) { first.clone() } else { "mixed".into() }
    };
    let mut models = BTreeMap::new();
    for (_, table) in tables {
        for (name, hash) in &table.schema.metadata.models {
            let known = models.entry(name.clone()).or_insert_with(|| hash.clone());
            if known != hash {
                *known = "mixed".into();
            }
        }
    }
    FileMetadata {
        schema_version: agreed(|m| &m.schema_version),
        tool_version: agreed(|m| &m.tool_version),
        recipe: agreed(|m| &m.recipe),
        recipe_hash: agreed(|m| &m.recipe_hash),
        models,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::parquet::write;
    use crate::table::{ColumnSpec, TableBuilder, TableSchema};

    fn part(folder: &Path, id: &str, recipe_hash: &str, more: Option<&'static str>) -> PathBuf {
        let mut columns = vec![ColumnSpec::new("interview_id", Kind::Str, "", "key"), ColumnSpec::new("turns", Kind::I64, "", "count")];
        columns.extend(more.map(|name| ColumnSpec::new(name, Kind::F64, "s", "more")));
        let mut t = TableBuilder::new(TableSchema { name: "interviews", description: "one row per interview", columns });
        t.row().set("interview_id", id).set("turns", id.len());
        if let Some(name) = more {
            t.set(name, 1.5);
        }
        let path = folder.join(format!("{id}.parquet"));
        let metadata = FileMetadata { recipe_hash: recipe_hash.into(), tool_version: "1".into(), ..FileMetadata::default() };
        write(&path, &t.finish().unwrap(), &metadata).unwrap();
        path
    }

    #[test]
    fn rows_are_sorted_and_columns_joined() {
        let folder = tempfile::tempdir().unwrap();
        let parts = [part(folder.path(), "bb", "r1", None), part(folder.path(), "a", "r2", Some("late_secs"))];
        let target = folder.path().join("out/interviews.parquet");
        assert_eq!(merge_interviews(&parts, &target).unwrap(), 2);
        let all = read(&target).unwrap();
        assert_eq!((all.text("interview_id", 0), all.text("interview_id", 1)), (Some("a"), Some("bb")));
        assert_eq!((all.number("turns", 0), all.number("turns", 1)), (Some(1.0), Some(2.0)));
        assert_eq!((all.number("late_secs", 0), all.number("late_secs", 1)), (Some(1.5), None));
        assert_eq!(all.schema().columns[2].unit, "s");
        assert_eq!(all.schema().metadata.recipe_hash, "mixed");
        assert_eq!(all.schema().metadata.tool_version, "1");

        let bytes = std::fs::read(&target).unwrap();
        let reversed = [parts[1].clone(), parts[0].clone()];
        merge_interviews(&reversed, &target).unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), bytes);
    }

    #[test]
    fn an_interview_told_twice_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let one = part(folder.path(), "a", "r", None);
        let two = folder.path().join("copy.parquet");
        std::fs::copy(&one, &two).unwrap();
        let e = merge_interviews(&[one, two], &folder.path().join("x.parquet")).unwrap_err();
        assert!(e.to_string().contains("\"a\"") && e.to_string().contains("copy.parquet"), "{e}");
    }
}
