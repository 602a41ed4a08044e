//! What chance gives: surrogates of two series cut into windows, and where a value stands among theirs.
//!
//! Two kinds, after the review of Moulder, Boker, Ramseyer and Tschacher 2018 ("Determining synchrony between
//! behavioral time series", Psychological Methods 23:757). *Shuffled*: the follower's windows in any order (segment
//! shuffling; Ramseyer and Tschacher 2011). *Pseudo-pairs*: the leader with the follower of another time, all windows
//! moved on together (data sliding), so that what leads from window to window is in the surrogate too: two people with
//! their own habits and courses who do not answer each other (pseudosynchrony; Bernieri, Reznick and Rosenthal 1988,
//! who pair people of different conversations; an interview is worked on alone, so the other conversation is another
//! stretch of the same one). True pairs stay in as chance has it: without them few windows make significance of
//! nothing.

use std::collections::HashMap;

use crate::random::Random;

/// How surrogates are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chance {
    /// Number of surrogates of each kind.
    pub surrogates: usize,
    /// Windows change places among so many neighbours at most.
    pub block: usize,
    /// Of the drawing.
    pub seed: u64,
}

/// Which windows are set beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::turns) enum Surrogate {
    /// In any order.
    Shuffled,
    /// Moved on together.
    Slid,
}

/// A value among surrogates'.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Distance from the shuffled surrogates' mean in their spread.
    pub z: f64,
    /// Share of shuffled surrogates that reach the value, the value counted as one of them (Phipson and Smyth 2010).
    pub p: f64,
    /// The same among pseudo-pairs.
    pub p_pseudo: f64,
}

/// The surrogates' spread is taken at the upper end of its own 95 % (normal theory: a standard deviation of n values
/// has the standard error s / sqrt(2 n)), so that few surrogates do not make a large z.
const SPREAD_QUANTILE: f64 = 1.645;

/// Spread below which surrogates do not differ.
const MIN_VARIANCE: f64 = 1e-12;

impl Chance {
    /// Places of the partners of `n` windows, one list a surrogate.
    pub(in crate::turns) fn partners(&self, kind: Surrogate, n: usize) -> impl Iterator<Item = Vec<usize>> + use<> {
        let purpose = match kind {
            Surrogate::Shuffled => "shuffled",
            Surrogate::Slid => "slid",
        };
        let mut random = Random::new(self.seed, purpose);
        // Blocks of equal size: a short last one would have few orders.
        let blocks = n.div_ceil(self.block.max(1)).max(1);
        (0..self.surrogates).map(move |_| {
            crate::pulse::beat();
            let mut places: Vec<usize> = (0..n).collect();
            for block in 0..blocks {
                let part = &mut places[block * n / blocks..(block + 1) * n / blocks];
                match kind {
                    Surrogate::Shuffled => random.shuffle(part),
                    Surrogate::Slid => part.rotate_left(random.below(part.len())),
                }
            }
            places
        })
    }
}

