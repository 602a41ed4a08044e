//! Limits of a recipe's values. They stand beside the field they bound (`#[schemars(range(min = 0.0, max = 1.0))]`, or
//! `extend("exclusiveMinimum" = 0)` for "above 0"); the JSON Schema made of them is what values are checked with and
//! what `turnwise recipe --json-schema` prints.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::{Error, Result};

/// Keyword of the reason for a limit, where its range alone does not tell it.
const REASON: &str = "x-reason";

/// The JSON Schema (draft 2020-12) of a config: type, default, limits and description of each key, no references.
pub fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy(&mut schema);
    schema
}

/// Checks every number of a config against the limits beside its field; `prefix` is the config's place in the recipe.
///
/// # Errors
/// [`Error::Recipe`] with the first key whose value is outside, the value and the accepted range.
pub fn check<T: JsonSchema + Serialize>(config: &T, prefix: &str) -> Result<()> {
    let table =
        toml::Table::try_from(config).map_err(|e| Error::Recipe { place: prefix.into(), what: e.to_string() })?;
    check_table(&table, &schema::<T>(), prefix)
}

/// The same of values that have not become a config yet.
///
/// # Errors
/// As [`check`].
pub fn check_table(table: &toml::Table, schema: &Value, prefix: &str) -> Result<()> {
    for (key, value) in table {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        let limits = &schema["properties"][key];
        let number = match value {
            toml::Value::Table(inner) => {
                check_table(inner, limits, &name)?;
                continue;
            }
            toml::Value::Float(x) => *x,
            toml::Value::Integer(i) => *i as f64,
            _ => continue,
        };
        if let Some(expected) = refusal(number, limits) {
            return Err(Error::Recipe {
                place: name,
                what: format!("{value} is no sensible value, expected {expected}"),
            });
        }
    }
    Ok(())
}

/// What is expected instead of a number that the limits refuse.
fn refusal(number: f64, limits: &Value) -> Option<String> {
    if !number.is_finite() {
        return Some("a finite number".into());
    }
    let single = is_single(limits);
    // A 32-bit value is compared with the limit as 32 bits hold it.
    let limit = |keyword: &str| limits[keyword].as_f64().map(|x| if single { f64::from(x as f32) } else { x });
    let (least, above, most) = (limit("minimum"), limit("exclusiveMinimum"), limit("maximum"));
    if least.is_none_or(|least| number >= least)
        && above.is_none_or(|above| number > above)
        && most.is_none_or(|most| number <= most)
    {
        return None;
    }
    let shown = |keyword: &str| limits[keyword].as_f64().unwrap_or_default();
    let range = match (least, above, most) {
        (Some(_), _, Some(_)) => format!("{} to {}", shown("minimum"), shown("maximum")),
        (_, Some(_), Some(_)) => format!("a number above {}, at most {}", shown("exclusiveMinimum"), shown("maximum")),
        (_, Some(_), None) => format!("a number above {}", shown("exclusiveMinimum")),
        (_, None, Some(_)) => format!("at most {}", shown("maximum")),
        (_, None, None) => format!("{} or more", shown("minimum")),
    };
    Some(limits[REASON].as_str().map_or(range.clone(), |reason| format!("{range}: {reason}")))
}

fn is_single(schema: &Value) -> bool {
    schema["format"] == "float"
}

/// Brings a generated schema into the form that is promised: a choice of words is an `enum`, a 32-bit default has its
/// own digits, a text is one line, a table's default is that of its keys.
fn tidy(schema: &mut Value) {
    let single = is_single(schema);
    let Some(object) = schema.as_object_mut() else { return };
    let choices: Option<Vec<(Value, Value)>> = object.get("oneOf").and_then(Value::as_array).and_then(|all| {
        all.iter()
            .map(|one| Some((one.get("const")?.clone(), one.get("description").cloned().unwrap_or_default())))
            .collect()
    });
    if let Some(choices) = choices {
        object.remove("oneOf");
        object.insert("type".into(), json!("string"));
        let words: Vec<String> =
            choices.iter().map(|(word, what)| format!("{word}: {}", what.as_str().unwrap_or_default())).collect();
        let about = object.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
        object.insert("description".into(), json!(format!("{about} {}", words.join(" ")).trim()));
        object.insert("enum".into(), choices.into_iter().map(|(word, _)| word).collect());
    }
    if let Some(Value::String(text)) = object.get_mut("description") {
        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    if single && let Some(default) = object.get("default").and_then(Value::as_f64) {
        let digits = (default as f32).to_string().parse().unwrap_or(default);
        object.insert("default".into(), json!(digits));
    }
    if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(tidy);
        object.remove("default");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the tests bound.
    #[derive(Clone, Debug, Serialize, JsonSchema, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Made {
        /// From a
        /// to b.
        #[schemars(range(min = 0.3, max = 0.7))]
        share: f32,
        /// Above.
        #[schemars(range(max = 10.0), extend("exclusiveMinimum" = 0, "x-reason" = "windows are 10 s long"))]
        step_secs: f64,
        /// Count.
        #[schemars(range(min = 1))]
        rounds: u32,
        /// Free.
        shift: f64,
        /// How.
        word: Word,
    }

    /// Which.
    #[derive(Clone, Copy, Debug, Serialize, JsonSchema, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Word {
        /// The first.
        First,
        /// The second.
        SecondOne,
    }

    impl Default for Made {
        fn default() -> Self {
            Made { share: 0.7, step_secs: 1.0, rounds: 2, shift: 0.0, word: Word::SecondOne }
        }
    }

    #[test]
    fn a_limit_stands_in_the_schema_and_is_kept() {
        let schema = schema::<Made>();
        let share = &schema["properties"]["share"];
        // 0.7 and not 0.699999988: as 32 bits hold it, it is inside.
        assert_eq!((&share["default"], &share["minimum"], &share["maximum"]), (&json!(0.7), &json!(0.3), &json!(0.7)));
        assert_eq!(share["description"], "From a to b.");
        let word = &schema["properties"]["word"];
        assert_eq!((&word["enum"], &word["default"]), (&json!(["first", "second_one"]), &json!("second_one")));
        assert!(word["description"].as_str().unwrap().contains("\"second_one\": The second."), "{word}");
        assert_eq!(schema["additionalProperties"], false);
        check(&Made::default(), "made").unwrap();
    }

    #[test]
    fn what_is_outside_is_told_with_key_value_and_range() {
        let made = Made::default();
        let told = |made: &Made| check(made, "made").unwrap_err().to_string();
        let e = told(&Made { share: 0.8, ..made.clone() });
        assert!(e.contains("made.share") && e.contains("0.8") && e.contains("0.3 to 0.7"), "{e}");
        let e = told(&Made { step_secs: 0.0, ..made.clone() });
        assert!(e.contains("a number above 0, at most 10: windows are 10 s long"), "{e}");
        let e = told(&Made { rounds: 0, ..made.clone() });
        assert!(e.contains("0 is no sensible value, expected 1 or more"), "{e}");
        for shift in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(told(&Made { shift, ..made.clone() }).contains("a finite number"));
        }
        check(&Made { shift: -7.0, ..made }, "made").unwrap();
    }
}
