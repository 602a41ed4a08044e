//! From JSON to a [`Sample`], field by field.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{
    BackgroundDialogue, COUPLE, Description, Emotion, FAMILY, GroupMode, Interaction, Row, Sample, Strategy, THERAPIST,
    Viewpoint, is_one_a_line, left, stem,
};
use crate::error::Result;
use crate::text::{clean, clean_lines};
use crate::transcript::draft::{Draft, short};
use crate::transcript::format::{Input, Json};
use crate::transcript::{clock, json};

/// A whole file, small.
pub(in crate::transcript) const EXAMPLE: &str = "{\"sample_id\": \"s\", \"rows\": [{\"row_index\": 1, \"start_time\": 0, \"end_time\": \"1.5\", \
    \"primary_speaker\": \"Ann\", \"target\": [\"Bo\"], \"dialogue_cleaned\": \"Hi.\", \"body_posture\": [\"sits\", {\"person\": \"Ann\"}]}, \
    {\"row_index\": 2, \"start_time\": 1.5, \"end_time\": 2, \"primary_speaker\": \"Therapist\", \"dialogue_cleaned\": \"Yes?\"}]}";

/// Reads the sample that is asked for, its rows as turns.
pub(in crate::transcript) fn read_into(input: &Input, draft: &mut Draft) -> Result<()> {
    let samples: Vec<(usize, &Value)> = match &input.json {
        Some(Json::Lines(lines)) => lines.iter().map(|(line, value)| (*line, value)).collect(),
        Some(Json::One(root)) => samples_in(root).unwrap_or_default().into_iter().map(|value| (0, value)).collect(),
        None => Vec::new(),
    };
    let id_of = |value: &Value| json::text(value.get("sample_id"));
    let chosen = match (input.sample_id, samples.as_slice()) {
        // A file of one sample is that sample, whatever the caller calls it: its place names it. A line has its id.
        (_, [only]) if is_one_sample(input) || id_of(only.1).is_empty() => Some(only),
        (None, [only]) => Some(only),
        (Some(id), _) => samples.iter().find(|(_, v)| id_of(v) == id.trim()),
        (None, _) => None,
    };
    if let Some((line, value)) = chosen {
        refuse_twice(&samples, (*line, &id_of(value)), draft)?;
    }
    let Some((line, value)) = chosen else {
        let known: Vec<String> = samples.iter().take(5).map(|(_, v)| id_of(v)).collect();
        let what = match input.sample_id {
            Some(id) => format!("no sample {id:?} among {}", samples.len()),
            None => format!("{} samples in one file", samples.len()),
        };
        let dots = if samples.len() > known.len() { ", …" } else { "" };
        return Err(draft.fail(0, what, format!("name one with sample_id: {}{dots}", known.join(", "))));
    };
    // Here nobody knows the data root, so a sample that says its id is believed.
    let own = Some(id_of(value)).filter(|own| !own.is_empty());
    let id = input.sample_id.map(str::to_owned).or(own).unwrap_or_else(|| stem(input.path));
    let sample = sample(value, &id, *line, draft)?;
    // Rows of other samples may have been dropped as well; of this one, the numbers tell.
    draft.take_lost();
    let mut before = 0;
    for row in &sample.rows {
        if row.row_index > before + 1 {
            draft.lose();
        }
        before = row.row_index;
        draft.push_numbered(
            row.row_index,
            row.segment,
            Some(&row.primary_speaker),
            row.dialogue_cleaned.clone(),
            Vec::new(),
        );
    }
    draft.keep_sample(sample);
    Ok(())
}

/// True for a file that is one sample, and neither a list of them nor one line of several.
fn is_one_sample(input: &Input) -> bool {
    !is_one_a_line(input.path) && matches!(&input.json, Some(Json::One(root)) if root.is_object())
}

/// True for JSON of one sample or of several.
pub(in crate::transcript) fn fits(json: &Json) -> bool {
    match json {
        Json::One(root) => samples_in(root).is_some(),
        Json::Lines(_) => true,
    }
}

/// The samples of a parsed file: an object with `rows`, or a list of such objects.
pub(super) fn samples_in(root: &Value) -> Option<Vec<&Value>> {
    let is_sample = |v: &Value| v.get("rows").is_some_and(Value::is_array);
    match root {
        Value::Object(_) => is_sample(root).then(|| vec![root]),
        Value::Array(list) if !list.is_empty() && list.iter().all(is_sample) => Some(list.iter().collect()),
        _ => None,
    }
}

/// 1-based lines and their values.
pub(in crate::transcript) type Lines = Vec<(usize, Value)>;

