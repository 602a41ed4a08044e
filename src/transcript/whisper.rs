//! JSON of the Whisper family: `segments` with `words` (Whisper, WhisperX, whisper-timestamped, stable-ts), or the bare list.

use serde_json::Value;

use super::draft::Draft;
use super::{clock, json};
use crate::annotation::Word;
use crate::error::Result;
use crate::time::Segment;

const EXPECTED: &str = "expected numbers in seconds, end at or after start; correct the segment";

/// The list of segments, when the JSON is of this family: objects with words and, somewhere, times.
pub(super) fn segments(root: &Value) -> Option<&Vec<Value>> {
    let list = match root {
        Value::Array(list) => list,
        Value::Object(map) => map.get("segments")?.as_array()?,
        _ => return None,
    };
    let fits = |v: &Value| text_key(v).is_some() && (v.get("start").is_some() || v.get("words").is_some_and(Value::is_array));
    match list.first() {
        Some(first) => fits(first).then_some(list),
        // An empty result is still Whisper's when the object says so.
        None => root.is_object().then_some(list),
    }
}

/// videogrep's Vosk output says `content`.
fn text_key(segment: &Value) -> Option<&Value> {
    ["text", "content", "word"].into_iter().find_map(|k| segment.get(k))
}

/// Reads the segments into `draft`.
pub(super) fn read(segments: &[Value], draft: &mut Draft) -> Result<()> {
    for (i, segment) in segments.iter().enumerate() {
        let words = words(segment);
        let known = || words.iter().filter_map(|w| w.segment);
        // WhisperX leaves times out where it could not align; the words then tell what is known.
        let start = json::time(segment.get("start")).or_else(|| known().map(|s| s.start().get()).reduce(f64::min));
        let end = json::time(segment.get("end")).or_else(|| known().map(|s| s.end().get()).reduce(f64::max));
        let span = match (start, end) {
            (Some(start), Some(end)) => clock::span(start, end),
            (None, _) => Err("no start time, on the segment or its words".into()),
            (_, None) => Err("no end time, on the segment or its words".into()),
        };
        match span {
            Ok(span) => {
                let mut text = json::words(text_key(segment));
                if text.is_empty() {
                    text = words.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ");
                }
                let speaker = speaker(segment, &words);
                draft.push(span, speaker.as_deref(), text, words);
            }
            Err(what) => draft.bad(0, format!("segment {}: {what}", i + 1), EXPECTED)?,
        }
    }
    Ok(())
}

fn words(segment: &Value) -> Vec<Word> {
    let list = segment.get("words").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter()
        .filter_map(|word| {
            let text = json::words(word.get("word").or_else(|| word.get("text")));
            let span = json::time(word.get("start")).zip(json::time(word.get("end")));
            let segment: Option<Segment> = span.and_then(|(start, end)| clock::span(start, end).ok());
            let speaker = Some(json::text(word.get("speaker"))).filter(|s| !s.is_empty());
            (!text.is_empty()).then_some(Word { text, segment, speaker })
        })
        .collect()
}

/// The segment's own speaker, else the one most of its words have; of equals the first.
fn speaker(segment: &Value, words: &[Word]) -> Option<String> {
    let own = ["speaker", "speaker_label", "speaker_id"].into_iter().map(|k| json::text(segment.get(k))).find(|s| !s.is_empty());
    own.or_else(|| {
        let mut count: Vec<(&str, usize)> = Vec::new();
        for name in words.iter().filter_map(|w| w.speaker.as_deref()) {
            match count.iter_mut().find(|(n, _)| *n == name) {
                Some((_, c)) => *c += 1,
                None => count.push((name, 1)),
            }
        }
        count.iter().rev().max_by_key(|(_, c)| *c).map(|(n, _)| (*n).to_owned())
    })
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told, word_times};

    #[test]
    fn whisper_segments_and_words_with_holes() {
        let t = parse(
            "a.json",
            r#"{"segments": [
            {"start": 0.0, "end": 2.0, "text": " In 1987 yes", "avg_logprob": NaN, "words": [
                {"word": "In", "start": 0.0, "end": 0.5, "speaker": "B"}, {"word": "1987"}, {"text": " yes", "start": 1.0, "end": 0.9, "speaker": "A"}, {"word": "", "start": 1}]},
            {"text": "b", "speaker": "S1", "words": [{"word": "b", "start": 2.0, "end": 2.5, "speaker": "X"}]},
            {"start": "3.0", "end": 3.0, "text": "c", "speaker": null}]}"#,
        );
        assert_eq!(t.format, Format::WhisperJson);
        assert_eq!(told(&t), ["0-2 B: In 1987 yes", "2-2.5 S1: b", "3-3 c"]);
        assert_eq!(word_times(&t.turns[0]), ["In 0.000-0.500", "1987 ?", "yes ?"]);
        assert_eq!(t.turns[0].words[2].speaker.as_deref(), Some("A"));
        assert_eq!(told(&parse("a", r#"[{"start": 1, "end": 2, "text": "a"}]"#)), ["1-2 a"]);
        assert!(complaint("a.json", r#"{"segments": [{"start": 1, "text": "a"}]}"#).contains("segment 1: no end time"));
        assert!(complaint("a.json", r#"{"text": "", "segments": []}"#).contains("no cues (Whisper JSON)"));
    }
}
