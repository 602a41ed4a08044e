//! Errors, sorted by what the caller can do about them. The cause is in `source`, never repeated in the text.

use std::path::PathBuf;

/// A foreign error kept as a source, so that no door's crate leaks into the words.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Everything that can end an interview or a command.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The media file cannot be opened or decoded.
    #[error("cannot read media {}", path.display())]
    Media {
        /// The file.
        path: PathBuf,
        /// What the decoder said.
        source: Cause,
    },
    /// The file holds no stream of the kind asked for.
    #[error("{} has no {kind} stream{}", path.display(), undecodable.as_ref().map_or_else(String::new, |what| format!(" that can be decoded: {what}")))]
    NoStream {
        /// The file.
        path: PathBuf,
        /// `audio` or `video`.
        kind: &'static str,
        /// In words, the streams of the kind that are there and cannot be decoded.
        undecodable: Option<String>,
    },
    /// A transcript, manifest or RTTM line that cannot be understood.
    #[error("{}: {what}; {hint}", place(path, *line))]
    Parse {
        /// The file.
        path: PathBuf,
        /// 1-based line, 0 for the file as a whole.
        line: usize,
        /// What was found, with the cue or field quoted.
        what: String,
        /// What was expected or what to do.
        hint: String,
    },
    /// A table that a program wrote is not whole any more, or is not what its name says.
    #[error("{}: {what}; {hint}", place(path, *line))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// 1-based line, 0 for the file as a whole.
        line: usize,
        /// What is wrong with it.
        what: String,
        /// What to do.
        hint: String,
    },
    /// A file of the user's cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Somebody wrote into an input while it was read: what was made of it is neither of the old content nor of the
    /// new.
    #[error("{} was changed while it was read; run again when nothing writes into it any more", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Output cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system or the writer said.
        source: Cause,
    },
    /// A model file is not there.
    #[error("model {name} is missing: no file {} (expected sha256 {expected}); run `turnwise models fetch` \
             (in a clone `make models`), or name the folder that has it with --models", path.display())]
    ModelMissing {
        /// Registry name.
        name: String,
        /// Where it was looked for.
        path: PathBuf,
        /// sha256 in the registry.
        expected: String,
    },
    /// A model file is not the one the registry knows.
    #[error("model {name} is altered: {} has sha256 {got}, expected {expected}; delete it and run \
             `turnwise models fetch` (in a clone `make models`)", path.display())]
    ModelHash {
        /// Registry name.
        name: String,
        /// The file.
        path: PathBuf,
        /// sha256 in the registry.
        expected: String,
        /// sha256 of the file.
        got: String,
    },
    /// A model's inputs or outputs differ from its contract in the registry.
    #[error("model {name} does not fit its contract: {tensor} should be {expected}, it is {got}")]
    ModelContract {
        /// Registry name.
        name: String,
        /// Which tensor.
        tensor: String,
        /// Name, type and shape in the registry.
        expected: String,
        /// What the file has.
        got: String,
    },
    /// A model failed while loading or running; never to be read as "nothing found".
    #[error("model {name} failed")]
    Model {
        /// Registry name.
        name: String,
        /// What the runtime said.
        source: Cause,
    },
    /// ONNX Runtime itself cannot be loaded.
    #[error("cannot load ONNX Runtime from {}; run `turnwise models fetch` (in a clone `make models`), \
             or set ORT_DYLIB_PATH to a libonnxruntime of version {needed}", path.display())]
    Runtime {
        /// The shared library tried.
        path: PathBuf,
        /// The version needed.
        needed: String,
        /// What the loader said.
        source: Cause,
    },
    /// A recipe or `--set` value that is not understood.
    #[error("recipe {place}: {what}")]
    Recipe {
        /// File or `--set KEY`.
        place: String,
        /// What is wrong and what was expected.
        what: String,
    },
    /// Two things that must have the same shape do not.
    #[error("{what}: expected {expected}, got {got}")]
    Shape {
        /// Which quantity.
        what: &'static str,
        /// Shape expected.
        expected: String,
        /// Shape found.
        got: String,
    },
    /// The request contradicts itself or cannot be met.
    #[error("{what}; {hint}")]
    Usage {
        /// What was asked, quoted.
        what: String,
        /// What to do instead.
        hint: String,
    },
    /// The process working on an interview ended or hung.
    #[error("the worker for interview {interview} {what}")]
    Worker {
        /// Interview id.
        interview: String,
        /// How it ended.
        what: String,
    },
    /// The process working on an interview took more memory than it may.
    #[error(
        "the worker for interview {interview} was ended at {used_mb} MB of memory, {limit_mb} MB are allowed; \
         --memory-limit gives it more, and with fewer --jobs each has more"
    )]
    Memory {
        /// Interview id.
        interview: String,
        /// What it held.
        used_mb: u64,
        /// What it was allowed.
        limit_mb: u64,
    },
}

/// The file, and the line where it is known.
fn place(path: &std::path::Path, line: usize) -> String {
    if line == 0 { path.display().to_string() } else { format!("{}:{line}", path.display()) }
}

