//! Labels from outside: a CSV or Parquet table keyed by turn, ordered dyad or interview, or a text field of the
//! annotations' rows.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::agreement_of_raters::Agreement;
use super::levels::{levels_alike, number};
use super::rescue::group_of;
use super::rule::AnswerKind;
use super::settings::{LabelUnit, Labels, Task};
use super::sides::pair;
use crate::error::{Error, Result};
use crate::sheet::Sheet;
use crate::spelling::meant;
use crate::store::read::read;
use crate::table::ColumnData;
use crate::text::clean;
use crate::transcript::rescue::{Row, Sample};

/// One label and what it is of.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Label {
    pub(super) interview_id: String,
    /// LabelUnit turn.
    pub(super) turn_index: Option<u32>,
    /// LabelUnit dyad: who does it.
    pub(super) source: String,
    /// LabelUnit dyad: to whom.
    pub(super) target: String,
    pub(super) text: String,
    /// Ordinal: the level from 0; regression: the number.
    pub(super) value: Option<f64>,
    pub(super) group: String,
    /// Of continuous ratings: from and to.
    pub(super) window: Option<(f64, f64)>,
    /// How many raters there are in it.
    pub(super) raters: Option<usize>,
    /// How far the raters of the series agree.
    pub(super) agreement: Option<Agreement>,
}

/// The labels of a task, sorted by their keys, each key once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LabelTable {
    pub(super) labels: Vec<Label>,
    /// The classes or levels; empty for numbers, texts and pairs.
    pub(super) levels: Vec<String>,
    /// What is told of where they come from.
    pub(super) told: Vec<String>,
}

impl LabelTable {
    /// The interviews that have labels, sorted.
    pub(super) fn interviews(&self) -> Vec<&str> {
        let ids: BTreeSet<&str> = self.labels.iter().map(|l| l.interview_id.as_str()).collect();
        ids.into_iter().collect()
    }
}

/// Cells as text by column; rows with their place in the file.
struct Cells {
    columns: BTreeMap<String, Vec<String>>,
    /// The line of each row; 0 where the file has no lines.
    lines: Vec<usize>,
}

/// Reads the labels of a task's file. An empty label is no label.
///
/// # Errors
/// [`Error::Read`]; [`Error::Parse`] naming line and column for a missing column, an empty or repeated key, a label
/// outside the levels or that is no number where one is needed.
pub(super) fn read_labels(task: &Task, labels: &Labels) -> Result<LabelTable> {
    let path = labels.file.as_deref().unwrap_or(Path::new(""));
    let is_parquet = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("parquet"));
    let cells = if is_parquet { parquet_cells(path)? } else { csv_cells(path)? };
    let keys: &[&str] = match labels.unit {
        LabelUnit::Turn => &["interview_id", "turn_index"],
        LabelUnit::Dyad => &["interview_id", "source", "target"],
        LabelUnit::Interview | LabelUnit::Window => &["interview_id"],
        LabelUnit::Pair => &["interview_id", "first", "second"],
    };
    for name in keys.iter().copied().chain([labels.column.as_str()]).chain(labels.group.as_deref()) {
        if !cells.columns.contains_key(name) {
            let there = cells.columns.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            return Err(Error::parse(
                path,
                0,
                format!("no column {name:?}{}", meant(name, cells.columns.keys().map(String::as_str))),
                format!("task {} needs it; there are {there}", task.name),
            ));
        }
    }
    let mut found: Vec<Label> = Vec::new();
    let mut groups: BTreeMap<String, String> = BTreeMap::new();
    let mut blank = 0;
    refuse_unused(path, task, labels, &cells)?;
    for (row, line) in cells.lines.iter().copied().enumerate() {
        let cell = |name: &str| cells.columns.get(name).map_or("", |c| c[row].trim());
        let fail = |what: String, hint: &str| Err(Error::parse(path, line, what, hint));
        if cell(&labels.column).is_empty() {
            blank += 1;
            continue;
        }
        if let Some(key) = keys.iter().find(|k| cell(k).is_empty()) {
            return fail(format!("{key} is empty"), "every label needs its key");
        }
        let mut label = Label {
            interview_id: cell("interview_id").to_owned(),
            text: cell(&labels.column).to_owned(),
            ..Label::default()
        };
        match labels.unit {
            LabelUnit::Turn => {
                let Ok(turn) = cell("turn_index").parse::<u32>() else {
                    let what = format!("turn_index {:?} is no whole number", cell("turn_index"));
                    return fail(what, "count turns from 1");
                };
                label.turn_index = Some(turn);
            }
            LabelUnit::Dyad if cell("source") == cell("target") => {
                return fail(format!("{:?} towards themselves", cell("source")), "a dyad has two people");
            }
            LabelUnit::Dyad => (label.source, label.target) = (cell("source").to_owned(), cell("target").to_owned()),
            LabelUnit::Pair => {
                if let Err(what) = pair(&mut label, cell("first"), cell("second")) {
                    return fail(what, "a judgement is between two people and names one of them");
                }
            }
            LabelUnit::Interview | LabelUnit::Window => {}
        }
        let group = labels.group.as_deref().map(cell);
        if group.is_some_and(str::is_empty) {
            let what = format!("no group of {}", label.interview_id);
            return fail(what, "fill the group's column: folds are parted by it");
        }
        label.group = group.unwrap_or_else(|| group_of(&label.interview_id)).to_owned();
        let known = groups.entry(label.interview_id.clone()).or_insert_with(|| label.group.clone());
        if *known != label.group {
            let what = format!("{} is of the groups {known} and {}", label.interview_id, label.group);
            return fail(what, "one group an interview: a fold must not part it");
        }
        found.push(label);
    }
    if blank > 0 {
        tracing::warn!("{}: {blank} rows have no {}; they are no instances", path.display(), labels.column);
    }
    if found.is_empty() {
        return Err(Error::parse(path, 0, "no labels", format!("fill the column {}", labels.column)));
    }
    finish(path, labels, found)
}

