//! What is heard in a transcript and not said: `[laughter]`, `♪ …`, `(12 seconds pause)`.
//!
//! Square brackets that are a whole cue describe a sound unless they say that speech was not understood; parentheses,
//! asterisks and brackets among words only where what they hold names a sound, or, for parentheses that are a whole
//! cue, is written in capitals: an aside is speech.

use super::markup;
use crate::annotation::{SoundEvent, Turn};

/// Beginnings of words that name sounds people and rooms make, in lower case, whole words where a blank ends them:
/// English, German, French, Spanish, Dutch, Italian, Portuguese, Russian, Japanese, Chinese, Korean.
const SOUNDS: [&str; 107] = [
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
    "pausa",
    "silenzio",
    "risate",
    "risos",
    "sil\u{ea}ncio",
    "stilte",
    "\u{441}\u{43c}\u{435}\u{445}",
    "\u{441}\u{43c}\u{435}\u{451}\u{442}",
    "\u{441}\u{43c}\u{435}\u{44e}\u{442}",
    "\u{43c}\u{443}\u{437}\u{44b}\u{43a}",
    "\u{430}\u{43f}\u{43b}\u{43e}\u{434}",
    "\u{43f}\u{430}\u{443}\u{437}",
    "\u{43a}\u{430}\u{448}\u{43b}",
    "\u{432}\u{437}\u{434}\u{44b}\u{445}",
    "\u{7b11}",
    "\u{62cd}\u{624b}",
    "\u{97f3}\u{697d}",
    "\u{6c88}\u{9ed9}",
    "\u{54b3}",
    "\u{6e9c}\u{3081}\u{606f}",
    "\u{305f}\u{3081}\u{606f}",
    "\u{638c}\u{58f0}",
    "\u{97f3}\u{4e50}",
    "\u{c6c3}\u{c74c}",
    "\u{bc15}\u{c218}",
    "\u{c74c}\u{c545}",
];

/// Of those, the words for laughter.
const LAUGHTER: [&str; 17] = [
    "risate",
    "risos",
    "\u{441}\u{43c}\u{435}\u{445}",
    "\u{441}\u{43c}\u{435}\u{451}\u{442}",
    "\u{441}\u{43c}\u{435}\u{44e}\u{442}",
    "\u{7b11}",
    "\u{c6c3}\u{c74c}",
    "laugh",
    "chuckl",
    "giggl",
    "snicker",
    "lacht",
    "lachen",
    "gel\u{e4}chter",
    "rire",
    "risa",
    "r\u{ed}e",
];

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

/// What closes what may stand around a sound.
fn closing(open: char) -> Option<char> {
    Some(match open {
        '[' => ']',
        '(' => ')',
        '*' => '*',
        '{' => '}',
        '\u{3010}' => '\u{3011}',
        '\u{ff08}' => '\u{ff09}',
        '\u{ff3b}' => '\u{ff3d}',
        _ => return None,
    })
}

/// How the length of a pause is written behind its number.
const SECONDS: [&str; 8] = ["s", "sec", "secs", "second", "seconds", "sek", "sekunde", "sekunden"];

/// True for the length of a silence in parentheses, as conversation analysts write it: `(0.8)`, `(3s)`, `(10 Sek.)`.
fn is_pause(inside: &str, close: char) -> bool {
    let inside = inside.trim();
    let bare = inside.trim_end_matches(|c: char| c.is_alphabetic() || c == '.' || c == ' ');
    let unit = inside[bare.len()..].trim_matches(['.', ' ']).to_lowercase();
    let number = bare.replacen(',', ".", 1);
    let fits = bare.starts_with(|c: char| c.is_ascii_digit()) && number.parse::<f64>().is_ok_and(|secs| secs < 600.0);
    let is_told = SECONDS.contains(&unit.as_str()) || unit.is_empty() && number.contains('.');
    close == ')' && fits && is_told
}

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
    while let Some((at, open)) = rest.char_indices().find(|(_, c)| closing(*c).is_some()) {
        left.push_str(&rest[..at]);
        rest = &rest[at..];
        let close = closing(open).unwrap_or(open);
        // `((laughs))`: both belong together.
        let twice = open != '*' && rest[open.len_utf8()..].starts_with(open);
        let (from, to) = (open.len_utf8() * (1 + usize::from(twice)), close.len_utf8() * (1 + usize::from(twice)));
        // Nearby only, so that a line of brackets is read once.
        let near =
            |(end, c): &(usize, char)| *c == close && (!twice || rest[end + close.len_utf8()..].starts_with(close));
        let end = rest.char_indices().take_while(|(end, _)| *end < 160).skip_while(|(end, _)| *end < from).find(near);
        let end = end.map(|(end, _)| end);
        match end.filter(|end| is_event(&rest[from..*end], close, end + to == whole.len())) {
            Some(end) => {
                let inside = markup::squeeze(&rest[from..end]);
                found.push(if is_pause(&inside, close) { format!("pause {inside}") } else { inside });
                left.push(' ');
                rest = &rest[end + to..];
            }
            None => {
                left.push(open);
                rest = &rest[open.len_utf8()..];
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

fn is_event(inside: &str, close: char, whole: bool) -> bool {
    if inside.trim().is_empty() {
        return false;
    }
    let shouted = || {
        let letters = || inside.chars().filter(|c| c.is_alphabetic());
        letters().count() >= 4 && letters().all(|c| !c.is_lowercase())
    };
    is_sound(inside)
        || is_pause(inside, close)
        || whole && !is_unclear(inside) && (close == ']' && words(inside).count() <= 12 || close == ')' && shouted())
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
            ("((laughs)) yes", "laughs", "yes"),
            ("[[laughs]]", "laughs", ""),
            ("{laughs} yes", "laughs", "yes"),
            ("\u{ff08}\u{7b11}\u{ff09}\u{305d}\u{3046}", "\u{7b11}", "\u{305d}\u{3046}"),
            ("\u{3010}\u{62cd}\u{624b}\u{3011}", "\u{62cd}\u{624b}", ""),
            (
                "\u{43d}\u{443} [\u{441}\u{43c}\u{435}\u{445}] \u{434}\u{430}",
                "\u{441}\u{43c}\u{435}\u{445}",
                "\u{43d}\u{443} \u{434}\u{430}",
            ),
            ("so (0.8) yes (3s) no (10 Sek.) oh", "pause 0.8|pause 3s|pause 10 Sek.", "so yes no oh"),
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
            "((you know)) so",
            "in (1987) and (2) more (5 people)",
            "{Mara} so",
            "()",
            "[",
            "a [ b",
        ] {
            assert_eq!(taken(text), (String::new(), text.into()), "{text}");
        }
    }
}
