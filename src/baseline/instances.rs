//! A task table read back: instances with labels and candidates, and the features as columns sorted by modality.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::{Error, Result};
use crate::store::read::{StoredTable, read, read_columns};
use crate::table::{ColumnData, ColumnSpec, CutOff, Kind, Modality};
use crate::tasks::LabelUnit;
use crate::transcript::rescue::{COUPLE, FAMILY};

/// Features that a refusal names; a table can have hundreds.
const NAMED: usize = 5;

/// What a linear model looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ablation {
    /// The features of one sense alone.
    Only(Modality),
    /// Everything.
    All,
}

impl Ablation {
    /// All of them, in the order of reports.
    pub fn each() -> impl Iterator<Item = Ablation> {
        let senses = Modality::ALL.into_iter().filter(|m| *m != Modality::None);
        senses.map(Ablation::Only).chain([Ablation::All])
    }

    /// As written in reports.
    pub fn name(self) -> &'static str {
        match self {
            Ablation::Only(modality) => modality.name(),
            Ablation::All => "all",
        }
    }

    /// True where it looks at what is of that sense.
    pub(super) fn shows(self, modality: Modality) -> bool {
        self == Ablation::All || self == Ablation::Only(modality)
    }
}

/// One instance.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TaskRow {
    pub(super) id: String,
    pub(super) interview_id: String,
    /// couple or family; empty where the task has no such thing.
    pub(super) group: String,
    /// What no fold may part.
    pub(super) split_group: String,
    pub(super) speaker: String,
    pub(super) label: String,
    /// Level or number.
    pub(super) value: Option<f64>,
    /// VP: targets of the speaker's viewpoints, each once.
    pub(super) targets: Vec<String>,
    pub(super) candidates: Vec<String>,
    /// By candidate, in the order of [`TaskTable::facts`]; NaN = missing.
    pub(super) facts: Vec<Vec<f64>>,
}

/// A feature of all instances; NaN = missing.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Feature {
    pub(super) name: String,
    /// As its table declares it; of no sense = looked at together with all others only.
    pub(super) modality: Modality,
    /// Told by the task itself: in every ablation.
    pub(super) given: bool,
    pub(super) values: Vec<f64>,
}

/// A task table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TaskTable {
    pub(super) rule: String,
    pub(super) kind: String,
    pub(super) rows: Vec<TaskRow>,
    pub(super) features: Vec<Feature>,
    /// Names of the candidates' facts.
    pub(super) facts: Vec<String>,
    /// The closed set is the labels seen, where the benchmark has a taxonomy.
    pub(super) labels_seen: bool,
    /// What features and facts are, by name.
    pub(super) about: BTreeMap<String, About>,
}

impl TaskTable {
    /// Whether an ablation looks at a fact about candidates: one of no sense is of who spoke when.
    pub(super) fn shows_fact(&self, ablation: Ablation, name: &str) -> bool {
        let of = self.about.get(name).map_or(Modality::None, |a| a.modality);
        ablation.shows(if of == Modality::None { Modality::Timing } else { of })
    }
}

/// What a column is, as its table tells it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct About {
    pub(super) unit: String,
    pub(super) description: String,
    pub(super) modality: Modality,
}

impl Default for About {
    fn default() -> Self {
        About { unit: String::new(), description: String::new(), modality: Modality::None }
    }
}

/// Columns of a task's table that are no features.
const LABEL_COLUMNS: [&str; 16] = [
    "interview_id",
    "instance_id",
    "group",
    "split_group",
    "rule",
    "kind",
    "unit",
    "speaker",
    "label",
    "label_intensity",
    "label_value",
    "label_viewpoints",
    "candidates",
    "closed_set",
    "known_support_target",
    "turn_index",
];

