//! `turnwise man`: the manual pages, made from the grammar of the command line.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::CommandFactory;
use clap_mangen::Man;
use turnwise::store::whole::write_text;

use crate::cli::Cli;

/// Writes a page for the program and one for each of its commands and their commands, those that are hidden left out:
/// `turnwise.1`, `turnwise-extract.1`, `turnwise-export-rescue.1`. Gives their names, a line each.
pub fn write(to: &Path) -> Result<String> {
    let mut program = Cli::command();
    program.build();
    let mut told = String::new();
    for page in pages(&program, to) {
        let (path, text) = page?;
        write_text(&path, &text)?;
        told.push_str(&format!("{}\n", path.display()));
    }
    Ok(told)
}

/// The pages of a command and of those below it, each with its place.
fn pages(command: &clap::Command, to: &Path) -> Vec<Result<(PathBuf, String)>> {
    // A built command's display name has the program's in front: `turnwise-export-rescue`.
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let below = command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help");
    let mut all = vec![page(command.clone(), &to.join(format!("{name}.1")))];
    all.extend(below.flat_map(|c| pages(c, to)));
    all
}

fn page(command: clap::Command, path: &Path) -> Result<(PathBuf, String)> {
    let mut text = Vec::new();
    Man::new(command).render(&mut text)?;
    Ok((path.to_owned(), String::from_utf8(text)?))
}
