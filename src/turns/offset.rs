//! How a transcript's clock runs against the sound's: a shift and a drift, measured by laying the cues over the voice
//! activity, and none where they do not fit better than cues of other talks would.

use serde::{Deserialize, Serialize};

use super::TurnsConfig;
use crate::annotation::Turn;
use crate::random::Random;
use crate::table::Missing;
use correlate::{Curve, Peak};
use edges::{Edges, Line};
use pattern::{Cue, POOL, Pattern, pooled, surrogate};

mod correlate;
mod edges;
mod pattern;

/// Shorter recordings have too few pauses to tell by.
const LEAST_SECS: f64 = 10.0;

/// So much speech there must be.
const LEAST_SPEECH_SECS: f64 = 2.0;

/// At least so much, and half of the shorter of both, must be shared by recording and cues.
const LEAST_SHARED_SECS: f64 = 8.0;

/// Cues that are laid over the sound at once: longer transcripts go piece by piece, as a drift of a thousandth would
/// blur more.
const PIECE_SECS: f64 = 600.0;

/// A fit in which fewer beginnings and ends of cues meet any of speech is none.
const LEAST_MATCHED: usize = 4;

/// Small shifts are looked for by themselves: fewer of them could fit by chance.
const RANGES_SECS: [f64; 4] = [2.0, 20.0, 200.0, f64::INFINITY];

/// When a shift of the transcript is believed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OffsetConfig {
    /// The fit is believed from this confidence on (1 less the chance that cues of another talk fit as well), 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_confidence: f64,
    /// Cues in another order that tell how well another talk would fit.
    #[schemars(range(min = 20, max = 10_000))]
    pub surrogates: usize,
    /// Seed of these orders.
    pub seed: u64,
    /// Smaller shifts are within what cue times are loose by: they are told, and neither warned of nor applied.
    #[schemars(range(min = 0.0))]
    pub min_secs: f64,
    /// A drift is believed from so many of its standard errors on.
    #[schemars(range(min = 0.0))]
    pub drift_errors: f64,
}

impl Default for OffsetConfig {
    fn default() -> Self {
        OffsetConfig { min_confidence: 0.99, surrogates: 99, seed: 1, min_secs: 0.3, drift_errors: 3.0 }
    }
}

/// How to come from the transcript's clock to the sound's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TranscriptOffset {
    /// Add this to the transcript's times about `at_secs` to match the audio best, in seconds.
    pub offset_secs: f64,
    /// A time of the transcript, the middle of what was matched, in seconds.
    pub at_secs: f64,
    /// What is to be added more for each second after `at_secs`, in millionths; `None` where too little was matched.
    pub drift_ppm: Option<f64>,
    /// Standard error of the drift.
    pub drift_error_ppm: Option<f64>,
    /// Pearson correlation of cues and voice activity there, -1 to 1.
    pub correlation: f64,
    /// 1 less the chance that cues of another talk fit as well, 0 to 1.
    pub confidence: f64,
    /// True where a cue is shifted by at least [`OffsetConfig::min_secs`].
    pub is_telling: bool,
    /// The drift that is believed, in millionths; 0 where none is.
    pub applied_drift_ppm: f64,
}

impl TranscriptOffset {
    /// A time of the transcript on the sound's clock, in seconds; may be below 0.
    pub fn on_sound(&self, secs: f64) -> f64 {
        secs + self.offset_secs + self.applied_drift_ppm * 1e-6 * (secs - self.at_secs)
    }
}

/// Why there is no offset, and the confidence of what came nearest, where anything did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoOffset {
    /// `not_requested`, `no_stream`, `too_short`, `no_speech`, `no_fit`.
    pub missing: Missing,
    /// Below [`OffsetConfig::min_confidence`].
    pub confidence: Option<f64>,
}

