//! Goes through a corpus with worker processes: resumes, isolates, reports.

use std::collections::VecDeque;
use std::io::Write;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::failure::{record_failure, tidy};
use super::place::{gone, is_there, lock, prepare};
use super::removed::{Unlisted, keep_needed, prune, unlisted};
use super::watch::{self, Limits, Overrun, Watch};
use crate::error::{Error, Result};
use crate::inference::Registry;
use crate::pipeline::{self, Progress, Request, Timings};
use crate::recipe::Recipe;
use crate::store::Writer;
use crate::store::folder::{OutputFolder, Target};
use crate::store::interviews::merge_interviews;

/// Bytes kept of a line that a worker says, events apart from its log.
const EVENT_BYTES: usize = 1 << 20;
const LOG_BYTES: usize = 4096;

/// Lines of a worker's log told of one interview.
const MOST_LOG_LINES: usize = 10_000;

/// Lines that wait to be heard before the worker has to.
const WAITING_LINES: usize = 1024;

/// What an idle worker is given to end by itself, and one that fell silent.
const IDLE_END: Duration = Duration::from_millis(500);
const ENDING: Duration = Duration::from_secs(5);

/// What a worker says.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum Event {
    /// The interview goes on, for people.
    Progress(Progress),
    /// Work was done (see [`crate::pulse`]), for the watch.
    Worked {
        /// Since the worker began.
        beats: u64,
    },
    /// Nothing more can be written into the output folder.
    Unwritable {
        /// With all causes.
        error: String,
    },
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
        /// Codes of its warnings, each as often as there are warnings of the kind, sorted.
        warnings: Vec<String>,
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
    /// Writes the tables.
    pub writer: Writer,
    /// Interviews worked on at the same time.
    pub jobs: usize,
    /// A worker that takes more is ended; its interview failed.
    pub limits: Limits,
    /// Do done interviews again.
    pub force: bool,
    /// What to do about interviews that are in the folder and not among the requests.
    pub unlisted: Unlisted,
    /// Read all of the inputs and outputs of a done interview before believing that they are what they were.
    pub verify: bool,
    /// Not 0 once the run is to end: the number of a signal.
    pub stop: &'a AtomicUsize,
    /// Command that starts a worker; it is given the recipe as JSON on the first line of its standard input.
    pub worker: &'a (dyn Fn() -> Command + Sync),
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Interviews written.
    pub done: usize,
    /// Those of them that have warnings.
    pub warned: usize,
    /// Interviews that were there already.
    pub skipped: usize,
    /// Ids and errors, in the manifest's order.
    pub failed: Vec<(String, String)>,
    /// Ids in the folder that were not asked for; removed where [`Unlisted::Pruned`] was.
    pub unlisted: Vec<String>,
    /// Rows in the folder that are not in the joined table, each with the reason.
    pub left_out: Vec<String>,
    /// See [`crate::store::provenance::Makings::text`]: empty when all interviews of the folder were made the same way.
    pub ways: String,
    /// Interviews not reached, or left half done, when the run was stopped.
    pub left: usize,
    /// The signal that stopped it.
    pub stopped: Option<usize>,
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

/// What the threads of a run share.
struct Shared {
    queue: Mutex<VecDeque<usize>>,
    outcomes: Mutex<Vec<Option<Outcome>>>,
    /// Something concerns the run as a whole: nobody begins another interview.
    ended: AtomicBool,
}

