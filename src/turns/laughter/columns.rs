//! The `laughter` table, and the columns of laughter in `turns` and `dyads`.

use super::super::{Relations, measured};
use super::{Laughs, Laughter};
use crate::error::Result;
use crate::table::{Column, CutOff, Layout, Missing, Modality, Table, TableSchema, all_until};

/// The paper that laughs in answer are told after.
const ANSWER: &str = "Smoski & Bachorowski 2003";

/// The papers behind laughter in the sound.
const HEARD: &str = "Bachorowski et al. 2001; Truong & van Leeuwen 2007";

/// Why counts are null, in `turns` and `dyads` alike.
const WHY: &str = "Why the columns of laughter are null, all of them; null = they are filled. not_requested: the \
                   transcript marks no laughter anywhere, and the sound was not asked (voice.laughter.enabled was \
                   {voice.laughter.enabled}).";

/// What is counted, told once.
const COUNTED: &str = "Laughs are the rows of the laughter table, by the transcript's marks and, where it was asked, \
                       by the sound; each belongs to the turn in which it begins, once.";

/// One laugh on its way into the table.
struct LaughterRow<'a> {
    interview_id: &'a str,
    laughter_index: i64,
    turn_index: Option<u32>,
    laugh: &'a Laughter,
}

fn layout<'a>() -> Layout<LaughterRow<'a>> {
    let keys = [
        Column::text("interview_id", "Interview the row belongs to.", |r: &LaughterRow<'a>| r.interview_id),
        Column::int(
            "laughter_index",
            "",
            "Position among the laughs of the interview, from 1.",
            |r: &LaughterRow<'a>| r.laughter_index,
        ),
        Column::int(
            "turn_index",
            "",
            "The turn in which it begins, the last begun of several; null = between turns.",
            |r: &LaughterRow<'a>| r.turn_index,
        ),
    ];
    let mut columns = all_until(CutOff::None, keys);
    columns.extend(measured(Modality::Voice, when()));
    columns.extend(measured(Modality::Voice, who()));
    Layout { name: "laughter", description: "One laugh, from onset to end.", columns }
}

fn when<'a>() -> [Column<LaughterRow<'a>>; 5] {
    let start = "Onset. In the sound: where the probability of laughter, every 0.05 s, a mean over 0.35 s, is first at \
                 least {voice.laughter.release_probability} before it reaches {voice.laughter.onset_probability}; \
                 laughs closer than {voice.laughter.join_secs} s are one, shorter ones than \
                 {voice.laughter.min_secs} s none. Of a mark of the transcript the cue's start.";
    [
        Column::float("start_secs", "s", start, |r: &LaughterRow<'a>| r.laugh.segment.start()).from_source(HEARD),
        Column::float("end_secs", "s", "Its end, likewise.", |r: &LaughterRow<'a>| r.laugh.segment.end()),
        Column::bool(
            "with_words",
            "True of a mark that stands beside words: the laugh is somewhere in the cue, and its length is not known.",
            |r: &LaughterRow<'a>| r.laugh.with_words,
        ),
        Column::text(
            "source",
            "transcript: marked there, as [laughs]. sound: heard by its rhythm, where no mark without words shares \
             time with it.",
            |r: &LaughterRow<'a>| r.laugh.source.word(),
        ),
        Column::float(
            "probability",
            "1",
            "Mean probability of laughter over it, 0 to 1, by the rhythm of its bursts; it is not calibrated. Null of \
             marks.",
            |r: &LaughterRow<'a>| r.laugh.probability,
        )
        .from_source(HEARD),
    ]
}

fn who<'a>() -> [Column<LaughterRow<'a>>; 5] {
    let speaker = "Who laughs: label as in turns. Of a mark its cue's; of the sound the label of the voice, else of \
                   the person; null with speaker_missing.";
    [
        Column::text("speaker", speaker, |r: &LaughterRow<'a>| r.laugh.speaker.as_deref()),
        Column::text(
            "speaker_missing",
            "Why nobody is named; null = somebody is. no_label (the mark stands in a cue without a label), no_speech \
             (no voice is heard in it, and not just one face smiles), no_voice (several voices are heard in it, and \
             not just one face smiles, or its voice or person has no label).",
            |r: &LaughterRow<'a>| r.laugh.speaker_missing,
        ),
        Column::text(
            "voice",
            "Diarized speaker: of the sound the one with at least {turns.laughter.voice_share} of all voices' time in \
             it; of a mark the label's.",
            |r: &LaughterRow<'a>| r.laugh.voice.as_deref(),
        ),
        Column::text(
            "person",
            "Person on the screen: the speaker's by the cast; where no voice tells, the only one whose mean smile in \
             it reaches {turns.smile_above}.",
            |r: &LaughterRow<'a>| r.laugh.person.as_deref(),
        ),
        Column::bool(
            "shared",
            "True where another speaker's laugh shares time with it, or the mean smiles of two persons or more in it \
             reach {turns.smile_above}; false where two persons or more are measured in it and at most one smiles so; \
             null where nothing tells it, and of marks beside words.",
            |r: &LaughterRow<'a>| r.laugh.shared,
        ),
    ]
}

/// Contract of the `laughter` table.
pub fn laughter_schema() -> TableSchema {
    layout().schema()
}

/// Rows of the `laughter` table, in order of time.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn laughter_table(relations: &Relations<'_>) -> Result<Table> {
    let laughs = relations.laughs.map_or(&[][..], |l| l.all.as_slice());
    layout().table(laughs.iter().zip(1..).map(|(laugh, laughter_index)| LaughterRow {
        interview_id: relations.interview_id,
        laughter_index,
        turn_index: laugh.turn.and_then(|turn| relations.turns.get(turn)).map(|t| t.index),
        laugh,
    }))
}

/// The laughter of one turn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::turns) struct TurnLaughter {
    /// All, the speaker's, the others'.
    pub(super) counts: [usize; 3],
    /// The same in seconds, marks beside words left out.
    pub(super) secs: [f64; 3],
}

