//! Row groups of small tables: values as they are, without dictionaries and without compression.
//!
//! A table of a short clip has hundreds of columns and a row. For each of them, polars estimates how many values differ
//! (16,384 registers, whatever their number), makes a dictionary, and begins a compressor for both pages: much of
//! what such a clip takes in all, to save no byte.

use std::io::Write;

use polars::prelude::{BatchedWriter, CompatLevel, DataFrame, ParquetCompression, PolarsError};
use polars_parquet::parquet::error::ParquetError;
use polars_parquet::write::{
    CompressionOptions, Compressor, DynIter, DynStreamingIterator, Encoding, FallibleStreamingIterator as _,
    StatisticsOptions, Version, WriteOptions, ZstdLevel, array_to_columns, get_dtype_encoding,
};

use crate::error::Cause;

/// Level 3 is zstd's own default; fixed, since another level is other bytes.
const ZSTD_LEVEL: i32 = 3;

/// Tables of fewer rows are small.
pub(super) const ROWS: usize = 33;

/// Writes a row group of plain values.
pub(super) fn write<W: Write>(writer: &mut BatchedWriter<W>, frame: &DataFrame) -> Result<(), Cause> {
    let options = WriteOptions {
        statistics: StatisticsOptions::default(),
        version: Version::V1,
        compression: CompressionOptions::Uncompressed,
        data_page_size: None,
    };
    let fields = writer.parquet_schema().fields().to_vec();
    for batch in frame.iter_chunks(CompatLevel::newest(), false) {
        if batch.is_empty() {
            continue;
        }
        let mut columns = Vec::with_capacity(fields.len());
        for (array, field) in batch.columns().iter().zip(&fields) {
            let encodings: Vec<Encoding> = get_dtype_encoding(array.dtype()).iter().map(|_| Encoding::Plain).collect();
            for pages in array_to_columns(array, field.clone(), options, &encodings)? {
                let pages = pages.map(|page| page.map_err(|e| ParquetError::FeatureNotSupported(e.to_string())));
                let plain = Compressor::new_from_vec(pages, CompressionOptions::Uncompressed, Vec::new());
                columns.push(Ok(DynStreamingIterator::new(plain.map_err(PolarsError::from))));
            }
        }
        let mut file = writer.get_writer().lock().map_err(|e| e.to_string())?;
        file.write(batch.len() as u64, DynIter::new(columns.into_iter()))?;
    }
    Ok(())
}

/// How the pages of a table of so many rows are compressed.
pub(super) fn compression(rows: usize) -> Result<ParquetCompression, Cause> {
    if rows < ROWS {
        return Ok(ParquetCompression::Uncompressed);
    }
    Ok(ParquetCompression::Zstd(Some(ZstdLevel::try_new(ZSTD_LEVEL)?)))
}
