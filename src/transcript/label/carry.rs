//! Who speaks where a file labels changes alone.

use super::{Believed, Who};
use crate::transcript::draft::Draft;

/// Gives parts without a label the speaker before them, where the file labels where the speaker changes.
pub(in crate::transcript) struct Carry {
    speaker: Option<String>,
    any: bool,
    carried: usize,
    unknown: usize,
    labelled: usize,
}

impl Carry {
    pub(in crate::transcript) fn new(believed: &Believed) -> Self {
        Carry { speaker: None, any: believed.any(), carried: 0, unknown: 0, labelled: 0 }
    }

    /// What was said between, and by whom, is not known.
    pub(in crate::transcript) fn interrupt(&mut self) {
        self.speaker = None;
    }

    pub(in crate::transcript) fn speaker(&mut self, who: Who) -> Option<String> {
        match who {
            Who::Named(name) => {
                self.labelled += 1;
                self.speaker = Some(name);
            }
            Who::Another => {
                self.unknown += 1;
                self.speaker = None;
            }
            Who::Same if self.speaker.is_some() => self.carried += 1,
            Who::Same => self.unknown += 1,
        }
        self.speaker.clone()
    }

    /// A part that is no speech and gets no label of another.
    pub(in crate::transcript) fn tell(&self, draft: &mut Draft) {
        if !self.any || self.labelled == 0 || self.carried + self.unknown == 0 {
            return;
        }
        let Carry { carried, unknown, labelled, .. } = self;
        let nobody =
            if *unknown > 0 { format!(", {unknown} have none before them and no speaker") } else { String::new() };
        draft.warn(format!(
            "speaker labels begin {labelled} turns; {carried} without one are given to the speaker before them{nobody}"
        ));
    }
}
