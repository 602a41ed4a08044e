//! Text whose paragraphs begin with a clock time and no brackets: `00:00:03 Name` or `Name 0:03` above the words (Word's
//! transcription saved as text, notes typed by hand), `00:00:03 Name: words`, or a time alone above the words (YouTube's
//! panel copied).

use super::stamped;
use super::{Entry, Input, Sign};
use crate::error::Result;
use crate::transcript::draft::Draft;

pub(super) const ENTRY: Entry = Entry {
    name: "text with clock times",
    help: "text whose paragraphs begin with clock times",
    suffixes: &["txt"],
    signs: &[Sign::Lines(|input: &Input| layout(input.text).is_some())],
    expected: "paragraphs that each begin with a clock time, `0:03`, `00:00:03 Name`, `Name 00:00:03` or `00:00:03 words`",
    example: "00:00:03 Anna\nHello there, you.\n\n00:00:05 Bo\nYes.\n\n00:00:07 Anna\nNo.\n",
    read: |input, draft| read(input.text, draft),
    ..Entry::PLAIN
};

/// How a text writes its times.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Layout {
    /// Time, name; words below.
    TimeName,
    /// Name, time, which may stand in brackets; words below.
    NameTime,
    /// Time alone, words below.
    TimeAlone,
    /// Time, words, which may begin with a label.
    TimeWords,
}

/// Each is looked for before those below it: where names could be words, the stricter reading comes first.
const LAYOUTS: [Layout; 4] = [Layout::TimeAlone, Layout::TimeName, Layout::NameTime, Layout::TimeWords];

impl Layout {
    /// Time, name and words of a line that begins a passage.
    fn head(self, line: &str) -> Option<(f64, Option<&str>, &str)> {
        let line = line.trim();
        if self == Layout::NameTime {
            let (name, time) = line.rsplit_once(char::is_whitespace)?;
            let inside = |open, close| time.strip_prefix(open).and_then(|t| t.strip_suffix(close));
            let time = inside('(', ')').or_else(|| inside('[', ']')).unwrap_or(time);
            let secs = stamped::clock_time(time)?;
            return is_proper_name(name).then(|| (secs, Some(name.trim()), ""));
        }
        let (time, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let secs = stamped::clock_time(time)?;
        let rest = rest.trim();
        match self {
            Layout::TimeAlone => rest.is_empty().then_some((secs, None, "")),
            Layout::TimeName => is_proper_name(rest).then_some((secs, Some(rest), "")),
            Layout::TimeWords | Layout::NameTime => {
                let begins_words = rest.starts_with(|c: char| !c.is_ascii_digit()) && !rest.contains('\t');
                begins_words.then_some((secs, None, rest))
            }
        }
    }

    /// True for a text of this layout: all its paragraphs begin so but for a title, two at least; where names stand
    /// alone one of them comes again, since words could stand in their place.
    fn fits(self, text: &str) -> bool {
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
        let heads: Vec<(usize, f64, Option<&str>)> = lines
            .iter()
            .enumerate()
            .filter_map(|(i, line)| self.head(line).map(|(secs, name, _)| (i, secs, name)))
            .collect();
        let Some(&(first, ..)) = heads.first() else { return false };
        let in_order = heads.windows(2).filter(|w| w[0].1 <= w[1].1).count();
        if heads.len() < 2 || in_order * 10 < (heads.len() - 1) * 9 || first > MOST_TITLE_LINES {
            return false;
        }
        let paragraphs: Vec<&str> = text.split("\n\n").map(str::trim).filter(|p| !p.is_empty()).collect();
        let is_led = |paragraph: &&&str| paragraph.lines().next().is_some_and(|line| self.head(line).is_some());
        let led = paragraphs.iter().filter(is_led).count();
        let apart = paragraphs.len() > first + 1;
        let mostly = if apart { led * 10 >= (paragraphs.len() - first) * 9 } else { heads.len() * 4 >= lines.len() };
        let words_below = heads.windows(2).filter(|w| w[1].0 > w[0].0 + 1).count();
        let needs_words_below = self != Layout::TimeWords;
        let names: Vec<&str> = heads.iter().filter_map(|(_, _, name)| *name).collect();
        let again = names.iter().enumerate().any(|(i, name)| names[..i].contains(name));
        mostly && (!needs_words_below || words_below * 10 >= (heads.len() - 1) * 9) && (names.is_empty() || again)
    }
}

/// Lines that may stand above the first time.
const MOST_TITLE_LINES: usize = 8;

/// A name that cannot be taken for words: it begins with a capital letter, or in a script that has none, and holds no
/// time.
fn is_proper_name(text: &str) -> bool {
    let text = text.trim();
    stamped::is_name(text)
        && text.starts_with(|c: char| c.is_alphabetic() && !c.is_lowercase())
        && !text.contains(['\t', ':'])
}

fn layout(text: &str) -> Option<Layout> {
    LAYOUTS.into_iter().find(|layout| layout.fits(text))
}

/// Reads a text into `draft`.
fn read(text: &str, draft: &mut Draft) -> Result<()> {
    let layout = layout(text).unwrap_or(Layout::TimeWords);
    let passages = stamped::gather(text, |line| layout.head(line), draft);
    stamped::into_turns(passages, draft)
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told, warned};

