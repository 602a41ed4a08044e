//! The `coupling` table: one measure of one signal of an ordered pair of speakers.

use super::{CouplingSettings, Granger, MeasureKind, Measured, coupled};
use crate::error::Result;
use crate::table::{Column, ColumnSpec, CutOff, Kind, Layout, Missing, Modality, Table, TableSchema, all_until};
use crate::turns::synchrony::{Clock, SIGNALS, Signal, Signals, SynchronyConfig, least, whole};
use crate::turns::{Relations, measured};

struct Row<'a> {
    interview_id: &'a str,
    from: &'a str,
    to: &'a str,
    signal: &'static str,
    clock: Clock,
    kind: MeasureKind,
    found: std::result::Result<Measured, Missing>,
}

impl Row<'_> {
    fn found(&self) -> Option<&Measured> {
        self.found.as_ref().ok()
    }

    fn granger(&self) -> Option<Granger> {
        self.found()?.granger
    }

    fn lag_on(&self, clock: Clock) -> Option<usize> {
        self.found()?.lag.filter(|_| self.clock == clock)
    }
}

/// What the measures are taken from.
const MEASURES_FROM: &str = "Marwan et al. 2007; Coco & Dale 2014; Welch 1967; Schmidt et al. 2012; Granger 1969; \
    Geweke 1982; Sakoe & Chiba 1978";

/// What each measure is, with the values of the recipe.
fn measure_text(config: &SynchronyConfig) -> String {
    let SynchronyConfig { max_lag_secs, max_lag_exchanges, recurrence_radius_sd, min_line_secs, .. } = config;
    let step = SynchronyConfig::coarse_secs();
    let lags = format!("{max_lag_secs} s or {max_lag_exchanges} exchanges");
    format!(
        "What is measured, each in windows standardised by themselves; faces and heads at 10 Hz, by recurrence and \
         warping every {step} s. recurrence_rate: share of points (a value of the leader and one of the follower 0 to \
         {lags} later) that differ by less than {recurrence_radius_sd} standard deviations (Marwan et al. 2007, not \
         embedded). recurrence_peak: highest point of the diagonal profile, the recurrence rate by lag (Coco and Dale \
         2014). determinism: share of recurrent points in diagonal lines of at least {min_line_secs} s or {} exchanges \
         (Marwan et al. 2007). coherence_low, _mid, _high: magnitude-squared coherence, mean of {} to {}, {} to {} and \
         {} to {} Hz, for exchanges the thirds of the spectrum (Welch 1967; Schmidt et al. 2012); unrelated windows \
         give 1 / windows. granger: logarithm of the follower's residual variance by its own past over that by both \
         pasts, {} s or {} exchanges long (Granger 1969; Geweke 1982). dtw_distance: mean distance in standard \
         deviations after warping by at most {lags} (Sakoe and Chiba 1978); small = alike. Coherence and warping have \
         no direction.",
        config.min_line_exchanges,
        config.coherence_low_hz,
        config.coherence_mid_hz,
        config.coherence_mid_hz,
        config.coherence_high_hz,
        config.coherence_high_hz,
        config.coherence_top_hz,
        config.granger_secs,
        max_lag_exchanges.max(&1),
    )
}

