//! Samples on disk: a folder of JSON files, one JSON file, or one JSONL file.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::parse::{lines, sample, samples_in};
use super::{Sample, left};
use crate::error::{Error, Result};
use crate::file;
use crate::transcript::draft::{Draft, short};
use crate::transcript::{Format, encoding, json};

/// Reads all samples under `root`: a folder (searched recursively; sample id = path relative to it without `.json`,
/// files called `manifest.json` left out, JSONL files read line by line), one JSON file, or one JSONL file. Where a
/// file holds several samples, each has the `sample_id` that it names. Folders are sorted by id, a file keeps its order.
///
/// # Errors
/// [`Error::Read`] and [`Error::Parse`], naming file, line and row; [`Error::Parse`] as well where no sample is found
/// or an id repeats.
pub fn read_samples(root: &Path) -> Result<Vec<Sample>> {
    read(root, None)
}

/// As [`read_samples`], but rows that cannot be used are left out and told, with their file.
///
/// # Errors
/// As [`read_samples`], but for bad rows.
pub fn read_samples_leniently(root: &Path) -> Result<(Vec<Sample>, Vec<String>)> {
    let mut dropped = Vec::new();
    Ok((read(root, Some(&mut dropped))?, dropped))
}

fn read(root: &Path, mut dropped: Option<&mut Vec<String>>) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    if root.is_dir() {
        for file in &sample_files(root)? {
            let relative = file.strip_prefix(root).unwrap_or(file).with_extension("");
            let id: Vec<String> = relative.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
            match (read_file(file, &id.join("/"), dropped.as_deref_mut()), dropped.as_deref_mut()) {
                (Ok(found), _) => samples.extend(found),
                // One file that cannot be read at all does not hide what is in the others.
                (Err(e), Some(dropped)) => dropped.push(e.to_string()),
                (Err(e), None) => return Err(e),
            }
        }
        samples.sort_by(|a, b| a.id.cmp(&b.id));
    } else {
        samples = read_file(root, &stem(root), dropped)?;
    }
    if samples.is_empty() {
        return Err(Error::parse(
            root,
            0,
            "no RESCUE-bench sample",
            "expected JSON files with `rows`, or a JSONL file with a sample a line",
        ));
    }
    let mut ids: Vec<&str> = samples.iter().map(|s| s.id.as_str()).collect();
    ids.sort_unstable();
    if let Some(pair) = ids.windows(2).find(|w| w[0] == w[1]) {
        return Err(Error::parse(
            root,
            0,
            format!("sample id {:?} occurs twice", pair[0]),
            "give every sample an id of its own",
        ));
    }
    Ok(samples)
}

/// The files below a folder that hold samples, by the benchmark's rule, sorted; a file is itself.
///
/// # Errors
/// [`Error::Read`] for a folder that cannot be listed.
pub fn sample_files(root: &Path) -> Result<Vec<PathBuf>> {
    if !root.is_dir() {
        return Ok(vec![root.to_owned()]);
    }
    let mut files = Vec::new();
    collect(root, &mut files)?;
    files.sort();
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let unreadable = |source| Error::Read { path: folder.to_owned(), source };
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path();
        // Links to folders are not followed: they may lead round in a circle.
        if entry.file_type().map_err(unreadable)?.is_dir() {
            collect(&path, files)?;
        } else if Format::Rescue.has_suffix_of(&path) && path.file_name().is_some_and(|n| n != "manifest.json") {
            files.push(path);
        }
    }
    Ok(())
}

fn read_file(path: &Path, id: &str, dropped: Option<&mut Vec<String>>) -> Result<Vec<Sample>> {
    let bytes = file::read(path)?;
    let (text, _) = encoding::decode(&bytes);
    let mut draft = Draft::new(path, dropped.is_some());
    let parsed = json::parse(&text);
    // A JSONL file of one line is one object too.
    let is_object = parsed.as_ref().is_ok_and(Value::is_object) && !is_one_a_line(path);
    let found = match parsed {
        Ok(root) if root.is_object() && is_one_a_line(path) => samples_in(&root).map(|_| vec![(1, root.clone())]),
        Ok(root) => samples_in(&root).map(|list| list.into_iter().map(|v| (0, v.clone())).collect()),
        Err(error) => match lines(&text) {
            Some(Ok(list)) => Some(list),
            Some(Err((line, what))) => return Err(Error::parse(path, line, what, "correct the line")),
            None => {
                return Err(Error::parse(
                    path,
                    error.line(),
                    format!("no JSON: {error}"),
                    "expected a JSON object with `rows`",
                ));
            }
        },
    };
    let Some(found) = found else {
        return Err(Error::parse(
            path,
            0,
            "no RESCUE-bench sample: `rows` is missing",
            "expected an object with a list called `rows`",
        ));
    };
    let one = found.len() == 1 && is_object;
    let id_of = |value: &Value| Some(json::text(value.get("sample_id"))).filter(|own| !one && !own.is_empty());
    let named = |value: &Value| id_of(value).unwrap_or_else(|| id.to_owned());
    let read = |(line, value): &(usize, Value)| {
        let sample = sample(value, &named(value), *line, &mut draft)?;
        Ok(Sample { id_from_content: id_of(value).is_some(), ..sample })
    };
    let mut samples: Vec<Sample> = found.iter().map(read).collect::<Result<_>>()?;
    if let ([only], [(_, value)], true) = (&mut samples[..], &found[..], one)
        && let Some(what) = left::unread_id(&only.id, value)
    {
        draft.warn(format!("sample {:?}: {what}", short(&only.id)));
        only.unread.push(what);
    }
    if draft.changed() > 0 {
        tracing::warn!("{}: {} texts held control characters, which were replaced", path.display(), draft.changed());
    }
    draft.oddities().for_each(|what| tracing::warn!("{}: {what}", path.display()));
    if let Some(dropped) = dropped {
        dropped.extend(draft.dropped().map(|what| format!("{}: {what}", path.display())));
    }
    Ok(samples)
}

/// Whether a file of annotations holds one sample a line, by its name.
pub fn is_one_a_line(file: &Path) -> bool {
    file.extension().is_some_and(|e| e.eq_ignore_ascii_case("jsonl"))
}

/// The name of a file without its suffix.
pub(in crate::transcript) fn stem(path: &Path) -> String {
    path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}
