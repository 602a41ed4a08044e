//! VP: what the speaker of a row thinks of others.

use super::{AnswerKind, Candidates, Metrics, Reply, ReplyAnswer, RuleSpec};
use crate::tasks::rescue::{GoldViewpoint, Instance, context, id_by_sample, instance, is_client};
use crate::tasks::sampling::{Single, capped};
use crate::tasks::settings::Task;
use crate::transcript::rescue::{COUPLE, FAMILY, Row, Sample};

/// What the speaker thinks of others. The texts are judged elsewhere, the pairs are in `label_viewpoints`.
pub(super) static RULE: RuleSpec = RuleSpec {
    name: "vp",
    answer: Some(AnswerKind::Text),
    instances: |samples, task| samples.iter().flat_map(|s| instances(s, task)).collect(),
    candidates: Candidates::People,
    metrics: Some(Metrics::Pairs),
    options: &["max_per_sample"],
    context_size: 3,
    pads_rankings: false,
    paper: &["pairs_score"],
    wording: Some("vp"),
    reply: Some(Reply { id: "checkpoint_id", answer: ReplyAnswer::Views("predicted_viewpoints") }),
    shown_id: str::to_owned,
    counted_as: |one| format!("{} viewpoints", one.viewpoints.len()),
};

/// Rows with viewpoints of their own speaker, evenly sampled.
fn instances(sample: &Sample, task: &Task) -> Vec<Instance> {
    let participants = participants(sample);
    let found: Vec<Instance> = sample
        .rows
        .iter()
        .enumerate()
        .filter(|(_, row)| task.has_clip(&sample.id, row.row_index))
        .filter_map(|(position, row)| {
            let viewpoints = own_viewpoints(row);
            (!viewpoints.is_empty()).then(|| Instance {
                viewpoints,
                candidates: participants.clone(),
                // Here a size below 1 means no row before.
                context: context(sample, position, task.context_size.max(0), true),
                ..instance(sample, position, id_by_sample(sample, row))
            })
        })
        .collect();
    capped(&found, task.max_per_sample, Single::First)
}

/// The row's viewpoints whose source is its speaker, a client.
fn own_viewpoints(row: &Row) -> Vec<GoldViewpoint> {
    if !is_client(&row.primary_speaker) {
        return Vec::new();
    }
    row.viewpoints_attitudes
        .iter()
        .filter(|v| v.source == row.primary_speaker && !v.target.is_empty() && !v.viewpoint.is_empty())
        .map(|v| GoldViewpoint {
            source: v.source.clone(),
            target: v.target.clone(),
            viewpoint: v.viewpoint.clone(),
            attitude: v.attitude.clone(),
        })
        .collect()
}

/// Speakers, targets, viewpoint sources and targets in order of appearance, without the group labels; the therapist
/// stays.
fn participants(sample: &Sample) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for row in &sample.rows {
        let held = row.viewpoints_attitudes.iter().flat_map(|v| [&v.source, &v.target]);
        for name in std::iter::once(&row.primary_speaker).chain(&row.target).chain(held) {
            if !name.is_empty() && name != COUPLE && name != FAMILY && !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    names
}
