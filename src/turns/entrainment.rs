//! Entrainment of voices: how near two speakers' pitch, level and rate are from one turn to the next, and whether they
//! grow nearer.
//!
//! Levitan and Hirschberg 2011 ("Measuring acoustic-prosodic entrainment with respect to multiple levels and
//! dimensions", Interspeech): proximity is being more like the partner's turn just before than like the partner's other
//! turns; convergence is that the difference of adjacent turns shrinks with time; synchrony is that the two go up and
//! down together from exchange to exchange. Theirs are one value a session with ten other turns drawn by chance; here
//! each turn has the value of what was heard up to its end, against all the partner's other turns. Proximity is taken
//! of each one's distance from the own mean so far: between a high and a low voice the plain differences to this turn
//! and to the others would all move together with the answer.
//!
//! A turn counts when at most half of it lies inside earlier turns of others, whose voice would be measured for its
//! own.

use std::collections::BTreeMap;

use super::lagged::RunningPearson;
use super::{Relations, TurnsConfig};
use crate::annotation::{SegmentIndex, Turn, union_secs};
use crate::audio::TurnVoice;
use crate::table::{Column, CutOff, all_from, all_until};
use crate::time::Seconds;

/// What entrainment is made of. All are choices.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EntrainmentConfig {
    /// Fewest exchanges that a correlation (convergence, synchrony) is made of.
    #[schemars(range(min = 3))]
    pub min_exchanges: usize,
    /// Fewest turns that a speaker's mean so far is made of, and fewest other turns to be compared with.
    #[schemars(range(min = 1))]
    pub min_turns: usize,
    /// A turn counts when at most this share of it lies inside earlier turns of others, 0 to 1: their voice would be
    /// measured for its own.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub max_overlap_share: f64,
}

impl Default for EntrainmentConfig {
    fn default() -> Self {
        EntrainmentConfig { min_exchanges: 5, min_turns: 3, max_overlap_share: 0.5 }
    }
}

/// What is compared: name, suffix of the difference's column, unit, words, and its column of `turns`.
const QUALITIES: [(&str, &str, &str, &str, &str); 3] = [
    ("pitch", "_semitones", "semitones", "mean pitch", "pitch_mean_semitones"),
    ("level", "_db", "dB", "mean level", "level_mean_db"),
    ("rate", "_per_sec", "1/s", "articulation rate in syllables", "articulation_rate_syllables_per_sec"),
];

/// Number of qualities.
pub(super) const COUNT: usize = QUALITIES.len();

/// How near two voices are in one quality at one turn; `None` where it cannot be told.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nearness {
    difference: Option<f64>,
    proximity: Option<f64>,
    convergence: Option<f64>,
    synchrony: Option<f64>,
}

/// By quality, in the order of [`QUALITIES`].
pub(super) type Entrainment = [Nearness; COUNT];

/// The columns, all up to the turn's end.
pub(super) fn columns() -> Vec<Column<Entrainment>> {
    all_from("Levitan & Hirschberg 2011", all_until(CutOff::TurnEnd, (0..COUNT).flat_map(quality_columns)))
}

