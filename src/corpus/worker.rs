//! A worker process: reads requests from standard input, one JSON line each, and answers with events on standard output.

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::failure::{forget_failure, record_failure};
use super::run::{Event, Outcome};
use crate::error::{Error, Result};
use crate::inference::{Registry, Runtime};
use crate::pipeline::{self, Models, Progress, Request, Timings};
use crate::recipe::Recipe;

/// Progress within a step is told at most this often.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// Serves requests, one a line, until the input ends. Models are loaded once.
///
/// # Errors
/// A model that cannot be loaded, or a closed output; a failing interview is an event.
pub fn serve(
    out: &Path,
    recipe: &Recipe,
    registry: &Registry,
    runtime: Runtime,
    input: impl IntoIterator<Item = std::io::Result<String>>,
    output: impl Write + Send,
) -> Result<()> {
    let mut models = Models::load(registry, recipe, runtime)?;
    let output = Mutex::new(output);
    let tell = |event: &Event| -> Result<()> {
        let text = serde_json::to_string(event).map_err(|e| Error::write("standard output", e))?;
        let mut output = output.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        writeln!(output, "{text}").and_then(|()| output.flush()).map_err(|e| Error::write("standard output", e))
    };
    for line in input {
        let line = line.map_err(|source| Error::Read { path: "standard input".into(), source })?;
        let request: Request = serde_json::from_str(&line)
            .map_err(|e| Error::parse("standard input", 0, e.to_string(), "this is the program's own protocol"))?;
        let last = Mutex::new(Instant::now());
        let progress = |p: Progress| {
            let mut last = last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if last.elapsed() >= TELL_EVERY || matches!(p, Progress::Step(_)) {
                *last = Instant::now();
                // Nobody listens any more when this fails; the result will say so.
                let _ = tell(&Event::Progress(p));
            }
        };
        let outcome = match one(out, &request, &mut models, recipe, registry, &progress) {
            Ok(timings) => Outcome::Done { timings },
            Err(error) => record_failure(out, &request, recipe, registry, &error),
        };
        tell(&Event::Finished(outcome))?;
    }
    Ok(())
}

fn one(
    out: &Path,
    request: &Request,
    models: &mut Models,
    recipe: &Recipe,
    registry: &Registry,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Timings> {
    let done = pipeline::extract(request, models, recipe, progress)?;
    pipeline::write(out, &done, recipe, registry)?;
    forget_failure(out, request, recipe);
    Ok(done.timings)
}
