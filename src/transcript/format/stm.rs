//! NIST segment time marks `.stm`: `file channel speaker start end [<label>] words` (sctk, "STM reference file
//! format").

use crate::error::Result;
use crate::transcript::draft::{CUT, Draft, short};
use crate::transcript::{clock, markup};

const EXPECTED: &str = "expected `file channel speaker start end [<label>] words`, times in seconds; correct the line";

/// Marks of stretches that scoring leaves out; nobody's turn.
const NO_TURN: [&str; 2] = ["ignore_time_segment_in_scoring", "inter_segment_gap"];

struct Mark<'t> {
    file: &'t str,
    speaker: &'t str,
    start: f64,
    end: f64,
    words: &'t str,
}

/// A whole file, small.
pub(super) const EXAMPLE: &str = "x 1 A 0 1 <o,f0> hi\nx 1 B 1 2 you\n";

/// True when the first line that is no comment is a mark.
pub(super) fn fits(text: &str) -> bool {
    text.lines()
        .map(str::trim)
        .find(|l| !l.is_empty() && !l.starts_with(";;"))
        .is_some_and(|l| mark(l).is_some_and(|m| m.end >= m.start))
}

/// Reads STM text into `draft`. Of several recordings in one file, the one called `stem` is taken.
pub(super) fn read(text: &str, stem: &str, draft: &mut Draft) -> Result<()> {
    let mut marks = Vec::new();
    let open = !text.ends_with('\n');
    let count = text.lines().count();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(";;") {
            continue;
        }
        let last = open && i + 1 == count;
        match mark(line) {
            Some(mark) if last && mark.words.is_empty() => {
                draft.bad(i + 1, format!("the file ends within the mark {:?}", short(line)), CUT)?;
            }
            Some(mark)
                if mark
                    .words
                    .strip_prefix('<')
                    .is_some_and(|l| (l.is_empty() || l.starts_with(char::is_alphabetic)) && !l.contains('>')) =>
            {
                draft.bad(i + 1, format!("the label of the mark {:?} is not closed", short(line)), EXPECTED)?;
            }
            Some(mark) => {
                draft.ends_open(last);
                marks.push((i + 1, mark));
            }
            None => draft.bad(i + 1, format!("mark {:?} cannot be read", short(line)), EXPECTED)?,
        }
    }
    let mut files: Vec<&str> = marks.iter().map(|(_, m)| m.file).collect();
    files.sort_unstable();
    files.dedup();
    if files.len() > 1 {
        if !files.contains(&stem) {
            let what =
                format!("{} recordings in one file ({}, …), none called {stem:?}", files.len(), files[..2].join(", "));
            return Err(draft.fail(
                0,
                what,
                "give each interview a file of its own, or name the file after the recording",
            ));
        }
        let (recordings, all) = (files.len(), marks.len());
        marks.retain(|(_, m)| m.file == stem);
        let others = all - marks.len();
        draft.warn(format!(
            "{recordings} recordings in one file; the one called {stem:?} is taken, {others} marks of others are not"
        ));
    }
    draft.take_lost();
    let mut before = 0;
    for (line, mark) in marks {
        if draft.lost_between(before, line) {
            draft.lose();
        }
        before = line + 1;
        if NO_TURN.iter().any(|n| mark.words.eq_ignore_ascii_case(n) || mark.speaker.eq_ignore_ascii_case(n)) {
            continue;
        }
        match clock::span(mark.start, mark.end) {
            Ok(segment) => draft.push(segment, Some(mark.speaker), markup::squeeze(mark.words), Vec::new()),
            Err(what) => draft.bad(line, format!("mark of {}: {what}", mark.speaker), EXPECTED)?,
        }
    }
    Ok(())
}

fn mark(line: &str) -> Option<Mark<'_>> {
    let mut rest = line;
    let mut field = || {
        rest = rest.trim_start();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (field, tail) = rest.split_at(end);
        rest = tail;
        (!field.is_empty()).then_some(field)
    };
    let (file, _channel, speaker) = (field()?, field()?, field()?);
    let start = field()?.parse().ok().filter(|v: &f64| v.is_finite())?;
    let end = field()?.parse().ok().filter(|v: &f64| v.is_finite())?;
    let mut words = rest.trim();
    if let Some((label, after)) = words.strip_prefix('<').and_then(|w| w.split_once('>'))
        && is_label(label)
    {
        words = after.trim();
    }
    Some(Mark { file, speaker, start, end, words })
}

/// `o,f0,male`, `o`, `NA`, `F0_M`: sets a mark belongs to. `unk` and `laughter` are what was heard.
fn is_label(label: &str) -> bool {
    let set = |l: &str| l.strip_prefix(['f', 'F']).is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()));
    !label.contains(char::is_whitespace)
        && (label.contains(',') || ["", "o", "na"].iter().any(|l| label.eq_ignore_ascii_case(l)) || set(label))
}

#[cfg(test)]
mod tests {

    use crate::transcript::tests::{complaint, parse, told};

    #[test]
    fn stm_labels_comments_and_gaps() {
        let t = parse(
            "x.stm",
            ";; comment\nx 1 Anna 0.5 1.25 <o,f0,female> hi  there\nx 1 inter_segment_gap 1.25 2 <o,,>\nx 1 Bob 2 3 \n",
        );
        assert_eq!(told(&t), ["0.5-1.25 Anna: hi there", "2-3 Bob: "]);
        let t = parse(
            "x.stm",
            "x 1 Anna 0.5 1 <unk> hello\nx 1 Anna 1 2 <NA> <laughter> no\nx 1 Anna 2 3 <F0_M> <3 you\nx 1 Anna 3 4 <3 you\n",
        );
        assert_eq!(
            told(&t),
            ["0.5-1 Anna: <unk> hello", "1-2 Anna: <laughter> no", "2-3 Anna: <3 you", "3-4 Anna: <3 you"]
        );
        let two = "a 1 A 0 1 x\nb 1 B 0 1 y\n";
        assert_eq!(told(&parse("b.stm", two)), ["0-1 B: y"]);
        assert!(complaint("c.stm", two).contains("2 recordings in one file (a, b, …), none called \"c\""));
        assert!(
            complaint("a.stm", "a 1 A 0 1 x\na 1 A 3 2 x\n")
                .starts_with("a.stm:2: mark of A: end 2 s before start 3 s")
        );
    }

    #[test]
    fn a_mark_cut_off_is_told() {
        let e = complaint("x.stm", "x 1 Anna 0.5 1.25 <o> hi\nx 1 Anna 2 25");
        assert!(e.starts_with("x.stm:2: the file ends within the mark"), "{e}");
        assert!(
            complaint("x.stm", "x 1 Anna 0.5 1.25 <o> hi\nx 1 Anna 2 25 <o,f0")
                .contains("x.stm:2: the label of the mark")
        );
        let two = parse("b.stm", "a 1 A 0 1 x\na 1 A 1 2 x\nb 1 B 0 1 y\n");
        assert!(crate::transcript::tests::warned(&two).contains("2 marks of others are not"));
    }
}
