//! Voice: level, pitch and the descriptors of the 16 kHz signal on the 10 ms grid, and what they say about a turn.
//!
//! ```text
//! AudioBuffer ── acoustics() ──> Acoustics (one row per 10 ms) ── turn_voice() ──> TurnVoice (one row per turn)
//!                  level, intensity, pitch                          statistics, rate, pauses, periods, quality
//! ```

mod intensity;
mod level;
mod pauses;
mod pitch;
mod praat;
mod quality;
#[cfg(test)]
mod reference;
mod statistics;
mod syllables;
mod table;
mod turn;
mod turn_columns;

use crate::error::{Error, Result};
use crate::inference::{Registry, Runtime, Session};
use crate::signal::AudioBuffer;
use crate::time::FrameGrid;

pub use level::SILENCE_DB;
pub use table::{voice_schema, voice_table};
pub use turn::{TurnVoice, turn_voice};
pub use turn_columns::{fill, turn_voice_columns};

/// The one sampling rate of the analysis; the media door resamples to it.
pub const SAMPLE_RATE_HZ: u32 = 16_000;

/// The voice grid: frame `i` is the 20 ms window [0.01 i, 0.01 i + 0.02) s and its time is the window's centre, 0.01 (i + 1) s.
///
/// These are the frames of eGeMAPS' 20 ms descriptors, so that its rows, the level and the pitch (read off at the centre) share one row
/// per 10 ms. A recording has as many rows as windows lie whole inside it; less than 20 ms of audio has none.
pub const GRID: FrameGrid = FrameGrid::new(SAMPLE_RATE_HZ, 320, 160);

/// Registry names of the models this room runs.
pub const MODELS: &[&str] = &[pitch::MODEL];

/// What changes the voice columns. Lengths in seconds, levels in dB.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VoiceConfig {
    /// Lowest pitch looked for.
    pub pitch_min_hz: f32,
    /// Highest pitch looked for.
    pub pitch_max_hz: f32,
    /// A frame is voiced when the pitch model is at least this sure, 0 to 1.
    pub voicing_confidence: f32,
    /// A turn with less audio than this has no voice columns (`too_short`).
    pub min_turn_secs: f64,
    /// An unvoiced frame is quiet when its intensity is this far below the turn's 99th percentile (de Jong & Wempe use 25).
    pub quiet_below_peak_db: f32,
    /// Shortest pause made of quiet frames (de Jong & Wempe use 0.3).
    pub min_pause_secs: f64,
    /// Shortest pause made of unvoiced frames, quiet or not: no speech goes on unvoiced for so long, so noise cannot hide a pause.
    pub min_unvoiced_pause_secs: f64,
    /// Dip of intensity that parts two syllable nuclei (de Jong & Wempe use 2).
    pub syllable_dip_db: f32,
    /// How far back from the turn's end the noise floor is looked for.
    pub noise_window_secs: f64,
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
            noise_window_secs: 60.0,
        }
    }
}

/// The loaded models of this room; one set per worker.
#[derive(Debug)]
pub struct VoiceModels {
    swift_f0: Session,
}

impl VoiceModels {
    /// Loads [`MODELS`].
    ///
    /// # Errors
    /// Those of [`Session::load`].
    pub fn load(registry: &Registry, runtime: Runtime) -> Result<Self> {
        Ok(VoiceModels { swift_f0: Session::load(registry, pitch::MODEL, runtime)? })
    }
}

/// One row per frame of [`GRID`]; all columns have the same length and NaN stands for missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Acoustics {
    /// RMS of the 20 ms window around its mean, in dB re full scale (a full-scale square wave is 0); NaN below [`SILENCE_DB`].
    pub level_db: Vec<f32>,
    /// Praat's intensity (43 ms effective window) in dB re 20 µPa, full scale taken as 1 Pa; NaN below [`SILENCE_DB`] re full scale.
    pub intensity_db: Vec<f32>,
    /// Fundamental frequency; NaN where unvoiced.
    pub pitch_hz: Vec<f32>,
    /// How sure the pitch model is that the frame is voiced, 0 to 1.
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

/// Describes a whole recording frame by frame. Memory beyond the signal is the columns and one chunk of about 30 s.
///
/// # Errors
/// [`Error::Shape`] when the audio is not at [`SAMPLE_RATE_HZ`]; [`Error::Model`] when the pitch model fails.
pub fn acoustics(audio: &AudioBuffer, models: &mut VoiceModels, config: &VoiceConfig) -> Result<Acoustics> {
    check_rate(audio)?;
    let samples = audio.samples();
    let frames = GRID.whole_frames(samples.len());
    let hops = pitch::hops(samples, &mut models.swift_f0, config)?;
    let pitch = pitch::on_grid(&hops, frames, config.voicing_confidence);
    Ok(Acoustics {
        level_db: level::level_db(samples),
        intensity_db: intensity::intensity_db(samples),
        pitch_hz: pitch.pitch_hz,
        pitch_confidence: pitch.confidence,
        voiced: pitch.voiced,
    })
}

fn check_rate(audio: &AudioBuffer) -> Result<()> {
    if audio.rate_hz() == SAMPLE_RATE_HZ || audio.samples().is_empty() {
        return Ok(());
    }
    Err(Error::Shape {
        what: "sampling rate of the voice analysis",
        expected: format!("{SAMPLE_RATE_HZ} Hz"),
        got: format!("{} Hz", audio.rate_hz()),
    })
}
