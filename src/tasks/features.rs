//! Features: columns of an output folder's tables, chosen by pattern, refused by name where they looked past the
//! instance's cut-off.

use std::collections::{BTreeMap, BTreeSet};

use super::settings::Task;
use crate::error::{Error, Result};
use crate::store::read::{StoredSchema, StoredTable};
use crate::table::{ColumnData, ColumnSpec, Kind, Modality};

/// A table that features come from; the annotations of the benchmark are never among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FeatureTable {
    /// One row per turn.
    Turns,
    /// One row per turn and face.
    TurnFaces,
    /// One row per turn and listener.
    Dyads,
    /// Codes of tiers beside the speech, laid over the turns.
    Annotations,
}

impl FeatureTable {
    /// All, in the order of a task table's columns.
    pub const ALL: [FeatureTable; 4] =
        [FeatureTable::Turns, FeatureTable::TurnFaces, FeatureTable::Dyads, FeatureTable::Annotations];

    /// Those whose rows say which turn they are of.
    pub const BY_TURN: [FeatureTable; 3] = [FeatureTable::Turns, FeatureTable::TurnFaces, FeatureTable::Dyads];

    /// Table and folder name.
    pub fn name(self) -> &'static str {
        match self {
            FeatureTable::Turns => "turns",
            FeatureTable::TurnFaces => "turn_faces",
            FeatureTable::Dyads => "dyads",
            FeatureTable::Annotations => "annotations",
        }
    }

    /// The one of that name; `None` for a table that features do not come from.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.name() == name)
    }

    /// True of a table that was read from a file of this one.
    pub(super) fn is(self, table: &StoredTable) -> bool {
        table.schema().table == self.name()
    }
}

/// Columns that say which row it is.
const KEYS: [&str; 2] = ["interview_id", "turn_index"];

/// Features that a refusal names; a table can have hundreds.
const NAMED: usize = 5;

/// A column that became a feature.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Feature {
    pub(super) table: FeatureTable,
    /// As its table declares it.
    pub(super) spec: ColumnSpec,
}

impl Feature {
    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.table.name(), self.spec.name)
    }
}

/// The features of a task, in the order of the tables and their columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureSet {
    pub(super) features: Vec<Feature>,
}

impl FeatureSet {
    /// Chooses the numeric and boolean columns that the task's patterns name, from the footers of all interviews'
    /// tables.
    ///
    /// The leak check: an instance may be looked at until the end of its last context row, and a feature is a column of
    /// a context row; so one that looked past its turn's end passes the cut-off, as does one that does not say how far
    /// it looked. Only a dyad or an interview all of whose rows are shown is looked at after the end, and may have what
    /// looked as far.
    ///
    /// # Errors
    /// [`Error::Usage`] naming every leaking feature, or features of which their file does not say what sense they come
    /// from;
    /// [`Error::Recipe`] for a pattern that is none, matches nothing, or names a table that is no source of features.
    pub fn resolve(task: &Task, schemas: &[StoredSchema]) -> Result<Self> {
        let fail = |what: String| Error::Recipe { place: format!("task {}", task.name), what };
        let patterns = |list: &[String]| -> Result<Vec<glob::Pattern>> {
            list.iter().map(|p| glob::Pattern::new(p).map_err(|e| fail(format!("features {p:?}: {e}")))).collect()
        };
        let (wanted, excluded) = (patterns(&task.features)?, patterns(&task.exclude)?);
        for pattern in &wanted {
            let table = pattern.as_str().split('.').next().unwrap_or_default();
            if FeatureTable::from_name(table).is_none() {
                let known = FeatureTable::ALL.map(FeatureTable::name).join(", ");
                return Err(fail(format!(
                    "feature {:?}: {table:?} is no source of features; write TABLE.COLUMN, TABLE one of {known}",
                    pattern.as_str()
                )));
            }
        }
        let limit = task.limit();
        let mut used = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let (mut leaks, mut senseless) = (BTreeSet::new(), BTreeSet::new());
        let mut features: Vec<Feature> = Vec::new();
        let of_table = |t: FeatureTable| schemas.iter().filter(move |s| s.table == t.name()).map(move |s| (t, s));
        for (table, schema) in FeatureTable::ALL.into_iter().flat_map(of_table) {
            for column in schema.columns.iter().filter(|c| is_number(c.kind) && !KEYS.contains(&&*c.name)) {
                let feature = Feature { table, spec: column.clone() };
                let name = feature.name();
                let fits =
                    wanted.iter().enumerate().filter(|(_, p)| p.matches(&name)).map(|(i, _)| i).collect::<Vec<_>>();
                if fits.is_empty() || excluded.iter().any(|p| p.matches(&name)) {
                    continue;
                }
                used.extend(fits);
                if column.cut_off.leaks_past(limit) {
                    leaks.insert(format!("{name} (cut-off {})", column.cut_off));
                } else if column.modality == Modality::Untold {
                    senseless.insert(name);
                } else if seen.insert(name) {
                    features.push(feature);
                }
            }
        }
        if !leaks.is_empty() {
            return Err(Error::Usage {
                what: format!(
                    "task {}: these features look past the instance's cut-off: {}",
                    task.name,
                    leaks.into_iter().collect::<Vec<_>>().join(", ")
                ),
                hint: "take them out of `features`, or list them under `exclude`".into(),
            });
        }
        if !senseless.is_empty() {
            let more = if senseless.len() > NAMED { ", …" } else { "" };
            let some = senseless.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
            return Err(Error::Usage {
                what: format!(
                    "task {}: the tables do not say what sense these features come from, so they were written by an \
                     older version: {some}{more}",
                    task.name
                ),
                hint: "extract the interviews again".into(),
            });
        }
        match wanted.iter().enumerate().find(|(i, _)| !schemas.is_empty() && !used.contains(i)) {
            Some((_, pattern)) => Err(fail(format!("feature {:?} matches no numeric column", pattern.as_str()))),
            None => Ok(FeatureSet { features }),
        }
    }