/// Extracts every interview and merges the rows of all in the folder into `interviews.parquet`, whether the run comes
/// to its end or is stopped.
///
/// # Errors
/// Only what concerns the run as a whole: an output folder that cannot be written to, or no more, a worker that cannot
/// be started. A failing interview is in the summary.
pub fn run(
    requests: &[Request],
    recipe: &Recipe,
    registry: &Registry,
    settings: &RunSettings<'_>,
    report: Report<'_>,
) -> Result<Summary> {
    std::fs::create_dir_all(settings.out).map_err(|e| Error::write(settings.out, e))?;
    let _alone = lock(settings.out)?;
    prepare(settings.out, requests, recipe, settings.writer)?;
    if settings.unlisted == Unlisted::Pruned {
        keep_needed(settings.out, requests, recipe)?;
    }
    let shared = Shared {
        queue: Mutex::new((0..requests.len()).collect()),
        outcomes: Mutex::new(vec![None; requests.len()]),
        ended: AtomicBool::new(false),
    };
    let threads = settings.jobs.clamp(1, requests.len().max(1));
    let one = || {
        let result = work(requests, recipe, registry, settings, report, &shared);
        if result.is_err() {
            shared.ended.store(true, Ordering::Relaxed);
        }
        result
    };
    let results: Vec<Result<()>> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        handles
            .into_iter()
            .map(|h| {
                h.join().unwrap_or_else(|_| {
                    Err(Error::Worker { interview: "(all)".into(), what: "stopped the run".into() })
                })
            })
            .collect()
    });
    let ended = results.into_iter().collect::<Result<Vec<()>>>();
    // After an error too, if it can be: what is done is to be seen.
    let whole = ended.is_ok() && settings.stop.load(Ordering::Relaxed) == 0;
    let finished =
        if is_there(settings.out) { finish(requests, recipe, settings, whole) } else { Ok(Summary::default()) };
    ended?;
    let mut summary = finished?;
    let outcomes = shared.outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (request, outcome) in requests.iter().zip(outcomes) {
        match outcome {
            Some(Outcome::Done { warnings, .. }) => {
                summary.done += 1;
                summary.warned += usize::from(!warnings.is_empty());
            }
            Some(Outcome::Skipped) => summary.skipped += 1,
            Some(Outcome::Failed { error, .. }) => summary.failed.push((request.interview_id.clone(), error)),
            None => summary.left += 1,
        }
    }
    summary.stopped = Some(settings.stop.load(Ordering::Relaxed)).filter(|signal| *signal != 0);
    Ok(summary)
}

/// Looks after the folder as a whole: interviews that were not asked for, which only a run that went to its end judges,
/// and the rows of all.
fn finish(requests: &[Request], recipe: &Recipe, settings: &RunSettings<'_>, whole: bool) -> Result<Summary> {
    let mut summary = Summary::default();
    if whole && settings.unlisted != Unlisted::Ignored {
        summary.unlisted = unlisted(settings.out, requests, recipe)?;
    }
    if whole && settings.unlisted == Unlisted::Pruned {
        prune(settings.out, &summary.unlisted, recipe)?;
    }
    tidy(settings.out, recipe);
    // Those of earlier runs too: the folder's other tables hold them as well.
    let parts = OutputFolder::new(settings.out).files("interviews")?;
    let merged = merge_interviews(&parts, &settings.writer.path(settings.out, "interviews"))?;
    summary.left_out = merged.left_out.iter().map(|(_, error)| error.chain()).collect();
    summary.ways = merged.makings.text();
    Ok(summary)
}

