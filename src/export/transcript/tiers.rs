//! The tiers of an interview, for ELAN and Praat alike: nothing in a tier overlaps, and no two have one name.

use std::collections::BTreeSet;

use super::cues::{line, millis};
use super::score::{Part, Score, Stretch};
use crate::annotation::Turn;
use crate::time::{Seconds, Segment};

/// What a tier's linguistic type is called. Codes are read back as codes by it.
pub(super) const TYPES: [&str; 3] = ["utterance", "words", "code"];

/// One tier.
pub(super) struct Tier {
    pub(super) name: String,
    /// Whose turns it holds, or whom it is about.
    pub(super) participant: Option<String>,
    /// One of [`TYPES`].
    pub(super) typed: &'static str,
    pub(super) points: bool,
    /// Sorted, none begins before the one before it ends.
    pub(super) spans: Vec<(Segment, String)>,
}

/// The tiers, those of the turns first, and what is told of them.
pub(super) fn of(score: &Score, parts: &[Part]) -> (Vec<Tier>, Vec<String>) {
    let mut all = Tiers::default();
    let mut speakers: Vec<Option<&str>> = Vec::new();
    for turn in &score.turns {
        if !speakers.contains(&turn.speaker.as_deref()) {
            speakers.push(turn.speaker.as_deref());
        }
    }
    for speaker in speakers {
        all.add_turns(score, speaker, parts.contains(&Part::Words));
    }
    for part in parts.iter().copied().filter(|p| *p != Part::Words) {
        let mut keys: Vec<(Option<&str>, Option<&str>, bool)> = Vec::new();
        let of_part = || score.stretches.iter().filter(|s| s.part == part);
        let key =
            |s: &'_ Stretch| -> (Option<String>, Option<String>, bool) { (s.tier.clone(), s.person.clone(), s.point) };
        for one in of_part() {
            let found = (one.tier.as_deref(), one.person.as_deref(), one.point);
            if !keys.contains(&found) {
                keys.push(found);
            }
        }
        for (tier, person, points) in keys {
            let own = (tier.map(str::to_owned), person.map(str::to_owned), points);
            let spans = of_part().filter(|s| key(s) == own).map(|s| (s.segment, line(&s.value))).collect();
            let name = match (tier, person) {
                (Some(tier), _) => tier.to_owned(),
                (None, Some(person)) => format!("{} - {}", line(person), part.name()),
                (None, None) => part.name().to_owned(),
            };
            // A voice is not yet anybody's.
            let participant = person.filter(|_| part != Part::Diarized).map(str::to_owned);
            all.add(Tier { name, participant, typed: "code", points, spans });
        }
    }
    (all.tiers, all.told)
}

#[derive(Default)]
struct Tiers {
    tiers: Vec<Tier>,
    names: BTreeSet<String>,
    told: Vec<String>,
}

impl Tiers {
    /// A speaker's turns, in as many tiers as it takes for none to overlap, each with the words of its turns beside it.
    fn add_turns(&mut self, score: &Score, speaker: Option<&str>, words: bool) {
        let own: Vec<&Turn> = score.turns.iter().filter(|t| t.speaker.as_deref() == speaker).collect();
        let (lanes, widened) = lanes(own.iter().map(|t| t.segment).collect());
        let of = |kind: &str| speaker.map_or_else(|| kind.to_owned(), |s| format!("{} - {kind}", line(s)));
        self.tell(&of("text"), lanes.len(), widened);
        let mut lost = own.iter().flat_map(|t| &t.words).filter(|w| w.segment.is_none()).count();
        for lane in lanes {
            let spans = lane.iter().map(|(at, segment)| (*segment, line(&own[*at].text))).collect();
            let participant = speaker.map(str::to_owned);
            self.push(Tier {
                name: of("text"),
                participant: participant.clone(),
                typed: "utterance",
                points: false,
                spans,
            });
            let mut said: Vec<(Segment, String)> = lane
                .iter()
                .flat_map(|(at, _)| &own[*at].words)
                .filter_map(|w| Some((w.segment?, line(&w.text))))
                .collect();
            if !words || said.is_empty() {
                continue;
            }
            said.sort_by_key(|(segment, _)| *segment);
            let (mut spaced, mut widened) = lanes_of(said);
            // Words of one turn that overlap are of no second tier: which word belongs to which turn would be lost.
            let first = if spaced.is_empty() { Vec::new() } else { spaced.remove(0) };
            lost += spaced.iter().map(Vec::len).sum::<usize>();
            self.tell(&of("words"), 1, std::mem::take(&mut widened));
            self.push(Tier { name: of("words"), participant, typed: "words", points: false, spans: first });
        }
        if words && lost > 0 {
            let name = of("words");
            self.told.push(format!("tier {name:?}: {lost} words without a time, or over another, are left out"));
        }
    }