impl Standing {
    /// Of a value among shuffled surrogates' and pseudo-pairs'; `None` where the surrogates do not differ.
    pub(in crate::turns) fn among(value: f64, shuffled: &[f64], slid: &[f64]) -> Option<Self> {
        let count = shuffled.len() as f64;
        if count < 2.0 || slid.is_empty() {
            return None;
        }
        let usual = shuffled.iter().sum::<f64>() / count;
        let spread = (shuffled.iter().map(|p| (p - usual).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
        let spread = spread * (1.0 + SPREAD_QUANTILE / (2.0 * count).sqrt());
        (spread > MIN_VARIANCE).then(|| Standing {
            z: (value - usual) / spread,
            p: reached(value, shuffled),
            p_pseudo: reached(value, slid),
        })
    }
}

/// A surrogate that is the true pairing again differs from it by rounding alone, and has reached it.
fn reached(value: f64, draws: &[f64]) -> f64 {
    let least = value - 1e-9 * value.abs().max(1e-3);
    (draws.iter().filter(|d| **d >= least).count() + 1) as f64 / (draws.len() + 1) as f64
}

/// A measure that is made of sums over pairs of windows.
pub(super) trait Measure {
    /// What the first's window `i` and the second's window `j` add.
    fn of_pair(&mut self, i: usize, j: usize) -> Vec<f64>;

    /// The statistics of the sums over `n` pairs, larger = more coupled; NaN where there is none.
    fn statistics(&self, sums: &[f64], n: usize) -> Vec<f64>;
}

/// The sums over the true pairs of `n` windows, and each statistic with its standing.
pub(super) fn tested<M: Measure>(
    measure: &mut M,
    n: usize,
    chance: Chance,
) -> (Vec<f64>, Vec<(f64, Option<Standing>)>) {
    let mut known: HashMap<(usize, usize), Vec<f64>> = HashMap::new();
    let mut sums = |partners: &mut dyn Iterator<Item = usize>, measure: &mut M| {
        let mut total: Vec<f64> = Vec::new();
        for (i, j) in partners.enumerate() {
            let parts = known.entry((i, j)).or_insert_with(|| measure.of_pair(i, j));
            total.resize(parts.len(), 0.0);
            total.iter_mut().zip(parts.iter()).for_each(|(t, p)| *t += p);
        }
        total
    };
    let truth = sums(&mut (0..n), measure);
    let values = measure.statistics(&truth, n);
    let mut draws = [Surrogate::Shuffled, Surrogate::Slid].map(|kind| {
        let mut draws = vec![Vec::with_capacity(chance.surrogates); values.len()];
        for partners in chance.partners(kind, n) {
            let total = sums(&mut partners.into_iter(), measure);
            for (list, value) in draws.iter_mut().zip(measure.statistics(&total, n)) {
                list.extend(Some(value).filter(|v| v.is_finite()));
            }
        }
        draws
    });
    let standing = |(k, value): (usize, f64)| {
        let [shuffled, slid] = &mut draws;
        let standing = if value.is_finite() { Standing::among(value, &shuffled[k], &slid[k]) } else { None };
        (value, standing)
    };
    let tested = values.into_iter().enumerate().map(standing).collect();
    (truth, tested)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANCE: Chance = Chance { surrogates: 50, block: 10, seed: 1 };

    #[test]
    fn surrogates_stay_within_their_blocks_and_come_back_by_seed() {
        for kind in [Surrogate::Shuffled, Surrogate::Slid] {
            let all: Vec<Vec<usize>> = CHANCE.partners(kind, 25).collect();
            assert_eq!(all, CHANCE.partners(kind, 25).collect::<Vec<_>>());
            assert_ne!(all, Chance { seed: 2, ..CHANCE }.partners(kind, 25).collect::<Vec<_>>());
            for partners in &all {
                // Three blocks: 0 to 7, 8 to 15, 16 to 24.
                for block in [0..8, 8..16, 16..25] {
                    let mut part = partners[block.clone()].to_vec();
                    if kind == Surrogate::Slid {
                        let len = part.len();
                        assert!(part.windows(2).all(|w| (w[0] + 1 - block.start) % len == w[1] - block.start));
                    }
                    part.sort_unstable();
                    assert_eq!(part, block.collect::<Vec<_>>());
                }
            }
            assert!(all.iter().any(|p| *p != (0..25).collect::<Vec<_>>()));
        }
    }

    #[test]
    fn p_counts_the_value_among_the_surrogates() {
        let standing = Standing::among(2.5, &[0.0, 1.0, 2.0, 3.0], &[0.0; 9]).unwrap();
        assert!((standing.p - 0.4).abs() < 1e-12 && (standing.p_pseudo - 0.1).abs() < 1e-12, "{standing:?}");
        assert!(standing.z > 0.0 && Standing::among(1.0, &[1.0; 9], &[1.0; 9]).is_none());
    }
}
