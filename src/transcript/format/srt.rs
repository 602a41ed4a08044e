//! SubRip `.srt`: number, timing line, text, blank line; each of them but the timing line may be missing.

use crate::error::Result;
use crate::time::Segment;
use crate::transcript::clock;
use crate::transcript::cue::{self, Cue};
use crate::transcript::draft::{CUT, Draft, short};

const EXPECTED: &str = "expected HH:MM:SS,mmm --> HH:MM:SS,mmm with end at or after start; correct the line";

/// A whole file, small.
pub(super) const EXAMPLE: &str =
    "1\n00:00:01,000 --> 00:00:02,000\nANNA: a <i>é</i> {\\an8} &amp;\n\n2\n00:00:02,000 --> 00:00:03,000\nBOB: b\n";

/// Reads SRT text into `draft`.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<()> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut reading = Reading {
        open: lines.iter().rposition(|l| !l.is_empty()).filter(|i| i + 1 == lines.len()),
        numbers: Vec::new(),
        number: None,
        cues: Vec::new(),
        words_behind: Vec::new(),
        place: Place::BeforeFirst,
        stray: None,
        habit: Habit::of(&lines),
        lines,
    };
    for i in 0..reading.lines.len() {
        reading.line(i, draft)?;
    }
    draft.tell_jumps(&reading.numbers);
    cue::tell_words_behind_timing(&reading.words_behind, draft);
    draft.ends_open(reading.open.is_some() && matches!(reading.place, Place::Inside));
    cue::into_turns(reading.cues, false, draft);
    Ok(())
}

/// A file on which its lines are gone through one by one.
struct Reading<'a> {
    lines: Vec<&'a str>,
    /// The line that nothing ends.
    open: Option<usize>,
    /// Line and value of each cue number.
    numbers: Vec<(usize, u64)>,
    /// The last cue number.
    number: Option<u64>,
    cues: Vec<Cue>,
    /// Lines of times with words behind them.
    words_behind: Vec<usize>,
    place: Place,
    /// The first line of text above all cues.
    stray: Option<usize>,
    habit: Habit,
}