    /// The columns needed of a table, its turn included.
    pub fn columns_of(&self, table: FeatureTable) -> Vec<&str> {
        let columns = self.features.iter().filter(|f| f.table == table).map(|f| &*f.spec.name);
        std::iter::once("turn_index").chain(columns).collect()
    }

    /// The columns of one table that became features.
    pub(super) fn names_of(&self, table: FeatureTable) -> impl Iterator<Item = &str> {
        self.features.iter().filter(move |f| f.table == table).map(|f| &*f.spec.name)
    }

    /// Number of features.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// True without features.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }
}

fn is_number(kind: Kind) -> bool {
    matches!(kind, Kind::F32 | Kind::F64 | Kind::I64 | Kind::Bool)
}

/// A sample's values: by turn, one for each feature of the set; NaN = missing.
///
/// A table with several rows per turn (one for each face or listener) gives their mean, truth values being 0 and 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampleFeatures {
    rows: BTreeMap<u32, Vec<f64>>,
}

impl SampleFeatures {
    /// Collects the values of a sample from those of its tables that are there.
    pub fn new(set: &FeatureSet, tables: &[StoredTable]) -> Self {
        let mut sums: BTreeMap<u32, Vec<(f64, u32)>> = BTreeMap::new();
        for table in tables {
            let columns: Vec<(usize, &ColumnData)> = set
                .features
                .iter()
                .enumerate()
                .filter(|(_, f)| f.table.is(table))
                .filter_map(|(i, f)| Some((i, table.column(&f.spec.name)?)))
                .collect();
            for row in 0..table.rows() {
                let Some(turn) = table.number("turn_index", row).filter(|t| *t >= 0.0 && *t <= f64::from(u32::MAX))
                else {
                    continue;
                };
                let cells = sums.entry(turn as u32).or_insert_with(|| vec![(0.0, 0); set.features.len()]);
                for (place, data) in &columns {
                    let value = number(data, row);
                    if value.is_finite() {
                        cells[*place].0 += value;
                        cells[*place].1 += 1;
                    }
                }
            }
        }
        let mean = |(sum, n): (f64, u32)| if n == 0 { f64::NAN } else { sum / f64::from(n) };
        SampleFeatures {
            rows: sums.into_iter().map(|(turn, cells)| (turn, cells.into_iter().map(mean).collect())).collect(),
        }
    }

    /// The values of a turn.
    pub(super) fn turn(&self, index: u32) -> Option<&[f64]> {
        self.rows.get(&index).map(Vec::as_slice)
    }
}

pub(super) fn number(data: &ColumnData, row: usize) -> f64 {
    match data {
        ColumnData::F32(v) => f64::from(v[row]),
        ColumnData::F64(v) => v[row],
        ColumnData::I64(v) => v[row].map_or(f64::NAN, |x| x as f64),
        ColumnData::Bool(v) => v[row].map_or(f64::NAN, |x| f64::from(u8::from(x))),
        ColumnData::Str(_) | ColumnData::F32List(_) | ColumnData::StrList(_) => f64::NAN,
    }
}
