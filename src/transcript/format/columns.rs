//! Which columns of a table hold the words and the speakers, told by their cells where the header misleads.

use std::collections::{BTreeMap, BTreeSet};

use csv::StringRecord;

use super::delimited::Layout;
use super::headers::{SPEAKER, TEXT, normal};
use crate::error::Result;
use crate::transcript::draft::{Draft, short};

/// 1-based line and cells.
type Rows<'t> = &'t [(usize, StringRecord)];

/// Names of columns of words that are as often numbers or codes of something else: lines and turns are counted,
/// contents have types.
const WEAK: [&str; 8] = ["content", "words", "value", "caption", "subtitle", "line", "turn", "annotation"];

/// Parts of names that only columns of words have.
const WORDY: [&str; 9] =
    ["text", "transl", "transcri", "transkri", "utteran", "spoken", "said", "verbatim", "sentence"];

/// Ends of names that tell something about words instead.
const ABOUT: [&str; 9] = ["id", "type", "file", "path", "language", "lang", "count", "length", "number"];

/// Names under which the speaker is given and nothing else.
const SURE_SPEAKER: usize = 12;

/// What R, pandas and spreadsheets write into a cell that has no value.
const NO_VALUE: [&str; 8] = ["#N/A", "#VALUE!", "<NA>", "N/A", "NA", "NULL", "NaN", "nan"];

/// A cell, or nothing where a program has written that it has no value.
pub(super) fn value(cell: &str) -> &str {
    if NO_VALUE.contains(&cell.trim()) { "" } else { cell }
}

/// Tells of speakers and words that are missing values: where somebody has such a name, it must be written otherwise.
pub(super) fn tell_missing(layout: &Layout, rows: Rows, draft: &mut Draft) {
    for (index, are) in [(layout.speaker, "nobody's name"), (layout.text, "no words")] {
        let Some(index) = index else { continue };
        let missing: Vec<&str> = cells(rows, index).filter(|cell| value(cell).is_empty()).collect();
        if let Some(first) = missing.first() {
            draft.warn(format!(
                "{} cells of the column {} hold {first:?}, which programs write for a missing value: they are {are}",
                missing.len(),
                layout.header[index]
            ));
        }
    }
}

/// Tells of columns that bear the name of one that is read.
pub(super) fn tell_twins(layout: &Layout, draft: &mut Draft) {
    let name = |i: usize| normal(&layout.header[i]).0;
    let read = [Some(layout.start.index), Some(layout.end_index()), layout.speaker, layout.text];
    for index in read.into_iter().flatten() {
        let twins = unread(layout).filter(|other| name(*other) == name(index)).count();
        if twins > 0 {
            draft.warn(format!(
                "{} columns are called {}; the one at place {} is read",
                twins + 1,
                layout.header[index],
                index + 1
            ));
        }
    }
}

/// Settles the columns of words and speakers by what the cells hold.
pub(super) fn choose(layout: &mut Layout, rows: Rows, draft: &mut Draft) -> Result<()> {
    choose_speaker(layout, rows, draft);
    choose_text(layout, rows, draft)
}

fn cells<'t>(rows: Rows<'t>, index: usize) -> impl Iterator<Item = &'t str> {
    rows.iter().filter_map(move |(_, r)| r.get(index)).map(str::trim).filter(|c| !c.is_empty())
}

fn letters(cell: &&str) -> bool {
    cell.chars().any(char::is_alphabetic)
}

/// Cells of several words.
fn sentences(rows: Rows, index: usize) -> usize {
    cells(rows, index).filter(|c| letters(c) && c.contains(char::is_whitespace)).count()
}

fn wordy_name(name: &str) -> bool {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (WORDY.iter().any(|w| name.contains(w)) || TEXT.contains(&name) && !WEAK.contains(&name))
        && (name.ends_with("said") || !ABOUT.iter().any(|a| name.ends_with(a)))
}

