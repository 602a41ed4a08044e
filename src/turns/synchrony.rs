//! Synchrony: how closely one person follows another over the interview, each signal on the clock that fits it.
//!
//! Faces and heads are seen all the time: smile and head speed run at ten values a second, in windows of 15 s with lags
//! up to 2 s, as a smile or a nod answers within that. Voices take turns: in one recording the pitch and level of two
//! people are never there at once, and whatever is put into the gaps (a hold, a line, silence) would be correlated with
//! the taking of turns instead. So pitch and level run on the clock of exchanges, one value a turn, the second person's
//! answer against the first one's turn (lag 0) or against the turn before that (lag 1), in windows of 6 exchanges.
//! Between the two clocks: the level of whoever speaks against the head of whoever listens. Boker et al. (2002) and
//! Ramseyer and Tschacher (2011) use windows of 4 s and 60 s; 15 s holds a few movements and still lets an interview of
//! ten minutes have 40.
//!
//! The table looks at the whole interview and no task may use it; `dyads` has the same of the last 10 minutes up to
//! each turn's end.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::entrainment::TurnQualities;
use super::lagged::{LagSettings, Lagged, Pairing, lagged};
use super::near::most_listeners;
use super::watched::{Watched, on_grid};
use super::{Relations, measured};
use crate::annotation::Annotation;
use crate::audio::{Acoustics, GRID};
use crate::error::Result;
use crate::table::{Column, CutOff, Layout, Missing, Modality, Table, TableSchema, all_until};
use crate::time::Segment;

/// The grid of faces and heads.
pub(super) const STEP_SECS: f64 = 0.1;

/// Windows and lags on that grid.
pub(super) const GRID_LAGS: LagSettings =
    LagSettings { window: 150, max_lag: 20, min_windows: 8, surrogates: 100, seed: 1 };

/// On the clock of exchanges.
const EXCHANGE_LAGS: LagSettings = LagSettings { window: 6, max_lag: 1, min_windows: 5, surrogates: 100, seed: 1 };

/// Windows that a value of `dyads` looks back: 10 minutes.
pub(super) const LOOK_BACK: usize = 40;

/// A grid value may lean on an observation so much later: on the next one (0.35 s), which for a smile leans on those
/// within the recipe's windows, of 1 s at most.
const GRID_REACH_SECS: f64 = 1.35;

/// One signal of one ordered pair.
struct PairSignal<'a> {
    interview_id: &'a str,
    from: &'a str,
    to: &'a str,
    signal: &'static str,
    clock: Clock,
    following: Option<Lagged>,
    /// Why `following` is not there, where it is not for want of windows.
    missing: Option<Missing>,
}

/// What a signal runs on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clock {
    /// Ten values a second.
    Grid,
    /// One value a turn.
    Exchanges,
}

impl PairSignal<'_> {
    /// A value of the signals on one clock.
    fn on<V>(&self, clock: Clock, value: impl Fn(&Self) -> Option<V>) -> Option<V> {
        if self.clock == clock { value(self) } else { None }
    }

    fn lag(&self) -> Option<usize> {
        self.following.map(|f| f.lag)
    }
}

