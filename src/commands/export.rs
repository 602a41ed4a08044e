//! `turnwise export`: measurements in the form that other programs read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use turnwise::corpus::read_manifest;
use turnwise::error::Error;
use turnwise::export::{Measured, Questions, ReviewClip, Said, Wording, cut, lines, rewrite};
use turnwise::media::StreamPick;
use turnwise::pipeline::{Request, schemas};
use turnwise::recipe::Recipe;
use turnwise::spelling::meant;
use turnwise::store::folder::{OutputFolder, StoredFile};
use turnwise::store::paths::table_path;
use turnwise::store::provenance::Makings;
use turnwise::store::read::{StoredTable, read_column_names, read_columns, read_metadata};
use turnwise::store::whole::write_text;
use turnwise::time::Segment;
use turnwise::transcript::rescue::sample_files;

use super::annotations::{AnnotatedRow, agree};
use super::provenance::{own_tables, refuse_mixed, tell_unfinished};
use super::{keep_apart, must_be_there};
use crate::cli::{ExportJsonl, ExportRescue};

/// Writes the benchmark's samples anew, cue fields from measurements; tells how many.
pub fn rescue(args: &ExportRescue) -> Result<String> {
    let wording = wording(args.cues.as_deref(), &args.out)?;
    let root = &args.annotations;
    if root.is_dir() && args.to.starts_with(root) {
        bail!("{} lies inside {}: the export would be read as annotations; name another folder", args.to.display(), root.display());
    }
    let files = sample_files(root)?;
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
    must_be_there(&args.out)?;
    let mut all = Makings::default();
    for file in &files {
        for (id, _) in samples_of(file, &below(file)?)? {
            own_makings(&args.out, &id, &mut all)?;
        }
    }
    refuse_mixed(&all, args.mixed, "the export")?;
    for file in &files {
        let relative = below(file)?;
        let one_a_line = is_one_a_line(file);
        let mut lines = Vec::new();
        for (id, mut sample) in samples_of(file, &relative)? {
            agree(&id, &rows_of(&sample), &args.out)?;
            let found = measured_in(&wording, &args.out, &id)?;
            measured += usize::from(found.is_some());
            rewrite(&mut sample, &found.unwrap_or_default().cues);
            if let Some(request) = media.get(&id) {
                // One film that cannot be read costs its own clips only.
                match review(&sample, request, &id, &args.to) {
                    Ok(clips) => cut_rows += clips,
                    Err(e) => tracing::warn!("{id}: no clips: {e:#}"),
                }
            } else if args.clips.is_some() {
                tracing::warn!("{id}: the manifest has no such interview; no clips");
            }
            samples += 1;
            lines.push(if one_a_line { serde_json::to_string(&sample)? } else { serde_json::to_string_pretty(&sample)? });
        }
        let target = args.to.join(relative);
        write_text(&target, &(lines.join("\n") + "\n"))?;
    }
    if measured == 0 {
        tracing::warn!("no sample's id is an interview of {}: every cue is empty", args.out.display());
    }
    let clips = if args.clips.is_some() { format!(", {cut_rows} row clips") } else { String::new() };
    Ok(format!("{samples} samples in {}, {measured} of them with measurements{clips}", args.to.display()))
}

fn is_one_a_line(file: &Path) -> bool {
    file.extension().is_some_and(|e| e.eq_ignore_ascii_case("jsonl"))
}

/// The samples of a file with their ids: their own, else the file's place among the annotations.
fn samples_of(file: &Path, relative: &Path) -> Result<Vec<(String, Value)>> {
    let place: Vec<String> = relative.with_extension("").iter().map(|c| c.to_string_lossy().into_owned()).collect();
    let text = turnwise::file::read_text(file)?;
    let pieces: Vec<&str> = if is_one_a_line(file) { text.lines().filter(|l| !l.trim().is_empty()).collect() } else { vec![&text] };
    let mut samples = Vec::new();
    for piece in pieces {
        let sample: Value = serde_json::from_str(piece).with_context(|| format!("{} is no JSON sample", file.display()))?;
        if !sample.get("rows").is_some_and(Value::is_array) {
            bail!("{} holds no sample: a RESCUE-bench sample has a list \"rows\"", file.display());
        }
        let own = sample.get("sample_id").and_then(Value::as_str).map(|s| s.trim().to_owned());
        samples.push((own.filter(|s| !s.is_empty()).unwrap_or_else(|| place.join("/")), sample));
    }
    Ok(samples)
}

