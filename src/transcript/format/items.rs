//! Lists of words and marks as speech services give them: joined into words, words into turns.

use serde_json::Value;

use crate::annotation::Word;
use crate::error::Result;
use crate::transcript::draft::{Draft, short};
use crate::transcript::{clock, json};

/// A silence that ends a turn where a file has words and tells no turns.
const SILENCE_SECS: f64 = 1.0;

/// A time that may be left out, or what stands in its place.
pub(super) type Told = std::result::Result<Option<f64>, String>;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A word.
    Word,
    /// A mark that belongs to the word before it.
    Mark,
    /// A mark that belongs to the word behind it, as `¿`.
    MarkBefore,
}

/// An entry of a list of words.
pub(super) struct Item {
    pub(super) part: Part,
    pub(super) text: String,
    pub(super) start: Told,
    pub(super) end: Told,
    pub(super) speaker: Option<String>,
}

/// What a file gives as one, a turn.
pub(super) struct Stretch {
    /// As messages name it.
    pub(super) name: String,
    /// `Ok(None)`: where its words begin.
    pub(super) start: Told,
    /// `Ok(None)`: where its words end.
    pub(super) end: Told,
    pub(super) speaker: Option<String>,
    /// `None`: its words.
    pub(super) text: Option<String>,
    pub(super) items: Vec<Item>,
}

/// The list under a key; an error in words where something else stands there.
pub(super) fn list<'v>(value: &'v Value, key: &str) -> std::result::Result<&'v [Value], String> {
    match value.get(key) {
        Some(Value::Array(list)) => Ok(list),
        None | Some(Value::Null) => Ok(&[]),
        Some(other) => Err(format!("{key} is {}, and no list", short(&other.to_string()))),
    }
}

/// A name or number of a speaker.
pub(super) fn speaker(value: &Value, key: &str) -> Option<String> {
    Some(json::text(value.get(key))).filter(|s| !s.is_empty())
}

/// A time in units of which so many are a second: numbers, or numbers in quotes.
pub(super) fn units(value: &Value, key: &str, a_second: f64) -> Told {
    match value.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Number(n)) => Ok(n.as_f64().map(|v| v / a_second)),
        Some(Value::String(s)) => match s.trim().parse::<f64>().ok().filter(|v| v.is_finite()) {
            Some(v) => Ok(Some(v / a_second)),
            None => Err(format!("{key} is {:?}", short(s))),
        },
        Some(other) => Err(format!("{key} is {}", short(&other.to_string()))),
    }
}

/// What was there and could not be used, told once for all of a kind.
#[derive(Default)]
pub(super) struct Lost {
    textless: Count,
    untimed: Count,
    backwards: Count,
}

#[derive(Default)]
struct Count {
    count: usize,
    first: String,
}

impl Count {
    fn add(&mut self, first: impl FnOnce() -> String) {
        if self.count == 0 {
            self.first = first();
        }
        self.count += 1;
    }

    fn tell(&self, what: &str, draft: &mut Draft) {
        if self.count > 0 {
            draft.warn(format!("{} {what} (first: {})", self.count, self.first));
        }
    }
}

impl Lost {
    /// The text under a key; what is no text is told.
    pub(super) fn text(&mut self, value: &Value, key: &str) -> Option<String> {
        match value.get(key) {
            Some(Value::String(s)) => Some(s.clone()),
            other => {
                self.textless.add(|| other.map_or_else(|| format!("no {key}"), |v| short(&v.to_string())));
                None
            }
        }
    }

    /// Tells all of it.
    pub(super) fn tell(&self, draft: &mut Draft) {
        self.textless.tell("entries among the words hold no text and are left out", draft);
        self.untimed.tell("words have times that cannot be used", draft);
        self.backwards.tell("words begin before the word above them", draft);
    }
}

/// Writing that has no spaces between words.
fn unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{a4cf}'
        | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff9f}')
}

