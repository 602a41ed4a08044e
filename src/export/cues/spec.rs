//! One cue as the wording declares it: where its value is, whose it is, what it is compared with, and the words.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{CueField, CueTable, OTHER};
use crate::export::questions::placeholders;

/// Whose behaviour a cue tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Who {
    Speaker,
    Listener,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cue {
    pub(super) field: CueField,
    #[serde(default)]
    pub(super) table: CueTable,
    pub(super) column: String,
    /// Left out: the speaker, of `turn_bodies` everybody who is seen.
    #[serde(default)]
    pub(super) who: Option<Who>,
    /// Columns of the row that must be at least so much, else the value is not looked at.
    #[serde(default)]
    pub(super) needs: BTreeMap<String, f64>,
    /// Told when the value is so many standard deviations from the person's usual.
    pub(super) z: Option<f64>,
    /// Told when the value itself is at least this; true counts as 1.
    pub(super) at_least: Option<f64>,
    #[serde(default)]
    pub(super) high: String,
    #[serde(default)]
    pub(super) low: String,
    /// What is told of a value near the usual where nothing else is told of the field.
    #[serde(default)]
    pub(super) same: String,
    /// Before there is a usual: against what the others did so far.
    pub(super) group: Option<Group>,
    /// Before there is a usual, and where no `z` asks for one: the value itself, in the first band that holds it.
    #[serde(default)]
    pub(super) plain: Vec<Band>,
    /// As `needs`, for the bands alone.
    #[serde(default)]
    pub(super) plain_needs: BTreeMap<String, f64>,
    /// Where the thresholds of `at_least` and `plain` come from.
    #[serde(default)]
    pub(super) source: String,
}

/// The words where a value is so many standard deviations from what others did so far.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Group {
    pub(super) z: f64,
    #[serde(default)]
    pub(super) high: String,
    #[serde(default)]
    pub(super) low: String,
}

/// The words for values between two thresholds, both counted in.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Band {
    pub(super) at_least: Option<f64>,
    pub(super) at_most: Option<f64>,
    pub(super) words: String,
    /// Told only where nothing else is told of the field.
    #[serde(default)]
    pub(super) quiet: bool,
}

impl Band {
    pub(super) fn holds(&self, value: f64) -> bool {
        self.at_least.is_none_or(|least| value >= least) && self.at_most.is_none_or(|most| value <= most)
    }
}

impl Cue {
    /// All words that it may tell.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        let own = [&self.high, &self.low, &self.same];
        let group = self.group.iter().flat_map(|g| [&g.high, &g.low]);
        let plain = self.plain.iter().map(|b| &b.words);
        own.into_iter().chain(group).chain(plain).map(String::as_str).filter(|w| !w.is_empty())
    }

    /// Columns of its table that it looks at.
    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        let needed = self.needs.keys().chain(self.plain_needs.keys());
        std::iter::once(&self.column).chain(needed).map(String::as_str)
    }

    /// True where it cannot be told without the other one's name.
    pub(super) fn is_of_two(&self) -> bool {
        self.field == CueField::InteractionBehavior || self.words().any(|w| w.contains(OTHER))
    }

    /// Why the cue has no meaning.
    pub(super) fn fault(&self) -> Option<String> {
        let ways = [self.z.is_some(), self.at_least.is_some(), self.z.is_none() && !self.plain.is_empty()];
        if ways.iter().filter(|w| **w).count() != 1 {
            return Some("needs one of z, at_least and plain (plain may go with z)".into());
        }
        if self.words().next().is_none() {
            return Some("has no words".into());
        }
        if let Some(unknown) = self.words().flat_map(placeholders).find(|p| *p != OTHER) {
            return Some(format!("holds {unknown}; known is {OTHER}"));
        }
        self.fault_of_thresholds().or_else(|| self.fault_of_people())
    }

    fn fault_of_thresholds(&self) -> Option<String> {
        let zs = self.z.iter().chain(self.group.iter().map(|g| &g.z));
        if let Some(z) = zs.into_iter().find(|z| !(z.is_finite() && **z > 0.0)) {
            return Some(format!("has z = {z}: so many standard deviations are above 0"));
        }
        let bands = self.plain.iter().flat_map(|b| [b.at_least, b.at_most]).flatten();
        let needed = self.needs.values().chain(self.plain_needs.values()).copied();
        if let Some(threshold) = bands.chain(needed).chain(self.at_least).find(|x| !x.is_finite()) {
            return Some(format!("has the threshold {threshold}"));
        }
        if self.at_least.is_some() && !(self.low.is_empty() && self.same.is_empty()) {
            return Some("has words for a low value, but at_least tells high ones only".into());
        }
        if self.z.is_none() && (self.group.is_some() || !self.same.is_empty()) {
            return Some("has words for what is usual, and no z that tells what is".into());
        }
        if self.z.is_none() && self.at_least.is_none() && !(self.high.is_empty() && self.low.is_empty()) {
            return Some("has high and low, which go with z; bands have their words in plain".into());
        }
        if self.group.as_ref().is_some_and(|g| g.high.is_empty() && g.low.is_empty())
            || self.plain.iter().any(|b| b.words.is_empty())
        {
            return Some("has a group or a band without words".into());
        }
        if self.plain.is_empty() && !self.plain_needs.is_empty() {
            return Some("has plain_needs and no plain".into());
        }
        if !self.plain.is_empty() && self.source.trim().is_empty() {
            return Some("has plain thresholds and no source that they come from".into());
        }
        let empty = |b: &Band| b.at_least.zip(b.at_most).is_some_and(|(least, most)| least > most);
        if self.plain.iter().any(empty) {
            return Some("has a band whose at_least is above its at_most".into());
        }
        let all = self.plain.iter().position(|b| b.at_least.is_none() && b.at_most.is_none());
        all.filter(|at| at + 1 < self.plain.len()).map(|_| "has a band after the one that holds every value".into())
    }

    fn fault_of_people(&self) -> Option<String> {
        if self.table == CueTable::Turns && (self.who == Some(Who::Listener) || self.is_of_two()) {
            return Some(format!("tells of two people: take it from table = \"dyads\" ({:?})", self.field));
        }
        if self.table == CueTable::TurnBodies && self.field == CueField::ToneOfVoice {
            return Some("tells a tone by what is seen".into());
        }
        (self.field == CueField::ToneOfVoice && self.who == Some(Who::Listener))
            .then(|| "tells the tone of one who does not speak".into())
    }
}