/// JSONL: 1-based line and value of every sample, or the first line that is none. `None` when already the first line is
/// no sample.
pub(in crate::transcript) fn lines(text: &str) -> Option<Result<Lines, (usize, String)>> {
    let mut out = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let what = match json::parse(line) {
            Ok(value) if value.is_object() && samples_in(&value).is_some() => {
                out.push((i + 1, value));
                continue;
            }
            Ok(_) => "the line is no object with `rows`".to_owned(),
            Err(error) => format!("JSON cannot be read: {error}"),
        };
        return (!out.is_empty()).then_some(Err((i + 1, what)));
    }
    (!out.is_empty()).then_some(Ok(out))
}

/// Reads one sample as the benchmark's scripts do: a row's index is its position, participants are those of the rows.
/// What the file says of them is not read, and told where it differs. `id` is the sample's, `line` is told in errors.
pub(super) fn sample(value: &Value, id: &str, line: usize, draft: &mut Draft) -> Result<Sample> {
    let mut value = value.clone();
    let changed = fit(&mut value);
    draft.count_changed(changed);
    let value = &value;
    let id = clean_lines(id).into_owned();
    let list = value.get("rows").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut rows: Vec<Row> = Vec::with_capacity(list.len());
    for (i, value) in list.iter().enumerate() {
        match row(value, i + 1) {
            Ok(row) => rows.push(row),
            Err(what) => {
                draft.bad(line, format!("sample {:?}, row {}: {what}", short(&id), i + 1), "correct the row")?
            }
        }
    }
    left::tell(&id, list, draft);
    let unread: Vec<String> = left::unread_indices(list).into_iter().collect();
    unread.iter().for_each(|what| draft.warn(format!("sample {:?}: {what}", short(&id))));
    let scenario = json::text(value.get("scenario"));
    let group_mode = group_mode(&id, &rows);
    if !scenario.is_empty() && scenario != group_mode.name() {
        draft.warn(format!(
            "scenario is {scenario:?}, but by its id and rows the sample is of {} therapy",
            group_mode.name()
        ));
    }
    Ok(Sample {
        id,
        scenario,
        group_mode,
        participants: derived_participants(&rows),
        named_participants: strings(value.get("participants")),
        source_file: json::text(value.get("source_file")),
        id_from_content: false,
        unread,
        rows,
    })
}

/// Takes what steers a terminal out of every text of a sample, line ends left to those who read it; tells how many
/// texts were changed.
fn fit(value: &mut Value) -> usize {
    match value {
        Value::String(text) => match clean_lines(text) {
            Cow::Borrowed(_) => 0,
            Cow::Owned(clean) => {
                *text = clean;
                1
            }
        },
        Value::Array(list) => list.iter_mut().map(fit).sum(),
        Value::Object(map) => map.values_mut().map(fit).sum(),
        _ => 0,
    }
}

fn group_mode(id: &str, rows: &[Row]) -> GroupMode {
    let family = |r: &Row| {
        r.primary_speaker == FAMILY
            || r.target.iter().chain(r.support_strategy.iter().flat_map(|s| &s.target)).any(|t| t == FAMILY)
    };
    let id = id.to_lowercase();
    let in_folder = id.starts_with("family_therapy/") || id.contains("/family_therapy/");
    if in_folder || rows.iter().any(family) { GroupMode::Family } else { GroupMode::Couple }
}

/// Speakers, targets and strategy targets in order of appearance, without therapist and group labels.
fn derived_participants(rows: &[Row]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for row in rows {
        let strategy = row.support_strategy.iter().flat_map(|s| &s.target);
        for name in std::iter::once(&row.primary_speaker).chain(&row.target).chain(strategy) {
            if !name.is_empty() && ![THERAPIST, COUPLE, FAMILY].contains(&name.as_str()) && seen.insert(name) {
                names.push(name.clone());
            }
        }
    }
    names
}

