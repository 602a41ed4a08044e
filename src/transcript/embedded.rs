//! Subtitles inside the media as a transcript: cues by their presentation times, words and markup as in a file of the
//! same kind.

use std::path::Path;

use super::cue::{self, Cue};
use super::draft::Draft;
use super::format::{ass_event, push_ass};
use super::{Format, ReadOptions, Transcript, markup};
use crate::error::Result;
use crate::media::{self, SubtitleCoding, SubtitlePacket, SubtitlePick, Subtitles};
use crate::time::Segment;

/// Parts the words of packets while all are decoded together: ASCII has it for this, and no text has it.
const BETWEEN: char = '\u{1e}';

/// Reads the subtitles of `path` that `pick` means. Which stream was taken is told in a warning, and what its container
/// left open: cues without an end last until the next one begins.
///
/// # Errors
/// As [`media::subtitles`]; [`crate::error::Error::Parse`] where there are no cues, and for a bad one unless lenient.
pub fn embedded(path: &Path, pick: &SubtitlePick, options: &ReadOptions) -> Result<Transcript> {
    let found = media::subtitles(path, pick)?;
    let mut draft = Draft::new(path, options.lenient).with(options);
    tell_choice(&found, &mut draft);
    if let Some(language) = &found.language {
        draft.declare(language);
    }
    let texts = texts(&found, options, &mut draft)?;
    let segments = segments(&found.packets, &mut draft);
    let mut cues = Vec::new();
    let mut names = Vec::new();
    for (at, (segment, text)) in segments.into_iter().zip(&texts).enumerate() {
        let Some(segment) = segment else { continue };
        let lines = match found.coding {
            SubtitleCoding::Ass => match ass_event(text) {
                Some((lines, name)) => {
                    names.push(name);
                    lines
                }
                None => {
                    let what = format!("cue {}: no event of nine fields", at + 1);
                    draft.bad(0, what, "name a transcript file instead")?;
                    continue;
                }
            },
            SubtitleCoding::MovText => text.split('\n').map(markup::written).collect(),
            SubtitleCoding::SubRip | SubtitleCoding::WebVtt => text.split('\n').map(str::to_owned).collect(),
        };
        cues.push(Cue { after_dropped: draft.take_lost(), segment, lines });
    }
    let format = match found.coding {
        SubtitleCoding::Ass => {
            push_ass((0..).zip(cues).zip(names).map(|((i, cue), name)| (i, cue, name)).collect(), &mut draft);
            Format::Ass
        }
        SubtitleCoding::WebVtt => {
            cue::into_turns(cues, true, &mut draft);
            Format::WebVtt
        }
        SubtitleCoding::SubRip | SubtitleCoding::MovText => {
            cue::into_turns(cues, false, &mut draft);
            Format::Srt
        }
    };
    draft.finish(format)
}

fn tell_choice(found: &Subtitles, draft: &mut Draft) {
    let language = found.language.as_deref().unwrap_or("no language");
    let mut what = format!("the subtitles of the media's stream {} ({}, {language})", found.index, found.codec);
    if !found.others.is_empty() {
        let others: Vec<String> = found.others.iter().map(ToString::to_string).collect();
        what += &format!("; streams {} hold others (embedded:INDEX takes them)", others.join(", "));
    }
    draft.warn(what);
    if found.timeless > 0 {
        draft.warn(format!("{} subtitles without any time are left out", found.timeless));
    }
    if let Some(cut) = &found.cut {
        draft.warn(format!("the media cannot be read to their end ({cut}): subtitles may be missing"));
    }
}

/// The words of each packet, decoded together, so that the encoding is told by all of them.
fn texts(found: &Subtitles, options: &ReadOptions, draft: &mut Draft) -> Result<Vec<String>> {
    let plain: Vec<Vec<u8>> = match found.coding {
        SubtitleCoding::MovText => found.packets.iter().map(|p| timed_text(&p.bytes)).collect(),
        // Some writers end a text with a zero, as C does.
        _ => found.packets.iter().map(|p| p.bytes.iter().copied().filter(|b| *b != 0).collect()).collect(),
    };
    let all = plain.join(&(BETWEEN as u8));
    let (text, note) = options
        .encoding
        .decode(&all)
        .map_err(|what| draft.fail(0, what, "pass --encoding auto, or the encoding that the subtitles are in"))?;
    note.into_iter().for_each(|note| draft.warn(note));
    Ok(text.split(BETWEEN).map(str::to_owned).collect())
}

/// The text of a sample of `tx3g` as UTF-8 (3GPP TS 26.245, 5.17): two bytes of length, then UTF-8, or UTF-16 behind
/// its mark.
fn timed_text(bytes: &[u8]) -> Vec<u8> {
    let Some((length, rest)) = bytes.split_first_chunk::<2>() else { return Vec::new() };
    let text = &rest[..rest.len().min(usize::from(u16::from_be_bytes(*length)))];
    let wide = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.chunks_exact(2).map(|c| unit([c[0], c[1]])).collect();
        String::from_utf16_lossy(&units).into_bytes()
    };
    match text {
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        _ => text.iter().copied().filter(|b| *b != 0).collect(),
    }
}

/// When each is shown. `None` for those that are over before the media begin, which are told, as are those that are
/// shown already when they begin, and those whose end was not told.
fn segments(packets: &[SubtitlePacket], draft: &mut Draft) -> Vec<Option<Segment>> {
    let mut starts: Vec<f64> = packets.iter().map(|p| p.start.get()).collect();
    starts.sort_by(f64::total_cmp);
    let (mut endless, mut before, mut across) = (0, 0, 0);
    let one = |p: &SubtitlePacket| {
        let start = p.start.get();
        let end = p.end.map_or_else(
            || {
                endless += 1;
                let next = starts.partition_point(|s| *s <= start);
                starts.get(next).copied().unwrap_or(start)
            },
            |end| end.get(),
        );
        if start < 0.0 && end <= 0.0 {
            before += 1;
            return None;
        }
        across += usize::from(start < 0.0);
        Segment::from_secs(start.max(0.0), end)
    };
    let all = packets.iter().map(one).collect();
    for (count, what) in [
        (endless, "have no end in the media and last until the next one begins; the last has no length"),
        (before, "are over before the media begin and are left out"),
        (across, "begin before the media do; they begin with it"),
    ] {
        if count > 0 {
            draft.warn(format!("{count} subtitles {what}"));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timed_text_is_as_long_as_it_says_and_in_either_encoding() {
        assert_eq!(timed_text(b"\0\x03so \0\0\0\x0cstyl"), b"so ");
        assert_eq!(timed_text(b"\0\x06\xfe\xff\0h\0\xe9"), "hé".as_bytes());
        assert_eq!(timed_text(b"\0\x06\xff\xfeh\0\xe9\0"), "hé".as_bytes());
        assert_eq!(timed_text(b"\0\x63cut"), b"cut");
        assert_eq!(timed_text(b"\0"), b"");
    }
}
