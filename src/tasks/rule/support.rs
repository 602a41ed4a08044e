//! STP and SSP: whom the therapist supports, and how.

use super::{AnswerKind, Candidates, Metrics, Reply, ReplyAnswer, RuleSpec};
use crate::tasks::rescue::{Instance, KnownEmotion, context, id_by_file, instance};
use crate::tasks::settings::Task;
use crate::tasks::target::{candidates, supported};
use crate::transcript::rescue::{COUPLE, Emotion, FAMILY, GroupMode, Row, Sample};

/// Whom the therapist supports.
pub(super) static TARGET: RuleSpec = RuleSpec {
    name: "stp",
    answer: Some(AnswerKind::Ranking),
    instances: |samples, task| samples.iter().flat_map(|s| targets(s, task)).collect(),
    candidates: Candidates::People,
    metrics: Some(Metrics::OwnCandidates),
    options: &[],
    context_size: 3,
    pads_rankings: false,
    paper: &["recall_at_1", "mrr"],
    wording: Some("stp"),
    reply: Some(Reply { id: "turn_id", answer: ReplyAnswer::Top("target_top3") }),
    shown_id: str::to_owned,
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
    options: &["known_emotion", "definitions"],
    context_size: 3,
    pads_rankings: false,
    paper: &["recall_at_1", "mrr"],
    wording: Some("ssp"),
    reply: Some(Reply { id: "turn_id", answer: ReplyAnswer::Top("strategy_top3") }),
    shown_id: str::to_owned,
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
        if !task.has_any_clip(&sample.id, &context) {
            continue;
        }
        let known_emotions =
            if task.known_emotion { last_emotions(sample, position, context.len(), target) } else { Vec::new() };
        found.push(Instance {
            label: strategy.strategy_type.clone(),
            candidates: set.iter().map(|s| (*s).to_owned()).collect(),
            known_support_target: target.to_owned(),
            known_emotions,
            context,
            ..instance(sample, position, id_by_file(sample, row))
        });
    }
    found
}

/// All emotions of the target in the last of the `size` rows before `position` that has one; for the group label those
/// of any participant. An emotion of nobody is its row's speaker's.
fn last_emotions(sample: &Sample, position: usize, size: usize, target: &str) -> Vec<KnownEmotion> {
    let group = target == sample.group_mode.label();
    let is_target =
        |person: &str| if group { sample.participants.iter().any(|p| p == person) } else { person == target };
    let felt = |row: &Row| -> Vec<KnownEmotion> {
        let whose = |e: &Emotion| if e.person.is_empty() { row.primary_speaker.clone() } else { e.person.clone() };
        let all = row.internal_emotion.iter().filter(|e| !e.emotion_description.is_empty() && is_target(&whose(e)));
        let known = |e: &Emotion| KnownEmotion {
            row: row.row_index,
            person: whose(e),
            emotion: e.emotion_description.clone(),
            intensity: e.intensity.map(f64::round_ties_even),
        };
        all.map(known).collect()
    };
    sample.rows[position - size..position].iter().rev().map(felt).find(|all| !all.is_empty()).unwrap_or_default()
}
