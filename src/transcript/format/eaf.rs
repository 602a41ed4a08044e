//! ELAN `.eaf`: time slots, tiers with participants, annotations with times of their own or of the one they refer to
//! (ELAN Annotation Format, versions 2.7 and 3.0).

use std::collections::{BTreeMap, BTreeSet};

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::error::Result;
use crate::time::Segment;
use crate::transcript::draft::{CUT, Draft, short};
use crate::transcript::tiers::{self, Interval, Layer, Tier};
use crate::transcript::{clock, markup};

mod media;
mod slots;

/// What becomes of a reference to an entity that only a document type could define: none is read, so that no text
/// grows without bound and no other file is opened.
const AS_WRITTEN: &str = "it is kept as written";
const NO_ENTITIES: &str = "write the characters themselves; ELAN defines no entities of its own";

const EXPECTED: &str = "expected ELAN's annotation format; save it from ELAN again";

#[derive(Default)]
struct RawTier {
    id: String,
    participant: Option<String>,
    parent: Option<String>,
    typed: Option<String>,
    /// A value refers to an entry of a controlled vocabulary.
    listed: bool,
    annotations: Vec<Annotation>,
}

struct Annotation {
    id: String,
    line: usize,
    time: Time,
    text: String,
}

enum Time {
    Slots(String, String),
    Of(String),
}

#[derive(Default)]
struct Document {
    /// Slots in order, milliseconds where told.
    slots: Vec<(String, Option<f64>)>,
    tiers: Vec<RawTier>,
    units: String,
    media: Vec<media::Linked>,
    /// Linguistic types that are bound to a controlled vocabulary.
    listed: BTreeSet<String>,
    /// Times of slots that are no numbers: line and what is there.
    odd_times: Vec<(usize, String)>,
    /// References in attributes to entities that nothing defines: line and what is there.
    odd_references: Vec<(usize, String)>,
}

/// A whole file, small.
pub(super) const EXAMPLE: &str = "<ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID=\"a\" TIME_VALUE=\"1\"/></TIME_ORDER>\
    <TIER TIER_ID=\"A\"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID=\"x\" TIME_SLOT_REF1=\"a\" TIME_SLOT_REF2=\"a\">\
    <ANNOTATION_VALUE>v&lt;</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER></ANNOTATION_DOCUMENT>";

/// Reads EAF text into `draft`.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<()> {
    let document = parse(text, draft)?;
    if !(document.units.is_empty() || document.units == "milliseconds") {
        return Err(draft.fail(
            0,
            format!("times are in {}", document.units),
            "only milliseconds are read; save it from a current ELAN",
        ));
    }
    let shift_ms = media::shift_ms(&document.media, draft)?;
    for (line, what) in &document.odd_times {
        draft.flaw(
            *line,
            what,
            "the time is taken from its neighbours",
            "correct the time, or save the file from ELAN again",
        )?;
    }
    for (line, what) in &document.odd_references {
        draft.flaw(*line, what, AS_WRITTEN, NO_ENTITIES)?;
    }
    let mut slots_seen: BTreeMap<&str, Option<f64>> = BTreeMap::new();
    for (id, time) in &document.slots {
        if let Some(before) = slots_seen.insert(id, *time).filter(|before| before != time) {
            let what = format!("time slot {id:?} occurs twice, at {before:?} and {time:?} ms");
            return Err(draft.fail(0, what, "two documents seem to be in one file; save it from ELAN again"));
        }
    }
    let mut slots = slots::times(&document, draft);
    slots.values_mut().for_each(|ms| *ms += shift_ms);
    let mut known: BTreeMap<&str, &Annotation> = BTreeMap::new();
    for annotation in document.tiers.iter().flat_map(|t| &t.annotations) {
        if known.insert(&annotation.id, annotation).is_some() {
            let what =
                format!("annotation {} occurs twice; what refers to it is taken to mean the last", annotation.id);
            draft.flaw(annotation.line, what, "both are kept", "save the file from ELAN again")?;
        }
    }
    let by_id: BTreeMap<&str, &RawTier> = document.tiers.iter().rev().map(|t| (t.id.as_str(), t)).collect();
    let found = document.tiers.iter().map(|tier| Tier {
        name: tier.id.clone(),
        person: participant(tier, &by_id).or_else(|| topmost(tier, &by_id)),
        participant: participant(tier, &by_id),
        listed: tier.listed || tier.typed.as_ref().is_some_and(|t| document.listed.contains(t)),
        typed: tier.typed.clone(),
        root: tier.parent.is_none(),
        above: above(tier, &by_id),
        layer: if untimed_words(tier) { Layer::Untimed } else { Layer::Spans },
        intervals: intervals(tier, &slots, &known),
    });
    tiers::into_turns(found.collect(), true, draft)
}

