//! Where a turn truly lies: its edges are anywhere within their uncertainty, and the sound between them tells where.
//!
//! Every pair of a start and an end within reach of those told is weighed by what the sound between them speaks for the
//! speaker; a frame is covered with the probability of all the pairs around it. Where the sound does not tell, that is
//! the turn as told, its edges blurred; where it is clear, the edges are those of the sound.

use super::Cue;
use super::hearing::first_frame;

/// What the sound speaks for a speaker, added up from the first frame on.
pub(super) struct Heard(Vec<f64>);

impl Heard {
    /// Of each frame's log-likelihood ratio, `constant` added to each and `weight` a frame.
    pub(super) fn new(log_odds: &[f64], constant: f64, weight: f64) -> Self {
        let mut sums = Vec::with_capacity(log_odds.len() + 1);
        let mut sum = 0.0;
        sums.push(sum);
        for value in log_odds {
            sum += weight * (value + constant);
            sums.push(sum);
        }
        Heard(sums)
    }

    fn frames(&self) -> usize {
        self.0.len() - 1
    }

    /// The probability that `cue` covers each frame of those it can: the first of them, and the values.
    fn cover(&self, cue: &Cue, edge: f64) -> (usize, Vec<f64>) {
        let at = |secs: f64| first_frame(secs, self.frames());
        let starts = at(cue.start - edge)..at(cue.start + edge) + 1;
        let ends = at(cue.end - edge)..at(cue.end + edge) + 1;
        let first = starts.start;
        let heard = |start: usize, end: usize| self.0[end] - self.0[start];
        let pairs = || starts.clone().flat_map(|s| ends.clone().filter(move |e| *e > s).map(move |e| (s, e)));
        let most = pairs().map(|(s, e)| heard(s, e)).fold(f64::NEG_INFINITY, f64::max);
        // What begins at each frame, less what has ended.
        let mut change = vec![0.0; ends.end - first];
        let mut all = 0.0;
        for (s, e) in pairs() {
            let weight = (heard(s, e) - most).exp();
            all += weight;
            change[s - first] += weight;
            change[e - first] -= weight;
        }
        let mut sum = 0.0;
        let running = change.iter().map(|c| {
            sum += c;
            if all > 0.0 { (sum / all).clamp(0.0, 1.0) } else { 0.0 }
        });
        (first, running.collect())
    }

    /// The probability that one of `cues` covers each frame.
    pub(super) fn covered(&self, cues: &[Cue], edge: f64) -> Vec<f64> {
        let mut silent = vec![1.0; self.frames()];
        for cue in cues {
            let (first, cover) = self.cover(cue, edge);
            silent.iter_mut().skip(first).zip(cover).for_each(|(s, c)| *s *= 1.0 - c);
        }
        silent.into_iter().map(|s| 1.0 - s).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::segmentation::FRAMES;
    use super::*;

    /// The probability at `at` seconds of a turn from 2 to 5 s, of what `log_odds` says of each second.
    fn covered(log_odds: impl Fn(f64) -> f64, at: f64) -> f64 {
        let values: Vec<f64> = (0..400).map(|f| log_odds(FRAMES.centre(f).get())).collect();
        let heard = Heard::new(&values, 0.0, 0.05);
        heard.covered(&[Cue { start: 2.0, end: 5.0, label: 0 }], 0.5)[first_frame(at, 400)]
    }

    #[test]
    fn a_turn_of_which_nothing_is_heard_lies_as_told() {
        for (at, expected) in [(1.45, 0.0), (1.75, 0.25), (2.0, 0.5), (2.52, 1.0), (4.0, 1.0), (5.0, 0.5), (5.55, 0.0)]
        {
            let found = covered(|_| 0.0, at);
            assert!((found - expected).abs() < 0.03, "{at}: {found} in place of {expected}");
        }
    }

    #[test]
    fn an_edge_that_is_heard_is_the_turns() {
        let from = |start: f64| move |at: f64| if at >= start && at < 5.0 { 3.0 } else { -3.0 };
        for start in [1.7, 2.0, 2.4] {
            assert!(covered(from(start), start - 0.25) < 0.2 && covered(from(start), start + 0.25) > 0.8, "{start}");
        }
        // Beyond the uncertainty of what is told, nothing is the turn's.
        assert!(covered(from(1.0), 1.4) < 1e-9 && covered(from(1.0), 1.75) > 0.8);
        // A turn is somewhere, though the sound speaks against all of it.
        assert!(covered(|_| -3.0, 3.5) > 0.99);
    }

    #[test]
    fn a_turn_beyond_the_sound_covers_nothing_and_one_shorter_than_its_edges_lies_somewhere() {
        let heard = Heard::new(&[0.0; 100], 0.0, 0.05);
        let beyond = heard.covered(&[Cue { start: 50.0, end: 60.0, label: 0 }], 0.5);
        assert!(beyond.len() == 100 && beyond.iter().all(|p| *p == 0.0));
        let short = heard.covered(&[Cue { start: 0.8, end: 0.85, label: 0 }], 0.5);
        let most = short.iter().copied().fold(0.0, f64::max);
        assert!(most > 0.4 && most < 0.8, "{most}");
        assert!(Heard::new(&[], 0.0, 1.0).covered(&[Cue { start: 0.0, end: 1.0, label: 0 }], 0.5).is_empty());
    }
}
