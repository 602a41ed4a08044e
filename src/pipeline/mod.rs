//! Composition: one interview from file to tables, as one readable function.
//!
//! ```text
//! transcript::read ─────────────────────────────┐
//! media::audio ─┬─ audio::acoustics ────────────┤
//!               └─ speaker::diarize ────────────┼─ turns::… ─ tables ─ write
//! media::video ─── face::FaceTracker ───────────┘
//! ```

#[cfg(test)]
mod cast_truth;
mod done;
mod enrolment;
mod fingerprint;
#[cfg(test)]
mod growth;
mod inputs;
mod interview;
#[cfg(test)]
mod relation_truth;
mod tables;
mod told;
mod write;

pub use done::{has_record, is_done};
pub use enrolment::known_voices;
pub use inputs::Inputs;
pub use interview::interviews_schema;
pub use tables::schemas;
pub use write::{file_metadata, write, write_failure};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::annotation::{Annotation, Turn};
use crate::audio::egemaps::{Extractor, Lld};
use crate::audio::{self, Acoustics, VoiceModels};
use crate::error::{Error, Result};
use crate::face::{self, FaceModels, FaceTracker, Faces};
use crate::inference::{Registry, Runtime, Usage};
use crate::media::{self, AudioReport, Sampling, StreamPick, VideoReport};
use crate::recipe::Recipe;
use crate::signal::AudioBuffer;
use crate::speaker::{self, Diarization, SpeakerBounds, SpeakerModels};
use crate::table::{ColumnData, Table};
use crate::time::{Seconds, Segment};
use crate::transcript::{self, ReadOptions, Transcript};
use crate::warning::{Warning, Warnings};

/// What is asked for: one interview.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Request {
    /// Key of the tables; may hold slashes.
    pub interview_id: String,
    /// As written in the manifest, else the file's name, for the tables: no absolute path. Empty where there is no
    /// media.
    pub media_name: String,
    /// Video or audio file; `None` = transcript only.
    pub media: Option<PathBuf>,
    /// A separate audio file to listen to instead of the media's own sound.
    pub audio: Option<PathBuf>,
    /// Transcript, in any known format.
    pub transcript: Option<PathBuf>,
    /// Which sample of a file with many (RESCUE-bench JSONL).
    pub sample_id: Option<String>,
    /// Speech turns to use instead of diarization (RTTM).
    pub rttm: Option<PathBuf>,
    /// Couple or family, for grouped evaluation.
    pub group: Option<String>,
    /// How many speakers there are.
    pub bounds: SpeakerBounds,
    /// What the manifest's paths are relative to; empty where there is no manifest. Tables name files as the manifest
    /// does.
    #[serde(default)]
    pub folder: PathBuf,
}

impl Request {
    /// The files it names, each with its column in a manifest.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        let named = [("media", &self.media), ("audio", &self.audio), ("transcript", &self.transcript), ("rttm", &self.rttm)];
        named.into_iter().filter_map(|(column, path)| Some((column, path.as_ref()?)))
    }

    /// A media file on its own: the id is the file's stem.
    ///
    /// # Errors
    /// [`Error::Usage`] when the path has no file name.
    pub fn of_file(media: &Path) -> Result<Self> {
        let stem = media.file_stem().map(|s| s.to_string_lossy().into_owned()).ok_or_else(|| Error::Usage {
            what: format!("{} names no file", media.display()),
            hint: "give a media file or a corpus manifest".into(),
        })?;
        let media_name = told::file_name(media);
        Ok(Request { interview_id: stem, media_name, media: Some(media.to_owned()), ..Request::default() })
    }
}

/// The loaded models of one worker.
#[derive(Debug)]
pub struct Models {
    voice: VoiceModels,
    speaker: SpeakerModels,
    face: Option<FaceModels>,
}

