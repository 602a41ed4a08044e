//! Instances for any evaluator: one JSON object a line, with what was said, what was measured, the question, its
//! options and the label.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::cues::Told;
use super::rescue;
use crate::error::{Error, Result};
use crate::spelling::meant;
use crate::store::read::StoredTable;
use crate::tasks::{LABELS, LabelUnit, RULES, RuleSpec};

/// The questions that come with the program.
const SHIPPED: &str = include_str!("../../data/questions.toml");

/// Fields of an evidence row that are speech: everything else in it was written down by people.
const SAID: [(&str, &str); 5] = [
    ("row_index", "row"),
    ("primary_speaker", "speaker"),
    ("target", "target"),
    ("dialogue_cleaned", "text"),
    ("background_dialogue", "background_dialogue"),
];

/// What stands for names in a question.
const NAMES: [&str; 5] = ["{task}", "{speaker}", "{supported}", "{source}", "{target}"];

/// Every `{word}` of a text.
pub(super) fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    let end = move |begin: usize| text[begin..].find('}').map(|length| &text[begin..=begin + length]);
    text.match_indices('{').filter_map(move |(begin, _)| end(begin))
}

/// Keys of the questions that rules and units need.
fn wordings() -> impl Iterator<Item = &'static str> {
    RULES.into_iter().chain([&LABELS]).filter_map(|r| r.wording).chain(LabelUnit::ALL.map(LabelUnit::name))
}

/// The question of each rule: `data/questions.toml`.
#[derive(Clone, Debug, PartialEq)]
pub struct Questions(BTreeMap<String, String>);

impl Questions {
    /// The shipped questions, those of a file over them.
    ///
    /// # Errors
    /// [`Error::Read`]; [`Error::Recipe`] for what is not understood.
    pub fn load(path: Option<&Path>) -> Result<Self> {
        let parse = |text: &str, place: String| {
            toml::from_str::<BTreeMap<String, String>>(text).map_err(|e| Error::Recipe { place, what: e.to_string() })
        };
        let mut all = parse(SHIPPED, "data/questions.toml".into())?;
        if let Some(unasked) = wordings().find(|key| !all.contains_key(*key)) {
            let what = format!("it has no question {unasked:?}, so a task would ask nothing");
            return Err(Error::Recipe { place: "data/questions.toml".into(), what });
        }
        if let Some(path) = path {
            let text = crate::file::read_text(path)?;
            let own = parse(&text, path.display().to_string())?;
            for (name, words) in &own {
                if let Some(unknown) = placeholders(words).find(|p| !NAMES.contains(p)) {
                    let what = format!("the question {name:?} holds {unknown}; known are {}", NAMES.join(", "));
                    return Err(Error::Recipe { place: path.display().to_string(), what });
                }
            }
            all.extend(own);
        }
        Ok(Questions(all))
    }

    /// Refuses a question that is nobody's: the name of no task, rule or unit. It would never be asked, and another one
    /// in its place.
    ///
    /// # Errors
    /// [`Error::Recipe`] naming it and the one that was likely meant.
    pub fn allow_only(&self, tasks: &[&str]) -> Result<()> {
        let shipped = Questions::load(None)?;
        let known: Vec<&str> = shipped.0.keys().map(String::as_str).chain(tasks.iter().copied()).collect();
        match self.0.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => {
                let what = format!(
                    "{name:?} is no task, rule or unit{}; known are {}",
                    meant(name, known.iter().copied()),
                    known.join(", ")
                );
                Err(Error::Recipe { place: "questions".into(), what })
            }
        }
    }

    /// The question of the task itself, else of its rule, else of what it is about. `names`: what stands for what, the
    /// task's name first.
    fn ask(&self, rule: &RuleSpec, unit: LabelUnit, names: &[(&str, &str); NAMES.len()]) -> String {
        let words = self.0.get(names[0].1).or_else(|| self.0.get(rule.wording.unwrap_or(unit.name())));
        names.iter().fold(words.cloned().unwrap_or_default(), |text, (name, value)| text.replace(name, value))
    }
}

/// What an interview's tables tell of its turns, by their index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// What was measured.
    pub cues: BTreeMap<u32, Told>,
    /// Who says what.
    pub said: BTreeMap<u32, Said>,
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
    for row in 0..table.rows() {
        let (id, interview) = (needed("instance_id", row)?, needed("interview_id", row)?);
        let told = measured.get(interview);
        let (mut context, mut cues) = (Vec::new(), Vec::new());
        for shown in shown(table, row, told) {
            let index = shown.get("row_index").and_then(Value::as_u64).and_then(|i| u32::try_from(i).ok());
            if let Some(told) = index.and_then(|i| told?.cues.get(&i)) {
                let mut fields = rescue::fields(told);
                fields.retain(|_, v| {
                    !matches!(v, Value::String(s) if s.is_empty()) && !matches!(v, Value::Array(a) if a.is_empty())
                });
                fields.insert("row".into(), json!(index));
                cues.push(Value::Object(fields));
            }
            let said = SAID.iter().filter_map(|(from, to)| Some(((*to).to_owned(), shown.get(*from)?.clone())));
            context.push(Value::Object(said.collect()));
        }
        let rule = RuleSpec::named(table.text("rule", row).unwrap_or(LABELS.name)).ok_or_else(|| Error::Usage {
            what: format!(
                "the table of task {task} is of the unknown rule {:?}",
                table.text("rule", row).unwrap_or_default()
            ),
            hint: "make it again with turnwise tasks".into(),
        })?;
        let unit = table.text("unit", row).and_then(LabelUnit::from_name).unwrap_or(LabelUnit::Interview);
        let names = [
            ("{task}", task),
            ("{speaker}", table.text("speaker", row).unwrap_or("the speaker")),
            ("{supported}", table.text("known_support_target", row).unwrap_or("the client")),
            ("{source}", table.text("source", row).unwrap_or("the one")),
            ("{target}", table.text("target", row).unwrap_or("the other")),
        ];
        let line = json!({
            "id": id,
            "task": task,
            "interview": interview,
            "group": table.text("split_group", row),
            "turn": table.number("turn_index", row).map(|t| t as i64),
            "source": table.text("source", row),
            "target": table.text("target", row),
            "question": questions.ask(rule, unit, &names),
            "options": table.texts("candidates", row).unwrap_or_default(),
            "context": context,
            "cues": cues,
            "label": label(table, row),
        });
        all.push(line.to_string());
    }
    Ok(all)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_would_never_be_asked_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("q.toml");
        let load = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Questions::load(Some(&path))
        };
        let e = load("er = \"What does {speeker} feel?\"").unwrap_err().to_string();
        assert!(e.contains("the question \"er\" holds {speeker}; known are {task}, {speaker}"), "{e}");
        assert!(wordings().count() >= 9 && wordings().all(|key| load("").unwrap().0[key].len() > 20));
        let questions = load("er = \"What does {speaker} feel?\"\nbackchannels = \"Does {target} nod?\"").unwrap();
        questions.allow_only(&["backchannels"]).unwrap();
        let e = questions.allow_only(&["backchannel"]).unwrap_err().to_string();
        assert!(e.contains("\"backchannels\" is no task, rule or unit; did you mean \"backchannel\"?"), "{e}");
    }
}
