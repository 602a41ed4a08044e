//! Tiers of ELAN and Praat: which of them are what people said, and their turns.

use std::collections::BTreeSet;

use super::draft::{Draft, short};
use super::markup;
use crate::annotation::{Turn, Word};
use crate::error::Result;
use crate::time::{Seconds, Segment};

/// What a tier holds, told by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Utterances.
    Speech,
    /// Single words.
    Words,
    /// Phones, gestures, glosses, notes: nobody's turn.
    Other,
    /// The name says nothing about the content; likely a person.
    Unknown,
}

const SPEECH: [&str; 21] = [
    "text",
    "txt",
    "tx",
    "utterance",
    "utterances",
    "utt",
    "transcript",
    "transcription",
    "transcrip",
    "transliteration",
    "orthography",
    "ortho",
    "sentence",
    "sentences",
    "phrase",
    "phrases",
    "speech",
    "ipu",
    "turn",
    "turns",
    "dialogue",
];
/// `ort` is the word tier of the Munich tools (MAUS, WebMINNI).
const WORDS: [&str; 6] = ["word", "words", "token", "tokens", "wrd", "ort"];
const OTHER: [&str; 53] = [
    "phone",
    "phones",
    "phoneme",
    "phonemes",
    "phon",
    "ph",
    "segment",
    "segments",
    "syllable",
    "syllables",
    "kan",
    "mau",
    "mas",
    "trn",
    "gesture",
    "gestures",
    "gest",
    "gaze",
    "head",
    "hand",
    "hands",
    "face",
    "eyes",
    "posture",
    "pos",
    "gloss",
    "glosses",
    "translation",
    "ft",
    "ge",
    "mb",
    "ps",
    "ref",
    "comment",
    "comments",
    "note",
    "notes",
    "tone",
    "tones",
    "break",
    "breaks",
    "misc",
    "pitch",
    "f0",
    "vot",
    "mute",
    "pron",
    "actualpron",
    "dictionarypron",
    "lemma",
    "morph",
    "noise",
    "timestamps",
];

/// Kind of a tier and the person its name tells, if any: `Anna - words`, `text@Anna`, `Anna_text`, `words`, `Anna`.
pub(super) fn classify(name: &str) -> (Kind, Option<String>) {
    let name = name.trim().trim_matches('"').trim();
    if let Some(kind) = kind_of(name) {
        return (kind, None);
    }
    for separator in ["@", " - ", "-", "_", ":", ".", " "] {
        if let Some((left, right)) = name.split_once(separator)
            && let (Some(kind), None) = (kind_of(left), kind_of(right))
        {
            return (kind, person(right));
        }
        if let Some((left, right)) = name.rsplit_once(separator)
            && let Some(kind) = kind_of(right)
        {
            return match kind_of(left) {
                // `words-pos` is about words, but none.
                Some(other) => (if kind == Kind::Other { kind } else { other }, None),
                None => (kind, person(left)),
            };
        }
    }
    // Words inside other names: gest_included, words-timesub.
    let inner = name.split(|c: char| !c.is_alphanumeric()).filter_map(kind_of);
    match inner.max_by_key(|k| *k == Kind::Other) {
        Some(kind) => (kind, None),
        None => (Kind::Unknown, person(name)),
    }
}

fn person(name: &str) -> Option<String> {
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

fn kind_of(word: &str) -> Option<Kind> {
    let word = word.trim().to_lowercase();
    let word = word.as_str();
    if SPEECH.contains(&word) {
        Some(Kind::Speech)
    } else if WORDS.contains(&word) {
        Some(Kind::Words)
    } else if OTHER.contains(&word) {
        Some(Kind::Other)
    } else {
        None
    }
}

/// One annotation of a tier.
#[derive(Clone, Debug)]
pub(super) struct Interval {
    /// 1-based line of the file.
    pub(super) line: usize,
    /// Number or id, for messages.
    pub(super) name: String,
    /// Its time, or what is wrong with it in words.
    pub(super) span: Result<Segment, String>,
    /// As written.
    pub(super) text: String,
}

/// How what a tier holds lies in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    /// Spans.
    Spans,
    /// Points without a duration: nobody's turn.
    Points,
    /// Words that have the time of the utterance they refer to: no word times.
    Untimed,
}

