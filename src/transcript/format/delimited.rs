//! CSV and TSV: a header names the columns, by the names transcripts use; times in seconds, milliseconds or as clock
//! times.

use csv::{ReaderBuilder, StringRecord};

use super::columns as choice;
use super::grouped;
use super::headers::{DURATION, END, SPEAKER, START, TEXT, Unit, normal};
use super::lengths;
use crate::error::Result;
use crate::transcript::cue::{self, Cue};
use crate::transcript::draft::{CUT, Draft, short};
use crate::transcript::{Rates, clock, frames, markup, quotes};

const EXPECTED: &str = "times are seconds (12.5) or clock times (00:00:12,500), end at or after start; correct the row";

/// A column and the unit of its times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Column {
    pub(super) index: usize,
    unit: Unit,
}

/// Which columns hold what.
#[derive(Debug, PartialEq)]
pub(super) struct Layout {
    delimiter: u8,
    pub(super) header: Vec<String>,
    pub(super) start: Column,
    end: End,
    pub(super) speaker: Option<usize>,
    pub(super) text: Option<usize>,
}

impl Layout {
    fn end_unit(&self) -> Unit {
        let (End::At(end) | End::After(end)) = self.end;
        end.unit
    }

    /// Whether an end is told, not a duration.
    pub(super) fn tells_ends(&self) -> bool {
        matches!(self.end, End::At(_))
    }

