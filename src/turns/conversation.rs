//! Who has the floor, by the transcript and by voices: what the tables of turns and of dyads both look at.

use std::collections::BTreeMap;

use super::begun::Begun;
use super::floors::Floors;
use super::voices::VoiceIndex;
use super::{Relations, edges};

/// The floors of an interview.
pub(super) struct Conversation<'a> {
    /// The turns' speakers, sorted.
    pub(super) labels: Vec<&'a str>,
    /// The number of each turn's speaker among them.
    pub(super) speaker_of: Vec<Option<usize>>,
    /// By the transcript.
    pub(super) floors: Floors,
    /// Each voice's speech, edges moved to where the level rises and falls.
    pub(super) voices: BTreeMap<String, VoiceIndex>,
    /// Which turn each utterance belongs to.
    pub(super) begun: Begun,
    /// Turns of which voices tell nothing.
    pub(super) in_doubt: Vec<bool>,
}

impl<'a> Conversation<'a> {
    pub(super) fn of(relations: &Relations<'a>) -> Self {
        let labels = relations.labels();
        let speaker_of = relations.speakers(&labels);
        let config = &relations.config.floor;
        let floors = Floors::new(relations.turns, &speaker_of, labels.len(), relations.dropped, config);
        let voices = VoiceIndex::of_all(&edges::on_the_sound(relations.annotation, relations.acoustics));
        let begun = Begun::new(relations, &labels, &speaker_of, &voices);
        Conversation { labels, speaker_of, floors, voices, begun, in_doubt: relations.in_doubt() }
    }
}
