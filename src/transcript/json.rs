//! JSON as Python writes it, and fields that may be missing, null, or a number in quotes.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::draft::short;
use super::{clock, markup};

/// Parses JSON; `NaN` and `Infinity`, which Python's writer lets through, become null. An object with a key twice is an
/// error: which of the two values is meant, nobody can tell.
pub(super) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    once(text).or_else(|error| match without_nan(text) {
        // What is wrong beside the numbers is the error to tell.
        Some(clean) if serde_json::from_str::<IgnoredAny>(text).is_err() => match once(&clean) {
            Ok(value) => Ok(value),
            Err(other) if serde_json::from_str::<IgnoredAny>(&clean).is_ok() => Err(other),
            Err(_) => Err(error),
        },
        _ => Err(error),
    })
}

fn once(text: &str) -> Result<Value, serde_json::Error> {
    let value = serde_json::from_str(text)?;
    serde_json::from_str::<KeysOnce>(text)?;
    Ok(value)
}

/// Values one after another, as programs print them, as a list; `None` for one value alone, and for what is no JSON.
pub(super) fn several(text: &str) -> Option<Value> {
    let values: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(text).into_iter::<Value>().collect();
    let values = values.ok().filter(|v| v.len() > 1 && v.iter().all(Value::is_object))?;
    let each_once = serde_json::Deserializer::from_str(text).into_iter::<KeysOnce>().all(|v| v.is_ok());
    each_once.then_some(Value::Array(values))
}

/// JSON whose objects have every key once.
struct KeysOnce;

impl<'de> Deserialize<'de> for KeysOnce {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Walk;

        impl<'de> Visitor<'de> for Walk {
            type Value = KeysOnce;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("JSON")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<KeysOnce, A::Error> {
                let mut seen = BTreeSet::new();
                while let Some(key) = map.next_key::<String>()? {
                    map.next_value::<KeysOnce>()?;
                    if seen.contains(&key) {
                        let told = short(&key);
                        return Err(A::Error::custom(format!("an object has the key {told:?} twice")));
                    }
                    seen.insert(key);
                }
                Ok(KeysOnce)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<KeysOnce, A::Error> {
                while list.next_element::<KeysOnce>()?.is_some() {}
                Ok(KeysOnce)
            }

            fn visit_bool<E>(self, _: bool) -> Result<KeysOnce, E> {
                Ok(KeysOnce)
            }

            fn visit_i64<E>(self, _: i64) -> Result<KeysOnce, E> {
                Ok(KeysOnce)
            }

            fn visit_u64<E>(self, _: u64) -> Result<KeysOnce, E> {
                Ok(KeysOnce)
            }

            fn visit_f64<E>(self, _: f64) -> Result<KeysOnce, E> {
                Ok(KeysOnce)
            }

            fn visit_str<E>(self, _: &str) -> Result<KeysOnce, E> {
                Ok(KeysOnce)
            }

            fn visit_unit<E>(self) -> Result<KeysOnce, E> {
                Ok(KeysOnce)
            }
        }

        deserializer.deserialize_any(Walk)
    }
}

/// The text with non-finite numbers outside strings replaced; `None` when there are none.
fn without_nan(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let (mut inside, mut escaped, mut found) = (false, false, false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if !inside && let Some(token) = ["NaN", "-Infinity", "Infinity"].into_iter().find(|t| rest.starts_with(t)) {
            out.push_str("null");
            found = true;
            rest = &rest[token.len()..];
            continue;
        }
        match c {
            _ if escaped => escaped = false,
            '\\' if inside => escaped = true,
            '"' => inside = !inside,
            _ => {}
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    found.then_some(out)
}

/// A time: a number, or a number or clock time in quotes.
pub(super) fn time(value: Option<&Value>) -> Option<f64> {
    match value? {
        Value::Number(n) => n.as_f64().filter(|v| v.is_finite()),
        Value::String(s) => clock::parse_loose(s),
        _ => None,
    }
}

/// A time that may be left out: `None` where it is absent, null or empty; an error in words where something else stands
/// in its place.
pub(super) fn given_time(object: &Value, key: &str) -> Result<Option<f64>, String> {
    let value = object.get(key);
    match (time(value), value) {
        (Some(secs), _) => Ok(Some(secs)),
        (None, None | Some(Value::Null)) => Ok(None),
        (None, Some(Value::String(s))) if s.trim().is_empty() => Ok(None),
        (None, Some(other)) => Err(format!("{key} is {}", short(&other.to_string()))),
    }
}

/// Text without white space around it; numbers and truth values as written, anything else empty.
pub(super) fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(s)) => s.trim().to_owned(),
        Some(Value::Number(n)) => n.to_string(),
        Some(Value::Bool(b)) => b.to_string(),
        _ => String::new(),
    }
}