/// Words that only refer to an utterance have its time, all of them: no word times.
fn untimed_words(tier: &RawTier) -> bool {
    tiers::classify(&tier.id).0 == tiers::Kind::Words && tier.annotations.iter().all(|a| matches!(a.time, Time::Of(_)))
}

/// The tiers it hangs on, the nearest first.
fn above(tier: &RawTier, all: &BTreeMap<&str, &RawTier>) -> Vec<String> {
    chain(tier, all).skip(1).map(|t| t.id.clone()).collect()
}

/// The tier and those it hangs on, the nearest first.
fn chain<'t>(tier: &'t RawTier, all: &'t BTreeMap<&str, &'t RawTier>) -> impl Iterator<Item = &'t RawTier> {
    let next = |t: &&'t RawTier| t.parent.as_ref().and_then(|p| all.get(p.as_str())).copied();
    std::iter::successors(Some(tier), next).take(32)
}

/// The participant of the tier, else of the nearest tier it hangs on.
fn participant(tier: &RawTier, all: &BTreeMap<&str, &RawTier>) -> Option<String> {
    chain(tier, all).find_map(|t| t.participant.clone())
}

/// The person in the name of the topmost tier it hangs on.
fn topmost(tier: &RawTier, all: &BTreeMap<&str, &RawTier>) -> Option<String> {
    chain(tier, all).last().and_then(|t| tiers::classify(&t.id).1)
}

/// Annotations that refer to the same one (subdivisions without times) become one interval.
fn intervals(tier: &RawTier, slots: &BTreeMap<&str, f64>, known: &BTreeMap<&str, &Annotation>) -> Vec<Interval> {
    let mut out: Vec<Interval> = Vec::new();
    let mut parent: Option<&str> = None;
    for annotation in &tier.annotations {
        let own = if let Time::Of(id) = &annotation.time { Some(id.as_str()) } else { None };
        if let (Some(last), true) = (out.last_mut(), own.is_some() && own == parent) {
            last.text.push(' ');
            last.text.push_str(&annotation.text);
            continue;
        }
        parent = own;
        out.push(Interval {
            line: annotation.line,
            name: format!("annotation {}", annotation.id),
            span: span(annotation, slots, known),
            text: annotation.text.clone(),
        });
    }
    out
}

fn span(
    annotation: &Annotation,
    slots: &BTreeMap<&str, f64>,
    known: &BTreeMap<&str, &Annotation>,
) -> Result<Segment, String> {
    let mut annotation = annotation;
    for _ in 0..32 {
        match &annotation.time {
            Time::Slots(start, end) => {
                let secs = |id: &String| {
                    slots.get(id.as_str()).map(|ms| ms / 1e3).ok_or_else(|| format!("time slot {id:?} has no time"))
                };
                return clock::span(secs(start)?, secs(end)?);
            }
            Time::Of(id) => {
                annotation = known.get(id.as_str()).ok_or_else(|| format!("it refers to {id:?}, which is not there"))?
            }
        }
    }
    Err("it refers to itself".into())
}

fn parse(text: &str, draft: &mut Draft) -> Result<Document> {
    let mut reader = Reader::from_str(text);
    let mut document = Document::default();
    let mut lines = LineCount { text, at: 0, line: 1 };
    let mut value: Option<String> = None;
    // The elements that are open, and whether the document has been closed.
    let (mut inside, mut closed): (Vec<String>, bool) = (Vec::new(), false);
    loop {
        let position = usize::try_from(reader.buffer_position()).unwrap_or(0);
        let event = match reader.read_event() {
            Ok(event) => event,
            // What stands before a tag that is not whole is as good as before.
            Err(e) if !text.get(position..).unwrap_or_default().contains('>') => {
                let what = format!("the file ends within a tag ({e})");
                draft.flaw(lines.of(position), what, "what stands before is kept", CUT)?;
                drop_open(&mut document, &inside);
                break;
            }
            Err(e) => return Err(draft.fail(lines.of(position), format!("XML cannot be read: {e}"), EXPECTED)),
        };
        match event {
            Event::Eof => {
                if let Some(element) = inside.last() {
                    let what = format!("the file ends within <{element}>, which is not closed");
                    draft.flaw(lines.of(text.len()), what, "what stands before is kept", CUT)?;
                    drop_open(&mut document, &inside);
                }
                break;
            }
            Event::Start(tag) => {
                if closed {
                    return Err(draft.fail(
                        lines.of(position),
                        "a second document begins after the first",
                        "make two files of it",
                    ));
                }
                inside.push(tag.name().as_ref().to_owned());
                open(&tag, &mut document, &mut lines, position);
                if tag.name().as_ref() == "ANNOTATION_VALUE" {
                    value = Some(String::new());
                }
            }
            Event::Empty(tag) => open(&tag, &mut document, &mut lines, position),
            Event::Text(t) => {
                if let Some(value) = &mut value {
                    value.push_str(&t);
                }
            }
            Event::CData(t) => {
                if let Some(value) = &mut value {
                    value.push_str(&t);
                }
            }
            Event::GeneralRef(name) => {
                let written = format!("&{};", &*name);
                let resolved = markup::unescape(&written);
                if resolved == written {
                    let what = format!("nothing defines the entity {}", short(&written));
                    draft.flaw(lines.of(position), what, AS_WRITTEN, NO_ENTITIES)?;
                }
                if let Some(value) = &mut value {
                    value.push_str(&resolved);
                }
            }
            Event::End(tag) => {
                inside.pop();
                closed = inside.is_empty();
                let annotation = document.tiers.last_mut().and_then(|t| t.annotations.last_mut());
                if tag.name().as_ref() == "ANNOTATION_VALUE"
                    && let (Some(text), Some(annotation)) = (value.take(), annotation)
                {
                    annotation.text = text;
                }
            }
            _ => {}
        }
    }
    Ok(document)
}

