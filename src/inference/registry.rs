//! The model registry: what `onnx/models.toml` says of each file, and whether the file is there and unaltered.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Deserialize;

use super::hash::file_sha256;
use super::places::{self, Choice};
use crate::error::{Error, Result};

/// The registry the binary was built with.
const EMBEDDED: &str = include_str!("../../onnx/models.toml");

/// Environment variable that names the models folder.
const MODELS_ENV: &str = "TURNWISE_MODELS";

/// One tensor of a model's contract.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct TensorSpec {
    /// Name in the graph.
    pub name: String,
    /// `f32`, `f64` or `i64`.
    pub dtype: String,
    /// Dimensions; a text stands for a free one.
    pub shape: Vec<toml::Value>,
}

impl TensorSpec {
    /// Dimensions with `None` for a free one.
    pub fn dims(&self) -> Vec<Option<i64>> {
        self.shape.iter().map(toml::Value::as_integer).collect()
    }

    /// As told to people: `input f32 [batch, 576]`.
    pub fn text(&self) -> String {
        let dims: Vec<String> =
            self.shape.iter().map(|d| d.as_str().map_or_else(|| d.to_string(), ToOwned::to_owned)).collect();
        format!("{} {} [{}]", self.name, self.dtype, dims.join(", "))
    }
}

/// Where a file comes from: a package, its client, and the file in it.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct PackageSource {
    /// `pip`, `npm` or `cargo`.
    #[serde(default)]
    pub client: String,
    /// Package name.
    #[serde(default)]
    pub package: String,
    /// Package version.
    #[serde(default)]
    pub version: String,
    /// The file in the package.
    #[serde(default)]
    pub path: String,
    /// The file in an archive that `path` is.
    #[serde(default)]
    pub member: String,
    /// Of the file in the package.
    #[serde(default)]
    pub sha256: String,
}

/// Order of a picture's planes.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Colour {
    /// Red, green, blue.
    Rgb,
    /// Blue, green, red.
    Bgr,
}

/// How a picture's values (0 to 255) become a model's input of three planes: (value - mean) / std, each in the order of
/// the planes.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct PictureSpec {
    /// Order of the planes.
    pub colour: Colour,
    /// Taken off.
    #[serde(default)]
    pub mean: [f32; 3],
    /// Divided by.
    #[serde(default = "ones")]
    pub std: [f32; 3],
}

impl ModelEntry {
    /// What is said of an entry that cannot serve as `role`.
    pub fn unfit(&self, role: &str, expected: &str, got: String) -> Error {
        Error::ModelContract {
            name: self.name.clone(),
            tensor: format!("entry as {role}"),
            expected: expected.into(),
            got,
        }
    }

    /// How the entry says that it is fed and read, in words.
    pub fn usage(&self) -> String {
        let picture = if self.picture.is_some() { "a picture" } else { "no picture" };
        let answer = match self.answer {
            None => "no answer".to_owned(),
            Some(answer) => format!("answer = \"{}\"", format!("{answer:?}").to_lowercase()),
        };
        format!("{picture} and {answer}")
    }
}

impl PictureSpec {
    /// Red, green and blue planes of values 0 to 255, one after the other, as the model wants them.
    pub fn apply(&self, planes: &mut [f32]) {
        let n = planes.len() / 3;
        if self.colour == Colour::Bgr {
            let (red, rest) = planes.split_at_mut(n);
            red.swap_with_slice(&mut rest[n..2 * n]);
        }
        if (self.mean, self.std) == ([0.0; 3], ones()) {
            return;
        }
        for ((plane, mean), std) in planes.chunks_exact_mut(n.max(1)).zip(self.mean).zip(self.std) {
            plane.iter_mut().for_each(|v| *v = (*v - mean) / std);
        }
    }
}

fn ones() -> [f32; 3] {
    [1.0; 3]
}

/// What a face detector's or an expression model's outputs are.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum OutputKind {
    /// Detector: box and keypoint regressions and scores of RetinaFace's anchors.
    Retinaface,
    /// Detector: boxes (left, top, right, bottom in px of the input), scores, and where there are three outputs five
    /// keypoints (x, y).
    Boxes,
    /// Classes: probabilities.
    Probabilities,
    /// Classes: logits, of which softmax makes probabilities.
    Logits,
}

