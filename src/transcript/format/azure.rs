//! JSON of Azure Speech: `recognizedPhrases` of batch transcription (ticks of 100 ns, ISO 8601 durations), `phrases` of
//! fast transcription (milliseconds) ("Get transcription results", Azure AI Speech).

use serde_json::Value;

use super::items::{self, Item, Lost, Part, Stretch, Told};
use super::{Entry, Json, Sign};
use crate::error::Result;
use crate::transcript::draft::{Draft, short};

const EXPECTED: &str =
    "expected ticks of 100 ns (offsetInTicks), ISO durations (PT1.5S) or milliseconds; correct the phrase";

pub(super) const ENTRY: Entry = Entry {
    name: "Azure Speech JSON",
    help: "JSON of Azure Speech",
    suffixes: &["json"],
    signs: &[Sign::Keys(fits)],
    expected: "Azure's `recognizedPhrases` or `phrases`",
    example: "{\"recognizedPhrases\": [{\"recognitionStatus\": \"Success\", \"speaker\": 1, \"offsetInTicks\": 700000.0, \
              \"durationInTicks\": 15900000.0, \"nBest\": [{\"display\": \"Hi.\"}]}]}",
    read: |input, draft| read(input.value().unwrap_or(&Value::Null), draft),
    ..Entry::PLAIN
};

fn fits(json: &Json) -> bool {
    json.one().is_some_and(|root| {
        let phrases = root.get("phrases").and_then(Value::as_array);
        root.get("recognizedPhrases").is_some_and(Value::is_array)
            || phrases.is_some_and(|p| p.first().is_some_and(|p| p.get("offsetMilliseconds").is_some()))
    })
}

/// `PT1H2M3.25S`.
fn iso(text: &str) -> Option<f64> {
    let mut rest = text.trim().strip_prefix("PT")?;
    let mut secs = 0.0;
    for (unit, factor) in [('H', 3600.0), ('M', 60.0), ('S', 1.0)] {
        if let Some((number, after)) = rest.split_once(unit) {
            secs += number.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0)? * factor;
            rest = after;
        }
    }
    rest.is_empty().then_some(secs)
}

/// A time under one of the names that Azure gives it, `offset` or `duration`.
fn time(value: &Value, what: &str) -> Told {
    let ticks = items::units(value, &format!("{what}InTicks"), 1e7)?;
    let millis = items::units(value, &format!("{what}Milliseconds"), 1e3)?;
    if let Some(secs) = ticks.or(millis) {
        return Ok(Some(secs));
    }
    match value.get(what) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(s)) => iso(s).map(Some).ok_or_else(|| format!("{what} is {:?}", short(s))),
        Some(other) => Err(format!("{what} is {}", short(&other.to_string()))),
    }
}

/// Start and end.
fn span(value: &Value) -> (Told, Told) {
    let start = time(value, "offset");
    // Sums of decimal fractions are kept to the ticks of 100 ns that they are of.
    let end = match (&start, time(value, "duration")) {
        (Ok(Some(start)), Ok(Some(length))) => Ok(Some(((start + length) * 1e7).round() / 1e7)),
        (_, Err(what)) => Err(what),
        _ => Ok(None),
    };
    (start, end)
}

fn item(value: &Value, lost: &mut Lost) -> Option<Item> {
    let key = ["displayText", "word", "text"].into_iter().find(|k| value.get(*k).is_some()).unwrap_or("word");
    let (start, end) = span(value);
    Some(Item { part: Part::Word, text: lost.text(value, key)?, start, end, speaker: None })
}

