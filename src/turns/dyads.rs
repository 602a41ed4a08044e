//! Dyads: what a turn does to each of the others: who takes the floor from whom, when, and who shows what while
//! listening.
//!
//! The floor-transfer offset is the start of a floor minus the end of the floor before it: a gap above zero, an overlap
//! below, and at zero neither (Heldner & Edlund 2010, "Pauses, gaps and overlaps in conversations"); `floors` tells
//! what a floor is. An interruption is a floor that begins before another's has ended and goes on after it; a
//! backchannel is a short turn wholly inside another's, which leaves the floor where it is (Yngve 1970). Each belongs
//! to the turn in which it begins, once. Offset and response latency follow Stivers et al. 2009 in sign. Columns by the
//! transcript's times end with the turn; those by voices (`speech_…`) carry the interview's end, since voices are told
//! apart over the whole of it. A turn's columns look at earlier turns alone: that another begins before this one ends
//! would already tell who is next.
//!
//! Beside these: the listener's face (`listening`), voices that draw near (`entrainment`), and who follows whom
//! (`synchrony`).

mod cited;
mod columns;
#[cfg(test)]
mod doubt;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::bodies::of_listener;
use super::conversation::Conversation;
use super::entrainment::{self, TurnQualities};
use super::face_statistics::{FaceTurn, seen_often};
use super::floor::Floor;
use super::floors::TurnFloor;
use super::lagged::Lagged;
use super::language;
use super::listening::{self, Listening};
use super::looking::looking;
use super::near::{Listeners, Near, Others};
use super::silent::silent;
use super::synchrony::{Following, Moves, moves};
use super::voices::{VoiceIndex, Voices};
use super::watched::Watched;
use super::{Relations, TurnsConfig, of_turn};
use crate::annotation::SegmentIndex;
use crate::error::{Error, Result};
use crate::table::{Missing, Table, TableSchema};
use crate::time::Segment;
use columns::{Dyad, FOLLOWED, TurnsSoFar, layout};

/// Two times closer than this touch: a millisecond is the finest that transcripts tell.
pub(super) const TOUCH_SECS: f64 = 5e-4;

/// Contract of the `dyads` table; `bodies` = they are looked at.
pub fn dyads_schema(config: &TurnsConfig, bodies: bool) -> TableSchema {
    layout(config, bodies).schema()
}

/// Rows of the `dyads` table, by turn, then listener.
///
/// Every other speaker of the interview is a listener of every turn. In a crowd (more than 100 speakers; or more than
/// 21, and the table would have more than 300,000 rows) those who talk during the turn and those who talked last before
/// it are, 20 in all; fewer, but at least 2, where the table would still have more than 4 million rows.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema, and those of reading observations back.
pub fn dyads_table(relations: &Relations<'_>) -> Result<Table> {
    let conversation = Conversation::of(relations);
    let watched = Watched::new(relations.faces, relations.config)?;
    let known = Known {
        relations,
        conversation: &conversation,
        index: &SegmentIndex::new(relations.turns.iter().map(|t| t.segment)),
        watched: &watched,
        moves: &moves(relations, &watched, &conversation.labels),
        qualities: &TurnQualities::new(relations.turns, relations.voices, &relations.config.entrainment),
        gestures_seen: seen_often(relations.faces),
    };
    let mut so_far = SoFar::new(known);
    let layout = layout(relations.config, relations.bodies.is_some());
    let table = layout.table((0..relations.turns.len()).flat_map(|at| so_far.rows_of(at)));
    so_far.failure.map_or(table, Err)
}

/// What is known of the whole interview, looked into up to each turn.
#[derive(Clone, Copy)]
struct Known<'a> {
    relations: &'a Relations<'a>,
    conversation: &'a Conversation<'a>,
    index: &'a SegmentIndex,
    watched: &'a Watched,
    moves: &'a BTreeMap<String, Moves>,
    qualities: &'a TurnQualities,
    /// True when nods can be seen.
    gestures_seen: bool,
}

