//! Recipes: which numbers are refused, and the JSON Schema that says so beforehand.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use turnwise::recipe::Recipe;

/// What each number of a recipe is tried with, in the words of `--set`.
const TRIED: &[&str] = &[
    "nan", "inf", "-inf", "1e300", "-1e300", "-1", "-1.0", "-0.001", "0", "0.0", "0.01", "1.5", "2", "20.0", "63", "64",
];

/// Refused since limits stand beside their fields, and taken before, when they meant something other than they said: no
/// round at all was one round, and no transcript is further off than a recording is long.
const REFUSED_SINCE: &[(&str, &str)] = &[
    ("speaker.resegmentation.rounds", "0"),
    ("input.transcript_shift_secs", "1e300"),
    ("input.transcript_shift_secs", "-1e300"),
];

/// Every key of a recipe with its value.
fn leaves(table: &toml::Table, prefix: &str, into: &mut Vec<(String, toml::Value)>) {
    for (key, value) in table {
        match value {
            toml::Value::Table(inner) => leaves(inner, &format!("{prefix}{key}."), into),
            value => into.push((format!("{prefix}{key}"), value.clone())),
        }
    }
}

fn defaults() -> Vec<(String, toml::Value)> {
    let mut all = Vec::new();
    leaves(&toml::Table::try_from(Recipe::default()).unwrap(), "", &mut all);
    all
}

/// The schema of one key.
fn of_key<'a>(schema: &'a Value, key: &str) -> &'a Value {
    key.split('.').fold(schema, |schema, part| &schema["properties"][part])
}

#[test]
fn no_number_is_taken_that_was_ever_refused() {
    let listed = include_str!("fixtures/recipe_refused.txt");
    let numbers: Vec<String> =
        defaults().into_iter().filter(|(_, v)| v.is_float() || v.is_integer()).map(|(key, _)| key).collect();
    for key in &numbers {
        let line = listed.lines().find_map(|l| l.strip_prefix(&format!("{key}:")));
        let line = line
            .unwrap_or_else(|| panic!("{key} is not in recipe_refused.txt: add the values of TRIED it must refuse"));
        for text in TRIED {
            let was = line.split_whitespace().any(|refused| refused == *text) || REFUSED_SINCE.contains(&(key, text));
            match Recipe::load(None, &[format!("{key}={text}")]) {
                Ok(_) => assert!(!was, "{key}={text} was refused and is taken"),
                Err(e) => {
                    assert!(was, "{key}={text} was taken and is refused: {e}");
                    let own = key.rsplit('.').next().unwrap();
                    assert!(e.to_string().contains(own) && e.kind() == "recipe", "{key}={text}: {e}");
                }
            }
        }
    }
    assert_eq!(numbers.len(), listed.lines().count(), "recipe_refused.txt lists keys that recipes no longer have");
}

#[test]
fn a_refusal_tells_the_key_the_value_and_the_range() {
    for (set, words) in [
        ("face.track_score=2.1", "face.track_score: 2.1 is no sensible value, expected 0 to 1"),
        (
            "face.detect_score=0.01",
            "face.detect_score: 0.01 is no sensible value, expected 0.05 to 1: below, a face is seen everywhere",
        ),
        ("face.detect_side_px=63", "face.detect_side_px: 63 is no sensible value, expected 64 or more"),
        (
            "speaker.clustering.unit_secs=0",
            "speaker.clustering.unit_secs: 0.0 is no sensible value, expected a number above 0",
        ),
        (
            "speaker.segmentation.step_secs=11",
            "11.0 is no sensible value, expected a number above 0, at most 10: a longer step",
        ),
        ("voice.pitch_max_hz=5000", "voice.pitch_max_hz: 5000.0 is no sensible value, expected 46.875 to 2093.75"),
        ("face.rate_hz=nan", "face.rate_hz: nan is no sensible value, expected a finite number"),
        ("face.persons_max=-1", "face.persons_max: -1 is no sensible value, expected 0 or more"),
        ("input.audio_stream=-2", "input.audio_stream: -2 is no sensible value, expected -1 or more"),
        (
            "voice={pitch_min_hz=600, pitch_max_hz=610}",
            "pitch_min_hz = 600, pitch_max_hz = 610: expected the first at least a tenth below",
        ),
    ] {
        let e = Recipe::load(None, &[set.into()]).unwrap_err().to_string();
        assert!(e.contains(words), "{set}: {e}");
    }
}

