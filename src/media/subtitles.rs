//! Subtitles of text inside the media: which streams there are, which is taken, and its packets with their times.
//!
//! Times are presentation times since the common origin, as those of sound and picture; the words are the packets' own
//! bytes, and what they mean is the transcript's part.

use std::collections::BTreeMap;
use std::path::Path;

use ffmpeg_next::{self as ffmpeg, Packet, ffi, format};

use super::decoding::MOST_READ_FAILURES;
use super::input::{self, OpenMedia};
use super::pick::StreamPick;
use super::probe::StreamKind;
use crate::error::{Error, Result};
use crate::pulse::Furthest;
use crate::time::Seconds;

/// Which subtitles of the media are meant: written `embedded`, `embedded:eng` or `embedded:2`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubtitlePick {
    /// Those with the default disposition, else the first; those forced only where there are no others.
    Any,
    /// Of the stream with this index in the container.
    Index(usize),
    /// Of this language as the container tags it (`eng`, `en-US`); of several streams, as [`SubtitlePick::Any`].
    Language(String),
}

impl SubtitlePick {
    /// What stands in a manifest or on the command line in place of a transcript's file; `None` where that is a path.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.trim().strip_prefix("embedded")?;
        if rest.is_empty() {
            return Some(SubtitlePick::Any);
        }
        let which = rest.strip_prefix(':')?.trim();
        Some(match which.parse() {
            Ok(index) => SubtitlePick::Index(index),
            Err(_) if which.is_empty() => SubtitlePick::Any,
            Err(_) => SubtitlePick::Language(which.to_owned()),
        })
    }
}

/// How the packets of a stream hold their words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubtitleCoding {
    /// `SubRip`: the lines of a cue, with its markup.
    SubRip,
    /// Advanced SubStation Alpha in Matroska: `ReadOrder,Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text`.
    Ass,
    /// WebVTT: the payload of a cue.
    WebVtt,
    /// 3GPP timed text (`tx3g`): two bytes of length, so many bytes of plain text, boxes of styles.
    MovText,
}

impl SubtitleCoding {
    /// By FFmpeg's name of the codec; `None` for pictures of text, and for what is not read.
    pub fn of_codec(name: &str) -> Option<Self> {
        match name {
            "subrip" | "srt" | "text" => Some(SubtitleCoding::SubRip),
            "ass" | "ssa" => Some(SubtitleCoding::Ass),
            "webvtt" => Some(SubtitleCoding::WebVtt),
            "mov_text" => Some(SubtitleCoding::MovText),
            _ => None,
        }
    }

    /// True for a packet that shows nothing: MP4 fills the time between cues with them.
    fn shows_nothing(self, bytes: &[u8]) -> bool {
        bytes.is_empty() || self == SubtitleCoding::MovText && bytes.iter().take(2).all(|b| *b == 0)
    }
}

/// One cue as the container holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct SubtitlePacket {
    /// Since the common origin; may lie before it.
    pub start: Seconds,
    /// `None` where the container does not tell how long it is shown.
    pub end: Option<Seconds>,
    /// As [`SubtitleCoding`] says.
    pub bytes: Vec<u8>,
}

/// A stream of subtitles.
#[derive(Clone, Debug, PartialEq)]
pub struct Subtitles {
    /// Index in the container.
    pub index: usize,
    /// FFmpeg's name of the codec.
    pub codec: String,
    /// How the packets hold their words.
    pub coding: SubtitleCoding,
    /// The language tag.
    pub language: Option<String>,
    /// Other streams that would have fitted what was asked for.
    pub others: Vec<usize>,
    /// The cues, in the container's order.
    pub packets: Vec<SubtitlePacket>,
    /// Packets without any time, which are left out.
    pub timeless: usize,
    /// What ended reading before the end of the file.
    pub cut: Option<String>,
}

/// A stream that may be taken.
struct Candidate {
    index: usize,
    codec: String,
    coding: SubtitleCoding,
    language: Option<String>,
    default: bool,
    forced: bool,
}

/// Reads the subtitles of `path` that `pick` means. The whole file is read once.
///
/// # Errors
/// As [`super::probe`]; [`Error::Usage`] where there are no subtitles of text, or none as asked for, with those that
/// are there.
pub fn subtitles(path: &Path, pick: &SubtitlePick) -> Result<Subtitles> {
    let mut source = OpenMedia::open(path, StreamPick::default())?;
    let all = candidates(&source);
    let fits = |c: &&Candidate| match pick {
        SubtitlePick::Any => true,
        SubtitlePick::Index(index) => c.index == *index,
        SubtitlePick::Language(asked) => c.language.as_deref().is_some_and(|tag| is_language(tag, asked)),
    };
    let mut fitting: Vec<&Candidate> = all.iter().filter(fits).collect();
    fitting.sort_by_key(|c| (c.forced, !c.default, c.index));
    let Some((chosen, others)) = fitting.split_first() else { return Err(none_such(&source, pick)) };
    let mut found = Subtitles {
        index: chosen.index,
        codec: chosen.codec.clone(),
        coding: chosen.coding,
        language: chosen.language.clone().filter(|l| l != "und"),
        others: others.iter().map(|c| c.index).collect(),
        packets: Vec::new(),
        timeless: 0,
        cut: None,
    };
    let mut packets = Vec::new();
    let (timeless, cut) = each_packet(&mut source, &[chosen.index], |_, packet| {
        if !chosen.coding.shows_nothing(&packet.bytes) {
            packets.push(packet);
        }
    });
    (found.packets, found.timeless, found.cut) = (packets, timeless, cut);
    Ok(found)
}

