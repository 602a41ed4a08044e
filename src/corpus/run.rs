//! Goes through a corpus with worker processes: resumes, isolates, reports.

use std::collections::VecDeque;
use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use super::failure::{record_failure, tidy};
use super::place::prepare;
use super::removed::{Unlisted, keep_needed, prune, unlisted};
use crate::error::{Error, Result};
use crate::inference::Registry;
use crate::output::{folder::OutputFolder, interviews::merge_interviews, paths};
use crate::pipeline::{self, Progress, Request, Timings};
use crate::recipe::Recipe;

/// File in the output folder that a run holds locked.
const LOCK: &str = ".lock";

/// What a worker says.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum Event {
    /// The interview goes on.
    Progress(Progress),
    /// The interview ended.
    Finished(Outcome),
}

/// How an interview ended.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Outcome {
    /// Written.
    Done {
        /// Time spent.
        timings: Timings,
    },
    /// Already there from the same inputs, recipe and models.
    Skipped,
    /// Its row says why.
    Failed {
        /// Short code.
        kind: String,
        /// With all causes.
        error: String,
    },
}

/// What a run needs to know beside the recipe.
pub struct RunSettings<'a> {
    /// Output folder.
    pub out: &'a Path,
    /// Interviews worked on at the same time.
    pub jobs: usize,
    /// A worker that is silent for so long is ended; its interview failed.
    pub stall: Duration,
    /// Do done interviews again.
    pub force: bool,
    /// What to do about interviews that are in the folder and not among the requests.
    pub unlisted: Unlisted,
    /// Command that starts a worker; it is given the recipe as JSON on the first line of its standard input.
    pub worker: &'a (dyn Fn() -> Command + Sync),
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Interviews written.
    pub done: usize,
    /// Interviews that were there already.
    pub skipped: usize,
    /// Ids and errors, in the manifest's order.
    pub failed: Vec<(String, String)>,
    /// Ids in the folder that were not asked for; removed where [`Unlisted::Pruned`] was.
    pub unlisted: Vec<String>,
    /// Rows in the folder that are not in the joined table, each with the reason.
    pub left_out: Vec<String>,
    /// See [`crate::output::provenance::Makings::text`]: empty when all interviews of the folder were made the same way.
    pub ways: String,
}

