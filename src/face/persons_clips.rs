//! Persons on whole clips against those counted by eye: at every rate and every beginning the same.

use super::golden::models;
use super::{FaceConfig, FaceTracker, Faces, Nobody};
use crate::media::{self, Sampling, StreamPick};
use crate::time::Seconds;

/// Clip, and persons seen in it long and large enough, by eye.
const PERSONS: [(&str, usize); 11] = [
    ("video/single_face.mp4", 1),
    ("video/webcam_frown.mp4", 1),
    ("video/noface_then_face.mov", 1),
    ("video/interview_split_screen.mp4", 2),
    ("video/debate_two_faces.avi", 2),
    ("video/debate_cuts.mp4", 2),
    ("video/two_women_portrait.mp4", 2),
    ("video/ted_talk.mp4", 1),
    ("dev/statement_two_men.mp4", 2),
    ("dev/home_low_light.mp4", 2),
    ("dev/strong_expressions.mp4", 1),
];

/// Follows the faces of a clip that begins so late; `None` when hardly anything is left of it.
fn watch(clip: &str, rate_hz: f64, late_secs: f64) -> Option<Faces> {
    let path = crate::reference::folder().join("media").join(clip);
    let config = FaceConfig { rate_hz, ..FaceConfig::default() };
    let mut models = models();
    let mut tracker = FaceTracker::new(&mut models, &config);
    // Every picture is decoded: those that are looked at depend on where the clip begins.
    let sampling = Sampling { rate_hz: 0.0, ..Sampling::default() };
    let mut last = 0.0;
    for frame in media::video(&path, sampling, StreamPick::default()).unwrap() {
        let mut frame = frame.unwrap();
        let Some(pts) = Seconds::new(frame.pts.get() - late_secs).filter(|t| t.get() >= 0.0) else { continue };
        frame.pts = pts;
        last = pts.get();
        if tracker.wants(pts) {
            tracker.push(&frame).unwrap();
        }
    }
    (last > 1.5).then(|| tracker.finish().unwrap())
}

fn wrong(runs: &[(f64, f64)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (clip, persons) in PERSONS {
        for &(rate, late) in runs {
            let Some(faces) = watch(clip, rate, late) else { continue };
            eprintln!("{clip} at {rate} Hz from {late} s: {} persons, by eye {persons}", faces.persons.len());
            if faces.persons.len() != persons {
                wrong.push(format!("{clip} at {rate} Hz from {late} s: {:?}, by eye {persons}", faces.persons));
            }
            let told = |t: &super::Track| t.person.is_none() == t.nobody.is_some();
            assert!(faces.tracks.iter().all(told), "a track is somebody's, or there is a reason");
        }
    }
    wrong
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn persons_are_those_counted_by_eye_at_each_rate() {
    // At 10 Hz `clips` counts them.
    let wrong = wrong(&[(5.0, 0.0), (4.0, 0.0)]);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn persons_are_those_counted_by_eye_wherever_a_clip_begins() {
    let wrong = wrong(&[(10.0, 0.7), (10.0, 2.6)]);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A clear face seen again at other sizes is one.
#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn faces_of_people_are_seen_again_at_every_size() {
    for clip in ["video/interview_split_screen.mp4", "dev/statement_two_men.mp4", "dev/strong_expressions.mp4"] {
        let faces = watch(clip, 5.0, 0.0).unwrap();
        for track in faces.tracks.iter().filter(|t| t.person.is_some()) {
            assert!(track.check.seen_again.unwrap() > 0.9 && track.check.keypoints_apart.unwrap() < 0.11, "{track:?}");
        }
        assert!(faces.tracks.iter().all(|t| t.nobody != Some(Nobody::FalseFace)), "{clip}");
    }
}