/// One model. A key that is not known is an error: a slip in `labels` would be a model without class names.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ModelEntry {
    /// Registry name.
    pub name: String,
    /// What it is for.
    pub role: String,
    /// File name in the models folder.
    pub file: String,
    /// Of that file, lower-case hexadecimal.
    pub sha256: String,
    /// Its size, 0 where it is not told.
    #[serde(default)]
    pub bytes: u64,
    /// How it is made from the file in the package; a name of `onnx/`'s converters.
    #[serde(default)]
    pub conversion: String,
    /// Licence of the weights.
    pub licence: String,
    /// Who made it.
    pub origin: String,
    /// Package it is taken from.
    pub source: Option<PackageSource>,
    /// Input contract.
    pub inputs: Vec<TensorSpec>,
    /// Output contract, in the order results are given.
    pub outputs: Vec<TensorSpec>,
    /// Class names of the outputs, where the model has classes.
    #[serde(default)]
    pub labels: Vec<String>,
    /// How pictures are fed, for detectors and expression models.
    pub picture: Option<PictureSpec>,
    /// What the outputs are, for detectors and expression models.
    pub answer: Option<OutputKind>,
    /// Indices of the landmarks the model takes, where it takes a subset.
    #[serde(default)]
    pub landmark_subset: Vec<usize>,
    /// Pre- and post-processing in words.
    #[serde(default)]
    pub notes: String,
    /// False for models that only a recipe asks for.
    #[serde(default = "yes")]
    pub default: bool,
}

/// ONNX Runtime's shared library.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct RuntimeEntry {
    /// File name in the models folder.
    pub file: String,
    /// Version of the library.
    pub version: String,
    /// Of the file.
    pub sha256: String,
    /// Licence.
    pub licence: String,
    /// Who made it, and for which machines.
    #[serde(default)]
    pub origin: String,
    /// Package it is taken from.
    pub source: Option<PackageSource>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RegistryFile {
    schema: u32,
    runtime: Option<RuntimeEntry>,
    #[serde(default)]
    model: Vec<ModelEntry>,
}

fn yes() -> bool {
    true
}

/// Is a file of the registry there, and is it the right one?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelState {
    /// There, hash as expected.
    Present,
    /// Not there.
    Missing,
    /// There with another hash.
    Altered {
        /// The hash found.
        got: String,
    },
}

/// All known models and the folder their files are in.
#[derive(Clone, Debug)]
pub struct Registry {
    dir: PathBuf,
    choice: Choice,
    /// ONNX Runtime's library in the Python package installed beside the program.
    packaged: Option<PathBuf>,
    runtime: RuntimeEntry,
    models: BTreeMap<String, ModelEntry>,
}

impl Registry {
    /// The embedded registry over the models folder: `dir`, else `TURNWISE_MODELS`, else the first that holds the
    /// models of `models`, `onnx/models` and `share/turnwise/models` beside the program's real file and its ancestors,
    /// `onnx/models` under the working directory, and the user's data folder. A `models.toml` inside the folder adds
    /// models or replaces them, but for one below the working directory that nobody named.
    ///
    /// # Errors
    /// [`Error::Parse`] when a registry file is not understood.
    pub fn open(dir: Option<&Path>) -> Result<Self> {
        let variable = std::env::var_os(MODELS_ENV).map(PathBuf::from);
        let named = dir.map(Path::to_owned).or_else(|| variable.clone());
        let mut registry = Self::parse(EMBEDDED, Path::new("onnx/models.toml"), PathBuf::new())?;
        let program = places::program();
        (registry.dir, registry.choice) = match named {
            Some(dir) if variable.as_ref() == Some(&dir) => (dir, Choice::Variable),
            Some(dir) => (dir, Choice::Named),
            None => {
                let of_default = registry.models.values().filter(|m| m.default);
                let wanted: Vec<_> = of_default.map(|m| (m.file.as_str(), m.bytes)).collect();
                let places = places::looked_at(places::candidates(program.as_deref()), &wanted);
                (places::chosen(&places), Choice::Found(places))
            }
        };
        let own = registry.own();
        if own.is_file() && registry.unread().is_none() {
            let text = crate::file::read_text(&own)?;
            registry.extend(&text, &own)?;
        }
        let package = registry.runtime.source.as_ref().filter(|source| source.client == "pip");
        registry.packaged = package.and_then(|source| places::of_package(program.as_deref()?, &source.path));
        Ok(registry)
    }

    /// A registry from text, for tests and other tools.
    ///
    /// # Errors
    /// [`Error::Parse`] when the text is not understood or has no `[runtime]`.
    pub fn parse(text: &str, place: &Path, dir: PathBuf) -> Result<Self> {
        let file = read(text, place)?;
        let runtime =
            file.runtime.ok_or_else(|| Error::parse(place, 0, "no [runtime] table", "name ONNX Runtime's library"))?;
        let models = file.model.into_iter().map(|m| (m.name.clone(), m)).collect();
        Ok(Registry { dir, choice: Choice::Named, packaged: None, runtime, models })
    }

    fn extend(&mut self, text: &str, place: &Path) -> Result<()> {
        let file = read(text, place)?;
        if let Some(runtime) = file.runtime {
            self.runtime = runtime;
        }
        self.models.extend(file.model.into_iter().map(|m| (m.name.clone(), m)));
        Ok(())
    }