/// Like [`text`], with one space between words.
pub(super) fn words(value: Option<&Value>) -> String {
    markup::squeeze(&text(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pythons_non_finite_numbers_are_null() {
        let v = parse(r#"{"a": NaN, "b": [-Infinity, Infinity, 1], "c": "NaN \" Infinity"}"#).unwrap();
        assert_eq!(v, serde_json::json!({"a": null, "b": [null, null, 1], "c": "NaN \" Infinity"}));
        assert!(parse("{").is_err());
    }

    #[test]
    fn a_key_twice_is_an_error() {
        for text in [
            r#"{"rows": [], "rows": [1]}"#,
            r#"[{"a": {"text": "x", "b": 1.5, "text": null}}]"#,
            r#"{"a": NaN, "a": -1}"#,
        ] {
            assert!(parse(text).unwrap_err().to_string().contains("twice"), "{text}");
        }
        assert!(parse("{\"a\": NaN,\n oops}").unwrap_err().line() < 3);
        assert!(parse(r#"[{"a": 1, "b": true}, {"a": "x"}, null]"#).is_ok());
    }

    #[test]
    fn a_sample_twice_or_a_key_twice_in_a_file_is_refused() {
        use crate::transcript::tests::complaint;
        use crate::transcript::{ReadOptions, read_bytes};
        let line = |words: &str| {
            format!(
                r#"{{"sample_id": "s1", "rows": [{{"row_index": 1, "start_time": 0, "end_time": 1, "primary_speaker": "A", "dialogue_cleaned": "{words}"}}]}}"#
            )
        };
        let options = ReadOptions { lenient: false, sample_id: Some("s1"), ..ReadOptions::default() };
        let read = |text: &str| {
            read_bytes(text.as_bytes(), std::path::Path::new("a.jsonl"), &options).unwrap_err().to_string()
        };
        let e = read(&format!("{}\n\n{}\n", line("so"), line("no")));
        assert!(e.starts_with("a.jsonl:3: sample_id \"s1\" occurs twice, in lines 1 and 3"), "{e}");
        let e = read(&format!("[{},{}]", line("so"), line("no")));
        assert!(e.contains("in samples 1 and 2"), "{e}");
        let e = complaint("a.json", &line("so").replace("\"rows\"", "\"rows\": [], \"rows\""));
        assert!(e.starts_with("a.json:1: JSON cannot be read: an object has the key \"rows\" twice"), "{e}");
        let e = complaint("a.json", r#"{"segments": [{"start": 0, "end": 1, "text": "a", "text": "b"}]}"#);
        assert!(e.contains("the key \"text\" twice"), "{e}");
    }

    #[test]
    fn times_and_texts_in_any_dress() {
        let v = serde_json::json!({"a": 1.5, "b": "2.5", "c": "00:01,5", "d": null, "e": [1], "f": " x  y "});
        let t = |k| time(v.get(k));
        assert_eq!(
            (t("a"), t("b"), t("c"), t("d"), t("e"), t("z")),
            (Some(1.5), Some(2.5), Some(1.5), None, None, None)
        );
        assert_eq!(
            (text(v.get("f")), words(v.get("f")), text(v.get("a")), text(v.get("d"))),
            ("x  y".into(), "x y".into(), "1.5".into(), String::new())
        );
    }
}
