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
use super::relations::TalkOrder;
use crate::annotation::{SegmentIndex, Turn, union_secs};
use crate::audio::TurnVoice;
use crate::table::{Column, CutOff, all_from, all_until};

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
                 listener's; a turn counts when at most {{turns.entrainment.max_overlap_share}} of it lies inside \
                 others'."
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
                 or a cue that could not be read, there is none; in the order of time, both directions together, so it is the same for \
                 both. A turn counts when it has that value and at most {{turns.entrainment.max_overlap_share}} of \
                 it lies inside others' turns begun before it. Each row holds what was so up to its turn, its own exchange included: the \
                 pair's last row tells the interview. Null with fewer than {{turns.entrainment.min_exchanges}} \
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

/// The qualities of all speakers up to the current turn.
#[derive(Debug)]
pub(super) struct SoFar<'a> {
    all: &'a TurnQualities,
    order: TalkOrder<'a>,
    known: Vec<[Known; COUNT]>,
    exchanges: BTreeMap<(usize, usize), [Exchanges; COUNT]>,
    config: EntrainmentConfig,
}

impl<'a> SoFar<'a> {
    /// The speakers' numbers are below `labels`.
    pub(super) fn new(all: &'a TurnQualities, order: TalkOrder<'a>, labels: usize, config: &EntrainmentConfig) -> Self {
        let known = if all.values.is_empty() { Vec::new() } else { vec![Default::default(); labels] };
        SoFar { all, order, known, exchanges: BTreeMap::new(), config: *config }
    }

    /// Goes on to the turn at `at`, the one after the last.
    pub(super) fn take(&mut self, at: usize, start_secs: f64) {
        let (false, Some(own)) = (self.known.is_empty(), self.order.speaker[at]) else { return };
        let here = self.all.of(at);
        for (known, value) in self.known[own].iter_mut().zip(here).filter(|(_, v)| v.is_finite()) {
            known.values.push((at, value));
            known.sum += value;
        }
        let Some((before, other)) = self.order.before(at).filter(|(_, other)| *other != own) else { return };
        let before = self.all.of(before);
        let pair = self.exchanges.entry((own.min(other), own.max(other))).or_default();
        for ((exchanges, here), before) in pair.iter_mut().zip(here).zip(before) {
            if here.is_finite() && before.is_finite() {
                exchanges.apart.push(start_secs, (here - before).abs());
                let (low, high) = if own < other { (here, before) } else { (before, here) };
                exchanges.both.push(low, high);
            }
        }
    }

    /// Of the turn at `at`, the last one taken in, and a listener.
    pub(super) fn of(&self, at: usize, listener: usize) -> Entrainment {
        let mut nearness = Entrainment::default();
        let (false, Some(own)) = (self.known.is_empty(), self.order.speaker[at]) else { return nearness };
        let followed = self.order.before(at).filter(|(_, speaker)| *speaker == listener);
        let both = self.exchanges.get(&(own.min(listener), own.max(listener)));
        for (quality, near) in nearness.iter_mut().enumerate() {
            if let Some((last, _)) = followed {
                let (here, before) = (self.all.of(at)[quality], self.all.of(last)[quality]);
                near.difference = Some((here - before).abs());
                let (own, others) = (&self.known[own][quality], &self.known[listener][quality]);
                near.proximity = proximity((here, before), own, others, (last, self.config.min_turns));
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
        rows_after(pitches, &[])
    }

    fn rows_after(pitches: &[f64], dropped: &[usize]) -> crate::table::Table {
        let (turns, voices) = talk(pitches);
        let all = TurnQualities::new(&turns, &voices, &EntrainmentConfig::default());
        let speaker: Vec<Option<usize>> = (0..turns.len()).map(|i| Some(i % 2)).collect();
        let order = TalkOrder { speaker: &speaker, dropped };
        let mut so_far = SoFar::new(&all, order, 2, &EntrainmentConfig::default());
        let rows = turns.iter().enumerate().map(|(at, turn)| {
            so_far.take(at, turn.segment.start().get());
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
    fn a_dropped_cue_between_two_turns_makes_them_no_exchange() {
        let pitches = [10.0, 20.0, 12.0, 21.0, 11.0];
        let difference = |t: &crate::table::Table| floats(t, "entrainment_pitch_difference_semitones");
        let (whole, torn) = (difference(&rows(&pitches)), difference(&rows_after(&pitches, &[2])));
        let is = |values: [f64; 3]| values.map(|v| (10.0 * v).round() as i64);
        assert_eq!(is([whole[1], whole[2], whole[3]]), [100, 80, 90]);
        assert!(torn[2].is_nan(), "{torn:?}");
        assert_eq!(is([torn[1], 0.0, torn[3]]), [100, 0, 90]);
    }

    #[test]
    fn a_turn_inside_another_is_not_heard_by_itself() {
        let (mut turns, voices) = talk(&[10.0, 20.0, 12.0]);
        turns[1].segment = Segment::from_secs(0.5, 1.0).unwrap();
        let all = TurnQualities::new(&turns, &voices, &EntrainmentConfig::default());
        assert!(all.of(1)[0].is_nan() && (all.of(2)[0] - 12.0).abs() < 1e-9);
    }
}
