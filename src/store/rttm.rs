//! RTTM, the field's plain-text form of an annotation, and UEM, the spans that are scored.
//!
//! Source: NIST, "The 2009 (RT-09) Rich Transcription Meeting Recognition Evaluation Plan", appendices A and B.
//! Times are written to the millisecond, here and nowhere else.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use crate::annotation::{Annotation, SpeechTurn};
use crate::error::{Error, Result};
use crate::file;
use crate::store::whole::write_whole;
use crate::text::{clean, steers};
use crate::time::{LONGEST_SECS, Segment};

/// The line types of RTTM that say nothing about who spoke when.
const OTHER_TYPES: [&str; 13] = [
    "SEGMENT",
    "NOSCORE",
    "NO_RT_METADATA",
    "LEXEME",
    "NON-LEX",
    "NON-SPEECH",
    "FILLER",
    "EDIT",
    "IP",
    "SU",
    "CB",
    "A/P",
    "SPKR-INFO",
];

/// An interview id as RTTM can hold it: white space and control characters become `_`.
pub fn uri_for(interview_id: &str) -> String {
    interview_id.chars().map(|c| if c.is_whitespace() || steers(c) { '_' } else { c }).collect()
}

/// Writes one `SPEAKER` line per speech turn, times to the millisecond, whole or not at all.
///
/// A turn that rounds to 0 ms is left out.
///
/// # Errors
/// [`Error::Usage`] when `uri` or a speaker is empty or holds white space (fields are split there), [`Error::Write`].
pub fn write_rttm(path: &Path, uri: &str, annotation: &Annotation) -> Result<()> {
    check_name("recording", uri)?;
    annotation.speakers().into_iter().try_for_each(|speaker| check_name("speaker", speaker))?;
    write_whole(path, |file| {
        for turn in annotation.turns() {
            let (start, end) = (millis(turn.segment.start().get()), millis(turn.segment.end().get()));
            if end > start {
                let (start, length) = (start as f64 / 1e3, (end - start) as f64 / 1e3);
                writeln!(file, "SPEAKER {uri} 1 {start:.3} {length:.3} <NA> <NA> {} <NA> <NA>", turn.speaker)?;
            }
        }
        Ok(())
    })
}

fn millis(secs: f64) -> i64 {
    (secs * 1e3).round() as i64
}

fn check_name(what: &str, name: &str) -> Result<()> {
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(Error::Usage {
            what: format!("the {what} name {name:?} cannot be written as RTTM"),
            hint: "fields of RTTM are split at white space: rename it, `_` instead of each space".into(),
        });
    }
    Ok(())
}

/// Reads the annotations of a file, one per recording, sorted by recording name.
///
/// Comments (`;;`) and RTTM's other line types are passed over.
///
/// # Errors
/// [`Error::Read`], and [`Error::Parse`] with the line for one that is no RTTM.
pub fn read_rttm(path: &Path) -> Result<Vec<(String, Annotation)>> {
    let (found, changed) = read_rttm_counting(path)?;
    if changed > 0 {
        tracing::warn!("{}: names in {changed} lines held control characters, which were replaced", path.display());
    }
    Ok(found)
}

/// [`read_rttm`], and in how many lines a name held control characters, which were replaced.
///
/// # Errors
/// As [`read_rttm`].
pub fn read_rttm_counting(path: &Path) -> Result<(Vec<(String, Annotation)>, usize)> {
    let mut found: BTreeMap<String, Vec<SpeechTurn>> = BTreeMap::new();
    let changed = for_each_turn(path, |uri, turn| found.entry(uri).or_default().push(turn))?;
    Ok((found.into_iter().map(|(uri, turns)| (uri, Annotation::new(turns))).collect(), changed))
}

/// The segments of all recordings of a file, in the order of its lines.
///
/// # Errors
/// As [`read_rttm`].
pub fn read_rttm_segments(path: &Path) -> Result<Vec<Segment>> {
    let mut segments = Vec::new();
    for_each_turn(path, |_, turn| segments.push(turn.segment))?;
    Ok(segments)
}

/// What is said of recording `uri`, or of the one recording there is.
pub fn of_recording<'a, T>(all: &'a [(String, T)], uri: &str) -> Option<&'a (String, T)> {
    all.iter().find(|(named, _)| named == uri).or(if all.len() == 1 { all.first() } else { None })
}

