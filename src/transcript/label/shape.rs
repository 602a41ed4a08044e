//! What the beginning of a line may be: a label, in any of the ways in which people write one.

use super::super::{clock, events, markup};
use super::lists;
use crate::text::is_mark;

/// How a label is written, from the surest to the least sure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Form {
    /// `[SPEAKER_00]: hello`
    Bracket,
    /// `ANNA: hello`, `MAN 2: hello`
    Capitals,
    /// `Speaker 1: hello`, `S01: hello`, `+1 555 0100: hello`
    Numbered,
    /// `Anna Lee: hello`, and names of scripts without capitals
    Title,
    /// `[Anna] hello`, `(speaker 0) hello`, `<Speaker 1> hello`, `{Anna} hello`
    Enclosed,
    /// `van der Vol: hello`, `Vol, Mara: hello`, `MARA:hello`, `the younger man: hello`, five words and more
    Loose,
}

/// A line that begins like a label.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Candidate<'l> {
    pub(in super::super) form: Form,
    /// Without what stands in parentheses behind it: `Mara (she/her)` and `MARA (V.O.)` name who `Mara` and `MARA` do.
    pub(in super::super) name: String,
    pub(in super::super) rest: &'l str,
}

/// What stands before a line, or before its label, where the speaker changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lead {
    /// `- so`
    Dash,
    /// `>> so`
    Chevron,
}

/// Words that a sentence has and a name has not.
const SENTENCE: [&str; 38] = [
    "am", "are", "ask", "asked", "be", "because", "been", "can", "could", "did", "do", "does", "had", "has", "have",
    "he", "i", "if", "is", "it", "said", "say", "says", "she", "that", "these", "they", "thing", "think", "this",
    "those", "was", "we", "were", "what", "will", "would", "you",
];

const MOST_WORDS: usize = 8;
const MOST_BYTES: usize = 80;

/// A line without the dash or chevrons before it, and which of them stood there.
pub(super) fn lead(line: &str) -> (Option<Lead>, &str) {
    let line = line.trim_start();
    if line.starts_with(">>") {
        return (Some(Lead::Chevron), line.trim_start_matches('>').trim_start());
    }
    let bare = line.strip_prefix(['-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2022}']);
    // `-5 degrees`, `--` and `-->` are no dashes of dialogue.
    match bare.filter(|b| b.starts_with(|c: char| c.is_whitespace() || c.is_alphabetic() || c == '[' || c == '(')) {
        Some(bare) => (Some(Lead::Dash), bare.trim_start()),
        None => (None, line),
    }
}

/// What stands behind a name, in the scripts that people write.
fn is_colon(c: char) -> bool {
    matches!(c, ':' | '\u{ff1a}' | '\u{fe55}' | '\u{2236}' | '\u{a789}')
}

/// Brackets around names.
const BRACKETS: [(char, char); 8] = [
    ('[', ']'),
    ('(', ')'),
    ('<', '>'),
    ('{', '}'),
    ('\u{3010}', '\u{3011}'),
    ('\u{ff08}', '\u{ff09}'),
    ('\u{ff3b}', '\u{ff3d}'),
    ('\u{3014}', '\u{3015}'),
];

/// What stands behind the clock time or number with which some begin each line: `[00:00:01] Mara: x`, `3. Mara: x`.
fn past_stamp(line: &str) -> Option<&str> {
    let inside = |open, close| {
        let (time, rest) = line.strip_prefix(open)?.split_once(close)?;
        (time.contains(':') && clock::parse(time.trim()).is_some()).then_some(rest)
    };
    let number = |line: &'_ str| line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = inside('[', ']').or_else(|| inside('(', ')')).or_else(|| {
        let (first, rest) = line.split_once(char::is_whitespace)?;
        let bare = first.strip_suffix(['.', ')']).unwrap_or(first);
        let counts = (1..=5).contains(&number(bare)) && number(bare) == bare.len();
        (counts || bare == first && first.contains(':') && clock::parse(first).is_some()).then_some(rest)
    })?;
    Some(rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '\u{2013}' | '|')))
}

/// True for pictures that people put before names.
fn is_picture(c: char) -> bool {
    matches!(u32::from(c), 0x1f300..=0x1faff | 0x2600..=0x2668 | 0x2670..=0x27bf | 0xfe0f | 0x200d)
        && !matches!(c, '\u{1f3b5}' | '\u{1f3b6}')
}

/// Label, form and the text after it, of a line without its lead.
pub(super) fn split(line: &str) -> Option<Candidate<'_>> {
    let line = line.trim_start();
    if let Some(rest) = past_stamp(line) {
        let numeric = |c: &Candidate<'_>| c.name.starts_with(|c: char| c.is_ascii_digit());
        return bare_split(rest).filter(|c| !numeric(c)).or_else(|| bare_split(line));
    }
    bare_split(line.trim_start_matches(is_picture).trim_start())
}

