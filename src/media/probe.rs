//! What a media file holds: container, streams, and the streams that will be used.

use std::path::{Path, PathBuf};

use super::bounds;
use super::declared::Ending;
use super::input::OpenMedia;
use super::orientation::Orientation;
use super::pick::{self, StreamPick};
use crate::error::{Error, Result};
use crate::time::Seconds;
use crate::warning::Warning;

/// The kind of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// Sound.
    Audio,
    /// Moving pictures, or cover art (see [`StreamInfo::attached_picture`]).
    Video,
    /// Text or pictures of text.
    Subtitle,
    /// Anything else.
    Data,
}

impl StreamKind {
    /// `audio`, `video`, `subtitle` or `data`.
    pub fn name(self) -> &'static str {
        match self {
            StreamKind::Audio => "audio",
            StreamKind::Video => "video",
            StreamKind::Subtitle => "subtitle",
            StreamKind::Data => "data",
        }
    }
}

/// What the container declares of an audio stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AudioInfo {
    /// Samples a second.
    pub rate_hz: u32,
    /// Channels.
    pub channels: u32,
}

/// What the container declares of a video stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VideoInfo {
    /// Pixels as coded.
    pub width: u32,
    /// Pixels as coded.
    pub height: u32,
    /// How the picture is turned to be upright.
    pub orientation: Orientation,
    /// Width of a pixel over its height, as coded; 1 where not told.
    pub sar: f64,
    /// FFmpeg's name of the pixel format.
    pub pixel_format: String,
    /// True where the container or codec says fields, not frames.
    pub interlaced: bool,
    /// Mean frame rate the container tells.
    pub avg_rate_hz: Option<f64>,
}

/// One stream as the container declares it; nothing here was decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamInfo {
    /// Index in the container.
    pub index: usize,
    /// What it carries.
    pub kind: StreamKind,
    /// FFmpeg's name of the codec.
    pub codec: String,
    /// The language tag.
    pub language: Option<String>,
    /// Disposition "default".
    pub default: bool,
    /// Cover art.
    pub attached_picture: bool,
    /// There is a decoder, and the parameters it needs were found.
    pub decodable: bool,
    /// Start on the container's own clock, not yet counted from the common origin.
    pub start_secs: Option<f64>,
    /// Duration the container tells (or, in Matroska, its DURATION tag); `None` where it is only guessed from the bit
    /// rate.
    pub declared_secs: Option<f64>,
    /// Number of frames the container tells.
    pub declared_frames: Option<u64>,
    /// For video.
    pub video: Option<VideoInfo>,
    /// For audio.
    pub audio: Option<AudioInfo>,
}

impl StreamInfo {
    /// Pixels or channels: the measure of "best".
    pub(super) fn extent(&self) -> u64 {
        match (&self.video, &self.audio) {
            (Some(v), _) => u64::from(v.width) * u64::from(v.height),
            (_, Some(a)) => u64::from(a.channels),
            _ => 0,
        }
    }

    /// Where the stream should end, counted from `origin`, as far as the container tells.
    pub(super) fn declared_end(&self, origin: Seconds) -> Option<f64> {
        Some(self.start_secs.map_or(0.0, |s| s - origin.get()) + self.declared_secs?)
    }
}

/// A media file's streams and the choice among them.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The file.
    pub path: PathBuf,
    /// FFmpeg's name of the container format.
    pub container: String,
    /// Duration the container tells; `None` where it is only guessed from the bit rate.
    pub declared_secs: Option<f64>,
    /// The common origin: the container's start time on its own clock; taken off every time.
    pub origin: Seconds,
    /// All streams, in order.
    pub streams: Vec<StreamInfo>,
    /// Index of the audio stream to use.
    pub audio: Option<usize>,
    /// Index of the video stream to use.
    pub video: Option<usize>,
    /// Doubts about the container; told again by [`super::audio`] and [`super::video`].
    pub warnings: Vec<Warning>,
    /// What the file's end shows.
    pub(super) ending: Ending,
}

impl Probe {
    /// The stream with this index in the container.
    pub fn stream(&self, index: usize) -> Option<&StreamInfo> {
        self.streams.iter().find(|s| s.index == index)
    }

    /// That there is no stream of a kind to decode, with those that are there.
    pub(super) fn no_stream(&self, kind: StreamKind) -> Error {
        let undecodable = self.streams.iter().filter(|s| s.kind == kind && !s.decodable && !s.attached_picture);
        let named = |s: &StreamInfo| match s.codec.as_str() {
            "none" | "" => format!("stream {} is of a codec FFmpeg does not know", s.index),
            codec => format!(
                "stream {} is {codec}, for which there is no decoder here or no parameters in the file",
                s.index
            ),
        };
        let undecodable: Vec<String> = undecodable.map(named).collect();
        let undecodable = (!undecodable.is_empty()).then(|| undecodable.join("; "));
        Error::NoStream { path: self.path.clone(), kind: kind.name(), undecodable }
    }

    /// The chosen stream of a kind, with what there is to warn of: doubts about the container, other streams left.
    ///
    /// # Errors
    /// [`Error::NoStream`] where the file has none, [`Error::Media`] where its header claims what no recording is.
    pub(super) fn chosen(&self, kind: StreamKind) -> Result<(&StreamInfo, Vec<Warning>)> {
        let index = match kind {
            StreamKind::Audio => self.audio,
            StreamKind::Video => self.video,
            StreamKind::Subtitle | StreamKind::Data => None,
        };
        let stream = index.and_then(|i| self.stream(i));
        let stream = stream.ok_or_else(|| self.no_stream(kind))?;
        bounds::check(&self.path, stream)?;
        let mut warnings = self.warnings.clone();
        warnings.extend(pick::chosen_warning(&self.streams, kind, stream.index));
        Ok((stream, warnings))
    }
}

/// Opens `path`, lists its streams and chooses among them.
///
/// # Errors
/// [`Error::Read`] when the file cannot be opened, [`Error::Media`] when FFmpeg finds no container it knows (with
/// FFmpeg's message), [`Error::Usage`] when `pick` names a stream that is not there. A file without audio or video is
/// no error here.
pub fn probe(path: &Path, pick: StreamPick) -> Result<Probe> {
    Ok(OpenMedia::open(path, pick)?.probe)
}
