//! The rules that make a task's instances, each declared once: what its answers are, how instances are made, how they
//! are measured and what is asked. A new rule is a file in this folder and a line in [`RULES`], with its question among
//! the data.

mod emotion;
mod intervention;
mod relation;
mod reply;
mod support;
mod viewpoint;

use serde::{Deserialize, Deserializer};

use super::rescue::Instance;
use super::settings::Task;
use crate::spelling::meant;
use crate::transcript::rescue::Sample;

pub(super) use emotion::words_elsewhere;
pub use reply::{Reply, ReplyAnswer};
pub(super) use support::strategy_set;

/// The benchmark's rules, in the order of reports.
pub static RULES: [&RuleSpec; 6] =
    [&intervention::RULE, &relation::RULE, &support::TARGET, &support::STRATEGY, &emotion::RULE, &viewpoint::RULE];

/// Of labels of one's own: no rule of the benchmark's.
const OF_LABELS: RuleSpec = RuleSpec {
    name: "labels",
    answer: None,
    instances: |_, _| Vec::new(),
    candidates: Candidates::OneSet,
    metrics: None,
    options: &["include_current", "definitions"],
    context_size: -1,
    pads_rankings: false,
    paper: &[],
    wording: None,
    reply: None,
    shown_id: str::to_owned,
    counted_as: |one| one.label.clone(),
};

/// No rule of the benchmark's: the instances are the labels of a table or of an annotation field, see
/// [`super::Labels`].
pub static LABELS: RuleSpec = OF_LABELS;

/// Of two people the one whom a label names: the candidates are these two.
pub static PAIRS: RuleSpec = RuleSpec {
    name: "pairs",
    candidates: Candidates::People,
    metrics: Some(Metrics::OwnCandidates),
    options: &[],
    ..OF_LABELS
};

/// One rule.
pub struct RuleSpec {
    /// As in task files and tables.
    pub name: &'static str,
    /// The kind of answer; `None` = the task's labels tell.
    pub answer: Option<AnswerKind>,
    /// The instances over all samples, in the samples' order and by row within each.
    pub instances: fn(&[Sample], &Task) -> Vec<Instance>,
    /// The sets that answers are taken from.
    pub candidates: Candidates,
    /// What its answers are measured by; `None` = what the kind of answer is measured by.
    pub metrics: Option<Metrics>,
    /// Keys of a task that this rule reads beside those that all rules read.
    pub options: &'static [&'static str],
    /// Rows of context where a task says nothing else: what the benchmark's commands take.
    pub context_size: i64,
    /// A ranking of fewer than three is filled up with the closed set, in its order, as the benchmark's scripts do.
    pub pads_rankings: bool,
    /// The metrics that the benchmark's paper gives for it.
    pub paper: &'static [&'static str],
    /// Key of its question in `data/questions.toml`; `None` = the question of the unit that the labels are of.
    pub wording: Option<&'static str>,
    /// How the benchmark's scripts name a reply to it; `None` = it is none of theirs.
    pub reply: Option<Reply>,
    /// The instance's id as it is shown to those who are asked, where the benchmark's own tells the answer.
    pub shown_id: fn(&str) -> String,
    /// What an instance counts as where an annotation set is checked.
    pub counted_as: fn(&Instance) -> String,
}

impl RuleSpec {
    /// Every rule: the benchmark's, and those of labels of one's own.
    pub fn all() -> impl Iterator<Item = &'static RuleSpec> {
        RULES.into_iter().chain([&LABELS, &PAIRS])
    }

    /// The rule of that name.
    pub fn named(name: &str) -> Option<&'static RuleSpec> {
        RuleSpec::all().find(|r| r.name == name)
    }

    /// What answers of this kind to this rule are measured by.
    pub fn metrics(&self, kind: AnswerKind) -> Metrics {
        self.metrics.unwrap_or_else(|| kind.metrics())
    }
}

