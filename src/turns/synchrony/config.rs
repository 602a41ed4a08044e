//! How synchrony is measured: windows, lags, surrogates and the settings of each measure.

use crate::error::{Error, Result};
use crate::turns::coupling::{Chance, CouplingSettings, GrangerSettings};
use crate::turns::lagged::LagSettings;

/// The grid of faces and heads.
pub(in crate::turns) const STEP_SECS: f64 = 0.1;

/// Recurrence and warping look at the mean of so many grid values: movements of less than 0.2 s are noise of the
/// landmarks, and the work is a quarter.
const COARSE: usize = 2;

/// How two people's series are set beside each other, for `synchrony`, `coupling` and the synchrony columns of `dyads`.
/// Times are of the 10 Hz grid of faces and heads; exchanges are turns answered, the clock of voices.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SynchronyConfig {
    /// Length of a window of faces and heads, in seconds. Boker et al. (2002) take 4 s, Ramseyer and Tschacher (2011)
    /// 60 s.
    #[schemars(range(min = 2.0, max = 600.0))]
    pub window_secs: f64,
    /// Longest time by which the follower may be behind, in seconds; less than a window.
    #[schemars(range(min = 0.2, max = 60.0))]
    pub max_lag_secs: f64,
    /// Fewer windows give no value: with `window_secs` the least duration seen of both.
    #[schemars(range(min = 3))]
    pub min_windows: usize,
    /// Length of a window of voices, in exchanges of turns.
    #[schemars(range(min = 4, max = 100))]
    pub window_exchanges: usize,
    /// Longest lag of voices, in exchanges; less than a window.
    #[schemars(range(min = 0, max = 20))]
    pub max_lag_exchanges: usize,
    /// Fewer windows of exchanges give no value.
    #[schemars(range(min = 3))]
    pub min_exchange_windows: usize,
    /// Windows that the synchrony columns of `dyads` look back from each turn's end.
    #[schemars(range(min = 3, max = 10_000))]
    pub look_back_windows: usize,
    /// Surrogates of each kind that a value is set against; the least p is 1 / (surrogates + 1).
    #[schemars(range(min = 19, max = 100_000))]
    pub surrogates: usize,
    /// Surrogates exchange windows among at most so many neighbours: what changes slowly over an interview stays where
    /// it is, and the work grows with the length alone.
    #[schemars(range(min = 3, max = 10_000))]
    pub surrogate_block_windows: usize,
    /// Seed of the surrogates.
    #[schemars(range(min = 0))]
    pub seed: u64,
    /// A window counts for recurrence, coherence and warping when at least this share of it is known in both series:
    /// gaps are bridged by lines, and two lines are alike.
    #[schemars(range(min = 0.5, max = 1.0))]
    pub min_known_share: f64,
    /// Two values recur when they differ by less, in standard deviations of their windows.
    #[schemars(range(min = 0.01, max = 2.0))]
    pub recurrence_radius_sd: f64,
    /// Shortest diagonal line that counts for determinism, in seconds.
    #[schemars(range(min = 0.4, max = 30.0))]
    pub min_line_secs: f64,
    /// The same for voices, in exchanges.
    #[schemars(range(min = 2, max = 20))]
    pub min_line_exchanges: usize,
    /// Where the low band of coherence begins, in Hz.
    #[schemars(range(min = 0.0, max = 5.0))]
    pub coherence_low_hz: f64,
    /// Where the low band ends and the middle band begins, in Hz.
    #[schemars(range(min = 0.0, max = 5.0))]
    pub coherence_mid_hz: f64,
    /// Where the middle band ends and the high band begins, in Hz.
    #[schemars(range(min = 0.0, max = 5.0))]
    pub coherence_high_hz: f64,
    /// Where the high band ends, in Hz.
    #[schemars(range(min = 0.0, max = 5.0))]
    pub coherence_top_hz: f64,
    /// How far both pasts of Granger's test reach, in seconds; every grid value in between is in the model.
    #[schemars(range(min = 0.1, max = 5.0))]
    pub granger_secs: f64,
    /// Fewer instants for each coefficient of Granger's test give no value.
    #[schemars(range(min = 2.0, max = 1000.0))]
    pub granger_rows_per_coefficient: f64,
}

