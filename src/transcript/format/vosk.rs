//! JSON of Vosk (alphacep/vosk-api): results with `result`, a list of words in seconds, one object, a list, or one after
//! another.

use serde_json::Value;

use super::items::{self, Item, Lost, Part, Stretch};
use super::{Entry, Json, Sign};
use crate::error::Result;
use crate::transcript::draft::Draft;

const EXPECTED: &str = "expected `start` and `end` of words in seconds, end at or after start; correct the word, or run \
                        Vosk with SetWords(True)";

pub(super) const ENTRY: Entry = Entry {
    name: "Vosk JSON",
    help: "JSON of Vosk",
    suffixes: &["json"],
    signs: &[Sign::Keys(fits)],
    expected: "Vosk's results with `result` and `text`",
    example: "{\"result\": [{\"conf\": 1.0, \"end\": 1.25, \"start\": 0.5, \"word\": \"hi\"}], \"text\": \"hi\"}\n\
              {\"result\": [{\"conf\": 1.0, \"end\": 2.5, \"start\": 2.0, \"word\": \"you\"}], \"text\": \"you\"}\n",
    read: |input, draft| read(input.value().unwrap_or(&Value::Null), draft),
    ..Entry::PLAIN
};

fn is_one(value: &Value) -> bool {
    let word = value.get("result").and_then(|r| r.get(0));
    value.get("result").is_some_and(Value::is_array) && word.is_none_or(|w| w.get("word").is_some())
}

fn fits(json: &Json) -> bool {
    json.one().is_some_and(|root| match root {
        Value::Array(list) => list.iter().any(is_one),
        one => is_one(one),
    })
}

/// A result; alternatives are given best first.
fn best(value: &Value) -> &Value {
    value.get("alternatives").and_then(|a| a.get(0)).unwrap_or(value)
}

fn read(root: &Value, draft: &mut Draft) -> Result<()> {
    let one = std::slice::from_ref(root);
    let results = root.as_array().map_or(one, Vec::as_slice);
    let mut lost = Lost::default();
    let mut stretches = Vec::new();
    for (i, result) in results.iter().map(best).enumerate() {
        let text = result.get("text").and_then(Value::as_str).map(str::to_owned);
        let words = items::list(result, "result").map_err(|what| draft.fail(0, what, EXPECTED))?;
        // Vosk ends with a result of nothing, and writes "partial" ones on the way.
        let silent = text.as_deref().unwrap_or("").trim().is_empty() && words.is_empty();
        if silent {
            continue;
        }
        let item = |w: &Value, lost: &mut Lost| {
            Some(Item {
                part: Part::Word,
                text: lost.text(w, "word")?,
                start: items::units(w, "start", 1.0),
                end: items::units(w, "end", 1.0),
                speaker: None,
            })
        };
        stretches.push(Stretch {
            name: format!("result {}", i + 1),
            start: Ok(None),
            end: Ok(None),
            speaker: None,
            text,
            items: words.iter().filter_map(|w| item(w, &mut lost)).collect(),
        });
    }
    items::into_turns(stretches, EXPECTED, &mut lost, draft)
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told, word_times};

    #[test]
    fn results_alone_in_a_list_and_one_after_another() {
        let one = |a: f64, w: &str| {
            format!(
                r#"{{"result": [{{"conf": 0.9, "end": {}, "start": {a}, "word": "{w}"}}], "text": "{w}"}}"#,
                a + 0.5
            )
        };
        let t = parse("a.json", &one(0.25, "hi"));
        assert_eq!((t.format, told(&t)), (Format::Vosk, vec!["0.25-0.75 hi".to_owned()]));
        assert_eq!(word_times(&t.turns[0]), ["hi 0.250-0.750"]);
        let want = ["0.25-0.75 hi", "2-2.5 you"];
        assert_eq!(
            told(&parse("a.json", &format!("[{}, {}, {{\"text\": \"\"}}]", one(0.25, "hi"), one(2.0, "you")))),
            want
        );
        let printed = format!("{}\n{}\n{{\n  \"text\" : \"\"\n}}\n", one(0.25, "hi"), one(2.0, "you"));
        assert_eq!(told(&parse("a.json", &printed)), want);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let file = |w: &str| format!(r#"{{"result": [{w}], "text": "a"}}"#);
        assert!(
            complaint("a.json", &file(r#"{"word": "a", "start": 2, "end": 1}"#))
                .contains("result 1: end 1 s before start 2 s")
        );
        assert!(complaint("a.json", &file(r#"{"word": "a", "start": {}, "end": 1}"#)).contains("start is {}"));
        assert!(complaint("a.json", &file("")).contains("result 1: no start time; expected `start`"));
        assert!(complaint("a.json", &format!("{}\n{{\"result\": [", file(""))).contains("JSON cannot be read"));
    }
}
