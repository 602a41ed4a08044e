//! A part of a corpus for a trial.

use std::path::Path;

use crate::media::{StreamPick, probe};
use crate::pipeline::{self, Request};

/// The first interviews of the manifest that begin within so many minutes of media, the interview that crosses the
/// limit included: whole interviews, and at least one. How long they are is what was decoded where they are done
/// already, else what the container declares; media that cannot be opened, or does not tell, counts as nothing.
pub fn within_minutes(out: &Path, requests: &[Request], minutes: f64) -> Vec<Request> {
    let mut secs = 0.0;
    let mut taken = Vec::new();
    for request in requests {
        if secs >= 60.0 * minutes {
            break;
        }
        secs += media_secs(out, request).unwrap_or(0.0);
        taken.push(request.clone());
    }
    taken
}

fn media_secs(out: &Path, request: &Request) -> Option<f64> {
    if let Some(secs) = pipeline::kept(out, &request.interview_id).and_then(|kept| kept.media_secs) {
        return Some(secs);
    }
    let file = request.media.as_ref().or(request.audio.as_ref())?;
    let found = probe(file, StreamPick::default()).ok()?;
    let streams = found.streams.iter().filter_map(|s| s.declared_secs).reduce(f64::max);
    found.declared_secs.or(streams).filter(|secs| secs.is_finite())
}
