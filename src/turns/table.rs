//! The `turns` table: one row a turn, with who, when, what was said, and the statistics of voice and face.

use super::face_statistics::{FaceTurn, face_columns};
use super::{SpeakerZ, SpeechContext, measured, normalise};
use crate::annotation::Turn;
use crate::audio::egemaps::Functionals;
use crate::audio::{self, TurnVoice};
use crate::error::Result;
use crate::table::{Column, ColumnSpec, CutOff, Layout, Missing, Modality, Table, TableSchema, all_until};

/// What is known of one turn beside the turn itself.
#[derive(Clone, Debug, Default)]
pub struct TurnFacts {
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

impl TurnFacts {
    /// True when another voice than the one the label was matched to talks most; `None` where one of the two is not
    /// known.
    pub fn contradicts(&self) -> Option<bool> {
        Some(self.matched_speaker.as_ref()? != self.speech.speaker.as_ref()?)
    }
}

/// What the `turns` table is made from.
#[derive(Clone, Copy)]
pub struct TurnsOf<'a> {
    /// Key of the tables.
    pub interview_id: &'a str,
    /// The turns in the transcript's order.
    pub turns: &'a [Turn],
    /// What is known of each.
    pub facts: &'a [TurnFacts],
    /// The voice of each; empty without sound.
    pub voices: &'a [TurnVoice],
    /// eGeMAPS of a turn, made when its row is: 88 values of every turn are not held at once.
    pub egemaps: &'a dyn Fn(&Turn) -> Functionals,
    /// Which columns of [`SpeakerZ`] follow.
    pub speaker_z: SpeakerZ,
}

/// One turn with all that is known of it.
struct TurnRow<'a> {
    interview_id: &'a str,
    turn: &'a Turn,
    facts: &'a TurnFacts,
    voice: &'a TurnVoice,
    egemaps: Functionals,
}

