//! Who does what to whom: sums and means over the rows of `dyads`, and synchrony by lag.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::report::source::{Source, flag, floats, rounded};
use crate::store::read::StoredTable;

/// Who of a row of `dyads` does it; the other one is to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Actor {
    Speaker,
    Listener,
}

/// How rows become one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fold {
    /// Rows that are true.
    Count,
    Sum,
    Mean,
    Median,
}

impl Fold {
    fn name(self) -> &'static str {
        match self {
            Fold::Count => "turns",
            Fold::Sum => "sum",
            Fold::Mean => "mean of turns",
            Fold::Median => "median of turns",
        }
    }
}

/// A measure of a pair: what it is called, its column, who does it, how rows are put together, and the column that says
/// why a value is not there.
struct Measure {
    title: &'static str,
    column: &'static str,
    actor: Actor,
    fold: Fold,
    missing: &'static str,
}

const fn measure(
    title: &'static str,
    column: &'static str,
    actor: Actor,
    fold: Fold,
    missing: &'static str,
) -> Measure {
    Measure { title, column, actor, fold, missing }
}

const MEASURES: [Measure; 14] = [
    measure("follows", "follows", Actor::Speaker, Fold::Count, ""),
    measure("interrupts", "interrupts", Actor::Speaker, Fold::Count, ""),
    measure("interrupts, by voices", "speech_interrupts", Actor::Speaker, Fold::Count, "speech_missing"),
    measure("says “mhm” to (backchannels)", "backchannel", Actor::Speaker, Fold::Count, ""),
    measure("says “mhm” to, by voices", "speech_backchannels", Actor::Listener, Fold::Sum, "speech_missing"),
    measure("takes the floor from, after", "floor_offset_secs", Actor::Speaker, Fold::Median, "floor_missing"),
    measure("answers, after", "response_latency_secs", Actor::Speaker, Fold::Median, "response_latency_missing"),
    measure("smiles at, while listening", "listener_smile", Actor::Listener, Fold::Mean, "listener_face_missing"),
    measure("smiles back at", "listener_smile_mimicry", Actor::Listener, Fold::Sum, ""),
    measure(
        "looks towards, while listening",
        "listener_gaze_towards_share",
        Actor::Listener,
        Fold::Mean,
        "listener_gaze_missing",
    ),
    measure("looks at the camera, in split screens", "listener_gaze_camera_share", Actor::Listener, Fold::Mean, ""),
    measure("nods at", "listener_nods", Actor::Listener, Fold::Sum, ""),
    measure("overlaps with", "overlap_secs", Actor::Speaker, Fold::Sum, ""),
    measure("overlaps with, by voices", "speech_overlap_secs", Actor::Speaker, Fold::Sum, "speech_missing"),
];

/// True for a column of `dyads` that a page shows.
pub fn shows(column: &str) -> bool {
    column.ends_with("_missing") || column == "floor_transfer" || MEASURES.iter().any(|m| m.column == column)
}

/// One cell of the matrix.
#[derive(Debug, PartialEq, Serialize)]
pub struct Cell {
    pub who: String,
    pub whom: String,
    /// Null where no row has a value.
    pub value: Option<f64>,
    /// Rows with a value.
    pub n: usize,
    /// Rows.
    rows: usize,
    /// Reasons of those without, and how many.
    missing: BTreeMap<String, usize>,
}

impl Cell {
    /// The reason of most of those without a value.
    pub fn most_missing(&self) -> &str {
        let most = self.missing.iter().rev().max_by_key(|(_, count)| **count);
        most.map_or("no reason told", |(reason, _)| reason)
    }
}

/// One matrix.
#[derive(Debug, Serialize)]
pub struct Matrix {
    title: &'static str,
    pub column: String,
    fold: &'static str,
    pub cells: Vec<Cell>,
}

/// A matrix for each measure whose column is there.
pub fn matrices(source: &Source) -> Vec<Matrix> {
    let Some(dyads) = source.table("dyads").filter(|t| t.rows() > 0) else { return Vec::new() };
    let there = MEASURES.iter().filter(|m| dyads.column(m.column).is_some());
    there
        .map(|m| Matrix {
            title: m.title,
            column: format!("dyads.{}", m.column),
            fold: m.fold.name(),
            cells: cells(dyads, m),
        })
        .collect()
}

