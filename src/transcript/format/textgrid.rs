//! Praat `TextGrid`, long and short text form: both are the same row of strings, numbers and flags; everything between is comment
//! (Praat manual, "TextGrid file formats").

use crate::error::Result;
use crate::transcript::clock;
use crate::transcript::draft::Draft;
use crate::transcript::tiers::{self, Interval, Layer, Tier};

/// A whole file, small.
pub(super) const EXAMPLE: &str = "File type = \"ooTextFile\"\n\"TextGrid\"\n0\n3\n<exists>\n1\n\"IntervalTier\"\n\"A - word\"\n0\n3\n1\n\
    0\n1.5\n\"say\"\n";

/// True for a TextGrid in text form.
pub(super) fn fits(body: &str) -> bool {
    let mut head = body.lines().filter(|l| !l.trim().is_empty()).take(2);
    head.next().is_some_and(|l| l.contains("ooTextFile")) && head.next().is_some_and(|l| l.contains("\"TextGrid\""))
}

enum Token {
    Text(String),
    Number(f64),
    /// `<exists>`, `<absent>`
    Flag,
    /// A string whose quote is not closed.
    Open,
}

/// Where a file stops to be a TextGrid: the line, and what is wrong there.
struct Broken(usize, String);

/// Reads TextGrid text into `draft`.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<()> {
    let all = tokens(text);
    let mut row = Row { tokens: all.iter(), line: 1 };
    let mut found = Vec::new();
    if let Err(Broken(line, what)) = tiers_of(&mut row, &mut found) {
        let what = format!("TextGrid cut short or broken: {what}");
        draft.flaw(line, what, "what stands before is kept", "save it from Praat again")?;
    }
    tiers::into_turns(found, false, draft)
}

/// Reads tiers into `found`, whole ones and the whole intervals of the last.
fn tiers_of(row: &mut Row, found: &mut Vec<Tier>) -> Result<(), Broken> {
    row.text("the file type")?;
    row.text("the object class")?;
    row.number("xmin")?;
    row.number("xmax")?;
    let count = row.number("the number of tiers")?;
    let mut tier = 0.0;
    while tier < count {
        tier += 1.0;
        let class = row.text("a tier's class")?.to_owned();
        let name = row.text("a tier's name")?.to_owned();
        row.number("a tier's xmin")?;
        row.number("a tier's xmax")?;
        let size = row.number("a tier's size")?;
        let spans = class == "IntervalTier";
        let layer = if spans { Layer::Spans } else { Layer::Points };
        found.push(Tier { person: tiers::classify(&name).1, name, root: true, layer, intervals: Vec::new() });
        let mut i = 0.0;
        while i < size {
            i += 1.0;
            let start = row.number("an interval's time")?;
            let end = if spans { row.number("an interval's end")? } else { start };
            let text = row.text(if spans { "an interval's text" } else { "a point's mark" })?.to_owned();
            let interval = Interval { line: row.line, name: format!("interval {i}"), span: clock::span(start, end), text };
            found.last_mut().into_iter().for_each(|t| t.intervals.push(interval.clone()));
        }
    }
    match row.next() {
        None => Ok(()),
        Some(_) => Err(Broken(row.line, "more follows after the last tier: the numbers of tiers and intervals do not fit".into())),
    }
}

struct Row<'t> {
    tokens: std::slice::Iter<'t, (usize, Token)>,
    line: usize,
}

impl<'t> Row<'t> {
    /// The next token when it is of the kind wanted; flags are passed over.
    fn next(&mut self) -> Option<&'t Token> {
        loop {
            let (line, token) = self.tokens.next()?;
            self.line = *line;
            if !matches!(token, Token::Flag) {
                return Some(token);
            }
        }
    }

    fn text(&mut self, what: &str) -> Result<&'t str, Broken> {
        match self.next() {
            Some(Token::Text(t)) => Ok(t),
            Some(Token::Open) => Err(Broken(self.line, format!("the quote of {what} that begins here is never closed"))),
            _ => Err(Broken(self.line, format!("{what} expected"))),
        }
    }

    fn number(&mut self, what: &str) -> Result<f64, Broken> {
        if let Some(Token::Number(n)) = self.next() { Ok(*n) } else { Err(Broken(self.line, format!("{what} expected"))) }
    }
}

/// Free-standing strings, numbers and flags with their lines; a quote inside a string is doubled.
fn tokens(text: &str) -> Vec<(usize, Token)> {
    let mut out = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c.is_whitespace() {
            line += usize::from(c == '\n');
            rest = &rest[c.len_utf8()..];
        } else if c == '!' {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if c == '"' {
            let Some((value, length)) = quoted(rest) else {
                out.push((line, Token::Open));
                break;
            };
            line += rest[..length].matches('\n').count();
            rest = &rest[length..];
            out.push((line, Token::Text(value)));
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let word = &rest[..end];
            if word.starts_with('<') && word.ends_with('>') {
                out.push((line, Token::Flag));
            } else if word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
                && let Some(n) = word.parse().ok().filter(|n: &f64| n.is_finite())
            {
                out.push((line, Token::Number(n)));
            }
            rest = &rest[end..];
        }
    }
    out
}

