//! A file written whole or not at all: a temporary name in the same folder, fsynced, then renamed.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{Cause, Error, Result};

/// What the names of unfinished files begin with; random letters follow.
const PREFIX: &str = ".turnwise-";
/// What they end in.
const SUFFIX: &str = ".tmp";

/// Lets `fill` write the file; on any failure the old file stays as it was and no temporary is left.
///
/// Missing parent folders are made. The folder is synced too, so that the rename survives a power cut. A link stays
/// one: what it leads to is written. What is there and is no file (a pipe, `/dev/null`) is written to directly, as a
/// rename would put a file in its place.
///
/// # Errors
/// [`Error::Write`] with the final path.
pub fn write_whole(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), Cause>) -> Result<()> {
    write_parts(path, fill).map_err(|cause| Error::write(path, cause))
}

/// [`write_whole`] of a text.
///
/// # Errors
/// As [`write_whole`].
pub fn write_text(path: &Path, text: &str) -> Result<()> {
    write_whole(path, |file| Ok(file.write_all(text.as_bytes())?))
}

/// A file that another writer opens by its path: it has a temporary name, which ends as the final one does, until it is
/// whole. Dropped before, it is gone, and an older file is as it was.
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
    target: PathBuf,
    /// `None` for what is there and is no file: it is written to directly.
    temporary: Option<tempfile::NamedTempFile>,
}

impl Unfinished {
    /// Makes the temporary file, and the folders above it that are missing.
    ///
    /// # Errors
    /// [`Error::Write`] with the final path.
    pub fn begin(path: &Path) -> Result<Self> {
        let failed = |e: std::io::Error| Error::write(path, e);
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let mut begun = Unfinished { path: path.to_path_buf(), target, temporary: None };
        if fs::metadata(&begun.target).is_ok_and(|there| !there.is_file()) {
            return Ok(begun);
        }
        let folder = folder_of(&begun.target);
        fs::create_dir_all(&folder).map_err(failed)?;
        let ending =
            begun.target.extension().map_or_else(|| SUFFIX.to_owned(), |e| format!("{SUFFIX}.{}", e.to_string_lossy()));
        let temporary = unfinished().suffix(&ending).tempfile_in(&folder).map_err(failed)?;
        let _ = temporary.as_file().try_lock();
        begun.temporary = Some(temporary);
        Ok(begun)
    }

    /// Where it is to be written.
    pub fn path(&self) -> &Path {
        self.temporary.as_ref().map_or(&self.target, |t| t.path())
    }

    /// The same error with the final path: nobody knows the temporary one.
    pub fn named(&self, error: Error) -> Error {
        match error {
            Error::Write { path, source } if path == self.path() => Error::write(&self.path, source),
            other => other,
        }
    }

    /// Gives it its name without waiting for the disk: for what is known to be whole by a checksum of its own.
    ///
    /// # Errors
    /// [`Error::Write`] with the final path.
    pub fn finish_unsynced(self) -> Result<()> {
        let Some(temporary) = self.temporary else { return Ok(()) };
        temporary.persist(&self.target).map(|_| ()).map_err(|e| Error::write(&self.path, e.error))
    }

    /// Gives it its name.
    ///
    /// # Errors
    /// [`Error::Write`] with the final path.
    pub fn finish(self) -> Result<()> {
        let Some(temporary) = self.temporary else { return Ok(()) };
        // The writer had its own handle; the file is the same.
        let synced = temporary.as_file().sync_all();
        let named = synced.and_then(|()| temporary.persist(&self.target).map_err(|e| e.error));
        named.and_then(|_| sync_folder(&folder_of(&self.target))).map_err(|e| Error::write(&self.path, e))
    }
}

/// Lets `fill` write an [`Unfinished`] file, whole or not at all.
///
/// # Errors
/// [`Error::Write`] with the final path, and what `fill` gives.
pub fn write_by_path<T>(path: &Path, fill: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    let file = Unfinished::begin(path)?;
    let made = fill(file.path()).map_err(|e| file.named(e))?;
    file.finish()?;
    Ok(made)
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// So that a rename survives a power cut.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(())
}