    /// The column of the end or of the duration.
    pub(super) fn end_index(&self) -> usize {
        let (End::At(end) | End::After(end)) = self.end;
        end.index
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    At(Column),
    After(Column),
}

/// A whole file, small.
pub(super) const EXAMPLE: &str = "start;end;speaker;text\n1,5;2,5;A;\"x \"\"y\"\"\"\n";

/// True when the first line is a header with times and with words or speakers.
pub(super) fn fits(text: &str) -> bool {
    layout(text).is_some()
}

/// The first line's fields with the likeliest delimiter, for messages.
pub(super) fn header_fields(text: &str) -> Vec<String> {
    let line = without_sep(text).trim_start_matches('\n').split('\n').next().unwrap_or("");
    let count = |d: u8| line.bytes().filter(|b| *b == d).count();
    let best = [b',', b'\t', b';', b'|'].into_iter().rev().max_by_key(|d| count(*d)).unwrap_or(b',');
    fields(line, best).iter().map(|f| short(f)).take(20).collect()
}

fn fields(line: &str, delimiter: u8) -> Vec<String> {
    let mut reader =
        ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(line.as_bytes());
    let mut record = StringRecord::new();
    match reader.read_record(&mut record) {
        Ok(true) => record.iter().map(|f| f.trim().trim_matches('"').to_owned()).collect(),
        _ => Vec::new(),
    }
}

/// The text without the line `sep=;` that Excel puts or wants first; its line end stays, and so the count of lines.
fn without_sep(text: &str) -> &str {
    let line = text.split('\n').next().unwrap_or("");
    let bare = line.trim_matches(['\r', ' ', '"']);
    if bare.len() == 5 && bare.get(..4).is_some_and(|b| b.eq_ignore_ascii_case("sep=")) {
        &text[line.len()..]
    } else {
        text
    }
}

fn layout(text: &str) -> Option<Layout> {
    let line = without_sep(text).trim_start_matches('\n').split('\n').next()?;
    if line.len() > 4096 {
        return None;
    }
    [b',', b'\t', b';', b'|'].into_iter().find_map(|delimiter| columns(fields(line, delimiter), delimiter))
}

fn columns(header: Vec<String>, delimiter: u8) -> Option<Layout> {
    let names: Vec<(String, Option<Unit>)> = header.iter().map(|h| normal(h)).collect();
    let find = |wanted: &[&str]| {
        wanted
            .iter()
            .find_map(|w| names.iter().position(|(n, _)| n == w))
            .map(|index| Column { index, unit: names[index].1.unwrap_or(Unit::Seconds) })
    };
    let start = find(&START)?;
    let end = find(&END).map(End::At).or_else(|| find(&DURATION).map(End::After))?;
    let (speaker, text) = (find(&SPEAKER).map(|c| c.index), find(&TEXT).map(|c| c.index));
    if speaker.is_none() && text.is_none() {
        return None;
    }
    Some(Layout { delimiter, header, start, end, speaker, text })
}

/// Reads a table into `draft`.
pub(super) fn read(text: &str, rates: Rates, draft: &mut Draft) -> Result<()> {
    let Some(mut layout) = layout(text) else {
        let what = format!("the first line names no start and end: {:?}", header_fields(text));
        return Err(draft.fail(1, what, "expected a header with start, end (or duration), speaker and text"));
    };
    let text = &without_open_quotes(without_sep(text), &layout, draft)?;
    // The csv reader counts physical lines; blank ones before the header are its own business.
    let mut reader = ReaderBuilder::new().delimiter(layout.delimiter).flexible(true).from_reader(text.as_bytes());
    let mut rows: Vec<(usize, StringRecord)> = Vec::new();
    let mut record = StringRecord::new();
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                return Err(draft.fail(0, format!("the table cannot be read: {error}"), "correct the quotes"));
            }
        }
        if record.iter().all(|f| f.trim().is_empty()) {
            continue;
        }
        rows.push((record.position().map_or(0, |p| p.line() as usize), record.clone()));
    }
    refuse_unknown(&layout, rates, draft)?;
    let counted = layout.start.unit != Unit::Seconds && layout.end_unit() != Unit::Seconds;
    let grouped = grouped::take_off(&mut rows, [layout.start.index, layout.end_index()], counted);
    if grouped > 0 {
        draft.warn(format!("{grouped} times have a mark between thousands, which is not read as that of decimals"));
    }
    if in_milliseconds(&layout, &rows) {
        draft.warn("start and end are whole numbers of milliseconds, as Whisper writes its tables");
        layout.start.unit = Unit::Millis;
        let (End::At(column) | End::After(column)) = &mut layout.end;
        column.unit = Unit::Millis;
    } else {
        draft.times_are_bare(bare(&layout, &rows));
    }
    choice::choose(&mut layout, &rows, draft)?;
    if layout.text.is_none() {
        draft.warn(format!("no column holds the words; columns are {}", layout.header.join(", ")));
    }
    let open = !text.ends_with('\n');
    draft.take_lost();
    // A table without speakers may be captions.
    let named = |(_, r): &(usize, StringRecord)| speaker_of(&layout, r).is_some_and(|name| !name.trim().is_empty());
    let mut cues = (!rows.iter().any(named)).then(Vec::new);
    let mut before = 0;
    for (count, (line, record)) in rows.iter().enumerate() {
        if draft.lost_between(before, *line) {
            draft.lose();
        }
        before = line + 1;
        if open && count + 1 == rows.len() && cut_in(&layout, &rows) {
            let what = format!(
                "row {}: the file ends within {:?}",
                count + 1,
                short(record.get(record.len() - 1).unwrap_or(""))
            );
            draft.bad(*line, what, CUT)?;
            continue;
        }
        row((&layout, rates), record, (*line, count + 1), cues.as_mut(), draft)?;
    }
    if let Some(cues) = cues {
        cue::into_turns(cues, false, draft);
    }
    draft.ends_open(open && layout.text == Some(layout.header.len() - 1));
    choice::tell_missing(&layout, &rows, draft);
    choice::tell_twins(&layout, draft);
    choice::tell_other_words(&layout, &rows, draft);
    choice::tell_mixed_marks(&layout, &rows, draft);
    lengths::tell(&layout, &rows, draft);
    Ok(())
}

/// The text without the lines in which a cell's quote is never closed, or closed only after it has swallowed other
/// rows.
fn without_open_quotes(text: &str, layout: &Layout, draft: &mut Draft) -> Result<String> {
    let is_row = |line: &str| {
        let cells = fields(line, layout.delimiter);
        let time = |i: usize| cells.get(i).is_some_and(|c| clock::parse_loose(c).is_some());
        let (End::At(end) | End::After(end)) = layout.end;
        time(layout.start.index) && time(end.index)
    };
    let mut kept = text.to_owned();
    for open in quotes::open(text, layout.delimiter, is_row) {
        let what = match open.swallowed {
            Some(line) => {
                format!(
                    "the quote that begins the cell {:?} is not closed before line {line}, which is a row of its own",
                    short(open.cell)
                )
            }
            None => format!("the quote that begins the cell {:?} is never closed", short(open.cell)),
        };
        draft.bad(open.line, what, "close the quote, or write it twice where it is part of the words")?;
        // Blank lines are no rows, and keep the count of lines.
        let blank = "\n".repeat(text[open.rows.clone()].matches('\n').count());
        let blank = format!("{blank}{}", " ".repeat(open.rows.len() - blank.len()));
        kept.replace_range(open.rows, &blank);
    }
    Ok(kept)
}

