//! Composition: one interview from file to tables, as one readable function.
//!
//! ```text
//! transcript::read ─────────────────────────────┐
//! media::audio ─┬─ audio::acoustics ────────────┤
//!               └─ speaker::diarize ────────────┼─ Scene ─ tables ─ write
//! media::video ─── face::watch ───────┬─────────┘
//!                  body::BodyTracker ─┘
//! ```

#[cfg(test)]
mod body_truth;
#[cfg(test)]
mod cast_truth;
#[cfg(test)]
mod clock_truth;
pub mod corrections;
mod done;
mod enrolment;
mod fingerprint;
mod frames;
mod glance;
#[cfg(test)]
mod growth;
mod hear;
mod inputs;
mod interview;
#[cfg(test)]
mod laughter_truth;
mod lexicon;
mod models;
mod recorded;
#[cfg(test)]
mod relation_truth;
#[cfg(test)]
mod room_truth;
mod scene;
mod schema_page;
#[cfg(test)]
mod smile_truth;
mod spoken;
mod stages;
mod tables;
mod told;
mod transcript;
mod units;
mod watch;
mod who;
mod write;

pub use done::{has_record, is_done};
pub use enrolment::known_voices;
pub use glance::{Against, Kept, Look, Making, Stale, Standing, is_as_written, kept};
pub use hear::{bounds_and_tracks, labelled_turns};
pub use inputs::Inputs;
pub use interview::interviews_schema;
pub use lexicon::lexicon;
pub use models::Models;
pub use recorded::{Recorded, recorded};
pub use schema_page::schema_page;
pub use stages::{Keep, StageCache};
pub use tables::{feature_tables, schemas, table_names, with_values};
pub use told::told_text;
pub use write::{file_metadata, write, write_failure};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::annotation::Annotation;
use crate::error::{Error, Result};
use crate::inference::Usage;
use crate::media::SubtitlePick;
use crate::recipe::Recipe;
use crate::speaker::SpeakerBounds;
use crate::table::{ColumnData, Table};
use crate::warning::Warnings;
use corrections::{Corrected, Correction};
use frames::Frames;
use hear::Heard;
use scene::Scene;
use stages::Stages;
use tables::MadeTable;
use watch::Seen;

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
    /// The subtitles of the media that are the transcript, where it is no file.
    #[serde(default)]
    pub embedded: Option<SubtitlePick>,
    /// Which sample of a file with many (RESCUE-bench JSONL).
    pub sample_id: Option<String>,
    /// Speech turns to use instead of diarization (RTTM).
    pub rttm: Option<PathBuf>,
    /// Couple or family, for grouped evaluation.
    pub group: Option<String>,
    /// Role by speaker: therapist, client, mother.
    #[serde(default)]
    pub roles: BTreeMap<String, String>,
    /// How many speakers there are.
    pub bounds: SpeakerBounds,
    /// What somebody who looked knows better.
    #[serde(default)]
    pub corrections: Vec<Correction>,
    /// What the manifest's paths are relative to; empty where there is no manifest. Tables name files as the manifest
    /// does.
    #[serde(default)]
    pub folder: PathBuf,
}

impl Request {
    /// The files it names, each with its column in a manifest.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        let named =
            [("media", &self.media), ("audio", &self.audio), ("transcript", &self.transcript), ("rttm", &self.rttm)];
        named.into_iter().filter_map(|(column, path)| Some((column, path.as_ref()?)))
    }

    /// Takes what names a transcript: `embedded…` the media's own subtitles, anything else a file.
    pub fn take_transcript(&mut self, named: &str, to_path: impl FnOnce(&str) -> PathBuf) {
        self.embedded = SubtitlePick::parse(named);
        self.transcript = self.embedded.is_none().then(|| to_path(named));
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
    /// Decoding the video and everything about faces and bodies.
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
    tables: Vec<MadeTable>,
    /// What tables of frames are made from, while they are written.
    sources: Sources,
    /// The one row of `interviews`.
    pub row: Table,
    /// Speech turns, for RTTM.
    pub annotation: Annotation,
    /// Time spent.
    pub timings: Timings,
    /// Bytes of the results of its stages that are kept for later runs.
    pub stage_bytes: u64,
}

/// What was heard and seen of an interview.
struct Sources {
    heard: Heard,
    seen: Seen,
}

impl std::fmt::Debug for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (heard, seen) = (self.heard.acoustics.len(), self.seen.faces.sampled.len());
        write!(f, "{heard} frames of sound, {seen} pictures")
    }
}

impl Interview {
    /// What tables of frames are made from.
    fn frames<'a>(&'a self, recipe: &'a Recipe) -> Frames<'a> {
        let Sources { heard, seen } = &self.sources;
        Frames { interview_id: &self.request.interview_id, heard, seen, recipe }
    }

