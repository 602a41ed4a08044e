//! Captions that show words more than once: rolling lines, text that grows, the word being said marked, a cue for each
//! line. Each word is kept once, timed where the repeats tell when it is said.
//!
//! A person who says "Yes." three times says it three times: repeats are joined only where something moves on from one
//! to the next, or where the whole file repeats.

use std::collections::BTreeMap;

use super::clock;
use super::cue::{Line, Parsed, has_time, shown};
use super::draft::Draft;
use super::markup::Piece;
use crate::annotation::Word;
use crate::time::Segment;

/// A repeat that short only keeps the words on the screen; the words before it were said until its end.
const LINGER_SECS: f64 = 0.5;

/// Cues that touch: written times are of milliseconds, some of frames.
const TOUCH_SECS: f64 = 0.05;

/// The cues with every word once.
pub(super) fn once(cues: Vec<Parsed>, draft: &mut Draft) -> Vec<Parsed> {
    let cues = gather(cues, draft);
    if cues.iter().flat_map(|c| &c.lines).any(has_time) {
        return unroll(cues, draft);
    }
    let cues = join_marked(cues, draft);
    let cues = join_grown(cues, draft);
    let count = cues.len();
    let cues = unroll(cues, draft);
    if cues.len() < count {
        return cues;
    }
    let cues = cut_overlaps(cues, draft);
    join_doubled(cues, draft)
}

fn tokens(cue: &Parsed) -> Vec<&str> {
    cue.lines.iter().flat_map(|l| l.shown.split_whitespace()).collect()
}

/// From the end of one to the start of the next.
fn gap(before: &Parsed, cue: &Parsed) -> f64 {
    cue.segment.start().get() - before.segment.end().get()
}

fn joined(first: Segment, last: Segment) -> Segment {
    Segment::new(first.start(), first.end().max(last.end())).unwrap_or(first)
}

/// True for a line that is a clock time and nothing else.
fn is_clock(line: &Line) -> bool {
    let bare = line.shown.trim_matches(|c: char| "()[] ".contains(c));
    clock::parse(bare).is_some()
}

/// Name, clock and words as cues of one interval each, or a cue for each line: one cue with all lines.
fn gather(cues: Vec<Parsed>, draft: &mut Draft) -> Vec<Parsed> {
    let same = |a: &Parsed, b: &Parsed| a.segment == b.segment && !a.segment.is_empty();
    let groups: Vec<&[Parsed]> = cues.chunk_by(same).filter(|g| g.len() > 1).collect();
    let (count, inside) = (groups.len(), groups.iter().map(|g| g.len()).sum::<usize>());
    // A cue written twice has no second line.
    let doubled = groups.iter().filter(|g| g.windows(2).all(|w| shown(&w[0]) == shown(&w[1]))).count();
    let total = cues.len();
    let mut out: Vec<Parsed> = Vec::with_capacity(total);
    let gathers = count >= 2 && inside * 5 >= total * 3 && doubled * 2 < count;
    for cue in cues {
        match out.last_mut().filter(|last| gathers && same(last, &cue) && !cue.after_dropped) {
            Some(last) => last.lines.extend(cue.lines),
            None => out.push(cue),
        }
    }
    let several = out.iter().filter(|c| c.lines.len() > 1).count();
    let clocked = out.iter().filter(|c| c.lines.len() > 1 && c.lines.iter().any(is_clock)).count();
    if clocked > 1 && clocked * 2 >= several {
        out.iter_mut().filter(|c| c.lines.len() > 1).for_each(|c| c.lines.retain(|l| !is_clock(l)));
        draft.warn(format!("{clocked} cues show a clock on a line of its own; it is not read as words"));
    }
    if gathers {
        draft.warn(format!("cues of one interval are lines of one: {total} cues became {}", out.len()));
    }
    out
}

/// Place and count of the words of a cue that are marked, where a part of them is.
fn mark(cue: &Parsed) -> Option<(usize, usize)> {
    let mut at = 0;
    let mut found = None;
    for line in &cue.lines {
        if let Some((first, count)) = line.mark {
            if found.is_some() {
                return None;
            }
            found = Some((at + first, count));
        }
        at += line.shown.split_whitespace().count();
    }
    found.filter(|(_, count)| at == 1 || *count < at)
}

