//! Reading a table back: its values, and what its fields and footer say about them. Which format it is in, the file's
//! ending tells.
//!
//! Tables of other programs can be read too: integers of any width become `I64`, dictionaries text; what the file does
//! not say is empty.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Seek;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use polars::prelude::{
    ArrowDataType, ArrowField, ArrowSchema, Column, ParquetReader, PolarsResult, SerReader, polars_err,
};

use crate::error::{Error, Result};
use crate::store::format::Format;
use crate::store::parquet::{FileMetadata, OutColumn, OutTable, data_type, field_key, key};
use crate::store::seal::{self, Extent, Tail};
use crate::table::{ColumnData, ColumnSpec, CutOff, Kind, Modality};

/// What a file's footer tells without its values being loaded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredSchema {
    /// Table name; empty in files of other programs.
    pub table: String,
    /// What one row is.
    pub description: String,
    /// Columns in file order; what the file does not say is empty, [`CutOff::Untold`] or [`Modality::Untold`].
    pub columns: Vec<ColumnSpec>,
    /// Number of rows.
    pub rows: usize,
    /// What made the file.
    pub metadata: FileMetadata,
}

/// A table read from a file; missing values are NaN or `None` as in [`ColumnData`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredTable {
    pub(super) schema: StoredSchema,
    pub(super) columns: Vec<ColumnData>,
}

impl StoredTable {
    /// Columns as a file would have them; one of `columns` for each of the schema's.
    pub fn new(schema: StoredSchema, columns: Vec<ColumnData>) -> Self {
        debug_assert_eq!(schema.columns.len(), columns.len());
        StoredTable { schema, columns }
    }

    /// Columns, rows and metadata.
    pub fn schema(&self) -> &StoredSchema {
        &self.schema
    }

    /// Values in the order of the schema's columns.
    pub fn columns(&self) -> &[ColumnData] {
        &self.columns
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.schema.rows
    }

    /// A column's values by name.
    pub fn column(&self, name: &str) -> Option<&ColumnData> {
        self.schema.columns.iter().position(|c| c.name == name).map(|i| &self.columns[i])
    }

    /// A text; `None` when null or when there is no such text column.
    pub fn text(&self, name: &str, row: usize) -> Option<&str> {
        match self.column(name)? {
            ColumnData::Str(v) => v.get(row)?.as_deref(),
            _ => None,
        }
    }

    /// A number of any numeric column; `None` when null or when there is no such column.
    pub fn number(&self, name: &str, row: usize) -> Option<f64> {
        match self.column(name)? {
            ColumnData::F32(v) => v.get(row).map(|&x| f64::from(x)),
            ColumnData::F64(v) => v.get(row).copied(),
            ColumnData::I64(v) => v.get(row).copied().flatten().map(|x| x as f64),
            _ => None,
        }
        .filter(|x| x.is_finite())
    }

    /// A list of texts; `None` when null or when there is no such column.
    pub fn texts(&self, name: &str, row: usize) -> Option<&[String]> {
        match self.column(name)? {
            ColumnData::StrList(v) => v.get(row)?.as_deref(),
            _ => None,
        }
    }

    /// The form in which it can be written again.
    pub(super) fn out(&self) -> OutTable<'_> {
        let columns =
            self.schema.columns.iter().zip(&self.columns).map(|(spec, data)| OutColumn::new(spec, Some(data)));
        let rows = self.schema.rows;
        OutTable { name: &self.schema.table, description: &self.schema.description, rows, columns: columns.collect() }
    }
}

/// Reads a whole table.
///
/// # Errors
/// [`Error::Read`] when the file cannot be opened, [`Error::Damaged`] when it is no whole table of its format, or holds
/// a type Turnwise never writes.
pub fn read(path: &Path) -> Result<StoredTable> {
    Format::values_of(path, read_metadata(path)?)
}

/// Reads those of the named columns that the file has, in file order.
///
/// # Errors
/// As [`read`].
pub fn read_columns(path: &Path, names: &[&str]) -> Result<StoredTable> {
    let mut schema = read_metadata(path)?;
    schema.columns.retain(|c| names.contains(&&*c.name));
    if schema.columns.is_empty() {
        return Ok(StoredTable { schema, columns: Vec::new() });
    }
    Format::values_of(path, schema)
}

/// Reads what the file tells of its table, without the values.
///
/// # Errors
/// As [`read`].
pub fn read_metadata(path: &Path) -> Result<StoredSchema> {
    Format::schema_of(path)
}

