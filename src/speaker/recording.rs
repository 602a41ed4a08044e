//! What the models say of a recording, apart from what is decided with it: the part of diarization that costs, and that
//! no transcript and no number of speakers changes.

use super::diarization::{RecordingHeard, Told, is_silent};
use super::labels::{LabelEvidenceConfig, LabelUse};
use super::{Diarization, SpeakerConfig, SpeakerModels, SpeechTurnConfig, vad};
use crate::error::Result;
use crate::signal::Sound;
use crate::table::Missing;

/// A recording as the models hear it.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Recording(Said);

#[derive(serde::Serialize, serde::Deserialize)]
enum Said {
    Nothing {
        #[serde(with = "crate::packed")]
        vad_probability: Vec<f32>,
        reason: Missing,
    },
    Speech(Box<RecordingHeard>),
}

impl Recording {
    /// Asks the models about `audio` (mono, 16 kHz). Only [`SpeakerConfig::of_hearing`] is read.
    ///
    /// # Errors
    /// As [`super::diarize`], bounds apart.
    pub fn hear(audio: &impl Sound, models: &mut SpeakerModels, config: &SpeakerConfig) -> Result<Self> {
        config.check()?;
        let config = &config.of_hearing();
        let vad_probability = models.vad.probabilities(audio)?;
        let speech = vad::segments(&vad_probability, &config.vad, audio.duration().get());
        if speech.is_empty() {
            let reason = if is_silent(audio)? { Missing::Silent } else { Missing::NoSpeech };
            return Ok(Recording(Said::Nothing { vad_probability, reason }));
        }
        let heard = RecordingHeard::new(audio, models, config, (vad_probability, speech))?;
        Ok(Recording(Said::Speech(Box::new(heard))))
    }

    /// Who spoke when, by what is known of the speakers; no model is asked. `audio` is what was heard.
    ///
    /// # Errors
    /// [`crate::error::Error::Usage`] for contradictory bounds, and what [`Sound::piece`] says.
    pub fn diarization(&self, audio: &impl Sound, config: &SpeakerConfig, told: &Told<'_>) -> Result<Diarization> {
        match &self.0 {
            Said::Speech(heard) => heard.diarization(audio, config, told),
            Said::Nothing { vad_probability, reason } => {
                told.bounds.range()?;
                let vad_probability = vad_probability.clone();
                Ok(Diarization { vad_probability, reason: Some(*reason), ..Diarization::default() })
            }
        }
    }
}

impl SpeakerConfig {
    /// The same with the defaults for what is read only once all is heard: how labels are used and weighed, and how
    /// speech turns are made. A key that is added counts for hearing until it is named here.
    #[must_use]
    pub fn of_hearing(&self) -> Self {
        SpeakerConfig {
            labels: LabelUse::default(),
            label_evidence: LabelEvidenceConfig::default(),
            turns: SpeechTurnConfig::default(),
            ..self.clone()
        }
    }
}
