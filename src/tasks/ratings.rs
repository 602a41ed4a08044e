//! Labels from continuous ratings: what raters did with a slider while they watched, as the mean of each window over the
//! raters, moved back by their reaction time.
//!
//! A slider's value holds until its next one. A rating at the time t is of what was seen at t minus the lag, so the
//! label of the window [a, b) is the mean of the ratings over [a + lag, b + lag).

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::agreement_of_raters::{Agreement, agreement};
use super::labels::{Label, LabelTable};
use super::lag::{Lag, RatedSeries, Stretch, estimated_lag, turn_values};
use super::rescue::group_of;
use super::settings::{LabelUnit, Labels, Task};
use crate::error::{Error, Result};
use crate::sheet::{Row, Sheet};
use crate::spelling::meant;
use crate::text::clean;

/// How a series of ratings becomes labels of windows.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Windows {
    /// Length of a window.
    pub length_secs: f64,
    /// From the start of one to that of the next; left out: the length, so that none overlap.
    #[serde(default)]
    pub step_secs: Option<f64>,
    /// The raters' reaction time.
    #[serde(default)]
    pub lag_secs: Option<f64>,
    /// Instead of it: columns of `turns`, with `*` and `?`, from which the reaction time is estimated: that at which
    /// the ratings follow them most closely.
    #[serde(default)]
    pub lag_from: Vec<String>,
    /// The longest that is tried.
    #[serde(default = "six")]
    pub max_lag_secs: f64,
    /// The least share of a window for which a rater's values are known.
    #[serde(default = "half")]
    pub min_share: f64,
    /// Windows with fewer raters are no instances.
    #[serde(default = "one")]
    pub min_raters: usize,
}

fn six() -> f64 {
    6.0
}

fn half() -> f64 {
    0.5
}

fn one() -> usize {
    1
}

impl Windows {
    /// What is wrong with it.
    pub(super) fn fault(&self, labels: &Labels) -> Option<String> {
        let within = |x: f64, low: f64, high: f64| x >= low && x <= high;
        let step = self.step_secs.unwrap_or(self.length_secs);
        if !matches!(labels.unit, LabelUnit::Window | LabelUnit::Dyad) {
            return Some("windows: their ratings are of unit = \"window\" or unit = \"dyad\"".into());
        }
        if labels.kind != super::rule::AnswerKind::Regression {
            return Some("windows: the mean of ratings is a number; use kind = \"regression\"".into());
        }
        if labels.file.is_none() {
            return Some("windows: name the ratings as `file`".into());
        }
        for (key, value, low, high) in [
            ("length_secs", self.length_secs, 0.1, 3600.0),
            ("step_secs", step, 0.1, 3600.0),
            ("lag_secs", self.lag_secs.unwrap_or(0.0), 0.0, 30.0),
            ("max_lag_secs", self.max_lag_secs, 0.1, 30.0),
            ("min_share", self.min_share, 0.01, 1.0),
        ] {
            if !within(value, low, high) {
                return Some(format!("windows: {key} = {value}: give {low} to {high}"));
            }
        }
        match (self.lag_secs, self.lag_from.is_empty()) {
            (None, true) => Some(
                "windows: raters react late; give lag_secs (0 where it is already taken out), or the columns of turns \
                 that it is estimated from as lag_from"
                    .into(),
            ),
            (Some(_), false) => Some("windows: lag_secs and lag_from are given; one of them says the lag".into()),
            _ if self.min_raters == 0 => Some("windows: min_raters = 0: a label needs a rater".into()),
            _ => None,
        }
    }
}

/// Of what the ratings are: interview, source, target.
type Rated = (String, String, String);

/// A rater's values by time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Series {
    values: Vec<(f64, f64)>,
}

impl Series {
    /// The value that holds at a time; none before the first and after the last.
    pub(super) fn at(&self, time: f64) -> Option<f64> {
        let next = self.values.partition_point(|(t, _)| *t <= time);
        (next > 0 && next < self.values.len()).then(|| self.values[next - 1].1)
    }

