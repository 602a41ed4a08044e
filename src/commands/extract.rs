//! `turnwise extract`, and the worker it starts.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use anyhow::{Context, Result};
use turnwise::corpus::{self, Limits, RunSettings, Service, Summary, Unlisted};
use turnwise::error::Error;
use turnwise::file;
use turnwise::inference::{Choice, ModelSet, Registry, Runtime};
use turnwise::pipeline::{self, Keep, Models, Request, lexicon};
use turnwise::recipe::Recipe;
use turnwise::speaker::SpeakerBounds;
use turnwise::store::folder::Target;
use turnwise::store::paths::{check_interview_id, rttm_path};

use super::estimate::Estimate;
use super::logs::Logs;
use super::progress::Display;
use super::{SOME_FAILED, correct, given, keep_apart, logging, part, print, recipe, say, sharing};
use crate::cli::{Cli, Extract, Share, Speakers, Worker};

/// Ended by a signal, as shells tell it: 128 and its number.
const SIGNALLED: usize = 128;

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
    recipe.input.labels = args.labels.unwrap_or(recipe.input.labels);
    if !args.tiers.is_empty() {
        recipe.input.tiers = args.tiers.clone();
    }
    recipe.input.encoding = args.encoding.unwrap_or(recipe.input.encoding);
    recipe.input.frame_rate_hz = args.frame_rate.unwrap_or(recipe.input.frame_rate_hz);
    recipe.input.sample_rate_hz = args.sample_rate.unwrap_or(recipe.input.sample_rate_hz);
    recipe.input.check()?;
    enrol(args.enrol.as_deref(), &mut recipe)?;
    if let Some(dictionary) = &args.dictionary {
        recipe.turns.language.dictionary = dictionary.display().to_string();
    }
    // A dictionary that cannot be read fails every interview: say so before the first.
    lexicon(&recipe.turns.language)?;
    let unlisted = unlisted(args)?;
    let metadata = pipeline::file_metadata(&recipe, registry)?;
    let mut requests = part::of(correct::give(args, requests(args)?)?, args, &recipe, &metadata)?;
    let estimate = args.estimate.then(|| Estimate::begin(&args.out, &recipe, &metadata, &mut requests));
    if requests.is_empty() {
        say(&part::none(args));
        return Ok(ExitCode::SUCCESS);
    }
    corpus::find_files(&requests)?;
    look_at_rttm(&requests, &args.out)?;
    // Before anything is decoded: the models, and a place to write to.
    Models::check(registry, &recipe)?;
    registry.verify_runtime()?;
    let was_there = args.out.is_dir();
    std::fs::create_dir_all(&args.out).with_context(|| format!("cannot make the folder {}", args.out.display()))?;
    tempfile::tempfile_in(&args.out).with_context(|| format!("cannot write into the folder {}", args.out.display()))?;

    let share = sharing::of(cli);
    if share == Share::Group && !sharing::is_open_to_group(&args.out) {
        tell_closed(&args.out, was_there);
    }
    let stop = stop_on_signals()?;
    let binary = std::env::current_exe().context("cannot find the program's own file")?;
    let worker = || worker_command(&binary, args, (cli, share), registry);
    let settings = RunSettings {
        out: &args.out,
        writer: args.tables.writer(),
        jobs: jobs(args.jobs),
        limits: limits(args, requests.len()),
        force: args.force,
        shard: args.shard,
        unlisted,
        verify: args.verify,
        stop: &stop,
        worker: &worker,
    };
    if args.plan {
        print(&serde_json::to_string(&corpus::plan(&requests, &recipe, registry, &settings)?)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let kept = part::record(args, &requests, (&metadata, settings.jobs), registry);
    let summary = told_run(&requests, &recipe, registry, &settings, cli);
    part::end(kept, &args.out, summary.as_ref().ok());
    let summary = summary.map_err(|e| match e {
        // Nothing was begun.
        Error::Usage { .. } => e.into(),
        e => anyhow::Error::from(e)
            .context("the run ended early; what is done is kept, and the same command goes on with the rest"),
    })?;
    if !cli.quiet || summary.stopped.is_some() {
        say(&told(&summary, &args.out));
        tell_others(args, &summary);
    }
    if let Some(estimate) = &estimate {
        print(&format!("{}\n", estimate.told(settings.jobs)?))?;
    }
    for reason in &summary.left_out {
        tracing::error!("a row is not in interviews.{}: {reason}", args.tables.format.suffix());
    }
    if let Some(signal) = summary.stopped {
        return Ok(ExitCode::from(u8::try_from(SIGNALLED + signal).unwrap_or(SOME_FAILED)));
    }
    Ok(if summary.failed.is_empty() && summary.left_out.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(SOME_FAILED)
    })
}