/// The columns of one of [`QUALITIES`].
fn quality_columns(quality: usize) -> [Column<Entrainment>; 4] {
    let (name, suffix, unit, words, column) = QUALITIES[quality];
    [
        Column::float(
            format!("entrainment_{name}_difference{suffix}"),
            unit,
            format!(
                "Absolute difference of {words} between the turn and the turn begun before it, where that is the \
                 listener's, has ended by this one's end, and no cue between could not be read; a turn counts when \
                 at most {{turns.entrainment.max_overlap_share}} of it lies inside others'."
            ),
            move |e: &Entrainment| e[quality].difference,
        ),
        Column::float(
            format!("entrainment_{name}_proximity{suffix}"),
            unit,
            format!(
                "How much nearer the turn's {words} is to the listener's turn just before than, on average, to the \
                 listener's other turns so far, each from its speaker's own mean; above 0 = nearer; null before \
                 either has {{turns.entrainment.min_turns}} turns that count."
            ),
            move |e: &Entrainment| e[quality].proximity,
        ),
        Column::float(
            format!("entrainment_{name}_convergence"),
            "1",
            format!(
                "Whether the two grow nearer in {words}, -1 to 1, above 0 = nearer so far: Pearson's correlation, \
                 sign turned, between the start of each exchange's answer in seconds and the absolute difference of \
                 its two turns in {column} of turns (raw, not centred by speaker). Exchange: a turn whose turn just \
                 before, of all turns, is the other's: where a third person's or an unlabelled turn stands between, \
                 or a cue that could not be read, there is none; in the order of time, both directions together, so \
                 it is the same for both. A turn counts when it has that value and at most {{turns.entrainment.max_overlap_share}} of \
                 it lies inside others'. Each row holds what was so up to its turn, its own exchange included, but \
                 for turns that run on past its end and turns after a cue that could not be read: the pair's last \
                 row tells the interview. Null with fewer than {{turns.entrainment.min_exchanges}} \
                 exchanges, and where the differences do not vary; no column tells which."
            ),
            move |e: &Entrainment| e[quality].convergence,
        ),
        Column::float(
            format!("entrainment_{name}_synchrony"),
            "1",
            format!(
                "Correlation of the two's {words} over their exchanges so far: above 0 = up and down together; null \
                 with fewer than {{turns.entrainment.min_exchanges}}."
            ),
            move |e: &Entrainment| e[quality].synchrony,
        ),
    ]
}

/// Pitch (semitones), level (dB) and rate of every turn that counts; NaN where there is none.
#[derive(Clone, Debug, Default)]
pub(super) struct TurnQualities {
    values: Vec<[f64; COUNT]>,
}

impl TurnQualities {
    pub(super) fn new(turns: &[Turn], voices: &[TurnVoice], config: &EntrainmentConfig) -> Self {
        if voices.is_empty() {
            return TurnQualities::default();
        }
        let index = SegmentIndex::new(turns.iter().map(|t| t.segment));
        let value = |i: usize| {
            let here = turns[i].segment;
            let near = index.overlapping(here.start(), here.end()).into_iter().take_while(|&j| j < i);
            let others = near.filter(|&j| turns[j].speaker != turns[i].speaker);
            let shared = union_secs(others.filter_map(|j| turns[j].segment.intersection(here)));
            match voices.get(i).filter(|_| !here.is_empty() && shared <= config.max_overlap_share * here.duration()) {
                Some(v) => [
                    v.pitch_semitones.map_or(f64::NAN, |s| s.mean),
                    v.level_db.map_or(f64::NAN, |s| s.mean),
                    v.articulation_rate_syllables_per_sec.unwrap_or(f64::NAN),
                ],
                None => [f64::NAN; COUNT],
            }
        };
        TurnQualities { values: (0..turns.len()).map(value).collect() }
    }

    pub(super) fn of(&self, turn: usize) -> [f64; COUNT] {
        self.values.get(turn).copied().unwrap_or([f64::NAN; COUNT])
    }

    /// Adds a turn's to what is known of its speaker.
    fn add(&self, turn: usize, known: &mut [Known; COUNT]) {
        for (known, value) in known.iter_mut().zip(self.of(turn)).filter(|(_, v)| v.is_finite()) {
            known.values.push((turn, value));
            known.sum += value;
        }
    }
}

/// One quality of one speaker's turns so far: positions and values where known, and their sum.
#[derive(Clone, Debug)]
struct Known {
    values: Vec<(usize, f64)>,
    sum: f64,
}

impl Default for Known {
    fn default() -> Self {
        // The neutral element of a sum of floats.
        Known { values: Vec::new(), sum: -0.0 }
    }
}

impl Known {
    fn mean(&self) -> f64 {
        self.sum / self.values.len() as f64
    }
}

/// One quality of the exchanges of two speakers so far.
#[derive(Clone, Copy, Debug, Default)]
struct Exchanges {
    /// Time and difference.
    apart: RunningPearson,
    /// The two's values; which of them comes first changes nothing.
    both: RunningPearson,
}

