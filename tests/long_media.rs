//! A story about long recordings: a worker holds hardly more of them than of short ones.

#![cfg(target_os = "linux")]
use std::process::Command;

use crate::stage::Stage;
use turnwise::store::read::read_metadata;

/// What the largest of all processes that were started and have ended held at once, in MB.
fn most_held_mb() -> i64 {
    // SAFETY: an all-zero answer is a valid place for the system to write to.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage), 0);
        usage.ru_maxrss >> 10
    }
}

#[test]
fn twenty_minutes_of_sound_take_little_more_memory_than_one() {
    let stage = Stage::new();
    let mut held = Vec::new();
    for (id, minutes) in [("short", 1), ("long", 20)] {
        let source = format!("anullsrc=r=16000:cl=mono:d={}", 60 * minutes);
        let mut ffmpeg = Command::new("ffmpeg");
        ffmpeg.args(["-v", "error", "-f", "lavfi", "-i", &source, "-t", &(60 * minutes).to_string()]);
        let made = ffmpeg.arg(stage.path(&format!("{id}.flac"))).status();
        assert!(made.unwrap().success());
        let name = format!("{id}.flac");
        stage.run(&["extract", &name, "--out", "out", "--jobs", "1"]).line("1 done, 0 already done, 0 failed");
        // The first is the smaller one: the most of both is the second's.
        held.push(most_held_mb());
        let rows = read_metadata(&stage.path(&format!("out/voice/{id}.parquet"))).unwrap().rows;
        assert_eq!(rows, 6000 * minutes - 1);
    }
    println!("{held:?} MB");
    // The sound alone would be 73 MB more, its descriptors and their table some 60.
    assert!(held[0] > 100 && held[1] - held[0] < 60, "{held:?} MB");
}
