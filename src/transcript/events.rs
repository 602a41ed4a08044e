//! What is heard in a transcript and not said: `[laughter]`, `♪ …`, `(12 seconds pause)`.
//!
//! Square brackets that are a whole cue describe a sound unless they say that speech was not understood; parentheses,
//! asterisks and brackets among words only where what they hold names a sound, or, for parentheses that are a whole
//! cue, is written in capitals: an aside is speech.

use super::markup;
use crate::annotation::{SoundEvent, Turn};

/// Beginnings of words that name sounds people and rooms make, in lower case, whole words where a blank ends them:
/// English, German, French, Spanish, Dutch.
const SOUNDS: [&str; 81] = [
    "laugh",
    "chuckl",
    "giggl",
    "snicker",
    "sigh",
    "cough",
    "sneez",
    "sniff",
    "sobs ",
    "sobbing",
    "cry ",
    "crying",
    "cries",
    "weep",
    "yawn",
    "gasp",
    "groan",
    "moan",
    "grunt",
    "breath",
    "inhal",
    "exhal",
    "hums",
    "humming",
    "whistl",
    "scream",
    "shout",
    "cheer",
    "applau",
    "clap",
    "music",
    "song ",
    "singing",
    "pause",
    "silence",
    "crosstalk",
    "cross-talk",
    "noise",
    "phone",
    "rings ",
    "ringing",
    "knock",
    "door ",
    "bark",
    "beep",
    "click",
    "buzz",
    "bell ",
    "bells ",
    "thud",
    "footstep",
    "whisper",
    "clears",
    "throat",
    "swallow",
    "gulp",
    "smack",
    "tuts",
    "audience",
    "lacht",
    "lachen",
    "gel\u{e4}chter",
    "musik",
    "applaus",
    "seufz",
    "hust",
    "r\u{e4}usper",
    "weint",
    "stille",
    "schweig",
    "rire",
    "rit ",
    "musique",
    "toux",
    "soupir",
    "risa",
    "r\u{ed}e",
    "aplauso",
    "m\u{fa}sica",
    "lach ",
    "overlapping",
];

/// Of those, the words for laughter.
const LAUGHTER: [&str; 10] =
    ["laugh", "chuckl", "giggl", "snicker", "lacht", "lachen", "gel\u{e4}chter", "rire", "risa", "r\u{ed}e"];

/// Speech that was not understood is speech.
const UNCLEAR: [&str; 14] = [
    "inaudible",
    "unintelligible",
    "indistinct",
    "unclear",
    "incomprehensible",
    "unverst",
    "inaudibel",
    "foreign",
    "speaks",
    "speaking",
    "redacted",
    "crosstalk words",
    "guess",
    "xxx",
];

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|w| !w.is_empty()).map(str::to_lowercase)
}

/// True for a description of a sound that says that somebody laughs: a word of it begins with one for laughter.
pub fn is_laughter(what: &str) -> bool {
    words(what).any(|word| LAUGHTER.iter().any(|beginning| word.starts_with(beginning)))
}

/// True for a description that names a sound.
pub(super) fn is_sound(text: &str) -> bool {
    // A description is short; a sentence that has such a word is none.
    let all: Vec<String> = words(text).take(9).collect();
    all.len() <= 8
        && all.first().is_some_and(|first| !matches!(first.as_str(), "i" | "you" | "we" | "my"))
        && all
            .iter()
            .any(|w| SOUNDS.iter().any(|s| s.strip_suffix(' ').map_or_else(|| w.starts_with(s), |whole| w == whole)))
        && !is_unclear(text)
}

/// True for words in place of speech that was not understood.
pub(super) fn is_unclear(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    UNCLEAR.iter().any(|u| text.starts_with(u)) || !text.chars().any(char::is_alphanumeric)
}

const NOTES: [char; 6] = ['\u{266a}', '\u{266b}', '\u{266c}', '\u{2669}', '\u{1f3b5}', '\u{1f3b6}'];

