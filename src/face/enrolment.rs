//! Enrolment: pictures that name people. The largest face of each is embedded as the looks of a track are.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use super::detect::{self, Detector, Settings};
use super::landmark::Mesher;
use super::{FaceModels, identity};
use crate::error::{Error, Result};
use crate::text::clean;

/// Endings of pictures, lower case.
const ENDINGS: [&str; 3] = ["png", "jpg", "jpeg"];
/// Least detector score of a face in a picture made to show one.
const LEAST_SCORE: f32 = 0.6;
const LONGEST_SIDE_PX: u32 = 1280;

/// A named face.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Enrolled {
    pub name: String,
    pub embedding: Vec<f32>,
}

/// All pictures of a folder, by path: a picture's stem is the name, or the name of the folder it lies in inside `dir`.
///
/// # Errors
/// [`Error::Read`] when the folder cannot be read, [`Error::Parse`] for a picture that cannot be read or shows no face, or when there
/// is no picture at all; [`Error::Model`].
pub(super) fn read(models: &mut FaceModels, dir: &Path) -> Result<Vec<Enrolled>> {
    let mut enrolled = Vec::new();
    for path in listing(dir)? {
        if path.is_dir() {
            let name = stem(&path);
            for picture in listing(&path)?.iter().filter(|p| is_picture(p)) {
                enrolled.push(Enrolled { name: name.clone(), embedding: embed(models, picture)? });
            }
        } else if is_picture(&path) {
            enrolled.push(Enrolled { name: stem(&path), embedding: embed(models, &path)? });
        }
    }
    if enrolled.is_empty() {
        return Err(Error::parse(dir, 0, "no picture in the enrolment folder", "put in one PNG or JPEG a person, named as the person"));
    }
    Ok(enrolled)
}

fn listing(dir: &Path) -> Result<Vec<PathBuf>> {
    let fail = |source| Error::Read { path: dir.to_owned(), source };
    let mut paths =
        std::fs::read_dir(dir).map_err(fail)?.map(|e| e.map(|e| e.path())).collect::<std::io::Result<Vec<_>>>().map_err(fail)?;
    paths.sort();
    Ok(paths)
}

fn is_picture(path: &Path) -> bool {
    !path.is_dir() && path.extension().is_some_and(|e| ENDINGS.contains(&e.to_string_lossy().to_lowercase().as_str()))
}

fn stem(path: &Path) -> String {
    // A name goes into tables and names of files.
    path.file_stem().map(|s| clean(&s.to_string_lossy()).into_owned()).unwrap_or_default()
}

fn embed(models: &mut FaceModels, path: &Path) -> Result<Vec<f32>> {
    let no_picture = |e: image::ImageError| Error::parse(path, 0, e.to_string(), "give a PNG or JPEG");
    let reader = image::ImageReader::new(BufReader::new(crate::file::open(path)?)).with_guessed_format();
    let reader = reader.map_err(|source| Error::Read { path: path.to_owned(), source })?;
    let picture = reader.decode().map_err(no_picture)?.to_rgb8();
    let settings = Settings { side_px: LONGEST_SIDE_PX, enlarge: detect::ENLARGE, score: LEAST_SCORE, iou: 0.4, min_size_px: 16.0 };
    let found = Detector::default().detect(&mut models.detector, &picture, settings)?;
    let none = || Error::parse(path, 0, "no face", "an enrolment picture shows one person's face from the front");
    let face = found.iter().max_by(|a, b| a.bounds.area().total_cmp(&b.bounds.area())).ok_or_else(none)?;
    let mut mesher = Mesher::default();
    let first = mesher.look(&mut models.landmarks, &picture, &face.roi())?;
    // The second look is placed by the first, as in a video.
    let mesh = mesher.look(&mut models.landmarks, &picture, &first.roi())?;
    let chip = identity::chip(&picture, &mesh.points).ok_or_else(none)?;
    identity::embed(&mut models.recognition, &chip)
}