/// Reports of a run, called from its threads: the position in the manifest and what happened there.
pub type Report<'a> = &'a (dyn Fn(usize, &Request, Update<'_>) + Sync);

/// One report.
#[derive(Debug)]
pub enum Update<'a> {
    /// Work begins.
    Begun,
    /// It goes on.
    Progress(Progress),
    /// A line of the worker's log.
    Log(&'a str),
    /// It ended.
    Ended(&'a Outcome),
}

/// Extracts every interview and merges the rows of all in the folder into `interviews.parquet`.
///
/// # Errors
/// Only what concerns the run as a whole: the output folder, a worker that cannot be started. A failing interview is in the summary.
pub fn run(requests: &[Request], recipe: &Recipe, registry: &Registry, settings: &RunSettings<'_>, report: Report<'_>) -> Result<Summary> {
    std::fs::create_dir_all(settings.out).map_err(|e| Error::write(settings.out, e))?;
    let _alone = lock(settings.out)?;
    prepare(settings.out, requests, recipe)?;
    if settings.unlisted == Unlisted::Pruned {
        keep_needed(settings.out, requests, recipe)?;
    }
    let queue: Mutex<VecDeque<usize>> = Mutex::new((0..requests.len()).collect());
    let outcomes: Mutex<Vec<Option<Outcome>>> = Mutex::new(vec![None; requests.len()]);
    let threads = settings.jobs.clamp(1, requests.len().max(1));
    let results: Vec<Result<()>> = std::thread::scope(|scope| {
        let handles: Vec<_> =
            (0..threads).map(|_| scope.spawn(|| work(requests, recipe, registry, settings, report, &queue, &outcomes))).collect();
        handles
            .into_iter()
            .map(|h| h.join().unwrap_or_else(|_| Err(Error::Worker { interview: "(all)".into(), what: "stopped the run".into() })))
            .collect()
    });
    results.into_iter().collect::<Result<Vec<()>>>()?;
    let mut summary = finish(requests, recipe, settings)?;
    let outcomes = outcomes.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    for (request, outcome) in requests.iter().zip(outcomes) {
        match outcome {
            Some(Outcome::Done { .. }) => summary.done += 1,
            Some(Outcome::Skipped) => summary.skipped += 1,
            Some(Outcome::Failed { error, .. }) => summary.failed.push((request.interview_id.clone(), error)),
            None => summary.failed.push((request.interview_id.clone(), "not reached".into())),
        }
    }
    Ok(summary)
}

/// Looks after the folder as a whole: interviews that were not asked for, and the rows of all.
fn finish(requests: &[Request], recipe: &Recipe, settings: &RunSettings<'_>) -> Result<Summary> {
    let mut summary = Summary::default();
    if settings.unlisted != Unlisted::Ignored {
        summary.unlisted = unlisted(settings.out, requests, recipe)?;
    }
    if settings.unlisted == Unlisted::Pruned {
        prune(settings.out, &summary.unlisted, recipe)?;
    }
    tidy(settings.out, recipe);
    // Those of earlier runs too: the folder's other tables hold them as well.
    let parts = OutputFolder::new(settings.out).files("interviews")?;
    let merged = merge_interviews(&parts, &paths::interviews_path(settings.out))?;
    summary.left_out = merged.left_out.iter().map(|(_, error)| error.chain()).collect();
    summary.ways = merged.makings.text();
    Ok(summary)
}

/// Held while a run writes into a folder; given back when it ends, even by a crash.
fn lock(out: &Path) -> Result<File> {
    let path = out.join(LOCK);
    let file = File::create(&path).map_err(|e| Error::write(&path, e))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Error::Usage {
            what: format!("another run is writing into {}", out.display()),
            hint: "wait for it, or give this one a folder of its own".into(),
        }),
        // A file system that knows no locks is no reason to do nothing.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// One thread: takes interviews off the queue and has its worker process do them.
fn work(
    requests: &[Request],
    recipe: &Recipe,
    registry: &Registry,
    settings: &RunSettings<'_>,
    report: Report<'_>,
    queue: &Mutex<VecDeque<usize>>,
    outcomes: &Mutex<Vec<Option<Outcome>>>,
) -> Result<()> {
    let mut worker: Option<Worker> = None;
    loop {
        let next = queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop_front();
        let Some(index) = next else { break };
        let request = &requests[index];
        let outcome = if !settings.force && pipeline::is_done(settings.out, request, recipe, registry) {
            Outcome::Skipped
        } else {
            report(index, request, Update::Begun);
            let mut process = match worker.take() {
                Some(process) => process,
                None => Worker::start((settings.worker)(), recipe)?,
            };
            match process.extract(request, settings.stall, &|update| report(index, request, update)) {
                Ok(outcome) => {
                    worker = Some(process);
                    outcome
                }
                // The process is gone; the next interview gets a new one.
                Err(error) => record_failure(settings.out, request, recipe, registry, &error),
            }
        };
        report(index, request, Update::Ended(&outcome));
        outcomes.lock().unwrap_or_else(std::sync::PoisonError::into_inner)[index] = Some(outcome);
    }
    Ok(())
}

/// What comes out of a worker process.
enum Line {
    Event(Event),
    Log(String),
}

/// A running worker process.
struct Worker {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Line>,
}

impl Worker {
    /// The recipe goes ahead of the requests.
    fn start(mut command: Command, recipe: &Recipe) -> Result<Self> {
        let recipe = recipe.canonical_json()?;
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| Error::Worker { interview: "(any)".into(), what: format!("cannot be started: {e}") })?;
        let (send, lines) = mpsc::channel();
        let mut input = child.stdin.take();
        // One that ended at once is seen when it is asked.
        let _ = input.as_mut().map(|input| writeln!(input, "{recipe}"));
        if let Some(stdout) = child.stdout.take() {
            let send = send.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(std::result::Result::ok) {
                    let line = match serde_json::from_str(&line) {
                        Ok(event) => Line::Event(event),
                        // A foreign library that prints must not break the protocol.
                        Err(_) => Line::Log(line),
                    };
                    if send.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        if let Some(stderr) = child.stderr.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(stderr).lines().map_while(std::result::Result::ok) {
                    if send.send(Line::Log(line)).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Worker { child, input, lines })
    }

    /// Has one interview done. An error means that the process is no more.
    fn extract(&mut self, request: &Request, stall: Duration, report: &dyn Fn(Update<'_>)) -> Result<Outcome> {
        let gone = |what: String| Error::Worker { interview: request.interview_id.clone(), what };
        let line = serde_json::to_string(request).map_err(|e| gone(format!("cannot be asked: {e}")))?;
        let sent = self.input.as_mut().map(|input| writeln!(input, "{line}").and_then(|()| input.flush()));
        let mut last_words = String::new();
        if matches!(sent, Some(Ok(()))) {
            loop {
                match self.lines.recv_timeout(stall) {
                    Ok(Line::Event(Event::Progress(p))) => report(Update::Progress(p)),
                    Ok(Line::Event(Event::Finished(outcome))) => return Ok(outcome),
                    Ok(Line::Log(text)) => {
                        report(Update::Log(&text));
                        last_words = text;
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        let secs = stall.as_secs();
                        return Err(gone(format!("was ended after {secs} s without progress; --stall-secs gives it more time")));
                    }
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        }
        // What it said before it ended is still in the pipe.
        while let Ok(line) = self.lines.recv_timeout(Duration::from_millis(500)) {
            if let Line::Log(text) = line {
                report(Update::Log(&text));
                last_words = text;
            }
        }
        let how = self.child.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
        Err(gone(if last_words.is_empty() { format!("ended: {how}") } else { format!("ended: {how}: {last_words}") }))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Closing its input ends an idle worker; one that hangs is killed.
        drop(self.input.take());
        for _ in 0..50 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_never_write_into_one_folder() {
        let folder = tempfile::tempdir().unwrap();
        let held = lock(folder.path()).unwrap();
        let e = lock(folder.path()).unwrap_err();
        assert!(matches!(e, Error::Usage { .. }) && e.to_string().contains("another run"), "{e}");
        drop(held);
        lock(folder.path()).unwrap();
    }
}
