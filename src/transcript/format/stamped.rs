//! Texts whose passages begin with a clock time and tell no ends: each is taken to last until the next.

use crate::error::Result;
use crate::transcript::draft::Draft;
use crate::transcript::{clock, markup};

/// A passage.
#[derive(Debug, PartialEq)]
pub(super) struct Passage {
    /// 1-based.
    pub(super) line: usize,
    pub(super) start: f64,
    pub(super) speaker: Option<String>,
    pub(super) text: String,
}

/// Longest that a last word is taken to last: a pace over silences is nobody's.
const SLOWEST_SECS: f64 = 2.0;

/// Passages as turns that end where the next begins; the last lasts as long as its words take at the pace of the
/// others. Both are told.
///
/// # Errors
/// [`crate::error::Error::Parse`] for a passage that begins before the one above it, whose end nobody can tell (unless
/// lenient), and where no pace is known.
pub(super) fn into_turns(passages: Vec<Passage>, draft: &mut Draft) -> Result<()> {
    let mut kept: Vec<Passage> = Vec::new();
    for passage in passages {
        match kept.last().filter(|last| last.start > passage.start) {
            Some(last) => {
                let what = format!("the passage at {} s stands below one at {} s", passage.start, last.start);
                draft.bad(passage.line, what, "ends are told by the next passage: put the passages in order")?;
            }
            None => kept.push(passage),
        }
    }
    let count = |p: &Passage| p.text.split_whitespace().count();
    let (words, secs) =
        kept.windows(2).fold((0, 0.0), |(words, secs), w| (words + count(&w[0]), secs + w[1].start - w[0].start));
    // Long silences before the next passage are nobody's pace.
    let pace = if words > 0 && secs > 0.0 { Some((secs / words as f64).min(SLOWEST_SECS)) } else { None };
    let ends: Vec<f64> = kept.iter().skip(1).map(|p| p.start).collect();
    let total = kept.len();
    for (i, passage) in kept.into_iter().enumerate() {
        let end = ends.get(i).copied().or_else(|| {
            // Kept to the milliseconds: it is an estimate.
            pace.map(|pace| ((passage.start + pace * count(&passage) as f64) * 1e3).round() / 1e3)
        });
        let Some(end) = end else {
            let what = "the file tells where passages begin and not where they end, and has one alone";
            return Err(draft.fail(
                passage.line,
                what,
                "give the passage an end: save it as SRT, or as CSV with start and end",
            ));
        };
        match clock::span(passage.start, end) {
            Ok(segment) => {
                let text = markup::squeeze(&passage.text);
                draft.push(segment, passage.speaker.as_deref(), text, Vec::new());
            }
            Err(what) => draft.bad(passage.line, what, "correct the time")?,
        }
    }
    if let Some(pace) = pace {
        draft.warn(format!(
            "the file tells where its {total} passages begin and not where they end: each is taken to last until the \
             next, the last as long as its words take at the pace of the others ({pace:.2} s a word)"
        ));
    }
    Ok(())
}

/// A clock time of passages: hours or minutes first, seconds with or without a fraction.
pub(super) fn clock_time(text: &str) -> Option<f64> {
    text.starts_with(|c: char| c.is_ascii_digit())
        .then(|| clock::parse_loose(text))
        .flatten()
        .filter(|_| text.contains(':'))
}

/// True for what can be a name: short, with letters, no sentence.
pub(super) fn is_name(text: &str) -> bool {
    let words = text.split_whitespace().count();
    (1..=6).contains(&words)
        && text.chars().count() <= 60
        && text.chars().any(char::is_alphabetic)
        && !text.ends_with(['.', '?', '!', ','])
        && !text.contains(['[', ']', '<', '>', '#'])
}

/// Gathers passages from lines of which some begin one; words before the first are a title.
pub(super) fn gather<'t>(
    text: &'t str,
    head: impl Fn(&'t str) -> Option<(f64, Option<&'t str>, &'t str)>,
    draft: &mut Draft,
) -> Vec<Passage> {
    let mut out: Vec<Passage> = Vec::new();
    let mut title: Vec<&str> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        match (head(line), out.last_mut()) {
            (Some((start, speaker, words)), _) => out.push(Passage {
                line: i + 1,
                start,
                speaker: speaker.map(|s| s.trim().to_owned()),
                text: words.to_owned(),
            }),
            (None, Some(last)) => {
                last.text.push(' ');
                last.text.push_str(line);
            }
            (None, None) if !line.trim().is_empty() => title.push(line.trim()),
            (None, None) => {}
        }
    }
    if let Some(first) = title.first() {
        let first = crate::transcript::draft::short(first);
        draft.warn(format!("{} lines stand above the first passage and are no turns (first: {first:?})", title.len()));
    }
    out
}
