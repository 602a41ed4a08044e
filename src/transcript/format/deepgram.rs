//! JSON of Deepgram ("Pre-recorded audio" of its API reference): `results.utterances`, else paragraphs, else the words
//! of `results.channels`; times in seconds.

use serde_json::Value;

use super::items::{self, Item, Lost, Part, Stretch};
use super::{Entry, Json, Sign};
use crate::error::Result;
use crate::transcript::draft::Draft;

const EXPECTED: &str = "expected numbers in seconds, end at or after start; correct the entry";

pub(super) const ENTRY: Entry = Entry {
    name: "Deepgram JSON",
    help: "JSON of Deepgram",
    suffixes: &["json"],
    signs: &[Sign::Keys(fits)],
    expected: "Deepgram's `results` with `channels`",
    example: "{\"results\": {\"channels\": [{\"alternatives\": [{\"transcript\": \"hi\", \"words\": [{\"word\": \"hi\", \
              \"start\": 0.5, \"end\": 0.75, \"punctuated_word\": \"Hi.\", \"speaker\": 0}]}]}]}}",
    read: |input, draft| read(input.value().unwrap_or(&Value::Null), draft),
    ..Entry::PLAIN
};

fn fits(json: &Json) -> bool {
    json.one().and_then(|root| root.get("results")).is_some_and(|r| r.get("channels").is_some_and(Value::is_array))
}

/// The speaker of an entry; of several channels, the channel too: speakers are counted in each of them.
fn speaker(value: &Value, channel: Option<usize>) -> Option<String> {
    let speaker = items::speaker(value, "speaker");
    match (channel, speaker) {
        (Some(channel), Some(speaker)) => Some(format!("channel {channel} speaker {speaker}")),
        (Some(channel), None) => Some(format!("channel {channel}")),
        (None, speaker) => speaker,
    }
}

fn item(value: &Value, channel: Option<usize>, lost: &mut Lost) -> Option<Item> {
    let key = if value.get("punctuated_word").is_some() { "punctuated_word" } else { "word" };
    Some(Item {
        part: Part::Word,
        text: lost.text(value, key)?,
        start: items::units(value, "start", 1.0),
        end: items::units(value, "end", 1.0),
        speaker: speaker(value, channel),
    })
}

fn read(root: &Value, draft: &mut Draft) -> Result<()> {
    let results = &root["results"];
    let fail = |what: String, draft: &Draft| draft.fail(0, what, EXPECTED);
    let channels = items::list(results, "channels").map_err(|e| fail(e, draft))?;
    let utterances = items::list(results, "utterances").map_err(|e| fail(e, draft))?;
    let language = channels.iter().find_map(|c| c.get("detected_language").and_then(Value::as_str));
    let several = channels.len() > 1;
    let mut lost = Lost::default();
    let mut stretches = Vec::new();
    for (i, u) in utterances.iter().enumerate() {
        let number = u.get("channel").and_then(Value::as_u64).unwrap_or(0);
        let channel = several.then(|| usize::try_from(number).unwrap_or(usize::MAX));
        let words = items::list(u, "words").map_err(|e| fail(e, draft))?;
        stretches.push(Stretch {
            name: format!("utterance {}", i + 1),
            start: items::units(u, "start", 1.0),
            end: items::units(u, "end", 1.0),
            speaker: speaker(u, channel),
            text: u.get("transcript").and_then(Value::as_str).map(str::to_owned),
            items: words.iter().filter_map(|w| item(w, channel, &mut lost)).collect(),
        });
    }
    if stretches.is_empty() {
        for (i, channel) in channels.iter().enumerate() {
            let Some(best) = channel.get("alternatives").and_then(|a| a.get(0)) else { continue };
            let channel = several.then_some(i);
            let words = items::list(best, "words").map_err(|e| fail(e, draft))?;
            let words: Vec<Item> = words.iter().filter_map(|w| item(w, channel, &mut lost)).collect();
            let paragraphs = best.get("paragraphs").map_or(Ok(&[][..]), |p| items::list(p, "paragraphs"));
            let paragraphs = paragraphs.map_err(|e| fail(e, draft))?;
            stretches.extend(match within(paragraphs, words, channel) {
                Ok(stretches) => stretches,
                Err(words) => items::split(words, draft),
            });
        }
    }
    if let Some(language) = language {
        draft.declare(language);
    }
    items::into_turns(stretches, EXPECTED, &mut lost, draft)?;
    if several {
        draft.sort_by_time();
    }
    Ok(())
}