/// Columns that are not read, by their place.
fn unread(layout: &Layout) -> impl Iterator<Item = usize> {
    let read = [Some(layout.start.index), Some(layout.end_index()), layout.speaker, layout.text];
    (0..layout.header.len()).filter(move |i| !read.contains(&Some(*i)))
}

/// The column of words that the header names may be the count of turns or the type of a content: then the one that
/// holds sentences is taken, where there is one alone.
fn choose_text(layout: &mut Layout, rows: Rows, draft: &mut Draft) -> Result<()> {
    let name = |i: usize| normal(&layout.header[i]).0;
    let named = layout.text.map(name);
    if layout.text.is_some_and(|t| sentences(rows, t) > 0) || rows.is_empty() {
        return Ok(());
    }
    let numbers = layout.text.is_some_and(|t| !cells(rows, t).any(|c| letters(&c)));
    let weak = named.as_ref().is_some_and(|n| WEAK.contains(&n.as_str()));
    if layout.text.is_some() && !numbers && !weak {
        // Answers of one word; what else there is to read is told.
        return Ok(());
    }
    let by_name: Vec<usize> =
        unread(layout).filter(|i| wordy_name(&name(*i)) && cells(rows, *i).any(|c| letters(&c))).collect();
    let others: Vec<usize> = unread(layout).filter(|i| sentences(rows, *i) > 0).collect();
    let taken = match (by_name.as_slice(), others.as_slice()) {
        ([one], _) => Some(*one),
        ([], [one]) if layout.text.is_some() && numbers => Some(*one),
        _ => None,
    };
    match (layout.text, taken) {
        (Some(before), Some(taken)) => {
            let held = if numbers { "numbers" } else { "codes of one word" };
            let (before, after) = (&layout.header[before], &layout.header[taken]);
            draft.warn(format!("the column {before} holds {held} only; the words are read from the column {after}"));
        }
        (None, Some(taken)) => draft.warn(format!("the words are read from the column {}", layout.header[taken])),
        (Some(before), None) if !others.is_empty() => {
            let all: Vec<&str> = others.iter().map(|i| layout.header[*i].as_str()).collect();
            let what = format!(
                "the column {} holds no sentences, but {} does: which holds the words?",
                layout.header[before],
                all.join(", ")
            );
            return Err(draft.fail(1, what, "call the column of the words `text`"));
        }
        (Some(_), None) if weak && numbers => {
            layout.text = None;
            return Ok(());
        }
        _ => {}
    }
    layout.text = taken.or(layout.text);
    Ok(())
}

/// Of several columns that may name speakers, one that names the same in all rows names the file or the interview.
fn choose_speaker(layout: &mut Layout, rows: Rows, draft: &mut Draft) {
    let Some(first) = layout.speaker else { return };
    let rank = |i: &usize| SPEAKER.iter().position(|s| *s == normal(&layout.header[*i]).0);
    let mut others: Vec<usize> = unread(layout).filter(|i| rank(i).is_some()).collect();
    others.sort_by_key(rank);
    let distinct = |i: usize| cells(rows, i).collect::<BTreeSet<&str>>().len();
    let header = |i: usize| &layout.header[i];
    if distinct(first) <= 1
        && rank(&first).is_some_and(|r| r >= SURE_SPEAKER || header(first).to_lowercase().ends_with("id"))
        && let Some(taken) = others.iter().copied().find(|i| distinct(*i) > 1)
    {
        draft.warn(format!(
            "the column {} is the same in all rows; speakers are read from the column {}",
            header(first),
            header(taken)
        ));
        layout.speaker = Some(taken);
        return;
    }
    for other in others {
        let mut names: BTreeMap<&str, &str> = BTreeMap::new();
        let pairs = rows
            .iter()
            .filter_map(|(_, r)| Some((r.get(first)?.trim(), r.get(other)?.trim())))
            .filter(|(_, b)| !b.is_empty());
        let several = |(a, b): (&'_ str, &'_ str)| (a.to_owned(), b.to_owned());
        let mut split = None;
        for (speaker, name) in pairs {
            let before = *names.entry(speaker).or_insert(name);
            if before != name {
                split = Some((several((speaker, before)), name.to_owned()));
                break;
            }
        }
        if let Some(((speaker, before), name)) = split {
            let (speaker, before, name) = (short(&speaker), short(&before), short(&name));
            draft.warn(format!(
                "speakers are read from the column {}; in the column {}, which is not read, {speaker:?} is both \
                 {before:?} and {name:?}",
                header(first),
                header(other)
            ));
        }
    }
}

