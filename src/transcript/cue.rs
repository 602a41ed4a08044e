//! Cues of SRT and WebVTT after their blocks are found: rolling captions, voices, speaker labels and word times.

use super::draft::{Draft, short};
use super::label;
use super::markup::{self, Piece};
use crate::annotation::Word;
use crate::time::Segment;

/// A cue as its block gives it.
pub(super) struct Cue {
    /// True where a cue before it was dropped.
    pub(super) after_dropped: bool,
    pub(super) segment: Segment,
    pub(super) lines: Vec<String>,
}

/// One line of a cue: its pieces, and the words shown.
struct Line {
    pieces: Vec<Piece>,
    shown: String,
}

struct Parsed {
    after_dropped: bool,
    segment: Segment,
    lines: Vec<Line>,
}

/// A repeat that short only keeps the words on the screen; the words before it were said until its end.
const LINGER_SECS: f64 = 0.5;

/// Turns the cues into turns of `draft`. Where the format is `webvtt`, angle brackets that hold no tag are told: its
/// players would not show them.
pub(super) fn into_turns(cues: Vec<Cue>, webvtt: bool, draft: &mut Draft) {
    let untagged = if webvtt { markup::untagged(cues.iter().flat_map(|c| &c.lines).map(String::as_str)) } else { None };
    if let Some((first, count)) = untagged {
        let first = short(&first);
        draft.warn(format!(
            "{count} stretches in angle brackets are no tags of WebVTT and are kept as words (first: {first:?})"
        ));
    }
    let parsed: Vec<Parsed> = cues
        .into_iter()
        .map(|cue| Parsed {
            after_dropped: cue.after_dropped,
            segment: cue.segment,
            lines: cue.lines.iter().map(|l| line(l)).filter(|l| !l.shown.is_empty() || has_voice(l)).collect(),
        })
        .collect();
    let parsed = unroll(parsed, draft);
    // Cues know what was dropped before them; what was dropped after the last is before none.
    draft.take_lost();
    let voices = parsed.iter().flat_map(|c| &c.lines).any(has_voice);
    let timed = parsed.iter().flat_map(|c| &c.lines).any(has_time);
    if voices || timed {
        speak_voices(&parsed, draft);
    } else {
        speak_labels(&parsed, draft);
    }
}

fn line(raw: &str) -> Line {
    let pieces = markup::pieces(raw);
    let all: String =
        pieces.iter().filter_map(|p| if let Piece::Text(t) = p { Some(t.as_str()) } else { None }).collect();
    Line { shown: markup::squeeze(&all), pieces }
}

fn has_voice(line: &Line) -> bool {
    line.pieces.iter().any(|p| matches!(p, Piece::Voice(_)))
}

fn has_time(line: &Line) -> bool {
    line.pieces.iter().any(|p| matches!(p, Piece::Time(_)))
}

fn shown(cue: &Parsed) -> Vec<&str> {
    cue.lines.iter().map(|l| l.shown.as_str()).filter(|s| !s.is_empty()).collect()
}

/// How many of the cue's first lines are the last lines of the cue before, still on the screen.
fn repeated(before: &Parsed, cue: &Parsed) -> usize {
    if cue.segment.start().get() - before.segment.end().get() > LINGER_SECS {
        return 0;
    }
    let (old, new) = (shown(before), shown(cue));
    (1..=old.len().min(new.len())).rev().find(|k| old[old.len() - k..] == new[..*k]).unwrap_or(0)
}

/// Rolling captions, as YouTube writes them: every line is shown twice or more, and 10-ms cues only repeat. Each line
/// is kept once.
fn unroll(mut cues: Vec<Parsed>, draft: &mut Draft) -> Vec<Parsed> {
    let repeats: Vec<usize> =
        (0..cues.len()).map(|i| if i == 0 { 0 } else { repeated(&cues[i - 1], &cues[i]) }).collect();
    let rolled = repeats.iter().filter(|k| **k > 0).count();
    let with_news = repeats.iter().zip(&cues).filter(|(k, c)| **k > 0 && **k < shown(c).len()).count();
    let pairs = cues.len().saturating_sub(1);
    let timed = cues.iter().flat_map(|c| &c.lines).any(has_time);
    let rolling = if timed {
        rolled > 0 && rolled * 4 >= pairs
    } else {
        pairs >= 4 && rolled * 10 >= pairs * 6 && with_news * 5 >= rolled * 2
    };
    if !rolling {
        return cues;
    }
    let total = cues.len();
    let mut kept: Vec<Parsed> = Vec::new();
    for (mut cue, repeats) in cues.drain(..).zip(repeats) {
        let mut to_drop = repeats;
        cue.lines.retain(|l| {
            let drop = !l.shown.is_empty() && to_drop > 0;
            to_drop -= usize::from(drop);
            !drop && !l.shown.is_empty()
        });
        if !cue.lines.is_empty() {
            kept.push(cue);
        } else if let Some(last) = kept.last_mut().filter(|_| repeats > 0 && cue.segment.duration() <= LINGER_SECS) {
            last.segment =
                Segment::new(last.segment.start(), last.segment.end().max(cue.segment.end())).unwrap_or(last.segment);
        }
    }
    draft
        .warn(format!("rolling captions: repeated lines merged, {} of {total} cues only repeated", total - kept.len()));
    kept
}

