//! The benchmark's er.jsonl and vp.jsonl, released beside the samples: one instance a line, with its row, the rows
//! before it, and what is right.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::clips::{Clips, RowClip};
use super::rescue::{GoldViewpoint, Instance, group_of};
use super::rule;
use crate::error::{Error, Result};
use crate::transcript::rescue::Sample;

/// An instance of er.jsonl or vp.jsonl, as far as it is scored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Released {
    /// `er` or `vp`.
    pub task: String,
    /// The instance's id.
    pub instance_id: String,
    /// Couple or family.
    pub scenario: String,
    /// The sample it is of.
    pub sample_id: String,
    /// Position of its row, from 1.
    pub row_index: u32,
    /// Who speaks it.
    pub speaker: String,
    /// Who takes part.
    pub participants: Vec<String>,
    /// VP: what is right.
    pub viewpoints: Vec<GoldViewpoint>,
    /// ER: what is right.
    pub emotion: String,
    /// ER: 0 to 10.
    pub intensity: Option<i64>,
}

/// Reads er.jsonl or vp.jsonl; which of them a line is of, its labels tell.
///
/// # Errors
/// [`Error::Read`]; [`Error::Parse`] with the line for what is no such instance, or a file without any.
pub fn read_released(path: &Path) -> Result<Vec<Released>> {
    let text = crate::file::read_text(path)?;
    let mut found = Vec::new();
    for (line, number) in text.trim_start_matches('\u{feff}').lines().zip(1..).filter(|(l, _)| !l.trim().is_empty()) {
        let hint = "expected a line of the benchmark's er.jsonl or vp.jsonl";
        let fail = |what: String| Error::parse(path, number, what, hint);
        let value: Value = serde_json::from_str(line).map_err(|e| fail(format!("no JSON: {e}")))?;
        found.push(released(&value).map_err(fail)?);
    }
    if found.is_empty() {
        return Err(Error::parse(path, 0, "no instances", "expected the benchmark's er.jsonl or vp.jsonl"));
    }
    Ok(found)
}

fn released(value: &Value) -> Result<Released, String> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    let needed = |key: &str| Some(text(key)).filter(|t| !t.is_empty()).ok_or_else(|| format!("it has no {key}"));
    let sample_id = needed("sample_id").or_else(|_| needed("source_sample_id")).map_err(|_| "it has no sample_id")?;
    let index = value.get("row_index").and_then(Value::as_u64).and_then(|i| u32::try_from(i).ok());
    let names = |key: &str| -> Vec<String> {
        let list = value.get(key).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(|n| n.trim().to_owned()).filter(|n| !n.is_empty()).collect()
    };
    let mut one = Released {
        instance_id: needed("instance_id")?,
        scenario: text("scenario"),
        sample_id,
        row_index: index.ok_or("it has no row_index")?,
        speaker: needed("speaker")?,
        participants: names("participants"),
        ..Released::default()
    };
    let [emotion, viewpoint] = rule::released();
    if let Some(views) = value.get("gold_viewpoints").and_then(Value::as_array) {
        one.task = viewpoint.name.into();
        let text = |v: &Value, key: &str| v.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        let view = |v: &Value| GoldViewpoint {
            source: text(v, "source"),
            target: text(v, "target"),
            viewpoint: text(v, "viewpoint"),
            attitude: text(v, "attitude"),
        };
        one.viewpoints = views.iter().map(view).collect();
        return Ok(one);
    }
    one.task = emotion.name.into();
    one.emotion =
        needed("gold_internal_emotion").map_err(|_| "it has neither gold_viewpoints nor gold_internal_emotion")?;
    let intensity = value.get("gold_intensity_score").and_then(Value::as_f64).map(f64::round_ties_even);
    one.intensity =
        Some(intensity.filter(|i| (0.0..=10.0).contains(i)).ok_or("its gold_intensity_score is not from 0 to 10")?
            as i64);
    Ok(one)
}

/// An instance of er or vp as a line of the benchmark's file. `rows` are the sample's rows as they were exported, by
/// position from 1, with the cue fields that are to be shown.
pub fn released_line(task: &str, one: &Instance, sample: &Sample, rows: &[Value], clips: Option<&Clips>) -> String {
    let [_, viewpoint] = rule::released();
    let of_views = task == viewpoint.name;
    let clip = |row: u32| clips.and_then(|c| c.of(&sample.id, row));
    let own = shown(rows, one.row, clip(one.row));
    let before: Vec<Value> =
        one.context.iter().filter(|r| **r != one.row).map(|r| Value::Object(shown(rows, *r, clip(*r)))).collect();
    let mut told = Map::from_iter(
        [
            ("task", json!(task)),
            ("instance_id", json!(one.id)),
            ("scenario", json!(one.group_mode)),
            ("source_sample_id", json!(sample.id)),
            ("source_file", json!(format!("{}.json", sample.id))),
            ("sample_id", json!(sample.id)),
            ("couple", json!(group_of(&sample.id))),
            ("participants", json!(if of_views { &one.candidates } else { &sample.participants })),
        ]
        .map(|(key, value)| (key.to_owned(), value)),
    );
    told.extend(own);
    told.insert("prior_context".into(), Value::Array(before));
    if of_views {
        told.insert("gold_viewpoints".into(), json!(one.viewpoints));
    } else {
        told.insert("gold_internal_emotion".into(), json!(one.label));
        told.insert("gold_intensity_score".into(), json!(one.intensity));
    }
    Value::Object(told).to_string()
}

