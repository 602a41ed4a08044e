//! The sequence of shots: numbers them, tells their first frames, and takes back a cut that was a flash.

use image::RgbImage;

use super::shot::{Shot, Shots};
use crate::time::Seconds;

/// Cuts nearer than this are one transition.
const TRANSITION_SECS: f64 = 0.45;
/// Tracks are held over a cut for this long, since it may turn out to be a flash.
const FLASH_SECS: f64 = 0.5;

/// What a frame means for the tracks that are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// They go on.
    Same,
    /// They go on, and the last cut, if any, was no flash: those of the shot before it are over.
    Settled,
    /// Another shot begins: they are over unless this is a flash.
    Cut,
    /// The last cut was a flash: those of the shot before it go on, and those seen during it are over.
    Back,
}

/// The shots of one video.
#[derive(Debug)]
pub(super) struct ShotSequence {
    pictures: Shots,
    number: usize,
    /// Number of the shot before a cut that may be a flash.
    number_before: usize,
    last_cut: Option<Seconds>,
    cuts: Vec<Seconds>,
}

impl ShotSequence {
    /// Before the first frame; `threshold` as in [`super::FaceConfig::cut_threshold`].
    pub fn new(threshold: f32) -> Self {
        ShotSequence { pictures: Shots::new(threshold), number: 0, number_before: 0, last_cut: None, cuts: Vec::new() }
    }

    /// Takes the next frame.
    pub fn observe(&mut self, picture: &RgbImage, now: Seconds) -> Change {
        let shot = self.pictures.observe(picture);
        self.advance(shot, now)
    }

    fn advance(&mut self, shot: Shot, now: Seconds) -> Change {
        match shot {
            Shot::Cut => {
                if self.last_cut.is_some_and(|last| (now - last).get() < TRANSITION_SECS) {
                    // Still the same transition: the new shot begins where it ends.
                    self.cuts.pop();
                }
                self.cuts.push(now);
                (self.number_before, self.number) = (self.number, self.number + 1);
                self.last_cut = Some(now);
                Change::Cut
            }
            Shot::Back => {
                self.cuts.pop();
                self.number = self.number_before;
                Change::Back
            }
            Shot::Same if self.last_cut.is_some_and(|cut| (now - cut).get() > FLASH_SECS) => Change::Settled,
            Shot::Same => Change::Same,
        }
    }

    /// Number of the shot at hand.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Remembers the picture at hand, to be compared with by [`ShotSequence::changed`].
    pub fn mark(&mut self) {
        self.pictures.mark();
    }

    /// See [`Shots::changed`].
    pub fn changed(&self, known: &[[f32; 4]]) -> f32 {
        self.pictures.changed(known)
    }

    /// Times of the first frame of each shot but the first.
    pub fn into_cuts(self) -> Vec<Seconds> {
        self.cuts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each frame means, then the cuts and the number of the last shot.
    fn played(frames: &[(f64, Shot)]) -> (Vec<Change>, Vec<f64>, usize) {
        let mut sequence = ShotSequence::new(0.3);
        let changes = frames.iter().map(|&(t, shot)| sequence.advance(shot, Seconds::of(t))).collect();
        let number = sequence.number();
        (changes, sequence.into_cuts().iter().map(|c| c.get()).collect(), number)
    }

    #[test]
    fn a_cut_holds_the_tracks_until_it_is_sure_to_be_none_of_a_flash() {
        let frames = [(0.0, Shot::Same), (0.1, Shot::Cut), (0.5, Shot::Same), (0.7, Shot::Same)];
        let (changes, cuts, number) = played(&frames);
        assert_eq!(changes, [Change::Same, Change::Cut, Change::Same, Change::Settled]);
        assert_eq!((cuts, number), (vec![0.1], 1));
    }

    #[test]
    fn a_flash_leaves_neither_a_cut_nor_another_number() {
        let frames = [(0.0, Shot::Same), (1.0, Shot::Cut), (1.1, Shot::Back), (1.2, Shot::Same)];
        let (changes, cuts, number) = played(&frames);
        assert_eq!(changes, [Change::Same, Change::Cut, Change::Back, Change::Same]);
        assert_eq!((cuts, number), (vec![], 0));
    }

    #[test]
    fn cuts_of_one_transition_are_one_and_later_ones_are_more() {
        let (_, cuts, number) = played(&[(1.0, Shot::Cut), (1.2, Shot::Cut), (3.0, Shot::Cut)]);
        assert_eq!((cuts, number), (vec![1.2, 3.0], 3));
    }
}
