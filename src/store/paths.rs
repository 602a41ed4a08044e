//! Where a table of an interview lies: `OUT/<table>/<interview_id>.parquet`, or with another format's ending. Slashes
//! in an id make subfolders; an id can never leave the folder.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::store::format::{Format, Writer};
use crate::text::steers;

/// Longest component of an id in bytes; file systems stop at 255, the suffix and a temporary name need room.
const COMPONENT_BYTES: usize = 200;

/// Longest id in bytes; Linux stops at paths of 4096, the output folder's own path needs room.
const ID_BYTES: usize = 1000;

/// Suffixes of the files that ids name: a folder called so would stand where another interview's file belongs.
/// Those of tables are added.
const SUFFIXES: [&str; 3] = ["rttm", "json", "jsonl"];

/// Names that Windows keeps for devices, whatever suffix follows; COM and LPT with a digit are added.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// `out/<table>/<interview_id>.parquet`, or the table in another format where that is there.
///
/// # Errors
/// [`Error::Usage`] as in [`check_interview_id`].
pub fn table_path(out: &Path, table: &str, interview_id: &str) -> Result<PathBuf> {
    let mut paths = table_paths(out, table, interview_id)?;
    let there = paths.iter().position(|p| p.exists()).unwrap_or(0);
    Ok(paths.swap_remove(there))
}

/// The table in each format, whether it is there or not.
///
/// # Errors
/// As [`table_path`].
pub fn table_paths(out: &Path, table: &str, interview_id: &str) -> Result<Vec<PathBuf>> {
    Format::ALL.into_iter().map(|format| table_path_in(format, out, table, interview_id)).collect()
}

/// Where the table lies in a format.
///
/// # Errors
/// As [`table_path`].
pub fn table_path_in(format: Format, out: &Path, table: &str, interview_id: &str) -> Result<PathBuf> {
    within(out, table, interview_id, format.suffix())
}

/// `out/rttm/<interview_id>.rttm`.
///
/// # Errors
/// [`Error::Usage`] as in [`check_interview_id`].
pub fn rttm_path(out: &Path, interview_id: &str) -> Result<PathBuf> {
    within(out, "rttm", interview_id, "rttm")
}

/// `out/timings/<interview_id>.json`.
///
/// # Errors
/// [`Error::Usage`] as in [`check_interview_id`].
pub fn timings_path(out: &Path, interview_id: &str) -> Result<PathBuf> {
    within(out, "timings", interview_id, "json")
}

/// `out/logs/<interview_id>.jsonl`.
///
/// # Errors
/// [`Error::Usage`] as in [`check_interview_id`].
pub fn log_path(out: &Path, interview_id: &str) -> Result<PathBuf> {
    within(out, "logs", interview_id, "jsonl")
}

/// Hidden folder of the results that stages keep between runs, so that no reader of tables sees them.
pub const STAGES: &str = ".stages";

/// `out/.stages/<stage>/<interview_id>.stage`.
///
/// # Errors
/// [`Error::Usage`] as in [`check_interview_id`].
pub fn stage_path(out: &Path, stage: &str, interview_id: &str) -> Result<PathBuf> {
    within(&out.join(STAGES), stage, interview_id, "stage")
}

/// `out/interviews.parquet`, the table of all interviews, or the same in another format where that is there.
pub fn interviews_path(out: &Path) -> PathBuf {
    let mut paths = Format::ALL.map(|format| Writer::new(format).path(out, "interviews"));
    let there = paths.iter().position(|p| p.is_file()).unwrap_or(0);
    std::mem::take(&mut paths[there])
}

fn within(out: &Path, folder: &str, interview_id: &str, suffix: &str) -> Result<PathBuf> {
    check_interview_id(interview_id)?;
    // Joined piece by piece and with the suffix appended as text: "s1.e2" must not lose its ".e2".
    let mut path = out.join(folder);
    path.extend(interview_id.split('/'));
    let mut whole = path.into_os_string();
    whole.push(".");
    whole.push(suffix);
    Ok(PathBuf::from(whole))
}