impl Laughs {
    /// Of the turn at a position, whose speaker is given.
    pub(in crate::turns) fn of_turn(&self, turn: usize, speaker: Option<&str>) -> Result<TurnLaughter, Missing> {
        if let Some(why) = self.missing {
            return Err(why);
        }
        let mut found = TurnLaughter::default();
        for laugh in self.in_turn(turn) {
            let own = laugh.speaker.as_deref().zip(speaker).map(|(who, speaker)| who == speaker);
            let places = [Some(0), own.map(|own| if own { 1 } else { 2 })];
            for place in places.into_iter().flatten() {
                found.counts[place] += 1;
                found.secs[place] += if laugh.with_words { 0.0 } else { laugh.segment.duration() };
            }
        }
        Ok(found)
    }

    /// Of the turn at a position, between its speaker and one listener.
    pub(in crate::turns) fn between(
        &self,
        turn: usize,
        (speaker, listener): (&str, &str),
        answer_secs: f64,
    ) -> Result<DyadLaughter, Missing> {
        if let Some(why) = self.missing {
            return Err(why);
        }
        let of = |who: &str, laugh: &&Laughter| laugh.speaker.as_deref() == Some(who);
        let own = self.in_turn(turn).filter(|l| of(speaker, l) && !l.with_words);
        let others: Vec<&Laughter> = self.all.iter().filter(|l| of(listener, l) && !l.with_words).collect();
        let shares = |laugh: &&Laughter| others.iter().any(|o| o.segment.overlap(laugh.segment) > 0.0);
        let answers = |laugh: &&Laughter| {
            let start = laugh.segment.start().get();
            others.iter().map(|o| o.segment.start().get() - start).any(|after| after > 0.0 && after <= answer_secs)
        };
        Ok(DyadLaughter {
            listener: self.in_turn(turn).filter(|l| of(listener, l)).count(),
            shared: own.clone().filter(shares).count(),
            answered: own.filter(answers).count(),
        })
    }
}

/// What two have of laughter in a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::turns) struct DyadLaughter {
    listener: usize,
    shared: usize,
    answered: usize,
}

/// What a turn's row says of laughter.
pub(in crate::turns) type OfTurn = Result<TurnLaughter, Missing>;

/// What a dyad's row says of laughter.
pub(in crate::turns) type OfDyad = Result<DyadLaughter, Missing>;

/// Columns of `turns`. Whether there is a mark anywhere, and whose voice it is, the whole interview tells.
pub(in crate::turns) fn turn_columns() -> Vec<Column<OfTurn>> {
    const KNOWN: &str = "Laughs of which nobody knows whose they are count in neither.";
    fn count(name: &'static str, text: String, place: usize) -> Column<OfTurn> {
        Column::int(name, "", text, move |l: &OfTurn| l.ok().map(|l| l.counts[place]))
    }
    fn secs(name: &'static str, text: String, place: usize) -> Column<OfTurn> {
        Column::float(name, "s", text, move |l: &OfTurn| l.ok().map(|l| l.secs[place]))
    }
    let long = "their whole length, also past the turn's end; marks beside words have none";
    let mut columns = measured(
        Modality::Voice,
        [
            count(
                "laughs",
                format!("Laughs that begin in the turn, anybody's. {COUNTED} Null with laughter_missing."),
                0,
            ),
            secs("laughter_secs", format!("Length of those laughs, added up: {long}."), 0),
            count("speaker_laughs", format!("The speaker's laughs that begin in the turn. {KNOWN}"), 1),
            secs("speaker_laughter_secs", format!("Length of those, added up: {long}."), 1),
            count("listener_laughs", format!("Laughs of anybody else that begin in the turn. {KNOWN}"), 2),
            secs("listener_laughter_secs", format!("Length of those, added up: {long}."), 2),
        ],
    );
    columns.push(Column::text("laughter_missing", WHY, |l: &OfTurn| l.err()));
    columns
}

/// Columns of `dyads`.
pub(in crate::turns) fn dyad_columns() -> Vec<Column<OfDyad>> {
    fn count(name: &'static str, text: String, value: fn(DyadLaughter) -> usize) -> Column<OfDyad> {
        Column::int(name, "", text, move |l: &OfDyad| l.ok().map(value))
    }
    let answered = "The speaker's laughs begun in the turn that the listener answers: a laugh of the listener's begins \
                    after the start and at most {turns.laughter.answer_secs} s later, also past the turn's end. Marks \
                    beside words are left out, as their times are not known.";
    vec![
        count(
            "listener_laughs",
            format!("The listener's laughs that begin in the turn. {COUNTED} Null with laughter_missing."),
            |l| l.listener,
        ),
        count(
            "shared_laughs",
            "The speaker's laughs begun in the turn that share time with one of the listener's; marks beside words are \
             left out."
                .into(),
            |l| l.shared,
        ),
        count("answered_laughs", answered.into(), |l| l.answered).from_source(ANSWER),
        Column::text("laughter_missing", WHY, |l: &OfDyad| l.err()),
    ]
}
