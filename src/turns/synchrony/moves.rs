//! What each speaker shows and says over the interview, on one grid of time.

use std::collections::BTreeMap;

use super::config::STEP_SECS;
use crate::annotation::Annotation;
use crate::audio::{Acoustics, GRID};
use crate::time::Segment;
use crate::turns::Relations;
use crate::turns::bodies::{BodyMotion, body_motions};
use crate::turns::watched::{Watched, on_grid};

/// Series of one speaker on the grid.
#[derive(Clone, Debug, Default)]
pub(in crate::turns) struct Moves {
    pub(in crate::turns) smile: Vec<f64>,
    pub(in crate::turns) head: Vec<f64>,
    pub(super) level: Vec<f64>,
}

impl Moves {
    /// True when anything of the face is there.
    pub(in crate::turns) fn is_seen(&self) -> bool {
        !(self.smile.is_empty() && self.head.is_empty())
    }
}

/// Every label's series; an empty one was never seen (heard).
pub(in crate::turns) fn moves(
    relations: &Relations<'_>,
    watched: &Watched,
    labels: &[&str],
) -> BTreeMap<String, Moves> {
    let end = end(relations);
    let of = |label: &&str| {
        let person = relations.person(label).and_then(|p| watched.person(p));
        let grid = |points: &mut dyn Iterator<Item = (f64, f64)>| {
            let mut points = points.peekable();
            if points.peek().is_none() { Vec::new() } else { on_grid(points, end, STEP_SECS) }
        };
        let moves = Moves {
            smile: person.map_or_else(Vec::new, |p| grid(&mut p.smile.iter().copied())),
            head: person
                .map_or_else(Vec::new, |p| grid(&mut p.motions.iter().map(|m| (0.5 * (m.from + m.to), m.deg_per_sec)))),
            level: relations
                .voice(label)
                .map_or_else(Vec::new, |v| level_while_speaking(v, relations.annotation, relations.acoustics, end)),
        };
        ((*label).to_owned(), moves)
    };
    labels.iter().map(of).collect()
}

/// Where the grid ends: with what is seen or heard last, in seconds.
fn end(relations: &Relations<'_>) -> f64 {
    let seen = relations.faces.sampled.last().map_or(0.0, |t| t.get());
    seen.max(relations.acoustics.len() as f64 * GRID.hop_secs())
}

/// The speed of every label's body; an empty series is that of one never seen. `None` where bodies are not looked at.
pub(super) fn body_moves(relations: &Relations<'_>, labels: &[&str]) -> Option<BTreeMap<String, Vec<f64>>> {
    let motions = body_motions(relations.bodies?.all, &relations.config.body);
    let of = |label: &&str| {
        let own = relations.person(label).and_then(|p| motions.get(p)).filter(|own| !own.is_empty());
        ((*label).to_owned(), own.map_or_else(Vec::new, |own| body_on_grid(own, end(relations))))
    };
    Some(labels.iter().map(of).collect())
}

/// The speed of a body at each point of the grid: that of the step it lies in, NaN where none counts.
pub(super) fn body_on_grid(motions: &[BodyMotion], end: f64) -> Vec<f64> {
    let mut grid = vec![f64::NAN; (end.max(0.0) / STEP_SECS + 1e-9) as usize + 1];
    let count = grid.len();
    let place = |secs: f64| ((secs / STEP_SECS - 1e-9).ceil().max(0.0) as usize).min(count);
    for motion in motions {
        grid[place(motion.from)..place(motion.to)].fill(motion.speed);
    }
    grid
}

/// Mean level of every 100 ms in which `voice` and nobody else speaks; NaN elsewhere.
pub(super) fn level_while_speaking(voice: &str, annotation: &Annotation, acoustics: &Acoustics, end: f64) -> Vec<f64> {
    let mut grid = vec![f64::NAN; (end.max(0.0) / STEP_SECS) as usize + 1];
    // The cell of a grid point reaches half a step to both sides.
    let half = 0.5 * STEP_SECS;
    let cells =
        |a: f64, b: f64| ((a / STEP_SECS).ceil().max(0.0) as usize, ((b / STEP_SECS).floor() + 1.0).max(0.0) as usize);
    for turn in annotation.turns().iter().filter(|t| t.speaker == voice) {
        let (first, last) = cells(turn.segment.start().get() + half, turn.segment.end().get() - half);
        for (i, slot) in grid.iter_mut().enumerate().take(last).skip(first) {
            let at = i as f64 * STEP_SECS;
            let Some(cell) = Segment::from_secs(at - half, at + half) else { continue };
            let levels = acoustics.level_db[GRID.indices(cell, acoustics.len())].iter().filter(|l| l.is_finite());
            let (sum, n) = levels.fold((0.0, 0.0), |(s, n), l| (s + f64::from(*l), n + 1.0));
            *slot = if n > 0.0 { sum / n } else { f64::NAN };
        }
    }
    for turn in annotation.turns().iter().filter(|t| t.speaker != voice) {
        let (first, last) = cells(turn.segment.start().get() - half, turn.segment.end().get() + half);
        grid.iter_mut().take(last).skip(first).for_each(|slot| *slot = f64::NAN);
    }
    grid
}
