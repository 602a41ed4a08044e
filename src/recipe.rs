//! The recipe: every parameter that changes results, one table a stage, read from TOML and overridden by `--set
//! KEY=VALUE`.

mod stages;
mod values;

use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::audio::VoiceConfig;
use crate::body::BodyConfig;
use crate::error::{Error, Result};
use crate::face::FaceConfig;
use crate::limits;
use crate::media::AudioMix;
use crate::speaker::SpeakerConfig;
use crate::spelling::meant;
use crate::transcript::{Encoding, Labels, Rates, ReadOptions};
use crate::turns::TurnsConfig;

/// All stages' parameters. What a file or `--set` leaves out has its default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Recipe {
    /// Which streams are taken and how transcripts are read.
    pub input: InputConfig,
    /// Pitch, level and the descriptors.
    pub voice: VoiceConfig,
    /// Diarization.
    pub speaker: SpeakerConfig,
    /// Faces.
    pub face: FaceConfig,
    /// Bodies and hands.
    pub body: BodyConfig,
    /// What is said of each turn.
    pub turns: TurnsConfig,
}

/// Which streams are taken and how transcripts are read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InputConfig {
    /// Index of the audio stream in the container; -1 = by rule.
    #[schemars(range(min = -1))]
    pub audio_stream: Stream,
    /// "one": one audio stream is heard; "all": the mean of all, for recorders with a track for each speaker.
    pub audio_mix: AudioMix,
    /// Each audio stream is one speaker's, or each channel where there is one stream: who speaks when comes from them,
    /// and their titles name the speakers. All streams are mixed.
    pub track_speakers: bool,
    /// Index of the video stream in the container; -1 = by rule.
    #[schemars(range(min = -1))]
    pub video_stream: Stream,
    /// Leave the video out: no face columns.
    pub skip_video: bool,
    /// Keep a transcript's good cues and list the bad ones instead of refusing the file.
    pub lenient: bool,
    /// Whether speaker labels that the words of a transcript begin with are believed: "auto" where the whole file bears
    /// them out, "always", or "never".
    pub labels: Labels,
    /// Names of the tiers that are speech, in transcripts of tiers (ELAN, Praat); the others hold codes, and words of
    /// those. Empty: the tiers themselves tell it.
    pub tiers: Vec<String>,
    /// In which encoding transcripts are: "auto", what their bytes tell, or a name such as "windows-1250".
    #[schemars(with = "String")]
    pub encoding: Encoding,
    /// Frames a second of time codes in transcripts (00:00:03:12); 0 = not known, and such times are refused.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub frame_rate_hz: f64,
    /// Samples a second of columns of samples in transcripts; 0 = not known, and such columns are refused.
    #[schemars(range(min = 0.0, max = 1e6))]
    pub sample_rate_hz: f64,
    /// Add the measured offset between transcript and audio to the transcript's times.
    pub apply_transcript_offset: bool,
    /// Added to all transcript times, in seconds.
    #[schemars(range(min = -172_800.0, max = 172_800.0))]
    pub transcript_shift_secs: f64,
}

impl InputConfig {
    /// How transcripts are read, of several in one file the one of this id; `media` are those the transcript is of.
    pub fn reading<'a>(&'a self, sample_id: Option<&'a str>, media: Option<&'a Path>) -> ReadOptions<'a> {
        ReadOptions {
            lenient: self.lenient,
            sample_id,
            labels: self.labels,
            tiers: &self.tiers,
            media,
            encoding: self.encoding,
            rates: Rates { frames_hz: self.frame_rate_hz, samples_hz: self.sample_rate_hz },
        }
    }

    /// Whether one audio stream is heard or all.
    pub fn mix(&self) -> AudioMix {
        if self.track_speakers { AudioMix::All } else { self.audio_mix }
    }

    /// Checks that the values mean something, each and together.
    ///
    /// # Errors
    /// [`Error::Recipe`] with the key that is wrong, its value and what is accepted.
    pub fn check(&self) -> Result<()> {
        limits::check(self, "input")?;
        if let (AudioMix::All, Some(index)) = (self.mix(), self.audio_stream.index()) {
            let what = format!("all audio streams are to be mixed, and stream {index} alone to be taken");
            return Err(Error::Recipe {
                place: "input.audio_stream with input.audio_mix or input.track_speakers".into(),
                what,
            });
        }
        Ok(())
    }
}

