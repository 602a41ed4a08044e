//! Who spoke when: voice activity, local speakers in sliding windows, voice embeddings, clustering, speech turns.
//!
//! ```text
//! AudioBuffer ─ vad ─────────────── speech probability per 32 ms
//!             └ segmentation ────── up to 3 local speakers per 10 s window
//!               └ tracks ────────── one voice through neighbouring windows
//!                 └ embedding ───── one 192-d vector per stretch of solo speech
//!                   └ clustering ── how many speakers, and their voices
//!                     └ apart ────── voices that segmentation tells from a speaker's
//!                     └ resegmentation ── whose each track is, frame by frame
//!                       └ reconstruct ─── speech turns, overlap kept
//! ```

mod adoption;
mod apart;
mod by_track;
mod clustering;
mod corrected;
mod diarization;
mod embedding;
mod enrolment;
mod fbank;
mod labels;
mod overlooked;
mod points;
mod reconstruct;
mod recording;
mod resegmentation;
mod score;
mod seeds;
mod segmentation;
mod stretch;
mod tracks;
mod vad;
mod veto;
mod voices;

#[cfg(test)]
mod acceptance;
#[cfg(test)]
mod development;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod label_truth;

use serde::{Deserialize, Serialize};

pub use adoption::adopt;
pub use apart::ApartConfig;
pub use by_track::by_track;
pub use clustering::ClusteringConfig;
pub use corrected::{leave_out, rename};
pub use diarization::{LabelledTurns, Told, diarize, diarize_told};
pub use embedding::{EMBEDDING, Embedder, Embedding, cosine};
pub use enrolment::{EnrolmentConfig, KnownVoice, merge_voices, name_speakers, voice_of};
pub use labels::{LabelEvidenceConfig, LabelUse, LabelledTurn};
pub use reconstruct::SpeechTurnConfig;
pub use recording::Recording;
pub use resegmentation::ResegmentationConfig;
pub use score::{Score, ScoreOptions, score};
pub use segmentation::{SegmentationConfig, Segmenter};
pub use stretch::Stretch;
pub use vad::{CHUNKS as VAD_CHUNKS, Vad, VadConfig, segments as speech_segments};

use crate::annotation::Annotation;
use crate::error::{Error, Result};
use crate::inference::{Loader, ModelSet};
use crate::limits;
use crate::table::Missing;
use crate::time::Segment;
use crate::warning::Warning;

/// Sample rate every model of this room takes.
pub const RATE_HZ: u32 = 16_000;

/// All parameters of diarization that change results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SpeakerConfig {
    /// What a transcript's labels say of who speaks: `ignore`, `evidence` beside the sound (a label whose turns
    /// disagree counts for less) or `trust`.
    pub labels: LabelUse,
    /// Voice activity.
    pub vad: VadConfig,
    /// Sliding windows of local speakers.
    pub segmentation: SegmentationConfig,
    /// From stretches to speakers.
    pub clustering: ClusteringConfig,
    /// Speakers beside those, by what segmentation tells apart.
    pub apart: ApartConfig,
    /// Changes of speakers within a track.
    pub resegmentation: ResegmentationConfig,
    /// Speech turns.
    pub turns: SpeechTurnConfig,
    /// Voices known by name.
    pub enrolment: EnrolmentConfig,
    /// How a transcript's labels are weighed.
    pub label_evidence: LabelEvidenceConfig,
}

impl SpeakerConfig {
    /// Checks that the values mean something.
    ///
    /// # Errors
    /// [`Error::Recipe`] with the key that is wrong, its value and what is accepted.
    pub fn check(&self) -> Result<()> {
        limits::check(self, "speaker")
    }
}

/// How many speakers there are, as far as the user knows. No more than asked for are ever told; fewer, with a warning,
/// where nothing but time would part a voice in two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SpeakerBounds {
    /// Exactly this many; excludes the other two.
    pub exact: Option<u32>,
    /// At least this many.
    pub min: Option<u32>,
    /// At most this many.
    pub max: Option<u32>,
}

