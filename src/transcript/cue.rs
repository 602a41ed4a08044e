//! Cues of SRT and WebVTT after their blocks are found: rolling captions, voices, speaker labels and word times.

use super::draft::{Draft, short};
use super::events;
use super::label::{self, Carry, Who};
use super::markup::{self, Piece};
use super::repeat;
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
pub(super) struct Line {
    pub(super) pieces: Vec<Piece>,
    pub(super) shown: String,
    /// Place and count of the words that are underlined or coloured, where one stretch of the line is.
    pub(super) mark: Option<(usize, usize)>,
}

/// A cue whose markup is understood.
pub(super) struct Parsed {
    pub(super) after_dropped: bool,
    pub(super) segment: Segment,
    pub(super) lines: Vec<Line>,
    /// All its words, where repeats told when they are said.
    pub(super) words: Vec<Word>,
}

/// Tells that cues have words behind their times, on lines of those numbers, and that they are read.
pub(super) fn tell_words_behind_timing(lines: &[usize], draft: &mut Draft) {
    if let Some(first) = lines.first() {
        draft.warn(format!(
            "{} cues have words on the line of their times (first: line {first}): they are read as the first line of \
             the cue",
            lines.len()
        ));
    }
}

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
            words: Vec::new(),
        })
        .collect();
    let parsed = repeat::once(parsed, draft);
    draft.settle_looks();
    // Cues know what was dropped before them; what was dropped after the last is before none.
    draft.take_lost();
    let voices = parsed.iter().flat_map(|c| &c.lines).any(has_voice);
    let timed = parsed.iter().flat_map(|c| &c.lines).any(has_time);
    if voices {
        speak_voices(&parsed, draft);
    } else if timed {
        speak_labels(&parsed.into_iter().map(with_words).collect::<Vec<_>>(), draft);
    } else {
        speak_labels(&parsed, draft);
    }
}

fn line(raw: &str) -> Line {
    let pieces = markup::pieces(raw);
    let all: String =
        pieces.iter().filter_map(|p| if let Piece::Text(t) = p { Some(t.as_str()) } else { None }).collect();
    Line { shown: markup::squeeze(&all), pieces, mark: markup::marked(raw) }
}

fn has_voice(line: &Line) -> bool {
    line.pieces.iter().any(|p| matches!(p, Piece::Voice(_)))
}

pub(super) fn has_time(line: &Line) -> bool {
    line.pieces.iter().any(|p| matches!(p, Piece::Time(_)))
}

/// The lines of a cue that show something.
pub(super) fn shown(cue: &Parsed) -> Vec<&str> {
    cue.lines.iter().map(|l| l.shown.as_str()).filter(|s| !s.is_empty()).collect()
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
        let mut known = Known::of(cue);
        for part in &parts {
            let text: String = part.chunks.iter().map(|(_, t)| t.as_str()).collect();
            let text = markup::squeeze(&text);
            let words = if timed { words(&part.chunks, cue.segment) } else { known.next(&text) };
            draft.push(cue.segment, part.speaker.as_deref(), text, words);
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

/// The words of a cue that are not given out yet.
struct Known<'c> {
    words: &'c [Word],
}

impl<'c> Known<'c> {
    fn of(cue: &'c Parsed) -> Self {
        Known { words: &cue.words }
    }

    /// Those that a part of the cue says; what stands before it is passed over.
    fn next(&mut self, text: &str) -> Vec<Word> {
        let mut found = Vec::new();
        for token in text.split_whitespace() {
            let Some(at) = self.words.iter().position(|w| w.text == token) else { continue };
            found.push(self.words[at].clone());
            self.words = &self.words[at + 1..];
        }
        found
    }
}

/// The cue with the words that its time stamps tell.
fn with_words(cue: Parsed) -> Parsed {
    if !cue.lines.iter().any(has_time) {
        return cue;
    }
    let mut time = Some(cue.segment.start().get());
    let mut chunks = Vec::new();
    for line in &cue.lines {
        for piece in &line.pieces {
            match piece {
                Piece::Text(text) => chunks.push((time, text.clone())),
                Piece::Time(secs) => time = Some(*secs),
                Piece::Voice(_) => {}
            }
        }
        chunks.push((time, " ".into()));
    }
    Parsed { words: words(&chunks, cue.segment), ..cue }
}

fn speak_labels(cues: &[Parsed], draft: &mut Draft) {
    draft.settle_labels();
    let lines: Vec<Vec<String>> = cues.iter().map(|c| c.lines.iter().map(|l| l.shown.clone()).collect()).collect();
    let believed = label::believed(&lines, draft.labels());
    let mut carry = Carry::new(&believed);
    let mut shared = 0;
    for (cue, lines) in cues.iter().zip(&lines) {
        if cue.after_dropped {
            draft.lose();
            carry.interrupt();
        }
        let parts = believed.cut(lines);
        shared += usize::from(parts.len() > 1);
        if parts.is_empty() {
            draft.push(cue.segment, None, String::new(), Vec::new());
        }
        let mut known = Known::of(cue);
        for (who, text) in parts {
            let text = markup::squeeze(&text);
            // A sound of nobody is not the last speaker's.
            let sound = who == Who::Same && events::take(&text).1.is_empty();
            let speaker = if sound { None } else { carry.speaker(who) };
            let words = known.next(&text);
            draft.push(cue.segment, speaker.as_deref(), text, words);
        }
    }
    tell_shared(shared, draft);
    carry.tell(draft);
    believed.tell(&lines, draft);
}