fn cells(dyads: &StoredTable, measure: &Measure) -> Vec<Cell> {
    let mut rows: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for row in 0..dyads.rows() {
        let name = |column| dyads.text(column, row).unwrap_or_default();
        let pair = match measure.actor {
            Actor::Speaker => (name("speaker"), name("listener")),
            Actor::Listener => (name("listener"), name("speaker")),
        };
        rows.entry(pair).or_default().push(row);
    }
    let of = |((who, whom), rows): ((&str, &str), Vec<usize>)| {
        let mut cell = Cell {
            who: who.to_owned(),
            whom: whom.to_owned(),
            value: None,
            n: 0,
            rows: rows.len(),
            missing: BTreeMap::new(),
        };
        let mut values = Vec::new();
        for row in rows {
            let truth = flag(dyads, measure.column, row).map(|is| f64::from(u8::from(is)));
            match truth.or_else(|| dyads.number(measure.column, row)) {
                Some(value) => values.push(value),
                None => {
                    let reason = dyads.text(measure.missing, row).unwrap_or("no reason told");
                    *cell.missing.entry(reason.to_owned()).or_default() += 1;
                }
            }
        }
        cell.n = values.len();
        cell.value = folded(&mut values, measure.fold).and_then(rounded);
        cell
    };
    rows.into_iter().map(of).collect()
}

fn folded(values: &mut [f64], fold: Fold) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let sum: f64 = values.iter().sum();
    Some(match fold {
        Fold::Count | Fold::Sum => sum,
        Fold::Mean => sum / values.len() as f64,
        Fold::Median => super::spread::quantile(values, 0.5)?,
    })
}

/// Synchrony of an ordered pair in one signal.
#[derive(Debug, Serialize)]
pub struct Synchrony {
    pub from: String,
    pub to: String,
    pub signal: String,
    windows: Option<f64>,
    pub correlation: Option<f64>,
    pub z: Option<f64>,
    pub p: Option<f64>,
    p_pseudo: Option<f64>,
    pub lag_secs: Option<f64>,
    pub lag_exchanges: Option<f64>,
    pub missing: Option<String>,
    /// Correlation at each lag; empty where there is none.
    pub profile: Vec<Option<f64>>,
    /// Seconds from one lag to the next; null where lags are exchanges.
    pub step_secs: Option<f64>,
    /// What 95 of 100 surrogates lie between at each lag; for figures.
    #[serde(skip)]
    pub low: Vec<Option<f64>>,
    #[serde(skip)]
    pub high: Vec<Option<f64>>,
}

/// The rows of `synchrony`.
pub fn synchrony(source: &Source) -> Vec<Synchrony> {
    let Some(table) = source.table("synchrony") else { return Vec::new() };
    let text = |name, row| table.text(name, row).map(str::to_owned);
    let number = |name, row| table.number(name, row).and_then(rounded);
    let lags = |name, row| -> Vec<Option<f64>> {
        let list = floats(table, name, row);
        list.map(|lags| lags.iter().map(|x| rounded(f64::from(*x))).collect()).unwrap_or_default()
    };
    let profile = table.schema().columns.iter().find(|c| c.name == "profile");
    let step = profile.and_then(|c| step_of(&c.description));
    let one = |row| Synchrony {
        from: text("from", row).unwrap_or_default(),
        to: text("to", row).unwrap_or_default(),
        signal: text("signal", row).unwrap_or_default(),
        windows: number("windows", row),
        correlation: number("correlation", row),
        z: number("z", row),
        p: number("p", row),
        p_pseudo: number("p_pseudo", row),
        lag_secs: number("lag_secs", row),
        lag_exchanges: number("lag_exchanges", row),
        missing: text("missing", row),
        profile: lags("profile", row),
        low: lags("profile_chance_low", row),
        high: lags("profile_chance_high", row),
        step_secs: number("window_secs", row).and(step),
    };
    (0..table.rows()).map(one).collect()
}

/// The step that the column's own description tells: `in steps of 0.1 s`.
fn step_of(description: &str) -> Option<f64> {
    let (_, rest) = description.split_once("in steps of ")?;
    rest.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_put_together_as_the_measure_says() {
        let mut values = [3.0, 1.0, 2.0, 10.0];
        assert_eq!(folded(&mut values, Fold::Mean), Some(4.0));
        assert_eq!(folded(&mut values, Fold::Sum), Some(16.0));
        assert_eq!(folded(&mut values, Fold::Median), Some(2.5));
        assert_eq!(folded(&mut [], Fold::Count), None);
    }

    #[test]
    fn the_step_of_lags_is_what_the_column_says() {
        assert_eq!(step_of("at each lag from 0 on, in steps of 0.1 s or of one exchange"), Some(0.1));
        assert_eq!(step_of("something else"), None);
    }
}
