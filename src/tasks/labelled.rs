//! Tasks with labels of their own: the table of instances that are turns, ordered dyads, whole interviews, windows of
//! continuous ratings or pairs of people of any corpus.
//!
//! A turn has its last context rows one by one and their mean, as the benchmark's tasks have. A dyad has the mean of
//! the source's turns (`@source`), of the target's (`@target`), and of the `dyads` rows in either direction
//! (`@source_to_target`, `@target_to_source`). An interview has the mean over its rows (`@mean`). With a `context_size`
//! only the first rows of a dyad's or interview's are looked at. A window has the turns that share time with it and are
//! over when it ends, as a turn has its context; where a person was rated, that person's and the others' means
//! (`@target`, `@others`), and dyads over windows theirs as above. A pair has each candidate's difference from the
//! other.

use std::collections::BTreeMap;

use super::features::{Feature, FeatureSet, SampleFeatures};
use super::labels::{Label, LabelTable};
use super::settings::{LabelUnit, Labels, Task};
use super::sides::{self, Sides};
use super::table::{DESCRIPTION, column_names, definitions_column, feature_column, feature_columns, fill, look};
use crate::error::{Error, Result};
use crate::store::read::StoredTable;
use crate::table::{ColumnSpec, CutOff, Kind, Table, TableBuilder, TableSchema};
use crate::time::TOLERANCE_SECS;

/// An interview's turns and the tables that features come from.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct InterviewTables {
    turns: Vec<ExtractedTurn>,
    tables: Vec<StoredTable>,
}

#[derive(Clone, Debug, PartialEq)]
struct ExtractedTurn {
    index: u32,
    speaker: String,
    start_secs: f64,
    end_secs: f64,
}

impl InterviewTables {
    /// From its `turns` table (`turn_index`, `speaker`, `start_secs`, `end_secs`) and the tables with features; these
    /// need `speaker` and `listener` for dyads.
    pub(super) fn new(turns: &StoredTable, tables: Vec<StoredTable>) -> Self {
        let turn = |row: usize| {
            let index = turns.number("turn_index", row).filter(|t| *t >= 0.0 && *t <= f64::from(u32::MAX))? as u32;
            Some(ExtractedTurn {
                index,
                speaker: turns.text("speaker", row).unwrap_or_default().to_owned(),
                start_secs: turns.number("start_secs", row)?,
                end_secs: turns.number("end_secs", row)?,
            })
        };
        let mut turns: Vec<ExtractedTurn> = (0..turns.rows()).filter_map(turn).collect();
        turns.sort_by_key(|t| t.index);
        InterviewTables { turns, tables }
    }

    fn ends(&self) -> BTreeMap<u32, f64> {
        self.turns.iter().map(|t| (t.index, t.end_secs)).collect()
    }

    /// The turns that may be looked at; `None` where the label's turn is none of them.
    fn context(&self, label: &Label, task: &Task) -> Option<Vec<u32>> {
        let size = usize::try_from(task.context_size).unwrap_or(usize::MAX);
        let all = || self.turns.iter().map(|t| t.index);
        if let Some(window) = label.window {
            return Some(self.inside(window, task));
        }
        match label.turn_index {
            Some(index) => {
                let at = self.turns.iter().position(|t| t.index == index)?;
                let end = at + usize::from(task.include_current);
                Some(all().skip(at.saturating_sub(size)).take(end - at.saturating_sub(size)).collect())
            }
            None => Some(all().take(size).collect()),
        }
    }
}

impl InterviewTables {
    /// The turns of a window: those that share time with it and are over when it ends, and so many before them. Nothing
    /// of a turn that goes on past the end is looked at, its words included, nor what comes before it in the order of
    /// turns where others begin and end while it lasts.
    fn inside(&self, (from, to): (f64, f64), task: &Task) -> Vec<u32> {
        let over: Vec<&ExtractedTurn> =
            self.turns.iter().filter(|t| t.end_secs <= to + TOLERANCE_SECS && t.start_secs < to).collect();
        let before = over.iter().filter(|t| t.end_secs <= from).count();
        let first = before.saturating_sub(usize::try_from(task.context_size).unwrap_or(0));
        let mut by_end = over;
        by_end.sort_by(|a, b| a.end_secs.total_cmp(&b.end_secs).then(a.index.cmp(&b.index)));
        let mut found: Vec<u32> = by_end[first..].iter().map(|t| t.index).collect();
        found.sort_unstable();
        // Rows are told by the first and the last: none that goes on may lie between.
        let place = |index: u32| self.turns.partition_point(|t| t.index < index);
        let broken = found.windows(2).rposition(|w| place(w[0]) + 1 != place(w[1]));
        found.split_off(broken.map_or(0, |at| at + 1))
    }

    /// Turns that begin in a window and go on past its end.
    fn running(&self, (_, to): (f64, f64)) -> usize {
        self.turns.iter().filter(|t| t.start_secs < to && t.end_secs > to + TOLERANCE_SECS).count()
    }

