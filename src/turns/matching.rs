//! Transcript speakers matched to diarized ones by the time they share: optimal one-to-one assignment.

use std::collections::BTreeMap;

use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;

use crate::annotation::{Annotation, Turn, union_secs};
use crate::time::Segment;
use crate::warning::Warning;

/// A transcript label and the voice that goes with it.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeakerMatch {
    /// The transcript's label.
    pub label: String,
    /// The diarized speaker; `None` when the label shares no time with a voice that is not a better match of another
    /// label.
    pub diarized: Option<String>,
    /// Seconds that the label's turns and the voice share.
    pub shared_secs: f64,
    /// Seconds of speech of any voice inside the label's turns.
    pub speech_secs: f64,
}

impl SpeakerMatch {
    /// Purity: share of the speech inside the label's turns that is the matched voice's, 0 to 1. `None` without speech.
    pub fn share(&self) -> Option<f64> {
        (self.speech_secs > 0.0).then(|| (self.shared_secs / self.speech_secs).min(1.0))
    }
}

/// More than a label and a voice can share, in milliseconds.
const SURE: i64 = 1 << 40;

/// Matches the labels of a transcript, sorted by name, to the speakers of `annotation`. Of `named` voices the names are
/// known to be theirs: a label of the same name is matched to its voice, whatever they share.
pub fn match_speakers(turns: &[Turn], annotation: &Annotation, named: &[String]) -> Vec<SpeakerMatch> {
    let mut labels: Vec<&str> = turns.iter().filter_map(|t| t.speaker.as_deref()).collect();
    labels.sort_unstable();
    labels.dedup();
    let voices = annotation.speakers();
    // Seconds that a label shares with each voice it shares any with, and with all speech.
    let mut shared: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); labels.len()];
    let mut speech = vec![0.0; labels.len()];
    for turn in turns {
        let Some(label) = turn.speaker.as_deref().and_then(|l| labels.binary_search(&l).ok()) else { continue };
        speech[label] += union_secs(annotation.inside(turn.segment).into_iter().map(|(part, _)| part));
        for (name, secs) in annotation.times_in(turn.segment) {
            if let Ok(voice) = voices.binary_search(&name) {
                *shared[label].entry(voice).or_default() += secs;
            }
        }
    }
    // Whole milliseconds: the assignment needs integers.
    let millis =
        |label: usize, voice: usize| shared[label].get(&voice).map_or(0, |secs| (secs * 1000.0).round() as i64);
    // A voice's name holds no white space.
    let is_named = |label: usize, voice: usize| {
        let written = labels[label].split_whitespace().collect::<Vec<_>>().join("_");
        voices[voice] == written && named.contains(&written)
    };
    let weight = |label: usize, voice: usize| millis(label, voice) + if is_named(label, voice) { SURE } else { 0 };
    let assigned = assign(labels.len(), voices.len(), &weight);
    let found = labels.iter().zip(assigned).zip(speech).enumerate();
    found
        .map(|(i, ((&label, voice), speech_secs))| {
            let voice = voice.filter(|&v| weight(i, v) > 0);
            SpeakerMatch {
                label: label.to_owned(),
                diarized: voice.map(|v| voices[v].to_owned()),
                shared_secs: voice.map_or(0.0, |v| millis(i, v) as f64 / 1000.0),
                speech_secs,
            }
        })
        .collect()
}

/// The voice of each label, at most one label a voice, so that the sum of `weight(label, voice)` is largest.
fn assign(labels: usize, voices: usize, weight: &dyn Fn(usize, usize) -> i64) -> Vec<Option<usize>> {
    if labels == 0 || voices == 0 {
        return vec![None; labels];
    }
    // Rows may not outnumber columns.
    if labels <= voices {
        let (_, columns) = kuhn_munkres(&Matrix::from_fn(labels, voices, |(row, column)| weight(row, column)));
        return columns.into_iter().map(Some).collect();
    }
    let (_, columns) = kuhn_munkres(&Matrix::from_fn(voices, labels, |(row, column)| weight(column, row)));
    let mut found = vec![None; labels];
    for (voice, label) in columns.into_iter().enumerate() {
        found[label] = Some(voice);
    }
    found
}

/// Turns named in a warning; the column `speaker_contradicts` tells all.
const NAMED_TURNS: usize = 5;

/// Labels named in a warning; the table `speakers` holds all.
const NAMED_LABELS: usize = 20;

