//! Praat `TextGrid`, long and short text form: both are the same row of strings, numbers and flags; everything between
//! is comment (Praat manual, "TextGrid file formats").

use crate::error::Result;
use crate::transcript::clock;
use crate::transcript::draft::{Draft, short};
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
    let (all, undoubled) = tokens(text);
    tell_undoubled(&undoubled, draft)?;
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
        found.push(Tier {
            person: tiers::classify(&name).1,
            name,
            participant: None,
            typed: None,
            listed: false,
            root: true,
            above: Vec::new(),
            layer,
            intervals: Vec::new(),
        });
        let mut i = 0.0;
        while i < size {
            i += 1.0;
            let start = row.number("an interval's time")?;
            let end = if spans { row.number("an interval's end")? } else { start };
            let text = row.text(if spans { "an interval's text" } else { "a point's mark" })?.to_owned();
            let interval =
                Interval { line: row.line, name: format!("interval {i}"), span: clock::span(start, end), text };
            found.last_mut().into_iter().for_each(|t| t.intervals.push(interval.clone()));
        }
    }
    match row.next() {
        None => Ok(()),
        Some(_) => Err(Broken(
            row.line,
            "more follows after the last tier: the numbers of tiers and intervals do not fit".into(),
        )),
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
            Some(Token::Open) => {
                Err(Broken(self.line, format!("the quote of {what} that begins here is never closed")))
            }
            _ => Err(Broken(self.line, format!("{what} expected"))),
        }
    }

    fn number(&mut self, what: &str) -> Result<f64, Broken> {
        if let Some(Token::Number(n)) = self.next() {
            Ok(*n)
        } else {
            Err(Broken(self.line, format!("{what} expected")))
        }
    }
}

/// A string with a quote inside that is not doubled.
struct Undoubled {
    line: usize,
    /// What the line says from the string's quote on.
    written: String,
    /// True when the string can only be meant to end with the line's last quote.
    sure: bool,
}

fn tell_undoubled(all: &[Undoubled], draft: &mut Draft) -> Result<()> {
    if let Some(Undoubled { line, written, .. }) = all.iter().find(|u| !u.sure) {
        let what = format!("quotes inside a string are not doubled, or words follow it: {:?}", short(written));
        let hint = "write a quote inside a string twice, and `!` before a remark";
        draft.flaw(*line, what, "it is read to the last quote of its line", hint)?;
    }
    let sure = || all.iter().filter(|u| u.sure);
    if let Some(first) = sure().next() {
        draft.warn(format!(
            "line {}: quotes inside a string are not doubled ({:?}; {} strings); each is read to the last quote of \
             its line",
            first.line,
            short(&first.written),
            sure().count()
        ));
    }
    Ok(())
}