/// Bytes told of an error.
pub const MOST_TEXT: usize = 16 << 10;

/// The library's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A media error with its cause.
    pub fn media(path: impl Into<PathBuf>, source: impl Into<Cause>) -> Self {
        Error::Media { path: path.into(), source: source.into() }
    }

    /// A write error with its cause.
    pub fn write(path: impl Into<PathBuf>, source: impl Into<Cause>) -> Self {
        Error::Write { path: path.into(), source: source.into() }
    }

    /// A model error with its cause.
    pub fn model(name: impl Into<String>, source: impl Into<Cause>) -> Self {
        Error::Model { name: name.into(), source: source.into() }
    }

    /// A parse error at a line.
    pub fn parse(path: impl Into<PathBuf>, line: usize, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Parse { path: path.into(), line, what: what.into(), hint: hint.into() }
    }

    /// An error of a table that was once written whole.
    pub fn damaged(path: impl Into<PathBuf>, line: usize, what: impl Into<String>) -> Self {
        Error::Damaged { path: path.into(), line, what: what.into(), hint: "write it again or delete it".into() }
    }

    /// The error and all its causes on one line, of which no more than [`MOST_TEXT`] bytes are told: a file may hold a
    /// line of any length.
    pub fn chain(&self) -> String {
        let mut text = self.to_string();
        let mut next = std::error::Error::source(self);
        while let Some(cause) = next {
            text.push_str(": ");
            text.push_str(&cause.to_string());
            next = cause.source();
        }
        if text.len() > MOST_TEXT {
            text.truncate(text.floor_char_boundary(MOST_TEXT));
            text.push('…');
        }
        text
    }

    /// The file or folder that the error is about, where it is about one.
    pub fn path(&self) -> Option<&std::path::Path> {
        match self {
            Error::Media { path, .. }
            | Error::NoStream { path, .. }
            | Error::Parse { path, .. }
            | Error::Damaged { path, .. }
            | Error::Read { path, .. }
            | Error::Write { path, .. }
            | Error::ModelMissing { path, .. }
            | Error::ModelHash { path, .. }
            | Error::Runtime { path, .. } => Some(path),
            _ => None,
        }
    }

    /// True when nothing more can be written where this was to be: no space, no quota, a file system that has become
    /// read-only.
    pub fn ends_all_writing(&self) -> bool {
        // Writers wrap the system's error in their own; its number stays in the text.
        let numbers = [libc::ENOSPC, libc::EDQUOT, libc::EROFS];
        matches!(self, Error::Write { .. }) && {
            let text = self.chain();
            numbers.iter().any(|n| text.contains(&format!("(os error {n})")))
        }
    }

    /// A short stable code for the `error_kind` column.
    pub fn kind(&self) -> &'static str {
        match self {
            Error::Media { .. } => "media",
            Error::NoStream { .. } => "no_stream",
            Error::Parse { .. } => "parse",
            Error::Damaged { .. } => "damaged",
            Error::Read { .. } => "read",
            Error::Changed { .. } => "input_changed",
            Error::Write { .. } => "write",
            Error::ModelMissing { .. } => "model_missing",
            Error::ModelHash { .. } => "model_hash",
            Error::ModelContract { .. } => "model_contract",
            Error::Model { .. } => "model",
            Error::Runtime { .. } => "runtime",
            Error::Recipe { .. } => "recipe",
            Error::Shape { .. } => "shape",
            Error::Usage { .. } => "usage",
            Error::Worker { .. } => "worker",
            Error::Memory { .. } => "memory",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_tells_each_cause_once() {
        let e = Error::media("a.mp4", std::io::Error::other("moov atom not found"));
        assert_eq!(e.chain(), "cannot read media a.mp4: moov atom not found");
    }

    #[test]
    fn a_full_disk_is_known_through_the_errors_around_it() {
        let full = || std::io::Error::from_raw_os_error(libc::ENOSPC);
        assert!(Error::write("a.parquet", full()).ends_all_writing());
        assert!(Error::write("a.parquet", std::io::Error::other(full())).ends_all_writing());
        assert!(!Error::write("a.parquet", std::io::Error::from_raw_os_error(libc::EACCES)).ends_all_writing());
        assert!(!Error::Read { path: "a".into(), source: full() }.ends_all_writing());
    }

    #[test]
    fn an_error_is_told_in_bounds() {
        let text = Error::parse("a.srt", 1, "ü".repeat(1 << 20), "shorten it").chain();
        assert!(text.len() <= MOST_TEXT + '…'.len_utf8() && text.starts_with("a.srt:1: ü") && text.ends_with("ü…"));
    }

    #[test]
    fn a_line_is_told_where_there_is_one() {
        assert_eq!(
            Error::parse("a.srt", 3, "end before start", "correct it").to_string(),
            "a.srt:3: end before start; correct it"
        );
        assert_eq!(Error::parse("a.srt", 0, "no cues", "leave it out").to_string(), "a.srt: no cues; leave it out");
    }
}