/// A text shown again and again, another word of it underlined or coloured each time: one cue, its words timed by it.
fn join_marked(cues: Vec<Parsed>, draft: &mut Draft) -> Vec<Parsed> {
    let marks: Vec<Option<(usize, usize)>> = cues.iter().map(mark).collect();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut moving = 0;
    let mut at = 0;
    while at < cues.len() {
        let mut last = marks[at];
        let (mut end, mut steps) = (at + 1, usize::from(last.is_some()));
        while let Some(next) = cues.get(end) {
            let follows = !next.after_dropped
                && gap(&cues[end - 1], next) <= LINGER_SECS
                && gap(&cues[end - 1], next) >= -TOUCH_SECS
                && shown(next) == shown(&cues[at]);
            let goes_on = match (marks[end], last) {
                (None, None) => false,
                (None, Some(_)) => gap(&cues[end - 1], next) <= TOUCH_SECS && tokens(next).len() > 1,
                (Some(_), None) => gap(&cues[end - 1], next) <= TOUCH_SECS,
                (Some(now), Some(before)) => now.0 > before.0,
            };
            if !follows || !goes_on {
                break;
            }
            steps += usize::from(marks[end].is_some());
            last = marks[end].or(last);
            end += 1;
        }
        if steps < 2 {
            // Nothing moves: each is a cue of its own.
            end = at + 1;
        } else {
            moving += 1;
        }
        runs.push((at, end));
        at = end;
    }
    if moving == 0 {
        return cues;
    }
    let total = cues.len();
    let mut cues: Vec<Option<Parsed>> = cues.into_iter().map(Some).collect();
    let mut out = Vec::with_capacity(runs.len());
    for (from, to) in runs {
        let run: Vec<Parsed> = cues[from..to].iter_mut().filter_map(Option::take).collect();
        let mut words: Vec<Word> = run.first().map(untimed).unwrap_or_default();
        for (cue, mark) in run.iter().zip(&marks[from..to]) {
            // Several words marked at once are no words in time.
            if let Some(word) = mark.filter(|(_, n)| *n == 1).and_then(|(first, _)| words.get_mut(first)) {
                word.segment = Some(cue.segment);
            }
        }
        let timed = words.iter().any(|w| w.segment.is_some());
        out.extend(one(run, if timed { words } else { Vec::new() }));
    }
    draft.warn(format!(
        "captions mark the word that is said: {total} cues became {}, the words timed by the marks",
        out.len()
    ));
    out
}

fn untimed(cue: &Parsed) -> Vec<Word> {
    tokens(cue).into_iter().map(|t| Word { text: t.to_owned(), segment: None, speaker: None }).collect()
}

/// A run as one cue with the words of its last.
fn one(run: Vec<Parsed>, words: Vec<Word>) -> Option<Parsed> {
    let after_dropped = run.first()?.after_dropped;
    let segment = run.iter().map(|c| c.segment).reduce(joined)?;
    let last = run.into_iter().next_back()?;
    Some(Parsed { after_dropped, segment, words, ..last })
}

/// Text that grows word by word from cue to cue: the whole once, each word timed by the cue that adds it.
fn join_grown(cues: Vec<Parsed>, draft: &mut Draft) -> Vec<Parsed> {
    let grows = |a: &Parsed, b: &Parsed| {
        let (old, new) = (tokens(a), tokens(b));
        !b.after_dropped
            && gap(a, b).abs() <= LINGER_SECS
            && !old.is_empty()
            && old.len() < new.len()
            && new[..old.len()] == old[..]
    };
    let growing = cues.windows(2).filter(|w| grows(&w[0], &w[1])).count();
    if growing < 2 || growing * 2 < cues.len() - 1 {
        return cues;
    }
    let total = cues.len();
    let mut out: Vec<Parsed> = Vec::new();
    let mut run: Vec<Parsed> = Vec::new();
    for cue in cues {
        if run.last().is_some_and(|last| !grows(last, &cue)) {
            let whole = std::mem::take(&mut run);
            let words = added(&whole);
            out.extend(one(whole, words));
        }
        run.push(cue);
    }
    let words = added(&run);
    out.extend(one(run, words));
    draft.warn(format!("captions grow word by word: {total} cues became {}, the words timed by them", out.len()));
    out
}