/// Columns of the `turns` table, those of [`SpeakerZ`] left out.
fn layout<'a>() -> Layout<TurnRow<'a>> {
    let mut columns = who_and_when();
    columns.extend(speech_columns());
    columns.push(Column::text(
        "person",
        "The speaker's person on the screen by the cast; null = off screen or not told apart.",
        |r: &TurnRow<'a>| r.facts.person.as_deref(),
    ));
    columns.extend(voice_columns());
    columns.push(Column::text(
        "face_person",
        "The person whose face the following columns describe.",
        |r: &TurnRow<'a>| r.facts.face.as_ref().map(|f| f.person.as_str()),
    ));
    columns.push(Column::text(
        "face_source",
        "cast = the speaker's own face; only_visible = the one person seen while the speaker is not placed on the screen.",
        |r: &TurnRow<'a>| r.facts.face_source,
    ));
    let why = "Why the face columns are null: no_stream, no_face, off_screen, low_quality, past_end, not_requested.";
    columns.push(Column::text("face_missing", why, |r: &TurnRow<'a>| r.facts.face_missing).until(CutOff::TurnEnd));
    columns.extend(face_columns().into_iter().map(|c| c.within(|r: &TurnRow<'a>| r.facts.face.as_ref())));
    Layout {
        name: "turns",
        description: "One turn of the transcript, or one speech turn where there is none.",
        columns,
    }
}

fn who_and_when<'a>() -> Vec<Column<TurnRow<'a>>> {
    let mut columns = vec![
        Column::text("interview_id", "Interview the row belongs to.", |r: &TurnRow<'a>| r.interview_id)
            .until(CutOff::None),
        Column::int(
            "turn_index",
            "",
            "Turn, from 1 in the transcript's order; RESCUE-bench's row_index.",
            |r: &TurnRow<'a>| r.turn.index,
        )
        .until(CutOff::None),
        Column::float("start_secs", "s", "Start of the turn, from the recording's origin.", |r: &TurnRow<'a>| {
            r.turn.segment.start()
        })
        .until(CutOff::TurnStart)
        .of(Modality::Timing),
    ];
    let said = [
        Column::float("end_secs", "s", "End of the turn; it may lie past the media's end.", |r: &TurnRow<'a>| {
            r.turn.segment.end()
        }),
        Column::float("duration_secs", "s", "End minus start.", |r: &TurnRow<'a>| r.turn.segment.duration()),
        Column::text("speaker", "The transcript's label, else the diarized speaker.", |r: &TurnRow<'a>| {
            r.turn.speaker.as_deref().or(r.facts.speech.speaker.as_deref())
        }),
        Column::text("text", "The words said.", |r: &TurnRow<'a>| r.turn.text.as_str()),
        Column::int("words", "", "Number of words in the text; null without a transcript.", |r: &TurnRow<'a>| {
            r.facts.words
        }),
    ];
    columns.extend(measured(Modality::Timing, all_until(CutOff::TurnEnd, said)));
    columns
}

/// Who is heard. Matching, clustering and the cast look at the whole interview.
fn speech_columns<'a>() -> Vec<Column<TurnRow<'a>>> {
    vec![
        Column::text(
            "matched_speaker",
            "Diarized speaker that the label was matched to over the interview.",
            |r: &TurnRow<'a>| r.facts.matched_speaker.as_deref(),
        ),
        Column::text("diarized_speaker", "Diarized speaker who talks most during the turn.", |r: &TurnRow<'a>| {
            r.facts.speech.speaker.as_deref()
        }),
        Column::float(
            "speaker_purity",
            "1",
            "Share of the turn's speech that is the matched speaker's, 0 to 1.",
            |r: &TurnRow<'a>| r.facts.speech.purity,
        )
        .of(Modality::Voice),
        Column::bool(
            "speaker_contradicts",
            "True when another voice than the matched one talks most.",
            |r: &TurnRow<'a>| r.facts.contradicts(),
        )
        .of(Modality::Voice),
        Column::float("speech_share", "1", "Share of the turn in which anybody talks, 0 to 1.", |r: &TurnRow<'a>| {
            r.facts.speech.speech_share
        })
        .of(Modality::Timing),
        Column::float(
            "overlap_share",
            "1",
            "Share of the turn in which two or more talk, 0 to 1.",
            |r: &TurnRow<'a>| r.facts.speech.overlap_share,
        )
        .of(Modality::Timing),
    ]
}

/// The room's own voice columns, then eGeMAPS.
fn voice_columns<'a>() -> Vec<Column<TurnRow<'a>>> {
    let own = audio::turn_voice_columns().into_iter().map(|c| c.within(|r: &TurnRow<'a>| Some(r.voice)));
    let egemaps = audio::functional_columns(CutOff::TurnEnd).into_iter();
    own.chain(egemaps.map(|c| c.within(|r: &TurnRow<'a>| Some(&r.egemaps)))).collect()
}

/// The columns that are compared with the speaker's other turns.
fn voice_specs() -> Vec<ColumnSpec> {
    voice_columns().iter().map(|c| c.spec().clone()).collect()
}

/// Contract of the `turns` table.
pub fn turns_schema(speaker_z: SpeakerZ) -> TableSchema {
    let mut schema = layout().schema();
    schema.columns.extend(normalise::speaker_z_specs(&voice_specs(), speaker_z));
    schema
}

/// Rows of the `turns` table, in the transcript's order.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn turns_table(from: &TurnsOf<'_>) -> Result<Table> {
    let no_sound = TurnVoice::without(Missing::NoStream);
    let rows = from.turns.iter().zip(from.facts).enumerate().map(|(i, (turn, facts))| TurnRow {
        interview_id: from.interview_id,
        turn,
        facts,
        voice: from.voices.get(i).unwrap_or(&no_sound),
        egemaps: (from.egemaps)(turn),
    });
    normalise::with_speaker_z(layout().table(rows)?, &voice_specs(), from.speaker_z)
}
