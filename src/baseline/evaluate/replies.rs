//! Anybody's predictions read: replies and result files of the benchmark's scripts, answers beside our own lines, what
//! baselines wrote, and CSV.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::labels::view;
use crate::error::{Error, Result};
use crate::sheet::Sheet;
use crate::tasks::GoldViewpoint;

/// What may hold the id of an instance, the sample it is of, and the answer to it. The first are the scripts' names.
const IDS: [&str; 5] = ["candidate_id", "turn_id", "checkpoint_id", "instance_id", "id"];
const SAMPLES: [&str; 4] = ["sample_id", "source_sample_id", "interview_id", "interview"];
const WRAPPED: [&str; 2] = ["answer", "prediction"];
const RANKINGS: [&str; 5] = ["relation_top3", "target_top3", "strategy_top3", "top3", "ranking"];
const DECISIONS: [&str; 1] = ["should_speak"];
const NUMBERS: [&str; 3] = ["predicted_intensity_score", "intensity", "value"];
const TEXTS: [&str; 3] = ["predicted_internal_emotion", "emotion", "text"];
const VIEWS: [&str; 4] = ["predicted_viewpoints", "viewpoints", "viewpoints_attitudes", "pairs"];
/// Columns of CSV.
const LABELS: [&str; 4] = ["label", "answer", "prediction", "should_speak"];
const FURTHER: [&str; 2] = ["label_2", "label_3"];

/// What was answered to one instance.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Said {
    /// Names, best first; of a text or a number that itself.
    pub(super) ranking: Vec<String>,
    pub(super) number: Option<f64>,
    pub(super) text: Option<String>,
    pub(super) views: Vec<GoldViewpoint>,
}

/// One prediction.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reply {
    /// `None` where the file does not say it.
    pub(super) sample: Option<String>,
    pub(super) id: String,
    /// `None` where the answer is empty.
    pub(super) said: Option<Said>,
}

/// Reads a file of predictions, or all of a folder's.
///
/// # Errors
/// [`Error::Read`]; [`Error::Parse`] naming file and line for what is no prediction, or a file without any.
pub(super) fn replies(path: &Path) -> Result<Vec<Reply>> {
    let mut found = Vec::new();
    if path.is_dir() {
        let mut files = Vec::new();
        collect(path, &mut files)?;
        files.sort();
        for file in &files {
            found.extend(of_file(file)?);
        }
    } else {
        found = of_file(path)?;
    }
    if found.is_empty() {
        let hint = "expected JSON with a list \"predictions\" or \"details\", lines of JSON, or CSV with id and label";
        return Err(Error::parse(path, 0, "no predictions", hint));
    }
    Ok(found)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let failed = |source| Error::Read { path: folder.to_owned(), source };
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        if entry.file_type().map_err(failed)?.is_dir() {
            collect(&path, files)?;
        } else if ["json", "jsonl", "csv"].iter().any(|s| has_suffix(&path, s)) {
            files.push(path);
        }
    }
    Ok(())
}

fn has_suffix(path: &Path, suffix: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(suffix))
}

fn of_file(path: &Path) -> Result<Vec<Reply>> {
    if has_suffix(path, "csv") {
        return of_sheet(path);
    }
    let text = crate::file::read_text(path)?;
    let text = text.trim_start_matches('\u{feff}');
    let mut found = Vec::new();
    let mut add = |line: usize, value: &Value| {
        of_value(value, None, &mut found).map_err(|what| {
            Error::parse(path, line, what, "each needs an id and an answer, see turnwise evaluate --help")
        })
    };
    match serde_json::from_str::<Value>(text) {
        Ok(value) => add(0, &value)?,
        Err(whole) => {
            for (line, one) in text.lines().zip(1..).map(|(l, n)| (n, l)).filter(|(_, l)| !l.trim().is_empty()) {
                // Of a file that is no JSON from its first line on, the error of the whole is the one to tell.
                let error = |e: serde_json::Error| {
                    if line == 1 && whole.line() > 1 {
                        (whole.line(), whole.to_string())
                    } else {
                        (line, e.to_string())
                    }
                };
                let value: Value = serde_json::from_str(one).map_err(|e| {
                    let (line, what) = error(e);
                    Error::parse(path, line, format!("no JSON: {what}"), "expected one JSON value, or one a line")
                })?;
                add(line, &value)?;
            }
        }
    }
    Ok(found)
}

fn text(map: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    let found = keys.iter().find_map(|key| map.get(*key)?.as_str())?.trim();
    (!found.is_empty()).then(|| found.to_owned())
}

