//! Where a table of an interview lies: `OUT/<table>/<interview_id>.parquet`. Slashes in an id make subfolders; an id can never leave the folder.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::text::steers;

/// Longest component of an id in bytes; file systems stop at 255, the suffix and a temporary name need room.
const COMPONENT_BYTES: usize = 200;

/// `out/<table>/<interview_id>.parquet`.
///
/// # Errors
/// [`Error::Usage`] as in [`check_interview_id`].
pub fn table_path(out: &Path, table: &str, interview_id: &str) -> Result<PathBuf> {
    within(out, table, interview_id, "parquet")
}

/// `out/rttm/<interview_id>.rttm`.
///
/// # Errors
/// [`Error::Usage`] as in [`check_interview_id`].
pub fn rttm_path(out: &Path, interview_id: &str) -> Result<PathBuf> {
    within(out, "rttm", interview_id, "rttm")
}

/// `out/interviews.parquet`, the table of all interviews.
pub fn interviews_path(out: &Path) -> PathBuf {
    out.join("interviews.parquet")
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
    for part in id.split('/') {
        match part {
            "" => return refuse("has an empty component"),
            "." | ".." => return refuse(&format!("has the component {part:?}")),
            _ if part.starts_with(' ') => return refuse(&format!("has a component with a leading space, {part:?}")),
            _ if part.ends_with([' ', '.']) => return refuse(&format!("has a component that ends in a space or dot, {part:?}")),
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
    fn ids_that_leave_the_folder_are_refused_and_quoted() {
        let long = "x".repeat(201);
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
            &long,
        ] {
            let e = table_path(Path::new("out"), "turns", id).unwrap_err();
            assert_eq!(e.kind(), "usage");
            assert!(e.to_string().contains(&format!("{id:?}")), "{e}");
        }
        assert!(check_interview_id(&"x".repeat(200)).is_ok());
    }
}