/// Reads the column names alone.
///
/// # Errors
/// As [`read`].
pub fn read_column_names(path: &Path) -> Result<Vec<String>> {
    Ok(read_metadata(path)?.columns.into_iter().map(|c| c.name.into_owned()).collect())
}

/// A format whose files are read from their end.
pub(super) struct FileKind {
    /// What the errors call it.
    pub name: &'static str,
    /// How it ends.
    pub tail: Tail,
}

pub(super) const PARQUET: FileKind = FileKind { name: "Parquet file", tail: seal::PARQUET };

/// The footer of a Parquet file.
pub(super) fn parquet_schema(path: &Path) -> Result<StoredSchema> {
    guarded(path, &PARQUET, Extent::Footer, |file| {
        let mut reader = ParquetReader::new(file);
        let arrow = reader.schema()?;
        let rows = reader.num_rows()?;
        let footer = reader.get_metadata()?;
        let entries = footer.key_value_metadata.iter().flatten();
        stored_schema(&arrow, rows, entries.map(|e| (e.key.clone(), e.value.clone().unwrap_or_default())).collect())
    })
}

/// The columns of `schema` from a Parquet file.
pub(super) fn parquet_values(path: &Path, schema: StoredSchema) -> Result<StoredTable> {
    guarded(path, &PARQUET, Extent::Whole, |file| {
        let names = schema.columns.iter().map(|c| c.name.to_string()).collect();
        let frame = ParquetReader::new(file).set_rechunk(true).with_columns(Some(names)).finish()?;
        let columns: Vec<ColumnData> =
            schema.columns.iter().map(|c| column_data(c.kind, frame.column(&c.name)?)).collect::<PolarsResult<_>>()?;
        match columns.iter().find(|c| c.len() != schema.rows) {
            Some(short) => Err(polars_err!(ComputeError: "{} of {} rows are there", short.len(), schema.rows)),
            None => Ok(StoredTable { schema, columns }),
        }
    })
}

/// Has a file read whose sums hold. Whatever goes wrong in polars, panics on damaged pages too, becomes an error that
/// names the file and what `kind` of file it should be.
pub(super) fn guarded<T>(
    path: &Path,
    kind: &FileKind,
    extent: Extent,
    work: impl FnOnce(File) -> PolarsResult<T>,
) -> Result<T> {
    let mut file = crate::file::open(path)?;
    let bad = |what: String| Error::damaged(path, 0, format!("not a whole {} of known types ({what})", kind.name));
    let failed = |source| Error::Read { path: path.into(), source };
    if !seal::holds(&mut file, kind.tail, extent).map_err(failed)? {
        return Err(bad("its checksum is another".into()));
    }
    file.rewind().map_err(failed)?;
    match catch_unwind(AssertUnwindSafe(|| work(file))) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(e)) => Err(bad(e.to_string())),
        Err(_) => Err(bad("its pages are damaged".into())),
    }
}

/// What the Arrow fields and the entries of a footer tell.
pub(super) fn stored_schema(
    fields: &ArrowSchema,
    rows: usize,
    mut entries: BTreeMap<String, String>,
) -> PolarsResult<StoredSchema> {
    let mut take = |key: &str| entries.remove(key).unwrap_or_default();
    let models = take(key::MODELS);
    let models = if models.is_empty() {
        BTreeMap::new()
    } else {
        serde_json::from_str(&models)
            .map_err(|e| polars_err!(ComputeError: "{} is no JSON object of texts: {}", key::MODELS, e))?
    };
    Ok(StoredSchema {
        table: take(key::TABLE),
        description: take(key::DESCRIPTION),
        columns: fields.iter_values().map(stored_column).collect::<PolarsResult<_>>()?,
        rows,
        metadata: FileMetadata {
            schema_version: take(key::SCHEMA_VERSION),
            tool_version: take(key::TOOL_VERSION),
            recipe: take(key::RECIPE),
            recipe_hash: take(key::RECIPE_HASH),
            models,
        },
    })
}

