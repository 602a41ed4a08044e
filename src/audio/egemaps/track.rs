//! The pitch track: the cheapest path through the candidates of successive frames, decided with a lag of at most 40
//! frames (Viterbi; after Luengo et al., "Evaluation of pitch detection algorithms under real conditions", ICASSP
//! 2007). Weights are those of GeMAPS as openSMILE applies them.

use std::collections::VecDeque;

use super::pitch::{CANDIDATES, Candidates};

/// Frames the decision may lag behind.
pub(super) const LAG: usize = 40;

/// One state for each candidate and one for "unvoiced".
const STATES: usize = CANDIDATES + 1;
const UNVOICED: usize = CANDIDATES;

const VOICING_CUT_OFF: f32 = 0.7;
/// Cost of a voicing below the cut-off, and of ignoring one above.
const CUT_OFF_COST: f64 = 4.0;
const LOCAL_WEIGHT: f64 = 2.0;
const RANGE_WEIGHT: f64 = 1.0;
/// Weight of a jump in log frequency, and of the change of the jump.
const JUMP_WEIGHT: f64 = 10.0;
const BEND_WEIGHT: f64 = 10.0;
const VOICING_CHANGE_COST: f64 = 10.0;
/// openSMILE's configuration says 0, its code gives this.
const STAY_UNVOICED_COST: f64 = 1.0;
const EMPTY_CANDIDATE_COST: f64 = 999.0;

type Path = [u8; LAG];

/// Takes candidates frame by frame, gives decided frequencies in the same order.
#[derive(Debug)]
pub(super) struct PitchTracker {
    costs: [f64; STATES],
    /// For each state the states of the best path to it, frame `n` at `n % LAG`.
    paths: [Path; STATES],
    frames: [Candidates; LAG],
    pushed: usize,
    decided: usize,
    /// The jump looked at last. It is carried from one pair of candidates to the next in the order they are looked at,
    /// as in openSMILE: not what the idea would ask for, but its numbers.
    last_jump: f64,
    ready: VecDeque<f32>,
}

impl PitchTracker {
    pub(super) fn new() -> Self {
        PitchTracker {
            costs: [0.0; STATES],
            paths: [[0; LAG]; STATES],
            frames: [Candidates::default(); LAG],
            pushed: 0,
            decided: 0,
            last_jump: 1.0,
            ready: VecDeque::with_capacity(LAG + 1),
        }
    }

    /// Starts anew.
    pub(super) fn restart(&mut self) {
        self.pushed = 0;
        self.decided = 0;
        self.last_jump = 1.0;
        self.ready.clear();
    }

    /// Adds the candidates of the next frame.
    pub(super) fn push(&mut self, candidates: &Candidates) {
        let local = local_costs(candidates);
        let slot = self.pushed % LAG;
        if self.pushed == 0 {
            self.costs = local;
            for (state, path) in self.paths.iter_mut().enumerate() {
                path[slot] = state as u8;
            }
        } else {
            let before = self.frames[(self.pushed - 1) % LAG];
            let (old_costs, old_paths) = (self.costs, self.paths);
            for (state, local) in local.into_iter().enumerate() {
                let mut best = (0, f64::INFINITY);
                for (from, &cost) in old_costs.iter().enumerate() {
                    let cost = self.transition(from, state, &before, candidates) + cost;
                    if cost < best.1 {
                        best = (from, cost);
                    }
                }
                self.costs[state] = best.1 + local;
                self.paths[state] = old_paths[best.0];
                self.paths[state][slot] = state as u8;
            }
        }
        self.frames[slot] = *candidates;
        self.pushed += 1;
        if self.pushed - self.decided >= LAG {
            self.decide(self.cheapest());
        } else {
            // All paths that agree on a frame have decided it.
            while self.decided < self.pushed {
                let slot = self.decided % LAG;
                let state = self.paths[0][slot];
                if self.paths.iter().any(|p| p[slot] != state) {
                    break;
                }
                self.decide(0);
            }
        }
    }

    /// Decides all that is left by the cheapest path.
    pub(super) fn finish(&mut self) {
        let best = self.cheapest();
        while self.decided < self.pushed {
            self.decide(best);
        }
    }

