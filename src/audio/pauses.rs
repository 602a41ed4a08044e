//! Pauses inside a turn, the silence at its ends, and the time spoken.
//!
//! A frame is quiet when it is unvoiced and its intensity lies 25 dB below the turn's 99th percentile (de Jong & Wempe
//! 2009, Behavior Research Methods 41, 385-390). A pause is a run of quiet frames of at least 0.3 s, or a run of
//! unvoiced frames of at least 0.5 s however loud: noise may fill a pause, but no speech sound stays unvoiced for so
//! long. All four numbers are in [`VoiceConfig`].

use super::{GRID, VoiceConfig};
use crate::statistics::percentile;

/// The pauses of one turn; lengths in seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pauses {
    /// Pauses with speech on both sides.
    pub count: u64,
    /// Their summed length.
    pub total_secs: f64,
    /// The longest one's.
    pub longest_secs: f64,
    /// From the first frame to the first one that is neither quiet nor in a pause; `None` when there is none.
    pub onset_secs: Option<f64>,
    /// The frames less the pauses and less what is quiet or paused at both ends.
    pub spoken_secs: f64,
}

/// Intensity below which an unvoiced frame of these is quiet; NaN when all are silent, which no intensity is above.
pub(super) fn quiet_below_db(intensity: &[f32], config: &VoiceConfig) -> f32 {
    let mut heard: Vec<f64> = intensity.iter().filter(|x| x.is_finite()).map(|&x| f64::from(x)).collect();
    heard.sort_unstable_by(f64::total_cmp);
    percentile(&heard, 99.0).map_or(f32::NAN, |peak| peak as f32 - config.quiet_below_peak_db)
}

/// Finds the pauses among a turn's frames.
pub(super) fn pauses(intensity: &[f32], voiced: &[bool], quiet_db: f32, config: &VoiceConfig) -> Pauses {
    let quiet: Vec<bool> = intensity.iter().zip(voiced).map(|(&x, &v)| !v && (x.is_nan() || x < quiet_db)).collect();
    let unvoiced: Vec<bool> = voiced.iter().map(|v| !v).collect();
    let mut paused = vec![false; voiced.len()];
    mark_runs(&quiet, frames(config.min_pause_secs), &mut paused);
    // An unvoiced turn (a whisper) has only quiet pauses.
    if voiced.contains(&true) {
        mark_runs(&unvoiced, frames(config.min_unvoiced_pause_secs), &mut paused);
    }

    // What is quiet at the ends is outside the talk, even when too short for a pause.
    let talks = |i: usize| !paused[i] && !quiet[i];
    let (Some(start), Some(end)) = ((0..voiced.len()).find(|&i| talks(i)), (0..voiced.len()).rfind(|&i| talks(i)))
    else {
        return Pauses::default();
    };
    let inside: Vec<usize> =
        runs(&paused).iter().filter(|r| r.start > start && r.end <= end).map(ExactSizeIterator::len).collect();
    let total: usize = inside.iter().sum();
    Pauses {
        count: inside.len() as u64,
        total_secs: secs(total),
        longest_secs: secs(inside.iter().copied().max().unwrap_or(0)),
        onset_secs: Some(secs(start)),
        spoken_secs: secs(end + 1 - start - total),
    }
}

fn secs(frames: usize) -> f64 {
    frames as f64 / (f64::from(GRID.rate_hz()) / GRID.hop() as f64)
}

fn frames(secs: f64) -> usize {
    ((secs / GRID.hop_secs()).round() as usize).max(1)
}

fn mark_runs(flags: &[bool], shortest: usize, marks: &mut [bool]) {
    for run in runs(flags).into_iter().filter(|r| r.len() >= shortest) {
        marks[run].fill(true);
    }
}

/// The maximal runs of true.
pub(super) fn runs(flags: &[bool]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (i, &flag) in flags.iter().chain(std::iter::once(&false)).enumerate() {
        match (flag, start) {
            (true, None) => start = Some(i),
            (false, Some(from)) => {
                found.push(from..i);
                start = None;
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames from (count, intensity, voiced) triples.
    fn turn(parts: &[(usize, f32, bool)]) -> (Vec<f32>, Vec<bool>) {
        let intensity = parts.iter().flat_map(|&(n, x, _)| vec![x; n]).collect();
        let voiced = parts.iter().flat_map(|&(n, _, v)| vec![v; n]).collect();
        (intensity, voiced)
    }

    fn found(parts: &[(usize, f32, bool)]) -> Pauses {
        let (intensity, voiced) = turn(parts);
        let config = VoiceConfig::default();
        pauses(&intensity, &voiced, quiet_below_db(&intensity, &config), &config)
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn quiet_inside_is_a_pause_and_quiet_at_the_ends_is_none() {
        let p =
            found(&[(20, 30.0, false), (50, 70.0, true), (40, 30.0, false), (50, 70.0, true), (60, f32::NAN, false)]);
        assert_eq!(p.count, 1);
        assert!(near(p.total_secs, 0.4) && near(p.longest_secs, 0.4) && near(p.spoken_secs, 1.0), "{p:?}");
        assert!(near(p.onset_secs.unwrap(), 0.2), "{p:?}");
    }

    #[test]
    fn a_stop_is_no_pause_and_noise_does_not_hide_one() {
        // 0.1 s quiet: a plosive. 0.6 s at the voice's own level but unvoiced: a pause full of noise. 0.2 s: a
        // fricative.
        let p = found(&[
            (50, 70.0, true),
            (10, 30.0, false),
            (50, 70.0, true),
            (60, 68.0, false),
            (50, 70.0, true),
            (20, 68.0, false),
            (9, 70.0, true),
        ]);
        assert_eq!(p.count, 1);
        assert!(near(p.longest_secs, 0.6) && near(p.onset_secs.unwrap(), 0.0), "{p:?}");
    }

    #[test]
    fn noise_before_the_voice_delays_the_onset_and_a_fricative_does_not() {
        near_onset(&[(80, 60.0, false), (50, 70.0, true)], 0.8);
        near_onset(&[(20, 60.0, false), (50, 70.0, true)], 0.0);
        // A whisper is all unvoiced and all talk.
        near_onset(&[(100, 50.0, false)], 0.0);
    }

    fn near_onset(parts: &[(usize, f32, bool)], expected: f64) {
        let p = found(parts);
        assert!(near(p.onset_secs.unwrap(), expected) && p.count == 0, "{p:?}");
    }

    #[test]
    fn silence_has_no_onset_and_no_time_spoken() {
        let p = found(&[(50, f32::NAN, false)]);
        assert!(p.onset_secs.is_none() && near(p.spoken_secs, 0.0) && p.count == 0);
    }

    #[test]
    fn runs_are_maximal() {
        assert_eq!(runs(&[true, false, true, true]), [0..1, 2..4]);
        assert!(runs(&[]).is_empty());
    }
}
