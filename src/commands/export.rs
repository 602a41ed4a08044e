//! `turnwise export`: measurements in the form that other programs read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use turnwise::export::{Wording, rewrite};
use turnwise::output::paths::table_path;
use turnwise::output::read::read_columns;

use super::keep_apart;
use crate::cli::ExportRescue;

/// Writes the benchmark's samples anew, cue fields from measurements; tells how many.
pub fn rescue(args: &ExportRescue) -> Result<String> {
    let wording = Wording::load(args.cues.as_deref())?;
    let root = &args.annotations;
    let mut files = Vec::new();
    if root.is_dir() {
        if args.to.starts_with(root) {
            bail!("{} lies inside {}: the export would be read as annotations; name another folder", args.to.display(), root.display());
        }
        collect(root, &mut files)?;
        files.sort();
    } else {
        files.push(root.clone());
    }
    let below = |file: &Path| -> Result<PathBuf> {
        Ok(if root.is_dir() { file.strip_prefix(root)?.to_owned() } else { PathBuf::from(file.file_name().unwrap_or_default()) })
    };
    // All of them before the first is written: the annotations are not ours to lose.
    for file in &files {
        keep_apart(file, &args.to.join(below(file)?))?;
    }
    let (mut samples, mut measured) = (0, 0);
    for file in &files {
        let relative = below(file)?;
        let id: Vec<String> = relative.with_extension("").iter().map(|c| c.to_string_lossy().into_owned()).collect();
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let one_a_line = file.extension().is_some_and(|e| e.eq_ignore_ascii_case("jsonl"));
        let pieces: Vec<&str> = if one_a_line { text.lines().filter(|l| !l.trim().is_empty()).collect() } else { vec![&text] };
        let mut lines = Vec::new();
        for piece in pieces {
            let mut sample: Value = serde_json::from_str(piece).with_context(|| format!("{} is no JSON sample", file.display()))?;
            let own = sample.get("sample_id").and_then(Value::as_str).map(|s| s.trim().to_owned());
            let id = own.filter(|s| !s.is_empty()).unwrap_or_else(|| id.join("/"));
            let table = table_path(&args.out, "turns", &id)?;
            let mut cues = BTreeMap::new();
            if table.is_file() {
                cues = wording.cues(&read_columns(&table, &wording.columns())?);
                measured += 1;
            }
            rewrite(&mut sample, &cues);
            samples += 1;
            lines.push(if one_a_line { serde_json::to_string(&sample)? } else { serde_json::to_string_pretty(&sample)? });
        }
        let target = args.to.join(relative);
        if let Some(folder) = target.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        std::fs::write(&target, lines.join("\n") + "\n").with_context(|| format!("cannot write {}", target.display()))?;
    }
    if measured == 0 {
        tracing::warn!("no sample's id is an interview of {}: every cue is empty", args.out.display());
    }
    Ok(format!("{samples} samples in {}, {measured} of them with measurements", args.to.display()))
}

/// The files that hold samples, by the benchmark's rule.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let path = entry.path();
        let suffix = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        if entry.file_type()?.is_dir() {
            collect(&path, files)?;
        } else if (suffix == "json" || suffix == "jsonl") && path.file_name().is_some_and(|n| n != "manifest.json") {
            files.push(path);
        }
    }
    Ok(())
}
