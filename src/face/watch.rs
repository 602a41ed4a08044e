//! A video decoded and its faces followed, in one go.

use std::path::Path;

use super::{FaceTracker, Faces};
use crate::error::Result;
use crate::media::{self, StreamPick, VideoReport};
use crate::time::Seconds;

/// Shows `tracker` the frames of `video` at `rate_hz` (0 = all), one at a time, and gives what both have to say; `each`
/// is told the time of every frame looked at.
///
/// # Errors
/// Those of [`media::each_frame`] and of [`FaceTracker::push`].
pub fn watch(
    video: &Path,
    pick: StreamPick,
    rate_hz: f64,
    mut tracker: FaceTracker<'_>,
    mut each: impl FnMut(Seconds),
) -> Result<(Faces, VideoReport)> {
    let report = media::each_frame(video, pick, rate_hz, |frame| {
        tracker.push(frame)?;
        each(frame.pts);
        Ok(())
    })?;
    Ok((tracker.finish()?, report))
}
