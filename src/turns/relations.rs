//! What is known of the people of one interview: whose voice and face is whose, and everything heard and seen of them.

use std::collections::BTreeMap;

use super::bodies::BodyTurn;
use super::face_statistics::FaceTurn;
use super::{Laughs, SaidTurn, TurnsConfig};
use crate::annotation::{Annotation, Turn};
use crate::audio::{Acoustics, TurnVoice};
use crate::body::Bodies;
use crate::face::Faces;

/// The voice and the person that a turn's speaker was linked to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpeakerLink {
    /// Diarized speaker.
    pub voice: Option<String>,
    /// Person on the screen.
    pub person: Option<String>,
}

/// The bodies of an interview.
#[derive(Clone, Copy, Debug)]
pub struct BodiesSeen<'a> {
    /// Look by look.
    pub all: &'a Bodies,
    /// By turn and person.
    pub turns: &'a [BodyTurn],
}

/// All that is known of what people do to each other in one interview.
#[derive(Clone, Copy, Debug)]
pub struct Relations<'a> {
    /// Key of the tables.
    pub interview_id: &'a str,
    /// Couple or family; `None` where nothing says so.
    pub group: Option<&'a str>,
    /// Role by speaker, where given.
    pub roles: &'a BTreeMap<String, String>,
    /// The turns in the order of their starts.
    pub turns: &'a [Turn],
    /// Places of turns before which a cue could not be read, ascending.
    pub dropped: &'a [usize],
    /// Voice and person by the speaker of turns.
    pub links: &'a BTreeMap<String, SpeakerLink>,
    /// Speech turns by diarization.
    pub annotation: &'a Annotation,
    /// Level and pitch, 10 ms by 10 ms.
    pub acoustics: &'a Acoustics,
    /// The voice of each turn; may be empty.
    pub voices: &'a [TurnVoice],
    /// The words of each turn; may be empty.
    pub said: &'a [SaidTurn],
    /// Everything seen.
    pub faces: &'a Faces,
    /// Faces by turn and person.
    pub face_turns: &'a [FaceTurn],
    /// Bodies; `None` where they are not looked at.
    pub bodies: Option<BodiesSeen<'a>>,
    /// For each turn whether another voice than its label's talks most in it; may be empty.
    pub contradicted: &'a [bool],
    /// The laughter; `None` before it was looked for.
    pub laughs: Option<&'a Laughs>,
    /// Thresholds.
    pub config: &'a TurnsConfig,
}

impl<'a> Relations<'a> {
    /// Turns alone, nothing heard or seen.
    pub fn of(
        interview_id: &'a str,
        turns: &'a [Turn],
        links: &'a BTreeMap<String, SpeakerLink>,
        config: &'a TurnsConfig,
    ) -> Self {
        type Nothing = (Annotation, Acoustics, Faces, BTreeMap<String, String>);
        static NOTHING: std::sync::LazyLock<Nothing> = std::sync::LazyLock::new(Default::default);
        let (annotation, acoustics, faces, roles) = &*NOTHING;
        let (voices, said, face_turns, dropped, contradicted, group) = (&[], &[], &[], &[], &[], None);
        Relations {
            interview_id,
            group,
            roles,
            turns,
            dropped,
            links,
            annotation,
            acoustics,
            voices,
            said,
            faces,
            face_turns,
            bodies: None,
            contradicted,
            laughs: None,
            config,
        }
    }

    /// A speaker's role.
    pub(super) fn role(&self, label: &str) -> Option<&'a str> {
        self.roles.get(label).map(String::as_str)
    }

    /// The turns' speakers, sorted.
    pub(super) fn labels(&self) -> Vec<&'a str> {
        let mut labels: Vec<&str> = self.turns.iter().filter_map(|t| t.speaker.as_deref()).collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    /// The number of each turn's speaker among `labels`.
    pub(super) fn speakers(&self, labels: &[&str]) -> Vec<Option<usize>> {
        self.turns.iter().map(|t| labels.binary_search(&t.speaker.as_deref()?).ok()).collect()
    }

    /// Turns of which voices tell nothing: those whose voice contradicts their label, and the one after each in time,
    /// which is measured from it.
    pub(super) fn in_doubt(&self) -> Vec<bool> {
        let mut order: Vec<usize> = (0..self.turns.len()).collect();
        order.sort_by_key(|&i| (self.turns[i].segment.start(), i));
        let contradicted = |turn: usize| self.contradicted.get(turn).copied().unwrap_or(false);
        let mut doubt: Vec<bool> = (0..self.turns.len()).map(contradicted).collect();
        order.windows(2).filter(|pair| contradicted(pair[0])).for_each(|pair| doubt[pair[1]] = true);
        doubt
    }

    /// A speaker's voice.
    pub(super) fn voice(&self, label: &str) -> Option<&'a str> {
        self.links.get(label)?.voice.as_deref()
    }

    /// A speaker's person on the screen.
    pub(super) fn person(&self, label: &str) -> Option<&'a str> {
        self.links.get(label)?.person.as_deref()
    }
}