/// Reads `path`; a table without rows has neither rule nor kind.
///
/// # Errors
/// [`Error::Parse`] for what is no task table; [`Error::Usage`] naming features whose cut-off passes the instance's.
pub(super) fn read_instances(path: &Path) -> Result<TaskTable> {
    let table = read(path)?;
    let mut found = rows_of(path, &table)?;
    // Dyads, pairs and interviews are looked at when they are over; those of a window when that is.
    let of_window = table.number("window_end_secs", 0).is_some_and(f64::is_finite);
    let limit = match table.text("unit", 0).and_then(LabelUnit::from_name) {
        Some(LabelUnit::Dyad | LabelUnit::Interview | LabelUnit::Pair) if !of_window => CutOff::Interview,
        _ => CutOff::TurnEnd,
    };
    found.features = features(path, &table, limit)?;
    found.features.extend(given(&table));
    found.about = about(&table);
    Ok(found)
}

/// Reads the instances and their labels, and no feature.
///
/// # Errors
/// [`Error::Parse`] for what is no task table.
pub(super) fn read_rows(path: &Path) -> Result<TaskTable> {
    rows_of(path, &read_columns(path, &LABEL_COLUMNS)?)
}

fn rows_of(path: &Path, table: &StoredTable) -> Result<TaskTable> {
    for name in ["interview_id", "instance_id", "split_group", "rule", "kind", "label"] {
        if table.column(name).is_none() {
            return Err(Error::parse(
                path,
                0,
                format!("no task table: it has no column {name:?}"),
                "make it with turnwise tasks",
            ));
        }
    }
    let text = |name: &str, row: usize| table.text(name, row).unwrap_or_default().to_owned();
    let is_fact = |name: &str, kind| kind == Kind::F32List && name.starts_with("candidates_");
    let facts: Vec<String> =
        table.schema().columns.iter().filter(|c| is_fact(&c.name, c.kind)).map(|c| c.name.to_string()).collect();
    let rows: Vec<TaskRow> = (0..table.rows())
        .map(|row| {
            let candidates = table.texts("candidates", row).unwrap_or_default().to_vec();
            TaskRow {
                id: text("instance_id", row),
                interview_id: text("interview_id", row),
                group: text("group", row),
                split_group: text("split_group", row),
                speaker: text("speaker", row),
                label: text("label", row),
                value: table.number("label_intensity", row).or_else(|| table.number("label_value", row)),
                targets: targets(table, row),
                facts: facts_of(table, &facts, row, candidates.len()),
                candidates,
            }
        })
        .collect();
    let labels_seen = (0..rows.len()).any(|row| table.text("closed_set", row) == Some("labels_seen"));
    let (rule, kind) = (text("rule", 0), text("kind", 0));
    Ok(TaskTable { rule, kind, rows, facts, labels_seen, ..TaskTable::default() })
}

/// The numeric columns that look no further than `limit`.
fn features(path: &Path, table: &StoredTable, limit: CutOff) -> Result<Vec<Feature>> {
    let is_feature = |spec: &ColumnSpec| {
        matches!(spec.kind, Kind::F32 | Kind::F64 | Kind::I64 | Kind::Bool) && spec.name.contains('@')
    };
    let columns = || table.schema().columns.iter().zip(table.columns()).filter(|(spec, _)| is_feature(spec));
    let refuse = |what: &str, names: Vec<String>| {
        Err(Error::Usage {
            what: format!("{}: {what}: {}", path.display(), names.join(", ")),
            hint: "make the table again with turnwise tasks".into(),
        })
    };
    let leaks = columns().filter(|(spec, _)| spec.cut_off.leaks_past(limit));
    let leaks: Vec<String> = leaks.map(|(spec, _)| format!("{} (cut-off {})", spec.name, spec.cut_off)).collect();
    if !leaks.is_empty() {
        return refuse("these features look past the instance's cut-off", leaks);
    }
    let senseless = columns().filter(|(spec, _)| spec.modality == Modality::Untold).take(NAMED);
    let senseless: Vec<String> = senseless.map(|(spec, _)| spec.name.to_string()).collect();
    if !senseless.is_empty() {
        return refuse(
            "written by an older version, it does not say what sense its features come from, such as",
            senseless,
        );
    }
    let feature = |(spec, data): (&ColumnSpec, &ColumnData)| Feature {
        name: spec.name.to_string(),
        modality: spec.modality,
        given: false,
        values: numbers(data),
    };
    Ok(columns().map(feature).collect())
}

