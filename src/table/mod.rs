//! Tables: named columns of equal length, each with unit and description; the form every result leaves the program in.

mod aside;
mod column;
mod filled;
mod missing;
mod schema;
mod source;

pub use aside::WaitingTable;
pub use column::{Column, Layout, all_from, all_of, all_until};
pub use missing::Missing;
pub use schema::{ColumnSpec, CutOff, Kind, Modality, TableSchema};
pub use source::{DIARIZATION, SMILE, SOURCES, reference};

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::error::{Error, Result};

/// A column's values; NaN and `None` are missing.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnData {
    /// See [`Kind::F32`].
    F32(Vec<f32>),
    /// See [`Kind::F64`].
    F64(Vec<f64>),
    /// See [`Kind::I64`].
    I64(Vec<Option<i64>>),
    /// See [`Kind::Str`].
    Str(Vec<Option<String>>),
    /// See [`Kind::Bool`].
    Bool(Vec<Option<bool>>),
    /// See [`Kind::F32List`].
    F32List(Vec<Option<Vec<f32>>>),
    /// See [`Kind::StrList`].
    StrList(Vec<Option<Vec<String>>>),
}

impl ColumnData {
    /// What it holds.
    pub fn kind(&self) -> Kind {
        match self {
            ColumnData::F32(_) => Kind::F32,
            ColumnData::F64(_) => Kind::F64,
            ColumnData::I64(_) => Kind::I64,
            ColumnData::Str(_) => Kind::Str,
            ColumnData::Bool(_) => Kind::Bool,
            ColumnData::F32List(_) => Kind::F32List,
            ColumnData::StrList(_) => Kind::StrList,
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            ColumnData::F32(v) => v.len(),
            ColumnData::F64(v) => v.len(),
            ColumnData::I64(v) => v.len(),
            ColumnData::Str(v) => v.len(),
            ColumnData::Bool(v) => v.len(),
            ColumnData::F32List(v) => v.len(),
            ColumnData::StrList(v) => v.len(),
        }
    }

    /// True without values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `rows` missing values.
    pub fn missing(kind: Kind, rows: usize) -> Self {
        match kind {
            Kind::F32 => ColumnData::F32(vec![f32::NAN; rows]),
            Kind::F64 => ColumnData::F64(vec![f64::NAN; rows]),
            Kind::I64 => ColumnData::I64(vec![None; rows]),
            Kind::Str => ColumnData::Str(vec![None; rows]),
            Kind::Bool => ColumnData::Bool(vec![None; rows]),
            Kind::F32List => ColumnData::F32List(vec![None; rows]),
            Kind::StrList => ColumnData::StrList(vec![None; rows]),
        }
    }

    fn push_missing(&mut self) {
        match self {
            ColumnData::F32(v) => v.push(f32::NAN),
            ColumnData::F64(v) => v.push(f64::NAN),
            ColumnData::I64(v) => v.push(None),
            ColumnData::Str(v) => v.push(None),
            ColumnData::Bool(v) => v.push(None),
            ColumnData::F32List(v) => v.push(None),
            ColumnData::StrList(v) => v.push(None),
        }
    }

    /// Replaces the last value; gives the cell back when the kinds differ.
    fn set_last(&mut self, cell: Cell) -> Result<(), Cell> {
        fn put<T>(values: &mut [T], value: T) {
            if let Some(last) = values.last_mut() {
                *last = value;
            }
        }
        match (self, cell) {
            (_, Cell::Missing) => {}
            (ColumnData::F32(v), Cell::Float(x)) => put(v, x as f32),
            (ColumnData::F64(v), Cell::Float(x)) => put(v, x),
            (ColumnData::I64(v), Cell::Int(x)) => put(v, Some(x)),
            (ColumnData::Str(v), Cell::Text(x)) => put(v, Some(x)),
            (ColumnData::Bool(v), Cell::Bool(x)) => put(v, Some(x)),
            (ColumnData::F32List(v), Cell::Floats(x)) => put(v, Some(x)),
            (ColumnData::StrList(v), Cell::Texts(x)) => put(v, Some(x)),
            (_, other) => return Err(other),
        }
        Ok(())
    }
}