/// A key without a limit would take any number without a word.
#[test]
fn the_schema_describes_every_key_and_bounds_every_number() {
    let schema = Recipe::json_schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    for (key, default) in defaults() {
        let of = of_key(&schema, &key);
        assert!(of["description"].as_str().is_some_and(|d| d.len() > 5 && !d.contains('\n')), "{key}: {of}");
        let (kind, same) = match &default {
            toml::Value::Boolean(b) => ("boolean", of["default"] == *b),
            toml::Value::Integer(i) => ("integer", of["default"] == *i),
            // 32-bit numbers with the digits they were written with.
            toml::Value::Float(x) => (
                "number",
                of["default"].as_f64().is_some_and(|d| (d - x).abs() <= 1e-6 * x.abs() && d.to_string().len() < 9),
            ),
            toml::Value::String(s) => ("string", of["default"] == s.as_str()),
            toml::Value::Array(names) => ("array", of["default"].as_array().is_some_and(|d| d.len() == names.len())),
            _ => panic!("{key}: {default}"),
        };
        assert!(of["type"] == kind && same, "{key} = {default}: {of}");
        let bounded = of["minimum"].is_number() || of["exclusiveMinimum"].is_number();
        assert!(
            bounded || !["integer", "number"].contains(&kind) || key == "input.transcript_shift_secs",
            "{key} has no least value"
        );
    }
    assert_eq!(of_key(&schema, "input.audio_mix")["enum"], serde_json::json!(["one", "all"]));
    assert_eq!(of_key(&schema, "turns.speaker_z")["enum"], serde_json::json!(["off", "causal", "interview"]));
}

/// The keywords that the schema uses, as a validator reads them.
fn faults(value: &Value, schema: &Value, place: &str, into: &mut Vec<String>) {
    let is = match &schema["type"] {
        Value::String(kind) => match kind.as_str() {
            "object" => value.is_object(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            other => panic!("{place}: type {other}"),
        },
        other => panic!("{place}: type {other}"),
    };
    if !is {
        into.push(format!("{place}: {value} is no {}", schema["type"]));
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        into.push(format!("{place}: {value} is none of {words:?}"));
    }
    for (keyword, keeps) in [
        ("minimum", (|x, limit| x >= limit) as fn(f64, f64) -> bool),
        ("exclusiveMinimum", |x, limit| x > limit),
        ("maximum", |x, limit| x <= limit),
    ] {
        if let (Some(x), Some(limit)) = (value.as_f64(), schema[keyword].as_f64())
            && !keeps(x, limit)
        {
            into.push(format!("{place}: {x}, {keyword} {limit}"));
        }
    }
    for (key, inner) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(key) {
            Some(of) => faults(inner, of, &format!("{place}.{key}"), into),
            None if schema["additionalProperties"] == false => into.push(format!("{place}.{key} is unknown")),
            None => panic!("{place}: unknown keys are let through"),
        }
    }
}

#[test]
fn the_printed_schema_takes_the_shipped_recipe_and_refuses_others() {
    let printed = Command::new(env!("CARGO_BIN_EXE_turnwise")).args(["recipe", "--json-schema"]).output().unwrap();
    assert!(printed.status.success());
    let schema: Value = serde_json::from_slice(&printed.stdout).unwrap();
    let found = |text: &str| {
        let mut found = Vec::new();
        faults(
            &serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap(),
            &schema,
            "recipe",
            &mut found,
        );
        found
    };
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("pipelines/default.toml");
    assert_eq!(found(&std::fs::read_to_string(shipped).unwrap()), [""; 0]);
    for wrong in [
        "[face]\nrate = 5",
        "[face]\nrate_hz = \"fast\"",
        "[face]\ndetect_score = 0.01",
        "[face]\npersons_max = -1",
        "[speaker.segmentation]\nstep_secs = 11",
        "[speaker.clustering]\nunit_secs = 0",
        "[turns]\nspeaker_z = \"on\"",
        "[input]\nlenient = 1",
    ] {
        assert_eq!(found(wrong).len(), 1, "{wrong}: {:?}", found(wrong));
    }
}
