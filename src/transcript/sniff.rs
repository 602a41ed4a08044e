//! Which format a text is, told by its content; the suffix only breaks ties and words the complaint.

use serde_json::Value;

use super::draft::{Draft, short};
use super::{chat, clock, delimited, json, rescue, stm, textgrid, whisper};
use crate::error::{Error, Result};

/// A format found, with what was parsed on the way.
pub(super) enum Content {
    Srt,
    WebVtt,
    Stm,
    Csv,
    Eaf,
    TextGrid,
    Chat,
    /// The root of a Whisper JSON.
    Whisper(Value),
    /// Samples with their lines (0 where the file is one value).
    Rescue(Vec<(usize, Value)>),
}

const SUPPORTED: &str = "supported are SRT, WebVTT, Whisper and WhisperX JSON, CSV or TSV with a header, STM, ELAN EAF, Praat TextGrid, CHAT and RESCUE-bench samples";

/// Tells the format, or complains with the format detected and what is supported.
pub(super) fn content(text: &str, suffix: &str, draft: &Draft) -> Result<Content> {
    let body = text.trim_start();
    if body.is_empty() {
        return Err(draft.fail(
            0,
            "no cues: the file is empty",
            "the transcript must hold at least one timed turn; leave the transcript out to work without one",
        ));
    }
    if body.contains('\0') || body.starts_with("ooBinaryFile") {
        return Err(draft.fail(
            0,
            "a binary file, not a text",
            format!("is it the recording, and the transcript another file? {SUPPORTED}"),
        ));
    }
    if body.starts_with("WEBVTT") {
        return Ok(Content::WebVtt);
    }
    if textgrid::fits(body) {
        return Ok(Content::TextGrid);
    }
    if let Some(found) = marked(body) {
        return unsupported(draft, found);
    }
    if body.starts_with('<')
        && let Some(root) = xml_root(body)
    {
        return if root == "ANNOTATION_DOCUMENT" { Ok(Content::Eaf) } else { unsupported(draft, &xml_name(root)) };
    }
    if json_like(body) || suffix == "json" || suffix == "jsonl" {
        return from_json(text, draft);
    }
    if chat::fits(body) {
        return Ok(Content::Chat);
    }
    if let Some(error) = rttm(body, draft) {
        return Err(error);
    }
    // A table's header is looked at before timing lines: a cell may hold one.
    if delimited::fits(text) {
        return Ok(Content::Csv);
    }
    if body.lines().any(|l| clock::timing(l).is_some()) {
        return Ok(if suffix == "vtt" { Content::WebVtt } else { Content::Srt });
    }
    if stm::fits(text) {
        return Ok(Content::Stm);
    }
    if let Some(found) = lines_of(body) {
        return unsupported(draft, found);
    }
    by_suffix(text, suffix, draft)
}

fn unsupported(draft: &Draft, found: &str) -> Result<Content> {
    Err(draft.fail(0, format!("{found} is not supported"), format!("{SUPPORTED}; convert it to one of them")))
}

/// Formats that announce themselves in their first characters.
fn marked(body: &str) -> Option<&'static str> {
    let first = body.lines().next().unwrap_or("");
    let digit_after = |mark: &str| first.strip_prefix(mark).is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()));
    if first.trim_end().eq_ignore_ascii_case("[script info]") {
        Some("ASS/SSA (Advanced SubStation Alpha)")
    } else if first.starts_with("Scenarist_SCC") {
        Some("SCC (Scenarist closed captions)")
    } else if digit_after("{") && first.contains('}') {
        Some("MicroDVD .sub (times in frames)")
    } else if digit_after("[") && first.contains("-->") {
        Some("Whisper's console output")
    } else if first.starts_with("%PDF") {
        Some("PDF")
    } else if first.starts_with("PK\u{3}\u{4}") {
        Some("a zip archive (docx, xlsx, odt)")
    } else {
        None
    }
}