    fn sides<'a>(
        &'a self,
        (source, target): (&'a str, &'a str),
        context: &'a [u32],
        ends: &'a BTreeMap<u32, f64>,
        cut_off: f64,
    ) -> Sides<'a> {
        let speakers = self.turns.iter().map(|t| (t.index, t.speaker.as_str())).collect();
        Sides { tables: &self.tables, speakers, source, target, context, ends, cut_off }
    }
}

/// Rows of the task's table. `interviews` has those with tables; instances of the others have no features.
///
/// # Errors
/// [`Error::Usage`] for a label of a turn or a speaker that the interview has not; [`Error::Shape`] when a value does
/// not fit.
pub(super) fn labelled_table(
    task: &Task,
    labels: &Labels,
    found: &LabelTable,
    set: &FeatureSet,
    interviews: &BTreeMap<String, InterviewTables>,
) -> Result<Table> {
    let lagged = column_names(task, set);
    let sided = is_sided(labels, found);
    let mut table = TableBuilder::new(schema(task, labels, set, sided));
    let one_sided = interviews.iter().filter(|_| !sided);
    let values: BTreeMap<&String, SampleFeatures> =
        one_sided.map(|(id, i)| (id, SampleFeatures::new(set, &i.tables))).collect();
    for label in &found.labels {
        let own = interviews.get(&label.interview_id);
        let context = match own {
            Some(own) => own.context(label, task).ok_or_else(|| unknown(task, label, "has no such turn"))?,
            None => Vec::new(),
        };
        let ends = own.map(InterviewTables::ends).unwrap_or_default();
        // Turns may overlap: all that is shown of an interview that is over is shown until the last one ends.
        let cut_off = if let Some((_, to)) = label.window {
            own.map(|_| to)
        } else if task.after_the_interview() {
            ends.values().copied().reduce(f64::max)
        } else {
            context.last().and_then(|r| ends.get(r).copied())
        };
        set_label(&mut table, task, labels, found, label);
        table
            .set("context_first_row", context.first().copied())
            .set("context_last_row", context.last().copied())
            .set("context_rows", context.len())
            .set("cut_off_secs", cut_off);
        let Some((own, cut_off)) = own.zip(cut_off) else {
            table.set("has_features", false);
            continue;
        };
        let running = label.window.map_or(0, |w| own.running(w));
        if sided {
            let sides = own.sides(people(task, own, label)?, &context, &ends, cut_off);
            let any = match labels.unit {
                LabelUnit::Pair => sides.fill_differences(&mut table, set),
                unit => sides.fill(&mut table, unit, set),
            };
            let late = context.iter().filter(|r| ends[r] > cut_off + TOLERANCE_SECS).count();
            table.set("has_features", any).set("rows_withheld", late + running);
            continue;
        }
        let Some(values) = values.get(&label.interview_id) else { continue };
        let seen = look(&context, set, values, &ends, cut_off);
        table.set("has_features", seen.rows.iter().any(Option::is_some)).set("rows_withheld", seen.withheld + running);
        if labels.unit == LabelUnit::Interview {
            let means: Vec<Vec<String>> = set.features.iter().map(|f| vec![format!("{}@mean", f.name())]).collect();
            fill(&mut table, &means, &Task { lags: 0, ..task.clone() }, set, &seen);
        } else {
            fill(&mut table, &lagged, task, set, &seen);
        }
    }
    table.finish()
}

/// Begins the row of a label.
fn set_label(table: &mut TableBuilder, task: &Task, labels: &Labels, found: &LabelTable, label: &Label) {
    table
        .row()
        .set("interview_id", label.interview_id.as_str())
        .set("instance_id", instance_id(label, labels.unit))
        .set("split_group", label.group.as_str())
        .set("rule", task.rule.name)
        .set("kind", labels.kind.name())
        .set("unit", labels.unit.name())
        .set("turn_index", label.turn_index)
        .set("source", Some(label.source.as_str()).filter(|s| !s.is_empty()))
        .set("target", Some(label.target.as_str()).filter(|s| !s.is_empty()))
        .set("label", label.text.as_str())
        .set("label_value", label.value)
        .set("candidates", candidates(labels, found, label))
        .set("definitions", task.definitions.of("", &found.levels))
        .set("window_start_secs", label.window.map(|w| w.0))
        .set("window_end_secs", label.window.map(|w| w.1))
        .set("label_raters", label.raters)
        .set("label_icc_single", label.agreement.map(|a| a.single))
        .set("label_icc_mean", label.agreement.map(|a| a.mean));
}

/// Whose turns are the one side and whose the other: of a window the person rated, and all others (empty).
///
/// # Errors
/// [`Error::Usage`] for somebody who does not speak.
fn people<'a>(task: &Task, own: &InterviewTables, label: &'a Label) -> Result<(&'a str, &'a str)> {
    for name in [&label.source, &label.target].into_iter().filter(|n| !n.is_empty()) {
        if !own.turns.iter().any(|t| t.speaker == *name) {
            return Err(unknown(task, label, &format!("has no speaker {name:?}")));
        }
    }
    Ok(match label.source.as_str() {
        "" => (label.target.as_str(), ""),
        source => (source, label.target.as_str()),
    })
}

