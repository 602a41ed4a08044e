//! `turnwise export`: measurements in the form that other programs read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use turnwise::corpus::read_manifest;
use turnwise::export::{Told, Wording, cut, rewrite};
use turnwise::media::StreamPick;
use turnwise::output::paths::table_path;
use turnwise::output::read::{StoredTable, read_columns};
use turnwise::pipeline::Request;
use turnwise::time::Segment;

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
    let media: BTreeMap<String, Request> = match &args.clips {
        None => BTreeMap::new(),
        Some(path) => read_manifest(path)?.into_iter().map(|r| (r.interview_id.clone(), r)).collect(),
    };
    let (mut samples, mut measured, mut cut_rows) = (0, 0, 0);
    for file in &files {
        let relative = below(file)?;
        let id: Vec<String> = relative.with_extension("").iter().map(|c| c.to_string_lossy().into_owned()).collect();
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let one_a_line = file.extension().is_some_and(|e| e.eq_ignore_ascii_case("jsonl"));
        let pieces: Vec<&str> = if one_a_line { text.lines().filter(|l| !l.trim().is_empty()).collect() } else { vec![&text] };
        let mut lines = Vec::new();
        for piece in pieces {
            let mut sample: Value = serde_json::from_str(piece).with_context(|| format!("{} is no JSON sample", file.display()))?;
            if !sample.get("rows").is_some_and(Value::is_array) {
                bail!("{} holds no sample: a RESCUE-bench sample has a list \"rows\"", file.display());
            }
            let own = sample.get("sample_id").and_then(Value::as_str).map(|s| s.trim().to_owned());
            let id = own.filter(|s| !s.is_empty()).unwrap_or_else(|| id.join("/"));
            let cues = measured_cues(&wording, &args.out, &id)?;
            measured += usize::from(cues.is_some());
            rewrite(&mut sample, &cues.unwrap_or_default());
            if let Some(request) = media.get(&id) {
                cut_rows += review(&sample, request, &id, &args.to)?;
            } else if args.clips.is_some() {
                tracing::warn!("{id}: the manifest has no such interview; no clips");
            }
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
    let clips = if args.clips.is_some() { format!(", {cut_rows} row clips") } else { String::new() };
    Ok(format!("{samples} samples in {}, {measured} of them with measurements{clips}", args.to.display()))
}

/// The cues of a sample's turns; `None` when it was not extracted.
fn measured_cues(wording: &Wording, out: &Path, id: &str) -> Result<Option<BTreeMap<u32, Told>>> {
    let table = |name: &str, columns: &[&str]| -> Result<Option<StoredTable>> {
        let path = table_path(out, name, id)?;
        Ok(if path.is_file() { Some(read_columns(&path, columns)?) } else { None })
    };
    let Some(turns) = table("turns", &wording.turn_columns())? else { return Ok(None) };
    let dyads = table("dyads", &wording.dyad_columns())?.unwrap_or_default();
    Ok(Some(wording.cues(&turns, &dyads).with_context(|| format!("sample {id}"))?))
}

/// Cuts a sample's row clips and writes their manifest; tells how many.
fn review(sample: &Value, request: &Request, id: &str, to: &Path) -> Result<usize> {
    let Some(video) = &request.media else {
        tracing::warn!("{id}: the manifest names no media; no clips");
        return Ok(0);
    };
    let mut rows = Vec::new();
    for (position, row) in sample.get("rows").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let index = row.get("row_index").and_then(Value::as_u64).unwrap_or(position as u64 + 1);
        let time = |name: &str| row.get(name).and_then(Value::as_f64);
        let span = time("start_time").zip(time("end_time")).and_then(|(a, b)| Segment::from_secs(a, b));
        match span {
            Some(span) => rows.push((u32::try_from(index)?, span)),
            None => tracing::warn!("{id}: row {index} has no times in order; no clip"),
        }
    }
    let assets = table_path(to, "review_assets", id)?.with_extension("");
    let folder = assets.join("clips");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let sound = request.audio.as_ref().unwrap_or(video);
    let clips = cut(video, sound, StreamPick::default(), &rows, &folder).with_context(|| format!("sample {id}"))?;
    let mut listed = Vec::new();
    for clip in &clips {
        // Relative to the export's folder, so that it can be moved as a whole.
        let path = clip.path.strip_prefix(to)?.to_string_lossy().into_owned();
        let secs = (clip.duration_secs * 1000.0).round() / 1000.0;
        listed.push(serde_json::json!({"index": clip.index, "clip_path": path, "duration_sec": secs}));
    }
    let manifest = assets.join("manifest.json");
    let text = serde_json::to_string_pretty(&serde_json::json!({"rows": listed}))?;
    std::fs::write(&manifest, text + "\n").with_context(|| format!("cannot write {}", manifest.display()))?;
    Ok(clips.len())
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
