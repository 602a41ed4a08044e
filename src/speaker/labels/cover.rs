//! Where a turn truly lies: its edges are anywhere within their uncertainty, and the sound between them tells where.
//!
//! Every pair of a start and an end within reach of those told is weighed by what the sound speaks for a start there,
//! for an end there, and for the speaker in between; a frame is covered with the probability of all the pairs around
//! it. Where the sound does not tell, that is the turn as told, its edges blurred; where it is clear, the edges are
//! those of the sound.

use super::Cue;
use super::hearing::{Voice, first_frame};

/// What the sound speaks for turns of a speaker.
pub(super) struct Heard<'a> {
    voice: &'a Voice<'a>,
    /// What speaks for the speaker inside a turn, added up from the first frame on.
    inside: Vec<f64>,
}

impl<'a> Heard<'a> {
    /// Others' turns claim each frame as surely as `claimed`; `a_frame` is what a frame weighs.
    pub(super) fn new(voice: &'a Voice<'a>, claimed: &[f64], a_frame: f64) -> Self {
        let mut inside = voice.inside(claimed);
        inside.iter_mut().for_each(|sum| *sum *= a_frame);
        Heard { voice, inside }
    }

    /// The probability that `cue` covers each frame of those it can: the first of them, and the values.
    fn cover(&self, cue: &Cue, edge: f64) -> (usize, Vec<f64>) {
        let at = |secs: f64| first_frame(secs, self.inside.len() - 1);
        let starts = at(cue.start - edge)..at(cue.start + edge) + 1;
        let ends = at(cue.end - edge)..at(cue.end + edge) + 1;
        let first = starts.start;
        let before = self.inside[first];
        let begins: Vec<f64> = starts.clone().map(|s| self.voice.start(s) - (self.inside[s] - before)).collect();
        let stops: Vec<f64> = ends.clone().map(|e| self.voice.end(e) + (self.inside[e] - before)).collect();
        let heard = |s: usize, e: usize| begins[s - starts.start] + stops[e - ends.start];
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

    /// The probability that one of `cues`, each the speaker's as surely as told, covers each frame.
    pub(super) fn covered(&self, cues: &[(Cue, f64)], edge: f64) -> Vec<f64> {
        let mut silent = vec![1.0; self.inside.len() - 1];
        for (cue, belief) in cues {
            let (first, cover) = self.cover(cue, edge);
            silent.iter_mut().skip(first).zip(cover).for_each(|(s, c)| *s *= 1.0 - belief * c);
        }
        silent.into_iter().map(|s| 1.0 - s).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::segmentation::FRAMES;
    use super::super::hearing::Hearing;
    use super::super::level::Level;
    use super::*;

    const COUNT: usize = 400;

    /// How surely `cue`, as surely the speaker's as `belief`, covers each frame, where the speaker is heard as `talks`.
    fn covered(talks: impl Fn(f64) -> bool, cue: Cue, belief: f64) -> Vec<f64> {
        let on = |f: usize| talks(FRAMES.centre(f).get());
        let level = Level::of((0..COUNT).map(|f| if on(f) { 0.8 } else { -0.9 }).collect());
        let vad: Vec<f32> = (0..220).map(|c| if talks(0.032 * f64::from(c) + 0.016) { 0.98 } else { 0.01 }).collect();
        let hearing = Hearing::new(&vad, &level);
        let activity = [(0..COUNT).map(|f| if on(f) { 0.95 } else { 0.01 }).collect::<Vec<f32>>()];
        let count: Vec<u8> = (0..COUNT).map(|f| u8::from(on(f))).collect();
        let voice = Voice::new(&hearing, 0, &activity, &count);
        Heard::new(&voice, &[0.0; COUNT], 0.05).covered(&[(cue, belief)], 0.5)
    }

    fn turn(start: f64, end: f64) -> Cue {
        Cue { start, end, label: 0 }
    }

    #[test]
    fn an_edge_that_is_heard_is_the_turns() {
        for start in [1.7, 2.0, 2.4] {
            let found = covered(|at| at >= start && at < 5.0, turn(2.0, 5.0), 1.0);
            let at = |secs: f64| found[first_frame(secs, COUNT)];
            assert!(at(start - 0.25) < 0.2 && at(start + 0.15) > 0.8, "{start}");
            assert!(at(4.85) > 0.8 && at(5.3) < 0.3, "{start}");
        }
    }

    #[test]
    fn beyond_the_uncertainty_of_what_is_told_nothing_is_the_turns() {
        let found = covered(|at| (1.0..5.0).contains(&at), turn(2.0, 5.0), 1.0);
        assert!(found[first_frame(1.4, COUNT)] < 1e-9 && found[first_frame(1.75, COUNT)] > 0.8);
        // A turn is somewhere, though nothing is heard of it, but no surer than it is believed to be the speaker's.
        for belief in [1.0, 0.6] {
            let most = covered(|_| false, turn(2.0, 5.0), belief)[first_frame(3.5, COUNT)];
            assert!((most - belief).abs() < 0.01, "{most}");
        }
    }

    #[test]
    fn a_turn_beyond_the_sound_covers_nothing_and_one_shorter_than_its_edges_lies_somewhere() {
        assert!(covered(|_| true, turn(50.0, 60.0), 1.0).iter().all(|p| *p == 0.0));
        let most = |talks: &dyn Fn(f64) -> bool| {
            covered(talks, turn(0.8, 0.85), 1.0)
                .into_iter()
                .enumerate()
                .fold((0, 0.0), |b, p| if p.1 > b.1 { p } else { b })
        };
        // It is where something is heard, a third of a second later.
        let heard = most(&|at| (1.0..1.3).contains(&at));
        assert!((1.0..1.3).contains(&FRAMES.centre(heard.0).get()) && heard.1 > 0.8, "{heard:?}");
        assert!(most(&|_| false).1 > 0.05);
    }
}
