//! The eGeMAPS columns of the tables: openSMILE's names behind `egemaps_`, with what each means, and their values.

use super::egemaps::{FUNCTIONALS, Functionals, LLD_COUNT, LLDS, Lld};
use crate::table::{Cell, ColumnData, ColumnSpec, CutOff, Kind, TableBuilder};

/// The name of an eGeMAPS column.
fn name(entry: &str) -> String {
    format!("egemaps_{entry}")
}

/// The 25 descriptors for the `voice` table of `frames` rows. openSMILE has no frame for the last 40 ms of a signal: there, and where a
/// descriptor is not defined (unvoiced), it is null.
pub fn lld_columns(lld: &Lld, frames: usize) -> Vec<(ColumnSpec, ColumnData)> {
    let own = lld.frames();
    let values = |c: usize| (0..frames).map(|i| if i < own { lld.value(c, i).unwrap_or(f32::NAN) } else { f32::NAN }).collect();
    lld_specs().into_iter().zip(0..LLD_COUNT).map(|(spec, c)| (spec, ColumnData::F32(values(c)))).collect()
}

/// Contract of the 25 descriptors.
pub fn lld_specs() -> Vec<ColumnSpec> {
    LLDS.iter().map(|e| ColumnSpec::new(name(e.name), Kind::F32, e.unit, e.description)).collect()
}

/// Contract of the 88 functionals and the reason why some are null.
pub fn functional_specs(cut_off: CutOff) -> Vec<ColumnSpec> {
    let mut specs: Vec<ColumnSpec> =
        FUNCTIONALS.iter().map(|e| ColumnSpec::new(name(e.name), Kind::F64, e.unit, e.description).until(cut_off)).collect();
    let why = "Why eGeMAPS columns are null: too_short, silent, unvoiced (those that need voice), no_stream, past_end.";
    specs.push(ColumnSpec::new("egemaps_missing", Kind::Str, "", why).until(cut_off));
    specs
}

/// The values for [`functional_specs`], in its order.
pub fn functional_cells(functionals: &Functionals) -> Vec<Cell> {
    functionals.values.iter().map(|&v| Cell::from(v)).chain([Cell::from(functionals.missing)]).collect()
}

/// Writes the 88 functionals into the current row.
pub fn fill_functionals(functionals: &Functionals, table: &mut TableBuilder) {
    static NAMES: std::sync::LazyLock<Vec<String>> = std::sync::LazyLock::new(|| FUNCTIONALS.iter().map(|e| name(e.name)).collect());
    for (name, value) in NAMES.iter().zip(functionals.values).filter(|(_, value)| value.is_some()) {
        table.set(name, value);
    }
    table.set("egemaps_missing", functionals.missing);
}
