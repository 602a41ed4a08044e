//! The one row that `interviews` holds for an interview: streams, counts, offsets, warnings, provenance; or its error.

use super::scene::Scene;
use super::tables::with_values;
use super::{Request, told};
use crate::annotation::union_secs;
use crate::error::{Error, Result};
use crate::media::{AudioReport, VideoReport};
use crate::recipe::Recipe;
use crate::table::{
    Column, ColumnSpec, CutOff, DIARIZATION, Kind, Layout, Missing, Modality, Table, TableSchema, all_of, all_until,
};
use crate::turns::TranscriptOffset;

/// What the row of an interview is made from.
struct Row<'a> {
    request: &'a Request,
    /// As the manifest names it.
    media: String,
    group: Option<String>,
    warnings: Option<Vec<String>>,
    request_hash: Option<&'a str>,
    recipe_hash: String,
    outcome: Outcome<'a>,
}

enum Outcome<'a> {
    Done(&'a Scene<'a>),
    Failed { error: String, kind: &'static str },
}

impl<'a> Row<'a> {
    fn scene(&self) -> Option<&'a Scene<'a>> {
        match self.outcome {
            Outcome::Done(scene) => Some(scene),
            Outcome::Failed { .. } => None,
        }
    }

    /// The scene of an interview with a transcript.
    fn read(&self) -> Option<&'a Scene<'a>> {
        self.scene().filter(|s| s.transcript.is_some())
    }

    /// The scene of an interview with sound.
    fn heard(&self) -> Option<&'a Scene<'a>> {
        self.scene().filter(|s| s.heard.report.is_some())
    }

    /// The scene of an interview with a picture.
    fn seen(&self) -> Option<&'a Scene<'a>> {
        self.scene().filter(|s| s.seen.report.is_some())
    }

    fn audio(&self) -> Option<&'a AudioReport> {
        self.scene()?.heard.report.as_ref()
    }

    fn video(&self) -> Option<&'a VideoReport> {
        self.scene()?.seen.report.as_ref()
    }

    fn offset(&self) -> Option<&'a TranscriptOffset> {
        self.scene()?.offset.as_ref().ok()
    }

    fn duration_secs(&self) -> Option<f64> {
        let (audio, video) = (self.audio().map(|a| a.end_secs), self.video().and_then(|v| v.end));
        audio.into_iter().chain(video.map(|t| t.get())).reduce(f64::max)
    }

    fn group(&self) -> Option<String> {
        self.scene().map_or_else(|| self.group.clone(), |s| s.group.clone())
    }

    fn speech_missing(&self) -> Option<Missing> {
        let scene = self.scene()?;
        let nobody = || scene.annotation().turns().is_empty().then_some(Missing::NoSpeech);
        if scene.heard.report.is_some() {
            scene.heard.diarization.reason.or_else(nobody)
        } else {
            Some(Missing::NoStream)
        }
    }

    fn face_share(&self) -> Option<f64> {
        let faces = &self.seen()?.seen.faces;
        let with_face = faces.faces_per_frame.iter().filter(|&&n| n > 0).count();
        let looked = faces.sampled.len();
        (looked > 0).then(|| with_face as f64 / looked as f64)
    }
}

