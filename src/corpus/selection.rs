//! A part of a corpus for a trial, and what a run begins with.

use std::collections::VecDeque;
use std::path::Path;

use super::status::media_bytes;
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

/// A run whose first interview is longer than this has nothing to judge the rest by for a long time.
const LONG_SECS: f64 = 15.0 * 60.0;

/// What the rest can be judged by: less is judged by how models are loaded.
const JUDGED_SECS: f64 = 5.0 * 60.0;

/// Where the interviews of `left` begin with a long one, puts one in front of it by which hours and bytes of the rest
/// can be told within minutes: the shortest of five minutes or more, as far as sizes of files tell. No table depends on
/// the order.
pub(super) fn short_first(out: &Path, requests: &[Request], left: &mut VecDeque<usize>) {
    put_first(left, |i| media_bytes(&requests[i]), |i| media_secs(out, &requests[i]));
}

fn put_first(left: &mut VecDeque<usize>, bytes: impl Fn(usize) -> u64, secs: impl Fn(usize) -> Option<f64>) {
    let Some(first) = left.front().and_then(|i| secs(*i)).filter(|secs| *secs > LONG_SECS) else { return };
    let mut places: Vec<(u64, usize)> = left.iter().enumerate().map(|(place, i)| (bytes(*i), place)).collect();
    places.sort_unstable();
    // Larger files are longer: some twenty are opened of a million.
    let found = places.partition_point(|(_, place)| secs(left[*place]).is_none_or(|secs| secs < JUDGED_SECS));
    let Some(&(_, place)) = places.get(found) else { return };
    if place > 0
        && secs(left[place]).is_some_and(|secs| (JUDGED_SECS..first / 2.0).contains(&secs))
        && let Some(chosen) = left.remove(place)
    {
        left.push_front(chosen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(minutes: &[f64]) -> Vec<usize> {
        let mut left: VecDeque<usize> = (0..minutes.len()).collect();
        put_first(&mut left, |i| (1e6 * minutes[i].max(0.0)) as u64, |i| Some(60.0 * minutes[i]).filter(|s| *s >= 0.0));
        left.into()
    }

    #[test]
    fn a_run_that_begins_with_hours_does_a_short_interview_first() {
        assert_eq!(order(&[120.0, 90.0, 1.0, 30.0, 6.0, 8.0]), [4, 0, 1, 2, 3, 5]);
        // The first is soon done itself; none is short; none is long enough to judge by; none tells.
        for as_they_are in [[12.0, 90.0, 6.0], [120.0, 90.0, 70.0], [120.0, 1.0, 2.0], [-1.0, -1.0, 6.0]] {
            assert_eq!(order(&as_they_are), [0, 1, 2], "{as_they_are:?}");
        }
        assert_eq!(order(&[120.0, -1.0, 7.0]), [2, 0, 1]);
        assert!(order(&[]).is_empty());
    }
}
