//! Tasks with labels of their own: the table of instances that are turns, ordered dyads or whole interviews of any
//! corpus.
//!
//! A turn has its last context rows one by one and their mean, as the benchmark's tasks have. A dyad has the mean of
//! the source's turns (`@source`), of the target's (`@target`), and of the `dyads` rows in either direction
//! (`@source_to_target`, `@target_to_source`). An interview has the mean over its rows (`@mean`). With a `context_size`
//! only the first rows of a dyad's or interview's are looked at.

use std::collections::BTreeMap;

use super::features::{Feature, FeatureSet, FeatureTable, SampleFeatures, number};
use super::labels::{Label, LabelTable};
use super::rule::LABELS;
use super::settings::{LabelUnit, Labels, Task};
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
    end_secs: f64,
}

impl InterviewTables {
    /// From its `turns` table (`turn_index`, `speaker`, `end_secs`) and the tables with features; these need `speaker`
    /// and `listener` for dyads.
    pub(super) fn new(turns: &StoredTable, tables: Vec<StoredTable>) -> Self {
        let turn = |row: usize| {
            let index = turns.number("turn_index", row).filter(|t| *t >= 0.0 && *t <= f64::from(u32::MAX))? as u32;
            Some(ExtractedTurn {
                index,
                speaker: turns.text("speaker", row).unwrap_or_default().to_owned(),
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
    let mut table = TableBuilder::new(schema(task, labels, set));
    let values: BTreeMap<&String, SampleFeatures> = match labels.unit {
        LabelUnit::Dyad => BTreeMap::new(),
        _ => interviews.iter().map(|(id, i)| (id, SampleFeatures::new(set, &i.tables))).collect(),
    };
    for label in &found.labels {
        let own = interviews.get(&label.interview_id);
        let context = match own {
            Some(own) => own.context(label, task).ok_or_else(|| unknown(task, label, "has no such turn"))?,
            None => Vec::new(),
        };
        let ends = own.map(InterviewTables::ends).unwrap_or_default();
        // Turns may overlap: all that is shown of an interview that is over is shown until the last one ends.
        let cut_off = if task.after_the_interview() {
            ends.values().copied().reduce(f64::max)
        } else {
            context.last().and_then(|r| ends.get(r).copied())
        };
        table
            .row()
            .set("interview_id", label.interview_id.as_str())
            .set("instance_id", instance_id(label))
            .set("split_group", label.group.as_str())
            .set("rule", task.rule.name)
            .set("kind", labels.kind.name())
            .set("unit", labels.unit.name())
            .set("turn_index", label.turn_index)
            .set("source", Some(label.source.as_str()).filter(|s| !s.is_empty()))
            .set("target", Some(label.target.as_str()).filter(|s| !s.is_empty()))
            .set("label", label.text.as_str())
            .set("label_value", label.value)
            .set("candidates", Some(found.levels.clone()).filter(|l| !l.is_empty()))
            .set("definitions", task.definitions.of("", &found.levels))
            .set("context_first_row", context.first().copied())
            .set("context_last_row", context.last().copied())
            .set("context_rows", context.len())
            .set("cut_off_secs", cut_off);
        let Some((own, cut_off)) = own.zip(cut_off) else {
            table.set("has_features", false);
            continue;
        };
        match labels.unit {
            LabelUnit::Dyad => {
                let dyad = Dyad { own, label, context: &context, ends: &ends, cut_off };
                for name in [&label.source, &label.target] {
                    if !own.turns.iter().any(|t| t.speaker == *name) {
                        return Err(unknown(task, label, &format!("has no speaker {name:?}")));
                    }
                }
                let any = dyad.fill(&mut table, set);
                table.set("has_features", any);
                table.set("rows_withheld", context.iter().filter(|r| ends[r] > cut_off + TOLERANCE_SECS).count());
            }
            LabelUnit::Turn | LabelUnit::Interview => {
                let Some(values) = values.get(&label.interview_id) else { continue };
                let seen = look(&context, set, values, &ends, cut_off);
                table.set("has_features", seen.rows.iter().any(Option::is_some)).set("rows_withheld", seen.withheld);
                if labels.unit == LabelUnit::Turn {
                    fill(&mut table, &lagged, task, set, &seen);
                } else {
                    let means: Vec<Vec<String>> =
                        set.features.iter().map(|f| vec![format!("{}@mean", f.name())]).collect();
                    fill(&mut table, &means, &Task { lags: 0, ..task.clone() }, set, &seen);
                }
            }
        }
    }
    table.finish()
}

fn unknown(task: &Task, label: &Label, what: &str) -> Error {
    let turn = label.turn_index.map(|t| format!(", turn {t}")).unwrap_or_default();
    Error::Usage {
        what: format!("task {}: label of {}{turn}: the interview {what}", task.name, label.interview_id),
        hint: "correct the labels, or extract the interview again with the transcript they were made for".into(),
    }
}

fn instance_id(label: &Label) -> String {
    match label.turn_index {
        Some(turn) => format!("{}__turn{turn}", label.interview_id),
        None if label.source.is_empty() => label.interview_id.clone(),
        None => format!("{}__{}__to__{}", label.interview_id, label.source, label.target),
    }
}

/// An ordered pair in its interview.
struct Dyad<'a> {
    own: &'a InterviewTables,
    label: &'a Label,
    context: &'a [u32],
    ends: &'a BTreeMap<u32, f64>,
    cut_off: f64,
}

/// Names of a feature's columns: the source's side, then the target's.
fn dyad_names(feature: &Feature) -> [String; 2] {
    let name = feature.name();
    if feature.table == FeatureTable::Dyads {
        [format!("{name}@source_to_target"), format!("{name}@target_to_source")]
    } else {
        [format!("{name}@source"), format!("{name}@target")]
    }
}

impl Dyad<'_> {
    /// Sets every feature's two means; tells whether there was anything.
    fn fill(&self, table: &mut TableBuilder, set: &FeatureSet) -> bool {
        let speakers: BTreeMap<u32, &str> = self.own.turns.iter().map(|t| (t.index, t.speaker.as_str())).collect();
        let (source, target) = (self.label.source.as_str(), self.label.target.as_str());
        let mut any = false;
        for stored in &self.own.tables {
            let is_dyads = FeatureTable::Dyads.is(stored);
            // Rows of either side: 0 = the source's, 1 = the target's.
            let sides: Vec<Option<(usize, u32)>> = (0..stored.rows())
                .map(|row| {
                    let turn = stored.number("turn_index", row)? as u32;
                    self.context.binary_search(&turn).ok()?;
                    let speaker = *speakers.get(&turn)?;
                    let listener = if is_dyads { stored.text("listener", row)? } else { "" };
                    let side = [(source, target), (target, source)]
                        .iter()
                        .position(|(s, t)| speaker == *s && (!is_dyads || listener == *t));
                    side.map(|s| (s, turn))
                })
                .collect();
            for feature in set.features.iter().filter(|f| f.table.is(stored)) {
                let Some(data) = stored.column(&feature.spec.name) else { continue };
                let mut sums = [(0.0, 0_u32); 2];
                for (row, (side, turn)) in sides.iter().enumerate().filter_map(|(r, s)| Some((r, (*s)?))) {
                    let late = feature.spec.cut_off.leaks_past(CutOff::TurnStart)
                        && self.ends[&turn] > self.cut_off + TOLERANCE_SECS;
                    let value = number(data, row);
                    if value.is_finite() && !late {
                        sums[side] = (sums[side].0 + value, sums[side].1 + 1);
                    }
                }
                for (name, (sum, n)) in dyad_names(feature).iter().zip(sums) {
                    if n > 0 {
                        table.set(name, sum / f64::from(n));
                        any = true;
                    }
                }
            }
        }
        any
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
            "The instance: interview and turn, or interview, source and target, or interview.",
        ),
        key("split_group", Kind::Str, "", "What no fold may part."),
        key("rule", Kind::Str, "", "Always labels."),
        key("kind", Kind::Str, "", "Kind of answer: binary, multiclass, ranking, ordinal, regression or text."),
        key("unit", Kind::Str, "", "turn, dyad or interview."),
        key("turn_index", Kind::I64, "", "Turn the instance is about."),
        key("source", Kind::Str, "", "Of a dyad: who."),
        key("target", Kind::Str, "", "Of a dyad: towards whom."),
        ColumnSpec::new("label", Kind::Str, "", "Label: what is to be told."),
        ColumnSpec::new("label_value", Kind::F64, "", "Label: the level counted from 0, or the number."),
        key("candidates", Kind::StrList, "", "The classes, or the levels from lowest to highest."),
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

fn schema(task: &Task, labels: &Labels, set: &FeatureSet) -> TableSchema {
    let mut columns = keys();
    match labels.unit {
        LabelUnit::Turn => columns.extend(feature_columns(task, set)),
        LabelUnit::Interview => {
            let mean = |f: &Feature| feature_column(f, format!("{}@mean", f.name()), "mean over the turns shown");
            columns.extend(set.features.iter().map(mean));
        }
        LabelUnit::Dyad => {
            for feature in &set.features {
                for (name, side) in dyad_names(feature).into_iter().zip(["source", "target"]) {
                    columns.push(feature_column(feature, name, &format!("mean over the {side}'s turns shown")));
                }
            }
        }
    }
    TableSchema { name: LABELS.name, description: DESCRIPTION, columns }
}