/// Columns of the `interviews` table.
fn layout<'a>() -> Layout<Row<'a>> {
    let mut columns = all_until(CutOff::None, what_it_is());
    columns.push(Column::float(
        "duration_secs",
        "s",
        "Length of the recording: end of the last decoded audio or video, whichever is later, from the recording's \
         origin (the start time its container tells); null where the interview failed.",
        Row::duration_secs,
    ));
    columns.extend(audio_columns());
    columns.extend(video_columns());
    columns.extend(speech_columns());
    columns.extend(face_columns());
    columns.extend(offset_columns());
    let warnings = ColumnSpec::new(
        "warnings",
        Kind::StrList,
        "",
        "What a user should know: a list of texts, each a code, a colon and words; empty = nothing to tell, null \
         where the interview failed without any. speaker_match: labels and voices disagree: speaker_contradicts is \
         true in at least one turn (they are numbered), or a label has no voice of its own. transcript_offset: the \
         transcript's times do not fit the speech: they fit it elsewhere, by transcript_offset_secs, with a confidence \
         of {turns.transcript_fit.min_confidence} and {turns.transcript_fit.min_secs} s or more away; or they were \
         moved, as asked, or could not be. crowd: more people than every \
         pair of which dyads and synchrony have. correction: a line of corrections.csv is not applied. Something of \
         the recording is lost or replaced: decode_error, shortfall, truncated, frames_missing, video_gap, gap_filled, gaps_filled, not_sound, audio_overlap, \
         track_lost, bytes_unread, no_stream, video_time_order, channels_cancel. Times are in doubt: \
         timestamp_jump, times_early, audio_clock, video_clock, duration_doubtful. The transcript: transcript (cues \
         dropped, unordered, overlapping, empty), turns_past_end, turns_before_start, control_characters. What was \
         taken: stream_chosen, tracks_mixed, wav_joined, rttm_recordings, rttm_empty, container_doubtful. Good to \
         know: variable_frame_rate, audio_format_change, above_full_scale, hdr_untouched, crowded_picture, \
         speech_unsegmented, too_few_speakers. The words tell the rest.",
    );
    columns.push(Column::new(warnings, |r: &Row<'a>| r.warnings.clone()));
    columns.extend([
        Column::int(
            "corrections",
            "",
            "Lines of corrections.csv about the interview (table corrections); null where it failed.",
            |r: &Row<'a>| r.scene().map(|s| s.corrected.counts().0),
        ),
        Column::int("corrections_applied", "", "How many of them were applied.", |r: &Row<'a>| {
            r.scene().map(|s| s.corrected.counts().1)
        }),
    ]);
    let hashes = [
        Column::text(
            "request_hash",
            "Of the inputs: contents of media, transcript, RTTM and enrolment, speaker bounds, corrections.",
            |r: &Row<'a>| r.request_hash,
        ),
        Column::text("recipe_hash", "Of the recipe, enrolled voices and faces by their contents.", |r: &Row<'a>| {
            r.recipe_hash.clone()
        }),
    ];
    columns.extend(all_until(CutOff::None, hashes));
    let description = "One interview: what it was made from, what was found in it, and what went wrong.";
    Layout { name: "interviews", description, columns }
}

fn what_it_is<'a>() -> Vec<Column<Row<'a>>> {
    vec![
        Column::text("interview_id", "Key of all tables.", |r: &Row<'a>| r.request.interview_id.as_str()),
        Column::text("status", "done or failed.", |r: &Row<'a>| if r.scene().is_some() { "done" } else { "failed" }),
        Column::text("error", "Why it failed, with all causes.", |r: &Row<'a>| match &r.outcome {
            Outcome::Done(_) => None,
            Outcome::Failed { error, .. } => Some(error.clone()),
        }),
        Column::text("error_kind", "Short code of the error.", |r: &Row<'a>| match r.outcome {
            Outcome::Done(_) => None,
            Outcome::Failed { kind, .. } => Some(kind),
        }),
        Column::text(
            "media",
            "Media file as the manifest names it, else its name; never an absolute path.",
            |r: &Row<'a>| r.media.clone(),
        ),
        Column::text("transcript_format", "Format of the transcript; null without one.", |r: &Row<'a>| {
            Some(r.scene()?.transcript?.format.to_string())
        }),
        Column::text("group", "Group as given in the manifest, else the RESCUE-bench group mode.", Row::group),
    ]
}

