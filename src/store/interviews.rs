//! The table of all interviews, joined from the one-row tables that each interview leaves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::spelling::folded;
use crate::store::folder::StoredFile;
use crate::store::format::{Format, Writer};
use crate::store::provenance::{Makings, common};
use crate::store::read::{StoredSchema, StoredTable, read};
use crate::store::rejoined::Before;
use crate::table::{ColumnData, ColumnSpec, Kind};

/// The column that names an interview.
pub(super) const KEY: &str = "interview_id";

/// What [`merge_interviews`] did.
#[derive(Debug, Default)]
pub struct Merged {
    /// Rows of the joined table.
    pub rows: usize,
    /// Parts that are not in it, and why.
    pub left_out: Vec<(StoredFile, Error)>,
    /// How the finished interviews were made.
    pub makings: Makings,
    /// Parts by name, each with a number that those made alike share.
    pub(super) kinds: BTreeMap<String, usize>,
}

/// Joins the tables in `parts` into one at `target`, in the format that its ending tells, sorted by `interview_id`. A
/// part that cannot be read, or that tells of another interview than its name does, is left out and told: it costs
/// nobody else their row. Without a sound part nothing is written.
///
/// Parts written by different recipes or versions may differ in columns: what a part lacks is null, and file metadata
/// on which the parts disagree reads `mixed`. The order of `parts` does not matter.
///
/// # Errors
/// [`Error::Usage`] for a column whose kinds differ, [`Error::Write`] for the target.
pub fn merge_interviews(parts: &[StoredFile], target: &Path) -> Result<Merged> {
    merge_changed(parts, target, &|_| None)
}

/// The same, where some parts are known to be in the table at `target` as they are: `kind` tells which of them were
/// made alike (columns, metadata), and of each kind one file is read, of others none. Reading a hundred thousand takes
/// minutes.
///
/// # Errors
/// As [`merge_interviews`].
pub(super) fn merge_changed(
    parts: &[StoredFile],
    target: &Path,
    kind: &dyn Fn(&StoredFile) -> Option<usize>,
) -> Result<Merged> {
    let mut parts: Vec<&StoredFile> = parts.iter().collect();
    parts.sort();
    let mut merged = Merged::default();
    let mut before = Before::of(target, parts.iter().any(|part| kind(part).is_some()));
    let mut tables = Vec::new();
    // Names of the parts of each table.
    let mut names: Vec<Vec<&str>> = Vec::new();
    for part in parts {
        let known = kind(part).zip(before.row(&part.name));
        if let Some(at) = known.and_then(|(kind, row)| before.add(kind, row)) {
            names[at].push(part.name.as_str());
            continue;
        }
        match read_part(part) {
            Ok(table) => {
                known.into_iter().for_each(|(kind, row)| before.begin(kind, row, tables.len()));
                tables.push((part.path.as_path(), table));
                names.push(vec![part.name.as_str()]);
            }
            // Gone since it was listed: another run is about to write it anew, and joins the rows then.
            Err(_) if !part.path.exists() => {}
            Err(error) => merged.left_out.push((part.clone(), error)),
        }
    }
    if tables.is_empty() {
        return Ok(merged);
    }
    before.fill(&mut tables);
    merged.kinds = kinds(&tables, &names);
    for (_, table) in &tables {
        let done = (0..table.rows()).filter(|row| table.text("status", *row) == Some("done"));
        done.filter_map(|row| table.text(KEY, row)).for_each(|id| merged.makings.add(&table.schema.metadata, id));
    }
    let all = concat(&tables)?;
    merged.rows = all.rows();
    Writer::new(Format::of_file(target).unwrap_or_default()).write_out(target, &all.out(), &all.schema.metadata)?;
    Ok(merged)
}

/// Numbers for tables by columns and metadata.
fn kinds(tables: &[(&Path, StoredTable)], names: &[Vec<&str>]) -> BTreeMap<String, usize> {
    let mut seen: Vec<StoredSchema> = Vec::new();
    let mut kinds = BTreeMap::new();
    for ((_, table), names) in tables.iter().zip(names) {
        let this = &table.schema;
        let same = |known: &StoredSchema| {
            known.metadata == this.metadata
                && known.columns == this.columns
                && known.table == this.table
                && known.description == this.description
        };
        let last = seen.len();
        let kind = seen.iter().position(same).unwrap_or(last);
        if kind == last {
            seen.push(table.schema.clone());
        }
        kinds.extend(names.iter().map(|name| ((*name).to_owned(), kind)));
    }
    kinds
}

/// A part that tells of the interview it is named after, and of no other.
fn read_part(part: &StoredFile) -> Result<StoredTable> {
    let table = read(&part.path)?;
    let ids: Vec<&str> = (0..table.rows()).map(|row| table.text(KEY, row).unwrap_or_default()).collect();
    // Some disks write accents in another way than they are given.
    if ids.len() == 1 && folded(ids[0]) == folded(&part.name) {
        return Ok(table);
    }
    let what = format!("it should be the row of \"{}\" and tells of {ids:?}", part.name);
    Err(Error::parse(&part.path, 0, what, "extract that interview again, or delete the file"))
}