impl SpeakerBounds {
    /// Least and most speakers asked for, `(1, usize::MAX)` when nothing is asked.
    ///
    /// # Errors
    /// [`Error::Usage`] for zero speakers, `min > max`, or `exact` together with another bound.
    pub fn range(&self) -> Result<(usize, usize)> {
        let refuse = |what: String| {
            Err(Error::Usage {
                what,
                hint: "give either an exact number of speakers, or a least and a most one, from 1".into(),
            })
        };
        if self.exact.is_some() && (self.min.is_some() || self.max.is_some()) {
            return refuse("an exact number of speakers and a bound".into());
        }
        let low = self.exact.or(self.min).unwrap_or(1);
        let high = self.exact.or(self.max);
        if low == 0 || high == Some(0) {
            return refuse("0 speakers".into());
        }
        match high {
            Some(high) if high < low => refuse(format!("at least {low} but at most {high} speakers")),
            high => Ok((low as usize, high.map_or(usize::MAX, |h| h as usize))),
        }
    }
}

/// The loaded models; one set per worker.
#[derive(Debug)]
pub struct SpeakerModels {
    /// Voice activity.
    pub vad: Vad,
    /// Local speakers.
    pub segmenter: Segmenter,
    /// Voices.
    pub embedder: Embedder,
}

impl ModelSet for SpeakerModels {
    type Config = SpeakerConfig;

    /// None keeps an arena: the signal of a long recording fills the memory that arenas would.
    fn open(loader: &mut Loader<'_>, _: &SpeakerConfig) -> Result<Self> {
        Ok(SpeakerModels {
            vad: Vad::open(loader)?,
            segmenter: Segmenter::open(loader)?,
            embedder: Embedder::open(loader)?,
        })
    }
}

/// One speaker's voice.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SpeakerVoice {
    /// Label in the annotation, `SPEAKER_00` for the first heard.
    pub speaker: String,
    /// 192 values, unit length: the mean over the speaker's solo speech; `None` for one who never speaks alone long
    /// enough.
    #[serde(with = "crate::packed")]
    pub embedding: Embedding,
    /// Seconds spoken, overlap included.
    pub total_secs: f64,
}

/// Who spoke when.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Diarization {
    /// Speech turns, overlap kept; speakers `SPEAKER_00`, … in order of first appearance.
    pub annotation: Annotation,
    /// The same with one speaker at a time.
    pub exclusive: Annotation,
    /// Speech against silence, whoever speaks.
    pub speech: Vec<Segment>,
    /// One entry per speaker of `annotation`, in the order of the labels.
    pub voices: Vec<SpeakerVoice>,
    /// Speech probability of each 32 ms (512 samples) from the origin, 0 to 1.
    #[serde(with = "crate::packed")]
    pub vad_probability: Vec<f32>,
    /// Bounds that could not be met, audio too short to tell voices apart.
    pub warnings: Vec<Warning>,
    /// Why nobody speaks, when nobody does: [`Missing::Silent`] or [`Missing::NoSpeech`].
    pub reason: Option<Missing>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_that_contradict_themselves_are_refused() {
        let bounds = |exact, min, max| SpeakerBounds { exact, min, max }.range().ok();
        assert_eq!(bounds(None, None, None), Some((1, usize::MAX)));
        assert_eq!(bounds(Some(2), None, None), Some((2, 2)));
        assert_eq!(bounds(None, Some(2), Some(3)), Some((2, 3)));
        assert_eq!(bounds(None, None, Some(4)), Some((1, 4)));
        for wrong in [
            bounds(Some(0), None, None),
            bounds(None, None, Some(0)),
            bounds(None, Some(3), Some(2)),
            bounds(Some(2), Some(1), None),
        ] {
            assert_eq!(wrong, None);
        }
    }

    #[test]
    fn a_recipe_names_what_it_changes_and_nothing_else() {
        let config: SpeakerConfig = toml::from_str("[segmentation]\nstep_secs = 2.0").unwrap();
        assert!((config.segmentation.step_secs - 2.0).abs() < 1e-12);
        assert_eq!(config.clustering, ClusteringConfig::default());
        assert!(toml::from_str::<SpeakerConfig>("[clustering]\ntreshold = 1.0").is_err());
    }
}
