//! Text of Otter: a line of a name and a clock time with two blanks or more between, then a paragraph of words. Teams
//! writes its documents so, too.

use super::stamped::{self, Passage};
use super::{Entry, Input, Sign};
use crate::error::Result;
use crate::transcript::draft::Draft;

pub(super) const ENTRY: Entry = Entry {
    name: "Otter text",
    help: "text of Otter",
    suffixes: &["txt"],
    signs: &[Sign::Lines(|input: &Input| fits(input.text))],
    expected: "lines `Name  0:03` with the words below (Otter)",
    example: "Anna Bell  0:03  \nHello there, you.\n\nBo  0:05  \nYes.\n\nTranscribed by https://otter.ai\n",
    read: |input, draft| read(input.text, draft),
    ..Entry::PLAIN
};

/// Time and name of a line that begins a passage.
fn head(line: &str) -> Option<(f64, Option<&str>, &str)> {
    let line = line.trim();
    let at = line.rfind(char::is_whitespace)?;
    let (name, time) = (&line[..at], line[at..].trim());
    let apart = name.ends_with([' ', '\t']) || line[at..].starts_with('\t');
    let secs = stamped::clock_time(time).filter(|_| apart && stamped::is_name(name.trim()))?;
    Some((secs, Some(name), ""))
}

/// True for a text with two passages or more, no words without one above them but a title.
pub(super) fn fits(text: &str) -> bool {
    text.lines().filter(|l| head(l).is_some()).count() >= 2
}

/// The passages of a text.
pub(super) fn passages(text: &str, draft: &mut Draft) -> Vec<Passage> {
    let mut passages = stamped::gather(text, head, draft);
    if let Some(last) = passages.last_mut()
        && let Some((words, after)) = last.text.split_once("Transcribed by ")
        && after.contains("otter.ai")
    {
        last.text = words.to_owned();
    }
    passages
}

/// Reads a text into `draft`.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<()> {
    let passages = passages(text, draft);
    stamped::into_turns(passages, draft)
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told, warned};

    #[test]
    fn names_times_and_paragraphs() {
        let t = parse(
            "a.txt",
            "My talk\n\nAnna Bell  0:03  \nHello there, you and\nme.\n\nUnknown Speaker  1:00:05  \nYes, so it is.\n\nAnna Bell\t1:00:08\nNo.\n\nTranscribed by https://otter.ai\n",
        );
        assert_eq!(t.format, Format::Otter);
        // 3605 s for 9 words, most of them silence: the last, one word, lasts two seconds.
        assert_eq!(
            told(&t),
            ["3-3605 Anna Bell: Hello there, you and me.", "3605-3608 Yes, so it is.", "3608-3610 Anna Bell: No."]
        );
        assert!(warned(&t).contains("1 lines stand above the first passage"), "{}", warned(&t));
        assert!(warned(&t).contains("\"Unknown Speaker\", which is nobody's name"), "{}", warned(&t));
        assert!(warned(&t).contains("its 3 passages begin and not where they end"), "{}", warned(&t));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let e = complaint("a.txt", "Anna  0:09\nHi there.\n\nBo  0:05\nYes.\n");
        assert!(e.starts_with("a.txt:4: the passage at 5 s stands below one at 9 s"), "{e}");
        assert!(complaint("a.txt", "Anna  0:09\nHi there.\n").contains("not a transcript format that is known"));
        assert!(complaint("a.txt", "We met at  0:09\nand at 10:30 too.\n").contains("not a transcript format"));
        assert!(complaint("a.txt", "Anna  0:0x\nHi.\nBo  0:yy\nNo.\n").contains("expected"));
    }
}
