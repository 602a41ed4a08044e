//! The recipe: every parameter that changes results, one table a stage, read from TOML and overridden by `--set KEY=VALUE`.

use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::audio::VoiceConfig;
use crate::error::{Error, Result};
use crate::face::FaceConfig;
use crate::media::AudioMix;
use crate::speaker::SpeakerConfig;
use crate::spelling::meant;
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
    /// "one": one audio stream is heard; "all": the mean of all, for recorders with a track for each speaker.
    pub audio_mix: AudioMix,
    /// Each audio stream is one speaker's, or each channel where there is one stream: who speaks when comes from them,
    /// and their titles name the speakers. All streams are mixed.
    pub track_speakers: bool,
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

impl InputConfig {
    /// Whether one audio stream is heard or all.
    pub fn mix(&self) -> AudioMix {
        if self.track_speakers { AudioMix::All } else { self.audio_mix }
    }
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
            let text = crate::file::read_text(path)?;
            let place = path.display().to_string();
            let table: toml::Table =
                toml::from_str(&text).map_err(|e| Error::Recipe { place: place.clone(), what: e.to_string().trim().to_owned() })?;
            merge(&mut tree, &table, "", &place)?;
        }
        for text in overrides {
            set(&mut tree, text)?;
        }
        check(&tree, "")?;
        let recipe: Recipe = toml::Value::Table(tree.clone()).try_into().map_err(|e: toml::de::Error| {
            let place = misfit(&tree).unwrap_or_else(|| "as a whole".into());
            Error::Recipe { place, what: e.message().to_owned() }
        })?;
        kept(&tree, &tree_of(&recipe)?, "")?;
        recipe.voice.check("voice")?;
        check_pairs(&recipe)?;
        Ok(recipe)
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

    /// The recipe as tables tell it: what says where something lies on this machine (the folders of enrolment) is
    /// replaced by `voices` and `faces`, which stand for what lies there.
    pub fn told(&self, voices: String, faces: String) -> Self {
        let mut told = self.clone();
        told.speaker.enrolment.voices = voices;
        told.face.enrolment = faces;
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
        (toml::Value::Float(_), toml::Value::Integer(i)) if i.unsigned_abs() <= EXACT_IN_F64 => Ok(toml::Value::Float(i as f64)),
        (default, value) if default.same_type(&value) => Ok(value),
        (default, value) => Err(Error::Recipe {
            place: place.into(),
            what: format!("\"{name}\" is {value}, expected {} such as {default}", default.type_str()),
        }),
    }
}

/// Keys whose value must be above 0: steps, windows and counts that something is divided into, or that bound a picture's size.
const ABOVE_ZERO: [&str; 9] = [
    "speaker.segmentation.step_secs",
    "speaker.clustering.unit_secs",
    "speaker.clustering.min_unit_secs",
    "speaker.resegmentation.hop_secs",
    "speaker.resegmentation.window_secs",
    "face.embeddings_per_track",
    "face.detect_side_px",
    "face.confirm_side_px",
    "face.person_observations",
];

/// Keys that may be below 0: shifts of time, and -1 for "by rule".
const MAY_BE_NEGATIVE: [&str; 3] = ["input.transcript_shift_secs", "input.audio_stream", "input.video_stream"];

/// The last part of keys that hold a probability, a share or a score from 0 to 1.
const UP_TO_ONE: [&str; 6] = ["_probability", "_share", "_iou", "_confidence", "presence", "_agreement"];

/// Thresholds below which a detector sees a face at every place it looks at, none of them one.
const LEAST_SCORES: [&str; 2] = ["face.detect_score", "face.search_score"];
const LEAST_SCORE: f64 = 0.05;

/// Windows of the segmentation model are 10 s long: a longer step would leave speech unheard.
const LONGEST_STEP_SECS: f64 = 10.0;

/// No recording is longer, so no transcript is further off: 48 hours.
const LONGEST_SHIFT_SECS: f64 = 172_800.0;

