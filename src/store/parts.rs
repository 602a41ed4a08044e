//! Tables read some rows at a time, so that a table of any length takes the same memory.

use std::io::Seek;
use std::path::Path;

use polars::prelude::{ParquetReader, PolarsResult, SerReader, polars_err};

use crate::error::Result;
use crate::store::format::Format;
use crate::store::read::{PARQUET, StoredSchema, StoredTable, column_data, guarded};
use crate::store::seal::Extent;
use crate::table::ColumnSpec;

/// Rows of a part. A row of the `faces` table with all its landmarks is 6 kB, so a part of them is 100 MB.
pub(super) const PART_ROWS: usize = 1 << 14;

/// Shows the rows of those of the file's `columns` that are asked for, in order, a part at a time; a table without rows
/// has no part. `schema` is the file's own.
///
/// # Errors
/// As [`crate::store::read::read`].
pub fn read_parts(
    path: &Path,
    schema: &StoredSchema,
    columns: &[ColumnSpec],
    mut visit: impl FnMut(&StoredTable),
) -> Result<()> {
    let some = StoredSchema { columns: columns.to_vec(), ..schema.clone() };
    if columns.is_empty() || schema.rows == 0 { Ok(()) } else { Format::parts_of(path, &some, &mut visit) }
}

/// The same schema of so many rows.
pub(super) fn part_of(schema: &StoredSchema, rows: usize) -> StoredSchema {
    StoredSchema { rows, ..schema.clone() }
}

/// The parts of a Parquet file.
pub(super) fn parquet(path: &Path, schema: &StoredSchema, visit: &mut dyn FnMut(&StoredTable)) -> Result<()> {
    guarded(path, &PARQUET, Extent::Whole, |file| {
        let names: Vec<String> = schema.columns.iter().map(|c| c.name.to_string()).collect();
        for start in (0..schema.rows).step_by(PART_ROWS) {
            crate::pulse::beat();
            let rows = PART_ROWS.min(schema.rows - start);
            let mut again = file.try_clone()?;
            again.rewind()?;
            let reader = ParquetReader::new(again).with_slice(Some((start, rows))).set_rechunk(true);
            let frame = reader.with_columns(Some(names.clone())).finish()?;
            let data = schema.columns.iter().map(|c| column_data(c.kind, frame.column(&c.name)?));
            let columns = data.collect::<PolarsResult<Vec<_>>>()?;
            if let Some(short) = columns.iter().find(|c| c.len() != rows) {
                return Err(
                    polars_err!(ComputeError: "{} of {} rows are there from row {} on", short.len(), rows, start),
                );
            }
            visit(&StoredTable { schema: part_of(schema, rows), columns });
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Writer;
    use crate::store::parquet::FileMetadata;
    use crate::store::read::{read, read_metadata};
    use crate::table::{ColumnData, Kind, TableBuilder, TableSchema};

    #[test]
    fn parts_are_the_whole_in_every_format() {
        let columns = vec![
            ColumnSpec::new("i", Kind::I64, "", "Count."),
            ColumnSpec::new("never", Kind::F64, "", "Not there."),
            ColumnSpec::new("name", Kind::Str, "", "Text."),
            ColumnSpec::new("list", Kind::F32List, "", "List."),
        ];
        let mut t = TableBuilder::new(TableSchema { name: "t", description: "", columns });
        let rows = crate::store::rows::ROW_GROUP_ROWS + PART_ROWS / 2 + 3;
        for i in 0..rows {
            t.row().set("i", i);
            if i % 3 > 0 {
                t.set("name", (i % 7).to_string()).set("list", vec![i as f32; i % 4]);
            }
        }
        let table = t.finish().unwrap();
        let folder = tempfile::tempdir().unwrap();
        for format in Format::ALL {
            let path = Writer::new(format).path(folder.path(), format.name());
            Writer::new(format).write(&path, &table, &FileMetadata::default()).unwrap();
            let schema = read_metadata(&path).unwrap();
            let asked = [schema.columns[3].clone(), schema.columns[0].clone(), schema.columns[2].clone()];
            let (mut numbers, mut names, mut lists, mut longest) = (Vec::new(), Vec::new(), Vec::new(), 0);
            read_parts(&path, &schema, &asked, |part| {
                longest = longest.max(part.rows());
                let [ColumnData::F32List(l), ColumnData::I64(i), ColumnData::Str(n)] = part.columns() else {
                    panic!("{:?}", part.schema())
                };
                assert!(l.len() == part.rows() && i.len() == part.rows() && n.len() == part.rows());
                lists.extend(l.clone());
                numbers.extend(i.clone());
                names.extend(n.clone());
            })
            .unwrap();
            assert!(longest <= PART_ROWS, "{}: {longest}", format.name());
            let whole = read(&path).unwrap();
            assert_eq!(whole.column("i"), Some(&ColumnData::I64(numbers)), "{}", format.name());
            assert_eq!(whole.column("name"), Some(&ColumnData::Str(names)));
            assert_eq!(whole.column("list"), Some(&ColumnData::F32List(lists)));
        }
    }

    #[test]
    fn a_damaged_file_shows_no_part() {
        let folder = tempfile::tempdir().unwrap();
        let columns = vec![ColumnSpec::new("i", Kind::I64, "", "Count.")];
        let mut t = TableBuilder::new(TableSchema { name: "t", description: "", columns });
        for i in 0..1000_i64 {
            t.row().set("i", i * 77 % 1000);
        }
        let table = t.finish().unwrap();
        for format in [Format::Parquet, Format::Arrow] {
            let path = Writer::new(format).path(folder.path(), format.name());
            Writer::new(format).write(&path, &table, &FileMetadata::default()).unwrap();
            let schema = read_metadata(&path).unwrap();
            let mut bytes = std::fs::read(&path).unwrap();
            bytes[300] ^= 0x10;
            std::fs::write(&path, bytes).unwrap();
            let mut parts = 0;
            let e = read_parts(&path, &schema, &schema.columns, |_| parts += 1).unwrap_err();
            assert_eq!((e.kind(), parts), ("damaged", 0));
        }
    }
}
