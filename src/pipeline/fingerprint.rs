//! What a file was when it was read or written, kept so that a later run can tell without reading all of it that it
//! still is.
//!
//! Size, times and a hash of both ends are looked at first. Where a time differs, be it that somebody wrote into the
//! file, be it that a corpus was copied or checked out again, the whole file is read and its sha256 decides: the same
//! content is never done twice, and another content is found however its size and its time of modification were kept.
//! What is not found without reading all is content that changed while no time did: a disk that rots, a file system
//! that keeps no times.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::inference::file_sha256;

/// Bytes of either end of a file that are always looked at.
const EDGE_BYTES: u64 = 1 << 16;

/// A file written so shortly before it was read may be written again without its times telling: clocks of file systems
/// are coarse.
const SETTLED_SECS: i64 = 2;

/// Seconds and nanoseconds since 1970.
type Time = (i64, i64);

/// A file as it is listed, without a look inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stat {
    bytes: u64,
    times: Times,
}

/// When a file was written and when anything about it (its name, its owner, its times) was changed; nobody can set the
/// latter back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub(super) struct Times {
    modified: Time,
    changed: Time,
}

impl Stat {
    /// `None` for what is there and is no file (a pipe, a device).
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn of(path: &Path) -> Result<Option<Self>> {
        let metadata = std::fs::metadata(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
        Ok(metadata.is_file().then(|| Stat { bytes: metadata.len(), times: Times::of(&metadata) }))
    }

    /// True when the file was certainly not written since, as far as its size and its time of modification tell.
    pub fn same_writing(&self, before: &Self) -> bool {
        self.bytes == before.bytes && self.times.modified == before.times.modified
    }
}

impl Times {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Times {
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().map_or((0, 0), since_1970);
        Times { modified, changed: modified }
    }

    fn settled(&self) -> bool {
        self.modified.0.max(self.changed.0) + SETTLED_SECS < since_1970(SystemTime::now()).0
    }
}

fn since_1970(time: SystemTime) -> Time {
    time.duration_since(UNIX_EPOCH).map_or((0, 0), |d| (d.as_secs() as i64, i64::from(d.subsec_nanos())))
}

/// What a file was. Never goes into the data: times differ between machines.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct FileMark {
    pub bytes: u64,
    /// `None` where the file was too young for its times to be trusted.
    times: Option<Times>,
    /// sha256 of both ends.
    edges: String,
    /// sha256 of all.
    pub sha256: String,
}

impl FileMark {
    /// Reads the file from end to end. A file of one name is read once in a process for as long as it stays what it is:
    /// a whole corpus may share a transcript file or a folder of voices.
    ///
    /// # Errors
    /// [`Error::Read`]; [`Error::Changed`] where somebody writes into the file meanwhile.
    pub fn take(path: &Path) -> Result<Self> {
        static KNOWN: Mutex<Option<HashMap<(PathBuf, Stat), FileMark>>> = Mutex::new(None);
        let not_a_file = || Error::Read { path: path.to_owned(), source: std::io::Error::other("not a regular file") };
        let before = Stat::of(path)?.ok_or_else(not_a_file)?;
        let key = (path.to_owned(), before);
        if let Some(known) = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(|k| k.get(&key)) {
            return Ok(known.clone());
        }
        // Before it is read: what is written after this moment has other times.
        let settled = before.times.settled();
        let mark = FileMark {
            bytes: before.bytes,
            times: settled.then_some(before.times),
            edges: edges(path, before.bytes)?,
            sha256: file_sha256(path)?,
        };
        if Stat::of(path)? != Some(before) {
            return Err(Error::Changed { path: path.to_owned() });
        }
        if settled {
            KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().insert(key, mark.clone());
        }
        Ok(mark)
    }

    /// Of a file that this program has just written and that nobody else writes: its times are trusted at once.
    ///
    /// # Errors
    /// As [`FileMark::take`].
    pub fn written(path: &Path) -> Result<Self> {
        let mut mark = FileMark::take(path)?;
        mark.times = Stat::of(path)?.map(|s| s.times);
        Ok(mark)
    }

    /// Whether size and both times are what they were, without a look inside: whoever writes into a file changes the
    /// second one, which nobody can set back. `None` where it is not there.
    pub fn same_times(&self, path: &Path) -> Option<bool> {
        let stat = Stat::of(path).ok()??;
        Some(stat.bytes == self.bytes && self.times == Some(stat.times))
    }