impl Reading<'_> {
    fn line(&mut self, i: usize, draft: &mut Draft) -> Result<()> {
        let line = self.lines[i].trim();
        let blank_before = i == 0 || self.lines[i - 1].trim().is_empty();
        let timing = clock::timing(line);
        let candidate = timing.is_some() || is_spoilt_timing(line);
        let number_before = if candidate { number_above(&self.lines[..i], self.number, self.habit) } else { None };
        if timing.is_some() || candidate && (blank_before || number_before.is_some()) {
            return self.timing_line(i, timing, number_before, draft);
        }
        if line.is_empty() {
            return Ok(());
        }
        if blank_before && self.lost_its_timing(i) {
            draft.bad(i + 1, format!("cue {line}: no timing line"), EXPECTED)?;
            self.number = as_number(line);
            self.numbers.extend(self.number.map(|n| (i + 1, n)));
            self.place = Place::Dropped;
            return Ok(());
        }
        if self.open == Some(i) && blank_before && matches!(self.place, Place::Inside) && cut_head(line, self.number) {
            return draft.bad(i + 1, format!("the file ends within the head of a cue: {:?}", short(line)), CUT);
        }
        match self.place {
            Place::BeforeFirst => self.stray = self.stray.or(Some(i)),
            Place::Inside => {
                if let Some(cue) = self.cues.last_mut() {
                    cue.lines.push(line.to_owned());
                }
            }
            Place::Dropped => {}
        }
        Ok(())
    }

    /// A cue begins: the number above it is no text of the cue before.
    fn timing_line(
        &mut self,
        i: usize,
        timing: Option<Result<Segment, String>>,
        number_before: Option<u64>,
        draft: &mut Draft,
    ) -> Result<()> {
        let line = self.lines[i].trim();
        if let Some(n) = number_before {
            self.numbers.push((i, n));
            self.number = Some(n);
            if let (Place::Inside, Some(cue)) = (self.place, self.cues.last_mut())
                && cue.lines.last().is_some_and(|l| as_number(l) == Some(n))
            {
                cue.lines.pop();
            }
            self.stray = self.stray.filter(|s| as_number(self.lines[*s]) != Some(n));
        }
        if let (Place::BeforeFirst, Some(at)) = (self.place, self.stray) {
            let what = format!("text before the first cue: {:?}", short(self.lines[at]));
            draft.bad(at + 1, what, "expected a cue number or a timing line")?;
        }
        let name = number_before.map_or_else(|| format!("cue after cue {}", self.cues.len()), |n| format!("cue {n}"));
        self.place = Place::Inside;
        let cut = self.open == Some(i) && clock::words_behind_timing(line).is_none();
        match segment(timing, cut, line) {
            Ok(segment) => {
                let words = clock::words_behind_timing(line);
                self.words_behind.extend(words.map(|_| i + 1));
                let lines = words.map(str::to_owned).into_iter().collect();
                self.cues.push(Cue { after_dropped: draft.take_lost(), segment, lines });
            }
            Err((what, hint)) => {
                draft.bad(i + 1, format!("{name}: {what}"), hint)?;
                self.place = Place::Dropped;
            }
        }
        Ok(())
    }

    /// True for the next number in a block of its own, without a timing line below.
    fn lost_its_timing(&self, i: usize) -> bool {
        let next = self.lines[i + 1..].iter().copied().find(|l| !l.trim().is_empty()).unwrap_or("");
        let timed_below =
            clock::timing(next).is_some() || clock::arrowless_timing(next) || clock::arrow_of_numbers(next.trim());
        let follows =
            as_number(self.lines[i].trim()).is_some_and(|n| self.number.is_some_and(|m| m.checked_add(1) == Some(n)));
        !timed_below && !matches!(self.place, Place::BeforeFirst) && follows
    }
}

fn is_spoilt_timing(line: &str) -> bool {
    clock::arrowless_timing(line) || clock::arrow_of_numbers(line)
}

/// The time of a timing line; else what is wrong with it and what to do. `at_end`: it is the last of the file, and
/// nothing ends it.
fn segment(
    timing: Option<Result<Segment, String>>,
    at_end: bool,
    line: &str,
) -> Result<Segment, (String, &'static str)> {
    let line_told = short(line);
    match timing {
        _ if at_end => Err((format!("the file ends with its timing line {line_told:?}"), CUT)),
        Some(Ok(segment)) => Ok(segment),
        Some(Err(what)) => Err((format!("{what} in {line_told:?}"), EXPECTED)),
        None if line.contains("-->") => Err((format!("no clock times in {line_told:?}"), EXPECTED)),
        None => Err((format!("no arrow in {line_told:?}"), EXPECTED)),
    }
}

/// True for the last line of a file that looks like the beginning of the next cue's number or times.
fn cut_head(line: &str, number: Option<u64>) -> bool {
    let digits = line.bytes().all(|b| b.is_ascii_digit());
    let clock = line.starts_with(|c: char| c.is_ascii_digit())
        && line.chars().all(|c| c.is_ascii_digit() || ":,.-> ".contains(c));
    match number {
        Some(n) if digits => (n + 1).to_string().starts_with(line),
        None if digits => line.len() <= 2,
        _ => clock && line.contains(':'),
    }
}

/// How a file numbers its cues: people say numbers too.
#[derive(Clone, Copy)]
struct Habit {
    /// Nearly every timing line has a number right above it.
    numbered: bool,
    /// Most timing lines have one above, over empty lines.
    spaced: bool,
}