/// Hands over the recording and the speech turn of each `SPEAKER` line; gives in how many a name held control
/// characters.
fn for_each_turn(path: &Path, mut each: impl FnMut(String, SpeechTurn)) -> Result<usize> {
    let mut changed = 0;
    let mut before = 0;
    for_each_line(path, |fields, is_open| {
        // The last line, which nothing ends, has fewer fields than the one before it: a name may be cut short.
        if is_open && fields.len() < before.max(9) {
            return Err(format!(
                "the file ends within a line, after {} fields of {}: it seems to be cut \
                                off",
                fields.len(),
                before.max(9)
            ));
        }
        before = fields.len();
        match fields[0] {
            "SPEAKER" => {}
            other if OTHER_TYPES.contains(&other) => return Ok(()),
            other => return Err(format!("{other:?} is no line type of RTTM")),
        }
        if fields.len() < 8 {
            return Err(format!("a SPEAKER line of {} fields", fields.len()));
        }
        // Nothing but a confidence and a look-ahead may follow the name: words there are the rest of a name with
        // spaces.
        let spaced = fields.len() > 10 || fields[8..].iter().any(|f| *f != "<NA>" && f.parse::<f64>().is_err());
        if spaced {
            return Err(format!("a SPEAKER line whose names hold white space ({} fields)", fields.len()));
        }
        let (start, length) = (number("start", fields[3])?, number("duration", fields[4])?);
        if start < 0.0 {
            return Err(format!("the start {:?} lies before 0", fields[3]));
        }
        let segment = segment(start, start + length).ok_or_else(|| format!("the duration {:?}", fields[4]))?;
        within_reach(segment)?;
        if fields[7] == "<NA>" {
            return Err("a SPEAKER line that names no speaker".into());
        }
        changed += usize::from([fields[1], fields[7]].iter().any(|f| f.contains(steers)));
        each(clean(fields[1]).into_owned(), SpeechTurn { segment, speaker: clean(fields[7]).into_owned() });
        Ok(())
    })
    .map_err(|e| {
        e.of(
            path,
            "expected `SPEAKER recording 1 start duration <NA> <NA> speaker <NA> <NA>`, times in seconds, no \
                    spaces inside names",
        )
    })?;
    Ok(changed)
}

/// Reads the spans to be scored, one list per recording, sorted by recording name and start.
///
/// # Errors
/// [`Error::Read`], and [`Error::Parse`] with the line for one that is no UEM.
pub fn read_uem(path: &Path) -> Result<Vec<(String, Vec<Segment>)>> {
    let mut found: BTreeMap<String, Vec<Segment>> = BTreeMap::new();
    for_each_line(path, |fields, _| {
        if fields.len() != 4 {
            return Err(format!("a line of {} fields", fields.len()));
        }
        let (start, end) = (number("start", fields[2])?, number("end", fields[3])?);
        let segment =
            segment(start, end).ok_or_else(|| format!("a span that ends at {end} before its start at {start}"))?;
        within_reach(segment)?;
        found.entry(clean(fields[0]).into_owned()).or_default().push(segment);
        Ok(())
    })
    .map_err(|e| e.of(path, "expected `recording 1 start end`, times in seconds"))?;
    for spans in found.values_mut() {
        spans.sort();
    }
    Ok(found.into_iter().collect())
}

/// What stopped the reading of lines.
enum Stopped {
    Read(Error),
    At(usize, String),
}

impl Stopped {
    fn of(self, path: &Path, hint: &str) -> Error {
        match self {
            Stopped::Read(error) => error,
            Stopped::At(line, what) => Error::parse(path, line, what, hint),
        }
    }
}

/// Hands over the fields of each line that is neither empty nor a comment, and whether no line end follows it.
fn for_each_line(path: &Path, mut each: impl FnMut(&[&str], bool) -> Result<(), String>) -> Result<(), Stopped> {
    let bytes = file::read(path).map_err(Stopped::Read)?;
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    let lines = bytes.split(|&b| b == b'\n').count();
    for (i, line) in bytes.split(|&b| b == b'\n').enumerate() {
        let at = |what| Stopped::At(i + 1, what);
        let line = std::str::from_utf8(line).map_err(|_| at("text that is not UTF-8".into()))?;
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields.first().is_some_and(|f| !f.starts_with(";;")) {
            each(&fields, i + 1 == lines).map_err(at)?;
        }
    }
    Ok(())
}