fn bare_split(line: &str) -> Option<Candidate<'_>> {
    for (open, close) in BRACKETS {
        if let Some(inner) = line.strip_prefix(open) {
            let found = enclosed(inner, close, matches!(open, '[' | '\u{ff3b}'))?;
            // `[en] Mara: x`
            let tag = found.form == Form::Enclosed && !lists::is_personal(&found.name);
            return if tag { coloned(found.rest).or(Some(found)) } else { Some(found) };
        }
    }
    coloned(line)
}

/// `Mara: x`, `**Mara:** x`, `Mara [00:00:01]: x`.
fn coloned(line: &str) -> Option<Candidate<'_>> {
    let stars = line.starts_with(['*', '_']);
    let line = if stars { line.trim_start_matches(['*', '_']) } else { line };
    let mut depth = 0_usize;
    let outside = |c: char| {
        depth = match c {
            '[' | '(' => depth + 1,
            ']' | ')' => depth.saturating_sub(1),
            _ => depth,
        };
        depth == 0 && is_colon(c)
    };
    let at = near(line, outside).or_else(|| near(line, is_colon))?;
    let colon = line[at..].chars().next()?;
    let wide = colon != ':';
    let (written, mut rest) = (&line[..at], &line[at + colon.len_utf8()..]);
    if stars {
        rest = rest.trim_start_matches(['*', '_']);
    }
    let glued = !wide && rest.starts_with(|c: char| !c.is_whitespace());
    if glued && !rest.starts_with(|c: char| c.is_alphabetic() || "\"'\u{201c}\u{2018}\u{bf}\u{a1}(".contains(c)) {
        return None;
    }
    let written = if stars { written.trim_end_matches(['*', '_']) } else { written };
    let apart = written.ends_with(char::is_whitespace);
    let name = without_aside(written.trim());
    if stars && events::is_sound(name) {
        return None;
    }
    let form = form(name).or_else(|| sign(name))?;
    // `MARA:x` is as often a thing with a type: it takes more to be believed.
    let form = if glued || apart { Form::Loose.max(form) } else { form };
    Some(Candidate { form, name: name.to_owned(), rest: rest.trim_start() })
}

/// Where a character comes first, no farther than a label is long: labels are looked for at every word of long lines.
fn near(line: &str, mut is_it: impl FnMut(char) -> bool) -> Option<usize> {
    line.char_indices().take_while(|(at, _)| *at <= MOST_BYTES).find(|(_, c)| is_it(*c)).map(|(at, _)| at)
}

/// `[SPEAKER_00]: x`, `[Mara] x`; nothing that is heard and not said.
fn enclosed(inner: &str, close: char, square: bool) -> Option<Candidate<'_>> {
    let at = near(inner, |c| c == close)?;
    let (written, rest) = (inner[..at].trim(), inner[at + close.len_utf8()..].trim_start());
    let colon = rest.strip_prefix(is_colon);
    if let Some(rest) = colon.filter(|_| !written.is_empty() && written.chars().all(|c| c == '?')) {
        return Some(Candidate { form: Form::Loose, name: written.to_owned(), rest: rest.trim_start() });
    }
    if written.is_empty()
        || close == '>' && markup::is_known_tag(written)
        || events::is_sound(written)
        || events::is_unclear(written)
    {
        return None;
    }
    if let Some(rest) = colon.filter(|_| square && written.len() <= 40) {
        return Some(Candidate { form: Form::Bracket, name: written.to_owned(), rest: rest.trim_start() });
    }
    let name = without_aside(written);
    form(name)?;
    let rest = colon.unwrap_or(rest).trim_start();
    (!rest.is_empty()).then(|| Candidate { form: Form::Enclosed, name: name.to_owned(), rest })
}

/// Form of what stands for a name before a colon: `1`, `#2`, `@mara`. Lists are numbered so too: it takes turns to be
/// believed.
fn sign(name: &str) -> Option<Form> {
    let bare = name.strip_prefix(['#', '@']).unwrap_or(name);
    let number = !bare.is_empty() && bare.len() <= 3 && bare.bytes().all(|b| b.is_ascii_digit());
    let doubted = name.trim_end_matches('?');
    let nobody = !name.is_empty() && doubted.is_empty();
    let sign = number || nobody || lists::is_call(name) || bare.len() < name.len() && form(bare).is_some();
    (sign || doubted.len() < name.len() && form(doubted).is_some_and(|f| f < Form::Loose)).then_some(Form::Loose)
}

/// `Mara Vol (she/her)` without what stands in parentheses at its end.
fn without_aside(name: &str) -> &str {
    let bare = name.strip_suffix([')', ']']).and_then(|n| n.rfind(['(', '[']).map(|at| n[..at].trim_end()));
    bare.filter(|b| !b.is_empty()).unwrap_or(name)
}

