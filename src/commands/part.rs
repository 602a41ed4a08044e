//! Which interviews of the manifest a run does, and what is kept of the run.

use std::path::Path;
use std::time::{Instant, SystemTime};

use anyhow::Result;
use turnwise::corpus::{self, RunOutcome, RunRecord, Summary};
use turnwise::inference::{Registry, file_sha256};
use turnwise::media::ffmpeg_version;
use turnwise::pipeline::{Against, Look, Making, Request};
use turnwise::recipe::Recipe;
use turnwise::store::parquet::FileMetadata;

use crate::cli::Extract;

/// The shard, of it those that failed, of them the first minutes.
pub fn of(
    mut requests: Vec<Request>,
    args: &Extract,
    recipe: &Recipe,
    metadata: &FileMetadata,
) -> Result<Vec<Request>> {
    if let Some(shard) = args.shard {
        requests.retain(|request| shard.holds(&request.interview_id));
    }
    if args.retry_failed {
        let against = Against::new(Making::of(metadata), Some(recipe), Look::Ends);
        requests = corpus::failed(&args.out, &requests, &against)?;
    }
    if let Some(minutes) = args.limit_minutes {
        requests = corpus::within_minutes(&args.out, &requests, minutes);
    }
    Ok(requests)
}

/// What is said where nothing is to be done.
pub fn none(args: &Extract) -> String {
    let part = args.shard.map(|shard| format!(" of shard {shard}")).unwrap_or_default();
    if args.retry_failed {
        format!("no interview{part} failed in {}; nothing is to be done", args.out.display())
    } else {
        format!("no interview{part} is in {}; nothing is to be done", args.input.display())
    }
}

/// Keeps that a run begins. A folder that takes no record takes no tables either, and that is told there.
pub fn record(
    args: &Extract,
    requests: &[Request],
    (metadata, jobs): (&FileMetadata, usize),
    registry: &Registry,
) -> (RunRecord, Instant) {
    let record = RunRecord {
        ffmpeg: ffmpeg_version(),
        onnx_runtime: registry.runtime().version.clone(),
        manifest_sha256: Some(&args.input).filter(|p| corpus::is_manifest(p)).and_then(|p| file_sha256(p).ok()),
        shard: args.shard.map(|shard| shard.to_string()),
        interviews: requests.len(),
        jobs,
        ..RunRecord::begin(metadata)
    };
    tell(record.write(&args.out));
    (record, Instant::now())
}

/// Keeps how it ended; without a `summary` it ended early.
pub fn end((mut record, begun): (RunRecord, Instant), out: &Path, summary: Option<&Summary>) {
    record.ended = Some(corpus::utc(SystemTime::now()));
    record.secs = begun.elapsed().as_secs_f64();
    record.outcome = summary.map(RunOutcome::from);
    // Not where the folder was moved away.
    if out.is_dir() {
        tell(record.write(out));
    }
}

fn tell(written: turnwise::error::Result<()>) {
    if let Err(error) = written {
        tracing::warn!("the record of the run is not kept: {}", error.chain());
    }
}