/// Columns of the `coupling` table.
fn layout<'a>(config: &SynchronyConfig) -> Layout<Row<'a>> {
    let keys = vec![
        Column::text("interview_id", "Interview the row belongs to.", |r: &Row<'a>| r.interview_id),
        Column::text("from", "Speaker who leads.", |r: &Row<'a>| r.from),
        Column::text("to", "Speaker who follows.", |r: &Row<'a>| r.to),
        Column::text("signal", SIGNALS, |r: &Row<'a>| r.signal),
        Column::text("measure", measure_text(config), |r: &Row<'a>| r.kind.name()).from_source(MEASURES_FROM),
    ];
    let mut columns = all_until(CutOff::None, keys);
    columns.extend(measured(Modality::Dyad, value_columns(config)));
    let description =
        "How two people's signals go together over the whole interview, by one measure. No feature of any task.";
    Layout { name: "coupling", description, columns }
}

fn value_columns<'a>(config: &SynchronyConfig) -> Vec<Column<Row<'a>>> {
    let surrogates = config.surrogates;
    let standing = |r: &Row<'a>| r.found()?.standing;
    vec![
        Column::float("value", "", "The measure's value.", |r: &Row<'a>| r.found().map(|m| m.value)),
        Column::int("windows", "", "Windows used; null for granger.", |r: &Row<'a>| r.found()?.windows),
        Column::float(
            "z",
            "sd",
            format!(
                "The value against {surrogates} surrogates whose follower's windows are shuffled among {} neighbours, \
                 in their spread, above 0 = more coupled (Ramseyer and Tschacher 2011); null for granger.",
                config.surrogate_block_windows
            ),
            move |r: &Row<'a>| standing(r).map(|s| s.z),
        )
        .from_source("Ramseyer & Tschacher 2011"),
        Column::float(
            "p",
            "1",
            format!(
                "Share of those surrogates, the value counted as one, that are as coupled: one-sided, at least 1 / {} \
                 (Phipson and Smyth 2010); for granger that of f.",
                surrogates + 1
            ),
            move |r: &Row<'a>| standing(r).map(|s| s.p).or_else(|| Some(r.granger()?.p)),
        )
        .from_source("Granger 1969; Phipson & Smyth 2010"),
        Column::float(
            "p_pseudo",
            "1",
            format!(
                "The same among {surrogates} pseudo-pairs: the leader with the follower of another time of the \
                 interview, all windows moved on together (data sliding: Moulder et al. 2018); null for granger."
            ),
            move |r: &Row<'a>| standing(r).map(|s| s.p_pseudo),
        )
        .from_source("Moulder et al. 2018"),
        Column::float("f", "", "F of the leader's past; for granger.", |r: &Row<'a>| Some(r.granger()?.f)),
        Column::int("instants", "", "Instants of the regressions; for granger.", |r: &Row<'a>| Some(r.granger()?.rows)),
        Column::float(
            "lag_secs",
            "s",
            "Time by which the follower is behind at the peak; for recurrence_peak of faces and heads.",
            |r: &Row<'a>| Some(r.lag_on(Clock::Grid)? as f64 * SynchronyConfig::coarse_secs()),
        ),
        Column::int(
            "lag_exchanges",
            "",
            "0 = the answer is like the turn before it, 1 = like the leader's turn before that; for recurrence_peak of \
             voices.",
            |r: &Row<'a>| r.lag_on(Clock::Exchanges),
        ),
        Column::text(
            "missing",
            format!(
                "Why there is no value: no_stream, no_face, not_cast, no_speech, constant (a series does not move, \
                 or surrogates do not differ), too_short ({}, each at least {} known; for granger fewer than {} \
                 instants for each coefficient).",
                least(config),
                config.min_known_share,
                config.granger_rows_per_coefficient
            ),
            |r: &Row<'a>| r.found.as_ref().err().copied(),
        ),
        Column::new(
            ColumnSpec::new(
                "profile",
                Kind::F32List,
                "1",
                format!(
                    "Recurrence rate at each lag from 0 on, in steps of {} s or of one exchange; for recurrence_peak.",
                    SynchronyConfig::coarse_secs()
                ),
            ),
            |r: &Row<'a>| whole(r.found()?.profile.as_deref()),
        ),
    ]
}

/// Contract of the `coupling` table.
pub fn coupling_schema(config: &SynchronyConfig) -> TableSchema {
    layout(config).schema()
}

/// Rows of the `coupling` table, by pair of labels, then signal, then measure.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn coupling_table(relations: &Relations<'_>) -> Result<Table> {
    let labels = relations.labels();
    let signals = Signals::new(relations, &labels)?;
    let config = &relations.config.synchrony;
    let settings = (config.grid(), config.exchanges());
    let rows = signals.all().flat_map(|signal: Signal<'_>| {
        let settings: &CouplingSettings = if signal.clock == Clock::Grid { &settings.0 } else { &settings.1 };
        let found = match signal.missing {
            Some(missing) => MeasureKind::ALL.map(|_| Err(missing)),
            None => coupled(&signal.leader, &signal.follower, settings),
        };
        let row = |(kind, found)| Row {
            interview_id: relations.interview_id,
            from: labels[signal.pair.0],
            to: labels[signal.pair.1],
            signal: signal.name,
            clock: signal.clock,
            kind,
            found,
        };
        MeasureKind::ALL.into_iter().zip(found).map(row).collect::<Vec<_>>()
    });
    layout(config).table(rows)
}
