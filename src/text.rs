//! Text from outside, made fit for tables and terminals: what steers a terminal or turns the reading direction never
//! leaves as it came.
//!
//! White space that ends lines or jumps (tab, newline, form feed, the Unicode separators) becomes a space; every other
//! control character (C0, DEL, C1) and the bidirectional embeddings, overrides and isolates become U+FFFD, so that it
//! shows that something stood there.

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;

/// Stands for what was taken out.
const REPLACEMENT: char = '\u{fffd}';

/// White space other than the plain space that begins a line or a column.
fn breaks(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// True for a character that steers a terminal, a line or the reading direction.
pub fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text on one line, without characters that steer.
pub fn clean(text: &str) -> Cow<'_, str> {
    replaced(text, steers)
}

/// The same, but tabs and newlines stay: for text of several lines.
pub fn clean_lines(text: &str) -> Cow<'_, str> {
    replaced(text, |c| steers(c) && !matches!(c, '\t' | '\n'))
}

fn replaced(text: &str, unfit: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&unfit) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(
        text.chars()
            .map(|c| match c {
                c if !unfit(c) => c,
                c if breaks(c) => ' ',
                _ => REPLACEMENT,
            })
            .collect(),
    )
}

/// Cleans in place; true when something was changed.
pub fn clean_in_place(text: &mut String) -> bool {
    match clean(text) {
        Cow::Borrowed(_) => false,
        Cow::Owned(fit) => {
            *text = fit;
            true
        }
    }
}

/// True for a character of writing without spaces between words.
pub fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0e01..=0x0e3a | 0x0e40..=0x0e4e // Thai
        | 0x0f40..=0x0fbc // Tibetan, whose dots part syllables
        | 0x0e80..=0x0ecd | 0x0edc..=0x0edf // Lao
        | 0x1000..=0x103f | 0x104c..=0x109f | 0xaa60..=0xaa7f // Burmese
        | 0x1780..=0x17d3 | 0x17d7 | 0x17dc..=0x17dd // Khmer
        | 0x3005..=0x3007 | 0x3021..=0x3029 | 0x3031..=0x3035 | 0x3038..=0x303b // marks of repetition, numerals
        | 0x3041..=0x309f | 0x30a1..=0x30fa | 0x30fc..=0x30ff | 0x31f0..=0x31ff | 0xff66..=0xff9f // kana
        | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x323af) // Chinese characters
}

/// True for what stands on letters or joins them and is no letter itself: combining marks (the virama and vowel signs of
/// Indian scripts, accents written apart), the joiners of Persian and Indian scripts, the soft hyphen.
pub fn is_mark(c: char) -> bool {
    is_combining_mark(c) || matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}')
}

/// True for what words are made of: letters, digits, straight and curly apostrophes, and their marks ([`is_mark`]),
/// without which a word written with them would be several.
pub fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\'' | '\u{2019}') || is_mark(c)
}

/// The words of a text: runs of letters, digits and apostrophes; of writing without spaces each character.
pub fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut begin: Option<usize> = None;
    for (at, c) in text.char_indices() {
        let runs_on = c != '\u{2019}' && is_of_word(c) && !is_unspaced(c);
        if let (false, Some(from)) = (runs_on, begin) {
            found.push(&text[from..at]);
            begin = None;
        }
        if is_unspaced(c) {
            found.push(&text[at..at + c.len_utf8()]);
        } else if runs_on {
            begin.get_or_insert(at);
        }
    }
    found.extend(begin.map(|from| &text[from..]));
    found
}

/// `1 turn`, `2 turns`.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_part_of_words() {
        // Hindi with a virama, a French word with its accents apart, Persian with a joiner, a soft hyphen.
        let text = "हिन्दी e\u{301}le\u{300}ve می\u{200c}خواهم co\u{ad}operate";
        assert_eq!(tokens(text), text.split(' ').collect::<Vec<_>>());
        assert!(!is_of_word('-') && !is_of_word('\u{2014}') && is_of_word('\u{2019}'));
    }

    #[test]
    fn what_steers_is_replaced_and_the_rest_is_not_touched() {
        assert!(matches!(clean("Ärger – \"ja\" 你好 שלום 👩\u{200d}👧"), Cow::Borrowed(_)));
        assert_eq!(clean("\u{1b}[31mred\u{7f}\u{9b}2J\0"), "\u{fffd}[31mred\u{fffd}\u{fffd}2J\u{fffd}");
        assert_eq!(clean("a\tb\nc\r\u{85}\u{2028}d"), "a b c   d");
        assert_eq!(clean("\u{202e}gpj.\u{2066}x\u{2069}"), "\u{fffd}gpj.\u{fffd}x\u{fffd}");
        assert_eq!(clean_lines("a\tb\n\u{1b}c\r\n"), "a\tb\n\u{fffd}c \n");
        let mut text = "x\u{1b}".to_owned();
        assert!(clean_in_place(&mut text) && !clean_in_place(&mut text));
    }
}