/// The qualities of all speakers up to the current turn. A turn's are measured over the whole of it, so they are known
/// when it has ended, and an exchange when both its turns have: a turn inside one that runs on is told nothing of it.
#[derive(Debug)]
pub(super) struct SoFar<'a> {
    turns: &'a [Turn],
    all: &'a TurnQualities,
    /// Positions of turns before which a cue could not be read, in order.
    dropped: &'a [usize],
    speaker: &'a [Option<usize>],
    /// What was known when the current turn began.
    known: Vec<[Known; COUNT]>,
    exchanges: BTreeMap<(usize, usize), [Exchanges; COUNT]>,
    /// Turns that were not known then, and the current one.
    open: Vec<usize>,
    config: EntrainmentConfig,
}

impl<'a> SoFar<'a> {
    /// `speaker` holds the number of each turn's speaker, below `labels`.
    pub(super) fn new(
        relations: &Relations<'a>,
        all: &'a TurnQualities,
        speaker: &'a [Option<usize>],
        labels: usize,
    ) -> Self {
        let Relations { turns, dropped, config: TurnsConfig { entrainment: config, .. }, .. } = *relations;
        let known = if all.values.is_empty() { Vec::new() } else { vec![Default::default(); labels] };
        SoFar { turns, all, dropped, speaker, known, exchanges: BTreeMap::new(), open: Vec::new(), config: *config }
    }

    /// Goes on to the turn at `at`, the one after the last.
    pub(super) fn take(&mut self, at: usize) {
        if self.known.is_empty() {
            return;
        }
        let start = self.turns[at].segment.start();
        for turn in std::mem::take(&mut self.open) {
            if self.known_at(turn) > start {
                self.open.push(turn);
                continue;
            }
            if let Some(own) = self.speaker[turn] {
                self.all.add(turn, &mut self.known[own]);
            }
            if let Some((pair, _)) = self.exchange(turn) {
                self.add_exchange(turn, self.exchanges.get(&pair).copied().unwrap_or_default(), pair);
            }
        }
        self.open.push(at);
    }

    /// When a turn and its exchange with the one before are known.
    fn known_at(&self, turn: usize) -> Seconds {
        let end = self.turns[turn].segment.end();
        self.exchange(turn).map_or(end, |(_, before)| end.max(self.turns[before].segment.end()))
    }

    /// The two of an exchange that a turn answers in, the lower number first, and the turn before. A turn after a cue
    /// that could not be read answers nothing that is known.
    fn exchange(&self, turn: usize) -> Option<((usize, usize), usize)> {
        let (own, before) = (self.speaker[turn]?, turn.checked_sub(1)?);
        if self.dropped.binary_search(&turn).is_ok() {
            return None;
        }
        let other = self.speaker[before].filter(|o| *o != own)?;
        Some(((own.min(other), own.max(other)), before))
    }

    fn add_exchange(&mut self, turn: usize, mut sums: [Exchanges; COUNT], pair: (usize, usize)) {
        self.push(turn, &mut sums);
        self.exchanges.insert(pair, sums);
    }

    /// Adds a turn's exchange.
    fn push(&self, turn: usize, sums: &mut [Exchanges; COUNT]) {
        let Some(((low, _), before)) = self.exchange(turn) else { return };
        let (here, start) = (self.all.of(turn), self.turns[turn].segment.start().get());
        for ((exchanges, here), before) in sums.iter_mut().zip(here).zip(self.all.of(before)) {
            if here.is_finite() && before.is_finite() {
                exchanges.apart.push(start, (here - before).abs());
                let (low, high) = if self.speaker[turn] == Some(low) { (here, before) } else { (before, here) };
                exchanges.both.push(low, high);
            }
        }
    }