impl Models {
    /// Registry names of the models that the recipe needs.
    pub fn names(recipe: &Recipe) -> Vec<&str> {
        let mut names: Vec<&str> = audio::MODELS.iter().chain(speaker::MODELS).copied().collect();
        if !recipe.input.skip_video {
            names.extend(face::models(&recipe.face));
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Loads them.
    ///
    /// # Errors
    /// Those of [`crate::inference::Session::load`].
    pub fn load(registry: &Registry, recipe: &Recipe, runtime: Runtime) -> Result<Self> {
        Ok(Models {
            voice: VoiceModels::load(registry, runtime)?,
            speaker: SpeakerModels::load(registry, runtime)?,
            face: if recipe.input.skip_video { None } else { Some(FaceModels::load(registry, &recipe.face, runtime)?) },
        })
    }

    /// The calls of each model since the last time this was asked; models that were not called are left out.
    pub fn take_usage(&mut self) -> BTreeMap<String, Usage> {
        let face = self.face.iter_mut().flat_map(FaceModels::sessions);
        let sessions = self.voice.sessions().into_iter().chain(self.speaker.sessions()).chain(face);
        sessions.map(|s| (s.name().to_owned(), s.take_usage())).filter(|(_, u)| u.calls > 0).collect()
    }
}

/// How far an interview is, for people and for the watch that ends a hung decoder.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Progress {
    /// A step begins, or has moved on.
    Step(Step),
    /// The picture is looked at, frame by frame.
    Watching {
        /// Seconds of video looked at.
        video_secs: f64,
        /// Declared length in seconds, 0 where unknown.
        total_secs: f64,
    },
}

/// A step of an interview. Listening and watching go on at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Step {
    /// The sound is decoded.
    ReadSound,
    /// The sound is analysed: voice and speakers.
    Listen,
    /// The voice is described; who speaks when may still be worked on.
    VoiceDone,
    /// Who speaks when is known; the voice may still be worked on.
    SpeakersDone,
    /// Turns are described and the tables made.
    Describe,
}

impl Step {
    /// What is going on now, for people.
    pub fn words(self) -> &'static str {
        match self {
            Step::ReadSound => "reading the sound",
            Step::Listen => "listening",
            Step::VoiceDone => "voice described",
            Step::SpeakersDone => "speakers found",
            Step::Describe => "describing the turns",
        }
    }
}

/// Time spent, outside the data: the same input gives the same bytes.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Timings {
    /// Reading and decoding the audio.
    pub audio_decode_secs: f64,
    /// Level, pitch and descriptors.
    pub voice_secs: f64,
    /// Who spoke when.
    pub speaker_secs: f64,
    /// Decoding the video and everything about faces.
    pub watch_secs: f64,
    /// Turns and tables.
    pub tables_secs: f64,
    /// All, wall clock.
    pub total_secs: f64,
    /// What each model was asked, and the processor time inside the runtime.
    pub models: BTreeMap<String, Usage>,
}

/// One interview, extracted.
#[derive(Debug)]
pub struct Interview {
    /// The request it answers.
    pub request: Request,
    /// The files it was made from.
    pub inputs: Inputs,
    /// Everything but the `interviews` row.
    pub tables: Vec<Table>,
    /// The one row of `interviews`.
    pub row: Table,
    /// Speech turns, for RTTM.
    pub annotation: Annotation,
    /// Time spent.
    pub timings: Timings,
}

impl Interview {
    /// The codes of the warnings of its row, sorted; each as often as there are warnings of the kind.
    pub fn warning_codes(&self) -> Vec<String> {
        let Some(ColumnData::StrList(rows)) = self.row.column("warnings") else { return Vec::new() };
        let texts = rows.iter().flatten().flatten();
        let mut codes: Vec<String> = texts.map(|text| text.split(':').next().unwrap_or_default().to_owned()).collect();
        codes.sort();
        codes
    }
}

/// What was heard.
#[derive(Default)]
pub(crate) struct Heard {
    pub(crate) audio: AudioBuffer,
    pub(crate) report: Option<AudioReport>,
    pub(crate) acoustics: Acoustics,
    pub(crate) lld: Lld,
    pub(crate) diarization: Diarization,
}

/// What was seen.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) faces: Faces,
    pub(crate) report: Option<VideoReport>,
}

/// Listen, watch, learn who spoke when, match voices to labels and faces, describe each turn.
///
/// # Errors
/// The first thing that leaves no interview: an unreadable file or transcript, a model that fails. What is only partly there is a warning.
pub fn extract(request: &Request, models: &mut Models, recipe: &Recipe, progress: &(dyn Fn(Progress) + Sync)) -> Result<Interview> {
    let begun = Instant::now();
    let warnings = Warnings::default();
    let mut timings = Timings::default();
    // Before anything else reads them: what is made must be of these contents, or of none.
    let inputs = Inputs::take(request, recipe)?;
    let read = read_transcript(request, recipe, &warnings)?;
    // What a failed interview asked before is not this one's.
    drop(models.take_usage());

    let Models { voice, speaker, face } = models;
    let ((heard, mut spent), seen) = rayon::join(
        || hear(request, voice, speaker, recipe, &warnings, progress),
        || watch(request, face.as_mut(), recipe, &warnings, progress),
    );
    let heard = heard?;
    let (seen, watched) = seen?;
    spent.watch_secs = watched;
    std::mem::swap(&mut timings, &mut spent);
    if request.media.is_some() && heard.report.is_none() && seen.report.is_none() && !recipe.input.skip_video {
        return Err(Error::media(request.media.clone().unwrap_or_default(), "the file has neither an audio nor a video stream"));
    }

    progress(Progress::Step(Step::Describe));
    let step = Instant::now();
    let described = tables::describe(request, recipe, read.as_ref(), &heard, &seen, &warnings)?;
    inputs.must_be_unchanged(request, recipe)?;
    let hashes = (inputs.request_hash(), told::recipe(recipe).hash()?);
    let told = told::words(request, recipe, warnings.into_sorted());
    let row = interview::row(request, (hashes.0, &hashes.1), read.as_ref(), &heard, &seen, &described, told)?;
    timings.models = models.take_usage();
    timings.tables_secs = step.elapsed().as_secs_f64();
    timings.total_secs = begun.elapsed().as_secs_f64();
    let annotation = heard.diarization.annotation;
    Ok(Interview { request: request.clone(), inputs, tables: described.tables, row, annotation, timings })
}

