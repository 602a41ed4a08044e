//! The program's own sources, for tests that read them.

use std::fs;
use std::path::{Path, PathBuf};

/// All Rust files below a folder of the project.
pub fn rust_files(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut waiting = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}
