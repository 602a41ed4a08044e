//! `turnwise check` and `turnwise tasks`: an annotation set and what is made from it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use turnwise::corpus;
use turnwise::error::Error;
use turnwise::store::folder::OutputFolder;
use turnwise::store::parquet::{self, FileMetadata};
use turnwise::store::paths::table_path;
use turnwise::store::provenance::Makings;
use turnwise::store::read::{StoredSchema, StoredTable, read_columns, read_metadata};
use turnwise::tasks::{self, FeatureSet, Interview, Media, SampleFeatures, TABLES, Task, field_labels, read_labels};
use turnwise::transcript::rescue::{Row, Sample, read_samples, read_samples_leniently};

use super::annotations::{AnnotatedRow, agree};
use super::provenance::{own_tables, refuse_mixed, tell_unfinished};
use super::{SOME_FAILED, must_be_there, print};
use crate::cli::{Check, Tasks};

/// Checks annotations; exit 1 when something is to be corrected.
pub fn check(args: &Check) -> Result<ExitCode> {
    let (samples, dropped) = read_samples_leniently(&args.annotations)?;
    let media = args.media.as_deref().map(media).transpose()?;
    let found = tasks::check(&samples, &dropped, media.as_ref());
    print(&found.text)?;
    Ok(if found.problems == 0 { ExitCode::SUCCESS } else { ExitCode::from(SOME_FAILED) })
}

/// The interviews with media, of a manifest or of an output folder.
fn media(path: &Path) -> Result<Media> {
    if corpus::is_manifest(path) {
        let requests = corpus::read_manifest(path)?;
        let there = |file: &Option<std::path::PathBuf>| file.as_ref().is_some_and(|f| f.is_file());
        for request in requests.iter().filter(|r| r.media.is_some() && !there(&r.media)) {
            tracing::warn!("{}: the manifest names {}, which is not there", request.interview_id, request.media_name);
        }
        return Ok(requests.into_iter().filter(|r| there(&r.media) || there(&r.audio)).map(|r| (r.interview_id, None)).collect());
    }
    let mut media = Media::new();
    for file in OutputFolder::new(path).files("interviews")? {
        let row = read_columns(&file.path, &["status", "duration_secs"])?;
        // An interview without a decoded second was made from its transcript alone.
        if let Some(duration) = row.number("duration_secs", 0).filter(|_| row.text("status", 0) == Some("done")) {
            media.insert(file.interview_id, Some(duration));
        }
    }
    Ok(media)
}

/// Writes the task tables; tells how many instances each has.
pub fn tasks(args: &Tasks) -> Result<String> {
    let all = tasks::read_tasks(&args.tasks)?;
    let samples = match &args.annotations {
        Some(path) if args.lenient => {
            let (samples, dropped) = read_samples_leniently(path)?;
            dropped.iter().for_each(|d| tracing::warn!("{d}"));
            samples
        }
        Some(path) => read_samples(path)?,
        None => Vec::new(),
    };
    let needs_annotations = |t: &&Task| t.labels.as_ref().is_none_or(|l| l.field.is_some());
    if let Some(task) = all.iter().find(needs_annotations).filter(|_| args.annotations.is_none()) {
        let what = format!("task {} is made from annotations, and none are given", task.name);
        return Err(Error::Usage { what, hint: "name them with --annotations".into() }.into());
    }
    must_be_there(&args.out)?;
    samples.iter().try_for_each(|sample| agrees(sample, &args.out))?;
    let mut sources = Vec::new();
    let mut schemas = BTreeMap::new();
    for task in &all {
        let labels = match &task.labels {
            Some(labels) if labels.field.is_some() => Some(field_labels(task, labels, &samples)?),
            Some(labels) => Some(read_labels(task, labels)?),
            None => None,
        };
        let ids: Vec<&str> = match &labels {
            Some(labels) => labels.interviews(),
            None => samples.iter().map(|s| s.id.as_str()).collect(),
        };
        let mut own = Vec::new();
        for id in ids {
            if !schemas.contains_key(id) {
                schemas.insert(id.to_owned(), footers(&args.out, id)?);
            }
            own.push(id.to_owned());
        }
        sources.push((labels, own));
    }
    let without: Vec<&str> = schemas.iter().filter(|(_, found)| found.is_empty()).map(|(id, _)| id.as_str()).collect();
    if !without.is_empty() {
        let more = if without.len() > 5 { ", …" } else { "" };
        let some = without[..without.len().min(5)].join(", ");
        tracing::warn!("{} interviews have no tables, so their instances have no features: {some}{more}", without.len());
    }
    // Before anything is written: no task may mix recipes, or have a feature that leaks.
    let made: Vec<FileMetadata> =
        all.iter().zip(&sources).map(|(task, (_, own))| made(task, own, &schemas, args.mixed)).collect::<Result<_>>()?;
    let mut sets = Vec::new();
    for (task, (_, own)) in all.iter().zip(&sources) {
        let footers: Vec<StoredSchema> = own.iter().flat_map(|id| schemas[id].iter().cloned()).collect();
        sets.push(FeatureSet::resolve(task, &footers)?);
    }
    let mut told = String::new();
    let mut read = Tables::new(&args.out);
    for (((task, set), (labels, own)), metadata) in all.iter().zip(&sets).zip(&sources).zip(&made) {
        let (table, with) = match (&task.labels, labels) {
            (Some(spec), Some(labels)) => {
                let interviews = interviews(&args.out, own, set)?;
                (tasks::labelled_table(task, spec, labels, set, &interviews)?, interviews.len())
            }
            _ => {
                let instances = tasks::instances(&samples, task);
                let mut ids: Vec<&str> = instances.iter().map(|i| i.id.as_str()).collect();
                ids.sort_unstable();
                if let Some(twice) = ids.windows(2).find(|w| w[0] == w[1]) {
                    let why = "the benchmark's ids of this task are made from the file's name alone";
                    tracing::warn!("task {}: several instances have one id, such as {}: {why}", task.name, twice[0]);
                }
                let values = read.values(own, set)?;
                (tasks::task_table(task, &instances, &samples, set, values)?, values.len())
            }
        };
        let path = table_path(&args.out, "tasks", &task.name)?;
        parquet::write(&path, &table, metadata)?;
        let (path, rows, of, features) = (path.display(), table.rows(), own.len(), set.len());
        writeln!(told, "{path}: {rows} instances, {with} of {of} interviews with tables, {features} features")?;
    }
    Ok(told)
}

