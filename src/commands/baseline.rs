//! `turnwise baseline`: simple models on task tables.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use turnwise::baseline::{Settings, Trial, trial};
use turnwise::error::Error;
use turnwise::store::parquet;
use turnwise::store::provenance::is_mixed;
use turnwise::store::read::read_metadata;
use turnwise::store::whole::write_text;

use crate::cli::Baseline;

/// Tries the models on one task or on all, writes what they said and how well; tells it.
pub fn run(args: &Baseline) -> Result<String> {
    let tables = tables(&args.tasks)?;
    let names = || tables.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    let chosen: Vec<&(String, PathBuf)> = tables.iter().filter(|(name, _)| args.task == "all" || args.task == *name).collect();
    if chosen.is_empty() {
        let there = if tables.is_empty() { "there are none".to_owned() } else { format!("there are {} (or all)", names()) };
        let what = format!("no task table {:?} in {}; {there}", args.task, args.tasks.display());
        return Err(Error::Usage { what, hint: "make task tables with turnwise tasks".into() }.into());
    }
    if !args.mixed {
        for (name, path) in &chosen {
            if is_mixed(&read_metadata(path)?.metadata) {
                let what = format!(
                    "the table of task {name} is of interviews that were not made by one recipe, one set of models and one version"
                );
                let hint = "extract them again with one recipe and make the tables anew, or give --mixed to take them as they are".into();
                return Err(Error::Usage { what, hint }.into());
            }
        }
    }
    let out = args.out.clone().unwrap_or_else(|| args.tasks.parent().unwrap_or(Path::new("")).join("baseline"));
    let settings = Settings { folds: args.folds as usize, seed: args.seed, resamples: args.resamples as usize };
    let mut told = String::new();
    let mut tried = 0;
    let mut untried = Vec::new();
    for (name, path) in &chosen {
        match trial(path, settings) {
            Ok(found) => {
                let folder = out.join(name);
                write(&folder, path, &found)?;
                writeln!(told, "{}  {}\n", found.text(), folder.display())?;
                tried += 1;
            }
            // Of many, one that has nothing to try is told and the others are done.
            Err(error @ Error::Usage { .. }) if chosen.len() > 1 => {
                writeln!(told, "{error}\n")?;
                untried.push(error);
            }
            Err(error) => return Err(error.into()),
        }
    }
    match untried.into_iter().next() {
        Some(error) if tried == 0 => Err(error.into()),
        _ => Ok(told),
    }
}

/// The task tables of a folder by name.
fn tables(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).map_err(|source| Error::Read { path: folder.to_owned(), source })?;
    for entry in entries {
        let path = entry?.path();
        if path.is_file() && path.extension().is_some_and(|e| e == "parquet") {
            found.push((path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), path));
        }
    }
    found.sort();
    Ok(found)
}

fn write(folder: &Path, table: &Path, found: &Trial) -> Result<()> {
    // What made the task table made these too.
    let metadata = read_metadata(table)?.metadata;
    parquet::write(&folder.join("predictions.parquet"), &found.predictions()?, &metadata)?;
    let mut metrics = serde_json::to_string_pretty(&found.metrics_json())?;
    metrics.push('\n');
    let mut files = vec![(folder.join("metrics.json"), metrics)];
    files.extend(found.benchmark_lines().into_iter().map(|(name, lines)| (folder.join("benchmark").join(name), lines)));
    for (path, text) in files {
        write_text(&path, &text)?;
    }
    Ok(())
}