impl std::fmt::Debug for RuleSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RuleSpec({})", self.name)
    }
}

/// Names are unique.
impl PartialEq for RuleSpec {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// The rules whose instances the benchmark releases as files of their own: of emotions and of viewpoints.
pub fn released_rules() -> [&'static RuleSpec; 2] {
    [&emotion::RULE, &viewpoint::RULE]
}

/// A rule by its name in a task file.
pub(super) fn by_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static RuleSpec, D::Error> {
    let name = String::deserialize(deserializer)?;
    RuleSpec::named(&name).ok_or_else(|| {
        let known: Vec<&str> = RULES.iter().map(|r| r.name).collect();
        serde::de::Error::custom(format!(
            "no rule {name:?}{}; there are {}",
            meant(&name, known.iter().copied()),
            known.join(", ")
        ))
    })
}

/// What kind of answer a label is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerKind {
    /// One of two classes.
    Binary,
    /// One of several classes.
    Multiclass,
    /// A class again, but the answer is a ranking of them.
    Ranking,
    /// A level of an ordered set.
    Ordinal,
    /// A number.
    Regression,
    /// Free text.
    Text,
}

impl AnswerKind {
    /// All.
    pub const ALL: [AnswerKind; 6] = [
        AnswerKind::Binary,
        AnswerKind::Multiclass,
        AnswerKind::Ranking,
        AnswerKind::Ordinal,
        AnswerKind::Regression,
        AnswerKind::Text,
    ];

    /// As written in task files and tables.
    pub fn name(self) -> &'static str {
        match self {
            AnswerKind::Binary => "binary",
            AnswerKind::Multiclass => "multiclass",
            AnswerKind::Ranking => "ranking",
            AnswerKind::Ordinal => "ordinal",
            AnswerKind::Regression => "regression",
            AnswerKind::Text => "text",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.name() == name)
    }

    /// What answers of this kind are measured by where the rule says nothing else.
    fn metrics(self) -> Metrics {
        match self {
            AnswerKind::Binary | AnswerKind::Multiclass => Metrics::Classes,
            AnswerKind::Ranking => Metrics::Ranking,
            AnswerKind::Ordinal => Metrics::Levels,
            AnswerKind::Regression => Metrics::Number,
            AnswerKind::Text => Metrics::JudgedElsewhere,
        }
    }
}

/// The sets that answers are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Candidates {
    /// One set for all instances, or none.
    OneSet,
    /// Couples and families have a set each, and are asked and measured apart.
    SetPerGroupMode,
    /// People: each instance has its own.
    People,
}

/// What answers are measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metrics {
    /// Precision, recall and F1 of each class, and the accuracies.
    Classes,
    /// Recall at ranks, mean reciprocal rank, macro precision, recall and F1 of the first.
    Ranking,
    /// Recall at ranks and mean reciprocal rank among each instance's own candidates.
    OwnCandidates,
    /// Quadratic weighted kappa, mean absolute error, accuracy.
    Levels,
    /// Levels 0 to 10 and the benchmark's intensity match.
    Intensity,
    /// Errors, R², Pearson's r.
    Number,
    /// The benchmark's score of pairs, and precision, recall and F1 over all pairs.
    Pairs,
    /// Free text: no number here tells how good it is.
    JudgedElsewhere,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_name_of_its_own_and_is_found_by_it() {
        for rule in RuleSpec::all() {
            assert_eq!(RuleSpec::named(rule.name), Some(rule), "{}", rule.name);
            assert_eq!(
                RULES.iter().filter(|r| r.name == rule.name).count(),
                usize::from(![&LABELS, &PAIRS].contains(&rule)),
                "{}",
                rule.name
            );
        }
        assert_eq!(RuleSpec::named(""), None);
        assert!(AnswerKind::ALL.into_iter().all(|k| AnswerKind::from_name(k.name()) == Some(k)));
    }
}
