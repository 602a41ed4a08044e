//! Quality of the recording during a turn: clipping, noise, offset.

use std::ops::Range;

use super::{Acoustics, GRID};

/// A voice this little above the noise, as a ratio of powers, cannot be told from it: 1 dB.
const LEAST_RISE: f64 = 1.26;

/// Fewest frames a noise floor is taken from: one second.
const MIN_NOISE_FRAMES: usize = 100;

/// Share of samples of at least `full_scale`; `None` without samples.
pub(super) fn clipped_share(samples: &[f32], full_scale: f32) -> Option<f64> {
    let clipped = samples.iter().filter(|s| s.abs() >= full_scale).count();
    (!samples.is_empty()).then(|| clipped as f64 / samples.len() as f64)
}

/// Mean sample; `None` without samples.
pub(super) fn dc_offset(samples: &[f32]) -> Option<f64> {
    (!samples.is_empty()).then(|| samples.iter().map(|&s| f64::from(s)).sum::<f64>() / samples.len() as f64)
}

/// Signal-to-noise ratio in dB of the turn at frames `turn`.
///
/// Noise is the mean power of the quietest tenth of the frames that are not silent, in `window_secs` up to the turn's
/// end (or the whole turn, if longer). The signal is the voiced frames' mean power less the noise. `None` without
/// voiced frames, with less than a second to take the noise from, or when the voice rises less than 1 dB above the
/// noise.
pub(super) fn snr_db(acoustics: &Acoustics, turn: Range<usize>, window_secs: f64) -> Option<f64> {
    let power = |db: f32| 10f64.powf(f64::from(db) / 10.0);
    let voiced: Vec<f64> = turn
        .clone()
        .filter(|&i| acoustics.voiced[i] && acoustics.level_db[i].is_finite())
        .map(|i| power(acoustics.level_db[i]))
        .collect();
    let back = (window_secs / GRID.hop_secs()) as usize;
    let from = turn.end.saturating_sub(back).min(turn.start);
    let mut levels: Vec<f32> = acoustics.level_db[from..turn.end].iter().copied().filter(|l| l.is_finite()).collect();
    if voiced.is_empty() || levels.len() < MIN_NOISE_FRAMES {
        return None;
    }
    levels.sort_unstable_by(f32::total_cmp);
    levels.truncate(levels.len() / 10);
    let noise = levels.iter().map(|&l| power(l)).sum::<f64>() / levels.len() as f64;
    let loud = voiced.iter().sum::<f64>() / voiced.len() as f64;
    (loud >= LEAST_RISE * noise).then(|| 10.0 * (loud / noise - 1.0).log10())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_and_offset_are_shares_and_means() {
        let share = |full_scale| clipped_share(&[1.0, -1.0, 0.5, 0.0], full_scale).unwrap();
        assert!((share(0.99) - 0.5).abs() < 1e-12 && (share(0.5) - 0.75).abs() < 1e-12);
        assert!((dc_offset(&[0.5, 0.0, 0.25, 0.25]).unwrap() - 0.25).abs() < 1e-12);
        assert!(clipped_share(&[], 0.99).is_none() && dc_offset(&[]).is_none());
    }

    #[test]
    fn the_noise_may_be_heard_before_the_turn() {
        // Two seconds of noise at -60 dB, then a turn of voice at -20 dB.
        let mut a = Acoustics { level_db: vec![-60.0; 200], voiced: vec![false; 200], ..Acoustics::default() };
        a.level_db.extend([-20.0; 100]);
        a.voiced.extend([true; 100]);
        assert!((snr_db(&a, 200..300, 60.0).unwrap() - 40.0).abs() < 0.01);
        // Nothing but the turn's own steady voice to take the noise from: nothing can be told.
        assert!(snr_db(&a, 200..300, 0.5).is_none());
        assert!(snr_db(&a, 0..200, 60.0).is_none());
    }
}
