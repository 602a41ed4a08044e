//! The loaded models of the room. One set per worker: a run needs each exclusively.

use super::{FaceConfig, detect, expression, identity};
use crate::error::Result;
use crate::inference::{Loader, ModelSet, Session};

/// Sessions of the room.
#[derive(Debug)]
pub struct FaceModels {
    pub(super) detector: detect::Model,
    pub(super) short_range: Session,
    /// The same twice: faces of one picture are looked at side by side.
    pub(super) landmarks: [Session; 2],
    pub(super) blendshapes: Session,
    pub(super) recognition: identity::Model,
    pub(super) expression: expression::Model,
}

impl ModelSet for FaceModels {
    type Config = FaceConfig;

    fn open(loader: &mut Loader<'_>, config: &FaceConfig) -> Result<Self> {
        Ok(FaceModels {
            detector: detect::Model::open(loader, &config.detector)?,
            short_range: loader.session(super::short_range::MODEL)?,
            landmarks: [loader.session(super::landmark::MODEL)?, loader.session(super::landmark::MODEL)?],
            blendshapes: loader.session(super::blendshape::MODEL)?,
            recognition: identity::Model::open(loader)?,
            expression: expression::Model::open(loader, &config.expression)?,
        })
    }
}
