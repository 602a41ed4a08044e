//! The joined table of interviews, made anew only where a row changed: of a large corpus reading all rows takes
//! minutes.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use crate::error::{Error, Result};
use crate::store::folder::StoredFile;
use crate::store::interviews::merge_changed;
use crate::store::whole::write_text;

/// Beside the records of the interviews, hidden: what it tells differs between machines.
const RECORD: &str = "timings/.joined.json";

/// What the joined table was made from and is.
#[derive(Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct Record {
    parts: usize,
    /// Of the names, files, sizes and times of the parts.
    of_parts: u64,
    /// The same of the table.
    of_table: u64,
    ways: String,
    /// Of each part, by its name: the same of its file, and what it was made like.
    #[serde(default)]
    rows: BTreeMap<String, (u64, usize)>,
}

/// What a caller wants to know of the joined table.
#[derive(Debug, Default, PartialEq)]
pub struct Joined {
    /// Parts that are not in it, each with the reason.
    pub left_out: Vec<String>,
    /// See [`crate::store::provenance::Makings::text`].
    pub ways: String,
    /// False where the table was as it should be.
    pub written: bool,
}

/// Joins the rows of all interviews as [`super::interviews::merge_interviews`] does, unless neither a part nor the
/// table has changed since that was done.
///
/// # Errors
/// As [`super::interviews::merge_interviews`]; a record that cannot be written costs time only.
pub fn join_interviews(out: &Path, parts: &[StoredFile], target: &Path) -> Result<Joined> {
    let path = out.join(RECORD);
    // Before they are read: what changes meanwhile is another part the next time.
    let sums: BTreeMap<&str, u64> = parts.iter().map(|p| (p.name.as_str(), sum([p.path.as_path()]))).collect();
    let of_parts = hash(&sums);
    let known: Option<Record> = std::fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let known = known.filter(|known| target.is_file() && known.of_table == sum([target])).unwrap_or_default();
    if parts.len() == known.parts && of_parts == known.of_parts && target.is_file() {
        return Ok(Joined { ways: known.ways, ..Joined::default() });
    }
    let kind = |part: &StoredFile| {
        let (of_file, kind) = known.rows.get(&part.name)?;
        (sums.get(part.name.as_str()) == Some(of_file)).then_some(*kind)
    };
    let merged = merge_changed(parts, target, &kind)?;
    let left_out: Vec<String> = merged.left_out.iter().map(|(_, error)| error.chain()).collect();
    let ways = merged.makings.text();
    // What is left out is to be told each time.
    if left_out.is_empty() && target.is_file() {
        let row = |(name, kind): (&String, &usize)| Some((name.clone(), (*sums.get(name.as_str())?, *kind)));
        let rows = merged.kinds.iter().filter_map(row).collect();
        let record = Record { parts: parts.len(), of_parts, of_table: sum([target]), ways: ways.clone(), rows };
        let written = serde_json::to_string(&record)
            .map_err(|e| Error::write(&path, e))
            .and_then(|text| write_text(&path, &format!("{text}\n")));
        if let Err(e) = written {
            tracing::debug!("{}", e.chain());
        }
    }
    Ok(Joined { left_out, ways, written: true })
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Of names, sizes, times and the files themselves: every file written here is a new one under an old name. Another
/// version of the program may hash in another way, and joins anew.
fn sum<'a>(paths: impl IntoIterator<Item = &'a Path>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for path in paths {
        path.hash(&mut hasher);
        let metadata = std::fs::metadata(path).ok();
        metadata.map(|m| (m.len(), m.modified().ok(), identity(&m))).hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(unix)]
fn identity(metadata: &std::fs::Metadata) -> (u64, i64, i64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn identity(_: &std::fs::Metadata) {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::parquet::{FileMetadata, write};
    use crate::store::read::read;
    use crate::table::{ColumnSpec, Kind, TableBuilder, TableSchema};

    fn part(folder: &Path, id: &str, status: &str) -> StoredFile {
        let columns = ["interview_id", "status"].map(|name| ColumnSpec::new(name, Kind::Str, "", "text")).to_vec();
        let mut table = TableBuilder::new(TableSchema { name: "interviews", description: "one row each", columns });
        table.row().set("interview_id", id).set("status", status);
        let path = folder.join(format!("interviews/{id}.parquet"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, &table.finish().unwrap(), &FileMetadata::default()).unwrap();
        StoredFile { name: id.into(), path, bytes: 0 }
    }

    #[test]
    fn rows_are_read_again_only_where_something_changed() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path();
        let target = out.join("interviews.parquet");
        let parts = [part(out, "a", "done"), part(out, "b", "done")];
        let join = |parts: &[StoredFile]| join_interviews(out, parts, &target).unwrap();
        assert!(join(&parts).written);
        let bytes = std::fs::read(&target).unwrap();
        assert!(!join(&parts).written);
        // Another row of the same size, another set of rows, and a table that somebody wrote into.
        part(out, "b", "fail");
        assert!(join(&parts).written && !join(&parts).written);
        assert_eq!(read(&target).unwrap().text("status", 1), Some("fail"));
        assert!(join(&parts[..1]).written);
        part(out, "b", "done");
        assert!(join(&parts).written);
        assert_eq!(std::fs::read(&target).unwrap(), bytes);
        std::fs::write(&target, "x").unwrap();
        assert!(join(&parts).written);
        assert_eq!(std::fs::read(&target).unwrap(), bytes);
        std::fs::remove_file(&target).unwrap();
        assert!(join(&parts).written && target.is_file());
        // Of many parts few change: the table is that of parts read anew.
        let many: Vec<StoredFile> = ["a", "b", "c", "d", "e"].map(|id| part(out, id, "done")).to_vec();
        assert!(join(&many[..4]).written);
        part(out, "c", "fail");
        assert!(join(&many).written);
        let bytes = std::fs::read(&target).unwrap();
        let table = read(&target).unwrap();
        let states: Vec<_> = (0..5).map(|row| table.text("status", row).unwrap()).collect();
        assert_eq!(states, ["done", "done", "fail", "done", "done"]);
        std::fs::remove_file(&target).unwrap();
        assert!(join(&many).written);
        assert_eq!(std::fs::read(&target).unwrap(), bytes);
        let parts = [part(out, "a", "done"), part(out, "b", "done")];
        // What is left out is told each time.
        std::fs::write(&parts[0].path, "PAR1").unwrap();
        assert_eq!((join(&parts).left_out.len(), join(&parts).left_out.len()), (1, 1));
        // A row that another run is replacing is nobody's fault.
        std::fs::remove_file(&parts[0].path).unwrap();
        assert!(join(&parts).left_out.is_empty());
    }
}
