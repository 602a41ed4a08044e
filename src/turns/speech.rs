//! Speech turns: the `speech` table, and who else talks inside a transcript turn.

use crate::annotation::{Annotation, SpeechTurn, union_secs};
use crate::error::Result;
use crate::table::{Column, CutOff, Layout, Modality, Table, TableSchema};
use crate::time::Segment;

use super::matching::dominant_speaker;
use super::{Cast, measured};

/// Speech inside one turn, by diarization.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpeechContext {
    /// Who talks most.
    pub speaker: Option<String>,
    /// Share of the turn in which anybody talks, 0 to 1. `None` for an empty turn.
    pub speech_share: Option<f64>,
    /// Share of the turn's speech that is the expected voice's, 0 to 1. `None` without speech or without an expected
    /// voice.
    pub purity: Option<f64>,
    /// Share of the turn in which two or more talk, 0 to 1.
    pub overlap_share: Option<f64>,
}

/// Looks into a turn; `expected` is the diarized speaker that its label was matched to.
pub fn speech_context(annotation: &Annotation, segment: Segment, expected: Option<&str>) -> SpeechContext {
    if segment.is_empty() {
        return SpeechContext::default();
    }
    let inside = annotation.inside(segment);
    let speech = union_secs(inside.iter().map(|(part, _)| *part));
    let all: f64 = annotation.times_in(segment).into_iter().map(|(_, secs)| secs).sum();
    SpeechContext {
        speaker: dominant_speaker(annotation, segment).map(|d| d.0),
        speech_share: Some((speech / segment.duration()).min(1.0)),
        purity: expected.filter(|_| all > 0.0).map(|e| annotation.speaker_time_in(e, segment) / all),
        overlap_share: Some(union_secs(overlaps(&inside)) / segment.duration()),
    }
}

/// Stretches in which two different speakers talk; `turns` are sorted by start.
fn overlaps(turns: &[(Segment, &str)]) -> Vec<Segment> {
    let mut overlaps = Vec::new();
    for (i, (a, speaker)) in turns.iter().enumerate() {
        for (b, other) in &turns[i + 1..] {
            if b.start() >= a.end() {
                break;
            }
            if speaker != other {
                overlaps.extend(a.intersection(*b));
            }
        }
    }
    overlaps
}

/// One speech turn, and what the others do during it.
struct Utterance<'a> {
    interview_id: &'a str,
    turn: &'a SpeechTurn,
    annotation: &'a Annotation,
    /// One speaker at a time.
    exclusive: &'a Annotation,
    cast: &'a Cast,
}

impl Utterance<'_> {
    fn overlap_secs(&self) -> f64 {
        let inside = self.annotation.inside(self.turn.segment).into_iter();
        union_secs(inside.filter(|(_, s)| *s != self.turn.speaker).map(|(part, _)| part))
    }
}

/// Columns of the `speech` table.
fn layout<'a>() -> Layout<Utterance<'a>> {
    let mut columns = vec![
        Column::text("interview_id", "Interview the row belongs to.", |u: &Utterance<'a>| u.interview_id)
            .until(CutOff::None),
    ];
    let measures = [
        Column::float("start_secs", "s", "Start, from the recording's origin.", |u: &Utterance<'a>| {
            u.turn.segment.start()
        }),
        Column::float("end_secs", "s", "End, from the recording's origin.", |u: &Utterance<'a>| u.turn.segment.end()),
        Column::text("speaker", "Diarized speaker, SPEAKER_00 being the first to talk.", |u: &Utterance<'a>| {
            u.turn.speaker.as_str()
        }),
        Column::float(
            "overlap_secs",
            "s",
            "Time inside the row during which somebody else talks too.",
            Utterance::overlap_secs,
        ),
        Column::float(
            "exclusive_secs",
            "s",
            "Time inside the row during which this speaker is the one heard best.",
            |u: &Utterance<'a>| u.exclusive.speaker_time_in(&u.turn.speaker, u.turn.segment),
        ),
        Column::text(
            "person",
            "The person on the screen who is likeliest to speak in the row, by the cast (see face_source of turns); null \
             = nobody on the screen.",
            |u: &Utterance<'a>| u.cast.person_during(&u.turn.speaker, u.turn.segment).and_then(|p| p.0),
        )
        .from_source("Everingham et al. 2006"),
        Column::float(
            "person_probability",
            "1",
            "Probability of what person says, 0 to 1; of nobody on the screen where that is null.",
            |u: &Utterance<'a>| u.cast.person_during(&u.turn.speaker, u.turn.segment).map(|p| p.1),
        ),
        Column::text("exclusive_speaker", "The one speaker heard best during most of the row.", |u: &Utterance<'a>| {
            dominant_speaker(u.exclusive, u.turn.segment).map(|d| d.0)
        }),
    ];
    columns.extend(measured(Modality::Timing, measures));
    Layout { name: "speech", description: "One speech turn found by diarization; overlap is kept.", columns }
}

/// Contract of the `speech` table.
pub fn speech_schema() -> TableSchema {
    layout().schema()
}

/// Rows of the `speech` table, sorted by start. `exclusive` has one speaker at a time.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn speech_table(interview_id: &str, annotation: &Annotation, exclusive: &Annotation, cast: &Cast) -> Result<Table> {
    layout().table(annotation.turns().iter().map(|turn| Utterance { interview_id, turn, annotation, exclusive, cast }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotation::SpeechTurn;

    #[test]
    fn a_turn_knows_its_voice_and_its_overlap() {
        let voice =
            |a: f64, b: f64, s: &str| SpeechTurn { segment: Segment::from_secs(a, b).unwrap(), speaker: s.into() };
        let a = Annotation::new(vec![voice(0.0, 6.0, "S0"), voice(4.0, 5.0, "S1")]);
        let c = speech_context(&a, Segment::from_secs(2.0, 10.0).unwrap(), Some("S1"));
        assert_eq!(c.speaker.as_deref(), Some("S0"));
        assert!((c.speech_share.unwrap() - 0.5).abs() < 1e-9);
        assert!((c.overlap_share.unwrap() - 0.125).abs() < 1e-9);
        assert!((c.purity.unwrap() - 0.2).abs() < 1e-9);
        assert_eq!(speech_context(&a, Segment::from_secs(2.0, 2.0).unwrap(), None), SpeechContext::default());
    }
}
