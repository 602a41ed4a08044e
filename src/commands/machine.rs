//! `turnwise models` and `turnwise doctor`: what is there, and what is needed.

use std::process::ExitCode;

use anyhow::Result;
use turnwise::inference::{Choice, ModelSet, ModelState, Registry, runtime_info};
use turnwise::inspect::grid::{Grid, Lean};
use turnwise::media::ffmpeg_version;
use turnwise::pipeline::Models;
use turnwise::recipe::Recipe;

use super::{SOME_FAILED, print};

/// FFmpeg's libavformat major versions that the build can use are fixed when it is linked; this is the oldest release
/// it was tried with.
const FFMPEG_NEEDED: &str = "5.1";

fn word(state: &ModelState) -> String {
    match state {
        ModelState::Present => "present".into(),
        ModelState::Missing => "MISSING".into(),
        ModelState::Altered { got } => format!("ALTERED (sha256 {got})"),
    }
}

/// Lists every model; exit 1 when one of the default set is not there as it should be.
pub fn models(registry: &Registry) -> Result<ExitCode> {
    let mut text = format!("models in {}\n\n", registry.dir().display());
    let mut rows =
        vec![["name".to_owned(), "role".into(), "licence".into(), "package".into(), "sha256".into(), "state".into()]];
    let mut whole = true;
    let runtime = registry.runtime();
    let state = registry.runtime_state()?;
    whole &= state == ModelState::Present;
    rows.push([
        "(runtime)".into(),
        "ONNX Runtime".into(),
        runtime.licence.clone(),
        runtime.version.clone(),
        short(&runtime.sha256),
        word(&state),
    ]);
    for model in registry.models() {
        let state = registry.state(model)?;
        whole &= state == ModelState::Present || !model.default;
        let package =
            model.source.as_ref().map(|s| format!("{} {} ({})", s.package, s.version, s.client)).unwrap_or_default();
        let role = if model.default { model.role.clone() } else { format!("{} (optional)", model.role) };
        rows.push([model.name.clone(), role, model.licence.clone(), package, short(&model.sha256), word(&state)]);
    }
    let mut grid = Grid::new([(Lean::Left, usize::MAX); 6]);
    rows.into_iter().for_each(|row| grid.row(row));
    text.push_str(&grid.render(""));
    text.push_str(if whole {
        "\nall of the default set is present\n"
    } else {
        "\nrun `turnwise models fetch` to fetch what is missing (in a clone `make models`)\n"
    });
    print(&text)?;
    Ok(if whole { ExitCode::SUCCESS } else { ExitCode::from(SOME_FAILED) })
}

fn short(hash: &str) -> String {
    hash.chars().take(12).collect()
}

/// Checks FFmpeg, ONNX Runtime and the models; exit 1 when something is not as it should be.
pub fn doctor(registry: &Registry) -> Result<ExitCode> {
    let mut well = true;
    let mut text = format!("turnwise      {}\n", env!("CARGO_PKG_VERSION"));
    text.push_str(&format!(
        "FFmpeg        found {}, needed {FFMPEG_NEEDED} or later (linked libraries)\n",
        ffmpeg_version()
    ));
    let needed = &registry.runtime().version;
    match runtime_info(registry) {
        Ok(info) => {
            // The library tells of its build, not of its version; the registry knows the version by the hash.
            let own = std::env::var_os("ORT_DYLIB_PATH").is_some();
            let known = !own && registry.runtime_state()? == ModelState::Present;
            let version = if known { format!("{needed}, ") } else { String::new() };
            text.push_str(&format!("ONNX Runtime  found {version}{}, needed {needed}\n", info.version));
            // In the models folder it is where the next lines say.
            let path = registry.runtime_path();
            if path.parent() != Some(registry.dir()) {
                text.push_str(&format!("              {}\n", path.display()));
            }
        }
        Err(error) => {
            well = false;
            text.push_str(&format!("ONNX Runtime  NOT FOUND, needed {needed}: {}\n", error.chain()));
        }
    }
    let (mut present, mut wrong) = (0, Vec::new());
    for model in registry.models() {
        match registry.state(model)? {
            ModelState::Present => present += 1,
            state if model.default => {
                wrong.push(format!("{} {}; run `turnwise models fetch`", model.name, word(&state)))
            }
            _ => {}
        }
    }
    // An entry that cannot serve as what the default recipe asks of it; what is missing or altered is told above.
    if let Err(error) = Models::names(registry, &Recipe::default()) {
        wrong.push(error.chain());
    }
    well &= wrong.is_empty();
    text.push_str(&format!("models        {present} present in {}\n", registry.dir().display()));
    for line in chosen_because(registry).into_iter().chain(wrong) {
        text.push_str(&format!("              {line}\n"));
    }
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    text.push_str(&format!("processors    {processors}\n"));
    text.push_str(if well { "all well\n" } else { "something is missing\n" });
    print(&text)?;
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::from(SOME_FAILED) })
}

/// Why the models are sought in this folder, a line each.
fn chosen_because(registry: &Registry) -> Vec<String> {
    match registry.choice() {
        Choice::Named => vec!["the folder that --models names".into()],
        Choice::Variable => vec!["the folder that TURNWISE_MODELS names".into()],
        Choice::Found(places) => {
            let whole = places.iter().any(|place| place.is_whole());
            let rule = if whole { "the first of these that holds all:" } else { "none of these holds all:" };
            let there = places.iter().filter(|place| place.holds.is_some() || !whole);
            let lines = there.map(|place| format!("  {}: {}", place.dir.display(), place.text()));
            std::iter::once(rule.to_owned()).chain(lines).collect()
        }
    }
}
