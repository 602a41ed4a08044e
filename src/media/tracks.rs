//! Tracks: a file with an audio stream for each speaker, all of them heard.
//!
//! Each is decoded alone, placed by its own time stamps since the common origin, and the mean over tracks is taken
//! instant by instant: it cannot clip, and a voice in one of n tracks is 20 log10(n) dB down, as with channels. A track
//! that has ended is silent. Tracks that cancel each other are treated as channels that do.

use std::path::Path;

use super::audio::{self, AudioReport};
use super::downmix::AudioPiece;
use super::input::OpenMedia;
use super::intake::Intake;
use super::pick::{AudioMix, StreamPick, candidates};
use super::placing::{Placed, Placing};
use super::probe::StreamKind;
use super::spool::SpooledAudio;
use crate::error::{Error, Result};
use crate::signal::Sound;
use crate::time::Segment;
use crate::warning::Warning;

/// Samples mixed at once.
const PIECE: usize = 1 << 16;

/// A decoded track.
struct DecodedTrack {
    placed: Placed,
    report: AudioReport,
}

/// The indices of the audio streams of `path` that can be decoded, where they are more than one.
pub(super) fn several(path: &Path) -> Result<Option<Vec<usize>>> {
    let probe = OpenMedia::open(path, StreamPick::default())?.probe;
    let indices: Vec<usize> = candidates(&probe.streams, StreamKind::Audio).map(|s| s.index).collect();
    Ok((indices.len() > 1).then_some(indices))
}

/// The mean of the streams `indices` at `rate_hz`.
///
/// # Errors
/// As [`super::audio`]; a track that cannot be decoded is a warning as long as another can.
pub(super) fn mixed(
    path: &Path,
    rate_hz: u32,
    indices: &[usize],
    spool: Option<SpooledAudio>,
) -> Result<(Placed, AudioReport, Vec<Warning>)> {
    let mut tracks = Vec::new();
    let mut warnings = Vec::new();
    let mut failed = None;
    for &index in indices {
        let pick = StreamPick { audio: Some(index), video: None, mix: AudioMix::One };
        let own = spool.as_ref().map(|_| SpooledAudio::new(rate_hz));
        match audio::decoded(path, rate_hz, pick, None, own) {
            Ok((placed, report, told)) => {
                warnings.extend(told.into_iter().filter(|w| !matches!(w, Warning::StreamChosen { .. })));
                tracks.push(DecodedTrack { placed, report });
            }
            Err(e @ Error::Media { .. }) => {
                warnings.push(Warning::TrackLost { index, error: e.chain() });
                failed = Some(e);
            }
            Err(e) => return Err(e),
        }
    }
    if let Some(e) = failed.filter(|_| tracks.is_empty()) {
        return Err(e);
    }
    warnings.push(Warning::TracksMixed { indices: tracks.iter().map(|t| t.report.stream_index).collect() });
    let mut placing = Placing::new(rate_hz, None);
    if let Some(spool) = spool {
        placing = placing.spooled(spool);
    }
    let mut intake = Intake::new(placing, "");
    let longest = tracks.iter().map(DecodedTrack::count).max().unwrap_or(0);
    for start in (0..longest).step_by(PIECE) {
        intake.take(piece(&tracks, rate_hz, start, longest.min(start + PIECE))?)?;
    }
    let mut placed = intake.finish()?;
    warnings.append(&mut placed.warnings);
    let report = report_of(&tracks).ok_or_else(|| Error::NoStream {
        path: path.to_path_buf(),
        kind: StreamKind::Audio.name(),
        undecodable: None,
    })?;
    Ok((placed, report, warnings))
}

/// The sound of each speaker's track at `rate_hz`, sample 0 of all at the common origin, with the speaker's name: of
/// each audio stream, or of each channel where there is one stream. Its title names a stream, else its language, where
/// no other has the same and there is one; else, and for channels, names are `track_1`, `track_2`, … in order.
///
/// # Errors
/// As [`super::audio_spooled`].
pub fn speaker_tracks(path: &Path, rate_hz: u32) -> Result<Vec<(String, SpooledAudio)>> {
    let source = OpenMedia::open(path, StreamPick::default())?;
    let probe = &source.probe;
    let (chosen, _) = probe.chosen(StreamKind::Audio)?;
    let streams: Vec<usize> = candidates(&probe.streams, StreamKind::Audio).map(|s| s.index).collect();
    let parts: Vec<(usize, Option<usize>)> = match streams[..] {
        [_] => (0..chosen.sound().1.max(1) as usize).map(|channel| (chosen.index, Some(channel))).collect(),
        _ => streams.iter().map(|&index| (index, None)).collect(),
    };
    let names = names(&streams.iter().map(|&index| tags(&source, index)).collect::<Vec<_>>(), parts.len());
    drop(source);
    let sound = |(index, channel): (usize, Option<usize>)| {
        let pick = StreamPick { audio: Some(index), video: None, mix: AudioMix::One };
        let (placed, ..) = audio::decoded(path, rate_hz, pick, channel, Some(SpooledAudio::new(rate_hz)))?;
        Ok(placed.spool.unwrap_or_else(|| SpooledAudio::new(rate_hz)))
    };
    names.into_iter().zip(parts).map(|(name, part)| Ok((name, sound(part)?))).collect()
}