/// What the columns are; of what the task itself tells, that.
fn about(table: &StoredTable) -> BTreeMap<String, About> {
    let columns = &table.schema().columns;
    let of = |spec: &ColumnSpec| {
        let (unit, description) = (spec.unit.to_string(), spec.description.to_string());
        (spec.name.to_string(), About { unit, description, modality: spec.modality })
    };
    let mut found: BTreeMap<String, About> = columns.iter().map(of).collect();
    for (name, column, what) in [
        (TARGET_IS_GROUP, "known_support_target", "Whether the group is supported, which the task tells."),
        (EMOTION_INTENSITY, "known_emotion_intensity", ""),
    ] {
        let mut about = found.get(column).cloned().unwrap_or_default();
        if !what.is_empty() {
            about.description = what.into();
        }
        found.insert(name.into(), about);
    }
    found
}

/// Features that the task itself tells.
const TARGET_IS_GROUP: &str = "given.target_is_group";
const EMOTION_INTENSITY: &str = "given.emotion_intensity";

/// What the task itself tells: whether the support is for the group, and how strongly the target felt last.
fn given(table: &StoredTable) -> Vec<Feature> {
    let made = |name: &str, value: &dyn Fn(usize) -> f64| Feature {
        name: name.to_owned(),
        modality: Modality::None,
        given: true,
        values: (0..table.rows()).map(value).collect(),
    };
    let is_group = |row| match table.text("known_support_target", row) {
        Some(target) => f64::from(u8::from(target == COUPLE || target == FAMILY)),
        None => f64::NAN,
    };
    let felt = |row| table.number("known_emotion_intensity", row).unwrap_or(f64::NAN);
    let all = [made(TARGET_IS_GROUP, &is_group), made(EMOTION_INTENSITY, &felt)];
    all.into_iter().filter(|f| f.values.iter().any(|v| v.is_finite())).collect()
}

fn targets(table: &StoredTable, row: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for text in table.texts("label_viewpoints", row).unwrap_or_default() {
        let target = serde_json::from_str::<serde_json::Value>(text)
            .ok()
            .and_then(|v| Some(v.get("target")?.as_str()?.to_owned()));
        found.extend(target.filter(|t| !found.contains(t)));
    }
    found
}

fn facts_of(table: &StoredTable, names: &[String], row: usize, candidates: usize) -> Vec<Vec<f64>> {
    let list = |name: &String| match table.column(name) {
        Some(ColumnData::F32List(v)) => v.get(row).cloned().flatten().unwrap_or_default(),
        _ => Vec::new(),
    };
    let lists: Vec<Vec<f32>> = names.iter().map(list).collect();
    let value = |list: &Vec<f32>, c: usize| list.get(c).map_or(f64::NAN, |x| f64::from(*x));
    (0..candidates).map(|c| lists.iter().map(|l| value(l, c)).collect()).collect()
}

fn numbers(data: &ColumnData) -> Vec<f64> {
    let or_nan = |x: f64| if x.is_finite() { x } else { f64::NAN };
    match data {
        ColumnData::F32(v) => v.iter().map(|x| or_nan(f64::from(*x))).collect(),
        ColumnData::F64(v) => v.iter().map(|x| or_nan(*x)).collect(),
        ColumnData::I64(v) => v.iter().map(|x| x.map_or(f64::NAN, |x| x as f64)).collect(),
        ColumnData::Bool(v) => v.iter().map(|x| x.map_or(f64::NAN, |x| f64::from(u8::from(x)))).collect(),
        ColumnData::Str(_) | ColumnData::F32List(_) | ColumnData::StrList(_) => Vec::new(),
    }
}
