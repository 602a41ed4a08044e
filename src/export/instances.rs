//! Instances for any evaluator: one JSON object a line, with what was said, what was measured, the question, its
//! options and the label.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::cues::Told;
use super::hidden::Hidden;
use super::questions::{About, Questions};
use super::rescue;
use crate::error::{Error, Result};
use crate::store::read::StoredTable;
use crate::tasks::{AnswerKind, Evidence, LABELS, LabelUnit, RuleSpec};
use crate::time::TOLERANCE_SECS;

/// Fields of an evidence row that are speech: everything else in it was written down by people.
const SAID: [(&str, &str); 5] = [
    ("row_index", "row"),
    ("primary_speaker", "speaker"),
    ("target", "target"),
    ("dialogue_cleaned", "text"),
    ("background_dialogue", "background_dialogue"),
];

/// What an interview's tables tell of its turns, by their index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// What was measured.
    pub cues: BTreeMap<u32, Told>,
    /// Who says what.
    pub said: BTreeMap<u32, Said>,
    /// When each turn ends, in seconds.
    pub ends: BTreeMap<u32, f64>,
}

impl Measured {
    /// What is told of the turns that are shown, up to the end of the last one: of an earlier turn that runs on past it
    /// nothing, as its cues looked until it ends. `to_the_end`: everything is over when it is asked.
    pub(super) fn told(&self, context: &[u32], to_the_end: bool) -> impl Iterator<Item = (u32, &Told)> {
        let limit = if to_the_end { None } else { context.last().and_then(|last| self.ends.get(last)).copied() };
        let in_time = move |turn: &u32| {
            to_the_end || self.ends.get(turn).zip(limit).is_none_or(|(end, limit)| *end <= limit + TOLERANCE_SECS)
        };
        context.iter().copied().filter(in_time).filter_map(|turn| Some((turn, self.cues.get(&turn)?)))
    }
}

/// A turn of the transcript.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    /// Who; `None` where nobody knows.
    pub speaker: Option<String>,
    /// What; `None` without a transcript.
    pub text: Option<String>,
}

/// The instances of a task's table, in its order, one line each. `measured` holds what the interviews' tables tell;
/// only that of the instance's own context rows is shown. What was said is the annotations' where the task is made from
/// them, else the transcript's.
///
/// # Errors
/// [`Error::Usage`] for a table that is none of a task.
pub fn lines(
    task: &str,
    table: &StoredTable,
    questions: &Questions,
    measured: &BTreeMap<String, Measured>,
) -> Result<Vec<String>> {
    let needed = |name: &str, row: usize| {
        table.text(name, row).ok_or_else(|| Error::Usage {
            what: format!("the table of task {task} has no {name} in row {row}"),
            hint: "make it with turnwise tasks".into(),
        })
    };
    let mut all = Vec::with_capacity(table.rows());
    let mut cues: Option<Cues> = None;
    for row in 0..table.rows() {
        let (id, interview) = (needed("instance_id", row)?, needed("interview_id", row)?);
        let told = measured.get(interview);
        let rule = RuleSpec::named(table.text("rule", row).unwrap_or(LABELS.name)).ok_or_else(|| Error::Usage {
            what: format!(
                "the table of task {task} is of the unknown rule {:?}",
                table.text("rule", row).unwrap_or_default()
            ),
            hint: "make it again with turnwise tasks".into(),
        })?;
        let about = about(task, rule, table, row);
        let shown = shown(table, row, told);
        let indices: Vec<u32> = shown.iter().filter_map(index_of).collect();
        let cues = cues.get_or_insert_with(|| Cues::new(task, rule, table));
        let said = |shown: &Map<String, Value>| -> Value {
            SAID.iter()
                .filter_map(|(from, to)| Some(((*to).to_owned(), shown.get(*from)?.clone())))
                .collect::<Map<_, _>>()
                .into()
        };
        let mut line = json!({
            "id": (rule.shown_id)(id),
            "task": task,
            "interview": interview,
            "group": table.text("split_group", row),
            "turn": table.number("turn_index", row).map(|t| t as i64),
            "source": table.text("source", row),
            "target": table.text("target", row),
            "question": questions.ask(&about),
            "options": table.texts("candidates", row).unwrap_or_default(),
            "context": shown.iter().map(said).collect::<Vec<Value>>(),
            "cues": told.map(|told| cues.of((interview, told), &indices, &about)).unwrap_or_default(),
            "label": label(table, row),
        });
        if let Some(line) = line.as_object_mut() {
            line.extend(known(table, row));
        }
        all.push(line.to_string());
    }
    if let Some(which) = cues.filter(|c| !c.withheld.is_empty()).map(|c| c.withheld.into_iter().collect::<Vec<_>>()) {
        let which = which.join("; ");
        tracing::warn!("task {task}: cues that hold a word of its labels or its name are not shown: {which}");
    }
    Ok(all)
}