/// Numbers must mean something, before anything is decoded.
fn check(tree: &toml::Table, prefix: &str) -> Result<()> {
    for (key, value) in tree {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        let number = match value {
            toml::Value::Table(table) => {
                check(table, &name)?;
                continue;
            }
            toml::Value::Float(x) => *x,
            toml::Value::Integer(i) => *i as f64,
            _ => continue,
        };
        let expected = if !number.is_finite() {
            Some("a finite number")
        } else if ABOVE_ZERO.contains(&name.as_str()) && number <= 0.0 {
            Some("a number above 0")
        } else if number < 0.0 && !MAY_BE_NEGATIVE.contains(&name.as_str()) {
            Some("0 or more")
        } else if number > 1.0 && (UP_TO_ONE.iter().any(|end| name.ends_with(end)) || (prefix == "face" && name.ends_with("_score"))) {
            Some("0 to 1")
        } else if name == "speaker.segmentation.step_secs" && number > LONGEST_STEP_SECS {
            Some("at most 10 s, the length of a window")
        } else if name == "input.transcript_shift_secs" && number.abs() > LONGEST_SHIFT_SECS {
            Some("at most 48 hours either way, in seconds")
        } else if LEAST_SCORES.contains(&name.as_str()) && number < LEAST_SCORE {
            Some("0.05 to 1: below, a face is seen everywhere")
        } else if name.ends_with("_side_px") && number < 64.0 {
            Some("64 or more")
        } else {
            None
        };
        if let Some(expected) = expected {
            return Err(Error::Recipe { place: name, what: format!("{value} is no sensible value, expected {expected}") });
        }
    }
    Ok(())
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

/// Limits that cannot both be kept.
fn check_pairs(recipe: &Recipe) -> Result<()> {
    if let (AudioMix::All, Some(index)) = (recipe.input.mix(), recipe.input.audio_stream.index()) {
        let what = format!("all audio streams are to be mixed, and stream {index} alone to be taken");
        return Err(Error::Recipe { place: "input.audio_stream with input.audio_mix or input.track_speakers".into(), what });
    }
    let (least, most) = (recipe.face.persons_min, recipe.face.persons_max);
    if most > 0 && least > most {
        let what = format!("at least {least} and at most {most} persons");
        return Err(Error::Recipe { place: "face.persons_min, face.persons_max".into(), what });
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
        let e = Recipe::load(None, &["face.detect_side=64".into()]).unwrap_err().to_string();
        assert!(e.contains("unknown key \"face.detect_side\"; did you mean \"detect_side_px\"?"), "{e}");
        let e = Recipe::load(None, &["face.rate_hz=fast".into()]).unwrap_err().to_string();
        assert!(e.contains("expected float"), "{e}");
        let e = Recipe::load(None, &["face.rate_hz".into()]).unwrap_err().to_string();
        assert!(e.contains("KEY=VALUE"), "{e}");
    }

    #[test]
    fn numbers_without_sense_are_refused_before_any_work() {
        for wrong in [
            "speaker.clustering.unit_secs=0",
            "speaker.segmentation.step_secs=1000",
            "speaker.resegmentation.window_secs=0",
            "speaker.vad.onset_probability=7",
            "face.rate_hz=-1",
            "face.rate_hz=nan",
            "face.detect_side_px=1",
            "face.detect_every_secs=-5",
            "face.embeddings_per_track=0",
            "face.track_score=2",
            "face.detect_score=0",
            "face.search_score=0.01",
            "face={persons_min=3, persons_max=2}",
            "voice.min_turn_secs=inf",
            "voice.pitch_min_hz=5000",
            "input.transcript_shift_secs=nan",
            "input.transcript_shift_secs=-172801",
            "input.transcript_shift_secs=2e5",
            "input.audio_mix=both",
            "input={track_speakers=true, audio_stream=1}",
            "input={audio_mix=\"all\", audio_stream=1}",
        ] {
            let e = Recipe::load(None, &[wrong.into()]).unwrap_err();
            assert!(matches!(e, Error::Recipe { .. }), "{wrong}: {e}");
        }
        Recipe::load(None, &["input.transcript_shift_secs=-2.5".into(), "face.rate_hz=0".into()]).unwrap();
    }

    /// Whatever a key's type is, a number that it cannot hold is refused with the key's name.
    #[test]
    fn no_number_is_taken_that_its_field_cannot_hold() {
        let tree = tree_of(&Recipe::default()).unwrap();
        let (mut narrow, mut integers) = (0, 0);
        for (name, value) in leaves(&tree, "") {
            let refused = |text: &str| {
                let e = Recipe::load(None, &[format!("{name}={text}")]).unwrap_err();
                assert!(matches!(e, Error::Recipe { .. }) && e.to_string().contains(&name), "{name}={text}: {e}");
            };
            match value {
                toml::Value::Float(_) => {
                    // What passes must be held: it is the same number in the typed recipe.
                    for text in ["1e300", "-1e300", "1e39", "1e-300", "1e-46", "0.7"] {
                        let given: f64 = text.parse().unwrap();
                        match Recipe::load(None, &[format!("{name}={text}")]) {
                            Ok(recipe) => {
                                let typed = tree_of(&recipe).unwrap();
                                let held = leaves(&typed, "").into_iter().find(|(n, _)| *n == name).unwrap().1.as_float().unwrap();
                                assert!((held - given).abs() <= 1e-6 * given.abs(), "{name}: {given} became {held}");
                            }
                            Err(e) => {
                                narrow += usize::from(text == "1e39" && e.to_string().contains("can hold"));
                                // Limits of several keys together tell the stage and the key's own name.
                                let own = name.rsplit('.').next().unwrap();
                                assert!(e.to_string().contains(own), "{name}={text}: {e}");
                            }
                        }
                    }
                }
                toml::Value::Integer(_) => {
                    integers += 1;
                    refused("1e3");
                    refused("9223372036854775808");
                    if !MAY_BE_NEGATIVE.contains(&name.as_str()) {
                        refused("-1");
                    }
                    let wide = 5_000_000_000_i64;
                    match Recipe::load(None, &[format!("{name}={wide}")]) {
                        Ok(recipe) => assert!(leaves(&tree_of(&recipe).unwrap(), "").contains(&(name.clone(), &wide.into())), "{name}"),
                        Err(e) => assert!(e.to_string().contains(&name), "{e}"),
                    }
                }
                _ => {}
            }
        }
        assert!(narrow >= 2 && integers > 3, "{narrow} 32-bit floats, {integers} integers");
        let e = Recipe::load(None, &["face.rate_hz=9007199254740993".into()]).unwrap_err().to_string();
        assert!(e.contains("face.rate_hz"), "{e}");
    }

    #[test]
    fn the_shipped_recipe_is_the_default() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("pipelines/default.toml");
        assert_eq!(Recipe::load(Some(&path), &[]).unwrap(), Recipe::default());
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text.trim(), Recipe::default().to_toml().unwrap().trim(), "pipelines/default.toml is old; see `turnwise recipe`");
    }
}