/// A table may hold labels of other tasks. What tells of groups or of a finer unit changes what the labels mean, and is
/// not passed over.
fn refuse_unused(path: &Path, task: &Task, labels: &Labels, cells: &Cells) -> Result<()> {
    let there = |name: &str| cells.columns.contains_key(name);
    let refuse =
        |what: String, hint: &str| Err(Error::parse(path, usize::from(cells.lines.first() != Some(&0)), what, hint));
    if labels.group.is_none() && labels.column != "group" && there("group") {
        let hint = "write group = \"group\" under [task.labels] if no fold may part them, or call the column x_group";
        return refuse(format!("task {} does not use the column \"group\"", task.name), hint);
    }
    if labels.unit != LabelUnit::Turn && labels.column != "turn_index" && there("turn_index") {
        let hint = "use unit = \"turn\", or call the column x_turn_index";
        return refuse(
            format!("task {} is of unit {} and the labels are of turns", task.name, labels.unit.name()),
            hint,
        );
    }
    Ok(())
}

/// The labels that a text field of the annotations' rows holds; empty fields are none.
///
/// # Errors
/// [`Error::Recipe`] for a field that is not known; [`Error::Parse`] as in [`read_labels`].
pub(super) fn field_labels(task: &Task, labels: &Labels, samples: &[Sample]) -> Result<LabelTable> {
    let field = labels.field.as_deref().unwrap_or_default();
    let get: fn(&Row) -> &str = match field {
        "utterance_type" => |r| &r.utterance_type,
        "tone_of_voice" => |r| &r.tone_of_voice,
        "relation_cycle_state" => |r| &r.relation_cycle_state,
        "relation_pattern" => |r| &r.relation_pattern,
        "primary_speaker" => |r| &r.primary_speaker,
        "strategy_type" => |r| r.support_strategy.first().map_or("", |s| &s.strategy_type),
        _ => {
            let known =
                "utterance_type, tone_of_voice, relation_cycle_state, relation_pattern, primary_speaker, strategy_type";
            return Err(Error::Recipe {
                place: format!("task {}", task.name),
                what: format!("no annotation field {field:?}; there are {known}"),
            });
        }
    };
    let mut found = Vec::new();
    for sample in samples {
        for row in sample.rows.iter().filter(|r| !get(r).is_empty()) {
            found.push(Label {
                interview_id: sample.id.clone(),
                turn_index: Some(row.row_index),
                text: get(row).to_owned(),
                group: group_of(&sample.id).to_owned(),
                ..Label::default()
            });
        }
    }
    finish(Path::new(field), labels, found)
}

