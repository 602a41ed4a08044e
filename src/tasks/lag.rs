//! How late ratings follow what they are of: the lag at which they are most closely correlated with columns of the
//! turns (as Nicolle et al. 2012 and Mariooryad & Busso 2015 estimate the delay of continuous annotations).

use std::path::Path;

use super::ratings::{Series, Windows};
use super::settings::Task;
use crate::error::{Error, Result};
use crate::store::finished::own_tables;
use crate::store::read::{read_columns, read_metadata};
use crate::table::{CutOff, Kind};

/// Steps in which the lag is tried: a choice, finer than people's reaction times vary.
const HOP_SECS: f64 = 0.1;

/// Below this correlation the estimate is told as doubtful: a choice.
const DOUBTFUL: f64 = 0.1;

/// A turn's value: from, to, value.
pub(super) type Stretch = (f64, f64, f64);

/// An estimated lag.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lag {
    pub(super) secs: f64,
    /// The column that is closest there, its correlation there and without lag.
    pub(super) closest: (String, f64, f64),
}

impl Lag {
    /// What is told of it.
    pub(super) fn told(&self, task: &Task, max_secs: f64) -> String {
        let (column, there, without) = &self.closest;
        let doubt = if there.abs() < DOUBTFUL {
            "; the ratings hardly follow any of the columns, and the lag is doubtful"
        } else if self.secs >= max_secs - HOP_SECS / 2.0 {
            "; it is the longest that was tried, see max_lag_secs"
        } else {
            ""
        };
        format!(
            "  {}: lag of the ratings {:.1} s, estimated over all interviews: turns.{column} is correlated {there:.2} \
             there and {without:.2} without it; given as lag_secs, no held-out group has a part in it{doubt}",
            task.name, self.secs
        )
    }
}

/// The values of an interview's turns in the columns that a lag is estimated from; empty where it has no tables.
///
/// # Errors
/// [`Error::Recipe`] for a pattern that is none; [`Error::Read`].
pub(super) fn turn_values(
    task: &Task,
    windows: &Windows,
    out: &Path,
    interview: &str,
) -> Result<Vec<(String, Vec<Stretch>)>> {
    let fail = |what: String| Error::Recipe { place: format!("task {}", task.name), what };
    let patterns: Vec<glob::Pattern> = windows
        .lag_from
        .iter()
        .map(|p| {
            let bare = p.strip_prefix("turns.").unwrap_or(p);
            glob::Pattern::new(bare).map_err(|e| fail(format!("lag_from {p:?}: {e}")))
        })
        .collect::<Result<_>>()?;
    let Some((_, path)) = own_tables(out, interview, &["turns"])?.pop() else { return Ok(Vec::new()) };
    let schema = read_metadata(&path)?;
    let is_number = |kind| matches!(kind, Kind::F32 | Kind::F64 | Kind::I64 | Kind::Bool);
    let names: Vec<String> = schema
        .columns
        .iter()
        .filter(|c| is_number(c.kind) && !c.cut_off.leaks_past(CutOff::TurnEnd))
        .filter(|c| patterns.iter().any(|p| p.matches(&c.name)))
        .map(|c| c.name.to_string())
        .collect();
    let mut wanted = vec!["start_secs", "end_secs"];
    wanted.extend(names.iter().map(String::as_str));
    let table = read_columns(&path, &wanted)?;
    let stretch = |name: &str, row: usize| {
        let value = table.number(name, row).filter(|v| v.is_finite())?;
        Some((table.number("start_secs", row)?, table.number("end_secs", row)?, value))
    };
    let values = |name: &String| (0..table.rows()).filter_map(|row| stretch(name, row)).collect::<Vec<Stretch>>();
    Ok(names.iter().map(|name| (name.clone(), values(name))).collect())
}

/// Sums of a correlation.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    both: f64,
    own: f64,
    other: f64,
}

impl Sums {
    fn correlation(&self) -> f64 {
        let scale = (self.own * self.other).sqrt();
        if scale > 1e-12 { self.both / scale } else { 0.0 }
    }
}

/// The series of one interview's raters, and the columns of its turns by name.
pub(super) type RatedSeries<'a> = (Vec<&'a Series>, &'a [(String, Vec<Stretch>)]);

/// The lag with the greatest sum of squared correlations over the columns; each interview by its own means. `None`
/// where no column has values that differ beside ratings that do.
pub(super) fn estimated_lag(series: &[RatedSeries<'_>], max_secs: f64) -> Option<Lag> {
    let mut names: Vec<&String> = series.iter().flat_map(|(_, columns)| columns.iter().map(|(n, _)| n)).collect();
    names.sort_unstable();
    names.dedup();
    let lags = (max_secs / HOP_SECS).round() as usize + 1;
    let mut sums = vec![vec![Sums::default(); lags]; names.len()];
    for (raters, columns) in series {
        let end = raters.iter().map(|s| s.span().1).fold(0.0, f64::max);
        let points = (end / HOP_SECS).ceil().max(0.0) as usize;
        let rated = centred((0..points).map(|i| rating(raters, i as f64 * HOP_SECS)).collect());
        for (name, stretches) in *columns {
            let Ok(place) = names.binary_search(&name) else { continue };
            let values = centred(on_grid(stretches, points));
            for (lag, sum) in sums[place].iter_mut().enumerate() {
                // Every lag is judged by the same times, so that none wins by leaving some out.
                let times = 0..points.saturating_sub(lags);
                for (x, y) in times.map(|i| (values[i], rated[i + lag])).filter(|(x, y)| (x + y).is_finite()) {
                    sum.both += x * y;
                    sum.own += x * x;
                    sum.other += y * y;
                }
            }
        }
    }
    let score = |lag: usize| sums.iter().map(|s| s[lag].correlation().powi(2)).sum::<f64>();
    let scores: Vec<f64> = (0..lags).map(score).collect();
    // Of equals the shortest.
    let best = (0..lags).reduce(|best, lag| if scores[lag] > scores[best] + 1e-12 { lag } else { best })?;
    let correlation = |place: usize, lag: usize| sums[place][lag].correlation();
    let closest = (0..names.len())
        .reduce(|a, b| if correlation(b, best).abs() > correlation(a, best).abs() { b } else { a })
        .filter(|_| scores[best] > 0.0)?;
    let secs = best as f64 * HOP_SECS;
    let closest = (names[closest].clone(), correlation(closest, best), correlation(closest, 0));
    Some(Lag { secs: (secs * 1e6).round() / 1e6, closest })
}

/// The mean over the raters whose values hold at a time.
fn rating(raters: &[&Series], time: f64) -> f64 {
    let values: Vec<f64> = raters.iter().filter_map(|s| s.at(time)).collect();
    if values.is_empty() { f64::NAN } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// The value of the turn that holds at each point of the grid, of overlapping ones the later; NaN between turns.
fn on_grid(stretches: &[Stretch], points: usize) -> Vec<f64> {
    let mut found = vec![f64::NAN; points];
    for (from, to, value) in stretches {
        let first = (from / HOP_SECS).ceil().max(0.0) as usize;
        let last = ((to / HOP_SECS).ceil().max(0.0) as usize).min(points);
        found.iter_mut().take(last).skip(first).for_each(|v| *v = *value);
    }
    found
}

fn centred(mut values: Vec<f64>) -> Vec<f64> {
    let known: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
    values.iter_mut().for_each(|v| *v -= mean);
    values
}
