//! What the voice did during one turn: statistics of the frames inside it, rate, pauses, periods and the quality of the recording.

use super::pauses::{self, Pauses};
use super::statistics::{Spread, mean};
use super::{Acoustics, GRID, VoiceConfig, praat, quality, syllables};
use crate::signal::AudioBuffer;
use crate::table::Missing;
use crate::time::Segment;

/// The reference of the semitone scale: 27.5 Hz, the piano's lowest A, as eGeMAPS takes it.
const SEMITONE_ZERO_HZ: f64 = 27.5;

/// One turn's voice. `None` = not defined for this turn; [`TurnVoice::missing`] tells why.
///
/// Everything is computed from the audio up to the turn's end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnVoice {
    /// Why columns are missing: `unvoiced` leaves those that need no pitch, every other reason leaves none but the speaking rate.
    pub missing: Option<Missing>,
    /// Mean of the voiced frames' pitch in Hz.
    pub pitch_mean_hz: Option<f64>,
    /// Pitch of the voiced frames in semitones re 27.5 Hz.
    pub pitch_semitones: Option<Spread>,
    /// Level of the frames that are not silent, in dBFS.
    pub level_db: Option<Spread>,
    /// Mean Praat intensity of the frames that are not silent, in dB re 20 µPa.
    pub intensity_mean_db: Option<f64>,
    /// Share of frames that are voiced, 0 to 1.
    pub voiced_share: Option<f64>,
    /// Words a second of the whole turn.
    pub speaking_rate_words_per_sec: Option<f64>,
    /// Words a second of the time spoken: pauses and the silence at both ends left out.
    pub articulation_rate_words_per_sec: Option<f64>,
    /// Syllable nuclei a second of the whole turn (of its part that has audio).
    pub syllable_rate_per_sec: Option<f64>,
    /// Syllable nuclei a second of the time spoken.
    pub articulation_rate_syllables_per_sec: Option<f64>,
    /// Pauses inside the turn.
    pub pause_count: Option<u64>,
    /// Their summed length in seconds; 0 without pauses.
    pub pause_total_secs: Option<f64>,
    /// The longest in seconds; 0 without pauses.
    pub pause_longest_secs: Option<f64>,
    /// From the turn's start to the first frame with voice or energy, in seconds.
    pub onset_delay_secs: Option<f64>,
    /// Praat's local jitter, a ratio.
    pub jitter_local: Option<f64>,
    /// Praat's local shimmer, a ratio.
    pub shimmer_local: Option<f64>,
    /// Praat's local shimmer in dB.
    pub shimmer_local_db: Option<f64>,
    /// Share of samples at full scale, 0 to 1.
    pub clipped_share: Option<f64>,
    /// Signal-to-noise ratio in dB.
    pub snr_db: Option<f64>,
    /// Mean sample, re full scale.
    pub dc_offset: Option<f64>,
}

impl TurnVoice {
    /// A turn without voice columns.
    pub fn without(reason: Missing) -> Self {
        TurnVoice { missing: Some(reason), ..TurnVoice::default() }
    }
}

/// Describes the voice of one turn; `words` is the number of words in its transcript, `None` when there is no transcript.
///
/// The frames of a turn are those whose centre lies in it. A turn with fewer frames than [`VoiceConfig::min_turn_secs`]
/// holds is `too_short`, or `past_end` when it runs past the audio, one without a frame above [`super::SILENCE_DB`] is `silent`. A recording without
/// audio is the caller's case: [`TurnVoice::without`] with [`Missing::NoStream`].
pub fn turn_voice(audio: &AudioBuffer, acoustics: &Acoustics, segment: Segment, words: Option<usize>, config: &VoiceConfig) -> TurnVoice {
    let speaking_rate = words.filter(|_| !segment.is_empty()).map(|n| n as f64 / segment.duration());
    let without = |reason| TurnVoice { speaking_rate_words_per_sec: speaking_rate, ..TurnVoice::without(reason) };
    if segment.start() >= audio.duration() {
        return without(Missing::PastEnd);
    }
    let range = GRID.indices(segment, acoustics.len());
    // Half a hop of grace: a turn of exactly the shortest length holds one frame more or less, as its start falls.
    if (range.len() as f64 + 0.5) * GRID.hop_secs() < config.min_turn_secs {
        return without(if segment.end() > audio.duration() { Missing::PastEnd } else { Missing::TooShort });
    }
    let level: Vec<f64> = numbers(&acoustics.level_db[range.clone()]);
    if level.is_empty() {
        return without(Missing::Silent);
    }

    let intensity = &acoustics.intensity_db[range.clone()];
    let pitch = &acoustics.pitch_hz[range.clone()];
    let voiced = &acoustics.voiced[range.clone()];
    let samples = audio.slice(segment);
    let heard_secs = range.len() as f64 * GRID.hop_secs();

    let quiet_db = pauses::quiet_below_db(intensity, config);
    let Pauses { count, total_secs, longest_secs, onset_secs, spoken_secs } = pauses::pauses(intensity, voiced, quiet_db, config);
    let nuclei = syllables::nuclei(intensity, voiced, quiet_db, config.syllable_dip_db).len() as f64;
    let per_spoken = |n: f64| (spoken_secs > 0.0).then(|| n / spoken_secs);
    let periods = praat::periods(samples, segment, pitch, range.start);
    let pitch_hz: Vec<f64> = numbers(pitch);
    let semitones: Vec<f64> = pitch_hz.iter().map(|&hz| 12.0 * (hz / SEMITONE_ZERO_HZ).log2()).collect();

    TurnVoice {
        missing: pitch_hz.is_empty().then_some(Missing::Unvoiced),
        pitch_mean_hz: mean(&pitch_hz),
        pitch_semitones: Spread::of(&semitones),
        intensity_mean_db: mean(&numbers(intensity)),
        voiced_share: Some(voiced.iter().filter(|&&v| v).count() as f64 / range.len() as f64),
        speaking_rate_words_per_sec: speaking_rate,
        articulation_rate_words_per_sec: words.and_then(|n| per_spoken(n as f64)),
        syllable_rate_per_sec: Some(nuclei / heard_secs),
        articulation_rate_syllables_per_sec: per_spoken(nuclei),
        pause_count: Some(count),
        pause_total_secs: Some(total_secs),
        pause_longest_secs: Some(longest_secs),
        onset_delay_secs: onset_secs,
        jitter_local: praat::jitter_local(&periods),
        shimmer_local: praat::shimmer_local(&periods),
        shimmer_local_db: praat::shimmer_local_db(&periods),
        clipped_share: quality::clipped_share(samples),
        snr_db: quality::snr_db(acoustics, range, config.noise_window_secs),
        dc_offset: quality::dc_offset(samples),
        level_db: Spread::of(&level),
    }
}

/// The values that are there.
fn numbers(column: &[f32]) -> Vec<f64> {
    column.iter().filter(|x| x.is_finite()).map(|&x| f64::from(x)).collect()
}
