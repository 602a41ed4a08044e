//! Tables as Arrow IPC files: the fields' metadata as in Parquet, the table's in that of the schema.
//!
//! Text and lists are written with 32-bit offsets, which every reader of the format knows, and not as polars' string
//! views.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use polars::prelude::{Column, PlSmallStr, PolarsResult, Series, polars_err};
use polars_arrow::array::{Array, BooleanArray, ListArray, PrimitiveArray, Utf8Array};
use polars_arrow::bitmap::Bitmap;
use polars_arrow::datatypes::{ArrowDataType, ArrowSchema};
use polars_arrow::io::ipc::read::{FileReader, get_row_count, read_file_metadata};
use polars_arrow::io::ipc::write::{FileWriter, WriteOptions};
use polars_arrow::offset::{Offsets, OffsetsBuffer};
use polars_arrow::record_batch::RecordBatchT;

use crate::error::Result;
use crate::store::parquet::{FileMetadata, arrow_field, entries};
use crate::store::parts::{PART_ROWS, part_of};
use crate::store::read::{FileKind, StoredSchema, StoredTable, column_data, guarded, stored_schema};
use crate::store::rows::OutRows;
use crate::store::seal::{self, Extent};
use crate::store::whole::write_whole;
use crate::table::ColumnData;
use crate::text::clean;

const FILE: FileKind = FileKind { name: "Arrow IPC file", tail: seal::ARROW };

pub(super) fn write(path: &Path, rows: &OutRows<'_>, metadata: &FileMetadata) -> Result<()> {
    let table = rows.table;
    table.refuse_twins(path)?;
    write_whole(path, |file| {
        let schema = Arc::new(ArrowSchema::from_iter(table.columns.iter().map(arrow_field)));
        let told = entries(table, metadata)?
            .into_iter()
            .map(|(k, v)| (PlSmallStr::from_static(k), PlSmallStr::from_string(v)));
        let mut writer = FileWriter::new(&mut *file, Arc::clone(&schema), None, WriteOptions { compression: None });
        writer.set_custom_schema_metadata(Arc::new(told.collect()));
        writer.start()?;
        rows.each_group(|columns, group| {
            let arrays = columns.iter().zip(schema.iter_values()).map(|(c, field)| match c.data {
                Some(data) => array(data, group.clone(), field.dtype()),
                None => array(&ColumnData::missing(c.kind, group.len()), 0..group.len(), field.dtype()),
            });
            let arrays = arrays.collect::<PolarsResult<_>>()?;
            Ok(writer.write(&RecordBatchT::try_new(group.len(), Arc::clone(&schema), arrays)?, None)?)
        })?;
        writer.finish()?;
        drop(writer);
        Ok(seal::seal(file, seal::ARROW)?)
    })
}

fn array(data: &ColumnData, rows: Range<usize>, dtype: &ArrowDataType) -> PolarsResult<Box<dyn Array>> {
    let finite = |x: &f32| x.is_finite().then_some(*x);
    Ok(match data {
        ColumnData::F32(v) => PrimitiveArray::from_iter(v[rows].iter().map(finite)).boxed(),
        ColumnData::F64(v) => PrimitiveArray::from_iter(v[rows].iter().map(|x| x.is_finite().then_some(*x))).boxed(),
        ColumnData::I64(v) => PrimitiveArray::from_iter(v[rows].iter().copied()).boxed(),
        ColumnData::Bool(v) => BooleanArray::from_iter(v[rows].iter().copied()).boxed(),
        ColumnData::Str(v) => Utf8Array::<i32>::from_iter(v[rows].iter().map(|t| t.as_deref().map(clean))).boxed(),
        ColumnData::F32List(v) => {
            let items = PrimitiveArray::from_iter(v[rows.clone()].iter().flatten().flatten().map(finite)).boxed();
            list(&v[rows], items, dtype)?
        }
        ColumnData::StrList(v) => {
            let items =
                Utf8Array::<i32>::from_iter(v[rows.clone()].iter().flatten().flatten().map(|t| Some(clean(t)))).boxed();
            list(&v[rows], items, dtype)?
        }
    })
}

