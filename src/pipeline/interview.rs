//! The one row that `interviews` holds for an interview: streams, counts, offsets, warnings, provenance; or its error.

use super::tables::Described;
use super::{Heard, Request, Seen, told};
use crate::error::{Error, Result};
use crate::recipe::Recipe;
use crate::table::{ColumnSpec, CutOff, Kind, Missing, Table, TableBuilder, TableSchema};
use crate::transcript::Transcript;

/// Contract of the `interviews` table.
pub fn interviews_schema() -> TableSchema {
    let column = ColumnSpec::new;
    let key = |name, kind, unit, text| ColumnSpec::new(name, kind, unit, text).until(CutOff::None);
    TableSchema {
        name: "interviews",
        description: "One interview: what it was made from, what was found in it, and what went wrong.",
        columns: vec![
            key("interview_id", Kind::Str, "", "Key of all tables."),
            key("status", Kind::Str, "", "done or failed."),
            key("error", Kind::Str, "", "Why it failed, with all causes."),
            key("error_kind", Kind::Str, "", "Short code of the error."),
            key("media", Kind::Str, "", "Media file as the manifest names it, else its name; never an absolute path."),
            key("transcript_format", Kind::Str, "", "Format of the transcript; null without one."),
            key("group", Kind::Str, "", "Group as given in the manifest, else the RESCUE-bench group mode."),
            column("duration_secs", Kind::F64, "s", "End of the last decoded audio or video, from the common origin."),
            column("audio_decoded_secs", Kind::F64, "s", "Sound decoded, silence filled into gaps left out."),
            column("audio_declared_secs", Kind::F64, "s", "Length the container declares for the audio stream."),
            column("audio_start_secs", Kind::F64, "s", "First sample, from the common origin."),
            column("audio_stream", Kind::I64, "", "Index of the audio stream in the container."),
            column("audio_codec", Kind::Str, "", "Codec of the audio stream."),
            column("audio_rate_hz", Kind::I64, "Hz", "Sampling rate of the source."),
            column("audio_channels", Kind::I64, "", "Channels of the source."),
            column("audio_decode_errors", Kind::I64, "", "Packets or frames of audio lost."),
            column("video_decoded_secs", Kind::F64, "s", "End of the last decoded video frame minus the time of the first."),
            column("video_declared_secs", Kind::F64, "s", "Length the container declares for the video stream."),
            column("video_start_secs", Kind::F64, "s", "First frame, from the common origin."),
            column("video_stream", Kind::I64, "", "Index of the video stream in the container."),
            column("video_codec", Kind::Str, "", "Codec of the video stream."),
            column("video_width_px", Kind::I64, "px", "Width of the upright picture with square pixels."),
            column("video_height_px", Kind::I64, "px", "Height of the upright picture with square pixels."),
            column("video_rotation_deg", Kind::I64, "deg", "Clockwise rotation that made the picture upright."),
            column("video_frames_decoded", Kind::I64, "", "Frames decoded at or after the origin."),
            column("video_frames_declared", Kind::I64, "", "Frames the container declares."),
            column("video_frames_sampled", Kind::I64, "", "Frames looked at for faces."),
            column("video_rate_hz", Kind::F64, "Hz", "Mean frame rate as decoded."),
            column("video_variable_rate", Kind::Bool, "", "True when frames are unevenly spaced."),
            column("video_decode_errors", Kind::I64, "", "Packets or frames of video lost."),
            column("turns", Kind::I64, "", "Rows of turns."),
            column("words", Kind::I64, "", "Words in the turns' texts."),
            column("speakers", Kind::I64, "", "Diarized speakers."),
            column("speech_secs", Kind::F64, "s", "Time in which anybody talks."),
            column("speech_missing", Kind::Str, "", "Why nobody was found speaking."),
            column("labels_matched", Kind::I64, "", "Transcript labels matched to a voice."),
            column("persons", Kind::I64, "", "Persons on the screen."),
            column("tracks", Kind::I64, "", "Face tracks."),
            column("cuts", Kind::I64, "", "Shot cuts."),
            column("face_share", Kind::F64, "1", "Looked-at frames with at least one face, over all, 0 to 1."),
            column(
                "transcript_offset_secs",
                Kind::F64,
                "s",
                "Add this to the transcript's times and they fit the voice activity best; measured, applied only when asked.",
            ),
            column("transcript_offset_correlation", Kind::F64, "1", "Correlation of cues and voice activity at that offset."),
            column("warnings", Kind::StrList, "", "What a user should know, each with its code first."),
            key("request_hash", Kind::Str, "", "Of the inputs: contents of media, transcript, RTTM and enrolment, speaker bounds."),
            key("recipe_hash", Kind::Str, "", "Of the recipe, enrolled voices and faces by their contents."),
        ],
    }
}

