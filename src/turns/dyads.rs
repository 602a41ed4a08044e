//! Dyads: what a turn does to each of the others: who takes the floor from whom, when, and who shows what while
//! listening.
//!
//! The floor-transfer offset is the start of a turn minus the end of the turn before it: a gap above zero, an overlap
//! below, and at zero neither (Heldner & Edlund 2010, "Pauses, gaps and overlaps in conversations"). An interruption is
//! a turn that begins before another's has ended and goes on after it; a backchannel is a short turn wholly inside
//! another's, which leaves the floor where it is (Yngve 1970). Offset and response latency follow Stivers et al. 2009
//! in sign. Columns by the transcript's times end with the turn; those by voices (`speech_…`) carry the interview's
//! end, since voices are told apart over the whole of it. A turn's columns look at earlier turns alone: that another
//! begins before this one ends would already tell who is next.
//!
//! Beside these: the listener's face (`listening`), voices that draw near (`entrainment`), and who follows whom
//! (`synchrony`).

mod columns;
#[cfg(test)]
mod doubt;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::entrainment::{self, TurnQualities};
use super::face_statistics::{FaceTurn, seen_often};
use super::floor::Floor;
use super::lagged::Lagged;
use super::listening::{self, Listening};
use super::near::{Listeners, Near, Others};
use super::synchrony::{Following, Moves, moves};
use super::voices::{VoiceIndex, Voices};
use super::watched::Watched;
use super::{Relations, edges};
use crate::annotation::SegmentIndex;
use crate::error::Result;
use crate::table::{Missing, Table, TableSchema};
use crate::time::{Seconds, Segment};
use columns::{Dyad, FOLLOWED, TurnsSoFar, layout};

/// A turn that leaves the floor where it is lasts no longer.
pub(super) const MAX_BACKCHANNEL_SECS: f64 = 1.0;

/// Two times closer than this touch: a millisecond is the finest that transcripts tell.
pub(super) const TOUCH_SECS: f64 = 5e-4;

/// Contract of the `dyads` table.
pub fn dyads_schema() -> TableSchema {
    layout().schema()
}

/// Rows of the `dyads` table, by turn, then listener.
///
/// Every other speaker of the interview is a listener of every turn. In a crowd (more than 100 speakers; or more than
/// 21, and the table would have more than 300,000 rows) those who talk during the turn and those who talked last before
/// it are, 20 in all; fewer, but at least 2, where the table would still have more than 4 million rows.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn dyads_table(relations: &Relations<'_>) -> Result<Table> {
    let labels = relations.labels();
    let watched = Watched::new(relations.faces, relations.config);
    let known = Known {
        relations,
        labels: &labels,
        speaker_of: &relations.speakers(&labels),
        index: &SegmentIndex::new(relations.turns.iter().map(|t| t.segment)),
        voices: &VoiceIndex::of_all(&edges::on_the_sound(relations.annotation, relations.acoustics)),
        watched: &watched,
        moves: &moves(relations, &watched, &labels),
        in_doubt: &relations.in_doubt(),
        qualities: &TurnQualities::new(relations.turns, relations.voices),
        gestures_seen: seen_often(relations.faces),
    };
    let mut so_far = SoFar::new(known);
    layout().table((0..relations.turns.len()).flat_map(|at| so_far.rows_of(at)))
}

/// What is known of the whole interview, looked into up to each turn.
#[derive(Clone, Copy)]
struct Known<'a> {
    relations: &'a Relations<'a>,
    labels: &'a [&'a str],
    speaker_of: &'a [Option<usize>],
    index: &'a SegmentIndex,
    voices: &'a BTreeMap<String, VoiceIndex>,
    /// Turns of which voices tell nothing.
    in_doubt: &'a [bool],
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
    floor: Floor,
    listeners: Listeners,
    following: BTreeMap<(usize, usize), [Following<'a>; FOLLOWED.len()]>,
}

impl<'a> SoFar<'a> {
    fn new(known: Known<'a>) -> Self {
        let Known { relations, labels, speaker_of, index, qualities, .. } = known;
        SoFar {
            known,
            entrainment: entrainment::SoFar::new(qualities, speaker_of, labels.len()),
            floor: Floor::new(relations.turns, speaker_of, labels.len(), index),
            listeners: Listeners::new(labels.len(), relations.turns.len()),
            following: BTreeMap::new(),
        }
    }