fn stored_column(field: &ArrowField) -> PolarsResult<ColumnSpec> {
    let said = |key: &str| field.metadata.as_ref().and_then(|m| m.get(key)).map(|v| v.to_string()).unwrap_or_default();
    let kind = kind_of(&field.dtype)
        .ok_or_else(|| polars_err!(ComputeError: "column {} is of type {:?}", field.name, field.dtype))?;
    Ok(ColumnSpec::new(field.name.to_string(), kind, said(field_key::UNIT), said(field_key::DESCRIPTION))
        .until(CutOff::from_name(&said(field_key::CUT_OFF)).unwrap_or(CutOff::Untold))
        .of(Modality::from_name(&said(field_key::MODALITY)).unwrap_or(Modality::Untold))
        .from_source(said(field_key::SOURCE)))
}

fn kind_of(dtype: &ArrowDataType) -> Option<Kind> {
    use ArrowDataType as A;
    Some(match dtype {
        A::Float16 | A::Float32 => Kind::F32,
        A::Float64 => Kind::F64,
        A::Int8 | A::Int16 | A::Int32 | A::Int64 | A::UInt8 | A::UInt16 | A::UInt32 | A::UInt64 => Kind::I64,
        A::Boolean => Kind::Bool,
        A::Utf8 | A::LargeUtf8 | A::Utf8View => Kind::Str,
        A::Dictionary(_, values, _) if kind_of(values) == Some(Kind::Str) => Kind::Str,
        A::List(item) | A::LargeList(item) | A::FixedSizeList(item, _) => match kind_of(&item.dtype)? {
            Kind::F32 | Kind::F64 | Kind::I64 => Kind::F32List,
            Kind::Str => Kind::StrList,
            Kind::Bool | Kind::F32List | Kind::StrList => return None,
        },
        _ => return None,
    })
}

/// A column's values as the kind that it is kept as.
pub(super) fn column_data(kind: Kind, column: &Column) -> PolarsResult<ColumnData> {
    let series = column.as_materialized_series().cast(&data_type(kind))?;
    Ok(match kind {
        Kind::F32 => ColumnData::F32(series.f32()?.iter().map(|x| x.unwrap_or(f32::NAN)).collect()),
        Kind::F64 => ColumnData::F64(series.f64()?.iter().map(|x| x.unwrap_or(f64::NAN)).collect()),
        Kind::I64 => ColumnData::I64(series.i64()?.iter().collect()),
        Kind::Bool => ColumnData::Bool(series.bool()?.iter().collect()),
        Kind::Str => ColumnData::Str(series.str()?.iter().map(|x| x.map(str::to_owned)).collect()),
        Kind::F32List => {
            let list = series.list()?;
            let rows = (0..list.len()).map(|i| {
                list.get_as_series(i)
                    .map(|row| Ok(row.f32()?.iter().map(|x| x.unwrap_or(f32::NAN)).collect()))
                    .transpose()
            });
            ColumnData::F32List(rows.collect::<PolarsResult<_>>()?)
        }
        Kind::StrList => {
            let list = series.list()?;
            let rows = (0..list.len()).map(|i| {
                list.get_as_series(i)
                    .map(|row| Ok(row.str()?.iter().map(|x| x.unwrap_or_default().to_owned()).collect()))
                    .transpose()
            });
            ColumnData::StrList(rows.collect::<PolarsResult<_>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::parquet::write;
    use crate::table::{TableBuilder, TableSchema};

    fn sample(path: &Path) -> Vec<u8> {
        let columns = vec![ColumnSpec::new("a", Kind::F32, "s", "x"), ColumnSpec::new("b", Kind::StrList, "", "y")];
        let mut t = TableBuilder::new(TableSchema { name: "t", description: "", columns });
        for i in 0..300_u32 {
            t.row().set("a", f64::from(i).sin()).set("b", vec![i.to_string()]);
        }
        write(path, &t.finish().unwrap(), &FileMetadata::default()).unwrap();
        std::fs::read(path).unwrap()
    }

    #[test]
    fn what_is_no_whole_parquet_file_is_an_error_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad.parquet");
        let whole = sample(&path);
        for bytes in [&b""[..], b"PAR1", b"interview_id,media\n", &whole[..whole.len() / 2], &whole[..whole.len() - 1]]
        {
            std::fs::write(&path, bytes).unwrap();
            for e in [read(&path).unwrap_err(), read_metadata(&path).unwrap_err()] {
                assert_eq!(e.kind(), "damaged");
                assert!(e.to_string().contains("bad.parquet: not a whole Parquet file"), "{e}");
            }
        }
        assert_eq!(read(&folder.path().join("none.parquet")).unwrap_err().kind(), "read");
        assert_eq!(read(folder.path()).unwrap_err().kind(), "read");
    }
}