/// The row of a finished interview; the hashes are those of request and recipe, `told` is of [`told::words`].
pub(super) fn row(
    request: &Request,
    hashes: (&str, &str),
    transcript: Option<&Transcript>,
    heard: &Heard,
    seen: &Seen,
    described: &Described,
    told: (String, Option<String>, Vec<String>),
) -> Result<Table> {
    let (media, group, warnings) = told;
    let annotation = &heard.diarization.annotation;
    let group = group.or_else(|| Some(transcript?.sample.as_ref()?.group_mode.name().to_owned()));
    let mut table = TableBuilder::new(interviews_schema());
    table
        .row()
        .set("interview_id", request.interview_id.as_str())
        .set("status", "done")
        .set("media", media)
        .set("transcript_format", transcript.map(|t| t.format.to_string()))
        .set("group", group)
        .set("turns", described.turns)
        .set("words", transcript.map(|_| described.words))
        .set("transcript_offset_secs", described.offset.map(|o| o.offset_secs))
        .set("transcript_offset_correlation", described.offset.map(|o| o.correlation))
        .set("labels_matched", transcript.map(|_| described.matches.iter().filter(|m| m.diarized.is_some()).count()))
        .set("warnings", warnings)
        .set("request_hash", hashes.0)
        .set("recipe_hash", hashes.1);
    let mut end = None;
    if let Some(audio) = &heard.report {
        end = Some(audio.end_secs);
        table
            .set("audio_decoded_secs", audio.decoded_secs)
            .set("audio_declared_secs", audio.declared_secs)
            .set("audio_start_secs", audio.start_secs)
            .set("audio_stream", audio.stream_index)
            .set("audio_codec", audio.codec.as_str())
            .set("audio_rate_hz", audio.rate_hz)
            .set("audio_channels", audio.channels)
            .set("audio_decode_errors", audio.decode_errors)
            .set("speakers", annotation.speakers().len())
            .set("speech_secs", crate::annotation::union_secs(annotation.turns().iter().map(|t| t.segment)))
            .set("speech_missing", heard.diarization.reason);
    }
    if let Some(video) = &seen.report {
        let video_end = video.end.map(|t| t.get());
        end = end.into_iter().chain(video_end).reduce(f64::max);
        let with_face = seen.faces.faces_per_frame.iter().filter(|&&n| n > 0).count();
        let looked = seen.faces.sampled.len();
        table
            .set("video_decoded_secs", video.first_pts.zip(video.end).map(|(a, b)| (b - a).get()))
            .set("video_declared_secs", video.declared_secs)
            .set("video_start_secs", video.first_pts)
            .set("video_stream", video.stream_index)
            .set("video_codec", video.codec.as_str())
            .set("video_width_px", video.width)
            .set("video_height_px", video.height)
            .set("video_rotation_deg", i64::from(video.orientation.rotation_deg))
            .set("video_frames_decoded", video.frames_decoded)
            .set("video_frames_declared", video.frames_declared)
            .set("video_frames_sampled", video.frames_sampled)
            .set("video_rate_hz", video.avg_rate_hz)
            .set("video_variable_rate", video.vfr)
            .set("video_decode_errors", video.decode_errors)
            .set("persons", seen.faces.persons.len())
            .set("tracks", seen.faces.tracks.len())
            .set("cuts", seen.faces.cuts.len())
            .set("face_share", if looked > 0 { with_face as f64 / looked as f64 } else { f64::NAN });
    }
    if heard.report.is_none() {
        table.set("speech_missing", Missing::NoStream);
    }
    table.set("duration_secs", end);
    table.finish()
}

/// The row of a failed interview.
pub(super) fn failure(request: &Request, recipe: &Recipe, error: &Error) -> Result<Table> {
    let (media, group, warnings) = told::words(request, recipe, Vec::new());
    let mut table = TableBuilder::new(interviews_schema());
    table
        .row()
        .set("interview_id", request.interview_id.as_str())
        .set("status", "failed")
        .set("error", told::error(request, recipe, error))
        .set("error_kind", error.kind())
        .set("media", media)
        .set("group", group)
        .set("recipe_hash", told::recipe(recipe).hash()?);
    if !warnings.is_empty() {
        table.set("warnings", warnings);
    }
    table.finish()
}
