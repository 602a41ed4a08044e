//! RESCUE-bench samples: rows with every evidence and label field, typed, as the benchmark publishes them.
//!
//! Two shapes hold the same thing: one JSON file a sample, and one JSONL file with a sample a line. Names, labels and texts are
//! trimmed on reading. Label fields ([`Row::internal_emotion`], [`Row::viewpoints_attitudes`], [`Row::support_strategy`], the
//! relation fields) are read for the task tables only and never become features.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::draft::{Draft, short};
use super::{clock, encoding, json};
use crate::error::{Error, Result};
use crate::file;
use crate::text::clean_lines;
use crate::time::Segment;

/// The name under which the therapist speaks; never a participant.
pub const THERAPIST: &str = "Therapist";
/// The label of both clients together.
pub const COUPLE: &str = "Couple";
/// The label of all clients together in family sessions.
pub const FAMILY: &str = "Family";

/// Whether a sample is of couple or of family therapy; decides label sets and the group label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupMode {
    /// Two clients; group label `Couple`.
    Couple,
    /// More clients; group label `Family`.
    Family,
}

impl GroupMode {
    /// `couple` or `family`.
    pub fn name(self) -> &'static str {
        match self {
            GroupMode::Couple => "couple",
            GroupMode::Family => "family",
        }
    }

    /// `Couple` or `Family`: the label that stands for several targets.
    pub fn label(self) -> &'static str {
        match self {
            GroupMode::Couple => COUPLE,
            GroupMode::Family => FAMILY,
        }
    }
}

/// One interview of the benchmark.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// `sample_id`, else the file's path relative to the data root without `.json`, with `/` between folders.
    pub id: String,
    /// `scenario` as written (`couple`, `family`); empty where absent. [`Sample::group_mode`] does not follow it.
    pub scenario: String,
    /// Couple or family by the benchmark's rule: `family_therapy/` in the id, or `Family` named in a row.
    pub group_mode: GroupMode,
    /// As written; where absent, derived from the rows. Never holds the therapist or a group label when derived.
    pub participants: Vec<String>,
    /// `source_file` as written; empty where absent.
    pub source_file: String,
    /// In file order, `row_index` strictly increasing.
    pub rows: Vec<Row>,
}

/// One turn with what annotators saw and labelled. Strings are trimmed and empty where absent; lists empty where absent.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// 1-based; the position in `rows` where the file has none.
    pub row_index: u32,
    /// Seconds from the start of the sample's own clip.
    pub segment: Segment,
    /// A name or `Therapist`.
    pub primary_speaker: String,
    /// Names, `Therapist`, `Couple`, `Family`; empty items dropped.
    pub target: Vec<String>,
    /// The words said.
    pub dialogue_cleaned: String,
    /// disclosure, accusation, defense, …
    pub utterance_type: String,
    /// Speech of others inside the turn, without times.
    pub background_dialogue: Vec<BackgroundDialogue>,
    /// Audio cue in words.
    pub tone_of_voice: String,
    /// Visual cue in words.
    pub body_posture: Vec<Description>,
    /// Visual cue in words.
    pub facial_expressions: Vec<Description>,
    /// Visual cue in words.
    pub self_directed_behavior: Vec<Description>,
    /// Visual cue in words.
    pub interaction_behavior: Vec<Interaction>,
    /// Label (ER).
    pub internal_emotion: Vec<Emotion>,
    /// Label (VP).
    pub viewpoints_attitudes: Vec<Viewpoint>,
    /// Label (STP, SSP).
    pub support_strategy: Vec<Strategy>,
    /// Label (RPP), on therapist rows.
    pub relation_cycle_state: String,
    /// Label.
    pub relation_cycle_reason: String,
    /// Label: row indices.
    pub relation_cycle_evidence_rows: Vec<i64>,
    /// Label, on other rows.
    pub relation_pattern: String,
    /// Label.
    pub relation_pattern_reason: String,
    /// Label: row indices.
    pub relation_pattern_evidence_rows: Vec<i64>,
}

/// Speech of somebody else inside a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct BackgroundDialogue {
    /// Who spoke.
    pub speaker: String,
    /// To whom.
    pub target: Vec<String>,
    /// The words.
    pub content: String,
}

