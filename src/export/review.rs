//! Review clips: the piece of an interview that a row spans, seen and heard, cut on the row's exact times.

use std::path::{Path, PathBuf};

use image::RgbImage;

use crate::error::Result;
use crate::media::{self, Sampling, StreamPick, VideoWriter};
use crate::signal::{AudioBuffer, VideoFrame};
use crate::store::whole::Unfinished;
use crate::time::{Seconds, Segment};

/// The clips' sampling rate, mono: speech up to 16 kHz.
const SOUND_HZ: u32 = 32_000;

/// A clip that was cut.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewClip {
    /// The row's `row_index`.
    pub index: u32,
    /// Where it lies.
    pub path: PathBuf,
    /// Seconds; the row's own length unless the media ends before it.
    pub duration_secs: f64,
}

struct OpenClip {
    index: u32,
    span: Segment,
    path: PathBuf,
    writer: VideoWriter,
    /// Until it is whole.
    file: Unfinished,
}

impl OpenClip {
    fn push(&mut self, picture: &RgbImage, pts: Seconds) -> Result<()> {
        self.writer.push(picture, pts).map_err(|e| self.file.named(e))
    }
}

/// Cuts `rows` (`row_index` and span) out of a video in one pass: `folder/001.mp4` and so on, in their order. A clip
/// begins with the frame that is on the screen at the row's start and ends at the row's end; the sound may go on with
/// silence to the end of its last AAC frame (32 ms). Rows without length, or after the media's end, give none.
///
/// # Errors
/// Those of [`media::video`] and [`media::audio`], a missing sound stream apart; [`crate::error::Error::Write`].
pub fn cut(
    video: &Path,
    sound: &Path,
    pick: StreamPick,
    rows: &[(u32, Segment)],
    folder: &Path,
) -> Result<Vec<ReviewClip>> {
    let sound = match media::audio(sound, SOUND_HZ, pick) {
        Ok(decoded) => Some(decoded.buffer),
        Err(e) if e.kind() == "no_stream" => None,
        Err(e) => return Err(e),
    };
    let mut waiting: Vec<(u32, Segment)> = rows.iter().copied().filter(|(_, s)| !s.is_empty()).collect();
    waiting.sort_by(|a, b| a.1.start().cmp(&b.1.start()).then(a.0.cmp(&b.0)));
    waiting.reverse();
    let mut clips = Vec::new();
    let mut open: Vec<OpenClip> = Vec::new();
    let mut last: Option<VideoFrame> = None;
    let mut frames = media::video(video, Sampling { rate_hz: 0.0, ..Sampling::default() }, pick)?;
    for frame in frames.by_ref() {
        let frame = frame?;
        // Rows that have begun: with the picture that was on the screen when they did.
        while let Some((index, span)) = waiting.pop_if(|(_, s)| s.start() <= frame.pts) {
            open.push(begin(index, span, last.as_ref().unwrap_or(&frame), sound.as_ref(), folder)?);
        }
        let (going, over): (Vec<OpenClip>, Vec<OpenClip>) = open.into_iter().partition(|o| frame.pts < o.span.end());
        open = going;
        for done in over {
            clips.push(end(done, None)?);
        }
        for o in &mut open {
            if frame.pts > o.span.start() {
                o.push(&frame.image, Seconds::of((frame.pts - o.span.start()).get()))?;
            }
        }
        last = Some(frame);
    }
    let film_end = frames.finish()?.end;
    let media_end = film_end.into_iter().chain(sound.as_ref().map(AudioBuffer::duration)).max();
    if let (Some(last), Some(media_end)) = (&last, media_end) {
        while let Some((index, span)) = waiting.pop_if(|(_, s)| s.start() < media_end) {
            open.push(begin(index, span, last, sound.as_ref(), folder)?);
        }
        for o in open {
            clips.push(end(o, Some(media_end))?);
        }
    }
    clips.sort_by_key(|c| c.index);
    Ok(clips)
}

