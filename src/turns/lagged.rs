//! Windowed lagged cross-correlation of two series, against surrogates made of windows that do not belong together.
//!
//! Boker, Xu, Rotondo and King 2002 ("Windowed cross-correlation and peak picking for the analysis of variability in
//! the association between behavioral time series", Psychological Methods 7:338) correlate short windows of one series
//! with windows of the other that begin some steps later, since two people are stationary for moments only. Ramseyer
//! and Tschacher 2011 ("Nonverbal synchrony in psychotherapy", J. Consulting and Clinical Psychology 79:284) average
//! Fisher's z of the windows and set it against surrogates whose windows are shuffled, so that all that a window has by
//! itself (autocorrelation, spikes) is in both.
//!
//! Here lags run one way, from 0 to the longest: the second series follows the first. The value is the peak of the mean
//! curve over lags, and so is each surrogate's, so that looking for the best lag costs nothing. Surrogates of two kinds
//! are drawn as [`Chance`] says, the true pairs among them as chance has it: without those, few windows would make a
//! large z of nothing (5 windows: 12 of 100 beyond 2). Window and lagged partner stay whole, so no seam is in any of
//! them.

use std::collections::BTreeMap;

use super::coupling::{Chance, Standing, Surrogate};
use crate::statistics::at_rank;

/// How two series are set against each other; lengths in samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LagSettings {
    /// Length of a window; windows touch and do not overlap.
    pub window: usize,
    /// The second series is looked at up to so many samples later.
    pub max_lag: usize,
    /// Fewer windows give no answer.
    pub min_windows: usize,
    /// Of the surrogates.
    pub chance: Chance,
}

/// How closely one series follows the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lagged {
    /// Peak against the shuffled surrogates' peaks, in their standard deviations.
    pub z: f64,
    /// Share of shuffled surrogates whose peak reaches it.
    pub p: f64,
    /// Share of pseudo-pairs whose peak reaches it.
    pub p_pseudo: f64,
    /// Samples by which the second series follows at the peak.
    pub lag: usize,
    /// Mean correlation of the windows at the peak (through Fisher's z).
    pub correlation: f64,
    /// Windows used.
    pub windows: usize,
}

/// A window counts when at least this share of its samples is known in both series; a choice.
const MIN_SHARE: f64 = 0.5;

/// Correlations are held below this: Fisher's z of 1 is infinite.
const MAX_CORRELATION: f64 = 0.999;

/// Spread below which a window is constant.
const MIN_VARIANCE: f64 = 1e-12;

/// Two series and the curves already worked out.
#[derive(Debug)]
pub struct Pairing<'a> {
    first: &'a [f64],
    second: &'a [f64],
    settings: LagSettings,
    /// True where all samples of a window are known: the first's, and the second's with its lags.
    whole: (Vec<bool>, Vec<bool>),
    curves: BTreeMap<(usize, usize), Vec<f32>>,
}

/// How closely `second` follows `first`; NaN is a gap. `None` with too few windows, or where nothing ever moves.
pub fn lagged(first: &[f64], second: &[f64], settings: LagSettings) -> Option<Lagged> {
    let mut pairing = Pairing::new(first, second, settings);
    let windows = pairing.windows();
    pairing.over(0..windows)
}

impl<'a> Pairing<'a> {
    /// Two series sampled at the same instants; NaN is a gap.
    pub fn new(first: &'a [f64], second: &'a [f64], settings: LagSettings) -> Self {
        let mut pairing = Pairing { first, second, settings, whole: Default::default(), curves: BTreeMap::new() };
        let w = settings.window.max(1);
        let known = |x: Option<&[f64]>| x.is_some_and(|x| x.iter().all(|v| v.is_finite()));
        pairing.whole = (0..pairing.windows())
            .map(|i| (known(first.get(i * w..(i + 1) * w)), known(second.get(i * w..(i + 1) * w + settings.max_lag))))
            .unzip();
        pairing
    }

    /// Number of windows that lie whole inside the series.
    pub fn windows(&self) -> usize {
        self.first.len().min(self.second.len()) / self.settings.window.max(1)
    }

    /// The answer for a run of windows.
    pub fn over(&mut self, windows: std::ops::Range<usize>) -> Option<Lagged> {
        let used: Vec<usize> = windows.filter(|&i| self.counts(i)).collect();
        let n = used.len();
        if n < self.settings.min_windows.max(3) {
            return None;
        }
        let mean = self.mean_curve(&used, &used);
        let (lag, peak) = peak(&mean)?;
        let chance = self.settings.chance;
        let [shuffled, slid] = [Surrogate::Shuffled, Surrogate::Slid].map(|kind| {
            let pairings = chance.partners(kind, n).map(|places| places.into_iter().map(|k| used[k]).collect());
            pairings
                .filter_map(|partners: Vec<usize>| Some(self::peak(&self.mean_curve(&used, &partners))?.1))
                .collect::<Vec<f64>>()
        });
        let Standing { z, p, p_pseudo } = Standing::among(peak, &shuffled, &slid)?;
        Some(Lagged { z, p, p_pseudo, lag, correlation: peak.tanh(), windows: n })
    }