/// Names columns that hold words too and are not read.
pub(super) fn tell_other_words(layout: &Layout, rows: Rows, draft: &mut Draft) {
    let Some(text) = layout.text else { return };
    let told = |i: usize| {
        let spoken = if wordy_name(&normal(&layout.header[i]).0) { cells(rows, i).filter(letters).count() } else { 0 };
        let count = spoken.max(sentences(rows, i));
        (count > 0).then(|| format!("{} ({count} rows with words)", layout.header[i]))
    };
    let (places, others): (Vec<usize>, Vec<String>) = unread(layout).filter_map(|i| Some((i, told(i)?))).unzip();
    if others.is_empty() {
        return;
    }
    let empty = |r: &StringRecord, i: usize| r.get(i).is_none_or(|c| c.trim().is_empty());
    let lost = rows.iter().filter(|(_, r)| empty(r, text) && places.iter().any(|i| !empty(r, *i))).count();
    let lost = if lost > 0 { format!("; {lost} rows have words only there") } else { String::new() };
    draft.warn(format!(
        "the words are read from the column {}; not read: {}{lost}",
        layout.header[text],
        others.join(", ")
    ));
}

/// Times with a point beside times with a comma: one of the two may stand between thousands.
pub(super) fn tell_mixed_marks(layout: &Layout, rows: Rows, draft: &mut Draft) {
    let mut marks: BTreeMap<char, (usize, usize, &str)> = BTreeMap::new();
    for (number, (_, row)) in rows.iter().enumerate() {
        for cell in [layout.start.index, layout.end_index()].into_iter().filter_map(|i| row.get(i)).map(str::trim) {
            if let Some(mark) = cell.chars().find(|c| matches!(c, '.' | ',')).filter(|_| !cell.contains(':')) {
                marks.entry(mark).or_insert((0, number + 1, cell)).0 += 1;
            }
        }
    }
    if let (Some(points), Some(commas)) = (marks.get(&'.'), marks.get(&',')) {
        let (count, number, cell) = if points.0 <= commas.0 { points } else { commas };
        let (usual, _, other) = if points.0 <= commas.0 { commas } else { points };
        let cell = short(cell);
        draft.warn(format!(
            "{count} times are written like {cell:?} (first: row {number}), {usual} like {:?}; both marks are read as \
             that of decimals",
            short(other)
        ));
    }
}

#[cfg(test)]
mod tests {
    use crate::transcript::tests::{complaint, parse, told, warned};

    #[test]
    fn counts_and_codes_are_not_taken_for_words() {
        for (text, warning) in [
            (
                "turn,speaker,start,end,spoken_text\n1,A,0,1,hello there\n2,B,1,2,yes\n",
                "column turn holds numbers only; the words are read from the column spoken_text",
            ),
            ("line,start,end,speaker,said\n1,0,1,A,hello there\n2,1,2,B,yes\n", "read from the column said"),
            ("line,start,end,speaker,remark\n1,0,1,A,hello there\n2,1,2,B,yes\n", "read from the column remark"),
            (
                "content_type,speaker,start,end,content,utterance_text\nx,A,0,1,speech,hello there\nx,B,1,2,speech,yes\n",
                "column content holds codes of one word only",
            ),
            (
                "speaker,start,end,what_was_said,notes\nA,0,1,hello there,looks up\nB,1,2,yes,\n",
                "words are read from the column what_was_said",
            ),
        ] {
            let t = parse("a.csv", text);
            assert_eq!(told(&t), ["0-1 A: hello there", "1-2 B: yes"], "{text}");
            assert!(warned(&t).contains(warning), "{}", warned(&t));
        }
        let e = complaint("a.csv", "content,speaker,start,end,one,two\nspeech,A,0,1,hello there,hallo du\n");
        assert!(
            e.contains("the column content holds no sentences, but one, two does") && e.contains("call the column"),
            "{e}"
        );
        let t = parse("a.csv", "turn,speaker,start,end\n1,A,0,1\n2,B,1,2\n");
        assert_eq!(told(&t), ["0-1 A: ", "1-2 B: "]);
        assert!(warned(&t).contains("no column holds the words"), "{}", warned(&t));
        // Answers of one word are words, and numbers are where nothing else is.
        let t = parse("a.csv", "start,end,text,notes\n0,1,yes,looks up\n1,2,no,\n");
        assert_eq!(told(&t), ["0-1 yes", "1-2 no"]);
        assert!(warned(&t).contains("not read: notes (1 rows with words)"), "{}", warned(&t));
        assert_eq!(told(&parse("a.csv", "start,end,text\n0,1,1\n1,2,2\n")), ["0-1 1", "1-2 2"]);
    }

