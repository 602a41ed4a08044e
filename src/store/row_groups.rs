//! The rows of several interviews in one Parquet file, a row group at a time, whole or not at all: what is held at once
//! is a row group, however many interviews there are.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use polars::prelude::BatchedWriter;

use crate::error::{Cause, Error, Result};
use crate::store::parquet::{OutColumn, OutTable, batched, frame};
use crate::store::read::StoredSchema;
use crate::store::whole::write_by_path;
use crate::store::{seal, small};
use crate::table::{ColumnData, ColumnSpec};

/// A file that is being written.
pub struct RowGroups<'a> {
    path: &'a Path,
    columns: &'a [ColumnSpec],
    writer: BatchedWriter<&'a mut BufWriter<File>>,
    rows: u64,
}

impl RowGroups<'_> {
    /// Writes a row group: the values of each column in the order of the schema, `None` for one that is null in all
    /// `rows`. No rows are no row group.
    ///
    /// # Errors
    /// [`Error::Shape`] for columns of another number, kind or length; [`Error::Write`] with the file's final path.
    pub fn write(&mut self, data: &[Option<&ColumnData>], rows: usize) -> Result<()> {
        let fits = |(spec, data): (&ColumnSpec, &Option<&ColumnData>)| {
            data.is_none_or(|data| data.kind() == spec.kind && data.len() == rows)
        };
        if data.len() != self.columns.len() || !self.columns.iter().zip(data).all(fits) {
            return Err(Error::Shape {
                what: "columns of a row group",
                expected: format!("{} columns of {rows} rows, each of its kind", self.columns.len()),
                got: format!("{} columns that are not", data.len()),
            });
        }
        if rows == 0 {
            return Ok(());
        }
        let columns: Vec<OutColumn<'_>> =
            self.columns.iter().zip(data).map(|(spec, data)| OutColumn::new(spec, *data)).collect();
        let written = frame(&columns, 0..rows).and_then(|frame| Ok(self.writer.write_batch(&frame)?));
        written.map_err(|cause| Error::write(self.path, cause))?;
        crate::pulse::beat();
        self.rows += rows as u64;
        Ok(())
    }
}

/// Lets `fill` write a table's file to `path`, row group by row group; gives the number of rows. Missing folders are
/// made. The schema's own number of rows is not looked at.
///
/// # Errors
/// What `fill` gives, after which no file is left; [`Error::Write`] with the path.
pub fn write_row_groups(
    path: &Path,
    schema: &StoredSchema,
    fill: impl FnOnce(&mut RowGroups<'_>) -> Result<()>,
) -> Result<u64> {
    let columns = schema.columns.iter().map(|spec| OutColumn::new(spec, None)).collect();
    let table = OutTable { name: &schema.table, description: &schema.description, rows: 0, columns };
    table.refuse_twins(path)?;
    write_by_path(path, |temporary| {
        let failed = |cause: Cause| Error::write(path, cause);
        // Read too: the checksum is over what was written.
        let file = File::options().read(true).write(true).open(temporary).map_err(|e| failed(e.into()))?;
        let mut file = BufWriter::with_capacity(1 << 20, file);
        let writer = small::compression(usize::MAX)
            .and_then(|compression| batched(&mut file, &table, (&schema.metadata, compression)))
            .map_err(failed)?;
        let mut groups = RowGroups { path, columns: &schema.columns, writer, rows: 0 };
        fill(&mut groups)?;
        groups.writer.finish().map_err(|e| failed(e.into()))?;
        let rows = groups.rows;
        drop(groups);
        let sealed = seal::seal(&mut file, seal::PARQUET).and_then(|()| file.flush());
        sealed.map_err(|e| failed(e.into()))?;
        Ok(rows)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::read::{read, read_metadata};
    use crate::table::{CutOff, Kind, Modality};

    fn schema() -> StoredSchema {
        let columns = vec![
            ColumnSpec::new("interview_id", Kind::Str, "", "Key.").until(CutOff::None),
            ColumnSpec::new("level_db", Kind::F32, "dB", "Level.").of(Modality::Voice).from_source("Somebody 1999"),
        ];
        StoredSchema { table: "voice".into(), description: "Sound.".into(), columns, ..StoredSchema::default() }
    }

    fn ids(id: &str, rows: usize) -> ColumnData {
        ColumnData::Str(vec![Some(id.into()); rows])
    }

    #[test]
    fn row_groups_of_several_interviews_are_one_table() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("voice/train-00000.parquet");
        let rows = write_row_groups(&path, &schema(), |groups| {
            groups.write(&[Some(&ids("a", 2)), Some(&ColumnData::F32(vec![1.0, f32::NAN]))], 2)?;
            groups.write(&[Some(&ids("b", 0)), None], 0)?;
            groups.write(&[Some(&ids("c", 1)), None], 1)
        });
        assert_eq!(rows.unwrap(), 3);
        let back = read(&path).unwrap();
        assert_eq!(back.schema().columns, schema().columns);
        assert_eq!(
            (back.text("interview_id", 0), back.text("interview_id", 2), back.number("level_db", 0)),
            (Some("a"), Some("c"), Some(1.0))
        );
        assert_eq!((back.number("level_db", 1), back.number("level_db", 2)), (None, None));
        // A file without rows has its columns.
        write_row_groups(&path, &schema(), |_| Ok(())).unwrap();
        assert_eq!((read_metadata(&path).unwrap().rows, read_metadata(&path).unwrap().columns), (0, schema().columns));
    }

    #[test]
    fn a_file_that_cannot_be_filled_is_none_and_an_older_one_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("voice.parquet");
        std::fs::write(&path, "older").unwrap();
        for wrong in [vec![None], vec![Some(ids("a", 3)), None], vec![None, Some(ids("a", 2))]] {
            let e = write_row_groups(&path, &schema(), |groups| {
                groups.write(&[Some(&ids("a", 1)), None], 1)?;
                groups.write(&wrong.iter().map(Option::as_ref).collect::<Vec<_>>(), 2)
            });
            assert_eq!(e.unwrap_err().kind(), "shape");
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "older");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
