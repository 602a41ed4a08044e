//! Floors: who holds the floor, turn by turn, and who takes it from whom.
//!
//! A transcript cuts one person's talk into cues. A floor is consecutive turns of one speaker, nobody else holding it
//! in between (Sacks, Schegloff and Jefferson 1974, "A simplest systematics for the organization of turn-taking"): a
//! turn goes on with its speaker's floor where it joins the last turn of it, or where nobody else held the floor in the
//! gap. A turn wholly inside what another says holds none: short, it is a backchannel (Yngve 1970). Any other turn
//! opens a floor, and takes it from whoever held it last.
//!
//! Two who begin together have no offset: neither could hear the other yet, and from an end to a start measures the
//! first one's length (a reaction to speech takes 0.2 s and more, Heldner and Edlund 2010). An overlap that a listener
//! does not notice is no interruption (below 0.12 s, Heldner 2011, "Detection thresholds for gaps, overlaps, and
//! no-gap-no-overlaps").
//!
//! Turns are taken in the order of their starts, of two that begin at one instant the one told first, as everywhere.
//! What is told of one looks at turns begun before it alone; a floor's end and number of turns are known when the
//! interview is.

use super::dyads::TOUCH_SECS;
use crate::annotation::Turn;
use crate::table::Missing;
use crate::time::{Seconds, Segment};

/// When a turn takes the floor, and when it does not.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FloorConfig {
    /// One speaker's cues closer than this become one turn, with the first one's number; 0 = every cue stays a turn.
    /// Another's cue in between must be a backchannel by its length. Samples of RESCUE-bench are never merged.
    #[schemars(range(min = 0.0))]
    pub merge_cues_secs: f64,
    /// A turn inside another's is a backchannel up to this length, in seconds; a choice.
    #[schemars(range(min = 0.0))]
    pub max_backchannel_secs: f64,
    /// Two turns that begin closer than this begin together, in seconds: a reaction to speech takes longer (Heldner
    /// and Edlund 2010). A speaker's pause shorter than this does not part what is said.
    #[schemars(range(min = 0.0))]
    pub simultaneous_secs: f64,
    /// Overlap that is shorter interrupts nobody, in seconds: it is not heard as one (Heldner 2011).
    #[schemars(range(min = 0.0))]
    pub min_overlap_secs: f64,
}

impl Default for FloorConfig {
    fn default() -> Self {
        FloorConfig { merge_cues_secs: 0.0, max_backchannel_secs: 1.0, simultaneous_secs: 0.2, min_overlap_secs: 0.12 }
    }
}

/// The floor a turn is of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// Number of the floor, from 1.
    pub(super) floor: usize,
    /// Which of the floor's turns it is, from 1.
    pub(super) position: usize,
}

/// Whoever had the floor before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Before {
    pub(super) speaker: usize,
    /// Start of the turn minus the end of that floor so far: above 0 a gap, below an overlap.
    pub(super) offset_secs: f64,
}

/// Somebody else who talks when a turn begins.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Running {
    /// `None` for whom the transcript does not name.
    speaker: Option<usize>,
    /// What is said without a pause, with the cues of it that begin before this turn ends.
    segment: Segment,
    /// False where it is itself inside another's talk.
    holds: bool,
}

/// One turn in the talk.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TurnFloor {
    here: Segment,
    /// The floor it is of, or why it is of none.
    pub(super) place: Result<Place, Missing>,
    /// Whom it takes the floor from, or why from nobody.
    pub(super) before: Result<Before, Missing>,
    overlapped: Vec<Running>,
    /// True for a turn that joins its speaker's own backchannel: that began before.
    joins_backchannel: bool,
}

impl TurnFloor {
    /// True when the turn opens a floor while `listener` holds it, and goes on after that. `None` where it does so to
    /// somebody who is not named, who may be the listener, and after a dropped cue, which may have run on into it.
    pub(super) fn interrupts(&self, listener: usize, config: &FloorConfig) -> Option<bool> {
        let opens = self.place.is_ok_and(|p| p.position == 1);
        let to = |who: Option<usize>| {
            let mut theirs = self.overlapped.iter().filter(|o| o.speaker == who && o.holds);
            theirs.any(|o| takes_floor(self.here, o.segment, config))
        };
        if opens && to(Some(listener)) {
            return Some(true);
        }
        let open = opens && (to(None) || self.is_after_dropped());
        (!open).then_some(false)
    }

    /// True when the turn is short and lies wholly inside what `listener` says; `None` as for
    /// [`TurnFloor::interrupts`].
    pub(super) fn is_backchannel_to(&self, listener: usize, config: &FloorConfig) -> Option<bool> {
        let most = config.max_backchannel_secs;
        let to = |who: Option<usize>| {
            let mut theirs = self.overlapped.iter().filter(|o| o.speaker == who);
            theirs.any(|o| is_backchannel(self.here, o.segment, most))
        };
        let short = self.here.duration() <= most + TOUCH_SECS;
        match self.place {
            Err(_) if self.joins_backchannel => Some(false),
            Err(_) if to(Some(listener)) => Some(true),
            Err(_) => (!to(None)).then_some(false),
            Ok(_) => (!(short && self.is_after_dropped())).then_some(false),
        }
    }

