//! A transcript's labels as evidence of voices: whose each stretch is said to be, and how far that is believed.
//!
//! A labelled turn claims the time between its edges for its label, the less sure the nearer to an edge ([`Cue`]). What
//! the turns of a label sound like is that label's voice, and a turn that sounds like another label's is believed less
//! ([`learn`]). Diarization then takes the labels' voices for its speakers and gives tracks to them by voice and claim
//! together. Where the edges of a turn truly lie, the sound tells as far as it is clear ([`cover`], [`hearing`],
//! [`level`]), and where the turns tell more than was heard, a speaker talks where it would not have without
//! ([`weigh`]).

mod agreement;
mod cover;
mod groups;
mod hearing;
pub(super) mod learn;
pub(super) mod level;
pub(super) mod weigh;

use serde::{Deserialize, Serialize};

use super::segmentation::FRAMES;
use super::vad::CHUNKS;
use crate::annotation::SegmentIndex;
use crate::time::{Seconds, Segment};
use learn::{Learnt, TurnVoice, learn};

/// A turn that is less surely a speaker's claims nothing for that speaker.
const LEAST_BELIEF: f64 = 0.1;

/// What the labels of a transcript are taken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LabelUse {
    /// Nothing: voices are told apart by their sound alone.
    Ignore,
    /// Evidence beside the sound: a label whose turns disagree counts for less, and a turn can be found to be
    /// another's.
    #[default]
    Evidence,
    /// The truth: whoever talks inside a turn is the one it names.
    Trust,
}

/// How the labels of a transcript are weighed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LabelEvidenceConfig {
    /// The edges of a transcript's turns are believed to this on either side.
    #[schemars(range(min = 0.0))]
    pub edge_secs: f64,
    /// How probable it is, before anything is heard, that a turn's label is right, 0.5 to 1.
    #[schemars(range(min = 0.5, max = 1.0))]
    pub prior: f64,
    /// What a turn that is by 1 more similar (cosine) to another label's voice speaks against its own, as log odds.
    #[schemars(range(min = 0.0))]
    pub log_odds_per_cosine: f64,
    /// What a second inside a turn speaks for the one it names, beside `resegmentation.evidence_per_sec` of the voice.
    #[schemars(range(min = 0.0))]
    pub claim_per_sec: f64,
    /// What a second of sound inside a turn speaks for its edges, as a share of its frames' log odds added up, beside
    /// what is heard at the edges themselves: neighbouring frames hear the same. The weights of both are fitted for 3.
    #[schemars(range(min = 0.0))]
    pub sound_per_sec: f64,
    /// An edge that the sound shows is moved only where turns and sound together are surer than a half by this, 0 to
    /// 0.5. More keeps the sound's edges, less the turns'; 0.2 and 0.3 do alike on the clips of the labels' test.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub change_margin: f64,
    /// And only by more than this.
    #[schemars(range(min = 0.0))]
    pub min_change_secs: f64,
    /// A stretch of one whom no turn names there is the one's whose turn is as surely there, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub handover_claim: f64,
    /// A pause of the one whom a turn names, shorter than this, inside the turn and in which nobody talks, is filled.
    #[schemars(range(min = 0.0))]
    pub max_pause_secs: f64,
    /// A label counts as a voice of its own when what is believed to be its agrees at least so far, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_agreement: f64,
}

impl Default for LabelEvidenceConfig {
    fn default() -> Self {
        LabelEvidenceConfig {
            edge_secs: 0.5,
            prior: 0.85,
            log_odds_per_cosine: 15.0,
            claim_per_sec: 8.0,
            sound_per_sec: 3.0,
            change_margin: 0.3,
            min_change_secs: 0.1,
            handover_claim: 0.2,
            max_pause_secs: 0.5,
            min_agreement: 0.5,
        }
    }
}

/// A turn of a transcript and the one it names.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledTurn {
    /// From the recording's origin; may be empty or run past the sound.
    pub segment: Segment,
    /// As in the transcript.
    pub label: String,
}

/// A labelled turn as a claim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cue {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) label: usize,
}

