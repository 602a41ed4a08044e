//! The formats that a table can be written in: one list, from which the command line, the names of files and the reader
//! are made.
//!
//! Another format is a file of its own below `format/`, and its line in [`Format::of`] here.

mod arrow;
mod csv;

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::store::parquet::{self, FileMetadata, OutColumn, OutTable};
use crate::store::parts;
use crate::store::read::{self, StoredSchema, StoredTable};
use crate::store::rows::{MakeRows, OutRows};
use crate::table::{Table, TableSchema};

/// What a table is written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Compressed columns; what the other commands are fastest with.
    #[default]
    Parquet,
    /// Plain text for any program.
    Csv,
    /// Arrow IPC: columns as they lie in memory.
    Arrow,
}

/// Shows the rows of those columns that the schema names, some at a time.
type ReadParts = fn(&Path, &StoredSchema, &mut dyn FnMut(&StoredTable)) -> Result<()>;

/// All that there is to say of a format.
struct FormatSpec {
    /// On the command line.
    name: &'static str,
    /// Of its files, without the dot.
    suffix: &'static str,
    /// What follows the name of a table's file in that of the file beside it, where it has one.
    beside: Option<&'static str>,
    /// For `--help`.
    help: &'static str,
    /// Writes a table's files, each whole or not at all.
    write: fn(&Path, &OutRows<'_>, &FileMetadata) -> Result<()>,
    /// Reads what is told of a table without its values.
    schema: fn(&Path) -> Result<StoredSchema>,
    /// Reads the values of those columns that the schema names.
    values: fn(&Path, StoredSchema) -> Result<StoredTable>,
    /// The same, some rows at a time.
    parts: ReadParts,
}

impl Format {
    /// All, the usual one first.
    pub const ALL: [Format; 3] = [Format::Parquet, Format::Csv, Format::Arrow];

    const fn of(self) -> FormatSpec {
        match self {
            Format::Parquet => FormatSpec {
                name: "parquet",
                suffix: "parquet",
                beside: None,
                help: "Parquet, compressed; units and descriptions in the fields' metadata",
                write: parquet::write_table,
                schema: read::parquet_schema,
                values: read::parquet_values,
                parts: parts::parquet,
            },
            Format::Csv => FormatSpec {
                name: "csv",
                suffix: "csv",
                beside: Some(csv::METADATA_SUFFIX),
                help: "CSV in UTF-8: a line of column names, empty where a value is missing (and where a text is \
                       empty), lists as JSON, numbers with all their digits; types, units and descriptions in \
                       NAME.csv-metadata.json beside it (W3C CSV on the Web)",
                write: csv::write,
                schema: csv::schema,
                values: csv::values,
                parts: csv::parts,
            },
            Format::Arrow => FormatSpec {
                name: "arrow",
                suffix: "arrow",
                beside: None,
                help: "Arrow IPC file (Feather version 2), not compressed; metadata as in Parquet",
                write: arrow::write,
                schema: arrow::schema,
                values: arrow::values,
                parts: arrow::parts,
            },
        }
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.of().name
    }

    /// What it is, for `--help`.
    pub fn help(self) -> &'static str {
        self.of().help
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }

    /// The ending of its files, without the dot.
    pub fn suffix(self) -> &'static str {
        self.of().suffix
    }

    /// The format that a file's ending tells; `None` for another ending.
    pub fn of_file(path: &Path) -> Option<Self> {
        let suffix = path.extension()?;
        Self::ALL.into_iter().find(|f| suffix == f.suffix())
    }

    /// All files of the table at `path`: itself, and the one beside it where the format has one.
    pub fn files_of(path: &Path) -> Vec<PathBuf> {
        let beside = Self::of_file(path).and_then(|f| f.of().beside);
        let mut files = vec![path.to_owned()];
        files.extend(beside.map(|suffix| appended(path, suffix)));
        files
    }

    /// What is told of the table at `path`; a file of an unknown ending is taken for Parquet.
    pub(super) fn schema_of(path: &Path) -> Result<StoredSchema> {
        (Self::of_file(path).unwrap_or_default().of().schema)(path)
    }

    /// The values of those columns of the table at `path` that `schema` names.
    pub(super) fn values_of(path: &Path, schema: StoredSchema) -> Result<StoredTable> {
        (Self::of_file(path).unwrap_or_default().of().values)(path, schema)
    }

    /// The same, some rows at a time.
    pub(super) fn parts_of(path: &Path, schema: &StoredSchema, visit: &mut dyn FnMut(&StoredTable)) -> Result<()> {
        (Self::of_file(path).unwrap_or_default().of().parts)(path, schema, visit)
    }
}

