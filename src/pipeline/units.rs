//! The unit of a transcript's times, told by the length of the media where the file does not tell it.

use std::path::Path;

use crate::error::{Error, Result};
use crate::media::{Probe, StreamPick, probe};
use crate::time::Segment;
use crate::transcript::{Format, Transcript};
use crate::warning::Warning;

/// Turns that begin before the media's end speak for a unit from this share on.
const FITS_SHARE: f64 = 0.9;

/// Nobody talks for less in most turns.
const SHORTEST_SECS: f64 = 0.06;

/// The length of the media as its container tells it; `None` where it does not.
pub(super) fn media_secs(media: &Path) -> Option<f64> {
    // What cannot be opened is told where it is decoded.
    let Probe { declared_secs, streams, .. } = probe(media, StreamPick::default()).ok()?;
    let longest = streams.iter().filter_map(|s| s.declared_secs).reduce(f64::max);
    declared_secs.into_iter().chain(longest).reduce(f64::max).filter(|secs| *secs > 0.0)
}

/// Reads times as milliseconds where, as seconds, most turns would begin behind the media's end; tells it.
///
/// # Errors
/// [`Error::Parse`] for a table or JSON of which nearly all turns begin behind the media's end in either unit: it is of
/// another recording, or of another unit yet. `lenient` keeps them, past the end as they are. The media are asked for
/// their length only where it matters.
pub(super) fn fit(
    read: &mut Transcript,
    media_secs: impl FnOnce() -> Option<f64>,
    path: &Path,
    lenient: bool,
) -> Result<Option<Warning>> {
    if !matches!(read.format, Format::Csv | Format::WhisperJson) || read.turns.is_empty() {
        return Ok(None);
    }
    let Some(media) = media_secs() else { return Ok(None) };
    let count = read.turns.len() as f64;
    let before = |unit: f64| {
        let begun = read.turns.iter().filter(|t| t.segment.start().get() * unit < media).count();
        begun as f64 / count
    };
    let ends_inside = read.turns.iter().filter(|t| t.segment.end().get() <= media).count() as f64 / count;
    let mut lengths: Vec<f64> = read.turns.iter().map(|t| t.segment.duration() / 1e3).collect();
    lengths.sort_by(f64::total_cmp);
    let spoken = lengths.get(lengths.len() / 2).is_some_and(|middle| *middle >= SHORTEST_SECS);
    if read.bare_times && ends_inside < 0.5 && spoken && before(1e-3) >= FITS_SHARE {
        scale(read);
        return Ok(Some(Warning::Transcript {
            what: format!(
                "start and end are read as milliseconds: as seconds, {} of {count} turns would end after the media \
                 does ({media:.1} s)",
                (count * (1.0 - ends_inside)).round()
            ),
        }));
    }
    if read.turns.len() > 1 && before(1.0) <= 1.0 - FITS_SHARE && !lenient {
        let what = format!(
            "{} of {count} turns begin after the media ends ({media:.1} s), whether the times are seconds or \
             milliseconds",
            (count * (1.0 - before(1.0))).round()
        );
        let hint = "is it the transcript of another recording, or of the uncut one (input.transcript_shift_secs)? pass \
                    --lenient to keep its turns where they are";
        return Err(Error::parse(path, 0, what, hint));
    }
    Ok(None)
}

/// Milliseconds that were read as seconds.
fn scale(read: &mut Transcript) {
    // A division: 1/1000 is no exact factor.
    let to_secs = |s: Segment| Segment::from_secs(s.start().get() / 1e3, s.end().get() / 1e3).unwrap_or(s);
    for turn in &mut read.turns {
        turn.segment = to_secs(turn.segment);
        for word in &mut turn.words {
            word.segment = word.segment.map(to_secs);
        }
    }
    for event in &mut read.events {
        event.segment = to_secs(event.segment);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{ReadOptions, read_bytes};

    fn fitted(name: &str, text: &str, media: f64) -> (Transcript, Result<Option<Warning>>) {
        let mut read = read_bytes(text.as_bytes(), Path::new(name), &ReadOptions::default()).unwrap();
        let told = fit(&mut read, || Some(media), Path::new(name), false);
        (read, told)
    }

    #[test]
    fn whole_numbers_past_the_end_are_milliseconds() {
        let csv = "start,end,text\n0,3200,a\n3200,5000,b\n5000,9000,c\n";
        let json = r#"[{"start":0,"end":3200,"text":"a"},{"start":3200,"end":5000,"text":"b"},{"start":5000,"end":9000,"text":"c"}]"#;
        for (name, text) in [("a.csv", csv.to_owned()), ("a.tsv", csv.replace(',', "\t")), ("a.json", json.into())] {
            let (read, told) = fitted(name, &text, 9.0);
            assert_eq!(read.turns[1].segment, Segment::from_secs(3.2, 5.0).unwrap(), "{name}");
            // Whisper's own TSV is known without the media.
            assert_eq!(told.unwrap().is_some(), !name.ends_with("tsv"), "{name}");
            let (read, told) = fitted(name, &text, 10_000.0);
            assert!(told.unwrap().is_none());
            let expected = if name == "a.tsv" { 3.2 } else { 3200.0 };
            assert!((read.turns[1].segment.start().get() - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn times_with_a_unit_are_not_scaled_and_what_fits_no_unit_is_refused() {
        for text in [
            "start_s,end_s,text\n0,3200,a\n3200,5000,b\n",
            "start,end,text\n00:00:00,00:53:20,a\n00:53:20,01:23:20,b\n",
            "start,end,text\n0.0,3200.5,a\n3200.0,5000.0,b\n",
        ] {
            let (read, told) = fitted("a.csv", text, 9.0);
            assert!(told.unwrap().is_none(), "half of the turns begin inside: {text}");
            assert!((read.turns[1].segment.start().get() - 3200.0).abs() < 1e-9, "{text}");
        }
        // Whole numbers that a table of numbers was written with: milliseconds that became floats beside an empty cell.
        let (read, told) = fitted("a.csv", "start,end,text\n0.0,3200.0,a\n3200.0,5000.0,b\n", 9.0);
        assert!(told.unwrap().is_some() && (read.turns[1].segment.start().get() - 3.2).abs() < 1e-9);
        let (_, told) = fitted("a.csv", "start,end,text\n60000,63200,a\n63200,65000,b\n", 9.0);
        let told = told.unwrap_err().to_string();
        assert!(told.contains("2 of 2 turns begin after the media ends (9.0 s)"), "{told}");
    }
}