/// An RTTM that is read is not one that is written, and has its own number of speakers.
fn look_at_rttm(requests: &[Request], out: &Path) -> Result<()> {
    for request in requests {
        let Some(rttm) = &request.rttm else { continue };
        keep_apart(rttm, &rttm_path(out, &request.interview_id)?)?;
        if request.bounds != SpeakerBounds::default() {
            tracing::warn!(
                "{}: the number of speakers is that of {}, not the one asked for",
                request.interview_id,
                rttm.display()
            );
        }
    }
    Ok(())
}

fn limits(args: &Extract, interviews: usize) -> Limits {
    let share = || corpus::default_memory_limit(jobs(args.jobs).min(interviews));
    Limits { stall: Duration::from_secs(args.stall_secs), memory_bytes: args.memory_limit.or_else(share) }
}

/// Runs, and tells and logs what happens.
fn told_run(
    requests: &[Request],
    recipe: &Recipe,
    registry: &Registry,
    settings: &RunSettings<'_>,
    cli: &Cli,
) -> turnwise::error::Result<Summary> {
    let display = Display::new(requests, (settings.out, settings.jobs), cli.quiet);
    let logs = Logs::new(settings.out, recipe);
    let summary = corpus::run(requests, recipe, registry, settings, &|index, request, update| {
        logs.update(index, request, &update);
        if !logging::is_json() {
            display.update(index, request, &update);
        }
    });
    display.finish();
    summary
}

/// What is to be done about interviews of earlier runs: a single file says nothing of them.
fn unlisted(args: &Extract) -> Result<Unlisted> {
    match (corpus::is_manifest(&args.input), args.prune) {
        // Of the others nothing is known.
        (true, _) if args.is_part() => Ok(Unlisted::Ignored),
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
            let tasks =
                if args.out.join("tasks").is_dir() { "; tables of tasks made before still hold them" } else { "" };
            format!("{n} not in {manifest} removed from {out}: {some}{more}{tasks}")
        } else {
            format!("{n} in {out} that {manifest} does not have: {some}{more}; --prune removes their files")
        });
    }
    if !summary.ways.is_empty() {
        say(&format!("The interviews in {out} were not all made the same way:\n{}", summary.ways.trim_end()));
    }
}

fn told(summary: &Summary, out: &Path) -> String {
    let Summary { done, warned, skipped, failed, left, stopped, .. } = summary;
    let counts = format!("{done} done, {skipped} already done, {} failed", failed.len());
    let warnings = if *warned > 0 {
        format!("; {warned} with warnings, which turnwise inspect {} lists", out.display())
    } else {
        String::new()
    };
    match stopped {
        Some(_) => {
            format!(
                "stopped: {counts}, {left} left; what is done is kept in {}, and the same command goes on with the \
                 rest; what was half done is begun again",
                out.display()
            )
        }
        None => format!("{counts}; tables in {}{warnings}", out.display()),
    }
}

/// The first interrupt or request to end is noted, for the run to end its workers and to leave the folder in order; the
/// second ends at once. A signal that the program was started to ignore (`nohup`, a job in the background of a script)
/// stays ignored.
fn stop_on_signals() -> Result<Arc<AtomicUsize>> {
    let stop = Arc::new(AtomicUsize::new(0));
    #[cfg(unix)]
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: a null new action only asks; an all-zero action is a valid place for the answer.
        let ignored = unsafe {
            let mut now: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &raw mut now) == 0 && now.sa_sigaction == libc::SIG_IGN
        };
        if !ignored {
            let asked = Arc::new(std::sync::atomic::AtomicBool::new(false));
            let code = i32::try_from(SIGNALLED)? + signal;
            signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(&asked))
                .context("cannot listen to signals")?;
            signal_hook::flag::register(signal, asked).context("cannot listen to signals")?;
            signal_hook::flag::register_usize(signal, Arc::clone(&stop), usize::try_from(signal)?)
                .context("cannot listen to signals")?;
        }
    }
    Ok(stop)
}

