//! A straight line from the transcript's clock to the sound's, through the beginnings and ends of cues and speech.

use super::pattern::Cue;

/// An edge of the speech farther than this from a cue's is another's (Tukey's biweight is 0 there).
const REACH_SECS: f64 = 0.35;

/// Width of the kernel that judges slopes before the line is fitted.
const KERNEL_SECS: f64 = 0.08;

/// Slopes are looked for to this either way: film at 24 for 23.976 pictures a second is 0.001.
const STEEPEST: f64 = 0.0015;

/// Fewer edges than this tell no slope.
const LEAST_EDGES: usize = 8;

/// Rounds of reweighting; far more than were ever needed until nothing moves.
const ROUNDS: usize = 40;

/// `t` of the transcript is `t + offset + slope·(t - at)` of the sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    /// In seconds, at `at`.
    pub(super) offset: f64,
    /// Time of the transcript, in seconds.
    pub(super) at: f64,
    /// Seconds a second.
    pub(super) slope: f64,
    /// Standard error of the slope; infinite where it was not fitted.
    pub(super) slope_error: f64,
    /// Edges that have a partner.
    pub(super) matched: usize,
}

impl Line {
    /// What is to be added to `t`.
    pub(super) fn shift(&self, t: f64) -> f64 {
        self.offset + self.slope * (t - self.at)
    }
}

/// When speech begins and ends, ascending, in seconds.
pub(super) struct Edges([Vec<f64>; 2]);

impl Edges {
    /// Where the probability of speech (one value per `step_secs`, told for the middle of each) passes one half.
    pub(super) fn new(speech: &[f32], step_secs: f64) -> Self {
        let mut edges = [Vec::new(), Vec::new()];
        for (i, pair) in speech.windows(2).enumerate() {
            let (a, b) = (f64::from(pair[0]), f64::from(pair[1]));
            if (a < 0.5) != (b < 0.5) {
                let t = (i as f64 + 0.5 + (0.5 - a) / (b - a)) * step_secs;
                edges[usize::from(a >= 0.5)].push(t);
            }
        }
        Edges(edges)
    }

    /// The nearest of the kind, less `t`.
    fn from(&self, kind: usize, t: f64) -> Option<f64> {
        let edges = &self.0[kind];
        let next = edges.partition_point(|e| *e < t);
        let near = [next.checked_sub(1), Some(next)].into_iter().flatten().filter_map(|i| edges.get(i));
        near.map(|e| e - t).min_by(|a, b| a.abs().total_cmp(&b.abs()))
    }

    /// The line near an offset that was found without a slope, through `cues` by their start.
    pub(super) fn line(&self, cues: &[Cue], offset: f64) -> Line {
        let whole = |cues: &[Cue]| Some((cues.first()?.0, cues.last()?.1));
        let (first, last) = whole(cues).unwrap_or_default();
        let at = f64::midpoint(first, last);
        let none = Line { offset, at, slope: 0.0, slope_error: f64::INFINITY, matched: 0 };
        let half = ((last - first) / 2.0).max(1.0);
        let steps = (STEEPEST * half / 0.05).floor() as i32;
        let slopes = (-steps..=steps).map(|k| f64::from(k) * 0.05 / half);
        let lines = slopes
            .flat_map(|slope| (-15..=15).map(move |k| Line { offset: offset + f64::from(k) * 0.02, slope, ..none }));
        let agree = |line: &Line| {
            let near =
                |kind, t: f64| self.from(kind, t + line.shift(t)).map_or(0.0, |d| (-(d / KERNEL_SECS).powi(2)).exp());
            cues.iter().map(|c| near(0, c.0) + near(1, c.1)).sum::<f64>()
        };
        // The first of equals is kept, and the one without a change comes to mind first.
        let mut best = (agree(&none), none);
        for line in lines {
            let score = agree(&line);
            if score > best.0 {
                best = (score, line);
            }
        }
        self.refined(cues, best.1)
    }

    /// The line that fits best near `line`, by least squares that leave out what does not belong.
    pub(super) fn refined(&self, cues: &[Cue], line: Line) -> Line {
        let mut line = line;
        // Captions come early or stay late: beginnings and ends each have a shift of their own, and the slope is theirs
        // together.
        let mut apart = [0.0, 0.0];
        for _ in 0..ROUNDS {
            crate::pulse::beat();
            let matched = self.matched(cues, &line, apart);
            let Some((next, kinds)) = fitted(&matched, line) else { break };
            let still = (next.offset - line.offset + next.slope * (line.at - next.at)).abs() < 1e-7
                && (next.slope - line.slope).abs() < 1e-10;
            (line, apart) = (next, kinds);
            if still {
                break;
            }
        }
        line
    }

    /// Kind, time, shift and weight of each edge that has a partner.
    fn matched(&self, cues: &[Cue], line: &Line, apart: [f64; 2]) -> Vec<(usize, f64, f64, f64)> {
        let ends = cues.iter().flat_map(|c| [(0, c.0), (1, c.1)]);
        let pairs = ends.filter_map(|(kind, t)| {
            let expected = line.shift(t) + apart[kind];
            let away = self.from(kind, t + expected)?;
            let far = away / REACH_SECS;
            (far.abs() < 1.0).then(|| (kind, t, expected + away, (1.0 - far * far).powi(2)))
        });
        pairs.collect()
    }
}

/// The line of matched edges, and how far each kind lies from it.
fn fitted(matched: &[(usize, f64, f64, f64)], before: Line) -> Option<(Line, [f64; 2])> {
    let of = |kind| matched.iter().filter(move |m| m.0 == kind);
    let means = [0, 1].map(|kind| {
        let weight: f64 = of(kind).map(|m| m.3).sum();
        let mean = |value: fn(&(usize, f64, f64, f64)) -> f64| of(kind).map(|m| m.3 * value(m)).sum::<f64>() / weight;
        (of(kind).count() >= 2 && weight > 0.0).then(|| (weight, mean(|m| m.1), mean(|m| m.2)))
    });
    let known: Vec<(f64, f64, f64)> = means.iter().flatten().copied().collect();
    let total: f64 = known.iter().map(|m| m.0).sum();
    if known.is_empty() {
        return None;
    }
    let at = known.iter().map(|m| m.0 * m.1).sum::<f64>() / total;
    let (mut across, mut along) = (0.0, 0.0);
    for &(kind, t, shift, weight) in matched {
        if let Some((_, mean_t, mean_shift)) = means[kind] {
            across += weight * (t - mean_t) * (shift - mean_shift);
            along += weight * (t - mean_t).powi(2);
        }
    }
    let enough = matched.len() >= LEAST_EDGES && along > 0.0;
    let slope = if enough { across / along } else { before.slope };
    let kinds = means.map(|m| m.map(|(_, t, shift)| shift + slope * (at - t)));
    let offset = kinds.iter().flatten().sum::<f64>() / known.len() as f64;
    let apart = kinds.map(|k| k.map_or(0.0, |k| k - offset));
    let rest = |m: &&(usize, f64, f64, f64)| means[m.0].is_some();
    let square = |m: &(usize, f64, f64, f64)| m.3 * (m.2 - offset - apart[m.0] - slope * (m.1 - at)).powi(2);
    let variance = matched.iter().filter(rest).map(square).sum::<f64>() / total;
    let free = matched.len() as f64 / (matched.len() as f64 - 3.0).max(1.0);
    let slope_error = if enough { (variance * free / along).sqrt() } else { f64::INFINITY };
    Some((Line { offset, at, slope, slope_error, matched: matched.len() }, apart))
}
