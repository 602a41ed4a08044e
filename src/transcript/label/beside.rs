//! Labels at the beginning of words whose turns have speakers, or some of which do: what two programs wrote, or a tool
//! that has a place for speakers and a person who did not use it.

use std::collections::BTreeSet;

use super::super::draft::{Draft, short};
use super::super::{events, people};
use super::shape::{Candidate, Form, lead, split};
use super::{Believed, Carry, Labels, Who, believed};
use crate::annotation::Turn;

/// Settles whose the turns are; `dropped` are places of turns behind a dropped cue.
pub(super) fn settle(turns: &mut [Turn], dropped: &BTreeSet<usize>, labels: Labels, draft: &mut Draft) {
    take_off_own(turns, draft);
    let known: BTreeSet<String> = turns.iter().filter_map(|t| t.speaker.as_deref()).map(people::key).collect();
    if known.len() == 1 && turns.iter().all(|t| t.speaker.is_some()) && instead(turns, dropped, labels, draft) {
        return;
    }
    name_the_nameless(turns, &known, labels, draft);
    tell_others(turns, &known, labels, draft);
}

fn label(text: &str) -> Option<Candidate<'_>> {
    split(lead(text).1).filter(|l| !l.rest.is_empty())
}

fn cues<'t>(turns: impl Iterator<Item = &'t Turn>) -> Vec<Vec<String>> {
    turns.map(|t| vec![t.text.clone()]).collect()
}

fn say(turn: &mut Turn, text: &str) {
    events::keep_words(turn, text);
    turn.text = text.to_owned();
}

/// Takes off labels that name the turn's own speaker once more.
fn take_off_own(turns: &mut [Turn], draft: &mut Draft) {
    let mut count = 0;
    for turn in turns.iter_mut() {
        let own = turn.speaker.as_deref().map(people::key);
        let Some(words) = label(&turn.text).filter(|l| Some(people::key(&l.name)) == own).map(|l| l.rest.to_owned())
        else {
            continue;
        };
        say(turn, &words);
        count += 1;
    }
    if count > 0 {
        draft.warn(format!("{count} turns begin with the label of their own speaker, which is not read as words"));
    }
}

/// Where all turns have one speaker, and their words begin with labels of several who take turns, these are the
/// speakers: the one name is the tier's, the file's or a program's that tells no speakers apart.
fn instead(turns: &mut [Turn], dropped: &BTreeSet<usize>, labels: Labels, draft: &mut Draft) -> bool {
    let all = cues(turns.iter());
    let believed = believed(&all, labels);
    let found: Vec<String> = turns
        .iter()
        .filter_map(|t| label(&t.text))
        .filter(|l| believed.is_label(l.form, &l.name))
        .map(|l| people::key(&l.name))
        .collect();
    let distinct: BTreeSet<&String> = found.iter().collect();
    if distinct.len() < 2 || found.len() * 2 < turns.len() {
        return false;
    }
    let before = turns.iter().find_map(|t| t.speaker.clone()).unwrap_or_default();
    let mut carry = Carry::new(&believed);
    for (at, (turn, lines)) in turns.iter_mut().zip(&all).enumerate() {
        if dropped.contains(&at) {
            carry.interrupt();
        }
        let Some((who, text)) = lines.first().and_then(|line| believed.whole(line)) else { continue };
        turn.speaker = carry.speaker(who);
        if text != turn.text {
            say(turn, &text);
        }
    }
    draft.warn(format!(
        "all turns have the speaker {:?}, and their words begin with labels of {}: these are the speakers",
        short(&before),
        distinct.len()
    ));
    carry.tell(draft);
    believed.tell(&all, draft);
    true
}

/// Turns without a speaker beside others that have one: labels that name a speaker of the file, or that these turns
/// alone bear out.
fn name_the_nameless(turns: &mut [Turn], known: &BTreeSet<String>, labels: Labels, draft: &mut Draft) {
    let nameless = || turns.iter().filter(|t| t.speaker.is_none());
    let all = cues(nameless());
    let believed = believed(&all, labels);
    let begin = nameless().filter_map(|t| label(&t.text));
    let fitting = begin.filter(|l| believed.is_label(l.form, &l.name)).count();
    let enough = labels == Labels::Always || fitting >= 2 && fitting * 2 >= all.len();
    let (mut count, mut left) = (0, 0);
    for turn in turns.iter_mut().filter(|t| t.speaker.is_none()) {
        let Some(Candidate { form, name, rest }) = label(&turn.text) else { continue };
        let own = form != Form::Enclosed && known.contains(&people::key(&name));
        if !(own || enough && believed.is_label(form, &name)) {
            left += 1;
            continue;
        }
        let rest = rest.to_owned();
        if let Who::Named(name) = believed.named(name) {
            turn.speaker = Some(name);
        }
        say(turn, &rest);
        count += 1;
    }
    if count > 0 {
        draft.warn(format!("{count} turns without a speaker begin with a label, which names theirs"));
    }
    if left > 1 && labels == Labels::Auto {
        draft.warn(format!(
            "{left} turns without a speaker begin like a speaker label that the file as a whole does not bear out; they \
             are read as words, with --labels always as labels"
        ));
    }
}

/// Tells of turns that have a speaker and begin with the label of another.
fn tell_others(turns: &[Turn], known: &BTreeSet<String>, labels: Labels, draft: &mut Draft) {
    if labels != Labels::Auto {
        return;
    }
    let named = || turns.iter().filter(|t| t.speaker.is_some());
    let believed: Believed = believed(&cues(named()), labels);
    let of_other = |t: &&Turn| {
        label(&t.text).is_some_and(|l| {
            l.form != Form::Enclosed && known.contains(&people::key(&l.name)) || believed.is_label(l.form, &l.name)
        })
    };
    let found: Vec<&Turn> = named().filter(of_other).collect();
    if let Some(first) = found.first() {
        draft.warn(format!(
            "{} turns have a speaker and begin with the label of another (first: {:?}, of {:?}); the label is read as \
             words",
            found.len(),
            short(&first.text),
            short(first.speaker.as_deref().unwrap_or_default())
        ));
    }
}
