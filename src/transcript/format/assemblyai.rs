//! JSON of AssemblyAI ("Transcript" of its API reference): `utterances`, else `words`; times in milliseconds.

use serde_json::Value;

use super::items::{self, Item, Lost, Part, Stretch};
use super::{Entry, Json, Sign};
use crate::error::Result;
use crate::transcript::draft::{Draft, short};
use crate::transcript::json;

const EXPECTED: &str = "expected numbers of milliseconds, end at or after start; correct the entry";
const A_SECOND: f64 = 1000.0;

pub(super) const ENTRY: Entry = Entry {
    name: "AssemblyAI JSON",
    help: "JSON of AssemblyAI",
    suffixes: &["json"],
    signs: &[Sign::Keys(fits)],
    expected: "AssemblyAI's `utterances` or `words`",
    example: "{\"status\": \"completed\", \"audio_duration\": 9, \"utterances\": [{\"speaker\": \"A\", \"start\": 250, \
              \"end\": 650, \"text\": \"Hi.\", \"words\": [{\"text\": \"Hi.\", \"start\": 250, \"end\": 650}]}]}",
    read: |input, draft| read(input.value().unwrap_or(&Value::Null), draft),
    ..Entry::PLAIN
};

fn fits(json: &Json) -> bool {
    let own = ["audio_duration", "audio_url", "speech_model", "acoustic_model", "status", "language_model"];
    json.one().is_some_and(|root| {
        let lists = ["utterances", "words"].iter().any(|key| root.get(*key).is_some_and(Value::is_array));
        let texts = |key: &str| root.get(key).and_then(|l| l.get(0)).is_some_and(|u| u.get("text").is_some());
        lists && root.get("segments").is_none() && (own.iter().any(|k| root.get(*k).is_some()) || texts("utterances"))
    })
}

/// Milliseconds as seconds. They are whole numbers: a fraction shows that the times are of another unit.
fn millis(value: &Value, key: &str) -> items::Told {
    match value.get(key) {
        Some(Value::Number(n)) if !n.as_f64().is_some_and(|v| v.fract() == 0.0) => {
            Err(format!("{key} is {n}, which is no whole number of milliseconds"))
        }
        _ => items::units(value, key, A_SECOND),
    }
}

fn item(value: &Value, lost: &mut Lost) -> Option<Item> {
    Some(Item {
        part: Part::Word,
        text: lost.text(value, "text")?,
        start: millis(value, "start"),
        end: millis(value, "end"),
        speaker: items::speaker(value, "speaker"),
    })
}

fn read(root: &Value, draft: &mut Draft) -> Result<()> {
    if root.get("status").and_then(Value::as_str) == Some("error") {
        let what = format!("the service failed: {}", short(&json::text(root.get("error"))));
        return Err(draft.fail(0, what, "have the recording transcribed again"));
    }
    if let Some(language) = root.get("language_code").and_then(Value::as_str) {
        draft.declare(language);
    }
    let fail = |what: String| draft.fail(0, what, EXPECTED);
    let utterances = items::list(root, "utterances").map_err(fail)?;
    let words = items::list(root, "words").map_err(fail)?;
    let mut lost = Lost::default();
    let stretches = if utterances.is_empty() {
        let words = words.iter().filter_map(|w| item(w, &mut lost)).collect();
        items::split(words, draft)
    } else {
        let mut all = Vec::new();
        for (i, u) in utterances.iter().enumerate() {
            let words = items::list(u, "words").map_err(fail)?;
            all.push(Stretch {
                name: format!("utterance {}", i + 1),
                start: millis(u, "start"),
                end: millis(u, "end"),
                speaker: items::speaker(u, "speaker"),
                text: u.get("text").and_then(Value::as_str).map(str::to_owned),
                items: words.iter().filter_map(|w| item(w, &mut lost)).collect(),
            });
        }
        all
    };
    items::into_turns(stretches, EXPECTED, &mut lost, draft)
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told, word_times};

    #[test]
    fn milliseconds_utterances_and_words() {
        let words = r#"[{"text": "So,", "start": 250, "end": 650, "speaker": "A"}, {"text": "yes.", "start": 700, "end": 1150, "speaker": "A"}]"#;
        let t = parse(
            "a.json",
            &format!(
                r#"{{"id": "x", "status": "completed", "language_code": "en_us", "text": "So, yes. No.", "words": {words},
                "utterances": [{{"speaker": "A", "start": 250, "end": 1150, "text": "So, yes.", "words": {words}}},
                {{"speaker": "B", "start": 1300, "end": 1800, "text": "No.", "words": []}}]}}"#
            ),
        );
        assert_eq!((t.format, t.language.as_deref()), (Format::AssemblyAi, Some("en_us")));
        assert_eq!(told(&t), ["0.25-1.15 A: So, yes.", "1.3-1.8 B: No."]);
        assert_eq!(word_times(&t.turns[0]), ["So, 0.250-0.650", "yes. 0.700-1.150"]);
        let t = parse("a.json", &format!(r#"{{"status": "completed", "utterances": null, "words": {words}}}"#));
        assert_eq!(told(&t), ["0.25-1.15 A: So, yes."]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let file = |u: &str| format!(r#"{{"status": "completed", "utterances": [{u}]}}"#);
        let e = complaint("a.json", &file(r#"{"start": 900, "end": 100, "text": "a", "words": []}"#));
        assert!(e.contains("utterance 1: end 0.1 s before start 0.9 s; expected numbers of milliseconds"), "{e}");
        let e = complaint("a.json", &file(r#"{"start": [1], "end": 100, "text": "a"}"#));
        assert!(e.contains("utterance 1: start is [1]"), "{e}");
        let e = complaint("a.json", &file(r#"{"start": 0.25, "end": 1.5, "text": "a"}"#));
        assert!(e.contains("utterance 1: start is 0.25, which is no whole number of milliseconds"), "{e}");
        assert!(complaint("a.json", &file("")).contains("no cues (AssemblyAI JSON)"));
        let e = complaint("a.json", r#"{"status": "error", "error": "too short", "words": []}"#);
        assert!(e.contains("the service failed: too short"), "{e}");
    }
}