    fn is_after_dropped(&self) -> bool {
        self.before == Err(Missing::DroppedCue)
    }
}

/// A floor from its first turn's start to the latest end of its turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) segment: Segment,
    pub(super) turns: usize,
}

/// All floors of one talk.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Floors {
    /// One for each turn, in the order of turns.
    pub(super) of: Vec<TurnFloor>,
    /// By the floor's number minus 1.
    pub(super) spans: Vec<Span>,
}

impl Floors {
    /// `speaker_of` holds the number of each turn's speaker, below `labels`; `dropped` the places of turns before which
    /// something said is not known: a cue that could not be read.
    pub(super) fn new(
        turns: &[Turn],
        speaker_of: &[Option<usize>],
        labels: usize,
        dropped: &[usize],
        config: &FloorConfig,
    ) -> Self {
        let mut order: Vec<usize> = (0..turns.len()).collect();
        order.sort_by_key(|&i| (turns[i].segment.start(), i));
        let mut cues: Vec<Vec<Segment>> = vec![Vec::new(); labels];
        for &at in &order {
            if let Some(speaker) = speaker_of[at] {
                cues[speaker].push(turns[at].segment);
            }
        }
        let mut talk = Talk::new(cues, config);
        let mut of: Vec<Option<TurnFloor>> = vec![None; turns.len()];
        for at in order {
            // Those whom the transcript does not name are one more, who never goes on.
            let speaker = speaker_of[at].unwrap_or(labels);
            of[at] = Some(talk.take(turns[at].segment, speaker, dropped.binary_search(&at).is_ok()));
        }
        Floors { of: of.into_iter().flatten().collect(), spans: talk.spans }
    }
}

/// What one says without a pause.
#[derive(Clone, Copy, Debug)]
struct Spurt {
    segment: Segment,
    holds: bool,
}

/// The talk up to a turn.
struct Talk<'a> {
    config: &'a FloorConfig,
    /// Each one's cues by their start, those to come among them.
    cues: Vec<Vec<Segment>>,
    /// The number of those whom the transcript does not name.
    unnamed: usize,
    spurts: Vec<Option<Spurt>>,
    /// Each one's last floor, and how far it reaches.
    floors: Vec<Option<(usize, Seconds)>>,
    /// Those who may still be talking.
    active: Vec<usize>,
    /// The two whose floors reach furthest, the furthest first.
    furthest: Vec<(Seconds, usize)>,
    spans: Vec<Span>,
}

impl<'a> Talk<'a> {
    fn new(cues: Vec<Vec<Segment>>, config: &'a FloorConfig) -> Self {
        let labels = cues.len();
        Talk {
            config,
            cues,
            unnamed: labels,
            spurts: vec![None; labels + 1],
            floors: vec![None; labels + 1],
            active: Vec::new(),
            furthest: Vec::new(),
            spans: Vec::new(),
        }
    }

    fn take(&mut self, here: Segment, speaker: usize, after_dropped: bool) -> TurnFloor {
        let start = here.start();
        let spurts = &self.spurts;
        self.active.retain(|&s| spurts[s].is_some_and(|r| r.segment.end() > start));
        let others = self.active.iter().filter(|&&s| s != speaker);
        let overlapped: Vec<Running> = others
            .filter_map(|&s| {
                let speaker = (s != self.unnamed).then_some(s);
                let said = spurts[s]?;
                let segment = if said.holds { self.runs_on(said.segment, s, here) } else { said.segment };
                Some(Running { speaker, segment, holds: said.holds })
            })
            .collect();
        let own = self.floors[speaker].filter(|f| !after_dropped && speaker != self.unnamed && self.goes_on(*f, here));
        let inside = overlapped.iter().any(|o| lies_inside(here, o.segment));
        let joins = self.spurts[speaker].is_some_and(|s| !s.holds && (start - s.segment.end()).get() <= TOUCH_SECS);
        let (place, before) = match own {
            Some((floor, _)) => (Ok(floor), Err(Missing::SameFloor)),
            None if inside => {
                let short = here.duration() <= self.config.max_backchannel_secs + TOUCH_SECS;
                let why = if short { Missing::Backchannel } else { Missing::InsideAnother };
                (Err(why), Err(why))
            }
            None => {
                let before = if after_dropped { Err(Missing::DroppedCue) } else { self.before(here, speaker) };
                self.spans.push(Span { segment: here, turns: 0 });
                (Ok(self.spans.len()), before)
            }
        };
        self.talks(here, speaker, place.is_ok());
        let place = place.map(|floor| Place { floor, position: self.holds(floor, here, speaker) });
        let named = speaker != self.unnamed;
        TurnFloor {
            here,
            place: if named { place } else { Err(Missing::NoLabel) },
            before: if named { before } else { Err(Missing::NoLabel) },
            overlapped,
            joins_backchannel: joins,
        }
    }

