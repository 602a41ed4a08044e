//! `turnwise extract`, and the worker it starts.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result};
use turnwise::corpus::{self, RunSettings, Summary, Unlisted};
use turnwise::error::Error;
use turnwise::file;
use turnwise::inference::{Registry, Runtime};
use turnwise::output::paths::{check_interview_id, rttm_path};
use turnwise::pipeline::{Models, Request};
use turnwise::recipe::Recipe;
use turnwise::speaker::SpeakerBounds;

use super::progress::Display;
use super::{SOME_FAILED, keep_apart, recipe, say};
use crate::cli::{Cli, Extract, Share, Speakers, Worker};

/// What an idle worker is given to end after its parent.
const IDLE_END: Duration = Duration::from_millis(400);

/// Suffixes of tables that are no media either.
const SHEETS: [&str; 4] = ["tsv", "xlsx", "xls", "ods"];

/// Interviews of earlier runs told by name.
const NAMED: usize = 10;

/// Extracts a file or a corpus; exit 1 when some interview failed.
pub fn run(args: &Extract, cli: &Cli, registry: &Registry) -> Result<ExitCode> {
    let mut recipe = recipe(&args.recipe)?;
    recipe.input.lenient |= args.lenient;
    enrol(args.enrol.as_deref(), &mut recipe)?;
    let unlisted = unlisted(args)?;
    let requests = requests(args)?;
    for request in &requests {
        let Some(rttm) = &request.rttm else { continue };
        keep_apart(rttm, &rttm_path(&args.out, &request.interview_id)?)?;
        if request.bounds != SpeakerBounds::default() {
            tracing::warn!("{}: the number of speakers is that of {}, not the one asked for", request.interview_id, rttm.display());
        }
    }
    // Before anything is decoded: the models, and a place to write to.
    registry.verify(Models::names(&recipe))?;
    registry.verify_runtime()?;
    std::fs::create_dir_all(&args.out).with_context(|| format!("cannot make the folder {}", args.out.display()))?;
    tempfile::tempfile_in(&args.out).with_context(|| format!("cannot write into the folder {}", args.out.display()))?;

    let binary = std::env::current_exe().context("cannot find the program's own file")?;
    let worker = || worker_command(&binary, args, cli, registry);
    let settings = RunSettings {
        out: &args.out,
        jobs: jobs(args.jobs),
        stall: Duration::from_secs(args.stall_secs),
        force: args.force,
        unlisted,
        worker: &worker,
    };
    let display = Display::new(requests.len(), cli.quiet);
    let summary = corpus::run(&requests, &recipe, registry, &settings, &|index, request, update| display.update(index, request, &update))?;
    display.finish();
    if !cli.quiet {
        let failed = summary.failed.len();
        say(&format!("{} done, {} already done, {failed} failed; tables in {}", summary.done, summary.skipped, args.out.display()));
        tell_others(args, &summary);
    }
    for reason in &summary.left_out {
        tracing::error!("a row is not in interviews.parquet: {reason}");
    }
    Ok(if summary.failed.is_empty() && summary.left_out.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(SOME_FAILED) })
}

/// What is to be done about interviews of earlier runs: a single file says nothing of them.
fn unlisted(args: &Extract) -> Result<Unlisted> {
    match (corpus::is_manifest(&args.input), args.prune) {
        (true, true) => Ok(Unlisted::Pruned),
        (true, false) => Ok(Unlisted::Told),
        (false, false) => Ok(Unlisted::Ignored),
        (false, true) => {
            let what = "--prune removes what is not in the manifest, and none is given".into();
            Err(Error::Usage { what, hint: "give the manifest of all interviews that are to stay".into() }.into())
        }
    }
}

/// What there is to say of the folder besides this run's own interviews.
fn tell_others(args: &Extract, summary: &Summary) {
    let (out, others) = (args.out.display(), &summary.unlisted);
    if !others.is_empty() {
        let some = others[..others.len().min(NAMED)].join(", ");
        let more = if others.len() > NAMED { ", …" } else { "" };
        let (n, manifest) = (others.len(), args.input.display());
        say(&if args.prune {
            let tasks = if args.out.join("tasks").is_dir() { "; tables of tasks made before still hold them" } else { "" };
            format!("{n} not in {manifest} removed from {out}: {some}{more}{tasks}")
        } else {
            format!("{n} in {out} that {manifest} does not have: {some}{more}; --prune removes their files")
        });
    }
    if !summary.ways.is_empty() {
        say(&format!("The interviews in {out} were not all made the same way:\n{}", summary.ways.trim_end()));
    }
}