fn audio_columns<'a>() -> Vec<Column<Row<'a>>> {
    vec![
        Column::float("audio_decoded_secs", "s", "Sound decoded, silence filled into gaps left out.", |r: &Row<'a>| {
            r.audio().map(|a| a.decoded_secs)
        }),
        Column::float(
            "audio_declared_secs",
            "s",
            "Length the container declares for the audio stream.",
            |r: &Row<'a>| r.audio().map(|a| a.declared_secs),
        ),
        Column::float("audio_start_secs", "s", "First sample, from the common origin.", |r: &Row<'a>| {
            r.audio().map(|a| a.start_secs)
        }),
        Column::int("audio_stream", "", "Index of the audio stream in the container.", |r: &Row<'a>| {
            r.audio().map(|a| a.stream_index)
        }),
        Column::text("audio_codec", "Codec of the audio stream.", |r: &Row<'a>| r.audio().map(|a| a.codec.as_str())),
        Column::int("audio_rate_hz", "Hz", "Sampling rate of the source.", |r: &Row<'a>| r.audio().map(|a| a.rate_hz)),
        Column::int("audio_channels", "", "Channels of the source.", |r: &Row<'a>| r.audio().map(|a| a.channels)),
        Column::int("audio_decode_errors", "", "Packets or frames of audio lost.", |r: &Row<'a>| {
            r.audio().map(|a| a.decode_errors)
        }),
    ]
}

fn video_columns<'a>() -> Vec<Column<Row<'a>>> {
    vec![
        Column::float(
            "video_decoded_secs",
            "s",
            "End of the last decoded video frame minus the time of the first.",
            |r: &Row<'a>| r.video().and_then(|v| Some((v.end? - v.first_pts?).get())),
        ),
        Column::float(
            "video_declared_secs",
            "s",
            "Length the container declares for the video stream.",
            |r: &Row<'a>| r.video().map(|v| v.declared_secs),
        ),
        Column::float("video_start_secs", "s", "First frame, from the common origin.", |r: &Row<'a>| {
            r.video().map(|v| v.first_pts)
        }),
        Column::int("video_stream", "", "Index of the video stream in the container.", |r: &Row<'a>| {
            r.video().map(|v| v.stream_index)
        }),
        Column::text("video_codec", "Codec of the video stream.", |r: &Row<'a>| r.video().map(|v| v.codec.as_str())),
        Column::int("video_width_px", "px", "Width of the upright picture with square pixels.", |r: &Row<'a>| {
            r.video().map(|v| v.width)
        }),
        Column::int("video_height_px", "px", "Height of the upright picture with square pixels.", |r: &Row<'a>| {
            r.video().map(|v| v.height)
        }),
        Column::int("video_rotation_deg", "deg", "Clockwise rotation that made the picture upright.", |r: &Row<'a>| {
            r.video().map(|v| i64::from(v.orientation.rotation_deg))
        }),
        Column::int("video_frames_decoded", "", "Frames decoded at or after the origin.", |r: &Row<'a>| {
            r.video().map(|v| v.frames_decoded)
        }),
        Column::int("video_frames_declared", "", "Frames the container declares.", |r: &Row<'a>| {
            r.video().map(|v| v.frames_declared)
        }),
        Column::int("video_frames_sampled", "", "Frames looked at for faces.", |r: &Row<'a>| {
            r.video().map(|v| v.frames_sampled)
        }),
        Column::float("video_rate_hz", "Hz", "Mean frame rate as decoded.", |r: &Row<'a>| {
            r.video().map(|v| v.avg_rate_hz)
        }),
        Column::bool("video_variable_rate", "True when frames are unevenly spaced.", |r: &Row<'a>| {
            r.video().map(|v| v.vfr)
        }),
        Column::int("video_decode_errors", "", "Packets or frames of video lost.", |r: &Row<'a>| {
            r.video().map(|v| v.decode_errors)
        }),
    ]
}

