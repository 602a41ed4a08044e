//! VP: what the speaker of a row thinks of others.

use super::rescue::{Instance, Viewpoint, context, id_by_sample, instance, is_client};
use super::sampling::{Single, capped};
use super::settings::Task;
use crate::transcript::rescue::{COUPLE, FAMILY, Row, Sample};

/// Rows with viewpoints of their own speaker, evenly sampled.
pub(super) fn instances(sample: &Sample, task: &Task) -> Vec<Instance> {
    let participants = participants(sample);
    let found: Vec<Instance> = sample
        .rows
        .iter()
        .enumerate()
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
pub(super) fn own_viewpoints(row: &Row) -> Vec<Viewpoint> {
    if !is_client(&row.primary_speaker) {
        return Vec::new();
    }
    row.viewpoints_attitudes
        .iter()
        .filter(|v| v.source == row.primary_speaker && !v.target.is_empty() && !v.viewpoint.is_empty())
        .map(|v| Viewpoint {
            source: v.source.clone(),
            target: v.target.clone(),
            viewpoint: v.viewpoint.clone(),
            attitude: v.attitude.clone(),
        })
        .collect()
}

/// Speakers, targets, viewpoint sources and targets in order of appearance, without the group labels; the therapist stays.
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
