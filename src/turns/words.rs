//! Words: their count in a text, and the `words` table where the transcript has them.

use super::speech_context;
use crate::annotation::{Annotation, Turn};
use crate::error::Result;
use crate::table::{ColumnSpec, CutOff, Kind, Table, TableBuilder, TableSchema};

/// Runs of letters, digits and apostrophes, the way RESCUE-bench counts words.
pub fn word_count(text: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '\'' || c == '\u{2019}';
    text.split(|c: char| !is_word(c)).filter(|w| w.chars().any(char::is_alphanumeric)).count()
}

/// Contract of the `words` table.
pub fn words_schema() -> TableSchema {
    let column = ColumnSpec::new;
    TableSchema {
        name: "words",
        description: "One word of the transcript, where it gives words.",
        columns: vec![
            column("interview_id", Kind::Str, "", "Interview the row belongs to.").until(CutOff::None),
            column("turn_index", Kind::I64, "", "Turn the word belongs to.").until(CutOff::None),
            column("word_index", Kind::I64, "", "Position in the turn, from 1.").until(CutOff::None),
            column("word", Kind::Str, "", "As written in the transcript.").until(CutOff::TurnEnd),
            column("start_secs", Kind::F64, "s", "Start; null where the transcript gives none.").until(CutOff::TurnEnd),
            column("end_secs", Kind::F64, "s", "End; null where the transcript gives none.").until(CutOff::TurnEnd),
            column("speaker", Kind::Str, "", "The word's own speaker label, else the turn's.").until(CutOff::TurnEnd),
            // Clustering looks at the whole interview.
            column("diarized_speaker", Kind::Str, "", "Diarized speaker who talks most during the word; null without a time or a voice."),
            column("overlap_share", Kind::F64, "1", "Share of the word in which two or more talk, 0 to 1."),
        ],
    }
}

/// Rows of the `words` table, each with the voice of `annotation` that is heard; `None` when no turn has words.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn words_table(interview_id: &str, turns: &[Turn], annotation: &Annotation) -> Result<Option<Table>> {
    if turns.iter().all(|t| t.words.is_empty()) {
        return Ok(None);
    }
    let mut table = TableBuilder::new(words_schema());
    for turn in turns {
        for (word, i) in turn.words.iter().zip(1i64..) {
            let heard = word.segment.map(|s| speech_context(annotation, s, None)).unwrap_or_default();
            table
                .row()
                .set("interview_id", interview_id)
                .set("turn_index", turn.index)
                .set("word_index", i)
                .set("word", word.text.as_str())
                .set("start_secs", word.segment.map(|s| s.start()))
                .set("end_secs", word.segment.map(|s| s.end()))
                .set("speaker", word.speaker.as_deref().or(turn.speaker.as_deref()))
                .set("diarized_speaker", heard.speaker)
                .set("overlap_share", heard.overlap_share);
        }
    }
    table.finish().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_the_voice_that_says_it() {
        use crate::annotation::{SpeechTurn, Word};
        use crate::time::Segment;
        let segment = |a, b| Segment::from_secs(a, b).unwrap();
        let voice = |a, b, s: &str| SpeechTurn { segment: segment(a, b), speaker: s.into() };
        let annotation = Annotation::new(vec![voice(0.0, 1.0, "S0"), voice(0.75, 2.0, "S1")]);
        let word = |at: Option<(f64, f64)>| Word { text: "so".into(), segment: at.map(|(a, b)| segment(a, b)), speaker: None };
        let words = vec![word(Some((0.0, 0.5))), word(Some((0.5, 1.5))), word(None), word(Some((3.0, 3.5)))];
        // The transcript names nobody.
        let turn = Turn { index: 1, segment: segment(0.0, 4.0), speaker: None, text: "so so so so".into(), words };
        let table = words_table("a", &[turn], &annotation).unwrap().unwrap();
        let Some(crate::table::ColumnData::Str(heard)) = table.column("diarized_speaker") else { panic!() };
        let heard: Vec<Option<&str>> = heard.iter().map(Option::as_deref).collect();
        assert_eq!(heard, [Some("S0"), Some("S1"), None, None]);
        let Some(crate::table::ColumnData::F64(overlap)) = table.column("overlap_share") else { panic!() };
        assert!((overlap[1] - 0.25).abs() < 1e-9 && overlap[0].abs() < 1e-9 && overlap[2].is_nan(), "{overlap:?}");
    }

    #[test]
    fn words_are_runs_of_letters_digits_and_apostrophes() {
        assert_eq!(word_count("In 1987 I paid $3,000 — didn't I?"), 8);
        assert_eq!(word_count("  … ' - "), 0);
        assert_eq!(word_count("Ça va, l’ami"), 3);
    }
}
