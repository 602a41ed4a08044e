//! STP and SSP: whom the therapist supports, and how.

use super::{AnswerKind, Candidates, Metrics, RuleSpec};
use crate::tasks::rescue::{Instance, KnownEmotion, context, id_by_file, instance};
use crate::tasks::settings::Task;
use crate::tasks::target::{candidates, supported};
use crate::transcript::rescue::{COUPLE, FAMILY, GroupMode, Sample};

/// Whom the therapist supports.
pub(super) static TARGET: RuleSpec = RuleSpec {
    name: "stp",
    answer: Some(AnswerKind::Ranking),
    instances: |samples, task| samples.iter().flat_map(|s| targets(s, task)).collect(),
    candidates: Candidates::People,
    metrics: Some(Metrics::OwnCandidates),
    options: &[],
    wording: Some("stp"),
    // Names of people differ from sample to sample: only the kind of target is worth a count.
    counted_as: |one| {
        let is_group = one.label == COUPLE || one.label == FAMILY;
        format!("{} {}", one.group_mode, if is_group { &one.label } else { "one person" })
    },
};

/// How the therapist supports.
pub(super) static STRATEGY: RuleSpec = RuleSpec {
    name: "ssp",
    answer: Some(AnswerKind::Ranking),
    instances: |samples, task| samples.iter().flat_map(|s| strategies(s, task)).collect(),
    candidates: Candidates::SetPerGroupMode,
    metrics: None,
    options: &["known_emotion"],
    wording: Some("ssp"),
    counted_as: |one| format!("{} {}", one.group_mode, one.label),
};

/// The strategies of couple therapy.
const COUPLE_STRATEGIES: [&str; 10] =
    ["counterbalance", "safeguard", "goal_align", "track", "reframe", "evoke", "enact", "join", "detach", "repair"];
/// The strategies of family therapy.
const FAMILY_STRATEGIES: [&str; 8] =
    ["safeguard", "join", "track", "counterbalance", "enact", "boundary", "reframe", "repair"];

/// The closed set of strategies.
pub(in crate::tasks) fn strategy_set(mode: GroupMode) -> &'static [&'static str] {
    match mode {
        GroupMode::Couple => &COUPLE_STRATEGIES,
        GroupMode::Family => &FAMILY_STRATEGIES,
    }
}

/// STP.
fn targets(sample: &Sample, task: &Task) -> Vec<Instance> {
    let all = candidates(sample);
    let mut found = Vec::new();
    for (position, row) in sample.rows.iter().enumerate() {
        let Some((_, target)) = supported(row, sample.group_mode.label()) else { continue };
        let mut candidates = all.clone();
        if !candidates.iter().any(|c| c == target) {
            candidates.push(target.to_owned());
        }
        found.push(Instance {
            label: target.to_owned(),
            candidates,
            context: context(sample, position, task.context_size, false),
            ..instance(sample, position, id_by_file(sample, row))
        });
    }
    found
}

/// SSP.
fn strategies(sample: &Sample, task: &Task) -> Vec<Instance> {
    let set = strategy_set(sample.group_mode);
    let mut found = Vec::new();
    for (position, row) in sample.rows.iter().enumerate() {
        let Some((strategy, target)) = supported(row, sample.group_mode.label()) else { continue };
        if !set.contains(&strategy.strategy_type.as_str()) {
            continue;
        }
        let context = context(sample, position, task.context_size, false);
        let known_emotion =
            if task.known_emotion { last_emotion(sample, position, context.len(), target) } else { None };
        found.push(Instance {
            label: strategy.strategy_type.clone(),
            candidates: set.iter().map(|s| (*s).to_owned()).collect(),
            known_support_target: target.to_owned(),
            known_emotion,
            context,
            ..instance(sample, position, id_by_file(sample, row))
        });
    }
    found
}

/// The target's most recent emotion in the `size` rows before `position`; for the group label that of any participant.
fn last_emotion(sample: &Sample, position: usize, size: usize, target: &str) -> Option<KnownEmotion> {
    let group = target == sample.group_mode.label();
    let is_target =
        |person: &str| if group { sample.participants.iter().any(|p| p == person) } else { person == target };
    sample.rows[position - size..position].iter().rev().find_map(|row| {
        let emotion =
            row.internal_emotion.iter().find(|e| !e.emotion_description.is_empty() && is_target(&e.person))?;
        Some(KnownEmotion {
            row: row.row_index,
            person: emotion.person.clone(),
            emotion: emotion.emotion_description.clone(),
            intensity: emotion.intensity,
        })
    })
}