/// One value on its way into a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Null.
    Missing,
    /// For float columns; NaN is null, infinity too.
    Float(f64),
    /// For integer columns.
    Int(i64),
    /// For text columns.
    Text(String),
    /// For boolean columns.
    Bool(bool),
    /// For lists of floats.
    Floats(Vec<f32>),
    /// For lists of texts.
    Texts(Vec<String>),
}

macro_rules! cell_from {
    ($($from:ty => |$x:ident| $to:expr;)+) => {$(
        impl From<$from> for Cell {
            fn from($x: $from) -> Cell { $to }
        }
    )+};
}

cell_from! {
    f64 => |x| if x.is_finite() { Cell::Float(x) } else { Cell::Missing };
    f32 => |x| Cell::from(f64::from(x));
    i64 => |x| Cell::Int(x);
    u64 => |x| Cell::Int(i64::try_from(x).unwrap_or(i64::MAX));
    u32 => |x| Cell::Int(i64::from(x));
    i32 => |x| Cell::Int(i64::from(x));
    usize => |x| Cell::from(x as u64);
    bool => |x| Cell::Bool(x);
    String => |x| Cell::Text(x);
    &str => |x| Cell::Text(x.to_owned());
    Vec<f32> => |x| Cell::Floats(x);
    Vec<String> => |x| Cell::Texts(x);
    crate::time::Seconds => |x| Cell::Float(x.get());
    Missing => |x| Cell::Text(x.reason().to_owned());
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(x: Option<T>) -> Cell {
        x.map_or(Cell::Missing, Into::into)
    }
}

/// Columns of equal length that fit their schema.
///
/// A column without a single value takes no memory until it is looked at: a transcript alone leaves hundreds of columns
/// empty.
#[derive(Clone, Debug)]
pub struct Table {
    schema: TableSchema,
    rows: usize,
    columns: Vec<OnceLock<ColumnData>>,
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.schema == other.schema && self.rows == other.rows && self.columns() == other.columns()
    }
}

impl Table {
    /// Checks number, kinds and lengths of the columns.
    ///
    /// # Errors
    /// [`Error::Shape`] with both sides.
    pub fn new(schema: TableSchema, columns: Vec<ColumnData>) -> Result<Self> {
        let rows = columns.first().map_or(0, ColumnData::len);
        Table::of(schema, rows, columns.into_iter().map(Some).collect())
    }

    fn of(schema: TableSchema, rows: usize, columns: Vec<Option<ColumnData>>) -> Result<Self> {
        if schema.columns.len() != columns.len() {
            return Err(Error::Shape {
                what: "columns of a table",
                expected: format!("{} of {}", schema.columns.len(), schema.name),
                got: columns.len().to_string(),
            });
        }
        for (spec, data) in schema.columns.iter().zip(&columns).filter_map(|(spec, data)| Some((spec, data.as_ref()?)))
        {
            if spec.kind != data.kind() || data.len() != rows {
                return Err(Error::Shape {
                    what: "column of a table",
                    expected: format!("{} rows of {} in {}.{}", rows, spec.kind.name(), schema.name, spec.name),
                    got: format!("{} rows of {}", data.len(), data.kind().name()),
                });
            }
        }
        let columns = columns.into_iter().map(|data| data.map_or_else(OnceLock::new, OnceLock::from)).collect();
        Ok(Table { schema, rows, columns })
    }

    /// The contract.
    pub fn schema(&self) -> &TableSchema {
        &self.schema
    }

    /// Column values in schema order.
    pub fn columns(&self) -> Vec<&ColumnData> {
        (0..self.columns.len()).map(|i| self.at(i)).collect()
    }

    /// The same; `None` for a column without a single value, as far as that is known without a look at them.
    pub fn filled_columns(&self) -> impl Iterator<Item = Option<&ColumnData>> {
        self.columns.iter().map(OnceLock::get)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// A column's values by name.
    pub fn column(&self, name: &str) -> Option<&ColumnData> {
        self.schema.columns.iter().position(|c| c.name == name).map(|i| self.at(i))
    }

    fn at(&self, i: usize) -> &ColumnData {
        self.columns[i].get_or_init(|| ColumnData::missing(self.schema.columns[i].kind, self.rows))
    }
}

/// Builds a table row by row; a value not set is missing.
#[derive(Debug)]
pub struct TableBuilder {
    schema: TableSchema,
    place: HashMap<String, usize>,
    /// `None` until a value is set.
    columns: Vec<Option<ColumnData>>,
    rows: usize,
    misfit: Option<String>,
}

impl TableBuilder {
    /// An empty table.
    pub fn new(schema: TableSchema) -> Self {
        let place = schema.columns.iter().enumerate().map(|(i, c)| (c.name.to_string(), i)).collect();
        let columns = vec![None; schema.columns.len()];
        TableBuilder { schema, place, columns, rows: 0, misfit: None }
    }

