//! Per-speaker normalisation: how far a turn's value lies from what is usual for its speaker, in that speaker's standard deviations.

use crate::error::Result;
use crate::table::{ColumnData, ColumnSpec, CutOff, Kind, Table};

/// Against which turns of the speaker a turn is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeakerZ {
    /// No such columns.
    #[default]
    Off,
    /// The speaker's turns that ended before this one began: fit for prediction tasks.
    Causal,
    /// All turns of the speaker in the interview, this one included.
    Interview,
}

/// Fewest turns of a speaker to compare with.
const MIN_TURNS: usize = 3;

/// The extra columns for the float columns among `specs`: `<name>_speaker_z`.
pub fn speaker_z_specs(specs: &[ColumnSpec], mode: SpeakerZ) -> Vec<ColumnSpec> {
    let (cut_off, against) = match mode {
        SpeakerZ::Off => return Vec::new(),
        SpeakerZ::Causal => (CutOff::TurnEnd, "the speaker's earlier turns"),
        SpeakerZ::Interview => (CutOff::Interview, "all of the speaker's turns"),
    };
    specs
        .iter()
        .filter(|s| s.kind == Kind::F64)
        .map(|s| {
            let text = format!("z score of {} against {against}; null with fewer than {MIN_TURNS} of them.", s.name);
            ColumnSpec::new(format!("{}_speaker_z", s.name), Kind::F64, "sd", text).until(cut_off)
        })
        .collect()
}

/// A turns table with the columns of [`speaker_z_specs`] appended.
///
/// # Errors
/// [`crate::error::Error::Shape`] when the table lacks the columns `start_secs`, `end_secs` or `speaker`'s values do not fit.
pub fn with_speaker_z(table: Table, specs: &[ColumnSpec], mode: SpeakerZ) -> Result<Table> {
    let extra = speaker_z_specs(specs, mode);
    if extra.is_empty() {
        return Ok(table);
    }
    let floats = |name: &str| match table.column(name) {
        Some(ColumnData::F64(v)) => v.clone(),
        _ => vec![f64::NAN; table.rows()],
    };
    let speakers: Vec<Option<String>> = match table.column("speaker") {
        Some(ColumnData::Str(v)) => v.clone(),
        _ => vec![None; table.rows()],
    };
    let (starts, ends) = (floats("start_secs"), floats("end_secs"));
    let columns: Vec<ColumnData> = specs
        .iter()
        .filter(|s| s.kind == Kind::F64)
        .map(|s| {
            let values = floats(&s.name);
            let z = (0..values.len()).map(|i| z_score(i, &values, &speakers, &starts, &ends, mode)).collect();
            ColumnData::F64(z)
        })
        .collect();
    let mut schema = table.schema().clone();
    schema.columns.extend(extra);
    let mut data = table.columns().to_vec();
    data.extend(columns);
    Table::new(schema, data)
}

fn z_score(i: usize, values: &[f64], speakers: &[Option<String>], starts: &[f64], ends: &[f64], mode: SpeakerZ) -> f64 {
    let Some(speaker) = &speakers[i] else { return f64::NAN };
    let mine: Vec<f64> = (0..values.len())
        .filter(|&j| speakers[j].as_ref() == Some(speaker) && values[j].is_finite())
        .filter(|&j| mode == SpeakerZ::Interview || (j != i && ends[j] <= starts[i]))
        .map(|j| values[j])
        .collect();
    if mine.len() < MIN_TURNS {
        return f64::NAN;
    }
    let n = mine.len() as f64;
    let mean = mine.iter().sum::<f64>() / n;
    let deviation = (mine.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    // A value that never changed has no scale to be measured on.
    if deviation > 1e-12 * mean.abs().max(1e-12) { (values[i] - mean) / deviation } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{TableBuilder, TableSchema};

    fn table(rows: &[(f64, f64, &str, f64)]) -> (Table, Vec<ColumnSpec>) {
        let spec = ColumnSpec::new("level", Kind::F64, "dB", "Level.");
        let columns = vec![
            ColumnSpec::new("start_secs", Kind::F64, "s", ""),
            ColumnSpec::new("end_secs", Kind::F64, "s", ""),
            ColumnSpec::new("speaker", Kind::Str, "", ""),
            spec.clone(),
        ];
        let mut t = TableBuilder::new(TableSchema { name: "turns", description: "", columns });
        for &(start, end, speaker, level) in rows {
            t.row().set("start_secs", start).set("end_secs", end).set("speaker", speaker).set("level", level);
        }
        (t.finish().unwrap(), vec![spec])
    }

    fn z(mode: SpeakerZ) -> Vec<f64> {
        let rows = [
            (0.0, 1.0, "Ann", 1.0),
            (1.0, 2.0, "Bob", 50.0),
            (2.0, 3.0, "Ann", 2.0),
            (3.0, 4.0, "Ann", 3.0),
            (4.0, 5.0, "Ann", 5.0),
            (4.5, 6.0, "Ann", 9.0),
        ];
        let (t, specs) = table(&rows);
        match with_speaker_z(t, &specs, mode).unwrap().column("level_speaker_z") {
            Some(ColumnData::F64(v)) => v.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_causal_score_knows_only_what_came_before() {
        let z = z(SpeakerZ::Causal);
        assert!(z[..4].iter().all(|v| v.is_nan()), "{z:?}");
        // Against 1, 2, 3: mean 2, deviation 1.
        assert!((z[4] - 3.0).abs() < 1e-12);
        // The turn before had not ended when this one began.
        assert!((z[5] - 7.0).abs() < 1e-12);
    }

    #[test]
    fn over_the_interview_scores_have_mean_zero_and_speakers_stay_apart() {
        let z = z(SpeakerZ::Interview);
        assert!(z[1].is_nan(), "one turn is no scale");
        let ann: f64 = [0, 2, 3, 4, 5].iter().map(|&i: &usize| z[i]).sum();
        assert!(ann.abs() < 1e-9);
    }

    #[test]
    fn off_adds_nothing() {
        let (t, specs) = table(&[(0.0, 1.0, "Ann", 1.0)]);
        assert_eq!(with_speaker_z(t.clone(), &specs, SpeakerZ::Off).unwrap(), t);
    }
}
