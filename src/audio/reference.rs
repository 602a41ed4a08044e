//! What the tests of this room read: models, clips and what other tools made of them.

use std::path::Path;

use super::{SAMPLE_RATE_HZ, VoiceConfig, VoiceModels};
use crate::inference::{ModelSet, Registry, Runtime};

/// Clips with reference values.
pub const CLIPS: [&str; 5] = ["pyannote_sample", "ami_dev00", "ami_es2011a_short", "dual_speaker", "three_speakers"];

/// The room's models; a test without them fails.
pub fn models() -> VoiceModels {
    let registry = Registry::open(None).unwrap();
    VoiceModels::load(&registry, &VoiceConfig::default(), Runtime::default())
        .unwrap_or_else(|e| panic!("{}: run `make models`", e.chain()))
}

/// Samples of a 16 kHz mono WAV file, 16-bit or float: just enough of the format for these clips.
pub fn wav(shared: &Path, clip: &str) -> Vec<f32> {
    let bytes = std::fs::read(shared.join(format!("media/audio/{clip}.wav"))).unwrap();
    let int = |at: usize, n: usize| bytes[at..at + n].iter().rev().fold(0usize, |v, &b| v << 8 | usize::from(b));
    let (mut at, mut bits) = (12, 0);
    loop {
        let (name, length, body) = (&bytes[at..at + 4], int(at + 4, 4), at + 8);
        if name == b"fmt " {
            assert_eq!((int(body + 2, 2), int(body + 4, 4)), (1, SAMPLE_RATE_HZ as usize), "{clip} is not 16 kHz mono");
            bits = int(body + 14, 2);
        }
        if name == b"data" {
            let data = &bytes[body..(body + length).min(bytes.len())];
            return match bits {
                16 => data.chunks_exact(2).map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 32768.0).collect(),
                32 => data.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
                _ => panic!("{clip} has {bits} bits"),
            };
        }
        at = body + length + length % 2;
    }
}

/// Rows of a gzipped reference table, the header first.
pub fn csv_gz(shared: &Path, clip: &str, file: &str) -> Vec<Vec<String>> {
    let path = shared.join("reference").join(clip).join(file);
    let out = std::process::Command::new("gzip").arg("-dc").arg(&path).output().unwrap();
    assert!(out.status.success(), "gzip -dc {}", path.display());
    String::from_utf8(out.stdout).unwrap().lines().map(|l| l.split(',').map(ToOwned::to_owned).collect()).collect()
}

/// One column, NaN for empty cells.
pub fn column(table: &[Vec<String>], name: &str) -> Vec<f32> {
    let at = table[0].iter().position(|n| n == name).unwrap();
    table[1..].iter().map(|row| row[at].parse().unwrap_or(f32::NAN)).collect()
}