impl Layer {
    /// What the tier holds, for messages.
    fn noun(self) -> &'static str {
        match self {
            Layer::Spans => "annotations",
            Layer::Points => "points",
            Layer::Untimed => "words without times of their own",
        }
    }
}

/// A tier with what it holds.
#[derive(Clone, Debug)]
pub(super) struct Tier {
    pub(super) name: String,
    /// Whose it is: the person the file names (ELAN's PARTICIPANT) or the tier's name tells (see [`classify`]).
    pub(super) person: Option<String>,
    /// False for a tier that hangs on another.
    pub(super) root: bool,
    /// Names of the tiers it hangs on.
    pub(super) above: Vec<String>,
    pub(super) layer: Layer,
    pub(super) intervals: Vec<Interval>,
}

const EXPECTED: &str = "expected an interval that ends at or after its start; correct it";

/// Words closer than this are of one turn, where only word tiers are there to make turns from.
const PAUSE_SECS: f64 = 0.5;

/// Turns from tiers, sorted by time.
///
/// Tiers called text, utterance, phrase, … are taken where there are any; else tiers whose name says nothing about
/// their content (then it is a person's); else word tiers, their words joined into turns at pauses of 0.5 s. Words of a
/// person's word tier that lie in one of the person's turns become its words. Empty intervals are silence unless
/// `keep_empty`.
pub(super) fn into_turns(tiers: Vec<Tier>, keep_empty: bool, draft: &mut Draft) -> Result<()> {
    let sorted: Vec<(Kind, Tier)> = tiers
        .into_iter()
        .filter(|t| t.intervals.iter().any(|i| !silence(&i.text)))
        .map(|t| (if t.layer == Layer::Spans { classify(&t.name).0 } else { Kind::Other }, t))
        .collect();
    if sorted.is_empty() {
        return Ok(());
    }
    let places = |kind: Kind| (0..sorted.len()).filter(|i| sorted[*i].0 == kind).collect::<Vec<usize>>();
    let mut words: Vec<WordTier> = places(Kind::Words).into_iter().map(|i| WordTier::new(&sorted[i].1)).collect();
    let mut chosen = without_repeats(places(Kind::Speech), &sorted);
    if chosen.is_empty() {
        // "Anna" beside "Anna - words" is Anna's; beside plain "words" an unknown name is more likely some other layer.
        let owners: BTreeSet<&Option<String>> = words.iter().map(|w| &w.tier.person).filter(|p| p.is_some()).collect();
        chosen = places(Kind::Unknown);
        chosen.retain(|i| sorted[*i].1.root && (words.is_empty() || owners.contains(&sorted[*i].1.person)));
    }
    tell_same_times(chosen.iter().map(|i| &sorted[*i].1), draft);
    for &i in &chosen {
        // Of several word tiers of a person (spelling, lemma) the first.
        let tier = &sorted[i].1;
        tier_turns(tier, words.iter_mut().find(|w| w.tier.person == tier.person), keep_empty, draft)?;
    }
    if chosen.is_empty() {
        if words.is_empty() {
            let names: Vec<&str> = sorted.iter().map(|(_, t)| t.name.as_str()).collect();
            let what = format!("no tier holds what was said; tiers are {}", short(&names.join(", ")));
            return Err(draft.fail(0, what, "name the tiers of speech after their speakers, or `text`, or `words`"));
        }
        for word_tier in &words {
            join_words(word_tier.tier, word_tier.tier.person.as_deref(), draft)?;
        }
        draft.warn(format!("only word tiers: words less than {PAUSE_SECS} s apart were joined into turns"));
    } else {
        words.iter().for_each(|w| w.tell_left_out(draft));
    }
    let is_read = |i: usize| sorted[i].0 == Kind::Words || chosen.binary_search(&i).is_ok();
    let left_out: Vec<String> = (0..sorted.len())
        .filter(|i| !is_read(*i))
        .map(|i| {
            let (_, tier) = &sorted[i];
            let count = tier.intervals.iter().filter(|x| !silence(&x.text)).count();
            let name = if tier.name.trim().is_empty() { "one without a name" } else { &tier.name };
            format!("{name} ({count} {})", tier.layer.noun())
        })
        .collect();
    if !left_out.is_empty() {
        draft.warn(format!("tiers that hold no turns left out: {}", left_out.join(", ")));
    }
    draft.sort_by_time();
    Ok(())
}