    /// The mean over the part of [from, to) for which values are known, and its share.
    fn mean(&self, from: f64, to: f64) -> Option<(f64, f64)> {
        let (mut sum, mut secs) = (0.0, 0.0);
        let first = self.values.partition_point(|(t, _)| *t <= from).saturating_sub(1);
        for pair in self.values[first..].windows(2).take_while(|p| p[0].0 < to) {
            let held = (pair[1].0.min(to) - pair[0].0.max(from)).max(0.0);
            sum += held * pair[0].1;
            secs += held;
        }
        (secs > 0.0).then(|| (sum / secs, secs / (to - from)))
    }

    pub(super) fn span(&self) -> (f64, f64) {
        (self.values.first().map_or(0.0, |v| v.0), self.values.last().map_or(0.0, |v| v.0))
    }
}

/// All that was rated, by rater.
struct Ratings {
    of: BTreeMap<Rated, BTreeMap<String, Series>>,
    groups: BTreeMap<String, String>,
}

/// The labels of a task whose windows were rated; what is told of the raters and their reaction time comes with them.
///
/// # Errors
/// [`Error::Read`]; [`Error::Parse`] naming the line for a missing column, a time or value that is no number, two
/// values of a rater at one time; [`Error::Recipe`] for columns to estimate the lag from that are not there.
pub(super) fn rating_labels(task: &Task, labels: &Labels, windows: &Windows, out: &Path) -> Result<LabelTable> {
    let path = labels.file.as_deref().unwrap_or(Path::new(""));
    let ratings = read(path, labels)?;
    let mut told = Vec::new();
    let lag = match windows.lag_secs {
        Some(lag) => lag,
        None => {
            let found = lag_of(task, windows, &ratings, out)?;
            told.push(found.told(task, windows.max_lag_secs));
            found.secs
        }
    };
    let mut all = Vec::new();
    let mut agreements = Vec::new();
    let mut few = 0;
    for (rated, raters) in &ratings.of {
        let (own, without) = labels_of(windows, (rated, raters), lag, &ratings.groups[&rated.0]);
        few += without;
        agreements.extend(own.first().and_then(|l| l.agreement).map(|a| (called(rated), a)));
        all.extend(own);
    }
    if all.is_empty() {
        let hint = "look at length_secs, min_share and min_raters";
        return Err(Error::parse(path, 0, "no window has enough ratings", hint));
    }
    if few > 0 {
        let what = "windows are rated for too short, or by too few; they are no instances";
        tracing::warn!("task {}: {few} {what}", task.name);
    }
    told.push(told_agreement(task, &ratings, agreements));
    Ok(LabelTable { labels: all, levels: Vec::new(), told })
}

fn called((interview, source, target): &Rated) -> String {
    let mut name = interview.clone();
    if !source.is_empty() {
        name += &format!(", {source} towards {target}");
    } else if !target.is_empty() {
        name += &format!(", {target}");
    }
    name
}

/// The windows of one series with enough ratings, and how many have too few.
fn labels_of(
    windows: &Windows,
    (rated, raters): (&Rated, &BTreeMap<String, Series>),
    lag: f64,
    group: &str,
) -> (Vec<Label>, usize) {
    let step = windows.step_secs.unwrap_or(windows.length_secs);
    let end = raters.values().map(|s| s.span().1).fold(0.0, f64::max);
    let mut found: Vec<Label> = Vec::new();
    let mut whole: Vec<Vec<f64>> = Vec::new();
    let mut few = 0;
    for k in 0_u32.. {
        let from = f64::from(k) * step;
        let to = from + windows.length_secs;
        if from + lag >= end {
            break;
        }
        let own: Vec<f64> = raters
            .values()
            .filter_map(|s| s.mean(from + lag, to + lag))
            .filter(|(_, share)| *share >= windows.min_share - 1e-9)
            .map(|(mean, _)| mean)
            .collect();
        if own.is_empty() || own.len() < windows.min_raters {
            few += 1;
            continue;
        }
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        found.push(Label {
            interview_id: rated.0.clone(),
            source: rated.1.clone(),
            target: rated.2.clone(),
            text: mean.to_string(),
            value: Some(mean),
            group: group.to_owned(),
            window: Some((from, to)),
            raters: Some(own.len()),
            ..Label::default()
        });
        whole.extend((own.len() == raters.len()).then_some(own));
    }
    let agreed = agreement(&whole);
    found.iter_mut().for_each(|label| label.agreement = agreed);
    (found, few)
}

