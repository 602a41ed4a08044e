//! The rows of a table on their way out: held, or made a row group at a time, so that a table of frames takes no more
//! memory than a group of them however long the recording is.

use std::ops::Range;

use crate::error::{Cause, Result};
use crate::store::parquet::{OutColumn, OutTable, out};
use crate::table::Table;

/// Rows a row group: a 10 ms table of a quarter of an hour is one; readers skip whole groups by their statistics.
pub(super) const ROW_GROUP_ROWS: usize = 1 << 17;

/// The same for tables of many columns, so that a group takes about as much memory.
const WIDE_ROW_GROUP_ROWS: usize = 1 << 15;
const WIDE_COLUMNS: usize = 64;

/// Rows a row group of a table of so many columns.
pub(super) fn group_rows(columns: usize) -> usize {
    if columns > WIDE_COLUMNS { WIDE_ROW_GROUP_ROWS } else { ROW_GROUP_ROWS }
}

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
        let step = group_rows(columns.len());
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