/// A stream index, or the choice by rule (-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Stream(pub i64);

impl Default for Stream {
    fn default() -> Self {
        Stream(-1)
    }
}

impl Stream {
    /// The index, `None` for the choice by rule.
    pub fn index(self) -> Option<usize> {
        usize::try_from(self.0).ok()
    }
}

impl Recipe {
    /// The defaults, then the file, then the overrides (`KEY=VALUE`, KEY as `face.rate_hz`).
    ///
    /// # Errors
    /// [`Error::Read`] for a file that cannot be read, [`Error::Recipe`] for a key or value that is not understood.
    pub fn load(file: Option<&Path>, overrides: &[String]) -> Result<Self> {
        let mut tree = tree_of(&Recipe::default())?;
        if let Some(path) = file {
            let text = crate::file::read_text(path)?;
            let place = path.display().to_string();
            let table: toml::Table = toml::from_str(&text)
                .map_err(|e| Error::Recipe { place: place.clone(), what: e.to_string().trim().to_owned() })?;
            merge(&mut tree, &table, "", &place)?;
        }
        for text in overrides {
            set(&mut tree, text)?;
        }
        // Before the values get their types, so that a refused one is told as it was given.
        limits::check_table(&tree, &limits::schema::<Recipe>(), "")?;
        let recipe: Recipe = toml::Value::Table(tree.clone()).try_into().map_err(|e: toml::de::Error| {
            let place = misfit(&tree).unwrap_or_else(|| "as a whole".into());
            Error::Recipe { place, what: e.message().to_owned() }
        })?;
        kept(&tree, &tree_of(&recipe)?, "")?;
        recipe.check()?;
        Ok(recipe)
    }

    /// Each stage checks its own section.
    ///
    /// # Errors
    /// [`Error::Recipe`] with the key that is wrong, its value and what is accepted.
    pub fn check(&self) -> Result<()> {
        self.input.check()?;
        self.voice.check()?;
        self.speaker.check()?;
        self.face.check()?;
        self.body.check()?;
        self.turns.check()
    }

    /// A recipe's JSON Schema (draft 2020-12): each key with its description, type, default and accepted values.
    pub fn json_schema() -> serde_json::Value {
        limits::schema::<Recipe>()
    }

    /// The recipe as TOML, every key with its value.
    ///
    /// # Errors
    /// [`Error::Recipe`] if a value has no TOML form.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string_pretty(self).map_err(|e| Error::Recipe { place: "as a whole".into(), what: e.to_string() })
    }

    /// One line of JSON with every key, the same for equal recipes.
    ///
    /// # Errors
    /// [`Error::Recipe`] if a value has no JSON form.
    pub fn canonical_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|e| Error::Recipe { place: "as a whole".into(), what: e.to_string() })
    }

    /// The recipe as tables tell it: what says where something lies on this machine (the folders of enrolment, the
    /// dictionary) is replaced by `voices`, `faces` and `dictionary`, which stand for what lies there.
    pub fn told(&self, voices: String, faces: String, dictionary: String) -> Self {
        let mut told = self.clone();
        told.speaker.enrolment.voices = voices;
        told.face.enrolment = faces;
        told.turns.language.dictionary = dictionary;
        told
    }

    /// First 16 hexadecimal digits of the sha256 of [`Recipe::canonical_json`].
    ///
    /// # Errors
    /// As [`Recipe::canonical_json`].
    pub fn hash(&self) -> Result<String> {
        Ok(short_hash(self.canonical_json()?.as_bytes()))
    }
}

/// First 16 hexadecimal digits of a sha256.
pub fn short_hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|b| format!("{b:02x}")).collect()
}

fn tree_of(recipe: &Recipe) -> Result<toml::Table> {
    toml::Table::try_from(recipe).map_err(|e| Error::Recipe { place: "defaults".into(), what: e.to_string() })
}

