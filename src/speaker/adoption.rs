//! Adoption: speech turns made elsewhere in the place of our own, with the voices they name.

use super::embedding::feature_frame;
use super::enrolment::frames_of;
use super::{Diarization, SpeakerModels, SpeakerVoice, Stretch, reconstruct};
use crate::annotation::{Annotation, union_secs};
use crate::error::Result;
use crate::signal::Sound;
use crate::table::Missing;

/// Takes `annotation` as who spoke when in `audio`; voices are embedded where they speak alone.
///
/// # Errors
/// [`crate::error::Error::Model`] when a model fails.
pub fn adopt(annotation: Annotation, audio: &impl Sound, models: &mut SpeakerModels) -> Result<Diarization> {
    let mut speaking = vec![0u8; feature_frame(audio.duration()) + 1];
    let names = annotation.speakers();
    let own =
        |name: &str| annotation.turns().iter().filter(|t| t.speaker == name).map(|t| t.segment).collect::<Vec<_>>();
    let frames: Vec<Vec<usize>> = names
        .iter()
        .map(|name| {
            let mut frames: Vec<usize> =
                own(name).into_iter().flat_map(frames_of).filter(|f| *f < speaking.len()).collect();
            frames.sort_unstable();
            frames.dedup();
            frames
        })
        .collect();
    frames.iter().flatten().for_each(|&f| speaking[f] = speaking[f].saturating_add(1));
    let alone: Vec<Stretch> =
        frames.into_iter().map(|own| own.into_iter().filter(|f| speaking[*f] == 1).collect()).collect();
    let embeddings = models.embedder.embed(audio, &alone)?;
    let voices = names
        .iter()
        .zip(embeddings)
        .map(|(name, embedding)| SpeakerVoice {
            speaker: (*name).to_owned(),
            embedding,
            total_secs: union_secs(own(name)),
        })
        .collect();
    let speech = annotation.turns().iter().map(|t| t.segment).collect();
    let reason = annotation.turns().is_empty().then_some(Missing::NoSpeech);
    let exclusive = reconstruct::exclusive(&annotation);
    let vad_probability = models.vad.probabilities(audio)?;
    Ok(Diarization { annotation, exclusive, speech, voices, vad_probability, warnings: Vec::new(), reason })
}
