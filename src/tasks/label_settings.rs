//! Where the labels of a task come from and what they are of: the section `[task.labels]` of a task file.

use std::path::PathBuf;

use serde::Deserialize;

use super::ratings::Windows;
use super::rule::AnswerKind;

/// What one instance of a task with labels is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LabelUnit {
    /// A turn: keys `interview_id`, `turn_index`.
    Turn,
    /// One speaker towards another: keys `interview_id`, `source`, `target`, names as in `turns.speaker`.
    Dyad,
    /// A whole interview: key `interview_id`.
    Interview,
    /// A stretch of time of an interview, whose label is the mean of continuous ratings; of a person where they have a
    /// `target`.
    Window,
    /// Two people, of whom the label names the one who is more so: keys `interview_id`, `first`, `second`.
    Pair,
}

impl LabelUnit {
    /// All.
    pub const ALL: [LabelUnit; 5] =
        [LabelUnit::Turn, LabelUnit::Dyad, LabelUnit::Interview, LabelUnit::Window, LabelUnit::Pair];

    /// The unit of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|u| u.name() == name)
    }

    /// As written in task files and tables.
    pub fn name(self) -> &'static str {
        match self {
            LabelUnit::Turn => "turn",
            LabelUnit::Dyad => "dyad",
            LabelUnit::Interview => "interview",
            LabelUnit::Window => "window",
            LabelUnit::Pair => "pair",
        }
    }
}

/// Where the labels of a task are, and what they are.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Labels {
    /// What one instance is about.
    pub unit: LabelUnit,
    /// What kind of answer the label is.
    pub kind: AnswerKind,
    /// CSV or Parquet with the unit's keys and the label; relative to the task file.
    #[serde(default)]
    pub file: Option<PathBuf>,
    /// The file's column with the label.
    #[serde(default = "label_column")]
    pub column: String,
    /// Instead of a file: a text field of the annotations' rows, such as `utterance_type`; the unit is the turn.
    #[serde(default)]
    pub field: Option<String>,
    /// Instead of a file: tiers beside the speech, from the `annotations` of the extracted interviews, by name with `*`
    /// and `?`; the unit is the turn, and the label the value that shares most time with it.
    #[serde(default)]
    pub tier: Option<String>,
    /// Of a tier: the least share of the turn for which its value holds, above 0 to 1; left out: 0.5. Points have no
    /// length, and the value that most of them have is the turn's.
    #[serde(default)]
    pub min_overlap: Option<f64>,
    /// Of a tier: which of its annotations count for a turn.
    #[serde(default)]
    pub whose: Whose,
    /// Of a tier: the label of turns in which no value holds long enough, where only what happens is coded. Left out:
    /// they are no instances.
    #[serde(default)]
    pub without: Option<String>,
    /// The classes, or the levels from lowest to highest. Left out: those that occur, numbers by size and texts by
    /// letter.
    #[serde(default)]
    pub levels: Vec<String>,
    /// The file's column with the group that no fold may part; left out: the folder of the interview's id, else the id.
    #[serde(default)]
    pub group: Option<String>,
    /// The file is of continuous ratings: `interview_id`, `time_secs` from the recording's start, `rater` where there
    /// are several, and of a dyad `source` and `target`; their means over windows are the labels.
    #[serde(default)]
    pub windows: Option<Windows>,
}

/// Which annotations of a tier count for a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Whose {
    /// Those about its speaker, and those about nobody by name.
    #[default]
    Speaker,
    /// All.
    Anyone,
}

fn label_column() -> String {
    "label".into()
}

impl Labels {
    /// What is wrong with what the labels are of, or with where they come from.
    pub(super) fn fault(&self) -> Option<String> {
        if let Some(fault) = self.fault_of_source() {
            return Some(fault);
        }
        if let Some(windows) = &self.windows {
            return windows.fault(self);
        }
        match self.unit {
            LabelUnit::Window => Some(
                "labels: a window has its label from continuous ratings; give their length under [task.labels.windows]"
                    .into(),
            ),
            LabelUnit::Pair if self.kind != AnswerKind::Ranking || !self.levels.is_empty() => {
                Some("labels: of a pair one of the two is named; use kind = \"ranking\" without levels".into())
            }
            LabelUnit::Pair if self.file.is_none() => Some("labels: name the judgements of pairs as `file`".into()),
            _ => None,
        }
    }

    /// What is wrong with where the labels come from.
    fn fault_of_source(&self) -> Option<String> {
        let sources = [self.file.is_some(), self.field.is_some(), self.tier.is_some()];
        let of_tier = self.min_overlap.is_some() || self.without.is_some() || self.whose != Whose::default();
        match sources.iter().filter(|s| **s).count() {
            0 => return Some("labels: name a `file`, an annotation `field` or a `tier`".into()),
            1 => {}
            _ => return Some("labels: several of `file`, `field` and `tier` are given; name one".into()),
        }
        if self.tier.is_none() {
            return of_tier.then(|| "labels: `min_overlap`, `whose` and `without` are of a `tier`".into());
        }
        if self.unit != LabelUnit::Turn {
            return Some("labels: a tier has labels of turns; use unit = \"turn\"".into());
        }
        if self.group.is_some() {
            return Some("labels: `group` is a column of a file".into());
        }
        let share = self.min_overlap.filter(|s| !(*s > 0.0 && *s <= 1.0))?;
        Some(format!("labels: min_overlap = {share}: give a share of the turn above 0 and at most 1"))
    }
}
