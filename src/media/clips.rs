//! Clips for tests, made on the spot with the `ffmpeg` command line tool, and what `ffprobe` says of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{DecodedAudio, Sampling, StreamPick, VideoReport, audio, video};
use crate::warning::Warning;

/// A folder of clips that goes away with it.
pub(super) struct Clips(tempfile::TempDir);

impl Clips {
    pub(super) fn new() -> Self {
        Clips(tempfile::tempdir().unwrap())
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `ffmpeg <args> name` inside the folder; other clips are named relatively.
    pub(super) fn make(&self, name: &str, args: &str) -> PathBuf {
        let mut words: Vec<String> = vec!["-v".into(), "error".into(), "-y".into(), "-nostdin".into()];
        words.extend(split(args));
        words.push(name.into());
        let out = Command::new("ffmpeg").args(&words).current_dir(self.0.path()).output();
        let out = out.expect("tests need the ffmpeg command line tool (apt install ffmpeg)");
        assert!(out.status.success(), "ffmpeg {words:?}: {}", String::from_utf8_lossy(&out.stderr));
        self.path(name)
    }

    /// The common ancestor of the recipes: test picture 160x120 at 30 frames a second with a 220 Hz tone, 4 s.
    pub(super) fn base(&self) -> PathBuf {
        self.make(
            "base.mp4",
            "-f lavfi -i testsrc=size=160x120:rate=30:duration=4 -f lavfi -i \
             sine=frequency=220:sample_rate=44100:duration=4 -c:v libx264 -preset veryfast -threads 1 -pix_fmt \
             yuv420p -c:a aac -shortest",
        )
    }
}

/// That every range told, as it is written, lies behind the origin and is not empty.
pub(super) fn assert_ranges(warnings: &[Warning]) {
    for text in warnings.iter().map(ToString::to_string) {
        for range in text
            .split('[')
            .skip(1)
            .filter_map(|rest| rest.split_once(')'))
            .filter_map(|(range, _)| range.split_once(", "))
        {
            let (Ok(start), Ok(end)) = (range.0.parse::<f64>(), range.1.parse::<f64>()) else { continue };
            assert!(0.0 <= start && start < end, "an empty range, or one before the origin: {text}");
        }
    }
}

/// Words at spaces, with `'…'` kept together.
fn split(args: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, part) in args.split('"').enumerate() {
        if i % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Times of all frames of the first video stream minus the container's start, as ffprobe tells them, at or after 0.
pub(super) fn ffprobe_times(path: &Path) -> Vec<f64> {
    let run = |args: &[&str]| {
        let out = Command::new("ffprobe").args(["-v", "quiet"]).args(args).arg(path).output();
        String::from_utf8(out.expect("tests need ffprobe").stdout).unwrap()
    };
    let start: f64 = run(&["-show_entries", "format=start_time", "-of", "csv=p=0"]).trim().parse().unwrap_or(0.0);
    run(&["-select_streams", "v:0", "-show_entries", "frame=best_effort_timestamp_time", "-of", "csv=p=0"])
        .lines()
        .filter_map(|l| l.trim().trim_end_matches(',').parse::<f64>().ok())
        .map(|t| t - start)
        .filter(|t| *t > -1e-6)
        .collect()
}

/// The sound of `path` at 16 kHz, its warnings checked.
pub(super) fn hear(path: &Path) -> DecodedAudio {
    let heard = audio(path, 16_000, StreamPick::default()).unwrap();
    assert_ranges(&heard.warnings);
    heard
}

/// What decoding the film of `path` to its end tells, its warnings checked.
pub(super) fn watched(path: &Path, sampling: Sampling) -> VideoReport {
    let mut film = video(path, sampling, StreamPick::default()).unwrap();
    film.by_ref().for_each(|frame| drop(frame.unwrap()));
    let report = film.finish().unwrap();
    assert_ranges(&report.warnings);
    report
}
