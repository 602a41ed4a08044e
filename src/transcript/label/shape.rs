//! What the beginning of a line may be: a label, in any of the ways in which people write one.

use super::super::{events, markup};
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

/// Words that begin sentences with a colon behind them, and are nobody's name.
const NO_NAMES: [&str; 46] = [
    "actually",
    "also",
    "and",
    "anyway",
    "attention",
    "because",
    "besides",
    "but",
    "conclusion",
    "example",
    "exactly",
    "fact",
    "finally",
    "first",
    "firstly",
    "furthermore",
    "hence",
    "hinweis",
    "however",
    "important",
    "look",
    "listen",
    "merke",
    "moreover",
    "namely",
    "no",
    "note",
    "now",
    "ok",
    "okay",
    "or",
    "remember",
    "reminder",
    "second",
    "secondly",
    "so",
    "still",
    "then",
    "therefore",
    "third",
    "thus",
    "warning",
    "well",
    "yes",
    "result",
    "achtung",
];

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

/// Label, form and the text after it, of a line without its lead.
pub(super) fn split(line: &str) -> Option<Candidate<'_>> {
    let line = line.trim_start();
    for (open, close) in [('[', ']'), ('(', ')'), ('<', '>'), ('{', '}')] {
        if let Some(inner) = line.strip_prefix(open) {
            return enclosed(inner, close, open == '[');
        }
    }
    let at = near(line, |c| matches!(c, ':' | '\u{ff1a}'))?;
    let wide = line[at..].starts_with('\u{ff1a}');
    let (written, rest) = (&line[..at], &line[at + if wide { 3 } else { 1 }..]);
    let glued = !wide && rest.starts_with(|c: char| !c.is_whitespace());
    if glued && !rest.starts_with(|c: char| c.is_alphabetic() || "\"'\u{201c}\u{2018}\u{bf}\u{a1}(".contains(c)) {
        return None;
    }
    let apart = written.ends_with(char::is_whitespace);
    let name = without_aside(written.trim());
    let form = form(name).or_else(|| sign(name))?;
    // `MARA:x` is as often a thing with a type: it takes more to be believed.
    let form = if glued || apart { Form::Loose.max(form) } else { form };
    Some(Candidate { form, name: name.to_owned(), rest: rest.trim_start() })
}

/// Where a character comes first, no farther than a label is long: labels are looked for at every word of long lines.
fn near(line: &str, is_it: impl Fn(char) -> bool) -> Option<usize> {
    line.char_indices().take_while(|(at, _)| *at <= MOST_BYTES).find(|(_, c)| is_it(*c)).map(|(at, _)| at)
}

/// `[SPEAKER_00]: x`, `[Mara] x`; nothing that is heard and not said.
fn enclosed(inner: &str, close: char, square: bool) -> Option<Candidate<'_>> {
    let at = near(inner, |c| c == close)?;
    let (written, rest) = (inner[..at].trim(), inner[at + 1..].trim_start());
    let colon = rest.strip_prefix([':', '\u{ff1a}']);
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
    (number || bare.len() < name.len() && form(bare).is_some()).then_some(Form::Loose)
}

/// `Mara Vol (she/her)` without what stands in parentheses at its end.
fn without_aside(name: &str) -> &str {
    let bare = name.strip_suffix([')', ']']).and_then(|n| n.rfind(['(', '[']).map(|at| n[..at].trim_end()));
    bare.filter(|b| !b.is_empty()).unwrap_or(name)
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
        || !name.chars().all(|c| c.is_alphanumeric() || is_mark(c) || " .'\u{2019}-_#&,/".contains(c))
    {
        return None;
    }
    let lower = |w: &str| w.trim_matches([',', '.']).to_lowercase();
    let sentence = words.iter().any(|w| SENTENCE.contains(&lower(w).as_str()));
    let letters: Vec<char> = name.chars().filter(|c| c.is_alphabetic()).collect();
    let cased = letters.iter().any(|c| c.is_uppercase() || c.is_lowercase());
    let capitals = cased && letters.len() >= 2 && letters.iter().all(|c| !c.is_lowercase());
    // Initials may spell a word.
    if !capitals && NO_NAMES.contains(&lower(words[words.len() - 1]).as_str()) || words.len() > 1 && sentence {
        return None;
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