fn read_transcript(request: &Request, recipe: &Recipe, warnings: &Warnings) -> Result<Option<Transcript>> {
    let Some(path) = &request.transcript else { return Ok(None) };
    let options = ReadOptions { lenient: recipe.input.lenient, sample_id: request.sample_id.as_deref() };
    let mut read = transcript::read(path, &options)?;
    read.warnings.drain(..).for_each(|w| warnings.push(w));
    shift(&mut read.turns, recipe.input.transcript_shift_secs);
    Ok(Some(read))
}

/// Moves all times; what would begin before the origin begins at it.
pub(crate) fn shift(turns: &mut [Turn], secs: f64) {
    if secs == 0.0 {
        return;
    }
    let moved = |s: Segment| {
        let at = |t: Seconds| Seconds::of((t.get() + secs).max(0.0));
        Segment::new(at(s.start()), at(s.end())).unwrap_or(s)
    };
    for turn in turns {
        turn.segment = moved(turn.segment);
        for word in &mut turn.words {
            word.segment = word.segment.map(moved);
        }
    }
}

/// Decodes the sound and finds out who speaks when, and how.
fn hear(
    request: &Request,
    voice: &mut VoiceModels,
    speaker: &mut SpeakerModels,
    recipe: &Recipe,
    warnings: &Warnings,
    progress: &(dyn Fn(Progress) + Sync),
) -> (Result<Heard>, Timings) {
    let mut timings = Timings::default();
    let result = try_hear(request, voice, speaker, recipe, warnings, progress, &mut timings);
    (result, timings)
}

fn try_hear(
    request: &Request,
    voice: &mut VoiceModels,
    speaker: &mut SpeakerModels,
    recipe: &Recipe,
    warnings: &Warnings,
    progress: &(dyn Fn(Progress) + Sync),
    timings: &mut Timings,
) -> Result<Heard> {
    let Some(path) = request.audio.as_ref().or(request.media.as_ref()) else { return Ok(Heard::default()) };
    // The stream indices of the recipe are those of the media; a separate audio file has its own.
    let index = recipe.input.audio_stream.index().filter(|_| request.audio.is_none());
    let pick = StreamPick { audio: index, mix: recipe.input.mix(), ..StreamPick::default() };
    progress(Progress::Step(Step::ReadSound));
    let step = Instant::now();
    let decoded = match media::audio(path, audio::SAMPLE_RATE_HZ, pick) {
        Ok(decoded) => decoded,
        Err(Error::NoStream { undecodable, .. }) if request.audio.is_none() => {
            warnings.push(Warning::NoStream { stream: "audio", undecodable });
            return Ok(Heard::default());
        }
        Err(e) => return Err(e),
    };
    timings.audio_decode_secs = step.elapsed().as_secs_f64();
    decoded.warnings.into_iter().for_each(|w| warnings.push(w));
    let buffer = decoded.buffer;

    progress(Progress::Step(Step::Listen));
    let (acoustics, diarization) = rayon::join(
        || {
            let step = Instant::now();
            let acoustics = audio::acoustics(&buffer, voice, &recipe.voice);
            let lld = Extractor::new().lld(buffer.samples());
            progress(Progress::Step(Step::VoiceDone));
            (acoustics, lld, step.elapsed().as_secs_f64())
        },
        || {
            let step = Instant::now();
            let found = who_spoke(request, (path, &buffer), speaker, recipe);
            progress(Progress::Step(Step::SpeakersDone));
            (found, step.elapsed().as_secs_f64())
        },
    );
    let (acoustics, lld, voice_secs) = acoustics;
    timings.voice_secs = voice_secs;
    timings.speaker_secs = diarization.1;
    let mut diarization = diarization.0?;
    diarization.warnings.drain(..).for_each(|w| warnings.push(w));
    Ok(Heard { acoustics: acoustics?, lld, diarization, audio: buffer, report: Some(decoded.report) })
}

