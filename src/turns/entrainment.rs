//! Entrainment of voices: how near two speakers' pitch, level and rate are from one turn to the next, and whether they grow nearer.
//!
//! Levitan and Hirschberg 2011 ("Measuring acoustic-prosodic entrainment with respect to multiple levels and dimensions", Interspeech):
//! proximity is being more like the partner's turn just before than like the partner's other turns; convergence is that the difference
//! of adjacent turns shrinks with time; synchrony is that the two go up and down together from exchange to exchange. Theirs are one value
//! a session with ten other turns drawn by chance; here each turn has the value of what was heard up to its end, against all the
//! partner's other turns. Proximity is taken of each one's distance from the own mean so far: between a high and a low voice the plain
//! differences to this turn and to the others would all move together with the answer.
//!
//! A turn counts when at most half of it lies inside earlier turns of others, whose voice would be measured for its own.

use super::lagged::pearson;
use crate::annotation::{Turn, union_secs};
use crate::audio::TurnVoice;
use crate::table::{ColumnSpec, CutOff, Kind, TableBuilder};

/// Fewest exchanges that a correlation is made of; a choice.
const MIN_EXCHANGES: usize = 5;

/// Fewest turns that a mean so far is made of, and fewest other turns to be compared with; choices.
const MIN_TURNS: usize = 3;

/// Most of a turn that may lie inside others'; a choice.
const MAX_SHARED: f64 = 0.5;

/// What is compared: name, suffix of the difference's column, unit, words.
const QUALITIES: [(&str, &str, &str, &str); 3] = [
    ("pitch", "_semitones", "semitones", "mean pitch"),
    ("level", "_db", "dB", "mean level"),
    ("rate", "_per_sec", "1/s", "articulation rate in syllables"),
];

/// Number of qualities.
pub(super) const COUNT: usize = QUALITIES.len();

/// The columns, all up to the turn's end.
pub(super) fn specs() -> Vec<ColumnSpec> {
    let end = |name: String, unit, text: String| ColumnSpec::new(name, Kind::F64, unit, text).until(CutOff::TurnEnd);
    let mut all = Vec::new();
    for (name, suffix, unit, words) in QUALITIES {
        all.push(end(
            format!("entrainment_{name}_difference{suffix}"),
            unit,
            format!("Absolute difference of {words} between the turn and the listener's turn just before it."),
        ));
        all.push(end(
            format!("entrainment_{name}_proximity{suffix}"),
            unit,
            format!(
                "How much nearer the turn's {words} is to the listener's turn just before than, on average, to the listener's other turns so \
                 far, each from its speaker's own mean; above 0 = nearer."
            ),
        ));
        all.push(end(
            format!("entrainment_{name}_convergence"),
            "1",
            format!("Correlation of the two's differences of {words} with time, sign turned: above 0 = growing nearer so far."),
        ));
        all.push(end(
            format!("entrainment_{name}_synchrony"),
            "1",
            format!("Correlation of the two's {words} over their exchanges so far: above 0 = up and down together."),
        ));
    }
    all
}

/// Pitch (semitones), level (dB) and rate of every turn that counts; NaN where there is none.
#[derive(Clone, Debug, Default)]
pub(super) struct TurnQualities {
    values: Vec<[f64; COUNT]>,
}

impl TurnQualities {
    pub(super) fn new(turns: &[Turn], voices: &[TurnVoice]) -> Self {
        let value = |i: usize| {
            let here = turns[i].segment;
            let others = turns[..i].iter().filter(|t| t.speaker != turns[i].speaker);
            let shared = union_secs(others.filter_map(|t| t.segment.intersection(here)));
            match voices.get(i).filter(|_| !here.is_empty() && shared <= MAX_SHARED * here.duration()) {
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

/// Fills the current row for the turn at `at`; `own` and `others` are the positions of the speaker's and the listener's turns, `exchanges`
/// those of all turns of either that come right after one of the other.
pub(super) fn fill(
    table: &mut TableBuilder,
    all: &TurnQualities,
    turns: &[Turn],
    at: usize,
    own: &[usize],
    others: &[usize],
    exchanges: &[usize],
) {
    let follows = at > 0 && others.binary_search(&(at - 1)).is_ok();
    let so_far: Vec<usize> = exchanges.iter().copied().filter(|&i| i <= at).collect();
    for (q, (name, suffix, _, _)) in QUALITIES.iter().enumerate() {
        let value = |i: usize| all.of(i)[q];
        let known = |list: &[usize]| list.iter().copied().filter(|&i| i <= at && value(i).is_finite()).collect::<Vec<_>>();
        if follows {
            let difference = (value(at) - value(at - 1)).abs();
            table.set(&format!("entrainment_{name}_difference{suffix}"), difference);
            table.set(&format!("entrainment_{name}_proximity{suffix}"), proximity(&value, &known(own), &known(others), at));
        }
        // Who speaks and who listens changes from exchange to exchange; the pair is that of the two people.
        let mut apart = Vec::new();
        let mut both = Vec::new();
        for &i in &so_far {
            let (here, before) = (value(i), value(i - 1));
            if here.is_finite() && before.is_finite() {
                apart.push((turns[i].segment.start().get(), (here - before).abs()));
                both.push(if own.binary_search(&i).is_ok() { (here, before) } else { (before, here) });
            }
        }
        table.set(&format!("entrainment_{name}_convergence"), pearson(&apart, MIN_EXCHANGES).map(|r| -r));
        table.set(&format!("entrainment_{name}_synchrony"), pearson(&both, MIN_EXCHANGES));
    }
}

fn proximity(value: &dyn Fn(usize) -> f64, own: &[usize], others: &[usize], at: usize) -> Option<f64> {
    if own.len() < MIN_TURNS || others.len() <= MIN_TURNS || !value(at).is_finite() || !value(at - 1).is_finite() {
        return None;
    }
    let mean = |list: &[usize]| list.iter().map(|&i| value(i)).sum::<f64>() / list.len() as f64;
    let (own_mean, other_mean) = (mean(own), mean(others));
    let apart = |i: usize| ((value(at) - own_mean) - (value(i) - other_mean)).abs();
    let far: Vec<f64> = others.iter().filter(|&&i| i != at - 1).map(|&i| apart(i)).collect();
    Some(far.iter().sum::<f64>() / far.len() as f64 - apart(at - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::Spread;
    use crate::table::{ColumnData, TableSchema};
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
        let all = TurnQualities::new(&turns, &voices);
        let places = |odd: usize| (0..turns.len()).filter(|i| i % 2 == odd).collect::<Vec<_>>();
        let exchanges: Vec<usize> = (1..turns.len()).collect();
        let mut table = TableBuilder::new(TableSchema { name: "t", description: "", columns: specs() });
        for at in 0..turns.len() {
            table.row();
            fill(&mut table, &all, &turns, at, &places(at % 2), &places(1 - at % 2), &exchanges);
        }
        table.finish().unwrap()
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
        for name in ["entrainment_pitch_proximity_semitones", "entrainment_pitch_synchrony", "entrainment_pitch_convergence"] {
            assert_eq!(format!("{:?}", &floats(&long, name)[..10]), format!("{:?}", floats(&t, name)));
        }
    }

    #[test]
    fn a_turn_inside_another_is_not_heard_by_itself() {
        let (mut turns, voices) = talk(&[10.0, 20.0, 12.0]);
        turns[1].segment = Segment::from_secs(0.5, 1.0).unwrap();
        let all = TurnQualities::new(&turns, &voices);
        assert!(all.of(1)[0].is_nan() && (all.of(2)[0] - 12.0).abs() < 1e-9);
    }
}