impl Cue {
    /// How probable it is that `at` lies between the true edges, each of them anywhere within `edge` of the one told: 0
    /// to 1. That the end lies behind the start is known, which makes short turns surer.
    pub(super) fn covers(&self, at: f64, edge: f64) -> f64 {
        let edge = edge.max(1e-6);
        let past = |secs: f64| (0.5 + 0.5 * secs / edge).clamp(0.0, 1.0);
        let short_by = (2.0 * edge - (self.end - self.start)).max(0.0);
        let is_turn = 1.0 - 0.125 * (short_by / edge).powi(2);
        (past(at - self.start) * past(self.end - at) / is_turn).min(1.0)
    }
}

/// A stretch of one voice in time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard<'a> {
    /// Its middle.
    pub(super) at: f64,
    /// Unit length.
    pub(super) embedding: &'a [f32],
}

/// What the labels claim, weighed by what was heard.
#[derive(Debug)]
pub(super) struct Claims {
    cues: Vec<Cue>,
    /// Of the cues, each wider by the uncertainty of its edges.
    index: SegmentIndex,
    learnt: Learnt,
    edge: f64,
    /// The speaker of each label; `None` where there is no room for it or it is not believed.
    speaker_of: Vec<Option<usize>>,
}

impl Claims {
    /// Learns the voices of `turns` from what was heard, in order of time, a stretch every `hop_secs`; `None` where
    /// labels are ignored or there are none.
    pub(super) fn new(
        turns: &[LabelledTurn],
        heard: &[Heard<'_>],
        hop_secs: f64,
        used: LabelUse,
        config: &LabelEvidenceConfig,
    ) -> Option<Self> {
        let mut labels: Vec<&str> = turns.iter().filter(|t| !t.segment.is_empty()).map(|t| t.label.as_str()).collect();
        labels.sort_unstable();
        labels.dedup();
        if used == LabelUse::Ignore || labels.is_empty() {
            return None;
        }
        let edge = config.edge_secs;
        let cue = |t: &LabelledTurn| {
            let label = labels.binary_search(&t.label.as_str()).ok().filter(|_| !t.segment.is_empty())?;
            let cue = Cue { start: t.segment.start().get(), end: t.segment.end().get(), label };
            Some((cue, Segment::from_secs((cue.start - edge).max(0.0), cue.end + edge)?))
        };
        let (cues, wide): (Vec<Cue>, Vec<Segment>) = turns.iter().filter_map(cue).unzip();
        let index = SegmentIndex::new(wide);
        let mut claims = Claims { cues, index, learnt: Learnt::default(), edge, speaker_of: vec![None; labels.len()] };
        let voices = claims.turn_voices(heard, hop_secs);
        claims.learnt = learn(&voices, labels.len(), used, config);
        Some(claims)
    }

    /// What each cue sounds like: the stretches that are the more surely its own, the more they count.
    fn turn_voices(&self, heard: &[Heard<'_>], hop_secs: f64) -> Vec<TurnVoice> {
        let mut voices: Vec<TurnVoice> =
            self.cues.iter().map(|c| TurnVoice { label: c.label, sum: Vec::new(), secs: 0.0 }).collect();
        for stretch in heard {
            let over = self.over(stretch.at);
            for &(cue, covers) in &over {
                // Another turn of the same label too: either label may be wrong.
                let others = over.iter().filter(|(o, _)| *o != cue);
                let share = covers * others.map(|(_, c)| 1.0 - c).product::<f64>();
                if share > 0.0 {
                    voices[cue].add(stretch.embedding, share * hop_secs);
                }
            }
        }
        voices
    }

    /// The cues over an instant, and how surely each covers it.
    fn over(&self, at: f64) -> Vec<(usize, f64)> {
        let found = self.index.overlapping(Seconds::of(at), Seconds::of(at)).into_iter();
        found.map(|i| (i, self.cues[i].covers(at, self.edge))).filter(|(_, covers)| *covers > 0.0).collect()
    }

    /// How many labels there are.
    pub(super) fn labels(&self) -> usize {
        self.speaker_of.len()
    }

    /// Labels that are believed to be voices, those with the most speech first; `None` as voice: never heard alone.
    pub(super) fn believed(&self, least: f64) -> Vec<(usize, Option<&[f32]>)> {
        let mut labels: Vec<usize> = (0..self.speaker_of.len())
            .filter(|&l| self.learnt.voices[l].is_none() || self.learnt.one_voice[l] >= least)
            .collect();
        labels.sort_by(|&a, &b| self.learnt.secs[b].total_cmp(&self.learnt.secs[a]));
        labels.into_iter().map(|l| (l, self.learnt.voices[l].as_deref())).collect()
    }

    /// Tells which label each of the first speakers is.
    pub(super) fn seat(&mut self, labels: &[usize]) {
        self.speaker_of.fill(None);
        labels.iter().enumerate().for_each(|(speaker, &label)| self.speaker_of[label] = Some(speaker));
    }

    /// How surely each of `speakers` talks at a segmentation frame by the labels, 0 to 1, times the weight of the
    /// label.
    pub(super) fn at(&self, frame: usize, speakers: usize) -> Vec<f64> {
        let mut silent = vec![1.0; speakers];
        for (cue, covers) in self.over(FRAMES.centre(frame).get()) {
            for &(label, belief) in &self.learnt.belief[cue] {
                if let Some(speaker) = self.speaker_of[label].filter(|s| *s < speakers) {
                    silent[speaker] *= 1.0 - covers * belief * self.learnt.weight[label];
                }
            }
        }
        silent.into_iter().map(|s| 1.0 - s).collect()
    }

    /// How many labels have a turn that covers a segmentation frame with at least this probability.
    fn surely_said(&self, frame: usize, sure: f64) -> usize {
        let over = self.over(FRAMES.centre(frame).get()).into_iter().filter(|(_, covers)| *covers > sure);
        let mut labels: Vec<usize> = over.map(|(cue, _)| self.cues[cue].label).collect();
        labels.sort_unstable();
        labels.dedup();
        labels.len()
    }

    /// The cues that may be `speaker`'s, and how surely each is.
    pub(super) fn of_speaker(&self, speaker: usize) -> Vec<(Cue, f64)> {
        self.among(speaker, |_| true)
    }

    /// Those of them that tell a voice.
    fn heard_of_speaker(&self, speaker: usize) -> Vec<(Cue, f64)> {
        self.among(speaker, |cue| self.learnt.heard[cue])
    }

    fn among(&self, speaker: usize, is: impl Fn(usize) -> bool) -> Vec<(Cue, f64)> {
        let Some(label) = self.speaker_of.iter().position(|s| *s == Some(speaker)) else { return Vec::new() };
        let belief = |cue: usize| self.learnt.belief[cue].iter().find(|b| b.0 == label).map_or(0.0, |b| b.1);
        let own = (0..self.cues.len()).filter(|c| is(*c));
        let believed = own.map(|c| (self.cues[c], belief(c) * self.learnt.one_voice[label]));
        believed.filter(|(_, belief)| *belief >= LEAST_BELIEF).collect()
    }
}

/// Voice activity's probability at a segmentation frame, 0 where it heard nothing.
fn probability_at(vad: &[f32], frame: usize) -> f64 {
    let chunk = (FRAMES.centre(frame).get() / CHUNKS.hop_secs()) as usize;
    vad.get(chunk).map_or(0.0, |p| f64::from(*p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_claims_its_middle_surely_and_its_edges_half() {
        let cue = Cue { start: 2.0, end: 5.0, label: 0 };
        for (at, covers) in [(1.4, 0.0), (1.75, 0.25), (2.0, 0.5), (2.5, 1.0), (4.0, 1.0), (5.0, 0.5), (5.6, 0.0)] {
            assert!((cue.covers(at, 0.5) - covers).abs() < 1e-9, "{at}: {}", cue.covers(at, 0.5));
        }
        // One shorter than its uncertainty is sure nowhere: 0.7 by either edge, given that it is a turn at all (0.82).
        let short = Cue { start: 2.0, end: 2.4, label: 0 };
        assert!((short.covers(2.2, 0.5) - 0.49 / 0.82).abs() < 1e-9);
        assert!(cue.covers(2.001, 0.0) > 0.999 && cue.covers(1.999, 0.0) < 0.001);
    }
}
