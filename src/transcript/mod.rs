//! Transcripts: turns, speakers and words, one file a format, the format told by content.
//!
//! [`read`] takes any supported file. The content decides the format; the file's suffix only breaks ties.
//! What is not clean is defined: a zero-length cue is an empty segment, unordered and overlapping turns are kept in file order
//! and told in a warning, a reversed or unreadable cue is an error (with [`ReadOptions::lenient`], a warning, and the cue is dropped).

use std::fmt;
use std::path::Path;

use crate::annotation::Turn;
use crate::error::{Error, Result};
use crate::file;
use crate::warning::Warning;
use draft::Draft;
use sniff::Content;

mod chat;
mod clock;
mod columns;
mod cue;
mod delimited;
mod draft;
mod eaf;
mod encoding;
mod json;
mod label;
mod markup;
mod quotes;
pub mod rescue;
mod rescue_left;
mod sniff;
mod srt;
mod stm;
mod textgrid;
mod tiers;
mod webvtt;
mod whisper;

/// A transcript format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// SubRip `.srt`.
    Srt,
    /// WebVTT `.vtt`, YouTube's rolling captions among them.
    WebVtt,
    /// NIST segment time marks `.stm`.
    Stm,
    /// A table with a header line, comma, tab, semicolon or bar between fields.
    Csv,
    /// JSON of Whisper, WhisperX, whisper-timestamped or stable-ts.
    WhisperJson,
    /// A RESCUE-bench sample, JSON or JSONL.
    Rescue,
    /// ELAN `.eaf`.
    Eaf,
    /// Praat `TextGrid`, long or short.
    TextGrid,
    /// CHAT `.cha`.
    Chat,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Srt => "SRT",
            Format::WebVtt => "WebVTT",
            Format::Stm => "STM",
            Format::Csv => "CSV",
            Format::WhisperJson => "Whisper JSON",
            Format::Rescue => "RESCUE-bench",
            Format::Eaf => "ELAN EAF",
            Format::TextGrid => "Praat TextGrid",
            Format::Chat => "CHAT",
        })
    }
}

/// How a transcript is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions<'a> {
    /// Drop a bad cue with a warning instead of ending with an error.
    pub lenient: bool,
    /// Which sample of a RESCUE-bench JSONL file of several.
    pub sample_id: Option<&'a str>,
}

/// What a transcript file tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    /// As told by the content.
    pub format: Format,
    /// Never empty; in file order, `index` counted from 1 over the turns kept (RESCUE-bench: `row_index`), strictly increasing.
    pub turns: Vec<Turn>,
    /// All fields of a RESCUE-bench sample, `None` for other formats.
    pub sample: Option<rescue::Sample>,
    /// What a user should know: dropped, unordered, overlapping cues, a guessed encoding.
    pub warnings: Vec<Warning>,
}

/// A transcript of a whole day is below 50 MB. Reading one takes up to six times its size: a recording given by mistake
/// must not fill the memory.
const MOST_BYTES: u64 = 256 << 20;

/// Reads a transcript.
///
/// # Errors
/// [`Error::Read`] when the file cannot be read; [`Error::Parse`] for an unknown format, a bad cue (unless lenient) or no cues at all.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Transcript> {
    let unreadable = |source| Error::Read { path: path.to_owned(), source };
    file::check(path)?;
    let size = std::fs::metadata(path).map_err(unreadable)?.len();
    if size > MOST_BYTES {
        let what = format!("a file of {} MB is no transcript", size / 1_000_000);
        return Err(Error::parse(path, 0, what, "is it the recording, and the transcript another file?"));
    }
    let bytes = file::read(path)?;
    read_bytes(&bytes, path, options)
}

/// Reads a transcript held in memory; `path` gives the suffix, the name of the recording and the place in errors.
fn read_bytes(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<Transcript> {
    let (text, note) = encoding::decode(bytes);
    let mut draft = Draft::new(path, options.lenient);
    if let Some(note) = note {
        draft.warn(note);
    }
    let suffix = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let format = match sniff::content(&text, &suffix, &draft)? {
        Content::Srt => srt::read(&text, &mut draft).map(|()| Format::Srt)?,
        Content::WebVtt => webvtt::read(&text, &mut draft).map(|()| Format::WebVtt)?,
        Content::Stm => stm::read(&text, &rescue::stem(path), &mut draft).map(|()| Format::Stm)?,
        Content::Csv => delimited::read(&text, &mut draft).map(|()| Format::Csv)?,
        Content::Eaf => eaf::read(&text, &mut draft).map(|()| Format::Eaf)?,
        Content::TextGrid => textgrid::read(&text, &mut draft).map(|()| Format::TextGrid)?,
        Content::Chat => chat::read(&text, &mut draft).map(|()| Format::Chat)?,
        Content::Whisper(root) => whisper::read(&root, &mut draft).map(|()| Format::WhisperJson)?,
        Content::Rescue(samples) => return read_rescue(&samples, path, options, draft),
    };
    if let Some(id) = options.sample_id {
        draft.warn(format!("sample_id {id:?} is not used: a file of this format holds one transcript"));
    }
    draft.finish(format)
}

fn read_rescue(samples: &[(usize, serde_json::Value)], path: &Path, options: &ReadOptions, mut draft: Draft) -> Result<Transcript> {
    let own_id = |value: &serde_json::Value| json::text(value.get("sample_id"));
    let chosen = match (options.sample_id, samples) {
        // A file of one sample without an id is that sample, whatever the caller calls it.
        (_, [only]) if own_id(&only.1).is_empty() => Some(only),
        (None, [only]) => Some(only),
        (Some(id), _) => samples.iter().find(|(_, v)| own_id(v) == id.trim()),
        (None, _) => None,
    };
    if let Some((line, value)) = chosen {
        let id = own_id(value);
        let places: Vec<usize> = (1..).zip(samples).filter(|(_, (_, v))| !id.is_empty() && own_id(v) == id).map(|(i, _)| i).collect();
        if let [first, second, ..] = places[..] {
            let (unit, first, second) =
                if *line > 0 { ("lines", samples[first - 1].0, samples[second - 1].0) } else { ("samples", first, second) };
            let what = format!("sample_id {id:?} occurs twice, in {unit} {first} and {second}");
            return Err(draft.fail(second * usize::from(*line > 0), what, "give every sample an id of its own"));
        }
    }
    let Some((line, value)) = chosen else {
        let known: Vec<String> = samples.iter().take(5).map(|(_, v)| own_id(v)).collect();
        let what = match options.sample_id {
            Some(id) => format!("no sample {id:?} among {}", samples.len()),
            None => format!("{} samples in one file", samples.len()),
        };
        let dots = if samples.len() > known.len() { ", …" } else { "" };
        return Err(draft.fail(0, what, format!("name one with sample_id: {}{dots}", known.join(", "))));
    };
    let id = options.sample_id.map_or_else(|| rescue::stem(path), str::to_owned);
    let sample = rescue::sample(value, &id, *line, &mut draft)?;
    for row in &sample.rows {
        draft.push_numbered(row.row_index, row.segment, Some(&row.primary_speaker), row.dialogue_cleaned.clone(), Vec::new());
    }
    let mut transcript = draft.finish(Format::Rescue)?;
    transcript.sample = Some(sample);
    Ok(transcript)
}

#[cfg(test)]
mod cut_tests;
#[cfg(test)]
mod eaf_tests;
#[cfg(test)]
mod tests;
