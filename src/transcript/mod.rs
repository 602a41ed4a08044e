//! Transcripts: turns, speakers and words. The formats stand in one list, [`format`](Format), each with a reader in a
//! file of its own.
//!
//! [`read`] takes any supported file. The content decides the format; the file's suffix only breaks ties.
//! What is not clean is defined: a zero-length cue is an empty segment, unordered and overlapping turns are kept in
//! file order and told in a warning, a reversed or unreadable cue is an error (with [`ReadOptions::lenient`], a
//! warning, and the cue is dropped).

use std::collections::BTreeMap;
use std::path::Path;

use crate::annotation::{SoundEvent, TierCode, Turn};
use crate::error::{Error, Result};
use crate::file;
use crate::warning::Warning;
use draft::Draft;
pub use embedded::embedded;
pub use encoding::Encoding;
pub use events::is_laughter;
use format::Input;
pub use format::{Format, supported};
pub use frames::Rates;
pub use label::Labels;
pub use speech_tiers::speech_of_tiers;
pub use tiers::names_codes;

mod clock;
mod cue;
mod draft;
mod embedded;
mod encoding;
mod events;
mod foreign;
mod format;
mod frames;
mod json;
mod label;
mod markup;
mod overlap;
mod people;
mod quotes;
mod ranges;
mod repeat;
pub mod rescue;
mod speech_tiers;
mod tiers;
mod xml;

/// How a transcript is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions<'a> {
    /// Drop a bad cue with a warning instead of ending with an error.
    pub lenient: bool,
    /// Which sample of a RESCUE-bench JSONL file of several.
    pub sample_id: Option<&'a str>,
    /// Whether labels in the text are believed.
    pub labels: Labels,
    /// Names of the tiers of speech in files of tiers (ELAN, Praat); empty: the tiers themselves tell it.
    pub tiers: &'a [String],
    /// The media that the transcript is of: what a file says of the origin of their times is applied to these alone.
    pub media: Option<&'a Path>,
    /// In which encoding the file is.
    pub encoding: Encoding,
    /// What times in frames and in samples are of.
    pub rates: Rates,
}

/// What a transcript file tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    /// As told by the content.
    pub format: Format,
    /// Never empty; in file order until [`Transcript::sort_by_time`]. `index` is counted from 1 over the turns kept
    /// (RESCUE-bench: `row_index`), strictly increasing in file order.
    pub turns: Vec<Turn>,
    /// What is heard and not said, in the order of the turns.
    pub events: Vec<SoundEvent>,
    /// What tiers beside the speech hold, by time.
    pub codes: Vec<TierCode>,
    /// Numbers ([`Turn::index`]) of turns before which a cue was dropped, ascending: what was said there, and by whom,
    /// is not known. In files of several tiers, all turns begun between the dropped cue's neighbours of its tier.
    pub after_dropped: Vec<u32>,
    /// True where the times are whole numbers of a unit that the file does not tell; they are given as seconds.
    pub bare_times: bool,
    /// The language that the file declares, as it writes it; `None` where it declares none, or several.
    pub language: Option<String>,
    /// All fields of a RESCUE-bench sample, `None` for other formats.
    pub sample: Option<rescue::Sample>,
    /// What a user should know: dropped, unordered, overlapping cues, a guessed encoding.
    pub warnings: Vec<Warning>,
}

impl Transcript {
    /// Puts the turns into the order of their starts, each with its number in the file; those that begin together stay
    /// in the file's order. What is told of a turn looks at those before it: in file order those of an unordered file
    /// could lie in its future. A cue that was dropped lay somewhere between its neighbours in the file, so that every
    /// turn begun between them may follow it.
    pub fn sort_by_time(&mut self) {
        if self.turns.is_sorted_by_key(|t| t.segment.start()) {
            return;
        }
        let dropped = self.after_dropped();
        let in_file: Vec<u32> = self.turns.iter().map(|t| t.index).collect();
        self.turns.sort_by_key(|t| t.segment.start());
        let place: BTreeMap<u32, usize> = self.turns.iter().enumerate().map(|(at, t)| (t.index, at)).collect();
        let place_of = |in_file_at: usize| place.get(&in_file[in_file_at]).copied().unwrap_or_default();
        let between = |&d: &usize| -> std::ops::RangeInclusive<usize> {
            let after = place_of(d);
            match d.checked_sub(1).map(&place_of) {
                Some(before) if before > after => after..=before,
                before => before.map_or(0, |place| place + 1)..=after,
            }
        };
        let places = draft::covered(dropped.iter().map(between), self.turns.len());
        let mut numbers: Vec<u32> = places.into_iter().map(|at| self.turns[at].index).collect();
        numbers.sort_unstable();
        self.after_dropped = numbers;
    }

    /// Places in `turns` of those before which a cue was dropped, ascending.
    pub fn after_dropped(&self) -> Vec<usize> {
        let is_one = |t: &Turn| self.after_dropped.binary_search(&t.index).is_ok();
        self.turns.iter().enumerate().filter(|(_, t)| is_one(t)).map(|(at, _)| at).collect()
    }
}

/// A transcript of a whole day is below 50 MB. Reading one takes up to six times its size: a recording given by mistake
/// must not fill the memory.
const MOST_BYTES: u64 = 256 << 20;

/// Reads a transcript.
///
/// # Errors
/// [`Error::Read`] when the file cannot be read; [`Error::Parse`] for an unknown format, a bad cue (unless lenient) or
/// no cues at all.
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
///
/// # Errors
/// [`Error::Parse`], as [`read`].
pub fn read_bytes(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<Transcript> {
    let mut draft = Draft::new(path, options.lenient).with(options);
    if bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) {
        let what = "a document of the old kind (.doc, .xls), which is not read";
        return Err(draft.fail(0, what, "save it as docx, CSV or plain text"));
    }
    let of_word = bytes.starts_with(b"PK\x03\x04");
    let text = if of_word {
        format::text_of_word(bytes, &mut draft)?
    } else {
        let (text, note) = options
            .encoding
            .decode(bytes)
            .map_err(|what| draft.fail(0, what, "pass --encoding auto, or the encoding that the file is in"))?;
        note.into_iter().for_each(|note| draft.warn(note));
        let text = ranges::with_arrows(text, &mut draft);
        frames::in_timing_lines(text, options.rates, &mut draft)?
    };
    let mut input = Input::new(&text, path, options);
    input.of_word = of_word;
    let format = format::recognise(&mut input, &draft)?;
    format.read_into(&input, &mut draft)?;
    if let Some(id) = options.sample_id.filter(|_| !format.holds_several()) {
        draft.warn(format!("sample_id {id:?} is not used: a file of this format holds one transcript"));
    }
    draft.finish(format)
}

#[cfg(test)]
mod cut_tests;
#[cfg(test)]
mod eaf_tests;
#[cfg(test)]
mod tests;