fn speech_columns<'a>() -> Vec<Column<Row<'a>>> {
    let counts = [
        Column::int("turns", "", "Rows of turns.", |r: &Row<'a>| r.scene().map(|s| s.turns.len())),
        Column::int(
            "words",
            "",
            "Words in the turns' texts; null where any is written without spaces between words.",
            |r: &Row<'a>| r.read().and_then(|s| s.facts.iter().map(|f| f.words.ok()).sum::<Option<usize>>()),
        ),
        Column::int("speakers", "", "Diarized speakers.", |r: &Row<'a>| {
            r.heard().map(|s| s.annotation().speakers().len())
        })
        .from_source(DIARIZATION),
        Column::float(
            "speech_secs",
            "s",
            "Time in which anybody talks: the speech turns of the table speech, where two talk together counted once. \
             By diarization of the sound: pyannote segmentation-3.0 says every 17 ms how many talk (its likeliest \
             class, no threshold), in windows of 10 s begun every 1.6 s, whose counts are averaged and rounded. A \
             speaker's gaps below {speaker.turns.min_gap_secs} s are filled and turns below \
             {speaker.turns.min_turn_secs} s dropped; so is a turn throughout which Silero's probability of speech \
             stays below {speaker.turns.veto_probability}, if its level lies {speaker.turns.veto_below_speech_db} dB \
             below the recording's speech. Where Silero hears no speech at all, there is none. The labelled cues of a \
             transcript are evidence beside the sound (speaker.labels was {speaker.labels}; ignore = the sound \
             alone): where one runs and Silero hears speech, its speaker's time is added, and pauses below 0.5 s \
             inside it are filled. Where nobody is told apart, all that Silero hears counts. With an RTTM file, or \
             input.track_speakers, it is the time those give. Laughter and an audience are no class of their own: \
             they count where the networks take them for speech. 0 where nobody was found; null without sound; both \
             with speech_missing.",
            |r: &Row<'a>| r.heard().map(|s| union_secs(s.annotation().turns().iter().map(|t| t.segment))),
        )
        .from_source(DIARIZATION),
    ];
    let mut columns = all_of(Modality::Timing, counts);
    columns.push(Column::text(
        "speech_missing",
        "Why speech_secs is 0 or null: no_stream (no sound: null), silent (no sample beyond -80 dBFS), no_speech \
         (sound, and nobody talks in it, or nobody in the RTTM file). Null = somebody talks.",
        Row::speech_missing,
    ));
    columns.push(Column::int("labels_matched", "", "Transcript labels matched to a voice.", |r: &Row<'a>| {
        r.read().map(|s| s.matches.iter().filter(|m| m.diarized.is_some()).count())
    }));
    columns
}

fn face_columns<'a>() -> Vec<Column<Row<'a>>> {
    vec![
        Column::int("persons", "", "Persons on the screen.", |r: &Row<'a>| {
            r.seen().map(|s| s.seen.faces.persons.len())
        })
        .of(Modality::Face),
        Column::int("tracks", "", "Face tracks.", |r: &Row<'a>| r.seen().map(|s| s.seen.faces.tracks.len()))
            .of(Modality::Face),
        Column::int(
            "cuts",
            "",
            "Shot cuts: two frames' thumbnails differ by at least {face.cut_threshold}.",
            |r: &Row<'a>| r.seen().map(|s| s.seen.faces.cuts.len()),
        ),
        Column::float(
            "face_share",
            "1",
            "Share of the looked-at frames ({face.rate_hz} a second; 0 = every frame) in \
                                          which at least one face of at least {face.min_size_px} px is found, 0 to 1, \
                                          whoever's face it is; null without video.",
            Row::face_share,
        )
        .of(Modality::Face),
    ]
}

