//! The `turns` table: one row a turn, with who, when, what was said, and the statistics of voice and face.

use super::bodies::{BodyTurn, body_columns};
use super::face_statistics::{FaceTurn, face_columns};
use super::language::said_columns;
use super::laughter::{self, OfTurn};
use super::turn_floors::{self, TurnInFloor};
use super::{Relations, SaidTurn, SpeechContext, TurnsConfig, measured, normalise};
use crate::annotation::Turn;
use crate::audio::egemaps::Functionals;
use crate::audio::{self, TurnVoice};
use crate::error::Result;
use crate::table::{
    Column, ColumnSpec, CutOff, DIARIZATION, Layout, Missing, Modality, Table, TableSchema, all_from, all_until,
};

/// What is known of one turn beside the turn itself.
#[derive(Clone, Debug)]
pub struct TurnFacts {
    /// Speech inside the turn by diarization.
    pub speech: SpeechContext,
    /// Diarized speaker whom the turn's label was matched to.
    pub matched_speaker: Option<String>,
    /// The speaker's person by the cast, in this turn.
    pub person: Option<String>,
    /// How likely it is that this person speaks in the turn, or nobody on the screen.
    pub person_probability: Option<f64>,
    /// The face whose statistics the row holds.
    pub face: Option<FaceTurn>,
    /// How that face was chosen.
    pub face_source: Option<&'static str>,
    /// Why there is none.
    pub face_missing: Option<Missing>,
    /// Words in the text, or why they are not counted.
    pub words: Result<usize, Missing>,
}

impl TurnFacts {
    /// The voice that talks most, unless one of the transcript's labels, sorted, is called as it is.
    fn voice_beside(&self, labels: &[&str]) -> Option<&str> {
        self.speech.speaker.as_deref().filter(|voice| labels.binary_search(voice).is_err())
    }

    /// True when another voice than the one the label was matched to talks most, and that one has less than a third of
    /// the turn's speech: whoever talks while another does is heard less, and still heard. `None` where one of the two
    /// is not known.
    pub fn contradicts(&self) -> Option<bool> {
        let another = self.matched_speaker.as_ref()? != self.speech.speaker.as_ref()?;
        Some(another && self.speech.purity.is_none_or(|own| own < 1.0 / 3.0))
    }
}

/// What the `turns` table is made from.
#[derive(Clone, Copy)]
pub struct TurnsOf<'a> {
    /// The turns, and everything that was heard and seen.
    pub relations: Relations<'a>,
    /// The same of those turns in which somebody speaks, and for each turn its place among them; `None` where that is
    /// every turn.
    pub spoken: Option<(Relations<'a>, &'a [Option<usize>])>,
    /// What is known of each turn.
    pub facts: &'a [TurnFacts],
    /// eGeMAPS of the turn at a place, made when its row is: 88 values of every turn are not held at once.
    pub egemaps: &'a dyn Fn(usize, &Turn) -> Functionals,
    /// The words of each; empty without a transcript.
    pub said: &'a [SaidTurn],
    /// The speaker's body in each turn; `None` where bodies are not looked at.
    pub bodies: Option<&'a [BodyTurn]>,
    /// Thresholds, and which columns of [`super::SpeakerZ`] follow.
    pub config: &'a TurnsConfig,
}

/// One turn with all that is known of it.
struct TurnRow<'a> {
    interview_id: &'a str,
    group: Option<&'a str>,
    role: Option<&'a str>,
    turn: &'a Turn,
    speaker: Option<&'a str>,
    floor: &'a TurnInFloor,
    facts: &'a TurnFacts,
    voice: &'a TurnVoice,
    said: &'a SaidTurn,
    egemaps: Functionals,
    body: Option<&'a BodyTurn>,
    laughter: OfTurn,
}

