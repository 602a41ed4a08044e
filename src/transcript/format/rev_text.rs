//! Text of Rev: `Name (00:02):` and words, behind it or below.

use super::stamped;
use super::{Entry, Input, Sign};
use crate::error::Result;
use crate::transcript::draft::Draft;

pub(super) const ENTRY: Entry = Entry {
    name: "Rev text",
    help: "text of Rev",
    suffixes: &["txt"],
    signs: &[Sign::Lines(|input: &Input| fits(input.text))],
    expected: "lines `Name (00:02):` with the words behind or below (Rev)",
    example: "Speaker 1 (00:03):\nHello there, you.\n\nSpeaker 2 (00:05):\nYes.\n",
    read: |input, draft| read(input.text, draft),
    ..Entry::PLAIN
};

fn head(line: &str) -> Option<(f64, Option<&str>, &str)> {
    let (name, rest) = line.trim().split_once('(')?;
    let (time, words) = rest.split_once(')')?;
    let words = words.trim_start().strip_prefix(':')?;
    let secs = stamped::clock_time(time.trim()).filter(|_| stamped::is_name(name.trim()))?;
    Some((secs, Some(name), words))
}

/// True for a text with two passages or more.
pub(super) fn fits(text: &str) -> bool {
    text.lines().filter(|l| head(l).is_some()).count() >= 2
}

/// Reads a text into `draft`.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<()> {
    let passages = stamped::gather(text, head, draft);
    stamped::into_turns(passages, draft)
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told};

    #[test]
    fn names_with_times_in_parentheses() {
        let t = parse(
            "a.txt",
            "Speaker 1 (00:03):\nHello there, (so) you. [inaudible 00:00:04]\n\nBo Lee (00:00:13): Yes.\n\nSpeaker 1 (01:00:15.5):\nNo.\n",
        );
        assert_eq!(t.format, Format::RevText);
        assert_eq!(
            told(&t)[..2],
            ["3-13 Speaker 1: Hello there, (so) you. [inaudible 00:00:04]", "13-3615.5 Bo Lee: Yes."]
        );
    }

    #[test]
    fn what_is_wrong_is_told() {
        let e = complaint("a.txt", "A (00:09):\nHi.\n\nB (00:05):\nYes.\n");
        assert!(e.starts_with("a.txt:4: the passage at 5 s stands below one at 9 s"), "{e}");
        assert!(complaint("a.txt", "A (00:0x):\nHi.\nB (soon):\nNo.\n").contains("expected"));
    }
}