/// `path` with `suffix` behind its name.
fn appended(path: &Path, suffix: &str) -> PathBuf {
    let mut whole = path.as_os_str().to_owned();
    whole.push(suffix);
    whole.into()
}

/// Writes tables in one format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Writer {
    format: Format,
}

impl Writer {
    /// Of a format.
    pub fn new(format: Format) -> Self {
        Writer { format }
    }

    /// What it writes.
    pub fn format(self) -> Format {
        self.format
    }

    /// `folder/name.suffix`; a dot in the name stays.
    pub fn path(self, folder: &Path, name: &str) -> PathBuf {
        folder.join(format!("{name}.{}", self.format.suffix()))
    }

    /// Refuses a table that lies there in another format: nobody could tell which of the two is current. To be asked
    /// before the work.
    ///
    /// # Errors
    /// [`Error::Usage`] naming both files.
    pub fn check(self, path: &Path) -> Result<()> {
        let others = Format::ALL.into_iter().filter(|f| *f != self.format);
        let Some(twin) = others.map(|f| path.with_extension(f.suffix())).find(|p| p.exists()) else { return Ok(()) };
        let format = Format::of_file(&twin).unwrap_or_default().name();
        Err(Error::Usage {
            what: format!(
                "{} would stand beside {}, and nobody could tell which is current",
                path.display(),
                twin.display()
            ),
            hint: format!("delete it, name another folder, or give --format {format}"),
        })
    }

    /// Writes `table` to `path`, which ends as the format's files do, whole or not at all; missing folders are made, an
    /// older file of the same name is replaced.
    ///
    /// NaN and infinities become null, inside lists too; text loses what steers a terminal or a line (see
    /// [`crate::text`]).
    ///
    /// # Errors
    /// [`Error::Usage`] as in [`Writer::check`], [`Error::Write`] with the path.
    pub fn write(self, path: &Path, table: &Table, metadata: &FileMetadata) -> Result<()> {
        self.write_out(path, &parquet::out(table), metadata)
    }

    /// The same for a table of `rows` rows that `make` makes a row group at a time.
    ///
    /// # Errors
    /// As [`Writer::write`], and what `make` gives, as the cause of an [`Error::Write`].
    pub fn write_made(
        self,
        path: &Path,
        (schema, rows): (&TableSchema, usize),
        make: MakeRows<'_>,
        metadata: &FileMetadata,
    ) -> Result<()> {
        let columns = schema.columns.iter().map(|spec| OutColumn::new(spec, None)).collect();
        let table = OutTable { name: schema.name, description: schema.description, rows, columns };
        self.write_rows(path, &OutRows::made(&table, make), metadata)
    }

    /// [`Writer::write`] for tables of any origin.
    pub(super) fn write_out(self, path: &Path, table: &OutTable<'_>, metadata: &FileMetadata) -> Result<()> {
        self.write_rows(path, &OutRows::held(table), metadata)
    }

    fn write_rows(self, path: &Path, rows: &OutRows<'_>, metadata: &FileMetadata) -> Result<()> {
        self.check(path)?;
        (self.format.of().write)(path, rows, metadata)
    }
}

/// Removes the table at `path` with the file beside it; no table there is no fault.
///
/// # Errors
/// [`Error::Write`] for a file that cannot be removed.
pub fn remove_table(path: &Path) -> Result<()> {
    for file in Format::files_of(path) {
        match fs::remove_file(&file) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Error::write(file, e)),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
