//! Features of people: the means over a person's own turns and over those of another or of all others, and what is from
//! the one to the other; of two who are compared, the differences.

use std::collections::BTreeMap;

use super::features::{Feature, FeatureSet, FeatureTable, number};
use super::labels::Label;
use super::settings::LabelUnit;
use super::table::feature_column;
use crate::store::read::StoredTable;
use crate::table::{ColumnSpec, CutOff, Kind, TableBuilder};
use crate::time::TOLERANCE_SECS;

/// Two people in the order of their names, so that the order tells nothing; the label is one of them.
pub(super) fn pair(label: &mut Label, first: &str, second: &str) -> std::result::Result<(), String> {
    if first == second {
        return Err(format!("{first:?} and themselves"));
    }
    if ![first, second].contains(&label.text.as_str()) {
        return Err(format!("label {:?} is neither {first:?} nor {second:?}", label.text));
    }
    label.source = first.min(second).to_owned();
    label.target = first.max(second).to_owned();
    Ok(())
}

/// Two sides in an interview, and what of it may be looked at.
pub(super) struct Sides<'a> {
    pub(super) tables: &'a [StoredTable],
    pub(super) speakers: BTreeMap<u32, &'a str>,
    pub(super) source: &'a str,
    /// Empty: all others.
    pub(super) target: &'a str,
    pub(super) context: &'a [u32],
    pub(super) ends: &'a BTreeMap<u32, f64>,
    pub(super) cut_off: f64,
}

/// What the sides of a unit are called.
fn called(unit: LabelUnit) -> [&'static str; 2] {
    if unit == LabelUnit::Window { ["target", "others"] } else { ["source", "target"] }
}

/// Names of a feature's columns: the one side, then the other.
fn names(feature: &Feature, unit: LabelUnit) -> [String; 2] {
    let (name, [one, other]) = (feature.name(), called(unit));
    if feature.table == FeatureTable::Dyads {
        [format!("{name}@{one}_to_{other}"), format!("{name}@{other}_to_{one}")]
    } else {
        [format!("{name}@{one}"), format!("{name}@{other}")]
    }
}

/// Name of the column that tells the feature's difference for each candidate.
fn difference(feature: &Feature) -> String {
    format!("candidates_{}", feature.name())
}

/// The columns of features by side.
pub(super) fn columns(unit: LabelUnit, set: &FeatureSet) -> Vec<ColumnSpec> {
    let mut columns = Vec::new();
    for feature in &set.features {
        if unit == LabelUnit::Pair {
            let spec = feature_column(
                feature,
                difference(feature),
                "for each candidate the mean over its turns shown, or from it to the other, minus the other's; null \
                 where either is not known",
            );
            columns.push(ColumnSpec { kind: Kind::F32List, ..spec });
            continue;
        }
        for (name, side) in names(feature, unit).into_iter().zip(called(unit)) {
            let whose = if side == "others" { "the others'" } else { &format!("the {side}'s") };
            columns.push(feature_column(feature, name, &format!("mean over {whose} turns shown")));
        }
    }
    columns
}

impl Sides<'_> {
    /// Sets every feature's two means; tells whether there was anything.
    pub(super) fn fill(&self, table: &mut TableBuilder, unit: LabelUnit, set: &FeatureSet) -> bool {
        let mut any = false;
        for stored in self.tables {
            for (feature, means) in self.means(stored, set) {
                any |= means.iter().any(Option::is_some);
                for (name, mean) in names(feature, unit).iter().zip(means) {
                    if mean.is_some() {
                        table.set(name, mean);
                    }
                }
            }
        }
        any
    }

    /// Sets every feature's difference for both candidates, the source first; tells whether there was anything.
    pub(super) fn fill_differences(&self, table: &mut TableBuilder, set: &FeatureSet) -> bool {
        let mut any = false;
        for stored in self.tables {
            for (feature, means) in self.means(stored, set) {
                if let [Some(one), Some(other)] = means {
                    table.set(&difference(feature), vec![(one - other) as f32, (other - one) as f32]);
                    any = true;
                }
            }
        }
        any
    }

    /// The means of a table's features over the rows of either side: the source's first.
    fn means<'s>(&self, stored: &StoredTable, set: &'s FeatureSet) -> Vec<(&'s Feature, [Option<f64>; 2])> {
        let is_dyads = FeatureTable::Dyads.is(stored);
        let sides: Vec<Option<(usize, u32)>> = (0..stored.rows())
            .map(|row| {
                let turn = stored.number("turn_index", row)? as u32;
                self.context.binary_search(&turn).ok()?;
                let speaker = *self.speakers.get(&turn)?;
                let listener = if is_dyads { Some(stored.text("listener", row)?) } else { None };
                self.side(speaker, listener).map(|s| (s, turn))
            })
            .collect();
        let mut found = Vec::new();
        for feature in set.features.iter().filter(|f| f.table.is(stored)) {
            let Some(data) = stored.column(&feature.spec.name) else { continue };
            let mut sums = [(0.0, 0_u32); 2];
            for (row, (side, turn)) in sides.iter().enumerate().filter_map(|(r, s)| Some((r, (*s)?))) {
                let late = feature.spec.cut_off.leaks_past(CutOff::TurnStart)
                    && self.ends[&turn] > self.cut_off + TOLERANCE_SECS;
                let value = number(data, row);
                if value.is_finite() && !late {
                    sums[side] = (sums[side].0 + value, sums[side].1 + 1);
                }
            }
            found.push((feature, sums.map(|(sum, n)| (n > 0).then(|| sum / f64::from(n)))));
        }
        found
    }

    /// 0 = the source's, or from the source to the other side; 1 = the other way round.
    fn side(&self, speaker: &str, listener: Option<&str>) -> Option<usize> {
        let is_other = |name: &str| if self.target.is_empty() { name != self.source } else { name == self.target };
        if speaker == self.source && listener.is_none_or(is_other) {
            return Some(0);
        }
        (is_other(speaker) && listener.is_none_or(|l| l == self.source)).then_some(1)
    }
}
