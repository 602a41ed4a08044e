//! Correlation by lag, and what chance gives at each.

use super::PairSignal;
use crate::table::{Column, ColumnSpec, Kind};

/// The columns; `surrogates` is how many there are.
pub(super) fn columns<'a>(surrogates: usize) -> [Column<PairSignal<'a>>; 3] {
    [
        Column::new(
            ColumnSpec::new(
                "profile",
                Kind::F32List,
                "1",
                "That correlation at each lag from 0 on, in steps of 0.1 s or of one exchange; empty places are null \
                 as a whole.",
            ),
            |p: &PairSignal<'a>| whole(p.profile.as_deref()),
        ),
        Column::new(
            ColumnSpec::new(
                "profile_chance_low",
                Kind::F32List,
                "1",
                format!(
                    "The 2.5 % quantile of the {surrogates} shuffled surrogates' mean correlations at each of those \
                     lags: 95 of 100 lie between it and profile_chance_high. At each lag by itself: a peak is looked \
                     for over all of them, and p says how often chance reaches that."
                ),
            ),
            |p: &PairSignal<'a>| whole(p.chance.as_ref().map(|c| c.0.as_slice())),
        ),
        Column::new(
            ColumnSpec::new(
                "profile_chance_high",
                Kind::F32List,
                "1",
                format!("The 97.5 % quantile of the {surrogates} shuffled surrogates' at each of those lags."),
            ),
            |p: &PairSignal<'a>| whole(p.chance.as_ref().map(|c| c.1.as_slice())),
        ),
    ]
}

/// A list without gaps; one with a gap is none.
pub(in crate::turns) fn whole(list: Option<&[f64]>) -> Option<Vec<f32>> {
    list.filter(|l| l.iter().all(|v| v.is_finite())).map(|l| l.iter().map(|v| *v as f32).collect())
}