/// The string that begins at the first character of `rest`, and how many bytes it takes; `None` when its quote is never closed.
fn quoted(rest: &str) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut at = 1;
    while let Some(end) = rest[at..].find('"') {
        value.push_str(&rest[at..at + end]);
        at += end + 1;
        if !rest[at..].starts_with('"') {
            return Some((value, at));
        }
        value.push('"');
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::read_bytes;
    use crate::transcript::tests::{LENIENT, complaint, parse, told, warned, word_times};
    use std::path::Path;

    #[test]
    fn textgrids_long_and_short() {
        let long = "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = 0\nxmax = 3\ntiers? <exists>\nsize = 2\nitem []:\n    item [1]:\n        class = \"IntervalTier\"\n        name = \"Anna\"\n        xmin = 0\n        xmax = 3\n        intervals: size = 2\n        intervals [1]:\n            xmin = -0\n            xmax = 1.5\n            text = \"say \"\"hi\"\"\nnow\"\n        intervals [2]:\n            xmin = 1.5\n            xmax = 3\n            text = \"\"\n    item [2]:\n        class = \"TextTier\"\n        name = \"pitch\"\n        xmin = 0\n        xmax = 3\n        points: size = 1\n        points [1]:\n            number = 1\n            mark = \"120\"\n";
        let short = "File type = \"ooTextFile short\"\n\"TextGrid\"\n\n0\n3\n<exists>\n2\n\"IntervalTier\"\n\"Anna\"\n0\n3\n2\n0\n1.5\n\"say \"\"hi\"\"\nnow\"\n1.5\n3\n\"\"\n\"TextTier\"\n\"pitch\"\n0\n3\n1\n1\n\"120\"\n";
        for text in [long, short] {
            let t = parse("a.TextGrid", text);
            assert_eq!(t.format, Format::TextGrid);
            assert_eq!(told(&t), ["0-1.5 Anna: say \"hi\" now"]);
        }
        let e = complaint("a.TextGrid", &short[..short.len() - 12]);
        assert!(e.contains("a.TextGrid:22: TextGrid cut short or broken: a tier's xmax expected"), "{e}");
    }

    #[test]
    fn word_tiers_make_turns_when_nothing_else_does() {
        let tier = |name: &str, rows: &[(f64, f64, &str)]| {
            let rows: String = rows.iter().map(|(a, b, t)| format!("{a}\n{b}\n\"{t}\"\n")).collect();
            let count = rows.matches('"').count() / 2;
            format!("\"IntervalTier\"\n\"{name}\"\n0\n9\n{count}\n{rows}")
        };
        let grid =
            |tiers: &[String]| format!("File type = \"ooTextFile\"\n\"TextGrid\"\n0\n9\n<exists>\n{}\n{}", tiers.len(), tiers.concat());
        let words = tier("Anna - words", &[(0.0, 1.0, "so"), (1.0, 1.2, "sp"), (1.2, 2.0, "yes"), (4.0, 5.0, "no")]);
        let phones = tier("Anna - phones", &[(0.0, 1.0, "s")]);
        let t = parse("a.TextGrid", &grid(&[words.clone(), phones.clone()]));
        assert_eq!(told(&t), ["0-2 Anna: so yes", "4-5 Anna: no"]);
        assert_eq!(word_times(&t.turns[0]), ["so 0.000-1.000", "yes 1.200-2.000"]);
        let t = parse("a.TextGrid", &grid(&[tier("Anna", &[(0.0, 3.0, "so, yes")]), words, phones.clone()]));
        assert_eq!(told(&t), ["0-3 Anna: so, yes"]);
        assert_eq!(t.turns[0].words.len(), 2);
        assert!(complaint("a.TextGrid", &grid(&[phones])).contains("no tier holds what was said"));
    }

    #[test]
    fn points_and_what_follows_the_last_tier_are_told() {
        let head = "File type = \"ooTextFile\"\n\"TextGrid\"\n0\n9\n<exists>\n2\n";
        let tiers = "\"IntervalTier\"\n\"Anna\"\n0\n9\n1\n0\n1\n\"so\"\n\"TextTier\"\n\"bells\"\n0\n9\n2\n1\n\"ding\"\n2\n\"dong\"\n";
        let t = parse("a.TextGrid", &format!("{head}{tiers}"));
        assert!(warned(&t).contains("left out: bells (2 points)"), "{}", warned(&t));
        let more = format!("{head}{tiers}3\n\"dang\"\n");
        assert!(complaint("a.TextGrid", &more).contains("a.TextGrid:24: TextGrid cut short or broken: more follows after the last tier"));
        let t = read_bytes(format!("{head}{}", &tiers[..tiers.len() - 9]).as_bytes(), Path::new("a.TextGrid"), &LENIENT).unwrap();
        assert_eq!(told(&t), ["0-1 Anna: so"]);
        assert!(warned(&t).contains("cut short or broken"), "{}", warned(&t));
    }
}
