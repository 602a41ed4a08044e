//! Stories about files that are cut short or claim what no recording holds: told in the interview's row, with the
//! range.

use crate::stage::Stage;
use turnwise::store::read::read;

/// The warnings in the only row of the interviews table.
fn warnings(stage: &Stage, folder: &str) -> Vec<String> {
    read(&stage.path(&format!("{folder}/interviews.parquet"))).unwrap().texts("warnings", 0).unwrap().to_vec()
}

#[test]
fn an_interview_cut_short_is_done_and_says_what_is_missing() {
    let stage = Stage::new();
    let whole = stage.cut("whole.wav", "20", "4", &["-vn", "-c:a", "pcm_s16le", "-ac", "1", "-ar", "16000"]);
    let bytes = std::fs::read(whole).unwrap();
    std::fs::write(stage.path("short.wav"), &bytes[..78 + 2 * 40_000]).unwrap();
    let told = stage.run(&["extract", "whole.wav", "--out", "whole"]);
    assert_eq!(told.code, 0, "{}", told.err);
    let all = warnings(&stage, "whole");
    assert!(!all.iter().any(|w| w.starts_with("shortfall") || w.starts_with("truncated")), "{all:?}");
    let told = stage.run(&["extract", "short.wav", "--out", "short"]);
    assert_eq!(told.code, 0, "{}", told.err);
    let all = warnings(&stage, "short");
    let short: Vec<_> = all.iter().filter(|w| w.starts_with("shortfall")).collect();
    assert_eq!(short.len(), 1, "{all:?}");
    assert!(short[0].contains("audio") && short[0].contains("2.500") && short[0].contains("4.000"), "{short:?}");
}

#[test]
fn a_header_that_no_recording_has_is_one_clear_line() {
    let stage = Stage::new();
    let path = stage.cut("c.wav", "20", "1", &["-vn", "-c:a", "pcm_s16le"]);
    let mut bytes = std::fs::read(&path).unwrap();
    let fmt = bytes.windows(4).position(|w| w == b"fmt ").unwrap();
    bytes[fmt + 12..fmt + 16].copy_from_slice(&1_u32.to_le_bytes());
    std::fs::write(&path, bytes).unwrap();
    let told = stage.run(&["extract", "c.wav", "--out", "o"]);
    assert_ne!(told.code, 0);
    assert!(told.err.contains("declares 1 samples a second"), "{}", told.err);
}
