//! `turnwise baseline`: the models tried on one task's table or on all, what they said and how well, written to a
//! folder each.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::trial::{Settings, Trial, trial};
use crate::error::{Error, Result};
use crate::store::provenance::is_mixed;
use crate::store::read::read_metadata;
use crate::store::whole::write_text;
use crate::store::{Format, Writer};

/// What is tried, and where the results go.
#[derive(Clone, Copy, Debug)]
pub struct BaselineRequest<'a> {
    /// The folder of task tables.
    pub tasks: &'a Path,
    /// Name of a task table, or `all`.
    pub task: &'a str,
    /// Folder for the results, a subfolder for each task; `None` = `baseline` beside the folder of task tables.
    pub out: Option<&'a Path>,
    /// Go on where a table is of interviews that were made in several ways.
    pub mixed: bool,
    /// How trials are made.
    pub settings: Settings,
    /// Writes the tables of predictions.
    pub writer: Writer,
}

/// Tries the models on one task or on all, writes what they said and how well; tells it.
///
/// # Errors
/// [`Error::Usage`] for a task that is not there, or with nothing to try (of several, only where none has); those of
/// [`trial`];
/// [`Error::Write`].
pub fn write_baselines(request: &BaselineRequest<'_>) -> Result<String> {
    let tables = tables(request.tasks)?;
    let chosen: Vec<&(String, PathBuf)> =
        tables.iter().filter(|(name, _)| request.task == "all" || request.task == *name).collect();
    if chosen.is_empty() {
        let names = tables.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        let there = if tables.is_empty() { "there are none".to_owned() } else { format!("there are {names} (or all)") };
        let what = format!("no task table {:?} in {}; {there}", request.task, request.tasks.display());
        return Err(Error::Usage { what, hint: "make task tables with turnwise tasks".into() });
    }
    if !request.mixed {
        chosen.iter().try_for_each(|(name, path)| refuse_mixed(name, path))?;
    }
    let beside = || request.tasks.parent().unwrap_or(Path::new("")).join("baseline");
    let out = request.out.map_or_else(beside, Path::to_owned);
    let predictions = |name: &str| request.writer.path(&out.join(name), "predictions");
    chosen.iter().try_for_each(|(name, _)| request.writer.check(&predictions(name)))?;
    let mut report = String::new();
    let mut tried = 0;
    let mut untried = Vec::new();
    for (name, path) in &chosen {
        match trial(path, request.settings) {
            Ok(done) => {
                let folder = out.join(name);
                write(&folder, path, &done, request.writer)?;
                // Writing into a String cannot fail.
                let _ = writeln!(report, "{}  {}\n", done.text(), folder.display());
                tried += 1;
            }
            // Of many, one that has nothing to try is told and the others are done.
            Err(error @ Error::Usage { .. }) if chosen.len() > 1 => {
                let _ = writeln!(report, "{error}\n");
                untried.push(error);
            }
            Err(error) => return Err(error),
        }
    }
    match untried.into_iter().next() {
        Some(error) if tried == 0 => Err(error),
        _ => Ok(report),
    }
}

fn refuse_mixed(name: &str, path: &Path) -> Result<()> {
    if !is_mixed(&read_metadata(path)?.metadata) {
        return Ok(());
    }
    let what = format!(
        "the table of task {name} is of interviews that were not made by one recipe, one set of models and one version"
    );
    let hint =
        "extract them again with one recipe and make the tables anew, or give --mixed to take them as they are".into();
    Err(Error::Usage { what, hint })
}

/// The task tables of a folder by name.
pub(super) fn tables(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let failed = |source| Error::Read { path: folder.to_owned(), source };
    let mut tables = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_file() && Format::of_file(&path).is_some() {
            tables.push((path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), path));
        }
    }
    tables.sort();
    if let Some(twice) = tables.windows(2).find(|w| w[0].0 == w[1].0) {
        let what = format!(
            "the table of task {} is there twice: {} and {}",
            twice[0].0,
            twice[0].1.display(),
            twice[1].1.display()
        );
        return Err(Error::Usage { what, hint: "delete the one that is not current".into() });
    }
    Ok(tables)
}

fn write(folder: &Path, table: &Path, done: &Trial, writer: Writer) -> Result<()> {
    // What made the task table made these too.
    let metadata = read_metadata(table)?.metadata;
    writer.write(&writer.path(folder, "predictions"), &done.predictions()?, &metadata)?;
    let told = [
        ("metrics.json", done.metrics_json()),
        ("breakdown.json", done.breakdown_json()),
        ("calibration.json", done.calibration_json()),
        ("importance.json", done.importance_json()),
    ];
    for (name, value) in told {
        let path = folder.join(name);
        let text = serde_json::to_string_pretty(&value).map_err(|e| Error::write(&path, e))?;
        write_text(&path, &(text + "\n"))?;
    }
    for (place, files) in [("benchmark", done.benchmark_lines()), ("replies", done.replies())] {
        for (name, lines) in files {
            write_text(&folder.join(place).join(name), &lines)?;
        }
    }
    Ok(())
}