/// Formats told by the shape of a line.
fn lines_of(body: &str) -> Option<&'static str> {
    let pair = |l: &str| l.split_once(',').is_some_and(|(a, b)| clock::parse(a.trim()).is_some() && clock::parse(b.trim()).is_some());
    let console = |l: &str| l.starts_with('[') && clock::timing(&l[1..]).is_some();
    let labels = |l: &str| {
        let mut fields = l.split('\t');
        matches!((fields.next().map(str::parse::<f64>), fields.next().map(str::parse::<f64>)), (Some(Ok(_)), Some(Ok(_))))
    };
    let first = body.lines().next().unwrap_or("");
    if pair(first) {
        Some("SBV (YouTube's .sbv)")
    } else if body.lines().take(50).any(console) {
        Some("Whisper's console output")
    } else if labels(first) {
        Some("a table without a header, such as Audacity's labels,")
    } else {
        None
    }
}

fn by_suffix(text: &str, suffix: &str, draft: &Draft) -> Result<Content> {
    let (name, expected) = match suffix {
        "srt" => ("SRT", "expected timing lines HH:MM:SS,mmm --> HH:MM:SS,mmm"),
        "vtt" => ("WebVTT", "expected WEBVTT in the first line, then timing lines HH:MM:SS.mmm --> HH:MM:SS.mmm"),
        "csv" | "tsv" => {
            let what = format!("the first line names no start and end, its columns are {:?}", delimited::header_fields(text));
            return Err(draft.fail(1, what, "expected a header with start, end (or duration), speaker and text"));
        }
        "stm" => ("STM", "expected lines `file channel speaker start end [<label>] words`"),
        "eaf" => ("ELAN EAF", "expected XML with the root ANNOTATION_DOCUMENT"),
        "textgrid" => ("Praat TextGrid", "expected `File type = \"ooTextFile\"` in the first line"),
        "cha" => ("CHAT", "expected @Begin and lines `*SPK:` with time bullets"),
        "rttm" => return Err(draft.fail(0, "RTTM is not a transcript: it tells who spoke when, not what was said", "pass it with --rttm")),
        _ => {
            let first = short(text.trim_start().lines().next().unwrap_or(""));
            return Err(draft.fail(0, format!("not a transcript format that is known; it begins {first:?}"), SUPPORTED));
        }
    };
    Err(draft.fail(0, format!("no cues: nothing in the file looks like {name}"), expected))
}

fn xml_root(body: &str) -> Option<&str> {
    let mut rest = body;
    loop {
        rest = rest[rest.find('<')? + 1..].trim_start();
        if rest.starts_with("!--") {
            rest = &rest[rest.find("-->")? + 3..];
        } else if !rest.starts_with(['?', '!']) {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || "_-.:".contains(c))).unwrap_or(rest.len());
            let name = &rest[..end];
            return (!name.is_empty()).then(|| name.rsplit_once(':').map_or(name, |(_, local)| local));
        }
    }
}

fn xml_name(root: &str) -> String {
    match root.to_lowercase().as_str() {
        "tt" => "TTML (DFXP)".into(),
        "sami" => "SAMI".into(),
        "transcript" | "timedtext" => format!("YouTube's timed text (XML <{root}>)"),
        "html" => "HTML".into(),
        "xmeml" | "premieredata" => format!("a video editor's XML (<{root}>)"),
        "preferences" => "ELAN's preferences file (.pfsx; the annotations are in the .eaf)".into(),
        _ => format!("XML with the root <{root}>"),
    }
}

fn json_like(body: &str) -> bool {
    let mut chars = body.chars().filter(|c| !c.is_whitespace());
    matches!((chars.next(), chars.next()), (Some('{'), Some('"' | '}')) | (Some('['), Some('{' | ']' | '"')))
}

fn from_json(text: &str, draft: &Draft) -> Result<Content> {
    let root = match json::parse(text) {
        Ok(root) => root,
        Err(error) => {
            return match rescue::lines(text) {
                Some(Ok(samples)) => Ok(Content::Rescue(samples)),
                Some(Err((line, what))) => Err(draft.fail(line, what, "correct the line")),
                None => {
                    let hint = "expected one JSON value, or a RESCUE-bench sample with `rows` on every line";
                    Err(draft.fail(error.line(), format!("JSON cannot be read: {error}"), hint))
                }
            };
        }
    };
    if let Some(samples) = rescue::samples_in(&root) {
        return Ok(Content::Rescue(samples.into_iter().map(|v| (0, v.clone())).collect()));
    }
    if whisper::segments(&root).is_some() {
        return Ok(Content::Whisper(root));
    }
    unsupported(draft, &json_name(&root))
}

