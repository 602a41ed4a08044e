//! `turnwise init`: a manifest from a folder, by the names of its files.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use turnwise::corpus::{Matched, Wanted, matched, read_manifest};
use turnwise::error::Error;
use turnwise::inspect::grid::{Grid, Lean};
use turnwise::text::counted;

use crate::cli::Init;

/// Files of one list that are named.
const NAMED: usize = 20;

/// Writes the manifest and tells what is in it and what is not.
///
/// # Errors
/// Where the folder cannot be read, holds no recording, or there is a manifest already.
pub fn run(args: &Init) -> Result<String> {
    let to = args.to.clone().unwrap_or_else(|| args.folder.join("corpus.csv"));
    if !args.preview && to.symlink_metadata().is_ok() {
        let what = format!("{} is there and is not written over", to.display());
        return Err(Error::Usage { what, hint: "name another file with --to, or look with --preview".into() }.into());
    }
    let wanted = Wanted { transcripts: args.transcripts.clone(), media: args.media.clone() };
    let found = matched(&args.folder, &wanted)?;
    let mut text = told(&found);
    if found.pairs.is_empty() {
        text.push_str("\nno interview to write down\n");
        return Ok(text);
    }
    if args.preview {
        text.push_str(&format!("\n{} for {}; nothing is written\n", counted(found.pairs.len(), "line"), to.display()));
        return Ok(text);
    }
    write(&found, &args.folder, &to)?;
    let count = read_manifest(&to).context("the manifest was written, and is not understood")?.len();
    let next = format!("turnwise extract {} --out features", to.display());
    text.push_str(&format!("\n{} in {}; look through it, then: {next}\n", counted(count, "interview"), to.display()));
    Ok(text)
}

/// What belongs together, and what does not.
fn told(found: &Matched) -> String {
    let mut grid = Grid::new([(Lean::Left, 40), (Lean::Left, 60), (Lean::Left, 60)]);
    grid.row(["interview", "media", "transcript"].map(String::from));
    for pair in &found.pairs {
        let transcript =
            pair.transcript.as_ref().map_or_else(|| "no transcript".to_owned(), |p| p.display().to_string());
        grid.row([pair.id.clone(), pair.media.display().to_string(), transcript]);
    }
    let mut text = if found.pairs.is_empty() { String::new() } else { grid.render("") };
    let path = |p: &PathBuf| p.display().to_string();
    let groups = found.ambiguous.iter().map(|group| group.iter().map(path).collect::<Vec<_>>().join(", "));
    let advice = "--transcripts and --media say which suffixes count, or write the lines yourself";
    text.push_str(&list(&format!("left out, since it cannot be told which belong together ({advice})"), groups));
    text.push_str(&list("left out, transcripts without a recording of their name", found.unmatched.iter().map(path)));
    text.push_str(&list("left out", found.refused.iter().map(|(p, why)| format!("{}: {why}", p.display()))));
    text.push_str(&list("neither recordings nor transcripts", found.others.iter().map(path)));
    text
}

fn list(title: &str, items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{title}\n");
    items.iter().take(NAMED).for_each(|item| text.push_str(&format!("  {item}\n")));
    if items.len() > NAMED {
        text.push_str(&format!("  and {} more\n", items.len() - NAMED));
    }
    text
}

/// Paths are written from the manifest's folder where the files lie below it, else whole.
fn write(found: &Matched, folder: &Path, to: &Path) -> Result<()> {
    let fail = |e: &dyn std::fmt::Display| Error::write(to, e.to_string());
    let root = folder.canonicalize().with_context(|| format!("cannot read {}", folder.display()))?;
    let home = to.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let home = home.canonicalize().with_context(|| format!("there is no folder {}", home.display()))?;
    let cell = |path: &PathBuf| {
        let whole = root.join(path);
        whole.strip_prefix(&home).map_or_else(|_| whole.display().to_string(), |p| p.display().to_string())
    };
    let optional = |path: &Option<PathBuf>| path.as_ref().map(cell).unwrap_or_default();
    let with_rttm = found.pairs.iter().any(|pair| pair.rttm.is_some());
    let mut sheet = csv::Writer::from_writer(Vec::new());
    let columns = if with_rttm { 4 } else { 3 };
    sheet.write_record(["interview_id", "media", "transcript", "rttm"].iter().take(columns)).map_err(|e| fail(&e))?;
    for pair in &found.pairs {
        let cells = [pair.id.clone(), cell(&pair.media), optional(&pair.transcript), optional(&pair.rttm)];
        sheet.write_record(cells.iter().take(columns)).map_err(|e| fail(&e))?;
    }
    let bytes = sheet.into_inner().map_err(|e| fail(&e))?;
    // A file that came to be in the meantime is not written over either.
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(to).map_err(|e| fail(&e))?;
    Ok(file.write_all(&bytes).map_err(|e| fail(&e))?)
}
