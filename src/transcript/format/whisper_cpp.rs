//! JSON of whisper.cpp (`-oj`, `-ojf`): `transcription` with `offsets` in milliseconds, and tokens in the full form.

use serde_json::Value;

use super::items::{self, Item, Lost, Part, Stretch};
use super::{Entry, Json, Sign};
use crate::error::Result;
use crate::transcript::draft::Draft;
use crate::transcript::json;

const EXPECTED: &str = "expected `offsets` from and to in milliseconds, to at or after from; correct the segment";

pub(super) const ENTRY: Entry = Entry {
    name: "whisper.cpp JSON",
    help: "JSON of whisper.cpp",
    suffixes: &["json"],
    signs: &[Sign::Keys(fits)],
    expected: "whisper.cpp's `transcription`",
    example: "{\"result\": {\"language\": \"en\"}, \"transcription\": [{\"timestamps\": {\"from\": \"00:00:00,500\", \
              \"to\": \"00:00:01,250\"}, \"offsets\": {\"from\": 500, \"to\": 1250}, \"text\": \" Hi.\"}]}",
    read: |input, draft| read(input.value().unwrap_or(&Value::Null), draft),
    ..Entry::PLAIN
};

fn fits(json: &Json) -> bool {
    json.one().is_some_and(|root| root.get("transcription").is_some_and(Value::is_array))
}

/// Offsets in milliseconds, else timestamps.
fn time(value: &Value, key: &str) -> items::Told {
    if let Some(secs) = value.get("offsets").map_or(Ok(None), |o| items::units(o, key, 1000.0))? {
        return Ok(Some(secs));
    }
    value.get("timestamps").map_or(Ok(None), |t| json::given_time(t, key))
}

/// Words of tokens: a token that begins with a space begins one; `[_BEG_]` and its like are no words.
fn words(tokens: &[Value], lost: &mut Lost) -> Vec<Item> {
    let mut out: Vec<Item> = Vec::new();
    for token in tokens {
        let Some(text) = lost.text(token, "text") else { continue };
        if text.starts_with("[_") && text.ends_with(']') {
            continue;
        }
        match out.last_mut().filter(|_| !text.starts_with(char::is_whitespace)) {
            Some(last) => {
                last.text.push_str(&text);
                last.end = time(token, "to");
            }
            None => out.push(Item {
                part: Part::Word,
                text,
                start: time(token, "from"),
                end: time(token, "to"),
                speaker: None,
            }),
        }
    }
    out
}

fn read(root: &Value, draft: &mut Draft) -> Result<()> {
    let fail = |what: String| draft.fail(0, what, EXPECTED);
    let mut lost = Lost::default();
    let mut stretches = Vec::new();
    for (i, segment) in items::list(root, "transcription").map_err(fail)?.iter().enumerate() {
        let tokens = items::list(segment, "tokens").map_err(fail)?;
        stretches.push(Stretch {
            name: format!("segment {}", i + 1),
            start: time(segment, "from"),
            end: time(segment, "to"),
            speaker: items::speaker(segment, "speaker").filter(|s| s != "?"),
            text: segment.get("text").and_then(Value::as_str).map(str::to_owned),
            items: words(tokens, &mut lost),
        });
    }
    if let Some(language) = root.get("result").and_then(|r| r.get("language")?.as_str()) {
        draft.declare(language);
    }
    items::into_turns(stretches, EXPECTED, &mut lost, draft)
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told, word_times};

    #[test]
    fn milliseconds_and_tokens() {
        let token =
            |text: &str, a: u32, b: u32| format!(r#"{{"text": "{text}", "offsets": {{"from": {a}, "to": {b}}}}}"#);
        let tokens = [
            token("[_BEG_]", 0, 0),
            token(" Hel", 500, 700),
            token("lo", 700, 900),
            token(",", 900, 950),
            token(" you", 950, 1250),
        ]
        .join(",");
        let t = parse(
            "a.json",
            &format!(
                r#"{{"systeminfo": "x", "result": {{"language": "en"}}, "transcription": [
                {{"timestamps": {{"from": "00:00:00,500", "to": "00:00:01,250"}}, "offsets": {{"from": 500, "to": 1250}}, "text": " Hello, you", "speaker": "0", "tokens": [{tokens}]}},
                {{"timestamps": {{"from": "00:00:02,000", "to": "00:00:03,000"}}, "text": " Yes.", "speaker": "1"}}]}}"#
            ),
        );
        assert_eq!((t.format, t.language.as_deref()), (Format::WhisperCpp, Some("en")));
        assert_eq!(told(&t), ["0.5-1.25 0: Hello, you", "2-3 1: Yes."]);
        assert_eq!(word_times(&t.turns[0]), ["Hello, 0.500-0.950", "you 0.950-1.250"]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let file = |a: &str, b: &str| {
            format!(r#"{{"transcription": [{{"offsets": {{"from": {a}, "to": {b}}}, "text": "a"}}]}}"#)
        };
        assert!(complaint("a.json", &file("900", "100")).contains("segment 1: end 0.1 s before start 0.9 s"));
        assert!(complaint("a.json", &file("\"x\"", "100")).contains("segment 1: from is \"x\""));
        assert!(complaint("a.json", &file("null", "100")).contains("segment 1: no start time"));
        assert!(complaint("a.json", r#"{"transcription": []}"#).contains("no cues (whisper.cpp JSON)"));
    }
}