/// The row at a position, counted from 1; the position is its index.
fn row(value: &Value, position: usize) -> Result<Row, String> {
    let Value::Object(map) = value else {
        return Err("not an object".into());
    };
    let row_index = u32::try_from(position).map_err(|_| "there are too many rows".to_owned())?;
    let time = |key: &str| json::time(map.get(key)).ok_or_else(|| format!("{key} is missing or no number of seconds"));
    let segment = clock::span(time("start_time")?, time("end_time")?)?;
    let text = |key: &str| json::text(map.get(key));
    let one_line = |key: &str| name(map.get(key));
    Ok(Row {
        row_index,
        segment,
        primary_speaker: one_line("primary_speaker"),
        target: strings(map.get("target")),
        dialogue_cleaned: text("dialogue_cleaned"),
        utterance_type: one_line("utterance_type"),
        background_dialogue: items(map, "background_dialogue", |m| BackgroundDialogue {
            speaker: name(m.get("speaker")),
            target: strings(m.get("target")),
            content: plain(m, "content"),
        }),
        tone_of_voice: text("tone_of_voice"),
        body_posture: items(map, "body_posture", description),
        facial_expressions: items(map, "facial_expressions", description),
        self_directed_behavior: items(map, "self_directed_behavior", description),
        interaction_behavior: items(map, "interaction_behavior", |m| Interaction {
            initiator: name(m.get("initiator")),
            target: strings(m.get("target")),
            description: plain(m, "description"),
        }),
        internal_emotion: items(map, "internal_emotion", |m| Emotion {
            person: name(m.get("person")),
            emotion_description: plain(m, "emotion_description"),
            intensity: json::time(m.get("intensity")),
        }),
        viewpoints_attitudes: items(map, "viewpoints_attitudes", |m| Viewpoint {
            source: name(m.get("source")),
            target: strings(m.get("target")).join(", "),
            viewpoint: plain(m, "viewpoint"),
            attitude: json::text(m.get("attitude")),
        }),
        support_strategy: items(map, "support_strategy", |m| Strategy {
            provider: name(m.get("provider")),
            target: strings(m.get("target")),
            strategy_type: name(m.get("strategy_type")),
            strategy_content: plain(m, "strategy_content"),
        }),
        relation_cycle_state: one_line("relation_cycle_state"),
        relation_cycle_reason: text("relation_cycle_reason"),
        relation_cycle_evidence_rows: integers(map.get("relation_cycle_evidence_rows")),
        relation_pattern: one_line("relation_pattern"),
        relation_pattern_reason: text("relation_pattern_reason"),
        relation_pattern_evidence_rows: integers(map.get("relation_pattern_evidence_rows")),
    })
}

/// The key under which a plain string of a descriptive list is kept while its item is read.
const PLAIN: &str = "\u{0}plain";

/// A list of objects; a single object or string counts as a list of one, a plain string fills the item's text, null
/// items go.
fn items<T>(map: &Map<String, Value>, key: &str, item: impl Fn(&Map<String, Value>) -> T) -> Vec<T> {
    let list = match map.get(key) {
        Some(Value::Array(list)) => list.as_slice(),
        Some(single @ (Value::Object(_) | Value::String(_))) => std::slice::from_ref(single),
        _ => &[],
    };
    list.iter()
        .filter_map(|value| match value {
            Value::Object(m) => Some(item(m)),
            Value::String(s) if !s.trim().is_empty() => {
                let mut m = Map::new();
                m.insert(PLAIN.into(), value.clone());
                Some(item(&m))
            }
            _ => None,
        })
        .collect()
}

fn plain(map: &Map<String, Value>, key: &str) -> String {
    json::text(map.get(key).or_else(|| map.get(PLAIN)))
}

fn description(map: &Map<String, Value>) -> Description {
    Description { person: name(map.get("person")), description: plain(map, "description") }
}

/// A list of names, trimmed, empty ones dropped; a plain string counts as a list of one.
fn strings(value: Option<&Value>) -> Vec<String> {
    let list = match value {
        Some(Value::Array(list)) => list.as_slice(),
        Some(single @ Value::String(_)) => std::slice::from_ref(single),
        _ => &[],
    };
    list.iter().map(|v| name(Some(v))).filter(|s| !s.is_empty()).collect()
}

/// A name or a label: on one line, as the tables hold it, so that it is the same wherever it stands.
fn name(value: Option<&Value>) -> String {
    clean(&json::text(value)).into_owned()
}

pub(super) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(n) => {
            n.as_i64().or_else(|| n.as_f64().filter(|v| v.fract().abs() < 1e-9 && v.abs() < 1e9).map(|v| v as i64))
        }
        Value::String(s) => s.trim().parse().ok(),
        _ => None,
    }
}

fn integers(value: Option<&Value>) -> Vec<i64> {
    value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice).iter().filter_map(integer).collect()
}

/// Refuses a file that has the sample taken, with its line and id, more than once; lines are 0 in a list.
fn refuse_twice(samples: &[(usize, &Value)], (line, id): (usize, &str), draft: &Draft) -> Result<()> {
    let is_same = |value: &Value| !id.is_empty() && json::text(value.get("sample_id")) == id;
    let places: Vec<usize> = (0..samples.len()).filter(|&i| is_same(samples[i].1)).collect();
    let [first, second, ..] = places[..] else { return Ok(()) };
    let (unit, first, second) =
        if line > 0 { ("lines", samples[first].0, samples[second].0) } else { ("samples", first + 1, second + 1) };
    let what = format!("sample_id {id:?} occurs twice, in {unit} {first} and {second}");
    Err(draft.fail(if line > 0 { second } else { 0 }, what, "give every sample an id of its own"))
}
