//! Meaning: what the streams say about each turn and each speaker.
//!
//! ```text
//! Transcript ─┐                    ┌─ matching: label ↔ diarized speaker
//! Annotation ─┼─> turns ───────────┼─ cast: speaker ↔ person on the screen, or off screen
//! Faces ──────┤                    ├─ speech: who else talks inside a turn
//! Acoustics ──┘                    ├─ faces: statistics of each visible person during each turn
//!                                  ├─ bodies: posture, gesture and self-touch of each visible person
//!                                  ├─ language: what kinds of words are said
//!                                  ├─ dyads: what each turn does to each of the others
//!                                  ├─ synchrony: who follows whom over the interview
//!                                  └─ coupling: the same by other measures
//! ```

mod annotations;
mod begun;
mod bodies;
mod cast;
mod conversation;
mod coupling;
mod dyads;
mod edges;
mod entrainment;
mod events;
mod face_statistics;
mod floor;
mod floors;
mod lagged;
mod language;
mod laughter;
mod listening;
mod looking;
mod matching;
mod merged;
mod near;
mod normalise;
mod offset;
mod relations;
mod silent;
mod smiles;
mod speakers;
mod speech;
mod still;
mod synchrony;
mod table;
mod turn_floors;
mod voices;
mod watched;
mod words;

pub use annotations::{annotations_schema, annotations_table};
#[cfg(test)]
pub(crate) use bodies::told::{ToldLook, told_looks, told_strokes};
pub use bodies::{BodyTurn, PostureConfig, body_turns, turn_bodies_schema, turn_bodies_table};
pub use cast::{Cast, CastMember, Stretch, cast};
pub use coupling::{
    Chance, CouplingSettings, Granger, GrangerSettings, MeasureKind, Measured, Standing, coupled, coupling_schema,
    coupling_table,
};
pub use dyads::{dyads_schema, dyads_table};
pub use entrainment::EntrainmentConfig;
pub use events::{events_schema, events_table};
pub use face_statistics::{FaceTurn, face_turns, turn_faces_schema, turn_faces_table};
pub use floors::FloorConfig;
pub use lagged::{LagSettings, Lagged, Pairing, lagged};
pub use language::{LanguageConfig, Lexicon, SaidTurn, said};
pub use laughter::{LaughingConfig, Laughs, Laughter, LaughterIn, laughter_schema, laughter_table};
pub use matching::{SpeakerMatch, contradictions, dominant_speaker, match_speakers};
pub use merged::merge_cues;
pub use near::crowd;
pub use normalise::SpeakerZ;
pub use offset::{NoOffset, OffsetConfig, TranscriptOffset, transcript_offset};
pub use relations::{BodiesSeen, Relations, SpeakerLink};
pub use smiles::{smiles_of, smiles_schema, smiles_table};
pub use speakers::{EmbeddingOf, Speakers, speakers_schema, speakers_table};
pub use speech::{SpeechContext, speech_context, speech_schema, speech_table};
pub use synchrony::{SynchronyConfig, synchrony_schema, synchrony_table};
pub use table::{TurnFacts, TurnsOf, turns_schema, turns_table};
pub use words::{Timing, Voiced, estimated_words, syllables, word_count, words_outside, words_schema, words_table};

use crate::annotation::{Annotation, Turn};
use crate::error::Result;
use crate::limits;
use crate::table::{Column, Kind, Modality};

