//! Tables as CSV, and what CSV cannot say in a JSON file beside each: types, units, descriptions, and what made the
//! table.
//!
//! The file beside is the W3C's ["Metadata Vocabulary for Tabular Data"](https://www.w3.org/TR/tabular-metadata/),
//! found by its name `a.csv-metadata.json`; what the vocabulary has no word for is under `urn:turnwise:`.

use std::collections::BTreeMap;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use csv::StringRecord;
use serde::{Deserialize, Serialize};

use super::appended;
use crate::error::{Cause, Error, Result};
use crate::store::parquet::{FileMetadata, OutColumn};
use crate::store::parts::{PART_ROWS, part_of};
use crate::store::read::{StoredSchema, StoredTable};
use crate::store::rows::OutRows;
use crate::store::whole::write_whole;
use crate::table::{ColumnData, ColumnSpec, CutOff, Kind, Modality};
use crate::text::clean;

/// Behind the name of the CSV file.
pub(super) const METADATA_SUFFIX: &str = "-metadata.json";

const CONTEXT: &str = "http://www.w3.org/ns/csvw";

/// Rows between two signs of life.
const PULSE_ROWS: usize = 1 << 12;

/// The file beside.
#[derive(Serialize, Deserialize)]
struct Beside {
    #[serde(rename = "@context")]
    context: String,
    /// The CSV file's name.
    url: String,
    #[serde(rename = "dc:title")]
    table: String,
    #[serde(rename = "dc:description")]
    description: String,
    #[serde(rename = "tableSchema")]
    schema: Columns,
    #[serde(rename = "urn:turnwise:rows")]
    rows: usize,
    #[serde(rename = "urn:turnwise:schema_version")]
    schema_version: String,
    #[serde(rename = "urn:turnwise:tool_version")]
    tool_version: String,
    #[serde(rename = "urn:turnwise:recipe_hash")]
    recipe_hash: String,
    #[serde(rename = "urn:turnwise:recipe")]
    recipe: String,
    #[serde(rename = "urn:turnwise:models")]
    models: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
struct Columns {
    columns: Vec<BesideColumn>,
}

#[derive(Serialize, Deserialize)]
struct BesideColumn {
    /// The name in the first line.
    titles: String,
    /// The vocabulary's own word for the type.
    datatype: String,
    #[serde(rename = "dc:description")]
    description: String,
    #[serde(rename = "schema:unitText")]
    unit: String,
    #[serde(rename = "urn:turnwise:type")]
    kind: String,
    #[serde(rename = "urn:turnwise:cut_off")]
    cut_off: String,
    #[serde(rename = "urn:turnwise:modality")]
    modality: String,
    /// Not in files of earlier versions. The vocabulary's `dc:source`.
    #[serde(rename = "dc:source", default)]
    source: String,
}

/// The vocabulary's word.
fn datatype(kind: Kind) -> &'static str {
    match kind {
        Kind::F32 => "float",
        Kind::F64 => "double",
        Kind::I64 => "long",
        Kind::Str => "string",
        Kind::Bool => "boolean",
        Kind::F32List | Kind::StrList => "json",
    }
}

/// Writes the file beside, then the table.
pub(super) fn write(path: &Path, rows: &OutRows<'_>, metadata: &FileMetadata) -> Result<()> {
    let table = rows.table;
    table.refuse_twins(path)?;
    let column = |c: &OutColumn<'_>| BesideColumn {
        titles: c.name.to_owned(),
        datatype: datatype(c.kind).into(),
        description: c.description.to_owned(),
        unit: c.unit.to_owned(),
        kind: c.kind.name().into(),
        cut_off: c.cut_off.to_owned(),
        modality: c.modality.to_owned(),
        source: c.source.to_owned(),
    };
    let beside = Beside {
        context: CONTEXT.into(),
        url: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        table: table.name.to_owned(),
        description: table.description.to_owned(),
        schema: Columns { columns: table.columns.iter().map(column).collect() },
        rows: table.rows,
        schema_version: metadata.schema_version.clone(),
        tool_version: metadata.tool_version.clone(),
        recipe_hash: metadata.recipe_hash.clone(),
        recipe: metadata.recipe.clone(),
        models: metadata.models.clone(),
    };
    write_whole(&metadata_path(path), |file| {
        serde_json::to_writer_pretty(&mut *file, &beside)?;
        Ok(file.write_all(b"\n")?)
    })?;
    write_whole(path, |file| lines(file, rows))
}