/// What the question is about.
fn about<'a>(task: &'a str, rule: &'static RuleSpec, table: &'a StoredTable, row: usize) -> About<'a> {
    let number = |name: &str| table.number(name, row);
    let turn = match (number("turn_index"), number("context_last_row")) {
        (Some(turn), Some(last)) if last >= turn => "the last turn shown",
        (_, Some(_)) => "the turn that comes next",
        (Some(turn), None) if turn <= 1.0 => "the first turn",
        (_, None) => "a turn that is not shown",
    };
    About {
        task,
        rule,
        unit: table.text("unit", row).and_then(LabelUnit::from_name).unwrap_or(LabelUnit::Interview),
        kind: table.text("kind", row).and_then(AnswerKind::from_name),
        turn,
        speaker: table.text("speaker", row).unwrap_or("the speaker"),
        supported: table.text("known_support_target", row).unwrap_or("the client"),
        source: table.text("source", row).unwrap_or("the one"),
        target: table.text("target", row).unwrap_or("the other"),
    }
}

fn index_of(shown: &Map<String, Value>) -> Option<u32> {
    shown.get("row_index").and_then(Value::as_u64).and_then(|i| u32::try_from(i).ok())
}

/// What a task shows of the cues. A turn is in the context of many instances, and shows the same in each.
struct Cues<'a> {
    hidden: Hidden,
    mode: Evidence,
    /// By interview and turn; `None` where nothing is shown.
    shown: BTreeMap<(&'a str, u32), Option<Value>>,
    /// What is not shown for a word in it.
    withheld: BTreeSet<String>,
}

impl<'a> Cues<'a> {
    fn new(task: &str, rule: &RuleSpec, table: &StoredTable) -> Self {
        let mode = table.text("evidence", 0).and_then(Evidence::from_name).unwrap_or_default();
        let hidden = Hidden::of_task(task, rule, table);
        Cues { hidden, mode, shown: BTreeMap::new(), withheld: BTreeSet::new() }
    }

    /// Those of the turns of a context that tell something.
    fn of(&mut self, (interview, told): (&'a str, &Measured), turns: &[u32], about: &About<'_>) -> Vec<Value> {
        // A dyad or an interview that is shown as a whole is asked about when it is over.
        let to_the_end = *about.rule == LABELS && about.unit != LabelUnit::Turn && turns.len() == told.said.len();
        told.told(turns, to_the_end).filter_map(|(turn, told)| self.turn((interview, turn), told)).collect()
    }

    fn turn(&mut self, key: (&'a str, u32), told: &Told) -> Option<Value> {
        if let Some(known) = self.shown.get(&key) {
            return known.clone();
        }
        self.withheld.extend(told.withheld(self.mode, &self.hidden).map(ToOwned::to_owned));
        let told = told.shown(self.mode, &self.hidden);
        let mut fields = rescue::fields(&told);
        fields.retain(|_, v| {
            !matches!(v, Value::String(s) if s.is_empty()) && !matches!(v, Value::Array(a) if a.is_empty())
        });
        fields.insert("row".into(), json!(key.1));
        let shown = told.fields().next().map(|_| Value::Object(fields));
        self.shown.insert(key, shown.clone());
        shown
    }
}

/// What the task tells besides: what the options mean, and what the one who is supported felt last.
fn known(table: &StoredTable, row: usize) -> Map<String, Value> {
    let mut known = Map::new();
    let texts = |name: &str| table.texts(name, row).unwrap_or_default();
    let meant = texts("candidates").iter().zip(texts("definitions")).filter(|(_, text)| !text.is_empty());
    let meant: Map<String, Value> = meant.map(|(label, text)| (label.clone(), json!(text))).collect();
    if !meant.is_empty() {
        known.insert("definitions".into(), Value::Object(meant));
    }
    if let Some(emotion) = table.text("known_emotion", row) {
        let intensity = table.number("known_emotion_intensity", row);
        known.insert("known_emotion".into(), json!({"emotion": emotion, "intensity": intensity}));
    }
    known
}

/// The context rows of an instance: the annotations' as evidence, else the transcript's turns.
fn shown(table: &StoredTable, row: usize, told: Option<&Measured>) -> Vec<Map<String, Value>> {
    if let Some(rows) = table.texts("evidence_rows", row) {
        return rows.iter().filter_map(|r| serde_json::from_str(r).ok()).collect();
    }
    let (Some(first), Some(last)) = (table.number("context_first_row", row), table.number("context_last_row", row))
    else {
        return Vec::new();
    };
    let said = told.into_iter().flat_map(|t| t.said.range(first as u32..=last as u32));
    said.map(|(index, said)| {
        let fields = [
            ("row_index", json!(index)),
            ("primary_speaker", json!(said.speaker)),
            ("dialogue_cleaned", json!(said.text)),
        ];
        fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
    })
    .collect()
}

/// A text, a number, or what the task needs of both.
fn label(table: &StoredTable, row: usize) -> Value {
    let text = table.text("label", row);
    if let Some(intensity) = table.number("label_intensity", row) {
        return json!({"emotion": text, "intensity": intensity as i64});
    }
    if let Some(views) = table.texts("label_viewpoints", row) {
        return views.iter().filter_map(|v| serde_json::from_str::<Value>(v).ok()).collect();
    }
    match (text, table.number("label_value", row)) {
        (Some(text), Some(value)) => {
            Value::Object(Map::from_iter([("text".into(), json!(text)), ("value".into(), json!(value))]))
        }
        (Some(text), None) => json!(text),
        (None, value) => json!(value),
    }
}
