//! Enrolment: pictures that name people. The largest face of each is embedded as the looks of a track are.

use std::io::BufReader;
use std::path::Path;

use image::RgbImage;

use super::detect::{self, Detector, Settings};
use super::identity;
use crate::error::{Error, Result};
use crate::file::listed;
use crate::text::clean;

/// Endings of pictures, lower case.
const ENDINGS: [&str; 3] = ["png", "jpg", "jpeg"];
/// Least detector score of a face in a picture made to show one.
const LEAST_SCORE: f32 = 0.6;
const LONGEST_SIDE_PX: u32 = 1280;
/// Pixels of a picture: more than cameras have. A header may claim any number.
const MOST_PIXELS: u64 = 100_000_000;
/// Bytes the decoder may ask for: such a picture with 16 bits a channel and an alpha channel.
const MOST_BYTES: u64 = 8 * MOST_PIXELS;

/// A named face.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Enrolled {
    pub name: String,
    pub embedding: Vec<f32>,
}

/// All pictures of a folder, by path: a picture's stem is the name, or the name of the folder it lies in inside `dir`.
///
/// # Errors
/// [`Error::Read`] when the folder cannot be read, [`Error::Parse`] for a picture that cannot be read or shows no face,
/// or when there is no picture at all; [`Error::Model`].
pub(super) fn read(models: (&mut detect::Model, &identity::Model), dir: &Path) -> Result<Vec<Enrolled>> {
    let (detector, recognition) = models;
    let mut enrolled = Vec::new();
    let mut embed = |picture: &Path| embed((&mut *detector, recognition), picture);
    for path in listed(dir)? {
        if path.is_dir() {
            let name = stem(&path);
            for picture in listed(&path)?.iter().filter(|p| is_picture(p)) {
                enrolled.push(Enrolled { name: name.clone(), embedding: embed(picture)? });
            }
        } else if is_picture(&path) {
            enrolled.push(Enrolled { name: stem(&path), embedding: embed(&path)? });
        }
    }
    if enrolled.is_empty() {
        return Err(Error::parse(
            dir,
            0,
            "no picture in the enrolment folder",
            "put in one PNG or JPEG a person, named as the person",
        ));
    }
    Ok(enrolled)
}

fn is_picture(path: &Path) -> bool {
    !path.is_dir() && path.extension().is_some_and(|e| ENDINGS.contains(&e.to_string_lossy().to_lowercase().as_str()))
}

fn stem(path: &Path) -> String {
    // A name goes into tables and names of files.
    path.file_stem().map(|s| clean(&s.to_string_lossy()).into_owned()).unwrap_or_default()
}

/// The picture, refused by what its header claims before room is made for it.
fn picture(path: &Path) -> Result<RgbImage> {
    let smaller = || format!("give one of at most {MOST_PIXELS} pixels; the face alone is enough");
    let unreadable = |e: image::ImageError| match e {
        image::ImageError::Limits(_) => Error::parse(path, 0, "the picture is too large", smaller()),
        e => Error::parse(path, 0, e.to_string(), "give a PNG or JPEG"),
    };
    let open = || {
        let reader = image::ImageReader::new(BufReader::new(crate::file::open(path)?)).with_guessed_format();
        reader.map_err(|source| Error::Read { path: path.to_owned(), source })
    };
    let (width, height) = open()?.into_dimensions().map_err(unreadable)?;
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        let what = format!("a picture of {width}x{height} pixels");
        return Err(Error::parse(path, 0, what, smaller()));
    }
    let mut reader = open()?;
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(MOST_BYTES);
    reader.limits(limits);
    Ok(reader.decode().map_err(unreadable)?.to_rgb8())
}

fn embed((detector, recognition): (&mut detect::Model, &identity::Model), path: &Path) -> Result<Vec<f32>> {
    let picture = picture(path)?;
    let settings = Settings {
        side_px: LONGEST_SIDE_PX,
        enlarge: detect::ENLARGE,
        score: LEAST_SCORE,
        iou: 0.4,
        min_size_px: 16.0,
    };
    let found = Detector::default().detect(detector, &picture, settings)?;
    let none = || Error::parse(path, 0, "no face", "an enrolment picture shows one person's face from the front");
    let face = found.iter().max_by(|a, b| a.bounds.area().total_cmp(&b.bounds.area())).ok_or_else(none)?;
    recognition.embed(&identity::chip(&picture, &identity::square(face.bounds)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CRC-32 as PNG has it.
    fn crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0_u32, |crc, &b| (0..8).fold(crc ^ u32::from(b), |c, _| (c >> 1) ^ (0xEDB8_8320 * (c & 1))))
    }

    /// A PNG of a header and one empty piece of picture.
    fn claim(width: u32, height: u32) -> Vec<u8> {
        let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
        let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
        for (name, data) in [(b"IHDR", header.as_slice()), (b"IDAT", &[])] {
            png.extend((data.len() as u32).to_be_bytes());
            png.extend(name);
            png.extend(data);
            png.extend(crc(&[name, data].concat()).to_be_bytes());
        }
        png
    }

    #[test]
    fn a_picture_of_any_size_a_header_can_name_is_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("anna.png");
        for (width, height) in [(30_000, 30_000), (2_000_000_000, 1), (0x7FFF_FFFF, 0x7FFF_FFFF)] {
            std::fs::write(&path, claim(width, height)).unwrap();
            let e = picture(&path).unwrap_err();
            assert!(matches!(e, Error::Parse { .. }) && e.to_string().contains("give one of at most"), "{e}");
        }
        RgbImage::new(40, 30).save(&path).unwrap();
        assert_eq!(picture(&path).unwrap().dimensions(), (40, 30));
    }
}