/// Columns of the `synchrony` table.
fn layout<'a>() -> Layout<PairSignal<'a>> {
    let keys = vec![
        Column::text("interview_id", "Interview the row belongs to.", |p: &PairSignal<'a>| p.interview_id),
        Column::text("from", "Speaker who leads.", |p: &PairSignal<'a>| p.from),
        Column::text("to", "Speaker who follows.", |p: &PairSignal<'a>| p.to),
        Column::text(
            "signal",
            "smile, head_motion (speed), level_to_head_motion (the leader's level while speaking, the follower's head), pitch, level (turn \
             by turn).",
            |p: &PairSignal<'a>| p.signal,
        ),
        Column::float(
            "window_secs",
            "s",
            "Length of a window; null where windows are counted in exchanges.",
            |p: &PairSignal<'a>| p.on(Clock::Grid, |_| Some(GRID_LAGS.window as f64 * STEP_SECS)),
        ),
        Column::int("window_exchanges", "", "Length of a window in exchanges of turns.", |p: &PairSignal<'a>| {
            p.on(Clock::Exchanges, |_| Some(EXCHANGE_LAGS.window))
        }),
    ];
    let measures = [
        Column::int("windows", "", "Windows used.", |p: &PairSignal<'a>| p.following.map(|f| f.windows)),
        Column::float(
            "correlation",
            "1",
            "Mean correlation of the windows at the best lag (through Fisher's z).",
            |p: &PairSignal<'a>| p.following.map(|f| f.correlation),
        ),
        Column::float(
            "z",
            "sd",
            "That correlation against the best of each of 100 surrogates with shuffled windows, in their spread.",
            |p: &PairSignal<'a>| p.following.map(|f| f.z),
        ),
        Column::float(
            "lag_secs",
            "s",
            "Time by which the follower is behind at the best lag, 0 to 2 s; null for exchanges.",
            |p: &PairSignal<'a>| p.on(Clock::Grid, PairSignal::lag).map(|lag| lag as f64 * STEP_SECS),
        ),
        Column::int(
            "lag_exchanges",
            "",
            "0 = the answer follows the turn before it, 1 = the leader's turn before that.",
            |p: &PairSignal<'a>| p.on(Clock::Exchanges, PairSignal::lag),
        ),
        Column::text(
            "missing",
            "Why there is no value: no_stream, no_face, off_screen, no_speech, too_short (too few windows).",
            |p: &PairSignal<'a>| match p.following {
                Some(_) => None,
                None => p.missing.or(Some(Missing::TooShort)),
            },
        ),
    ];
    let mut columns = all_until(CutOff::None, keys);
    columns.extend(measured(Modality::Dyad, measures));
    let description =
        "How closely one person follows another over the whole interview, by one signal. No feature of any task.";
    Layout { name: "synchrony", description, columns }
}

/// Contract of the `synchrony` table.
pub fn synchrony_schema() -> TableSchema {
    layout().schema()
}

/// Series of one speaker on the grid.
#[derive(Clone, Debug, Default)]
pub(super) struct Moves {
    pub(super) smile: Vec<f64>,
    pub(super) head: Vec<f64>,
    level: Vec<f64>,
}

impl Moves {
    /// True when anything of the face is there.
    pub(super) fn is_seen(&self) -> bool {
        !(self.smile.is_empty() && self.head.is_empty())
    }
}

/// Every label's series; an empty one was never seen (heard).
pub(super) fn moves(relations: &Relations<'_>, watched: &Watched, labels: &[&str]) -> BTreeMap<String, Moves> {
    let seen = relations.faces.sampled.last().map_or(0.0, |t| t.get());
    let end = seen.max(relations.acoustics.len() as f64 * GRID.hop_secs());
    let of = |label: &&str| {
        let person = relations.person(label).and_then(|p| watched.person(p));
        let grid =
            |points: Vec<(f64, f64)>| if points.is_empty() { Vec::new() } else { on_grid(points, end, STEP_SECS) };
        let moves = Moves {
            smile: person.map_or_else(Vec::new, |p| grid(p.smile.clone())),
            head: person.map_or_else(Vec::new, |p| {
                grid(p.motions.iter().map(|m| (0.5 * (m.from + m.to), m.deg_per_sec)).collect())
            }),
            level: relations
                .voice(label)
                .map_or_else(Vec::new, |v| level_while_speaking(v, relations.annotation, relations.acoustics, end)),
        };
        ((*label).to_owned(), moves)
    };
    labels.iter().map(of).collect()
}

/// Mean level of every 100 ms in which `voice` and nobody else speaks; NaN elsewhere.
fn level_while_speaking(voice: &str, annotation: &Annotation, acoustics: &Acoustics, end: f64) -> Vec<f64> {
    let mut grid = vec![f64::NAN; (end.max(0.0) / STEP_SECS) as usize + 1];
    // The cell of a grid point reaches half a step to both sides.
    let half = 0.5 * STEP_SECS;
    let cells =
        |a: f64, b: f64| ((a / STEP_SECS).ceil().max(0.0) as usize, ((b / STEP_SECS).floor() + 1.0).max(0.0) as usize);
    for turn in annotation.turns().iter().filter(|t| t.speaker == voice) {
        let (first, last) = cells(turn.segment.start().get() + half, turn.segment.end().get() - half);
        for (i, slot) in grid.iter_mut().enumerate().take(last).skip(first) {
            let at = i as f64 * STEP_SECS;
            let Some(cell) = Segment::from_secs(at - half, at + half) else { continue };
            let levels = acoustics.level_db[GRID.indices(cell, acoustics.len())].iter().filter(|l| l.is_finite());
            let (sum, n) = levels.fold((0.0, 0.0), |(s, n), l| (s + f64::from(*l), n + 1.0));
            *slot = if n > 0.0 { sum / n } else { f64::NAN };
        }
    }
    for turn in annotation.turns().iter().filter(|t| t.speaker != voice) {
        let (first, last) = cells(turn.segment.start().get() - half, turn.segment.end().get() + half);
        grid.iter_mut().take(last).skip(first).for_each(|slot| *slot = f64::NAN);
    }
    grid
}

/// One ordered pair, from turn to turn: how closely the second follows the first over the last 10 minutes.
#[derive(Debug)]
pub(super) struct Following<'a> {
    pairing: Pairing<'a>,
    /// The last answer and the number of windows it was of: it stays until the next window is whole.
    last: Option<(usize, Option<Lagged>)>,
}

impl<'a> Following<'a> {
    pub(super) fn new(from: &'a [f64], to: &'a [f64]) -> Self {
        Following { pairing: Pairing::new(from, to, GRID_LAGS), last: None }
    }

    /// Of the windows that are whole, lags and all, by `secs`.
    pub(super) fn until(&mut self, secs: f64) -> Option<Lagged> {
        let reach = GRID_LAGS.max_lag as f64 * STEP_SECS + GRID_REACH_SECS;
        let window = GRID_LAGS.window as f64 * STEP_SECS;
        let whole = (((secs - reach) / window).floor().max(0.0) as usize).min(self.pairing.windows());
        match self.last {
            Some((windows, answer)) if windows == whole => answer,
            _ => {
                let first = whole.saturating_sub(LOOK_BACK);
                self.pairing.forget_before(first);
                let answer = self.pairing.over(first..whole);
                self.last = Some((whole, answer));
                answer
            }
        }
    }
}

/// Rows of the `synchrony` table, by pair of labels, then signal.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn synchrony_table(relations: &Relations<'_>) -> Result<Table> {
    let labels = relations.labels();
    let watched = Watched::new(relations.faces, relations.config);
    let signals = Signals {
        relations,
        labels: &labels,
        moves: moves(relations, &watched, &labels),
        qualities: TurnQualities::new(relations.turns, relations.voices),
        exchanges: exchanges(relations, &labels),
    };
    layout().table(pairs(relations, &labels, &signals.exchanges).into_iter().flat_map(|pair| signals.rows_of(pair)))
}

