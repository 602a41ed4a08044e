//! Which tiers are read for turns and which for words; the rest are codes.

use std::collections::BTreeSet;

use super::evidence::{self, Code, Form};
use super::names::{Kind, classify, is_diarized};
use super::{Layer, Tier, silence};
use crate::error::Result;
use crate::transcript::draft::{Draft, short};

/// The tiers that hold anything, and the places of those that are read, ascending.
#[derive(Default)]
pub(super) struct Choice {
    pub(super) tiers: Vec<Tier>,
    pub(super) turns: Vec<usize>,
    pub(super) words: Vec<usize>,
}

impl Choice {
    /// Those that were named for it are speech. Where none are: tiers called text, utterance, phrase, … where there are
    /// any; else tiers whose name says nothing about their content (then it is a person's), without those whose form
    /// says that they hold codes (see [`evidence`]); else word tiers.
    pub(super) fn of(tiers: Vec<Tier>, draft: &mut Draft) -> Result<Self> {
        let wanted = wanted(&tiers, draft)?;
        let mut sorted: Vec<(Kind, Tier)> = tiers
            .into_iter()
            .filter(|t| t.intervals.iter().any(|i| !silence(&i.text)))
            .map(|t| (kind(&t), t))
            .collect();
        if sorted.is_empty() {
            return Ok(Choice::default());
        }
        let chosen = if let Some(wanted) = wanted {
            for (kind, tier) in &mut sorted {
                let named = wanted.contains(&tier.name.trim().to_lowercase());
                *kind = match (*kind, named) {
                    (Kind::Words, true) => Kind::Words,
                    (_, true) => Kind::Speech,
                    (Kind::Words, false) if tier.layer == Layer::Spans => Kind::Words,
                    (_, false) => Kind::Other,
                };
            }
            let chosen = places(Kind::Speech, &sorted);
            // Words of people whose turns were not named are no turns.
            let owners: BTreeSet<Option<String>> = chosen.iter().map(|i| sorted[*i].1.person.clone()).collect();
            for (kind, tier) in sorted.iter_mut().filter(|(kind, _)| *kind == Kind::Words) {
                let named = wanted.contains(&tier.name.trim().to_lowercase());
                if !named && tier.person.is_some() && !owners.contains(&tier.person) {
                    *kind = Kind::Other;
                }
            }
            chosen
        } else {
            set_codes_aside(&mut sorted, draft);
            let speech = without_repeats(places(Kind::Speech, &sorted), &sorted);
            if speech.is_empty() { of_persons(&sorted) } else { speech }
        };
        let words = places(Kind::Words, &sorted);
        if chosen.is_empty() && words.is_empty() && !sorted.iter().any(|(_, t)| is_diarized(&t.name)) {
            let names: Vec<&str> = sorted.iter().map(|(_, t)| t.name.as_str()).collect();
            let what = format!("no tier holds what was said; tiers are {}", short(&names.join(", ")));
            let hint = "name the tiers of speech after their speakers, or `text`, or `words`, or tell which they are \
                        with --tiers";
            return Err(draft.fail(0, what, hint));
        }
        Ok(Choice { tiers: sorted.into_iter().map(|(_, t)| t).collect(), turns: chosen, words })
    }
}

/// The names of the tiers that were named for speech, in small letters; those that the file has not are told, and
/// refused where it has none of them.
fn wanted(tiers: &[Tier], draft: &mut Draft) -> Result<Option<BTreeSet<String>>> {
    let asked = draft.speech_tiers();
    if asked.is_empty() {
        return Ok(None);
    }
    let there: BTreeSet<String> = tiers.iter().map(|t| t.name.trim().to_lowercase()).collect();
    let missing: Vec<&str> = asked.iter().map(|n| n.trim()).filter(|n| !there.contains(&n.to_lowercase())).collect();
    if missing.len() == asked.len() {
        let names: Vec<&str> = tiers.iter().map(|t| t.name.as_str()).collect();
        let what = format!("there is no tier {}; tiers are {}", missing.join(", "), names.join(", "));
        return Err(draft.fail(0, what, "name the tiers of speech with --tiers or input.tiers as the file does"));
    }
    if !missing.is_empty() {
        draft.warn(format!("there is no tier {}, which was named as one of speech", missing.join(", ")));
    }
    Ok(Some(asked.iter().map(|n| n.trim().to_lowercase()).collect()))
}