    #[test]
    fn a_column_that_never_changes_names_no_speakers_beside_one_that_does() {
        for text in [
            "participant_id,role,start,end,text\nP017,Interviewer,0,1,a\nP017,Mother,1,2,b\n",
            "participant,start,end,who,text\nP017,0,1,Interviewer,a\nP017,1,2,Mother,b\n",
            "name,start,end,role,text\ntape1,0,1,Interviewer,a\ntape1,1,2,Mother,b\n",
            "speaker_id,start,end,role,text\n1,0,1,Interviewer,a\n1,1,2,Mother,b\n",
        ] {
            let t = parse("a.csv", text);
            assert_eq!(told(&t), ["0-1 Interviewer: a", "1-2 Mother: b"], "{text}");
            assert!(
                warned(&t).contains("is the same in all rows; speakers are read from the column"),
                "{}",
                warned(&t)
            );
        }
        let t = parse("a.csv", "speaker,start,end,role,text\nAnna,0,1,asks,a\nAnna,1,2,answers,b\n");
        assert_eq!(told(&t), ["0-1 Anna: a", "1-2 Anna: b"]);
        assert!(warned(&t).contains("\"Anna\" is both \"asks\" and \"answers\""), "{}", warned(&t));
        let t =
            parse("a.csv", "speaker,start,end,role,text\nAnna,0,1,therapist,a\nBo,1,2,client,b\nCleo,2,3,client,b\n");
        assert_eq!(warned(&t), "");
    }

    #[test]
    fn words_in_a_second_language_are_told() {
        for second in ["text_en", "translation", "text_interviewee", "text"] {
            let t = parse("a.csv", &format!("start,end,text,{second}\n0,1,hallo,hello\n1,2,,you and me\n2,3,ja,\n"));
            assert_eq!(told(&t), ["0-1 hallo", "1-2 ", "2-3 ja"]);
            let warning = format!(
                "read from the column text; not read: {second} (2 rows with words); 1 rows have words only there"
            );
            assert!(warned(&t).contains(&warning), "{}", warned(&t));
        }
        assert_eq!(warned(&parse("a.csv", "start,end,text,text_id,language\n0,1,hallo,a17,de\n")), "");
    }

    #[test]
    fn excels_habits_are_read_or_told() {
        let t = parse("a.csv", "sep=;\nstart;end;speaker;text\n0,5;1,2;A;hi\n1.234;1.236;A;you\n");
        assert_eq!(told(&t), ["0.5-1.2 A: hi", "1.234-1.236 A: you"]);
        assert!(
            warned(&t).contains("2 times are written like \"1.234\" (first: row 2), 2 like \"0,5\""),
            "{}",
            warned(&t)
        );
        assert!(complaint("a.csv", "sep=;\nstart;end;text\n0;1;a\nx;2;b\n").starts_with("a.csv:4: row 2"));
        assert_eq!(warned(&parse("a.csv", "start;end;text\n0,5;1,5;a.b\n00:01.5;2,5;b\n")), "");
    }
}