    /// The models folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    fn own(&self) -> PathBuf {
        self.dir.join("models.toml")
    }

    /// A `models.toml` that is there and was not read: below the working directory, in a folder that nobody named. A
    /// corpus that was handed over must not bring a library that is then loaded.
    pub fn unread(&self) -> Option<PathBuf> {
        let found_here = matches!(self.choice, Choice::Found(_)) && self.dir == Path::new(places::HERE);
        found_here.then(|| self.own()).filter(|own| own.is_file())
    }

    /// Why it is this folder.
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    /// ONNX Runtime's entry.
    pub fn runtime(&self) -> &RuntimeEntry {
        &self.runtime
    }

    /// The library to load: `ORT_DYLIB_PATH` if set, else the one in the models folder, else the one of the Python
    /// package `onnxruntime` that is installed where the program is.
    pub fn runtime_path(&self) -> PathBuf {
        std::env::var_os("ORT_DYLIB_PATH").map_or_else(|| self.own_runtime(), PathBuf::from)
    }

    /// The same without the user's own choice.
    fn own_runtime(&self) -> PathBuf {
        let beside = self.dir.join(&self.runtime.file);
        if beside.is_file() { beside } else { self.packaged.clone().unwrap_or(beside) }
    }

    /// All models, by name.
    pub fn models(&self) -> impl Iterator<Item = &ModelEntry> {
        self.models.values()
    }

    /// One model.
    ///
    /// # Errors
    /// [`Error::Usage`] for a name that is not registered, with those that are.
    pub fn model(&self, name: &str) -> Result<&ModelEntry> {
        self.models.get(name).ok_or_else(|| Error::Usage {
            what: format!("no model called \"{name}\""),
            hint: format!("known are {}", self.models.keys().cloned().collect::<Vec<_>>().join(", ")),
        })
    }

    /// Where a model's file is looked for.
    pub fn path(&self, entry: &ModelEntry) -> PathBuf {
        self.dir.join(&entry.file)
    }

    /// Hashes a model's file.
    ///
    /// # Errors
    /// [`Error::Read`] when the file is there but cannot be read.
    pub fn state(&self, entry: &ModelEntry) -> Result<ModelState> {
        state(&self.path(entry), &entry.sha256)
    }

    /// Hashes ONNX Runtime's library.
    ///
    /// # Errors
    /// [`Error::Read`] when the file is there but cannot be read.
    pub fn runtime_state(&self) -> Result<ModelState> {
        state(&self.own_runtime(), &self.runtime.sha256)
    }

    /// Checks that ONNX Runtime's library is there and unaltered; one named by `ORT_DYLIB_PATH` is the user's own
    /// choice.
    ///
    /// # Errors
    /// [`Error::ModelMissing`] or [`Error::ModelHash`].
    pub fn verify_runtime(&self) -> Result<()> {
        if std::env::var_os("ORT_DYLIB_PATH").is_some() {
            return Ok(());
        }
        let (name, path, expected) = ("ONNX Runtime".to_owned(), self.own_runtime(), self.runtime.sha256.clone());
        match self.runtime_state()? {
            ModelState::Present => Ok(()),
            ModelState::Missing => Err(Error::ModelMissing { name, path, expected }),
            ModelState::Altered { got } => Err(Error::ModelHash { name, path, expected, got }),
        }
    }

    /// Checks that the named models are there and unaltered, before anything is decoded.
    ///
    /// # Errors
    /// [`Error::ModelMissing`] or [`Error::ModelHash`] for the first that is not.
    pub fn verify<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let names: Vec<&str> = names.into_iter().collect();
        let look = |name: &&str| self.model(name).and_then(|entry| Ok((entry, self.state(entry)?)));
        let looks: Vec<Result<(&ModelEntry, ModelState)>> = names.par_iter().map(look).collect();
        for (name, look) in names.into_iter().zip(looks) {
            let (entry, state) = look?;
            let (name, path, expected) = (name.to_owned(), self.path(entry), entry.sha256.clone());
            match state {
                ModelState::Present => {}
                ModelState::Missing => return Err(Error::ModelMissing { name, path, expected }),
                ModelState::Altered { got } => return Err(Error::ModelHash { name, path, expected, got }),
            }
        }
        Ok(())
    }
}

fn read(text: &str, place: &Path) -> Result<RegistryFile> {
    let file: RegistryFile = toml::from_str(text)
        .map_err(|e| Error::parse(place, 0, e.message().to_owned(), "see onnx/README.md for the form of an entry"))?;
    for model in &file.model {
        if model
            .picture
            .as_ref()
            .is_some_and(|p| p.std.iter().chain(&p.mean).any(|v| !v.is_finite()) || p.std.contains(&0.0))
        {
            let what = format!("picture of model {}: mean and std must be numbers, std not 0", model.name);
            return Err(Error::parse(place, 0, what, "see onnx/README.md"));
        }
    }
    if file.schema != 1 {
        return Err(Error::parse(place, 0, format!("schema = {}", file.schema), "this version reads schema 1"));
    }
    Ok(file)
}

fn state(path: &Path, expected: &str) -> Result<ModelState> {
    if !path.is_file() {
        return Ok(ModelState::Missing);
    }
    let got = file_sha256(path)?;
    Ok(if got == expected { ModelState::Present } else { ModelState::Altered { got } })
}
