//! A worker process: reads requests from standard input, one JSON line each, and answers with events on standard
//! output.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::failure::{forget_failure, record_failure};
use super::place::{gone, is_there};
use super::run::{Event, Outcome};
use crate::error::{Error, Result};
use crate::inference::{ModelSet, Registry, Runtime};
use crate::pipeline::{self, Keep, Models, Progress, Request, StageCache, Timings};
use crate::pulse;
use crate::recipe::Recipe;
use crate::store::folder::Target;

/// Progress within a step is told at most this often.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// Work done is told this often, when there was some.
const PULSE_EVERY: Duration = Duration::from_millis(500);

/// What a worker works with.
#[derive(Clone, Copy, Debug)]
pub struct Service<'a> {
    /// Where tables go.
    pub target: Target<'a>,
    /// How they are made.
    pub recipe: &'a Recipe,
    /// The models.
    pub registry: &'a Registry,
    /// How models are run.
    pub runtime: Runtime,
    /// What is done about results of stages of earlier runs.
    pub keep: Keep,
}

/// Serves requests, one a line, until the input ends. Models are loaded once.
///
/// # Errors
/// A model that cannot be loaded, or a closed output; a failing interview is an event.
pub fn serve(
    service: Service<'_>,
    input: impl IntoIterator<Item = std::io::Result<String>>,
    output: impl Write + Send,
) -> Result<()> {
    let output = Mutex::new(output);
    let tell = |event: &Event| -> Result<()> {
        let text = serde_json::to_string(event).map_err(|e| Error::write("standard output", e))?;
        let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(output, "{text}").and_then(|()| output.flush()).map_err(|e| Error::write("standard output", e))
    };
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let pulse = scope.spawn(|| {
            let mut told = 0;
            while !done.load(Ordering::Relaxed) {
                let beats = pulse::beats();
                if beats > told {
                    told = beats;
                    // Nobody listens any more when this fails; the result will say so.
                    let _ = tell(&Event::Worked { beats });
                }
                std::thread::park_timeout(PULSE_EVERY);
            }
        });
        // However it ends, by a panic too: the scope waits for its threads.
        let _over = Over { done: &done, pulse: pulse.thread().clone() };
        answer(service, input, &tell)
    })
}

/// Ends the pulse when the answers end.
struct Over<'a> {
    done: &'a AtomicBool,
    pulse: std::thread::Thread,
}

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        self.pulse.unpark();
    }
}

fn answer(
    service: Service<'_>,
    input: impl IntoIterator<Item = std::io::Result<String>>,
    tell: &(dyn Fn(&Event) -> Result<()> + Sync),
) -> Result<()> {
    let Service { target, recipe, registry, runtime, keep } = service;
    let (cache, models) =
        rayon::join(|| StageCache::new(target.out, registry, recipe, keep), || Models::load(registry, recipe, runtime));
    let mut models = models?;
    for line in input {
        let line = line.map_err(|source| Error::Read { path: "standard input".into(), source })?;
        let request: Request = serde_json::from_str(&line)
            .map_err(|e| Error::parse("standard input", 0, e.to_string(), "this is the program's own protocol"))?;
        let last = Mutex::new(Instant::now());
        let progress = |p: Progress| {
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            if last.elapsed() >= TELL_EVERY || matches!(p, Progress::Step(_)) {
                *last = Instant::now();
                // Nobody listens any more when this fails; the result will say so.
                let _ = tell(&Event::Progress(p));
            }
        };
        let outcome = match one(service, &request, &mut models, cache.as_ref(), &progress) {
            Ok((timings, warnings)) => Outcome::Done { timings, warnings },
            // The next interview would fare no better, hours of work later.
            Err(error) if error.ends_all_writing() || !is_there(target.out) => {
                tell(&Event::Unwritable { error: error.chain() })?;
                continue;
            }
            Err(error) => record_failure(target, &request, recipe, registry, &error),
        };
        tell(&Event::Finished(outcome))?;
    }
    Ok(())
}

fn one(
    service: Service<'_>,
    request: &Request,
    models: &mut Models,
    cache: Option<&StageCache>,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(Timings, Vec<String>)> {
    let Service { target, recipe, registry, .. } = service;
    let mut done = pipeline::extract(request, models, recipe, cache, progress)?;
    if !is_there(target.out) {
        return Err(gone(target.out));
    }
    if let Err(error) = pipeline::write(target, &done, recipe, registry) {
        // On a disk that is full, tables go before what is kept to make them sooner.
        if !(error.ends_all_writing() && cache.is_some_and(|cache| cache.forget(&request.interview_id))) {
            return Err(error);
        }
        done.stage_bytes = 0;
        pipeline::write(target, &done, recipe, registry)?;
    }
    forget_failure(target.out, request, recipe);
    let warnings = done.warning_codes();
    Ok((done.timings, warnings))
}
