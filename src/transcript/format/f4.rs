//! Text of f4 and easytranscript: time marks `#00:00:03-5#` (tenths behind the dash) at the ends of paragraphs, where f4
//! puts them, or at their beginnings.

use super::stamped::{self, Passage};
use super::{Entry, Input, Sign};
use crate::error::Result;
use crate::transcript::draft::{Draft, short};
use crate::transcript::{clock, markup};

const EXPECTED: &str = "expected paragraphs that all end with a time mark, or all begin with one";

pub(super) const ENTRY: Entry = Entry {
    name: "f4 text",
    help: "text of f4",
    suffixes: &["txt"],
    signs: &[Sign::Lines(|input: &Input| fits(input.text))],
    expected: "paragraphs with time marks #00:00:03-5# (f4)",
    example: "I: Hello there. #00:00:03-5#\n\nB: Yes. #00:00:05-0#\n",
    read: |input, draft| read(input.text, draft),
    ..Entry::PLAIN
};

/// The first time mark of a text: what stands before it, its seconds, what stands behind.
fn mark(text: &str) -> Option<(&str, std::result::Result<f64, String>, &str)> {
    let mut from = 0;
    while let Some(at) = text[from..].find('#').map(|i| i + from) {
        let inner = text[at + 1..].bytes().take(16).position(|b| b == b'#').map(|n| &text[at + 1..at + 1 + n]);
        if let Some(inner) = inner
            && inner.starts_with(|c: char| c.is_ascii_digit())
            && inner.contains(':')
        {
            let secs = clock::parse_loose(&format!("#{inner}#"));
            return Some((
                &text[..at],
                secs.ok_or_else(|| format!("the time mark \"#{}#\" cannot be read", short(inner))),
                &text[at + inner.len() + 2..],
            ));
        }
        from = at + 1;
    }
    None
}

/// True for a text with two time marks or more.
pub(super) fn fits(text: &str) -> bool {
    text.lines().filter(|l| mark(l).is_some()).count() >= 2
}

/// Reads a text into `draft`.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<()> {
    let paragraphs: Vec<(usize, &str)> =
        text.lines().enumerate().map(|(i, l)| (i + 1, l.trim())).filter(|(_, l)| !l.is_empty()).collect();
    let begins = paragraphs.iter().filter(|(_, l)| mark(l).is_some_and(|(before, ..)| before.is_empty())).count();
    let ends = paragraphs.iter().filter(|(_, l)| l.ends_with('#') && mark(l).is_some()).count();
    if begins > 0 && ends > 0 && begins.min(ends) * 5 > begins.max(ends) {
        let what = format!(
            "{begins} paragraphs begin with a time mark and {ends} end with one: do the marks tell where \
                            words begin, or where they end?"
        );
        return Err(draft.fail(0, what, EXPECTED));
    }
    if begins > ends { at_beginnings(&paragraphs, draft) } else { at_ends(&paragraphs, draft) }
}

/// Line, words, and the seconds of the mark behind them.
type Piece<'t> = (usize, &'t str, Option<std::result::Result<f64, String>>);

/// The pieces of a text between its marks, with the mark behind each.
fn pieces<'t>(paragraphs: &[(usize, &'t str)]) -> Vec<Piece<'t>> {
    let mut out = Vec::new();
    for (line, text) in paragraphs {
        let mut rest = *text;
        while let Some((words, secs, after)) = mark(rest) {
            out.push((*line, words, Some(secs)));
            rest = after;
        }
        if !rest.trim().is_empty() {
            out.push((*line, rest, None));
        }
    }
    out
}

fn at_ends(paragraphs: &[(usize, &str)], draft: &mut Draft) -> Result<()> {
    let mut start = 0.0;
    let mut words = String::new();
    let mut first = None;
    for (line, text, secs) in pieces(paragraphs) {
        words.push(' ');
        words.push_str(text);
        first = first.or(Some(line));
        let Some(secs) = secs else { continue };
        let said = markup::squeeze(&std::mem::take(&mut words));
        let line = first.take().unwrap_or(line);
        let span = secs.and_then(|end| Ok((clock::span(start, end)?, end)));
        match span {
            Ok((segment, end)) => {
                if !said.is_empty() {
                    draft.push(segment, None, said, Vec::new());
                }
                start = end;
            }
            Err(what) => draft.bad(line, format!("paragraph {:?}: {what}", short(&said)), EXPECTED)?,
        }
    }
    if !words.trim().is_empty() {
        let what = format!("the words {:?} stand behind the last time mark: where they end is not told", short(&words));
        draft.bad(first.unwrap_or(0), what, "put a time mark at the end")?;
    }
    draft.warn("time marks tell where paragraphs end: each begins where the one before it ends, the first at 0");
    Ok(())
}

fn at_beginnings(paragraphs: &[(usize, &str)], draft: &mut Draft) -> Result<()> {
    let mut passages: Vec<Passage> = Vec::new();
    let mut next: Option<f64> = None;
    for (line, text, secs) in pieces(paragraphs) {
        match (next.take(), passages.last_mut()) {
            (Some(start), _) if !text.trim().is_empty() => {
                passages.push(Passage { line, start, speaker: None, text: text.to_owned() });
            }
            (None, Some(last)) => {
                last.text.push(' ');
                last.text.push_str(text);
            }
            (None, None) if !text.trim().is_empty() => {
                draft.warn(format!("line {line}: words before the first time mark are no turn: {:?}", short(text)));
            }
            _ => {}
        }
        match secs {
            Some(Ok(secs)) => next = Some(secs),
            Some(Err(what)) => draft.bad(line, what, EXPECTED)?,
            None => {}
        }
    }
    stamped::into_turns(passages, draft)
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told, warned};

    #[test]
    fn marks_at_ends_and_at_beginnings() {
        let t = parse(
            "a.txt",
            "I: Hello there. #00:00:03-5#\n\nB: Yes, so\nit is. #00:00:07-25# And more. #00:00:08-0#\n\nI: No. #00:00:09-0#\nB: Oh. #00:00:10-0#\n",
        );
        assert_eq!(t.format, Format::F4);
        assert_eq!(
            told(&t),
            ["0-3.5 I: Hello there.", "3.5-7.25 B: Yes, so it is.", "7.25-8 B: And more.", "8-9 I: No.", "9-10 B: Oh."]
        );
        assert!(warned(&t).contains("time marks tell where paragraphs end"), "{}", warned(&t));
        let t = parse("a.txt", "#00:00:01-0# Hello there you.\n#00:00:04-0# Yes.\n");
        assert_eq!(told(&t), ["1-4 Hello there you.", "4-5 Yes."]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let e = complaint("a.txt", "I: Hi. #00:00:03-5#\nB: Yes. #00:00:02-0#\n");
        assert!(e.starts_with("a.txt:2: paragraph \"B: Yes.\": end 2 s before start 3.5 s"), "{e}");
        assert!(complaint("a.txt", "I: Hi. #00:00:03-5#\nB: Yes. #00:00:0x-0#\n").contains("a.txt:2: "));
        let e = complaint("a.txt", "I: Hi. #00:00:03-5#\nB: Yes. #00:00:05-0#\nI: And so");
        assert!(e.starts_with("a.txt:3: the words \"I: And so\" stand behind the last time mark"), "{e}");
        let e = complaint("a.txt", "#00:00:01-0# a #00:00:02-0#\n#00:00:02-0# b #00:00:03-0#\n");
        assert!(e.contains("2 paragraphs begin with a time mark and 2 end with one"), "{e}");
    }
}
