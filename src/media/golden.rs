//! Reference clips: times against ffprobe, pixels against FFmpeg's PNGs, and every odd file ends in data or one clear
//! error.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::clips::{Clips, ffprobe_times};
use super::*;

fn files(dir: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| extensions.is_empty() || p.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)))
        .collect();
    all.sort();
    assert!(!all.is_empty(), "{}", dir.display());
    all
}

const EVERY: Sampling = Sampling { rate_hz: 0.0, threads: DecodeThreads(1), ahead: 4 };

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn every_frame_of_the_clips_is_where_ffprobe_says() {
    let shared = crate::reference::folder();
    for path in files(&shared.join("media/video"), &["mp4", "mov", "avi"]) {
        let told = ffprobe_times(&path);
        let mut film = video(&path, EVERY, StreamPick::default()).unwrap();
        let times: Vec<f64> = film.by_ref().map(|f| f.unwrap().pts.get()).collect();
        let r = film.finish().unwrap();
        assert_eq!(times.len(), told.len(), "{}", path.display());
        for (ours, theirs) in times.iter().zip(&told) {
            assert!((ours - theirs).abs() < 1.01e-6, "{}: {ours} but ffprobe {theirs}", path.display());
        }
        let a = audio(&path, 16_000, StreamPick::default()).unwrap();
        eprintln!(
            "{}: {} frames, {}x{}, end {:.3}, vfr {}, audio {:.3}..{:.3} ({:?} declared), {:?}",
            path.file_name().unwrap().to_string_lossy(),
            r.frames_decoded,
            r.width,
            r.height,
            r.end.unwrap().get(),
            r.vfr,
            a.report.start_secs,
            a.report.end_secs,
            a.report.declared_secs,
            a.warnings.iter().chain(&r.warnings).map(ToString::to_string).collect::<Vec<_>>()
        );
    }
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn pixels_are_those_of_ffmpeg() {
    let shared = crate::reference::folder();
    for path in files(&shared.join("media/video"), &["mp4", "mov", "avi"]) {
        let reference = shared.join("reference").join(path.file_stem().unwrap());
        let text = std::fs::read_to_string(reference.join("face_landmarker.json")).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let wanted: BTreeMap<u64, String> = json["frames"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| (f["frame_index"].as_u64().unwrap(), f["png"].as_str().unwrap().to_owned()))
            .collect();
        let mut worst: f64 = 0.0;
        let mut seen = 0;
        for frame in video(&path, EVERY, StreamPick::default()).unwrap().map(Result::unwrap) {
            let Some(png) = wanted.get(&frame.index) else { continue };
            let theirs = image::open(reference.join(png)).unwrap().to_rgb8();
            assert_eq!(theirs.dimensions(), frame.image.dimensions(), "{}", path.display());
            let sum: u64 =
                theirs.as_raw().iter().zip(frame.image.as_raw()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
            worst = worst.max(sum as f64 / theirs.as_raw().len() as f64);
            seen += 1;
        }
        eprintln!("{}: {seen} frames, mean difference at most {worst:.3} grey levels", path.display());
        assert_eq!(seen, wanted.len());
        assert!(worst < 1.0, "{}: {worst}", path.display());
    }
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn a_mirrored_clip_is_upright_as_ffmpeg_shows_it() {
    let shared = crate::reference::folder();
    let path = shared.join("media/odd/media3_sample_rotate_and_reflect.mp4");
    let clips = Clips::new();
    let png = clips.make("upright.png", &format!("-i {} -frames:v 1", std::fs::canonicalize(&path).unwrap().display()));
    let theirs = image::open(png).unwrap().to_rgb8();
    let mut film = video(&path, EVERY, StreamPick::default()).unwrap();
    let ours = film.next().unwrap().unwrap().image;
    assert!(film.finish().unwrap().orientation.mirrored);
    assert_eq!(ours.dimensions(), theirs.dimensions());
    let sum: u64 = theirs.as_raw().iter().zip(ours.as_raw()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    assert!((sum as f64 / theirs.as_raw().len() as f64) < 1.5, "{}", sum as f64 / theirs.as_raw().len() as f64);
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn garbage_taken_for_another_format_is_told() {
    let shared = crate::reference::folder();
    let a = audio(&shared.join("media/odd/media3_100kB-garbage-prefix.mp3"), 16_000, StreamPick::default()).unwrap();
    assert_eq!(a.warnings[0].code(), "container_doubtful");
    let b = audio(&shared.join("media/odd/media3_bear-vbr-no-seek-table.mp3"), 16_000, StreamPick::default()).unwrap();
    assert!(b.warnings.is_empty(), "{:?}", b.warnings);
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn phone_recordings_in_amr_are_whole() {
    let shared = crate::reference::folder();
    for (name, secs) in
        [("mp4parser_MOV00006.3gp", 15.2), ("phpffmpeg_sample.3gp", 4.93), ("mp4parser_multiTrack.3gp", 69.9)]
    {
        let a = audio(&shared.join("media/odd").join(name), 16_000, StreamPick::default()).unwrap();
        assert!((a.report.decoded_secs - secs).abs() < 0.1, "{name}: {:?}", a.report.decoded_secs);
        assert!(a.report.gaps.is_empty(), "{name}: {:?}", a.report.gaps);
    }
}

fn cpu_secs() -> f64 {
    // SAFETY: getrusage fills the zeroed struct it is handed.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let secs = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 * 1e-6;
    secs(usage.ru_utime) + secs(usage.ru_stime)
}

#[test]
#[ignore = "a measurement: run it alone, with --nocapture"]
fn cost_of_decoding() {
    let shared = crate::reference::folder();
    for name in ["ted_talk.mp4", "interview_split_screen.mp4"] {
        let path = shared.join("media/video").join(name);
        let before = cpu_secs();
        let frames = video(&path, Sampling::default(), StreamPick::default()).unwrap().map(Result::unwrap).count();
        let seen = cpu_secs();
        let samples = audio(&path, 16_000, StreamPick::default()).unwrap().buffer.samples().len();
        let heard = cpu_secs();
        eprintln!(
            "{name}: video at 10 Hz ({frames} frames) {:.2} s of CPU, audio ({samples} samples) {:.2} s",
            seen - before,
            heard - seen
        );
    }
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn odd_files_end_in_data_or_one_clear_error() {
    let shared = crate::reference::folder();
    for path in files(&shared.join("media/odd"), &[]) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let heard = match audio(&path, 16_000, StreamPick::default()) {
            Ok(a) => {
                assert!(a.buffer.samples().iter().all(|s| s.is_finite()));
                let told: Vec<String> = a.warnings.iter().map(ToString::to_string).collect();
                format!(
                    "{} {:.3}..{:.3} s of {:?} {told:?}",
                    a.report.codec, a.report.start_secs, a.report.end_secs, a.report.declared_secs
                )
            }
            Err(e) => format!("ERROR {}", e.chain()),
        };
        assert_nothing_cut(&name, &heard);
        let seen = match video(&path, EVERY, StreamPick::default()) {
            Ok(mut film) => {
                let mut times = Vec::new();
                let mut failed = None;
                for f in film.by_ref() {
                    match f {
                        Ok(f) => times.push(f.pts.get()),
                        Err(e) => failed = Some(e.chain()),
                    }
                }
                assert!(times.windows(2).all(|w| w[0] < w[1]), "{name}: times must rise");
                let r = film.finish().unwrap();
                let probed = ffprobe_times(&path);
                let agree =
                    probed.len() == times.len() && probed.iter().zip(&times).all(|(a, b)| (a - b).abs() < 1.01e-6);
                let told: Vec<String> = r.warnings.iter().map(ToString::to_string).collect();
                format!(
                    "{} {}x{} turned {}{} {} frames of {:?}, {:?}..{:?} s, ffprobe {} {failed:?} {told:?}",
                    r.codec,
                    r.width,
                    r.height,
                    r.orientation.rotation_deg,
                    if r.orientation.mirrored { " mirrored" } else { "" },
                    r.frames_decoded,
                    r.frames_declared,
                    r.first_pts.map(|t| t.get()),
                    r.end.map(|t| t.get()),
                    if agree { "agrees".to_owned() } else { format!("DIFFERS ({} frames)", probed.len()) },
                )
            }
            Err(e) => format!("ERROR {}", e.chain()),
        };
        assert_nothing_cut(&name, &seen);
        eprintln!("{name}\n    audio: {heard}\n    video: {seen}");
    }
}

/// None of the reference files is cut short: some are damaged, which is told otherwise, and some do not open.
fn assert_nothing_cut(name: &str, told: &str) {
    for code in
        ["shortfall", "truncated", "frames_missing", "video_gap", "bytes_unread", "duration_doubtful", "timestamp_jump"]
    {
        assert!(!told.contains(&format!("\"{code}: ")), "{name}: {told}");
    }
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn sound_files_are_whole() {
    let shared = crate::reference::folder();
    for folder in ["media/audio", "media/dev", "media/video"] {
        for path in files(&shared.join(folder), &["wav", "mp4", "mov", "avi"]) {
            let a = audio(&path, 16_000, StreamPick::default()).unwrap();
            let told: Vec<String> = a.warnings.iter().map(ToString::to_string).collect();
            assert!(told.is_empty(), "{}: {told:?}", path.display());
        }
    }
}
