//! RPP: the relation state of a turn from the rows before it. The closed set is the taxonomy that the task file names,
//! else the labels seen, one for each group mode.

use std::collections::{BTreeMap, BTreeSet};

use super::{AnswerKind, Candidates, Reply, ReplyAnswer, RuleSpec};
use crate::tasks::rescue::{Instance, context, id_by_file, instance};
use crate::tasks::settings::Task;
use crate::transcript::rescue::{GroupMode, Row, Sample, THERAPIST};

/// Relation pattern of a turn.
pub(super) static RULE: RuleSpec = RuleSpec {
    name: "rpp",
    answer: Some(AnswerKind::Ranking),
    instances,
    candidates: Candidates::SetPerGroupMode,
    metrics: None,
    options: &["any_speaker", "include_current", "taxonomy", "definitions"],
    context_size: -1,
    pads_rankings: true,
    paper: &["recall_at_1"],
    wording: Some("rpp"),
    reply: Some(Reply { id: "turn_id", answer: ReplyAnswer::Top("relation_top3") }),
    shown_id: str::to_owned,
    counted_as: |one| format!("{} {}", one.group_mode, one.label),
};

/// Instances of both group modes, in the samples' order.
fn instances(samples: &[Sample], task: &Task) -> Vec<Instance> {
    let counts =
        |row: &&Row| !row.relation_cycle_state.is_empty() && (task.any_speaker || row.primary_speaker == THERAPIST);
    let mut states: BTreeMap<GroupMode, BTreeSet<&str>> = BTreeMap::new();
    for sample in samples {
        let own = sample.rows.iter().filter(counts).map(|r| r.relation_cycle_state.as_str());
        states.entry(sample.group_mode).or_default().extend(own);
    }
    let mut found = Vec::new();
    for sample in samples {
        let named = task.taxonomy.of(sample.group_mode);
        let seen = || states[&sample.group_mode].iter().map(|s| (*s).to_owned()).collect();
        let candidates: Vec<String> = if named.is_empty() { seen() } else { named.to_vec() };
        for (position, row) in sample.rows.iter().enumerate().filter(|(_, r)| counts(r)) {
            found.push(Instance {
                label: row.relation_cycle_state.clone(),
                candidates: candidates.clone(),
                closed_set: if named.is_empty() { "labels_seen" } else { "task_file" },
                context: context(sample, position, task.context_size, task.include_current),
                ..instance(sample, position, id_by_file(sample, row))
            });
        }
    }
    found
}