    /// Appends a row of one cell for each column, in their order. A kind that does not fit is told by
    /// [`TableBuilder::finish`].
    pub(crate) fn push(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.row();
        for (i, cell) in cells.into_iter().enumerate() {
            let misfit = self.put(i, cell);
            self.misfit = self.misfit.take().or(misfit);
        }
    }

    /// What is wrong with the cell, if anything.
    fn put(&mut self, i: usize, cell: Cell) -> Option<String> {
        if cell == Cell::Missing {
            return None;
        }
        let spec = &self.schema.columns[i];
        let column = self.columns[i].get_or_insert_with(|| ColumnData::missing(spec.kind, self.rows));
        column.set_last(cell).err().map(|cell| format!("{cell:?} for column {}", spec.name))
    }

    /// Starts a row of missing values.
    pub fn row(&mut self) -> &mut Self {
        crate::pulse::beat();
        self.rows += 1;
        self.columns.iter_mut().flatten().for_each(ColumnData::push_missing);
        self
    }

    /// Sets a value of the current row. A name or kind that the schema does not know is told by
    /// [`TableBuilder::finish`].
    pub fn set(&mut self, name: &str, value: impl Into<Cell>) -> &mut Self {
        let misfit = match self.place.get(name) {
            Some(&i) if self.rows > 0 => self.put(i, value.into()),
            Some(_) => Some(format!("{name} before the first row")),
            None => Some(format!("unknown column {name}")),
        };
        if self.misfit.is_none() {
            self.misfit = misfit;
        }
        self
    }

    /// The table.
    ///
    /// # Errors
    /// [`Error::Shape`] for the first value that did not fit the schema.
    pub fn finish(self) -> Result<Table> {
        if let Some(misfit) = self.misfit {
            return Err(Error::Shape {
                what: "value of a table",
                expected: format!("the schema of {}", self.schema.name),
                got: misfit,
            });
        }
        Table::of(self.schema, self.rows, self.columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> TableSchema {
        TableSchema {
            name: "t",
            description: "",
            columns: vec![ColumnSpec::new("a", Kind::F32, "s", ""), ColumnSpec::new("b", Kind::Str, "", "")],
        }
    }

    #[test]
    fn unset_and_non_finite_values_are_missing() {
        let mut t = TableBuilder::new(schema());
        t.row().set("a", 1.5).set("b", "x");
        t.row().set("a", f64::INFINITY);
        let t = t.finish().unwrap();
        assert_eq!(t.rows(), 2);
        assert!(matches!(t.column("a"), Some(ColumnData::F32(v)) if (v[0] - 1.5).abs() < 1e-6 && v[1].is_nan()));
        assert!(matches!(t.column("b"), Some(ColumnData::Str(v)) if v[1].is_none()));
    }

    #[test]
    fn a_column_without_values_takes_no_memory_and_looks_like_any_other() {
        let mut t = TableBuilder::new(schema());
        for _ in 0..1000 {
            t.row().set("b", None::<String>);
        }
        t.row().set("a", 2.0);
        let t = t.finish().unwrap();
        assert_eq!(t.filled_columns().map(|c| c.map(ColumnData::len)).collect::<Vec<_>>(), [Some(1001), None]);
        assert_eq!(t.column("b"), Some(&ColumnData::Str(vec![None; 1001])));
        assert!(
            matches!(t.column("a"), Some(ColumnData::F32(v)) if v[..1000].iter().all(|x| x.is_nan()) && v[1000] > 1.0)
        );
        assert!(t.columns().iter().all(|c| c.len() == t.rows()));
    }

    #[test]
    fn a_value_outside_the_schema_is_an_error() {
        let mut t = TableBuilder::new(schema());
        t.row().set("c", 1.5);
        assert!(t.finish().unwrap_err().to_string().contains("unknown column c"));
        let mut t = TableBuilder::new(schema());
        t.row().set("b", 1.5);
        assert!(t.finish().is_err());
    }
}
