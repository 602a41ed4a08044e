//! The files of one interview: its tables, RTTM and timings; removed, or set aside where a later run failed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::store::format::{Format, Writer};
use crate::store::paths::{STAGES, log_path, rttm_path, stage_path, table_paths, timings_path};
use crate::store::read::read_metadata;

/// Hidden folder that holds, in the same order as the output folder, what a failed run would otherwise leave as if it
/// were current.
pub const SUPERSEDED: &str = ".superseded";

/// The files of an output folder that belong to interviews.
#[derive(Clone, Copy, Debug)]
pub struct InterviewFiles<'a> {
    /// The output folder.
    pub out: &'a Path,
    /// Names of the tables of an interview, `interviews` among them.
    pub tables: &'a [&'a str],
}

impl InterviewFiles<'_> {
    /// Every interview of which anything is there, sorted.
    ///
    /// # Errors
    /// [`Error::Read`] for a folder that cannot be listed.
    pub fn interviews(&self) -> Result<Vec<String>> {
        let mut found = BTreeSet::new();
        for table in self.tables {
            collect(&self.out.join(table), "", &Format::ALL.map(Format::suffix), &mut found)?;
        }
        collect(&self.out.join("rttm"), "", &["rttm"], &mut found)?;
        collect(&self.out.join("timings"), "", &["json"], &mut found)?;
        Ok(found.into_iter().collect())
    }

    /// True where something there shows that this program made files of that id: a row, a record, or a table that tells
    /// so. Other people's files may lie in the same folders, and a folder may be a link to another place.
    pub fn are_ours(&self, interview_id: &str) -> Result<bool> {
        let places = self.places(interview_id)?;
        let recorded = places.last().is_some_and(|record| record.is_file());
        Ok(recorded || places.iter().filter(|p| p.is_file()).any(|p| is_made_here(p)))
    }

    /// Refuses a folder whose tables are of another format: one holds one, so that no table is there twice.
    ///
    /// # Errors
    /// [`Error::Usage`] naming the format that is there; [`Error::Read`] for a folder that cannot be listed.
    pub fn refuse_other_formats(&self, format: Format) -> Result<()> {
        for other in Format::ALL.into_iter().filter(|f| *f != format) {
            let mut found = BTreeSet::new();
            for table in self.tables {
                collect(&self.out.join(table), "", &[other.suffix()], &mut found)?;
            }
            if !found.is_empty() || Writer::new(other).path(self.out, "interviews").exists() {
                let what = format!(
                    "{} holds tables as {}, and {} is asked for",
                    self.out.display(),
                    other.name(),
                    format.name()
                );
                return Err(Error::Usage {
                    what,
                    hint: format!("give --format {}, or name another output folder", other.name()),
                });
            }
        }
        Ok(())
    }

    /// Where the files of an interview lie, whether they are there or not; the row of `interviews` first.
    ///
    /// # Errors
    /// [`Error::Usage`] for an id that names no file.
    pub fn places(&self, interview_id: &str) -> Result<Vec<PathBuf>> {
        Self::places_below(self.out, self.tables, interview_id)
    }

    fn places_below(root: &Path, tables: &[&str], interview_id: &str) -> Result<Vec<PathBuf>> {
        let mut places = table_files(root, "interviews", interview_id)?;
        for table in tables.iter().filter(|t| **t != "interviews") {
            places.extend(table_files(root, table, interview_id)?);
        }
        places.push(rttm_path(root, interview_id)?);
        places.push(timings_path(root, interview_id)?);
        Ok(places)
    }

    /// Removes the files of an interview, what was set aside and the folders that are empty then included; tells how
    /// many files. Not while others write: they may be about to put a file into an empty folder.
    ///
    /// # Errors
    /// [`Error::Write`] for a file that cannot be removed.
    pub fn remove(&self, interview_id: &str) -> Result<usize> {
        let mut places = self.places(interview_id)?;
        // Not among the places: what is set aside after a failure keeps no log from the next one.
        places.push(log_path(self.out, interview_id)?);
        // Nor these: what a stage found is as good after a failure as before it.
        for stage in subfolders(&self.out.join(STAGES)) {
            places.push(stage_path(self.out, &stage, interview_id)?);
        }
        let removed = self.forget(interview_id)? + remove_files(&places)?;
        remove_empty_above(&places, self.out);
        self.tidy();
        Ok(removed)
    }

    /// Removes empty folders of what was set aside. Not while others write.
    pub fn tidy(&self) {
        remove_empty_below(&self.out.join(SUPERSEDED));
    }

    /// Removes what was set aside of an interview; tells how many files.
    ///
    /// # Errors
    /// As [`InterviewFiles::remove`].
    pub fn forget(&self, interview_id: &str) -> Result<usize> {
        let root = self.out.join(SUPERSEDED);
        if root.is_dir() { remove_files(&Self::places_below(&root, self.tables, interview_id)?) } else { Ok(0) }
    }

    /// Moves the files of an interview out of the way of those who read the folder, so that nothing of it passes for
    /// current; they are not lost: the media may be gone by now. Without a row to vouch for them, files are pieces of a
    /// run that was ended, and go. Tells whether anything was set aside.
    ///
    /// # Errors
    /// [`Error::Write`] for a file that cannot be moved or removed.
    pub fn set_aside(&self, interview_id: &str) -> Result<bool> {
        let places = self.places(interview_id)?;
        let (row, others) = places.split_at(table_files(self.out, "interviews", interview_id)?.len());
        let is_there = |files: &[PathBuf]| files.iter().any(|p| p.exists());
        if !is_there(row) {
            remove_files(&places)?;
            return Ok(false);
        }
        // A row on its own is that of a failure before this one.
        if !is_there(others) {
            return Ok(false);
        }
        let targets = Self::places_below(&self.out.join(SUPERSEDED), self.tables, interview_id)?;
        for (from, to) in places.iter().zip(&targets).filter(|(from, _)| from.exists()) {
            let moved = to.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::rename(from, to));
            moved.map_err(|e| Error::write(from, e))?;
        }
        Ok(true)
    }
}

