//! Listening: the sound of one interview, how it is spoken, and who speaks when.

use std::path::Path;
use std::time::Instant;

use sha2::{Digest, Sha256};

use super::stages::{Stage, Stages};
use super::transcript::place_on_sound;
use super::{Inputs, Progress, Request, Step, Timings, Work, known_voices, told};
use crate::annotation::{Annotation, Turn};
use crate::audio::egemaps::{Extractor, LldSeries};
use crate::audio::{self, Acoustics, Laugh, VoiceModels};
use crate::error::{Error, Result};
use crate::media::{self, AudioReport, SpooledAudio, StreamPick};
use crate::recipe::Recipe;
use crate::signal::Sound;
use crate::speaker::{self, Diarization, LabelledTurn, Recording, SpeakerBounds, SpeakerModels, Told, VAD_CHUNKS};
use crate::store::rttm::{of_recording, read_rttm_counting, uri_for};
use crate::transcript;
use crate::turns;
use crate::warning::Warning;

/// What was heard.
#[derive(Default)]
pub(crate) struct Heard {
    pub(crate) audio: SpooledAudio,
    pub(crate) report: Option<AudioReport>,
    pub(crate) acoustics: Acoustics,
    pub(crate) lld: LldSeries,
    /// What sounds like laughter, where that was asked.
    pub(crate) laughs: Vec<Laugh>,
    pub(crate) diarization: Diarization,
}

/// Decodes the sound and finds out who speaks when, and how. `turns` are those of the transcript in which somebody
/// speaks.
pub(super) fn hear(
    work: Work<'_>,
    turns: Option<&[Turn]>,
    voice: &mut VoiceModels,
    speaker: &mut SpeakerModels,
    (stages, inputs): (&Stages<'_>, &Inputs),
) -> Result<(Heard, Timings)> {
    let Work { request, recipe, warnings, progress } = work;
    let nothing = || (Heard::default(), Timings::default());
    let Some(path) = request.audio.as_ref().or(request.media.as_ref()) else { return Ok(nothing()) };
    // The stream indices of the recipe are those of the media; a separate audio file has its own.
    let index = recipe.input.audio_stream.index().filter(|_| request.audio.is_none());
    let pick = StreamPick { audio: index, mix: recipe.input.mix(), ..StreamPick::default() };
    progress(Progress::Step(Step::ReadSound));
    let step = Instant::now();
    let decoded = match media::audio_spooled(path, audio::SAMPLE_RATE_HZ, pick) {
        Ok(decoded) => decoded,
        Err(Error::NoStream { undecodable, .. }) if request.audio.is_none() => {
            warnings.push(Warning::NoStream { stream: "audio", undecodable });
            return Ok(nothing());
        }
        Err(e) => return Err(e),
    };
    let audio_decode_secs = step.elapsed().as_secs_f64();
    decoded.warnings.into_iter().for_each(|w| warnings.push(w));
    let buffer = decoded.buffer;
    // What the models hear is known by the sound itself, whatever it was decoded from.
    let sound = if stages.are_kept() { Some(sound_hash(&buffer)?) } else { None };
    let of_sound = OfSound { path, audio: &buffer, hash: sound.as_deref(), stages, inputs };

    progress(Progress::Step(Step::Listen));
    let ((described, voice_secs), (diarization, speaker_secs)) = rayon::join(
        || {
            let step = Instant::now();
            let on = sound.as_ref().map(|sound| (sound, &recipe.voice));
            let described = stages.result(Stage::Voice, on.as_ref(), || {
                let acoustics = audio::acoustics(&buffer, voice, &recipe.voice)?;
                let laughs = audio::laughs(&buffer, &recipe.voice.laughter)?;
                Ok((acoustics, Extractor::new().lld_series(&buffer)?, laughs))
            });
            progress(Progress::Step(Step::VoiceDone));
            (described, step.elapsed().as_secs_f64())
        },
        || {
            let step = Instant::now();
            let diarization = who_spoke(request, turns, of_sound, speaker, recipe);
            progress(Progress::Step(Step::SpeakersDone));
            (diarization, step.elapsed().as_secs_f64())
        },
    );
    let mut diarization = diarization?;
    diarization.warnings.drain(..).for_each(|w| warnings.push(w));
    let (acoustics, lld, laughs) = described?;
    let heard = Heard { acoustics, lld, laughs, diarization, audio: buffer, report: Some(decoded.report) };
    Ok((heard, Timings { audio_decode_secs, voice_secs, speaker_secs, ..Timings::default() }))
}

/// Two answers to how many speakers there are.
pub fn bounds_and_tracks() -> Error {
    let hint = "leave out the number, or set input.track_speakers=false".to_owned();
    Error::Usage { what: "a number of speakers, and tracks that are one speaker each".into(), hint }
}

/// The turns of a transcript that name a speaker, where they can be heard: moved to `speech` (its probability a chunk
/// of the voice activity) where that is asked for. None where the times are measured to be another recording's or
/// wrong, and are to be left so: what is heard in them is not theirs.
pub fn labelled_turns(turns: &[Turn], speech: &[f32], recipe: &Recipe) -> Vec<LabelledTurn> {
    let mut turns = turns.to_vec();
    let offset = turns::transcript_offset(&turns, speech, VAD_CHUNKS.hop_secs(), &recipe.turns);
    if let Some(offset) = offset.ok().filter(|o| o.is_telling) {
        if recipe.input.apply_transcript_offset {
            // What comes to lie before the origin is told where the turns of the tables are moved.
            let _ = place_on_sound(&mut turns, &offset);
        } else if offset.offset_secs.abs() > recipe.speaker.label_evidence.edge_secs {
            return Vec::new();
        }
    }
    let labelled = turns.into_iter().filter_map(|t| Some(LabelledTurn { segment: t.segment, label: t.speaker? }));
    labelled.collect()
}

/// A sound, the file it was decoded from, and where what is heard in it is kept.
#[derive(Clone, Copy)]
struct OfSound<'a> {
    path: &'a Path,
    audio: &'a SpooledAudio,
    /// Of its samples; `None` where nothing is kept.
    hash: Option<&'a str>,
    stages: &'a Stages<'a>,
    inputs: &'a Inputs,
}

