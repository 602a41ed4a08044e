//! Speech turns out of tiers: a file that was exported for ELAN or Praat, corrected there, instead of RTTM.

use std::path::Path;

use super::draft::Draft;
use super::format::{self, Input};
use super::tiers::is_diarized;
use super::{Format, ReadOptions, encoding};
use crate::annotation::{Annotation, SpeechTurn};
use crate::error::{Error, Result};
use crate::file;
use crate::time::Segment;

/// The speech turns of the tiers named `… - diarized` of an EAF or TextGrid, labels as their annotations say, `_` for
/// the spaces in them; `None` for any other file.
///
/// # Errors
/// [`Error::Read`]; [`Error::Parse`] for a damaged file, or one without such tiers.
pub fn speech_of_tiers(path: &Path) -> Result<Option<Annotation>> {
    let tiered = [Format::Eaf, Format::TextGrid];
    if !tiered.iter().any(|f| f.has_suffix_of(path)) {
        return Ok(None);
    }
    let options = ReadOptions::default();
    let bytes = file::read(path)?;
    let (text, _) = encoding::decode(&bytes);
    let mut draft = Draft::new(path, false).with(&options);
    let mut input = Input::new(&text, path, &options);
    let format = format::recognise(&mut input, &draft)?;
    if !tiered.contains(&format) {
        return Ok(None);
    }
    format.read_into(&input, &mut draft)?;
    let codes = draft.codes.iter().filter(|c| is_diarized(&c.tier));
    let turn = |c: &crate::annotation::TierCode| {
        let speaker = c.value.split_whitespace().collect::<Vec<_>>().join("_");
        Some(SpeechTurn { segment: Segment::new(c.start, c.end?)?, speaker })
    };
    let turns: Vec<SpeechTurn> = codes.filter_map(turn).collect();
    if turns.is_empty() {
        let hint = "export it with turnwise export transcript, and keep the tiers' names";
        return Err(Error::parse(path, 0, "no tier holds speech turns (named `… - diarized`)", hint));
    }
    Ok(Some(Annotation::new(turns)))
}
