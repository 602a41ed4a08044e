//! The `turns` table: one row a turn, with who, when, what was said, and the statistics of voice and face.

use super::SpeechContext;
use super::face_statistics::{FaceTurn, face_columns, fill_face, value_names};
use crate::annotation::Turn;
use crate::error::Result;
use crate::table::{ColumnSpec, CutOff, Kind, Missing, Table, TableBuilder, TableSchema};

/// The voice columns of a row, supplied by the voice room: their contract, and the way to fill them for the turn at a position.
pub struct VoiceColumns<'a> {
    /// Contract, in order.
    pub specs: Vec<ColumnSpec>,
    /// Fills the current row for the turn at this position.
    pub fill: &'a dyn Fn(usize, &mut TableBuilder),
}

/// What is known of one turn beside the turn itself.
#[derive(Clone, Debug, Default)]
pub struct TurnRow {
    /// Speech inside the turn by diarization.
    pub speech: SpeechContext,
    /// Diarized speaker whom the turn's label was matched to.
    pub matched_speaker: Option<String>,
    /// The speaker's person by the cast.
    pub person: Option<String>,
    /// The face whose statistics the row holds.
    pub face: Option<FaceTurn>,
    /// How that face was chosen.
    pub face_source: Option<&'static str>,
    /// Why there is none.
    pub face_missing: Option<Missing>,
    /// Words in the text; `None` without a transcript.
    pub words: Option<usize>,
}

/// Contract of the `turns` table.
pub fn turns_schema(voice: Vec<ColumnSpec>) -> TableSchema {
    let key = |name, kind, unit, text| ColumnSpec::new(name, kind, unit, text).until(CutOff::None);
    let turn = |name, kind, unit, text| ColumnSpec::new(name, kind, unit, text).until(CutOff::TurnEnd);
    let mut columns = vec![
        key("interview_id", Kind::Str, "", "Interview the row belongs to."),
        key("turn_index", Kind::I64, "", "Turn, from 1 in the transcript's order; RESCUE-bench's row_index."),
        turn("start_secs", Kind::F64, "s", "Start of the turn, from the recording's origin.").until(CutOff::TurnStart),
        turn("end_secs", Kind::F64, "s", "End of the turn; it may lie past the media's end."),
        turn("duration_secs", Kind::F64, "s", "End minus start."),
        turn("speaker", Kind::Str, "", "The transcript's label, else the diarized speaker."),
        turn("text", Kind::Str, "", "The words said."),
        turn("words", Kind::I64, "", "Number of words in the text; null without a transcript."),
        // Matching, clustering and the cast look at the whole interview.
        ColumnSpec::new("matched_speaker", Kind::Str, "", "Diarized speaker that the label was matched to over the interview."),
        ColumnSpec::new("diarized_speaker", Kind::Str, "", "Diarized speaker who talks most during the turn."),
        ColumnSpec::new("speaker_purity", Kind::F64, "1", "Share of the turn's speech that is the matched speaker's, 0 to 1."),
        ColumnSpec::new("speaker_contradicts", Kind::Bool, "", "True when another voice than the matched one talks most."),
        ColumnSpec::new("speech_share", Kind::F64, "1", "Share of the turn in which anybody talks, 0 to 1."),
        ColumnSpec::new("overlap_share", Kind::F64, "1", "Share of the turn in which two or more talk, 0 to 1."),
        ColumnSpec::new("person", Kind::Str, "", "The speaker's person on the screen by the cast; null = off screen or not told apart."),
    ];
    columns.extend(voice);
    columns.push(ColumnSpec::new("face_person", Kind::Str, "", "The person whose face the following columns describe."));
    columns.push(ColumnSpec::new(
        "face_source",
        Kind::Str,
        "",
        "cast = the speaker's own face; only_visible = the one person seen while the speaker is not placed on the screen.",
    ));
    columns.push(turn(
        "face_missing",
        Kind::Str,
        "",
        "Why the face columns are null: no_stream, no_face, off_screen, low_quality, past_end, not_requested.",
    ));
    columns.extend(face_columns());
    TableSchema { name: "turns", description: "One turn of the transcript, or one speech turn where there is none.", columns }
}

/// Rows of the `turns` table, in the transcript's order.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn turns_table(interview_id: &str, turns: &[Turn], rows: &[TurnRow], voice: VoiceColumns<'_>) -> Result<Table> {
    let names = value_names();
    let mut table = TableBuilder::new(turns_schema(voice.specs));
    for (i, (turn, row)) in turns.iter().zip(rows).enumerate() {
        let contradicts = match (&row.matched_speaker, &row.speech.speaker) {
            (Some(expected), Some(heard)) => Some(expected != heard),
            _ => None,
        };
        table
            .row()
            .set("interview_id", interview_id)
            .set("turn_index", turn.index)
            .set("start_secs", turn.segment.start())
            .set("end_secs", turn.segment.end())
            .set("duration_secs", turn.segment.duration())
            .set("speaker", turn.speaker.as_deref().or(row.speech.speaker.as_deref()))
            .set("text", turn.text.as_str())
            .set("words", row.words)
            .set("matched_speaker", row.matched_speaker.as_deref())
            .set("diarized_speaker", row.speech.speaker.as_deref())
            .set("speaker_purity", row.speech.purity)
            .set("speaker_contradicts", contradicts)
            .set("speech_share", row.speech.speech_share)
            .set("overlap_share", row.speech.overlap_share)
            .set("person", row.person.as_deref())
            .set("face_person", row.face.as_ref().map(|f| f.person.as_str()))
            .set("face_source", row.face_source)
            .set("face_missing", row.face_missing);
        (voice.fill)(i, &mut table);
        if let Some(face) = &row.face {
            fill_face(&mut table, &names, face);
        }
    }
    table.finish()
}
