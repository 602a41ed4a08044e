//! The eGeMAPS columns of the tables: openSMILE's names behind `egemaps_`, with what each means, and their values.

use super::VoiceFrame;
use super::egemaps::{Entry, Extractor, FUNCTIONALS, Functionals, LLDS, Lld};
use crate::error::Result;
use crate::signal::AudioBuffer;
use crate::table::{Column, ColumnSpec, CutOff, Kind, Layout, Modality, Table};
use crate::time::{Seconds, Segment};

/// One 10 ms frame of a recording's descriptors.
#[derive(Clone, Copy, Debug)]
pub struct LldFrame<'a> {
    /// The whole recording's.
    pub lld: &'a Lld,
    /// From 0.
    pub frame: usize,
}

/// A segment of a recording and its functionals.
#[derive(Clone, Debug)]
pub struct SegmentFunctionals {
    /// Start of the segment.
    pub start: Seconds,
    /// End of the segment.
    pub end: Seconds,
    /// Of its samples, cut out and processed on their own.
    pub functionals: Functionals,
}

/// The contract of an eGeMAPS column.
fn spec(entry: &Entry, kind: Kind, cut_off: CutOff) -> ColumnSpec {
    ColumnSpec::new(format!("egemaps_{}", entry.name), kind, entry.unit, entry.description)
        .until(cut_off)
        .of(Modality::Voice)
        .from_source("Eyben et al. 2016")
}

/// The contract of a functional that is null where it is not defined.
fn functional(entry: &Entry, cut_off: CutOff) -> ColumnSpec {
    let description = format!("{}; null, not 0, where it is not defined (see egemaps_missing).", entry.description);
    ColumnSpec { description: description.into(), ..spec(entry, Kind::F64, cut_off) }
}

/// The 25 descriptors for the `voice` table. openSMILE has no frame for the last 40 ms of a signal: there, and where a
/// descriptor is not defined (unvoiced), they are null.
pub(super) fn lld_columns<'a>() -> Vec<Column<VoiceFrame<'a>>> {
    let column = |(c, entry): (usize, &Entry)| {
        let value = move |f: &VoiceFrame<'a>| {
            let own = f.frame - f.lld_first;
            if own < f.lld.frames() { f.lld.value(c, own) } else { None }
        };
        Column::new(spec(entry, Kind::F32, CutOff::Interview), value)
    };
    LLDS.iter().enumerate().map(column).collect()
}

/// The 88 functionals, null where they are not defined, and the reason why some are.
pub fn functional_columns(cut_off: CutOff) -> Vec<Column<Functionals>> {
    let column =
        |(i, entry): (usize, &Entry)| Column::new(functional(entry, cut_off), move |f: &Functionals| f.values[i]);
    let mut columns: Vec<Column<Functionals>> = FUNCTIONALS.iter().enumerate().map(column).collect();
    let why = "Why the eGeMAPS columns are null; null = nothing is missing, single values that are not defined \
               aside. no_stream (no sound), past_end (begins after the sound's end), too_short (less than 60 ms of \
               sound in the turn) and silent (digital silence), and not_speech (a correction) empty them all; unvoiced (no frame voiced by \
               openSMILE's tracker) those that need voice.";
    columns.push(Column::text("egemaps_missing", why, |f: &Functionals| f.missing).until(cut_off));
    columns
}

/// The table `lld` of `turnwise voice`: openSMILE's own numbers, 0 and -201 in unvoiced frames.
pub fn lld_layout<'a>() -> Layout<LldFrame<'a>> {
    let start = |f: &LldFrame<'a>| Lld::start_secs(f.frame);
    let mut columns = vec![Column::float("start_secs", "s", "Start of the frame's 20 ms window.", start)];
    columns.extend(LLDS.iter().enumerate().map(|(c, entry)| {
        Column::new(spec(entry, Kind::F32, CutOff::Interview), move |f: &LldFrame<'a>| {
            f.lld.columns[c].get(f.frame).copied()
        })
    }));
    Layout { name: "lld", description: "One 10 ms frame: eGeMAPSv02's descriptors, openSMILE's values.", columns }
}

/// The table `functionals` of `turnwise voice`: openSMILE's own numbers; null where a segment is too short for it.
pub fn functionals_layout() -> Layout<SegmentFunctionals> {
    let mut columns = vec![
        Column::float("start_secs", "s", "Start of the segment.", |s: &SegmentFunctionals| s.start),
        Column::float("end_secs", "s", "End of the segment.", |s: &SegmentFunctionals| s.end),
    ];
    columns.extend(FUNCTIONALS.iter().enumerate().map(|(i, entry)| {
        Column::new(spec(entry, Kind::F64, CutOff::Interview), move |s: &SegmentFunctionals| s.functionals.opensmile[i])
    }));
    let description = "The whole file, then each segment cut out: eGeMAPSv02's functionals, openSMILE's values.";
    Layout { name: "functionals", description, columns }
}