/// Two answers to how many speakers there are.
pub fn bounds_and_tracks() -> Error {
    let hint = "leave out the number, or set input.track_speakers=false".to_owned();
    Error::Usage { what: "a number of speakers, and tracks that are one speaker each".into(), hint }
}

/// Diarization, or the RTTM that replaces it.
fn who_spoke(request: &Request, sound: (&Path, &AudioBuffer), models: &mut SpeakerModels, recipe: &Recipe) -> Result<Diarization> {
    let (path, audio) = sound;
    match &request.rttm {
        None if recipe.input.track_speakers => {
            if request.bounds != SpeakerBounds::default() {
                return Err(bounds_and_tracks());
            }
            let tracks = media::speaker_tracks(path, audio::SAMPLE_RATE_HZ)?;
            let annotation = speaker::by_track(&tracks, &mut models.vad, &recipe.speaker.vad)?;
            speaker::adopt(annotation, audio, models)
        }
        None => {
            let known = known_voices(&recipe.speaker, models)?;
            let mut found = speaker::diarize(audio, models, &recipe.speaker, &request.bounds)?;
            speaker::name_speakers(&mut found, &known, recipe.speaker.enrolment.min_similarity);
            Ok(found)
        }
        Some(path) => {
            let (found, changed) = crate::output::rttm::read_rttm_counting(path)?;
            let own = crate::output::rttm::uri_for(&request.interview_id);
            let annotation = match (found.iter().position(|(uri, _)| *uri == own), found.len()) {
                (Some(i), _) => found[i].1.clone(),
                (None, 1) => found[0].1.clone(),
                // What `diarize` writes where nobody speaks.
                (None, 0) => Annotation::default(),
                (None, n) => {
                    return Err(Error::parse(
                        path,
                        0,
                        format!("{n} recordings, none called {own}"),
                        "name the interview's own in the second field",
                    ));
                }
            };
            let empty = annotation.turns().is_empty();
            let mut adopted = speaker::adopt(annotation, audio, models)?;
            if changed > 0 {
                adopted.warnings.push(Warning::ControlCharacters { count: changed, what: "lines of the RTTM file" });
            }
            if empty {
                adopted.warnings.push(Warning::Other { code: "rttm_empty", what: format!("{} names nobody", told::file_name(path)) });
            }
            Ok(adopted)
        }
    }
}

/// Looks at the picture, frame by frame, at the recipe's rate. Gives the seconds it took besides.
fn watch(
    request: &Request,
    models: Option<&mut FaceModels>,
    recipe: &Recipe,
    warnings: &Warnings,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(Seen, f64)> {
    let begun = Instant::now();
    let (Some(path), Some(models)) = (&request.media, models) else { return Ok((Seen::default(), 0.0)) };
    let pick = StreamPick { video: recipe.input.video_stream.index(), ..StreamPick::default() };
    let sampling = Sampling { rate_hz: recipe.face.rate_hz, ..Sampling::default() };
    let mut frames = match media::video(path, sampling, pick) {
        Ok(frames) => frames,
        Err(Error::NoStream { undecodable, .. }) => {
            warnings.push(Warning::NoStream { stream: "video", undecodable });
            return Ok((Seen::default(), 0.0));
        }
        Err(e) => return Err(e),
    };
    let total_secs = media::probe(path, pick)?.declared_secs.unwrap_or(0.0);
    let mut tracker = FaceTracker::new(models, &recipe.face);
    for frame in frames.by_ref() {
        let frame = frame?;
        tracker.push(&frame)?;
        progress(Progress::Watching { video_secs: frame.pts.get(), total_secs });
    }
    let faces = tracker.finish()?;
    faces.warning().into_iter().for_each(|w| warnings.push(w));
    let report = frames.finish()?;
    report.warnings.iter().for_each(|w| warnings.push(w.clone()));
    Ok((Seen { faces, report: Some(report) }, begun.elapsed().as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_moves_turns_and_words_and_stops_at_the_origin() {
        let segment = |a, b| Segment::from_secs(a, b).unwrap();
        let word = crate::annotation::Word { text: "so".into(), segment: Some(segment(1.0, 1.5)), speaker: None };
        let mut all = vec![Turn { index: 1, segment: segment(1.0, 2.0), speaker: None, text: String::new(), words: vec![word] }];
        shift(&mut all, -1.25);
        assert_eq!(all[0].segment, segment(0.0, 0.75));
        assert_eq!(all[0].words[0].segment, Some(segment(0.0, 0.25)));
    }

    #[test]
    fn a_file_names_its_interview() {
        let request = Request::of_file(Path::new("/home/anna/b.c.mp4")).unwrap();
        assert_eq!((request.interview_id.as_str(), request.media_name.as_str()), ("b.c", "b.c.mp4"));
        assert!(Request::of_file(Path::new("/")).is_err());
    }
}
