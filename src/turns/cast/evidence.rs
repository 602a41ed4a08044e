//! What speaks for a mouth being the one that talks: how much its opening varies, against the same mouth at rest, and how
//! its opening goes with the sound.

use crate::annotation::Annotation;
use crate::audio::{Acoustics, GRID};
use crate::error::Result;
use crate::face::Observation;
use crate::statistics::pearson;
use crate::time::{Seconds, Segment};
use crate::turns::TurnsConfig;

/// The opening's standard deviation is taken over a window of this half width around each observation, seconds: a syllable
/// or two either way, so that it hardly depends on the pictures looked at a second.
const HALF_WINDOW_SECS: f64 = 0.5;
/// Fewest observations of a window.
const LEAST_IN_WINDOW: usize = 3;
/// Natural logarithm of the window's standard deviation, in distances of the outer eye corners: median and standard
/// deviation of talking and of resting mouths, from the two-person clips of the development set (medians of 0.045 to 0.08
/// and of 0.005 to 0.015). Wider motion than that of talking tells no more.
const TALKING: (f64, f64) = (-3.0, 0.55);
const RESTING: (f64, f64) = (-4.4, 0.7);
/// No mouth is held stiller than the landmarks' own trembling.
const STILLEST: f64 = -4.9;
/// Values between the stillest and the talking mouth that are told apart, and the width over which those seen at rest are
/// spread.
const BINS: usize = 20;
const OWN_SPREAD: f64 = 0.4;
/// A density that either has anywhere, so that no single window is certain.
const FLOOR: f64 = 0.05;
/// Windows this far apart are independent, and one of them says at most so much (natural logarithm of a likelihood ratio).
const INDEPENDENT_SECS: f64 = 0.5;
const MOST_OF_WINDOW: f64 = 2.0;
/// What is known of resting mouths counts as this many independent windows of one's own.
const PRIOR_WINDOWS: f64 = 6.0;
/// A mouth rests when no voice is heard within this time.
const AWAY_SECS: f64 = 0.3;

/// How far the voice may be ahead of (negative: behind) the mouth.
const LAGS_SECS: [f64; 5] = [-0.2, -0.1, 0.0, 0.1, 0.2];
/// Neighbouring observations are not independent: so many count as one.
const PER_SAMPLE: f64 = 2.0;
/// Fisher's z of the best lag in standard errors: its mean for a mouth that does not talk, the correlation that one that
/// does adds, and its standard deviation; what it says at most.
const CHANCE_Z: f64 = 0.8;
const ADDED_CORRELATION: f64 = 0.25;
const Z_VARIANCE: f64 = 2.25;
const MOST_OF_SYNCHRONY: f64 = 4.0;

/// Landmarks tremble by about as many pixels in a face of any size: below this size, in px, what a mouth says counts with
/// the square of the size. From `debate_cuts`, where faces of 20 px told the wrong person.
const CLEAR_PX: f64 = 40.0;

/// Level below which there is no speech, in dB re full scale, and half the width in frames over which level and voicing
/// are averaged.
const FLOOR_DB: f64 = -60.0;
const HALF_WIDTH: usize = 7;

/// A mouth at one time.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Seconds,
    opening: f64,
    track: u32,
    /// How much it counts, 0 to 1, by the face's size.
    weight: f64,
}

/// A person's mouth over the whole video.
#[derive(Clone, Debug, Default)]
pub(super) struct Mouth {
    samples: Vec<Sample>,
    /// Time, logarithm of the standard deviation around it, and the seconds it stands for.
    windows: Vec<(Seconds, f64, f64)>,
    /// What a window of each bin of its logarithm says.
    said: Vec<f64>,
}