/// Free-standing strings, numbers and flags with their lines; a quote inside a string is doubled, or told.
fn tokens(text: &str) -> (Vec<(usize, Token)>, Vec<Undoubled>) {
    let mut out = Vec::new();
    let mut undoubled = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c.is_whitespace() {
            line += usize::from(c == '\n');
            rest = &rest[c.len_utf8()..];
        } else if c == '!' {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if c == '"' {
            let found = quoted(rest).filter(|(value, length)| stands_free(value, &rest[*length..]));
            let (value, length) = match found.or_else(|| to_last_quote(text, rest, line, &mut undoubled)) {
                Some(found) => found,
                None => {
                    out.push((line, Token::Open));
                    break;
                }
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
    (out, undoubled)
}

/// True when what follows a string on its line is nothing, a remark, or another token of the file; after the names of
/// classes other words may stand (`"IntervalTier" named "Mary"`). A string that swallowed the lines of other intervals
/// does not end where it seems.
fn stands_free(value: &str, after: &str) -> bool {
    let line = after.split('\n').next().unwrap_or("");
    let next = line.trim_start();
    let class = matches!(value, "IntervalTier" | "TextTier" | "TextGrid") || value.starts_with("ooTextFile");
    let token =
        next.starts_with(['!', '"', '<']) || next.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    (next.is_empty() || line.len() > next.len() && (token || class)) && !swallows(value)
}

/// True for a value whose lines are those of the file's own form: `xmin = …` or, in the short form, two numbers in two
/// lines.
fn swallows(value: &str) -> bool {
    let mut lines = value.split('\n').map(str::trim);
    lines.next();
    let mut number_before = false;
    lines.any(|line| {
        let number = line.parse::<f64>().is_ok();
        let both = number && number_before && value.ends_with('\n');
        number_before = number;
        both || is_key(line)
    })
}

/// True for a line that begins as those of the long form do.
fn is_key(line: &str) -> bool {
    let numbered = |name: &str| line.strip_prefix(name).is_some_and(|r| r.trim_start().starts_with('['));
    let named = |name: &str| line.strip_prefix(name).is_some_and(|r| r.trim_start().starts_with('='));
    ["item", "intervals", "points"].into_iter().any(numbered)
        || ["xmin", "xmax", "text", "mark", "number", "time", "class", "name"].into_iter().any(named)
}

/// The string at `rest` up to the last quote of its line, which is noted in `undoubled`; `None` when the line has no
/// other quote.
fn to_last_quote(text: &str, rest: &str, line: usize, undoubled: &mut Vec<Undoubled>) -> Option<(String, usize)> {
    let written = rest.split('\n').next().unwrap_or("").trim_end();
    let last = written.rfind('"').filter(|at| *at > 0)?;
    let at = text.len() - rest.len();
    let before = text[..at].rsplit('\n').next().unwrap_or("").trim();
    let next = rest[written.len()..].trim_start();
    let goes_on = next.is_empty()
        || next.starts_with(['!', '"'])
        || next.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    let sure = last + 1 == written.len() && (before.is_empty() || before.ends_with('=')) && (goes_on || is_key(next));
    undoubled.push(Undoubled { line, written: written.to_owned(), sure });
    Some((written[1..last].replace("\"\"", "\""), written.len()))
}

/// The string that begins at the first character of `rest`, and how many bytes it takes; `None` when its quote is never
/// closed.
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
        let grid = |tiers: &[String]| {
            format!("File type = \"ooTextFile\"\n\"TextGrid\"\n0\n9\n<exists>\n{}\n{}", tiers.len(), tiers.concat())
        };
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
    fn quotes_that_are_not_doubled_cost_no_words() {
        let long = |texts: &[&str]| {
            let rows: String = (0..texts.len())
                .map(|i| {
                    format!(
                        "        intervals [{}]:\n            xmin = {i}\n            xmax = {}\n            text = {}\n",
                        i + 1,
                        i + 1,
                        texts[i]
                    )
                })
                .collect();
            format!(
                "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = 0\nxmax = 9\ntiers? <exists>\nsize = 1\nitem []:\n    item [1]:\n\
                 class = \"IntervalTier\"\n        name = \"Anna\"\n        xmin = 0\n        xmax = 9\n        intervals: size = {}\n{rows}",
                texts.len()
            )
        };
        let short = |texts: &[&str]| {
            let rows: String = (0..texts.len()).map(|i| format!("{i}\n{}\n{}\n", i + 1, texts[i])).collect();
            format!(
                "File type = \"ooTextFile\"\n\"TextGrid\"\n0\n9\n<exists>\n1\n\"IntervalTier\" named \"Anna\"\n0 9 ! time\n{}\n{rows}",
                texts.len()
            )
        };
        for (text, want) in [
            ("\"she said \"no way\" and left\"", "she said \"no way\" and left"),
            ("\"she said \"no way\"\"", "she said \"no way\""),
            ("\"\"no way\" she said\"", "\"no way\" she said"),
            ("\"she said no way\"\"", "she said no way\""),
            ("\"she said \"\"no\"\" and \"yes\" too\"", "she said \"no\" and \"yes\" too"),
            ("\"she said \" no \" there\"", "she said \" no \" there"),
        ] {
            for file in [long(&["\"so\"", text, "\"\"", "\"yes\""]), short(&["\"so\"", text, "\"\"", "\"yes\""])] {
                let t = parse("a.TextGrid", &file);
                assert_eq!(told(&t), ["0-1 Anna: so", &format!("1-2 Anna: {want}"), "3-4 Anna: yes"], "{file}");
                assert!(warned(&t).contains("quotes inside a string are not doubled"), "{}", warned(&t));
            }
        }
        // Where the string ends is anybody's guess.
        for text in ["\"she said \"no\" and \"yes\"\nthen left\"", "\"she said\" and left"] {
            let e = complaint("a.TextGrid", &long(&["\"so\"", text]));
            assert!(e.starts_with("a.TextGrid:22: quotes inside a string are not doubled, or words follow it"), "{e}");
        }
        let t = read_bytes(long(&["\"so\"", "\"she said\" and left"]).as_bytes(), Path::new("a.TextGrid"), &LENIENT)
            .unwrap();
        assert!(
            warned(&t).contains("line 22: ") && warned(&t).contains("read to the last quote of its line"),
            "{}",
            warned(&t)
        );
        let legal = long(&["\"so \"\"it\"\"\nis 5\" ! a remark", "\"\"\"yes\"\"\""]);
        assert_eq!(
            (told(&parse("a.TextGrid", &legal)).len(), warned(&parse("a.TextGrid", &legal))),
            (2, String::new())
        );
    }

    #[test]
    fn tiers_of_the_same_times_are_told() {
        let tier = |name: &str, ends: &[u32]| {
            let rows: String = ends.iter().map(|e| format!("{}\n{e}\n\"{name} says it {e}\"\n", e - 1)).collect();
            format!("\"IntervalTier\"\n\"{name}\"\n0\n9\n{}\n{rows}", ends.len())
        };
        let two = |a: &str, b: &str| format!("File type = \"ooTextFile\"\n\"TextGrid\"\n0\n9\n<exists>\n2\n{a}{b}");
        let t = parse("a.TextGrid", &two(&tier("Anna", &[1, 3]), &tier("Anna_en", &[1, 3])));
        assert_eq!(t.turns.len(), 4);
        assert!(
            warned(&t).contains("the tiers \"Anna\" and \"Anna_en\" hold 2 turns each at the same times"),
            "{}",
            warned(&t)
        );
        let t = parse("a.TextGrid", &two(&tier("Anna", &[1, 3]), &tier("Bo", &[2, 4])));
        assert_eq!(warned(&t), "");
    }

    #[test]
    fn points_and_what_follows_the_last_tier_are_told() {
        let head = "File type = \"ooTextFile\"\n\"TextGrid\"\n0\n9\n<exists>\n2\n";
        let tiers = "\"IntervalTier\"\n\"Anna\"\n0\n9\n1\n0\n1\n\"so\"\n\"TextTier\"\n\"bells\"\n0\n9\n2\n1\n\"ding\"\n2\n\"dong\"\n";
        let t = parse("a.TextGrid", &format!("{head}{tiers}"));
        assert!(warned(&t).contains("left out: bells (2 points)"), "{}", warned(&t));
        let more = format!("{head}{tiers}3\n\"dang\"\n");
        assert!(
            complaint("a.TextGrid", &more)
                .contains("a.TextGrid:24: TextGrid cut short or broken: more follows after the last tier")
        );
        let t =
            read_bytes(format!("{head}{}", &tiers[..tiers.len() - 9]).as_bytes(), Path::new("a.TextGrid"), &LENIENT)
                .unwrap();
        assert_eq!(told(&t), ["0-1 Anna: so"]);
        assert!(warned(&t).contains("cut short or broken"), "{}", warned(&t));
    }
}
