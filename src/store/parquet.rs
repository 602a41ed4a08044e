//! Writing a table as Parquet: zstd, statistics, fixed row groups, the same bytes for the same table.
//!
//! Each column's unit, description, cut-off, modality and source are the metadata of its Arrow field, so that
//! `pyarrow.parquet.read_schema(f).field(c).metadata` shows them; what made the file (recipe, models, tool) is the
//! file's key-value metadata under `turnwise.` keys. Polars' writer knows no field metadata, so the `ARROW:schema`
//! entry is made here and handed to it; polars keeps a caller's entry.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use polars::prelude::{
    ArrowDataType, ArrowField, BatchedWriter, BooleanChunked, Column, DataFrame, DataType, Field, Float32Chunked,
    Float32Type, Float64Chunked, Int64Chunked, IntoSeries, KeyValueMetadata, ListBuilderTrait,
    ListPrimitiveChunkedBuilder, ListStringChunkedBuilder, NewChunkedArray, ParquetCompression, ParquetWriter,
    PlSmallStr, Schema, StatisticsOptions, StringChunked,
};

use crate::error::{Cause, Error, Result};
use crate::store::rows::OutRows;
use crate::store::whole::write_whole;
use crate::store::{known_schema, seal, small};
use crate::table::{ColumnData, ColumnSpec, Kind, Table};
use crate::text::clean;

/// What made a file; its key-value metadata, beside the table's name and description.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileMetadata {
    /// Version of SCHEMA.md.
    pub schema_version: String,
    /// Version of the program.
    pub tool_version: String,
    /// Parameters that change results, as canonical JSON text.
    pub recipe: String,
    /// Hash of `recipe`.
    pub recipe_hash: String,
    /// Registry name to sha256 of each model used; in the file as one JSON object.
    pub models: BTreeMap<String, String>,
}

/// Keys of the file's key-value metadata.
pub(super) mod key {
    pub const SCHEMA_VERSION: &str = "turnwise.schema_version";
    pub const TOOL_VERSION: &str = "turnwise.tool_version";
    pub const RECIPE: &str = "turnwise.recipe";
    pub const RECIPE_HASH: &str = "turnwise.recipe_hash";
    pub const MODELS: &str = "turnwise.models";
    pub const TABLE: &str = "turnwise.table";
    pub const DESCRIPTION: &str = "turnwise.description";
    /// The Arrow schema with the fields' metadata.
    pub const ARROW_SCHEMA: &str = "ARROW:schema";
}

/// Keys of a field's metadata.
pub(super) mod field_key {
    pub const UNIT: &str = "unit";
    pub const DESCRIPTION: &str = "description";
    pub const CUT_OFF: &str = "cut_off";
    pub const MODALITY: &str = "modality";
    pub const SOURCE: &str = "source";
}

/// One column on its way out.
#[derive(Clone)]
pub(super) struct OutColumn<'a> {
    pub name: &'a str,
    pub unit: &'a str,
    pub description: &'a str,
    pub cut_off: &'a str,
    pub modality: &'a str,
    pub source: &'a str,
    pub kind: Kind,
    /// `None` where every value is missing.
    pub data: Option<&'a ColumnData>,
}

impl<'a> OutColumn<'a> {
    pub(super) fn new(spec: &'a ColumnSpec, data: Option<&'a ColumnData>) -> Self {
        OutColumn {
            name: &spec.name,
            unit: &spec.unit,
            description: &spec.description,
            cut_off: spec.cut_off.name(),
            modality: spec.modality.name(),
            source: &spec.source,
            kind: spec.kind,
            data,
        }
    }
}

/// A table on its way out.
pub(super) struct OutTable<'a> {
    pub name: &'a str,
    pub description: &'a str,
    pub rows: usize,
    pub columns: Vec<OutColumn<'a>>,
}

