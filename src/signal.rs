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
        &self.samples[places(segment, self.rate_hz, self.samples.len())]
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

    /// The samples of `segment`, cut to what there is.
    ///
    /// # Errors
    /// As [`Sound::piece`].
    fn within(&self, segment: Segment) -> Result<Cow<'_, [f32]>> {
        self.piece(places(segment, self.rate_hz(), self.count()))
    }
}

/// The places of a segment's samples among `count`.
fn places(segment: Segment, rate_hz: u32, count: usize) -> Range<usize> {
    let a = segment.start().to_sample(rate_hz).min(count);
    a..segment.end().to_sample(rate_hz).clamp(a, count)
}

/// Stretches of a sound, one after the other as one sound.
#[derive(Debug)]
pub struct Joined<'a, S> {
    sound: &'a S,
    /// Where each begins here, and its places in the sound.
    parts: Vec<(usize, Range<usize>)>,
    count: usize,
}

impl<'a, S: Sound> Joined<'a, S> {
    /// Of those segments, in their order.
    pub fn new(sound: &'a S, segments: impl Iterator<Item = Segment>) -> Self {
        let mut joined = Joined { sound, parts: Vec::new(), count: 0 };
        for segment in segments {
            let places = places(segment, sound.rate_hz(), sound.count());
            let begin = joined.count;
            joined.count += places.len();
            joined.parts.push((begin, places));
        }
        joined
    }
}

impl<S: Sound> Sound for Joined<'_, S> {
    fn rate_hz(&self) -> u32 {
        self.sound.rate_hz()
    }

    fn count(&self) -> usize {
        self.count
    }

    fn piece(&self, range: Range<usize>) -> Result<Cow<'_, [f32]>> {
        let mut samples = Vec::with_capacity(range.len());
        let first = self.parts.partition_point(|(begin, places)| begin + places.len() <= range.start);
        for (begin, places) in self.parts[first..].iter().take_while(|(begin, _)| *begin < range.end) {
            let from = places.start + range.start.saturating_sub(*begin);
            let to = places.end.min(places.start + (range.end - begin));
            samples.extend_from_slice(&self.sound.piece(from..to)?);
        }
        Ok(Cow::Owned(samples))
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
        assert_eq!(*a.within(Segment::from_secs(0.75, 9.0).unwrap()).unwrap(), [0.25]);
    }

    #[test]
    fn joined_stretches_are_one_sound_wherever_it_is_cut() {
        let sound = AudioBuffer::new((0..40).map(|i| i as f32).collect(), 10);
        let segments = [(1.0, 1.5), (0.0, 0.3), (2.0, 2.0), (3.5, 9.0)].map(|(a, b)| Segment::from_secs(a, b).unwrap());
        let whole: Vec<f32> = segments.iter().flat_map(|s| sound.slice(*s)).copied().collect();
        let joined = Joined::new(&sound, segments.into_iter());
        assert_eq!((joined.count(), joined.rate_hz(), whole.len()), (13, 10, 13));
        for from in 0..=13 {
            for to in from..=13 {
                assert_eq!(*joined.piece(from..to).unwrap(), whole[from..to], "{from}..{to}");
            }
        }
    }
}
