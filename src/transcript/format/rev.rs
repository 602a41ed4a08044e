//! JSON of Rev and Rev AI ("Transcript" of its API reference): `monologues` of `elements`; times in seconds, or as clock
//! times in the files of its transcribers.

use std::collections::BTreeMap;

use serde_json::Value;

use super::items::{self, Item, Lost, Part, Stretch};
use super::{Entry, Json, Sign};
use crate::error::Result;
use crate::transcript::draft::Draft;
use crate::transcript::json;

const EXPECTED: &str = "expected `ts` and `end_ts` in seconds, end at or after start; correct the element";

pub(super) const ENTRY: Entry = Entry {
    name: "Rev JSON",
    help: "JSON of Rev",
    suffixes: &["json"],
    signs: &[Sign::Keys(fits)],
    expected: "Rev's `monologues`",
    example: "{\"monologues\": [{\"speaker\": 0, \"elements\": [{\"type\": \"text\", \"value\": \"Hi\", \"ts\": 0.5, \
              \"end_ts\": 0.75}, {\"type\": \"punct\", \"value\": \".\"}]}]}",
    read: |input, draft| read(input.value().unwrap_or(&Value::Null), draft),
    ..Entry::PLAIN
};

fn fits(json: &Json) -> bool {
    json.one().is_some_and(|root| root.get("monologues").is_some_and(Value::is_array))
}

/// The first of the keys that is there; times in numbers, or as clock times.
fn time(value: &Value, keys: [&str; 2]) -> items::Told {
    keys.iter().find(|k| value.get(**k).is_some()).map_or(Ok(None), |key| json::given_time(value, key))
}

fn read(root: &Value, draft: &mut Draft) -> Result<()> {
    let fail = |what: String, draft: &Draft| draft.fail(0, what, EXPECTED);
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for speaker in items::list(root, "speakers").map_err(|e| fail(e, draft))? {
        let name = items::speaker(speaker, "name").or_else(|| items::speaker(speaker, "display_name"));
        if let (Some(id), Some(name)) = (items::speaker(speaker, "id"), name) {
            names.insert(id, name);
        }
    }
    if let Some(language) = root.get("language").and_then(Value::as_str) {
        draft.declare(language);
    }
    let mut lost = Lost::default();
    let mut stretches = Vec::new();
    for (i, monologue) in items::list(root, "monologues").map_err(|e| fail(e, draft))?.iter().enumerate() {
        let mut text = String::new();
        let mut words = Vec::new();
        for element in items::list(monologue, "elements").map_err(|e| fail(e, draft))? {
            let Some(value) = lost.text(element, "value") else { continue };
            text.push_str(&value);
            let mark = element.get("type").and_then(Value::as_str) == Some("punct");
            if mark && value.trim().is_empty() {
                continue;
            }
            words.push(Item {
                part: if mark { Part::Mark } else { Part::Word },
                text: value,
                start: time(element, ["ts", "timestamp"]),
                end: time(element, ["end_ts", "end_timestamp"]),
                speaker: None,
            });
        }
        let id = items::speaker(monologue, "speaker");
        let speaker = id.map(|id| names.get(&id).cloned().unwrap_or(id));
        let name = format!("monologue {}", i + 1);
        stretches.push(Stretch { name, start: Ok(None), end: Ok(None), speaker, text: Some(text), items: words });
    }
    items::into_turns(stretches, EXPECTED, &mut lost, draft)
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told, word_times};

    #[test]
    fn elements_marks_and_names() {
        let t = parse(
            "a.json",
            r#"{"speakers": [{"id": 1, "name": "Anna"}], "monologues": [
            {"speaker": 0, "elements": [{"type": "text", "value": "Hi", "ts": 0.26, "end_ts": 0.48, "confidence": 0.84},
                {"type": "punct", "value": ", "}, {"type": "text", "value": "you", "ts": 0.5, "end_ts": 1.04}, {"type": "punct", "value": "."}]},
            {"speaker": 1, "elements": [{"type": "text", "value": "Yes", "timestamp": "00:00:01,250", "end_timestamp": "00:00:01,500"},
                {"type": "punct", "value": " "}, {"type": "unknown", "value": "<inaudible>"}]}]}"#,
        );
        assert_eq!(t.format, Format::Rev);
        assert_eq!(told(&t), ["0.26-1.04 0: Hi, you.", "1.25-1.5 Anna: Yes <inaudible>"]);
        assert_eq!(word_times(&t.turns[0]), ["Hi, 0.260-0.480", "you. 0.500-1.040"]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let file = |e: &str| format!(r#"{{"monologues": [{{"speaker": 0, "elements": [{e}]}}]}}"#);
        let e = complaint("a.json", &file(r#"{"type": "text", "value": "a", "ts": 3, "end_ts": 1}"#));
        assert!(e.contains("monologue 1: end 1 s before start 3 s at \"a\"; expected `ts`"), "{e}");
        assert!(complaint("a.json", &file("")).contains("monologue 1: no start time"));
        assert!(complaint("a.json", r#"{"monologues": []}"#).contains("no cues (Rev JSON)"));
        assert!(complaint("a.json", r#"{"monologues": [{"elements": 3}]}"#).contains("elements is 3, and no list"));
    }
}
