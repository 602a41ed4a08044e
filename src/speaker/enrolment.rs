//! Enrolment: voices known by name give the speakers of every interview the same names.

use std::collections::BTreeMap;

use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;
use serde::{Deserialize, Serialize};

use super::corrected::rename;
use super::embedding::{Embedding, cosine, feature_frame, mean, unit};
use super::{Diarization, SpeakerConfig, SpeakerModels, speech_segments};
use crate::error::{Error, Result};
use crate::signal::AudioBuffer;
use crate::text::steers;
use crate::time::Segment;

/// Enrolment parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EnrolmentConfig {
    /// Folder of recordings, each named after the one who speaks in it, or Parquet file with the columns name and
    /// embedding; empty = none.
    pub voices: String,
    /// A speaker has a known name when the cosine of the two voices is at least this.
    #[schemars(range(min = 0.0))]
    pub min_similarity: f64,
}

impl Default for EnrolmentConfig {
    fn default() -> Self {
        EnrolmentConfig { voices: String::new(), min_similarity: 0.6 }
    }
}

/// A voice with its name.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct KnownVoice {
    /// Without white space, and none that diarization gives itself.
    pub name: String,
    /// Unit length.
    #[serde(with = "crate::packed")]
    pub embedding: Vec<f32>,
}

impl KnownVoice {
    /// Checks the name, brings the embedding to unit length.
    ///
    /// # Errors
    /// [`Error::Usage`] for a name that RTTM cannot hold or that diarization uses, and for an embedding of another size
    /// or without length.
    pub fn new(name: &str, embedding: &[f32]) -> Result<Self> {
        let refuse = |what: String, hint: &str| Err(Error::Usage { what, hint: hint.into() });
        if name.is_empty() || name.contains(char::is_whitespace) {
            return refuse(
                format!("the enrolled name {name:?}"),
                "RTTM splits at white space: rename it, `_` instead of each space",
            );
        }
        if name.contains(steers) {
            return refuse(format!("the enrolled name {name:?}"), "it holds control characters: rename it");
        }
        if name.starts_with("SPEAKER_") {
            return refuse(
                format!("the enrolled name {name:?}"),
                "names that begin with SPEAKER_ are those of unknown voices",
            );
        }
        match unit(embedding.iter().map(|&v| f64::from(v))) {
            Some(embedding) if embedding.len() == super::EMBEDDING => {
                Ok(KnownVoice { name: name.to_owned(), embedding })
            }
            _ => refuse(
                format!("the voice of {name}: {} values that are no voice embedding", embedding.len()),
                "enrol at least a second of clear speech, or an embedding of the speakers table",
            ),
        }
    }
}

/// Voices under the same name become their mean; sorted by name.
pub fn merge_voices(mut voices: Vec<KnownVoice>) -> Vec<KnownVoice> {
    voices.sort_by(|a, b| a.name.cmp(&b.name));
    voices
        .chunk_by(|a, b| a.name == b.name)
        .filter_map(|same| {
            let equal: Vec<(&[f32], f64)> = same.iter().map(|v| (v.embedding.as_slice(), 1.0)).collect();
            Some(KnownVoice { name: same[0].name.clone(), embedding: mean(&equal)? })
        })
        .collect()
}

/// The voice of a recording in which one person speaks; `None` without speech.
///
/// # Errors
/// [`Error::Model`] when a model fails.
pub fn voice_of(audio: &AudioBuffer, models: &mut SpeakerModels, config: &SpeakerConfig) -> Result<Embedding> {
    let probability = models.vad.probabilities(audio)?;
    let speech = speech_segments(&probability, &config.vad, audio.duration().get());
    let frames = speech.iter().flat_map(|s| frames_of(*s)).collect();
    Ok(models.embedder.embed(audio, &[frames])?.pop().flatten())
}

/// Feature frames inside a segment.
pub(super) fn frames_of(segment: Segment) -> std::ops::Range<usize> {
    feature_frame(segment.start())..feature_frame(segment.end())
}

