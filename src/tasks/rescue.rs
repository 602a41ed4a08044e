//! Instances of the six tasks, by the benchmark's rules.

use serde::Serialize;

use super::settings::Task;
use crate::transcript::rescue::{COUPLE, FAMILY, Row, Sample, THERAPIST};

/// Something to be predicted. Empty text and `None` = the task has no such thing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Instance {
    /// The benchmark's instance id.
    pub id: String,
    /// The sample it is of.
    pub sample_id: String,
    /// `couple` or `family`.
    pub group_mode: &'static str,
    /// The couple or family, which no fold may part: the folder of the sample id, else the id.
    pub split_group: String,
    /// `row_index` of the instance's row.
    pub row: u32,
    /// yes or no, relation state, target, strategy type or emotion text.
    pub label: String,
    /// ER: 0 to 10.
    pub intensity: Option<i64>,
    /// VP: what is to be found.
    pub viewpoints: Vec<GoldViewpoint>,
    /// ITP: what kind of boundary it is.
    pub boundary: &'static str,
    /// The closed set the answer is in; VP: the participants.
    pub candidates: Vec<String>,
    /// RPP: where that set is from, `task_file` or `labels_seen`.
    pub closed_set: &'static str,
    /// SSP: whom the therapist supports.
    pub known_support_target: String,
    /// SSP, by option: all that the target felt in the last row that tells it.
    pub known_emotions: Vec<KnownEmotion>,
    /// `row_index` of the rows that may be looked at, in order; nothing after the last one is known.
    pub context: Vec<u32>,
}

/// What somebody felt in a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KnownEmotion {
    /// `row_index`.
    pub row: u32,
    /// Who.
    pub person: String,
    /// In words.
    pub emotion: String,
    /// Rounded, half to even.
    pub intensity: Option<f64>,
}

/// What one thinks of another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GoldViewpoint {
    /// The speaker.
    pub source: String,
    /// About whom.
    pub target: String,
    /// In words.
    pub viewpoint: String,
    /// In words.
    pub attitude: String,
}

/// The instances of one task over all samples, in the samples' order and by row within each.
pub fn instances(samples: &[Sample], task: &Task) -> Vec<Instance> {
    (task.rule.instances)(samples, task)
}

/// A speaker with a name.
pub(super) fn is_client(name: &str) -> bool {
    !name.is_empty() && ![THERAPIST, COUPLE, FAMILY].contains(&name)
}

/// What every instance of the row at `position` has.
pub(super) fn instance(sample: &Sample, position: usize, id: String) -> Instance {
    Instance {
        id,
        sample_id: sample.id.clone(),
        group_mode: sample.group_mode.name(),
        split_group: group_of(&sample.id).to_owned(),
        row: sample.rows[position].row_index,
        ..Instance::default()
    }
}

/// The folder of an id, else the id.
pub fn group_of(id: &str) -> &str {
    id.rsplit_once('/').map_or(id, |(folder, _)| folder)
}

/// `{sample_id}__row{r}`.
pub(super) fn id_by_sample(sample: &Sample, row: &Row) -> String {
    format!("{}__row{}", sample.id, row.row_index)
}

/// `{file stem}__row{r}`: the end of the id, which is the file's place.
pub(super) fn id_by_file(sample: &Sample, row: &Row) -> String {
    let stem = sample.id.rsplit('/').next().unwrap_or_default();
    format!("{stem}__row{}", row.row_index)
}

/// The `size` rows before `position` (-1 = all), then the row itself where `own`.
pub(super) fn context(sample: &Sample, position: usize, size: i64, own: bool) -> Vec<u32> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let end = if own { position + 1 } else { position };
    sample.rows[position.saturating_sub(size)..end].iter().map(|r| r.row_index).collect()
}
