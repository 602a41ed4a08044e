//! Goes through a corpus with worker processes: resumes, isolates, reports.

use std::collections::VecDeque;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::failure::{record_failure, tidy};
use super::lock::{lock, merging};
use super::place::{gone, is_there, prepare};
use super::process::Worker;
use super::removed::{Unlisted, keep_needed, prune, unlisted};
use super::selection::short_first;
use super::shard::Shard;
use super::watch::Limits;
use crate::error::{Error, Result};
use crate::inference::Registry;
use crate::pipeline::{self, Against, Look, Making, Progress, Request, Standing, Timings};
use crate::recipe::Recipe;
use crate::store::Writer;
use crate::store::folder::{OutputFolder, Target};
use crate::store::joined::join_interviews;
use crate::store::parquet::FileMetadata;

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
    /// The requests are this part of the corpus; other parts may be written into the folder at the same time.
    pub shard: Option<Shard>,
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
    /// What files tell that are made by this run.
    metadata: FileMetadata,
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
    let _alone = lock(settings.out, settings.shard)?;
    prepare(settings.out, requests, recipe, settings.writer)?;
    if settings.unlisted == Unlisted::Pruned {
        keep_needed(settings.out, requests, recipe)?;
    }
    let metadata = pipeline::file_metadata(recipe, registry)?;
    let outcomes = already(requests, recipe, &metadata, settings);
    let mut left: VecDeque<usize> = (0..requests.len()).filter(|i| outcomes[*i].is_none()).collect();
    if left.len() == requests.len() {
        short_first(settings.out, requests, &mut left);
    }
    for (index, outcome) in outcomes.iter().enumerate() {
        outcome.iter().for_each(|outcome| report(index, &requests[index], Update::Ended(outcome)));
    }
    let shared =
        Shared { queue: Mutex::new(left), outcomes: Mutex::new(outcomes), ended: AtomicBool::new(false), metadata };
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
    if !is_there(settings.out) {
        return Err(ended.err().unwrap_or_else(|| gone(settings.out)));
    }
    let mut outcomes = shared.outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    tell_lost(&mut outcomes, requests, recipe, registry, settings);
    // After an error too: what is done is to be seen.
    let whole = ended.is_ok() && settings.stop.load(Ordering::Relaxed) == 0;
    let finished = finish(requests, recipe, settings, whole);
    ended?;
    let mut summary = finished?;
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

/// Which interviews are done, as far as sizes and times tell without a file being opened; the others are looked at
/// closely when their turn comes.
pub(super) fn already(
    requests: &[Request],
    recipe: &Recipe,
    metadata: &FileMetadata,
    settings: &RunSettings<'_>,
) -> Vec<Option<Outcome>> {
    if settings.force || settings.verify {
        return vec![None; requests.len()];
    }
    let against = Against::new(Making::of(metadata), Some(recipe), Look::Times);
    let is_done = |request: &Request| {
        matches!(against.glance(settings.out, &request.interview_id, Some(request)), Ok(Standing::Done(_)))
    };
    requests.par_iter().map(|request| is_done(request).then_some(Outcome::Skipped)).collect()
}

/// An interview that was written, and whose files somebody deleted or changed while the run went on, is not done: its
/// row must not say so.
fn tell_lost(
    outcomes: &mut [Option<Outcome>],
    requests: &[Request],
    recipe: &Recipe,
    registry: &Registry,
    settings: &RunSettings<'_>,
) {
    let target = Target { out: settings.out, writer: settings.writer };
    outcomes.par_iter_mut().zip(requests).for_each(|(outcome, request)| {
        let written = matches!(outcome, Some(Outcome::Done { .. }));
        if written && !pipeline::is_as_written(settings.out, &request.interview_id, recipe) {
            let what = "the files of the interview were deleted or changed after they were written; run again";
            let error = Error::write(settings.out.join(&request.interview_id), what);
            *outcome = Some(record_failure(target, request, recipe, registry, &error));
        }
    });
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
    if settings.shard.is_none() {
        tidy(settings.out, recipe);
    }
    // One at a time: the last of several shards to end joins the rows of all.
    let _joining = merging(settings.out, settings.shard);
    // Those of earlier runs too: the folder's other tables hold them as well.
    let parts = OutputFolder::new(settings.out).files("interviews")?;
    let joined = join_interviews(settings.out, &parts, &settings.writer.path(settings.out, "interviews"))?;
    (summary.left_out, summary.ways) = (joined.left_out, joined.ways);
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
        let is_done = || pipeline::is_done(settings.out, request, recipe, &shared.metadata, settings.verify);
        let outcome = if !settings.force && is_done() {
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

#[cfg(test)]
mod tests;
