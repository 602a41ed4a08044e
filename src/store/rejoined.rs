//! Rows of the joined table that are as they were, taken from it instead of from their own files.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::spelling::folded;
use crate::store::interviews::{KEY, gather};
use crate::store::read::{StoredSchema, StoredTable, read};

/// The joined table as it was, and which of its rows stay.
#[derive(Default)]
pub(super) struct Before {
    table: StoredTable,
    /// By the interview's name, spelt as a disk may write it.
    rows: HashMap<String, usize>,
    groups: BTreeMap<usize, Group>,
}

/// Rows made alike.
struct Group {
    /// Among the new tables, that of the first of them, which was read.
    at: usize,
    rows: Vec<usize>,
}

impl Before {
    /// Reads the table, where it is `wanted`; what cannot be read holds no rows.
    pub fn of(path: &Path, wanted: bool) -> Self {
        let Some(table) = wanted.then(|| read(path).ok()).flatten() else { return Before::default() };
        let rows = (0..table.rows()).filter_map(|row| Some((folded(table.text(KEY, row)?), row))).collect();
        Before { table, rows, groups: BTreeMap::new() }
    }

    /// The row of an interview.
    pub fn row(&self, name: &str) -> Option<usize> {
        self.rows.get(&folded(name)).copied()
    }

    /// Takes a row of a kind of which one was read; tells the place of that one's table.
    pub fn add(&mut self, kind: usize, row: usize) -> Option<usize> {
        let group = self.groups.get_mut(&kind)?;
        group.rows.push(row);
        Some(group.at)
    }

    /// The first row of a kind, whose own table is the one at this place.
    pub fn begin(&mut self, kind: usize, row: usize, at: usize) {
        self.groups.insert(kind, Group { at, rows: vec![row] });
    }

    /// Gives the table of each kind all its rows.
    pub fn fill(self, tables: &mut [(&Path, StoredTable)]) {
        let before = [(Path::new(""), self.table)];
        for Group { at, rows } in self.groups.into_values() {
            let order: Vec<(usize, usize)> = rows.into_iter().map(|row| (0, row)).collect();
            let first = &tables[at].1.schema;
            let columns = first.columns.iter().map(|column| gather(column, &before, &order)).collect();
            let schema = StoredSchema { rows: order.len(), ..first.clone() };
            tables[at].1 = StoredTable { schema, columns };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::folder::StoredFile;
    use crate::store::interviews::{merge_changed, merge_interviews};
    use crate::store::parquet::{FileMetadata, write};
    use crate::table::{ColumnSpec, Kind, TableBuilder, TableSchema};

    /// An interview of one of two recipes; the second has a column more.
    fn part(folder: &Path, id: &str, second: bool) -> StoredFile {
        let mut columns = vec![
            ColumnSpec::new(KEY, Kind::Str, "", "key"),
            ColumnSpec::new("status", Kind::Str, "", "done or failed"),
            ColumnSpec::new("words", Kind::StrList, "", "list"),
        ];
        if second {
            columns.insert(1, ColumnSpec::new("late_secs", Kind::F64, "s", "more"));
        }
        let mut table = TableBuilder::new(TableSchema { name: "interviews", description: "one row each", columns });
        table.row().set(KEY, id).set("status", "done").set("words", vec![id.to_owned(), "x".to_owned()]);
        if second {
            table.set("late_secs", id.len() as f64 + 0.1);
        }
        let path = folder.join(format!("{id}.parquet"));
        let recipe_hash = if second { "r2" } else { "r1" }.to_owned();
        write(&path, &table.finish().unwrap(), &FileMetadata { recipe_hash, ..FileMetadata::default() }).unwrap();
        StoredFile { name: id.into(), path, bytes: 0 }
    }

    #[test]
    fn rows_that_stay_are_not_read_again_and_the_table_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let is_second = |id: &str| ["bb", "dd", "f"].contains(&id);
        let parts = ["a", "bb", "c", "dd", "e", "f"].map(|id| part(folder, id, is_second(id)));
        let (target, fresh) = (folder.join("out/interviews.parquet"), folder.join("out/fresh.parquet"));
        let all = merge_interviews(&parts, &fresh).unwrap();
        assert_eq!(all.kinds.values().copied().collect::<Vec<_>>(), [0, 1, 0, 1, 0, 1]);
        // All but "e" and "f" are in the table already; of these, one of each kind is read, and the others cannot be.
        merge_interviews(&parts[..4], &target).unwrap();
        for id in ["c", "dd"] {
            std::fs::write(folder.join(format!("{id}.parquet")), "not to be read").unwrap();
        }
        let kind = |part: &StoredFile| {
            let stays = !["e", "f"].contains(&part.name.as_str());
            stays.then(|| usize::from(is_second(&part.name)) + 7)
        };
        let merged = merge_changed(&parts, &target, &kind).unwrap();
        assert_eq!((merged.rows, merged.left_out.len()), (6, 0));
        assert_eq!((&merged.kinds, &merged.makings), (&all.kinds, &all.makings));
        assert_eq!(std::fs::read(&target).unwrap(), std::fs::read(&fresh).unwrap());
        // Without the table they are read, and told.
        std::fs::remove_file(&target).unwrap();
        assert_eq!(merge_changed(&parts, &target, &kind).unwrap().left_out.len(), 2);
    }
}
