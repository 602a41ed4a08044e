//! Results of stages kept between runs: a recipe that is changed redoes what it touches, and a transcript that is
//! corrected asks no model and decodes no picture again.
//!
//! A result lies in `OUT/.stages/<stage>/<interview_id>.stage`, under a key that is a hash of all it depends on: the
//! contents read, the recipe's keys that the stage can see (see `recipe/stages.rs`), the models, the program itself,
//! the libraries and the kind of processor. It is exact to the last bit, its warnings are part of it, and so the tables
//! of a run that uses it are those of one that does not. It is put in its place only after the inputs were seen to be
//! unchanged. Nothing that goes wrong here costs an interview: the stage is done again, and the result is not kept.

mod file;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::audio::VoiceModels;
use crate::body::BodyModels;
use crate::error::{Error, Result};
use crate::face::FaceModels;
use crate::inference::{ModelSet, Registry, file_sha256};
use crate::media::ffmpeg_version;
use crate::recipe::Recipe;
use crate::speaker::SpeakerModels;
use crate::store::paths::stage_path;
use crate::store::whole::Unfinished;

/// A stage whose result is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Level, pitch and descriptors, frame by frame.
    Voice,
    /// What the speaker models say.
    Speakers,
    /// Faces, bodies and all else that is seen.
    Faces,
}

impl Stage {
    const ALL: [Stage; 3] = [Stage::Voice, Stage::Speakers, Stage::Faces];

    /// Name of its folder.
    fn name(self) -> &'static str {
        match self {
            Stage::Voice => "voice",
            Stage::Speakers => "speakers",
            Stage::Faces => "faces",
        }
    }

    fn models(self, registry: &Registry, recipe: &Recipe) -> Result<Vec<String>> {
        match self {
            Stage::Voice => VoiceModels::names(registry, &recipe.voice),
            Stage::Speakers => SpeakerModels::names(registry, &recipe.speaker),
            Stage::Faces if recipe.input.skip_video => Ok(Vec::new()),
            Stage::Faces => {
                let mut names = FaceModels::names(registry, &recipe.face)?;
                if recipe.body.is_on() {
                    names.extend(BodyModels::names(registry, &recipe.body)?);
                }
                Ok(names)
            }
        }
    }
}

/// What is done about results of earlier runs. None of it changes a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// They are used, and new ones kept.
    #[default]
    Use,
    /// None is used; new ones are kept in their place.
    Renew,
    /// None is used, none kept.
    Off,
}

impl Keep {
    /// All of them.
    pub const ALL: [Keep; 3] = [Keep::Use, Keep::Renew, Keep::Off];

    /// As the command line writes it.
    pub fn name(self) -> &'static str {
        match self {
            Keep::Use => "use",
            Keep::Renew => "renew",
            Keep::Off => "off",
        }
    }
}

/// Where results of stages are kept, and what of their keys is the same for all interviews.
#[derive(Debug)]
pub struct StageCache {
    out: PathBuf,
    keep: Keep,
    /// Program, libraries and kind of processor.
    maker: String,
    /// Hashes of the models of each stage.
    models: BTreeMap<Stage, Vec<(String, String)>>,
}

impl StageCache {
    /// Of an output folder; `None` where nothing is to be kept, or where it cannot be told what would be.
    pub fn new(out: &Path, registry: &Registry, recipe: &Recipe, keep: Keep) -> Option<Self> {
        if keep == Keep::Off {
            return None;
        }
        let hash = |name: String| Ok((name.clone(), registry.model(&name)?.sha256.clone()));
        let of_stage = |stage: Stage| {
            let names = stage.models(registry, recipe)?.into_iter();
            Ok((stage, names.map(hash).collect::<Result<Vec<_>>>()?))
        };
        let models: Result<BTreeMap<_, _>> = Stage::ALL.into_iter().map(of_stage).collect();
        match maker(registry).and_then(|maker| Ok((maker, models?))) {
            Ok((maker, models)) => Some(StageCache { out: out.to_owned(), keep, maker, models }),
            Err(e) => {
                tracing::info!("results of stages are neither used nor kept: {}", e.chain());
                None
            }
        }
    }

    /// Removes what is kept of an interview; tells whether there was anything.
    pub(crate) fn forget(&self, interview_id: &str) -> bool {
        let removed = |stage: Stage| {
            let path = stage_path(&self.out, stage.name(), interview_id);
            path.is_ok_and(|path| std::fs::remove_file(path).is_ok())
        };
        Stage::ALL.map(removed).contains(&true)
    }
}

/// The program by its own file, for its version says nothing of a build; FFmpeg by its version; ONNX Runtime by its
/// file; and the instructions by which sums may differ in their last bit.
fn maker(registry: &Registry) -> Result<String> {
    let own =
        std::env::current_exe().map_err(|source| Error::Read { path: "the program's own file".into(), source })?;
    let runtime = file_sha256(&registry.runtime_path())?;
    Ok(format!("{} {} {runtime} {}", file_sha256(&own)?, ffmpeg_version(), processor()))
}

