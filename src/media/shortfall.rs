//! Shortfall: what was promised of a stream against what came out of it, and the range that is missing.
//!
//! A stream's end is promised by its own declared duration, by its packets, or, where the container tells one duration
//! for all streams,
//! by that: then it is missed only where no stream of the file reaches it, and only by those that go on up to where the
//! file ends.

use std::path::{Path, PathBuf};

use ffmpeg_next::{self as ffmpeg, Packet};

use super::VideoReport;
use super::declared::Ending;
use super::decoding::MOST_READ_FAILURES;
use super::input::{OpenMedia, since_origin};
use super::pick::StreamPick;
use super::probe::{Probe, StreamInfo, StreamKind};
use crate::time::{Seconds, Segment};
use crate::warning::Warning;

/// Less than this missing is how containers round.
const ROUNDING_SECS: f64 = 0.5;
/// A frame or two missing is how containers count.
const ROUNDING_FRAMES: f64 = 2.0;
/// Sound is one sample after the other: an eighth of a second is more than any codec's last frame.
const SOUND_ROUNDING_SECS: f64 = 0.125;
/// What encoders of sound pad the last packet with, and decoders take off again: three packets of MP3 at 8 kHz.
const TRIMMED_SECS: f64 = 0.25;
/// Where the header counts samples.
const EXACT_SECS: f64 = 0.005;
/// How far apart streams end in a file that was cut through.
const INTERLEAVED_SECS: f64 = 3.0;

/// What a file promises of one of its streams; times are seconds since the origin.
#[derive(Clone, Debug)]
pub(super) struct Promised {
    path: PathBuf,
    kind: StreamKind,
    stream_end: Option<f64>,
    whole_end: Option<f64>,
    /// The only stream of sound or pictures.
    alone: bool,
    /// What is believed of a file of this size.
    longest_secs: f64,
    ending: Ending,
}

/// How far decoding came.
#[derive(Clone, Debug, Default)]
pub(super) struct Reached {
    /// End of the last sample or picture.
    pub(super) end_secs: f64,
    /// End of the last packet.
    pub(super) packets_end: Option<f64>,
    /// Time stamps jumped and were not believed; neither is then what is made of them.
    pub(super) jumped: bool,
    /// The container's times count samples of another rate than some of the sound has.
    pub(super) miscounted: bool,
    /// What the demuxer complained of when it came to the end.
    pub(super) last_word: Option<String>,
    /// The distance of two pictures; 0 for sound.
    pub(super) frame_secs: f64,
}

impl Promised {
    /// For a file whose time stamps are believed up to `longest_secs`.
    pub(super) fn of(probe: &Probe, stream: &StreamInfo, longest_secs: f64) -> Self {
        let mut films =
            probe.streams.iter().filter(|s| s.audio.is_some() || (s.video.is_some() && !s.attached_picture));
        let alone = films.all(|s| s.index == stream.index);
        // MP3 counts the encoder's priming, which is not played; Matroska's duration is the end of the last block by
        // some writers, and the length by others.
        let from_zero = matches!(probe.container.as_str(), "mp3" | "matroska,webm");
        let late = if from_zero { probe.origin.get().max(0.0) } else { 0.0 };
        let stream_end =
            stream.declared_end(probe.origin).map(|end| if probe.container == "mp3" { end - late } else { end });
        Promised {
            path: probe.path.clone(),
            kind: stream.kind,
            stream_end,
            whole_end: probe.declared_secs.map(|secs| secs - late),
            alone,
            longest_secs,
            ending: probe.ending.clone(),
        }
    }

    /// What joined or unusual parts of a file promise together, where FFmpeg knows of the first alone.
    pub(super) fn replace(&mut self, secs: f64) {
        (self.stream_end, self.whole_end, self.ending.broken_off) = (Some(secs), None, None);
    }

    /// The latest end promised.
    pub(super) fn longest(&self) -> Option<f64> {
        self.stream_end.into_iter().chain(self.whole_end).reduce(f64::max)
    }

    /// Told where more is promised than is believed of a file of this size.
    pub(super) fn disbelieved(&self) -> Option<Warning> {
        let believed_secs = self.longest_secs;
        let declared_secs = self.longest().filter(|&end| end > believed_secs)?;
        Some(Warning::DurationDoubtful { declared_secs, believed_secs })
    }

    /// What is missing at the end, if anything.
    pub(super) fn missing(&self, reached: &Reached) -> Option<Warning> {
        let end = reached.end_secs.max(0.0);
        let tolerated = self.tolerated(reached);
        let believed = |promised: &f64| !reached.miscounted && (!reached.jumped || *promised <= self.longest_secs);
        let short_of = |promised: Option<f64>, tolerated: f64| {
            promised.filter(believed).filter(|promised| promised - end > tolerated)
        };
        let packets_end = reached.packets_end.filter(|_| !reached.jumped);
        // Less than a packet is what pads the last one, if it was there.
        let padding = |promised: &f64| self.ending.packet_secs.is_some_and(|packet| promised - end < packet - 1e-6);
        let by_packets = short_of(packets_end, tolerated.max(TRIMMED_SECS));
        // What was there as packets, and trimmed in decoding, is not missing.
        let untrimmed =
            |promised: &f64| packets_end.is_none_or(|packets| promised - packets > tolerated.min(SOUND_ROUNDING_SECS));
        let by_stream =
            short_of(self.stream_end, tolerated).filter(untrimmed).into_iter().chain(by_packets).reduce(f64::max);
        let by_stream = by_stream.filter(|promised| !padding(promised));
        let by_whole = || {
            let promised =
                short_of(self.whole_end.filter(|_| self.stream_end.is_none()), tolerated.max(ROUNDING_SECS))?;
            (self.alone || last_packet_end(&self.path).is_some_and(|last| last - end < INTERLEAVED_SECS))
                .then_some(promised)
        };
        if let Some(promised) = by_stream.or_else(by_whole) {
            let span = Segment::from_secs(end, promised)?;
            return Some(Warning::Shortfall { stream: self.kind.name(), span });
        }
        let untold = self.stream_end.is_none() && self.whole_end.is_none();
        let last_word = reached.last_word.clone().filter(|_| untold || self.ending.by_the_file);
        let what = self.ending.broken_off.clone().or(last_word)?;
        Some(Warning::Truncated { stream: self.kind.name(), at: Seconds::of(end), what })
    }

