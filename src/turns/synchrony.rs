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
//! each turn's end. The same signals by other measures are in [`super::coupling`].

mod config;
mod moves;
mod profile;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::entrainment::TurnQualities;
use super::lagged::{Lagged, Pairing};
use super::near::most_listeners;
use super::watched::Watched;
use super::{Relations, measured};
use crate::error::Result;
use crate::table::{Column, CutOff, Layout, Missing, Modality, Table, TableSchema, all_until};

pub(super) use config::STEP_SECS;
pub use config::SynchronyConfig;
use config::{why_missing, z_meaning};
use moves::body_moves;
pub(super) use moves::{Moves, moves};
pub(super) use profile::whole;

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
    config: &'a SynchronyConfig,
    following: Option<Lagged>,
    /// Correlation by lag.
    profile: Option<Vec<f64>>,
    /// What chance gives at each lag: the lower and the upper edge.
    chance: Option<(Vec<f64>, Vec<f64>)>,
    /// Why `following` is not there, where it is not for want of windows.
    missing: Option<Missing>,
}

/// What a signal runs on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
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

/// What a signal is of, in the order of rows; for descriptions.
pub(super) const SIGNALS: &str = "smile, head_motion (speed), level_to_head_motion (the leader's level every 0.1 s \
    while nobody else speaks, not known in pauses; the follower's head), body_motion (where bodies are looked at: speed of \
    the middle of the shoulders plus the mean speed of the hands against it, hands that are not seen taken for at rest, \
    in shoulder widths a second from look to look), pitch, level, rate (of articulation; these \
    turn by turn).";

/// How long both must be known for a value.
pub(super) fn least(config: &SynchronyConfig) -> String {
    let (secs, exchanges) = (config.window_secs, config.window_exchanges);
    format!(
        "fewer than {} windows of {secs} s ({} s seen of both), or {} windows of {exchanges} exchanges ({} turns \
         answered)",
        config.min_windows,
        config.min_windows as f64 * secs,
        config.min_exchange_windows,
        config.min_exchange_windows * exchanges
    )
}

