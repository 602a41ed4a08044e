//! Who is near a turn: the listeners that have a row in `dyads`, and the turns that share time with it.

use std::collections::{BTreeMap, BTreeSet};

use crate::annotation::Turn;
use crate::time::Segment;
use crate::warning::Warning;

/// Most listeners of a turn in a crowd, and most rows of the table then but for two listeners a turn.
const MOST_LISTENERS: usize = 20;
const MOST_ROWS: usize = 4_000_000;

/// So many rows of all with all, or so many people, are a crowd.
const CROWD_ROWS: usize = 300_000;
const CROWD_PEOPLE: usize = 100;

/// Most listeners of a turn that get a row; `None` for no crowd: then everybody else is one.
pub(super) fn most_listeners(turns: usize, people: usize) -> Option<usize> {
    let all = turns.saturating_mul(people.saturating_sub(1));
    let crowd = people > MOST_LISTENERS + 1 && (all > CROWD_ROWS || people > CROWD_PEOPLE);
    crowd.then(|| (MOST_ROWS / turns.max(1)).clamp(2, MOST_LISTENERS))
}

/// The warning for an interview of so many people that `dyads` and `synchrony` hold only those near each other.
pub fn crowd(turns: &[Turn]) -> Option<Warning> {
    let people = turns.iter().filter_map(|t| t.speaker.as_deref()).collect::<BTreeSet<&str>>().len();
    most_listeners(turns.len(), people).map(|listeners| Warning::Crowd { people, listeners })
}

/// Which of the other speakers are a turn's listeners.
pub(super) struct Listeners {
    /// `None` = all.
    most: Option<usize>,
    labels: usize,
    /// Position of the last turn, and the speaker: the last to speak is the last here.
    recent: BTreeMap<usize, usize>,
    last: Vec<Option<usize>>,
}

impl Listeners {
    pub(super) fn new(labels: usize, turns: usize) -> Self {
        Listeners { most: most_listeners(turns, labels), labels, recent: BTreeMap::new(), last: vec![None; labels] }
    }

    /// In order of the labels.
    pub(super) fn of(&self, speaker: usize, near: &Near) -> Vec<usize> {
        let Some(most) = self.most else { return (0..self.labels).filter(|l| *l != speaker).collect() };
        let mut chosen = BTreeSet::new();
        for listener in near.by_speaker.keys().chain(self.recent.values().rev()).filter(|l| **l != speaker) {
            if chosen.len() == most {
                break;
            }
            chosen.insert(*listener);
        }
        chosen.into_iter().collect()
    }

    pub(super) fn spoke(&mut self, speaker: usize, at: usize) {
        if let Some(before) = self.last[speaker].replace(at) {
            self.recent.remove(&before);
        }
        self.recent.insert(at, speaker);
    }
}

/// The turns that share time with a turn, by speaker.
pub(super) struct Near {
    by_speaker: BTreeMap<usize, Others>,
}

/// Of one other speaker: the turns begun before the turn, and those begun after it.
#[derive(Default)]
pub(super) struct Others {
    pub(super) earlier: Vec<Segment>,
    pub(super) later: Vec<Segment>,
}

impl Near {
    pub(super) fn new(turns: &[Turn], speaker_of: &[Option<usize>], at: usize, places: Vec<usize>) -> Self {
        let mut by_speaker: BTreeMap<usize, Others> = BTreeMap::new();
        for (place, speaker) in places.into_iter().filter(|p| *p != at).filter_map(|p| Some((p, speaker_of[p]?))) {
            let others = by_speaker.entry(speaker).or_default();
            let list = if place < at { &mut others.earlier } else { &mut others.later };
            list.push(turns[place].segment);
        }
        Near { by_speaker }
    }

    /// Those of one speaker, which are then no longer here.
    pub(super) fn take(&mut self, speaker: usize) -> Others {
        self.by_speaker.remove(&speaker).unwrap_or_default()
    }
}
