//! The table of a task: one instance a row, with label, candidates, context and the features of the context rows.

use std::collections::BTreeMap;

use super::features::{Feature, FeatureSet, SampleFeatures};
use super::rescue::Instance;
use super::rule::AnswerKind;
use super::settings::Task;
use super::{candidate_facts, evidence};
use crate::error::{Error, Result};
use crate::table::{ColumnSpec, CutOff, Kind, Table, TableBuilder, TableSchema};
use crate::time::TOLERANCE_SECS;
use crate::transcript::rescue::{Row, Sample};

/// Rows of a task's table. `values` has the samples with tables; the others' features are null.
///
/// # Errors
/// [`Error::Shape`] when a value does not fit; [`Error::Usage`] when an instance is of none of the samples.
pub fn task_table(
    task: &Task,
    instances: &[Instance],
    samples: &[Sample],
    set: &FeatureSet,
    values: &BTreeMap<String, SampleFeatures>,
) -> Result<Table> {
    let samples: BTreeMap<&str, &Sample> = samples.iter().map(|s| (s.id.as_str(), s)).collect();
    let names = column_names(task, set);
    let mut table = TableBuilder::new(schema(task, set));
    for one in instances {
        let sample = samples.get(one.sample_id.as_str()).ok_or_else(|| Error::Usage {
            what: format!("instance {:?} is of the unknown sample {:?}", one.id, one.sample_id),
            hint: "make instances and table from the same annotations".into(),
        })?;
        let mut ends: BTreeMap<u32, f64> = sample.rows.iter().map(|r| (r.row_index, r.segment.end().get())).collect();
        let cut_off = one.context.last().and_then(|r| ends.get(r).copied());
        // Rows count by position, and may lie after the last one shown in time: of those nothing is known yet.
        let begun = |r: &&Row| cut_off.is_none_or(|cut_off| r.segment.start().get() <= cut_off + TOLERANCE_SECS);
        for row in sample.rows.iter().filter(|r| !begun(r)) {
            ends.remove(&row.row_index);
        }
        table
            .row()
            .set("interview_id", one.sample_id.as_str())
            .set("instance_id", one.id.as_str())
            .set("group", one.group_mode)
            .set("split_group", one.split_group.as_str())
            .set("rule", task.rule.name)
            .set("kind", task.rule.answer.map(AnswerKind::name))
            .set("turn_index", one.row)
            .set("speaker", speaker(one, sample))
            .set("label", Some(one.label.as_str()).filter(|l| !l.is_empty()))
            .set("label_intensity", one.intensity)
            .set("label_viewpoints", viewpoints(one))
            .set("label_boundary", Some(one.boundary).filter(|b| !b.is_empty()))
            .set("candidates", one.candidates.clone())
            .set("definitions", task.definitions.of(one.group_mode, &one.candidates))
            .set("known_support_target", Some(one.known_support_target.as_str()).filter(|t| !t.is_empty()))
            .set("closed_set", Some(one.closed_set).filter(|c| !c.is_empty()))
            .set("known_emotion", known_emotion(one))
            .set("known_emotion_intensity", known_intensity(one))
            .set("evidence", task.evidence.name())
            .set("evidence_rows", evidence_rows(one, sample, task))
            .set("context_first_row", one.context.first().copied())
            .set("context_last_row", one.context.last().copied())
            .set("context_rows", one.context.len())
            .set("cut_off_secs", cut_off);
        candidate_facts::fill(&mut table, task.rule, one, sample);
        let own = values.get(&one.sample_id);
        let seen = own.zip(cut_off).map(|(own, cut_off)| look(&one.context, set, own, &ends, cut_off));
        table.set("has_features", seen.as_ref().is_some_and(|s| s.rows.iter().any(Option::is_some)));
        table.set("rows_withheld", seen.as_ref().map(|s| s.withheld));
        if let Some(seen) = seen {
            fill(&mut table, &names, task, set, &seen);
        }
    }
    table.finish()
}

fn viewpoints(one: &Instance) -> Option<Vec<String>> {
    let list = one.viewpoints.iter().filter_map(|v| serde_json::to_string(v).ok()).collect::<Vec<_>>();
    (!list.is_empty()).then_some(list)
}

