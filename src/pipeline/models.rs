//! The models of all rooms, in one list.

use crate::audio::VoiceModels;
use crate::body::BodyModels;
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
    /// `None` where it looks at no bodies.
    pub(super) body: Option<BodyModels>,
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
            body: match recipe.body.is_on() && !recipe.input.skip_video {
                true => Some(BodyModels::open(loader, &recipe.body)?),
                false => None,
            },
            usage: loader.usage(),
        })
    }
}
