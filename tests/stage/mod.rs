//! A stage for stories about the program: a folder of its own, short clips of the sample media, and the program run in
//! it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use turnwise::store::read::{StoredTable, read};

/// A temporary folder, gone with its story.
pub struct Stage(tempfile::TempDir);

/// What a run left behind.
#[derive(Debug)]
pub struct Told {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Told {
    /// The one line of standard error that holds `part`.
    #[track_caller]
    pub fn line(&self, part: &str) -> &str {
        let lines: Vec<&str> = self.err.lines().filter(|l| l.contains(part)).collect();
        assert_eq!(lines.len(), 1, "lines with {part:?} in:\n{}", self.err);
        lines[0]
    }
}

impl Stage {
    pub fn new() -> Self {
        Stage(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Cuts a piece of the TED talk: `options` are FFmpeg's, between input and output.
    pub fn cut(&self, name: &str, from: &str, secs: &str, options: &[&str]) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let fast = ["-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac"];
        let mut ffmpeg = Command::new("ffmpeg");
        ffmpeg.args(["-v", "error", "-y", "-ss", from, "-t", secs, "-i"]).arg(sample("ted_talk.mp4"));
        let done = ffmpeg
            .args(fast)
            .args(options)
            .arg(&path)
            .stdin(Stdio::null())
            .status()
            .expect("ffmpeg is needed: make apt");
        assert!(done.success());
        path
    }

    /// Three seconds of the speaker, seen and heard.
    pub fn clip(&self, name: &str) -> PathBuf {
        self.cut(name, "25", "3", &[])
    }

    /// A models folder with all the real files, the tiny graphs of `fixtures/models`, and entries that add to the
    /// registry: a name, a graph, and the rest of the entry.
    pub fn own_models(&self, entries: &[(&str, &str, &str)]) -> PathBuf {
        let folder = self.path("models");
        std::fs::create_dir(&folder).unwrap();
        for file in std::fs::read_dir(models())
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|p| p.extension().is_none_or(|e| e != "toml"))
        {
            std::os::unix::fs::symlink(std::fs::canonicalize(&file).unwrap(), folder.join(file.file_name().unwrap()))
                .unwrap();
        }
        let mut registry = "schema = 1\n".to_owned();
        for (name, graph, rest) in entries {
            let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models").join(graph);
            std::fs::copy(&from, folder.join(graph)).unwrap();
            let sha256 = turnwise::inference::file_sha256(&from).unwrap();
            let told = "role = \"test\"\nlicence = \"MIT\"\norigin = \"made by make_models.py\"";
            registry +=
                &format!("[[model]]\nname = \"{name}\"\nfile = \"{graph}\"\nsha256 = \"{sha256}\"\n{told}\n{rest}\n");
        }
        std::fs::write(folder.join("models.toml"), registry).unwrap();
        folder
    }

    /// The program, in this folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_turnwise"));
        command.current_dir(self.0.path()).args(arguments).env("TURNWISE_MODELS", models()).env_remove("RUST_LOG");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Told {
        let ended = self.command(arguments).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let told = Told { code: ended.status.code().unwrap_or(-1), out: text(&ended.stdout), err: text(&ended.stderr) };
        assert!(!told.err.contains("panicked"), "{}", told.err);
        told
    }

    /// Every data file below a folder with its bytes; times spent, logs, records of runs and what stages keep are none.
    pub fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let root = self.path(folder);
        let mut files = BTreeMap::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
                if path.is_dir() {
                    folders.push(path);
                } else if !["timings", "logs", "runs", ".stages"].iter().any(|beside| name.starts_with(beside)) {
                    files.insert(name, std::fs::read(&path).unwrap());
                }
            }
        }
        files
    }
}

pub fn sample(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sample/media").join(name);
    assert!(path.exists(), "{} is needed: run make samples", path.display());
    path
}

pub fn models() -> PathBuf {
    std::env::var_os("TURNWISE_MODELS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("onnx/models"), PathBuf::from)
}

/// A pipe that nobody writes into: whoever opens it to read hangs.
pub fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// The live child processes of a process.
pub fn children(parent: u32) -> Vec<u32> {
    let is_child = |pid: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        status.contains(&format!("PPid:\t{parent}\n")) && is_alive(*pid)
    };
    let entries = std::fs::read_dir("/proc").unwrap();
    entries.filter_map(|e| e.unwrap().file_name().to_str()?.parse().ok()).filter(is_child).collect()
}

pub fn is_alive(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    !status.is_empty() && !status.contains("State:\tZ")
}

/// Waits until it is so; a minute at most.
#[track_caller]
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A table of the stage, all columns.
pub fn table(stage: &Stage, name: &str) -> StoredTable {
    read(&stage.path(name)).unwrap()
}

/// The row of an interview in `interviews`.
pub fn row(table: &StoredTable, id: &str) -> usize {
    (0..table.rows()).find(|&r| table.text("interview_id", r) == Some(id)).unwrap_or_else(|| panic!("no row {id}"))
}
