//! The voice of each label from its turns, and how far each turn's label is believed: expectation and maximisation over
//! the turns, each compared with its label's other turns.

use super::super::embedding::{Embedding, cosine, unit};
use super::groups::by_group;
use super::{LabelEvidenceConfig, LabelUse};

/// Rounds of weighing turns and learning voices; the weights move by less than a hundredth after four on the clips.
const ROUNDS: usize = 6;

/// A turn with less speech of its own, in seconds, tells no voice.
pub(super) const MIN_SECS: f64 = 0.3;

/// From so many seconds on a turn's voice says all it can.
const WHOLE_SECS: f64 = 1.0;

/// How similar a turn is to its label's voice where that has no other turn to compare with.
const USUAL_SIMILARITY: f64 = 0.6;

/// A voice of so many seconds tells half of what it would: its cosine lies half-way to [`USUAL_SIMILARITY`].
const HALF_SECS: f64 = 1.0;

/// Turns that tell no voice are as surely right as those that do, beside this many seconds of turns that are right with
/// [`UNHEARD_BELIEF`]; and surely to this power: short turns are mistaken more easily, by people too.
const UNHEARD_SECS: f64 = 2.0;
const UNHEARD_BELIEF: f64 = 0.97;
const UNHEARD_POWER: i32 = 2;

/// Mean cosine of stretches to the voice of their label: up to the first it is no one voice, from the second on surely
/// one. Measured 0.63 over the far microphones of `ami_trn*`; two voices half and half have 0.45 to 0.57.
const ONE_VOICE: (f64, f64) = (0.5, 0.62);

/// Labels as voices group them explain the turns better than those told from so much on, as a logarithm.
const CLEARLY: f64 = 2.0;

/// Beliefs below this are left out.
const LEAST_BELIEF: f64 = 1e-3;

/// What a turn sounds like.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::speaker) struct TurnVoice {
    pub(super) label: usize,
    /// Embeddings times seconds.
    pub(super) sum: Vec<f64>,
    /// Of its own speech.
    pub(super) secs: f64,
}

impl TurnVoice {
    /// Adds `secs` of a stretch.
    pub(super) fn add(&mut self, embedding: &[f32], secs: f64) {
        self.sum.resize(embedding.len(), 0.0);
        self.sum.iter_mut().zip(embedding).for_each(|(s, e)| *s += secs * f64::from(*e));
        self.secs += secs;
    }

    fn voice(&self) -> Embedding {
        unit(self.sum.iter().copied()).filter(|_| self.secs >= MIN_SECS)
    }
}

/// What the turns say of the labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::speaker) struct Learnt {
    /// Of each label, unit length; `None` where none of its turns is heard alone.
    pub(super) voices: Vec<Embedding>,
    /// `(label, probability)` of each turn.
    pub(super) belief: Vec<Vec<(usize, f64)>>,
    /// How far the turns of each label agree, 0 to 1; 1 where there is nothing to compare.
    pub(super) weight: Vec<f64>,
    /// How far what is believed to be each label's is one voice, 0 to 1; 1 where nothing is heard.
    pub(super) one_voice: Vec<f64>,
    /// Speech of each label that is heard alone.
    pub(super) secs: Vec<f64>,
    /// Whether each turn tells a voice.
    pub(super) heard: Vec<bool>,
    /// Share of the turns that tell a voice whose label is wrong, beside [`UNHEARD_SECS`] of ones that seldom are, 0 to
    /// 1; 0 where labels are trusted.
    pub(super) wrong: f64,
}

/// Sums of the labels' turns, each turn by how far it is believed.
struct Sums {
    of: Vec<Vec<f64>>,
    secs: Vec<f64>,
}

impl Sums {
    fn new(turns: &[TurnVoice], belief: &[Vec<(usize, f64)>], labels: usize) -> Self {
        let size = turns.iter().map(|t| t.sum.len()).max().unwrap_or(0);
        let mut sums = Sums { of: vec![vec![0.0; size]; labels], secs: vec![0.0; labels] };
        turns.iter().zip(belief).for_each(|(turn, belief)| sums.add(turn, belief, 1.0));
        sums
    }

    /// Adds a turn as far as it is believed (`sign` 1), or takes it out (-1).
    fn add(&mut self, turn: &TurnVoice, belief: &[(usize, f64)], sign: f64) {
        for &(label, p) in belief {
            self.of[label].iter_mut().zip(&turn.sum).for_each(|(s, v)| *s += sign * p * v);
            self.secs[label] += sign * p * turn.secs;
        }
    }