/// The median agreement over the series, and those that agree least.
fn told_agreement(task: &Task, ratings: &Ratings, mut all: Vec<(String, Agreement)>) -> String {
    let count = ratings.of.len();
    let name = &task.name;
    if all.is_empty() {
        let why = "no series has several raters, or nothing differs";
        return format!("  {name}: agreement of raters unknown: {why}");
    }
    all.sort_by(|a, b| a.1.mean.total_cmp(&b.1.mean).then(a.0.cmp(&b.0)));
    let middle = |value: &dyn Fn(&Agreement) -> f64| {
        let mut values: Vec<f64> = all.iter().map(|(_, a)| value(a)).collect();
        values.sort_by(f64::total_cmp);
        crate::statistics::percentile(&values, 50.0).unwrap_or(f64::NAN)
    };
    let (single, mean) = (middle(&|a| a.single), middle(&|a| a.mean));
    let (least, of) = &all[0];
    let known = all.len();
    format!(
        "  {name}: agreement of raters over windows, median of {known} of {count} series: ICC(A,1) = ICC(2,1) = \
         {single:.2} of one rater, ICC(A,k) = ICC(2,k) = {mean:.2} of their mean (Shrout & Fleiss 1979, McGraw & Wong \
         1996); least {:.2}, {least}",
        of.mean
    )
}

/// The reaction time at which the ratings follow columns of turns most closely.
fn lag_of(task: &Task, windows: &Windows, ratings: &Ratings, out: &Path) -> Result<Lag> {
    let mut turns: BTreeMap<&str, Vec<(String, Vec<Stretch>)>> = BTreeMap::new();
    for (interview, ..) in ratings.of.keys() {
        if !turns.contains_key(interview.as_str()) {
            turns.insert(interview, turn_values(task, windows, out, interview)?);
        }
    }
    let series: Vec<RatedSeries<'_>> = ratings
        .of
        .iter()
        .map(|((interview, ..), raters)| (raters.values().collect(), turns[interview.as_str()].as_slice()))
        .collect();
    estimated_lag(&series, windows.max_lag_secs).ok_or_else(|| Error::Recipe {
        place: format!("task {}", task.name),
        what: format!(
            "lag_from {}: the turns of no rated interview have such a column whose values differ",
            windows.lag_from.join(", ")
        ),
    })
}

