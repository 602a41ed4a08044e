//! Formats that are recognised so that a complaint can name them, and are not read.

use serde_json::Value;

use super::clock;

/// Formats that announce themselves in their first characters.
pub(super) fn marked(body: &str) -> Option<&'static str> {
    let first = body.lines().next().unwrap_or("");
    let digit_after =
        |mark: &str| first.strip_prefix(mark).is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()));
    if first.starts_with("Scenarist_SCC") {
        Some("SCC (Scenarist closed captions)")
    } else if digit_after("{") && first.contains('}') {
        Some("MicroDVD .sub (times in frames)")
    } else if digit_after("[") && first.contains("-->") {
        Some("Whisper's console output")
    } else if first.starts_with("%PDF") {
        Some("PDF")
    } else if first.starts_with("{\\rtf") {
        Some("RTF (save it as plain text or docx)")
    } else {
        None
    }
}

/// Formats told by the shape of a line.
pub(super) fn lines_of(body: &str) -> Option<&'static str> {
    let console = |l: &str| l.starts_with('[') && clock::timing(&l[1..]).is_some();
    let labels = |l: &str| {
        let mut fields = l.split('\t');
        matches!(
            (fields.next().map(str::parse::<f64>), fields.next().map(str::parse::<f64>)),
            (Some(Ok(_)), Some(Ok(_)))
        )
    };
    let first = body.lines().next().unwrap_or("");
    if body.lines().take(50).any(console) {
        Some("Whisper's console output")
    } else if labels(first) {
        Some("a table without a header, such as Audacity's labels,")
    } else {
        None
    }
}

/// The local name of an XML text's root; `None` for a text that is no XML.
pub(super) fn xml_root(body: &str) -> Option<&str> {
    if !body.starts_with('<') {
        return None;
    }
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

/// What kind of XML that is.
pub(super) fn xml_name(root: &str) -> String {
    match root.to_lowercase().as_str() {
        "sami" => "SAMI".into(),
        "html" => "HTML".into(),
        "xmeml" | "premieredata" => format!("a video editor's XML (<{root}>)"),
        "preferences" => "ELAN's preferences file (.pfsx; the annotations are in the .eaf)".into(),
        _ => format!("XML with the root <{root}>"),
    }
}

/// Whose JSON it is, by its keys.
pub(super) fn json_name(root: &Value) -> String {
    let Value::Object(map) = root else {
        return "JSON that is no list of segments with start, end and text".into();
    };
    let has = |key: &str| map.contains_key(key);
    let name = if has("retval") || has("segmentation") {
        "BBC Kaldi's JSON"
    } else if has("results")
        && (has("result_index") || map["results"].get(0).is_some_and(|r| r.get("result_index").is_some()))
    {
        "IBM Watson's JSON"
    } else if has("words") && has("paragraphs") {
        "Digital Paper Edit's JSON"
    } else {
        let keys: Vec<&str> = map.keys().map(String::as_str).take(8).collect();
        return format!("JSON with the keys {}", keys.join(", "));
    };
    name.into()
}

/// The 1-based line that shows a text to be RTTM, which says who spoke when, but not what.
pub(super) fn rttm(body: &str) -> Option<usize> {
    const TYPES: [&str; 6] = ["SPEAKER", "SPKR-INFO", "LEXEME", "NON-LEX", "NOSCORE", "SEGMENT"];
    let (line, first) = body.lines().enumerate().find(|(_, l)| !l.trim().is_empty() && !l.starts_with(";;"))?;
    let fields: Vec<&str> = first.split_whitespace().collect();
    let is_rttm =
        fields.len() >= 8 && TYPES.contains(&fields[0]) && (fields[3].parse::<f64>().is_ok() || fields[3] == "<NA>");
    is_rttm.then_some(line + 1)
}

/// True for the suffix of RTTM files.
pub(super) fn is_rttm_suffix(suffix: &str) -> bool {
    suffix == "rttm"
}

#[cfg(test)]
mod tests {
    use crate::transcript::tests::complaint;

    #[test]
    fn other_json_is_named() {
        for (text, name) in [
            (r#"{"jobName": "x", "results": {}}"#, "JSON with the keys jobName, results"),
            (r#"{"results": [{"result_index": 0}]}"#, "IBM Watson"),
            (r#"{"retval": {}}"#, "BBC Kaldi"),
            (r#"{"a": 1, "b": 2}"#, "JSON with the keys a, b"),
            ("[]", "JSON that is no list of segments"),
        ] {
            let e = complaint("a.json", text);
            assert!(e.contains(name) && e.contains("is not supported; supported are ASS or SSA"), "{e}");
        }
        assert!(complaint("a.json", "{\"a\": \n oops}").starts_with("a.json:2: JSON cannot be read"));
    }

    #[test]
    fn other_formats_are_named() {
        for (text, name) in [
            ("{\\rtf1\\ansi Hello}\n", "RTF (save it as plain text"),
            ("Scenarist_SCC V1.0\n", "SCC"),
            ("{0}{25}a\n", "MicroDVD"),
            ("[00:00.440 --> 00:00.860] a\n", "Whisper's console output"),
            ("<?xml version=\"1.0\"?><!-- x --><html xmlns=\"a\"></html>", "HTML"),
            ("<SAMI></SAMI>", "SAMI"),
            ("<a:b/>", "XML with the root <b>"),
            ("0.0\t1.5\tlabel\n", "a table without a header"),
            ("%PDF-1.4", "PDF"),
        ] {
            let e = complaint("a.txt", text);
            assert!(e.contains(name) && e.contains("supported are ASS or SSA"), "{e}");
        }
        assert!(complaint("a.txt", "Once upon a time\n").contains("not a transcript format that is known"));
        assert!(complaint("a.srt", " \n").contains("the file is empty"));
        assert!(complaint("a.bin", "a\0b").contains("binary"));
    }
}