fn lines(file: &mut impl Write, rows: &OutRows<'_>) -> Result<(), Cause> {
    let mut writer = csv::Writer::from_writer(file);
    writer.write_record(rows.table.columns.iter().map(|c| c.name))?;
    rows.each_group(|columns, group| {
        for row in group {
            for column in columns {
                writer.write_field(column.data.map(|data| cell(data, row)).transpose()?.unwrap_or_default())?;
            }
            writer.write_record(None::<&[u8]>)?;
            if row % PULSE_ROWS == 0 {
                crate::pulse::beat();
            }
        }
        Ok(())
    })?;
    Ok(writer.flush()?)
}

/// Numbers in the fewest digits that read back as the same number; nothing for what is missing.
fn cell(data: &ColumnData, row: usize) -> Result<String, Cause> {
    Ok(match data {
        ColumnData::F32(v) if v[row].is_finite() => v[row].to_string(),
        ColumnData::F64(v) if v[row].is_finite() => v[row].to_string(),
        ColumnData::F32(_) | ColumnData::F64(_) => String::new(),
        ColumnData::I64(v) => v[row].map(|x| x.to_string()).unwrap_or_default(),
        ColumnData::Bool(v) => v[row].map(|x| x.to_string()).unwrap_or_default(),
        ColumnData::Str(v) => v[row].as_deref().map(|t| clean(t).into_owned()).unwrap_or_default(),
        // What is no finite number is null in JSON.
        ColumnData::F32List(v) => v[row].as_ref().map(serde_json::to_string).transpose()?.unwrap_or_default(),
        ColumnData::StrList(v) => {
            let fit = |list: &Vec<String>| list.iter().map(|t| clean(t).into_owned()).collect::<Vec<_>>();
            v[row].as_ref().map(|list| serde_json::to_string(&fit(list))).transpose()?.unwrap_or_default()
        }
    })
}

/// The table's columns, from the file beside.
pub(super) fn schema(path: &Path) -> Result<StoredSchema> {
    // A folder, and a file that is not there, are told as such.
    crate::file::open(path)?;
    let beside_path = metadata_path(path);
    let text = match std::fs::read(&beside_path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            let what = format!(
                "no {} beside it tells the types of its columns",
                beside_path.file_name().unwrap_or_default().display()
            );
            let hint = "keep the two files together, or write the table again".into();
            return Err(Error::Damaged { path: path.into(), line: 0, what, hint });
        }
        Err(source) => return Err(Error::Read { path: beside_path, source }),
    };
    let beside: Beside =
        serde_json::from_slice(&text).map_err(|e| Error::damaged(&beside_path, e.line(), e.to_string()))?;
    let column = |c: BesideColumn| {
        let kind = Kind::from_name(&c.kind).ok_or_else(|| {
            Error::damaged(&beside_path, 0, format!("column {:?} is of the unknown type {:?}", c.titles, c.kind))
        })?;
        Ok(ColumnSpec::new(c.titles, kind, c.unit, c.description)
            .until(CutOff::from_name(&c.cut_off).unwrap_or(CutOff::Untold))
            .of(Modality::from_name(&c.modality).unwrap_or(Modality::Untold))
            .from_source(c.source))
    };
    Ok(StoredSchema {
        table: beside.table,
        description: beside.description,
        columns: beside.schema.columns.into_iter().map(column).collect::<Result<_>>()?,
        rows: beside.rows,
        metadata: FileMetadata {
            schema_version: beside.schema_version,
            tool_version: beside.tool_version,
            recipe: beside.recipe,
            recipe_hash: beside.recipe_hash,
            models: beside.models,
        },
    })
}

/// The values of the columns of `schema`, which may be some of the file's.
pub(super) fn values(path: &Path, schema: StoredSchema) -> Result<StoredTable> {
    let mut columns = nothing(&schema);
    rows_of(path, &schema, usize::MAX, &mut columns, &mut |_| {})?;
    Ok(StoredTable { schema, columns })
}

