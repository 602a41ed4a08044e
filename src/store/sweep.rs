//! Takes away what a run that was killed left unfinished.

use std::fs::{self, File};
use std::path::Path;

use crate::error::{Error, Result};
use crate::store::whole::is_unfinished;

/// Removes the unfinished files in `root` itself and below its `folders`; returns how many. Other folders are not
/// looked into.
///
/// Whoever writes holds a lock on the unfinished file, and the system takes it back when the process ends, however it
/// ends: a file that is still locked is somebody's work and stays, as does one on a file system without locks.
///
/// # Errors
/// [`Error::Read`] when `root` cannot be listed, [`Error::Write`] for a file that cannot be removed.
pub fn sweep(root: &Path, folders: &[&str]) -> Result<usize> {
    let mut swept = 0;
    let listed = fs::read_dir(root).map_err(|source| Error::Read { path: root.to_owned(), source })?;
    for entry in listed.flatten() {
        swept += usize::from(take_away(&entry)?);
    }
    for folder in folders {
        swept += below(&root.join(folder))?;
    }
    Ok(swept)
}

fn below(folder: &Path) -> Result<usize> {
    let mut swept = 0;
    // A folder that is not there or not ours to list holds nothing that we left.
    let Ok(listed) = fs::read_dir(folder) else { return Ok(0) };
    for entry in listed.flatten() {
        swept += usize::from(take_away(&entry)?);
        // The entry's own kind: a link to a folder above would be walked for ever.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            swept += below(&entry.path())?;
        }
    }
    Ok(swept)
}

/// True when the entry was an unfinished file that nobody writes any more, and is gone.
fn take_away(entry: &fs::DirEntry) -> Result<bool> {
    let name = entry.file_name();
    let named = name.to_str().is_some_and(is_unfinished);
    if !named || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
        return Ok(false);
    }
    let path = entry.path();
    let abandoned = File::open(&path).is_ok_and(|file| file.try_lock().is_ok());
    if abandoned {
        fs::remove_file(&path).map_err(|e| Error::write(&path, e))?;
    }
    Ok(abandoned)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::store::whole::write_whole;

    #[test]
    fn only_what_nobody_writes_any_more_goes() {
        let root = tempfile::tempdir().unwrap();
        let put = |name: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "half").unwrap();
        };
        let left =
            ["turns/.turnwise-Ab12Cd.tmp", "turns/show/.turnwise-x.tmp", ".turnwise-y.tmp", ".turnwise-f.tmp.mp4"];
        let kept =
            ["turns/.turnwise-notes.txt", "turns/a.tmp", "mine/.turnwise-z.tmp", "turns/a.parquet", ".tmpAbCdEf"];
        left.iter().chain(&kept).for_each(|name| put(name));
        // Another run at work: its file stays, and its work ends well.
        let target = root.path().join("turns/live.txt");
        write_whole(&target, |file| {
            file.write_all(b"whole")?;
            assert_eq!(sweep(root.path(), &["turns", "voice"])?, left.len());
            Ok(())
        })
        .unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"whole");
        assert!(left.iter().all(|name| !root.path().join(name).exists()));
        assert!(kept.iter().all(|name| root.path().join(name).exists()));
        assert_eq!(sweep(root.path(), &["turns"]).unwrap(), 0);
    }
}
