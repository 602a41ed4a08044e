//! A column and the way to its value, declared in one place: schema and rows come from the same list.

use std::borrow::Cow;

use super::{Cell, ColumnSpec, CutOff, Kind, Modality, Table, TableBuilder, TableSchema};
use crate::error::Result;

/// One column of a table whose rows are made from values of type `R`.
pub struct Column<R> {
    spec: ColumnSpec,
    value: Box<dyn Fn(&R) -> Cell>,
}

impl<R: 'static> Column<R> {
    /// The same column of a table whose rows hold an `R` somewhere; null where they hold none.
    pub fn within<S>(self, part: impl Fn(&S) -> Option<&R> + 'static) -> Column<S> {
        let value = self.value;
        Column { spec: self.spec, value: Box::new(move |row| part(row).map_or(Cell::Missing, &value)) }
    }
}

impl<R> Column<R> {
    /// A column by its contract, and how a row gives its value.
    pub fn new<V: Into<Cell>>(spec: ColumnSpec, value: impl Fn(&R) -> V + 'static) -> Self {
        Column { spec, value: Box::new(move |row| value(row).into()) }
    }

    /// A 64-bit float: times and statistics.
    pub fn float<V: Into<Cell>>(
        name: impl Into<Cow<'static, str>>,
        unit: &'static str,
        description: impl Into<Cow<'static, str>>,
        value: impl Fn(&R) -> V + 'static,
    ) -> Self {
        Self::new(ColumnSpec::new(name, Kind::F64, unit, description), value)
    }

    /// A count or an index.
    pub fn int<V: Into<Cell>>(
        name: impl Into<Cow<'static, str>>,
        unit: &'static str,
        description: impl Into<Cow<'static, str>>,
        value: impl Fn(&R) -> V + 'static,
    ) -> Self {
        Self::new(ColumnSpec::new(name, Kind::I64, unit, description), value)
    }

    /// A text.
    pub fn text<V: Into<Cell>>(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
        value: impl Fn(&R) -> V + 'static,
    ) -> Self {
        Self::new(ColumnSpec::new(name, Kind::Str, "", description), value)
    }

    /// True or false.
    pub fn bool<V: Into<Cell>>(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
        value: impl Fn(&R) -> V + 'static,
    ) -> Self {
        Self::new(ColumnSpec::new(name, Kind::Bool, "", description), value)
    }

    /// The same with another cut-off.
    pub fn until(mut self, cut_off: CutOff) -> Self {
        self.spec.cut_off = cut_off;
        self
    }

    /// The same of a sense.
    pub fn of(mut self, modality: Modality) -> Self {
        self.spec.modality = modality;
        self
    }

    /// The same after a definition from elsewhere: a short name of [`super::SOURCES`], or several joined by `; `.
    pub fn from_source(mut self, source: &'static str) -> Self {
        self.spec = self.spec.from_source(source);
        self
    }

    /// The same measure of somebody else: another beginning of its name, and words before its description.
    pub fn of_another(mut self, name_begins: &str, whose: &str) -> Self {
        self.spec.name = format!("{name_begins}{}", self.spec.name).into();
        self.spec.description = format!("{whose}{}", self.spec.description).into();
        self
    }

    /// The contract.
    pub fn spec(&self) -> &ColumnSpec {
        &self.spec
    }

    /// The value a row gives.
    pub fn value(&self, row: &R) -> Cell {
        (self.value)(row)
    }
}

impl<R> std::fmt::Debug for Column<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Column").field("spec", &self.spec).finish_non_exhaustive()
    }
}

/// The same columns, each of this sense.
pub fn all_of<R>(modality: Modality, columns: impl IntoIterator<Item = Column<R>>) -> Vec<Column<R>> {
    columns.into_iter().map(|c| c.of(modality)).collect()
}

/// The same columns, each after this source.
pub fn all_from<R>(source: &'static str, columns: impl IntoIterator<Item = Column<R>>) -> Vec<Column<R>> {
    columns.into_iter().map(|c| c.from_source(source)).collect()
}

/// The same columns, each with this cut-off.
pub fn all_until<R>(cut_off: CutOff, columns: impl IntoIterator<Item = Column<R>>) -> Vec<Column<R>> {
    columns.into_iter().map(|c| c.until(cut_off)).collect()
}

/// A table's name, what one row is, and its columns in the order they are written.
#[derive(Debug)]
pub struct Layout<R> {
    /// Table and folder name.
    pub name: &'static str,
    /// What one row is.
    pub description: &'static str,
    /// Columns in the order they are written.
    pub columns: Vec<Column<R>>,
}

impl<R> Layout<R> {
    /// The contract.
    pub fn schema(&self) -> TableSchema {
        let columns = self.columns.iter().map(|c| c.spec.clone()).collect();
        TableSchema { name: self.name, description: self.description, columns }
    }

    /// The table of `rows`, taken one after the other.
    ///
    /// # Errors
    /// [`crate::error::Error::Shape`] for a value of another kind than its column's.
    pub fn table(&self, rows: impl IntoIterator<Item = R>) -> Result<Table> {
        let mut table = TableBuilder::new(self.schema());
        for row in rows {
            table.push(self.columns.iter().map(|c| c.value(&row)));
        }
        table.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ColumnData;

    struct Row<'a> {
        name: &'a str,
        voice: Option<f64>,
    }

    fn layout<'a>() -> Layout<Row<'a>> {
        let pitch = Column::float("pitch", "Hz", "Pitch.", |hz: &f64| *hz).within(|r: &Row<'_>| r.voice.as_ref());
        let columns =
            vec![Column::text("name", "Who.", |r: &Row<'a>| r.name), pitch.of(Modality::Voice).until(CutOff::TurnEnd)];
        Layout { name: "t", description: "One thing.", columns }
    }

    #[test]
    fn schema_and_rows_come_from_one_list() {
        let name = String::from("Anna");
        let table =
            layout().table([Row { name: &name, voice: Some(200.0) }, Row { name: "Ben", voice: None }]).unwrap();
        assert_eq!(*table.schema(), layout().schema());
        assert_eq!(table.column("name"), Some(&ColumnData::Str(vec![Some("Anna".into()), Some("Ben".into())])));
        assert!(
            matches!(table.column("pitch"), Some(ColumnData::F64(v)) if (v[0] - 200.0).abs() < 1e-9 && v[1].is_nan())
        );
        let spec = &table.schema().columns[1];
        assert_eq!((spec.modality, spec.cut_off, &*spec.unit), (Modality::Voice, CutOff::TurnEnd, "Hz"));
    }

    #[test]
    fn a_value_of_another_kind_is_an_error() {
        let columns = vec![Column::int("n", "", "Count.", |x: &f64| *x)];
        let e = Layout { name: "t", description: "", columns }.table([1.5]).unwrap_err();
        assert!(e.to_string().contains("column n"), "{e}");
    }
}
