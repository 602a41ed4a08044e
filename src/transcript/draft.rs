//! The transcript while it is read: what to do with a bad cue, and what the finished whole is checked for.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::Path;

use super::tiers::codes;
use super::{Format, Labels, ReadOptions, Transcript, rescue};
use crate::annotation::{SoundEvent, TierCode, Turn, Word};
use crate::error::{Error, Result};
use crate::text::clean_in_place;
use crate::time::{LONGEST_SECS, Seconds, Segment};
use crate::warning::Warning;

mod pace;
mod part;
mod unlikely;

/// Collects turns and warnings of one file.
pub(super) struct Draft<'a> {
    path: &'a Path,
    lenient: bool,
    labels: Labels,
    /// Names of the tiers that are speech, and the media that the transcript is of.
    speech_tiers: &'a [String],
    media: Option<&'a Path>,
    /// True where the file has tiers, so that their names mean something.
    has_tiers: bool,
    pub(super) codes: Vec<TierCode>,
    /// True where times are whole numbers of a unit that the file does not tell.
    bare_times: bool,
    /// True when the text does not end with a line end and its last words are the last turn's: they may have been cut
    /// off.
    open_end: bool,
    turns: Vec<Turn>,
    /// True where the reader has looked for labels, and for tags of captions, itself.
    labels_settled: bool,
    looks_settled: bool,
    /// Sounds that the format marks as such.
    sounds: Vec<SoundEvent>,
    /// The lines of dropped cues, and true until the turn behind the last of them comes.
    dropped_lines: BTreeSet<usize>,
    lost: bool,
    /// Places of turns that follow a dropped cue.
    dropped: Vec<usize>,
    warnings: Vec<Warning>,
    sample: Option<rescue::Sample>,
    language: Option<String>,
    /// Texts outside the turns that held control characters.
    changed: usize,
}

/// What to do about a file that is not whole.
pub(super) const CUT: &str = "the file seems to be cut off: get it again, or complete its end";

impl<'a> Draft<'a> {
    pub(super) fn new(path: &'a Path, lenient: bool) -> Self {
        Draft {
            path,
            lenient,
            labels: Labels::default(),
            speech_tiers: &[],
            media: None,
            has_tiers: false,
            codes: Vec::new(),
            bare_times: false,
            open_end: false,
            turns: Vec::new(),
            labels_settled: false,
            looks_settled: false,
            sounds: Vec::new(),
            dropped_lines: BTreeSet::new(),
            lost: false,
            dropped: Vec::new(),
            warnings: Vec::new(),
            sample: None,
            language: None,
            changed: 0,
        }
    }

    /// The same with labels believed and tiers taken as asked.
    pub(super) fn with(self, options: &ReadOptions<'a>) -> Self {
        Draft { labels: options.labels, speech_tiers: options.tiers, media: options.media, ..self }
    }

