//! The `voice` table: one row per 10 ms frame.

use super::{Acoustics, GRID};
use crate::error::Result;
use crate::table::{ColumnData, ColumnSpec, Kind, Table, TableSchema};

/// The table's contract; `extra` columns (the eGeMAPS descriptors) follow the room's own in the order given.
pub fn voice_schema(extra: Vec<ColumnSpec>) -> TableSchema {
    let mut columns = vec![
        ColumnSpec::new("interview_id", Kind::Str, "", "Interview the row belongs to."),
        ColumnSpec::new("frame", Kind::I64, "", "Frame number from 0; frame i is the window [0.01 i, 0.01 i + 0.02) s."),
        ColumnSpec::new("time_secs", Kind::F64, "s", "Centre of the frame's window, from the recording's origin."),
        ColumnSpec::new("level_db", Kind::F32, "dBFS", "RMS of the 20 ms window around its mean; null below -100 dBFS."),
        ColumnSpec::new(
            "intensity_db",
            Kind::F32,
            "dB re 20 uPa",
            "Intensity as Praat defines it for a lowest pitch of 75 Hz, full scale taken as 1 Pa; null in silence.",
        ),
        ColumnSpec::new("pitch_hz", Kind::F32, "Hz", "Fundamental frequency (SwiftF0); null where unvoiced."),
        ColumnSpec::new("pitch_confidence", Kind::F32, "", "SwiftF0's confidence that the frame is voiced, 0 to 1."),
        ColumnSpec::new("voiced", Kind::Bool, "", "True where the frame is voiced."),
    ];
    columns.extend(extra);
    TableSchema { name: "voice", description: "One 10 ms frame of the recording's sound.", columns }
}

/// The table of one interview. Each `extra` column must have one value per frame of `acoustics`.
///
/// # Errors
/// [`crate::error::Error::Shape`] when an extra column has another length or kind than it says.
pub fn voice_table(interview_id: &str, acoustics: &Acoustics, extra: Vec<(ColumnSpec, ColumnData)>) -> Result<Table> {
    let frames = acoustics.len();
    let (specs, data): (Vec<_>, Vec<_>) = extra.into_iter().unzip();
    let mut columns = vec![
        ColumnData::Str(vec![Some(interview_id.to_owned()); frames]),
        ColumnData::I64((0..frames as i64).map(Some).collect()),
        ColumnData::F64((0..frames).map(|i| GRID.centre(i).get()).collect()),
        ColumnData::F32(acoustics.level_db.clone()),
        ColumnData::F32(acoustics.intensity_db.clone()),
        ColumnData::F32(acoustics.pitch_hz.clone()),
        ColumnData::F32(acoustics.pitch_confidence.clone()),
        ColumnData::Bool(acoustics.voiced.iter().copied().map(Some).collect()),
    ];
    columns.extend(data);
    Table::new(voice_schema(specs), columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_frame_and_extra_columns_come_last() {
        let a = Acoustics {
            level_db: vec![-20.0, f32::NAN],
            intensity_db: vec![60.0, f32::NAN],
            pitch_hz: vec![100.0, f32::NAN],
            pitch_confidence: vec![0.9, 0.1],
            voiced: vec![true, false],
        };
        let spec = ColumnSpec::new("egemaps_x", Kind::F32, "", "");
        let t = voice_table("i1", &a, vec![(spec.clone(), ColumnData::F32(vec![1.0, 2.0]))]).unwrap();
        assert_eq!((t.rows(), t.columns().len()), (2, 9));
        assert!(matches!(t.column("time_secs"), Some(ColumnData::F64(v)) if (v[0] - 0.01).abs() < 1e-12 && (v[1] - 0.02).abs() < 1e-12));
        assert_eq!(t.column("egemaps_x"), Some(&ColumnData::F32(vec![1.0, 2.0])));
        assert!(voice_table("i1", &a, vec![(spec, ColumnData::F32(vec![1.0]))]).is_err());
    }
}
