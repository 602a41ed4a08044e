//! Cues: measurements of a turn in plain words, as deviations from the same person's earlier turns.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::output::read::StoredTable;

/// The wording that comes with the program.
const SHIPPED: &str = include_str!("../../data/cues.toml");

/// A field of a RESCUE-bench row that measurements can fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CueField {
    /// One text.
    ToneOfVoice,
    /// A list of person and description.
    FacialExpressions,
    /// A list of person and description.
    BodyPosture,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cue {
    field: CueField,
    column: String,
    z: f64,
    high: String,
    low: String,
}

/// Thresholds and words: `data/cues.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wording {
    min_turns: usize,
    cue: Vec<Cue>,
}

impl Wording {
    /// The shipped wording, or that of a file.
    ///
    /// # Errors
    /// [`Error::Read`]; [`Error::Recipe`] for what is not understood.
    pub fn load(path: Option<&Path>) -> Result<Self> {
        let (text, place) = match path {
            None => (SHIPPED.to_owned(), "data/cues.toml".to_owned()),
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
                (text, path.display().to_string())
            }
        };
        toml::from_str(&text).map_err(|e| Error::Recipe { place, what: e.to_string() })
    }

    /// Columns of `turns` that are looked at.
    pub fn columns(&self) -> Vec<&str> {
        ["turn_index", "speaker", "face_source"].into_iter().chain(self.cue.iter().map(|c| c.column.as_str())).collect()
    }

    /// What is told of each turn, by field; turns come in the table's order, and none looks at a later one.
    pub fn cues(&self, turns: &StoredTable) -> BTreeMap<u32, BTreeMap<CueField, String>> {
        let mut told: BTreeMap<u32, BTreeMap<CueField, Vec<&str>>> = BTreeMap::new();
        for cue in &self.cue {
            let mut earlier: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
            for row in 0..turns.rows() {
                let (Some(speaker), Some(index)) = (turns.text("speaker", row), turns.number("turn_index", row)) else { continue };
                let Some(value) = turns.number(&cue.column, row) else { continue };
                // The one face in the picture may be the listener's: only the speaker's own by the cast is put into words.
                if cue.field != CueField::ToneOfVoice && turns.text("face_source", row) != Some("cast") {
                    continue;
                }
                let before = earlier.entry(speaker).or_default();
                let words = match deviation(before, value, self.min_turns) {
                    Some(z) if z >= cue.z => cue.high.as_str(),
                    Some(z) if z <= -cue.z => cue.low.as_str(),
                    _ => "",
                };
                if !words.is_empty() {
                    told.entry(index as u32).or_default().entry(cue.field).or_default().push(words);
                }
                before.push(value);
            }
        }
        let joined = |fields: BTreeMap<CueField, Vec<&str>>| fields.into_iter().map(|(f, words)| (f, words.join("; "))).collect();
        told.into_iter().map(|(turn, fields)| (turn, joined(fields))).collect()
    }
}

/// How many standard deviations a value is from the earlier ones; `None` with too few or without spread.
fn deviation(before: &[f64], value: f64, min_turns: usize) -> Option<f64> {
    let n = before.len();
    if n < min_turns.max(2) {
        return None;
    }
    let mean = before.iter().sum::<f64>() / n as f64;
    let sd = (before.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n as f64 - 1.0)).sqrt();
    (sd > 1e-9).then(|| (value - mean) / sd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_wording_is_read() {
        let wording = Wording::load(None).unwrap();
        assert!(wording.columns().contains(&"pitch_mean_semitones"));
    }

    #[test]
    fn usual_needs_enough_turns_and_a_spread() {
        assert_eq!(deviation(&[1.0, 2.0], 9.0, 3), None);
        assert_eq!(deviation(&[1.0, 1.0, 1.0], 9.0, 3), None);
        assert!((deviation(&[1.0, 2.0, 3.0], 4.0, 3).unwrap() - 2.0).abs() < 1e-9);
    }
}