    fn one_voice(&self, label: usize) -> f64 {
        if self.secs[label] < MIN_SECS {
            return 1.0;
        }
        // The length of the mean of unit vectors is their mean cosine to it.
        let length = self.of[label].iter().map(|v| v * v).sum::<f64>().sqrt() / self.secs[label];
        ((length - ONE_VOICE.0) / (ONE_VOICE.1 - ONE_VOICE.0)).clamp(0.0, 1.0)
    }

    fn voice(&self, label: usize) -> Embedding {
        unit(self.of[label].iter().copied()).filter(|_| self.secs[label] >= MIN_SECS)
    }
}

/// Learns the voices of `labels` labels.
pub(super) fn learn(turns: &[TurnVoice], labels: usize, used: LabelUse, config: &LabelEvidenceConfig) -> Learnt {
    let told: Vec<usize> = turns.iter().map(|turn| turn.label).collect();
    let mut belief: Vec<Vec<(usize, f64)>> = told.iter().map(|label| vec![(*label, 1.0)]).collect();
    if used == LabelUse::Evidence && labels > 1 {
        let (as_told, by_voice) =
            (settled(turns, &told, labels, config), settled(turns, &by_group(turns, labels), labels, config));
        belief = if by_voice.1 > as_told.1 + CLEARLY { by_voice.0 } else { as_told.0 };
    }
    let sums = Sums::new(turns, &belief, labels);
    let voices: Vec<Embedding> = (0..labels).map(|label| sums.voice(label)).collect();
    let (mut one_voice, mut weight, mut wrong) = (vec![1.0; labels], vec![1.0; labels], 0.0);
    if used != LabelUse::Trust {
        for label in 0..labels {
            one_voice[label] = sums.one_voice(label);
            weight[label] = one_voice[label] * kept(label, turns, &belief);
        }
        wrong = doubt_unheard(turns, &mut belief, labels);
    }
    let heard = turns.iter().map(|turn| turn.secs >= MIN_SECS).collect();
    Learnt { voices, belief, weight, one_voice, secs: sums.secs, heard, wrong }
}

/// What is believed of each turn from `first`, a label a turn, on, and how well that explains the labels and voices, as
/// a logarithm: each turn beside all others.
fn settled(
    turns: &[TurnVoice],
    first: &[usize],
    labels: usize,
    config: &LabelEvidenceConfig,
) -> (Vec<Vec<(usize, f64)>>, f64) {
    let mut belief: Vec<Vec<(usize, f64)>> = first.iter().map(|label| vec![(*label, 1.0)]).collect();
    // One after the other, the surest voice first: all at once, two labels exchanged for each other would change back
    // and forth.
    let mut order: Vec<usize> = (0..turns.len()).collect();
    order.sort_by(|&a, &b| turns[b].secs.total_cmp(&turns[a].secs));
    let mut explained = 0.0;
    for _ in 0..ROUNDS {
        let mut sums = Sums::new(turns, &belief, labels);
        explained = 0.0;
        for &i in &order {
            sums.add(&turns[i], &belief[i], -1.0);
            let (believed, evidence) = weighed(&turns[i], &sums, config);
            belief[i] = believed;
            explained += evidence;
            sums.add(&turns[i], &belief[i], 1.0);
        }
    }
    (belief, explained)
}

/// How probable each label is for a turn, by its own word and by how it sounds beside the other turns; and the
/// logarithm of what all of them make of it.
fn weighed(turn: &TurnVoice, others: &Sums, config: &LabelEvidenceConfig) -> (Vec<(usize, f64)>, f64) {
    let Some(voice) = turn.voice() else { return (vec![(turn.label, 1.0)], 0.0) };
    let odds_per_cosine = config.log_odds_per_cosine * (turn.secs / WHOLE_SECS).min(1.0);
    let other_labels = (others.of.len() - 1).max(1) as f64;
    let log_odds = |label: usize| {
        let similarity = match others.voice(label) {
            Some(rest) => {
                let told = others.secs[label] / (others.secs[label] + HALF_SECS);
                USUAL_SIMILARITY + told * (cosine(&voice, &rest) - USUAL_SIMILARITY)
            }
            None if label == turn.label => USUAL_SIMILARITY,
            None => return f64::NEG_INFINITY,
        };
        let prior = if label == turn.label { config.prior } else { (1.0 - config.prior) / other_labels };
        prior.max(1e-9).ln() + odds_per_cosine * similarity
    };
    let scores: Vec<f64> = (0..others.of.len()).map(log_odds).collect();
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = scores.iter().map(|s| (s - best).exp()).sum();
    let all = scores.iter().enumerate().map(|(label, s)| (label, (s - best).exp() / total));
    (all.filter(|(_, p)| *p >= LEAST_BELIEF).collect(), best + total.ln())
}

