//! JSON of Google Speech-to-Text ("SpeechRecognitionResult" of its v1 and v2 references): times as strings of seconds
//! with an `s`, or protobuf durations; with speaker tags, the last result repeats all words.

use serde_json::Value;

use super::items::{self, Item, Lost, Part, Stretch, Told};
use super::{Entry, Json, Sign};
use crate::error::Result;
use crate::transcript::draft::{Draft, short};

const EXPECTED: &str = "expected times as \"1.300s\", end at or after start, one for each word; correct the word, or \
                        have the recording transcribed with word time offsets";

pub(super) const ENTRY: Entry = Entry {
    name: "Google Speech-to-Text JSON",
    help: "JSON of Google Speech-to-Text",
    suffixes: &["json"],
    signs: &[Sign::Keys(fits)],
    expected: "Google's `results` with `alternatives`",
    example: "{\"results\": [{\"alternatives\": [{\"transcript\": \"hi you\", \"words\": [{\"startTime\": \"1.300s\", \
              \"endTime\": \"1.400s\", \"word\": \"hi\"}, {\"startTime\": \"1.400s\", \"endTime\": \"1.900s\", \
              \"word\": \"you\"}]}]}]}",
    read: |input, draft| read(input.value().unwrap_or(&Value::Null), draft),
    ..Entry::PLAIN
};

/// The results, also within the response of an operation or of a batch.
fn results(root: &Value) -> Option<&Vec<Value>> {
    let inner = root.get("response").unwrap_or(root);
    let list = inner.get("results")?.as_array()?;
    let of_google = |r: &Value| {
        r.get("alternatives").and_then(|a| a.get(0)).is_some_and(|a| {
            let word = a.get("words").and_then(|w| w.get(0));
            a.get("transcript").is_some() && word.is_none_or(|w| w.get("word").is_some())
                || word.is_some_and(|w| w.get("word").is_some())
        }) && r.get("final").is_none()
            && r.get("type").is_none()
    };
    list.iter().any(of_google).then_some(list)
}

fn fits(json: &Json) -> bool {
    json.one().is_some_and(|root| results(root).is_some())
}

/// `"1.300s"`, or seconds and nanoseconds; absent at 0, as protobuf leaves zeros out.
fn time(value: &Value, keys: [&str; 3]) -> Told {
    let Some((key, found)) = keys.iter().find_map(|k| Some((k, value.get(*k)?))) else { return Ok(None) };
    let odd = || format!("{key} is {}", short(&found.to_string()));
    match found {
        Value::String(s) => {
            let secs = s.trim().strip_suffix('s').and_then(|s| s.parse::<f64>().ok()).filter(|s| s.is_finite());
            secs.map(Some).ok_or_else(odd)
        }
        Value::Object(parts) => {
            let part = |name: &str| match parts.get(name) {
                None => Some(0.0),
                Some(Value::Number(n)) => n.as_f64(),
                Some(Value::String(s)) => s.parse::<f64>().ok().filter(|v| v.is_finite()),
                Some(_) => None,
            };
            let (whole, nanos) = (part("seconds"), part("nanos"));
            // Through decimal text, so that 1 s and 300,000,000 ns are the double nearest to 1.3.
            let secs = whole.zip(nanos).filter(|(w, n)| *w >= 0.0 && (0.0..1e9).contains(n));
            secs.and_then(|(w, n)| format!("{w:.0}.{n:09.0}").parse().ok()).map(Some).ok_or_else(odd)
        }
        Value::Null => Ok(None),
        _ => Err(odd()),
    }
}

fn speaker(word: &Value, channel: Option<String>) -> Option<String> {
    let tag = ["speakerLabel", "speaker_label", "speakerTag", "speaker_tag"];
    let speaker = tag.iter().find_map(|k| items::speaker(word, k)).filter(|s| s != "0");
    match (channel, speaker) {
        (Some(channel), Some(speaker)) => Some(format!("channel {channel} speaker {speaker}")),
        (Some(channel), None) => Some(format!("channel {channel}")),
        (None, speaker) => speaker,
    }
}

fn item(word: &Value, channel: Option<String>, lost: &mut Lost) -> Option<Item> {
    let end = time(word, ["endTime", "end_time", "endOffset"]);
    let start = time(word, ["startTime", "start_time", "startOffset"]);
    // A word that ends and does not begin begins at 0.
    let start = if matches!((&start, &end), (Ok(None), Ok(Some(_)))) { Ok(Some(0.0)) } else { start };
    Some(Item { part: Part::Word, text: lost.text(word, "word")?, start, end, speaker: speaker(word, channel) })
}

