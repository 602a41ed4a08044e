//! Who may write into a folder: one run, or several that do different parts of one corpus.

use std::fs::{File, TryLockError};
use std::path::Path;

use super::shard::Shard;
use crate::error::{Error, Result};

/// File in the output folder that a run holds locked: alone, or shared with the other parts.
pub(super) const LOCK: &str = ".lock";

/// What the files begin with of which each part holds one; `2-of-8` follows.
const PART: &str = ".lock-";

/// Held while the rows of all are joined.
const JOINING: &str = ".joining";

/// Held while a run writes into a folder; given back when it ends, even by a crash.
#[derive(Debug)]
pub(super) struct Held {
    _files: Vec<File>,
}

/// Takes the folder for a run: for itself, or for a part of a corpus beside the other parts of the same division.
///
/// # Errors
/// [`Error::Usage`] while another run has it, the same part is at work, or the parts of another division are;
/// [`Error::Write`].
pub(super) fn lock(out: &Path, shard: Option<Shard>) -> Result<Held> {
    let path = out.join(LOCK);
    let all = File::create(&path).map_err(|e| Error::write(&path, e))?;
    let Some(shard) = shard else {
        taken(all.try_lock(), out, "another run")?;
        // Nobody else is here: what earlier parts locked has served.
        for (path, _) in parts(out) {
            let _ = std::fs::remove_file(path);
        }
        return Ok(Held { _files: vec![all] });
    };
    taken(all.try_lock_shared(), out, "a run of the whole corpus")?;
    let name = shard.to_string().replace('/', "-of-");
    let path = out.join(format!("{PART}{name}"));
    let own = File::create(&path).map_err(|e| Error::write(&path, e))?;
    taken(own.try_lock(), out, &format!("another run of shard {shard}"))?;
    // After its own: of two that begin at once and differ, at least one sees the other.
    for (path, of) in parts(out).into_iter().filter(|(_, of)| *of != shard.of()) {
        if let Ok(other) = File::open(&path) {
            taken(other.try_lock(), out, &format!("a run that divides the corpus into {of} shards"))?;
        }
    }
    Ok(Held { _files: vec![all, own] })
}

/// Held while one of several parts joins the rows of all; waits for the one that does. `None` for a run that is alone.
pub(super) fn merging(out: &Path, shard: Option<Shard>) -> Option<File> {
    shard?;
    let file = File::create(out.join(JOINING)).ok()?;
    // A file system that knows no locks is no reason to do nothing.
    let _ = file.lock();
    Some(file)
}

/// A file system that knows no locks is no reason to do nothing.
fn taken(locked: std::result::Result<(), TryLockError>, out: &Path, by: &str) -> Result<()> {
    match locked {
        Err(TryLockError::WouldBlock) => Err(Error::Usage {
            what: format!("{by} is writing into {}", out.display()),
            hint: "wait for it, or give this one a folder of its own".into(),
        }),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// The files that parts lock, each with the number of parts of its division.
fn parts(out: &Path) -> Vec<(std::path::PathBuf, u32)> {
    let entries = std::fs::read_dir(out).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let (_, of) = name.strip_prefix(PART)?.split_once("-of-")?;
            Some((entry.path(), of.parse().ok()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_one_division_work_side_by_side_and_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path();
        let shard = |text: &str| Some(text.parse::<Shard>().unwrap());
        let told = |shard| lock(out, shard).err().unwrap().to_string();
        let first = lock(out, shard("1/2")).unwrap();
        let second = lock(out, shard("2/2")).unwrap();
        assert!(told(shard("1/2")).starts_with("another run of shard 1/2 is writing into"));
        assert!(told(shard("3/3")).contains("divides the corpus into 2 shards"));
        assert!(told(None).starts_with("another run is writing into"));
        drop(first);
        assert!(told(shard("1/3")).contains("divides the corpus into 2 shards"));
        drop(second);
        drop(lock(out, shard("1/3")).unwrap());
        let alone = lock(out, None).unwrap();
        assert!(told(shard("1/2")).starts_with("a run of the whole corpus is writing into"));
        drop(alone);
        assert!(parts(out).is_empty() && merging(out, None).is_none() && merging(out, shard("1/2")).is_some());
    }
}
