//! Words of another inside a turn, between double slashes, as noScribe writes what overlaps: `… //S02: yes // …`.

use super::events::keep_words;
use super::markup;
use crate::annotation::Turn;
use crate::text::is_mark;

/// Longest label between the slashes and the colon, in bytes.
const LONGEST: usize = 40;

/// The turns with marked words as turns of their own, behind the turn in which they stand and of its time; how many
/// there were. `dropped` are places of turns, which stay those of the same turns.
pub(super) fn of_turns(turns: &mut Vec<Turn>, dropped: &mut [usize]) -> usize {
    if !turns.iter().any(|t| t.text.contains("//")) {
        return 0;
    }
    let mut out = Vec::with_capacity(turns.len());
    let mut places = Vec::with_capacity(turns.len());
    let mut count = 0;
    for mut turn in turns.drain(..) {
        places.push(out.len());
        let (own, others) = parts(&turn.text, turn.speaker.as_deref());
        if others.is_empty() && own == turn.text {
            out.push(turn);
            continue;
        }
        count += others.len();
        let segment = turn.segment;
        keep_words(&mut turn, &own);
        turn.text = own;
        if !turn.text.is_empty() || others.is_empty() {
            out.push(turn);
        }
        let other = |(name, text)| Turn { index: 0, segment, speaker: Some(name), text, words: Vec::new() };
        out.extend(others.into_iter().map(other));
    }
    for place in dropped.iter_mut() {
        *place = places.get(*place).copied().unwrap_or(out.len());
    }
    *turns = out;
    count
}

/// The label of `//S02: `, and the words behind it.
fn label(rest: &str) -> Option<(&str, &str)> {
    let (name, words) = rest.split_once(':')?;
    let fits = !name.is_empty()
        && name.len() <= LONGEST
        && name.chars().all(|c| c.is_alphanumeric() || is_mark(c) || "_-. ".contains(c))
        && name.starts_with(char::is_alphanumeric)
        && name.split_whitespace().count() <= 3;
    (fits && words.starts_with(char::is_whitespace)).then_some((name.trim(), words))
}

/// The words of the turn's own speaker, and those of others in the order in which they first speak.
fn parts(text: &str, own: Option<&str>) -> (String, Vec<(String, String)>) {
    let mut mine = String::new();
    let mut others: Vec<(String, String)> = Vec::new();
    let mut open: Option<String> = None;
    let mut marked = false;
    let mut rest = text;
    let mut before = ' ';
    let mut add = |who: &Option<String>, words: &str| match who {
        None => mine.push_str(words),
        Some(name) => match others.iter_mut().find(|(n, _)| n == name) {
            Some((_, all)) => {
                all.push(' ');
                all.push_str(words);
            }
            None => others.push((name.clone(), words.to_owned())),
        },
    };
    while let Some(at) = rest.find("//") {
        add(&open, &rest[..at]);
        before = rest[..at].chars().next_back().unwrap_or(before);
        rest = &rest[at + 2..];
        match label(rest).filter(|_| before.is_whitespace() || open.is_some()) {
            Some((name, words)) => {
                open = Some(name.to_owned()).filter(|n| Some(n.as_str()) != own);
                marked = true;
                add(&open, "");
                rest = words;
            }
            None if open.is_some() || marked && rest.trim().is_empty() => {
                open = None;
                add(&open, " ");
            }
            None => add(&open, "//"),
        }
        before = '/';
    }
    add(&open, rest);
    if !marked {
        return (text.to_owned(), Vec::new());
    }
    let others = others.into_iter().map(|(n, t)| (n, markup::squeeze(&t))).filter(|(_, t)| !t.is_empty()).collect();
    (markup::squeeze(&mine), others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_words_are_of_another() {
        let told = |text: &str| {
            let (own, others) = parts(text, Some("S01"));
            (own, others.into_iter().map(|(n, t)| format!("{n}: {t}")).collect::<Vec<_>>().join("|"))
        };
        assert_eq!(told("So it is. //S02: Yes. // And then."), ("So it is. And then.".into(), "S02: Yes.".into()));
        assert_eq!(
            told("So. //S00: A or b. //S02: So it lay there.//"),
            ("So.".into(), "S00: A or b.|S02: So it lay there.".into())
        );
        assert_eq!(told("a //S02: b // c //S02: d // e"), ("a c e".into(), "S02: b d".into()));
        for plain in ["see https://a.b: yes", "a // b", "//", "and/or"] {
            assert_eq!(told(plain), (plain.into(), String::new()), "{plain}");
        }
    }
}