/// What is said of each turn.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TurnsConfig {
    /// An observation counts only when its face is at least this large.
    #[schemars(range(min = 0.0))]
    pub min_face_size_px: f64,
    /// An observation counts only when the landmark model is at least this sure of a face, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_presence: f64,
    /// An observation counts only when the face is at least this sharp (see `sharpness` of the faces table).
    #[schemars(range(min = 0.0))]
    pub min_sharpness: f64,
    /// An observation counts only when the head is turned aside by at most this, in degrees: beyond it half of the face
    /// is a guess.
    #[schemars(range(min = 0.0))]
    pub max_yaw_deg: f64,
    /// Least extent of a swing of a nod, in degrees of pitch.
    #[schemars(range(min = 0.0))]
    pub nod_deg: f64,
    /// Least extent of a swing of a shake, in degrees of yaw.
    #[schemars(range(min = 0.0))]
    pub shake_deg: f64,
    /// A listener looks towards or away from the speaker's side from this many degrees of yaw on: about the error of
    /// gaze in a picture.
    #[schemars(range(min = 0.0))]
    pub gaze_side_deg: f64,
    /// In a split screen a listener looks at the camera within this many degrees of it: the other's picture stands near
    /// it, and gaze errs by about 10.
    #[schemars(range(min = 0.0))]
    pub gaze_camera_deg: f64,
    /// A head slower than this is still: a resting one measures 2 to 5 degrees a second.
    #[schemars(range(min = 0.0))]
    pub still_below_deg_per_sec: f64,
    /// A listener's smile or brow answers the speaker's when it rises within so long: faces answer within a second
    /// (Dimberg et al. 2000), and the second one is for what is seen at ten pictures a second.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mimicry_within_secs: f64,
    /// A person is in a turn when seen in at least this share of its looked-at frames.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_presence_share: f64,
    /// A blendshape is active above this value.
    #[schemars(range(min = 0.0))]
    pub active_above: f64,
    /// A face smiles from this value of the smile on (see `smile_mean` of the turns table), 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub smile_above: f64,
    /// Lip corners that stand so far above the middle of the mouth are lifted in full (`lip_corner_lift` of the faces
    /// table).
    #[schemars(range(min = 0.001, max = 1.0))]
    pub smile_corner_lift: f64,
    /// A smile lasts at least this long: felt ones last 0.5 to 4 s (Ekman and Friesen 1982).
    #[schemars(range(min = 0.0))]
    pub smile_secs: f64,
    /// The mouth's part of the smile is a mean over so long to both sides, in which vowels average out.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub smile_mouth_secs: f64,
    /// The expression's part likewise; at least one look at the expression must lie in it (`face.expression_hz`).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub smile_expression_secs: f64,
    /// A picture of a face that changes by no more than this between looks is still (`picture_change` of the faces
    /// table), 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub still_picture_change: f64,
    /// … and a person is a still picture where it is so for at least this long.
    #[schemars(range(min = 0.0))]
    pub still_picture_secs: f64,
    /// A voice is a person's when it is at least this likely, 0 to 1, that this person is the one who speaks with it
    /// while seen.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub cast_min_probability: f64,
    /// Extra voice columns as z scores against the speaker's own turns: `off`, `causal` (earlier turns only) or
    /// `interview`.
    pub speaker_z: SpeakerZ,
    /// Write each voice's embedding into `speakers`. Off by default: an embedding can identify a person.
    pub speaker_embeddings: bool,
    /// Longest shift between transcript and audio that is looked for; 0 = do not look.
    #[schemars(range(min = 0.0))]
    pub max_transcript_offset_secs: f64,
    /// Lay out the words of turns that have no times of words over the voice in them, for the `words` table.
    pub estimate_word_times: bool,
    /// When such a shift is believed.
    pub transcript_fit: OffsetConfig,
    /// Posture, gesture and self-touch.
    pub body: PostureConfig,
    /// When a turn takes the floor.
    pub floor: FloorConfig,
    /// Voices that draw near.
    pub entrainment: EntrainmentConfig,
    /// Who follows whom.
    pub synchrony: SynchronyConfig,
    /// What kinds of words are said.
    pub language: LanguageConfig,
    /// Whose laughter it is, and when it answers another's.
    pub laughter: LaughingConfig,
}

impl Default for TurnsConfig {
    fn default() -> Self {
        TurnsConfig {
            min_face_size_px: 20.0,
            min_presence: 0.5,
            min_sharpness: 0.002,
            max_yaw_deg: 60.0,
            nod_deg: 4.0,
            shake_deg: 5.0,
            gaze_side_deg: 10.0,
            gaze_camera_deg: 15.0,
            still_below_deg_per_sec: 6.0,
            mimicry_within_secs: 2.0,
            min_presence_share: 0.1,
            active_above: 0.3,
            smile_above: 0.42,
            smile_corner_lift: 0.06,
            smile_secs: 0.5,
            smile_mouth_secs: 0.3,
            smile_expression_secs: 0.55,
            still_picture_change: 0.008,
            still_picture_secs: 2.0,
            cast_min_probability: 0.5,
            speaker_z: SpeakerZ::Off,
            speaker_embeddings: false,
            max_transcript_offset_secs: 86_400.0,
            estimate_word_times: true,
            transcript_fit: OffsetConfig::default(),
            body: PostureConfig::default(),
            floor: FloorConfig::default(),
            entrainment: EntrainmentConfig::default(),
            synchrony: SynchronyConfig::default(),
            language: LanguageConfig::default(),
            laughter: LaughingConfig::default(),
        }
    }
}

/// The same columns, each of this sense but for texts, which name things and measure none.
fn measured<R>(modality: Modality, columns: impl IntoIterator<Item = Column<R>>) -> Vec<Column<R>> {
    let is_text = |c: &Column<R>| matches!(c.spec().kind, Kind::Str | Kind::StrList);
    columns.into_iter().map(|c| if is_text(&c) { c } else { c.of(modality) }).collect()
}

/// What a visible person is in a turn, where the speaker's own picture is known.
fn role(person: &str, speaker_person: Option<&str>) -> &'static str {
    match speaker_person {
        Some(speaker) if speaker == person => "speaker",
        Some(_) => "listener",
        None => "unknown",
    }
}

/// The rows of the turn at a position, of rows in order of turns.
pub fn of_turn<T>(rows: &[T], turn: usize, turn_of: impl Fn(&T) -> usize) -> &[T] {
    let first = rows.partition_point(|row| turn_of(row) < turn);
    let count = rows[first..].partition_point(|row| turn_of(row) == turn);
    &rows[first..first + count]
}

impl TurnsConfig {
    /// Checks that the values mean something.
    ///
    /// # Errors
    /// [`crate::error::Error::Recipe`] with the key that is wrong, its value and what is accepted.
    pub fn check(&self) -> Result<()> {
        limits::check(self, "turns")?;
        self.synchrony.check()
    }
}

/// Where there is no transcript, the speech turns are the turns.
pub fn turns_of_speech(annotation: &Annotation) -> Vec<Turn> {
    annotation
        .turns()
        .iter()
        .zip(1..)
        .map(|(t, index)| Turn {
            index,
            segment: t.segment,
            speaker: Some(t.speaker.clone()),
            text: String::new(),
            words: Vec::new(),
        })
        .collect()
}
