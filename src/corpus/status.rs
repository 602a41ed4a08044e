//! How a corpus stands: what is done, what failed and why, what is to be done again, what is missing.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::time::SystemTime;

use rayon::prelude::*;

use super::pace::{Estimate, Left, Pace};
use crate::error::{Error, Result};
use crate::pipeline::{Against, Kept, Request, Stale, Standing};
use crate::spelling::folded;
use crate::store::interview_files::InterviewFiles;
use crate::store::paths::{interviews_path, table_path};
use crate::store::read::{StoredTable, read_columns};

/// What is read of rows.
const COLUMNS: [&str; 4] = ["interview_id", "status", "error_kind", "error"];

/// How one interview stands.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// Written, and all is as it was.
    Done(Kept),
    /// Written, and to be done again.
    Stale(Stale, Kept),
    /// Its row says why.
    Failed {
        /// Short code.
        kind: String,
        /// With all causes.
        error: String,
    },
    /// Not done yet.
    Missing,
}

/// One interview.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its id.
    pub interview_id: String,
    /// How it stands.
    pub state: State,
    /// Bytes of its media, as they lie there now; of a done one as they were.
    pub media_bytes: u64,
}

/// How a corpus stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// In the manifest's order, or sorted.
    pub interviews: Vec<Found>,
    /// In the folder and not in the manifest, sorted.
    pub removed: Vec<String>,
}

/// The numbers of a [`Status`].
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Counts {
    /// Interviews of the manifest.
    pub interviews: usize,
    /// Done.
    pub done: usize,
    /// Failed.
    pub failed: usize,
    /// To be done again.
    pub stale: usize,
    /// Not done yet.
    pub missing: usize,
    /// In the folder and not in the manifest.
    pub removed: usize,
    /// Failed ones by the code of their error.
    pub failed_kinds: BTreeMap<String, usize>,
    /// Stale ones by the reason.
    pub stale_reasons: BTreeMap<Stale, usize>,
    /// Minutes of media of those done.
    pub media_minutes_done: f64,
    /// Bytes written for them, with what their stages keep for later runs.
    pub bytes_written: u64,
    /// Seconds of media in a second of one worker; null before anything was done.
    pub speed: Option<f64>,
    /// What is left, at the pace of what was done; null where nothing is left, or nothing was done to judge by.
    pub left: Option<Estimate>,
}

impl Status {
    /// Adds up; `jobs` workers will do the rest.
    pub fn counts(&self, jobs: usize) -> Counts {
        let mut counts = Counts { interviews: self.interviews.len(), removed: self.removed.len(), ..Counts::default() };
        let (mut pace, mut done, mut left) = (Pace::default(), Pace::default(), Left::default());
        for found in &self.interviews {
            match &found.state {
                State::Done(kept) => {
                    counts.done += 1;
                    done.add(kept);
                    pace.add(kept);
                    continue;
                }
                State::Stale(why, kept) => {
                    counts.stale += 1;
                    *counts.stale_reasons.entry(*why).or_default() += 1;
                    pace.add(kept);
                }
                State::Failed { kind, .. } => {
                    counts.failed += 1;
                    *counts.failed_kinds.entry(kind.clone()).or_default() += 1;
                }
                State::Missing => counts.missing += 1,
            }
            left.interviews += 1;
            left.media_bytes += found.media_bytes;
        }
        counts.media_minutes_done = done.media_secs / 60.0;
        counts.bytes_written = done.written_bytes;
        counts.speed = pace.speed();
        counts.left = if left.interviews > 0 { pace.estimate(left, jobs) } else { None };
        counts
    }
}

/// Looks at a folder; without `requests` at the interviews that are in it, and not at what they were made from.
///
/// # Errors
/// [`Error::Read`] for a folder that cannot be listed, [`Error::Usage`] for an id that names no file.
pub fn status(out: &Path, requests: Option<&[Request]>, against: &Against<'_>) -> Result<Status> {
    let rows: BTreeSet<String> = InterviewFiles { out, tables: &["interviews"] }.interviews()?.into_iter().collect();
    let told = Rows::of(out);
    let look = |id: &str, request: Option<&Request>| -> Result<Found> {
        // A record that cannot be read is one that is not there.
        let standing = match against.glance(out, id, request) {
            Err(error @ Error::Usage { .. }) => return Err(error),
            standing => standing.unwrap_or(Standing::Unknown),
        };
        let state = match standing {
            Standing::Done(kept) => State::Done(kept),
            Standing::Stale(why, kept) => State::Stale(why, kept),
            // Of those that have a row it says more, below.
            Standing::Unknown => State::Missing,
        };
        let media_bytes = match (&state, request) {
            (State::Done(kept), _) | (State::Stale(_, kept), None) => kept.media_bytes,
            (_, request) => request.map_or(0, media_bytes),
        };
        Ok(Found { interview_id: id.to_owned(), state, media_bytes })
    };
    let Some(requests) = requests else {
        let mut interviews = rows.par_iter().map(|id| look(id, None)).collect::<Result<Vec<_>>>()?;
        told.fill(out, &rows, &mut interviews)?;
        return Ok(Status { interviews, removed: Vec::new() });
    };
    let mut interviews =
        requests.par_iter().map(|request| look(&request.interview_id, Some(request))).collect::<Result<Vec<_>>>()?;
    told.fill(out, &rows, &mut interviews)?;
    // As a disk may have written them.
    let listed: BTreeSet<String> = requests.par_iter().map(|r| folded(&r.interview_id)).collect();
    let removed = rows.iter().filter(|id| !listed.contains(&folded(id))).cloned().collect();
    Ok(Status { interviews, removed })
}

