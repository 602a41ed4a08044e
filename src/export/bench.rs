//! `turnwise export rescue`: the benchmark's samples with cues from measurements, laid out as they came or as the
//! benchmark's own scripts find them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::clips::{ClipSource, review};
use super::cues::Wording;
use super::hidden::Hidden;
use super::rescue::{label_words, rewrite, rows_of, samples_of};
use super::run::{ExportRequest, add_makings, measured_in, wording};
use crate::error::{Error, Result};
use crate::file::keep_apart;
use crate::store::agreement::agree;
use crate::store::finished::refuse_mixed;
use crate::store::paths::table_path;
use crate::store::provenance::Makings;
use crate::store::whole::write_text;
use crate::tasks::{Clips, Selection, Task, instances, released_line, released_rules};
use crate::transcript::rescue::{is_one_a_line, read_samples_leniently, sample_files};

/// The data root of the benchmark's layout: its scripts take each JSON file below it for a sample.
const DATA: &str = "data";
/// The folder of the benchmark's that has the review assets.
const REVIEW: &str = "manual_review_system";
/// Files that are told by name.
const NAMED: usize = 5;

/// How the samples are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RescueLayout {
    /// As the annotations are.
    AsGiven,
    /// As the benchmark's scripts read it, below the folder that they run in.
    Bench,
}

/// What `export rescue` makes.
#[derive(Clone, Copy, Debug)]
pub struct RescueRequest<'a> {
    /// What both exports are made from.
    pub export: ExportRequest<'a>,
    /// A folder of samples, one JSON file of a sample, or one JSONL file.
    pub annotations: &'a Path,
    /// How the samples are laid out.
    pub layout: RescueLayout,
    /// Which samples.
    pub selection: &'a Selection,
    /// Media that clips are cut from, by sample.
    pub clips: Option<&'a BTreeMap<String, ClipSource>>,
}

/// A file that is written: its place below the export's folder, and the samples in it.
struct Target {
    path: PathBuf,
    one_a_line: bool,
    samples: Vec<(String, Value)>,
}

/// What an export holds.
#[derive(Debug, Default)]
struct Counts {
    samples: usize,
    measured: usize,
    clips: usize,
}

/// Writes the benchmark's samples below `annotations` anew, cue fields from measurements, and clips of all rows of
/// those samples that `clips` has; tells how many. In the benchmark's layout also er.jsonl and vp.jsonl.
///
/// # Errors
/// [`Error::Usage`] where the export would lie among the annotations, write over them or stand among other files that
/// the benchmark's scripts would read, for annotations other than those extracted, or interviews made in several ways;
/// [`Error::Recipe`] for cues; [`Error::Read`] or [`Error::Parse`] for a file; [`Error::Write`].
pub fn export_rescue(request: &RescueRequest<'_>) -> Result<String> {
    let (export, to) = (&request.export, request.export.to);
    let wording = wording(export)?;
    let annotations = request.annotations;
    if annotations.is_dir() && to.starts_with(annotations) {
        let (to, root) = (to.display(), annotations.display());
        let what = format!("{to} lies inside {root}: the export would be read as annotations");
        return Err(Error::Usage { what, hint: "name another folder".into() });
    }
    let files = sample_files(annotations)?;
    let mut targets = targets(request, &files)?;
    // All of them before the first is written: the annotations are not ours to lose.
    for (file, target) in files.iter().flat_map(|f| targets.iter().map(move |t| (f, t))) {
        if request.layout == RescueLayout::Bench || target.path.ends_with(below(annotations, file)) {
            keep_apart(file, &to.join(&target.path))?;
        }
    }
    if request.layout == RescueLayout::Bench {
        refuse_others(to, &targets)?;
    }
    let mut makings = Makings::default();
    let ids = targets.iter().flat_map(|t| &t.samples).map(|(id, _)| id);
    ids.clone().try_for_each(|id| add_makings(export.out, id, &mut makings))?;
    refuse_mixed(&makings, export.mixed, "the export")?;
    let mut counts = Counts::default();
    let words = (wording, label_words(targets.iter().flat_map(|t| &t.samples).map(|(_, sample)| sample)));
    for target in &mut targets {
        let mut texts = Vec::new();
        for (id, sample) in &mut target.samples {
            one_sample(request, &words, (id, sample), &mut counts)?;
            let text =
                if target.one_a_line { serde_json::to_string(&sample) } else { serde_json::to_string_pretty(&sample) };
            texts.push(text.map_err(|e| Error::write(&target.path, e))?);
        }
        write_text(&to.join(&target.path), &(texts.join("\n") + "\n"))?;
    }
    if counts.measured == 0 {
        tracing::warn!("no sample's id is an interview of {}: every cue is empty", export.out.display());
    }
    let mut told = if request.clips.is_some() { format!(", {} row clips", counts.clips) } else { String::new() };
    if request.layout == RescueLayout::Bench {
        let written = instance_files(to, &targets)?;
        told.push_str(&format!(", {} instances in er.jsonl, {} in vp.jsonl", written[0], written[1]));
    }
    let Counts { samples, measured, .. } = counts;
    Ok(format!("{samples} samples in {}, {measured} of them with measurements{told}", to.display()))
}

