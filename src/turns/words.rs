//! Words: their count in a text, and the `words` table where the transcript has them.

use crate::annotation::Turn;
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
        ],
    }
}

/// Rows of the `words` table; `None` when no turn has words.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn words_table(interview_id: &str, turns: &[Turn]) -> Result<Option<Table>> {
    if turns.iter().all(|t| t.words.is_empty()) {
        return Ok(None);
    }
    let mut table = TableBuilder::new(words_schema());
    for turn in turns {
        for (word, i) in turn.words.iter().zip(1i64..) {
            table
                .row()
                .set("interview_id", interview_id)
                .set("turn_index", turn.index)
                .set("word_index", i)
                .set("word", word.text.as_str())
                .set("start_secs", word.segment.map(|s| s.start()))
                .set("end_secs", word.segment.map(|s| s.end()))
                .set("speaker", word.speaker.as_deref().or(turn.speaker.as_deref()));
        }
    }
    table.finish().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_digits_and_apostrophes() {
        assert_eq!(word_count("In 1987 I paid $3,000 — didn't I?"), 8);
        assert_eq!(word_count("  … ' - "), 0);
        assert_eq!(word_count("Ça va, l’ami"), 3);
    }
}