/// The wording, its columns looked for: a cue of a column that is nowhere would never be told.
fn wording(path: Option<&Path>, out: &Path) -> Result<Wording> {
    let wording = Wording::load(path)?;
    let Some(path) = path else { return Ok(wording) };
    let schemas = schemas(&Recipe::default());
    for (table, column) in wording.sources() {
        let own = schemas.iter().filter(|s| s.name == table).flat_map(|s| &s.columns);
        let mut known: Vec<String> = own.map(|c| c.name.to_string()).collect();
        if known.iter().any(|k| k == column) {
            continue;
        }
        // Another recipe has other columns.
        for file in OutputFolder::new(out).files(table)? {
            known.extend(read_column_names(&file.path)?);
        }
        if !known.iter().any(|k| k == column) {
            let what = format!("{table} has no column {column:?}{}", meant(column, known.iter().map(String::as_str)));
            return Err(Error::Recipe { place: path.display().to_string(), what }.into());
        }
    }
    Ok(wording)
}

/// Tables that cues are taken from.
const CUE_TABLES: [&str; 2] = ["turns", "dyads"];

/// Takes in how an interview's tables were made, as far as cues are taken from them.
fn own_makings(out: &Path, id: &str, makings: &mut Makings) -> Result<()> {
    tell_unfinished(out, id)?;
    for (_, path) in own_tables(out, id, &CUE_TABLES)? {
        makings.add(&read_metadata(&path)?.metadata, id);
    }
    Ok(())
}

/// Columns of a task's table that are told.
const TASK_COLUMNS: [&str; 18] = [
    "interview_id",
    "instance_id",
    "split_group",
    "rule",
    "turn_index",
    "speaker",
    "label",
    "label_value",
    "label_intensity",
    "label_viewpoints",
    "candidates",
    "known_support_target",
    "evidence_rows",
    "unit",
    "source",
    "target",
    "context_first_row",
    "context_last_row",
];

/// Writes one file a task; tells how many instances each has.
pub fn jsonl(args: &ExportJsonl) -> Result<String> {
    let (wording, questions) = (wording(args.cues.as_deref(), &args.out)?, Questions::load(args.questions.as_deref())?);
    let there = OutputFolder::new(&args.out).files("tasks")?;
    let known: Vec<&str> = there.iter().map(|f| f.interview_id.as_str()).collect();
    if let Some(unknown) = args.task.iter().find(|t| !known.contains(&t.as_str())) {
        bail!("{} has no table of the task {unknown}; there are: {}", args.out.display(), known.join(", "));
    }
    if known.is_empty() {
        bail!("{} has no task tables; make them with turnwise tasks", args.out.display());
    }
    questions.allow_only(&known)?;
    let chosen: Vec<&StoredFile> = there.iter().filter(|f| args.task.is_empty() || args.task.contains(&f.interview_id)).collect();
    chosen.iter().try_for_each(|file| made_alike(&args.out, file, args.mixed))?;
    std::fs::create_dir_all(&args.to).with_context(|| format!("cannot make the folder {}", args.to.display()))?;
    let mut told = String::new();
    // Tasks are mostly of the same interviews.
    let mut measured: BTreeMap<String, Measured> = BTreeMap::new();
    for file in chosen {
        let task = &file.interview_id;
        let table = read_columns(&file.path, &TASK_COLUMNS)?;
        for id in (0..table.rows()).filter_map(|row| table.text("interview_id", row)) {
            if !measured.contains_key(id) {
                measured.insert(id.to_owned(), measured_in(&wording, &args.out, id)?.unwrap_or_default());
            }
        }
        let all = lines(task, &table, &questions, &measured)?;
        let target = args.to.join(format!("{task}.jsonl"));
        let text: String = all.iter().map(|l| format!("{l}\n")).collect();
        write_text(&target, &text)?;
        writeln!(told, "{}: {} instances", target.display(), all.len())?;
    }
    Ok(told)
}

/// Refuses a task's table whose interviews were made in several ways, or in another one than the table itself: one made before they were
/// extracted again is of other turns.
fn made_alike(out: &Path, file: &StoredFile, mixed: bool) -> Result<()> {
    let mut all = Makings::default();
    all.add(&read_metadata(&file.path)?.metadata, &format!("(the table of task {})", file.interview_id));
    let ids = read_columns(&file.path, &["interview_id"])?;
    let ids: BTreeSet<&str> = (0..ids.rows()).filter_map(|row| ids.text("interview_id", row)).collect();
    ids.into_iter().try_for_each(|id| own_makings(out, id, &mut all))?;
    refuse_mixed(&all, mixed, &format!("the export of task {}", file.interview_id))
}

