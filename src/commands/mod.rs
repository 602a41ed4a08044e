//! One function a command.

mod baseline;
mod correct;
mod diarize;
mod estimate;
mod evaluate;
mod export;
mod extract;
mod faces;
mod fetch;
mod init;
pub mod logging;
mod logs;
mod machine;
mod man;
mod overlay;
mod part;
mod probe;
mod progress;
mod report;
pub mod sharing;
mod status;
mod tasks;
mod voice;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory;
use turnwise::error::Error;
use turnwise::file::keep_apart;
use turnwise::inference::Registry;
use turnwise::inspect::{Codebook, InspectOptions, inspect};
use turnwise::pipeline::schema_page;
use turnwise::recipe::Recipe;
use turnwise::text::clean_lines;

use crate::cli::{Cli, Command, Export, ModelsCommand, RecipeArgs};

/// Something failed, the rest is done.
const SOME_FAILED: u8 = 1;
/// The request itself is wrong.
const USAGE: u8 = 2;

/// Runs the command.
///
/// # Errors
/// What `main` prints and turns into an exit code.
pub fn run(cli: &Cli) -> Result<ExitCode> {
    let registry = || registry(cli);
    match &cli.command {
        Command::Extract(args) => return extract::run(args, cli, &registry()?),
        Command::Worker(args) => extract::worker(args, &registry()?)?,
        Command::Status(args) => print(&status::run(args, &registry()?)?)?,
        Command::Correct(args) => correct::run(args)?,
        Command::Probe(args) => print(&probe::run(args)?)?,
        Command::Inspect(args) => print(&inspect(&args.path, &InspectOptions { all: args.all })?)?,
        Command::Report(args) => print(&report::run(args)?)?,
        Command::Plot(args) => report::plot(args)?,
        Command::Overlay(args) => print(&overlay::run(args)?)?,
        Command::Diarize(args) => diarize::diarize(args, &registry()?)?,
        Command::Score(args) => print(&diarize::score(args)?)?,
        Command::Voice(args) => voice::run(args, &registry()?)?,
        Command::Faces(args) => faces::run(args, &registry()?)?,
        Command::Check(args) => return tasks::check(args),
        Command::Tasks(args) => print(&tasks::tasks(args)?)?,
        Command::Baseline(args) => print(&baseline::run(args)?)?,
        Command::Evaluate(args) => print(&evaluate::run(args)?)?,
        Command::Export(Export::Rescue(args)) => print(&export::rescue(args)?)?,
        Command::Export(Export::Jsonl(args)) => print(&export::jsonl(args)?)?,
        Command::Export(Export::Transcript(args)) => print(&export::transcript(args)?)?,
        Command::Pack(args) => print(&export::pack(args, &registry()?)?)?,
        Command::Init(args) => print(&init::run(args)?)?,
        Command::Models(args) => match &args.what {
            None => return machine::models(&registry()?),
            Some(ModelsCommand::Fetch(args)) => return fetch::run(args, &registry()?),
        },
        Command::Doctor => return machine::doctor(&registry()?),
        Command::Man { to } => print(&man::write(to)?)?,
        Command::Recipe(args) if args.json_schema => print(&format!("{:#}\n", Recipe::json_schema()))?,
        Command::Recipe(args) => print(&recipe(&args.recipe)?.to_toml()?)?,
        Command::Schema(args) => match (&args.codebook, &args.to) {
            (Some(out), Some(to)) => codebook(out, to)?,
            _ => print(&schema_page()?)?,
        },
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "turnwise", &mut text);
            std::io::stdout().write_all(&text)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The registry; of one in the folder that is not read, the program tells, and its workers need not say it again.
fn registry(cli: &Cli) -> Result<Registry> {
    let registry = Registry::open(cli.models.as_deref())?;
    if let Some(own) = registry.unread().filter(|_| !matches!(cli.command, Command::Worker(_))) {
        let (own, folder) = (own.display(), registry.dir().display());
        tracing::warn!("{own} is not read, since nobody named its folder; to use it, pass --models {folder}");
    }
    Ok(registry)
}

/// Writes the codebook of an output folder.
fn codebook(out: &Path, to: &Path) -> Result<()> {
    must_be_there(out)?;
    let book = Codebook::of(out)?;
    if let Some(left_out) = book.left_out() {
        tracing::warn!("{left_out}");
    }
    let [page, table] = book.write(to)?;
    print(&format!("{}\n{}\n", page.display(), table.display()))
}

/// Writes to standard output, nothing that steers a terminal; unlike `print!` it gives a closed pipe back as an error.
fn print(text: &str) -> Result<()> {
    let text = clean_lines(text);
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// A line for people on standard error, without what steers a terminal. Unlike `eprintln!` it does not panic when
/// nobody reads there any more: the work goes on.
pub fn say(text: &str) {
    if logging::is_json() {
        logging::write(&logging::event(serde_json::json!({ "event": "told", "text": text })));
        return;
    }
    let _ = writeln!(std::io::stderr().lock(), "{}", clean_lines(text));
}

/// Refuses to write over a file that is being read, be it the one named or one in the folder named.
fn keep_out(input: &Path, output: &Path) -> Result<()> {
    if input.is_dir() {
        for path in turnwise::file::listed(input)? {
            keep_apart(&path, output)?;
        }
        return Ok(());
    }
    Ok(keep_apart(input, output)?)
}

/// Refuses an output folder of extract that is not there.
fn must_be_there(out: &Path) -> Result<()> {
    if !out.is_dir() {
        let what = format!("there is no folder {}", out.display());
        return Err(Error::Usage { what, hint: "name the folder that extract wrote".into() }.into());
    }
    Ok(())
}

/// Refuses a path that was named on the command line and is not there.
fn given(path: &Path) -> Result<()> {
    if !path.exists() {
        return Err(Error::Read { path: path.to_owned(), source: std::io::ErrorKind::NotFound.into() }.into());
    }
    Ok(())
}

fn recipe(args: &RecipeArgs) -> Result<Recipe> {
    Ok(Recipe::load(args.recipe.as_deref(), &args.set)?)
}

/// True when the reader of our output went away.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}

/// 2 for a request that is wrong, be it on the command line, in the recipe or in the manifest; 1 for everything else.
pub fn exit_code(error: &anyhow::Error) -> ExitCode {
    match error.downcast_ref::<Error>() {
        Some(Error::Usage { .. } | Error::Recipe { .. } | Error::Parse { .. }) => ExitCode::from(USAGE),
        _ => ExitCode::from(SOME_FAILED),
    }
}