impl Habit {
    fn of(lines: &[&str]) -> Habit {
        let (mut cues, mut direct, mut spaced) = (0_usize, 0_usize, 0_usize);
        // The last line that is not empty, and whether it is the one before.
        let mut above: Option<(bool, &str)> = None;
        for line in lines {
            if line.trim().is_empty() {
                above = above.map(|(_, text)| (false, text));
                continue;
            }
            if clock::timing(line.trim()).is_some() {
                cues += 1;
                if let Some((near, _)) = above.filter(|(_, text)| as_number(text).is_some()) {
                    direct += usize::from(near);
                    spaced += usize::from(!near);
                }
            }
            above = Some((true, line));
        }
        Habit { numbered: direct * 10 >= cues * 9, spaced: spaced * 2 > cues }
    }
}

/// The cue number above a timing line: right above it, alone in its block or in a file that numbers its cues, or over
/// empty lines in a double-spaced file where it is the number expected. Any other number is what was said.
fn number_above(above: &[&str], last: Option<u64>, habit: Habit) -> Option<u64> {
    if let Some(n) = above.last().and_then(|l| as_number(l)) {
        let alone = above.len() < 2 || above[above.len() - 2].trim().is_empty();
        return Some(n).filter(|n| alone || habit.numbered || last.is_some_and(|last| *n == last + 1));
    }
    let first = above.iter().filter(|l| !l.trim().is_empty()).take(2).count() == 1;
    let expected = |n: &u64| first || habit.spaced && last.is_none_or(|last| *n == last + 1);
    above.iter().rev().find(|l| !l.trim().is_empty()).and_then(|l| as_number(l)).filter(expected)
}

#[derive(Clone, Copy)]
enum Place {
    BeforeFirst,
    Inside,
    Dropped,
}