/// What is kept from turn to turn.
struct SoFar<'a> {
    known: Known<'a>,
    entrainment: entrainment::SoFar<'a>,
    language: language::SoFar<'a>,
    floor: Floor,
    listeners: Listeners,
    /// The last turn before which a cue was dropped.
    after_dropped: Option<usize>,
    following: BTreeMap<(usize, usize), [Following<'a>; FOLLOWED.len()]>,
    /// The first: rows cannot fail, the table is told once it is made.
    failure: Option<Error>,
}

impl<'a> SoFar<'a> {
    fn new(known: Known<'a>) -> Self {
        let Known { relations, conversation, qualities, .. } = known;
        let Conversation { labels, speaker_of, .. } = conversation;
        SoFar {
            known,
            entrainment: entrainment::SoFar::new(relations, qualities, speaker_of, labels.len()),
            language: language::SoFar::new(relations, speaker_of, labels.len()),
            floor: Floor::new(relations.turns, speaker_of, labels.len()),
            listeners: Listeners::new(labels.len(), relations.turns.len()),
            after_dropped: None,
            following: BTreeMap::new(),
            failure: None,
        }
    }

    /// The rows of the turn at `at`, the one after the last.
    fn rows_of(&mut self, at: usize) -> Vec<Dyad<'a>> {
        crate::pulse::beat();
        let Known { relations, conversation: Conversation { speaker_of, .. }, index, .. } = self.known;
        let here = relations.turns[at].segment;
        self.entrainment.take(at);
        if relations.dropped.binary_search(&at).is_ok() {
            self.after_dropped = Some(at);
        }
        self.language.take(at);
        let mut rows = Vec::new();
        if let Some(speaker) = speaker_of[at] {
            self.floor.hold(here, speaker);
            let seen = self.known.seen_during(at).unwrap_or_else(|error| {
                self.failure.get_or_insert(error);
                SeenDuring { faces: &[], gestures: Vec::new() }
            });
            let sharing = index.overlapping(here.start(), here.end());
            let mut near = Near::new(relations.turns, speaker_of, at, sharing);
            for listener in self.listeners.of(speaker, &near) {
                rows.push(self.row((at, speaker, listener), near.take(listener), &seen));
            }
            self.listeners.spoke(speaker, at);
        }
        self.floor.pass(at, speaker_of[at]);
        rows
    }

    fn row(
        &mut self,
        (at, speaker, listener): (usize, usize, usize),
        others: Others,
        seen: &SeenDuring<'a>,
    ) -> Dyad<'a> {
        let Known { relations, conversation, .. } = self.known;
        let Conversation { labels, speaker_of, .. } = conversation;
        let here = relations.turns[at].segment;
        let following = self.following(here, (speaker, listener));
        let floor = &conversation.floors.of[at];
        let known_since = |last: usize| self.after_dropped.is_none_or(|dropped| dropped <= last);
        let total = self.floor.all_held(here.end());
        let so_far = |who: usize| TurnsSoFar {
            turns: self.floor.speakers[who].count,
            floor_share: if total > 0.0 { self.floor.held(who, here.end()) / total } else { f64::NAN },
        };
        let listener_person = relations.person(labels[listener]);
        let faces = [speaker, listener].map(|who| self.known.watched.person(relations.person(labels[who])?));
        Dyad {
            interview_id: relations.interview_id,
            group: relations.group,
            roles: (relations.role(labels[speaker]), relations.role(labels[listener])),
            turn_index: relations.turns[at].index,
            speaker: labels[speaker],
            listener: labels[listener],
            here,
            follows: (self.after_dropped != Some(at)).then(|| at > 0 && speaker_of[at - 1] == Some(listener)),
            floor_offset_secs: offset_from(floor, listener),
            interrupts: floor.interrupts(listener, &relations.config.floor),
            is_backchannel: floor.is_backchannel_to(listener, &relations.config.floor),
            max_backchannel_secs: relations.config.floor.max_backchannel_secs,
            silent: silent(relations, here, &others, faces[0], faces[1]),
            looking: looking(relations, here, faces[0], faces[1]),
            others,
            turns_since_listener: self.floor.speakers[listener]
                .last
                .filter(|last| known_since(*last))
                .map(|last| at - last - 1),
            speaker_so_far: so_far(speaker),
            listener_so_far: so_far(listener),
            voices: self.known.voices_in(at, (speaker, listener)),
            listener_person,
            face: listener_person.and_then(|p| seen.faces.iter().find(|f| f.person == p)),
            body: relations.bodies.map(|bodies| of_listener(bodies.turns, at, listener_person)),
            listening: self.known.listening(here, (speaker, listener), &seen.gestures),
            entrainment: self.entrainment.of(at, listener),
            between: self.language.of(at, listener),
            laughter: relations.laughs.map_or(Err(Missing::NotRequested), |l| {
                l.between(at, (labels[speaker], labels[listener]), relations.config.laughter.answer_secs)
            }),
            following,
        }
    }

    fn following(&mut self, here: Segment, (speaker, listener): (usize, usize)) -> [Option<Lagged>; FOLLOWED.len()] {
        let moves = |who: usize| self.known.moves.get(self.known.conversation.labels[who]).filter(|m| m.is_seen());
        let (Some(a), Some(b)) = (moves(speaker), moves(listener)) else { return Default::default() };
        let config = &self.known.relations.config.synchrony;
        let both = || [Following::new(&a.smile, &b.smile, config), Following::new(&a.head, &b.head, config)];
        self.following.entry((speaker, listener)).or_insert_with(both).each_mut().map(|f| f.until(here.end().get()))
    }
}

