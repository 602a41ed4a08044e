//! `codebook.md`.

use std::fmt::Write;

use super::tally::Tally;
use super::{BookColumn, BookTable, Codebook, first_columns};
use crate::inspect::schema_doc::{cell, sources_markdown};
use crate::text::{clean, counted};

const HEAD: &str = "| column | unit | meaning | source | modality | cut-off | filled | range seen |\n|---|---|---|---|---|---|---|---|\n";

/// How to read the page.
const PREFACE: &str = "\
Made by `turnwise schema --codebook`. Meaning: as the tables' own files tell it, with the thresholds that held; keys \
in brackets are those of the recipe. Source: where the definition comes from, or the network that measures, in full \
at the end; empty = Turnwise's own definition, of what other columns and words name. Modality: the sense a column \
comes from. Unit: 1 = a number without unit (share, probability, correlation).

- Null: a value that is not known or not defined is null, never 0 or NaN; 0 is measured. Why a group of columns is \
null stands in its `_missing` column, which is null where nothing is missing. Null in true/false columns means not \
known, not false.
- Cut-off: the time up to which a column looked. none = known beforehand; turn_start; turn_end; next_turn = start of \
the next turn; interview = its end. It is that of the measurement: who is who (voices told apart, labels matched, \
people told apart on the screen, the cast, which faces are photos) is found over the whole interview and is not \
counted in it. For prediction take no column with cut-off interview: it looks ahead.
- Filled: share of rows with a value. Range seen: smallest, median and largest number (of lists their length; a \
median of more than 4096 numbers is rounded towards zero by less than 0.4 %), or the number of distinct texts, with \
the texts and their counts where they are few.
- Keys: `interview_id` joins all tables; with `turn_index` also `turns`, `turn_faces`, `dyads` (one row a turn and \
`listener`) and `words`; `synchrony` has one row for `from`, `to` and `signal`.
";

