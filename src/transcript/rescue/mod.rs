//! RESCUE-bench samples: rows with every evidence and label field, typed, as the benchmark publishes them.
//!
//! Two shapes hold the same thing: one JSON file a sample, and one JSONL file with a sample a line. Names, labels and
//! texts are trimmed on reading. Label fields ([`Row::internal_emotion`], [`Row::viewpoints_attitudes`],
//! [`Row::support_strategy`], the relation fields) are read for the task tables only and never become features.

use std::collections::BTreeMap;

use crate::time::Segment;

mod files;
mod left;
mod parse;

pub(super) use files::stem;
pub use files::{is_one_a_line, read_samples, read_samples_leniently, sample_files};
pub(super) use parse::{EXAMPLE, Lines, fits, lines, read_into};

/// The name under which the therapist speaks; never a participant.
pub const THERAPIST: &str = "Therapist";
/// The label of both clients together.
pub const COUPLE: &str = "Couple";
/// The label of all clients together in family sessions.
pub const FAMILY: &str = "Family";

/// Whether a sample is of couple or of family therapy; decides label sets and the group label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupMode {
    /// Two clients; group label `Couple`.
    Couple,
    /// More clients; group label `Family`.
    Family,
}

impl GroupMode {
    /// `couple` or `family`.
    pub fn name(self) -> &'static str {
        match self {
            GroupMode::Couple => "couple",
            GroupMode::Family => "family",
        }
    }

    /// `Couple` or `Family`: the label that stands for several targets.
    pub fn label(self) -> &'static str {
        match self {
            GroupMode::Couple => COUPLE,
            GroupMode::Family => FAMILY,
        }
    }
}

/// One interview of the benchmark.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The file's path relative to the data root without `.json`, with `/` between folders; where a file holds several
    /// samples, the `sample_id` of each.
    pub id: String,
    /// `scenario` as written (`couple`, `family`); empty where absent. [`Sample::group_mode`] does not follow it.
    pub scenario: String,
    /// Couple or family by the benchmark's rule: the id lies in a folder `family_therapy`, or a row names `Family`.
    pub group_mode: GroupMode,
    /// Those whom the rows name: never the therapist or a group label.
    pub participants: Vec<String>,
    /// `participants` as written, which only the check looks at; empty where absent.
    pub named_participants: Vec<String>,
    /// `source_file` as written; empty where absent.
    pub source_file: String,
    /// The id is what the file says, as it holds several samples.
    pub id_from_content: bool,
    /// What the file says of ids and indices that is not what counts, in words.
    pub unread: Vec<String>,
    /// In file order, `row_index` strictly increasing; it skips rows that could not be used.
    pub rows: Vec<Row>,
}

impl Sample {
    /// Role by speaker: the therapist, and everybody else who has a name, a client.
    pub fn roles(&self) -> BTreeMap<String, String> {
        let speakers = self.rows.iter().map(|r| r.primary_speaker.as_str());
        let named = speakers.filter(|s| !s.is_empty() && ![COUPLE, FAMILY].contains(s));
        let role = |s: &str| if s == THERAPIST { "therapist" } else { "client" };
        named.map(|s| (s.to_owned(), role(s).to_owned())).collect()
    }
}

/// One turn with what annotators saw and labelled. Strings are trimmed and empty where absent; lists empty where
/// absent.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// 1-based position in the file's `rows`.
    pub row_index: u32,
    /// Seconds from the start of the sample's own clip.
    pub segment: Segment,
    /// A name or `Therapist`.
    pub primary_speaker: String,
    /// Names, `Therapist`, `Couple`, `Family`; empty items dropped.
    pub target: Vec<String>,
    /// The words said.
    pub dialogue_cleaned: String,
    /// disclosure, accusation, defense, …
    pub utterance_type: String,
    /// Speech of others inside the turn, without times.
    pub background_dialogue: Vec<BackgroundDialogue>,
    /// Audio cue in words.
    pub tone_of_voice: String,
    /// Visual cue in words.
    pub body_posture: Vec<Description>,
    /// Visual cue in words.
    pub facial_expressions: Vec<Description>,
    /// Visual cue in words.
    pub self_directed_behavior: Vec<Description>,
    /// Visual cue in words.
    pub interaction_behavior: Vec<Interaction>,
    /// Label (ER).
    pub internal_emotion: Vec<Emotion>,
    /// Label (VP).
    pub viewpoints_attitudes: Vec<Viewpoint>,
    /// Label (STP, SSP).
    pub support_strategy: Vec<Strategy>,
    /// Label (RPP), on therapist rows.
    pub relation_cycle_state: String,
    /// Label.
    pub relation_cycle_reason: String,
    /// Label: row indices.
    pub relation_cycle_evidence_rows: Vec<i64>,
    /// Label, on other rows.
    pub relation_pattern: String,
    /// Label.
    pub relation_pattern_reason: String,
    /// Label: row indices.
    pub relation_pattern_evidence_rows: Vec<i64>,
}

/// Speech of somebody else inside a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct BackgroundDialogue {
    /// Who spoke.
    pub speaker: String,
    /// To whom.
    pub target: Vec<String>,
    /// The words.
    pub content: String,
}

/// What was seen on a person. A plain string in the file has an empty `person`.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Whom it is about; empty where not told.
    pub person: String,
    /// In words.
    pub description: String,
}

/// What one did to others. A plain string in the file has an empty `initiator`.
#[derive(Clone, Debug, PartialEq)]
pub struct Interaction {
    /// Who did it; empty where not told.
    pub initiator: String,
    /// To whom.
    pub target: Vec<String>,
    /// In words.
    pub description: String,
}

/// Label: what a person feels.
#[derive(Clone, Debug, PartialEq)]
pub struct Emotion {
    /// Who feels it.
    pub person: String,
    /// In words.
    pub emotion_description: String,
    /// 1 to 10 as written, unrounded; `None` where absent or not a number.
    pub intensity: Option<f64>,
}

/// Label: what one thinks of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Viewpoint {
    /// Who holds it.
    pub source: String,
    /// About whom.
    pub target: String,
    /// In words.
    pub viewpoint: String,
    /// In words.
    pub attitude: String,
}

/// Label: how the therapist supports.
#[derive(Clone, Debug, PartialEq)]
pub struct Strategy {
    /// Who supports.
    pub provider: String,
    /// Whom.
    pub target: Vec<String>,
    /// counterbalance, safeguard, …
    pub strategy_type: String,
    /// In words.
    pub strategy_content: String,
}

#[cfg(test)]
pub(super) mod tests;