fn requests(args: &Extract) -> Result<Vec<Request>> {
    let bounds = bounds(args.speakers)?;
    if !args.input.exists() {
        let what = format!("there is no file {}", args.input.display());
        return Err(Error::Usage { what, hint: "give a media file or a corpus manifest".into() }.into());
    }
    if args.input.is_dir() {
        let what = format!("{} is a folder", args.input.display());
        return Err(Error::Usage { what, hint: "give a media file, or a corpus manifest that names the files".into() }.into());
    }
    file::check(&args.input)?;
    if args.input.extension().is_some_and(|e| SHEETS.iter().any(|sheet| e.eq_ignore_ascii_case(sheet))) {
        let what = format!("{} is a table, and a manifest is a .csv file", args.input.display());
        return Err(Error::Usage { what, hint: "save it as CSV with commas, in UTF-8".into() }.into());
    }
    if !corpus::is_manifest(&args.input) {
        for named in [&args.transcript, &args.audio, &args.rttm].into_iter().flatten() {
            file::check(named)?;
        }
        let mut request = Request::of_file(&args.input)?;
        if let Some(id) = &args.id {
            request.interview_id.clone_from(id);
        }
        check_interview_id(&request.interview_id)?;
        request.transcript.clone_from(&args.transcript);
        request.sample_id.clone_from(&args.sample);
        request.audio.clone_from(&args.audio);
        request.rttm.clone_from(&args.rttm);
        request.bounds = bounds;
        return Ok(vec![request]);
    }
    for (given, flag) in [
        (args.transcript.is_some(), "--transcript"),
        (args.audio.is_some(), "--audio"),
        (args.rttm.is_some(), "--rttm"),
        (args.id.is_some(), "--id"),
        (args.sample.is_some(), "--sample"),
    ] {
        if given {
            let hint = format!("{} is a manifest: give it a column for that", args.input.display());
            return Err(Error::Usage { what: format!("{flag} goes with a single media file"), hint }.into());
        }
    }
    let mut requests = corpus::read_manifest(&args.input)?;
    for request in &mut requests {
        if request.bounds == SpeakerBounds::default() {
            request.bounds = bounds;
        }
    }
    Ok(requests)
}

/// `--enrol` goes before the recipe's own enrolment.
pub fn enrol(voices: Option<&Path>, recipe: &mut Recipe) -> Result<()> {
    if let Some(voices) = voices {
        if !voices.exists() {
            return Err(Error::Read { path: voices.to_owned(), source: std::io::ErrorKind::NotFound.into() }.into());
        }
        if !voices.is_dir() {
            file::check(voices)?;
        }
        recipe.speaker.enrolment.voices = voices.display().to_string();
    }
    Ok(())
}

/// The speaker options as the speaker room wants them.
pub fn bounds(args: Speakers) -> Result<SpeakerBounds> {
    let bounds = SpeakerBounds { exact: args.speakers, min: args.min_speakers, max: args.max_speakers };
    bounds.range()?;
    Ok(bounds)
}

/// Half the processors: a worker keeps about two busy, one with the picture and one with the sound.
fn jobs(asked: Option<u32>) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(|| (processors / 2).max(1), |n| n as usize)
}

/// The recipe is not among the arguments, which every user of the machine can read: it may say where voices are
/// enrolled.
fn worker_command(binary: &Path, args: &Extract, cli: &Cli, registry: &Registry) -> Command {
    let mut command = Command::new(binary);
    command.arg("worker").arg(option("--out", &args.out)).arg(option("--models", registry.dir()));
    command.arg(match cli.share {
        Share::Owner => "--share=owner",
        Share::Group => "--share=group",
    });
    if cli.quiet {
        command.arg("-q");
    }
    command.args(std::iter::repeat_n("-v", usize::from(cli.verbose)));
    command
}

/// `--name=value` in one piece: a value may begin with a dash.
fn option(name: &str, value: &Path) -> OsString {
    let mut whole = OsString::from(name);
    whole.push("=");
    whole.push(value);
    whole
}

/// Serves one parent over standard input and output, and ends with it: where standard input ends, the parent has no more work or is gone,
/// and an interview half done is left behind.
pub fn worker(args: &Worker, registry: &Registry) -> Result<()> {
    let (send, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines() {
            if send.send(line).is_err() {
                break;
            }
        }
        // An idle worker sees the end of its requests and ends by itself.
        drop(send);
        std::thread::sleep(IDLE_END);
        // SAFETY: _exit has no preconditions. Exit handlers must not run here: the models are at work on other threads.
        unsafe { libc::_exit(1) }
    });
    let Some(first) = lines.iter().next() else { return Ok(()) };
    let recipe: Recipe = serde_json::from_str(&first?).context("the worker's recipe is not understood")?;
    Ok(corpus::serve(&args.out, &recipe, registry, Runtime::default(), lines, std::io::stdout())?)
}
