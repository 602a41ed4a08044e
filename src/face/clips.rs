//! The room on whole clips: nobody missed, nobody exchanged, the same person after every cut.

use std::time::Instant;

use super::golden::{models, picture};
use super::{FaceConfig, FaceTracker, Faces};
use crate::media::{self, Sampling, StreamPick};

/// Follows the faces of a clip at 10 Hz.
fn watch(clip: &str) -> Faces {
    let path = crate::reference::folder().join("media/video").join(clip);
    let mut models = models();
    let config = FaceConfig { landmarks: true, ..FaceConfig::default() };
    let mut tracker = FaceTracker::new(&mut models, &config);
    let mut spent = 0.0;
    let wall = Instant::now();
    for frame in
        media::video(&path, Sampling { rate_hz: config.rate_hz, ..Sampling::default() }, StreamPick::default()).unwrap()
    {
        let start = thread_secs();
        tracker.push(&frame.unwrap()).unwrap();
        spent += thread_secs() - start;
    }
    let start = thread_secs();
    let faces = tracker.finish().unwrap();
    spent += thread_secs() - start;
    let of = |n: u32| faces.faces_per_frame.iter().filter(|&&f| f == n).count();
    eprintln!(
        "{clip}: {} frames looked at in {spent:.2} s of CPU time (wall {:.1} s with decoding), with 0, 1, 2, 3 faces \
         {:?}, cuts {:?}",
        faces.sampled.len(),
        wall.elapsed().as_secs_f64(),
        [of(0), of(1), of(2), of(3)],
        faces.cuts.iter().map(|c| c.get()).collect::<Vec<_>>()
    );
    for t in &faces.tracks {
        eprintln!(
            "  track {} {} {} to {}, {} observations, {:.0} px",
            t.id,
            t.person.as_deref().unwrap_or("-"),
            t.first_pts,
            t.last_pts,
            t.observations,
            t.mean_size_px
        );
    }
    dump(clip, &faces);
    faces
}

/// CPU time of this thread: other programs do not count.
fn thread_secs() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes one timespec, which it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut t) };
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

/// For drawing and looking: `TURNWISE_FACE_DUMP` names a folder.
fn dump(clip: &str, faces: &Faces) {
    let Some(folder) = std::env::var_os("TURNWISE_FACE_DUMP") else { return };
    let rows: Vec<serde_json::Value> = faces
        .observations
        .all()
        .iter()
        .map(|o| {
            serde_json::json!({
                "pts": o.pts.get(), "track": o.track, "person": faces.person_of(o.track), "score": o.score, "presence": o.presence,
                "box": [o.bounds.left, o.bounds.top, o.bounds.width, o.bounds.height], "sharpness": o.quality.sharpness,
                "pose": o.pose.map(|p| [p.yaw_deg, p.pitch_deg, p.roll_deg]),
                "gaze": o.gaze.map(|g| [g.camera_yaw_deg, g.camera_pitch_deg]),
                "expression": o.expression,
                "points": o.landmarks.as_ref().map(|l| l.iter().step_by(3).map(|p| [p[0], p[1]]).collect::<Vec<_>>()),
            })
        })
        .collect();
    let embeddings: Vec<_> = faces.tracks.iter().map(|t| (t.id, t.embedding.clone())).collect();
    let all = serde_json::json!({ "observations": rows, "embeddings": embeddings });
    std::fs::write(std::path::Path::new(&folder).join(format!("{clip}.json")), all.to_string()).unwrap();
}

