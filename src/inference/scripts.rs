//! The scripts that fetch and convert the models, carried in the program: wherever it is installed, it can get its
//! models.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

macro_rules! scripts {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../onnx/", $name)).as_slice())),+]
    };
}

/// Names below `onnx/` and contents: all that `fetch_models.py` reads.
pub const SCRIPTS: &[(&str, &[u8])] = scripts![
    "fetch_models.py",
    "registry.py",
    "models.toml",
    "requirements.txt",
    "convert.py",
    "verify.py",
    "numpy_networks.py",
    "graph.py",
    "face_api.py",
    "faceres.py",
    "tfjs.py",
    "tflite_to_onnx.py",
    "torch_state.py",
    "campplus.py",
    "segmentation.py",
    "silero.py",
    "retinaface.py",
    "goldens/campplus.npz",
];

/// Writes the scripts below a folder; gives the one to run.
///
/// # Errors
/// [`Error::Write`].
pub fn unpack_scripts(folder: &Path) -> Result<PathBuf> {
    for (name, bytes) in SCRIPTS {
        let path = folder.join(name);
        let write = || {
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(&path, bytes)
        };
        write().map_err(|e| Error::write(&path, e))?;
    }
    Ok(folder.join(SCRIPTS[0].0))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// What a script imports of its neighbours, or opens.
    fn neighbours(text: &str, known: &BTreeSet<String>) -> BTreeSet<String> {
        let words =
            |line: &str| line.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect::<Vec<_>>();
        let imports = text.lines().map(str::trim).filter(|l| l.starts_with("import ") || l.starts_with("from "));
        imports.flat_map(words).map(|word| format!("{word}.py")).filter(|name| known.contains(name)).collect()
    }

    #[test]
    fn whatever_a_carried_script_imports_is_carried() {
        let onnx = Path::new(env!("CARGO_MANIFEST_DIR")).join("onnx");
        let there = crate::file::listed(&onnx).unwrap();
        let known: BTreeSet<String> =
            there.iter().map(|p| p.file_name().unwrap().to_string_lossy().into_owned()).collect();
        let carried: BTreeSet<String> = SCRIPTS.iter().map(|(name, _)| (*name).to_owned()).collect();
        let mut looked = 0;
        for (name, bytes) in SCRIPTS.iter().filter(|(name, _)| name.ends_with(".py")) {
            let wanted = neighbours(std::str::from_utf8(bytes).unwrap(), &known);
            looked += wanted.len();
            assert!(wanted.is_subset(&carried), "{name} imports {wanted:?}");
        }
        assert!(looked > 10, "the reader of imports finds {looked}");
        for golden in crate::file::listed(&onnx.join("goldens")).unwrap() {
            let name = format!("goldens/{}", golden.file_name().unwrap().to_string_lossy());
            assert!(carried.contains(&name), "{name}");
        }
        let folder = tempfile::tempdir().unwrap();
        assert!(unpack_scripts(folder.path()).unwrap().ends_with("fetch_models.py"));
        for (name, bytes) in SCRIPTS {
            assert_eq!(std::fs::read(folder.path().join(name)).unwrap(), *bytes, "{name}");
        }
    }
}