    /// Of the turn at `at`, the last one taken in, and a listener.
    pub(super) fn of(&self, at: usize, listener: usize) -> Entrainment {
        let mut nearness = Entrainment::default();
        let (false, Some(own)) = (self.known.is_empty(), self.speaker[at]) else { return nearness };
        let end = self.turns[at].segment.end();
        let late: Vec<usize> = self.open.iter().copied().filter(|turn| self.known_at(*turn) <= end).collect();
        let known = |who: usize| {
            let mut all = self.known[who].clone();
            let own = late.iter().filter(|turn| self.speaker[**turn] == Some(who));
            own.for_each(|turn| self.all.add(*turn, &mut all));
            all
        };
        let pair = (own.min(listener), own.max(listener));
        let mut both = self.exchanges.get(&pair).copied();
        for turn in late.iter().filter(|turn| self.exchange(**turn).is_some_and(|(p, _)| p == pair)) {
            self.push(*turn, both.get_or_insert_default());
        }
        // An answer inside a turn that runs on is compared with no part of it.
        let follows = self.exchange(at).is_some_and(|(p, _)| p == pair) && self.known_at(at) <= end;
        let of_both = follows.then(|| (known(own), known(listener)));
        for (quality, near) in nearness.iter_mut().enumerate() {
            if let Some((own, others)) = &of_both {
                let (here, before) = (self.all.of(at)[quality], self.all.of(at - 1)[quality]);
                near.difference = Some((here - before).abs());
                let place = (at - 1, self.config.min_turns);
                near.proximity = proximity((here, before), &own[quality], &others[quality], place);
            }
            if let Some(both) = both {
                near.convergence = both[quality].apart.value(self.config.min_exchanges).map(|r| -r);
                near.synchrony = both[quality].both.value(self.config.min_exchanges);
            }
        }
        nearness
    }
}