    /// The rows of the turn at `at`, the one after the last.
    fn rows_of(&mut self, at: usize) -> Vec<Dyad<'a>> {
        crate::pulse::beat();
        let Known { relations, speaker_of, index, .. } = self.known;
        let here = relations.turns[at].segment;
        self.entrainment.take(at, here.start().get());
        let mut rows = Vec::new();
        if let Some(speaker) = speaker_of[at] {
            self.floor.hold(here, speaker);
            let seen = self.known.seen_during(at);
            let sharing = index.overlapping(here.start(), here.end());
            let mut near = Near::new(relations.turns, speaker_of, at, sharing);
            for listener in self.listeners.of(speaker, &near) {
                rows.push(self.row((at, speaker, listener), near.take(listener), &seen));
            }
            self.listeners.spoke(speaker, at);
        }
        self.floor.pass(at, here, speaker_of[at]);
        rows
    }

    fn row(
        &mut self,
        (at, speaker, listener): (usize, usize, usize),
        others: Others,
        seen: &SeenDuring<'a>,
    ) -> Dyad<'a> {
        let Known { relations, labels, speaker_of, .. } = self.known;
        let here = relations.turns[at].segment;
        let following = self.following(here, (speaker, listener));
        let holder = self.floor.before(here.end()).filter(|&i| speaker_of[i] == Some(listener));
        let total = self.floor.all_held(here.end());
        let so_far = |who: usize| TurnsSoFar {
            turns: self.floor.speakers[who].count,
            floor_share: if total > 0.0 { self.floor.held(who, here.end()) / total } else { f64::NAN },
        };
        let listener_person = relations.person(labels[listener]);
        Dyad {
            interview_id: relations.interview_id,
            turn_index: relations.turns[at].index,
            speaker: labels[speaker],
            listener: labels[listener],
            here,
            follows: at > 0 && speaker_of[at - 1] == Some(listener),
            floor_offset_secs: holder.and_then(|i| floor_offset(relations.turns[i].segment, here)),
            others,
            response_latency_secs: self.floor.speakers[listener].latency(here.start()),
            turns_since_listener: self.floor.speakers[listener].last.map(|last| at - last - 1),
            speaker_so_far: so_far(speaker),
            listener_so_far: so_far(listener),
            voices: self.known.voices_in(at, (speaker, listener)),
            listener_person,
            face: listener_person.and_then(|p| seen.faces.iter().find(|f| f.person == p)),
            listening: self.known.listening(here, (speaker, listener), &seen.gestures),
            entrainment: self.entrainment.of(at, listener),
            following,
        }
    }

    fn following(&mut self, here: Segment, (speaker, listener): (usize, usize)) -> [Option<Lagged>; FOLLOWED.len()] {
        let moves = |who: usize| self.known.moves.get(self.known.labels[who]).filter(|m| m.is_seen());
        let (Some(a), Some(b)) = (moves(speaker), moves(listener)) else { return Default::default() };
        let both = || [Following::new(&a.smile, &b.smile), Following::new(&a.head, &b.head)];
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
    fn seen_during(&self, at: usize) -> SeenDuring<'a> {
        let Relations { turns, faces, face_turns, config, .. } = *self.relations;
        let first = face_turns.partition_point(|f| f.turn < at);
        let last = face_turns.partition_point(|f| f.turn <= at);
        let gestures =
            if self.gestures_seen { listening::gestures_within(faces, turns[at].segment, config) } else { Vec::new() };
        SeenDuring { faces: &face_turns[first..last], gestures }
    }

    fn voices_in(&self, at: usize, (speaker, listener): (usize, usize)) -> std::result::Result<Voices<'a>, Missing> {
        static SILENT: std::sync::LazyLock<VoiceIndex> = std::sync::LazyLock::new(VoiceIndex::default);
        let voice = |who: usize| self.relations.voice(self.labels[who]).ok_or(Missing::NoVoice);
        let speech = |who: usize| Ok(self.voices.get(voice(who)?).unwrap_or(&SILENT));
        let (own, other) = (speech(speaker)?, speech(listener)?);
        if self.in_doubt[at] {
            return Err(Missing::VoiceContradicts);
        }
        let here = self.relations.turns[at].segment;
        Ok(Voices { segment: here, own: own.sharing(here), other })
    }

    fn listening(
        &self,
        here: Segment,
        (speaker, listener): (usize, usize),
        gestures: &[(String, usize, usize)],
    ) -> Listening {
        let name = |who: usize| self.relations.person(self.labels[who]);
        let watched = |who: usize| self.watched.person(name(who)?);
        let Some(person) = watched(listener) else { return Listening::default() };
        let gestures = gestures.iter().find(|(p, ..)| Some(p.as_str()) == name(listener));
        let counted = gestures.map(|&(_, nods, shakes)| (nods, shakes));
        listening::listening(here, watched(speaker), person, counted, self.relations.config)
    }
}

/// From the turn before, which is the other's.
fn floor_offset(before: Segment, here: Segment) -> Option<f64> {
    // Ending inside the other's turn, it never had the floor; and that turn's end lies after this one's.
    if before.end() > here.end() {
        return None;
    }
    let offset = before.gap(here);
    Some(if offset.abs() < TOUCH_SECS { 0.0 } else { offset })
}

fn transfer(offset: f64) -> &'static str {
    match offset {
        o if o >= TOUCH_SECS => "gap",
        o if o <= -TOUCH_SECS => "overlap",
        _ => "touch",
    }
}

pub(super) fn takes_floor(here: Segment, other: Segment) -> bool {
    let late = |a: Seconds, b: Seconds| a.get() > b.get() + TOUCH_SECS;
    late(here.start(), other.start()) && late(other.end(), here.start()) && late(here.end(), other.end())
}

pub(super) fn is_backchannel(short: Segment, long: Segment) -> bool {
    !short.is_empty()
        && short.duration() <= MAX_BACKCHANNEL_SECS + TOUCH_SECS
        && long.start() < short.start()
        && short.end() < long.end()
}
