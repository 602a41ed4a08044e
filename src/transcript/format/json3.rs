//! YouTube's json3: `events` in milliseconds with `segs`, whose offsets time the words of automatic captions.

use serde_json::Value;

use super::items;
use super::timed_text::{Caption, Piece, into_cues};
use super::{Entry, Json, Sign};
use crate::error::Result;
use crate::transcript::draft::Draft;

const EXPECTED: &str = "expected `tStartMs` and `dDurationMs` in milliseconds; correct the event";

pub(super) const ENTRY: Entry = Entry {
    name: "YouTube json3",
    help: "YouTube's json3",
    suffixes: &["json3", "json"],
    signs: &[Sign::Keys(fits)],
    expected: "YouTube's `events` with `tStartMs`",
    example: "{\"wireMagic\": \"pb3\", \"events\": [{\"tStartMs\": 160, \"dDurationMs\": 4400, \"segs\": [{\"utf8\": \
              \"so\"}, {\"utf8\": \" yes\", \"tOffsetMs\": 300}]}]}",
    read: |input, draft| read(input.value().unwrap_or(&Value::Null), draft),
    ..Entry::PLAIN
};

fn fits(json: &Json) -> bool {
    json.one().is_some_and(|root| {
        let events = root.get("events").and_then(Value::as_array);
        let shows = |e: &Value| e.get("tStartMs").is_some() || e.get("segs").is_some();
        events.is_some_and(|e| e.iter().any(shows) || root.get("wireMagic").is_some())
    })
}

fn read(root: &Value, draft: &mut Draft) -> Result<()> {
    let events = items::list(root, "events").map_err(|what| draft.fail(0, what, EXPECTED))?;
    let mut captions = Vec::new();
    let mut textless = 0;
    for (i, event) in events.iter().enumerate() {
        let segs = items::list(event, "segs").map_err(|what| draft.fail(0, what, EXPECTED))?;
        // Events without words place windows on the screen.
        if segs.is_empty() {
            continue;
        }
        let mut pieces = Vec::new();
        for seg in segs {
            match seg.get("utf8") {
                Some(Value::String(text)) => {
                    pieces.push(Piece { text: text.clone(), offset: items::units(seg, "tOffsetMs", 1e3) });
                }
                _ => textless += 1,
            }
        }
        captions.push(Caption {
            line: 0,
            name: format!("event {}", i + 1),
            start: items::units(event, "tStartMs", 1e3),
            length: items::units(event, "dDurationMs", 1e3),
            pieces,
        });
    }
    if textless > 0 {
        draft.warn(format!("{textless} segments hold no text and are left out"));
    }
    into_cues(captions, EXPECTED, draft)
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told, warned, word_times};

    #[test]
    fn milliseconds_words_and_durations_of_display() {
        let t = parse(
            "a.json3",
            r#"{"wireMagic": "pb3", "events": [{"tStartMs": 0, "dDurationMs": 9000, "id": 1, "wpWinPosId": 1},
            {"tStartMs": 160, "dDurationMs": 4400, "wWinId": 1, "segs": [{"utf8": "so"}, {"utf8": " yes", "tOffsetMs": 300}, {"utf8": " I <3 you", "tOffsetMs": 640}]},
            {"tStartMs": 2310, "dDurationMs": 2250, "wWinId": 1, "aAppend": 1, "segs": [{"utf8": "\n"}]},
            {"tStartMs": 2320, "dDurationMs": 3000, "wWinId": 1, "segs": [{"utf8": "no"}, {"utf8": " way", "tOffsetMs": 500}]}]}"#,
        );
        assert_eq!(t.format, Format::Json3);
        assert_eq!(told(&t), ["0.16-2.32 so yes I <3 you", "2.32-5.32 no way"]);
        assert_eq!(word_times(&t.turns[1]), ["no 2.320-2.820", "way 2.820-5.320"]);
        assert!(warned(&t).contains("1 captions stay on the screen while the next is said"), "{}", warned(&t));
        let t = parse(
            "a.json",
            r#"{"events": [{"tStartMs": 1000, "dDurationMs": 500, "segs": [{"utf8": "ANNA: hi\nyou"}]}, {"tStartMs": 2000, "dDurationMs": 500, "segs": [{"utf8": "BERT: so"}]}, {"tStartMs": 3000, "dDurationMs": 500, "segs": [{"utf8": "ANNA: no"}]}]}"#,
        );
        assert_eq!(told(&t), ["1-1.5 ANNA: hi you", "2-2.5 BERT: so", "3-3.5 ANNA: no"]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let file = |e: &str| format!(r#"{{"wireMagic": "pb3", "events": [{e}]}}"#);
        assert!(complaint("a.json3", &file("")).contains("no cues (YouTube json3)"));
        let e = complaint("a.json3", &file(r#"{"tStartMs": "x", "dDurationMs": 1, "segs": [{"utf8": "a"}]}"#));
        assert!(e.contains("event 1: tStartMs is \"x\"; expected `tStartMs`"), "{e}");
        let e = complaint("a.json3", &file(r#"{"tStartMs": 5, "dDurationMs": -9, "segs": [{"utf8": "a"}]}"#));
        assert!(e.contains("event 1: a time before 0"), "{e}");
        let e = complaint("a.json3", &file(r#"{"tStartMs": 5, "segs": [{"utf8": "a"}]}"#));
        assert!(e.contains("event 1: no end time"), "{e}");
        let t = parse(
            "a.json3",
            &file(
                r#"{"tStartMs": 5000, "dDurationMs": 9, "segs": [{"utf8": "a"}]}, {"tStartMs": 0, "dDurationMs": 9, "segs": [{"utf8": "b"}]}"#,
            ),
        );
        assert!(warned(&t).contains("1 turns start before the turn above them"), "{}", warned(&t));
    }
}
