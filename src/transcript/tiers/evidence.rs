//! Whether a tier holds what was said or codes of what was done, where its name does not say it: by the vocabulary it
//! is bound to, the form of its texts and how they lie in time.

use super::names::{self, Kind};
use super::{Tier, silence};
use crate::time::Segment;

/// What speaks for a tier of codes. Strong evidence holds whatever other tiers there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    /// Its values are chosen from a list that the file holds.
    Listed,
    /// All its values are numbers or signs.
    Numbers,
    /// A few words last longer than any speech of so few.
    Slow,
    /// A few short values again and again.
    Few,
    /// Short values, and the name or the participant says that somebody is coded whose speech is another tier.
    About,
}

impl Code {
    /// Evidence that no speech could give.
    pub(super) fn is_strong(self) -> bool {
        matches!(self, Code::Listed | Code::Numbers | Code::Slow)
    }

    /// In words, for messages.
    pub(super) fn words(self) -> &'static str {
        match self {
            Code::Listed => "values of a controlled vocabulary",
            Code::Numbers => "nothing but numbers or signs",
            Code::Slow => "a few words for many seconds",
            Code::Few => "a few short values again and again",
            Code::About => "short values beside the same person's speech",
        }
    }
}

/// Fewer values than this may repeat in any speech.
const LEAST: usize = 4;

/// Values of more words than this are sentences.
const MOST_WORDS: usize = 3;

/// Speech does not last so long a word, in seconds, over stretches of at least [`SLOW_SECS`].
const SLOW_WORD_SECS: f64 = 8.0;
/// Shorter stretches may be a word with pauses around it.
const SLOW_SECS: f64 = 10.0;

/// What listeners answer in a word: a tier of nothing else is a listener's.
const ANSWERS: [&str; 40] = [
    "yes", "yeah", "yep", "yup", "no", "nope", "ok", "okay", "mhm", "mm-hm", "mm", "mmm", "hm", "hmm", "uh-huh",
    "uhuh", "uh", "um", "ah", "oh", "right", "sure", "ja", "nein", "genau", "doch", "oui", "non", "si", "sí", "da",
    "hai", "はい", "うん", "嗯", "对", "да", "нет", "ага", "huh",
];

/// The form of a tier's texts.
pub(super) struct Form {
    count: usize,
    distinct: usize,
    /// Every text is of at most three words and ends as no sentence does.
    short: bool,
    numbers: bool,
    answers: bool,
    /// At least half of the texts are of several words.
    pub(super) spoken: bool,
    slow: bool,
}

impl Form {
    pub(super) fn of(tier: &Tier) -> Self {
        let said: Vec<(&str, Option<Segment>)> =
            tier.intervals.iter().filter(|i| !silence(&i.text)).map(|i| (i.text.trim(), i.span.clone().ok())).collect();
        let mut values: Vec<String> = said.iter().map(|(text, _)| text.to_lowercase()).collect();
        values.sort_unstable();
        values.dedup();
        let several = said.iter().filter(|(text, _)| words(text) > 1).count();
        Form {
            count: said.len(),
            distinct: values.len(),
            short: said.iter().all(|(text, _)| words(text) <= MOST_WORDS && !text.contains(SENTENCE)),
            numbers: values.iter().all(|v| is_sign(v)),
            answers: values.iter().all(|v| v.split([' ', ',']).all(|w| w.is_empty() || ANSWERS.contains(&w))),
            spoken: several * 2 >= said.len(),
            slow: is_slow(&said),
        }
    }
}

const SENTENCE: [char; 9] = ['.', '?', '!', ',', ';', '\u{2026}', '\u{3002}', '\u{ff1f}', '\u{ff0c}'];

/// Words; of writing without spaces, characters.
fn words(text: &str) -> usize {
    let ideographs = text.chars().filter(|c| matches!(*c as u32, 0x3040..=0x30ff | 0x3400..=0x9fff)).count();
    text.split_whitespace().count().max(ideographs)
}

fn is_sign(value: &str) -> bool {
    let mut chars = value.chars();
    let single = matches!((chars.next(), chars.next()), (Some(c), None) if !c.is_alphanumeric());
    single || value.replacen(',', ".", 1).parse::<f64>().is_ok_and(f64::is_finite)
}

fn is_slow(said: &[(&str, Option<Segment>)]) -> bool {
    let mut long: Vec<(f64, f64)> =
        said.iter().filter_map(|(text, span)| Some((span.as_ref()?.duration(), words(text).max(1) as f64))).collect();
    long.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    long.get(long.len() / 2).is_some_and(|(secs, words)| *secs >= SLOW_SECS && secs / words > SLOW_WORD_SECS)
}

/// What speaks for codes in the tier at `at`; `None` where it may be speech.
pub(super) fn code(at: usize, all: &[(Kind, Tier)], forms: &[Form]) -> Option<Code> {
    let ((kind, tier), form) = (&all[at], &forms[at]);
    if tier.listed {
        return Some(Code::Listed);
    }
    if form.numbers {
        return Some(Code::Numbers);
    }
    if *kind == Kind::Speech {
        return None;
    }
    if form.slow {
        return Some(Code::Slow);
    }
    if !form.short || form.answers {
        return None;
    }
    if is_about_another(at, all) {
        return Some(Code::About);
    }
    (form.count >= LEAST && form.distinct * 2 <= form.count).then_some(Code::Few)
}

/// True where the name holds another tier's person (`Blick_Mara` beside `Mara`), or the person's speech is another tier.
fn is_about_another(at: usize, all: &[(Kind, Tier)]) -> bool {
    let tier = &all[at].1;
    let own = |name: &str| tier.name.trim().eq_ignore_ascii_case(name.trim());
    // `Mara 2` is Mara's.
    let parts: Vec<&str> = names::parts(&tier.name);
    let numbered = parts.iter().any(|p| p.chars().all(|c| c.is_ascii_digit()));
    let holds = |name: &str| !own(name) && !numbered && parts.iter().any(|p| p.eq_ignore_ascii_case(name.trim()));
    let others = || all.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, one)| one);
    others().any(|(kind, other)| {
        let speaks = matches!(kind, Kind::Speech | Kind::Words)
            || *kind == Kind::Unknown
                && other.person.as_deref().is_some_and(|p| p.eq_ignore_ascii_case(other.name.trim()));
        let named = other.person.as_deref().is_some_and(holds);
        let same = tier.participant.is_some() && tier.participant == other.person;
        speaks && (named || same && !tier.participant.as_deref().is_some_and(own))
    })
}