    /// Whether the file looks as it did: size and times, or, where these differ (a corpus that was copied), size and
    /// both ends. `None` where it is not there.
    pub fn alike(&self, path: &Path) -> Option<bool> {
        let stat = Stat::of(path).ok()??;
        if stat.bytes != self.bytes {
            return Some(false);
        }
        Some(self.times == Some(stat.times) || edges(path, stat.bytes).ok()? == self.edges)
    }

    /// The mark as it is now where the file still has this content, else `None`. With `whole` all of it is read,
    /// whatever its times say.
    ///
    /// # Errors
    /// As [`FileMark::take`].
    pub fn still(&self, path: &Path, whole: bool) -> Result<Option<Self>> {
        let Some(stat) = Stat::of(path)?.filter(|s| s.bytes == self.bytes) else { return Ok(None) };
        if !whole && self.times == Some(stat.times) {
            return Ok((edges(path, stat.bytes)? == self.edges).then(|| self.clone()));
        }
        Ok(Some(FileMark::take(path)?).filter(|now| now.sha256 == self.sha256))
    }
}

/// sha256 of the first and the last [`EDGE_BYTES`]; of all where there are not so many.
fn edges(path: &Path, bytes: u64) -> Result<String> {
    let fail = |source| Error::Read { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(fail)?;
    let mut ends = Vec::new();
    (&mut file).take(EDGE_BYTES).read_to_end(&mut ends).map_err(fail)?;
    file.seek(SeekFrom::Start(bytes.saturating_sub(EDGE_BYTES).max(EDGE_BYTES.min(bytes)))).map_err(fail)?;
    file.take(EDGE_BYTES).read_to_end(&mut ends).map_err(fail)?;
    Ok(Sha256::digest(&ends).iter().map(|b| format!("{b:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn big(middle: u8) -> Vec<u8> {
        let mut bytes = vec![7; 400_000];
        bytes[200_000] = middle;
        bytes
    }

    fn aged(path: &Path, secs: u64) {
        let time = SystemTime::now() - std::time::Duration::from_secs(secs);
        File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }

    #[test]
    fn another_content_of_equal_size_is_found_and_the_same_content_of_another_time_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("film.mp4");
        std::fs::write(&path, big(0)).unwrap();
        aged(&path, 1000);
        let mark = FileMark::written(&path).unwrap();
        assert_eq!(mark.still(&path, false).unwrap().as_ref(), Some(&mark));
        // A checkout: another time, the same content. The new mark is cheap to compare.
        std::fs::write(&path, big(0)).unwrap();
        let again = mark.still(&path, false).unwrap().unwrap();
        assert_eq!(again.sha256, mark.sha256);
        // One byte in the middle, and the old time of modification.
        std::fs::write(&path, big(1)).unwrap();
        aged(&path, 1000);
        assert_eq!(mark.still(&path, false).unwrap(), None);
        std::fs::write(&path, &big(0)[1..]).unwrap();
        assert_eq!(mark.still(&path, false).unwrap(), None);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(mark.still(&path, false).unwrap_err().kind(), "read");
    }

    #[test]
    fn what_no_time_tells_is_found_when_all_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("film.mp4");
        std::fs::write(&path, big(0)).unwrap();
        let rotten = FileMark { sha256: "of other bytes in the middle".into(), ..FileMark::written(&path).unwrap() };
        assert!(rotten.still(&path, false).unwrap().is_some(), "size, times and both ends agree");
        assert!(rotten.still(&path, true).unwrap().is_none());
        let rotten = FileMark { edges: "of other ends".into(), ..FileMark::written(&path).unwrap() };
        assert!(rotten.still(&path, false).unwrap().is_none());
    }

    #[test]
    fn a_file_as_young_as_its_mark_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cues.srt");
        std::fs::write(&path, "one").unwrap();
        let young = FileMark::take(&path).unwrap();
        assert_eq!(young.times, None);
        // Within the tick of the file system's clock its times would be the same.
        std::fs::write(&path, "two").unwrap();
        assert_eq!(young.still(&path, false).unwrap(), None);
    }

    #[test]
    fn both_ends_are_all_of_a_small_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        for n in [0usize, 1, 65_535, 65_536, 65_537, 131_071, 131_072] {
            std::fs::write(&path, vec![3u8; n]).unwrap();
            assert_eq!(edges(&path, n as u64).unwrap(), file_sha256(&path).unwrap(), "{n}");
        }
        std::fs::write(&path, vec![3u8; 131_073]).unwrap();
        assert_ne!(edges(&path, 131_073).unwrap(), file_sha256(&path).unwrap());
    }
}
