//! Words: their count in a text, and the `words` table where the transcript has them.

use super::{SpeechContext, measured, speech_context};
use crate::annotation::{Annotation, Turn, Word};
use crate::error::Result;
use crate::table::{Column, CutOff, Layout, Missing, Modality, Table, TableSchema, all_until};
use crate::text::{is_of_word, is_unspaced};
use crate::time::Segment;
use crate::warning::Warning;

mod estimate;

pub use estimate::{Timing, Voiced, estimated_words, syllables};

/// A word that lies out of its cue by no more than this is rounded otherwise.
const LOOSE_SECS: f64 = 0.05;

/// Runs of letters, digits, apostrophes and their marks (accents written apart, vowel signs, joiners).
///
/// # Errors
/// [`Missing::NoSpaces`] where some of the text is written without spaces between words: a run there is a sentence, and
/// the rules of Unicode (UAX #29) part its words only with a dictionary of the language.
pub fn word_count(text: &str) -> Result<usize, Missing> {
    if text.contains(is_unspaced) {
        return Err(Missing::NoSpaces);
    }
    Ok(text.split(|c: char| !is_of_word(c)).filter(|w| w.chars().any(char::is_alphanumeric)).count())
}

/// One word, and the voice that is heard saying it.
struct SpokenWord<'a> {
    interview_id: &'a str,
    turn: &'a Turn,
    word_index: i64,
    word: &'a Word,
    timing: Option<Timing>,
    heard: SpeechContext,
}

/// Columns of the `words` table.
fn layout<'a>() -> Layout<SpokenWord<'a>> {
    let keys = [
        Column::text("interview_id", "Interview the row belongs to.", |w: &SpokenWord<'a>| w.interview_id),
        Column::int("turn_index", "", "Turn the word belongs to.", |w: &SpokenWord<'a>| w.turn.index),
        Column::int("word_index", "", "Position in the turn, from 1.", |w: &SpokenWord<'a>| w.word_index),
    ];
    let said = [
        Column::text("word", "As written in the transcript.", |w: &SpokenWord<'a>| w.word.text.as_str()),
        Column::float("start_secs", "s", "Start; null where there is none (see timing).", |w: &SpokenWord<'a>| {
            w.word.segment.map(|s| s.start())
        }),
        Column::float("end_secs", "s", "End; null where there is none (see timing).", |w: &SpokenWord<'a>| {
            w.word.segment.map(|s| s.end())
        }),
        Column::text(
            "timing",
            "Where start and end come from: given (the transcript), or estimated, where it times no word of the turn: \
             laid out by syllables (groups of vowels) over the voiced stretches of the turn, as voice activity tells \
             them; null where there is no time. No feature is made from estimated times.",
            |w: &SpokenWord<'a>| w.timing.map(Timing::name),
        ),
        Column::text("speaker", "The word's own speaker label, else the turn's.", |w: &SpokenWord<'a>| {
            w.word.speaker.as_deref().or(w.turn.speaker.as_deref())
        }),
    ];
    // Clustering looks at the whole interview.
    let heard = [
        Column::text(
            "diarized_speaker",
            "Diarized speaker who talks most during the word; null without a time or a voice.",
            |w: &SpokenWord<'a>| w.heard.speaker.clone(),
        ),
        Column::float(
            "overlap_share",
            "1",
            "Share of the word in which two or more talk, 0 to 1.",
            |w: &SpokenWord<'a>| w.heard.overlap_share,
        ),
    ];
    let mut columns = all_until(CutOff::None, keys);
    columns.extend(measured(Modality::Timing, all_until(CutOff::TurnEnd, said).into_iter().chain(heard)));
    Layout {
        name: "words",
        description: "One word of the transcript, where it gives words or they can be told apart.",
        columns,
    }
}

/// Contract of the `words` table.
pub fn words_schema() -> TableSchema {
    layout().schema()
}

/// Rows of the `words` table, each with the voice of `annotation` that is heard; of turns without times of words,
/// estimated ones, where `voiced` is given.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn words_table(
    interview_id: &str,
    turns: &[Turn],
    annotation: &Annotation,
    voiced: Option<Voiced<'_>>,
) -> Result<Table> {
    let estimated: Vec<Vec<Word>> =
        turns.iter().map(|t| voiced.map_or_else(Vec::new, |v| estimated_words(t, v))).collect();
    let rows = turns.iter().zip(&estimated).flat_map(|(turn, estimated)| {
        let (words, timing) =
            if estimated.is_empty() { (&turn.words, Timing::Given) } else { (estimated, Timing::Estimated) };
        words.iter().zip(1i64..).map(move |(word, index)| (turn, word, index, timing))
    });
    layout().table(rows.map(|(turn, word, word_index, timing)| {
        let heard = word.segment.map(|s| speech_context(annotation, s, None)).unwrap_or_default();
        SpokenWord { interview_id, turn, word_index, word, timing: word.segment.map(|_| timing), heard }
    }))
}