/// Samples summed at once.
const HASHED: usize = 1 << 16;

/// sha256 of rate and samples.
fn sound_hash(audio: &impl Sound) -> Result<String> {
    let mut sum = Sha256::new_with_prefix(audio.rate_hz().to_le_bytes());
    let mut bytes = Vec::new();
    for first in (0..audio.count()).step_by(HASHED) {
        bytes.clear();
        bytes.extend(audio.piece(first..first + HASHED)?.iter().flat_map(|s| s.to_bits().to_le_bytes()));
        sum.update(&bytes);
    }
    Ok(sum.finalize().iter().map(|b| format!("{b:02x}")).collect())
}

/// Diarization, or the RTTM that replaces it.
fn who_spoke(
    request: &Request,
    said: Option<&[Turn]>,
    sound: OfSound<'_>,
    models: &mut SpeakerModels,
    recipe: &Recipe,
) -> Result<Diarization> {
    let OfSound { path, audio, hash, stages, inputs } = sound;
    // Known voices count by what they are, not by where they lie.
    let hearing = recipe.of_hearing();
    let mut by_contents = hearing.clone();
    by_contents.enrolment.voices.clear();
    match &request.rttm {
        None if recipe.input.track_speakers => {
            if request.bounds != SpeakerBounds::default() {
                return Err(bounds_and_tracks());
            }
            let file = if request.audio.is_some() { "audio" } else { "media" };
            let on = hash.zip(inputs.sha256(file)).map(|(sound, file)| ("by_track", sound, file, &by_contents));
            stages.result(Stage::Speakers, on.as_ref(), || {
                let tracks = media::speaker_tracks(path, audio::SAMPLE_RATE_HZ)?;
                let annotation = speaker::by_track(&tracks, &mut models.vad, &hearing.vad)?;
                speaker::adopt(annotation, audio, models)
            })
        }
        None => {
            request.bounds.range()?;
            let on = hash.map(|sound| ("by_voice", sound, &by_contents, inputs.contents("voices")));
            let (known, recording) = stages.result(Stage::Speakers, on.as_ref(), || {
                Ok((known_voices(&hearing, models)?, Recording::hear(audio, models, &hearing)?))
            })?;
            let turns = |speech: &[f32]| said.map_or_else(Vec::new, |said| labelled_turns(said, speech, recipe));
            let told = Told { bounds: request.bounds, voices: &known, turns: Some(&turns) };
            let mut diarization = recording.diarization(audio, &recipe.speaker, &told)?;
            speaker::name_speakers(&mut diarization, &known, recipe.speaker.enrolment.min_similarity);
            Ok(diarization)
        }
        Some(path) => adopt_rttm(request, path, sound, models),
    }
}

/// The speech turns of an RTTM file, with what the sound says of their voices.
fn adopt_rttm(request: &Request, path: &Path, sound: OfSound<'_>, models: &mut SpeakerModels) -> Result<Diarization> {
    let wanted = uri_for(&request.interview_id);
    let (recordings, changed) = match transcript::speech_of_tiers(path)? {
        Some(speech) => (vec![(wanted.clone(), speech)], 0),
        None => read_rttm_counting(path)?,
    };
    let annotation = match (of_recording(&recordings, &wanted), recordings.len()) {
        (Some((_, annotation)), _) => annotation.clone(),
        // What `diarize` writes where nobody speaks.
        (None, 0) => Annotation::default(),
        (None, n) => {
            return Err(Error::parse(
                path,
                0,
                format!("{n} recordings, none called {wanted}"),
                "name the interview's own in the second field",
            ));
        }
    };
    let empty = annotation.turns().is_empty();
    let others = recordings.iter().map(|(_, a)| a.turns().len()).sum::<usize>() - annotation.turns().len();
    let on = sound.hash.map(|hash| ("adopted", hash, annotation.clone()));
    let mut adopted =
        sound.stages.result(Stage::Speakers, on.as_ref(), || speaker::adopt(annotation, sound.audio, models))?;
    if recordings.len() > 1 {
        adopted.warnings.push(Warning::OtherRecordings { recordings: recordings.len(), lines: others });
    }
    if changed > 0 {
        adopted.warnings.push(Warning::ControlCharacters { count: changed, what: "lines of the RTTM file" });
    }
    if empty {
        adopted.warnings.push(Warning::RttmEmpty { file: told::file_name(path) });
    }
    Ok(adopted)
}
