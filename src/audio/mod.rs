//! Voice: level, pitch and the descriptors of the 16 kHz signal on the 10 ms grid, and what they say about a turn.
//!
//! ```text
//! AudioBuffer ── acoustics() ──> Acoustics (one row per 10 ms) ── turn_voice() ──> TurnVoice (one row per turn)
//!                  level, intensity, pitch                          statistics, rate, pauses, periods, quality
//! ```

pub mod egemaps;
mod egemaps_columns;
mod intensity;
mod laughter;
mod level;
mod pauses;
mod pitch;
mod praat;
mod quality;
#[cfg(test)]
mod reference;
pub mod spectrum;
mod syllables;
mod table;
mod turn;
mod turn_columns;

use crate::error::{Error, Result};
use crate::inference::{Loader, ModelSet, Session};
use crate::limits;
use crate::signal::Sound;
use crate::time::FrameGrid;

pub use crate::statistics::Spread;
pub use egemaps_columns::{
    LldFrame, SegmentFunctionals, functional_columns, functionals_layout, lld_layout, opensmile_tables,
};
pub use laughter::{Laugh, LaughterConfig, laughs};
pub use level::SILENCE_DB;
pub use table::{VoiceFrame, voice_layout, voice_table};
pub use turn::{TurnVoice, turn_voice};
pub use turn_columns::turn_voice_columns;

/// The one sampling rate of the analysis; the media door resamples to it.
pub const SAMPLE_RATE_HZ: u32 = 16_000;

/// The voice grid: frame `i` is the 20 ms window [0.01 i, 0.01 i + 0.02) s and its time is the window's centre, 0.01 (i
/// + 1) s.
///
/// These are the frames of eGeMAPS' 20 ms descriptors, so that its rows, the level and the pitch (read off at the
/// centre) share one row per 10 ms. A recording has as many rows as windows lie whole inside it; less than 20 ms of
/// audio has none.
pub const GRID: FrameGrid = FrameGrid::new(SAMPLE_RATE_HZ, 320, 160);

/// What changes the voice columns. Lengths in seconds, levels in dB.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VoiceConfig {
    /// Lowest pitch looked for.
    #[schemars(range(min = pitch::MIN_HZ, max = pitch::MAX_HZ))]
    pub pitch_min_hz: f32,
    /// Highest pitch looked for.
    #[schemars(range(min = pitch::MIN_HZ, max = pitch::MAX_HZ))]
    pub pitch_max_hz: f32,
    /// A frame is voiced when the pitch model is at least this sure, 0 to 1.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub voicing_confidence: f32,
    /// A turn with less audio than this has no voice columns (`too_short`).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub min_turn_secs: f64,
    /// An unvoiced frame is quiet when its intensity is this far below the turn's 99th percentile (de Jong & Wempe use
    /// 25).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub quiet_below_peak_db: f32,
    /// Shortest pause made of quiet frames (de Jong & Wempe use 0.3).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub min_pause_secs: f64,
    /// Shortest pause made of unvoiced frames, quiet or not: no speech goes on unvoiced for so long, so noise cannot
    /// hide a pause.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub min_unvoiced_pause_secs: f64,
    /// Dip of intensity that parts two syllable nuclei (de Jong & Wempe use 2).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub syllable_dip_db: f32,
    /// A sample at least this large counts as clipped: a clipped wave keeps to within 1 % of full scale through a lossy
    /// codec and resampling.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub clipped_above: f32,
    /// How far back from the turn's end the noise floor is looked for.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub noise_window_secs: f64,
    /// Laughter by its sound.
    pub laughter: LaughterConfig,
}

impl Default for VoiceConfig {
    fn default() -> Self {
        VoiceConfig {
            pitch_min_hz: pitch::MIN_HZ,
            pitch_max_hz: pitch::MAX_HZ,
            voicing_confidence: 0.5,
            min_turn_secs: 0.1,
            quiet_below_peak_db: 25.0,
            min_pause_secs: 0.3,
            min_unvoiced_pause_secs: 0.5,
            syllable_dip_db: 2.0,
            clipped_above: 0.99,
            noise_window_secs: 60.0,
            laughter: LaughterConfig::default(),
        }
    }
}

impl VoiceConfig {
    /// Checks that the values mean something, each and together.
    ///
    /// # Errors
    /// [`Error::Recipe`] with the key that is wrong, its value and what is accepted.
    pub fn check(&self) -> Result<()> {
        limits::check(self, "voice")?;
        let (low, high) = (self.pitch_min_hz, self.pitch_max_hz);
        // A tenth of room lets the model's band hold a candidate.
        if high < 1.1 * low {
            let what = format!(
                "pitch_min_hz = {low}, pitch_max_hz = {high}: expected the first at least a tenth below the second"
            );
            return Err(Error::Recipe { place: "voice".into(), what });
        }
        Ok(())
    }
}

/// The loaded models of this room; one set per worker.
#[derive(Debug)]
pub struct VoiceModels {
    swift_f0: Session,
}

impl ModelSet for VoiceModels {
    type Config = VoiceConfig;

    fn open(loader: &mut Loader<'_>, _: &VoiceConfig) -> Result<Self> {
        Ok(VoiceModels { swift_f0: loader.session(pitch::MODEL)? })
    }
}