/// The rows of `parts` as one table, as [`merge_interviews`] would write it.
///
/// # Errors
/// [`Error::Read`] or [`Error::Parse`] for a part, [`Error::Usage`] for a part without `interview_id`, an interview
/// told twice, or a column whose kinds differ.
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
        metadata: common(tables.iter().map(|(_, table)| &table.schema.metadata)),
    };
    Ok(StoredTable { schema, columns: data })
}

fn union(tables: &[(&Path, StoredTable)]) -> Result<Vec<ColumnSpec>> {
    let mut columns: Vec<ColumnSpec> = Vec::new();
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

pub(super) fn gather(column: &ColumnSpec, tables: &[(&Path, StoredTable)], order: &[(usize, usize)]) -> ColumnData {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::parquet::{FileMetadata, write};
    use crate::table::{TableBuilder, TableSchema};

    fn part(folder: &Path, id: &str, recipe_hash: &str, more: Option<&'static str>) -> StoredFile {
        let mut columns = vec![
            ColumnSpec::new("interview_id", Kind::Str, "", "key"),
            ColumnSpec::new("turns", Kind::I64, "", "count"),
        ];
        columns.push(ColumnSpec::new("status", Kind::Str, "", "done or failed"));
        columns.extend(more.map(|name| ColumnSpec::new(name, Kind::F64, "s", "more")));
        let mut t =
            TableBuilder::new(TableSchema { name: "interviews", description: "one row per interview", columns });
        t.row()
            .set("interview_id", id)
            .set("turns", id.len())
            .set("status", if id == "bad" { "failed" } else { "done" });
        if let Some(name) = more {
            t.set(name, 1.5);
        }
        let path = folder.join(format!("{id}.parquet"));
        let metadata =
            FileMetadata { recipe_hash: recipe_hash.into(), tool_version: "1".into(), ..FileMetadata::default() };
        write(&path, &t.finish().unwrap(), &metadata).unwrap();
        StoredFile { name: id.to_owned(), path, bytes: 0 }
    }

    #[test]
    fn rows_are_sorted_and_columns_joined() {
        let folder = tempfile::tempdir().unwrap();
        let parts = [part(folder.path(), "bb", "r1", None), part(folder.path(), "a", "r2", Some("late_secs"))];
        let target = folder.path().join("out/interviews.parquet");
        let merged = merge_interviews(&parts, &target).unwrap();
        assert_eq!((merged.rows, merged.left_out.len()), (2, 0));
        assert!(merged.makings.text().contains("recipe r1: 1 interview: bb\n"), "{}", merged.makings.text());
        let all = read(&target).unwrap();
        assert_eq!((all.text("interview_id", 0), all.text("interview_id", 1)), (Some("a"), Some("bb")));
        assert_eq!((all.number("turns", 0), all.number("turns", 1)), (Some(1.0), Some(2.0)));
        assert_eq!((all.number("late_secs", 0), all.number("late_secs", 1)), (Some(1.5), None));
        assert_eq!(all.schema().columns[3].unit, "s");
        assert_eq!(all.schema().metadata.recipe_hash, "mixed");
        assert_eq!(all.schema().metadata.tool_version, "1");

        let bytes = std::fs::read(&target).unwrap();
        let reversed = [parts[1].clone(), parts[0].clone()];
        merge_interviews(&reversed, &target).unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), bytes);
    }

    #[test]
    fn a_part_that_cannot_be_read_or_is_not_its_own_costs_no_other_its_row() {
        let folder = tempfile::tempdir().unwrap();
        let parts = ["a", "bad", "cut", "copied"].map(|id| part(folder.path(), id, "r", None));
        std::fs::write(&parts[2].path, "PAR1").unwrap();
        std::fs::copy(&parts[0].path, &parts[3].path).unwrap();
        let target = folder.path().join("x.parquet");
        let merged = merge_interviews(&parts, &target).unwrap();
        assert_eq!((merged.rows, read(&target).unwrap().rows()), (2, 2));
        let told: Vec<String> = merged.left_out.iter().map(|(file, e)| format!("{}: {e}", file.name)).collect();
        assert!(
            told[0].starts_with("copied: ") && told[0].contains("the row of \"copied\" and tells of [\"a\"]"),
            "{told:?}"
        );
        assert!(told[1].starts_with("cut: ") && told[1].contains("cut.parquet") && told.len() == 2, "{told:?}");
        // How a failed interview would have been made is no way of making.
        let mut only = Makings::default();
        only.add(&read(&target).unwrap().schema.metadata, "a");
        assert_eq!(merged.makings, only);
        assert_eq!(merge_interviews(&parts[2..3], &folder.path().join("none.parquet")).unwrap().rows, 0);
        assert!(!folder.path().join("none.parquet").exists());

        let paths = [parts[0].path.clone(), parts[3].path.clone()];
        let e = read_interviews(&paths).unwrap_err();
        assert!(e.to_string().contains("\"a\"") && e.to_string().contains("copied.parquet"), "{e}");
    }
}
