//! What happened to each interview, beside its tables: `logs/<interview_id>.jsonl`, one JSON object a line, of the last
//! run that worked on it. Told on standard error too where `--log-json` asks for it.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use turnwise::corpus::{Outcome, Update};
use turnwise::pipeline::{Progress, Request, told_text};
use turnwise::recipe::Recipe;
use turnwise::store::paths::log_path;

use super::logging;

/// Writes the logs of a run.
pub struct Logs<'a> {
    out: PathBuf,
    recipe: &'a Recipe,
    files: Mutex<HashMap<usize, File>>,
    failed: AtomicBool,
}

impl<'a> Logs<'a> {
    /// Into this folder.
    pub fn new(out: &Path, recipe: &'a Recipe) -> Self {
        Logs { out: out.to_owned(), recipe, files: Mutex::default(), failed: AtomicBool::new(false) }
    }

    /// Writes one report of the run.
    pub fn update(&self, index: usize, request: &Request, update: &Update<'_>) {
        let Some(event) = event(update) else { return };
        let line = logging::event(event);
        if logging::is_json() {
            let mut told = line.clone();
            told["interview_id"] = json!(request.interview_id);
            logging::write(&told);
        }
        if let Err(error) = self.keep(index, request, update, line) {
            // A log is no reason to fail an interview; and one word of it is enough.
            if !self.failed.swap(true, Ordering::Relaxed) {
                tracing::warn!("{}: its log cannot be written: {error}", request.interview_id);
            }
        }
    }

    fn keep(&self, index: usize, request: &Request, update: &Update<'_>, mut line: Value) -> std::io::Result<()> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(update, Update::Begun) {
            let path = log_path(&self.out, &request.interview_id).map_err(std::io::Error::other)?;
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            files.insert(index, File::create(path)?);
        }
        // Nothing is written of interviews that were done already.
        let written = files.get(&index).map(|mut file| {
            // What lies in the folder tells no more of places than the tables do.
            each_text(&mut line, &|text| told_text(request, self.recipe, text));
            writeln!(file, "{line}")
        });
        if matches!(update, Update::Ended(_)) {
            files.remove(&index);
        }
        written.unwrap_or(Ok(()))
    }
}

/// Changes every text of a JSON value.
fn each_text(value: &mut Value, change: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(all) => all.iter_mut().for_each(|v| each_text(v, change)),
        Value::Object(all) => all.values_mut().for_each(|v| each_text(v, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What is told of a report; nothing of how far the picture is.
fn event(update: &Update<'_>) -> Option<Value> {
    Some(match update {
        Update::Begun => json!({ "event": "begun" }),
        Update::Progress(Progress::Step(step)) => json!({ "event": "step", "step": step }),
        Update::Progress(Progress::Watching { .. }) => return None,
        Update::Log(text) => json!({ "event": "log", "text": text.trim() }),
        Update::Ended(Outcome::Done { timings, warnings }) => {
            json!({ "event": "done", "timings": timings, "warnings": warnings })
        }
        Update::Ended(Outcome::Skipped) => json!({ "event": "skipped" }),
        Update::Ended(Outcome::Failed { kind, error }) => json!({ "event": "failed", "kind": kind, "error": error }),
    })
}