/// Believes turns that tell no voice by how far those that do are right: labels that were found wrong where one can
/// tell are no better where one cannot. Gives the share that is wrong.
fn doubt_unheard(turns: &[TurnVoice], belief: &mut [Vec<(usize, f64)>], labels: usize) -> f64 {
    let (mut right, mut all) = (UNHEARD_SECS * UNHEARD_BELIEF, UNHEARD_SECS);
    for (turn, belief) in turns.iter().zip(&*belief).filter(|(t, _)| t.secs >= MIN_SECS) {
        let secs = turn.secs.min(WHOLE_SECS);
        right += secs * belief.iter().find(|b| b.0 == turn.label).map_or(0.0, |b| b.1);
        all += secs;
    }
    let own = (right / all).powi(UNHEARD_POWER);
    for (turn, belief) in turns.iter().zip(belief).filter(|(t, _)| labels > 1 && t.secs < MIN_SECS) {
        let other = (1.0 - own) / (labels - 1) as f64;
        *belief = (0..labels).map(|l| (l, if l == turn.label { own } else { other })).collect();
        belief.retain(|(_, p)| *p >= LEAST_BELIEF);
    }
    1.0 - right / all
}

/// The share of the speech in the turns told to be `label`'s that is believed to be.
fn kept(label: usize, turns: &[TurnVoice], belief: &[Vec<(usize, f64)>]) -> f64 {
    let (mut kept, mut all) = (0.0, 0.0);
    for (turn, belief) in turns.iter().zip(belief).filter(|(t, _)| t.label == label && t.secs >= MIN_SECS) {
        kept += turn.secs * belief.iter().find(|b| b.0 == label).map_or(0.0, |b| b.1);
        all += turn.secs;
    }
    if all > 0.0 { kept / all } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A turn of `secs` of voice 0 or 1 (orthogonal, a third of each stretch is noise), told to be `label`'s.
    fn turn(voice: usize, label: usize, secs: usize, random: &mut Random) -> TurnVoice {
        let mut turn = TurnVoice { label, sum: Vec::new(), secs: 0.0 };
        for _ in 0..4 * secs {
            let mut embedding: Vec<f64> = (0..40).map(|_| 0.2 * random.signed()).collect();
            embedding[voice] += 1.0;
            turn.add(&unit(embedding.into_iter()).unwrap(), 0.25);
        }
        turn
    }

    fn believed(learnt: &Learnt) -> Vec<usize> {
        let best = |b: &Vec<(usize, f64)>| b.iter().max_by(|x, y| x.1.total_cmp(&y.1)).unwrap().0;
        learnt.belief.iter().map(best).collect()
    }

    fn of(turns: &[(usize, usize, usize)], used: LabelUse) -> Learnt {
        let mut random = Random::seeded(3);
        let turns: Vec<TurnVoice> = turns.iter().map(|t| turn(t.0, t.1, t.2, &mut random)).collect();
        learn(&turns, 2, used, &LabelEvidenceConfig::default())
    }

    #[test]
    fn a_turn_that_sounds_like_anothers_is_believed_to_be_theirs() {
        let turns = [(0, 0, 3), (1, 1, 2), (0, 1, 2), (1, 1, 3), (0, 0, 1), (1, 1, 1)];
        let learnt = of(&turns, LabelUse::Evidence);
        assert_eq!(believed(&learnt), [0, 1, 0, 1, 0, 1]);
        assert!(learnt.weight[0] > 0.95 && learnt.weight[1] < 0.8, "{:?}", learnt.weight);
        assert!(learnt.voices[1].as_ref().unwrap()[0] < 0.2, "what is another's is not learnt");
        // Trusted, it stays, and nothing counts for less.
        let trusted = of(&turns, LabelUse::Trust);
        assert_eq!(believed(&trusted), [0, 1, 1, 1, 0, 1]);
        assert_eq!(trusted.weight, [1.0, 1.0]);
    }

    #[test]
    fn exchanged_labels_of_the_longest_turns_are_found() {
        let turns = [(0, 1, 11), (1, 0, 4), (0, 0, 2), (1, 1, 1), (0, 0, 4), (1, 1, 2), (0, 0, 2)];
        let learnt = of(&turns, LabelUse::Evidence);
        assert_eq!(believed(&learnt), [0, 1, 0, 1, 0, 1, 0]);
    }

    #[test]
    fn a_voice_whose_long_turns_are_all_told_to_be_anothers_is_found() {
        let turns = [(0, 0, 4), (1, 0, 6), (0, 0, 3), (1, 0, 4), (0, 0, 3), (1, 1, 1), (0, 0, 2)];
        let learnt = of(&turns, LabelUse::Evidence);
        assert_eq!(believed(&learnt), [0, 1, 0, 1, 0, 1, 0]);
    }

    #[test]
    fn a_label_over_two_voices_is_no_voice() {
        let mixed = of(&[(0, 0, 4), (1, 0, 4), (0, 0, 4), (1, 0, 4)], LabelUse::Evidence);
        let pure = of(&[(0, 0, 4), (0, 0, 4)], LabelUse::Evidence);
        assert!(mixed.weight[0] < 0.7 * pure.weight[0], "{:?} {:?}", mixed.weight, pure.weight);
        assert!(pure.weight[0] > 0.95 && mixed.voices[1].is_none());
    }

    #[test]
    fn a_turn_too_short_to_tell_keeps_its_label() {
        let mut random = Random::seeded(1);
        let mut short = turn(0, 1, 1, &mut random);
        (short.secs, short.sum) = (0.1, short.sum.iter().map(|v| 0.1 * v).collect());
        let all = [turn(0, 0, 3, &mut random), turn(1, 1, 3, &mut random), short];
        let learnt = learn(&all, 2, LabelUse::Evidence, &LabelEvidenceConfig::default());
        assert!(believed(&learnt)[2] == 1 && learnt.belief[2].iter().any(|b| b.0 == 1 && b.1 > 0.9));
        let trusted = learn(&all, 2, LabelUse::Trust, &LabelEvidenceConfig::default());
        assert_eq!(trusted.belief[2], [(1, 1.0)]);
    }

    #[test]
    fn a_turn_too_short_to_tell_is_doubted_where_others_were_found_wrong() {
        let own = |others: &[(usize, usize, usize)]| {
            let mut random = Random::seeded(5);
            let mut all: Vec<TurnVoice> = others.iter().map(|t| turn(t.0, t.1, t.2, &mut random)).collect();
            let mut short = turn(0, 1, 1, &mut random);
            (short.secs, short.sum) = (0.1, short.sum.iter().map(|v| 0.1 * v).collect());
            all.push(short);
            let learnt = learn(&all, 2, LabelUse::Evidence, &LabelEvidenceConfig::default());
            learnt.belief[others.len()].iter().find(|b| b.0 == 1).unwrap().1
        };
        let right = own(&[(0, 0, 3), (1, 1, 3), (0, 0, 3), (1, 1, 3)]);
        let wrong = own(&[(0, 0, 3), (1, 1, 3), (0, 1, 3), (1, 1, 3), (0, 0, 3)]);
        assert!(right > 0.9 && wrong < 0.8, "{right} {wrong}");
    }

    #[test]
    fn a_voice_of_little_speech_does_not_take_a_long_turn_from_another() {
        // Beside its long turn, the first label has little that is heard alone, with the other's voice in it; what
        // the second has is the first's voice.
        let mut random = Random::seeded(7);
        let mut all = [turn(0, 0, 8, &mut random), turn(1, 0, 1, &mut random), turn(0, 1, 1, &mut random)];
        let under = turn(0, 0, 1, &mut random);
        all[1].sum.iter_mut().zip(&under.sum).for_each(|(s, v)| *s = 0.5 * (*s + v));
        for brief in &mut all[1..] {
            (brief.secs, brief.sum) = (0.4, brief.sum.iter().map(|v| 0.4 * v).collect());
        }
        let learnt = learn(&all, 2, LabelUse::Evidence, &LabelEvidenceConfig::default());
        assert_eq!(believed(&learnt)[0], 0, "{:?}", learnt.belief);
    }
}