    /// What `speaker` says without a pause, with the cues that begin while `here` lasts: a cue that ends within
    /// another's turn is no end of the talk where the next one follows at once. At the turn's end all of it is known but
    /// how far it reaches beyond, which nothing asks.
    fn runs_on(&self, said: Segment, speaker: usize, here: Segment) -> Segment {
        let Some(cues) = self.cues.get(speaker) else { return said };
        let pause = self.config.simultaneous_secs.max(TOUCH_SECS);
        let next = cues.partition_point(|c| c.start() < here.start());
        let mut end = said.end();
        for cue in cues[next..].iter().take_while(|c| c.start() < here.end()) {
            if (cue.start() - end).get() >= pause {
                break;
            }
            end = end.max(cue.end());
        }
        Segment::new(said.start(), end).unwrap_or(said)
    }

    /// True when nobody else held the floor since.
    fn goes_on(&self, (floor, reached): (usize, Seconds), here: Segment) -> bool {
        let joins = (here.start() - reached).get() <= TOUCH_SECS;
        let other = self.furthest.iter().find(|(_, s)| self.floors[*s].is_none_or(|f| f.0 != floor));
        joins || other.is_none_or(|(end, _)| end.get() <= reached.get() + TOUCH_SECS)
    }

    /// Whom a turn that opens a floor takes it from.
    fn before(&self, here: Segment, speaker: usize) -> Result<Before, Missing> {
        let (reached, other) = self.furthest.iter().copied().find(|(_, s)| *s != speaker).ok_or(Missing::FirstFloor)?;
        if other == self.unnamed {
            return Err(Missing::NoLabel);
        }
        // Though the other has ended already: a start so soon after that one's answers nothing it said.
        let together = |s: Spurt| (here.start() - s.segment.start()).get() < self.config.simultaneous_secs;
        if self.spurts[other].filter(|s| s.holds).is_some_and(together) {
            return Err(Missing::Simultaneous);
        }
        if reached > here.end() {
            return Err(Missing::InsideAnother);
        }
        let offset = (here.start() - reached).get();
        Ok(Before { speaker: other, offset_secs: if offset.abs() < TOUCH_SECS { 0.0 } else { offset } })
    }

    fn talks(&mut self, here: Segment, speaker: usize, holds: bool) {
        let pause = self.config.simultaneous_secs;
        let before = self.spurts[speaker]
            .filter(|s| (here.start() - s.segment.end()).get() < pause.max(TOUCH_SECS) && s.holds == holds);
        let segment =
            before.and_then(|s| Segment::new(s.segment.start(), s.segment.end().max(here.end()))).unwrap_or(here);
        self.spurts[speaker] = Some(Spurt { segment, holds });
        if !self.active.contains(&speaker) {
            self.active.push(speaker);
        }
    }

    /// Takes the turn into the floor; which of its turns it is.
    fn holds(&mut self, floor: usize, here: Segment, speaker: usize) -> usize {
        let span = &mut self.spans[floor - 1];
        span.turns += 1;
        let end = span.segment.end().max(here.end());
        span.segment = Segment::new(span.segment.start(), end).unwrap_or(span.segment);
        let turns = span.turns;
        self.floors[speaker] = Some((floor, end));
        let reached = self.furthest.iter().find(|(_, s)| *s == speaker).map_or(end, |(e, _)| end.max(*e));
        self.furthest.retain(|(_, s)| *s != speaker);
        // Of two that reach as far, the one that came later.
        let place = self.furthest.iter().position(|(e, _)| *e <= reached).unwrap_or(self.furthest.len());
        self.furthest.insert(place, (reached, speaker));
        self.furthest.truncate(2);
        turns
    }
}

fn lies_inside(here: Segment, other: Segment) -> bool {
    !here.is_empty() && other.start() < here.start() && here.end() < other.end()
}

/// Begun while the other talks, no reaction to the same silence, and still talking when that one ends.
pub(super) fn takes_floor(here: Segment, other: Segment, config: &FloorConfig) -> bool {
    (here.start() - other.start()).get() >= config.simultaneous_secs.max(TOUCH_SECS)
        && (other.end() - here.start()).get() >= config.min_overlap_secs.max(TOUCH_SECS)
        && (here.end() - other.end()).get() > TOUCH_SECS
}

/// Short and wholly inside.
pub(super) fn is_backchannel(short: Segment, long: Segment, most_secs: f64) -> bool {
    short.duration() <= most_secs + TOUCH_SECS && lies_inside(short, long)
}

/// `gap`, `overlap` or `touch`, by the offset.
pub(super) fn transfer(offset: f64) -> &'static str {
    match offset {
        o if o >= TOUCH_SECS => "gap",
        o if o <= -TOUCH_SECS => "overlap",
        _ => "touch",
    }
}

#[cfg(test)]
mod tests;