/// What was seen on a person. A plain string in the file has an empty `person`.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Whom it is about; empty where not told.
    pub person: String,
    /// In words.
    pub description: String,
}

/// What one did to others. A plain string in the file has an empty `initiator`.
#[derive(Clone, Debug, PartialEq)]
pub struct Interaction {
    /// Who did it; empty where not told.
    pub initiator: String,
    /// To whom.
    pub target: Vec<String>,
    /// In words.
    pub description: String,
}

/// Label: what a person feels.
#[derive(Clone, Debug, PartialEq)]
pub struct Emotion {
    /// Who feels it.
    pub person: String,
    /// In words.
    pub emotion_description: String,
    /// 1 to 10 as written, unrounded; `None` where absent or not a number.
    pub intensity: Option<f64>,
}

/// Label: what one thinks of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Viewpoint {
    /// Who holds it.
    pub source: String,
    /// About whom.
    pub target: String,
    /// In words.
    pub viewpoint: String,
    /// In words.
    pub attitude: String,
}

/// Label: how the therapist supports.
#[derive(Clone, Debug, PartialEq)]
pub struct Strategy {
    /// Who supports.
    pub provider: String,
    /// Whom.
    pub target: Vec<String>,
    /// counterbalance, safeguard, …
    pub strategy_type: String,
    /// In words.
    pub strategy_content: String,
}

/// Reads all samples under `root`: a folder (searched recursively; sample id = path relative to it without `.json`, files called
/// `manifest.json` left out, JSONL files read line by line), one JSON file, or one JSONL file. Folders are sorted by id, a file
/// keeps its order.
///
/// # Errors
/// [`Error::Read`] and [`Error::Parse`], naming file, line and row; [`Error::Parse`] as well where no sample is found or an id repeats.
pub fn read_samples(root: &Path) -> Result<Vec<Sample>> {
    read(root, None)
}

/// As [`read_samples`], but rows that cannot be used are left out and told, with their file.
///
/// # Errors
/// As [`read_samples`], but for bad rows.
pub fn read_samples_leniently(root: &Path) -> Result<(Vec<Sample>, Vec<String>)> {
    let mut dropped = Vec::new();
    Ok((read(root, Some(&mut dropped))?, dropped))
}

fn read(root: &Path, mut dropped: Option<&mut Vec<String>>) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    if root.is_dir() {
        for file in &sample_files(root)? {
            let relative = file.strip_prefix(root).unwrap_or(file).with_extension("");
            let id: Vec<String> = relative.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
            match (read_file(file, &id.join("/"), dropped.as_deref_mut()), dropped.as_deref_mut()) {
                (Ok(found), _) => samples.extend(found),
                // One file that cannot be read at all does not hide what is in the others.
                (Err(e), Some(dropped)) => dropped.push(e.to_string()),
                (Err(e), None) => return Err(e),
            }
        }
        samples.sort_by(|a, b| a.id.cmp(&b.id));
    } else {
        samples = read_file(root, &stem(root), dropped)?;
    }
    if samples.is_empty() {
        return Err(Error::parse(
            root,
            0,
            "no RESCUE-bench sample",
            "expected JSON files with `rows`, or a JSONL file with a sample a line",
        ));
    }
    let mut ids: Vec<&str> = samples.iter().map(|s| s.id.as_str()).collect();
    ids.sort_unstable();
    if let Some(pair) = ids.windows(2).find(|w| w[0] == w[1]) {
        return Err(Error::parse(root, 0, format!("sample id {:?} occurs twice", pair[0]), "give every sample an id of its own"));
    }
    Ok(samples)
}

/// The files below a folder that hold samples, by the benchmark's rule, sorted; a file is itself.
///
/// # Errors
/// [`Error::Read`] for a folder that cannot be listed.
pub fn sample_files(root: &Path) -> Result<Vec<PathBuf>> {
    if !root.is_dir() {
        return Ok(vec![root.to_owned()]);
    }
    let mut files = Vec::new();
    collect(root, &mut files)?;
    files.sort();
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let unreadable = |source| Error::Read { path: folder.to_owned(), source };
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path();
        // Links to folders are not followed: they may lead round in a circle.
        if entry.file_type().map_err(unreadable)?.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json") || e.eq_ignore_ascii_case("jsonl"))
            && path.file_name().is_some_and(|n| n != "manifest.json")
        {
            files.push(path);
        }
    }
    Ok(())
}

