//! `turnwise tasks`: from a task file, annotations and the tables of an output folder to one table for each task.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::clips::Clips;
use super::coded;
use super::evidence::Evidence;
use super::features::{FeatureSet, FeatureTable, SampleFeatures};
use super::labelled::{InterviewTables, labelled_table};
use super::labels::{LabelTable, field_labels, read_labels};
use super::ratings::rating_labels;
use super::rescue::{Instance, instances};
use super::selection::Selection;
use super::settings::{Labels, Task, read_tasks};
use super::table::task_table;
use super::tier_labels::tier_labels;
use crate::error::{Error, Result};
use crate::store::Writer;
use crate::store::agreement::{AnnotatedRow, agree};
use crate::store::finished::{own_tables, refuse_mixed, tell_unfinished};
use crate::store::parquet::FileMetadata;
use crate::store::paths::table_path_in;
use crate::store::provenance::Makings;
use crate::store::read::{StoredSchema, StoredTable, read_columns, read_metadata};
use crate::table::Table;
use crate::transcript::rescue::{Row, Sample, read_samples, read_samples_leniently};

/// Interviews without tables that are told by name.
const NAMED: usize = 5;

/// What task tables are made from.
#[derive(Clone, Copy, Debug)]
pub struct TaskRequest<'a> {
    /// The folder that `extract` wrote; the tables go to its subfolder `tasks`.
    pub out: &'a Path,
    /// The task file.
    pub tasks: &'a Path,
    /// Samples of the benchmark's; tasks with a table of labels need none.
    pub annotations: Option<&'a Path>,
    /// Which of the samples.
    pub selection: &'a Selection,
    /// The folder that row clips were exported to, for tasks that show rows as clips.
    pub clips: Option<&'a Path>,
    /// Pass over rows of the annotations that are wrong, and tell them.
    pub lenient: bool,
    /// Go on where interviews were made by different recipes, models or versions.
    pub mixed: bool,
    /// Writes the tables.
    pub writer: Writer,
}

/// Footers of the tables that an interview has, by its id; empty where it has none.
type Footers = BTreeMap<String, Vec<StoredSchema>>;

/// A task, and the interviews it is of.
struct Work {
    task: Task,
    /// Where the instances are labels of a table or a field.
    labels: Option<LabelTable>,
    interviews: Vec<String>,
}

/// Writes the task tables; tells how many instances each has. Nothing is written before all tasks are known to be
/// sound: none mixes recipes unasked, none has a feature that leaks.
///
/// # Errors
/// [`Error::Read`], [`Error::Parse`] or [`Error::Recipe`] for the task file, annotations or labels; [`Error::Usage`]
/// for annotations other than those extracted, a leak, or interviews made in several ways; [`Error::Write`] for a
/// table.
pub fn write_task_tables(request: &TaskRequest<'_>) -> Result<String> {
    let mut tasks = read_tasks(request.tasks)?;
    let samples = request.selection.apply(samples(request)?)?;
    set_clips(&mut tasks, &samples, request.clips)?;
    let needs_annotations = |t: &&Task| t.labels.as_ref().is_none_or(|l| l.field.is_some());
    if let Some(task) = tasks.iter().find(needs_annotations).filter(|_| request.annotations.is_none()) {
        let what = format!("task {} is made from annotations, and none are given", task.name);
        return Err(Error::Usage { what, hint: "name them with --annotations".into() });
    }
    samples.iter().try_for_each(|sample| agrees(sample, request.out))?;
    let all: Vec<Work> = tasks.into_iter().map(|task| Work::new(task, &samples, request.out)).collect::<Result<_>>()?;
    let footers = footers(request.out, &all)?;
    let metadata: Vec<FileMetadata> =
        all.iter().map(|work| made(work, &footers, request.mixed)).collect::<Result<_>>()?;
    let sets: Vec<FeatureSet> = all.iter().map(|work| features(request.out, work, &footers)).collect::<Result<_>>()?;
    all.iter().try_for_each(|work| request.writer.check(&path_of(request, &work.task)?))?;
    let mut report = String::new();
    let mut values = Values::new(request.out);
    for ((work, set), metadata) in all.iter().zip(&sets).zip(&metadata) {
        let (table, with_tables) = match (&work.task.labels, &work.labels) {
            (Some(spec), Some(labels)) => labelled(request.out, work, (spec, labels), set)?,
            _ => by_rule(&work.task, &samples, set, values.of(&work.interviews, set)?)?,
        };
        let path = path_of(request, &work.task)?;
        request.writer.write(&path, &table, metadata)?;
        let (path, rows, of, features) = (path.display(), table.rows(), work.interviews.len(), set.len());
        // Writing into a String cannot fail.
        let _ = writeln!(
            report,
            "{path}: {rows} instances, {with_tables} of {of} interviews with tables, {features} features"
        );
        for told in work.labels.iter().flat_map(|l| &l.told) {
            let _ = writeln!(report, "{told}");
        }
    }
    Ok(report)
}

