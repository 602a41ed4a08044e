//! YouTube's `.sbv`: a line of two clock times with a comma between, then lines of words, then an empty line.

use super::{Entry, Input, Sign};
use crate::error::Result;
use crate::transcript::clock;
use crate::transcript::cue::{self, Cue};
use crate::transcript::draft::{CUT, Draft, short};

const EXPECTED: &str = "expected H:MM:SS.mmm,H:MM:SS.mmm with end at or after start; correct the line";

pub(super) const ENTRY: Entry = Entry {
    name: "SBV",
    help: "YouTube's SBV",
    suffixes: &["sbv"],
    signs: &[Sign::Lines(fits)],
    expected: "lines H:MM:SS.mmm,H:MM:SS.mmm, each with its words below",
    example: "0:00:00.500,0:00:01.250\nhi\nyou\n\n0:00:02.000,0:00:03.000\nso\n",
    read: |input, draft| read(input.text, draft),
    ..Entry::PLAIN
};

/// A line of two times: each with two colons, so that `1:30,2:45` said in a cue is none.
fn times(line: &str) -> Option<(&str, &str)> {
    let timelike = |t: &str| {
        t.matches(':').count() == 2
            && t.chars().all(|c| c.is_ascii_alphanumeric() || ":.".contains(c))
            && t.starts_with(|c: char| c.is_ascii_digit())
    };
    line.trim().split_once(',').map(|(a, b)| (a.trim(), b.trim())).filter(|(a, b)| timelike(a) && timelike(b))
}

fn fits(input: &Input) -> bool {
    let first = input.text.lines().find(|l| !l.trim().is_empty()).unwrap_or("");
    times(first).is_some_and(|(a, b)| clock::parse(a).is_some() || clock::parse(b).is_some())
}

fn read(text: &str, draft: &mut Draft) -> Result<()> {
    let lines: Vec<&str> = text.split('\n').collect();
    let last = lines.iter().rposition(|l| !l.is_empty()).filter(|i| i + 1 == lines.len());
    let mut cues: Vec<Cue> = Vec::new();
    let mut number = 0;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        at += 1;
        if line.trim().is_empty() {
            continue;
        }
        let Some((start, end)) = times(line) else {
            draft.flaw(
                at,
                format!("{:?} stands in no cue", short(line)),
                "it is left out",
                "put it below a line of times",
            )?;
            continue;
        };
        number += 1;
        let words: Vec<String> = lines[at..]
            .iter()
            .take_while(|l| !l.trim().is_empty() && times(l).is_none())
            .map(|l| (*l).to_owned())
            .collect();
        let head = at;
        at += words.len();
        if last == Some(head - 1) {
            draft.bad(head, format!("cue {number}: the file ends with its times {:?}", short(line)), CUT)?;
            continue;
        }
        let span = match (clock::parse(start), clock::parse(end)) {
            (Some(a), Some(b)) => clock::span(a, b),
            (None, _) => Err(format!("start time {start:?} cannot be read")),
            (_, None) => Err(format!("end time {end:?} cannot be read")),
        };
        match span {
            Ok(segment) => {
                let after_dropped = draft.take_lost();
                let lines = words.iter().flat_map(|l| l.split("[br]")).map(str::to_owned).collect();
                cues.push(Cue { after_dropped, segment, lines });
                draft.ends_open(last == Some(at - 1));
            }
            Err(what) => draft.bad(head, format!("cue {number}: {what}"), EXPECTED)?,
        }
    }
    cue::into_turns(cues, false, draft);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told, warned};

    #[test]
    fn clock_times_lines_and_labels() {
        let t = parse("a.txt", "0:00:00.378,0:00:11.378\nhi\nyou\n\n1:00:01.000,1:00:02.500\nso[br]it is\n");
        assert_eq!(
            (t.format, told(&t)),
            (Format::Sbv, vec!["0.378-11.378 hi you".into(), "3601-3602.5 so it is".into()])
        );
    }

    #[test]
    fn what_is_wrong_is_told() {
        let e = complaint("a.sbv", "0:00:00.500,0:00:01.000\nhi\n\n0:00:03.000,0:00:02.000\nyou\n");
        assert!(e.starts_with("a.sbv:4: cue 2: end 2 s before start 3 s; expected H:MM:SS.mmm"), "{e}");
        let e = complaint("a.sbv", "0:00:00.500,0:00:01.000\nhi\n\n0:00:03.000,0:00:0x.000\nyou\n");
        assert!(e.starts_with("a.sbv:4: cue 2: end time \"0:00:0x.000\" cannot be read"), "{e}");
        let e = complaint("a.sbv", "0:00:00.500,0:00:01.000\nhi\n\n0:00:03.000,0:00:04.000");
        assert!(e.contains("cue 2: the file ends with its times"), "{e}");
        assert!(
            complaint("a.sbv", "0:00:00.500,0:00:01.000\nhi\n\nstray\n")
                .contains("a.sbv:4: \"stray\" stands in no cue")
        );
        let t = parse("a.sbv", "0:00:05.000,0:00:06.000\nhi\n\n0:00:03.000,0:00:04.000\nyou\n");
        assert!(warned(&t).contains("1 turns start before the turn above them"), "{}", warned(&t));
    }
}
