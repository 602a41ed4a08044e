//! The loaded models of the room. One set per worker: a run needs each exclusively.

use crate::error::Result;
use crate::inference::{Registry, Runtime, Session};

/// Sessions of [`super::MODELS`].
#[derive(Debug)]
pub struct FaceModels {
    pub(super) detector: Session,
    pub(super) short_range: Session,
    pub(super) landmarks: Session,
    pub(super) blendshapes: Session,
    pub(super) recognition: Session,
    pub(super) expression: Session,
}

impl FaceModels {
    /// Loads all models of the room.
    ///
    /// # Errors
    /// Those of [`Session::load`].
    pub fn load(registry: &Registry, runtime: Runtime) -> Result<Self> {
        Ok(FaceModels {
            detector: Session::load(registry, super::detect::MODEL, runtime)?,
            short_range: Session::load(registry, super::short_range::MODEL, runtime)?,
            landmarks: Session::load(registry, super::landmark::MODEL, runtime)?,
            blendshapes: Session::load(registry, super::blendshape::MODEL, runtime)?,
            recognition: Session::load(registry, super::identity::MODEL, runtime)?,
            expression: Session::load(registry, super::expression::MODEL, runtime)?,
        })
    }

    /// All of them, to ask what they did.
    pub fn sessions(&mut self) -> [&mut Session; 6] {
        [&mut self.detector, &mut self.short_range, &mut self.landmarks, &mut self.blendshapes, &mut self.recognition, &mut self.expression]
    }
}