/// A list array of the rows' lengths over all their items.
fn list<T>(rows: &[Option<Vec<T>>], items: Box<dyn Array>, dtype: &ArrowDataType) -> PolarsResult<Box<dyn Array>> {
    let offsets = Offsets::<i32>::try_from_lengths(rows.iter().map(|r| r.as_ref().map_or(0, Vec::len)))?;
    let filled: Bitmap = rows.iter().map(Option::is_some).collect();
    Ok(ListArray::try_new(dtype.clone(), OffsetsBuffer::from(offsets), items, Some(filled))?.boxed())
}

pub(super) fn schema(path: &Path) -> Result<StoredSchema> {
    guarded(path, &FILE, Extent::Footer, |mut file| {
        let footer = read_file_metadata(&mut file)?;
        let rows = usize::try_from(get_row_count(&mut file)?)
            .map_err(|_| polars_err!(ComputeError: "a number of rows below zero"))?;
        let entries =
            footer.custom_schema_metadata.iter().flat_map(|m| m.iter()).map(|(k, v)| (k.to_string(), v.to_string()));
        stored_schema(&footer.schema, rows, entries.collect())
    })
}

pub(super) fn values(path: &Path, schema: StoredSchema) -> Result<StoredTable> {
    guarded(path, &FILE, Extent::Whole, |mut file: File| {
        let footer = read_file_metadata(&mut file)?;
        let mut places = Vec::new();
        for column in &schema.columns {
            let place = footer.schema.index_of(&column.name);
            places.push(place.ok_or_else(|| polars_err!(ComputeError: "column {} is gone", column.name))?);
        }
        let mut chunks: Vec<Vec<Box<dyn Array>>> = vec![Vec::new(); places.len()];
        for batch in FileReader::new(file, footer, None, None) {
            let arrays = batch?.into_arrays();
            for (chunk, place) in chunks.iter_mut().zip(&places) {
                chunk.push(arrays[*place].clone());
            }
        }
        let mut columns = Vec::new();
        for (column, chunks) in schema.columns.iter().zip(chunks) {
            columns.push(match chunks.is_empty() {
                true => ColumnData::missing(column.kind, 0),
                false => {
                    let series = Series::try_from((PlSmallStr::from_str(&column.name), chunks))?.rechunk();
                    column_data(column.kind, &Column::from(series))?
                }
            });
        }
        if let Some(short) = columns.iter().find(|c| c.len() != schema.rows) {
            return Err(polars_err!(ComputeError: "{} of {} rows are there", short.len(), schema.rows));
        }
        Ok(StoredTable { schema, columns })
    })
}

/// Rows of the columns of `schema`, some at a time: never more of them than a batch of the file has.
pub(super) fn parts(path: &Path, schema: &StoredSchema, visit: &mut dyn FnMut(&StoredTable)) -> Result<()> {
    guarded(path, &FILE, Extent::Whole, |mut file: File| {
        let footer = read_file_metadata(&mut file)?;
        let mut places = Vec::new();
        for column in &schema.columns {
            let place = footer.schema.index_of(&column.name);
            places.push(place.ok_or_else(|| polars_err!(ComputeError: "column {} is gone", column.name))?);
        }
        // The reader gives the columns it is asked for in the file's order.
        let mut sorted = places.clone();
        sorted.sort_unstable();
        let at: Vec<usize> = places.iter().filter_map(|p| sorted.binary_search(p).ok()).collect();
        let mut rows = 0;
        for batch in FileReader::new(file, footer, Some(sorted), None) {
            let arrays = batch?.into_arrays();
            let length = arrays.first().map_or(0, |a| a.len());
            for start in (0..length).step_by(PART_ROWS) {
                crate::pulse::beat();
                let part = PART_ROWS.min(length - start);
                let mut columns = Vec::new();
                for (column, &i) in schema.columns.iter().zip(&at) {
                    let sliced = vec![arrays[i].sliced(start, part)];
                    let series = Series::try_from((PlSmallStr::from_str(&column.name), sliced))?;
                    columns.push(column_data(column.kind, &Column::from(series))?);
                }
                rows += part;
                visit(&StoredTable { schema: part_of(schema, part), columns });
            }
        }
        if rows != schema.rows {
            return Err(polars_err!(ComputeError: "{} of {} rows are there", rows, schema.rows));
        }
        Ok(())
    })
}