fn as_number(line: &str) -> Option<u64> {
    let line = line.trim();
    if line.is_empty() || line.len() > 9 || !line.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    line.parse().ok()
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::read_bytes;
    use crate::transcript::tests::{LENIENT, STRICT, complaint, parse, told, warned};
    use std::path::Path;

    #[test]
    fn srt_numbers_may_jump_or_lack_and_text_may_hold_clock_times() {
        let text = "7\n00:00:01,000 --> 00:00:02,000\n12:30 we met\n<i>again</i>\n\n3\n00:00:02.5-->00:00:03,5 X1:1\n{\\an8}yes\n\nand no\n\n00:00:04 --> 00:00:05\n42\n";
        let t = parse("a.txt", text);
        assert_eq!(t.format, Format::Srt);
        assert_eq!(told(&t), ["1-2 12:30 we met again", "2.5-3.5 yes and no", "4-5 42"]);
        assert_eq!(t.warnings, []);
    }

    #[test]
    fn words_behind_the_times_are_the_cues() {
        let head = "00:00:01,000 --> 00:00:02,000";
        let text = format!("1\n{head} MARA: a\nb\n\n2\n{head} X1:40 X2:600 Y1:20 Y2:50\nc\n\n{head} d");
        let t = parse("a.srt", &text);
        let words: Vec<&str> = t.turns.iter().map(|turn| turn.text.as_str()).collect();
        assert_eq!(words.join("|").replace("MARA: ", ""), "a b|c|d");
        assert!(warned(&t).contains("2 cues have words on the line of their times (first: line 2)"), "{}", warned(&t));
        let t = parse("a.vtt", &format!("WEBVTT\n\n{head} a\n\n{head} align:start\nb\n\n{head} c").replace(',', "."));
        assert_eq!(told(&t), ["1-2 a", "1-2 b", "1-2 c"]);
        assert!(warned(&t).contains("2 cues have words on the line of their times (first: line 3)"), "{}", warned(&t));
    }

    #[test]
    fn srt_cues_without_an_empty_line_between() {
        let t = parse("a.srt", "1\n00:00:01,000 --> 00:00:02,000\na\n2\n00:00:02,000 --> 00:00:03,000\nb");
        assert_eq!(told(&t), ["1-2 a", "2-3 b"]);
    }

    #[test]
    fn double_spaced_srt() {
        let t =
            parse("a.srt", "1\n\n00:00:01,000 --> 00:00:02,000\n\na\n\n\n2\n\n00:00:02,000 --> 00:00:03,000\n\nb\n");
        assert_eq!(told(&t), ["1-2 a", "2-3 b"]);
        let t = parse("a.srt", "00:00:01,000 --> 00:00:02,000\n42\n\n00:00:02,000 --> 00:00:03,000\nb\n");
        assert_eq!(told(&t), ["1-2 42", "2-3 b"]);
    }

    #[test]
    fn a_number_that_was_said_is_no_cue_number() {
        let time = |n: usize| format!("00:00:0{n},000 --> 00:00:0{},000", n + 1);
        let t = parse("a.srt", &format!("{}\nthe number is\n42\n{}\nyes\n", time(1), time(2)));
        assert_eq!(
            (told(&t), warned(&t)),
            (vec!["1-2 the number is 42".to_owned(), "2-3 yes".to_owned()], String::new())
        );
        let t = parse("a.srt", &format!("1\n{}\none\n\n{}\n2\n\n{}\nthree\n", time(1), time(2), time(3)));
        assert_eq!(told(&t), ["1-2 one", "2-3 2", "3-4 three"]);
        let t = parse("a.srt", &format!("1\n{}\na\n7\n{}\n42\n8\n{}\n", time(1), time(2), time(3)));
        assert_eq!(told(&t), ["1-2 a", "2-3 42", "3-4 "]);
    }

    #[test]
    fn a_bad_srt_cue_is_named_and_lenient_drops_it() {
        let text = |bad: &str| {
            format!("1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n{bad}\nlost\n\n3\n00:00:05,000 --> 00:00:06,000\nc\n")
        };
        for (bad, what) in [
            ("00:00:04,000 --> 00:00:03,000", "end 3 s before start 4 s"),
            ("00:00:03,000 --> 00:00:xx,000", "end time \"00:00:xx,000\" cannot be read"),
            ("00:00:03,000 00:00:04,000", "no arrow"),
            ("-00:00:03,000 --> 00:00:04,000", "start time"),
        ] {
            let e = complaint("b.srt", &text(bad));
            assert!(
                e.starts_with("b.srt:6: cue 2: ")
                    && e.contains(what)
                    && e.contains("expected HH:MM:SS,mmm")
                    && e.contains("--lenient"),
                "{e}"
            );
            let t = read_bytes(text(bad).as_bytes(), Path::new("b.srt"), &LENIENT).unwrap();
            assert_eq!(told(&t), ["1-2 a", "5-6 c"]);
            assert_eq!(t.turns[1].index, 2);
            assert!(warned(&t).contains("dropped line 6: cue 2: "), "{}", warned(&t));
        }
        let e = complaint("b.srt", &text("hello"));
        assert!(e.starts_with("b.srt:5: cue 2: no timing line"), "{e}");
    }

    #[test]
    fn zero_length_unordered_overlapping_and_repeated_cues_are_kept_and_told() {
        let t = parse(
            "a.srt",
            "1\n00:00:05,000 --> 00:00:05,000\na\n\n2\n00:00:01,000 --> 00:00:03,000\nb\n\n3\n00:00:02,000 --> 00:00:04,000\nc\n\n3\n00:00:02,000 --> 00:00:04,000\nc\n",
        );
        assert_eq!(told(&t), ["5-5 a", "1-3 b", "2-4 c", "2-4 c"]);
        let w = warned(&t);
        assert!(
            w.contains("1 turns start before")
                && w.contains("zero length")
                && w.contains("2 turns overlap")
                && w.contains("1 turns repeat"),
            "{w}"
        );
    }

    #[test]
    fn speakers_in_the_text_of_srt() {
        let t = parse(
            "a.srt",
            "1\n00:00:01,000 --> 00:00:02,000\n[SPEAKER_00]: Hi: you\n\n2\n00:00:02,000 --> 00:00:03,000\n[SPEAKER_01]: - No\n- Yes\n",
        );
        assert_eq!(told(&t), ["1-2 SPEAKER_00: Hi: you", "2-3 SPEAKER_01: - No - Yes"]);
        let t = parse(
            "a.srt",
            "1\n00:00:01,000 --> 00:00:02,000\nANNA: Hi\nBOB: Hello\n\n2\n00:00:02,000 --> 00:00:03,000\nmore\n",
        );
        assert_eq!(told(&t), ["1-2 ANNA: Hi", "1-2 BOB: Hello", "2-3 BOB: more"]);
        assert!(warned(&t).contains("1 cues hold several speakers"));
        let t = parse(
            "a.srt",
            "1\n00:00:01,000 --> 00:00:02,000\nHe said: no\n\n2\n00:00:02,000 --> 00:00:03,000\n- Hi\n\n3\n00:00:03,000 --> 00:00:04,000\nNote: x\n",
        );
        assert_eq!(told(&t), ["1-2 He said: no", "2-3 - Hi", "3-4 Note: x"]);
    }

    #[test]
    fn every_kind_of_newline_and_encoding() {
        let text = "1\n00:00:01,000 --> 00:00:02,000\ncafé\n\n2\n00:00:02,000 --> 00:00:03,000\nb\n";
        let want = ["1-2 café", "2-3 b"];
        for newline in ["\n", "\r\n", "\r", "\r\r\n"] {
            assert_eq!(told(&parse("a.srt", &text.replace('\n', newline))), want);
        }
        let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let t = read_bytes(&utf16, Path::new("a.srt"), &STRICT).unwrap();
        assert_eq!(told(&t), want);
        assert!(warned(&t).contains("UTF-16BE"));
        let t = read_bytes(
            text.replace('é', "\u{1}")
                .into_bytes()
                .iter()
                .map(|b| if *b == 1 { 0xe9 } else { *b })
                .collect::<Vec<_>>()
                .as_slice(),
            Path::new("a.srt"),
            &STRICT,
        )
        .unwrap();
        assert_eq!(told(&t), want);
        assert!(warned(&t).contains("windows-1252"));
    }

    #[test]
    fn jumping_numbers_and_timing_lines_that_are_none_are_told() {
        let cue = |n: usize| format!("{n}\n00:00:{n:02},000 --> 00:00:{n:02},500\nword {n}.\n\n");
        let file = |numbers: &[usize]| numbers.iter().map(|n| cue(*n)).collect::<String>();
        let t = parse("a.srt", &file(&[1, 2, 3, 4, 9, 10, 11, 12]));
        assert!(
            warned(&t).contains("line 17: the cue numbers jump from 4 to 9: 4 cues may be missing"),
            "{}",
            warned(&t)
        );
        assert_eq!(warned(&parse("a.srt", &file(&[1, 2, 3, 4, 5, 6]))), "");
        let e = complaint("a.srt", &format!("{}3\n3.5 --> 4.5\nmore\n", file(&[1, 2])));
        assert!(e.starts_with("a.srt:10: cue 3: no clock times in \"3.5 --> 4.5\""), "{e}");
        let e = complaint("a.srt", "1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:12,000 --> 00:00:14,4");
        assert!(e.starts_with("a.srt:6: cue 2: the file ends with its timing line"), "{e}");
    }

    #[test]
    fn words_that_stop_where_the_file_does_are_told() {
        let cue = |n: usize, words: &str| format!("{n}\n00:00:{n:02},000 --> 00:00:{n:02},500\n{words}\n\n");
        let all: String = (1..6).map(|n| cue(n, "So it is.")).collect();
        let t = parse("a.srt", &format!("{all}{}", cue(6, "And so it goes.").trim_end().trim_end_matches("goes.")));
        assert!(
            warned(&t)
                .contains("its last turn (turn 6: \"...And so it\") without the full stop that 5 of 5 others have"),
            "{}",
            warned(&t)
        );
        assert_eq!(warned(&parse("a.srt", &format!("{all}{}", cue(6, "And so it goes.").trim_end()))), "");
        assert_eq!(warned(&parse("a.srt", &format!("{all}{}", cue(6, "And so it")))), "");
    }
}