/// Sorts, finds the levels, gives each label its value.
pub(super) fn finish(path: &Path, labels: &Labels, mut found: Vec<Label>) -> Result<LabelTable> {
    let key = |l: &Label| (l.interview_id.clone(), l.turn_index, l.source.clone(), l.target.clone());
    found.sort_by_key(key);
    if let Some(twice) = found.windows(2).find(|w| key(&w[0]) == key(&w[1])) {
        let (id, turn, source, target) = key(&twice[0]);
        let turn = turn.map(|t| format!(", turn {t}")).unwrap_or_default();
        let pair = if source.is_empty() { String::new() } else { format!(", {source} towards {target}") };
        return Err(Error::parse(path, 0, format!("two labels of {id}{turn}{pair}"), "one label for each key"));
    }
    let mut levels = labels.levels.clone();
    if labels.unit == LabelUnit::Pair {
        return Ok(LabelTable { labels: found, levels, told: Vec::new() });
    }
    if levels.is_empty() && !matches!(labels.kind, AnswerKind::Regression | AnswerKind::Text) {
        levels = found.iter().map(|l| l.text.clone()).collect::<BTreeSet<_>>().into_iter().collect();
        let numbers: Option<Vec<f64>> = levels.iter().map(|l| number(l)).collect();
        if let Some(numbers) = numbers {
            let mut pairs: Vec<(f64, String)> = numbers.into_iter().zip(levels).collect();
            pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
            levels = pairs.into_iter().map(|(_, l)| l).collect();
        } else if labels.kind == AnswerKind::Ordinal {
            return Err(Error::parse(
                path,
                0,
                "levels that are no numbers have no order",
                "list them from lowest to highest as `levels`",
            ));
        }
    }
    if let Some(what) = levels_alike(&levels).filter(|_| labels.levels.is_empty()) {
        return Err(Error::parse(path, 0, what, "write each in one way, or list the ones that are meant as `levels`"));
    }
    if labels.kind == AnswerKind::Binary && levels.len() > 2 {
        let what = format!("{} classes ({}) of a binary label", levels.len(), levels.join(", "));
        return Err(Error::parse(path, 0, what, "use kind = \"multiclass\""));
    }
    for label in &mut found {
        let place = levels.iter().position(|l| *l == label.text);
        label.value = match labels.kind {
            AnswerKind::Regression => number(&label.text),
            AnswerKind::Ordinal => place.map(|p| p as f64),
            _ => None,
        };
        let fits = match labels.kind {
            AnswerKind::Regression => label.value.is_some(),
            AnswerKind::Text => true,
            _ => place.is_some(),
        };
        if !fits {
            let expected =
                if levels.is_empty() { "a number".to_owned() } else { format!("one of {}", levels.join(", ")) };
            return Err(Error::parse(
                path,
                0,
                format!("label {:?} of {}", label.text, label.interview_id),
                format!("expected {expected}"),
            ));
        }
    }
    Ok(LabelTable { labels: found, levels, told: Vec::new() })
}

fn csv_cells(path: &Path) -> Result<Cells> {
    let sheet = Sheet::read(path)?;
    let mut columns: BTreeMap<String, Vec<String>> = sheet.columns().map(|n| (n.to_owned(), Vec::new())).collect();
    let mut changed = 0;
    for (name, column) in &mut columns {
        for row in sheet.rows() {
            // As names and words stand in the tables that they are joined with.
            let cell = clean(row.cell(name).unwrap_or_default());
            changed += usize::from(matches!(cell, Cow::Owned(_)));
            column.push(cell.into_owned());
        }
    }
    if changed > 0 {
        tracing::warn!("{}: {changed} cells held control characters, which were replaced", path.display());
    }
    Ok(Cells { columns, lines: sheet.rows().map(|row| row.line()).collect() })
}