impl Default for SynchronyConfig {
    fn default() -> Self {
        SynchronyConfig {
            window_secs: 15.0,
            max_lag_secs: 2.0,
            min_windows: 8,
            window_exchanges: 6,
            max_lag_exchanges: 1,
            min_exchange_windows: 5,
            look_back_windows: 40,
            surrogates: 199,
            surrogate_block_windows: 40,
            seed: 1,
            min_known_share: 0.8,
            recurrence_radius_sd: 0.2,
            min_line_secs: 0.6,
            min_line_exchanges: 2,
            coherence_low_hz: 0.1,
            coherence_mid_hz: 0.25,
            coherence_high_hz: 0.5,
            coherence_top_hz: 1.5,
            granger_secs: 2.0,
            granger_rows_per_coefficient: 5.0,
        }
    }
}

impl SynchronyConfig {
    /// What no range of one key can say.
    pub(in crate::turns) fn check(&self) -> Result<()> {
        let refuse = |key: &str, what: String| Err(Error::Recipe { place: format!("turns.synchrony.{key}"), what });
        if self.max_lag_secs >= self.window_secs {
            return refuse("max_lag_secs", format!("{} s is no shorter than window_secs", self.max_lag_secs));
        }
        if self.max_lag_exchanges >= self.window_exchanges {
            return refuse(
                "max_lag_exchanges",
                format!("{} is no shorter than window_exchanges", self.max_lag_exchanges),
            );
        }
        let edges = [self.coherence_low_hz, self.coherence_mid_hz, self.coherence_high_hz, self.coherence_top_hz];
        if edges.windows(2).any(|e| e[0] >= e[1]) {
            let what = "do not rise: coherence_low_hz, coherence_mid_hz, coherence_high_hz, coherence_top_hz";
            return refuse("coherence_low_hz", format!("the edges of the bands {edges:?} {what}"));
        }
        if let Some(band) = self.grid().bands.iter().position(|b| b.is_empty()) {
            let what = format!("band {} holds no frequency of window_secs = {} s", band + 1, self.window_secs);
            return refuse("coherence_low_hz", what);
        }
        Ok(())
    }

    fn chance(&self) -> Chance {
        Chance { surrogates: self.surrogates, block: self.surrogate_block_windows, seed: self.seed }
    }

    /// Lagged correlation on the grid.
    pub(in crate::turns) fn grid_lags(&self) -> LagSettings {
        LagSettings {
            window: samples(self.window_secs),
            max_lag: samples(self.max_lag_secs),
            min_windows: self.min_windows,
            chance: self.chance(),
        }
    }

    /// Lagged correlation on the clock of exchanges.
    pub(in crate::turns) fn exchange_lags(&self) -> LagSettings {
        LagSettings {
            window: self.window_exchanges,
            max_lag: self.max_lag_exchanges,
            min_windows: self.min_exchange_windows,
            chance: self.chance(),
        }
    }

    /// The other measures on the grid.
    pub(in crate::turns) fn grid(&self) -> CouplingSettings {
        let edges = [self.coherence_low_hz, self.coherence_mid_hz, self.coherence_high_hz, self.coherence_top_hz];
        let window = samples(self.window_secs);
        // Bin k of a window is k / window_secs Hz; an edge on a bin belongs to the band above it.
        let bin = |hz: f64| ((hz * window as f64 * STEP_SECS - 1e-9).ceil() as usize).clamp(1, window / 2 + 1);
        CouplingSettings {
            window,
            max_lag: samples(self.max_lag_secs) / COARSE,
            min_windows: self.min_windows,
            known_share: self.min_known_share,
            coarse: COARSE,
            radius: self.recurrence_radius_sd,
            min_line: (self.min_line_secs / (STEP_SECS * COARSE as f64)).round() as usize,
            bands: [0, 1, 2].map(|b| bin(edges[b])..bin(edges[b + 1])),
            granger: GrangerSettings {
                own: samples(self.granger_secs),
                leader: 1..samples(self.granger_secs) + 1,
                rows_per_coefficient: self.granger_rows_per_coefficient,
            },
            chance: self.chance(),
        }
    }