/// One row per frame of [`GRID`]; all columns have the same length and NaN stands for missing.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Acoustics {
    /// RMS of the 20 ms window around its mean, in dB re full scale (a full-scale square wave is 0); NaN below
    /// [`SILENCE_DB`].
    #[serde(with = "crate::packed")]
    pub level_db: Vec<f32>,
    /// Praat's intensity (43 ms effective window) in dB re 20 µPa, full scale taken as 1 Pa; NaN below [`SILENCE_DB`]
    /// re full scale.
    #[serde(with = "crate::packed")]
    pub intensity_db: Vec<f32>,
    /// Fundamental frequency; NaN where unvoiced.
    #[serde(with = "crate::packed")]
    pub pitch_hz: Vec<f32>,
    /// How sure the pitch model is that the frame is voiced, 0 to 1.
    #[serde(with = "crate::packed")]
    pub pitch_confidence: Vec<f32>,
    /// True where the frame is voiced, which is where `pitch_hz` is a number.
    pub voiced: Vec<bool>,
}

impl Acoustics {
    /// Number of frames.
    pub fn len(&self) -> usize {
        self.voiced.len()
    }

    /// True for less than one window of audio.
    pub fn is_empty(&self) -> bool {
        self.voiced.is_empty()
    }
}

/// Describes a whole recording frame by frame. Memory is the columns and one chunk of 16 s.
///
/// # Errors
/// [`Error::Recipe`] when [`VoiceConfig::check`] fails; [`Error::Shape`] when the audio is not at [`SAMPLE_RATE_HZ`];
/// [`Error::Model`] when the pitch model fails, and what [`Sound::piece`] says.
pub fn acoustics(audio: &impl Sound, models: &mut VoiceModels, config: &VoiceConfig) -> Result<Acoustics> {
    config.check()?;
    check_rate(audio)?;
    let frames = GRID.whole_frames(audio.count());
    let hops = pitch::hops(audio, &mut models.swift_f0, config)?;
    let pitch = pitch::on_grid(&hops, frames, config.voicing_confidence);
    Ok(Acoustics {
        level_db: level::level_db(audio)?,
        intensity_db: intensity::intensity_db(audio)?,
        pitch_hz: pitch.pitch_hz,
        pitch_confidence: pitch.confidence,
        voiced: pitch.voiced,
    })
}

fn check_rate(audio: &impl Sound) -> Result<()> {
    if audio.rate_hz() == SAMPLE_RATE_HZ || audio.count() == 0 {
        return Ok(());
    }
    Err(Error::Shape {
        what: "sampling rate of the voice analysis",
        expected: format!("{SAMPLE_RATE_HZ} Hz"),
        got: format!("{} Hz", audio.rate_hz()),
    })
}

#[cfg(test)]
mod tests {
    use super::level::tests::sine;
    use super::*;
    use crate::random::Random;
    use crate::signal::AudioBuffer;
    use crate::time::Segment;

    /// White noise in [-1, 1).
    fn noise(count: usize) -> Vec<f32> {
        let mut random = Random::seeded(1);
        (0..count).map(|_| random.signed() as f32).collect()
    }

    #[test]
    fn all_columns_have_a_row_per_frame_and_pitch_is_there_where_voiced() {
        let mut models = reference::models();
        let config = VoiceConfig::default();
        let clipped = sine(150.0, 3.0, 2.0).iter().map(|s| s.clamp(-1.0, 1.0)).collect();
        let signals = [
            ("nothing", Vec::new()),
            ("10 ms", sine(150.0, -20.0, 0.01)),
            ("50 ms", sine(150.0, -20.0, 0.05)),
            ("silence", vec![0.0; 16_000]),
            ("offset", vec![0.5; 16_000]),
            ("noise", noise(32_000)),
            ("clipped", clipped),
            ("beyond full scale", sine(150.0, 40.0, 1.0)),
        ];
        for (name, samples) in signals {
            let audio = AudioBuffer::new(samples, SAMPLE_RATE_HZ);
            let a = acoustics(&audio, &mut models, &config).unwrap();
            let frames = GRID.whole_frames(audio.samples().len());
            assert_eq!(
                [a.len(), a.level_db.len(), a.intensity_db.len(), a.pitch_hz.len(), a.pitch_confidence.len()],
                [frames; 5],
                "{name}"
            );
            for i in 0..frames {
                assert_eq!(a.voiced[i], a.pitch_hz[i].is_finite(), "{name} {i}");
                assert!(
                    a.pitch_confidence[i].is_finite()
                        && !a.level_db[i].is_infinite()
                        && !a.intensity_db[i].is_infinite(),
                    "{name} {i}"
                );
            }
            let whole = Segment::from_secs(0.0, 60.0).unwrap();
            let turn = turn_voice(&audio, &a, whole, Some(3), &config).unwrap();
            let text = format!("{turn:?}");
            println!("{name}: {text}");
            assert!(!text.contains("NaN") && !text.contains("inf"), "{name}: {text}");
        }
    }

    #[test]
    fn another_rate_and_a_recipe_without_sense_are_refused() {
        let mut models = reference::models();
        let audio = AudioBuffer::new(vec![0.0; 48_000], 48_000);
        let e = acoustics(&audio, &mut models, &VoiceConfig::default()).unwrap_err();
        assert!(e.to_string().contains("expected 16000 Hz, got 48000 Hz"), "{e}");
        let config = VoiceConfig { pitch_min_hz: 600.0, pitch_max_hz: 60.0, ..VoiceConfig::default() };
        assert!(config.check().unwrap_err().to_string().contains("pitch_min_hz = 600"));
        let config = VoiceConfig { min_pause_secs: f64::NAN, ..VoiceConfig::default() };
        assert!(config.check().unwrap_err().to_string().contains("min_pause_secs"));
        VoiceConfig::default().check().unwrap();
    }
}