    /// A tier of any spans, in as many as it takes.
    fn add(&mut self, tier: Tier) {
        let Tier { name, participant, typed, points, mut spans } = tier;
        if points {
            spans.sort_by_key(|(segment, _)| *segment);
            self.push(Tier { name, participant, typed, points, spans });
            return;
        }
        let (lanes, widened) = lanes_of(spans);
        self.tell(&name, lanes.len(), widened);
        for spans in lanes {
            self.push(Tier { name: name.clone(), participant: participant.clone(), typed, points, spans });
        }
    }

    fn tell(&mut self, name: &str, tiers: usize, widened: usize) {
        if tiers > 1 {
            self.told
                .push(format!("tier {name:?} overlaps itself: it is written as {tiers} tiers, numbered in brackets"));
        }
        if widened > 0 {
            self.told.push(format!("tier {name:?}: {widened} stretches without length are written as 1 ms"));
        }
    }

    /// Gives a tier a name that no other has: `Mara - text`, `Mara - text [2]`.
    fn push(&mut self, mut tier: Tier) {
        let base = if tier.name.trim().is_empty() { "tier".to_owned() } else { line(&tier.name) };
        tier.name.clone_from(&base);
        let mut number = 1;
        while !self.names.insert(tier.name.clone()) {
            number += 1;
            tier.name = format!("{base} [{number}]");
        }
        self.tiers.push(tier);
    }
}

fn lanes_of(spans: Vec<(Segment, String)>) -> (Vec<Vec<(Segment, String)>>, usize) {
    let (found, widened) = lanes(spans.iter().map(|(segment, _)| *segment).collect());
    let named = |lane: Vec<(usize, Segment)>| {
        lane.into_iter().map(|(at, segment)| (segment, spans[at].1.clone())).collect::<Vec<_>>()
    };
    (found.into_iter().map(named).collect(), widened)
}

/// Puts stretches into the first row in which they overlap none, to the millisecond; those without length last 1 ms.
/// Tells each row's places and stretches, by time, and how many had no length.
fn lanes(segments: Vec<Segment>) -> (Vec<Vec<(usize, Segment)>>, usize) {
    let mut widened = 0;
    let mut order: Vec<(Segment, usize)> = Vec::new();
    for (at, segment) in segments.into_iter().enumerate() {
        let short = millis(segment.end()) <= millis(segment.start());
        widened += usize::from(short);
        let end = segment.start().get() + 1e-3;
        order.push((
            if short { Segment::from_secs(segment.start().get(), end).unwrap_or(segment) } else { segment },
            at,
        ));
    }
    order.sort();
    let mut lanes: Vec<Lane> = Vec::new();
    for (segment, at) in order {
        let start = millis(segment.start());
        let place = lanes.iter().position(|l| l.end_ms <= start && l.end <= segment.start()).unwrap_or_else(|| {
            lanes.push(Lane::default());
            lanes.len() - 1
        });
        let lane = &mut lanes[place];
        (lane.end_ms, lane.end) = (millis(segment.end()).max(start + 1), segment.end());
        lane.places.push((at, segment));
    }
    (lanes.into_iter().map(|lane| lane.places).collect(), widened)
}

/// A row of stretches that do not overlap, and where it ends: as rounded by ELAN, and as written by Praat.
#[derive(Default)]
struct Lane {
    end_ms: u64,
    end: Seconds,
    places: Vec<(usize, Segment)>,
}