fn number(what: &str, field: &str) -> Result<f64, String> {
    field.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(|| format!("the {what} {field:?} is no number"))
}

/// Refuses what ends later than any recording.
fn within_reach(segment: Segment) -> Result<(), String> {
    let end = segment.end().get();
    let what = || format!("an end at {end} s, after more than 100 hours; are the times in another unit than seconds?");
    if end <= LONGEST_SECS { Ok(()) } else { Err(what()) }
}

/// Sums of decimal texts are brought back to the decimal they mean: 0.1 + 0.2 ends at 0.3.
fn segment(start: f64, end: f64) -> Option<Segment> {
    Segment::from_secs(start, (end * 1e6).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speech(start: f64, end: f64, speaker: &str) -> SpeechTurn {
        SpeechTurn { segment: Segment::from_secs(start, end).unwrap(), speaker: speaker.into() }
    }

    #[test]
    fn lines_have_three_decimals_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rttm/a.rttm");
        let a = Annotation::new(vec![speech(0.1, 0.3004, "B"), speech(1.9996, 2.25, "A"), speech(3.0, 3.0004, "A")]);
        write_rttm(&path, "show/a", &a).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(
            text,
            "SPEAKER show/a 1 0.100 0.200 <NA> <NA> B <NA> <NA>\nSPEAKER show/a 1 2.000 0.250 <NA> <NA> A <NA> <NA>\n"
        );
        let back = read_rttm(&path).unwrap();
        assert_eq!(back, [("show/a".to_owned(), Annotation::new(vec![speech(0.1, 0.3, "B"), speech(2.0, 2.25, "A")]))]);
        write_rttm(&path, "show/a", &back[0].1).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        write_rttm(&path, "silent", &Annotation::default()).unwrap();
        assert!(read_rttm(&path).unwrap().is_empty());
    }

    #[test]
    fn names_with_white_space_are_refused_and_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rttm");
        let e = write_rttm(&path, "my talk", &Annotation::default()).unwrap_err().to_string();
        assert!(e.contains("\"my talk\""), "{e}");
        let e = write_rttm(&path, "a", &Annotation::new(vec![speech(0.0, 1.0, "Ms\tX")])).unwrap_err().to_string();
        assert!(e.contains("\"Ms\\tX\""), "{e}");
        assert!(!path.exists());
        assert_eq!(uri_for("my talk\u{a0}2"), "my_talk_2");
    }

    #[test]
    fn comments_other_types_and_any_newline_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rttm");
        let text = "\u{feff};; made by hand\r\nSPKR-INFO b 1 <NA> <NA> <NA> unknown X <NA>\r\n\r\nSPEAKER b 1 1 2 <NA> <NA> X 0.75\r\nSPEAKER a 1 0.5 0.25 <NA> <NA> Y <NA> <NA>";
        std::fs::write(&path, text).unwrap();
        let back = read_rttm(&path).unwrap();
        assert_eq!(back[0], ("a".to_owned(), Annotation::new(vec![speech(0.5, 0.75, "Y")])));
        assert_eq!(back[1], ("b".to_owned(), Annotation::new(vec![speech(1.0, 3.0, "X")])));
    }

    #[test]
    fn names_lose_what_steers_a_terminal_and_it_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rttm");
        std::fs::write(
            &path,
            "SPEAKER a 1 0 1 <NA> <NA> \u{1b}[31mAnn <NA> <NA>\nSPEAKER a 1 1 1 <NA> <NA> Ben <NA> <NA>\n",
        )
        .unwrap();
        let (found, changed) = read_rttm_counting(&path).unwrap();
        assert_eq!((found[0].1.speakers(), changed), (vec!["Ben", "\u{fffd}[31mAnn"], 1));
        assert_eq!(uri_for("a\u{1b} b"), "a__b");
    }

    #[test]
    fn a_wrong_line_is_an_error_with_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rttm");
        for (line, said) in [
            ("00:00:01,000 --> 00:00:02,000", "00:00:01,000"),
            ("SPEAKER a 1 0,5 1 <NA> <NA> X <NA> <NA>", "0,5"),
            ("SPEAKER a 1 0.5 -1 <NA> <NA> X <NA> <NA>", "-1"),
            ("SPEAKER a 1 0.5 nan <NA> <NA> X <NA> <NA>", "nan"),
            ("SPEAKER a 1 0.5", "4 fields"),
            ("SPEAKER a 1 0.5 1 <NA> <NA> Ann Lee <NA> <NA>", "names hold white space"),
            ("SPEAKER a 1 0.5 1 <NA> <NA> Ann Lee <NA>", "names hold white space"),
            ("SPEAKER my talk 1 0.5 1 <NA> <NA> X <NA> <NA>", "names hold white space"),
        ] {
            std::fs::write(&path, format!(";; x\n{line}\n")).unwrap();
            let e = read_rttm(&path).unwrap_err();
            assert_eq!(e.kind(), "parse");
            assert!(e.to_string().contains(":2: ") && e.to_string().contains(said), "{e}");
        }
        std::fs::write(&path, b"SPEAKER a\xff 1 0 1 <NA> <NA> X <NA> <NA>\n").unwrap();
        assert!(read_rttm(&path).unwrap_err().to_string().contains(":1: "));
        assert_eq!(read_rttm(&folder.path().join("none")).unwrap_err().kind(), "read");
    }

    #[test]
    fn a_file_cut_anywhere_is_an_error_or_the_lines_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rttm");
        let all: Vec<SpeechTurn> = (0..6)
            .map(|i| speech(3.125 * f64::from(i), 3.125 * f64::from(i) + 2.375, ["Anna", "Berta"][i as usize % 2]))
            .collect();
        write_rttm(&path, "talk", &Annotation::new(all.clone())).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut errors = 0;
        for cut in 0..text.len() {
            std::fs::write(&path, &text[..cut]).unwrap();
            match read_rttm(&path) {
                Ok(found) => {
                    let turns = found.first().map_or(&[][..], |(_, a)| a.turns());
                    assert_eq!(turns, &all[..turns.len()], "cut after byte {cut}");
                    assert!(turns.len() >= text[..cut].matches('\n').count(), "cut after byte {cut}");
                }
                Err(e) => {
                    errors += 1;
                    assert_eq!(e.kind(), "parse");
                }
            }
        }
        assert!(errors > text.len() / 2);
        std::fs::write(&path, "SPEAKER a 1 -1 2 <NA> <NA> X <NA> <NA>\n").unwrap();
        assert!(read_rttm(&path).unwrap_err().to_string().contains("before 0"));
    }

    #[test]
    fn segments_come_in_the_order_of_the_lines_and_a_recording_by_its_name_or_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rttm");
        std::fs::write(&path, "SPEAKER b 1 3 1 <NA> <NA> x <NA> <NA>\nSPEAKER a 1 0.1 0.2 <NA> <NA> y <NA> <NA>\n")
            .unwrap();
        let segment = |start, end| Segment::from_secs(start, end).unwrap();
        assert_eq!(read_rttm_segments(&path).unwrap(), [segment(3.0, 4.0), segment(0.1, 0.3)]);
        let two = read_rttm(&path).unwrap();
        assert_eq!(of_recording(&two, "b").map(|(uri, _)| uri.as_str()), Some("b"));
        assert!(of_recording(&two, "c").is_none() && of_recording(&two[..1], "c").is_some());
    }

    #[test]
    fn ends_after_more_than_a_hundred_hours_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.rttm");
        for (length, is_read) in [("359990", true), ("99999999999999999999.139", false), ("1e300", false)] {
            std::fs::write(&path, format!("SPEAKER a 1 1.361 {length} <NA> <NA> Ann <NA> <NA>\n")).unwrap();
            let read = read_rttm(&path).map_err(|e| e.to_string());
            assert_eq!(read.is_ok(), is_read, "{length}");
            assert!(read.err().is_none_or(|e| e.contains(":1: an end at ") && e.contains("another unit")), "{length}");
            std::fs::write(&path, format!("a 1 0.000 {length}\n")).unwrap();
            assert_eq!(read_uem(&path).is_ok(), is_read, "{length}");
        }
    }

    #[test]
    fn uem_spans_are_sorted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.uem");
        std::fs::write(&path, ";; c\na 1 5 6.5\na 1 0 2\n").unwrap();
        let span = |a, b| Segment::from_secs(a, b).unwrap();
        assert_eq!(read_uem(&path).unwrap(), [("a".to_owned(), vec![span(0.0, 2.0), span(5.0, 6.5)])]);
        std::fs::write(&path, "a 1 6 5\n").unwrap();
        assert!(read_uem(&path).unwrap_err().to_string().contains(":1: a span that ends"));
    }
}
