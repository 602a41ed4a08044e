//! How two series go together, by the measures of the field beside lagged correlation: recurrence, coherence, Granger's
//! test, warping. Each is asked of windows of both series, standardised, and set against surrogates of two kinds
//! ([`Chance`]); Granger's test has its own distribution.

mod chance;
mod coherence;
mod granger;
mod recurrence;
mod rows;
#[cfg(test)]
mod tests;
mod warping;
mod windows;

pub(super) use chance::Surrogate;
pub use chance::{Chance, Standing};
pub use granger::{Granger, GrangerSettings};
pub use rows::{coupling_schema, coupling_table};

use std::ops::Range;

use crate::table::Missing;

/// How two series are set against each other; lengths in samples.
#[derive(Clone, Debug, PartialEq)]
pub struct CouplingSettings {
    /// Length of a window; windows touch and do not overlap.
    pub window: usize,
    /// The second series is looked at up to so many coarse samples later.
    pub max_lag: usize,
    /// Fewer windows give no value.
    pub min_windows: usize,
    /// A window counts when this share of it is known in both series, 0 to 1.
    pub known_share: f64,
    /// Recurrence and warping look at means of so many samples.
    pub coarse: usize,
    /// Values that differ by less recur, in standard deviations.
    pub radius: f64,
    /// Shortest diagonal line, in coarse samples.
    pub min_line: usize,
    /// Bins of a window's spectrum in each band.
    pub bands: [Range<usize>; 3],
    /// Of Granger's test.
    pub granger: GrangerSettings,
    /// Of the surrogates.
    pub chance: Chance,
}

/// What is measured, in the order of the table's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasureKind {
    /// Share of recurrent points at the lags looked at.
    RecurrenceRate,
    /// Highest point of the diagonal profile.
    RecurrencePeak,
    /// Share of recurrent points in diagonal lines.
    Determinism,
    /// Magnitude-squared coherence of the low band.
    CoherenceLow,
    /// Of the middle band.
    CoherenceMid,
    /// Of the high band.
    CoherenceHigh,
    /// What the first's past adds to the second's own.
    Granger,
    /// Distance after warping.
    Warping,
}

impl MeasureKind {
    /// All, in order.
    pub const ALL: [MeasureKind; 8] = [
        MeasureKind::RecurrenceRate,
        MeasureKind::RecurrencePeak,
        MeasureKind::Determinism,
        MeasureKind::CoherenceLow,
        MeasureKind::CoherenceMid,
        MeasureKind::CoherenceHigh,
        MeasureKind::Granger,
        MeasureKind::Warping,
    ];

    /// As written in the table.
    pub fn name(self) -> &'static str {
        match self {
            MeasureKind::RecurrenceRate => "recurrence_rate",
            MeasureKind::RecurrencePeak => "recurrence_peak",
            MeasureKind::Determinism => "determinism",
            MeasureKind::CoherenceLow => "coherence_low",
            MeasureKind::CoherenceMid => "coherence_mid",
            MeasureKind::CoherenceHigh => "coherence_high",
            MeasureKind::Granger => "granger",
            MeasureKind::Warping => "dtw_distance",
        }
    }
}

/// One measure of two series.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Which.
    pub kind: MeasureKind,
    /// Its value.
    pub value: f64,
    /// Against surrogates; `None` for Granger's test.
    pub standing: Option<Standing>,
    /// Windows used; `None` for Granger's test.
    pub windows: Option<usize>,
    /// Coarse samples by which the second is behind at the peak; for the peak of recurrence.
    pub lag: Option<usize>,
    /// Recurrence by lag from 0 on; for the peak of recurrence.
    pub profile: Option<Vec<f64>>,
    /// Granger's test.
    pub granger: Option<Granger>,
}

impl Measured {
    fn new(kind: MeasureKind, value: f64, standing: Option<Standing>, windows: usize) -> Self {
        Measured { kind, value, standing, windows: Some(windows), lag: None, profile: None, granger: None }
    }
}

/// Every measure of `second` following `first` (NaN is a gap), or why there is none, in the order of
/// [`MeasureKind::ALL`].
pub fn coupled(first: &[f64], second: &[f64], settings: &CouplingSettings) -> [Result<Measured, Missing>; 8] {
    let pairs = windows::Windows::new(first, second, settings);
    let enough = pairs.len() >= settings.min_windows.max(3);
    let found = if enough { of_windows(&pairs, settings) } else { Vec::new() };
    let granger = granger::granger(first, second, &settings.granger);
    MeasureKind::ALL.map(|kind| match kind {
        MeasureKind::Granger => granger.map(|g| Measured {
            kind,
            value: g.gain,
            standing: None,
            windows: None,
            lag: None,
            profile: None,
            granger: Some(g),
        }),
        _ if !enough => Err(Missing::TooShort),
        _ => found.iter().find(|m| m.kind == kind).cloned().ok_or(Missing::Constant),
    })
}

fn of_windows(pairs: &windows::Windows, settings: &CouplingSettings) -> Vec<Measured> {
    let mut found = recurrence::recurrence(pairs, settings);
    found.extend(coherence::coherence(pairs, settings));
    found.extend(warping::warping(pairs, settings));
    // What has no standing has surrogates that do not differ.
    found.retain(|m| m.standing.is_some());
    found
}
