//! Expression: probabilities of seven expressions from the face's box. face-api's network unless the recipe names
//! another one.

use image::RgbImage;
use ndarray::ArrayViewD;

use super::EXPRESSIONS;
use super::crop::{self, Affine, Roi};
use crate::error::{Error, Result};
use crate::inference::{Input, Loader, OutputKind, PictureSpec, Session, TensorSpec};

/// Side of the default model's input, px.
#[cfg(test)]
const SIDE: usize = 112;

/// A loaded expression model and what its registry entry says of it.
#[derive(Debug)]
pub(super) struct Model {
    pub session: Session,
    input: String,
    side: usize,
    picture: PictureSpec,
    answer: OutputKind,
    /// Where each output goes among [`EXPRESSIONS`].
    places: Vec<Option<usize>>,
}

impl Model {
    /// A registered model by its name.
    ///
    /// # Errors
    /// Those of [`Loader::session`]; [`Error::ModelContract`] when the entry is not one of an expression model.
    pub fn open(loader: &mut Loader<'_>, name: &str) -> Result<Self> {
        let entry = loader.entry(name)?;
        let wrong = |expected: &str, got: String| entry.unfit("an expression model", expected, got);
        let (Some(picture), Some(answer @ (OutputKind::Probabilities | OutputKind::Logits))) =
            (&entry.picture, entry.answer)
        else {
            return Err(wrong("picture, and answer = \"probabilities\" or \"logits\"", entry.usage()));
        };
        let dims = entry.inputs.first().map(TensorSpec::dims).unwrap_or_default();
        let (Some(input), [_, Some(3), Some(height), Some(width)]) = (entry.inputs.first(), dims.as_slice()) else {
            return Err(wrong("one input [batch, 3, side, side]", format!("{dims:?}")));
        };
        if height != width || *height < 1 {
            return Err(wrong("a square input", format!("{width}x{height}")));
        }
        let mut labels = entry.labels.clone();
        labels.sort_unstable();
        labels.dedup();
        let outputs = entry.outputs.first().map(TensorSpec::dims).unwrap_or_default();
        if labels.len() != entry.labels.len() || outputs.last() != Some(&Some(entry.labels.len() as i64)) {
            let got = format!(
                "{} labels for the output {}",
                labels.len(),
                entry.outputs.first().map(TensorSpec::text).unwrap_or_default()
            );
            return Err(wrong("one label for each value of the output, each once", got));
        }
        let places: Vec<Option<usize>> = entry.labels.iter().map(|l| EXPRESSIONS.iter().position(|e| e == l)).collect();
        if places.iter().flatten().count() == 0 {
            return Err(wrong(
                &format!("labels, some of {}", EXPRESSIONS.join(", ")),
                format!("labels {:?}", entry.labels),
            ));
        }
        Ok(Model {
            session: loader.session(name)?,
            input: input.name.clone(),
            side: *width as usize,
            picture: picture.clone(),
            answer,
            places,
        })
    }

    /// What the model wants to see of a picture.
    pub fn framing(&self) -> Framing {
        Framing { side: self.side }
    }

    /// Probabilities of a picture that is one face.
    #[cfg(test)]
    pub fn of_picture(&mut self, picture: &RgbImage) -> Result<[f32; EXPRESSIONS.len()]> {
        let scale = |side: u32| side as f32 / SIDE as f32;
        let map = Affine::scale(scale(picture.width()), scale(picture.height()));
        self.of(self.framing().sample(picture, &map))
    }

    /// Probabilities in the order of [`EXPRESSIONS`] of a region that was cut out for it; not a number where the model
    /// has no such class.
    ///
    /// # Errors
    /// [`Error::Model`].
    pub fn of(&mut self, Planes(mut planes): Planes) -> Result<[f32; EXPRESSIONS.len()]> {
        let (side, name) = (self.side, self.session.name().to_owned());
        self.picture.apply(&mut planes);
        let view =
            ArrayViewD::from_shape(vec![1, 3, side, side], planes.as_slice()).map_err(|e| Error::model(name, e))?;
        let outputs = self.session.run(&[(self.input.as_str(), Input::F32(view))])?;
        let mut values = outputs.first().and_then(|o| o.as_slice()).unwrap_or_default().to_vec();
        if values.len() != self.places.len() || values.iter().any(|v| !v.is_finite()) {
            let expected = format!("{} finite values, one a label", self.places.len());
            return Err(Error::Shape { what: "expression probabilities", expected, got: format!("{values:?}") });
        }
        if self.answer == OutputKind::Logits {
            let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            values.iter_mut().for_each(|v| *v = (*v - most).exp());
            let sum: f32 = values.iter().sum();
            values.iter_mut().for_each(|v| *v /= sum);
        }
        let mut named = [f32::NAN; EXPRESSIONS.len()];
        for (place, value) in self.places.iter().zip(values) {
            if let Some(i) = place {
                named[*i] = value;
            }
        }
        Ok(named)
    }
}

/// How a model's pictures are cut out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Framing {
    side: usize,
}

/// A region cut out, values 0 to 255.
#[derive(Debug)]
pub(super) struct Planes(Vec<f32>);

impl Framing {
    /// Cuts a region out.
    pub fn cut(self, picture: &RgbImage, roi: &Roi) -> Planes {
        self.sample(picture, &roi.map(self.side))
    }

    fn sample(self, picture: &RgbImage, map: &Affine) -> Planes {
        let mut planes = vec![0.0; 3 * self.side * self.side];
        crop::sample(picture, map, self.side, 1.0, &mut planes);
        Planes(planes)
    }
}
