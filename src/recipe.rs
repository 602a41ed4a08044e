//! The recipe: every parameter that changes results, one table a stage, read from TOML and overridden by `--set KEY=VALUE`.

use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::audio::VoiceConfig;
use crate::error::{Error, Result};
use crate::face::FaceConfig;
use crate::speaker::SpeakerConfig;
use crate::turns::TurnsConfig;

/// All stages' parameters. What a file or `--set` leaves out has its default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// What is said of each turn.
    pub turns: TurnsConfig,
}

/// Which streams are taken and how transcripts are read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InputConfig {
    /// Index of the audio stream in the container; -1 = by rule.
    pub audio_stream: Stream,
    /// Index of the video stream in the container; -1 = by rule.
    pub video_stream: Stream,
    /// Leave the video out: no face columns.
    pub skip_video: bool,
    /// Keep a transcript's good cues and list the bad ones instead of refusing the file.
    pub lenient: bool,
    /// Add the measured offset between transcript and audio to the transcript's times.
    pub apply_transcript_offset: bool,
    /// Added to all transcript times, in seconds.
    pub transcript_shift_secs: f64,
}

/// A stream index, or the choice by rule (-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
            let text = std::fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
            let place = path.display().to_string();
            let table: toml::Table =
                toml::from_str(&text).map_err(|e| Error::Recipe { place: place.clone(), what: e.to_string().trim().to_owned() })?;
            merge(&mut tree, &table, "", &place)?;
        }
        for text in overrides {
            set(&mut tree, text)?;
        }
        toml::Value::Table(tree)
            .try_into()
            .map_err(|e: toml::de::Error| Error::Recipe { place: "as a whole".into(), what: e.message().to_owned() })
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
        let known = into.keys().cloned().collect::<Vec<_>>().join(", ");
        let Some(slot) = into.get_mut(key) else {
            return Err(Error::Recipe { place: place.into(), what: format!("unknown key \"{name}\"; known here are {known}") });
        };
        match (slot, value) {
            (toml::Value::Table(slot), toml::Value::Table(value)) => merge(slot, value, &name, place)?,
            (slot, value) => *slot = fit(slot, value.clone(), &name, place)?,
        }
    }
    Ok(())
}

/// The value in the type of the default it replaces: a whole number may stand for a float.
fn fit(default: &toml::Value, value: toml::Value, name: &str, place: &str) -> Result<toml::Value> {
    match (default, value) {
        (toml::Value::Float(_), toml::Value::Integer(i)) => Ok(toml::Value::Float(i as f64)),
        (default, value) if default.same_type(&value) => Ok(value),
        (default, value) => Err(Error::Recipe {
            place: place.into(),
            what: format!("\"{name}\" is {value}, expected {} such as {default}", default.type_str()),
        }),
    }
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
mod tests {
    use super::*;

    #[test]
    fn overrides_take_the_type_of_what_they_replace() {
        let r = Recipe::load(None, &["face.rate_hz=0".into(), "input.lenient=true".into()]).unwrap();
        assert!(r.face.rate_hz.abs() < 1e-12 && r.input.lenient);
        assert_ne!(r.hash().unwrap(), Recipe::default().hash().unwrap());
    }

    #[test]
    fn unknown_keys_and_wrong_types_are_told_with_what_is_known() {
        let e = Recipe::load(None, &["face.rate=5".into()]).unwrap_err().to_string();
        assert!(e.contains("unknown key \"face.rate\"") && e.contains("rate_hz"), "{e}");
        let e = Recipe::load(None, &["face.rate_hz=fast".into()]).unwrap_err().to_string();
        assert!(e.contains("expected float"), "{e}");
        let e = Recipe::load(None, &["face.rate_hz".into()]).unwrap_err().to_string();
        assert!(e.contains("KEY=VALUE"), "{e}");
    }

    #[test]
    fn the_shipped_recipe_is_the_default() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("pipelines/default.toml");
        assert_eq!(Recipe::load(Some(&path), &[]).unwrap(), Recipe::default());
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text.trim(), Recipe::default().to_toml().unwrap().trim(), "pipelines/default.toml is old; see `turnwise recipe`");
    }
}
