//! A transcript whose clock is not the recording's: moved when asked and where it can be known, and told either way.

use std::process::Command;

use crate::stage::{Stage, table};

const CUES: &str = "1\n00:00:01,000 --> 00:00:02,500\nMARA: Good morning to you.\n\n2\n00:00:03,000 --> 00:00:04,000\n\
                    WEI: Morning.\n\n3\n00:00:05,000 --> 00:00:06,250\nMARA: How are you?\n\n\
                    4\n00:00:07,500 --> 00:00:09,000\nWEI: Well, and you?\n";

#[test]
fn over_silence_no_turn_moves_and_the_reason_is_told() {
    let stage = Stage::new();
    let silence = stage.path("silence.wav");
    let source = ["-v", "error", "-f", "lavfi", "-i", "anullsrc=r=16000:cl=mono:d=10"];
    assert!(Command::new("ffmpeg").args(source).arg(&silence).status().unwrap().success());
    stage.write("cues.srt", CUES);
    let told = stage.run(&[
        "extract",
        "silence.wav",
        "--transcript",
        "cues.srt",
        "--out",
        "out",
        "--set",
        "input.apply_transcript_offset=true",
    ]);
    assert_eq!(told.code, 0, "{}", told.err);
    let turns = table(&stage, "out/turns/silence.parquet");
    assert_eq!((turns.number("start_secs", 0), turns.number("start_secs", 3)), (Some(1.0), Some(7.5)));
    let row = table(&stage, "out/interviews/silence.parquet");
    assert_eq!(row.number("transcript_offset_secs", 0), None);
    assert_eq!(row.number("transcript_offset_confidence", 0), None);
    assert_eq!(row.text("transcript_offset_missing", 0), Some("no_speech"));
    // Words without times are laid out, and say so.
    let words = table(&stage, "out/words/silence.parquet");
    assert_eq!((words.rows(), words.text("timing", 0), words.text("word", 0)), (11, Some("estimated"), Some("Good")));
}
