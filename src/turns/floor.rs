//! Who held the floor so far, turn by turn: what `dyads` asks of all earlier turns, kept up to date instead of looked
//! up again.

use std::collections::{BTreeMap, BTreeSet};

use crate::annotation::Turn;
use crate::time::{Seconds, Segment};

/// Time that one speaker's turns so far take, cut off at any instant.
#[derive(Debug)]
enum Held {
    /// Turns sorted by time, as they come or few enough to be put in between: the sum after each, and how far they
    /// reach.
    Sorted { turns: Vec<Segment>, totals: Vec<f64>, reached: Vec<Seconds> },
    /// Turns in any order: stretches that do not touch, and sums of their lengths in a Fenwick tree (Fenwick 1994) by
    /// the rank of their start among the starts of all turns.
    Scattered { starts: Vec<Seconds>, sums: Vec<f64>, stretches: BTreeMap<Seconds, Seconds> },
}

impl Held {
    /// For turns that will come in this order.
    fn new(all: &[Segment]) -> Self {
        if all.len() <= FEW || all.is_sorted() {
            return Held::Sorted { turns: Vec::new(), totals: Vec::new(), reached: Vec::new() };
        }
        let mut starts: Vec<Seconds> = all.iter().map(|s| s.start()).collect();
        starts.sort_unstable();
        starts.dedup();
        Held::Scattered { sums: vec![0.0; starts.len() + 1], starts, stretches: BTreeMap::new() }
    }

    fn push(&mut self, turn: Segment) {
        match self {
            Held::Sorted { turns, totals, reached } => {
                let place = turns.partition_point(|t| *t <= turn);
                turns.insert(place, turn);
                totals.truncate(place);
                reached.truncate(place);
                for turn in &turns[place..] {
                    let (before, reach) = (totals.last().copied().unwrap_or(0.0), reached.last().copied());
                    let start = reach.map_or(turn.start(), |r| r.max(turn.start()));
                    totals.push(before + (turn.end().get() - start.get()).max(0.0));
                    reached.push(reach.map_or(turn.end(), |r| r.max(turn.end())));
                }
            }
            Held::Scattered { starts, sums, stretches } => {
                let mut add = |start: Seconds, secs: f64| {
                    let mut i = starts.partition_point(|s| *s < start) + 1;
                    while i < sums.len() {
                        sums[i] += secs;
                        i += i & i.wrapping_neg();
                    }
                };
                let (mut start, mut end) = (turn.start(), turn.end());
                if let Some((&s, &e)) = stretches.range(..=start).next_back().filter(|(_, e)| **e >= start) {
                    (start, end) = (s, end.max(e));
                }
                while let Some((&s, &e)) = stretches.range(start..).next().filter(|(s, _)| **s <= end) {
                    add(s, -(e - s).get());
                    stretches.remove(&s);
                    end = end.max(e);
                }
                add(start, (end - start).get());
                stretches.insert(start, end);
            }
        }
    }

    /// Seconds up to `until`.
    fn until(&self, until: Seconds) -> f64 {
        match self {
            Held::Sorted { turns, totals, reached } => {
                let whole = reached.partition_point(|r| *r <= until);
                let (total, reach) =
                    if whole == 0 { (0.0, None) } else { (totals[whole - 1], Some(reached[whole - 1])) };
                let rest = turns.get(whole).map_or(0.0, |cut| {
                    let start = reach.map_or(cut.start(), |r| r.max(cut.start()));
                    (until.get() - start.get()).max(0.0)
                });
                total + rest
            }
            Held::Scattered { starts, sums, stretches } => {
                let mut i = starts.partition_point(|s| *s < until);
                let mut total = 0.0;
                while i > 0 {
                    total += sums[i];
                    i -= i & i.wrapping_neg();
                }
                let beyond = stretches.range(..until).next_back().map_or(0.0, |(_, end)| (*end - until).get().max(0.0));
                (total - beyond).max(0.0)
            }
        }
    }

    fn reached(&self) -> Seconds {
        match self {
            Held::Sorted { reached, .. } => reached.last().copied(),
            Held::Scattered { stretches, .. } => stretches.last_key_value().map(|(_, end)| *end),
        }
        .unwrap_or(Seconds::ZERO)
    }
}

/// Turns of one speaker that are put in their place whatever their order: so the sum is the same to the last digit.
const FEW: usize = 2000;

/// What is known of one speaker up to a turn.
#[derive(Debug)]
pub(super) struct Speaker {
    /// Position of the last turn.
    pub(super) last: Option<usize>,
    /// Number of turns.
    pub(super) count: usize,
    held: Held,
}

/// More labels than these, and the whole floor is a running sum, whose last digits depend on the order of turns.
const ADDED_ANEW: usize = 100;