/// What the voices say against the labels: turns (by [`Turn::index`]) that are `contradicted`, and labels without a
/// voice.
pub fn contradictions(turns: &[Turn], contradicted: &[bool], matches: &[SpeakerMatch]) -> Vec<Warning> {
    let mut found = Vec::new();
    let against: Vec<&Turn> = turns.iter().zip(contradicted).filter(|(_, c)| **c).map(|(t, _)| t).collect();
    if !against.is_empty() {
        let named: Vec<String> = against.iter().take(NAMED_TURNS).map(|t| t.index.to_string()).collect();
        let more = if against.len() > NAMED_TURNS { ", ..." } else { "" };
        let what = format!(
            "another voice than the label's talks most in {} of {} turns: {}{more}",
            against.len(),
            turns.len(),
            named.join(", ")
        );
        found.push(Warning::SpeakerMatch { what });
    }
    let silent: Vec<&str> = matches.iter().filter(|m| m.diarized.is_none()).map(|m| m.label.as_str()).collect();
    if !silent.is_empty() {
        let more = if silent.len() > NAMED_LABELS {
            format!(" and {} more", silent.len() - NAMED_LABELS)
        } else {
            String::new()
        };
        let named = silent[..silent.len().min(NAMED_LABELS)].join(", ");
        found.push(Warning::SpeakerMatch { what: format!("no voice of its own was found for: {named}{more}") });
    }
    found
}

/// The diarized speaker who talks most inside `segment`, with the seconds; ties go to the name that sorts first.
pub fn dominant_speaker(annotation: &Annotation, segment: Segment) -> Option<(String, f64)> {
    let mut best: Option<(&str, f64)> = None;
    for (name, secs) in annotation.times_in(segment) {
        if secs > best.map_or(0.0, |b| b.1) {
            best = Some((name, secs));
        }
    }
    best.map(|(name, secs)| (name.to_owned(), secs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotation::SpeechTurn;

    fn turn(start: f64, end: f64, speaker: Option<&str>) -> Turn {
        Turn {
            index: 1,
            segment: Segment::from_secs(start, end).unwrap(),
            speaker: speaker.map(Into::into),
            text: String::new(),
            words: Vec::new(),
        }
    }

    fn voice(start: f64, end: f64, speaker: &str) -> SpeechTurn {
        SpeechTurn { segment: Segment::from_secs(start, end).unwrap(), speaker: speaker.into() }
    }

    #[test]
    fn labels_go_to_the_voices_they_share_most_time_with() {
        let turns = [turn(0.0, 4.0, Some("Ann")), turn(4.0, 8.0, Some("Bob")), turn(8.0, 9.0, None)];
        let voices = Annotation::new(vec![voice(0.0, 4.5, "S1"), voice(4.5, 8.0, "S0")]);
        let m = match_speakers(&turns, &voices, &[]);
        assert_eq!(m[0].diarized.as_deref(), Some("S1"));
        assert_eq!(m[1].diarized.as_deref(), Some("S0"));
        assert!((m[1].shared_secs - 3.5).abs() < 1e-9 && (m[1].share().unwrap() - 0.875).abs() < 1e-9);
        assert_eq!(dominant_speaker(&voices, turns[1].segment).unwrap().0, "S0");
    }

    #[test]
    fn a_label_without_a_voice_of_its_own_stays_unmatched() {
        let turns = [turn(0.0, 4.0, Some("Ann")), turn(4.0, 8.0, Some("Bob"))];
        let one = Annotation::new(vec![voice(0.0, 8.0, "S0")]);
        let m = match_speakers(&turns, &one, &[]);
        assert_eq!(m.iter().filter(|m| m.diarized.is_some()).count(), 1);
        assert!(
            match_speakers(&turns, &Annotation::default(), &[])
                .iter()
                .all(|m| m.diarized.is_none() && m.share().is_none())
        );
        assert!(match_speakers(&[], &one, &[]).is_empty());
    }

    #[test]
    fn turns_against_their_label_are_named() {
        let turns: Vec<Turn> = (1..=3).map(|i| Turn { index: i, ..turn(0.0, 1.0, Some("A")) }).collect();
        let contradicted = [true, false, false];
        let without = SpeakerMatch { label: "B".into(), diarized: None, shared_secs: 0.0, speech_secs: 1.0 };
        let told: Vec<String> =
            contradictions(&turns, &contradicted, &[without]).iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "speaker_match: another voice than the label's talks most in 1 of 3 turns: 1",
                "speaker_match: no voice of its own was found for: B"
            ]
        );
        assert!(contradictions(&turns[1..2], &contradicted[1..2], &[]).is_empty());
    }
}