/// One feeling alone as written, several each with its person.
fn known_emotion(one: &Instance) -> Option<String> {
    match &one.known_emotions[..] {
        [] => None,
        [only] => Some(only.emotion.clone()),
        all => Some(all.iter().map(|e| format!("{}: {}", e.person, e.emotion)).collect::<Vec<_>>().join("; ")),
    }
}

fn known_intensity(one: &Instance) -> Option<f64> {
    let told: Vec<f64> = one.known_emotions.iter().filter_map(|e| e.intensity).collect();
    (!told.is_empty()).then(|| told.iter().sum::<f64>() / told.len() as f64)
}

/// Who speaks the instance's row; only where the row itself is shown.
fn speaker<'a>(one: &Instance, sample: &'a Sample) -> Option<&'a str> {
    let row = sample.rows.iter().find(|r| r.row_index == one.row && one.context.last() == Some(&one.row))?;
    Some(row.primary_speaker.as_str()).filter(|s| !s.is_empty())
}

/// The context rows as the evidence mode shows them.
fn evidence_rows(one: &Instance, sample: &Sample, task: &Task) -> Vec<String> {
    let shown = sample.rows.iter().filter(|r| one.context.binary_search(&r.row_index).is_ok());
    shown.map(|r| evidence::evidence(r, task.evidence).to_string()).collect()
}

/// What may be seen of an instance's context rows, last row first.
pub(super) struct Shown {
    pub(super) rows: Vec<Option<Vec<f64>>>,
    pub(super) withheld: usize,
}

/// Looks at the context rows up to the cut-off; those without an end have not begun by then.
pub(super) fn look(
    context: &[u32],
    set: &FeatureSet,
    own: &SampleFeatures,
    ends: &BTreeMap<u32, f64>,
    cut_off: f64,
) -> Shown {
    let mut withheld = 0;
    let rows = context.iter().rev().map(|row| {
        let mut values = own.turn(*row)?.to_vec();
        if !ends.contains_key(row) {
            withheld += 1;
            return None;
        }
        // An earlier turn that runs on past the last context row: what was known at its start may be used, the rest may
        // not.
        if ends[row] > cut_off + TOLERANCE_SECS {
            withheld += 1;
            for (value, feature) in values.iter_mut().zip(&set.features) {
                if feature.spec.cut_off.leaks_past(CutOff::TurnStart) {
                    *value = f64::NAN;
                }
            }
        }
        Some(values)
    });
    let rows = rows.collect();
    Shown { rows, withheld }
}

/// Sets the features of the last rows one by one, and their means.
pub(super) fn fill(table: &mut TableBuilder, names: &[Vec<String>], task: &Task, set: &FeatureSet, seen: &Shown) {
    for (place, names) in (0..set.features.len()).zip(names) {
        for (lag, name) in names.iter().take(task.lags).enumerate() {
            table.set(name, seen.rows.get(lag).and_then(Option::as_ref).map(|v| v[place]));
        }
        let known: Vec<f64> = seen.rows.iter().flatten().map(|v| v[place]).filter(|v| v.is_finite()).collect();
        if let Some(name) = names.last().filter(|_| !known.is_empty()) {
            table.set(name, known.iter().sum::<f64>() / known.len() as f64);
        }
    }
}

/// For each feature its columns: the last rows one by one, then the mean.
pub(super) fn column_names(task: &Task, set: &FeatureSet) -> Vec<Vec<String>> {
    let of = |f: &Feature| {
        (0..task.lags).map(|lag| format!("{}@{lag}", f.name())).chain([format!("{}@mean", f.name())]).collect()
    };
    set.features.iter().map(of).collect()
}

/// What the candidates mean.
pub(super) fn definitions_column() -> ColumnSpec {
    let text = "What each of the candidates means, where the task file says it; empty for one without a definition.";
    ColumnSpec::new("definitions", Kind::StrList, "", text).until(CutOff::None)
}

/// What a row of a task's table is.
pub(super) const DESCRIPTION: &str = "One instance of a task.";