impl Mouth {
    /// From observations in order of time; those that are too small or doubtful do not count.
    ///
    /// # Errors
    /// The first of the observations'.
    pub fn of(
        observations: impl Iterator<Item = Result<Observation>>,
        annotation: &Annotation,
        config: &TurnsConfig,
    ) -> Result<Self> {
        let counts = |o: &Observation| {
            f64::from(o.bounds.size()) >= config.min_face_size_px && f64::from(o.presence) >= config.min_presence
        };
        let sample = |o: Observation| {
            let weight = (f64::from(o.bounds.size()) / CLEAR_PX).min(1.0).powi(2);
            Some(Sample { at: o.pts, opening: f64::from(o.mouth_opening?), track: o.track, weight })
        };
        let counted = observations.map(|o| Ok(Some(o?).filter(counts).and_then(sample)));
        let samples: Vec<Sample> = counted.filter_map(Result::transpose).collect::<Result<_>>()?;
        let windows = windows(&samples);
        let said = said(&windows, annotation);
        Ok(Mouth { samples, windows, said })
    }

    /// Logarithm of how much likelier what is seen of the mouth in a segment is when it talks than when it does not; `None`
    /// where it is not measured.
    pub fn talks(&self, segment: Segment, drive: Drive<'_>) -> Option<f64> {
        let inside = segment.part_of(&self.windows, |w| w.0.get());
        if inside.is_empty() {
            return None;
        }
        let activity: f64 = inside.iter().map(|w| self.said[bin(w.1)] * w.2 / INDEPENDENT_SECS).sum();
        let samples = segment.part_of(&self.samples, |s| s.at.get());
        let weight = samples.iter().map(|s| s.weight).sum::<f64>() / samples.len().max(1) as f64;
        Some(weight * (activity + synchrony(samples, drive)))
    }
}

/// What the correlation of opening, and of its speed, with the sound's level says.
fn synchrony(inside: &[Sample], drive: Drive<'_>) -> f64 {
    let steps = || {
        let pairs = inside.iter().zip(inside.iter().skip(1));
        pairs.filter(|(a, b)| a.track == b.track && (b.at - a.at).get() > 1e-3)
    };
    let openings: Vec<(f64, f64)> = steps().map(|(a, b)| (middle(a, b), 0.5 * (a.opening + b.opening))).collect();
    let speeds: Vec<(f64, f64)> =
        steps().map(|(a, b)| (middle(a, b), (b.opening - a.opening).abs() / (b.at - a.at).get())).collect();
    let n = openings.len() as f64 / PER_SAMPLE - 3.0;
    let (Some(a), Some(b)) = (correlation(&openings, drive, n), correlation(&speeds, drive, n)) else { return 0.0 };
    let z = (a + b) / std::f64::consts::SQRT_2;
    let talking = CHANCE_Z + ADDED_CORRELATION * n.sqrt();
    let said = (talking - CHANCE_Z) * (z - 0.5 * (talking + CHANCE_Z)) / Z_VARIANCE;
    said.clamp(-MOST_OF_SYNCHRONY, MOST_OF_SYNCHRONY)
}

fn middle(a: &Sample, b: &Sample) -> f64 {
    0.5 * (a.at.get() + b.at.get())
}