/// True for a table that tells which version of the program made it.
fn is_made_here(path: &Path) -> bool {
    read_metadata(path).is_ok_and(|schema| !schema.metadata.tool_version.is_empty())
}

/// The files of a table of an interview in every format, whether they are there or not.
fn table_files(root: &Path, table: &str, interview_id: &str) -> Result<Vec<PathBuf>> {
    Ok(table_paths(root, table, interview_id)?.iter().flat_map(|p| Format::files_of(p)).collect())
}

/// Ids by the names alone: of a large corpus on a network disk, asking for each file takes minutes.
fn collect(folder: &Path, prefix: &str, suffixes: &[&str], into: &mut BTreeSet<String>) -> Result<()> {
    let failed = |source| Error::Read { path: folder.to_owned(), source };
    let listed = match fs::read_dir(folder) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        listed => listed.map_err(failed)?,
    };
    for entry in listed {
        let entry = entry.map_err(failed)?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let kind = entry.file_type().map_err(failed)?;
        if name.starts_with('.') {
            continue;
        }
        if kind.is_dir() || (kind.is_symlink() && entry.path().is_dir()) {
            collect(&entry.path(), &format!("{prefix}{name}/"), suffixes, into)?;
        } else if let Some((stem, _)) = name.rsplit_once('.').filter(|(_, suffix)| suffixes.contains(suffix)) {
            into.insert(format!("{prefix}{stem}"));
        }
    }
    Ok(())
}

