//! JSON as Python writes it, and fields that may be missing, null, or a number in quotes.

use serde_json::Value;

use super::draft::short;
use super::{clock, markup};

/// Parses JSON; `NaN` and `Infinity`, which Python's writer lets through, become null.
pub(super) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match without_nan(text) {
        Some(clean) => serde_json::from_str(&clean).map_err(|_| error),
        None => Err(error),
    })
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

/// A time that may be left out: `None` where it is absent, null or empty; an error in words where something else stands in its place.
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
    fn times_and_texts_in_any_dress() {
        let v = serde_json::json!({"a": 1.5, "b": "2.5", "c": "00:01,5", "d": null, "e": [1], "f": " x  y "});
        let t = |k| time(v.get(k));
        assert_eq!((t("a"), t("b"), t("c"), t("d"), t("e"), t("z")), (Some(1.5), Some(2.5), Some(1.5), None, None, None));
        assert_eq!(
            (text(v.get("f")), words(v.get("f")), text(v.get("a")), text(v.get("d"))),
            ("x  y".into(), "x y".into(), "1.5".into(), String::new())
        );
    }
}