/// One thread: takes interviews off the queue and has its worker process do them.
fn work(
    requests: &[Request],
    recipe: &Recipe,
    registry: &Registry,
    settings: &RunSettings<'_>,
    report: Report<'_>,
    shared: &Shared,
) -> Result<()> {
    let mut worker: Option<Worker> = None;
    let is_over = || settings.stop.load(Ordering::Relaxed) != 0 || shared.ended.load(Ordering::Relaxed);
    while !is_over() {
        let next = shared.queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(index) = next else { break };
        if !is_there(settings.out) {
            return Err(gone(settings.out));
        }
        let request = &requests[index];
        let outcome = if !settings.force && pipeline::is_done(settings.out, request, recipe, registry, settings.verify)
        {
            Outcome::Skipped
        } else {
            report(index, request, Update::Begun);
            let mut process = match worker.take() {
                Some(process) => process,
                None => Worker::start((settings.worker)(), recipe)?,
            };
            match process.extract(request, settings.limits, &is_over, &|update| report(index, request, update)) {
                Ok(Some(outcome)) => {
                    worker = Some(process);
                    outcome
                }
                // Half done, and left so: no row says anything about it.
                Ok(None) => break,
                Err(error @ Error::Write { .. }) => return Err(error),
                // The process is gone; the next interview gets a new one.
                Err(error) => {
                    drop(process);
                    let target = Target { out: settings.out, writer: settings.writer };
                    record_failure(target, request, recipe, registry, &error)
                }
            }
        };
        report(index, request, Update::Ended(&outcome));
        shared.outcomes.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(outcome);
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
        let (send, lines) = mpsc::sync_channel(WAITING_LINES);
        let mut input = child.stdin.take();
        // One that ended at once is seen when it is asked.
        let _ = input.as_mut().map(|input| writeln!(input, "{recipe}"));
        if let Some(stdout) = child.stdout.take() {
            let send = send.clone();
            std::thread::spawn(move || {
                watch::lines(stdout, EVENT_BYTES, |mut line| {
                    let line = serde_json::from_str(&line).map(Line::Event).unwrap_or_else(|_| {
                        // What a foreign library prints must not break the protocol.
                        line.truncate(line.floor_char_boundary(LOG_BYTES));
                        Line::Log(line)
                    });
                    send.send(line).is_ok()
                });
            });
        }
        if let Some(stderr) = child.stderr.take() {
            std::thread::spawn(move || watch::lines(stderr, LOG_BYTES, |line| send.send(Line::Log(line)).is_ok()));
        }
        Ok(Worker { child, input, lines })
    }

    /// Has one interview done; `None` when the run `is_over` before it is. An error, and `None`, mean that the process
    /// is no more.
    fn extract(
        &mut self,
        request: &Request,
        limits: Limits,
        is_over: &dyn Fn() -> bool,
        report: &dyn Fn(Update<'_>),
    ) -> Result<Option<Outcome>> {
        let interview = || request.interview_id.clone();
        let failed = |what: String| Error::Worker { interview: interview(), what };
        let line = serde_json::to_string(request).map_err(|e| failed(format!("cannot be asked: {e}")))?;
        let sent = self.input.as_mut().map(|input| writeln!(input, "{line}").and_then(|()| input.flush()));
        let mut log = Log { report, told: 0, last: String::new() };
        if matches!(sent, Some(Ok(()))) {
            match self.listen(limits, is_over, &mut log) {
                Heard::Event(Event::Unwritable { error }) => return Err(Error::write(interview(), error)),
                Heard::Event(Event::Finished(outcome)) => return Ok(Some(outcome)),
                Heard::Over => return Ok(None),
                Heard::Overrun(Overrun::Still) => {
                    let secs = limits.stall.as_secs();
                    return Err(failed(format!(
                        "was ended after {secs} s without progress; --stall-secs gives it more time"
                    )));
                }
                Heard::Overrun(Overrun::Memory(held)) => {
                    let limit_mb = limits.memory_bytes.unwrap_or_default() >> 20;
                    return Err(Error::Memory { interview: interview(), used_mb: held >> 20, limit_mb });
                }
                Heard::Event(_) | Heard::Gone => {}
            }
        }
        // What it said before it ended is still in the pipe.
        while let Ok(line) = self.lines.recv_timeout(Duration::from_millis(500)) {
            if let Line::Log(text) = line {
                log.tell(text);
            }
        }
        if is_over() {
            // A signal for all of a group ends the workers as well.
            return Ok(None);
        }
        let how = self.end(ENDING);
        Err(failed(if log.last.is_empty() { format!("ended: {how}") } else { format!("ended: {how}: {}", log.last) }))
    }

    /// Closing its input ends an idle worker; one that hangs after so long is killed. Tells how it ended.
    fn end(&mut self, patience: Duration) -> String {
        drop(self.input.take());
        let begun = Instant::now();
        while begun.elapsed() < patience && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(10));
        }
        // It may be gone by itself, and is asked how in any case.
        let _ = self.child.kill();
        let how = self.child.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
        if how.contains("signal: 9") { format!("{how}, as when the system runs out of memory") } else { how }
    }

    /// Listens until the interview ended one way or another; a process that takes too much, or whose run is over, is
    /// killed.
    fn listen(&mut self, limits: Limits, is_over: &dyn Fn() -> bool, log: &mut Log<'_>) -> Heard {
        let mut watch = Watch::new(limits, self.child.id());
        loop {
            match self.lines.recv_timeout(watch::TICK) {
                Ok(Line::Event(Event::Progress(p))) => (log.report)(Update::Progress(p)),
                Ok(Line::Event(Event::Worked { beats })) => watch.worked(beats),
                Ok(Line::Event(event)) => return Heard::Event(event),
                Ok(Line::Log(text)) => log.tell(text),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Heard::Gone,
            }
            let ended = if is_over() { Some(Heard::Over) } else { watch.look().map(Heard::Overrun) };
            if let Some(ended) = ended {
                // It may be gone by itself.
                let _ = self.child.kill();
                return ended;
            }
        }
    }
}

/// What ended the listening.
enum Heard {
    /// The worker's last word on its interview.
    Event(Event),
    /// It takes too much.
    Overrun(Overrun),
    /// The run is over.
    Over,
    /// It says nothing more.
    Gone,
}

/// What is told of a worker's log.
struct Log<'a> {
    report: &'a dyn Fn(Update<'_>),
    told: usize,
    last: String,
}

impl Log<'_> {
    fn tell(&mut self, text: String) {
        self.told += 1;
        if self.told <= MOST_LOG_LINES {
            (self.report)(Update::Log(&text));
        } else if self.told == MOST_LOG_LINES + 1 {
            (self.report)(Update::Log("more of its log is left out"));
        }
        self.last = text;
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end(IDLE_END);
    }
}

#[cfg(test)]
mod tests;