    /// The mean correlation of all windows (through Fisher's z) at each lag from 0 to the longest, as it stands before
    /// its peak is looked for; NaN where fewer than half of the windows have one. `None` with too few windows.
    pub fn profile(&mut self) -> Option<Vec<f64>> {
        let used: Vec<usize> = (0..self.windows()).filter(|&i| self.counts(i)).collect();
        let enough = used.len() >= self.settings.min_windows.max(3);
        enough.then(|| self.mean_curve(&used, &used).into_iter().map(f64::tanh).collect())
    }

    /// What the middle 95 of 100 shuffled surrogates lie between at each lag (from the 2.5 to the 97.5 % quantile of
    /// their mean correlations), before any peak is looked for; NaN where none has a value. `None` with too few windows.
    pub fn chance_band(&mut self) -> Option<(Vec<f64>, Vec<f64>)> {
        let used: Vec<usize> = (0..self.windows()).filter(|&i| self.counts(i)).collect();
        if used.len() < self.settings.min_windows.max(3) {
            return None;
        }
        let mut at_lag: Vec<Vec<f64>> = vec![Vec::new(); self.settings.max_lag + 1];
        for places in self.settings.chance.partners(Surrogate::Shuffled, used.len()) {
            let partners: Vec<usize> = places.into_iter().map(|k| used[k]).collect();
            for (all, value) in at_lag.iter_mut().zip(self.mean_curve(&used, &partners)) {
                if value.is_finite() {
                    all.push(value.tanh());
                }
            }
        }
        Some(at_lag.into_iter().map(|mut all| (quantile(&mut all, 0.025), quantile(&mut all, 0.975))).unzip())
    }

    /// Frees the curves of earlier windows.
    pub fn forget_before(&mut self, window: usize) {
        self.curves = self.curves.split_off(&(window, 0));
    }

    fn counts(&self, window: usize) -> bool {
        let range = window * self.settings.window..(window + 1) * self.settings.window;
        let enough = |x: &[f64]| {
            let known = x.get(range.clone()).map_or(0, |x| x.iter().filter(|v| v.is_finite()).count());
            known as f64 >= MIN_SHARE * self.settings.window as f64
        };
        enough(self.first) && enough(self.second)
    }

    /// Mean of the curves of windows and partners; NaN at a lag where fewer than half of them have a value.
    fn mean_curve(&mut self, windows: &[usize], partners: &[usize]) -> Vec<f64> {
        let mut sums = vec![(0.0f64, 0usize); self.settings.max_lag + 1];
        for (&i, &j) in windows.iter().zip(partners) {
            if !self.curves.contains_key(&(i, j)) {
                let made = self.curve(i, j);
                self.curves.insert((i, j), made);
            }
            for (sum, &value) in sums.iter_mut().zip(&self.curves[&(i, j)]) {
                if value.is_finite() {
                    *sum = (sum.0 + f64::from(value), sum.1 + 1);
                }
            }
        }
        sums.into_iter().map(|(sum, n)| if 2 * n >= windows.len().max(1) { sum / n as f64 } else { f64::NAN }).collect()
    }

    /// Fisher's z of the first's window `i` and the second's window `j`, at every lag.
    fn curve(&self, i: usize, j: usize) -> Vec<f32> {
        crate::pulse::beat();
        let w = self.settings.window;
        let a = &self.first[i * w..(i + 1) * w];
        let whole = self.whole.0[i] && self.whole.1[j];
        // Sums around the first value: no digit is lost on levels far from zero.
        let shift = |x: &[f64]| x.iter().copied().find(|v| v.is_finite()).unwrap_or(0.0);
        let (zero_a, zero_b) = (shift(a), self.second.get(j * w..).map_or(0.0, shift));
        (0..=self.settings.max_lag)
            .map(|lag| {
                let start = (j * w + lag).min(self.second.len());
                let b = &self.second[start..(start + w).min(self.second.len())];
                let sums = if whole { Sums::of_known(a, b, zero_a, zero_b) } else { Sums::of(a, b, zero_a, zero_b) };
                sums.correlation(MIN_SHARE * w as f64)
                    .map_or(f32::NAN, |r| r.clamp(-MAX_CORRELATION, MAX_CORRELATION).atanh() as f32)
            })
            .collect()
    }
}

/// On the line between the two nearest values; NaN of none.
fn quantile(values: &mut [f64], at: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    at_rank(values, at * values.len().saturating_sub(1) as f64).unwrap_or(f64::NAN)
}