fn read_file(path: &Path, id: &str, dropped: Option<&mut Vec<String>>) -> Result<Vec<Sample>> {
    let bytes = file::read(path)?;
    let (text, _) = encoding::decode(&bytes);
    let mut draft = Draft::new(path, dropped.is_some());
    let found = match json::parse(&text) {
        Ok(root) => samples_in(&root).map(|list| list.into_iter().map(|v| (0, v.clone())).collect()),
        Err(error) => match lines(&text) {
            Some(Ok(list)) => Some(list),
            Some(Err((line, what))) => return Err(Error::parse(path, line, what, "correct the line")),
            None => return Err(Error::parse(path, error.line(), format!("no JSON: {error}"), "expected a JSON object with `rows`")),
        },
    };
    let Some(found) = found else {
        return Err(Error::parse(path, 0, "no RESCUE-bench sample: `rows` is missing", "expected an object with a list called `rows`"));
    };
    let samples: Vec<Sample> = found.iter().map(|(line, value)| sample(value, id, *line, &mut draft)).collect::<Result<_>>()?;
    if draft.changed() > 0 {
        tracing::warn!("{}: {} texts held control characters, which were replaced", path.display(), draft.changed());
    }
    draft.oddities().for_each(|what| tracing::warn!("{}: {what}", path.display()));
    if let Some(dropped) = dropped {
        dropped.extend(draft.dropped().map(|what| format!("{}: {what}", path.display())));
    }
    Ok(samples)
}

