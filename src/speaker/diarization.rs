//! Diarization: the stages of this room in order, from a signal to speech turns.

use super::apart;
use super::embedding::Embedding;
use super::labels::level::Level;
use super::labels::weigh::{Frames, weigh};
use super::labels::{Claims, LabelledTurn};
use super::overlooked;
use super::reconstruct;
use super::seeds::{heard, seeds};
use super::segmentation::{FRAMES, SegmentationConfig};
use super::tracks::{Stitcher, VoiceTracks};
use super::veto::Veto;
use super::voices::{Labels, Voices};
use super::{Diarization, KnownVoice, RATE_HZ, Recording, SpeakerBounds, SpeakerConfig, SpeakerModels, SpeakerVoice};
use crate::annotation::{Annotation, SpeechTurn};
use crate::error::{Error, Result};
use crate::signal::{SILENT_PEAK, Sound};
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
    diarize_told(audio, models, config, &Told { bounds: *bounds, ..Told::default() })
}

/// Gives a transcript's labelled turns for the speech probability of each 32 ms.
pub type LabelledTurns<'a> = &'a dyn Fn(&[f32]) -> Vec<LabelledTurn>;

/// What is known of the speakers of a recording beforehand.
#[derive(Clone, Copy, Default)]
pub struct Told<'a> {
    /// How many there are.
    pub bounds: SpeakerBounds,
    /// Voices known by name; those that are heard are speakers.
    pub voices: &'a [KnownVoice],
    /// The transcript's labelled turns, asked for with the speech probability of each 32 ms, so that they can be set
    /// against it; taken as [`SpeakerConfig::labels`] says.
    pub turns: Option<LabelledTurns<'a>>,
}

/// The same, by what is known of the speakers beside the sound.
///
/// # Errors
/// As [`diarize`].
pub fn diarize_told(
    audio: &impl Sound,
    models: &mut SpeakerModels,
    config: &SpeakerConfig,
    told: &Told<'_>,
) -> Result<Diarization> {
    if audio.rate_hz() != RATE_HZ {
        let (expected, got) = (format!("{RATE_HZ} Hz"), format!("{} Hz", audio.rate_hz()));
        return Err(Error::Shape { what: "sample rate for diarization", expected, got });
    }
    // Before hours of listening.
    told.bounds.range()?;
    Recording::hear(audio, models, config)?.diarization(audio, config, told)
}

/// What the models say of a recording, before it is decided who its speakers are.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct RecordingHeard {
    tracks: VoiceTracks,
    voices: Voices,
    speech: Vec<Segment>,
    #[serde(with = "crate::packed")]
    vad_probability: Vec<f32>,
}

impl RecordingHeard {
    /// Asks the models; voice activity's probability and segments are known.
    pub(super) fn new(
        audio: &impl Sound,
        models: &mut SpeakerModels,
        config: &SpeakerConfig,
        (vad_probability, speech): (Vec<f32>, Vec<Segment>),
    ) -> Result<Self> {
        let frames = audio.count().div_ceil(FRAMES.hop());
        let tracks = local_tracks(audio, models, frames, &config.segmentation)?;
        let voices = Voices::hear(audio, models, &tracks, &vad_probability, config)?;
        Ok(RecordingHeard { tracks, voices, speech, vad_probability })
    }

    /// Decides who the speakers are, and who of them speaks when.
    pub(super) fn diarization(
        &self,
        audio: &impl Sound,
        config: &SpeakerConfig,
        told: &Told<'_>,
    ) -> Result<Diarization> {
        let RecordingHeard { tracks, voices, speech, vad_probability } = self;
        let (least, most) = told.bounds.range()?;
        let mut found = voices.speakers(config, least, most);
        apart::add(&mut found.centroids, (voices, tracks), config, (least, most))?;
        let turns = told.turns.map_or_else(Vec::new, |turns| turns(vad_probability));
        let hop_secs = config.resegmentation.hop_secs;
        // Without labels, hours of embeddings are not needed at once.
        let points: Vec<_> = if turns.is_empty() { Vec::new() } else { voices.points.all().collect::<Result<_>>()? };
        let mut claims = Claims::new(&turns, &heard(&points), hop_secs, config.labels, &config.label_evidence);
        drop(points);
        let centroids = seeds(found, claims.as_mut(), (voices, told.voices), config, (least, most));
        let labels = voices.label(tracks, centroids, claims.as_ref(), config, most)?;
        let veto = Veto::new(audio, speech, vad_probability, config)?;
        let mut turns = veto.keep(turns_of_speakers(&labels, tracks, audio.duration(), config))?;
        if let Some(claims) = &claims {
            let mut active: Vec<Vec<bool>> =
                turns.iter().map(|t| reconstruct::frames_in(t, tracks.speaker_count.len())).collect();
            let (activity, count) = (labels.activity(tracks), &tracks.speaker_count);
            let level = Level::new(audio, count.len())?;
            weigh(&mut active, Frames { activity, count, vad: vad_probability, level }, claims, &config.label_evidence);
            turns = active.iter().map(|row| reconstruct::segments(row, &config.turns, audio.duration())).collect();
        }
        reconstruct::bridge_backchannels(&mut turns, &config.turns);
        let with_turns = labels.embeddings.into_iter().zip(turns).filter(|(_, segments)| !segments.is_empty());
        let (speakers, warnings) = in_order_of_appearance(with_turns.collect(), speech, least);

        let annotation = annotate(&speakers);
        let exclusive = reconstruct::exclusive(&annotation);
        let voices = speakers.into_iter().enumerate().map(|(i, speaker)| voice(i, speaker)).collect();
        let (speech, vad_probability) = (speech.clone(), vad_probability.clone());
        Ok(Diarization { annotation, exclusive, speech, voices, vad_probability, warnings, reason: None })
    }
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

/// Each speaker's turns, as many speakers at a time as segmentation hears; `duration` is the recording's.
fn turns_of_speakers(
    labels: &Labels<'_>,
    tracks: &VoiceTracks,
    duration: Seconds,
    config: &SpeakerConfig,
) -> Vec<Vec<Segment>> {
    let activity = labels.activity(tracks);
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

/// True where nothing of it reaches [`SILENT_PEAK`].
pub(super) fn is_silent(audio: &impl Sound) -> Result<bool> {
    for start in (0..audio.count()).step_by(LEVEL_PIECE) {
        if audio.piece(start..start + LEVEL_PIECE)?.iter().any(|s| s.abs() >= SILENT_PEAK) {
            return Ok(false);
        }
    }
    Ok(true)
}