fn windows(samples: &[Sample]) -> Vec<(Seconds, f64, f64)> {
    let mut windows = Vec::with_capacity(samples.len());
    let (mut first, mut last) = (0, 0);
    for (i, s) in samples.iter().enumerate() {
        crate::pulse::beat();
        let near = |o: &Sample| (o.at - s.at).get().abs() <= HALF_WINDOW_SECS;
        while !near(&samples[first]) {
            first += 1;
        }
        while last < samples.len() && (samples[last].at - s.at).get() <= HALF_WINDOW_SECS {
            last += 1;
        }
        let own: Vec<f64> = samples[first..last].iter().filter(|o| o.track == s.track).map(|o| o.opening).collect();
        if own.len() < LEAST_IN_WINDOW {
            continue;
        }
        let n = own.len() as f64;
        let mean = own.iter().sum::<f64>() / n;
        let variance = own.iter().map(|o| (o - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let until = samples.get(i + 1).map_or(0.1, |next| (next.at - s.at).get());
        windows.push((s.at, (0.5 * variance.max(1e-12).ln()).max(STILLEST), until.clamp(0.0, INDEPENDENT_SECS)));
    }
    windows
}

fn bin(log_sd: f64) -> usize {
    let share = (log_sd.clamp(STILLEST, TALKING.0) - STILLEST) / (TALKING.0 - STILLEST);
    (share * (BINS - 1) as f64).round() as usize
}

/// For each bin the logarithm of how much likelier it is of a talking mouth than of this one at rest, which is drawn
/// towards that of all people: who chews or laughs while nobody speaks tells nothing by moving so.
fn said(windows: &[(Seconds, f64, f64)], annotation: &Annotation) -> Vec<f64> {
    let mut own = [0.0; BINS];
    let turns = annotation.turns();
    let longest = turns.iter().map(|t| t.segment.duration()).fold(0.0, f64::max);
    let mut first = 0;
    for (at, log_sd, secs) in windows {
        let at = at.get();
        while turns.get(first).is_some_and(|t| t.segment.start().get() + longest + AWAY_SECS < at) {
            first += 1;
        }
        let mut near = turns[first..].iter().take_while(|t| t.segment.start().get() <= at + AWAY_SECS);
        if near.all(|t| t.segment.end().get() + AWAY_SECS < at) {
            own[bin(*log_sd)] += secs / INDEPENDENT_SECS;
        }
    }
    let place = |b: usize| STILLEST + b as f64 * (TALKING.0 - STILLEST) / (BINS - 1) as f64;
    let normal = |x: f64, (mean, deviation): (f64, f64)| (-0.5 * ((x - mean) / deviation).powi(2)).exp() / deviation;
    let total = PRIOR_WINDOWS + own.iter().sum::<f64>();
    let of_bin = |b: usize| {
        let spread: f64 = (0..BINS).map(|k| own[k] * normal(place(b), (place(k), OWN_SPREAD))).sum();
        let resting = (PRIOR_WINDOWS * normal(place(b), RESTING) + spread) / total;
        let ratio = (normal(place(b), TALKING) + FLOOR) / (resting + FLOOR);
        ratio.ln().clamp(-MOST_OF_WINDOW, MOST_OF_WINDOW)
    };
    (0..BINS).map(of_bin).collect()
}

/// Fisher's z at the best lag, in standard errors of `n` independent samples.
fn correlation(values: &[(f64, f64)], drive: Drive<'_>, n: f64) -> Option<f64> {
    if n <= 1.0 {
        return None;
    }
    let voice_at = |t: f64| -> Option<f64> {
        let frame = ((t - GRID.centre(0).get()) / GRID.hop_secs()).round();
        if frame < 0.0 { None } else { drive.at(frame as usize) }
    };
    let at = |lag: f64| {
        let pairs: Vec<(f64, f64)> = values.iter().filter_map(|&(t, v)| Some((v, voice_at(t + lag)?))).collect();
        pearson(&pairs).map(|r| r.clamp(-0.99, 0.99).atanh() * n.sqrt())
    };
    LAGS_SECS.iter().filter_map(|&lag| at(lag)).reduce(f64::max)
}

/// Level above the floor, voiced frames counting twice, averaged over 150 ms. Asked for where a mouth is seen, and not
/// held for hours of sound.
#[derive(Clone, Copy)]
pub(super) struct Drive<'a>(pub &'a Acoustics);

impl Drive<'_> {
    /// At a frame of the voice grid; `None` past the sound's end.
    fn at(self, frame: usize) -> Option<f64> {
        let frames = self.0.level_db.len().min(self.0.voiced.len());
        let near = frame.saturating_sub(HALF_WIDTH)..(frame + HALF_WIDTH + 1).min(frames);
        let above = |i: usize| {
            let level = self.0.level_db[i];
            let above = if level.is_nan() { 0.0 } else { (f64::from(level) - FLOOR_DB).max(0.0) };
            if self.0.voiced[i] { above } else { 0.5 * above }
        };
        let count = near.len().max(1) as f64;
        (frame < frames).then(|| near.map(above).sum::<f64>() / count)
    }
}
