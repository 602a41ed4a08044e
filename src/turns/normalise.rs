//! Per-speaker normalisation: how far a turn's value lies from what is usual for its speaker, in that speaker's
//! standard deviations.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::table::{ColumnData, ColumnSpec, CutOff, Kind, Table};

/// Against which turns of the speaker a turn is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
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
pub(super) fn speaker_z_specs(specs: &[ColumnSpec], mode: SpeakerZ) -> Vec<ColumnSpec> {
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
            ColumnSpec::new(format!("{}_speaker_z", s.name), Kind::F64, "sd", text)
                .until(cut_off)
                .of(s.modality)
                .from_source(s.source.clone())
        })
        .collect()
}

/// A turns table with the columns of [`speaker_z_specs`] appended.
///
/// # Errors
/// [`crate::error::Error::Shape`] when the table lacks the columns `start_secs`, `end_secs` or `speaker`'s values do
/// not fit.
pub(super) fn with_speaker_z(table: Table, specs: &[ColumnSpec], mode: SpeakerZ) -> Result<Table> {
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
    let mut of_speaker: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, speaker) in speakers.iter().enumerate() {
        speaker.iter().for_each(|s| of_speaker.entry(s).or_default().push(i));
    }
    let columns: Vec<ColumnData> = specs
        .iter()
        .filter(|s| s.kind == Kind::F64)
        .map(|s| {
            let values = floats(&s.name);
            let mut z = vec![f64::NAN; values.len()];
            for own in of_speaker.values() {
                match mode {
                    SpeakerZ::Interview => against_all(own, &values, &mut z),
                    _ if own.len() <= LOOKED_UP => against_earlier(own, &values, &starts, &ends, &mut z),
                    _ => against_sums(own, &values, &starts, &ends, &mut z),
                }
            }
            ColumnData::F64(z)
        })
        .collect();
    let mut schema = table.schema().clone();
    schema.columns.extend(extra);
    let mut data: Vec<ColumnData> = table.columns().into_iter().cloned().collect();
    data.extend(columns);
    Table::new(schema, data)
}

/// Turns of one speaker up to which each turn's earlier ones are looked up; of more, running sums are kept, whose last
/// digits differ.
const LOOKED_UP: usize = 2000;

/// Mean and standard deviation of at least [`MIN_TURNS`] values.
fn scale(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    (values.len() >= MIN_TURNS).then_some((mean, deviation))
}

fn z_score(value: f64, (mean, deviation): (f64, f64)) -> f64 {
    // A value that never changed has no scale to be measured on.
    if deviation > 1e-12 * mean.abs().max(1e-12) { (value - mean) / deviation } else { f64::NAN }
}

/// `own` holds the places of one speaker's turns.
fn against_all(own: &[usize], values: &[f64], z: &mut [f64]) {
    let known: Vec<f64> = own.iter().map(|&i| values[i]).filter(|v| v.is_finite()).collect();
    if let Some(scale) = scale(&known) {
        own.iter().for_each(|&i| z[i] = z_score(values[i], scale));
    }
}

fn against_earlier(own: &[usize], values: &[f64], starts: &[f64], ends: &[f64], z: &mut [f64]) {
    for &i in own.iter().filter(|i| values[**i].is_finite()) {
        let earlier = own.iter().filter(|&&j| j != i && ends[j] <= starts[i]).map(|&j| values[j]);
        let known: Vec<f64> = earlier.filter(|v| v.is_finite()).collect();
        z[i] = scale(&known).map_or(f64::NAN, |scale| z_score(values[i], scale));
    }
}

/// The same from sums over the turns in the order of their ends.
fn against_sums(own: &[usize], values: &[f64], starts: &[f64], ends: &[f64], z: &mut [f64]) {
    let mut known: Vec<usize> = own.iter().copied().filter(|&i| values[i].is_finite()).collect();
    known.sort_by(|a, b| ends[*a].total_cmp(&ends[*b]));
    // Sums around the first value: no digit is lost on levels far from zero.
    let Some(zero) = known.first().map(|&i| values[i]) else { return };
    let mut sums = vec![(0.0, 0.0)];
    for &i in &known {
        let (sum, squares) = sums[sums.len() - 1];
        let value = values[i] - zero;
        sums.push((sum + value, squares + value * value));
    }
    for &i in &known {
        let mut n = known.partition_point(|&j| ends[j] <= starts[i]);
        let (mut sum, mut squares) = sums[n];
        // A turn of no length ends by its own start.
        if ends[i] <= starts[i] {
            let value = values[i] - zero;
            (n, sum, squares) = (n - 1, sum - value, squares - value * value);
        }
        if n >= MIN_TURNS {
            let count = n as f64;
            let deviation = ((squares - sum * sum / count).max(0.0) / (count - 1.0)).sqrt();
            z[i] = z_score(values[i], (zero + sum / count, deviation));
        }
    }
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

    #[test]
    fn sums_say_what_a_look_at_each_earlier_turn_says() {
        let mut random = crate::random::Random::seeded(5);
        let mut draw = || random.unit();
        let starts: Vec<f64> = (0..200).map(|i| f64::from(i) + 3.0 * draw()).collect();
        let ends: Vec<f64> =
            starts.iter().enumerate().map(|(i, s)| if i % 9 == 0 { *s } else { s + 2.0 * draw() }).collect();
        let values: Vec<f64> = (0..200).map(|i| if i % 7 == 0 { f64::NAN } else { 60.0 + draw() }).collect();
        let own: Vec<usize> = (0..200).filter(|i| i % 3 > 0).collect();
        let (mut plain, mut quick) = (vec![f64::NAN; 200], vec![f64::NAN; 200]);
        against_earlier(&own, &values, &starts, &ends, &mut plain);
        against_sums(&own, &values, &starts, &ends, &mut quick);
        assert!(plain.iter().filter(|v| v.is_finite()).count() > 100);
        for (a, b) in plain.iter().zip(&quick) {
            assert!(a.is_nan() && b.is_nan() || (a - b).abs() < 1e-8 * a.abs().max(1.0), "{a} {b}");
        }
    }
}
