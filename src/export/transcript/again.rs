//! What is written is read again: what our own reader takes otherwise than it was is told before anybody corrects it.

use std::path::Path;

use super::TranscriptFormat;
use super::cues::line;
use super::score::Score;
use crate::annotation::Turn;
use crate::text::counted;
use crate::transcript::{Labels, ReadOptions, read_bytes};

/// What differs between the turns and what is read of a text, their words in time where `words`; empty where nothing
/// does.
pub(super) fn differences(
    text: &str,
    path: &Path,
    score: &Score,
    format: TranscriptFormat,
    words: bool,
) -> Vec<String> {
    let wanted: Vec<&Turn> = score.turns.iter().filter(|t| !t.text.trim().is_empty()).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let read = |labels| {
        let options = ReadOptions { labels, ..ReadOptions::default() };
        read_bytes(text.as_bytes(), path, &options).map(|t| count(&wanted, &t.turns, (format.resolution_secs(), words)))
    };
    let always = || matches!(read(Labels::Always), Ok(0));
    match read(Labels::Auto) {
        Ok(0) => Vec::new(),
        _ if always() => vec!["read the file with --labels always: its labels alone do not bear each other out".into()],
        Ok(differing) => {
            let (turns, name) = (counted(differing, "turn"), format.name());
            vec![format!(
                "{turns} of {} are not read from the {name} as they were: what is written looks like something else",
                wanted.len()
            )]
        }
        Err(e) => vec![format!("what was written is not read: {}", e.chain())],
    }
}

/// How many turns are not found again, or are found and were not there.
fn count(wanted: &[&Turn], found: &[Turn], (resolution_secs, words): (f64, bool)) -> usize {
    let timed = |t: &Turn| t.words.iter().filter(|w| w.segment.is_some()).map(|w| line(&w.text)).collect::<Vec<_>>();
    let near = |a: f64, b: f64| (a - b).abs() <= resolution_secs + 1e-9;
    let same = |a: &Turn, b: &Turn| {
        let times = near(a.segment.start().get(), b.segment.start().get())
            && near(a.segment.end().get(), b.segment.end().get());
        times
            && (!words || timed(a) == timed(b))
            && a.speaker.as_deref().map(line) == b.speaker.as_deref().map(line)
            && line(&a.text) == line(&b.text)
    };
    let mut left: Vec<&Turn> = found.iter().filter(|t| !t.text.trim().is_empty()).collect();
    let mut missing = 0;
    for turn in wanted {
        // Sorted or not: the place of a turn among equals says nothing.
        match left.iter().position(|t| same(turn, t)) {
            Some(at) => drop(left.remove(at)),
            None => missing += 1,
        }
    }
    missing.max(left.len())
}