fn share(faces: &Faces, n: u32) -> f64 {
    faces.faces_per_frame.iter().filter(|&&f| f == n).count() as f64 / faces.sampled.len() as f64
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn both_women_at_the_table_are_there_all_the_time() {
    let faces = watch("two_women_portrait.mp4");
    assert!(share(&faces, 2) >= 0.98, "{}", share(&faces, 2));
    assert_eq!(faces.persons.len(), 2);
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn the_split_screen_has_two_unbroken_tracks() {
    let faces = watch("interview_split_screen.mp4");
    assert!(share(&faces, 2) >= 0.99);
    assert_eq!((faces.tracks.len(), faces.persons.len()), (2, 2));
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn the_two_leaders_are_never_exchanged() {
    let faces = watch("debate_two_faces.avi");
    assert!(share(&faces, 2) >= 0.999);
    assert_eq!(faces.persons.len(), 2);
    let all = faces.observations.all();
    for frame in all.chunks(2) {
        // One stands left, the other right.
        let left: Vec<&str> =
            frame.iter().filter(|o| o.bounds.centre().0 < 640.0).filter_map(|o| faces.person_of(o.track)).collect();
        assert_eq!(left, [faces.person_of(all.iter().find(|o| o.bounds.centre().0 < 640.0).unwrap().track).unwrap()]);
    }
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn the_woman_after_the_cut_is_one_person() {
    let faces = watch("debate_cuts.mp4");
    let close: Vec<_> = faces.tracks.iter().filter(|t| t.mean_size_px > 60.0).collect();
    assert!(!close.is_empty() && close.iter().all(|t| t.person == close[0].person));
    // In the wide shot she stands on the right, her face 21 px; the man on the left is somebody else.
    let wide = |right: bool| {
        let all = faces.observations.all();
        let seen = all
            .iter()
            .filter(move |o| o.pts.get() > 3.0 && o.pts.get() < 3.6 && (o.bounds.centre().0 > 310.0) == right);
        seen.filter_map(|o| faces.person_of(o.track)).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(wide(true), std::collections::BTreeSet::from([close[0].person.as_deref().unwrap()]));
    assert!(wide(false).is_disjoint(&wide(true)), "{:?} {:?}", wide(false), wide(true));
    assert_eq!(faces.persons.len(), 2);
    assert_eq!(faces.cuts.len(), 1, "{:?}", faces.cuts);
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn a_face_that_comes_is_seen_at_once() {
    let faces = watch("noface_then_face.mov");
    assert_eq!(faces.persons.len(), 1);
    let first = faces.faces_per_frame.iter().position(|&n| n > 0).unwrap();
    assert!(faces.faces_per_frame[first..].iter().all(|&n| n == 1), "{:?}", faces.faces_per_frame);
    // By eye the first frame with the man is that at 3.945 s.
    assert!((faces.sampled[first].get() - 3.945).abs() <= 0.2, "{}", faces.sampled[first]);
}

/// A, B, A, B: frames of three clips in turn, as an editor would cut them.
#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn as_many_persons_as_people_over_cuts() {
    let shared = crate::reference::folder();
    let mut models = models();
    let mut tracker = FaceTracker::new(&mut models, &FaceConfig::default());
    let mut clock = 0.0;
    for clip in [
        "webcam_frown.mp4",
        "single_face.mp4",
        "debate_two_faces.avi",
        "webcam_frown.mp4",
        "single_face.mp4",
        "debate_two_faces.avi",
    ] {
        let path = shared.join("media/video").join(clip);
        for frame in media::video(&path, Sampling::default(), StreamPick::default()).unwrap().take(12) {
            let mut frame = frame.unwrap();
            frame.pts = crate::time::Seconds::of(clock);
            clock += 0.1;
            tracker.push(&frame).unwrap();
        }
    }
    let faces = tracker.finish().unwrap();
    let spans: Vec<String> =
        faces.tracks.iter().map(|t| format!("{:?} {} {}", t.person, t.first_pts, t.last_pts)).collect();
    for (i, t) in faces.tracks.iter().enumerate() {
        let d =
            |u: &super::Track| super::identity::distance(t.embedding.as_ref().unwrap(), u.embedding.as_ref().unwrap());
        eprintln!("{} {:.2?}", spans[i], faces.tracks.iter().map(d).collect::<Vec<_>>());
    }
    assert_eq!(faces.cuts.len(), 5, "{:?}", faces.cuts);
    assert_eq!((faces.persons.len(), faces.tracks.len()), (4, 8), "{spans:?}");
}

/// Two faces cut out of two clips move through each other on a grey ground.
#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn crossing_faces_are_not_exchanged() {
    let shared = crate::reference::folder();
    let cut = |clip: &str, x, y, w, h, side| {
        let whole = picture(&shared.join("reference").join(clip).join("frames/01.png"));
        let face = image::imageops::crop_imm(&whole, x, y, w, h).to_image();
        image::imageops::resize(&face, side, side * h / w, image::imageops::FilterType::Triangle)
    };
    let theirs = |clip: &str| {
        let text = std::fs::read_to_string(shared.join("reference").join(clip).join("retinaface.json")).unwrap();
        let all: serde_json::Value = serde_json::from_str(&text).unwrap();
        let b: Vec<f64> =
            all["frames"][0]["faces"][0]["box_px"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        let (w, h) = (b[2] - b[0], b[3] - b[1]);
        let at = |v: f64| v.max(0.0) as u32;
        (at(b[0] - 0.15 * w), at(b[1] - 0.15 * h), (1.3 * w) as u32, (1.3 * h) as u32)
    };
    let (a, b) = (theirs("webcam_frown"), theirs("single_face"));
    let front = cut("webcam_frown", a.0, a.1, a.2, a.3, 150);
    let behind = cut("single_face", b.0, b.1, b.2, b.3.min(360 - b.1), 150);
    let mut models = models();
    let mut tracker = FaceTracker::new(&mut models, &FaceConfig::default());
    for i in 0..50 {
        let mut ground = image::RgbImage::from_pixel(960, 540, image::Rgb([120, 120, 125]));
        image::imageops::overlay(&mut ground, &behind, 780 - 16 * i, 150);
        image::imageops::overlay(&mut ground, &front, 20 + 16 * i, 160);
        let pts = crate::time::Seconds::of(i as f64 / 10.0);
        tracker.push(&crate::signal::VideoFrame { index: i as u64, pts, image: ground }).unwrap();
    }
    let faces = tracker.finish().unwrap();
    for t in &faces.tracks {
        eprintln!(
            "  crossing: track {} {:?} {} to {}, {} observations",
            t.id, t.person, t.first_pts, t.last_pts, t.observations
        );
    }
    dump("crossing", &faces);
    let who = |last: bool, left: bool| {
        let side = |o: &&super::Observation| (o.bounds.centre().0 < 480.0) == left;
        let seen = faces.observations.all();
        let mut all: Vec<_> = seen.iter().filter(side).collect();
        all.sort_by_key(|o| o.pts);
        let o = if last { all.last() } else { all.first() };
        faces.person_of(o.unwrap().track).unwrap().to_owned()
    };
    assert_eq!(faces.persons.len(), 2);
    assert_ne!(who(false, true), who(false, false));
    assert_eq!((who(false, true), who(false, false)), (who(true, false), who(true, true)));
}

/// An animation, then one speaker in four shots, before an audience of dark faces of 16 to 20 px: nobody but her is a
/// person.
#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn the_speaker_of_the_talk_is_one_person_in_all_her_shots() {
    let faces = watch("ted_talk.mp4");
    assert_eq!(faces.persons, ["P1"]);
    let hers: Vec<_> = faces.tracks.iter().filter(|t| t.person.is_some()).collect();
    assert!(hers[0].first_pts.get() > 12.0 && hers[0].first_pts.get() < 13.0, "after the animation");
    for shot in [15.0, 24.0, 31.0, 37.0, 45.0] {
        assert!(hers.iter().any(|t| t.first_pts.get() < shot && t.last_pts.get() > shot), "not seen at {shot} s");
    }
    assert!(faces.tracks.iter().filter(|t| t.person.is_none()).all(|t| t.mean_size_px < 40.0));
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn the_audience_is_seen() {
    let faces = watch("stage_and_audience.mp4");
    assert!(faces.faces_per_frame.iter().any(|&n| n >= 5));
}

/// `face_counts.csv`: counted by eye on the reference frames. `faces`: people's faces that anybody sees, from 20 px, in
/// light, at most in profile; `with_doubtful`: dark, tiny and half hidden ones too.
#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn as_many_faces_as_people_count() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/face_counts.csv");
    let mut truth: std::collections::BTreeMap<String, Vec<(f64, u32, u32)>> = std::collections::BTreeMap::new();
    for row in csv::Reader::from_path(path).unwrap().deserialize() {
        let (clip, pts, least, most): (String, f64, u32, u32) = row.unwrap();
        truth.entry(clip).or_default().push((pts, least, most));
    }
    let mut wrong = Vec::new();
    for (clip, rows) in truth {
        let faces = watch(&clip);
        for (pts, least, most) in rows {
            // The counted picture itself may not be among those looked at; the next one is at most 0.1 s later, and
            // never before a cut that the counted one lies behind.
            let next = faces.sampled.iter().position(|t| t.get() >= pts - 0.002);
            let got = faces.faces_per_frame[next.unwrap()];
            if got < least || got > most {
                wrong.push(format!("{clip} at {pts}: {got}, by eye {least} to {most}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn drawn_and_lettered_pictures_show_no_face() {
    let shared = crate::reference::folder();
    let mut models = models();
    for file in [
        "autoeditor_SAR-2by3.mp4",
        "decord_video_0.mov",
        "decord_video_270.mov",
        "fluent_testvideo-43.avi",
        "media3_bbb_176x144_128kbps_15fps_h263.3gp",
        "media3_bbb_642x642_768kbps_30fps_vp9.webm",
        "media3_h265_with_metadata_track.mp4",
        "media3_hdr10-av1.mp4",
        "media3_sample_edit_list.mp4",
        "media3_silent-black-10s.mp4",
        "moviepy_smpte-2997.mp4",
        "moviepy_video_with_failing_audio.mp4",
        "streamio_ios9.mov",
        "torchcodec_h264_10bits.mp4",
    ] {
        let mut tracker = FaceTracker::new(&mut models, &FaceConfig::default());
        let sampling = Sampling { rate_hz: 2.0, ..Sampling::default() };
        for frame in media::video(&shared.join("media/odd").join(file), sampling, StreamPick::default()).unwrap() {
            tracker.push(&frame.unwrap()).unwrap();
        }
        let faces = tracker.finish().unwrap();
        assert!(faces.observations.is_empty(), "{file}: {:?}", faces.tracks);
    }
}

/// Two of four people are enrolled from another moment of their clips; the third clip shows strangers.
#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn enrolled_people_are_named_in_every_interview() {
    let shared = crate::reference::folder();
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(shared.join("reference/webcam_frown/frames/06.png"), folder.path().join("Ravi.png")).unwrap();
    std::fs::create_dir(folder.path().join("Ken")).unwrap();
    std::fs::copy(shared.join("reference/noface_then_face/frames/06.png"), folder.path().join("Ken/smiling.png"))
        .unwrap();
    let config = FaceConfig { enrolment: folder.path().to_str().unwrap().into(), ..FaceConfig::default() };
    let mut models = models();
    for (clip, expected) in
        [("webcam_frown.mp4", &["Ravi"][..]), ("single_face.mp4", &["Ken"]), ("debate_two_faces.avi", &["P1", "P2"])]
    {
        let mut tracker = FaceTracker::new(&mut models, &config).keep_crops(true);
        let path = shared.join("media/video").join(clip);
        for frame in media::video(&path, Sampling::default(), StreamPick::default()).unwrap().take(15) {
            tracker.push(&frame.unwrap()).unwrap();
        }
        let faces = tracker.finish().unwrap();
        assert_eq!(faces.persons, expected, "{clip}");
        assert!(faces.tracks.iter().all(|t| t.crop.as_ref().is_some_and(|c| c.width() == 224)));
    }
    std::fs::copy(shared.join("reference/ted_talk/frames/01.png"), folder.path().join("nobody.png")).unwrap();
    let frame =
        crate::signal::VideoFrame { index: 0, pts: crate::time::Seconds::ZERO, image: image::RgbImage::new(64, 64) };
    let error = FaceTracker::new(&mut models, &config).push(&frame).unwrap_err().to_string();
    assert!(error.contains("nobody.png") && error.contains("no face"), "{error}");
}

/// Peak memory does not grow with the length of a video: one clip six times over against once.
#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn memory_is_flat() {
    let shared = crate::reference::folder();
    let mut models = models();
    let path = shared.join("media/video/debate_two_faces.avi");
    let mut peaks = Vec::new();
    for times in [1, 6] {
        let mut tracker = FaceTracker::new(&mut models, &FaceConfig::default());
        let mut clock = 0.0;
        for _ in 0..times {
            for frame in
                media::video(&path, Sampling { rate_hz: 2.0, ..Sampling::default() }, StreamPick::default()).unwrap()
            {
                let mut frame = frame.unwrap();
                frame.pts = crate::time::Seconds::of(clock);
                clock += 0.5;
                tracker.push(&frame).unwrap();
            }
        }
        tracker.finish().unwrap();
        peaks.push(peak_kib());
    }
    eprintln!("peak {} KiB once, {} KiB six times", peaks[0], peaks[1]);
    assert!(peaks[1] as f64 <= 1.1 * peaks[0] as f64, "{peaks:?}");
}

/// VmHWM of this process.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
