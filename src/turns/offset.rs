//! A constant offset between transcript and audio, measured by sliding the cues over the voice activity.

use crate::annotation::Turn;

/// What the slide found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TranscriptOffset {
    /// Add this to the transcript's times to match the audio best, in seconds.
    pub offset_secs: f64,
    /// Correlation of cues and voice activity at that offset, -1 to 1.
    pub correlation: f64,
    /// Correlation without a shift.
    pub correlation_at_zero: f64,
}

impl TranscriptOffset {
    /// True when the shift is larger than cue times usually are loose, and clearly better than none.
    pub fn is_telling(&self) -> bool {
        self.offset_secs.abs() >= 0.3 && self.correlation >= 0.3 && self.correlation > self.correlation_at_zero + 0.05
    }
}

/// Pearson correlation between the cues (1 inside a turn, 0 outside) and the voice activity (`speech` per `step_secs`),
/// for shifts of whole steps up to `max_secs` either way. `None` when either never changes, or there is less than 10 s.
pub fn transcript_offset(turns: &[Turn], speech: &[f32], step_secs: f64, max_secs: f64) -> Option<TranscriptOffset> {
    if max_secs <= 0.0 || speech.len() as f64 * step_secs < 10.0 {
        return None;
    }
    let n = speech.len();
    let mut cue = vec![0f64; n];
    for t in turns {
        let a = (t.segment.start().get() / step_secs).round().max(0.0) as usize;
        let b = (t.segment.end().get() / step_secs).round().max(0.0) as usize;
        cue[a.min(n)..b.clamp(a.min(n), n)].fill(1.0);
    }
    let voice: Vec<f64> = speech.iter().map(|&p| f64::from(p)).collect();
    let centred = |x: &[f64]| {
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let c: Vec<f64> = x.iter().map(|v| v - mean).collect();
        let norm = c.iter().map(|v| v * v).sum::<f64>().sqrt();
        (norm > 1e-6).then_some((c, norm))
    };
    let (cue, cue_norm) = centred(&cue)?;
    let (voice, voice_norm) = centred(&voice)?;
    let reach = ((max_secs / step_secs) as usize).min(n / 2);
    let at = |lag: isize| -> f64 {
        // Cue i is laid over voice i + lag; what falls off the ends counts as the mean, that is 0.
        let sum: f64 = if lag >= 0 {
            cue.iter().zip(&voice[lag as usize..]).map(|(a, b)| a * b).sum()
        } else {
            cue[lag.unsigned_abs()..].iter().zip(&voice).map(|(a, b)| a * b).sum()
        };
        sum / (cue_norm * voice_norm)
    };
    let zero = at(0);
    let mut best = (0isize, zero);
    for lag in 1..=reach as isize {
        crate::pulse::beat();
        for lag in [lag, -lag] {
            let r = at(lag);
            if r > best.1 {
                best = (lag, r);
            }
        }
    }
    Some(TranscriptOffset { offset_secs: best.0 as f64 * step_secs, correlation: best.1, correlation_at_zero: zero })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Segment;

    fn turns(shift: f64) -> Vec<Turn> {
        [(3.0, 5.0), (6.5, 9.0), (13.0, 14.0), (18.0, 22.0)]
            .iter()
            .zip(1..)
            .map(|(&(a, b), index)| Turn {
                index,
                segment: Segment::from_secs(a + shift, b + shift).unwrap(),
                speaker: None,
                text: String::new(),
                words: Vec::new(),
            })
            .collect()
    }

    fn voice() -> Vec<f32> {
        (0..3000)
            .map(|i| f64::from(i) * 0.01)
            .map(|t| if turns(0.0).iter().any(|x| x.segment.contains(crate::time::Seconds::of(t))) { 1.0 } else { 0.0 })
            .collect()
    }

    #[test]
    fn a_shifted_transcript_is_found_and_a_right_one_left_alone() {
        let found = transcript_offset(&turns(-1.5), &voice(), 0.01, 10.0).unwrap();
        assert!((found.offset_secs - 1.5).abs() < 0.011 && found.is_telling(), "{found:?}");
        let right = transcript_offset(&turns(0.0), &voice(), 0.01, 10.0).unwrap();
        assert!(right.offset_secs.abs() < 1e-9 && !right.is_telling(), "{right:?}");
    }

    #[test]
    fn silence_and_short_recordings_have_no_offset() {
        assert!(transcript_offset(&turns(0.0), &[0.0; 3000], 0.01, 10.0).is_none());
        assert!(transcript_offset(&turns(0.0), &voice()[..500], 0.01, 10.0).is_none());
        assert!(transcript_offset(&turns(0.0), &voice(), 0.01, 0.0).is_none());
    }
}