/// What is seen during one turn.
struct SeenDuring<'a> {
    faces: &'a [FaceTurn],
    /// Nods and shakes by person.
    gestures: Vec<(String, usize, usize)>,
}

impl<'a> Known<'a> {
    fn seen_during(&self, at: usize) -> Result<SeenDuring<'a>> {
        let Relations { turns, faces, face_turns, config, .. } = *self.relations;
        let mut gestures = Vec::new();
        if self.gestures_seen {
            gestures = listening::gestures_within(faces, &faces.observations.during(turns[at].segment)?, config);
        }
        Ok(SeenDuring { faces: of_turn(face_turns, at, |f| f.turn), gestures })
    }

    fn voices_in(&self, at: usize, (speaker, listener): (usize, usize)) -> std::result::Result<Voices<'a>, Missing> {
        static SILENT: std::sync::LazyLock<VoiceIndex> = std::sync::LazyLock::new(VoiceIndex::default);
        let voice = |who: usize| self.relations.voice(self.conversation.labels[who]).ok_or(Missing::NoVoice);
        let speech = |who: usize| Ok(self.conversation.voices.get(voice(who)?).unwrap_or(&SILENT));
        let (own, other) = (speech(speaker)?, speech(listener)?);
        if self.conversation.in_doubt[at] {
            return Err(Missing::VoiceContradicts);
        }
        let here = self.relations.turns[at].segment;
        Ok(Voices {
            segment: here,
            turn: (at, speaker),
            own: own.sharing(here),
            other,
            begun: &self.conversation.begun,
            config: &self.relations.config.floor,
        })
    }

    fn listening(
        &self,
        here: Segment,
        (speaker, listener): (usize, usize),
        gestures: &[(String, usize, usize)],
    ) -> Listening {
        let name = |who: usize| self.relations.person(self.conversation.labels[who]);
        let watched = |who: usize| self.watched.person(name(who)?);
        let Some(person) = watched(listener) else { return Listening::default() };
        let gestures = gestures.iter().find(|(p, ..)| Some(p.as_str()) == name(listener));
        let counted = gestures.map(|&(_, nods, shakes)| (nods, shakes));
        listening::listening(here, watched(speaker), person, counted, self.relations.config)
    }
}

/// From the end of the listener's floor, or why there is no such offset.
fn offset_from(floor: &TurnFloor, listener: usize) -> Result<f64, Missing> {
    floor.before.and_then(|b| if b.speaker == listener { Ok(b.offset_secs) } else { Err(Missing::OtherFloor) })
}