/// True for the name of an unfinished file.
pub(super) fn is_unfinished(name: &str) -> bool {
    let rest = name.strip_prefix(PREFIX);
    rest.is_some_and(|rest| {
        rest.ends_with(SUFFIX) || rest.rsplit_once('.').is_some_and(|(stem, _)| stem.ends_with(SUFFIX))
    })
}

fn write_parts(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), Cause>) -> Result<(), Cause> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let path = target.as_path();
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        let mut writer = BufWriter::with_capacity(1 << 20, fs::OpenOptions::new().write(true).open(path)?);
        fill(&mut writer)?;
        return Ok(writer.flush()?);
    }
    let folder = folder_of(path);
    fs::create_dir_all(&folder)?;
    // A leading dot and another suffix: a listing of tables never sees an unfinished file.
    let temporary = unfinished().tempfile_in(&folder)?;
    // Held until the file has its name, so that no other run sweeps it away; see `sweep`. Some file systems know no
    // locks.
    let _ = temporary.as_file().try_lock();
    let (file, name) = temporary.into_parts();
    let mut writer = BufWriter::with_capacity(1 << 20, file);
    fill(&mut writer)?;
    writer.flush()?;
    writer.get_ref().sync_all()?;
    drop(writer);
    name.persist(path).map_err(|e| e.error)?;
    Ok(sync_folder(&folder)?)
}

/// How an unfinished file is made.
fn unfinished<'a>() -> tempfile::Builder<'a, 'a> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // Temporary files are always private; a table is as readable as any file made here, by the umask that the program
    // sets.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_failure_keeps_the_old_file_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/a.txt");
        write_whole(&path, |w| Ok(w.write_all(b"first")?)).unwrap();
        let failed = write_whole(&path, |w| {
            w.write_all(b"half")?;
            Err("disk full".into())
        });
        assert_eq!(failed.unwrap_err().chain(), format!("cannot write {}: disk full", path.display()));
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(names(path.parent().unwrap()), ["a.txt"]);
    }

    #[test]
    fn a_writer_that_opens_the_path_itself_leaves_the_old_file_until_it_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/film.mp4");
        let made = write_by_path(&path, |temporary| {
            assert!(temporary.extension() == Some("mp4".as_ref()) && !path.exists());
            assert!(is_unfinished(temporary.file_name().unwrap().to_str().unwrap()));
            fs::write(temporary, "first").map_err(|e| Error::write(temporary, e)).map(|()| 7)
        });
        assert_eq!((made.unwrap(), fs::read(&path).unwrap()), (7, b"first".to_vec()));
        let failed: Result<()> = write_by_path(&path, |temporary| {
            fs::write(temporary, "half").unwrap();
            Err(Error::write(temporary, "disk full"))
        });
        assert_eq!(failed.unwrap_err().chain(), format!("cannot write {}: disk full", path.display()));
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(names(path.parent().unwrap()), ["film.mp4"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_stay_what_they_are() {
        use std::os::unix::fs::{FileTypeExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "old").unwrap();
        symlink("file", at("link")).unwrap();
        write_whole(&at("link"), |w| Ok(w.write_all(b"new")?)).unwrap();
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        assert_eq!(fs::read(at("file")).unwrap(), b"new");

        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let pipe = at("pipe");
        let reader = std::thread::spawn(move || fs::read(pipe).unwrap());
        write_whole(&at("pipe"), |w| Ok(w.write_all(b"through")?)).unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
        assert!(fs::symlink_metadata(at("pipe")).unwrap().file_type().is_fifo());
        let mut left = names(folder.path());
        left.sort_unstable();
        assert_eq!(left, ["file", "link", "pipe"]);
    }

    #[test]
    fn a_folder_that_is_a_file_is_an_error_with_the_path() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("x"), "").unwrap();
        let e = write_whole(&folder.path().join("x/a.txt"), |_| Ok(())).unwrap_err();
        assert_eq!(e.kind(), "write");
        assert!(e.to_string().contains("x/a.txt"), "{e}");
    }
}
