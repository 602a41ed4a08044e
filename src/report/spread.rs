//! Columns of `turns` by speaker: five numbers of each distribution, and why values are not there.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::report::source::{Source, rounded};
use crate::statistics::at_rank;

/// Columns that are shown by speaker, and the column that says why a value is not there.
pub const COLUMNS: [(&str, &str); 18] = [
    ("duration_secs", ""),
    ("words", "words_missing"),
    ("pitch_median_semitones", "voice_missing"),
    ("pitch_range_semitones", "voice_missing"),
    ("level_mean_db", "voice_missing"),
    ("snr_db", "voice_missing"),
    ("articulation_rate_syllables_per_sec", "voice_missing"),
    ("speaking_rate_words_per_sec", ""),
    ("pause_total_secs", "voice_missing"),
    ("speaker_purity", ""),
    ("speech_share", ""),
    ("overlap_share", ""),
    ("face_presence_share", "face_missing"),
    ("smile_mean", "face_missing"),
    ("smile_peak", "face_missing"),
    ("smile_share", "face_missing"),
    ("head_nods", "face_missing"),
    ("head_shakes", "face_missing"),
];

/// A column over the turns of each speaker.
#[derive(Debug, Serialize)]
pub struct Spread {
    column: String,
    groups: Vec<Group>,
}

/// The turns of one speaker.
#[derive(Debug, PartialEq, Serialize)]
pub struct Group {
    speaker: String,
    turns: usize,
    /// Smallest, quartiles, largest (linear interpolation, Hyndman & Fan's type 7); none without a value.
    five: Option<[f64; 5]>,
    /// Every value, in the order of turns.
    values: Vec<f64>,
    missing: BTreeMap<String, usize>,
}

/// All columns that are there, in the order of [`COLUMNS`].
pub fn spreads(source: &Source, speakers: &[String]) -> Vec<Spread> {
    let Some(turns) = source.table("turns") else { return Vec::new() };
    let group = |column: &str, missing: &str, speaker: &String| {
        let rows = (0..turns.rows()).filter(|&row| super::interview::label(turns, row) == *speaker);
        let mut group =
            Group { speaker: speaker.clone(), turns: 0, five: None, values: Vec::new(), missing: BTreeMap::new() };
        for row in rows {
            group.turns += 1;
            match turns.number(column, row).and_then(rounded) {
                Some(value) => group.values.push(value),
                None => {
                    let reason = turns.text(missing, row).unwrap_or("no reason told");
                    *group.missing.entry(reason.to_owned()).or_default() += 1;
                }
            }
        }
        group.five = five(&group.values);
        group
    };
    let there = COLUMNS.iter().filter(|(column, _)| turns.column(column).is_some());
    there
        .map(|(column, missing)| Spread {
            column: format!("turns.{column}"),
            groups: speakers.iter().map(|speaker| group(column, missing, speaker)).collect(),
        })
        .collect()
}

fn five(values: &[f64]) -> Option<[f64; 5]> {
    let mut sorted = values.to_vec();
    let mut five = [0.0; 5];
    for (i, at) in [0.0, 0.25, 0.5, 0.75, 1.0].into_iter().enumerate() {
        five[i] = quantile(&mut sorted, at).and_then(rounded)?;
    }
    Some(five)
}

/// A quantile by linear interpolation (Hyndman & Fan's type 7); `None` without values. Sorts them.
pub fn quantile(values: &mut [f64], at: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    at_rank(values, at * values.len().checked_sub(1)? as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_numbers_are_quantiles_of_type_7() {
        // R: quantile(c(4, 1, 3, 2), type = 7)
        assert_eq!(five(&[4.0, 1.0, 3.0, 2.0]), Some([1.0, 1.75, 2.5, 3.25, 4.0]));
        assert_eq!(five(&[]), None);
    }
}
