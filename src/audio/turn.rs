//! What the voice did during one turn: statistics of the frames inside it, rate, pauses, periods and the quality of the
//! recording.

use super::pauses::{self, Pauses};
use super::{Acoustics, GRID, VoiceConfig, praat, quality, syllables};
use crate::error::Result;
use crate::signal::Sound;
use crate::statistics::{Spread, mean};
use crate::table::Missing;
use crate::time::{Segment, TOLERANCE_SECS};

/// The reference of the semitone scale: 27.5 Hz, the piano's lowest A, as eGeMAPS takes it.
const SEMITONE_ZERO_HZ: f64 = 27.5;

/// One turn's voice. `None` = not defined for this turn; [`TurnVoice::missing`] tells why.
///
/// Everything is computed from the frames of the turn, and the noise floor from frames before its end. The last frames
/// themselves reach over that end, as far as their analysis does: 10 ms for the level, 43 ms for the intensity, 160 ms
/// for the pitch model's context.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnVoice {
    /// Why columns are missing: `unvoiced` leaves those that need no pitch, every other reason leaves none but the
    /// speaking rate.
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

/// Describes the voice of one turn; `words` is the number of words in its transcript, `None` when there is no
/// transcript.
///
/// The frames of a turn are those whose centre lies in it. A turn with less audio than [`VoiceConfig::min_turn_secs`]
/// is `too_short`, or `past_end` when it runs past the audio, one without a frame above [`super::SILENCE_DB`] is
/// `silent`. A recording without audio is the caller's case: [`TurnVoice::without`] with [`Missing::NoStream`].
///
/// # Errors
/// What [`Sound::piece`] says.
pub fn turn_voice(
    audio: &impl Sound,
    acoustics: &Acoustics,
    segment: Segment,
    words: Option<usize>,
    config: &VoiceConfig,
) -> Result<TurnVoice> {
    crate::pulse::beat();
    // A cue of a millisecond is no time in which words are said.
    let long_enough = segment.duration() + TOLERANCE_SECS >= config.min_turn_secs && !segment.is_empty();
    let speaking_rate = words.filter(|_| long_enough).map(|n| n as f64 / segment.duration());
    let without = |reason| Ok(TurnVoice { speaking_rate_words_per_sec: speaking_rate, ..TurnVoice::without(reason) });
    if segment.start() >= audio.duration() {
        return without(Missing::PastEnd);
    }
    let range = GRID.indices(segment, acoustics.len());
    let heard_secs = segment.end().min(audio.duration()).get() - segment.start().get().max(0.0);
    // A microsecond of grace: a turn of exactly the shortest length is long enough, however its ends are rounded.
    if range.is_empty() || heard_secs + TOLERANCE_SECS < config.min_turn_secs {
        return without(if segment.end() > audio.duration() { Missing::PastEnd } else { Missing::TooShort });
    }
    let level: Vec<f64> = numbers(&acoustics.level_db[range.clone()]);
    if level.is_empty() {
        return without(Missing::Silent);
    }

    let intensity = &acoustics.intensity_db[range.clone()];
    let pitch = &acoustics.pitch_hz[range.clone()];
    let voiced = &acoustics.voiced[range.clone()];
    let samples = &*audio.within(segment)?;

    let quiet_db = pauses::quiet_below_db(intensity, config);
    let Pauses { count, total_secs, longest_secs, onset_secs, spoken_secs } =
        pauses::pauses(intensity, voiced, quiet_db, config);
    let nuclei = syllables::nuclei(intensity, voiced, quiet_db, config.syllable_dip_db).len() as f64;
    let per_spoken = |n: f64| (spoken_secs > 0.0).then(|| n / spoken_secs.min(heard_secs));
    let periods = praat::periods(samples, segment, pitch, range.start);
    let pitch_hz: Vec<f64> = numbers(pitch);
    let semitones: Vec<f64> = pitch_hz.iter().map(|&hz| 12.0 * (hz / SEMITONE_ZERO_HZ).log2()).collect();

    Ok(TurnVoice {
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
        clipped_share: quality::clipped_share(samples, config.clipped_above),
        snr_db: quality::snr_db(acoustics, range, config.noise_window_secs),
        dc_offset: quality::dc_offset(samples),
        level_db: Spread::of(&level),
    })
}