fn parquet_cells(path: &Path) -> Result<Cells> {
    let table = read(path)?;
    let mut columns = BTreeMap::new();
    for (spec, data) in table.schema().columns.iter().zip(table.columns()) {
        let text = |x: f64| if x.is_finite() { x.to_string() } else { String::new() };
        let cells: Vec<String> = match data {
            ColumnData::F32(v) => v.iter().map(|x| if x.is_finite() { x.to_string() } else { String::new() }).collect(),
            ColumnData::F64(v) => v.iter().map(|x| text(*x)).collect(),
            ColumnData::I64(v) => v.iter().map(|x| x.map(|x| x.to_string()).unwrap_or_default()).collect(),
            ColumnData::Bool(v) => v.iter().map(|x| x.map(|x| x.to_string()).unwrap_or_default()).collect(),
            ColumnData::Str(v) => v.iter().map(|x| x.clone().unwrap_or_default()).collect(),
            ColumnData::F32List(_) | ColumnData::StrList(_) => continue,
        };
        columns.insert(spec.name.to_string(), cells);
    }
    Ok(Cells { columns, lines: vec![0; table.rows()] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::LABELS;
    use crate::tasks::settings::Whose;

    fn labels(unit: LabelUnit, kind: AnswerKind, levels: &[&str], text: &str) -> Result<LabelTable> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("l.csv");
        std::fs::write(&path, text).unwrap();
        let labels = Labels {
            unit,
            kind,
            file: Some(path),
            column: "label".into(),
            field: None,
            levels: levels.iter().map(|l| (*l).to_owned()).collect(),
            group: None,
            tier: None,
            min_overlap: None,
            whose: Whose::default(),
            without: None,
            windows: None,
        };
        read_labels(&Task::of(&LABELS), &labels)
    }

    #[test]
    fn labels_are_sorted_and_have_values() {
        let text = "interview_id,turn_index,label\nb/x,10,low\nb/x,2,high\na,1,\n";
        let found = labels(LabelUnit::Turn, AnswerKind::Ordinal, &["low", "mid", "high"], text).unwrap();
        assert_eq!(
            found.labels.iter().map(|l| (l.turn_index, l.value)).collect::<Vec<_>>(),
            [(Some(2), Some(2.0)), (Some(10), Some(0.0))]
        );
        assert_eq!(found.labels[0].group, "b");
        let found =
            labels(LabelUnit::Dyad, AnswerKind::Ordinal, &[], "interview_id,source,target,label\na,X,Y,10\na,Y,X,9\n")
                .unwrap();
        assert_eq!(found.levels, ["9", "10"]);
    }

    #[test]
    fn an_interview_is_of_one_group() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("l.csv");
        let labels = Labels {
            unit: LabelUnit::Turn,
            kind: AnswerKind::Binary,
            file: Some(path.clone()),
            column: "label".into(),
            field: None,
            levels: Vec::new(),
            group: Some("pair".into()),
            tier: None,
            min_overlap: None,
            whose: Whose::default(),
            without: None,
            windows: None,
        };
        for (rows, told) in
            [("a,1,x,g1\na,2,y,g2\n", "l.csv:3: a is of the groups g1 and g2"), ("a,1,x,\n", "no group of a")]
        {
            std::fs::write(&path, format!("interview_id,turn_index,label,pair\n{rows}")).unwrap();
            let e = read_labels(&Task::of(&LABELS), &labels).unwrap_err().to_string();
            assert!(e.contains(told), "{e}");
        }
    }

    #[test]
    fn faults_are_named() {
        let told = |unit, kind, text: &str| labels(unit, kind, &[], text).unwrap_err().to_string();
        for (unit, kind, text, expected) in [
            (LabelUnit::Turn, AnswerKind::Binary, "interview_id,label\na,1\n", "no column \"turn_index\""),
            (
                LabelUnit::Turn,
                AnswerKind::Binary,
                "interview_id,turn_index,label\na,first,1\n",
                "l.csv:2: turn_index \"first\"",
            ),
            (LabelUnit::Dyad, AnswerKind::Binary, "interview_id,source,target,label\na,X,X,1\n", "towards themselves"),
            (
                LabelUnit::Dyad,
                AnswerKind::Binary,
                "interview_id,source,target,label\na,X,Y,1\na,X,Y,0\n",
                "two labels of a, X towards Y",
            ),
            (LabelUnit::Interview, AnswerKind::Binary, "interview_id,label\na,1\nb,2\nc,3\n", "3 classes (1, 2, 3)"),
            (
                LabelUnit::Interview,
                AnswerKind::Regression,
                "interview_id,label\na,many\n",
                "label \"many\" of a; expected a number",
            ),
            (LabelUnit::Interview, AnswerKind::Ordinal, "interview_id,label\na,low\nb,high\n", "have no order"),
            (LabelUnit::Interview, AnswerKind::Regression, "interview_id,label\n,1\n", "interview_id is empty"),
            (
                LabelUnit::Interview,
                AnswerKind::Regression,
                "interview_id,lable\na,1\n",
                "no column \"label\"; did you mean \"lable\"?",
            ),
            (
                LabelUnit::Interview,
                AnswerKind::Regression,
                "interview_id,label,group\na,1,g\n",
                "does not use the column \"group\"; write group =",
            ),
            (
                LabelUnit::Dyad,
                AnswerKind::Regression,
                "interview_id,turn_index,source,target,label\na,1,X,Y,1\n",
                "the labels are of turns",
            ),
            (LabelUnit::Interview, AnswerKind::Regression, "interview_id|label\na|1\n", "separated by bars"),
            (
                LabelUnit::Turn,
                AnswerKind::Binary,
                "interview_id,turn_index,label\n\n,,\na,first,1\n",
                "l.csv:4: turn_index",
            ),
        ] {
            let e = told(unit, kind, text);
            assert!(e.contains(expected), "{e}");
        }
    }
}
