//! JSON of Speechmatics ("Output formats, json-v2" of its documentation): `results` of words and marks with speakers;
//! times in seconds. Its first version: `words` with `time` and `duration`.

use serde_json::Value;

use super::items::{self, Item, Lost, Part};
use super::{Entry, Json, Sign};
use crate::error::Result;
use crate::transcript::draft::Draft;

const EXPECTED: &str = "expected numbers in seconds, end at or after start; correct the entry";

/// What the service writes for a speaker that it does not know.
const UNKNOWN: &str = "UU";

pub(super) const ENTRY: Entry = Entry {
    name: "Speechmatics JSON",
    help: "JSON of Speechmatics",
    suffixes: &["json"],
    signs: &[Sign::Keys(fits)],
    expected: "Speechmatics' `results` with `alternatives` and a `type`",
    example: "{\"format\": \"2.9\", \"results\": [{\"type\": \"word\", \"start_time\": 0.5, \"end_time\": 0.75, \
              \"alternatives\": [{\"content\": \"Hi\", \"speaker\": \"S1\"}]}, {\"type\": \"punctuation\", \
              \"attaches_to\": \"previous\", \"alternatives\": [{\"content\": \".\"}]}]}",
    read: |input, draft| read(input.value().unwrap_or(&Value::Null), draft),
    ..Entry::PLAIN
};

fn fits(json: &Json) -> bool {
    json.one().is_some_and(|root| {
        let of = |key: &str, inner: &str| {
            root.get(key).and_then(|l| l.get(0)).is_some_and(|first| first.get(inner).is_some())
        };
        of("results", "type") && root["results"].is_array() || root.get("format").is_some() && of("words", "time")
    })
}

fn item(value: &Value, lost: &mut Lost) -> Option<Item> {
    let best = value.get("alternatives").and_then(|a| a.get(0)).unwrap_or(value);
    let part = match (value.get("type").and_then(Value::as_str), value.get("attaches_to").and_then(Value::as_str)) {
        (Some("punctuation"), Some("next")) => Part::MarkBefore,
        (Some("punctuation"), _) => Part::Mark,
        _ => Part::Word,
    };
    let speaker = items::speaker(best, "speaker").filter(|s| s != UNKNOWN).or_else(|| items::speaker(value, "channel"));
    Some(Item {
        part,
        text: lost.text(best, "content")?,
        start: items::units(value, "start_time", 1.0),
        end: items::units(value, "end_time", 1.0),
        speaker,
    })
}

/// A word of the first version.
fn old(value: &Value, speakers: &[Value], lost: &mut Lost) -> Option<Item> {
    let start = items::units(value, "time", 1.0);
    let end = match (&start, items::units(value, "duration", 1.0)) {
        (Ok(Some(start)), Ok(Some(length))) => Ok(Some(((start + length) * 1e6).round() / 1e6)),
        (_, Err(what)) => Err(what),
        _ => Ok(None),
    };
    let at = start.as_ref().ok().copied().flatten();
    let speaks = |s: &&Value| {
        let from = items::units(s, "time", 1.0).ok().flatten();
        at.zip(from).is_some_and(|(at, from)| from <= at + 1e-6)
    };
    let speaker = speakers.iter().rev().find(speaks).and_then(|s| items::speaker(s, "name"));
    let text = lost.text(value, "name")?;
    let part = if text.chars().all(|c| c.is_ascii_punctuation()) { Part::Mark } else { Part::Word };
    Some(Item { part, text, start, end, speaker: speaker.filter(|s| s != UNKNOWN) })
}

fn read(root: &Value, draft: &mut Draft) -> Result<()> {
    let fail = |what: String| draft.fail(0, what, EXPECTED);
    let mut lost = Lost::default();
    let config = root.get("metadata").and_then(|m| m.get("transcription_config"));
    let results = items::list(root, "results").map_err(fail)?;
    let words: Vec<Item> = if results.is_empty() {
        let speakers = items::list(root, "speakers").map_err(fail)?;
        items::list(root, "words").map_err(fail)?.iter().filter_map(|w| old(w, speakers, &mut lost)).collect()
    } else {
        let said = |v: &&Value| v.get("type").and_then(Value::as_str) != Some("speaker_change");
        results.iter().filter(said).filter_map(|r| item(r, &mut lost)).collect()
    };
    if let Some(language) = config.and_then(|c| c.get("language")?.as_str()).filter(|l| *l != "auto") {
        draft.declare(language);
    }
    let channels = results.iter().any(|r| r.get("channel").is_some());
    let stretches = items::split(words, draft);
    items::into_turns(stretches, EXPECTED, &mut lost, draft)?;
    if channels {
        draft.sort_by_time();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told, warned, word_times};

    #[test]
    fn words_marks_and_speakers() {
        let t = parse(
            "a.json",
            r#"{"format": "2.9", "job": {}, "metadata": {"transcription_config": {"language": "es"}}, "results": [
            {"type": "punctuation", "attaches_to": "next", "start_time": 0.3, "end_time": 0.3, "alternatives": [{"content": "¿", "speaker": "S1"}]},
            {"type": "word", "start_time": 0.3, "end_time": 0.6, "alternatives": [{"content": "Sí", "speaker": "S1"}]},
            {"type": "punctuation", "attaches_to": "previous", "is_eos": true, "start_time": 0.6, "end_time": 0.6, "alternatives": [{"content": "?", "speaker": "S1"}]},
            {"type": "word", "start_time": 0.9, "end_time": 1.25, "alternatives": [{"content": "No", "speaker": "UU"}]}]}"#,
        );
        assert_eq!((t.format, t.language.as_deref()), (Format::Speechmatics, Some("es")));
        assert_eq!(told(&t), ["0.3-0.6 S1: ¿Sí?", "0.9-1.25 No"]);
        assert_eq!(word_times(&t.turns[0]), ["¿Sí? 0.300-0.600"]);
        assert!(warned(&t).contains("words and no turns"), "{}", warned(&t));
        let t = parse(
            "a.json",
            r#"{"format": "1.0", "speakers": [{"duration": "1.0", "name": "M1", "time": "0.03"}, {"duration": "1", "name": "F1", "time": "1.0"}],
            "words": [{"duration": "0.21", "name": "Hi", "time": "0.03"}, {"duration": "0", "name": ".", "time": "0.24"}, {"duration": "0.5", "name": "Yes", "time": "1.0"}]}"#,
        );
        assert_eq!(told(&t), ["0.03-0.24 M1: Hi.", "1-1.5 F1: Yes"]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let file = |r: &str| format!(r#"{{"format": "2.9", "results": [{r}]}}"#);
        let word = |a: &str, b: &str| {
            format!(r#"{{"type": "word", "start_time": {a}, "end_time": {b}, "alternatives": [{{"content": "a"}}]}}"#)
        };
        assert!(complaint("a.json", &file(&word("3", "2"))).contains("end 2 s before start 3 s at \"a\""));
        assert!(complaint("a.json", &file(&word("\"x\"", "2"))).contains("start_time is \"x\""));
        assert!(complaint("a.json", &file(&word("null", "2"))).contains("no start time"));
    }
}