/// The values that are there.
fn numbers(column: &[f32]) -> Vec<f64> {
    column.iter().filter(|x| x.is_finite()).map(|&x| f64::from(x)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::level::tests::sine;
    use super::super::{intensity, level};
    use super::*;
    use crate::signal::AudioBuffer;

    /// The frames of `samples` with the pitch somebody says they have.
    fn heard(samples: Vec<f32>, pitch: impl Fn(f64) -> Option<f32>) -> (AudioBuffer, Acoustics) {
        let audio = AudioBuffer::new(samples, GRID.rate_hz());
        let frames = GRID.whole_frames(audio.samples().len());
        let pitch_hz: Vec<f32> = (0..frames).map(|i| pitch(GRID.centre(i).get()).unwrap_or(f32::NAN)).collect();
        let acoustics = Acoustics {
            level_db: level::level_db(&audio).unwrap(),
            intensity_db: intensity::intensity_db(&audio).unwrap(),
            pitch_confidence: pitch_hz.iter().map(|p| f32::from(u8::from(p.is_finite()))).collect(),
            voiced: pitch_hz.iter().map(|p| p.is_finite()).collect(),
            pitch_hz,
        };
        (audio, acoustics)
    }

    fn segment(start: f64, end: f64) -> Segment {
        Segment::from_secs(start, end).unwrap()
    }

    fn near(got: Option<f64>, expected: f64, within: f64) {
        assert!(got.is_some_and(|x| (x - expected).abs() <= within), "{got:?} for {expected}");
    }

    #[test]
    fn a_turn_of_two_tones_around_a_pause() {
        // Silence to 0.5 s, 110 Hz to 1.5, silence to 2.1, 220 Hz to 3.1, silence to 3.6.
        let mut samples = vec![0.0; 8000];
        samples.extend(sine(110.0, -20.0, 1.0));
        samples.extend(vec![0.0; 9600]);
        samples.extend(sine(220.0, -30.0, 1.0));
        samples.extend(vec![0.0; 8000]);
        let (audio, acoustics) = heard(samples, |t| match t {
            0.5..1.5 => Some(110.0),
            2.1..3.1 => Some(220.0),
            _ => None,
        });
        let t = turn_voice(&audio, &acoustics, segment(0.0, 3.6), Some(9), &VoiceConfig::default()).unwrap();
        assert_eq!(t.missing, None);
        // 110 Hz is two octaves above 27.5 Hz, 220 Hz three.
        let pitch = t.pitch_semitones.unwrap();
        near(t.pitch_mean_hz, 165.0, 1e-6);
        near(Some(pitch.mean), 30.0, 1e-6);
        near(Some(pitch.sd), 6.0, 1e-6);
        near(Some(pitch.range), 12.0, 1e-6);
        // 20 ms hold 2.2 periods of 110 Hz: the level goes up and down a little with the phase.
        near(t.level_db.map(|l| l.max), -20.0, 0.25);
        near(t.voiced_share, 200.0 / 359.0, 1e-9);
        assert_eq!(t.pause_count, Some(1));
        // Intensity has a window of its own: it hears a tone some 30 ms before it begins and after it ends.
        near(t.pause_total_secs, 0.6, 0.08);
        near(t.onset_delay_secs, 0.5, 0.05);
        near(t.speaking_rate_words_per_sec, 2.5, 1e-9);
        near(t.articulation_rate_words_per_sec, 4.5, 0.35);
        near(t.syllable_rate_per_sec, 2.0 / 3.6, 1e-9);
        assert!(t.jitter_local.unwrap() < 1e-3 && t.shimmer_local.unwrap() < 5e-3, "{t:?}");
        near(t.clipped_share, 0.0, 0.0);
    }

    #[test]
    fn a_tone_that_swells_four_times_a_second_has_four_syllables_a_second() {
        let swell = |i: usize| 1.0 - 0.8 * (std::f64::consts::TAU * 4.0 * i as f64 / 16_000.0).cos();
        let samples =
            sine(150.0, -26.0, 3.0).iter().enumerate().map(|(i, s)| (f64::from(*s) * swell(i)) as f32).collect();
        let (audio, acoustics) = heard(samples, |_| Some(150.0));
        let t = turn_voice(&audio, &acoustics, segment(0.0, 3.0), None, &VoiceConfig::default()).unwrap();
        near(t.syllable_rate_per_sec, 4.0, 1e-9);
        near(t.articulation_rate_syllables_per_sec, 4.0, 0.05);
        assert!(t.articulation_rate_words_per_sec.is_none() && t.speaking_rate_words_per_sec.is_none());
    }

    #[test]
    fn the_reason_tells_why_a_turn_has_no_voice() {
        let mut samples = sine(110.0, -20.0, 1.0);
        samples.extend(vec![0.0; 16_000]);
        let (audio, acoustics) = heard(samples, |t| (t < 0.5).then_some(110.0));
        let reason = |start, end| {
            turn_voice(&audio, &acoustics, segment(start, end), None, &VoiceConfig::default()).unwrap().missing
        };
        assert_eq!(reason(0.0, 1.0), None);
        assert_eq!(reason(0.2, 0.25), Some(Missing::TooShort));
        assert_eq!(reason(0.2, 0.2), Some(Missing::TooShort));
        assert_eq!(reason(1.1, 1.9), Some(Missing::Silent));
        assert_eq!(reason(0.55, 0.95), Some(Missing::Unvoiced));
        assert_eq!(reason(1.95, 5.0), Some(Missing::PastEnd));
        assert_eq!(reason(2.0, 5.0), Some(Missing::PastEnd));
        // Unvoiced leaves what needs no pitch; the words by the turn's length are always known.
        let t = turn_voice(&audio, &acoustics, segment(0.55, 0.95), Some(1), &VoiceConfig::default()).unwrap();
        assert!(t.level_db.is_some() && t.pitch_semitones.is_none() && t.jitter_local.is_none() && t.snr_db.is_none());
        let t = turn_voice(&audio, &acoustics, segment(8.0, 10.0), Some(4), &VoiceConfig::default()).unwrap();
        near(t.speaking_rate_words_per_sec, 2.0, 1e-12);
        assert!(t.level_db.is_none());
        let t = turn_voice(&audio, &acoustics, segment(8.0, 8.001), Some(2), &VoiceConfig::default()).unwrap();
        assert_eq!(t.speaking_rate_words_per_sec, None, "not 2000 words a second");
        // A turn of the shortest length holds enough frames wherever it starts.
        assert!((0..100).all(|k| reason(0.1 + 0.001 * f64::from(k), 0.2 + 0.001 * f64::from(k)).is_none()));
    }

    #[test]
    fn nothing_after_the_turn_is_looked_at() {
        let tone = sine(110.0, -20.0, 1.0);
        let later = |tail: Vec<f32>, hz: f32| {
            let (audio, acoustics) = heard([tone.clone(), tail].concat(), |t| Some(if t < 1.0 { 110.0 } else { hz }));
            turn_voice(&audio, &acoustics, segment(0.0, 0.9), Some(2), &VoiceConfig::default()).unwrap()
        };
        assert_eq!(later(vec![0.0; 16_000], 110.0), later(sine(300.0, 0.0, 1.0), 300.0));
    }
}