/// All speakers up to the current turn.
#[derive(Debug)]
pub(super) struct Floor {
    pub(super) speakers: Vec<Speaker>,
    /// Sum of what all hold, and the ends they reach, where there are too many to be added anew each time.
    whole: f64,
    ends: BTreeSet<(Seconds, usize)>,
}

impl Floor {
    /// `speaker` holds the number of each turn's speaker.
    pub(super) fn new(turns: &[Turn], speaker: &[Option<usize>], labels: usize) -> Self {
        let mut by_speaker: Vec<Vec<Segment>> = vec![Vec::new(); labels];
        for (turn, own) in turns.iter().zip(speaker) {
            own.iter().for_each(|&s| by_speaker[s].push(turn.segment));
        }
        let new = |all: &Vec<Segment>| Speaker { last: None, count: 0, held: Held::new(all) };
        Floor { speakers: by_speaker.iter().map(new).collect(), whole: 0.0, ends: BTreeSet::new() }
    }

    /// Takes in the speech time of the turn at `at`: shares of the floor count it.
    pub(super) fn hold(&mut self, turn: Segment, speaker: usize) {
        let many = self.speakers.len() > ADDED_ANEW;
        let own = &mut self.speakers[speaker];
        own.count += 1;
        if many {
            let reached = own.held.reached();
            self.ends.remove(&(reached, speaker));
            self.whole -= own.held.until(reached);
        }
        own.held.push(turn);
        if many {
            let reached = own.held.reached();
            self.ends.insert((reached, speaker));
            self.whole += own.held.until(reached);
        }
    }

    /// Takes in the turn at `at` for the turns after it.
    pub(super) fn pass(&mut self, at: usize, speaker: Option<usize>) {
        speaker.into_iter().for_each(|s| self.speakers[s].last = Some(at));
    }

    /// Seconds of a speaker's turns up to `until`.
    pub(super) fn held(&self, speaker: usize, until: Seconds) -> f64 {
        self.speakers[speaker].held.until(until)
    }

    /// The sum over all speakers.
    pub(super) fn all_held(&self, until: Seconds) -> f64 {
        if self.speakers.len() <= ADDED_ANEW {
            return (0..self.speakers.len()).map(|s| self.held(s, until)).sum();
        }
        let running = self.ends.iter().rev().take_while(|(end, _)| *end > until);
        let beyond: f64 = running.map(|(end, s)| self.held(*s, *end) - self.held(*s, until)).sum();
        self.whole - beyond
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotation::union_secs;
    use crate::random::Random;

    fn dice(seed: u64) -> impl FnMut(usize) -> usize {
        let mut random = Random::seeded(seed);
        move |n| random.below(n)
    }

    #[test]
    fn time_held_is_the_union_however_the_turns_lie() {
        for seed in 0..40 {
            let mut draw = dice(seed);
            let mut all: Vec<Segment> = (0..60)
                .map(|_| {
                    let start = draw(100) as f64 / 2.0;
                    Segment::from_secs(start, start + draw(20) as f64 / 2.0).unwrap()
                })
                .collect();
            if seed % 2 == 0 {
                all.sort();
            }
            // Few turns are sorted in any case; the other way must say the same.
            let mut starts: Vec<Seconds> = all.iter().map(|s| s.start()).collect();
            starts.sort_unstable();
            starts.dedup();
            let scattered = Held::Scattered { sums: vec![0.0; starts.len() + 1], starts, stretches: BTreeMap::new() };
            for mut held in [Held::new(&all), scattered] {
                for i in 0..all.len() {
                    held.push(all[i]);
                    let until = Seconds::of(draw(130) as f64 / 2.0);
                    let cut = Segment::new(Seconds::ZERO, until).unwrap();
                    let plain = union_secs(all[..=i].iter().filter_map(|s| s.intersection(cut)));
                    let found = held.until(until);
                    assert!((found - plain).abs() < 1e-9, "seed {seed}, turn {i}: {found} for {plain}");
                }
            }
        }
    }

    #[test]
    fn many_speakers_hold_together_what_each_holds() {
        let mut draw = dice(3);
        let turns: Vec<Turn> = (0..300)
            .map(|i| {
                let start = 2.0 * i as f64 + draw(5) as f64;
                let segment = Segment::from_secs(start, start + 1.0 + draw(8) as f64).unwrap();
                Turn { index: i + 1, segment, speaker: None, text: String::new(), words: Vec::new() }
            })
            .collect();
        let speaker: Vec<Option<usize>> = turns.iter().map(|_| Some(draw(130))).collect();
        let mut floor = Floor::new(&turns, &speaker, 130);
        for (turn, own) in turns.iter().zip(&speaker) {
            floor.hold(turn.segment, own.unwrap());
            let until = turn.segment.end();
            let each: f64 = (0..130).map(|s| floor.held(s, until)).sum();
            assert!((floor.all_held(until) - each).abs() < 1e-9);
        }
    }
}
