//! A video decoded and its faces followed, in one go: the steps of following frames beside each other.
//!
//! ```text
//! decoder ─ scout ─ follower ─┬─ describer
//!                             └─ each (whoever asked)
//! ```
//!
//! Every step takes the frames one after the other in their order and hands each on, so that what it finds is what it
//! would find if one frame went through all steps before the next one is begun.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use super::describe::{Describer, Followed};
use super::finder::Scout;
use super::short_range::Near;
use super::tracker::Follower;
use super::{BoundingBox, FaceTracker, Faces};
use crate::error::{Error, Result};
use crate::media::{self, StreamPick, VideoReport};
use crate::signal::VideoFrame;

/// Pictures that wait between two steps, and followed faces that wait to be described: what is waiting is held in
/// memory.
const PICTURES_AHEAD: usize = 1;
const FRAMES_BEHIND: usize = 8;
/// Threads that follow the faces of one frame: one more where there are several, or where the detector looks too.
const FOLLOWING_THREADS: usize = 2;

/// A frame in which all faces were found.
#[derive(Debug)]
pub struct Watched {
    /// The frame.
    pub frame: VideoFrame,
    /// Track and box of each face in it, by track; these tracks have numbers of their own, see
    /// [`super::Observation::track`] for those that are left in the end.
    pub faces: Vec<(u32, BoundingBox)>,
    /// Number of the shot it belongs to; a flash has a number of its own.
    pub shot: usize,
}

/// Shows `tracker` the frames of `video` at `rate_hz` (0 = all), one at a time, and gives what both have to say; `each`
/// is given every frame looked at.
///
/// # Errors
/// Those of [`media::each_frame`], [`FaceTracker::push`] and `each`; of several the first in the order of frames and
/// steps.
pub fn watch(
    video: &Path,
    pick: StreamPick,
    rate_hz: f64,
    mut tracker: FaceTracker<'_>,
    mut each: impl FnMut(Watched) -> Result<()>,
) -> Result<(Faces, VideoReport)> {
    let FaceTracker { scout, follower, describer } = &mut tracker;
    let broken = |e: &dyn std::fmt::Display| Error::media(video, format!("no thread to watch it: {e}"));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(FOLLOWING_THREADS).thread_name(|_| "follow".into());
    let pool = pool.build().map_err(|e| broken(&e))?;
    let report = std::thread::scope(|scope| {
        let (ahead, pictures) = sync_channel(PICTURES_AHEAD);
        let (behind, followed) = sync_channel(FRAMES_BEHIND);
        let (show, shown) = sync_channel(PICTURES_AHEAD);
        // What is handed on ends where a step ends, so that all end when one does.
        let describing = spawn(scope, "describe", move || describe(describer, followed)).map_err(|e| broken(&e))?;
        let following = move || pool.install(|| follow(follower, pictures, &behind, &show));
        let following = spawn(scope, "follow", following).map_err(|e| broken(&e))?;
        let scouting = move || media::each_frame(video, pick, rate_hz, |frame| look_ahead(scout, frame, &ahead, video));
        let scouting = spawn(scope, "scout", scouting).map_err(|e| broken(&e))?;
        let told = in_order(shown, &mut each);
        let (scouted, followed, described) = (ended(scouting), ended(following), ended(describing));
        // A step has come further than those behind it: the last one's error was the first.
        match (described, told) {
            (Err((at, error)), Err((other, _))) if at <= other => Err(error),
            (_, Err((_, error))) | (Err((_, error)), Ok(())) => Err(error),
            (Ok(()), Ok(())) => followed.and(scouted),
        }
    })?;
    Ok((tracker.finish()?, report))
}

fn look_ahead(
    scout: &mut Scout<'_>,
    frame: VideoFrame,
    ahead: &SyncSender<(VideoFrame, Vec<Near>)>,
    video: &Path,
) -> Result<()> {
    let near = scout.look(&frame.image)?;
    // Whoever no longer takes frames has an error of its own, which is told.
    ahead.send((frame, near)).map_err(|_| Error::media(video, "its frames are no longer wanted"))
}

fn follow(
    follower: &mut Follower<'_>,
    pictures: Receiver<(VideoFrame, Vec<Near>)>,
    behind: &SyncSender<Followed>,
    show: &SyncSender<Watched>,
) -> Result<()> {
    for (frame, near) in pictures {
        let followed = follower.push(&frame, near)?;
        let faces = followed.seen.iter().map(|m| (m.observation.track, m.observation.bounds)).collect();
        let watched = Watched { frame, faces, shot: follower.shot() };
        if behind.send(followed).is_err() || show.send(watched).is_err() {
            break;
        }
    }
    Ok(())
}

fn describe(describer: &mut Describer<'_>, followed: Receiver<Followed>) -> std::result::Result<(), (usize, Error)> {
    in_order(followed, |one| describer.take(one))
}

/// Takes all there is; an error comes with the number of its frame.
fn in_order<T>(all: Receiver<T>, mut take: impl FnMut(T) -> Result<()>) -> std::result::Result<(), (usize, Error)> {
    all.into_iter().enumerate().try_for_each(|(at, one)| take(one).map_err(|error| (at, error)))
}

fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    step: impl FnOnce() -> T + Send + 'scope,
) -> std::io::Result<ScopedJoinHandle<'scope, T>> {
    Builder::new().name(name.into()).spawn_scoped(scope, step)
}

/// What a step gave; it breaks down here where it broke down there.
fn ended<T>(step: ScopedJoinHandle<'_, T>) -> T {
    step.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause))
}

#[cfg(test)]
mod tests;
