//! The `voice` table: one row per 10 ms frame.

use std::ops::Range;

use super::egemaps::Lld;
use super::egemaps_columns::lld_columns;
use super::{Acoustics, GRID};
use crate::error::Result;
use crate::table::{Column, ColumnSpec, Kind, Layout, Modality, Table, all_of};

/// One 10 ms frame of a recording.
#[derive(Clone, Copy, Debug)]
pub struct VoiceFrame<'a> {
    /// Interview the recording belongs to.
    pub interview_id: &'a str,
    /// From 0.
    pub frame: usize,
    /// The whole recording's; it must have this frame.
    pub acoustics: &'a Acoustics,
    /// Descriptors of eGeMAPS from frame `lld_first` on; the whole recording's end a few frames earlier than it does.
    pub lld: &'a Lld,
    /// The first of them.
    pub lld_first: usize,
}

/// The `voice` table: keys, the room's own measures, then the 25 descriptors of eGeMAPS.
pub fn voice_layout<'a>() -> Layout<VoiceFrame<'a>> {
    let frame = "Frame number from 0; frame i is the window [0.01 i, 0.01 i + 0.02) s.";
    let time = "Centre of the frame's window, from the recording's origin.";
    let mut columns = vec![
        Column::text("interview_id", "Interview the row belongs to.", |f: &VoiceFrame<'a>| f.interview_id),
        Column::int("frame", "", frame, |f: &VoiceFrame<'a>| f.frame),
        Column::float("time_secs", "s", time, |f: &VoiceFrame<'a>| GRID.centre(f.frame)),
    ];
    columns.extend(all_of(Modality::Voice, acoustic_columns()));
    columns.extend(lld_columns());
    Layout { name: "voice", description: "One 10 ms frame of the recording's sound.", columns }
}

fn acoustic_columns<'a>() -> [Column<VoiceFrame<'a>>; 5] {
    /// A measure, NaN where it is missing.
    fn measure<'a>(
        name: &'static str,
        unit: &'static str,
        description: &'static str,
        values: fn(&Acoustics) -> &[f32],
    ) -> Column<VoiceFrame<'a>> {
        let spec = ColumnSpec::new(name, Kind::F32, unit, description);
        Column::new(spec, move |f: &VoiceFrame<'a>| values(f.acoustics)[f.frame])
    }
    let intensity =
        "Intensity as Praat defines it for a lowest pitch of 75 Hz, full scale taken as 1 Pa; null in silence.";
    [
        measure("level_db", "dBFS", "RMS of the 20 ms window around its mean; null below -100 dBFS.", |a| &a.level_db),
        measure("intensity_db", "dB re 20 uPa", intensity, |a| &a.intensity_db).from_source("Boersma & Weenink"),
        measure(
            "pitch_hz",
            "Hz",
            "Fundamental frequency (SwiftF0, every 16 ms): on the line in semitones between \
                                   the two values around the frame's centre, the nearest one's where the other is \
                                   unvoiced or more than 3 semitones away; null where the nearest is unvoiced.",
            |a| &a.pitch_hz,
        )
        .from_source("Nieradzik 2025"),
        measure("pitch_confidence", "", "SwiftF0's confidence that the frame is voiced, 0 to 1.", |a| {
            &a.pitch_confidence
        })
        .from_source("Nieradzik 2025"),
        Column::bool(
            "voiced",
            "True where that confidence is at least {voice.voicing_confidence}.",
            |f: &VoiceFrame<'a>| f.acoustics.voiced[f.frame],
        ),
    ]
}

/// Rows of the table of one interview: those frames of `acoustics`, with the descriptors `lld` of the same.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit its column.
pub fn voice_table(interview_id: &str, acoustics: &Acoustics, frames: Range<usize>, lld: &Lld) -> Result<Table> {
    let lld_first = frames.start;
    voice_layout().table(frames.map(|frame| VoiceFrame { interview_id, frame, acoustics, lld, lld_first }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ColumnData;

    #[test]
    fn a_row_is_a_frame_and_the_descriptors_come_last() {
        let a = Acoustics {
            level_db: vec![-20.0, f32::NAN],
            intensity_db: vec![60.0, f32::NAN],
            pitch_hz: vec![100.0, f32::NAN],
            pitch_confidence: vec![0.9, 0.1],
            voiced: vec![true, false],
        };
        let lld = Lld { columns: std::array::from_fn(|c| vec![c as f32 + 1.0]) };
        let t = voice_table("i1", &a, 0..2, &lld).unwrap();
        assert_eq!((t.rows(), t.columns().len()), (2, 8 + lld.columns.len()));
        let times = t.column("time_secs");
        assert!(
            matches!(times, Some(ColumnData::F64(v)) if (v[0] - 0.01).abs() < 1e-12 && (v[1] - 0.02).abs() < 1e-12)
        );
        assert_eq!(t.column("frame"), Some(&ColumnData::I64(vec![Some(0), Some(1)])));
        assert_eq!(t.column("voiced"), Some(&ColumnData::Bool(vec![Some(true), Some(false)])));
        for (name, first) in
            [("level_db", -20.0_f32), ("intensity_db", 60.0), ("pitch_hz", 100.0), ("pitch_confidence", 0.9)]
        {
            assert!(matches!(t.column(name), Some(ColumnData::F32(v)) if (v[0] - first).abs() < 1e-6), "{name}");
        }
        // The descriptors end before the acoustics do.
        let ratio = t.column("egemaps_alphaRatio_sma3");
        assert!(matches!(ratio, Some(ColumnData::F32(v)) if (v[0] - 2.0).abs() < 1e-6 && v[1].is_nan()));
        let senses: Vec<Modality> = t.schema().columns.iter().map(|c| c.modality).collect();
        assert!(senses[..3].iter().all(|m| *m == Modality::None) && senses[3..].iter().all(|m| *m == Modality::Voice));
    }
}
