//! Laughter by its sound: bursts of one vowel at an even pace.
//!
//! A laugh is a row of like calls, most of them voiced, three to twenty a second with nearly equal steps between them
//! (Bickley and Hunnicutt 1992, "Acoustic analysis of laughter"; Bachorowski, Smoski and Owren 2001, "The acoustic
//! features of human laughter"); syllables of speech follow each other as quickly, but neither evenly nor alike. So
//! what is measured is how like the spectrum is to itself one burst later, against half a burst later (`rhythm`); a
//! small network that learned what of 0.7 s is laughter makes a probability of it, every 50 ms (`network`), and two
//! thresholds make events, as Gillick et al. 2021 ("Robust laughter detection in noisy environments") and Truong and
//! van Leeuwen 2007 do with models of their own.
//!
//! It hears rows of bursts, in pauses and not far beneath speech. Single snorts, breathy laughs without bursts and
//! words said laughing it does not hear: see `network` for what was measured. Off unless asked for.

mod bands;
mod network;
mod rhythm;

use bands::{Bank, HOP};

use crate::error::Result;
use crate::signal::Sound;
use crate::time::Segment;

/// When laughter is heard in the sound.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LaughterConfig {
    /// Look for laughter in the sound. Off by default: of laughs of voices it has not learned from it finds about
    /// half, and it hears some in speech that has none.
    pub enabled: bool,
    /// A laugh begins where its probability reaches this, 0 to 1.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub onset_probability: f64,
    /// … and reaches to both sides as far as the probability stays at least this, 0 to 1.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub release_probability: f64,
    /// Laughs closer than this are one, in seconds: a breath between two bouts.
    #[schemars(range(min = 0.0))]
    pub join_secs: f64,
    /// Shorter ones are none, in seconds: two bursts and the step between them take about so long.
    #[schemars(range(min = 0.0))]
    pub min_secs: f64,
}

impl Default for LaughterConfig {
    fn default() -> Self {
        LaughterConfig {
            enabled: false,
            onset_probability: 0.7,
            release_probability: 0.2,
            join_secs: 0.3,
            min_secs: 0.4,
        }
    }
}

/// One laugh, or what sounds like one.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Laugh {
    /// Seconds from the recording's start.
    pub start_secs: f64,
    /// Likewise.
    pub end_secs: f64,
    /// Mean probability over it, 0 to 1.
    pub probability: f64,
}

impl Laugh {
    /// From onset to end.
    pub fn segment(&self) -> Option<Segment> {
        Segment::from_secs(self.start_secs, self.end_secs)
    }
}

/// Frames from one probability to the next.
const STEP: usize = 5;

/// The same in seconds.
const STEP_SECS: f64 = (STEP * HOP) as f64 / super::SAMPLE_RATE_HZ as f64;

/// Probabilities that are averaged.
const SMOOTHED: usize = 7;

/// Frames looked at together: a minute. Each band's floor is theirs.
const BLOCK: usize = 6000;

/// What sounds like laughter in a recording, in order of time; nothing where `config` does not ask for it. Memory is a
/// minute of bands.
///
/// # Errors
/// [`crate::error::Error::Shape`] when the audio is not at [`super::SAMPLE_RATE_HZ`], and what [`Sound::piece`] says.
pub fn laughs(sound: &impl Sound, config: &LaughterConfig) -> Result<Vec<Laugh>> {
    if !config.enabled {
        return Ok(Vec::new());
    }
    super::check_rate(sound)?;
    Ok(events(&smoothed(&probabilities(sound)?), config))
}

/// Every [`STEP_SECS`].
fn probabilities(sound: &impl Sound) -> Result<Vec<f64>> {
    let mut bank = Bank::new();
    let count = sound.count() / HOP;
    let mut out = Vec::with_capacity(count.div_ceil(STEP));
    for first in (0..count).step_by(BLOCK) {
        let from = first.saturating_sub(rhythm::WINDOW);
        let end = (first + BLOCK).min(count);
        let banded = bank.banded(sound, from, (end + rhythm::WINDOW).min(count))?;
        let places = (first..end).step_by(STEP);
        out.extend(places.map(|frame| network::probability(&rhythm::measures(&banded, frame - from))));
    }
    Ok(out)
}

/// Means over [`SMOOTHED`] values, fewer at both ends.
fn smoothed(values: &[f64]) -> Vec<f64> {
    let near = |i: usize| &values[i.saturating_sub(SMOOTHED / 2)..(i + SMOOTHED / 2 + 1).min(values.len())];
    (0..values.len()).map(|i| near(i).iter().sum::<f64>() / near(i).len() as f64).collect()
}

/// Stretches that reach the onset's threshold, as far as they stay above the release's.
fn events(probability: &[f64], config: &LaughterConfig) -> Vec<Laugh> {
    let release = config.release_probability.min(config.onset_probability);
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for above in probability.chunk_by(|a, b| (*a >= release) == (*b >= release)).scan(0, |at, part| {
        *at += part.len();
        Some((*at - part.len(), part))
    }) {
        let (first, part) = above;
        if part.iter().all(|p| *p < config.onset_probability) {
            continue;
        }
        match spans.last_mut() {
            Some((_, end)) if (first - *end) as f64 * STEP_SECS <= config.join_secs => *end = first + part.len(),
            _ => spans.push((first, first + part.len())),
        }
    }
    let laugh = |(first, end): (usize, usize)| Laugh {
        start_secs: ((first as f64 - 0.5) * STEP_SECS).max(0.0),
        end_secs: (end as f64 - 0.5) * STEP_SECS,
        probability: probability[first..end].iter().sum::<f64>() / (end - first) as f64,
    };
    spans.into_iter().map(laugh).filter(|l| l.end_secs - l.start_secs >= config.min_secs).collect()
}

#[cfg(test)]
mod tests;