/// Takes in a value: a reply, a list of them, the reply of a model to a whole sample, or a result file.
fn of_value(value: &Value, sample: Option<&str>, found: &mut Vec<Reply>) -> Result<(), String> {
    let map = match value {
        Value::Array(list) => return list.iter().try_for_each(|v| of_value(v, sample, found)),
        Value::Object(map) => map,
        other => return Err(format!("{} is no prediction", short(other))),
    };
    let own = text(map, &SAMPLES);
    let sample = own.as_deref().or(sample);
    if let Some(id) = text(map, &IDS) {
        let said = of_item(map)?;
        found.push(Reply { sample: sample.map(ToOwned::to_owned), id, said });
        return Ok(());
    }
    for key in ["predictions", "details"] {
        match map.get(key) {
            Some(list @ Value::Array(_)) => return of_value(list, sample, found),
            // By sample.
            Some(Value::Object(samples)) => {
                return samples.iter().try_for_each(|(id, list)| of_value(list, Some(id), found));
            }
            _ => {}
        }
    }
    Err(format!("no id of an instance among the keys {}", keys(map)))
}

fn keys(map: &Map<String, Value>) -> String {
    map.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(60).collect()
}

/// The answer of an item with an id. Labels beside it are passed over: only fields of answers are looked at.
fn of_item(map: &Map<String, Value>) -> Result<Option<Said>, String> {
    if let Some(wrapped) = WRAPPED.iter().find_map(|key| map.get(*key)) {
        return said(wrapped);
    }
    said_in(map)?.ok_or_else(|| format!("no answer among the keys {}", keys(map)))
}

/// An answer by itself.
fn said(value: &Value) -> Result<Option<Said>, String> {
    match value {
        Value::Null => Ok(None),
        Value::Object(map) => said_in(map)?.ok_or_else(|| format!("no answer among the keys {}", keys(map))),
        Value::Array(list) if list.iter().any(Value::is_object) => {
            Ok(Some(Said { views: list.iter().map(view).collect(), ..Said::default() }))
        }
        Value::Array(list) => Ok(Some(Said { ranking: names(list)?, ..Said::default() })),
        plain => Ok(of_plain(plain)),
    }
}