/// `here` and `before`: the turn's value and that of the listener's turn at `place` just before it; `fewest` turns make
/// a mean.
fn proximity((here, before): (f64, f64), own: &Known, others: &Known, (place, fewest): (usize, usize)) -> Option<f64> {
    if own.values.len() < fewest || others.values.len() <= fewest || !here.is_finite() || !before.is_finite() {
        return None;
    }
    let (own_mean, other_mean) = (own.mean(), others.mean());
    let apart = |value: f64| ((here - own_mean) - (value - other_mean)).abs();
    let far: Vec<f64> = others.values.iter().filter(|(i, _)| *i != place).map(|(_, value)| apart(*value)).collect();
    Some(far.iter().sum::<f64>() / far.len() as f64 - apart(before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::Spread;
    use crate::table::{ColumnData, Layout};
    use crate::time::Segment;

    fn talk(pitches: &[f64]) -> (Vec<Turn>, Vec<TurnVoice>) {
        let turn = |i: usize| Turn {
            index: i as u32 + 1,
            segment: Segment::from_secs(2.0 * i as f64, 2.0 * i as f64 + 2.0).unwrap(),
            speaker: Some(if i.is_multiple_of(2) { "A" } else { "B" }.into()),
            text: String::new(),
            words: Vec::new(),
        };
        let spread = |mean: f64| Spread { mean, sd: 0.0, range: 0.0, median: mean, min: mean, max: mean };
        let voice = |p: &f64| TurnVoice { pitch_semitones: Some(spread(*p)), ..TurnVoice::default() };
        ((0..pitches.len()).map(turn).collect(), pitches.iter().map(voice).collect())
    }

    fn rows(pitches: &[f64]) -> crate::table::Table {
        let (turns, voices) = talk(pitches);
        let all = TurnQualities::new(&turns, &voices, &EntrainmentConfig::default());
        let speaker: Vec<Option<usize>> = (0..turns.len()).map(|i| Some(i % 2)).collect();
        let (links, config) = (BTreeMap::new(), TurnsConfig::default());
        let mut so_far = SoFar::new(&Relations::of("i", &turns, &links, &config), &all, &speaker, 2);
        let rows = (0..turns.len()).map(|at| {
            so_far.take(at);
            so_far.of(at, 1 - at % 2)
        });
        Layout { name: "t", description: "", columns: columns() }.table(rows).unwrap()
    }

    fn floats(table: &crate::table::Table, name: &str) -> Vec<f64> {
        match table.column(name) {
            Some(ColumnData::F64(v)) => v.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn voices_that_draw_near_converge() {
        // A stays at 10; B comes down from 20 to 12.
        let t = rows(&[10.0, 20.0, 10.0, 18.0, 10.0, 16.0, 10.0, 14.0, 10.0, 12.0]);
        let difference = floats(&t, "entrainment_pitch_difference_semitones");
        assert!(difference[0].is_nan() && difference[1..4] == [10.0, 10.0, 8.0]);
        let convergence = floats(&t, "entrainment_pitch_convergence");
        assert!(convergence[..5].iter().all(|v| v.is_nan()), "four exchanges are too few");
        assert!(convergence[9] > 0.9, "{convergence:?}");
        assert!(floats(&t, "entrainment_level_convergence").iter().all(|v| v.is_nan()));
    }

    #[test]
    fn an_answer_like_the_question_is_near_and_in_step() {
        // Each of B's answers goes as far from B's usual as A's turn goes from A's.
        let t = rows(&[10.0, 20.0, 14.0, 24.0, 8.0, 18.0, 13.0, 23.0, 9.0, 19.0]);
        let proximity = floats(&t, "entrainment_pitch_proximity_semitones");
        assert!(proximity[..7].iter().all(|v| v.is_nan()) && proximity[7] > 2.0 && proximity[9] > 2.0, "{proximity:?}");
        let long = rows(&[10.0, 20.0, 14.0, 24.0, 8.0, 18.0, 13.0, 23.0, 9.0, 19.0, 11.0, 21.0]);
        // What comes later changes nothing.
        for name in
            ["entrainment_pitch_proximity_semitones", "entrainment_pitch_synchrony", "entrainment_pitch_convergence"]
        {
            assert_eq!(format!("{:?}", &floats(&long, name)[..10]), format!("{:?}", floats(&t, name)));
        }
    }

    #[test]
    fn a_turn_inside_one_that_runs_on_is_told_nothing_of_that_one() {
        // Twelve turns; B's sixth runs on through A's seventh, a word of half a second.
        let told = |pitch: f64| {
            let mut pitches: Vec<f64> = (0..12).map(|i| f64::from(10 + i * i % 7)).collect();
            pitches[9] = pitch;
            let (mut turns, voices) = talk(&pitches);
            turns[9].segment = Segment::from_secs(18.0, 21.5).unwrap();
            turns[10].segment = Segment::from_secs(20.0, 20.5).unwrap();
            let all = TurnQualities::new(&turns, &voices, &EntrainmentConfig::default());
            let speaker: Vec<Option<usize>> = (0..12).map(|i| Some(i % 2)).collect();
            let (links, config) = (BTreeMap::new(), TurnsConfig::default());
            let mut so_far = SoFar::new(&Relations::of("i", &turns, &links, &config), &all, &speaker, 2);
            let row = |at: usize| {
                so_far.take(at);
                let [pitch, ..] = so_far.of(at, 1 - at % 2);
                [pitch.difference, pitch.proximity, pitch.convergence, pitch.synchrony]
            };
            (0..12).map(row).collect::<Vec<_>>()
        };
        let (low, high) = (told(5.0), told(25.0));
        assert!(low[10][2].is_some() && low[10] == high[10], "{:?} {:?}", low[10], high[10]);
        assert!(
            low[9][2] != high[9][2] && low[11][2] != high[11][2],
            "its own row, and those after its end, are told of it"
        );
    }

    #[test]
    fn a_turn_after_a_cue_that_could_not_be_read_answers_nothing_known() {
        let (turns, voices) = talk(&[10.0, 20.0, 10.0, 18.0]);
        let all = TurnQualities::new(&turns, &voices, &EntrainmentConfig::default());
        let speaker = [0, 1, 0, 1].map(Some);
        let (links, config) = (BTreeMap::new(), TurnsConfig::default());
        let relations = Relations { dropped: &[2], ..Relations::of("i", &turns, &links, &config) };
        let mut so_far = SoFar::new(&relations, &all, &speaker, 2);
        let row = |at: usize| {
            so_far.take(at);
            so_far.of(at, 1 - at % 2)[0].difference
        };
        assert_eq!((0..4).map(row).collect::<Vec<_>>(), [None, Some(10.0), None, Some(8.0)]);
    }

    #[test]
    fn a_turn_inside_another_is_not_heard_by_itself() {
        let (mut turns, voices) = talk(&[10.0, 20.0, 12.0]);
        turns[1].segment = Segment::from_secs(0.5, 1.0).unwrap();
        let all = TurnQualities::new(&turns, &voices, &EntrainmentConfig::default());
        assert!(all.of(1)[0].is_nan() && (all.of(2)[0] - 12.0).abs() < 1e-9);
    }
}