fn read(root: &Value, draft: &mut Draft) -> Result<()> {
    let fail = |what: String| draft.fail(0, what, EXPECTED);
    let key = if root.get("recognizedPhrases").is_some() { "recognizedPhrases" } else { "phrases" };
    let phrases = items::list(root, key).map_err(fail)?;
    let number = |p: &Value| p.get("channel").and_then(Value::as_u64).unwrap_or(0);
    let several = phrases.iter().any(|p| number(p) != phrases.first().map_or(0, number));
    let mut lost = Lost::default();
    let mut stretches = Vec::new();
    let mut failed = 0;
    for (i, phrase) in phrases.iter().enumerate() {
        if phrase.get("recognitionStatus").and_then(Value::as_str).is_some_and(|s| s != "Success") {
            failed += 1;
            continue;
        }
        let best = phrase.get("nBest").and_then(|n| n.get(0)).unwrap_or(phrase);
        let words = match items::list(best, "displayWords").map_err(fail)? {
            [] => items::list(best, "words").map_err(fail)?,
            display => display,
        };
        let text = ["display", "text", "lexical"].iter().find_map(|k| best.get(*k)?.as_str());
        let speaker = items::speaker(phrase, "speaker");
        let channel = several.then(|| format!("channel {}", number(phrase)));
        let speaker = match (channel, speaker) {
            (Some(channel), Some(speaker)) => Some(format!("{channel} speaker {speaker}")),
            (channel, speaker) => channel.or(speaker),
        };
        let (start, end) = span(phrase);
        stretches.push(Stretch {
            name: format!("phrase {}", i + 1),
            start,
            end,
            speaker,
            text: text.map(str::to_owned),
            items: words.iter().filter_map(|w| item(w, &mut lost)).collect(),
        });
    }
    let languages: Vec<&str> = phrases.iter().filter_map(|p| p.get("locale")?.as_str()).collect();
    if let Some(language) = languages.first().filter(|first| languages.iter().all(|l| l == *first)) {
        draft.declare(language);
    }
    if failed > 0 {
        draft.warn(format!("{failed} phrases were not recognised and have no words; they are left out"));
    }
    items::into_turns(stretches, EXPECTED, &mut lost, draft)?;
    if several {
        draft.sort_by_time();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::iso;
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told, warned, word_times};

    #[test]
    fn iso_durations() {
        assert_eq!(
            (iso("PT1M2.5S"), iso("PT0.07S"), iso("PT1H"), iso("PT0S")),
            (Some(62.5), Some(0.07), Some(3600.0), Some(0.0))
        );
        assert_eq!((iso("1.5"), iso("PT1X"), iso("PT-1S"), iso("")), (None, None, None, None));
    }

    #[test]
    fn ticks_durations_and_milliseconds() {
        let t = parse(
            "a.json",
            r#"{"source": "x", "durationInTicks": 1, "recognizedPhrases": [
            {"recognitionStatus": "Success", "channel": 0, "speaker": 1, "offset": "PT0.07S", "duration": "PT1.59S", "offsetInTicks": 700000.0, "durationInTicks": 15900000.0, "locale": "de-DE",
             "nBest": [{"confidence": 0.9, "lexical": "hello world", "display": "Hello, world.", "words": [
                {"word": "hello", "offset": "PT0.09S", "duration": "PT0.48S", "offsetInTicks": 900000.0, "durationInTicks": 4800000.0},
                {"word": "world", "offset": "PT0.59S", "duration": "PT0.41S"}]}]},
            {"recognitionStatus": "NoMatch", "channel": 0, "offset": "PT2S", "duration": "PT1S"}]}"#,
        );
        assert_eq!((t.format, t.language.as_deref()), (Format::Azure, Some("de-DE")));
        assert_eq!(told(&t), ["0.07-1.66 1: Hello, world."]);
        assert_eq!(word_times(&t.turns[0]), ["hello 0.090-0.570", "world 0.590-1.000"]);
        assert!(warned(&t).contains("1 phrases were not recognised"), "{}", warned(&t));
        let t = parse(
            "a.json",
            r#"{"durationMilliseconds": 9000, "phrases": [{"channel": 0, "offsetMilliseconds": 960, "durationMilliseconds": 640, "text": "Good day.", "words": [
                {"text": "Good", "offsetMilliseconds": 960, "durationMilliseconds": 240}]},
                {"channel": 1, "offsetMilliseconds": 960, "durationMilliseconds": 40, "text": "Yes."}]}"#,
        );
        assert_eq!(told(&t), ["0.96-1 channel 1: Yes.", "0.96-1.6 channel 0: Good day."]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let file = |p: &str| format!(r#"{{"recognizedPhrases": [{p}]}}"#);
        let e = complaint("a.json", &file(r#"{"offset": "1.5", "duration": "PT1S", "nBest": [{"display": "a"}]}"#));
        assert!(e.contains("phrase 1: offset is \"1.5\"; expected ticks"), "{e}");
        let e = complaint(
            "a.json",
            &file(r#"{"offset": "PT1S", "durationInTicks": -20000000, "nBest": [{"display": "a"}]}"#),
        );
        assert!(e.contains("phrase 1: a time before 0") || e.contains("before start"), "{e}");
        assert!(complaint("a.json", &file("")).contains("no cues (Azure Speech JSON)"));
    }
}
