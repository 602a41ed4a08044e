//! Audio: one stream decoded from its start to mono floats at one rate, sample 0 at the common origin.

use std::path::Path;

use ffmpeg_next as ffmpeg;

use super::bounds;
use super::decoding::StreamDecoder;
use super::downmix;
use super::input::{self, OpenMedia};
use super::intake::Intake;
use super::pick::{AudioMix, StreamPick};
use super::placing::{Placed, Placing};
use super::probe::{StreamInfo, StreamKind};
use super::riff::RiffParts;
use super::shortfall::{Promised, Reached};
use super::spool::SpooledAudio;
use super::tracks;
use super::wav;
use crate::error::{Error, Result};
use crate::signal::AudioBuffer;
use crate::time::{Seconds, Segment};
use crate::warning::Warning;

/// Containers of packets without time stamps.
const BARE: [&str; 6] = ["mp3", "aac", "ac3", "eac3", "dts", "amr"];

/// Sound behind damage that is worth telling of.
const LEAST_MOVED_SECS: f64 = 0.5;

/// A decoded audio stream.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedAudio<S = AudioBuffer> {
    /// Mono, sample 0 at the common origin.
    pub buffer: S,
    /// What was decoded.
    pub report: AudioReport,
    /// Holes, errors, shortfall, choice of stream.
    pub warnings: Vec<Warning>,
}

/// What was decoded, and what the container declared.
#[derive(Clone, Debug, PartialEq)]
pub struct AudioReport {
    /// Index in the container.
    pub stream_index: usize,
    /// FFmpeg's name of the codec.
    pub codec: String,
    /// Rate of the source; where it changes, the first.
    pub rate_hz: u32,
    /// Channels of the source; where they change, the first.
    pub channels: u32,
    /// The container's duration of the stream.
    pub declared_secs: Option<f64>,
    /// Seconds of sound in the buffer, filled silence not counted.
    pub decoded_secs: f64,
    /// First decoded sample, since the origin.
    pub start_secs: f64,
    /// End of the last decoded sample, since the origin.
    pub end_secs: f64,
    /// Holes filled with silence.
    pub gaps: Vec<Segment>,
    /// Packets or frames lost or damaged.
    pub decode_errors: u64,
}

/// Decodes the audio stream of `path` chosen by rule or `pick` to mono at `rate_hz`.
///
/// Samples are placed by their presentation time: a late stream begins with silence, holes are filled with silence and
/// told, samples before the origin are dropped. Channels are averaged where they do not cancel each other, else the
/// better one is taken, told with its range. Rate and channels may change in mid-stream. Durations come from what was
/// decoded.
///
/// # Errors
/// As [`super::probe`]; [`Error::NoStream`] when there is no audio; [`Error::Media`] when the decoder cannot start or
/// not one sample comes out. Broken packets are no error but counted.
pub fn audio(path: &Path, rate_hz: u32, pick: StreamPick) -> Result<DecodedAudio> {
    let (placed, report, warnings) = heard(path, rate_hz, pick, None)?;
    Ok(DecodedAudio { buffer: AudioBuffer::new(placed.samples, rate_hz), report, warnings })
}

/// The same in a temporary file: for recordings of any length in the same memory.
///
/// # Errors
/// As [`audio`]; [`Error::Write`] when the temporary folder cannot hold the samples (230 MB an hour at 16 kHz).
pub fn audio_spooled(path: &Path, rate_hz: u32, pick: StreamPick) -> Result<DecodedAudio<SpooledAudio>> {
    let (placed, report, warnings) = heard(path, rate_hz, pick, Some(SpooledAudio::new(rate_hz)))?;
    let buffer = placed.spool.unwrap_or_else(|| SpooledAudio::new(rate_hz));
    Ok(DecodedAudio { buffer, report, warnings })
}

/// One stream, or all mixed where `pick` asks for it.
fn heard(
    path: &Path,
    rate_hz: u32,
    pick: StreamPick,
    spool: Option<SpooledAudio>,
) -> Result<(Placed, AudioReport, Vec<Warning>)> {
    if pick.mix == AudioMix::All
        && let Some(streams) = tracks::several(path)?
    {
        return tracks::mixed(path, rate_hz, &streams, spool);
    }
    decoded(path, rate_hz, pick, None, spool)
}