/// Lets tasks that show rows as clips know which rows have one.
fn set_clips(tasks: &mut [Task], samples: &[Sample], folder: Option<&Path>) -> Result<()> {
    let shown = |t: &&mut Task| t.evidence == Evidence::TurnVideoAudio;
    let clips = match folder {
        Some(folder) => Some(Clips::read(folder, samples.iter().map(|s| s.id.as_str()))?),
        None => None,
    };
    for task in tasks.iter_mut().filter(shown) {
        if clips.is_none() {
            let why = "rows without a clip are not left out; name the folder of the clips with --clips";
            tracing::warn!("task {}: it shows rows as clips, and nobody says which have one: {why}", task.name);
        }
        task.clips.clone_from(&clips);
    }
    Ok(())
}

fn path_of(request: &TaskRequest<'_>, task: &Task) -> Result<PathBuf> {
    table_path_in(request.writer.format(), request.out, "tasks", &task.name)
}

fn samples(request: &TaskRequest<'_>) -> Result<Vec<Sample>> {
    match request.annotations {
        Some(path) if request.lenient => {
            let (samples, dropped) = read_samples_leniently(path)?;
            dropped.iter().for_each(|d| tracing::warn!("{d}"));
            Ok(samples)
        }
        Some(path) => read_samples(path),
        None => Ok(Vec::new()),
    }
}

impl Work {
    fn new(task: Task, samples: &[Sample], out: &Path) -> Result<Self> {
        let labels = match &task.labels {
            Some(labels) if labels.field.is_some() => Some(field_labels(&task, labels, samples)?),
            Some(labels) if labels.tier.is_some() => Some(tier_labels(&task, labels, out)?),
            Some(labels) => Some(match &labels.windows {
                Some(windows) => rating_labels(&task, labels, windows, out)?,
                None => read_labels(&task, labels)?,
            }),
            None => None,
        };
        let interviews = match &labels {
            Some(labels) => labels.interviews().into_iter().map(ToOwned::to_owned).collect(),
            None => samples.iter().map(|s| s.id.clone()).collect(),
        };
        Ok(Work { task, labels, interviews })
    }
}

/// The rows of a sample are the turns that were extracted.
fn agrees(sample: &Sample, out: &Path) -> Result<()> {
    let row = |r: &Row| AnnotatedRow {
        index: r.row_index,
        speaker: r.primary_speaker.clone(),
        span: Some((r.segment.start().get(), r.segment.end().get())),
    };
    agree(&sample.id, &sample.rows.iter().map(row).collect::<Vec<_>>(), out)
}

/// The footers of all interviews' tables; tells of interviews that have none.
fn footers(out: &Path, all: &[Work]) -> Result<Footers> {
    let mut footers = Footers::new();
    let coded = all.iter().any(|work| work.task.features.iter().any(|f| f.starts_with("annotations.")));
    for id in all.iter().flat_map(|work| &work.interviews) {
        if !footers.contains_key(id) {
            tell_unfinished(out, id)?;
            let tables = own_tables(out, id, &names())?;
            let footer = |(name, path): (&str, PathBuf)| match FeatureTable::from_name(name) {
                Some(FeatureTable::Annotations) if coded => coded::schema_of(&path),
                _ => read_metadata(&path),
            };
            footers.insert(id.clone(), tables.into_iter().map(footer).collect::<Result<_>>()?);
        }
    }
    let without: Vec<&str> =
        footers.iter().filter(|(_, tables)| tables.is_empty()).map(|(id, _)| id.as_str()).collect();
    if !without.is_empty() {
        let more = if without.len() > NAMED { ", …" } else { "" };
        let some = without[..without.len().min(NAMED)].join(", ");
        tracing::warn!(
            "{} interviews have no tables, so their instances have no features: {some}{more}",
            without.len()
        );
    }
    Ok(footers)
}

fn names() -> [&'static str; FeatureTable::ALL.len()] {
    FeatureTable::ALL.map(FeatureTable::name)
}

/// How the interviews of a task were made: what they agree on, `mixed` for the rest. Refused where that is not allowed.
fn made(work: &Work, footers: &Footers, mixed: bool) -> Result<FileMetadata> {
    let mut makings = Makings::default();
    for id in &work.interviews {
        footers[id].iter().for_each(|footer| makings.add(&footer.metadata, id));
    }
    refuse_mixed(&makings, mixed, &format!("task {}", work.task.name))?;
    Ok(makings.common())
}