/// Tells of words that lie outside their turn.
pub fn words_outside(turns: &[Turn]) -> Option<Warning> {
    let is_outside = |turn: &Turn, word: Segment| {
        word.start().get() < turn.segment.start().get().max(0.0) - LOOSE_SECS
            || word.end().get() > turn.segment.end().get() + LOOSE_SECS
    };
    let outside = |t: &Turn| t.words.iter().filter_map(|w| w.segment).filter(|s| is_outside(t, *s)).count();
    let counts: Vec<(u32, usize)> = turns.iter().map(|t| (t.index, outside(t))).filter(|c| c.1 > 0).collect();
    let (first, _) = counts.first()?;
    let all: usize = counts.iter().map(|c| c.1).sum();
    let what = format!("{all} words lie outside their turn's time by more than {LOOSE_SECS} s, first in turn {first}");
    Some(Warning::Transcript { what })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_do_not_part_words() {
        assert_eq!(word_count("मैं हिन्दी में बात कर रहा हूँ"), Ok(7));
        assert_eq!(word_count("தமிழ்நாடு"), Ok(1));
        assert_eq!(word_count("e\u{301}le\u{300}ve"), word_count("élève"));
        assert_eq!(word_count("می\u{200c}خواهم"), Ok(1));
        assert_eq!(word_count("well-known \u{301} co\u{ad}operate"), Ok(3), "a mark alone is no word");
    }

    #[test]
    fn words_outside_their_turn_are_told() {
        let segment = |a, b| Segment::from_secs(a, b).unwrap();
        let word = |a, b| Word { text: "so".into(), segment: Some(segment(a, b)), speaker: None };
        let turn = |index, words| Turn { index, segment: segment(1.0, 2.0), speaker: None, text: "so".into(), words };
        assert_eq!(words_outside(&[turn(1, vec![word(1.0, 2.0), word(0.97, 2.03)])]), None, "rounded");
        let told = words_outside(&[turn(1, Vec::new()), turn(2, vec![word(0.5, 1.5), word(1.5, 2.4), word(1.1, 1.2)])]);
        assert!(
            told.unwrap()
                .to_string()
                .contains("2 words lie outside their turn's time by more than 0.05 s, first in turn 2")
        );
    }

    #[test]
    fn estimated_times_are_marked() {
        let segment = Segment::from_secs(1.0, 2.0).unwrap();
        let turn = Turn { index: 1, segment, speaker: None, text: "so it is".into(), words: Vec::new() };
        let voiced = Voiced { probability: &[], step_secs: 0.032 };
        let made = words_table("a", std::slice::from_ref(&turn), &Annotation::default(), Some(voiced)).unwrap();
        let timing = made.column("timing").unwrap();
        assert_eq!(timing, &crate::table::ColumnData::Str(vec![Some("estimated".into()); 3]));
        assert_eq!(words_table("a", std::slice::from_ref(&turn), &Annotation::default(), None).unwrap().rows(), 0);
    }

    #[test]
    fn a_word_has_the_voice_that_says_it() {
        use crate::annotation::{SpeechTurn, Word};
        use crate::time::Segment;
        let segment = |a, b| Segment::from_secs(a, b).unwrap();
        let voice = |a, b, s: &str| SpeechTurn { segment: segment(a, b), speaker: s.into() };
        let annotation = Annotation::new(vec![voice(0.0, 1.0, "S0"), voice(0.75, 2.0, "S1")]);
        let word =
            |at: Option<(f64, f64)>| Word { text: "so".into(), segment: at.map(|(a, b)| segment(a, b)), speaker: None };
        let words = vec![word(Some((0.0, 0.5))), word(Some((0.5, 1.5))), word(None), word(Some((3.0, 3.5)))];
        // The transcript names nobody.
        let turn = Turn { index: 1, segment: segment(0.0, 4.0), speaker: None, text: "so so so so".into(), words };
        let table = words_table("a", &[turn], &annotation, None).unwrap();
        let Some(crate::table::ColumnData::Str(heard)) = table.column("diarized_speaker") else { panic!() };
        let heard: Vec<Option<&str>> = heard.iter().map(Option::as_deref).collect();
        assert_eq!(heard, [Some("S0"), Some("S1"), None, None]);
        let Some(crate::table::ColumnData::F64(overlap)) = table.column("overlap_share") else { panic!() };
        assert!((overlap[1] - 0.25).abs() < 1e-9 && overlap[0].abs() < 1e-9 && overlap[2].is_nan(), "{overlap:?}");
    }

    #[test]
    fn words_are_runs_of_letters_digits_and_apostrophes() {
        assert_eq!(word_count("In 1987 I paid $3,000 — didn't I?"), Ok(8));
        assert_eq!(word_count("  … ' - "), Ok(0));
        assert_eq!(word_count("Ça va, l’ami"), Ok(3));
        assert_eq!(word_count("네, 알겠습니다"), Ok(2), "Korean has spaces");
    }

    #[test]
    fn writing_without_spaces_has_no_count() {
        // I like apples; I am a student; I love the Thai language; Lao, Khmer, Burmese, Tibetan; kana of half width.
        let texts =
            ["我喜欢吃苹果。", "私は学生です。", "ｶﾀｶﾅ", "ฉันรักภาษาไทย", "ພາສາລາວ", "ភាសាខ្មែរ", "မြန်မာစာ", "བོད་སྐད"];
        for text in texts.into_iter().chain(["so 我 said"]) {
            assert_eq!(word_count(text), Err(Missing::NoSpaces), "{text}");
        }
    }
}