    /// The names of the tiers that are speech; none: the tiers themselves tell it.
    pub(super) fn speech_tiers(&mut self) -> &'a [String] {
        self.has_tiers = true;
        self.speech_tiers
    }

    /// The media that the transcript is of, where they are known.
    pub(super) fn media(&self) -> Option<&'a Path> {
        self.media
    }

    /// Whether labels in the text are believed.
    pub(super) fn labels(&self) -> Labels {
        self.labels
    }

    /// Says whether times are whole numbers of a unit that the file does not tell.
    pub(super) fn times_are_bare(&mut self, bare: bool) {
        self.bare_times = bare;
    }

    /// An error that no leniency heals.
    pub(super) fn fail(&self, line: usize, what: impl Into<String>, hint: impl Into<String>) -> Error {
        Error::parse(self.path, line, what, hint)
    }

    /// A cue that cannot be used: an error, or a warning in lenient mode, after which the reader goes on with the next
    /// cue.
    pub(super) fn bad(&mut self, line: usize, what: impl Into<String>, hint: &str) -> Result<()> {
        let what = what.into();
        if self.lenient {
            let place = if line > 0 { format!("line {line}: ") } else { String::new() };
            self.warn(format!("dropped {place}{what}"));
            self.dropped_lines.insert(line);
            self.lost = true;
            return Ok(());
        }
        Err(self.fail(line, what, format!("{hint}, or pass --lenient to drop it")))
    }

    /// Says that a cue was dropped before the turn that comes next.
    pub(super) fn lose(&mut self) {
        self.lost = true;
    }

    /// Whether a cue was dropped since the last turn; the turn that comes next does not know it any more. For readers
    /// that read all cues before they make turns of them.
    pub(super) fn take_lost(&mut self) -> bool {
        std::mem::take(&mut self.lost)
    }

    /// Whether a cue was dropped between two lines.
    pub(super) fn lost_between(&self, first: usize, second: usize) -> bool {
        first < second && self.dropped_lines.range(first..second).next().is_some()
    }

    /// Something beside a cue that cannot be used: an error, or a warning in lenient mode, with what became of the cue.
    pub(super) fn flaw(&mut self, line: usize, what: impl Into<String>, kept: &str, hint: &str) -> Result<()> {
        let what = what.into();
        if self.lenient {
            let place = if line > 0 { format!("line {line}: ") } else { String::new() };
            self.warn(format!("{place}{what}; {kept}"));
            return Ok(());
        }
        Err(self.fail(line, what, format!("{hint}, or pass --lenient to go on without it")))
    }

    /// Tells whether the last turn's words are the last of a file that ends without a line end.
    pub(super) fn ends_open(&mut self, open: bool) {
        self.open_end = open;
    }

    /// Cue numbers that go up by one but for a few jumps: between those, cues may be missing. `numbers`: line and
    /// number, in file order.
    pub(super) fn tell_jumps(&mut self, numbers: &[(usize, u64)]) {
        let steps = || numbers.windows(2).map(|w| (w[0].1, w[1].1, w[1].0));
        let ones = steps().filter(|(a, b, _)| *b == a + 1).count();
        let jumps: Vec<(u64, u64, usize)> = steps().filter(|(a, b, _)| *b > a + 1).collect();
        // A file whose numbers mean nothing jumps all the time.
        if numbers.len() < 4 || ones * 5 < (numbers.len() - 1) * 4 {
            return;
        }
        if let Some((from, to, line)) = jumps.first() {
            let missing: u64 = jumps.iter().map(|(a, b, _)| b - a - 1).sum();
            let more = if jumps.len() > 1 { format!(", and {} times more", jumps.len() - 1) } else { String::new() };
            self.warn(format!(
                "line {line}: the cue numbers jump from {from} to {to}{more}: {missing} cues may be missing"
            ));
        }
    }

    /// What was told of cues that were left out.
    pub(super) fn dropped(&self) -> impl Iterator<Item = &str> {
        self.warnings.iter().filter_map(|w| match w {
            Warning::Transcript { what } => what.strip_prefix("dropped "),
            _ => None,
        })
    }

    /// What was told beside them.
    pub(super) fn oddities(&self) -> impl Iterator<Item = &str> {
        self.warnings.iter().filter_map(|w| match w {
            Warning::Transcript { what } if !what.starts_with("dropped ") => Some(what.as_str()),
            _ => None,
        })
    }

    pub(super) fn warn(&mut self, what: impl Into<String>) {
        self.warnings.push(Warning::Transcript { what: what.into() });
    }

    /// Adds a turn with the next index. An empty speaker becomes `None`.
    pub(super) fn push(&mut self, segment: Segment, speaker: Option<&str>, text: String, words: Vec<Word>) {
        let index = u32::try_from(self.turns.len() + 1).unwrap_or(u32::MAX);
        self.push_numbered(index, segment, speaker, text, words);
    }

    /// Adds a turn with an index of its own.
    pub(super) fn push_numbered(
        &mut self,
        index: u32,
        segment: Segment,
        speaker: Option<&str>,
        text: String,
        words: Vec<Word>,
    ) {
        let speaker = speaker.map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned);
        if self.take_lost() {
            self.dropped.push(self.turns.len());
        }
        self.turns.push(Turn { index, segment, speaker, text, words });
    }

    /// Says that labels in the words have been looked for, in the lines of cues.
    pub(super) fn settle_labels(&mut self) {
        self.labels_settled = true;
    }

    /// Says that tags of captions have been taken off.
    pub(super) fn settle_looks(&mut self) {
        self.looks_settled = true;
    }

    /// Adds a sound that the format marks as one, in a turn or beside all.
    pub(super) fn push_sound(&mut self, segment: Segment, speaker: Option<&str>, what: String, in_turn: bool) {
        self.sounds.push(SoundEvent { segment, speaker: speaker.map(str::to_owned), what, in_turn });
    }

    /// Keeps all fields of the sample whose rows the turns are.
    pub(super) fn keep_sample(&mut self, sample: rescue::Sample) {
        self.sample = Some(sample);
    }

    /// Keeps the language that the file declares.
    pub(super) fn declare(&mut self, language: &str) {
        self.language = Some(language.trim().to_owned()).filter(|l| !l.is_empty());
    }

    /// Turns of several tiers into one order: by start, then end, tiers in the order given.
    pub(super) fn sort_by_time(&mut self) {
        let mut order: Vec<usize> = (0..self.turns.len()).collect();
        order.sort_by_key(|&i| (self.turns[i].segment, i));
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| place[old] = new);
        // A dropped cue lay somewhere between its neighbours of its tier.
        let between = |&d: &usize| {
            let after = place.get(d).copied().unwrap_or(place.len());
            let before = d.checked_sub(1).map_or(0, |i| place[i] + 1);
            if before <= after { before..=after } else { after..=after }
        };
        self.dropped = covered(self.dropped.iter().map(between), place.len() + 1);
        self.turns.sort_by_key(|t| t.segment);
        for (i, turn) in self.turns.iter_mut().enumerate() {
            turn.index = u32::try_from(i + 1).unwrap_or(u32::MAX);
        }
    }

    /// Checks the whole; tells what is odd about it.
    pub(super) fn finish(mut self, format: Format) -> Result<Transcript> {
        if self.turns.is_empty() {
            let dropped = self.warnings.iter().map(ToString::to_string).next();
            let what = match dropped {
                Some(first) => format!("no cues left ({format}; first complaint: {first})"),
                None => format!("no cues ({format})"),
            };
            return Err(self.fail(
                0,
                what,
                "the transcript must hold at least one timed turn; leave the transcript out to work without one",
            ));
        }
        let mut events = if format.holds_several() { Vec::new() } else { self.part()? };
        if !self.has_tiers && !self.speech_tiers.is_empty() {
            let names = self.speech_tiers.join(", ");
            self.warn(format!("the tiers named ({names}) are not looked for: a file of this format has none"));
        }
        self.clean(&mut events);
        pace::check(&mut self)?;
        codes::finish(&mut self.codes, &self.turns);
        self.tell_oddities();
        self.tell_open_end();
        let mut after_dropped: Vec<u32> =
            self.dropped.iter().filter_map(|&d| self.turns.get(d)).map(|t| t.index).collect();
        after_dropped.sort_unstable();
        after_dropped.dedup();
        let Draft { turns, codes, sample, language, bare_times, warnings, .. } = self;
        Ok(Transcript { format, turns, events, codes, after_dropped, bare_times, language, sample, warnings })
    }

    /// Plain text formats do not say where they end. A last line without a line end proves nothing, but together with
    /// words that stop in the middle of a sentence, in a file whose turns do not, it does.
    fn tell_open_end(&mut self) {
        let Some((last, others)) = self.turns.split_last().filter(|(last, _)| self.open_end && !last.text.is_empty())
        else {
            return;
        };
        let spoken = others.iter().filter(|t| !t.text.is_empty()).count();
        let closed = others.iter().filter(|t| closes(&t.text)).count();
        if spoken >= MIN_HABIT && closed * 5 >= spoken * 4 && !closes(&last.text) {
            let end: String = last.text.chars().skip(last.text.chars().count().saturating_sub(30)).collect();
            self.warn(format!(
                "the file ends without a line end, and its last turn (turn {}: \"...{end}\") without the full stop \
                 that {closed} of {spoken} others have: the end may be cut off",
                last.index
            ));
        }
    }

    /// Texts of a sample that were changed before they came here.
    pub(super) fn count_changed(&mut self, texts: usize) {
        self.changed += texts;
    }

    /// How many there were.
    pub(super) fn changed(&self) -> usize {
        self.changed
    }

    /// The one place where words and labels of every format lose what steers a terminal or a line.
    fn clean(&mut self, events: &mut [SoundEvent]) {
        let mut count = 0;
        for turn in &mut self.turns {
            let mut changed = clean_in_place(&mut turn.text);
            for word in &mut turn.words {
                changed |= clean_in_place(&mut word.text) | word.speaker.as_mut().is_some_and(clean_in_place);
            }
            if turn.speaker.as_mut().is_some_and(clean_in_place) {
                changed = true;
                turn.speaker = turn.speaker.take().map(|s| s.trim().to_owned()).filter(|s| !s.is_empty());
            }
            count += usize::from(changed);
        }
        for event in events.iter_mut() {
            let changed = clean_in_place(&mut event.what) | event.speaker.as_mut().is_some_and(clean_in_place);
            count += usize::from(changed);
        }
        let mut codes = 0;
        for code in &mut self.codes {
            let named = code.person.as_mut().is_some_and(clean_in_place);
            codes += usize::from(clean_in_place(&mut code.tier) | clean_in_place(&mut code.value) | named);
        }
        for (count, what) in [
            (codes, "codes of the transcript"),
            (count, "turns of the transcript"),
            (self.changed, "texts of the sample"),
        ] {
            if count > 0 {
                self.warnings.push(Warning::ControlCharacters { count, what });
            }
        }
    }

    fn tell_oddities(&mut self) {
        let mut unordered = Oddity::default();
        let mut empty = Oddity::default();
        let mut mute = Oddity::default();
        let mut late = Oddity::default();
        for (i, turn) in self.turns.iter().enumerate() {
            unordered.count_if(i > 0 && turn.segment.start() < self.turns[i - 1].segment.start(), turn);
            empty.count_if(turn.segment.is_empty(), turn);
            late.count_if(turn.segment.end().get() > LONGEST_SECS, turn);
            mute.count_if(turn.text.is_empty(), turn);
        }
        let mut overlapping = Oddity::default();
        let mut repeated = Oddity::default();
        let mut by_time: Vec<&Turn> = self.turns.iter().collect();
        by_time.sort_by(|a, b| a.segment.cmp(&b.segment).then_with(|| a.text.cmp(&b.text)).then(a.index.cmp(&b.index)));
        let mut reached = Seconds::ZERO;
        for (i, turn) in by_time.iter().enumerate() {
            overlapping.count_if(i > 0 && turn.segment.start() < reached && !turn.segment.is_empty(), turn);
            reached = reached.max(turn.segment.end());
            repeated.count_if(
                i > 0
                    && by_time[i - 1].segment == turn.segment
                    && by_time[i - 1].text == turn.text
                    && !turn.text.is_empty(),
                turn,
            );
        }
        let all = [
            unordered.tell("start before the turn above them; turn_index keeps the file's order, rows go by time"),
            overlapping.tell("overlap an earlier one"),
            repeated.tell("repeat the times and words of another"),
            empty.tell("have zero length"),
            mute.tell("have no words"),
            late.tell("end after more than 100 hours; are the times in another unit than seconds?"),
        ];
        for what in all.into_iter().flatten() {
            self.warn(what);
        }
    }
}