    /// One of its tables, whole; `None` where it has no rows and is not written then.
    ///
    /// # Errors
    /// As [`extract`].
    pub fn table(&self, name: &str, recipe: &Recipe) -> Result<Option<Table>> {
        let Some(table) = self.tables.iter().find(|t| t.name(recipe) == name) else { return Ok(None) };
        match table {
            MadeTable::Whole(table) => Ok(Some(table.table()?.into_owned())),
            MadeTable::Frames(table) => {
                let frames = self.frames(recipe);
                Ok(Some(with_values((table.part)(&frames, 0..(table.rows)(&frames))?, recipe)))
            }
        }
    }

    /// The codes of the warnings of its row, sorted; each as often as there are warnings of the kind.
    pub fn warning_codes(&self) -> Vec<String> {
        let Some(ColumnData::StrList(rows)) = self.row.column("warnings") else { return Vec::new() };
        let texts = rows.iter().flatten().flatten();
        let mut codes: Vec<String> = texts.map(|text| text.split(':').next().unwrap_or_default().to_owned()).collect();
        codes.sort();
        codes
    }
}

/// One interview at work: what every step of it needs.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    pub(crate) request: &'a Request,
    pub(crate) recipe: &'a Recipe,
    pub(crate) warnings: &'a Warnings,
    pub(crate) progress: &'a (dyn Fn(Progress) + Sync),
}

/// Listen, watch, learn who spoke when, match voices to labels and faces, describe each turn. What is in the `cache` and
/// still holds is not done again.
///
/// # Errors
/// The first thing that leaves no interview: an unreadable file or transcript, a model that fails. What is only partly
/// there is a warning.
pub fn extract(
    request: &Request,
    models: &mut Models,
    recipe: &Recipe,
    cache: Option<&StageCache>,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Interview> {
    let begun = Instant::now();
    let warnings = Warnings::default();
    let work = Work { request, recipe, warnings: &warnings, progress };
    // Before anything else reads them: what is made must be of these contents, or of none.
    let inputs = Inputs::take(request, recipe)?;
    let transcript = transcript::read_transcript(work)?;
    let mut corrected = Corrected::new(&request.corrections);
    if let Some(transcript) = &transcript {
        corrections::correct_transcript(&mut corrected, &transcript.turns);
    }
    let spoken = transcript.as_ref().map(|t| corrected.spoken(&t.turns));
    let lexicon = lexicon::lexicon(&recipe.turns.language)?;
    // What a failed interview asked before is not this one's.
    drop(models.usage.take());

    let Models { voice, speaker, face, body, usage } = models;
    let stages = Stages::new(cache, &request.interview_id);
    let kept = (&stages, &inputs);
    let (heard, seen) = rayon::join(
        || hear::hear(work, spoken.as_deref(), voice, speaker, kept),
        || watch::watch(work, face.as_mut(), body.as_mut(), kept),
    );
    let (mut heard, mut timings) = heard?;
    let (mut seen, watch_secs) = seen?;
    timings.watch_secs = watch_secs;
    if request.media.is_some() && heard.report.is_none() && seen.report.is_none() && !recipe.input.skip_video {
        return Err(Error::media(
            request.media.clone().unwrap_or_default(),
            "the file has neither an audio nor a video stream",
        ));
    }

    progress(Progress::Step(Step::Describe));
    let step = Instant::now();
    correct(&mut corrected, &mut heard, &mut seen, transcript.is_some())?;
    corrected.warnings().into_iter().for_each(|w| warnings.push(w));
    let said = (transcript.as_ref(), &corrected);
    let scene = Scene::new(request, recipe, said, &heard, &seen, &warnings)?.with_words(&lexicon).with_laughter()?;
    let tables = tables::tables(&scene)?;
    inputs.must_be_unchanged(request, recipe)?;
    let stage_bytes = stages.commit();
    let row = interview::done(&scene, inputs.request_hash(), warnings.into_sorted())?;
    drop(scene);
    timings.models = usage.take();
    timings.tables_secs = step.elapsed().as_secs_f64();
    timings.total_secs = begun.elapsed().as_secs_f64();
    let annotation = heard.diarization.annotation.clone();
    let sources = Sources { heard, seen };
    Ok(Interview { request: request.clone(), inputs, tables, sources, row, annotation, timings, stage_bytes })
}

/// Puts what is known better into what was heard and seen; bodies follow their faces.
fn correct(corrected: &mut Corrected, heard: &mut Heard, seen: &mut Seen, has_transcript: bool) -> Result<()> {
    corrections::correct_speech(corrected, &mut heard.diarization, has_transcript);
    if corrections::correct_faces(corrected, &mut seen.faces)? {
        let faces = &seen.faces;
        seen.bodies.name(|track| faces.person_of(track));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_its_interview() {
        let request = Request::of_file(Path::new("/home/anna/b.c.mp4")).unwrap();
        assert_eq!((request.interview_id.as_str(), request.media_name.as_str()), ("b.c", "b.c.mp4"));
        assert!(Request::of_file(Path::new("/")).is_err());
    }
}