/// What a tier holds by its name, else by the name of its linguistic type.
fn kind(tier: &Tier) -> Kind {
    // What an export writes of codes has this type whatever its name.
    if tier.layer != Layer::Spans || tier.typed.as_deref() == Some("code") {
        return Kind::Other;
    }
    match (classify(&tier.name).0, tier.typed.as_deref().map(|t| classify(t).0)) {
        (Kind::Unknown, Some(typed @ (Kind::Other | Kind::Words))) => typed,
        (named, _) => named,
    }
}

fn places(kind: Kind, sorted: &[(Kind, Tier)]) -> Vec<usize> {
    (0..sorted.len()).filter(|i| sorted[*i].0 == kind).collect()
}

/// Makes tiers of codes known as such, and tells them. Evidence that speech could give as well holds only beside a tier
/// against which nothing speaks.
fn set_codes_aside(sorted: &mut [(Kind, Tier)], draft: &mut Draft) {
    let forms: Vec<Form> = sorted.iter().map(|(_, tier)| Form::of(tier)).collect();
    let may_be_speech = |kind: Kind| matches!(kind, Kind::Speech | Kind::Unknown);
    let found: Vec<Option<Code>> = (0..sorted.len())
        .map(|i| {
            let code = may_be_speech(sorted[i].0).then(|| evidence::code(i, sorted, &forms)).flatten()?;
            (code.is_strong() || !is_speech_of_its_kind(i, sorted, &forms)).then_some(code)
        })
        .collect();
    let others = (0..sorted.len()).any(|i| sorted[i].0 != Kind::Other && found[i].is_none());
    let told = |(i, code): (usize, &Option<Code>)| {
        Some(format!("{:?} ({})", short(&sorted[i].1.name), code.filter(|c| others || c.is_strong())?.words()))
    };
    let aside: Vec<String> = found.iter().enumerate().filter_map(told).collect();
    if !aside.is_empty() {
        draft
            .warn(format!("read as codes, not as speech: {}; input.tiers names the tiers of speech", aside.join(", ")));
    }
    let doubtful: Vec<&str> = (0..sorted.len())
        .filter(|i| !others && found[*i].is_some_and(|c| !c.is_strong()))
        .map(|i| sorted[i].1.name.as_str())
        .collect();
    if !doubtful.is_empty() {
        draft.warn(format!(
            "read as speech for want of another tier, though it may hold codes: {}; input.tiers names the tiers of \
             speech",
            short(&doubtful.join(", "))
        ));
    }
    for (i, code) in found.iter().enumerate() {
        if code.is_some_and(|c| others || c.is_strong()) {
            sorted[i].0 = Kind::Other;
        }
    }
}

/// True where weak evidence does not make codes of a tier: words of the same person are beside it, the participant is
/// its name, or its linguistic type, of several in the file, is that of sentences.
fn is_speech_of_its_kind(at: usize, sorted: &[(Kind, Tier)], forms: &[Form]) -> bool {
    let tier = &sorted[at].1;
    let has_words = sorted.iter().any(|(k, t)| *k == Kind::Words && t.person.is_some() && t.person == tier.person);
    let own_name = tier.participant.as_deref().is_some_and(|p| p.eq_ignore_ascii_case(tier.name.trim()));
    let typed = |t: &Tier| t.typed.is_some() && t.typed == tier.typed;
    let several = sorted.iter().any(|(_, t)| t.typed != tier.typed);
    let spoken = || sorted.iter().enumerate().any(|(i, (_, t))| i != at && typed(t) && !t.listed && forms[i].spoken);
    has_words || own_name || several && spoken()
}

/// Tiers that are named after people. "Anna" beside "Anna - words" is Anna's; an unknown name beside words that are not
/// of that name is a person's where sentences are there.
fn of_persons(sorted: &[(Kind, Tier)]) -> Vec<usize> {
    let words = places(Kind::Words, sorted);
    let owners: BTreeSet<&Option<String>> =
        words.iter().map(|i| &sorted[*i].1.person).filter(|p| p.is_some()).collect();
    let mut chosen = places(Kind::Unknown, sorted);
    chosen.retain(|i| sorted[*i].1.root);
    let named_alike = chosen.iter().any(|i| owners.contains(&sorted[*i].1.person));
    chosen.retain(|i| words.is_empty() || named_alike || Form::of(&sorted[*i].1).spoken);
    chosen
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
