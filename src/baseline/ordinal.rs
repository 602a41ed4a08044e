//! Ordinal regression: the cumulative logit with proportional odds (McCullagh 1980) and an L2 penalty on its weights,
//! by L-BFGS (Nocedal 1980).
//!
//! P(level <= k) = 1 / (1 + exp(-(threshold k - weights x))). The negative log likelihood is convex in thresholds and
//! weights; thresholds out of order have no likelihood, and a step to them is cut back.

use std::collections::VecDeque;

use linfa_ndarray::{Array1, Array2};

/// Penalties tried, for each training row.
pub(super) const ORDINAL_PENALTIES: [f64; 3] = [0.002, 0.02, 0.2];

/// Steps at most, and those remembered.
const STEPS: usize = 200;
const REMEMBERED: usize = 8;

/// Steps end when no coordinate of the gradient, for each row, is above this.
const GRADIENT: f64 = 1e-5;

/// Least gain of a step, as a share of what the slope promises (Armijo), and how often a step is halved at most.
const GAIN: f64 = 1e-4;
const HALVINGS: usize = 40;

/// Probabilities of `size` levels for the rows of `ask`; levels that are not in `y` get 0. What fails is told in words.
pub(super) fn cumulative_logit(
    x: &Array2<f64>,
    y: &[usize],
    size: usize,
    penalty: f64,
    ask: &Array2<f64>,
) -> Result<Vec<Vec<f64>>, String> {
    let mut seen: Vec<usize> = y.to_vec();
    seen.sort_unstable();
    seen.dedup();
    if seen.len() < 2 {
        return Err("one level alone".into());
    }
    let y: Vec<usize> = y.iter().map(|level| seen.binary_search(level).unwrap_or(0)).collect();
    let fit = Fit { x, y: &y, levels: seen.len(), penalty };
    let found = fit.solve()?;
    let (thresholds, weights) = found.split_at(seen.len() - 1);
    let scores = ask.dot(&Array1::from(weights.to_vec()));
    let row = |score: &f64| {
        let mut all = vec![0.0; size];
        for (k, level) in seen.iter().enumerate() {
            let at = |k: usize| thresholds.get(k).map_or(1.0, |t| logistic(t - score));
            all[*level] = at(k) - if k == 0 { 0.0 } else { at(k - 1) };
        }
        all
    };
    let found: Vec<Vec<f64>> = scores.iter().map(row).collect();
    if found.iter().flatten().any(|p| !p.is_finite()) {
        return Err("the probabilities are not finite".into());
    }
    Ok(found)
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

struct Fit<'a> {
    x: &'a Array2<f64>,
    /// Places among the levels that occur.
    y: &'a [usize],
    levels: usize,
    penalty: f64,
}