/// Whose JSON it is, by its keys.
fn json_name(root: &Value) -> String {
    let Value::Object(map) = root else {
        return "JSON that is no list of segments with start, end and text".into();
    };
    let has = |key: &str| map.contains_key(key);
    let name = if has("jobName") && has("results") {
        "Amazon Transcribe's JSON"
    } else if has("retval") || has("segmentation") {
        "BBC Kaldi's JSON"
    } else if has("results") && (has("result_index") || map["results"].get(0).is_some_and(|r| r.get("result_index").is_some())) {
        "IBM Watson's JSON"
    } else if has("results") && map["results"].get("channels").is_some() {
        "Deepgram's JSON"
    } else if has("monologues") {
        "Rev's JSON"
    } else if has("utterances") {
        "AssemblyAI's JSON"
    } else if has("chunks") {
        "the JSON of a Hugging Face pipeline (chunks)"
    } else if has("transcription") {
        "whisper.cpp's JSON"
    } else if has("words") && has("paragraphs") {
        "Digital Paper Edit's JSON"
    } else {
        let keys: Vec<&str> = map.keys().map(String::as_str).take(8).collect();
        return format!("JSON with the keys {}", keys.join(", "));
    };
    name.into()
}

/// RTTM says who spoke when, but not what.
fn rttm(body: &str, draft: &Draft) -> Option<Error> {
    const TYPES: [&str; 6] = ["SPEAKER", "SPKR-INFO", "LEXEME", "NON-LEX", "NOSCORE", "SEGMENT"];
    let (line, first) = body.lines().enumerate().find(|(_, l)| !l.trim().is_empty() && !l.starts_with(";;"))?;
    let fields: Vec<&str> = first.split_whitespace().collect();
    let is_rttm = fields.len() >= 8 && TYPES.contains(&fields[0]) && (fields[3].parse::<f64>().is_ok() || fields[3] == "<NA>");
    is_rttm.then(|| draft.fail(line + 1, "RTTM is not a transcript: it tells who spoke when, not what was said", "pass it with --rttm"))
}

#[cfg(test)]
mod tests {

    use crate::transcript::tests::complaint;

    #[test]
    fn rttm_is_no_transcript() {
        let e = complaint("a.txt", "SPEAKER x 1 0.5 1.2 <NA> <NA> anna <NA> <NA>\n");
        assert!(e.contains("RTTM is not a transcript") && e.contains("--rttm"), "{e}");
    }

    #[test]
    fn other_json_is_named() {
        for (text, name) in [
            (r#"{"jobName": "x", "results": {}}"#, "Amazon Transcribe"),
            (r#"{"results": [{"result_index": 0}]}"#, "IBM Watson"),
            (r#"{"transcription": []}"#, "whisper.cpp"),
            (r#"{"a": 1, "b": 2}"#, "JSON with the keys a, b"),
            ("[]", "JSON that is no list of segments"),
        ] {
            let e = complaint("a.json", text);
            assert!(e.contains(name) && e.contains("is not supported; supported are SRT"), "{e}");
        }
        assert!(complaint("a.json", "{\"a\": \n oops}").starts_with("a.json:2: JSON cannot be read"));
    }

    #[test]
    fn other_formats_are_named() {
        for (text, name) in [
            ("[Script Info]\n", "ASS/SSA"),
            ("Scenarist_SCC V1.0\n", "SCC"),
            ("{0}{25}a\n", "MicroDVD"),
            ("[00:00.440 --> 00:00.860] a\n", "Whisper's console output"),
            ("<?xml version=\"1.0\"?><!-- x --><tt xmlns=\"a\"></tt>", "TTML"),
            ("<SAMI></SAMI>", "SAMI"),
            ("<a:b/>", "XML with the root <b>"),
            ("0:00:00.378,0:00:11.378\na\n", "SBV"),
            ("0.0\t1.5\tlabel\n", "a table without a header"),
            ("%PDF-1.4", "PDF"),
        ] {
            let e = complaint("a.txt", text);
            assert!(e.contains(name) && e.contains("supported are SRT"), "{e}");
        }
        assert!(complaint("a.txt", "Once upon a time\n").contains("not a transcript format that is known"));
        assert!(complaint("a.srt", " \n").contains("the file is empty"));
        assert!(complaint("a.bin", "a\0b").contains("binary"));
    }
}