pub(super) fn schema(task: &Task, set: &FeatureSet) -> TableSchema {
    let key = |name: &'static str, kind, unit, text: &'static str| {
        ColumnSpec::new(name, kind, unit, text).until(CutOff::None)
    };
    let label = |name: &'static str, kind, text: &'static str| ColumnSpec::new(name, kind, "", text);
    let mut columns = vec![
        key("interview_id", Kind::Str, "", "Sample the instance is of."),
        key("instance_id", Kind::Str, "", "The benchmark's instance id."),
        key("group", Kind::Str, "", "couple or family."),
        key("split_group", Kind::Str, "", "The couple or family: no fold may part its instances."),
        key("rule", Kind::Str, "", "Rule that made the instance: a task of the benchmark's, or labels."),
        key("kind", Kind::Str, "", "Kind of answer: binary, multiclass, ranking, ordinal, regression or text."),
        key("turn_index", Kind::I64, "", "Row the instance is about."),
        key("speaker", Kind::Str, "", "Who speaks that row; null where the row is hidden."),
        label("label", Kind::Str, "Label: what is to be told."),
        label("label_intensity", Kind::I64, "Label: intensity of the emotion, 0 to 10."),
        label("label_viewpoints", Kind::StrList, "Label: each viewpoint as a JSON object."),
        label("label_boundary", Kind::Str, "Label: kind of boundary; it tells the answer."),
        key("candidates", Kind::StrList, "", "The closed set of answers; for viewpoints the participants."),
        definitions_column(),
        key("known_support_target", Kind::Str, "", "Whom the therapist supports, where the task tells it."),
        key("closed_set", Kind::Str, "", "Where the closed set is from: task_file, or labels_seen; null elsewhere."),
        key(
            "known_emotion",
            Kind::Str,
            "",
            "What the target felt last, where the task tells it: each person and feeling of the last row that tells it.",
        ),
        key(
            "known_emotion_intensity",
            Kind::F64,
            "",
            "How strongly, 0 to 10, rounded as annotated; of several the mean.",
        ),
        key("evidence", Kind::Str, "", "Evidence mode."),
        key(
            "evidence_rows",
            Kind::StrList,
            "",
            "Each context row as that mode shows it: a JSON object with the benchmark's field names, cleaned.",
        ),
        key("context_first_row", Kind::I64, "", "First row that may be looked at."),
        key("context_last_row", Kind::I64, "", "Last row that may be looked at; null without context."),
        key("context_rows", Kind::I64, "", "Number of rows that may be looked at."),
        key("cut_off_secs", Kind::F64, "s", "End of the last of them: no feature looked further."),
        key("has_features", Kind::Bool, "", "True when the tables have a row for any of them."),
        key(
            "rows_withheld",
            Kind::I64,
            "",
            "Context rows that end after the cut-off; only what was known at their start is used.",
        ),
    ];
    columns.extend(candidate_facts::columns(task.rule));
    columns.extend(feature_columns(task, set));
    TableSchema { name: task.rule.name, description: DESCRIPTION, columns }
}

/// The features' columns, named by [`column_names`].
pub(super) fn feature_columns(task: &Task, set: &FeatureSet) -> Vec<ColumnSpec> {
    let mut columns = Vec::new();
    for (feature, names) in set.features.iter().zip(column_names(task, set)) {
        for (i, name) in names.into_iter().enumerate() {
            let which = match i {
                _ if i == task.lags => "mean over the context rows".to_owned(),
                0 => "last context row".to_owned(),
                _ => format!("context row {i} before the last"),
            };
            columns.push(feature_column(feature, name, &which));
        }
    }
    columns
}

/// One column of a feature: what its table declares of it, under another name and as a float.
pub(super) fn feature_column(feature: &Feature, name: String, which: &str) -> ColumnSpec {
    let ColumnSpec { unit, description, cut_off, modality, source, .. } = feature.spec.clone();
    let text = format!("{description} ({which})");
    ColumnSpec::new(name, Kind::F64, unit, text).until(cut_off).of(modality).from_source(source)
}