    fn tolerated(&self, reached: &Reached) -> f64 {
        match self.kind {
            StreamKind::Audio if self.ending.exact => EXACT_SECS,
            StreamKind::Audio => SOUND_ROUNDING_SECS,
            _ => ROUNDING_SECS.max(ROUNDING_FRAMES * reached.frame_secs),
        }
    }
}

/// What the number of frames shows to be missing where times do not: the longest hole, if there is one; where decoding
/// failed it was
/// told before.
pub(super) fn missing_frames(r: &VideoReport, hidden: u64, hole: Option<Segment>) -> Option<Warning> {
    let frame_secs = r.avg_rate_hz.map_or(0.0, |rate| 1.0 / rate);
    let declared = r.frames_declared?;
    let missing = declared.saturating_sub(r.frames_decoded + hidden);
    if missing as f64 <= ROUNDING_FRAMES || missing as f64 * frame_secs <= ROUNDING_SECS {
        return None;
    }
    let stream = StreamKind::Video.name();
    match hole.filter(|h| h.duration() > ROUNDING_SECS) {
        Some(span) => Some(Warning::Shortfall { stream, span }),
        None => (r.decode_errors == 0).then_some(Warning::FramesMissing { stream, missing, declared }),
    }
}

/// Where the last packet of all sound and pictures ends, since the origin. Reads the whole file once more without
/// decoding it, and is
/// asked only where something seems to be missing.
fn last_packet_end(path: &Path) -> Option<f64> {
    let OpenMedia { mut input, probe } = OpenMedia::open(path, StreamPick::default()).ok()?;
    let bases: Vec<_> = input.streams().map(|s| s.time_base()).collect();
    let mut packet = Packet::empty();
    let mut end: Option<f64> = None;
    let mut failures = 0;
    loop {
        match packet.read(&mut input) {
            Ok(()) => {
                failures = 0;
                let film = probe
                    .stream(packet.stream())
                    .is_some_and(|s| s.audio.is_some() || (s.video.is_some() && !s.attached_picture));
                if film && let (Some(base), Some(ticks)) = (bases.get(packet.stream()), packet.pts().or(packet.dts())) {
                    let secs = since_origin(ticks.saturating_add(packet.duration()), *base, probe.origin).get();
                    end = Some(end.map_or(secs, |e| e.max(secs)));
                }
            }
            Err(ffmpeg::Error::InvalidData) if failures < MOST_READ_FAILURES => failures += 1,
            Err(_) => return end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn promised(kind: StreamKind, stream_end: Option<f64>, whole_end: Option<f64>) -> Promised {
        let path = PathBuf::from("no such file");
        Promised { path, kind, stream_end, whole_end, alone: true, longest_secs: 3600.0, ending: Ending::default() }
    }

    fn reached(end_secs: f64) -> Reached {
        let last_word = Some("File ended prematurely".into());
        Reached { end_secs, packets_end: Some(end_secs), jumped: false, miscounted: false, last_word, frame_secs: 0.04 }
    }

    #[test]
    fn the_range_told_is_the_one_that_is_missing() {
        let short = |p: &Promised, end| p.missing(&reached(end)).map(|w| w.to_string());
        let p = promised(StreamKind::Audio, Some(20.0), Some(30.0));
        assert_eq!(
            p.missing(&reached(12.0)),
            Some(Warning::Shortfall { stream: "audio", span: Segment::from_secs(12.0, 20.0).unwrap() })
        );
        assert_eq!(short(&p, 19.95), None, "a last frame is no loss");
        let whole = promised(StreamKind::Video, None, Some(20.0));
        assert!(short(&whole, 12.0).unwrap().contains("12.000"));
        assert_eq!(short(&whole, 19.6), None);
        // The container lost the number, and the demuxer says that the file breaks off.
        let live = promised(StreamKind::Video, None, None);
        assert!(
            matches!(live.missing(&reached(12.0)), Some(Warning::Truncated { at, .. }) if (at.get() - 12.0).abs() < 1e-9)
        );
        assert_eq!(live.missing(&Reached { last_word: None, ..reached(12.0) }), None);
        // Packets were there and nothing came out of them.
        let silent = Reached { packets_end: Some(15.0), ..reached(12.0) };
        assert_eq!(
            live.missing(&silent),
            Some(Warning::Shortfall { stream: "video", span: Segment::from_secs(12.0, 15.0).unwrap() })
        );
    }

    #[test]
    fn less_than_the_last_packet_is_padding_where_packets_are_counted() {
        let mut p = promised(StreamKind::Audio, Some(6.144), Some(6.144));
        p.ending.packet_secs = Some(0.256);
        let padded = Reached { packets_end: Some(5.888), ..reached(6.0) };
        assert_eq!(p.missing(&padded), None);
        assert!(p.missing(&reached(5.888)).is_some(), "the last packet is not there");
    }

    #[test]
    fn a_header_that_counts_samples_is_held_to_them() {
        let mut p = promised(StreamKind::Audio, Some(1.0), Some(1.0));
        p.ending.exact = true;
        assert!(p.missing(&reached(0.95)).is_some() && p.missing(&reached(0.999)).is_none());
    }
}
