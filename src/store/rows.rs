//! The rows of a table on their way out: held, or made a row group at a time, so that a table of frames takes no more
//! memory than a group of them however long the recording is.

use std::ops::Range;

use crate::error::{Cause, Result};
use crate::store::parquet::{OutColumn, OutTable, out};
use crate::table::Table;

/// Rows a row group: a 10 ms table of a quarter of an hour is one; readers skip whole groups by their statistics.
pub(super) const ROW_GROUP_ROWS: usize = 1 << 17;

/// The same where a group is made when it is written: some minutes of sound, most of an hour of one face. What making
/// and writing it takes is most of what a worker holds of a long recording.
const MADE_ROW_GROUP_ROWS: usize = 1 << 15;

/// Makes those rows of a table, with all its columns.
pub type MakeRows<'a> = &'a dyn Fn(Range<usize>) -> Result<Table>;

/// A table on its way out, and where its values come from.
#[derive(Clone, Copy)]
pub(super) struct OutRows<'a> {
    /// Name, columns, number of rows; with the values where `make` is not there.
    pub(super) table: &'a OutTable<'a>,
    make: Option<MakeRows<'a>>,
}

impl<'a> OutRows<'a> {
    pub(super) fn held(table: &'a OutTable<'a>) -> Self {
        OutRows { table, make: None }
    }

    pub(super) fn made(table: &'a OutTable<'a>, make: MakeRows<'a>) -> Self {
        OutRows { table, make: Some(make) }
    }

    /// Shows all rows, group by group: the columns, and which of their rows the group is.
    pub(super) fn each_group(
        &self,
        mut show: impl FnMut(&[OutColumn<'_>], Range<usize>) -> Result<(), Cause>,
    ) -> Result<(), Cause> {
        let (columns, rows) = (&self.table.columns, self.table.rows);
        let step = if self.make.is_some() { MADE_ROW_GROUP_ROWS } else { ROW_GROUP_ROWS };
        for start in (0..rows).step_by(step) {
            let group = start..rows.min(start + step);
            match self.make {
                None => show(columns, group)?,
                Some(make) => {
                    let part = make(group.clone())?;
                    let part = out(&part);
                    let fits = |(own, made): (&OutColumn<'_>, &OutColumn<'_>)| {
                        made.data.is_none_or(|data| own.kind == data.kind() && data.len() == group.len())
                    };
                    let both = columns.iter().zip(&part.columns);
                    if part.columns.len() != columns.len() || part.rows != group.len() || !both.clone().all(fits) {
                        let what = format!("rows {group:?} of {} are not made as its columns say", self.table.name);
                        return Err(what.into());
                    }
                    let filled: Vec<OutColumn<'_>> =
                        both.map(|(own, made)| OutColumn { data: made.data, ..own.clone() }).collect();
                    show(&filled, 0..part.rows)?;
                }
            }
            crate::pulse::beat();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::parquet::FileMetadata;
    use crate::store::read::read;
    use crate::store::{Format, Writer};
    use crate::table::{ColumnData, ColumnSpec, Kind, TableSchema};

    fn schema() -> TableSchema {
        let columns = vec![
            ColumnSpec::new("frame", Kind::I64, "", "Number."),
            ColumnSpec::new("level_db", Kind::F32, "dB", "Level."),
            ColumnSpec::new("who", Kind::Str, "", "Somebody."),
        ];
        TableSchema { name: "voice", description: "Sound.", columns }
    }

    /// The middle column has no value in the second group, the last none at all.
    fn rows(range: Range<usize>) -> Result<Table> {
        let level = |i: usize| if i / MADE_ROW_GROUP_ROWS == 1 { f32::NAN } else { i as f32 };
        let columns = vec![
            ColumnData::I64(range.clone().map(|i| Some(i as i64)).collect()),
            ColumnData::F32(range.clone().map(level).collect()),
            ColumnData::missing(Kind::Str, range.len()),
        ];
        Table::new(schema(), columns)
    }

    #[test]
    fn a_table_made_in_groups_holds_what_the_whole_one_does_in_every_format() {
        let folder = tempfile::tempdir().unwrap();
        let count = 2 * MADE_ROW_GROUP_ROWS + 5;
        for format in Format::ALL {
            let writer = Writer::new(format);
            let own = folder.path().join(format.name());
            let (whole, made) = (writer.path(&own, "whole"), writer.path(&own, "made"));
            writer.write(&whole, &rows(0..count).unwrap(), &FileMetadata::default()).unwrap();
            let asked = std::cell::RefCell::new(Vec::new());
            let make = |range: Range<usize>| {
                asked.borrow_mut().push(range.clone());
                rows(range)
            };
            writer.write_made(&made, (&schema(), count), &make, &FileMetadata::default()).unwrap();
            let (whole, made) = (read(&whole).unwrap(), read(&made).unwrap());
            assert_eq!((made.schema(), made.schema().rows), (whole.schema(), count), "{}", format.name());
            for row in [0, 7, MADE_ROW_GROUP_ROWS - 1, MADE_ROW_GROUP_ROWS, 2 * MADE_ROW_GROUP_ROWS + 4] {
                for column in ["frame", "level_db"] {
                    assert_eq!(made.number(column, row), whole.number(column, row), "{} {row}", format.name());
                }
            }
            let longest = asked.borrow().iter().map(ExactSizeIterator::len).max();
            assert_eq!(longest, Some(MADE_ROW_GROUP_ROWS), "no more is held than a group");
            // No rows are a table too.
            let none = writer.path(&own, "none");
            writer.write_made(&none, (&schema(), 0), &rows, &FileMetadata::default()).unwrap();
            assert_eq!(read(&none).unwrap().schema().columns, schema().columns);
        }
    }

    #[test]
    fn rows_that_are_not_as_the_columns_say_are_no_table() {
        let folder = tempfile::tempdir().unwrap();
        let writer = Writer::new(Format::Parquet);
        let path = writer.path(folder.path(), "voice");
        let fails = |make: MakeRows<'_>| {
            writer.write_made(&path, (&schema(), 9), make, &FileMetadata::default()).unwrap_err().chain()
        };
        assert!(fails(&|range| rows(0..range.len() - 1)).contains("not made as its columns say"));
        let told = fails(&|_| {
            Err(crate::error::Error::Read { path: "spool".into(), source: std::io::ErrorKind::NotFound.into() })
        });
        assert!(told.contains("spool"), "{told}");
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
    }
}
