//! Calibration: whether answers told with a probability come true as often.
//!
//! Brier score: mean over instances of the squared differences between each class's probability and 1 or 0, added up
//! over the classes (Brier 1950), 0 to 2. Expected calibration error: the mean distance, over ten bins of the first
//! answer's probability weighed by their instances, between that probability and how often it is right (Naeini et al.
//! 2015, Guo et al. 2017).

use serde_json::{Value, json};

use super::metrics::{ModelAnswer, Truth};
use super::models::Prediction;
use super::question::Question;
use super::report::rounded;

/// Bins of equal width: the number in both papers.
const BINS: usize = 10;

/// A row of the reliability table.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReliabilityBin {
    /// Instances whose first answer's probability lies in it.
    pub instances: usize,
    /// Their mean probability.
    pub probability: f64,
    /// The share of them that is right.
    pub right: f64,
}

/// How well a model knows what it does not know.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// couple, family, or all.
    pub part: String,
    /// Name of the model.
    pub model: String,
    /// Instances with probabilities.
    pub instances: usize,
    /// Mean Brier score; 0 is best.
    pub brier: f64,
    /// Expected calibration error; 0 is best.
    pub ece: f64,
    /// By tenths of probability, from 0.
    pub bins: Vec<ReliabilityBin>,
}

/// Of a model's predictions; `None` where it tells no probabilities.
pub(super) fn calibration(part: &str, model: &str, said: &[(&Question, &[Prediction])]) -> Option<Calibration> {
    let mut bins = vec![ReliabilityBin::default(); BINS];
    let (mut instances, mut brier) = (0, 0.0);
    for (question, one) in said.iter().flat_map(|(q, list)| list.iter().map(move |one| (q, one))) {
        let truth = &question.truths[one.instance];
        let Some(score) = one.score.filter(|_| !one.probabilities.is_empty()) else { continue };
        instances += 1;
        let of = |(place, p): (usize, &f64)| (p - f64::from(u8::from(is_right(truth, place)))).powi(2);
        brier += one.probabilities.iter().enumerate().map(of).sum::<f64>();
        let bin = &mut bins[((score * BINS as f64) as usize).min(BINS - 1)];
        bin.instances += 1;
        bin.probability += score;
        bin.right += f64::from(u8::from(first(&one.answer).is_some_and(|place| is_right(truth, place))));
    }
    if instances == 0 {
        return None;
    }
    let n = instances as f64;
    let ece = bins.iter().map(|b| (b.probability - b.right).abs()).sum::<f64>() / n;
    for bin in bins.iter_mut().filter(|b| b.instances > 0) {
        bin.probability /= bin.instances as f64;
        bin.right /= bin.instances as f64;
    }
    Some(Calibration { part: part.into(), model: model.into(), instances, brier: brier / n, ece, bins })
}

fn is_right(truth: &Truth, place: usize) -> bool {
    match truth {
        Truth::Class(class) => *class == Some(place),
        Truth::Number(level) => (level - place as f64).abs() < 0.5,
        Truth::Several(places, _) => places.contains(&place),
    }
}

fn first(answer: &ModelAnswer) -> Option<usize> {
    match answer {
        ModelAnswer::Ranking(order) | ModelAnswer::Several(order) => order.first().copied(),
        ModelAnswer::Number(level) => Some(*level as usize),
        ModelAnswer::Compared(_) | ModelAnswer::Nothing => None,
    }
}

impl Calibration {
    /// As JSON; numbers to 9 decimals, empty bins without probability and share.
    pub(super) fn json(&self) -> Value {
        let bin = |(i, b): (usize, &ReliabilityBin)| {
            let known = |x: f64| (b.instances > 0).then(|| rounded(x));
            let edge = |i: usize| i as f64 / BINS as f64;
            json!({
                "from": edge(i), "to": edge(i + 1), "instances": b.instances,
                "probability": known(b.probability), "right": known(b.right),
            })
        };
        json!({
            "part": self.part, "model": self.model, "instances": self.instances, "brier": rounded(self.brier),
            "ece": rounded(self.ece), "reliability": self.bins.iter().enumerate().map(bin).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::metrics::Scoring;
    use crate::baseline::question::Shape;

    /// Instances of two classes answered with that probability of the second, the first `right` of them of it.
    fn of(p: f64, n: usize, right: usize) -> Calibration {
        let truths = (0..n).map(|i| Truth::Class(Some(usize::from(i < right)))).collect();
        let classes = vec!["no".to_owned(), "yes".to_owned()];
        let (part, scoring) = ("all".to_owned(), Scoring::Classes(classes.clone()));
        let question = Question { part, shape: Shape::Classes, scoring, classes, members: (0..n).collect(), truths };
        let one = |instance| Prediction {
            instance,
            fold: 0,
            answer: ModelAnswer::Ranking(if p >= 0.5 { vec![1, 0] } else { vec![0, 1] }),
            score: Some(p.max(1.0 - p)),
            probabilities: vec![1.0 - p, p],
        };
        let list: Vec<Prediction> = (0..n).map(one).collect();
        calibration("all", "m", &[(&question, &list)]).unwrap()
    }

    #[test]
    fn what_comes_true_as_often_as_told_has_no_error() {
        let found = of(0.8, 100, 80);
        assert!(found.ece < 1e-12 && (found.brier - 2.0 * (0.8 * 0.04 + 0.2 * 0.64)).abs() < 1e-12, "{found:?}");
        assert_eq!(found.bins.iter().map(|b| b.instances).collect::<Vec<_>>(), [0, 0, 0, 0, 0, 0, 0, 0, 100, 0]);
        assert!((found.bins[8].right - 0.8).abs() < 1e-12 && (found.bins[8].probability - 0.8).abs() < 1e-12);
    }

    #[test]
    fn what_is_too_sure_is_off_by_as_much() {
        let found = of(0.99, 100, 70);
        assert!((found.ece - 0.29).abs() < 1e-9, "{}", found.ece);
        let found = of(1.0, 10, 0);
        assert!((found.ece - 1.0).abs() < 1e-12 && (found.brier - 2.0).abs() < 1e-12 && found.bins[9].instances == 10);
    }
}
