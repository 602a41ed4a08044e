//! ER: what the speaker of a row feels, and how strongly.

use super::{AnswerKind, Candidates, Metrics, Reply, ReplyAnswer, RuleSpec};
use crate::tasks::choices::DialogueWords;
use crate::tasks::rescue::{Instance, context, id_by_sample, instance, is_client};
use crate::tasks::sampling::{Single, capped};
use crate::tasks::settings::Task;
use crate::transcript::rescue::{Row, Sample};

/// What the speaker feels.
pub(super) static RULE: RuleSpec = RuleSpec {
    name: "er",
    answer: Some(AnswerKind::Ordinal),
    instances: |samples, task| samples.iter().flat_map(|s| instances(s, task)).collect(),
    candidates: Candidates::OneSet,
    metrics: Some(Metrics::Intensity),
    options: &["max_per_sample", "min_dialogue_words", "dialogue_words"],
    context_size: 3,
    pads_rankings: false,
    paper: &["intensity_match"],
    wording: Some("er"),
    reply: Some(Reply {
        id: "checkpoint_id",
        answer: ReplyAnswer::Felt("predicted_internal_emotion", "predicted_intensity_score"),
    }),
    shown_id: str::to_owned,
    counted_as: |one| one.intensity.map_or_else(String::new, |i| format!("intensity {i:2}")),
};

/// Rows after the first 30 % with an emotion of their own speaker, evenly sampled.
fn instances(sample: &Sample, task: &Task) -> Vec<Instance> {
    let n = sample.rows.len();
    let skipped = n.saturating_sub(1).min((3 * n).div_ceil(10));
    let found: Vec<Instance> = sample
        .rows
        .iter()
        .enumerate()
        .skip(skipped)
        .filter(|(_, row)| task.dialogue_words.count(&row.dialogue_cleaned) >= task.min_dialogue_words)
        .filter(|(_, row)| task.has_clip(&sample.id, row.row_index))
        .filter_map(|(position, row)| {
            let (emotion, intensity) = own_emotion(row)?;
            Some(Instance {
                label: emotion.to_owned(),
                intensity: Some(intensity),
                context: context(sample, position, task.context_size, true),
                ..instance(sample, position, id_by_sample(sample, row))
            })
        })
        .collect();
    capped(&found, task.max_per_sample, Single::First)
}

/// The first emotion of the row's speaker with text and an intensity that rounds (half to even) to 0-10.
fn own_emotion(row: &Row) -> Option<(&str, i64)> {
    if !is_client(&row.primary_speaker) {
        return None;
    }
    row.internal_emotion
        .iter()
        .filter(|e| e.person == row.primary_speaker && !e.emotion_description.is_empty())
        .find_map(|e| {
            let rounded = e.intensity?.round_ties_even();
            (0.0..=10.0).contains(&rounded).then_some((e.emotion_description.as_str(), rounded as i64))
        })
}

/// Rows of a sample that have too few words for the benchmark's scripts, and enough in any script: what `check` tells.
pub(in crate::tasks) fn words_elsewhere(sample: &Sample, fewest: usize) -> usize {
    let counts = |row: &&Row| {
        own_emotion(row).is_some()
            && DialogueWords::Ascii.count(&row.dialogue_cleaned) < fewest
            && DialogueWords::AnyScript.count(&row.dialogue_cleaned) >= fewest
    };
    sample.rows.iter().filter(counts).count()
}
