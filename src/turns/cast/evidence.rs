//! What speaks for a mouth being the one that talks: how much its opening varies, against the same mouth at rest, and how
//! its opening goes with the sound.

use crate::annotation::Annotation;
use crate::audio::{Acoustics, GRID};
use crate::face::Observation;
use crate::statistics::pearson;
use crate::time::{Seconds, Segment};
use crate::turns::TurnsConfig;

/// The opening's standard deviation is taken over a window of this half width around each observation, seconds: a syllable
/// or two either way, so that it hardly depends on the pictures looked at a second.
const HALF_WINDOW_SECS: f64 = 0.5;
/// Fewest observations of a window.
const LEAST_IN_WINDOW: usize = 3;
/// Natural logarithm of the window's standard deviation, in distances of the outer eye corners: medians of talking and of
/// resting mouths over the two-person clips of the development set (0.045 to 0.08 and 0.005 to 0.015), and what one mouth
/// differs by from another.
const TALKING: f64 = -3.0;
const RESTING: f64 = -4.4;
const SPREAD: f64 = 0.7;
/// No mouth is held stiller than the landmarks' own trembling.
const STILLEST: f64 = -4.9;
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
}

/// A person's mouth over the whole video.
#[derive(Clone, Debug, Default)]
pub(super) struct Mouth {
    samples: Vec<Sample>,
    /// Time, logarithm of the standard deviation around it, and the seconds it stands for.
    windows: Vec<(Seconds, f64, f64)>,
    /// Mean of the logarithms while nobody speaks, drawn towards that of all people.
    resting: f64,
}

impl Mouth {
    /// From observations in order of time; those that are too small or doubtful do not count.
    pub fn of<'a>(
        observations: impl Iterator<Item = &'a Observation>,
        annotation: &Annotation,
        config: &TurnsConfig,
    ) -> Self {
        let counts = |o: &&Observation| {
            f64::from(o.bounds.size()) >= config.min_face_size_px && f64::from(o.presence) >= config.min_presence
        };
        let samples: Vec<Sample> = observations
            .filter(counts)
            .filter_map(|o| Some(Sample { at: o.pts, opening: f64::from(o.mouth_opening?), track: o.track }))
            .collect();
        let windows = windows(&samples);
        let resting = resting(&windows, annotation);
        Mouth { samples, windows, resting }
    }

    /// Logarithm of how much likelier what is seen of the mouth in a segment is when it talks than when it does not; `None`
    /// where it is not measured.
    pub fn talks(&self, segment: Segment, drive: &[f64]) -> Option<f64> {
        let (first, last) = bounds(&self.windows, segment, |w| w.0);
        let inside = &self.windows[first..last];
        if inside.is_empty() {
            return None;
        }
        // A mouth that moves as much while nobody speaks tells nothing by moving.
        let slope = ((TALKING - self.resting) / SPREAD.powi(2)).max(0.0);
        let between = 0.5 * (TALKING + self.resting);
        let said = |w: &(Seconds, f64, f64)| (slope * (w.1 - between)).clamp(-MOST_OF_WINDOW, MOST_OF_WINDOW);
        let activity: f64 = inside.iter().map(|w| said(w) * w.2 / INDEPENDENT_SECS).sum();
        Some(activity + self.synchrony(segment, drive))
    }

    /// What the correlation of opening, and of its speed, with the sound's level says.
    fn synchrony(&self, segment: Segment, drive: &[f64]) -> f64 {
        let (first, last) = bounds(&self.samples, segment, |s| s.at);
        let inside = &self.samples[first..last];
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
}

fn middle(a: &Sample, b: &Sample) -> f64 {
    0.5 * (a.at.get() + b.at.get())
}

/// The part of a list in order of time that lies in a segment.
fn bounds<T>(all: &[T], segment: Segment, at: impl Fn(&T) -> Seconds) -> (usize, usize) {
    let first = all.partition_point(|x| at(x) < segment.start());
    (first, first + all[first..].partition_point(|x| at(x) < segment.end()))
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

fn resting(windows: &[(Seconds, f64, f64)], annotation: &Annotation) -> f64 {
    let (mut sum, mut weight) = (PRIOR_WINDOWS * RESTING, PRIOR_WINDOWS);
    let turns = annotation.turns();
    let longest = turns.iter().map(|t| t.segment.duration()).fold(0.0, f64::max);
    let mut first = 0;
    for (at, log_sd, secs) in windows {
        let at = at.get();
        while turns.get(first).is_some_and(|t| t.segment.start().get() + longest + AWAY_SECS < at) {
            first += 1;
        }
        let near = turns[first..].iter().take_while(|t| t.segment.start().get() <= at + AWAY_SECS);
        if near.into_iter().all(|t| t.segment.end().get() + AWAY_SECS < at) {
            let w = secs / INDEPENDENT_SECS;
            (sum, weight) = (sum + w * log_sd, weight + w);
        }
    }
    sum / weight
}

/// Fisher's z at the best lag, in standard errors of `n` independent samples.
fn correlation(values: &[(f64, f64)], drive: &[f64], n: f64) -> Option<f64> {
    if n <= 1.0 {
        return None;
    }
    let voice_at = |t: f64| -> Option<f64> {
        let frame = ((t - GRID.centre(0).get()) / GRID.hop_secs()).round();
        if frame < 0.0 { None } else { drive.get(frame as usize).copied() }
    };
    let at = |lag: f64| {
        let pairs: Vec<(f64, f64)> = values.iter().filter_map(|&(t, v)| Some((v, voice_at(t + lag)?))).collect();
        pearson(&pairs).map(|r| r.clamp(-0.99, 0.99).atanh() * n.sqrt())
    };
    LAGS_SECS.iter().filter_map(|&lag| at(lag)).reduce(f64::max)
}

/// Level above the floor, voiced frames counting twice, averaged over 150 ms; one value a frame of the voice grid.
pub(super) fn drive(acoustics: &Acoustics) -> Vec<f64> {
    let raw: Vec<f64> = acoustics
        .level_db
        .iter()
        .zip(&acoustics.voiced)
        .map(|(&level, &voiced)| {
            let above = if level.is_nan() { 0.0 } else { (f64::from(level) - FLOOR_DB).max(0.0) };
            if voiced { above } else { 0.5 * above }
        })
        .collect();
    let mean = |i: usize| {
        let near = &raw[i.saturating_sub(HALF_WIDTH)..(i + HALF_WIDTH + 1).min(raw.len())];
        near.iter().sum::<f64>() / near.len().max(1) as f64
    };
    (0..raw.len()).map(mean).collect()
}
