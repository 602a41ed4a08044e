//! Laughter in the sound against stretches labelled by eye (`tests/fixtures/laughter_truth.csv`, which tells how), at
//! eight beginnings of each clip.

use crate::audio::{self, Laugh, LaughterConfig};
use crate::media::{self, StreamPick};
use crate::signal::{AudioBuffer, Sound as _};
use crate::time::{Seconds, Segment};

/// Seconds by which a clip is begun late: 0 to 2.6 in eight steps.
fn beginnings() -> [f64; 8] {
    std::array::from_fn(|k| 2.6 * k as f64 / 7.0)
}

/// Clip, stretch and label of each line.
fn labelled() -> Vec<(&'static str, Segment, &'static str)> {
    let lines = include_str!("../../tests/fixtures/laughter_truth.csv").lines();
    let cells = lines.filter(|l| !l.starts_with('#')).skip(1).map(|l| l.split(',').collect::<Vec<_>>());
    cells.map(|c| (c[0], Segment::from_secs(c[1].parse().unwrap(), c[2].parse().unwrap()).unwrap(), c[3])).collect()
}

/// What is found in a clip begun `late`, at the times of the whole clip.
fn found(clip: &str, late: f64) -> Vec<Laugh> {
    let path = crate::reference::folder().join("media").join(clip);
    let sound = media::audio_spooled(&path, audio::SAMPLE_RATE_HZ, StreamPick::default()).unwrap().buffer;
    let first = Seconds::of(late).to_sample(audio::SAMPLE_RATE_HZ);
    let part = AudioBuffer::new(sound.piece(first..sound.count()).unwrap().into_owned(), audio::SAMPLE_RATE_HZ);
    let laughs = audio::laughs(&part, &LaughterConfig { enabled: true, ..LaughterConfig::default() }).unwrap();
    let placed = |l: Laugh| Laugh { start_secs: l.start_secs + late, end_secs: l.end_secs + late, ..l };
    laughs.into_iter().map(placed).collect()
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn laughter_is_found_and_speech_without_it_has_none() {
    let all = labelled();
    let (mut minutes, mut invented) = (0.0, 0);
    for &(clip, stretch, label) in &all {
        // A laugh near a clip's beginning is cut by a later one.
        let latest = if label == "laughter" { 0.3 * stretch.duration() } else { f64::INFINITY };
        for late in beginnings().map(|late| late.min(latest)) {
            let laughs: Vec<Segment> = found(clip, late).iter().filter_map(Laugh::segment).collect();
            match label {
                "laughter" => {
                    let right = |l: &&Segment| {
                        let shared = l.overlap(stretch);
                        shared >= 0.5 * l.duration() && shared >= 0.5 * stretch.duration()
                    };
                    assert_eq!(laughs.iter().filter(right).count(), 1, "{clip} begun {late} s late: {laughs:?}");
                }
                "none" => {
                    minutes += stretch.duration() / 60.0;
                    invented += laughs.iter().filter(|l| l.overlap(stretch) > 0.0).count();
                }
                _ => {}
            }
        }
    }
    println!("{invented} false events in {minutes:.1} min of speech without laughter");
    assert!(minutes > 40.0 && f64::from(u32::try_from(invented).unwrap()) <= 0.1 * minutes, "{invented}");
}
