//! Steps beside each other find what steps one after the other find, and fail as they do.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::Command;

use super::*;
use crate::face::golden::models;
use crate::face::{FaceConfig, FaceModels, blendshape, landmark};
use crate::inference::{Registry, Runtime, Session};
use crate::media::Sampling;

fn clip(name: &str) -> PathBuf {
    crate::reference::folder().join("media/video").join(name)
}

/// Two seconds without a face.
fn film(folder: &Path) -> PathBuf {
    let path = folder.join("film.mp4");
    let source = "testsrc=size=160x120:rate=20:duration=2";
    let made = Command::new("ffmpeg").args(["-v", "error", "-f", "lavfi", "-i", source]).arg(&path).status();
    assert!(made.unwrap().success());
    path
}

fn session(name: &str) -> Session {
    Session::load(&Registry::open(None).unwrap(), name, Runtime::default()).unwrap()
}

fn refusal(what: &str) -> Error {
    Error::Usage { what: what.into(), hint: String::new() }
}

/// The error of a watch whose `each` fails at its frame number `fails`, and how many frames it was given.
fn watched(models: &mut FaceModels, video: &Path, fails: usize) -> (String, usize) {
    let mut given = 0;
    let tracker = FaceTracker::new(models, &FaceConfig::default());
    let error = watch(video, StreamPick::default(), 10.0, tracker, |_| {
        given += 1;
        if given > fails { Err(refusal("each gave up")) } else { Ok(()) }
    });
    (error.err().map(|e| e.chain()).unwrap_or_default(), given)
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn what_is_found_is_what_one_step_after_the_other_finds() {
    // Two faces; cuts, a crowd; a face that comes late.
    for (name, rate_hz) in
        [("two_women_portrait.mp4", 2.0), ("stage_and_audience.mp4", 4.0), ("noface_then_face.mov", 10.0)]
    {
        let config = FaceConfig { landmarks: true, rate_hz, ..FaceConfig::default() };
        let mut models = models();
        let mut tracker = FaceTracker::new(&mut models, &config);
        let mut told = Vec::new();
        for frame in
            media::video(&clip(name), Sampling { rate_hz, ..Sampling::default() }, StreamPick::default()).unwrap()
        {
            let frame = frame.unwrap();
            let near = tracker.scout.look(&frame.image).unwrap();
            let followed = tracker.follower.push(&frame, near).unwrap();
            let tracks: Vec<u32> = followed.seen.iter().map(|m| m.observation.track).collect();
            told.push((frame.pts, tracks, tracker.follower.shot()));
            tracker.describer.take(followed).unwrap();
        }
        let expected = tracker.finish().unwrap();
        assert!(expected.observations.len() > 4 && expected.faces_per_frame.len() > 9, "{name}: {expected:?}");
        let mut given = Vec::new();
        let tracker = FaceTracker::new(&mut models, &config);
        let (faces, report) = watch(&clip(name), StreamPick::default(), rate_hz, tracker, |w| {
            given.push((w.frame.pts, w.faces.iter().map(|f| f.0).collect(), w.shot));
            Ok(())
        })
        .unwrap();
        assert!(faces == expected, "{name}");
        assert_eq!((given.len() as u64, given), (report.frames_sampled, told), "{name}");
    }
}

#[test]
fn whoever_is_shown_the_frames_may_fail_and_then_no_more_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let (film, mut models) = (film(folder.path()), models());
    for fails in [0, 5, 19] {
        let (error, given) = watched(&mut models, &film, fails);
        assert!(error.contains("each gave up") && given == fails + 1, "{error} after {given}");
    }
    assert_eq!(watched(&mut models, &film, 20), (String::new(), 20), "all were shown before");
}

#[test]
fn a_step_that_breaks_down_breaks_down_where_it_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (film, mut models) = (film(folder.path()), models());
    let tracker = FaceTracker::new(&mut models, &FaceConfig::default());
    let ended = catch_unwind(AssertUnwindSafe(|| {
        watch(&film, StreamPick::default(), 10.0, tracker, |w| {
            assert!(w.frame.pts.get() < 0.5, "as a bug would");
            Ok(())
        })
    }));
    assert!(ended.is_err());
    let step = || std::thread::scope(|scope| ended_of(scope));
    assert!(catch_unwind(step).is_err());
}

fn ended_of<'scope>(scope: &'scope Scope<'scope, '_>) {
    ended(spawn(scope, "step", || panic!("as a bug would")).unwrap())
}

#[test]
fn each_steps_model_that_fails_is_the_error_and_nothing_hangs() {
    let folder = tempfile::tempdir().unwrap();
    let film = film(folder.path());
    // Another model in its place: other shapes.
    let mut scout = models();
    scout.short_range = session(landmark::MODEL);
    let (error, given) = watched(&mut scout, &film, 99);
    assert!(error.contains(landmark::MODEL) && given == 0, "{error} after {given}");
    let sound = folder.path().join("sound.wav");
    let made = ["-v", "error", "-f", "lavfi", "-i", "sine=duration=1"];
    assert!(Command::new("ffmpeg").args(made).arg(&sound).status().unwrap().success());
    let tracker = FaceTracker::new(&mut scout, &FaceConfig::default());
    let none = watch(&sound, StreamPick::default(), 10.0, tracker, |_| Ok(())).unwrap_err();
    assert!(matches!(none, Error::NoStream { .. }), "{none}");
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn the_first_error_in_the_order_of_frames_is_told() {
    let mut models = models();
    // The first face comes after some frames; landmarks are found there, and nothing can be said of them.
    models.blendshapes = session(landmark::MODEL);
    let video = clip("noface_then_face.mov");
    for _ in 0..3 {
        assert!(watched(&mut models, &video, 0).0.contains("each gave up"), "at the first frame");
        let (late, given) = watched(&mut models, &video, usize::MAX);
        assert!(late.contains(landmark::MODEL) || late.contains(blendshape::MODEL), "{late}");
        // However far the others have come meanwhile, the face's frame was before them.
        assert!(given > 1 && watched(&mut models, &video, given).0 == late, "{given}");
    }
    models.landmarks = [session(super::super::short_range::MODEL), session(super::super::short_range::MODEL)];
    let error = watched(&mut models, &video, usize::MAX).0;
    assert!(error.contains(super::super::short_range::MODEL), "{error}");
}
