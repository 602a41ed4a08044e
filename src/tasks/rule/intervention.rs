//! ITP: after which rows does the therapist speak? Balanced within each sample.

use super::{AnswerKind, Candidates, Reply, ReplyAnswer, RuleSpec};
use crate::tasks::rescue::{Instance, context, instance};
use crate::tasks::sampling::{Single, capped};
use crate::tasks::settings::Task;
use crate::transcript::rescue::{Sample, THERAPIST};

/// Intervention time: does the therapist speak next?
pub(super) static RULE: RuleSpec = RuleSpec {
    name: "itp",
    answer: Some(AnswerKind::Binary),
    instances: |samples, task| samples.iter().flat_map(|s| instances(s, task)).collect(),
    candidates: Candidates::OneSet,
    metrics: None,
    options: &["max_per_class", "definitions"],
    context_size: 3,
    pads_rankings: false,
    paper: &["precision_yes", "recall_yes", "f1_yes"],
    wording: Some("itp"),
    reply: Some(Reply { id: "candidate_id", answer: ReplyAnswer::Decision("should_speak") }),
    shown_id: without_class,
    counted_as: |one| one.label.clone(),
};

/// `…__after_row3` for the benchmark's `…__pos_after_row3`, which tells the answer.
fn without_class(id: &str) -> String {
    let at = ["__pos_after_row", "__neg_after_row"].iter().filter_map(|class| id.rfind(class)).max();
    at.map_or_else(|| id.to_owned(), |at| format!("{}__{}", &id[..at], &id[at + "__pos_".len()..]))
}

/// The sample's decision points, as many yes as no, by row.
fn instances(sample: &Sample, task: &Task) -> Vec<Instance> {
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    for (position, pair) in sample.rows.windows(2).enumerate() {
        if pair[0].primary_speaker != THERAPIST {
            if pair[1].primary_speaker == THERAPIST { yes.push(position) } else { no.push(position) }
        }
    }
    let yes = capped(&yes, task.max_per_class, Single::Middle);
    let no = capped(&no, task.max_per_class, Single::Middle);
    let count = yes.len().min(no.len());
    if count == 0 {
        return Vec::new();
    }
    let mut chosen: Vec<(usize, bool)> = capped(&yes, count, Single::Middle).into_iter().map(|p| (p, true)).collect();
    chosen.extend(capped(&no, count, Single::Middle).into_iter().map(|p| (p, false)));
    chosen.sort_unstable();
    chosen.into_iter().map(|(position, enters)| point(sample, position, enters, task)).collect()
}

fn point(sample: &Sample, position: usize, enters: bool, task: &Task) -> Instance {
    let (row, next) = (&sample.rows[position], &sample.rows[position + 1]);
    let (class, label, boundary) = match enters {
        true => ("pos", "yes", "therapist_entry"),
        false if row.primary_speaker == next.primary_speaker => ("neg", "no", "same_speaker_continuation"),
        false => ("neg", "no", "non_therapist_exchange"),
    };
    Instance {
        label: label.into(),
        boundary,
        candidates: vec!["yes".into(), "no".into()],
        // The decision's own row is one of so many, and there even when none is asked for.
        context: context(
            sample,
            position,
            if task.context_size < 0 { -1 } else { (task.context_size - 1).max(0) },
            true,
        ),
        ..instance(sample, position, format!("{}__{class}_after_row{}", sample.id, row.row_index))
    }
}
