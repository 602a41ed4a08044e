//! The frames of a video, shown to somebody one at a time.

use std::path::Path;

use super::StreamPick;
use super::VideoReport;
use super::video::{Sampling, video};
use crate::error::Result;
use crate::signal::VideoFrame;

/// Shows the frames of `path` at `rate_hz` (0 = all), one at a time, and gives what became of the stream.
///
/// # Errors
/// Those of [`video`], of its frames, and of `show`.
pub fn each_frame(
    path: &Path,
    pick: StreamPick,
    rate_hz: f64,
    mut show: impl FnMut(VideoFrame) -> Result<()>,
) -> Result<VideoReport> {
    let mut frames = video(path, Sampling { rate_hz, ..Sampling::default() }, pick)?;
    for frame in frames.by_ref() {
        show(frame?)?;
    }
    frames.finish()
}
