//! Tables that are made and wait to be written: small ones as they are, large ones in a temporary file, so that all
//! tables of a long interview are never held together.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{ColumnData, Kind, Table, TableSchema};
use crate::error::{Error, Result};
use crate::scratch::Scratch;

/// A table of more cells lies in a file.
const HELD_CELLS: usize = 1 << 18;

/// A table that waits.
#[derive(Debug)]
pub struct WaitingTable(Waiting);

#[derive(Debug)]
enum Waiting {
    Held(Table),
    Aside {
        schema: TableSchema,
        rows: usize,
        /// Of each column its bytes' number; `None` for one without a single value.
        columns: Vec<Option<u64>>,
        bytes: Scratch,
    },
}

impl WaitingTable {
    /// Lets a table wait.
    ///
    /// # Errors
    /// [`Error::Write`] where the temporary folder has no room.
    pub fn new(table: Table) -> Result<Self> {
        if table.rows().saturating_mul(table.schema().columns.len()) <= HELD_CELLS {
            return Ok(WaitingTable(Waiting::Held(table)));
        }
        let rows = table.rows();
        let Table { schema, columns: data, .. } = table;
        let (mut columns, mut bytes) = (Vec::with_capacity(data.len()), Scratch::default());
        for data in data {
            let Some(data) = data.into_inner() else {
                columns.push(None);
                continue;
            };
            let own = packed(&data)?;
            bytes.append(&own)?;
            columns.push(Some(own.len() as u64));
        }
        Ok(WaitingTable(Waiting::Aside { schema, rows, columns, bytes }))
    }

    /// Its contract.
    pub fn schema(&self) -> &TableSchema {
        match &self.0 {
            Waiting::Held(table) => table.schema(),
            Waiting::Aside { schema, .. } => schema,
        }
    }

    /// The table as it was.
    ///
    /// # Errors
    /// [`Error::Read`] where it cannot be read back.
    pub fn table(&self) -> Result<std::borrow::Cow<'_, Table>> {
        let (schema, rows, columns, bytes) = match &self.0 {
            Waiting::Held(table) => return Ok(std::borrow::Cow::Borrowed(table)),
            Waiting::Aside { schema, rows, columns, bytes } => (schema, *rows, columns, bytes),
        };
        let (mut data, mut begin) = (Vec::with_capacity(columns.len()), 0);
        for (spec, size) in schema.columns.iter().zip(columns) {
            data.push(match size {
                Some(size) => Some(unpacked(spec.kind, &bytes.read(begin..begin + size)?)?),
                None => None,
            });
            begin += size.unwrap_or(0);
        }
        Ok(std::borrow::Cow::Owned(Table::of(schema.clone(), rows, data)?))
    }
}

fn packed(data: &ColumnData) -> Result<Vec<u8>> {
    fn by_value(values: &impl Serialize) -> Result<Vec<u8>> {
        rmp_serde::to_vec(values).map_err(|e| Error::write(std::env::temp_dir(), e))
    }
    match data {
        ColumnData::F32(v) => Ok(v.iter().flat_map(|x| x.to_le_bytes()).collect()),
        ColumnData::F64(v) => Ok(v.iter().flat_map(|x| x.to_le_bytes()).collect()),
        ColumnData::I64(v) => by_value(v),
        ColumnData::Str(v) => by_value(v),
        ColumnData::Bool(v) => by_value(v),
        ColumnData::F32List(v) => by_value(v),
        ColumnData::StrList(v) => by_value(v),
    }
}

fn unpacked(kind: Kind, bytes: &[u8]) -> Result<ColumnData> {
    fn by_value<T: DeserializeOwned>(bytes: &[u8]) -> Result<Vec<T>> {
        rmp_serde::from_slice(bytes)
            .map_err(|e| Error::Read { path: std::env::temp_dir(), source: std::io::Error::other(e) })
    }
    let quarters = bytes.as_chunks::<4>().0.iter();
    let eighths = bytes.as_chunks::<8>().0.iter();
    Ok(match kind {
        Kind::F32 => ColumnData::F32(quarters.map(|b| f32::from_le_bytes(*b)).collect()),
        Kind::F64 => ColumnData::F64(eighths.map(|b| f64::from_le_bytes(*b)).collect()),
        Kind::I64 => ColumnData::I64(by_value(bytes)?),
        Kind::Str => ColumnData::Str(by_value(bytes)?),
        Kind::Bool => ColumnData::Bool(by_value(bytes)?),
        Kind::F32List => ColumnData::F32List(by_value(bytes)?),
        Kind::StrList => ColumnData::StrList(by_value(bytes)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ColumnSpec;

    fn table(rows: usize) -> Table {
        let spec = |name: &'static str, kind: Kind| ColumnSpec::new(name, kind, "", "A column.");
        let every = |i: usize| i % 3 != 1;
        let of = |i: usize| format!("é {i}");
        let odd = f64::from_bits(0x7ff8_0000_0000_1234);
        let columns = vec![
            (
                spec("a", Kind::F32),
                Some(ColumnData::F32((0..rows).map(|i| if every(i) { i as f32 } else { f32::NAN }).collect())),
            ),
            (
                spec("b", Kind::F64),
                Some(ColumnData::F64((0..rows).map(|i| if every(i) { 0.1 * i as f64 } else { odd }).collect())),
            ),
            (
                spec("c", Kind::I64),
                Some(ColumnData::I64((0..rows).map(|i| every(i).then_some(i64::MAX - i as i64)).collect())),
            ),
            (spec("none", Kind::F64), None),
            (spec("d", Kind::Str), Some(ColumnData::Str((0..rows).map(|i| every(i).then(|| of(i))).collect()))),
            (
                spec("e", Kind::Bool),
                Some(ColumnData::Bool((0..rows).map(|i| every(i).then_some(i % 2 == 0)).collect())),
            ),
            (
                spec("f", Kind::F32List),
                Some(ColumnData::F32List((0..rows).map(|i| every(i).then(|| vec![i as f32; i % 4])).collect())),
            ),
            (
                spec("g", Kind::StrList),
                Some(ColumnData::StrList((0..rows).map(|i| every(i).then(|| vec![of(i); i % 2])).collect())),
            ),
        ];
        let (specs, data): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        Table::of(TableSchema { name: "t", description: "A table.", columns: specs }, rows, data).unwrap()
    }

    /// With the bits of what is not a number, and which columns are empty.
    fn told(table: &Table) -> Vec<String> {
        let column = |data: Option<&ColumnData>| match data {
            Some(ColumnData::F64(v)) => format!("{:?}", v.iter().map(|x| x.to_bits()).collect::<Vec<_>>()),
            data => format!("{data:?}"),
        };
        table.filled_columns().map(column).collect()
    }

    #[test]
    fn a_table_is_the_same_after_waiting_held_or_aside() {
        for rows in [0, 5, HELD_CELLS / 8, HELD_CELLS / 8 + 1] {
            let waiting = WaitingTable::new(table(rows)).unwrap();
            assert_eq!(matches!(waiting.0, Waiting::Aside { .. }), rows > HELD_CELLS / 8, "{rows}");
            let back = waiting.table().unwrap();
            assert_eq!(
                (back.rows(), back.schema(), waiting.schema()),
                (rows, table(rows).schema(), table(rows).schema())
            );
            assert_eq!(told(&back), told(&table(rows)), "{rows}");
        }
    }
}