/// Fields of a row that its cues are in.
const CUES: [&str; 5] =
    ["tone_of_voice", "body_posture", "facial_expressions", "self_directed_behavior", "interaction_behavior"];

/// A row as the files show it: never a label.
fn shown(rows: &[Value], index: u32, clip: Option<&RowClip>) -> Map<String, Value> {
    let row = rows.get((index as usize).saturating_sub(1)).unwrap_or(&Value::Null);
    let field = |key: &str| row.get(key).cloned().unwrap_or(Value::Null);
    let secs = |key: &str| row.get(key).and_then(|v| v.as_f64().or_else(|| v.as_str()?.trim().parse().ok()));
    let span = secs("start_time").zip(secs("end_time")).map(|(a, b)| format!("{a:.3}-{b:.3}"));
    let speaker = row.get("primary_speaker").and_then(Value::as_str).map(str::trim);
    let mut told = Map::from_iter(
        [
            ("row_index", json!(index)),
            ("timestamp", json!(span)),
            ("speaker", json!(speaker)),
            ("target", field("target")),
            ("dialogue", field("dialogue_cleaned")),
            ("background_dialogue", field("background_dialogue")),
            ("clip_path", json!(clip.map(|c| &c.path))),
            ("clip_duration_sec", json!(clip.and_then(|c| c.secs))),
        ]
        .map(|(key, value)| (key.to_owned(), value)),
    );
    told.extend(CUES.map(|key| (key.to_owned(), field(key))));
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{RuleSpec, Task, instances};
    use crate::transcript::rescue::read_samples;

    #[test]
    fn a_line_is_read_as_it_was_written_and_shows_no_label() {
        let folder = tempfile::tempdir().unwrap();
        let row = |i: u32| {
            json!({"start_time": i, "end_time": f64::from(i) + 0.5, "primary_speaker": " Ann ", "target": ["Bo"],
                "dialogue_cleaned": "the kettle was blue and old", "tone_of_voice": "loud", "row_index": 40 + i,
                "internal_emotion": [{"person": "Ann", "emotion_description": "SECRET", "intensity": 6.5}],
                "viewpoints_attitudes": [{"source": "Ann", "target": "Bo", "viewpoint": "SECRET v", "attitude": "a"}]})
        };
        let rows: Vec<Value> = (0..9).map(row).collect();
        std::fs::create_dir(folder.path().join("pair")).unwrap();
        std::fs::write(folder.path().join("pair/s.json"), json!({ "rows": rows }).to_string()).unwrap();
        let samples = read_samples(folder.path()).unwrap();
        for task in ["er", "vp"] {
            let all = instances(&samples, &Task::of(RuleSpec::named(task).unwrap()));
            assert_eq!(all.len(), 5);
            let lines: Vec<String> = all.iter().map(|one| released_line(task, one, &samples[0], &rows, None)).collect();
            let path = folder.path().join(format!("{task}.jsonl"));
            std::fs::write(&path, lines.join("\n")).unwrap();
            let read = read_released(&path).unwrap();
            for ((one, released), line) in all.iter().zip(&read).zip(&lines) {
                assert_eq!((&released.task[..], &released.instance_id, released.row_index), (task, &one.id, one.row));
                assert_eq!((&released.sample_id[..], &released.speaker[..]), ("pair/s", "Ann"));
                assert_eq!((&released.viewpoints, released.intensity), (&one.viewpoints, one.intensity));
                let value: Value = serde_json::from_str(line).unwrap();
                assert_eq!(value["timestamp"], format!("{0}.000-{0}.500", one.row - 1));
                assert_eq!(value["couple"], "pair");
                let before = value["prior_context"].as_array().unwrap();
                assert_eq!(before.len(), (one.row as usize - 1).min(3));
                assert!(before.iter().all(|r| r["tone_of_voice"] == "loud" && r["clip_path"].is_null()));
                assert!(!value["prior_context"].to_string().contains("SECRET"));
            }
        }
        for (line, expected) in [
            ("{}", "no sample_id"),
            (
                "{\"sample_id\": \"a\", \"instance_id\": \"i\", \"row_index\": 1, \"speaker\": \"Ann\"}",
                "neither gold_viewpoints",
            ),
            ("x", "no JSON"),
        ] {
            let path = folder.path().join("bad.jsonl");
            std::fs::write(&path, line).unwrap();
            let e = read_released(&path).unwrap_err().to_string();
            assert!(e.contains(expected), "{expected}: {e}");
        }
    }
}
