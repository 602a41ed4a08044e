//! What is adopted from outside, an RTTM or a transcript on another clock, loses nothing untold.

use crate::stage::{Stage, sample};
use turnwise::store::read::read;

#[test]
fn lines_of_other_recordings_and_turns_before_the_start_are_told() {
    let stage = Stage::new();
    std::fs::copy(sample("conversation.wav"), stage.path("c.wav")).unwrap();
    stage.write(
        "two.rttm",
        "SPEAKER c 1 1 4 <NA> <NA> A <NA> <NA>\nSPEAKER d 1 0 2 <NA> <NA> B <NA> <NA>\nSPEAKER d 1 3 2 <NA> <NA> B <NA> <NA>\n",
    );
    stage.write("c.srt", "1\n00:00:01,000 --> 00:00:03,000\nwell\n\n2\n00:00:04,000 --> 00:00:06,000\nyes\n");
    let shift = ["--set", "input.transcript_shift_secs=-2", "--set", "face.rate_hz=0"];
    let told = stage.run(
        &[&["extract", "c.wav", "--transcript", "c.srt", "--rttm", "two.rttm", "--out", "out"], &shift[..]].concat(),
    );
    assert_eq!(told.code, 0, "{}", told.err);
    let interviews = read(&stage.path("out/interviews.parquet")).unwrap();
    let warnings = interviews.texts("warnings", 0).unwrap();
    let has = |start: &str| warnings.iter().any(|w| w.starts_with(start));
    assert!(
        has("rttm_recordings: 2 recordings in the RTTM file")
            && warnings.iter().any(|w| w.contains("2 lines of others")),
        "{warnings:?}"
    );
    assert!(has("turns_before_start: 1 turns begin before 0 once moved by -2.00 s"), "{warnings:?}");
}
