//! The labels that predictions are scored against: a task's table, or the benchmark's er.jsonl and vp.jsonl.

use std::path::Path;

use serde_json::Value;

use crate::baseline::instances::{TaskRow, TaskTable, read_rows};
use crate::baseline::run::tables;
use crate::error::{Error, Result};
use crate::store::Format;
use crate::store::read::read_columns;
use crate::tasks::{AnswerKind, GoldViewpoint, Metrics, Released, RuleSpec, group_of, read_released};

/// A task's instances with what is right.
pub(super) struct Labels {
    pub(super) table: TaskTable,
    /// By instance: all that is to be found, where the task is one of viewpoints.
    pub(super) views: Vec<Vec<GoldViewpoint>>,
    pub(super) rule: &'static RuleSpec,
}

impl Labels {
    /// True where the label itself is a text to be told: an emotion, or free text.
    pub(super) fn has_texts(&self) -> bool {
        AnswerKind::from_name(&self.table.kind)
            .is_some_and(|kind| matches!(self.rule.metrics(kind), Metrics::Intensity | Metrics::JudgedElsewhere))
    }
}

/// Reads the labels of `task`: from a folder of task tables, a table, or a file of the benchmark's.
///
/// # Errors
/// [`Error::Usage`] for a task that is not there; [`Error::Read`] and [`Error::Parse`] for a file.
pub(super) fn labels(path: &Path, task: &str) -> Result<Labels> {
    let (table, views) = if path.is_dir() {
        let there = tables(path)?;
        let Some((_, file)) = there.iter().find(|(name, _)| name == task) else {
            let names: Vec<&str> = there.iter().map(|(name, _)| name.as_str()).collect();
            let what = format!("no task table {task:?} in {}; there are: {}", path.display(), names.join(", "));
            return Err(Error::Usage { what, hint: "make task tables with turnwise tasks".into() });
        };
        of_table(file)?
    } else if Format::of_file(path).is_some() {
        of_table(path)?
    } else {
        released(path, task)?
    };
    let rule = RuleSpec::named(&table.rule).ok_or_else(|| Error::Usage {
        what: format!("the labels of task {task} are of the unknown rule {:?}, or there are none", table.rule),
        hint: "make the table again with turnwise tasks".into(),
    })?;
    Ok(Labels { table, views, rule })
}

fn of_table(file: &Path) -> Result<(TaskTable, Vec<Vec<GoldViewpoint>>)> {
    let table = read_rows(file)?;
    let told = read_columns(file, &["instance_id", "label_viewpoints"])?;
    let views = |row| -> Vec<GoldViewpoint> {
        let list = told.texts("label_viewpoints", row).unwrap_or_default();
        list.iter().filter_map(|text| serde_json::from_str::<Value>(text).ok()).map(|v| view(&v)).collect()
    };
    let views = (0..table.rows.len()).map(views).collect();
    Ok((table, views))
}

/// A viewpoint as JSON tells it; what it does not tell is empty.
pub(super) fn view(value: &Value) -> GoldViewpoint {
    let text = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| value.get(*key)?.as_str());
        found.unwrap_or_default().trim().to_owned()
    };
    GoldViewpoint {
        source: text(&["source", "predicted_source"]),
        target: text(&["target", "predicted_target"]),
        viewpoint: text(&["viewpoint", "predicted_viewpoint"]),
        attitude: text(&["attitude", "predicted_attitude"]),
    }
}

fn released(path: &Path, task: &str) -> Result<(TaskTable, Vec<Vec<GoldViewpoint>>)> {
    let all: Vec<Released> = read_released(path)?;
    let (mut rows, mut views) = (Vec::new(), Vec::new());
    for one in all.into_iter().filter(|one| one.task == task) {
        let mut targets: Vec<String> = Vec::new();
        for view in &one.viewpoints {
            if !targets.contains(&view.target) {
                targets.push(view.target.clone());
            }
        }
        rows.push(TaskRow {
            id: one.instance_id,
            group: one.scenario,
            split_group: group_of(&one.sample_id).to_owned(),
            interview_id: one.sample_id,
            speaker: one.speaker,
            label: one.emotion,
            value: one.intensity.map(|i| i as f64),
            candidates: one.participants,
            targets,
            facts: Vec::new(),
        });
        views.push(one.viewpoints);
    }
    if rows.is_empty() {
        let what = format!("{} has no instance of the task {task}", path.display());
        return Err(Error::Usage { what, hint: "name er or vp, as its lines do".into() });
    }
    let kind = RuleSpec::named(task).and_then(|r| r.answer).map_or("", |a| a.name()).to_owned();
    Ok((TaskTable { rule: task.to_owned(), kind, rows, ..TaskTable::default() }, views))
}
