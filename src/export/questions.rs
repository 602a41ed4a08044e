//! What is asked of an instance, in words that fit whatever a label or a task is called.

use std::collections::BTreeMap;
use std::path::Path;

use super::hidden::words;
use crate::error::{Error, Result};
use crate::spelling::meant;
use crate::tasks::{AnswerKind, LABELS, LabelUnit, RULES, RuleSpec};
use crate::text::is_unspaced;

/// The questions that come with the program.
const SHIPPED: &str = include_str!("../../data/questions.toml");

/// What stands for something else in a question.
const NAMES: [&str; 7] = ["{task}", "{turn}", "{speaker}", "{supported}", "{source}", "{target}", "{answer}"];

/// Every `{word}` of a text.
pub(super) fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    let end = move |begin: usize| text[begin..].find('}').map(|length| &text[begin..=begin + length]);
    text.match_indices('{').filter_map(move |(begin, _)| end(begin))
}

/// Key of what is said of the kind of answer.
fn answer_key(kind: AnswerKind) -> String {
    format!("answer_{}", kind.name())
}

/// Keys of the questions that rules and units need, and of the kinds of answers.
fn wordings() -> impl Iterator<Item = String> {
    let asked = RULES.into_iter().chain([&LABELS]).filter_map(|r| r.wording).chain(LabelUnit::ALL.map(LabelUnit::name));
    asked.map(ToOwned::to_owned).chain(AnswerKind::ALL.map(answer_key))
}

/// What is known of an instance, for its question.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'a> {
    pub(super) task: &'a str,
    pub(super) rule: &'static RuleSpec,
    pub(super) unit: LabelUnit,
    pub(super) kind: Option<AnswerKind>,
    /// Which turn it is about, in words.
    pub(super) turn: &'a str,
    pub(super) speaker: &'a str,
    pub(super) supported: &'a str,
    pub(super) source: &'a str,
    pub(super) target: &'a str,
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
        if let Some(unasked) = wordings().find(|key| !all.contains_key(key)) {
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

    /// The question of the task itself, else of its rule, else of what it is about.
    pub(super) fn ask(&self, about: &About<'_>) -> String {
        let key = about.rule.wording.unwrap_or(about.unit.name());
        let question = self.0.get(about.task).or_else(|| self.0.get(key)).map_or("", String::as_str);
        let answer = about.kind.and_then(|kind| self.0.get(&answer_key(kind))).map_or("", String::as_str);
        let task = readable(about.task);
        // In one pass: a name may hold what stands for another one.
        filled(question, &|place| match place {
            "{task}" => Some(&task),
            "{turn}" => Some(about.turn),
            "{speaker}" => Some(about.speaker),
            "{supported}" => Some(about.supported),
            "{source}" => Some(about.source),
            "{target}" => Some(about.target),
            "{answer}" => Some(answer),
            _ => None,
        })
        .trim()
        .to_owned()
    }
}

fn filled<'a>(text: &'a str, value: &dyn Fn(&str) -> Option<&'a str>) -> String {
    let mut found = String::new();
    let mut rest = text;
    while let Some((before, place)) = rest.find('{').and_then(|at| {
        let end = rest[at..].find('}')?;
        Some((&rest[..at], &rest[at..=at + end]))
    }) {
        found.push_str(before);
        found.push_str(value(place).unwrap_or(place));
        rest = &rest[before.len() + place.len()..];
    }
    found + rest
}

/// A name as people would say it: `working_alliance` and `workingAlliance` are working alliance; capitals that are all
/// there is stay.
fn readable(name: &str) -> String {
    let joined =
        name.contains('_') || name.chars().zip(name.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    if !joined || name.chars().any(is_unspaced) {
        return name.replace('_', " ");
    }
    words(name).join(" ")
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
        assert!(e.contains("the question \"er\" holds {speeker}; known are {task}, {turn}, {speaker}"), "{e}");
        assert!(wordings().count() >= 15 && wordings().all(|key| load("").unwrap().0[&key].len() > 10));
        let questions = load("er = \"What does {speaker} feel?\"\nbackchannels = \"Does {target} nod?\"").unwrap();
        questions.allow_only(&["backchannels"]).unwrap();
        let e = questions.allow_only(&["backchannel"]).unwrap_err().to_string();
        assert!(e.contains("\"backchannels\" is no task, rule or unit; did you mean \"backchannel\"?"), "{e}");
    }

    fn about(task: &str) -> About<'_> {
        About {
            task,
            rule: &LABELS,
            unit: LabelUnit::Turn,
            kind: Some(AnswerKind::Binary),
            turn: "the last turn shown",
            speaker: "Ann",
            supported: "Bo",
            source: "Ann",
            target: "Bo",
        }
    }

    #[test]
    fn a_question_reads_well_whatever_a_task_is_called() {
        let questions = Questions::load(None).unwrap();
        for (task, called) in [
            ("smile", "smile"),
            ("warm", "warm"),
            ("interrupting", "interrupting"),
            ("working_alliance", "working alliance"),
            ("turnTaking", "turn taking"),
            ("ICC", "ICC"),
            ("Lächeln", "Lächeln"),
            ("微笑", "微笑"),
        ] {
            let asked = questions.ask(&about(task));
            let expected = format!(
                "People labelled the last turn shown for \"{called}\". Which of the options is the label they gave?"
            );
            assert_eq!(asked, expected);
        }
        for kind in AnswerKind::ALL {
            for unit in LabelUnit::ALL {
                let asked = questions.ask(&About { kind: Some(kind), unit, ..about("warmth") });
                assert!(asked.ends_with(['?', '.']) && asked.contains("\"warmth\"") && !asked.contains('{'), "{asked}");
                assert!(!asked.contains("the warmth"), "{asked}");
            }
        }
    }

    #[test]
    fn a_name_that_holds_a_placeholder_stays_a_name() {
        let asked = Questions(BTreeMap::from([("turn".into(), "{speaker}, {target} and {more} {".into())]));
        let one = About { speaker: "{target}", target: "{speaker}", ..about("x") };
        assert_eq!(asked.ask(&one), "{target}, {speaker} and {more} {");
    }
}