/// True when the last row's last cell, which nothing ends, is shorter than all others are: the file was cut there.
fn cut_in(layout: &Layout, rows: &[(usize, StringRecord)]) -> bool {
    let Some(((_, last), others)) = rows.split_last() else { return false };
    let at = layout.header.len() - 1;
    let Some(cell) = last.get(at).map(str::trim) else { return false };
    let (End::At(end) | End::After(end)) = layout.end;
    if at == layout.start.index || at == end.index {
        let digits = |c: &str| c.rsplit_once(['.', ',']).map_or(0, |(_, fraction)| fraction.len());
        let usual = others.first().and_then(|(_, r)| r.get(at)).map_or(0, |c| digits(c.trim()));
        let habit =
            others.len() >= 3 && others.iter().all(|(_, r)| r.get(at).is_some_and(|c| digits(c.trim()) == usual));
        return habit && digits(cell) < usual;
    }
    // A name that nobody else has, and that is the beginning of somebody's.
    let names = || others.iter().filter_map(|(_, r)| r.get(at)).map(str::trim);
    layout.speaker == Some(at) && !names().any(|n| n == cell) && names().any(|n| n.starts_with(cell))
}

/// What is wrong with the number of cells of a row.
fn misfit(layout: &Layout, record: &StringRecord) -> Option<(String, &'static str)> {
    let (cells, names) = (record.len(), layout.header.len());
    if record.iter().skip(names).any(|c| !c.trim().is_empty()) {
        let extra: Vec<&str> = record.iter().skip(names).collect();
        let mark = char::from(layout.delimiter);
        let what = format!(
            "{cells} cells where the header names {names}; {:?} would be lost",
            short(&extra.join(&mark.to_string()))
        );
        return Some((what, "put quotes around a cell that holds the separator"));
    }
    // Cells left out at the end of a row are empty ones to a spreadsheet; words and speakers are not to be guessed.
    let needed = [layout.text, layout.speaker].into_iter().flatten().max()?;
    (cells <= needed).then(|| {
        (format!("{cells} cells where the header names {names}; no {}", layout.header[needed]), "complete the row")
    })
}

/// True where times are whole numbers and the header names no unit.
fn bare(layout: &Layout, rows: &[(usize, StringRecord)]) -> bool {
    let places = [layout.start.index, layout.end_index()];
    let unnamed = |i: &usize| normal(&layout.header[*i]).1.is_none();
    // A column of whole numbers that a table of decimals has passed on is one all the same.
    let number = |c: &str| c.parse::<u64>().is_ok() || c.strip_suffix(".0").is_some_and(|c| c.parse::<u64>().is_ok());
    let whole = |r: &StringRecord| places.iter().all(|i| r.get(*i).is_none_or(|c| number(c.trim())));
    places.iter().all(unnamed) && rows.iter().all(|(_, r)| whole(r))
}

/// Refuses columns of samples or frames where no rate tells how long one is.
fn refuse_unknown(layout: &Layout, rates: Rates, draft: &Draft) -> Result<()> {
    let (End::At(end) | End::After(end)) = layout.end;
    for column in [layout.start, end] {
        let (what, rate, option) = match column.unit {
            Unit::Samples => ("samples", rates.samples_hz, "--sample-rate 16000"),
            Unit::Frames => ("frames", rates.frames_hz, "--frame-rate 25"),
            _ => continue,
        };
        if rate <= 0.0 {
            let what =
                format!("the column {} counts {what}, and no rate tells how long one is", layout.header[column.index]);
            return Err(draft.fail(1, what, format!("pass the rate, such as {option}")));
        }
    }
    Ok(())
}