/// How many cues each stream of subtitles of text holds, by its index. The whole file is read once, where there is one.
///
/// # Errors
/// As [`super::probe`].
pub fn subtitle_counts(path: &Path) -> Result<BTreeMap<usize, usize>> {
    let mut source = OpenMedia::open(path, StreamPick::default())?;
    let coding: BTreeMap<usize, SubtitleCoding> =
        candidates(&source).into_iter().map(|c| (c.index, c.coding)).collect();
    let mut counts: BTreeMap<usize, usize> = coding.keys().map(|index| (*index, 0)).collect();
    if counts.is_empty() {
        return Ok(counts);
    }
    let wanted: Vec<usize> = coding.keys().copied().collect();
    each_packet(&mut source, &wanted, |index, packet| {
        if let (Some(count), Some(coding)) = (counts.get_mut(&index), coding.get(&index)) {
            *count += usize::from(!coding.shows_nothing(&packet.bytes));
        }
    });
    Ok(counts)
}

/// A tag and what was asked for: the same, or the tag's language without its region.
fn is_language(tag: &str, asked: &str) -> bool {
    let primary = tag.split(['-', '_']).next().unwrap_or(tag);
    tag.eq_ignore_ascii_case(asked) || primary.eq_ignore_ascii_case(asked)
}

fn candidates(source: &OpenMedia) -> Vec<Candidate> {
    let streams = source.probe.streams.iter().filter(|s| s.kind == StreamKind::Subtitle);
    let one = |s: &super::StreamInfo| {
        let disposition = source.input.stream(s.index)?.disposition();
        Some(Candidate {
            index: s.index,
            codec: s.codec.clone(),
            coding: SubtitleCoding::of_codec(&s.codec)?,
            language: s.language.clone(),
            default: s.default,
            forced: disposition.contains(format::stream::Disposition::FORCED),
        })
    };
    streams.filter_map(one).collect()
}

fn none_such(source: &OpenMedia, pick: &SubtitlePick) -> Error {
    let asked = match pick {
        SubtitlePick::Any => "no subtitles of text".to_owned(),
        SubtitlePick::Index(index) => format!("no subtitles of text in stream {index}"),
        SubtitlePick::Language(language) => format!("no subtitles of text tagged {language:?}"),
    };
    let told = |s: &super::StreamInfo| {
        let kind = if SubtitleCoding::of_codec(&s.codec).is_some() { "" } else { ", which is not read as text" };
        format!("stream {} ({}, {}{kind})", s.index, s.codec, s.language.as_deref().unwrap_or("no language"))
    };
    let there: Vec<String> = source.probe.streams.iter().filter(|s| s.kind == StreamKind::Subtitle).map(told).collect();
    let hint = if there.is_empty() {
        "it has no subtitles: name a transcript file, or leave the transcript out".to_owned()
    } else {
        format!("its subtitles are {}", there.join(", "))
    };
    Error::Usage { what: format!("{} holds {asked}", source.probe.path.display()), hint }
}

/// Hands out the packets of the streams `wanted`; how many had no time, and what ended reading too early.
fn each_packet(
    source: &mut OpenMedia,
    wanted: &[usize],
    mut take: impl FnMut(usize, SubtitlePacket),
) -> (usize, Option<String>) {
    let origin = source.probe.origin;
    for mut stream in source.input.streams_mut() {
        if !wanted.contains(&stream.index()) {
            // SAFETY: the stream belongs to the open context; `discard` is a plain setting read by the demuxer.
            unsafe { (*stream.as_mut_ptr()).discard = ffi::AVDiscard::AVDISCARD_ALL };
        }
    }
    let bases: BTreeMap<usize, ffmpeg::Rational> =
        wanted.iter().filter_map(|i| Some((*i, source.input.stream(*i)?.time_base()))).collect();
    let (mut timeless, mut failures, mut cut) = (0, 0, None);
    let mut read = Furthest::default();
    let mut packet = Packet::empty();
    loop {
        match packet.read(&mut source.input) {
            Ok(()) => failures = 0,
            Err(ffmpeg::Error::Eof) => break,
            Err(e) => {
                failures += 1;
                cut = Some(e.to_string());
                if !matches!(e, ffmpeg::Error::InvalidData) || failures >= MOST_READ_FAILURES {
                    break;
                }
                continue;
            }
        }
        read.reach(packet.position() as f64);
        let (index, bytes) = (packet.stream(), packet.data().unwrap_or_default());
        let Some(base) = bases.get(&index) else { continue };
        let Some(ticks) = packet.pts().or(packet.dts()) else {
            timeless += 1;
            continue;
        };
        let at = |ticks| input::since_origin(ticks, *base, origin);
        let end = (packet.duration() > 0).then(|| at(ticks.saturating_add(packet.duration())));
        take(index, SubtitlePacket { start: at(ticks), end, bytes: bytes.to_vec() });
    }
    (timeless, cut)
}