/// What is written, with the samples as they came.
fn targets(request: &RescueRequest<'_>, files: &[PathBuf]) -> Result<Vec<Target>> {
    let mut found = Vec::new();
    for file in files {
        let relative = below(request.annotations, file);
        let samples = samples_of(file, &relative)?;
        found.push(Target { path: relative, one_a_line: is_one_a_line(file), samples });
    }
    if !request.selection.takes_all() {
        let taken = request.selection.of(found.iter().flat_map(|t| &t.samples).map(|(id, _)| id.as_str()))?;
        found.iter_mut().for_each(|t| t.samples.retain(|(id, _)| taken.contains(id)));
        found.retain(|t| !t.samples.is_empty());
    }
    if request.layout == RescueLayout::AsGiven {
        return Ok(found);
    }
    let one = |(id, sample): (String, Value)| {
        if id.rsplit('/').next() == Some("manifest") {
            let what =
                format!("the sample {id:?} would be a file manifest.json, which the benchmark's scripts pass over");
            return Err(Error::Usage { what, hint: "give the sample another id".into() });
        }
        let path = table_path(Path::new(DATA), "", &id)?.with_extension("json");
        Ok(Target { path, one_a_line: false, samples: vec![(id, sample)] })
    };
    let targets: Vec<Target> = found.into_iter().flat_map(|t| t.samples).map(one).collect::<Result<_>>()?;
    let mut paths = BTreeSet::new();
    // Not every file system tells a from A.
    if let Some(twice) = targets.iter().find(|t| !paths.insert(t.path.to_string_lossy().to_lowercase())) {
        let what = format!("two samples would be the file {}, or differ from it by case alone", twice.path.display());
        return Err(Error::Usage { what, hint: "give every sample an id of its own".into() });
    }
    Ok(targets)
}

/// Refuses a data root with files that are not of this export: the benchmark's scripts would take them for samples of
/// it.
fn refuse_others(to: &Path, targets: &[Target]) -> Result<()> {
    let own: BTreeSet<PathBuf> = targets.iter().map(|t| to.join(&t.path)).collect();
    let mut others = Vec::new();
    collect(&to.join(DATA), &mut others)?;
    others.retain(|path| !own.contains(path));
    if others.is_empty() {
        return Ok(());
    }
    others.sort();
    let some: Vec<String> = others.iter().take(NAMED).map(|p| p.display().to_string()).collect();
    let more = if others.len() > NAMED { ", …" } else { "" };
    let what = format!(
        "{} holds {} files that are not of this export, and would be read with it: {}{more}",
        to.join(DATA).display(),
        others.len(),
        some.join(", ")
    );
    Err(Error::Usage { what, hint: "name a folder without a folder data, or move what is in it".into() })
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let failed = |source| Error::Read { path: folder.to_owned(), source };
    if !folder.exists() {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_type().map_err(failed)?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// A file's place among the annotations.
fn below(annotations: &Path, file: &Path) -> PathBuf {
    match file.strip_prefix(annotations) {
        Ok(relative) if annotations.is_dir() => relative.to_owned(),
        _ => PathBuf::from(file.file_name().unwrap_or_default()),
    }
}

/// Sets the cues of a sample, and cuts its clips.
fn one_sample(
    request: &RescueRequest<'_>,
    (wording, hidden): &(Wording, Hidden),
    (id, sample): (&str, &mut Value),
    counts: &mut Counts,
) -> Result<()> {
    let (out, to) = (request.export.out, request.export.to);
    agree(id, &rows_of(sample), out)?;
    let measured = measured_in(wording, out, id)?;
    counts.samples += 1;
    counts.measured += usize::from(measured.is_some());
    rewrite(sample, &measured.unwrap_or_default().cues, hidden);
    let Some(clips) = request.clips else { return Ok(()) };
    let assets = match request.layout {
        RescueLayout::AsGiven => to.to_owned(),
        RescueLayout::Bench => to.join(REVIEW),
    };
    match clips.get(id).map(|source| review(sample, source, id, (&assets, to))) {
        Some(Ok(cut)) => counts.clips += cut,
        // One film that cannot be read costs its own clips only.
        Some(Err(e)) => tracing::warn!("{id}: no clips: {}", e.chain()),
        None => tracing::warn!("{id}: the manifest has no such interview; no clips"),
    }
    Ok(())
}

/// Writes er.jsonl and vp.jsonl of what lies below the data root, read back as the benchmark's scripts read it; tells
/// how many instances each has.
fn instance_files(to: &Path, targets: &[Target]) -> Result<[usize; 2]> {
    let (samples, dropped) = read_samples_leniently(&to.join(DATA))?;
    dropped.iter().for_each(|what| tracing::warn!("{what}"));
    // Clips of an earlier export count too; where there are none at all, none is named.
    let has_manifest = |id: &str| to.join(REVIEW).join("review_assets").join(id).join("manifest.json").is_file();
    let any = samples.iter().any(|s| has_manifest(&s.id));
    let clips = if any { Some(Clips::read(to, samples.iter().map(|s| s.id.as_str()))?) } else { None };
    let rows: BTreeMap<&str, &[Value]> = targets
        .iter()
        .flat_map(|t| &t.samples)
        .map(|(id, value)| (id.as_str(), value.get("rows").and_then(Value::as_array).map_or(&[][..], Vec::as_slice)))
        .collect();
    let mut written = [0; 2];
    for (count, rule) in written.iter_mut().zip(released_rules()) {
        let name = rule.name;
        let mut lines = String::new();
        for sample in &samples {
            let own = rows.get(sample.id.as_str()).copied().unwrap_or_default();
            for one in instances(std::slice::from_ref(sample), &Task::of(rule)) {
                lines.push_str(&released_line(name, &one, sample, own, clips.as_ref()));
                lines.push('\n');
                *count += 1;
            }
        }
        write_text(&to.join(format!("{name}.jsonl")), &lines)?;
    }
    Ok(written)
}