#[cfg(target_arch = "x86_64")]
fn processor() -> String {
    let has = [
        ("avx", std::is_x86_feature_detected!("avx")),
        ("avx2", std::is_x86_feature_detected!("avx2")),
        ("fma", std::is_x86_feature_detected!("fma")),
        ("avx512f", std::is_x86_feature_detected!("avx512f")),
        ("avx512vnni", std::is_x86_feature_detected!("avx512vnni")),
    ];
    let there: Vec<&str> = has.into_iter().filter_map(|(name, is_there)| is_there.then_some(name)).collect();
    format!("x86_64 {}", there.join(" "))
}

#[cfg(not(target_arch = "x86_64"))]
fn processor() -> String {
    std::env::consts::ARCH.into()
}

/// The stages of one interview.
pub(crate) struct Stages<'a> {
    cache: Option<&'a StageCache>,
    interview_id: &'a str,
    /// New results under a temporary name.
    new: Mutex<Vec<Unfinished>>,
}

impl<'a> Stages<'a> {
    pub(super) fn new(cache: Option<&'a StageCache>, interview_id: &'a str) -> Self {
        Stages { cache, interview_id, new: Mutex::default() }
    }

    /// True where results are used or kept: what only a key needs need not be made otherwise.
    pub(super) fn are_kept(&self) -> bool {
        self.cache.is_some()
    }

    /// The result of a stage that depends on `on` beside what all stages do: as it was kept, else made. `on` is `None`
    /// for an input that cannot be known again.
    ///
    /// # Errors
    /// Those of `make`.
    pub(super) fn result<T: Serialize + DeserializeOwned>(
        &self,
        stage: Stage,
        on: Option<&impl Serialize>,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let Some((cache, path, key)) = on.and_then(|on| self.place(stage, on)) else { return make() };
        if cache.keep == Keep::Use {
            match file::read(&path, &key) {
                Ok(value) => {
                    tracing::debug!("{}: {} as they were kept", self.interview_id, stage.name());
                    return Ok(value);
                }
                Err(file::Unusable::Other) => {}
                Err(file::Unusable::Damaged(what)) => {
                    tracing::info!("{}: {} is not used and is made anew: {what}", self.interview_id, path.display());
                }
            }
        }
        let value = make()?;
        if !cache.out.is_dir() {
            // Moved or deleted meanwhile: it is not made again for this.
            return Ok(value);
        }
        match begin(&path, &key, &value) {
            Ok(new) => self.new.lock().unwrap_or_else(PoisonError::into_inner).push(new),
            Err(e) => tracing::info!("{}: {} are not kept: {}", self.interview_id, stage.name(), e.chain()),
        }
        Ok(value)
    }

    fn place(&self, stage: Stage, on: &impl Serialize) -> Option<(&'a StageCache, PathBuf, file::Key)> {
        let cache = self.cache?;
        let path = stage_path(&cache.out, stage.name(), self.interview_id).ok()?;
        let parts = (stage.name(), &cache.maker, cache.models.get(&stage)?, on);
        let text = serde_json::to_vec(&parts).ok()?;
        Some((cache, path, Sha256::digest(text).into()))
    }

    /// Puts new results in their places: to be called once the inputs are known to be what the keys say. Tells how many
    /// bytes are kept of this interview now.
    pub(super) fn commit(self) -> u64 {
        let new = self.new.into_inner().unwrap_or_else(PoisonError::into_inner);
        for file in new {
            if let Err(e) = file.finish_unsynced() {
                tracing::info!("{}: a result is not kept: {}", self.interview_id, e.chain());
            }
        }
        let Some(cache) = self.cache else { return 0 };
        let bytes = |stage: Stage| {
            let path = stage_path(&cache.out, stage.name(), self.interview_id).ok()?;
            Some(path.metadata().ok()?.len())
        };
        Stage::ALL.into_iter().filter_map(bytes).sum()
    }
}

/// Writes a result under a temporary name; on any failure nothing of it is left.
fn begin(path: &Path, key: &file::Key, value: &impl Serialize) -> Result<Unfinished> {
    // A pipe would be waited for.
    if path.metadata().is_ok_and(|there| !there.is_file()) {
        return Err(Error::write(path, "what is there is no file"));
    }
    let unfinished = Unfinished::begin(path)?;
    let opened = std::fs::File::options().write(true).open(unfinished.path());
    let written = opened.map_err(Into::into).and_then(|file| file::write(file, key, value));
    written.map_err(|cause| Error::write(path, cause))?;
    Ok(unfinished)
}
