//! JSON of speech pipelines of Hugging Face's transformers: `chunks` with `timestamp` in seconds, of phrases or words;
//! `speakers` of insanely-fast-whisper.

use serde_json::Value;

use super::items::{self, Item, Lost, Part, Stretch, Told};
use super::{Entry, Json, Sign};
use crate::error::Result;
use crate::transcript::draft::{Draft, short};

const EXPECTED: &str = "expected `timestamp` as [start, end] in seconds, end at or after start; write the end that is \
                        missing";

pub(super) const ENTRY: Entry = Entry {
    name: "Hugging Face JSON",
    help: "JSON of a Hugging Face pipeline",
    suffixes: &["json"],
    signs: &[Sign::Keys(fits)],
    expected: "a Hugging Face pipeline's `chunks` with `timestamp`",
    example: "{\"text\": \" Hi. You there.\", \"chunks\": [{\"timestamp\": [0.5, 1.25], \"text\": \" Hi.\"}, \
              {\"timestamp\": [1.5, 2.0], \"text\": \" You there.\"}]}",
    read: |input, draft| read(input.value().unwrap_or(&Value::Null), draft),
    ..Entry::PLAIN
};

fn fits(json: &Json) -> bool {
    json.one().is_some_and(|root| {
        let chunks = if root.is_array() { Some(root) } else { root.get("chunks") };
        chunks.is_some_and(|c| c.is_array() && c.get(0).is_none_or(|c| c.get("timestamp").is_some()))
            && (root.is_object() || root.get(0).is_some())
    })
}

/// One of the two times of a chunk.
fn time(chunk: &Value, at: usize) -> Told {
    match chunk.get("timestamp") {
        Some(Value::Array(pair)) if pair.len() == 2 => match &pair[at] {
            Value::Null => Ok(None),
            Value::Number(n) => Ok(n.as_f64()),
            other => Err(format!("timestamp holds {}", short(&other.to_string()))),
        },
        None | Some(Value::Null) => Ok(None),
        Some(other) => Err(format!("timestamp is {}", short(&other.to_string()))),
    }
}

fn read(root: &Value, draft: &mut Draft) -> Result<()> {
    let fail = |what: String| draft.fail(0, what, EXPECTED);
    let spoken = root.get("speakers").and_then(Value::as_array).is_some_and(|s| !s.is_empty());
    let whole = Value::Null;
    let chunks = match root.as_array() {
        Some(list) => list.as_slice(),
        None => items::list(root, if spoken { "speakers" } else { "chunks" }).map_err(fail)?,
    };
    let mut lost = Lost::default();
    let single = |c: &Value| c.get("text").and_then(Value::as_str).is_none_or(|t| t.split_whitespace().count() <= 1);
    // Phrases of one word each would be answers; a whole file of them is a list of words.
    let words_only = chunks.len() >= 8 && chunks.iter().all(single);
    let mut found = Vec::new();
    for (i, chunk) in chunks.iter().enumerate() {
        let Some(text) = lost.text(chunk, "text") else { continue };
        let (start, end) = (time(chunk, 0), time(chunk, 1));
        found.push((format!("chunk {}", i + 1), text, start, end, items::speaker(chunk, "speaker")));
    }
    let stretches = if words_only {
        let word = |(_, text, start, end, speaker)| Item { part: Part::Word, text, start, end, speaker };
        items::split(found.into_iter().map(word).collect(), draft)
    } else {
        let turn = |(name, text, start, end, speaker)| Stretch {
            name,
            start,
            end,
            speaker,
            text: Some(text),
            items: Vec::new(),
        };
        found.into_iter().map(turn).collect()
    };
    let written = root.get("text").unwrap_or(&whole).as_str().map_or(0, |t| t.split_whitespace().count());
    let read: usize = chunks.iter().filter_map(|c| c.get("text")?.as_str()).map(|t| t.split_whitespace().count()).sum();
    if read * 10 < written * 9 {
        draft.warn(format!("the file's own text has {written} words, its chunks have {read}: chunks may be missing"));
    }
    items::into_turns(stretches, EXPECTED, &mut lost, draft)
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told, warned, word_times};

    #[test]
    fn phrases_words_and_speakers() {
        let t = parse(
            "a.json",
            r#"{"text": " Hi there. Yes.", "chunks": [{"timestamp": [0.0, 1.5], "text": " Hi there."}, {"timestamp": [1.5, 2.25], "text": " Yes."}]}"#,
        );
        assert_eq!((t.format, warned(&t).as_str()), (Format::Chunks, ""));
        assert_eq!(told(&t), ["0-1.5 Hi there.", "1.5-2.25 Yes."]);
        let words: Vec<String> =
            (0..9).map(|i| format!(r#"{{"timestamp": [{i}.0, {i}.5], "text": " w{i}"}}"#)).collect();
        let t = parse(
            "a.json",
            &format!(
                r#"{{"text": "", "chunks": [{}]}}"#,
                words.join(",").replace("[4.0, 4.5]", "[4.4, 4.3]").replace("[8.0", "[8.5")
            ),
        );
        assert_eq!(told(&t), ["0-7.5 w0 w1 w2 w3 w4 w5 w6 w7", "8.5-8.5 w8"]);
        assert_eq!(word_times(&t.turns[0])[3..5], ["w3 3.000-3.500", "w4 ?"]);
        let t = parse(
            "a.json",
            r#"{"text": "", "chunks": [], "speakers": [{"speaker": "SPEAKER_00", "timestamp": [0.0, 1.5], "text": " Hi there."}]}"#,
        );
        assert_eq!(told(&t), ["0-1.5 SPEAKER_00: Hi there."]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let file = |t: &str| format!(r#"{{"chunks": [{{"timestamp": {t}, "text": "so it is"}}]}}"#);
        assert!(complaint("a.json", &file("[1.5, null]")).contains("chunk 1: no end time; expected `timestamp`"));
        assert!(complaint("a.json", &file("[1.5, 1]")).contains("chunk 1: end 1 s before start 1.5 s"));
        assert!(complaint("a.json", &file("\"x\"")).contains("chunk 1: timestamp is \"x\""));
        assert!(complaint("a.json", r#"{"text": "", "chunks": []}"#).contains("no cues (Hugging Face JSON)"));
    }
}
