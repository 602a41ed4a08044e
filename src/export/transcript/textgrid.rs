//! Praat's TextGrid, the long text form (Praat manual, "TextGrid file formats"): intervals tile each tier.

use std::fmt::Write as _;

use super::Written;
use super::cues::silent;
use super::score::{Part, Score};
use super::tiers::{self, Tier};
use crate::transcript::names_codes;

/// The text of a TextGrid. Times are written in full.
pub(super) fn write(score: &Score, parts: &[Part]) -> Written {
    let (mut tiers, mut told) = tiers::of(score, parts);
    for tier in tiers.iter_mut().filter(|t| t.typed == "code" && !names_codes(&t.name)) {
        // Praat has no types: without the mark the name would be somebody's, or that of words. Readers of ours take it off.
        tier.name.push_str(" - code");
    }
    told.extend(silent(score));
    for tier in tiers.iter_mut().filter(|t| t.typed == "utterance") {
        // An interval without text is silence.
        tier.spans.retain(|(_, text)| !text.is_empty());
    }
    tiers.retain(|t| !t.spans.is_empty());
    let ends = tiers.iter().flat_map(|t| t.spans.iter().map(|(s, _)| s.end().get()));
    let end = ends.fold(score.media_secs.max(1e-3), f64::max);
    let mut text = format!(
        "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = 0\nxmax = {end}\ntiers? <exists>\nsize = {}\n\
         item []:\n",
        tiers.len()
    );
    for (tier, number) in tiers.iter().zip(1..) {
        let class = if tier.points { "TextTier" } else { "IntervalTier" };
        // Writing into a String cannot fail.
        let _ = write!(
            text,
            "    item [{number}]:\n        class = \"{class}\"\n        name = {}\n        xmin = 0\n        xmax = {end}\n",
            quoted(&tier.name)
        );
        if tier.points { points(tier, &mut text) } else { intervals(tier, end, &mut text) }
    }
    Written { text, told }
}

fn intervals(tier: &Tier, end: f64, text: &mut String) {
    let mut all: Vec<(f64, f64, &str)> = Vec::new();
    let mut reached = 0.0;
    for (segment, value) in &tier.spans {
        let (from, to) = (segment.start().get(), segment.end().get());
        if from > reached {
            all.push((reached, from, ""));
        }
        all.push((from, to, value));
        reached = to;
    }
    if reached < end {
        all.push((reached, end, ""));
    }
    let _ = writeln!(text, "        intervals: size = {}", all.len());
    for ((from, to, value), number) in all.into_iter().zip(1..) {
        let _ = write!(
            text,
            "        intervals [{number}]:\n            xmin = {from}\n            xmax = {to}\n            text = {}\n",
            quoted(value)
        );
    }
}

fn points(tier: &Tier, text: &mut String) {
    let _ = writeln!(text, "        points: size = {}", tier.spans.len());
    for ((segment, value), number) in tier.spans.iter().zip(1..) {
        let _ = write!(
            text,
            "        points [{number}]:\n            number = {}\n            mark = {}\n",
            segment.start().get(),
            quoted(value)
        );
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