/// Lays the cues of `turns` over the voice activity (`speech` per `step_secs`, 0 to 1).
///
/// # Errors
/// [`NoOffset`] where nobody speaks, there is too little, or the cues fit no better than others.
pub fn transcript_offset(
    turns: &[Turn],
    speech: &[f32],
    step_secs: f64,
    config: &TurnsConfig,
) -> Result<TranscriptOffset, NoOffset> {
    let no = |missing| NoOffset { missing, confidence: None };
    if config.max_transcript_offset_secs <= 0.0 {
        return Err(no(Missing::NotRequested));
    }
    if speech.is_empty() {
        return Err(no(Missing::NoStream));
    }
    let media_secs = speech.len() as f64 * step_secs;
    let cues = cues(turns);
    if media_secs < LEAST_SECS || cues.len() < 3 {
        return Err(no(Missing::TooShort));
    }
    if (speech.iter().filter(|p| **p >= 0.5).count() as f64) * step_secs < LEAST_SPEECH_SECS {
        return Err(no(Missing::NoSpeech));
    }
    let found = coarse(&cues, speech, step_secs, config).ok_or_else(|| no(Missing::NoFit))?;
    if found.confidence < config.transcript_fit.min_confidence {
        return Err(NoOffset { missing: Missing::NoFit, confidence: Some(found.confidence) });
    }
    let line = fine(&cues, &found, &Edges::new(speech, step_secs));
    if line.matched < LEAST_MATCHED {
        return Err(NoOffset { missing: Missing::NoFit, confidence: Some(found.confidence) });
    }
    Ok(told(&cues, line, &found, &config.transcript_fit))
}

/// Start and end of each, by start, those without length left out.
fn cues(turns: &[Turn]) -> Vec<Cue> {
    let mut cues: Vec<Cue> = turns.iter().map(|t| (t.segment.start().get(), t.segment.end().get())).collect();
    cues.retain(|c| c.1 > c.0);
    cues.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    cues
}

/// Where one piece of the transcript fits.
struct Found<'a> {
    piece: &'a [Cue],
    offset: f64,
    correlation: f64,
    confidence: f64,
}

/// Cues that begin within [`PIECE_SECS`] of each other.
fn pieces(cues: &[Cue]) -> Vec<&[Cue]> {
    let (Some(first), Some(last)) = (cues.first(), cues.last()) else { return Vec::new() };
    let span = last.0 - first.0;
    let count = (span / PIECE_SECS).round().max(1.0);
    let place = |c: &Cue| ((c.0 - first.0) / span.max(1e-9) * count).floor().min(count - 1.0);
    let parts: Vec<&[Cue]> = cues.chunk_by(|a, b| place(a).total_cmp(&place(b)).is_eq()).collect();
    parts.into_iter().filter(|p| p.len() >= 3).collect()
}