pub(super) fn stem(path: &Path) -> String {
    path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
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
type Lines = Vec<(usize, Value)>;

/// JSONL: 1-based line and value of every sample, or the first line that is none. `None` when already the first line is no sample.
pub(super) fn lines(text: &str) -> Option<Result<Lines, (usize, String)>> {
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

/// Reads one sample; `id` is used where the file names none, `line` is told in errors.
pub(super) fn sample(value: &Value, id: &str, line: usize, draft: &mut Draft) -> Result<Sample> {
    let mut value = value.clone();
    let changed = fit(&mut value);
    draft.count_changed(changed);
    let value = &value;
    let own = json::text(value.get("sample_id"));
    let id = if own.is_empty() { id.to_owned() } else { own };
    let list = value.get("rows").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut rows: Vec<Row> = Vec::with_capacity(list.len());
    for (i, value) in list.iter().enumerate() {
        let last = rows.last().map_or(0, |r| r.row_index);
        match row(value, i + 1, last) {
            Ok(row) => rows.push(row),
            Err(what) => draft.bad(line, format!("sample {:?}, row {}: {what}", short(&id), i + 1), "correct the row")?,
        }
    }
    super::rescue_left::tell(&id, list, draft);
    let scenario = json::text(value.get("scenario"));
    let group_mode = group_mode(&id, &rows);
    if !scenario.is_empty() && scenario != group_mode.name() {
        draft.warn(format!("scenario is {scenario:?}, but by its id and rows the sample is of {} therapy", group_mode.name()));
    }
    let mut participants = strings(value.get("participants"));
    if participants.is_empty() {
        participants = derived_participants(&rows);
    }
    Ok(Sample { id, scenario, group_mode, participants, source_file: json::text(value.get("source_file")), rows })
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
        r.primary_speaker == FAMILY || r.target.iter().chain(r.support_strategy.iter().flat_map(|s| &s.target)).any(|t| t == FAMILY)
    };
    if id.contains("family_therapy/") || rows.iter().any(family) { GroupMode::Family } else { GroupMode::Couple }
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

fn row(value: &Value, position: usize, last: u32) -> Result<Row, String> {
    let Value::Object(map) = value else {
        return Err("not an object".into());
    };
    let row_index = match map.get("row_index") {
        None | Some(Value::Null) => u32::try_from(position).ok(),
        Some(v) => integer(v).and_then(|n| u32::try_from(n).ok()),
    };
    let Some(row_index) = row_index.filter(|n| *n > 0) else {
        return Err(format!("row_index {} is no number from 1 up", map["row_index"]));
    };
    if row_index <= last {
        let how = if row_index == last { "occurs twice" } else { "does not increase" };
        return Err(format!("row_index {row_index} after {last} {how}"));
    }
    let time = |key: &str| json::time(map.get(key)).ok_or_else(|| format!("{key} is missing or no number of seconds"));
    let segment = clock::span(time("start_time")?, time("end_time")?)?;
    let text = |key: &str| json::text(map.get(key));
    Ok(Row {
        row_index,
        segment,
        primary_speaker: text("primary_speaker"),
        target: strings(map.get("target")),
        dialogue_cleaned: text("dialogue_cleaned"),
        utterance_type: text("utterance_type"),
        background_dialogue: items(map, "background_dialogue", |m| BackgroundDialogue {
            speaker: json::text(m.get("speaker")),
            target: strings(m.get("target")),
            content: plain(m, "content"),
        }),
        tone_of_voice: text("tone_of_voice"),
        body_posture: items(map, "body_posture", description),
        facial_expressions: items(map, "facial_expressions", description),
        self_directed_behavior: items(map, "self_directed_behavior", description),
        interaction_behavior: items(map, "interaction_behavior", |m| Interaction {
            initiator: json::text(m.get("initiator")),
            target: strings(m.get("target")),
            description: plain(m, "description"),
        }),
        internal_emotion: items(map, "internal_emotion", |m| Emotion {
            person: json::text(m.get("person")),
            emotion_description: plain(m, "emotion_description"),
            intensity: json::time(m.get("intensity")),
        }),
        viewpoints_attitudes: items(map, "viewpoints_attitudes", |m| Viewpoint {
            source: json::text(m.get("source")),
            target: strings(m.get("target")).join(", "),
            viewpoint: plain(m, "viewpoint"),
            attitude: json::text(m.get("attitude")),
        }),
        support_strategy: items(map, "support_strategy", |m| Strategy {
            provider: json::text(m.get("provider")),
            target: strings(m.get("target")),
            strategy_type: json::text(m.get("strategy_type")),
            strategy_content: plain(m, "strategy_content"),
        }),
        relation_cycle_state: text("relation_cycle_state"),
        relation_cycle_reason: text("relation_cycle_reason"),
        relation_cycle_evidence_rows: integers(map.get("relation_cycle_evidence_rows")),
        relation_pattern: text("relation_pattern"),
        relation_pattern_reason: text("relation_pattern_reason"),
        relation_pattern_evidence_rows: integers(map.get("relation_pattern_evidence_rows")),
    })
}

/// The key under which a plain string of a descriptive list is kept while its item is read.
const PLAIN: &str = "\u{0}plain";

/// A list of objects; a single object or string counts as a list of one, a plain string fills the item's text, null items go.
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
    Description { person: json::text(map.get("person")), description: plain(map, "description") }
}

/// A list of names, trimmed, empty ones dropped; a plain string counts as a list of one.
fn strings(value: Option<&Value>) -> Vec<String> {
    let list = match value {
        Some(Value::Array(list)) => list.as_slice(),
        Some(single @ Value::String(_)) => std::slice::from_ref(single),
        _ => &[],
    };
    list.iter().map(|v| json::text(Some(v))).filter(|s| !s.is_empty()).collect()
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(n) => n.as_i64().or_else(|| n.as_f64().filter(|v| v.fract().abs() < 1e-9 && v.abs() < 1e9).map(|v| v as i64)),
        Value::String(s) => s.trim().parse().ok(),
        _ => None,
    }
}