fn requests(args: &Extract) -> Result<Vec<Request>> {
    let bounds = bounds(args.speakers)?;
    if !args.input.exists() {
        let what = format!("there is no file {}", args.input.display());
        return Err(Error::Usage { what, hint: "give a media file or a corpus manifest".into() }.into());
    }
    if args.input.is_dir() {
        let what = format!("{} is a folder", args.input.display());
        return Err(
            Error::Usage { what, hint: "give a media file, or a corpus manifest that names the files".into() }.into()
        );
    }
    file::check(&args.input)?;
    if args.input.extension().is_some_and(|e| SHEETS.iter().any(|sheet| e.eq_ignore_ascii_case(sheet))) {
        let what = format!("{} is a table, and a manifest is a .csv file", args.input.display());
        return Err(Error::Usage { what, hint: "save it as CSV with commas, in UTF-8".into() }.into());
    }
    if !corpus::is_manifest(&args.input) {
        if !args.only.is_empty() {
            let what = format!("--only chooses from a manifest, and {} is none", args.input.display());
            return Err(Error::Usage { what, hint: "leave it out".into() }.into());
        }
        let mut request = Request::of_file(&args.input)?;
        if let Some(named) = &args.transcript {
            request.take_transcript(&named.to_string_lossy(), |_| named.clone());
        }
        for named in [&request.transcript, &args.audio, &args.rttm].into_iter().flatten() {
            file::check(named)?;
        }
        if let Some(id) = &args.id {
            request.interview_id.clone_from(id);
        }
        check_interview_id(&request.interview_id)?;
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
    if !args.only.is_empty() {
        requests = corpus::only(requests, &args.only)?;
    }
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
        given(voices)?;
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

/// Tells that a folder asked to be the group's is not, and what opens it.
fn tell_closed(out: &Path, was_there: bool) {
    let out = out.display();
    if was_there {
        tracing::warn!("{out} was made for its owner alone; to open what is there already: chmod -R g+rwX {out}");
    } else {
        tracing::warn!("the umask keeps the group from writing into {out}; `umask 007` before the run opens it");
    }
}

/// The recipe is not among the arguments, which every user of the machine can read: it may say where voices are
/// enrolled.
fn worker_command(binary: &Path, args: &Extract, (cli, share): (&Cli, Share), registry: &Registry) -> Command {
    let mut command = Command::new(binary);
    command.arg("worker").arg(option("--out", &args.out));
    // A folder that was found and not named is found again, and a registry in it is then as little believed as here.
    if !matches!(registry.choice(), Choice::Found(_)) {
        command.arg(option("--models", registry.dir()));
    }
    command.args(["--format", args.tables.format.name(), "--stages", keep(args).name()]);
    command.arg(match share {
        Share::Owner => "--share=owner",
        Share::Group => "--share=group",
    });
    if cli.quiet {
        command.arg("-q");
    }
    command.args(std::iter::repeat_n("-v", usize::from(cli.verbose)));
    command
}

/// What is done about results of stages of earlier runs.
fn keep(args: &Extract) -> Keep {
    match (args.no_cache, args.force) {
        (true, _) => Keep::Off,
        // Whoever asks for all of it again does not trust what is there.
        (false, true) => Keep::Renew,
        (false, false) => Keep::Use,
    }
}

/// `--name=value` in one piece: a value may begin with a dash.
fn option(name: &str, value: &Path) -> OsString {
    let mut whole = OsString::from(name);
    whole.push("=");
    whole.push(value);
    whole
}

/// Serves one parent over standard input and output, and ends with it: where standard input ends, the parent has no
/// more work or is gone, and an interview half done is left behind.
pub fn worker(args: &Worker, registry: &Registry) -> Result<()> {
    let output = own_output()?;
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
    let target = Target { out: &args.out, writer: args.tables.writer() };
    let recipe: Recipe = serde_json::from_str(&first?).context("the worker's recipe is not understood")?;
    let service = Service { target, recipe: &recipe, registry, runtime: Runtime::default(), keep: args.stages };
    Ok(corpus::serve(service, lines, output)?)
}

/// Standard output as it was given, for the protocol alone: from here on what a library prints goes to the log. An
/// interrupt from the keyboard reaches parent and workers alike; it is the parent's to answer. And where the machine
/// runs out of memory, a worker is a better choice than its parent.
#[cfg(unix)]
fn own_output() -> Result<std::fs::File> {
    use std::os::fd::AsFd;
    let output = std::io::stdout().as_fd().try_clone_to_owned().context("cannot keep the standard output")?;
    // SAFETY: both descriptors are open; the handler is the system's own.
    unsafe {
        if libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) < 0 {
            return Err(std::io::Error::last_os_error()).context("cannot turn the standard output to the log");
        }
        libc::signal(libc::SIGINT, libc::SIG_IGN);
    }
    // There only on Linux, and only a preference.
    let _ = std::fs::write("/proc/self/oom_score_adj", "500");
    Ok(output.into())
}

#[cfg(not(unix))]
fn own_output() -> Result<std::io::Stdout> {
    Ok(std::io::stdout())
}