/// Names of the folders in `folder`; none where it cannot be listed.
fn subfolders(folder: &Path) -> Vec<String> {
    let listed = fs::read_dir(folder).into_iter().flatten().flatten();
    listed
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

/// Removes those files that are there; tells how many.
fn remove_files(files: &[PathBuf]) -> Result<usize> {
    let mut removed = 0;
    for file in files {
        match fs::remove_file(file) {
            Ok(()) => removed += 1,
            Err(e) if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {}
            Err(e) => return Err(Error::write(file, e)),
        }
    }
    Ok(removed)
}

/// Removes the folders above files that are empty now, up to `root`.
fn remove_empty_above(files: &[PathBuf], root: &Path) {
    for file in files {
        for folder in file.ancestors().skip(1).take_while(|f| f.starts_with(root) && *f != root) {
            // One that still holds something stays, as do those above it.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
    }
}

/// Removes `folder` where it holds nothing but empty folders, and those in it that do.
fn remove_empty_below(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_empty_below(&entry.path());
        }
    }
    let _ = fs::remove_dir(folder);
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: [&str; 2] = ["interviews", "turns"];

    fn put(root: &Path, names: &[&str]) {
        for name in names {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
    }

    #[test]
    fn files_go_with_their_folders_and_no_others() {
        let root = tempfile::tempdir().unwrap();
        let of_one = ["interviews/s/a.parquet", "turns/s/a.parquet", "rttm/s/a.rttm", "timings/s/a.json"];
        let others = ["turns/s.parquet", "turns/b.parquet", "tasks/s/a.parquet", "mine/s/a.parquet", "rttm/s/a.txt"];
        put(root.path(), &of_one);
        put(root.path(), &others);
        put(root.path(), &[".superseded/turns/s/a.parquet"]);
        let files = InterviewFiles { out: root.path(), tables: &TABLES };
        assert_eq!(files.interviews().unwrap(), ["b", "s", "s/a"]);
        assert_eq!(files.remove("s/a").unwrap(), 5);
        assert!(
            of_one.iter().all(|n| !root.path().join(n).exists()) && others.iter().all(|n| root.path().join(n).exists())
        );
        assert!(!root.path().join("timings").exists() && !root.path().join(SUPERSEDED).exists());
        assert_eq!(files.remove("s/a").unwrap(), 0);
    }

    #[test]
    fn files_of_every_format_belong_to_their_interview_and_a_folder_holds_one_format() {
        let root = tempfile::tempdir().unwrap();
        let files = InterviewFiles { out: root.path(), tables: &TABLES };
        put(root.path(), &["tasks/t.csv", "mine/a.csv"]);
        files.refuse_other_formats(Format::Parquet).unwrap();
        put(
            root.path(),
            &["interviews/a.csv", "interviews/a.csv-metadata.json", "turns/a.csv", "turns/a.csv-metadata.json"],
        );
        assert_eq!(files.interviews().unwrap(), ["a"]);
        files.refuse_other_formats(Format::Csv).unwrap();
        for other in [Format::Parquet, Format::Arrow] {
            let e = files.refuse_other_formats(other).unwrap_err();
            assert!(
                e.kind() == "usage"
                    && e.to_string().contains("holds tables as csv")
                    && e.to_string().contains("--format csv"),
                "{e}"
            );
        }
        assert!(files.set_aside("a").unwrap());
        assert!(
            root.path().join(".superseded/turns/a.csv-metadata.json").exists()
                && !root.path().join("turns").join("a.csv").exists()
        );
        assert_eq!(files.remove("a").unwrap(), 4);
        put(root.path(), &["interviews.arrow"]);
        assert!(files.refuse_other_formats(Format::Parquet).unwrap_err().to_string().contains("as arrow"));
    }

    #[test]
    fn what_a_failure_leaves_behind_is_set_aside_or_goes() {
        let root = tempfile::tempdir().unwrap();
        let files = InterviewFiles { out: root.path(), tables: &TABLES };
        put(root.path(), &["interviews/a.parquet", "turns/a.parquet", "turns/b.parquet", "interviews/c.parquet"]);
        assert!(files.set_aside("a").unwrap());
        assert_eq!(fs::read(root.path().join(".superseded/turns/a.parquet")).unwrap(), b"turns/a.parquet");
        assert!(root.path().join(".superseded/interviews/a.parquet").exists());
        assert!(!root.path().join("turns/a.parquet").exists() && !root.path().join("interviews/a.parquet").exists());
        // b has no row: pieces. c has nothing but its row.
        assert!(!files.set_aside("b").unwrap() && !root.path().join("turns/b.parquet").exists());
        assert!(!files.set_aside("c").unwrap() && root.path().join("interviews/c.parquet").exists());
        // A second failure loses nothing of the first.
        put(root.path(), &["interviews/a.parquet"]);
        assert!(!files.set_aside("a").unwrap() && root.path().join(".superseded/turns/a.parquet").exists());
        assert_eq!(files.forget("a").unwrap(), 2);
        files.tidy();
        assert!(!root.path().join(SUPERSEDED).exists());
    }
}