/// The offset at which a piece of the transcript fits least by chance.
fn coarse<'a>(cues: &'a [Cue], speech: &[f32], step_secs: f64, config: &TurnsConfig) -> Option<Found<'a>> {
    let step = step_secs * POOL as f64;
    let values = pooled(speech);
    let pieces = pieces(cues);
    let longest = pieces.iter().map(|p| Pattern::new(p, step).values.len()).max()?;
    // A surrogate lasts as long as its cues, and a step more where it is rounded otherwise.
    let mut curve = Curve::new(&values, longest + 2);
    let mut lay = |cues: &[Cue]| {
        crate::pulse::beat();
        let pattern = Pattern::new(cues, step);
        let shorter = (pattern.values.len().min(values.len()) as f64 * step / 2.0).max(LEAST_SHARED_SECS);
        let lag = |secs: f64| ((secs + pattern.start_secs) / step) as isize;
        let most = config.max_transcript_offset_secs;
        let ranges = RANGES_SECS.map(|r| (lag(-r.min(most)), lag(r.min(most))));
        let peaks = curve.best(&pattern.values, (shorter / step) as usize, &ranges);
        (peaks, pattern.start_secs)
    };
    let tries = (pieces.len() * RANGES_SECS.len()) as f64;
    let laid: Vec<(&[Cue], Vec<Peak>, f64)> = pieces
        .into_iter()
        .map(|piece| {
            let (peaks, start) = lay(piece);
            (piece, peaks, start)
        })
        .collect();
    // The piece that fits best stands for the transcript; that it was chosen counts as so many tries.
    let strength = |peaks: &[Peak]| peaks.iter().map(|p| p.score).fold(0.0, f64::max);
    let (piece, peaks, start) = laid.into_iter().reduce(|a, b| if strength(&b.1) > strength(&a.1) { b } else { a })?;
    let mut random = Random::new(config.transcript_fit.seed, "transcript_offset");
    let others: Vec<Vec<Peak>> =
        (0..config.transcript_fit.surrogates).map(|_| lay(&surrogate(piece, &mut random)).0).collect();
    let by_chance = peaks.iter().enumerate().filter(|(_, p)| p.score > 0.0).map(|(i, peak)| {
        let scores: Vec<f64> = others.iter().map(|o| o[i].score * step.sqrt()).collect();
        (peak, (tries * chance(peak.score * step.sqrt(), &scores)).min(1.0))
    });
    let (peak, p) = by_chance.reduce(|a, b| if b.1 < a.1 { b } else { a })?;
    Some(Found { piece, offset: peak.lag as f64 * step - start, correlation: peak.correlation, confidence: 1.0 - p })
}

/// The chance of a best score as high as `score` among those of `others`: of a Gumbel distribution with their mean and
/// deviation, as best scores of many places have.
fn chance(score: f64, others: &[f64]) -> f64 {
    /// Scores of few cues in few orders are much alike, and would make anything telling.
    const LEAST_DEVIATION: f64 = 0.15;
    let n = others.len().max(1) as f64;
    let mean = others.iter().sum::<f64>() / n;
    let deviation = (others.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt().max(LEAST_DEVIATION);
    let scale = deviation * 6.0_f64.sqrt() / std::f64::consts::PI;
    let mode = mean - 0.577_215_664_901_532_9 * scale;
    -(-(-(score - mode) / scale).exp()).exp_m1()
}

/// The line through the edges of the piece, then of twice as much around it, until all of the transcript is in it.
fn fine(cues: &[Cue], found: &Found<'_>, edges: &Edges) -> Line {
    let mut line = edges.line(found.piece, found.offset);
    let (first, last) = (found.piece[0].0, found.piece[found.piece.len() - 1].0);
    let middle = f64::midpoint(first, last);
    let mut reach = (last - first) / 2.0;
    loop {
        let inside = |c: &&Cue| (c.0 - middle).abs() <= reach + 1e-9;
        let near: Vec<Cue> = cues.iter().filter(inside).copied().collect();
        line = edges.refined(&near, line);
        if near.len() == cues.len() || reach <= 0.0 {
            return line;
        }
        reach *= 2.0;
    }
}

fn told(cues: &[Cue], line: Line, found: &Found<'_>, config: &OffsetConfig) -> TranscriptOffset {
    let is_known = line.slope_error.is_finite();
    let is_believed = is_known && line.slope.abs() >= config.drift_errors * line.slope_error;
    let mut told = TranscriptOffset {
        offset_secs: line.offset,
        at_secs: line.at,
        drift_ppm: is_known.then_some(line.slope * 1e6),
        drift_error_ppm: is_known.then_some(line.slope_error * 1e6),
        correlation: found.correlation,
        confidence: found.confidence,
        is_telling: false,
        applied_drift_ppm: if is_believed { line.slope * 1e6 } else { 0.0 },
    };
    let ends = [cues.first().map(|c| c.0), cues.last().map(|c| c.1)];
    told.is_telling = ends.into_iter().flatten().any(|t| (told.on_sound(t) - t).abs() >= config.min_secs);
    told
}

#[cfg(test)]
mod tests;