/// The sounds of a text, and the words that are left.
pub(super) fn take(text: &str) -> (Vec<String>, String) {
    let whole = text.trim();
    if whole.starts_with(NOTES) {
        let song = markup::squeeze(whole.trim_matches(|c: char| NOTES.contains(&c) || c.is_whitespace()));
        return (vec![if song.is_empty() { "music".into() } else { song }], String::new());
    }
    let mut found = Vec::new();
    let mut left = String::new();
    let mut rest = whole;
    while let Some(at) = rest.find(['[', '(', '*']) {
        left.push_str(&rest[..at]);
        rest = &rest[at..];
        let close = match rest.as_bytes()[0] {
            b'[' => b']',
            b'(' => b')',
            _ => b'*',
        };
        // Nearby only, so that a line of brackets is read once.
        let end = rest.bytes().take(160).skip(1).position(|b| b == close).map(|p| p + 1);
        match end.filter(|end| is_event(&rest[1..*end], close, *end + 1 == whole.len())) {
            Some(end) => {
                found.push(markup::squeeze(&rest[1..end]));
                left.push(' ');
                rest = &rest[end + 1..];
            }
            None => {
                left.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    left.push_str(rest);
    if found.is_empty() {
        return (found, text.to_owned());
    }
    let left = markup::squeeze(&left);
    // A full stop behind the description is nobody's word.
    let spoken = left.chars().any(|c| c.is_alphanumeric() || "[(*".contains(c));
    (found, if spoken { left } else { String::new() })
}

fn is_event(inside: &str, close: u8, whole: bool) -> bool {
    if inside.trim().is_empty() {
        return false;
    }
    let shouted = || {
        let letters = || inside.chars().filter(|c| c.is_alphabetic());
        letters().count() >= 4 && letters().all(|c| !c.is_lowercase())
    };
    is_sound(inside)
        || whole && !is_unclear(inside) && (close == b']' && words(inside).count() <= 12 || close == b')' && shouted())
}

/// Takes the sounds out of the turns; a turn that has no other words is none. `dropped` are places of turns, which stay
/// those of the same turns, or of the next that is left.
pub(super) fn of_turns(turns: &mut Vec<Turn>, dropped: &mut [usize]) -> Vec<SoundEvent> {
    let mut events = Vec::new();
    let mut kept = Vec::with_capacity(turns.len());
    let mut places = Vec::with_capacity(turns.len() + 1);
    for mut turn in turns.drain(..) {
        places.push(kept.len());
        let (sounds, left) = take(&turn.text);
        let alone = left.is_empty() && !sounds.is_empty();
        events.extend(sounds.into_iter().map(|what| SoundEvent {
            segment: turn.segment,
            speaker: turn.speaker.clone(),
            what,
            in_turn: !alone,
        }));
        if turn.text != left {
            keep_words(&mut turn, &left);
            turn.text = left;
        }
        if !alone {
            kept.push(turn);
        }
    }
    places.push(kept.len());
    for place in dropped.iter_mut() {
        *place = places.get(*place).copied().unwrap_or(kept.len());
    }
    *turns = kept;
    events
}

/// Leaves a turn those of its words that stand in `text`, in order.
pub(super) fn keep_words(turn: &mut Turn, text: &str) {
    let mut tokens = text.split_whitespace().peekable();
    turn.words.retain(|word| {
        let first = word.text.split_whitespace().next().unwrap_or("");
        let fits = tokens.peek().is_some_and(|t| *t == first);
        if fits {
            for _ in word.text.split_whitespace() {
                tokens.next();
            }
        }
        fits
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str) -> (String, String) {
        let (found, left) = take(text);
        (found.join("|"), left)
    }

    #[test]
    fn sounds_are_taken_out_of_words() {
        for (text, sounds, left) in [
            ("[laughter]", "laughter", ""),
            ("(12 seconds pause)", "12 seconds pause", ""),
            ("(SOUND EFFECT)", "SOUND EFFECT", ""),
            ("\u{266a} la la \u{266a}", "la la", ""),
            ("\u{266a}", "music", ""),
            ("Well [laughs] yes", "laughs", "Well yes"),
            ("*sighs* no", "sighs", "no"),
            ("[door slams] [footsteps].", "door slams|footsteps", ""),
            ("[Lachen] Ja.", "Lachen", "Ja."),
            ("[somebody comes in]", "somebody comes in", ""),
        ] {
            assert_eq!(taken(text), (sounds.into(), left.into()), "{text}");
        }
    }

    #[test]
    fn words_in_brackets_that_are_said_stay() {
        for text in [
            "I met [NAME] in [city]",
            "[inaudible]",
            "(you know what I mean)",
            "so (I think) yes",
            "f(x) * 2 * 3",
            "(I heard a noise)",
            "so (sounds good)",
            "the (crystal) one",
            "[unintelligible] so",
            "()",
            "[",
            "a [ b",
        ] {
            assert_eq!(taken(text), (String::new(), text.into()), "{text}");
        }
    }
}
