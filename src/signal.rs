//! Signals: mono audio with its rate, and video frames with their time.

use std::borrow::Cow;
use std::ops::Range;

use crate::error::Result;
use crate::time::{Seconds, Segment};

/// Mono samples in [-1, 1] (float sources may exceed it) at `rate_hz`; sample 0 is the recording's origin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AudioBuffer {
    samples: Vec<f32>,
    rate_hz: u32,
}

impl AudioBuffer {
    /// Takes the samples as they are; NaN and infinite ones become 0, so that no feature ever sees one.
    pub fn new(mut samples: Vec<f32>, rate_hz: u32) -> Self {
        for s in &mut samples {
            if !s.is_finite() {
                *s = 0.0;
            }
        }
        AudioBuffer { samples, rate_hz }
    }

    /// All samples.
    pub fn samples(&self) -> &[f32] {
        &self.samples
    }

    /// Samples a second.
    pub fn rate_hz(&self) -> u32 {
        self.rate_hz
    }

    /// Length in seconds.
    pub fn duration(&self) -> Seconds {
        if self.rate_hz == 0 { Seconds::ZERO } else { Seconds::from_samples(self.samples.len() as u64, self.rate_hz) }
    }

    /// The samples of `segment`, cut to what there is.
    pub fn slice(&self, segment: Segment) -> &[f32] {
        let n = self.samples.len();
        let a = segment.start().to_sample(self.rate_hz).min(n);
        let b = segment.end().to_sample(self.rate_hz).clamp(a, n);
        &self.samples[a..b]
    }
}

/// Sound whose loudest sample is below this (-80 dBFS) is silence.
pub const SILENT_PEAK: f32 = 1e-4;

/// Mono samples at one rate, read piece by piece: held in memory ([`AudioBuffer`]), or in a file where a recording may
/// be long.
pub trait Sound {
    /// Samples a second.
    fn rate_hz(&self) -> u32;

    /// Number of samples.
    fn count(&self) -> usize;

    /// The samples of `range`, cut to what there is.
    ///
    /// # Errors
    /// [`crate::error::Error::Read`] when they cannot be read back.
    fn piece(&self, range: Range<usize>) -> Result<Cow<'_, [f32]>>;

    /// Length in seconds.
    fn duration(&self) -> Seconds {
        if self.rate_hz() == 0 { Seconds::ZERO } else { Seconds::from_samples(self.count() as u64, self.rate_hz()) }
    }
}

impl Sound for AudioBuffer {
    fn rate_hz(&self) -> u32 {
        self.rate_hz
    }

    fn count(&self) -> usize {
        self.samples.len()
    }

    fn piece(&self, range: Range<usize>) -> Result<Cow<'_, [f32]>> {
        let end = range.end.min(self.samples.len());
        Ok(Cow::Borrowed(&self.samples[range.start.min(end)..end]))
    }
}

/// One decoded picture: upright, square pixels, 8-bit RGB.
#[derive(Clone)]
pub struct VideoFrame {
    /// Position in decoding order among all decoded frames of the stream, from 0 (frames before the origin not
    /// counted).
    pub index: u64,
    /// Presentation time since the common origin.
    pub pts: Seconds,
    /// Pixels in display orientation.
    pub image: image::RgbImage,
}

impl std::fmt::Debug for VideoFrame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "VideoFrame {} at {} ({}x{})", self.index, self.pts, self.image.width(), self.image.height())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_cut_to_the_signal_and_non_finite_samples_are_silence() {
        let a = AudioBuffer::new(vec![0.5, f32::NAN, f32::INFINITY, 0.25], 4);
        assert_eq!(a.samples(), [0.5, 0.0, 0.0, 0.25]);
        assert_eq!(a.slice(Segment::from_secs(0.75, 9.0).unwrap()), [0.25]);
        assert!(a.slice(Segment::from_secs(5.0, 9.0).unwrap()).is_empty());
        assert!((a.duration().get() - 1.0).abs() < 1e-12);
    }
}
