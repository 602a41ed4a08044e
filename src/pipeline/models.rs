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
        let ((voice, speaker), (face, body)) = loader.both(
            |loader| Ok((VoiceModels::open(loader, &recipe.voice)?, SpeakerModels::open(loader, &recipe.speaker)?)),
            |loader| {
                let is_seen = !recipe.input.skip_video;
                let face = is_seen.then(|| FaceModels::open(loader, &recipe.face)).transpose()?;
                let body = (recipe.body.is_on() && is_seen).then(|| BodyModels::open(loader, &recipe.body));
                Ok((face, body.transpose()?))
            },
        )?;
        Ok(Models { voice, speaker, face, body, usage: loader.usage() })
    }
}
