//! What is kept of a run: `runs/<begun>-<process>.json`, beside the data. Another machine and another day leave the
//! same tables and another record.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::run::Summary;
use crate::error::{Error, Result};
use crate::pipeline::Making;
use crate::store::parquet::FileMetadata;
use crate::store::whole::write_text;

const FOLDER: &str = "runs";

/// What a machine is, as far as it says something of speed; not which one.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Host {
    /// Operating system.
    pub system: String,
    /// Instruction set.
    pub architecture: String,
    /// The processor's own name; empty where the system does not tell.
    pub processor: String,
    /// Processors that this run may use.
    pub processors: usize,
    /// Memory in bytes; `None` where the system does not tell.
    pub memory_bytes: Option<u64>,
}

/// A run of `extract`.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RunRecord {
    /// When it began, UTC.
    pub begun: String,
    /// When it ended; `None` while it runs, and where it was killed.
    pub ended: Option<String>,
    /// Version of the program.
    pub version: String,
    /// Versions of FFmpeg and of ONNX Runtime.
    pub ffmpeg: String,
    /// As its registry names it.
    pub onnx_runtime: String,
    /// What tables tell of their making.
    pub making: Making,
    /// The recipe, the contents of enrolment for the places where they lie.
    pub recipe: serde_json::Value,
    /// sha256 of each model.
    pub models: std::collections::BTreeMap<String, String>,
    /// sha256 of the manifest; `None` for a single file.
    pub manifest_sha256: Option<String>,
    /// Part of the corpus, such as 2/8.
    pub shard: Option<String>,
    /// Interviews asked for.
    pub interviews: usize,
    /// Interviews worked on at the same time.
    pub jobs: usize,
    /// The machine.
    pub host: Host,
    /// Wall-clock time.
    pub secs: f64,
    /// How it ended.
    pub outcome: Option<RunOutcome>,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RunOutcome {
    /// Interviews written.
    pub done: usize,
    /// Those there already.
    pub skipped: usize,
    /// Ids of those that failed.
    pub failed: Vec<String>,
    /// Not reached, or left half done.
    pub left: usize,
    /// The signal that stopped it.
    pub signal: Option<usize>,
}

impl From<&Summary> for RunOutcome {
    fn from(summary: &Summary) -> Self {
        RunOutcome {
            done: summary.done,
            skipped: summary.skipped,
            failed: summary.failed.iter().map(|(id, _)| id.clone()).collect(),
            left: summary.left,
            signal: summary.stopped,
        }
    }
}

impl RunRecord {
    /// A run that begins now, with what its tables tell.
    pub fn begin(metadata: &FileMetadata) -> Self {
        RunRecord {
            begun: utc(SystemTime::now()),
            version: metadata.tool_version.clone(),
            making: Making::of(metadata),
            recipe: serde_json::from_str(&metadata.recipe).unwrap_or_default(),
            models: metadata.models.clone(),
            host: host(),
            ..RunRecord::default()
        }
    }

    /// Writes it, over what this run has written before.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn write(&self, out: &Path) -> Result<()> {
        let stamp: String = self.begun.chars().filter(|c| !"-:.".contains(*c)).collect();
        let path = out.join(FOLDER).join(format!("{stamp}-{}.json", std::process::id()));
        let text = serde_json::to_string_pretty(self).map_err(|e| Error::write(&path, e))?;
        write_text(&path, &format!("{text}\n"))
    }
}

/// The record of the run that began last; `None` where there is none that can be read.
pub fn last_run(out: &Path) -> Option<RunRecord> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(out.join(FOLDER)).ok()?.flatten().map(|e| e.path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "json"));
    // Names begin with the time.
    paths.sort();
    paths.iter().rev().find_map(|p| serde_json::from_slice(&std::fs::read(p).ok()?).ok())
}

/// This machine.
fn host() -> Host {
    let told = |file: &str, name: &str| {
        let text = std::fs::read_to_string(file).ok()?;
        let line = text.lines().find(|l| l.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let kib = told("/proc/meminfo", "MemTotal").and_then(|t| t.strip_suffix(" kB")?.trim().parse::<u64>().ok());
    Host {
        system: std::env::consts::OS.into(),
        architecture: std::env::consts::ARCH.into(),
        processor: told("/proc/cpuinfo", "model name").unwrap_or_default(),
        processors: std::thread::available_parallelism().map_or(1, usize::from),
        memory_bytes: kib.map(|k| k << 10),
    }
}

/// `2026-11-30T12:34:56.789Z`.
pub fn utc(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, secs) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (secs / 3600, secs % 3600 / 60, secs % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", since.subsec_millis())
}

/// Year, month and day of so many days after 1970-01-01, of the Gregorian calendar.
fn date(mut days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        let of = |millis| utc(UNIX_EPOCH + Duration::from_millis(millis));
        assert_eq!(of(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(of(951_827_696_789), "2000-02-29T12:34:56.789Z");
        assert_eq!(of(1_798_761_599_000), "2026-12-31T23:59:59.000Z");
        assert_eq!(of(4_107_542_400_000), "2100-03-01T00:00:00.000Z");
    }

    #[test]
    fn the_last_run_is_the_one_that_began_last() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(last_run(folder.path()), None);
        let mut run = RunRecord::begin(&FileMetadata { recipe_hash: "r".into(), ..FileMetadata::default() });
        assert!(run.host.processors > 0 && run.ended.is_none());
        run.write(folder.path()).unwrap();
        let late = RunRecord { begun: "9999-01-01T00:00:00.000Z".into(), jobs: 7, ..run.clone() };
        late.write(folder.path()).unwrap();
        run.outcome = Some(RunOutcome::default());
        run.write(folder.path()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path().join(FOLDER)).unwrap().count(), 2);
        assert_eq!(last_run(folder.path()), Some(late));
    }
}
