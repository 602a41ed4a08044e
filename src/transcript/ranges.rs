//! Two times at the beginning of a line that another mark than `-->` joins: `00:01 - 00:03 words`, `[0:01 – 0:03] Mara:
//! words`, and arrows that a word processor or a web page has changed.

use super::draft::Draft;
use super::{clock, frames};

/// Arrows that nothing but times is joined with.
const ARROWS: [&str; 9] =
    ["--&gt;", "\u{2013}>", "\u{2014}>", "->", "=>", "\u{2192}", "\u{27f6}", "\u{2794}", "\u{2013}&gt;"];

/// Marks that join other things, too.
const MARKS: [&str; 6] = ["\u{2013}", "\u{2014}", "-", "to ", "bis ", "\u{2212}"];

/// A time at the beginning of a text, and what stands behind.
fn time(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || ":.,;".contains(c))).unwrap_or(text.len());
    let time = text[..end].trim_end_matches(['.', ',', ':', ';']);
    let known = time.contains(':') && (clock::parse(time).is_some() || frames::is_code(time));
    known.then_some((time, text[time.len()..].trim_start_matches([' ', '\u{a0}'])))
}

/// The line with the arrow of subtitles between its times; true where an arrow joined them.
fn joined(line: &str) -> Option<(String, bool)> {
    let line = line.trim_start();
    let close = match line.chars().next()? {
        '[' => Some(']'),
        '(' => Some(')'),
        _ => None,
    };
    let (start, rest) = time(line.trim_start_matches(['[', '(']))?;
    if rest.starts_with("-->") {
        return None;
    }
    let strip = |all: &[&str]| all.iter().find_map(|mark| rest.strip_prefix(mark));
    let (arrow, rest) = match strip(&ARROWS) {
        Some(rest) => (true, rest),
        None => (false, strip(&MARKS)?),
    };
    let (end, mut rest) = time(rest.trim_start_matches([' ', '\u{a0}']))?;
    if let Some(close) = close {
        rest = rest.strip_prefix(close)?;
    }
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    // In a table the cell ends here.
    (!rest.starts_with(['\t', ',', ';', '|'])).then(|| (format!("{start} --> {end} {}", rest.trim_start()), arrow))
}

/// The text with the arrow of subtitles in the lines that begin with two times.
pub(super) fn with_arrows(text: String, draft: &mut Draft) -> String {
    let body = text.trim_start();
    if body.starts_with(['{', '<', '@', '*', '%']) || body.starts_with("[{") || body.starts_with("[\"") {
        return text;
    }
    let lines = || text.lines().filter(|l| !l.trim().is_empty());
    let found: Vec<bool> = lines().filter_map(joined).map(|(_, arrow)| arrow).collect();
    let arrows = found.iter().filter(|arrow| **arrow).count();
    // A dash between two times is said as often as written; where nearly every passage begins so, it is written.
    let marks = found.len() - arrows;
    let all = marks >= 2 && (marks + arrows) * 4 >= lines().count() && !text.contains("-->");
    if arrows == 0 && !all {
        return text;
    }
    let mut count = 0;
    let mut out = String::with_capacity(text.len() + 64);
    for line in text.split_inclusive('\n') {
        match joined(line).filter(|(_, arrow)| *arrow || all) {
            Some((line, _)) => {
                count += 1;
                out.push_str(line.trim_end());
                out.push('\n');
            }
            None => out.push_str(line),
        }
    }
    draft.warn(format!("{count} lines begin with two times and another mark than --> between: they are read as its"));
    out
}

#[cfg(test)]
mod tests {
    use crate::transcript::tests::{parse, told, warned};

    #[test]
    fn two_times_with_any_mark_between() {
        for mark in ["\u{2192}", "\u{2013}>", "--&gt;", "->", "=>"] {
            let t = parse(
                "a.srt",
                &format!("1\n00:00:01,000 {mark} 00:00:02,000\nso it\n\n2\n00:00:02,000 {mark} 00:00:04,500\nyes\n"),
            );
            assert_eq!(told(&t), ["1-2 so it", "2-4.5 yes"], "{mark}");
            assert!(warned(&t).contains("2 lines begin with two times"), "{mark}: {}", warned(&t));
        }
        let t = parse("a.srt", "1\n00:00:01,000 --> 00:00:02,000\nso\n\n2\n00:00:02,000 \u{2013}> 00:00:04,000\nyes\n");
        assert_eq!(told(&t), ["1-2 so", "2-4 yes"]);
        for [open, mark, close] in
            [["", " - ", ""], ["[", " \u{2013} ", "]"], ["(", "-", ")"], ["", " to ", ""], ["[", "-", "]:"]]
        {
            let line = |a: &str, b: &str, words: &str| format!("{open}{a}{mark}{b}{close} {words}\n");
            let text = line("0:01", "0:03", "Mara: so it is")
                + &line("0:03", "0:05", "Ben: yes")
                + &line("0:05", "1:06", "Mara: oh");
            let t = parse("a.txt", &text);
            assert_eq!(told(&t), ["1-3 Mara: so it is", "3-5 Ben: yes", "5-66 Mara: oh"], "{text}");
        }
        // What is said stays said.
        let t = parse(
            "a.srt",
            "1\n00:00:01,000 --> 00:00:02,000\n10:30 - 11:45 we met\n\n2\n00:00:02,000 --> 00:00:04,000\n10:30 - 11:00 no\n",
        );
        assert_eq!(told(&t), ["1-2 10:30 - 11:45 we met", "2-4 10:30 - 11:00 no"]);
    }
}
