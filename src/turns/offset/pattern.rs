//! The cues of a transcript as a curve over time, and cues that could have been.

use crate::random::Random;

/// A step of the curves, in whole steps of the voice activity: 64 ms.
pub(super) const POOL: usize = 2;

/// Before the first cue and after the last nobody is thought to speak for this long. Tuned on AMI, TED and telephone
/// clips together with the two below; the figures of false fits are from the same clips.
const SILENT_SECS: f64 = 3.0;

/// Where cues touch, there often is a pause: the curve falls to this …
const TOUCHING: f64 = 0.5;

/// … for so long to both sides.
const DIP_SECS: f64 = 0.15;

/// Cues nearer than this touch.
const TOUCH_SECS: f64 = 0.3;

/// Parts of a step that are looked at, so that a curve tells how much of a step is spoken.
const FINE: usize = 8;

/// Start and end, in seconds.
pub(super) type Cue = (f64, f64);

/// Cues over time.
pub(super) struct Pattern {
    /// Time of the first value's beginning, in seconds.
    pub(super) start_secs: f64,
    /// Share of each step that is inside cues, 0 to 1.
    pub(super) values: Vec<f64>,
}

impl Pattern {
    /// `cues` by their start, not empty; `step_secs` a value.
    pub(super) fn new(cues: &[Cue], step_secs: f64) -> Self {
        let start_secs = cues.first().map_or(0.0, |c| c.0) - SILENT_SECS;
        let end = cues.iter().map(|c| c.1).fold(start_secs, f64::max) + SILENT_SECS;
        let count = ((end - start_secs) / step_secs).ceil().max(1.0) as usize;
        let mut fine = vec![0.0; count * FINE];
        let place =
            |t: f64| ((t - start_secs) / step_secs * FINE as f64).round().clamp(0.0, (count * FINE) as f64) as usize;
        for &(from, to) in cues {
            fine[place(from)..place(to.max(from))].fill(1.0);
        }
        for pair in cues.windows(2) {
            if (pair[1].0 - pair[0].1).abs() < TOUCH_SECS {
                let middle = f64::midpoint(pair[1].0, pair[0].1);
                let dip = &mut fine[place(middle - DIP_SECS)..place(middle + DIP_SECS)];
                dip.iter_mut().for_each(|x| *x = f64::min(*x, TOUCHING));
            }
        }
        let values = fine.chunks(FINE).map(|c| c.iter().sum::<f64>() / FINE as f64).collect();
        Pattern { start_secs, values }
    }
}

/// Cues as of another talk: the same lengths and the same pauses, each in another order, half of them backwards.
pub(super) fn surrogate(cues: &[Cue], random: &mut Random) -> Vec<Cue> {
    let mut lengths: Vec<f64> = cues.iter().map(|c| c.1 - c.0).collect();
    let mut pauses: Vec<f64> = cues.windows(2).map(|p| p[1].0 - p[0].1).collect();
    random.shuffle(&mut lengths);
    random.shuffle(&mut pauses);
    let mut at = cues.first().map_or(0.0, |c| c.0);
    let mut made = Vec::with_capacity(cues.len());
    for (i, length) in lengths.iter().enumerate() {
        made.push((at, at + length));
        at += length + pauses.get(i).copied().unwrap_or(0.0);
    }
    if random.below(2) == 1 {
        let ends =
            made.iter().map(|c| c.1).fold(f64::MIN, f64::max) + made.iter().map(|c| c.0).fold(f64::MAX, f64::min);
        made.iter_mut().for_each(|c| *c = (ends - c.1, ends - c.0));
    }
    made.sort_by(|a, b| a.0.total_cmp(&b.0));
    made
}

/// Means of each [`POOL`] values.
pub(super) fn pooled(speech: &[f32]) -> Vec<f64> {
    speech.chunks(POOL).map(|c| c.iter().map(|&p| f64::from(p)).sum::<f64>() / c.len() as f64).collect()
}