/// First of the highest values and its place.
fn peak(curve: &[f64]) -> Option<(usize, f64)> {
    let known = curve.iter().copied().enumerate().filter(|(_, v)| v.is_finite());
    known.fold(
        None,
        |best: Option<(usize, f64)>, (i, v)| if best.is_none_or(|(_, b)| v > b) { Some((i, v)) } else { best },
    )
}

/// Sums of a Pearson correlation.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    n: f64,
    a: f64,
    b: f64,
    aa: f64,
    bb: f64,
    ab: f64,
}

impl Sums {
    fn add(&mut self, x: f64, y: f64) {
        self.n += 1.0;
        self.a += x;
        self.b += y;
        self.aa += x * x;
        self.bb += y * y;
        self.ab += x * y;
    }

    /// Over the pairs known in both.
    fn of(a: &[f64], b: &[f64], zero_a: f64, zero_b: f64) -> Self {
        let mut s = Sums::default();
        for (&x, &y) in a.iter().zip(b).filter(|(x, y)| x.is_finite() && y.is_finite()) {
            s.add(x - zero_a, y - zero_b);
        }
        s
    }

    /// The same where all are known: four at a time, so that the machine can do them at once.
    fn of_known(a: &[f64], b: &[f64], zero_a: f64, zero_b: f64) -> Self {
        let mut lanes = [Sums::default(); 4];
        let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
        let rest = Self::of(a4.remainder(), b4.remainder(), zero_a, zero_b);
        for (x, y) in a4.zip(b4) {
            for k in 0..4 {
                lanes[k].add(x[k] - zero_a, y[k] - zero_b);
            }
        }
        lanes.iter().fold(rest, |s, l| Sums {
            n: s.n + l.n,
            a: s.a + l.a,
            b: s.b + l.b,
            aa: s.aa + l.aa,
            bb: s.bb + l.bb,
            ab: s.ab + l.ab,
        })
    }

    fn correlation(&self, least: f64) -> Option<f64> {
        if self.n < least.max(3.0) {
            return None;
        }
        let (var_a, var_b) = (self.aa - self.a * self.a / self.n, self.bb - self.b * self.b / self.n);
        let moves = |v: f64| v > MIN_VARIANCE * self.n;
        (moves(var_a) && moves(var_b)).then(|| (self.ab - self.a * self.b / self.n) / (var_a * var_b).sqrt())
    }
}

/// Pearson's correlation of pairs that come one by one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RunningPearson {
    /// The first pair.
    zero: Option<(f64, f64)>,
    sums: Sums,
}

impl RunningPearson {
    pub(super) fn push(&mut self, x: f64, y: f64) {
        let (zero_x, zero_y) = *self.zero.get_or_insert((x, y));
        self.sums.add(x - zero_x, y - zero_y);
    }