/// Terms that descriptions use.
const WORDS: &str = "\
- Origin: time 0 of every table: the start time the recording's container tells, which sound and video share. A \
transcript's times are counted from it.
- Turn: a cue of the transcript with its times as written; without a transcript a speech turn found by diarization.
- Order: rows of `turns`, `dyads` and `words` go by the turns' starts, and so do \"before\", \"earlier\", \"so far\", \
\"up to its turn\" and \"the last row\"; of turns that begin together the one written first is the earlier. \
`turn_index` is the turn's number in the transcript: it ascends with the rows, but in a transcript that is not in \
order of time (a warning of `interviews` says so).
- Edges of a turn: a frame of sound whose centre, and a looked-at frame whose time, lies in [start, end) is the \
turn's. A frame's own window may reach over the edge: 10 ms for level, 43 ms for intensity, 160 ms for what the \
pitch network sees; eGeMAPS has the turn's samples cut out and nothing beside. Means over time of faces (the smile) \
reach back over the turn's start, never over its end.
- Label: the name the transcript gives a turn's speaker. Voice: a speaker found in the sound by diarization \
(SPEAKER_00 the first to talk). Person: somebody on the screen (P1 the first seen).
- Matched: each label has the voice with which it shares most time over the interview, one voice a label and one \
label a voice. Cast: each voice has the person whose mouth moves with it.
- Speaker: the turn's label, else its voice. Listener: every other label of the interview, addressed or not. A turn \
without a label, in a transcript that labels others, has no rows in `dyads` and counts for nobody. A transcript with \
no labels, or one, gives `dyads` and `synchrony` no rows.
- Floor: consecutive turns of one speaker, nobody else holding the floor between them. Backchannel: a short turn \
wholly inside another's; it holds no floor.
- Exchange: a turn and the next one in order of time, of two speakers.
- Sound: the mean of all channels, at 16 kHz; what is in one of two channels alone is 6 dB lower in it. Channels \
that would cancel each other are not averaged, the louder is taken (warning channels_cancel). Of several streams one \
is heard, unless input.audio_mix is all.
- Whose sound: columns of voice, pauses and rates measure all that is heard in the turn, whoever talks; overlapped \
speech is not left out (`overlap_share` tells how much there is, `speaker_contradicts` whether it is somebody \
else's).
- Frame of sound: 10 ms. Voiced: the pitch network, which gives a value every 16 ms, is at least \
`voice.voicing_confidence` sure of a pitch in the value nearest to the frame's centre; eGeMAPS has openSMILE's own \
decision.
- Looked-at frame: a frame of the video in which faces are searched (`face.rate_hz` of them a second; expressions \
`face.expression_hz`). Instant: a looked-at frame in which the person's face is large, sharp and frontal enough to \
count (`turns.min_face_size_px` and the next keys). Seen: found in enough of the turn's looked-at frames \
(`turns.min_presence_share`). Measured: seen, with at least one instant.
- Layout: one_camera, split_screen or gallery: whether people who are seen together are in one room.
- Names with speech_: by the sound; the same names without it: by the transcript's times.
- Networks: who speaks when: pyannote segmentation-3.0 (Plaquet & Bredin 2023), CAM++ (Wang et al. 2023), Silero VAD \
6.2. Pitch: SwiftF0 (Nieradzik 2025). Landmarks, blendshapes, head: MediaPipe; gaze and cast are computed from its \
landmarks. Expressions: face-api's, unless face.expression names another. `turnwise models` lists all with their \
hashes.
";

impl Codebook {
    /// The page.
    pub(super) fn page(&self) -> String {
        let mut text = format!("# Codebook\n\n{PREFACE}\n## Words\n\n{WORDS}");
        // Writing to a String cannot fail.
        if let Some(left_out) = self.left_out() {
            let _ = writeln!(text, "\nNot in it: {left_out}.");
        }
        if self.makings.is_mixed() {
            let _ = writeln!(
                text,
                "\nThe interviews were not all made the same way:\n\n```text\n{}\n```",
                self.makings.text().trim_end()
            );
        }
        self.begin_with(&mut text);
        for table in &self.tables {
            let files = counted(table.files, "file");
            let _ = writeln!(
                text,
                "\n## {}\n\n{} {} rows in {files}.\n\n{}",
                table.name,
                cell(&table.description),
                table.rows,
                HEAD.trim_end()
            );
            table.columns.iter().for_each(|column| line(&mut text, &column.spec.name, column));
        }
        text + &sources_markdown(self.tables.iter().flat_map(|t| &t.columns).map(|c| &c.spec))
    }

    /// The columns to begin with that the folder has.
    fn begin_with(&self, text: &mut String) {
        let found: Vec<(&BookTable, &BookColumn)> = first_columns()
            .into_iter()
            .filter_map(|(table, column)| {
                let table = self.tables.iter().find(|t| t.name == table)?;
                Some((table, table.columns.iter().find(|c| c.spec.name == column)?))
            })
            .collect();
        if !found.is_empty() {
            let _ = writeln!(text, "\n## Thirty columns to begin with\n\n{}", HEAD.trim_end());
            found.into_iter().for_each(|(table, c)| line(text, &format!("{}.{}", table.name, c.spec.name), c));
        }
    }
}

fn line(text: &mut String, name: &str, column: &BookColumn) {
    let spec = &column.spec;
    let filled = column.tally.filled_share().map(|s| percent(s, column.tally.filled, column.tally.rows));
    let _ = writeln!(
        text,
        "| `{}` | {} | {} | {} | {} | {} | {} | {} |",
        cell(name),
        cell(column.unit()),
        cell(&clean(&column.meaning())),
        cell(&spec.source),
        spec.modality.name(),
        spec.cut_off.name(),
        filled.unwrap_or_default(),
        cell(&clean(&range(column)))
    );
}

/// A share that is 0 % or 100 % only when it is none or all.
fn percent(share: f64, filled: u64, rows: u64) -> String {
    match (100.0 * share).round() {
        p if p < 1.0 && filled > 0 => "<1 %".into(),
        p if p > 99.0 && filled < rows => ">99 %".into(),
        p => format!("{p} %"),
    }
}

fn range(column: &BookColumn) -> String {
    let Tally { numbers, texts, .. } = &column.tally;
    if let (Some((low, high)), Some(median)) = (numbers.range(), numbers.median()) {
        let what = if column.is_list() { "lengths " } else { "" };
        return format!("{what}{} / {} / {}", short(low), short(median), short(high));
    }
    match (texts.distinct(), texts.frequent()) {
        (_, Some(each)) => each,
        (Some(distinct), None) => format!("{distinct} distinct"),
        (None, None) => String::new(),
    }
}

/// Five digits, no more than the number has.
fn short(x: f64) -> String {
    // Zero has no sign.
    let x = x + 0.0;
    let whole = x.abs();
    if whole != 0.0 && !(1e-4..1e7).contains(&whole) {
        return format!("{x:.3e}");
    }
    let places = if whole >= 1.0 { 4_i32.saturating_sub(whole.log10() as i32).max(0) } else { 4 };
    let told = format!("{x:.*}", places.unsigned_abs() as usize);
    let told = if told.contains('.') { told.trim_end_matches('0').trim_end_matches('.') } else { &told };
    told.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_shortly_and_shares_never_as_all_when_some_lack() {
        let told = |all: &[f64]| all.iter().map(|x| short(*x)).collect::<Vec<_>>().join(" ");
        assert_eq!(told(&[0.0, -1.5, 0.123_456, 12_345.678, 9_876_543.0]), "0 -1.5 0.1235 12346 9876543");
        assert_eq!(told(&[1e-7, 3.0e12, -100.0, 99.99951]), "1.000e-7 3.000e12 -100 100");
        assert_eq!((percent(0.999, 999, 1000), percent(1.0, 7, 7)), (">99 %".into(), "100 %".into()));
        assert_eq!((percent(0.001, 1, 1000), percent(0.0, 0, 9)), ("<1 %".into(), "0 %".into()));
    }
}