/// Columns of the `turns` table, those of [`super::SpeakerZ`] left out, with those of bodies where they are looked at.
fn layout<'a>(config: &TurnsConfig, bodies: bool) -> Layout<TurnRow<'a>> {
    let mut columns = who_and_when();
    columns.extend(turn_floors::columns().into_iter().map(|c| c.within(|r: &TurnRow<'a>| Some(r.floor))));
    columns.extend(said_columns(&config.language).into_iter().map(|c| c.within(|r: &TurnRow<'a>| Some(r.said))));
    columns.extend(all_from(DIARIZATION, speech_columns()));
    columns.push(Column::text(
        "person",
        "The speaker's person on the screen by the cast, the likeliest in this turn (see face_source); null = not in \
         the picture during the turn, or off screen.",
        |r: &TurnRow<'a>| r.facts.person.as_deref(),
    ));
    columns.push(
        Column::float(
            "person_probability",
            "1",
            "Probability of what person says, that one on the screen or, where it is null, nobody on the screen is the \
             speaker in this turn; null = the speaker's voice is not heard in it.",
            |r: &TurnRow<'a>| r.facts.person_probability,
        )
        .of(Modality::Face),
    );
    columns.extend(voice_columns());
    columns.extend(laughter::turn_columns().into_iter().map(|c| c.within(|r: &TurnRow<'a>| Some(&r.laughter))));
    columns.push(Column::text(
        "face_person",
        "The person whose face the following columns describe.",
        |r: &TurnRow<'a>| r.facts.face.as_ref().map(|f| f.person.as_str()),
    ));
    columns.push(
        Column::text(
            "face_source",
            "Whose face the face columns of the row describe. cast = the speaker's own. The cast is found over the \
             whole interview, for each stretch of speech of at most 4 s within a shot: how much likelier each \
             person's mouth is a talking one than a resting one, by how its opening varies within a second against \
             the same mouth while nobody speaks, and by the correlation of the opening and its speed with the sound's \
             level at the best of five lags from -0.2 to 0.2 s, both weighted down for faces below 40 px; with what \
             the voice's other stretches say of it as prior, Bayes' rule gives each person's probability and that of \
             being off screen. Of a label without a voice of its own the person is that of whoever talks most in the \
             turn, where that is no other label's. only_visible = the one person measured in the turn while the \
             speaker has no place on the screen, and one whom the cast gives to no voice: it may still be the \
             listener's. For what is to be the speaker's keep cast. Null without a face, with face_missing.",
            |r: &TurnRow<'a>| r.facts.face_source,
        )
        .from_source("Everingham et al. 2006"),
    );
    let why = "Why the face columns are null, all of them; null = they are filled, but for single values not \
               defined there. Seen: in {turns.min_presence_share} of the turn's looked-at frames. Measured: at one \
               of them at least the face reaches {turns.min_face_size_px} px, presence {turns.min_presence}, \
               sharpness {turns.min_sharpness} and is at most {turns.max_yaw_deg} deg turned aside. no_stream (no \
               video). no_face (nobody is seen, or the speaker's person is not and nobody else is measured; also a \
               turn too short for a looked-at frame). off_screen (the speaker's person is not seen, others are \
               measured). not_cast (several are measured, and which of them speaks is not known, or one, and the \
               cast gives that person to another voice). low_quality (the speaker's person is seen and not measured; \
               of a speaker without a person: those seen are not). \
               still_picture (a photo: the same, where all that is seen of the face is still). past_end (begins \
               after the video's end). not_requested (video left out by input.skip_video).";
    columns.push(Column::text("face_missing", why, |r: &TurnRow<'a>| r.facts.face_missing).until(CutOff::TurnEnd));
    columns.extend(face_columns().into_iter().map(|c| c.within(|r: &TurnRow<'a>| r.facts.face.as_ref())));
    if bodies {
        columns.extend(body_columns().into_iter().map(|c| c.within(|r: &TurnRow<'a>| r.body)));
    }
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
        Column::text("group", "Group as in interviews: couple, family, lab.", |r: &TurnRow<'a>| r.group)
            .until(CutOff::None),
        Column::int(
            "turn_index",
            "",
            "Number of the turn in the transcript's own order, from 1; RESCUE-bench's row_index. Rows go by the \
             turns' starts: where the transcript is in order, and without one, the numbers ascend with them; where \
             it is not, warnings of interviews has transcript.",
            |r: &TurnRow<'a>| r.turn.index,
        )
        .until(CutOff::None),
        Column::float(
            "start_secs",
            "s",
            "Start of the turn from the recording's origin: as the transcript writes it, not where the voice \
             begins; without a transcript the start of the speech turn found. Never null: a cue without readable \
             times is refused, with input.lenient dropped. Moved by input.transcript_shift_secs (it was \
             {input.transcript_shift_secs} s), and with input.apply_transcript_offset (it was \
             {input.apply_transcript_offset}) to where speech fits best: then warnings of interviews says \
             transcript_offset: transcript moved by so much.",
            |r: &TurnRow<'a>| r.turn.segment.start(),
        )
        .until(CutOff::TurnStart)
        .of(Modality::Timing),
    ];
    let said = [
        Column::float("end_secs", "s", "End of the turn; it may lie past the media's end.", |r: &TurnRow<'a>| {
            r.turn.segment.end()
        }),
        Column::float(
            "duration_secs",
            "s",
            "End minus start, as the transcript writes them: not cut at the recording's end, and not the time of \
             speech. Where cues are moved (start_secs), what lies before 0 is cut off and a drift scales the length; \
             turns.floor.merge_cues_secs joins cues. Never null; 0 = a cue without length, which is kept. Cues of a few \
             milliseconds and cues past the end are kept; voice_missing tells of them.",
            |r: &TurnRow<'a>| r.turn.segment.duration(),
        ),
        Column::text(
            "speaker",
            "The transcript's label as written; of a turn without one, the diarized speaker who talks most in it \
             (of two equal ones the first by name). In a transcript that labels some turns, one person may so \
             appear as Anna and as SPEAKER_00: matched_speaker says which voice is Anna's. Null without a label \
             where nobody is heard, and where the voice is called as a label of the transcript is (SPEAKER_00 of \
             WhisperX may be another's): diarized_speaker has it.",
            |r: &TurnRow<'a>| r.speaker,
        ),
        Column::text(
            "speaker_role",
            "The speaker's role, where the manifest or the sample gives one.",
            |r: &TurnRow<'a>| r.role,
        ),
        Column::text("text", "The words said.", |r: &TurnRow<'a>| r.turn.text.as_str()),
        Column::int(
            "words",
            "",
            "Words in the text: runs of letters, digits, apostrophes and their marks (accents, vowel signs, joiners), \
             so that a hyphenated word is two and a mark that stays in the text, such as [laughter], is one; 0 for a \
             text without any. Null with words_missing.",
            |r: &TurnRow<'a>| r.facts.words.ok(),
        ),
        Column::text(
            "words_missing",
            "Why words and the rates of words are null: no_transcript; no_spaces: the text holds writing without \
             spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan), whose runs are no words.",
            |r: &TurnRow<'a>| r.facts.words.err(),
        ),
    ];
    columns.extend(measured(Modality::Timing, all_until(CutOff::TurnEnd, said)));
    columns
}

/// Who is heard. Matching, clustering and the cast look at the whole interview.
fn speech_columns<'a>() -> Vec<Column<TurnRow<'a>>> {
    vec![
        Column::text(
            "matched_speaker",
            "Diarized speaker that the label was matched to over the interview: one to one, so that the time that \
             labels and voices share is longest in all. Null without a label, and of a label without a voice of its \
             own.",
            |r: &TurnRow<'a>| r.facts.matched_speaker.as_deref(),
        ),
        Column::text("diarized_speaker", "Diarized speaker who talks most during the turn.", |r: &TurnRow<'a>| {
            r.facts.speech.speaker.as_deref()
        }),
        Column::float(
            "speaker_purity",
            "1",
            "The matched speaker's time in the turn over the summed time of all voices in it, 0 to 1: where two \
             talk together, both count.",
            |r: &TurnRow<'a>| r.facts.speech.purity,
        )
        .of(Modality::Voice),
        Column::bool(
            "speaker_contradicts",
            "Check of the label by the sound. True when two things hold: another voice than the one matched to the \
             turn's label talks most in the turn, and the matched voice's time is less than a third of all voices' \
             times added up (speaker_purity). So a turn in which the label's speaker is talked over is no \
             contradiction. Matched: over the whole interview, one voice a label and one label a voice, so that the \
             time shared is longest in all; of two labels that share one voice, the other has none, and its turns \
             are null. Null = cannot be checked: no label or no transcript, a label without a matched voice, nobody \
             heard in the turn, a turn without length, or no sound. Leave out what is true; null speaks neither for \
             nor against. The check is independent of the labels only where speaker.labels is ignore; here it was \
             {speaker.labels}: evidence = diarization weighs labels beside the sound, and contradicts them where \
             the voices clearly do; trust = it takes them as true.",
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

/// Contract of the `turns` table; `bodies` = they are looked at.
pub fn turns_schema(config: &TurnsConfig, bodies: bool) -> TableSchema {
    let mut schema = layout(config, bodies).schema();
    schema.columns.extend(normalise::speaker_z_specs(&voice_specs(), config.speaker_z));
    schema
}

/// Rows of the `turns` table, in the order of the turns.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn turns_table(from: &TurnsOf<'_>) -> Result<Table> {
    let nothing = SaidTurn::default();
    let no_sound = TurnVoice::without(Missing::NoStream);
    let relations = &from.relations;
    let floors = match from.spoken {
        None => turn_floors::turn_floors(relations),
        Some((spoken, places)) => turn_floors::among_all(&turn_floors::turn_floors(&spoken), places),
    };
    let labels = relations.labels();
    let all = relations.turns.iter().zip(&floors).zip(from.facts).enumerate();
    let rows = all.map(|(i, ((turn, floor), facts))| TurnRow {
        interview_id: relations.interview_id,
        group: relations.group,
        role: turn.speaker.as_deref().and_then(|s| relations.role(s)),
        turn,
        speaker: turn.speaker.as_deref().or_else(|| facts.voice_beside(&labels)),
        floor,
        facts,
        voice: relations.voices.get(i).unwrap_or(&no_sound),
        said: from.said.get(i).unwrap_or(&nothing),
        egemaps: (from.egemaps)(i, turn),
        body: from.bodies.and_then(|b| b.get(i)),
        laughter: relations.laughs.map_or(Err(Missing::NotRequested), |laughs| {
            let place = from.spoken.map_or(Some(i), |(_, places)| places[i]).ok_or(Missing::NotSpeech)?;
            laughs.of_turn(place, turn.speaker.as_deref())
        }),
    });
    normalise::with_speaker_z(
        layout(from.config, from.bodies.is_some()).table(rows)?,
        &voice_specs(),
        from.config.speaker_z,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_voice_called_as_a_label_is_names_nobody() {
        let heard = |speaker: &str| SpeechContext { speaker: Some(speaker.into()), ..SpeechContext::default() };
        let facts = TurnFacts {
            speech: heard("SPEAKER_00"),
            matched_speaker: None,
            person: None,
            person_probability: None,
            face: None,
            face_source: None,
            face_missing: None,
            words: Ok(1),
        };
        assert_eq!(facts.voice_beside(&["Anna", "Ben"]), Some("SPEAKER_00"));
        assert_eq!(facts.voice_beside(&["SPEAKER_00", "SPEAKER_01"]), None, "WhisperX's may be another's");
    }
}