fn offset_columns<'a>() -> Vec<Column<Row<'a>>> {
    let measured = [
        Column::float(
            "transcript_offset_secs",
            "s",
            "Add this to the transcript's times about transcript_offset_at_secs and they fit the voice activity best, \
             by masked cross-correlation (Padfield 2012) and a robust line through beginnings and ends; looked for up \
             to {turns.max_transcript_offset_secs} s either way. Applied only when asked (transcript_moved).",
            |r: &Row<'a>| Some(r.offset()?.offset_secs),
        ),
        Column::float(
            "transcript_offset_at_secs",
            "s",
            "The time of the transcript, before it is moved, for which transcript_offset_secs holds: the middle of \
             the cues that were matched.",
            |r: &Row<'a>| Some(r.offset()?.at_secs),
        ),
        Column::float(
            "transcript_drift_ppm",
            "1e-6",
            "What the offset grows by for each second of the transcript's time after transcript_offset_at_secs, in \
             millionths; null where too few edges were matched. Look at its error: a drift is believed, and applied \
             when asked, from {turns.transcript_fit.drift_errors} standard errors on.",
            |r: &Row<'a>| r.offset()?.drift_ppm,
        ),
        Column::float(
            "transcript_drift_error_ppm",
            "1e-6",
            "Standard error of transcript_drift_ppm, from how far beginnings and ends lie from the line.",
            |r: &Row<'a>| r.offset()?.drift_error_ppm,
        ),
        Column::float(
            "transcript_offset_correlation",
            "1",
            "Pearson's correlation of cues (1 inside, 0 outside) and Silero's probability of speech, every 32 ms, \
             at that offset, over what both cover.",
            |r: &Row<'a>| Some(r.offset()?.correlation),
        ),
        Column::float(
            "transcript_offset_confidence",
            "1",
            "1 less the chance that cues of another talk fit as well, 0 to 1: the best fit of \
             {turns.transcript_fit.surrogates} transcripts with the same cues and pauses in other orders is taken to \
             be Gumbel-distributed. Below {turns.transcript_fit.min_confidence} the offset is null.",
            |r: &Row<'a>| match &r.read()?.offset {
                Ok(offset) => Some(offset.confidence),
                Err(none) => none.confidence,
            },
        ),
        Column::bool(
            "transcript_moved",
            "True where the turns' times are moved by offset and drift (input.apply_transcript_offset, and somewhere \
             the shift is at least {turns.transcript_fit.min_secs} s); null without a transcript.",
            |r: &Row<'a>| r.read().map(|s| s.is_moved),
        ),
    ];
    let mut columns = Vec::from(measured);
    columns.push(Column::text(
        "transcript_offset_missing",
        "Why there is no transcript_offset_secs: no_transcript, no_stream (no sound), not_requested, too_short (less \
         than 10 s of sound, or of fewer than three cues), no_speech, no_fit (the cues fit the speech no better than \
         another talk's).",
        |r: &Row<'a>| r.scene()?.offset.err().map(|none| none.missing),
    ));
    columns
}

/// Contract of the `interviews` table.
pub fn interviews_schema() -> TableSchema {
    layout().schema()
}

/// The row of a finished interview.
pub(super) fn done(scene: &Scene<'_>, request_hash: &str, warnings: Vec<String>) -> Result<Table> {
    let Scene { request, recipe, .. } = *scene;
    let (media, group, warnings) = told::words(request, recipe, warnings);
    let table = layout().table([Row {
        request,
        media,
        group,
        warnings: Some(warnings),
        request_hash: Some(request_hash),
        recipe_hash: told::recipe(recipe).hash()?,
        outcome: Outcome::Done(scene),
    }])?;
    Ok(with_values(table, recipe))
}

/// The row of a failed interview.
pub(super) fn failure(request: &Request, recipe: &Recipe, error: &Error) -> Result<Table> {
    let (media, group, warnings) = told::words(request, recipe, Vec::new());
    let table = layout().table([Row {
        request,
        media,
        group,
        warnings: Some(warnings).filter(|w| !w.is_empty()),
        request_hash: None,
        recipe_hash: told::recipe(recipe).hash()?,
        outcome: Outcome::Failed { error: told::error(request, recipe, error), kind: error.kind() },
    }])?;
    Ok(with_values(table, recipe))
}