    const WANTED: [&str; 2] = ["0-3 Mara: Hello there.", "3-6 Jon: Yes I know."];

    #[test]
    fn times_and_names_in_four_layouts() {
        for text in [
            "00:00:00 Mara\nHello there.\n\n00:00:03 Jon\nYes I know.\n\n00:00:06 Mara\nGood so.\n",
            "Mara 00:00\nHello there.\n\nJon 00:03\nYes I know.\n\nMara 00:06\nGood so.\n",
            "Our talk\n\nMara (00:00:00)\nHello there.\n\nJon (00:00:03)\nYes I\nknow.\n\nMara [0:06]\nGood so.\n",
            "00:00:00 Mara: Hello there.\n00:00:03 Jon: Yes I know.\n00:00:06 Mara: Good so.\n",
        ] {
            let t = parse("a.txt", text);
            assert_eq!(t.format, Format::Clocked, "{text}");
            let turns = told(&t);
            assert_eq!(turns[..2], WANTED, "{text}");
            assert!(
                turns.len() == 3 && turns[2].starts_with("6-8.") && turns[2].ends_with(" Mara: Good so."),
                "{turns:?}"
            );
            assert!(warned(&t).contains("passages begin and not where they end"), "{}", warned(&t));
        }
    }

    #[test]
    fn times_alone_and_times_before_words_name_nobody() {
        let t = parse("a.txt", "0:00\nhello there\n0:03\nyes I know\n1:00:06\ngood\n");
        assert_eq!(told(&t)[..2], ["0-3 hello there", "3-3606 yes I know"]);
        let t = parse("a.txt", "00:00:03 so we met\nthat year\n00:00:08 and then\nwe went home\n00:00:12 yes\n");
        assert_eq!(told(&t)[..2], ["3-8 so we met that year", "8-12 and then we went home"]);
    }

    #[test]
    fn prose_and_tables_with_clock_times_are_none() {
        for text in [
            "We met at 12:30\nin town.\n\nThat evening\nwe left at 14:45\nfor home.\n\nIt was good.\n",
            "00:00:01\t00:00:03\tMara\tHello\n00:00:03\t00:00:05\tJon\tYes\n",
            "1\t00:00:00,000\t00:00:03,000\tHello\n2\t00:00:03,000\t00:00:05,000\tYes\n",
            "Mara 00:03\nHello there.\n",
        ] {
            assert!(complaint("a.txt", text).contains("expected"), "{text}");
        }
        let e = complaint(
            "a.txt",
            &(0..20).map(|i| format!("0:{:02} Mara\nSo.\n\n", if i == 7 { 1 } else { i + 2 })).collect::<String>(),
        );
        assert!(e.starts_with("a.txt:22: the passage at 1 s stands below one at 8 s"), "{e}");
    }
}
