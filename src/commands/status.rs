//! `turnwise status`: how a corpus stands.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::Result;
use serde_json::{Value, json};
use turnwise::corpus::{self, Counts, Found, State, Status, words_of_bytes, words_of_secs};
use turnwise::error::Error;
use turnwise::inference::Registry;
use turnwise::pipeline::corrections::Corrections;
use turnwise::pipeline::{self, Against, Look, Making, Stale};
use turnwise::recipe::Recipe;
use turnwise::text::clean;

use super::{must_be_there, recipe};
use crate::cli;

/// Interviews told by name of each kind.
const NAMED: usize = 10;

/// Longest text told of an error.
const ERROR_CHARS: usize = 160;

/// What is printed.
pub fn run(args: &cli::Status, registry: &Registry) -> Result<String> {
    must_be_there(&args.out)?;
    let requests = match &args.manifest {
        Some(path) if !corpus::is_manifest(path) => {
            let what = format!("{} is no manifest", path.display());
            return Err(Error::Usage { what, hint: "give the .csv file that extract was given".into() }.into());
        }
        Some(path) => Some(corpus::read_manifest(path)?),
        None => None,
    };
    let corrections = Corrections::of_folder(&args.out)?;
    let requests = requests.map(|mut requests| {
        corrections.give(&mut requests);
        requests.retain(|request| args.shard.is_none_or(|shard| shard.holds(&request.interview_id)));
        requests
    });
    let last = corpus::last_run(&args.out);
    let asked = args.recipe.recipe.is_some() || !args.recipe.set.is_empty();
    let compared: Option<Recipe> = if asked || last.is_none() { Some(recipe(&args.recipe)?) } else { None };
    let making = match (&compared, &last) {
        (None, Some(last)) => last.making.clone(),
        (of, _) => Making::of(&pipeline::file_metadata(of.as_ref().unwrap_or(&Recipe::default()), registry)?),
    };
    let mut against = Against::new(making, compared.as_ref(), Look::Ends);
    against.corrections = Some(corrections);
    let mut status = corpus::status(&args.out, requests.as_deref(), &against)?;
    if args.shard.is_some() {
        // Interviews of other parts are not removed.
        status.removed.clear();
    }
    let jobs = args.jobs.map_or_else(|| last.map_or(1, |last| last.jobs.max(1)), |n| n as usize);
    let counts = status.counts(jobs);
    Ok(if args.json { format!("{:#}\n", as_json(&status, &counts, jobs)) } else { page(args, &status, &counts, jobs) })
}

fn as_json(status: &Status, counts: &Counts, jobs: usize) -> Value {
    let unfinished = |found: &Found| {
        let (state, why, error) = match &found.state {
            State::Done(_) => return None,
            State::Stale(why, _) => ("stale", json!(why), None),
            State::Failed { kind, error } => ("failed", json!(kind), Some(error)),
            State::Missing => ("missing", Value::Null, None),
        };
        Some(json!({ "interview_id": found.interview_id, "state": state, "why": why, "error": error }))
    };
    let mut all = json!(counts);
    all["jobs"] = json!(jobs);
    all["unfinished"] = status.interviews.iter().filter_map(unfinished).collect();
    all["removed_ids"] = json!(status.removed);
    all
}

fn page(args: &cli::Status, status: &Status, counts: &Counts, jobs: usize) -> String {
    let mut page = String::new();
    let mut line = |name: &str, n: usize, more: String| {
        let _ = writeln!(page, "{name:<8} {n:>7}{}{more}", if more.is_empty() { "" } else { "  " });
    };
    let done = format!(
        "{:.1} min of media, {} written",
        counts.media_minutes_done,
        words_of_bytes(counts.bytes_written as f64)
    );
    line("done", counts.done, if counts.done > 0 { done } else { String::new() });
    line("failed", counts.failed, String::new());
    for (kind, (ids, error)) in failures(status) {
        line(&format!("  {kind}"), ids.len(), format!("{}: {error}", some(&ids)));
    }
    line("stale", counts.stale, String::new());
    for (why, ids) in stale(status) {
        line(&format!("  {}", words(why)), ids.len(), some(&ids));
    }
    if args.manifest.is_some() {
        let of = |state: fn(&State) -> bool| -> Vec<&str> {
            status.interviews.iter().filter(|f| state(&f.state)).map(|f| f.interview_id.as_str()).collect()
        };
        line("missing", counts.missing, some(&of(|state| matches!(state, State::Missing))));
        let removed: Vec<&str> = status.removed.iter().map(String::as_str).collect();
        line("removed", counts.removed, some(&removed));
    }
    line("all", counts.interviews, String::new());
    if let Some(speed) = counts.speed {
        let _ = writeln!(page, "\n{speed:.2} s of media in a second of each job");
    }
    if let Some(left) = counts.left {
        let jobs = if jobs == 1 { "1 job".to_owned() } else { format!("{jobs} jobs") };
        let media =
            if left.media_secs > 0.0 { format!("{:.1} min of media, ", left.media_secs / 60.0) } else { String::new() };
        let _ = writeln!(
            page,
            "left, as file sizes tell: {media}about {} with {jobs}, {} to write",
            words_of_secs(left.secs),
            words_of_bytes(left.bytes)
        );
    }
    if args.manifest.is_none() {
        page += "\nname the manifest to learn what is missing, what was removed from it, and whose inputs changed\n";
    }
    page
}

/// Ids by the code of their error, and the first one's error.
fn failures(status: &Status) -> BTreeMap<&str, (Vec<&str>, String)> {
    let mut kinds: BTreeMap<&str, (Vec<&str>, String)> = BTreeMap::new();
    for found in &status.interviews {
        if let State::Failed { kind, error } = &found.state {
            let short: String = clean(error).chars().take(ERROR_CHARS).collect();
            kinds.entry(kind).or_insert_with(|| (Vec::new(), short)).0.push(&found.interview_id);
        }
    }
    kinds
}

fn stale(status: &Status) -> BTreeMap<Stale, Vec<&str>> {
    let mut reasons: BTreeMap<Stale, Vec<&str>> = BTreeMap::new();
    for found in &status.interviews {
        if let State::Stale(why, _) = &found.state {
            reasons.entry(*why).or_default().push(&found.interview_id);
        }
    }
    reasons
}

fn words(why: Stale) -> &'static str {
    match why {
        Stale::Recipe => "other recipe",
        Stale::Models => "other models",
        Stale::Version => "other version",
        Stale::Input => "input changed",
        Stale::Corrections => "corrections changed",
        Stale::InputGone => "input out of reach",
        Stale::Output => "table gone or changed",
        Stale::Record => "no record",
    }
}

/// The first few of them.
fn some(ids: &[&str]) -> String {
    let more = if ids.len() > NAMED { ", …" } else { "" };
    format!("{}{more}", ids[..ids.len().min(NAMED)].join(", "))
}