    /// The next decided frequency in Hz, 0 for unvoiced.
    pub(super) fn next(&mut self) -> Option<f32> {
        self.ready.pop_front()
    }

    fn cheapest(&self) -> usize {
        (1..STATES).fold(0, |best, i| if self.costs[i] < self.costs[best] { i } else { best })
    }

    fn decide(&mut self, path: usize) {
        let slot = self.decided % LAG;
        let state = usize::from(self.paths[path][slot]);
        self.ready.push_back(self.frames[slot].hz.get(state).copied().unwrap_or(0.0));
        self.decided += 1;
    }

    fn transition(&mut self, from: usize, to: usize, before: &Candidates, now: &Candidates) -> f64 {
        match (from == UNVOICED, to == UNVOICED) {
            (true, true) => STAY_UNVOICED_COST,
            (false, false) => {
                let (a, b) = (before.hz[from], now.hz[to]);
                if a == 0.0 || b == 0.0 {
                    return EMPTY_CANDIDATE_COST;
                }
                let jump = f64::from(b / a).ln();
                let cost = JUMP_WEIGHT * jump.abs() + BEND_WEIGHT * (jump - self.last_jump).abs();
                self.last_jump = jump;
                cost
            }
            _ => {
                self.last_jump = 0.0;
                VOICING_CHANGE_COST
            }
        }
    }
}

fn local_costs(c: &Candidates) -> [f64; STATES] {
    let mut costs = [0.0; STATES];
    for (cost, (&hz, &voicing)) in costs.iter_mut().zip(c.hz.iter().zip(&c.voicing)) {
        let voicing = f64::from(voicing).clamp(0.01, 1.0);
        let miss = if voicing < f64::from(VOICING_CUT_OFF) { CUT_OFF_COST } else { 0.0 };
        *cost = (miss - voicing.ln()) * LOCAL_WEIGHT + range_cost(hz) * RANGE_WEIGHT;
    }
    let any_voiced = c.voicing.iter().any(|&v| v >= VOICING_CUT_OFF);
    costs[UNVOICED] = if any_voiced { LOCAL_WEIGHT * CUT_OFF_COST } else { 0.0 };
    costs
}

/// Prefers 100 to 350 Hz.
fn range_cost(hz: f32) -> f64 {
    let hz = f64::from(hz);
    match hz {
        f if f <= 0.0 => 2.0,
        f if f < 100.0 => 1.0 - f / 100.0,
        f if f < 350.0 => 0.0,
        f if f < 600.0 => (f - 350.0) / 250.0,
        _ => 1.2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(hz: &[f32], voicing: &[f32]) -> Candidates {
        let mut c = Candidates::default();
        c.hz[..hz.len()].copy_from_slice(hz);
        c.voicing[..voicing.len()].copy_from_slice(voicing);
        c
    }

    fn track(frames: &[Candidates]) -> Vec<f32> {
        let mut t = PitchTracker::new();
        let mut out = Vec::new();
        for f in frames {
            t.push(f);
            while let Some(hz) = t.next() {
                out.push(hz);
            }
        }
        t.finish();
        while let Some(hz) = t.next() {
            out.push(hz);
        }
        out
    }

    #[test]
    fn an_octave_jump_of_one_frame_is_mended() {
        let mut frames = vec![frame(&[200.0, 100.0], &[0.85, 0.75]); 20];
        frames[10] = frame(&[100.0, 200.0], &[0.85, 0.84]);
        let out = track(&frames);
        assert_eq!(out, vec![200.0; 20]);
    }

    #[test]
    fn weak_frames_are_unvoiced_and_every_frame_comes_out_once() {
        let mut frames = vec![frame(&[150.0], &[0.2]); 150];
        for f in &mut frames[60..110] {
            *f = frame(&[150.0], &[0.9]);
        }
        let out = track(&frames);
        assert_eq!(out.len(), 150);
        let is = |range: std::ops::Range<usize>, hz: f32| out[range].iter().all(|f| (f - hz).abs() < 1e-3);
        assert!(is(0..55, 0.0) && is(65..105, 150.0) && is(115..150, 0.0), "{out:?}");
    }
}