/// True where features are of two sides: of a dyad, a pair, or a window whose ratings are of a person.
fn is_sided(labels: &Labels, found: &LabelTable) -> bool {
    let of_person = found.labels.first().is_some_and(|l| !l.target.is_empty());
    matches!(labels.unit, LabelUnit::Dyad | LabelUnit::Pair) || labels.unit == LabelUnit::Window && of_person
}

fn candidates(labels: &Labels, found: &LabelTable, label: &Label) -> Option<Vec<String>> {
    if labels.unit == LabelUnit::Pair {
        return Some(vec![label.source.clone(), label.target.clone()]);
    }
    Some(found.levels.clone()).filter(|l| !l.is_empty())
}

fn unknown(task: &Task, label: &Label, what: &str) -> Error {
    let turn = label.turn_index.map(|t| format!(", turn {t}")).unwrap_or_default();
    Error::Usage {
        what: format!("task {}: label of {}{turn}: the interview {what}", task.name, label.interview_id),
        hint: "correct the labels, or extract the interview again with the transcript they were made for".into(),
    }
}

fn instance_id(label: &Label, unit: LabelUnit) -> String {
    let Label { interview_id, source, target, .. } = label;
    let of = match label.turn_index {
        Some(turn) => format!("{interview_id}__turn{turn}"),
        None if unit == LabelUnit::Pair => format!("{interview_id}__{source}__or__{target}"),
        None if !source.is_empty() => format!("{interview_id}__{source}__to__{target}"),
        None if !target.is_empty() => format!("{interview_id}__{target}"),
        None => interview_id.clone(),
    };
    match label.window {
        Some((from, to)) => format!("{of}__secs{from:.3}to{to:.3}"),
        None => of,
    }
}

/// The columns before the features.
pub(super) fn keys() -> Vec<ColumnSpec> {
    let key = |name: &'static str, kind, unit, text: &'static str| {
        ColumnSpec::new(name, kind, unit, text).until(CutOff::None)
    };
    vec![
        key("interview_id", Kind::Str, "", "Interview the instance is of."),
        key(
            "instance_id",
            Kind::Str,
            "",
            "The instance: interview, and turn, source and target, or the two of a pair; of a window also its time.",
        ),
        key("split_group", Kind::Str, "", "What no fold may part."),
        key("rule", Kind::Str, "", "labels, or pairs."),
        key("kind", Kind::Str, "", "Kind of answer: binary, multiclass, ranking, ordinal, regression or text."),
        key("unit", Kind::Str, "", "turn, dyad, interview, window or pair."),
        key("turn_index", Kind::I64, "", "Turn the instance is about."),
        key("source", Kind::Str, "", "Of a dyad: who. Of a pair: the one whose name comes first."),
        key(
            "target",
            Kind::Str,
            "",
            "Of a dyad: towards whom. Of a pair: the other. Of a window: whom the ratings are of.",
        ),
        key("window_start_secs", Kind::F64, "s", "Start of the window that was rated."),
        key("window_end_secs", Kind::F64, "s", "Its end: no feature looked further."),
        ColumnSpec::new("label", Kind::Str, "", "Label: what is to be told."),
        ColumnSpec::new("label_value", Kind::F64, "", "Label: the level counted from 0, or the number."),
        ColumnSpec::new("label_raters", Kind::I64, "", "Label: raters whose mean it is."),
        ColumnSpec::new(
            "label_icc_single",
            Kind::F64,
            "1",
            "Label: agreement of the raters over the windows of this series that all rated, one rater's: ICC(A,1).",
        )
        .from_source("McGraw & Wong 1996; ICC(2,1) of Shrout & Fleiss 1979"),
        ColumnSpec::new("label_icc_mean", Kind::F64, "1", "Label: the same of the raters' mean: ICC(A,k).")
            .from_source("McGraw & Wong 1996; ICC(2,k) of Shrout & Fleiss 1979"),
        key("candidates", Kind::StrList, "", "The classes, the levels from lowest to highest, or the two of a pair."),
        definitions_column(),
        key("context_first_row", Kind::I64, "", "First turn that may be looked at."),
        key("context_last_row", Kind::I64, "", "Last turn that may be looked at; null without context."),
        key("context_rows", Kind::I64, "", "Number of turns that may be looked at."),
        key("cut_off_secs", Kind::F64, "s", "No feature looked further; null without context or tables."),
        key("has_features", Kind::Bool, "", "True when the tables have a row for any of the turns."),
        key(
            "rows_withheld",
            Kind::I64,
            "",
            "Context turns that end after the cut-off; only what was known at their start is used.",
        ),
    ]
}

fn schema(task: &Task, labels: &Labels, set: &FeatureSet, sided: bool) -> TableSchema {
    let mut columns = keys();
    match labels.unit {
        unit if sided => columns.extend(sides::columns(unit, set)),
        LabelUnit::Interview => {
            let mean = |f: &Feature| feature_column(f, format!("{}@mean", f.name()), "mean over the turns shown");
            columns.extend(set.features.iter().map(mean));
        }
        _ => columns.extend(feature_columns(task, set)),
    }
    TableSchema { name: task.rule.name, description: DESCRIPTION, columns }
}
