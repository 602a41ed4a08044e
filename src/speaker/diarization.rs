//! Diarization: the stages of this room in order, from a signal to speech turns.

use super::embedding::Embedding;
use super::overlooked;
use super::reconstruct;
use super::segmentation::{FRAMES, SegmentationConfig};
use super::tracks::{Stitcher, VoiceTracks};
use super::vad;
use super::veto::Veto;
use super::voices::{Labels, Voices};
use super::{Diarization, RATE_HZ, SpeakerBounds, SpeakerConfig, SpeakerModels, SpeakerVoice};
use crate::annotation::{Annotation, SpeechTurn};
use crate::error::{Error, Result};
use crate::signal::{SILENT_PEAK, Sound};
use crate::table::Missing;
use crate::time::{Seconds, Segment};
use crate::warning::Warning;

/// Samples looked at together where only their level counts.
pub(super) const LEVEL_PIECE: usize = 1 << 16;

/// A speaker's embedding and turns, before the speaker has a label.
type Speaker = (Embedding, Vec<Segment>);

/// Finds who spoke when in `audio` (mono, 16 kHz). Silence, noise and clips of any length give a defined result.
///
/// # Errors [`Error::Shape`] for another sample rate, [`Error::Usage`] for contradictory bounds, [`Error::Model`] when
/// a model fails, and what [`Sound::piece`] says.
pub fn diarize(
    audio: &impl Sound,
    models: &mut SpeakerModels,
    config: &SpeakerConfig,
    bounds: &SpeakerBounds,
) -> Result<Diarization> {
    if audio.rate_hz() != RATE_HZ {
        let (expected, got) = (format!("{RATE_HZ} Hz"), format!("{} Hz", audio.rate_hz()));
        return Err(Error::Shape { what: "sample rate for diarization", expected, got });
    }
    config.check()?;
    let (least, most) = bounds.range()?;
    let vad_probability = models.vad.probabilities(audio)?;
    let speech = vad::segments(&vad_probability, &config.vad, audio.duration().get());
    if speech.is_empty() {
        let reason = if is_silent(audio)? { Missing::Silent } else { Missing::NoSpeech };
        return Ok(Diarization { vad_probability, reason: Some(reason), ..Diarization::default() });
    }

    let frames = audio.count().div_ceil(FRAMES.hop());
    let tracks = local_tracks(audio, models, frames, &config.segmentation)?;
    let voices = Voices::hear(audio, models, &tracks, &vad_probability, config)?;
    let labels = label_within_bounds(&voices, &tracks, config, (least, most));
    let veto = Veto::new(audio, &speech, &vad_probability, config)?;
    let mut turns = veto.keep(turns_of_speakers(&labels, &tracks, (frames, audio.duration()), config))?;
    reconstruct::bridge_backchannels(&mut turns, &config.turns);
    let with_turns = labels.embeddings.into_iter().zip(turns).filter(|(_, segments)| !segments.is_empty());
    let (speakers, warnings) = in_order_of_appearance(with_turns.collect(), &speech, least);

    let annotation = annotate(&speakers);
    let exclusive = reconstruct::exclusive(&annotation);
    let voices = speakers.into_iter().enumerate().map(|(i, speaker)| voice(i, speaker)).collect();
    Ok(Diarization { annotation, exclusive, speech, voices, vad_probability, warnings, reason: None })
}

/// Local speakers of all windows, joined to tracks.
fn local_tracks(
    audio: &impl Sound,
    models: &mut SpeakerModels,
    frames: usize,
    config: &SegmentationConfig,
) -> Result<VoiceTracks> {
    let mut stitcher = Stitcher::new(frames, config);
    models.segmenter.windows(audio, config.step_frames(), |window| stitcher.push(window))?;
    Ok(stitcher.finish())
}

/// Whose each track is, by as many speakers as the bounds `(least, most)` allow.
fn label_within_bounds<'a>(
    voices: &Voices,
    tracks: &'a VoiceTracks,
    config: &SpeakerConfig,
    (least, most): (usize, usize),
) -> Labels<'a> {
    let speakers = voices.speakers(config, least, most);
    let labels = voices.label(tracks, speakers.centroids.clone(), config, most);
    if labels.used() >= least {
        return labels;
    }
    // Change costs must not swallow a speaker who was asked for.
    let mut free = config.clone();
    (free.resegmentation.change_cost, free.resegmentation.rounds) = (0.0, 1);
    voices.label(tracks, speakers.centroids, &free, most)
}

/// Each speaker's turns, as many speakers at a time as segmentation hears; `(frames, duration)` is the recording's
/// length.
fn turns_of_speakers(
    labels: &Labels<'_>,
    tracks: &VoiceTracks,
    (frames, duration): (usize, Seconds),
    config: &SpeakerConfig,
) -> Vec<Vec<Segment>> {
    let activity = reconstruct::speaker_activity(&labels.tracks, labels.embeddings.len(), frames);
    let mut active = reconstruct::most_active(&activity, &tracks.speaker_count);
    overlooked::add(&mut active, &activity, &config.turns);
    // Two matrices of a long recording at a time are enough.
    drop(activity);
    active.iter().map(|row| reconstruct::segments(row, &config.turns, duration)).collect()
}

/// The speakers by their first turn, and what there is to tell of their number. Where nobody was told apart, all
/// `speech` is one's.
fn in_order_of_appearance(
    mut speakers: Vec<Speaker>,
    speech: &[Segment],
    least: usize,
) -> (Vec<Speaker>, Vec<Warning>) {
    let mut warnings = Vec::new();
    if speakers.is_empty() {
        // Voice activity hears what segmentation does not: words too short or too few to tell voices apart.
        warnings.push(Warning::SpeechUnsegmented);
        speakers.push((None, speech.to_vec()));
    }
    speakers.sort_by_key(|(_, segments)| segments.first().map(|s| s.start()));
    if speakers.len() < least {
        warnings.push(Warning::TooFewSpeakers { found: speakers.len(), least });
    }
    (speakers, warnings)
}

fn label(speaker: usize) -> String {
    format!("SPEAKER_{speaker:02}")
}

fn voice(speaker: usize, (embedding, segments): Speaker) -> SpeakerVoice {
    SpeakerVoice { speaker: label(speaker), embedding, total_secs: segments.iter().map(|s| s.duration()).sum() }
}

fn annotate(speakers: &[Speaker]) -> Annotation {
    let turn = |speaker: usize, segment: Segment| SpeechTurn { segment, speaker: label(speaker) };
    Annotation::new(
        speakers.iter().enumerate().flat_map(|(i, (_, segments))| segments.iter().map(move |&s| turn(i, s))).collect(),
    )
}

fn is_silent(audio: &impl Sound) -> Result<bool> {
    for start in (0..audio.count()).step_by(LEVEL_PIECE) {
        if audio.piece(start..start + LEVEL_PIECE)?.iter().any(|s| s.abs() >= SILENT_PEAK) {
            return Ok(false);
        }
    }
    Ok(true)
}