/// The places below `count` that lie in any of the ranges, ascending: as many as there are, however often each is named.
pub(super) fn covered(ranges: impl Iterator<Item = RangeInclusive<usize>>, count: usize) -> Vec<usize> {
    let mut edges = vec![0_i64; count + 1];
    for range in ranges.filter(|r| r.start() <= r.end() && *r.start() < count) {
        edges[*range.start()] += 1;
        edges[(*range.end()).min(count - 1) + 1] -= 1;
    }
    let inside = edges[..count].iter().scan(0, |depth, edge| {
        *depth += edge;
        Some(*depth > 0)
    });
    inside.enumerate().filter(|(_, inside)| *inside).map(|(at, _)| at).collect()
}

/// Fewest turns from which a habit of the file is told.
const MIN_HABIT: usize = 3;

/// True for words that end as sentences, asides and broken-off sentences do.
fn closes(text: &str) -> bool {
    let bare = text.trim_end_matches(|c: char| c.is_whitespace() || "\"'\u{201d}\u{2019}\u{bb}\u{ab}".contains(c));
    bare.ends_with(|c: char| ".?!:;\u{2026})]>*-\u{2013}\u{2014}\u{3002}\u{ff01}\u{ff1f}\u{266a}".contains(c))
}

/// How many turns share an oddity, and the first of them.
#[derive(Default)]
struct Oddity {
    count: usize,
    first: Option<u32>,
}

impl Oddity {
    fn count_if(&mut self, odd: bool, turn: &Turn) {
        if odd {
            self.count += 1;
            self.first = Some(self.first.map_or(turn.index, |f| f.min(turn.index)));
        }
    }

    fn tell(&self, what: &str) -> Option<String> {
        self.first.map(|first| format!("{} turns {what} (first: turn {first})", self.count))
    }
}

/// At most 60 characters of a line, for messages.
pub(super) fn short(line: &str) -> String {
    let line = line.trim();
    if line.chars().count() <= 60 { line.to_owned() } else { line.chars().take(57).chain("...".chars()).collect() }
}

#[cfg(test)]
mod tests;
