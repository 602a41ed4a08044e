//! Pictures to check a run by eye: the best look at each track, and the video with all that was seen drawn on it.

use std::io::{Cursor, Write};
use std::path::Path;

use super::{Faces, Observation, draw};
use crate::error::{Error, Result};
use crate::media::{self, Sampling, StreamPick, VideoWriter};
use crate::store::whole::write_whole;
use crate::time::Seconds;

/// A face is drawn on the frames after it for at most this long, in looked-at intervals.
const SHOWN_INTERVALS: f64 = 1.5;

/// Writes one aligned picture for each track that was seen well enough, if the tracker kept them: `0003_P1.png`.
///
/// # Errors
/// [`Error::Write`].
pub fn write_crops(faces: &Faces, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|e| Error::write(folder, e))?;
    for track in &faces.tracks {
        let Some(crop) = &track.crop else { continue };
        // An enrolled name may hold anything a file's name may.
        let path = folder.join(format!("{:04}_{}.png", track.id, track.person.as_deref().unwrap_or("nobody")));
        let mut png = Cursor::new(Vec::new());
        crop.write_to(&mut png, image::ImageFormat::Png).map_err(|e| Error::write(&path, e))?;
        write_whole(&path, |file| Ok(file.write_all(png.get_ref())?))?;
    }
    Ok(())
}

/// Decodes the video again and writes it to `path` with what was last seen drawn on every frame.
///
/// # Errors
/// Those of [`media::video`] and of its frames; [`Error::Write`].
pub fn draw_video(video: &Path, pick: StreamPick, faces: &Faces, path: &Path) -> Result<()> {
    if let Some(parent) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        std::fs::create_dir_all(parent).map_err(|e| Error::write(parent, e))?;
    }
    let shown_secs = shown_secs(&faces.sampled);
    let mut writer: Option<VideoWriter> = None;
    for frame in media::video(video, Sampling { rate_hz: 0.0, ..Sampling::default() }, pick)? {
        let mut frame = frame?;
        for o in last_seen(faces, frame.pts, shown_secs)? {
            draw(&mut frame.image, &o, named(faces, &o));
        }
        let writer = match &mut writer {
            Some(writer) => writer,
            none => none.insert(VideoWriter::create(path, frame.image.width(), frame.image.height(), None)?),
        };
        writer.push(&frame.image, frame.pts)?;
    }
    writer.map_or(Ok(()), |w| w.finish(None))
}

/// How long a face is drawn after it was seen.
fn shown_secs(sampled: &[Seconds]) -> f64 {
    sampled.windows(2).map(|w| (w[1] - w[0]).get()).fold(0.1, f64::max).min(1.0) * SHOWN_INTERVALS
}

/// All faces of the last frame looked at by `now`, unless that is too long ago.
fn last_seen(faces: &Faces, now: Seconds, shown_secs: f64) -> Result<Vec<Observation>> {
    let looked = faces.sampled.partition_point(|t| *t <= now).checked_sub(1).map(|i| faces.sampled[i]);
    let Some(then) = looked.filter(|then| (now - *then).get() <= shown_secs) else { return Ok(Vec::new()) };
    faces.observations.at(then)
}

/// The person's name and number, from 0 by first appearance.
fn named<'a>(faces: &'a Faces, o: &Observation) -> Option<(&'a str, usize)> {
    let person = faces.person_of(o.track)?;
    Some((person, faces.persons.iter().position(|p| p == person)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::{BoundingBox, Track};

    fn track(id: u32, person: Option<&str>, crop: bool) -> Track {
        Track {
            mean_size_px: 10.0,
            mean_score: 0.9,
            crop: crop.then(|| image::RgbImage::from_pixel(4, 4, image::Rgb([9, 8, 7]))),
            ..Track::bare(id, person, (Seconds::ZERO, Seconds::ZERO), 1)
        }
    }

    #[test]
    fn a_picture_is_named_by_track_and_person() {
        let folder = tempfile::tempdir().unwrap();
        let tracks = vec![track(1, Some("P1"), true), track(2, None, true), track(3, Some("P2"), false)];
        write_crops(&Faces { tracks, ..Faces::default() }, &folder.path().join("crops")).unwrap();
        let entries = std::fs::read_dir(folder.path().join("crops")).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, ["0001_P1.png", "0002_nobody.png"]);
        let picture = image::open(folder.path().join("crops/0001_P1.png")).unwrap().to_rgb8();
        assert_eq!((picture.dimensions(), picture.get_pixel(2, 2).0), ((4, 4), [9, 8, 7]));
    }

    #[test]
    fn a_face_is_drawn_until_the_next_look_or_a_little_longer() {
        let seen = |t: f64, track: u32| Observation::bare(Seconds::of(t), track, BoundingBox::default());
        let faces = Faces {
            observations: vec![seen(0.0, 1), seen(0.2, 1), seen(0.2, 2)].into(),
            sampled: [0.0, 0.2, 0.4].map(Seconds::of).to_vec(),
            tracks: vec![track(1, Some("P1"), false), track(2, None, false)],
            persons: vec!["P1".into()],
            ..Faces::default()
        };
        let shown = shown_secs(&faces.sampled);
        assert!((shown - 0.3).abs() < 1e-9, "{shown}");
        let count = |t: f64| last_seen(&faces, Seconds::of(t), shown).unwrap().len();
        assert_eq!([count(0.0), count(0.1), count(0.2), count(0.3), count(0.4)], [1, 1, 2, 2, 0]);
        let one = Faces { sampled: vec![Seconds::ZERO], ..faces.clone() };
        assert_eq!(last_seen(&one, Seconds::of(0.5), shown).unwrap().len(), 0, "too long ago");
        let all = faces.observations.all();
        assert_eq!((named(&faces, &all[0]), named(&faces, &all[2])), (Some(("P1", 0)), None));
    }
}
