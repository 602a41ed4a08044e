//! What the rows of a RESCUE-bench sample hold beside what is read: unknown keys, and values of another kind than their
//! key has.

use std::collections::BTreeMap;

use serde_json::Value;

use super::parse::integer;
use crate::transcript::draft::{Draft, short};

/// What a key holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// A text or number.
    Text,
    /// A list of names, or one.
    Names,
    /// A list of objects or texts, or one.
    Items,
    /// A list of row indices.
    Indices,
}

const KEYS: [(&str, Holds); 22] = [
    ("start_time", Holds::Text),
    ("end_time", Holds::Text),
    ("row_index", Holds::Text),
    ("primary_speaker", Holds::Text),
    ("target", Holds::Names),
    ("dialogue_cleaned", Holds::Text),
    ("utterance_type", Holds::Text),
    ("background_dialogue", Holds::Items),
    ("tone_of_voice", Holds::Text),
    ("body_posture", Holds::Items),
    ("facial_expressions", Holds::Items),
    ("self_directed_behavior", Holds::Items),
    ("interaction_behavior", Holds::Items),
    ("internal_emotion", Holds::Items),
    ("viewpoints_attitudes", Holds::Items),
    ("support_strategy", Holds::Items),
    ("relation_cycle_state", Holds::Text),
    ("relation_cycle_reason", Holds::Text),
    ("relation_cycle_evidence_rows", Holds::Indices),
    ("relation_pattern", Holds::Text),
    ("relation_pattern_reason", Holds::Text),
    ("relation_pattern_evidence_rows", Holds::Indices),
];

/// What a sample says of its id where that is not its place below the data root, which counts.
pub(super) fn unread_id(id: &str, sample: &Value) -> Option<String> {
    let own = sample.get("sample_id").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    (!own.is_empty() && own != id).then(|| format!("its sample_id {:?} is not read, its place names it", short(own)))
}

/// What rows say of their indices where that is not their position, which counts.
pub(super) fn unread_indices(rows: &[Value]) -> Option<String> {
    let differs = |(position, row): &(i64, &Value)| {
        row.get("row_index").is_some_and(|v| !is_empty(v) && integer(v) != Some(*position))
    };
    let mut moved = (1..).zip(rows).filter(differs).map(|(position, _)| position);
    let first = moved.next()?;
    let count = 1 + moved.count();
    Some(format!("row_index of {count} rows is not their position, which counts (first: row {first})"))
}

/// Tells, once for every key, how many rows hold something under it that is not read, and the first of them.
pub(super) fn tell(id: &str, rows: &[Value], draft: &mut Draft) {
    let mut unknown: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut odd: BTreeMap<&str, (usize, usize, String)> = BTreeMap::new();
    for (number, map) in rows.iter().zip(1..).filter_map(|(row, n)| Some((n, row.as_object()?))) {
        for (key, value) in map.iter().filter(|(_, v)| !is_empty(v)) {
            match KEYS.iter().find(|(k, _)| k == key) {
                None => unknown.entry(key).or_insert((0, number)).0 += 1,
                Some((_, holds)) => {
                    if let Some(stray) = stray(value, *holds) {
                        odd.entry(key).or_insert_with(|| (0, number, short(&stray.to_string()))).0 += 1;
                    }
                }
            }
        }
    }
    let id = short(id);
    if !unknown.is_empty() {
        let all: Vec<String> =
            unknown.iter().map(|(key, (count, first))| format!("{key} ({count}, first: row {first})")).collect();
        draft.warn(format!("sample {id:?}: keys of rows that are not read: {}", all.join(", ")));
    }
    for (key, (count, first, value)) in odd {
        draft.warn(format!(
            "sample {id:?}: {key} of {count} rows holds what is not understood and left out (first: \
                            row {first}: {value})"
        ));
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(s) => s.trim().is_empty(),
        Value::Array(list) => list.iter().all(is_empty),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

/// The first part of a value that its key has no room for.
fn stray(value: &Value, holds: Holds) -> Option<&Value> {
    let plain = |v: &Value| v.is_string() || v.is_number() || v.is_boolean();
    let fits = |v: &Value| match holds {
        Holds::Text | Holds::Names => plain(v),
        Holds::Items => v.is_object() || v.is_string(),
        Holds::Indices => {
            v.as_f64().is_some_and(|n| n.fract().abs() < 1e-9)
                || v.as_str().is_some_and(|s| s.trim().parse::<i64>().is_ok())
        }
    };
    match value {
        Value::Array(list) if holds != Holds::Text => list.iter().find(|v| !is_empty(v) && !fits(v)),
        // A single index outside of a list is not read.
        other => {
            (!fits(other) || holds == Holds::Indices || holds == Holds::Names && !other.is_string()).then_some(other)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::transcript::tests::{parse, warned};

    #[test]
    fn keys_and_values_that_are_not_read_are_told() {
        let row = |more: &str| {
            format!(r#"{{"start_time": 0, "end_time": 1, "primary_speaker": "A", "dialogue_cleaned": "x"{more}}}"#)
        };
        let sample = |rows: &[String]| format!(r#"{{"rows": [{}]}}"#, rows.join(", "));
        let told = |rows: &[String]| warned(&parse("a.json", &sample(rows)));
        assert!(
            !told(&[row(r#", "target": ["B"], "body_posture": ["leans"], "note": "", "relation_pattern": null"#)])
                .contains("read")
        );
        let t = told(&[
            row(""),
            row(r#", "note": "n", "body_posture": [{"person": "A"}, 7], "target": [["B"]]"#),
            row(r#", "note": "n""#),
        ]);
        assert!(t.contains("keys of rows that are not read: note (2, first: row 2)"), "{t}");
        assert!(
            t.contains("body_posture of 1 rows holds what is not understood and left out (first: row 2: 7)"),
            "{t}"
        );
        assert!(t.contains("target of 1 rows holds what is not understood"), "{t}");
    }
}