fn read(path: &Path, labels: &Labels) -> Result<Ratings> {
    let sheet = Sheet::read(path)?;
    let of_dyad = labels.unit == LabelUnit::Dyad;
    let mut needed = vec!["interview_id", "time_secs", labels.column.as_str()];
    needed.extend(labels.group.as_deref());
    if of_dyad {
        needed.extend(["source", "target"]);
    }
    sheet.require(&needed, "a rating has interview_id, time_secs (from the recording's start) and its value")?;
    // A file may hold other ratings too; a slip in a name that changes whose they are is not passed over.
    const OPTIONAL: [&str; 3] = ["rater", "source", "target"];
    for name in sheet.columns().filter(|c| !needed.contains(c) && !OPTIONAL.contains(c)) {
        let near = meant(name, OPTIONAL);
        if !near.is_empty() {
            return Err(Error::parse(
                path,
                1,
                format!("unknown column {name:?}{near}"),
                "begin its name with x_ if not",
            ));
        }
    }
    let mut of: BTreeMap<Rated, BTreeMap<String, Series>> = BTreeMap::new();
    let mut groups: BTreeMap<String, String> = BTreeMap::new();
    for row in sheet.rows() {
        let Some(value) = row.cell(&labels.column) else { continue };
        let cell = |name: &str| clean(row.cell(name).unwrap_or_default()).into_owned();
        let number = |name: &str, text: &str| {
            let found = text.parse::<f64>().ok().filter(|x| x.is_finite());
            found.ok_or_else(|| row.fail(format!("{name} {text:?} is no number"), "give a plain number"))
        };
        let (time, value) = (number("time_secs", &cell("time_secs"))?, number(&labels.column, value)?);
        let interview = filled(&row, "interview_id")?;
        let source = if of_dyad { filled(&row, "source")? } else { String::new() };
        let target = if of_dyad { filled(&row, "target")? } else { cell("target") };
        if of_dyad && source == target {
            return Err(row.fail(format!("{source:?} towards themselves"), "a dyad has two people"));
        }
        let group = match &labels.group {
            Some(column) => filled(&row, column)?,
            None => group_of(&interview).to_owned(),
        };
        let known = groups.entry(interview.clone()).or_insert_with(|| group.clone());
        if *known != group {
            let what = format!("{interview} is of the groups {known} and {group}");
            return Err(row.fail(what, "one group an interview: a fold must not part it"));
        }
        let series = of.entry((interview, source, target)).or_default().entry(cell("rater")).or_default();
        series.values.push((time, value));
    }
    sorted(path, &mut of)?;
    let targets: Vec<bool> = of.keys().map(|(.., target)| !target.is_empty()).collect();
    if targets.contains(&true) && targets.contains(&false) {
        let hint = "fill the column target, or take it out";
        return Err(Error::parse(path, 0, "some ratings have a target and some have none", hint));
    }
    Ok(Ratings { of, groups })
}

fn filled(row: &Row<'_>, name: &str) -> Result<String> {
    let cell = row.cell(name).filter(|c| !c.is_empty());
    let cell = cell.ok_or_else(|| row.fail(format!("{name} is empty"), "every rating needs its key"))?;
    Ok(clean(cell).into_owned())
}

/// Each series in the order of time; the same value twice at one time is one.
fn sorted(path: &Path, of: &mut BTreeMap<Rated, BTreeMap<String, Series>>) -> Result<()> {
    if of.is_empty() {
        return Err(Error::parse(path, 0, "no ratings", "give each row a time and a value"));
    }
    for (rated, raters) in of {
        for (rater, series) in raters {
            series.values.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            series.values.dedup_by(|a, b| a.0.to_bits() == b.0.to_bits() && a.1.to_bits() == b.1.to_bits());
            if let Some(pair) = series.values.windows(2).find(|w| w[1].0 <= w[0].0) {
                let who = if rater.is_empty() { String::new() } else { format!(" by {rater}") };
                let what = format!("two ratings of {}{who} at {} s", called(rated), pair[0].0);
                return Err(Error::parse(path, 0, what, "name who rates in a column rater, and keep one value a time"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_holds_until_the_next() {
        let series = Series { values: vec![(1.0, 2.0), (2.0, 4.0), (5.0, 0.0)] };
        assert_eq!(
            (series.at(0.9), series.at(1.0), series.at(4.9), series.at(5.0)),
            (None, Some(2.0), Some(4.0), None)
        );
        let (mean, share) = series.mean(0.0, 3.0).unwrap();
        assert!((mean - 3.0).abs() < 1e-12 && (share - 2.0 / 3.0).abs() < 1e-12);
        let (mean, share) = series.mean(4.0, 8.0).unwrap();
        assert!((mean - 4.0).abs() < 1e-12 && (share - 0.25).abs() < 1e-12);
        assert_eq!((series.mean(5.0, 6.0), series.mean(-2.0, 1.0)), (None, None));
    }
}