/// The words of a run that grows, timed where a cue adds one alone.
fn added(run: &[Parsed]) -> Vec<Word> {
    let mut words = run.last().map(untimed).unwrap_or_default();
    let mut known = 0;
    for cue in run {
        let count = tokens(cue).len();
        if let Some(word) = words.get_mut(known).filter(|_| count == known + 1) {
            word.segment = Some(cue.segment);
        }
        known = count;
    }
    if words.iter().any(|w| w.segment.is_some()) { words } else { Vec::new() }
}

/// How many of the cue's first lines are the last lines of the cue before, still on the screen.
fn repeated(before: &Parsed, cue: &Parsed) -> usize {
    if gap(before, cue) > LINGER_SECS {
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
            last.segment = joined(last.segment, cue.segment);
        }
    }
    draft
        .warn(format!("rolling captions: repeated lines merged, {} of {total} cues only repeated", total - kept.len()));
    kept
}

/// One line that rolls: its first words are the last of the line before. Longest overlap looked for, in words.
const LONGEST_OVERLAP: usize = 40;

fn overlap(before: &Parsed, cue: &Parsed) -> usize {
    let (old, new) = (tokens(before), tokens(cue));
    if cue.after_dropped || gap(before, cue).abs() > LINGER_SECS || old.is_empty() {
        return 0;
    }
    let most = old.len().min(new.len().saturating_sub(1)).min(LONGEST_OVERLAP);
    let fits = |k: &usize| old[old.len() - k..] == new[..*k] && (*k >= 2 || *k == old.len());
    (1..=most).rev().find(fits).unwrap_or(0)
}

fn cut_overlaps(mut cues: Vec<Parsed>, draft: &mut Draft) -> Vec<Parsed> {
    let overlaps: Vec<usize> = cues.windows(2).map(|w| overlap(&w[0], &w[1])).collect();
    let rolled = overlaps.iter().filter(|k| **k > 0).count();
    if overlaps.len() < 4 || rolled * 10 < overlaps.len() * 6 {
        return cues;
    }
    for (cue, words) in cues.iter_mut().skip(1).zip(overlaps).filter(|(_, k)| *k > 0) {
        let left = tokens(cue)[words..].join(" ");
        cue.lines = vec![Line { pieces: vec![Piece::Text(left.clone())], shown: left, mark: None }];
    }
    draft.warn(format!("rolling captions: {rolled} cues begin with the last words of the cue before, kept once"));
    cues
}

/// Every cue written twice or more, at the same time or one right behind the other: once, as long as all of them.
fn join_doubled(cues: Vec<Parsed>, draft: &mut Draft) -> Vec<Parsed> {
    let same = |a: &Parsed, b: &Parsed| {
        let near = a.segment == b.segment || gap(a, b).abs() <= TOUCH_SECS;
        !b.after_dropped && !shown(a).is_empty() && shown(a) == shown(b) && near
    };
    let mut lengths: BTreeMap<usize, usize> = BTreeMap::new();
    cues.chunk_by(same).filter(|run| run.len() > 1).for_each(|run| *lengths.entry(run.len()).or_default() += run.len());
    let inside: usize = lengths.values().sum();
    let usual = lengths.iter().max_by_key(|(length, cues)| (**cues, usize::MAX - **length)).map_or(1, |(n, _)| *n);
    if inside * 5 < cues.len() * 4 || lengths.get(&usual).is_none_or(|cues| *cues < usual * 3) {
        return cues;
    }
    let total = cues.len();
    let mut out: Vec<Parsed> = Vec::new();
    // Of the cue that is open, how many were joined: words said twice are written twice as often.
    let mut length = 0;
    for cue in cues {
        match out.last_mut().filter(|last| length < usual && same(last, &cue)) {
            Some(last) => {
                last.segment = joined(last.segment, cue.segment);
                length += 1;
            }
            None => {
                out.push(cue);
                length = 1;
            }
        }
    }
    draft.warn(format!("captions are written {usual} times each: {total} cues became {}", out.len()));
    out
}
