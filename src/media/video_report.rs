//! What came out of decoding a video stream.

use super::orientation::Orientation;
use super::probe::StreamInfo;
use crate::time::Seconds;
use crate::warning::Warning;

/// What was decoded, and what the container declared.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct VideoReport {
    /// Index in the container.
    pub stream_index: usize,
    /// FFmpeg's name of the codec.
    pub codec: String,
    /// Pixels of the (first) upright picture with square pixels.
    pub width: u32,
    /// Pixels of the (first) upright picture with square pixels.
    pub height: u32,
    /// Pixels as coded.
    pub coded_width: u32,
    /// Pixels as coded.
    pub coded_height: u32,
    /// How pictures were turned.
    pub orientation: Orientation,
    /// Width of a coded pixel over its height.
    pub sar: f64,
    /// Frames were deinterlaced.
    pub interlaced: bool,
    /// Frames were of high dynamic range.
    pub hdr: bool,
    /// Frames decoded at or after the origin.
    pub frames_decoded: u64,
    /// Frames the container declares.
    pub frames_declared: Option<u64>,
    /// Frames handed out.
    pub frames_sampled: u64,
    /// Time of the first frame.
    pub first_pts: Option<Seconds>,
    /// Time of the last frame.
    pub last_pts: Option<Seconds>,
    /// Time of the last frame plus its duration.
    pub end: Option<Seconds>,
    /// The container's duration of the stream.
    pub declared_secs: Option<f64>,
    /// Mean rate measured on the decoded frames.
    pub avg_rate_hz: Option<f64>,
    /// The distance between frames varies by more than rounding.
    pub vfr: bool,
    /// Shortest distance between frames.
    pub shortest_secs: Option<f64>,
    /// Longest distance between frames.
    pub longest_secs: Option<f64>,
    /// Packets or frames lost or damaged.
    pub decode_errors: u64,
    /// Errors, shortfall, variable frame rate, choice of stream.
    pub warnings: Vec<Warning>,
}

impl VideoReport {
    /// Before the first frame of `stream`.
    pub(super) fn blank(stream: &StreamInfo, warnings: Vec<Warning>) -> Self {
        VideoReport {
            stream_index: stream.index,
            codec: stream.codec.clone(),
            width: 0,
            height: 0,
            coded_width: stream.video.as_ref().map_or(0, |v| v.width),
            coded_height: stream.video.as_ref().map_or(0, |v| v.height),
            orientation: Orientation::default(),
            sar: 1.0,
            interlaced: false,
            hdr: false,
            frames_decoded: 0,
            frames_declared: stream.declared_frames,
            frames_sampled: 0,
            first_pts: None,
            last_pts: None,
            end: None,
            declared_secs: stream.declared_secs,
            avg_rate_hz: None,
            vfr: false,
            shortest_secs: None,
            longest_secs: None,
            decode_errors: 0,
            warnings,
        }
    }
}