/// Words with a space between them where their writing has one.
fn joined<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let mut out = String::new();
    for word in words {
        let tight = out.chars().next_back().is_some_and(unspaced) && word.chars().next().is_some_and(unspaced);
        if !out.is_empty() && !tight {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Words of entries, marks with the words they belong to.
fn words(items: Vec<Item>, name: &str, lost: &mut Lost) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::new();
    let mut before = String::new();
    let mut reached = 0.0;
    for item in items {
        let text = crate::transcript::markup::squeeze(&item.text);
        if text.is_empty() {
            continue;
        }
        match (item.part, out.last_mut()) {
            (Part::Mark, Some(last)) => last.text.push_str(&text),
            (Part::MarkBefore | Part::Mark, _) => before.push_str(&text),
            (Part::Word, _) => {
                let segment = match (&item.start, &item.end) {
                    (Ok(Some(start)), Ok(Some(end))) => clock::span(*start, *end).ok(),
                    _ => None,
                };
                let told = !matches!((&item.start, &item.end), (Ok(None), Ok(_)) | (Ok(_), Ok(None)));
                if segment.is_none() && told {
                    lost.untimed.add(|| format!("{name}: {:?}", short(&text)));
                }
                if let Some(segment) = segment {
                    if segment.start().get() < reached {
                        lost.backwards.add(|| format!("{name}: {:?}", short(&text)));
                    }
                    reached = segment.start().get();
                }
                let text = format!("{}{text}", std::mem::take(&mut before));
                out.push(Word { text, segment, speaker: item.speaker });
            }
        }
    }
    if !before.is_empty() {
        out.push(Word { text: before, segment: None, speaker: None });
    }
    out
}

/// Turns of words where the file has none: one ends where the speaker changes, or a silence follows.
pub(super) fn split(items: Vec<Item>, draft: &mut Draft) -> Vec<Stretch> {
    let mut out: Vec<Stretch> = Vec::new();
    let mut said = f64::INFINITY;
    for (number, item) in items.into_iter().enumerate() {
        let start = item.start.as_ref().ok().copied().flatten();
        let goes_on = item.part == Part::Mark
            || out.last().is_some_and(|last| last.speaker == item.speaker)
                && start.is_none_or(|start| start - said < SILENCE_SECS);
        if let Ok(Some(end)) = item.end {
            said = start.map_or(end, |start| start.max(end));
        }
        match out.last_mut().filter(|_| goes_on) {
            Some(last) => last.items.push(item),
            None => out.push(Stretch {
                name: format!("the words from word {} on", number + 1),
                start: Ok(None),
                end: Ok(None),
                speaker: item.speaker.clone(),
                text: None,
                items: vec![item],
            }),
        }
    }
    if !out.is_empty() {
        draft.warn(format!(
            "the file tells words and no turns: a turn ends where the speaker changes or a silence of {SILENCE_SECS} s \
             follows"
        ));
    }
    out
}

/// What is wrong with the times of a word.
fn wrong(item: &Item) -> Option<String> {
    let what = match (&item.start, &item.end) {
        (Err(what), _) | (_, Err(what)) => what.clone(),
        (Ok(Some(start)), Ok(Some(end))) => clock::span(*start, *end).err()?,
        _ => return None,
    };
    Some(format!("{what} at {:?}", short(&item.text)))
}

/// Pushes what is given as turns; `expected` is what their times should be.
///
/// # Errors
/// [`crate::error::Error::Parse`] for one without times or with times that cannot be, unless lenient.
pub(super) fn into_turns(stretches: Vec<Stretch>, expected: &str, lost: &mut Lost, draft: &mut Draft) -> Result<()> {
    for stretch in stretches {
        let Stretch { name, start, end, speaker, text, items } = stretch;
        let wrong = items.iter().find_map(wrong);
        let words = words(items, &name, lost);
        let known = || words.iter().filter_map(|w| w.segment);
        let start = start.map(|t| t.or_else(|| known().map(|s| s.start().get()).reduce(f64::min)));
        let end = end.map(|t| t.or_else(|| known().map(|s| s.end().get()).reduce(f64::max)));
        let span = match (start, end) {
            (Err(what), _) | (_, Err(what)) => Err(what),
            (Ok(Some(start)), Ok(Some(end))) => clock::span(start, end),
            (Ok(None), _) => Err(wrong.unwrap_or_else(|| "no start time".into())),
            (_, Ok(None)) => Err(wrong.unwrap_or_else(|| "no end time".into())),
        };
        match span {
            Ok(segment) => {
                let text = text.map(|t| crate::transcript::markup::squeeze(&t)).filter(|t| !t.is_empty());
                let text = text.unwrap_or_else(|| joined(words.iter().map(|w| w.text.as_str())));
                draft.push(segment, speaker.as_deref(), text, words);
            }
            Err(what) => draft.bad(0, format!("{name}: {what}"), expected)?,
        }
    }
    lost.tell(draft);
    Ok(())
}