fn integers(value: Option<&Value>) -> Vec<i64> {
    value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice).iter().filter_map(integer).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::transcript::Format;
    use crate::transcript::ReadOptions;
    use crate::transcript::read_bytes;
    use crate::transcript::tests::{LENIENT, complaint, parse, told, warned};

    /// Every field, and every trap of the format: no row_index in part, plain strings, nulls, white space, a target as a string.
    pub(crate) const SAMPLE: &str = r#"{"rows": [
 {"start_time": 0, "end_time": 1.5, "primary_speaker": " Therapist ", "target": ["Dale", " India ", ""], "dialogue_cleaned": " Hi  both. ",
  "utterance_type": "request", "background_dialogue": [{"speaker": "Dale", "target": ["Therapist"], "content": "Hm."}],
  "tone_of_voice": "warm", "body_posture": [{"person": "Dale", "description": "leans back"}, "all sit", null, ""],
  "facial_expressions": ["a smile"], "self_directed_behavior": [], "interaction_behavior": [{"initiator": "India", "target": ["Dale"], "description": "looks"}],
  "internal_emotion": [], "viewpoints_attitudes": null,
  "support_strategy": [{"provider": "Therapist", "target": ["Dale", "Uma"], "strategy_type": " join ", "strategy_content": "c"}],
  "relation_cycle_state": "pursue_withdraw", "relation_cycle_reason": "r", "relation_cycle_evidence_rows": [1, "2", 3.0, null],
  "relation_pattern": null, "row_index": 1},
 {"start_time": 1.5, "end_time": "2.25", "primary_speaker": "Dale", "target": "Therapist", "dialogue_cleaned": "No.", "row_index": null,
  "internal_emotion": [{"person": "Dale", "emotion_description": "sad", "intensity": 7}, {"person": "Dale", "emotion_description": "x", "intensity": "6.5"}, {"person": "Dale"}],
  "viewpoints_attitudes": [{"source": "Dale", "target": "India", "viewpoint": "v", "attitude": "a"}],
  "relation_pattern": "withdraw", "relation_pattern_reason": "q", "relation_pattern_evidence_rows": [1]},
 {"start_time": 2.25, "end_time": 2.25, "primary_speaker": "", "target": ["Couple"], "dialogue_cleaned": "", "row_index": 5}
]}"#;

    #[test]
    fn a_rescue_sample_with_every_field() {
        let t = parse("s/004_x.json", SAMPLE);
        assert_eq!(t.format, Format::Rescue);
        assert_eq!(told(&t), ["0-1.5 Therapist: Hi  both.", "1.5-2.25 Dale: No.", "2.25-2.25 "]);
        assert_eq!(t.turns.iter().map(|t| t.index).collect::<Vec<_>>(), [1, 2, 5]);
        assert_eq!(t.turns[2].speaker, None);
        let s = t.sample.unwrap();
        assert_eq!((s.id.as_str(), s.scenario.as_str(), s.group_mode), ("004_x", "", GroupMode::Couple));
        assert_eq!(s.participants, ["Dale", "India", "Uma"]);
        let r = &s.rows[0];
        assert_eq!(r.target, ["Dale", "India"]);
        assert_eq!(
            r.background_dialogue,
            [BackgroundDialogue { speaker: "Dale".into(), target: vec!["Therapist".into()], content: "Hm.".into() }]
        );
        let seen = |person: &str, description: &str| Description { person: person.into(), description: description.into() };
        assert_eq!(r.body_posture, [seen("Dale", "leans back"), seen("", "all sit")]);
        assert_eq!(r.facial_expressions, [seen("", "a smile")]);
        assert_eq!(
            r.interaction_behavior,
            [Interaction { initiator: "India".into(), target: vec!["Dale".into()], description: "looks".into() }]
        );
        assert_eq!(r.support_strategy[0].strategy_type, "join");
        assert_eq!((r.relation_cycle_state.as_str(), r.relation_cycle_evidence_rows.as_slice()), ("pursue_withdraw", &[1_i64, 2, 3][..]));
        assert_eq!(r.relation_pattern, "");
        assert!(r.internal_emotion.is_empty() && r.viewpoints_attitudes.is_empty() && r.self_directed_behavior.is_empty());
        let r = &s.rows[1];
        assert_eq!((r.row_index, r.target.as_slice()), (2, &["Therapist".to_owned()][..]));
        assert_eq!(r.internal_emotion.iter().map(|e| e.intensity).collect::<Vec<_>>(), [Some(7.0), Some(6.5), None]);
        assert_eq!(
            r.viewpoints_attitudes,
            [Viewpoint { source: "Dale".into(), target: "India".into(), viewpoint: "v".into(), attitude: "a".into() }]
        );
        assert_eq!((r.relation_pattern.as_str(), r.relation_pattern_evidence_rows.as_slice()), ("withdraw", &[1_i64][..]));
    }

    #[test]
    fn rescue_rows_must_count_up() {
        let rows = |a: &str, b: &str| {
            format!(
                r#"{{"rows": [{{"start_time": 0, "end_time": 1, "row_index": {a}}}, {{"start_time": 1, "end_time": 2, "row_index": {b}}}]}}"#
            )
        };
        assert!(complaint("a.json", &rows("2", "2")).contains("row 2: row_index 2 after 2 occurs twice"));
        assert!(complaint("a.json", &rows("3", "1")).contains("row_index 1 after 3 does not increase"));
        assert!(complaint("a.json", &rows("0", "1")).contains("row_index 0 is no number from 1 up"));
        assert!(complaint("a.json", r#"{"rows": [{"end_time": 1}]}"#).contains("row 1: start_time is missing"));
        assert!(complaint("a.json", r#"{"rows": [{"start_time": 2, "end_time": 1}]}"#).contains("end 1 s before start 2 s"));
        assert!(complaint("a.json", r#"{"rows": [3]}"#).contains("row 1: not an object"));
        assert!(complaint("a.json", r#"{"rows": []}"#).contains("no cues (RESCUE-bench)"));
        let t = read_bytes(rows("2", "2").as_bytes(), Path::new("a.json"), &LENIENT).unwrap();
        assert_eq!((t.turns.len(), t.sample.unwrap().rows.len()), (1, 1));
    }

    #[test]
    fn a_jsonl_file_holds_many_samples() {
        let line = |id: &str, speaker: &str| {
            format!(
                r#"{{"sample_id": "{id}", "scenario": "family", "participants": ["Z"], "source_file": "f.json", "rows": [{{"start_time": 0, "end_time": 1, "primary_speaker": "{speaker}"}}]}}"#
            )
        };
        let text = format!("{}\n\n{}\n", line("a/1", "Ann"), line("a/2", "Family"));
        let pick = |id| read_bytes(text.as_bytes(), Path::new("all.jsonl"), &ReadOptions { lenient: false, sample_id: id });
        let t = pick(Some("a/2")).unwrap();
        let s = t.sample.clone().unwrap();
        assert_eq!(
            (s.id.as_str(), s.group_mode, s.participants.as_slice(), s.source_file.as_str()),
            ("a/2", GroupMode::Family, &["Z".to_owned()][..], "f.json")
        );
        assert!(warned(&pick(Some("a/1")).unwrap()).contains("scenario is \"family\""));
        let e = pick(None).unwrap_err().to_string();
        assert!(e.contains("2 samples in one file") && e.contains("a/1, a/2"), "{e}");
        assert!(pick(Some("b")).unwrap_err().to_string().contains("no sample \"b\" among 2"));
    }

    #[test]
    fn samples_of_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for (name, text) in [("family_therapy/b.json", SAMPLE), ("a.json", SAMPLE), ("a/manifest.json", "{}"), ("notes.txt", "x")] {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), text).unwrap();
        }
        let samples = read_samples(root).unwrap();
        let told: Vec<(&str, GroupMode)> = samples.iter().map(|s| (s.id.as_str(), s.group_mode)).collect();
        assert_eq!(told, [("a", GroupMode::Couple), ("family_therapy/b", GroupMode::Family)]);
        assert_eq!(read_samples(&root.join("a.json")).unwrap()[0].id, "a");
        assert!(read_samples(&root.join("a")).unwrap_err().to_string().contains("no RESCUE-bench sample"));
        std::fs::write(root.join("bad.json"), r#"{"rows": [{"start_time": "x", "end_time": 1}]}"#).unwrap();
        let e = read_samples(root).unwrap_err().to_string();
        assert!(e.contains("bad.json") && e.contains("row 1: start_time"), "{e}");
    }
}