/// Title and language of stream `index`.
fn tags(source: &OpenMedia, index: usize) -> [Option<String>; 2] {
    let stream = source.input.stream(index);
    let metadata = stream.as_ref().map(|s| s.metadata());
    // Labels have no white space; "und" is Matroska's and MP4's word for no language.
    let tag = |key: &str| {
        let text = metadata.as_ref()?.get(key)?.split_whitespace().collect::<Vec<_>>().join("_");
        (!text.is_empty() && text != "und").then_some(text)
    };
    [tag("title"), tag("language")]
}

/// `count` names, from the tags of streams where they are as many.
fn names(tags: &[[Option<String>; 2]], count: usize) -> Vec<String> {
    let name = |at: usize| {
        let own = |key: usize| {
            let text = tags.get(at)?[key].as_ref()?;
            let alone = tags.iter().filter(|t| t[key].as_ref() == Some(text)).count() == 1;
            alone.then(|| text.clone())
        };
        let own = if tags.len() == count && count > 1 { own(0).or_else(|| own(1)) } else { None };
        own.unwrap_or_else(|| format!("track_{}", at + 1))
    };
    (0..count).map(name).collect()
}

/// Samples `start` to `end` of all tracks; silence after the end of one.
fn piece(tracks: &[DecodedTrack], rate_hz: u32, start: usize, end: usize) -> Result<AudioPiece> {
    let parts = tracks.iter().map(|t| t.samples(start, end)).collect::<Result<Vec<_>>>()?;
    let mut piece = AudioPiece::new(None, rate_hz, tracks.len(), end - start);
    for i in 0..end - start {
        piece.push(parts.iter().map(|p| f64::from(p.get(i).copied().unwrap_or(0.0))));
    }
    Ok(piece)
}

impl DecodedTrack {
    fn count(&self) -> usize {
        self.placed.spool.as_ref().map_or(self.placed.samples.len(), |s| s.count())
    }

    fn samples(&self, start: usize, end: usize) -> Result<std::borrow::Cow<'_, [f32]>> {
        match &self.placed.spool {
            Some(spool) => spool.piece(start..end),
            None => {
                let samples = &self.placed.samples;
                Ok(samples[start.min(samples.len())..end.min(samples.len())].into())
            }
        }
    }
}

/// The first track's stream, and times and counts over all: the mix begins with the first to begin, and ends with the
/// last.
fn report_of(tracks: &[DecodedTrack]) -> Option<AudioReport> {
    let all = || tracks.iter().map(|t| &t.report);
    let mut report = all().next()?.clone();
    report.channels = all().map(|r| r.channels).sum();
    report.declared_secs = all().filter_map(|r| r.declared_secs).reduce(f64::max);
    report.start_secs = all().map(|r| r.start_secs).fold(f64::INFINITY, f64::min);
    report.end_secs = all().map(|r| r.end_secs).fold(0.0, f64::max);
    report.decode_errors = all().map(|r| r.decode_errors).sum();
    report.gaps = common(tracks);
    let silent: f64 = report.gaps.iter().map(|gap| gap.duration()).sum();
    report.decoded_secs = (report.end_secs - report.start_secs - silent).max(0.0);
    Some(report)
}

/// Where every track has a hole.
fn common(tracks: &[DecodedTrack]) -> Vec<Segment> {
    let Some((first, others)) = tracks.split_first() else { return Vec::new() };
    others.iter().fold(first.report.gaps.clone(), |gaps, track| {
        let pairs = gaps.iter().flat_map(|a| track.report.gaps.iter().map(move |b| (a, b)));
        pairs.filter_map(|(a, b)| a.intersection(*b)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_name_tracks_where_they_tell_them_apart() {
        let tag = |title: &str, language: &str| [title, language].map(|t| (!t.is_empty()).then(|| t.to_owned()));
        assert_eq!(names(&[tag("Ann", "eng"), tag("Bob", "eng")], 2), ["Ann", "Bob"]);
        assert_eq!(names(&[tag("", "eng"), tag("", "deu"), tag("Ann", "")], 3), ["eng", "deu", "Ann"]);
        assert_eq!(names(&[tag("Mic", "eng"), tag("Mic", "eng")], 2), ["track_1", "track_2"]);
        assert_eq!(names(&[tag("Interview", "eng")], 2), ["track_1", "track_2"]);
    }
}