/// A text, a number or a yes, which may be all of them.
fn of_plain(value: &Value) -> Option<Said> {
    let text = match value {
        Value::String(s) => s.trim().to_owned(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Number(n) => n.to_string(),
        _ => return None,
    };
    let number = text.parse::<f64>().ok().filter(|x| x.is_finite());
    (!text.is_empty()).then(|| Said { ranking: vec![text.clone()], number, text: Some(text), views: Vec::new() })
}

fn names(list: &[Value]) -> Result<Vec<String>, String> {
    let name = |v: &Value| match v {
        Value::String(s) => Ok(s.trim().to_owned()),
        Value::Number(n) => Ok(n.to_string()),
        Value::Null => Ok(String::new()),
        other => Err(format!("{} is no name", short(other))),
    };
    list.iter().map(name).collect()
}

/// The answer among the fields of an object: `None` = no such field, `Some(None)` = it is empty.
fn said_in(map: &Map<String, Value>) -> Result<Option<Option<Said>>, String> {
    let first = |keys: &[&str]| keys.iter().find_map(|key| map.get(*key));
    let null = |keys: &[&str]| first(keys).is_some_and(Value::is_null);
    if null(&RANKINGS) || null(&VIEWS) {
        return Ok(Some(None));
    }
    if let Some(list) = first(&RANKINGS) {
        let list = list.as_array().ok_or_else(|| format!("{} is no list of names", short(list)))?;
        return Ok(Some(Some(Said { ranking: names(list)?, ..Said::default() })));
    }
    if let Some(decision) = first(&DECISIONS) {
        return Ok(Some(of_plain(decision)));
    }
    if let Some(list) = first(&VIEWS) {
        let list = list.as_array().ok_or_else(|| format!("{} is no list of viewpoints", short(list)))?;
        return Ok(Some(Some(Said { views: list.iter().map(view).collect(), ..Said::default() })));
    }
    let (number, text) = (first(&NUMBERS), first(&TEXTS));
    if number.is_none() && text.is_none() {
        return Ok(None);
    }
    let mut said = text.and_then(of_plain).unwrap_or_default();
    said.number = number.and_then(of_plain).and_then(|s| s.number);
    Ok(Some(Some(said).filter(|s| s.number.is_some() || s.text.is_some())))
}

/// CSV: an id, and a label with further ones by rank, a number, a text, or a viewpoint; rows of one id are one answer
/// where they are viewpoints.
fn of_sheet(path: &Path) -> Result<Vec<Reply>> {
    let sheet = Sheet::read(path)?;
    let has = |keys: &[&'static str]| keys.iter().copied().find(|k| sheet.has(k));
    let known: Vec<&str> = [&IDS[..], &SAMPLES, &LABELS, &FURTHER, &NUMBERS, &TEXTS].concat();
    let known = [&known[..], &["source", "target", "viewpoint", "attitude"]].concat();
    sheet.allow_only(&known)?;
    let (Some(id), label, target) = (has(&IDS), has(&LABELS), sheet.has("target")) else {
        return Err(Error::parse(path, 1, "no column id", "give each row the id of its instance"));
    };
    if label.is_none() && !target && has(&NUMBERS).is_none() && has(&TEXTS).is_none() {
        return Err(Error::parse(path, 1, "no column label", "give each row its answer"));
    }
    let mut found: Vec<Reply> = Vec::new();
    for row in sheet.rows() {
        let cell = |column: Option<&str>| column.and_then(|c| row.cell(c));
        let name = cell(Some(id)).ok_or_else(|| row.fail("no id", "give each row the id of its instance"))?.to_owned();
        let sample = cell(has(&SAMPLES)).map(ToOwned::to_owned);
        if target {
            let text = |column: &str| row.cell(column).unwrap_or_default().to_owned();
            let one = GoldViewpoint {
                source: text("source"),
                target: text("target"),
                viewpoint: text("viewpoint"),
                attitude: text("attitude"),
            };
            if let Some(last) = found.last_mut().filter(|r| r.id == name && r.sample == sample)
                && let Some(said) = &mut last.said
            {
                said.views.push(one);
                continue;
            }
            found.push(Reply { sample, id: name, said: Some(Said { views: vec![one], ..Said::default() }) });
            continue;
        }
        let plain = |column| cell(column).and_then(|c| of_plain(&Value::String(c.to_owned())));
        let mut said = plain(label).unwrap_or_default();
        said.ranking.extend(FURTHER.iter().filter_map(|c| row.cell(c)).map(ToOwned::to_owned));
        if has(&TEXTS).is_some() {
            said.text = plain(has(&TEXTS)).and_then(|s| s.text);
        }
        if has(&NUMBERS).is_some() {
            said.number = plain(has(&NUMBERS)).and_then(|s| s.number);
        }
        let empty = said == Said::default();
        found.push(Reply { sample, id: name, said: (!empty).then_some(said) });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<Vec<Reply>> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), text).unwrap();
        replies(&folder.path().join(name))
    }

    fn ranking(reply: &Reply) -> String {
        reply.said.as_ref().map_or("-".into(), |s| s.ranking.join(" "))
    }

    #[test]
    fn replies_results_lines_and_sheets_are_read() {
        let reply = r#"{"sample_id": "a/1", "predictions": [{"turn_id": "x__row2", "relation_top3": ["p", " q ", ""]},
            {"turn_id": "x__row4", "relation_top3": []}]}"#;
        let found = read("a.json", reply).unwrap();
        assert_eq!(
            (found[0].sample.as_deref(), found[0].id.as_str(), ranking(&found[0]).as_str()),
            (Some("a/1"), "x__row2", "p q ")
        );
        assert_eq!(ranking(&found[1]), "");
        let result = r#"{"overall": {}, "couples": {}, "samples": {}, "details": [{"sample_id": "a/1", "candidate_id": "i", "gold": "no", "label": "no", "should_speak": true}]}"#;
        assert_eq!(ranking(&read("a.json", result).unwrap()[0]), "yes");
        let lines = "{\"id\": \"i\", \"interview\": \"a/1\", \"label\": {\"emotion\": \"x\", \"intensity\": 2}, \"answer\": {\"emotion\": \"y\", \"intensity\": \"7.5\"}}\n\n{\"id\": \"j\", \"answer\": null}\n";
        let found = read("a.jsonl", lines).unwrap();
        let said = found[0].said.clone().unwrap();
        assert_eq!((said.number, said.text.as_deref(), &found[1].said), (Some(7.5), Some("y"), &None));
        let views = r#"[{"checkpoint_id": "v", "predicted_viewpoints": [{"source": "Ann", "target": "Bo", "viewpoint": "w", "attitude": ""}]}]"#;
        assert_eq!(read("a.json", views).unwrap()[0].said.as_ref().unwrap().views[0].target, "Bo");
        let found = read("a.csv", "id,label,label_2\ni,yes,no\nj,,\n").unwrap();
        assert_eq!((ranking(&found[0]).as_str(), &found[1].said), ("yes no", &None));
        let found = read("a.csv", "id,target,viewpoint\ni,Ann,x\ni,Bo,y\nj,Bo,z\n").unwrap();
        assert_eq!(found.iter().map(|r| r.said.as_ref().unwrap().views.len()).collect::<Vec<_>>(), [2, 1]);
        let found = read("a.csv", "id,label\ni,7\n").unwrap();
        assert_eq!(found[0].said.as_ref().unwrap().number, Some(7.0));
    }

    #[test]
    fn what_is_no_prediction_is_told_with_its_place() {
        for (name, text, expected) in [
            ("a.json", "{\"rows\": []}", "no id of an instance among the keys rows"),
            (
                "a.jsonl",
                "{\"id\": \"i\", \"answer\": 1}\n{\"id\": \"j\", \"label\": \"yes\"}\n",
                ":2: no answer among the keys id, label",
            ),
            ("a.json", "{\n\"id\": 3,\n", "no JSON"),
            ("a.json", "[]", "no predictions"),
            ("a.json", "[{\"id\": \"i\", \"top3\": \"x\"}]", "no list of names"),
            ("a.csv", "id,lable\ni,yes\n", "did you mean \"label\"?"),
            ("a.csv", "label\nyes\n", "no column id"),
        ] {
            let e = read(name, text).unwrap_err().to_string();
            assert!(e.contains(expected), "{expected}: {e}");
        }
    }
}