/// Paragraphs with the words that begin in them; the words alone where a paragraph holds none or a word lies in none.
fn within(paragraphs: &[Value], words: Vec<Item>, channel: Option<usize>) -> Result<Vec<Stretch>, Vec<Item>> {
    let starts: Option<Vec<f64>> = paragraphs.iter().map(|p| p.get("start").and_then(Value::as_f64)).collect();
    let Some(starts) = starts.filter(|s| !s.is_empty() && s.is_sorted()) else { return Err(words) };
    let home = |item: &Item| match item.start {
        Ok(Some(start)) => starts.partition_point(|s| *s <= start + 1e-6).checked_sub(1),
        _ => None,
    };
    if words.iter().any(|w| home(w).is_none()) {
        return Err(words);
    }
    let mut out: Vec<Stretch> = paragraphs
        .iter()
        .enumerate()
        .map(|(i, p)| Stretch {
            name: format!("paragraph {}", i + 1),
            start: items::units(p, "start", 1.0),
            end: items::units(p, "end", 1.0),
            speaker: speaker(p, channel),
            text: None,
            items: Vec::new(),
        })
        .collect();
    for word in words {
        if let Some(at) = home(&word) {
            out[at].items.push(word);
        }
    }
    out.retain(|s| !s.items.is_empty());
    Ok(out)
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told, warned, word_times};

    const WORDS: &str = r#"[{"word": "hello", "start": 0.08, "end": 0.48, "punctuated_word": "Hello.", "speaker": 0},
        {"word": "yes", "start": 0.6, "end": 0.8, "punctuated_word": "Yes,", "speaker": 1},
        {"word": "you", "start": 0.8, "end": 1.1, "punctuated_word": "you.", "speaker": 1}]"#;

    #[test]
    fn seconds_utterances_paragraphs_words_and_channels() {
        let one = |more: &str| {
            format!(r#"{{"results": {{"channels": [{{"alternatives": [{{"words": {WORDS}{more}}}]}}]}}}}"#)
        };
        let want = ["0.08-0.48 0: Hello.", "0.6-1.1 1: Yes, you."];
        let t = parse("a.json", &one(""));
        assert_eq!((t.format, told(&t)), (Format::Deepgram, want.map(String::from).to_vec()));
        assert_eq!(word_times(&t.turns[1]), ["Yes, 0.600-0.800", "you. 0.800-1.100"]);
        let paragraphs = r#", "paragraphs": {"paragraphs": [{"start": 0.08, "end": 0.48, "speaker": 0}, {"start": 0.6, "end": 1.1, "speaker": 1}]}"#;
        let t = parse("a.json", &one(paragraphs));
        assert_eq!((told(&t), warned(&t)), (want.map(String::from).to_vec(), String::new()));
        let utterances = format!(
            r#"{{"results": {{"channels": [{{}}, {{}}], "utterances": [{{"start": 0.08, "end": 1.5, "channel": 1, "transcript": "Hello. Yes, you.", "words": {WORDS}}}]}}}}"#
        );
        assert_eq!(told(&parse("a.json", &utterances)), ["0.08-1.5 channel 1: Hello. Yes, you."]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let file = |u: &str| format!(r#"{{"results": {{"channels": [], "utterances": [{u}]}}}}"#);
        let e = complaint("a.json", &file(r#"{"start": 2, "end": 1, "transcript": "a"}"#));
        assert!(e.contains("utterance 1: end 1 s before start 2 s"), "{e}");
        let e = complaint("a.json", &file(r#"{"start": true, "end": 1, "transcript": "a"}"#));
        assert!(e.contains("utterance 1: start is true"), "{e}");
        assert!(complaint("a.json", &file("")).contains("no cues (Deepgram JSON)"));
    }
}