/// All signals of an interview.
struct Signals<'a> {
    relations: &'a Relations<'a>,
    labels: &'a [&'a str],
    moves: BTreeMap<String, Moves>,
    qualities: TurnQualities,
    exchanges: BTreeMap<(usize, usize), Vec<(usize, usize)>>,
}

impl<'a> Signals<'a> {
    fn rows_of(&self, (first, second): (usize, usize)) -> Vec<PairSignal<'a>> {
        let (from, to) = (self.labels[first], self.labels[second]);
        let (a, b) = (&self.moves[from], &self.moves[to]);
        let no_face = |who: &str, x: &[f64]| x.is_empty().then(|| self.why_no_face(who));
        let interview_id = self.relations.interview_id;
        let row = |signal, clock, following, missing| PairSignal {
            interview_id,
            from,
            to,
            signal,
            clock,
            following,
            missing,
        };
        let on_grid = [
            ("smile", &a.smile, &b.smile, no_face(from, &a.smile).or_else(|| no_face(to, &b.smile))),
            ("head_motion", &a.head, &b.head, no_face(from, &a.head).or_else(|| no_face(to, &b.head))),
            ("level_to_head_motion", &a.level, &b.head, self.no_speech(&a.level).or_else(|| no_face(to, &b.head))),
        ];
        let on_grid = on_grid.map(|(signal, leader, follower, missing)| {
            row(signal, Clock::Grid, lagged(leader, follower, GRID_LAGS), missing)
        });
        let no_sound = self.relations.acoustics.is_empty().then_some(Missing::NoStream);
        let exchanges = self.exchanges.get(&(first, second)).map_or(&[][..], Vec::as_slice);
        let by_exchange = [(0, "pitch"), (1, "level")].map(|(quality, signal)| {
            let values = |turn: usize| self.qualities.of(turn)[quality];
            let (leader, follower): (Vec<f64>, Vec<f64>) = exchanges.iter().map(|e| (values(e.0), values(e.1))).unzip();
            row(signal, Clock::Exchanges, lagged(&leader, &follower, EXCHANGE_LAGS), no_sound)
        });
        on_grid.into_iter().chain(by_exchange).collect()
    }

    fn why_no_face(&self, label: &str) -> Missing {
        match self.relations.person(label) {
            _ if self.relations.faces.sampled.is_empty() => Missing::NoStream,
            None => Missing::OffScreen,
            Some(_) => Missing::NoFace,
        }
    }

    fn no_speech(&self, level: &[f64]) -> Option<Missing> {
        let why = if self.relations.acoustics.is_empty() { Missing::NoStream } else { Missing::NoSpeech };
        level.iter().all(|v| v.is_nan()).then_some(why)
    }
}

/// By pair of speakers, positions of the first's turns and of the second's that come right after them.
fn exchanges(relations: &Relations<'_>, labels: &[&str]) -> BTreeMap<(usize, usize), Vec<(usize, usize)>> {
    let speaker = relations.speakers(labels);
    let mut exchanges: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
    for i in 1..speaker.len() {
        if let (Some(from), Some(to)) = (speaker[i - 1], speaker[i]) {
            exchanges.entry((from, to)).or_default().push((i - 1, i));
        }
    }
    exchanges
}

/// The pairs that have rows, in order: all; in a crowd those who have a window of exchanges, and those both on the
/// screen.
fn pairs(
    relations: &Relations<'_>,
    labels: &[&str],
    exchanges: &BTreeMap<(usize, usize), Vec<(usize, usize)>>,
) -> BTreeSet<(usize, usize)> {
    let seen = |l: &usize| relations.person(labels[*l]).is_some();
    let crowd = most_listeners(relations.turns.len(), labels.len()).is_some();
    let chosen: Vec<usize> = (0..labels.len()).filter(|l| !crowd || seen(l)).collect();
    let all = chosen.iter().flat_map(|&from| chosen.iter().map(move |&to| (from, to)));
    let talking = exchanges.iter().filter(|(_, e)| e.len() >= EXCHANGE_LAGS.window).map(|(pair, _)| *pair);
    all.chain(talking).filter(|(from, to)| from != to).collect()
}
