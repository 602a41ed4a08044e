//! What lies in an output folder: `<table>/<interview_id>.parquet`, `rttm/<interview_id>.rttm`, `interviews.parquet`;
//! or tables in another format.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::store::format::{Format, Writer};
use crate::store::paths::{interviews_path, table_path, table_path_in};
use crate::store::read::read_columns;

/// The folder of task tables, which are made from the interviews' tables.
pub const TASKS: &str = "tasks";

/// Where an extraction writes, and in which format.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The output folder.
    pub out: &'a Path,
    /// Writes its tables.
    pub writer: Writer,
}

impl Target<'_> {
    /// Where a table of an interview goes.
    ///
    /// # Errors
    /// As [`table_path`].
    pub fn table_path(&self, table: &str, interview_id: &str) -> Result<PathBuf> {
        table_path_in(self.writer.format(), self.out, table, interview_id)
    }
}

/// The folder that `extract` writes into.
#[derive(Clone, Debug)]
pub struct OutputFolder {
    root: PathBuf,
}

/// One table of one interview, or of one task.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredFile {
    /// Below the table's folder, without the ending, subfolders joined by `/`: the interview's name, or a task's.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
}

/// The files of one table, sorted by interview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFiles {
    /// Table name: the folder.
    pub table: String,
    /// One file an interview.
    pub files: Vec<StoredFile>,
}

impl OutputFolder {
    /// Names a folder; nothing is looked at yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        OutputFolder { root: root.into() }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// True when the interview's tables are those of a finished extraction. After a failure, and when a run was ended
    /// while it wrote, files may lie there that no row vouches for. A folder without any `interviews` rows was not
    /// written by `extract` and is taken as it is.
    ///
    /// # Errors
    /// [`Error::Read`] or [`Error::Parse`] for a row that cannot be read.
    pub fn is_current(&self, interview_id: &str) -> Result<bool> {
        let row = table_path(&self.root, "interviews", interview_id)?;
        if !row.is_file() {
            return Ok(!self.root.join("interviews").is_dir() && self.interviews_file().is_none());
        }
        Ok(read_columns(&row, &["status"])?.text("status", 0) == Some("done"))
    }

    /// `interviews.parquet`, if it is there.
    pub fn interviews_file(&self) -> Option<PathBuf> {
        Some(interviews_path(&self.root)).filter(|p| p.is_file())
    }

    /// Every table with its files, sorted by table and interview; unfinished (hidden) files are passed over.
    /// Below `tasks` each file or folder is a table of its own, named `tasks/<name>`.
    ///
    /// # Errors
    /// [`Error::Read`] for a folder that cannot be listed.
    pub fn tables(&self) -> Result<Vec<TableFiles>> {
        let mut tables = Vec::new();
        for (table, path, is_folder) in entries(&self.root)? {
            if !is_folder {
                continue;
            }
            let mut files = Vec::new();
            collect(&path, "", &Format::ALL.map(Format::suffix), &mut files)?;
            files.sort();
            if table == TASKS {
                let mut tasks: BTreeMap<String, Vec<StoredFile>> = BTreeMap::new();
                for file in files {
                    let task = file.name.split('/').next().unwrap_or_default();
                    tasks.entry(format!("{TASKS}/{task}")).or_default().push(file);
                }
                tables.extend(tasks.into_iter().map(|(table, files)| TableFiles { table, files }));
            } else if !files.is_empty() {
                tables.push(TableFiles { table, files });
            }
        }
        Ok(tables)
    }

    /// The interviews that have a file of `table` (or of `rttm`), sorted.
    ///
    /// # Errors
    /// [`Error::Read`] for a folder that cannot be listed; no such table is an empty list.
    pub fn interviews(&self, table: &str) -> Result<Vec<String>> {
        Ok(self.files(table)?.into_iter().map(|f| f.name).collect())
    }

    /// The files of `table` (or of `rttm`), sorted by interview.
    ///
    /// # Errors
    /// As [`OutputFolder::interviews`].
    pub fn files(&self, table: &str) -> Result<Vec<StoredFile>> {
        let folder = self.root.join(table);
        let mut files = Vec::new();
        if folder.is_dir() {
            let formats = Format::ALL.map(Format::suffix);
            collect(&folder, "", if table == "rttm" { &["rttm"] } else { &formats }, &mut files)?;
        }
        files.sort();
        Ok(files)
    }
}

fn collect(folder: &Path, prefix: &str, suffixes: &[&str], files: &mut Vec<StoredFile>) -> Result<()> {
    for (name, path, is_folder) in entries(folder)? {
        if is_folder {
            collect(&path, &format!("{prefix}{name}/"), suffixes, files)?;
        } else if let Some((stem, _)) = name.rsplit_once('.').filter(|(_, suffix)| suffixes.contains(suffix)) {
            let bytes = fs::metadata(&path).map_err(|source| Error::Read { path: path.clone(), source })?.len();
            files.push(StoredFile { name: format!("{prefix}{stem}"), path, bytes });
        }
    }
    Ok(())
}

/// Name, path and whether it is a folder of each entry that is not hidden, sorted by name. Names that are no UTF-8 were
/// not written by us.
fn entries(folder: &Path) -> Result<Vec<(String, PathBuf, bool)>> {
    let failed = |source| Error::Read { path: folder.into(), source };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if let Ok(name) = entry.file_name().into_string()
            && !name.starts_with('.')
        {
            let path = entry.path();
            let is_folder = path.is_dir();
            found.push((name, path, is_folder));
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_interviews_are_listed_sorted() {
        let folder = tempfile::tempdir().unwrap();
        for file in [
            "turns/b.parquet",
            "turns/show/s1.e2.parquet",
            "turns/a.parquet",
            "turns/c.d.csv",
            "turns/c.d.csv-metadata.json",
            "turns/.turnwise-x.tmp",
            "faces/a.parquet",
            "tasks/backchannel.parquet",
            "rttm/a.rttm",
            "interviews.parquet",
            "notes.txt",
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "xyz").unwrap();
        }
        let out = OutputFolder::new(folder.path());
        let tables = out.tables().unwrap();
        assert_eq!(
            tables.iter().map(|t| t.table.as_str()).collect::<Vec<_>>(),
            ["faces", "tasks/backchannel", "turns"]
        );
        assert_eq!(
            tables[2].files.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(),
            ["a", "b", "c.d", "show/s1.e2"]
        );
        assert_eq!(tables[2].files[0].bytes, 3);
        assert_eq!(out.interviews("turns").unwrap(), ["a", "b", "c.d", "show/s1.e2"]);
        assert_eq!(out.interviews("rttm").unwrap(), ["a"]);
        assert!(out.interviews("voice").unwrap().is_empty());
        assert!(out.interviews_file().is_some());
        assert_eq!(OutputFolder::new(folder.path().join("none")).tables().unwrap_err().kind(), "read");
    }
}
