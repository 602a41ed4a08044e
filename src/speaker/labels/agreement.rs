//! How far labels and sound agree where both are sure: who of them is believed where they do not.
//!
//! A transcript whose labels are found wrong where voices can tell has more of them wrong where they cannot; beside a
//! recording that is heard well, it has nothing to mend. And the more of what the turns surely say is heard, the surer
//! must they be to change the rest.

use super::{Claims, LabelEvidenceConfig};

/// A turn or a speaker is surely there from this probability on.
const SURE: f64 = 0.9;

/// Labels are doubted where more than this share of them is found wrong. Chosen on the clips of the labels' test, above
/// what right transcripts show there where they are heard well.
const LABELS_WRONG: f64 = 0.03;

/// And a recording is heard well where less than this share of what the turns surely say is not heard. Between
/// `pyannote_sample` (0.00 to 0.04 over forty transcripts) and `ami_dev00` (0.05 to 0.09).
const SOUND_WRONG: f64 = 0.04;

/// Labels that are wrong more often than the sound by this factor change nothing that is heard well.
const FACTOR: f64 = 2.0;

/// From this share that is not heard on, the margin is the recipe's; where all is heard, it is the highest.
const USUAL_SOUND_WRONG: f64 = 0.05;
const HIGHEST_MARGIN: f64 = 0.49;

/// Shares of what can be compared that is wrong, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Agreement {
    /// Of the labels of turns whose voice tells whose they are.
    pub(super) labels_wrong: f64,
    /// Of what turns surely say and is not heard; 1 where they say nothing surely.
    pub(super) sound_wrong: f64,
}

impl Agreement {
    /// Of `active`, a row a speaker, and what the turns that tell a voice claim for each of them in each frame: others
    /// may be wrong unseen, and the sound is not to be blamed for that.
    pub(super) fn new(active: &[Vec<bool>], told: &[Vec<f64>], claims: &Claims) -> Self {
        let frames = active.first().map_or(0, Vec::len);
        let (mut sure, mut heard) = (0usize, 0usize);
        for (row, told) in active.iter().zip(told) {
            for (on, _) in row.iter().zip(told).filter(|(_, told)| **told > SURE) {
                sure += 1;
                heard += usize::from(*on);
            }
        }
        // However the labels are: as many as turns say talk there.
        let (mut several, mut missed) = (0usize, 0usize);
        for frame in 0..frames {
            let said = claims.surely_said(frame, SURE);
            several += said;
            missed += said.saturating_sub(active.iter().filter(|row| row[frame]).count());
        }
        let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
        let sound_wrong = (1.0 - share(heard, sure)).max(share(missed, several));
        Agreement { labels_wrong: claims.learnt.wrong, sound_wrong }
    }

    /// Whether the recording is heard well.
    pub(super) fn is_heard_well(&self) -> bool {
        self.sound_wrong < SOUND_WRONG
    }

    /// Whether what is heard is to be believed rather than the turns.
    pub(super) fn sound_is_surer(&self) -> bool {
        let Agreement { labels_wrong, sound_wrong } = *self;
        labels_wrong > LABELS_WRONG && self.is_heard_well() && labels_wrong > FACTOR * sound_wrong
    }

    /// How much surer than a half turns must be to move an edge that the sound shows.
    pub(super) fn margin(&self, config: &LabelEvidenceConfig) -> f64 {
        let heard = (1.0 - self.sound_wrong / USUAL_SOUND_WRONG).max(0.0);
        config.change_margin + heard * (HIGHEST_MARGIN - config.change_margin).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_found_wrong_are_not_believed_beside_a_recording_heard_well() {
        let surer = |labels_wrong, sound_wrong| Agreement { labels_wrong, sound_wrong }.sound_is_surer();
        assert!(surer(0.13, 0.01) && surer(0.2, 0.03));
        assert!(!surer(0.01, 0.0), "labels that are right");
        assert!(!surer(0.2, 0.06), "heard badly");
        assert!(!surer(0.05, 0.03), "as wrong as the sound");
    }

    #[test]
    fn the_better_a_recording_is_heard_the_surer_must_a_turn_be() {
        let config = LabelEvidenceConfig::default();
        let margin = |sound_wrong| Agreement { labels_wrong: 0.0, sound_wrong }.margin(&config);
        assert!(
            (margin(1.0) - config.change_margin).abs() < 1e-12 && (margin(0.05) - config.change_margin).abs() < 1e-9
        );
        assert!((margin(0.0) - 0.49).abs() < 1e-12 && margin(0.01) > margin(0.02));
        let firm = LabelEvidenceConfig { change_margin: 0.5, ..config };
        assert!((Agreement { labels_wrong: 0.0, sound_wrong: 0.0 }.margin(&firm) - 0.5).abs() < 1e-12);
    }
}