/// Of tiers of speech that hang on one another (a translation, a second spelling) the topmost, unless only the lower
/// one holds more than a word at a time: then the upper one numbers or names turns.
fn without_repeats(mut chosen: Vec<usize>, tiers: &[(Kind, Tier)]) -> Vec<usize> {
    let spoken = |i: usize| tiers[i].1.intervals.iter().any(|x| x.text.trim().contains(char::is_whitespace));
    let hangs_on = |i: usize, j: usize| i != j && tiers[i].1.above.contains(&tiers[j].1.name);
    let all = chosen.clone();
    let label = |j: usize| !spoken(j) && all.iter().any(|&i| hangs_on(i, j) && spoken(i));
    chosen.retain(|&i| !label(i) && !all.iter().any(|&j| hangs_on(i, j) && !label(j)));
    chosen
}

/// Names tiers whose turns lie at the same times: people do not take all their turns together.
fn tell_same_times<'t>(tiers: impl Iterator<Item = &'t Tier>, draft: &mut Draft) {
    let times = |t: &Tier| {
        t.intervals.iter().filter(|x| !silence(&x.text)).filter_map(|x| x.span.clone().ok()).collect::<Vec<Segment>>()
    };
    let all: Vec<(&Tier, Vec<Segment>)> = tiers.map(|t| (t, times(t))).collect();
    for (i, (b, there)) in all.iter().enumerate() {
        let akin = |a: &Tier| {
            let (short, long) = if a.name.len() < b.name.len() { (&a.name, &b.name) } else { (&b.name, &a.name) };
            a.person.is_some() && a.person == b.person
                || long.strip_prefix(short.as_str()).is_some_and(|r| !r.starts_with(char::is_alphanumeric))
        };
        let same =
            |(a, here): &&(&Tier, Vec<Segment>)| here == there && !here.is_empty() && (here.len() >= 3 || akin(a));
        if let Some((a, _)) = all[..i].iter().find(same) {
            let (a, b) = (short(&a.name), short(&b.name));
            draft.warn(format!(
                "the tiers {a:?} and {b:?} hold {} turns each at the same times, both of which are read: if one \
                 translates the other, take it out",
                there.len()
            ));
        }
    }
}

/// Labels of stretches without words, in Praat's and aligners' habits.
fn silence(text: &str) -> bool {
    matches!(
        text.trim().to_lowercase().as_str(),
        "" | "sil" | "sp" | "spn" | "<sil>" | "<p:>" | "{sl}" | "_" | "#" | "<p>"
    )
}

/// A tier of words while they are given to turns.
struct WordTier<'t> {
    tier: &'t Tier,
    words: Vec<Word>,
    /// Middles of the words that have a time, sorted, and their places.
    by_middle: Vec<(Seconds, usize)>,
    /// Which words a turn has taken.
    taken: Vec<bool>,
    /// True when a turn's tier was of the same person.
    asked: bool,
}

impl<'t> WordTier<'t> {
    fn new(tier: &'t Tier) -> Self {
        let said = tier.intervals.iter().filter(|i| !silence(&i.text));
        let words: Vec<Word> = said
            .map(|i| Word { text: markup::squeeze(&i.text), segment: i.span.clone().ok(), speaker: None })
            .collect();
        let mut by_middle: Vec<(Seconds, usize)> =
            words.iter().enumerate().filter_map(|(i, w)| Some((w.segment?.middle(), i))).collect();
        by_middle.sort_unstable();
        let taken = vec![false; words.len()];
        WordTier { tier, words, by_middle, taken, asked: false }
    }

