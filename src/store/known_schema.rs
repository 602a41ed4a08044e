//! The Arrow schemas of tables, made once for all interviews.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use polars::prelude::ArrowSchema;
use polars_parquet::write::schema_to_metadata_key;

use crate::store::parquet::{OutTable, arrow_field};

/// The columns with their metadata as Arrow's schema. That of each table is kept: an interview's tables are the next
/// one's, and making theirs takes longer than hearing a short clip.
pub(super) fn arrow_schema(table: &OutTable) -> String {
    static KNOWN: Mutex<BTreeMap<String, (String, String)>> = Mutex::new(BTreeMap::new());
    let mut columns = String::new();
    for c in &table.columns {
        for part in [c.name, c.unit, c.description, c.cut_off, c.modality, c.source, c.kind.name()] {
            columns.push_str(part);
            columns.push('\0');
        }
    }
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    match known.get(table.name) {
        Some((of, schema)) if *of == columns => schema.clone(),
        _ => {
            let made = schema_to_metadata_key(&ArrowSchema::from_iter(table.columns.iter().map(arrow_field)));
            let schema = made.value.unwrap_or_default();
            known.insert(table.name.to_owned(), (columns, schema.clone()));
            schema
        }
    }
}