/// The tables `lld` and `functionals` of a 16 kHz recording: its frames; the whole of it, then each segment cut out, in
/// the order given.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit its column.
pub fn opensmile_tables(audio: &AudioBuffer, segments: &[Segment]) -> Result<(Table, Table)> {
    let mut extractor = Extractor::new();
    let (lld, whole) = extractor.analyse(audio.samples());
    let mut rows = vec![SegmentFunctionals { start: Seconds::ZERO, end: audio.duration(), functionals: whole }];
    for segment in segments {
        let functionals = extractor.functionals(audio.slice(*segment));
        rows.push(SegmentFunctionals { start: segment.start(), end: segment.end(), functionals });
    }
    let frames = (0..lld.frames()).map(|frame| LldFrame { lld: &lld, frame });
    Ok((lld_layout().table(frames)?, functionals_layout().table(rows)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::Acoustics;
    use crate::audio::SAMPLE_RATE_HZ;
    use crate::audio::egemaps::{FUNCTIONAL_COUNT, LLD_COUNT};
    use crate::audio::level::tests::sine;
    use crate::table::{Cell, ColumnData, Missing};

    fn frame(lld: &Lld, frame: usize) -> VoiceFrame<'_> {
        static NOTHING: Acoustics = Acoustics {
            level_db: Vec::new(),
            intensity_db: Vec::new(),
            pitch_hz: Vec::new(),
            pitch_confidence: Vec::new(),
            voiced: Vec::new(),
        };
        VoiceFrame { interview_id: "i", frame, acoustics: &NOTHING, lld, lld_first: 0 }
    }

    #[test]
    fn the_two_value_sets_differ_where_nothing_is_defined() {
        let (lld, functionals) = Extractor::new().analyse(&vec![0.0; 16_000]);
        let columns = functional_columns(CutOff::TurnEnd);
        assert_eq!(columns.len(), FUNCTIONAL_COUNT + 1);
        assert_eq!(columns[0].value(&functionals), Cell::Missing, "silence has no functionals");
        assert_eq!(columns[FUNCTIONAL_COUNT].value(&functionals), Missing::Silent.into());
        assert!(columns.iter().all(|c| c.spec().cut_off == CutOff::TurnEnd));
        let senses: Vec<Modality> = columns.iter().map(|c| c.spec().modality).collect();
        assert!(
            senses[..FUNCTIONAL_COUNT].iter().all(|m| *m == Modality::Voice)
                && senses[FUNCTIONAL_COUNT] == Modality::None
        );
        // openSMILE counts silence as zeros.
        let pitch = LLDS.iter().position(|e| e.name.starts_with("F0semitone")).unwrap();
        assert_eq!(lld_columns()[pitch].value(&frame(&lld, 3)), Cell::Missing);
        assert_eq!(lld_layout().columns[1 + pitch].value(&LldFrame { lld: &lld, frame: 3 }), Cell::Float(0.0));
        let row = SegmentFunctionals { start: Seconds::ZERO, end: Seconds::of(1.0), functionals };
        let layout = functionals_layout();
        assert_eq!(
            layout.columns.iter().take(3).map(|c| c.value(&row)).collect::<Vec<_>>()[..2],
            [0.0.into(), 1.0.into()]
        );
        assert_eq!(layout.columns[2].value(&row), row.functionals.opensmile[0].into());
        assert_ne!(layout.columns[2].value(&row), Cell::Missing);
    }

    #[test]
    fn each_column_tells_its_own_descriptor_and_frames_past_the_last_are_null() {
        let lld = Extractor::new().lld(&sine(150.0, -20.0, 0.5));
        let columns = lld_columns();
        assert_eq!(columns.len(), LLD_COUNT);
        for (c, column) in columns.iter().enumerate() {
            assert_eq!(column.value(&frame(&lld, 20)), lld.value(c, 20).into(), "{}", column.spec().name);
            assert_eq!(column.value(&frame(&lld, lld.frames())), Cell::Missing);
        }
    }

    #[test]
    fn the_whole_recording_comes_first_and_the_segments_in_their_order() {
        let audio = AudioBuffer::new(sine(150.0, -20.0, 1.0), SAMPLE_RATE_HZ);
        let segments = [Segment::from_secs(0.5, 1.0).unwrap(), Segment::from_secs(0.0, 0.01).unwrap()];
        let (lld, functionals) = opensmile_tables(&audio, &segments).unwrap();
        assert_eq!((lld.rows(), lld.columns().len()), (Extractor::new().lld(audio.samples()).frames(), 1 + LLD_COUNT));
        assert!(matches!(lld.column("start_secs"), Some(ColumnData::F64(v)) if (v[7] - 0.07).abs() < 1e-12));
        assert_eq!(functionals.column("start_secs"), Some(&ColumnData::F64(vec![0.0, 0.5, 0.0])));
        assert_eq!(functionals.column("end_secs"), Some(&ColumnData::F64(vec![1.0, 1.0, 0.01])));
        let expected = Extractor::new().functionals(audio.slice(segments[0])).opensmile[0].unwrap();
        let Some(ColumnData::F64(pitch)) = functionals.column("egemaps_F0semitoneFrom27.5Hz_sma3nz_amean") else {
            panic!("{:?}", functionals.schema())
        };
        assert!(
            pitch[0].is_finite() && (pitch[1] - expected).abs() < 1e-12 && pitch[2].is_nan(),
            "too short: {pitch:?}"
        );
    }
}