/// The same, some rows at a time.
pub(super) fn parts(path: &Path, schema: &StoredSchema, visit: &mut dyn FnMut(&StoredTable)) -> Result<()> {
    let mut columns = nothing(schema);
    let mut show = |columns: &mut Vec<ColumnData>| {
        let rows = columns.first().map_or(0, ColumnData::len);
        if rows > 0 {
            let full = std::mem::replace(columns, nothing(schema));
            visit(&StoredTable { schema: part_of(schema, rows), columns: full });
        }
    };
    rows_of(path, schema, PART_ROWS, &mut columns, &mut show)?;
    show(&mut columns);
    Ok(())
}

fn nothing(schema: &StoredSchema) -> Vec<ColumnData> {
    schema.columns.iter().map(|c| ColumnData::missing(c.kind, 0)).collect()
}

/// Reads the rows into `columns`, and calls `full` after each `part` of them.
fn rows_of(
    path: &Path,
    schema: &StoredSchema,
    part: usize,
    columns: &mut Vec<ColumnData>,
    full: &mut dyn FnMut(&mut Vec<ColumnData>),
) -> Result<()> {
    let failed = |e: csv::Error| {
        let line = e.position().map_or(0, |p| p.line() as usize);
        Error::damaged(path, line, format!("not a whole CSV table ({e})"))
    };
    let mut reader = csv::Reader::from_reader(BufReader::new(crate::file::open(path)?));
    let names = reader.headers().map_err(failed)?.clone();
    let mut places = Vec::new();
    for column in &schema.columns {
        let place = names.iter().position(|n| n == column.name).ok_or_else(|| {
            Error::damaged(
                path,
                1,
                format!("the column {:?} that {METADATA_SUFFIX} tells of is not there", column.name),
            )
        })?;
        places.push(place);
    }
    let (mut record, mut rows) = (StringRecord::new(), 0);
    while reader.read_record(&mut record).map_err(failed)? {
        rows += 1;
        for ((data, place), column) in columns.iter_mut().zip(&places).zip(&schema.columns) {
            let text = record.get(*place).unwrap_or_default();
            if !push(data, text) {
                let line = record.position().map_or(0, |p| p.line() as usize);
                let what = format!("{text:?} in the column {} is no {}", column.name, column.kind.name());
                return Err(Error::damaged(path, line, what));
            }
        }
        if rows % part == 0 {
            crate::pulse::beat();
            full(columns);
        }
    }
    if rows != schema.rows {
        let what = format!("it has {rows} rows, {} are told by the file beside it", schema.rows);
        return Err(Error::damaged(path, 0, what));
    }
    Ok(())
}

/// Appends the value that the text is; false for a text that is none.
fn push(data: &mut ColumnData, text: &str) -> bool {
    fn parsed<T: std::str::FromStr>(text: &str) -> Option<Option<T>> {
        if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) }
    }
    fn listed<T: serde::de::DeserializeOwned>(text: &str) -> Option<Option<Vec<T>>> {
        if text.is_empty() { Some(None) } else { serde_json::from_str(text).ok().map(Some) }
    }
    match data {
        ColumnData::F32(v) => parsed(text).map(|x| v.push(x.unwrap_or(f32::NAN))).is_some(),
        ColumnData::F64(v) => parsed(text).map(|x| v.push(x.unwrap_or(f64::NAN))).is_some(),
        ColumnData::I64(v) => parsed(text).map(|x| v.push(x)).is_some(),
        ColumnData::Bool(v) => parsed(text).map(|x| v.push(x)).is_some(),
        ColumnData::Str(v) => {
            v.push((!text.is_empty()).then(|| text.to_owned()));
            true
        }
        ColumnData::F32List(v) => {
            let numbers = |list: Vec<Option<f32>>| list.into_iter().map(|x| x.unwrap_or(f32::NAN)).collect();
            listed(text).map(|x| v.push(x.map(numbers))).is_some()
        }
        ColumnData::StrList(v) => listed(text).map(|x| v.push(x)).is_some(),
    }
}

fn metadata_path(path: &Path) -> PathBuf {
    appended(path, METADATA_SUFFIX)
}
