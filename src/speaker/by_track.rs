//! Who spoke when, where each speaker has a track: voice activity track by track, other people's voices taken out.
//!
//! A microphone hears the others too. A chunk of a track is somebody else's where another track is more than 10 dB
//! louder, each against its own speech; a track whose speech is more than 10 dB below the loudest track's counts as 10
//! dB below, so that one that only ever hears the others is nobody's. What two say at once stays with both.

use super::vad::{CHUNKS, Vad, VadConfig, segments};
use crate::annotation::{Annotation, SpeechTurn};
use crate::error::Result;
use crate::signal::Sound;

/// How much louder another track is where a chunk is crosstalk.
const CROSSTALK_DB: f64 = 10.0;
/// A track's speech is taken to lie at most this far below the loudest track's.
const MOST_QUIETER_DB: f64 = 10.0;
/// Chunks on each side over which a level is taken: 0.1 s, so that a consonant in one track does not lose to a vowel's
/// echo in another.
const REACH: usize = 3;
/// Share of a track's speech chunks whose level its own speech is above.
const SPEECH_LEVEL_QUANTILE: f64 = 0.9;
/// Mean square that stands for digital silence.
const NOTHING: f64 = 1e-12;

/// Speech turns of named tracks at 16 kHz, sample 0 of all at the common origin; a track's name is its speaker's.
///
/// # Errors
/// [`crate::error::Error::Model`], and what [`Sound::piece`] says.
pub fn by_track<S: Sound>(tracks: &[(String, S)], vad: &mut Vad, config: &VadConfig) -> Result<Annotation> {
    let mut speech = Vec::new();
    for (_, sound) in tracks {
        speech.push(TrackSpeech { probability: vad.probabilities(sound)?, level_db: levels_db(sound)? });
    }
    let own = without_crosstalk(&speech, config.onset_probability);
    let turns = tracks.iter().zip(own).flat_map(|((name, sound), probability)| {
        let found = segments(&probability, config, sound.duration().get());
        found.into_iter().map(|segment| SpeechTurn { segment, speaker: name.clone() })
    });
    Ok(Annotation::new(turns.collect()))
}

/// One track's speech probability and level, a value a chunk of [`CHUNKS`].
struct TrackSpeech {
    probability: Vec<f32>,
    level_db: Vec<f64>,
}

/// Level of each chunk with its neighbours, in dB of full scale.
fn levels_db(sound: &impl Sound) -> Result<Vec<f64>> {
    let hop = CHUNKS.hop();
    let count = sound.count().div_ceil(hop);
    let mut energy = Vec::with_capacity(count);
    for chunk in 0..count {
        let samples = sound.piece(chunk * hop..(chunk + 1) * hop)?;
        energy.push(samples.iter().map(|s| f64::from(*s).powi(2)).sum::<f64>() / hop as f64);
    }
    let around = |i: usize| &energy[i.saturating_sub(REACH)..count.min(i + REACH + 1)];
    Ok((0..count)
        .map(|i| around(i).iter().sum::<f64>() / around(i).len() as f64)
        .map(|e| 10.0 * e.max(NOTHING).log10())
        .collect())
}

/// The probabilities with those of crosstalk at 0.
fn without_crosstalk(tracks: &[TrackSpeech], onset: f64) -> Vec<Vec<f32>> {
    let speech_db: Vec<Option<f64>> = tracks.iter().map(|t| speech_level(t, onset)).collect();
    let Some(loudest) = speech_db.iter().flatten().copied().reduce(f64::max) else {
        return tracks.iter().map(|t| vec![0.0; t.probability.len()]).collect();
    };
    let reference = |track: usize| speech_db[track].map(|db| db.max(loudest - MOST_QUIETER_DB));
    // Against the track's own speech; a track without any is never the louder one.
    let relative = |track: usize, chunk: usize| Some(tracks[track].level_db.get(chunk)? - reference(track)?);
    let is_crosstalk = |track: usize, chunk: usize| {
        let own = relative(track, chunk);
        own.is_some_and(|own| {
            (0..tracks.len()).any(|t| t != track && relative(t, chunk).is_some_and(|db| db - own > CROSSTALK_DB))
        })
    };
    let kept = |track: usize, chunk: usize, p: f32| if is_crosstalk(track, chunk) { 0.0 } else { p };
    let of_track =
        |(track, t): (usize, &TrackSpeech)| t.probability.iter().enumerate().map(|(i, &p)| kept(track, i, p)).collect();
    tracks.iter().enumerate().map(of_track).collect()
}

/// The level a track's speech reaches, in dB of full scale; `None` where it has none.
fn speech_level(track: &TrackSpeech, onset: f64) -> Option<f64> {
    let pairs = track.probability.iter().zip(&track.level_db);
    let mut levels: Vec<f64> = pairs.filter(|(p, _)| f64::from(**p) >= onset).map(|(_, db)| *db).collect();
    levels.sort_by(f64::total_cmp);
    levels.get(((levels.len() as f64 * SPEECH_LEVEL_QUANTILE) as usize).min(levels.len().saturating_sub(1))).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::AudioBuffer;

    /// Probability 1 wherever something is heard: above -60 dB.
    fn track(level_db: &[f64]) -> TrackSpeech {
        TrackSpeech {
            probability: level_db.iter().map(|db| if *db > -60.0 { 1.0 } else { 0.0 }).collect(),
            level_db: level_db.to_vec(),
        }
    }

    fn spoken(tracks: &[TrackSpeech]) -> Vec<String> {
        let text = |p: &Vec<f32>| p.iter().map(|p| if *p > 0.5 { 'x' } else { '.' }).collect();
        without_crosstalk(tracks, 0.5).iter().map(text).collect()
    }

    #[test]
    fn what_a_microphone_hears_of_the_others_is_not_its_speakers() {
        // A speaks, B speaks, both, nobody; B's microphone is 8 dB less sensitive, and each hears the other 20 dB down.
        let a = track(&[-20.0, -20.0, -40.0, -40.0, -20.0, -90.0]);
        let b = track(&[-48.0, -48.0, -28.0, -28.0, -28.0, -90.0]);
        assert_eq!(spoken(&[a, b]), ["xx..x.", "..xxx."]);
    }

    #[test]
    fn a_track_that_only_hears_the_others_is_nobodys() {
        let a = track(&[-20.0, -20.0, -90.0]);
        let never = track(&[-45.0, -45.0, -90.0]);
        let silent = track(&[-90.0, -90.0, -90.0]);
        assert_eq!(spoken(&[a, never, silent]), ["xx.", "...", "..."]);
        assert_eq!(spoken(&[track(&[-90.0; 2]), track(&[-90.0; 2])]), ["..", ".."]);
    }

    #[test]
    fn tracks_may_end_at_different_times() {
        assert_eq!(spoken(&[track(&[-20.0]), track(&[-45.0, -20.0, -20.0])]), ["x", ".xx"]);
    }

    #[test]
    fn a_level_is_that_of_the_chunks_around() {
        let mut samples = vec![0.0; 512 * 9];
        samples[512 * 4..512 * 5].fill(0.5);
        let levels = levels_db(&AudioBuffer::new(samples, 16_000)).unwrap();
        assert!(
            (levels[4] - 10.0 * (0.25_f64 / 7.0).log10()).abs() < 1e-9 && (levels[0] + 120.0).abs() < 1e-9,
            "{levels:?}"
        );
    }
}