    /// The words whose middle lies in a turn, in the tier's order.
    fn inside(&mut self, turn: Segment) -> Vec<Word> {
        self.asked = true;
        let first = self.by_middle.partition_point(|(t, _)| *t < turn.start());
        let last = self.by_middle.partition_point(|(t, _)| *t < turn.end());
        let mut places: Vec<usize> = self.by_middle[first..last.max(first)].iter().map(|(_, i)| *i).collect();
        places.sort_unstable();
        places.iter().for_each(|&i| self.taken[i] = true);
        places.into_iter().map(|i| self.words[i].clone()).collect()
    }

    /// Tells words that became nobody's.
    fn tell_left_out(&self, draft: &mut Draft) {
        let name = short(&self.tier.name);
        let count = self.words.len();
        if !self.asked {
            draft.warn(format!(
                "tier {name:?}: {count} words left out, no tier of turns is of the same person or it has words already"
            ));
            return;
        }
        let lost = || self.words.iter().zip(&self.taken).filter(|(_, taken)| !**taken).map(|(word, _)| word);
        if let Some(first) = lost().next() {
            let at = first.segment.map_or("without a usable time".into(), |s| format!("at {}", s.start()));
            draft.warn(format!(
                "tier {name:?}: {} of {count} words lie in no turn and are left out (first: {:?} {at})",
                lost().count(),
                short(&first.text)
            ));
        }
    }
}

fn tier_turns(tier: &Tier, mut words: Option<&mut WordTier>, keep_empty: bool, draft: &mut Draft) -> Result<()> {
    for interval in &tier.intervals {
        if silence(&interval.text) && !(keep_empty && interval.text.trim().is_empty()) {
            continue;
        }
        match &interval.span {
            Ok(segment) => {
                let words = words.as_mut().map(|w| w.inside(*segment)).unwrap_or_default();
                draft.push(*segment, tier.person.as_deref(), markup::squeeze(&interval.text), words);
            }
            Err(what) => bad(tier, interval, what, draft)?,
        }
    }
    Ok(())
}

fn bad(tier: &Tier, interval: &Interval, what: &str, draft: &mut Draft) -> Result<()> {
    draft.bad(interval.line, format!("tier {:?}, {}: {what}", short(&tier.name), interval.name), EXPECTED)
}

fn join_words(tier: &Tier, person: Option<&str>, draft: &mut Draft) -> Result<()> {
    let mut turn: Option<(Turn, bool)> = None;
    let close = |turn: Option<(Turn, bool)>, draft: &mut Draft| {
        if let Some((t, after_dropped)) = turn {
            // What was dropped since it began is before the next.
            let lost = draft.take_lost();
            if after_dropped {
                draft.lose();
            }
            draft.push(t.segment, person, t.text, t.words);
            if lost {
                draft.lose();
            }
        }
    };
    for interval in tier.intervals.iter().filter(|i| !silence(&i.text)) {
        let segment = match &interval.span {
            Ok(segment) => *segment,
            Err(what) => {
                bad(tier, interval, what, draft)?;
                continue;
            }
        };
        let text = markup::squeeze(&interval.text);
        let word = Word { text: text.clone(), segment: Some(segment), speaker: None };
        match turn
            .as_mut()
            .map(|(t, _)| t)
            .filter(|t| t.segment.gap(segment) < PAUSE_SECS && segment.start() >= t.segment.start())
        {
            Some(t) => {
                t.segment = Segment::new(t.segment.start(), t.segment.end().max(segment.end())).unwrap_or(t.segment);
                t.text.push(' ');
                t.text.push_str(&text);
                t.words.push(word);
            }
            None => {
                close(turn.take(), draft);
                turn = Some((Turn { index: 0, segment, speaker: None, text, words: vec![word] }, draft.take_lost()));
            }
        }
    }
    close(turn, draft);
    Ok(())
}

#[cfg(test)]
mod tests;
