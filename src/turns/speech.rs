//! Speech turns: the `speech` table, and who else talks inside a transcript turn.

use crate::annotation::{Annotation, union_secs};
use crate::error::Result;
use crate::table::{ColumnSpec, CutOff, Kind, Table, TableBuilder, TableSchema};
use crate::time::Segment;

use super::matching::dominant_speaker;

/// Speech inside one turn, by diarization.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpeechContext {
    /// Who talks most.
    pub speaker: Option<String>,
    /// Share of the turn in which anybody talks, 0 to 1. `None` for an empty turn.
    pub speech_share: Option<f64>,
    /// Share of the turn's speech that is the expected voice's, 0 to 1. `None` without speech or without an expected voice.
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
    let mut found = Vec::new();
    for (i, (a, speaker)) in turns.iter().enumerate() {
        for (b, other) in &turns[i + 1..] {
            if b.start() >= a.end() {
                break;
            }
            if speaker != other {
                found.extend(a.intersection(*b));
            }
        }
    }
    found
}

/// Contract of the `speech` table.
pub fn speech_schema() -> TableSchema {
    let column = ColumnSpec::new;
    TableSchema {
        name: "speech",
        description: "One speech turn found by diarization; overlap is kept.",
        columns: vec![
            column("interview_id", Kind::Str, "", "Interview the row belongs to.").until(CutOff::None),
            column("start_secs", Kind::F64, "s", "Start, from the recording's origin."),
            column("end_secs", Kind::F64, "s", "End, from the recording's origin."),
            column("speaker", Kind::Str, "", "Diarized speaker, SPEAKER_00 being the first to talk."),
            column("overlap_secs", Kind::F64, "s", "Time inside the row during which somebody else talks too."),
            column("exclusive_secs", Kind::F64, "s", "Time inside the row during which this speaker is the one heard best."),
            column("exclusive_speaker", Kind::Str, "", "The one speaker heard best during most of the row."),
        ],
    }
}

/// Rows of the `speech` table, sorted by start. `exclusive` has one speaker at a time.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn speech_table(interview_id: &str, annotation: &Annotation, exclusive: &Annotation) -> Result<Table> {
    let mut table = TableBuilder::new(speech_schema());
    for turn in annotation.turns() {
        let others = annotation.inside(turn.segment).into_iter().filter(|(_, s)| *s != turn.speaker).map(|(part, _)| part);
        table
            .row()
            .set("interview_id", interview_id)
            .set("start_secs", turn.segment.start())
            .set("end_secs", turn.segment.end())
            .set("speaker", turn.speaker.as_str())
            .set("overlap_secs", union_secs(others))
            .set("exclusive_secs", exclusive.speaker_time_in(&turn.speaker, turn.segment))
            .set("exclusive_speaker", dominant_speaker(exclusive, turn.segment).map(|d| d.0));
    }
    table.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotation::SpeechTurn;

    #[test]
    fn a_turn_knows_its_voice_and_its_overlap() {
        let voice = |a: f64, b: f64, s: &str| SpeechTurn { segment: Segment::from_secs(a, b).unwrap(), speaker: s.into() };
        let a = Annotation::new(vec![voice(0.0, 6.0, "S0"), voice(4.0, 5.0, "S1")]);
        let c = speech_context(&a, Segment::from_secs(2.0, 10.0).unwrap(), Some("S1"));
        assert_eq!(c.speaker.as_deref(), Some("S0"));
        assert!((c.speech_share.unwrap() - 0.5).abs() < 1e-9);
        assert!((c.overlap_share.unwrap() - 0.125).abs() < 1e-9);
        assert!((c.purity.unwrap() - 0.2).abs() < 1e-9);
        assert_eq!(speech_context(&a, Segment::from_secs(2.0, 2.0).unwrap(), None), SpeechContext::default());
    }
}
