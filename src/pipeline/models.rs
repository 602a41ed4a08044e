//! The models of all rooms, in one list.

use crate::audio::VoiceModels;
use crate::error::Result;
use crate::face::FaceModels;
use crate::inference::{Loader, ModelSet, UsageBook};
use crate::recipe::Recipe;
use crate::speaker::SpeakerModels;

/// The loaded models of one worker.
#[derive(Debug)]
pub struct Models {
    pub(super) voice: VoiceModels,
    pub(super) speaker: SpeakerModels,
    /// `None` where the recipe leaves the video out.
    pub(super) face: Option<FaceModels>,
    /// What they are asked.
    pub(super) usage: UsageBook,
}

impl ModelSet for Models {
    type Config = Recipe;

    fn open(loader: &mut Loader<'_>, recipe: &Recipe) -> Result<Self> {
        Ok(Models {
            voice: VoiceModels::open(loader, &recipe.voice)?,
            speaker: SpeakerModels::open(loader, &recipe.speaker)?,
            face: if recipe.input.skip_video { None } else { Some(FaceModels::open(loader, &recipe.face)?) },
            usage: loader.usage(),
        })
    }
}