/// Whisper's own TSV has the header `start end text` and whole milliseconds; nobody talks for a minute in every row.
/// whisper.cpp's CSV has them too, its words with a blank before them.
fn in_milliseconds(layout: &Layout, rows: &[(usize, StringRecord)]) -> bool {
    let blank = |(_, r): &(usize, StringRecord)| {
        layout.text.and_then(|at| r.get(at)).is_none_or(|c| c.is_empty() || c.starts_with(' '))
    };
    let header: Vec<&str> = layout.header.iter().map(String::as_str).collect();
    let own = layout.delimiter == b'\t' && header == ["start", "end", "text"];
    let cpp = layout.delimiter == b','
        && matches!(header.as_slice(), ["start", "end", "text"] | ["start", "end", "speaker", "text"])
        && rows.iter().all(blank);
    if !(own || cpp) || rows.is_empty() {
        return false;
    }
    let whole = |r: &StringRecord, i: usize| r.get(i).and_then(|f| f.trim().parse::<u64>().ok());
    // A row that is damaged says nothing about the unit of the others; one with a fraction does.
    let fraction =
        |r: &StringRecord| r.iter().take(2).any(|f| f.contains(['.', ',', ':']) && clock::parse_loose(f).is_some());
    let mut lengths: Vec<u64> =
        rows.iter().filter_map(|(_, r)| Some(whole(r, 1)?.saturating_sub(whole(r, 0)?))).collect();
    lengths.sort_unstable();
    !rows.iter().any(|(_, r)| fraction(r)) && lengths.get(lengths.len() / 2).is_some_and(|middle| *middle >= 60)
}

/// The cell of the speaker, empty where it has no value.
fn speaker_of<'r>(layout: &Layout, record: &'r StringRecord) -> Option<&'r str> {
    layout.speaker.and_then(|i| record.get(i)).map(choice::value)
}

fn row(
    (layout, rates): (&Layout, Rates),
    record: &StringRecord,
    (line, number): (usize, usize),
    cues: Option<&mut Vec<Cue>>,
    draft: &mut Draft,
) -> Result<()> {
    let time = |column: Column| {
        let field = record.get(column.index).unwrap_or("").trim();
        if frames::is_code(field) {
            return frames::secs(field, rates);
        }
        match clock::parse_loose(field) {
            // Times with a colon are clock times whatever the header's unit; 1/1000 is exact enough only as a division.
            Some(secs) if field.contains(':') => Ok(secs),
            Some(value) => Ok(match column.unit {
                Unit::Seconds => value,
                Unit::Millis => value / 1e3,
                Unit::Samples => value / rates.samples_hz,
                Unit::Frames => value / rates.frames_hz,
            }),
            None => Err(format!("{} is {:?}", layout.header[column.index], short(field))),
        }
    };
    let span = time(layout.start).and_then(|start| {
        let end = match layout.end {
            End::At(column) => time(column)?,
            End::After(column) => start + time(column)?,
        };
        clock::span(start, end)
    });
    if span.is_ok()
        && let Some((what, hint)) = misfit(layout, record)
    {
        return draft.bad(line, format!("row {number}: {what}"), hint);
    }
    match span {
        Ok(segment) => {
            let words = layout.text.and_then(|i| record.get(i)).map(choice::value).unwrap_or_default();
            match cues {
                Some(cues) => {
                    let lines = words.lines().map(str::to_owned).collect();
                    cues.push(Cue { after_dropped: draft.take_lost(), segment, lines });
                }
                None => {
                    draft.push(segment, speaker_of(layout, record), markup::squeeze(words), Vec::new());
                }
            }
            Ok(())
        }
        Err(_) if record.iter().map(str::trim).eq(layout.header.iter().map(String::as_str)) => draft.bad(
            line,
            format!("row {number} repeats the header: are these two tables in one file?"),
            "take the line out",
        ),
        Err(what) if what.contains("counts frames") => {
            draft.bad(line, format!("row {number}: {what}"), frames::NO_RATE)
        }
        Err(what) => draft.bad(line, format!("row {number}: {what}"), EXPECTED),
    }
}

#[cfg(test)]
mod tests;
