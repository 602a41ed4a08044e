//! JSON of Amazon Transcribe ("Transcription output", Amazon Transcribe Developer Guide): `results.items` with times as
//! strings of seconds; turns from `audio_segments`, else from `speaker_labels`, else from `channel_labels`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::items::{self, Item, Lost, Part, Stretch};
use super::{Entry, Json, Sign};
use crate::error::Result;
use crate::transcript::draft::Draft;

const EXPECTED: &str = "expected times in seconds as strings (\"1.25\"), end at or after start; correct the item";

pub(super) const ENTRY: Entry = Entry {
    name: "Amazon Transcribe JSON",
    help: "JSON of Amazon Transcribe",
    suffixes: &["json"],
    signs: &[Sign::Keys(fits)],
    expected: "Amazon Transcribe's `results` with `items`",
    example: "{\"jobName\": \"x\", \"results\": {\"items\": [{\"type\": \"pronunciation\", \"start_time\": \"0.1\", \
              \"end_time\": \"0.5\", \"alternatives\": [{\"content\": \"Hi\"}], \"speaker_label\": \"spk_0\"}, \
              {\"type\": \"punctuation\", \"alternatives\": [{\"content\": \".\"}]}]}}",
    read: |input, draft| read(input.value().unwrap_or(&Value::Null), draft),
    ..Entry::PLAIN
};

fn fits(json: &Json) -> bool {
    json.one().and_then(|root| root.get("results")).is_some_and(|results| {
        let item = results.get("items").and_then(|i| i.get(0));
        results.get("items").is_some_and(Value::is_array)
            && (results.get("transcripts").is_some() || item.is_none_or(|i| i.get("alternatives").is_some()))
    })
}

/// An entry of `items`, and its number where the file gives one.
fn item(value: &Value, lost: &mut Lost) -> Option<Item> {
    let text = lost.text(value.get("alternatives").and_then(|a| a.get(0)).unwrap_or(value), "content")?;
    let part = if value.get("type").and_then(Value::as_str) == Some("punctuation") { Part::Mark } else { Part::Word };
    Some(Item {
        part,
        text,
        start: items::units(value, "start_time", 1.0),
        end: items::units(value, "end_time", 1.0),
        speaker: items::speaker(value, "speaker_label"),
    })
}

/// Start time as written, end time as written: by these the segments of speakers name their words.
fn place(value: &Value) -> Option<(String, String)> {
    let text = |key: &str| Some(crate::transcript::json::text(value.get(key))).filter(|t| !t.is_empty());
    Some((text("start_time")?, text("end_time")?))
}

/// Turns from a list of segments of which `mine` tells the places of the entries.
fn segmented(segments: &[Value], values: &[Value], lost: &mut Lost, draft: &mut Draft) -> Result<Vec<Stretch>> {
    let mut by_time: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut by_number: BTreeMap<u64, usize> = BTreeMap::new();
    for (i, value) in values.iter().enumerate() {
        place(value).map(|p| by_time.insert(p, i));
        by_number.insert(value.get("id").and_then(Value::as_u64).unwrap_or(i as u64), i);
    }
    let mut owner: Vec<Option<usize>> = vec![None; values.len()];
    for (number, segment) in segments.iter().enumerate() {
        let mine = items::list(segment, "items").map_err(|what| draft.fail(0, what, EXPECTED))?;
        for entry in mine {
            let at = match entry {
                Value::Number(n) => n.as_u64().and_then(|n| by_number.get(&n)),
                other => place(other).and_then(|p| by_time.get(&p)),
            };
            if let Some(&at) = at {
                owner[at] = Some(number);
            }
        }
    }
    let mut out: Vec<Stretch> = segments
        .iter()
        .enumerate()
        .map(|(i, segment)| Stretch {
            name: format!("segment {}", i + 1),
            start: items::units(segment, "start_time", 1.0),
            end: items::units(segment, "end_time", 1.0),
            speaker: items::speaker(segment, "speaker_label"),
            text: None,
            items: Vec::new(),
        })
        .collect();
    let mut last = None;
    let mut without = 0;
    for (value, owner) in values.iter().zip(owner) {
        let Some(item) = item(value, lost) else { continue };
        // Marks have no time of their own and no segment.
        let at = owner.or(if item.part == Part::Mark { last } else { None });
        match at {
            Some(at) => out[at].items.push(item),
            None => without += 1,
        }
        last = at;
    }
    if without > 0 {
        let what = format!("{without} words stand in no segment of a speaker");
        draft.flaw(0, what, "they are left out", "get the file from the service again")?;
    }
    out.retain(|s| !s.items.is_empty());
    Ok(out)
}