/// What the tables tell of an interview's turns; `None` when it was not extracted.
fn measured_in(wording: &Wording, out: &Path, id: &str) -> Result<Option<Measured>> {
    let own = own_tables(out, id, &CUE_TABLES)?;
    let table = |name: &str, columns: &[&str]| -> Result<Option<StoredTable>> {
        let path = own.iter().find(|(table, _)| *table == name).map(|(_, path)| path);
        Ok(path.map(|path| read_columns(path, columns)).transpose()?)
    };
    let mut columns = wording.turn_columns();
    columns.push("text");
    let Some(turns) = table("turns", &columns)? else { return Ok(None) };
    let dyads = table("dyads", &wording.dyad_columns())?.unwrap_or_default();
    let text = |name: &str, row| turns.text(name, row).map(ToOwned::to_owned);
    let said = |row| Some((turns.number("turn_index", row)? as u32, Said { speaker: text("speaker", row), text: text("text", row) }));
    Ok(Some(Measured { cues: wording.cues(&turns, &dyads)?, said: (0..turns.rows()).filter_map(said).collect() }))
}

/// A clip this much shorter than its row is told.
const SHORTENED_SECS: f64 = 0.05;

/// Index, speaker, start and end of a sample's rows, as far as they are there.
fn rows_of(sample: &Value) -> Vec<AnnotatedRow> {
    let rows = sample.get("rows").and_then(Value::as_array).into_iter().flatten().enumerate();
    rows.filter_map(|(position, row)| {
        let index = row.get("row_index").and_then(Value::as_u64).unwrap_or(position as u64 + 1);
        let time = |name: &str| row.get(name).and_then(Value::as_f64);
        let speaker = row.get("primary_speaker").and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        Some(AnnotatedRow { index: u32::try_from(index).ok()?, speaker, span: time("start_time").zip(time("end_time")) })
    })
    .collect()
}

/// Cuts a sample's row clips and writes their manifest; tells how many.
fn review(sample: &Value, request: &Request, id: &str, to: &Path) -> Result<usize> {
    let Some(video) = &request.media else {
        tracing::warn!("{id}: the manifest names no media; no clips");
        return Ok(0);
    };
    let mut rows = Vec::new();
    for row in rows_of(sample) {
        match row.span.and_then(|(start, end)| Segment::from_secs(start, end)) {
            Some(span) => rows.push((row.index, span)),
            None => tracing::warn!("{id}: row {} has no times in order; no clip", row.index),
        }
    }
    let assets = table_path(to, "review_assets", id)?.with_extension("");
    let folder = assets.join("clips");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let sound = request.audio.as_ref().unwrap_or(video);
    let asked = rows.len();
    let clips = cut(video, sound, StreamPick::default(), &rows, &folder).with_context(|| format!("sample {id}"))?;
    let mut listed = Vec::new();
    for clip in &clips {
        // Relative to the export's folder, so that it can be moved as a whole.
        let path = clip.path.strip_prefix(to)?.to_string_lossy().into_owned();
        let secs = (clip.duration_secs * 1000.0).round() / 1000.0;
        listed.push(serde_json::json!({"index": clip.index, "clip_path": path, "duration_sec": secs}));
    }
    let has_clip = |index: u32| clips.iter().any(|c| c.index == index);
    let missing: Vec<u32> = rows.iter().map(|r| r.0).filter(|i| !has_clip(*i)).collect();
    let shortened = |c: &&ReviewClip| rows.iter().any(|(i, s)| *i == c.index && s.duration() - c.duration_secs > SHORTENED_SECS);
    let short: Vec<u32> = clips.iter().filter(shortened).map(|c| c.index).collect();
    if clips.len() < asked || !short.is_empty() {
        let end = "past the end of the media or without length";
        tracing::warn!("{id}: no clips of rows {missing:?} ({end}), cut short by the media's end {short:?}");
    }
    let manifest = assets.join("manifest.json");
    let text = serde_json::to_string_pretty(&serde_json::json!({"rows": listed, "rows_without_clip": missing, "rows_cut_short": short}))?;
    write_text(&manifest, &(text + "\n"))?;
    Ok(clips.len())
}
