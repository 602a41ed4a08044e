//! What this room's tests share: the models, the reference clips, the goldens.

use std::path::Path;
use std::process::Command;

use crate::inference::Registry;
use crate::signal::AudioBuffer;

/// The models; their absence is a failure, not a reason to skip.
pub fn registry() -> Registry {
    Registry::open(None).unwrap()
}

/// A 16 kHz mono clip of the reference folder.
pub fn clip(shared: &Path, name: &str) -> AudioBuffer {
    let samples = wav(&shared.join(format!("media/audio/{name}.wav")));
    AudioBuffer::new(samples, 16_000)
}

/// Reads the two WAV forms of the clips (16-bit integer, 32-bit float; mono, 16 kHz) without the media door.
fn wav(path: &Path) -> Vec<f32> {
    let bytes = std::fs::read(path).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let half = |at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap());
    let (mut at, mut bits) = (12, 0);
    loop {
        let (name, size) = (&bytes[at..at + 4], word(at + 4));
        if name == b"fmt " {
            assert_eq!((half(at + 10), word(at + 12)), (1, 16_000), "mono, 16 kHz");
            bits = half(at + 22);
        } else if name == b"data" {
            let data = &bytes[at + 8..bytes.len().min(at + 8 + size)];
            return match bits {
                16 => data.chunks_exact(2).map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 32768.0).collect(),
                32 => data.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
                other => panic!("{other} bits"),
            };
        }
        at += 8 + size + size % 2;
    }
}

/// Numbers of a gzipped CSV file; a header line is left out.
pub fn gzip_csv(path: &Path) -> Vec<Vec<f64>> {
    let out = Command::new("gzip").arg("-dc").arg(path).output().unwrap();
    assert!(out.status.success(), "{}", path.display());
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines().filter_map(|l| l.split(',').map(|f| f.parse().ok()).collect::<Option<Vec<f64>>>()).collect()
}