impl Fit<'_> {
    /// The thresholds without features: the logits of the cumulated shares.
    fn start(&self) -> Vec<f64> {
        let n = self.y.len() as f64;
        let share = |k: usize| self.y.iter().filter(|y| **y <= k).count() as f64 / n;
        let thresholds = (0..self.levels - 1).map(|k| (share(k) / (1.0 - share(k))).ln());
        thresholds.chain(std::iter::repeat_n(0.0, self.x.ncols())).collect()
    }

    /// The mean loss and its gradient; infinite where the thresholds are out of order.
    fn loss(&self, at: &[f64]) -> (f64, Vec<f64>) {
        let cuts = self.levels - 1;
        let (thresholds, weights) = at.split_at(cuts);
        let n = self.y.len() as f64;
        if thresholds.windows(2).any(|w| w[1] - w[0] <= 1e-9) {
            return (f64::INFINITY, Vec::new());
        }
        let weights = Array1::from(weights.to_vec());
        let scores = self.x.dot(&weights);
        let mut gradient = vec![0.0; at.len()];
        let mut of_scores = Array1::zeros(self.y.len());
        let mut loss = 0.0;
        for (i, (level, score)) in self.y.iter().zip(&scores).enumerate() {
            // Of the upper and the lower threshold: the cumulated probability and its slope.
            let upper = thresholds.get(*level).map(|t| logistic(t - score));
            let lower = level.checked_sub(1).map(|k| logistic(thresholds[k] - score));
            let p = (upper.unwrap_or(1.0) - lower.unwrap_or(0.0)).max(1e-300);
            loss -= p.ln();
            let slope = |c: Option<f64>| c.map_or(0.0, |c| c * (1.0 - c) / p);
            let (up, down) = (slope(upper), slope(lower));
            if upper.is_some() {
                gradient[*level] -= up / n;
            }
            if lower.is_some() {
                gradient[*level - 1] += down / n;
            }
            of_scores[i] = (up - down) / n;
        }
        let of_weights = self.x.t().dot(&of_scores);
        for (k, (g, w)) in of_weights.iter().zip(&weights).enumerate() {
            gradient[cuts + k] = g + self.penalty * w;
        }
        (loss / n + self.penalty * weights.dot(&weights) / 2.0, gradient)
    }

    fn solve(&self) -> Result<Vec<f64>, String> {
        let mut at = self.start();
        let (mut loss, mut gradient) = self.loss(&at);
        let mut memory: VecDeque<(Vec<f64>, Vec<f64>)> = VecDeque::new();
        for _ in 0..STEPS {
            if gradient.iter().all(|g| g.abs() <= GRADIENT) {
                break;
            }
            let mut direction = descent(&gradient, &memory);
            let mut slope = dot(&direction, &gradient);
            if slope >= 0.0 {
                memory.clear();
                direction = gradient.iter().map(|g| -g).collect();
                slope = -dot(&gradient, &gradient);
            }
            let mut length = 1.0;
            let mut taken = None;
            for _ in 0..HALVINGS {
                let there: Vec<f64> = at.iter().zip(&direction).map(|(a, d)| a + length * d).collect();
                let (value, next) = self.loss(&there);
                if value.is_finite() && value <= loss + GAIN * length * slope {
                    taken = Some((there, value, next));
                    break;
                }
                length *= 0.5;
            }
            // No step gains anything that can be told from rounding: it is the minimum.
            let Some((there, value, next)) = taken else { break };
            let step: Vec<f64> = there.iter().zip(&at).map(|(a, b)| a - b).collect();
            let change: Vec<f64> = next.iter().zip(&gradient).map(|(a, b)| a - b).collect();
            if dot(&step, &change) > 1e-12 {
                memory.push_back((step, change));
            }
            if memory.len() > REMEMBERED {
                memory.pop_front();
            }
            (at, loss, gradient) = (there, value, next);
        }
        if at.iter().all(|a| a.is_finite()) { Ok(at) } else { Err("the weights are not finite".into()) }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The two loops of L-BFGS: minus the gradient, bent by the steps that are remembered.
fn descent(gradient: &[f64], memory: &VecDeque<(Vec<f64>, Vec<f64>)>) -> Vec<f64> {
    let mut q = gradient.to_vec();
    let mut weights = Vec::new();
    for (step, change) in memory.iter().rev() {
        let weight = dot(step, &q) / dot(step, change);
        q.iter_mut().zip(change).for_each(|(q, c)| *q -= weight * c);
        weights.push(weight);
    }
    if let Some((step, change)) = memory.back() {
        let scale = dot(step, change) / dot(change, change);
        q.iter_mut().for_each(|q| *q *= scale);
    }
    for ((step, change), weight) in memory.iter().zip(weights.iter().rev()) {
        let back = dot(change, &q) / dot(step, change);
        q.iter_mut().zip(step).for_each(|(q, s)| *q += (weight - back) * s);
    }
    q.iter().map(|q| -q).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Levels drawn from the model itself.
    fn drawn(n: usize, thresholds: &[f64], weights: &[f64]) -> (Array2<f64>, Vec<usize>) {
        let mut random = Random::seeded(5);
        let x = Array2::from_shape_fn((n, weights.len()), |_| 1.7 * random.signed());
        let level = |row: linfa_ndarray::ArrayView1<'_, f64>| {
            let score = dot(&row.to_vec(), weights);
            let u = random.unit();
            thresholds.iter().take_while(|t| logistic(**t - score) < u).count()
        };
        let y = x.rows().into_iter().map(level).collect();
        (x, y)
    }

    #[test]
    fn planted_thresholds_and_weights_are_found() {
        let (thresholds, weights) = ([-1.0, 0.5, 2.0], [1.2, -0.7, 0.0]);
        let (x, y) = drawn(6000, &thresholds, &weights);
        let found = Fit { x: &x, y: &y, levels: 4, penalty: 0.0 }.solve().unwrap();
        for (found, planted) in found.iter().zip(thresholds.iter().chain(&weights)) {
            assert!((found - planted).abs() < 0.12, "{found} {planted}");
        }
        let (_, gradient) = Fit { x: &x, y: &y, levels: 4, penalty: 0.0 }.loss(&found);
        assert!(gradient.iter().all(|g| g.abs() < 1e-4), "{gradient:?}");
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let (x, y) = drawn(50, &[-0.5, 0.8], &[0.4, -1.0]);
        let fit = Fit { x: &x, y: &y, levels: 3, penalty: 0.3 };
        let at = [-0.3, 0.9, 0.2, 0.1];
        let (_, gradient) = fit.loss(&at);
        for k in 0..at.len() {
            let moved = |by: f64| {
                let mut there = at;
                there[k] += by;
                fit.loss(&there).0
            };
            let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            assert!((slope - gradient[k]).abs() < 1e-6, "{k}: {slope} {}", gradient[k]);
        }
    }

    #[test]
    fn levels_that_are_not_seen_get_nothing_and_the_rest_add_to_one() {
        let (x, mut y) = drawn(300, &[0.0], &[1.0, 0.5]);
        y.iter_mut().for_each(|level| *level = 1 + 2 * *level);
        let found = cumulative_logit(&x, &y, 5, 0.02, &x).unwrap();
        assert!(found.iter().all(|p| p[0] + p[2] + p[4] < 1e-300 && (p.iter().sum::<f64>() - 1.0).abs() < 1e-12));
        assert!(cumulative_logit(&x, &vec![2; 300], 5, 0.02, &x).is_err());
    }
}