/// Refuses ids that would leave the output folder or that some file system cannot hold.
///
/// # Errors
/// [`Error::Usage`] quoting the id and the reason.
pub fn check_interview_id(id: &str) -> Result<()> {
    let refuse = |why: &str| {
        Err(Error::Usage {
            what: format!("interview id {id:?} {why}"),
            hint: "ids name files: use letters, digits, `-`, `_`, inner dots and spaces, and `/` for subfolders".into(),
        })
    };
    if id.is_empty() {
        return refuse("is empty");
    }
    if id.starts_with('/') {
        return refuse("is an absolute path");
    }
    if let Some(c) = id.chars().find(|c| steers(*c)) {
        return refuse(&format!("holds the control character {c:?}"));
    }
    if id.contains('\\') {
        return refuse("holds a backslash");
    }
    if id.len() > ID_BYTES {
        return refuse(&format!("has {} bytes, at most {ID_BYTES} fit", id.len()));
    }
    let folders = id.rsplit_once('/').map_or("", |(folders, _)| folders);
    for folder in folders.split('/').map(str::to_lowercase) {
        let mut suffixes = Format::ALL.into_iter().map(Format::suffix).chain(SUFFIXES);
        if let Some(suffix) = suffixes.find(|s| folder.strip_suffix(*s).is_some_and(|stem| stem.ends_with('.'))) {
            return refuse(&format!("has a folder that ends in .{suffix}, as the files of interviews do"));
        }
    }
    for part in id.split('/') {
        if is_device(part) {
            return refuse(&format!("has the component {part:?}, which Windows keeps for a device"));
        }
        match part {
            "" => return refuse("has an empty component"),
            "." | ".." => return refuse(&format!("has the component {part:?}")),
            _ if part.starts_with(' ') => return refuse(&format!("has a component with a leading space, {part:?}")),
            _ if part.ends_with([' ', '.']) => {
                return refuse(&format!("has a component that ends in a space or dot, {part:?}"));
            }
            // Hidden names are kept for temporaries, which a listing passes over.
            _ if part.starts_with('.') => return refuse(&format!("has a component that starts with a dot, {part:?}")),
            _ if part.len() > COMPONENT_BYTES => {
                return refuse(&format!("has a component of {} bytes, at most {COMPONENT_BYTES} fit", part.len()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// `con`, `NUL.txt`, `com1`, …: no file can be called so on Windows.
fn is_device(component: &str) -> bool {
    let stem = component.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let numbered = |name: &str| {
        stem.strip_prefix(name)
            .is_some_and(|n| n.chars().count() == 1 && n.contains(|c: char| "0123456789¹²³".contains(c)))
    };
    DEVICES.contains(&stem.as_str()) || numbered("com") || numbered("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_become_folders_and_dots_stay() {
        let out = Path::new("out");
        let path = |id| table_path(out, "turns", id).unwrap();
        assert_eq!(path("a"), Path::new("out/turns/a.parquet"));
        assert_eq!(path("show/s1.e2"), Path::new("out/turns/show/s1.e2.parquet"));
        assert_eq!(path("clip.mp4"), Path::new("out/turns/clip.mp4.parquet"));
        assert_eq!(path("Gespräch mit C"), Path::new("out/turns/Gespräch mit C.parquet"));
        assert_eq!(rttm_path(out, "show/s1.e2").unwrap(), Path::new("out/rttm/show/s1.e2.rttm"));
        assert_eq!(interviews_path(out), Path::new("out/interviews.parquet"));
    }

    #[test]
    fn a_table_is_found_in_whatever_format_it_is_there() {
        let out = tempfile::tempdir().unwrap();
        let path = |id| table_path(out.path(), "turns", id).unwrap();
        std::fs::create_dir(out.path().join("turns")).unwrap();
        for file in ["turns/a.b.csv", "turns/a.b.csv-metadata.json", "turns/c.arrow", "interviews.csv"] {
            std::fs::write(out.path().join(file), "").unwrap();
        }
        assert_eq!(path("a.b"), out.path().join("turns/a.b.csv"));
        assert_eq!(path("c"), out.path().join("turns/c.arrow"));
        assert_eq!(path("d"), out.path().join("turns/d.parquet"));
        assert_eq!(interviews_path(out.path()), out.path().join("interviews.csv"));
    }

    #[test]
    fn ids_that_leave_the_folder_are_refused_and_quoted() {
        let long = "x".repeat(201);
        let deep = ["x".repeat(199).as_str(); 6].join("/");
        for id in [
            "",
            "/etc/passwd",
            "..",
            ".",
            "a/../b",
            "./a",
            "a//b",
            "a/",
            "a\\b",
            "a\u{0}b",
            "a\nb",
            "a\u{202e}b",
            "a ",
            "a.",
            "a /b",
            "a./b",
            " a",
            ".a",
            "C:\\a",
            "CON",
            "a/nul.mp4",
            "Com1",
            "LPT³/a",
            "a.parquet/b",
            "x/a.RTTM/b",
            "a.json/b",
            "a.csv/b",
            "x/a.arrow/b",
            &long,
            &deep,
        ] {
            let e = table_path(Path::new("out"), "turns", id).unwrap_err();
            assert_eq!(e.kind(), "usage");
            assert!(e.to_string().contains(&format!("{id:?}")), "{e}");
        }
        for id in [&"x".repeat(200), "console", "com12", "com", "a/b.parquet", "a.json", "nul-1", "x.parquet.y/b"] {
            check_interview_id(id).unwrap();
        }
        // Only the end is the suffix.
        assert_eq!(timings_path(Path::new("out"), "a.parquet.b").unwrap(), Path::new("out/timings/a.parquet.b.json"));
    }
}
