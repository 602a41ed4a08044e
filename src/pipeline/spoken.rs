//! The turns of a scene in which somebody speaks, where a correction says that nobody speaks in others.

use super::scene::Scene;
use crate::annotation::Turn;
use crate::audio::TurnVoice;
use crate::turns::{BodyTurn, FaceTurn, SaidTurn};

/// What is known of these turns, told by their places among them.
#[derive(Debug)]
pub(super) struct Spoken {
    pub(super) turns: Vec<Turn>,
    pub(super) voices: Vec<TurnVoice>,
    pub(super) said: Vec<SaidTurn>,
    pub(super) face_turns: Vec<FaceTurn>,
    pub(super) body_turns: Vec<BodyTurn>,
    pub(super) contradicted: Vec<bool>,
    pub(super) dropped: Vec<usize>,
    /// For each turn of the scene its place among these.
    pub(super) places: Vec<Option<usize>>,
}

impl Spoken {
    pub(super) fn of(scene: &Scene<'_>) -> Self {
        let mut next = 0..;
        let places: Vec<Option<usize>> =
            (0..scene.turns.len()).map(|at| scene.corrected.speaks(at).then(|| next.next()).flatten()).collect();
        let kept = |at: usize| places.get(at).copied().flatten();
        // What was dropped before a turn that is left out was dropped before the next one.
        let next_kept = |at: &usize| places[*at..].iter().find_map(|place| *place);
        let mut dropped: Vec<usize> =
            scene.dropped.iter().filter(|at| **at < places.len()).filter_map(next_kept).collect();
        dropped.dedup();
        Spoken {
            turns: only(&scene.turns, &places),
            voices: only(&scene.voices, &places),
            said: only(&scene.said, &places),
            face_turns: moved(&scene.face_turns, |f| &mut f.turn, kept),
            body_turns: moved(&scene.body_turns, |b| &mut b.turn, kept),
            contradicted: only(&scene.contradicted, &places),
            dropped,
            places,
        }
    }
}

/// What is told of turns that are kept, with the turns' new places.
fn moved<T: Clone>(all: &[T], turn: fn(&mut T) -> &mut usize, kept: impl Fn(usize) -> Option<usize>) -> Vec<T> {
    let own = |one: &T| {
        let mut own = one.clone();
        let place = turn(&mut own);
        *place = kept(*place)?;
        Some(own)
    };
    all.iter().filter_map(own).collect()
}

/// Those that have a place; none of a list that is not made.
fn only<T: Clone>(all: &[T], places: &[Option<usize>]) -> Vec<T> {
    all.iter().zip(places).filter(|(_, place)| place.is_some()).map(|(one, _)| one.clone()).collect()
}