fn read(root: &Value, draft: &mut Draft) -> Result<()> {
    let results = results(root).map_or(&[][..], Vec::as_slice);
    let best = |result: &Value| result.get("alternatives").and_then(|a| a.get(0)).cloned().unwrap_or(Value::Null);
    let tag = |r: &Value| ["channelTag", "channel_tag"].iter().find_map(|k| items::speaker(r, k)).filter(|c| c != "0");
    let mut channels: Vec<String> = results.iter().filter_map(tag).collect();
    channels.sort_unstable();
    channels.dedup();
    let language = results.iter().find_map(|r| r.get("languageCode").or_else(|| r.get("language_code"))?.as_str());
    let mut lost = Lost::default();
    let mut all: Vec<(Value, Vec<Item>)> = Vec::new();
    for result in results {
        let best = best(result);
        let channel = tag(result).filter(|_| channels.len() > 1);
        let words = items::list(&best, "words").map_err(|what| draft.fail(0, what, EXPECTED))?;
        let words = words.iter().filter_map(|w| item(w, channel.clone(), &mut lost)).collect();
        all.push((best, words));
    }
    if let Some(language) = language {
        draft.declare(language);
    }
    let tagged = |words: &[Item]| words.iter().any(|w| w.speaker.is_some());
    let before: usize = all.iter().rev().skip(1).map(|(_, words)| words.len()).sum();
    let repeats = all.split_last().is_some_and(|((_, last), others)| {
        last.len() >= before && before > 0 && tagged(last) && channels.len() < 2 && !others.iter().any(|o| tagged(&o.1))
    });
    let last = if repeats { all.pop() } else { None };
    let stretches = if let Some((_, words)) = last {
        draft.warn("the last result repeats all words with their speakers; the others are left out");
        items::split(words, draft)
    } else if all.iter().any(|(_, words)| tagged(words)) {
        items::split(all.into_iter().flat_map(|(_, words)| words).collect(), draft)
    } else {
        let stretch = |(i, (best, items)): (usize, (Value, Vec<Item>))| Stretch {
            name: format!("result {}", i + 1),
            start: Ok(None),
            end: Ok(None),
            speaker: None,
            text: best.get("transcript").and_then(Value::as_str).map(str::to_owned),
            items,
        };
        let said = |s: &Stretch| s.text.as_ref().is_some_and(|t| !t.trim().is_empty()) || !s.items.is_empty();
        all.into_iter().enumerate().map(stretch).filter(said).collect()
    };
    items::into_turns(stretches, EXPECTED, &mut lost, draft)?;
    if channels.len() > 1 {
        draft.sort_by_time();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told, warned, word_times};

    #[test]
    fn seconds_with_an_s_and_durations() {
        let t = parse(
            "a.json",
            r#"{"results": [{"alternatives": [{"transcript": "hi you", "words": [
                {"startTime": "1.300s", "endTime": "1.400s", "word": "hi"}, {"startTime": "1.400s", "endTime": "2s", "word": "you"}]}], "languageCode": "en-us"},
                {"alternatives": [{"transcript": " yes", "words": [{"start_time": {"seconds": "3", "nanos": 300000000}, "end_time": {"seconds": 4}, "word": "yes"}]}]}]}"#,
        );
        assert_eq!((t.format, t.language.as_deref()), (Format::Google, Some("en-us")));
        assert_eq!(told(&t), ["1.3-2 hi you", "3.3-4 yes"]);
        assert_eq!(word_times(&t.turns[0]), ["hi 1.300-1.400", "you 1.400-2.000"]);
    }

    #[test]
    fn the_last_result_with_speakers_stands_for_all() {
        let word = |a: &str, b: &str, w: &str, s: &str| {
            format!(r#"{{"startOffset": "{a}s", "endOffset": "{b}s", "word": "{w}"{s}}}"#)
        };
        let one =
            format!(r#"{{"alternatives": [{{"transcript": "hi", "words": [{}]}}]}}"#, word("0.5", "0.9", "hi", ""));
        let all = format!(
            r#"{{"alternatives": [{{"words": [{}, {}]}}]}}"#,
            word("0.5", "0.9", "hi", r#", "speakerTag": 1"#),
            word("1", "1.25", "yes", r#", "speakerTag": 2"#)
        );
        let t = parse("a.json", &format!(r#"{{"name": "x", "response": {{"results": [{one}, {all}]}}}}"#));
        assert_eq!(told(&t), ["0.5-0.9 1: hi", "1-1.25 2: yes"]);
        assert!(warned(&t).contains("the last result repeats all words"), "{}", warned(&t));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let file = |words: &str| {
            format!(r#"{{"results": [{{"alternatives": [{{"transcript": "a", "words": [{words}]}}]}}]}}"#)
        };
        let e = complaint("a.json", &file(r#"{"startTime": "1.5", "endTime": "2s", "word": "a"}"#));
        assert!(e.contains("result 1: startTime is \"1.5\" at \"a\"; expected times as \"1.300s\""), "{e}");
        let e = complaint("a.json", &file(r#"{"startTime": "3s", "endTime": "2s", "word": "a"}"#));
        assert!(e.contains("end 2 s before start 3 s"), "{e}");
        let e = complaint("a.json", &file(""));
        assert!(e.contains("result 1: no start time") && e.contains("with word time offsets"), "{e}");
    }
}