/// Marks within names: of abbreviations, possession, double names, lists.
fn is_of_name(c: char) -> bool {
    c == '\u{a0}' || " .'\u{2019}\u{2bc}-\u{2010}\u{2011}\u{2013}_#&,/+".contains(c)
}

/// How a name is written; `None` for what cannot be one.
pub(super) fn form(name: &str) -> Option<Form> {
    let words: Vec<&str> = name.split_whitespace().collect();
    if words.is_empty() || words.len() > MOST_WORDS || name.len() > MOST_BYTES {
        return None;
    }
    if let Some(number) = name.strip_prefix('+') {
        let phone = number.chars().filter(char::is_ascii_digit).count() >= 5
            && number.chars().all(|c| c.is_ascii_digit() || " -.()".contains(c));
        return phone.then_some(Form::Numbered);
    }
    if !name.starts_with(char::is_alphabetic)
        || !name.chars().all(|c| c.is_alphanumeric() || is_mark(c) || is_of_name(c))
    {
        return None;
    }
    let lower = |w: &str| w.trim_matches([',', '.']).to_lowercase();
    let sentence = words.iter().any(|w| SENTENCE.contains(&lower(w).as_str()));
    let letters: Vec<char> = name.chars().filter(|c| c.is_alphabetic()).collect();
    let cased = letters.iter().any(|c| c.is_uppercase() || c.is_lowercase());
    let capitals = cased && letters.len() >= 2 && letters.iter().all(|c| !c.is_lowercase());
    // Initials may spell a word.
    if (!capitals || letters.len() >= 4) && lists::begins_sentences(name) || words.len() > 1 && sentence {
        return None;
    }
    if lists::is_counted(name) {
        return Some(Form::Loose);
    }
    if name.contains([',', '/']) || words.len() > 4 {
        return (name.matches(',').count() <= 1 && !name.ends_with(',')).then_some(Form::Loose);
    }
    if capitals {
        return Some(Form::Capitals);
    }
    if words[words.len() - 1].chars().any(|c| c.is_ascii_digit()) && words.len() <= 2 {
        return Some(Form::Numbered);
    }
    let capital = |w: &&str| w.starts_with(|c: char| c.is_uppercase() || !c.is_lowercase() && c.is_alphabetic());
    Some(if words.iter().all(capital) { Form::Title } else { Form::Loose })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> Option<(Form, String, &str)> {
        split(line).map(|c| (c.form, c.name, c.rest))
    }

    #[test]
    fn forms_of_labels() {
        for (line, form, name, rest) in [
            ("[SPEAKER_00]: hi", Form::Bracket, "SPEAKER_00", "hi"),
            ("ANNA: hi", Form::Capitals, "ANNA", "hi"),
            ("MAN 2:", Form::Capitals, "MAN 2", ""),
            ("Speaker 1: hi: you", Form::Numbered, "Speaker 1", "hi: you"),
            ("Dr. Anna Lee: hi", Form::Title, "Dr. Anna Lee", "hi"),
            ("Mara Vol (she/her): x", Form::Title, "Mara Vol", "x"),
            ("MARA (V.O.): x", Form::Capitals, "MARA", "x"),
            ("Vol, Mara: x", Form::Loose, "Vol, Mara", "x"),
            ("van der Vol: x", Form::Loose, "van der Vol", "x"),
            ("the younger of the two sisters: x", Form::Loose, "the younger of the two sisters", "x"),
            ("+1 555 0100: x", Form::Numbered, "+1 555 0100", "x"),
            ("\u{9a6c}\u{62c9}\u{ff1a}x", Form::Title, "\u{9a6c}\u{62c9}", "x"),
            ("Mara : x", Form::Loose, "Mara", "x"),
            ("MARA:x", Form::Loose, "MARA", "x"),
            ("[Mara] x", Form::Enclosed, "Mara", "x"),
            ("(speaker 0) x", Form::Enclosed, "speaker 0", "x"),
            ("<Speaker 1> x", Form::Enclosed, "Speaker 1", "x"),
        ] {
            assert_eq!(told(line), Some((form, name.into(), rest)), "{line}");
        }
        for none in [
            "He said: no",
            "12:30 we met",
            "see https://a.b",
            "",
            ":",
            "[laughs] hi",
            "(sighs) no",
            "[inaudible] so",
            "Remember: so",
            "My point is this: so",
            "a; b: c",
            "One thing I know: so",
            "[Mara]",
            "at 5:30",
        ] {
            assert_eq!(told(none), None, "{none}");
        }
    }

    #[test]
    fn dashes_and_chevrons() {
        assert_eq!(lead("- [Mara] x"), (Some(Lead::Dash), "[Mara] x"));
        assert_eq!(lead("-So"), (Some(Lead::Dash), "So"));
        assert_eq!(lead(">> MARA: x"), (Some(Lead::Chevron), "MARA: x"));
        for plain in ["-5 degrees", "--", "so - what", "> so"] {
            assert_eq!(lead(plain), (None, plain));
        }
    }
}