/// Gives known names to the speakers: the one-to-one assignment with the highest sum of cosines, none of them below
/// `min_similarity`.
pub fn name_speakers(found: &mut Diarization, known: &[KnownVoice], min_similarity: f64) {
    if known.is_empty() || found.voices.is_empty() {
        return;
    }
    let similarity = |row: usize, column: usize| match (&found.voices[row].embedding, known.get(column)) {
        (Some(e), Some(k)) => cosine(e, &k.embedding),
        _ => 0.0,
    };
    let width = known.len().max(found.voices.len());
    // Millionths: the assignment needs integers.
    let weights = Matrix::from_fn(found.voices.len(), width, |(row, column)| {
        let s = similarity(row, column);
        if s >= min_similarity { (s * 1e6) as i64 } else { 0 }
    });
    let (_, assigned) = kuhn_munkres(&weights);
    let named: BTreeMap<String, String> = assigned
        .iter()
        .enumerate()
        .filter(|(row, column)| weights[(*row, **column)] > 0)
        .map(|(row, column)| (found.voices[row].speaker.clone(), known[*column].name.clone()))
        .collect();
    rename(found, &named);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotation::{Annotation, SpeechTurn};
    use crate::speaker::{EMBEDDING, SpeakerVoice};

    fn embedding(x: f32, y: f32) -> Vec<f32> {
        let mut e = vec![0.0; EMBEDDING];
        (e[0], e[1]) = (x, y);
        e
    }

    #[test]
    fn speakers_get_the_names_of_the_voices_they_are_closest_to() {
        let turn =
            |a: f64, b: f64, s: &str| SpeechTurn { segment: Segment::from_secs(a, b).unwrap(), speaker: s.into() };
        let annotation = Annotation::new(vec![
            turn(0.0, 1.0, "SPEAKER_00"),
            turn(1.0, 2.0, "SPEAKER_01"),
            turn(2.0, 3.0, "SPEAKER_02"),
        ]);
        let voice = |s: &str, e| SpeakerVoice { speaker: s.into(), embedding: e, total_secs: 1.0 };
        let mut d = Diarization {
            exclusive: annotation.clone(),
            annotation,
            voices: vec![
                voice("SPEAKER_00", Some(embedding(0.8, 0.6))),
                voice("SPEAKER_01", Some(embedding(0.0, 1.0))),
                voice("SPEAKER_02", None),
            ],
            ..Diarization::default()
        };
        // Both are like Anna's voice (0.8 and 0.6 against 0.6 and 1): she is the second.
        let known = [
            KnownVoice::new("Ben", &embedding(2.0, 0.0)).unwrap(),
            KnownVoice::new("Anna", &embedding(0.0, 3.0)).unwrap(),
        ];
        name_speakers(&mut d, &known, 0.6);
        assert_eq!(
            d.annotation.turns().iter().map(|t| t.speaker.as_str()).collect::<Vec<_>>(),
            ["Ben", "Anna", "SPEAKER_02"]
        );
        assert_eq!(d.exclusive.speakers(), ["Anna", "Ben", "SPEAKER_02"]);
        assert_eq!(d.voices.iter().map(|v| v.speaker.as_str()).collect::<Vec<_>>(), ["Anna", "Ben", "SPEAKER_02"]);
    }

    #[test]
    fn names_that_cannot_be_written_are_refused_and_voices_of_one_name_are_one() {
        for name in ["", "Anna K", "SPEAKER_07"] {
            assert!(KnownVoice::new(name, &embedding(1.0, 0.0)).is_err(), "{name}");
        }
        assert!(KnownVoice::new("Anna", &[1.0]).is_err());
        assert!(KnownVoice::new("Anna", &embedding(0.0, 0.0)).is_err());
        let twice = [embedding(1.0, 0.0), embedding(0.0, 1.0)].map(|e| KnownVoice::new("Anna", &e).unwrap());
        let merged = merge_voices(twice.to_vec());
        assert!(merged.len() == 1 && (merged[0].embedding[0] - 0.5f32.sqrt()).abs() < 1e-6);
    }
}