    /// Of the pairs so far; `None` for fewer than `least` or where one side never changes.
    pub(super) fn value(&self, least: usize) -> Option<f64> {
        self.zero.and(self.sums.correlation(least as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const CHANCE: Chance = Chance { surrogates: 100, block: 40, seed: 1 };
    const TEN_HZ: LagSettings = LagSettings { window: 150, max_lag: 20, min_windows: 8, chance: CHANCE };

    /// Noise that remembers (half-life about 0.5 s at 10 Hz) on top of a slow drift, as smiles and heads do.
    fn wander(seed: u64, n: usize, memory: f64) -> Vec<f64> {
        let mut random = Random::seeded(seed.wrapping_mul(7_919).wrapping_add(13));
        // Sum of four uniforms: near enough to a bell.
        let mut draw = || (0..4).map(|_| random.bits() as f64 / u64::MAX as f64 - 0.5).sum::<f64>();
        let (mut x, mut slow) = (0.0, 0.0);
        (0..n)
            .map(|_| {
                x = memory * x + draw();
                slow = 0.999 * slow + 0.05 * draw();
                x + slow
            })
            .collect()
    }

    #[test]
    fn a_copy_0_4_s_later_is_found_there() {
        for seed in 0..20 {
            let a = wander(seed, 3000, 0.87);
            let b: Vec<f64> = (0..a.len()).map(|i| if i < 4 { f64::NAN } else { 2.0 * a[i - 4] - 30.0 }).collect();
            let found = lagged(&a, &b, TEN_HZ).unwrap();
            assert!(found.lag == 4 && found.z > 5.0 && found.correlation > 0.99, "{seed}: {found:?}");
            assert_eq!(found.windows, 20);
        }
    }

    #[test]
    fn a_weak_copy_under_noise_with_gaps_is_found_there_too() {
        let a = wander(5, 6000, 0.87);
        let noise = wander(6, 6000, 0.87);
        let b: Vec<f64> =
            (0..a.len()).map(|i| if i < 4 || i % 40 > 30 { f64::NAN } else { a[i - 4] + noise[i] }).collect();
        let found = lagged(&a, &b, TEN_HZ).unwrap();
        assert!(found.lag == 4 && found.z > 5.0, "{found:?}");
        // The leader does not follow.
        let back = lagged(&b, &a, TEN_HZ).unwrap();
        assert!(back.z < found.z, "{back:?} {found:?}");
    }

    #[test]
    fn chance_lies_about_zero_and_what_follows_lies_above_it() {
        let a = wander(5, 6000, 0.87);
        let b: Vec<f64> = (0..a.len()).map(|i| if i < 4 { f64::NAN } else { a[i - 4] }).collect();
        let mut pairing = Pairing::new(&a, &b, TEN_HZ);
        let (low, high) = pairing.chance_band().unwrap();
        let profile = pairing.profile().unwrap();
        assert_eq!((low.len(), high.len()), (profile.len(), profile.len()));
        assert!(low.iter().zip(&high).all(|(l, h)| -0.5 < *l && *l < 0.0 && 0.0 < *h && *h < 0.5), "{low:?} {high:?}");
        assert!(profile[4] > high[4] + 0.3);
        // Too few windows tell nothing of chance either.
        assert!(Pairing::new(&a[..600], &b[..600], TEN_HZ).chance_band().is_none());
        assert!((quantile(&mut [3.0, 1.0, 2.0], 0.25) - 1.5).abs() < 1e-12 && quantile(&mut [], 0.5).is_nan());
    }

    #[test]
    fn independent_signals_stay_within_two_in_95_of_100() {
        for (memory, minutes) in [(0.0, 5), (0.87, 5), (0.97, 10)] {
            let n = minutes * 600;
            let z: Vec<f64> = (0..200)
                .map(|seed| {
                    lagged(&wander(2 * seed + 1, n, memory), &wander(2 * seed + 2, n, memory), TEN_HZ).unwrap().z
                })
                .collect();
            let within = z.iter().filter(|z| z.abs() < 2.0).count();
            let mean = z.iter().sum::<f64>() / 200.0;
            eprintln!("memory {memory}, {minutes} min: {within} of 200 within 2, mean {mean:.3}");
            assert!(within >= 190, "memory {memory}, {minutes} min: {within} of 200");
            assert!(mean.abs() < 0.25, "{mean}");
        }
    }

    #[test]
    fn short_series_of_exchanges_are_held_to_the_same() {
        let settings = LagSettings { window: 6, max_lag: 1, min_windows: 5, chance: CHANCE };
        let mut within = 0;
        for seed in 0..200 {
            within += usize::from(
                lagged(&wander(2 * seed + 1, 42, 0.5), &wander(2 * seed + 2, 42, 0.5), settings).unwrap().z.abs() < 2.0,
            );
        }
        eprintln!("42 exchanges: {within} of 200 within 2");
        assert!(within >= 190, "{within}");
        let a = wander(1, 42, 0.5);
        let close: Vec<f64> = a.iter().zip(wander(2, 42, 0.5)).map(|(x, e)| x + 0.3 * e).collect();
        assert!(lagged(&a, &close, settings).unwrap().z > 3.0);
    }

    #[test]
    fn too_little_or_nothing_that_moves_gives_no_answer() {
        let a = wander(1, 1000, 0.8);
        assert!(lagged(&a, &a, TEN_HZ).is_none(), "six windows");
        assert!(lagged(&wander(1, 3000, 0.8), &vec![1.0; 3000], TEN_HZ).is_none());
        assert!(lagged(&wander(1, 3000, 0.8), &vec![f64::NAN; 3000], TEN_HZ).is_none());
        assert!(lagged(&[], &[], TEN_HZ).is_none());
    }

    #[test]
    fn the_quick_sums_are_the_plain_ones() {
        let (a, b) = (wander(1, 151, 0.8), wander(2, 151, 0.8));
        let (quick, plain) = (Sums::of_known(&a, &b, 0.1, 0.2), Sums::of(&a, &b, 0.1, 0.2));
        assert!((quick.correlation(3.0).unwrap() - plain.correlation(3.0).unwrap()).abs() < 1e-12);
        let pearson = |pairs: &[(f64, f64)]| {
            let mut running = RunningPearson::default();
            pairs.iter().for_each(|(x, y)| running.push(*x, *y));
            running.value(3)
        };
        assert!((pearson(&[(1.0, 2.0), (2.0, 1.0), (3.0, 0.0)]).unwrap() + 1.0).abs() < 1e-12);
        assert!(pearson(&[(1.0, 2.0), (2.0, 1.0)]).is_none() && pearson(&[]).is_none());
    }
}
