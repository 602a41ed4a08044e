//! JSON of the Whisper family: `segments` with `words` (Whisper, WhisperX, whisper-timestamped, stable-ts), or the bare
//! list.

use serde_json::Value;

use crate::annotation::Word;
use crate::error::Result;
use crate::transcript::cue::{self, Cue};
use crate::transcript::draft::{Draft, short};
use crate::transcript::{clock, json};

const EXPECTED: &str = "expected numbers in seconds, end at or after start; correct the segment";

/// A whole file, small.
pub(super) const EXAMPLE: &str = "{\"segments\": [{\"start\": 0, \"end\": 2, \"text\": \"a\", \"confidence\": NaN, \
    \"words\": [{\"word\": \"a\", \"start\": 1, \"end\": 2}]}]}";

/// The list of segments, when the JSON is of this family: objects with words and, somewhere, times.
pub(super) fn segments(root: &Value) -> Option<&Vec<Value>> {
    let list = match root {
        Value::Array(list) => list,
        Value::Object(map) => map.get("segments")?.as_array()?,
        _ => return None,
    };
    let fits =
        |v: &Value| text_key(v).is_some() && (v.get("start").is_some() || v.get("words").is_some_and(Value::is_array));
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

/// What was there and could not be used, told once for all of a kind.
#[derive(Default)]
struct Lost {
    words: Count,
    times: Count,
}

/// How many, and the first of them.
#[derive(Default)]
struct Count {
    count: usize,
    first: Option<String>,
}

impl Count {
    fn add(&mut self, place: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.is_none() {
            self.first = Some(place());
        }
    }

    fn tell(&self, what: &str, draft: &mut Draft) {
        if let Some(first) = &self.first {
            draft.warn(format!("{} {what} (first: {first})", self.count));
        }
    }
}

/// Reads the segments of `root` into `draft`.
pub(super) fn read(root: &Value, draft: &mut Draft) -> Result<()> {
    let segments = segments(root).map_or(&[][..], Vec::as_slice);
    if let Some(language) = root.get("language").and_then(Value::as_str) {
        draft.declare(language);
    }
    let mut lost = Lost::default();
    let (mut spoken, mut timed) = (0, 0);
    let words_by_segment: Vec<Vec<Word>> =
        segments.iter().enumerate().map(|(i, segment)| words(segment, i + 1, &mut lost)).collect();
    // Segments without words of their own and without speakers may be captions.
    let captions = words_by_segment.iter().all(Vec::is_empty) && segments.iter().all(|s| speaker(s, &[]).is_none());
    let mut cues = captions.then(Vec::new);
    for (i, (segment, words)) in segments.iter().zip(words_by_segment).enumerate() {
        let known = || words.iter().filter_map(|w| w.segment);
        // WhisperX leaves times out where it could not align; the words then tell what is known.
        let start =
            json::given_time(segment, "start").map(|t| t.or_else(|| known().map(|s| s.start().get()).reduce(f64::min)));
        let end =
            json::given_time(segment, "end").map(|t| t.or_else(|| known().map(|s| s.end().get()).reduce(f64::max)));
        let span = match (start, end) {
            (Err(what), _) | (_, Err(what)) => Err(what),
            (Ok(Some(start)), Ok(Some(end))) => clock::span(start, end),
            (Ok(None), _) => Err("no start time, on the segment or its words".into()),
            (_, Ok(None)) => Err("no end time, on the segment or its words".into()),
        };
        match span {
            Ok(span) => {
                let mut text = json::words(text_key(segment));
                if text.is_empty() {
                    text = words.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ");
                }
                (spoken, timed) = (spoken + text.split_whitespace().count(), timed + words.len());
                if let Some(odd) = SPEAKER.iter().filter_map(|k| segment.get(k)).find(|v| v.is_object() || v.is_array())
                {
                    let what = format!("segment {}: the speaker {} is no name", i + 1, short(&odd.to_string()));
                    draft.flaw(0, what, "the segment is kept without it", "write the speaker as text")?;
                }
                if let Some(cues) = &mut cues {
                    let lines = text_key(segment).and_then(Value::as_str).unwrap_or(&text).lines();
                    let lines = lines.map(str::to_owned).collect();
                    cues.push(Cue { after_dropped: draft.take_lost(), segment: span, lines });
                    continue;
                }
                let speaker = speaker(segment, &words);
                draft.push(span, speaker.as_deref(), text, words);
            }
            Err(what) => draft.bad(0, format!("segment {}: {what}", i + 1), EXPECTED)?,
        }
    }
    if let Some(cues) = cues {
        cue::into_turns(cues, false, draft);
    }
    // Python writes whole numbers of a table of decimals as 2000.0.
    let number = |v: &Value| v.as_f64().is_some_and(|n| n >= 0.0 && n.fract() == 0.0);
    let whole = |v: &Value| ["start", "end"].iter().all(|k| v.get(*k).is_none_or(number));
    draft.times_are_bare(segments.iter().all(whole));
    lost.words.tell("entries among the words hold no word and are left out", draft);
    lost.times.tell("words have times that cannot be used", draft);
    tell_rest(root, spoken, timed, draft);
    Ok(())
}

/// The file says its words more than once: where the other copies have more of them, segments are missing.
fn tell_rest(root: &Value, spoken: usize, timed: usize, draft: &mut Draft) {
    let whole = root.get("text").and_then(Value::as_str).map_or(0, |t| t.split_whitespace().count());
    if spoken * 10 < whole * 9 {
        draft.warn(format!(
            "the file's own text has {whole} words, its segments have {spoken}: segments may be missing"
        ));
    }
    let listed = root.get("word_segments").and_then(Value::as_array).map_or(0, Vec::len);
    if timed * 10 < listed * 9 {
        draft.warn(format!("`word_segments` lists {listed} words, the segments have {timed}: the others are left out"));
    }
}

fn words(segment: &Value, number: usize, lost: &mut Lost) -> Vec<Word> {
    let list = segment.get("words").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut found = Vec::with_capacity(list.len());
    for word in list {
        let own = word.get("word").or_else(|| word.get("text"));
        let text = json::words(own);
        if text.is_empty() {
            // An empty word is none; anything but text in its place is something that is not understood.
            if !own.is_some_and(|v| v.is_string() || v.is_null()) {
                lost.words.add(|| format!("segment {number}: {}", short(&word.to_string())));
            }
            continue;
        }
        let ends = [json::given_time(word, "start"), json::given_time(word, "end")];
        let segment = match &ends {
            [Ok(Some(start)), Ok(Some(end))] => clock::span(*start, *end).ok(),
            _ => None,
        };
        if segment.is_none() && !ends.iter().any(|e| matches!(e, Ok(None))) {
            lost.times.add(|| format!("segment {number}: {}", short(&word.to_string())));
        }
        let speaker = Some(json::text(word.get("speaker"))).filter(|s| !s.is_empty());
        found.push(Word { text, segment, speaker });
    }
    found
}

/// Keys under which a segment names its speaker.
const SPEAKER: [&str; 3] = ["speaker", "speaker_label", "speaker_id"];

/// The segment's own speaker, else the one most of its words have; of equals the first.
fn speaker(segment: &Value, words: &[Word]) -> Option<String> {
    let own = SPEAKER.into_iter().map(|k| json::text(segment.get(k))).find(|s| !s.is_empty());
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
    use crate::transcript::read_bytes;
    use crate::transcript::tests::{LENIENT, complaint, parse, told, warned, word_times};
    use std::path::Path;

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

    #[test]
    fn what_stands_in_the_place_of_speakers_times_and_words_is_told() {
        let file = |inner: &str| format!(r#"{{"segments": [{{"start": 0, "end": 1, "text": "a b", {inner}}}]}}"#);
        let e = complaint("a.json", &file(r#""speaker": {"id": 1}"#));
        assert!(e.contains("segment 1: the speaker {\"id\":1} is no name; write the speaker as text"), "{e}");
        let t = read_bytes(file(r#""speaker": ["S"]"#).as_bytes(), Path::new("a.json"), &LENIENT).unwrap();
        assert_eq!(told(&t), ["0-1 a b"]);
        assert!(warned(&t).contains("the segment is kept without it"), "{}", warned(&t));
        let e = complaint(
            "a.json",
            r#"[{"start": "1.5x", "end": 2, "text": "a", "words": [{"word": "a", "start": 1, "end": 2}]}]"#,
        );
        assert!(e.contains("segment 1: start is \"1.5x\""), "{e}");
        let t =
            parse("a.json", &file(r#""words": [{"word": "a", "start": 1, "end": 0}, {"word": ["b"]}, {"word": ""}]"#));
        assert!(warned(&t).contains("1 words have times that cannot be used (first: segment 1: "), "{}", warned(&t));
        assert!(warned(&t).contains("1 entries among the words hold no word"), "{}", warned(&t));
    }

    #[test]
    fn segments_fewer_than_the_file_itself_says_are_told() {
        let segments = r#""segments": [{"start": 0, "end": 1, "text": "so it is"}]"#;
        let t = parse(
            "a.json",
            &format!(r#"{{"text": "so it is and no more", {segments}, "word_segments": [{{"word": "so"}}]}}"#),
        );
        assert!(warned(&t).contains("own text has 6 words, its segments have 3"), "{}", warned(&t));
        assert!(warned(&t).contains("`word_segments` lists 1 words, the segments have 0"), "{}", warned(&t));
        assert_eq!(warned(&parse("a.json", &format!(r#"{{"text": " so it is", {segments}}}"#))), "");
    }
}