/// Takes out the annotation within which the file ends: its words are not whole.
fn drop_open(document: &mut Document, inside: &[String]) {
    if inside.iter().any(|e| e == "ALIGNABLE_ANNOTATION" || e == "REF_ANNOTATION")
        && let Some(tier) = document.tiers.last_mut()
    {
        tier.annotations.pop();
    }
}

/// Line of a growing position, counted once over the file.
struct LineCount<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl LineCount<'_> {
    fn of(&mut self, position: usize) -> usize {
        let bytes = self.text.as_bytes();
        let position = position.min(bytes.len());
        if position > self.at {
            self.line += bytes[self.at..position].iter().filter(|b| **b == b'\n').count();
            self.at = position;
        }
        self.line
    }
}

fn open(tag: &BytesStart, document: &mut Document, lines: &mut LineCount, position: usize) {
    let mut attributes = Vec::new();
    for written in tag.attributes().with_checks(false).flatten() {
        let value = written.normalized_value(XmlVersion::Implicit1_0).map(|v| v.into_owned()).unwrap_or_else(|_| {
            let what =
                format!("{} refers to an entity that nothing defines: {}", written.key.as_ref(), short(&written.value));
            document.odd_references.push((lines.of(position), what));
            written.value.to_string()
        });
        attributes.push((written.key, value));
    }
    let attribute =
        |key: &str| attributes.iter().find(|(name, _)| name.as_ref() == key).map(|(_, value)| value.clone());
    let text = |key: &str| attribute(key).unwrap_or_default();
    match tag.name().as_ref() {
        "HEADER" => document.units = text("TIME_UNITS"),
        "MEDIA_DESCRIPTOR" => document.media.push(media::Linked {
            line: lines.of(position),
            urls: [text("MEDIA_URL"), text("RELATIVE_MEDIA_URL")],
            origin: text("TIME_ORIGIN"),
        }),
        "LINGUISTIC_TYPE" if attribute("CONTROLLED_VOCABULARY_REF").is_some_and(|v| !v.trim().is_empty()) => {
            document.listed.insert(text("LINGUISTIC_TYPE_ID"));
        }
        "TIME_SLOT" => {
            let told = attribute("TIME_VALUE").filter(|v| !v.trim().is_empty());
            let time = told.as_ref().and_then(|v| v.trim().parse().ok()).filter(|v: &f64| v.is_finite());
            if let (Some(told), None) = (&told, time) {
                let what = format!("time slot {:?}: the time {:?} is no number", text("TIME_SLOT_ID"), short(told));
                document.odd_times.push((lines.of(position), what));
            }
            document.slots.push((text("TIME_SLOT_ID"), time));
        }
        "TIER" => document.tiers.push(RawTier {
            id: text("TIER_ID"),
            participant: attribute("PARTICIPANT").map(|p| p.trim().to_owned()).filter(|p| !p.is_empty()),
            parent: attribute("PARENT_REF").filter(|p| !p.is_empty()),
            typed: attribute("LINGUISTIC_TYPE_REF").filter(|t| !t.is_empty()),
            listed: false,
            annotations: Vec::new(),
        }),
        name @ ("ALIGNABLE_ANNOTATION" | "REF_ANNOTATION") => {
            let time = if name == "REF_ANNOTATION" {
                Time::Of(text("ANNOTATION_REF"))
            } else {
                Time::Slots(text("TIME_SLOT_REF1"), text("TIME_SLOT_REF2"))
            };
            if let Some(tier) = document.tiers.last_mut() {
                tier.listed |= attribute("CVE_REF").is_some_and(|v| !v.is_empty());
                tier.annotations.push(Annotation {
                    id: text("ANNOTATION_ID"),
                    line: lines.of(position),
                    time,
                    text: String::new(),
                });
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