    /// The other measures on the clock of exchanges. Its bands are the thirds of what a window can tell.
    pub(in crate::turns) fn exchanges(&self) -> CouplingSettings {
        let top = self.window_exchanges / 2;
        let edge = |part: usize| 1 + (part * top).div_ceil(3);
        CouplingSettings {
            window: self.window_exchanges,
            max_lag: self.max_lag_exchanges,
            min_windows: self.min_exchange_windows,
            known_share: self.min_known_share,
            coarse: 1,
            radius: self.recurrence_radius_sd,
            min_line: self.min_line_exchanges,
            bands: [0, 1, 2].map(|b| edge(b)..edge(b + 1)),
            granger: GrangerSettings {
                // The leader's turn of an exchange comes before the answer: it is past already.
                own: self.max_lag_exchanges.max(1),
                leader: 0..self.max_lag_exchanges.max(1) + 1,
                rows_per_coefficient: self.granger_rows_per_coefficient,
            },
            chance: self.chance(),
        }
    }

    /// Seconds between values of the coarse grid.
    pub(in crate::turns) fn coarse_secs() -> f64 {
        STEP_SECS * COARSE as f64
    }
}

fn samples(secs: f64) -> usize {
    (secs / STEP_SECS).round().max(1.0) as usize
}

/// Why the `synchrony` table has no value, its codes explained; `least` as of [`super::least`].
pub(super) fn why_missing(least: &str) -> String {
    format!(
        "Why there is no value; null = there is one. no_stream (no video for smile and head, no sound for the \
         others), not_cast (which person on the screen is one of the two is not known), no_face (that person is never \
         measured), no_speech (the leader's voice is not known, or never heard alone), too_short ({least}; or nothing \
         in them moves)."
    )
}

/// What `z` of the `synchrony` table says.
pub(super) fn z_meaning(config: &SynchronyConfig) -> String {
    let (window, lag, surrogates) = (config.window_secs, config.max_lag_secs, config.surrogates);
    let (exchanges, lag_exchanges) = (config.window_exchanges, config.max_lag_exchanges);
    let (least, least_exchanges) = (config.min_windows, config.min_exchange_windows);
    let block = config.surrogate_block_windows;
    format!(
        "How closely `to` follows `from` in the row's signal over the whole interview, against chance: (observed - \
         mean of surrogates) / their standard deviation. Observed: Pearson's correlation of the two signals in \
         windows of {window} s that do not overlap, meaned over the windows through Fisher's z, at the lag 0 to {lag} \
         s of `to` (in steps of {STEP_SECS} s) where that mean is largest; the surrogates and their mean too are in \
         Fisher's z. With a lag, the window of `to` begins so much later and reaches over its edge. Ten values a \
         second, on a line between looks at most 0.35 s apart, unknown elsewhere; head speed is the change of yaw, \
         pitch and roll together, in deg/s. A window counts when half of it or more is known in each signal, at each \
         lag in both at once, and both vary; a lag counts when half of the windows give a correlation (held to \
         0.999). Pitch, level and rate are turn by turn: windows of {exchanges} exchanges that do not overlap, lags \
         of 0 to {lag_exchanges}. Each of {surrogates} surrogates shuffles the windows of `to`, each with what its \
         lags reach, within blocks of at most {block} neighbours (the interview cut into equal parts), as chance has \
         it in their true place too, and takes its own best lag, so that about 0 is chance. Windows and shuffling are \
         Ramseyer and Tschacher's; Turnwise's own: the best lag instead of all lags, and the standard deviation taken \
         at the upper end of its own one-sided 95 % (times 1 + 1.645 / sqrt(2 * {surrogates})), so that few \
         surrogates make no large z. Null with fewer than {least} windows ({least_exchanges} of exchanges) or a \
         signal that is not seen or heard, with missing."
    )
}
