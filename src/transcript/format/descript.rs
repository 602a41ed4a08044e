//! Text of Descript, and of others that put a clock time in brackets before or behind the name: `[00:00:02] Name: words`,
//! `Name: [00:00:02] words`, also within a paragraph.

use super::stamped::{self, Passage};
use super::{Entry, Input, Sign};
use crate::error::Result;
use crate::transcript::draft::Draft;

pub(super) const ENTRY: Entry = Entry {
    name: "Descript text",
    help: "text of Descript",
    suffixes: &["txt", "md"],
    signs: &[Sign::Lines(|input: &Input| fits(input.text))],
    expected: "paragraphs `[00:00:02] Name: words` or `Name: [00:00:02] words` (Descript)",
    example: "[00:00:03] Anna: Hello there, you.\n\n[00:00:05] Bo: Yes. [00:00:07] No.\n",
    read: |input, draft| read(input.text, draft),
    ..Entry::PLAIN
};

/// The first bracketed clock time of a text: what stands before it, the time, and what stands behind.
fn stamp(text: &str) -> Option<(&str, f64, &str)> {
    let mut from = 0;
    while let Some(at) = text[from..].find(['[', '(']).map(|i| i + from) {
        let close = if text[at..].starts_with('[') { ']' } else { ')' };
        let inner = text[at + 1..].bytes().take(16).position(|b| b == close as u8).map(|n| &text[at + 1..at + 1 + n]);
        if let Some(inner) = inner
            && let Some(secs) = stamped::clock_time(inner.trim())
        {
            return Some((&text[..at], secs, &text[at + inner.len() + 2..]));
        }
        from = at + 1;
    }
    None
}

/// A line that begins a passage: a time first, or a name, a colon and a time.
fn head(line: &str) -> Option<(f64, Option<&str>, &str)> {
    let line = line.trim();
    let (before, secs, words) = stamp(line)?;
    let name = before.trim().trim_matches('*').trim().trim_end_matches(':').trim_matches('*').trim();
    let labelled = before.trim().trim_end_matches('*').ends_with(':') || words.trim_start().starts_with(':');
    if name.is_empty() {
        return Some((secs, None, words));
    }
    let words = words.trim_start();
    (labelled && stamped::is_name(name)).then(|| (secs, Some(name), words.strip_prefix(':').unwrap_or(words)))
}

/// True for a text with two passages or more, of which half the paragraphs are.
pub(super) fn fits(text: &str) -> bool {
    let heads = text.lines().filter(|l| head(l).is_some()).count();
    let paragraphs = text.split("\n\n").filter(|p| !p.trim().is_empty()).count();
    let stamps = text.lines().filter(|l| stamp(l).is_some()).count();
    heads >= 2 && heads * 2 >= paragraphs.min(stamps)
}

/// Reads a text into `draft`.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<()> {
    let mut passages: Vec<Passage> = Vec::new();
    for passage in stamped::gather(text, head, draft) {
        // Times within a paragraph begin passages of the same speaker.
        let Passage { line, mut start, speaker, text } = passage;
        let mut rest = text.as_str();
        while let Some((words, next, after)) = stamp(rest) {
            passages.push(Passage { line, start, speaker: speaker.clone(), text: words.to_owned() });
            (start, rest) = (next, after);
        }
        passages.push(Passage { line, start, speaker, text: rest.to_owned() });
    }
    stamped::into_turns(passages, draft)
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told};

    #[test]
    fn times_before_and_behind_names_and_in_paragraphs() {
        let want =
            ["3-5 Anna: Hello there, you.", "5-7.5 Bo: Yes, so. [inaudible 0:06]", "7.5-9 Bo: No.", "9-9.5 Anna: Oh."];
        let t = parse(
            "a.txt",
            "**Anna:** [00:00:03] Hello there, you.\n\nBo: [00:00:05] Yes, so. [inaudible 0:06]\n[00:00:07.5] No.\n\nAnna [00:00:09]: Oh.\n",
        );
        assert_eq!(t.format, Format::Descript);
        assert_eq!(told(&t)[..1], want[..1]);
        let t = parse(
            "a.txt",
            "[00:00:03] Anna: Hello there, you.\n\n[00:00:05] Bo: Yes, so it is. [00:00:07.5] No.\n\n[00:00:09] Anna: Oh.\n\n[00:00:10] Bo: Yes.\n",
        );
        assert_eq!(told(&t)[0], want[0]);
        assert_eq!(t.turns[1].speaker.as_deref(), Some("Bo"));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let e = complaint("a.txt", "[00:00:09] Anna: Hi.\n\n[00:00:05] Bo: Yes.\n");
        assert!(e.starts_with("a.txt:3: the passage at 5 s stands below one at 9 s"), "{e}");
        assert!(complaint("a.txt", "[00:00:0x] A: Hi.\n[soon] B: No.\n").contains("expected"));
    }
}
