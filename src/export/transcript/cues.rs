//! Turns as cues: SRT, WebVTT and CSV.

use std::fmt::Write as _;

use super::Written;
use super::score::Score;
use crate::annotation::Turn;
use crate::text::counted;
use crate::time::Seconds;

/// SubRip: numbered cues, the label before the words. What the file's first words say of a label is all that it can say.
pub(super) fn srt(score: &Score) -> Written {
    let mut text = String::new();
    let (mut told, mut arrows) = (silent(score), 0);
    for (turn, number) in spoken(score).zip(1..) {
        let mut said = line(&turn.text);
        if said.contains("-->") {
            // A line with it is a timing line, and there is no way to write it otherwise.
            said = said.replace("-->", "->");
            arrows += 1;
        }
        let cue = turn.speaker.as_ref().map_or_else(|| said.clone(), |speaker| format!("{}: {said}", line(speaker)));
        let span = (clock(turn.segment.start(), ','), clock(turn.segment.end(), ','));
        // Writing into a String cannot fail.
        let _ = write!(text, "{number}\n{} --> {}\n{cue}\n\n", span.0, span.1);
    }
    if arrows > 0 {
        told.push(format!(
            "{} hold -->, which is written as ->: SubRip would take it for a time",
            counted(arrows, "turn")
        ));
    }
    Written { text, told }
}

/// WebVTT: a voice for each cue.
pub(super) fn vtt(score: &Score) -> Written {
    let mut text = String::from("WEBVTT\n\n");
    for (turn, number) in spoken(score).zip(1..) {
        let said = escaped(&line(&turn.text));
        let cue = match &turn.speaker {
            Some(speaker) => format!("<v {}>{said}</v>", escaped(&line(speaker))),
            None => said,
        };
        let span = (clock(turn.segment.start(), '.'), clock(turn.segment.end(), '.'));
        let _ = write!(text, "{number}\n{} --> {}\n{cue}\n\n", span.0, span.1);
    }
    Written { text, told: silent(score) }
}

/// A table: turn_index, start, end, speaker, text. Times have a decimal point, so that they are seconds.
pub(super) fn csv(score: &Score) -> Written {
    let mut text = String::from("turn_index,start,end,speaker,text\n");
    for turn in &score.turns {
        let (start, end) = (decimal(turn.segment.start()), decimal(turn.segment.end()));
        let speaker = quoted(turn.speaker.as_deref().unwrap_or_default());
        let _ = writeln!(text, "{},{start},{end},{speaker},{}", turn.index, quoted(&line(&turn.text)));
    }
    Written { text, told: Vec::new() }
}

/// Turns that a cue can hold: an empty one is read as none.
fn spoken(score: &Score) -> impl Iterator<Item = &Turn> {
    score.turns.iter().filter(|t| !t.text.trim().is_empty())
}

/// What is told of turns without words in formats that cannot hold them.
pub(super) fn silent(score: &Score) -> Vec<String> {
    let count = score.turns.len() - spoken(score).count();
    let told = || format!("{} without words left out: the format cannot hold them", counted(count, "turn"));
    (count > 0).then(told).into_iter().collect()
}

/// In one line.
pub(super) fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text between tags of WebVTT and XML: no tag, no entity, no arrow.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn quoted(cell: &str) -> String {
    format!("\"{}\"", cell.replace('"', "\"\""))
}

fn decimal(time: Seconds) -> String {
    let text = time.get().to_string();
    if text.contains('.') { text } else { format!("{text}.0") }
}

/// `HH:MM:SS.mmm`, to the nearest millisecond.
fn clock(time: Seconds, point: char) -> String {
    let ms = millis(time);
    let (hours, minutes, secs) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60);
    format!("{hours:02}:{minutes:02}:{secs:02}{point}{:03}", ms % 1_000)
}

/// To the nearest millisecond; times before the origin are at it.
pub(super) fn millis(time: Seconds) -> u64 {
    (time.get().max(0.0) * 1e3).round() as u64
}