fn begin(
    index: u32,
    span: Segment,
    first: &VideoFrame,
    sound: Option<&AudioBuffer>,
    folder: &Path,
) -> Result<OpenClip> {
    let path = folder.join(format!("{index:03}.mp4"));
    let heard = sound.map(|s| (s.slice(span), s.rate_hz())).filter(|(samples, _)| !samples.is_empty());
    let file = Unfinished::begin(&path)?;
    let begun = VideoWriter::create(file.path(), first.image.width(), first.image.height(), heard);
    let mut clip = OpenClip { index, span, path, writer: begun.map_err(|e| file.named(e))?, file };
    clip.push(&first.image, Seconds::ZERO)?;
    Ok(clip)
}

fn end(open: OpenClip, media_end: Option<Seconds>) -> Result<ReviewClip> {
    let end = media_end.map_or(open.span.end(), |m| m.min(open.span.end()));
    let secs = (end - open.span.start()).get();
    open.writer.finish(Some(Seconds::of(secs))).map_err(|e| open.file.named(e))?;
    open.file.finish()?;
    Ok(ReviewClip { index: open.index, path: open.path, duration_secs: secs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbImage;

    /// Ten pictures a second, each of its own grey, and a click in the sound at every full second.
    fn film(path: &Path) {
        let mut sound = vec![0.0f32; 4 * SOUND_HZ as usize];
        (0..4).for_each(|s| sound[s * SOUND_HZ as usize..][..400].fill(0.8));
        let mut writer = VideoWriter::create(path, 64, 48, Some((&sound, SOUND_HZ))).unwrap();
        for i in 0..40u8 {
            writer
                .push(&RgbImage::from_pixel(64, 48, image::Rgb([6 * i; 3])), Seconds::of(f64::from(i) / 10.0))
                .unwrap();
        }
        writer.finish(Some(Seconds::of(4.0))).unwrap();
    }

    #[test]
    fn clips_begin_and_end_where_their_rows_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("film.mp4");
        film(&path);
        let span = |a: f64, b: f64| Segment::from_secs(a, b).unwrap();
        // Overlapping, shorter than a picture, without length, past the end, after the end.
        let rows = [
            (1, span(0.25, 1.5)),
            (2, span(1.0, 2.0)),
            (3, span(2.02, 2.06)),
            (4, span(2.5, 2.5)),
            (5, span(3.7, 9.0)),
            (6, span(8.0, 9.0)),
        ];
        let clips = cut(&path, &path, StreamPick::default(), &rows, folder.path()).unwrap();
        let told: Vec<(u32, f64)> =
            clips.iter().map(|c| (c.index, (c.duration_secs * 1000.0).round() / 1000.0)).collect();
        assert_eq!(told, [(1, 1.25), (2, 1.0), (3, 0.04), (5, 0.3)]);
        assert!(clips[0].path.ends_with("001.mp4"));
        let look = |i: usize| {
            let frames =
                media::video(&clips[i].path, Sampling { rate_hz: 0.0, ..Sampling::default() }, StreamPick::default())
                    .unwrap();
            frames.map(|f| f.unwrap()).map(|f| (f.pts.get(), f.image.get_pixel(30, 20)[0])).collect::<Vec<_>>()
        };
        let first = look(0);
        assert_eq!(first.len(), 13, "the picture of 0.2 s, then those of 0.3 to 1.4 s");
        assert!(
            first[0].0.abs() < 1e-6 && first[0].1.abs_diff(12) < 6 && (first[1].0 - 0.05).abs() < 1e-3,
            "{first:?}"
        );
        assert_eq!(look(2).len(), 1);
        for (i, click) in [(0, 0.75), (1, 0.0)] {
            let heard = media::audio(&clips[i].path, SOUND_HZ, StreamPick::default()).unwrap();
            let loud = heard.buffer.samples().iter().position(|s| s.abs() > 0.3).unwrap() as f64 / f64::from(SOUND_HZ);
            assert!((loud - click).abs() < 2e-3, "the click of second 1 is at {click} s of clip {i}, heard at {loud}");
            // AAC ends with a whole frame of 1024 samples; what is past the row is silence.
            let longer = heard.buffer.duration().get() - clips[i].duration_secs;
            assert!((-1e-3..0.033).contains(&longer), "{longer}");
        }
    }
}
