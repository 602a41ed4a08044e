//! Tells which format a text is of, strongest signs first; complains with what is nearest where it is none.

use super::{Entry, Format, Input, Json, Sign, supported};
use crate::error::Result;
use crate::transcript::draft::{Draft, short};
use crate::transcript::{clock, foreign, json, rescue};

/// Tells the format, or complains with the format detected and what is supported.
pub(in crate::transcript) fn recognise(input: &mut Input, draft: &Draft) -> Result<Format> {
    let body = input.text.trim_start();
    if body.is_empty() {
        let hint = "the transcript must hold at least one timed turn; leave the transcript out to work without one";
        return Err(draft.fail(0, "no cues: the file is empty", hint));
    }
    if input.of_word {
        return Ok(Format::Docx);
    }
    if let Some(name) = foreign::marked(body) {
        return unsupported(draft, name);
    }
    if body.contains('\0') || body.starts_with("ooBinaryFile") {
        let hint = format!("is it the recording, and the transcript another file? supported are {}", supported());
        return Err(draft.fail(0, "a binary file, not a text", hint));
    }
    if let Some(format) = Format::first(|s| matches!(s, Sign::Beginning(fits) if fits(body))) {
        return Ok(format);
    }
    if let Some(root) = foreign::xml_root(body) {
        let known = Format::first(|s| matches!(s, Sign::Root(name) if *name == root));
        return known.map_or_else(|| unsupported(draft, &foreign::xml_name(root)), Ok);
    }
    if json_like(body)
        || Format::ALL
            .iter()
            .any(|f| f.has_suffix(&input.suffix) && f.entry().signs.iter().any(|s| matches!(s, Sign::Keys(_))))
    {
        return from_json(input, draft);
    }
    if let Some(line) = foreign::rttm(body) {
        return Err(draft.fail(
            line,
            "RTTM is not a transcript: it tells who spoke when, not what was said",
            "pass it with --rttm",
        ));
    }
    if let Some(format) = Format::first(|s| matches!(s, Sign::Lines(fits) if fits(input))) {
        return Ok(format);
    }
    match foreign::lines_of(body) {
        Some(name) => unsupported(draft, name),
        None => Err(unlike_its_suffix(input, draft)),
    }
}

pub(super) fn has_timing_lines(input: &Input) -> bool {
    input.text.lines().any(|l| clock::timing(l).is_some())
}

fn unsupported(draft: &Draft, name: &str) -> Result<Format> {
    Err(draft.fail(
        0,
        format!("{name} is not supported"),
        format!("supported are {}; convert it to one of them", supported()),
    ))
}

fn unlike_its_suffix(input: &Input, draft: &Draft) -> crate::error::Error {
    if foreign::is_rttm_suffix(&input.suffix) {
        return draft.fail(
            0,
            "RTTM is not a transcript: it tells who spoke when, not what was said",
            "pass it with --rttm",
        );
    }
    let entries: Vec<&Entry> = Format::ALL.iter().filter(|f| f.has_suffix(&input.suffix)).map(|f| f.entry()).collect();
    let [entry] = entries.as_slice() else {
        let first = short(input.text.trim_start().lines().next().unwrap_or(""));
        let expected: Vec<&str> = entries.iter().map(|e| e.expected).collect();
        let expected =
            if expected.is_empty() { String::new() } else { format!("expected {}; ", expected.join("; or ")) };
        return draft.fail(
            0,
            format!("not a transcript format that is known; it begins {first:?}"),
            format!("{expected}supported are {}", supported()),
        );
    };
    let expected = format!("expected {}", entry.expected);
    match entry.instead {
        Some(instead) => draft.fail(1, instead(input.text), expected),
        None => draft.fail(0, format!("no cues: nothing in the file looks like {}", entry.name), expected),
    }
}

fn json_like(body: &str) -> bool {
    let mut chars = body.chars().filter(|c| !c.is_whitespace());
    matches!((chars.next(), chars.next()), (Some('{'), Some('"' | '}')) | (Some('['), Some('{' | ']' | '"')))
}

fn from_json(input: &mut Input, draft: &Draft) -> Result<Format> {
    let json = match json::parse(input.text) {
        Ok(root) => Json::One(root),
        Err(error) => match rescue::lines(input.text) {
            Some(Ok(samples)) => Json::Lines(samples),
            Some(Err((line, what))) => return Err(draft.fail(line, what, "correct the line")),
            None if let Some(list) = json::several(input.text) => Json::One(list),
            None => {
                let json_formats = Format::ALL
                    .iter()
                    .map(|f| f.entry())
                    .filter(|e| e.signs.iter().any(|s| matches!(s, Sign::Keys(_))));
                let expected: Vec<&str> = json_formats.map(|e| e.expected).collect();
                let what = format!("JSON cannot be read: {error}");
                return Err(draft.fail(error.line(), what, format!("expected {}", expected.join("; or "))));
            }
        },
    };
    let known = Format::first(|s| matches!(s, Sign::Keys(fits) if fits(&json)));
    let name = if let (None, Json::One(root)) = (known, &json) { foreign::json_name(root) } else { String::new() };
    input.json = Some(json);
    known.map_or_else(|| unsupported(draft, &name), Ok)
}