impl OutTable<'_> {
    /// Two columns of one name could not be told apart by any reader.
    pub(super) fn refuse_twins(&self, path: &Path) -> Result<()> {
        let mut names = BTreeSet::new();
        match self.columns.iter().find(|c| !names.insert(c.name)) {
            Some(twice) => {
                Err(Error::write(path, format!("table {} has two columns named {:?}", self.name, twice.name)))
            }
            None => Ok(()),
        }
    }
}

/// Writes `table` to `path` as Parquet; see [`crate::store::Writer::write`].
///
/// # Errors
/// As there.
pub fn write(path: &Path, table: &Table, metadata: &FileMetadata) -> Result<()> {
    write_table(path, &OutRows::held(&out(table)), metadata)
}

/// The form in which a table is written.
pub(super) fn out(table: &Table) -> OutTable<'_> {
    let schema = table.schema();
    let columns = schema.columns.iter().zip(table.filled_columns()).map(|(spec, data)| OutColumn::new(spec, data));
    OutTable { name: schema.name, description: schema.description, rows: table.rows(), columns: columns.collect() }
}

/// [`write`] for tables of any origin.
pub(super) fn write_table(path: &Path, rows: &OutRows<'_>, metadata: &FileMetadata) -> Result<()> {
    rows.table.refuse_twins(path)?;
    write_whole(path, |file| {
        let mut writer = batched(&mut *file, rows.table, (metadata, small::compression(rows.table.rows)?))?;
        // Group by group: the copy that polars needs never exceeds one row group.
        rows.each_group(|columns, group| {
            let frame = frame(columns, group)?;
            if rows.table.rows < small::ROWS {
                small::write(&mut writer, &frame)
            } else {
                Ok(writer.write_batch(&frame)?)
            }
        })?;
        writer.finish()?;
        drop(writer);
        Ok(seal::seal(file, seal::PARQUET)?)
    })
}

/// Writes a file of such a table, a row group a batch.
pub(super) fn batched<W: Write>(
    file: W,
    table: &OutTable,
    (metadata, compression): (&FileMetadata, ParquetCompression),
) -> Result<BatchedWriter<W>, Cause> {
    let schema = Schema::from_iter(table.columns.iter().map(|c| Field::new(c.name.into(), data_type(c.kind))));
    Ok(ParquetWriter::new(file)
        .with_compression(compression)
        .with_statistics(StatisticsOptions::default())
        // Pages are compressed while they are written, one after another: a pool of threads wins nothing (measured)
        // and belongs to the models.
        .set_parallel(false)
        .with_key_value_metadata(Some(key_values(table, metadata)?))
        .batched(&schema)?)
}