/// Whose signal it is, and what its windows are.
fn keys<'a>() -> Vec<Column<PairSignal<'a>>> {
    vec![
        Column::text("interview_id", "Interview the row belongs to.", |p: &PairSignal<'a>| p.interview_id),
        Column::text("from", "Speaker whose signal leads: each ordered pair has rows.", |p: &PairSignal<'a>| p.from),
        Column::text(
            "to",
            "Speaker whose signal is set against it, at the same time or later.",
            |p: &PairSignal<'a>| p.to,
        ),
        Column::text("signal", SIGNALS, |p: &PairSignal<'a>| p.signal),
        Column::float(
            "window_secs",
            "s",
            "Length of a window; null where windows are counted in exchanges.",
            |p: &PairSignal<'a>| p.on(Clock::Grid, |_| Some(p.config.grid_lags().window as f64 * STEP_SECS)),
        ),
        Column::int("window_exchanges", "", "Length of a window in exchanges of turns.", |p: &PairSignal<'a>| {
            p.on(Clock::Exchanges, |_| Some(p.config.exchange_lags().window))
        }),
    ]
}

/// What is measured of it.
fn measures<'a>(config: &SynchronyConfig) -> [Column<PairSignal<'a>>; 8] {
    let surrogates = config.surrogates;
    [
        Column::int("windows", "", "Windows used.", |p: &PairSignal<'a>| p.following.map(|f| f.windows)),
        Column::float(
            "correlation",
            "1",
            "Mean correlation of the windows at the best lag, through Fisher's z (windowed lagged cross-correlation: \
             Boker, Xu, Rotondo and King 2002; Ramseyer and Tschacher 2011).",
            |p: &PairSignal<'a>| p.following.map(|f| f.correlation),
        )
        .from_source("Boker et al. 2002; Ramseyer & Tschacher 2011"),
        Column::float("z", "sd", z_meaning(config), |p: &PairSignal<'a>| p.following.map(|f| f.z))
            .from_source("Ramseyer & Tschacher 2011"),
        Column::float(
            "p",
            "1",
            format!(
                "Share of those surrogates, the value counted as one, that reach it: one-sided, at least 1 / \
                 {} (Phipson and Smyth 2010).",
                surrogates + 1
            ),
            |p: &PairSignal<'a>| p.following.map(|f| f.p),
        )
        .from_source("Phipson & Smyth 2010"),
        Column::float(
            "p_pseudo",
            "1",
            format!(
                "The same among {surrogates} pseudo-pairs: the leader with the follower of another time of the \
                 interview, all windows moved on together (data sliding: Moulder et al. 2018)."
            ),
            |p: &PairSignal<'a>| p.following.map(|f| f.p_pseudo),
        )
        .from_source("Moulder et al. 2018"),
        Column::float(
            "lag_secs",
            "s",
            format!(
                "Time by which the follower is behind at the best lag, 0 to {} s; null for exchanges.",
                config.max_lag_secs
            ),
            |p: &PairSignal<'a>| p.on(Clock::Grid, PairSignal::lag).map(|lag| lag as f64 * STEP_SECS),
        ),
        Column::int(
            "lag_exchanges",
            "",
            "0 = the answer follows the turn before it, 1 = the leader's turn before that.",
            |p: &PairSignal<'a>| p.on(Clock::Exchanges, PairSignal::lag),
        ),
        Column::text("missing", why_missing(&least(config)), |p: &PairSignal<'a>| match p.following {
            Some(_) => None,
            None => p.missing.or(Some(Missing::TooShort)),
        }),
    ]
}

/// Columns of the `synchrony` table.
fn layout<'a>(config: &SynchronyConfig) -> Layout<PairSignal<'a>> {
    let mut columns = all_until(CutOff::None, keys());
    columns.extend(measured(Modality::Dyad, measures(config)));
    columns.extend(measured(Modality::Dyad, profile::columns(config.surrogates)));
    let description =
        "How closely one person follows another over the whole interview, by one signal. No feature of any task.";
    Layout { name: "synchrony", description, columns }
}

/// Contract of the `synchrony` table.
pub fn synchrony_schema(config: &SynchronyConfig) -> TableSchema {
    layout(config).schema()
}

/// One ordered pair, from turn to turn: how closely the second follows the first over the last 10 minutes.
#[derive(Debug)]
pub(super) struct Following<'a> {
    pairing: Pairing<'a>,
    config: &'a SynchronyConfig,
    /// The last answer and the number of windows it was of: it stays until the next window is whole.
    last: Option<(usize, Option<Lagged>)>,
}

impl<'a> Following<'a> {
    pub(super) fn new(from: &'a [f64], to: &'a [f64], config: &'a SynchronyConfig) -> Self {
        Following { pairing: Pairing::new(from, to, config.grid_lags()), config, last: None }
    }

    /// Of the windows that are whole, lags and all, by `secs`.
    pub(super) fn until(&mut self, secs: f64) -> Option<Lagged> {
        let settings = self.config.grid_lags();
        let reach = settings.max_lag as f64 * STEP_SECS + GRID_REACH_SECS;
        let window = settings.window as f64 * STEP_SECS;
        let whole = (((secs - reach) / window).floor().max(0.0) as usize).min(self.pairing.windows());
        match self.last {
            Some((windows, answer)) if windows == whole => answer,
            _ => {
                let first = whole.saturating_sub(self.config.look_back_windows);
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
/// [`crate::error::Error::Shape`] when a value does not fit the schema, and those of reading observations back.
pub fn synchrony_table(relations: &Relations<'_>) -> Result<Table> {
    let labels = relations.labels();
    let signals = Signals::new(relations, &labels)?;
    let config = &relations.config.synchrony;
    let row = |signal: Signal<'_>| {
        let settings = match signal.clock {
            Clock::Grid => config.grid_lags(),
            Clock::Exchanges => config.exchange_lags(),
        };
        let mut pairing = Pairing::new(&signal.leader, &signal.follower, settings);
        let windows = pairing.windows();
        let following = pairing.over(0..windows);
        PairSignal {
            interview_id: relations.interview_id,
            from: labels[signal.pair.0],
            to: labels[signal.pair.1],
            signal: signal.name,
            clock: signal.clock,
            config,
            following,
            profile: following.and_then(|_| pairing.profile()),
            chance: following.and_then(|_| pairing.chance_band()),
            missing: signal.missing,
        }
    };
    layout(config).table(signals.all().map(row))
}

/// One signal of an ordered pair of labels.
pub(super) struct Signal<'a> {
    pub(super) pair: (usize, usize),
    pub(super) name: &'static str,
    pub(super) clock: Clock,
    /// NaN is a gap.
    pub(super) leader: Cow<'a, [f64]>,
    pub(super) follower: Cow<'a, [f64]>,
    /// Why there is nothing of one of the two, where that is known.
    pub(super) missing: Option<Missing>,
}

/// All signals of an interview.
pub(super) struct Signals<'a> {
    relations: &'a Relations<'a>,
    labels: &'a [&'a str],
    moves: BTreeMap<String, Moves>,
    /// `None` where bodies are not looked at.
    bodies: Option<BTreeMap<String, Vec<f64>>>,
    qualities: TurnQualities,
    exchanges: BTreeMap<(usize, usize), Vec<(usize, usize)>>,
}

impl<'a> Signals<'a> {
    /// # Errors
    /// Those of reading observations back.
    pub(super) fn new(relations: &'a Relations<'a>, labels: &'a [&'a str]) -> Result<Self> {
        let watched = Watched::new(relations.faces, relations.config)?;
        Ok(Signals {
            relations,
            labels,
            moves: moves(relations, &watched, labels),
            bodies: body_moves(relations, labels),
            qualities: TurnQualities::new(relations.turns, relations.voices, &relations.config.entrainment),
            exchanges: exchanges(relations, labels),
        })
    }

    /// By pair, then in the order of [`SIGNALS`].
    pub(super) fn all(&self) -> impl Iterator<Item = Signal<'_>> {
        pairs(self.relations, self.labels, &self.exchanges).into_iter().flat_map(|pair| self.of_pair(pair))
    }

    fn of_pair(&self, pair: (usize, usize)) -> Vec<Signal<'_>> {
        let (from, to) = (self.labels[pair.0], self.labels[pair.1]);
        let (a, b) = (&self.moves[from], &self.moves[to]);
        let no_face = |who: &str, x: &[f64]| x.is_empty().then(|| self.why_no_face(who));
        let no_body = |who: &str, x: &[f64]| x.is_empty().then(|| self.why_no_body(who));
        let on_grid = [
            ("smile", &a.smile, &b.smile, no_face(from, &a.smile).or_else(|| no_face(to, &b.smile))),
            ("head_motion", &a.head, &b.head, no_face(from, &a.head).or_else(|| no_face(to, &b.head))),
            ("level_to_head_motion", &a.level, &b.head, self.no_speech(&a.level).or_else(|| no_face(to, &b.head))),
        ];
        let of_bodies = self.bodies.as_ref().map(|bodies| {
            let (a, b) = (&bodies[from], &bodies[to]);
            ("body_motion", a, b, no_body(from, a).or_else(|| no_body(to, b)))
        });
        let on_grid = on_grid.into_iter().chain(of_bodies).map(|(name, leader, follower, missing)| Signal {
            pair,
            name,
            clock: Clock::Grid,
            leader: Cow::from(leader),
            follower: Cow::from(follower),
            missing,
        });
        let no_sound = self.relations.acoustics.is_empty().then_some(Missing::NoStream);
        let exchanges = self.exchanges.get(&pair).map_or(&[][..], Vec::as_slice);
        let by_exchange = ["pitch", "level", "rate"].into_iter().enumerate().map(|(quality, name)| {
            let values = |turn: usize| self.qualities.of(turn)[quality];
            let (leader, follower): (Vec<f64>, Vec<f64>) = exchanges.iter().map(|e| (values(e.0), values(e.1))).unzip();
            Signal {
                pair,
                name,
                clock: Clock::Exchanges,
                leader: leader.into(),
                follower: follower.into(),
                missing: no_sound,
            }
        });
        on_grid.chain(by_exchange).collect()
    }

    fn why_no_face(&self, label: &str) -> Missing {
        match self.relations.person(label) {
            _ if self.relations.faces.sampled.is_empty() => Missing::NoStream,
            None => Missing::NotCast,
            Some(_) => Missing::NoFace,
        }
    }

    fn why_no_body(&self, label: &str) -> Missing {
        match (self.relations.faces.sampled.is_empty(), self.relations.person(label)) {
            (true, _) => Missing::NoStream,
            (_, None) => Missing::NotCast,
            _ => Missing::NoBody,
        }
    }

    fn no_speech(&self, level: &[f64]) -> Option<Missing> {
        let why = if self.relations.acoustics.is_empty() { Missing::NoStream } else { Missing::NoSpeech };
        level.iter().all(|v| v.is_nan()).then_some(why)
    }
}

/// By pair of speakers, positions of the first's turns and of the second's that come right after them, as far as is
/// known.
fn exchanges(relations: &Relations<'_>, labels: &[&str]) -> BTreeMap<(usize, usize), Vec<(usize, usize)>> {
    let speaker = relations.speakers(labels);
    let mut exchanges: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
    // After a cue that could not be read, which may have been anybody's, nothing is known to follow.
    for i in (1..speaker.len()).filter(|i| relations.dropped.binary_search(i).is_err()) {
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
    let window = relations.config.synchrony.window_exchanges;
    let talking = exchanges.iter().filter(|(_, e)| e.len() >= window).map(|(pair, _)| *pair);
    all.chain(talking).filter(|(from, to)| from != to).collect()
}
