//! Files that a user names: read only where they are files. A pipe would hang whoever opens it, a device may never end,
//! and opening some does something; they are refused before they are opened.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Opens a regular file to read.
///
/// # Errors
/// [`Error::Read`] where the file cannot be opened, or is a folder, pipe, socket or device.
pub fn open(path: &Path) -> Result<File> {
    let fail = |source| Error::Read { path: path.to_owned(), source };
    regular(&std::fs::metadata(path).map_err(fail)?).map_err(fail)?;
    let mut options = OpenOptions::new();
    options.read(true);
    // Should another have been put in its place since, opening a pipe must not wait for a writer.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOCTTY);
    let file = options.open(path).map_err(fail)?;
    regular(&file.metadata().map_err(fail)?).map_err(fail)?;
    Ok(file)
}

/// What a folder holds, in the order of names; hidden files too.
///
/// # Errors
/// [`Error::Read`] where the folder cannot be listed.
pub fn listed(folder: &Path) -> Result<Vec<PathBuf>> {
    let fail = |source| Error::Read { path: folder.to_owned(), source };
    let entries = std::fs::read_dir(folder).map_err(fail)?.map(|entry| entry.map(|e| e.path()));
    let mut paths = entries.collect::<std::io::Result<Vec<_>>>().map_err(fail)?;
    paths.sort();
    Ok(paths)
}

/// Refuses what is there but is no regular file, without opening it; what is not there is left to whoever reads it.
///
/// # Errors
/// [`Error::Read`].
pub fn check(path: &Path) -> Result<()> {
    match std::fs::metadata(path) {
        Ok(there) => regular(&there).map_err(|source| Error::Read { path: path.to_owned(), source }),
        Err(_) => Ok(()),
    }
}

/// The bytes of a regular file.
///
/// # Errors
/// As [`open`].
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).map_err(|source| Error::Read { path: path.to_owned(), source })?;
    Ok(bytes)
}

/// The text of a regular file.
///
/// # Errors
/// As [`open`], and [`Error::Read`] where it is no UTF-8.
pub fn read_text(path: &Path) -> Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text).map_err(|source| Error::Read { path: path.to_owned(), source })?;
    Ok(text)
}

fn regular(there: &Metadata) -> std::io::Result<()> {
    if there.is_file() {
        return Ok(());
    }
    let what = format!("not a regular file but {}; name a file on disk", kind(there.file_type()));
    Err(std::io::Error::other(what))
}

#[cfg(unix)]
fn kind(there: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match there {
        t if t.is_dir() => "a folder",
        t if t.is_fifo() => "a named pipe (FIFO)",
        t if t.is_socket() => "a socket",
        t if t.is_char_device() || t.is_block_device() => "a device",
        _ => "something else",
    }
}

#[cfg(not(unix))]
fn kind(there: FileType) -> &'static str {
    if there.is_dir() { "a folder" } else { "something else" }
}

/// A file as a manifest names it; where that is an absolute path of any system, or an address, the file's name alone:
/// tables say nothing of where a corpus lies.
pub fn without_place(cell: &str) -> &str {
    let of_windows = cell.starts_with('\\') || cell.as_bytes().get(1) == Some(&b':');
    let tells_a_place = Path::new(cell).is_absolute() || of_windows || cell.contains("://") || cell.starts_with('~');
    let name = if tells_a_place { cell.rsplit(['/', '\\']).next().filter(|n| !n.is_empty()) } else { None };
    name.unwrap_or(cell)
}

/// Refuses to write over what is being read.
///
/// # Errors
/// [`Error::Usage`] where both are one file.
pub fn keep_apart(input: &Path, output: &Path) -> Result<()> {
    let same = match (input.canonicalize(), output.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        // An output that is not there yet cannot be the input.
        _ => false,
    };
    if same {
        let what = format!("{} is the input and would be written over", output.display());
        return Err(Error::Usage { what, hint: "name another output".into() });
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_listed_by_name_and_one_that_is_none_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b", ".c", "a"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(listed(folder.path()).unwrap(), [".c", "a", "b"].map(|name| folder.path().join(name)));
        let error = listed(&folder.path().join("a")).unwrap_err();
        assert!(error.kind() == "read" && error.to_string().contains("a"), "{error}");
    }

    #[test]
    fn only_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "words").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        assert_eq!(read_text(&at("link")).unwrap(), "words");
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let _listening = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        for (path, kind) in [
            (at("pipe"), "a named pipe"),
            (at("socket"), "a socket"),
            (folder.path().to_owned(), "a folder"),
            ("/dev/zero".into(), "a device"),
        ] {
            let e = read(&path).unwrap_err();
            assert!(
                e.kind() == "read" && e.chain().contains(kind) && e.to_string().contains(&path.display().to_string()),
                "{}",
                e.chain()
            );
            assert!(check(&path).is_err());
        }
        check(&at("none")).unwrap();
        assert!(read(&at("none")).unwrap_err().chain().contains("No such file"));
    }

    #[test]
    fn a_name_tells_no_place() {
        for place in
            ["C:\\Users\\anna\\v.mp4", "\\\\lab\\anna\\v.mp4", "file:///home/anna/v.mp4", "~/v.mp4", "/home/v.mp4"]
        {
            assert_eq!(without_place(place), "v.mp4", "{place}");
        }
        assert_eq!(without_place("films/v.mp4"), "films/v.mp4");
    }

    #[test]
    fn the_input_is_never_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.wav");
        std::fs::write(&file, b"sound").unwrap();
        std::fs::create_dir(dir.path().join("x")).unwrap();
        assert!(keep_apart(&file, &dir.path().join("x/../a.wav")).is_err());
        keep_apart(&file, &dir.path().join("a.rttm")).unwrap();
    }
}