/// Those rows of the columns.
pub(super) fn frame(columns: &[OutColumn<'_>], range: Range<usize>) -> Result<DataFrame, Cause> {
    // Columns without a value are hundreds where there is only a transcript: one of each kind serves them all.
    let mut missing: Vec<(Kind, Column)> = Vec::new();
    let mut column = |c: &OutColumn| match (c.data, missing.iter().find(|(kind, _)| *kind == c.kind)) {
        (Some(data), _) => to_column(c.name.into(), data, range.clone()),
        (None, Some((_, column))) => column.clone().with_name(c.name.into()),
        (None, None) => {
            let column = to_column(c.name.into(), &ColumnData::missing(c.kind, range.len()), 0..range.len());
            missing.push((c.kind, column.clone()));
            column
        }
    };
    let columns = columns.iter().map(&mut column).collect();
    Ok(DataFrame::new(range.len(), columns)?)
}

fn key_values(table: &OutTable, metadata: &FileMetadata) -> Result<KeyValueMetadata, Cause> {
    let schema = [(key::ARROW_SCHEMA, known_schema::arrow_schema(table))];
    let all = schema.into_iter().chain(entries(table, metadata)?);
    Ok(KeyValueMetadata::from_static(all.map(|(k, v)| (k.to_owned(), v)).collect()))
}

/// What is told of a table as a whole, by key.
pub(super) fn entries(table: &OutTable, metadata: &FileMetadata) -> Result<[(&'static str, String); 7], Cause> {
    Ok([
        (key::TABLE, table.name.to_owned()),
        (key::DESCRIPTION, table.description.to_owned()),
        (key::SCHEMA_VERSION, metadata.schema_version.clone()),
        (key::TOOL_VERSION, metadata.tool_version.clone()),
        (key::RECIPE_HASH, metadata.recipe_hash.clone()),
        (key::RECIPE, metadata.recipe.clone()),
        (key::MODELS, serde_json::to_string(&metadata.models)?),
    ])
}

/// The field as other readers see it: plain utf8 and lists rather than polars' string views, which older readers do not
/// know.
pub(super) fn arrow_field(column: &OutColumn) -> ArrowField {
    let list = |item| ArrowDataType::List(Box::new(ArrowField::new("item".into(), item, true)));
    let data_type = match column.kind {
        Kind::F32 => ArrowDataType::Float32,
        Kind::F64 => ArrowDataType::Float64,
        Kind::I64 => ArrowDataType::Int64,
        Kind::Str => ArrowDataType::Utf8,
        Kind::Bool => ArrowDataType::Boolean,
        Kind::F32List => list(ArrowDataType::Float32),
        Kind::StrList => list(ArrowDataType::Utf8),
    };
    let metadata = [
        (field_key::UNIT, column.unit),
        (field_key::DESCRIPTION, column.description),
        (field_key::CUT_OFF, column.cut_off),
        (field_key::MODALITY, column.modality),
        (field_key::SOURCE, column.source),
    ];
    let metadata = metadata.into_iter().map(|(k, v)| (PlSmallStr::from_static(k), PlSmallStr::from_str(v)));
    let mut field = ArrowField::new(column.name.into(), data_type, true);
    field.metadata = Some(Arc::new(metadata.collect()));
    field
}

pub(super) fn data_type(kind: Kind) -> DataType {
    match kind {
        Kind::F32 => DataType::Float32,
        Kind::F64 => DataType::Float64,
        Kind::I64 => DataType::Int64,
        Kind::Str => DataType::String,
        Kind::Bool => DataType::Boolean,
        Kind::F32List => DataType::List(Box::new(DataType::Float32)),
        Kind::StrList => DataType::List(Box::new(DataType::String)),
    }
}

fn to_column(name: PlSmallStr, data: &ColumnData, rows: Range<usize>) -> Column {
    let series = match data {
        ColumnData::F32(v) => Float32Chunked::from_iter_options(name, v[rows].iter().map(|&x| finite(x))).into_series(),
        ColumnData::F64(v) => {
            Float64Chunked::from_iter_options(name, v[rows].iter().map(|x| x.is_finite().then_some(*x))).into_series()
        }
        ColumnData::I64(v) => Int64Chunked::from_iter_options(name, v[rows].iter().copied()).into_series(),
        ColumnData::Str(v) => {
            StringChunked::from_iter_options(name, v[rows].iter().map(|t| t.as_deref().map(clean))).into_series()
        }
        ColumnData::Bool(v) => BooleanChunked::from_iter_options(name, v[rows].iter().copied()).into_series(),
        ColumnData::F32List(v) => {
            let values = v[rows.clone()].iter().flatten().map(Vec::len).sum();
            let mut list = ListPrimitiveChunkedBuilder::<Float32Type>::new(name, rows.len(), values, DataType::Float32);
            let mut row = Vec::new();
            for values in &v[rows] {
                match values {
                    Some(values) => {
                        row.clear();
                        row.extend(values.iter().map(|&x| finite(x)));
                        list.append_iter(row.iter().copied());
                    }
                    None => list.append_null(),
                }
            }
            list.finish().into_series()
        }
        ColumnData::StrList(v) => {
            let mut list = ListStringChunkedBuilder::new(name, rows.len(), rows.len());
            for texts in &v[rows] {
                match texts {
                    Some(texts) => {
                        let fit: Vec<_> = texts.iter().map(|t| clean(t)).collect();
                        list.append_values_iter(fit.iter().map(AsRef::as_ref));
                    }
                    None => list.append_null(),
                }
            }
            list.finish().into_series()
        }
    };
    series.into()
}

fn finite(x: f32) -> Option<f32> {
    x.is_finite().then_some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::read::{read, read_column_names, read_columns, read_metadata};
    use crate::table::{ColumnSpec, CutOff, Modality, TableBuilder, TableSchema};

    fn schema() -> TableSchema {
        let columns = vec![
            ColumnSpec::new("interview_id", Kind::Str, "", "The interview.").until(CutOff::None),
            ColumnSpec::new("level_db", Kind::F32, "dB", "Mean level, µ = 0.")
                .until(CutOff::TurnEnd)
                .of(Modality::Voice)
                .from_source("Somebody 1999; Another 2001"),
            ColumnSpec::new("start_secs", Kind::F64, "s", "Start of the turn.").until(CutOff::TurnStart),
            ColumnSpec::new("words", Kind::I64, "", "Words said.").until(CutOff::NextTurn),
            ColumnSpec::new("on_screen", Kind::Bool, "", "Seen."),
            ColumnSpec::new("embedding", Kind::F32List, "", "Unit norm."),
            ColumnSpec::new("warnings", Kind::StrList, "", "In words."),
        ];
        TableSchema { name: "turns", description: "One row per turn.", columns }
    }

    /// A row of values, a row of nothing, a row of empty and non-finite values.
    fn every_kind() -> Table {
        let columns = vec![
            ColumnData::Str(vec![Some("Gespräch 1".into()), None, Some(String::new())]),
            ColumnData::F32(vec![1.5, f32::NAN, f32::INFINITY]),
            ColumnData::F64(vec![0.1, f64::NAN, f64::NEG_INFINITY]),
            ColumnData::I64(vec![Some(i64::MAX), None, Some(-1)]),
            ColumnData::Bool(vec![Some(true), None, Some(false)]),
            ColumnData::F32List(vec![Some(vec![0.25, f32::NAN]), None, Some(vec![])]),
            ColumnData::StrList(vec![Some(vec!["a".into(), String::new()]), None, Some(vec![])]),
        ];
        Table::new(schema(), columns).unwrap()
    }

    fn metadata() -> FileMetadata {
        FileMetadata {
            schema_version: "1".into(),
            tool_version: "0.1.0".into(),
            recipe: r#"{"face":{"rate_hz":10.0}}"#.into(),
            recipe_hash: "ab12".into(),
            models: BTreeMap::from([("vad".to_owned(), "00ff".to_owned()), ("face".to_owned(), "1234".to_owned())]),
        }
    }

    #[test]
    fn every_kind_reads_back_with_nulls_and_words() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("turns/a.parquet");
        write(&path, &every_kind(), &metadata()).unwrap();
        let back = read(&path).unwrap();
        assert_eq!((back.rows(), back.schema().table.as_str()), (3, "turns"));
        assert_eq!(back.schema().description, "One row per turn.");
        assert_eq!(back.schema().metadata, metadata());
        assert_eq!(back.schema().columns, schema().columns);
        // NaN is unequal to itself: the texts are compared, with infinities told as missing.
        let told = format!("{:?}", every_kind().columns()).replace("-inf", "NaN").replace("inf", "NaN");
        assert_eq!(format!("{:?}", back.columns()), told);
        assert_eq!(
            (back.number("start_secs", 0), back.number("start_secs", 1), back.number("words", 2)),
            (Some(0.1), None, Some(-1.0))
        );
        assert_eq!(back.text("interview_id", 0), Some("Gespräch 1"));
        assert_eq!(back.texts("warnings", 0).unwrap().len(), 2);
    }

    #[test]
    fn the_footer_and_single_columns_read_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        write(&path, &every_kind(), &metadata()).unwrap();
        assert_eq!(read_column_names(&path).unwrap()[..2], ["interview_id", "level_db"]);
        assert_eq!(read_metadata(&path).unwrap().rows, 3);
        let some = read_columns(&path, &["words", "no_such", "interview_id"]).unwrap();
        assert_eq!(some.schema().columns.iter().map(|c| &*c.name).collect::<Vec<_>>(), ["interview_id", "words"]);
        assert_eq!(*some.column("words").unwrap(), ColumnData::I64(vec![Some(i64::MAX), None, Some(-1)]));
        assert_eq!(read_columns(&path, &[]).unwrap().rows(), 3);
    }

    #[test]
    fn a_small_table_is_not_compressed_and_reads_back_as_a_large_one_does() {
        let folder = tempfile::tempdir().unwrap();
        for rows in [small::ROWS - 1, small::ROWS] {
            // Neither least nor largest: those stand in the footer too.
            let text = |i: usize| match i {
                0 => "a".to_owned(),
                1 => "z".to_owned(),
                _ => "said ".repeat(40),
            };
            let columns = vec![ColumnData::Str((0..rows).map(|i| Some(text(i))).collect())];
            let spec = ColumnSpec::new("text", Kind::Str, "", "The words said.");
            let schema = TableSchema { name: "turns", description: "One row per turn.", columns: vec![spec] };
            let path = folder.path().join(format!("{rows}.parquet"));
            write(&path, &Table::new(schema, columns).unwrap(), &metadata()).unwrap();
            let plain = std::fs::read(&path).unwrap().windows(20).any(|w| w == b"said said said said ");
            assert_eq!(plain, rows < small::ROWS);
            assert_eq!(read(&path).unwrap().text("text", rows - 1), Some("said ".repeat(40).as_str()));
        }
    }

    #[test]
    fn the_same_table_is_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a.parquet"), folder.path().join("b.parquet"));
        write(&a, &every_kind(), &metadata()).unwrap();
        write(&b, &every_kind(), &metadata()).unwrap();
        write(&b, &every_kind(), &metadata()).unwrap();
        assert_eq!(std::fs::read(&a).unwrap(), std::fs::read(&b).unwrap());
    }

    #[test]
    fn an_empty_table_keeps_its_schema() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        write(&path, &TableBuilder::new(schema()).finish().unwrap(), &metadata()).unwrap();
        let back = read(&path).unwrap();
        assert_eq!((back.rows(), back.columns().len()), (0, 7));
        assert_eq!(back.schema().columns[1].unit, "dB");
        assert!(back.columns().iter().all(ColumnData::is_empty));
    }

    #[test]
    fn many_rows_make_several_groups_and_read_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        let rows = 2 * crate::store::rows::ROW_GROUP_ROWS + 7;
        let schema = TableSchema { name: "t", description: "", columns: vec![ColumnSpec::new("i", Kind::I64, "", "")] };
        let values = ColumnData::I64((0..rows as i64).map(Some).collect());
        write(&path, &Table::new(schema, vec![values.clone()]).unwrap(), &metadata()).unwrap();
        assert_eq!(*read(&path).unwrap().column("i").unwrap(), values);
    }

    #[test]
    fn two_columns_of_one_name_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let spec = || ColumnSpec::new("a", Kind::I64, "", "");
        let schema = TableSchema { name: "t", description: "", columns: vec![spec(), spec()] };
        let table = Table::new(schema, vec![ColumnData::I64(vec![]), ColumnData::I64(vec![])]).unwrap();
        let e = write(&folder.path().join("a.parquet"), &table, &metadata()).unwrap_err();
        assert!(e.chain().contains("two columns named \"a\""), "{}", e.chain());
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("turns"), "").unwrap();
        let path = folder.path().join("turns/a.parquet");
        let e = write(&path, &every_kind(), &metadata()).unwrap_err();
        assert!(e.kind() == "write" && e.to_string().contains("turns/a.parquet"), "{e}");
    }
}