fn features(out: &Path, work: &Work, footers: &Footers) -> Result<FeatureSet> {
    let schemas: Vec<StoredSchema> = work.interviews.iter().flat_map(|id| footers[id].iter().cloned()).collect();
    let set = FeatureSet::resolve(&work.task, &schemas)?;
    if let Some(labels) = &work.task.labels {
        coded::refuse_labels(&work.task, labels, out, &work.interviews, set.names_of(FeatureTable::Annotations))?;
    }
    Ok(set)
}

/// The table of a task with labels, and how many of its interviews have tables.
fn labelled(out: &Path, work: &Work, labels: (&Labels, &LabelTable), set: &FeatureSet) -> Result<(Table, usize)> {
    let mut interviews = BTreeMap::new();
    work.task.definitions.tell_others(&work.task.name, &labels.1.levels.iter().map(String::as_str).collect());
    for id in &work.interviews {
        for (_, turns) in own_tables(out, id, &[FeatureTable::Turns.name()])? {
            let turns = read_columns(&turns, &["turn_index", "speaker", "start_secs", "end_secs"])?;
            interviews.insert(id.clone(), InterviewTables::new(&turns, stored(out, id, set, &["listener"])?));
        }
    }
    Ok((labelled_table(&work.task, labels.0, labels.1, set, &interviews)?, interviews.len()))
}

/// The table of a task with a rule of the benchmark's, and how many of its interviews have tables.
fn by_rule(
    task: &Task,
    samples: &[Sample],
    set: &FeatureSet,
    values: &BTreeMap<String, SampleFeatures>,
) -> Result<(Table, usize)> {
    let instances = instances(samples, task);
    let mut ids: Vec<&str> = instances.iter().map(|i| i.id.as_str()).collect();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|w| w[0] == w[1]) {
        let why = "the benchmark's ids of this task are made from the file's name alone";
        tracing::warn!("task {}: several instances have one id, such as {}: {why}", task.name, twice[0]);
    }
    tell_closed_set(task, &instances);
    let labels = instances.iter().flat_map(|i| &i.candidates).map(String::as_str).collect();
    task.definitions.tell_others(&task.name, &labels);
    Ok((task_table(task, &instances, samples, set, values)?, values.len()))
}

/// Tells where the closed set is from when that is no set of the benchmark's, and labels that lie outside of it.
fn tell_closed_set(task: &Task, instances: &[Instance]) {
    for mode in ["couple", "family"] {
        let own = || instances.iter().filter(|i| i.group_mode == mode && !i.closed_set.is_empty());
        if let Some(one) = own().find(|i| i.closed_set == "labels_seen") {
            let (name, count) = (&task.name, one.candidates.len());
            let why = "macro means and padding are the benchmark's only with its taxonomy in the task file";
            tracing::warn!("task {name}, {mode}: the closed set is the {count} labels seen; {why}");
        }
        let outside: Vec<&Instance> = own().filter(|i| !i.candidates.contains(&i.label)).collect();
        if let Some(first) = outside.first() {
            let (name, count) = (&task.name, outside.len());
            let what = format!("{:?} of {}", first.label, first.id);
            tracing::warn!(
                "task {name}, {mode}: {count} labels are outside of the taxonomy, no answer can be right: {what}"
            );
        }
    }
}

/// The tables of an interview, with the columns that the features need, and `more`.
fn stored(out: &Path, id: &str, set: &FeatureSet, more: &[&str]) -> Result<Vec<StoredTable>> {
    let mut tables = Vec::new();
    for table in FeatureTable::ALL {
        for (_, path) in own_tables(out, id, &[table.name()])? {
            let mut columns = set.columns_of(table);
            if table != FeatureTable::Annotations {
                columns.extend(more);
                tables.push(read_columns(&path, &columns)?);
            } else if columns.len() > 1 {
                for (_, turns) in own_tables(out, id, &[FeatureTable::Turns.name()])? {
                    tables.push(coded::table_of(&path, &turns, &columns)?);
                }
            }
        }
    }
    Ok(tables)
}

/// The samples' values for the features of the task before: tasks mostly want the same ones, and reading is what takes
/// time.
struct Values<'a> {
    out: &'a Path,
    /// What was read last: features, and of which interviews.
    last: Option<(FeatureSet, Vec<String>)>,
    values: BTreeMap<String, SampleFeatures>,
}

impl<'a> Values<'a> {
    fn new(out: &'a Path) -> Self {
        Values { out, last: None, values: BTreeMap::new() }
    }

    fn of(&mut self, ids: &[String], set: &FeatureSet) -> Result<&BTreeMap<String, SampleFeatures>> {
        if !self.last.as_ref().is_some_and(|(features, of)| features == set && of == ids) {
            self.values.clear();
            for id in ids {
                let tables = stored(self.out, id, set, &[])?;
                if !tables.is_empty() {
                    self.values.insert(id.clone(), SampleFeatures::new(set, &tables));
                }
            }
            self.last = Some((set.clone(), ids.to_vec()));
        }
        Ok(&self.values)
    }
}
