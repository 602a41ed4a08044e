//! Tiers of ELAN and Praat: which of them are what people said, and their turns.

use super::draft::{Draft, short};
use super::markup;
use crate::error::Result;
use crate::time::Segment;
use choice::Choice;
pub use names::names_codes;
pub(super) use names::{Kind, classify, is_diarized};
use words::{WordTier, join_words};

mod choice;
pub(super) mod codes;
mod evidence;
mod names;
mod words;

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
    /// The person the file names, for it or for a tier it hangs on.
    pub(super) participant: Option<String>,
    /// The name of its linguistic type, where the format has such.
    pub(super) typed: Option<String>,
    /// True where its values are chosen from a list that the file holds.
    pub(super) listed: bool,
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

/// Turns from tiers, sorted by time; what the others hold are codes.
///
/// Which tiers are read is [`Choice`]'s. Words of a person's word tier that lie in one of the person's turns become its
/// words; words of a person without turns, or of a file without turns, are joined into turns at pauses of 0.5 s. Empty
/// intervals are silence unless `keep_empty`.
pub(super) fn into_turns(tiers: Vec<Tier>, keep_empty: bool, draft: &mut Draft) -> Result<()> {
    let Choice { tiers, turns, words } = Choice::of(tiers, draft)?;
    if tiers.is_empty() {
        return Ok(());
    }
    let mut word_tiers: Vec<(usize, WordTier)> = words.iter().map(|&i| (i, WordTier::new(&tiers[i]))).collect();
    tell_same_times(turns.iter().map(|i| &tiers[*i]), draft);
    for &i in &turns {
        let place = words_of(i, &turns, &tiers, &word_tiers);
        tier_turns(&tiers[i], place.map(|p| &mut word_tiers[p].1), keep_empty, draft)?;
    }
    let mut read: Vec<usize> = turns.clone();
    let mut joined: Vec<&str> = Vec::new();
    for (place, (i, of)) in word_tiers.iter().enumerate() {
        // Of several word tiers of a person (spelling, lemma) the first.
        let first = word_tiers[..place].iter().all(|(_, before)| before.tier.person != of.tier.person);
        let turnless = of.tier.person.is_some() && !turns.iter().any(|&t| tiers[t].person == of.tier.person);
        if turns.is_empty() || first && turnless {
            join_words(of.tier, of.tier.person.as_deref(), draft)?;
            joined.push(&of.tier.name);
            read.push(*i);
        } else {
            of.tell_left_out(draft);
            read.extend(of.is_asked().then_some(*i));
        }
    }
    if turns.is_empty() && !joined.is_empty() {
        draft.warn(format!("only word tiers: words less than {PAUSE_SECS} s apart were joined into turns"));
    } else if !joined.is_empty() {
        let names = short(&joined.join(", "));
        draft.warn(format!(
            "no turns of the same person beside the words of {names}: words less than {PAUSE_SECS} s apart were joined \
             into turns"
        ));
    }
    keep_codes(&tiers, &read, draft);
    draft.sort_by_time();
    Ok(())
}

/// Keeps what the tiers hold that were not read, and tells which they are.
fn keep_codes(tiers: &[Tier], read: &[usize], draft: &mut Draft) {
    let mut left_out = Vec::new();
    for (_, tier) in tiers.iter().enumerate().filter(|(i, _)| !read.contains(i)) {
        codes::keep(tier, draft);
        let count = tier.intervals.iter().filter(|x| !x.text.trim().is_empty()).count();
        let name = if tier.name.trim().is_empty() { "one without a name" } else { &tier.name };
        left_out.push(format!("{name} ({count} {})", tier.layer.noun()));
    }
    if !left_out.is_empty() {
        draft.warn(format!(
            "tiers that hold no turns left out: {}; they are in the table annotations",
            left_out.join(", ")
        ));
    }
}

/// The place of the word tier whose words are those of a tier of turns: of the same person and the same number, else of
/// the same person, else one of nobody whose words are found in these turns more than in any other's.
fn words_of(at: usize, turns: &[usize], tiers: &[Tier], words: &[(usize, WordTier)]) -> Option<usize> {
    let tier = &tiers[at];
    let number = |t: &Tier| names::ordinal(t.name.trim()).1;
    let same = |(_, w): &(usize, WordTier)| w.tier.person == tier.person;
    let exact = words.iter().position(|w| same(w) && number(w.1.tier) == number(tier));
    // A second tier of turns that overlap the first has no words of the first's.
    let any = || words.iter().position(same).filter(|_| number(tier) == 1);
    exact.or_else(any).or_else(|| {
        words.iter().position(|(_, w)| {
            let best = turns.iter().map(|t| w.agreement(&tiers[*t])).max();
            w.tier.person.is_none() && w.is_of(tier) && best == Some(w.agreement(tier))
        })
    })
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

#[cfg(test)]
mod tests;