/// The rows of a sample are the turns that were extracted.
fn agrees(sample: &Sample, out: &Path) -> Result<()> {
    let row = |r: &Row| AnnotatedRow {
        index: r.row_index,
        speaker: r.primary_speaker.clone(),
        span: Some((r.segment.start().get(), r.segment.end().get())),
    };
    Ok(agree(&sample.id, &sample.rows.iter().map(row).collect::<Vec<_>>(), out)?)
}

/// How the interviews of a task were made; refused where that was in several ways and is not allowed.
fn made(task: &Task, own: &[String], footers: &BTreeMap<String, Vec<StoredSchema>>, mixed: bool) -> Result<FileMetadata> {
    let mut makings = Makings::default();
    for id in own {
        footers[id].iter().for_each(|footer| makings.add(&footer.metadata, id));
    }
    refuse_mixed(&makings, mixed, &format!("task {}", task.name))?;
    Ok(makings.common())
}

/// The footers of an interview's tables.
fn footers(out: &Path, id: &str) -> Result<Vec<StoredSchema>> {
    tell_unfinished(out, id)?;
    own_tables(out, id, &TABLES)?.into_iter().map(|(_, path)| Ok(read_metadata(&path)?)).collect()
}

/// The tables of an interview, with the columns that the features need, and `more`.
fn stored(out: &Path, id: &str, set: &FeatureSet, more: &[&str]) -> Result<Vec<StoredTable>> {
    let mut found = Vec::new();
    for (table, path) in own_tables(out, id, &TABLES)? {
        let mut columns = set.columns_of(table);
        columns.extend(more);
        found.push(read_columns(&path, &columns)?);
    }
    Ok(found)
}

/// Those of the interviews that have tables.
fn interviews(out: &Path, ids: &[String], set: &FeatureSet) -> Result<BTreeMap<String, Interview>> {
    let mut found = BTreeMap::new();
    for id in ids {
        for (_, turns) in own_tables(out, id, &["turns"])? {
            let turns = read_columns(&turns, &["turn_index", "speaker", "end_secs"])?;
            found.insert(id.clone(), Interview::new(&turns, stored(out, id, set, &["listener"])?));
        }
    }
    Ok(found)
}

/// The samples' values for the features of the task before: tasks mostly want the same ones, and reading is what takes time.
struct Tables<'a> {
    out: &'a Path,
    set: FeatureSet,
    values: BTreeMap<String, SampleFeatures>,
}

impl<'a> Tables<'a> {
    fn new(out: &'a Path) -> Self {
        Tables { out, set: FeatureSet::default(), values: BTreeMap::new() }
    }

    fn values(&mut self, ids: &[String], set: &FeatureSet) -> Result<&BTreeMap<String, SampleFeatures>> {
        if self.set != *set || self.values.is_empty() {
            self.values.clear();
            for id in ids {
                let tables = stored(self.out, id, set, &[])?;
                if !tables.is_empty() {
                    self.values.insert(id.clone(), SampleFeatures::new(set, &tables));
                }
            }
            self.set = set.clone();
        }
        Ok(&self.values)
    }
}
