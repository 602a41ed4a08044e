//! The loaded models of the room.

use super::BodyConfig;
use crate::error::Result;
use crate::inference::{Loader, ModelSet, Session};

/// Sessions of the room.
#[derive(Debug)]
pub struct BodyModels {
    pub(super) person: Session,
    pub(super) body: Session,
    pub(super) palm: Session,
    pub(super) hand: Session,
}

impl ModelSet for BodyModels {
    type Config = BodyConfig;

    fn open(loader: &mut Loader<'_>, _: &BodyConfig) -> Result<Self> {
        Ok(BodyModels {
            person: loader.session(super::person::DETECTOR.model)?,
            body: loader.session(super::landmark::MODEL)?,
            palm: loader.session(super::palm::DETECTOR.model)?,
            hand: loader.session(super::hand::MODEL)?,
        })
    }
}