/// Decodes and places one stream, or one `channel` of it; the samples are in the spool if there is one.
pub(super) fn decoded(
    path: &Path,
    rate_hz: u32,
    pick: StreamPick,
    channel: Option<usize>,
    spool: Option<SpooledAudio>,
) -> Result<(Placed, AudioReport, Vec<Warning>)> {
    let source = OpenMedia::open(path, pick)?;
    let (stream, mut warnings) = source.probe.chosen(StreamKind::Audio)?;
    let stream = stream.clone();
    let container = source.probe.container.clone();
    let longest = bounds::longest_secs(path);
    let mut declared_secs = stream.declared_secs;
    let mut promised = Promised::of(&source.probe, &stream, longest);
    let mut placing = Placing::new(rate_hz, promised.longest()).believing(longest);
    if let Some(spool) = spool {
        placing = placing.spooled(spool);
    }
    let mut intake = Intake::new(placing, &source.probe.container).only(channel);

    let parts = RiffParts::open(path, &source.probe)?;
    if let Some(parts) = &parts {
        // These know what lies behind the first part, and say it themselves.
        warnings.retain(|w| w.code() != "bytes_unread");
        warnings.extend(parts.warnings());
    }
    let parts = parts.filter(RiffParts::is_readable);
    if let Some(parts) = &parts {
        declared_secs = Some(parts.declared_secs());
        promised.replace(parts.declared_secs());
    }
    warnings.extend(promised.disbelieved());
    let plain = if parts.is_some() { None } else { wav::PlainWav::open(path, &source.probe, &stream)? };
    let mut reached = Reached::default();
    let decode_errors = match (parts, plain) {
        (Some(parts), _) => parts.read_into(&mut intake).map(|()| 0)?,
        (None, Some(plain)) => {
            plain.read_into(&mut intake)?;
            0
        }
        (None, None) => {
            let mut decoder = StreamDecoder::new(source, stream.index, 1)?;
            decode(path, &mut decoder, &mut intake, bounds::most_decoded_secs(longest))?;
            (reached.packets_end, reached.last_word) = (decoder.packets_end, decoder.last_word.take());
            warnings.extend(decoder.errors.warnings(StreamKind::Audio.name()));
            if intake.first.is_none() && decoder.errors.count() > 0 {
                return Err(nothing_decoded(path, stream.index, &warnings));
            }
            decoder.errors.count()
        }
    };

    let first = intake.first;
    reached.miscounted = intake.miscounts();
    let declared_secs = declared_secs.filter(|_| !reached.miscounted);
    let mut placed = intake.finish()?;
    warnings.append(&mut placed.warnings);
    let (start_secs, end_secs) = (placed.start_secs, placed.end_secs);
    reached.end_secs = end_secs;
    reached.jumped = warnings.iter().any(|w| matches!(w, Warning::ClockRestart { .. }));
    let missing = promised.missing(&reached);
    warnings.extend(missing.as_ref().and_then(|missing| early(&container, &warnings, missing)));
    warnings.extend(missing);
    let declared = stream.audio.clone().unwrap_or_default();
    let (source_hz, channels) = first.unwrap_or((declared.rate_hz, declared.channels));
    let report = AudioReport {
        stream_index: stream.index,
        codec: stream.codec,
        rate_hz: source_hz,
        channels,
        declared_secs,
        decoded_secs: placed.sound_secs,
        start_secs,
        end_secs,
        gaps: std::mem::take(&mut placed.gaps),
        decode_errors,
    };
    Ok((placed, report, warnings))
}

fn nothing_decoded(path: &Path, stream: usize, warnings: &[Warning]) -> Error {
    let all: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    Error::media(path, format!("audio stream {stream}: nothing could be decoded; {}", all.join("; ")))
}

/// Told where a file of bare packets, whose times are counted, lost some in the middle: what is `missing` at the end by
/// the count may be missing there.
fn early(container: &str, warnings: &[Warning], missing: &Warning) -> Option<Warning> {
    let Warning::Shortfall { span: short, .. } = missing else { return None };
    let lost = warnings
        .iter()
        .find_map(|w| if let Warning::DecodeError { span: Some(s), .. } = w { Some(s.start()) } else { None });
    // Damage at the very end moves nothing.
    let moves = |at: &Seconds| BARE.contains(&container) && short.start().get() - at.get() > LEAST_MOVED_SECS;
    let (lost, secs) = (lost.filter(moves)?, short.duration());
    Some(Warning::TimesEarly { at: lost, missing_secs: secs })
}

/// Decodes everything into `intake`. More than `most_secs` is an error.
fn decode(path: &Path, decoder: &mut StreamDecoder, intake: &mut Intake, most_secs: f64) -> Result<()> {
    let mut frame = ffmpeg::frame::Audio::empty();
    while decoder.next(&mut frame) {
        let secs = input::ticks(&frame).map(|t| decoder.secs(t));
        let Some(piece) = downmix::piece(&frame, secs).filter(|p| p.rate_hz > 0) else {
            let at = secs.unwrap_or_else(|| intake.placing.now());
            decoder.errors.add(at, 0.0, || "sample format or rate without a meaning here".into());
            continue;
        };
        if !bounds::RATES_HZ.contains(&piece.rate_hz) {
            let at = secs.unwrap_or_else(|| intake.placing.now());
            decoder.errors.add(at, 0.0, || format!("{} samples a second are no recording's", piece.rate_hz));
            continue;
        }
        intake.take(piece)?;
        if intake.placing.now() > most_secs {
            let what = format!(
                "more than {most_secs:.0} s of sound come out of it, which no recording of its size holds: cut it in \
                 parts"
            );
            return Err(Error::media(path, what));
        }
    }
    Ok(())
}

impl<S> DecodedAudio<S> {
    /// End of the decoded sound, since the origin.
    pub fn end(&self) -> Seconds {
        Seconds::of(self.report.end_secs)
    }
}

impl StreamInfo {
    /// Declared rate and channels of an audio stream.
    pub(super) fn sound(&self) -> (u32, u32) {
        self.audio.as_ref().map_or((0, 0), |a| (a.rate_hz, a.channels))
    }
}
