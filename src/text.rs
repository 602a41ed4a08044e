//! Text from outside, made fit for tables and terminals: what steers a terminal or turns the reading direction never
//! leaves as it came.
//!
//! White space that ends lines or jumps (tab, newline, form feed, the Unicode separators) becomes a space; every other
//! control character (C0, DEL, C1) and the bidirectional embeddings, overrides and isolates become U+FFFD, so that it
//! shows that something stood there.

use std::borrow::Cow;

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

/// `1 turn`, `2 turns`.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

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