/// A stretch of one cue in one voice.
#[derive(Default)]
struct Part {
    speaker: Option<String>,
    chunks: Vec<(Option<f64>, String)>,
}

fn speak_voices(cues: &[Parsed], draft: &mut Draft) {
    let mut shared = 0;
    for cue in cues {
        if cue.after_dropped {
            draft.lose();
        }
        let timed = cue.lines.iter().any(has_time);
        let mut time = timed.then(|| cue.segment.start().get());
        let mut parts = vec![Part::default()];
        for line in &cue.lines {
            for piece in &line.pieces {
                let Some(part) = parts.last_mut() else { continue };
                match piece {
                    Piece::Text(text) => part.chunks.push((time, text.clone())),
                    Piece::Time(secs) => time = Some(*secs),
                    Piece::Voice(name) => parts.push(Part { speaker: name.clone(), chunks: Vec::new() }),
                }
            }
            if let Some(part) = parts.last_mut() {
                part.chunks.push((time, " ".into()));
            }
        }
        let silent = |p: &Part| p.chunks.iter().all(|(_, t)| t.trim().is_empty());
        if parts.iter().all(silent) {
            draft.push(cue.segment, parts.iter().find_map(|p| p.speaker.as_deref()), String::new(), Vec::new());
            continue;
        }
        let parts: Vec<Part> = join_same(parts.into_iter().filter(|p| !silent(p)));
        shared += usize::from(parts.len() > 1);
        for part in &parts {
            let text: String = part.chunks.iter().map(|(_, t)| t.as_str()).collect();
            let words = if timed { words(&part.chunks, cue.segment) } else { Vec::new() };
            draft.push(cue.segment, part.speaker.as_deref(), markup::squeeze(&text), words);
        }
    }
    tell_shared(shared, draft);
}

fn tell_shared(shared: usize, draft: &mut Draft) {
    if shared > 0 {
        draft.warn(format!("{shared} cues hold several speakers; each became a turn with the times of the whole cue"));
    }
}

fn join_same(parts: impl Iterator<Item = Part>) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::new();
    for part in parts {
        match out.last_mut().filter(|last| last.speaker == part.speaker) {
            Some(last) => last.chunks.extend(part.chunks),
            None => out.push(part),
        }
    }
    out
}

/// Words with times: a chunk of one word spans from its instant to the next chunk's, the last to the end of the cue.
fn words(chunks: &[(Option<f64>, String)], cue: Segment) -> Vec<Word> {
    struct Open {
        text: String,
        start: Option<f64>,
        alone: bool,
    }
    let mut open: Vec<Open> = Vec::new();
    let mut glued = false;
    for (start, text) in chunks {
        let count = text.split_whitespace().count();
        for (i, token) in text.split_whitespace().enumerate() {
            match open.last_mut().filter(|_| i == 0 && glued && !text.starts_with(char::is_whitespace)) {
                Some(last) => last.text.push_str(token),
                None => open.push(Open { text: token.into(), start: *start, alone: count == 1 }),
            }
        }
        glued = !text.is_empty() && !text.ends_with(char::is_whitespace) && (count > 0 || glued);
    }
    let end_of = |i: usize| {
        let own = open[i].start;
        open[i + 1..].iter().map(|w| w.start).find(|s| *s != own).flatten().unwrap_or(cue.end().get())
    };
    let unique = |i: usize| open[i].alone && (i + 1 == open.len() || open[i + 1].start != open[i].start);
    let segments: Vec<Option<Segment>> = (0..open.len())
        .map(|i| {
            if unique(i) && (i == 0 || open[i - 1].start != open[i].start) {
                Segment::from_secs(open[i].start?, end_of(i))
            } else {
                None
            }
        })
        .collect();
    open.into_iter()
        .zip(segments)
        .map(|(w, segment)| Word { text: markup::squeeze(&w.text), segment, speaker: None })
        .collect()
}

fn speak_labels(cues: &[Parsed], draft: &mut Draft) {
    let lines: Vec<Vec<String>> = cues.iter().map(|c| c.lines.iter().map(|l| l.shown.clone()).collect()).collect();
    let forms = label::believed(lines.iter().map(Vec::as_slice));
    let mut shared = 0;
    for (cue, lines) in cues.iter().zip(&lines) {
        if cue.after_dropped {
            draft.lose();
        }
        let parts = label::cut(lines, &forms);
        shared += usize::from(parts.len() > 1);
        if parts.is_empty() {
            draft.push(cue.segment, None, String::new(), Vec::new());
        }
        for (speaker, text) in parts {
            draft.push(cue.segment, speaker.as_deref(), markup::squeeze(&text), Vec::new());
        }
    }
    tell_shared(shared, draft);
}
