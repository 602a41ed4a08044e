//! Where the model files and ONNX Runtime's library are looked for when nobody names their folder.

use std::path::{Path, PathBuf};

/// The models folder below the working directory: a clone's.
pub(super) const HERE: &str = "onnx/models";

/// How far above the program's own folder its models may lie: `target/release` of a clone.
const UP: usize = 4;

/// Folders of models, below the program's own folder or one above it.
const BESIDE: [&str; 3] = ["models", "onnx/models", "share/turnwise/models"];

/// Why the models folder is the one that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The caller named it.
    Named,
    /// `TURNWISE_MODELS` names it.
    Variable,
    /// It was found; all places that were looked at, in their order.
    Found(Vec<Place>),
}

/// A folder that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The folder.
    pub dir: PathBuf,
    /// How many of the wanted files it holds, by name and size; `None` where there is no such folder.
    pub holds: Option<usize>,
    /// How many are wanted.
    pub wanted: usize,
}

impl Place {
    /// True where it holds all that is wanted.
    pub fn is_whole(&self) -> bool {
        self.holds == Some(self.wanted)
    }

    /// In words.
    pub fn text(&self) -> String {
        match self.holds {
            None => "no such folder".into(),
            Some(0) => "none of them".into(),
            Some(n) if n == self.wanted => "all of them".into(),
            Some(n) => format!("{n} of {}", self.wanted),
        }
    }
}

/// The user's own data: `$XDG_DATA_HOME/turnwise/models`, else below `~/.local/share`. What is no absolute path is not
/// believed, as the specification of these folders has it.
pub fn data_folder() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let data = absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")));
    data.map(|folder| folder.join("turnwise/models"))
}

/// The folders to look at, the first first: beside the program's own file (links followed), the clone one stands in, the
/// user's data. Every file is checked by its hash before it is used, so that the order decides nothing of results.
pub(super) fn candidates(program: Option<&Path>) -> Vec<PathBuf> {
    let mut places = Vec::new();
    for up in program.into_iter().flat_map(|p| p.ancestors().skip(1).take(UP)) {
        places.extend(BESIDE.map(|folder| up.join(folder)));
    }
    places.push(PathBuf::from(HERE));
    places.extend(data_folder());
    places
}

/// Looks at each folder for the wanted files, their names and sizes (0: not told).
pub(super) fn looked_at(candidates: Vec<PathBuf>, wanted: &[(&str, u64)]) -> Vec<Place> {
    let is_there = |dir: &Path, (name, bytes): (&str, u64)| {
        std::fs::metadata(dir.join(name)).is_ok_and(|m| m.is_file() && (bytes == 0 || m.len() == bytes))
    };
    let holds = |dir: &Path| dir.is_dir().then(|| wanted.iter().filter(|file| is_there(dir, **file)).count());
    candidates.into_iter().map(|dir| Place { holds: holds(&dir), wanted: wanted.len(), dir }).collect()
}

/// The first place that holds all, else the first that holds some, else where `turnwise models fetch` puts them, else
/// the clone's.
pub(super) fn chosen(places: &[Place]) -> PathBuf {
    let first = |fits: &dyn Fn(&&Place) -> bool| places.iter().find(fits).map(|p| p.dir.clone());
    first(&|p| p.is_whole())
        .or_else(|| first(&|p| p.holds.is_some_and(|n| n > 0)))
        .or_else(data_folder)
        .unwrap_or_else(|| PathBuf::from(HERE))
}

/// The program's own file, links followed.
pub(super) fn program() -> Option<PathBuf> {
    let file = std::env::current_exe().ok()?;
    Some(file.canonicalize().unwrap_or(file))
}

/// A file of a Python package that is installed where the program is: `bin/turnwise` of an environment and
/// `lib/python3.11/site-packages` of it (Debian's own Python has `dist-packages`).
pub(super) fn of_package(program: &Path, file: &str) -> Option<PathBuf> {
    let prefix = program.parent()?.parent()?;
    let mut found = Vec::new();
    for lib in ["lib", "lib64"] {
        let versions = std::fs::read_dir(prefix.join(lib)).into_iter().flatten().flatten();
        let is_python = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with("python3");
        let folders = versions.filter(|entry| is_python(&entry.file_name())).map(|entry| entry.path());
        found.extend(
            folders.flat_map(|f| ["site-packages", "dist-packages"].map(|packages| f.join(packages).join(file))),
        );
    }
    found.retain(|path| path.is_file());
    found.sort();
    found.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, bytes: usize) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, vec![0; bytes]).unwrap();
    }

    #[test]
    fn the_first_whole_folder_is_chosen_then_the_first_with_some() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        let wanted = [("a.onnx", 3), ("b.onnx", 0)];
        std::fs::create_dir(at("empty")).unwrap();
        write(&at("part/a.onnx"), 3);
        write(&at("old/a.onnx"), 4);
        write(&at("old/b.onnx"), 9);
        write(&at("whole/a.onnx"), 3);
        write(&at("whole/b.onnx"), 9);
        let look = |names: &[&str]| looked_at(names.iter().map(|n| at(n)).collect(), &wanted);
        let places = look(&["none", "empty", "part", "old", "whole"]);
        let told: Vec<_> = places.iter().map(Place::text).collect();
        assert_eq!(told, ["no such folder", "none of them", "1 of 2", "1 of 2", "all of them"]);
        assert_eq!(chosen(&places), at("whole"));
        assert_eq!(chosen(&look(&["none", "empty", "old", "part"])), at("old"), "a file of another size is none");
        let nowhere = chosen(&look(&["none", "empty"]));
        assert_eq!(nowhere, data_folder().unwrap_or_else(|| HERE.into()), "where they will be put");
    }

    #[test]
    fn places_are_beside_the_real_program() {
        let root = tempfile::tempdir().unwrap();
        let program = root.path().join("venv/bin/turnwise");
        let places = candidates(Some(&program));
        let at = |folder: &Path| places.iter().position(|p| p == folder);
        let venv = at(&root.path().join("venv/share/turnwise/models"));
        assert!(venv.is_some() && venv < at(Path::new(HERE)), "{places:?}");
        assert_eq!(at(Path::new(HERE)), Some(places.len() - 1 - usize::from(data_folder().is_some())));
        assert!(candidates(None).len() <= 2);
    }

    #[test]
    fn the_library_of_the_python_package_beside_the_program_is_found() {
        let root = tempfile::tempdir().unwrap();
        let program = root.path().join("venv/bin/turnwise");
        let file = "onnxruntime/capi/lib.so.1";
        assert_eq!(of_package(&program, file), None);
        let other = root.path().join("venv/lib/other/site-packages").join(file);
        write(&other, 1);
        assert_eq!(of_package(&program, file), None);
        for packages in ["lib64/python3.13/dist-packages", "lib/python3.12/site-packages"] {
            let there = root.path().join("venv").join(packages).join(file);
            write(&there, 1);
            assert_eq!(of_package(&program, file), Some(there));
        }
        assert_eq!(of_package(Path::new("turnwise"), file), None);
    }
}
