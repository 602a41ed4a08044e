//! The loaded models of the room. One set per worker: a run needs each exclusively.

use super::{FaceConfig, detect, expression};
use crate::error::Result;
use crate::inference::{Registry, Runtime, Session};

/// Sessions of [`super::models`].
#[derive(Debug)]
pub struct FaceModels {
    pub(super) detector: detect::Model,
    pub(super) short_range: Session,
    pub(super) landmarks: Session,
    pub(super) blendshapes: Session,
    pub(super) recognition: Session,
    pub(super) expression: expression::Model,
}

impl FaceModels {
    /// Loads all models of the room.
    ///
    /// # Errors
    /// Those of [`Session::load`]; [`crate::error::Error::ModelContract`] when a model of the recipe's choice says not how it is used.
    pub fn load(registry: &Registry, config: &FaceConfig, runtime: Runtime) -> Result<Self> {
        Ok(FaceModels {
            detector: detect::Model::load(registry, &config.detector, runtime)?,
            short_range: Session::load(registry, super::short_range::MODEL, runtime)?,
            landmarks: Session::load(registry, super::landmark::MODEL, runtime)?,
            blendshapes: Session::load(registry, super::blendshape::MODEL, runtime)?,
            recognition: Session::load(registry, super::identity::MODEL, runtime)?,
            expression: expression::Model::load(registry, &config.expression, runtime)?,
        })
    }

    /// All of them, to ask what they did.
    pub fn sessions(&mut self) -> [&mut Session; 6] {
        [
            &mut self.detector.session,
            &mut self.short_range,
            &mut self.landmarks,
            &mut self.blendshapes,
            &mut self.recognition,
            &mut self.expression.session,
        ]
    }
}
