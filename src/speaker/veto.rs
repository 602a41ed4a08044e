//! A second opinion on speech turns: what voice activity does not hear and what is much quieter than the speech is no
//! turn.

use super::diarization::LEVEL_PIECE;
use super::vad::CHUNKS;
use super::{RATE_HZ, SpeakerConfig};
use crate::error::Result;
use crate::signal::Sound;
use crate::time::Segment;

/// Sum of squares and number of the samples of a segment.
fn power(audio: &impl Sound, segment: Segment) -> Result<(f64, usize)> {
    let end = segment.end().to_sample(RATE_HZ).min(audio.count());
    let (mut sum, mut count) = (0.0, 0);
    for start in (segment.start().to_sample(RATE_HZ)..end).step_by(LEVEL_PIECE) {
        let piece = audio.piece(start..end.min(start + LEVEL_PIECE))?;
        sum += piece.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>();
        count += piece.len();
    }
    Ok((sum, count))
}

/// Refuses turns that voice activity does not hear and that are much quieter than the recording's speech: hum, room
/// noise.
pub(super) struct Veto<'a, S> {
    audio: &'a S,
    probability: &'a [f32],
    least_probability: f64,
    /// Mean square.
    least_power: f64,
}

impl<'a, S: Sound> Veto<'a, S> {
    pub(super) fn new(
        audio: &'a S,
        speech: &[Segment],
        probability: &'a [f32],
        config: &SpeakerConfig,
    ) -> Result<Self> {
        let (mut sum_of_squares, mut samples) = (0.0, 0);
        for segment in speech {
            let (squares, count) = power(audio, *segment)?;
            sum_of_squares += squares;
            samples += count;
        }
        let power_of_speech = sum_of_squares / samples.max(1) as f64;
        let share_of_power = 10f64.powf(-0.1 * config.turns.veto_below_speech_db);
        Ok(Veto {
            audio,
            probability,
            least_probability: config.turns.veto_probability,
            least_power: power_of_speech * share_of_power,
        })
    }

    /// The turns of each speaker that are not refused.
    pub(super) fn keep(&self, turns: Vec<Vec<Segment>>) -> Result<Vec<Vec<Segment>>> {
        let kept = |segment: Segment| Ok((!self.applies(segment)?).then_some(segment));
        turns.into_iter().map(|segments| segments.into_iter().filter_map(|s| kept(s).transpose()).collect()).collect()
    }

    fn applies(&self, segment: Segment) -> Result<bool> {
        let chunk = |secs: f64| ((secs / CHUNKS.hop_secs()) as usize).min(self.probability.len());
        let first = chunk(segment.start().get());
        let past_last = (chunk(segment.end().get()) + 1).min(self.probability.len());
        let heard = &self.probability[first.min(past_last)..past_last];
        if heard.iter().any(|p| f64::from(*p) >= self.least_probability) {
            return Ok(false);
        }
        let (sum_of_squares, samples) = power(self.audio, segment)?;
        Ok(sum_of_squares / (samples.max(1) as f64) < self.least_power)
    }
}
