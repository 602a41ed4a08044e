//! `turnwise check` and `turnwise tasks`: an annotation set and what is made from it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use turnwise::corpus;
use turnwise::output::folder::OutputFolder;
use turnwise::output::parquet::{self, FileMetadata};
use turnwise::output::paths::table_path;
use turnwise::output::read::{StoredSchema, StoredTable, read_columns, read_metadata};
use turnwise::tasks::{self, FeatureSet, Media, SampleFeatures, TABLES};
use turnwise::transcript::rescue::{Sample, read_samples, read_samples_leniently};

use super::{SOME_FAILED, print};
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
    let samples = read_samples(&args.annotations)?;
    let schemas = schemas(&args.out, &samples)?;
    // Before anything is written: no task may have a feature that leaks.
    let sets = all.iter().map(|t| FeatureSet::resolve(t, &schemas)).collect::<turnwise::error::Result<Vec<_>>>()?;
    let metadata = schemas.first().map_or_else(FileMetadata::default, |s| s.metadata.clone());
    let mut told = String::new();
    for (task, set) in all.iter().zip(&sets) {
        let mut values = BTreeMap::new();
        for sample in &samples {
            let tables = stored(&args.out, sample, set)?;
            if !tables.is_empty() {
                values.insert(sample.id.clone(), SampleFeatures::new(set, &tables));
            }
        }
        let instances = tasks::instances(&samples, task);
        let table = tasks::task_table(task, &instances, &samples, set, &values)?;
        let path = table_path(&args.out, "tasks", &task.name)?;
        parquet::write(&path, &table, &metadata)?;
        let with = instances.iter().filter(|i| values.contains_key(&i.sample_id)).count();
        writeln!(told, "{}: {} instances, {with} of them with tables, {} features", path.display(), instances.len(), set.len())?;
    }
    Ok(told)
}

/// The footers of all samples' tables.
fn schemas(out: &Path, samples: &[Sample]) -> Result<Vec<StoredSchema>> {
    let mut found = Vec::new();
    for sample in samples {
        for table in TABLES {
            let path = table_path(out, table, &sample.id)?;
            if path.is_file() {
                found.push(read_metadata(&path)?);
            }
        }
    }
    Ok(found)
}

/// The tables of a sample, with the columns that the features need.
fn stored(out: &Path, sample: &Sample, set: &FeatureSet) -> Result<Vec<StoredTable>> {
    let mut found = Vec::new();
    for table in TABLES {
        let path = table_path(out, table, &sample.id)?;
        if path.is_file() {
            found.push(read_columns(&path, &set.columns_of(table))?);
        }
    }
    Ok(found)
}