/// Bytes of a request's media and audio as they lie there now; 0 for what is not there.
pub fn media_bytes(request: &Request) -> u64 {
    let files = [&request.media, &request.audio];
    files.into_iter().flatten().filter_map(|path| std::fs::metadata(path).ok()).map(|m| m.len()).sum()
}

/// The rows of failed interviews, from the joined table where that is younger than the row's own file: one file for a
/// hundred thousand.
struct Rows {
    joined: HashMap<String, State>,
    written: Option<SystemTime>,
}

impl Rows {
    fn of(out: &Path) -> Self {
        let path = interviews_path(out);
        let written = std::fs::metadata(&path).and_then(|m| m.modified()).ok();
        // One that cannot be read is one that is not there: each interview has its own row.
        let table = read_columns(&path, &COLUMNS).ok();
        let joined = table.iter().flat_map(|table| {
            (0..table.rows()).filter_map(|row| Some((table.text("interview_id", row)?.to_owned(), state(table, row)?)))
        });
        Rows { joined: joined.collect(), written }
    }

    /// Looks up those of which no record is kept and a row is there. One after the other: reading a table waits for
    /// threads of the same pool, which would begin the next interview on top of this one until the stack is full.
    fn fill(&self, out: &Path, rows: &BTreeSet<String>, interviews: &mut [Found]) -> Result<()> {
        for found in interviews.iter_mut() {
            if found.state == State::Missing && rows.contains(&found.interview_id) {
                found.state = self.state(out, &found.interview_id)?;
            }
        }
        Ok(())
    }

    fn state(&self, out: &Path, id: &str) -> Result<State> {
        let path = table_path(out, "interviews", id)?;
        let own = std::fs::metadata(&path).and_then(|m| m.modified()).ok();
        if let (Some(own), Some(joined), Some(state)) = (own, self.written, self.joined.get(id))
            && own < joined
        {
            return Ok(state.clone());
        }
        let read = read_columns(&path, &COLUMNS).ok().and_then(|table| state(&table, 0));
        // A row that cannot be read vouches for nothing.
        Ok(read.unwrap_or(State::Stale(Stale::Output, Kept::default())))
    }
}

/// What a row without a record says.
fn state(table: &StoredTable, row: usize) -> Option<State> {
    let text = |name| table.text(name, row).unwrap_or_default().to_owned();
    Some(match table.text("status", row)? {
        "failed" => State::Failed { kind: text("error_kind"), error: text("error") },
        _ => State::Stale(Stale::Record, Kept::default()),
    })
}

/// Those of the requests whose row says that they failed.
///
/// # Errors
/// As [`status`].
pub fn failed(out: &Path, requests: &[Request], against: &Against<'_>) -> Result<Vec<Request>> {
    if !out.is_dir() {
        return Ok(Vec::new());
    }
    let status = status(out, Some(requests), against)?;
    let pairs = requests.iter().zip(status.interviews);
    Ok(pairs.filter(|(_, found)| matches!(found.state, State::Failed { .. })).map(|(r, _)| r.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(id: &str, state: State, media_bytes: u64) -> Found {
        Found { interview_id: id.into(), state, media_bytes }
    }

    #[test]
    fn what_is_left_is_what_is_not_done() {
        let kept = Kept { media_secs: Some(120.0), spent_secs: 60.0, media_bytes: 1000, written_bytes: 300 };
        let failed = |kind: &str| State::Failed { kind: kind.into(), error: String::new() };
        let status = Status {
            interviews: vec![
                found("a", State::Done(kept.clone()), 1000),
                found("b", State::Stale(Stale::Recipe, kept), 1000),
                found("c", failed("media"), 500),
                found("d", failed("media"), 500),
                found("e", State::Missing, 2000),
            ],
            removed: vec!["z".into()],
        };
        let counts = status.counts(2);
        assert_eq!((counts.interviews, counts.done, counts.stale, counts.failed, counts.missing), (5, 1, 1, 2, 1));
        assert_eq!((counts.removed, counts.failed_kinds["media"], counts.stale_reasons[&Stale::Recipe]), (1, 2, 1));
        assert_eq!((counts.media_minutes_done, counts.speed, counts.bytes_written), (2.0, Some(2.0), 300));
        // 4000 bytes at 2000 bytes in 120 s, by two workers.
        assert_eq!(counts.left.unwrap(), Estimate { media_secs: 480.0, secs: 120.0, bytes: 1200.0 });
        let all_done = Status { interviews: status.interviews[..1].to_vec(), removed: Vec::new() };
        assert_eq!(all_done.counts(1).left, None);
    }
}