/// Puts `from` over `into`; a key that is not there yet is unknown.
fn merge(into: &mut toml::Table, from: &toml::Table, prefix: &str, place: &str) -> Result<()> {
    for (key, value) in from {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        let known: Vec<String> = into.keys().cloned().collect();
        let Some(slot) = into.get_mut(key) else {
            let near = meant(key, known.iter().map(String::as_str));
            let what = format!("unknown key \"{name}\"{near}; known here are {}", known.join(", "));
            return Err(Error::Recipe { place: place.into(), what });
        };
        match (slot, value) {
            (toml::Value::Table(slot), toml::Value::Table(value)) => merge(slot, value, &name, place)?,
            (slot, value) => *slot = fit(slot, value.clone(), &name, place)?,
        }
    }
    Ok(())
}

/// Whole numbers up to this are exact as floats.
const EXACT_IN_F64: u64 = 1 << 53;

/// The value in the type of the default it replaces: a whole number may stand for a float.
fn fit(default: &toml::Value, value: toml::Value, name: &str, place: &str) -> Result<toml::Value> {
    match (default, value) {
        (toml::Value::Float(_), toml::Value::Integer(i)) if i.unsigned_abs() <= EXACT_IN_F64 => {
            Ok(toml::Value::Float(i as f64))
        }
        (default, value) if default.same_type(&value) => Ok(value),
        (default, value) => Err(Error::Recipe {
            place: place.into(),
            what: format!("\"{name}\" is {value}, expected {} such as {default}", default.type_str()),
        }),
    }
}

/// Rounding to 32 bits changes a number by less than this part of it.
const F32_ROUNDING: f64 = 1e-6;

/// The first key whose value alone does not fit its field.
fn misfit(tree: &toml::Table) -> Option<String> {
    let defaults = tree_of(&Recipe::default()).ok()?;
    leaves(tree, "").into_iter().find_map(|(name, value)| {
        let mut alone = defaults.clone();
        put(&mut alone, &name, value.clone());
        toml::Value::Table(alone).try_into::<Recipe>().is_err().then_some(name)
    })
}

/// Every value with its key.
fn leaves<'a>(tree: &'a toml::Table, prefix: &str) -> Vec<(String, &'a toml::Value)> {
    let mut all = Vec::new();
    for (key, value) in tree {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match value {
            toml::Value::Table(table) => all.extend(leaves(table, &name)),
            value => all.push((name, value)),
        }
    }
    all
}

fn put(tree: &mut toml::Table, name: &str, value: toml::Value) {
    match name.split_once('.') {
        Some((table, rest)) => {
            if let Some(toml::Value::Table(inner)) = tree.get_mut(table) {
                put(inner, rest, value);
            }
        }
        None => drop(tree.insert(name.to_owned(), value)),
    }
}

/// Every number must come back from the typed recipe as it went in, but for the rounding of 32-bit floats: what a field
/// cannot hold would be infinite or 0 in it.
fn kept(given: &toml::Table, typed: &toml::Table, prefix: &str) -> Result<()> {
    for (key, value) in given {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        let held = match (value, typed.get(key)) {
            (toml::Value::Table(given), Some(toml::Value::Table(typed))) => {
                kept(given, typed, &name)?;
                continue;
            }
            (toml::Value::Float(a), Some(toml::Value::Float(b))) => (a - b).abs() <= F32_ROUNDING * a.abs(),
            (a, Some(b)) => a == b,
            (_, None) => false,
        };
        if !held {
            let what = format!("{value} is more or finer than this parameter can hold; give a number of ordinary size");
            return Err(Error::Recipe { place: name, what });
        }
    }
    Ok(())
}

fn set(tree: &mut toml::Table, text: &str) -> Result<()> {
    let place = format!("--set {text}");
    let Some((key, value)) = text.split_once('=') else {
        return Err(Error::Recipe { place, what: "expected KEY=VALUE, such as face.rate_hz=5".into() });
    };
    let (key, value) = (key.trim(), value.trim());
    let parsed = match toml::from_str::<toml::Table>(&format!("v = {value}")) {
        Ok(mut table) => table.remove("v").unwrap_or_else(|| toml::Value::String(value.into())),
        // A bare word is a text.
        Err(_) => toml::Value::String(value.into()),
    };
    let mut nested = parsed;
    for part in key.rsplit('.') {
        nested = toml::Value::Table(toml::Table::from_iter([(part.to_owned(), nested)]));
    }
    match nested {
        toml::Value::Table(table) => merge(tree, &table, "", &place),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