fn read(root: &Value, draft: &mut Draft) -> Result<()> {
    let results = &root["results"];
    if let Some(language) = results.get("language_code").and_then(Value::as_str) {
        draft.declare(language);
    }
    let fail = |draft: &Draft, what: String| draft.fail(0, what, EXPECTED);
    let values = items::list(results, "items").map_err(|what| fail(draft, what))?;
    let mut lost = Lost::default();
    let own = items::list(results, "audio_segments").map_err(|what| fail(draft, what))?;
    let labels = results.get("speaker_labels").map_or(Ok(&[][..]), |l| items::list(l, "segments"));
    let labels = labels.map_err(|what| fail(draft, what))?;
    let channels = results.get("channel_labels").map_or(Ok(&[][..]), |l| items::list(l, "channels"));
    let channels = channels.map_err(|what| fail(draft, what))?;
    let segments = if own.iter().any(|s| s.get("items").is_some()) { own } else { labels };
    let stretches = if !segments.is_empty() {
        segmented(segments, values, &mut lost, draft)?
    } else if channels.len() > 1 {
        let mut all = Vec::new();
        for channel in channels {
            let label = items::speaker(channel, "channel_label");
            let values = items::list(channel, "items").map_err(|what| fail(draft, what))?;
            let words = values.iter().filter_map(|v| item(v, &mut lost));
            let mine = words.map(|i| Item { speaker: label.clone(), ..i }).collect();
            all.extend(items::split(mine, draft));
        }
        all
    } else {
        let words = values.iter().filter_map(|v| item(v, &mut lost)).collect();
        items::split(words, draft)
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

    const WORDS: &str = r#"[
        {"id": 0, "type": "pronunciation", "start_time": "0.04", "end_time": "0.5", "alternatives": [{"content": "Hi"}]},
        {"id": 1, "type": "punctuation", "alternatives": [{"content": ","}]},
        {"id": 2, "type": "pronunciation", "start_time": "0.5", "end_time": "1.25", "alternatives": [{"content": "you"}]},
        {"id": 3, "type": "punctuation", "alternatives": [{"content": "."}]},
        {"id": 4, "type": "pronunciation", "start_time": "1.5", "end_time": "1.75", "alternatives": [{"content": "Yes"}]}]"#;

    #[test]
    fn seconds_in_strings_marks_and_speakers() {
        let labels = r#"{"segments": [
            {"start_time": "0.0", "end_time": "1.3", "speaker_label": "spk_0", "items": [
                {"start_time": "0.04", "end_time": "0.5"}, {"start_time": "0.5", "end_time": "1.25"}]},
            {"start_time": "1.4", "end_time": "1.8", "speaker_label": "spk_1", "items": [{"start_time": "1.5", "end_time": "1.75"}]}]}"#;
        let t = parse(
            "a.json",
            &format!(
                r#"{{"jobName": "x", "results": {{"language_code": "en-US", "speaker_labels": {labels}, "items": {WORDS}}}}}"#
            ),
        );
        assert_eq!((t.format, t.language.as_deref()), (Format::Amazon, Some("en-US")));
        assert_eq!(told(&t), ["0-1.3 spk_0: Hi, you.", "1.4-1.8 spk_1: Yes"]);
        assert_eq!(word_times(&t.turns[0]), ["Hi, 0.040-0.500", "you. 0.500-1.250"]);
        let audio = r#"[{"id": 0, "start_time": "0.0", "end_time": "1.3", "items": [0, 1, 2, 3]},
                        {"id": 1, "start_time": "1.4", "end_time": "1.8", "items": [4]}]"#;
        let t = parse("a", &format!(r#"{{"results": {{"audio_segments": {audio}, "items": {WORDS}}}}}"#));
        assert_eq!(told(&t), ["0-1.3 Hi, you.", "1.4-1.8 Yes"]);
        let t = parse("a", &format!(r#"{{"results": {{"transcripts": [], "items": {WORDS}}}}}"#));
        assert_eq!(told(&t), ["0.04-1.75 Hi, you. Yes"]);
        assert!(warned(&t).contains("words and no turns"), "{}", warned(&t));
    }

    #[test]
    fn channels_are_speakers() {
        let channels = format!(
            r#"{{"channels": [{{"channel_label": "ch_0", "items": {WORDS}}}, {{"channel_label": "ch_1", "items": {}}}]}}"#,
            WORDS.replace("\"1.", "\"3.").replace("\"0.", "\"2.")
        );
        let t = parse("a.json", &format!(r#"{{"results": {{"items": {WORDS}, "channel_labels": {channels}}}}}"#));
        assert_eq!(told(&t), ["0.04-1.75 ch_0: Hi, you. Yes", "2.04-3.75 ch_1: Hi, you. Yes"]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let file = |items: &str| format!(r#"{{"jobName": "x", "results": {{"items": {items}, "transcripts": []}}}}"#);
        let e = complaint("a.json", &file(&WORDS.replace("\"1.75\"", "\"1.25\"").replace("\"1.5\"", "\"9.5\"")));
        assert!(e.contains("end 1.25 s before start 9.5 s at \"Yes\""), "{e}");
        let e = complaint("a.json", &file(r#"{"a": 1}"#));
        assert!(e.contains("not supported"), "{e}");
        assert!(complaint("a.json", &file("[]")).contains("no cues (Amazon Transcribe JSON)"));
        let e = complaint("a.json", &file(&WORDS.replace("\"1.5\"", "\"9.5\"").replace("\"1.75\"", "[1]")));
        assert!(e.contains("end_time is [1] at \"Yes\""), "{e}");
        let t = parse(
            "a.json",
            &file(&WORDS.replace("\"1.75\"", "[1]").replace("\"start_time\": \"0.5\"", "\"start_time\": \"0.02\"")),
        );
        assert!(warned(&t).contains("1 words have times that cannot be used"), "{}", warned(&t));
        assert!(warned(&t).contains("1 words begin before the word above them"), "{}", warned(&t));
    }
}
