//! From the tables of interviews to the files of a data set.

use std::path::Path;

use crate::error::{Error, Result};
use crate::store::holdings::{GROUP, Held, HeldTable, KEY};
use crate::store::interviews::read_interviews;
use crate::store::read::{StoredTable, read_metadata};
use crate::store::read_parts;
use crate::store::row_groups::{RowGroups, write_row_groups};
use crate::table::ColumnData;

/// Columns times interviews of a file: its footer tells of each, and is held while the file is written and read.
const CHUNKS: usize = 50_000;

/// Bytes of the interviews' own files that go into one.
const BYTES: u64 = 512 << 20;

/// A file's interviews.
pub(super) struct Part<'a> {
    pub(super) table: &'a HeldTable,
    pub(super) interviews: Vec<&'a Held>,
}

/// The interviews of each file, in their order; an interview is never parted.
pub(super) fn parts<'a>(table: &HeldTable, interviews: &[&'a Held]) -> Vec<Vec<&'a Held>> {
    let (mut parts, mut bytes) = (Vec::<Vec<&Held>>::new(), 0);
    let most = (CHUNKS / table.schema.columns.len().max(1)).max(1);
    for held in interviews {
        let own = table.files.get(&held.id).map_or(0, |f| f.bytes);
        match parts.last_mut() {
            Some(last) if bytes + own <= BYTES && (last.len() < most || table.lists_interviews) => {
                last.push(held);
                bytes += own;
            }
            _ => {
                parts.push(vec![held]);
                bytes = own;
            }
        }
    }
    parts
}

/// Writes a file: each interview begins a row group of its own; the rows of `interviews`, one each, are one together.
pub(super) fn write_part(path: &Path, part: &Part<'_>) -> Result<u64> {
    let Part { table, interviews } = part;
    write_row_groups(path, &table.schema, |groups| {
        let mut with_files = interviews.iter().filter_map(|held| Some((*held, &table.files.get(&held.id)?.path)));
        if table.lists_interviews {
            let paths: Vec<_> = with_files.map(|(_, path)| path.clone()).collect();
            let rows = read_interviews(&paths)?;
            return groups.write(&in_order(table, &rows, None), rows.rows());
        }
        with_files.try_for_each(|(held, path)| write_interview(groups, table, held, path))
    })
}

fn write_interview(groups: &mut RowGroups<'_>, table: &HeldTable, held: &Held, path: &Path) -> Result<()> {
    let footer = read_metadata(path)?;
    let mut written = Ok(());
    read_parts(path, &footer, &footer.columns, |part| {
        if written.is_ok() {
            let group = ColumnData::Str(vec![held.group.clone(); part.rows()]);
            written = belongs(part, held, path)
                .and_then(|()| groups.write(&in_order(table, part, Some(&group)), part.rows()));
        }
    })?;
    written
}

/// A part's columns in the order of the packed table's; `group` where it has none of its own.
fn in_order<'a>(
    table: &HeldTable,
    part: &'a StoredTable,
    group: Option<&'a ColumnData>,
) -> Vec<Option<&'a ColumnData>> {
    let own = |name: &str| part.column(name);
    let all = table.schema.columns.iter();
    all.map(|c| own(&c.name).or_else(|| group.filter(|_| c.name == GROUP))).collect()
}

/// Every row tells of the interview whose table it is in, and of its group.
fn belongs(part: &StoredTable, held: &Held, path: &Path) -> Result<()> {
    let all = |name: &str, value: Option<&str>| match part.column(name) {
        Some(ColumnData::Str(values)) => values.iter().all(|v| v.as_deref() == value),
        Some(_) => false,
        None => name == GROUP,
    };
    if !all(KEY, Some(&held.id)) {
        return Err(Error::damaged(path, 0, format!("it should hold rows of \"{}\" alone", held.id)));
    }
    if !all(GROUP, held.group.as_deref()) {
        let what = format!("its group is not that of the interview's row, {:?}", held.group);
        return Err(Error::damaged(path, 0, what));
    }
    Ok(())
}
