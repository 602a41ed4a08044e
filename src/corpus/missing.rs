//! Files that a manifest names and that are not there: told before hours of work, not after them.

use std::path::Path;

use crate::error::{Error, Result};
use crate::pipeline::Request;
use crate::spelling::meant;

/// Files told one by one.
const NAMED: usize = 10;

/// Looks for the files of all requests and warns of those that are not there. Interviews that have theirs are done all
/// the same.
///
/// # Errors
/// [`Error::Usage`] where not one of several interviews has all its files: a share that is not mounted is no reason to
/// go through the corpus.
pub fn find_files(requests: &[Request]) -> Result<()> {
    let mut missing: Vec<String> = Vec::new();
    let mut without = 0;
    for request in requests {
        let gone: Vec<String> =
            request.files().filter(|(_, path)| is_missing(path)).map(|(column, path)| told(column, path)).collect();
        without += usize::from(!gone.is_empty());
        missing.extend(gone.into_iter().map(|what| format!("{}: {what}", request.interview_id)));
    }
    if without == requests.len() && requests.len() > 1 {
        return Err(Error::Usage {
            what: format!("not one of {} interviews has all its files; {}", requests.len(), missing[0]),
            hint: "is the disk or share with them there? Paths in a manifest begin at the manifest's folder".into(),
        });
    }
    for what in missing.iter().take(NAMED) {
        tracing::warn!("{what}");
    }
    if missing.len() > NAMED {
        tracing::warn!("and {} more files that are not there", missing.len() - NAMED);
    }
    Ok(())
}

fn is_missing(path: &Path) -> bool {
    std::fs::metadata(path).is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound)
}

fn told(column: &str, path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let others: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let near = meant(&name, others.iter().map(String::as_str));
    let home =
        if path.iter().any(|part| part == "~") { "; \"~\" is not read as your home folder: write it out" } else { "" };
    format!("there is no {column} {}{near}{home}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_missing_file_is_told_and_all_missing_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("c01_s1.wav"), "").unwrap();
        let request = |id: &str, media: &str| Request {
            interview_id: id.into(),
            media: Some(folder.path().join(media)),
            ..Request::default()
        };
        find_files(&[request("a", "c01_s1.wav"), request("b", "none.wav")]).unwrap();
        find_files(&[request("b", "none.wav")]).unwrap();
        let e = find_files(&[request("a", "c01-s1.wav"), request("b", "none.wav")]).unwrap_err().to_string();
        assert!(e.starts_with("not one of 2 interviews has all its files; a: there is no media "), "{e}");
        assert!(e.contains("did you mean \"c01_s1.wav\"?") && e.contains("is the disk or share"), "{e}");
        assert!(told("media", Path::new("~/x.wav")).contains("write it out"));
    }
}
